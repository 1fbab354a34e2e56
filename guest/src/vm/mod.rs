//! The machine: runs register code, and offers the operations of the language to native code.
//!
//! The rooms: [`dispatch`] is the instruction loop; [`frame`] what it runs on; [`call`] and [`call_window`] how anything is called; [`unwind`] how exceptions find their
//! handlers; [`generators`] suspended frames; [`ops`] the operators and protocols; [`lookup`] attributes; [`class`] how classes come to be;
//! [`user_slots`] the bridge from slots to special methods; [`import`] modules, [`shelf`] those that the image has; [`session`] programs; [`threads`] those that take turns.
//!
//! The machine knows objects by their slots ([`crate::objects::slots`]) and, in its fast paths, the layouts of the frequent built-in types.

pub mod args;
mod attr_cache;
mod bind;
pub mod cache;
pub mod call;
mod call_window;
pub mod class;
mod closures;
pub mod dispatch;
pub mod errors;
mod fast_ops;
mod files;
mod finish;
pub mod frame;
pub mod generators;
pub mod host;
pub mod import;
pub mod lookup;
pub mod numbers;
pub mod ops;
pub mod policy;
mod poll;
pub(crate) mod rows;
pub mod session;
pub(crate) mod shelf;
pub mod sink;
mod statements;
mod step;
pub mod threads;
pub mod tools;
mod type_cache;
pub mod unwind;
pub mod user_slots;
mod variables;
mod warm;

pub use errors::{Raised, Stop};

use crate::heap::Ref;
use crate::objects::dict::Dict;
use crate::objects::module::Module;
use crate::value::Value;
use frame::{FrameStack, Running, ValueStack};
use host::Host;

/// The result of whatever may raise an exception.
pub type R<T = Value> = Result<T, Raised>;

/// How deep native code may nest calls of Python code, at most (a sort key that sorts, `__eq__` that compares, ...). The native stack has room for that.
pub const MAX_NATIVE_DEPTH: usize = 900;

/// The machine. There is one on a thread.
pub struct Vm {
    pub(crate) pending: Option<Value>,
    /// The exception being handled (`sys.exception()`), or `None`.
    pub(crate) handled: Value,
    pub(crate) stopped: Option<Stop>,
    pub(crate) stack: ValueStack,
    pub(crate) frames: FrameStack,
    pub(crate) running: Running,
    pub(crate) recursion_limit: usize,
    pub(crate) native_depth: usize,
    /// Where generators put what they yield.
    pub(crate) sinks: sink::Sinks,
    /// Functions of the program that native code calls again and again.
    pub(crate) rows: rows::Rows,
    pub(crate) last_value: Option<Value>,
    /// Objects whose `repr` is being computed, for `[...]`.
    pub(crate) repr_active: Vec<usize>,
    /// Where output, clocks and tools come from.
    pub host: Box<dyn Host>,
    /// `sys.modules`
    pub modules: Ref<Dict>,
    /// Modules of the image that are not in it yet.
    pub(crate) shelf: shelf::Shelf,
    /// The namespace of `builtins`.
    pub builtins: Ref<Dict>,
    /// `__main__`
    pub main: Ref<Module>,
    /// The threads: what belongs to the running one.
    pub threads: threads::Threads,
    /// The tools that the host defined.
    pub tools: tools::Tools,
    /// Where attributes of classes were found last.
    pub(crate) type_cache: type_cache::TypeCache,
    /// `sys.get_int_max_str_digits()`
    pub max_str_digits: usize,
    /// The display hook for warnings and other machine-wide settings that modules keep here by name.
    pub settings: std::collections::BTreeMap<&'static str, Value>,
    /// The session's files, once somebody asked for them.
    files: Option<Box<crate::files::FileSystem>>,
    /// How many bytes they may take.
    file_quota: u64,
    /// The local time zone, if it is not UTC.
    pub(crate) zone: Option<Box<crate::modules::time::zone::Zone>>,
    /// What the program's own code may do.
    pub(crate) policy: policy::Policy,
    /// Name and text of the program, until it is among the files.
    program: Option<(String, String)>,
}

impl Vm {
    /// Boots a machine: makes the built-in classes, the builtins and the native modules.
    pub fn boot(host: Box<dyn Host>) -> Vm {
        crate::objects::types::bootstrap();
        let dict = Dict::new();
        let mut vm = Vm {
            pending: None,
            handled: Value::NONE,
            stopped: None,
            stack: ValueStack::small(),
            frames: FrameStack::new(),
            running: Running::NOTHING,
            recursion_limit: 1000,
            native_depth: 0,
            sinks: sink::Sinks::default(),
            rows: rows::Rows::default(),
            last_value: None,
            repr_active: Vec::new(),
            host,
            modules: dict.clone(),
            shelf: shelf::Shelf::default(),
            builtins: dict.clone(),
            // Replaced below; modules cannot be made before their class.
            main: crate::heap::alloc_placeholder(Module {
                dict,
                shipped: None,
            }),
            threads: threads::Threads::new(),
            tools: tools::Tools::default(),
            type_cache: type_cache::TypeCache::new(),
            max_str_digits: coldframe_numeric::int_text::DEFAULT_MAX_DIGITS,
            settings: std::collections::BTreeMap::new(),
            files: None,
            file_quota: crate::files::DEFAULT_QUOTA,
            zone: None,
            policy: policy::Policy::default(),
            program: None,
        };
        crate::builtins::init(&mut vm);
        vm
    }

    /// Runs `f` one level deeper in native recursion; `RecursionError` when that is too deep. `doing` says what for: to the reader of the code, since
    /// CPython 3.14 no longer says it in the message.
    #[inline]
    pub fn recurse<T>(&mut self, _doing: &str, f: impl FnOnce(&mut Vm) -> R<T>) -> R<T> {
        if self.native_depth >= MAX_NATIVE_DEPTH
            || self.frames.len() + self.native_depth >= self.recursion_limit
        {
            return Err(self.too_deep(""));
        }
        // One object that is in another twice, which is in a third twice, makes a walk of any length in few levels.
        self.poll_native()?;
        self.native_depth += 1;
        let result = f(self);
        self.native_depth -= 1;
        result
    }

    #[cold]
    pub(crate) fn too_deep(&mut self, _doing: &str) -> Raised {
        self.recursion_error("maximum recursion depth exceeded")
    }
}
