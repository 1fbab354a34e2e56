//! Frames and the value stack.
//!
//! Registers live on one large stack of values that never moves, so that the machine can hold addresses into it. A caller evaluates arguments where the
//! callee's registers will be, so calls copy nothing. Generators own their registers; only what they call lives on the stack.

use crate::heap::Ref;
use crate::objects::code::Code;
use crate::objects::function::Function;
use crate::objects::generator::Generator;
use crate::value::Value;
use coldframe_compiler::op::Instr;

/// What happens with the result of a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// Native code called it: the run loop returns.
    Native,
    /// The result goes into register `dst` of the caller.
    Store,
    /// It is an `__init__`: `aux`, the instance, goes into register `dst` of the caller.
    Init,
    /// A generator resumed by `ForIter` of the caller.
    ForIter,
    /// A generator resumed by `YieldFrom` of the caller.
    YieldFrom,
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

impl Frame {
    /// Index of the instruction that runs or that called.
    pub fn instr(&self) -> usize {
        let start = self.code.proto.instrs.as_ptr();
        // The saved pc is behind the instruction.
        ((self.pc as usize).saturating_sub(start as usize) / size_of::<Instr>()).saturating_sub(1)
    }
}

/// Number of values on the stack.
const STACK_VALUES: usize = 1 << 18;

/// The stack of registers.
pub struct ValueStack {
    start: *mut Value,
    end: *mut Value,
}

impl ValueStack {
    /// A stack. Its memory is untouched (and so costs nothing) until it is used.
    pub fn new() -> ValueStack {
        let layout = match std::alloc::Layout::array::<Value>(STACK_VALUES) {
            Ok(layout) => layout,
            Err(_) => unreachable!("the size is a constant that fits"),
        };
        // SAFETY: the layout is not empty.
        let start = unsafe { std::alloc::alloc(layout) } as *mut Value;
        if start.is_null() {
            std::alloc::handle_alloc_error(layout);
        }
        // SAFETY: the end of the allocation.
        ValueStack {
            start,
            end: unsafe { start.add(STACK_VALUES) },
        }
    }

    /// First register of the first frame.
    pub fn start(&self) -> *mut Value {
        self.start
    }

    /// Whether `count` registers fit at `base`.
    #[inline(always)]
    pub fn fits(&self, base: *mut Value, count: usize) -> bool {
        (self.end as usize).wrapping_sub(base as usize) >= count * size_of::<Value>()
            && base <= self.end
    }
}

impl Default for ValueStack {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for ValueStack {
    fn drop(&mut self) {
        if let Ok(layout) = std::alloc::Layout::array::<Value>(STACK_VALUES) {
            // SAFETY: allocated in `new` with this layout; frames (which own what is on it) are gone.
            unsafe { std::alloc::dealloc(self.start as *mut u8, layout) }
        }
    }
}
