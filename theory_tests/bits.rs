//! The same configuration gives the same bits: on every instruction set, with any number of
//! threads, and as recorded.
// A test binary has no outside: `pub` only says that other modules of it use an item.
#![allow(unreachable_pub)]

mod made_up_rounds;

use deferlab::learner::Surrogate;
use deferlab::learner::{Algorithm1, Config, Optimizer, Policy, Schedule};
use made_up_rounds::Scenario;
use rayon::prelude::*;
use sha2::{Digest, Sha256};

/// Hash of all weights and decisions of the runs below, as any x86-64 machine must give it. It
/// changes when the arithmetic of a round changes: record the new value only if that was meant.
const RECORDED: &str = "62cb5982d804b448787f71e105d957c8c03972b94c4445f491e31bc31a5846ba";

/// Optimisers, surrogates and feature kinds whose arithmetic differs.
const RUNS: usize = 12;

fn run(index: usize, portable: bool) -> Vec<u8> {
    let seed = 1000 + index as u64;
    let (n, n_e, dim) = [(6, 3, 120), (4, 3, 47), (2, 1, 3), (8, 59, 16)][index % 4];
    let scenario = Scenario::new(n, n_e, dim, seed);
    let surrogate = [Surrogate::CstndHinge, Surrogate::CompLog, Surrogate::CstndSq][index / 4 % 3];
    let optimizer = if index.is_multiple_of(2) { Optimizer::Ogd } else { Optimizer::ADAGRAD };
    let schedule = if index < 6 { Schedule::General } else { Schedule::EXPERIMENT };
    let config = Config {
        radius: Some(0.5),
        optimizer,
        surrogate,
        schedule,
        ..Config::new(scenario.space, dim)
    };
    let mut learner = Algorithm1::new(config).unwrap();
    if portable {
        learner = learner.portable();
    }
    let mut source = scenario.start();
    let mut hash = Sha256::new();
    for _ in 0..2000 {
        let round = source.next_round();
        let x = if index.is_multiple_of(3) { round.dense() } else { round.sparse() };
        let decision = learner.decide(x, round.active).unwrap();
        let action = decision.sample(round.quantile);
        hash.update([decision.greedy.index() as u8, action.index() as u8]);
        for value in decision.scores.iter().chain(decision.q) {
            hash.update(value.to_bits().to_le_bytes());
        }
        learner.observe(round.bandit(action)).unwrap();
    }
    for weight in learner.weights().iter().flatten() {
        hash.update(weight.to_bits().to_le_bytes());
    }
    hash.finalize().to_vec()
}

/// One hash over all runs, in order.
fn hash_of_runs(portable: bool, threads: usize) -> String {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let hashes: Vec<Vec<u8>> =
        pool.install(|| (0..RUNS).into_par_iter().map(|index| run(index, portable)).collect());
    let mut hash = Sha256::new();
    hashes.iter().for_each(|h| hash.update(h));
    hash.finalize().iter().map(|b| format!("{b:02x}")).collect()
}

#[test]
fn fast_path_matches_the_record_with_any_number_of_threads() {
    for threads in [1, 2, 7] {
        let hash = hash_of_runs(false, threads);
        assert_eq!(hash, RECORDED, "{threads} threads");
    }
}

#[test]
fn portable_path_matches_the_record() {
    assert_eq!(hash_of_runs(true, 1), RECORDED);
}

/// Two runs that differ hash differently: the record is about the arithmetic, not about nothing.
#[test]
fn different_runs_have_different_hashes() {
    let hashes: std::collections::BTreeSet<_> = (0..RUNS).map(|index| run(index, false)).collect();
    assert_eq!(hashes.len(), RUNS);
}
