//! Code objects: what the compiler made, linked with values.

use crate::class_slot;
use crate::heap::{self, Kind, Payload, Ref, VmCell};
use crate::names::{self, Names};
use crate::objects::bytes::Bytes;
use crate::objects::complex::Complex;
use crate::objects::set::FrozenSet;
use crate::objects::string::Str;
use crate::objects::tuple::Tuple;
use crate::packed::Packed;
use crate::value::Value;
use crate::vm::cache::Cache;
use crate::vm::policy::Origin;
use crate::vm::{R, Vm};
use coldframe_compiler::code::{CacheKind, CacheSlot, Compiled, Const, Proto};
use coldframe_frontend::LineIndex;
use std::cell::{Cell, OnceCell};
use std::rc::Rc;

/// A source text with its name: what positions in code refer to.
pub struct Source {
    /// `co_filename`
    pub file: Ref<Str>,
    text: Rc<Text>,
    /// Whose it is.
    pub origin: Origin,
}

struct Text {
    lines: OnceCell<LineIndex>,
    /// What the lines are made of when somebody asks for them.
    packed: Option<Packed>,
}

impl Source {
    /// A source that has been read.
    pub fn new(file: Ref<Str>, lines: LineIndex, origin: Origin) -> Source {
        let text = Rc::new(Text {
            lines: OnceCell::from(lines),
            packed: None,
        });
        Source { file, text, origin }
    }

    /// A source of the library that is packed until somebody wants to see a line.
    pub fn packed(file: Ref<Str>, packed: Packed) -> Source {
        let text = Rc::new(Text {
            lines: OnceCell::new(),
            packed: Some(packed),
        });
        let origin = Origin::Library;
        Source { file, text, origin }
    }

    /// The same text under another name.
    pub fn renamed(&self, file: Ref<Str>) -> Source {
        let text = self.text.clone();
        let origin = self.origin;
        Source { file, text, origin }
    }

    /// The same text as somebody else's.
    pub fn owned_by(&self, origin: Origin) -> Source {
        Source {
            file: self.file.clone(),
            text: self.text.clone(),
            origin,
        }
    }

    /// The text, and where its lines begin.
    pub fn lines(&self) -> &LineIndex {
        self.text.lines.get_or_init(|| {
            let text = self.text.packed.map(Packed::unpack_text);
            LineIndex::of_source(&text.unwrap_or_default())
        })
    }
}

/// A name in compiled code.
pub trait Name {
    /// The interned string.
    fn interned(&self) -> Ref<Str>;
}

impl Name for Rc<str> {
    fn interned(&self) -> Ref<Str> {
        // Every program has this one, twice.
        if **self == *"<module>" {
            return Names::get().module.clone();
        }
        names::intern(self)
    }
}

impl Name for Ref<Str> {
    fn interned(&self) -> Ref<Str> {
        self.clone()
    }
}

/// No number of arguments.
pub const NO_COUNT: u32 = u32::MAX;

/// Payload of `code`.
pub struct Code {
    /// What the compiler made, but for names and constants.
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
    /// What its inline caches are about.
    pub names: Box<[Ref<Str>]>,
    /// The inline caches; made when the code is first run, since most code of the library never is. See [`Code::make_ready`].
    pub caches: VmCell<Vec<Cache>>,
    /// Whether it can be run.
    pub is_ready: Cell<bool>,
    /// Number of parameters: positional, keyword-only, `*args`, `**kwargs`.
    pub param_count: u16,
    /// A plain function: no `*args`, `**kwargs`, keyword-only parameters, not a generator: calls need no binding when the count fits.
    pub simple: bool,
    /// Added to every line (`replace(co_firstlineno=...)`).
    pub line_shift: i32,
    /// Bits of `co_flags` that `replace` has turned over; none that the instructions rely on.
    pub changed_flags: i64,
    /// What a call with that many positional arguments finds: the number of parameters if the function is `simple` and ready, otherwise no
    /// possible number.
    pub plain_args: Cell<u32>,
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
        self.names.iter().for_each(|n| n.with_value(&mut *visit));
        // SAFETY: the collector runs while no borrow of any payload lives.
        unsafe { self.caches.peek() }
            .iter()
            .for_each(|c| c.traverse(visit));
    }
}

impl Code {
    /// Links compiled code.
    pub fn link<N: Name>(vm: &mut Vm, code: &Compiled<N>, source: &Rc<Source>) -> R<Ref<Code>> {
        let mut consts = Vec::with_capacity(code.consts.len());
        for c in &code.consts {
            consts.push(Self::constant(vm, c, Some(source))?);
        }
        let intern_all = |list: &[N]| list.iter().map(Name::interned).collect::<Vec<_>>();
        let flags = code.flags;
        let simple = !(flags.varargs
            || flags.varkeywords
            || flags.generator
            || flags.coroutine
            || flags.async_generator)
            && code.kwonly == 0;
        Ok(heap::alloc(Code {
            source: source.clone(),
            name: code.name.interned(),
            qualname: code.qualname.interned(),
            varnames: intern_all(&code.varnames),
            freevars: intern_all(&code.freevars),
            consts,
            names: code
                .caches
                .iter()
                .map(|slot| slot.name.interned())
                .collect(),
            caches: VmCell::new(Vec::new()),
            is_ready: Cell::new(false),
            param_count: code.args + code.kwonly + flags.varargs as u16 + flags.varkeywords as u16,
            line_shift: 0,
            changed_flags: 0,
            simple,
            plain_args: Cell::new(NO_COUNT),
            nregs: u32::from(code.nregs),
            proto: code.proto.clone(),
        }))
    }

    /// Makes the inline caches. Whoever pushes a frame has seen to it.
    #[cold]
    #[inline(never)]
    pub fn make_ready(&self, vm: &mut Vm) {
        *self.caches.get_mut(vm) = self.names.iter().cloned().map(Cache::new).collect();
        if self.simple {
            self.plain_args.set(u32::from(self.proto.args));
        }
        self.is_ready.set(true);
    }

    /// What the compiler would have given, for those who show it to people: constants have become values and are described.
    pub fn described(&self, vm: &mut Vm) -> Compiled {
        let texts = |names: &[Ref<Str>]| names.iter().map(|n| Rc::from(&*n.to_text())).collect();
        Compiled {
            name: Rc::from(&*self.name.to_text()),
            qualname: Rc::from(&*self.qualname.to_text()),
            varnames: texts(&self.varnames),
            freevars: texts(&self.freevars),
            consts: self.consts.iter().map(|v| describe(vm, v)).collect(),
            caches: self
                .names
                .iter()
                .map(|n| CacheSlot {
                    name: Rc::from(&*n.to_text()),
                    // The instruction tells.
                    kind: CacheKind::Attr,
                })
                .collect(),
            static_attributes: Vec::new(),
            proto: self.proto.clone(),
        }
    }

    /// The same code as part of another source; the code of inner functions, too.
    pub fn with_source(&self, source: Rc<Source>) -> Ref<Code> {
        let consts = self
            .consts
            .iter()
            .map(|c| match c.as_ref::<Code>() {
                Some(inner) => Value::from_ref(inner.with_source(source.clone())),
                None => c.clone(),
            })
            .collect();
        heap::alloc(Code {
            proto: self.proto.clone(),
            source,
            name: self.name.clone(),
            qualname: self.qualname.clone(),
            varnames: self.varnames.clone(),
            freevars: self.freevars.clone(),
            consts,
            names: self.names.clone(),
            caches: VmCell::new(Vec::new()),
            is_ready: Cell::new(false),
            param_count: self.param_count,
            simple: self.simple,
            plain_args: Cell::new(NO_COUNT),
            nregs: self.nregs,
            line_shift: self.line_shift,
            changed_flags: self.changed_flags,
        })
    }

    /// The value of a constant that holds no code.
    pub fn constant_value(vm: &mut Vm, c: &Const) -> R {
        Self::constant(vm, c, None)
    }

    fn constant<N: Name>(vm: &mut Vm, c: &Const<N>, source: Option<&Rc<Source>>) -> R {
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
            Const::Complex(re, im) => Complex::value(*re, *im),
            Const::Str(s) => {
                // Names are interned so that look-ups by constant strings compare addresses.
                if s.len() <= 64 {
                    Value::from_ref(names::intern_wtf8(s))
                } else {
                    Value::from_ref(Str::from_wtf8(s))
                }
            }
            Const::Bytes(b) => Bytes::value(b.to_vec()),
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
            Const::Code(code) => match source {
                Some(source) => Value::from_ref(Self::link(vm, code, source)?),
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

/// The constant that a value stands for.
fn describe(vm: &mut Vm, value: &Value) -> Const {
    if value.is_none() {
        return Const::None;
    }
    if let Some(b) = value.as_bool() {
        return Const::Bool(b);
    }
    if let Some(i) = value.as_int() {
        return match i.to_i64() {
            Some(i) => Const::Int(i),
            None => Const::BigInt(i.as_big().to_string().into()),
        };
    }
    if let Some(f) = value.as_float() {
        return Const::Float(f);
    }
    if let Some(s) = value.as_ref::<Str>() {
        return Const::Str(s.as_bytes().into());
    }
    if let Some(b) = value.as_ref::<Bytes>() {
        return Const::Bytes(b.data.to_vec().into());
    }
    if let Some(c) = value.as_ref::<Complex>() {
        return Const::Complex(c.re, c.im);
    }
    if let Some(t) = value.as_ref::<Tuple>().cloned() {
        return Const::Tuple(t.items().iter().map(|v| describe(vm, v)).collect());
    }
    if let Some(code) = value.as_ref::<Code>().cloned() {
        return Const::Code(Rc::new(code.described(vm)));
    }
    if value.is::<FrozenSet>() {
        let items = vm.collect(value).unwrap_or_default();
        return Const::FrozenSet(items.iter().map(|v| describe(vm, v)).collect());
    }
    Const::Ellipsis
}
