//! `re.Pattern`: compiled patterns, and matching with them.

use super::matches::Match;
use super::subject::Subject;
use super::{error, flags_text, replace};
use crate::class_slot;
use crate::heap::{self, Payload, Ref};
use crate::names::{self, Names};
use crate::objects::bytes::Bytes;
use crate::objects::dict::Dict;
use crate::objects::list::List;
use crate::objects::native::{Def, receiver};
use crate::objects::slots::{CmpOp, Slots};
use crate::objects::string::Str;
use crate::objects::tuple::Tuple;
use crate::objects::types::ClassBuilder;
use crate::value::Value;
use crate::vm::args::optional;
use crate::vm::ops::class_of;
use crate::vm::{R, Vm};
use coldframe_regex::{Cursor, Mode, Scratch, Template};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// Payload of `re.Pattern`.
pub struct Pattern {
    /// The program.
    pub(super) compiled: coldframe_regex::Pattern,
    /// The text that it was compiled from.
    pub(super) source: Value,
    /// Names of groups, a `dict`.
    pub(super) names: Ref<Dict>,
    /// The replacement template parsed last, with its source.
    pub(super) template: RefCell<Option<(Value, Rc<Template>)>>,
}

// SAFETY: visits every value held.
unsafe impl Payload for Pattern {
    class_slot!();
    fn traverse(&self, visit: &mut dyn FnMut(&Value)) {
        visit(&self.source);
        self.names.with_value(&mut *visit);
        if let Some((source, _)) = &*self.template.borrow() {
            visit(source);
        }
    }
}

/// Payload of the iterator that `finditer` gives.
struct FindIter {
    pattern: Ref<Pattern>,
    subject: Subject,
    string: Value,
    start: Cursor,
    bounds: (usize, usize),
    cursor: Cell<Cursor>,
}

// SAFETY: visits every value held (the subject's own reference is to text or bytes, which it owns once).
unsafe impl Payload for FindIter {
    class_slot!();
    fn traverse(&self, visit: &mut dyn FnMut(&Value)) {
        self.pattern.with_value(&mut *visit);
        visit(&self.string);
        match &self.subject {
            Subject::Ascii(s) | Subject::Wide(s, _) => s.with_value(visit),
            Subject::Bytes(b) => b.with_value(visit),
            Subject::Copied(_) => {}
        }
    }
}

thread_local! {
    /// Working memory of the matcher that is not in use. Matching can nest: the machine may run a finaliser meanwhile.
    static SCRATCH: RefCell<Vec<Scratch>> = const { RefCell::new(Vec::new()) };
}

/// Working memory, given back when dropped.
pub(super) struct Memory(Option<Scratch>);

impl Memory {
    pub(super) fn take() -> Memory {
        Memory(Some(SCRATCH.with_borrow_mut(Vec::pop).unwrap_or_default()))
    }

    pub(super) fn scratch(&mut self) -> &mut Scratch {
        self.0.get_or_insert_default()
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        if let Some(mut scratch) = self.0.take() {
            scratch.shrink();
            SCRATCH.with_borrow_mut(|pool| pool.push(scratch));
        }
    }
}

/// Builds the classes, unless they exist.
pub(super) fn init(vm: &mut Vm) {
    if Pattern::class_slot().with(|slot| slot.is_set()) {
        return;
    }
    let slots = Slots {
        new: Some(crate::objects::struct_seq::not_from_python),
        repr: Some(repr),
        hash: Some(hash),
        compare: Some(compare),
        ..Slots::NONE
    };
    ClassBuilder::new::<Pattern>("Pattern")
        .slots(slots)
        .weak()
        .module(vm, "re")
        .doc(vm, "Compiled regular expression object.")
        .methods(vm, METHODS)
        .getset(
            vm,
            "pattern",
            |_, v| Ok(receiver::<Pattern>(v).source.clone()),
            None,
        )
        .getset(
            vm,
            "flags",
            |_, v| Ok(Value::int(receiver::<Pattern>(v).compiled.flags().0.into())),
            None,
        )
        .getset(
            vm,
            "groups",
            |_, v| Ok(Value::int(receiver::<Pattern>(v).compiled.groups() as i64)),
            None,
        )
        .getset(
            vm,
            "groupindex",
            |vm, v| {
                let names = &receiver::<Pattern>(v).names;
                // Where there are none, CPython gives a dictionary of the caller's own.
                if vm.len(&names.to_value())? == 0 {
                    return Ok(Value::from_ref(crate::objects::dict::Dict::new()));
                }
                Ok(crate::builtins::descriptors::mapping_proxy(
                    names.to_value(),
                ))
            },
            None,
        )
        .build(vm);
    let slots = Slots {
        iter: Some(|_, v| Ok(v.clone())),
        next: Some(find_next),
        ..Slots::NONE
    };
    // The name that CPython's iterator has, which is made with `iter(callable, sentinel)`.
    ClassBuilder::new::<FindIter>("callable_iterator")
        .slots(slots)
        .methods(vm, ITER_METHODS)
        .build(vm);
}

impl Pattern {
    /// The subject of a call; `TypeError` when the pattern is for the other kind.
    pub(super) fn subject(&self, vm: &mut Vm, v: &Value) -> R<Subject> {
        let subject = Subject::new(vm, v)?;
        match (self.compiled.is_str(), subject.is_text()) {
            (true, false) => {
                Err(vm.type_error("cannot use a string pattern on a bytes-like object"))
            }
            (false, true) => {
                Err(vm.type_error("cannot use a bytes pattern on a string-like object"))
            }
            _ => Ok(subject),
        }
    }

    /// The next match; its spans are in the working memory.
    pub(super) fn next(
        &self,
        vm: &mut Vm,
        cursor: &mut Cursor,
        subject: &Subject,
        memory: &mut Memory,
    ) -> R<bool> {
        let mut raised = None;
        let mut hook = || match vm.poll() {
            Ok(()) => true,
            Err(e) => {
                raised = Some(e);
                false
            }
        };
        let scratch = memory.scratch();
        let found = match subject {
            Subject::Ascii(s) => cursor.next(&self.compiled, s.as_bytes(), scratch, &mut hook),
            Subject::Wide(_, chars) => cursor.next(&self.compiled, &chars[..], scratch, &mut hook),
            Subject::Bytes(b) => cursor.next(&self.compiled, &b.data[..], scratch, &mut hook),
            Subject::Copied(b) => cursor.next(&self.compiled, &b[..], scratch, &mut hook),
        };
        match (found, raised) {
            (_, Some(e)) => Err(e),
            (Ok(found), _) => Ok(found),
            (Err(e), _) => Err(error::given_up(vm, e)),
        }
    }

    /// What `findall` lists for a match: the whole, the only group, or all groups.
    fn found(&self, subject: &Subject, scratch: &Scratch, empty: &Value) -> Value {
        match self.compiled.groups() {
            0 => subject.span(scratch.span(0), empty),
            1 => subject.span(scratch.span(1), empty),
            n => Tuple::value(
                (1..=n)
                    .map(|i| subject.span(scratch.span(i), empty))
                    .collect(),
            ),
        }
    }
}

/// `match`, `search` and `fullmatch`.
pub(super) fn match_once(
    vm: &mut Vm,
    p: &Ref<Pattern>,
    mode: Mode,
    string: &Value,
    bounds: (Option<&Value>, Option<&Value>),
) -> R {
    let subject = p.subject(vm, string)?;
    let (pos, end) = window(vm, bounds, subject.len())?;
    let mut memory = Memory::take();
    let mut cursor = Cursor::new(mode, pos, end);
    if p.next(vm, &mut cursor, &subject, &mut memory)? {
        Ok(Match::value(p, string, (pos, end), memory.scratch()))
    } else {
        Ok(Value::NONE)
    }
}

/// The bounds `pos` and `endpos` of a search in `len` characters.
fn window(vm: &mut Vm, bounds: (Option<&Value>, Option<&Value>), len: usize) -> R<(usize, usize)> {
    let mut place = |v: Option<&Value>, default: usize| match v {
        Some(v) => Ok((vm.index_i64(v)?.max(0) as usize).min(len)),
        None => Ok(default),
    };
    Ok((place(bounds.0, 0)?, place(bounds.1, len)?))
}

/// `findall`
pub(super) fn find_all(
    vm: &mut Vm,
    p: &Ref<Pattern>,
    string: &Value,
    bounds: (Option<&Value>, Option<&Value>),
) -> R {
    let subject = p.subject(vm, string)?;
    let (pos, end) = window(vm, bounds, subject.len())?;
    let (mut memory, mut cursor) = (Memory::take(), Cursor::new(Mode::Search, pos, end));
    let (mut out, empty) = (Vec::new(), subject.empty());
    while p.next(vm, &mut cursor, &subject, &mut memory)? {
        push(vm, &mut out, p.found(&subject, memory.scratch(), &empty))?;
        vm.poll_native()?;
    }
    Ok(List::value(out))
}

fn push(vm: &mut Vm, out: &mut Vec<Value>, item: Value) -> R<()> {
    if out.len() == out.capacity() {
        let more = out.len().max(8);
        if !heap::can_allocate((out.len() + more) * size_of::<Value>())
            || out.try_reserve(more).is_err()
        {
            return Err(vm.memory_error());
        }
    }
    out.push(item);
    Ok(())
}

/// `finditer`
pub(super) fn find_iter(
    vm: &mut Vm,
    p: &Ref<Pattern>,
    string: &Value,
    bounds: (Option<&Value>, Option<&Value>),
) -> R {
    scan(vm, p, string, bounds)
}

fn scan(
    vm: &mut Vm,
    p: &Ref<Pattern>,
    string: &Value,
    bounds: (Option<&Value>, Option<&Value>),
) -> R {
    let subject = p.subject(vm, string)?;
    let bounds = window(vm, bounds, subject.len())?;
    let start = Cursor::new(Mode::Search, bounds.0, bounds.1);
    let iter = FindIter {
        pattern: p.clone(),
        subject,
        string: string.clone(),
        start,
        bounds,
        cursor: Cell::new(start),
    };
    Ok(Value::from_ref(heap::alloc(iter)))
}

fn find_next(vm: &mut Vm, v: &Value) -> R {
    let it = receiver::<FindIter>(v).clone();
    let mut cursor = it.cursor.get();
    let mut memory = Memory::take();
    let found = it.pattern.next(vm, &mut cursor, &it.subject, &mut memory)?;
    it.cursor.set(cursor);
    Ok(if found {
        Match::value(&it.pattern, &it.string, it.bounds, memory.scratch())
    } else {
        Value::UNDEF
    })
}

static ITER_METHODS: &[Def] = &[Def::method("__reduce__", "(self, /)", |vm, args| {
    // What is left, as a list that can be copied; the iterator itself stays where it is.
    let it = receiver::<FindIter>(&args[0]).clone();
    let copy = FindIter {
        pattern: it.pattern.clone(),
        subject: it.subject.clone(),
        string: it.string.clone(),
        start: it.start,
        bounds: it.bounds,
        cursor: Cell::new(it.cursor.get()),
    };
    let rest = vm.collect(&Value::from_ref(heap::alloc(copy)))?;
    let iter = vm
        .builtins
        .get_str(vm, &names::intern("iter"))
        .cloned()
        .unwrap_or(Value::NONE);
    Ok(Tuple::value(vec![
        iter,
        Tuple::value(vec![List::value(rest)]),
    ]))
})];

/// `split`
pub(super) fn split(vm: &mut Vm, p: &Ref<Pattern>, string: &Value, limit: Option<&Value>) -> R {
    let limit = match limit {
        Some(v) => vm.index_i64(v)?,
        None => 0,
    };
    let subject = p.subject(vm, string)?;
    let (mut memory, mut cursor) = (Memory::take(), Cursor::new(Mode::Search, 0, subject.len()));
    let (mut out, mut last, mut n) = (Vec::new(), 0, 0);
    while (limit == 0 || n < limit) && p.next(vm, &mut cursor, &subject, &mut memory)? {
        let Some((start, end)) = memory.scratch().span(0) else {
            break;
        };
        push(vm, &mut out, subject.slice(last, start))?;
        for group in 1..=p.compiled.groups() {
            let item = subject.span(memory.scratch().span(group), &Value::NONE);
            push(vm, &mut out, item)?;
        }
        (last, n) = (end, n + 1);
        vm.poll_native()?;
    }
    push(vm, &mut out, subject.slice(last, subject.len()))?;
    Ok(List::value(out))
}

fn this(args: &[Value]) -> Ref<Pattern> {
    receiver::<Pattern>(&args[0]).clone()
}

fn bounds(args: &[Value]) -> (Option<&Value>, Option<&Value>) {
    (optional(args, 2), optional(args, 3))
}

static METHODS: &[Def] = &[
    Def::method(
        "match",
        "(self, /, string, pos=0, endpos=sys.maxsize)",
        |vm, a| match_once(vm, &this(a), Mode::Match, &a[1], bounds(a)),
    ),
    Def::method(
        "fullmatch",
        "(self, /, string, pos=0, endpos=sys.maxsize)",
        |vm, a| match_once(vm, &this(a), Mode::FullMatch, &a[1], bounds(a)),
    ),
    Def::method(
        "search",
        "(self, /, string, pos=0, endpos=sys.maxsize)",
        |vm, a| match_once(vm, &this(a), Mode::Search, &a[1], bounds(a)),
    ),
    Def::method(
        "findall",
        "(self, /, string, pos=0, endpos=sys.maxsize)",
        |vm, a| find_all(vm, &this(a), &a[1], bounds(a)),
    ),
    Def::method(
        "finditer",
        "(self, /, string, pos=0, endpos=sys.maxsize)",
        |vm, a| find_iter(vm, &this(a), &a[1], bounds(a)),
    ),
    Def::method("split", "(self, /, string, maxsplit=0)", |vm, a| {
        split(vm, &this(a), &a[1], optional(a, 2))
    }),
    Def::method("sub", "(self, /, repl, string, count=0)", |vm, a| {
        Ok(replace::substitute(vm, &this(a), &a[1], &a[2], optional(a, 3))?.0)
    }),
    Def::method("subn", "(self, /, repl, string, count=0)", |vm, a| {
        let (text, n) = replace::substitute(vm, &this(a), &a[1], &a[2], optional(a, 3))?;
        Ok(Tuple::value(vec![text, Value::int(n)]))
    }),
    Def::method(
        "scanner",
        "(self, /, string, pos=0, endpos=sys.maxsize)",
        |vm, a| {
            let bounds = window_of(vm, a)?;
            super::scanner::new(vm, &this(a), &a[1], bounds)
        },
    ),
    Def::method("__copy__", "(self, /)", |_, a| Ok(a[0].clone())),
    Def::method("__deepcopy__", "(self, memo, /)", |_, a| Ok(a[0].clone())),
    Def::method("__reduce__", "(self, /)", |vm, a| {
        let module = vm.import_module("re")?;
        let compile = vm.get_attr(&module, &Str::value("_compile"))?;
        let p = this(a);
        Ok(Tuple::value(vec![
            compile,
            Tuple::value(vec![
                p.source.clone(),
                Value::int(p.compiled.flags().0.into()),
            ]),
        ]))
    }),
    Def::class_method("__class_getitem__", "(cls, item, /)", |vm, a| {
        crate::builtins::type_params::generic_alias(vm, &a[0], &a[1])
    }),
];

fn window_of(vm: &mut Vm, args: &[Value]) -> R<(usize, usize)> {
    let len = Subject::new(vm, &args[1])?.len();
    window(vm, bounds(args), len)
}

fn repr(vm: &mut Vm, v: &Value) -> R {
    let p = receiver::<Pattern>(v).clone();
    let text = vm.repr(&p.source)?;
    let mut out = b"re.compile(".to_vec();
    out.extend_from_slice(text.slice_bytes(0, text.len().min(200)));
    let mut flags = p.compiled.flags().0;
    // The default of text patterns is not shown.
    if p.compiled.is_str() && flags & (4 | 32 | 256) == 32 {
        flags &= !32;
    }
    if flags != 0 {
        out.extend_from_slice(format!(", {}", flags_text(flags)).as_bytes());
    }
    out.push(b')');
    Ok(Str::value_wtf8(&out))
}

fn hash(vm: &mut Vm, v: &Value) -> R<i64> {
    let p = receiver::<Pattern>(v).clone();
    let h = vm.hash(&p.source)? ^ i64::from(p.compiled.flags().0);
    Ok(if h == -1 { -2 } else { h })
}

fn compare(vm: &mut Vm, a: &Value, b: &Value, op: CmpOp) -> R {
    let (Some(x), Some(y), CmpOp::Eq | CmpOp::Ne) =
        (a.as_ref::<Pattern>(), b.as_ref::<Pattern>(), op)
    else {
        return Ok(Value::NOT_IMPLEMENTED);
    };
    let same = x.same(y)
        || (x.compiled.flags() == y.compiled.flags()
            && x.compiled.is_str() == y.compiled.is_str()
            && {
                let (x, y) = (x.source.clone(), y.source.clone());
                vm.eq(&x, &y)?
            });
    Ok(Value::bool(same == (op == CmpOp::Eq)))
}

/// Whether a value is a pattern's source: `str` or `bytes`.
pub(super) fn is_source(v: &Value) -> bool {
    v.is::<Str>() || v.is::<Bytes>()
}

/// The names of groups as a dictionary.
pub(super) fn names_dict(vm: &mut Vm, compiled: &coldframe_regex::Pattern) -> Ref<Dict> {
    let dict = Dict::new();
    for (name, group) in compiled.group_names() {
        dict.set_str(vm, &Str::new(name), Value::int(*group as i64));
    }
    dict
}

/// The class name of a value, for messages.
pub(super) fn type_name(v: &Value) -> String {
    class_of(v).name().into_owned()
}

/// Whether a value can be called.
pub(super) fn is_callable(v: &Value) -> bool {
    class_of(v).slots().call.is_some()
}

/// The interned name `__getattr__`, under which the module answers for names that it makes when asked for.
pub(super) fn getattr_name() -> &'static Ref<Str> {
    &Names::get().__getattr__
}
