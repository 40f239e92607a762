//! Not in the paper: what can be promised without a gap, if scores are linear. Inverse-gap weighting
//! over the active actions, on top of one ridge forecaster (Vovk, Azoury and Warmuth) per action.

use super::exact::{argmax, integer, random_vec, show};
use super::{
    CheckFailure, Checked, Claim, Context, Grade, Kind, Outcome, Owner, Tally, Verdict, declared,
    refuted,
};
use crate::theory::{Rational, ratio, ridge_regression};
use num_traits::{One, Signed};
use rand::RngExt;
use serde_json::json;

const REFERENCE: &str = "not in the paper (any availability, linear scores)";

const BLANK: Claim =
    Claim { reference: REFERENCE, kind: Kind::Theorem, owner: Owner::Project, ..Claim::BLANK };

pub(crate) const CLAIMS: &[Claim] = &[
    Claim {
        id: "igw-distribution",
        statement: "Inverse-gap weights are a distribution over the active actions, positive \
                    everywhere and at least 1/K on the leading action.",
        hypotheses: &["gamma > 0", "the leading action has a largest estimate"],
        check: |context| Ok(weights(context, &ratio(1, 1))),
        saboteurs: &[refuted("tenth-more", "at least 1.1/K on the leading action", |context| {
            Ok(weights(context, &ratio(11, 10)))
        })],
        ..BLANK
    },
    Claim {
        id: "igw-lemma",
        statement: "Under inverse-gap weights the expected distance from the best score is at most \
                    2 (K - 1) / gamma plus gamma / 4 times the expected squared error of the \
                    estimates.",
        hypotheses: &["gamma > 0", "any scores and estimates"],
        check: |context| Ok(lemma(context, &ratio(2, 1), &ratio(1, 4), 1)),
        saboteurs: &[
            refuted("first-constant", "1.98 instead of 2", |context| {
                Ok(lemma(context, &ratio(198, 100), &ratio(1, 4), 1))
            }),
            refuted("second-constant", "gamma / 4 becomes 0.99 gamma / 4", |context| {
                Ok(lemma(context, &ratio(2, 1), &ratio(99, 400), 1))
            }),
            refuted("one-action-less", "K - 2 instead of K - 1", |context| {
                Ok(lemma(context, &ratio(2, 1), &ratio(1, 4), 2))
            }),
        ],
        ..BLANK
    },
    Claim {
        id: "ridge-regret",
        statement: "The ridge forecaster's squared loss exceeds that of any fixed w, penalised by \
                    lambda |w|^2, by at most Y d ln(1 + rho^2 T / (d lambda)).",
        hypotheses: &["squared targets at most Y, squared inputs at most rho^2", "lambda > 0"],
        check: |context| ridge(context, 1.0, true),
        saboteurs: &[
            refuted("log-tenth-less", "the logarithm times 0.9", |c| ridge(c, 0.9, true)),
            refuted("no-penalty", "without lambda |w|^2 and with half the logarithm", |c| {
                ridge(c, 0.5, false)
            }),
        ],
        ..BLANK
    },
    Claim {
        id: "ridge-cb-regret",
        statement: "With gamma_t = c sqrt(t) the expected regret of ridge forecasts and inverse-gap \
                    weights is at most 4 (K - 1) sqrt(T) / c + c sqrt(T) Reg / 4, however experts \
                    come and go.",
        hypotheses: &["scores linear in the input, |w_a| <= W", "rewards in [0, 1]"],
        check: |_| bandit(&GROWING, 0.0, 1.0),
        saboteurs: &[
            refuted("twentieth", "a twentieth of the bound", |_| bandit(&GROWING, 0.0, 0.05)),
            declared(
                "tenth-less",
                "0.9 of the bound",
                |_| bandit(&GROWING, 0.0, 0.9),
                "the worst stream found is below the bound by a factor of more than two",
            ),
        ],
        ..BLANK
    },
    Claim {
        id: "ridge-cb-known-horizon",
        statement: "With a known horizon and one constant gamma, the expected regret of ridge \
                    forecasts and inverse-gap weights is at most sqrt(2 (K - 1) T Reg).",
        hypotheses: &["scores linear in the input, |w_a| <= W", "K >= 2"],
        check: |_| bandit(&[Rule::Known], 0.0, 1.0),
        saboteurs: &[
            refuted("twentieth", "a twentieth of the bound", |_| bandit(&[Rule::Known], 0.0, 0.05)),
            declared(
                "tenth-less",
                "0.9 of the bound",
                |_| bandit(&[Rule::Known], 0.0, 0.9),
                "the worst stream found is below the bound by a factor of more than two",
            ),
        ],
        ..BLANK
    },
    Claim {
        id: "ridge-cb-centred",
        statement: "Forecasting the reward minus 1/2 divides the logarithmic part of Reg by four.",
        hypotheses: &["scores minus 1/2 linear in the input, |w_a| <= W"],
        check: |_| bandit(&GROWING, 0.5, 1.0),
        saboteurs: &[refuted("twentieth", "a twentieth of the bound", |_| {
            bandit(&GROWING, 0.5, 0.05)
        })],
        ..BLANK
    },
];

/// `q_a = 1 / (K + gamma (g_b - g_a))`, and the rest for a leading action `b`.
fn inverse_gap(g: &[Rational], gamma: &Rational) -> (usize, Vec<Rational>) {
    let b = argmax(g);
    let weight = |g_a: &Rational| Rational::one() / (integer(g.len()) + gamma * (&g[b] - g_a));
    let mut q: Vec<Rational> = g.iter().map(weight).collect();
    let others = q.iter().sum::<Rational>() - &q[b];
    q[b] = Rational::one() - others;
    (b, q)
}

fn weights(context: &Context, times: &Rational) -> Outcome {
    let mut rng = context.rng("igw-distribution");
    let mut tally = Tally::default();
    for round in 0..800usize {
        let k = 1 + round % 7;
        // Estimates that are all equal are the extreme case.
        let g = if round < 7 { vec![ratio(1, 2); k] } else { random_vec(&mut rng, k, -2, 2) };
        let gamma = ratio(rng.random_range(1..=60), 6);
        let (b, q) = inverse_gap(&g, &gamma);
        let case = || json!({ "g": show(&g), "gamma": gamma.to_string() });
        tally.equal(&q.iter().sum(), &Rational::one(), case);
        tally.truth(q.iter().all(Signed::is_positive), case);
        tally.at_most(&(times / integer(k)), &q[b], case);
    }
    tally.outcome(Verdict::Holds, Grade::Argued, "conditions on weights in exact fractions")
}

/// Random estimates, and the family on which the constants are reached in the limit: one leader `m`
/// ahead, the best score far above its estimate and the others below theirs by `2 / gamma`.
fn lemma(context: &Context, first: &Rational, second: &Rational, less: usize) -> Outcome {
    let mut rng = context.rng("igw-lemma");
    let mut tally = Tally::default();
    let mut closest = 0f64;
    let mut record = |g: &[Rational], s: &[Rational], gamma: &Rational| {
        let (_, q) = inverse_gap(g, gamma);
        let best = &s[argmax(s)];
        let lost: Rational = q.iter().zip(s).map(|(q, s)| q * (best - s)).sum();
        let square = |((q, g), s): ((&Rational, &Rational), &Rational)| q * (g - s) * (g - s);
        let error: Rational = q.iter().zip(g).zip(s).map(square).sum();
        let actions = integer(g.len()) - integer(less);
        let bound = first * actions / gamma + second * gamma * error;
        if bound.is_positive() {
            closest =
                closest.max(num_traits::ToPrimitive::to_f64(&(&lost / &bound)).unwrap_or(0.0));
        }
        tally.at_most(
            &lost,
            &bound,
            || json!({ "g": show(g), "s": show(s), "gamma": gamma.to_string() }),
        );
    };
    for k in 2..=6usize {
        for m in [10i64, 1_000, 1_000_000] {
            for gamma in [ratio(1, 2), ratio(1, 1), ratio(4, 1)] {
                let mut g = vec![ratio(0, 1); k];
                g[0] = ratio(m, 1);
                let (_, q) = inverse_gap(&g, &gamma);
                let two = ratio(2, 1) / &gamma;
                let mut s: Vec<Rational> = g.iter().map(|g| g - &two).collect();
                s[k - 1] = &two * (Rational::one() - &q[k - 1]) / &q[k - 1];
                record(&g, &s, &gamma);
            }
        }
    }
    for _ in 0..600 {
        let k = rng.random_range(2..=6usize);
        let (g, s) = (random_vec(&mut rng, k, 0, 1), random_vec(&mut rng, k, 0, 1));
        record(&g, &s, &ratio(rng.random_range(1..=60), 6));
    }
    tally.outcome(Verdict::Holds, Grade::Argued, "inequalities in exact fractions").tightness(
        "left side / right side",
        1.0,
        closest,
    )
}

/// Rounding of sums of a few hundred terms.
const ROUNDING: f64 = 1e-9;

/// An input and what came there.
type Seen = (Vec<f64>, f64);

/// What the ridge forecaster of Vovk, Azoury and Warmuth expects at `x`: the input at hand counts as one
/// more that was seen, with target 0.
fn forecast(seen: &[Seen], x: &[f64], lambda: f64) -> f64 {
    let w = ridge_regression(&[seen, &[(x.to_vec(), 0.0)]].concat(), lambda);
    w.iter().zip(x).map(|(w, x)| w * x).sum()
}

/// Targets of size one whose sign is against the forecast, in one to three dimensions, against the
/// best penalised `w` in hindsight.
fn ridge(context: &Context, log_factor: f64, penalised: bool) -> Checked {
    let mut rng = context.rng("ridge-regret");
    let (mut tally, mut closest) = (Tally::default(), 0f64);
    for d in 1..=3usize {
        for lambda in [0.1, 1.0, 30.0] {
            for rounds in [1usize, 10, 200] {
                let (mut loss, mut data) = (0.0, Vec::new());
                for t in 0..rounds {
                    let mut x = vec![0.0; d];
                    if t % 2 == 0 || d == 1 {
                        x[t / 2 % d] = 1.0;
                    } else {
                        x.iter_mut().for_each(|v| *v = rng.random_range(-1.0..1.0) / d as f64);
                    }
                    let guess = forecast(&data, &x, lambda);
                    let y = if guess > 0.0 { -1.0 } else { 1.0 };
                    loss += (guess - y) * (guess - y);
                    data.push((x, y));
                }
                let w = ridge_regression(&data, lambda);
                let fit = |(x, y): &Seen| {
                    let value: f64 = x.iter().zip(&w).map(|(x, w)| x * w).sum();
                    (value - y) * (value - y)
                };
                let mut linear: f64 = data.iter().map(fit).sum();
                if penalised {
                    linear += lambda * w.iter().map(|w| w * w).sum::<f64>();
                }
                let dim = d as f64;
                let bound = log_factor * dim * (rounds as f64 / (dim * lambda)).ln_1p();
                tally.within(
                    loss - linear,
                    bound,
                    ROUNDING,
                    || json!({ "d": d, "lambda": lambda, "T": rounds, "bound": bound }),
                );
                closest = closest.max((loss - linear) / bound);
            }
        }
    }
    Ok(tally.outcome(Verdict::Holds, Grade::Searched, "streams").tightness(
        "regret / bound",
        1.0,
        closest,
    ))
}

/// The factor `c` of the growing rule.
const GROWING: [Rule; 2] = [Rule::Growing(1.0), Rule::Growing(2.0)];

#[derive(Clone, Copy)]
enum Rule {
    /// `c sqrt(t)`.
    Growing(f64),
    /// `sqrt(8 (K - 1) T / Reg)`.
    Known,
}

/// The expected regret by going through every action and reward, over a few rounds: one input, two
/// classes, an expert who is there every second round, scores `s` as weights of a constant feature.
fn bandit(rules: &[Rule], mid: f64, times: f64) -> Checked {
    let (mut tally, mut closest) = (Tally::default(), 0f64);
    for &rule in rules {
        closest = closest.max(with_rule(rule, mid, times, &mut tally)?);
    }
    Ok(tally
        .outcome(Verdict::Holds, Grade::Searched, "streams")
        .with("method", "expectation over all actions and rewards of up to five rounds")
        .tightness("expected regret / bound", 1.0, closest))
}

/// How many forecasters, in which dimension.
#[derive(Clone, Copy)]
struct Setting {
    /// `N`, one forecaster each.
    actions: usize,
    /// `d + 1`.
    dim: usize,
    /// The ridge parameter.
    lambda: f64,
    /// Bound on the norm of inputs.
    rho: f64,
}

impl Setting {
    /// `Reg = N (lambda W^2 + Y d~ ln(1 + rho^2 T / (N d~ lambda)))` for targets with `y^2 <= Y`.
    fn regret(self, w: f64, target: f64, rounds: usize) -> f64 {
        let (n, d) = (self.actions as f64, self.dim as f64);
        let log = (self.rho * self.rho * rounds as f64 / (n * d * self.lambda)).ln_1p();
        n * (self.lambda * w * w + target * d * log)
    }
}

/// The largest share of the bound that is reached.
fn with_rule(rule: Rule, mid: f64, times: f64, tally: &mut Tally) -> Result<f64, CheckFailure> {
    let mut closest = 0f64;
    for s in [[0.0, 1.0, 0.0], [0.5, 0.5, 1.0], [0.3, 0.7, 0.9], [1.0, 0.0, 1.0]] {
        for lambda in [0.05, 0.3, 1.0] {
            for rounds in 1..=5usize {
                let setting = Setting { actions: 3, dim: 1, lambda, rho: 1.0 };
                let w = s.iter().map(|s: &f64| (s - mid).abs()).fold(0.0, f64::max);
                let target = (1.0 - mid) * (1.0 - mid);
                let reg = setting.regret(w, target, rounds);
                let (t, k) = (rounds as f64, 3.0);
                let bound = match rule {
                    Rule::Growing(c) => 4.0 * (k - 1.0) * t.sqrt() / c + c * t.sqrt() / 4.0 * reg,
                    Rule::Known => (2.0 * (k - 1.0) * t * reg).sqrt(),
                };
                let gamma = |round: usize| match rule {
                    Rule::Growing(c) => c * (round as f64).sqrt(),
                    Rule::Known => (8.0 * (k - 1.0) * t / reg).sqrt(),
                };
                let start = vec![Vec::new(); 3];
                let regret = expected(&s, mid, rounds, 1, (&start, lambda), &gamma);
                tally.within(
                    regret,
                    times * bound,
                    ROUNDING,
                    || json!({ "s": s, "lambda": lambda, "T": rounds, "bound": times * bound }),
                );
                closest = closest.max(regret / bound);
            }
        }
    }
    Ok(closest)
}

fn expected(
    s: &[f64; 3],
    mid: f64,
    rounds: usize,
    round: usize,
    (seen, lambda): (&[Vec<Seen>], f64),
    gamma: &dyn Fn(usize) -> f64,
) -> f64 {
    if round > rounds {
        return 0.0;
    }
    let active = if round.is_multiple_of(2) { 2 } else { 3 };
    let g: Vec<f64> = seen[..active]
        .iter()
        .map(|of| (forecast(of, &[1.0], lambda) + mid).clamp(0.0, 1.0))
        .collect();
    let b = (1..active).fold(0, |b, a| if g[a] > g[b] { a } else { b });
    let mut q: Vec<f64> =
        g.iter().map(|g_a| 1.0 / (active as f64 + gamma(round) * (g[b] - g_a))).collect();
    q[b] = 1.0 - q.iter().enumerate().filter(|&(a, _)| a != b).map(|(_, q)| q).sum::<f64>();
    let best = s[..active].iter().copied().fold(0.0, f64::max);
    let mut total = 0.0;
    for a in 0..active {
        total += q[a] * (best - s[a]);
        for (reward, chance) in [(1.0, s[a]), (0.0, 1.0 - s[a])] {
            if chance > 0.0 {
                let mut next = seen.to_vec();
                next[a].push((vec![1.0], reward - mid));
                let rest = expected(s, mid, rounds, round + 1, (&next, lambda), gamma);
                total += q[a] * chance * rest;
            }
        }
    }
    total
}

#[cfg(test)]
mod tests {
    use super::{Setting, forecast};

    /// `d = 1`, `lambda = 1`: after `y = 1` at `x = 1` the forecast at `x = 1` is `1 / (1 + 1 + 1)`.
    #[test]
    fn forecasts_by_hand() {
        assert_eq!(forecast(&[], &[1.0], 1.0), 0.0);
        assert!((forecast(&[(vec![1.0], 1.0)], &[1.0], 1.0) - 1.0 / 3.0).abs() < 1e-15);
    }

    /// By hand: `rho^2 T / (N d~ lambda) = 4 12 / (2 3 1/2) = 16`.
    #[test]
    fn regret_of_the_forecasters() {
        let setting = Setting { actions: 2, dim: 3, lambda: 0.5, rho: 2.0 };
        let expected = 2.0 * (0.5 * 4.0 + 0.25 * 3.0 * 17f64.ln());
        assert!((setting.regret(2.0, 0.25, 12) - expected).abs() < 1e-12);
    }
}
