//! Experiments: a file says what to run, the runner runs it, the store keeps it.
//!
//! ```text
//! experiments/*.toml --parse--> Plan --run--> Store (runs/NAME) --report--> reports/NAME
//! ```
//! A plan is a list of jobs `(sweep point, stream, policy, run)`. Each is a function of the
//! configuration alone: its random numbers come from `(master seed, experiment, run)`, so that
//! threads, order and interruptions cannot matter.
//!
//! | question | module |
//! |---|---|
//! | what can an experiment file say? | [`spec`] |
//! | what can it say of data, and how is that loaded? | [`data`] |
//! | how is it read, and what if it is wrong? | [`parse`] |
//! | which random numbers does a run get? | [`seed`] |
//! | how do specifications become streams and policies? | [`build`] |
//! | where do networks and their images come from? | [`network`] |
//! | what is measured? | [`metrics`] |
//! | what is kept of a run, and how safely? | [`record`], [`store`] |
//! | how is it all run? | [`run`], [`progress`] |

pub mod build;
pub mod data;
pub mod metrics;
pub mod network;
pub mod network_spec;
pub mod parse;
pub mod progress;
pub mod record;
pub mod run;
pub mod seed;
pub mod spec;
pub mod store;

pub use parse::{Plan, SpecError};
pub use record::{Key, Record};
pub use run::{RunError, RunOptions, run};
pub use spec::Spec;
pub use store::{Store, StoreError};
