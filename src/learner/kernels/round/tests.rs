//! Rounds in lanes against the same on slices, bit for bit, on both instruction sets.

use super::*;
use crate::active::ActiveExt;
use crate::estimator::{Estimate, project_gradient};
use crate::exploration::{greedy_position, mix};
use crate::surrogate::Surrogate;
use crate::zero_sum;
use problem::ActionSpace;
use quickcheck::{Arbitrary, Gen, QuickCheck};

/// The scores of two rounds of the same learner, and which of its actions are active.
#[derive(Clone, Debug)]
struct Case {
    n: usize,
    scores: Vec<Vec<f64>>,
    experts: Vec<u128>,
    target: usize,
    weight: f64,
}

impl Arbitrary for Case {
    fn arbitrary(g: &mut Gen) -> Self {
        let actions = 2 + usize::arbitrary(g) % if bool::arbitrary(g) { 14 } else { 127 };
        let n = 2 + usize::arbitrary(g) % (actions - 1);
        let odd = u8::arbitrary(g) % 8;
        let number = |g: &mut Gen| match (u8::arbitrary(g), odd) {
            (0..16, 0) => f64::NAN,
            (0..16, 1) => f64::INFINITY,
            (0..32, 0..2) => f64::NEG_INFINITY,
            (0..32, 2) => f64::MAX,
            (32..64, _) => 0.0,
            (64..80, _) => -0.0,
            // Few values, so that some are equal.
            (80..128, _) => f64::from(i8::arbitrary(g) % 3),
            _ => 3.0 * f64::from(i16::arbitrary(g)) / 32768.0,
        };
        let scores = (0..2).map(|_| (0..actions).map(|_| number(g)).collect()).collect();
        let experts = (0..2).map(|_| u128::arbitrary(g) & low_bits(actions - n)).collect();
        let weight = [0.0, 1.0, 3.7, 1e-300, 1e300][usize::arbitrary(g) % 5];
        Case { n, scores, experts, target: usize::arbitrary(g), weight }
    }

    /// One round instead of two, fewer actions, nobody available, then simpler numbers.
    fn shrink(&self) -> Box<dyn Iterator<Item = Self>> {
        let mut smaller = Vec::new();
        if let [first, second] = &self.scores[..] {
            let one = |scores: &Vec<f64>, experts| Case {
                scores: vec![scores.clone()],
                experts: vec![experts],
                ..self.clone()
            };
            smaller.extend([one(first, self.experts[0]), one(second, self.experts[1])]);
        }
        let actions = self.scores[0].len();
        for fewer in [actions / 2, actions - 1].into_iter().filter(|a| (2..actions).contains(a)) {
            let mut case = Case { n: self.n.min(fewer), ..self.clone() };
            case.scores.iter_mut().for_each(|scores| scores.truncate(fewer));
            case.experts.iter_mut().for_each(|experts| *experts &= low_bits(fewer - case.n));
            smaller.push(case);
        }
        if self.experts.iter().any(|&experts| experts != 0) {
            smaller.push(Case { experts: vec![0; self.experts.len()], ..self.clone() });
        }
        for (t, scores) in self.scores.iter().enumerate() {
            for a in (0..scores.len()).filter(|&a| scores[a].to_bits() != 0) {
                let mut case = self.clone();
                case.scores[t][a] = 0.0;
                smaller.push(case);
            }
        }
        if self.target != 0 {
            smaller.push(Case { target: 0, ..self.clone() });
        }
        Box::new(smaller.into_iter())
    }
}

fn low_bits(count: usize) -> u128 {
    if count == 0 { 0 } else { u128::MAX >> (128 - count) }
}

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|v| v.to_bits()).collect()
}

/// The same number, or none on both sides: which one that is nobody promises.
fn same(a: &[f64], b: &[f64]) -> bool {
    a.len() == b.len()
        && a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan())
}

fn check(case: &Case, cpu: Cpu) {
    let Case { n, scores, experts, target, weight } = case;
    let actions = scores[0].len();
    let space = ActionSpace::new(*n, actions - n).unwrap();
    let padded = crate::kernels::Columns::zeros(actions, 1).lanes();
    let mut chosen = Chosen::new(padded);
    let (scale, gamma, eta, unscale) = (0.75, 0.3, 0.01, 1.0 / 0.75);
    // The second round starts from the guesses of the first.
    for (scores, &experts) in scores.iter().zip(experts) {
        let active = space.active_from_mask(experts).unwrap();
        let k = active.len();
        let mut lanes = scores.clone();
        lanes.resize(padded, 0.0);
        choose(cpu, (&lanes, scale), &active, gamma, &mut chosen);

        let (mut u, mut q) = (vec![0.0; k], vec![0.0; k]);
        active.gather(scale, scores, &mut u);
        zero_sum::center(&mut u);
        let greedy = greedy_position(&u);
        mix(greedy, gamma, &mut q);
        let mut centred = vec![0.0; padded];
        active.scatter(1.0, &u, &mut centred);
        assert_eq!(chosen.greedy, active.nth(greedy).unwrap().index(), "greedy: {case:?}");
        assert_eq!(bits(&chosen.q[..k]), bits(&q), "q: {case:?}");
        assert!(same(&chosen.u[..k], &u), "u: {:?}, {u:?}, {case:?}", &chosen.u[..k]);
        assert!(same(&chosen.centred, &centred), "{:?}, {centred:?}, {case:?}", chosen.centred);

        let target = target % k;
        let mut g = vec![0.0; k];
        Estimate::One { target, weight: *weight }.gradient(Surrogate::CstndHinge, &u, &mut g);
        let moves = g.iter().any(|&c| c != 0.0);
        project_gradient(Surrogate::CstndHinge, &mut g);
        let mut expected = vec![0.0; padded];
        active.scatter(-eta, &g, &mut expected);
        expected.iter_mut().for_each(|c| *c *= unscale);
        let sum = |of: &dyn Fn(usize) -> f64| {
            let sums: [f64; 4] =
                std::array::from_fn(|a| (a..padded).step_by(4).map(of).fold(0.0, |s, v| s + v));
            (sums[0] + sums[1]) + (sums[2] + sums[3])
        };
        let dot = sum(&|a| expected[a] * lanes[a]);
        let norm2 = sum(&|a| expected[a] * expected[a]);

        let lane = active.nth(target).unwrap().index();
        let hinge = Gradient::Hinge { centred: &chosen.centred, target: lane, weight: *weight };
        let mut c = vec![f64::NAN; padded];
        let motion = step(cpu, hinge, &active, (eta, unscale), &lanes, &mut c);
        let mut there = vec![0.0; padded];
        active.scatter(1.0, &g, &mut there);
        let given = step(cpu, Gradient::There, &active, (eta, unscale), &lanes, &mut there);
        let check = |motion: Motion, c: &[f64]| {
            assert!(same(c, &expected), "c: {c:?}, {expected:?}, {case:?}");
            let (got, expected) = ([motion.dot, motion.norm2], [dot, norm2]);
            assert!(same(&got, &expected), "{got:?}, {expected:?}, {case:?}");
        };
        if moves {
            check(motion, &c);
        } else {
            assert_eq!(motion, Motion::NONE, "{case:?}");
        }
        check(given, &there);
    }
}

#[test]
fn lanes_do_what_slices_do() {
    fn property(case: Case) {
        check(&case, Cpu::detect());
        check(&case, Cpu::portable());
    }
    QuickCheck::new().tests(2000).quickcheck(property as fn(Case));
}

#[test]
fn classes_can_fill_every_lane() {
    let active = ActionSpace::new(128, 0).unwrap().classes_only();
    let mut scores = [0.0; 128];
    scores[127] = 1.0;
    let mut chosen = Chosen::new(128);
    choose(Cpu::detect(), (&scores, 1.0), &active, 0.5, &mut chosen);
    assert_eq!(chosen.greedy, 127);
}
