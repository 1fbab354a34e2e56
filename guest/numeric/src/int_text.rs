//! Texts of integers: decimal and the power-of-two bases, and the parser of `int(text, base)`.
//!
//! Decimal conversion of huge numbers takes long, so Python refuses it beyond a limit (`sys.set_int_max_str_digits`); every function that needs
//! one takes the limit as `max_digits`, 0 meaning none. Beyond [`HARD_MAX_DIGITS`] the answer is `MemoryError` in any case. Large numbers are
//! split in halves, in both directions, so that the cost is that of a few multiplications and not quadratic.

use num_bigint::{BigInt, BigUint, Sign};
use num_integer::Integer;
use num_traits::{Num, Zero};

use crate::Int;
use crate::error::{NumericError, NumericResult};
use crate::unicode::{is_c_space, to_ascii_number, trim};

/// Python's default for `sys.get_int_max_str_digits()`.
pub const DEFAULT_MAX_DIGITS: usize = 4300;
/// Limits below this have no effect: such numbers convert in no time.
pub const DIGITS_THRESHOLD: usize = 640;
/// No decimal conversion is longer than this, even without a limit.
pub const HARD_MAX_DIGITS: usize = 10_000_000;

/// Below this many digits the library's conversion is the quickest.
const SPLIT_DIGITS: usize = 1500;

/// Appends the decimal text of a small integer.
pub fn push_i64(out: &mut String, value: i64) {
    out.push_str(itoa::Buffer::new().format(value));
}

/// `str(value)` for a small integer.
pub fn i64_to_decimal(value: i64) -> String {
    itoa::Buffer::new().format(value).to_owned()
}

/// Hands on the decimal text of a small integer, without a string of its own.
pub fn with_decimal<T>(value: i64, take: impl FnOnce(&str) -> T) -> T {
    take(itoa::Buffer::new().format(value))
}

/// `str(value)`; the error is the `ValueError` of Python's digit limit.
pub fn to_decimal(value: &BigInt, max_digits: usize) -> NumericResult<String> {
    let exceeds = || {
        NumericError::value(format!(
            "Exceeds the limit ({max_digits} digits) for integer string conversion; use sys.set_int_max_str_digits() to increase the limit"
        ))
    };
    let at_least = decimal_digits_at_least(value.bits());
    let limited = max_digits != 0 && max_digits >= DIGITS_THRESHOLD;
    if limited && at_least > max_digits as u64 {
        return Err(exceeds());
    }
    if at_least > HARD_MAX_DIGITS as u64 {
        return Err(NumericError::Memory);
    }
    let text = if at_least > 4 * SPLIT_DIGITS as u64 {
        large_to_decimal(value)
    } else {
        value.to_str_radix(10)
    };
    if limited && text.len() - usize::from(value.sign() == Sign::Minus) > max_digits {
        return Err(exceeds());
    }
    Ok(text)
}

/// A power of ten to divide by, with its reciprocal.
struct Divisor {
    power: BigUint,
    /// The bits of `power`.
    bits: u64,
    /// `2**(2*bits) / power`, rounded down.
    reciprocal: BigUint,
}

impl Divisor {
    fn new(power: BigUint) -> Self {
        let bits = power.bits();
        Divisor {
            reciprocal: reciprocal(&power),
            bits,
            power,
        }
    }

    /// Quotient and remainder of a number below the square of `power` (P. Barrett, 1986).
    fn divide(&self, value: BigUint) -> (BigUint, BigUint) {
        let mut quotient = ((&value >> (self.bits - 1)) * &self.reciprocal) >> (self.bits + 1);
        let mut remainder = value - &quotient * &self.power;
        // The estimate is short by two at most.
        while remainder >= self.power {
            remainder -= &self.power;
            quotient += 1u32;
        }
        (quotient, remainder)
    }
}

/// `2**(2*bits) / value`, rounded down, where `value` has so many bits: Newton's iteration from half of them.
fn reciprocal(value: &BigUint) -> BigUint {
    let bits = value.bits();
    let one = BigUint::from(1u32) << (2 * bits);
    if bits < 4000 {
        return one / value;
    }
    let half = bits / 2 + 8;
    let start = reciprocal(&(value >> (bits - half))) << (bits - half);
    // Twice the start less value * start**2: an estimate with twice as many right bits.
    let square = (&start * &start * value) >> (2 * bits);
    let mut result = (start << 1u32) - square;
    let mut product = &result * value;
    while product > one {
        result -= 1u32;
        product -= value;
    }
    let mut rest = one - product;
    while rest >= *value {
        result += 1u32;
        rest -= value;
    }
    result
}

/// Quotient and remainder. Where both quotient and divisor are long, the quotient is made piece by piece with the divisor's reciprocal, so that the
/// cost is that of a few multiplications.
pub(crate) fn divide(value: &BigUint, by: &BigUint) -> (BigUint, BigUint) {
    let bits = by.bits();
    if bits < LONG_DIVISOR || value.bits() < bits + LONG_DIVISOR {
        return value.div_rem(by);
    }
    let divisor = Divisor::new(by.clone());
    // Pieces of as many bits as the divisor has, from the top.
    let pieces = value.bits() / bits;
    let mut rest = value >> (pieces * bits);
    let mut quotient = BigUint::default();
    if rest >= *by {
        (quotient, rest) = rest.div_rem(by);
    }
    let mask = (BigUint::from(1u32) << bits) - 1u32;
    for piece in (0..pieces).rev() {
        let next = (value >> (piece * bits)) & &mask;
        let (q, r) = divisor.divide((rest << bits) | next);
        quotient = (quotient << bits) + q;
        rest = r;
    }
    (quotient, rest)
}

/// Divisors of at least so many bits are worth a reciprocal.
const LONG_DIVISOR: u64 = 60_000;

/// Decimal text by halves.
fn large_to_decimal(value: &BigInt) -> String {
    let magnitude = value.magnitude();
    // divisors[i] = 10 ** (SPLIT_DIGITS << i); the square of the last is larger than the number.
    let mut divisors = vec![Divisor::new(BigUint::from(10u32).pow(SPLIT_DIGITS as u32))];
    while divisors[divisors.len() - 1].bits * 2 - 2 < magnitude.bits() {
        let last = &divisors[divisors.len() - 1].power;
        divisors.push(Divisor::new(last * last));
    }
    let mut text = String::with_capacity(decimal_digits_at_least(magnitude.bits()) as usize + 2);
    if value.sign() == Sign::Minus {
        text.push('-');
    }
    push_halves(&mut text, magnitude.clone(), &divisors, true);
    text
}

/// Appends the digits of a number below the square of the last divisor; with leading zeros, unless it is the `first` part.
fn push_halves(text: &mut String, value: BigUint, divisors: &[Divisor], first: bool) {
    let Some((divisor, smaller)) = divisors.split_last() else {
        let digits = value.to_str_radix(10);
        if !first {
            text.extend(std::iter::repeat_n('0', SPLIT_DIGITS - digits.len()));
        }
        text.push_str(&digits);
        return;
    };
    let (high, low) = divisor.divide(value);
    let skip = first && high.is_zero();
    if !skip {
        push_halves(text, high, smaller, first);
    }
    push_halves(text, low, smaller, skip);
}

/// A lower bound, short by at most one, of how many decimal digits a number of so many bits has.
pub fn decimal_digits_at_least(bits: u64) -> u64 {
    // log10(2) rounded down: 0.30102999566398119 * 2**64.
    const LOG10_2: u128 = 5_553_023_288_523_357_132;
    if bits == 0 {
        1
    } else {
        ((u128::from(bits - 1) * LOG10_2) >> 64) as u64 + 1
    }
}

/// `bin`, `oct` and `hex` (bases 2, 8, 16): sign, prefix, digits.
pub fn to_prefixed(value: &BigInt, base: u32) -> String {
    let prefix = match base {
        2 => "0b",
        8 => "0o",
        _ => "0x",
    };
    let sign = if value.sign() == Sign::Minus { "-" } else { "" };
    format!(
        "{sign}{prefix}{}",
        to_power_of_two_base(value.magnitude(), base)
    )
}

/// `bin`, `oct` and `hex` of a small integer.
pub fn i64_to_prefixed(value: i64, base: u32) -> String {
    let sign = if value < 0 { "-" } else { "" };
    let size = value.unsigned_abs();
    match base {
        2 => format!("{sign}0b{size:b}"),
        8 => format!("{sign}0o{size:o}"),
        _ => format!("{sign}0x{size:x}"),
    }
}

/// Bare digits in base 2, 8 or 16, lower case.
pub fn to_power_of_two_base(magnitude: &BigUint, base: u32) -> String {
    magnitude.to_str_radix(base)
}

/// Why a text is no integer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IntParseError {
    /// The text is not a literal of this base.
    Invalid,
    /// More decimal digits than the limit allows.
    TooManyDigits {
        /// How many there are.
        digits: usize,
        /// The limit.
        max_digits: usize,
    },
    /// The base is neither 0 nor 2..=36.
    Base,
    /// Longer than this crate is willing to convert.
    TooLong,
}

impl IntParseError {
    /// The exception to raise for the object whose `repr` this is, parsed with this base.
    pub fn into_error(self, base: u32, repr: &str) -> NumericError {
        match self {
            IntParseError::Invalid => {
                let cut = repr
                    .char_indices()
                    .nth(200)
                    .map_or(repr, |(end, _)| &repr[..end]);
                NumericError::value(format!("invalid literal for int() with base {base}: {cut}"))
            }
            IntParseError::TooManyDigits { digits, max_digits } => NumericError::value(format!(
                "Exceeds the limit ({max_digits} digits) for integer string conversion: value has {digits} digits; \
                 use sys.set_int_max_str_digits() to increase the limit"
            )),
            IntParseError::Base => NumericError::value("int() base must be >= 2 and <= 36, or 0"),
            IntParseError::TooLong => NumericError::Memory,
        }
    }
}

/// What `int(text, base)` gives for a `str`; base 0 reads the prefix as source code would.
pub fn parse(text: &str, base: u32, max_digits: usize) -> Result<Int, IntParseError> {
    parse_ascii(&to_ascii_number(text), base, max_digits)
}

/// What `int(data, base)` gives for `bytes`: as [`parse`], but only ASCII.
pub fn parse_ascii(text: &[u8], base: u32, max_digits: usize) -> Result<Int, IntParseError> {
    if base == 1 || base > 36 {
        return Err(IntParseError::Base);
    }
    let text = if text.first().is_some_and(|&b| is_c_space(b))
        || text.last().is_some_and(|&b| is_c_space(b))
    {
        trim(text)
    } else {
        text
    };
    let (negative, body) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    };
    let prefix_base = match body {
        [b'0', b'x' | b'X', ..] => 16,
        [b'0', b'o' | b'O', ..] => 8,
        [b'0', b'b' | b'B', ..] => 2,
        _ => 0,
    };
    let has_prefix = prefix_base != 0 && (base == prefix_base || base == 0);
    let (base, only_zero) = match base {
        0 if has_prefix => (prefix_base, false),
        // A leading zero was octal in Python 2 and is an error now, except for zero itself.
        0 => (10, body.first() == Some(&b'0')),
        _ => (base, false),
    };
    let digits = match body {
        [_, _, b'_', rest @ ..] | [_, _, rest @ ..] if has_prefix => rest,
        _ => body,
    };
    if base == 10 && !only_zero && (1..=18).contains(&digits.len()) {
        // The common case: a few plain digits.
        let mut value = 0i64;
        let mut plain = true;
        for &byte in digits {
            let digit = byte.wrapping_sub(b'0');
            if digit > 9 {
                plain = false;
                break;
            }
            value = value * 10 + i64::from(digit);
        }
        if plain {
            return Ok(Int::Small(if negative { -value } else { value }));
        }
    }
    let plain = digit_values(digits, base).ok_or(IntParseError::Invalid)?;
    if !base.is_power_of_two()
        && plain.len() > DIGITS_THRESHOLD
        && max_digits != 0
        && plain.len() > max_digits
    {
        return Err(IntParseError::TooManyDigits {
            digits: plain.len(),
            max_digits,
        });
    }
    if plain.len() > HARD_MAX_DIGITS && !base.is_power_of_two() {
        return Err(IntParseError::TooLong);
    }
    let magnitude = from_digit_values(&plain, base);
    if only_zero && !magnitude.is_zero() {
        return Err(IntParseError::Invalid);
    }
    let sign = if negative { Sign::Minus } else { Sign::Plus };
    Ok(BigInt::from_biguint(sign, magnitude).into())
}

/// The values of the digits, underscores removed; `None` if there are none, or anything else is among them.
fn digit_values(text: &[u8], base: u32) -> Option<Vec<u8>> {
    let mut values = Vec::with_capacity(text.len());
    let mut after_digit = false;
    for &byte in text {
        if byte == b'_' {
            if !after_digit {
                return None;
            }
            after_digit = false;
        } else {
            values.push((byte as char).to_digit(base)? as u8);
            after_digit = true;
        }
    }
    after_digit.then_some(values)
}

/// The number with these digits, the most significant first. Splits in halves where that pays, so that the cost is that of multiplication.
fn from_digit_values(values: &[u8], base: u32) -> BigUint {
    if values.len() <= SPLIT_DIGITS || base.is_power_of_two() {
        return BigUint::from_radix_be(values, base).unwrap_or_default();
    }
    // powers[i] = base ** (SPLIT_DIGITS << i)
    let mut powers = vec![BigUint::from(base).pow(SPLIT_DIGITS as u32)];
    let mut length = SPLIT_DIGITS * 2;
    while length < values.len() {
        let last = &powers[powers.len() - 1];
        powers.push(last * last);
        length *= 2;
    }
    join(values, base, &powers)
}

fn join(values: &[u8], base: u32, powers: &[BigUint]) -> BigUint {
    let Some((power, smaller)) = powers.split_last() else {
        return BigUint::from_radix_be(values, base).unwrap_or_default();
    };
    let low = SPLIT_DIGITS << smaller.len();
    if values.len() <= low {
        return join(values, base, smaller);
    }
    let (high, low) = values.split_at(values.len() - low);
    join(high, base, smaller) * power + join(low, base, smaller)
}

/// Reads decimal digits known to be valid, as the source text of an integer literal has them (underscores allowed).
pub fn parse_decimal_literal(text: &str) -> Option<BigInt> {
    if text.len() <= SPLIT_DIGITS {
        return BigInt::from_str_radix(&text.replace('_', ""), 10).ok();
    }
    let values = digit_values(text.as_bytes(), 10)?;
    Some(from_digit_values(&values, 10).into())
}
