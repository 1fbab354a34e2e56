//! Integers of any size, and what is made of them. Arithmetic is none of this room's business: texts and conversions only.

use std::fmt;
use std::str::FromStr;

use super::InvalidValue;

/// The longest number that is written or read in decimal digits, as in Python (`sys.set_int_max_str_digits`): the conversion takes time
/// that grows with the square of the length. What is longer is written in hexadecimal.
pub(super) const MAX_DECIMAL_DIGITS: usize = 4300;

/// An integer of any size: sign and magnitude, big-endian without leading zeros.
///
/// ```
/// use coldframe::BigInt;
///
/// let n: BigInt = "123456789012345678901234567890".parse()?;
/// assert_eq!(n.to_string(), "123456789012345678901234567890");
/// assert_eq!(n.to_i128(), Some(123456789012345678901234567890));
/// # Ok::<(), coldframe::value::InvalidValue>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BigInt {
    negative: bool,
    magnitude: Vec<u8>,
}

impl BigInt {
    /// Makes an integer of sign and magnitude (big-endian; leading zeros are dropped).
    pub fn new(negative: bool, magnitude: &[u8]) -> BigInt {
        let first = magnitude
            .iter()
            .position(|&b| b != 0)
            .unwrap_or(magnitude.len());
        let magnitude = magnitude[first..].to_vec();
        BigInt {
            negative: negative && !magnitude.is_empty(),
            magnitude,
        }
    }

    /// Whether it is below zero.
    pub fn is_negative(&self) -> bool {
        self.negative
    }

    /// Whether it is zero.
    pub fn is_zero(&self) -> bool {
        self.magnitude.is_empty()
    }

    /// The magnitude, big-endian, without leading zeros.
    pub fn magnitude(&self) -> &[u8] {
        &self.magnitude
    }

    /// The value, when it fits.
    pub fn to_i128(&self) -> Option<i128> {
        let magnitude = self.small_magnitude()?;
        if self.negative {
            0i128.checked_sub_unsigned(magnitude)
        } else {
            i128::try_from(magnitude).ok()
        }
    }

    /// The value, when it fits.
    pub fn to_u128(&self) -> Option<u128> {
        if self.negative {
            return None;
        }
        self.small_magnitude()
    }

    fn small_magnitude(&self) -> Option<u128> {
        (self.magnitude.len() <= 16).then(|| {
            self.magnitude
                .iter()
                .fold(0u128, |n, &b| n << 8 | u128::from(b))
        })
    }
}

/// Decimal up to 4,300 digits or so, beyond that hexadecimal as Python's `hex()` has it. [`FromStr`] reads both.
impl fmt::Display for BigInt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use fmt::Write;
        // A byte is 2.41 digits at most.
        let mut text = String::new();
        if self.magnitude.len() > MAX_DECIMAL_DIGITS * 100 / 241 {
            text.push_str("0x");
            for (i, byte) in self.magnitude.iter().enumerate() {
                if i == 0 {
                    write!(text, "{byte:x}")?;
                } else {
                    write!(text, "{byte:02x}")?;
                }
            }
            return f.pad_integral(!self.negative, "", &text);
        }
        // Groups of nine digits, least first.
        let mut words: Vec<u32> = self
            .magnitude
            .rchunks(4)
            .rev()
            .map(|chunk| chunk.iter().fold(0, |n, &b| n << 8 | u32::from(b)))
            .collect();
        let mut groups = Vec::new();
        while words.iter().any(|&w| w != 0) {
            let mut rest = 0u64;
            for word in &mut words {
                let n = rest << 32 | u64::from(*word);
                *word = (n / 1_000_000_000) as u32;
                rest = n % 1_000_000_000;
            }
            groups.push(rest);
        }
        write!(text, "{}", groups.pop().unwrap_or(0))?;
        for group in groups.iter().rev() {
            write!(text, "{group:09}")?;
        }
        f.pad_integral(!self.negative, "", &text)
    }
}

impl FromStr for BigInt {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<BigInt, InvalidValue> {
        let wrong = || InvalidValue::new("an int is decimal or hexadecimal digits");
        let (negative, digits) = match text.strip_prefix('-') {
            Some(digits) => (true, digits),
            None => (false, text),
        };
        if let Some(hex) = digits.strip_prefix("0x") {
            if hex.is_empty() || !hex.bytes().all(|b| b.is_ascii_hexdigit()) {
                return Err(wrong());
            }
            let nibble = |b: u8| match b {
                b'0'..=b'9' => b - b'0',
                _ => (b | 0x20) - b'a' + 10,
            };
            let mut magnitude: Vec<u8> = hex
                .as_bytes()
                .rchunks(2)
                .map(|pair| pair.iter().fold(0, |n, &b| n << 4 | nibble(b)))
                .collect();
            magnitude.reverse();
            return Ok(BigInt::new(negative, &magnitude));
        }
        if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return Err(wrong());
        }
        if digits.len() > MAX_DECIMAL_DIGITS {
            return Err(InvalidValue::new(
                "an int of more than 4300 decimal digits is written in hexadecimal",
            ));
        }
        // Least significant word first.
        let mut words: Vec<u32> = Vec::new();
        let first = digits.len() % 9;
        let groups = std::iter::once(&digits.as_bytes()[..first])
            .chain(digits.as_bytes()[first..].chunks(9));
        for group in groups {
            let mut carry = group.iter().fold(0u64, |n, b| n * 10 + u64::from(b - b'0'));
            let scale = 10u64.pow(group.len() as u32);
            for word in &mut words {
                let n = u64::from(*word) * scale + carry;
                *word = n as u32;
                carry = n >> 32;
            }
            if carry != 0 {
                words.push(carry as u32);
            }
        }
        let magnitude: Vec<u8> = words.iter().rev().flat_map(|w| w.to_be_bytes()).collect();
        Ok(BigInt::new(negative, &magnitude))
    }
}

impl From<i128> for BigInt {
    fn from(n: i128) -> Self {
        BigInt::new(n < 0, &n.unsigned_abs().to_be_bytes())
    }
}

impl From<u128> for BigInt {
    fn from(n: u128) -> Self {
        BigInt::new(false, &n.to_be_bytes())
    }
}

macro_rules! from_small {
    ($($type:ty)*) => {$(
        impl From<$type> for BigInt {
            fn from(n: $type) -> Self {
                i128::from(n).into()
            }
        }
    )*};
}

from_small! { i32 i64 u32 u64 }

/// A `range`: three integers of any size.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Range {
    start: BigInt,
    stop: BigInt,
    step: BigInt,
}

impl Range {
    /// `range(start, stop, step)`; a step of 0 is refused.
    pub fn new(
        start: impl Into<BigInt>,
        stop: impl Into<BigInt>,
        step: impl Into<BigInt>,
    ) -> Result<Range, InvalidValue> {
        let (start, stop, step) = (start.into(), stop.into(), step.into());
        if step.is_zero() {
            return Err(InvalidValue::new("range() arg 3 must not be zero"));
        }
        Ok(Range { start, stop, step })
    }

    /// The first number.
    pub fn start(&self) -> &BigInt {
        &self.start
    }

    /// The number that ends it, not itself part of it.
    pub fn stop(&self) -> &BigInt {
        &self.stop
    }

    /// The distance between two numbers, not 0.
    pub fn step(&self) -> &BigInt {
        &self.step
    }
}

/// A `fractions.Fraction`. Python keeps it in lowest terms; what comes out of a sandbox is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Fraction {
    numerator: BigInt,
    denominator: BigInt,
}

impl Fraction {
    /// `Fraction(numerator, denominator)`; the denominator is above zero.
    pub fn new(
        numerator: impl Into<BigInt>,
        denominator: impl Into<BigInt>,
    ) -> Result<Fraction, InvalidValue> {
        let (numerator, denominator) = (numerator.into(), denominator.into());
        if denominator.is_zero() || denominator.is_negative() {
            return Err(InvalidValue::new(
                "the denominator of a Fraction is above zero",
            ));
        }
        Ok(Fraction {
            numerator,
            denominator,
        })
    }

    /// The numerator, which bears the sign.
    pub fn numerator(&self) -> &BigInt {
        &self.numerator
    }

    /// The denominator, above zero.
    pub fn denominator(&self) -> &BigInt {
        &self.denominator
    }
}

/// A `decimal.Decimal`: the text that `str()` gives it, which says it exactly (`1.10`, `-0E+3`, `Infinity`, `sNaN12`).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Decimal(String);

impl Decimal {
    /// A decimal of its text: digits with a point perhaps, and an exponent perhaps; `Infinity`; `NaN` or `sNaN` with digits perhaps; a sign
    /// before any of them.
    pub fn new(text: impl Into<String>) -> Result<Decimal, InvalidValue> {
        let text = text.into();
        if is_decimal(&text) {
            Ok(Decimal(text))
        } else {
            Err(InvalidValue::new("the text is not that of a Decimal"))
        }
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

fn is_decimal(text: &str) -> bool {
    let digits = |s: &str| s.bytes().all(|b| b.is_ascii_digit());
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    if unsigned == "Infinity" {
        return true;
    }
    if let Some(payload) = unsigned
        .strip_prefix("NaN")
        .or_else(|| unsigned.strip_prefix("sNaN"))
    {
        return digits(payload);
    }
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let (whole, part) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let exponent = exponent.map(|e| e.strip_prefix(['-', '+']).unwrap_or(e));
    whole.len() + part.len() > 0
        && digits(whole)
        && digits(part)
        && exponent.is_none_or(|e| !e.is_empty() && digits(e))
}
