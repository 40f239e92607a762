//! Streams whose law changes from phase to phase, so that availability can follow any plan in time.

use super::{LawItem, LawStream, Stream, StreamRound};
use problem::{ActionSpace, ProblemError};

/// Phases of independent draws, one after another and again from the first, each time `grow` times as
/// long. Endless.
#[derive(Clone, Debug)]
pub(crate) struct Phases {
    phases: Vec<(u64, LawStream)>,
    grow: f64,
    /// The phase that is played, how often all were played before, rounds left in it.
    at: usize,
    cycle: i32,
    left: u64,
}

impl Phases {
    /// `phases` are lengths and laws.
    ///
    /// # Errors
    /// No phases, phases of different spaces or dimensions, laws that cannot be.
    pub(crate) fn new(
        phases: &[(u64, Vec<LawItem>)],
        grow: f64,
        seed: u64,
    ) -> Result<Self, ProblemError> {
        let mut streams = Vec::new();
        for (k, (rounds, items)) in phases.iter().enumerate() {
            let stream = LawStream::new(items.clone(), seed.wrapping_add(k as u64))?;
            streams.push(((*rounds).max(1), stream));
        }
        let wrong =
            |field: String, got, expected| ProblemError::WrongLength { field, got, expected };
        let Some((rounds, first)) = streams.first() else {
            return Err(wrong("phase".into(), 0, 1));
        };
        for (k, (_, stream)) in streams.iter().enumerate() {
            if stream.space() != first.space() {
                let (got, expected) = (stream.space().len(), first.space().len());
                return Err(wrong(format!("phase[{k}] actions"), got, expected));
            }
            if stream.dim() != first.dim() {
                return Err(wrong(format!("phase[{k}].x"), stream.dim(), first.dim()));
            }
        }
        Ok(Phases { left: *rounds, phases: streams, grow, at: 0, cycle: 0 })
    }
}

impl Stream for Phases {
    fn space(&self) -> ActionSpace {
        self.phases[0].1.space()
    }

    fn dim(&self) -> usize {
        self.phases[0].1.dim()
    }

    fn next_round(&mut self) -> Option<StreamRound<'_>> {
        if self.left == 0 {
            self.at = (self.at + 1) % self.phases.len();
            self.cycle += i32::from(self.at == 0);
            // Products, not `powi`, whose bits are up to the compiler.
            let mut length = self.phases[self.at].0 as f64;
            (0..self.cycle).for_each(|_| length *= self.grow);
            self.left = length.round().max(1.0) as u64;
        }
        self.left -= 1;
        self.phases[self.at].1.next_round()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use problem::RoundLaw;

    #[test]
    fn phases_follow_their_plan() {
        let space = ActionSpace::new(2, 1).unwrap();
        let law = RoundLaw::new(space, &[0.5, 0.5], &[[0.25, 0.25]]).unwrap();
        let items = |active| vec![LawItem { weight: 1.0, x: vec![0.0], active, law: law.clone() }];
        let phases = [(2, items(space.all_active())), (1, items(space.classes_only()))];
        let there = |grow: f64| -> Vec<usize> {
            let mut stream = Phases::new(&phases, grow, 1).unwrap();
            (0..9).map(|_| stream.next_round().unwrap().active.len()).collect()
        };
        assert_eq!(there(1.0), [3, 3, 2, 3, 3, 2, 3, 3, 2]);
        assert_eq!(there(2.0), [3, 3, 2, 3, 3, 3, 3, 2, 2]);
        assert!(Phases::new(&[], 1.0, 1).unwrap_err().to_string().contains("phase"));
        let other = ActionSpace::new(2, 0).unwrap();
        let law = RoundLaw::new(other, &[0.5, 0.5], &[] as &[Vec<f64>]).unwrap();
        let item = LawItem { weight: 1.0, x: vec![0.0], active: other.all_active(), law };
        assert!(Phases::new(&[phases[0].clone(), (1, vec![item])], 1.0, 1).is_err());
    }
}
