//! What there is of a process: an environment that is the session's own, neutral numbers, and refusals that name what is refused.

use super::tree::int_arg;
use crate::files::errno;
use crate::heap::Ref;
use crate::objects::bytes::Bytes;
use crate::objects::dict::Dict;
use crate::objects::exception::Exc;
use crate::objects::list::List;
use crate::objects::module::Module;
use crate::objects::native::Def;
use crate::objects::string::Str;
use crate::objects::struct_seq::{self, Layout};
use crate::objects::tuple::Tuple;
use crate::value::Value;
use crate::vm::{R, Vm};

/// Most random bytes for one call.
const MAX_RANDOM: i64 = 1 << 24;

fn random(vm: &mut Vm, size: &Value) -> R {
    let n = vm.index_i64(size)?;
    if n < 0 {
        return Err(vm.value_error("negative argument not allowed"));
    }
    if n > MAX_RANDOM {
        return Err(vm.memory_error());
    }
    Ok(Bytes::value(vm.host.entropy(n as usize)))
}

/// Refuses what a sandbox has no room for.
fn refuse(vm: &mut Vm, function: &str) -> R {
    let class = Exc::PermissionError.class().to_value();
    let text = format!("os.{function}() is not possible in the sandbox");
    let number = Value::small_int(i64::from(errno::EPERM.0));
    let e = vm.call(&class, &[number, Str::value(&text)])?;
    Err(vm.raise_value(e))
}

macro_rules! refused {
    ($($name:literal)*) => {
        [$(Def::raw_function($name, "(*args, **kwargs)", |vm, _| refuse(vm, $name)),)*]
    };
}

/// Functions that exist to say no.
pub(super) static REFUSED: [Def; 3] = refused!("system" "kill" "abort");

/// Checks the arguments of a program that would be run, and refuses.
fn exec(vm: &mut Vm, a: &[Value], function: &str) -> R {
    vm.path_arg(a.first(), function, "path", super::paths::Accept::PathOrFd)?;
    let arguments = if let Some(t) = a[1].as_ref::<Tuple>() {
        t.items().to_vec()
    } else if let Some(l) = a[1].as_ref::<List>() {
        l.items.get(vm).to_vec()
    } else {
        return Err(vm.type_error(format!("{function}() arg 2 must be a tuple or list")));
    };
    let Some(first) = arguments.first() else {
        return Err(vm.value_error(format!("{function}() arg 2 must not be empty")));
    };
    let first = vm.fs_path(first)?;
    if vm.fs_encode(&first)?.is_empty() {
        return Err(vm.value_error(format!("{function}() arg 2 first element cannot be empty")));
    }
    if let Some(environment) = a.get(2) {
        let keys = vm.get_attr_opt(environment, &Str::value("keys"))?;
        let Some(keys) = keys else {
            return Err(vm.type_error(format!("{function}: environment must be a mapping object")));
        };
        let keys = vm.call(&keys, &[])?;
        for key in vm.collect(&keys)? {
            name_of_variable(vm, &key)?;
            let value = vm.get_item(environment, &key)?;
            variable(vm, &value)?;
        }
    }
    refuse(vm, function)
}

/// A number of a user or group; -1 means "as it is".
fn identity(vm: &mut Vm, v: &Value, what: &str) -> R<i64> {
    if !crate::objects::sequence::is_index(v) {
        return Err(vm.type_error(format!(
            "{what} should be integer, not {}",
            vm.class_name(v)
        )));
    }
    match vm.index_clamped(v)? {
        n if n < -1 => Err(vm.overflow_error(format!("{what} is less than minimum"))),
        n if n > i64::from(u32::MAX) => {
            Err(vm.overflow_error(format!("{what} is greater than maximum")))
        }
        n => Ok(n),
    }
}

/// Becomes another user, which only the same one may.
fn become_user(vm: &mut Vm, a: &[Value], what: &str) -> R {
    for v in a {
        let id = identity(vm, v, what)?;
        if id != -1 && id != super::stat_result::USER {
            return Err(vm.os_error(errno::EPERM));
        }
    }
    Ok(Value::NONE)
}

/// Gives a file to another user, which only root may.
fn chown(vm: &mut Vm, a: &[Value], function: &str, follow: bool) -> R {
    let accept = if function == "chown" {
        super::paths::Accept::PathOrFd
    } else {
        super::paths::Accept::Path
    };
    let path = vm.path_arg(a.first(), function, "path", accept)?;
    let ids = [identity(vm, &a[1], "uid")?, identity(vm, &a[2], "gid")?];
    vm.find_file(&path, None, follow)?;
    if ids
        .iter()
        .any(|id| *id != -1 && *id != super::stat_result::USER)
    {
        return Err(vm.os_error_about(errno::EPERM, Some(&path.shown), None));
    }
    Ok(Value::NONE)
}

/// Checks a variable of the environment; what `os.environ` keeps is the dictionary that it got.
fn variable(vm: &mut Vm, v: &Value) -> R<Vec<u8>> {
    let v = vm.fs_path(v)?;
    let data = vm.fs_encode(&v)?;
    if data.contains(&0) {
        return Err(vm.value_error(if v.is::<Str>() {
            "embedded null byte"
        } else {
            "embedded null character"
        }));
    }
    Ok(data)
}

fn name_of_variable(vm: &mut Vm, v: &Value) -> R<()> {
    let name = variable(vm, v)?;
    if name.is_empty() {
        return Err(vm.os_error(errno::EINVAL));
    }
    if name.contains(&b'=') {
        return Err(vm.value_error("illegal environment variable name"));
    }
    Ok(())
}

fn number(n: i64) -> R {
    Ok(Value::int(n))
}

pub(super) static FUNCTIONS: &[Def] = &[
    Def::function("urandom", "(size, /)", |vm, a| random(vm, &a[0])),
    Def::function("getrandom", "(size, flags=0)", |vm, a| {
        if vm.index_i64(&a[0])? < 0 {
            return Err(vm.os_error(errno::EINVAL));
        }
        random(vm, &a[0])
    }),
    Def::function("putenv", "(name, value, /)", |vm, a| {
        name_of_variable(vm, &a[0])?;
        variable(vm, &a[1])?;
        Ok(Value::NONE)
    }),
    Def::function("unsetenv", "(name, /)", |vm, a| {
        name_of_variable(vm, &a[0])?;
        Ok(Value::NONE)
    }),
    Def::function("_create_environ", "()", |vm, _| Ok(environment(vm))),
    Def::function("getpid", "()", |_, _| number(1)),
    Def::function("getppid", "()", |_, _| number(0)),
    Def::function("getpgrp", "()", |_, _| number(1)),
    Def::function("getuid", "()", |_, _| number(super::stat_result::USER)),
    Def::function("geteuid", "()", |_, _| number(super::stat_result::USER)),
    Def::function("getgid", "()", |_, _| number(super::stat_result::USER)),
    Def::function("getegid", "()", |_, _| number(super::stat_result::USER)),
    Def::function("getgroups", "()", |_, _| {
        Ok(List::value(vec![Value::int(super::stat_result::USER)]))
    }),
    Def::function("setuid", "(uid, /)", |vm, a| become_user(vm, a, "uid")),
    Def::function("seteuid", "(euid, /)", |vm, a| become_user(vm, a, "uid")),
    Def::function("setgid", "(gid, /)", |vm, a| become_user(vm, a, "gid")),
    Def::function("setegid", "(egid, /)", |vm, a| become_user(vm, a, "gid")),
    Def::function("setreuid", "(ruid, euid, /)", |vm, a| {
        become_user(vm, a, "uid")
    }),
    Def::function("setregid", "(rgid, egid, /)", |vm, a| {
        become_user(vm, a, "gid")
    }),
    Def::function("lchown", "(path, uid, gid)", |vm, a| {
        chown(vm, a, "lchown", false)
    }),
    Def::function(
        "chown",
        "(path, uid, gid, *, dir_fd=None, follow_symlinks=True)",
        |vm, a| {
            let follow = match crate::vm::args::optional(a, 4) {
                Some(v) => vm.truthy(v)?,
                None => true,
            };
            chown(vm, a, "chown", follow)
        },
    ),
    Def::function("execv", "(path, argv, /)", |vm, a| exec(vm, a, "execv")),
    Def::function("execve", "(path, argv, env)", |vm, a| exec(vm, a, "execve")),
    Def::function("getlogin", "()", |vm, _| Err(vm.os_error(errno::ENXIO))),
    Def::function("cpu_count", "()", |_, _| number(1)),
    Def::function("strerror", "(code, /)", |vm, a| {
        let code = int_arg(vm, &a[0])?;
        Ok(Str::value(&errno::text(code)))
    }),
    Def::function("uname", "()", |vm, _| {
        let class = struct_seq::with_layout(vm, "posix", "uname_result", &UNAME, None);
        let items = ["WASI", "sandbox", "0.2", "coldframe", "wasm32"];
        let items = items.map(Str::value).to_vec();
        struct_seq::instance(vm, &class, items, Vec::new())
    }),
    Def::function("times", "()", |vm, _| {
        let class = struct_seq::with_layout(vm, "posix", "times_result", &TIMES, None);
        let elapsed = vm.host.monotonic_clock() as f64 / 1e9;
        let items = [elapsed, 0.0, 0.0, 0.0, elapsed].map(Value::float).to_vec();
        struct_seq::instance(vm, &class, items, Vec::new())
    }),
    Def::function("_exit", "(status)", |vm, a| {
        // There is no process that could end without its program hearing of it.
        let status = int_arg(vm, &a[0])?;
        let class = Exc::SystemExit.class().to_value();
        let e = vm.call(&class, &[Value::int(i64::from(status))])?;
        Err(vm.raise_value(e))
    }),
    Def::function("waitstatus_to_exitcode", "(status)", |vm, a| {
        let status = int_arg(vm, &a[0])?;
        let signal = status & 0x7f;
        if signal == 0 {
            number(i64::from(status >> 8 & 0xff))
        } else if signal == 0x7f {
            Err(vm.value_error(format!(
                "process stopped by delivery of signal {}",
                status >> 8 & 0xff
            )))
        } else {
            number(i64::from(-signal))
        }
    }),
    Def::function(
        "register_at_fork",
        "(*, before=None, after_in_child=None, after_in_parent=None)",
        |vm, a| {
            // Kept in mind by nobody: nothing forks.
            if a.iter().all(Value::is_undef) {
                return Err(vm.type_error("At least one argument is required."));
            }
            match a
                .iter()
                .find(|v| !v.is_undef() && crate::vm::ops::class_of(v).slots().call.is_none())
            {
                Some(v) => {
                    let name = vm.class_name(v);
                    Err(vm.type_error(format!("'{name}' object is not callable")))
                }
                None => Ok(Value::NONE),
            }
        },
    ),
];

static UNAME: Layout = Layout {
    items: &["sysname", "nodename", "release", "version", "machine"],
    hidden: &[],
};
static TIMES: Layout = Layout {
    items: &[
        "user",
        "system",
        "children_user",
        "children_system",
        "elapsed",
    ],
    hidden: &[],
};
static TERMINAL: Layout = Layout {
    items: &["columns", "lines"],
    hidden: &[],
};

/// The environment that programs start with.
fn environment(vm: &mut Vm) -> Value {
    let dict = Dict::new();
    for (name, value) in [
        ("HOME", crate::files::HOME),
        ("PATH", "/usr/local/bin:/usr/bin:/bin"),
        ("PWD", crate::files::HOME),
    ] {
        let bytes = |s: &str| Bytes::value(s.as_bytes().to_vec());
        // A `bytes` key cannot fail to hash.
        let _ = dict.set_item(vm, &bytes(name), bytes(value));
    }
    dict.to_value()
}

/// Adds what is not a function.
pub(super) fn add(vm: &mut Vm, m: &Ref<Module>) {
    let environment = environment(vm);
    m.set(vm, "environ", environment);
    let class = struct_seq::with_layout(vm, "os", "terminal_size", &TERMINAL, None);
    m.set(vm, "terminal_size", class.to_value());
}
