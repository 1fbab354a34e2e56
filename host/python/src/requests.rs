//! What a session can be asked, read from Python's arguments and answered with an object of Python's.

use std::sync::Arc;

use coldframe::{
    CancelHandle, Engine, FileKind, Outcome, Policy, RunOptions, Saved, Session, Stream,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyString, PyTuple};

use crate::drive;
use crate::errors::{self, Failure};
use crate::session::Core;
use crate::tools::{self, Tools};
use crate::values::{Keeper, Things, from_py, to_py};
use crate::with_python;

/// A session's place: empty before it is opened and after it is closed.
pub(crate) type Slot = Option<Session>;

pub(crate) enum Request {
    Open {
        engine: Engine,
        policy: Box<Policy>,
        saved: Option<Saved>,
        tools: Option<coldframe::Tools>,
    },
    Run(Box<Run>),
    SetVariables(Py<PyDict>),
    GetVariable(String),
    ListVariables(u32),
    ListImports(String),
    SetTools(coldframe::Tools),
    PutFile(String, Vec<u8>),
    TakeFile(String),
    ListFiles(String),
    MakeDirectory(String),
    Reset,
    Save,
    Fork,
    Log,
    Close,
}

pub(crate) struct Run {
    source: String,
    file_name: String,
    want_value: bool,
    last: bool,
    top_level_await: bool,
    sink: Option<Py<PyAny>>,
}

impl Request {
    /// Reads the name of a request and its arguments.
    pub(crate) fn read(name: &str, arguments: &Bound<'_, PyTuple>) -> PyResult<Request> {
        let py = arguments.py();
        let text = |i: usize| arguments.get_item(i)?.extract::<String>();
        Ok(match name {
            "run" => {
                let (source, file_name, want_value, last, top_level_await, sink) =
                    arguments.extract()?;
                Request::Run(Box::new(Run {
                    source,
                    file_name,
                    want_value,
                    last,
                    top_level_await,
                    sink,
                }))
            }
            "set_variables" => {
                Request::SetVariables(arguments.get_item(0)?.cast::<PyDict>()?.clone().unbind())
            }
            "get_variable" => Request::GetVariable(text(0)?),
            "list_variables" => Request::ListVariables(arguments.get_item(0)?.extract()?),
            "list_imports" => Request::ListImports(text(0)?),
            "set_tools" => {
                let tools = arguments.get_item(0)?;
                Request::SetTools(tools.cast::<Tools>()?.get().set.clone())
            }
            "put_file" => Request::PutFile(text(0)?, arguments.get_item(1)?.extract()?),
            "take_file" => Request::TakeFile(text(0)?),
            "list_files" => Request::ListFiles(text(0)?),
            "make_directory" => Request::MakeDirectory(text(0)?),
            "reset" => Request::Reset,
            "save" => Request::Save,
            "fork" => Request::Fork,
            "log" => Request::Log,
            "close" => Request::Close,
            "open" => {
                let (engine, options, saved, tools) = arguments.extract::<(
                    Bound<'_, crate::session::Engine>,
                    Bound<'_, PyDict>,
                    Option<Bound<'_, PyBytes>>,
                    Option<Bound<'_, Tools>>,
                )>()?;
                let saved = saved
                    .map(|bytes| Saved::from_bytes(bytes.as_bytes()))
                    .transpose()
                    .map_err(|e| errors::named(py, "SavedError", e.to_string()))?;
                Request::Open {
                    engine: engine.get().inner(py)?,
                    policy: Box::new(crate::policy::read(py, &options)?),
                    saved,
                    tools: tools::set_of(tools.as_ref()),
                }
            }
            _ => return Err(PyValueError::new_err(format!("no request {name:?}"))),
        })
    }

    /// Serves the request. `opened` gets the handle of a session that was opened.
    pub(crate) async fn serve(
        self,
        slot: &mut Slot,
        generous: bool,
        things: &Arc<Things>,
        opened: impl FnOnce(CancelHandle),
    ) -> Result<Py<PyAny>, Failure> {
        match self {
            Request::Open {
                engine,
                policy,
                saved,
                tools,
            } => {
                let mut session = match saved {
                    Some(saved) => engine.restore(&saved, *policy).await?,
                    None => engine.session(*policy).await?,
                };
                if let Some(tools) = tools {
                    session.set_tools(&tools).await?;
                }
                opened(session.cancel_handle());
                *slot = Some(session);
                return Ok(with_python(|py| py.None()));
            }
            Request::Close => {
                *slot = None;
                return Ok(with_python(|py| py.None()));
            }
            _ => {}
        }
        let Some(session) = slot else {
            let closed = |py: Python<'_>| {
                errors::named(py, "SessionClosedError", "the session is closed".to_owned())
            };
            return Err(with_python(closed).into());
        };
        match self {
            Request::Run(run) => {
                let mut options = RunOptions::default()
                    .file_name(run.file_name)
                    .want_value(run.want_value)
                    .last(run.last)
                    .top_level_await(run.top_level_await);
                if let Some(sink) = run.sink {
                    options = options.on_output(output_to(sink));
                }
                let outcome = session.run_with(&run.source, options).await?;
                let session = &*session;
                Ok(with_python(|py| {
                    told(py, &outcome, &Keeper::Session(session, things, generous))
                })?)
            }
            Request::SetVariables(variables) => {
                let values = with_python(|py| {
                    let keeper = Keeper::Session(session, things, generous);
                    let variables = variables.bind(py).iter();
                    variables
                        .map(|(name, value)| {
                            let name: String = name.extract()?;
                            let value =
                                from_py(&value, &keeper).map_err(|e| noted(py, e, &name))?;
                            Ok((name, value))
                        })
                        .collect::<PyResult<Vec<_>>>()
                })?;
                for (name, value) in &values {
                    session.set_variable(name, value).await?;
                }
                Ok(none())
            }
            Request::GetVariable(name) => {
                let value = session.get_variable(&name).await?;
                let session = &*session;
                Ok(with_python(|py| -> PyResult<_> {
                    let found = match &value {
                        Some(value) => (
                            true,
                            to_py(py, value, &Keeper::Session(session, things, generous))?,
                        ),
                        None => (false, py.None().into_bound(py)),
                    };
                    Ok(found.into_pyobject(py)?.into_any().unbind())
                })?)
            }
            Request::ListVariables(limit) => {
                let list = session.list_variables(limit).await?;
                Ok(with_python(|py| -> PyResult<_> {
                    let list = list
                        .into_iter()
                        .map(|variable| (variable.name, variable.type_name, variable.repr));
                    Ok(PyList::new(py, list.collect::<Vec<_>>())?
                        .into_any()
                        .unbind())
                })?)
            }
            Request::ListImports(source) => {
                let list = session.list_imports(&source).await?;
                Ok(with_python(|py| -> PyResult<_> {
                    let list = list.into_iter().map(|import| (import.module, import.line));
                    Ok(PyList::new(py, list.collect::<Vec<_>>())?
                        .into_any()
                        .unbind())
                })?)
            }
            Request::SetTools(tools) => {
                session.set_tools(&tools).await?;
                Ok(none())
            }
            Request::PutFile(path, data) => {
                session.put_file(&path, &data).await?;
                Ok(none())
            }
            Request::TakeFile(path) => {
                let data = session.take_file(&path).await?;
                Ok(with_python(|py| {
                    PyBytes::new(py, &data).into_any().unbind()
                }))
            }
            Request::ListFiles(directory) => {
                let list = session.list_files(&directory).await?;
                Ok(with_python(|py| -> PyResult<_> {
                    let list = list.into_iter().map(|entry| {
                        let kind = match entry.kind {
                            FileKind::File => "file",
                            FileKind::Directory => "directory",
                            FileKind::Link => "link",
                            FileKind::Other => "other",
                        };
                        (entry.path, kind, entry.size)
                    });
                    Ok(PyList::new(py, list.collect::<Vec<_>>())?
                        .into_any()
                        .unbind())
                })?)
            }
            Request::MakeDirectory(path) => {
                session.make_directory(&path).await?;
                Ok(none())
            }
            Request::Reset => {
                session.reset().await?;
                Ok(none())
            }
            Request::Save => {
                let saved = session.save().await?;
                Ok(with_python(|py| {
                    PyBytes::new(py, saved.as_bytes()).into_any().unbind()
                }))
            }
            Request::Fork => {
                let fork = session.fork().await?;
                Ok(with_python(|py| {
                    Py::new(py, Core::of(fork, generous, things.clone())).map(Py::into_any)
                })?)
            }
            Request::Log => {
                let log = session.log().to_json();
                Ok(with_python(|py| {
                    PyString::new(py, &log).into_any().unbind()
                }))
            }
            // Served above.
            Request::Open { .. } | Request::Close => Ok(none()),
        }
    }
}

fn none() -> Py<PyAny> {
    with_python(|py| py.None())
}

/// Says which variable it is about.
fn noted(py: Python<'_>, error: PyErr, name: &str) -> PyErr {
    let is_crossing = error
        .get_type(py)
        .name()
        .is_ok_and(|class| class == "CrossingError");
    if is_crossing {
        errors::named(
            py,
            "CrossingError",
            format!("variable {name:?}: {}", error.value(py)),
        )
    } else {
        error
    }
}

/// Hands output on as it comes. What the callback raises ends the run; if it returns `False`, the run is cancelled.
fn output_to(sink: Py<PyAny>) -> impl FnMut(Stream, &[u8]) -> bool + Send + 'static {
    let sink = Arc::new(sink);
    move |stream, bytes| {
        let Some(driver) = drive::current() else {
            return false;
        };
        let name = match stream {
            Stream::Stdout => "stdout",
            Stream::Stderr => "stderr",
        };
        let (sink, text) = (sink.clone(), String::from_utf8_lossy(bytes).into_owned());
        let for_job = driver.clone();
        driver.ask(Box::new(move |py: Python<'_>| {
            match sink.bind(py).call1((name, text)) {
                Ok(answer) if answer.is(pyo3::types::PyBool::new(py, false)) => for_job.stop(),
                Ok(_) => {}
                Err(error) => for_job.fail(error),
            }
        }));
        true
    }
}

/// An outcome as the arguments of `coldframe._outcome.make`.
fn told(py: Python<'_>, outcome: &Outcome, keeper: &Keeper<'_>) -> PyResult<Py<PyAny>> {
    let (has_value, crossed, value, repr) = match &outcome.value {
        None => (false, true, py.None().into_bound(py), "None"),
        Some(last) => match &last.value {
            Some(value) => (true, true, to_py(py, value, keeper)?, last.repr.as_str()),
            None => (true, false, py.None().into_bound(py), last.repr.as_str()),
        },
    };
    let error = match &outcome.error {
        Some(error) => Some(errors::run_error(py, error)?),
        None => None,
    };
    let usage = &outcome.usage;
    let usage = (
        usage.fuel,
        usage.operations,
        usage.duration.as_secs_f64(),
        usage.peak_memory,
        usage.output_bytes,
        usage.tool_calls,
        usage.tool_time.as_secs_f64(),
    );
    let (stdout, stderr) = (outcome.output.stdout(), outcome.output.stderr());
    let parts = (
        has_value,
        crossed,
        value,
        repr,
        outcome.is_final_answer,
        stdout,
        stderr,
        error,
        usage,
        outcome.agent_text(),
    );
    Ok(parts.into_pyobject(py)?.into_any().unbind())
}
