//! Tools whose bodies are callables of Python's.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use coldframe::{Call, Parameter, Tool, ToolError, Value};
use pyo3::exceptions::{PyException, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::pyclass::{PyTraverseError, PyVisit};
use pyo3::types::{PyDict, PyList};
use tokio::sync::oneshot;

use crate::bounds::Bounds;
use crate::drive::{self, Driver};
use crate::errors;
use crate::gate;
use crate::values::{Keeper, from_py, to_py, tool_error};

/// A set of tools.
#[pyclass(frozen, module = "coldframe._native")]
pub(crate) struct Tools {
    pub(crate) set: coldframe::Tools,
    /// The bodies that are in the set, for the collector of cycles.
    bodies: Vec<Arc<Body>>,
}

/// What a tool's body needs of Python.
struct Body {
    /// Called with a list of the arguments, one for each parameter. Empty when the collector of cycles has taken it.
    invoke: Mutex<Option<Py<PyAny>>>,
    /// Whether `invoke` gives a coroutine.
    is_async: bool,
    /// Whether the program goes on meanwhile.
    is_beside: bool,
    /// Whether it may not take as long as it likes.
    has_timeout: bool,
    /// Whether results that do not cross become handles.
    generous: bool,
}

type Reply = Result<Value, ToolError>;

#[pymethods]
impl Tools {
    /// `specs` are dicts (see `coldframe._tools`), `exceptions` tuples of name, base and documentation.
    #[new]
    fn new(
        py: Python<'_>,
        specs: Vec<Bound<'_, PyDict>>,
        exceptions: Vec<(String, String, Option<String>)>,
        generous: bool,
    ) -> PyResult<Tools> {
        let mut builder = coldframe::Tools::builder();
        for (name, base, doc) in exceptions {
            builder = match doc {
                Some(doc) => builder.exception_with_doc(name, base, doc),
                None => builder.exception(name, base),
            };
        }
        let mut bodies = Vec::new();
        for spec in specs {
            let (tool, body) = tool(&spec, generous)?;
            builder = builder.tool(tool);
            bodies.extend(body);
        }
        let set = builder.build().map_err(|e| errors::of_tools(py, &e))?;
        Ok(Tools { set, bodies })
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        for body in &self.bodies {
            if let Ok(invoke) = body.invoke.try_lock() {
                visit.call(&*invoke)?;
            }
        }
        Ok(())
    }

    fn __clear__(&self) {
        for body in &self.bodies {
            let invoke = body.place().take();
            drop(invoke);
        }
    }
}

impl Body {
    fn place(&self) -> MutexGuard<'_, Option<Py<PyAny>>> {
        self.invoke.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn tool(spec: &Bound<'_, PyDict>, generous: bool) -> PyResult<(Tool, Option<Arc<Body>>)> {
    let get = |name: &str| -> PyResult<Bound<'_, PyAny>> {
        spec.get_item(name)?
            .ok_or_else(|| PyValueError::new_err(format!("a tool without {name:?}")))
    };
    let mode: String = get("mode")?.extract()?;
    if mode == "answer" {
        return Ok((Tool::answer(), None));
    }
    let mut builder = Tool::new(get("name")?.extract::<String>()?);
    if let Some(doc) = get("doc")?.extract::<Option<String>>()? {
        builder = builder.doc(doc);
    }
    for parameter in get("parameters")?.try_iter()? {
        builder = builder.parameter(one_parameter(&parameter?)?);
    }
    if let Some(returns) = get("returns")?.extract::<Option<String>>()? {
        builder = builder.returns(returns);
    }
    let timeout = get("timeout")?.extract::<Option<f64>>()?;
    if let Some(seconds) = timeout {
        let time = Duration::try_from_secs_f64(seconds)
            .map_err(|_| PyValueError::new_err(format!("a timeout of {seconds} seconds")))?;
        builder = builder.timeout(time);
    }
    let body = Arc::new(Body {
        invoke: Mutex::new(Some(get("invoke")?.unbind())),
        is_async: get("is_async")?.extract()?,
        is_beside: mode == "coroutine",
        has_timeout: timeout.is_some(),
        generous,
    });
    let for_run = body.clone();
    let run = move |call: Call| run(for_run.clone(), call);
    let made = match mode.as_str() {
        "coroutine" => builder.coroutine(run),
        "final" => builder.final_answer(run),
        _ => builder.function(run),
    };
    Ok((made, Some(body)))
}

fn one_parameter(parameter: &Bound<'_, PyAny>) -> PyResult<Parameter> {
    let (name, kind, annotation, has_default, default) =
        parameter.extract::<(String, u8, Option<String>, bool, Bound<'_, PyAny>)>()?;
    let mut made = match kind {
        0 => Parameter::positional_only(name),
        1 => Parameter::new(name),
        2 => Parameter::var_positional(name),
        3 => Parameter::keyword_only(name),
        _ => Parameter::var_keyword(name),
    };
    if let Some(annotation) = annotation {
        made = made.annotation(annotation);
    }
    if has_default {
        made = made.default(from_py(&default, &Keeper::Nobody)?);
    }
    Ok(made)
}

async fn run(body: Arc<Body>, call: Call) -> Reply {
    let Some(driver) = drive::current() else {
        return Err(ToolError::runtime("nobody drives this call"));
    };
    if body.is_async {
        return run_coroutine(body, call, driver).await;
    }
    let (reply, outcome) = oneshot::channel();
    let for_job = driver.clone();
    let is_beside = body.is_beside;
    let has_timeout = body.has_timeout && driver.origin.is_none();
    let job = move |py: Python<'_>, context: Option<Py<PyAny>>| {
        let keeper = Keeper::Call(&call, &for_job.things, body.generous);
        let result = invoke(py, &body, &call, &keeper, &for_job, context)
            .and_then(|value| from_py(&value, &keeper));
        // The program may have given up meanwhile.
        let _ = reply.send(result.map_err(|error| told(py, &error, &for_job)));
    };
    if is_beside {
        tokio::task::spawn_blocking(move || gate::attach(|py| job(py, None)));
    } else if has_timeout {
        // The thread that called has to look at the time. What the caller's context is, it alone knows.
        driver.ask(Box::new(move |py| {
            let context = py
                .import("contextvars")
                .and_then(|module| module.call_method0("copy_context"))
                .ok()
                .map(Bound::unbind);
            tokio::task::spawn_blocking(move || gate::attach(|py| job(py, context)));
        }));
    } else {
        driver.ask(Box::new(move |py| job(py, None)));
    }
    outcome
        .await
        .unwrap_or_else(|_| Err(ToolError::runtime("the tool was not called")))
}

fn invoke<'py>(
    py: Python<'py>,
    body: &Body,
    call: &Call,
    keeper: &Keeper<'_>,
    driver: &Driver,
    context: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let bounds = Bounds::new(driver);
    let arguments: PyResult<Vec<_>> = call
        .arguments()
        .iter()
        .map(|value| to_py(py, value, keeper, &bounds))
        .collect();
    let arguments = PyList::new(py, arguments?)?;
    let invoke = body.place().as_ref().map(|invoke| invoke.clone_ref(py));
    let invoke = invoke.ok_or_else(|| PyRuntimeError::new_err("the tool is gone"))?;
    match (&driver.origin, context) {
        (Some(origin), _) => origin.bind(py).call_method1("call", (invoke, arguments)),
        (None, Some(context)) => context.bind(py).call_method1("run", (invoke, arguments)),
        (None, None) => invoke.bind(py).call1((arguments,)),
    }
}

/// What the program gets for an exception; one that is no `Exception` ends the run.
fn told(py: Python<'_>, error: &PyErr, driver: &Driver) -> ToolError {
    if !error.is_instance_of::<PyException>(py) {
        driver.fail(error.clone_ref(py));
    }
    tool_error(py, error)
}

/// Receives what a coroutine came to.
#[pyclass(frozen, module = "coldframe._native")]
pub(crate) struct Done {
    waiting: Mutex<Option<Waiting>>,
}

struct Waiting {
    reply: oneshot::Sender<Reply>,
    call: Call,
    body: Arc<Body>,
    driver: Arc<Driver>,
}

#[pymethods]
impl Done {
    /// The coroutine returned `value`, or raised `error`.
    fn __call__(&self, py: Python<'_>, value: &Bound<'_, PyAny>, error: &Bound<'_, PyAny>) {
        let waiting = self
            .waiting
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        let Some(waiting) = waiting else {
            return;
        };
        let Waiting {
            reply,
            call,
            body,
            driver,
        } = waiting;
        let result = if error.is_none() {
            from_py(value, &Keeper::Call(&call, &driver.things, body.generous))
        } else {
            Err(PyErr::from_value(error.clone()))
        };
        let _ = reply.send(result.map_err(|error| told(py, &error, &driver)));
    }
}

/// A task on an event loop, which is cancelled when nobody waits for it any more.
struct Task(Option<Py<PyAny>>);

impl Drop for Task {
    fn drop(&mut self) {
        if let Some(task) = self.0.take() {
            // Not here: this may be the stack of a sandbox.
            tokio::task::spawn_blocking(move || {
                gate::attach(|py| {
                    let _ = task.call_method0(py, "cancel");
                });
            });
        }
    }
}

async fn run_coroutine(body: Arc<Body>, call: Call, driver: Arc<Driver>) -> Reply {
    let (reply, outcome) = oneshot::channel();
    let (started, start) = oneshot::channel::<Result<Py<PyAny>, ToolError>>();
    let for_job = driver.clone();
    let job = move |py: Python<'_>| {
        let begin = || -> PyResult<Py<PyAny>> {
            let keeper = Keeper::Call(&call, &for_job.things, body.generous);
            let coroutine = invoke(py, &body, &call, &keeper, &for_job, None)?;
            let origin = for_job.origin.as_ref().map(|origin| origin.clone_ref(py));
            let waiting = Waiting {
                reply,
                call,
                body: body.clone(),
                driver: for_job.clone(),
            };
            let done = Done {
                waiting: Mutex::new(Some(waiting)),
            };
            let submit = py.import("coldframe._aio")?.getattr("submit")?;
            Ok(submit.call1((origin, coroutine, done))?.unbind())
        };
        let task = begin().map_err(|error| tool_error(py, &error));
        let _ = started.send(task);
    };
    tokio::task::spawn_blocking(move || gate::attach(job));
    let not_called = || ToolError::runtime("the tool was not called");
    let task = start.await.map_err(|_| not_called())??;
    let mut task = Task(Some(task));
    let reply = outcome.await.map_err(|_| not_called())?;
    task.0 = None;
    reply
}

/// The tools that Python code gave, if it did.
pub(crate) fn set_of(tools: Option<&Bound<'_, Tools>>) -> Option<coldframe::Tools> {
    tools.map(|tools| tools.get().set.clone())
}
