//! The ridge learner and the textbook policies, from their specifications.

use super::build::{Made, Shape};
use super::spec::{
    EpsilonGreedySpec, GammaSpec, LinUcbSpec, RidgeCbSpec, RunningMeansSpec, ThompsonSpec,
};
use crate::stream::Normal;
use learner::{Baseline, Exploration, Gamma, LinearConfig, RidgeCbConfig, SquareCbConfig};
use rand::SeedableRng;
use rand_pcg::Pcg64;

fn linear(shape: Shape, lambda: Option<f64>, hashed: Option<usize>) -> LinearConfig {
    let default = LinearConfig::new(shape.space, shape.dim);
    LinearConfig { lambda: lambda.unwrap_or(default.lambda), hashed, ..default }
}

pub(super) fn ridge_cb(spec: &RidgeCbSpec, shape: Shape, rounds: u64) -> RidgeCbConfig {
    let default = RidgeCbConfig::new(shape.space, shape.dim);
    let gamma = match spec.gamma {
        None => default.gamma,
        Some(GammaSpec::Growing { c }) => Gamma::Growing { c },
        Some(GammaSpec::Horizon { rounds: known, weights, rho }) => Gamma::Horizon {
            rounds: known.unwrap_or(rounds),
            weights: weights.unwrap_or(1.0),
            rho: rho.unwrap_or(shape.rho),
        },
    };
    RidgeCbConfig {
        linear: linear(shape, spec.lambda, spec.hashed),
        centred: spec.centred.unwrap_or(default.centred),
        gamma,
    }
}

pub(super) fn lin_ucb(spec: &LinUcbSpec, shape: Shape) -> Made {
    let config = linear(shape, spec.lambda, spec.hashed);
    Ok(Baseline::LinUcb(config, spec.alpha.unwrap_or(0.5)).policy()?)
}

/// Draws from a generator of its own: it must not move the draws of the actions, which all policies
/// share.
pub(super) fn thompson(spec: &ThompsonSpec, shape: Shape, seed: u64) -> Made {
    let config = linear(shape, spec.lambda, spec.hashed);
    let (mut rng, mut normal) = (Pcg64::seed_from_u64(seed), Normal::default());
    let draw = move || normal.draw(&mut rng);
    Ok(Baseline::LinearThompson(config, spec.scale.unwrap_or(0.25), Box::new(draw)).policy()?)
}

/// Logistic models; the share `epsilon` is played uniformly over the active actions, the rest goes to the
/// one with the best estimate.
pub(super) fn epsilon_greedy(spec: &EpsilonGreedySpec, shape: Shape) -> SquareCbConfig {
    let default = SquareCbConfig::new(shape.space, shape.dim);
    let exploration = Exploration::Uniform { gamma0: spec.epsilon.unwrap_or(0.05), power: 0.0 };
    SquareCbConfig { exploration, rate: spec.rate.unwrap_or(default.rate), ..default }
}

pub(super) fn running_means(spec: &RunningMeansSpec, shape: Shape) -> Made {
    let rule = spec.exploration.unwrap_or(Exploration::InverseGap { greed: 30.0 });
    Ok(Baseline::RunningMeans(shape.space, rule).policy()?)
}
