//! Sec. 7 and App. G: how much a mean over five runs says, from the spread over a hundred of our own.

use super::stored::{self, mean, report};
use super::{Checked, Claim, Grade, Kind, Outcome, Owner, Verdict, refuted};

/// A claim about a setting of a report with many runs, and the part of the loss that is left uncertain.
macro_rules! spread_claims {
    ($($id:literal: $report:literal, $setting:literal, $part:literal, $words:literal, $reference:literal;)*) => {
        pub(crate) const CLAIMS: &[Claim] = &[$(Claim {
            id: $id,
            reference: $reference,
            statement: concat!(
                "A mean over five runs leaves the loss of ", $setting, " uncertain by more than ", $words,
                " of it (95 % interval, spread of our own runs)."
            ),
            hypotheses: &["the protocol as we read it, B = N, 100,000 rounds"],
            kind: Kind::Experiment,
            owner: Owner::Project,
            check: |_| five_runs($report, $setting, $part),
            saboteurs: &[refuted("half", "by more than half of it", |_| {
                five_runs($report, $setting, 0.5)
            })],
        }),*];
    };
}

spread_claims! {
    "five-runs-setting-1": "synthetic-settings", "setting 1", 0.1, "a tenth",
        "App. G.2 (means over five runs)";
    "five-runs-setting-2": "synthetic-settings", "setting 2", 0.1, "a tenth",
        "App. G.2 (means over five runs)";
    "five-runs-setting-3": "synthetic-settings", "setting 3", 0.1, "a tenth",
        "App. G.2 (means over five runs)";
    "five-runs-reuters4-1": "reuters4-settings", "setting 1", 0.05, "a twentieth",
        "Sec. 7.2, App. G.3 (means over five runs)";
    "five-runs-reuters4-2": "reuters4-settings", "setting 2", 0.05, "a twentieth",
        "Sec. 7.2, App. G.3 (means over five runs)";
    "five-runs-reuters4-3": "reuters4-settings", "setting 3", 0.05, "a twentieth",
        "Sec. 7.2, App. G.3 (means over five runs)";
}

/// Runs behind every mean of the paper.
const PUBLISHED_RUNS: usize = 5;

/// Half the 95 % interval of a mean over five runs, against `part` of the mean.
fn five_runs(name: &str, setting: &str, part: f64) -> Checked {
    let settings = report(name)?;
    let loss = mean(settings, "summary", &format!("{setting}: Algorithm 1, B = N"), "loss")?;
    let t = stats::student_t(PUBLISHED_RUNS - 1, 0.05);
    let half = t * loss.sd / (PUBLISHED_RUNS as f64).sqrt();
    let runs = stored::runs(settings).unwrap_or(0);
    let summary = format!(
        "loss {:.4} with standard deviation {:.4} over {runs} runs: a mean of five is known to within \
         {half:.4}",
        loss.mean, loss.sd
    );
    let verdict = match half > part * loss.mean {
        true => Verdict::Consistent,
        false => Verdict::Inconsistent,
    };
    Ok(Outcome::new(verdict, Grade::Sampled, summary)
        .with("runs", runs)
        .with("standard_deviation", loss.sd)
        .with("half_interval_of_five", half)
        .with("share_of_the_mean", half / loss.mean))
}
