//! The epoch ticker: a thread that advances wasmtime's epoch once a millisecond while something runs.
//!
//! At each tick running WebAssembly calls back into the host, which looks at deadline and cancellation and lets the
//! async executor serve others. The thread sleeps while the engine is idle, and ends with the engine.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, Thread};
use std::time::Duration;

/// Time between two ticks.
const TICK: Duration = Duration::from_millis(1);

/// Ticks without a run after which the thread goes to sleep. Lingering spares a busy engine the wake-up for each run.
const LINGER: u32 = 200;

pub(crate) struct Ticker {
    shared: Arc<Shared>,
    thread: Mutex<Option<thread::JoinHandle<()>>>,
    handle: Thread,
}

struct Shared {
    running: AtomicUsize,
    asleep: AtomicBool,
    stop: AtomicBool,
}

impl Ticker {
    pub(crate) fn start(engine: wasmtime::EngineWeak) -> std::io::Result<Ticker> {
        let shared = Arc::new(Shared {
            running: AtomicUsize::new(0),
            asleep: AtomicBool::new(false),
            stop: AtomicBool::new(false),
        });
        let inner = Arc::clone(&shared);
        let thread = thread::Builder::new()
            .name("coldframe-ticker".into())
            .spawn(move || tick(&inner, &engine))?;
        let handle = thread.thread().clone();
        Ok(Ticker {
            shared,
            thread: Mutex::new(Some(thread)),
            handle,
        })
    }

    /// Keeps the ticker going until the guard is dropped.
    pub(crate) fn guard(&self) -> Running<'_> {
        self.shared.running.fetch_add(1, Ordering::SeqCst);
        if self.shared.asleep.load(Ordering::SeqCst) {
            self.handle.unpark();
        }
        Running(&self.shared)
    }
}

impl Drop for Ticker {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::SeqCst);
        self.handle.unpark();
        let thread = self
            .thread
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if let Some(thread) = thread
            && thread.thread().id() != thread::current().id()
        {
            // The thread cannot panic; should it have, there is nothing left to do for it.
            let _ = thread.join();
        }
    }
}

/// Something is running.
pub(crate) struct Running<'a>(&'a Shared);

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.running.fetch_sub(1, Ordering::SeqCst);
    }
}

fn tick(shared: &Shared, engine: &wasmtime::EngineWeak) {
    let mut idle = 0;
    while !shared.stop.load(Ordering::SeqCst) {
        if shared.running.load(Ordering::SeqCst) > 0 {
            idle = 0;
        } else {
            idle += 1;
        }
        if idle > LINGER {
            shared.asleep.store(true, Ordering::SeqCst);
            // Whoever starts after this store sees `asleep` and unparks; whoever started before it is seen here.
            while shared.running.load(Ordering::SeqCst) == 0 && !shared.stop.load(Ordering::SeqCst)
            {
                thread::park();
            }
            shared.asleep.store(false, Ordering::SeqCst);
            idle = 0;
        }
        thread::park_timeout(TICK);
        match engine.upgrade() {
            Some(engine) => engine.increment_epoch(),
            None => return,
        }
    }
}
