//! Float arithmetic: the binary and unary operators and comparison, of floats and of floats with integers.

use crate::objects::int::IntRef;
use crate::objects::int::arith::float_power;
use crate::objects::slots::{BinOp, CmpOp, UnOp};
use crate::objects::tuple::Tuple;
use crate::value::Value;
use crate::vm::{R, Vm};
use coldframe_numeric::{float_ops, hash, rational};
use std::cmp::Ordering;

/// An operand as a double; `None` if it is neither float nor integer.
#[inline]
fn operand(vm: &mut Vm, v: &Value) -> R<Option<f64>> {
    if let Some(x) = v.as_any_float() {
        return Ok(Some(x));
    }
    if v.as_int().is_some() {
        vm.int_to_double(v).map(Some)
    } else {
        Ok(None)
    }
}

/// `a op b` where one is a float; `NotImplemented` if the other is no real number.
pub fn binary(vm: &mut Vm, op: BinOp, a: &Value, b: &Value) -> R {
    let Some(x) = operand(vm, a)? else {
        return Ok(Value::NOT_IMPLEMENTED);
    };
    let Some(y) = operand(vm, b)? else {
        return Ok(Value::NOT_IMPLEMENTED);
    };
    let result = match op {
        BinOp::Add => Ok(x + y),
        BinOp::Sub => Ok(x - y),
        BinOp::Mul => Ok(x * y),
        BinOp::Div => float_ops::true_divide(x, y),
        BinOp::FloorDiv => float_ops::floor_div(x, y),
        BinOp::Mod => float_ops::modulo(x, y),
        BinOp::DivMod => {
            let both = float_ops::divmod(x, y);
            let (q, r) = vm.numeric(both)?;
            return Ok(Tuple::value(vec![number(q), number(r)]));
        }
        BinOp::Pow => return float_power(vm, x, y),
        BinOp::MatMul | BinOp::And | BinOp::Or | BinOp::Xor | BinOp::Shl | BinOp::Shr => {
            return Ok(Value::NOT_IMPLEMENTED);
        }
    };
    Ok(number(vm.numeric(result)?))
}

/// A `float`. Arithmetic makes NaNs with either sign; one of them stands for all.
#[inline]
pub fn number(x: f64) -> Value {
    Value::float(if x.is_nan() { f64::NAN } else { x })
}

/// `-x` and the others.
pub fn unary(vm: &mut Vm, op: UnOp, v: &Value) -> R {
    let Some(x) = v.as_any_float() else {
        return Ok(Value::NOT_IMPLEMENTED);
    };
    Ok(match op {
        UnOp::Neg => Value::float(-x),
        UnOp::Pos => Value::float(x),
        UnOp::Abs => Value::float(x.abs()),
        UnOp::Invert => return Err(vm.no_unary(op, v)),
    })
}

/// The order of a float and an integer, exactly; `None` for NaN.
pub fn compare_with_int(x: f64, i: IntRef) -> Option<Ordering> {
    match i {
        IntRef::Small(i) => rational::compare_float_i64(x, i),
        IntRef::Big(b) => rational::compare_float_int(x, b),
    }
}

/// `a op b`, `a` being a float; `NotImplemented` if `b` is no real number.
pub fn compare(_: &mut Vm, a: &Value, b: &Value, op: CmpOp) -> R {
    let Some(x) = a.as_any_float() else {
        return Ok(Value::NOT_IMPLEMENTED);
    };
    let order = if let Some(y) = b.as_any_float() {
        x.partial_cmp(&y)
    } else if let Some(i) = b.as_int() {
        compare_with_int(x, i)
    } else {
        return Ok(Value::NOT_IMPLEMENTED);
    };
    Ok(Value::bool(match order {
        Some(order) => op.holds(order),
        None => op == CmpOp::Ne,
    }))
}

/// `hash(x)`; a NaN hashes by identity, which for an inline float is its word.
pub fn hash_double(x: f64, v: &Value) -> i64 {
    hash::hash_float(x).unwrap_or_else(|| hash::hash_identity(v.bits()))
}
