//! The classes that the package builds on: an engine, and the core of a session.

use std::collections::HashSet;
use std::process;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use coldframe::{CancelHandle, Session};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use tokio::sync::oneshot;

use crate::drive::{self, Owner};
use crate::errors::{self, Failure};
use crate::requests::{Request, Slot};
use crate::values::Things;

/// Where sessions come from. It is set up when it is first used.
#[pyclass(frozen, module = "coldframe._native")]
pub(crate) struct Engine {
    sessions: u32,
    pooled: bool,
    made: OnceLock<(u32, coldframe::Engine)>,
}

impl Engine {
    pub(crate) fn inner(&self, py: Python<'_>) -> PyResult<coldframe::Engine> {
        // Complains after a fork.
        drive::runtime(py)?;
        if let Some((process, engine)) = self.made.get()
            && *process == process::id()
        {
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
        let (_, engine) = self.made.get_or_init(|| (process::id(), engine));
        Ok(engine.clone())
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
#[pyclass(frozen, module = "coldframe._native")]
pub(crate) struct Core {
    slot: Arc<tokio::sync::Mutex<Slot>>,
    cancel: Arc<Mutex<CancelHandle>>,
    generous: bool,
    things: Arc<Things>,
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
    pub(crate) fn of(session: Session, generous: bool, things: Arc<Things>) -> Core {
        let cancel = session.cancel_handle();
        Core {
            slot: Arc::new(tokio::sync::Mutex::new(Some(session))),
            cancel: Arc::new(Mutex::new(cancel)),
            generous,
            things,
            queue: Arc::default(),
        }
    }

    fn owner(&self) -> Owner {
        Owner {
            cancel: self.handle(),
            things: self.things.clone(),
        }
    }

    fn handle(&self) -> CancelHandle {
        lock(&self.cancel).clone()
    }
}

#[pymethods]
impl Core {
    #[new]
    fn new(generous: bool) -> Core {
        Core {
            slot: Arc::default(),
            cancel: Arc::default(),
            generous,
            things: Arc::default(),
            queue: Arc::default(),
        }
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
        let Ok(mut slot) = self.slot.try_lock() else {
            let message = "the session is in use: it does one thing at a time".to_owned();
            return Err(errors::named(py, "SessionInUseError", message));
        };
        let (generous, cancel) = (self.generous, &self.cancel);
        let serve = request.serve(&mut slot, generous, &self.things, |handle| {
            *lock(cancel) = handle
        });
        drive::block(py, self.owner(), serve)?.map_err(|failure| failure.into_py(py))
    }

    /// Serves a request when those before it are done; calls `done(value, error)` on a thread of the runtime. Gives the request's number.
    #[pyo3(signature = (event_loop, done, name, *arguments))]
    fn start(
        &self,
        py: Python<'_>,
        event_loop: Py<PyAny>,
        done: Py<PyAny>,
        name: &str,
        arguments: &Bound<'_, PyTuple>,
    ) -> PyResult<u64> {
        let request = Request::read(name, arguments)?;
        let (slot, generous, cancel) = (self.slot.clone(), self.generous, self.cancel.clone());
        let (things, queue) = (self.things.clone(), self.queue.clone());
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
            let served = request.serve(&mut slot, generous, &things, opened).await;
            {
                let mut queue = lock(&queue);
                (queue.serving, queue.served) = (0, number);
            }
            served.map(Some)
        };
        drive::spawn(py, self.owner(), event_loop, serve, move |py, result| {
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
        let slot = self.slot.try_lock().ok()?;
        Some(slot.as_ref().is_some_and(Session::is_alive))
    }
}
