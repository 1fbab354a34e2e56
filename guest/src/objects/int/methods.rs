//! `int` and `bool`: their classes, protocols and methods.

use super::arith::{self, exact};
use super::{Int, IntRef, construct};
use crate::heap::{Payload, Ref};
use crate::names;
use crate::objects::bytes::Bytes;
use crate::objects::native::Def;
use crate::objects::singletons::Bool;
use crate::objects::slots::{BinOp, Slots, UnOp, ops};
use crate::objects::string::Str;
use crate::objects::tuple::Tuple;
use crate::objects::types::{BASE, ClassBuilder, MATCH_SELF, Type};
use crate::value::Value;
use crate::vm::args::{Args, optional};
use crate::vm::{R, Vm};
use coldframe_numeric::{format_value, int_ops, int_text, rational};

const OPERATORS: u16 = ops(&[
    BinOp::Add,
    BinOp::Sub,
    BinOp::Mul,
    BinOp::Div,
    BinOp::FloorDiv,
    BinOp::Mod,
    BinOp::Pow,
    BinOp::And,
    BinOp::Or,
    BinOp::Xor,
    BinOp::Shl,
    BinOp::Shr,
    BinOp::DivMod,
]);

const INT: Slots = Slots {
    repr: Some(repr),
    hash: Some(arith::hash),
    compare: Some(arith::compare),
    bool: Some(|_, v| Ok(v.as_int().is_some_and(|i| !i.is_zero()))),
    binary: Some(arith::binary),
    binary_ops: OPERATORS,
    reflected_ops: OPERATORS,
    unary: Some(arith::unary),
    index: Some(|_, v| Ok(exact(v))),
    int: Some(|_, v| Ok(exact(v))),
    float: Some(|vm, v| vm.int_to_double(v).map(Value::float)),
    new: Some(construct::new),
    ..Slots::NONE
};

const LOGICAL: u16 = ops(&[BinOp::And, BinOp::Or, BinOp::Xor]);

const BOOL: Slots = Slots {
    repr: Some(|_, v| Ok(Str::value(if v.is_true() { "True" } else { "False" }))),
    binary: Some(arith::bool_binary),
    binary_ops: LOGICAL,
    reflected_ops: LOGICAL,
    unary: Some(bool_unary),
    new: Some(new_bool),
    ..Slots::NONE
};

/// Makes `int` and `bool`.
pub(crate) fn init(vm: &mut Vm) {
    let int = ClassBuilder::new::<Int>("int")
        .flags(BASE | MATCH_SELF)
        .slots(INT)
        .methods(vm, METHODS);
    let int = int
        .getset(vm, "real", |_, v| Ok(exact(v)), None)
        .getset(vm, "imag", |_, _| Ok(Value::small_int(0)), None)
        .getset(vm, "numerator", |_, v| Ok(exact(v)), None)
        .getset(vm, "denominator", |_, _| Ok(Value::small_int(1)), None)
        .build(vm);
    let bool = ClassBuilder::new::<Bool>("bool")
        .base(&int)
        .slots(BOOL)
        .build(vm);
    // `bool` has one unary operator of its own.
    for name in ["__neg__", "__pos__", "__abs__"] {
        drop(bool.dict.remove_str(vm, &names::intern(name)));
    }
}

fn bool_unary(vm: &mut Vm, op: UnOp, v: &Value) -> R {
    arith::unary(vm, op, v)
}

fn new_bool(vm: &mut Vm, _: &Ref<Type>, args: Args) -> R {
    match args.exactly(vm, "bool", 0, 1)? {
        [x] => Ok(Value::bool(vm.truthy(x)?)),
        _ => Ok(Value::FALSE),
    }
}

fn repr(vm: &mut Vm, v: &Value) -> R {
    Ok(match v.as_int() {
        Some(IntRef::Small(i)) => Str::value(&int_text::i64_to_decimal(i)),
        Some(IntRef::Big(b)) => {
            let limit = vm.max_str_digits;
            let text = int_text::to_decimal(b, limit);
            Str::value(&vm.numeric(text)?)
        }
        None => Value::NOT_IMPLEMENTED,
    })
}

static METHODS: &[Def] = &[
    Def::method("__format__", "(self, format_spec, /)", format),
    Def::method("__round__", "(self, ndigits=None, /)", round),
    Def::method("__trunc__", "(self, /)", |_, args| Ok(exact(&args[0]))),
    Def::method("__floor__", "(self, /)", |_, args| Ok(exact(&args[0]))),
    Def::method("__ceil__", "(self, /)", |_, args| Ok(exact(&args[0]))),
    Def::method("__getnewargs__", "(self, /)", |_, args| {
        Ok(Tuple::value(vec![exact(&args[0])]))
    }),
    Def::method("__sizeof__", "(self, /)", sizeof),
    Def::method("as_integer_ratio", "(self, /)", |_, args| {
        Ok(Tuple::value(vec![exact(&args[0]), Value::small_int(1)]))
    }),
    Def::method("bit_count", "(self, /)", |_, args| {
        Ok(match args[0].as_int() {
            Some(IntRef::Big(b)) => Value::int(int_ops::bit_count(b) as i64),
            Some(IntRef::Small(i)) => Value::int(i.unsigned_abs().count_ones() as i64),
            None => Value::NONE,
        })
    }),
    Def::method("bit_length", "(self, /)", |_, args| {
        Ok(Value::int(bit_length(&args[0]) as i64))
    }),
    Def::method("conjugate", "(self, /)", |_, args| Ok(exact(&args[0]))),
    Def::class_method(
        "from_bytes",
        "(type, /, bytes, byteorder='big', *, signed=False)",
        from_bytes,
    ),
    Def::method("is_integer", "(self, /)", |_, _| Ok(Value::TRUE)),
    Def::method(
        "to_bytes",
        "(self, /, length=1, byteorder='big', *, signed=False)",
        to_bytes,
    ),
];

fn bit_length(v: &Value) -> u64 {
    match v.as_int() {
        Some(IntRef::Small(i)) => 64 - i.unsigned_abs().leading_zeros() as u64,
        Some(IntRef::Big(b)) => b.bits(),
        None => 0,
    }
}

/// What CPython's `int` takes: a header and digits of 30 bits.
fn sizeof(_: &mut Vm, args: &[Value]) -> R {
    let digits = bit_length(&args[0]).div_ceil(30).max(1);
    Ok(Value::int(24 + 4 * digits as i64))
}

/// The text of a format specification, an argument of `__format__`.
pub(crate) fn spec_of<'a>(vm: &mut Vm, spec: &'a Value) -> R<&'a Ref<Str>> {
    match spec.as_ref::<Str>() {
        Some(s) => Ok(s),
        None => {
            let name = crate::objects::string::search::argument_type(spec);
            Err(vm.type_error(format!("__format__() argument must be str, not {name}")))
        }
    }
}

fn format(vm: &mut Vm, args: &[Value]) -> R {
    let spec = spec_of(vm, &args[1])?;
    if spec.is_empty() {
        return Ok(Value::from_ref(vm.str(&args[0])?));
    }
    let limit = vm.max_str_digits;
    let name = vm.class_name(&args[0]);
    let text = match args[0].as_int() {
        Some(IntRef::Big(b)) => {
            format_value::format_int(format_value::IntRef::Big(b), spec.as_bytes(), &name, limit)
        }
        Some(IntRef::Small(i)) => format_value::format_int(
            format_value::IntRef::Small(i),
            spec.as_bytes(),
            &name,
            limit,
        ),
        None => return Ok(Value::NOT_IMPLEMENTED),
    };
    Ok(Str::value_wtf8(&vm.numeric(text)?))
}

fn round(vm: &mut Vm, args: &[Value]) -> R {
    let Some(digits) = optional(args, 1).filter(|d| !d.is_none()) else {
        return Ok(exact(&args[0]));
    };
    let digits = vm.index_big(digits)?;
    if digits.sign() != coldframe_numeric::Sign::Minus {
        return Ok(exact(&args[0]));
    }
    Ok(match args[0].as_int() {
        Some(i) => Value::bigint(rational::round_int(&i.as_big(), &digits)),
        None => Value::NOT_IMPLEMENTED,
    })
}

fn byte_order(vm: &mut Vm, function: &str, v: Option<&Value>) -> R<int_ops::ByteOrder> {
    let Some(v) = v else {
        return Ok(int_ops::ByteOrder::Big);
    };
    match v.as_ref::<Str>().map(|s| s.as_bytes()) {
        Some(b"big") => Ok(int_ops::ByteOrder::Big),
        Some(b"little") => Ok(int_ops::ByteOrder::Little),
        Some(_) => Err(vm.value_error("byteorder must be either 'little' or 'big'")),
        None => {
            let name = if v.is_none() {
                "None".to_owned()
            } else {
                vm.class_name(v)
            };
            Err(vm.type_error(format!(
                "{function}() argument 'byteorder' must be str, not {name}"
            )))
        }
    }
}

fn to_bytes(vm: &mut Vm, args: &[Value]) -> R {
    let length = match optional(args, 1) {
        Some(n) => vm.index_i64(n)?,
        None => 1,
    };
    let order = byte_order(vm, "to_bytes", optional(args, 2))?;
    let signed = match optional(args, 3) {
        Some(v) => vm.truthy(v)?,
        None => false,
    };
    let Ok(length) = usize::try_from(length) else {
        return Err(if length < 0 {
            vm.value_error("length argument must be non-negative")
        } else {
            vm.memory_error()
        });
    };
    if !crate::heap::can_allocate(length.saturating_mul(2)) {
        return Err(vm.memory_error());
    }
    let Some(i) = args[0].as_int() else {
        return Ok(Value::NOT_IMPLEMENTED);
    };
    let bytes = int_ops::to_bytes(&i.as_big(), length, order, signed);
    Ok(Bytes::value(vm.numeric(bytes)?))
}

fn from_bytes(vm: &mut Vm, args: &[Value]) -> R {
    let order = byte_order(vm, "from_bytes", optional(args, 2))?;
    let signed = match optional(args, 3) {
        Some(v) => vm.truthy(v)?,
        None => false,
    };
    let data = bytes_of(vm, &args[1])?;
    let value = Value::bigint(int_ops::from_bytes(&data, order, signed));
    match args[0].as_ref::<Type>() {
        Some(class) if !class.same(Int::class()) => vm.call(&args[0], &[value]),
        _ => Ok(value),
    }
}

/// `bytes(v)` for `from_bytes`: a number or a text is no collection of bytes.
fn bytes_of(vm: &mut Vm, v: &Value) -> R<Vec<u8>> {
    if let Some(b) = v.as_exact::<Bytes>() {
        return Ok(b.data.to_vec());
    }
    if let Some(b) = vm.call_special_opt(v, &names::Names::get().__bytes__, &[])? {
        return match b.as_ref::<Bytes>() {
            Some(b) => Ok(b.data.to_vec()),
            None => {
                let name = vm.class_name(&b);
                Err(vm.type_error(format!("__bytes__ returned non-bytes (type {name})")))
            }
        };
    }
    if let Some(data) = vm.bytes_like(v)? {
        return Ok(data);
    }
    let slots = *vm.class_of(v).slots();
    if v.is::<Str>() || (slots.iter.is_none() && slots.getitem.is_none()) {
        let name = vm.class_name(v);
        return Err(vm.type_error(format!("cannot convert '{name}' object to bytes")));
    }
    let mut data = Vec::new();
    vm.for_each(v, |vm, item| {
        let n = vm.index_clamped(&item)?;
        match u8::try_from(n) {
            Ok(b) => data.push(b),
            Err(_) => return Err(vm.value_error("bytes must be in range(0, 256)")),
        }
        vm.poll_native()
    })?;
    Ok(data)
}
