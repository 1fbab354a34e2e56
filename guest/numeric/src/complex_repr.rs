//! Texts of complex numbers: `repr`, and the parser of `complex(text)`.

use crate::float_repr::{parse_prefix, push_shortest, without_underscores};
use crate::unicode::{to_ascii_number, trim};

/// `repr(complex(real, imaginary))`.
pub fn repr(real: f64, imaginary: f64) -> String {
    let mut out = String::with_capacity(40);
    if real == 0.0 && real.is_sign_positive() {
        push_shortest(&mut out, imaginary, false);
        out.push('j');
        return out;
    }
    out.push('(');
    push_shortest(&mut out, real, false);
    if imaginary.is_nan() || !imaginary.is_sign_negative() {
        out.push('+');
    }
    push_shortest(&mut out, imaginary, false);
    out.push_str("j)");
    out
}

/// What `complex(text)` gives; `None` if the text is no complex number.
///
/// Accepted are `<float>`, `<float>j`, `<float><signed-float>j`, each `j` also with a bare sign or (alone) nothing before it, in parentheses or not,
/// with white space around, but not inside.
pub fn parse(text: &str) -> Option<(f64, f64)> {
    let text = to_ascii_number(text);
    let text = trim(&text);
    let plain;
    let text = if text.contains(&b'_') {
        plain = without_underscores(text)?;
        plain.as_slice()
    } else {
        text
    };
    let text = match text {
        [b'(', inner @ .., b')'] => trim(inner),
        _ => text,
    };
    parse_parts(text)
}

/// `1.0` or `-1.0` for a `j` with at most a sign before it.
fn bare_unit(text: &[u8]) -> Option<f64> {
    match text {
        [b'j' | b'J'] | [b'+', b'j' | b'J'] => Some(1.0),
        [b'-', b'j' | b'J'] => Some(-1.0),
        _ => None,
    }
}

fn parse_parts(text: &[u8]) -> Option<(f64, f64)> {
    if let Some(unit) = bare_unit(text) {
        return Some((0.0, unit));
    }
    let (first, end) = parse_prefix(text)?;
    match &text[end..] {
        [] => Some((first, 0.0)),
        [b'j' | b'J'] => Some((0.0, first)),
        rest @ [b'+' | b'-', ..] => {
            if let Some(unit) = bare_unit(rest) {
                return Some((first, unit));
            }
            let (second, end) = parse_prefix(rest)?;
            matches!(&rest[end..], [b'j' | b'J']).then_some((first, second))
        }
        _ => None,
    }
}
