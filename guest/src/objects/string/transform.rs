//! `str`: methods that make a changed copy: case, stripping, padding, translation.

use super::search::text_arg;
use super::split::is_ascii_space;
use super::{Str, chars_of, chunks, decode_char, push_char, unicode};
use crate::heap::Ref;
use crate::objects::dict::Dict;
use crate::objects::exception::Exc;
use crate::objects::native::{Def, receiver};
use crate::value::Value;
use crate::vm::args::optional;
use crate::vm::ops::class_of;
use crate::vm::{R, Vm};

/// The methods.
pub static METHODS: &[Def] = &[
    Def::method("capitalize", "(self, /)", |_, args| {
        let s = receiver::<Str>(&args[0]);
        let mut out = Vec::with_capacity(s.as_bytes().len());
        let mut start = 0;
        if !s.is_empty() {
            let (c, n) = decode_char(s.as_bytes());
            unicode::push_title(&mut out, c);
            start = n;
        }
        push_lower_from(&mut out, s.as_bytes(), start);
        Ok(Str::value_wtf8(&out))
    }),
    Def::method("casefold", "(self, /)", |_, args| {
        let s = receiver::<Str>(&args[0]);
        if s.is_ascii() {
            return Ok(map_ascii(
                &args[0],
                |b| b.is_ascii_uppercase(),
                |b| b.to_ascii_lowercase(),
            ));
        }
        Ok(map_chars(s, lower_word, unicode::push_folded))
    }),
    Def::method("center", "(self, width, fillchar=' ', /)", |vm, args| {
        pad(vm, args, |missing, width| {
            // The odd one goes before the text when the width is odd.
            let before = missing / 2 + (missing & width & 1);
            (before, missing - before)
        })
    }),
    Def::method("expandtabs", "(self, /, tabsize=8)", expand_tabs),
    Def::method("ljust", "(self, width, fillchar=' ', /)", |vm, args| {
        pad(vm, args, |missing, _| (0, missing))
    }),
    Def::method("lower", "(self, /)", |_, args| {
        let s = receiver::<Str>(&args[0]);
        if s.is_ascii() {
            return Ok(map_ascii(
                &args[0],
                |b| b.is_ascii_uppercase(),
                |b| b.to_ascii_lowercase(),
            ));
        }
        let mut out = Vec::with_capacity(s.as_bytes().len() + 8);
        push_lower_from(&mut out, s.as_bytes(), 0);
        Ok(Str::value_wtf8(&out))
    }),
    Def::method("lstrip", "(self, chars=None, /)", |vm, args| {
        strip(vm, args, "lstrip", true, false)
    }),
    Def::static_method("maketrans", "(x, y=None, z=None, /)", make_translation),
    Def::method("rjust", "(self, width, fillchar=' ', /)", |vm, args| {
        pad(vm, args, |missing, _| (missing, 0))
    }),
    Def::method("rstrip", "(self, chars=None, /)", |vm, args| {
        strip(vm, args, "rstrip", false, true)
    }),
    Def::method("strip", "(self, chars=None, /)", |vm, args| {
        strip(vm, args, "strip", true, true)
    }),
    Def::method("swapcase", "(self, /)", |_, args| {
        let s = receiver::<Str>(&args[0]);
        if s.is_ascii() {
            let swap = |b: u8| if b.is_ascii_alphabetic() { b ^ 0x20 } else { b };
            return Ok(map_ascii(&args[0], |b| b.is_ascii_alphabetic(), swap));
        }
        let mut out = Vec::with_capacity(s.as_bytes().len() + 8);
        let swap = |word: u64| word ^ letters(word) >> 2;
        each_piece(s.as_bytes(), &mut out, swap, |out, at, c| {
            if unicode::is_upper(c) {
                push_lower_at(out, s.as_bytes(), at, c);
            } else if unicode::is_lower(c) {
                unicode::push_upper(out, c);
            } else {
                push_char(out, c);
            }
        });
        Ok(Str::value_wtf8(&out))
    }),
    Def::method("title", "(self, /)", |_, args| {
        let s = receiver::<Str>(&args[0]);
        let mut out = Vec::with_capacity(s.as_bytes().len() + 8);
        let after_cased = std::cell::Cell::new(false);
        let title = |word: u64| {
            let cased = letters(word);
            let after = cased << 8 | u64::from(after_cased.get()) << 7;
            after_cased.set(cased >> 63 == 1);
            // All in lower case, and those that come after no other in upper case.
            (word | cased >> 2) ^ (cased & !after) >> 2
        };
        each_piece(s.as_bytes(), &mut out, title, |out, at, c| {
            if after_cased.get() {
                push_lower_at(out, s.as_bytes(), at, c);
            } else {
                unicode::push_title(out, c);
            }
            after_cased.set(unicode::is_cased(c));
        });
        Ok(Str::value_wtf8(&out))
    }),
    Def::method("translate", "(self, table, /)", translate),
    Def::method("upper", "(self, /)", |_, args| {
        let s = receiver::<Str>(&args[0]);
        if s.is_ascii() {
            return Ok(map_ascii(
                &args[0],
                |b| b.is_ascii_lowercase(),
                |b| b.to_ascii_uppercase(),
            ));
        }
        Ok(map_chars(s, upper_word, unicode::push_upper))
    }),
    Def::method("zfill", "(self, width, /)", |vm, args| {
        let width = vm.index_i64(&args[1])?;
        let s = receiver::<Str>(&args[0]);
        let missing = usize::try_from(width).unwrap_or(0).saturating_sub(s.len());
        if missing == 0 {
            return Ok(unchanged(&args[0]));
        }
        let size = vm.text_size(s.as_bytes().len().saturating_add(missing))?;
        let sign = usize::from(matches!(s.as_bytes(), [b'+' | b'-', ..]));
        Ok(Value::from_ref(Str::build(
            size,
            s.len() + missing,
            |out| {
                out.push(&s.as_bytes()[..sign]);
                out.push_times(b"0", missing);
                out.push(&s.as_bytes()[sign..]);
            },
        )))
    }),
];

/// The text as an exact `str`: the object itself if it is one.
pub fn unchanged(v: &Value) -> Value {
    match v.as_ref::<Str>() {
        Some(s) if !v.is_exact::<Str>() => Str::value_known(s.as_bytes(), s.len()),
        _ => v.clone(),
    }
}

// ---- case

fn map_ascii(v: &Value, changes: impl Fn(u8) -> bool, f: impl Fn(u8) -> u8) -> Value {
    let s = receiver::<Str>(v);
    let bytes = s.as_bytes();
    if chunks::all(bytes, |b| !changes(b)) {
        return unchanged(v);
    }
    match bytes {
        [b] => Str::value_wtf8(&[f(*b)]),
        _ => Value::from_ref(Str::build(bytes.len(), bytes.len(), |out| {
            out.push_mapped(bytes, f)
        })),
    }
}

fn map_chars(s: &Str, word: impl Fn(u64) -> u64, push: impl Fn(&mut Vec<u8>, u32)) -> Value {
    let mut out = Vec::with_capacity(s.as_bytes().len() + 8);
    each_piece(s.as_bytes(), &mut out, word, |out, _, c| push(out, c));
    Str::value_wtf8(&out)
}

/// Appends what becomes of a text: `word` maps eight ASCII characters at once, `push` appends what becomes of the one at a place.
#[inline(always)]
fn each_piece(
    bytes: &[u8],
    out: &mut Vec<u8>,
    word: impl Fn(u64) -> u64,
    push: impl Fn(&mut Vec<u8>, usize, u32),
) {
    let mut at = 0;
    while at < bytes.len() {
        if let Some(eight) = bytes[at..].first_chunk::<8>() {
            let eight = u64::from_le_bytes(*eight);
            if eight & HIGH == 0 {
                out.extend_from_slice(&word(eight).to_le_bytes());
                at += 8;
                continue;
            }
        }
        let (c, n) = match bytes[at..] {
            [b, ..] if b < 0x80 => (u32::from(b), 1),
            // Most of the others.
            [b, next, ..] if b < 0xE0 => ((u32::from(b) & 0x1F) << 6 | u32::from(next) & 0x3F, 2),
            _ => decode_char(&bytes[at..]),
        };
        push(out, at, c);
        at += n;
    }
}

/// The highest bit of each byte of a word.
const HIGH: u64 = 0x8080_8080_8080_8080;

/// The highest bit of each of eight ASCII characters that lies between two.
#[inline(always)]
fn between(word: u64, first: u8, last: u8) -> u64 {
    let all = |byte: u8| u64::from_le_bytes([byte; 8]);
    (word + all(0x80 - first)) & !(word + all(0x7F - last)) & HIGH
}

/// The same of letters.
#[inline(always)]
fn letters(word: u64) -> u64 {
    between(word | 0x2020_2020_2020_2020, b'a', b'z')
}

#[inline(always)]
fn lower_word(word: u64) -> u64 {
    word | between(word, b'A', b'Z') >> 2
}

#[inline(always)]
fn upper_word(word: u64) -> u64 {
    word ^ between(word, b'a', b'z') >> 2
}

/// Appends the part of a text behind `start` in lower case.
fn push_lower_from(out: &mut Vec<u8>, text: &[u8], start: usize) {
    each_piece(&text[start..], out, lower_word, |out, at, c| {
        push_lower_at(out, text, start + at, c)
    });
}

/// Appends the character at `at` in lower case. A sigma at the end of a word has its own form (Unicode's condition `Final_Sigma`).
fn push_lower_at(out: &mut Vec<u8>, text: &[u8], at: usize, c: u32) {
    const SIGMA: u32 = 0x3A3;
    if c != SIGMA {
        return unicode::push_lower(out, c);
    }
    let mut before = &text[..at];
    let mut follows_cased = false;
    while let Some((c, start)) = last_char(before) {
        if !unicode::is_case_ignorable(c) {
            follows_cased = unicode::is_cased(c);
            break;
        }
        before = &before[..start];
    }
    let next = chars_of(&text[at + 2..]).find(|&c| !unicode::is_case_ignorable(c));
    let is_final = follows_cased && !next.is_some_and(unicode::is_cased);
    push_char(out, if is_final { 0x3C2 } else { 0x3C3 });
}

// ---- stripping

/// The last character of a text, and where it starts.
fn last_char(bytes: &[u8]) -> Option<(u32, usize)> {
    let mut start = bytes.len().checked_sub(1)?;
    // Continuation bytes are 0x80 to 0xBF.
    while start > 0 && bytes[start] as i8 <= -0x41 {
        start -= 1;
    }
    Some((decode_char(&bytes[start..]).0, start))
}

/// Length of the text without trailing characters that pass the test.
pub fn trimmed_end(bytes: &[u8], test: impl Fn(u32) -> bool) -> usize {
    let mut end = bytes.len();
    while let Some((c, start)) = last_char(&bytes[..end]) {
        if !test(c) {
            break;
        }
        end = start;
    }
    end
}

/// Length of the leading characters that pass the test.
pub fn trimmed_start(bytes: &[u8], test: impl Fn(u32) -> bool) -> usize {
    let mut at = 0;
    while at < bytes.len() {
        let (c, n) = decode_char(&bytes[at..]);
        if !test(c) {
            break;
        }
        at += n;
    }
    at
}

fn strip(vm: &mut Vm, args: &[Value], name: &str, left: bool, right: bool) -> R {
    let s = receiver::<Str>(&args[0]);
    let bytes = s.as_bytes();
    let ends = |test: &dyn Fn(u32) -> bool| {
        let start = if left { trimmed_start(bytes, test) } else { 0 };
        let end = if right {
            start + trimmed_end(&bytes[start..], test)
        } else {
            bytes.len()
        };
        (start, end)
    };
    let (start, end) = match optional(args, 1).filter(|v| !v.is_none()) {
        None if s.is_ascii() => {
            let start = if left {
                bytes
                    .iter()
                    .position(|&b| !is_ascii_space(b))
                    .unwrap_or(bytes.len())
            } else {
                0
            };
            let last = if right {
                bytes[start..]
                    .iter()
                    .rposition(|&b| !is_ascii_space(b))
                    .map(|i| start + i + 1)
            } else {
                Some(bytes.len())
            };
            (start, last.unwrap_or(start))
        }
        None => ends(&unicode::is_space),
        Some(set) => {
            let Some(set) = set.as_ref::<Str>() else {
                return Err(vm.type_error(format!("{name} arg must be None or str")));
            };
            match set.as_bytes() {
                [b] => ends(&|c| c == *b as u32),
                _ if set.is_ascii() => ends(&|c| c < 0x80 && set.as_bytes().contains(&(c as u8))),
                _ => {
                    let set: Vec<u32> = set.chars().collect();
                    ends(&|c| set.contains(&c))
                }
            }
        }
    };
    if start == 0 && end == bytes.len() {
        return Ok(unchanged(&args[0]));
    }
    let rest = &bytes[start..end];
    Ok(if s.is_ascii() {
        Str::value_known(rest, rest.len())
    } else {
        Str::value_wtf8(rest)
    })
}

// ---- padding

fn pad(vm: &mut Vm, args: &[Value], sides: fn(usize, usize) -> (usize, usize)) -> R {
    let width = vm.index_i64(&args[1])?;
    let mut fill: &[u8] = b" ";
    if let Some(v) = optional(args, 2) {
        let Some(s) = v.as_ref::<Str>() else {
            return Err(vm.type_error(format!(
                "The fill character must be a unicode character, not {}",
                class_of(v).name()
            )));
        };
        if s.len() != 1 {
            return Err(vm.type_error("The fill character must be exactly one character long"));
        }
        fill = s.as_bytes();
    }
    let s = receiver::<Str>(&args[0]);
    let width = usize::try_from(width.max(0)).unwrap_or(usize::MAX);
    let missing = width.saturating_sub(s.len());
    if missing == 0 {
        return Ok(unchanged(&args[0]));
    }
    let size = vm.text_size(
        missing
            .saturating_mul(fill.len())
            .saturating_add(s.as_bytes().len()),
    )?;
    let (before, after) = sides(missing, width);
    if size == 1 {
        return Ok(Str::value_wtf8(fill));
    }
    Ok(Value::from_ref(Str::build(
        size,
        s.len() + missing,
        |out| {
            out.push_times(fill, before);
            out.push(s.as_bytes());
            out.push_times(fill, after);
        },
    )))
}

/// The text with tabs replaced by spaces, or `None` when it would be too long. For bytes too: there, `chars` is false.
pub fn expand(text: &[u8], tab: usize, chars: bool) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len());
    let mut column = 0usize;
    let mut rest = text;
    while !rest.is_empty() {
        let run = memchr::memchr3(b'\t', b'\n', b'\r', rest).unwrap_or(rest.len());
        let (plain, more) = rest.split_at(run);
        out.extend_from_slice(plain);
        column += if chars {
            chunks::count_chars(plain)
        } else {
            run
        };
        let Some((&b, more)) = more.split_first() else {
            break;
        };
        rest = more;
        match b {
            b'\t' => {
                if tab > 0 {
                    let n = tab - column % tab;
                    if out.len().saturating_add(n) > i32::MAX as usize
                        || (n > 1 << 16 && !crate::heap::can_allocate(out.len() + n))
                    {
                        return None;
                    }
                    column += n;
                    out.resize(out.len() + n, b' ');
                }
            }
            _ => {
                column = 0;
                out.push(b);
            }
        }
    }
    Some(out)
}

/// The optional `tabsize` argument.
pub fn tab_size(vm: &mut Vm, args: &[Value]) -> R<usize> {
    let Some(v) = optional(args, 1) else {
        return Ok(8);
    };
    match i32::try_from(vm.index_clamped(v)?) {
        Ok(n) => Ok(n.max(0) as usize),
        Err(_) => Err(vm.overflow_error("Python int too large to convert to C int")),
    }
}

fn expand_tabs(vm: &mut Vm, args: &[Value]) -> R {
    let tab = tab_size(vm, args)?;
    match expand(receiver::<Str>(&args[0]).as_bytes(), tab, true) {
        Some(text) => Ok(Str::value_wtf8(&text)),
        None => Err(vm.overflow_error("new string is too long")),
    }
}

// ---- translation

/// What a translation table says of a character.
#[derive(Clone)]
enum Translated {
    Unknown,
    Same,
    Deleted,
    Char(u32),
    Text(Ref<Str>),
}

fn look_up(vm: &mut Vm, table: &Value, c: u32) -> R<Translated> {
    let key = Value::small_int(c as i64);
    let found = match table.as_exact::<Dict>() {
        Some(d) => d.get_item(vm, &key)?,
        None => match vm.get_item(table, &key) {
            Ok(v) => Some(v),
            Err(raised) => {
                vm.swallow(raised, Exc::LookupError)?;
                None
            }
        },
    };
    let Some(v) = found else {
        return Ok(Translated::Same);
    };
    if v.is_none() {
        return Ok(Translated::Deleted);
    }
    if let Some(s) = v.as_ref::<Str>() {
        return Ok(Translated::Text(s.clone()));
    }
    match v.as_int().map(|i| i.to_i64()) {
        Some(Some(c @ 0..0x11_0000)) => Ok(Translated::Char(c as u32)),
        Some(_) => Err(vm.value_error("character mapping must be in range(0x110000)")),
        None => Err(vm.type_error("character mapping must return integer, None or str")),
    }
}

fn translate(vm: &mut Vm, args: &[Value]) -> R {
    let s = receiver::<Str>(&args[0]);
    let table = &args[1];
    if class_of(table).slots().getitem.is_none() && !table.is::<crate::objects::types::Type>() {
        return Err(vm.type_error(format!(
            "'{}' object is not subscriptable",
            class_of(table).name()
        )));
    }
    let mut out = Vec::with_capacity(s.as_bytes().len());
    // ASCII characters come again and again: what the table says of them is kept.
    let mut known = [UNKNOWN; 128];
    let done = translate_ascii(vm, s, table, &mut known, &mut out)?;
    if done == s.as_bytes().len() {
        return Ok(Str::value_wtf8(&out));
    }
    let mut known: Vec<Translated> = known.iter().map(|&to| Translated::of_byte(to)).collect();
    for c in chars_of(&s.as_bytes()[done..]) {
        let fresh;
        let to = match known.get(c as usize) {
            Some(Translated::Unknown) => {
                known[c as usize] = look_up(vm, table, c)?;
                &known[c as usize]
            }
            Some(to) => to,
            None => {
                fresh = look_up(vm, table, c)?;
                &fresh
            }
        };
        match to {
            Translated::Unknown | Translated::Same => push_char(&mut out, c),
            Translated::Deleted => {}
            Translated::Char(c) => push_char(&mut out, *c),
            Translated::Text(t) => {
                if out.capacity() - out.len() < t.as_bytes().len() {
                    vm.text_size((out.len() + t.as_bytes().len()).saturating_mul(2))?;
                }
                out.extend_from_slice(t.as_bytes());
            }
        }
    }
    Ok(Str::value_wtf8(&out))
}

/// What becomes of an ASCII character, beside another one: it is not known yet, or nothing does.
const UNKNOWN: u8 = 0x80;
const DELETED: u8 = 0x81;

impl Translated {
    fn of_byte(to: u8) -> Translated {
        match to {
            UNKNOWN => Translated::Unknown,
            DELETED => Translated::Deleted,
            c => Translated::Char(u32::from(c)),
        }
    }
}

/// Appends the translation of the ASCII characters at the start, as long as each becomes one ASCII character or none: how many bytes were read.
fn translate_ascii(
    vm: &mut Vm,
    s: &Str,
    table: &Value,
    known: &mut [u8; 128],
    out: &mut Vec<u8>,
) -> R<usize> {
    let bytes = &s.as_bytes()[..chunks::ascii_run(s.as_bytes())];
    for (i, &b) in bytes.iter().enumerate() {
        let place = (b & 0x7F) as usize;
        let mut to = known[place];
        if to == UNKNOWN {
            to = match look_up(vm, table, u32::from(b))? {
                Translated::Same => b,
                Translated::Char(c @ 0..0x80) => c as u8,
                Translated::Deleted => DELETED,
                Translated::Text(t) => match t.as_bytes() {
                    [] => DELETED,
                    [c] => *c,
                    _ => return Ok(i),
                },
                Translated::Char(_) | Translated::Unknown => return Ok(i),
            };
            known[place] = to;
        }
        if to < 0x80 {
            out.push(to);
        }
    }
    Ok(bytes.len())
}

fn make_translation(vm: &mut Vm, args: &[Value]) -> R {
    let table = Dict::new();
    let Some(y) = optional(args, 1) else {
        let Some(d) = args[0].as_exact::<Dict>() else {
            return Err(
                vm.type_error("if you give only one argument to maketrans it must be a dict")
            );
        };
        let entries: Vec<(Value, Value)> = d
            .map
            .get(vm)
            .iter()
            .map(|e| (e.key.clone(), e.value.clone()))
            .collect();
        for (key, value) in entries {
            let key = match key.as_ref::<Str>() {
                Some(s) if s.len() == 1 => Value::small_int(s.char_at(0) as i64),
                Some(_) => {
                    return Err(
                        vm.value_error("string keys in translate table must be of length 1")
                    );
                }
                None if key.as_int().is_some() => key,
                None => {
                    return Err(
                        vm.type_error("keys in translate table must be strings or integers")
                    );
                }
            };
            table.set_item(vm, &key, value)?;
        }
        return Ok(Value::from_ref(table));
    };
    let y = text_arg(vm, y, "maketrans() argument 2")?;
    let Some(x) = args[0].as_ref::<Str>() else {
        return Err(vm.type_error(
            "first maketrans argument must be a string if there is a second argument",
        ));
    };
    if x.len() != y.len() {
        return Err(vm.value_error("the first two maketrans arguments must have equal length"));
    }
    for (from, to) in x.chars().zip(y.chars()) {
        table.set_item(
            vm,
            &Value::small_int(from as i64),
            Value::small_int(to as i64),
        )?;
    }
    if let Some(z) = optional(args, 2) {
        for c in text_arg(vm, z, "maketrans() argument 3")?.chars() {
            table.set_item(vm, &Value::small_int(c as i64), Value::NONE)?;
        }
    }
    Ok(Value::from_ref(table))
}
