//! What only a learner asks of the active actions.

use problem::ActiveRef;

/// Arrays that are aligned with the active actions, and what a bit says about them.
pub(crate) trait ActiveExt {
    /// The active entries of a `0..N` array, times `factor`, in aligned order.
    fn gather(self, factor: f64, per_action: &[f64], aligned: &mut [f64]);

    /// An aligned array, times `factor`, spread over the actions; everything else becomes zero.
    fn scatter(self, factor: f64, aligned: &[f64], per_action: &mut [f64]);

    /// The bandit bit identifies the label: `K = 2`, which means two classes and no expert.
    fn label_is_identified(self) -> bool;
}

impl ActiveExt for ActiveRef<'_> {
    #[inline]
    fn gather(self, factor: f64, per_action: &[f64], aligned: &mut [f64]) {
        let n = self.space().classes();
        for (value, &entry) in aligned[..n].iter_mut().zip(&per_action[..n]) {
            *value = factor * entry;
        }
        if let Some(mut bits) = few_experts(self) {
            for value in &mut aligned[n..] {
                *value = factor * per_action[bits.trailing_zeros() as usize];
                bits &= bits.wrapping_sub(1);
            }
            return;
        }
        for (value, j) in aligned[n..].iter_mut().zip(self.experts()) {
            *value = factor * per_action[n + j];
        }
    }

    #[inline]
    fn scatter(self, factor: f64, aligned: &[f64], per_action: &mut [f64]) {
        let n = self.space().classes();
        for (entry, &value) in per_action[..n].iter_mut().zip(&aligned[..n]) {
            *entry = factor * value;
        }
        per_action[n..].fill(0.0);
        if let Some(mut bits) = few_experts(self) {
            for &value in &aligned[n..] {
                per_action[bits.trailing_zeros() as usize] = factor * value;
                bits &= bits.wrapping_sub(1);
            }
            return;
        }
        for (&value, j) in aligned[n..].iter().zip(self.experts()) {
            per_action[n + j] = factor * value;
        }
    }

    #[inline]
    fn label_is_identified(self) -> bool {
        self.len() == 2 && self.space().classes() == 2
    }
}

/// The experts' bits where 64 are enough for all actions. An iterator that also serves larger
/// spaces goes through memory, and a round of a small problem waits for it.
#[inline]
fn few_experts(active: ActiveRef<'_>) -> Option<u64> {
    let n = active.space().classes();
    (active.space().len() <= 64 && n < 64).then(|| active.bits() as u64 & (u64::MAX << n))
}

#[cfg(test)]
mod tests {
    use super::*;
    use problem::{ActionSpace, ActiveBuffer};

    #[test]
    fn aligned_arrays_hold_the_active_entries() {
        let (small, large) = (ActionSpace::new(3, 4).unwrap(), ActionSpace::new(3, 200).unwrap());
        let mut buffer = ActiveBuffer::new(large);
        let sets = [small.active([3, 1]).unwrap(), buffer.fill([3, 1]).unwrap()];
        for set in sets {
            let per_action: Vec<f64> = (0..set.space().len()).map(|a| a as f64).collect();
            let mut aligned = [f64::NAN; 5];
            set.gather(2.0, &per_action, &mut aligned);
            assert_eq!(aligned, [0.0, 2.0, 4.0, 8.0, 12.0]);
            let mut back = vec![9.0; set.space().len() + 1];
            set.scatter(0.5, &aligned, &mut back);
            assert_eq!(back[..8], [0.0, 1.0, 2.0, 0.0, 4.0, 0.0, 6.0, 0.0]);
            assert!(back[8..].iter().all(|&value| value == 0.0));
        }
    }

    #[test]
    fn two_classes_alone_identify_the_label() {
        let binary = ActionSpace::new(2, 1).unwrap();
        assert!(binary.classes_only().label_is_identified());
        assert!(!binary.all_active().label_is_identified());
        assert!(!ActionSpace::new(3, 0).unwrap().classes_only().label_is_identified());
        let experts = ActionSpace::new(0, 3).unwrap();
        assert!(!experts.active([0, 2]).unwrap().label_is_identified());
    }
}
