//! `_io`: file objects. [`file_io`] raw files, [`buffered`] and [`pair`] buffers before them, [`text`] text over buffers (with [`coding`] and [`newline`]),
//! [`string_io`] and [`bytes_io`] in memory, `open` what opens files, [`base`] what all have in common. The public module `io` is the library's own.

mod base;
mod buffered;
mod bytes_io;
mod coding;
mod file_io;
mod newline;
mod open;
mod pair;
mod string_io;
pub(crate) mod text;

pub(crate) use open::open;

use crate::heap::{Payload, Ref};
use crate::names;
use crate::objects::exception::Exc;
use crate::objects::module::Module;
use crate::objects::native::Def;
use crate::objects::string::Str;
use crate::value::Value;
use crate::vm::args::{Args, optional};
use crate::vm::{R, Vm};

/// The size of buffers.
const DEFAULT_BUFFER_SIZE: i64 = 128 * 1024;

/// Builds the classes, unless they exist.
fn init(vm: &mut Vm) {
    string_io::init(vm);
    bytes_io::init(vm);
    file_io::init(vm);
    buffered::classes(vm);
    pair::init(vm);
    newline::init(vm);
    text::init(vm);
}

/// Makes the module.
pub(crate) fn module(vm: &mut Vm) -> Ref<Module> {
    init(vm);
    let m = Module::native(vm, "_io", "", FUNCTIONS);
    let bases = base::bases(vm);
    let buffered = buffered::classes(vm);
    for (name, class) in [
        ("_IOBase", &bases.io),
        ("_RawIOBase", &bases.raw),
        ("_BufferedIOBase", &bases.buffered),
        ("_TextIOBase", &bases.text),
        ("FileIO", file_io::FileIo::class()),
        ("BufferedReader", &buffered.reader),
        ("BufferedWriter", &buffered.writer),
        ("BufferedRandom", &buffered.random),
        ("BufferedRWPair", pair::Pair::class()),
        ("StringIO", string_io::StringIo::class()),
        ("BytesIO", bytes_io::BytesIo::class()),
        ("TextIOWrapper", text::TextFile::class()),
        (
            "IncrementalNewlineDecoder",
            newline::NewlineDecoder::class(),
        ),
        ("BlockingIOError", Exc::BlockingIOError.class()),
    ] {
        m.set(vm, name, class.to_value());
    }
    m.set(vm, "UnsupportedOperation", bases.unsupported.clone());
    m.set(
        vm,
        "DEFAULT_BUFFER_SIZE",
        Value::small_int(DEFAULT_BUFFER_SIZE),
    );
    m
}

static FUNCTIONS: &[Def] = &[
    Def::function(
        "open",
        "(file, mode='r', buffering=-1, encoding=None, errors=None, newline=None, closefd=True, opener=None)",
        open,
    ),
    Def::function("open_code", "(path)", |vm, a| {
        if !a[0].is::<Str>() {
            return Err(vm.type_error(format!(
                "open_code() argument 'path' must be str, not {}",
                vm.arg_class_name(&a[0])
            )));
        }
        open(vm, &[a[0].clone(), Str::value("rb")])
    }),
    Def::function("text_encoding", "(encoding, stacklevel=2, /)", |_, a| {
        Ok(match optional(a, 0) {
            Some(v) if !v.is_none() => v.clone(),
            _ => Str::value("locale"),
        })
    }),
];

/// Gives a warning, as the module `warnings` would.
pub(crate) fn warn(vm: &mut Vm, class: Exc, text: &str, source: Option<&Value>) -> R<()> {
    let warnings = vm.import_module("warnings")?;
    let warn = vm.get_attr(&warnings, &Str::value("warn"))?;
    let mut values = vec![Str::value(text), class.class().to_value()];
    let mut keywords = Vec::new();
    if let Some(source) = source {
        values.push(source.clone());
        keywords.push(names::intern("source").to_value());
    }
    vm.call_args(&warn, Args::new(&values, &keywords))?;
    Ok(())
}

/// Marks a file as one that its last user has left without closing it.
fn mark_finalizing(v: &Value) {
    if let Some(file) = v.as_ref::<file_io::FileIo>() {
        file.finalizing.set(true);
    } else if let Some(file) = v.as_ref::<buffered::Buffered>() {
        file.finalizing.set(true);
    } else if let Some(file) = v.as_ref::<text::TextFile>() {
        file.finalizing.set(true);
    }
}
