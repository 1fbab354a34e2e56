//! Threads of the machine: which runs, which wait, and what belongs to each.
//!
//! There is one flow of control. A thread is started by running its function inside `start`, until it has to wait: for a lock, for some time to pass, or
//! for the others to have had their turn. Then it leaves: [`unwind`](super::unwind) takes its frames and registers off the machine's stacks, and whoever
//! started it goes on. It goes on itself, nested in the wait of another thread, when what it waits for is there.
//!
//! A thread can leave only where no native code is between its own run loop and the call that waits: the native stack cannot be put aside. Elsewhere (in a
//! key function of `sorted`, say), and in the main thread, whoever waits lets the others go on meanwhile, one after the other, those first that began to
//! wait first. So a thread that waits in such a place holds up those below it on the native stack, and where only these could help, that is a deadlock.

use super::frame::Frame;
use super::{MAX_NATIVE_DEPTH, R, Raised, Vm};
use crate::objects::generator::GeneratorStatus;
use crate::objects::native::{Call, MethodDescriptor, Native};
use crate::value::Value;
use coldframe_compiler::op::{DB, Instr, Op};
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
    /// The depth of native recursion in its own run loop; nothing when it cannot leave.
    home: Option<usize>,
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
            home: None,
        }
    }
}

/// The number of the main thread.
pub const MAIN: i64 = 1;

/// How many polls at back-edges a thread may go on for while others could.
const SLICE: u32 = 100;

/// What a thread waits for.
pub(crate) trait Awaited {
    /// Whether the thread of this number can have it now.
    fn is_there(&self, ident: i64) -> bool;
    /// The thread gets it, or its patience is over: what the call that waits gives.
    fn settle(&self, ident: i64, is_there: bool) -> Value;
}

/// Waits for the time to pass.
pub(crate) struct Rest;

impl Awaited for Rest {
    fn is_there(&self, _: i64) -> bool {
        false
    }
    fn settle(&self, _: i64, _: bool) -> Value {
        Value::NONE
    }
}

/// Lets the others have their turn.
pub(crate) struct Turn;

impl Awaited for Turn {
    fn is_there(&self, _: i64) -> bool {
        true
    }
    fn settle(&self, _: i64, _: bool) -> Value {
        Value::NONE
    }
}

/// A wait: for what, until when at the latest (by the monotonic clock), and its place among those that wait.
pub(crate) struct Wait {
    what: Box<dyn Awaited>,
    deadline: Option<u64>,
    since: u64,
}

/// A thread on its way out: what [`Vm::leave`] took off the stacks.
struct Left {
    wait: Wait,
    frames: Vec<Frame>,
    registers: Vec<Value>,
    /// Where the registers were.
    at: *mut Value,
    /// The register of the last frame that gets what the wait gives.
    result: Option<u16>,
}

/// A thread that waits outside the machine's stacks.
struct Suspended {
    thread: Thread,
    left: Left,
    /// The exception that it handles.
    handled: Value,
    origin_depth: usize,
}

/// Who goes on next.
enum Next {
    /// The one that asks; whether it gets what it waits for.
    Me(bool),
    /// A suspended thread; whether it gets what it waits for.
    Other(usize, bool),
    /// Nobody before this time.
    Later(u64),
    /// Nobody at all.
    Nobody,
}

/// The threads of a machine.
pub struct Threads {
    /// The running one.
    pub current: Thread,
    /// Those that started or resumed it, the main thread first.
    waiting: Vec<Thread>,
    suspended: Vec<Suspended>,
    /// How the running thread is to leave, until [`Vm::unwind`] has seen to it.
    leaving: Option<(Wait, Option<u16>)>,
    left: Option<Left>,
    /// Whether the library still knows of threads that are gone.
    pub(super) stale: bool,
    last: i64,
    waits: u64,
    polls: u32,
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
            suspended: Vec::new(),
            leaving: None,
            left: None,
            stale: false,
            last: MAIN,
            waits: 0,
            polls: 0,
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
        self.waiting.len() + self.suspended.len()
    }

    /// Whether the running thread is one that can leave.
    #[inline]
    pub(crate) fn can_leave(&self) -> bool {
        self.current.home.is_some()
    }

    /// Whether a thread waits outside the machine's stacks.
    pub(crate) fn is_any_suspended(&self) -> bool {
        !self.suspended.is_empty()
    }

    /// Whether the running thread is about to leave: what is on its way through the native code is no exception.
    pub(crate) fn is_leaving(&self) -> bool {
        self.leaving.is_some()
    }

    fn wait(&mut self, what: Box<dyn Awaited>, deadline: Option<u64>) -> Wait {
        self.waits += 1;
        Wait {
            what,
            deadline,
            since: self.waits,
        }
    }
}

/// The signature of native functions that may wait.
pub(crate) type Waiter = fn(&mut Vm, &[Value]) -> R;

impl Vm {
    /// Runs `function` as the thread `ident`, until it has ended or waits.
    pub(crate) fn start_thread(&mut self, ident: i64, function: &Value, args: &[Value]) -> R<()> {
        let thread = Thread {
            home: Some(self.native_depth + 1),
            ..Thread::new(ident)
        };
        self.as_thread(thread, Value::NONE, 0, |vm| vm.call(function, args))
    }

    fn as_thread(
        &mut self,
        thread: Thread,
        handled: Value,
        origin_depth: usize,
        f: impl FnOnce(&mut Vm) -> R,
    ) -> R<()> {
        let outer = std::mem::replace(&mut self.threads.current, thread);
        self.threads.waiting.push(outer);
        let outer_handled = std::mem::replace(&mut self.handled, handled);
        let outer_depth = std::mem::replace(&mut self.threads.origin_depth, origin_depth);
        self.threads.polls = 0;
        let result = f(self);
        self.threads.polls = 0;
        let origin_depth = std::mem::replace(&mut self.threads.origin_depth, outer_depth);
        let handled = std::mem::replace(&mut self.handled, outer_handled);
        let Some(outer) = self.threads.waiting.pop() else {
            return result.map(drop);
        };
        let thread = std::mem::replace(&mut self.threads.current, outer);
        self.threads.stale |= self.stopped.is_some();
        if let Some(left) = self.threads.left.take() {
            self.threads.suspended.push(Suspended {
                thread,
                left,
                handled,
                origin_depth,
            });
            return Ok(());
        }
        result.map(drop)
    }

    // ---- waiting

    /// Waits for something, on behalf of the native function `me`, which hands on what this gives.
    pub(crate) fn wait_for(
        &mut self,
        me: Waiter,
        what: Box<dyn Awaited>,
        deadline: Option<u64>,
    ) -> R {
        let wait = self.threads.wait(what, deadline);
        match self.place_to_leave(me)? {
            Some(result) => {
                self.threads.leaving = Some((wait, Some(result)));
                Err(self.leave_thread())
            }
            None => self.wait_nested(wait),
        }
    }

    /// Lets those go on that can, each of them once at most, if that is simple. `me` is the native function that asks.
    pub(crate) fn take_turns(&mut self, me: Waiter) -> R {
        if self.threads.count() == 0 {
            return Ok(Value::NONE);
        }
        self.wait_for(me, Box::new(Turn), None)
    }

    /// Called at back-edges now and then: a thread that goes on for long lets the others have their turn.
    #[cold]
    #[inline(never)]
    pub(crate) fn poll_at_jump(&mut self) -> R<()> {
        self.poll()?;
        if self.threads.count() == 0 {
            return Ok(());
        }
        self.threads.polls += 1;
        if self.threads.polls < SLICE {
            return Ok(());
        }
        self.threads.polls = 0;
        let wait = self.threads.wait(Box::new(Turn), None);
        if self.threads.current.home == Some(self.native_depth) {
            self.threads.leaving = Some((wait, None));
            return Err(self.leave_thread());
        }
        self.wait_nested(wait).map(drop)
    }

    /// Whether the running instruction is a call of `me` itself, in the thread's own run loop, so that the thread can leave here: the register that
    /// the call's result goes to.
    fn place_to_leave(&mut self, me: Waiter) -> R<Option<u16>> {
        if self.threads.current.home != Some(self.native_depth) {
            return Ok(None);
        }
        let Some((instr, frame)) = self.running_instr() else {
            return Ok(None);
        };
        match instr.op {
            Op::Call | Op::CallKw | Op::CallEx => {
                let callee = frame.register(instr.b);
                let call = match (
                    callee.as_ref::<Native>(),
                    callee.as_ref::<MethodDescriptor>(),
                ) {
                    (Some(native), _) => &native.def.call,
                    (_, Some(descriptor)) => &descriptor.def.call,
                    _ => return Ok(None),
                };
                Ok(match call {
                    Call::Bound(f) if std::ptr::fn_addr_eq(*f, me) => Some(instr.a),
                    _ => None,
                })
            }
            Op::WithEnter => {
                // A manager whose `__enter__` is this function: its `__exit__` is native as well.
                let manager = frame.register(instr.b).clone();
                let n = crate::names::Names::get();
                let class = self.class_of(&manager).clone();
                let enter = self.type_lookup(&class, &n.__enter__);
                let is_me = enter.as_ref().and_then(|v| v.as_ref::<MethodDescriptor>());
                if !is_me.is_some_and(
                    |d| matches!(d.def.call, Call::Bound(f) if std::ptr::fn_addr_eq(f, me)),
                ) {
                    return Ok(None);
                }
                let Some(exit) = self.special(&manager, &n.__exit__)? else {
                    return Ok(None);
                };
                if let Some(frame) = self.frames.last_mut() {
                    drop(frame.replace(instr.a, exit));
                }
                Ok(Some(instr.a + 1))
            }
            _ => Ok(None),
        }
    }

    /// The instruction that the top frame is at, and the frame's registers.
    fn running_instr(&self) -> Option<(Instr, &Frame)> {
        let frame = self.frames.last()?;
        let instrs = &frame.code.proto.instrs;
        let at = frame.instr();
        let mut instr = *instrs.get(at)?;
        if instr.op == Op::Ext {
            // The saved pc is behind both words.
            instr = *instrs.get(at.checked_sub(1)?)?;
        }
        Some((instr, frame))
    }

    /// Waits where the thread cannot leave: the others go on meanwhile.
    fn wait_nested(&mut self, wait: Wait) -> R {
        let ident = self.threads.current.ident;
        loop {
            self.poll_native()?;
            match self.next_thread(&wait) {
                Next::Me(is_there) => return Ok(wait.what.settle(ident, is_there)),
                Next::Other(n, is_there) => self.resume_thread(n, is_there)?,
                Next::Later(time) => {
                    let now = self.host.monotonic_clock();
                    crate::modules::time::rest(self, time.saturating_sub(now))?;
                }
                Next::Nobody => {
                    return Err(self.runtime_error(if ident == MAIN {
                        "deadlock: waiting for a lock that nobody can release: no other thread can go on"
                    } else {
                        "deadlock: waiting for a lock that nobody can release: no other thread can go on (this one waits inside native code, and those that started it wait for that)"
                    }));
                }
            }
        }
    }

    /// Who goes on next, if not the one that waits like this itself: of those that can the one that began to wait first, except that of those whose time
    /// is over the one comes first whose time was over first.
    fn next_thread(&mut self, mine: &Wait) -> Next {
        let ident = self.threads.current.ident;
        let suspended = &self.threads.suspended;
        let timed =
            mine.deadline.is_some() || suspended.iter().any(|s| s.left.wait.deadline.is_some());
        let now = if timed {
            self.host.monotonic_clock()
        } else {
            0
        };
        let others = self.threads.suspended.iter().enumerate();
        let others = others.map(|(n, s)| (Some(n), s.thread.ident, &s.left.wait));
        let all = || others.clone().chain([(None, ident, mine)]);
        let first = all()
            .filter_map(|(n, ident, wait)| {
                let is_there = wait.what.is_there(ident);
                let due = wait.deadline.filter(|d| *d <= now);
                (is_there || due.is_some()).then_some((n, is_there, wait, due))
            })
            .min_by_key(|(.., wait, _)| wait.since);
        let Some((mut n, is_there, _, due)) = first else {
            let next = all().filter_map(|(.., wait)| wait.deadline).min();
            return next.map_or(Next::Nobody, Next::Later);
        };
        if !is_there
            && let Some(due) = due
            && let Some((earlier, ..)) = all()
                .filter(|(_, ident, wait)| {
                    !wait.what.is_there(*ident) && wait.deadline.is_some_and(|d| d < due)
                })
                .min_by_key(|(.., wait)| wait.deadline)
        {
            n = earlier;
        }
        match n {
            Some(n) => Next::Other(n, is_there),
            None => Next::Me(is_there),
        }
    }

    /// Lets a thread go on that can; what is there of what the event loop's host calls wait for is not its business. True when one did; otherwise the
    /// time at which one can, if there will be one.
    pub(crate) fn run_other(&mut self) -> R<Result<(), Option<u64>>> {
        struct Never;
        impl Awaited for Never {
            fn is_there(&self, _: i64) -> bool {
                false
            }
            fn settle(&self, _: i64, _: bool) -> Value {
                Value::NONE
            }
        }
        let wait = self.threads.wait(Box::new(Never), None);
        Ok(match self.next_thread(&wait) {
            Next::Other(n, is_there) => Ok(self.resume_thread(n, is_there)?),
            Next::Later(time) => Err(Some(time)),
            Next::Me(_) | Next::Nobody => Err(None),
        })
    }

    // ---- leaving and coming back

    /// Takes the thread that is leaving off the stacks. `floor` is that of its run loop.
    #[cold]
    pub(crate) fn leave(&mut self, floor: usize) {
        let Some((wait, result)) = self.threads.leaving.take() else {
            return;
        };
        let first = floor.saturating_sub(1);
        if let (Some(_), Some((instr, frame))) = (result, self.running_instr()) {
            let base = frame.base;
            // What the instruction would have dropped after its call.
            match instr.op {
                Op::Call | Op::CallKw => {
                    let window = base.wrapping_add(instr.b as usize);
                    super::call::drop_values(window, instr.c as usize + 2);
                }
                Op::WithEnter
                    if instr.x & DB != 0 && instr.b != instr.a && instr.b != instr.a + 1 =>
                {
                    super::call::drop_values(base.wrapping_add(instr.b as usize), 1);
                }
                _ => {}
            }
        }
        let mut frames = Vec::with_capacity(self.frames.len() - first);
        let mut top = std::ptr::null_mut();
        while self.frames.len() > first
            && let Some(mut frame) = self.frames.pop()
        {
            if let Some(object) = frame.object.take() {
                crate::builtins::frames::detach(self, &object, &frame, false);
            }
            top = frame.top.max(top);
            frames.push(frame);
        }
        frames.reverse();
        let at = self.stack_top();
        let count = (top as usize).saturating_sub(at as usize) / size_of::<Value>();
        let registers = self.stack.take(at, count);
        self.threads.left = Some(Left {
            wait,
            frames,
            registers,
            at,
            result,
        });
    }

    /// Lets a suspended thread go on, until it has ended or waits again. The error is that the whole program ends, or that there is no room.
    fn resume_thread(&mut self, n: usize, is_there: bool) -> R<()> {
        let count = self.threads.suspended[n].left.registers.len();
        let base = self.stack_top();
        if self.native_depth >= MAX_NATIVE_DEPTH || !self.stack.prepare(base, count + 64) {
            return Err(self.too_deep(""));
        }
        let mut suspended = self.threads.suspended.remove(n);
        let mut thread = std::mem::replace(&mut suspended.thread, Thread::new(0));
        let handled = std::mem::replace(&mut suspended.handled, Value::NONE);
        thread.home = Some(self.native_depth + 1);
        let ident = thread.ident;
        let result = self.as_thread(thread, handled, suspended.origin_depth, |vm| {
            let left = &mut suspended.left;
            let by = (base as isize).wrapping_sub(left.at as isize);
            vm.stack.put(base, left.registers.drain(..));
            let floor = vm.frames.len() + 1;
            for mut frame in left.frames.drain(..) {
                // The registers of a generator have not moved; those of what it calls have.
                if frame.generator.is_none() {
                    frame.base = frame.base.wrapping_byte_offset(by);
                }
                frame.top = frame.top.wrapping_byte_offset(by);
                vm.frames.push(frame);
            }
            let value = left.wait.what.settle(ident, is_there);
            if let Some(register) = left.result
                && let Some(frame) = vm.frames.last_mut()
            {
                drop(frame.replace(register, value));
            }
            vm.native_depth += 1;
            let result = vm.run_above(floor);
            vm.native_depth -= 1;
            result
        });
        match result {
            Err(raised) if self.stopped.is_some() || self.final_answer_is_pending() => Err(raised),
            Err(_) => {
                // The library reports what a thread raises; this is what it could not report.
                let exception = self.take_error();
                self.unraisable(&exception, &Value::NONE);
                Ok(())
            }
            Ok(()) => Ok(()),
        }
    }

    /// Drops the threads that wait, with their frames: none of their code runs any more.
    pub(crate) fn drop_suspended(&mut self) {
        self.threads.leaving = None;
        self.threads.left = None;
        let suspended = std::mem::take(&mut self.threads.suspended);
        if suspended.is_empty() {
            return;
        }
        self.threads.stale = true;
        for frame in suspended.iter().flat_map(|s| &s.left.frames) {
            // Nor will the generators go on that run in it.
            if let Some(generator) = &frame.generator {
                let state = generator.state.get_mut(self);
                state.status = GeneratorStatus::Finished;
                let registers = std::mem::take(&mut state.registers);
                drop(registers);
            }
        }
        drop(suspended);
        // Nor finalisers of what only they had.
        loop {
            let due = crate::heap::take_finalizers();
            if due.is_empty() {
                return;
            }
            drop(due);
        }
    }

    /// Leaves the main thread as a new program may expect it: a program that was stopped did not tidy up.
    pub(crate) fn reset_threads(&mut self) {
        self.threads.waiting.truncate(1);
        if let Some(main) = self.threads.waiting.pop() {
            self.threads.current = main;
        }
        self.drop_suspended();
        let main = &mut self.threads.current;
        main.context = main.first_context.clone();
        main.running_loop = Value::NONE;
        main.running_task = Value::NONE;
        main.asyncgen_hooks = [Value::NONE, Value::NONE];
        self.threads.origin_depth = 0;
        self.threads.polls = 0;
    }

    /// Marks that what is on its way through the native code is a thread that leaves.
    fn leave_thread(&mut self) -> Raised {
        self.pending = None;
        self.raised_nothing()
    }
}
