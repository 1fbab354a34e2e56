//! Functions on paths.

use super::paths::{Accept, PathArg, Target};
use super::stat_result;
use crate::files::{Io, errno};
use crate::objects::exception::Exc;
use crate::objects::list::List;
use crate::objects::native::Def;
use crate::objects::string::Str;
use crate::objects::tuple::Tuple;
use crate::value::Value;
use crate::vm::args::optional;
use crate::vm::{R, Vm};

/// A flag that is true unless it was given.
fn flag(vm: &mut Vm, v: Option<&Value>, default: bool) -> R<bool> {
    v.map_or(Ok(default), |v| vm.truthy(v))
}

/// An operation on one path.
fn on_path(
    vm: &mut Vm,
    path: &PathArg,
    f: impl FnOnce(&mut crate::files::FileSystem, &[u8]) -> Io<()>,
) -> R {
    let done = f(vm.files(), path.path());
    vm.io_about(done, path)?;
    Ok(Value::NONE)
}

/// An operation on two paths.
fn on_paths(
    vm: &mut Vm,
    from: &PathArg,
    to: &PathArg,
    f: impl FnOnce(&mut crate::files::FileSystem, &[u8], &[u8]) -> Io<()>,
) -> R {
    match f(vm.files(), from.path(), to.path()) {
        Ok(()) => Ok(Value::NONE),
        Err(e) => Err(vm.os_error_about(e, Some(&from.shown), Some(&to.shown))),
    }
}

fn mode_arg(vm: &mut Vm, v: Option<&Value>, default: u32) -> R<u32> {
    match v {
        None => Ok(default),
        Some(v) => Ok(int_arg(vm, v)? as u32),
    }
}

/// A number that fits a C `int`.
pub(super) fn int_arg(vm: &mut Vm, v: &Value) -> R<i32> {
    let i = vm.index(v)?;
    match i.as_int().and_then(|i| i.to_i64()) {
        Some(n) if i32::try_from(n).is_ok() => Ok(n as i32),
        _ => Err(vm.overflow_error("Python int too large to convert to C int")),
    }
}

fn stat(vm: &mut Vm, a: &[Value]) -> R {
    let path = vm.path_arg(optional(a, 0), "stat", "path", Accept::PathOrFd)?;
    let at = vm.dir_fd_arg(optional(a, 1))?;
    let follow = flag(vm, optional(a, 2), true)?;
    if let Target::Descriptor(_) = path.target {
        if at.is_some() {
            return Err(vm.value_error("stat: can't specify dir_fd without matching path"));
        }
        if !follow {
            return Err(vm.value_error("stat: cannot use fd and follow_symlinks together"));
        }
    }
    let ino = vm.find_file(&path, at, follow)?;
    let facts = vm.files().stat(ino);
    stat_result::make(vm, &facts)
}

fn rename(vm: &mut Vm, a: &[Value], function: &str) -> R {
    let from = vm.path_arg(optional(a, 0), function, "src", Accept::Path)?;
    let to = vm.path_arg(optional(a, 1), function, "dst", Accept::Path)?;
    let (from_at, to_at) = (
        vm.dir_fd_arg(optional(a, 2))?,
        vm.dir_fd_arg(optional(a, 3))?,
    );
    on_paths(vm, &from, &to, |files, from, to| {
        files.rename(from_at, from, to_at, to)
    })
}

fn unlink(vm: &mut Vm, a: &[Value], function: &str) -> R {
    let path = vm.path_arg(optional(a, 0), function, "path", Accept::Path)?;
    let at = vm.dir_fd_arg(optional(a, 1))?;
    on_path(vm, &path, |files, p| files.unlink(at, p))
}

/// The names in a directory as values.
fn list_dir(vm: &mut Vm, a: &[Value]) -> R {
    let path = vm.path_arg(optional(a, 0), "listdir", "path", Accept::Any)?;
    let ino = vm.find_directory(&path)?;
    let list = vm.files().list(ino);
    let list = vm.io_about(list, &path)?;
    let mut names = Vec::with_capacity(list.len());
    for (name, _) in list {
        names.push(vm.fs_decode(&name, path.bytes)?);
    }
    Ok(List::value(names))
}

fn chmod(vm: &mut Vm, path: &PathArg, mode: u32, at: Option<i32>, follow: bool) -> R {
    let ino = vm.find_file(path, at, follow)?;
    vm.files().chmod(ino, mode);
    Ok(Value::NONE)
}

const NANOS: i64 = 1_000_000_000;

/// A time in seconds as nanoseconds.
fn nanoseconds(vm: &mut Vm, v: &Value) -> R<i64> {
    let too_large = "timestamp out of range for platform time_t";
    if v.as_any_float().is_some() {
        let seconds = vm.to_double(v)?;
        if seconds.is_nan() {
            return Err(vm.value_error("Invalid value NaN (not a number)"));
        }
        let whole = seconds.floor();
        if whole.abs() >= 9.2e9 {
            return Err(vm.overflow_error(too_large));
        }
        let rest = ((seconds - whole) * 1e9).floor();
        return Ok(whole as i64 * NANOS + rest as i64);
    }
    let seconds = vm.index_i64(v)?;
    match seconds.checked_mul(NANOS) {
        Some(ns) => Ok(ns),
        None => Err(vm.overflow_error(too_large)),
    }
}

fn utime(vm: &mut Vm, a: &[Value]) -> R {
    let path = vm.path_arg(optional(a, 0), "utime", "path", Accept::PathOrFd)?;
    let times = optional(a, 1).filter(|v| !v.is_none()).cloned();
    let ns = optional(a, 2).cloned();
    let at = vm.dir_fd_arg(optional(a, 3))?;
    let follow = flag(vm, optional(a, 4), true)?;
    if times.is_some() && ns.is_some() {
        return Err(vm.value_error("utime: you may specify either 'times' or 'ns' but not both"));
    }
    let pair = |v: &Value| match v.as_ref::<Tuple>().map(|t| t.items()) {
        Some([first, second]) => Some((first.clone(), second.clone())),
        _ => None,
    };
    let pair = match (&times, &ns) {
        (Some(v), _) => match pair(v) {
            Some((a, m)) => Some((nanoseconds(vm, &a)?, nanoseconds(vm, &m)?)),
            None => {
                return Err(
                    vm.type_error("utime: 'times' must be either a tuple of two ints or None")
                );
            }
        },
        (None, Some(v)) => match pair(v) {
            Some((a, m)) => Some((vm.index_i64(&a)?, vm.index_i64(&m)?)),
            None => return Err(vm.type_error("utime: 'ns' must be a tuple of two ints")),
        },
        (None, None) => None,
    };
    if let Target::Descriptor(_) = path.target {
        if at.is_some() {
            return Err(vm.value_error("utime: can't specify dir_fd without matching path"));
        }
        if !follow {
            return Err(vm.value_error("utime: cannot use fd and follow_symlinks together"));
        }
    }
    let ino = vm.find_file(&path, at, follow)?;
    let files = vm.files();
    let (accessed, modified) = pair.unwrap_or((files.time(), files.time()));
    files.set_times(ino, accessed, modified);
    Ok(Value::NONE)
}

fn truncate(vm: &mut Vm, path: &PathArg, size: &Value) -> R {
    let size = vm.index_i64(size)?;
    if size < 0 {
        return Err(vm.os_error_about(errno::EINVAL, Some(&path.shown), None));
    }
    let done = match path.target {
        Target::Descriptor(fd) => vm.files().resize_open(fd, size as u64),
        Target::Path(_) => {
            let ino = vm.find_file(path, None, true)?;
            if vm.files().may_access(ino, 2) {
                vm.files().resize(ino, size as u64)
            } else {
                Err(errno::EACCES)
            }
        }
    };
    match path.target {
        Target::Descriptor(_) => vm.io(done)?,
        Target::Path(_) => vm.io_about(done, path)?,
    }
    Ok(Value::NONE)
}

pub(super) static FUNCTIONS: &[Def] = &[
    Def::function("stat", "(path, *, dir_fd=None, follow_symlinks=True)", stat),
    Def::function("lstat", "(path, *, dir_fd=None)", |vm, a| {
        let path = vm.path_arg(optional(a, 0), "lstat", "path", Accept::Path)?;
        let at = vm.dir_fd_arg(optional(a, 1))?;
        let ino = vm.find_file(&path, at, false)?;
        let facts = vm.files().stat(ino);
        stat_result::make(vm, &facts)
    }),
    Def::function(
        "access",
        "(path, mode, *, dir_fd=None, effective_ids=False, follow_symlinks=True)",
        |vm, a| {
            let path = vm.path_arg(optional(a, 0), "access", "path", Accept::Path)?;
            let mode = int_arg(vm, &a[1])?;
            let at = vm.dir_fd_arg(optional(a, 2))?;
            let follow = flag(vm, optional(a, 4), true)?;
            let files = vm.files();
            Ok(Value::bool(
                files
                    .lookup(at, path.path(), follow)
                    .is_ok_and(|ino| files.may_access(ino, mode as u32)),
            ))
        },
    ),
    Def::function("listdir", "(path=None)", list_dir),
    Def::function("mkdir", "(path, mode=511, *, dir_fd=None)", |vm, a| {
        let path = vm.path_arg(optional(a, 0), "mkdir", "path", Accept::Path)?;
        let mode = mode_arg(vm, optional(a, 1), 0o777)?;
        let at = vm.dir_fd_arg(optional(a, 2))?;
        on_path(vm, &path, |files, p| files.mkdir(at, p, mode))
    }),
    Def::function("mkfifo", "(path, mode=438, *, dir_fd=None)", |vm, a| {
        let path = vm.path_arg(optional(a, 0), "mkfifo", "path", Accept::Path)?;
        let mode = mode_arg(vm, optional(a, 1), 0o666)?;
        let at = vm.dir_fd_arg(optional(a, 2))?;
        on_path(vm, &path, |files, p| files.mkfifo(at, p, mode))
    }),
    Def::function("rmdir", "(path, *, dir_fd=None)", |vm, a| {
        let path = vm.path_arg(optional(a, 0), "rmdir", "path", Accept::Path)?;
        let at = vm.dir_fd_arg(optional(a, 1))?;
        on_path(vm, &path, |files, p| files.rmdir(at, p))
    }),
    Def::function("unlink", "(path, *, dir_fd=None)", |vm, a| {
        unlink(vm, a, "unlink")
    }),
    Def::function("remove", "(path, *, dir_fd=None)", |vm, a| {
        unlink(vm, a, "remove")
    }),
    Def::function(
        "rename",
        "(src, dst, *, src_dir_fd=None, dst_dir_fd=None)",
        |vm, a| rename(vm, a, "rename"),
    ),
    Def::function(
        "replace",
        "(src, dst, *, src_dir_fd=None, dst_dir_fd=None)",
        |vm, a| rename(vm, a, "replace"),
    ),
    Def::function(
        "link",
        "(src, dst, *, src_dir_fd=None, dst_dir_fd=None, follow_symlinks=True)",
        |vm, a| {
            let from = vm.path_arg(optional(a, 0), "link", "src", Accept::Path)?;
            let to = vm.path_arg(optional(a, 1), "link", "dst", Accept::Path)?;
            let (from_at, to_at) = (
                vm.dir_fd_arg(optional(a, 2))?,
                vm.dir_fd_arg(optional(a, 3))?,
            );
            let follow = flag(vm, optional(a, 4), true)?;
            on_paths(vm, &from, &to, |files, from, to| {
                files.link(from_at, from, to_at, to, follow)
            })
        },
    ),
    Def::function(
        "symlink",
        "(src, dst, target_is_directory=False, *, dir_fd=None)",
        |vm, a| {
            let from = vm.path_arg(optional(a, 0), "symlink", "src", Accept::Path)?;
            let to = vm.path_arg(optional(a, 1), "symlink", "dst", Accept::Path)?;
            let at = vm.dir_fd_arg(optional(a, 3))?;
            on_paths(vm, &from, &to, |files, from, to| {
                files.symlink(from, at, to)
            })
        },
    ),
    Def::function("readlink", "(path, *, dir_fd=None)", |vm, a| {
        let path = vm.path_arg(optional(a, 0), "readlink", "path", Accept::Path)?;
        let at = vm.dir_fd_arg(optional(a, 1))?;
        let target = vm.files().readlink(at, path.path());
        let target = vm.io_about(target, &path)?;
        vm.fs_decode(&target, path.bytes)
    }),
    Def::function(
        "chmod",
        "(path, mode, *, dir_fd=None, follow_symlinks=True)",
        |vm, a| {
            let path = vm.path_arg(optional(a, 0), "chmod", "path", Accept::PathOrFd)?;
            let mode = int_arg(vm, &a[1])? as u32;
            let at = vm.dir_fd_arg(optional(a, 2))?;
            let follow = flag(vm, optional(a, 3), true)?;
            if !follow {
                return Err(
                    vm.not_implemented_error("chmod: follow_symlinks unavailable on this platform")
                );
            }
            chmod(vm, &path, mode, at, follow)
        },
    ),
    Def::function("fchmod", "(fd, mode)", |vm, a| {
        let fd = vm.fileno_arg(&a[0])?;
        let mode = int_arg(vm, &a[1])? as u32;
        let ino = vm.files().ino_of(fd);
        let ino = vm.io(ino)?;
        vm.files().chmod(ino, mode);
        Ok(Value::NONE)
    }),
    Def::function(
        "utime",
        "(path, times=None, *, ns=None, dir_fd=None, follow_symlinks=True)",
        utime,
    ),
    Def::function("truncate", "(path, length)", |vm, a| {
        let path = vm.path_arg(optional(a, 0), "truncate", "path", Accept::PathOrFd)?;
        truncate(vm, &path, &a[1])
    }),
    Def::function("chdir", "(path)", |vm, a| {
        let path = vm.path_arg(optional(a, 0), "chdir", "path", Accept::PathOrFd)?;
        let ino = vm.find_file(&path, None, true)?;
        let done = vm.files().chdir(ino);
        vm.io_about(done, &path)?;
        Ok(Value::NONE)
    }),
    Def::function("fchdir", "(fd)", |vm, a| {
        let fd = vm.fileno_arg(&a[0])?;
        let ino = vm.files().ino_of(fd);
        let ino = vm.io(ino)?;
        let done = vm.files().chdir(ino);
        vm.io(done)?;
        Ok(Value::NONE)
    }),
    Def::function("getcwd", "()", |vm, _| {
        let path = vm.files().working_directory();
        let path = vm.io(path)?;
        vm.fs_decode(&path, false)
    }),
    Def::function("getcwdb", "()", |vm, _| {
        let path = vm.files().working_directory();
        let path = vm.io(path)?;
        vm.fs_decode(&path, true)
    }),
    Def::function("statvfs", "(path)", |vm, a| {
        let path = vm.path_arg(optional(a, 0), "statvfs", "path", Accept::PathOrFd)?;
        vm.find_file(&path, None, true)?;
        stat_result::file_system(vm)
    }),
    Def::function("fstatvfs", "(fd, /)", |vm, a| {
        let fd = vm.fd_arg(&a[0])?;
        let ino = vm.files().ino_of(fd);
        vm.io(ino)?;
        stat_result::file_system(vm)
    }),
    Def::function("umask", "(mask, /)", |vm, a| {
        let mask = int_arg(vm, &a[0])?;
        Ok(Value::int(i64::from(vm.files().umask(mask as u32))))
    }),
    Def::function("fspath", "(path)", |vm, a| vm.fs_path(&a[0])),
    Def::function("sync", "()", |_, _| Ok(Value::NONE)),
    Def::function("_path_exists", "(path)", |vm, a| test(vm, &a[0], |_| true)),
    Def::function("_path_lexists", "(path)", |vm, a| {
        test_with(vm, &a[0], false, |_| true)
    }),
    Def::function("_path_isdir", "(s)", |vm, a| {
        test(vm, &a[0], |mode| mode & 0o170_000 == 0o040_000)
    }),
    Def::function("_path_isfile", "(path)", |vm, a| {
        test(vm, &a[0], |mode| mode & 0o170_000 == 0o100_000)
    }),
    Def::function("_path_islink", "(path)", |vm, a| {
        test_with(vm, &a[0], false, |mode| mode & 0o170_000 == 0o120_000)
    }),
    Def::function("_path_normpath", "(path)", |vm, a| {
        let path = vm.path_arg(optional(a, 0), "normpath", "path", Accept::Path);
        let path = match path {
            Ok(path) => path,
            Err(raised) if vm.error_is(Exc::ValueError) => {
                // Not a path that could be opened, but text that can be normalized.
                vm.swallow(raised, Exc::ValueError)?;
                let v = vm.fs_path(&a[0])?;
                PathArg {
                    target: Target::Path(vm.fs_encode(&v)?),
                    bytes: !v.is::<Str>(),
                    shown: v,
                }
            }
            Err(raised) => return Err(raised),
        };
        let made = normal(path.path());
        vm.fs_decode(&made, path.bytes)
    }),
];

/// The path without empty names, `.`, and names that `..` takes back.
fn normal(path: &[u8]) -> Vec<u8> {
    // POSIX gives exactly two slashes at the beginning a meaning of their own.
    let slashes = match path.iter().take_while(|b| **b == b'/').count() {
        0 => 0,
        2 => 2,
        _ => 1,
    };
    let mut names: Vec<&[u8]> = Vec::new();
    for name in path.split(|b| *b == b'/') {
        match name {
            b"" | b"." => {}
            b".." if names.last().is_some_and(|last| *last != b"..") => {
                names.pop();
            }
            b".." if slashes > 0 && names.is_empty() => {}
            _ => names.push(name),
        }
    }
    let mut made = vec![b'/'; slashes];
    made.extend(names.join(&b'/'));
    if made.is_empty() {
        made.push(b'.');
    }
    made
}

fn test(vm: &mut Vm, v: &Value, is: impl FnOnce(u32) -> bool) -> R {
    test_with(vm, v, true, is)
}

/// Whether a path (or descriptor) names something of a kind. What cannot be a path names nothing.
fn test_with(vm: &mut Vm, v: &Value, follow: bool, is: impl FnOnce(u32) -> bool) -> R {
    let accept = if follow {
        Accept::PathOrFd
    } else {
        Accept::Path
    };
    let path = match vm.path_arg(Some(v), "stat", "path", accept) {
        Ok(path) => path,
        Err(raised) => {
            vm.swallow(raised, Exc::ValueError)?;
            return Ok(Value::FALSE);
        }
    };
    let files = vm.files();
    let found = match &path.target {
        Target::Descriptor(fd) => files.ino_of(*fd),
        Target::Path(p) => files.lookup(None, p, follow),
    };
    Ok(Value::bool(found.is_ok_and(|ino| is(files.stat(ino).mode))))
}
