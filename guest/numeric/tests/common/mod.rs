//! Reading the cases CPython computed: see `tests/data/bless.py`.
#![allow(dead_code)]

use coldframe_numeric::{BigInt, NumericError};

/// Runs `check` on the fields of every line; it gives the text that was computed, which must be the line's last field.
pub fn compare(name: &str, data: &str, mut check: impl FnMut(&[&str]) -> String) {
    let mut wrong = 0;
    let mut total = 0;
    for (number, line) in data.lines().enumerate() {
        let fields: Vec<&str> = line.split('\t').collect();
        let Some((expected, given)) = fields.split_last() else {
            continue;
        };
        total += 1;
        let got = check(given);
        if got != *expected {
            wrong += 1;
            if wrong <= 20 {
                eprintln!(
                    "{name}.txt:{}: {}\n  CPython:   {expected}\n  coldframe: {got}",
                    number + 1,
                    given.join("  ")
                );
            }
        }
    }
    assert!(total > 100, "{name}: only {total} cases");
    assert_eq!(wrong, 0, "{name}: {wrong} of {total} cases differ");
}

/// A float from the 16 digits of its bits.
pub fn float(bits: &str) -> f64 {
    f64::from_bits(u64::from_str_radix(bits, 16).unwrap())
}

/// The 16 digits of a float's bits; all NaNs are one.
pub fn bits(x: f64) -> String {
    format!(
        "{:016x}",
        if x.is_nan() { f64::NAN.copysign(x) } else { x }.to_bits()
    )
}

/// An integer from what `hex()` printed.
pub fn int(text: &str) -> BigInt {
    text.replace("0x", "").parse::<Hex>().unwrap().0
}

struct Hex(BigInt);

impl std::str::FromStr for Hex {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        BigInt::parse_bytes(text.as_bytes(), 16).map(Hex).ok_or(())
    }
}

/// What `hex()` prints.
pub fn hex(value: impl Into<BigInt>) -> String {
    coldframe_numeric::int_text::to_prefixed(&value.into(), 16)
}

/// The value as text, or the failure as the data files have it.
pub fn outcome<T>(result: Result<T, NumericError>, show: impl FnOnce(T) -> String) -> String {
    match result {
        Ok(value) => show(value),
        Err(error) => format!("!{}: {error}", error.exception_name()),
    }
}

/// Undoes Python's `unicode_escape`.
pub fn unescape(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        let kind = rest.next().unwrap();
        let mut code = |digits: usize| {
            let text: String = rest.by_ref().take(digits).collect();
            char::from_u32(u32::from_str_radix(&text, 16).unwrap()).unwrap()
        };
        out.push(match kind {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'x' => code(2),
            'u' => code(4),
            'U' => code(8),
            other => other,
        });
    }
    out
}
