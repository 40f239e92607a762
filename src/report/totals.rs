//! Summaries of stored runs: any mean, share or window is a difference or a quotient of running totals.
//! What does not exist (no round, no such expert, no law) is not a number.

use lab::experiment::{Series, Trace};

/// A running total that a [`Series`] or a [`Trace`] holds or implies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Total {
    /// All rounds.
    Rounds,
    /// Normalized cost.
    Loss,
    /// Right final answers.
    Right,
    /// Rounds in which expert `j` was asked.
    Asked(usize),
    /// Those in which it was right.
    AskedRight(usize),
    /// Rounds in which any expert was asked.
    AnyAsked,
    /// Those in which it was right.
    AnyAskedRight,
    /// Rounds answered with a class.
    Own,
    /// Those in which it was right.
    OwnRight,
    /// Conditional expectation of the cost; only where the law is known, like the next two.
    Risk,
    /// Regret against the best action of each round.
    Excess,
    /// The part of it that exploration costs.
    Exploration,
    /// Rewards; only where there are grades, like the next.
    Reward,
    /// Prices, in the unit of the stream.
    Price,
    /// Rounds in which expert `j` was available. Of a trace, like the rest.
    Available(usize),
    /// Rounds in which its answer was, or would have been, right.
    Knew(usize),
    /// What it earns in the rounds in which it is available.
    Earned(usize),
    /// What it takes for that.
    Paid(usize),
}

/// Running totals at checkpoints.
pub(crate) trait Totals {
    /// The checkpoints.
    fn checkpoints(&self) -> &[u64];

    /// Experts of the stream.
    fn experts(&self) -> usize;

    /// A total at checkpoint `i`.
    fn at(&self, what: Total, i: usize) -> Option<f64>;

    /// A total at every checkpoint.
    fn totals(&self, what: Total) -> Vec<f64> {
        (0..self.checkpoints().len()).map(|i| self.at(what, i).unwrap_or(f64::NAN)).collect()
    }

    /// A total at the end.
    fn total(&self, what: Total) -> f64 {
        let end = self.checkpoints().len().checked_sub(1);
        end.and_then(|i| self.at(what, i)).unwrap_or(f64::NAN)
    }

    /// One total divided by another, at the end.
    fn share(&self, what: Total, of: Total) -> f64 {
        self.total(what) / self.total(of)
    }

    /// A total per round, over all rounds.
    fn mean(&self, what: Total) -> f64 {
        self.share(what, Total::Rounds)
    }

    /// A total per round over rounds `1..=t`, at every checkpoint `t`.
    fn averages(&self, what: Total) -> Vec<f64> {
        let per_round = |(total, &t): (f64, &u64)| total / t as f64;
        self.totals(what).into_iter().zip(self.checkpoints()).map(per_round).collect()
    }

    /// One total divided by another between each checkpoint and the one before.
    fn windows(&self, what: Total, of: Total) -> Vec<f64> {
        let (above, below) = (self.totals(what), self.totals(of));
        let before = |v: &[f64], i: usize| if i == 0 { 0.0 } else { v[i - 1] };
        let one = |i| (above[i] - before(&above, i)) / (below[i] - before(&below, i));
        (0..above.len()).map(one).collect()
    }

    /// Rounds from the change in round `at` until the exact regret between two checkpoints is at most
    /// `level` a round; `None` if that never happens or the law is not known.
    fn rounds_to_recovery(&self, at: u64, level: f64) -> Option<u64> {
        let (t, windows) = (self.checkpoints(), self.windows(Total::Excess, Total::Rounds));
        let mut after = (1..t.len()).filter(|&i| t[i - 1] >= at);
        after.find(|&i| windows[i] <= level).map(|i| t[i] - at)
    }

    /// A total per round over the first and over the last tenth of the checkpoints.
    fn tenths(&self, what: Total) -> (f64, f64) {
        let (totals, t) = (self.totals(what), self.totals(Total::Rounds));
        let n = totals.len();
        if n == 0 {
            return (f64::NAN, f64::NAN);
        }
        let part = (n / 10).max(1);
        let first = totals[part - 1] / t[part - 1];
        let before = if part < n { (totals[n - 1 - part], t[n - 1 - part]) } else { (0.0, 0.0) };
        (first, (totals[n - 1] - before.0) / (t[n - 1] - before.1))
    }
}

impl Totals for Series {
    fn checkpoints(&self) -> &[u64] {
        &self.t
    }

    fn experts(&self) -> usize {
        self.asked.first().map_or(0, Vec::len)
    }

    fn at(&self, what: Total, i: usize) -> Option<f64> {
        let of = |rows: &[Vec<u64>], j: usize| rows.get(i)?.get(j).map(|&v| v as f64);
        let sum = |rows: &[Vec<u64>]| rows.get(i).map(|row| row.iter().sum::<u64>() as f64);
        match what {
            Total::Rounds => self.t.get(i).map(|&t| t as f64),
            Total::Loss => self.loss.get(i).copied(),
            Total::Right | Total::AskedRight(_) | Total::AnyAskedRight | Total::OwnRight
                if self.graded =>
            {
                None
            }
            Total::Right => self.right.get(i).map(|&r| r as f64),
            Total::Asked(j) => of(&self.asked, j),
            Total::AskedRight(j) => of(&self.asked_right, j),
            Total::AnyAsked => sum(&self.asked),
            Total::AnyAskedRight => sum(&self.asked_right),
            Total::Own => Some(self.at(Total::Rounds, i)? - sum(&self.asked)?),
            Total::OwnRight => Some(self.at(Total::Right, i)? - sum(&self.asked_right)?),
            Total::Risk => self.exact.as_ref()?.risk.get(i).copied(),
            Total::Excess => self.exact.as_ref()?.excess.get(i).copied(),
            Total::Exploration => self.exact.as_ref()?.exploration.get(i).copied(),
            Total::Reward => self.earnings.as_ref()?.reward.get(i).copied(),
            Total::Price => self.earnings.as_ref()?.price.get(i).copied(),
            Total::Available(_) | Total::Knew(_) | Total::Earned(_) | Total::Paid(_) => None,
        }
    }
}

impl Totals for Trace {
    fn checkpoints(&self) -> &[u64] {
        &self.t
    }

    fn experts(&self) -> usize {
        self.available.first().map_or(0, Vec::len)
    }

    fn at(&self, what: Total, i: usize) -> Option<f64> {
        let count = |rows: &[Vec<u64>], j: usize| rows.get(i)?.get(j).map(|&v| v as f64);
        match what {
            Total::Rounds => self.t.get(i).map(|&t| t as f64),
            Total::Available(j) => count(&self.available, j),
            Total::Knew(j) => count(&self.expert_right, j),
            Total::Earned(j) => self.earnings.as_ref()?.reward.get(i)?.get(j).copied(),
            Total::Paid(j) => self.earnings.as_ref()?.price.get(i)?.get(j).copied(),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lab::experiment::Exact;

    fn series() -> Series {
        Series {
            t: vec![10, 20],
            loss: vec![4.0, 6.0],
            right: vec![6, 15],
            asked: vec![vec![2, 1], vec![4, 1]],
            asked_right: vec![vec![1, 1], vec![3, 1]],
            graded: false,
            earnings: None,
            exact: Some(Exact {
                risk: vec![5.0, 8.0],
                excess: vec![3.0, 4.0],
                exploration: vec![1.0, 1.5],
            }),
        }
    }

    #[test]
    fn summaries_by_hand() {
        let s = series();
        assert_eq!((s.experts(), s.mean(Total::Loss), s.mean(Total::Right)), (2, 0.3, 0.75));
        assert_eq!(
            (s.mean(Total::Asked(0)), s.share(Total::AskedRight(0), Total::Asked(0))),
            (0.2, 0.75)
        );
        assert_eq!(
            (s.share(Total::AnyAskedRight, Total::AnyAsked), s.share(Total::OwnRight, Total::Own)),
            (0.8, 11.0 / 15.0)
        );
        assert_eq!((s.total(Total::Excess), s.mean(Total::Risk)), (4.0, 0.4));
        assert_eq!(s.averages(Total::Loss), [0.4, 0.3]);
        assert_eq!(s.windows(Total::Right, Total::Rounds), [0.6, 0.9]);
        assert_eq!(s.windows(Total::AskedRight(0), Total::Asked(0)), [0.5, 1.0]);
        assert_eq!(s.tenths(Total::Loss), (0.4, 0.2));
        // Nobody asked expert 1 in the second window.
        assert!(s.windows(Total::AskedRight(1), Total::Asked(1))[1].is_nan());
    }

    /// Regret per round 0.3, 0.1, 0.5, 0.2 between checkpoints: after round 20 the last is the first
    /// to be at most 0.2.
    #[test]
    fn recovery_by_hand() {
        let excess = vec![3.0, 4.0, 9.0, 11.0];
        let exact = Exact { risk: vec![0.0; 4], exploration: vec![0.0; 4], excess };
        let s = Series { t: vec![10, 20, 30, 40], exact: Some(exact), ..Series::default() };
        assert_eq!(s.rounds_to_recovery(20, 0.2), Some(20));
        assert_eq!(s.rounds_to_recovery(10, 0.2), Some(10));
        assert_eq!(s.rounds_to_recovery(20, 0.1), None);
        assert_eq!(series().rounds_to_recovery(15, 1.0), None);
    }

    /// Means of windows, weighted by what they are means of, are the mean over everything.
    #[test]
    fn windows_add_up() {
        let s = series();
        let windows = s.windows(Total::Loss, Total::Rounds);
        assert!((windows.iter().sum::<f64>() / 2.0 - s.mean(Total::Loss)).abs() < 1e-15);
    }

    #[test]
    fn what_does_not_exist_is_not_a_number() {
        let (empty, no_law) = (Series::default(), Series { exact: None, ..series() });
        assert!(empty.mean(Total::Loss).is_nan() && empty.tenths(Total::Loss).0.is_nan());
        assert_eq!((empty.experts(), empty.totals(Total::Right).len()), (0, 0));
        assert!(no_law.total(Total::Excess).is_nan() && no_law.totals(Total::Risk)[1].is_nan());
        assert!(series().mean(Total::Asked(7)).is_nan());
        let graded = Series { graded: true, ..series() };
        assert!(
            graded.mean(Total::Right).is_nan()
                && graded.share(Total::AskedRight(0), Total::Asked(0)).is_nan()
        );
        assert!(
            graded.share(Total::OwnRight, Total::Own).is_nan() && graded.mean(Total::Loss) == 0.3
        );
    }

    #[test]
    fn traces_by_hand() {
        let trace = Trace {
            t: vec![10, 20],
            available: vec![vec![5], vec![6]],
            expert_right: vec![vec![4], vec![8]],
            ..Trace::default()
        };
        assert_eq!(
            (
                trace.total(Total::Rounds),
                trace.total(Total::Available(0)),
                trace.total(Total::Knew(0))
            ),
            (20.0, 6.0, 8.0)
        );
        assert_eq!(trace.windows(Total::Available(0), Total::Rounds), [0.5, 0.1]);
        assert!(trace.total(Total::Knew(1)).is_nan());
    }
}
