//! From Algorithm 1 to the recommended learner on Reuters4, one change at a time.

use super::SUBJECT;
use super::measure::{loss_rows, losses, mean, runs};
use crate::curves::Case;
use crate::words::{count, table};
use lab::experiment::Plan;

pub fn words(plan: &Plan, cases: &[Case<'_>], suffix: &str) -> Result<String, String> {
    let case = &cases[0];
    let at = |name: &str| -> Result<f64, String> { Ok(mean(&losses(runs(case, name)?))) };
    let explored = (1..=case.spec.rounds).map(|t| (10.0 / (t as f64).sqrt()).min(0.5)).sum::<f64>()
        / case.spec.rounds as f64;
    let mut text = format!(
        "## Reuters4 (`frontier-reuters4`)\n\n\
         Everybody there with probability 0.7, fixed expertise, the first {} rounds of one pass, {} \
         runs. From Algorithm 1 as the paper runs it to the recommended learner, one change at a \
         time:\n\n{}",
        count(case.spec.rounds.into()),
        case.spec.runs,
        table(&["learner", "mean loss", "accuracy"], &loss_rows(case))
    );
    let step = |from: &str, to: &str| -> Result<String, String> {
        let (before, after) = (at(from)?, at(to)?);
        let word = if after < before { "better" } else { "worse" };
        Ok(format!("{before:.3} to {after:.3}, {word} by {:.3}", (after - before).abs()))
    };
    text += &format!(
        "### Why regression does so much better here\n\n\
         Vowpal Wabbit's `cb_explore_adf` (epsilon 0.05, `mtr`, quadratic) was measured once at 0.120 on \
         these first 10,000 rounds, outside this project. It is a regression of the cost of the action \
         that was played (weighted, in `mtr`, by its inverse probability up to a common factor), it \
         learns from wrong answers, and it explores in 5 % of the rounds. Our plainest \
         counterpart, one logistic regression per action with 5 % exploration, has {:.3}; Algorithm 1 as \
         the paper runs it has {:.3}. One change at a time:\n\n\
         - **The ball.** Without `B = N` for the whole matrix: {}.\n\
         - **The step.** AdaGrad at 0.5 instead of 0.1, no ball: {}.\n\
         - **The loss.** Logistic instead of hinge, no ball: {}; at rate 0.5: {}.\n\
         - **Importance weights.** Regression instead of the weighted logistic surrogate, with the same \
         exploration `min(1/2, 10/sqrt t)`: {}. Algorithm 1's estimate is divided by `q`, and a wrong \
         answer has weight zero in it and moves nothing; regression learns from it that the action was \
         bad, and no single observation counts a hundredfold.\n\
         - **Exploration.** `min(1/2, 10/sqrt t)` explores in {:.0} % of these rounds. Cutting it to 5 %: \
         {} (regression), but {} (Algorithm 1, hinge) and {} (Algorithm 1, logistic), whose weights `1/q` \
         grow as exploration falls. So Algorithm 1 is tied to the exploration it can bear, and regression \
         is not.\n\
         - **Which regression.** Squared to logistic, at 5 % exploration: {}.\n\
         - **Exploring where it may pay.** Inverse gaps instead of a uniform 5 %: {}.\n\
         - **One belief over the labels.** A right answer speaks about all classes, a wrong one rules one \
         out; from SquareCB to the belief router: {}. Passing over wrong answers: {}. Not correcting the \
         belief by how often it was right: {}.\n\n\
         The rate of the belief router matters: half of it, {}; twice, {}. (The same on LabelMe is in \
         the table there.)\n\n",
        at("square-cb-epsilon")?,
        at("alg1-n")?,
        step("alg1-n", "alg1-free")?,
        step("alg1-free", "alg1-free-rate")?,
        step("alg1-free", "alg1-log")?,
        step("alg1-free-rate", "alg1-log-rate")?,
        step("alg1-log-rate", "square-cb-share")?,
        100.0 * explored,
        step("square-cb-share", "square-cb-epsilon")?,
        step("alg1-free", "alg1-free-epsilon")?,
        step("alg1-log", "alg1-log-epsilon")?,
        step("squared-epsilon", "square-cb-epsilon")?,
        step("square-cb-epsilon", "square-cb")?,
        step("square-cb", SUBJECT)?,
        step(SUBJECT, "belief-right")?,
        step(SUBJECT, "belief-raw")?,
        step(SUBJECT, "belief-slow")?,
        step(SUBJECT, "belief-fast")?,
    );
    let hashes = plan.canonical["data"].as_object().cloned().unwrap_or_default();
    for (file, hash) in &hashes {
        text += &format!("Data: `{file}`, SHA-256 `{}`.\n\n", hash.as_str().unwrap_or_default());
    }
    text += &format!(
        "![Loss on Reuters4](frontier-reuters4{suffix}.svg)\n\n\
         *Mean loss of each window of 2,000 rounds over the horizon of the paper \
         (`frontier-reuters4-long`); bands: one standard deviation over the runs.*\n\n"
    );
    Ok(text)
}
