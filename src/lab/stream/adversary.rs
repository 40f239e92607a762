//! An adversary: every round it picks, among the kinds of rounds it may show, the one on which the
//! learner is about to lose most.

use super::{LawItem, LawStream, Stream, StreamRound};
use problem::{ActionSpace, ActiveRef, Features, ProblemError};

/// Kinds of rounds, shown as the learner's own decisions suggest. Endless.
#[derive(Clone, Debug)]
pub(crate) struct Adversary {
    choices: Vec<(LawItem, Vec<f64>, LawStream)>,
    chosen: usize,
}

impl Adversary {
    /// # Errors
    /// As [`LawStream::new`]; weights do not matter.
    pub(crate) fn new(items: &[LawItem], seed: u64) -> Result<Self, ProblemError> {
        // Together they must be one stream.
        LawStream::new(items.to_vec(), seed)?;
        let mut choices = Vec::new();
        for (k, item) in items.iter().enumerate() {
            let alone = LawItem { weight: 1.0, ..item.clone() };
            let stream = LawStream::new(vec![alone], seed.wrapping_add(k as u64))?;
            choices.push((item.clone(), item.scores(), stream));
        }
        Ok(Adversary { choices, chosen: 0 })
    }
}

impl Stream for Adversary {
    fn space(&self) -> ActionSpace {
        self.choices[0].2.space()
    }

    fn dim(&self) -> usize {
        self.choices[0].2.dim()
    }

    fn challenge(&mut self, ask: &mut dyn FnMut(Features<'_>, ActiveRef<'_>, &[f64]) -> f64) {
        let mut worst = f64::NEG_INFINITY;
        for (k, (item, scores, _)) in self.choices.iter().enumerate() {
            let lost = ask(Features::Dense(&item.x), item.active, scores);
            if lost > worst {
                (worst, self.chosen) = (lost, k);
            }
        }
    }

    fn next_round(&mut self) -> Option<StreamRound<'_>> {
        self.choices[self.chosen].2.next_round()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use problem::RoundLaw;

    #[test]
    fn the_worst_round_is_shown() {
        let space = ActionSpace::new(2, 0).unwrap();
        let item = |x: f64, p: f64| {
            let law = RoundLaw::new(space, &[p, 1.0 - p], &[] as &[Vec<f64>]).unwrap();
            LawItem { weight: 0.0, x: vec![x], active: space.all_active(), law }
        };
        let items = [item(1.0, 0.75), item(2.0, 0.0), LawItem { weight: 1.0, ..item(3.0, 0.5) }];
        let mut stream = Adversary::new(&items, 1).unwrap();
        // A learner that always plays class 0 loses most where class 1 is certain.
        stream
            .challenge(&mut |_, _, scores| scores.iter().copied().fold(0.0, f64::max) - scores[0]);
        assert_eq!(stream.next_round().unwrap().x.values(), [2.0]);
        // One that always plays class 1 loses most at the first.
        stream
            .challenge(&mut |_, _, scores| scores.iter().copied().fold(0.0, f64::max) - scores[1]);
        assert_eq!(stream.next_round().unwrap().x.values(), [1.0]);
    }
}
