//! `strftime`, in the C locale and with the extensions of the GNU library (flags and widths).

use super::calendar::Broken;

const DAYS: [&str; 7] = [
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
    "Sunday",
];
const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// The name of a day of the week (0 is Monday).
pub(crate) fn day_name(weekday: i64) -> &'static str {
    DAYS[weekday.rem_euclid(7) as usize]
}

/// The name of a month (from 1).
pub(crate) fn month_name(month: i64) -> &'static str {
    MONTHS[(month - 1).rem_euclid(12) as usize]
}

/// A zone: its name and its distance from UTC in seconds.
pub(crate) struct Zone<'a> {
    pub(crate) name: &'a str,
    pub(crate) offset: i64,
}

/// Formats a time. The format is WTF-8; so is what is appended.
pub(crate) fn format(out: &mut Vec<u8>, pattern: &[u8], t: &Broken, zone: &Zone) {
    let mut rest = pattern;
    while let Some((&b, tail)) = rest.split_first() {
        if b != b'%' {
            out.push(b);
            rest = tail;
            continue;
        }
        let used = directive(out, tail, t, zone);
        if used == 0 {
            out.push(b'%');
        }
        rest = &tail[used..];
    }
}

/// Padding of a number: character and width.
type Pad = Option<(u8, usize)>;

/// Appends what a directive (without its `%`) stands for, and tells how long it is; 0 when it is none.
fn directive(out: &mut Vec<u8>, text: &[u8], t: &Broken, zone: &Zone) -> usize {
    let mut at = 0;
    let (mut flag, mut upper, mut swap) = (None, false, false);
    while let Some(&b) = text.get(at) {
        match b {
            b'_' | b'-' | b'0' => flag = Some(b),
            b'^' => upper = true,
            b'#' => swap = true,
            _ => break,
        }
        at += 1;
    }
    let mut width = 0;
    while let Some(d) = text.get(at).filter(|b| b.is_ascii_digit()) {
        width = (width * 10 + usize::from(d - b'0')).min(1000);
        at += 1;
    }
    if matches!(text.get(at), Some(b'E' | b'O')) {
        at += 1;
    }
    let Some(&code) = text.get(at) else { return 0 };
    let number = |value: i64, digits: usize, fill: u8| {
        let pad: Pad = match flag {
            Some(b'-') => None,
            Some(b'_') => Some((b' ', digits.max(width))),
            Some(_) => Some((b'0', digits.max(width))),
            None => Some((fill, digits.max(width))),
        };
        padded(value, pad)
    };
    let nested = |pattern: &str| {
        let mut inner = Vec::new();
        format(&mut inner, pattern.as_bytes(), t, zone);
        String::from_utf8_lossy(&inner).into_owned()
    };
    let hour12 = if t.hour % 12 == 0 { 12 } else { t.hour % 12 };
    let half = if t.hour < 12 { "AM" } else { "PM" };
    let mut piece = match code {
        b'a' => day_name(t.weekday)[..3].to_owned(),
        b'A' => day_name(t.weekday).to_owned(),
        b'b' | b'h' => month_name(t.month)[..3].to_owned(),
        b'B' => month_name(t.month).to_owned(),
        b'c' => nested("%a %b %e %H:%M:%S %Y"),
        b'C' => number(t.year.div_euclid(100), 2, b'0'),
        b'd' => number(t.day, 2, b'0'),
        b'D' | b'x' => nested("%m/%d/%y"),
        b'e' => number(t.day, 2, b' '),
        b'F' => nested("%Y-%m-%d"),
        b'g' => number(t.iso_week().0.rem_euclid(100), 2, b'0'),
        b'G' => number(t.iso_week().0, 1, b'0'),
        b'H' => number(t.hour, 2, b'0'),
        b'I' => number(hour12, 2, b'0'),
        b'j' => number(t.yearday, 3, b'0'),
        b'k' => number(t.hour, 2, b' '),
        b'l' => number(hour12, 2, b' '),
        b'm' => number(t.month, 2, b'0'),
        b'M' => number(t.minute, 2, b'0'),
        b'n' => "\n".to_owned(),
        b'p' if swap => half.to_ascii_lowercase(),
        b'p' => half.to_owned(),
        b'P' => half.to_ascii_lowercase(),
        b'r' => nested("%I:%M:%S %p"),
        b'R' => nested("%H:%M"),
        b's' => number(t.seconds().unwrap_or(0) - zone.offset, 1, b'0'),
        b'S' => number(t.second, 2, b'0'),
        b't' => "\t".to_owned(),
        b'T' | b'X' => nested("%H:%M:%S"),
        b'u' => number(t.weekday + 1, 1, b'0'),
        b'U' => number((t.yearday - 1 + 7 - (t.weekday + 1) % 7) / 7, 2, b'0'),
        b'V' => number(t.iso_week().1, 2, b'0'),
        b'w' => number((t.weekday + 1) % 7, 1, b'0'),
        b'W' => number((t.yearday - 1 + 7 - t.weekday) / 7, 2, b'0'),
        b'y' => number(t.year.rem_euclid(100), 2, b'0'),
        b'Y' => number(t.year, 1, b'0'),
        b'z' => {
            let minutes = zone.offset.abs() / 60;
            format!(
                "{}{:02}{:02}",
                if zone.offset < 0 { '-' } else { '+' },
                minutes / 60,
                minutes % 60
            )
        }
        b'Z' if swap => zone.name.to_lowercase(),
        b'Z' => zone.name.to_owned(),
        b'%' => "%".to_owned(),
        _ => return 0,
    };
    if upper || (swap && matches!(code, b'a' | b'A' | b'b' | b'B' | b'h')) {
        piece = piece.to_uppercase();
    }
    let missing = width.saturating_sub(piece.chars().count());
    let fill = if flag == Some(b'0') { b'0' } else { b' ' };
    if flag != Some(b'-') {
        out.extend(std::iter::repeat_n(fill, missing));
    }
    out.extend_from_slice(piece.as_bytes());
    at + 1
}

fn padded(value: i64, pad: Pad) -> String {
    let digits = value.unsigned_abs().to_string();
    let sign = if value < 0 { "-" } else { "" };
    match pad {
        Some((b'0', width)) => format!(
            "{sign}{}{digits}",
            "0".repeat(width.saturating_sub(digits.len() + sign.len()))
        ),
        Some((_, width)) => format!(
            "{}{sign}{digits}",
            " ".repeat(width.saturating_sub(digits.len() + sign.len()))
        ),
        None => format!("{sign}{digits}"),
    }
}
