//! Operators of `timedelta`.

use super::calendar::{Span, TooLong};
use super::delta::{checked, span_of, value};
use crate::names;
use crate::objects::float::Float;
use crate::objects::slots::{BinOp, CmpOp, UnOp};
use crate::objects::tuple::Tuple;
use crate::value::Value;
use crate::vm::ops::class_of;
use crate::vm::{R, Vm};
use coldframe_numeric::{BigInt, rational};
use num_traits::{Signed, ToPrimitive};

/// The operators; durations with durations, and with numbers where that makes sense.
pub(super) fn binary(vm: &mut Vm, op: BinOp, a: &Value, b: &Value) -> R {
    match (span_of(a), span_of(b)) {
        (Some(x), Some(y)) => with_span(vm, op, x, y),
        (Some(x), None) => with_number(vm, op, x, b),
        (None, Some(y)) if op == BinOp::Mul => with_number(vm, op, y, a),
        _ => Ok(Value::NOT_IMPLEMENTED),
    }
}

/// Order; equal only to durations.
pub(super) fn compare(_: &mut Vm, a: &Value, b: &Value, op: CmpOp) -> R {
    match (span_of(a), span_of(b)) {
        (Some(x), Some(y)) => Ok(Value::bool(op.holds(x.cmp(&y)))),
        _ => Ok(Value::NOT_IMPLEMENTED),
    }
}

/// `-`, `+` and `abs`.
pub(super) fn unary(vm: &mut Vm, op: UnOp, v: &Value) -> R {
    let Some(x) = span_of(v) else {
        return Ok(Value::NOT_IMPLEMENTED);
    };
    match op {
        UnOp::Neg => made(vm, x.negated()),
        UnOp::Abs if x.days < 0 => made(vm, x.negated()),
        UnOp::Pos | UnOp::Abs => Ok(value(x)),
        UnOp::Invert => Err(vm.no_unary(op, v)),
    }
}

fn made(vm: &mut Vm, span: Result<Span, TooLong>) -> R {
    checked(vm, span).map(value)
}

fn int_value(i: i128) -> Value {
    match i64::try_from(i) {
        Ok(i) => Value::int(i),
        Err(_) => Value::bigint(BigInt::from(i)),
    }
}

fn with_span(vm: &mut Vm, op: BinOp, x: Span, y: Span) -> R {
    match op {
        BinOp::Add => return made(vm, x.plus(y)),
        BinOp::Sub => return made(vm, x.minus(y)),
        BinOp::Div | BinOp::FloorDiv | BinOp::Mod | BinOp::DivMod => {}
        _ => return Ok(Value::NOT_IMPLEMENTED),
    }
    let (p, q) = (x.total(), y.total());
    if q == 0 {
        return Err(vm.zero_division_error("division by zero"));
    }
    match op {
        BinOp::Div => ratio(vm, p, q),
        BinOp::FloorDiv => Ok(int_value(floor_div(p, q))),
        BinOp::Mod => made(vm, Span::of_microseconds(floor_mod(p, q))),
        _ => {
            let rest = made(vm, Span::of_microseconds(floor_mod(p, q)))?;
            Ok(Tuple::value(vec![int_value(floor_div(p, q)), rest]))
        }
    }
}

/// `p / q` as a float, correctly rounded.
fn ratio(vm: &mut Vm, p: i128, q: i128) -> R {
    let exact = 1 << 53;
    let f = if p.unsigned_abs() <= exact && q.unsigned_abs() <= exact {
        p as f64 / q as f64
    } else {
        let result = rational::true_divide(&BigInt::from(p), &BigInt::from(q));
        vm.numeric(result)?
    };
    Ok(Value::float(f))
}

fn floor_div(p: i128, q: i128) -> i128 {
    let quotient = p / q;
    if p % q != 0 && (p < 0) != (q < 0) {
        quotient - 1
    } else {
        quotient
    }
}

fn floor_mod(p: i128, q: i128) -> i128 {
    let rest = p % q;
    if rest != 0 && (rest < 0) != (q < 0) {
        rest + q
    } else {
        rest
    }
}

/// `p / q` rounded to the nearest integer, and to the even one of two.
fn nearest(p: i128, q: i128) -> i128 {
    let quotient = floor_div(p, q);
    let rest = floor_mod(p, q).unsigned_abs();
    // The rest is compared with what is missing to the next integer: nothing can overflow so.
    match rest.cmp(&(q.unsigned_abs() - rest)) {
        std::cmp::Ordering::Greater => quotient + 1,
        std::cmp::Ordering::Equal if quotient & 1 != 0 => quotient + 1,
        _ => quotient,
    }
}

/// As [`nearest`], without limits.
fn nearest_big(p: &BigInt, q: &BigInt) -> BigInt {
    let (p, q) = if q.is_negative() {
        (-p, -q)
    } else {
        (p.clone(), q.clone())
    };
    // Truncation of twice the fraction, from below: floor(p/q + 1/2), then the odd one of two exact halves goes down.
    let doubled: BigInt = &p * 2 + &q;
    let divisor: BigInt = &q * 2;
    let mut quotient: BigInt = &doubled / &divisor;
    let rest = &doubled % &divisor;
    if rest.is_negative() {
        quotient -= 1;
    }
    if rest == BigInt::default() && quotient.bit(0) {
        quotient -= 1;
    }
    quotient
}

fn with_number(vm: &mut Vm, op: BinOp, x: Span, number: &Value) -> R {
    if !matches!(op, BinOp::Mul | BinOp::Div | BinOp::FloorDiv) {
        return Ok(Value::NOT_IMPLEMENTED);
    }
    let total = x.total();
    if let Some(i) = number.as_int() {
        let i = match i.to_i64() {
            Some(i) => Some(i128::from(i)),
            None => i.to_big().to_i128(),
        };
        return made(vm, {
            match (op, i) {
                (BinOp::Mul, Some(i)) => total
                    .checked_mul(i)
                    .ok_or(TooLong::Beyond)
                    .and_then(Span::of_microseconds),
                (BinOp::Mul, None) if total == 0 => Ok(Span::ZERO),
                (BinOp::Mul, None) => Err(TooLong::Beyond),
                (_, Some(0)) => {
                    return Err(vm.zero_division_error("division by zero"));
                }
                (BinOp::Div, Some(i)) => Span::of_microseconds(nearest(total, i)),
                (_, Some(i)) => Span::of_microseconds(floor_div(total, i)),
                // The divisor is larger than any duration.
                (BinOp::Div, None) => Ok(Span::ZERO),
                (_, None) => {
                    let negative = number.as_int().is_some_and(|i| i.is_negative());
                    let below = total != 0 && negative != (total < 0);
                    Span::of_microseconds(if below { -1 } else { 0 })
                }
            }
        });
    }
    let Some(f) = number.as_any_float() else {
        return Ok(Value::NOT_IMPLEMENTED);
    };
    if op == BinOp::FloorDiv {
        return Ok(Value::NOT_IMPLEMENTED);
    }
    let multiply = op == BinOp::Mul;
    if number.is_float() || number.is_exact::<Float>() {
        return match small_ratio(f) {
            Some((0, _)) if !multiply => Err(vm.zero_division_error("division by zero")),
            Some((p, q)) => {
                let (p, q) = if multiply { (p, q) } else { (q, p) };
                made(vm, Span::of_microseconds(nearest(total * p, q)))
            }
            None => {
                let ratio = rational::as_integer_ratio(f);
                let ratio = vm.numeric(ratio)?;
                by_ratio(vm, multiply, total, ratio)
            }
        };
    }
    // A subclass of `float` may see itself as another ratio.
    let ratio = vm.call_method(number, &names::intern("as_integer_ratio"), &[])?;
    let Some(ratio) = ratio.as_ref::<Tuple>().cloned() else {
        return Err(vm.type_error(format!(
            "unexpected return type from as_integer_ratio(): expected tuple, not '{}'",
            class_of(&ratio).name()
        )));
    };
    let [p, q] = ratio.items() else {
        return Err(vm.value_error("as_integer_ratio() must return a 2-tuple"));
    };
    let ratio = (vm.index_big(p)?, vm.index_big(q)?);
    by_ratio(vm, multiply, total, ratio)
}

/// The duration of so many microseconds times or divided by a ratio.
fn by_ratio(vm: &mut Vm, multiply: bool, total: i128, (p, q): (BigInt, BigInt)) -> R {
    let (p, q) = if multiply { (p, q) } else { (q, p) };
    if q == BigInt::default() {
        return Err(vm.zero_division_error("division by zero"));
    }
    made(vm, big_span(&nearest_big(&(p * total), &q)))
}

fn big_span(total: &BigInt) -> Result<Span, TooLong> {
    total
        .to_i128()
        .ok_or(TooLong::Beyond)
        .and_then(Span::of_microseconds)
}

/// The float as the ratio of two integers, when they are small enough for products with any duration.
fn small_ratio(f: f64) -> Option<(i128, i128)> {
    if f == 0.0 {
        return Some((0, 1));
    }
    let bits = f.to_bits();
    let exponent = (bits >> 52 & 0x7FF) as i32;
    if exponent == 0 || exponent == 0x7FF {
        return None;
    }
    let mantissa = (bits & ((1 << 52) - 1) | 1 << 52) as i64;
    let zeros = mantissa.trailing_zeros() as i32;
    let (mantissa, exponent) = (i128::from(mantissa >> zeros), exponent - 1075 + zeros);
    let mantissa = if f < 0.0 { -mantissa } else { mantissa };
    // Durations have 67 bits.
    match exponent {
        -59..=0 => Some((mantissa, 1 << -exponent)),
        1.. if exponent < 59 - (53 - zeros).max(0) => Some((mantissa << exponent, 1)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_is_even_between_two() {
        for p in -50..50i128 {
            for q in [-7, -6, -4, -2, -1, 1, 2, 4, 6, 7i128] {
                let big = nearest_big(&BigInt::from(p), &BigInt::from(q));
                assert_eq!(BigInt::from(nearest(p, q)), big, "{p} / {q}");
            }
        }
        assert_eq!(nearest(5, 2), 2);
        assert_eq!(nearest(-7, 2), -4);
        assert_eq!(nearest(3, -2), -2);
    }

    #[test]
    fn floats_are_ratios() {
        for f in [0.5, -0.1, 3.0, 1e10, 1.5e-5, 123_456.789] {
            if let Some((p, q)) = small_ratio(f) {
                assert_eq!(p as f64 / q as f64, f);
            }
        }
        assert_eq!(small_ratio(f64::NAN), None);
        assert_eq!(small_ratio(1e-300), None);
    }
}
