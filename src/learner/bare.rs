//! The work on the weights alone, without a round around it: what benches hold a whole round against.

use crate::kernels::{self, Columns, Cpu};
use problem::Features;

/// What is done with the weights for each input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BarePass {
    /// The gradient step of the dense input before and the scores of the next one, in one pass.
    StepAndScores,
    /// The scores of the next input, then its step, in two.
    ScoresThenStep,
    /// The step alone.
    Step,
    /// The scores of the next input, then its AdaGrad step.
    ScoresThenAdagrad,
}

impl BarePass {
    /// Passes over zero weights and nothing else: no availability, no decision, no estimate, no ball. Each
    /// is told the input before and the next one; `portable` as in [`crate::Algorithm1::portable`].
    pub fn start(
        self,
        actions: usize,
        dim: usize,
        portable: bool,
    ) -> impl FnMut(Features<'_>, Features<'_>) {
        let mut weights = BareWeights::new(self, actions, dim, portable);
        move |before, x| {
            weights.pass(before, x);
        }
    }
}

#[derive(Clone, Debug)]
struct BareWeights {
    pass: BarePass,
    cpu: Cpu,
    v: Columns,
    squares: Columns,
    scores: Vec<f64>,
    step: Vec<f64>,
}

impl BareWeights {
    fn new(pass: BarePass, actions: usize, dim: usize, portable: bool) -> Self {
        let v = Columns::zeros(actions, dim + 1);
        let squares = match pass {
            BarePass::ScoresThenAdagrad => v.clone(),
            _ => Columns::zeros(0, 0),
        };
        let (scores, step) = (vec![0.0; v.lanes()], vec![1e-9; v.lanes()]);
        let cpu = if portable { Cpu::portable() } else { Cpu::detect() };
        BareWeights { pass, cpu, v, squares, scores, step }
    }

    /// One pass, and the scores of every lane after it.
    #[inline]
    fn pass(&mut self, before: Features<'_>, x: Features<'_>) -> &[f64] {
        let (cpu, v, scores, step) = (self.cpu, &mut self.v, &mut self.scores, &self.step);
        match self.pass {
            BarePass::StepAndScores => {
                let step = (before.values(), &step[..]);
                kernels::rank_one_then_scores(cpu, v, step, x.values(), scores);
            }
            BarePass::ScoresThenStep => {
                kernels::scores(cpu, v, x, scores);
                kernels::rank_one(cpu, v, x, step);
            }
            BarePass::Step => kernels::rank_one(cpu, v, x, step),
            BarePass::ScoresThenAdagrad => {
                kernels::scores(cpu, v, x, scores);
                kernels::adagrad_step(cpu, v, &mut self.squares, x, step, (0.1, 1e-10, 1.0));
            }
        }
        &self.scores
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passes_do_what_they_say() {
        let (a, b) = (Features::Dense(&[1.0, 2.0]), Features::Dense(&[0.0, -1.0]));
        let after = |pass| BareWeights::new(pass, 3, 2, false).pass(a, b)[..3].to_vec();
        // A step of 1e-9 at (1, 2) with its bias scores 1e-9 (-2 + 1) at (0, -1).
        assert_eq!(after(BarePass::StepAndScores), [-1e-9; 3]);
        assert_eq!(after(BarePass::ScoresThenStep), [0.0; 3]);
        let twice = |pass, portable| {
            let mut weights = BareWeights::new(pass, 3, 2, portable);
            weights.pass(a, b);
            weights.pass(b, b)[..3].to_vec()
        };
        // Twice the step at (0, -1).
        assert_eq!(twice(BarePass::ScoresThenStep, true), [2e-9; 3]);
        assert_eq!(twice(BarePass::Step, true), [0.0; 3]);
        let adagrad = twice(BarePass::ScoresThenAdagrad, true);
        assert!(adagrad.iter().all(|&u| u < -0.1), "{adagrad:?}");
        assert_eq!(twice(BarePass::ScoresThenAdagrad, false), adagrad);
    }
}
