//! `io.TextIOWrapper`: the standard streams, and text over a buffer of bytes. Beside it the buffers of the standard streams.
//!
//! A wrapper over a buffer reads all that is left at its first read, and writes through at once: there is no device behind a buffer in the sandbox that
//! partial reads would be good for. `seek` and `tell` know the start, the end, and positions that `tell` gave before anything was read.

use super::base::{self, bases, closed_error, size_arg};
use super::string_io::{Newline, Text};
use crate::class_slot;
use crate::heap::{self, Payload, Ref, VmCell};
use crate::names;
use crate::objects::bytes::{Bytes, buffer};
use crate::objects::native::{Def, Params, receiver};
use crate::objects::slots::Slots;
use crate::objects::string::Str;
use crate::objects::types::{BASE, ClassBuilder};
use crate::value::Value;
use crate::vm::args::{Args, optional};
use crate::vm::host::Stream;
use crate::vm::{R, Stop, Vm};
use std::cell::Cell;

/// Where the text goes, or comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Target {
    /// An output of the host.
    Out(Stream),
    /// Standard input, which is empty.
    In,
    /// The buffer.
    Buffer,
}

/// Payload of `TextIOWrapper`.
pub(crate) struct TextFile {
    target: Cell<Target>,
    state: VmCell<State>,
    closed: Cell<bool>,
    newline: Cell<Newline>,
}

struct State {
    buffer: Value,
    encoding: Value,
    errors: Value,
    mode: Value,
    /// What was read and not yet taken.
    text: Option<Text>,
}

// SAFETY: visits every value held.
unsafe impl Payload for TextFile {
    class_slot!();
    fn traverse(&self, visit: &mut dyn FnMut(&Value)) {
        // SAFETY: the collector runs while no borrow of any payload lives.
        let s = unsafe { self.state.peek() };
        for v in [&s.buffer, &s.encoding, &s.errors, &s.mode] {
            visit(v);
        }
    }
}

/// Payload of the buffers of the standard streams.
struct StdBuffer {
    target: Target,
}

// SAFETY: owns no values.
unsafe impl Payload for StdBuffer {
    class_slot!();
    fn traverse(&self, _: &mut dyn FnMut(&Value)) {}
}

/// Builds the classes, unless they exist.
pub(super) fn init(vm: &mut Vm) {
    if TextFile::class_slot().with(|slot| slot.is_set()) {
        return;
    }
    let base = bases(vm).buffered.clone();
    ClassBuilder::new::<StdBuffer>("BufferedWriter")
        .base(&base)
        .module(vm, "_io")
        .methods(vm, BUFFER_METHODS)
        .build(vm);
    let base = bases(vm).text.clone();
    let slots = Slots {
        repr: Some(repr),
        new: Some(|_, class, _| {
            Ok(Value::from_ref(heap::alloc_instance(
                blank(Target::Buffer),
                class,
                0,
            )))
        }),
        init: Some(init_slot),
        iter: Some(|vm, v| open(vm, v).map(|_| v.clone())),
        next: Some(|vm, v| {
            let line = read_line(vm, v, None)?;
            Ok(if line.is_empty() {
                Value::UNDEF
            } else {
                Str::value_wtf8(&line)
            })
        }),
        ..Slots::NONE
    };
    ClassBuilder::new::<TextFile>("TextIOWrapper")
        .base(&base)
        .flags(BASE)
        .slots(slots)
        .module(vm, "_io")
        .methods(vm, METHODS)
        .getset(
            vm,
            "encoding",
            |vm, v| Ok(receiver::<TextFile>(v).state.get(vm).encoding.clone()),
            None,
        )
        .getset(
            vm,
            "errors",
            |vm, v| Ok(receiver::<TextFile>(v).state.get(vm).errors.clone()),
            None,
        )
        .getset(
            vm,
            "buffer",
            |vm, v| Ok(receiver::<TextFile>(v).state.get(vm).buffer.clone()),
            None,
        )
        .getset(
            vm,
            "mode",
            |vm, v| Ok(receiver::<TextFile>(v).state.get(vm).mode.clone()),
            None,
        )
        .getset(
            vm,
            "name",
            |vm, v| match receiver::<TextFile>(v).target.get() {
                Target::Buffer => {
                    let buffer = receiver::<TextFile>(v).state.get(vm).buffer.clone();
                    vm.get_attr(&buffer, &names::Names::get().name.to_value())
                }
                target => Ok(Str::value(target_name(target))),
            },
            None,
        )
        .getset(
            vm,
            "closed",
            |_, v| Ok(Value::bool(receiver::<TextFile>(v).closed.get())),
            None,
        )
        .getset(
            vm,
            "line_buffering",
            |_, v| {
                Ok(Value::bool(
                    receiver::<TextFile>(v).target.get() == Target::Out(Stream::Stderr),
                ))
            },
            None,
        )
        .getset(vm, "write_through", |_, _| Ok(Value::FALSE), None)
        .getset(vm, "newlines", |_, _| Ok(Value::NONE), None)
        .build(vm);
}

fn target_name(target: Target) -> &'static str {
    match target {
        Target::Out(Stream::Stdout) => "<stdout>",
        Target::Out(Stream::Stderr) => "<stderr>",
        Target::In => "<stdin>",
        Target::Buffer => "",
    }
}

fn blank(target: Target) -> TextFile {
    let state = State {
        buffer: Value::NONE,
        encoding: Str::value("utf-8"),
        errors: Str::value("strict"),
        mode: Value::NONE,
        text: None,
    };
    TextFile {
        target: Cell::new(target),
        state: VmCell::new(state),
        closed: Cell::new(false),
        newline: Cell::new(Newline::Universal),
    }
}

fn standard(vm: &mut Vm, target: Target) -> Value {
    init(vm);
    let file = blank(target);
    let v = heap::alloc(file);
    let state = v.state.get_mut(vm);
    state.buffer = Value::from_ref(heap::alloc(StdBuffer { target }));
    state.mode = Str::value(if target == Target::In { "r" } else { "w" });
    if target == Target::Out(Stream::Stderr) {
        state.errors = Str::value("backslashreplace");
    }
    if target == Target::In {
        state.text = Some(Text::new(Vec::new()));
    }
    v.to_value()
}

/// The objects for `sys.stdin`, `sys.stdout` and `sys.stderr`.
pub(crate) fn standard_streams(vm: &mut Vm) -> [Value; 3] {
    [
        standard(vm, Target::In),
        standard(vm, Target::Out(Stream::Stdout)),
        standard(vm, Target::Out(Stream::Stderr)),
    ]
}

/// The host stream behind a file object, when it is an open standard output.
pub(crate) fn stream_of(v: &Value) -> Option<Stream> {
    let file = v.as_exact::<TextFile>()?;
    match file.target.get() {
        Target::Out(stream) if !file.closed.get() => Some(stream),
        _ => None,
    }
}

fn open(vm: &mut Vm, v: &Value) -> R<Ref<TextFile>> {
    let file = receiver::<TextFile>(v).clone();
    if file.closed.get() {
        Err(closed_error(vm))
    } else {
        Ok(file)
    }
}

/// `TextIOWrapper(buffer, encoding=None, errors=None, newline=None, line_buffering=False, write_through=False)`
fn init_slot(vm: &mut Vm, v: &Value, args: Args) -> R<()> {
    let params = Params::parse(
        "(buffer, encoding=None, errors=None, newline=None, line_buffering=False, write_through=False)",
    );
    let a = args.bind(vm, "TextIOWrapper", &params, 0)?;
    let text = |vm: &mut Vm, i: usize, name: &str, default: &str| match optional(&a, i)
        .filter(|v| !v.is_none())
    {
        Some(v) if v.is::<Str>() => Ok(v.clone()),
        Some(v) => Err(vm.type_error(format!(
            "TextIOWrapper() argument '{name}' must be str or None, not {}",
            vm.class_name(v)
        ))),
        None => Ok(Str::value(default)),
    };
    let (encoding, errors) = (
        text(vm, 1, "encoding", "utf-8")?,
        text(vm, 2, "errors", "strict")?,
    );
    // An unknown encoding is an error at once.
    vm.call_method(
        &Str::value(""),
        &names::intern("encode"),
        std::slice::from_ref(&encoding),
    )?;
    let file = receiver::<TextFile>(v).clone();
    file.newline.set(match optional(&a, 3) {
        Some(newline) => Newline::of_arg(vm, newline)?,
        None => Newline::Universal,
    });
    let state = State {
        buffer: a[0].clone(),
        encoding,
        errors,
        mode: Value::NONE,
        text: None,
    };
    drop(file.state.replace(vm, state));
    file.closed.set(false);
    Ok(())
}

fn write(vm: &mut Vm, v: &Value, text: &Value) -> R {
    let file = open(vm, v)?;
    let Some(s) = text.as_ref::<Str>() else {
        return Err(vm.type_error(format!(
            "write() argument must be str, not {}",
            vm.class_name(text)
        )));
    };
    let chars = Value::int(s.len() as i64);
    match file.target.get() {
        Target::Out(stream) => crate::builtins::publish::write_text(vm, stream, s)?,
        Target::In => return Err(base::unsupported(vm, "not writable")),
        Target::Buffer => {
            let mut text = text.clone();
            if let Newline::Only(end) = file.newline.get()
                && end != "\n"
            {
                text = vm.call_method(
                    &text,
                    &names::intern("replace"),
                    &[Str::value("\n"), Str::value(end)],
                )?;
            }
            let state = file.state.get(vm);
            let (buffer, encoding, errors) = (
                state.buffer.clone(),
                state.encoding.clone(),
                state.errors.clone(),
            );
            let data = vm.call_method(&text, &names::intern("encode"), &[encoding, errors])?;
            vm.call_method(&buffer, &names::Names::get().write, &[data])?;
        }
    }
    Ok(chars)
}

/// Runs `f` on the text that is left, which is read if it was not yet.
fn with_text<T>(vm: &mut Vm, v: &Value, f: impl FnOnce(&mut Text, Newline) -> T) -> R<T> {
    let file = open(vm, v)?;
    if let Target::Out(_) = file.target.get() {
        return Err(base::unsupported(vm, "not readable"));
    }
    if file.state.get(vm).text.is_none() {
        let state = file.state.get(vm);
        let (source, encoding, errors) = (
            state.buffer.clone(),
            state.encoding.clone(),
            state.errors.clone(),
        );
        let data = vm.call_method(&source, &names::Names::get().read, &[])?;
        let data = Bytes::value(buffer::copy(vm, &data)?);
        let text = vm.call_method(&data, &names::intern("decode"), &[encoding, errors])?;
        let raw = text
            .as_ref::<Str>()
            .map(|s| file.newline.get().translated(s.as_bytes()))
            .unwrap_or_default();
        file.state.get_mut(vm).text = Some(Text::new(raw));
    }
    let newline = file.newline.get();
    let text = file
        .state
        .get_mut(vm)
        .text
        .get_or_insert_with(Text::default);
    Ok(f(text, newline))
}

fn read_line(vm: &mut Vm, v: &Value, n: Option<usize>) -> R<Vec<u8>> {
    with_text(vm, v, |text, newline| text.read_line(newline, n))
}

fn repr(vm: &mut Vm, v: &Value) -> R {
    let file = receiver::<TextFile>(v).clone();
    let mut out = "<_io.TextIOWrapper".to_owned();
    let name = vm.get_attr_opt(v, &names::Names::get().name.to_value())?;
    if let Some(name) = name {
        out += &format!(" name={}", vm.repr(&name)?.to_text());
    }
    let (mode, encoding) = (
        file.state.get(vm).mode.clone(),
        file.state.get(vm).encoding.clone(),
    );
    if !mode.is_none() {
        out += &format!(" mode={}", vm.repr(&mode)?.to_text());
    }
    out += &format!(" encoding={}>", vm.repr(&encoding)?.to_text());
    Ok(Str::value(&out))
}

/// Asks the buffer whether it can do something.
fn ability(vm: &mut Vm, v: &Value, method: &str) -> R {
    let file = open(vm, v)?;
    match file.target.get() {
        Target::Out(_) => Ok(Value::bool(method == "writable")),
        Target::In => Ok(Value::bool(method == "readable")),
        Target::Buffer => {
            let buffer = file.state.get(vm).buffer.clone();
            vm.call_method(&buffer, &names::intern(method), &[])
        }
    }
}

static METHODS: &[Def] = &[
    Def::method("write", "(self, text, /)", |vm, a| write(vm, &a[0], &a[1])),
    Def::method("writelines", "(self, lines, /)", |vm, a| {
        base::write_lines(vm, &a[0], &a[1])
    }),
    Def::method("read", "(self, size=-1, /)", |vm, a| {
        let n = size_arg(vm, optional(a, 1))?;
        let piece = with_text(vm, &a[0], |text, _| text.read(n))?;
        Ok(Str::value_wtf8(&piece))
    }),
    Def::method("readline", "(self, size=-1, /)", |vm, a| {
        let n = size_arg(vm, optional(a, 1))?;
        Ok(Str::value_wtf8(&read_line(vm, &a[0], n)?))
    }),
    Def::method("flush", "(self, /)", |vm, a| {
        let file = open(vm, &a[0])?;
        if file.target.get() == Target::Buffer {
            let buffer = file.state.get(vm).buffer.clone();
            vm.call_method(&buffer, &names::Names::get().flush, &[])?;
        }
        Ok(Value::NONE)
    }),
    Def::method("close", "(self, /)", |vm, a| {
        let file = receiver::<TextFile>(&a[0]).clone();
        if !file.closed.get() {
            file.closed.set(true);
            if file.target.get() == Target::Buffer {
                let buffer = file.state.get(vm).buffer.clone();
                vm.call_method(&buffer, &names::Names::get().close, &[])?;
            }
        }
        Ok(Value::NONE)
    }),
    Def::method("detach", "(self, /)", |vm, a| {
        let file = open(vm, &a[0])?;
        file.closed.set(true);
        Ok(file.state.get(vm).buffer.clone())
    }),
    Def::method("fileno", "(self, /)", |vm, a| {
        let file = open(vm, &a[0])?;
        match file.target.get() {
            Target::In => Ok(Value::small_int(0)),
            Target::Out(Stream::Stdout) => Ok(Value::small_int(1)),
            Target::Out(Stream::Stderr) => Ok(Value::small_int(2)),
            Target::Buffer => Err(base::unsupported(vm, "fileno")),
        }
    }),
    Def::method("isatty", "(self, /)", |vm, a| {
        open(vm, &a[0]).map(|_| Value::FALSE)
    }),
    Def::method("readable", "(self, /)", |vm, a| {
        ability(vm, &a[0], "readable")
    }),
    Def::method("writable", "(self, /)", |vm, a| {
        ability(vm, &a[0], "writable")
    }),
    Def::method("seekable", "(self, /)", |vm, a| {
        ability(vm, &a[0], "seekable")
    }),
    Def::method("seek", "(self, cookie, whence=0, /)", |vm, a| {
        let file = open(vm, &a[0])?;
        if file.target.get() != Target::Buffer {
            return Err(base::unsupported(vm, "underlying stream is not seekable"));
        }
        file.state.get_mut(vm).text = None;
        let buffer = file.state.get(vm).buffer.clone();
        vm.call_method(&buffer, &names::intern("seek"), &a[1..])
    }),
    Def::method("tell", "(self, /)", |vm, a| {
        let file = open(vm, &a[0])?;
        if file.target.get() != Target::Buffer {
            return Err(base::unsupported(vm, "underlying stream is not seekable"));
        }
        if file.state.get(vm).text.is_some() {
            return Err(vm.raise(
                crate::objects::exception::Exc::OSError,
                "telling position after reading is not supported",
            ));
        }
        let buffer = file.state.get(vm).buffer.clone();
        vm.call_method(&buffer, &names::intern("tell"), &[])
    }),
    Def::method("truncate", "(self, pos=None, /)", |vm, a| {
        let file = open(vm, &a[0])?;
        let buffer = file.state.get(vm).buffer.clone();
        vm.call_method(&buffer, &names::intern("truncate"), &a[1..])
    }),
    Def::method(
        "reconfigure",
        "(self, /, *, encoding=None, errors=None, newline=None, line_buffering=None, write_through=None)",
        |vm, a| {
            let file = open(vm, &a[0])?;
            for (i, name) in [(1, "encoding"), (2, "errors")] {
                let Some(v) = optional(a, i).filter(|v| !v.is_none()) else {
                    continue;
                };
                if !v.is::<Str>() {
                    return Err(vm.type_error(format!(
                        "reconfigure() argument '{name}' must be str or None, not {}",
                        vm.class_name(v)
                    )));
                }
                let state = file.state.get_mut(vm);
                let place = if i == 1 {
                    &mut state.encoding
                } else {
                    &mut state.errors
                };
                let old = std::mem::replace(place, v.clone());
                drop(old);
            }
            if let Some(newline) = optional(a, 3) {
                let newline = Newline::of_arg(vm, newline)?;
                file.newline.set(newline);
            }
            Ok(Value::NONE)
        },
    ),
];

static BUFFER_METHODS: &[Def] = &[
    Def::method(
        "write",
        "(self, b, /)",
        |vm, a| match receiver::<StdBuffer>(&a[0]).target {
            Target::Out(stream) => {
                let data = buffer::copy(vm, &a[1])?;
                if !vm.host.write(stream, &data) {
                    return Err(vm.stop_program(Stop::Output));
                }
                Ok(Value::int(data.len() as i64))
            }
            _ => Err(base::unsupported(vm, "write")),
        },
    ),
    Def::method("read", "(self, size=-1, /)", |vm, a| {
        match receiver::<StdBuffer>(&a[0]).target {
            Target::In => Ok(Bytes::value(Vec::new())),
            _ => Err(base::unsupported(vm, "read")),
        }
    }),
    Def::method(
        "readline",
        "(self, size=-1, /)",
        |vm, a| match receiver::<StdBuffer>(&a[0]).target {
            Target::In => Ok(Bytes::value(Vec::new())),
            _ => Err(base::unsupported(vm, "read")),
        },
    ),
    Def::method("flush", "(self, /)", |_, _| Ok(Value::NONE)),
    Def::method("readable", "(self, /)", |_, a| {
        Ok(Value::bool(
            receiver::<StdBuffer>(&a[0]).target == Target::In,
        ))
    }),
    Def::method("writable", "(self, /)", |_, a| {
        Ok(Value::bool(
            receiver::<StdBuffer>(&a[0]).target != Target::In,
        ))
    }),
];
