//! The modules that exist in the sandbox: native ones, and the library's sources.

pub mod abc_core;
pub mod array;
pub mod ast_core;
pub mod asyncio_core;
pub mod binascii;
pub mod bisect_core;
pub mod bz2_core;
pub mod cmath;
pub mod codecs_core;
pub mod collections_core;
pub mod contextvars_core;
#[cfg(coldframe_counting)]
mod counters;
pub mod csv_core;
pub mod datetime_core;
pub mod decimal;
pub mod dis_core;
pub mod expat;
pub mod functools_core;
pub mod gc;
pub mod hashing;
pub mod heapq_core;
pub mod io;
pub mod itertools;
pub mod json;
pub mod library;
pub mod lzma;
pub mod math;
mod math_sumprod;
pub mod multibyte;
pub mod operator;
mod operator_getters;
pub mod os_core;
pub mod posix;
pub mod random_core;
pub mod re;
pub mod statistics_core;
pub mod string_core;
pub mod struct_core;
pub mod sys;
pub mod thread_core;
pub mod time;
pub mod tokenize_core;
mod tools_core;
pub mod traceback_core;
pub mod typing_core;
pub mod tzdata;
pub mod unicodedata;
mod utf7;
pub mod weakref_core;
pub mod zlib;

use crate::heap::Ref;
use crate::names;
use crate::objects::module::Module;
use crate::value::Value;
use crate::vm::{R, Vm};

/// Makes a native module.
type Make = fn(&mut Vm) -> Ref<Module>;

/// The native modules; made when first imported.
const NATIVE: &[(&str, Make)] = &[
    ("_asyncio", asyncio_core::module),
    ("_bisect", bisect_core::module),
    ("_codecs", codecs_core::module),
    ("_collections", collections_core::module),
    ("_csv", csv_core::module),
    ("_lzma_core", lzma::module),
    ("_multibyte_core", multibyte::module),
    ("_decimal_core", decimal::module),
    ("_decimal_digits", decimal::digits::module),
    ("_contextvars", contextvars_core::module),
    ("_functools", functools_core::module),
    ("_bz2", bz2_core::module),
    ("_blake2", hashing::blake2::module),
    ("_hashlib", hashing::keyed::module),
    ("_datetime", datetime_core::module),
    ("_dis_core", dis_core::module),
    ("_heapq", heapq_core::module),
    ("_io", io::module),
    ("_md5", hashing::objects::md5_module),
    ("_json", json::module),
    ("_operator", operator::core_module),
    ("_sha1", hashing::objects::sha1_module),
    ("_sha2", hashing::objects::sha2_module),
    ("_sha3", hashing::objects::sha3_module),
    ("_random", random_core::module),
    ("re", re::module),
    ("_statistics", statistics_core::module),
    ("_string", string_core::module),
    ("_struct", struct_core::module),
    ("_thread_core", thread_core::module),
    ("array", array::module),
    ("binascii", binascii::module),
    ("cmath", cmath::module),
    ("itertools", itertools::module),
    ("math", math::module),
    ("operator", operator::module),
    ("sys", sys::module),
    ("_weakref", weakref_core::module),
    ("_abc", abc_core::module),
    ("_traceback_core", traceback_core::module),
    ("gc", gc::module),
    ("_typing_core", typing_core::module),
    ("_tzdata", tzdata::module),
    ("_os_core", os_core::module),
    ("errno", posix::errno_module),
    ("posix", posix::module),
    ("time", time::module),
    ("pyexpat", expat::module),
    ("zlib", zlib::module),
    ("_tokenize_core", tokenize_core::module),
    ("_tools_core", tools_core::module),
    ("unicodedata", unicodedata::module),
    #[cfg(coldframe_counting)]
    ("_counters", counters::module),
];

/// Makes the modules that have to exist from the beginning.
pub(crate) fn init(vm: &mut Vm) {
    let sys = sys::module(vm);
    let modules = vm.modules.clone();
    modules.set_str(vm, &names::Names::get().sys, Value::from_ref(sys));
}

/// The names of the native modules.
pub(crate) fn native_names() -> impl Iterator<Item = &'static str> {
    NATIVE.iter().map(|(name, _)| *name)
}

/// Whether a module of this name can be imported.
pub fn exists(name: &str) -> bool {
    NATIVE.iter().any(|(n, _)| *n == name) || library::find(name).is_some() || name == "builtins"
}

/// Whether this is a native module.
pub(crate) fn is_native(name: &str) -> bool {
    NATIVE.iter().any(|(n, _)| *n == name)
}

/// Makes or runs the module, and enters it in `sys.modules`; `None` when there is no such module.
pub(crate) fn load(vm: &mut Vm, name: &str) -> R<Option<Value>> {
    if let Some(module) = load_native(vm, name) {
        return Ok(Some(module));
    }
    match library::find(name) {
        Some(entry) => vm.load_library_module(name, &entry).map(Some),
        None => Ok(None),
    }
}

/// Makes the native module of this name and enters it in `sys.modules`.
pub(crate) fn load_native(vm: &mut Vm, name: &str) -> Option<Value> {
    let (_, make) = NATIVE.iter().find(|(n, _)| *n == name)?;
    let module = Value::from_ref(make(vm));
    let modules = vm.modules.clone();
    modules.set_str(vm, &names::intern(name), module.clone());
    Some(module)
}
