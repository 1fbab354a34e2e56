//! Errors of the host library as exceptions: the classes are in `coldframe._errors`.

use coldframe::backend::BackendError;
use coldframe::{Error, LimitError, RunError, ToolsError};
use pyo3::call::PyCallArgs;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// What went wrong on the way to or from the sandbox.
pub(crate) enum Failure {
    /// The library says so.
    Host(Box<Error>),
    /// A remote backend does.
    Remote(Box<BackendError>),
    /// An exception of Python's own.
    Python(PyErr),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::Host(Box::new(error))
    }
}

impl From<BackendError> for Failure {
    fn from(error: BackendError) -> Failure {
        match error {
            BackendError::Local(error) => error.into(),
            error => Failure::Remote(Box::new(error)),
        }
    }
}

impl From<PyErr> for Failure {
    fn from(error: PyErr) -> Failure {
        Failure::Python(error)
    }
}

impl Failure {
    pub(crate) fn into_py(self, py: Python<'_>) -> PyErr {
        match self {
            Failure::Host(error) => of_host(py, &error),
            Failure::Remote(error) => of_remote(py, &error),
            Failure::Python(error) => error,
        }
    }
}

/// An exception of the class with that name in `coldframe._errors`.
pub(crate) fn named(py: Python<'_>, class: &str, message: String) -> PyErr {
    made(py, class, (message,))
}

fn made<'py>(py: Python<'py>, class: &str, arguments: impl PyCallArgs<'py>) -> PyErr {
    let made = py
        .import("coldframe._errors")
        .and_then(|module| module.getattr(class))
        .and_then(|class| class.call1(arguments));
    match made {
        Ok(exception) => PyErr::from_value(exception),
        Err(error) => error,
    }
}

fn of_host(py: Python<'_>, error: &Error) -> PyErr {
    let class = match error {
        Error::Run(run) => {
            let made = run_error(py, run).and_then(|fields| {
                py.import("coldframe._errors")?
                    .getattr("_run_error")?
                    .call1((fields,))
            });
            return match made {
                Ok(exception) => PyErr::from_value(exception),
                Err(error) => error,
            };
        }
        Error::Limit(_) | Error::Policy { .. } => "PolicyError",
        Error::Busy { .. } => "BusyError",
        Error::SessionLost => "SessionLostError",
        Error::Tools(_) => "ToolDefinitionError",
        Error::Variable { .. } | Error::Encode(_) | Error::Decode(_) => "CrossingError",
        Error::File { .. } => "FileError",
        Error::Saved(_) => "SavedError",
        _ => "Error",
    };
    let message = match error {
        Error::Busy { .. } => {
            format!("{error}: close some, or have more by coldframe.configure(max_sessions=...)")
        }
        _ => error.to_string(),
    };
    if let Error::File { path, reason } = error {
        return made(py, class, (message, path, reason));
    }
    named(py, class, message)
}

fn of_remote(py: Python<'_>, error: &BackendError) -> PyErr {
    let class = match error {
        BackendError::Variable { .. } => "CrossingError",
        _ => "RemoteError",
    };
    named(py, class, error.to_string())
}

pub(crate) fn of_limit(py: Python<'_>, error: &LimitError) -> PyErr {
    named(py, "PolicyError", error.to_string())
}

pub(crate) fn of_tools(py: Python<'_>, error: &ToolsError) -> PyErr {
    named(py, "ToolDefinitionError", error.to_string())
}

/// How a run failed, as keyword arguments of `coldframe.RunFailure`.
pub(crate) fn run_error<'py>(py: Python<'py>, error: &RunError) -> PyResult<Bound<'py, PyDict>> {
    let fields = PyDict::new(py);
    fields.set_item("kind", error.kind.as_str())?;
    fields.set_item("type_name", &error.type_name)?;
    fields.set_item("message", &error.message)?;
    fields.set_item("line", error.line)?;
    fields.set_item("traceback", &error.traceback)?;
    fields.set_item("session_lost", error.session_lost)?;
    let exit_code = match error.kind {
        coldframe::ErrorKind::Exit { code } => Some(code),
        _ => None,
    };
    fields.set_item("exit_code", exit_code)?;
    let exceeded = error.exceeded.as_ref().map(|e| e.to_string());
    fields.set_item("exceeded", exceeded)?;
    Ok(fields)
}
