//! What CPython 3.13 cannot record: limits, interruption, and what 3.14 does differently.

use coldframe_regex::{
    Cursor, ErrorKind, Flags, MatchError, Mode, Pattern, PatternSource, Piece, Scratch, Template,
    escape,
};

fn chars(text: &str) -> Vec<u32> {
    text.chars().map(u32::from).collect()
}

fn compile(text: &str, flags: Flags) -> Pattern {
    Pattern::compile(PatternSource::Str(&chars(text)), flags).unwrap()
}

/// The span of the first match.
fn find(pattern: &str, flags: Flags, text: &str) -> Option<(usize, usize)> {
    let mut scratch = Scratch::default();
    let found = compile(pattern, flags)
        .search(&chars(text), &mut scratch)
        .unwrap();
    found.then(|| scratch.span(0)).flatten()
}

#[test]
fn catastrophic_backtracking_is_interrupted() {
    for pattern in [
        r"(a+)+$",
        r"(a|a)*$",
        r"(?:a*)*b",
        r"(a|aa)+$",
        r"(?:.*.*.*.*)x",
        r"(?=(a+)+$)b",
        r"((a+)(b|\2))*$",
    ] {
        let pattern = compile(pattern, Flags::NONE);
        let text = format!("{}!", "a".repeat(2000));
        let mut calls = 0;
        let mut hook = || {
            calls += 1;
            calls < 5
        };
        let result = pattern.execute(
            Mode::Match,
            text.as_bytes(),
            0,
            text.len(),
            &mut Scratch::default(),
            &mut hook,
        );
        assert_eq!(result, Err(MatchError::Interrupted));
        assert_eq!(calls, 5);
    }
}

#[test]
fn quadratic_searches_are_interrupted() {
    let text = "a".repeat(1 << 17);
    for pattern in [r".*b", r"a*?b", r"[a-z]+\d", r"(?:a)*b", r"\w*x{3}"] {
        let pattern = compile(pattern, Flags::NONE);
        let mut calls = 0;
        let mut hook = || {
            calls += 1;
            calls < 3
        };
        match pattern.execute(
            Mode::Search,
            text.as_bytes(),
            0,
            text.len(),
            &mut Scratch::default(),
            &mut hook,
        ) {
            Err(MatchError::Interrupted) => {}
            // Linear after all.
            Ok(false) => assert!(calls < 3),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn the_stack_is_bounded() {
    let pattern = compile(r"(?:(a)|a)*c", Flags::NONE);
    let text = vec![b'a'; 1 << 20];
    let mut scratch = Scratch::with_stack_limit(1 << 16);
    let result = pattern.execute(Mode::Match, &text, 0, text.len(), &mut scratch, &mut || {
        true
    });
    assert_eq!(result, Err(MatchError::StackLimit));
    // The scratch is fit for use after the error, and with room enough the same match works.
    assert!(pattern.search(b"aac", &mut scratch).unwrap());
    let pattern = compile(r"(?:(a)|ab)*c", Flags::NONE);
    let mut scratch = Scratch::default();
    assert_eq!(
        pattern.execute(Mode::Match, &text, 0, text.len(), &mut scratch, &mut || {
            true
        }),
        Ok(false)
    );
}

#[test]
fn deep_nesting_is_an_error() {
    let nested = |depth: usize| format!("{}a{}", "(?:".repeat(depth), ")*".repeat(depth));
    assert_eq!(find(&nested(100), Flags::NONE, "aaa"), Some((0, 3)));
    let error =
        Pattern::compile(PatternSource::Str(&chars(&nested(100_000))), Flags::NONE).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Recursion);
}

#[test]
fn the_deepest_nesting_fits_a_small_stack() {
    let work = || {
        for (open, close) in [
            ("(?:", ")*"),
            ("(a|", "b)+?"),
            ("(?=x?(", "y?))"),
            ("(?>a?(?:b|", "))++"),
            ("((?(1)a|", "b)){2,3}"),
        ] {
            let depth = 99 / open.matches('(').count();
            let text = format!("(){}a{}", open.repeat(depth), close.repeat(depth));
            match Pattern::compile(PatternSource::Str(&chars(&text)), Flags::IGNORECASE) {
                Ok(pattern) => {
                    let mut budget = 20;
                    let mut hook = || {
                        budget -= 1;
                        budget > 0
                    };
                    let _ = pattern.execute(
                        Mode::Search,
                        b"aabab",
                        0,
                        5,
                        &mut Scratch::default(),
                        &mut hook,
                    );
                }
                Err(error) => assert_eq!(error.kind, ErrorKind::Recursion, "{text}: {error}"),
            }
        }
    };
    std::thread::Builder::new()
        .stack_size(384 << 10)
        .spawn(work)
        .unwrap()
        .join()
        .unwrap();
}

#[test]
fn many_alternatives_and_groups() {
    let words: Vec<String> = (0..200).map(|i| format!("(w{i}x)")).collect();
    let pattern = compile(&words.join("|"), Flags::NONE);
    for i in [0, 1, 62, 63, 64, 65, 126, 127, 199] {
        let mut scratch = Scratch::default();
        assert!(
            pattern
                .search(format!("..w{i}x").as_bytes(), &mut scratch)
                .unwrap()
        );
        assert_eq!(scratch.last_index(), Some(i + 1));
    }
    let empty_last = format!("{}|", words.join("|"));
    assert_eq!(find(&empty_last, Flags::NONE, "zz"), Some((0, 0)));
}

#[test]
fn python_314_changes() {
    assert_eq!(find(r"a\z", Flags::NONE, "ba"), Some((1, 2)));
    assert_eq!(find(r"a\z", Flags::NONE, "a\n"), None);
    assert_eq!(find(r"\B", Flags::NONE, ""), Some((0, 0)));
    assert_eq!(find(r"\b", Flags::NONE, ""), None);
    // Case-insensitive classes beyond the basic plane: fixed after 3.13.0.
    assert_eq!(
        find("[\u{10400}x]", Flags::IGNORECASE, "\u{10428}"),
        Some((0, 1))
    );
    assert_eq!(
        find("[\u{10428}x]", Flags::IGNORECASE, "\u{10400}"),
        Some((0, 1))
    );
    assert_eq!(
        find("[\u{10400}-\u{10427}]", Flags::IGNORECASE, "\u{10428}"),
        Some((0, 1))
    );
    assert_eq!(
        find(
            "[\u{e0}-\u{10ffff}]",
            Flags::IGNORECASE | Flags::ASCII,
            "\u{c0}"
        ),
        None
    );
    // New in Unicode 16.
    assert_eq!(
        find("\u{a7cc}", Flags::IGNORECASE, "\u{a7cd}"),
        Some((0, 1))
    );
    assert_eq!(
        find(r"\w\d", Flags::NONE, "\u{10d50}\u{10d40}"),
        Some((0, 2))
    );
}

#[test]
fn unicode_tables_agree_with_std() {
    // The standard library may be of a later Unicode version: it can only know more.
    let word = compile(r"\w", Flags::NONE);
    let digit = compile(r"\d", Flags::NONE);
    let space = compile(r"\s", Flags::NONE);
    let mut scratch = Scratch::default();
    let mut matches =
        |pattern: &Pattern, c: char| pattern.search(&[u32::from(c)], &mut scratch).unwrap();
    for c in (0..=0x10_ffff).filter_map(char::from_u32) {
        if matches(&word, c) {
            assert!(c.is_alphanumeric() || c == '_' || c.is_numeric(), "{c:?}");
        }
        if matches(&digit, c) {
            assert!(c.is_numeric(), "{c:?}");
        }
        let python_only = ('\x1c'..='\x1f').contains(&c);
        assert_eq!(
            matches(&space, c),
            c.is_whitespace() || python_only,
            "{c:?}"
        );
    }
}

#[test]
fn named_characters_come_from_the_caller() {
    let source = chars(r"\N{DIGIT ONE}[\N{DIGIT TWO}]");
    let lookup = |name: &str| match name {
        "DIGIT ONE" => Some('1'),
        "DIGIT TWO" => Some('2'),
        _ => None,
    };
    let pattern =
        Pattern::compile_with_names(PatternSource::Str(&source), Flags::NONE, &lookup).unwrap();
    assert!(pattern.search(b"012", &mut Scratch::default()).unwrap());
    let error = Pattern::compile(PatternSource::Str(&source), Flags::NONE).unwrap_err();
    assert_eq!(
        error.text(),
        "undefined character name 'DIGIT ONE' at position 0"
    );
}

#[test]
fn positions_outside_of_the_subject() {
    let pattern = compile("a*", Flags::NONE);
    let mut scratch = Scratch::default();
    let mut run = |pos, endpos| {
        let found = pattern
            .execute(Mode::Search, b"aaa", pos, endpos, &mut scratch, &mut || {
                true
            })
            .unwrap();
        found.then(|| scratch.span(0)).flatten()
    };
    assert_eq!(run(0, 100), Some((0, 3)));
    assert_eq!(run(3, 100), Some((3, 3)));
    assert_eq!(run(4, 100), None);
    assert_eq!(run(2, 1), None);
    assert_eq!(run(1, 2), Some((1, 2)));
}

#[test]
fn scanners_match_in_place() {
    let pattern = compile(r"\d+|[a-z]+|", Flags::NONE);
    let text = b"12ab-c";
    let mut scratch = Scratch::default();
    let mut cursor = Cursor::new(Mode::Match, 0, text.len());
    let mut spans = Vec::new();
    while cursor
        .next(&pattern, text, &mut scratch, &mut || true)
        .unwrap()
    {
        spans.push(scratch.span(0).unwrap());
    }
    assert_eq!(spans, [(0, 2), (2, 4), (4, 4)]);
}

#[test]
fn templates_expand() {
    let pattern = compile(r"(?P<key>\w+)=(\w+)?", Flags::NONE);
    let text = b"a=";
    let mut scratch = Scratch::default();
    assert!(pattern.search(text, &mut scratch).unwrap());
    let template =
        Template::parse(PatternSource::Str(&chars(r"<\g<key>:\2>\n")), &pattern).unwrap();
    assert_eq!(template.as_literal(), None);
    let mut out = Vec::new();
    template.expand(&scratch, |piece| match piece {
        Piece::Literal(text) => out.extend_from_slice(text),
        Piece::Subject(start, end) => out.extend(text[start..end].iter().map(|&b| u32::from(b))),
    });
    assert_eq!(out, chars("<a:>\n"));
    let plain = Template::parse(PatternSource::Str(&chars("x-y")), &pattern).unwrap();
    assert_eq!(plain.as_literal(), Some(&chars("x-y")[..]));
}

#[test]
fn escape_like_python() {
    assert_eq!(
        escape(b"a.b*c [x]\n~_1,%"),
        br"a\.b\*c\ \[x\]\
\~_1,%"
    );
}
