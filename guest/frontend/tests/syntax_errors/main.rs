//! Compares the errors for broken sources with CPython's: class, message, line and column.

mod cases;

use cases::Case;
use coldframe_frontend::parse_module;

fn check(name: &str, cases: &[Case]) {
    let mut wrong = Vec::new();
    for &(source, class, message, line, column) in cases {
        let expected = format!("{class}: {message} at {line}:{column}");
        let actual = match parse_module(source) {
            Ok(_) => "accepted".to_owned(),
            Err(error) => format!(
                "{}: {} at {}:{}",
                error.kind.class_name(),
                error.message,
                error.line,
                error.column
            ),
        };
        if actual != expected {
            wrong.push(format!(
                "{source:?}\n  CPython: {expected}\n  here:    {actual}"
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{name}: {} of {} differ\n{}",
        wrong.len(),
        cases.len(),
        wrong.join("\n")
    );
}

#[test]
fn lexical() {
    check("lexical", cases::LEXICAL);
}

#[test]
fn grammar() {
    check("grammar", cases::GRAMMAR);
}

#[test]
fn common_mistakes() {
    check("common", cases::COMMON);
}

#[test]
fn semantic() {
    check("semantic", cases::SEMANTIC);
}

#[test]
fn since_3_14() {
    check("3.14", cases::SINCE_3_14);
}

/// Nested too deeply for the parser or for whoever walks over the tree.
#[test]
fn depth() {
    let cases = [
        (
            "(".repeat(201),
            "SyntaxError",
            "too many nested parentheses",
        ),
        (
            "not ".repeat(100_000) + "x",
            "MemoryError",
            "Parser stack overflowed - Python source too complex to parse",
        ),
        (
            "1+".repeat(100_000) + "1",
            "RecursionError",
            "maximum recursion depth exceeded during compilation",
        ),
        (
            "[".repeat(150) + "1 2" + &"]".repeat(150),
            "SyntaxError",
            "invalid syntax",
        ),
        ("(".repeat(150), "SyntaxError", "'(' was never closed"),
        ("f{x} ".repeat(5000), "SyntaxError", "invalid syntax"),
    ];
    for (source, class, message) in cases {
        let error = parse_module(&source).expect_err("too deep or wrong");
        assert_eq!(
            (error.kind.class_name(), error.message.as_str()),
            (class, message),
            "{}...",
            &source[..20]
        );
    }
}

#[test]
fn the_whole_error() {
    let error = parse_module("é = (1 2)\n").expect_err("no comma");
    assert_eq!(error.text.as_deref(), Some("é = (1 2)\n"));
    assert_eq!((error.line, error.column), (1, 6));
    assert_eq!((error.end_line, error.end_column), (1, 9));

    let error = parse_module("x = 'abc\n").expect_err("no closing quote");
    assert_eq!(error.text.as_deref(), Some("x = 'abc"));

    let error = parse_module("return\n").expect_err("outside of a function");
    assert_eq!(error.text, None);
    assert_eq!((error.column, error.end_column), (1, 7));
}
