//! `format()`, `%` and the texts of complex numbers, against CPython.

mod common;

use coldframe_numeric::format_value::{self, IntRef};
use coldframe_numeric::percent_format::{Field, Piece, Template};
use coldframe_numeric::{BigInt, complex_repr};
use common::{bits, compare, float, int, outcome, unescape};

/// As Python's `unicode_escape` writes it.
fn escape(text: &[u8]) -> String {
    let mut out = String::new();
    for c in std::str::from_utf8(text).unwrap().chars() {
        match (c, c as u32) {
            ('\\', _) => out.push_str("\\\\"),
            ('\n', _) => out.push_str("\\n"),
            ('\t', _) => out.push_str("\\t"),
            ('\r', _) => out.push_str("\\r"),
            (' '..='~', _) => out.push(c),
            (_, code @ 0..=0xff) => out.push_str(&format!("\\x{code:02x}")),
            (_, code @ 0..=0xffff) => out.push_str(&format!("\\u{code:04x}")),
            (_, code) => out.push_str(&format!("\\U{code:08x}")),
        }
    }
    out
}

/// Calls `check` with the integer in both forms, which must agree.
fn both(value: &BigInt, check: impl Fn(IntRef<'_>) -> String) -> String {
    let big = check(IntRef::Big(value));
    if let Ok(small) = i64::try_from(value) {
        assert_eq!(check(IntRef::Small(small)), big);
    }
    big
}

#[test]
fn format_function() {
    compare("formats", include_str!("data/formats.txt"), |fields| {
        let spec = unescape(fields[fields.len() - 1]);
        let spec = spec.as_bytes();
        match *fields {
            ["int", value, _] => both(&int(value), |value| {
                outcome(format_value::format_int(value, spec, "int", 4300), |text| {
                    escape(&text)
                })
            }),
            ["float", x, _] => outcome(
                format_value::format_float(float(x), spec, "float"),
                |text| escape(&text),
            ),
            ["complex", real, imaginary, _] => outcome(
                format_value::format_complex(float(real), float(imaginary), spec, "complex"),
                |text| escape(&text),
            ),
            ["str", text, _] => {
                let text = unescape(text);
                let count = text.chars().count();
                outcome(
                    format_value::format_text(text.as_bytes(), count, spec, "str"),
                    |text| escape(&text),
                )
            }
            _ => panic!("unknown case {fields:?}"),
        }
    });
}

/// A field for a template that is one conversion, and its kind.
fn field(template: &str) -> (Field, u8) {
    match Template::of_text(template.as_bytes()).next_piece() {
        Ok(Some(Piece::Conversion(conversion))) => (conversion.field(0, 0), conversion.kind as u8),
        other => panic!("{template}: {other:?}"),
    }
}

#[test]
fn percent_operator() {
    compare("percents", include_str!("data/percents.txt"), |fields| {
        let template = unescape(fields[fields.len() - 1]);
        match *fields {
            ["int", value, _] => {
                let (field, kind) = field(&template);
                both(&int(value), |value| {
                    outcome(field.integer(kind, value, 4300), |text| escape(&text))
                })
            }
            ["float", x, _] => {
                let (field, kind) = field(&template);
                outcome(field.float(kind, float(x)), |text| escape(&text))
            }
            ["str", text, _] => {
                let text = unescape(text);
                outcome(
                    field(&template)
                        .0
                        .text(text.as_bytes(), text.chars().count()),
                    |text| escape(&text),
                )
            }
            ["chr", point, _] => outcome(
                field(&template).0.code_point(point.parse().unwrap()),
                |text| escape(&text),
            ),
            ["bad", _] => {
                let mut pieces = Template::of_text(template.as_bytes());
                let error = loop {
                    match pieces.next_piece() {
                        Ok(Some(Piece::Conversion(c)))
                            if matches!(char::from_u32(c.kind), Some('s' | 'd')) =>
                        {
                            continue;
                        }
                        Ok(Some(Piece::Conversion(c))) => match char::from_u32(c.kind) {
                            Some('e' | 'f' | 'g') => match c.field(0, 0).float(c.kind as u8, 1.5) {
                                Ok(_) => continue,
                                Err(error) => break error,
                            },
                            _ => break c.unsupported(),
                        },
                        Ok(Some(Piece::Text(_))) => continue,
                        Ok(None) => panic!("{template}: no error"),
                        Err(error) => break error,
                    }
                };
                outcome(Err::<String, _>(error), |text| text)
            }
            _ => panic!("unknown case {fields:?}"),
        }
    });
}

#[test]
fn pieces_of_a_template() {
    let mut template = Template::of_bytes(b"a%%b%(k(x))-5.*ldz");
    assert_eq!(template.next_piece(), Ok(Some(Piece::Text(b"a"))));
    assert_eq!(template.next_piece(), Ok(Some(Piece::Text(b"%"))));
    assert_eq!(template.next_piece(), Ok(Some(Piece::Text(b"b"))));
    let Ok(Some(Piece::Conversion(conversion))) = template.next_piece() else {
        panic!()
    };
    assert_eq!(conversion.key, Some(&b"k(x)"[..]));
    let field = conversion.field(0, -3);
    assert_eq!(
        (field.flags.left, field.width, field.precision),
        (true, 5, Some(0))
    );
    assert_eq!(template.next_piece(), Ok(Some(Piece::Text(b"z"))));
    assert_eq!(template.next_piece(), Ok(None));
    let wide = Field {
        width: 1 << 40,
        ..Field::default()
    };
    assert!(wide.text(b"x", 1).is_err());
    assert!(wide.integer(b'd', IntRef::Small(1), 0).is_err());
    assert!(format_value::format_float(1.5, b"9999999999999f", "float").is_err());
    assert!(format_value::format_text(b"x", 1, b"9999999999999", "str").is_err());
}

#[test]
fn lone_surrogates_pad() {
    // U+D800 as WTF-8.
    assert_eq!(
        format_value::format_int(IntRef::Small(5), b"\xed\xa0\x80>3", "int", 0).unwrap(),
        b"\xed\xa0\x80\xed\xa0\x805"
    );
    assert_eq!(
        format_value::format_text(b"\xed\xa0\x80b", 2, b".1", "str").unwrap(),
        b"\xed\xa0\x80"
    );
    assert!(format_value::format_int(IntRef::Small(5), b"\xff\xff\xff", "int", 0).is_err());
}

#[test]
fn complex_texts() {
    compare(
        "complex_texts",
        include_str!("data/complex_texts.txt"),
        |fields| match *fields {
            ["repr", real, imaginary] => complex_repr::repr(float(real), float(imaginary)),
            ["parse", text] => match complex_repr::parse(&unescape(text)) {
                Some((real, imaginary)) => format!("{} {}", bits(real), bits(imaginary)),
                None => "!".to_owned(),
            },
            _ => panic!("unknown case {fields:?}"),
        },
    );
}
