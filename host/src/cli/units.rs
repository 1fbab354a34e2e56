//! Numbers with units, as people type them.

use std::time::{Duration, SystemTime};

use coldframe::Policy;

/// A number of bytes: `64M`, `1.5G`, `64MiB`, `100`.
pub(super) fn size(text: &str) -> Result<u64, String> {
    let (number, unit) = split(text);
    let scale: u64 = match unit.to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kb" | "kib" => 1 << 10,
        "m" | "mb" | "mib" => 1 << 20,
        "g" | "gb" | "gib" => 1 << 30,
        _ => return Err("not a size such as 64M or 1G".to_owned()),
    };
    scaled(number, scale, "a size such as 64M or 1G")
}

/// A plain number: `5000000`, `5_000_000`, `5M`.
pub(super) fn count(text: &str) -> Result<u64, String> {
    let (number, unit) = split(text);
    let scale: u64 = match unit.to_ascii_lowercase().as_str() {
        "" => 1,
        "k" => 1_000,
        "m" => 1_000_000,
        "g" => 1_000_000_000,
        _ => return Err("not a number such as 5000000 or 10G".to_owned()),
    };
    scaled(number, scale, "a number such as 5000000 or 10G")
}

/// A number of frames.
pub(super) fn frames(text: &str) -> Result<u32, String> {
    u32::try_from(count(text)?).map_err(|_| TOO_LARGE.to_owned())
}

/// A time: `5s`, `500ms`, `2m`; seconds if there is no unit.
pub(super) fn time(text: &str) -> Result<Duration, String> {
    let (number, unit) = split(text);
    let nanoseconds: u64 = match unit {
        "ms" => 1_000_000,
        "" | "s" => 1_000_000_000,
        "m" | "min" => 60_000_000_000,
        "h" => 3_600_000_000_000,
        _ => return Err("not a time such as 5s or 500ms".to_owned()),
    };
    scaled(number, nanoseconds, "a time such as 5s or 500ms").map(Duration::from_nanos)
}

/// A moment as RFC 3339 has it: `2026-01-02T03:04:05Z`, with a fraction of a second and an offset if need be.
pub(super) fn moment(text: &str) -> Result<SystemTime, String> {
    let (seconds, nanoseconds) =
        parse_moment(text).ok_or("not a time such as 2026-01-02T03:04:05Z")?;
    let since = u64::try_from(seconds)
        .map_err(|_| "before 1970, where the clocks of a sandbox begin".to_owned())?;
    let since = Duration::new(since, nanoseconds);
    match SystemTime::UNIX_EPOCH.checked_add(since) {
        Some(moment) if since <= Policy::LAST_CLOCK => Ok(moment),
        _ => Err("after 2554-07-21T23:34:33Z, where the clocks of a sandbox end".to_owned()),
    }
}

/// Seconds and nanoseconds since the Unix epoch.
fn parse_moment(text: &str) -> Option<(i64, u32)> {
    let number = |range: std::ops::Range<usize>| -> Option<u64> {
        let digits = text.get(range)?;
        if digits.bytes().all(|b| b.is_ascii_digit()) {
            digits.parse().ok()
        } else {
            None
        }
    };
    let fits = |at: usize, wanted: &str| text.get(at..=at).is_some_and(|c| wanted.contains(c));
    if !(fits(4, "-") && fits(7, "-") && fits(10, "Tt ") && fits(13, ":") && fits(16, ":")) {
        return None;
    }
    let (year, month, day) = (number(0..4)?, number(5..7)?, number(8..10)?);
    let (hour, minute, second) = (number(11..13)?, number(14..16)?, number(17..19)?);
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let length = match month {
        2 => 28 + u64::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    let fine = (1..=length).contains(&day) && hour < 24 && minute < 60 && second < 60;
    if !fine || year == 0 {
        return None;
    }
    let mut rest = text.get(19..)?;
    let mut nanoseconds = 0;
    if let Some(fraction) = rest.strip_prefix('.') {
        let end = fraction
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(fraction.len());
        let digits = fraction.get(..end.min(9)).filter(|d| !d.is_empty())?;
        nanoseconds = digits.parse::<u64>().ok()? * 10u64.pow(9 - digits.len() as u32);
        rest = &fraction[end..];
    }
    let offset = match rest.as_bytes() {
        b"Z" | b"z" => 0,
        [sign @ (b'+' | b'-'), h1, h2, b':', m1, m2] => {
            let digit = |b: &u8| b.is_ascii_digit().then(|| i64::from(b - b'0'));
            let hours = digit(h1)? * 10 + digit(h2)?;
            let minutes = digit(m1)? * 10 + digit(m2)?;
            let seconds = hours * 3600 + minutes * 60;
            if *sign == b'-' { -seconds } else { seconds }
        }
        _ => return None,
    };
    let before = |year: u64| year * 365 + year / 4 - year / 100 + year / 400;
    let days_before_month = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
    let days = before(year - 1)
        + days_before_month[month as usize - 1]
        + u64::from(is_leap && month > 2)
        + day
        - 1;
    let seconds = i64::try_from(days * 86_400 + hour * 3600 + minute * 60 + second).ok()?;
    let epoch = i64::try_from(before(1969) * 86_400).ok()?;
    Some((seconds - epoch - offset, u32::try_from(nanoseconds).ok()?))
}

fn split(text: &str) -> (&str, &str) {
    let end = text
        .find(|c: char| !matches!(c, '0'..='9' | '.' | '_'))
        .unwrap_or(text.len());
    text.split_at(end)
}

/// What there is no limit for.
const TOO_LARGE: &str = "too large";

/// A decimal number times a scale. More than fits is refused here: a limit's own check would call it by another number.
fn scaled(number: &str, scale: u64, what: &str) -> Result<u64, String> {
    let not = || format!("not {what}");
    let number = number.replace('_', "");
    let (whole, fraction) = number.split_once('.').unwrap_or((&number, ""));
    if whole.is_empty() || !fraction.bytes().all(|b| b.is_ascii_digit()) {
        return Err(not());
    }
    let mut digits = whole.bytes().map(|b| u64::from(b - b'0'));
    let whole = digits.try_fold(0u64, |n, digit| n.checked_mul(10)?.checked_add(digit));
    let part = if fraction.is_empty() {
        0.0
    } else {
        let part = format!("0.{fraction}").parse::<f64>();
        part.map_err(|_| not())? * scale as f64
    };
    whole
        .and_then(|whole| whole.checked_mul(scale)?.checked_add(part.round() as u64))
        .ok_or_else(|| TOO_LARGE.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        assert_eq!(size("64M"), Ok(64 << 20));
        assert_eq!(size("1.5g"), Ok(3 << 29));
        assert_eq!(size("2KiB"), Ok(2048));
        assert_eq!(size("100"), Ok(100));
        for large in [
            "99999999999999999999999",
            "18446744073709551616",
            "99999999999999G",
        ] {
            assert_eq!(size(large), Err("too large".to_owned()), "{large}");
        }
        assert_eq!(size("18446744073709551615"), Ok(u64::MAX));
        for bad in ["", "M", "1X", "-1", "1.2.3M", "1 M", "0x10", "."] {
            assert!(size(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn moments() {
        let at = |text: &str| {
            moment(text).map(|t| {
                let since = t.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
                (since.as_secs(), since.subsec_nanos())
            })
        };
        assert_eq!(at("1970-01-01T00:00:00Z"), Ok((0, 0)));
        assert_eq!(at("2026-01-02T03:04:05Z"), Ok((1_767_323_045, 0)));
        assert_eq!(
            at("2024-02-29T23:59:59.25+02:00"),
            Ok((1_709_243_999, 250_000_000))
        );
        assert_eq!(at("2100-03-01T00:00:00-05:30"), Ok((4_107_562_200, 0)));
        for bad in [
            "",
            "2026",
            "2026-02-30T00:00:00Z",
            "2026-01-02T03:04:05",
            "0000-01-01T00:00:00Z",
            "2026-01-02T24:00:00Z",
        ] {
            assert_eq!(
                at(bad),
                Err("not a time such as 2026-01-02T03:04:05Z".to_owned())
            );
        }
        for (beyond, why) in [
            ("1969-12-31T23:59:59Z", "before 1970"),
            ("1970-01-01T00:00:00+00:01", "before 1970"),
            ("0001-01-01T00:00:00Z", "before 1970"),
            ("2554-07-21T23:34:34Z", "after 2554"),
            ("9999-12-31T23:59:59Z", "after 2554"),
        ] {
            let error = at(beyond).unwrap_err();
            assert!(error.starts_with(why), "{beyond}: {error}");
        }
        assert_eq!(at("1969-12-31T23:59:59-00:01"), Ok((59, 0)));
        assert_eq!(
            at("2554-07-21T23:34:33Z").map(|(seconds, _)| seconds),
            Ok(Policy::LAST_CLOCK.as_secs())
        );
    }

    #[test]
    fn counts() {
        assert_eq!(count("1_000"), Ok(1000));
        assert_eq!(count("2G"), Ok(2_000_000_000));
        assert!(count("1e9").is_err());
    }

    #[test]
    fn times() {
        assert_eq!(time("5s"), Ok(Duration::from_secs(5)));
        assert_eq!(time("5"), Ok(Duration::from_secs(5)));
        assert_eq!(time("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(time("1.5m"), Ok(Duration::from_secs(90)));
        assert_eq!(time("0"), Ok(Duration::ZERO));
        assert!(time("soon").is_err());
        assert!(time("5 s").is_err());
    }
}
