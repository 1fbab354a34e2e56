//! `io.BytesIO`.

use super::base::{self, bases, size_arg};
use crate::class_slot;
use crate::heap::{self, Payload, Ref, VmCell};
use crate::objects::bytes::{ByteArray, Bytes, buffer};
use crate::objects::native::{Def, receiver};
use crate::objects::slots::Slots;
use crate::objects::tuple::Tuple;
use crate::objects::types::{BASE, ClassBuilder};
use crate::value::Value;
use crate::vm::args::{Args, optional};
use crate::vm::{R, Vm};
use std::cell::Cell;

/// Payload of `BytesIO`. The bytes are a `bytearray`, so that `getbuffer` can lend them.
pub(super) struct BytesIo {
    data: VmCell<Value>,
    pos: Cell<usize>,
    closed: Cell<bool>,
}

// SAFETY: visits the `bytearray`.
unsafe impl Payload for BytesIo {
    class_slot!();
    fn traverse(&self, visit: &mut dyn FnMut(&Value)) {
        // SAFETY: the collector runs while no borrow of any payload lives.
        visit(unsafe { self.data.peek() });
    }
}

/// Builds the class, unless it exists.
pub(super) fn init(vm: &mut Vm) {
    if BytesIo::class_slot().with(|slot| slot.is_set()) {
        return;
    }
    let base = bases(vm).buffered.clone();
    let slots = Slots {
        new: Some(|_, class, _| {
            let io = BytesIo {
                data: VmCell::new(ByteArray::value(Vec::new())),
                pos: Cell::new(0),
                closed: Cell::new(false),
            };
            Ok(Value::from_ref(heap::alloc_instance(io, class, 0)))
        }),
        init: Some(init_slot),
        iter: Some(|vm, v| open(vm, v).map(|_| v.clone())),
        next: Some(|vm, v| {
            let io = open(vm, v)?;
            let line = read_line(vm, &io, None);
            Ok(if line.is_empty() {
                Value::UNDEF
            } else {
                Bytes::value(line)
            })
        }),
        // There is nothing to close, except what a subclass has.
        del: Some(|vm, v| {
            if v.is_exact::<BytesIo>() || vm.class_of(v).is_static() {
                return Ok(());
            }
            base::finalize(vm, v)
        }),
        ..Slots::NONE
    };
    ClassBuilder::new::<BytesIo>("BytesIO")
        .base(&base)
        .flags(BASE)
        .slots(slots)
        .module(vm, "_io")
        .methods(vm, METHODS)
        .getset(
            vm,
            "closed",
            |_, v| Ok(Value::bool(receiver::<BytesIo>(v).closed.get())),
            None,
        )
        .build(vm);
}

fn open(vm: &mut Vm, v: &Value) -> R<Ref<BytesIo>> {
    let io = receiver::<BytesIo>(v).clone();
    if io.closed.get() {
        Err(base::closed_error(vm))
    } else {
        Ok(io)
    }
}

fn array(vm: &Vm, io: &Ref<BytesIo>) -> Ref<ByteArray> {
    match io.data.get(vm).as_ref::<ByteArray>() {
        Some(array) => array.clone(),
        None => unreachable!("it is made as a bytearray and never anything else"),
    }
}

/// The bytes for a change of their number; `BufferError` while somebody looks at them.
fn resizable(vm: &mut Vm, io: &Ref<BytesIo>) -> R<Ref<ByteArray>> {
    let array = array(vm, io);
    if array.exports.get() > 0 {
        return Err(vm.buffer_error("Existing exports of data: object cannot be re-sized"));
    }
    Ok(array)
}

fn init_slot(vm: &mut Vm, v: &Value, args: Args) -> R<()> {
    let fresh = receiver::<BytesIo>(v);
    if args.positional().is_empty()
        && args.names().is_empty()
        && fresh.pos.get() == 0
        && !fresh.closed.get()
        && array(vm, fresh).exports.get() == 0
        && array(vm, fresh).data.get(vm).is_empty()
    {
        return Ok(());
    }
    let a = args.bind(vm, "BytesIO", crate::params!("(initial_bytes=b'')"), 0)?;
    let io = receiver::<BytesIo>(v).clone();
    resizable(vm, &io)?;
    let data = match optional(&a, 0).filter(|v| !v.is_none()) {
        Some(v) => buffer::copy(vm, v)?,
        None => Vec::new(),
    };
    drop(io.data.replace(vm, ByteArray::value(data)));
    io.pos.set(0);
    io.closed.set(false);
    Ok(())
}

/// What is left from the position on: at most `n` bytes.
fn read(vm: &Vm, io: &Ref<BytesIo>, n: Option<usize>) -> Vec<u8> {
    let array = array(vm, io);
    let rest = array.data.get(vm).get(io.pos.get()..).unwrap_or_default();
    let piece = rest[..n.map_or(rest.len(), |n| n.min(rest.len()))].to_vec();
    io.pos.set(io.pos.get() + piece.len());
    piece
}

fn read_line(vm: &Vm, io: &Ref<BytesIo>, n: Option<usize>) -> Vec<u8> {
    let array = array(vm, io);
    let rest = array.data.get(vm).get(io.pos.get()..).unwrap_or_default();
    let line = memchr::memchr(b'\n', rest).map_or(rest.len(), |i| i + 1);
    read(vm, io, Some(n.map_or(line, |n| n.min(line))))
}

fn truth(vm: &mut Vm, args: &[Value]) -> R {
    open(vm, &args[0])?;
    Ok(Value::TRUE)
}

static METHODS: &[Def] = &[
    Def::method("write", "(self, b, /)", |vm, a| {
        let io = open(vm, &a[0])?;
        let piece = buffer::copy(vm, &a[1])?;
        if piece.is_empty() {
            return Ok(Value::small_int(0));
        }
        let (start, end) = (io.pos.get(), io.pos.get().saturating_add(piece.len()));
        let len = array(vm, &io).data.get(vm).len();
        let array = if end > len {
            resizable(vm, &io)?
        } else {
            array(vm, &io)
        };
        if end > len {
            vm.text_size(end)?;
            array.data.get_mut(vm).resize(end, 0);
        }
        array.data.get_mut(vm)[start..end].copy_from_slice(&piece);
        io.pos.set(end);
        Ok(Value::int(piece.len() as i64))
    }),
    Def::method("getvalue", "(self, /)", |vm, a| {
        let io = open(vm, &a[0])?;
        let data = array(vm, &io).to_value();
        Ok(Bytes::value(buffer::copy(vm, &data)?))
    }),
    Def::method("getbuffer", "(self, /)", |vm, a| {
        let io = open(vm, &a[0])?;
        let class = vm
            .builtins
            .get_str(vm, &crate::names::intern("memoryview"))
            .cloned()
            .unwrap_or(Value::NONE);
        let data = array(vm, &io).to_value();
        vm.call(&class, &[data])
    }),
    Def::method("read", "(self, size=-1, /)", |vm, a| {
        let io = open(vm, &a[0])?;
        let n = size_arg(vm, optional(a, 1))?;
        Ok(Bytes::value(read(vm, &io, n)))
    }),
    Def::method("read1", "(self, size=-1, /)", |vm, a| {
        let io = open(vm, &a[0])?;
        let n = size_arg(vm, optional(a, 1))?;
        Ok(Bytes::value(read(vm, &io, n)))
    }),
    Def::method("readinto", "(self, buffer, /)", |vm, a| {
        let io = open(vm, &a[0])?;
        let room = buffer::view(vm, &a[1]).map_or(0, <[u8]>::len);
        let piece = read(vm, &io, Some(room));
        base::fill(vm, &a[1], &piece)
    }),
    Def::method("readline", "(self, size=-1, /)", |vm, a| {
        let io = open(vm, &a[0])?;
        let n = size_arg(vm, optional(a, 1))?;
        Ok(Bytes::value(read_line(vm, &io, n)))
    }),
    Def::method("readlines", "(self, size=None, /)", |vm, a| {
        base::read_lines(vm, &a[0], optional(a, 1))
    }),
    Def::method("tell", "(self, /)", |vm, a| {
        Ok(Value::int(open(vm, &a[0])?.pos.get() as i64))
    }),
    Def::method("seek", "(self, pos, whence=0, /)", |vm, a| {
        let io = open(vm, &a[0])?;
        let offset = vm.index_i64(&a[1])?;
        let whence = match optional(a, 2) {
            Some(w) => vm.index_i64(w)?,
            None => 0,
        };
        let start = match whence {
            0 if offset < 0 => return Err(vm.value_error(format!("negative seek value {offset}"))),
            0 => 0,
            1 => io.pos.get() as i64,
            2 => array(vm, &io).data.get(vm).len() as i64,
            _ => {
                return Err(
                    vm.value_error(format!("invalid whence ({whence}, should be 0, 1 or 2)"))
                );
            }
        };
        let Some(pos) = start.checked_add(offset) else {
            return Err(vm.overflow_error("new position too large"));
        };
        let pos = base::position(vm, pos.max(0))?;
        io.pos.set(pos);
        Ok(Value::int(pos as i64))
    }),
    Def::method("truncate", "(self, size=None, /)", |vm, a| {
        let io = open(vm, &a[0])?;
        let array = resizable(vm, &io)?;
        let size = match optional(a, 1).filter(|v| !v.is_none()) {
            Some(v) => vm.index_i64(v)?,
            None => io.pos.get() as i64,
        };
        if size < 0 {
            return Err(vm.value_error(format!("negative size value {size}")));
        }
        // What is farther away than memory reaches is not there.
        let end = usize::try_from(size).unwrap_or(usize::MAX);
        array.data.get_mut(vm).truncate(end);
        Ok(Value::int(size))
    }),
    Def::method("close", "(self, /)", |vm, a| {
        let io = receiver::<BytesIo>(&a[0]).clone();
        resizable(vm, &io)?;
        io.closed.set(true);
        drop(io.data.replace(vm, ByteArray::value(Vec::new())));
        Ok(Value::NONE)
    }),
    Def::method("flush", "(self, /)", |vm, a| {
        open(vm, &a[0]).map(|_| Value::NONE)
    }),
    Def::method("readable", "(self, /)", truth),
    Def::method("writable", "(self, /)", truth),
    Def::method("seekable", "(self, /)", truth),
    Def::method("isatty", "(self, /)", |vm, a| {
        open(vm, &a[0]).map(|_| Value::FALSE)
    }),
    Def::method("__reduce__", "(self, /)", |vm, a| {
        let state = state(vm, &a[0])?;
        base::reduce(vm, &a[0], state)
    }),
    Def::method("__getstate__", "(self, /)", |vm, a| state(vm, &a[0])),
    Def::method("__setstate__", "(self, state, /)", set_state),
];

/// Bytes, position and attributes, as `__setstate__` takes them.
fn state(vm: &mut Vm, v: &Value) -> R {
    let io = open(vm, v)?;
    let data = Bytes::value(array(vm, &io).data.get(vm).clone());
    let attributes = base::attributes(vm, v);
    Ok(Tuple::value(vec![
        data,
        Value::int(io.pos.get() as i64),
        attributes,
    ]))
}

fn set_state(vm: &mut Vm, args: &[Value]) -> R {
    let io = open(vm, &args[0])?;
    let state = args[1].as_ref::<Tuple>().map(|t| t.items().to_vec());
    let Some([data, pos, attributes]) = state.as_deref() else {
        let class = vm.class_name(&args[0]);
        let given = vm.class_name(&args[1]);
        return Err(vm.type_error(format!(
            "{class}.__setstate__ argument should be 3-tuple, got {given}"
        )));
    };
    resizable(vm, &io)?;
    let data = buffer::copy(vm, data)?;
    if pos.as_int().is_none() {
        return Err(vm.type_error(format!(
            "second item of state must be an integer, not {}",
            vm.class_name(pos)
        )));
    }
    let pos = vm.index_i64(pos)?;
    if pos < 0 {
        return Err(vm.value_error("position value cannot be negative"));
    }
    let pos = base::position(vm, pos)?;
    base::restore(vm, &args[0], attributes, "third")?;
    drop(io.data.replace(vm, ByteArray::value(data)));
    io.pos.set(pos);
    Ok(Value::NONE)
}
