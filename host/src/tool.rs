//! Tools: async functions of the host that programs call like functions of their own.
//!
//! [`definition`] is what a tool looks like to Python, [`call`] what its body gets; [`serve`] answers the sandbox, and [`running`] keeps the calls that
//! run beside the program.

mod call;
mod definition;
mod guard;
#[cfg(feature = "jupyter")]
pub(crate) mod remote;
mod running;
mod serve;

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

pub use call::{Call, ProgressSink};
pub use definition::{Parameter, ToolsBuilder, ToolsError};
pub(crate) use serve::{SessionTools, link};

use crate::value::{EncodeError, Value};

/// What a body returns while it runs.
pub(crate) type Pending = Pin<Box<dyn Future<Output = Result<Value, ToolError>> + Send>>;

type Body = Box<dyn Fn(Call) -> Pending + Send + Sync>;

/// How a tool is called; the numbers are those of the contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Plain = 0,
    Coroutine = 1,
    Final = 2,
    Answer = 3,
}

/// A function of the host that programs call by its name.
///
/// To Python it is a function: `help()` and `inspect.signature()` know it, and wrong arguments are the `TypeError` that a Python function with this
/// signature raises. Its body is an async closure; while it runs, the program waits and the thread serves others.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
/// use coldframe::{Engine, Limits, Parameter, Tool, Tools, Value};
///
/// let repeat = Tool::new("repeat")
///     .doc("Repeats a text.")
///     .parameter(Parameter::new("text").annotation("str"))
///     .parameter(Parameter::new("times").annotation("int").default(2))
///     .returns("str")
///     .function(|call| async move {
///         let times = call.int("times")?;
///         Ok(call.str("text")?.repeat(usize::try_from(times).unwrap_or(0)).into())
///     });
/// let tools = Tools::new([repeat])?; // once: any number of sessions share them
///
/// let engine = Engine::new()?;
/// let mut session = engine.session(&Limits::default()).await?;
/// session.set_tools(&tools).await?;
/// let outcome = session.run("repeat('ab') + repeat('c', times=3)").await?;
/// assert_eq!(outcome.value.unwrap().value, Some(Value::from("ababccc")));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # }).unwrap();
/// ```
#[derive(Clone)]
pub struct Tool(Arc<Inner>);

struct Inner {
    name: String,
    doc: Option<String>,
    parameters: Vec<Parameter>,
    returns: Option<String>,
    timeout: Option<Duration>,
    mode: Mode,
    body: Body,
}

impl Tool {
    /// Starts the declaration of a tool; one of [`ToolBuilder::function`], [`ToolBuilder::coroutine`] and [`ToolBuilder::final_answer`] ends it.
    #[allow(clippy::new_ret_no_self)] // what is new is the declaration
    pub fn new(name: impl Into<String>) -> ToolBuilder {
        ToolBuilder {
            name: name.into(),
            doc: None,
            parameters: Vec::new(),
            returns: None,
            timeout: None,
        }
    }

    /// The tool `final_answer(answer)`: its argument ends the run and becomes [`Outcome::value`](crate::Outcome::value), with
    /// [`Outcome::is_final_answer`](crate::Outcome::is_final_answer) set. Any object may be an answer; one that cannot leave the sandbox has its
    /// `repr()` only. The host is not asked, so this is no call that counts.
    pub fn answer() -> Tool {
        Tool::new("final_answer")
            .doc("Ends the run with the given answer.")
            .parameter(Parameter::new("answer"))
            .finish(Mode::Answer, |_| async { Ok(Value::None) })
    }

    /// The tool's name.
    pub fn name(&self) -> &str {
        &self.0.name
    }
}

impl fmt::Debug for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tool")
            .field("name", &self.0.name)
            .field("parameters", &self.0.parameters)
            .field("mode", &self.0.mode)
            .finish_non_exhaustive()
    }
}

/// A tool that is being declared; made by [`Tool::new`].
#[derive(Clone, Debug)]
pub struct ToolBuilder {
    name: String,
    doc: Option<String>,
    parameters: Vec<Parameter>,
    returns: Option<String>,
    timeout: Option<Duration>,
}

impl ToolBuilder {
    /// The documentation, `__doc__`.
    pub fn doc(mut self, text: impl Into<String>) -> Self {
        self.doc = Some(text.into());
        self
    }

    /// Adds a parameter.
    pub fn parameter(mut self, parameter: Parameter) -> Self {
        self.parameters.push(parameter);
        self
    }

    /// The annotation of the return value, as Python source.
    pub fn returns(mut self, annotation: impl Into<String>) -> Self {
        self.returns = Some(annotation.into());
        self
    }

    /// How long a call may take; the program gets a `TimeoutError` when it takes longer.
    pub fn timeout(mut self, time: Duration) -> Self {
        self.timeout = Some(time);
        self
    }

    /// A tool that the program calls and waits for.
    pub fn function<F, T>(self, body: F) -> Tool
    where
        F: Fn(Call) -> T + Send + Sync + 'static,
        T: Future<Output = Result<Value, ToolError>> + Send + 'static,
    {
        self.finish(Mode::Plain, body)
    }

    /// A tool that the program awaits, as if it was declared by `async def`: several calls run at once, with `asyncio.gather` and the like.
    pub fn coroutine<F, T>(self, body: F) -> Tool
    where
        F: Fn(Call) -> T + Send + Sync + 'static,
        T: Future<Output = Result<Value, ToolError>> + Send + 'static,
    {
        self.finish(Mode::Coroutine, body)
    }

    /// A tool whose value is the run's final answer: it ends the run from any depth. Only `finally` blocks run; no `except` clause sees it.
    pub fn final_answer<F, T>(self, body: F) -> Tool
    where
        F: Fn(Call) -> T + Send + Sync + 'static,
        T: Future<Output = Result<Value, ToolError>> + Send + 'static,
    {
        self.finish(Mode::Final, body)
    }

    fn finish<F, T>(self, mode: Mode, body: F) -> Tool
    where
        F: Fn(Call) -> T + Send + Sync + 'static,
        T: Future<Output = Result<Value, ToolError>> + Send + 'static,
    {
        Tool(Arc::new(Inner {
            name: self.name,
            doc: self.doc,
            parameters: self.parameters,
            returns: self.returns,
            timeout: self.timeout,
            mode,
            body: Box::new(move |call| Box::pin(body(call))),
        }))
    }
}

/// A set of tools, checked and ready for any number of sessions; cheap to clone. See [`Tool`].
#[derive(Clone)]
pub struct Tools(Arc<Set>);

struct Set {
    /// Sorted by name.
    tools: Vec<Tool>,
    /// The definitions, as the sandbox wants them.
    encoded: Vec<u8>,
}

impl Tools {
    /// A set of these tools. [`Tools::builder`] can declare exception classes too.
    pub fn new(tools: impl IntoIterator<Item = Tool>) -> Result<Tools, ToolsError> {
        tools
            .into_iter()
            .fold(Tools::builder(), ToolsBuilder::tool)
            .build()
    }

    /// Starts an empty set.
    pub fn builder() -> ToolsBuilder {
        ToolsBuilder::default()
    }

    /// The tools, sorted by name.
    pub fn iter(&self) -> impl Iterator<Item = &Tool> {
        self.0.tools.iter()
    }

    fn find(&self, name: &str) -> Option<&Tool> {
        let at = self
            .0
            .tools
            .binary_search_by(|tool| tool.name().cmp(name))
            .ok()?;
        Some(&self.0.tools[at])
    }

    pub(crate) fn encoded(&self) -> &[u8] {
        &self.0.encoded
    }

    pub(crate) fn same(&self, other: &Tools) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl fmt::Debug for Tools {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.0.tools).finish()
    }
}

/// Why a tool did not return a value: the exception that the program gets.
///
/// ```
/// let error = coldframe::ToolError::new("ValueError", "no such city");
/// assert_eq!(error.to_string(), "ValueError: no such city");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{type_name}: {message}")]
pub struct ToolError {
    /// Name of the exception class: a built-in one, or one that the set of tools declares. Any other becomes `RuntimeError`.
    pub type_name: String,
    /// The exception's message.
    pub message: String,
}

impl ToolError {
    /// An exception of that class with that message.
    pub fn new(type_name: impl Into<String>, message: impl Into<String>) -> ToolError {
        ToolError {
            type_name: type_name.into(),
            message: message.into(),
        }
    }

    /// A `RuntimeError` with the text of `error`.
    pub fn runtime(error: impl fmt::Display) -> ToolError {
        ToolError::new("RuntimeError", error.to_string())
    }
}

/// So that a tool can drive another session with `?`.
impl From<crate::Error> for ToolError {
    fn from(error: crate::Error) -> ToolError {
        ToolError::runtime(error)
    }
}

/// The exception of a program in another session goes on with its own class.
impl From<crate::RunError> for ToolError {
    fn from(error: crate::RunError) -> ToolError {
        ToolError::new(error.type_name, error.message)
    }
}

impl From<EncodeError> for ToolError {
    fn from(error: EncodeError) -> ToolError {
        ToolError::runtime(error)
    }
}
