//! The module `unicodedata`: properties of characters, normal forms, names; and the same as of Unicode 3.2 (`ucd_3_2_0`), which internet standards refer to.

use crate::class_slot;
use crate::heap::{self, Payload, Ref};
use crate::names;
use crate::objects::exception::Exc;
use crate::objects::module::Module;
use crate::objects::native::Def;
use crate::objects::slots::Slots;
use crate::objects::string::search::{argument_type, text_arg};
use crate::objects::string::unicode::extra::{self, old};
use crate::objects::string::{Str, chars_of, push_char, unicode};
use crate::objects::types::ClassBuilder;
use crate::value::Value;
use crate::vm::args::optional;
use crate::vm::{R, Vm};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::canonical_combining_class;

/// Payload of `unicodedata.UCD`: the data of Unicode 3.2.
struct Ucd;

// SAFETY: owns nothing.
unsafe impl Payload for Ucd {
    const COLLECTABLE: bool = false;
    class_slot!();
    fn traverse(&self, _: &mut dyn FnMut(&Value)) {}
}

/// Makes the module.
pub(crate) fn module(vm: &mut Vm) -> Ref<Module> {
    let module = Module::native(vm, "unicodedata", "", FUNCTIONS);
    module.set(vm, "unidata_version", Str::value("16.0.0"));
    if !Ucd::class_slot().with(|slot| slot.is_set()) {
        let slots = Slots {
            new: Some(|vm, class, _| {
                Err(vm.type_error(format!("cannot create '{}' instances", class.name())))
            }),
            ..Slots::NONE
        };
        ClassBuilder::new::<Ucd>("UCD")
            .slots(slots)
            .module(vm, "unicodedata")
            .methods(vm, METHODS)
            .getset(vm, "unidata_version", |_, _| Ok(Str::value("3.2.0")), None)
            .build(vm);
    }
    module.set(vm, "UCD", Ucd::class().to_value());
    module.set(vm, "ucd_3_2_0", Value::from_ref(heap::alloc(Ucd)));
    module
}

/// Each as a function of the module, and as a method of the old data.
macro_rules! both {
    ($($name:literal $params:literal $f:ident;)*) => {
        static FUNCTIONS: &[Def] = &[$(
            Def::function($name, concat!("(", $params, ")"), |vm, args| $f(vm, args, false))
        ),*];
        static METHODS: &[Def] = &[$(
            Def::method($name, concat!("(self, ", $params, ")"), |vm, args| $f(vm, &args[1..], true))
        ),*];
    };
}

both! {
    "bidirectional" "chr, /" bidirectional;
    "category" "chr, /" category;
    "combining" "chr, /" combining;
    "decimal" "chr, default=None, /" decimal;
    "decomposition" "chr, /" decomposition;
    "digit" "chr, default=None, /" digit;
    "east_asian_width" "chr, /" east_asian_width;
    "is_normalized" "form, unistr, /" is_normalized;
    "lookup" "name, /" lookup;
    "mirrored" "chr, /" mirrored;
    "name" "chr, default=None, /" name;
    "normalize" "form, unistr, /" normalize;
    "numeric" "chr, default=None, /" numeric;
}

fn bidirectional(vm: &mut Vm, args: &[Value], was: bool) -> R {
    let c = char_arg(vm, args, "bidirectional")?;
    Ok(Str::value(if was {
        old::bidirectional(c)
    } else {
        unicode::bidirectional(c)
    }))
}

fn category(vm: &mut Vm, args: &[Value], was: bool) -> R {
    let c = char_arg(vm, args, "category")?;
    let index = if was {
        old::category(c)
    } else {
        unicode::category(c) as usize
    };
    Ok(names::intern(unicode::CATEGORY_NAMES[index]).to_value())
}

fn combining(vm: &mut Vm, args: &[Value], was: bool) -> R {
    let c = char_arg(vm, args, "combining")?;
    let class = char::from_u32(c)
        .filter(|_| known(c, was))
        .map_or(0, canonical_combining_class);
    Ok(Value::small_int(class as i64))
}

fn decimal(vm: &mut Vm, args: &[Value], was: bool) -> R {
    let c = char_arg(vm, args, "decimal")?;
    let found = if was {
        old::decimal(c)
    } else {
        unicode::decimal(c)
    };
    or_default(
        vm,
        args,
        found.map(|d| Value::small_int(d as i64)),
        "not a decimal",
    )
}

fn decomposition(vm: &mut Vm, args: &[Value], was: bool) -> R {
    let c = char_arg(vm, args, "decomposition")?;
    let Some((tag, text)) = extra::decomposition(c).filter(|_| !was || old::exists(c)) else {
        return Ok(Str::value(""));
    };
    let mut words: Vec<String> = Vec::new();
    if !tag.is_empty() {
        words.push(tag.to_owned());
    }
    words.extend(text.chars().map(|c| format!("{:04X}", c as u32)));
    Ok(Str::value(&words.join(" ")))
}

fn digit(vm: &mut Vm, args: &[Value], _: bool) -> R {
    let c = char_arg(vm, args, "digit")?;
    let found = unicode::digit(c);
    or_default(
        vm,
        args,
        found.map(|d| Value::small_int(d as i64)),
        "not a digit",
    )
}

fn east_asian_width(vm: &mut Vm, args: &[Value], was: bool) -> R {
    let c = char_arg(vm, args, "east_asian_width")?;
    Ok(Str::value(if was {
        old::east_asian_width(c)
    } else {
        unicode::east_asian_width(c)
    }))
}

fn is_normalized(vm: &mut Vm, args: &[Value], was: bool) -> R {
    let normal = normalized(vm, args, "is_normalized", was)?;
    let same = args[1]
        .as_ref::<Str>()
        .is_some_and(|s| s.as_bytes() == normal);
    Ok(Value::bool(same))
}

fn lookup(vm: &mut Vm, args: &[Value], was: bool) -> R {
    let name = text_arg(vm, &args[0], "lookup() argument")?
        .to_text()
        .into_owned();
    if let Some(c) = unicode::lookup(&name).filter(|&c| !was || old::exists(c)) {
        return Ok(Str::from_char(c));
    }
    match extra::sequence(&name).filter(|s| !was || s.chars().all(|c| old::exists(c as u32))) {
        Some(text) => Ok(Str::value(text)),
        None => Err(vm.raise(Exc::KeyError, format!("undefined character name '{name}'"))),
    }
}

fn mirrored(vm: &mut Vm, args: &[Value], was: bool) -> R {
    let c = char_arg(vm, args, "mirrored")?;
    let found = if was {
        old::mirrored(c)
    } else {
        unicode::mirrored(c)
    };
    Ok(Value::small_int(found as i64))
}

fn name(vm: &mut Vm, args: &[Value], was: bool) -> R {
    let c = char_arg(vm, args, "name")?;
    let found = unicode::name(c).filter(|_| !was || old::exists(c));
    or_default(vm, args, found.map(|n| Str::value(&n)), "no such name")
}

fn normalize(vm: &mut Vm, args: &[Value], was: bool) -> R {
    let normal = normalized(vm, args, "normalize", was)?;
    Ok(Str::value_wtf8(&normal))
}

fn numeric(vm: &mut Vm, args: &[Value], was: bool) -> R {
    let c = char_arg(vm, args, "numeric")?;
    let found = unicode::numeric(c).filter(|_| !was || old::exists(c));
    or_default(
        vm,
        args,
        found.map(|(n, d)| Value::float(n as f64 / d as f64)),
        "not a numeric character",
    )
}

/// Whether the version has the character; the crate of normal forms may know more.
fn known(c: u32, was: bool) -> bool {
    if was {
        old::exists(c)
    } else {
        unicode::category(c) != unicode::Category::Cn
    }
}

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

/// A text in a normal form. Lone surrogates stay as they are, and so do characters that the version does not know.
fn normalized(vm: &mut Vm, args: &[Value], name: &str, was: bool) -> R<Vec<u8>> {
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
        let c = if was {
            old::corrected(c).unwrap_or(c)
        } else {
            c
        };
        match char::from_u32(c).filter(|_| known(c, was)) {
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
