//! The runner: jobs in parallel, each a function of the configuration alone.

use super::build::{self, Shape, Source};
use super::data::Loaded;
use super::metrics::{Metrics, Series, Trace};
use super::network::{NetworkFactory, Networks, NoNetworks, apart};
use super::parse::Plan;
use super::progress::Progress;
use super::record::{Key, Outcome, Record};
use super::seed::{Purpose, seed};
use super::store::{Store, StoreError};
use crate::rounds::play;
use crate::stream::{LawStream, Stream};
use learner::{Algorithm1, Policy};
use rand::SeedableRng;
use rand_pcg::Pcg64;
use rayon::prelude::*;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use thiserror::Error;

/// Running went wrong.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RunError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("cannot start {threads} threads: {message}")]
    Threads { threads: usize, message: String },
    #[error("{0}")]
    Build(String),
    #[error("{} of {total} jobs failed:\n{}", failures.len(), failures.join("\n"))]
    Jobs { failures: Vec<String>, total: usize },
}

/// How to run.
#[derive(Clone, Copy, Debug)]
pub struct RunOptions {
    /// Threads; as many as the machine has without it. Results do not depend on it.
    pub threads: Option<usize>,
    /// Stop at the first job that fails instead of running the others.
    pub fail_fast: bool,
    /// Who makes policies with a network.
    pub networks: &'static dyn NetworkFactory,
}

impl Default for RunOptions {
    fn default() -> Self {
        RunOptions { threads: None, fail_fast: false, networks: &NoNetworks }
    }
}

/// What was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Done {
    /// Jobs that were run now.
    pub run: usize,
    /// Jobs that were stored before.
    pub stored: usize,
}

/// Every job of a plan, in the order of the finished store.
pub fn jobs(plan: &Plan) -> Vec<Key> {
    let mut keys = Vec::new();
    for (point, p) in plan.points.iter().enumerate() {
        for (stream, s) in p.spec.stream.iter().enumerate() {
            let acting = |i: &usize| p.spec.policy[*i].runs_on(&s.name);
            let policies = (0..p.spec.policy.len()).filter(acting).map(Some);
            let traced = p.spec.trace.then_some(None);
            for policy in traced.into_iter().chain(policies) {
                keys.extend((0..p.spec.runs).map(|run| Key { point, stream, policy, run }));
            }
        }
    }
    keys
}

/// Runs what is not stored yet, and leaves a complete store.
///
/// # Errors
/// The store cannot be written (everything stops), or jobs failed (the others are kept).
pub fn run(
    plan: &Plan,
    store: &mut Store,
    options: RunOptions,
    progress: &dyn Progress,
) -> Result<Done, RunError> {
    let all = jobs(plan);
    let rounds = |key: &Key| plan.points[key.point].spec.rounds;
    let mut pending: Vec<Key> =
        all.iter().filter(|key| !store.records().contains_key(key)).copied().collect();
    // Long jobs first, so that no thread ends up alone with one.
    pending.sort_by_key(|key| (std::cmp::Reverse(rounds(key)), *key));
    let stored = all.len() - pending.len();
    store.notes().iter().for_each(|note| progress.say(note));
    let networks = options.networks.prepare(plan, &pending, store.folder(), progress);
    let networks = networks.map_err(RunError::Build)?;
    progress.start(&plan.spec.name, pending.len(), pending.iter().map(rounds).sum(), stored);

    let sources = sources(plan).map_err(RunError::Build)?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(options.threads.unwrap_or(0)).build();
    let pool = pool.map_err(|e| RunError::Threads {
        threads: options.threads.unwrap_or(0),
        message: e.to_string(),
    })?;
    let stop = AtomicBool::new(false);
    let failures = Mutex::new(Vec::new());
    let store = Mutex::new(store);
    let one = |key: &Key| -> Result<(), StoreError> {
        if stop.load(Ordering::Relaxed) {
            return Ok(());
        }
        let (source, shape) = &sources[key.point][key.stream];
        match job(plan, *key, source, *shape, networks.as_ref()) {
            Ok(record) => {
                let mut store = store.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
                store.append(record)?;
            }
            Err(what) => {
                let what = format!("{}: {what}", describe(plan, key));
                progress.say(&what);
                stop.fetch_or(options.fail_fast, Ordering::Relaxed);
                failures.lock().unwrap_or_else(|p| p.into_inner()).push((*key, what));
            }
        }
        progress.done(rounds(key));
        Ok(())
    };
    pool.install(|| pending.par_iter().with_max_len(1).try_for_each(one))?;
    progress.end();
    let mut failures = failures.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    failures.sort();
    if !failures.is_empty() {
        let failures = failures.into_iter().map(|(_, what)| what).collect();
        return Err(RunError::Jobs { failures, total: pending.len() });
    }
    store.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner()).finalise()?;
    Ok(Done { run: pending.len(), stored })
}

/// One source and its shape for every point and stream.
fn sources(plan: &Plan) -> Result<Vec<Vec<(Source, Shape)>>, String> {
    let source = |stream| {
        let source = Source::new(stream, &plan.folder, &mut Loaded::default())?;
        let shape = source.shape()?;
        Ok((source, shape))
    };
    plan.points.iter().map(|p| p.spec.stream.iter().map(source).collect()).collect()
}

fn describe(plan: &Plan, key: &Key) -> String {
    let point = &plan.points[key.point];
    let settings = point.label();
    let stream = &point.spec.stream[key.stream].name;
    let who = key.policy.map_or("trace", |i| &point.spec.policy[i].name);
    let space = if settings.is_empty() { "" } else { ", " };
    format!("{}, {settings}{space}stream `{stream}`, `{who}`, run {}", plan.spec.name, key.run)
}

/// Runs one job.
fn job(
    plan: &Plan,
    key: Key,
    source: &Source,
    shape: Shape,
    networks: &dyn Networks,
) -> Result<Record, String> {
    let spec = &plan.points[key.point].spec;
    let experiment = spec.family.as_ref().unwrap_or(&spec.name);
    let stream_seed = seed(spec.seed, experiment, key.run, Purpose::Stream);
    let grid = spec.checkpoints.grid(spec.rounds);
    let outcome = match key.policy {
        None => {
            let mut stream = source.open(stream_seed)?;
            Outcome::Trace(Trace::record(stream.as_mut(), spec.rounds, &grid))
        }
        Some(i) => {
            let action_seed = seed(spec.seed, experiment, key.run, Purpose::Actions);
            let metrics = Metrics::new(shape.space, grid);
            let series = match (source, &spec.policy[i].algorithm1) {
                // Ten million cheap rounds: worth a loop compiled for these two.
                (Source::Law(items), Some(learner)) => {
                    let config = build::learner_config(learner, shape);
                    let mut policy = Algorithm1::new(config).map_err(|e| e.to_string())?;
                    let stream = LawStream::new(items.clone(), stream_seed);
                    let mut stream = stream.map_err(|e| e.to_string())?;
                    measure(&mut policy, &mut stream, action_seed, spec.rounds, metrics)?
                }
                _ if spec.policy[i].has_network() => apart(|| {
                    let mut policy = networks.policy(spec, key, shape)?;
                    let mut stream = source.open(stream_seed)?;
                    let (policy, stream) = (policy.as_mut(), stream.as_mut());
                    measure(policy, stream, action_seed, spec.rounds, metrics)
                })?,
                _ => {
                    let mut policy = build::policy_on(&spec.policy[i], source, shape)?;
                    let mut stream = source.open(stream_seed)?;
                    let (policy, stream) = (policy.as_mut(), stream.as_mut());
                    measure(policy, stream, action_seed, spec.rounds, metrics)?
                }
            };
            Outcome::Series(series)
        }
    };
    Ok(Record { key, seed: stream_seed, outcome })
}

fn measure<P: Policy + ?Sized, S: Stream + ?Sized>(
    policy: &mut P,
    stream: &mut S,
    seed: u64,
    rounds: u64,
    mut metrics: Metrics,
) -> Result<Series, String> {
    let mut rng = Pcg64::seed_from_u64(seed);
    let played = play(policy, stream, &mut rng, rounds, &mut [&mut metrics]);
    let played = played.map_err(|e| e.to_string())?;
    if played < rounds {
        return Err(format!("the stream ended after {played} of {rounds} rounds"));
    }
    Ok(metrics.finish())
}
