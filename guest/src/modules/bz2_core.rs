//! `_bz2`: the compressor and decompressor objects of `bz2`, over a Rust port of libbzip2.

use crate::class_slot;
use crate::heap::{self, Payload, Ref, VmCell};
use crate::objects::bytes::{Bytes, buffer};
use crate::objects::exception::Exc;
use crate::objects::module::Module;
use crate::objects::native::{Def, Params, receiver};
use crate::objects::slots::Slots;
use crate::objects::types::ClassBuilder;
use crate::value::Value;
use crate::vm::args::optional;
use crate::vm::{R, Vm};
use bzip2::{Action, Compress, Compression, Decompress, Status};
use std::cell::Cell;

/// Memory that a running (de)compression takes at most.
const WORK: usize = 8 << 20;
/// Bytes that go through at once, with a look at the limits between.
const PIECE: usize = 1 << 18;

/// Payload of `_bz2.BZ2Compressor`; `None` after the end.
struct Compressor {
    state: VmCell<Option<Box<Compress>>>,
}

// SAFETY: owns no values.
unsafe impl Payload for Compressor {
    const COLLECTABLE: bool = false;
    class_slot!();
    fn traverse(&self, _: &mut dyn FnMut(&Value)) {}
}

/// Payload of `_bz2.BZ2Decompressor`.
struct Decompressor {
    /// `None` while it runs and after the end.
    state: VmCell<Option<Box<Decompress>>>,
    /// Input that waits for room.
    waiting: VmCell<Vec<u8>>,
    unused: VmCell<Vec<u8>>,
    eof: Cell<bool>,
    needs_input: Cell<bool>,
}

// SAFETY: owns no values.
unsafe impl Payload for Decompressor {
    const COLLECTABLE: bool = false;
    class_slot!();
    fn traverse(&self, _: &mut dyn FnMut(&Value)) {}
}

/// The module.
pub(crate) fn module(vm: &mut Vm) -> Ref<Module> {
    let module = Module::native(vm, "_bz2", "", &[]);
    if !Compressor::class_slot().with(|slot| slot.is_set()) {
        ClassBuilder::new::<Compressor>("BZ2Compressor")
            .slots(COMPRESSOR)
            .module(vm, "_bz2")
            .methods(vm, COMPRESSOR_METHODS)
            .build(vm);
        ClassBuilder::new::<Decompressor>("BZ2Decompressor")
            .slots(DECOMPRESSOR)
            .module(vm, "_bz2")
            .methods(vm, DECOMPRESSOR_METHODS)
            .getset(
                vm,
                "eof",
                |_, v| Ok(Value::bool(receiver::<Decompressor>(v).eof.get())),
                None,
            )
            .getset(
                vm,
                "needs_input",
                |_, v| Ok(Value::bool(receiver::<Decompressor>(v).needs_input.get())),
                None,
            )
            .getset(
                vm,
                "unused_data",
                |vm, v| {
                    let unused = receiver::<Decompressor>(v).unused.get(vm).clone();
                    Ok(Bytes::value(unused))
                },
                None,
            )
            .build(vm);
    }
    module.set(vm, "BZ2Compressor", Compressor::class().to_value());
    module.set(vm, "BZ2Decompressor", Decompressor::class().to_value());
    module
}

fn check_memory(vm: &mut Vm) -> R<()> {
    if heap::can_allocate(WORK) {
        Ok(())
    } else {
        Err(vm.memory_error())
    }
}

fn refuse_pickle(vm: &mut Vm, args: &[Value]) -> R {
    let name = vm.full_class_name(&args[0]);
    Err(vm.type_error(format!("cannot pickle '{name}' object")))
}

const COMPRESSOR: Slots = Slots {
    new: Some(|vm, class, args| {
        let args = args.exactly(vm, "BZ2Compressor", 0, 1)?;
        let level = match optional(args, 0) {
            Some(v) => vm.index_i64(v)?,
            None => 9,
        };
        if !(1..=9).contains(&level) {
            return Err(vm.value_error("compresslevel must be between 1 and 9"));
        }
        check_memory(vm)?;
        let state = Compress::new(Compression::new(level as u32), 0);
        Ok(Value::from_ref(heap::alloc_instance(
            Compressor {
                state: VmCell::new(Some(Box::new(state))),
            },
            class,
            0,
        )))
    }),
    ..Slots::NONE
};

/// Runs the compressor over what an object lends.
fn compress(vm: &mut Vm, state: &mut Compress, data: &Value, action: Action) -> R<Vec<u8>> {
    let mut out = Vec::new();
    let mut at = 0;
    loop {
        vm.poll_work(PIECE >> 6)?;
        vm.text_size(out.len() + PIECE)?;
        let bytes = buffer::view(vm, data).unwrap_or_default();
        let rest = bytes.get(at..).unwrap_or_default();
        if rest.is_empty() && action == Action::Run {
            return Ok(out);
        }
        out.reserve(PIECE);
        let before = state.total_in();
        let piece = &rest[..rest.len().min(PIECE)];
        match state.compress_vec(piece, &mut out, action) {
            Ok(Status::StreamEnd) => return Ok(out),
            Ok(_) => at += (state.total_in() - before) as usize,
            Err(e) => return Err(vm.raise(Exc::OSError, e.to_string())),
        }
    }
}

static COMPRESSOR_METHODS: &[Def] = &[
    Def::method("compress", "(self, data, /)", |vm, args| {
        let data = buffer::arg(vm, &args[1])?;
        let object = receiver::<Compressor>(&args[0]);
        let Some(mut state) = object.state.replace(vm, None) else {
            return Err(vm.value_error("Compressor has been flushed"));
        };
        let made = compress(vm, &mut state, &data, Action::Run);
        object.state.replace(vm, Some(state));
        made.map(Bytes::value)
    }),
    Def::method("flush", "(self, /)", |vm, args| {
        let object = receiver::<Compressor>(&args[0]);
        let Some(mut state) = object.state.replace(vm, None) else {
            return Err(vm.value_error("Repeated call to flush()"));
        };
        let nothing = Bytes::value(Vec::new());
        compress(vm, &mut state, &nothing, Action::Finish).map(Bytes::value)
    }),
    Def::method("__reduce_ex__", "(self, protocol, /)", refuse_pickle),
];

const DECOMPRESSOR: Slots = Slots {
    new: Some(|vm, class, args| {
        static PARAMS: &Params = crate::params!("()");
        args.bind(vm, "BZ2Decompressor", PARAMS, 0)?;
        check_memory(vm)?;
        Ok(Value::from_ref(heap::alloc_instance(
            Decompressor {
                state: VmCell::new(Some(Box::new(Decompress::new(false)))),
                waiting: VmCell::default(),
                unused: VmCell::default(),
                eof: Cell::new(false),
                needs_input: Cell::new(true),
            },
            class,
            0,
        )))
    }),
    ..Slots::NONE
};

/// Decompresses until the input or the room ends: the output, the bytes used, and whether the stream has ended.
fn decompress(
    vm: &mut Vm,
    state: &mut Decompress,
    data: &[u8],
    limit: usize,
) -> R<(Vec<u8>, usize, bool)> {
    let mut out: Vec<u8> = Vec::new();
    let mut at = 0;
    loop {
        vm.poll_work(PIECE >> 6)?;
        vm.text_size(out.len() + PIECE)?;
        let room = (limit - out.len()).min(PIECE);
        let start = out.len();
        out.resize(start + room, 0);
        let before = (state.total_in(), state.total_out());
        let result = state.decompress(&data[at..], &mut out[start..]);
        at += (state.total_in() - before.0) as usize;
        let made = (state.total_out() - before.1) as usize;
        out.truncate(start + made);
        match result {
            Ok(Status::StreamEnd) => return Ok((out, at, true)),
            Ok(_) if out.len() >= limit || at >= data.len() && made < room => {
                return Ok((out, at, false));
            }
            Ok(_) => {}
            Err(_) => return Err(vm.raise(Exc::OSError, "Invalid data stream")),
        }
    }
}

static DECOMPRESSOR_METHODS: &[Def] = &[
    Def::method("decompress", "(self, data, max_length=-1)", |vm, args| {
        let object = receiver::<Decompressor>(&args[0]);
        let new = buffer::copy(vm, &args[1])?;
        let limit = match optional(args, 2) {
            Some(v) => usize::try_from(vm.index_i64(v)?).unwrap_or(usize::MAX),
            None => usize::MAX,
        };
        if object.eof.get() {
            return Err(vm.raise(Exc::EOFError, "End of stream already reached"));
        }
        let Some(mut state) = object.state.replace(vm, None) else {
            return Err(vm.runtime_error("the decompressor is running"));
        };
        let mut data = std::mem::take(object.waiting.get_mut(vm));
        data.extend_from_slice(&new);
        let result = decompress(vm, &mut state, &data, limit);
        let (out, used, ended) = match result {
            Ok(done) => done,
            Err(raised) => {
                object.state.replace(vm, Some(state));
                return Err(raised);
            }
        };
        let rest = data.split_off(used);
        object
            .needs_input
            .set(!ended && rest.is_empty() && out.len() < limit);
        if ended {
            object.eof.set(true);
            object.unused.replace(vm, rest);
        } else {
            object.waiting.replace(vm, rest);
            object.state.replace(vm, Some(state));
        }
        Ok(Bytes::value(out))
    }),
    Def::method("__reduce_ex__", "(self, protocol, /)", refuse_pickle),
];
