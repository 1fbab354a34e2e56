//! Reading the formats of ISO 8601. Knows texts only; what is no format at all gives `None`.
//!
//! The grammar is that of the documentation of `fromisoformat`: basic and extended formats, weeks, fractions of seconds of any length (cut to six
//! digits), zones; the separator of date and time is any character.

use super::calendar::{MAX_ORDINAL, Ymd, ordinal_of_iso};

/// A text with a position; behind the end there are zeros.
struct Cursor<'a> {
    text: &'a [u8],
    at: usize,
}

impl Cursor<'_> {
    fn peek(&self) -> u8 {
        self.text.get(self.at).copied().unwrap_or(0)
    }

    fn next(&mut self) -> u8 {
        let b = self.peek();
        self.at += 1;
        b
    }

    fn digits(&mut self, count: usize) -> Option<i64> {
        let mut number = 0;
        for _ in 0..count {
            match self.next() {
                b @ b'0'..=b'9' => number = number * 10 + i64::from(b - b'0'),
                _ => return None,
            }
        }
        Some(number)
    }
}

/// Year, month and day of a date of `length` bytes at the beginning of the text; the numbers may be out of range.
pub(super) fn date(text: &[u8], length: usize) -> Option<(i64, i64, i64)> {
    let mut c = Cursor { text, at: 0 };
    let year = c.digits(4)?;
    let separated = c.peek() == b'-';
    c.at += usize::from(separated);
    if c.peek() == b'W' {
        c.at += 1;
        let week = c.digits(2)?;
        let day = if c.at < length {
            if separated && c.next() != b'-' {
                return None;
            }
            c.digits(1)?
        } else {
            1
        };
        let ordinal = ordinal_of_iso(year, week, day).ok()?;
        return Some(match Ymd::of_ordinal(ordinal) {
            Some(d) => (d.year.into(), d.month.into(), d.day.into()),
            // The last week of the last year runs into the next.
            None => (year + 1, 1, ordinal - MAX_ORDINAL),
        });
    }
    let month = c.digits(2)?;
    if separated && c.next() != b'-' {
        return None;
    }
    Some((year, month, c.digits(2)?))
}

/// A time as it was read; the numbers may be out of range.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(super) struct Time {
    pub(super) clock: [i64; 4],
    /// The distance from UTC in seconds and microseconds, if there is one.
    pub(super) offset: Option<(i64, i64)>,
}

/// Hour, minute, second and microsecond up to `end`, and whether something is left.
fn clock(text: &[u8], start: usize, end: usize) -> Option<([i64; 4], bool)> {
    let mut c = Cursor { text, at: start };
    let mut parts = [0; 4];
    let mut separated = true;
    for i in 0..3 {
        parts[i] = c.digits(2)?;
        let b = c.next();
        if i == 0 {
            separated = b == b':';
        }
        if c.at >= end {
            return Some((parts, b != 0));
        }
        match b {
            b':' if separated && i < 2 => {}
            b'.' | b',' if i == 2 => break,
            _ if separated || matches!(b, b'.' | b',') => return None,
            _ => c.at -= 1,
        }
    }
    let count = (end - c.at).min(6);
    let fraction = c.digits(count)?;
    parts[3] = fraction * 10_i64.pow(6 - count as u32);
    while c.peek().is_ascii_digit() {
        c.at += 1;
    }
    Some((parts, c.peek() != 0))
}

/// A time with or without a zone.
pub(super) fn time(text: &[u8]) -> Option<Time> {
    let zone = |b: &u8| matches!(b, b'Z' | b'+' | b'-');
    let at = text.iter().position(zone).unwrap_or(text.len());
    let (parts, more) = clock(text, 0, at)?;
    let offset = match text.get(at) {
        None if more => return None,
        None => None,
        Some(b'Z') => {
            if text.get(at + 1).is_some_and(|&b| b != 0) {
                return None;
            }
            Some((0, 0))
        }
        Some(sign) => {
            let ([hour, minute, second, microsecond], more) = clock(text, at + 1, text.len())?;
            if more {
                return None;
            }
            let sign = if *sign == b'-' { -1 } else { 1 };
            let seconds = hour * 3600 + minute * 60 + second;
            Some((sign * seconds, sign * microsecond))
        }
    };
    Some(Time {
        clock: parts,
        offset,
    })
}

/// Where the date ends in a text of a date and a time.
pub(super) fn date_length(text: &[u8]) -> usize {
    let is_digit = |i: usize| text.get(i).is_some_and(u8::is_ascii_digit);
    let byte = |i: usize| text.get(i).copied().unwrap_or(0);
    if text.len() == 7 {
        return 7;
    }
    match (byte(4), byte(5)) {
        // YYYY-Www, and -d behind it unless that is a separator and an hour of two digits.
        (b'-', b'W') if byte(8) == b'-' && text.len() > 8 => {
            if text.len() > 10 && is_digit(10) {
                8
            } else {
                10
            }
        }
        (b'-', b'W') => 8,
        (b'-', _) => 10,
        // YYYYWww or YYYYWwwd: hours have two digits, so an even number of digits in all means that the week goes without a day.
        (b'W', _) => {
            let mut end = 7;
            while is_digit(end) {
                end += 1;
            }
            match end {
                ..9 => end,
                _ if end % 2 == 0 => 7,
                _ => 8,
            }
        }
        _ => 8,
    }
}

/// A date and a time.
pub(super) struct DateTime {
    pub(super) date: (i64, i64, i64),
    pub(super) time: Time,
}

/// A date, and perhaps a time behind any one character. `separator` is the length of that character in bytes.
pub(super) fn datetime(text: &[u8]) -> Option<DateTime> {
    let length = date_length(text);
    let date = date(text, length)?;
    if text.len() <= length {
        return Some(DateTime {
            date,
            time: Time::default(),
        });
    }
    let separator = match text[length] {
        0..0x80 => 1,
        0xE0..0xF0 => 3,
        0xF0.. => 4,
        _ => 2,
    };
    let rest = text.get(length + separator..)?;
    Some(DateTime {
        date,
        time: time(rest)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_told_apart() {
        assert_eq!(date(b"2020-02-30", 10), Some((2020, 2, 30)));
        assert_eq!(date(b"2020W011", 8), Some((2019, 12, 30)));
        assert_eq!(date(b"9999-W52-7", 10), Some((10_000, 1, 2)));
        assert_eq!(date(b"2020-0101", 9), None);
        let t = time(b"12:30:45.5+01:00").unwrap();
        assert_eq!(t.clock, [12, 30, 45, 500_000]);
        assert_eq!(t.offset, Some((3600, 0)));
        assert_eq!(time(b"12:3045"), None);
        assert_eq!(time(b"12:30.5"), None);
        assert_eq!(time(b""), None);
        assert_eq!(date_length(b"2020W01112"), 7);
        assert_eq!(date_length(b"2020W0111234"), 7);
        assert_eq!(date_length(b"2020W011123"), 8);
        assert_eq!(date_length(b"2020-W01-12"), 8);
    }
}
