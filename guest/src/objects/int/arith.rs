//! Integer arithmetic: the binary and unary operators and comparison, for `int`, `bool` and their subclasses.
//!
//! Numbers of 64 bits are computed with as such (128 bits where needed), others as big integers; results whose size would be absurd are refused
//! before they are computed.

use super::IntRef;
use crate::objects::slots::{BinOp, CmpOp, UnOp};
use crate::objects::tuple::Tuple;
use crate::value::Value;
use crate::vm::{R, Vm};
use coldframe_numeric::{BigInt, Sign, complex_ops, float_ops, int_ops, rational, size};
use num_traits::{Signed, ToPrimitive, Zero};

/// `x op y` of integers; `NotImplemented` unless both are.
pub fn binary(vm: &mut Vm, op: BinOp, a: &Value, b: &Value) -> R {
    let (Some(x), Some(y)) = (a.as_int(), b.as_int()) else {
        return Ok(Value::NOT_IMPLEMENTED);
    };
    match (x.to_i64(), y.to_i64()) {
        (Some(x), Some(y)) => small(vm, op, x, y),
        (None, Some(y)) => big_small(vm, op, &x.as_big(), y),
        (_, None) => big(vm, op, &x.as_big(), &y.as_big()),
    }
}

/// `x op y` of booleans: `& | ^` give a boolean, everything else is arithmetic of integers.
pub fn bool_binary(vm: &mut Vm, op: BinOp, a: &Value, b: &Value) -> R {
    if let (Some(x), Some(y)) = (a.as_bool(), b.as_bool()) {
        match op {
            BinOp::And => return Ok(Value::bool(x & y)),
            BinOp::Or => return Ok(Value::bool(x | y)),
            BinOp::Xor => return Ok(Value::bool(x ^ y)),
            _ => {}
        }
    }
    binary(vm, op, a, b)
}

fn wide(i: i128) -> Value {
    match i64::try_from(i) {
        Ok(i) => Value::int(i),
        Err(_) => Value::bigint(BigInt::from(i)),
    }
}

#[cold]
fn division_by_zero(vm: &mut Vm) -> crate::vm::Raised {
    vm.zero_division_error("division by zero")
}

fn small(vm: &mut Vm, op: BinOp, x: i64, y: i64) -> R {
    Ok(match op {
        BinOp::Add => wide(x as i128 + y as i128),
        BinOp::Sub => wide(x as i128 - y as i128),
        BinOp::Mul => wide(x as i128 * y as i128),
        BinOp::And => Value::int(x & y),
        BinOp::Or => Value::int(x | y),
        BinOp::Xor => Value::int(x ^ y),
        BinOp::Div => {
            let q = rational::true_divide_i64(x, y);
            Value::float(vm.numeric(q)?)
        }
        BinOp::FloorDiv | BinOp::Mod | BinOp::DivMod if y == 0 => return Err(division_by_zero(vm)),
        BinOp::FloorDiv => floor_quotient(x, y),
        BinOp::Mod => Value::int(int_ops::modulo_i64(x, y)),
        BinOp::DivMod => Tuple::value(vec![
            floor_quotient(x, y),
            Value::int(int_ops::modulo_i64(x, y)),
        ]),
        BinOp::Shl if y >= 0 => {
            if x == 0 {
                return Ok(Value::small_int(0));
            }
            let bits = 64 - x.unsigned_abs().leading_zeros();
            vm.check_int_bits(size::shl_bits(bits as u64, y as u64))?;
            int_ops::shl_i64(x, y as u64).into()
        }
        BinOp::Shr if y >= 0 => Value::int(int_ops::shr_i64(x, y as u64)),
        BinOp::Shl | BinOp::Shr => return Err(vm.value_error("negative shift count")),
        BinOp::Pow if y < 0 => return negative_power(vm, &BigInt::from(x), &BigInt::from(y)),
        BinOp::Pow => {
            if y > 64 {
                check_power(vm, &BigInt::from(x), &BigInt::from(y))?;
            }
            int_ops::pow_i64(x, y as u64).into()
        }
        BinOp::MatMul => Value::NOT_IMPLEMENTED,
    })
}

fn floor_quotient(x: i64, y: i64) -> Value {
    match int_ops::floor_div_i64(x, y) {
        Some(q) => Value::int(q),
        // Only the smallest number divided by -1 gets here.
        None => wide(-(x as i128)),
    }
}

/// The low 64 bits of two's complement.
fn low_word(x: &BigInt) -> u64 {
    let word = x.iter_u64_digits().next().unwrap_or(0);
    if x.sign() == Sign::Minus {
        word.wrapping_neg()
    } else {
        word
    }
}

/// A big number and one of 64 bits: most operators need no second big number.
fn big_small(vm: &mut Vm, op: BinOp, x: &BigInt, y: i64) -> R {
    vm.check_int_bits(x.bits())?;
    Ok(match op {
        BinOp::Add => Value::bigint(x + y),
        BinOp::Sub => Value::bigint(x - y),
        BinOp::Mul => Value::bigint(x * y),
        BinOp::FloorDiv if y > 0 && x.is_positive() => Value::bigint(x / y as u64),
        BinOp::Mod if y != 0 && y != i64::MIN => {
            let r = (x % y).to_i64().unwrap_or(0);
            Value::int(if r != 0 && (r < 0) != (y < 0) {
                r + y
            } else {
                r
            })
        }
        BinOp::And if y >= 0 => Value::int((low_word(x) & y as u64) as i64),
        BinOp::Shl if y >= 0 => {
            vm.check_int_bits(size::shl_bits(x.bits(), y as u64))?;
            Value::bigint(x << y as u64)
        }
        BinOp::Shr if y >= 0 => Value::bigint(int_ops::shr(x, y as u64)),
        BinOp::Pow if y >= 0 => {
            check_power(vm, x, &BigInt::from(y))?;
            Value::bigint(int_ops::pow(x, y as u64))
        }
        _ => return big(vm, op, x, &BigInt::from(y)),
    })
}

fn big(vm: &mut Vm, op: BinOp, x: &BigInt, y: &BigInt) -> R {
    vm.check_int_bits(x.bits().max(y.bits()))?;
    charge_product(x.bits(), y.bits());
    Ok(match op {
        BinOp::Add => Value::bigint(x + y),
        BinOp::Sub => Value::bigint(x - y),
        BinOp::Mul => {
            vm.check_product_bits(size::mul_bits(x.bits(), y.bits()))?;
            Value::bigint(x * y)
        }
        // A mask of 64 bits is what hashes and generators use.
        BinOp::And if y.sign() == Sign::Plus && y.bits() <= 64 => {
            Value::bigint(BigInt::from(low_word(x) & low_word(y)))
        }
        BinOp::And => Value::bigint(x & y),
        BinOp::Or => Value::bigint(x | y),
        BinOp::Xor => Value::bigint(x ^ y),
        BinOp::Div => {
            let q = rational::true_divide(x, y);
            Value::float(vm.numeric(q)?)
        }
        BinOp::FloorDiv => {
            let q = int_ops::floor_div(x, y);
            Value::bigint(vm.numeric(q)?)
        }
        BinOp::Mod => {
            let r = int_ops::modulo(x, y);
            Value::bigint(vm.numeric(r)?)
        }
        BinOp::DivMod => {
            let both = int_ops::divmod(x, y);
            let (q, r) = vm.numeric(both)?;
            Tuple::value(vec![Value::bigint(q), Value::bigint(r)])
        }
        BinOp::Shl | BinOp::Shr => {
            let count = int_ops::shift_count(y);
            match (vm.numeric(count)?, op) {
                (_, BinOp::Shl) if x.is_zero() => Value::small_int(0),
                (Some(n), BinOp::Shl) if n <= i64::MAX as u64 => {
                    vm.check_int_bits(size::shl_bits(x.bits(), n))?;
                    Value::bigint(x << n)
                }
                (_, BinOp::Shl) => return Err(vm.overflow_error("too many digits in integer")),
                (Some(n), _) => Value::bigint(int_ops::shr(x, n)),
                (None, _) => Value::small_int(if x.sign() == Sign::Minus { -1 } else { 0 }),
            }
        }
        BinOp::Pow if y.sign() == Sign::Minus => return negative_power(vm, x, y),
        BinOp::Pow => {
            check_power(vm, x, y)?;
            match y.to_u64() {
                Some(n) => Value::bigint(int_ops::pow(x, n)),
                // Only 0, 1 and -1 have powers of moderate size with such exponents.
                None if x.sign() == Sign::Minus && !y.bit(0) => Value::small_int(1),
                None => Value::bigint(x.clone()),
            }
        }
        BinOp::MatMul => Value::NOT_IMPLEMENTED,
    })
}

/// Refuses powers that are too large. Those of powers of two are shifts, others are products.
fn check_power(vm: &mut Vm, x: &BigInt, y: &BigInt) -> R<()> {
    let bits = size::pow_bits(x, y);
    if x.magnitude().count_ones() == 1 {
        vm.check_int_bits(bits)
    } else {
        vm.check_product_bits(bits)
    }
}

/// `x ** y` with a negative exponent is the power of the two as floats.
fn negative_power(vm: &mut Vm, x: &BigInt, y: &BigInt) -> R {
    let (x, y) = (rational::to_float(x), rational::to_float(y));
    let (x, y) = (vm.numeric(x)?, vm.numeric(y)?);
    float_power(vm, x, y)
}

/// `x ** y` of floats: complex for a broken power of a negative number.
pub fn float_power(vm: &mut Vm, x: f64, y: f64) -> R {
    let result = float_ops::pow(x, y);
    if let Some(p) = vm.numeric(result)? {
        return Ok(Value::float(p));
    }
    let result = complex_ops::pow(
        complex_ops::Complex::new(x, 0.0),
        complex_ops::Complex::new(y, 0.0),
    );
    let z = vm.numeric(result)?;
    Ok(crate::objects::complex::Complex::value(z.re, z.im))
}

/// Counts a product (or a quotient) of numbers of so many bits as work.
pub fn charge_product(m: u64, n: u64) {
    crate::heap::charge(((m >> 6).saturating_mul(n >> 6) >> 8) as usize);
}

/// `pow(base, exponent, modulus)` of integers.
pub fn power_modulo(vm: &mut Vm, base: IntRef, exponent: IntRef, modulus: IntRef) -> R {
    if let (Some(b), Some(e), Some(m)) = (base.to_i64(), exponent.to_i64(), modulus.to_i64()) {
        let power = int_ops::mod_pow_i64(b, e, m);
        return Ok(Value::int(vm.numeric(power)?));
    }
    let bits = modulus.as_big().bits();
    charge_product(bits, bits.saturating_mul(exponent.as_big().bits()));
    let power = int_ops::mod_pow(&base.as_big(), &exponent.as_big(), &modulus.as_big());
    Ok(Value::bigint(vm.numeric(power)?))
}

/// An exact `int` with the number of `v`, which is `v` itself if it is one.
pub fn exact(v: &Value) -> Value {
    if v.is_exact_int() {
        v.clone()
    } else {
        v.as_int().map_or(Value::NOT_IMPLEMENTED, |i| i.to_value())
    }
}

/// `-x` and the others.
pub fn unary(_: &mut Vm, op: UnOp, v: &Value) -> R {
    let Some(x) = v.as_int() else {
        return Ok(Value::NOT_IMPLEMENTED);
    };
    if let Some(i) = x.to_i64() {
        let result = match op {
            UnOp::Pos => i as i128,
            UnOp::Neg => -(i as i128),
            UnOp::Abs => (i as i128).abs(),
            UnOp::Invert => !(i as i128),
        };
        return Ok(if op == UnOp::Pos {
            exact(v)
        } else {
            wide(result)
        });
    }
    let x = x.as_big();
    Ok(match op {
        UnOp::Pos => exact(v),
        UnOp::Abs if x.sign() == Sign::Plus => exact(v),
        UnOp::Neg | UnOp::Abs => Value::bigint(-x.as_ref()),
        UnOp::Invert => Value::bigint(!x.as_ref()),
    })
}

/// `a op b` of integers; `NotImplemented` for anything else.
pub fn compare(_: &mut Vm, a: &Value, b: &Value, op: CmpOp) -> R {
    let (Some(x), Some(y)) = (a.as_int(), b.as_int()) else {
        return Ok(Value::NOT_IMPLEMENTED);
    };
    let order = match (x, y) {
        (IntRef::Small(x), IntRef::Small(y)) => x.cmp(&y),
        (IntRef::Big(x), IntRef::Big(y)) => x.cmp(y),
        (x, y) => match (x.to_i64(), y.to_i64()) {
            (Some(x), Some(y)) => x.cmp(&y),
            _ => x.as_big().cmp(&y.as_big()),
        },
    };
    Ok(Value::bool(op.holds(order)))
}

/// `hash(v)`
pub fn hash(_: &mut Vm, v: &Value) -> R<i64> {
    Ok(match v.as_int() {
        Some(IntRef::Small(i)) => coldframe_numeric::hash::hash_i64(i),
        Some(IntRef::Big(b)) => coldframe_numeric::hash::hash_int(b),
        None => 0,
    })
}
