//! Operators of `Decimal`.

use super::context::{self, Context};
use super::number::{Decimal, number, operand, value};
use super::rare;
use crate::heap::{self, Ref};
use crate::objects::slots::{BinOp, UnOp};
use crate::objects::tuple::Tuple;
use crate::value::Value;
use crate::vm::{R, Vm};
use coldframe_numeric::decimal::{Coefficient, Context as Math, Number, Status};

/// Counts the work that long coefficients make.
#[inline]
pub(super) fn charge(a: &Number, b: &Number) {
    if let (Coefficient::Long(x), Coefficient::Long(y)) = (&a.coefficient, &b.coefficient) {
        heap::charge(((x.bits() / 64) * (y.bits() / 64) / 256).min(1 << 20) as usize);
    }
}

/// The result of an operation in a context.
#[inline]
pub(super) fn within(
    vm: &mut Vm,
    context: &Ref<Context>,
    f: impl FnOnce(&Math, &mut Status) -> Number,
) -> R {
    let mut status = Status::default();
    let result = f(&context.math.get(), &mut status);
    context.settle(vm, status)?;
    Ok(value(result))
}

/// An operator with two decimals.
pub(super) fn arithmetic(
    vm: &mut Vm,
    context: &Ref<Context>,
    op: BinOp,
    a: &Number,
    b: &Number,
) -> R {
    charge(a, b);
    let mut status = Status::default();
    let math = context.math.get();
    let result = match op {
        BinOp::Add => math.add(a, b, &mut status),
        BinOp::Sub => math.subtract(a, b, &mut status),
        BinOp::Mul => math.multiply(a, b, &mut status),
        BinOp::Div => math.divide(a, b, &mut status),
        BinOp::FloorDiv => math.divide_int(a, b, &mut status),
        BinOp::Mod => math.remainder(a, b, &mut status),
        BinOp::Pow => {
            heap::charge((a.coefficient.bits().min(1 << 20) / 64) as usize);
            rare::power(vm, &math, a, b, &mut status)?
        }
        BinOp::DivMod => {
            let (q, r) = math.divmod(a, b, &mut status);
            context.settle(vm, status)?;
            return Ok(Tuple::value(vec![value(q), value(r)]));
        }
        _ => return Ok(Value::NOT_IMPLEMENTED),
    };
    context.settle(vm, status)?;
    Ok(value(result))
}

/// `a op b`
pub(super) fn binary(vm: &mut Vm, op: BinOp, a: &Value, b: &Value) -> R {
    if let (Some(x), Some(y)) = (a.as_ref::<Decimal>(), b.as_ref::<Decimal>()) {
        let context = context::current(vm)?;
        return arithmetic(vm, &context, op, &x.number, &y.number);
    }
    let (Some(x), Some(y)) = (operand(a), operand(b)) else {
        return Ok(Value::NOT_IMPLEMENTED);
    };
    let context = context::current(vm)?;
    arithmetic(vm, &context, op, &x, &y)
}

/// `+v`, `-v`, `abs(v)`
pub(super) fn unary(vm: &mut Vm, op: UnOp, v: &Value) -> R {
    let context = context::current(vm)?;
    let n = number(v);
    match op {
        UnOp::Neg => within(vm, &context, |m, s| m.minus(n, s)),
        UnOp::Pos => within(vm, &context, |m, s| m.plus(n, s)),
        UnOp::Abs => within(vm, &context, |m, s| m.abs(n, s)),
        UnOp::Invert => Err(vm.no_unary(op, v)),
    }
}

/// `pow(a, b, c)`; `NotImplemented` when one is no number of a fitting kind.
pub(crate) fn power_modulo(vm: &mut Vm, a: &Value, b: &Value, c: &Value) -> R {
    let (Some(x), Some(y), Some(z)) = (operand(a), operand(b), operand(c)) else {
        return Ok(Value::NOT_IMPLEMENTED);
    };
    let context = context::current(vm)?;
    modular(vm, &context, &x, &y, &z)
}

/// `pow(a, b, c)` in a context.
pub(super) fn modular(
    vm: &mut Vm,
    context: &Ref<Context>,
    a: &Number,
    b: &Number,
    c: &Number,
) -> R {
    let work = c.coefficient.bits() / 64 * (b.coefficient.bits() + 1);
    heap::charge((work / 16).min(1 << 20) as usize);
    within(vm, context, |m, s| m.power_modulo(a, b, c, s))
}
