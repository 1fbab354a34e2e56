//! The payload of futures and tasks.

use crate::class_slot;
use crate::heap::{Payload, Ref, VmCell};
use crate::value::Value;

/// How far a future is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// Not done.
    Pending,
    /// Cancelled.
    Cancelled,
    /// Done, with a result or an exception.
    Finished,
}

/// What of a future changes.
pub struct FutureState {
    pub status: Status,
    /// The loop, or `UNDEF` before `__init__`.
    pub event_loop: Value,
    pub result: Value,
    /// The exception, or `None`, and the traceback that it was set with.
    pub exception: Value,
    pub exception_tb: Value,
    /// Callbacks with their contexts.
    pub callbacks: Vec<(Value, Value)>,
    pub source_traceback: Value,
    pub cancel_message: Value,
    /// The exception that ended a cancelled task, until somebody has got it.
    pub cancelled_exc: Value,
    /// It was yielded by its `__await__` and nobody has taken notice yet.
    pub blocking: bool,
    /// Its exception was never asked for: to be reported when it dies.
    pub log_traceback: bool,
    /// The futures and tasks that wait for it.
    pub awaited_by: Vec<Value>,
    /// What a task has beside.
    pub task: Option<Box<TaskState>>,
}

/// What of a task changes.
pub struct TaskState {
    /// The coroutine, or `None` when it was dropped.
    pub coro: Value,
    pub context: Value,
    pub name: Value,
    /// What it waits for, or `None`.
    pub waiter: Value,
    /// `CancelledError` is to be thrown at the next step.
    pub must_cancel: bool,
    pub cancels_requested: i64,
    pub log_destroy_pending: bool,
    /// Its key in the register of tasks, 0 for none.
    pub registered: u64,
}

/// Payload of `Future` and `Task`.
pub struct Future {
    pub state: VmCell<FutureState>,
    /// Whether it is of `Task` or a class derived from that.
    pub is_task: bool,
}

impl FutureState {
    pub fn new() -> FutureState {
        FutureState {
            status: Status::Pending,
            event_loop: Value::UNDEF,
            result: Value::NONE,
            exception: Value::NONE,
            exception_tb: Value::NONE,
            callbacks: Vec::new(),
            source_traceback: Value::NONE,
            cancel_message: Value::NONE,
            cancelled_exc: Value::NONE,
            blocking: false,
            log_traceback: false,
            awaited_by: Vec::new(),
            task: None,
        }
    }
}

// SAFETY: visits every value held.
unsafe impl Payload for Future {
    class_slot!();
    fn traverse(&self, visit: &mut dyn FnMut(&Value)) {
        // SAFETY: the collector runs while no borrow of any payload lives.
        let s = unsafe { self.state.peek() };
        for v in [
            &s.event_loop,
            &s.result,
            &s.exception,
            &s.exception_tb,
            &s.source_traceback,
            &s.cancel_message,
            &s.cancelled_exc,
        ] {
            visit(v);
        }
        for (callback, context) in &s.callbacks {
            visit(callback);
            visit(context);
        }
        s.awaited_by.iter().for_each(&mut *visit);
        if let Some(t) = &s.task {
            for v in [&t.coro, &t.context, &t.name, &t.waiter] {
                visit(v);
            }
        }
    }
    fn clear(&mut self) {
        let s = self.state.exclusive();
        let callbacks = std::mem::take(&mut s.callbacks);
        let awaited_by = std::mem::take(&mut s.awaited_by);
        let task = s.task.take();
        drop((callbacks, awaited_by, task));
        for v in [
            &mut s.event_loop,
            &mut s.result,
            &mut s.exception,
            &mut s.exception_tb,
            &mut s.source_traceback,
            &mut s.cancel_message,
            &mut s.cancelled_exc,
        ] {
            *v = Value::NONE;
        }
    }
    const NEEDS_FINALIZER: Option<fn(&Self) -> bool> = Some(|me| {
        // SAFETY: nobody owns the object any more, so nobody borrows its state.
        let s = unsafe { me.state.peek() };
        let destroyed = s
            .task
            .as_ref()
            .is_some_and(|t| t.log_destroy_pending && s.status == Status::Pending);
        s.log_traceback || destroyed
    });
}

/// Payload of `FutureIter`: what `future.__await__()` gives.
pub struct FutureIter {
    /// The future, or `UNDEF` at the end.
    pub future: VmCell<Value>,
}

// SAFETY: visits the future.
unsafe impl Payload for FutureIter {
    class_slot!();
    fn traverse(&self, visit: &mut dyn FnMut(&Value)) {
        // SAFETY: the collector runs while no borrow of any payload lives.
        visit(unsafe { self.future.peek() });
    }
}

/// Payload of `TaskStepMethWrapper`: the callback that steps a task.
pub struct TaskStep {
    pub task: Ref<Future>,
    /// What to throw in, or `UNDEF`.
    pub exception: Value,
}

// SAFETY: visits task and exception.
unsafe impl Payload for TaskStep {
    class_slot!();
    fn traverse(&self, visit: &mut dyn FnMut(&Value)) {
        self.task.with_value(&mut *visit);
        visit(&self.exception);
    }
}
