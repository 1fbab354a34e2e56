//! `posix`: the operating system of a session, which is its files ([`tree`], [`descriptors`], [`scandir`]) and the little that there is of a process
//! ([`process`]). The public module `os` is the library's own.

mod descriptors;
pub(crate) mod paths;
mod process;
mod scandir;
mod stat_result;
mod tree;

use crate::files::errno;
use crate::heap::{Payload, Ref};
use crate::objects::dict::Dict;
use crate::objects::exception::Exc;
use crate::objects::list::List;
use crate::objects::module::Module;
use crate::objects::native::{Def, Native};
use crate::objects::string::Str;
use crate::value::Value;
use crate::vm::Vm;

/// What the functions of `os` can do, in the names of the C functions behind them.
const ABILITIES: &[&str] = &[
    "HAVE_FACCESSAT",
    "HAVE_FCHDIR",
    "HAVE_FCHMOD",
    "HAVE_FCHMODAT",
    "HAVE_FDOPENDIR",
    "HAVE_FSTATAT",
    "HAVE_FSTATVFS",
    "HAVE_FTRUNCATE",
    "HAVE_FUTIMENS",
    "HAVE_LINKAT",
    "HAVE_LSTAT",
    "HAVE_MKDIRAT",
    "HAVE_MKFIFOAT",
    "HAVE_OPENAT",
    "HAVE_READLINKAT",
    "HAVE_RENAMEAT",
    "HAVE_SYMLINKAT",
    "HAVE_UNLINKAT",
    "HAVE_UTIMENSAT",
];

/// Numbers.
const NUMBERS: &[(&str, i64)] = &[
    ("F_OK", 0),
    ("X_OK", 1),
    ("W_OK", 2),
    ("R_OK", 4),
    ("SEEK_DATA", 3),
    ("SEEK_HOLE", 4),
    ("GRND_RANDOM", 2),
    ("GRND_NONBLOCK", 1),
    ("TMP_MAX", 238_328),
    ("NGROUPS_MAX", 65536),
    ("EX_OK", 0),
    ("EX_USAGE", 64),
    ("EX_DATAERR", 65),
    ("EX_NOINPUT", 66),
    ("EX_NOUSER", 67),
    ("EX_NOHOST", 68),
    ("EX_UNAVAILABLE", 69),
    ("EX_SOFTWARE", 70),
    ("EX_OSERR", 71),
    ("EX_OSFILE", 72),
    ("EX_CANTCREAT", 73),
    ("EX_IOERR", 74),
    ("EX_TEMPFAIL", 75),
    ("EX_PROTOCOL", 76),
    ("EX_NOPERM", 77),
    ("EX_CONFIG", 78),
    ("POSIX_FADV_NORMAL", 0),
    ("POSIX_FADV_RANDOM", 1),
    ("POSIX_FADV_SEQUENTIAL", 2),
    ("POSIX_FADV_WILLNEED", 3),
    ("POSIX_FADV_DONTNEED", 4),
    ("POSIX_FADV_NOREUSE", 5),
];

/// Makes the module.
pub(crate) fn module(vm: &mut Vm) -> Ref<Module> {
    scandir::init(vm);
    let m = Module::native(vm, "posix", "", tree::FUNCTIONS);
    let name = Str::value("posix");
    let more: [&'static [Def]; 4] = [
        descriptors::FUNCTIONS,
        scandir::FUNCTIONS,
        process::FUNCTIONS,
        &process::REFUSED,
    ];
    for def in more.into_iter().flatten() {
        let f = Native::function(def, name.clone());
        m.set(vm, def.name, f);
    }
    for (name, number) in NUMBERS.iter().chain(descriptors::FLAGS) {
        m.set(vm, name, Value::int(*number));
    }
    let abilities = List::value(ABILITIES.iter().map(|s| Str::value(s)).collect());
    m.set(vm, "_have_functions", abilities);
    m.set(vm, "error", Exc::OSError.class().to_value());
    let class = stat_result::class(vm);
    m.set(vm, "stat_result", class.to_value());
    let class = stat_result::file_system_class(vm);
    m.set(vm, "statvfs_result", class.to_value());
    let class = scandir::DirEntry::class().to_value();
    m.set(vm, "DirEntry", class);
    process::add(vm, &m);
    m
}

/// Makes the module `errno`: the numbers of errors.
pub(crate) fn errno_module(vm: &mut Vm) -> Ref<Module> {
    let m = Module::native(vm, "errno", "", &[]);
    let names = Dict::new();
    for (number, name, _) in errno::ALL {
        let number = Value::int(i64::from(*number));
        m.set(vm, name, number.clone());
        // A number cannot fail to hash.
        let _ = names.set_item(vm, &number, Str::value(name));
    }
    for (name, number) in [("EWOULDBLOCK", 11), ("EDEADLOCK", 35), ("EOPNOTSUPP", 95)] {
        m.set(vm, name, Value::small_int(number));
    }
    m.set(vm, "errorcode", names.to_value());
    m
}
