//! `io.StringIO`.

use super::base::{self, bases, size_arg};
use crate::class_slot;
use crate::heap::{self, Payload, Ref, VmCell};
use crate::objects::native::{Def, receiver};
use crate::objects::sequence::push_text;
use crate::objects::slots::Slots;
use crate::objects::string::{self, Str};
use crate::objects::tuple::Tuple;
use crate::objects::types::{BASE, ClassBuilder};
use crate::value::Value;
use crate::vm::args::{Args, optional};
use crate::vm::{R, Vm};

/// What happens to line ends: `newline` of the constructor.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Newline {
    /// `None`: all become `\n`.
    Universal,
    /// `''`: none is changed, all end lines.
    Any,
    /// `'\n'`, `'\r'` or `'\r\n'`.
    Only(&'static str),
}

impl Newline {
    /// Reads the argument.
    pub(super) fn of_arg(vm: &mut Vm, v: &Value) -> R<Newline> {
        if v.is_none() {
            return Ok(Newline::Universal);
        }
        let Some(s) = v.as_ref::<Str>() else {
            return Err(vm.type_error(format!(
                "newline must be str or None, not {}",
                vm.class_name(v)
            )));
        };
        match s.as_bytes() {
            b"" => Ok(Newline::Any),
            b"\n" => Ok(Newline::Only("\n")),
            b"\r" => Ok(Newline::Only("\r")),
            b"\r\n" => Ok(Newline::Only("\r\n")),
            _ => {
                let shown = vm.repr(v)?.to_text().into_owned();
                Err(vm.value_error(format!("illegal newline value: {shown}")))
            }
        }
    }

    /// The text with the line ends that reading shows.
    pub(super) fn translated(self, text: &[u8]) -> Vec<u8> {
        if self != Newline::Universal || !text.contains(&b'\r') {
            return text.to_vec();
        }
        let mut out = Vec::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.iter().position(|&b| b == b'\r') {
            out.extend_from_slice(&rest[..at]);
            out.push(b'\n');
            rest = &rest[at + 1..];
            rest = rest.strip_prefix(b"\n").unwrap_or(rest);
        }
        out.extend_from_slice(rest);
        out
    }

    /// Length in bytes of the first line, its end included.
    pub(super) fn line_len(self, text: &[u8]) -> usize {
        let found = match self {
            Newline::Universal | Newline::Only("\n") => memchr::memchr(b'\n', text).map(|i| i + 1),
            Newline::Any => text
                .iter()
                .position(|&b| b == b'\n' || b == b'\r')
                .map(|i| i + if text[i..].starts_with(b"\r\n") { 2 } else { 1 }),
            Newline::Only("\r") => memchr::memchr(b'\r', text).map(|i| i + 1),
            Newline::Only(_) => text.windows(2).position(|w| w == b"\r\n").map(|i| i + 2),
        };
        found.unwrap_or(text.len())
    }
}

/// The text and the position in it, which is kept in characters and in bytes.
#[derive(Default)]
pub(super) struct Text {
    /// WTF-8.
    data: Vec<u8>,
    /// Length in characters.
    chars: usize,
    pos: usize,
    at: usize,
}

/// Bytes of the first `n` characters of WTF-8 text, or all if there are fewer; and how many characters those are.
fn prefix(text: &[u8], n: usize) -> (usize, usize) {
    let (mut bytes, mut chars) = (0, 0);
    while chars < n && bytes < text.len() {
        bytes += string::decode_char(&text[bytes..]).1;
        chars += 1;
    }
    (bytes, chars)
}

impl Text {
    pub(super) fn new(data: Vec<u8>) -> Text {
        Text {
            chars: string::count_chars(&data),
            data,
            pos: 0,
            at: 0,
        }
    }

    fn is_ascii(&self) -> bool {
        self.chars == self.data.len()
    }

    fn seek(&mut self, pos: usize) {
        (self.at, _) = if self.is_ascii() || pos >= self.chars {
            (pos.min(self.data.len()), 0)
        } else {
            prefix(&self.data, pos)
        };
        if pos >= self.chars {
            self.at = self.data.len();
        }
        self.pos = pos;
    }

    /// What is left, in bytes.
    fn rest(&self) -> &[u8] {
        &self.data[self.at..]
    }

    /// Takes the next `bytes` bytes.
    fn take(&mut self, bytes: usize) -> Vec<u8> {
        let piece = self.data[self.at..self.at + bytes].to_vec();
        self.at += bytes;
        self.pos += if self.is_ascii() {
            bytes
        } else {
            string::count_chars(&piece)
        };
        piece
    }

    /// Takes up to `n` characters, or all.
    pub(super) fn read(&mut self, n: Option<usize>) -> Vec<u8> {
        let rest = self.rest();
        let bytes = match n {
            None => rest.len(),
            Some(n) if self.is_ascii() => n.min(rest.len()),
            Some(n) => prefix(rest, n).0,
        };
        self.take(bytes)
    }

    /// Takes a line of up to `n` characters.
    pub(super) fn read_line(&mut self, newline: Newline, n: Option<usize>) -> Vec<u8> {
        let line = newline.line_len(self.rest());
        let bytes = n.map_or(line, |n| prefix(&self.rest()[..line], n).0);
        self.take(bytes)
    }
}

/// Payload of `StringIO`.
pub(super) struct StringIo {
    text: VmCell<Text>,
    newline: std::cell::Cell<Newline>,
    closed: std::cell::Cell<bool>,
    /// The line ends seen so far; see [`line_ends`].
    seen: std::cell::Cell<u8>,
}

// SAFETY: owns no values.
unsafe impl Payload for StringIo {
    class_slot!();
    fn traverse(&self, _: &mut dyn FnMut(&Value)) {}
}

/// Builds the class, unless it exists.
pub(super) fn init(vm: &mut Vm) {
    if StringIo::class_slot().with(|slot| slot.is_set()) {
        return;
    }
    let base = bases(vm).text.clone();
    let slots = Slots {
        new: Some(|_, class, _| {
            let io = StringIo {
                text: VmCell::default(),
                newline: std::cell::Cell::new(Newline::Only("\n")),
                closed: std::cell::Cell::new(false),
                seen: std::cell::Cell::new(0),
            };
            Ok(Value::from_ref(heap::alloc_instance(io, class, 0)))
        }),
        init: Some(init_slot),
        iter: Some(|vm, v| open(vm, v).map(|_| v.clone())),
        next: Some(|vm, v| {
            let io = open(vm, v)?;
            let line = io.text.get_mut(vm).read_line(io.newline.get(), None);
            Ok(if line.is_empty() {
                Value::UNDEF
            } else {
                Str::value_wtf8(&line)
            })
        }),
        // There is nothing to close, except what a subclass has.
        del: Some(|vm, v| {
            if v.is_exact::<StringIo>() || vm.class_of(v).is_static() {
                return Ok(());
            }
            base::finalize(vm, v)
        }),
        ..Slots::NONE
    };
    ClassBuilder::new::<StringIo>("StringIO")
        .base(&base)
        .flags(BASE)
        .slots(slots)
        .module(vm, "_io")
        .methods(vm, METHODS)
        .getset(
            vm,
            "closed",
            |_, v| Ok(Value::bool(receiver::<StringIo>(v).closed.get())),
            None,
        )
        .getset(vm, "newlines", newlines, None)
        .getset(vm, "line_buffering", |_, _| Ok(Value::FALSE), None)
        .build(vm);
}

/// The object, if it is open.
fn open(vm: &mut Vm, v: &Value) -> R<Ref<StringIo>> {
    let io = receiver::<StringIo>(v).clone();
    if io.closed.get() {
        Err(vm.value_error("I/O operation on closed file"))
    } else {
        Ok(io)
    }
}

fn init_slot(vm: &mut Vm, v: &Value, args: Args) -> R<()> {
    let a = args.bind(
        vm,
        "StringIO",
        crate::params!("(initial_value='', newline='\n')"),
        0,
    )?;
    let io = receiver::<StringIo>(v).clone();
    io.newline.set(match optional(&a, 1) {
        Some(newline) => Newline::of_arg(vm, newline)?,
        None => Newline::Only("\n"),
    });
    io.closed.set(false);
    io.seen.set(0);
    drop(io.text.replace(vm, Text::default()));
    match optional(&a, 0).filter(|v| !v.is_none()) {
        Some(initial) if !initial.is::<Str>() => Err(vm.type_error(format!(
            "initial_value must be str or None, not {}",
            vm.class_name(initial)
        ))),
        Some(initial) => {
            write(vm, &io, initial)?;
            io.text.get_mut(vm).seek(0);
            Ok(())
        }
        None => Ok(()),
    }
}

fn write(vm: &mut Vm, io: &Ref<StringIo>, v: &Value) -> R {
    let Some(s) = v.as_ref::<Str>() else {
        return Err(vm.type_error(format!(
            "string argument expected, got '{}'",
            vm.class_name(v)
        )));
    };
    let raw = s.as_bytes();
    if matches!(io.newline.get(), Newline::Universal | Newline::Any) {
        io.seen.set(io.seen.get() | line_ends(raw));
    }
    let changed;
    let (piece, chars) = match io.newline.get() {
        Newline::Universal if raw.contains(&b'\r') => {
            changed = Newline::Universal.translated(raw);
            (&changed[..], string::count_chars(&changed))
        }
        Newline::Only(end) if end != "\n" && raw.contains(&b'\n') => {
            let mut out = Vec::with_capacity(raw.len() + 8);
            for &b in raw {
                if b == b'\n' {
                    out.extend_from_slice(end.as_bytes())
                } else {
                    out.push(b)
                }
            }
            changed = out;
            (&changed[..], string::count_chars(&changed))
        }
        _ => (raw, s.len()),
    };
    if chars == 0 {
        return Ok(Value::int(s.len() as i64));
    }
    let text = io.text.get_mut(vm);
    if text.pos > text.chars {
        let gap = text.pos - text.chars;
        vm.text_size(gap)?;
        let text = io.text.get_mut(vm);
        text.data.resize(text.data.len() + gap, 0);
        text.chars += gap;
        text.at = text.data.len();
    }
    let text = io.text.get_mut(vm);
    if text.at == text.data.len() {
        let mut data = std::mem::take(&mut text.data);
        let pushed = push_text(vm, &mut data, piece);
        io.text.get_mut(vm).data = data;
        pushed?;
        let text = io.text.get_mut(vm);
        text.chars += chars;
        text.pos += chars;
        text.at = text.data.len();
    } else {
        // As many characters are written over as are written.
        let (bytes, over) = if text.is_ascii() {
            (chars.min(text.rest().len()), chars.min(text.rest().len()))
        } else {
            prefix(text.rest(), chars)
        };
        text.data
            .splice(text.at..text.at + bytes, piece.iter().copied());
        text.chars += chars - over;
        text.pos += chars;
        text.at += piece.len();
    }
    Ok(Value::int(s.len() as i64))
}

fn truth(vm: &mut Vm, args: &[Value]) -> R {
    open(vm, &args[0])?;
    Ok(Value::TRUE)
}

static METHODS: &[Def] = &[
    Def::method("write", "(self, s, /)", |vm, a| {
        let io = open(vm, &a[0])?;
        write(vm, &io, &a[1])
    }),
    Def::method("getvalue", "(self, /)", |vm, a| {
        let io = open(vm, &a[0])?;
        let size = io.text.get(vm).data.len();
        vm.text_size(size)?;
        Ok(Str::value_wtf8(&io.text.get(vm).data))
    }),
    Def::method("read", "(self, size=-1, /)", |vm, a| {
        let io = open(vm, &a[0])?;
        let n = size_arg(vm, optional(a, 1))?;
        let piece = io.text.get_mut(vm).read(n);
        Ok(Str::value_wtf8(&piece))
    }),
    Def::method("readline", "(self, size=-1, /)", |vm, a| {
        let io = open(vm, &a[0])?;
        let n = size_arg(vm, optional(a, 1))?;
        let line = io.text.get_mut(vm).read_line(io.newline.get(), n);
        Ok(Str::value_wtf8(&line))
    }),
    Def::method("tell", "(self, /)", |vm, a| {
        let io = open(vm, &a[0])?;
        Ok(Value::int(io.text.get(vm).pos as i64))
    }),
    Def::method("seek", "(self, offset, whence=0, /)", |vm, a| {
        let io = open(vm, &a[0])?;
        let offset = vm.index_i64(&a[1])?;
        let whence = match optional(a, 2) {
            Some(w) => vm.index_i64(w)?,
            None => 0,
        };
        if !(0..=2).contains(&whence) {
            return Err(vm.value_error(format!("Invalid whence ({whence}, should be 0, 1 or 2)")));
        }
        if whence == 0 && offset < 0 {
            return Err(vm.value_error(format!("Negative seek position {offset}")));
        }
        if whence != 0 && offset != 0 {
            return Err(vm.raise(
                crate::objects::exception::Exc::OSError,
                "Can't do nonzero cur-relative seeks",
            ));
        }
        let offset = super::base::position(vm, offset)?;
        let text = io.text.get_mut(vm);
        let pos = match whence {
            0 => offset,
            1 => text.pos,
            _ => text.chars,
        };
        text.seek(pos);
        Ok(Value::int(pos as i64))
    }),
    Def::method("truncate", "(self, pos=None, /)", |vm, a| {
        let io = open(vm, &a[0])?;
        let size = match optional(a, 1).filter(|v| !v.is_none()) {
            Some(v) => vm.index_i64(v)?,
            None => io.text.get(vm).pos as i64,
        };
        if size < 0 {
            return Err(vm.value_error(format!("Negative size value {size}")));
        }
        let size_chars = usize::try_from(size).unwrap_or(usize::MAX);
        let text = io.text.get_mut(vm);
        if size_chars < text.chars {
            let pos = text.pos;
            let (bytes, chars) = if text.is_ascii() {
                (size_chars, size_chars)
            } else {
                prefix(&text.data, size_chars)
            };
            text.data.truncate(bytes);
            text.chars = chars;
            text.seek(pos);
        }
        Ok(Value::int(size))
    }),
    Def::method("close", "(self, /)", |vm, a| {
        let io = receiver::<StringIo>(&a[0]).clone();
        io.closed.set(true);
        drop(io.text.replace(vm, Text::default()));
        Ok(Value::NONE)
    }),
    Def::method("readable", "(self, /)", truth),
    Def::method("writable", "(self, /)", truth),
    Def::method("seekable", "(self, /)", truth),
    Def::method("readlines", "(self, hint=-1, /)", |vm, a| {
        base::read_lines(vm, &a[0], optional(a, 1))
    }),
    Def::method("__reduce__", "(self, /)", |vm, a| {
        let state = state(vm, &a[0])?;
        base::reduce(vm, &a[0], state)
    }),
    Def::method("__getstate__", "(self, /)", |vm, a| state(vm, &a[0])),
    Def::method("__setstate__", "(self, state, /)", set_state),
];

/// Text, line ends, position and attributes, as `__setstate__` takes them.
fn state(vm: &mut Vm, v: &Value) -> R {
    let io = open(vm, v)?;
    let text = io.text.get(vm);
    let (data, pos) = (Str::value_wtf8(&text.data), Value::int(text.pos as i64));
    let newline = match io.newline.get() {
        Newline::Universal => Value::NONE,
        Newline::Any => Str::value(""),
        Newline::Only(end) => Str::value(end),
    };
    let attributes = super::base::attributes(vm, v);
    Ok(Tuple::value(vec![data, newline, pos, attributes]))
}

fn set_state(vm: &mut Vm, args: &[Value]) -> R {
    let io = open(vm, &args[0])?;
    let state = args[1].as_ref::<Tuple>().map(|t| t.items().to_vec());
    let Some([data, newline, pos, attributes]) = state.as_deref() else {
        let class = vm.class_name(&args[0]);
        let given = vm.class_name(&args[1]);
        return Err(vm.type_error(format!(
            "{class}.__setstate__ argument should be 4-tuple, got {given}"
        )));
    };
    let Some(text) = data.as_ref::<Str>() else {
        return Err(vm.type_error(format!(
            "initial_value must be str or None, not {}",
            vm.class_name(data)
        )));
    };
    let newline = Newline::of_arg(vm, newline)?;
    if pos.as_int().is_none() {
        return Err(vm.type_error(format!(
            "third item of state must be an integer, got {}",
            vm.class_name(pos)
        )));
    }
    let pos = vm.index_i64(pos)?;
    if pos < 0 {
        return Err(vm.value_error("position value cannot be negative"));
    }
    let pos = super::base::position(vm, pos)?;
    super::base::restore(vm, &args[0], attributes, "fourth")?;
    io.newline.set(newline);
    let mut text = Text::new(text.as_bytes().to_vec());
    text.seek(pos);
    drop(io.text.replace(vm, text));
    Ok(Value::NONE)
}

/// Which line ends a text has: bits for `\r`, `\n` and `\r\n`.
fn line_ends(text: &[u8]) -> u8 {
    let mut seen = 0;
    for (i, &b) in text.iter().enumerate() {
        seen |= match b {
            b'\r' if text.get(i + 1) == Some(&b'\n') => 4,
            b'\r' => 1,
            b'\n' if i == 0 || text[i - 1] != b'\r' => 2,
            _ => 0,
        };
    }
    seen
}

/// `newlines`: the line ends seen so far, when all kinds are line ends.
fn newlines(vm: &mut Vm, v: &Value) -> R {
    let io = open(vm, v)?;
    let seen = io.seen.get();
    let mut ends: Vec<Value> = ["\r", "\n", "\r\n"]
        .iter()
        .enumerate()
        .filter(|(i, _)| seen >> i & 1 != 0)
        .map(|(_, end)| Str::value(end))
        .collect();
    Ok(match ends.len() {
        0 => Value::NONE,
        1 => ends.remove(0),
        _ => Tuple::value(ends),
    })
}
