//! `_lzma_core`: the coder and decoder objects that `_lzma` (in Python) drives.
//!
//! What goes wrong with a stream is returned as the number of a fault; the exception with its text is made there.

mod checks;
mod decode;
mod encode;
mod filters;
mod model;
mod reader;
mod writer;

use crate::class_slot;
use crate::heap::{self, Payload, Ref, VmCell};
use crate::objects::bytes::{Bytes, buffer};
use crate::objects::module::Module;
use crate::objects::native::{Def, receiver};
use crate::objects::slots::Slots;
use crate::objects::tuple::Tuple;
use crate::objects::types::ClassBuilder;
use crate::value::Value;
use crate::vm::{R, Vm};
use checks::Kind;
use decode::Stop;
use encode::Options;
use model::{Fault, Props};
use reader::{Format, Link, Reader};
use std::cell::Cell;
use writer::Writer;

/// Output of a decoder with a look at the limits between.
const PIECE: usize = 1 << 18;

/// Payload of the coder's objects; `None` while it runs and after the end.
struct Coder {
    state: VmCell<Option<Box<Writer>>>,
}

// SAFETY: owns no values.
unsafe impl Payload for Coder {
    const COLLECTABLE: bool = false;
    class_slot!();
    fn traverse(&self, _: &mut dyn FnMut(&Value)) {}
}

/// Payload of the decoder's objects.
struct Decoder {
    /// `None` while it runs.
    state: VmCell<Option<Box<Reader>>>,
    /// Input that waits for room.
    waiting: VmCell<Vec<u8>>,
    unused: VmCell<Vec<u8>>,
    eof: Cell<bool>,
    needs_input: Cell<bool>,
    check: Cell<i64>,
}

// SAFETY: owns no values.
unsafe impl Payload for Decoder {
    const COLLECTABLE: bool = false;
    class_slot!();
    fn traverse(&self, _: &mut dyn FnMut(&Value)) {}
}

/// The check of a stream whose header has not been read yet.
const CHECK_UNKNOWN: i64 = 16;

fn fault(fault: Fault) -> Value {
    Value::int(match fault {
        Fault::Format => 1,
        Fault::Options => 2,
        Fault::Data => 3,
        Fault::Memory => 4,
    })
}

fn format(number: i64) -> Format {
    match number {
        1 => Format::Xz,
        2 => Format::Alone,
        3 => Format::Raw,
        _ => Format::Auto,
    }
}

/// A chain of filters: tuples of a number and parameters. `None` when one of them is impossible.
fn chain(vm: &mut Vm, list: &Value) -> R<Option<Vec<Link>>> {
    let mut links = Vec::new();
    for item in vm.collect(list)? {
        let mut numbers = Vec::new();
        for number in vm.collect(&item)? {
            numbers.push(vm.index_i64(&number)?);
        }
        let size = |n: i64| usize::try_from(n).unwrap_or(usize::MAX);
        let link = match numbers[..] {
            [0x21, dict, ..] => Link::Lzma2 {
                dict_size: size(dict),
            },
            [0x4000_0000_0000_0001, dict, lc, lp, pb, ..] => Link::Lzma {
                props: props(lc, lp, pb),
                dict_size: size(dict),
            },
            [3, distance] => Link::Delta {
                distance: size(distance),
            },
            [id, start] => Link::Branch {
                id: id as u64,
                start: start as u32,
            },
            _ => return Ok(None),
        };
        links.push(link);
    }
    Ok(Some(links))
}

fn props(lc: i64, lp: i64, pb: i64) -> Props {
    let bits = |n: i64| n.clamp(0, 64) as u32;
    Props {
        lc: bits(lc),
        lp: bits(lp),
        pb: bits(pb),
    }
}

static FUNCTIONS: &[Def] = &[
    Def::function(
        "coder",
        "(format, check, filters, dict_size, lc, lp, pb, nice, depth, /)",
        |vm, args| {
            let Some(links) = chain(vm, &args[2])? else {
                return Ok(fault(Fault::Options));
            };
            let mut n = [0; 9];
            for i in [0, 1, 3, 4, 5, 6, 7, 8] {
                n[i] = vm.index_i64(&args[i])?;
            }
            let options = Options {
                props: props(n[4], n[5], n[6]),
                dict_size: n[3].clamp(0, i64::from(u32::MAX)) as usize,
                nice: n[7].max(0) as usize,
                depth: n[8].max(1) as usize,
            };
            if !heap::can_allocate(4 << 20) {
                return Err(vm.memory_error());
            }
            let kind = Kind::from_id(n[1] as u8);
            match Writer::new(format(n[0]), kind, &links, &options) {
                Ok(writer) => Ok(Value::from_ref(heap::alloc_instance(
                    Coder {
                        state: VmCell::new(Some(Box::new(writer))),
                    },
                    Coder::class(),
                    0,
                ))),
                Err(e) => Ok(fault(e)),
            }
        },
    ),
    Def::function("decoder", "(format, memlimit, filters, /)", |vm, args| {
        let reader = if args[2].is_none() {
            let memory = match &args[1] {
                v if v.is_none() => None,
                v => Some(vm.index_i64(v)?.max(0) as u64),
            };
            Reader::new(format(vm.index_i64(&args[0])?), memory)
        } else {
            let made = chain(vm, &args[2])?.ok_or(Fault::Options);
            match made.and_then(|links| Reader::raw(&links)) {
                Ok(reader) => reader,
                Err(e) => return Ok(fault(e)),
            }
        };
        let check = reader.check_id().map_or(CHECK_UNKNOWN, i64::from);
        Ok(Value::from_ref(heap::alloc_instance(
            Decoder {
                state: VmCell::new(Some(Box::new(reader))),
                waiting: VmCell::default(),
                unused: VmCell::default(),
                eof: Cell::new(false),
                needs_input: Cell::new(true),
                check: Cell::new(check),
            },
            Decoder::class(),
            0,
        )))
    }),
    Def::function("encode_properties", "(filters, /)", |vm, args| {
        let links = chain(vm, &args[0])?.unwrap_or_default();
        Ok(match links.first() {
            Some(Link::Delta { distance }) if !(1..=256).contains(distance) => {
                fault(Fault::Options)
            }
            Some(Link::Lzma { props, .. }) if !props.sound() => fault(Fault::Options),
            Some(link) => Bytes::value(writer::properties(link).1),
            None => fault(Fault::Options),
        })
    }),
    Def::function("decode_properties", "(id, properties, /)", |vm, args| {
        let bytes = buffer::copy(vm, &args[1])?;
        let id = vm.index_i64(&args[0])? as u64;
        let numbers = match reader::link(id, &bytes) {
            Ok(Link::Lzma { props, dict_size }) => vec![
                dict_size as i64,
                i64::from(props.lc),
                i64::from(props.lp),
                i64::from(props.pb),
            ],
            Ok(Link::Lzma2 { dict_size }) => vec![dict_size as i64],
            Ok(Link::Delta { distance }) => vec![distance as i64],
            Ok(Link::Branch { start, .. }) => vec![i64::from(start)],
            Err(e) => return Ok(fault(e)),
        };
        Ok(Tuple::value(numbers.into_iter().map(Value::int).collect()))
    }),
];

/// The module.
pub(crate) fn module(vm: &mut Vm) -> Ref<Module> {
    let module = Module::native(vm, "_lzma_core", "", FUNCTIONS);
    if !Coder::class_slot().with(|slot| slot.is_set()) {
        ClassBuilder::new::<Coder>("Coder")
            .slots(Slots::NONE)
            .module(vm, "_lzma_core")
            .methods(vm, CODER_METHODS)
            .build(vm);
        ClassBuilder::new::<Decoder>("Decoder")
            .slots(Slots::NONE)
            .module(vm, "_lzma_core")
            .methods(vm, DECODER_METHODS)
            .getset(
                vm,
                "eof",
                |_, v| Ok(Value::bool(receiver::<Decoder>(v).eof.get())),
                None,
            )
            .getset(
                vm,
                "needs_input",
                |_, v| Ok(Value::bool(receiver::<Decoder>(v).needs_input.get())),
                None,
            )
            .getset(
                vm,
                "check",
                |_, v| Ok(Value::int(receiver::<Decoder>(v).check.get())),
                None,
            )
            .getset(
                vm,
                "unused_data",
                |vm, v| {
                    let unused = receiver::<Decoder>(v).unused.get(vm).clone();
                    Ok(Bytes::value(unused))
                },
                None,
            )
            .build(vm);
    }
    module
}

/// Runs the coder until it has nothing to do.
fn steps(vm: &mut Vm, writer: &mut Writer, end: bool, out: &mut Vec<u8>) -> R<()> {
    while writer.step(end, out) {
        vm.poll_native()?;
        vm.text_size(out.len() + PIECE)?;
    }
    Ok(())
}

static CODER_METHODS: &[Def] = &[
    Def::method("compress", "(self, data, /)", |vm, args| {
        let data = buffer::copy(vm, &args[1])?;
        let object = receiver::<Coder>(&args[0]);
        let Some(mut state) = object.state.replace(vm, None) else {
            return Err(vm.value_error("Compressor has been flushed"));
        };
        // The data itself, and chains of four bytes for each.
        if !heap::can_allocate(data.len().saturating_mul(6)) {
            object.state.replace(vm, Some(state));
            return Err(vm.memory_error());
        }
        let mut out = Vec::new();
        state.push(&data, &mut out);
        let done = steps(vm, &mut state, false, &mut out);
        object.state.replace(vm, Some(state));
        done.map(|()| Bytes::value(out))
    }),
    Def::method("flush", "(self, /)", |vm, args| {
        let object = receiver::<Coder>(&args[0]);
        let Some(mut state) = object.state.replace(vm, None) else {
            return Err(vm.value_error("Repeated call to flush()"));
        };
        let mut out = Vec::new();
        state.end(&mut out);
        steps(vm, &mut state, true, &mut out)?;
        state.finish(&mut out);
        Ok(Bytes::value(out))
    }),
];

/// The output, the bytes used, and whether the stream has ended.
type Decoded = (Vec<u8>, usize, bool);

/// Decodes until the input or the room ends.
fn decode(
    vm: &mut Vm,
    reader: &mut Reader,
    data: &[u8],
    limit: usize,
) -> R<Result<Decoded, Fault>> {
    let mut out: Vec<u8> = Vec::new();
    let mut at = 0;
    loop {
        vm.poll_native()?;
        vm.text_size(out.len() + PIECE)?;
        if !heap::can_allocate(reader.held_memory() * 2 + PIECE) {
            return Err(vm.memory_error());
        }
        let room = limit.min(out.len() + PIECE);
        match reader.run(&data[at..], &mut out, room) {
            Err(e) => return Ok(Err(e)),
            Ok((used, stop)) => {
                at += used;
                match stop {
                    Stop::End => return Ok(Ok((out, at, true))),
                    Stop::Input => return Ok(Ok((out, at, false))),
                    Stop::Output if out.len() >= limit => return Ok(Ok((out, at, false))),
                    Stop::Output => {}
                }
            }
        }
    }
}

static DECODER_METHODS: &[Def] = &[Def::method(
    "decompress",
    "(self, data, max_length, /)",
    |vm, args| {
        let object = receiver::<Decoder>(&args[0]);
        let new = buffer::copy(vm, &args[1])?;
        let limit = usize::try_from(vm.index_i64(&args[2])?).unwrap_or(usize::MAX);
        let Some(mut state) = object.state.replace(vm, None) else {
            return Err(vm.runtime_error("the decompressor is running"));
        };
        let mut data = std::mem::take(object.waiting.get_mut(vm));
        data.extend_from_slice(&new);
        let result = decode(vm, &mut state, &data, limit);
        let check = state.check_id().map_or(CHECK_UNKNOWN, i64::from);
        object.check.set(check);
        object.state.replace(vm, Some(state));
        let (out, used, ended) = match result? {
            Ok(done) => done,
            Err(e) => {
                object.needs_input.set(false);
                return Ok(fault(e));
            }
        };
        let rest = data.split_off(used);
        object.needs_input.set(!ended && out.len() < limit);
        object.eof.set(ended);
        if ended {
            object.unused.replace(vm, rest);
        } else {
            object.waiting.replace(vm, rest);
        }
        Ok(Bytes::value(out))
    },
)];
