//! The module `pyexpat`: XML parsing by events, with an interface like Expat's. The reading is in [`reader`], the objects in [`object`].

mod chars;
mod dtd;
mod input;
mod namespaces;
mod object;
mod reader;
mod token;

use crate::heap::Ref;
use crate::modules::binascii::exception_class;
use crate::names;
use crate::objects::dict::Dict;
use crate::objects::exception::Exc;
use crate::objects::list::List;
use crate::objects::module::Module;
use crate::objects::native::Def;
use crate::objects::string::Str;
use crate::objects::tuple::Tuple;
use crate::value::Value;
use crate::vm::args::optional;
use crate::vm::{R, Vm};
use input::Encoding;
use reader::Reader;

/// The version whose behaviour is offered.
const VERSION: [i64; 3] = [2, 7, 1];

/// The module.
pub(crate) fn module(vm: &mut Vm) -> Ref<Module> {
    let module = Module::native(vm, "pyexpat", "Python wrapper for Expat parser.", FUNCTIONS);
    let class = object::class(vm);
    module.set(vm, "XMLParserType", class.to_value());
    let error = exception_class(vm, "ExpatError", "xml.parsers.expat", Exc::Exception);
    vm.settings.insert(object::ERROR, error.to_value());
    module.set(vm, "ExpatError", error.to_value());
    module.set(vm, "error", error.to_value());
    let [a, b, c] = VERSION;
    module.set(
        vm,
        "EXPAT_VERSION",
        Str::value(&format!("expat_{a}.{b}.{c}")),
    );
    module.set(
        vm,
        "version_info",
        Tuple::value(VERSION.iter().map(|&n| Value::int(n)).collect()),
    );
    module.set(vm, "native_encoding", Str::value("UTF-8"));
    let features = [
        ("sizeof(XML_Char)", 1),
        ("sizeof(XML_LChar)", 1),
        ("XML_DTD", 0),
        ("XML_NS", 0),
    ];
    let features =
        features.map(|(name, n)| Tuple::value(vec![Str::value(name), Value::small_int(n)]));
    module.set(vm, "features", List::value(features.to_vec()));
    for (name, value) in [("NEVER", 0), ("UNLESS_STANDALONE", 1), ("ALWAYS", 2)] {
        module.set(
            vm,
            &format!("XML_PARAM_ENTITY_PARSING_{name}"),
            Value::small_int(value),
        );
    }
    let errors = errors(vm);
    submodule(vm, &module, "errors", &errors);
    let model = Module::native(
        vm,
        "pyexpat.model",
        "Constants used to interpret content model information.",
        &[],
    );
    for (i, name) in ["EMPTY", "ANY", "MIXED", "NAME", "CHOICE", "SEQ"]
        .iter()
        .enumerate()
    {
        model.set(vm, &format!("XML_CTYPE_{name}"), Value::int(i as i64 + 1));
    }
    for (i, name) in ["NONE", "OPT", "REP", "PLUS"].iter().enumerate() {
        model.set(vm, &format!("XML_CQUANT_{name}"), Value::int(i as i64));
    }
    submodule(vm, &module, "model", &model);
    module
}

fn submodule(vm: &mut Vm, module: &Ref<Module>, name: &str, child: &Ref<Module>) {
    module.set(vm, name, child.to_value());
    let modules = vm.modules.clone();
    modules.set_str(
        vm,
        &names::intern(&format!("pyexpat.{name}")),
        child.to_value(),
    );
}

fn errors(vm: &mut Vm) -> Ref<Module> {
    let module = Module::native(
        vm,
        "pyexpat.errors",
        "Constants used to describe error conditions.",
        &[],
    );
    let (codes, messages) = (Dict::new(), Dict::new());
    for (i, (name, text)) in chars::ERRORS.iter().enumerate() {
        let (text, number) = (Str::value(text), Value::int(i as i64 + 1));
        module.set(vm, name, text.clone());
        // Keys are texts and integers: hashing them cannot fail.
        let _ = codes.set_item(vm, &text, number.clone());
        let _ = messages.set_item(vm, &number, text);
    }
    module.set(vm, "codes", Value::from_ref(codes));
    module.set(vm, "messages", Value::from_ref(messages));
    module
}

static FUNCTIONS: &[Def] = &[
    Def::function("ErrorString", "(code, /)", |vm, args| {
        let code = vm.index_i64(&args[0])?;
        let text = usize::try_from(code - 1)
            .ok()
            .and_then(|i| chars::ERRORS.get(i));
        Ok(text.map_or(Value::NONE, |(_, text)| Str::value(text)))
    }),
    Def::function(
        "ParserCreate",
        "(encoding=None, namespace_separator=None, intern=None)",
        create,
    ),
];

fn create(vm: &mut Vm, args: &[Value]) -> R {
    let encoding = match optional(args, 0).filter(|v| !v.is_none()) {
        Some(v) => object::encoding_arg(vm, v)?,
        None => Encoding::Unknown,
    };
    let separator = match optional(args, 1).filter(|v| !v.is_none()) {
        Some(v) => match v.as_ref::<Str>() {
            Some(s) if s.len() <= 1 => Some(s.to_text().into_owned()),
            Some(_) => {
                return Err(vm.value_error(
                    "namespace_separator must be at most one character, omitted, or None",
                ));
            }
            None => {
                let kind = vm.class_name(v);
                return Err(vm.type_error(format!(
                    "ParserCreate() argument 'namespace_separator' must be str or None, not {kind}"
                )));
            }
        },
        None => None,
    };
    let intern = match optional(args, 2) {
        None => Value::from_ref(Dict::new()),
        Some(v) if v.is_none() || v.is::<Dict>() => v.clone(),
        Some(_) => return Err(vm.type_error("intern must be a dictionary")),
    };
    let encoded = encoding != Encoding::Unknown;
    Ok(Value::from_ref(object::allocate(
        Reader::new(encoding, separator),
        intern,
        encoded,
    )))
}
