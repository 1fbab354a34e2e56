//! The bases of all file objects: `_IOBase`, `_RawIOBase`, `_BufferedIOBase`, `_TextIOBase`, and `UnsupportedOperation`.

use crate::heap::{Payload, Ref};
use crate::names::{self, Names};
use crate::objects::dict::Dict;
use crate::objects::exception::Exc;
use crate::objects::list::List;
use crate::objects::native::Def;
use crate::objects::slots::Slots;
use crate::objects::string::Str;
use crate::objects::types::{BASE, ClassBuilder, Instance, Type};
use crate::value::Value;
use crate::vm::args::{Args, optional};
use crate::vm::{R, Raised, Vm};
use std::cell::OnceCell;

/// The classes.
pub(super) struct Bases {
    pub(super) io: Ref<Type>,
    pub(super) raw: Ref<Type>,
    pub(super) buffered: Ref<Type>,
    pub(super) text: Ref<Type>,
    pub(super) unsupported: Value,
}

thread_local! {
    static BASES: OnceCell<&'static Bases> = const { OnceCell::new() };
}

/// The classes, made when first needed.
pub(super) fn bases(vm: &mut Vm) -> &'static Bases {
    if let Some(bases) = BASES.with(|b| b.get().copied()) {
        return bases;
    }
    let slots = Slots {
        iter: Some(iter),
        next: Some(next),
        del: Some(finalize),
        ..Slots::NONE
    };
    let io = ClassBuilder::sibling::<Instance>("_IOBase")
        .flags(BASE)
        .attrs(4)
        .weak()
        .slots(slots)
        .module(vm, "_io")
        .methods(vm, METHODS)
        .getset(
            vm,
            "closed",
            |vm, v| Ok(Value::bool(vm.instance_attr(v, &closed_name()).is_some())),
            None,
        )
        .getset(
            vm,
            "__dict__",
            |vm, v| {
                Ok(v.header()
                    .map_or(Value::NONE, |h| vm.instance_dict(h).to_value()))
            },
            None,
        )
        .build(vm);
    let derived = |vm: &mut Vm, name: &str, methods: &'static [Def]| {
        ClassBuilder::sibling::<Instance>(name)
            .flags(BASE)
            .base(&io)
            .module(vm, "_io")
            .methods(vm, methods)
    };
    let raw = derived(vm, "_RawIOBase", RAW).build(vm);
    let buffered = derived(vm, "_BufferedIOBase", BUFFERED).build(vm);
    let text = derived(vm, "_TextIOBase", TEXT);
    let text = text
        .getset(vm, "encoding", |_, _| Ok(Value::NONE), None)
        .getset(vm, "newlines", |_, _| Ok(Value::NONE), None)
        .getset(vm, "errors", |_, _| Ok(Value::NONE), None)
        .build(vm);
    let namespace = Dict::new();
    namespace.set_str(vm, &Names::get().__module__, Str::value("io"));
    let parents = [
        Exc::OSError.class().clone(),
        Exc::ValueError.class().clone(),
    ];
    let unsupported = crate::vm::class::new_class(
        vm,
        Type::class(),
        &names::intern("UnsupportedOperation"),
        &parents,
        &namespace,
        Args::positional_only(&[]),
    );
    let unsupported = unsupported.unwrap_or_else(|_| Exc::OSError.class().to_value());
    if let Some(class) = unsupported.header() {
        class.make_immortal();
    }
    let made: &'static Bases = Box::leak(Box::new(Bases {
        io,
        raw,
        buffered,
        text,
        unsupported,
    }));
    BASES.with(|b| *b.get_or_init(|| made))
}

/// Under this name a closed file object of a class written in Python is marked.
fn closed_name() -> Ref<Str> {
    names::intern("__IOBase_closed")
}

/// Raises `io.UnsupportedOperation`.
#[cold]
pub(super) fn unsupported(vm: &mut Vm, what: &str) -> Raised {
    let class = bases(vm).unsupported.clone();
    match vm.call(&class, &[Str::value(what)]) {
        Ok(e) => vm.raise_value(e),
        Err(raised) => raised,
    }
}

/// Raises the error of using a closed file.
#[cold]
pub(super) fn closed_error(vm: &mut Vm) -> Raised {
    vm.value_error("I/O operation on closed file.")
}

/// `ValueError` if the file object is closed.
fn check_open(vm: &mut Vm, v: &Value) -> R<()> {
    let closed = vm.get_attr(v, &names::intern("closed").to_value())?;
    if vm.truthy(&closed)? {
        Err(closed_error(vm))
    } else {
        Ok(())
    }
}

/// The finaliser of all file objects: closes what is still open.
pub(super) fn finalize(vm: &mut Vm, v: &Value) -> R<()> {
    let closed = vm.get_attr(v, &names::intern("closed").to_value());
    match closed {
        Ok(closed) => {
            if vm.truthy(&closed)? {
                return Ok(());
            }
        }
        Err(raised) => return vm.swallow_any(raised),
    }
    super::mark_finalizing(v);
    vm.call_method(v, &Names::get().close, &[])?;
    Ok(())
}

fn iter(vm: &mut Vm, v: &Value) -> R {
    check_open(vm, v)?;
    Ok(v.clone())
}

fn next(vm: &mut Vm, v: &Value) -> R {
    let line = vm.call_method(v, &names::intern("readline"), &[])?;
    Ok(if vm.len(&line)? == 0 {
        Value::UNDEF
    } else {
        line
    })
}

/// The size argument of the reading methods: `None` for "all".
pub(super) fn size_arg(vm: &mut Vm, v: Option<&Value>) -> R<Option<usize>> {
    match v {
        None => Ok(None),
        Some(v) if v.is_none() => Ok(None),
        Some(v) if !crate::objects::sequence::is_index(v) => Err(vm.type_error(format!(
            "argument should be integer or None, not '{}'",
            vm.class_name(v)
        ))),
        Some(v) => Ok(usize::try_from(vm.index_clamped(v)?).ok()),
    }
}

/// Collects the lines of a file object, up to about `hint` characters.
pub(super) fn read_lines(vm: &mut Vm, file: &Value, hint: Option<&Value>) -> R {
    let limit = size_arg(vm, hint)?.filter(|&n| n > 0);
    let (mut lines, mut total) = (Vec::new(), 0);
    let it = vm.get_iter(file)?;
    while let Some(line) = vm.iter_next(&it)? {
        vm.poll_native()?;
        vm.poll_native()?;
        total += vm.len(&line)?;
        lines.push(line);
        if limit.is_some_and(|limit| total >= limit) {
            break;
        }
    }
    Ok(List::value(lines))
}

/// Writes every item of an iterable.
pub(super) fn write_lines(vm: &mut Vm, file: &Value, lines: &Value) -> R {
    let write = Names::get().write.clone();
    let it = vm.get_iter(lines)?;
    while let Some(line) = vm.iter_next(&it)? {
        vm.call_method(file, &write, &[line])?;
    }
    Ok(Value::NONE)
}

static METHODS: &[Def] = &[
    // A subclass that is forgotten without having been closed is closed then; the closing may fail silently, as in CPython.
    Def::method("close", "(self, /)", |vm, args| {
        if vm.instance_attr(&args[0], &closed_name()).is_none() {
            let flushed = vm.call_method(&args[0], &Names::get().flush, &[]);
            vm.set_instance_attr(&args[0], &closed_name(), Some(&Value::TRUE))?;
            flushed?;
        }
        Ok(Value::NONE)
    }),
    Def::method("flush", "(self, /)", |vm, args| {
        check_open(vm, &args[0])?;
        Ok(Value::NONE)
    }),
    Def::method("seek", "(self, offset, whence=0, /)", |vm, _| {
        Err(unsupported(vm, "seek"))
    }),
    Def::method("tell", "(self, /)", |vm, args| {
        vm.call_method(
            &args[0],
            &names::intern("seek"),
            &[Value::small_int(0), Value::small_int(1)],
        )
    }),
    Def::method("truncate", "(self, size=None, /)", |vm, _| {
        Err(unsupported(vm, "truncate"))
    }),
    Def::method("fileno", "(self, /)", |vm, _| {
        Err(unsupported(vm, "fileno"))
    }),
    Def::method("isatty", "(self, /)", falsehood),
    Def::method("readable", "(self, /)", falsehood),
    Def::method("writable", "(self, /)", falsehood),
    Def::method("seekable", "(self, /)", falsehood),
    Def::method("readline", "(self, size=-1, /)", |vm, args| {
        let limit = size_arg(vm, optional(args, 1))?;
        let read = Names::get().read.clone();
        let mut line: Vec<u8> = Vec::new();
        while limit.is_none_or(|n| line.len() < n) {
            vm.poll_native()?;
            let byte = vm.call_method(&args[0], &read, &[Value::small_int(1)])?;
            let Some(data) = crate::objects::bytes::buffer::view(vm, &byte) else {
                return Err(vm.raise(
                    Exc::OSError,
                    format!(
                        "read() should have returned a bytes object, not '{}'",
                        vm.class_name(&byte)
                    ),
                ));
            };
            line.extend_from_slice(data);
            if data.is_empty() || data.ends_with(b"\n") {
                break;
            }
        }
        Ok(crate::objects::bytes::Bytes::value(line))
    }),
    Def::method("readlines", "(self, hint=-1, /)", |vm, args| {
        read_lines(vm, &args[0], optional(args, 1))
    }),
    Def::method("writelines", "(self, lines, /)", |vm, args| {
        check_open(vm, &args[0])?;
        write_lines(vm, &args[0], &args[1])
    }),
    Def::method("__enter__", "(self, /)", |vm, args| {
        check_open(vm, &args[0])?;
        Ok(args[0].clone())
    }),
    Def::raw_method("__exit__", "(self, /, *args)", |vm, args| {
        vm.call_method(&args.values()[0].clone(), &Names::get().close, &[])?;
        Ok(Value::NONE)
    }),
    Def::method("_checkClosed", "(self, msg=None, /)", |vm, args| {
        check_open(vm, &args[0]).map(|()| Value::NONE)
    }),
    Def::method("_checkReadable", "(self, msg=None, /)", |vm, args| {
        check_ability(vm, &args[0], "readable", "File or stream is not readable.")
    }),
    Def::method("_checkWritable", "(self, msg=None, /)", |vm, args| {
        check_ability(vm, &args[0], "writable", "File or stream is not writable.")
    }),
    Def::method("_checkSeekable", "(self, msg=None, /)", |vm, args| {
        check_ability(vm, &args[0], "seekable", "File or stream is not seekable.")
    }),
];

fn falsehood(vm: &mut Vm, args: &[Value]) -> R {
    check_open(vm, &args[0])?;
    Ok(Value::FALSE)
}

fn check_ability(vm: &mut Vm, v: &Value, method: &str, text: &str) -> R {
    let able = vm.call_method(v, &names::intern(method), &[])?;
    if vm.truthy(&able)? {
        Ok(Value::TRUE)
    } else {
        Err(unsupported(vm, text))
    }
}

static RAW: &[Def] = &[
    Def::method("read", "(self, size=-1, /)", |vm, args| {
        match size_arg(vm, optional(args, 1))? {
            None => vm.call_method(&args[0], &names::intern("readall"), &[]),
            Some(n) => {
                vm.text_size(n)?;
                let room = crate::objects::bytes::ByteArray::value(vec![0; n]);
                let got = vm.call_method(
                    &args[0],
                    &names::intern("readinto"),
                    std::slice::from_ref(&room),
                )?;
                if got.is_none() {
                    return Ok(got);
                }
                let got = vm.index_clamped(&got)?.max(0) as usize;
                let data = crate::objects::bytes::buffer::copy(vm, &room)?;
                Ok(crate::objects::bytes::Bytes::value(
                    data[..got.min(data.len())].to_vec(),
                ))
            }
        }
    }),
    Def::method("readall", "(self, /)", |vm, args| {
        let mut all = Vec::new();
        loop {
            vm.poll_native()?;
            let part = vm.call_method(&args[0], &Names::get().read, &[Value::small_int(8192)])?;
            if part.is_none() && all.is_empty() {
                return Ok(part);
            }
            let part = if part.is_none() {
                Vec::new()
            } else {
                crate::objects::bytes::buffer::copy(vm, &part)?
            };
            if part.is_empty() {
                return Ok(crate::objects::bytes::Bytes::value(all));
            }
            crate::objects::sequence::push_text(vm, &mut all, &part)?;
        }
    }),
    Def::method("readinto", "(self, buffer, /)", |vm, _| {
        Err(unsupported(vm, "readinto"))
    }),
    Def::method("write", "(self, b, /)", |vm, _| {
        Err(unsupported(vm, "write"))
    }),
];

static BUFFERED: &[Def] = &[
    Def::method("detach", "(self, /)", |vm, _| {
        Err(unsupported(vm, "detach"))
    }),
    Def::method("read", "(self, size=-1, /)", |vm, _| {
        Err(unsupported(vm, "read"))
    }),
    Def::method("read1", "(self, size=-1, /)", |vm, _| {
        Err(unsupported(vm, "read1"))
    }),
    Def::method("write", "(self, b, /)", |vm, _| {
        Err(unsupported(vm, "write"))
    }),
    Def::method("readinto", "(self, buffer, /)", |vm, args| {
        read_into(vm, args, "read")
    }),
    Def::method("readinto1", "(self, buffer, /)", |vm, args| {
        read_into(vm, args, "read1")
    }),
];

/// How an object is made anew from its state: without calling `__init__`, which a subclass may have given other parameters.
pub(super) fn reduce(vm: &mut Vm, v: &Value, state: Value) -> R {
    let copyreg = vm.import_module("copyreg")?;
    let new = vm.get_attr(&copyreg, &names::intern("__newobj__").to_value())?;
    let class = vm.class_of(v).to_value();
    let class = crate::objects::tuple::Tuple::value(vec![class]);
    Ok(crate::objects::tuple::Tuple::value(vec![new, class, state]))
}

/// The name of the class of a file object, as `repr` has it.
pub(super) fn shown_class(vm: &Vm, v: &Value) -> String {
    let class = vm.class_of(v);
    if class.is_static() {
        format!("_io.{}", class.bare_name())
    } else {
        class.bare_name().into_owned()
    }
}

fn read_into(vm: &mut Vm, args: &[Value], method: &str) -> R {
    let room = crate::objects::bytes::buffer::view(vm, &args[1]).map_or(0, <[u8]>::len);
    let data = vm.call_method(&args[0], &names::intern(method), &[Value::int(room as i64)])?;
    let data = crate::objects::bytes::buffer::copy(vm, &data)?;
    if data.len() > room {
        return Err(vm.value_error(format!(
            "{method}() returned too much data: {room} bytes requested, {} returned",
            data.len()
        )));
    }
    fill(vm, &args[1], &data)
}

/// Puts data into a writable buffer and tells how much.
pub(super) fn fill(vm: &mut Vm, target: &Value, data: &[u8]) -> R {
    match crate::objects::bytes::buffer::view_mut(vm, target) {
        Some(room) => {
            let n = data.len().min(room.len());
            room[..n].copy_from_slice(&data[..n]);
            Ok(Value::int(n as i64))
        }
        None => Err(vm.type_error(format!(
            "readinto() argument must be read-write bytes-like object, not {}",
            vm.arg_class_name(target)
        ))),
    }
}

static TEXT: &[Def] = &[
    Def::method("detach", "(self, /)", |vm, _| {
        Err(unsupported(vm, "detach"))
    }),
    Def::method("read", "(self, size=-1, /)", |vm, _| {
        Err(unsupported(vm, "read"))
    }),
    Def::method("readline", "(self, size=-1, /)", |vm, _| {
        Err(unsupported(vm, "readline"))
    }),
    Def::method("write", "(self, s, /)", |vm, _| {
        Err(unsupported(vm, "write"))
    }),
];

/// A copy of the attributes of a file object, `None` when there are none: for its state.
pub(super) fn attributes(vm: &mut Vm, v: &Value) -> Value {
    let Some(header) = v.header() else {
        return Value::NONE;
    };
    let dict = vm.instance_dict(header);
    if dict.len(vm) == 0 {
        return Value::NONE;
    }
    Dict::from_map(dict.map.get(vm).duplicate()).to_value()
}

/// Sets the attributes that a state has.
pub(super) fn restore(vm: &mut Vm, v: &Value, attributes: &Value, place: &str) -> R<()> {
    if attributes.is_none() {
        return Ok(());
    }
    let Some(dict) = attributes.as_ref::<Dict>() else {
        return Err(vm.type_error(format!(
            "{place} item of state should be a dict, got a {}",
            vm.class_name(attributes)
        )));
    };
    let entries: Vec<(Value, Value)> = dict
        .map
        .get(vm)
        .iter()
        .map(|e| (e.key.clone(), e.value.clone()))
        .collect();
    for (name, value) in entries {
        vm.set_attr(v, &name, Some(&value))?;
    }
    Ok(())
}

/// A position in a file that lies in memory. Farther than memory reaches there can be nothing, and nothing can be written.
pub(super) fn position(vm: &mut Vm, pos: i64) -> R<usize> {
    match i32::try_from(pos) {
        Ok(pos) => Ok(pos.max(0) as usize),
        Err(_) => Err(vm.overflow_error("new position too large")),
    }
}
