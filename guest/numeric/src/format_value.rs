//! `format(value, spec)` for integers, floats, complex numbers and texts, once the specification has been read.
//!
//! Results are WTF-8: UTF-8, unless the padding or a `c` is a lone surrogate.

use num_bigint::BigInt;

use crate::error::{NumericError, NumericResult};
use crate::float_repr::{self, Style};
use crate::format_spec::{Align, Class, FormatSpec, Grouping, Sign, push_code_point, quoted_code};
use crate::{int_text, rational};

/// Wider results are refused with `MemoryError`.
pub const MAX_WIDTH: u64 = 1 << 26;

/// An integer to format.
#[derive(Debug, Clone, Copy)]
pub enum IntRef<'a> {
    /// Fits `i64`.
    Small(i64),
    /// Any.
    Big(&'a BigInt),
}

impl IntRef<'_> {
    fn is_negative(self) -> bool {
        match self {
            IntRef::Small(value) => value < 0,
            IntRef::Big(value) => value.sign() == num_bigint::Sign::Minus,
        }
    }

    /// The digits of the magnitude.
    pub(crate) fn digits(self, base: u32, max_digits: usize) -> NumericResult<String> {
        let mut text = match (self, base) {
            (IntRef::Small(value), 10) => {
                itoa::Buffer::new().format(value.unsigned_abs()).to_owned()
            }
            (IntRef::Small(value), 2) => format!("{:b}", value.unsigned_abs()),
            (IntRef::Small(value), 8) => format!("{:o}", value.unsigned_abs()),
            (IntRef::Small(value), _) => format!("{:x}", value.unsigned_abs()),
            (IntRef::Big(value), 10) => int_text::to_decimal(value, max_digits)?,
            (IntRef::Big(value), _) => int_text::to_power_of_two_base(value.magnitude(), base),
        };
        if text.starts_with('-') {
            text.remove(0);
        }
        Ok(text)
    }

    pub(crate) fn to_float(self) -> NumericResult<f64> {
        match self {
            IntRef::Small(value) => Ok(value as f64),
            IntRef::Big(value) => rational::to_float(value),
        }
    }

    /// The code point with this number.
    pub(crate) fn to_code_point(self) -> NumericResult<u32> {
        let value = match self {
            IntRef::Small(value) => u32::try_from(value).ok(),
            IntRef::Big(value) => u32::try_from(value).ok(),
        };
        value
            .filter(|&v| v < 0x11_0000)
            .ok_or_else(|| NumericError::overflow("%c arg not in range(0x110000)"))
    }
}

/// `format(value, spec)` for an `int` or `bool`. An empty specification gives `str(value)` of the integer.
pub fn format_int(
    value: IntRef<'_>,
    spec: &[u8],
    type_name: &str,
    max_digits: usize,
) -> NumericResult<Vec<u8>> {
    FormatSpec::parse(spec, Class::Int, type_name)?.format_int(value, type_name, max_digits)
}

/// `format(x, spec)` for a `float`.
pub fn format_float(x: f64, spec: &[u8], type_name: &str) -> NumericResult<Vec<u8>> {
    if let [b'.', digit @ b'0'..=b'9', b'f'] = spec {
        let mut text = String::with_capacity(32);
        float_repr::push_fixed(&mut text, x, usize::from(digit - b'0'), Style::default())?;
        return Ok(text.into_bytes());
    }
    FormatSpec::parse(spec, Class::Float, type_name)?.format_float(x, type_name)
}

/// `format(z, spec)` for a `complex`.
pub fn format_complex(
    real: f64,
    imaginary: f64,
    spec: &[u8],
    type_name: &str,
) -> NumericResult<Vec<u8>> {
    FormatSpec::parse(spec, Class::Complex, type_name)?.format_complex(real, imaginary, type_name)
}

/// `format(text, spec)` for a `str` of so many characters.
pub fn format_text(
    text: &[u8],
    char_count: usize,
    spec: &[u8],
    type_name: &str,
) -> NumericResult<Vec<u8>> {
    FormatSpec::parse(spec, Class::Text, type_name)?.format_text(text, char_count, type_name)
}

/// A number taken apart, so that padding and separators can go between.
struct Parts<'a> {
    negative: bool,
    prefix: &'a str,
    /// What separators go into; may be empty.
    digits: &'a str,
    /// The digits after the point.
    fraction: &'a str,
    has_point: bool,
    /// An exponent, `inf`, `nan`, `%`.
    rest: &'a str,
}

impl FormatSpec {
    fn unknown(&self, type_name: &str) -> NumericError {
        let code = quoted_code(self.kind.unwrap_or(0));
        NumericError::value(format!(
            "Unknown format code {code} for object of type '{type_name}'"
        ))
    }

    fn kind_char(&self) -> char {
        // What is no character at all is no format code either.
        self.kind
            .map_or('\0', |point| char::from_u32(point).unwrap_or('\u{fffd}'))
    }

    fn width(&self) -> NumericResult<usize> {
        if self.width > MAX_WIDTH {
            Err(NumericError::Memory)
        } else {
            Ok(self.width as usize)
        }
    }

    /// As [`format_int`].
    pub fn format_int(
        &self,
        value: IntRef<'_>,
        type_name: &str,
        max_digits: usize,
    ) -> NumericResult<Vec<u8>> {
        let (base, prefix) = match (self.kind, self.kind_char()) {
            (None, _) | (_, 'd' | 'n') => (10, ""),
            (_, 'b') => (2, "0b"),
            (_, 'o') => (8, "0o"),
            (_, 'x') => (16, "0x"),
            (_, 'X') => (16, "0X"),
            (_, 'c') => (0, ""),
            (_, 'e' | 'E' | 'f' | 'F' | 'g' | 'G' | '%') => {
                return self.format_float(value.to_float()?, type_name);
            }
            _ => return Err(self.unknown(type_name)),
        };
        if self.precision.is_some() {
            return Err(NumericError::value(
                "Precision not allowed in integer format specifier",
            ));
        }
        if self.no_negative_zero {
            return Err(NumericError::value(
                "Negative zero coercion (z) not allowed in integer format specifier",
            ));
        }
        if base == 0 {
            return self.format_code_point(value);
        }
        let mut buffer = itoa::Buffer::new();
        let mut owned;
        let digits = match (value, base) {
            (IntRef::Small(value), 10) => buffer.format(value.unsigned_abs()),
            _ => {
                owned = value.digits(base, max_digits)?;
                if prefix == "0X" {
                    owned.make_ascii_uppercase();
                }
                &owned
            }
        };
        let prefix = if self.alternate { prefix } else { "" };
        let group = if base == 10 { 3 } else { 4 };
        let parts = Parts {
            negative: value.is_negative(),
            prefix,
            digits,
            fraction: "",
            has_point: false,
            rest: "",
        };
        self.lay_out(&parts, group)
    }

    fn format_code_point(&self, value: IntRef<'_>) -> NumericResult<Vec<u8>> {
        if self.sign.is_some() {
            return Err(NumericError::value(
                "Sign not allowed with integer format specifier 'c'",
            ));
        }
        if self.alternate {
            return Err(NumericError::value(
                "Alternate form (#) not allowed with integer format specifier 'c'",
            ));
        }
        if matches!(value, IntRef::Big(big) if i64::try_from(big).is_err()) {
            return Err(NumericError::overflow(
                "Python int too large to convert to C long",
            ));
        }
        let mut text = Vec::new();
        push_code_point(&mut text, value.to_code_point()?);
        self.pad(&text, 1)
    }

    /// As [`format_float`].
    pub fn format_float(&self, x: f64, type_name: &str) -> NumericResult<Vec<u8>> {
        let kind = self.kind_char();
        if !matches!(kind, '\0' | 'e' | 'E' | 'f' | 'F' | 'g' | 'G' | 'n' | '%') {
            return Err(self.unknown(type_name));
        }
        let mut text = String::with_capacity(32);
        self.push_float_text(&mut text, x, kind, true)?;
        self.lay_out_float(&text, self.width()?)
    }

    /// The number's text without padding, separators and a forced sign. `point`: integral values of no type have a `.0`.
    fn push_float_text(
        &self,
        text: &mut String,
        x: f64,
        kind: char,
        point: bool,
    ) -> NumericResult<()> {
        let style = Style {
            upper: kind.is_ascii_uppercase(),
            alternate: self.alternate,
        };
        let precision = |default: u64| match self.precision.unwrap_or(default) {
            given if given > i32::MAX as u64 => Err(NumericError::value("precision too big")),
            given if !x.is_finite() => Ok(given.min(6) as usize),
            given => Ok(given as usize),
        };
        match (kind, self.precision) {
            ('f' | 'F', _) => float_repr::push_fixed(text, x, precision(6)?, style)?,
            ('%', _) => {
                float_repr::push_fixed(text, x * 100.0, precision(6)?, style)?;
                text.push('%');
            }
            ('e' | 'E', _) => float_repr::push_exponent(text, x, precision(6)?, style)?,
            ('\0', None) => push_shortest_alternate(text, x, point, style.alternate),
            ('\0', _) => float_repr::push_general(text, x, precision(6)?, style, point)?,
            _ => float_repr::push_general(text, x, precision(6)?, style, false)?,
        }
        if self.no_negative_zero && text.starts_with('-') && !has_nonzero_digit(text) {
            text.remove(0);
        }
        Ok(())
    }

    /// Puts sign, separators and padding to a float's text.
    fn lay_out_float(&self, text: &str, width: usize) -> NumericResult<Vec<u8>> {
        if width <= text.len()
            && matches!(self.sign, None | Some(Sign::Minus))
            && self.grouping.is_none()
            && self.fraction_grouping.is_none()
        {
            return Ok(text.as_bytes().to_vec());
        }
        self.lay_out(&split_float(text), 3)
    }

    /// As [`format_complex`].
    pub fn format_complex(
        &self,
        real: f64,
        imaginary: f64,
        type_name: &str,
    ) -> NumericResult<Vec<u8>> {
        let kind = self.kind_char();
        if !matches!(kind, '\0' | 'e' | 'E' | 'f' | 'F' | 'g' | 'G' | 'n') {
            return Err(self.unknown(type_name));
        }
        if self.fill == '0' as u32 {
            return Err(NumericError::value(
                "Zero padding is not allowed in complex format specifier",
            ));
        }
        if self.align == Align::AfterSign {
            return Err(NumericError::value(
                "'=' alignment flag is not allowed in complex format specifier",
            ));
        }
        // Without a type the layout is that of `str`.
        let only_imaginary = kind == '\0' && real == 0.0 && real.is_sign_positive();
        let parentheses = kind == '\0' && !only_imaginary;
        let part = FormatSpec {
            width: 0,
            align: Align::Right,
            ..self.clone()
        };
        let mut out = Vec::with_capacity(48);
        let mut text = String::with_capacity(32);
        if parentheses {
            out.push(b'(');
        }
        if !only_imaginary {
            part.push_float_text(&mut text, real, kind, false)?;
            out.extend(part.lay_out_float(&text, 0)?);
            text.clear();
        }
        part.push_float_text(&mut text, imaginary, kind, false)?;
        let sign = if only_imaginary {
            self.sign
        } else {
            Some(Sign::Plus)
        };
        out.extend(FormatSpec { sign, ..part }.lay_out_float(&text, 0)?);
        out.push(b'j');
        if parentheses {
            out.push(b')');
        }
        let length = out.len();
        self.pad(&out, length)
    }

    /// As [`format_text`].
    pub fn format_text(
        &self,
        text: &[u8],
        char_count: usize,
        type_name: &str,
    ) -> NumericResult<Vec<u8>> {
        let refuse = |what: &str| {
            Err(NumericError::value(format!(
                "{what} not allowed in string format specifier"
            )))
        };
        if self.kind.is_some_and(|kind| kind != 's' as u32) {
            return Err(self.unknown(type_name));
        }
        match self.sign {
            Some(Sign::Space) => return refuse("Space"),
            Some(_) => return refuse("Sign"),
            None => {}
        }
        if self.no_negative_zero {
            return refuse("Negative zero coercion (z)");
        }
        if self.alternate {
            return refuse("Alternate form (#)");
        }
        if self.align == Align::AfterSign {
            return refuse("'=' alignment");
        }
        match self.precision {
            Some(most) if most < char_count as u64 => {
                self.pad(first_chars(text, most as usize), most as usize)
            }
            _ => self.pad(text, char_count),
        }
    }

    /// Pads a text of so many characters to the width.
    fn pad(&self, text: &[u8], char_count: usize) -> NumericResult<Vec<u8>> {
        let missing = self.width()?.saturating_sub(char_count);
        let before = match self.align {
            Align::Left => 0,
            Align::Right | Align::AfterSign => missing,
            Align::Center => missing / 2,
        };
        let mut out = Vec::with_capacity(text.len() + missing);
        push_repeated(&mut out, self.fill, before);
        out.extend_from_slice(text);
        push_repeated(&mut out, self.fill, missing - before);
        Ok(out)
    }

    /// Sign, prefix, padding, digits in groups of `group`, and the rest.
    fn lay_out(&self, parts: &Parts<'_>, group: usize) -> NumericResult<Vec<u8>> {
        let width = self.width()?;
        let sign = match (parts.negative, self.sign) {
            (true, _) => "-",
            (false, Some(Sign::Plus)) => "+",
            (false, Some(Sign::Space)) => " ",
            _ => "",
        };
        let fraction_length = match self.fraction_grouping {
            Some(_) => parts.fraction.len() + parts.fraction.len().saturating_sub(1) / 3,
            None => parts.fraction.len(),
        };
        let around = sign.len()
            + parts.prefix.len()
            + usize::from(parts.has_point)
            + fraction_length
            + parts.rest.len();
        // Zeros after the sign are digits: they are grouped too.
        let zero_fill = self.fill == '0' as u32 && self.align == Align::AfterSign;
        let grouped = self.grouping.filter(|_| !parts.digits.is_empty());
        let least = if zero_fill {
            width.saturating_sub(around)
        } else {
            0
        };
        let (digit_count, length) = match grouped {
            Some(_) => grouped_length(parts.digits.len(), group, least),
            None => (parts.digits.len(), parts.digits.len()),
        };
        let missing = width.saturating_sub(around + length);
        let mut out = Vec::with_capacity(around + length + missing);
        let (before, inside) = match self.align {
            Align::Left => (0, 0),
            Align::Right => (missing, 0),
            Align::Center => (missing / 2, 0),
            Align::AfterSign => (0, missing),
        };
        push_repeated(&mut out, self.fill, before);
        out.extend_from_slice(sign.as_bytes());
        out.extend_from_slice(parts.prefix.as_bytes());
        push_repeated(&mut out, self.fill, inside);
        let digits = parts.digits.as_bytes();
        match grouped {
            Some(grouping) => push_grouped(&mut out, digits, grouping, group, digit_count),
            None => out.extend_from_slice(digits),
        }
        if parts.has_point {
            out.push(b'.');
        }
        match self.fraction_grouping {
            Some(grouping) => push_grouped_fraction(&mut out, parts.fraction.as_bytes(), grouping),
            None => out.extend_from_slice(parts.fraction.as_bytes()),
        }
        out.extend_from_slice(parts.rest.as_bytes());
        push_repeated(&mut out, self.fill, missing - before - inside);
        Ok(out)
    }
}

/// As `repr`, with the decimal point that `#` always wants.
fn push_shortest_alternate(text: &mut String, x: f64, point: bool, alternate: bool) {
    float_repr::push_shortest(text, x, point);
    if alternate && x.is_finite() && !text.contains('.') {
        let at = text.find('e').unwrap_or(text.len());
        text.insert(at, '.');
    }
}

fn has_nonzero_digit(text: &str) -> bool {
    // The exponent of a zero is zero, and `inf` and `nan` are not zero.
    text.bytes()
        .any(|b| matches!(b, b'1'..=b'9' | b'i' | b'n' | b'I' | b'N'))
}

fn split_float(text: &str) -> Parts<'_> {
    let (negative, text) = text
        .strip_prefix('-')
        .map_or((false, text), |rest| (true, rest));
    let run = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let (digits, after) = text.split_at(run(text));
    let (has_point, after) = after
        .strip_prefix('.')
        .map_or((false, after), |rest| (true, rest));
    let (fraction, rest) = after.split_at(if has_point { run(after) } else { 0 });
    Parts {
        negative,
        prefix: "",
        digits,
        fraction,
        has_point,
        rest,
    }
}

/// How many digits, zeros in front included, and how many characters with separators between groups there are, if there must be at least so many
/// characters. No separator stands first: if one would, a zero precedes it, and the result is one longer than asked.
fn grouped_length(digits: usize, group: usize, least: usize) -> (usize, usize) {
    let length = |count: usize| count + (count - 1) / group;
    let mut count = digits;
    if length(count) < least {
        count = count.max(least - least / (group + 1));
        while length(count) < least {
            count += 1;
        }
        while count > digits && length(count - 1) >= least {
            count -= 1;
        }
    }
    (count, length(count))
}

/// Appends digits, made `count` by zeros in front, with a separator between groups counted from the right.
fn push_grouped(out: &mut Vec<u8>, digits: &[u8], grouping: Grouping, group: usize, count: usize) {
    let zeros = count - digits.len();
    let mut at = 0;
    while at < count {
        if at > 0 {
            out.push(grouping.byte());
        }
        // The first group is what the others leave.
        let end = if at == 0 {
            (count - 1) % group + 1
        } else {
            at + group
        };
        let zeros_end = zeros.clamp(at, end);
        out.resize(out.len() + zeros_end - at, b'0');
        out.extend_from_slice(&digits[zeros_end - zeros.min(zeros_end)..end.saturating_sub(zeros)]);
        at = end;
    }
}

fn push_grouped_fraction(out: &mut Vec<u8>, digits: &[u8], grouping: Grouping) {
    for (i, group) in digits.chunks(3).enumerate() {
        if i > 0 {
            out.push(grouping.byte());
        }
        out.extend_from_slice(group);
    }
}

pub(crate) fn push_repeated(out: &mut Vec<u8>, point: u32, count: usize) {
    if point < 0x80 {
        out.resize(out.len() + count, point as u8);
    } else {
        for _ in 0..count {
            push_code_point(out, point);
        }
    }
}

/// The first `count` characters of WTF-8.
pub(crate) fn first_chars(text: &[u8], count: usize) -> &[u8] {
    let starts = |(_, byte): &(usize, &u8)| **byte & 0xc0 != 0x80;
    let end = text
        .iter()
        .enumerate()
        .filter(starts)
        .nth(count)
        .map_or(text.len(), |(at, _)| at);
    &text[..end]
}
