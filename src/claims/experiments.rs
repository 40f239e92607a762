//! App. G: numbers the paper does not give. The check asks whether they matter.

use super::{CheckFailure, Checked, Claim, Context, Grade, Kind, Outcome, Verdict};
use crate::lab::stream::{Right, Stream, StreamRound};
use crate::lab::stream::{Synthetic, SyntheticConfig};
use crate::learner::{Algorithm1, Config, Optimizer, Schedule};
use crate::problem::{ActionSpace, ExpertCost, Features};
use crate::theory::{Rational, ratio};
use lab::{Event, play};
use num_traits::{One, Signed, Zero};
use rand::RngExt;
use rand::seq::index::sample;
use rand_pcg::Pcg64;
use rayon::prelude::*;
use serde_json::{Value, json};

pub(crate) const CLAIMS: &[Claim] = &[
    Claim {
        id: "experiments-radius",
        reference: "App. G",
        statement: "The paper does not state the radius of the Frobenius ball in its experiments. \
                    This is harmless if the runs do not depend on it.",
        hypotheses: &["AdaGrad at 0.1 and the exploration of the paper, sparse stand-in inputs"],
        kind: Kind::Experiment,
        check: |context| radius(context, &[Some(7.0), Some(100.0), None]),
        ..Claim::BLANK
    },
    Claim {
        id: "experiments-horizon",
        reference: "App. G",
        statement: "The paper does not state the number of rounds of the synthetic experiments. \
                    This is harmless if the loss settles early.",
        hypotheses: &["learning and exploration rates of the paper, setting 1"],
        kind: Kind::Experiment,
        check: |context| horizon(context, 10_000, 100_000),
        ..Claim::BLANK
    },
    Claim {
        id: "synthetic-best-action",
        reference: "App. G.2",
        statement: "With fixed expertise, the cheapest active action in regions 1 to 4 is an \
                    available expert who knows the region. In regions 5 and 6 it is a class.",
        hypotheses: &[
            "noise as stated: random walks from 0.3 and 0 with steps of 0.002",
            "100,000 rounds",
        ],
        kind: Kind::Experiment,
        check: |context| best_action(context, &SyntheticConfig::default()),
        ..Claim::BLANK
    },
];

/// Follows the noise `p` of every region. The expert who knows a region costs `beta / (1 + beta)` there, the
/// class `p`: from the round on at which `p` is below that, predicting is cheaper. Where nobody knows the
/// region an expert guesses.
fn best_action(context: &Context, config: &SyntheticConfig) -> Checked {
    let (right, wrong) = (config.cost.normalized(true), config.cost.normalized(false));
    let classes = config.noise.len() as f64;
    let guess = right / classes + wrong * (1.0 - 1.0 / classes);
    let (mut rounds, mut false_rounds) = (0u64, 0u64);
    let mut first: Option<(u64, usize, f64)> = None;
    for run in 0..5 {
        let mut stream = Synthetic::new(config, context.run_seed("synthetic-best-action", run))?;
        for t in 1..=100_000u64 {
            stream.next_round();
            for (region, &p) in stream.noise().iter().enumerate() {
                let known = config.knows.iter().any(|regions| regions.contains(&region));
                let ask = if known { right } else { guess };
                let predict = p.min(1.0 - p / (classes - 1.0));
                rounds += 1;
                if (ask < predict) != known {
                    false_rounds += 1;
                    if first.is_none_or(|(earliest, ..)| t < earliest) {
                        first = Some((t, region + 1, p));
                    }
                }
            }
        }
    }
    let share = false_rounds as f64 / rounds as f64;
    let often = match first {
        Some((t, region, _)) => format!(
            "in our runs in {:.1}% of rounds and regions, first in region {region} in round {t}",
            100.0 * share
        ),
        None => "in our runs in no round and region".to_owned(),
    };
    let outcome = match (exact_instance(config), first) {
        (Some(instance), _) => {
            let exact = |key: &str| instance[key].as_str().unwrap_or_default();
            let text = format!(
                "predicting is cheaper than asking (cost {}) once the noise is below that: exactly, {} after \
                 {} steps down; {often}",
                exact("cost_of_asking"),
                exact("cost_of_predicting"),
                exact("steps_down"),
            );
            Outcome::new(Verdict::Fails, Grade::Enumerated, text).witness(instance)
        }
        (None, Some((t, region, p))) => Outcome::new(Verdict::Inconsistent, Grade::Sampled, often)
            .with("first", json!({ "round": t, "region": region, "noise": p })),
        (None, None) => {
            Outcome::new(Verdict::Consistent, Grade::Sampled, "true in every round and region")
        }
    };
    Ok(outcome
        .with("share_of_rounds_and_regions", share)
        .with("cost_of_asking_who_guesses", guess)
        .with("runs", 5))
}

/// A region that an expert knows and a path of its noise, one standard deviation down in every round, at
/// whose end the class is cheaper than the expert: in fractions, decided by comparing fractions. The steps
/// of the noise have a density, so the walk comes as near to this path as one likes.
fn exact_instance(config: &SyntheticConfig) -> Option<Value> {
    let exact = |decimal: f64| ratio((1000.0 * decimal).round() as i64, 1000);
    let cost = json!(config.cost);
    let (alpha, beta) = (exact(cost["alpha"].as_f64()?), exact(cost["beta"].as_f64()?));
    let ask = &beta / Rational::one().max(alpha + &beta);
    let known = config.knows.iter().flatten().copied();
    let (region, start) = known
        .filter_map(|region| Some((region, exact(*config.noise.get(region)?))))
        .min_by(|a, b| a.1.cmp(&b.1))?;
    let step = exact(config.noise_sigma);
    let steps = match (start < ask, step.is_zero()) {
        (true, _) => Rational::zero(),
        (false, true) => return None,
        (false, false) => ((&start - &ask) / &step).floor() + Rational::one(),
    };
    // Below the cost of asking by the choice of the steps.
    let noise = &start - &steps * &step;
    (!noise.is_negative()).then(|| {
        json!({ "region": region + 1, "noise_at_the_start": start.to_string(),
                "step": step.to_string(), "steps_down": steps.to_integer().to_string(),
                "cost_of_predicting": noise.to_string(), "cost_of_asking": ask.to_string() })
    })
}

/// Clusters of binary inputs and experts that know some of the clusters: a small stand-in for the
/// streams of the experiments.
struct Clusters {
    space: ActionSpace,
    keywords: Vec<Vec<f64>>,
    /// Which clusters each expert knows.
    knows: Vec<Vec<usize>>,
    flip: Vec<f64>,
    noise_bits: (usize, usize),
    unit_norm: bool,
    cost: ExpertCost,
    rng: Pcg64,
    x: Vec<f64>,
    costs: Vec<f64>,
}

impl Clusters {
    /// SynSep as read here: 30 keyword bits, 90 noise bits of which 15 are on.
    fn synthetic(rng: Pcg64) -> Result<Self, CheckFailure> {
        let flip = vec![0.3, 0.3, 0.3, 0.3, 0.0, 0.0];
        let knows = vec![vec![0, 1], vec![2, 3], vec![]];
        Clusters::new(flip, knows, 30, (90, 15), false, rng)
    }

    /// Unit-norm inputs, four classes, three experts with overlapping knowledge.
    fn documents(rng: Pcg64) -> Result<Self, CheckFailure> {
        let knows = vec![vec![0, 1], vec![1, 2], vec![2, 3]];
        Clusters::new(vec![0.0; 4], knows, 100, (300, 40), true, rng)
    }

    fn new(
        flip: Vec<f64>,
        knows: Vec<Vec<usize>>,
        bits: usize,
        noise_bits: (usize, usize),
        unit_norm: bool,
        mut rng: Pcg64,
    ) -> Result<Self, CheckFailure> {
        let space = ActionSpace::new(flip.len(), knows.len())?;
        let keywords = flip
            .iter()
            .map(|_| {
                let on = rng.random_range(bits / 10..=bits / 2);
                let mut v = vec![0.0; bits];
                sample(&mut rng, bits, on).iter().for_each(|i| v[i] = 1.0);
                v
            })
            .collect();
        let costs = vec![0.0; knows.len()];
        let (x, cost) = (Vec::new(), ExpertCost::new(1.0, 0.1)?);
        Ok(Clusters { space, keywords, knows, flip, noise_bits, unit_norm, cost, rng, x, costs })
    }
}

impl Stream for Clusters {
    fn space(&self) -> ActionSpace {
        self.space
    }

    fn dim(&self) -> usize {
        self.keywords[0].len() + self.noise_bits.0
    }

    fn next_round(&mut self) -> Option<StreamRound<'_>> {
        let n = self.space.classes();
        let cluster = self.rng.random_range(0..n);
        let flipped = self.rng.random_bool(self.flip[cluster]);
        let other = (cluster + self.rng.random_range(1..n)) % n;
        let label = if flipped { other } else { cluster };
        self.x.clear();
        self.x.extend_from_slice(&self.keywords[cluster]);
        let start = self.x.len();
        self.x.resize(start + self.noise_bits.0, 0.0);
        let on = sample(&mut self.rng, self.noise_bits.0, self.noise_bits.1);
        on.iter().for_each(|i| self.x[start + i] = 1.0);
        if self.unit_norm {
            let norm = self.x.iter().sum::<f64>().sqrt();
            self.x.iter_mut().for_each(|v| *v /= norm);
        }
        let mut right = 0;
        for (j, knows) in self.knows.iter().enumerate() {
            let correct = knows.contains(&cluster) || self.rng.random_range(0..n) == label;
            self.costs[j] = self.cost.normalized(correct);
            right |= u128::from(correct) << j;
        }
        let (x, active) = (Features::Dense(&self.x), self.space.all_active());
        let (label, right) = (Some(label), Right::Bits(right));
        let (costs, answers, scores) = (&self.costs[..], None, None);
        Some(StreamRound { x, active, label, costs, right, answers, scores })
    }
}

/// The same stream and the same draws for every radius: how many greedy actions differ from the
/// first, and the mean loss.
fn radius(context: &Context, radii: &[Option<f64>]) -> Checked {
    let rounds = 4_000u64;
    let run = |&radius: &Option<f64>| -> Result<(Vec<usize>, f64), CheckFailure> {
        let mut stream = Clusters::documents(context.rng("experiments-radius"))?;
        let config = Config {
            radius,
            optimizer: Optimizer::ADAGRAD,
            schedule: Schedule::EXPERIMENT,
            ..Config::new(stream.space(), stream.dim())
        };
        let mut learner = Algorithm1::new(config)?;
        let (mut greedy, mut loss) = (Vec::new(), 0.0);
        let mut observer = |event: &Event<'_>| {
            greedy.push(event.decision.greedy.index());
            loss += event.loss;
        };
        let mut actions = context.rng("experiments-radius-actions");
        play(&mut learner, &mut stream, &mut actions, rounds, &mut [&mut observer])?;
        Ok((greedy, loss / rounds as f64))
    };
    let runs: Vec<_> = radii.par_iter().map(run).collect::<Result<_, _>>()?;
    let differing: Vec<usize> = runs
        .iter()
        .map(|(greedy, _)| greedy.iter().zip(&runs[0].0).filter(|(a, b)| a != b).count())
        .collect();
    let most = differing.iter().copied().max().unwrap_or(0);
    let (verdict, summary) = if most == 0 {
        (Verdict::Holds, "every radius gives the same greedy actions".to_string())
    } else {
        let share = super::markdown::number(100.0 * most as f64 / rounds as f64);
        let text = format!("it matters: up to {share}% of the greedy actions depend on the radius");
        (Verdict::Unspecified, text)
    };
    let names: Vec<String> =
        radii.iter().map(|r| r.map_or("no ball".into(), |r| format!("B = {r}"))).collect();
    Ok(Outcome::new(verdict, Grade::Sampled, summary)
        .with("rounds", rounds)
        .with("radii", json!(names))
        .with("greedy_actions_unlike_the_first", json!(differing))
        .with("mean_loss", json!(runs.iter().map(|(_, loss)| *loss).collect::<Vec<_>>())))
}

/// Mean loss of the second half of two horizons, over independent runs.
fn horizon(context: &Context, early: u64, late: u64) -> Checked {
    let run = |i: u64| -> Result<f64, CheckFailure> {
        let purpose = format!("experiments-horizon-{i}");
        let mut stream = Clusters::synthetic(context.rng(&purpose))?;
        let config =
            Config { schedule: Schedule::EXPERIMENT, ..Config::new(stream.space(), stream.dim()) };
        let mut learner = Algorithm1::new(config)?;
        let (mut first, mut last) = (0.0, 0.0);
        let mut observer = |event: &Event<'_>| {
            let inside = |end: u64| event.t > end - end / 2 && event.t <= end;
            first += if inside(early) { event.loss / (early / 2) as f64 } else { 0.0 };
            last += if inside(late) { event.loss / (late / 2) as f64 } else { 0.0 };
        };
        let mut actions = context.rng(&format!("{purpose}-actions"));
        play(&mut learner, &mut stream, &mut actions, late, &mut [&mut observer])?;
        Ok(first - last)
    };
    let drops: Vec<f64> =
        (0..super::regret::RUNS).into_par_iter().map(run).collect::<Result<_, _>>()?;
    // Conditional variances are at most 1/4, so six of these standard deviations are left with
    // probability 1e-8 by a run whose conditional mean loss does not change.
    let deviation = (0.5 / early as f64 + 0.5 / late as f64).sqrt();
    let moved = drops.iter().filter(|drop| drop.abs() > 6.0 * deviation).count();
    let largest = drops.iter().map(|drop| drop.abs()).fold(0.0, f64::max);
    let shown = super::markdown::number(largest);
    let runs = drops.len();
    let (verdict, summary) = if moved > 0 {
        let text = format!(
            "it matters: between {early} and {late} rounds the loss still changes in {moved} of \
             {runs} runs, by up to {shown}"
        );
        (Verdict::Unspecified, text)
    } else {
        (Verdict::Holds, format!("no run changes beyond its own noise (largest {shown})"))
    };
    Ok(Outcome::new(verdict, Grade::Sampled, summary)
        .with("runs", runs)
        .with("compared", "mean loss of the second half of each horizon")
        .with("six_standard_deviations", 6.0 * deviation)
        .with("mean_change", drops.iter().sum::<f64>() / runs as f64)
        .with("changes", json!(drops)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_matter_is_not_called_unspecified() {
        let context = Context::default();
        let same = radius(&context, &[Some(50.0), Some(50.0)]).unwrap();
        assert_eq!(same.verdict(), Verdict::Holds);
        let other = radius(&context, &[Some(0.5), None]).unwrap();
        assert_eq!(other.verdict(), Verdict::Unspecified);
        let equal = horizon(&context, 2_000, 2_000).unwrap();
        assert_eq!(equal.verdict(), Verdict::Holds);
    }

    #[test]
    fn the_cheapest_action_is_the_stated_one_while_noise_stands_still() {
        let context = Context::default();
        let mut still = SyntheticConfig::default();
        still.noise_sigma = 0.0;
        assert_eq!(best_action(&context, &still).unwrap().verdict(), Verdict::Consistent);
        still.noise = vec![0.05; 6];
        assert_eq!(best_action(&context, &still).unwrap().verdict(), Verdict::Fails);
        // 3/10 - 104/500 = 46/500 is above 1/11, one step further is below.
        let instance = exact_instance(&SyntheticConfig::default()).unwrap();
        assert_eq!(instance["cost_of_asking"], "1/11");
        assert_eq!(
            (&instance["cost_of_predicting"], &instance["steps_down"]),
            (&json!("9/100"), &json!("105"))
        );
    }

    #[test]
    fn paths_of_the_noise_at_their_ends() {
        // Costs in thousandths are exact: asking costs 1/2, which is where the noise starts.
        let cost = serde_json::from_value(json!({ "alpha": 0.5, "beta": 0.5 })).unwrap();
        let mut config = SyntheticConfig::default();
        (config.noise, config.cost) = (vec![0.5; 6], cost);
        let instance = exact_instance(&config).unwrap();
        assert_eq!(
            (&instance["steps_down"], &instance["cost_of_asking"]),
            (&json!("1"), &json!("1/2"))
        );
        // One step would lead below zero.
        config.noise_sigma = 0.7;
        assert!(exact_instance(&config).is_none());
        config.noise = vec![0.4; 6];
        assert_eq!(exact_instance(&config).unwrap()["steps_down"], "0");
    }
}
