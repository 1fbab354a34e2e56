//! What was made elsewhere is removed, whatever becomes of the one who made it.

use std::pin::Pin;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use super::BackendError;

/// How long a thread that drops a resource waits for its removal.
const PATIENCE: Duration = Duration::from_secs(15);

type Removal = Box<dyn FnOnce() -> Pin<Box<dyn Future<Output = ()> + Send>> + Send + Sync>;

/// A resource on a server. It is removed by [`Guard::remove`], or else when this is dropped: then by a thread of its own, since the runtime of the one who
/// drops it may be gone, or be the one that waits.
pub(super) struct Guard(Option<Removal>);

impl Guard {
    /// `removal` must not use connections that belong to a runtime, and must end by itself.
    pub(super) fn new<F>(removal: impl FnOnce() -> F + Send + Sync + 'static) -> Guard
    where
        F: Future<Output = ()> + Send + 'static,
    {
        Guard(Some(Box::new(move || Box::pin(removal()))))
    }

    /// Removes the resource now.
    pub(super) async fn remove(mut self) {
        // Should this future be dropped half-way, the guard in it is too, and must not be empty then: so the work is done beside.
        if let Some(thread) = self.start() {
            let ended = tokio::task::spawn_blocking(move || thread.recv_timeout(PATIENCE));
            let _ = ended.await;
        }
    }

    /// What it is in is removed.
    pub(super) fn forget(mut self) {
        self.0 = None;
    }

    fn start(&mut self) -> Option<mpsc::Receiver<()>> {
        let removal = self.0.take()?;
        let (done, ended) = mpsc::channel();
        let work = move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build();
            match runtime {
                Ok(runtime) => runtime.block_on(removal()),
                Err(error) => tracing::warn!(%error, "a remote resource cannot be removed"),
            }
            let _ = done.send(());
        };
        let thread = std::thread::Builder::new().name("coldframe-cleanup".to_owned());
        match thread.spawn(work) {
            Ok(_) => Some(ended),
            Err(error) => {
                tracing::warn!(%error, "a remote resource cannot be removed");
                None
            }
        }
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        if let Some(ended) = self.start() {
            let _ = ended.recv_timeout(PATIENCE);
        }
    }
}

/// How far the making of something has come: an answer may be lost, and a request may be given up in the middle.
#[cfg_attr(
    not(feature = "jupyter"),
    allow(dead_code, reason = "only services make something")
)]
#[derive(Default)]
pub(super) struct Step(AtomicU8);

#[cfg_attr(
    not(feature = "jupyter"),
    allow(dead_code, reason = "only services make something")
)]
impl Step {
    const NOT_MADE: u8 = 0;
    const ASKED: u8 = 1;
    const MADE: u8 = 2;

    pub(super) fn ask(&self) {
        self.0.store(Self::ASKED, Ordering::SeqCst);
    }

    pub(super) fn made(&self) {
        self.0.store(Self::MADE, Ordering::SeqCst);
    }

    /// Takes notice of why it was not made, if that is what the error says: after errors of a service's own, nobody knows.
    pub(super) fn failed(&self, error: &BackendError) {
        if matches!(error, BackendError::Refused { status, .. } if *status < 500) {
            self.0.store(Self::NOT_MADE, Ordering::SeqCst);
        }
    }

    /// How often to look for it before it counts as not there: it may still be in the making.
    pub(super) fn looks(&self) -> u32 {
        match self.0.load(Ordering::SeqCst) {
            Self::NOT_MADE => 0,
            Self::ASKED => 4,
            _ => 1,
        }
    }
}

/// How long to wait between two looks.
#[cfg_attr(
    not(feature = "jupyter"),
    allow(dead_code, reason = "only services make something")
)]
pub(super) const LOOK: Duration = Duration::from_millis(500);

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::AtomicU32;

    use super::*;

    fn counting() -> (Guard, Arc<AtomicU32>) {
        let count = Arc::new(AtomicU32::new(0));
        let inner = count.clone();
        let guard = Guard::new(move || async move {
            inner.fetch_add(1, Ordering::SeqCst);
        });
        (guard, count)
    }

    #[test]
    fn a_resource_is_removed_once() {
        let (guard, count) = counting();
        drop(guard);
        assert_eq!(count.load(Ordering::SeqCst), 1);
        let (guard, count) = counting();
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        let runtime = runtime.expect("a runtime");
        runtime.block_on(guard.remove());
        assert_eq!(count.load(Ordering::SeqCst), 1);
        // Also inside of a runtime, and by one that unwinds.
        let (guard, count) = counting();
        runtime.block_on(async { drop(guard) });
        assert_eq!(count.load(Ordering::SeqCst), 1);
        let (guard, count) = counting();
        let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(move || {
            let _guard = guard;
            panic!("on purpose");
        }));
        assert!(panicked.is_err());
        assert_eq!(count.load(Ordering::SeqCst), 1);
    }
}
