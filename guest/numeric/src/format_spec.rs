//! The format specification mini-language of `format()`, f-strings and `str.format` (library reference, "Format Specification Mini-Language";
//! PEP 3101, 378, 515, 682): reading a specification. [`crate::format_value`] applies it.

use crate::error::{NumericError, NumericResult};
use crate::unicode::decimal_value;

/// What is being formatted: decides defaults and which specifications are errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// `int` and `bool`.
    Int,
    /// `float`.
    Float,
    /// `complex`.
    Complex,
    /// `str`.
    Text,
}

/// Where the padding goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// `<`: after the value.
    Left,
    /// `>`: before the value.
    Right,
    /// `^`: on both sides, the odd one after.
    Center,
    /// `=`: between the sign and the digits.
    AfterSign,
}

/// What stands before a number that is not negative.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    /// `+`: a plus.
    Plus,
    /// ` `: a space.
    Space,
    /// `-`: nothing, as if nothing was said.
    Minus,
}

/// What separates groups of digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grouping {
    /// `,`
    Comma,
    /// `_`
    Underscore,
}

impl Grouping {
    /// The separator.
    pub fn byte(self) -> u8 {
        match self {
            Grouping::Comma => b',',
            Grouping::Underscore => b'_',
        }
    }
}

/// A specification that was read for one [`Class`]; it can be kept and applied to many values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormatSpec {
    /// The code point that pads; may be a lone surrogate.
    pub fill: u32,
    /// Where the padding goes, the class's default filled in.
    pub align: Align,
    /// `+`, `-` or space.
    pub sign: Option<Sign>,
    /// `z`: a negative zero loses its sign.
    pub no_negative_zero: bool,
    /// `#`
    pub alternate: bool,
    /// The least number of characters.
    pub width: u64,
    /// The separator before the point.
    pub grouping: Option<Grouping>,
    /// Digits after the point, significant digits, or the most characters of a text.
    pub precision: Option<u64>,
    /// The separator after the point (3.14).
    pub fraction_grouping: Option<Grouping>,
    /// The presentation type's code point.
    pub kind: Option<u32>,
}

/// Code points of WTF-8, as far as they are well-formed.
fn code_points(text: &[u8]) -> Vec<u32> {
    let mut points = Vec::with_capacity(text.len());
    let mut at = 0;
    while let Some(&lead) = text.get(at) {
        let (length, bits) = match lead {
            0..0x80 => (1, u32::from(lead)),
            0x80..0xe0 => (2, u32::from(lead & 0x1f)),
            0xe0..0xf0 => (3, u32::from(lead & 0x0f)),
            _ => (4, u32::from(lead & 0x07)),
        };
        let rest = text.get(at + 1..at + length).unwrap_or_default();
        points.push(
            rest.iter()
                .fold(bits, |point, &b| point << 6 | u32::from(b & 0x3f)),
        );
        at += length;
    }
    points
}

/// Appends a code point as WTF-8: as UTF-8, and lone surrogates in the same way.
pub fn push_code_point(out: &mut Vec<u8>, point: u32) {
    match char::from_u32(point) {
        Some(c) => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        None => out.extend_from_slice(&[
            0xe0 | (point >> 12) as u8 & 0x0f,
            0x80 | (point >> 6) as u8 & 0x3f,
            0x80 | point as u8 & 0x3f,
        ]),
    }
}

fn align_of(point: Option<&u32>) -> Option<Align> {
    match char::from_u32(*point?)? {
        '<' => Some(Align::Left),
        '>' => Some(Align::Right),
        '^' => Some(Align::Center),
        '=' => Some(Align::AfterSign),
        _ => None,
    }
}

/// A format character as error messages quote it.
pub(crate) fn quoted_code(point: u32) -> String {
    match char::from_u32(point) {
        Some(c) if (33..128).contains(&point) => format!("'{c}'"),
        _ => format!("'\\x{point:x}'"),
    }
}

fn both_separators() -> NumericError {
    NumericError::value("Cannot specify both ',' and '_'.")
}

/// The code points that are left to read.
struct Reader<'a> {
    points: &'a [u32],
    at: usize,
}

impl Reader<'_> {
    fn take(&mut self, c: char) -> bool {
        let found = self.points.get(self.at) == Some(&(c as u32));
        self.at += usize::from(found);
        found
    }

    fn left(&self) -> usize {
        self.points.len() - self.at
    }

    /// Decimal digits of any script; `None` if there are none.
    fn number(&mut self) -> NumericResult<Option<u64>> {
        let mut value: Option<u64> = None;
        while let Some(digit) = self
            .points
            .get(self.at)
            .and_then(|&point| decimal_value(point))
        {
            let next = value
                .unwrap_or(0)
                .checked_mul(10)
                .and_then(|v| v.checked_add(u64::from(digit)));
            value = match next {
                Some(next) if next <= i64::MAX as u64 => Some(next),
                _ => {
                    return Err(NumericError::value(
                        "Too many decimal digits in format string",
                    ));
                }
            };
            self.at += 1;
        }
        Ok(value)
    }

    /// `,` or `_`, but not both.
    fn grouping(&mut self) -> NumericResult<Option<Grouping>> {
        let grouping = if self.take(',') {
            Grouping::Comma
        } else if self.take('_') {
            Grouping::Underscore
        } else {
            return Ok(None);
        };
        let other = if grouping == Grouping::Comma {
            '_'
        } else {
            ','
        };
        if self.take(other) {
            Err(both_separators())
        } else {
            Ok(Some(grouping))
        }
    }
}

impl FormatSpec {
    /// Reads a specification (UTF-8 or WTF-8) for values of a class; `type_name` is for error messages.
    pub fn parse(text: &[u8], class: Class, type_name: &str) -> NumericResult<FormatSpec> {
        let mut few = [0; 24];
        let many;
        let points: &[u32] = match few.get_mut(..text.len()) {
            // Nearly always, and without an allocation.
            Some(few) if text.is_ascii() => {
                few.iter_mut()
                    .zip(text)
                    .for_each(|(point, &byte)| *point = u32::from(byte));
                few
            }
            _ => {
                many = code_points(text);
                &many
            }
        };
        let default_align = if class == Class::Text {
            Align::Left
        } else {
            Align::Right
        };
        let mut spec = FormatSpec {
            fill: ' ' as u32,
            align: default_align,
            sign: None,
            no_negative_zero: false,
            alternate: false,
            width: 0,
            grouping: None,
            precision: None,
            fraction_grouping: None,
            kind: None,
        };
        let mut reader = Reader { points, at: 0 };
        let mut fill_given = false;
        let mut align_given = true;
        if let Some(align) = align_of(points.get(1)) {
            spec.align = align;
            spec.fill = points[0];
            fill_given = true;
            reader.at = 2;
        } else if let Some(align) = align_of(points.first()) {
            spec.align = align;
            reader.at = 1;
        } else {
            align_given = false;
        }
        spec.sign = if reader.take('+') {
            Some(Sign::Plus)
        } else if reader.take(' ') {
            Some(Sign::Space)
        } else if reader.take('-') {
            Some(Sign::Minus)
        } else {
            None
        };
        spec.no_negative_zero = reader.take('z');
        spec.alternate = reader.take('#');
        if !fill_given && reader.take('0') {
            spec.fill = '0' as u32;
            if !align_given && default_align == Align::Right {
                spec.align = Align::AfterSign;
            }
        }
        spec.width = reader.number()?.unwrap_or(0);
        spec.grouping = reader.grouping()?;
        if reader.take('.') {
            spec.precision = reader.number()?;
            spec.fraction_grouping = reader.grouping()?;
            if spec.precision.is_none() && spec.fraction_grouping.is_none() {
                return Err(NumericError::value("Format specifier missing precision"));
            }
        }
        if reader.left() > 1 {
            let text = String::from_utf8_lossy(text);
            return Err(NumericError::value(format!(
                "Invalid format specifier '{text}' for object of type '{type_name}'"
            )));
        }
        spec.kind = points.get(reader.at).copied();
        spec.check_grouping(class)?;
        Ok(spec)
    }

    fn check_grouping(&self, class: Class) -> NumericResult<()> {
        let kind = self.kind.or(if class == Class::Text {
            Some('s' as u32)
        } else {
            None
        });
        let Some(kind) = kind else { return Ok(()) };
        let refuse = |grouping: Grouping| {
            let separator = grouping.byte() as char;
            Err(NumericError::value(format!(
                "Cannot specify '{separator}' with {}.",
                quoted_code(kind)
            )))
        };
        if let Some(grouping) = self.grouping {
            let allowed = match char::from_u32(kind) {
                Some('d' | 'e' | 'f' | 'g' | 'E' | 'G' | '%' | 'F' | '\0') => true,
                Some('b' | 'o' | 'x' | 'X') => grouping == Grouping::Underscore,
                _ => false,
            };
            if !allowed {
                return refuse(grouping);
            }
        }
        match self.fraction_grouping {
            Some(grouping) if kind == 'n' as u32 => refuse(grouping),
            _ => Ok(()),
        }
    }
}
