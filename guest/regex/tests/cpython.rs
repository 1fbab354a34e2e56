//! Compares with what CPython printed: `tests/data`, written by `tests/bless.py`, which documents the format.

use coldframe_regex::{
    Cursor, Error, ErrorKind, Flags, Mode, Part, Pattern, PatternSource, Scratch, Template, Unit,
};

/// Undoes the escapes of a field.
fn decode(field: &str) -> Vec<u32> {
    let mut out = Vec::new();
    let mut chars = field.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c.into());
            continue;
        }
        match chars.next() {
            Some('n') => out.push(10),
            Some('t') => out.push(9),
            Some('{') => {
                let hex: String = chars.by_ref().take_while(|&c| c != '}').collect();
                out.push(u32::from_str_radix(&hex, 16).unwrap());
            }
            Some(c) => out.push(c.into()),
            None => panic!("bad field {field}"),
        }
    }
    out
}

fn narrow(text: &[u32]) -> Option<Vec<u8>> {
    text.iter().map(|&c| u8::try_from(c).ok()).collect()
}

fn compile(text: &[u32], is_bytes: bool, flags: &str) -> Result<Pattern, Error> {
    let flags = Flags(flags.parse().unwrap());
    match is_bytes {
        true => Pattern::compile(PatternSource::Bytes(&narrow(text).unwrap()), flags),
        false => Pattern::compile(PatternSource::Str(text), flags),
    }
}

fn template(pattern: &Pattern, text: &[u32]) -> Result<Template, Error> {
    match pattern.is_str() {
        true => Template::parse(PatternSource::Str(text), pattern),
        false => Template::parse(PatternSource::Bytes(&narrow(text).unwrap()), pattern),
    }
}

fn spans(pattern: &Pattern, scratch: &Scratch) -> String {
    let mut out = String::new();
    for group in 0..=pattern.groups() {
        match scratch.span(group) {
            Some((start, end)) => out += &format!("{start},{end};"),
            None => out += "-;",
        }
    }
    out + &scratch.last_index().unwrap_or(0).to_string()
}

fn one<U: Unit>(pattern: &Pattern, mode: Mode, text: &[U], pos: usize, endpos: usize) -> String {
    let mut scratch = Scratch::default();
    match pattern
        .execute(mode, text, pos, endpos, &mut scratch, &mut || true)
        .unwrap()
    {
        true => spans(pattern, &scratch),
        false => "-".into(),
    }
}

fn all<U: Unit>(pattern: &Pattern, text: &[U]) -> String {
    let mut scratch = Scratch::default();
    let mut cursor = Cursor::new(Mode::Search, 0, text.len());
    let mut out = Vec::new();
    while cursor
        .next(pattern, text, &mut scratch, &mut || true)
        .unwrap()
    {
        out.push(spans(pattern, &scratch));
    }
    out.join("|")
}

fn sub<U: Unit>(pattern: &Pattern, template: &Template, text: &[U]) -> Vec<u32> {
    let mut scratch = Scratch::default();
    let mut cursor = Cursor::new(Mode::Search, 0, text.len());
    let mut out = Vec::new();
    let mut last = 0;
    let codes = |from: usize, to: usize| text[from..to].iter().map(|u| u.code());
    while cursor
        .next(pattern, text, &mut scratch, &mut || true)
        .unwrap()
    {
        let (start, end) = scratch.span(0).unwrap();
        out.extend(codes(last, start));
        for part in template.parts() {
            match part {
                Part::Literal(text) => out.extend(text),
                Part::Group(group) => out.extend(
                    scratch
                        .span(*group)
                        .into_iter()
                        .flat_map(|(a, b)| codes(a, b)),
                ),
            }
        }
        last = end;
    }
    out.extend(codes(last, text.len()));
    out
}

fn exception(error: &Error) -> &'static str {
    match error.kind {
        ErrorKind::Pattern => "PatternError",
        ErrorKind::Value => "ValueError",
        ErrorKind::Overflow => "OverflowError",
        ErrorKind::Recursion => "RecursionError",
        ErrorKind::Index => "IndexError",
    }
}

fn error_fields(error: &Error) -> [String; 3] {
    let pos = error.pos.map_or("-".into(), |pos| pos.to_string());
    [exception(error).into(), error.text(), pos]
}

/// Collects differences, with the record they are about.
#[derive(Default)]
struct Report {
    checked: usize,
    differences: Vec<String>,
}

impl Report {
    fn check(&mut self, context: &str, what: &str, expected: &str, found: &str) {
        self.checked += 1;
        if expected != found {
            self.differences.push(format!(
                "{context}\n    {what}: expected {expected}\n    {what}: found    {found}"
            ));
        }
    }
}

fn text_of(codes: &[u32]) -> String {
    codes
        .iter()
        .map(|&c| char::from_u32(c).unwrap_or('\u{fffd}'))
        .collect()
}

fn run(data: &str) -> Report {
    let mut report = Report::default();
    let mut pattern: Option<Pattern> = None;
    let mut head = "";
    let mut subject = Vec::new();
    for line in data.lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        match fields[..] {
            [
                kind @ ("p" | "b"),
                source,
                flags,
                final_flags,
                names,
                warnings,
            ] => {
                head = line;
                pattern = match compile(&decode(source), kind == "b", flags) {
                    Err(error) => {
                        report.check(line, "pattern", "compiles", &error.text());
                        None
                    }
                    Ok(pattern) => Some(pattern),
                };
                if let Some(pattern) = &pattern {
                    report.check(line, "flags", final_flags, &pattern.flags().0.to_string());
                    let list: Vec<_> = pattern
                        .group_names()
                        .iter()
                        .map(|(n, g)| format!("{n}={g}"))
                        .collect();
                    report.check(line, "names", &text_of(&decode(names)), &list.join(","));
                    let list: Vec<_> = pattern.warnings().iter().map(|w| w.msg.as_str()).collect();
                    report.check(line, "warnings", warnings, &list.join("|"));
                }
            }
            ["s", text, end, full, first, every] => {
                subject = decode(text);
                let Some(pattern) = &pattern else { continue };
                let context = format!("{head}\n  {line}");
                check_subject(
                    &mut report,
                    &context,
                    pattern,
                    &subject,
                    [end, full, first, every],
                );
                // The same as bytes, where the subject fits.
                if let Some(subject) = narrow(&subject) {
                    check_subject(
                        &mut report,
                        &context,
                        pattern,
                        &subject,
                        [end, full, first, every],
                    );
                }
            }
            ["r", text, result] => {
                let Some(pattern) = &pattern else { continue };
                let context = format!("{head}\n  {line}");
                match template(pattern, &decode(text)) {
                    Ok(template) => {
                        let found = sub(pattern, &template, &subject);
                        report.check(&context, "sub", &text_of(&decode(result)), &text_of(&found));
                    }
                    Err(error) => report.check(&context, "sub", result, &error.text()),
                }
            }
            ["w", pos, endpos, first] => {
                let Some(pattern) = &pattern else { continue };
                let (pos, endpos) = (pos.parse().unwrap(), endpos.parse().unwrap());
                let context = format!("{head}\n  {line}");
                report.check(
                    &context,
                    "window",
                    first,
                    &one(pattern, Mode::Search, &subject, pos, endpos),
                );
            }
            [kind @ ("e" | "f"), source, flags, exception, text, pos] => {
                let expected = [exception, &text_of(&decode(text)), pos].join(" / ");
                let found = match compile(&decode(source), kind == "f", flags) {
                    Ok(_) => "compiles".into(),
                    Err(error) => error_fields(&error).join(" / "),
                };
                report.check(line, "error", &expected, &found);
            }
            ["t", source, exception, text, pos] => {
                let Some(pattern) = &pattern else { continue };
                let expected = [exception, &text_of(&decode(text)), pos].join(" / ");
                let found = match template(pattern, &decode(source)) {
                    Ok(_) => "parses".into(),
                    Err(error) => error_fields(&error).join(" / "),
                };
                report.check(line, "error", &expected, &found);
            }
            _ => panic!("bad record {line}"),
        }
    }
    report
}

fn check_subject<U: Unit>(
    report: &mut Report,
    context: &str,
    pattern: &Pattern,
    text: &[U],
    [end, full, first, every]: [&str; 4],
) {
    let whole = text.len();
    let found = one(pattern, Mode::Match, text, 0, whole);
    let found_end = found
        .split(';')
        .next()
        .and_then(|span| span.split_once(','))
        .map_or("-", |(_, end)| end);
    report.check(context, "match", end, found_end);
    report.check(
        context,
        "fullmatch",
        full,
        &one(pattern, Mode::FullMatch, text, 0, whole),
    );
    report.check(
        context,
        "search",
        first,
        &one(pattern, Mode::Search, text, 0, whole),
    );
    report.check(context, "finditer", every, &all(pattern, text));
}

fn verdict(report: Report, at_least: usize) {
    for difference in report.differences.iter().take(20) {
        println!("{difference}");
    }
    let count = report.differences.len();
    assert!(count == 0, "{count} of {} checks differ", report.checked);
    assert!(report.checked >= at_least, "only {} checks", report.checked);
}

#[test]
fn matches_like_cpython() {
    verdict(run(include_str!("data/cases.txt")), 20_000);
}

#[test]
fn fails_like_cpython() {
    verdict(run(include_str!("data/errors.txt")), 1_000);
}

/// Further cases from `bless.py SEED COUNT`.
#[test]
fn more_cases() {
    if let Ok(file) = std::env::var("COLDFRAME_REGEX_CASES") {
        verdict(run(&std::fs::read_to_string(file).unwrap()), 1);
    }
}
