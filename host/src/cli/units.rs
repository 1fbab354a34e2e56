//! Numbers with units, as people type them.

use std::time::Duration;

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
    scaled(number, scale).ok_or_else(|| "not a size such as 64M or 1G".to_owned())
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
    scaled(number, scale).ok_or_else(|| "not a number such as 5000000 or 10G".to_owned())
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
    scaled(number, nanoseconds)
        .map(Duration::from_nanos)
        .ok_or_else(|| "not a time such as 5s or 500ms".to_owned())
}

fn split(text: &str) -> (&str, &str) {
    let end = text
        .find(|c: char| !matches!(c, '0'..='9' | '.' | '_'))
        .unwrap_or(text.len());
    text.split_at(end)
}

/// A decimal number times a scale. More than fits becomes the largest number, so that the limit's own check can say
/// that it is too large.
fn scaled(number: &str, scale: u64) -> Option<u64> {
    let number = number.replace('_', "");
    let (whole, fraction) = number.split_once('.').unwrap_or((&number, ""));
    if whole.is_empty() || !fraction.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let whole = whole.bytes().fold(0u64, |n, b| {
        n.saturating_mul(10).saturating_add(u64::from(b - b'0'))
    });
    let part = if fraction.is_empty() {
        0.0
    } else {
        format!("0.{fraction}").parse::<f64>().ok()? * scale as f64
    };
    Some(
        whole
            .saturating_mul(scale)
            .saturating_add(part.round() as u64),
    )
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
        assert_eq!(size("99999999999999999999999"), Ok(u64::MAX));
        for bad in ["", "M", "1X", "-1", "1.2.3M", "1 M", "0x10", "."] {
            assert!(size(bad).is_err(), "{bad}");
        }
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
