//! Numbers laid out as format specifications ask for.

use super::number::{Number, Rounding};

/// How the digits are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// `e` and `E`
    Exponent,
    /// `f` and `F`
    Fixed,
    /// `g` and `G`, and the style without a letter.
    General,
    /// `%`
    Percent,
}

/// A format specification of the plain kind: ASCII, without `z`, `#`, `n`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Picture {
    fill: u8,
    align: u8,
    sign: u8,
    zeros: bool,
    width: usize,
    commas: bool,
    precision: Option<usize>,
    style: Style,
    /// Whether the letter is a capital; `None`: as the context says.
    capital: Option<bool>,
}

/// Wider fields and longer fractions are for those who count what they take.
const WIDE: usize = 10_000;

impl Picture {
    /// Reads a specification; `None` when it is of another kind, or wrong.
    pub fn parse(text: &str) -> Option<Picture> {
        let mut rest = text.as_bytes();
        if !text.is_ascii() {
            return None;
        }
        let mut picture = Picture {
            fill: b' ',
            align: b'>',
            sign: b'-',
            zeros: false,
            width: 0,
            commas: false,
            precision: None,
            style: Style::General,
            capital: None,
        };
        let is_align = |b: u8| matches!(b, b'<' | b'>' | b'^' | b'=');
        let mut aligned = true;
        match rest {
            [fill, align, tail @ ..] if is_align(*align) => {
                (picture.fill, picture.align, rest) = (*fill, *align, tail);
            }
            [align, tail @ ..] if is_align(*align) => (picture.align, rest) = (*align, tail),
            _ => aligned = false,
        }
        if let [sign @ (b'+' | b'-' | b' '), tail @ ..] = rest {
            (picture.sign, rest) = (*sign, tail);
        }
        if let [b'0', tail @ ..] = rest {
            if aligned {
                return None;
            }
            (picture.zeros, rest) = (true, tail);
        }
        let number = |rest: &mut &[u8]| {
            let length = rest.iter().take_while(|b| b.is_ascii_digit()).count();
            let (digits, tail) = rest.split_at(length);
            *rest = tail;
            let value = digits.iter().try_fold(0usize, |value, d| {
                let value = value * 10 + usize::from(d - b'0');
                (value <= WIDE).then_some(value)
            })?;
            Some((value, length))
        };
        picture.width = number(&mut rest)?.0;
        if let [b',', tail @ ..] = rest {
            (picture.commas, rest) = (true, tail);
        }
        if let [b'.', tail @ ..] = rest {
            rest = tail;
            let (value, length) = number(&mut rest)?;
            if length == 0 {
                return None;
            }
            picture.precision = Some(value);
        }
        let (style, capital) = match rest {
            [] => (Style::General, None),
            [b'e'] => (Style::Exponent, Some(false)),
            [b'E'] => (Style::Exponent, Some(true)),
            [b'f' | b'F'] => (Style::Fixed, Some(false)),
            [b'g'] => (Style::General, Some(false)),
            [b'G'] => (Style::General, Some(true)),
            [b'%'] => (Style::Percent, Some(false)),
            _ => return None,
        };
        (picture.style, picture.capital) = (style, capital);
        Some(picture)
    }
}

impl Number {
    /// So many significant digits.
    fn to_significant(&self, digits: usize, rounding: Rounding) -> Number {
        if self.coefficient.is_zero() {
            return self.clone();
        }
        let places = |n: &Number| n.adjusted() + 1 - digits as i64;
        let rounded = self.rescaled(places(self), rounding);
        // 99.97 becomes 100.0, which has one digit too many.
        if rounded.adjusted() != self.adjusted() {
            return rounded.rescaled(places(&rounded), rounding);
        }
        rounded
    }

    /// The finite number as the picture says; `None` when that is too long to be made at once.
    pub fn format(&self, picture: &Picture, rounding: Rounding, capitals: bool) -> Option<String> {
        if self.exponent.unsigned_abs() > WIDE as u64 * 2
            && !matches!(picture.style, Style::General | Style::Exponent)
        {
            return None;
        }
        let mut number = self.clone();
        if picture.style == Style::Percent {
            number.exponent += 2;
        }
        let precision = match (picture.precision, picture.style) {
            (Some(0), Style::General) => Some(1),
            (precision, _) => precision,
        };
        if let Some(precision) = precision {
            match picture.style {
                Style::Exponent => number = number.to_significant(precision + 1, rounding),
                Style::Fixed | Style::Percent => {
                    number = number.rescaled(-(precision as i64), rounding);
                }
                Style::General if number.coefficient.digits() > precision as u64 => {
                    number = number.to_significant(precision, rounding);
                }
                Style::General => {}
            }
        }
        let fixed = matches!(picture.style, Style::Fixed | Style::Percent);
        if number.coefficient.is_zero() && number.exponent > 0 && fixed {
            number.exponent = 0;
        }
        let digits = number.coefficient.text();
        let length = digits.len() as i64;
        let left = number.exponent + length;
        let point = match picture.style {
            Style::Exponent => match precision {
                Some(precision) if number.coefficient.is_zero() => 1 - precision as i64,
                _ => 1,
            },
            Style::Fixed | Style::Percent => left,
            Style::General if number.exponent <= 0 && left > -6 => left,
            Style::General => 1,
        };
        let (mut whole, mut tail) = if point < 0 {
            let zeros = "0".repeat(point.unsigned_abs() as usize);
            ("0".to_owned(), zeros + &digits)
        } else if point > length {
            let zeros = "0".repeat((point - length) as usize);
            (digits + &zeros, String::new())
        } else {
            let (whole, tail) = digits.split_at(point as usize);
            let whole = if whole.is_empty() { "0" } else { whole };
            (whole.to_owned(), tail.to_owned())
        };
        if !tail.is_empty() {
            tail.insert(0, '.');
        }
        let exponent = left - point;
        if exponent != 0 || picture.style == Style::Exponent {
            tail.push(if picture.capital.unwrap_or(capitals) {
                'E'
            } else {
                'e'
            });
            tail.push_str(&format!("{exponent:+}"));
        }
        if picture.style == Style::Percent {
            tail.push('%');
        }
        let sign = match (number.negative, picture.sign) {
            (true, _) => "-",
            (_, b'+') => "+",
            (_, b' ') => " ",
            _ => "",
        };
        let room = picture.width.saturating_sub(sign.len() + tail.len());
        if picture.zeros {
            whole = grouped(&whole, picture.commas, room);
        } else if picture.commas {
            whole = grouped(&whole, true, 0);
        }
        let body = whole + &tail;
        let missing = picture.width.saturating_sub(sign.len() + body.len());
        let fill = |n: usize| char::from(picture.fill).to_string().repeat(n);
        Some(match picture.align {
            b'<' => format!("{sign}{body}{}", fill(missing)),
            b'^' => {
                let before = missing / 2;
                format!("{}{sign}{body}{}", fill(before), fill(missing - before))
            }
            b'=' => format!("{sign}{}{body}", fill(missing)),
            _ => format!("{}{sign}{body}", fill(missing)),
        })
    }
}

/// The digits with zeros before them up to a width, and with commas between groups of three; no comma comes first.
fn grouped(digits: &str, commas: bool, width: usize) -> String {
    if !commas {
        return "0".repeat(width.saturating_sub(digits.len())) + digits;
    }
    let mut groups: Vec<String> = digits
        .as_bytes()
        .rchunks(3)
        .map(|group| String::from_utf8_lossy(group).into_owned())
        .collect();
    let length = |groups: &[String]| groups.iter().map(|g| g.len() + 1).sum::<usize>() - 1;
    loop {
        let missing = width.saturating_sub(length(&groups));
        if missing == 0 {
            break;
        }
        if let Some(first) = groups.last_mut()
            && first.len() < 3
        {
            let zeros = missing.min(3 - first.len());
            first.insert_str(0, &"0".repeat(zeros));
        } else {
            groups.push("0".repeat(missing.saturating_sub(1).clamp(1, 3)));
        }
    }
    groups.reverse();
    groups.join(",")
}
