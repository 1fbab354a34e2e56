//! Comparison operators of `Decimal`, and its hash.

use super::context;
use super::integers;
use super::number::{number, operand};
use super::registry::registry;
use crate::objects::complex::Complex;
use crate::objects::slots::CmpOp;
use crate::objects::tuple::Tuple;
use crate::value::Value;
use crate::vm::{R, Vm};
use coldframe_numeric::decimal::{Kind, Number, Status};

/// `a op b`, where `a` is a decimal.
pub(super) fn compare(vm: &mut Vm, a: &Value, b: &Value, op: CmpOp) -> R {
    let x = number(a);
    if let Some(y) = operand(b) {
        return ordered(vm, x, &y, op);
    }
    let equality = matches!(op, CmpOp::Eq | CmpOp::Ne);
    let float = match b.as_any_float() {
        Some(f) => Some(f),
        // A complex number without imaginary part is as good as a float, where only equality counts.
        None => match b.as_ref::<Complex>() {
            Some(c) if equality && c.im == 0.0 => Some(c.re),
            Some(_) => return Ok(Value::NOT_IMPLEMENTED),
            None => None,
        },
    };
    if let Some(f) = float {
        let context = context::current(vm)?;
        if equality {
            context
                .flags
                .set(context.flags.get() | Status::FLOAT_OPERATION);
        } else {
            context.settle(vm, Status(Status::FLOAT_OPERATION))?;
        }
        return ordered(vm, x, &integers::of_float(f), op);
    }
    if !b.is_ref() {
        return Ok(Value::NOT_IMPLEMENTED);
    }
    let f = registry(vm)?.comparable.clone();
    let pair = vm.call(&f, &[a.clone(), b.clone()])?;
    let Some(pair) = pair.as_ref::<Tuple>().cloned() else {
        return Ok(Value::NOT_IMPLEMENTED);
    };
    match pair.items() {
        [x, y] => match (operand(x), operand(y)) {
            (Some(x), Some(y)) => ordered(vm, &x, &y, op),
            _ => Ok(Value::NOT_IMPLEMENTED),
        },
        _ => Ok(Value::NOT_IMPLEMENTED),
    }
}

fn ordered(vm: &mut Vm, a: &Number, b: &Number, op: CmpOp) -> R {
    if a.is_nan() || b.is_nan() {
        let signaling = a.kind == Kind::Signaling || b.kind == Kind::Signaling;
        if signaling || !matches!(op, CmpOp::Eq | CmpOp::Ne) {
            let context = context::current(vm)?;
            context.settle(vm, Status(Status::INVALID_OPERATION))?;
        }
        return Ok(Value::bool(op == CmpOp::Ne));
    }
    Ok(Value::bool(op.holds(a.order(b))))
}

/// The modulus of hashes of numbers.
const MODULUS: u64 = (1 << 61) - 1;

/// `hash(v)`: that of an equal number of any class.
pub(super) fn hash(vm: &mut Vm, v: &Value) -> R<i64> {
    let n = number(v);
    let size = match n.kind {
        Kind::Signaling => return Err(vm.type_error("Cannot hash a signaling NaN value")),
        // As every object: by what it is.
        Kind::Quiet => return Ok(v.address().map_or(0, |p| p.as_ptr() as i64 >> 4)),
        Kind::Infinite => 314_159,
        Kind::Finite => {
            let digits = match n.coefficient.short() {
                Some(short) => (short % u128::from(MODULUS)) as u64,
                None => {
                    let rest = &*n.coefficient.big() % MODULUS;
                    rest.iter_u64_digits().next().unwrap_or(0)
                }
            };
            // The inverse of ten.
            let base = if n.exponent >= 0 {
                10
            } else {
                2_075_258_708_292_324_556
            };
            let power = power(base, n.exponent.unsigned_abs());
            (u128::from(digits) * u128::from(power) % u128::from(MODULUS)) as i64
        }
    };
    Ok(match if n.negative { -size } else { size } {
        -1 => -2,
        hash => hash,
    })
}

fn power(base: u64, mut exponent: u64) -> u64 {
    let modulus = u128::from(MODULUS);
    let (mut base, mut result) = (u128::from(base), 1u128);
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = result * base % modulus;
        }
        base = base * base % modulus;
        exponent >>= 1;
    }
    result as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_has_an_inverse() {
        let inverse = power(10, MODULUS - 2);
        assert_eq!(inverse, 2_075_258_708_292_324_556);
    }
}
