//! The instruction set: one table, the single source of truth for compiler, machine and disassembler.
//!
//! An instruction is eight bytes: an opcode, eight flag bits `x`, and three 16-bit operands `a`, `b`, `c`. Notation:
//! `R[n]` is register `n` of the frame, `K[n]` constant `n` of the code, `C[n]` inline cache `n` (it holds the name),
//! `N[n]` the constant `n` that is a `str`. `RK(b)` is `K[b]` when the flag [`KB`] is set, otherwise `R[b]`.
//! `imm32` is the signed 32-bit number made of `b` (low) and `c` (high). `ext` is the `imm32` of the [`Op::Ext`] word that
//! follows the instruction. Jump distances count instructions from the one after the whole jump (behind its `Ext`).
//!
//! Registers `0..nlocals` are the named locals (parameters first, in the order of [`Compiled::varnames`](crate::code::Compiled::varnames)),
//! the others are temporaries. A register that holds nothing holds the machine's `UNDEF`. Reading `UNDEF` is a compiler bug, except where
//! the table allows it: the compiler emits [`Op::CheckBound`] where a local may be unbound.
//! "takes" means that the register is left `UNDEF`: an instruction that takes its operands lets references die when CPython's stack would
//! drop them. Instructions with flags `DA`, `DB`, `DC` take the operand when the flag is set; only temporaries are taken.

/// Flag: operand `b` is a constant (for compare-and-jump: the right operand `b`).
pub const KB: u8 = 1;
/// Flag: operand `c` is a constant (for compare-and-jump, `StoreAttr`, `Return`: operand `a`).
pub const KC: u8 = 2;
/// Flag of instructions whose `a` operand may be a constant; the same bit as [`KC`].
pub const KA: u8 = 2;
/// Flag: operand `a` is taken.
pub const DA: u8 = 4;
/// Flag: operand `b` is taken.
pub const DB: u8 = 8;
/// Flag: operand `c` is taken.
pub const DC: u8 = 16;
/// Flag of binary operations: the augmented-assignment form (`__iadd__` before `__add__`).
pub const INPLACE: u8 = 32;
/// Flag of compare-and-jump: jump when the comparison is true (otherwise when it is false).
pub const WHEN_TRUE: u8 = 64;

/// Flag of [`Op::MatchExc`]: a bare `except:`, which matches whatever a program may catch.
pub const ANY: u8 = 64;

/// Flag of [`Op::Reraise`]: the end of a clean-up that no line of the program stands for, so the frame ends at the instruction that raised.
pub const HELD: u8 = 1;

macro_rules! ops {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// Opcodes; each variant's documentation is its definition.
        #[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
        #[repr(u8)]
        pub enum Op { $($(#[$doc])* $name,)* }
        impl Op {
            /// All opcodes in numeric order.
            pub const ALL: &'static [Op] = &[$(Op::$name,)*];
            /// The opcode's name, as the disassembler prints it.
            pub const fn name(self) -> &'static str {
                match self { $(Op::$name => stringify!($name),)* }
            }
        }
    };
}

ops! {
    // ---- moves, constants, locals
    /// Does nothing.
    Nop,
    /// The second word of a two-word instruction; holds `imm32`. Never executed.
    Ext,
    /// `R[a] = R[b]`
    Move,
    /// `R[a] = R[b]`, taking `R[b]`
    Take,
    /// `R[a] = K[imm32]`
    LoadConst,
    /// Drops `R[a] .. R[a+b]` (`b` registers), leaving `UNDEF`.
    Clear,
    /// Raises `UnboundLocalError` when `R[a]` is `UNDEF` (the only instruction with [`Op::DelLocal`] that may see it).
    CheckBound,
    /// `del` of a local: `UnboundLocalError` when `UNDEF`, otherwise drops it.
    DelLocal,
    // ---- cells
    /// `R[a] = Cell(R[a])`; the cell is empty when `R[a]` was `UNDEF`. At function entry, for each captured local.
    MakeCell,
    /// `R[a] = contents of cell R[b]`; `UnboundLocalError` when empty.
    LoadCell,
    /// `contents of cell R[a] = RK(b)` (flag DB)
    StoreCell,
    /// Empties cell `R[a]`; `UnboundLocalError` when it is empty already.
    DelCell,
    /// `R[a] = contents of closure cell b`; `NameError` when empty ("cannot access free variable ...").
    LoadFree,
    /// `contents of closure cell a = RK(b)` (flag DB)
    StoreFree,
    /// Empties closure cell `a`; `NameError` when it is empty already.
    DelFree,
    // ---- globals and names
    /// `R[a] = global or builtin named by C[b]`
    LoadGlobal,
    /// `global named by C[c] = RK(b)` (flag DB)
    StoreGlobal,
    /// Deletes the global named by `C[b]`.
    DelGlobal,
    /// `R[a] = name N[b]` from the frame's namespace mapping, else global, else builtin. Class bodies, `exec`.
    LoadName,
    /// `namespace[N[a]] = RK(b)` (flag DB)
    StoreName,
    /// Deletes `N[a]` from the namespace; `NameError` when missing.
    DelName,
    /// `R[a] = namespace[N[b]]` if there, else contents of closure cell `c`. Class bodies.
    LoadNameOrFree,
    /// `R[a] = R[b][N[c]]` if that mapping has it, else global or builtin `N[c]`. Annotation scopes in classes. `R[b]` is kept.
    LoadFromOrGlobal,
    /// `R[a] = R[b][N[c]]` if that mapping has it, else contents of closure cell `ext`. `R[b]` is kept.
    LoadFromOrFree,
    /// `R[a] = the frame's namespace mapping` (class bodies: `__classdict__`)
    LoadLocals,
    // ---- attributes
    /// `R[a] = R[b].C[c]` (flag DB)
    LoadAttr,
    /// For `R[b].C[c](...)`: either `R[a] = function, R[a+1] = self` or `R[a] = attribute, R[a+1] = UNDEF` (flag DB).
    LoadMethod,
    /// `R[a].C[c] = RK(b)` (flags DA, DB)
    StoreAttr,
    /// `del R[a].C[c]` (flag DA)
    DelAttr,
    /// `R[a] = super(R[b+1], R[b+2]).C[c]`, where `R[b]` is what the name `super` gave: the builtin, or anything callable. Takes `R[b..b+3]`.
    LoadSuperAttr,
    /// As `LoadSuperAttr`, with the two results of `LoadMethod` in `R[a]`, `R[a+1]`.
    LoadSuperMethod,
    // ---- subscripts
    /// `R[a] = R[b][RK(c)]` (flags DB, DC, KC)
    Subscr,
    /// `R[a][RK(b)] = RK(c)` (flags DA, DB, DC, KB, KC)
    StoreSubscr,
    /// `del R[a][RK(b)]` (flags DA, DB, KB)
    DelSubscr,
    /// `R[a] = R[b][R[c]:R[c+1]]`; takes `R[c]`, `R[c+1]` (flag DB)
    LoadSlice,
    /// `R[a][R[c]:R[c+1]] = R[b]`; takes `R[c]`, `R[c+1]` (flags DA, DB)
    StoreSlice,
    /// `R[a] = slice(R[b], R[b+1], R[b+2])`; takes the three
    BuildSlice,
    // ---- arithmetic: R[a] = RK(b) op RK(c) (flags KB, KC, DB, DC, INPLACE)
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`
    Div,
    /// `//`
    FloorDiv,
    /// `%`
    Mod,
    /// `**`
    Pow,
    /// `@`
    MatMul,
    /// `&`
    And,
    /// `|`
    Or,
    /// `^`
    Xor,
    /// `<<`
    Shl,
    /// `>>`
    Shr,
    /// `R[a] = R[b] + c` with `c` a signed 16-bit integer (flags DB, INPLACE)
    AddInt,
    /// `R[a] = R[b] - c` with `c` a signed 16-bit integer (flags DB, INPLACE)
    SubInt,
    // ---- unary: R[a] = op R[b] (flag DB)
    /// `-`
    Neg,
    /// `+`
    Pos,
    /// `~`
    Invert,
    /// `not`
    Not,
    // ---- comparison: R[a] = RK(b) op RK(c) (flags KB, KC, DB, DC)
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `>`
    Gt,
    /// `>=`
    Ge,
    /// `is`
    Is,
    /// `is not`
    IsNot,
    /// `in`: is `RK(b)` contained in `RK(c)`
    In,
    /// `not in`
    NotIn,
    // ---- jumps
    /// Jumps `imm32`.
    Jump,
    /// Jumps `imm32` when `R[a]` is true (flag DA).
    JumpIfTrue,
    /// Jumps `imm32` when `R[a]` is false (flag DA).
    JumpIfFalse,
    /// Jumps `imm32` when `R[a]` is `None` (flag DA).
    JumpIfNone,
    /// Jumps `imm32` when `R[a]` is not `None` (flag DA).
    JumpIfNotNone,
    // compare and jump: compares RK(a) with RK(b), jumps `ext` when the truth of the result equals WHEN_TRUE (flags KA, KB, DA, DB, WHEN_TRUE); `c` unused
    /// `<`
    JumpLt,
    /// `<=`
    JumpLe,
    /// `==`
    JumpEq,
    /// `!=`
    JumpNe,
    /// `>`
    JumpGt,
    /// `>=`
    JumpGe,
    /// `is`
    JumpIs,
    /// `in`
    JumpIn,
    // ---- iteration
    /// `R[a]`, an exact int, says how often a `while` statement has gone round; the machine stops the program when that is too often.
    CountLoop,
    /// `R[a] = iter(R[b])` (flag DB)
    GetIter,
    /// `R[a] = next(R[b])`; when exhausted drops `R[b]` and jumps `ext`.
    ForIter,
    /// `R[a] = aiter(R[b])` (flag DB)
    GetAIter,
    /// `R[a] = awaitable of anext(R[b])`; `R[b]` is kept.
    GetANext,
    /// In the handler of an `async for`: when the exception `R[a]` is `StopAsyncIteration` drops it and goes on, otherwise re-raises it.
    EndAsyncFor,
    // ---- calls: the window is R[base] = callee, R[base+1] = self or UNDEF, then the arguments; everything in it is taken
    /// `R[a] = call of window b with c positional arguments` (self not counted)
    Call,
    /// As `Call` with `c` arguments of which the last ones are the keywords named by the tuple `K[ext]`.
    CallKw,
    /// `R[a] = R[b](*R[b+2], **R[b+3])`: `R[b+2]` is a tuple, `R[b+3]` a dict or `UNDEF`, `R[b+1]` is `UNDEF`.
    CallEx,
    /// Returns `RK(a)` (flag KA); every register dies with the frame. Apart from `a`, only registers below `b` may hold something.
    Return,
    // ---- building; element registers are taken
    /// `R[a] = (R[b], .. R[b+c-1])`
    BuildTuple,
    /// `R[a] = [R[b], .. R[b+c-1]]`
    BuildList,
    /// `R[a] = {R[b], .. R[b+c-1]}`
    BuildSet,
    /// `R[a] = {R[b]: R[b+1], ..}` with `c` pairs
    BuildDict,
    /// `R[a] = ''.join` of the `c` strings from `R[b]`
    BuildString,
    /// `R[a].append(RK(b))`, `R[a]` an exact list (flag DB)
    ListAppend,
    /// `R[a].extend(R[b])`, `R[a]` an exact list (flag DB); with flag `KC` they are all positional arguments of a call of `R[c]`, for the error text
    ListExtend,
    /// `R[a] = tuple of the exact list R[b]`, taking it
    ListToTuple,
    /// `R[a] = tuple(R[b])` (flag DB): all positional arguments of a call of `R[c]`
    StarArgs,
    /// `R[a].add(RK(b))`, `R[a]` an exact set (flag DB)
    SetAdd,
    /// `R[a].update(R[b])`, `R[a]` an exact set (flag DB)
    SetUpdate,
    /// `R[a][R[b]] = R[c]`, `R[a]` an exact dict (flags DB, DC, KB, KC)
    DictSet,
    /// `R[a].update(R[b])` for `{**x}`, `R[a]` an exact dict (flag DB); TypeError "'X' object is not a mapping"
    DictUpdate,
    /// As `DictUpdate` for `f(**x)`: a key that is there already or is not a string is a TypeError that names the callee `R[c]` (flag DB)
    DictMerge,
    /// Unpacks `R[b]` into exactly `c` registers from `R[a]` (flag DB)
    Unpack,
    /// Unpacks `R[b]` into `c & 255` registers, a list, and `c >> 8` registers, from `R[a]` (flag DB)
    UnpackEx,
    /// `R[a] = format(conv(R[b]), spec)`: bits 0-1 of `c` are the conversion (0 none, 1 `!s`, 2 `!r`, 3 `!a`), bit 2 says that `R[ext]` is the
    /// format specification, which is taken (then and only then there is an `Ext` word) (flag DB)
    FormatValue,
    /// `R[a] = Interpolation(R[b] value, R[b+1] expression text, R[b+2] conversion or None, R[b+3] format spec)`; takes them
    BuildInterpolation,
    /// `R[a] = Template(strings tuple R[b], interpolations tuple R[b+1])`; takes them
    BuildTemplate,
    // ---- functions, classes, imports
    /// `R[a] = function of code K[b]`; bits of `x`: 1 `R[c]` is the defaults tuple, 2 `R[c+1]` the keyword-only defaults dict,
    /// 4 `R[c+2]` the `__annotate__` function; those are taken. The closure is built as the code's `captures` say.
    MakeFunction,
    /// `R[a] = __build_class__`
    LoadBuildClass,
    /// `R[a] = import of module N[b]`; `R[c]` is the level (int), `R[c+1]` the fromlist (tuple or `None`); both are taken
    Import,
    /// `R[a] = from R[b] import N[c]`; `R[b]` is kept
    ImportFrom,
    /// Binds all public names of module `R[a]` in the namespace; `R[a]` is taken
    ImportStar,
    // ---- exceptions
    /// `raise` (c = 0), `raise R[a]` (c = 1), `raise R[a] from R[b]` (c = 2); takes them
    Raise,
    /// Raises the exception `R[a]` again, as it is; takes it
    Reraise,
    /// Entry of a handler: `R[a] = exception being handled` (may be None), then the exception being handled becomes `R[b]`, which is kept
    PushExc,
    /// Exit of a handler: the exception being handled becomes `R[a]`, which is taken
    PopExc,
    /// `R[a] = whether exception R[b] matches R[c]` (a class or a tuple of classes; TypeError otherwise); takes `R[c]`. With flag `ANY` it matches
    /// unless it is the exception that carries a program's final answer, and `R[c]` does not count.
    MatchExc,
    /// `except*`: `R[a] = the part of group R[b] that matches R[c]` or `None`; `R[b] = the rest` or `None`; takes `R[c]`
    MatchExcStar,
    /// End of `except*`: `R[a] = exception to raise or None` from the original `R[b]` and the list `R[c]` of raised and unhandled ones; takes `R[c]`
    PrepReraiseStar,
    /// `R[a] = AssertionError`
    LoadAssertionError,
    /// Entry of `with`: `R[a] = bound __exit__`, `R[a+1] = result of __enter__()` of `R[b]` (flag DB)
    WithEnter,
    /// Normal exit of `with`: calls `R[b](None, None, None)` into `R[a]`, takes `R[b]`
    WithExit,
    /// Exceptional exit: `R[a] = R[b](type, exc, traceback)` of the exception `R[c]`; takes `R[b]`, keeps `R[c]`
    WithExcept,
    /// Entry of `async with`: `R[a] = bound __aexit__`, `R[a+1] = awaitable of __aenter__()` of `R[b]` (flag DB); for exit use `WithExit` / `WithExcept` and await their result
    AsyncWithEnter,
    // ---- generators and coroutines
    /// Suspends with value `RK(b)` (flag DB, KB); on resumption `R[a] = value sent`
    Yield,
    /// `R[a] = iterator for "yield from R[b]"` (flag DB)
    GetYieldFromIter,
    /// `R[a] = iterator for "await R[b]"` (flag DB); `c`: 0 plain, 1 from `__aenter__`, 2 from `__aexit__`, 3 from `async for` (for the error text)
    GetAwaitable,
    /// Delegates to the iterator `R[b]`: suspends with each value it yields, passes in what is sent and thrown; when it is finished
    /// `R[a] = its return value` and `R[b]` is dropped.
    YieldFrom,
    // ---- match
    /// `R[a] = whether R[b] is a sequence for patterns`
    MatchSequence,
    /// `R[a] = whether R[b] is a mapping for patterns`
    MatchMapping,
    /// `R[a] = tuple of values of mapping R[b] for the keys tuple R[c]`, or `None` when one is missing; keeps both
    MatchKeys,
    /// `R[a] = tuple of attributes` of `R[b]` as instance of class `R[c]`, or `None`; `ext` is the constant with the tuple of keyword names,
    /// `x` the number of positional patterns; takes `R[c]`, keeps `R[b]`
    MatchClass,
    /// `R[a] = len(R[b])`; keeps `R[b]`
    GetLen,
    /// `R[a] = dict of mapping R[b] without the keys of tuple R[c]`; keeps both
    MatchRest,
    // ---- the rest
    /// The value of a last expression statement of the program is `R[a]`; takes it
    SetLastValue,
    /// `R[a] = intrinsic x of R[b] (and R[c], ...)`; see [`Intrinsic`]; takes its operands
    Intrinsic,
}

/// Rare operations behind [`Op::Intrinsic`] (its flags byte is the kind).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Intrinsic {
    /// `TypeVar(R[b] name)`, with `R[c]` the lazily evaluated bound, a tuple-of-constraints function, or `None`; `R[c+1]` default function or `None`;
    /// `R[c+2]` is `True` when `R[c]` evaluates constraints
    TypeVar,
    /// `ParamSpec(R[b] name)`, `R[c]` default function or `None`
    ParamSpec,
    /// `TypeVarTuple(R[b] name)`, `R[c]` default function or `None`
    TypeVarTuple,
    /// `TypeAliasType(R[b] name, R[c] type parameters or None, R[c+1] value function)`
    TypeAlias,
    /// `Generic[*R[b]]`: the base class that PEP 695 classes get from their type-parameter tuple
    SubscriptGeneric,
    /// Sets `R[b].__type_params__ = R[c]` and gives `R[b]`
    SetTypeParams,
    /// `R[a] = R[b]` unless it is a `StopIteration`: then the `RuntimeError` of PEP 479 (handler around a generator's body)
    StopIterationError,
    /// Calls `sys.displayhook(R[b])`: an expression statement at the prompt
    Display,
}

/// One instruction word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C)]
pub struct Instr {
    /// Opcode.
    pub op: Op,
    /// Flags; see the constants of this module.
    pub x: u8,
    /// First operand, most often the destination register.
    pub a: u16,
    /// Second operand.
    pub b: u16,
    /// Third operand.
    pub c: u16,
}

impl Instr {
    /// An instruction with three operands and flags.
    pub const fn new(op: Op, x: u8, a: u16, b: u16, c: u16) -> Self {
        Instr { op, x, a, b, c }
    }

    /// An instruction with `a` and a signed 32-bit immediate in `b` and `c`.
    pub const fn with_imm(op: Op, x: u8, a: u16, imm: i32) -> Self {
        Instr {
            op,
            x,
            a,
            b: imm as u32 as u16,
            c: (imm as u32 >> 16) as u16,
        }
    }

    /// The signed 32-bit immediate in `b` and `c`.
    #[inline(always)]
    pub const fn imm32(self) -> i32 {
        (self.b as u32 | (self.c as u32) << 16) as i32
    }
}
