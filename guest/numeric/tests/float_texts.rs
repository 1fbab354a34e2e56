//! Texts of floats and their parsers, against CPython.

mod common;

use coldframe_numeric::float_repr::{self, Style};
use common::{bits, compare, float, outcome, unescape};

#[test]
fn texts() {
    compare(
        "float_texts",
        include_str!("data/float_texts.txt"),
        |fields| match *fields {
            ["repr", x] => float_repr::repr(float(x)),
            ["hex", x] => float_repr::hex(float(x)),
            [kind, precision, x] => {
                let (precision, x) = (precision.parse().unwrap(), float(x));
                let style = Style {
                    upper: false,
                    alternate: kind.ends_with('#'),
                };
                let mut text = String::new();
                let result = match kind.as_bytes()[0] {
                    b'f' => float_repr::push_fixed(&mut text, x, precision, style),
                    b'e' => float_repr::push_exponent(&mut text, x, precision, style),
                    b'g' => float_repr::push_general(&mut text, x, precision, style, false),
                    _ => float_repr::push_general(&mut text, x, precision, style, true),
                };
                outcome(result, |()| text)
            }
            _ => panic!("unknown case {fields:?}"),
        },
    );
}

#[test]
fn parsers() {
    compare(
        "float_parse",
        include_str!("data/float_parse.txt"),
        |fields| match *fields {
            ["dec", text] => {
                let text = unescape(text);
                match float_repr::parse(&text) {
                    Some(x) => bits(x),
                    None => format!(
                        "!ValueError: could not convert string to float: {}",
                        python_repr(&text)
                    ),
                }
            }
            ["hex", text] => outcome(float_repr::from_hex(&unescape(text)), bits),
            _ => panic!("unknown case {fields:?}"),
        },
    );
}

/// `repr` of the few kinds of texts among the cases.
fn python_repr(text: &str) -> String {
    let mut out = String::from("'");
    for c in text.chars() {
        match c {
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\x00'..='\x1f' | '\x7f'..='\u{a0}' => out.push_str(&format!("\\x{:02x}", c as u32)),
            '\u{2003}' | '\u{3000}' | '\u{200b}' => out.push_str(&format!("\\u{:04x}", c as u32)),
            _ => out.push(c),
        }
    }
    out + "'"
}

#[test]
fn huge_precision_is_refused() {
    let mut text = String::new();
    assert!(float_repr::push_fixed(&mut text, 1.5, 1 << 30, Style::default()).is_err());
    assert!(float_repr::push_exponent(&mut text, 1.5, usize::MAX, Style::default()).is_err());
    // The zeros that so many digits would end in are not written, unless that is asked for.
    let all = Style {
        alternate: true,
        ..Style::default()
    };
    assert!(float_repr::push_general(&mut text, 1.5, usize::MAX, all, true).is_err());
    text.clear();
    assert!(float_repr::push_general(&mut text, 1.5, usize::MAX, Style::default(), true).is_ok());
    assert_eq!(text, "1.5");
}
