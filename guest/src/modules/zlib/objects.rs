//! The objects of `zlib`: `Compress`, `Decompress`, and `_ZlibDecompressor`.

use super::deflate::{Deflater, wrap_of};
use super::inflate::Inflater;
use super::{deflate_all, error, flush_of, inflate_all, int_arg, size_arg};
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
use miniz_oxide::deflate::core::TDEFLFlush;

/// Payload of `zlib.Compress`.
struct Compress {
    /// `None` after the end.
    state: VmCell<Option<Box<Deflater>>>,
}

// SAFETY: owns no values.
unsafe impl Payload for Compress {
    const COLLECTABLE: bool = false;
    class_slot!();
    fn traverse(&self, _: &mut dyn FnMut(&Value)) {}
}

/// What the two decompressors keep.
#[derive(Clone)]
struct Reading {
    inflater: Inflater,
    unused: Vec<u8>,
    /// Input that waits for room.
    tail: Vec<u8>,
    /// Whether there is nothing to have without more input.
    needs_input: bool,
}

/// Payload of `zlib.Decompress`.
struct Decompress {
    /// `None` while it runs.
    state: VmCell<Option<Box<Reading>>>,
}

// SAFETY: owns no values.
unsafe impl Payload for Decompress {
    const COLLECTABLE: bool = false;
    class_slot!();
    fn traverse(&self, _: &mut dyn FnMut(&Value)) {}
}

/// Payload of `zlib._ZlibDecompressor`.
struct Reader {
    /// `None` while it runs.
    state: VmCell<Option<Box<Reading>>>,
}

// SAFETY: owns no values.
unsafe impl Payload for Reader {
    const COLLECTABLE: bool = false;
    class_slot!();
    fn traverse(&self, _: &mut dyn FnMut(&Value)) {}
}

/// The cell of a decompressor.
type Cell = VmCell<Option<Box<Reading>>>;

fn part(vm: &Vm, cell: &Cell, which: fn(&Reading) -> &Vec<u8>) -> Value {
    let bytes = cell.get(vm).as_ref().map(|r| which(r).clone());
    Bytes::value(bytes.unwrap_or_default())
}

fn is_done(vm: &Vm, cell: &Cell) -> bool {
    cell.get(vm).as_ref().is_some_and(|r| r.inflater.is_done())
}

/// Makes the classes.
pub(super) fn classes(vm: &mut Vm, module: &Ref<Module>) {
    if !Compress::class_slot().with(|slot| slot.is_set()) {
        let refuse = Slots {
            new: Some(|vm, class, _| {
                Err(vm.type_error(format!("cannot create '{}' instances", class.name())))
            }),
            ..Slots::NONE
        };
        ClassBuilder::new::<Compress>("Compress")
            .slots(refuse)
            .module(vm, "zlib")
            .methods(vm, COMPRESS)
            .build(vm);
        ClassBuilder::new::<Decompress>("Decompress")
            .slots(refuse)
            .module(vm, "zlib")
            .methods(vm, DECOMPRESS)
            .getset(
                vm,
                "unused_data",
                |vm, v| Ok(part(vm, &receiver::<Decompress>(v).state, |r| &r.unused)),
                None,
            )
            .getset(
                vm,
                "unconsumed_tail",
                |vm, v| Ok(part(vm, &receiver::<Decompress>(v).state, |r| &r.tail)),
                None,
            )
            .getset(
                vm,
                "eof",
                |vm, v| Ok(Value::bool(is_done(vm, &receiver::<Decompress>(v).state))),
                None,
            )
            .build(vm);
        ClassBuilder::new::<Reader>("_ZlibDecompressor")
            .slots(READER)
            .module(vm, "zlib")
            .methods(vm, READER_METHODS)
            .getset(
                vm,
                "unused_data",
                |vm, v| Ok(part(vm, &receiver::<Reader>(v).state, |r| &r.unused)),
                None,
            )
            .getset(
                vm,
                "needs_input",
                |vm, v| {
                    let state = receiver::<Reader>(v).state.get(vm);
                    Ok(Value::bool(state.as_ref().is_some_and(|r| r.needs_input)))
                },
                None,
            )
            .getset(
                vm,
                "eof",
                |vm, v| Ok(Value::bool(is_done(vm, &receiver::<Reader>(v).state))),
                None,
            )
            .build(vm);
    }
    module.set(vm, "_ZlibDecompressor", Reader::class().to_value());
}

/// `zlib.compressobj(...)`
pub(super) fn compressobj(vm: &mut Vm, args: &[Value]) -> R {
    let mut n = [0; 5];
    for (i, (n, default)) in n.iter_mut().zip([-1, 8, 15, 8, 0]).enumerate() {
        *n = int_arg(vm, args, i, default)?;
    }
    let [level, method, wbits, memory, strategy] = n;
    let dictionary = match optional(args, 5).filter(|v| !v.is_none()) {
        Some(v) => Some(buffer::copy(vm, v)?),
        None => None,
    };
    let fits = (-1..=9).contains(&level)
        && method == 8
        && (1..=9).contains(&memory)
        && (0..=4).contains(&strategy);
    let (true, Some((wrap, window))) = (fits, wrap_of(wbits, false)) else {
        return Err(vm.value_error("Invalid initialization option"));
    };
    let mut deflater = Deflater::new(level as i32, wrap, window, strategy as i32);
    if let Some(text) = dictionary {
        if wrap == super::deflate::Wrap::Gzip {
            return Err(vm.value_error("Invalid dictionary"));
        }
        deflater.set_dictionary(&text);
    }
    Ok(Value::from_ref(heap::alloc(Compress {
        state: VmCell::new(Some(Box::new(deflater))),
    })))
}

/// Runs the compressor, taken out of its object meanwhile.
fn run(vm: &mut Vm, v: &Value, data: &Value, flush: TDEFLFlush, doing: &str) -> R {
    let object = receiver::<Compress>(v);
    let Some(mut state) = object.state.replace(vm, None) else {
        return Err(error(
            vm,
            &format!("Error -2 while {doing}: inconsistent stream state"),
        ));
    };
    let made = deflate_all(vm, &mut state, data, flush);
    if flush != TDEFLFlush::Finish {
        object.state.replace(vm, Some(state));
    }
    made.map(Bytes::value)
}

static COMPRESS: &[Def] = &[
    Def::method("compress", "(self, data, /)", |vm, args| {
        let data = buffer::arg(vm, &args[1])?;
        run(vm, &args[0], &data, TDEFLFlush::None, "compressing data")
    }),
    Def::method("flush", "(self, mode=4, /)", |vm, args| {
        let mode = int_arg(vm, args, 1, 4)?;
        if mode == 0 {
            return Ok(Bytes::value(Vec::new()));
        }
        let flush = flush_of(vm, mode)?;
        run(vm, &args[0], &Bytes::value(Vec::new()), flush, "flushing")
    }),
    Def::method("copy", "(self, /)", copy_compress),
    Def::method("__copy__", "(self, /)", copy_compress),
    Def::method("__deepcopy__", "(self, memo, /)", copy_compress),
    Def::method("__reduce_ex__", "(self, protocol, /)", refuse_pickle),
];

fn refuse_pickle(vm: &mut Vm, args: &[Value]) -> R {
    let name = vm.full_class_name(&args[0]);
    Err(vm.type_error(format!("cannot pickle '{name}' object")))
}

fn copy_compress(vm: &mut Vm, args: &[Value]) -> R {
    match receiver::<Compress>(&args[0]).state.get(vm).clone() {
        Some(state) => Ok(Value::from_ref(heap::alloc(Compress {
            state: VmCell::new(Some(state)),
        }))),
        None => Err(vm.value_error("Inconsistent stream state")),
    }
}

fn reading(vm: &mut Vm, args: &[Value]) -> R<Box<Reading>> {
    let wbits = int_arg(vm, args, 0, 15)?;
    let dictionary = match optional(args, 1) {
        Some(v) if !buffer::is_buffer(v) => {
            return Err(vm.type_error("zdict argument must support the buffer protocol"));
        }
        Some(v) => Some(buffer::copy(vm, v)?),
        None => None,
    };
    let Some((wrap, window)) = wrap_of(wbits, true) else {
        return Err(vm.value_error("Invalid initialization option"));
    };
    Ok(Box::new(Reading {
        inflater: Inflater::new(wrap, window, dictionary),
        unused: Vec::new(),
        tail: Vec::new(),
        needs_input: true,
    }))
}

/// `zlib.decompressobj(...)`
pub(super) fn decompressobj(vm: &mut Vm, args: &[Value]) -> R {
    let state = reading(vm, args)?;
    Ok(Value::from_ref(heap::alloc(Decompress {
        state: VmCell::new(Some(state)),
    })))
}

/// Feeds a decompressor; what is left of the input becomes its tail, or its unused data after the end.
fn feed(vm: &mut Vm, cell: &Cell, data: &Value, limit: usize) -> R<Vec<u8>> {
    let Some(mut state) = cell.replace(vm, None) else {
        return Err(vm.runtime_error("the decompressor is running"));
    };
    let mut out = Vec::new();
    let used = if state.inflater.is_done() {
        Ok(0)
    } else {
        inflate_all(vm, &mut state.inflater, data, limit, &mut out)
    };
    if let Ok(used) = used {
        let rest = buffer::view(vm, data).unwrap_or_default();
        let rest = rest.get(used..).unwrap_or_default();
        if state.inflater.is_done() {
            state.unused.extend_from_slice(rest);
            state.tail = Vec::new();
        } else {
            state.tail = rest.to_vec();
        }
        state.needs_input = !state.inflater.is_done() && state.tail.is_empty() && out.len() < limit;
    }
    cell.replace(vm, Some(state));
    used.map(|_| out)
}

static DECOMPRESS: &[Def] = &[
    Def::method("decompress", "(self, data, /, max_length=0)", |vm, args| {
        let data = buffer::arg(vm, &args[1])?;
        let limit = match optional(args, 2) {
            Some(v) => size_arg(vm, v)?,
            None => 0,
        };
        if limit < 0 {
            return Err(vm.value_error("max_length must be non-negative"));
        }
        let limit = if limit == 0 {
            usize::MAX
        } else {
            limit as usize
        };
        feed(vm, &receiver::<Decompress>(&args[0]).state, &data, limit).map(Bytes::value)
    }),
    Def::method("flush", "(self, length=16384, /)", |vm, args| {
        if let Some(v) = optional(args, 1)
            && size_arg(vm, v)? <= 0
        {
            return Err(vm.value_error("length must be greater than zero"));
        }
        let cell = &receiver::<Decompress>(&args[0]).state;
        if is_done(vm, cell) {
            return Ok(Bytes::value(Vec::new()));
        }
        let tail = part(vm, cell, |r| &r.tail);
        feed(vm, cell, &tail, usize::MAX).map(Bytes::value)
    }),
    Def::method("copy", "(self, /)", copy_decompress),
    Def::method("__copy__", "(self, /)", copy_decompress),
    Def::method("__deepcopy__", "(self, memo, /)", copy_decompress),
    Def::method("__reduce_ex__", "(self, protocol, /)", refuse_pickle),
];

fn copy_decompress(vm: &mut Vm, args: &[Value]) -> R {
    let state = receiver::<Decompress>(&args[0]).state.get(vm).clone();
    Ok(Value::from_ref(heap::alloc(Decompress {
        state: VmCell::new(state),
    })))
}

const READER: Slots = Slots {
    new: Some(|vm, class, args| {
        static PARAMS: &Params = crate::params!("(wbits=15, zdict=b'')");
        let args = args.bind(vm, "_ZlibDecompressor", PARAMS, 0)?;
        let state = VmCell::new(Some(reading(vm, &args)?));
        Ok(Value::from_ref(heap::alloc_instance(
            Reader { state },
            class,
            0,
        )))
    }),
    ..Slots::NONE
};

static READER_METHODS: &[Def] = &[
    Def::method("decompress", "(self, data, max_length=-1)", |vm, args| {
        let cell = &receiver::<Reader>(&args[0]).state;
        let data = buffer::arg(vm, &args[1])?;
        let limit = match optional(args, 2) {
            Some(v) => size_arg(vm, v)?,
            None => -1,
        };
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        if is_done(vm, cell) {
            return Err(vm.raise(Exc::EOFError, "End of stream already reached"));
        }
        // What waited for room comes first.
        let waiting = part(vm, cell, |r| &r.tail);
        let data = if waiting.as_ref::<Bytes>().is_none_or(|b| b.data.is_empty()) {
            data
        } else {
            let mut all = buffer::copy(vm, &waiting)?;
            all.extend_from_slice(buffer::view(vm, &data).unwrap_or_default());
            Bytes::value(all)
        };
        feed(vm, cell, &data, limit).map(Bytes::value)
    }),
    Def::method("__reduce_ex__", "(self, protocol, /)", refuse_pickle),
];
