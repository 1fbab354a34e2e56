//! What the library's Python implementation computes: logarithms, powers with fractions, formats of rare kinds.

use super::context::{Context, rounding_name};
use super::number::value;
use super::registry::{SIGNALS, registry};
use crate::heap::Ref;
use crate::objects::string::Str;
use crate::objects::tuple::Tuple;
use crate::value::Value;
use crate::vm::{R, Vm};
use coldframe_numeric::decimal::{
    Coefficient, Context as Math, Kind, MAX_DIGITS, Number, Power, Rounding, Status,
};

/// A number as sign, digits, exponent and whether it is special.
fn parts(n: &Number) -> Value {
    let (digits, exponent) = match n.kind {
        Kind::Finite => (n.coefficient.text(), Value::int(n.exponent)),
        Kind::Infinite => ("0".to_owned(), Str::value("F")),
        kind => {
            let payload = if n.coefficient.is_zero() {
                String::new()
            } else {
                n.coefficient.text()
            };
            let letter = if kind == Kind::Quiet { "n" } else { "N" };
            (payload, Str::value(letter))
        }
    };
    Tuple::value(vec![
        Value::int(i64::from(n.negative)),
        Str::value(&digits),
        exponent,
        Value::bool(n.is_special()),
    ])
}

fn settings(math: &Math, capitals: bool) -> Value {
    Tuple::value(vec![
        Value::int(math.precision),
        Str::value(rounding_name(math.rounding)),
        Value::int(math.emin),
        Value::int(math.emax),
        Value::int(i64::from(capitals)),
        Value::int(i64::from(math.clamp)),
    ])
}

/// The result of a method of the Python implementation, and the conditions that came up.
pub(super) fn compute(
    vm: &mut Vm,
    name: &str,
    math: &Math,
    operands: &[&Number],
    status: &mut Status,
) -> R<Number> {
    if math.precision as u64 > MAX_DIGITS {
        return Err(vm.memory_error());
    }
    let f = registry(vm)?.rare.clone();
    let operands = operands.iter().map(|n| parts(n)).collect();
    let args = [
        Str::value(name),
        settings(math, true),
        Tuple::value(operands),
    ];
    let made = vm.call(&f, &args)?;
    let made = made.as_ref::<Tuple>().cloned();
    let items = made.as_ref().map(|t| t.items()).unwrap_or_default();
    let [negative, digits, exponent, signals] = items else {
        return Err(vm.system_error("decimal: a result of another form"));
    };
    if let Some(signals) = signals.as_ref::<Tuple>() {
        let registry = registry(vm)?;
        for signal in signals.items() {
            let names = registry.signals.iter().map(|c| c.bare_name());
            for (bits, name) in SIGNALS.iter().zip(names) {
                let same = signal.as_ref::<Str>().is_some_and(|s| s.to_text() == name);
                if same {
                    let invalid = *bits == Status::INVALID;
                    status.raise(if invalid {
                        Status::INVALID_OPERATION
                    } else {
                        *bits
                    });
                }
            }
        }
    }
    let negative = negative.as_small_int() == Some(1);
    let digits = digits.as_ref::<Str>().map(|s| s.to_text().into_owned());
    let coefficient = Coefficient::from_digits(digits.unwrap_or_default().as_bytes());
    Ok(match exponent.as_int() {
        Some(i) => Number::finite(negative, coefficient, i.clamp_i64()),
        None => match exponent.as_ref::<Str>().map(|s| s.to_text().into_owned()) {
            Some(s) if s == "F" => Number::infinity(negative),
            _ => Number {
                kind: Kind::Quiet,
                ..Number::finite(negative, coefficient, 0)
            },
        },
    })
}

/// A method of one operand.
pub(super) fn unary(vm: &mut Vm, name: &str, context: &Ref<Context>, n: &Number) -> R {
    let mut status = Status::default();
    let result = compute(vm, name, &context.math.get(), &[n], &mut status)?;
    context.settle(vm, status)?;
    Ok(value(result))
}

/// Digits that are carried along beside those of the result of a power.
const GUARD: i64 = 23;

/// `a ** b`
pub(super) fn power(
    vm: &mut Vm,
    math: &Math,
    a: &Number,
    b: &Number,
    status: &mut Status,
) -> R<Number> {
    match math.power(a, b, status) {
        Power::Done(number) => return Ok(number),
        Power::Real => {}
    }
    // As CPython does it: the exponential of the product with the logarithm, each with more digits.
    let digits = (a.coefficient.digits() as i64).max(math.precision);
    if digits > MAX_DIGITS as i64 {
        return Err(vm.memory_error());
    }
    let work = Math {
        precision: digits + GUARD,
        rounding: Rounding::HalfEven,
        ..math.widest()
    };
    let logarithm = compute(vm, "ln", &work, &[a], status)?;
    let product = work.multiply(&logarithm, b, status);
    let result = compute(vm, "exp", &work, &[&product], status)?;
    if result.is_finite() && result.order(&Number::one()).is_eq() {
        status.raise(Status::INEXACT | Status::ROUNDED);
        let places = math.precision - 1;
        let one = Coefficient::ONE.shifted_up(places as u64);
        return Ok(math.finish(Number::finite(false, one, -places), status));
    }
    let result = if result.is_infinite() {
        // The rounding of the context decides what overflows to what.
        Number::finite(false, Coefficient::ONE, math.emax.saturating_add(1))
    } else {
        result
    };
    Ok(math.finish(result, status))
}

/// `format(n, specifier)` where the specifier is of a rare kind.
pub(super) fn format(
    vm: &mut Vm,
    context: &Ref<Context>,
    n: &Number,
    specifier: &Value,
    given: &Value,
) -> R {
    let f = registry(vm)?.format.clone();
    let args = [
        settings(&context.math.get(), context.capitals.get()),
        parts(n),
        specifier.clone(),
        given.clone(),
    ];
    vm.call(&f, &args)
}
