//! Runs of the learner.
