//! One copy of the belief: soft-max over the classes, logistic function for each expert, at one rate.
//!
//! Experts share a row, the pool's, and have a row each for what is their own:
//! `s_j = logistic((w_pool + w_j) x~)`. Every observation of an expert moves both, so that an expert
//! who is new is predicted as the pool is.

use super::rows::Rows;
use crate::belief::{class_gradient, softmax};
use crate::exp::logistic_all;
use crate::kernels::Cpu;
use crate::router::logistic;
use problem::Features;
use serde::{Deserialize, Serialize};

/// What a round says about the classes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum ClassFact {
    /// The label.
    Label(usize),
    /// A class that is not the label.
    RuledOut(usize),
    /// A class earned so much.
    Earned(usize, f64),
}

impl ClassFact {
    /// What an expert's answer says.
    pub(crate) fn of_answer(answer: usize, correct: bool) -> Self {
        if correct { ClassFact::Label(answer) } else { ClassFact::RuledOut(answer) }
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Copy {
    rate: f64,
    classes: Rows,
    /// Row 0 is the pool's, row `1 + j` expert `j`'s.
    experts: Rows,
    #[serde(skip)]
    class_z: Vec<f64>,
    #[serde(skip)]
    expert_z: Vec<f64>,
    #[serde(skip)]
    g: Vec<f64>,
    /// Soft-max of the classes.
    #[serde(skip)]
    pub(super) belief: Vec<f64>,
    /// What each expert is worth.
    #[serde(skip)]
    pub(super) worth: Vec<f64>,
}

impl Copy {
    pub(super) fn new(rate: f64, classes: usize, experts: usize, dim: usize) -> Self {
        let mut copy = Copy {
            rate,
            classes: Rows::zeros(classes, dim),
            experts: Rows::zeros(experts + 1, dim),
            class_z: Vec::new(),
            expert_z: Vec::new(),
            g: Vec::new(),
            belief: Vec::new(),
            worth: Vec::new(),
        };
        copy.make_room();
        copy
    }

    /// Whether it has so many rows of so many features.
    pub(super) fn fits(&self, classes: usize, experts: usize, dim: usize) -> bool {
        let shape = |rows: &Rows, n| rows.len() == n && (n == 0 || rows.columns() == dim + 1);
        shape(&self.classes, classes) && shape(&self.experts, experts + 1)
    }

    /// Buffers that are not part of what is saved.
    pub(super) fn make_room(&mut self) {
        self.belief.resize(self.classes.len(), 0.0);
        self.worth.resize(self.experts.len() - 1, 0.5);
    }

    pub(super) fn grow(&mut self, experts: usize) {
        self.experts.grow(experts + 1);
        self.make_room();
    }

    /// Predicts everything at `x`; of what is an expert's own, `faded` is left.
    pub(super) fn predict(&mut self, cpu: Cpu, x: Features<'_>, faded: &[f64]) {
        if !self.belief.is_empty() {
            self.classes.scores(cpu, x, &mut self.class_z);
            softmax(&self.class_z, &mut self.belief);
        }
        self.experts.scores(cpu, x, &mut self.expert_z);
        let pool = self.expert_z[0];
        for ((worth, own), faded) in self.worth.iter_mut().zip(&self.expert_z[1..]).zip(faded) {
            *worth = pool + faded * own;
        }
        logistic_all(&mut self.worth);
    }

    /// Whether all predictions are numbers.
    pub(super) fn is_finite(&self) -> bool {
        self.belief.iter().chain(&self.worth).all(|v| v.is_finite())
    }

    /// The probability this copy gave to what turned out.
    pub(super) fn class_prediction(&self, fact: ClassFact) -> (f64, f64) {
        match fact {
            ClassFact::Label(y) => (self.belief[y], 1.0),
            ClassFact::RuledOut(y) => (self.belief[y], 0.0),
            ClassFact::Earned(y, reward) => (self.belief[y], reward),
        }
    }

    /// Learns a fact about the classes at the `x` of the last prediction.
    pub(super) fn learn_classes(&mut self, cpu: Cpu, x: Features<'_>, norm: f64, fact: ClassFact) {
        let (n, z) = (self.belief.len(), &self.class_z);
        self.g.clear();
        self.g.resize(self.classes.lanes(), 0.0);
        match fact {
            ClassFact::Label(y) => {
                class_gradient(y, true, z, &self.belief, &mut self.g[..n]);
            }
            ClassFact::RuledOut(y) => {
                class_gradient(y, false, z, &self.belief, &mut self.g[..n]);
            }
            ClassFact::Earned(y, reward) => {
                let mut right = vec![0.0; n];
                class_gradient(y, true, z, &self.belief, &mut right);
                class_gradient(y, false, z, &self.belief, &mut self.g[..n]);
                for (g, right) in self.g[..n].iter_mut().zip(right) {
                    *g = reward * right + (1.0 - reward) * *g;
                }
            }
        }
        self.classes.step(cpu, x, &self.g, self.rate / norm);
    }

    /// An expert earned `reward` at the `x` of the last prediction.
    pub(super) fn learn_expert(
        &mut self,
        cpu: Cpu,
        x: Features<'_>,
        norm: f64,
        expert: usize,
        reward: f64,
    ) {
        let error = self.worth[expert] - reward;
        self.g.clear();
        self.g.resize(self.experts.lanes(), 0.0);
        (self.g[0], self.g[1 + expert]) = (error, error);
        self.experts.step(cpu, x, &self.g, self.rate / norm);
    }

    /// An expert is somebody new: at the `x` of the last prediction, worth what the pool is.
    pub(super) fn forget_expert(&mut self, expert: usize) {
        self.experts.fade(1 + expert, 0.0, 0.0);
        self.worth[expert] = logistic(self.expert_z[0]);
    }

    /// Of what is an expert's own, `factor` is left, and the sums that slow learning down fade with
    /// it; those of the pool by `keep`.
    pub(super) fn fade_expert(&mut self, expert: usize, factor: f64, keep: f64) {
        self.experts.fade(1 + expert, factor, factor);
        self.experts.fade(0, 1.0, keep);
    }

    /// The sums that slow down learning about classes fade by `keep`.
    pub(super) fn fade_classes(&mut self, keep: f64) {
        (0..self.classes.len()).for_each(|y| self.classes.fade(y, 1.0, keep));
    }
}
