//! How far an experiment is, whoever works on it.

use super::parse::Plan;
use super::partial;
use super::record::Key;
use super::run::jobs;
use super::store::{FailedJob, Store, StoreError, Worker};
use serde::Serialize;
use std::collections::BTreeSet;
use std::path::Path;

/// How far an experiment is: `jobs = done + running + failed + missing`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StoreStatus {
    /// Jobs in all.
    pub jobs: usize,
    /// Jobs whose record is there.
    pub done: usize,
    /// Jobs of processes that are at work.
    pub running: usize,
    /// Jobs that failed and that nobody is running again.
    pub failed: Vec<FailedJob>,
    /// The other jobs.
    pub missing: usize,
    /// Of those that are not done, jobs that were stopped in the middle and saved.
    pub saved: usize,
    /// Who worked on it.
    pub workers: Vec<WorkerStatus>,
}

/// How far a process is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WorkerStatus {
    /// Its part, such as `3/10`; none for one that runs all jobs.
    pub shard: Option<String>,
    /// Which of the parts, counted from 1.
    pub index: Option<u32>,
    /// It is at work.
    pub running: bool,
    /// Machine and process.
    pub place: String,
    /// Its jobs.
    pub jobs: usize,
    /// Of these, jobs that are done, by whomever.
    pub done: usize,
}

impl StoreStatus {
    /// Looks at the store of `plan` under `root`, and writes nothing.
    ///
    /// # Errors
    /// No store, another configuration, a corrupt file.
    pub fn read(root: &Path, plan: &Plan) -> Result<StoreStatus, StoreError> {
        let (done, workers) = Store::survey(root, plan)?;
        let all = jobs(plan);
        let left: Vec<&Key> = all.iter().filter(|key| done.get(key).is_none()).collect();
        let owns = |worker: &Worker, key: &Key| worker.shard.is_none_or(|shard| shard.owns(key));
        let mut running: BTreeSet<&Key> = BTreeSet::new();
        for worker in workers.iter().filter(|worker| worker.running) {
            running.extend(left.iter().filter(|key| owns(worker, key)));
        }
        let idle = |failure: &&FailedJob| {
            done.get(&failure.key).is_none() && !running.contains(&failure.key)
        };
        let mut failed: Vec<FailedJob> =
            workers.iter().flat_map(|worker| &worker.failures).filter(idle).cloned().collect();
        failed.sort();
        failed.dedup_by_key(|failure| failure.key);
        let status = |worker: &Worker| {
            let own: Vec<&Key> = all.iter().filter(|key| owns(worker, key)).collect();
            WorkerStatus {
                shard: worker.shard.map(|shard| shard.to_string()),
                index: worker.shard.map(|shard| shard.index()),
                running: worker.running,
                place: worker.place.clone(),
                jobs: own.len(),
                done: own.iter().filter(|key| done.get(key).is_some()).count(),
            }
        };
        Ok(StoreStatus {
            jobs: all.len(),
            done: all.len() - left.len(),
            running: running.len(),
            missing: left.len() - running.len() - failed.len(),
            failed,
            saved: partial::count(&root.join(&plan.spec.name)),
            workers: workers.iter().map(status).collect(),
        })
    }
}
