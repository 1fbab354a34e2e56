//! Numbers as text, in both directions ("to-scientific-string", "to-engineering-string" and "to-number" of the specification).

use super::coefficient::Coefficient;
use super::number::{Context, Kind, MAX_EMAX, MIN_ETINY, Number, Status};
use crate::int_text::HARD_MAX_DIGITS;
use crate::unicode::{to_ascii_number, trim};
use std::borrow::Cow;

/// No coefficient is longer than this.
pub const MAX_DIGITS: u64 = HARD_MAX_DIGITS as u64;

/// Exponents in text end here: what is larger is too large in any case.
const ENDLESS: i64 = 4_000_000_000_000_000_000;

fn parse(text: &[u8]) -> Option<Number> {
    let (negative, body) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    };
    if !matches!(body.first(), Some(b'0'..=b'9' | b'.')) {
        return special(negative, body);
    }
    let (mantissa, exponent) = match body.iter().position(|b| matches!(b, b'e' | b'E')) {
        Some(at) => (&body[..at], exponent(&body[at + 1..])?),
        None => (body, 0),
    };
    let all_digits = |text: &[u8]| text.iter().all(u8::is_ascii_digit);
    let (digits, places) = match mantissa.iter().position(|&b| b == b'.') {
        Some(at) => {
            let (whole, fraction) = (&mantissa[..at], &mantissa[at + 1..]);
            let digits = if whole.is_empty() {
                Cow::Borrowed(fraction)
            } else {
                Cow::Owned([whole, fraction].concat())
            };
            (digits, fraction.len() as i64)
        }
        None => (Cow::Borrowed(mantissa), 0),
    };
    if digits.is_empty() || !all_digits(&digits) {
        return None;
    }
    let coefficient = Coefficient::from_digits(&digits);
    Some(Number::finite(negative, coefficient, exponent - places))
}

fn exponent(text: &[u8]) -> Option<i64> {
    let (negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    };
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let size = digits.iter().fold(0i64, |size, d| {
        (size.saturating_mul(10).saturating_add(i64::from(d - b'0'))).min(ENDLESS)
    });
    Some(if negative { -size } else { size })
}

fn special(negative: bool, text: &[u8]) -> Option<Number> {
    let lower = |n: usize| text.get(..n).map(<[u8]>::to_ascii_lowercase);
    if text.len() <= 8 {
        let whole = text.to_ascii_lowercase();
        if whole == b"inf" || whole == b"infinity" {
            return Some(Number::infinity(negative));
        }
    }
    let (kind, payload) = if lower(3).as_deref() == Some(b"nan") {
        (Kind::Quiet, &text[3..])
    } else if lower(4).as_deref() == Some(b"snan") {
        (Kind::Signaling, &text[4..])
    } else {
        return None;
    };
    payload.iter().all(u8::is_ascii_digit).then(|| Number {
        kind,
        ..Number::finite(negative, Coefficient::from_digits(payload), 0)
    })
}

impl Context {
    /// The number that a text is, rounded as the context says; the text has no spaces and no underscores.
    pub fn read(&self, text: &str, status: &mut Status) -> Number {
        let ascii = to_ascii_number(text);
        if ascii.len() as u64 > MAX_DIGITS {
            status.raise(Status::NO_ROOM);
            return Number::nan();
        }
        match parse(&ascii) {
            Some(number) => match number.kind {
                Kind::Finite => self.finish(number, status),
                Kind::Infinite => number,
                _ => {
                    let most = self.precision - i64::from(self.clamp);
                    if number.coefficient.digits() as i64 > most && !number.coefficient.is_zero() {
                        return self.invalid(Status::CONVERSION_SYNTAX, status);
                    }
                    number
                }
            },
            None => self.invalid(Status::CONVERSION_SYNTAX, status),
        }
    }
}

impl Number {
    /// The number that a text is, exactly; spaces around it and underscores are allowed.
    pub fn read_exactly(text: &str, status: &mut Status) -> Number {
        let ascii = to_ascii_number(text);
        if ascii.len() as u64 > MAX_DIGITS {
            status.raise(Status::NO_ROOM);
            return Number::nan();
        }
        let plain = trim(&ascii);
        let number = if plain.contains(&b'_') {
            let digits: Vec<u8> = plain.iter().copied().filter(|&b| b != b'_').collect();
            parse(&digits)
        } else {
            parse(plain)
        };
        match number {
            Some(number) => number.checked(status),
            None => {
                status.raise(Status::CONVERSION_SYNTAX);
                Number::nan()
            }
        }
    }

    /// The number, if there can be such a one at all.
    pub fn checked(self, status: &mut Status) -> Number {
        if self.is_special() || self.exponent >= MIN_ETINY && self.adjusted() <= MAX_EMAX {
            return self;
        }
        status.raise(Status::INVALID_OPERATION);
        Number::nan()
    }

    /// The payload of a NaN as text.
    fn payload(&self) -> String {
        if self.coefficient.is_zero() {
            String::new()
        } else {
            self.coefficient.text()
        }
    }

    /// The text of the number; in engineering notation exponents are multiples of three.
    pub fn text(&self, engineering: bool, capitals: bool) -> String {
        let sign = if self.negative { "-" } else { "" };
        match self.kind {
            Kind::Infinite => return format!("{sign}Infinity"),
            Kind::Quiet => return format!("{sign}NaN{}", self.payload()),
            Kind::Signaling => return format!("{sign}sNaN{}", self.payload()),
            Kind::Finite => {}
        }
        let digits = self.coefficient.text();
        let length = digits.len() as i64;
        if self.exponent == 0 {
            return format!("{sign}{digits}");
        }
        // How many digits stand before the point, in plain notation.
        let left = self.exponent + length;
        let point = if self.exponent <= 0 && left > -6 {
            left
        } else if !engineering {
            1
        } else if self.coefficient.is_zero() {
            (left + 1).rem_euclid(3) - 1
        } else {
            (left - 1).rem_euclid(3) + 1
        };
        let mut out = String::with_capacity(digits.len() + 12);
        out.push_str(sign);
        if point <= 0 {
            out.push_str("0.");
            out.extend(std::iter::repeat_n('0', point.unsigned_abs() as usize));
            out.push_str(&digits);
        } else if point >= length {
            out.push_str(&digits);
            out.extend(std::iter::repeat_n('0', (point - length) as usize));
        } else {
            out.push_str(&digits[..point as usize]);
            out.push('.');
            out.push_str(&digits[point as usize..]);
        }
        if left != point {
            out.push(if capitals { 'E' } else { 'e' });
            let exponent = left - point;
            if exponent >= 0 {
                out.push('+');
            }
            out.push_str(itoa::Buffer::new().format(exponent));
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Number {
        let mut status = Status::default();
        let number = Number::read_exactly(text, &mut status);
        assert_eq!(status, Status::default(), "{text}");
        number
    }

    #[test]
    fn texts_come_back() {
        for text in [
            "0",
            "-0",
            "1.50",
            "1E+3",
            "1.23E-10",
            "0.000001",
            "1E-7",
            "Infinity",
            "-NaN12",
            "sNaN",
            "0E+5",
            "0.00",
            "123456789012345678901234567890123456789012345678.9",
        ] {
            assert_eq!(number(text).text(false, true), text);
        }
        assert_eq!(number(" 1_0.0_1\n").text(false, true), "10.01");
        assert_eq!(number("123E+7").text(true, true), "1.23E+9");
        assert_eq!(number("0E+4").text(true, true), "0.00E+6");
        assert_eq!(number("12E-9").text(true, false), "12e-9");
    }

    #[test]
    fn what_is_no_number() {
        for text in ["", ".", "1e", "e5", "1.2.3", "infi", "nanx", "--1", "1 2"] {
            let mut status = Status::default();
            Number::read_exactly(text, &mut status);
            assert_eq!(status.0, Status::CONVERSION_SYNTAX, "{text}");
        }
    }
}
