//! Code objects: their Python side.
//!
//! Nothing that a program says may make the machine run instructions which the compiler did not emit: `replace` and the constructor
//! accept new names, places and constants of the same shape, and refuse everything that the instructions rely on.

use crate::heap::{self, Ref, VmCell};
use crate::names;
use crate::objects::bytes::Bytes;
use crate::objects::code::{Code, NO_COUNT};
use crate::objects::native::Def;
use crate::objects::set::FrozenSet;
use crate::objects::slots::{CmpOp, Slots};
use crate::objects::string::Str;
use crate::objects::tuple::Tuple;
use crate::objects::types::{ClassBuilder, Type};
use crate::value::Value;
use crate::vm::args::{Args, optional};
use crate::vm::ops::class_of;
use crate::vm::{R, Vm};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// `CO_ITERABLE_COROUTINE`: a generator that can be awaited (`types.coroutine`).
pub const ITERABLE_COROUTINE: i64 = 0x100;
/// Flags that say nothing about how the code runs.
const FREE_FLAGS: i64 = 0x10 | 0x40 | ITERABLE_COROUTINE | 0x1ff_0000 | 0x400_0000 | 0x800_0000;

fn getters(class: ClassBuilder, vm: &mut Vm) -> ClassBuilder {
    type Get = fn(&mut Vm, &Value) -> R;
    let table: &[(&'static str, Get)] = &[
        ("co_name", |_, c| Ok(code_of(c).name.to_value())),
        ("co_qualname", |_, c| Ok(code_of(c).qualname.to_value())),
        ("co_filename", |_, c| Ok(code_of(c).source.file.to_value())),
        ("co_firstlineno", |_, c| {
            Ok(Value::int(code_of(c).first_line().into()))
        }),
        ("co_argcount", |_, c| {
            Ok(Value::int(code_of(c).proto.args.into()))
        }),
        ("co_posonlyargcount", |_, c| {
            Ok(Value::int(code_of(c).proto.posonly.into()))
        }),
        ("co_kwonlyargcount", |_, c| {
            Ok(Value::int(code_of(c).proto.kwonly.into()))
        }),
        ("co_nlocals", |_, c| {
            Ok(Value::int(co_varnames(code_of(c)).len() as i64))
        }),
        ("co_stacksize", |_, c| {
            Ok(Value::int(stack_size(code_of(c))))
        }),
        ("co_flags", |_, c| Ok(Value::int(co_flags(code_of(c))))),
        ("co_varnames", |_, c| {
            Ok(Tuple::value(co_varnames(code_of(c))))
        }),
        ("co_cellvars", |_, c| {
            Ok(Tuple::value(co_cellvars(code_of(c))))
        }),
        ("co_freevars", |_, c| {
            Ok(Tuple::value(
                code_of(c).freevars.iter().map(Ref::to_value).collect(),
            ))
        }),
        ("co_names", |_, c| Ok(Tuple::value(co_names(code_of(c))))),
        ("co_consts", |_, c| {
            Ok(Tuple::from_slice(&code_of(c).consts))
        }),
        ("co_code", |_, c| {
            remember(code_of(c));
            Ok(Bytes::value(instructions(code_of(c))))
        }),
        ("_co_code_adaptive", |_, c| {
            Ok(Bytes::value(instructions(code_of(c))))
        }),
        ("co_linetable", |_, c| {
            Ok(Bytes::value(line_table(code_of(c))))
        }),
        ("co_exceptiontable", |_, c| {
            Ok(Bytes::value(exception_table(code_of(c))))
        }),
    ];
    let mut class = class;
    for (name, get) in table {
        class = class.getset(vm, name, *get, None);
    }
    class
}

/// Builds the class.
pub(crate) fn init(vm: &mut Vm) {
    let code = ClassBuilder::new::<Code>("code").weak().slots(Slots {
        repr: Some(|_, c| {
            let c2 = code_of(c);
            Ok(Str::value(&format!(
                "<code object {} at {:#x}, file \"{}\", line {}>",
                c2.name.to_text(),
                c.bits(),
                c2.source.file.to_text(),
                c2.first_line()
            )))
        }),
        compare: Some(|vm, a, b, op| {
            let (Some(x), Some(y)) = (a.as_ref::<Code>().cloned(), b.as_ref::<Code>().cloned())
            else {
                return Ok(Value::NOT_IMPLEMENTED);
            };
            Ok(match op {
                CmpOp::Eq => Value::bool(same_code(vm, &x, &y)?),
                CmpOp::Ne => Value::bool(!same_code(vm, &x, &y)?),
                _ => Value::NOT_IMPLEMENTED,
            })
        }),
        hash: Some(|_, c| {
            let c = code_of(c);
            Ok(c.name.hash() ^ i64::from(c.first_line()) ^ (c.proto.instrs.len() as i64) << 8)
        }),
        new: Some(construct),
        ..Slots::NONE
    });
    getters(code, vm).methods(vm, METHODS).build(vm);
}

fn code_of(v: &Value) -> &Ref<Code> {
    match v.as_ref::<Code>() {
        Some(c) => c,
        None => unreachable!("the descriptor has checked the receiver"),
    }
}

fn same_code(vm: &mut Vm, x: &Ref<Code>, y: &Ref<Code>) -> R<bool> {
    if x.same(y) {
        return Ok(true);
    }
    let plain = (Rc::ptr_eq(&x.proto, &y.proto) || x.proto == y.proto)
        && x.name.same_text(&y.name)
        && x.qualname.same_text(&y.qualname)
        && co_flags(x) == co_flags(y)
        && x.first_line() == y.first_line()
        && x.names.len() == y.names.len()
        && x.names.iter().zip(&y.names).all(|(a, b)| a.same(b))
        && x.varnames.len() == y.varnames.len()
        && x.freevars.len() == y.freevars.len()
        && x.varnames
            .iter()
            .zip(&y.varnames)
            .all(|(a, b)| a.same_text(b))
        && x.freevars
            .iter()
            .zip(&y.freevars)
            .all(|(a, b)| a.same_text(b));
    if !plain || x.consts.len() != y.consts.len() {
        return Ok(false);
    }
    for (a, b) in x.consts.iter().zip(&y.consts) {
        if a.is_same(b) {
            continue;
        }
        let nan = |v: &Value| v.as_float().is_some_and(f64::is_nan);
        let equal = nan(a) && nan(b) || vm.recurse("", |vm| vm.eq(a, b))?;
        if !class_of(a).same(class_of(b)) || !equal {
            return Ok(false);
        }
    }
    Ok(true)
}

/// `co_flags`, as the documentation of `inspect` lists them.
pub fn co_flags(c: &Code) -> i64 {
    let f = c.proto.flags;
    let mut n = 0;
    let mut put = |on: bool, bit: i64| {
        if on {
            n |= bit;
        }
    };
    put(f.optimized, 0x1 | 0x2);
    put(f.varargs, 0x4);
    put(f.varkeywords, 0x8);
    put(f.nested, 0x10);
    put(f.generator, 0x20);
    put(f.coroutine, 0x80);
    put(f.async_generator, 0x200);
    put(f.has_docstring, 0x400_0000);
    put(f.method, 0x800_0000);
    n ^ c.changed_flags
}

/// Parameters and other locals; a cell variable that is no parameter is not among them.
fn co_varnames(c: &Code) -> Vec<Value> {
    let params = c.param_count as usize;
    c.varnames
        .iter()
        .enumerate()
        .filter(|(i, _)| *i < params || !c.proto.cells.contains(&(*i as u16)))
        .map(|(_, n)| n.to_value())
        .collect()
}

fn co_cellvars(c: &Code) -> Vec<Value> {
    c.proto
        .cells
        .iter()
        .filter_map(|&r| c.varnames.get(r as usize))
        .map(Ref::to_value)
        .collect()
}

/// The names of globals and attributes, and (modules and class bodies) of what lives in the namespace.
fn co_names(c: &Code) -> Vec<Value> {
    let mut out: Vec<Value> = Vec::new();
    for name in &c.names {
        // All of them are interned.
        if !out.iter().any(|known| known.is_same(&name.to_value())) {
            out.push(name.to_value());
        }
    }
    for instr in &c.proto.instrs {
        if let Some(index) = coldframe_compiler::name_operand(*instr)
            && let Some(name) = c.consts.get(index as usize)
            && !out.iter().any(|known| known.is_same(name))
        {
            out.push(name.clone());
        }
    }
    out
}

fn stack_size(c: &Code) -> i64 {
    i64::from(c.proto.nregs) - c.varnames.len() as i64
}

/// Opcode and flags of each instruction: two bytes, as many as `co_lines` and `f_lasti` count.
fn instructions(c: &Code) -> Vec<u8> {
    c.proto
        .instrs
        .iter()
        .flat_map(|i| [i.op as u8, i.x])
        .collect()
}

/// A variable-length number of the location table: six bits a byte, the lowest first.
fn varint(mut value: u32, out: &mut Vec<u8>) {
    while value >= 64 {
        out.push(0x40 | (value & 0x3f) as u8);
        value >>= 6;
    }
    out.push(value as u8);
}

/// The location table in CPython's format ("Locations table" in its internal documentation): every entry in the long form.
fn line_table(c: &Code) -> Vec<u8> {
    let mut out = Vec::new();
    let mut line = i64::from(c.first_line());
    for at in 0..c.proto.instrs.len() {
        let [first, last, column, end_column] = position(c, at);
        out.push(0x80 | 14 << 3);
        let delta = first - line;
        line = first;
        let signed = if delta < 0 {
            (delta.unsigned_abs() as u32) << 1 | 1
        } else {
            (delta as u32) << 1
        };
        varint(signed, &mut out);
        varint((last - first).max(0) as u32, &mut out);
        varint(column as u32 + 1, &mut out);
        varint(end_column as u32 + 1, &mut out);
    }
    out
}

/// The exception table in CPython's format: numbers of six bits a byte, the highest first; the first byte of an entry has the top bit.
fn exception_table(c: &Code) -> Vec<u8> {
    fn number(value: u32, first: bool, out: &mut Vec<u8>) {
        let mut shift = 30;
        while shift > 0 && value >> shift == 0 {
            shift -= 6;
        }
        let mut mark = if first { 0x80 } else { 0 };
        loop {
            let more = if shift > 0 { 0x40 } else { 0 };
            out.push(mark | more | (value >> shift & 0x3f) as u8);
            mark = 0;
            if shift == 0 {
                break;
            }
            shift -= 6;
        }
    }
    let mut out = Vec::new();
    for handler in &c.proto.handlers {
        number(handler.start, true, &mut out);
        number(handler.end - handler.start, false, &mut out);
        number(handler.target, false, &mut out);
        number(u32::from(handler.depth) << 1, false, &mut out);
    }
    out
}

/// Line, last line, column and end column in bytes of an instruction.
fn position(c: &Code, at: usize) -> [i64; 4] {
    let span = c.proto.spans.get(at).copied().unwrap_or_default();
    let from = c.source.lines().location(span.start as usize);
    let to = c.source.lines().location(span.end as usize);
    let shift = i64::from(c.line_shift);
    [
        i64::from(from.line) + shift,
        i64::from(to.line) + shift,
        i64::from(from.byte_column),
        i64::from(to.byte_column),
    ]
}

static METHODS: &[Def] = &[
    Def::method("co_lines", "(self, /)", |vm, args| {
        let c = code_of(&args[0]);
        let mut rows: Vec<Value> = Vec::new();
        let mut start = 0;
        let n = c.proto.instrs.len();
        for i in 1..=n {
            if i == n || c.line_at(i) != c.line_at(start) {
                rows.push(Tuple::value(vec![
                    Value::int(start as i64 * 2),
                    Value::int(i as i64 * 2),
                    Value::int(c.line_at(start).into()),
                ]));
                start = i;
            }
        }
        let list = crate::objects::list::List::value(rows);
        vm.get_iter(&list)
    }),
    Def::method("co_positions", "(self, /)", |vm, args| {
        let c = code_of(&args[0]);
        let rows = (0..c.proto.instrs.len())
            .map(|i| Tuple::value(position(c, i).map(Value::int).to_vec()))
            .collect();
        let list = crate::objects::list::List::value(rows);
        vm.get_iter(&list)
    }),
    Def::method("_varname_from_oparg", "(self, /, oparg)", |vm, args| {
        let c = code_of(&args[0]).clone();
        let at = usize::try_from(vm.index_i64(&args[1])?).unwrap_or(usize::MAX);
        match c.varnames.iter().chain(&c.freevars).nth(at) {
            Some(name) => Ok(name.to_value()),
            None => Err(vm.raise(
                crate::objects::exception::Exc::IndexError,
                "tuple index out of range",
            )),
        }
    }),
    Def::raw_method("replace", "(self, /, **changes)", |vm, args| {
        replace_method(vm, args)
    }),
    Def::raw_method("__replace__", "(self, /, **changes)", |vm, args| {
        replace_method(vm, args)
    }),
];

/// The parts of a code object that `replace` and the constructor know, in the constructor's order.
const PARTS: [&str; 18] = [
    "co_argcount",
    "co_posonlyargcount",
    "co_kwonlyargcount",
    "co_nlocals",
    "co_stacksize",
    "co_flags",
    "co_code",
    "co_consts",
    "co_names",
    "co_varnames",
    "co_filename",
    "co_name",
    "co_qualname",
    "co_firstlineno",
    "co_linetable",
    "co_exceptiontable",
    "co_freevars",
    "co_cellvars",
];

fn replace_method(vm: &mut Vm, args: Args) -> R {
    let Some(me) = args
        .positional()
        .first()
        .and_then(|v| v.as_ref::<Code>())
        .cloned()
    else {
        return Err(vm.type_error("replace() needs a code object"));
    };
    if args.positional().len() > 1 {
        return Err(vm.type_error(format!(
            "replace() takes 0 positional arguments but {} were given",
            args.positional().len() - 1
        )));
    }
    let mut parts: [Option<Value>; 18] = Default::default();
    for (name, value) in args.keywords() {
        let text = name.to_text();
        match PARTS.iter().position(|part| *part == text) {
            Some(at) => parts[at] = Some(value.clone()),
            None => {
                return Err(vm.type_error(format!(
                    "replace() got an unexpected keyword argument '{text}'"
                )));
            }
        }
    }
    changed(vm, &me, parts)
}

/// What the instructions rely on, and so cannot be changed.
fn fixed(vm: &mut Vm, me: &Ref<Code>, at: usize, given: &Value) -> R<()> {
    let name = PARTS[at];
    let now = vm.get_attr(&me.to_value(), &names::intern(name).to_value())?;
    if !class_of(given).is_subclass_of(class_of(&now)) {
        return Err(vm.type_error(format!(
            "code: {name} must be {}, not {}",
            class_of(&now).name(),
            class_of(given).name()
        )));
    }
    if vm.eq(&now, given)? {
        return Ok(());
    }
    Err(vm.value_error(if name == "co_nlocals" {
        "code: co_nlocals != len(co_varnames)".to_owned()
    } else {
        format!("code: {name} cannot be changed: only code that the compiler made can be run")
    }))
}

fn text_part(vm: &mut Vm, name: &str, given: &Value) -> R<Ref<Str>> {
    match given.as_ref::<Str>() {
        Some(s) => Ok(names::intern_wtf8(s.as_bytes())),
        None => Err(vm.type_error(format!(
            "replace() argument '{name}' must be str, not {}",
            class_of(given).name()
        ))),
    }
}

/// New names in place of as many old ones.
fn names_part(vm: &mut Vm, name: &str, given: &Value, old: usize) -> R<Vec<Ref<Str>>> {
    let Some(tuple) = given.as_ref::<Tuple>() else {
        return Err(vm.type_error(format!(
            "replace() argument '{name}' must be tuple, not {}",
            class_of(given).name()
        )));
    };
    let mut out = Vec::with_capacity(tuple.items().len());
    for item in tuple.items() {
        match item.as_ref::<Str>() {
            Some(s) => out.push(names::intern_wtf8(s.as_bytes())),
            None => {
                return Err(vm.type_error(format!(
                    "name tuples must contain only strings, not '{}'",
                    class_of(item).name()
                )));
            }
        }
    }
    if out.len() != old {
        let text = if name == "co_varnames" {
            "code: co_nlocals != len(co_varnames)".to_owned()
        } else {
            format!("code: {name} must have {old} names")
        };
        return Err(vm.value_error(text));
    }
    Ok(out)
}

/// A constant that can stand in place of another: of the same type, containers of the same shape.
fn constant_part(vm: &mut Vm, old: &Value, new: &Value) -> R {
    let same_class = class_of(old).same(class_of(new));
    if let (Some(a), Some(b)) = (old.as_exact::<Code>(), new.as_exact::<Code>()) {
        let alike = a.freevars.len() == b.freevars.len() && a.proto.kind == b.proto.kind;
        if alike && a.proto.captures == b.proto.captures {
            return Ok(new.clone());
        }
    } else if let (Some(a), Some(b)) = (old.as_exact::<Tuple>(), new.as_exact::<Tuple>()) {
        if a.items().len() == b.items().len() {
            let mut items = Vec::with_capacity(a.items().len());
            for (x, y) in a.items().iter().zip(b.items()) {
                items.push(vm.recurse("", |vm| constant_part(vm, x, y))?);
            }
            return Ok(Tuple::value(items));
        }
    } else if same_class && old.is_exact::<FrozenSet>() {
        return Ok(new.clone());
    } else if let (true, Some(s)) = (same_class, new.as_exact::<Str>()) {
        // Short strings are compared by address.
        return Ok(if s.as_bytes().len() <= 64 {
            names::intern_wtf8(s.as_bytes()).to_value()
        } else {
            new.clone()
        });
    } else if same_class {
        return Ok(new.clone());
    }
    Err(vm.value_error(
        "code: co_consts must hold constants of the same types: only code that the compiler made can be run",
    ))
}

/// A copy with some parts changed.
fn changed(vm: &mut Vm, me: &Ref<Code>, parts: [Option<Value>; 18]) -> R {
    let me = &vm.own_code(me);
    let mut consts = me.consts.clone();
    let mut varnames = me.varnames.clone();
    let mut freevars = me.freevars.clone();
    let mut name = me.name.clone();
    let mut qualname = me.qualname.clone();
    let mut file = None;
    let mut line_shift = me.line_shift;
    let mut changed_flags = me.changed_flags;
    for (at, given) in parts.iter().enumerate() {
        let Some(given) = given else { continue };
        match PARTS[at] {
            "co_flags" => {
                let flags = vm.index_i64(given)?;
                let differ = flags ^ co_flags(me);
                let awaitable = differ & ITERABLE_COROUTINE == 0 || me.proto.flags.generator;
                if differ & !FREE_FLAGS != 0 || !awaitable {
                    return Err(vm.value_error(
                        "code: co_flags cannot be changed: only code that the compiler made can be run",
                    ));
                }
                changed_flags ^= differ;
            }
            "co_consts" => {
                let Some(tuple) = given.as_ref::<Tuple>().cloned() else {
                    return Err(vm.type_error(format!(
                        "replace() argument 'co_consts' must be tuple, not {}",
                        class_of(given).name()
                    )));
                };
                if tuple.items().len() != consts.len() {
                    return Err(vm.value_error(
                        "code: co_consts must be as many: only code that the compiler made can be run",
                    ));
                }
                for (old, new) in consts.iter_mut().zip(tuple.items()) {
                    *old = constant_part(vm, old, new)?;
                }
            }
            "co_varnames" => {
                let params = me.param_count as usize;
                let places: Vec<usize> = (0..varnames.len())
                    .filter(|i| *i < params || !me.proto.cells.contains(&(*i as u16)))
                    .collect();
                let new = names_part(vm, "co_varnames", given, places.len())?;
                for (place, new) in places.into_iter().zip(new) {
                    varnames[place] = new;
                }
            }
            "co_freevars" => freevars = names_part(vm, "co_freevars", given, freevars.len())?,
            "co_filename" => file = Some(text_part(vm, "co_filename", given)?),
            "co_name" => name = text_part(vm, "co_name", given)?,
            "co_qualname" => qualname = text_part(vm, "co_qualname", given)?,
            "co_firstlineno" => {
                let line = vm.index_i64(given)?;
                let Ok(line) = i32::try_from(line) else {
                    return Err(vm.overflow_error("Python int too large to convert to C int"));
                };
                if line < 0 {
                    return Err(vm.value_error("code: co_firstlineno must not be negative"));
                }
                line_shift = line.saturating_sub(me.proto.first_line as i32);
            }
            _ => fixed(vm, me, at, given)?,
        }
    }
    let source = match file {
        Some(file) => Rc::new(me.source.renamed(file)),
        None => me.source.clone(),
    };
    Ok(Value::from_ref(heap::alloc(Code {
        proto: me.proto.clone(),
        source,
        name,
        qualname,
        varnames,
        freevars,
        consts,
        names: me.names.clone(),
        caches: VmCell::new(Vec::new()),
        is_ready: Cell::new(false),
        param_count: me.param_count,
        simple: me.simple,
        plain_args: Cell::new(NO_COUNT),
        nregs: me.nregs,
        line_shift,
        changed_flags,
    })))
}

thread_local! {
    /// Code objects whose `co_code` was read lately: what the constructor can recognise.
    static SEEN: RefCell<Vec<Ref<Code>>> = const { RefCell::new(Vec::new()) };
}

/// How many of them are kept.
const MAX_SEEN: usize = 32;

fn remember(code: &Ref<Code>) {
    let old = SEEN.with_borrow_mut(|seen| {
        if seen.iter().any(|c| c.same(code)) {
            return None;
        }
        seen.push(code.clone());
        (seen.len() > MAX_SEEN).then(|| seen.remove(0))
    });
    drop(old);
}

/// `types.CodeType(...)`: the instructions must be those of a code object that exists.
fn construct(vm: &mut Vm, _: &Ref<Type>, args: Args) -> R {
    let params = crate::params!(
        "(argcount, posonlyargcount, kwonlyargcount, nlocals, stacksize, flags, codestring, constants, names, varnames, filename, name, qualname, firstlineno, linetable, exceptiontable, freevars=(), cellvars=(), /)"
    );
    let a = args.bind(vm, "code", params, 0)?;
    let Some(bytes) = a[6].as_ref::<Bytes>() else {
        return Err(vm.type_error(format!(
            "code() argument 7 must be bytes, not {}",
            class_of(&a[6]).name()
        )));
    };
    let lines = a[14].as_ref::<Bytes>().map(|b| b.data.to_vec());
    let candidates = SEEN.with_borrow(|seen| seen.clone());
    let found = candidates.into_iter().find(|c| {
        instructions(c) == *bytes.data && lines.as_ref().is_none_or(|l| *l == line_table(c))
    });
    let Some(found) = found else {
        return Err(vm.value_error(
            "code: these instructions are not the compiler's: only code that the compiler made can be run",
        ));
    };
    let mut parts: [Option<Value>; 18] = Default::default();
    for (at, part) in parts.iter_mut().enumerate() {
        *part = optional(&a, at).cloned();
    }
    changed(vm, &found, parts)
}
