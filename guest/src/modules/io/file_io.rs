//! `io.FileIO`: raw files.

use super::base::{bases, size_arg, unsupported};
use crate::class_slot;
use crate::files::{Flags, errno};
use crate::heap::{self, Payload, Ref};
use crate::names::{self, Names};
use crate::objects::bytes::{Bytes, buffer};
use crate::objects::exception::Exc;
use crate::objects::native::{Def, receiver};
use crate::objects::slots::Slots;
use crate::objects::string::Str;
use crate::objects::types::{BASE, ClassBuilder};
use crate::value::Value;
use crate::vm::args::{Args, optional};
use crate::vm::{R, Vm};
use std::cell::Cell;

/// Payload of `FileIO`.
pub(super) struct FileIo {
    /// The descriptor; negative when closed.
    fd: Cell<i32>,
    mode: Cell<Mode>,
    closefd: Cell<bool>,
    pub(super) finalizing: Cell<bool>,
}

/// How the file was opened.
#[derive(Clone, Copy, Default)]
struct Mode {
    read: bool,
    write: bool,
    append: bool,
    create: bool,
}

impl Mode {
    fn name(self) -> &'static str {
        match self {
            Mode {
                create: true,
                read: true,
                ..
            } => "xb+",
            Mode { create: true, .. } => "xb",
            Mode {
                append: true,
                read: true,
                ..
            } => "ab+",
            Mode { append: true, .. } => "ab",
            Mode {
                read: true,
                write: true,
                ..
            } => "rb+",
            Mode { read: true, .. } => "rb",
            _ => "wb",
        }
    }
}

// SAFETY: owns no values.
unsafe impl Payload for FileIo {
    class_slot!();
    fn traverse(&self, _: &mut dyn FnMut(&Value)) {}
}

fn blank() -> FileIo {
    FileIo {
        fd: Cell::new(-1),
        mode: Cell::new(Mode::default()),
        closefd: Cell::new(true),
        finalizing: Cell::new(false),
    }
}

/// Builds the class, unless it exists.
pub(super) fn init(vm: &mut Vm) {
    if FileIo::class_slot().with(|slot| slot.is_set()) {
        return;
    }
    let base = bases(vm).raw.clone();
    ClassBuilder::new::<FileIo>("FileIO")
        .base(&base)
        .flags(BASE)
        .slots(Slots {
            repr: Some(repr),
            new: Some(|_, class, _| Ok(Value::from_ref(heap::alloc_instance(blank(), class, 0)))),
            init: Some(init_slot),
            ..Slots::NONE
        })
        .module(vm, "_io")
        .methods(vm, METHODS)
        .getset(
            vm,
            "closed",
            |_, v| Ok(Value::bool(receiver::<FileIo>(v).fd.get() < 0)),
            None,
        )
        .getset(
            vm,
            "closefd",
            |_, v| Ok(Value::bool(receiver::<FileIo>(v).closefd.get())),
            None,
        )
        .getset(
            vm,
            "mode",
            |_, v| Ok(Str::value(receiver::<FileIo>(v).mode.get().name())),
            None,
        )
        .getset(
            vm,
            "_blksize",
            |_, _| Ok(Value::small_int(super::DEFAULT_BUFFER_SIZE)),
            None,
        )
        .build(vm);
}

/// The raw file of a standard stream; the descriptor stays open when it is closed.
pub(super) fn standard(vm: &mut Vm, fd: i32, name: &str) -> Value {
    let file = heap::alloc_instance(blank(), FileIo::class(), 0);
    file.fd.set(fd);
    file.closefd.set(false);
    file.mode.set(Mode {
        read: fd == 0,
        write: fd != 0,
        ..Mode::default()
    });
    let v = file.to_value();
    let key = Names::get().name.clone();
    if let Err(raised) = vm.set_instance_attr(&v, &key, Some(&Str::value(name))) {
        // A stream without a name is a stream.
        let _ = vm.swallow_any(raised);
    }
    v
}

/// The text of the argument `mode`, parsed.
fn mode_arg(vm: &mut Vm, v: Option<&Value>) -> R<(Mode, Flags)> {
    let text = match v {
        None => "r".to_owned(),
        Some(v) => match v.as_ref::<Str>() {
            Some(s) => s.to_text().into_owned(),
            None => {
                return Err(vm.type_error(format!(
                    "FileIO() argument 'mode' must be str, not {}",
                    vm.arg_class_name(v)
                )));
            }
        },
    };
    let (mut mode, mut flags) = (Mode::default(), Flags::default());
    let (mut kinds, mut plus) = (0, 0);
    for c in text.chars() {
        match c {
            'r' => mode.read = true,
            'w' => {
                mode.write = true;
                flags.create = true;
                flags.truncate = true;
            }
            'x' => {
                mode.write = true;
                mode.create = true;
                flags.create = true;
                flags.exclusive = true;
            }
            'a' => {
                mode.write = true;
                mode.append = true;
                flags.create = true;
                flags.append = true;
            }
            'b' => {}
            '+' => plus += 1,
            _ => return Err(vm.value_error(format!("invalid mode: {text}"))),
        }
        kinds += usize::from("rwxa".contains(c));
    }
    if kinds != 1 || plus > 1 {
        return Err(vm.value_error(
            "Must have exactly one of create/read/write/append mode and at most one plus",
        ));
    }
    if plus == 1 {
        mode.read = true;
        mode.write = true;
    }
    flags.read = mode.read;
    flags.write = mode.write;
    Ok((mode, flags))
}

/// `FileIO(file, mode='r', closefd=True, opener=None)`
fn init_slot(vm: &mut Vm, v: &Value, args: Args) -> R<()> {
    let params = crate::params!("(file, mode='r', closefd=True, opener=None)");
    let a = args.bind(vm, "FileIO", params, 0)?;
    let me = receiver::<FileIo>(v).clone();
    if me.fd.get() >= 0 {
        if me.closefd.get() {
            close_descriptor(vm, &me)?;
        } else {
            me.fd.set(-1);
        }
    }
    let file = a[0].clone();
    let mut number = None;
    if file.is_bool() {
        super::warn(
            vm,
            Exc::RuntimeWarning,
            "bool is used as a file descriptor",
            None,
        )?;
    }
    if let Some(n) = file.as_int().and_then(|i| i.to_i64()) {
        if n < 0 {
            return Err(vm.value_error("negative file descriptor"));
        }
        number = i32::try_from(n).ok();
    }
    let mut path = Vec::new();
    if number.is_none() {
        let text = vm.fs_path(&file)?;
        path = vm.fs_encode(&text)?;
        if path.contains(&0) {
            return Err(vm.value_error("embedded null byte"));
        }
    }
    let (mode, flags) = mode_arg(vm, optional(&a, 1))?;
    let closefd = match optional(&a, 2) {
        Some(v) => vm.truthy(v)?,
        None => true,
    };
    me.mode.set(mode);
    let opener = optional(&a, 3).filter(|v| !v.is_none()).cloned();
    if let Some(fd) = number {
        me.closefd.set(closefd);
        let ino = vm.files().ino_of(fd);
        let ino = vm.io(ino)?;
        if vm.files().stat(ino).is_dir() {
            return Err(vm.os_error_about(errno::EISDIR, Some(&file), None));
        }
        me.fd.set(fd);
    } else {
        me.closefd.set(true);
        if !closefd {
            return Err(vm.value_error("Cannot use closefd=False with file name"));
        }
        let fd = match opener {
            Some(opener) => {
                let bits = Value::int(bits_of(flags));
                let made = vm.call(&opener, &[file.clone(), bits])?;
                if !made.is_bool() && made.as_int().is_none() {
                    return Err(vm.type_error("expected integer from opener"));
                }
                let fd = vm.index_i64(&made)?;
                if fd < 0 {
                    return Err(vm.value_error(format!("opener returned {fd}")));
                }
                i32::try_from(fd)
                    .map_err(|_| vm.overflow_error("Python int too large to convert to C int"))?
            }
            None => {
                let made = vm.files().open(None, &path, flags, 0o666);
                match made {
                    Ok(fd) => fd,
                    Err(e) => return Err(vm.os_error_about(e, Some(&file), None)),
                }
            }
        };
        let ino = vm.files().ino_of(fd);
        let ino = match ino {
            Ok(ino) => ino,
            Err(e) => return Err(vm.os_error_about(e, Some(&file), None)),
        };
        if vm.files().stat(ino).is_dir() {
            let _ = vm.files().close(fd);
            return Err(vm.os_error_about(errno::EISDIR, Some(&file), None));
        }
        me.fd.set(fd);
    }
    if mode.append {
        // A pipe has no end to go to.
        let _ = vm.files().seek(me.fd.get(), 0, 2);
    }
    let named = vm.set_attr(v, &Names::get().name.to_value(), Some(&file));
    if named.is_err() {
        // A descriptor that was given is the giver's again.
        let fd = me.fd.replace(-1);
        if number.is_none() {
            let _ = vm.files().close(fd);
        }
    }
    named
}

/// The flags as a number for an opener.
fn bits_of(flags: Flags) -> i64 {
    let access = match (flags.read, flags.write) {
        (true, true) => 2,
        (false, true) => 1,
        _ => 0,
    };
    let bit = |on: bool, bit: i64| if on { bit } else { 0 };
    access
        | bit(flags.create, 0o100)
        | bit(flags.exclusive, 0o200)
        | bit(flags.truncate, 0o1000)
        | bit(flags.append, 0o2000)
        | 0o2_000_000
}

fn open(vm: &mut Vm, v: &Value) -> R<Ref<FileIo>> {
    let file = receiver::<FileIo>(v).clone();
    if file.fd.get() < 0 {
        return Err(vm.value_error("I/O operation on closed file"));
    }
    Ok(file)
}

fn readable(vm: &mut Vm, v: &Value) -> R<Ref<FileIo>> {
    let file = open(vm, v)?;
    if !file.mode.get().read {
        return Err(unsupported(vm, "File not open for reading"));
    }
    Ok(file)
}

fn writable(vm: &mut Vm, v: &Value) -> R<Ref<FileIo>> {
    let file = open(vm, v)?;
    if !file.mode.get().write {
        return Err(unsupported(vm, "File not open for writing"));
    }
    Ok(file)
}

/// Whether the file is closed, when `v` is exactly a `FileIO`.
pub(super) fn is_closed(v: &Value) -> Option<bool> {
    Some(exact(v)?.fd.get() < 0)
}

fn exact(v: &Value) -> Option<&Ref<FileIo>> {
    let file = v.as_ref::<FileIo>()?;
    file.header().class().same(FileIo::class()).then_some(file)
}

/// Reads from exactly a `FileIO`, without the ways of Python. Nothing when it is something else, or not open for reading.
pub(super) fn read_exact(vm: &mut Vm, v: &Value, n: usize) -> Option<R<Option<Vec<u8>>>> {
    let file = exact(v)?.clone();
    if file.fd.get() < 0 || !file.mode.get().read {
        return None;
    }
    Some(read(vm, &file, n))
}

/// Writes to exactly a `FileIO`, as [`read_exact`] reads.
pub(super) fn write_exact(vm: &mut Vm, v: &Value, data: &[u8]) -> Option<R<Option<usize>>> {
    let file = exact(v)?.clone();
    if file.fd.get() < 0 || !file.mode.get().write {
        return None;
    }
    Some(write(vm, &file, data))
}

/// Reads up to `n` bytes; nothing when there are none yet.
fn read(vm: &mut Vm, file: &Ref<FileIo>, n: usize) -> R<Option<Vec<u8>>> {
    match vm.read_descriptor(file.fd.get(), n, None) {
        Ok(data) => Ok(Some(data)),
        Err(e) if e == errno::EAGAIN => Ok(None),
        Err(e) => Err(vm.os_error(e)),
    }
}

fn write(vm: &mut Vm, file: &Ref<FileIo>, data: &[u8]) -> R<Option<usize>> {
    match vm.write_descriptor(file.fd.get(), data, None) {
        Ok(Some(n)) => Ok(Some(n)),
        Ok(None) => Err(vm.stop_program(crate::vm::Stop::Output)),
        Err(e) if e == errno::EAGAIN => Ok(None),
        Err(e) => Err(vm.os_error(e)),
    }
}

fn read_all(vm: &mut Vm, file: &Ref<FileIo>) -> R {
    let mut all = Vec::new();
    loop {
        vm.poll_native()?;
        let left = vm.files().left(file.fd.get());
        let room = (vm.io(left)? as usize + 1).max(8192);
        vm.text_size(all.len() + room)?;
        match read(vm, file, room)? {
            None if all.is_empty() => return Ok(Value::NONE),
            None => break,
            Some(part) if part.is_empty() => break,
            Some(part) if all.is_empty() => all = part,
            Some(part) => all.extend(part),
        }
    }
    Ok(Bytes::value(all))
}

fn close_descriptor(vm: &mut Vm, file: &Ref<FileIo>) -> R<()> {
    let fd = file.fd.replace(-1);
    let done = vm.files().close(fd);
    vm.io(done)
}

fn seek(vm: &mut Vm, v: &Value, offset: i64, whence: i64) -> R {
    let file = open(vm, v)?;
    let at = vm.files().seek(file.fd.get(), offset, whence);
    Ok(Value::int(vm.io(at)? as i64))
}

fn number(vm: &mut Vm, v: &Value) -> R<i64> {
    if v.as_any_float().is_some() {
        return Err(vm.type_error("an integer is required"));
    }
    let i = vm.index(v)?;
    match i.as_int().and_then(|i| i.to_i64()) {
        Some(n) => Ok(n),
        None => Err(vm.overflow_error("Python int too large to convert to C long")),
    }
}

fn repr(vm: &mut Vm, v: &Value) -> R {
    let file = receiver::<FileIo>(v).clone();
    let class = super::base::shown_class(vm, v);
    if file.fd.get() < 0 {
        return Ok(Str::value(&format!("<{class} [closed]>")));
    }
    let name = vm.get_attr_opt(v, &Names::get().name.to_value())?;
    let (mode, closefd) = (
        file.mode.get().name(),
        if file.closefd.get() { "True" } else { "False" },
    );
    let Some(name) = name else {
        let fd = file.fd.get();
        return Ok(Str::value(&format!(
            "<{class} fd={fd} mode='{mode}' closefd={closefd}>"
        )));
    };
    match vm.repr_once(v, |vm| vm.repr(&name))? {
        Some(name) => Ok(Str::value_wtf8(
            &[
                format!("<{class} name=").as_bytes(),
                name.as_bytes(),
                format!(" mode='{mode}' closefd={closefd}>").as_bytes(),
            ]
            .concat(),
        )),
        None => Err(vm.runtime_error(format!("reentrant call inside {class}.__repr__"))),
    }
}

static METHODS: &[Def] = &[
    Def::method("read", "(self, size=-1, /)", |vm, a| {
        let file = readable(vm, &a[0])?;
        match size_arg(vm, optional(a, 1))? {
            None => read_all(vm, &file),
            Some(n) => {
                let left = vm.files().left(file.fd.get());
                let left = vm.io(left)? as usize;
                vm.text_size(n.min(left))?;
                Ok(read(vm, &file, n)?.map_or(Value::NONE, Bytes::value))
            }
        }
    }),
    Def::method("readall", "(self, /)", |vm, a| {
        let file = readable(vm, &a[0])?;
        read_all(vm, &file)
    }),
    Def::method("readinto", "(self, buffer, /)", |vm, a| {
        let file = readable(vm, &a[0])?;
        if !buffer::is_writable(&a[1]) {
            return super::base::fill(vm, &a[1], &[]);
        }
        let room = buffer::view(vm, &a[1]).map_or(0, <[u8]>::len);
        match read(vm, &file, room)? {
            Some(data) => super::base::fill(vm, &a[1], &data),
            None => Ok(Value::NONE),
        }
    }),
    Def::method("write", "(self, b, /)", |vm, a| {
        let file = writable(vm, &a[0])?;
        let data = buffer::copy(vm, &a[1])?;
        Ok(write(vm, &file, &data)?.map_or(Value::NONE, |n| Value::int(n as i64)))
    }),
    Def::method("seek", "(self, pos, whence=0, /)", |vm, a| {
        open(vm, &a[0])?;
        let offset = number(vm, &a[1])?;
        let whence = match optional(a, 2) {
            Some(v) => number(vm, v)?,
            None => 0,
        };
        seek(vm, &a[0], offset, whence)
    }),
    Def::method("tell", "(self, /)", |vm, a| seek(vm, &a[0], 0, 1)),
    Def::method("truncate", "(self, size=None, /)", |vm, a| {
        let file = writable(vm, &a[0])?;
        let size = match optional(a, 1).filter(|v| !v.is_none()) {
            Some(v) => {
                number(vm, v)?;
                v.clone()
            }
            None => seek(vm, &a[0], 0, 1)?,
        };
        let n = vm.index_i64(&size)?;
        let done = match u64::try_from(n) {
            Ok(n) => vm.files().resize_open(file.fd.get(), n),
            Err(_) => Err(errno::EINVAL),
        };
        vm.io(done)?;
        Ok(size)
    }),
    Def::method("fileno", "(self, /)", |vm, a| {
        Ok(Value::int(i64::from(open(vm, &a[0])?.fd.get())))
    }),
    Def::method("readable", "(self, /)", |vm, a| {
        Ok(Value::bool(open(vm, &a[0])?.mode.get().read))
    }),
    Def::method("writable", "(self, /)", |vm, a| {
        Ok(Value::bool(open(vm, &a[0])?.mode.get().write))
    }),
    Def::method("seekable", "(self, /)", |vm, a| {
        let file = open(vm, &a[0])?;
        if file.fd.get() <= 2 && !file.closefd.get() {
            // A standard stream: not worth making the files for.
            return Ok(Value::FALSE);
        }
        Ok(Value::bool(vm.files().seek(file.fd.get(), 0, 1).is_ok()))
    }),
    Def::method("isatty", "(self, /)", |vm, a| {
        open(vm, &a[0]).map(|_| Value::FALSE)
    }),
    Def::method("_isatty_open_only", "(self, /)", |vm, a| {
        open(vm, &a[0]).map(|_| Value::FALSE)
    }),
    Def::method("close", "(self, /)", |vm, a| {
        let file = receiver::<FileIo>(&a[0]).clone();
        let base = bases(vm).raw.to_value();
        let close = vm.get_attr(&base, &Names::get().close.to_value())?;
        let result = vm.call(&close, &a[..1]);
        if !file.closefd.get() {
            file.fd.set(-1);
            return result;
        }
        if file.finalizing.get() {
            warn_unclosed(vm, &file, &a[0])?;
        }
        if file.fd.get() >= 0 {
            close_descriptor(vm, &file)?;
        }
        result
    }),
    Def::method("_dealloc_warn", "(self, source, /)", |vm, a| {
        let file = receiver::<FileIo>(&a[0]).clone();
        warn_unclosed(vm, &file, &a[1])?;
        Ok(Value::NONE)
    }),
    Def::method("__reduce__", "(self, /)", no_pickle),
    Def::method("__reduce_ex__", "(self, protocol, /)", no_pickle),
];

/// Refuses to be pickled.
pub(super) fn no_pickle(vm: &mut Vm, a: &[Value]) -> R {
    let class = vm.full_class_name(&a[0]);
    Err(vm.type_error(format!("cannot pickle '{class}' instances")))
}

fn warn_unclosed(vm: &mut Vm, file: &Ref<FileIo>, source: &Value) -> R<()> {
    if file.fd.get() < 0 || !file.closefd.get() {
        return Ok(());
    }
    if vm.modules.get_str(vm, &names::intern("warnings")).is_none() {
        // Nobody has asked to see such warnings, which are not shown by themselves.
        return Ok(());
    }
    let shown = vm.repr(source)?;
    let text = format!("unclosed file {}", shown.to_text());
    super::warn(vm, Exc::ResourceWarning, &text, Some(source))
}
