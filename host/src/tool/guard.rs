//! Runs the body of a tool so that nothing it does harms the session: panics are errors, and it may have a time of its own.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use super::{Call, Inner, Pending, ToolError};
use crate::value::Value;

/// Starts the body.
pub(super) fn begin(tool: &Arc<Inner>, call: Call) -> Pending {
    let inner = tool.clone();
    Box::pin(async move {
        // Nothing of the closure's is looked at again after a panic but what it shares by its own means.
        let body = match catch_unwind(AssertUnwindSafe(|| (inner.body)(call))) {
            Ok(body) => Caught(Some(body)),
            Err(payload) => return Err(panicked(&*payload)),
        };
        match inner.timeout {
            None => body.await,
            Some(time) => match tokio::time::timeout(time, body).await {
                Ok(outcome) => outcome,
                Err(_) => Err(ToolError::new(
                    "TimeoutError",
                    format!("the tool '{}' took longer than {time:?}", inner.name),
                )),
            },
        }
    })
}

/// Reads something by code of the embedder's; a panic is an error.
pub(super) fn read(value: impl FnOnce() -> Result<Value, ToolError>) -> Result<Value, ToolError> {
    catch_unwind(AssertUnwindSafe(value)).unwrap_or_else(|payload| Err(panicked(&*payload)))
}

/// A future whose panics are errors. After one it is dropped.
struct Caught(Option<Pending>);

impl Future for Caught {
    type Output = Result<Value, ToolError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let Some(body) = &mut self.0 else {
            return Poll::Ready(Err(ToolError::runtime("the tool has ended")));
        };
        match catch_unwind(AssertUnwindSafe(|| body.as_mut().poll(context))) {
            Ok(Poll::Pending) => Poll::Pending,
            Ok(ready) => {
                self.0 = None;
                ready
            }
            Err(payload) => {
                self.0 = None;
                Poll::Ready(Err(panicked(&*payload)))
            }
        }
    }
}

fn panicked(payload: &(dyn Any + Send)) -> ToolError {
    let text = payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message");
    ToolError::runtime(format!("the tool panicked: {text}"))
}
