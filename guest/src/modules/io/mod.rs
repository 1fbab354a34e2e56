//! `_io`: file objects without files. [`string_io`] and [`bytes_io`] are in memory, [`text`] has the standard streams and text over a buffer of bytes,
//! [`base`] what all have in common. The public module `io` is in `src/lib`.

mod base;
mod bytes_io;
mod string_io;
pub(crate) mod text;

use crate::heap::{Payload, Ref};
use crate::objects::exception::Exc;
use crate::objects::module::Module;
use crate::objects::native::Def;
use crate::objects::string::Str;
use crate::value::Value;
use crate::vm::args::optional;
use crate::vm::{R, Vm};

/// Makes the module.
pub(crate) fn module(vm: &mut Vm) -> Ref<Module> {
    string_io::init(vm);
    bytes_io::init(vm);
    text::init(vm);
    let m = Module::native(vm, "_io", "", FUNCTIONS);
    let bases = base::bases(vm);
    for (name, class) in [
        ("_IOBase", &bases.io),
        ("_RawIOBase", &bases.raw),
        ("_BufferedIOBase", &bases.buffered),
        ("_TextIOBase", &bases.text),
    ] {
        m.set(vm, name, class.to_value());
    }
    m.set(vm, "UnsupportedOperation", bases.unsupported.clone());
    m.set(
        vm,
        "BlockingIOError",
        Exc::BlockingIOError.class().to_value(),
    );
    m.set(vm, "StringIO", string_io::StringIo::class().to_value());
    m.set(vm, "BytesIO", bytes_io::BytesIo::class().to_value());
    m.set(vm, "TextIOWrapper", text::TextFile::class().to_value());
    m.set(vm, "DEFAULT_BUFFER_SIZE", Value::small_int(128 * 1024));
    m
}

static FUNCTIONS: &[Def] = &[
    Def::function(
        "open",
        "(file, mode='r', buffering=-1, encoding=None, errors=None, newline=None, closefd=True, opener=None)",
        open,
    ),
    Def::function("open_code", "(path)", |vm, a| open(vm, &a[..1])),
    Def::function("text_encoding", "(encoding, stacklevel=2, /)", |_, a| {
        Ok(if a[0].is_none() {
            Str::value("utf-8")
        } else {
            a[0].clone()
        })
    }),
];

/// `open`: there is no file system, so nothing is found and nothing can be made.
pub(crate) fn open(vm: &mut Vm, args: &[Value]) -> R {
    let file = &args[0];
    if file.as_int().is_none()
        && !file.is::<Str>()
        && !crate::objects::bytes::buffer::is_buffer(file)
        && vm
            .special(file, &crate::names::intern("__fspath__"))?
            .is_none()
    {
        return Err(vm.type_error(format!(
            "expected str, bytes or os.PathLike object, not {}",
            vm.class_name(file)
        )));
    }
    let mode = match optional(args, 1) {
        Some(v) => match v.as_ref::<Str>() {
            Some(s) => s.to_text().into_owned(),
            None => {
                return Err(vm.type_error(format!(
                    "open() argument 'mode' must be str, not {}",
                    vm.class_name(v)
                )));
            }
        },
        None => "r".to_owned(),
    };
    let count = |set: &str| mode.chars().filter(|c| set.contains(*c)).count();
    if mode.chars().any(|c| !"rwaxbt+".contains(c))
        || "rwaxbt+".chars().any(|c| mode.matches(c).count() > 1)
    {
        return Err(vm.value_error(format!("invalid mode: '{mode}'")));
    }
    if count("bt") > 1 {
        return Err(vm.value_error("can't have text and binary mode at once"));
    }
    if count("rwax") != 1 {
        return Err(vm.value_error("must have exactly one of create/read/write/append mode"));
    }
    let (number, text, class) = if count("r") == 1 {
        (
            2,
            "No such file or directory: the sandbox has no file system",
            Exc::FileNotFoundError,
        )
    } else {
        (
            30,
            "Read-only file system: the sandbox has no file system",
            Exc::OSError,
        )
    };
    let class = class.class().to_value();
    let e = vm.call(
        &class,
        &[Value::small_int(number), Str::value(text), file.clone()],
    )?;
    Err(vm.raise_value(e))
}
