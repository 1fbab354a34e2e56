//! Drives futures of the host library, and runs the Python code that they ask for.
//!
//! A blocking call polls its future on the thread that called, without the GIL, and looks for signals now and then. A tool is called by the sandbox
//! on the stack of the sandbox, which is no place for Python: the call is a job that the driver does between two polls, on the thread's own stack.

use std::pin::pin;
use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use coldframe::CancelHandle;
use pyo3::prelude::*;
use tokio::runtime::{Handle, Runtime};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::bounds::Account;
use crate::errors;
use crate::gate;
use crate::values::Things;

/// How often a blocking call looks for signals.
const SIGNALS: Duration = Duration::from_millis(50);

/// Something to do in Python.
pub(crate) type Job = Box<dyn for<'py> FnOnce(Python<'py>) + Send>;

/// What a future that is driven can ask for.
pub(crate) struct Driver {
    jobs: UnboundedSender<Job>,
    /// Where an asynchronous request comes from (`coldframe._aio.Origin`).
    pub(crate) origin: Option<Py<PyAny>>,
    /// What must not be lost: an exception that is no `Exception`, such as `KeyboardInterrupt`.
    fatal: Mutex<Option<PyErr>>,
    cancel: CancelHandle,
    /// The objects that the session holds.
    pub(crate) things: Arc<Things>,
    /// What the values of the request have cost.
    pub(crate) account: Account,
}

/// Whose request a future serves.
pub(crate) struct Owner {
    pub(crate) cancel: CancelHandle,
    pub(crate) things: Arc<Things>,
}

tokio::task_local! {
    static DRIVER: Arc<Driver>;
}

/// The driver of the future that is being polled.
pub(crate) fn current() -> Option<Arc<Driver>> {
    DRIVER.try_with(Arc::clone).ok()
}

impl Driver {
    fn new(owner: Owner, origin: Option<Py<PyAny>>) -> (Arc<Driver>, UnboundedReceiver<Job>) {
        let (jobs, queue) = unbounded_channel();
        let driver = Driver {
            jobs,
            origin,
            fatal: Mutex::new(None),
            cancel: owner.cancel,
            things: owner.things,
            account: Account::new(),
        };
        (Arc::new(driver), queue)
    }

    /// Asks for a job; jobs are done one after the other.
    pub(crate) fn ask(&self, job: Job) {
        // Nobody takes it when the run is over.
        let _ = self.jobs.send(job);
    }

    /// Ends the run, which then raises this.
    pub(crate) fn fail(&self, error: PyErr) {
        let mut fatal = self.fatal.lock().unwrap_or_else(PoisonError::into_inner);
        fatal.get_or_insert(error);
        self.cancel.cancel();
    }

    /// Ends the run as if somebody had cancelled it.
    pub(crate) fn stop(&self) {
        self.cancel.cancel();
    }

    pub(crate) fn cancel_handle(&self) -> &CancelHandle {
        &self.cancel
    }

    fn has_failed(&self) -> bool {
        let fatal = self.fatal.lock().unwrap_or_else(PoisonError::into_inner);
        fatal.is_some()
    }

    fn take_fatal(&self) -> Option<PyErr> {
        self.fatal
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
    }
}

/// What must not be dropped after a fork: its threads are not there, and its locks may be taken for ever.
pub(crate) struct OfProcess<T> {
    /// There until it is dropped.
    value: Option<T>,
    process: u32,
}

impl<T> OfProcess<T> {
    pub(crate) fn new(value: T) -> OfProcess<T> {
        OfProcess {
            value: Some(value),
            process: process::id(),
        }
    }

    /// Whether this is another process.
    pub(crate) fn is_foreign(&self) -> bool {
        self.process != process::id()
    }

    /// What it is, in the process in which it was made.
    pub(crate) fn get(&self) -> Option<&T> {
        self.value.as_ref().filter(|_| !self.is_foreign())
    }
}

impl<T> Drop for OfProcess<T> {
    fn drop(&mut self) {
        if self.is_foreign() {
            std::mem::forget(self.value.take());
        }
    }
}

static RUNTIME: OnceLock<OfProcess<Runtime>> = OnceLock::new();

/// The runtime: timers, and threads for asynchronous calls. Threads do not survive a fork.
pub(crate) fn runtime(py: Python<'_>) -> PyResult<&'static Handle> {
    if let Some(made) = RUNTIME.get() {
        let forked = || {
            let message = "the process was forked after coldframe was used: start workers by 'spawn' or 'forkserver', or use coldframe in them only";
            errors::named(py, "Error", message.to_owned())
        };
        return made.get().map(Runtime::handle).ok_or_else(forked);
    }
    let threads = thread::available_parallelism().map_or(2, |n| n.get().clamp(1, 8));
    let made = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(threads)
        .thread_name("coldframe")
        .enable_all()
        .build()
        .map_err(|e| errors::named(py, "Error", format!("no threads: {e}")))?;
    // Another thread may have been first.
    let _ = RUNTIME.set(OfProcess::new(made));
    runtime(py)
}

struct Parker {
    thread: Thread,
    woken: AtomicBool,
}

impl Wake for Parker {
    fn wake(self: Arc<Self>) {
        self.woken.store(true, Ordering::Release);
        self.thread.unpark();
    }
}

/// Waits for a future on this thread, without the GIL. May be nested: a tool may use a sandbox of its own.
pub(crate) fn block<T: Send>(
    py: Python<'_>,
    owner: Owner,
    future: impl Future<Output = T> + Send,
) -> PyResult<T> {
    let handle = runtime(py)?;
    let (driver, mut queue) = Driver::new(owner, None);
    let for_future = driver.clone();
    let result = gate::detach(py, move || {
        let _context = handle.enter();
        let parker = Arc::new(Parker {
            thread: thread::current(),
            woken: AtomicBool::new(false),
        });
        let waker = Waker::from(parker.clone());
        let mut context = Context::from_waker(&waker);
        let mut future = pin!(DRIVER.scope(for_future.clone(), future));
        let mut looked = Instant::now();
        loop {
            if let Poll::Ready(result) = future.as_mut().poll(&mut context) {
                // What was written at the very end.
                while let Ok(job) = queue.try_recv() {
                    gate::attach(job);
                }
                return result;
            }
            while let Ok(job) = queue.try_recv() {
                gate::attach(job);
            }
            if looked.elapsed() >= SIGNALS {
                if let Err(error) = gate::attach(|py| py.check_signals()) {
                    for_future.fail(error);
                }
                // A run that begins forgets what was wanted before.
                if for_future.has_failed() {
                    for_future.stop();
                }
                looked = Instant::now();
            }
            if !parker.woken.swap(false, Ordering::AcqRel) {
                thread::park_timeout(SIGNALS);
                parker.woken.store(false, Ordering::Release);
            }
        }
    });
    match driver.take_fatal() {
        Some(error) => Err(error),
        None => Ok(result),
    }
}

/// Runs a future on the runtime; `done` gets its result, or what the run must raise.
pub(crate) fn spawn<T: Send + 'static>(
    py: Python<'_>,
    owner: Owner,
    origin: Py<PyAny>,
    future: impl Future<Output = T> + Send + 'static,
    done: impl for<'py> FnOnce(Python<'py>, PyResult<T>) + Send + 'static,
) -> PyResult<()> {
    let handle = runtime(py)?;
    if gate::was_closed() {
        let message = "the interpreter ends: asynchronous sessions have no threads any more";
        return Err(errors::named(py, "Error", message.to_owned()));
    }
    let (driver, mut queue) = Driver::new(owner, Some(origin));
    handle.spawn(async move {
        let mut future = pin!(DRIVER.scope(driver.clone(), future));
        let result = loop {
            tokio::select! {
                result = &mut future => break result,
                Some(job) = queue.recv() => {
                    // The run goes on meanwhile: its limits hold.
                    let job = tokio::task::spawn_blocking(move || gate::attach(job));
                    tokio::select! {
                        result = &mut future => break result,
                        _ = job => {}
                    }
                }
            }
        };
        let rest = async move {
            while let Ok(job) = queue.try_recv() {
                let _ = tokio::task::spawn_blocking(move || gate::attach(job)).await;
            }
        };
        rest.await;
        let fatal = driver.take_fatal();
        let result = fatal.map_or(Ok(result), Err);
        let _ = tokio::task::spawn_blocking(move || gate::attach(|py| done(py, result))).await;
    });
    Ok(())
}
