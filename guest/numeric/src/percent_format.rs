//! `template % values` (library reference, "printf-style String Formatting"): taking the template apart, and writing one value.
//!
//! Fetching and converting the values is the caller's: for each [`Conversion`] it fetches the key or the `*` amounts and the value, makes a
//! [`Field`], and calls the method for the conversion's `kind`, or raises [`Conversion::unsupported`].

use crate::error::{NumericError, NumericResult};
use crate::float_repr::{self, Style};
use crate::format_spec::push_code_point;
use crate::format_value::{IntRef, MAX_WIDTH, first_chars, push_repeated};

/// A template being read from left to right.
#[derive(Debug, Clone)]
pub struct Template<'a> {
    text: &'a [u8],
    at: usize,
    is_bytes: bool,
}

/// What a template consists of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece<'a> {
    /// To be copied. (`%%` gives a `%`.)
    Text(&'a [u8]),
    /// To be replaced by a value.
    Conversion(Conversion<'a>),
}

/// A width or precision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Amount {
    /// Written in the template.
    Given(u64),
    /// `*`: the next value.
    Star,
}

/// The flags `-+ #0`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Flags {
    /// `-`
    pub left: bool,
    /// `+`
    pub plus: bool,
    /// A space.
    pub space: bool,
    /// `#`
    pub alternate: bool,
    /// `0`
    pub zero: bool,
}

/// A conversion specifier.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conversion<'a> {
    /// The mapping key.
    pub key: Option<&'a [u8]>,
    /// The flags.
    pub flags: Flags,
    /// The least number of characters.
    pub width: Option<Amount>,
    /// Digits, or the most characters of a text.
    pub precision: Option<Amount>,
    /// The code point of the conversion type, checked by nobody yet.
    pub kind: u32,
    /// Where in the template the type stands, in characters (bytes for a `bytes` template).
    index: usize,
}

impl<'a> Template<'a> {
    /// Of a `str`, as WTF-8.
    pub fn of_text(text: &'a [u8]) -> Self {
        Template {
            text,
            at: 0,
            is_bytes: false,
        }
    }

    /// Of `bytes`.
    pub fn of_bytes(text: &'a [u8]) -> Self {
        Template {
            text,
            at: 0,
            is_bytes: true,
        }
    }

    /// The next piece; errors are those of a malformed template.
    pub fn next_piece(&mut self) -> NumericResult<Option<Piece<'a>>> {
        let rest = &self.text[self.at..];
        if rest.is_empty() {
            return Ok(None);
        }
        let text = rest.iter().position(|&b| b == b'%').unwrap_or(rest.len());
        if text > 0 {
            self.at += text;
            return Ok(Some(Piece::Text(&rest[..text])));
        }
        if rest.get(1) == Some(&b'%') {
            self.at += 2;
            return Ok(Some(Piece::Text(&rest[..1])));
        }
        self.at += 1;
        self.conversion()
            .map(|conversion| Some(Piece::Conversion(conversion)))
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn conversion(&mut self) -> NumericResult<Conversion<'a>> {
        let key = if self.take(b'(') {
            Some(self.key()?)
        } else {
            None
        };
        let mut flags = Flags::default();
        loop {
            match self.peek() {
                Some(b'-') => flags.left = true,
                Some(b'+') => flags.plus = true,
                Some(b' ') => flags.space = true,
                Some(b'#') => flags.alternate = true,
                Some(b'0') => flags.zero = true,
                _ => break,
            }
            self.at += 1;
        }
        let width = self.amount("width too big", i64::MAX as u64)?;
        let precision = if self.take(b'.') {
            Some(
                self.amount("precision too big", i32::MAX as u64)?
                    .unwrap_or(Amount::Given(0)),
            )
        } else {
            None
        };
        if matches!(self.peek(), Some(b'l' | b'h' | b'L')) {
            self.at += 1;
        }
        let start = self.at;
        let kind = self
            .code_point()
            .ok_or_else(|| NumericError::value("incomplete format"))?;
        let index = if self.is_bytes {
            start
        } else {
            self.text[..start]
                .iter()
                .filter(|&&b| b & 0xc0 != 0x80)
                .count()
        };
        Ok(Conversion {
            key,
            flags,
            width,
            precision,
            kind,
            index,
        })
    }

    /// Up to the closing parenthesis; inner pairs belong to the key.
    fn key(&mut self) -> NumericResult<&'a [u8]> {
        let start = self.at;
        let mut depth = 1;
        while depth > 0 {
            match self.peek() {
                Some(b'(') => depth += 1,
                Some(b')') => depth -= 1,
                Some(_) => {}
                None => return Err(NumericError::value("incomplete format key")),
            }
            self.at += 1;
        }
        Ok(&self.text[start..self.at - 1])
    }

    fn amount(&mut self, too_big: &'static str, most: u64) -> NumericResult<Option<Amount>> {
        if self.take(b'*') {
            return Ok(Some(Amount::Star));
        }
        let mut value: Option<u64> = None;
        while let Some(digit @ b'0'..=b'9') = self.peek() {
            let next = value
                .unwrap_or(0)
                .checked_mul(10)
                .and_then(|v| v.checked_add(u64::from(digit - b'0')));
            value = Some(
                next.filter(|&v| v <= most)
                    .ok_or_else(|| NumericError::value(too_big))?,
            );
            self.at += 1;
        }
        Ok(value.map(Amount::Given))
    }

    fn code_point(&mut self) -> Option<u32> {
        let lead = self.peek()?;
        let (length, bits) = match lead {
            _ if self.is_bytes => (1, u32::from(lead)),
            0..0x80 => (1, u32::from(lead)),
            0x80..0xe0 => (2, u32::from(lead & 0x1f)),
            0xe0..0xf0 => (3, u32::from(lead & 0x0f)),
            _ => (4, u32::from(lead & 0x07)),
        };
        let rest = self
            .text
            .get(self.at + 1..self.at + length)
            .unwrap_or_default();
        self.at = (self.at + length).min(self.text.len());
        Some(
            rest.iter()
                .fold(bits, |point, &b| point << 6 | u32::from(b & 0x3f)),
        )
    }
}

impl Conversion<'_> {
    /// The error for a `kind` that is none.
    pub fn unsupported(&self) -> NumericError {
        let shown = if (32..127).contains(&self.kind) {
            char::from_u32(self.kind).unwrap_or('?')
        } else {
            '?'
        };
        NumericError::value(format!(
            "unsupported format character '{shown}' (0x{:x}) at index {}",
            self.kind, self.index
        ))
    }

    /// Flags and amounts, with the values fetched for the `*` among them: a negative width means `-`, a negative precision 0.
    pub fn field(&self, star_width: i64, star_precision: i64) -> Field {
        let mut flags = self.flags;
        let width = match self.width {
            None => 0,
            Some(Amount::Given(width)) => width,
            Some(Amount::Star) => {
                flags.left |= star_width < 0;
                star_width.unsigned_abs()
            }
        };
        let precision = self.precision.map(|precision| match precision {
            Amount::Given(precision) => precision,
            Amount::Star => star_precision.max(0) as u64,
        });
        Field {
            flags,
            width,
            precision,
        }
    }
}

/// How one value is written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Field {
    /// The flags.
    pub flags: Flags,
    /// The least number of characters.
    pub width: u64,
    /// Digits, or the most characters of a text.
    pub precision: Option<u64>,
}

impl Field {
    fn width(&self) -> NumericResult<usize> {
        if self.width > MAX_WIDTH {
            Err(NumericError::Memory)
        } else {
            Ok(self.width as usize)
        }
    }

    fn sign(&self, negative: bool) -> &'static [u8] {
        match (negative, self.flags.plus, self.flags.space) {
            (true, ..) => b"-",
            (_, true, _) => b"+",
            (_, _, true) => b" ",
            _ => b"",
        }
    }

    /// `%d %i %u %o %x %X`.
    pub fn integer(
        &self,
        kind: u8,
        value: IntRef<'_>,
        max_digits: usize,
    ) -> NumericResult<Vec<u8>> {
        let (base, prefix): (u32, &[u8]) = match kind {
            b'o' => (8, b"0o"),
            b'x' => (16, b"0x"),
            b'X' => (16, b"0X"),
            _ => (10, b""),
        };
        let mut digits = value.digits(base, max_digits)?.into_bytes();
        if kind == b'X' {
            digits.make_ascii_uppercase();
        }
        let least = self.precision.unwrap_or(0);
        if least > MAX_WIDTH {
            return Err(NumericError::Memory);
        }
        let zeros = (least as usize).saturating_sub(digits.len());
        let negative = match value {
            IntRef::Small(value) => value < 0,
            IntRef::Big(value) => value.sign() == num_bigint::Sign::Minus,
        };
        let prefix = if self.flags.alternate { prefix } else { b"" };
        self.number(self.sign(negative), prefix, zeros, &digits)
    }

    /// `%e %E %f %F %g %G`.
    pub fn float(&self, kind: u8, x: f64) -> NumericResult<Vec<u8>> {
        let mut precision = self.precision.unwrap_or(6).min(usize::MAX as u64) as usize;
        if !x.is_finite() {
            // There are no digits to be precise about, and no room is needed for them.
            precision = precision.min(6);
        }
        let style = Style {
            upper: kind.is_ascii_uppercase(),
            alternate: self.flags.alternate,
        };
        let mut text = String::with_capacity(32);
        match kind.to_ascii_lowercase() {
            b'f' => float_repr::push_fixed(&mut text, x, precision, style)?,
            b'e' => float_repr::push_exponent(&mut text, x, precision, style)?,
            _ => float_repr::push_general(&mut text, x, precision, style, false)?,
        }
        if self.width <= text.len() as u64 && !self.flags.plus && !self.flags.space {
            return Ok(text.into_bytes());
        }
        let (negative, digits) = text
            .strip_prefix('-')
            .map_or((false, text.as_str()), |rest| (true, rest));
        self.number(self.sign(negative), b"", 0, digits.as_bytes())
    }

    fn number(
        &self,
        sign: &[u8],
        prefix: &[u8],
        zeros: usize,
        digits: &[u8],
    ) -> NumericResult<Vec<u8>> {
        let length = sign.len() + prefix.len() + zeros + digits.len();
        let missing = self.width()?.saturating_sub(length);
        let (before, inside, after) = match self.flags {
            Flags { left: true, .. } => (0, 0, missing),
            Flags { zero: true, .. } => (0, missing, 0),
            _ => (missing, 0, 0),
        };
        let mut out = Vec::with_capacity(length + missing);
        push_repeated(&mut out, ' ' as u32, before);
        out.extend_from_slice(sign);
        out.extend_from_slice(prefix);
        push_repeated(&mut out, '0' as u32, inside + zeros);
        out.extend_from_slice(digits);
        push_repeated(&mut out, ' ' as u32, after);
        Ok(out)
    }

    /// `%s %r %a`: a text (WTF-8) of so many characters. For `bytes`, use [`Field::bytes`].
    pub fn text(&self, text: &[u8], char_count: usize) -> NumericResult<Vec<u8>> {
        match self.precision {
            Some(most) if most < char_count as u64 => {
                self.pad(first_chars(text, most as usize), most as usize)
            }
            _ => self.pad(text, char_count),
        }
    }

    /// `%s %b %r %a` in a `bytes` template.
    pub fn bytes(&self, text: &[u8]) -> NumericResult<Vec<u8>> {
        let most = self
            .precision
            .map_or(text.len(), |most| most.min(text.len() as u64) as usize);
        self.pad(&text[..most], most)
    }

    /// `%c` in a `str` template.
    pub fn code_point(&self, point: u32) -> NumericResult<Vec<u8>> {
        let mut text = Vec::with_capacity(4);
        push_code_point(&mut text, point);
        self.pad(&text, 1)
    }

    fn pad(&self, text: &[u8], char_count: usize) -> NumericResult<Vec<u8>> {
        let missing = self.width()?.saturating_sub(char_count);
        let (before, after) = if self.flags.left {
            (0, missing)
        } else {
            (missing, 0)
        };
        let mut out = Vec::with_capacity(text.len() + missing);
        push_repeated(&mut out, ' ' as u32, before);
        out.extend_from_slice(text);
        push_repeated(&mut out, ' ' as u32, after);
        Ok(out)
    }
}

/// The code point `%c` writes for an integer.
pub fn code_point_of(value: IntRef<'_>) -> NumericResult<u32> {
    value.to_code_point()
}
