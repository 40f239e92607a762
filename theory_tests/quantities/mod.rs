//! Laws and properties of what `claims::quantities` computes. Compiled into the crate, which shows them
//! what it shows nobody else.

mod concentration;
mod constants;
#[path = "../theory/random_streams.rs"]
mod random_streams;
mod scores;
mod transfer;

use theory::StreamItem;

/// What Cargo says about `theory`, these files have to say themselves: none names the learner's crate.
#[test]
fn nothing_here_uses_the_learner() {
    let files = [
        include_str!("../../src/claims/quantities/mod.rs"),
        include_str!("../../src/claims/quantities/common.rs"),
        include_str!("../../src/claims/quantities/concentration.rs"),
        include_str!("../../src/claims/quantities/constants.rs"),
        include_str!("../../src/claims/quantities/mixture.rs"),
        include_str!("../../src/claims/quantities/phase.rs"),
        include_str!("../../src/claims/quantities/risk.rs"),
        include_str!("../../src/claims/quantities/transfer.rs"),
    ];
    for (i, text) in files.iter().enumerate() {
        assert!(!names_the_learner(text), "file {i}");
    }
    assert!(names_the_learner("use learner::Config;") && names_the_learner("crate::learner::zero"));
    assert!(names_the_learner("crate::subject::Subject") && names_the_learner("use lab::play;"));
    assert!(!names_the_learner("/// What the learner plays."));
}

/// Whether a line of code, not of comment, names the learner or what plays it.
fn names_the_learner(text: &str) -> bool {
    let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    let words = ["learner", "lab", "subject", "eval", "network", "prelude"];
    code.flat_map(|line| line.split(|c: char| !c.is_alphanumeric() && c != '_'))
        .any(|word| words.contains(&word))
}
