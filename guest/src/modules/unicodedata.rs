//! The module `unicodedata`: properties of characters, normal forms, names. `decomposition` is not there: its table would be large, and nothing but
//! text processing research asks for it; `normalize` gives the full decompositions.

use crate::heap::Ref;
use crate::names;
use crate::objects::exception::Exc;
use crate::objects::module::Module;
use crate::objects::native::Def;
use crate::objects::string::search::{argument_type, text_arg};
use crate::objects::string::{Str, chars_of, push_char, unicode};
use crate::value::Value;
use crate::vm::args::optional;
use crate::vm::{R, Vm};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::canonical_combining_class;

/// Makes the module.
pub(crate) fn module(vm: &mut Vm) -> Ref<Module> {
    let module = Module::native(vm, "unicodedata", "", FUNCTIONS);
    module.set(vm, "unidata_version", Str::value("16.0.0"));
    module
}

static FUNCTIONS: &[Def] = &[
    Def::function("bidirectional", "(chr, /)", |vm, args| {
        Ok(Str::value(unicode::bidirectional(char_arg(
            vm,
            args,
            "bidirectional",
        )?)))
    }),
    Def::function("category", "(chr, /)", |vm, args| {
        let c = char_arg(vm, args, "category")?;
        Ok(names::intern(unicode::CATEGORY_NAMES[unicode::category(c) as usize]).to_value())
    }),
    Def::function("combining", "(chr, /)", |vm, args| {
        let c = char_arg(vm, args, "combining")?;
        Ok(Value::small_int(
            char::from_u32(c).map_or(0, canonical_combining_class) as i64,
        ))
    }),
    Def::function("decimal", "(chr, default=None, /)", |vm, args| {
        let c = char_arg(vm, args, "decimal")?;
        or_default(
            vm,
            args,
            unicode::decimal(c).map(|d| Value::small_int(d as i64)),
            "not a decimal",
        )
    }),
    Def::function("digit", "(chr, default=None, /)", |vm, args| {
        let c = char_arg(vm, args, "digit")?;
        or_default(
            vm,
            args,
            unicode::digit(c).map(|d| Value::small_int(d as i64)),
            "not a digit",
        )
    }),
    Def::function("east_asian_width", "(chr, /)", |vm, args| {
        Ok(Str::value(unicode::east_asian_width(char_arg(
            vm,
            args,
            "east_asian_width",
        )?)))
    }),
    Def::function("is_normalized", "(form, unistr, /)", |vm, args| {
        let normal = normalized(vm, args, "is_normalized")?;
        Ok(Value::bool(
            args[1]
                .as_ref::<Str>()
                .is_some_and(|s| s.as_bytes() == normal),
        ))
    }),
    Def::function("lookup", "(name, /)", |vm, args| {
        let name = text_arg(vm, &args[0], "lookup() argument")?
            .to_text()
            .into_owned();
        match unicode::lookup(&name) {
            Some(c) => Ok(Str::from_char(c)),
            None => Err(vm.raise(Exc::KeyError, format!("undefined character name '{name}'"))),
        }
    }),
    Def::function("mirrored", "(chr, /)", |vm, args| {
        Ok(Value::small_int(
            unicode::mirrored(char_arg(vm, args, "mirrored")?) as i64,
        ))
    }),
    Def::function("name", "(chr, default=None, /)", |vm, args| {
        let c = char_arg(vm, args, "name")?;
        or_default(
            vm,
            args,
            unicode::name(c).map(|n| Str::value(&n)),
            "no such name",
        )
    }),
    Def::function("normalize", "(form, unistr, /)", |vm, args| {
        let normal = normalized(vm, args, "normalize")?;
        Ok(Str::value_wtf8(&normal))
    }),
    Def::function("numeric", "(chr, default=None, /)", |vm, args| {
        let c = char_arg(vm, args, "numeric")?;
        or_default(
            vm,
            args,
            unicode::numeric(c).map(|(n, d)| Value::float(n as f64 / d as f64)),
            "not a numeric character",
        )
    }),
];

/// An argument that must be one character.
fn char_arg(vm: &mut Vm, args: &[Value], name: &str) -> R<u32> {
    let place = if matches!(name, "decimal" | "digit" | "name" | "numeric") {
        " 1"
    } else {
        ""
    };
    match args[0].as_ref::<Str>() {
        Some(s) if s.len() == 1 => Ok(s.char_at(0)),
        Some(s) => Err(vm.type_error(format!(
            "{name}(): argument{place} must be a unicode character, not a string of length {}",
            s.len()
        ))),
        None => Err(vm.type_error(format!(
            "{name}() argument{place} must be a unicode character, not {}",
            argument_type(&args[0])
        ))),
    }
}

fn or_default(vm: &mut Vm, args: &[Value], found: Option<Value>, message: &str) -> R {
    match found.or_else(|| optional(args, 1).cloned()) {
        Some(v) => Ok(v),
        None => Err(vm.value_error(message)),
    }
}

/// A text in a normal form. Lone surrogates stay as they are.
fn normalized(vm: &mut Vm, args: &[Value], name: &str) -> R<Vec<u8>> {
    let form = text_arg(vm, &args[0], &format!("{name}() argument 1"))?
        .to_text()
        .into_owned();
    let text = text_arg(vm, &args[1], &format!("{name}() argument 2"))?;
    if !matches!(form.as_str(), "NFC" | "NFD" | "NFKC" | "NFKD") {
        return Err(vm.value_error("invalid normalization form"));
    }
    if text.is_ascii() {
        return Ok(text.as_bytes().to_vec());
    }
    vm.text_size(text.as_bytes().len().saturating_mul(3))?;
    let mut out = Vec::with_capacity(text.as_bytes().len());
    let mut run = String::new();
    let flush = |run: &mut String, out: &mut Vec<u8>| {
        match form.as_str() {
            "NFC" => out.extend(run.nfc().collect::<String>().into_bytes()),
            "NFD" => out.extend(run.nfd().collect::<String>().into_bytes()),
            "NFKC" => out.extend(run.nfkc().collect::<String>().into_bytes()),
            _ => out.extend(run.nfkd().collect::<String>().into_bytes()),
        }
        run.clear();
    };
    for c in chars_of(text.as_bytes()) {
        match char::from_u32(c) {
            Some(c) => run.push(c),
            None => {
                flush(&mut run, &mut out);
                push_char(&mut out, c);
            }
        }
    }
    flush(&mut run, &mut out);
    Ok(out)
}
