//! Frames and the value stack.
//!
//! Registers live on one large stack of values that never moves, so that the machine can hold addresses into it. A caller evaluates arguments where the
//! callee's registers will be, so calls copy nothing. Generators own their registers; only what they call lives on the stack.

use super::cache::Cache;
use crate::heap::Ref;
use crate::objects::code::Code;
use crate::objects::dict::DictMap;
use crate::objects::function::Function;
use crate::objects::generator::Generator;
use crate::value::Value;
use coldframe_compiler::op::Instr;

/// What happens with the result of a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// Native code called it: the run loop returns.
    Native,
    /// The same for a generator whose items a [`Sink`](super::sink::Sink) takes: the loop returns with those that it does not take.
    Feed,
    /// Native code calls it again and again: the innermost [`Row`](super::rows::Row) gets the result.
    Row,
    /// The result goes into register `dst` of the caller.
    Store,
    /// Nobody wants the result.
    Discard,
    /// It is an `__init__`: `aux`, the instance, goes into register `dst` of the caller.
    Init,
    /// A generator resumed by `ForIter` of the caller.
    ForIter,
    /// What `ForIter` of the caller asks until it gives the sentinel of an `iter(callable, sentinel)`.
    Until,
    /// A generator resumed by `YieldFrom` of the caller.
    YieldFrom,
    /// An asynchronous generator resumed by `YieldFrom` of the caller, which awaits a step of it.
    AsyncStep,
}

/// A running function.
pub struct Frame {
    /// What runs; keeps code, globals and closure alive.
    pub function: Ref<Function>,
    /// Its code (the function's may be replaced while it runs).
    pub code: Ref<Code>,
    /// Register 0.
    pub base: *mut Value,
    /// Where the registers of callees may begin at the earliest.
    pub top: *mut Value,
    /// The instruction to go on with; valid while the frame is not the running one, or after the run loop has saved it.
    pub pc: *const Instr,
    /// Register of the caller that gets the result.
    pub dst: u16,
    /// What happens with the result.
    pub mode: Mode,
    /// The generator that owns the registers.
    pub generator: Option<Ref<Generator>>,
    /// The namespace mapping of a class body or of `exec`; the instance of an `__init__`; the value sent into a generator that is delegating. `UNDEF` if none.
    pub aux: Value,
    /// The frame object, once somebody asked for it.
    pub object: Option<Value>,
}

/// What the instructions of the running frame refer to beside its registers. The instruction loop sets it when it enters a frame or comes back to one.
#[derive(Clone, Copy)]
pub struct Running {
    /// The constants of its code.
    pub consts: *const Value,
    /// The inline caches of its code.
    pub caches: *mut Cache,
    /// The globals of its function.
    pub globals: *const DictMap,
}

impl Running {
    /// Nothing runs.
    pub const NOTHING: Running = Running {
        consts: std::ptr::null(),
        caches: std::ptr::null_mut(),
        globals: std::ptr::null(),
    };
}

impl Frame {
    /// Index of the instruction that runs or that called.
    pub fn instr(&self) -> usize {
        let start = self.code.proto.instrs.as_ptr();
        // The saved pc is behind the instruction.
        ((self.pc as usize).saturating_sub(start as usize) / size_of::<Instr>()).saturating_sub(1)
    }

    /// A register that one of its instructions names.
    pub(super) fn register(&self, n: u16) -> &Value {
        debug_assert!(u32::from(n) < self.code.nregs);
        // SAFETY: the compiler's instructions name registers of the frame only, and these are initialised.
        unsafe { &*self.base.add(n as usize) }
    }

    /// Puts a value into such a register; answers what was there.
    pub(super) fn replace(&mut self, n: u16, value: Value) -> Value {
        debug_assert!(u32::from(n) < self.code.nregs);
        // SAFETY: as above.
        unsafe { std::ptr::replace(self.base.add(n as usize), value) }
    }
}

/// The running frames, the innermost last. What a vector does, but a push is written in place: moving a frame into a vector's slot out of line was a
/// fifth of the time of programs that mostly call.
pub struct FrameStack {
    start: *mut Frame,
    /// Behind the innermost frame.
    top: *mut Frame,
    /// Behind the last place.
    end: *mut Frame,
    len: usize,
}

impl FrameStack {
    /// An empty stack with room for some frames.
    pub fn new() -> FrameStack {
        let mut stack = FrameStack {
            start: std::ptr::null_mut(),
            top: std::ptr::null_mut(),
            end: std::ptr::null_mut(),
            len: 0,
        };
        stack.grow();
        stack
    }

    /// Number of frames.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether nothing runs.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// One frame more.
    #[inline(always)]
    pub fn push(&mut self, frame: Frame) {
        if self.top == self.end {
            self.grow();
        }
        // SAFETY: `top` is a free place of the allocation.
        unsafe {
            self.top.write(frame);
            self.top = self.top.add(1);
        }
        self.len += 1;
    }

    /// Takes the innermost frame.
    #[inline(always)]
    pub fn pop(&mut self) -> Option<Frame> {
        if self.len == 0 {
            return None;
        }
        // SAFETY: there is a frame, and it is taken once.
        Some(unsafe { self.pop_unchecked().read() })
    }

    /// Takes the innermost frame where it lies; the caller moves out of it what it owns before anything is pushed.
    ///
    /// # Safety
    /// There is a frame.
    #[inline(always)]
    pub unsafe fn pop_unchecked(&mut self) -> *mut Frame {
        self.len -= 1;
        // SAFETY: by contract.
        self.top = unsafe { self.top.sub(1) };
        self.top
    }

    /// The innermost frame.
    #[inline(always)]
    pub fn last(&self) -> Option<&Frame> {
        // SAFETY: there is a frame below `top`.
        (self.len > 0).then(|| unsafe { &*self.top.sub(1) })
    }

    /// The innermost frame.
    #[inline(always)]
    pub fn last_mut(&mut self) -> Option<&mut Frame> {
        // SAFETY: there is a frame below `top`, and `self` is borrowed for change.
        (self.len > 0).then(|| unsafe { &mut *self.top.sub(1) })
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        let old = self.layout();
        let room = (self.len * 2).max(64);
        let Ok(layout) = std::alloc::Layout::array::<Frame>(room) else {
            unreachable!("the recursion limit bounds the number of frames")
        };
        // SAFETY: the layouts are those of the allocation (if there is one) and not empty.
        let start = unsafe {
            if self.start.is_null() {
                std::alloc::alloc(layout)
            } else {
                std::alloc::realloc(self.start.cast(), old, layout.size())
            }
        } as *mut Frame;
        if start.is_null() {
            std::alloc::handle_alloc_error(layout);
        }
        self.start = start;
        // SAFETY: both are inside the new allocation.
        unsafe {
            self.top = start.add(self.len);
            self.end = start.add(room);
        }
    }

    fn layout(&self) -> std::alloc::Layout {
        let room = (self.end as usize - self.start as usize) / size_of::<Frame>();
        match std::alloc::Layout::array::<Frame>(room) {
            Ok(layout) => layout,
            Err(_) => unreachable!("it was allocated with this layout"),
        }
    }
}

impl Default for FrameStack {
    fn default() -> Self {
        Self::new()
    }
}

impl std::ops::Deref for FrameStack {
    type Target = [Frame];
    fn deref(&self) -> &[Frame] {
        // SAFETY: `len` frames lie at `start`.
        unsafe { std::slice::from_raw_parts(self.start, self.len) }
    }
}

impl std::ops::DerefMut for FrameStack {
    fn deref_mut(&mut self) -> &mut [Frame] {
        // SAFETY: `len` frames lie at `start`, and `self` is borrowed for change.
        unsafe { std::slice::from_raw_parts_mut(self.start, self.len) }
    }
}

impl Drop for FrameStack {
    fn drop(&mut self) {
        while let Some(frame) = self.pop() {
            drop(frame);
        }
        // SAFETY: allocated in `grow` with this layout.
        unsafe { std::alloc::dealloc(self.start.cast(), self.layout()) }
    }
}

/// Number of values on the stack.
const STACK_VALUES: usize = 1 << 18;

/// The same while the machine boots.
const BOOT_VALUES: usize = 1 << 14;

/// How many values are made ready at once, beyond those that are asked for.
const READY_AHEAD: usize = 1 << 8;

/// The stack of registers. What is not in use below `ready` is `UNDEF`, so that a new frame finds its registers as they should be and nobody has to write
/// them; above it is memory that was never touched.
pub struct ValueStack {
    start: *mut Value,
    ready: *mut Value,
    end: *mut Value,
}

impl ValueStack {
    /// A stack for programs. Its memory is untouched (and so costs nothing) until it is used.
    pub fn new() -> ValueStack {
        ValueStack::with_room(STACK_VALUES)
    }

    /// A stack for booting: that of programs is made last, so that it lies behind everything else and is no part of the image.
    pub fn small() -> ValueStack {
        ValueStack::with_room(BOOT_VALUES)
    }

    /// Whether it has room for programs.
    pub fn is_small(&self) -> bool {
        self.room() < STACK_VALUES
    }

    fn room(&self) -> usize {
        (self.end as usize - self.start as usize) / size_of::<Value>()
    }

    fn with_room(count: usize) -> ValueStack {
        let layout = match std::alloc::Layout::array::<Value>(count) {
            Ok(layout) => layout,
            Err(_) => unreachable!("the sizes are constants that fit"),
        };
        // SAFETY: the layout is not empty.
        let start = unsafe { std::alloc::alloc(layout) } as *mut Value;
        if start.is_null() {
            std::alloc::handle_alloc_error(layout);
        }
        // SAFETY: the end of the allocation.
        ValueStack {
            start,
            ready: start,
            end: unsafe { start.add(count) },
        }
    }

    /// First register of the first frame.
    pub fn start(&self) -> *mut Value {
        self.start
    }

    /// Makes `count` registers at `base` ready for use; false when they do not fit. `base` is not above what is ready.
    #[inline(always)]
    pub fn prepare(&mut self, base: *mut Value, count: usize) -> bool {
        debug_assert!(base <= self.ready);
        (self.ready as usize) - (base as usize) >= count * size_of::<Value>()
            || self.prepare_more(base, count)
    }

    /// Takes `count` values at `base`, where no frame has its registers any more.
    pub(super) fn take(&mut self, base: *mut Value, count: usize) -> Vec<Value> {
        debug_assert!(base >= self.start && base <= self.ready);
        let count =
            count.min((self.ready as usize).saturating_sub(base as usize) / size_of::<Value>());
        // SAFETY: what is below `ready` is initialised, and is left UNDEF.
        let take = |n| unsafe { std::ptr::replace(base.add(n), Value::UNDEF) };
        (0..count).map(take).collect()
    }

    /// Puts values at `base`, above every live register. They were prepared.
    pub(super) fn put(&mut self, base: *mut Value, values: impl Iterator<Item = Value>) {
        for (n, value) in values.enumerate() {
            debug_assert!(base.wrapping_add(n) < self.ready);
            // SAFETY: below `ready`; what was there is UNDEF.
            unsafe { base.add(n).write(value) };
        }
    }

    #[cold]
    #[inline(never)]
    fn prepare_more(&mut self, base: *mut Value, count: usize) -> bool {
        let room = (self.end as usize - base as usize) / size_of::<Value>();
        if count > room {
            return false;
        }
        // SAFETY: inside the allocation, as just checked.
        let wanted = unsafe { base.add(count + READY_AHEAD.min(room - count)) };
        while self.ready < wanted {
            // SAFETY: between the start and the end of the allocation.
            unsafe {
                self.ready.write(Value::UNDEF);
                self.ready = self.ready.add(1);
            }
        }
        true
    }
}

impl Default for ValueStack {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for ValueStack {
    fn drop(&mut self) {
        if let Ok(layout) = std::alloc::Layout::array::<Value>(self.room()) {
            // SAFETY: allocated in `with_room` with this layout; frames (which own what is on it) are gone.
            unsafe { std::alloc::dealloc(self.start as *mut u8, layout) }
        }
    }
}
