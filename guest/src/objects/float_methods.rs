//! `float`: its class, constructor and methods.

use crate::heap::{Payload, Ref};
use crate::names;
use crate::objects::float::Float;
use crate::objects::float_arith::{self, number};
use crate::objects::int::methods::spec_of;
use crate::objects::native::Def;
use crate::objects::slots::{BinOp, Slots, ops};
use crate::objects::string::Str;
use crate::objects::tuple::Tuple;
use crate::objects::types::{BASE, ClassBuilder, MATCH_SELF, Type};
use crate::value::Value;
use crate::vm::args::{Args, optional};
use crate::vm::{R, Vm};
use coldframe_numeric::{float_repr, format_value, rational};

const OPERATORS: u16 = ops(&[
    BinOp::Add,
    BinOp::Sub,
    BinOp::Mul,
    BinOp::Div,
    BinOp::FloorDiv,
    BinOp::Mod,
    BinOp::DivMod,
    BinOp::Pow,
]);

const FLOAT: Slots = Slots {
    repr: Some(|_, v| Ok(Str::value(&float_repr::repr(double(v))))),
    hash: Some(|_, v| Ok(float_arith::hash_double(double(v), v))),
    compare: Some(float_arith::compare),
    bool: Some(|_, v| Ok(double(v) != 0.0)),
    binary: Some(float_arith::binary),
    binary_ops: OPERATORS,
    reflected_ops: OPERATORS,
    unary: Some(float_arith::unary),
    int: Some(|vm, v| {
        let i = rational::from_float(double(v));
        vm.numeric(i).map(Value::from)
    }),
    float: Some(|_, v| Ok(exact(v))),
    new: Some(new),
    ..Slots::NONE
};

/// Makes `float`.
pub(crate) fn init(vm: &mut Vm) {
    let float = ClassBuilder::new::<Float>("float")
        .flags(BASE | MATCH_SELF)
        .slots(FLOAT)
        .methods(vm, METHODS);
    let float = float
        .getset(vm, "real", |_, v| Ok(exact(v)), None)
        .getset(vm, "imag", |_, _| Ok(Value::float(0.0)), None)
        .build(vm);
    // Floats have no `~`.
    drop(float.dict.remove_str(vm, &names::intern("__invert__")));
}

/// The number of a receiver.
fn double(v: &Value) -> f64 {
    v.as_any_float().unwrap_or(f64::NAN)
}

/// An exact `float` with the number of `v`.
fn exact(v: &Value) -> Value {
    Value::float(double(v))
}

fn make(class: &Ref<Type>, x: f64) -> Value {
    if class.same(Float::class()) {
        Value::float_from_outside(x)
    } else {
        Float::instance(class, x)
    }
}

/// `float(x=0, /)`
fn new(vm: &mut Vm, class: &Ref<Type>, args: Args) -> R {
    if crate::vm::class::keeps_init(class, Float::class()) {
        args.no_keywords(vm, "float")?;
    }
    let args = Args::positional_only(args.positional());
    let x = match args.exactly(vm, "float", 0, 1)? {
        [x] => from_object(vm, x)?,
        _ => 0.0,
    };
    let parsed = args.positional().first().is_some_and(|x| !x.is_float());
    if parsed && x.is_nan() && x.is_sign_positive() && class.same(Float::class()) {
        return Ok(Value::fresh_nan());
    }
    Ok(make(class, x))
}

fn from_object(vm: &mut Vm, x: &Value) -> R<f64> {
    if let Some(x) = x.as_float() {
        return Ok(x);
    }
    if let Some(f) = crate::vm::ops::class_of(x).slots().float {
        // Of subclasses of `float` and `str` too.
        return Ok(f(vm, x)?.as_any_float().unwrap_or(f64::NAN));
    }
    let parsed = if let Some(s) = x.as_ref::<Str>() {
        float_repr::parse(&s.to_text())
    } else if let Some(x) = vm.to_double_opt(x)? {
        return Ok(x);
    } else if let Some(data) = vm.bytes_like(x)? {
        float_repr::parse_ascii(&data)
    } else {
        let name = vm.class_name(x);
        return Err(vm.type_error(format!(
            "float() argument must be a string or a real number, not '{name}'"
        )));
    };
    match parsed {
        Some(x) => Ok(x),
        None => {
            let repr = vm.repr(x)?.to_text().into_owned();
            Err(vm.value_error(format!("could not convert string to float: {repr}")))
        }
    }
}

static METHODS: &[Def] = &[
    Def::method("__format__", "(self, format_spec, /)", format),
    Def::method("__round__", "(self, ndigits=None, /)", round),
    Def::method("__trunc__", "(self, /)", |vm, args| {
        let i = rational::from_float(double(&args[0]));
        vm.numeric(i).map(Value::from)
    }),
    Def::method("__floor__", "(self, /)", |vm, args| {
        let i = rational::floor(double(&args[0]));
        vm.numeric(i).map(Value::from)
    }),
    Def::method("__ceil__", "(self, /)", |vm, args| {
        let i = rational::ceil(double(&args[0]));
        vm.numeric(i).map(Value::from)
    }),
    Def::method("__getnewargs__", "(self, /)", |_, args| {
        Ok(Tuple::value(vec![exact(&args[0])]))
    }),
    Def::class_method("__getformat__", "(type, typestr, /)", get_format),
    Def::method("as_integer_ratio", "(self, /)", |vm, args| {
        let ratio = rational::as_integer_ratio(double(&args[0]));
        let (n, d) = vm.numeric(ratio)?;
        Ok(Tuple::value(vec![Value::bigint(n), Value::bigint(d)]))
    }),
    Def::method("conjugate", "(self, /)", |_, args| Ok(exact(&args[0]))),
    Def::class_method("from_number", "(type, number, /)", from_number),
    Def::class_method("fromhex", "(type, string, /)", from_hex),
    Def::method("hex", "(self, /)", |_, args| {
        Ok(Str::value(&float_repr::hex(double(&args[0]))))
    }),
    Def::method("is_integer", "(self, /)", |_, args| {
        let x = double(&args[0]);
        Ok(Value::bool(x.is_finite() && x.trunc() == x))
    }),
];

fn format(vm: &mut Vm, args: &[Value]) -> R {
    let spec = spec_of(vm, &args[1])?;
    if spec.is_empty() {
        return Ok(Value::from_ref(vm.str(&args[0])?));
    }
    let name = vm.class_name(&args[0]);
    let text = format_value::format_float(double(&args[0]), spec.as_bytes(), &name);
    Ok(Str::value_wtf8(&vm.numeric(text)?))
}

fn round(vm: &mut Vm, args: &[Value]) -> R {
    let x = double(&args[0]);
    match optional(args, 1).filter(|d| !d.is_none()) {
        None => {
            let i = rational::round_to_int(x);
            vm.numeric(i).map(Value::from)
        }
        Some(digits) => {
            let digits = vm.index_clamped(digits)?;
            let rounded = rational::round_decimals(x, digits);
            vm.numeric(rounded).map(number)
        }
    }
}

/// `C(x)` for a class method of `float` that was called on the class `C`.
fn of_class(vm: &mut Vm, class: &Value, x: f64) -> R {
    match class.as_ref::<Type>() {
        Some(c) if !c.same(Float::class()) => vm.call(class, &[number(x)]),
        _ => Ok(number(x)),
    }
}

fn from_number(vm: &mut Vm, args: &[Value]) -> R {
    let x = vm.to_double(&args[1])?;
    of_class(vm, &args[0], x)
}

fn from_hex(vm: &mut Vm, args: &[Value]) -> R {
    let Some(s) = args[1].as_ref::<Str>() else {
        return Err(vm.type_error("bad argument type for built-in operation"));
    };
    let x = float_repr::from_hex(&s.to_text());
    let x = vm.numeric(x)?;
    of_class(vm, &args[0], x)
}

fn get_format(vm: &mut Vm, args: &[Value]) -> R {
    let Some(s) = args[1].as_ref::<Str>() else {
        let name = if args[1].is_none() {
            "None".to_owned()
        } else {
            vm.class_name(&args[1])
        };
        return Err(vm.type_error(format!("__getformat__() argument must be str, not {name}")));
    };
    match s.as_bytes() {
        b"double" | b"float" => Ok(Str::value("IEEE, little-endian")),
        _ => Err(vm.value_error("__getformat__() argument 1 must be 'double' or 'float'")),
    }
}
