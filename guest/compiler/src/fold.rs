//! Constant folding: operators applied to constants at compile time, within CPython's size limits.
//!
//! What would raise, or give a large result, is left to run time.

use crate::code::Const;
use crate::constant::truth;
use coldframe_frontend::ast::{Operator, UnaryOp};

/// Results beyond so many bits are not folded.
const MAX_INT_BITS: u32 = 126;
/// Longest `str` or `bytes` that repetition or concatenation makes.
const MAX_STR: usize = 4096;
/// Longest tuple that repetition makes.
const MAX_TUPLE: usize = 256;

fn int(constant: &Const) -> Option<i128> {
    match constant {
        Const::Int(value) => Some(i128::from(*value)),
        Const::Bool(value) => Some(i128::from(*value)),
        Const::BigInt(text) => text.parse().ok(),
        _ => None,
    }
}

fn from_int(value: i128) -> Option<Const> {
    if let Ok(value) = i64::try_from(value) {
        return Some(Const::Int(value));
    }
    if 128 - value.unsigned_abs().leading_zeros() > MAX_INT_BITS {
        return None;
    }
    Some(Const::BigInt(value.to_string().into()))
}

/// The number as a float, when that is exact or correctly rounded.
fn float(constant: &Const) -> Option<f64> {
    match constant {
        Const::Float(value) => Some(*value),
        Const::Int(value) => Some(*value as f64),
        Const::Bool(value) => Some(f64::from(u8::from(*value))),
        _ => None,
    }
}

fn complex(constant: &Const) -> Option<(f64, f64)> {
    match constant {
        Const::Complex(real, imag) => Some((*real, *imag)),
        other => float(other).map(|real| (real, 0.0)),
    }
}

/// `op operand`, or `None` when it is not folded.
pub(crate) fn unary(op: UnaryOp, operand: &Const) -> Option<Const> {
    match op {
        UnaryOp::Not => match operand {
            Const::Code(_) => None,
            operand => Some(Const::Bool(!truth(operand))),
        },
        UnaryOp::USub => match operand {
            Const::Float(value) => Some(Const::Float(-value)),
            Const::Complex(real, imag) => Some(Const::Complex(-real, -imag)),
            Const::BigInt(text) => Some(match text.strip_prefix('-') {
                Some(digits) => Const::BigInt(digits.into()),
                None if &**text == "9223372036854775808" => Const::Int(i64::MIN),
                None => Const::BigInt(format!("-{text}").into()),
            }),
            operand => from_int(-int(operand)?),
        },
        UnaryOp::UAdd => match operand {
            Const::Float(_) | Const::Complex(..) | Const::BigInt(_) => Some(operand.clone()),
            operand => from_int(int(operand)?),
        },
        // `~True` warns at run time.
        UnaryOp::Invert => match operand {
            Const::Bool(_) => None,
            operand => from_int(!int(operand)?),
        },
    }
}

/// `left op right`, or `None` when it is not folded.
pub(crate) fn binary(op: Operator, left: &Const, right: &Const) -> Option<Const> {
    if let (Const::Bool(left), Const::Bool(right)) = (left, right) {
        // The logical operators keep truth values.
        match op {
            Operator::BitAnd => return Some(Const::Bool(left & right)),
            Operator::BitOr => return Some(Const::Bool(left | right)),
            Operator::BitXor => return Some(Const::Bool(left ^ right)),
            _ => {}
        }
    }
    if let (Some(left), Some(right)) = (int(left), int(right)) {
        return integers(op, left, right);
    }
    if let (Some(left), Some(right)) = (float(left), float(right)) {
        return floats(op, left, right);
    }
    if let Some(folded) = sequences(op, left, right) {
        return Some(folded);
    }
    match (left, right) {
        (Const::Complex(..), _) | (_, Const::Complex(..)) => {
            complexes(op, left, right, complex(left)?, complex(right)?)
        }
        _ => None,
    }
}

fn integers(op: Operator, left: i128, right: i128) -> Option<Const> {
    let value = match op {
        Operator::Add => left.checked_add(right)?,
        Operator::Sub => left.checked_sub(right)?,
        Operator::Mult => left.checked_mul(right)?,
        Operator::FloorDiv if right != 0 => {
            let quotient = left.checked_div(right)?;
            if left % right != 0 && (left < 0) != (right < 0) {
                quotient - 1
            } else {
                quotient
            }
        }
        Operator::Mod if right != 0 => {
            let rest = left.checked_rem(right)?;
            if rest != 0 && (rest < 0) != (right < 0) {
                rest + right
            } else {
                rest
            }
        }
        Operator::Div if right != 0 => {
            // Exact operands only: then the quotient of the floats is correctly rounded.
            const EXACT: u128 = 1 << 53;
            if left.unsigned_abs() > EXACT || right.unsigned_abs() > EXACT {
                return None;
            }
            return Some(Const::Float(left as f64 / right as f64));
        }
        Operator::Pow => left.checked_pow(u32::try_from(right).ok()?)?,
        Operator::LShift => {
            let bits = u32::try_from(right).ok().filter(|bits| *bits < 126)?;
            left.checked_mul(1i128.checked_shl(bits)?)?
        }
        Operator::RShift => {
            let bits = u32::try_from(right).ok()?;
            left >> bits.min(127)
        }
        Operator::BitAnd => left & right,
        Operator::BitOr => left | right,
        Operator::BitXor => left ^ right,
        _ => return None,
    };
    from_int(value)
}

fn floats(op: Operator, left: f64, right: f64) -> Option<Const> {
    let value = match op {
        Operator::Add => left + right,
        Operator::Sub => left - right,
        Operator::Mult => left * right,
        Operator::Div if right != 0.0 => left / right,
        _ => return None,
    };
    Some(Const::Float(value))
}

/// Sums with an imaginary literal, as in `1 + 2j`. A real operand has no imaginary part whose sign could matter.
fn complexes(
    op: Operator,
    left: &Const,
    right: &Const,
    (a, b): (f64, f64),
    (c, d): (f64, f64),
) -> Option<Const> {
    let both = matches!((left, right), (Const::Complex(..), Const::Complex(..)));
    match op {
        Operator::Add if both => Some(Const::Complex(a + c, b + d)),
        Operator::Sub if both => Some(Const::Complex(a - c, b - d)),
        Operator::Add if matches!(left, Const::Complex(..)) => Some(Const::Complex(a + c, b)),
        Operator::Add => Some(Const::Complex(a + c, d)),
        Operator::Sub if matches!(left, Const::Complex(..)) => Some(Const::Complex(a - c, b)),
        Operator::Sub => Some(Const::Complex(a - c, -d)),
        _ => None,
    }
}

fn sequences(op: Operator, left: &Const, right: &Const) -> Option<Const> {
    match (op, left, right) {
        (Operator::Add, Const::Str(left), Const::Str(right)) => {
            // Two halves of a surrogate pair would have to be joined: left to run time.
            let halves =
                left.len() >= 3 && left[left.len() - 3] == 0xed && right.first() == Some(&0xed);
            (left.len() + right.len() <= MAX_STR && !halves)
                .then(|| Const::Str([&**left, &**right].concat().into()))
        }
        (Operator::Add, Const::Bytes(left), Const::Bytes(right)) => (left.len() + right.len()
            <= MAX_STR)
            .then(|| Const::Bytes([&**left, &**right].concat().into())),
        (Operator::Add, Const::Tuple(left), Const::Tuple(right)) => (left.len() + right.len()
            <= MAX_TUPLE)
            .then(|| Const::Tuple([&**left, &**right].concat().into())),
        (
            Operator::Mult,
            Const::Int(_) | Const::Bool(_),
            Const::Str(_) | Const::Bytes(_) | Const::Tuple(_),
        ) => sequences(op, right, left),
        (Operator::Mult, Const::Str(text), count) => {
            let count = times(count, text.len(), MAX_STR)?;
            let halves = text.contains(&0xed);
            (!halves).then(|| Const::Str(text.repeat(count).into()))
        }
        (Operator::Mult, Const::Bytes(text), count) => {
            let count = times(count, text.len(), MAX_STR)?;
            Some(Const::Bytes(text.repeat(count).into()))
        }
        (Operator::Mult, Const::Tuple(items), count) => {
            let count = times(count, items.len(), MAX_TUPLE)?;
            let weight: usize = items.iter().map(weight).sum();
            if weight * count > MAX_STR {
                return None;
            }
            let repeated =
                std::iter::repeat_n(items, count).flat_map(|items| items.iter().cloned());
            Some(Const::Tuple(repeated.collect()))
        }
        _ => None,
    }
}

/// How many constants a constant is made of.
fn weight(constant: &Const) -> usize {
    match constant {
        Const::Tuple(items) | Const::FrozenSet(items) => {
            1 + items.iter().map(weight).sum::<usize>()
        }
        _ => 1,
    }
}

fn times(count: &Const, length: usize, limit: usize) -> Option<usize> {
    let count = usize::try_from(int(count)?.max(0)).ok()?;
    (length.checked_mul(count)? <= limit).then_some(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn divides_like_python() {
        let fold = |op, left, right| binary(op, &Const::Int(left), &Const::Int(right));
        assert_eq!(fold(Operator::FloorDiv, -7, 2), Some(Const::Int(-4)));
        assert_eq!(fold(Operator::Mod, -7, 2), Some(Const::Int(1)));
        assert_eq!(fold(Operator::Mod, 7, -2), Some(Const::Int(-1)));
        assert_eq!(fold(Operator::Div, 1, 0), None);
        assert_eq!(
            fold(Operator::Pow, 2, 64),
            Some(Const::BigInt("18446744073709551616".into()))
        );
        assert_eq!(fold(Operator::Pow, 2, 4000), None);
        assert_eq!(fold(Operator::Pow, 2, -1), None);
    }

    #[test]
    fn repeats_within_limits() {
        let text = Const::Str((*b"ab").into());
        assert_eq!(
            binary(Operator::Mult, &text, &Const::Int(2)),
            Some(Const::Str((*b"abab").into()))
        );
        assert_eq!(binary(Operator::Mult, &text, &Const::Int(5000)), None);
    }
}
