//! Texts of floats: `repr`, fixed, exponent and general notation, hexadecimal, and the parsers of `float()` and `float.fromhex()`.
//!
//! The digits come from `zmij` (shortest text that reads back) and from `std` (exact, correctly rounded, ties to even); the layout is Python's.
//! Fixed notation has a path of its own in 128-bit integers, since `'%.2f'` in a loop is what programs do all day.
//!
//! The `push_*` functions append to a `String` and write a `-` for negative numbers and for `-0.0`.

use std::fmt::Write;

use crate::error::{NumericError, NumericResult};
use crate::unicode::{to_ascii_number, trim};

/// The largest number of padding zeros we write: beyond it a precision is answered with `MemoryError`.
pub const MAX_PRECISION: usize = 1 << 26;

/// No double has more digits after its point than this.
const MAX_DECIMALS: usize = 1074;
/// No double has more significant digits than this.
const MAX_SIGNIFICANT: usize = 767;

/// `repr(x)`.
pub fn repr(x: f64) -> String {
    let mut out = String::with_capacity(24);
    push_repr(&mut out, x);
    out
}

/// Appends `repr(x)`.
pub fn push_repr(out: &mut String, x: f64) {
    push_shortest(out, x, true);
}

/// Appends the shortest text that reads back as `x`: as `repr`, but without the `.0` of integral values if `point` is false (`complex` wants that).
pub fn push_shortest(out: &mut String, x: f64, point: bool) {
    let magnitude = x.abs();
    if magnitude < 9e15 && x.trunc() == x {
        // Integral and exact as an integer; this also takes both zeros.
        if x.is_sign_negative() {
            out.push('-');
        }
        out.push_str(itoa::Buffer::new().format(magnitude as u64));
        if point {
            out.push_str(".0");
        }
        return;
    }
    if !x.is_finite() {
        return push_non_finite(out, x, false);
    }
    let mut buffer = zmij::Buffer::new();
    let text = buffer.format_finite(x);
    if (1e-4..1e16).contains(&magnitude) {
        // In this range both layouts agree.
        out.push_str(if point {
            text
        } else {
            text.strip_suffix(".0").unwrap_or(text)
        });
        return;
    }
    let shortest = Digits::<FEW>::from_text(text);
    if x.is_sign_negative() {
        out.push('-');
    }
    if (-4..16).contains(&shortest.exponent) {
        let decimals = (shortest.len as i32 - 1 - shortest.exponent).max(0) as usize;
        shortest.push_positional(out, decimals, false);
        if decimals == 0 && point {
            out.push_str(".0");
        }
    } else {
        shortest.push_scientific(out, shortest.len, false, false);
    }
}

/// Appends `inf` or `nan` (in capitals if `upper`), with the sign of an infinity.
pub fn push_non_finite(out: &mut String, x: f64, upper: bool) {
    out.push_str(match (x.is_nan(), x < 0.0, upper) {
        (true, _, false) => "nan",
        (true, _, true) => "NAN",
        (false, false, false) => "inf",
        (false, false, true) => "INF",
        (false, true, false) => "-inf",
        (false, true, true) => "-INF",
    });
}

/// How a notation is written: the flags that `format()` and `%` share.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Style {
    /// Capital letters: `E`, `INF`, `NAN`.
    pub upper: bool,
    /// `#`: always a decimal point, and no zeros dropped by the general notation.
    pub alternate: bool,
}

/// Appends `x` with `precision` digits after the point: `%f`.
pub fn push_fixed(out: &mut String, x: f64, precision: usize, style: Style) -> NumericResult<()> {
    check_precision(precision)?;
    if !x.is_finite() {
        push_non_finite(out, x, style.upper);
        return Ok(());
    }
    if x.is_sign_negative() {
        out.push('-');
    }
    let magnitude = x.abs();
    if !push_fixed_fast(out, magnitude, precision) {
        let exact = precision.min(MAX_DECIMALS);
        let _ = write!(out, "{magnitude:.exact$}");
        push_zeros(out, precision - exact);
    }
    if precision == 0 && style.alternate {
        out.push('.');
    }
    Ok(())
}

/// Fixed notation where the scaled significand fits 128 bits: exact, half to even. Says whether it could.
fn push_fixed_fast(out: &mut String, magnitude: f64, precision: usize) -> bool {
    const POWERS: [u64; 17] = {
        let mut powers = [1u64; 17];
        let mut i = 1;
        while i < 17 {
            powers[i] = powers[i - 1] * 10;
            i += 1;
        }
        powers
    };
    if precision >= POWERS.len() || magnitude >= 9e15 {
        return false;
    }
    let (significand, exponent) = decompose(magnitude);
    let power = POWERS[precision];
    let (whole, fraction) = if exponent >= 0 {
        // magnitude < 2^53, thus exponent is 0 here.
        (significand << exponent, 0)
    } else {
        let shift = exponent.unsigned_abs();
        // The integral part and the scaled fraction separately: significand * 10^16 < 2^107.
        let whole = if shift < 64 { significand >> shift } else { 0 };
        let rest = if shift < 64 {
            significand & ((1 << shift) - 1)
        } else {
            significand
        };
        let scaled = u128::from(rest) * u128::from(power);
        if shift >= 108 {
            (whole, 0) // below half a unit
        } else {
            let quotient = (scaled >> shift) as u64;
            let remainder = scaled & ((1u128 << shift) - 1);
            let half = 1u128 << (shift - 1);
            let odd = if precision == 0 {
                whole & 1
            } else {
                quotient & 1
            };
            let up = remainder > half || (remainder == half && odd == 1);
            let fraction = quotient + u64::from(up);
            if fraction == power {
                (whole + 1, 0)
            } else {
                (whole, fraction)
            }
        }
    };
    let mut buffer = itoa::Buffer::new();
    out.push_str(buffer.format(whole));
    if precision > 0 {
        out.push('.');
        let text = buffer.format(fraction);
        push_zeros(out, precision - text.len());
        out.push_str(text);
    }
    true
}

/// Appends `x` as `d.ddde+XX` with `precision` digits after the point: `%e`.
pub fn push_exponent(
    out: &mut String,
    x: f64,
    precision: usize,
    style: Style,
) -> NumericResult<()> {
    check_precision(precision)?;
    if !x.is_finite() {
        push_non_finite(out, x, style.upper);
        return Ok(());
    }
    if x.is_sign_negative() {
        out.push('-');
    }
    let (magnitude, count) = (x.abs(), precision + 1);
    if count <= FEW - 8 {
        let digits = Digits::<FEW>::rounded(magnitude, count);
        digits.push_scientific(out, count, style.upper, style.alternate);
    } else {
        let digits = Digits::<ALL>::rounded(magnitude, count);
        digits.push_scientific(out, count, style.upper, style.alternate);
    }
    Ok(())
}

/// Appends `x` with `precision` significant digits, fixed or with an exponent, whichever suits its size: `%g`.
///
/// `point` is what `format(x, '.5')` (a precision but no type) asks for: integral values keep a `.0`, and the exponent starts one digit earlier.
pub fn push_general(
    out: &mut String,
    x: f64,
    precision: usize,
    style: Style,
    point: bool,
) -> NumericResult<()> {
    let mut precision = precision.max(1);
    if !style.alternate {
        // No double has more digits, and zeros at the end are not written.
        precision = precision.min(1100);
    }
    check_precision(precision)?;
    if !x.is_finite() {
        push_non_finite(out, x, style.upper);
        return Ok(());
    }
    if x.is_sign_negative() {
        out.push('-');
    }
    if precision <= FEW - 8 {
        Digits::<FEW>::rounded(x.abs(), precision).push_general(out, precision, style, point);
    } else {
        Digits::<ALL>::rounded(x.abs(), precision).push_general(out, precision, style, point);
    }
    Ok(())
}

fn check_precision(precision: usize) -> NumericResult<()> {
    if precision > i32::MAX as usize {
        return Err(NumericError::value("precision too big"));
    }
    if precision > MAX_PRECISION {
        return Err(NumericError::Memory);
    }
    Ok(())
}

fn push_zeros(out: &mut String, count: usize) {
    const ZEROS: &str = "0000000000000000000000000000000000000000000000000000000000000000";
    let mut left = count;
    while left > 0 {
        let now = left.min(ZEROS.len());
        out.push_str(&ZEROS[..now]);
        left -= now;
    }
}

/// The significand and exponent of a finite non-negative double: `magnitude == significand * 2**exponent`.
pub(crate) fn decompose(magnitude: f64) -> (u64, i32) {
    let bits = magnitude.to_bits() & (u64::MAX >> 1);
    let field = (bits >> 52) as i32;
    let fraction = bits & ((1 << 52) - 1);
    if field == 0 {
        (fraction, -1074)
    } else {
        (fraction | 1 << 52, field - 1075)
    }
}

/// Room for a double with this many digits, as most are written.
const FEW: usize = 32;
/// Room for all digits any double has, and for what stands around them.
const ALL: usize = MAX_SIGNIFICANT + 10;

/// Decimal digits `d.ddd * 10**exponent`; digits that were asked for but are not here are zeros. `N` is a few more than there can be.
struct Digits<const N: usize> {
    digits: [u8; N],
    len: usize,
    exponent: i32,
}

impl<const N: usize> Digits<N> {
    /// Exactly `count` significant digits, correctly rounded.
    fn rounded(magnitude: f64, count: usize) -> Self {
        let mut text = ScratchText::<N> {
            bytes: [0; N],
            len: 0,
        };
        let decimals = count.min(MAX_SIGNIFICANT) - 1;
        let _ = write!(text, "{magnitude:.decimals$e}");
        Self::from_bytes(&text.bytes[..text.len])
    }

    /// The digits of a text such as `-1.5e-7` or `0.00012`.
    fn from_text(text: &str) -> Self {
        Self::from_bytes(text.as_bytes())
    }

    fn from_bytes(text: &[u8]) -> Self {
        let mut result = Digits {
            digits: [b'0'; N],
            len: 0,
            exponent: 0,
        };
        let mut point_at = None;
        let mut leading = 0i32;
        let mut exponent = 0i32;
        for (i, &byte) in text.iter().enumerate() {
            match byte {
                b'-' | b'+' => {}
                b'.' => point_at = Some(result.len as i32 + leading),
                b'e' | b'E' => {
                    exponent = std::str::from_utf8(&text[i + 1..])
                        .ok()
                        .and_then(|t| t.parse().ok())
                        .unwrap_or(0);
                    break;
                }
                b'0' if result.len == 0 => leading += 1,
                digit => {
                    if let Some(place) = result.digits.get_mut(result.len) {
                        *place = digit;
                        result.len += 1;
                    }
                }
            }
        }
        if result.len == 0 {
            // Zero: one digit, `leading` of which were written.
            result.len = (leading as usize).clamp(1, N);
            return result;
        }
        let before_point = point_at.unwrap_or(result.len as i32 + leading);
        result.exponent = before_point - leading - 1 + exponent;
        result
    }

    /// How many digits remain when zeros at the end are dropped; at least one.
    fn without_trailing_zeros(&self) -> usize {
        self.digits[..self.len]
            .iter()
            .rposition(|&d| d != b'0')
            .map_or(1, |last| last + 1)
    }

    fn push_range(&self, out: &mut String, from: usize, to: usize) {
        let stop = to.min(self.len);
        if from < stop {
            out.extend(self.digits[from..stop].iter().map(|&d| d as char));
        }
        push_zeros(out, to.saturating_sub(from.max(self.len)));
    }

    /// `d.ddde+XX` with `significant` digits.
    fn push_scientific(
        &self,
        out: &mut String,
        significant: usize,
        upper: bool,
        always_point: bool,
    ) {
        self.push_range(out, 0, 1);
        if significant > 1 || always_point {
            out.push('.');
        }
        self.push_range(out, 1, significant);
        out.push(if upper { 'E' } else { 'e' });
        out.push(if self.exponent < 0 { '-' } else { '+' });
        let size = self.exponent.unsigned_abs();
        if size < 10 {
            out.push('0');
        }
        out.push_str(itoa::Buffer::new().format(size));
    }

    /// What the size of the number suits, as [`push_general`] says.
    fn push_general(&self, out: &mut String, precision: usize, style: Style, point: bool) {
        let significant = if style.alternate {
            precision
        } else {
            self.without_trailing_zeros()
        };
        let limit = precision as i64 - i64::from(point);
        if i64::from(self.exponent) >= limit || self.exponent < -4 {
            self.push_scientific(out, significant, style.upper, style.alternate);
            return;
        }
        let decimals = (significant as i64 - 1 - i64::from(self.exponent)).max(0) as usize;
        self.push_positional(out, decimals, style.alternate);
        if point && decimals == 0 {
            out.push_str(if style.alternate { "0" } else { ".0" });
        }
    }

    /// `ddd.ddd` with `decimals` digits after the point.
    fn push_positional(&self, out: &mut String, decimals: usize, always_point: bool) {
        let before = self.exponent + 1;
        if before <= 0 {
            out.push('0');
        } else {
            self.push_range(out, 0, before as usize);
        }
        if decimals > 0 || always_point {
            out.push('.');
        }
        if decimals > 0 {
            let gap = ((-before).max(0) as usize).min(decimals);
            push_zeros(out, gap);
            let from = before.max(0) as usize;
            self.push_range(out, from, from + decimals - gap);
        }
    }
}

/// A `fmt::Write` on the stack.
struct ScratchText<const N: usize> {
    bytes: [u8; N],
    len: usize,
}

impl<const N: usize> Write for ScratchText<N> {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        let end = self.len + text.len();
        let Some(target) = self.bytes.get_mut(self.len..end) else {
            return Err(std::fmt::Error);
        };
        target.copy_from_slice(text.as_bytes());
        self.len = end;
        Ok(())
    }
}

/// What `float(text)` gives for a `str`, `None` if the text is no float.
///
/// The caller words the error, since it quotes the original object: `could not convert string to float: {repr}`.
pub fn parse(text: &str) -> Option<f64> {
    parse_ascii(&to_ascii_number(text))
}

/// What `float(data)` gives for `bytes`: as [`parse`], but only ASCII.
pub fn parse_ascii(text: &[u8]) -> Option<f64> {
    let text = trim(text);
    if text.contains(&b'_') {
        parse_plain(&without_underscores(text)?)
    } else {
        parse_plain(text)
    }
}

/// The text without its underscores, each of which must stand between two digits.
pub(crate) fn without_underscores(text: &[u8]) -> Option<Vec<u8>> {
    let mut plain = Vec::with_capacity(text.len());
    let mut previous = 0u8;
    for &byte in text {
        let separates = previous == b'_';
        if byte == b'_' {
            if !previous.is_ascii_digit() {
                return None;
            }
        } else {
            if separates && !byte.is_ascii_digit() {
                return None;
            }
            plain.push(byte);
        }
        previous = byte;
    }
    (previous != b'_').then_some(plain)
}

/// Rust's grammar of floats is Python's, once white space and underscores are gone.
fn parse_plain(text: &[u8]) -> Option<f64> {
    let x: f64 = std::str::from_utf8(text).ok()?.parse().ok()?;
    // The sign of a NaN is kept, whatever the library does.
    Some(if x.is_nan() {
        f64::NAN.copysign(if text.first() == Some(&b'-') {
            -1.0
        } else {
            1.0
        })
    } else {
        x
    })
}

/// The length of the longest prefix that reads as a float without white space or underscores, and its value: C's `strtod`.
pub(crate) fn parse_prefix(text: &[u8]) -> Option<(f64, usize)> {
    let sign = usize::from(matches!(text.first(), Some(b'+' | b'-')));
    let body = &text[sign..];
    let word = |word: &[u8]| {
        body.get(..word.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(word))
    };
    let length = if word(b"infinity") {
        8
    } else if word(b"inf") || word(b"nan") {
        3
    } else {
        let digits = |from: usize| {
            body[from..]
                .iter()
                .take_while(|b| b.is_ascii_digit())
                .count()
        };
        let whole = digits(0);
        let mut end = whole;
        let mut any = whole;
        if body.get(end) == Some(&b'.') {
            let fraction = digits(end + 1);
            any += fraction;
            end += 1 + fraction;
        }
        if any == 0 {
            return None;
        }
        if matches!(body.get(end), Some(b'e' | b'E')) {
            let signed = end + 1 + usize::from(matches!(body.get(end + 1), Some(b'+' | b'-')));
            let exponent = if signed <= body.len() {
                digits(signed)
            } else {
                0
            };
            if exponent > 0 {
                end = signed + exponent;
            }
        }
        end
    };
    let end = sign + length;
    Some((parse_plain(&text[..end])?, end))
}

/// `x.hex()`.
pub fn hex(x: f64) -> String {
    if !x.is_finite() {
        return repr(x);
    }
    let sign = if x.is_sign_negative() { "-" } else { "" };
    let bits = x.to_bits();
    let fraction = bits & ((1 << 52) - 1);
    let field = (bits >> 52) & 0x7ff;
    if field == 0 && fraction == 0 {
        return format!("{sign}0x0.0p+0");
    }
    let (lead, exponent) = if field == 0 {
        (0, -1022)
    } else {
        (1, field as i32 - 1023)
    };
    format!("{sign}0x{lead}.{fraction:013x}p{exponent:+}")
}

/// `float.fromhex(text)`.
pub fn from_hex(text: &str) -> NumericResult<f64> {
    let invalid = || NumericError::value("invalid hexadecimal floating-point string");
    let too_large =
        || NumericError::overflow("hexadecimal value too large to represent as a float");
    let text = trim(text.as_bytes());
    let (negative, body) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    };
    let signed = |magnitude: f64| if negative { -magnitude } else { magnitude };
    if body.eq_ignore_ascii_case(b"inf") || body.eq_ignore_ascii_case(b"infinity") {
        return Ok(signed(f64::INFINITY));
    }
    if body.eq_ignore_ascii_case(b"nan") {
        return Ok(signed(f64::NAN));
    }
    let body = if let [b'0', b'x' | b'X', rest @ ..] = body {
        rest
    } else {
        body
    };

    // The first 64 significant bits, a sticky bit for all that follow, and the power of two of the last bit taken.
    let mut significand = 0u64;
    let mut sticky = false;
    let mut exponent = 0i64;
    let mut any = false;
    let mut after_point = false;
    let mut at = 0;
    while let Some(&byte) = body.get(at) {
        if byte == b'.' && !after_point {
            after_point = true;
        } else if let Some(digit) = (byte as char).to_digit(16) {
            any = true;
            if significand >> 60 == 0 {
                significand = significand << 4 | u64::from(digit);
                exponent -= if after_point { 4 } else { 0 };
            } else {
                sticky |= digit != 0;
                exponent += if after_point { 0 } else { 4 };
            }
        } else {
            break;
        }
        at += 1;
    }
    if !any {
        return Err(invalid());
    }
    if let Some(b'p' | b'P') = body.get(at) {
        at += 1;
        let down = match body.get(at) {
            Some(b'-') => {
                at += 1;
                true
            }
            Some(b'+') => {
                at += 1;
                false
            }
            _ => false,
        };
        let digits = &body[at..];
        if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
            return Err(invalid());
        }
        let size = digits.iter().fold(0i64, |size, &d| {
            size.saturating_mul(10).saturating_add(i64::from(d - b'0'))
        });
        // Texts are far shorter than 2**60 digits: a larger exponent decides alone.
        let size = size.min(1 << 60);
        exponent += if down { -size } else { size };
    } else if at != body.len() {
        return Err(invalid());
    }
    if significand == 0 {
        return Ok(signed(0.0));
    }
    let top = 63 - i64::from(significand.leading_zeros()) + exponent;
    if top > 1023 {
        return Err(too_large());
    }
    if top < -1080 {
        return Ok(signed(0.0));
    }
    let value = round_to_double(significand, sticky, exponent as i32);
    if value.is_infinite() {
        return Err(too_large());
    }
    Ok(signed(value))
}

/// The double nearest to `significand * 2**exponent` plus a bit more if `sticky`, ties to even; infinite if too large.
pub(crate) fn round_to_double(significand: u64, sticky: bool, exponent: i32) -> f64 {
    if significand == 0 {
        return 0.0;
    }
    let length = 64 - significand.leading_zeros() as i32;
    // The exponent of the result's last bit: 53 bits, or fewer for subnormal results.
    let last = (length + exponent - 53).max(-1074);
    let drop = last - exponent;
    let kept = if drop <= 0 {
        significand << -drop
    } else if drop > 64 {
        0
    } else {
        let wide = u128::from(significand);
        let quotient = (wide >> drop) as u64;
        let remainder = wide & ((1u128 << drop) - 1);
        let half = 1u128 << (drop - 1);
        let up = remainder > half || (remainder == half && (sticky || quotient & 1 == 1));
        quotient + u64::from(up)
    };
    scale(kept, last)
}

/// `kept * 2**last` for at most 53 significant bits and a result that is exact or overflows.
fn scale(kept: u64, last: i32) -> f64 {
    if kept == 0 {
        return 0.0;
    }
    if kept >> 53 != 0 {
        // Rounding carried into a 54th bit; the low bit is zero.
        return scale(kept >> 1, last + 1);
    }
    let (mut kept, mut last) = (kept, last);
    while kept >> 52 == 0 && last > -1074 {
        let up = (kept.leading_zeros() as i32 - 11).min(last + 1074);
        kept <<= up;
        last -= up;
    }
    if kept >> 52 == 0 {
        return f64::from_bits(kept);
    }
    let field = last + 1075;
    if field > 2046 {
        return f64::INFINITY;
    }
    f64::from_bits((field as u64) << 52 | (kept & ((1 << 52) - 1)))
}
