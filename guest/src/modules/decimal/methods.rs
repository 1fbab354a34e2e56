//! `Decimal`: the class and its methods.

use super::context::{self, Context, ROUNDINGS};
use super::integers::{ratio, to_float, to_int};
use super::number::{Decimal, number, required, small, value};
use super::operators::{self, within};
use super::registry::registry;
use super::{compare, convert, rare};
use crate::heap::{self, Ref};
use crate::names;
use crate::objects::complex::Complex;
use crate::objects::dict::Dict;
use crate::objects::native::Def;
use crate::objects::slots::{BinOp, Slots, ops};
use crate::objects::string::Str;
use crate::objects::tuple::Tuple;
use crate::objects::types::{BASE, ClassBuilder};
use crate::value::Value;
use crate::vm::args::optional;
use crate::vm::ops::class_of;
use crate::vm::{R, Vm};
use coldframe_numeric::decimal::{
    Context as Math, Kind, MAX_DIGITS, Number, Picture, Rounding, Status,
};

const DOC: &str = "Construct a new Decimal object. 'value' can be an integer, string, tuple,
or another Decimal object. If no value is given, return Decimal('0'). The
context does not affect the conversion and is only passed to determine if
the InvalidOperation trap is active.
";

/// Makes the class, and that of contexts in its raw form.
pub(super) fn build(vm: &mut Vm) {
    let class = ClassBuilder::new::<Decimal>("Decimal")
        .flags(BASE)
        .module(vm, "decimal")
        .doc(vm, DOC)
        .slots(SLOTS)
        .methods(vm, CONVERSIONS)
        .methods(vm, PREDICATES)
        .methods(vm, OPERATIONS)
        .getset(vm, "real", |_, v| Ok(v.clone()), None)
        .getset(vm, "imag", |_, _| Ok(value(small(0))), None)
        .build(vm);
    // The other unary operators bring it along.
    drop(class.dict.remove_str(vm, &names::intern("__invert__")));
    class.invalidate();
}

const OPERATORS: &[BinOp] = &[
    BinOp::Add,
    BinOp::Sub,
    BinOp::Mul,
    BinOp::Div,
    BinOp::FloorDiv,
    BinOp::Mod,
    BinOp::DivMod,
    BinOp::Pow,
];

const SLOTS: Slots = Slots {
    repr: Some(|vm, v| {
        let text = text(vm, v, false)?;
        Ok(Str::value(&format!("Decimal('{text}')")))
    }),
    str: Some(|vm, v| text(vm, v, false).map(|text| Str::value(&text))),
    hash: Some(compare::hash),
    compare: Some(compare::compare),
    bool: Some(|_, v| Ok(!number(v).is_zero())),
    binary: Some(operators::binary),
    binary_ops: ops(OPERATORS),
    reflected_ops: ops(OPERATORS),
    unary: Some(operators::unary),
    int: Some(|vm, v| to_int(vm, number(v), Rounding::Down)),
    float: Some(|vm, v| to_float(vm, number(v)).map(Value::float)),
    new: Some(convert::new),
    ..Slots::NONE
};

/// The text of a number, in the capitals of the current context.
pub(super) fn text(vm: &mut Vm, v: &Value, engineering: bool) -> R<String> {
    let n = number(v);
    if n.coefficient.digits_at_most() > MAX_DIGITS {
        return Err(vm.memory_error());
    }
    heap::charge((n.coefficient.bits() >> 12) as usize);
    // Only an exponent has a letter.
    let capitals = n.exponent == 0 || context::current(vm)?.capitals.get();
    Ok(n.text(engineering, capitals))
}

/// The way to round that an argument names.
pub(super) fn rounding_of(vm: &mut Vm, v: &Value) -> R<Rounding> {
    let name = v.as_ref::<Str>().map(|s| s.to_text());
    match ROUNDINGS.iter().position(|r| Some(*r) == name.as_deref()) {
        Some(at) => Ok(Rounding::ALL[at]),
        None => Err(vm.type_error(
            "valid values for rounding are:\n  [ROUND_CEILING, ROUND_FLOOR, ROUND_UP, ROUND_DOWN,\n   ROUND_HALF_UP, \
             ROUND_HALF_DOWN, ROUND_HALF_EVEN,\n   ROUND_05UP]",
        )),
    }
}

/// A context's numbers with the rounding that an optional argument names.
fn rounded(vm: &mut Vm, context: &Ref<Context>, v: Option<&Value>) -> R<Math> {
    let mut math = context.math.get();
    if let Some(v) = v
        && !v.is_none()
    {
        math.rounding = rounding_of(vm, v)?;
    }
    Ok(math)
}

fn unary(vm: &mut Vm, a: &[Value], f: fn(&Math, &Number, &mut Status) -> Number) -> R {
    let context = context::given(vm, optional(a, 1))?;
    within(vm, &context, |m, s| f(m, number(&a[0]), s))
}

fn binary(vm: &mut Vm, a: &[Value], f: fn(&Math, &Number, &Number, &mut Status) -> Number) -> R {
    let context = context::given(vm, optional(a, 2))?;
    let other = required(vm, &a[1])?;
    within(vm, &context, |m, s| f(m, number(&a[0]), &other, s))
}

fn rarely(vm: &mut Vm, a: &[Value], name: &str) -> R {
    let context = context::given(vm, optional(a, 1))?;
    rare::unary(vm, name, &context, number(&a[0]))
}

fn test(a: &[Value], f: fn(&Number) -> bool) -> R {
    Ok(Value::bool(f(number(&a[0]))))
}

static PREDICATES: &[Def] = &[
    Def::method("is_canonical", "(self, /)", |_, a| test(a, |_| true)),
    Def::method("is_finite", "(self, /)", |_, a| test(a, Number::is_finite)),
    Def::method("is_infinite", "(self, /)", |_, a| {
        test(a, Number::is_infinite)
    }),
    Def::method("is_nan", "(self, /)", |_, a| test(a, Number::is_nan)),
    Def::method("is_qnan", "(self, /)", |_, a| {
        test(a, |n| n.kind == Kind::Quiet)
    }),
    Def::method("is_snan", "(self, /)", |_, a| {
        test(a, |n| n.kind == Kind::Signaling)
    }),
    Def::method("is_signed", "(self, /)", |_, a| test(a, |n| n.negative)),
    Def::method("is_zero", "(self, /)", |_, a| test(a, Number::is_zero)),
    Def::method("is_normal", "(self, /, context=None)", |vm, a| {
        let context = context::given(vm, optional(a, 1))?;
        Ok(Value::bool(context.math.get().is_normal(number(&a[0]))))
    }),
    Def::method("is_subnormal", "(self, /, context=None)", |vm, a| {
        let context = context::given(vm, optional(a, 1))?;
        Ok(Value::bool(context.math.get().is_subnormal(number(&a[0]))))
    }),
    Def::method("same_quantum", "(self, /, other, context=None)", |vm, a| {
        context::given(vm, optional(a, 2))?;
        let other = required(vm, &a[1])?;
        Ok(Value::bool(number(&a[0]).same_quantum(&other)))
    }),
    Def::method("number_class", "(self, /, context=None)", |vm, a| {
        let context = context::given(vm, optional(a, 1))?;
        Ok(Str::value(context.math.get().class_name(number(&a[0]))))
    }),
];

static CONVERSIONS: &[Def] = &[
    Def::class_method("from_float", "(cls, f, /)", |vm, a| {
        let n = convert::from_float(vm, &a[1])?;
        convert::as_class(vm, &a[0], n)
    }),
    Def::class_method("from_number", "(cls, number, /)", |vm, a| {
        let v = &a[1];
        let n = match super::number::operand(v) {
            Some(n) => n.into_owned(),
            None if v.as_any_float().is_some() => convert::from_float(vm, v)?,
            None => {
                let shown = vm.repr(v)?.to_text().into_owned();
                return Err(vm.type_error(format!("Cannot convert {shown} to Decimal")));
            }
        };
        convert::as_class(vm, &a[0], n)
    }),
    Def::method("adjusted", "(self, /)", |_, a| {
        Ok(Value::int(number(&a[0]).adjusted()))
    }),
    Def::method("as_tuple", "(self, /)", |vm, a| as_tuple(vm, &a[0])),
    Def::method("as_integer_ratio", "(self, /)", |vm, a| {
        ratio(vm, number(&a[0]))
    }),
    Def::method("canonical", "(self, /)", |_, a| Ok(a[0].clone())),
    Def::method("conjugate", "(self, /)", |_, a| Ok(a[0].clone())),
    Def::method("radix", "(self, /)", |_, _| Ok(value(small(10)))),
    Def::method("copy_abs", "(self, /)", |_, a| {
        Ok(value(number(&a[0]).with_sign(false)))
    }),
    Def::method("copy_negate", "(self, /)", |_, a| {
        Ok(value(number(&a[0]).negated()))
    }),
    Def::method("copy_sign", "(self, /, other, context=None)", |vm, a| {
        context::given(vm, optional(a, 2))?;
        let other = required(vm, &a[1])?;
        Ok(value(number(&a[0]).with_sign(other.negative)))
    }),
    Def::method("to_eng_string", "(self, /, context=None)", |vm, a| {
        let context = context::given(vm, optional(a, 1))?;
        let text = number(&a[0]).text(true, context.capitals.get());
        Ok(Str::value(&text))
    }),
    Def::method("__copy__", "(self, /)", |_, a| Ok(a[0].clone())),
    Def::method("__deepcopy__", "(self, memo, /)", |_, a| Ok(a[0].clone())),
    Def::method("__reduce__", "(self, /)", |vm, a| {
        let shown = vm.str(&a[0])?.to_value();
        Ok(Tuple::value(vec![
            class_of(&a[0]).to_value(),
            Tuple::value(vec![shown]),
        ]))
    }),
    Def::method("__complex__", "(self, /)", |vm, a| {
        let f = to_float(vm, number(&a[0]))?;
        Ok(Complex::value(f, 0.0))
    }),
    Def::method("__ceil__", "(self, /)", |vm, a| {
        to_int(vm, number(&a[0]), Rounding::Ceiling)
    }),
    Def::method("__floor__", "(self, /)", |vm, a| {
        to_int(vm, number(&a[0]), Rounding::Floor)
    }),
    Def::method("__trunc__", "(self, /)", |vm, a| {
        to_int(vm, number(&a[0]), Rounding::Down)
    }),
    Def::method("__round__", "(self, ndigits=None, /)", |vm, a| {
        let Some(places) = optional(a, 1).filter(|v| !v.is_none()) else {
            return to_int(vm, number(&a[0]), Rounding::HalfEven);
        };
        let Some(places) = places.as_int() else {
            return Err(vm.type_error("optional arg must be an integer"));
        };
        let Some(places) = places.to_i64() else {
            return Err(vm.overflow_error("Python int too large to convert to C ssize_t"));
        };
        let quantum = Number::finite(
            false,
            1u128.into(),
            places.checked_neg().unwrap_or(i64::MAX),
        );
        let context = context::current(vm)?;
        within(vm, &context, |m, s| m.quantize(number(&a[0]), &quantum, s))
    }),
    Def::method("__format__", "(self, fmtarg, override=None, /)", format),
    Def::method("__sizeof__", "(self, /)", |_, a| {
        let bytes = number(&a[0]).coefficient.bits() / 8;
        Ok(Value::int(104 + bytes as i64))
    }),
];

fn as_tuple(vm: &mut Vm, v: &Value) -> R {
    let n = number(v);
    let class = registry(vm)?.tuple.clone();
    let digits = |text: String| {
        let items = text.bytes().map(|b| Value::int(i64::from(b - b'0')));
        Tuple::value(items.collect())
    };
    if n.coefficient.digits_at_most() > MAX_DIGITS {
        return Err(vm.memory_error());
    }
    let text = n.coefficient.text();
    let (digits, exponent) = match n.kind {
        Kind::Finite => (digits(text), Value::int(n.exponent)),
        Kind::Infinite => (digits(text), Str::value("F")),
        kind => {
            let payload = if n.coefficient.is_zero() {
                String::new()
            } else {
                text
            };
            let letter = if kind == Kind::Quiet { "n" } else { "N" };
            (digits(payload), Str::value(letter))
        }
    };
    let sign = Value::int(i64::from(n.negative));
    vm.call(&class.to_value(), &[sign, digits, exponent])
}

fn format(vm: &mut Vm, a: &[Value]) -> R {
    let given = optional(a, 2).filter(|v| !v.is_none());
    if let Some(given) = given
        && !given.is::<Dict>()
    {
        return Err(vm.type_error("optional argument must be a dict"));
    }
    let Some(specifier) = a[1].as_ref::<Str>() else {
        return Err(vm.type_error("format arg must be str"));
    };
    let context = context::current(vm)?;
    let n = number(&a[0]);
    if given.is_none() {
        let plain = specifier.as_str().filter(|_| n.is_finite());
        if let Some(picture) = plain.and_then(Picture::parse)
            && let Some(text) = n.format(
                &picture,
                context.math.get().rounding,
                context.capitals.get(),
            )
        {
            return Ok(Str::value(&text));
        }
    }
    let given = given.cloned().unwrap_or(Value::NONE);
    rare::format(vm, &context, n, &a[1], &given)
}

static OPERATIONS: &[Def] = &[
    Def::method("compare", "(self, /, other, context=None)", |vm, a| {
        binary(vm, a, Math::compare)
    }),
    Def::method(
        "compare_signal",
        "(self, /, other, context=None)",
        |vm, a| binary(vm, a, Math::compare_signal),
    ),
    Def::method(
        "compare_total",
        "(self, /, other, context=None)",
        |vm, a| binary(vm, a, |m, x, y, _| m.compare_total(x, y)),
    ),
    Def::method(
        "compare_total_mag",
        "(self, /, other, context=None)",
        |vm, a| binary(vm, a, |m, x, y, _| m.compare_total_mag(x, y)),
    ),
    Def::method("exp", "(self, /, context=None)", |vm, a| {
        rarely(vm, a, "exp")
    }),
    Def::method("ln", "(self, /, context=None)", |vm, a| rarely(vm, a, "ln")),
    Def::method("log10", "(self, /, context=None)", |vm, a| {
        rarely(vm, a, "log10")
    }),
    Def::method("logb", "(self, /, context=None)", |vm, a| {
        unary(vm, a, Math::logb)
    }),
    Def::method("fma", "(self, /, other, third, context=None)", |vm, a| {
        let context = context::given(vm, optional(a, 3))?;
        let (b, c) = (required(vm, &a[1])?, required(vm, &a[2])?);
        operators::charge(number(&a[0]), &b);
        within(vm, &context, |m, s| m.fma(number(&a[0]), &b, &c, s))
    }),
    Def::method("logical_and", "(self, /, other, context=None)", |vm, a| {
        binary(vm, a, |m, x, y, s| m.logical(x, y, |p, q| p & q, s))
    }),
    Def::method("logical_or", "(self, /, other, context=None)", |vm, a| {
        binary(vm, a, |m, x, y, s| m.logical(x, y, |p, q| p | q, s))
    }),
    Def::method("logical_xor", "(self, /, other, context=None)", |vm, a| {
        binary(vm, a, |m, x, y, s| m.logical(x, y, |p, q| p ^ q, s))
    }),
    Def::method("logical_invert", "(self, /, context=None)", |vm, a| {
        unary(vm, a, Math::logical_invert)
    }),
    Def::method("max", "(self, /, other, context=None)", |vm, a| {
        binary(vm, a, |m, x, y, s| m.extreme(x, y, true, false, s))
    }),
    Def::method("max_mag", "(self, /, other, context=None)", |vm, a| {
        binary(vm, a, |m, x, y, s| m.extreme(x, y, true, true, s))
    }),
    Def::method("min", "(self, /, other, context=None)", |vm, a| {
        binary(vm, a, |m, x, y, s| m.extreme(x, y, false, false, s))
    }),
    Def::method("min_mag", "(self, /, other, context=None)", |vm, a| {
        binary(vm, a, |m, x, y, s| m.extreme(x, y, false, true, s))
    }),
    Def::method("next_minus", "(self, /, context=None)", |vm, a| {
        unary(vm, a, Math::next_minus)
    }),
    Def::method("next_plus", "(self, /, context=None)", |vm, a| {
        unary(vm, a, Math::next_plus)
    }),
    Def::method("next_toward", "(self, /, other, context=None)", |vm, a| {
        binary(vm, a, Math::next_toward)
    }),
    Def::method("normalize", "(self, /, context=None)", |vm, a| {
        unary(vm, a, Math::normalize)
    }),
    Def::method(
        "quantize",
        "(self, /, exp, rounding=None, context=None)",
        |vm, a| {
            let context = context::given(vm, optional(a, 3))?;
            let math = rounded(vm, &context, optional(a, 2))?;
            let other = required(vm, &a[1])?;
            within(vm, &context, |_, s| math.quantize(number(&a[0]), &other, s))
        },
    ),
    Def::method(
        "remainder_near",
        "(self, /, other, context=None)",
        |vm, a| binary(vm, a, Math::remainder_near),
    ),
    Def::method("rotate", "(self, /, other, context=None)", |vm, a| {
        binary(vm, a, Math::rotate)
    }),
    Def::method("scaleb", "(self, /, other, context=None)", |vm, a| {
        binary(vm, a, Math::scaleb)
    }),
    Def::method("shift", "(self, /, other, context=None)", |vm, a| {
        binary(vm, a, Math::shift)
    }),
    Def::method("sqrt", "(self, /, context=None)", |vm, a| {
        let context = context::given(vm, optional(a, 1))?;
        let digits = context.math.get().precision.min(MAX_DIGITS as i64) as usize;
        heap::charge(digits / 64 * (digits / 64) / 256);
        within(vm, &context, |m, s| m.sqrt(number(&a[0]), s))
    }),
    Def::method(
        "to_integral",
        "(self, /, rounding=None, context=None)",
        |vm, a| integral(vm, a, false),
    ),
    Def::method(
        "to_integral_exact",
        "(self, /, rounding=None, context=None)",
        |vm, a| integral(vm, a, true),
    ),
    Def::method(
        "to_integral_value",
        "(self, /, rounding=None, context=None)",
        |vm, a| integral(vm, a, false),
    ),
];

fn integral(vm: &mut Vm, a: &[Value], exact: bool) -> R {
    let context = context::given(vm, optional(a, 2))?;
    let math = rounded(vm, &context, optional(a, 1))?;
    within(vm, &context, |_, s| {
        math.to_integral(number(&a[0]), exact, s)
    })
}
