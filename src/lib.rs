//! # deferlab
//!
//! Checks the paper "Online Learning-to-Defer with Varying Experts" by running it.
//!
//! ## The problem
//! Rounds `t = 1, 2, ..`. An input `x_t` and the set `A_t` of available experts are revealed. The
//! learner answers with one of `n` classes or defers to an expert in `A_t`: it samples an action
//! from a distribution `q_t` over
//!
//! ```text
//! Y_A = {0, .., n-1} + {n + j : j in A},      K = |Y_A|,   N = n + n_e
//! ```
//!
//! and pays `1{y' != y}` for a class, `c_j(x, y)` for expert `j`, both in `[0, 1]`. It is told only
//! whether its action was right, and the cost if it asked. With the conditional score of an action,
//!
//! ```text
//! s_a = p(y = a | x)  for a class,      s_{n+j} = 1 - E[c_j(x, y) | x]  for an expert,
//! ```
//!
//! playing `a` costs `1 - s_a` in expectation. Regret is measured against the best fixed score
//! matrix `W` in a Frobenius ball, whose scores are centred over the active actions each round.
//!
//! ## Where things are
//! | question | where |
//! |---|---|
//! | which names do I need to route a stream? | [`prelude`] |
//! | what is a round made of? | [`problem`] |
//! | how does Algorithm 1 work, and what is it compared with? | [`learner`] |
//! | what is exactly true of a round, a stream, a bound? | [`theory`] |
//! | where do rounds come from, how is an experiment specified, run and kept? | [`lab`] |
//! | how do stored runs become tables, figures and one page? | [`report`] |
//! | what is a claim, a verdict, a grade, a saboteur? | [`ledger`] |
//! | what does the paper claim, and does it hold? | [`claims`] |
//! | do its published tables fit together? | [`audit`] |
//! | what does `deferlab eval` answer? | [`eval`] |
//! | how does anyone's learner come under the checks? | [`subject`] |
//!
//! New here? [`tutorial`] goes from a first round to a claim of your own, and has recipes.
//!
//! `theory` and `learner` never share code: a fault must not be able to hide by being in both.
//!
//! ## A first round
//! ```
//! use deferlab::prelude::*;
//!
//! let space = ActionSpace::new(3, 1)?; // three classes, one expert
//! let mut learner = Algorithm1::new(Config::new(space, 2))?;
//! let cost = ExpertCost::new(1.0, 0.1)?; // wrong costs 1, asking costs 0.1, normalized by 1.1
//!
//! let decision = learner.decide(Features::Dense(&[0.6, -0.8]), space.active([0])?)?;
//! let action = decision.sample(0.95); // a uniform draw of yours
//! let feedback = match space.expert_of(action) {
//!     Some(_) => Feedback::Bandit { action, correct: true, cost: Some(cost.normalized(true)) },
//!     None => Feedback::Bandit { action, correct: false, cost: None },
//! };
//! learner.observe(feedback)?;
//! # Ok::<(), LearnerError>(())
//! ```
#![deny(missing_docs)]
#![forbid(unsafe_code)]

pub mod claims;
pub mod cli;
pub mod eval;
pub mod overview;
mod prec;
mod proofs;
pub mod subject;
pub mod tutorial;

pub use audit;
pub use lab;
pub use learner;
pub use learner::prelude;
pub use ledger;
#[cfg(feature = "wrn")]
pub use network;
pub use problem;
pub use report;
pub use seed;
pub use theory;
