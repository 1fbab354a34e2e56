//! Who may enter Python: nobody once the interpreter ends.
//!
//! While an interpreter is finalized it ends every other thread that asks for the GIL, by unwinding the thread's stack, which aborts the process when that
//! stack is ours. Python calls [`close`] before it comes to that. Threads that come later wait for the end of the process instead, as they do from Python
//! 3.14 on.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use pyo3::prelude::*;

/// The thread that finalizes the interpreter; it may still enter.
static CLOSED_BY: OnceLock<ThreadId> = OnceLock::new();

/// Threads that are about to enter, and those that have come in here and are inside.
static INSIDE: AtomicUsize = AtomicUsize::new(0);

/// One who counts as being inside.
struct Inside;

impl Inside {
    fn enter() -> Option<Inside> {
        INSIDE.fetch_add(1, Ordering::SeqCst);
        let inside = Inside;
        (!is_closed()).then_some(inside)
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        INSIDE.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Whether this thread may not enter any more.
fn is_closed() -> bool {
    CLOSED_BY
        .get()
        .is_some_and(|thread| *thread != thread::current().id())
}

/// Whether the interpreter is about to end.
pub(crate) fn was_closed() -> bool {
    CLOSED_BY.get().is_some()
}

fn wait_for_the_end() -> ! {
    loop {
        thread::park();
    }
}

/// Runs code of Python's, if that is still possible.
pub(crate) fn try_attach<R>(run: impl for<'py> FnOnce(Python<'py>) -> R) -> Option<R> {
    let _inside = Inside::enter()?;
    Some(Python::attach(run))
}

/// Runs code of Python's.
pub(crate) fn attach<R>(run: impl for<'py> FnOnce(Python<'py>) -> R) -> R {
    try_attach(run).unwrap_or_else(|| wait_for_the_end())
}

/// Runs something without the GIL, and comes back.
pub(crate) fn detach<T: Send>(py: Python<'_>, run: impl FnOnce() -> T + Send) -> T {
    let (value, _inside) = py.detach(|| {
        let value = run();
        let inside = Inside::enter().unwrap_or_else(|| wait_for_the_end());
        (value, inside)
    });
    value
}

/// The interpreter is about to end: nobody comes in any more. Waits so many seconds for those who are inside; whether they are out.
#[pyfunction]
pub(crate) fn close(py: Python<'_>, patience: f64) -> bool {
    let _ = CLOSED_BY.set(thread::current().id());
    let began = Instant::now();
    while INSIDE.load(Ordering::SeqCst) > 0 {
        if began.elapsed().as_secs_f64() >= patience || py.check_signals().is_err() {
            return false;
        }
        py.detach(|| thread::sleep(Duration::from_millis(1)));
    }
    true
}
