//! The files of programs: how they are written and read.
//!
//! A file is Python text. A line `#: case NAME` starts a program; lines `#: ...` after it say how it runs and what is to come of it:
//!
//! ```text
//! #: limits time=300ms memory=64M output=1M fuel=100M files=1M
//! #: value 'text'           the value of the last expression, as repr() shows it
//! #: value none             there is no value
//! #: raises OSError: text   an exception; the text may end in ... for what it begins with
//! #: ends time              the kind of error; several are separated by |
//! #: stops                  any end but a fault, also none
//! ```
//!
//! What is not said of limits: 30 seconds, 64 MiB of memory, 1 MiB of output.

use std::time::Duration;

use coldframe::{Limits, LimitsBuilder};

/// One program.
pub(super) struct Case {
    pub(super) name: &'static str,
    pub(super) source: String,
    pub(super) limits: Limits,
    pub(super) expected: Expected,
}

/// What is to come of a program.
#[derive(Debug, PartialEq)]
pub(super) enum Expected {
    /// The `repr()` of the last value.
    Value(Option<&'static str>),
    /// An exception: its type, and its message or what that begins with.
    Raises {
        type_name: &'static str,
        message: &'static str,
        whole: bool,
    },
    /// Kinds of errors, one of which it is.
    Ends(Vec<&'static str>),
    /// Anything that is not a fault.
    Stops,
}

/// Reads a file of programs.
///
/// # Panics
/// When it is not written as it should be.
pub(super) fn read(text: &'static str) -> Vec<Case> {
    let mut cases = Vec::new();
    let mut pieces = text.split("#: case ");
    assert!(
        pieces.next().is_some_and(|head| head.starts_with("# ")),
        "a file starts with a comment that says what it is about"
    );
    for piece in pieces {
        let (name, body) = piece.split_once('\n').expect("a program");
        let mut limits = Limits::builder()
            .time(Duration::from_secs(30))
            .memory(64 << 20)
            .output(1 << 20);
        let mut expected = None;
        let mut source = String::new();
        for line in body.lines() {
            match line.strip_prefix("#: ") {
                Some(rule) => match rule.split_once(' ').unwrap_or((rule, "")) {
                    ("limits", changes) => limits = changed(limits, changes),
                    (verb, rest) => {
                        assert!(expected.is_none(), "{name}: two expectations");
                        expected = Some(expectation(name, verb, rest));
                    }
                },
                None => {
                    source.push_str(line);
                    source.push('\n');
                }
            }
        }
        cases.push(Case {
            name,
            source,
            limits: limits.build().expect("valid limits"),
            expected: expected.unwrap_or_else(|| panic!("{name}: nothing is expected")),
        });
    }
    cases
}

fn expectation(name: &str, verb: &str, rest: &'static str) -> Expected {
    match verb {
        "value" if rest == "none" => Expected::Value(None),
        "value" => Expected::Value(Some(rest)),
        "raises" => {
            let (type_name, message) = rest.split_once(": ").unwrap_or((rest, ""));
            Expected::Raises {
                type_name,
                message: message.trim_end_matches("..."),
                whole: !message.ends_with("..."),
            }
        }
        "ends" => Expected::Ends(rest.split('|').collect()),
        "stops" => Expected::Stops,
        _ => panic!("{name}: what is {verb:?}?"),
    }
}

fn changed(mut limits: LimitsBuilder, changes: &str) -> LimitsBuilder {
    for change in changes.split_whitespace() {
        let (limit, amount) = change.split_once('=').expect("limit=amount");
        let digits = amount.trim_end_matches(char::is_alphabetic);
        let number: u64 = digits.parse().expect("a number");
        let unit = &amount[digits.len()..];
        let bytes = |number: u64| match unit {
            "K" => number << 10,
            "M" => number << 20,
            _ => panic!("{change}: which unit?"),
        };
        limits = match limit {
            "time" => limits.time(match unit {
                "ms" => Duration::from_millis(number),
                "s" => Duration::from_secs(number),
                _ => panic!("{change}: which unit?"),
            }),
            "fuel" => limits.fuel(number * 1_000_000),
            "memory" => limits.memory(bytes(number)),
            "output" => limits.output(bytes(number)),
            "files" => limits.files(bytes(number)),
            _ => panic!("{change}: which limit?"),
        };
    }
    limits
}
