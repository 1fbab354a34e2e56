//! Compiled code as bytes: the library is compiled when the interpreter is built, and its code lies packed in the image.
//!
//! [`unpack`] gives back exactly what [`pack`] was given, with names of the reader's own kind. The form is private to one build: whatever reads it was built
//! together with what wrote it. Names are written once a module; spans, which only tracebacks need, lie apart.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::code::{
    BlockKind, CacheKind, CacheSlot, Capture, Compiled, Const, Flags, Handler, Proto,
};
use crate::op::{Instr, Op};
use crate::spans::{self, Spans, Store};
use crate::varint::{self, Reader};

/// A module's code in packed form.
pub struct Packed {
    /// Everything but the spans.
    pub code: Vec<u8>,
    /// The spans of all its code units; see [`Store`].
    pub spans: Vec<u8>,
}

/// Tags of constants.
mod tag {
    pub const NONE: u8 = 0;
    pub const FALSE: u8 = 1;
    pub const TRUE: u8 = 2;
    pub const ELLIPSIS: u8 = 3;
    pub const INT: u8 = 4;
    pub const BIG_INT: u8 = 5;
    pub const FLOAT: u8 = 6;
    pub const COMPLEX: u8 = 7;
    pub const STR: u8 = 8;
    pub const BYTES: u8 = 9;
    pub const TUPLE: u8 = 10;
    pub const FROZEN_SET: u8 = 11;
    pub const CODE: u8 = 12;
}

/// Packs the code of a module.
pub fn pack(module: &Compiled) -> Packed {
    let mut writer = Writer::default();
    writer.unit(module);
    let mut code = Vec::new();
    varint::write(writer.names.len() as u64, &mut code);
    let mut names: Vec<(&str, u64)> = writer.names.iter().map(|(n, i)| (&**n, *i)).collect();
    names.sort_by_key(|(_, index)| *index);
    for (name, _) in names {
        varint::write(name.len() as u64, &mut code);
        code.extend_from_slice(name.as_bytes());
    }
    code.append(&mut writer.out);
    Packed {
        code,
        spans: writer.spans,
    }
}

#[derive(Default)]
struct Writer {
    names: BTreeMap<Rc<str>, u64>,
    out: Vec<u8>,
    spans: Vec<u8>,
}

impl Writer {
    fn number(&mut self, number: impl TryInto<u64>) {
        varint::write(number.try_into().unwrap_or(u64::MAX), &mut self.out);
    }

    fn index_of(&mut self, name: &Rc<str>) -> u64 {
        let next = self.names.len() as u64;
        *self.names.entry(name.clone()).or_insert(next)
    }

    fn name(&mut self, name: &Rc<str>) {
        let index = self.index_of(name);
        self.number(index);
    }

    fn list<T>(&mut self, items: &[T], mut each: impl FnMut(&mut Writer, &T)) {
        self.number(items.len());
        items.iter().for_each(|item| each(self, item));
    }

    fn unit(&mut self, unit: &Compiled) {
        // Every part by name: a new one cannot be forgotten.
        let Compiled {
            name,
            qualname,
            varnames,
            freevars,
            consts,
            caches,
            static_attributes,
            proto,
        } = unit;
        let Proto {
            kind,
            flags,
            posonly,
            args,
            kwonly,
            cells,
            captures,
            nregs,
            first_line,
            instrs,
            spans,
            handlers,
        } = &**proto;
        self.name(name);
        self.name(qualname);
        self.number(match kind {
            BlockKind::Module => 0u64,
            BlockKind::Class => 1,
            BlockKind::Function => 2,
        });
        self.number(flag_bits(*flags));
        for number in [*posonly, *args, *kwonly, *nregs] {
            self.number(number);
        }
        self.number(*first_line);
        self.list(varnames, Writer::name);
        self.list(cells, |w, cell| w.number(*cell));
        self.list(freevars, Writer::name);
        self.list(captures, |w, capture| {
            w.number(match capture {
                Capture::Local(at) => u64::from(*at) << 1,
                Capture::Free(at) => u64::from(*at) << 1 | 1,
            });
        });
        self.list(instrs, |w, instr| {
            w.out.extend([instr.op as u8, instr.x]);
            for operand in [instr.a, instr.b, instr.c] {
                w.number(operand);
            }
        });
        let before = self.spans.len();
        spans::write(spans, &mut self.spans);
        self.number(self.spans.len() - before);
        self.list(handlers, |w, handler| {
            for number in [handler.start, handler.end, handler.target] {
                w.number(number);
            }
            w.number(handler.register);
            w.number(handler.depth);
        });
        self.list(caches, |w, slot| {
            let index = w.index_of(&slot.name);
            w.number(index << 1 | u64::from(slot.kind == CacheKind::Attr));
        });
        self.list(static_attributes, Writer::name);
        self.list(consts, Writer::constant);
    }

    fn constant(&mut self, constant: &Const) {
        let tag = match constant {
            Const::None => tag::NONE,
            Const::Bool(false) => tag::FALSE,
            Const::Bool(true) => tag::TRUE,
            Const::Ellipsis => tag::ELLIPSIS,
            Const::Int(_) => tag::INT,
            Const::BigInt(_) => tag::BIG_INT,
            Const::Float(_) => tag::FLOAT,
            Const::Complex(..) => tag::COMPLEX,
            Const::Str(_) => tag::STR,
            Const::Bytes(_) => tag::BYTES,
            Const::Tuple(_) => tag::TUPLE,
            Const::FrozenSet(_) => tag::FROZEN_SET,
            Const::Code(_) => tag::CODE,
        };
        self.out.push(tag);
        match constant {
            Const::None | Const::Bool(_) | Const::Ellipsis => {}
            Const::Int(value) => varint::write_signed(*value, &mut self.out),
            Const::BigInt(digits) => self.list(digits.as_bytes(), |w, byte| w.out.push(*byte)),
            Const::Float(value) => self.out.extend(value.to_bits().to_le_bytes()),
            Const::Complex(real, imag) => {
                self.out.extend(real.to_bits().to_le_bytes());
                self.out.extend(imag.to_bits().to_le_bytes());
            }
            Const::Str(bytes) | Const::Bytes(bytes) => {
                self.list(bytes, |w, byte| w.out.push(*byte));
            }
            Const::Tuple(items) | Const::FrozenSet(items) => self.list(items, Writer::constant),
            Const::Code(unit) => self.unit(unit),
        }
    }
}

/// The code that was packed; `None` when the bytes are not such. The spans are to be found in `store`; `name_of` makes the names, each
/// once.
pub fn unpack<N: Clone>(
    code: &[u8],
    store: &Rc<Store>,
    mut name_of: impl FnMut(&str) -> N,
) -> Option<Rc<Compiled<N>>> {
    let mut bytes = Reader::new(code);
    let count = bytes.fitting()?;
    let names = list_of(count, || {
        let len = bytes.fitting()?;
        Some(name_of(std::str::from_utf8(bytes.take(len)?).ok()?))
    })?;
    let mut loader = Loader {
        names,
        bytes,
        store,
        spans_at: 0,
    };
    let module = loader.unit()?;
    loader.bytes.is_at_end().then_some(module)
}

/// As many items as promised. Space is made beforehand for a plausible number only: promises may be empty.
fn list_of<T>(count: usize, mut each: impl FnMut() -> Option<T>) -> Option<Vec<T>> {
    let mut items = Vec::with_capacity(count.min(1 << 16));
    for _ in 0..count {
        items.push(each()?);
    }
    Some(items)
}

struct Loader<'b, N> {
    names: Vec<N>,
    bytes: Reader<'b>,
    store: &'b Rc<Store>,
    spans_at: usize,
}

impl<N: Clone> Loader<'_, N> {
    fn name_at(&self, index: u64) -> Option<N> {
        self.names.get(usize::try_from(index).ok()?).cloned()
    }

    fn name(&mut self) -> Option<N> {
        let index = self.bytes.number()?;
        self.name_at(index)
    }

    fn list<T>(&mut self, mut each: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let count = self.bytes.fitting()?;
        list_of(count, || each(self))
    }

    fn unit(&mut self) -> Option<Rc<Compiled<N>>> {
        let name = self.name()?;
        let qualname = self.name()?;
        let kind = match self.bytes.number()? {
            0 => BlockKind::Module,
            1 => BlockKind::Class,
            2 => BlockKind::Function,
            _ => return None,
        };
        let flags = flags_of(self.bytes.number()?);
        let posonly = self.bytes.fitting()?;
        let args = self.bytes.fitting()?;
        let kwonly = self.bytes.fitting()?;
        let nregs = self.bytes.fitting()?;
        let first_line = self.bytes.fitting()?;
        let varnames = self.list(Self::name)?;
        let cells = self.list(|l| l.bytes.fitting())?;
        let freevars = self.list(Self::name)?;
        let captures = self.list(|l| {
            let number = l.bytes.number()?;
            let at = u16::try_from(number >> 1).ok()?;
            Some(match number & 1 {
                0 => Capture::Local(at),
                _ => Capture::Free(at),
            })
        })?;
        let instrs = self.list(|l| {
            let op = *Op::ALL.get(usize::from(l.bytes.byte()?))?;
            let x = l.bytes.byte()?;
            let a = l.bytes.fitting()?;
            let b = l.bytes.fitting()?;
            let c = l.bytes.fitting()?;
            Some(Instr { op, x, a, b, c })
        })?;
        let spans = Spans::packed(self.store, self.spans_at, instrs.len());
        let len: usize = self.bytes.fitting()?;
        self.spans_at = self.spans_at.checked_add(len)?;
        let handlers = self.list(|l| {
            Some(Handler {
                start: l.bytes.fitting()?,
                end: l.bytes.fitting()?,
                target: l.bytes.fitting()?,
                register: l.bytes.fitting()?,
                depth: l.bytes.fitting()?,
            })
        })?;
        let caches = self.list(|l| {
            let number = l.bytes.number()?;
            Some(CacheSlot {
                name: l.name_at(number >> 1)?,
                kind: match number & 1 {
                    0 => CacheKind::Global,
                    _ => CacheKind::Attr,
                },
            })
        })?;
        let static_attributes = self.list(Self::name)?;
        let consts = self.list(Self::constant)?;
        let proto = Rc::new(Proto {
            kind,
            flags,
            posonly,
            args,
            kwonly,
            cells,
            captures,
            nregs,
            first_line,
            instrs,
            spans,
            handlers,
        });
        Some(Rc::new(Compiled {
            name,
            qualname,
            varnames,
            freevars,
            consts,
            caches,
            static_attributes,
            proto,
        }))
    }

    fn constant(&mut self) -> Option<Const<N>> {
        Some(match self.bytes.byte()? {
            tag::NONE => Const::None,
            tag::FALSE => Const::Bool(false),
            tag::TRUE => Const::Bool(true),
            tag::ELLIPSIS => Const::Ellipsis,
            tag::INT => Const::Int(self.bytes.signed()?),
            tag::BIG_INT => Const::BigInt(std::str::from_utf8(self.sized()?).ok()?.into()),
            tag::FLOAT => Const::Float(f64::from_bits(self.bytes.word()?)),
            tag::COMPLEX => Const::Complex(
                f64::from_bits(self.bytes.word()?),
                f64::from_bits(self.bytes.word()?),
            ),
            tag::STR => Const::Str(self.sized()?.into()),
            tag::BYTES => Const::Bytes(self.sized()?.into()),
            tag::TUPLE => Const::Tuple(self.list(Self::constant)?.into()),
            tag::FROZEN_SET => Const::FrozenSet(self.list(Self::constant)?.into()),
            tag::CODE => Const::Code(self.unit()?),
            _ => return None,
        })
    }

    /// Bytes with their number before them.
    fn sized(&mut self) -> Option<&[u8]> {
        let len = self.bytes.fitting()?;
        self.bytes.take(len)
    }
}

fn flag_bits(flags: Flags) -> u64 {
    let Flags {
        varargs,
        varkeywords,
        generator,
        coroutine,
        async_generator,
        nested,
        optimized,
        has_docstring,
        method,
    } = flags;
    [
        varargs,
        varkeywords,
        generator,
        coroutine,
        async_generator,
        nested,
        optimized,
        has_docstring,
        method,
    ]
    .iter()
    .rev()
    .fold(0, |bits, flag| bits << 1 | u64::from(*flag))
}

fn flags_of(bits: u64) -> Flags {
    let flag = |at: u32| bits >> at & 1 == 1;
    Flags {
        varargs: flag(0),
        varkeywords: flag(1),
        generator: flag(2),
        coroutine: flag(3),
        async_generator: flag(4),
        nested: flag(5),
        optimized: flag(6),
        has_docstring: flag(7),
        method: flag(8),
    }
}
