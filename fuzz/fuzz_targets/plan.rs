#![no_main]

#[path = "../../theory_tests/fuzz_targets/mod.rs"]
#[allow(dead_code)]
mod fuzz_targets;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    fuzz_targets::plan(bytes);
});
