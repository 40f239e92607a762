//! The fast kernels against their plain twins, and one instruction set against the other.

use super::*;
use problem::{Features, SparseRow};
use quickcheck::quickcheck;

/// A matrix, a sparse input and lane coefficients with mixed signs and sizes, from one seed.
struct Case {
    v: Columns,
    indices: Vec<u32>,
    values: Vec<f64>,
    c: Vec<f64>,
}

fn case(seed: u64) -> Case {
    use rand::{RngExt, SeedableRng};
    let mut rng = rand_pcg::Pcg64::seed_from_u64(seed);
    let actions = rng.random_range(2..=128);
    let dim = rng.random_range(1..40);
    let mut v = Columns::zeros(actions, dim + 1);
    for j in 0..=dim {
        v.column_mut(j).fill_with(|| rng.random_range(-2.0..2.0));
    }
    let indices: Vec<u32> = (0..dim as u32).filter(|_| rng.random_bool(0.6)).collect();
    let values = indices.iter().map(|_| rng.random_range(-3.0..3.0)).collect();
    let mut c = vec![0.0; v.lanes()];
    c[..actions].fill_with(|| rng.random_range(-1.0..1.0));
    Case { v, indices, values, c }
}

impl Case {
    fn sparse(&self) -> Features<'_> {
        let dim = self.v.len() - 1;
        SparseRow::new(dim, &self.indices, &self.values).unwrap().into()
    }

    fn dense(&self) -> Vec<f64> {
        let mut x = vec![0.0; self.v.len() - 1];
        self.sparse().for_each(|j, value| x[j] = value);
        x
    }
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
    fn property(seed: u64) -> bool {
        let case = case(seed);
        let n = case.v.actions();
        on_both_forms(&case, |x| {
            [Cpu::detect(), Cpu::portable()].into_iter().all(|cpu| {
                let mut out = vec![f64::NAN; case.v.lanes()];
                scores(cpu, &case.v, x, &mut out);
                close(&out[..n], &plain::scores(&case.v, x))
            })
        })
    }
    quickcheck(property as fn(u64) -> bool);
}

#[test]
fn steps_match_the_plain_twins() {
    fn property(seed: u64) -> bool {
        let case = case(seed);
        on_both_forms(&case, |x| {
            let (mut fast, mut slow) = (case.v.clone(), case.v.clone());
            rank_one(Cpu::detect(), &mut fast, x, &case.c);
            plain::rank_one(&mut slow, x, &case.c);
            let mut agrees = close(&entries(&fast), &entries(&slow));

            let mut fast_acc = Columns::zeros(case.v.actions(), case.v.len());
            let mut slow_acc = fast_acc.clone();
            for _ in 0..3 {
                let hyper = (0.1, 1e-10, 1.75);
                let c = &case.c;
                let a = adagrad_step(Cpu::detect(), &mut fast, &mut fast_acc, x, c, hyper);
                let b = plain::adagrad_step(&mut slow, &mut slow_acc, x, c, hyper);
                agrees &= close(&[a.dot, a.norm2], &[b.dot, b.norm2]);
                agrees &= close(&entries(&fast), &entries(&slow));
                agrees &= close(&entries(&fast_acc), &entries(&slow_acc));
            }
            agrees
        })
    }
    quickcheck(property as fn(u64) -> bool);
}

/// One pass gives the bits of two, whatever the step and the input that follows it.
#[test]
fn one_pass_is_two_passes() {
    fn property(seed: u64) -> bool {
        let (case, next) = (case(seed), seed.rotate_left(17) | 1);
        let before = case.dense();
        let x: Vec<f64> = before.iter().map(|v| v * 0.5 - (next % 97) as f64 / 64.0).collect();
        [Cpu::detect(), Cpu::portable()].into_iter().all(|cpu| {
            let (mut one, mut two) = (case.v.clone(), case.v.clone());
            let (mut out, mut expected) = (vec![f64::NAN; one.lanes()], vec![0.0; one.lanes()]);
            rank_one_then_scores(cpu, &mut one, (&before, &case.c), &x, &mut out);
            rank_one(cpu, &mut two, Features::Dense(&before), &case.c);
            scores(cpu, &two, Features::Dense(&x), &mut expected);
            let bits = |values: &[f64]| values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
            bits(&out) == bits(&expected) && bits(&entries(&one)) == bits(&entries(&two))
        })
    }
    quickcheck(property as fn(u64) -> bool);
}

#[test]
fn norms_match_the_plain_twins() {
    fn property(seed: u64) -> bool {
        let case = case(seed);
        let mut halved = case.v.clone();
        rescale(Cpu::detect(), &mut halved, 0.5);
        let expected = plain::norm2(&case.v);
        let mut copy = vec![f64::NAN; (seed % 50) as usize];
        let squares: f64 = case.values.iter().map(|v| v * v).sum();
        close(&[norm2(Cpu::detect(), &case.v)], &[expected])
            && close(&[4.0 * norm2(Cpu::portable(), &halved)], &[expected])
            && close(&[copy_and_square(Cpu::detect(), &case.values, &mut copy)], &[squares])
            && copy == case.values
    }
    quickcheck(property as fn(u64) -> bool);
}

#[test]
fn both_paths_give_the_same_bits() {
    fn property(seed: u64) -> bool {
        let case = case(seed);
        let run = |cpu: Cpu, x: Features<'_>| {
            let mut v = case.v.clone();
            let mut acc = Columns::zeros(v.actions(), v.len());
            let mut out = vec![0.0; v.lanes()];
            scores(cpu, &v, x, &mut out);
            rank_one(cpu, &mut v, x, &case.c);
            let motion = adagrad_step(cpu, &mut v, &mut acc, x, &case.c, (0.3, 1e-10, 1.0));
            rescale(cpu, &mut v, 0.7);
            out.extend([motion.dot, motion.norm2, norm2(cpu, &v)]);
            out.push(copy_and_square(cpu, x.values(), &mut Vec::new()));
            out.extend(entries(&v));
            out.into_iter().map(f64::to_bits).collect::<Vec<_>>()
        };
        on_both_forms(&case, |x| run(Cpu::detect(), x) == run(Cpu::portable(), x))
    }
    quickcheck(property as fn(u64) -> bool);
}
