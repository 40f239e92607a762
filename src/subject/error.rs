//! What can be wrong with a subject before one even looks at its numbers.

use thiserror::Error;

/// The subject did not answer, or not with an answer. Messages are verdicts: they are shown as
/// they are to the person whose program it is.
#[expect(missing_docs, reason = "the message of a variant says what it is")]
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SubjectError {
    #[error("the subject cannot be started: {0}")]
    NotStarted(String),
    #[error("the subject refused {request}: {message}")]
    Refused { request: String, message: String },
    #[error("the subject crashed: it ended ({status}) when asked to {request}{last_words}")]
    Crashed { request: String, status: String, last_words: String },
    #[error("the subject hangs: no reply to {request} within {seconds} s")]
    Hung { request: String, seconds: String },
    #[error(
        "the subject is too slow: the time for all checks was over before it replied to {request}"
    )]
    TooSlow { request: String },
    #[error("the subject printed rubbish in reply to {request}: {line} ({problem})")]
    Rubbish { request: String, line: String, problem: String },
    #[error("the subject's reply to {request} has {value} at {place}: expected a finite number")]
    NotFinite { request: String, place: String, value: String },
    #[error("the subject's reply to {request} has the wrong shape: {problem}")]
    WrongShape { request: String, problem: String },
}

impl SubjectError {
    /// Nothing more can be learned from this process, and the next one would cost as long.
    #[must_use]
    pub fn is_hang(&self) -> bool {
        matches!(self, SubjectError::Hung { .. } | SubjectError::TooSlow { .. })
    }
}
