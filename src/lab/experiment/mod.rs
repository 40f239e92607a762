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
//! | how is it read and its sweep spelled out? | [`parse`], `sweep` |
//! | what can be wrong? | `error` |
//! | how do specifications become streams and policies? | [`build`] |
//! | where do networks and their images come from? | [`network`] |
//! | how does another program play? | `command` |
//! | what is measured? | [`metrics`] |
//! | what is every action called, and every round written to? | [`Names`], `log` |
//! | what is kept of a run, and how safely? | [`record`], [`store`] |
//! | how do many workers share it, and how far are they? | `shard`, `status` |
//! | how is it stopped in the middle of a run? | `partial` |
//! | how is it all run? | [`run`], [`progress`] |

pub mod build;
mod build_peers;
mod command;
pub mod data;
mod error;
mod log;
pub mod metrics;
mod names;
pub mod network;
pub mod network_spec;
pub mod parse;
mod partial;
pub mod progress;
pub mod record;
pub mod run;
mod shard;
pub mod spec;
mod status;
pub mod store;
mod sweep;

pub use error::{
    JobError, PolicyFault, RunError, SpecError, SpecFault, StreamFault, SweepFault, UnknownName,
};
pub use names::Names;
pub use parse::Plan;
pub use record::{Key, Record, RunOutcome};
pub use run::{RunOptions, run};
pub use shard::{Shard, ShardError};
pub use spec::ExperimentSpec;
pub use status::{Status, WorkerStatus};
pub use store::{Failure, Store, StoreError, StoreMode, StoredRuns};
