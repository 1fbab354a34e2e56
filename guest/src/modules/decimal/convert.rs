//! How other objects become decimals: `Decimal(value)`, `create_decimal`, `from_float`.

use super::context::{self, Context};
use super::integers;
use super::number::{Decimal, instance, operand, unsupported, value};
use crate::heap::{Payload, Ref};
use crate::objects::list::List;
use crate::objects::native::Params;
use crate::objects::string::Str;
use crate::objects::tuple::Tuple;
use crate::objects::types::Type;
use crate::value::Value;
use crate::vm::args::{Args, optional};
use crate::vm::{R, Vm};
use coldframe_numeric::decimal::{Coefficient, Kind, Number, Status};

/// `Decimal(value='0', context=None)`
pub(super) fn new(vm: &mut Vm, class: &Ref<Type>, args: Args) -> R {
    static PARAMS: &Params = crate::params!("(value='0', context=None)");
    let bound;
    let given: &[Value] = if args.names().is_empty() && args.values().len() <= 1 {
        args.values()
    } else {
        bound = args.bind(vm, "Decimal", PARAMS, 0)?;
        &bound
    };
    let context = match optional(given, 1) {
        Some(v) if !v.is_none() => Some(context::given(vm, Some(v))?),
        _ => None,
    };
    let exact_class = class.same(Decimal::class());
    let Some(v) = optional(given, 0) else {
        return Ok(made(class, exact_class, Number::zero(false, 0)));
    };
    if exact_class && v.is_exact::<Decimal>() {
        return Ok(v.clone());
    }
    let mut status = Status::default();
    let number = match operand(v) {
        Some(number) => number.into_owned(),
        None => exactly(vm, v, &mut status)?,
    };
    if status.0 != 0 {
        let context = match context {
            Some(context) => context,
            None => context::current(vm)?,
        };
        context.settle(vm, status)?;
    }
    Ok(made(class, exact_class, number))
}

fn made(class: &Ref<Type>, exact: bool, number: Number) -> Value {
    if exact {
        value(number)
    } else {
        instance(class, number)
    }
}

/// The number that a text, a float, or a tuple is.
fn exactly(vm: &mut Vm, v: &Value, status: &mut Status) -> R<Number> {
    if let Some(text) = v.as_ref::<Str>() {
        return Ok(Number::read_exactly(&text.to_text(), status));
    }
    if let Some(f) = v.as_any_float() {
        status.raise(Status::FLOAT_OPERATION);
        return Ok(integers::of_float(f));
    }
    match of_sequence(vm, v)? {
        Some(number) => Ok(number.checked(status)),
        None => Err(unsupported(vm, v)),
    }
}

/// The number of `(sign, digits, exponent)`; `None` when the object is neither tuple nor list.
fn of_sequence(vm: &mut Vm, v: &Value) -> R<Option<Number>> {
    let items = if let Some(tuple) = v.as_ref::<Tuple>() {
        tuple.items().to_vec()
    } else if let Some(list) = v.as_ref::<List>() {
        list.items.get(vm).to_vec()
    } else {
        return Ok(None);
    };
    let [sign, digits, exponent] = &items[..] else {
        return Err(vm.value_error("argument must be a sequence of length 3"));
    };
    let negative = match sign.as_int().map(|i| i.to_i64()) {
        Some(Some(0)) => false,
        Some(Some(1)) => true,
        _ => return Err(vm.value_error("sign must be an integer with the value 0 or 1")),
    };
    let (kind, exponent) = if let Some(text) = exponent.as_ref::<Str>() {
        match &*text.to_text() {
            "F" => return Ok(Some(Number::infinity(negative))),
            "n" => (Kind::Quiet, 0),
            "N" => (Kind::Signaling, 0),
            _ => {
                return Err(
                    vm.value_error("string argument in the third position must be 'F', 'n' or 'N'")
                );
            }
        }
    } else if let Some(i) = exponent.as_int() {
        match i.to_i64() {
            // What is beyond all exponents may not overflow here.
            Some(i) => (Kind::Finite, i.clamp(-BEYOND, BEYOND)),
            None => {
                return Err(vm.overflow_error("Python int too large to convert to C ssize_t"));
            }
        }
    } else {
        return Err(vm.value_error("exponent must be an integer"));
    };
    let Some(digits) = digits.as_ref::<Tuple>() else {
        return Err(vm.value_error("coefficient must be a tuple of digits"));
    };
    let mut text = Vec::with_capacity(digits.items().len());
    for digit in digits.items() {
        match digit.as_int().and_then(|i| i.to_i64()) {
            Some(d @ 0..=9) => text.push(b'0' + d as u8),
            _ => return Err(vm.value_error("coefficient must be a tuple of digits")),
        }
    }
    Ok(Some(Number {
        kind,
        ..Number::finite(negative, Coefficient::from_digits(&text), exponent)
    }))
}

const BEYOND: i64 = 4_000_000_000_000_000_000;

/// `context.create_decimal(v)`
pub(super) fn create(vm: &mut Vm, context: &Ref<Context>, v: &Value) -> R {
    let math = context.math.get();
    let mut status = Status::default();
    let number = if let Some(number) = operand(v) {
        let too_long = number.is_nan()
            && !number.coefficient.is_zero()
            && number.coefficient.digits() as i64 > math.precision - i64::from(math.clamp);
        if too_long {
            status.raise(Status::CONVERSION_SYNTAX);
            Number::nan()
        } else {
            math.finish(number.into_owned(), &mut status)
        }
    } else if let Some(text) = v.as_ref::<Str>() {
        math.read(&text.to_text(), &mut status)
    } else if let Some(f) = v.as_any_float() {
        status.raise(Status::FLOAT_OPERATION);
        math.finish(integers::of_float(f), &mut status)
    } else {
        match of_sequence(vm, v)? {
            Some(number) => {
                let text = number.text(false, true);
                math.read(&text, &mut status)
            }
            None => return Err(unsupported(vm, v)),
        }
    };
    context.settle(vm, status)?;
    Ok(value(number))
}

/// The number of an `int` or a float, exactly and without a signal.
pub(super) fn from_float(vm: &mut Vm, v: &Value) -> R<Number> {
    if let Some(i) = v.as_int() {
        return Ok(integers::of_int(i));
    }
    match v.as_any_float() {
        Some(f) => Ok(integers::of_float(f)),
        None => Err(vm.type_error("argument must be int or float")),
    }
}

/// An instance of a class that has this value.
pub(super) fn as_class(vm: &mut Vm, class: &Value, number: Number) -> R {
    let made = value(number);
    if class.is_same(&Decimal::class().to_value()) {
        return Ok(made);
    }
    vm.call(class, &[made])
}
