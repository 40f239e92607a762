//! Exact numbers for checks: small random fractions, vertices, grids, and the objects of the paper
//! written once more in rationals.

use crate::theory::{Rational, ratio};
use num_traits::{One, Zero};
use rand::RngExt;
use rand_pcg::Pcg64;
use serde_json::{Value, json};

/// A fraction with a small denominator in `[low, high]`.
pub(crate) fn random(rng: &mut Pcg64, low: i64, high: i64) -> Rational {
    let denominator = rng.random_range(1..=6i64);
    ratio(rng.random_range(low * denominator..=high * denominator), denominator)
}

/// A vector of them.
pub(crate) fn random_vec(rng: &mut Pcg64, len: usize, low: i64, high: i64) -> Vec<Rational> {
    (0..len).map(|_| random(rng, low, high)).collect()
}

/// A distribution over `len` outcomes with a small common denominator; zeros are frequent.
pub(crate) fn random_distribution(rng: &mut Pcg64, len: usize) -> Vec<Rational> {
    loop {
        let parts: Vec<i64> = (0..len).map(|_| rng.random_range(-2..6i64).max(0)).collect();
        let total: i64 = parts.iter().sum();
        if total > 0 {
            return parts.iter().map(|&part| ratio(part, total)).collect();
        }
    }
}

/// All `0/1` vectors of length `len`: the vertices of the cube.
pub(crate) fn cube(len: usize) -> impl Iterator<Item = Vec<Rational>> {
    (0..1usize << len).map(move |bits| (0..len).map(|i| bit(bits >> i & 1 == 1)).collect())
}

/// 0 or 1.
pub(crate) fn bit(set: bool) -> Rational {
    if set { Rational::one() } else { Rational::zero() }
}

/// The unit vector `e_i`.
pub(crate) fn unit(len: usize, i: usize) -> Vec<Rational> {
    (0..len).map(|j| bit(i == j)).collect()
}

/// `sum_i a_i b_i`.
pub(crate) fn dot(a: &[Rational], b: &[Rational]) -> Rational {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Subtracts the mean.
pub(crate) fn centred(values: &[Rational]) -> Vec<Rational> {
    let mean = values.iter().sum::<Rational>() / integer(values.len());
    values.iter().map(|v| v - &mean).collect()
}

/// First position of the largest value.
pub(crate) fn argmax(values: &[Rational]) -> usize {
    (1..values.len()).fold(0, |best, i| if values[i] > values[best] { i } else { best })
}

/// A count as a rational.
pub(crate) fn integer(n: usize) -> Rational {
    Rational::from_integer(n.into())
}

/// `"p/q"` strings for a witness.
pub(crate) fn show(values: &[Rational]) -> Value {
    json!(values.iter().map(Rational::to_string).collect::<Vec<_>>())
}

/// The law of a round in exact numbers: `p` over the classes, `c[j][y]` for every available expert.
#[derive(Clone, Debug)]
pub(super) struct ExactLaw {
    pub p: Vec<Rational>,
    pub c: Vec<Vec<Rational>>,
}

impl ExactLaw {
    /// Random label law and costs.
    pub(crate) fn random(rng: &mut Pcg64, classes: usize, experts: usize) -> Self {
        let p = random_distribution(rng, classes);
        let c = (0..experts).map(|_| random_vec(rng, classes, 0, 1)).collect();
        ExactLaw { p, c }
    }

    /// Every law whose label is certain and whose costs are 0 or 1. What is affine in `p` and in
    /// each cost and holds for these holds for all.
    pub(crate) fn vertices(classes: usize, experts: usize) -> impl Iterator<Item = ExactLaw> {
        cube(classes * experts).flat_map(move |costs| {
            (0..classes).map(move |y| ExactLaw {
                p: unit(classes, y),
                c: costs.chunks(classes.max(1)).map(<[Rational]>::to_vec).collect(),
            })
        })
    }

    /// `K`.
    pub(crate) fn actions(&self) -> usize {
        self.p.len() + self.c.len()
    }

    /// `s`: label probabilities, then `1 - sum_y p_y c_j(y)`.
    pub(crate) fn scores(&self) -> Vec<Rational> {
        let expert = |c: &Vec<Rational>| Rational::one() - dot(&self.p, c);
        self.p.iter().cloned().chain(self.c.iter().map(expert)).collect()
    }

    /// `ell_def` of action `a` at label `y` (Def. 4.1).
    pub(crate) fn loss(&self, a: usize, y: usize) -> Rational {
        match a.checked_sub(self.p.len()) {
            None => bit(a != y),
            Some(j) => self.c[j][y].clone(),
        }
    }

    /// For a witness.
    pub(crate) fn show(&self) -> Value {
        json!({ "p": show(&self.p), "c": self.c.iter().map(|c| show(c)).collect::<Vec<_>>() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims::Context;
    use num_traits::Signed;

    #[test]
    fn random_objects_are_what_they_say() {
        let mut rng = Context::default().rng("exact");
        for _ in 0..200 {
            let law = ExactLaw::random(&mut rng, 3, 2);
            assert!(law.p.iter().sum::<Rational>().is_one());
            assert!(law.scores().iter().all(|s| !s.is_negative() && *s <= Rational::one()));
            let u = centred(&random_vec(&mut rng, 4, -3, 3));
            assert!(u.iter().sum::<Rational>().is_zero());
        }
        assert_eq!(ExactLaw::vertices(2, 1).count(), 4 * 2);
        assert_eq!(cube(3).count(), 8);
        assert_eq!(argmax(&[ratio(1, 2), ratio(3, 4), ratio(3, 4)]), 1);
    }
}
