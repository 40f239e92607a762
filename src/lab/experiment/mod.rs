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
//! | what can an experiment file say? | `spec` |
//! | what can it say of data, and how is that loaded? | `data` |
//! | how is it read and its sweep spelled out? | `parse`, `sweep` |
//! | what can be wrong? | `error` |
//! | how do specifications become streams and policies? | `build` |
//! | where do networks, their images and their weights come from? | `network`, `kept` |
//! | how does another program play? | `command` |
//! | what is measured? | [`Series`], [`Trace`] |
//! | what is every action called, and every round written to? | `names`, `log` |
//! | what is kept of a run, and how safely? | `record`, `store` |
//! | how do many workers share it, and how far are they? | `shard`, `status` |
//! | how is it stopped in the middle of a run? | `partial` |
//! | how is it all run? | `run`, `progress` |

mod build;
mod build_peers;
mod command;
mod data;
mod error;
mod kept;
mod log;
mod metrics;
mod names;
mod network;
mod network_spec;
mod parse;
mod partial;
mod progress;
mod record;
mod run;
mod shard;
mod spec;
mod status;
mod store;
mod sweep;

pub use build::Shape;
pub use error::{RunError, SpecError};
pub use metrics::{Exact, Series, Trace};
pub use network::{
    NetworkError, NetworkFactory, NetworkJob, NetworkPlay, NetworkTraining, obstacle,
};
pub use network_spec::{NetworkConfig, NetworkSpec, PretrainConfig, Trained};
pub use parse::{Plan, Point, STAND_IN};
pub use progress::Progress;
pub use record::{Key, Record, RunOutcome};
pub use run::{Game, RunOptions, jobs, run};
pub use shard::{Shard, ShardError};
pub use spec::{
    ExperimentSpec, NetworkPolicySpec, PolicyFacts, PolicyKind, PolicySpec, PublishedResults,
    ReportKind, ReportSpec, StreamFacts, StreamKind, StreamSpec,
};
pub use status::{StoreStatus, WorkerStatus};
pub use store::{FailedJob, Store, StoreError, StoreMode, write_whole};
