//! Slots: how the machine talks to a class without looking names up.
//!
//! A class has one function pointer for each protocol (call, attribute access, iteration, arithmetic, ...). Built-in classes register Rust functions; classes
//! written in Python get the functions of [`crate::vm::user_slots`], which look up the special method. Special methods of built-in classes (`int.__add__`) are made
//! from their slots, by the table in [`crate::objects::slot_wrappers`].

use crate::heap::Ref;
use crate::objects::types::Type;
use crate::value::Value;
use crate::vm::args::Args;
use crate::vm::{R, Vm};

/// Binary operators.
#[allow(missing_docs)] // the names are those of the operators' special methods
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum BinOp {
    Add,
    Sub,
    Mul,
    Div,
    FloorDiv,
    Mod,
    Pow,
    MatMul,
    And,
    Or,
    Xor,
    Shl,
    Shr,
    DivMod,
}

impl BinOp {
    /// All operators.
    pub const ALL: [BinOp; 14] = [
        BinOp::Add,
        BinOp::Sub,
        BinOp::Mul,
        BinOp::Div,
        BinOp::FloorDiv,
        BinOp::Mod,
        BinOp::Pow,
        BinOp::MatMul,
        BinOp::And,
        BinOp::Or,
        BinOp::Xor,
        BinOp::Shl,
        BinOp::Shr,
        BinOp::DivMod,
    ];

    /// The operator as messages show it.
    pub fn symbol(self) -> &'static str {
        [
            "+",
            "-",
            "*",
            "/",
            "//",
            "%",
            "** or pow()",
            "@",
            "&",
            "|",
            "^",
            "<<",
            ">>",
            "divmod()",
        ][self as usize]
    }

    /// The operator's bit in masks such as [`Slots::binary_ops`].
    pub const fn bit(self) -> u16 {
        1 << self as u8
    }
}

/// A mask of operators.
pub const fn ops(list: &[BinOp]) -> u16 {
    let mut mask = 0;
    let mut i = 0;
    while i < list.len() {
        mask |= list[i].bit();
        i += 1;
    }
    mask
}

/// Unary operators.
#[allow(missing_docs)] // the names are those of the operators' special methods
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum UnOp {
    Neg,
    Pos,
    Abs,
    Invert,
}

/// Comparison operators.
#[allow(missing_docs)] // the names are those of the operators' special methods
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum CmpOp {
    Lt,
    Le,
    Eq,
    Ne,
    Gt,
    Ge,
}

impl CmpOp {
    /// The operator that gives the same result with the operands exchanged.
    pub fn swapped(self) -> CmpOp {
        match self {
            CmpOp::Lt => CmpOp::Gt,
            CmpOp::Le => CmpOp::Ge,
            CmpOp::Gt => CmpOp::Lt,
            CmpOp::Ge => CmpOp::Le,
            same => same,
        }
    }

    /// The operator as messages show it.
    pub fn symbol(self) -> &'static str {
        ["<", "<=", "==", "!=", ">", ">="][self as usize]
    }

    /// What the operator says of an ordering.
    #[inline]
    pub fn holds(self, order: std::cmp::Ordering) -> bool {
        match self {
            CmpOp::Lt => order.is_lt(),
            CmpOp::Le => order.is_le(),
            CmpOp::Eq => order.is_eq(),
            CmpOp::Ne => order.is_ne(),
            CmpOp::Gt => order.is_gt(),
            CmpOp::Ge => order.is_ge(),
        }
    }
}

/// The protocols of a class. `None`: the class does not have it.
#[derive(Clone, Copy)]
#[allow(
    clippy::type_complexity,
    reason = "each type is the signature of one protocol, written where it is documented"
)]
pub struct Slots {
    /// `repr(x)`: a `str`
    pub repr: Option<fn(&mut Vm, &Value) -> R>,
    /// `str(x)`: a `str`; without it `repr` is used
    pub str: Option<fn(&mut Vm, &Value) -> R>,
    /// `hash(x)`; `None` here with [`Slots::unhashable`] set means `__hash__ = None`
    pub hash: Option<fn(&mut Vm, &Value) -> R<i64>>,
    /// The class sets `__hash__` to `None`.
    pub unhashable: bool,
    /// `x(...)`
    pub call: Option<fn(&mut Vm, &Value, Args) -> R>,
    /// `x.name`; the name is an exact `str`
    pub getattr: Option<fn(&mut Vm, &Value, &Value) -> R>,
    /// `x.name = value`, or `del x.name` for `None`
    pub setattr: Option<fn(&mut Vm, &Value, &Value, Option<&Value>) -> R<()>>,
    /// `x < y` and the others; `NotImplemented` when it does not know
    pub compare: Option<fn(&mut Vm, &Value, &Value, CmpOp) -> R>,
    /// `iter(x)`
    pub iter: Option<fn(&mut Vm, &Value) -> R>,
    /// `next(x)`; `UNDEF` when exhausted (a raised `StopIteration` counts as that too)
    pub next: Option<fn(&mut Vm, &Value) -> R>,
    /// `len(x)`
    pub len: Option<fn(&mut Vm, &Value) -> R<usize>>,
    /// `x[key]`
    pub getitem: Option<fn(&mut Vm, &Value, &Value) -> R>,
    /// `x[key] = value`, or `del x[key]` for `None`
    pub setitem: Option<fn(&mut Vm, &Value, &Value, Option<&Value>) -> R<()>>,
    /// `value in x`
    pub contains: Option<fn(&mut Vm, &Value, &Value) -> R<bool>>,
    /// `bool(x)`; without it `len`, without that always true
    pub bool: Option<fn(&mut Vm, &Value) -> R<bool>>,
    /// `x op y`, where at least one is of this class; `NotImplemented` when it does not know
    pub binary: Option<fn(&mut Vm, BinOp, &Value, &Value) -> R>,
    /// Operators for which a built-in class gets `__op__` from `binary`.
    pub binary_ops: u16,
    /// Operators for which a built-in class gets `__rop__` from `binary`.
    pub reflected_ops: u16,
    /// `x op= y`; `NotImplemented` when it does not know
    pub inplace: Option<fn(&mut Vm, BinOp, &Value, &Value) -> R>,
    /// Operators for which a built-in class gets `__iop__` from `inplace`.
    pub inplace_ops: u16,
    /// `-x` and the others
    pub unary: Option<fn(&mut Vm, UnOp, &Value) -> R>,
    /// `operator.index(x)`: an exact `int`
    pub index: Option<fn(&mut Vm, &Value) -> R>,
    /// `int(x)`
    pub int: Option<fn(&mut Vm, &Value) -> R>,
    /// `float(x)`
    pub float: Option<fn(&mut Vm, &Value) -> R>,
    /// `descriptor.__get__(instance, owner)`; the instance is `None` (Rust's) for access through the class
    pub descr_get: Option<fn(&mut Vm, &Value, Option<&Value>, &Value) -> R>,
    /// `descriptor.__set__(instance, value)`, or `__delete__` for `None`
    pub descr_set: Option<fn(&mut Vm, &Value, &Value, Option<&Value>) -> R<()>>,
    /// `cls.__new__(cls, ...)`
    pub new: Option<fn(&mut Vm, &Ref<Type>, Args) -> R>,
    /// `self.__init__(...)`
    pub init: Option<fn(&mut Vm, &Value, Args) -> R<()>>,
    /// `__del__`, of classes written in Python
    pub del: Option<fn(&mut Vm, &Value) -> R<()>>,
}

impl Slots {
    /// No protocol at all.
    pub const NONE: Slots = Slots {
        repr: None,
        str: None,
        hash: None,
        unhashable: false,
        call: None,
        getattr: None,
        setattr: None,
        compare: None,
        iter: None,
        next: None,
        len: None,
        getitem: None,
        setitem: None,
        contains: None,
        bool: None,
        binary: None,
        binary_ops: 0,
        reflected_ops: 0,
        inplace: None,
        inplace_ops: 0,
        unary: None,
        index: None,
        int: None,
        float: None,
        descr_get: None,
        descr_set: None,
        new: None,
        init: None,
        del: None,
    };
}
