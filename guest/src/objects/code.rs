//! Code objects: what the compiler made, linked with values.

use crate::class_slot;
use crate::heap::{self, Kind, Payload, Ref, VmCell};
use crate::names;
use crate::objects::set::FrozenSet;
use crate::objects::string::Str;
use crate::objects::tuple::Tuple;
use crate::packed::Packed;
use crate::value::Value;
use crate::vm::cache::Cache;
use crate::vm::{R, Vm};
use coldframe_compiler::code::{Const, Proto};
use coldframe_frontend::LineIndex;
use std::cell::OnceCell;
use std::rc::Rc;

/// A source text with its name: what positions in code refer to.
pub struct Source {
    /// `co_filename`
    pub file: Ref<Str>,
    text: Rc<Text>,
}

struct Text {
    lines: OnceCell<LineIndex>,
    /// What the lines are made of when somebody asks for them.
    packed: Option<Packed>,
}

impl Source {
    /// A source that has been read.
    pub fn new(file: Ref<Str>, lines: LineIndex) -> Source {
        let text = Rc::new(Text {
            lines: OnceCell::from(lines),
            packed: None,
        });
        Source { file, text }
    }

    /// A source that is packed until somebody wants to see a line.
    pub fn packed(file: Ref<Str>, packed: Packed) -> Source {
        let text = Rc::new(Text {
            lines: OnceCell::new(),
            packed: Some(packed),
        });
        Source { file, text }
    }

    /// The same text under another name.
    pub fn renamed(&self, file: Ref<Str>) -> Source {
        let text = self.text.clone();
        Source { file, text }
    }

    /// The text, and where its lines begin.
    pub fn lines(&self) -> &LineIndex {
        self.text.lines.get_or_init(|| {
            let text = self.text.packed.map(Packed::unpack_text);
            LineIndex::of_source(&text.unwrap_or_default())
        })
    }
}

/// Payload of `code`.
pub struct Code {
    /// What the compiler made.
    pub proto: Rc<Proto>,
    /// The source.
    pub source: Rc<Source>,
    /// `co_name`
    pub name: Ref<Str>,
    /// `co_qualname`
    pub qualname: Ref<Str>,
    /// Names of the named registers.
    pub varnames: Vec<Ref<Str>>,
    /// Names of the closure cells.
    pub freevars: Vec<Ref<Str>>,
    /// The constants.
    pub consts: Vec<Value>,
    /// The inline caches.
    pub caches: VmCell<Vec<Cache>>,
    /// Number of parameters: positional, keyword-only, `*args`, `**kwargs`.
    pub param_count: u16,
    /// A plain function: no `*args`, `**kwargs`, keyword-only parameters, not a generator: calls need no binding when the count fits.
    pub simple: bool,
    /// Added to every line (`replace(co_firstlineno=...)`).
    pub line_shift: i32,
    /// Bits of `co_flags` that `replace` has turned over; none that the instructions rely on.
    pub changed_flags: i64,
    /// What a call with that many positional arguments finds: the number of parameters if the function is `simple`, otherwise no possible number.
    pub plain_args: u32,
    /// Number of registers.
    pub nregs: u32,
}

// SAFETY: visits every value held.
unsafe impl Payload for Code {
    const KIND: Kind = Kind::Code;
    class_slot!();
    fn traverse(&self, visit: &mut dyn FnMut(&Value)) {
        self.source.file.with_value(&mut *visit);
        self.name.with_value(&mut *visit);
        self.qualname.with_value(&mut *visit);
        self.varnames.iter().for_each(|n| n.with_value(&mut *visit));
        self.freevars.iter().for_each(|n| n.with_value(&mut *visit));
        self.consts.iter().for_each(&mut *visit);
        // SAFETY: the collector runs while no borrow of any payload lives.
        unsafe { self.caches.peek() }
            .iter()
            .for_each(|c| c.traverse(visit));
    }
}

impl Code {
    /// Links compiled code.
    pub fn link(vm: &mut Vm, proto: &Rc<Proto>, source: &Rc<Source>) -> R<Ref<Code>> {
        let mut consts = Vec::with_capacity(proto.consts.len());
        for c in &proto.consts {
            consts.push(Self::constant(vm, c, Some(source))?);
        }
        let intern_all =
            |list: &[Rc<str>]| list.iter().map(|s| names::intern(s)).collect::<Vec<_>>();
        let caches = proto
            .caches
            .iter()
            .map(|slot| Cache::new(names::intern(&slot.name)))
            .collect();
        let flags = proto.flags;
        let simple = !(flags.varargs
            || flags.varkeywords
            || flags.generator
            || flags.coroutine
            || flags.async_generator)
            && proto.kwonly == 0;
        Ok(heap::alloc(Code {
            source: source.clone(),
            name: names::intern(&proto.name),
            qualname: names::intern(&proto.qualname),
            varnames: intern_all(&proto.varnames),
            freevars: intern_all(&proto.freevars),
            consts,
            caches: VmCell::new(caches),
            param_count: proto.args
                + proto.kwonly
                + flags.varargs as u16
                + flags.varkeywords as u16,
            line_shift: 0,
            changed_flags: 0,
            simple,
            plain_args: if simple {
                u32::from(proto.args)
            } else {
                u32::MAX
            },
            nregs: u32::from(proto.nregs),
            proto: proto.clone(),
        }))
    }

    /// The value of a constant that holds no code.
    pub fn constant_value(vm: &mut Vm, c: &Const) -> R {
        Self::constant(vm, c, None)
    }

    fn constant(vm: &mut Vm, c: &Const, source: Option<&Rc<Source>>) -> R {
        Ok(match c {
            Const::None => Value::NONE,
            Const::Bool(b) => Value::bool(*b),
            Const::Ellipsis => Value::ELLIPSIS,
            Const::Int(i) => Value::int(*i),
            Const::BigInt(digits) => Value::bigint(
                digits
                    .parse()
                    .map_err(|_| vm.value_error("invalid integer constant"))?,
            ),
            Const::Float(f) => Value::float(*f),
            Const::Complex(re, im) => crate::objects::complex::Complex::value(*re, *im),
            Const::Str(s) => {
                // Names are interned so that look-ups by constant strings compare addresses.
                if s.len() <= 64 {
                    Value::from_ref(names::intern_wtf8(s))
                } else {
                    Value::from_ref(Str::from_wtf8(s))
                }
            }
            Const::Bytes(b) => crate::objects::bytes::Bytes::value(b.to_vec()),
            Const::Tuple(items) => {
                let mut values = Vec::with_capacity(items.len());
                for item in items {
                    values.push(Self::constant(vm, item, source)?);
                }
                Tuple::value(values)
            }
            Const::FrozenSet(items) => {
                let mut values = Vec::with_capacity(items.len());
                for item in items {
                    values.push(Self::constant(vm, item, source)?);
                }
                // Twice, as CPython does when it merges constants: the order of the elements depends on it.
                let once = FrozenSet::value(vm, values)?;
                let values = vm.collect(&once)?;
                FrozenSet::value(vm, values)?
            }
            Const::Code(proto) => match source {
                Some(source) => Value::from_ref(Self::link(vm, proto, source)?),
                None => return Err(vm.system_error("a constant without a source")),
            },
        })
    }

    /// The 1-based line of an instruction.
    pub fn line_at(&self, instr: usize) -> u32 {
        let line = match self.proto.spans.get(instr) {
            Some(span) => self.source.lines().line(span.start as usize),
            None => self.proto.first_line,
        };
        line.saturating_add_signed(self.line_shift)
    }

    /// `co_firstlineno`
    pub fn first_line(&self) -> u32 {
        self.proto.first_line.saturating_add_signed(self.line_shift)
    }
}
