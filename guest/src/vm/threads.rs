//! Threads of the machine: what belongs to the running one.
//!
//! There is one flow of control. A thread is started by running its function to the end inside `start`; meanwhile the thread that started it waits. So
//! threads nest, and this room keeps what each has of its own: its number, its context variables, its event loop.

use super::Vm;
use crate::value::Value;
use std::collections::BTreeMap;

/// What belongs to one thread.
pub struct Thread {
    /// `threading.get_ident()`
    pub ident: i64,
    /// The context that is entered, or `UNDEF` while there is none.
    pub context: Value,
    /// The context that the thread began with, or `UNDEF`.
    pub first_context: Value,
    /// The event loop that is running, or `None`.
    pub running_loop: Value,
    /// The task that the loop is stepping, or `None`.
    pub running_task: Value,
    /// What is called when an asynchronous generator is first iterated and when it is finalised, or `None`. An event loop sets and resets them.
    pub asyncgen_hooks: [Value; 2],
}

impl Thread {
    fn new(ident: i64) -> Thread {
        Thread {
            ident,
            context: Value::UNDEF,
            first_context: Value::UNDEF,
            running_loop: Value::NONE,
            running_task: Value::NONE,
            asyncgen_hooks: [Value::NONE, Value::NONE],
        }
    }
}

/// The number of the main thread.
pub const MAIN: i64 = 1;

/// The threads of a machine.
pub struct Threads {
    /// The running one.
    pub current: Thread,
    /// Those that wait for it, the main thread first.
    waiting: Vec<Thread>,
    last: i64,
    /// `sys.get_coroutine_origin_tracking_depth()`
    pub origin_depth: usize,
    /// Weak references to the tasks that are not done, in the order in which they were made.
    pub tasks: BTreeMap<u64, Value>,
}

impl Threads {
    pub(crate) fn new() -> Threads {
        Threads {
            current: Thread::new(MAIN),
            waiting: Vec::new(),
            last: MAIN,
            origin_depth: 0,
            tasks: BTreeMap::new(),
        }
    }

    /// A number for a new thread.
    pub fn fresh_ident(&mut self) -> i64 {
        self.last += 1;
        self.last
    }

    /// How many threads there are beside the main one.
    pub fn count(&self) -> usize {
        self.waiting.len()
    }
}

impl Vm {
    /// Runs `f` as the thread `ident`.
    pub fn as_thread<T>(&mut self, ident: i64, f: impl FnOnce(&mut Vm) -> T) -> T {
        let outer = std::mem::replace(&mut self.threads.current, Thread::new(ident));
        self.threads.waiting.push(outer);
        let handled = std::mem::replace(&mut self.handled, Value::NONE);
        let origin_depth = std::mem::replace(&mut self.threads.origin_depth, 0);
        let result = f(self);
        self.threads.origin_depth = origin_depth;
        self.handled = handled;
        if let Some(outer) = self.threads.waiting.pop() {
            self.threads.current = outer;
        }
        result
    }

    /// Leaves the main thread as a new program may expect it: a program that was stopped did not tidy up.
    pub(crate) fn reset_threads(&mut self) {
        self.threads.waiting.truncate(1);
        if let Some(main) = self.threads.waiting.pop() {
            self.threads.current = main;
        }
        let main = &mut self.threads.current;
        main.context = main.first_context.clone();
        main.running_loop = Value::NONE;
        main.running_task = Value::NONE;
        main.asyncgen_hooks = [Value::NONE, Value::NONE];
        self.threads.origin_depth = 0;
    }
}
