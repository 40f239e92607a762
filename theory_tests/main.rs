//! Comparisons and properties of everything, as one test binary: each further one would link the whole
//! crate again. Only `bits` stands alone, so that it can be run under another CPU. What looks
//! inside a crate is compiled into it: the folders `theory` and `quantities`, `overview`, `subject`, `teeth`, `twin`.
// A test binary has no outside: `pub` only says that other modules of it use an item.
#![allow(unreachable_pub)]

mod architecture;
mod audit;
mod baselines;
mod broken_bytes;
mod browser;
mod cli;
mod eval;
mod experiment;
mod experiment_reference;
mod frontier;
mod fuzz;
mod fuzz_targets;
mod hardness;
mod images;
mod learner;
mod ledger;
mod made_up_rounds;
mod own;
mod page;
mod plain_round;
mod real;
mod reports;
mod small_experiment;
mod store;
mod subject_command;
mod synthetic;
mod terminal;
