//! When a run has to end early: its deadline, and the caller's wish to cancel it.
//!
//! There are two rings. The guest asks at its checkpoints and ends the program with the session intact. If it does not
//! ask for [`GRACE`] (one long operation of the interpreter, or a guest gone wild), the epoch callback traps.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::Notify;

use crate::error::ErrorKind;

/// How long after its deadline a run may go on before it is trapped and its session lost.
pub(crate) const GRACE: Duration = Duration::from_millis(40);

/// Ticks at which it must have been running since then: on a busy machine time passes in which it could not ask.
const LEAST_TICKS: u32 = 20;

/// How long the machine may be that busy.
const LONGEST_GRACE: Duration = Duration::from_secs(2);

/// Cancels the run of a session from elsewhere; cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct CancelHandle(Arc<Cancel>);

#[derive(Debug, Default)]
struct Cancel {
    wanted: AtomicBool,
    changed: Notify,
}

impl CancelHandle {
    /// Asks the run that is under way to end; it comes back with [`ErrorKind::Cancelled`]. Does nothing between runs.
    pub fn cancel(&self) {
        self.0.wanted.store(true, Ordering::Release);
        self.0.changed.notify_waiters();
    }

    /// Whether that was asked since the last run began.
    pub fn is_cancelled(&self) -> bool {
        self.is_wanted()
    }

    pub(crate) fn reset(&self) {
        self.0.wanted.store(false, Ordering::Release);
    }

    pub(crate) fn is_wanted(&self) -> bool {
        self.0.wanted.load(Ordering::Acquire)
    }

    pub(crate) async fn wanted(&self) {
        let changed = self.0.changed.notified();
        let mut changed = std::pin::pin!(changed);
        changed.as_mut().enable();
        if !self.is_wanted() {
            changed.await;
        }
    }
}

/// The end of one run, as far as it is known beforehand.
pub(crate) struct Stop {
    cancel: CancelHandle,
    deadline: Instant,
    /// When the epoch callback first saw the wish to cancel.
    cancel_seen: Option<Instant>,
    /// Ticks at which the guest was running since its deadline, or since cancellation was seen.
    ticks: u32,
    /// Whether the deadline has passed while the guest could not notice.
    noticed_late: bool,
}

impl Stop {
    pub(crate) fn new(cancel: CancelHandle) -> Stop {
        Stop {
            cancel,
            deadline: Instant::now(),
            cancel_seen: None,
            noticed_late: false,
            ticks: 0,
        }
    }

    /// Takes another handle's wishes from now on.
    pub(crate) fn watch(&mut self, cancel: CancelHandle) {
        self.cancel = cancel;
    }

    pub(crate) fn begin(&mut self, deadline: Instant) {
        self.cancel.reset();
        self.cancel_seen = None;
        self.noticed_late = false;
        self.ticks = 0;
        self.deadline = deadline;
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancel.is_wanted()
    }

    pub(crate) fn is_late(&self) -> bool {
        Instant::now() >= self.deadline
    }

    /// Whether the outer ring must stop the run now. Called at every tick at which the guest is running.
    pub(crate) fn overdue(&mut self) -> Option<Overdue> {
        let now = Instant::now();
        let (since, kind) = if now >= self.deadline {
            (self.deadline, ErrorKind::Time)
        } else if self.cancel.is_wanted() {
            (*self.cancel_seen.get_or_insert(now), ErrorKind::Cancelled)
        } else {
            return None;
        };
        self.ticks += 1;
        let over = now - since;
        let has_run = over >= GRACE && self.ticks >= LEAST_TICKS;
        (has_run || over >= LONGEST_GRACE).then_some(Overdue(kind))
    }

    /// After the run has waited for something outside: puts the deadline off if that does not count. If the deadline passed meanwhile, the guest gets
    /// its time to notice from now on, but only once.
    pub(crate) fn waited(&mut self, length: Duration, counts: bool) {
        let now = Instant::now();
        if !counts {
            if let Some(deadline) = self.deadline.checked_add(length) {
                self.deadline = deadline;
            }
        } else if now > self.deadline && !self.noticed_late {
            self.noticed_late = true;
            self.deadline = now;
        }
    }

    /// Waits for cancellation, and for the deadline if that counts now.
    pub(crate) fn end(&self, deadline_counts: bool) -> impl Future<Output = ()> + Send + use<> {
        let deadline = deadline_counts.then_some(self.deadline);
        let cancel = self.cancel.clone();
        async move {
            let late = async {
                match deadline {
                    Some(deadline) => tokio::time::sleep_until(deadline.into()).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = late => {}
                () = cancel.wanted() => {}
            }
        }
    }

    /// Waits for `length`, for the deadline or for cancellation, whichever comes first.
    pub(crate) fn sleep(&self, length: Duration) -> impl Future<Output = ()> + Send + use<> {
        let now = Instant::now();
        let wake = now
            .checked_add(length)
            .map_or(self.deadline, |end| end.min(self.deadline));
        let cancel = self.cancel.clone();
        async move {
            if wake <= now {
                return tokio::task::yield_now().await;
            }
            tokio::select! {
                () = tokio::time::sleep_until(wake.into()) => {}
                () = cancel.wanted() => {}
            }
        }
    }
}

/// The outer ring stopped the run; travels through wasmtime as the call's error.
#[derive(Debug, thiserror::Error)]
#[error("stopped by the host: {0}")]
pub(crate) struct Overdue(pub(crate) ErrorKind);
