//! What the compiler produces: code as plain data, without values of the running interpreter.

use crate::op::Instr;
use crate::spans::Spans;
use std::ops::Deref;
use std::rc::Rc;

/// A constant of a code unit. `N` is what names are: see [`Compiled`].
#[derive(Clone, Debug, PartialEq)]
pub enum Const<N = Rc<str>> {
    /// `None`
    None,
    /// `True` or `False`
    Bool(bool),
    /// `...`
    Ellipsis,
    /// An `int` that fits 64 bits.
    Int(i64),
    /// Any other `int`: decimal digits, perhaps with a leading `-`.
    BigInt(Box<str>),
    /// A `float`; equal constants are merged by bits, so that `0.0` and `-0.0` stay apart.
    Float(f64),
    /// A `complex` (real and imaginary part).
    Complex(f64, f64),
    /// A `str` as WTF-8 (UTF-8 that may encode lone surrogates).
    Str(Box<[u8]>),
    /// A `bytes`.
    Bytes(Box<[u8]>),
    /// A `tuple` of constants.
    Tuple(Box<[Const<N>]>),
    /// A `frozenset` of constants (`x in {1, 2}`).
    FrozenSet(Box<[Const<N>]>),
    /// The code of a nested function, class body, lambda, generator expression or annotation scope.
    Code(Rc<Compiled<N>>),
}

/// What the name of an inline cache is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheKind {
    /// `LoadGlobal`, `StoreGlobal`, `DelGlobal`
    Global,
    /// `LoadAttr`, `LoadMethod`, `StoreAttr`, `DelAttr`, `LoadSuperAttr`, `LoadSuperMethod`
    Attr,
}

/// One inline cache: the name that it is about.
#[derive(Clone, Debug, PartialEq)]
pub struct CacheSlot<N = Rc<str>> {
    /// The name, mangled where it is private.
    pub name: N,
    /// Which instructions use it.
    pub kind: CacheKind,
}

/// Where a closure cell of a nested function comes from, seen from the frame that makes the function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Capture {
    /// The cell in this register of the enclosing frame.
    Local(u16),
    /// This closure cell of the enclosing function itself.
    Free(u16),
}

/// A range of instructions whose exceptions go to a handler. The table is searched in order, the first match wins,
/// so inner ranges come before outer ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Handler {
    /// First instruction covered.
    pub start: u32,
    /// First instruction no longer covered.
    pub end: u32,
    /// Where to go on.
    pub target: u32,
    /// Register that gets the exception.
    pub register: u16,
    /// Registers from this one on are dropped before the handler runs (`register` is below it).
    pub depth: u16,
}

/// The source text that a position refers to: byte offsets into the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// Behind the last byte.
    pub end: u32,
}

/// Properties of a code unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Flags {
    /// `*args` is there; its register follows the keyword-only parameters.
    pub varargs: bool,
    /// `**kwargs` is there; its register is the last of the parameters.
    pub varkeywords: bool,
    /// A generator function (also a generator expression).
    pub generator: bool,
    /// An `async def` without `yield`.
    pub coroutine: bool,
    /// An `async def` with `yield`.
    pub async_generator: bool,
    /// Defined inside a function.
    pub nested: bool,
    /// Locals live in registers (functions), as against a namespace mapping (module and class bodies).
    pub optimized: bool,
    /// The first constant is the documentation string.
    pub has_docstring: bool,
    /// Defined in a class body (`co_flags & CO_METHOD`).
    pub method: bool,
}

/// What kind of block a code unit is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockKind {
    /// A module, or source given to `exec`/`eval`: names are globals, or names of the given namespace.
    Module,
    /// A class body: names live in the namespace mapping.
    Class,
    /// A function, lambda, generator expression or annotation scope.
    Function,
}

/// A compiled code unit: what the machine runs, and the names and constants that it is linked with.
///
/// `N` is what names are: text, or what the reader of packed code makes of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Compiled<N = Rc<str>> {
    /// `co_name`
    pub name: N,
    /// `co_qualname`
    pub qualname: N,
    /// Names of the registers `0..nlocals`: parameters (positional, keyword-only, `*args`, `**kwargs`), then other locals and cell variables.
    pub varnames: Vec<N>,
    /// Names of the closure cells (`co_freevars`).
    pub freevars: Vec<N>,
    /// Constants.
    pub consts: Vec<Const<N>>,
    /// Inline caches.
    pub caches: Vec<CacheSlot<N>>,
    /// Class bodies: names of the attributes that methods assign through their first parameter (`__static_attributes__`).
    pub static_attributes: Vec<N>,
    /// The rest.
    pub proto: Rc<Proto>,
}

impl<N> Deref for Compiled<N> {
    type Target = Proto;
    fn deref(&self) -> &Proto {
        &self.proto
    }
}

/// What the machine needs of a code unit when names and constants have become values.
#[derive(Clone, Debug, PartialEq)]
pub struct Proto {
    /// What it is.
    pub kind: BlockKind,
    /// Properties.
    pub flags: Flags,
    /// Positional-only parameters (they come first).
    pub posonly: u16,
    /// Positional parameters, the positional-only ones included.
    pub args: u16,
    /// Keyword-only parameters; they follow the positional ones.
    pub kwonly: u16,
    /// Which of the named registers hold a cell (after the `MakeCell` instructions at entry).
    pub cells: Vec<u16>,
    /// Where the closure cells come from, one for each of `freevars`.
    pub captures: Vec<Capture>,
    /// Registers of the frame, named ones included.
    pub nregs: u16,
    /// Line of the `def` (or first decorator), 1-based.
    pub first_line: u32,
    /// Instructions.
    pub instrs: Vec<Instr>,
    /// Source span of each instruction (same length).
    pub spans: Spans,
    /// Exception table.
    pub handlers: Vec<Handler>,
}
