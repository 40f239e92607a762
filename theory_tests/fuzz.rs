//! The targets of `just fuzz`, for as long as CI has time: whatever the bytes, there is an answer and no
//! panic. Arbitrary bytes rarely get far into a reader, so valid ones are also broken.

use crate::broken_bytes::{broken, edits};
use crate::fuzz_targets::TARGETS;
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]

    #[test]
    fn fuzz_targets_answer_whatever_they_read(
        bytes in proptest::collection::vec(any::<u8>(), 0..200),
        edits in edits(),
    ) {
        for target in &TARGETS {
            (target.read)(&bytes);
            (target.read)(&broken((target.valid)(), &edits));
        }
    }
}

#[test]
fn fuzz_targets_accept_what_is_valid() {
    for target in &TARGETS {
        assert!((target.read)(&(target.valid)()), "{}", target.name);
        assert!(!(target.read)(b"\0"), "{}", target.name);
    }
}

/// What a campaign found, or began with.
#[test]
fn fuzz_targets_answer_the_kept_corpus() {
    for target in &TARGETS {
        let folder = std::path::Path::new("fuzz/corpus").join(target.name);
        let kept: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|e| e.unwrap().path()).collect();
        assert!(!kept.is_empty(), "{}", folder.display());
        for path in kept {
            (target.read)(&std::fs::read(path).unwrap());
        }
    }
}
