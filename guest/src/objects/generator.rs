//! Generators, coroutines and asynchronous generators: the data. How they run is in [`crate::vm::generators`].

use crate::class_slot;
use crate::heap::{Kind, Payload, Ref, VmCell};
use crate::objects::function::Function;
use crate::objects::string::Str;
use crate::value::Value;

/// What kind of object the frame belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GeneratorKind {
    /// From a function with `yield`.
    Generator,
    /// From an `async def`.
    Coroutine,
    /// From an `async def` with `yield`.
    AsyncGenerator,
}

/// How far it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GeneratorStatus {
    /// Not started.
    Created,
    /// Waiting at a `yield`.
    Suspended,
    /// Running now.
    Running,
    /// Finished, by return, exception or `close`.
    Finished,
}

/// What of a generator changes.
pub struct GeneratorState {
    /// How far it is.
    pub status: GeneratorStatus,
    /// Index of the instruction to go on with; when suspended at a `Yield` or `YieldFrom`, the one after it (after it has been resumed) or itself.
    pub pc: u32,
    /// The frame's registers; empty once finished.
    pub registers: Box<[Value]>,
    /// Whether it is inside a handler of its own.
    pub handles: bool,
    /// While it runs, the exception that its caller handles; while it is suspended, the one that it handles itself; or `None`.
    pub handled: Value,
    /// `__name__`
    pub name: Ref<Str>,
    /// `__qualname__`
    pub qualname: Ref<Str>,
    /// For asynchronous generators: whether an `asend`/`athrow`/`aclose` is running.
    pub async_running: bool,
    /// For asynchronous generators: whether it was closed, or has ended.
    pub async_closed: bool,
    /// For coroutines where they were made (`cr_origin`), for asynchronous generators the event loop's finaliser; or `None`.
    pub origin_or_finalizer: Value,
    /// For asynchronous generators: whether the event loop's hooks have been told of it.
    pub hooks_inited: bool,
}

/// Payload of `generator`, `coroutine` and `async_generator`. It owns its frame.
pub struct Generator {
    /// What it is.
    pub kind: GeneratorKind,
    /// The function whose frame it is.
    pub function: Ref<Function>,
    /// The rest.
    pub state: VmCell<GeneratorState>,
}

// SAFETY: visits every value held.
unsafe impl Payload for Generator {
    const KIND: Kind = Kind::Generator;
    class_slot!();
    fn traverse(&self, visit: &mut dyn FnMut(&Value)) {
        self.function.with_value(&mut *visit);
        // SAFETY: the collector runs while no borrow of any payload lives.
        let s = unsafe { self.state.peek() };
        s.name.with_value(&mut *visit);
        s.qualname.with_value(&mut *visit);
        visit(&s.handled);
        visit(&s.origin_or_finalizer);
        s.registers.iter().for_each(visit);
    }
    fn clear(&mut self) {
        let s = self.state.exclusive();
        s.status = GeneratorStatus::Finished;
        drop(std::mem::take(&mut s.registers));
        s.handled = Value::NONE;
    }
    const NEEDS_FINALIZER: Option<fn(&Self) -> bool> = Some(|me| {
        // SAFETY: nobody owns the object any more, so nobody borrows its state.
        let s = unsafe { me.state.peek() };
        // SAFETY: as above; code is only replaced through the function.
        let code = unsafe { me.function.code.peek() };
        let hooked = me.kind == GeneratorKind::AsyncGenerator && !s.origin_or_finalizer.is_none();
        match s.status {
            GeneratorStatus::Created | GeneratorStatus::Suspended if hooked => true,
            // Only a frame that waits inside a handled range has anything to run.
            GeneratorStatus::Suspended => {
                let at = s.pc.saturating_sub(1);
                code.proto
                    .handlers
                    .iter()
                    .any(|h| (h.start <= at && at < h.end) || (h.start <= s.pc && s.pc < h.end))
            }
            // A coroutine that was never awaited gets its warning.
            GeneratorStatus::Created => me.kind == GeneratorKind::Coroutine,
            _ => false,
        }
    });
}
