//! coldframe runs untrusted Python in WebAssembly: in the process that asks for it, without container or subprocess,
//! in a fresh and isolated interpreter that is there in microseconds, with limits that hold.
//!
//! ```
//! # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
//! use coldframe::{Engine, ErrorKind, Limits};
//!
//! let engine = Engine::new()?; // one for the process
//! let mut session = engine.session(&Limits::default()).await?;
//! let outcome = session.run("while True: pass").await;
//! # let _ = outcome;
//! # Ok::<(), coldframe::Error>(())
//! # }).unwrap();
//! ```
//!
//! An [`Engine`] holds the compiled interpreter and a pool of sandboxes; a [`Session`] is one of them, alive: its
//! variables stay from run to run. [`Limits`] say what it may use, a [`Policy`] what it may do, an [`Outcome`] what became of a run. A program has
//! no environment, no network and no files but its own, which live in its memory ([`Session::put_file`]); what it may do is what the host gives it: async
//! functions that it calls like its own ([`Tool`]).
//! Values go in and come out as [`Value`]s; [`value`] has the table of what crosses, and [`value::json`] how it looks as JSON.

#![deny(unsafe_code)]

pub mod backend;
pub mod bench;
#[cfg(target_os = "linux")]
mod code_cache;
mod config;
mod embedded;
mod engine;
mod error;
mod files;
mod imports;
mod limits;
mod log;
mod object;
mod output;
mod policy;
mod saved;
mod session;
mod stop;
mod ticker;
mod tool;
pub mod value;

pub use embedded::licences;
pub use engine::{Engine, EngineBuilder};
pub use error::{Error, ErrorKind, Exceeded, RunError};
pub use files::{FileEntry, FileKind};
pub use limits::{LimitError, LimitName, Limits, LimitsBuilder};
pub use log::{ExecutionLog, RunRecord, Statistics};
pub use object::ObjectType;
pub use output::{Cut, Output, Sink, Stream};
pub use policy::Policy;
pub use saved::{Saved, SavedError};
pub use session::{Import, LastValue, Outcome, RunOptions, Session, Usage, Variable};
pub use stop::CancelHandle;
pub use tool::{
    Call, Parameter, ProgressSink, Tool, ToolBuilder, ToolError, Tools, ToolsBuilder, ToolsError,
};
pub use value::{BigInt, DecodeError, EncodeError, Handle, JsonError, MAX_DEPTH, Value};
