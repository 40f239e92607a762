//! Anyone's learner behind one interface, and the JSON-lines protocol that carries it.
//!
//! A subject is asked to start anew, to decide, and to take in what came of it; it can be asked
//! for its weights at any time. Whoever drives it owns all randomness: the action is sampled
//! outside, from the `q` that the subject states.
//!
//! | what | where |
//! |---|---|
//! | the interface | [`Subject`] |
//! | the words on the wire | `protocol` |
//! | our learner as a subject | [`InProcess`] |
//! | another program as a subject | [`External`] |
//! | a function as a subject | [`Called`] |
//! | a subject as a program | [`serve`] |
//! | how fast is it? | [`rounds_per_second`] |
//! | the recommended router as a program | `deferlab subject --learner router` |

mod called;
mod external;
mod in_process;
mod protocol;
mod router;
mod sealed;
mod server;
mod speed;

pub use called::Called;
pub use external::External;
pub use in_process::InProcess;
/// What can be wrong with a subject before one even looks at its numbers.
pub use lab::ProgramError as SubjectError;
pub use lab::TimeLimits;
pub use protocol::{Answer, OptimizerName, ScheduleName, SubjectFeedback, SubjectSpec};
pub(crate) use router::RouterServer;
pub use sealed::{seal, unseal};
pub use server::serve;
pub use speed::rounds_per_second;

/// A learner that can be put through the checks.
pub trait Subject {
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
