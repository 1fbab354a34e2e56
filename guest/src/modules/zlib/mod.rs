//! The module `zlib`: its functions. The objects are in [`objects`], the formats in [`deflate`] and [`inflate`].

pub mod deflate;
pub mod inflate;
mod objects;

use crate::heap::Ref;
use crate::modules::binascii::{checksum_start, crc32, exception_class};
use crate::objects::bytes::{Bytes, buffer};
use crate::objects::exception::Exc;
use crate::objects::module::Module;
use crate::objects::native::Def;
use crate::objects::string::Str;
use crate::objects::tuple::Tuple;
use crate::objects::types::Type;
use crate::value::Value;
use crate::vm::args::optional;
use crate::vm::{R, Raised, Vm};
use deflate::{Deflater, wrap_of};
use inflate::{Fault, Inflater};
use miniz_oxide::deflate::core::TDEFLFlush;

/// The name of the exception class among the machine's settings.
const ERROR: &str = "zlib.error";

/// The module.
pub(crate) fn module(vm: &mut Vm) -> Ref<Module> {
    let module = Module::native(
        vm,
        "zlib",
        "Compression and decompression as zlib does it.",
        FUNCTIONS,
    );
    let error = exception_class(vm, "error", "zlib", Exc::Exception);
    vm.settings.insert(ERROR, error.to_value());
    module.set(vm, "error", error.to_value());
    objects::classes(vm, &module);
    for (name, value) in [
        ("MAX_WBITS", 15),
        ("DEFLATED", 8),
        ("DEF_MEM_LEVEL", 8),
        ("DEF_BUF_SIZE", 16384),
        ("Z_NO_COMPRESSION", 0),
        ("Z_BEST_SPEED", 1),
        ("Z_BEST_COMPRESSION", 9),
        ("Z_DEFAULT_COMPRESSION", -1),
        ("Z_DEFAULT_STRATEGY", 0),
        ("Z_FILTERED", 1),
        ("Z_HUFFMAN_ONLY", 2),
        ("Z_RLE", 3),
        ("Z_FIXED", 4),
        ("Z_NO_FLUSH", 0),
        ("Z_PARTIAL_FLUSH", 1),
        ("Z_SYNC_FLUSH", 2),
        ("Z_FULL_FLUSH", 3),
        ("Z_FINISH", 4),
        ("Z_BLOCK", 5),
        ("Z_TREES", 6),
    ] {
        module.set(vm, name, Value::small_int(value));
    }
    // The version whose behaviour is offered.
    module.set(vm, "ZLIB_VERSION", Str::value("1.3.1"));
    module.set(vm, "ZLIB_RUNTIME_VERSION", Str::value("1.3.1"));
    module.set(vm, "__version__", Str::value("1.0"));
    module
}

/// `zlib.error` with this message.
#[cold]
fn error(vm: &mut Vm, message: &str) -> Raised {
    match vm
        .settings
        .get(ERROR)
        .and_then(|c| c.as_ref::<Type>())
        .cloned()
    {
        Some(class) => {
            let args = Tuple::value(vec![Str::value(message)]);
            vm.raise_args(&class, args)
        }
        None => vm.value_error(message),
    }
}

#[cold]
fn fault(vm: &mut Vm, fault: Fault) -> Raised {
    match fault {
        Fault::Data(what) => error(vm, &format!("Error -3 while decompressing data: {what}")),
        Fault::NeedsDictionary => error(vm, "Error 2 while decompressing data"),
        Fault::WrongDictionary => error(vm, "Error -3 while setting zdict: invalid input data"),
    }
}

/// Adler-32 (RFC 1950), continuing from `start`.
pub fn adler32(data: &[u8], start: u32) -> u32 {
    const MODULUS: u32 = 65521;
    crate::heap::charge(data.len() >> 6);
    let (mut a, mut b) = (start & 0xffff, start >> 16);
    // As many bytes as cannot overflow the sums.
    for chunk in data.chunks(5552) {
        for &byte in chunk {
            a += u32::from(byte);
            b += a;
        }
        a %= MODULUS;
        b %= MODULUS;
    }
    b << 16 | a
}

/// What a flush mode means to the compressor.
fn flush_of(vm: &mut Vm, mode: i64) -> R<TDEFLFlush> {
    Ok(match mode {
        0 => TDEFLFlush::None,
        1 => TDEFLFlush::Partial,
        2 | 5 | 6 => TDEFLFlush::Sync,
        3 => TDEFLFlush::Full,
        4 => TDEFLFlush::Finish,
        _ => {
            return Err(error(
                vm,
                "Error -2 while flushing: inconsistent stream state",
            ));
        }
    })
}

/// The size of the pieces in which data goes through, with a look at the limits between.
const PIECE: usize = 1 << 20;

/// Compresses what an object lends.
fn deflate_all(
    vm: &mut Vm,
    deflater: &mut Deflater,
    data: &Value,
    flush: TDEFLFlush,
) -> R<Vec<u8>> {
    let mut out = Vec::new();
    let mut at = 0;
    loop {
        vm.poll_work(PIECE >> 8)?;
        vm.text_size(out.len().saturating_mul(2))?;
        let bytes = buffer::view(vm, data).unwrap_or_default();
        let rest = bytes.get(at..).unwrap_or_default();
        if rest.len() <= PIECE {
            deflater.run(rest, flush, &mut out);
            return Ok(out);
        }
        deflater.run(&rest[..PIECE], TDEFLFlush::None, &mut out);
        at += PIECE;
    }
}

/// Decompresses until the input or the room ends; the number of bytes used.
fn inflate_all(
    vm: &mut Vm,
    inflater: &mut Inflater,
    data: &Value,
    limit: usize,
    out: &mut Vec<u8>,
) -> R<usize> {
    let mut at = 0;
    loop {
        vm.poll_work(PIECE >> 8)?;
        vm.text_size(out.len().saturating_mul(2))?;
        let bytes = buffer::view(vm, data).unwrap_or_default();
        let rest = bytes.get(at..).unwrap_or_default();
        let room = limit - out.len();
        let step = match inflater.step(rest, room, out) {
            Ok(step) => step,
            Err(f) => return Err(fault(vm, f)),
        };
        at += step.used;
        let stuck = step.used == rest.len() && !step.more_output;
        if inflater.is_done() || out.len() >= limit || stuck {
            return Ok(at);
        }
    }
}

fn int_arg(vm: &mut Vm, args: &[Value], index: usize, default: i64) -> R<i64> {
    match optional(args, index) {
        Some(v) => {
            let i = vm.index_i64(v)?;
            if i32::try_from(i).is_err() {
                return Err(vm.overflow_error("Python int too large to convert to C int"));
            }
            Ok(i)
        }
        None => Ok(default),
    }
}

/// A size that may be any integer the machine can count to.
fn size_arg(vm: &mut Vm, v: &Value) -> R<i64> {
    let i = vm.index_big(v)?;
    match i64::try_from(&i) {
        Ok(i) => Ok(i),
        Err(_) => Err(vm.overflow_error("Python int too large to convert to C ssize_t")),
    }
}

static FUNCTIONS: &[Def] = &[
    Def::function("adler32", "(data, value=1, /)", |vm, args| {
        let start = match optional(args, 1) {
            Some(_) => checksum_start(vm, args, 1)? as u32,
            None => 1,
        };
        let data = buffer::arg(vm, &args[0])?;
        let sum = adler32(buffer::view(vm, &data).unwrap_or_default(), start);
        Ok(Value::int(sum as i64))
    }),
    Def::function("crc32", "(data, value=0, /)", |vm, args| {
        let start = checksum_start(vm, args, 1)? as u32;
        let data = buffer::arg(vm, &args[0])?;
        let data = buffer::view(vm, &data).unwrap_or_default();
        crate::heap::charge(data.len() >> 6);
        let sum = crc32(data, start);
        Ok(Value::int(sum as i64))
    }),
    Def::function("compress", "(data, /, level=-1, wbits=15)", |vm, args| {
        let data = buffer::arg(vm, &args[0])?;
        let level = int_arg(vm, args, 1, -1)?;
        let wbits = int_arg(vm, args, 2, 15)?;
        let (true, Some((wrap, window))) = ((-1..=9).contains(&level), wrap_of(wbits, false))
        else {
            return Err(error(vm, "Bad compression level"));
        };
        let mut deflater = Deflater::new(level as i32, wrap, window, 0);
        let out = deflate_all(vm, &mut deflater, &data, TDEFLFlush::Finish)?;
        Ok(Bytes::value(out))
    }),
    Def::function(
        "decompress",
        "(data, /, wbits=15, bufsize=16384)",
        |vm, args| {
            let data = buffer::arg(vm, &args[0])?;
            let wbits = int_arg(vm, args, 1, 15)?;
            if let Some(v) = optional(args, 2)
                && size_arg(vm, v)? < 0
            {
                return Err(vm.value_error("bufsize must be non-negative"));
            }
            let Some((wrap, window)) = wrap_of(wbits, true) else {
                return Err(error(
                    vm,
                    "Error -2 while preparing to decompress data: inconsistent stream state",
                ));
            };
            let mut inflater = Inflater::new(wrap, window, None);
            let mut out = Vec::new();
            inflate_all(vm, &mut inflater, &data, usize::MAX, &mut out)?;
            if !inflater.is_done() {
                return Err(error(
                    vm,
                    "Error -5 while decompressing data: incomplete or truncated stream",
                ));
            }
            Ok(Bytes::value(out))
        },
    ),
    Def::function(
        "compressobj",
        "(level=-1, method=8, wbits=15, memLevel=8, strategy=0, zdict=None)",
        objects::compressobj,
    ),
    Def::function(
        "decompressobj",
        "(wbits=15, zdict=b'')",
        objects::decompressobj,
    ),
];
