//! What is said of the learning curves, decided by numbers.

use super::case::{Case, expert, mean_over, over};
use super::{Observation, observe_reuters4, observe_synthetic};
use crate::prec;
use crate::totals::{Total, Totals};
use lab::experiment::{PolicyKind, Series, StreamKind};
use stats::mean;

/// One learner of a case, and whom it is compared with.
pub(crate) struct Learner<'a> {
    pub(crate) case: &'a Case<'a>,
    pub(crate) name: &'a str,
    pub(crate) runs: &'a [&'a Series],
    pub(crate) baseline: Option<&'a [&'a Series]>,
}

/// A quantity in the first and in the last tenth of the rounds.
pub(crate) struct Tenths {
    /// Mean over runs of the first.
    pub(crate) early: f64,
    /// Mean over runs of the last.
    pub(crate) late: f64,
    /// Runs in which the last is larger.
    pub(crate) rises: f64,
}

impl Tenths {
    pub(crate) fn of(runs: &[&Series], what: Total) -> Self {
        let pairs: Vec<(f64, f64)> = runs.iter().map(|s| s.tenths(what)).collect();
        let rises = pairs.iter().filter(|(a, b)| b > a).count() as f64;
        let (early, late): (Vec<f64>, Vec<f64>) = pairs.into_iter().unzip();
        Tenths { early: mean(&early), late: mean(&late), rises }
    }

    pub(crate) fn gain(&self) -> f64 {
        self.late - self.early
    }
}

/// What App. G says of its figures, for every learner of the case.
pub(crate) fn curves(case: &Case<'_>) -> Vec<Observation> {
    let mut out = Vec::new();
    out.extend(radius_matters(case));
    out.extend(published_accuracy(case));
    let stream = case.stream();
    if stream.kind() == StreamKind::Table {
        out.extend(constants_are_beaten(case));
    }
    for (i, runs) in &case.policies {
        let policy = case.policy(*i);
        if !matches!(policy.kind(), PolicyKind::Algorithm1 | PolicyKind::Network) {
            continue;
        }
        // Nobody is compared with itself.
        let is_baseline = case.spec.report.baseline.as_deref() == Some(&policy.name);
        let baseline = case.baseline().filter(|_| !is_baseline);
        let learner = Learner { case, name: &policy.name, runs, baseline };
        out.extend(learner.learns());
        out.extend(learner.beats_baseline());
        match (stream.kind(), stream.facts().knows) {
            (StreamKind::Reuters4, _) => out.extend(observe_reuters4::of(&learner)),
            (StreamKind::Synthetic, Some(knows)) => {
                out.extend(observe_synthetic::of(&learner, knows));
            }
            _ => {}
        }
    }
    out
}

/// Whether every policy that learns whom to ask has a lower loss than those that do not: a router that is
/// worse than the classifier alone, or than one expert, is not worth its trouble.
fn constants_are_beaten(case: &Case<'_>) -> Vec<Observation> {
    let is_constant =
        |kind: PolicyKind| matches!(kind, PolicyKind::ClassifierOnly | PolicyKind::FixedExpert);
    let kind = |i: usize| case.policy(i).kind();
    let loss = |runs: &[&Series]| mean_over(runs, |s: &Series| s.mean(Total::Loss));
    let constants = case.policies.iter().filter(|(i, _)| is_constant(kind(*i)));
    let constants: Vec<(String, f64)> = constants
        .map(|(i, runs)| (format!("loss of {}", case.policy(*i).label), loss(runs)))
        .collect();
    let learns = |i: usize| {
        !is_constant(kind(i)) && !matches!(kind(i), PolicyKind::Uniform | PolicyKind::Oracle)
    };
    let of = |(i, runs): &(usize, Vec<&Series>)| {
        let (policy, ours) = (case.policy(*i), loss(runs));
        let holds = constants.iter().all(|(_, theirs)| ours < *theirs);
        let numbers = [("loss".to_string(), ours)].into_iter().chain(constants.iter().cloned());
        Observation::new(
            format!("beats-constants{}/{}", case.suffix, policy.name),
            format!(
                "{} has a lower mean loss than the policies that never learn whom to ask; if not, use the \
                 best of those instead",
                policy.label
            ),
            holds,
            numbers,
        )
    };
    let rows = case.policies.iter().filter(|(i, _)| learns(*i) && !constants.is_empty());
    rows.map(of).collect()
}

impl Learner<'_> {
    pub(crate) fn observation<K: Into<String>>(
        &self,
        what: &str,
        statement: impl Into<String>,
        holds: bool,
        numbers: impl IntoIterator<Item = (K, f64)>,
    ) -> Observation {
        let id = format!("{what}{}/{}", self.case.suffix, self.name);
        Observation::new(id, statement, holds, numbers)
    }

    /// Share of all rounds in which expert `j` is asked, mean over runs.
    pub(crate) fn asked(&self, j: usize) -> f64 {
        mean_over(self.runs, |s| s.mean(Total::Asked(j)))
    }

    /// Whether experts are right more often when asked than over all rounds.
    pub(crate) fn asked_where_they_know(
        &self,
        statement: &str,
        experts: &[usize],
        always: &[f64],
    ) -> Observation {
        let when_asked =
            |j: usize| mean_over(self.runs, |s| s.share(Total::AskedRight(j), Total::Asked(j)));
        let numbers = experts.iter().flat_map(|&j| {
            let name = expert(j);
            [(format!("{name} when asked"), when_asked(j)), (format!("{name} always"), always[j])]
        });
        let holds = experts.iter().all(|&j| when_asked(j) > always[j]);
        self.observation("asked-where-they-know", statement, holds, numbers)
    }

    /// Accuracy, loss and excess risk, early and late.
    fn learns(&self) -> Vec<Observation> {
        let of_runs = self.runs.len() as f64;
        let accuracy = Tenths::of(self.runs, Total::Right);
        let falls = |what: &str, statement: &str, tenths: Tenths| {
            let numbers = [
                ("first tenth", tenths.early),
                ("last tenth", tenths.late),
                ("runs in which it falls", of_runs - tenths.rises),
                ("runs", of_runs),
            ];
            self.observation(what, statement, tenths.late < tenths.early, numbers)
        };
        let mut out = Vec::new();
        if accuracy.late.is_finite() {
            out.push(self.observation(
                "accuracy-rises",
                "accuracy in the last tenth of the rounds is above that of the first tenth (means over runs)",
                accuracy.late > accuracy.early,
                [
                    ("first tenth", accuracy.early),
                    ("last tenth", accuracy.late),
                    ("runs in which it rises", accuracy.rises),
                    ("runs", of_runs),
                ],
            ));
        }
        out.push(falls(
            "loss-falls",
            "loss in the last tenth of the rounds is below that of the first tenth (means over runs)",
            Tenths::of(self.runs, Total::Loss),
        ));
        if self.runs.iter().all(|s| s.exact.is_some()) {
            out.push(falls(
                "excess-falls",
                "excess risk over the best action of each round is lower in the last tenth than in the first (what is left when the drift of the noise is taken out)",
                Tenths::of(self.runs, Total::Excess),
            ));
        }
        out
    }

    fn beats_baseline(&self) -> Option<Observation> {
        let baseline = self.baseline?;
        let losses =
            [self.runs, baseline].map(|runs| mean_over(runs, |s: &Series| s.mean(Total::Loss)));
        let accuracies =
            [self.runs, baseline].map(|runs| mean_over(runs, |s: &Series| s.mean(Total::Right)));
        if !accuracies.iter().all(|accuracy| accuracy.is_finite()) {
            return None;
        }
        Some(self.observation(
            "beats-baseline",
            "lower mean loss and higher mean accuracy than the baseline over all rounds",
            losses[0] < losses[1] && accuracies[0] > accuracies[1],
            [
                ("loss", losses[0]),
                ("loss of baseline", losses[1]),
                ("accuracy", accuracies[0]),
                ("accuracy of baseline", accuracies[1]),
            ],
        ))
    }
}

/// Published accuracies of experts against the interval of Clopper and Pearson of ours.
fn published_accuracy(case: &Case<'_>) -> Option<Observation> {
    let published = &case.spec.report.published_expert_accuracy;
    let ours = case.expert_accuracies().filter(|ours| ours.len() == published.len())?;
    let rounds = case.traces.iter().map(|trace| trace.total(Total::Rounds)).sum::<f64>();
    let mut numbers = Vec::new();
    let mut holds = true;
    for (j, (&ours, &published)) in ours.iter().zip(published).enumerate() {
        let right = case.traces.iter().map(|trace| trace.total(Total::Knew(j))).sum::<f64>();
        let (low, high) =
            stats::share_interval(right as u64, rounds as u64, prec::AUDIT_FALSE_ALARM);
        let (low, high) = (100.0 * low, 100.0 * high);
        holds &= low <= published && published <= high;
        let name = expert(j);
        numbers.push((format!("{name} ours"), 100.0 * ours));
        numbers.push((format!("{name} published"), published));
        numbers.push((format!("{name} from"), low));
        numbers.push((format!("{name} to"), high));
    }
    Some(Observation::new(
        format!("published-expert-accuracy{}", case.suffix),
        format!(
            "published accuracies of the experts lie in the Clopper-Pearson intervals of ours (each misses with probability {:e} at most)",
            prec::AUDIT_FALSE_ALARM
        ),
        holds,
        numbers,
    ))
}

/// Accuracy of the subject on every stream but the first against the first, run by run: the streams
/// of one experiment meet the same seeds.
pub(crate) fn against_first(cases: &[Case<'_>]) -> Vec<Observation> {
    let Some((first, others)) = cases.split_first() else { return Vec::new() };
    let accuracy = |case: &Case<'_>| Some(over(case.subject()?, |s: &Series| s.mean(Total::Right)));
    let mut out = Vec::new();
    for case in others.iter().filter(|case| case.settings == first.settings) {
        let (Some(a), Some(b)) = (accuracy(first), accuracy(case)) else { continue };
        if !a.iter().chain(&b).all(|accuracy| accuracy.is_finite()) {
            continue;
        }
        let lower = a.iter().zip(&b).filter(|(a, b)| b < a).count() as f64;
        out.push(Observation::new(
            format!("accuracy-below-first{}", case.suffix),
            format!("mean accuracy on {} is below that on {}", case.label(), first.label()),
            mean(&b) < mean(&a),
            [
                ("accuracy", mean(&b)),
                ("accuracy on the first", mean(&a)),
                ("runs in which it is lower", lower),
                ("runs", a.len() as f64),
            ],
        ));
    }
    out
}

/// Whether learners that differ in their ball alone differ in anything.
fn radius_matters(case: &Case<'_>) -> Option<Observation> {
    let is_learner = |i: usize| case.policy(i).kind() == PolicyKind::Algorithm1;
    let mut learners = case.policies.iter().filter(|(i, _)| is_learner(*i));
    let (first, runs) = learners.next()?;
    let first = case.policy(*first);
    let twins: Vec<_> =
        learners.filter(|(i, _)| case.policy(*i).differs_in_radius_alone(first)).collect();
    let equal = twins.iter().filter(|(_, other)| other == runs).count() as f64;
    (!twins.is_empty()).then(|| {
        Observation::new(
            format!("ball-never-binds{}", case.suffix),
            "learners that differ only in the radius B give the same totals in every run",
            equal == twins.len() as f64,
            [("learners", 1.0 + twins.len() as f64), ("equal to the first", equal)],
        )
    })
}
