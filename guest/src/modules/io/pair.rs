//! `BufferedRWPair`: a reader and a writer in one.

use super::base::bases;
use super::buffered::{self, chain};
use crate::class_slot;
use crate::heap::{self, Payload, VmCell};
use crate::names::{self, Names};
use crate::objects::native::{Def, receiver};
use crate::objects::slots::Slots;
use crate::objects::types::{BASE, ClassBuilder};
use crate::value::Value;
use crate::vm::args::{Args, optional};
use crate::vm::{R, Vm};

/// Payload of `BufferedRWPair`: the reader and the writer, `UNDEF` before `__init__`.
pub(super) struct Pair {
    files: VmCell<(Value, Value)>,
}

// SAFETY: visits both files.
unsafe impl Payload for Pair {
    class_slot!();
    fn traverse(&self, visit: &mut dyn FnMut(&Value)) {
        // SAFETY: the collector runs while no borrow of any payload lives.
        let (reader, writer) = unsafe { self.files.peek() };
        visit(reader);
        visit(writer);
    }
}

/// Builds the class, unless it exists.
pub(super) fn init(vm: &mut Vm) {
    if Pair::class_slot().with(|slot| slot.is_set()) {
        return;
    }
    let base = bases(vm).buffered.clone();
    ClassBuilder::new::<Pair>("BufferedRWPair")
        .base(&base)
        .flags(BASE)
        .slots(Slots {
            new: Some(|_, class, _| {
                let made = Pair {
                    files: VmCell::new((Value::UNDEF, Value::UNDEF)),
                };
                Ok(Value::from_ref(heap::alloc_instance(made, class, 0)))
            }),
            init: Some(init_slot),
            ..Slots::NONE
        })
        .module(vm, "_io")
        .methods(vm, METHODS)
        .getset(
            vm,
            "closed",
            |vm, v| {
                let writer = part(vm, v, false)?;
                vm.get_attr(&writer, &names::intern("closed").to_value())
            },
            None,
        )
        .build(vm);
}

fn init_slot(vm: &mut Vm, v: &Value, args: Args) -> R<()> {
    args.no_keywords(vm, "BufferedRWPair")?;
    let params = crate::params!("(reader, writer, buffer_size=131072, /)");
    let a = args.bind(vm, "BufferedRWPair", params, 0)?;
    for (file, method, text) in [
        (&a[0], "readable", "File or stream is not readable."),
        (&a[1], "writable", "File or stream is not writable."),
    ] {
        let able = vm.call_method(file, &names::intern(method), &[])?;
        if !vm.truthy(&able)? {
            return Err(super::base::unsupported(vm, text));
        }
    }
    let classes = buffered::classes(vm);
    let made = |vm: &mut Vm, class: Value, raw: &Value| {
        let mut args = vec![raw.clone()];
        args.extend(optional(&a, 2).cloned());
        vm.call(&class, &args)
    };
    let reader = made(vm, classes.reader.to_value(), &a[0])?;
    let writer = made(vm, classes.writer.to_value(), &a[1])?;
    let me = receiver::<Pair>(v).clone();
    drop(me.files.replace(vm, (reader, writer)));
    Ok(())
}

fn part(vm: &mut Vm, v: &Value, reader: bool) -> R {
    let files = receiver::<Pair>(v).files.get(vm);
    let file = if reader { &files.0 } else { &files.1 };
    if file.is_undef() {
        return Err(vm.value_error("I/O operation on uninitialized object"));
    }
    Ok(file.clone())
}

fn pass(vm: &mut Vm, a: &[Value], reader: bool, method: &str) -> R {
    let file = part(vm, &a[0], reader)?;
    vm.call_method(&file, &names::intern(method), &a[1..])
}

static METHODS: &[Def] = &[
    Def::method("read", "(self, size=-1, /)", |vm, a| {
        pass(vm, a, true, "read")
    }),
    Def::method("peek", "(self, size=0, /)", |vm, a| {
        pass(vm, a, true, "peek")
    }),
    Def::method("read1", "(self, size=-1, /)", |vm, a| {
        pass(vm, a, true, "read1")
    }),
    Def::method("readinto", "(self, buffer, /)", |vm, a| {
        pass(vm, a, true, "readinto")
    }),
    Def::method("readinto1", "(self, buffer, /)", |vm, a| {
        pass(vm, a, true, "readinto1")
    }),
    Def::method("readable", "(self, /)", |vm, a| {
        pass(vm, a, true, "readable")
    }),
    Def::method("write", "(self, buffer, /)", |vm, a| {
        pass(vm, a, false, "write")
    }),
    Def::method("flush", "(self, /)", |vm, a| pass(vm, a, false, "flush")),
    Def::method("writable", "(self, /)", |vm, a| {
        pass(vm, a, false, "writable")
    }),
    Def::method("isatty", "(self, /)", |vm, a| {
        let writer = pass(vm, a, false, "isatty")?;
        if vm.truthy(&writer)? {
            return Ok(writer);
        }
        pass(vm, a, true, "isatty")
    }),
    Def::method("close", "(self, /)", |vm, a| {
        let writer = part(vm, &a[0], false)?;
        let reader = part(vm, &a[0], true)?;
        let close = Names::get().close.clone();
        let first = match vm.call_method(&writer, &close, &[]) {
            Ok(_) => None,
            Err(raised) if vm.stopped.is_some() => return Err(raised),
            Err(_) => Some(vm.take_error()),
        };
        let second = vm.call_method(&reader, &close, &[]);
        chain(vm, first, second)
    }),
];
