//! Backends: where a program can run. The sandbox in this process is one, and serves pure Python; what needs packages with native code, or a network, goes
//! to a remote one if the caller has configured it. Nothing leaves the process otherwise.
//!
//! [`Backend`] is what all have in common; [`Outcome`] is the same type, and says where the program ran. A [`Launcher`] makes a
//! backend when it is needed: each remote has one, behind a cargo feature of its name. [`Router`] chooses for each program.
//!
//! | | what isolates | feature |
//! |---|---|---|
//! | [`Session`](crate::Session) | WebAssembly in this process, metered | always there |
//! | [`Jupyter`](jupyter::Jupyter) | whatever its server runs in | `jupyter` |
//! | [`Docker`](docker::Docker) | a container, which shares the kernel of its machine | `docker` |
//! | [`Blaxel`](blaxel::Blaxel) | a micro-VM of the service's | `blaxel` |
//! | [`E2b`](e2b::E2b) | a micro-VM of the service's | `e2b` |
//! | [`Modal`](modal::Modal) | a container of the service's, below gVisor | `modal` |
//!
//! This module knows no protocol.

#[cfg(feature = "blaxel")]
pub mod blaxel;
#[cfg(feature = "docker")]
pub mod docker;
#[cfg(feature = "e2b")]
pub mod e2b;
#[cfg(feature = "jupyter")]
mod guard;
#[cfg(feature = "jupyter")]
mod http;
#[cfg(feature = "jupyter")]
pub mod jupyter;
mod local;
#[cfg(feature = "modal")]
pub mod modal;
#[cfg(feature = "jupyter")]
mod program;
#[cfg(feature = "jupyter")]
mod requests;
mod route;
mod secret;
mod settings;

use std::collections::HashMap;
use std::fmt;
use std::pin::Pin;

pub use route::{Missing, Route, Router, Routing};
pub use secret::Secret;
pub use settings::Settings;

use crate::error::Error;
use crate::session::{Outcome, RunOptions, Variable};
use crate::stop::CancelHandle;
use crate::tool::Tools;
use crate::value::Value;

/// What the methods of a [`Backend`] return.
pub type Pending<'a, T> = Pin<Box<dyn Future<Output = Result<T, BackendError>> + Send + 'a>>;

/// A place where programs run, and where their variables stay from run to run.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
/// use coldframe::backend::{Backend, Place};
/// use coldframe::{Engine, Limits, RunOptions, Value};
///
/// let mut backend: Box<dyn Backend> = Box::new(Engine::new()?.session(&Limits::default()).await?);
/// backend.set_variables(&[("n".to_owned(), Value::from(20))]).await?;
/// let outcome = backend.run("n + 1", RunOptions::default()).await?;
/// assert_eq!((outcome.place, outcome.value.unwrap().repr.as_str()), (Place::Local, "21"));
/// backend.cleanup().await?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # }).unwrap();
/// ```
pub trait Backend: Send {
    /// Where this is.
    fn place(&self) -> Place;

    /// Runs a program. Whatever the program does is an [`Outcome`]; an error means that it did not run, or that nobody knows what became of it.
    fn run<'a>(&'a mut self, source: &'a str, options: RunOptions) -> Pending<'a, Outcome>;

    /// Installs packages from the place's package index.
    fn install<'a>(&'a mut self, packages: &'a [String]) -> Pending<'a, ()>;

    /// Binds variables of the main module.
    fn set_variables<'a>(&'a mut self, variables: &'a [(String, Value)]) -> Pending<'a, ()>;

    /// Reads a variable of the main module; `None` when there is no such variable.
    fn get_variable<'a>(&'a mut self, name: &'a str) -> Pending<'a, Option<Value>>;

    /// The variables of the main module, with their `repr()` cut to `repr_limit` bytes.
    fn list_variables(&mut self, repr_limit: u32) -> Pending<'_, Vec<Variable>>;

    /// Defines the tools that programs may call, in place of those defined before.
    fn set_tools<'a>(&'a mut self, tools: &'a Tools) -> Pending<'a, ()>;

    /// A handle that cancels the run that is under way.
    fn cancel_handle(&self) -> CancelHandle;

    /// What has changed in the main module since the marks were given; see [`Changes`].
    fn changes<'a>(&'a mut self, marks: &'a Marks) -> Pending<'a, Changes>;

    /// Takes over what changed elsewhere; the marks of the variables that are set.
    fn apply<'a>(&'a mut self, changes: &'a Changes) -> Pending<'a, Marks>;

    /// Gives up the place and all that was made for it. Nothing but this may be called afterwards; calling it again does nothing.
    fn cleanup(&mut self) -> Pending<'_, ()>;
}

/// Makes a backend when it is needed.
pub trait Launcher: Send + Sync {
    /// Where its backends are.
    fn place(&self) -> Place;

    /// Makes one. What fails on the way leaves nothing behind.
    fn launch(&self) -> Pending<'_, Box<dyn Backend>>;
}

/// Where a program ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Place {
    /// In the sandbox, in this process.
    Local,
    /// In a kernel of a Jupyter server.
    Jupyter,
    /// In a container.
    Docker,
    /// In a sandbox of E2B's.
    E2b,
    /// In a sandbox of Blaxel's.
    Blaxel,
    /// In a sandbox of Modal's.
    Modal,
}

impl Place {
    /// All there are.
    pub const ALL: [Place; 6] = [
        Place::Local,
        Place::Jupyter,
        Place::Docker,
        Place::E2b,
        Place::Blaxel,
        Place::Modal,
    ];

    /// The name, as the command line has it.
    pub fn as_str(self) -> &'static str {
        match self {
            Place::Local => "local",
            Place::Jupyter => "jupyter",
            Place::Docker => "docker",
            Place::E2b => "e2b",
            Place::Blaxel => "blaxel",
            Place::Modal => "modal",
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Something that a program shows which is more than text: a picture, a table, ... Only remote backends have it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Display {
    /// Whether it is the value of the last expression, and not shown on the way.
    pub is_value: bool,
    /// Its forms by media type (`image/png`, `image/svg+xml`, `text/html`, `application/json`, ...), sorted.
    pub forms: Vec<(String, DisplayData)>,
}

/// One form of a [`Display`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DisplayData {
    /// Text: HTML, SVG, JSON, ...
    Text(String),
    /// Bytes, such as a PNG's.
    Bytes(Vec<u8>),
}

impl Display {
    /// The form of that media type.
    pub fn get(&self, media_type: &str) -> Option<&DisplayData> {
        self.forms
            .iter()
            .find(|(media, _)| media == media_type)
            .map(|(_, data)| data)
    }
}

/// A variable that cannot go where the program went, or come back from there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftBehind {
    /// Its name.
    pub name: String,
    /// The name of its value's type.
    pub type_name: String,
    /// Why it stays.
    pub reason: String,
    /// Where it is.
    pub stays_in: Place,
}

/// Marks by which a backend tells whether a variable has changed, by the variable's name. What they are is its own business.
pub type Marks = HashMap<String, String>;

/// What changed in a main module.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Changes {
    /// Variables with new values: name, mark and value.
    pub changed: Vec<(String, String, Value)>,
    /// Names that had a mark and are bound no more.
    pub gone: Vec<String>,
    /// Names that are bound to modules, and the modules' names. They are imported where they are missing, if they can be.
    pub modules: Vec<(String, String)>,
    /// Variables whose values cannot cross.
    pub stay: Vec<LeftBehind>,
}

/// What keeps a backend from doing its work. No text in it holds a secret.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BackendError {
    /// The sandbox in this process says no.
    #[error(transparent)]
    Local(#[from] Error),
    /// The backend's configuration makes no sense, or is not complete.
    #[error("{place}: {reason}")]
    Configuration {
        /// The backend.
        place: Place,
        /// What is wrong.
        reason: String,
    },
    /// The backend cannot be reached, or the connection broke.
    #[error("{place} cannot be reached: {reason}")]
    Unreachable {
        /// The backend.
        place: Place,
        /// Why.
        reason: String,
    },
    /// The backend's server refused a request.
    #[error("{place} refused {request} with status {status}: {reason}")]
    Refused {
        /// The backend.
        place: Place,
        /// The method and the path.
        request: String,
        /// The HTTP status.
        status: u16,
        /// What the server says, cut.
        reason: String,
    },
    /// The backend did not get ready in time.
    #[error("{place} was not ready after {seconds} seconds: {reason}")]
    NotReady {
        /// The backend.
        place: Place,
        /// How long it was given.
        seconds: u64,
        /// How the last attempt failed.
        reason: String,
    },
    /// The server sent something that it should not have sent.
    #[error("{place} sent something that is not understood: {reason}")]
    Protocol {
        /// The backend.
        place: Place,
        /// What.
        reason: String,
    },
    /// The backend has no such thing.
    #[error("{place} cannot do that: {reason}")]
    Unsupported {
        /// The backend.
        place: Place,
        /// What it lacks.
        reason: String,
    },
    /// Packages cannot be installed.
    #[error("{place} cannot install {packages}: {reason}")]
    Install {
        /// The backend.
        place: Place,
        /// The packages.
        packages: String,
        /// What the installer says, cut.
        reason: String,
    },
    /// A variable cannot be set or read.
    #[error("variable {name:?}: {reason}")]
    Variable {
        /// Its name.
        name: String,
        /// Why.
        reason: String,
    },
    /// The backend has been given up by [`Backend::cleanup`].
    #[error("{0} has been given up")]
    Closed(Place),
}
