//! `_csv`: reading and writing of lines of separated fields. The public module `csv` is the library's own.

mod dialect;
mod reader;
mod writer;

use crate::heap::{Payload, Ref};
use crate::names;
use crate::objects::dict::Dict;
use crate::objects::exception::Exc;
use crate::objects::list::List;
use crate::objects::native::Def;
use crate::objects::string::Str;
use crate::objects::types::Type;
use crate::value::Value;
use crate::vm::args::{Args, optional};
use crate::vm::{R, Raised, Vm};

type Module = Ref<crate::objects::module::Module>;

/// Under this name the module keeps the longest field.
const LIMIT: &str = "_field_limit";

/// Makes the module.
pub(crate) fn module(vm: &mut Vm) -> Module {
    dialect::init(vm);
    reader::init(vm);
    writer::init(vm);
    let m =
        crate::objects::module::Module::native(vm, "_csv", "CSV parsing and writing.", FUNCTIONS);
    for (i, (_, name)) in dialect::Quoting::ALL.iter().enumerate() {
        m.set(vm, name, Value::small_int(i as i64));
    }
    m.set(vm, "Dialect", dialect::Dialect::class().to_value());
    m.set(vm, "Reader", reader::Reader::class().to_value());
    m.set(vm, "Writer", writer::Writer::class().to_value());
    m.set(vm, "_dialects", Dict::new().to_value());
    m.set(vm, LIMIT, Value::small_int(128 * 1024));
    let namespace = Dict::new();
    let key = names::Names::get().__module__.clone();
    namespace.set_str(vm, &key, Str::value("_csv"));
    let class = crate::vm::class::new_class(
        vm,
        Type::class(),
        &names::intern("Error"),
        &[Exc::Exception.class().clone()],
        &namespace,
        Args::positional_only(&[]),
    );
    m.set(
        vm,
        "Error",
        class.unwrap_or_else(|_| Exc::ValueError.class().to_value()),
    );
    m
}

/// The module, as it is in `sys.modules`.
fn module_of(vm: &mut Vm) -> R<Module> {
    let m = vm.import_module("_csv")?;
    match m.as_ref::<crate::objects::module::Module>() {
        Some(m) => Ok(m.clone()),
        None => Err(vm.runtime_error("_csv is not a module")),
    }
}

/// Raises `_csv.Error`.
fn error(vm: &mut Vm, m: &Module, text: &str) -> Raised {
    let class = m.dict.get_str(vm, &names::intern("Error")).cloned();
    let class = class.unwrap_or_else(|| Exc::ValueError.class().to_value());
    match vm.call(&class, &[Str::value(text)]) {
        Ok(e) => vm.raise_value(e),
        Err(raised) => raised,
    }
}

/// The setter of attributes that have none.
fn read_only(vm: &mut Vm, _: &Value, _: Option<&Value>) -> R<()> {
    Err(vm.raise(Exc::AttributeError, "readonly attribute"))
}

fn field_limit(vm: &Vm, m: &Module) -> i64 {
    m.dict
        .get_str(vm, &names::intern(LIMIT))
        .and_then(|v| v.as_int().map(|i| i.clamp_i64()))
        .unwrap_or(128 * 1024)
}

/// The first positional argument, when there are not more than `most`.
fn first(vm: &mut Vm, args: Args, most: usize) -> R<Option<Value>> {
    let given = args.positional();
    if given.len() > most {
        return Err(vm.type_error(format!(
            " expected at most {most} arguments, got {}",
            given.len()
        )));
    }
    Ok(given.first().cloned())
}

static FUNCTIONS: &[Def] = &[
    Def::raw_function(
        "reader",
        "(iterable, dialect='excel', **fmtparams)",
        reader::make,
    ),
    Def::raw_function(
        "writer",
        "(fileobj, dialect='excel', **fmtparams)",
        writer::make,
    ),
    Def::raw_function(
        "register_dialect",
        "(name, dialect=None, **fmtparams)",
        |vm, args| {
            let Some(name) = first(vm, args, 2)? else {
                return Err(vm.type_error(" expected at least 1 argument, got 0"));
            };
            if !name.is::<Str>() {
                return Err(vm.type_error("dialect name must be a string"));
            }
            let m = module_of(vm)?;
            let made = dialect::make(vm, &m, args, 1)?;
            let list = dialect::registry(vm, &m);
            list.set_item(vm, &name, made)?;
            Ok(Value::NONE)
        },
    ),
    Def::function("unregister_dialect", "(name)", |vm, a| {
        let m = module_of(vm)?;
        let list = dialect::registry(vm, &m);
        match list.remove_item(vm, &a[0])? {
            Some(_) => Ok(Value::NONE),
            None => Err(error(vm, &m, "unknown dialect")),
        }
    }),
    Def::function("get_dialect", "(name)", |vm, a| {
        let m = module_of(vm)?;
        dialect::find(vm, &m, &a[0])
    }),
    Def::function("list_dialects", "()", |vm, _| {
        let m = module_of(vm)?;
        let list = dialect::registry(vm, &m).to_value();
        Ok(List::value(vm.collect(&list)?))
    }),
    Def::function("field_size_limit", "(new_limit=None)", |vm, a| {
        let m = module_of(vm)?;
        let old = field_limit(vm, &m);
        if let Some(v) = optional(a, 0) {
            if v.as_int().is_none() {
                return Err(vm.type_error("limit must be an integer"));
            }
            let n = vm.index_i64(v)?;
            m.set(vm, LIMIT, Value::int(n));
        }
        Ok(Value::int(old))
    }),
];
