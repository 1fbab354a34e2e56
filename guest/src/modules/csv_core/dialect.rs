//! Dialects: what separates fields, what quotes them, and when. `_csv.Dialect` is one that is known to be valid.

use super::{Module, error};
use crate::class_slot;
use crate::heap::{self, Payload, Ref};
use crate::objects::dict::Dict;
use crate::objects::native::{Def, receiver};
use crate::objects::slots::Slots;
use crate::objects::string::Str;
use crate::objects::types::ClassBuilder;
use crate::value::Value;
use crate::vm::args::Args;
use crate::vm::{R, Vm};

/// When fields are quoted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Quoting {
    Minimal,
    All,
    NonNumeric,
    None,
    Strings,
    NotNull,
}

impl Quoting {
    /// All, with their public names; a position is the number.
    pub(super) const ALL: [(Quoting, &'static str); 6] = [
        (Quoting::Minimal, "QUOTE_MINIMAL"),
        (Quoting::All, "QUOTE_ALL"),
        (Quoting::NonNumeric, "QUOTE_NONNUMERIC"),
        (Quoting::None, "QUOTE_NONE"),
        (Quoting::Strings, "QUOTE_STRINGS"),
        (Quoting::NotNull, "QUOTE_NOTNULL"),
    ];
}

/// Payload of `_csv.Dialect`.
#[derive(Clone)]
pub(super) struct Dialect {
    pub(super) delimiter: u32,
    pub(super) quote: Option<u32>,
    pub(super) escape: Option<u32>,
    pub(super) double_quote: bool,
    pub(super) skip_space: bool,
    pub(super) strict: bool,
    /// WTF-8.
    pub(super) terminator: Vec<u8>,
    pub(super) quoting: Quoting,
}

// SAFETY: owns no values.
unsafe impl Payload for Dialect {
    class_slot!();
    fn traverse(&self, _: &mut dyn FnMut(&Value)) {}
}

const NAMES: [&str; 8] = [
    "delimiter",
    "doublequote",
    "escapechar",
    "lineterminator",
    "quotechar",
    "quoting",
    "skipinitialspace",
    "strict",
];

/// Builds the class, unless it exists.
pub(super) fn init(vm: &mut Vm) {
    if Dialect::class_slot().with(|slot| slot.is_set()) {
        return;
    }
    fn me(v: &Value) -> &Ref<Dialect> {
        receiver::<Dialect>(v)
    }
    fn char_value(c: Option<u32>) -> R {
        Ok(c.map_or(Value::NONE, Str::from_char))
    }
    ClassBuilder::new::<Dialect>("Dialect")
        .slots(Slots {
            new: Some(|vm, _, args| {
                let m = super::module_of(vm)?;
                make(vm, &m, args, 0)
            }),
            ..Slots::NONE
        })
        .module(vm, "_csv")
        .methods(vm, METHODS)
        .getset(
            vm,
            "delimiter",
            |_, v| char_value(Some(me(v).delimiter)),
            None,
        )
        .getset(vm, "quotechar", |_, v| char_value(me(v).quote), None)
        .getset(vm, "escapechar", |_, v| char_value(me(v).escape), None)
        .getset(
            vm,
            "lineterminator",
            |_, v| Ok(Str::value_wtf8(&me(v).terminator)),
            None,
        )
        .getset(
            vm,
            "quoting",
            |_, v| Ok(Value::small_int(me(v).quoting as i64)),
            None,
        )
        .getset(
            vm,
            "doublequote",
            |_, v| Ok(Value::bool(me(v).double_quote)),
            None,
        )
        .getset(
            vm,
            "skipinitialspace",
            |_, v| Ok(Value::bool(me(v).skip_space)),
            None,
        )
        .getset(vm, "strict", |_, v| Ok(Value::bool(me(v).strict)), None)
        .build(vm);
}

static METHODS: &[Def] = &[
    Def::method("__reduce__", "(self, /)", no_pickle),
    Def::method("__reduce_ex__", "(self, protocol, /)", no_pickle),
];

fn no_pickle(vm: &mut Vm, _: &[Value]) -> R {
    Err(vm.type_error("cannot pickle 'Dialect' instances"))
}

/// The dialect of arguments: perhaps one to start from (after `skip` other positional ones), and its parts as keywords.
pub(super) fn make(vm: &mut Vm, m: &Module, args: Args, skip: usize) -> R {
    let positional = args.positional().get(skip..).unwrap_or_default();
    let given = positional.len() + args.names().len();
    if given > 9 {
        return Err(vm.type_error(format!(
            "function takes at most 9 arguments ({given} given)"
        )));
    }
    // In the order of the C function's parameters: the dialect, then its parts.
    let mut values: Vec<Option<Value>> = vec![None; 9];
    for (place, v) in values.iter_mut().zip(positional) {
        *place = Some(v.clone());
    }
    for (name, v) in args.keywords() {
        let text = name.to_text();
        let at = match NAMES.iter().position(|n| *n == text) {
            Some(i) => i + 1,
            None if text == "dialect" => 0,
            None => {
                return Err(vm.type_error(format!(
                    "this function got an unexpected keyword argument '{text}'"
                )));
            }
        };
        values[at] = Some(v.clone());
    }
    let start = match values[0].take() {
        Some(v) if v.is::<Str>() => Some(find(vm, m, &v)?),
        other => other,
    };
    if let Some(v) = &start
        && v.is::<Dialect>()
        && values[1..].iter().all(Option::is_none)
    {
        return Ok(v.clone());
    }
    if let Some(v) = &start {
        for (place, name) in values[1..].iter_mut().zip(NAMES) {
            if place.is_none() {
                *place = vm.get_attr_opt(v, &crate::names::intern(name).to_value())?;
            }
        }
    }
    let [
        _,
        delimiter,
        double,
        escape,
        terminator,
        quote,
        quoting,
        skip,
        strict,
    ] = values.as_slice()
    else {
        return Err(vm.system_error("a dialect without parts"));
    };
    let flag = |vm: &mut Vm, v: &Option<Value>, default| match v {
        Some(v) => vm.truthy(v),
        None => Ok(default),
    };
    let double_quote = flag(vm, double, true)?;
    let delimiter = match delimiter {
        None => ',' as u32,
        Some(v) => match v.as_ref::<Str>() {
            Some(s) if s.len() == 1 => s.char_at(0),
            Some(_) => return Err(vm.type_error("\"delimiter\" must be a 1-character string")),
            None => {
                return Err(vm.type_error(format!(
                    "\"delimiter\" must be string, not {}",
                    vm.class_name(v)
                )));
            }
        },
    };
    let escape = optional_char(vm, escape, "escapechar", None)?;
    let no_quote = quote.as_ref().is_some_and(Value::is_none);
    let quote = optional_char(vm, quote, "quotechar", Some('"' as u32))?;
    let terminator = match terminator {
        None => b"\r\n".to_vec(),
        Some(v) if v.is_none() => return Err(vm.type_error("lineterminator must be set")),
        Some(v) => match v.as_ref::<Str>() {
            Some(s) => s.as_bytes().to_vec(),
            None => return Err(vm.type_error("\"lineterminator\" must be a string")),
        },
    };
    let number = match quoting {
        // Without a character to quote with nothing is quoted.
        None if no_quote => 3,
        None => 0,
        Some(v) if v.as_int().is_some() && !v.is_bool() => match vm.index_clamped(v)? {
            n if i32::try_from(n).is_ok() => n,
            _ => {
                return Err(vm.overflow_error("Python int too large to convert to C int"));
            }
        },
        Some(_) => return Err(vm.type_error("\"quoting\" must be an integer")),
    };
    let quoting = match usize::try_from(number)
        .ok()
        .and_then(|n| Quoting::ALL.get(n))
    {
        Some((quoting, _)) => *quoting,
        None => return Err(vm.type_error("bad \"quoting\" value")),
    };
    let skip_space = flag(vm, skip, false)?;
    let strict = flag(vm, strict, false)?;
    if quoting != Quoting::None && quote.is_none() {
        return Err(vm.type_error("quotechar must be set if quoting enabled"));
    }
    let made = Dialect {
        delimiter,
        quote,
        escape,
        double_quote,
        skip_space,
        strict,
        terminator,
        quoting,
    };
    check(vm, &made)?;
    Ok(Value::from_ref(heap::alloc(made)))
}

fn optional_char(
    vm: &mut Vm,
    v: &Option<Value>,
    name: &str,
    default: Option<u32>,
) -> R<Option<u32>> {
    match v {
        None => Ok(default),
        Some(v) if v.is_none() => Ok(None),
        Some(v) => match v.as_ref::<Str>() {
            Some(s) if s.len() == 1 => Ok(Some(s.char_at(0))),
            Some(_) => Err(vm.type_error(format!("\"{name}\" must be a 1-character string"))),
            None => Err(vm.type_error(format!(
                "\"{name}\" must be string or None, not {}",
                vm.class_name(v)
            ))),
        },
    }
}

/// Refuses characters that mean two things.
fn check(vm: &mut Vm, d: &Dialect) -> R<()> {
    let ends = |c: u32| c == '\r' as u32 || c == '\n' as u32;
    let space = |c: u32| c == ' ' as u32;
    let marks = [
        ("delimiter", Some(d.delimiter), false),
        ("escapechar", d.escape, true),
        ("quotechar", d.quote, true),
    ];
    for (name, c, no_space) in marks {
        if c.is_some_and(|c| ends(c) || (no_space && space(c) && d.skip_space)) {
            return Err(vm.value_error(format!("bad {name} value")));
        }
    }
    for (a, b, text) in [
        (0, 1, "bad delimiter or escapechar value"),
        (0, 2, "bad delimiter or quotechar value"),
        (1, 2, "bad escapechar or quotechar value"),
    ] {
        if marks[a].1.is_some() && marks[a].1 == marks[b].1 {
            return Err(vm.value_error(text));
        }
    }
    for (name, c, _) in marks {
        let in_terminator = |c: u32| {
            let mut one = Vec::new();
            crate::objects::string::push_char(&mut one, c);
            crate::objects::bytes::find::find(&d.terminator, &one).is_some()
        };
        if c.is_some_and(in_terminator) {
            return Err(vm.value_error(format!("bad {name} or lineterminator value")));
        }
    }
    Ok(())
}

/// The registered dialect of a name.
pub(super) fn find(vm: &mut Vm, m: &Module, name: &Value) -> R {
    let list = registry(vm, m);
    match list.get_item(vm, name)? {
        Some(v) => Ok(v),
        None => Err(error(vm, m, "unknown dialect")),
    }
}

/// The registered dialects.
pub(super) fn registry(vm: &mut Vm, m: &Module) -> Ref<Dict> {
    let key = crate::names::intern("_dialects");
    match m.dict.get_str(vm, &key).and_then(|v| v.as_ref::<Dict>()) {
        Some(dict) => dict.clone(),
        None => {
            let dict = Dict::new();
            m.set(vm, "_dialects", dict.to_value());
            dict
        }
    }
}
