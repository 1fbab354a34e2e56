//! `sub`, `subn` and `expand`: replacement texts, templates and functions.

use super::error;
use super::matches::Match;
use super::pattern::{Memory, Pattern, is_callable, type_name};
use super::subject::{self, Subject};
use crate::heap::Ref;
use crate::objects::bytes::{Bytes, buffer};
use crate::objects::sequence::push_text;
use crate::objects::string::{self, Str};
use crate::value::Value;
use crate::vm::{R, Raised, Vm};
use coldframe_regex::{Cursor, Mode, Part, PatternSource, Template};
use std::rc::Rc;

/// What takes the place of a match.
enum Replacement {
    /// Always these bytes (WTF-8 for text).
    Literal(Vec<u8>),
    /// A literal of the wrong kind: an error if there is anything to replace.
    Wrong(Value),
    Template(Rc<Template>),
    Function(Value),
}

impl Replacement {
    fn new(vm: &mut Vm, pattern: &Ref<Pattern>, repl: &Value) -> R<Replacement> {
        if is_callable(repl) {
            return Ok(Replacement::Function(repl.clone()));
        }
        let is_str = pattern.compiled.is_str();
        let (raw, text) = match repl.as_ref::<Str>() {
            Some(s) => (s.as_bytes().to_vec(), true),
            None => match buffer::view(vm, repl).map(<[u8]>::to_vec) {
                Some(data) => (data, false),
                None => {
                    return Err(vm.type_error(format!(
                        "decoding to str: need a bytes-like object, {} found",
                        type_name(repl)
                    )));
                }
            },
        };
        if !raw.contains(&b'\\') {
            return Ok(if text == is_str {
                Replacement::Literal(raw)
            } else {
                Replacement::Wrong(repl.clone())
            });
        }
        let template = template(vm, pattern, repl)?;
        if text != is_str {
            return Ok(Replacement::Wrong(repl.clone()));
        }
        if let Some(units) = template.as_literal() {
            return Ok(Replacement::Literal(encode(units, is_str)));
        }
        Ok(Replacement::Template(template))
    }
}

/// The parsed template; the one used last is kept by the pattern.
fn template(vm: &mut Vm, pattern: &Ref<Pattern>, source: &Value) -> R<Rc<Template>> {
    if let Some((_, known)) = pattern
        .template
        .borrow()
        .as_ref()
        .filter(|(known, _)| known.is_same(source))
    {
        return Ok(known.clone());
    }
    let parsed = match source.as_ref::<Str>() {
        Some(s) => Template::parse(
            PatternSource::Str(&s.chars().collect::<Vec<_>>()),
            &pattern.compiled,
        ),
        None => match buffer::view(vm, source).map(<[u8]>::to_vec) {
            Some(data) => Template::parse(PatternSource::Bytes(&data), &pattern.compiled),
            None => {
                return Err(vm.type_error(format!(
                    "decoding to str: need a bytes-like object, {} found",
                    type_name(source)
                )));
            }
        },
    };
    let template = match parsed {
        Ok(t) => Rc::new(t),
        Err(e) => return Err(error::raise(vm, &e, source)),
    };
    // A `bytearray` may change; only what cannot is recognised by identity.
    if source.is_exact::<Str>() || source.is_exact::<Bytes>() {
        let old = pattern
            .template
            .replace(Some((source.clone(), template.clone())));
        drop(old);
    }
    Ok(template)
}

fn encode(units: &[u32], is_str: bool) -> Vec<u8> {
    let mut out = Vec::with_capacity(units.len());
    for &unit in units {
        if is_str {
            string::push_char(&mut out, unit)
        } else {
            out.push(unit as u8)
        }
    }
    out
}

/// The error of joining pieces of the wrong kind.
#[cold]
fn wrong_piece(vm: &mut Vm, index: usize, is_str: bool, piece: &Value) -> Raised {
    let wanted = if is_str {
        "str instance"
    } else {
        "a bytes-like object"
    };
    vm.type_error(format!(
        "sequence item {index}: expected {wanted}, {} found",
        type_name(piece)
    ))
}

/// `sub` and `subn`: the new text and the number of replacements.
pub(super) fn substitute(
    vm: &mut Vm,
    p: &Ref<Pattern>,
    repl: &Value,
    string: &Value,
    count: Option<&Value>,
) -> R<(Value, i64)> {
    let count = match count {
        Some(v) => vm.index_i64(v)?,
        None => 0,
    };
    let replacement = Replacement::new(vm, p, repl)?;
    let subject = p.subject(vm, string)?;
    let len = subject.len();
    let (mut memory, mut cursor) = (Memory::take(), Cursor::new(Mode::Search, 0, len));
    let (mut out, mut last, mut n) = (Vec::new(), 0, 0);
    // Pieces so far, as CPython counts them, and the first one that cannot be joined.
    let (mut pieces, mut wrong) = (0, None);
    while (count == 0 || n < count) && p.next(vm, &mut cursor, &subject, &mut memory)? {
        let Some((start, end)) = memory.scratch().span(0) else {
            break;
        };
        if last < start {
            push_text(vm, &mut out, subject.raw(last, start))?;
            pieces += 1;
        }
        match &replacement {
            Replacement::Literal(text) => push_text(vm, &mut out, text)?,
            Replacement::Wrong(v) => wrong = wrong.or_else(|| Some((pieces, v.clone()))),
            Replacement::Template(template) => {
                for part in template.parts() {
                    match part {
                        Part::Literal(units) => {
                            push_text(vm, &mut out, &encode(units, subject.is_text()))?
                        }
                        Part::Group(group) => {
                            if let Some((start, end)) = memory.scratch().span(*group) {
                                push_text(vm, &mut out, subject.raw(start, end))?;
                            }
                        }
                    }
                }
            }
            Replacement::Function(f) => {
                let m = Match::value(p, string, (0, len), memory.scratch());
                let piece = vm.call(f, &[m])?;
                match (piece.as_ref::<Str>(), subject.is_text()) {
                    (Some(s), true) => push_text(vm, &mut out, s.as_bytes())?,
                    (None, false) if !piece.is_none() && buffer::is_buffer(&piece) => {
                        let data = buffer::copy(vm, &piece)?;
                        push_text(vm, &mut out, &data)?;
                    }
                    _ if piece.is_none() => pieces -= 1,
                    _ => wrong = wrong.or(Some((pieces, piece))),
                }
            }
        }
        pieces += 1;
        (last, n) = (end, n + 1);
        vm.poll_native()?;
    }
    if let Some((index, piece)) = wrong {
        return Err(wrong_piece(vm, index as usize, subject.is_text(), &piece));
    }
    if n == 0 {
        return Ok((subject.slice(0, len), 0));
    }
    push_text(vm, &mut out, subject.raw(last, len))?;
    Ok((subject.wrap(out), n))
}

/// `Match.expand`
pub(super) fn expand(
    vm: &mut Vm,
    m: &Ref<Match>,
    pattern: &Ref<Pattern>,
    string: &Value,
    source: &Value,
) -> R {
    let template = template(vm, pattern, source)?;
    let is_str = string.is::<Str>();
    if let Some(units) = template.as_literal() {
        let raw = encode(units, source.is::<Str>());
        return Ok(if source.is::<Str>() {
            Str::value_wtf8(&raw)
        } else {
            Bytes::value(raw)
        });
    }
    let subject = Subject::new(vm, string)?;
    let mut out = Vec::new();
    for (i, part) in template.parts().iter().enumerate() {
        match part {
            Part::Literal(units) => {
                if source.is::<Str>() != is_str {
                    return Err(wrong_piece(vm, i, is_str, source));
                }
                push_text(vm, &mut out, &encode(units, is_str))?;
            }
            Part::Group(group) => {
                if let Some((start, end)) = m.span(*group) {
                    let piece = subject::slice_of(vm, string, start, end);
                    match piece.as_ref::<Str>() {
                        Some(s) => push_text(vm, &mut out, s.as_bytes())?,
                        None => {
                            let data = buffer::copy(vm, &piece)?;
                            push_text(vm, &mut out, &data)?;
                        }
                    }
                }
            }
        }
    }
    Ok(subject.wrap(out))
}
