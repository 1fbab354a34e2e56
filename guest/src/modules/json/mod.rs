//! `_json`: the parts of `json` that are native. The package itself is CPython's, which uses these where they are there.
//!
//! [`scan`] reads, [`encode`] writes, [`text`] is what strings look like.

mod encode;
mod scan;
mod text;

use crate::heap::{Payload, Ref};
use crate::objects::module::Module;
use crate::objects::native::Def;
use crate::objects::string::Str;
use crate::objects::tuple::Tuple;
use crate::value::Value;
use crate::vm::args::optional;
use crate::vm::{R, Raised, Vm};

/// How deep documents nest at most.
const MAX_DEPTH: usize = 1500;

/// Makes the module.
pub(crate) fn module(vm: &mut Vm) -> Ref<Module> {
    scan::init(vm);
    encode::init(vm);
    let m = Module::native(vm, "_json", "json speedups", FUNCTIONS);
    m.set(vm, "make_scanner", scan::Scanner::class().to_value());
    m.set(vm, "make_encoder", encode::Encoder::class().to_value());
    m
}

/// The functions; [`encode`] recognises the two that write strings by their addresses.
static FUNCTIONS: &[Def] = &[
    Def::function("encode_basestring_ascii", "(string, /)", |vm, a| {
        let mut out = Vec::new();
        text::push_string(&mut out, string_arg(vm, &a[0])?.as_bytes(), true);
        Ok(Str::value_wtf8(&out))
    }),
    Def::function("encode_basestring", "(string, /)", |vm, a| {
        let mut out = Vec::new();
        text::push_string(&mut out, string_arg(vm, &a[0])?.as_bytes(), false);
        Ok(Str::value_wtf8(&out))
    }),
    Def::function("scanstring", "(string, end, strict=True, /)", |vm, a| {
        let strict = match optional(a, 2) {
            Some(v) => vm.truthy(v)?,
            None => true,
        };
        let end = vm.index_i64(&a[1])?;
        let Some(s) = a[0].as_ref::<Str>().cloned() else {
            return Err(vm.type_error(format!(
                "first argument must be a string, not {}",
                vm.class_name(&a[0])
            )));
        };
        let Some(end) = usize::try_from(end).ok().filter(|&end| end <= s.len()) else {
            return Err(vm.value_error("end is out of bounds"));
        };
        let (piece, at) = text::scan(vm, &s, s.byte_offset(end), strict)?;
        Ok(Tuple::value(vec![
            Str::value_wtf8(&piece),
            Value::int(s.char_index(at) as i64),
        ]))
    }),
];

fn string_arg<'a>(vm: &mut Vm, v: &'a Value) -> R<&'a Ref<Str>> {
    match v.as_ref::<Str>() {
        Some(s) => Ok(s),
        None => Err(vm.type_error(format!(
            "first argument must be a string, not {}",
            vm.class_name(v)
        ))),
    }
}

/// Raises `json.JSONDecodeError`. `at` is a position in bytes.
#[cold]
fn decode_error(vm: &mut Vm, message: &str, document: &Ref<Str>, at: usize) -> Raised {
    let at = document.char_index(at.min(document.as_bytes().len()));
    let raised = vm.import_module("json.decoder").and_then(|module| {
        let class = vm.get_attr(&module, &Str::value("JSONDecodeError"))?;
        vm.call(
            &class,
            &[
                Str::value(message),
                document.to_value(),
                Value::int(at as i64),
            ],
        )
    });
    match raised {
        Ok(e) => vm.raise_value(e),
        Err(raised) => raised,
    }
}
