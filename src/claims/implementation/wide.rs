//! A wide world: the same properties in problems of many sizes, with inputs, costs, radii and horizons far
//! from the usual, and in combinations of them. The seed chooses; a fault that shows in a corner only is
//! looked for there.
//!
//! Every round is compared in full: active set, scores of the subject's own weights, mixture, and the step
//! from the weights before, column by column, so that a tiny feature is not hidden by a large one.

use super::probe::Probe;
use super::reference::{self, Matrix, State};
use super::rounds::ProbeRound;
use super::{CheckEvidence, Failure, decisions, sentences, wide_ball};
use crate::prec;
use crate::problem::FeedbackKind;
use crate::subject::{OptimizerName, ScheduleName, Subject, SubjectFeedback, SubjectSpec};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// A kind of learner: schedule, optimizer, feedback.
pub(super) type Kind = (ScheduleName, OptimizerName, FeedbackKind);

/// All kinds, the usual one first. AdaGrad has rates of its own, whatever the schedule.
pub(super) const KINDS: [Kind; 8] = [
    (ScheduleName::General, OptimizerName::Ogd, FeedbackKind::Bandit),
    (ScheduleName::Concentrated, OptimizerName::Ogd, FeedbackKind::Bandit),
    (ScheduleName::Experiment, OptimizerName::Ogd, FeedbackKind::Bandit),
    (ScheduleName::General, OptimizerName::Adagrad, FeedbackKind::Bandit),
    (ScheduleName::General, OptimizerName::Ogd, FeedbackKind::Full),
    (ScheduleName::Concentrated, OptimizerName::Ogd, FeedbackKind::Full),
    (ScheduleName::Experiment, OptimizerName::Ogd, FeedbackKind::Full),
    (ScheduleName::General, OptimizerName::Adagrad, FeedbackKind::Full),
];

/// The same problem for another kind of learner.
pub(super) fn of_kind(spec: SubjectSpec, (schedule, optimizer, feedback): Kind) -> SubjectSpec {
    SubjectSpec { schedule, optimizer, feedback, ..spec }
}

/// Signs of the features.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sign {
    Both,
    Negative,
    Positive,
}

/// Where costs lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Costs {
    Anywhere,
    /// 0, 1, 1/2 and their neighbours.
    Ends,
    Low,
    High,
}

/// What the rounds of a run look like.
#[derive(Clone, Copy, Debug)]
pub(super) struct Inputs {
    /// Largest `|x|`.
    magnitude: f64,
    sign: Sign,
    /// Share of features that are not zero.
    density: f64,
    /// Whether features of one input differ by orders of magnitude.
    uneven: bool,
    costs: Costs,
    /// Probability that an expert is available.
    available: f64,
    /// Probability that an input is the one of the round before.
    repeats: f64,
}

impl Inputs {
    pub(super) const USUAL: Inputs = Inputs {
        magnitude: 1.0,
        sign: Sign::Both,
        density: 1.0,
        uneven: false,
        costs: Costs::Anywhere,
        available: 0.6,
        repeats: 0.0,
    };

    /// The usual ones, with every expert there that often.
    pub(super) fn with_experts(available: f64) -> Self {
        Inputs { available, ..Inputs::USUAL }
    }

    pub(super) fn draw(&self, spec: &SubjectSpec, rng: &mut Pcg64) -> ProbeRound {
        let most = self.magnitude / (spec.d.max(1) as f64).sqrt();
        let feature = |rng: &mut Pcg64| {
            if !rng.random_bool(self.density) {
                return 0.0;
            }
            let size = most * rng.random_range(0.05..1.0);
            let size =
                if self.uneven { size * libm::exp2(rng.random_range(-20.0..0.0)) } else { size };
            match self.sign {
                Sign::Negative => -size,
                Sign::Positive => size,
                Sign::Both => size * if rng.random_bool(0.5) { 1.0 } else { -1.0 },
            }
        };
        let x = (0..spec.d).map(|_| feature(rng)).collect();
        let cost = |rng: &mut Pcg64| match self.costs {
            Costs::Anywhere => rng.random_range(0.0..=1.0),
            Costs::Ends => [0.0, 1e-7, 0.5, 1.0 - 5e-7, 1.0][rng.random_range(0..5usize)],
            Costs::Low => rng.random_range(0.0..0.05),
            Costs::High => rng.random_range(0.95..1.0),
        };
        ProbeRound {
            x,
            available: (0..spec.n_e).filter(|_| rng.random_bool(self.available)).collect(),
            label: rng.random_range(0..spec.n),
            costs: (0..spec.n_e).map(|_| cost(rng)).collect(),
            right: (0..spec.n_e).map(|_| rng.random_bool(0.5)).collect(),
        }
    }
}

/// One run: a problem, its inputs, and how long it is followed.
#[derive(Clone, Debug)]
pub(super) struct Case {
    pub(super) spec: SubjectSpec,
    pub(super) inputs: Inputs,
    pub(super) rounds: u64,
}

impl Case {
    /// `rho` follows from the inputs.
    pub(super) fn new(spec: SubjectSpec, inputs: Inputs, rounds: u64) -> Self {
        let rho = (1.0 + inputs.magnitude * inputs.magnitude).sqrt();
        Case { spec: SubjectSpec { rho, ..spec }, inputs, rounds }
    }

    /// In a few words, for a finding.
    fn words(&self) -> String {
        let SubjectSpec { n, n_e, d, .. } = self.spec;
        let Inputs { magnitude, sign, density, costs, .. } = self.inputs;
        format!(
            "{n} classes, {n_e} experts, {d} features of size up to {magnitude:.0e} ({sign:?}, {:.0}% not \
             zero, costs {costs:?}), B = {:.0e}",
            100.0 * density,
            self.spec.radius
        )
        .to_lowercase()
        .replace("b = ", "B = ")
    }
}

/// The generator of a check.
pub(super) fn harness(seed: u64, purpose: u64) -> Pcg64 {
    let first: u64 = Pcg64::new(u128::from(seed), u128::from(purpose)).random();
    Pcg64::seed_from_u64(first ^ purpose)
}

/// A number whose logarithm is uniform.
fn log_uniform(rng: &mut Pcg64, low: f64, high: f64) -> f64 {
    libm::exp2(rng.random_range(libm::log2(low)..libm::log2(high)))
}

/// Runs all cases; the evidence counts rounds.
fn all(subject: &mut dyn Subject, rng: &mut Pcg64, cases: &[Case]) -> CheckEvidence {
    let (mut rounds, mut worst) = (0, 0.0f64);
    for case in cases {
        worst = worst.max(follow(subject, case, rng).map_err(|failure| match failure {
            Failure::Wrong(sentence) => Failure::Wrong(format!("{}: {sentence}", case.words())),
            broken => broken,
        })?);
        rounds += case.rounds;
    }
    Ok(format!(
        "{rounds} rounds of {} problems, largest relative difference {worst:.1e}",
        cases.len()
    ))
}

/// Plays a case and compares everything in every round.
fn follow(subject: &mut dyn Subject, case: &Case, rng: &mut Pcg64) -> Result<f64, Failure> {
    let spec = &case.spec;
    let mut probe = Probe::start(subject, spec)?;
    let mut state = State::new(spec);
    let mut before = probe.weights()?;
    let (mut worst, mut last) = (0.0f64, Vec::new());
    for t in 1..=case.rounds {
        let mut round = case.inputs.draw(spec, rng);
        if t > 1 && rng.random_bool(case.inputs.repeats) {
            round.x.clone_from(&last);
        }
        last.clone_from(&round.x);
        let seen = probe.decide(&round)?;
        worst = worst.max(scores_of_weights(spec, t, &round, &seen.active, &seen.u, &before)?);
        decisions::is_mixture(spec, t, &seen)?;
        // Any action may be the one played: half of the time every one is as likely as any other.
        let action = match rng.random_bool(0.5) {
            true => seen.active[rng.random_range(0..seen.active.len())],
            false => seen.sample(rng.random()),
        };
        // The first round always: with zero weights no score says anything.
        let rewards = rng.random_bool(0.7) || t == 1;
        let round = if rewards { round.rewarding(spec, action) } else { round };
        let outcome = match spec.feedback {
            FeedbackKind::Full => SubjectFeedback::Full { label: round.label, costs: &round.costs },
            _ => round.outcome(spec, action),
        };
        probe.observe(outcome)?;
        let after = probe.weights()?;
        let u = reference::scores(&before, &round.x, &seen.active);
        let targets = reference::targets(spec, &seen.active, &seen.q, outcome);
        let g = reference::coefficients(&u, &targets);
        let gradient = reference::gradient(spec, &seen.active, &g, &round.x);
        let (eta, _) = reference::rates(spec, t);
        state.w.clone_from(&before);
        state.step(spec, eta, &gradient);
        let step = Step { t, x: &round.x, eta, weight: targets.iter().sum() };
        if !step.is_noise(spec, &g) {
            worst = worst.max(columns_agree(spec, &step, &state, [&before, &after])?);
        }
        before = after;
    }
    Ok(worst)
}

/// Scores of the subject's own weights, in units of what is added up.
fn scores_of_weights(
    spec: &SubjectSpec,
    t: u64,
    round: &ProbeRound,
    active: &[usize],
    got: &[f64],
    w: &Matrix,
) -> Result<f64, Failure> {
    let x = reference::augmented(&round.x);
    let size = |j: usize| w.iter().fold(0.0f64, |size, row| size.max(row[j].abs()));
    let scale: f64 = x.iter().enumerate().map(|(j, x)| size(j) * x.abs()).sum();
    let expected = reference::scores(w, &round.x, active);
    decisions::scores_agree(spec, t, active, [&expected, got], scale)
}

/// What a step was made of: round, input, rate, and the sum of the weights of its targets.
struct Step<'a> {
    t: u64,
    x: &'a [f64],
    eta: f64,
    weight: f64,
}

impl Step<'_> {
    /// Whether AdaGrad, which divides by the size of a coefficient, makes a step out of a rounding: some
    /// coefficient of a gradient that is not zero cancels. Two correct implementations may then differ.
    fn is_noise(&self, spec: &SubjectSpec, g: &[f64]) -> bool {
        let cancels = |g: &f64| g.abs() <= prec::SUBJECT_ILL * self.weight;
        let zero = g.iter().all(|g| *g == 0.0);
        spec.optimizer == OptimizerName::Adagrad && !zero && g.iter().any(cancels)
    }

    /// By how much entry `(a, j)` may differ on account of the step: gradient coefficients are differences of
    /// numbers as large as `weight`, and AdaGrad divides them by a root that may be tiny.
    fn noise(&self, spec: &SubjectSpec, squares: &Matrix, (a, j): (usize, usize), x_j: f64) -> f64 {
        let size = self.eta * self.weight * x_j.abs();
        match spec.optimizer {
            OptimizerName::Ogd => prec::SUBJECT_AGREES * size,
            OptimizerName::Adagrad => {
                let root = squares[a][j].sqrt() + reference::ADAGRAD.1;
                let moves = f64::from(u8::from(x_j != 0.0));
                prec::SUBJECT_AGREES * self.eta * moves + prec::SUBJECT_CANCELS * size / root
            }
        }
    }
}

/// The weights after a step against the expected ones (in `state`), each column against its own size.
fn columns_agree(
    spec: &SubjectSpec,
    step: &Step<'_>,
    state: &State,
    [before, got]: [&Matrix; 2],
) -> Result<f64, Failure> {
    let x = reference::augmented(step.x);
    let mut worst = 0.0f64;
    for (j, &x_j) in x.iter().enumerate() {
        let largest = |m: &Matrix| m.iter().fold(0.0f64, |size, row| size.max(row[j].abs()));
        let scale = largest(before) + largest(&state.w);
        for a in 0..spec.actions() {
            let (e, g) = (state.w[a][j], got[a][j]);
            let noise = step.noise(spec, &state.squares, (a, j), x_j);
            let allowed = prec::SUBJECT_AGREES * scale + noise;
            if (e - g).abs() > allowed {
                let place = sentences::entry(spec, a, j);
                let values = sentences::expected_got(e, g);
                return Err(Failure::Wrong(format!("after round {}: {place}: {values}", step.t)));
            }
            worst = worst.max(reference::relative(e - g, scale));
        }
    }
    Ok(worst)
}

/// Few and many classes, experts and features; some sizes are drawn. Every size is played by the usual
/// kind of learner and by another, which one the seed says; the widest by all kinds.
pub(crate) fn sizes(subject: &mut dyn Subject, seed: u64) -> CheckEvidence {
    let mut rng = harness(seed, 210);
    let mut shapes = vec![
        (2, 0, 1),
        (2, 1, 17),
        (3, 2, 33),
        (6, 3, 120),
        (4, 3, 257),
        (10, 3, 65),
        (2, 9, 5),
        (3, 20, 4),
        (2, 70, 2),
        (40, 2, 3),
        (100, 1, 2),
        (64, 64, 2),
    ];
    for _ in 0..6 {
        let d = log_uniform(&mut rng, 1.0, 400.0) as usize;
        shapes.push((rng.random_range(2..=30), rng.random_range(0..=40), d.max(1)));
    }
    let spec = |(n, n_e, d): (usize, usize, usize)| SubjectSpec { n, n_e, d, ..wide_ball() };
    let case = |spec: SubjectSpec, rounds: u64| Case::new(spec, Inputs::USUAL, rounds);
    // As many features as the documents of Sec. 7.2 have, and more.
    let mut cases = vec![case(spec((2, 2, 1000)), 4), case(spec((2, 1, 50_000)), 3)];
    let first = rng.random_range(1..KINDS.len());
    for (i, &shape) in shapes.iter().enumerate() {
        let other = KINDS[1 + (first + i) % (KINDS.len() - 1)];
        cases.push(case(spec(shape), if shape.2 > 200 { 4 } else { 8 }));
        cases.push(case(of_kind(spec(shape), other), 4));
    }
    for &kind in &KINDS[1..] {
        let d = log_uniform(&mut rng, 5_000.0, 30_000.0) as usize;
        cases.push(case(of_kind(spec((2, 2, 1000)), kind), 3));
        cases.push(case(of_kind(spec((2, 1, d)), kind), 2));
    }
    all(subject, &mut rng, &cases)
}

/// Tiny and huge features, of one sign, sparse, of uneven size, repeated, and none at all.
pub(crate) fn inputs(subject: &mut dyn Subject, seed: u64) -> CheckEvidence {
    let mut rng = harness(seed, 211);
    let spec = SubjectSpec { d: 12, ..wide_ball() };
    let mut cases = Vec::new();
    for magnitude in [1e-11, 1e-8, 1e-4, 1e-2, 3.0, 1e2, 1e4, 1e6, 1e9] {
        for sign in [Sign::Both, Sign::Negative, Sign::Positive] {
            let density = [1.0, 0.5, 0.1][rng.random_range(0..3usize)];
            let uneven = rng.random_bool(0.5);
            let inputs = Inputs { magnitude, sign, density, uneven, ..Inputs::USUAL };
            cases.push(Case::new(spec.clone(), inputs, 6));
        }
    }
    for density in [0.0, 0.05] {
        cases.push(Case::new(spec.clone(), Inputs { density, ..Inputs::USUAL }, 8));
    }
    cases.push(Case::new(spec, Inputs { repeats: 0.7, ..Inputs::USUAL }, 8));
    all(subject, &mut rng, &cases)
}

/// Costs of 0, of 1 and close to them, with everybody there and with full feedback.
pub(crate) fn costs(subject: &mut dyn Subject, seed: u64) -> CheckEvidence {
    let mut rng = harness(seed, 212);
    let mut cases = Vec::new();
    for costs in [Costs::Ends, Costs::Low, Costs::High] {
        for available in [0.5, 1.0] {
            for feedback in [FeedbackKind::Bandit, FeedbackKind::Full] {
                let spec = SubjectSpec { n: 2, feedback, ..wide_ball() };
                let inputs = Inputs { costs, available, ..Inputs::USUAL };
                cases.push(Case::new(spec, inputs, 15));
            }
        }
    }
    all(subject, &mut rng, &cases)
}

/// Rare combinations, drawn: sizes, inputs, costs, radius, schedule, optimizer and feedback all vary.
pub(crate) fn combinations(subject: &mut dyn Subject, seed: u64) -> CheckEvidence {
    let mut rng = harness(seed, 213);
    let mut cases = Vec::new();
    for _ in 0..80 {
        let pick = |rng: &mut Pcg64, count: usize| rng.random_range(0..count);
        let n = log_uniform(&mut rng, 2.0, 100.0) as usize;
        let spec = SubjectSpec {
            n,
            // At most 128 actions together.
            n_e: (log_uniform(&mut rng, 1.0, 100.0) as usize - 1).min(128 - n),
            d: log_uniform(&mut rng, 1.0, 600.0) as usize,
            radius: log_uniform(&mut rng, 1e-7, 1e7),
            ..of_kind(wide_ball(), KINDS[pick(&mut rng, KINDS.len())])
        };
        let inputs = Inputs {
            magnitude: log_uniform(&mut rng, 1e-5, 1e5),
            sign: [Sign::Both, Sign::Negative, Sign::Positive][pick(&mut rng, 3)],
            density: [1.0, 0.3, 0.05][pick(&mut rng, 3)],
            uneven: rng.random_bool(0.3),
            costs: [Costs::Anywhere, Costs::Ends, Costs::Low, Costs::High][pick(&mut rng, 4)],
            available: [0.0, 0.2, 0.6, 1.0][pick(&mut rng, 4)],
            repeats: [0.0, 0.3][pick(&mut rng, 2)],
        };
        cases.push(Case::new(spec, inputs, 5));
    }
    // A ball that is larger than any other, with steps that are as large.
    let large = SubjectSpec { radius: 1e7, feedback: FeedbackKind::Full, ..wide_ball() };
    cases.push(Case::new(large, Inputs::USUAL, 6));
    all(subject, &mut rng, &cases)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_are_the_stated_ones() {
        let spec = SubjectSpec { d: 50, ..wide_ball() };
        let signs = |sign| {
            let inputs = Inputs { sign, ..Inputs::USUAL };
            let x = inputs.draw(&spec, &mut harness(1, 1)).x;
            (x.iter().any(|v| *v < 0.0), x.iter().any(|v| *v > 0.0))
        };
        assert_eq!(signs(Sign::Negative), (true, false));
        assert_eq!(signs(Sign::Positive), (false, true));
        assert_eq!(signs(Sign::Both), (true, true));
    }

    #[test]
    fn what_adagrad_makes_of_a_rounding_is_not_compared() {
        let of = |optimizer| SubjectSpec { optimizer, ..wide_ball() };
        let (ogd, adagrad) = (of(OptimizerName::Ogd), of(OptimizerName::Adagrad));
        let step = Step { t: 1, x: &[], eta: 0.5, weight: 4.0 };
        assert!(step.is_noise(&adagrad, &[1.0, 3e-6, -1.0]));
        assert!(!step.is_noise(&ogd, &[1.0, 3e-6, -1.0]));
        assert!(!step.is_noise(&adagrad, &[1.0, 5e-6, -1.0]));
        assert!(!step.is_noise(&adagrad, &[0.0, 0.0, 0.0]));
        // 1e-9 of eta |weight x| with gradient steps; with AdaGrad 1e-9 eta where the input is not zero,
        // and 1e-14 of eta |weight x| over the root, which is 2 here but for the offset.
        let squares = vec![vec![4.0]];
        let near = |a: f64, b: f64| (a / b - 1.0).abs() < 1e-6;
        assert!(near(step.noise(&ogd, &squares, (0, 0), -8.0), 1.6e-8));
        let large = Step { weight: 4e6, ..step };
        assert!(near(large.noise(&adagrad, &squares, (0, 0), -8.0), 0.5e-9 + 0.8e-7));
        assert_eq!(large.noise(&adagrad, &squares, (0, 0), 0.0), 0.0);
    }
}
