//! Anyone's learner behind one interface, and the JSON-lines protocol that carries it.
//!
//! A subject is asked to start anew, to decide, and to take in what came of it; it can be asked
//! for its weights at any time. Whoever drives it owns all randomness: the action is sampled
//! outside, from the `q` that the subject states.
//!
//! | what | where |
//! |---|---|
//! | a function under the checks of the implementation | [`examine`] |
//! | the interface | `Subject` |
//! | the words on the wire | `protocol` |
//! | our learner as a subject | `in_process` |
//! | another program as a subject | `external` |
//! | a function as a subject | `called` |
//! | a subject as a program | `server` |
//! | how fast is it? | `speed` |
//! | the recommended router as a program | `deferlab subject --learner router` |

mod called;
mod external;
mod in_process;
mod lines;
mod protocol;
mod router;
mod sealed;
mod server;
mod speed;

pub(crate) use external::External;
pub(crate) use in_process::InProcess;
/// What can be wrong with a subject before one even looks at its numbers.
pub(crate) use lab::ProgramError as SubjectError;
pub(crate) use lab::TimeLimits;
pub(crate) use protocol::{Answer, OptimizerName, ScheduleName, SubjectFeedback, SubjectSpec};
pub(crate) use router::RouterServer;
pub use sealed::{seal, unseal};
pub(crate) use server::serve;
pub(crate) use speed::rounds_per_second;

use crate::claims::implementation;
use called::Called;

/// Puts a learner through the checks of the implementation: `reply` takes a line of the subject protocol
/// and returns the line that answers it. The findings, those of `deferlab verify --subject`, come one by
/// one, as JSON.
pub fn examine(
    reply: &dyn Fn(&str) -> Option<String>,
    seed: u64,
) -> impl Iterator<Item = serde_json::Value> {
    let findings = implementation::examine(move || Ok(Box::new(Called::new(reply))), seed);
    findings.map(|finding| serde_json::to_value(finding).expect("plain data is JSON"))
}

/// A learner that can be put through the checks.
pub(crate) trait Subject {
    /// Starts anew from `W = 0`, `t = 1`, whatever came before.
    fn init(&mut self, spec: &SubjectSpec) -> Result<(), SubjectError>;

    /// Asks for the active actions, their projected scores and `q`. `available` lists experts
    /// `0..n_e` in increasing order.
    fn decide(&mut self, x: &[f64], available: &[usize]) -> Result<Answer, SubjectError>;

    /// Tells what came of the round decided last.
    fn observe(&mut self, outcome: SubjectFeedback<'_>) -> Result<(), SubjectError>;

    /// `W_t`, `N` rows of `d + 1` entries, bias last.
    fn weights(&mut self) -> Result<Vec<Vec<f64>>, SubjectError>;
}

#[cfg(test)]
#[path = "../../theory_tests/subject.rs"]
mod tests;
