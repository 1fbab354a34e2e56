//! Exceptions: the data. The classes are in [`crate::builtins::exceptions`].

use crate::class_slot;
use crate::heap::{self, Kind, Payload, Ref, VmCell};
use crate::objects::code::Code;
use crate::objects::dict::Dict;
use crate::objects::types::Type;
use crate::value::Value;

/// One frame that an exception passed through.
#[derive(Clone)]
pub struct TraceEntry {
    /// The code that was running.
    pub code: Ref<Code>,
    /// Index of the instruction.
    pub instr: u32,
    /// The frame's globals.
    pub globals: Ref<Dict>,
    /// The frame object, if somebody asked for it while the frame lived.
    pub frame: Option<Value>,
}

/// What of an exception can be assigned.
#[derive(Default)]
pub struct ExceptionState {
    /// `args`, a tuple.
    pub args: Option<Value>,
    /// The frames passed through, innermost first (the order in which they were left).
    pub trace: Vec<TraceEntry>,
    /// `__traceback__` as assigned from Python, shown after `trace`; a traceback object.
    pub older_trace: Option<Value>,
    /// `__cause__`
    pub cause: Option<Value>,
    /// `__context__`
    pub context: Option<Value>,
    /// `__suppress_context__`
    pub suppress_context: bool,
    /// Attributes of particular classes (`StopIteration.value`, `OSError.errno`, ...), by the positions that the class gives them.
    pub fields: Vec<Value>,
}

/// Payload of `BaseException` and its subclasses.
pub struct Exception {
    /// The state.
    pub state: VmCell<ExceptionState>,
}

// SAFETY: visits every value held.
unsafe impl Payload for Exception {
    const KIND: Kind = Kind::Exception;
    class_slot!();
    fn traverse(&self, visit: &mut dyn FnMut(&Value)) {
        // SAFETY: the collector runs while no borrow of any payload lives.
        let s = unsafe { self.state.peek() };
        for v in [&s.args, &s.older_trace, &s.cause, &s.context]
            .into_iter()
            .flatten()
        {
            visit(v);
        }
        for entry in &s.trace {
            entry.code.with_value(&mut *visit);
            entry.globals.with_value(&mut *visit);
            if let Some(f) = &entry.frame {
                visit(f);
            }
        }
        s.fields.iter().for_each(visit);
    }
    fn clear(&mut self) {
        drop(std::mem::take(self.state.exclusive()));
    }
}

impl Exception {
    /// A new exception of `class` with these arguments (a tuple). Class-specific fields are the caller's business.
    pub fn new(class: &Ref<Type>, args: Value) -> Ref<Exception> {
        let state = ExceptionState {
            args: Some(args),
            ..ExceptionState::default()
        };
        heap::alloc_instance(
            Exception {
                state: VmCell::new(state),
            },
            class,
            0,
        )
    }
}

macro_rules! exceptions {
    ($($(#[$doc:meta])* $name:ident : $base:ident,)*) => {
        /// The built-in exception classes.
        #[allow(missing_docs)] // the names are those of the Python classes
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[repr(u8)]
        pub enum Exc { $($name,)* }

        impl Exc {
            /// Every class with its base, bases first.
            pub const HIERARCHY: &'static [(Exc, &'static str, Exc)] = &[$((Exc::$name, stringify!($name), Exc::$base),)*];
        }
    };
}

exceptions! {
    BaseException: BaseException,
    BaseExceptionGroup: BaseException,
    GeneratorExit: BaseException,
    KeyboardInterrupt: BaseException,
    SystemExit: BaseException,
    Exception: BaseException,
    ArithmeticError: Exception,
    FloatingPointError: ArithmeticError,
    OverflowError: ArithmeticError,
    ZeroDivisionError: ArithmeticError,
    AssertionError: Exception,
    AttributeError: Exception,
    BufferError: Exception,
    EOFError: Exception,
    ExceptionGroup: BaseExceptionGroup,
    ImportError: Exception,
    ModuleNotFoundError: ImportError,
    LookupError: Exception,
    IndexError: LookupError,
    KeyError: LookupError,
    MemoryError: Exception,
    NameError: Exception,
    UnboundLocalError: NameError,
    OSError: Exception,
    BlockingIOError: OSError,
    ChildProcessError: OSError,
    ConnectionError: OSError,
    BrokenPipeError: ConnectionError,
    ConnectionAbortedError: ConnectionError,
    ConnectionRefusedError: ConnectionError,
    ConnectionResetError: ConnectionError,
    FileExistsError: OSError,
    FileNotFoundError: OSError,
    InterruptedError: OSError,
    IsADirectoryError: OSError,
    NotADirectoryError: OSError,
    PermissionError: OSError,
    ProcessLookupError: OSError,
    TimeoutError: OSError,
    ReferenceError: Exception,
    RuntimeError: Exception,
    NotImplementedError: RuntimeError,
    PythonFinalizationError: RuntimeError,
    RecursionError: RuntimeError,
    StopAsyncIteration: Exception,
    StopIteration: Exception,
    SyntaxError: Exception,
    IndentationError: SyntaxError,
    TabError: IndentationError,
    _IncompleteInputError: SyntaxError,
    SystemError: Exception,
    TypeError: Exception,
    ValueError: Exception,
    UnicodeError: ValueError,
    UnicodeDecodeError: UnicodeError,
    UnicodeEncodeError: UnicodeError,
    UnicodeTranslateError: UnicodeError,
    Warning: Exception,
    BytesWarning: Warning,
    DeprecationWarning: Warning,
    EncodingWarning: Warning,
    FutureWarning: Warning,
    ImportWarning: Warning,
    PendingDeprecationWarning: Warning,
    ResourceWarning: Warning,
    RuntimeWarning: Warning,
    SyntaxWarning: Warning,
    UnicodeWarning: Warning,
    UserWarning: Warning,
}

thread_local! {
    static CLASSES: std::cell::RefCell<Vec<&'static Ref<Type>>> = const { std::cell::RefCell::new(Vec::new()) };
}

impl Exc {
    /// The class.
    pub fn class(self) -> &'static Ref<Type> {
        CLASSES.with_borrow(|list| list[self as usize])
    }

    /// Records the class; they come in the order of the hierarchy.
    pub(crate) fn register(class: Ref<Type>) {
        CLASSES.with_borrow_mut(|list| list.push(Box::leak(Box::new(class))));
    }
}
