//! What each expert is like on average, and what the pool of them is like.
//!
//! An expert's mean reward is shrunk towards the mean of the pool, the more so the less it was asked
//! (empirical Bayes with one normal layer):
//!
//! ```text
//! mean_j = (n_j m_j + k mu) / (n_j + k),    k = sigma^2 / tau^2
//! sd_j   = tau sqrt(k / (n_j + k))
//! ```
//!
//! with `m_j` the plain mean over `n_j` rewards, `mu` the pool's mean, `sigma^2` the variance of a
//! reward around its expert's mean and `tau^2` the variance of experts around `mu`, by the method of
//! moments. An expert never asked is worth `mu`, give or take `tau`: what the pool is like, with the
//! pool's uncertainty. Under forgetting counts fade, and whoever was not asked for long becomes an
//! expert never asked.

use serde::{Deserialize, Serialize};

/// Counts and sums of one expert, and what it costs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Member {
    n: f64,
    sum: f64,
    squares: f64,
    cost: f64,
    /// Whether the cost was told rather than met.
    told: bool,
}

/// All experts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Pool {
    members: Vec<Member>,
    #[serde(skip)]
    pub(super) prior: Prior,
}

/// What the pool is like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Prior {
    /// `mu`
    pub(super) mean: f64,
    /// `tau`
    pub(super) sd: f64,
    /// `k`: how many observations the prior is worth.
    pub(super) strength: f64,
}

/// Before anything is known: worth 1/2, give or take a quarter, at the variance of a coin.
const AT_FIRST: Prior = Prior { mean: 0.5, sd: 0.25, strength: 4.0 };
/// How many experts the belief of [`AT_FIRST`] counts for.
const AT_FIRST_EXPERTS: f64 = 1.0;
/// Experts are never taken for all alike, nor a reward for certain.
const LEAST: (f64, f64) = (0.02, 0.05);

impl Default for Prior {
    fn default() -> Self {
        AT_FIRST
    }
}

impl Pool {
    pub(super) fn new(experts: usize) -> Self {
        Pool { members: vec![Member::default(); experts], prior: AT_FIRST }
    }

    pub(super) fn len(&self) -> usize {
        self.members.len()
    }

    pub(super) fn grow(&mut self, experts: usize) {
        self.members.resize(experts, Member::default());
    }

    /// Whether every number can be true.
    pub(super) fn is_sound(&self) -> bool {
        self.members.iter().all(|m| {
            let numbers = [m.n, m.sum, m.squares, m.cost];
            numbers.iter().all(|v| v.is_finite() && *v >= 0.0) && m.sum <= m.n + 1e-9
        })
    }

    /// What an expert is worth on average.
    pub(super) fn mean(&self, expert: usize) -> f64 {
        let Member { n, sum, .. } = self.members[expert];
        let Prior { mean, strength, .. } = self.prior;
        (sum + strength * mean) / (n + strength)
    }

    /// How uncertain that is.
    pub(super) fn sd(&self, expert: usize) -> f64 {
        let Prior { sd, strength, .. } = self.prior;
        sd * (strength / (self.members[expert].n + strength)).sqrt()
    }

    /// What an expert costs on average, in the user's own unit.
    pub(super) fn cost(&self, expert: usize) -> f64 {
        self.members[expert].cost
    }

    /// One round passes: what is known counts for a little less.
    pub(super) fn fade(&mut self, keep: f64) {
        for member in &mut self.members {
            member.n *= keep;
            member.sum *= keep;
            member.squares *= keep;
        }
    }

    /// An expert earned `reward` and cost `cost`.
    pub(super) fn learn(&mut self, expert: usize, reward: f64, cost: f64) {
        let member = &mut self.members[expert];
        member.n += 1.0;
        member.sum += reward;
        member.squares += reward * reward;
        if !member.told {
            member.cost += (cost - member.cost) / member.n;
        }
        self.refresh();
    }

    /// An expert is somebody new. What it costs stays.
    pub(super) fn forget(&mut self, expert: usize) {
        let Member { cost, told, .. } = self.members[expert];
        self.members[expert] = Member { cost, told, ..Member::default() };
        self.refresh();
    }

    /// The cost of an expert is known beforehand.
    pub(super) fn tell_cost(&mut self, expert: usize, cost: f64) {
        (self.members[expert].cost, self.members[expert].told) = (cost, true);
    }

    /// Works out the prior from the members.
    pub(super) fn refresh(&mut self) {
        let (mut n, mut n2, mut sum, mut squares, mut asked) = (0.0, 0.0, 0.0, 0.0, 0.0);
        let mut between = 0.0;
        for m in self.members.iter().filter(|m| m.n > 0.0) {
            n += m.n;
            n2 += m.n * m.n;
            sum += m.sum;
            squares += m.squares;
            between += m.sum * m.sum / m.n;
            asked += m.n.min(1.0);
        }
        let first = AT_FIRST.strength;
        let mean = (sum + first * AT_FIRST.mean) / (n + first);
        // Sums of squares within and between experts, and what the latter is expected to be.
        let coin = 0.25;
        let within = (squares - between).max(0.0);
        let variance = (within + first * coin) / ((n - asked).max(0.0) + first);
        let about = if n > 0.0 { (between - sum * sum / n).max(0.0) } else { 0.0 };
        let spread = if n > 0.0 { (n - n2 / n).max(0.0) } else { 0.0 };
        let sd2 = AT_FIRST.sd * AT_FIRST.sd;
        let excess = (about - (asked - 1.0).max(0.0) * variance).max(0.0);
        // The first belief weighs like experts asked so often that their means are known.
        let weight = AT_FIRST_EXPERTS * if asked > 0.0 { (n / asked).max(1.0) } else { 1.0 };
        let sd = ((excess + weight * sd2) / (spread + weight)).sqrt().max(LEAST.0);
        let variance = variance.max(LEAST.1 * LEAST.1);
        self.prior = Prior { mean, sd, strength: variance / (sd * sd) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(rewards: &[(usize, u32, u32)]) -> Pool {
        let mut pool = Pool::new(rewards.len() + 1);
        for &(expert, right, of) in rewards {
            for i in 0..of {
                pool.learn(expert, f64::from(u8::from(i < right)), 0.0);
            }
        }
        pool
    }

    #[test]
    fn somebody_new_is_like_the_pool() {
        let alike = asked(&[(0, 80, 100), (1, 81, 100), (2, 79, 100), (3, 80, 100)]);
        let apart = asked(&[(0, 10, 100), (1, 90, 100), (2, 50, 100), (3, 95, 100)]);
        assert!((alike.mean(4) - 0.8).abs() < 0.02 && (apart.mean(4) - 0.61).abs() < 0.02);
        assert!(alike.sd(4) < 0.16 && apart.sd(4) > 0.25, "{} {}", alike.sd(4), apart.sd(4));
        // Who was asked a hundred times is known.
        assert!((apart.mean(3) - 0.95).abs() < 0.02 && apart.sd(3) < 0.06);
    }

    #[test]
    fn the_first_belief_by_hand() {
        let pool = Pool::new(2);
        assert_eq!((pool.mean(0), pool.sd(1), pool.prior.strength), (0.5, 0.25, 4.0));
        assert_eq!(pool.len(), 2);
    }

    #[test]
    fn who_was_not_asked_for_long_is_new_again() {
        let mut pool = asked(&[(0, 5, 100), (1, 95, 100)]);
        assert!(pool.mean(0) < 0.1);
        for _ in 0..100 {
            pool.fade(0.9);
        }
        pool.refresh();
        assert!(pool.members[0].n < 1e-2 && pool.mean(0) > 0.4 && pool.is_sound());
    }

    #[test]
    fn costs_are_means_until_they_are_known() {
        let mut pool = Pool::new(1);
        pool.learn(0, 1.0, 2.0);
        pool.learn(0, 1.0, 4.0);
        assert_eq!(pool.cost(0), 3.0);
        pool.tell_cost(0, 7.0);
        pool.learn(0, 1.0, 1.0);
        assert_eq!(pool.cost(0), 7.0);
    }
}
