//! The classes that the package builds on: an engine, and the core of a session.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use coldframe::CancelHandle;
use pyo3::prelude::*;
use pyo3::pyclass::{PyTraverseError, PyVisit};
use pyo3::types::PyTuple;
use tokio::sync::oneshot;

use crate::drive::{self, OfProcess, Owner};
use crate::errors::{self, Failure};
use crate::gate;
use crate::requests::{Request, Slot};
use crate::runner::Runner;
use crate::values::Held;

/// Where sessions come from. It is set up when it is first used.
#[pyclass(frozen, module = "coldframe._native")]
pub(crate) struct Engine {
    sessions: u32,
    pooled: bool,
    made: OnceLock<OfProcess<coldframe::Engine>>,
}

impl Engine {
    pub(crate) fn inner(&self, py: Python<'_>) -> PyResult<coldframe::Engine> {
        // Complains after a fork.
        drive::runtime(py)?;
        if let Some(engine) = self.made.get().and_then(OfProcess::get) {
            return Ok(engine.clone());
        }
        let (sessions, pooled) = (self.sessions, self.pooled);
        let engine = py
            .detach(|| {
                coldframe::Engine::builder()
                    .max_sessions(sessions)
                    .pooled(pooled)
                    .build()
            })
            .map_err(|e| Failure::from(e).into_py(py))?;
        let made = self.made.get_or_init(|| OfProcess::new(engine.clone()));
        Ok(made.get().unwrap_or(&engine).clone())
    }
}

#[pymethods]
impl Engine {
    #[new]
    fn new(max_sessions: u32, pooled: bool) -> Engine {
        Engine {
            sessions: max_sessions,
            pooled,
            made: OnceLock::new(),
        }
    }

    /// How many sessions may be alive at once.
    #[getter]
    fn max_sessions(&self) -> u32 {
        self.sessions
    }
}

/// The core of a session: one request at a time, blocking or not.
#[pyclass(frozen, weakref, module = "coldframe._native")]
pub(crate) struct Core {
    slot: OfProcess<Arc<tokio::sync::Mutex<Slot>>>,
    cancel: Arc<Mutex<CancelHandle>>,
    generous: bool,
    held: Py<Held>,
    queue: Arc<Mutex<Queue>>,
}

/// Requests that are served one after the other, in the order in which they came.
#[derive(Default)]
struct Queue {
    last: u64,
    /// The one that is being served.
    serving: u64,
    /// The last one that was served.
    served: u64,
    /// Those that nobody waits for any more.
    abandoned: HashSet<u64>,
    /// Ends when the last one is done.
    tail: Option<oneshot::Receiver<()>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Core {
    /// A core that holds what the core of the session that it was forked from holds.
    pub(crate) fn of(runner: Runner, generous: bool, held: Py<Held>) -> Core {
        let cancel = runner.cancel_handle();
        Core {
            slot: OfProcess::new(Arc::new(tokio::sync::Mutex::new(Some(runner)))),
            cancel: Arc::new(Mutex::new(cancel)),
            generous,
            held,
            queue: Arc::default(),
        }
    }

    fn slot(&self, py: Python<'_>) -> PyResult<&Arc<tokio::sync::Mutex<Slot>>> {
        // Complains after a fork.
        drive::runtime(py)?;
        let foreign = || {
            let message = "the session belongs to the process that this one was forked from";
            errors::named(py, "Error", message.to_owned())
        };
        self.slot.get().ok_or_else(foreign)
    }

    fn owner(&self) -> Owner {
        Owner {
            cancel: self.handle(),
            things: self.held.get().things.clone(),
        }
    }

    fn handle(&self) -> CancelHandle {
        lock(&self.cancel).clone()
    }
}

#[pymethods]
impl Core {
    #[new]
    fn new(py: Python<'_>, generous: bool) -> PyResult<Core> {
        let held = Py::new(py, Held::default())?;
        Ok(Core {
            slot: OfProcess::new(Arc::default()),
            cancel: Arc::default(),
            generous,
            held,
            queue: Arc::default(),
        })
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.held)
    }

    /// Serves a request and waits for it.
    #[pyo3(signature = (name, *arguments))]
    fn block(
        &self,
        py: Python<'_>,
        name: &str,
        arguments: &Bound<'_, PyTuple>,
    ) -> PyResult<Py<PyAny>> {
        let request = Request::read(name, arguments)?;
        let Ok(mut slot) = self.slot(py)?.try_lock() else {
            let message = "the session is in use: it does one thing at a time".to_owned();
            return Err(errors::named(py, "SessionInUseError", message));
        };
        let (generous, cancel) = (self.generous, &self.cancel);
        let serve = request.serve(&mut slot, generous, &self.held, |handle| {
            *lock(cancel) = handle
        });
        drive::block(py, self.owner(), serve)?.map_err(|failure| failure.into_py(py))
    }

    /// Serves a request when those before it are done; calls `done(value, error)` on a thread of the runtime. Gives the request's number. `origin` tells
    /// `coldframe._aio` where tools run.
    #[pyo3(signature = (origin, done, name, *arguments))]
    fn start(
        &self,
        py: Python<'_>,
        origin: Py<PyAny>,
        done: Py<PyAny>,
        name: &str,
        arguments: &Bound<'_, PyTuple>,
    ) -> PyResult<u64> {
        let request = Request::read(name, arguments)?;
        let slot = self.slot(py)?.clone();
        let (generous, cancel) = (self.generous, self.cancel.clone());
        let (held, queue) = (self.held.clone_ref(py), self.queue.clone());
        let (end, tail) = oneshot::channel::<()>();
        let (number, before) = {
            let mut queue = lock(&queue);
            queue.last += 1;
            (queue.last, queue.tail.replace(tail))
        };
        let serve = async move {
            // Ends with the future, however that ends.
            let _end = end;
            if let Some(before) = before {
                let _ = before.await;
            }
            let mut slot = slot.lock_owned().await;
            {
                let mut queue = lock(&queue);
                if queue.abandoned.remove(&number) {
                    return Ok(None);
                }
                queue.serving = number;
            }
            let opened = |handle| *lock(&cancel) = handle;
            let served = request.serve(&mut slot, generous, &held, opened).await;
            {
                let mut queue = lock(&queue);
                (queue.serving, queue.served) = (0, number);
            }
            served.map(Some)
        };
        drive::spawn(py, self.owner(), origin, serve, move |py, result| {
            let result = result.and_then(|served| served.map_err(|failure| failure.into_py(py)));
            let told = match result {
                Ok(value) => done.call1(py, (value, py.None())),
                Err(error) => done.call1(py, (py.None(), error)),
            };
            if let Err(error) = told {
                error.write_unraisable(py, None);
            }
        })?;
        Ok(number)
    }

    /// Nobody waits for that request any more: it ends, or is not served at all.
    fn abandon(&self, number: u64) {
        let mut queue = lock(&self.queue);
        if queue.serving == number {
            self.handle().cancel();
        } else if number > queue.served {
            queue.abandoned.insert(number);
        }
    }

    /// Ends the run that is under way, if there is one.
    fn cancel(&self) {
        self.handle().cancel();
    }

    /// Whether the session can be used; `None` while it is in use.
    #[getter]
    fn is_alive(&self) -> Option<bool> {
        let Some(slot) = self.slot.get() else {
            return Some(false);
        };
        let slot = slot.try_lock().ok()?;
        Some(
            slot.as_ref()
                .is_some_and(|runner| runner.sandbox().is_alive()),
        )
    }

    /// The interpreter is about to end: ends the run that is under way, and removes what was made elsewhere. Gives up after so many seconds if the session
    /// stays in use.
    fn end(&self, py: Python<'_>, patience: f64) {
        let Some(slot) = self.slot.get() else {
            return;
        };
        let began = Instant::now();
        gate::detach(py, || {
            loop {
                if let Ok(mut slot) = slot.try_lock() {
                    let runner = slot.take();
                    drop(slot);
                    return drop(runner);
                }
                self.handle().cancel();
                if began.elapsed().as_secs_f64() >= patience {
                    return;
                }
                thread::sleep(Duration::from_millis(10));
            }
        });
    }
}

impl Drop for Core {
    /// Removing what was made elsewhere takes a moment, which others can use: the GIL is free meanwhile.
    fn drop(&mut self) {
        let Some(slot) = self.slot.get() else {
            return;
        };
        // A request that nobody waits for any more has the slot too: what it holds goes with that.
        if Arc::strong_count(slot) > 1 {
            return;
        }
        let Ok(mut slot) = slot.try_lock() else {
            return;
        };
        if slot.as_ref().is_some_and(Runner::has_remote) {
            let runner = slot.take();
            gate::try_attach(|py| gate::detach(py, move || drop(runner)));
        }
    }
}
