//! What a session can be asked, read from Python's arguments and answered with an object of Python's.

use std::sync::{Arc, Mutex, PoisonError};

use coldframe::backend::DisplayData;
use coldframe::{CancelHandle, Engine, FileKind, Outcome, Policy, RunOptions, Saved, Stream};
use pyo3::exceptions::{PyException, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyString, PyTuple};

use crate::bounds::Bounds;
use crate::drive::{self, Driver};
use crate::errors::{self, Failure};
use crate::policy::Rules;
use crate::remote::{Plan, Routes};
use crate::runner::Runner;
use crate::session::Core;
use crate::tools::{self, Tools};
use crate::values::{Held, Keeper, from_py, to_py};
use crate::with_python;

/// A session's place: empty before it is opened and after it is closed.
pub(crate) type Slot = Option<Runner>;

pub(crate) enum Request {
    Open {
        engine: Engine,
        policy: Box<Policy>,
        saved: Option<Saved>,
        tools: Option<coldframe::Tools>,
        plan: Option<Arc<Plan>>,
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
                let (engine, rules, saved, tools, routes) = arguments.extract::<(
                    Bound<'_, crate::session::Engine>,
                    Bound<'_, Rules>,
                    Option<Bound<'_, PyBytes>>,
                    Option<Bound<'_, Tools>>,
                    Option<Bound<'_, Routes>>,
                )>()?;
                let saved = saved
                    .map(|bytes| Saved::from_bytes(bytes.as_bytes()))
                    .transpose()
                    .map_err(|e| errors::named(py, "SavedError", e.to_string()))?;
                Request::Open {
                    engine: engine.get().inner(py)?,
                    policy: Box::new(rules.get().policy.clone()),
                    saved,
                    tools: tools::set_of(tools.as_ref()),
                    plan: routes.map(|routes| routes.get().plan.clone()),
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
        held: &Py<Held>,
        opened: impl FnOnce(CancelHandle),
    ) -> Result<Py<PyAny>, Failure> {
        match self {
            Request::Open {
                engine,
                policy,
                saved,
                tools,
                plan,
            } => {
                let session = match saved {
                    Some(saved) => engine.restore(&saved, *policy).await?,
                    None => engine.session(*policy).await?,
                };
                let mut runner = Runner::new(session, plan)?;
                if let Some(tools) = tools {
                    runner.set_tools(&tools).await?;
                }
                opened(runner.cancel_handle());
                *slot = Some(runner);
                return Ok(with_python(|py| py.None()));
            }
            Request::Close => {
                if let Some(runner) = slot.take() {
                    runner.close().await?;
                }
                return Ok(with_python(|py| py.None()));
            }
            _ => {}
        }
        let things = &held.get().things;
        let Some(runner) = slot else {
            let closed = |py: Python<'_>| {
                errors::named(py, "SessionClosedError", "the session is closed".to_owned())
            };
            return Err(with_python(closed).into());
        };
        let Some(driver) = drive::current() else {
            return Err(
                with_python(|_| PyRuntimeError::new_err("nobody drives this request")).into(),
            );
        };
        match self {
            Request::Run(run) => {
                let mut options = RunOptions::default()
                    .file_name(run.file_name)
                    .want_value(run.want_value)
                    .last(run.last)
                    .top_level_await(run.top_level_await);
                let rest = run.sink.map(|sink| Arc::new(Rest::new(sink)));
                if let Some(rest) = &rest {
                    options = options.on_output(output_to(rest.clone()));
                }
                let outcome = runner.run(&run.source, options).await;
                if let Some(rest) = rest {
                    rest.end(&driver);
                }
                let outcome = outcome?;
                let session = runner.sandbox();
                Ok(with_python(|py| {
                    let keeper = Keeper::Session(session, things, generous);
                    told(py, &outcome, &keeper, &Bounds::new(&driver))
                })?)
            }
            Request::SetVariables(variables) => {
                let session = runner.sandbox();
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
                runner.set_variables(&values).await?;
                Ok(none())
            }
            Request::GetVariable(name) => {
                let value = runner.get_variable(&name).await?;
                let session = runner.sandbox();
                Ok(with_python(|py| -> PyResult<_> {
                    let found = match &value {
                        Some(value) => {
                            let keeper = Keeper::Session(session, things, generous);
                            let object = to_py(py, value, &keeper, &Bounds::new(&driver))
                                .map_err(|e| unmade(py, e, &name))?;
                            (true, object)
                        }
                        None => (false, py.None().into_bound(py)),
                    };
                    Ok(found.into_pyobject(py)?.into_any().unbind())
                })?)
            }
            Request::ListVariables(limit) => {
                let list = runner.list_variables(limit).await?;
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
                let list = runner.sandbox_mut().list_imports(&source).await?;
                Ok(with_python(|py| -> PyResult<_> {
                    let list = list.into_iter().map(|import| (import.module, import.line));
                    Ok(PyList::new(py, list.collect::<Vec<_>>())?
                        .into_any()
                        .unbind())
                })?)
            }
            Request::SetTools(tools) => {
                runner.set_tools(&tools).await?;
                Ok(none())
            }
            Request::PutFile(path, data) => {
                runner.sandbox_mut().put_file(&path, &data).await?;
                Ok(none())
            }
            Request::TakeFile(path) => {
                let data = runner.sandbox_mut().take_file(&path).await?;
                Ok(with_python(|py| {
                    PyBytes::new(py, &data).into_any().unbind()
                }))
            }
            Request::ListFiles(directory) => {
                let list = runner.sandbox_mut().list_files(&directory).await?;
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
                runner.sandbox_mut().make_directory(&path).await?;
                Ok(none())
            }
            Request::Reset => {
                runner.reset().await?;
                Ok(none())
            }
            Request::Save => {
                let saved = runner.sandbox_mut().save().await?;
                Ok(with_python(|py| {
                    PyBytes::new(py, saved.as_bytes()).into_any().unbind()
                }))
            }
            Request::Fork => {
                let fork = runner.fork().await?;
                Ok(with_python(|py| {
                    let core = Core::of(fork, generous, held.clone_ref(py));
                    Py::new(py, core).map(Py::into_any)
                })?)
            }
            Request::Log => {
                let log = runner.sandbox().log().to_json();
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

/// Of a variable whose value cannot be made here: a class of the host's refuses it, or the host has no such time zone.
fn unmade(py: Python<'_>, error: PyErr, name: &str) -> PyErr {
    if !error.is_instance_of::<PyException>(py) {
        return error;
    }
    let message = match error.get_type(py).name() {
        Ok(class) if class == "CrossingError" => format!("variable {name:?}: {}", error.value(py)),
        Ok(class) => format!("variable {name:?}: {class}: {}", error.value(py)),
        Err(_) => format!("variable {name:?}"),
    };
    let made = errors::named(py, "CrossingError", message);
    made.set_cause(py, Some(error));
    made
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

/// A callback for output, and what was written of characters that are not complete yet: to stdout and to stderr.
struct Rest {
    sink: Py<PyAny>,
    bytes: [Mutex<Vec<u8>>; 2],
}

impl Rest {
    fn new(sink: Py<PyAny>) -> Rest {
        Rest {
            sink,
            bytes: Default::default(),
        }
    }

    /// Adds what was written, and gives what is complete; at the end everything is.
    fn add(&self, stream: Stream, written: &[u8], is_end: bool) -> String {
        let place = match stream {
            Stream::Stdout => &self.bytes[0],
            Stream::Stderr => &self.bytes[1],
        };
        let mut bytes = place.lock().unwrap_or_else(PoisonError::into_inner);
        bytes.extend_from_slice(written);
        let open = if is_end { 0 } else { open_end(&bytes) };
        let complete = bytes.len() - open;
        let rest = bytes.split_off(complete);
        let complete = std::mem::replace(&mut *bytes, rest);
        String::from_utf8_lossy(&complete).into_owned()
    }

    /// Asks for the callback. What it raises ends the run; if it returns `False`, the run is cancelled.
    fn ask(self: &Arc<Rest>, driver: &Arc<Driver>, stream: Stream, text: String) {
        if text.is_empty() {
            return;
        }
        let name = match stream {
            Stream::Stdout => "stdout",
            Stream::Stderr => "stderr",
        };
        let (rest, for_job) = (self.clone(), driver.clone());
        driver.ask(Box::new(move |py: Python<'_>| {
            match rest.sink.bind(py).call1((name, text)) {
                Ok(answer) if answer.is(pyo3::types::PyBool::new(py, false)) => for_job.stop(),
                Ok(_) => {}
                Err(error) => for_job.fail(error),
            }
        }));
    }

    /// Hands on what has come of characters that were never completed.
    fn end(self: &Arc<Rest>, driver: &Arc<Driver>) {
        for stream in [Stream::Stdout, Stream::Stderr] {
            self.ask(driver, stream, self.add(stream, &[], true));
        }
    }
}

/// How many bytes at the end are the beginning of a character.
fn open_end(bytes: &[u8]) -> usize {
    let from = bytes.len().saturating_sub(3);
    let begun = bytes[from..]
        .iter()
        .rposition(|byte| !(0x80..0xC0).contains(byte));
    let Some(at) = begun.map(|at| from + at) else {
        return 0;
    };
    match std::str::from_utf8(&bytes[at..]) {
        Err(error) if error.error_len().is_none() => bytes.len() - at,
        _ => 0,
    }
}

/// Hands output on as it comes.
fn output_to(rest: Arc<Rest>) -> impl FnMut(Stream, &[u8]) -> bool + Send + 'static {
    move |stream, bytes| {
        let Some(driver) = drive::current() else {
            return false;
        };
        rest.ask(&driver, stream, rest.add(stream, bytes, false));
        true
    }
}

/// An outcome as the arguments of `coldframe._outcome.make`.
fn told(
    py: Python<'_>,
    outcome: &Outcome,
    keeper: &Keeper<'_>,
    bounds: &Bounds<'_>,
) -> PyResult<Py<PyAny>> {
    let (has_value, crossed, value, repr) = match &outcome.value {
        None => (false, true, py.None().into_bound(py), "None"),
        Some(last) => match &last.value {
            Some(value) => match to_py(py, value, keeper, bounds) {
                Ok(object) => (true, true, object, last.repr.as_str()),
                // A class of the host's refuses it, or the host has no such thing: what a program answers with is no error of the host's.
                Err(error) if error.is_instance_of::<PyException>(py) => {
                    (true, false, py.None().into_bound(py), last.repr.as_str())
                }
                Err(error) => return Err(error),
            },
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
    let mut displays = Vec::new();
    for display in &outcome.displays {
        let forms = PyDict::new(py);
        for (media, data) in &display.forms {
            match data {
                DisplayData::Text(text) => forms.set_item(media, text)?,
                DisplayData::Bytes(bytes) => forms.set_item(media, PyBytes::new(py, bytes))?,
            }
        }
        displays.push((forms, display.is_value));
    }
    let left_behind: Vec<_> = outcome
        .left_behind
        .iter()
        .map(|left| {
            let stays_in = left.stays_in.as_str();
            (&left.name, &left.type_name, &left.reason, stays_in)
        })
        .collect();
    let elsewhere = (outcome.place.as_str(), displays, left_behind);
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
        elsewhere,
    );
    Ok(parts.into_pyobject(py)?.into_any().unbind())
}
