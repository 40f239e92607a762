//! The fast kernels against their plain twins, and one instruction set against the other.

use super::round::choose;
use super::*;
use problem::{ActionSpace, Features, SparseRow};
use quickcheck::{Arbitrary, Gen, quickcheck};

/// A matrix, a sparse input and lane coefficients, with mixed signs and sizes.
#[derive(Clone, Debug)]
struct Case {
    actions: usize,
    /// Columns of the matrix, the last one for the bias.
    columns: Vec<Vec<f64>>,
    /// Features that are not zero, in increasing order.
    indices: Vec<u32>,
    values: Vec<f64>,
    /// One coefficient for each action.
    coefficients: Vec<f64>,
}

impl Arbitrary for Case {
    fn arbitrary(g: &mut Gen) -> Self {
        let actions = 2 + usize::arbitrary(g) % 127;
        let dim = 1 + usize::arbitrary(g) % 39;
        let numbers = |g: &mut Gen, count: usize, scale: f64| -> Vec<f64> {
            (0..count).map(|_| scale * f64::from(i16::arbitrary(g)) / 32768.0).collect()
        };
        let columns = (0..=dim).map(|_| numbers(g, actions, 2.0)).collect();
        // Two times in three there is something.
        let indices: Vec<u32> =
            (0..dim as u32).filter(|_| !u8::arbitrary(g).is_multiple_of(3)).collect();
        let values = numbers(g, indices.len(), 3.0);
        let coefficients = numbers(g, actions, 1.0);
        Case { actions, columns, indices, values, coefficients }
    }

    /// Fewer features, fewer actions, then simpler numbers.
    fn shrink(&self) -> Box<dyn Iterator<Item = Self>> {
        let dim = self.columns.len() - 1;
        let smaller = |to: usize| [to / 2, to - 1].into_iter().filter(move |&s| s < to);
        let fewer_features = smaller(dim).filter(|&d| d >= 1).map(|d| self.with_features(d));
        let fewer_actions = smaller(self.actions).filter(|&n| n >= 2).map(|n| self.with_actions(n));
        let without_values = (0..self.indices.len()).map(|i| {
            let mut case = self.clone();
            case.indices.remove(i);
            case.values.remove(i);
            case
        });
        let rounded = self.map_numbers(|v| (v * 4.0).trunc() / 4.0);
        let simpler = (rounded.numbers() != self.numbers()).then_some(rounded);
        let all = fewer_features.chain(fewer_actions).chain(without_values).chain(simpler);
        Box::new(all.collect::<Vec<_>>().into_iter())
    }
}

impl Case {
    /// The first `dim` features and the bias.
    fn with_features(&self, dim: usize) -> Self {
        let mut case = self.clone();
        case.columns.drain(dim..self.columns.len() - 1);
        let kept = self.indices.partition_point(|&j| (j as usize) < dim);
        case.indices.truncate(kept);
        case.values.truncate(kept);
        case
    }

    /// The first actions.
    fn with_actions(&self, actions: usize) -> Self {
        let mut case = self.clone();
        case.actions = actions;
        case.columns.iter_mut().for_each(|column| column.truncate(actions));
        case.coefficients.truncate(actions);
        case
    }

    fn map_numbers(&self, f: impl Fn(f64) -> f64) -> Self {
        let mut case = self.clone();
        case.columns.iter_mut().flatten().for_each(|v| *v = f(*v));
        case.values.iter_mut().chain(&mut case.coefficients).for_each(|v| *v = f(*v));
        case
    }

    fn numbers(&self) -> Vec<f64> {
        let matrix = self.columns.iter().flatten();
        matrix.chain(&self.values).chain(&self.coefficients).copied().collect()
    }

    /// The matrix, in the layout of the kernels.
    fn v(&self) -> Columns {
        let mut v = Columns::zeros(self.actions, self.columns.len());
        for (j, column) in self.columns.iter().enumerate() {
            v.column_mut(j)[..self.actions].copy_from_slice(column);
        }
        v
    }

    /// The coefficients, with zeros in the lanes that are no action.
    fn c(&self) -> Vec<f64> {
        let mut c = self.coefficients.clone();
        c.resize(self.v().lanes(), 0.0);
        c
    }

    fn sparse(&self) -> Features<'_> {
        let dim = self.columns.len() - 1;
        SparseRow::new(dim, &self.indices, &self.values).unwrap().into()
    }

    fn dense(&self) -> Vec<f64> {
        let mut x = vec![0.0; self.columns.len() - 1];
        self.sparse().for_each(|j, value| x[j] = value);
        x
    }
}

/// What a failure would be reported with is itself a case, and smaller: a fault that needs two
/// features and five actions is told with these.
#[test]
fn cases_shrink_to_what_matters() {
    fn fails(case: &Case) -> bool {
        case.columns.len() > 2 && case.actions >= 5
    }
    let mut case = Case::arbitrary(&mut Gen::new(100));
    while !fails(&case) {
        case = Case::arbitrary(&mut Gen::new(100));
    }
    while let Some(smaller) = case.shrink().find(fails) {
        assert_eq!(smaller.coefficients.len(), smaller.actions);
        assert!(smaller.columns.iter().all(|column| column.len() == smaller.actions));
        let _ = (smaller.sparse(), smaller.v());
        case = smaller;
    }
    assert_eq!((case.columns.len(), case.actions, case.indices.len()), (3, 5, 0));
    assert!(case.numbers().iter().all(|v| (v * 4.0).fract() == 0.0));
}

fn entries(v: &Columns) -> Vec<f64> {
    (0..v.len()).flat_map(|j| v.column(j).to_vec()).collect()
}

fn close(a: &[f64], b: &[f64]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(p, q)| (p - q).abs() <= 1e-12 * (1.0 + p.abs()))
}

/// Runs `check` on the sparse and on the dense form of the same input.
fn on_both_forms(case: &Case, mut check: impl FnMut(Features<'_>) -> bool) -> bool {
    check(case.sparse()) && check(Features::Dense(&case.dense()))
}

#[test]
fn scores_match_the_plain_twin() {
    fn property(case: Case) -> bool {
        let (v, n) = (case.v(), case.actions);
        on_both_forms(&case, |x| {
            [Cpu::detect(), Cpu::portable()].into_iter().all(|cpu| {
                let mut out = vec![f64::NAN; v.lanes()];
                scores(cpu, &v, x, &mut out);
                close(&out[..n], &plain::scores(&v, x))
            })
        })
    }
    quickcheck(property as fn(Case) -> bool);
}

#[test]
fn steps_match_the_plain_twins() {
    fn property(case: Case) -> bool {
        let c = &case.c();
        on_both_forms(&case, |x| {
            let (mut fast, mut slow) = (case.v(), case.v());
            rank_one(Cpu::detect(), &mut fast, x, c);
            plain::rank_one(&mut slow, x, c);
            let mut agrees = close(&entries(&fast), &entries(&slow));

            let mut fast_acc = Columns::zeros(fast.actions(), fast.len());
            let mut slow_acc = fast_acc.clone();
            for _ in 0..3 {
                let hyper = (0.1, 1e-10, 1.75);
                let a = adagrad_step(Cpu::detect(), &mut fast, &mut fast_acc, x, c, hyper);
                let b = plain::adagrad_step(&mut slow, &mut slow_acc, x, c, hyper);
                agrees &= close(&[a.dot, a.norm2], &[b.dot, b.norm2]);
                agrees &= close(&entries(&fast), &entries(&slow));
                agrees &= close(&entries(&fast_acc), &entries(&slow_acc));
            }
            agrees
        })
    }
    quickcheck(property as fn(Case) -> bool);
}

/// One pass gives the bits of two, whatever the step and the input that follows it.
#[test]
fn one_pass_is_two_passes() {
    fn property(case: Case, shift: i8) -> bool {
        let (before, c) = (case.dense(), case.c());
        let x: Vec<f64> = before.iter().map(|v| v * 0.5 - f64::from(shift) / 64.0).collect();
        [Cpu::detect(), Cpu::portable()].into_iter().all(|cpu| {
            let (mut one, mut two) = (case.v(), case.v());
            let (mut out, mut expected) = (vec![f64::NAN; one.lanes()], vec![0.0; one.lanes()]);
            rank_one_then_scores(cpu, &mut one, (&before, &c), &x, &mut out);
            rank_one(cpu, &mut two, Features::Dense(&before), &c);
            scores(cpu, &two, Features::Dense(&x), &mut expected);
            let bits = |values: &[f64]| values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
            bits(&out) == bits(&expected) && bits(&entries(&one)) == bits(&entries(&two))
        })
    }
    quickcheck(property as fn(Case, i8) -> bool);
}

/// All of a question in one kernel gives the bits of its parts: step, scores, copy, choice.
#[test]
fn a_question_is_its_parts() {
    fn property(case: Case, few: bool, stepping: bool, (experts, available): (u8, u16)) -> bool {
        // Mostly as many actions and features as there are kernels of one piece for.
        let case = case.with_actions(2 + (case.actions - 2) % 11);
        let case = if few { case.with_features(1 + (case.columns.len() - 2) % 5) } else { case };
        let experts = usize::from(experts) % (case.actions - 1);
        let space = ActionSpace::new(case.actions - experts, experts).unwrap();
        let active = space.active((0..experts).filter(|j| available >> j & 1 == 1)).unwrap();
        let (dense, c) = (case.dense(), case.c());
        let before: Vec<f64> = dense.iter().map(|v| v * 0.5 - 0.25).collect();
        let agrees = |cpu: Cpu, x: Features<'_>, step: Option<(&[f64], &[f64])>| {
            let (mut one, mut parts) = (case.v(), case.v());
            let lanes = one.lanes();
            let (mut copy, mut parts_copy) = (Vec::new(), vec![1.0; 7]);
            let (mut out, mut parts_out) = (vec![f64::NAN; lanes], vec![0.0; lanes]);
            let (mut chosen, mut parts_chosen) = (Chosen::new(lanes), Chosen::new(lanes));
            let asked = Asked {
                v: (&mut one, 0.5),
                step,
                x: x.values(),
                copy: &mut copy,
                scores: &mut out,
                active: &active,
                gamma: 0.25,
                chosen: &mut chosen,
            };
            let sparse = match x {
                Features::Sparse(row) => Some(row),
                Features::Dense(_) => None,
            };
            let squares = score_and_choose(cpu, asked, sparse);
            if let Some((before, c)) = step {
                rank_one(cpu, &mut parts, Features::Dense(before), c);
            }
            scores(cpu, &parts, x, &mut parts_out);
            let parts_squares = copy_and_square(cpu, x.values(), &mut parts_copy);
            choose(cpu, (&parts_out, 0.5), &active, 0.25, &mut parts_chosen);
            let bits = |values: &[f64]| values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
            bits(&[squares]) == bits(&[parts_squares])
                && bits(&copy) == bits(&parts_copy)
                && bits(&out) == bits(&parts_out)
                && bits(&entries(&one)) == bits(&entries(&parts))
                && chosen.greedy == parts_chosen.greedy
                && bits(&chosen.u) == bits(&parts_chosen.u)
                && bits(&chosen.q) == bits(&parts_chosen.q)
        };
        let step = stepping.then_some((&before[..], &c[..]));
        [Cpu::detect(), Cpu::portable()].into_iter().all(|cpu| {
            agrees(cpu, Features::Dense(&dense), step) && agrees(cpu, case.sparse(), None)
        })
    }
    quickcheck(property as fn(Case, bool, bool, (u8, u16)) -> bool);
}

#[test]
fn norms_match_the_plain_twins() {
    fn property(case: Case, longer: u8) -> bool {
        let (v, mut halved) = (case.v(), case.v());
        rescale(Cpu::detect(), &mut halved, 0.5);
        let expected = plain::norm2(&v);
        let mut copy = vec![f64::NAN; usize::from(longer % 50)];
        let squares: f64 = case.values.iter().map(|v| v * v).sum();
        close(&[norm2(Cpu::detect(), &v)], &[expected])
            && close(&[4.0 * norm2(Cpu::portable(), &halved)], &[expected])
            && close(&[copy_and_square(Cpu::detect(), &case.values, &mut copy)], &[squares])
            && copy == case.values
    }
    quickcheck(property as fn(Case, u8) -> bool);
}

#[test]
fn both_paths_give_the_same_bits() {
    fn property(case: Case) -> bool {
        let c = &case.c();
        let run = |cpu: Cpu, x: Features<'_>| {
            let mut v = case.v();
            let mut acc = Columns::zeros(v.actions(), v.len());
            let mut out = vec![0.0; v.lanes()];
            scores(cpu, &v, x, &mut out);
            rank_one(cpu, &mut v, x, c);
            let motion = adagrad_step(cpu, &mut v, &mut acc, x, c, (0.3, 1e-10, 1.0));
            rescale(cpu, &mut v, 0.7);
            out.extend([motion.dot, motion.norm2, norm2(cpu, &v)]);
            out.push(copy_and_square(cpu, x.values(), &mut Vec::new()));
            out.extend(entries(&v));
            out.into_iter().map(f64::to_bits).collect::<Vec<_>>()
        };
        on_both_forms(&case, |x| run(Cpu::detect(), x) == run(Cpu::portable(), x))
    }
    quickcheck(property as fn(Case) -> bool);
}

/// Rows that no kernel is compiled for: scores and AdaGrad's step as the plain twins have them.
#[test]
fn more_rows_than_kernels_are_compiled_for() {
    let (indices, values) = ([0, 2, 3], [0.5, -1.25, 2.0]);
    let dense = [0.5, 0.0, -1.25, 2.0, 0.25];
    let sparse = Features::from(SparseRow::new(5, &indices, &values).unwrap());
    for actions in [129, 130, 200, 4096] {
        let number = |i: usize| ((i * 37 + 11) % 101) as f64 / 50.0 - 1.0;
        let mut v = Columns::zeros(actions, 6);
        for j in 0..6 {
            let column = v.column_mut(j).iter_mut().enumerate();
            column.for_each(|(a, entry)| *entry = number(a * 6 + j));
        }
        let mut g: Vec<f64> = (0..v.lanes()).map(|a| number(a + 3)).collect();
        // A four without coefficients, and the padding.
        g[8..12].fill(0.0);
        g[actions..].fill(0.0);
        for x in [Features::Dense(&dense), sparse] {
            let mut out = vec![f64::NAN; v.lanes()];
            scores(Cpu::detect(), &v, x, &mut out);
            for (fast, plain) in out.iter().zip(plain::scores(&v, x)) {
                assert!((fast - plain).abs() < 1e-12);
            }
            let (mut a, mut b) = (v.clone(), v.clone());
            let (mut a_squares, mut b_squares) =
                (Columns::zeros(actions, 6), Columns::zeros(actions, 6));
            for _ in 0..2 {
                let hyper = (0.3, 1e-10, 1.0);
                let fast = adagrad_step(Cpu::detect(), &mut a, &mut a_squares, x, &g, hyper);
                let plain = plain::adagrad_step(&mut b, &mut b_squares, x, &g, hyper);
                assert!((fast.norm2 - plain.norm2).abs() < 1e-9 * plain.norm2);
            }
            for j in 0..6 {
                let close = |(a, b): (&f64, &f64)| (a - b).abs() < 1e-12;
                assert!(a.column(j).iter().zip(b.column(j)).all(close), "{actions} {j}");
                assert!(a_squares.column(j).iter().zip(b_squares.column(j)).all(close));
            }
        }
    }
}
