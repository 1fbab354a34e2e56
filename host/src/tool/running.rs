//! Calls that run beside the program: started, waited for, dropped.

use std::collections::HashMap;
use std::future::poll_fn;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;

use futures_util::StreamExt;
use futures_util::future::{AbortHandle, BoxFuture, FutureExt, abortable};
use futures_util::stream::FuturesUnordered;

use super::{Pending, ToolError};
use crate::value::Value;

/// What a call came to.
pub(super) type Outcome = Result<Value, ToolError>;

/// A body that can be dropped while its place in the set remains.
type Slot = Arc<Mutex<Option<Pending>>>;

/// Calls of one session that may be under way at once. Those that were dropped since the session last waited count too.
const MAX_CALLS: usize = 10_000;

#[derive(Default)]
struct Calls {
    set: FuturesUnordered<BoxFuture<'static, (u64, Option<Outcome>)>>,
    slots: HashMap<u64, Entry>,
    /// What the arguments of all calls take, encoded.
    bytes: u64,
}

struct Entry {
    slot: Slot,
    abort: AbortHandle,
    bytes: u64,
}

impl Calls {
    fn remove(&mut self, call: u64) -> Option<Entry> {
        let entry = self.slots.remove(&call)?;
        self.bytes -= entry.bytes;
        Some(entry)
    }
}

/// The calls of one session that are under way. Clones are the same.
#[derive(Clone, Default)]
pub(crate) struct Running(Arc<Mutex<Calls>>);

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Running {
    /// Whether one more call may begin whose arguments take so many bytes.
    pub(super) fn room(&self, bytes: u64, most_bytes: u64) -> Result<(), ToolError> {
        let calls = lock(&self.0);
        if calls.set.len() >= MAX_CALLS {
            return Err(ToolError::runtime(format!(
                "{MAX_CALLS} tool calls are under way, which is the most"
            )));
        }
        if calls.bytes + bytes > most_bytes {
            return Err(ToolError::new(
                "ValueError",
                format!(
                    "the arguments of the tool calls that are under way would take {} bytes, at most {most_bytes} may",
                    calls.bytes + bytes
                ),
            ));
        }
        Ok(())
    }

    pub(super) fn start(&self, call: u64, body: Pending, bytes: u64) {
        let slot: Slot = Arc::new(Mutex::new(Some(body)));
        let inner = slot.clone();
        let (body, abort) = abortable(poll_fn(move |context| {
            let mut slot = lock(&inner);
            let Some(body) = &mut *slot else {
                return Poll::Ready(None);
            };
            let outcome = std::task::ready!(body.as_mut().poll(context));
            *slot = None;
            Poll::Ready(Some(outcome))
        }));
        let ended = body.map(move |outcome| (call, outcome.ok().flatten()));
        let mut calls = lock(&self.0);
        calls.set.push(ended.boxed());
        calls.bytes += bytes;
        calls.slots.insert(call, Entry { slot, abort, bytes });
    }

    /// Drops a call at once.
    pub(super) fn drop_call(&self, call: u64) {
        let dropped = lock(&self.0).remove(call);
        if let Some(entry) = dropped {
            let body = lock(&entry.slot).take();
            drop(body);
            entry.abort.abort();
        }
        let mut calls = lock(&self.0);
        if calls.slots.is_empty() {
            // Only places of dropped calls are left.
            calls.set.clear();
        }
    }

    /// Drops all calls at once.
    pub(super) fn clear(&self) {
        let all = std::mem::take(&mut *lock(&self.0));
        drop(all);
    }

    pub(super) fn is_empty(&self) -> bool {
        lock(&self.0).slots.is_empty()
    }

    /// The next call that ends; never when there is none.
    pub(super) async fn next(&self) -> (u64, Outcome) {
        poll_fn(|context| {
            loop {
                let mut calls = lock(&self.0);
                match calls.set.poll_next_unpin(context) {
                    Poll::Ready(Some((call, Some(outcome)))) => {
                        calls.remove(call);
                        return Poll::Ready((call, outcome));
                    }
                    // One that was dropped.
                    Poll::Ready(Some((_, None))) => {}
                    Poll::Ready(None) | Poll::Pending => return Poll::Pending,
                }
            }
        })
        .await
    }
}

/// Drops the calls when a run ends, in whatever way.
pub(crate) struct EndOfRun(pub(crate) Running);

impl Drop for EndOfRun {
    fn drop(&mut self) {
        self.0.clear();
    }
}
