//! What can go wrong, told apart: how a run ended ([`RunError`]) and what kept it from running ([`Error`]).

use std::fmt;

use crate::limits::{LimitError, LimitName, Limits};
use crate::saved::SavedError;
use crate::session::Usage;
use crate::value::{DecodeError, EncodeError};

/// What kind of end a run came to, when it was not a success.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The source does not compile.
    Syntax,
    /// An exception that nothing caught.
    Exception,
    /// `sys.exit` or `SystemExit`, with the exit status. Not a failure if the status is 0.
    Exit {
        /// The status that Python would leave with.
        code: i32,
    },
    /// The fuel limit was used up.
    Fuel,
    /// The time limit passed.
    Time,
    /// The memory limit was reached.
    Memory,
    /// The output limit was reached.
    Output,
    /// The recursion limit was reached.
    Recursion,
    /// A `while` statement went round more often than the policy allows.
    Iterations,
    /// An exception that nothing caught, because the policy refused something.
    Refused,
    /// The caller cancelled the run, or nobody wanted its output any more.
    Cancelled,
    /// The sandbox itself failed: a defect of coldframe. Nothing outside the sandbox is harmed.
    Fault,
    /// The remote interpreter ended in the middle of the run: the program ended its process, or the system did, for want of memory perhaps.
    Died,
}

impl ErrorKind {
    /// The kind in one word, as the command line's JSON has it.
    pub fn as_str(self) -> &'static str {
        match self {
            ErrorKind::Syntax => "syntax",
            ErrorKind::Exception => "exception",
            ErrorKind::Exit { .. } => "exit",
            ErrorKind::Fuel => "fuel",
            ErrorKind::Time => "time",
            ErrorKind::Memory => "memory",
            ErrorKind::Output => "output",
            ErrorKind::Recursion => "recursion",
            ErrorKind::Iterations => "iterations",
            ErrorKind::Refused => "refused",
            ErrorKind::Cancelled => "cancelled",
            ErrorKind::Fault => "fault",
            ErrorKind::Died => "died",
        }
    }

    /// Whether one of the [`Limits`](crate::Limits) ended the run.
    pub fn is_limit(self) -> bool {
        matches!(
            self,
            ErrorKind::Fuel
                | ErrorKind::Time
                | ErrorKind::Memory
                | ErrorKind::Output
                | ErrorKind::Recursion
                | ErrorKind::Iterations
        )
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// How a run failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{type_name}: {message}")]
pub struct RunError {
    /// What kind of end it was.
    pub kind: ErrorKind,
    /// The exception's type, such as `ZeroDivisionError`.
    pub type_name: String,
    /// The exception's message.
    pub message: String,
    /// The line of the source where it happened (1-based), when known.
    pub line: Option<u32>,
    /// What Python prints: ends in a line feed; empty when the sandbox was stopped from outside.
    pub traceback: String,
    /// The failure in the words of smolagents, when the policy asks for them.
    pub(crate) agent_text: Option<Box<str>>,
    /// Whether the session was lost with it. Otherwise its variables are as the program left them.
    pub session_lost: bool,
    /// Which limit ended the run, if one did, and how much had been used.
    pub exceeded: Option<Box<Exceeded>>,
}

/// A limit that ended a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exceeded {
    /// The limit.
    pub limit: LimitName,
    /// How much was used: units of fuel, milliseconds, bytes, or frames. Somewhat more than allowed where the program ends at the next occasion, less
    /// where a request for more was refused.
    pub used: u64,
    /// How much was allowed, in the same unit.
    pub allowed: u64,
}

impl Exceeded {
    /// What a kind of error says of the limits, if it is about one.
    pub(crate) fn of(kind: ErrorKind, usage: &Usage, limits: &Limits) -> Option<Exceeded> {
        let millis =
            |time: std::time::Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let (limit, used, allowed) = match kind {
            ErrorKind::Fuel => (LimitName::Fuel, usage.fuel, limits.fuel()),
            ErrorKind::Time => (
                LimitName::Time,
                millis(if limits.counts_tool_time() {
                    usage.duration
                } else {
                    usage.duration.saturating_sub(usage.tool_time)
                }),
                millis(limits.time()),
            ),
            ErrorKind::Memory => (LimitName::Memory, usage.peak_memory, limits.memory()),
            ErrorKind::Output => (LimitName::Output, usage.output_bytes, limits.output()),
            ErrorKind::Recursion => {
                let frames = u64::from(limits.recursion());
                (LimitName::Recursion, frames, frames)
            }
            _ => return None,
        };
        Some(Exceeded {
            limit,
            used,
            allowed,
        })
    }
}

impl fmt::Display for Exceeded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Exceeded {
            limit,
            used,
            allowed,
        } = self;
        let unit = match limit {
            LimitName::Fuel => "units",
            LimitName::Time => "ms",
            LimitName::Recursion => "frames",
            _ => "bytes",
        };
        write!(
            f,
            "the {limit} limit was reached: {used} of {allowed} {unit} used"
        )
    }
}

impl RunError {
    /// Whether the program ended well all the same: by `sys.exit` with status 0.
    pub fn is_success(&self) -> bool {
        self.kind == ErrorKind::Exit { code: 0 }
    }

    /// An end that the host brought about, or found.
    pub(crate) fn outer(kind: ErrorKind, message: impl Into<String>) -> RunError {
        // The names that the guest gives to the same ends.
        let type_name = match kind {
            ErrorKind::Time => "TimeoutError",
            ErrorKind::Memory => "MemoryError",
            ErrorKind::Recursion => "RecursionError",
            ErrorKind::Cancelled => "KeyboardInterrupt",
            _ => "RuntimeError",
        };
        RunError {
            kind,
            type_name: type_name.to_owned(),
            message: message.into(),
            line: None,
            traceback: String::new(),
            agent_text: None,
            session_lost: true,
            exceeded: None,
        }
    }
}

/// What keeps a program from running at all.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A limit that makes no sense.
    #[error(transparent)]
    Limit(#[from] LimitError),
    /// The engine could not be set up.
    #[error("cannot set up the engine: {0}")]
    Engine(String),
    /// All sandboxes of the engine are in use.
    #[error("all {sessions} sessions of the engine are in use")]
    Busy {
        /// How many the engine was made for.
        sessions: u32,
    },
    /// The session was lost in an earlier run, or that run was dropped before its end.
    #[error("the session was lost in an earlier run")]
    SessionLost,
    /// A policy that makes no sense.
    #[error("policy: {reason}")]
    Policy {
        /// What is wrong with it.
        reason: String,
    },
    /// No tokio runtime drives the call.
    #[error("a session must be driven by a tokio runtime with its timer on")]
    NoRuntime,
    /// The sandbox was stopped while it served a request other than a run.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The sandbox does not take a set of tools.
    #[error("the tools cannot be defined: {0}")]
    Tools(String),
    /// A variable cannot be set or read.
    #[error("variable {name:?}: {reason}")]
    Variable {
        /// Its name.
        name: String,
        /// Why.
        reason: String,
    },
    /// A file cannot be put into the sandbox or taken out of it.
    #[error("file {path:?}: {reason}")]
    File {
        /// Its path: in the sandbox, or in the folder that is copied.
        path: String,
        /// Why.
        reason: String,
    },
    /// A saved session cannot be restored.
    #[error(transparent)]
    Saved(#[from] SavedError),
    /// A value cannot enter the sandbox.
    #[error("the value cannot enter the sandbox: {0}")]
    Encode(#[from] EncodeError),
    /// The sandbox handed out something that is not a value.
    #[error("the sandbox handed out something that is not a value: {0}")]
    Decode(#[from] DecodeError),
}
