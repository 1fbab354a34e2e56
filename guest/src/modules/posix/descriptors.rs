//! Functions on descriptors.

use super::paths::Accept;
use super::stat_result;
use super::tree::int_arg;
use crate::files::{Device, Flags, errno};
use crate::objects::bytes::{Bytes, buffer};
use crate::objects::native::Def;
use crate::objects::tuple::Tuple;
use crate::value::Value;
use crate::vm::args::optional;
use crate::vm::{R, Stop, Vm};

/// The numbers of flags for `open`.
pub(super) const FLAGS: &[(&str, i64)] = &[
    ("O_RDONLY", 0),
    ("O_WRONLY", 1),
    ("O_RDWR", 2),
    ("O_CREAT", 0o100),
    ("O_EXCL", 0o200),
    ("O_NOCTTY", 0o400),
    ("O_TRUNC", 0o1000),
    ("O_APPEND", 0o2000),
    ("O_NONBLOCK", 0o4000),
    ("O_NDELAY", 0o4000),
    ("O_DSYNC", 0o10000),
    ("O_DIRECTORY", 0o200_000),
    ("O_NOFOLLOW", 0o400_000),
    ("O_CLOEXEC", 0o2_000_000),
    ("O_SYNC", 0o4_010_000),
    ("O_RSYNC", 0o4_010_000),
    ("O_TMPFILE", 0o20_200_000),
    ("O_ACCMODE", 3),
];

/// The meaning of such a number.
fn flags(bits: i64) -> Flags {
    let has = |bit: i64| bits & bit == bit;
    Flags {
        read: bits & 3 != 1,
        write: bits & 3 != 0,
        append: has(0o2000),
        create: has(0o100),
        exclusive: has(0o200),
        truncate: has(0o1000),
        directory: has(0o200_000),
        no_follow: has(0o400_000),
        unnamed: has(0o20_200_000),
    }
}

/// Writes, and stops the program when the host takes no more output.
fn write(vm: &mut Vm, fd: i32, data: &[u8], at: Option<u64>) -> R<usize> {
    let done = vm.write_descriptor(fd, data, at);
    match vm.io(done)? {
        Some(n) => Ok(n),
        None => Err(vm.stop_program(Stop::Output)),
    }
}

fn open(vm: &mut Vm, a: &[Value]) -> R {
    let path = vm.path_arg(optional(a, 0), "open", "path", Accept::Path)?;
    let bits = int_arg(vm, &a[1])?;
    let mode = match optional(a, 2) {
        Some(v) => int_arg(vm, v)? as u32,
        None => 0o777,
    };
    let at = vm.dir_fd_arg(optional(a, 3))?;
    let flags = flags(i64::from(bits));
    let fd = vm.files().open(at, path.path(), flags, mode);
    Ok(Value::int(i64::from(vm.io_about(fd, &path)?)))
}

fn size_arg(vm: &mut Vm, v: &Value) -> R<usize> {
    let n = vm.index_i64(v)?;
    if n < 0 {
        return Err(vm.os_error(errno::EINVAL));
    }
    vm.text_size((n as usize).min(1 << 30))?;
    Ok(n as usize)
}

fn offset_arg(vm: &mut Vm, v: &Value) -> R<u64> {
    let n = vm.index_i64(v)?;
    u64::try_from(n).map_err(|_| vm.os_error(errno::EINVAL))
}

fn read(vm: &mut Vm, fd: i32, n: usize, at: Option<u64>) -> R<Vec<u8>> {
    let data = vm.read_descriptor(fd, n, at);
    vm.io(data)
}

/// Reads into buffers, one after the other.
fn read_into(vm: &mut Vm, fd: i32, buffers: &Value, at: Option<u64>) -> R {
    let mut total = 0;
    for target in vm.collect(buffers)? {
        let room = buffer::view(vm, &target).map_or(0, <[u8]>::len);
        if !buffer::is_writable(&target) {
            return Err(vm.type_error(format!(
                "a read-write bytes-like object is required, not '{}'",
                vm.class_name(&target)
            )));
        }
        let data = read(vm, fd, room, at.map(|at| at + total as u64))?;
        if let Some(target) = buffer::view_mut(vm, &target) {
            target[..data.len()].copy_from_slice(&data);
        }
        total += data.len();
        if data.len() < room {
            break;
        }
    }
    Ok(Value::int(total as i64))
}

fn write_from(vm: &mut Vm, fd: i32, buffers: &Value, at: Option<u64>) -> R {
    let mut data = Vec::new();
    for source in vm.collect(buffers)? {
        data.extend(buffer::copy(vm, &source)?);
    }
    Ok(Value::int(write(vm, fd, &data, at)? as i64))
}

/// Copies from one descriptor to another; how many bytes.
fn copy(vm: &mut Vm, from: (i32, Option<u64>), to: (i32, Option<u64>), count: usize) -> R {
    let data = read(vm, from.0, count, from.1)?;
    Ok(Value::int(write(vm, to.0, &data, to.1)? as i64))
}

pub(super) static FUNCTIONS: &[Def] = &[
    Def::function("open", "(path, flags, mode=511, *, dir_fd=None)", open),
    Def::function("close", "(fd)", |vm, a| {
        let fd = vm.fd_arg(&a[0])?;
        let done = vm.files().close(fd);
        vm.io(done)?;
        Ok(Value::NONE)
    }),
    Def::function("closerange", "(fd_low, fd_high, /)", |vm, a| {
        let (low, high) = (vm.fd_arg(&a[0])?, vm.fd_arg(&a[1])?);
        // There are no more descriptors than this.
        for fd in low.max(0)..high.min(2048) {
            let _ = vm.files().close(fd);
        }
        Ok(Value::NONE)
    }),
    Def::function("read", "(fd, length, /)", |vm, a| {
        let fd = vm.fd_arg(&a[0])?;
        let n = size_arg(vm, &a[1])?;
        read(vm, fd, n, None).map(Bytes::value)
    }),
    Def::function("readinto", "(fd, buffer, /)", |vm, a| {
        let fd = vm.fd_arg(&a[0])?;
        let list = Tuple::value(vec![a[1].clone()]);
        if !buffer::is_buffer(&a[1]) || !buffer::is_writable(&a[1]) {
            return Err(vm.type_error(format!(
                "readinto() argument 2 must be read-write bytes-like object, not {}",
                vm.arg_class_name(&a[1])
            )));
        }
        read_into(vm, fd, &list, None)
    }),
    Def::function("pread", "(fd, length, offset, /)", |vm, a| {
        let fd = vm.fd_arg(&a[0])?;
        let (n, at) = (size_arg(vm, &a[1])?, offset_arg(vm, &a[2])?);
        read(vm, fd, n, Some(at)).map(Bytes::value)
    }),
    Def::function("readv", "(fd, buffers, /)", |vm, a| {
        let fd = vm.fd_arg(&a[0])?;
        read_into(vm, fd, &a[1], None)
    }),
    Def::function("preadv", "(fd, buffers, offset, flags=0, /)", |vm, a| {
        let fd = vm.fd_arg(&a[0])?;
        let at = offset_arg(vm, &a[2])?;
        read_into(vm, fd, &a[1], Some(at))
    }),
    Def::function("write", "(fd, data, /)", |vm, a| {
        let fd = vm.fd_arg(&a[0])?;
        let data = buffer::copy(vm, &a[1])?;
        Ok(Value::int(write(vm, fd, &data, None)? as i64))
    }),
    Def::function("pwrite", "(fd, buffer, offset, /)", |vm, a| {
        let fd = vm.fd_arg(&a[0])?;
        let data = buffer::copy(vm, &a[1])?;
        let at = offset_arg(vm, &a[2])?;
        Ok(Value::int(write(vm, fd, &data, Some(at))? as i64))
    }),
    Def::function("writev", "(fd, buffers, /)", |vm, a| {
        let fd = vm.fd_arg(&a[0])?;
        write_from(vm, fd, &a[1], None)
    }),
    Def::function("pwritev", "(fd, buffers, offset, flags=0, /)", |vm, a| {
        let fd = vm.fd_arg(&a[0])?;
        let at = offset_arg(vm, &a[2])?;
        write_from(vm, fd, &a[1], Some(at))
    }),
    Def::function("lseek", "(fd, position, whence, /)", |vm, a| {
        let fd = vm.fd_arg(&a[0])?;
        let (offset, whence) = (vm.index_i64(&a[1])?, vm.index_i64(&a[2])?);
        let at = vm.files().seek(fd, offset, whence);
        Ok(Value::int(vm.io(at)? as i64))
    }),
    Def::function("dup", "(fd, /)", |vm, a| {
        let fd = vm.fd_arg(&a[0])?;
        let new = vm.files().dup(fd, 0);
        Ok(Value::int(i64::from(vm.io(new)?)))
    }),
    Def::function("dup2", "(fd, fd2, inheritable=True)", |vm, a| {
        let (fd, to) = (vm.fd_arg(&a[0])?, vm.fd_arg(&a[1])?);
        let done = vm.files().dup_to(fd, to);
        vm.io(done)?;
        Ok(Value::int(i64::from(to)))
    }),
    Def::function("fstat", "(fd)", |vm, a| {
        let fd = vm.fd_arg(&a[0])?;
        let ino = vm.files().ino_of(fd);
        let ino = vm.io(ino)?;
        let facts = vm.files().stat(ino);
        stat_result::make(vm, &facts)
    }),
    Def::function("ftruncate", "(fd, length, /)", |vm, a| {
        let fd = vm.fd_arg(&a[0])?;
        let size = offset_arg(vm, &a[1])?;
        let done = vm.files().resize_open(fd, size);
        vm.io(done)?;
        Ok(Value::NONE)
    }),
    Def::function("posix_fallocate", "(fd, offset, length, /)", |vm, a| {
        let fd = vm.fd_arg(&a[0])?;
        let (at, n) = (offset_arg(vm, &a[1])?, offset_arg(vm, &a[2])?);
        let ino = vm.files().ino_of(fd);
        let ino = vm.io(ino)?;
        let end = at.saturating_add(n);
        if end > vm.files().stat(ino).size {
            let done = vm.files().resize_open(fd, end);
            vm.io(done)?;
        }
        Ok(Value::NONE)
    }),
    Def::function(
        "posix_fadvise",
        "(fd, offset, length, advice, /)",
        |vm, a| {
            let fd = vm.fd_arg(&a[0])?;
            check(vm, fd)
        },
    ),
    Def::function("fsync", "(fd)", |vm, a| {
        let fd = vm.fileno_arg(&a[0])?;
        check(vm, fd)
    }),
    Def::function("fdatasync", "(fd)", |vm, a| {
        let fd = vm.fileno_arg(&a[0])?;
        check(vm, fd)
    }),
    Def::function("isatty", "(fd, /)", |vm, a| {
        vm.fd_arg(&a[0])?;
        Ok(Value::FALSE)
    }),
    Def::function("ttyname", "(fd, /)", |vm, a| {
        let fd = vm.fd_arg(&a[0])?;
        check(vm, fd)?;
        Err(vm.os_error(errno::ENOTTY))
    }),
    Def::function("pipe", "()", |vm, _| {
        let made = vm.files().pipe();
        let (reader, writer) = vm.io(made)?;
        let int = |fd: i32| Value::int(i64::from(fd));
        Ok(Tuple::value(vec![int(reader), int(writer)]))
    }),
    Def::function("pipe2", "(flags, /)", |vm, a| {
        int_arg(vm, &a[0])?;
        let made = vm.files().pipe();
        let (reader, writer) = vm.io(made)?;
        let int = |fd: i32| Value::int(i64::from(fd));
        Ok(Tuple::value(vec![int(reader), int(writer)]))
    }),
    Def::function("get_inheritable", "(fd, /)", |vm, a| {
        let fd = vm.fd_arg(&a[0])?;
        check(vm, fd)?;
        Ok(Value::FALSE)
    }),
    Def::function("set_inheritable", "(fd, inheritable, /)", |vm, a| {
        let fd = vm.fd_arg(&a[0])?;
        check(vm, fd)
    }),
    Def::function("get_blocking", "(fd, /)", |vm, a| {
        let fd = vm.fd_arg(&a[0])?;
        check(vm, fd)?;
        Ok(Value::TRUE)
    }),
    Def::function("set_blocking", "(fd, blocking, /)", |vm, a| {
        let fd = vm.fd_arg(&a[0])?;
        check(vm, fd)
    }),
    Def::function(
        "splice",
        "(src, dst, count, offset_src=None, offset_dst=None, flags=0)",
        |vm, a| {
            let (from, to) = (vm.fd_arg(&a[0])?, vm.fd_arg(&a[1])?);
            let count = vm.index_i64(&a[2])?;
            if count < 0 {
                return Err(vm.value_error("negative value for 'count' not allowed"));
            }
            let place = |vm: &mut Vm, i: usize| match optional(a, i).filter(|v| !v.is_none()) {
                Some(v) => offset_arg(vm, v).map(Some),
                None => Ok(None),
            };
            let (from_at, to_at) = (place(vm, 3)?, place(vm, 4)?);
            // One of the two has to be a pipe.
            let mut pipe = false;
            for fd in [from, to] {
                let ino = vm.files().ino_of(fd);
                let ino = vm.io(ino)?;
                pipe |= vm.files().stat(ino).mode & 0o170_000 == 0o010_000;
            }
            if !pipe {
                return Err(vm.os_error(errno::EINVAL));
            }
            copy(
                vm,
                (from, from_at),
                (to, to_at),
                (count as usize).min(64 << 10),
            )
        },
    ),
    Def::function("device_encoding", "(fd)", |vm, a| {
        vm.fd_arg(&a[0])?;
        Ok(Value::NONE)
    }),
    Def::function("sendfile", "(out_fd, in_fd, offset, count)", |vm, a| {
        let (to, from) = (vm.fd_arg(&a[0])?, vm.fd_arg(&a[1])?);
        let at = if a[2].is_none() {
            None
        } else {
            Some(offset_arg(vm, &a[2])?)
        };
        let count = size_arg(vm, &a[3])?;
        copy(vm, (from, at), (to, None), count)
    }),
    Def::function(
        "copy_file_range",
        "(src, dst, count, offset_src=None, offset_dst=None)",
        |vm, a| {
            let (from, to) = (vm.fd_arg(&a[0])?, vm.fd_arg(&a[1])?);
            let count = vm.index_i64(&a[2])?;
            if count < 0 {
                return Err(vm.value_error("negative value for 'count' not allowed"));
            }
            let place = |vm: &mut Vm, i: usize| match optional(a, i).filter(|v| !v.is_none()) {
                Some(v) => offset_arg(vm, v).map(Some),
                None => Ok(None),
            };
            let (from_at, to_at) = (place(vm, 3)?, place(vm, 4)?);
            copy(
                vm,
                (from, from_at),
                (to, to_at),
                (count as usize).min(1 << 30),
            )
        },
    ),
    Def::function("get_terminal_size", "(fd=1, /)", |vm, a| {
        let fd = match optional(a, 0) {
            Some(v) => vm.fd_arg(v)?,
            None => 1,
        };
        // No descriptor is a terminal.
        let number = match vm.files().device_of(fd) {
            Ok(Some(Device::Stream(_))) | Ok(_) => errno::ENOTTY,
            Err(e) => e,
        };
        Err(vm.os_error(number))
    }),
];

/// `OSError` unless the descriptor is open.
fn check(vm: &mut Vm, fd: i32) -> R {
    let ino = vm.files().ino_of(fd);
    vm.io(ino)?;
    Ok(Value::NONE)
}
