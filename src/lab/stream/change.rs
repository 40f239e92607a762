//! Experts who change: one breaks, one silently improves, one arrives, one leaves.
//!
//! There are no classes and no inputs, so that nothing but the change is to be noticed. Expert `j` is
//! right with probability `accuracy`, from round `at` on with probability `becomes`; it is there from
//! round `arrives` until before round `leaves`. The scores are known: `s_j = 1 - E[c_j]`.

use super::{Right, Stream, StreamRound};
use problem::{ActionSpace, ActiveBuffer, ExpertCost, Features, ProblemError};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use serde::{Deserialize, Serialize};

/// One expert and what happens to it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ChangingExpert {
    /// Probability of a right answer at first.
    pub(crate) accuracy: f64,
    /// Probability of a right answer from round `at` on.
    pub(crate) becomes: Option<f64>,
    /// The round of the change, counted from 1.
    pub(crate) at: Option<u64>,
    /// The first round in which it is there; without it, the first of all.
    pub(crate) arrives: Option<u64>,
    /// The first round in which it is gone; without it, it stays.
    pub(crate) leaves: Option<u64>,
}

/// A stream of experts who change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ChangeConfig {
    /// The experts.
    pub(crate) expert: Vec<ChangingExpert>,
    /// What right and wrong answers cost.
    pub(crate) cost: ExpertCost,
}

impl ChangeConfig {
    fn check(&self) -> Result<ActionSpace, ProblemError> {
        for (j, expert) in self.expert.iter().enumerate() {
            for (field, value) in [("accuracy", Some(expert.accuracy)), ("becomes", expert.becomes)]
            {
                if let Some(value) = value.filter(|v| !(0.0..=1.0).contains(v)) {
                    let field = format!("expert[{j}].{field}");
                    return Err(ProblemError::ProbabilityOutOfRange { field, value });
                }
            }
            if expert.becomes.is_some() != expert.at.is_some() {
                let field = format!("expert[{j}]: `becomes` and `at` go together; it");
                return Err(ProblemError::WrongLength { field, got: 1, expected: 2 });
            }
        }
        ActionSpace::new(0, self.expert.len())
    }
}

/// The rounds of a [`ChangeConfig`]. Endless.
#[derive(Clone, Debug)]
pub(crate) struct Change {
    config: ChangeConfig,
    space: ActionSpace,
    rng: Pcg64,
    t: u64,
    active: ActiveBuffer,
    costs: Vec<f64>,
    scores: Vec<f64>,
    right: Vec<bool>,
}

impl Change {
    /// # Errors
    /// Names the setting.
    pub(crate) fn new(config: &ChangeConfig, seed: u64) -> Result<Self, ProblemError> {
        let space = config.check()?;
        let experts = space.experts();
        Ok(Change {
            config: config.clone(),
            space,
            rng: Pcg64::seed_from_u64(seed),
            t: 0,
            active: ActiveBuffer::new(space),
            costs: vec![0.0; experts],
            scores: vec![0.0; experts],
            right: vec![false; experts],
        })
    }
}

impl Stream for Change {
    fn space(&self) -> ActionSpace {
        self.space
    }

    fn dim(&self) -> usize {
        0
    }

    fn next_round(&mut self) -> Option<StreamRound<'_>> {
        self.t += 1;
        let (t, cost) = (self.t, self.config.cost);
        for (j, expert) in self.config.expert.iter().enumerate() {
            let changed = expert.at.is_some_and(|at| t >= at);
            let accuracy = expert.becomes.filter(|_| changed).unwrap_or(expert.accuracy);
            // One draw an expert and round, whoever is there: streams of one seed differ only in
            // what the configuration says.
            self.right[j] = self.rng.random::<f64>() < accuracy;
            self.costs[j] = cost.normalized(self.right[j]);
            let expected =
                accuracy * cost.normalized(true) + (1.0 - accuracy) * cost.normalized(false);
            self.scores[j] = 1.0 - expected;
        }
        let there = |(j, e): (usize, &ChangingExpert)| {
            let came = e.arrives.is_none_or(|at| t >= at);
            (came && e.leaves.is_none_or(|at| t < at)).then_some(j)
        };
        let active =
            self.active.fill(self.config.expert.iter().enumerate().filter_map(there)).ok()?;
        Some(StreamRound {
            x: Features::Dense(&[]),
            active,
            label: None,
            costs: &self.costs,
            right: Right::Each(&self.right),
            answers: None,
            scores: Some(&self.scores),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expert(accuracy: f64) -> ChangingExpert {
        ChangingExpert { accuracy, becomes: None, at: None, arrives: None, leaves: None }
    }

    #[test]
    fn experts_change_when_they_should() {
        let improves = ChangingExpert { becomes: Some(1.0), at: Some(3), ..expert(0.0) };
        let comes = ChangingExpert { arrives: Some(2), leaves: Some(4), ..expert(0.5) };
        let cost = ExpertCost::new(1.0, 0.0).unwrap();
        let config = ChangeConfig { expert: vec![expert(0.5), improves, comes], cost };
        let mut stream = Change::new(&config, 1).unwrap();
        for t in 1..=5 {
            let round = stream.next_round().unwrap();
            let there: Vec<usize> = round.active.experts().collect();
            assert_eq!(there, if t == 2 || t == 3 { vec![0, 1, 2] } else { vec![0, 1] });
            let improved = f64::from(u8::from(t >= 3));
            assert_eq!((round.scores.unwrap()[1], round.costs[1]), (improved, 1.0 - improved));
            assert_eq!(round.right.expert(1), Some(t >= 3));
        }
    }

    #[test]
    fn settings_are_named() {
        let cost = ExpertCost::new(1.0, 0.0).unwrap();
        let message = |experts: Vec<ChangingExpert>| {
            Change::new(&ChangeConfig { expert: experts, cost }, 1).unwrap_err().to_string()
        };
        assert!(message(vec![expert(1.5)]).contains("expert[0].accuracy = 1.5"));
        let half = ChangingExpert { at: Some(3), ..expert(0.5) };
        assert!(message(vec![half]).contains("go together"));
        assert!(message(vec![]).contains("nothing to choose from"));
    }
}
