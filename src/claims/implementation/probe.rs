//! Drives a subject and lets nothing through that is not an answer.

use super::reference::Matrix;
use super::rounds::ProbeRound;
use super::{Failure, sentences};
use crate::subject::{Answer, Subject, SubjectError, SubjectFeedback, SubjectSpec};

/// A subject in the middle of a run.
pub(crate) struct Probe<'s> {
    subject: &'s mut dyn Subject,
    /// What it was set up with.
    pub(crate) spec: SubjectSpec,
    /// The round it is in.
    pub(crate) t: u64,
}

/// A decision in order of increasing action.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    /// Active actions.
    pub(crate) active: Vec<usize>,
    /// Their scores.
    pub(crate) u: Vec<f64>,
    /// Their probabilities.
    pub(crate) q: Vec<f64>,
}

impl Seen {
    /// Where `action` stands.
    pub(crate) fn position(&self, action: usize) -> usize {
        self.active.iter().position(|&a| a == action).expect("an active action")
    }

    /// The action at quantile `quantile` of `q`.
    pub(crate) fn sample(&self, quantile: f64) -> usize {
        let mut below = 0.0;
        let mut last = 0;
        for (k, &q) in self.q.iter().enumerate() {
            below += q;
            if q > 0.0 {
                last = k;
                if quantile < below {
                    break;
                }
            }
        }
        self.active[last]
    }
}

impl<'s> Probe<'s> {
    /// Starts a run.
    pub(crate) fn start(subject: &'s mut dyn Subject, spec: &SubjectSpec) -> Result<Self, Failure> {
        subject.init(spec)?;
        Ok(Probe { subject, spec: spec.clone(), t: 1 })
    }

    /// Asks for a decision; the active set has to be the right one.
    pub(crate) fn decide(&mut self, round: &ProbeRound) -> Result<Seen, Failure> {
        let answer = self.subject.decide(&round.x, &round.available)?;
        let seen = self.in_order(answer)?;
        let expected = self.spec.active(&round.available);
        if seen.active != expected {
            return Err(Failure::Wrong(sentences::active_set(
                &self.spec,
                self.t,
                &round.available,
                &expected,
                &seen.active,
            )));
        }
        Ok(seen)
    }

    fn in_order(&self, answer: Answer) -> Result<Seen, Failure> {
        let Answer { active, scores, q } = answer;
        let request = format!("decide in round {}", self.t);
        if active.len() != scores.len() || active.len() != q.len() {
            let (k, s, p) = (active.len(), scores.len(), q.len());
            let problem = format!("{k} active actions, {s} scores and {p} probabilities");
            return Err(SubjectError::WrongShape { request, problem }.into());
        }
        for (field, values) in [("scores", &scores), ("q", &q)] {
            if let Some(k) = values.iter().position(|v| !v.is_finite()) {
                let (place, value) = (format!("{field}[{k}]"), values[k].to_string());
                return Err(SubjectError::NotFinite { request, place, value }.into());
            }
        }
        let mut order: Vec<usize> = (0..active.len()).collect();
        order.sort_by_key(|&k| active[k]);
        Ok(Seen {
            active: order.iter().map(|&k| active[k]).collect(),
            u: order.iter().map(|&k| scores[k]).collect(),
            q: order.iter().map(|&k| q[k]).collect(),
        })
    }

    /// Tells an outcome and moves on to the next round.
    pub(crate) fn observe(&mut self, outcome: SubjectFeedback<'_>) -> Result<(), Failure> {
        self.subject.observe(outcome)?;
        self.t += 1;
        Ok(())
    }

    /// Tells what came of `action`.
    pub(crate) fn play(&mut self, round: &ProbeRound, action: usize) -> Result<(), Failure> {
        self.observe(round.outcome(&self.spec, action))
    }

    /// An outcome that must be refused; the round stays the same.
    pub(crate) fn must_refuse(
        &mut self,
        outcome: SubjectFeedback<'_>,
        why: &str,
    ) -> Result<(), Failure> {
        match self.subject.observe(outcome) {
            Err(SubjectError::Refused { .. }) => Ok(()),
            Err(other) => Err(other.into()),
            Ok(()) => Err(Failure::Wrong(format!("in round {} it accepts {why}", self.t))),
        }
    }

    /// `W_t`, of the right shape and finite.
    pub(crate) fn weights(&mut self) -> Result<Matrix, Failure> {
        let w = self.subject.weights()?;
        let request = format!("weights in round {}", self.t);
        let (actions, columns) = (self.spec.actions(), self.spec.d + 1);
        if w.len() != actions || w.iter().any(|row| row.len() != columns) {
            let got = w.first().map_or(0, Vec::len);
            let problem = format!(
                "{} rows of {got} entries, expected {actions} rows of {columns} (bias last)",
                w.len()
            );
            return Err(SubjectError::WrongShape { request, problem }.into());
        }
        for (a, row) in w.iter().enumerate() {
            if let Some(j) = row.iter().position(|v| !v.is_finite()) {
                let (place, value) = (format!("W[{a}][{j}]"), row[j].to_string());
                return Err(SubjectError::NotFinite { request, place, value }.into());
            }
        }
        Ok(w)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::subject::InProcess;

    #[test]
    fn quantiles_choose_actions_that_can_be_played() {
        let seen = |q: [f64; 3]| Seen { active: vec![4, 5, 6], u: vec![0.0; 3], q: q.to_vec() };
        let half = seen([0.5, 0.5, 0.0]);
        assert_eq!([0.0, 0.4, 0.5, 0.9, 1.0].map(|at| half.sample(at)), [4, 4, 5, 5, 5]);
        assert_eq!(seen([0.0, 1.0, 0.0]).sample(0.0), 5);
    }

    /// A learner whose weights were tampered with.
    struct Shaped(InProcess, fn(&mut Matrix));

    impl Subject for Shaped {
        fn init(&mut self, spec: &SubjectSpec) -> Result<(), SubjectError> {
            self.0.init(spec)
        }

        fn decide(&mut self, x: &[f64], available: &[usize]) -> Result<Answer, SubjectError> {
            self.0.decide(x, available)
        }

        fn observe(&mut self, outcome: SubjectFeedback<'_>) -> Result<(), SubjectError> {
            self.0.observe(outcome)
        }

        fn weights(&mut self) -> Result<Matrix, SubjectError> {
            let mut w = self.0.weights()?;
            (self.1)(&mut w);
            Ok(w)
        }
    }

    #[test]
    fn answers_of_the_wrong_shape_are_refused() {
        let spec = super::super::wide_ball();
        let good = |change: fn(&mut Matrix)| {
            let mut subject = Shaped(InProcess::default(), change);
            let mut probe = Probe::start(&mut subject, &spec).unwrap();
            probe.weights().is_ok()
        };
        assert!(good(|_| ()));
        // A row too many, and an entry too few in one of them.
        assert!(!good(|w| w.push(w[0].clone())));
        assert!(!good(|w| w[2].truncate(1)));
        assert!(!good(|w| w[2][0] = f64::NAN));
        let mut subject = InProcess::default();
        let probe = Probe::start(&mut subject, &spec).unwrap();
        let fits = |active: usize, scores: usize, q: usize| {
            let (active, scores) = ((0..active).collect(), vec![0.0; scores]);
            probe.in_order(Answer { active, scores, q: vec![0.1; q] }).is_ok()
        };
        assert!(fits(3, 3, 3) && !fits(3, 2, 3) && !fits(3, 3, 2) && !fits(2, 3, 3));
    }
}
