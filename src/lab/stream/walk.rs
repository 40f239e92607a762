//! Things that drift: reflected random walks and Brownian bridges, with the same bits everywhere.

use rand::{Rng, RngExt};
use serde::{Deserialize, Serialize};

/// What happens at the ends of `[0, 1]`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Boundary {
    /// The part that would leave is folded back.
    #[default]
    Reflect,
    /// The value stays at the end it reached.
    Clip,
}

impl Boundary {
    /// `value` brought into `[0, 1]`.
    #[inline]
    #[must_use]
    pub(super) fn apply(self, value: f64) -> f64 {
        match self {
            Boundary::Clip => value.clamp(0.0, 1.0),
            Boundary::Reflect if (0.0..=1.0).contains(&value) => value,
            Boundary::Reflect => {
                let folded = value - 2.0 * (value / 2.0).floor();
                if folded > 1.0 { 2.0 - folded } else { folded }
            }
        }
    }
}

/// Standard normal draws by the polar method. The logarithm is libm's, so that the draws are the
/// same on every machine, which those of `rand_distr` need not be.
#[derive(Clone, Debug, Default)]
pub struct Normal {
    spare: Option<f64>,
}

impl Normal {
    /// The next draw.
    #[inline]
    pub fn draw(&mut self, rng: &mut impl Rng) -> f64 {
        if let Some(z) = self.spare.take() {
            return z;
        }
        loop {
            let u = 2.0 * rng.random::<f64>() - 1.0;
            let v = 2.0 * rng.random::<f64>() - 1.0;
            let s = u * u + v * v;
            if s < 1.0 && s > 0.0 {
                let factor = (-2.0 * libm::log(s) / s).sqrt();
                self.spare = Some(v * factor);
                return u * factor;
            }
        }
    }
}

/// Independent walks in `[0, 1]`: every step adds `N(0, sigma^2)` and applies the boundary.
#[derive(Clone, Debug)]
pub(super) struct Walks {
    values: Vec<f64>,
    sigma: f64,
    boundary: Boundary,
    normal: Normal,
}

impl Walks {
    /// Walks that start at `values`.
    #[must_use]
    pub(super) fn new(values: Vec<f64>, sigma: f64, boundary: Boundary) -> Self {
        Walks { values, sigma, boundary, normal: Normal::default() }
    }

    /// Where they are.
    #[inline]
    #[must_use]
    pub(super) fn values(&self) -> &[f64] {
        &self.values
    }

    /// One step of each. Walks that cannot move draw nothing.
    #[inline]
    pub(super) fn step(&mut self, rng: &mut impl Rng) {
        if self.sigma == 0.0 {
            return;
        }
        for value in &mut self.values {
            *value = self.boundary.apply(*value + self.sigma * self.normal.draw(rng));
        }
    }
}

/// A Brownian bridge from `start` to `end` over `length` steps, read through the boundary.
///
/// # Formula
/// ```text
/// X_{t+1} = X_t + (end - X_t)/(L - t) + sigma sqrt((L - t - 1)/(L - t)) Z,   X_0 = start, X_L = end
/// ```
/// The free bridge is kept and folded only when read: folding in between would bend its law.
#[derive(Clone, Debug)]
pub(super) struct Bridge {
    free: f64,
    end: f64,
    sigma: f64,
    left: u64,
    boundary: Boundary,
}

impl Bridge {
    /// A bridge at its start.
    #[must_use]
    pub(super) fn new(start: f64, end: f64, length: u64, sigma: f64, boundary: Boundary) -> Self {
        let free = if length == 0 { end } else { start };
        Bridge { free, end, sigma, left: length, boundary }
    }

    /// One step; past its end the bridge stays there and draws nothing.
    #[inline]
    pub(super) fn step(&mut self, normal: &mut Normal, rng: &mut impl Rng) {
        match self.left {
            0 => return,
            1 => self.free = self.end,
            left => {
                let left = left as f64;
                let spread = self.sigma * ((left - 1.0) / left).sqrt();
                self.free += (self.end - self.free) / left + spread * normal.draw(rng);
            }
        }
        self.left -= 1;
    }

    /// The value now, in `[0, 1]`.
    #[inline]
    #[must_use]
    pub(super) fn value(&self) -> f64 {
        self.boundary.apply(self.free)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand_pcg::Pcg64;

    #[test]
    fn boundaries_by_hand() {
        let reflect = [-0.25, 0.0, 0.5, 1.0, 1.25, 2.5, -2.25].map(|v| Boundary::Reflect.apply(v));
        assert_eq!(reflect, [0.25, 0.0, 0.5, 1.0, 0.75, 0.5, 0.25]);
        assert_eq!([-0.25, 0.5, 1.25].map(|v| Boundary::Clip.apply(v)), [0.0, 0.5, 1.0]);
    }

    /// Mean and variance of 200,000 draws within 5 standard errors (false alarm below 2e-6), and
    /// the share beyond 1.96 as it should be.
    #[test]
    fn normal_draws_have_the_right_moments() {
        let mut rng = Pcg64::seed_from_u64(1);
        let (mut normal, n) = (Normal::default(), 200_000);
        let draws: Vec<f64> = (0..n).map(|_| normal.draw(&mut rng)).collect();
        let n = n as f64;
        let mean = draws.iter().sum::<f64>() / n;
        let variance = draws.iter().map(|z| z * z).sum::<f64>() / n;
        let tail = draws.iter().filter(|z| z.abs() > 1.959964).count() as f64 / n;
        assert!(mean.abs() < 5.0 / n.sqrt(), "{mean}");
        assert!((variance - 1.0).abs() < 5.0 * (2.0 / n).sqrt(), "{variance}");
        assert!((tail - 0.05).abs() < 5.0 * (0.05 * 0.95 / n).sqrt(), "{tail}");
    }

    #[test]
    fn a_reflected_walk_leaves_the_boundary_and_a_clipped_one_sticks() {
        let run = |boundary| {
            let mut rng = Pcg64::seed_from_u64(2);
            let mut walks = Walks::new(vec![0.0, 1.0], 0.05, boundary);
            let mut at_end = 0;
            for _ in 0..2000 {
                walks.step(&mut rng);
                for &v in walks.values() {
                    assert!((0.0..=1.0).contains(&v));
                    at_end += usize::from(v == 0.0 || v == 1.0);
                }
            }
            at_end
        };
        assert_eq!(run(Boundary::Reflect), 0);
        assert!(run(Boundary::Clip) > 20);
        let mut rng = Pcg64::seed_from_u64(3);
        let before = rng.clone();
        Walks::new(vec![0.3], 0.0, Boundary::Reflect).step(&mut rng);
        assert_eq!(rng, before);
    }

    /// Ends exactly, and has the bridge's variance sigma^2 t (L - t)/L half-way: 4,000 free bridges,
    /// relative error of a variance sqrt(2/4000) = 0.022, allowed five times that.
    #[test]
    fn bridges_end_where_they_must_with_the_right_spread() {
        let (length, sigma, paths) = (64, 0.002, 4000);
        let mut rng = Pcg64::seed_from_u64(4);
        let mut normal = Normal::default();
        let mut squares = 0.0;
        for _ in 0..paths {
            let mut bridge = Bridge::new(0.4, 0.6, length, sigma, Boundary::Reflect);
            for t in 1..=length {
                bridge.step(&mut normal, &mut rng);
                if t == length / 2 {
                    squares += (bridge.value() - 0.5).powi(2);
                }
            }
            assert_eq!(bridge.value(), 0.6);
            bridge.step(&mut normal, &mut rng);
            assert_eq!(bridge.value(), 0.6);
        }
        let expected = sigma * sigma * length as f64 / 4.0;
        let ratio = squares / paths as f64 / expected;
        assert!((ratio - 1.0).abs() < 5.0 * 0.0224, "{ratio}");
    }
}
