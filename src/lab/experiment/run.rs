//! The runner: jobs in parallel, each a function of the configuration alone.

use super::build::{self, Shape, Source};
use super::build_peers;
use super::command::{CommandPolicy, Table};
use super::error::{JobError, RunError, StreamFault};
use super::log::{Head, Logs};
use super::metrics::{Metrics, Series, Trace};
use super::names::Names;
use super::network::{NetworkError, NetworkFactory, Networks, apart};
use super::parse::Plan;
use super::partial::{Partial, Position};
use super::progress::Progress;
use super::record::{Key, Record, RunOutcome};
use super::spec::{ExperimentSpec, PolicySettings, PolicySpec};
use super::store::{FailedJob, Store, StoreError};
use crate::limits::check_threads;
use crate::rounds::{Observer, play};
use crate::stream::{LawItem, LawStream, Laws, Stream};
use learner::{Algorithm1, AutoRouter, BeliefRouter, Policy, RidgeCb, SquareCb};
use rand::SeedableRng;
use rand_pcg::Pcg64;
use rayon::prelude::*;
use seed::Purpose;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// How to run.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// Threads; as many as the machine has without it. Results do not depend on it.
    pub threads: Option<usize>,
    /// Stop at the first job that fails instead of running the others.
    pub fail_fast: bool,
    /// Who makes policies with a network, if anybody does.
    pub networks: Option<&'static dyn NetworkFactory>,
    /// Set while it runs: jobs are then saved in the middle, and it ends.
    pub stop: &'static AtomicBool,
    /// Where every round is written to. What is stored already is then played once more, and must come
    /// out the same; jobs that are stopped start again.
    pub log: Option<PathBuf>,
}

/// Nobody stops it.
static NEVER: AtomicBool = AtomicBool::new(false);

impl Default for RunOptions {
    fn default() -> Self {
        RunOptions { threads: None, fail_fast: false, networks: None, stop: &NEVER, log: None }
    }
}

/// Every job of a plan, in the order of the finished store.
#[must_use]
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

/// Runs what is not stored yet, and leaves a complete store. Returns how many jobs were run now, and how many
/// were stored before.
///
/// # Errors
/// The store cannot be written (everything stops), or jobs failed (the others are kept).
pub fn run(
    plan: &Plan,
    store: &mut Store,
    options: RunOptions,
    progress: &dyn Progress,
) -> Result<(usize, usize), RunError> {
    let pool = pool(options.threads)?;
    let all: Vec<Key> = jobs(plan).into_iter().filter(|key| store.owns(key)).collect();
    let rounds = |key: &Key| plan.points[key.point].spec.rounds;
    let logged = |key: &Key| options.log.is_some() && key.policy.is_some();
    let due = |key: &&Key| logged(key) || !store.contains(key);
    let mut pending: Vec<Key> = all.iter().filter(due).copied().collect();
    // Long jobs first, so that no thread ends up alone with one.
    pending.sort_by_key(|key| (std::cmp::Reverse(rounds(key)), *key));
    let stored = all.len() - pending.len();
    store.notes.iter().for_each(|note| progress.say(note));
    if let Some(missing) = plan.missing_data.as_ref().filter(|_| !pending.is_empty()) {
        return Err(RunError::MissingData(missing.clone()));
    }
    let watched = (progress, options.stop);
    let networks =
        match Networks::prepare(options.networks, plan, &pending, store.folder(), watched) {
            Err(NetworkError::Stopped) => {
                progress.end();
                let left = pending.len();
                return Err(RunError::Stopped { saved: 0, left, total: all.len() });
            }
            made => made?,
        };
    progress.start(&plan.spec.name, pending.len(), pending.iter().map(rounds).sum(), stored);
    let (folder, hash) = (store.folder().to_path_buf(), store.hash().to_string());
    let runner = Runner {
        plan,
        folder,
        hash,
        asked_to_stop: options.stop,
        saved: AtomicUsize::new(0),
        left: AtomicUsize::new(0),
        networks: &networks,
        logs: options.log.as_deref().map(Logs::new).transpose()?,
        fail_fast: options.fail_fast,
        progress,
        store: Mutex::new(store),
        stop: AtomicBool::new(false),
        failures: Mutex::new(Vec::new()),
    };
    pool.install(|| pending.par_iter().with_max_len(1).try_for_each(|key| runner.one(*key)))?;
    progress.end();
    runner.finish(pending.len(), &all)?;
    Ok((pending.len(), stored))
}

fn pool(threads: Option<usize>) -> Result<rayon::ThreadPool, RunError> {
    let threads = threads.unwrap_or(0);
    check_threads(threads)?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map_err(|e| RunError::Threads { threads, message: e.to_string() })
}

/// What the threads share.
struct Runner<'a> {
    plan: &'a Plan,
    folder: PathBuf,
    /// Of the configuration.
    hash: String,
    asked_to_stop: &'static AtomicBool,
    /// Jobs that were stopped and saved, and all that were not done because of it.
    saved: AtomicUsize,
    left: AtomicUsize,
    networks: &'a Networks,
    logs: Option<Logs>,
    fail_fast: bool,
    progress: &'a dyn Progress,
    store: Mutex<&'a mut Store>,
    stop: AtomicBool,
    failures: Mutex<Vec<FailedJob>>,
}

impl Runner<'_> {
    /// Runs and stores one job; a failure is kept and said.
    fn one(&self, key: Key) -> Result<(), StoreError> {
        if self.stop.load(Ordering::Relaxed) {
            return Ok(());
        }
        if self.asked_to_stop.load(Ordering::Relaxed) {
            self.left.fetch_add(1, Ordering::Relaxed);
            return Ok(());
        }
        let partial = Partial::new(&self.folder, &self.hash, key);
        let logs = self.logs.as_ref();
        let place = Place { key, partial, stop: self.asked_to_stop, logs };
        match job(self.plan, self.networks, &place) {
            Ok(record) => {
                self.keep(&record)?;
                place.partial.remove();
            }
            Err(JobError::Stopped { saved }) => {
                self.saved.fetch_add(usize::from(saved), Ordering::Relaxed);
                self.left.fetch_add(1, Ordering::Relaxed);
                return Ok(());
            }
            Err(JobError::Store(error)) => return Err(error),
            Err(error) => {
                self.fail(key, &error);
            }
        }
        self.progress.done(self.plan.points[key.point].spec.rounds);
        Ok(())
    }

    /// Stores a record; one that was there before must be the same.
    fn keep(&self, record: &Record) -> Result<(), StoreError> {
        let mut store = self.store.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        match store.agrees(record) {
            None => store.append(record),
            Some(true) => Ok(()),
            Some(false) => {
                self.fail(record.key, &JobError::Changed);
                Ok(())
            }
        }
    }

    fn fail(&self, key: Key, error: &JobError) {
        let what = format!("{}: {error}", describe(self.plan, &key));
        self.progress.say(&what);
        self.stop.fetch_or(self.fail_fast, Ordering::Relaxed);
        let failure = FailedJob { key, what };
        self.failures.lock().unwrap_or_else(|p| p.into_inner()).push(failure);
    }

    /// Puts the log together, and sorts the store unless jobs failed or were stopped.
    fn finish(self, pending: usize, all: &[Key]) -> Result<(), RunError> {
        let left = self.left.into_inner();
        if let Some(logs) = self.logs.filter(|_| left == 0) {
            logs.finish(all)?;
        }
        let store = self.store.into_inner().unwrap_or_else(|p| p.into_inner());
        let mut failures = self.failures.into_inner().unwrap_or_else(|p| p.into_inner());
        failures.sort();
        store.keep_failures(&failures)?;
        let (saved, total) = (self.saved.into_inner(), all.len());
        if left > 0 {
            return Err(RunError::Stopped { saved, left: left + failures.len(), total });
        }
        if failures.is_empty() {
            store.finalise()?;
            return Ok(());
        }
        let failures = failures.into_iter().map(|failure| failure.what).collect();
        Err(RunError::Jobs { failures, total: pending })
    }
}

fn describe(plan: &Plan, key: &Key) -> String {
    let point = &plan.points[key.point];
    let settings = &point.label;
    let stream = &point.spec.stream[key.stream].name;
    let who = key.policy.map_or("trace", |i| &point.spec.policy[i].name);
    let space = if settings.is_empty() { "" } else { ", " };
    format!("{}, {settings}{space}stream `{stream}`, `{who}`, run {}", plan.spec.name, key.run)
}

/// Runs one job, on what the plan read.
fn job(plan: &Plan, networks: &Networks, place: &Place<'_>) -> Result<Record, JobError> {
    let key = place.key;
    let game = Game::of(plan, key)?;
    let outcome = match key.policy {
        None => {
            let spec = game.spec;
            let grid = spec.checkpoints.grid(spec.rounds);
            let mut stream = game.open()?;
            let trace = Trace::record(stream.as_mut(), spec.rounds, &grid, place.stop);
            if let Some(fault) = stream.fault() {
                return Err(StreamFault::from(fault).into());
            }
            // To go on it would have to pass over as many rounds: it starts again.
            RunOutcome::Trace(trace.ok_or(JobError::Stopped { saved: false })?)
        }
        Some(policy) => RunOutcome::Series(game.play(policy, networks, place)?),
    };
    Ok(Record { key, seed: game.stream_seed, outcome })
}

/// Which job, where it is saved when it is stopped, and what stops it.
struct Place<'a> {
    key: Key,
    partial: Partial<'a>,
    stop: &'a AtomicBool,
    logs: Option<&'a Logs>,
}

/// One run of a stream, with the seeds of everything that is drawn in it.
pub struct Game<'a> {
    spec: &'a ExperimentSpec,
    source: &'a Source,
    /// What a policy must know of the stream.
    pub shape: Shape,
    stream_seed: u64,
    /// Of the actions.
    seed: u64,
    /// Of what a policy draws itself.
    policy_seed: u64,
    /// What the actions are called.
    names: Names,
    /// Where programs that play are started.
    folder: &'a Path,
    /// Swept settings in words.
    settings: String,
}

impl<'a> Game<'a> {
    /// The run `run` of a stream at a sweep point, on what the plan read.
    ///
    /// # Errors
    /// Its data was not there when the plan was read.
    pub fn new(plan: &'a Plan, point: usize, stream: usize, run: u32) -> Result<Self, RunError> {
        Ok(Game::of(plan, Key { point, stream, policy: None, run })?)
    }

    /// The run of a job.
    fn of(plan: &'a Plan, Key { point, stream, run, .. }: Key) -> Result<Self, JobError> {
        let spec = &plan.points[point].spec;
        let (source, shape) = plan.source(point, stream).ok_or(JobError::NoData)?;
        let experiment = spec.family.as_ref().unwrap_or(&spec.name);
        let seed = |purpose| seed::derive(spec.seed, experiment, u64::from(run), purpose);
        let (stream_seed, policy_seed) = (seed(Purpose::Stream), seed(Purpose::Policy));
        let seed = seed(Purpose::Actions);
        let names = Names::of(&spec.stream[stream].settings, shape.space);
        let (folder, settings) = (plan.folder.as_path(), plan.points[point].label.clone());
        let shape = *shape;
        Ok(Game { spec, source, shape, stream_seed, seed, policy_seed, names, folder, settings })
    }

    /// The stream from its first round on.
    ///
    /// # Errors
    /// Names the setting.
    pub fn stream(&self) -> Result<Box<dyn Stream>, RunError> {
        Ok(self.open()?)
    }

    fn open(&self) -> Result<Box<dyn Stream>, JobError> {
        Ok(self.source.open(self.stream_seed)?)
    }

    /// The kinds of rounds of a stream that is given by its law; none of any other.
    pub fn law_items(&self) -> impl Iterator<Item = &LawItem> {
        self.source.law_items()
    }

    /// What draws the actions.
    #[must_use]
    pub fn actions(&self) -> Pcg64 {
        Pcg64::seed_from_u64(self.seed)
    }

    fn play(&self, i: usize, networks: &Networks, place: &Place<'_>) -> Result<Series, JobError> {
        let (spec, policy) = (self.spec, &self.spec.policy[i]);
        match (&policy.settings, self.source) {
            // Ten million cheap rounds: worth a loop compiled for these two.
            (PolicySettings::Algorithm1(learner), Source::Laws(Laws::Drawn(items))) => {
                let stream = LawStream::new(items.clone(), self.stream_seed);
                let policy = Algorithm1::new(build::learner_config(learner, self.shape))?;
                self.resume(policy, &mut stream.map_err(StreamFault::from)?, place)
            }
            // With more actions than it has kernels for, its plain twin plays instead.
            (PolicySettings::Algorithm1(learner), _)
                if self.shape.space.len() <= problem::SMALL_ACTIONS =>
            {
                let config = build::learner_config(learner, self.shape);
                self.resume(Algorithm1::new(config)?, self.open()?.as_mut(), place)
            }
            (PolicySettings::Belief(router), _) => {
                let config = build::belief_config(router, self.shape);
                self.resume(BeliefRouter::new(config)?, self.open()?.as_mut(), place)
            }
            (PolicySettings::SquareCb(router), _) => {
                let config = build::square_cb_config(router, self.shape);
                self.resume(SquareCb::new(config)?, self.open()?.as_mut(), place)
            }
            (PolicySettings::EpsilonGreedy(greedy), _) => {
                let config = build_peers::epsilon_greedy(greedy, self.shape);
                self.resume(SquareCb::new(config)?, self.open()?.as_mut(), place)
            }
            (PolicySettings::Auto(router), _) => {
                let config = build::auto_config(router, self.shape);
                self.resume(AutoRouter::new(config)?, self.open()?.as_mut(), place)
            }
            (PolicySettings::RidgeCb(ridge), _) => {
                let config = build_peers::ridge_cb(ridge, self.shape, spec.rounds);
                self.resume(RidgeCb::new(config)?, self.open()?.as_mut(), place)
            }
            (
                PolicySettings::Uniform(_)
                | PolicySettings::Oracle(_)
                | PolicySettings::FixedExpert(_),
                _,
            ) => {
                let mut made = self.make(policy)?;
                self.resume_forgetful(made.as_mut(), self.open()?.as_mut(), place)
            }
            _ if policy.has_network() => apart(|| {
                let mut policy = networks.policy(spec, place.key, self.shape.space)?;
                self.measure(policy.as_mut(), self.open()?.as_mut(), place)
            }),
            _ => {
                let mut made = self.make(policy)?;
                self.measure(made.as_mut(), self.open()?.as_mut(), place)
            }
        }
    }

    /// A policy without a network, at its first round.
    ///
    /// # Errors
    /// Which field, what was expected; or it needs a network.
    pub fn policy(&self, policy: &PolicySpec) -> Result<Box<dyn Policy>, RunError> {
        Ok(self.make(policy)?)
    }

    fn make(&self, policy: &PolicySpec) -> Result<Box<dyn Policy>, JobError> {
        let rounds = self.spec.rounds;
        let named = |source| JobError::Policy { name: policy.name.clone(), source };
        if let Some(command) = policy.command() {
            let table = Table {
                space: self.shape.space,
                dim: self.shape.dim,
                names: &self.names,
                rounds,
                seed: self.policy_seed,
                folder: self.folder,
            };
            let made = CommandPolicy::start(command, table).map_err(named)?;
            return Ok(Box::new(made));
        }
        let mean_costs = match build::needs_hindsight(policy) {
            true => self.source.mean_costs(self.stream_seed, rounds)?,
            false => Vec::new(),
        };
        let run = build::Run { seed: self.policy_seed, rounds, mean_costs };
        build::policy(policy, self.shape, &run).map_err(named)
    }

    fn start(&self) -> Position {
        let grid = self.spec.checkpoints.grid(self.spec.rounds);
        Position::start(self.actions(), Metrics::new(self.shape.space, grid))
    }

    /// A log has every round, and the rounds of an adversary depend on what was played before: they cannot
    /// be passed over.
    fn starts_again(&self, place: &Place<'_>) -> bool {
        place.logs.is_some() || matches!(self.source, Source::Laws(Laws::Adversary(_)))
    }

    /// Goes on where the job was stopped, if it was; saves it when it is stopped now.
    fn resume<P: Policy + Serialize + DeserializeOwned, S: Stream + ?Sized>(
        &self,
        mut policy: P,
        stream: &mut S,
        place: &Place<'_>,
    ) -> Result<Series, JobError> {
        if self.starts_again(place) {
            return self.measure(&mut policy, stream, place);
        }
        let saved = place.partial.load(place.key);
        let (mut policy, position) = saved.unwrap_or_else(|| (policy, self.start()));
        let save = |policy: &P, position: &_| place.partial.save(place.key, policy, position);
        self.go_on(&mut policy, position, stream, place, save)
    }

    /// The same for a policy whose choices do not depend on what was before.
    fn resume_forgetful(
        &self,
        policy: &mut dyn Policy,
        stream: &mut dyn Stream,
        place: &Place<'_>,
    ) -> Result<Series, JobError> {
        if self.starts_again(place) {
            return self.measure(policy, stream, place);
        }
        let position = place.partial.load(place.key).map(|((), position)| position);
        let save = |_: &_, position: &_| place.partial.save(place.key, &(), position);
        self.go_on(policy, position.unwrap_or_else(|| self.start()), stream, place, save)
    }

    fn go_on<P: Policy + ?Sized, S: Stream + ?Sized>(
        &self,
        policy: &mut P,
        mut position: Position,
        stream: &mut S,
        place: &Place<'_>,
        save: impl FnOnce(&P, &Position) -> Result<(), StoreError>,
    ) -> Result<Series, JobError> {
        position.catch_up(stream)?;
        if position.play(policy, stream, self.spec.rounds, place.stop)? {
            return Ok(position.into_metrics().finish());
        }
        save(policy, &position)?;
        Err(JobError::Stopped { saved: true })
    }

    /// Starts from the first round, whatever was before.
    fn measure<P: Policy + ?Sized, S: Stream + ?Sized>(
        &self,
        policy: &mut P,
        stream: &mut S,
        place: &Place<'_>,
    ) -> Result<Series, JobError> {
        if let Some(logs) = place.logs {
            return self.logged(logs, place.key, policy, stream);
        }
        let mut position = self.start();
        match position.play(policy, stream, self.spec.rounds, place.stop)? {
            true => Ok(position.into_metrics().finish()),
            false => Err(JobError::Stopped { saved: false }),
        }
    }

    /// The same with every round written down.
    fn logged<P: Policy + ?Sized, S: Stream + ?Sized>(
        &self,
        logs: &Logs,
        key: Key,
        policy: &mut P,
        stream: &mut S,
    ) -> Result<Series, JobError> {
        let rounds = self.spec.rounds;
        let mut metrics = Metrics::new(self.shape.space, self.spec.checkpoints.grid(rounds));
        let mut rng = self.actions();
        let head = Head {
            settings: &self.settings,
            stream: &self.spec.stream[key.stream].name,
            policy: key.policy.map_or("", |i| &self.spec.policy[i].name),
            run: key.run,
        };
        let mut log = logs.start(&key, head, &self.names).map_err(JobError::Log)?;
        let mut observers: [&mut dyn Observer; 2] = [&mut metrics, &mut log];
        let played = play(policy, stream, &mut rng, rounds, &mut observers);
        log.end().map_err(JobError::Log)?;
        let played = played?;
        if played < rounds {
            return Err(JobError::ended(stream, played, rounds));
        }
        Ok(metrics.finish())
    }
}
