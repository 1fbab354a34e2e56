//! The constants of `sys`: versions, limits, flags, lists of modules.

use super::record;
use crate::heap::Ref;
use crate::objects::dict::Dict;
use crate::objects::list::List;
use crate::objects::module::Module;
use crate::objects::namespace;
use crate::objects::string::Str;
use crate::objects::struct_seq;
use crate::objects::tuple::Tuple;
use crate::value::Value;
use crate::vm::Vm;

const HEX_VERSION: i64 = 0x030E_00F0;

fn ints(list: &[i64]) -> Vec<Value> {
    list.iter().map(|&i| Value::int(i)).collect()
}

/// Adds them to the module.
pub(super) fn add(vm: &mut Vm, m: &Ref<Module>) {
    let mut version = ints(&[3, 14, 0]);
    version.extend([Str::value("final"), Value::small_int(0)]);
    let version = record(
        vm,
        "version_info",
        &["major", "minor", "micro", "releaselevel", "serial"],
        version,
    );
    m.set(vm, "version_info", version.clone());
    m.set(vm, "hexversion", Value::int(HEX_VERSION));
    m.set(vm, "api_version", Value::small_int(1013));
    m.set(vm, "maxsize", Value::int(i64::MAX));
    m.set(vm, "maxunicode", Value::small_int(0x10FFFF));
    m.set(vm, "dont_write_bytecode", Value::TRUE);
    m.set(vm, "pycache_prefix", Value::NONE);
    for (name, text) in [
        (
            "version",
            "3.14.0 (coldframe, Oct  7 2025, 00:00:00) [Rust]",
        ),
        (
            "copyright",
            "The sandbox is by the authors of coldframe. The library: Copyright (c) Python Software Foundation.",
        ),
        ("platform", "wasi"),
        ("byteorder", "little"),
        ("executable", ""),
        ("_base_executable", ""),
        ("prefix", "/"),
        ("exec_prefix", "/"),
        ("base_prefix", "/"),
        ("base_exec_prefix", "/"),
        ("platlibdir", "lib"),
        ("_stdlib_dir", "/lib/python3.14"),
        ("abiflags", ""),
        ("float_repr_style", "short"),
        ("_framework", ""),
    ] {
        m.set(vm, name, Str::value(text));
    }
    m.set(vm, "argv", List::value(vec![Str::value("")]));
    m.set(vm, "orig_argv", List::value(vec![Str::value("")]));
    let path = [crate::files::HOME, "/lib/python3.14"].map(Str::value);
    m.set(vm, "path", List::value(path.to_vec()));
    for name in ["meta_path", "path_hooks", "warnoptions"] {
        m.set(vm, name, List::value(Vec::new()));
    }
    for name in ["path_importer_cache", "_xoptions"] {
        m.set(vm, name, Dict::new().to_value());
    }
    let float = vec![
        Value::float(f64::MAX),
        Value::small_int(1024),
        Value::small_int(308),
        Value::float(f64::MIN_POSITIVE),
        Value::small_int(-1021),
        Value::small_int(-307),
        Value::small_int(15),
        Value::small_int(53),
        Value::float(f64::EPSILON),
        Value::small_int(2),
        Value::small_int(1),
    ];
    let float = record(
        vm,
        "float_info",
        &[
            "max",
            "max_exp",
            "max_10_exp",
            "min",
            "min_exp",
            "min_10_exp",
            "dig",
            "mant_dig",
            "epsilon",
            "radix",
            "rounds",
        ],
        float,
    );
    m.set(vm, "float_info", float);
    let int = record(
        vm,
        "int_info",
        &[
            "bits_per_digit",
            "sizeof_digit",
            "default_max_str_digits",
            "str_digits_check_threshold",
        ],
        ints(&[30, 4, 4300, 640]),
    );
    m.set(vm, "int_info", int);
    let mut hash = ints(&[64, (1 << 61) - 1, 314_159, 0, 1_000_003]);
    hash.push(Str::value("fold"));
    hash.extend(ints(&[64, 0, 0]));
    let hash = record(
        vm,
        "hash_info",
        &[
            "width",
            "modulus",
            "inf",
            "nan",
            "imag",
            "algorithm",
            "hash_bits",
            "seed_bits",
            "cutoff",
        ],
        hash,
    );
    m.set(vm, "hash_info", hash);
    let thread = record(
        vm,
        "thread_info",
        &["name", "lock", "version"],
        vec![Str::value("pthread-stubs"), Value::NONE, Value::NONE],
    );
    m.set(vm, "thread_info", thread);
    let mut flags = ints(&[0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0]);
    flags.extend([
        Value::FALSE,
        Value::small_int(0),
        Value::small_int(0),
        Value::FALSE,
        Value::small_int(4300),
    ]);
    // CPython has more attributes than items.
    static FLAGS: struct_seq::Layout = struct_seq::Layout {
        items: &[
            "debug",
            "inspect",
            "interactive",
            "optimize",
            "dont_write_bytecode",
            "no_user_site",
            "no_site",
            "ignore_environment",
            "verbose",
            "bytes_warning",
            "quiet",
            "hash_randomization",
            "isolated",
            "dev_mode",
            "utf8_mode",
            "warn_default_encoding",
            "safe_path",
            "int_max_str_digits",
        ],
        hidden: &["gil", "thread_inherit_context", "context_aware_warnings"],
    };
    let class = struct_seq::with_layout(
        vm,
        "sys",
        "flags",
        &FLAGS,
        Some(struct_seq::not_from_python),
    );
    let flags = match struct_seq::instance(vm, &class, flags, ints(&[1, 0, 0])) {
        Ok(flags) => flags,
        Err(_) => vm.take_error(),
    };
    m.set(vm, "flags", flags);
    let implementation = vec![
        ("name", Str::value("coldframe")),
        ("cache_tag", Str::value("coldframe-314")),
        ("version", version),
        ("hexversion", Value::int(HEX_VERSION)),
        ("supports_isolated_interpreters", Value::FALSE),
    ];
    if let Ok(v) = namespace::value(vm, implementation) {
        m.set(vm, "implementation", v);
    }
    let names: Vec<&str> = crate::modules::native_names().chain(["builtins"]).collect();
    m.set(vm, "builtin_module_names", Tuple::value(sorted(names)));
    let all: Vec<&str> = crate::modules::native_names()
        .chain(crate::modules::library::names())
        .chain(["builtins"])
        .filter(|n| !n.contains('.'))
        .collect();
    let all = Tuple::value(sorted(all));
    let class = vm
        .builtins
        .get_str(vm, &crate::names::intern("frozenset"))
        .cloned()
        .unwrap_or(Value::NONE);
    match vm.call(&class, std::slice::from_ref(&all)) {
        Ok(set) => m.set(vm, "stdlib_module_names", set),
        Err(_) => drop(vm.take_error()),
    }
}

fn sorted(mut names: Vec<&str>) -> Vec<Value> {
    names.sort_unstable();
    names.dedup();
    names.into_iter().map(Str::value).collect()
}
