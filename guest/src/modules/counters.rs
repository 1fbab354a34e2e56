//! `_counters`: how often each piece of the interpreter's code ran.
//!
//! Only in an interpreter that was built to count (`guest/tools/profile.py`), whose profile then tells the compiler what to inline in all others. Knows where the
//! compiler puts its counters, and nothing of their meaning: the tool reads them.

use crate::heap::Ref;
use crate::objects::bytes::Bytes;
use crate::objects::module::Module;
use crate::objects::native::Def;
use crate::objects::tuple::Tuple;
use crate::value::Value;
use crate::vm::Vm;

// The ends of LLVM's sections, which the linker defines.
unsafe extern "C" {
    #[link_name = "__start___llvm_prf_cnts"]
    static COUNTERS: u8;
    #[link_name = "__stop___llvm_prf_cnts"]
    static COUNTERS_END: u8;
    #[link_name = "__start___llvm_prf_data"]
    static RECORDS: u8;
    #[link_name = "__stop___llvm_prf_data"]
    static RECORDS_END: u8;
    #[link_name = "__start___llvm_prf_names"]
    static NAMES: u8;
    #[link_name = "__stop___llvm_prf_names"]
    static NAMES_END: u8;
}

/// What counted code refers to, so that a linker would take the C library that writes profiles. There is none here.
#[unsafe(no_mangle)]
static __llvm_profile_runtime: i32 = 0;

/// Makes the module.
pub(crate) fn module(vm: &mut Vm) -> Ref<Module> {
    Module::native(
        vm,
        "_counters",
        "How often the interpreter's code ran.",
        FUNCTIONS,
    )
}

static FUNCTIONS: &[Def] = &[
    // The address of the counters and of the functions' records, then counters, records and names as they are in memory.
    Def::function("sections", "()", |_, _| {
        let (counters, records, names) = (
            (&raw const COUNTERS, &raw const COUNTERS_END),
            (&raw const RECORDS, &raw const RECORDS_END),
            (&raw const NAMES, &raw const NAMES_END),
        );
        let content = |(start, end): (*const u8, *const u8)| {
            // SAFETY: both ends are of one section, whose bytes are all initialised. Code that counts may change them meanwhile, and a counter
            // that is read one step early is as good.
            let bytes = unsafe { std::slice::from_raw_parts(start, end as usize - start as usize) };
            Bytes::value(bytes.to_vec())
        };
        Ok(Tuple::value(vec![
            Value::int(counters.0 as usize as i64),
            Value::int(records.0 as usize as i64),
            content(counters),
            content(records),
            content(names),
        ]))
    }),
];
