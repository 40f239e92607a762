//! Scores and true risks against the definitions they were simplified from.

use super::super::risk;
use num_rational::BigRational;
use num_traits::{One, ToPrimitive, Zero};
use problem::{ActionSpace, RoundLaw};
use proptest::prelude::*;
use theory::{Scores, argmax};

/// A law on a grid of 64ths, so that floats and rationals are the same numbers.
#[derive(Clone, Debug)]
struct Round {
    n: usize,
    available: Vec<usize>,
    p: Vec<u32>,
    c: Vec<Vec<u32>>,
}

fn round() -> impl Strategy<Value = Round> {
    (2usize..5, 0usize..4).prop_flat_map(|(n, n_e)| {
        let cuts = prop::collection::vec(0u32..=64, n - 1);
        let costs = prop::collection::vec(prop::collection::vec(0u32..=64, n), n_e);
        let experts: Vec<usize> = (0..n_e).collect();
        let available = prop::sample::subsequence(experts, 0..=n_e);
        (cuts, costs, available).prop_map(move |(mut cuts, c, available)| {
            cuts.sort_unstable();
            cuts.insert(0, 0);
            cuts.push(64);
            let p = cuts.windows(2).map(|w| w[1] - w[0]).collect();
            Round { n, available, p, c }
        })
    })
}

fn exact(v: u32) -> BigRational {
    BigRational::new(v.into(), 64.into())
}

fn float(v: u32) -> f64 {
    f64::from(v) / 64.0
}

impl Round {
    fn law(&self) -> RoundLaw {
        let space = ActionSpace::new(self.n, self.c.len()).unwrap();
        let p: Vec<f64> = self.p.iter().map(|&v| float(v)).collect();
        let c: Vec<Vec<f64>> =
            self.c.iter().map(|row| row.iter().map(|&v| float(v)).collect()).collect();
        RoundLaw::new(space, &p, &c).unwrap()
    }

    /// Expected loss of always playing `action`, straight from Def. 4.1.
    fn expected_loss(&self, action: usize) -> BigRational {
        let mut sum = BigRational::zero();
        for (y, &p) in self.p.iter().enumerate() {
            let loss = match action.checked_sub(self.n) {
                Some(j) => exact(self.c[j][y]),
                None if action == y => BigRational::zero(),
                None => BigRational::one(),
            };
            sum += exact(p) * loss;
        }
        sum
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn risks_are_expected_losses(round in round(), weights in prop::collection::vec(0u32..9, 8)) {
        let law = round.law();
        let active = law.space.active(round.available.iter().copied()).unwrap();
        let scores = Scores::from_law(&law, active).unwrap();
        let losses: Vec<BigRational> =
            active.iter().map(|a| round.expected_loss(a.index())).collect();
        for (risk, loss) in risk::action_risks(&scores).iter().zip(&losses) {
            // 64ths of 64ths are exact in floats.
            prop_assert_eq!(BigRational::from_float(*risk), Some(loss.clone()));
        }
        let best = losses.iter().min().unwrap();
        prop_assert_eq!(BigRational::from_float(risk::best_risk(&scores)), Some(best.clone()));
        let first = losses.iter().position(|l| l == best).unwrap();
        prop_assert_eq!(argmax(&scores.s), first);
        prop_assert!(scores.mass >= 1.0 && scores.mass <= active.len() as f64);

        let total: u32 = weights[..active.len()].iter().sum();
        prop_assume!(total > 0);
        let q: Vec<f64> =
            weights[..active.len()].iter().map(|&w| f64::from(w) / f64::from(total)).collect();
        let expected: f64 =
            q.iter().zip(&losses).map(|(q, l)| q * l.to_f64().unwrap()).sum();
        let by_label: f64 = risk::loss_given_label(&law, active, &q)
            .unwrap()
            .iter()
            .zip(&law.p)
            .map(|(l, p)| l * p)
            .sum();
        let mixture = risk::mixture_risk(&scores, &q).unwrap();
        prop_assert!((mixture - expected).abs() < 1e-14);
        prop_assert!((by_label - expected).abs() < 1e-14);
        let gap = risk::mixture_gap(&scores, &q).unwrap();
        prop_assert!((gap - (expected - best.to_f64().unwrap())).abs() < 1e-14);
        prop_assert!(gap >= 0.0);
    }

    #[test]
    fn exploring_costs_at_most_gamma(round in round(), gamma in 0.0f64..=1.0) {
        let law = round.law();
        let active = law.space.active(round.available.iter().copied()).unwrap();
        let scores = Scores::from_law(&law, active).unwrap();
        for greedy in 0..active.len() {
            let q = risk::exploration_mixture(active.len(), greedy, gamma);
            let extra = risk::mixture_gap(&scores, &q).unwrap() - risk::action_gap(&scores, greedy);
            prop_assert!(extra <= gamma + 1e-14);
        }
    }
}
