//! Constants: equality for merging them, and literals of the source as constants.

use std::hash::{Hash, Hasher};

use coldframe_frontend::ast::{Int, Number};

use crate::code::Const;

/// A constant compared by type and bits: `1`, `1.0` and `True` stay apart, and so do `0.0` and `-0.0`.
pub(crate) struct ConstKey(pub Const);

impl PartialEq for ConstKey {
    fn eq(&self, other: &ConstKey) -> bool {
        same(&self.0, &other.0)
    }
}

impl Eq for ConstKey {}

fn same(left: &Const, right: &Const) -> bool {
    match (left, right) {
        (Const::Float(left), Const::Float(right)) => left.to_bits() == right.to_bits(),
        (Const::Complex(left, left_imag), Const::Complex(right, right_imag)) => {
            left.to_bits() == right.to_bits() && left_imag.to_bits() == right_imag.to_bits()
        }
        (Const::Tuple(left), Const::Tuple(right))
        | (Const::FrozenSet(left), Const::FrozenSet(right)) => {
            left.len() == right.len()
                && left
                    .iter()
                    .zip(right)
                    .all(|(left, right)| same(left, right))
        }
        (Const::Code(_), _) | (_, Const::Code(_)) => false,
        (left, right) => left == right,
    }
}

impl Hash for ConstKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        hash(&self.0, state);
    }
}

fn hash<H: Hasher>(constant: &Const, state: &mut H) {
    std::mem::discriminant(constant).hash(state);
    match constant {
        Const::None | Const::Ellipsis | Const::Code(_) => {}
        Const::Bool(value) => value.hash(state),
        Const::Int(value) => value.hash(state),
        Const::BigInt(value) => value.hash(state),
        Const::Float(value) => value.to_bits().hash(state),
        Const::Complex(real, imag) => {
            real.to_bits().hash(state);
            imag.to_bits().hash(state);
        }
        Const::Str(value) | Const::Bytes(value) => value.hash(state),
        Const::Tuple(items) | Const::FrozenSet(items) => {
            items.len().hash(state);
            items.iter().for_each(|item| hash(item, state));
        }
    }
}

/// A number literal.
pub fn number(number: &Number) -> Const {
    match number {
        Number::Int(value) => integer(value),
        Number::Float(value) => Const::Float(*value),
        Number::Complex { real, imag } => Const::Complex(*real, *imag),
    }
}

fn integer(value: &Int) -> Const {
    if let Some(value) = value.as_i64() {
        return Const::Int(value);
    }
    if let Some(value) = value.as_u64() {
        return Const::BigInt(value.to_string().into());
    }
    // Too large for the parser: its source text, in whatever base.
    let text: String = value
        .to_string()
        .chars()
        .filter(|char| *char != '_')
        .collect();
    let lower = text.to_ascii_lowercase();
    let digits = match lower.split_at_checked(2) {
        Some(("0x", digits)) => decimal(digits, 16),
        Some(("0o", digits)) => decimal(digits, 8),
        Some(("0b", digits)) => decimal(digits, 2),
        _ => {
            let digits = lower.trim_start_matches('0');
            if digits.is_empty() { "0" } else { digits }.to_owned()
        }
    };
    Const::BigInt(digits.into())
}

/// Digits in base 2, 8 or 16 as decimal digits: schoolbook, nine decimal digits at a time.
fn decimal(digits: &str, base: u32) -> String {
    const LIMB: u64 = 1_000_000_000;
    // Little-endian limbs in base 10^9, multiplied up by as many source digits as fit 32 bits.
    let per_step = match base {
        2 => 31,
        8 => 10,
        _ => 7,
    };
    let mut limbs: Vec<u64> = vec![0];
    let bytes = digits.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let chunk = &bytes[at..bytes.len().min(at + per_step)];
        let mut carry: u64 = 0;
        let mut factor: u64 = 1;
        for &byte in chunk {
            let digit = char::from(byte).to_digit(base).unwrap_or(0);
            carry = carry * u64::from(base) + u64::from(digit);
            factor *= u64::from(base);
        }
        for limb in &mut limbs {
            let value = *limb * factor + carry;
            *limb = value % LIMB;
            carry = value / LIMB;
        }
        while carry > 0 {
            limbs.push(carry % LIMB);
            carry /= LIMB;
        }
        at += per_step;
    }
    let mut text = String::new();
    for (index, limb) in limbs.iter().rev().enumerate() {
        if index == 0 {
            text.push_str(&limb.to_string());
        } else {
            text.push_str(&format!("{limb:09}"));
        }
    }
    text
}

/// The truth of a constant.
pub(crate) fn truth(constant: &Const) -> bool {
    match constant {
        Const::None => false,
        Const::Bool(value) => *value,
        Const::Int(value) => *value != 0,
        Const::BigInt(_) | Const::Ellipsis | Const::Code(_) => true,
        Const::Float(value) => *value != 0.0,
        Const::Complex(real, imag) => *real != 0.0 || *imag != 0.0,
        Const::Str(value) | Const::Bytes(value) => !value.is_empty(),
        Const::Tuple(items) | Const::FrozenSet(items) => !items.is_empty(),
    }
}

/// Text that carries a constant through the tree where no literal denotes it: a tuple or a frozenset, a negative number, a string
/// with surrogates. Trees that come from source have none; those that a program has put together may.
pub fn carry(constant: &Const) -> String {
    let mut text = String::new();
    write(constant, &mut text);
    text
}

fn write(constant: &Const, text: &mut String) {
    let mut hex = |letter: char, bytes: &[u8]| {
        text.push(letter);
        for byte in bytes {
            text.push_str(&format!("{byte:02x}"));
        }
        text.push(';');
    };
    match constant {
        Const::None | Const::Code(_) => text.push('n'),
        Const::Bool(false) => text.push('0'),
        Const::Bool(true) => text.push('1'),
        Const::Ellipsis => text.push('e'),
        Const::Int(value) => text.push_str(&format!("i{value};")),
        Const::BigInt(digits) => text.push_str(&format!("g{digits};")),
        Const::Float(value) => text.push_str(&format!("f{};", value.to_bits())),
        Const::Complex(real, imag) => {
            text.push_str(&format!("c{};{};", real.to_bits(), imag.to_bits()));
        }
        Const::Str(value) => hex('s', value),
        Const::Bytes(value) => hex('b', value),
        Const::Tuple(items) | Const::FrozenSet(items) => {
            let frozen = matches!(constant, Const::FrozenSet(_));
            text.push(if frozen { '{' } else { '(' });
            items.iter().for_each(|item| write(item, text));
            text.push(')');
        }
    }
}

/// The constant in a text of [`carry`].
pub fn carried(text: &str) -> Option<Const> {
    let mut rest = text;
    let constant = read(&mut rest, 0)?;
    rest.is_empty().then_some(constant)
}

fn read(rest: &mut &str, depth: usize) -> Option<Const> {
    fn word<'t>(rest: &mut &'t str) -> Option<&'t str> {
        let (word, after) = rest.split_once(';')?;
        *rest = after;
        Some(word)
    }
    fn bytes(rest: &mut &str) -> Option<Box<[u8]>> {
        let word = word(rest)?;
        (0..word.len() / 2)
            .map(|i| u8::from_str_radix(word.get(2 * i..2 * i + 2)?, 16).ok())
            .collect()
    }
    fn float(rest: &mut &str) -> Option<f64> {
        Some(f64::from_bits(word(rest)?.parse().ok()?))
    }
    let letter = rest.chars().next()?;
    *rest = rest.get(1..)?;
    Some(match letter {
        'n' => Const::None,
        '0' => Const::Bool(false),
        '1' => Const::Bool(true),
        'e' => Const::Ellipsis,
        'i' => Const::Int(word(rest)?.parse().ok()?),
        'g' => Const::BigInt(word(rest)?.into()),
        'f' => Const::Float(float(rest)?),
        'c' => Const::Complex(float(rest)?, float(rest)?),
        's' => Const::Str(bytes(rest)?),
        'b' => Const::Bytes(bytes(rest)?),
        '(' | '{' if depth < 200 => {
            let mut items = Vec::new();
            loop {
                if let Some(after) = rest.strip_prefix(')') {
                    *rest = after;
                    break;
                }
                items.push(read(rest, depth + 1)?);
            }
            if letter == '{' {
                Const::FrozenSet(items.into())
            } else {
                Const::Tuple(items.into())
            }
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn converts_bases() {
        assert_eq!(
            decimal("ffffffffffffffffffff", 16),
            "1208925819614629174706175"
        );
        assert_eq!(decimal(&"1".repeat(80), 2), "1208925819614629174706175");
        assert_eq!(decimal("0", 16), "0");
    }

    #[test]
    fn carries_constants() {
        let constant = Const::Tuple(
            [
                Const::Int(-3),
                Const::BigInt("-99999999999999999999".into()),
                Const::Str(b"\xed\xa0\x80;".to_vec().into()),
                Const::FrozenSet([Const::Complex(0.5, -0.0), Const::None].into()),
                Const::Tuple(Box::default()),
            ]
            .into(),
        );
        assert!(carried(&carry(&constant)) == Some(constant));
        assert!(carried("(i1;").is_none());
    }

    #[test]
    fn keys_keep_types_apart() {
        assert!(ConstKey(Const::Float(0.0)) != ConstKey(Const::Float(-0.0)));
        assert!(ConstKey(Const::Int(1)) != ConstKey(Const::Bool(true)));
        assert!(ConstKey(Const::Float(f64::NAN)) == ConstKey(Const::Float(f64::NAN)));
    }
}
