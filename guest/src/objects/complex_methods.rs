//! `complex`: its class, constructor, arithmetic and methods.

use crate::heap::{Payload, Ref};
use crate::names;
use crate::objects::complex::Complex;
use crate::objects::float_arith::{compare_with_int, hash_double, number};
use crate::objects::int::methods::spec_of;
use crate::objects::native::Def;
use crate::objects::slots::{BinOp, CmpOp, Slots, UnOp, ops};
use crate::objects::string::Str;
use crate::objects::tuple::Tuple;
use crate::objects::types::{BASE, ClassBuilder, Type};
use crate::value::Value;
use crate::vm::args::{Args, optional};
use crate::vm::ops::class_of;
use crate::vm::{R, Vm};
use coldframe_numeric::complex_ops::{self, Complex as Number};
use coldframe_numeric::{complex_repr, format_value, hash};
use std::cmp::Ordering;

const OPERATORS: u16 = ops(&[BinOp::Add, BinOp::Sub, BinOp::Mul, BinOp::Div, BinOp::Pow]);

const COMPLEX: Slots = Slots {
    repr: Some(|_, v| {
        let z = parts(v);
        Ok(Str::value(&complex_repr::repr(z.re, z.im)))
    }),
    hash: Some(|_, v| {
        let z = parts(v);
        Ok(hash::hash_complex(
            hash_double(z.re, v),
            hash_double(z.im, v),
        ))
    }),
    compare: Some(compare),
    bool: Some(|_, v| {
        let z = parts(v);
        Ok(z.re != 0.0 || z.im != 0.0)
    }),
    binary: Some(binary),
    binary_ops: OPERATORS,
    reflected_ops: OPERATORS,
    unary: Some(unary),
    new: Some(new),
    ..Slots::NONE
};

/// Makes `complex`.
pub(crate) fn init(vm: &mut Vm) {
    let complex = ClassBuilder::new::<Complex>("complex")
        .flags(BASE)
        .slots(COMPLEX)
        .methods(vm, METHODS);
    let complex = complex
        .getset(vm, "real", |_, v| Ok(number(parts(v).re)), None)
        .getset(vm, "imag", |_, v| Ok(number(parts(v).im)), None)
        .build(vm);
    // Complex numbers have no `~`.
    drop(complex.dict.remove_str(vm, &names::intern("__invert__")));
}

/// The number of a receiver.
fn parts(v: &Value) -> Number {
    v.as_ref::<Complex>()
        .map_or(Number::new(f64::NAN, f64::NAN), |z| Number::new(z.re, z.im))
}

fn value(z: Number) -> Value {
    Complex::value(z.re, z.im)
}

// ---- arithmetic

/// An operand: a real number stays one, because its missing imaginary part is not `0.0` (C99, annex G).
enum Operand {
    Real(f64),
    Complex(Number),
}

impl Operand {
    fn of(vm: &mut Vm, v: &Value) -> R<Option<Operand>> {
        if let Some(z) = v.as_ref::<Complex>() {
            return Ok(Some(Operand::Complex(Number::new(z.re, z.im))));
        }
        if let Some(x) = v.as_any_float() {
            return Ok(Some(Operand::Real(x)));
        }
        if v.as_int().is_some() {
            return vm.int_to_double(v).map(|x| Some(Operand::Real(x)));
        }
        Ok(None)
    }

    fn widen(self) -> Number {
        match self {
            Operand::Real(x) => Number::new(x, 0.0),
            Operand::Complex(z) => z,
        }
    }
}

fn binary(vm: &mut Vm, op: BinOp, a: &Value, b: &Value) -> R {
    use Operand::{Complex, Real};
    if OPERATORS & op.bit() == 0 {
        return Ok(Value::NOT_IMPLEMENTED);
    }
    let Some(a) = Operand::of(vm, a)? else {
        return Ok(Value::NOT_IMPLEMENTED);
    };
    let Some(b) = Operand::of(vm, b)? else {
        return Ok(Value::NOT_IMPLEMENTED);
    };
    let result = match (op, a, b) {
        (BinOp::Add, Complex(a), Complex(b)) => Ok(Number::new(a.re + b.re, a.im + b.im)),
        (BinOp::Add, Complex(z), Real(x)) | (BinOp::Add, Real(x), Complex(z)) => {
            Ok(Number::new(z.re + x, z.im))
        }
        (BinOp::Sub, Complex(a), Complex(b)) => Ok(Number::new(a.re - b.re, a.im - b.im)),
        (BinOp::Sub, Complex(z), Real(x)) => Ok(Number::new(z.re - x, z.im)),
        (BinOp::Sub, Real(x), Complex(z)) => Ok(Number::new(x - z.re, -z.im)),
        (BinOp::Mul, Complex(a), Complex(b)) => Ok(complex_ops::mul(a, b)),
        (BinOp::Mul, Complex(z), Real(x)) | (BinOp::Mul, Real(x), Complex(z)) => {
            Ok(Number::new(z.re * x, z.im * x))
        }
        (BinOp::Div, Complex(z), Real(x)) if x != 0.0 => Ok(Number::new(z.re / x, z.im / x)),
        (BinOp::Div, Real(x), Complex(z)) => complex_ops::real_div(x, z),
        (BinOp::Div, a, b) => complex_ops::div(a.widen(), b.widen()),
        (BinOp::Pow, a, b) => complex_ops::pow(a.widen(), b.widen()),
        _ => return Ok(Value::NOT_IMPLEMENTED),
    };
    vm.numeric(result).map(value)
}

fn unary(vm: &mut Vm, op: UnOp, v: &Value) -> R {
    let z = parts(v);
    Ok(match op {
        UnOp::Neg => Complex::value(-z.re, -z.im),
        UnOp::Pos => value(z),
        UnOp::Abs => {
            let size = complex_ops::abs(z);
            number(vm.numeric(size)?)
        }
        UnOp::Invert => return Err(vm.no_unary(op, v)),
    })
}

fn compare(_: &mut Vm, a: &Value, b: &Value, op: CmpOp) -> R {
    if !matches!(op, CmpOp::Eq | CmpOp::Ne) {
        return Ok(Value::NOT_IMPLEMENTED);
    }
    let x = parts(a);
    let equal = if let Some(y) = b.as_ref::<Complex>() {
        x.re == y.re && x.im == y.im
    } else if let Some(y) = b.as_any_float() {
        x.re == y && x.im == 0.0
    } else if let Some(i) = b.as_int() {
        x.im == 0.0 && compare_with_int(x.re, i) == Some(Ordering::Equal)
    } else {
        return Ok(Value::NOT_IMPLEMENTED);
    };
    Ok(Value::bool(equal == (op == CmpOp::Eq)))
}

// ---- the constructor

fn make(class: &Ref<Type>, z: Number) -> Value {
    if class.same(Complex::class()) {
        value(z)
    } else {
        Complex::instance(class, z.re, z.im)
    }
}

/// `complex(real=0, imag=0)`
fn new(vm: &mut Vm, class: &Ref<Type>, args: Args) -> R {
    let bound = args.bind(vm, "complex", crate::params!("(real=0, imag=0)"), 0)?;
    match (optional(&bound, 0), optional(&bound, 1)) {
        (None, None) => Ok(make(class, Number::new(0.0, 0.0))),
        (Some(x), None) => {
            if x.is_exact::<Complex>() && class.same(Complex::class()) {
                return Ok(x.clone());
            }
            let z = from_object(vm, x)?;
            Ok(make(class, z))
        }
        (re, im) => {
            let re = part(vm, re, "real")?;
            let im = part(vm, im, "imag")?;
            // Parts that are complex themselves count with both of their parts. (Adding zero would lose the sign of `-0.0`.)
            let real = im.1.map_or(re.0, |x| re.0 - x);
            let imag = re.1.map_or(im.0, |x| im.0 + x);
            Ok(make(class, Number::new(real, imag)))
        }
    }
}

fn from_object(vm: &mut Vm, x: &Value) -> R<Number> {
    if let Some(s) = x.as_ref::<Str>() {
        return match complex_repr::parse(&s.to_text()) {
            Some((re, im)) => Ok(Number::new(re, im)),
            None => Err(vm.value_error("complex() arg is a malformed string")),
        };
    }
    if let Some((re, im)) = vm.to_complex_opt(x)? {
        return Ok(Number::new(re, im));
    }
    match vm.to_double_opt(x)? {
        Some(re) => Ok(Number::new(re, 0.0)),
        None => {
            let name = vm.full_class_name(x);
            Err(vm.type_error(format!(
                "complex() argument must be a string or a number, not {name}"
            )))
        }
    }
}

/// One of two arguments: its value and, if it is complex, its imaginary part.
fn part(vm: &mut Vm, v: Option<&Value>, name: &str) -> R<(f64, Option<f64>)> {
    let Some(v) = v else { return Ok((0.0, None)) };
    if let Some(z) = v.as_ref::<Complex>() {
        return Ok((z.re, Some(z.im)));
    }
    let slots = class_of(v).slots();
    if slots.float.is_none() && slots.index.is_none() {
        if name == "real"
            && let Some((re, im)) = vm.to_complex_opt(v)?
        {
            return Ok((re, Some(im)));
        }
        let class = vm.full_class_name(v);
        return Err(vm.type_error(format!(
            "complex() argument '{name}' must be a real number, not {class}"
        )));
    }
    Ok((vm.to_double(v)?, None))
}

// ---- methods

static METHODS: &[Def] = &[
    Def::method("__complex__", "(self, /)", |_, args| Ok(exact(&args[0]))),
    Def::method("__format__", "(self, format_spec, /)", format),
    Def::method("__getnewargs__", "(self, /)", |_, args| {
        let z = parts(&args[0]);
        Ok(Tuple::value(vec![number(z.re), number(z.im)]))
    }),
    Def::method("conjugate", "(self, /)", |_, args| {
        let z = parts(&args[0]);
        Ok(Complex::value(z.re, -z.im))
    }),
    Def::class_method("from_number", "(type, number, /)", from_number),
];

fn exact(v: &Value) -> Value {
    if v.is_exact::<Complex>() {
        v.clone()
    } else {
        value(parts(v))
    }
}

fn format(vm: &mut Vm, args: &[Value]) -> R {
    let spec = spec_of(vm, &args[1])?;
    if spec.is_empty() {
        return Ok(Value::from_ref(vm.str(&args[0])?));
    }
    let z = parts(&args[0]);
    let name = vm.class_name(&args[0]);
    let text = format_value::format_complex(z.re, z.im, spec.as_bytes(), &name);
    Ok(Str::value_wtf8(&vm.numeric(text)?))
}

fn from_number(vm: &mut Vm, args: &[Value]) -> R {
    let class = args[0]
        .as_ref::<Type>()
        .filter(|c| !c.same(Complex::class()));
    if class.is_none() && args[1].is_exact::<Complex>() {
        return Ok(args[1].clone());
    }
    let (re, im) = vm.to_complex(&args[1])?;
    match class {
        Some(_) => vm.call(&args[0], &[Complex::value(re, im)]),
        None => Ok(Complex::value(re, im)),
    }
}
