//! `re`, over the crate `coldframe-regex`.
//!
//! [`subject`] is what is searched; [`pattern`] and [`matches`] are the two classes; [`replace`] is `sub` and `expand`; [`scanner`] an undocumented class that
//! libraries use; [`error`] `PatternError`. `RegexFlag` is an `enum.IntFlag` as in CPython; since making it needs all of `enum`, it is made when
//! one of the flags is first asked for, by the source `_re_flags` (which has `re.Scanner` too).

mod error;
mod matches;
mod pattern;
mod replace;
mod scanner;
mod subject;

use crate::heap::{self, Payload, Ref};
use crate::names;
use crate::objects::bytes::Bytes;
use crate::objects::exception::Exc;
use crate::objects::list::List;
use crate::objects::module::Module;
use crate::objects::native::{Def, Native};
use crate::objects::slots::BinOp;
use crate::objects::string::{Str, hash_bytes};
use crate::objects::tuple::Tuple;
use crate::value::Value;
use crate::vm::args::{Args, optional};
use crate::vm::{R, Vm};
use coldframe_regex::{Flags, Mode, PatternSource};
use hashbrown::HashTable;
use pattern::Pattern;
use std::cell::RefCell;

/// Patterns kept by the module's functions.
const CACHE_SIZE: usize = 512;

struct Cached {
    hash: u64,
    flags: u32,
    pattern: Ref<Pattern>,
}

thread_local! {
    static CACHE: RefCell<HashTable<Cached>> = const { RefCell::new(HashTable::new()) };
}

const FLAG_NAMES: [(&str, &str, u32); 8] = [
    ("IGNORECASE", "I", 2),
    ("LOCALE", "L", 4),
    ("MULTILINE", "M", 8),
    ("DOTALL", "S", 16),
    ("UNICODE", "U", 32),
    ("VERBOSE", "X", 64),
    ("DEBUG", "DEBUG", 128),
    ("ASCII", "A", 256),
];

const ALL: &[&str] = &[
    "match",
    "fullmatch",
    "search",
    "sub",
    "subn",
    "split",
    "findall",
    "finditer",
    "compile",
    "purge",
    "escape",
    "error",
    "Pattern",
    "Match",
    "A",
    "I",
    "L",
    "M",
    "S",
    "X",
    "U",
    "ASCII",
    "IGNORECASE",
    "LOCALE",
    "MULTILINE",
    "DOTALL",
    "VERBOSE",
    "UNICODE",
    "NOFLAG",
    "RegexFlag",
    "PatternError",
];

/// Makes the module.
pub(crate) fn module(vm: &mut Vm) -> Ref<Module> {
    pattern::init(vm);
    matches::init(vm);
    scanner::init(vm);
    let m = Module::native(vm, "re", "Support for regular expressions (RE).", FUNCTIONS);
    let error = error::class(vm).to_value();
    m.set(vm, "error", error.clone());
    m.set(vm, "PatternError", error);
    m.set(vm, "Pattern", Pattern::class().to_value());
    m.set(vm, "Match", matches::Match::class().to_value());
    m.set(
        vm,
        "__all__",
        List::value(ALL.iter().map(|n| Str::value(n)).collect()),
    );
    m.set(
        vm,
        "__path__",
        List::value(vec![Str::value("/lib/python3.14/re")]),
    );
    m.set(vm, "__package__", Str::value("re"));
    m.set(vm, "__version__", Str::value("2.2.1"));
    let getattr = Native::function(&GETATTR, Str::value("re"));
    m.dict.set_str(vm, pattern::getattr_name(), getattr);
    m
}

/// Binds the arguments of a function whose count and flags should be given by keyword: since Python 3.13 positions are deprecated.
fn with_counts(vm: &mut Vm, args: Args, function: &str, plain: usize) -> R<Vec<Value>> {
    let params = if plain == 2 {
        crate::params!("(pattern, string, maxsplit=0, flags=0)")
    } else {
        crate::params!("(pattern, repl, string, count=0, flags=0)")
    };
    let bound = args.bind(vm, function, params, 0)?;
    if args.positional().len() > plain {
        let count = if plain == 2 { "maxsplit" } else { "count" };
        warn(
            vm,
            &format!("'{count}' is passed as positional argument"),
            Exc::DeprecationWarning,
        )?;
    }
    Ok(bound)
}

/// CPython's parser of patterns, in Python: programs that look into patterns ask for it. Nothing here uses it.
const SUBMODULES: [&str; 4] = ["_casefix", "_compiler", "_constants", "_parser"];

/// Names that need `enum`, made together when the first of them is asked for.
static GETATTR: Def = Def::function("__getattr__", "(name, /)", |vm, args| {
    let name = args[0]
        .as_ref::<Str>()
        .map(|s| s.to_text().into_owned())
        .unwrap_or_default();
    let is_flag = FLAG_NAMES
        .iter()
        .any(|(long, short, _)| *long == name || *short == name)
        || matches!(&*name, "NOFLAG" | "RegexFlag" | "Scanner");
    if is_flag {
        let made = vm.import_module("_re_flags")?;
        let re = vm.import_module("re")?;
        for (long, short, _) in FLAG_NAMES
            .into_iter()
            .chain([("NOFLAG", "RegexFlag", 0), ("Scanner", "Scanner", 0)])
        {
            for name in [long, short] {
                let key = names::intern(name).to_value();
                let value = vm.get_attr(&made, &key)?;
                vm.set_attr(&re, &key, Some(&value))?;
            }
        }
        return vm.get_attr(&made, &args[0]);
    }
    if SUBMODULES.contains(&&*name) {
        return vm.import_module(&format!("re.{name}"));
    }
    let re = vm.import_module("re")?;
    Err(vm.no_attribute(&re, &args[0]))
});

static FUNCTIONS: &[Def] = &[
    Def::function("match", "(pattern, string, flags=0)", |vm, a| {
        let p = compile(vm, &a[0], optional(a, 2))?;
        pattern::match_once(vm, &p, Mode::Match, &a[1], (None, None))
    }),
    Def::function("fullmatch", "(pattern, string, flags=0)", |vm, a| {
        let p = compile(vm, &a[0], optional(a, 2))?;
        pattern::match_once(vm, &p, Mode::FullMatch, &a[1], (None, None))
    }),
    Def::function("search", "(pattern, string, flags=0)", |vm, a| {
        let p = compile(vm, &a[0], optional(a, 2))?;
        pattern::match_once(vm, &p, Mode::Search, &a[1], (None, None))
    }),
    Def::function("findall", "(pattern, string, flags=0)", |vm, a| {
        let p = compile(vm, &a[0], optional(a, 2))?;
        pattern::find_all(vm, &p, &a[1], (None, None))
    }),
    Def::function("finditer", "(pattern, string, flags=0)", |vm, a| {
        let p = compile(vm, &a[0], optional(a, 2))?;
        pattern::find_iter(vm, &p, &a[1], (None, None))
    }),
    Def::raw_function(
        "split",
        "(pattern, string, maxsplit=0, flags=0)",
        |vm, args| {
            let a = with_counts(vm, args, "split", 2)?;
            let p = compile(vm, &a[0], optional(&a, 3))?;
            pattern::split(vm, &p, &a[1], optional(&a, 2))
        },
    ),
    Def::raw_function(
        "sub",
        "(pattern, repl, string, count=0, flags=0)",
        |vm, args| {
            let a = with_counts(vm, args, "sub", 3)?;
            let p = compile(vm, &a[0], optional(&a, 4))?;
            Ok(replace::substitute(vm, &p, &a[1], &a[2], optional(&a, 3))?.0)
        },
    ),
    Def::raw_function(
        "subn",
        "(pattern, repl, string, count=0, flags=0)",
        |vm, args| {
            let a = with_counts(vm, args, "subn", 3)?;
            let p = compile(vm, &a[0], optional(&a, 4))?;
            let (text, n) = replace::substitute(vm, &p, &a[1], &a[2], optional(&a, 3))?;
            Ok(Tuple::value(vec![text, Value::int(n)]))
        },
    ),
    Def::function("compile", "(pattern, flags=0)", |vm, a| {
        Ok(compile(vm, &a[0], optional(a, 1))?.to_value())
    }),
    Def::function("_compile", "(pattern, flags)", |vm, a| {
        Ok(compile(vm, &a[0], Some(&a[1]))?.to_value())
    }),
    Def::function("purge", "()", |_, _| {
        let old = CACHE.replace(HashTable::new());
        drop(old);
        Ok(Value::NONE)
    }),
    Def::function("escape", "(pattern)", escape),
];

fn escape(vm: &mut Vm, args: &[Value]) -> R {
    // In WTF-8 the characters to escape are single bytes, as they are in `bytes`.
    if let Some(s) = args[0].as_ref::<Str>() {
        return Ok(Str::value_wtf8(&escape_raw(s.as_bytes())));
    }
    match crate::objects::bytes::buffer::view(vm, &args[0]).map(<[u8]>::to_vec) {
        Some(data) => Ok(Bytes::value(escape_raw(&data))),
        None => Err(vm.type_error(format!(
            "decoding to str: need a bytes-like object, {} found",
            pattern::type_name(&args[0])
        ))),
    }
}

fn escape_raw(raw: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(raw.len() + 8);
    for &b in raw {
        if coldframe_regex::needs_escape(b.into()) {
            out.push(b'\\');
        }
        out.push(b);
    }
    out
}

/// The text of flags as `repr` shows it.
fn flags_text(mut flags: u32) -> String {
    let mut parts: Vec<String> = Vec::new();
    for (name, _, bit) in FLAG_NAMES {
        if flags & bit != 0 {
            parts.push(format!("re.{name}"));
            flags &= !bit;
        }
    }
    if flags != 0 {
        parts.push(format!("{flags:#x}"));
    }
    parts.join("|")
}

/// The compiled pattern of what was passed as one, from the cache if it was compiled before.
fn compile(vm: &mut Vm, source: &Value, flags: Option<&Value>) -> R<Ref<Pattern>> {
    let flags = match flags {
        // Whatever is no number has the error of `flags & DEBUG`.
        Some(v) if !crate::objects::sequence::is_index(v) => {
            return Err(match vm.binary(BinOp::And, v, &Value::small_int(128)) {
                Ok(_) => vm.type_error("flags must be an integer"),
                Err(raised) => raised,
            });
        }
        Some(v) => match vm.index_clamped(v)? {
            n @ 0..=0xFFFF_FFFF => n as u32,
            n => {
                return Err(vm.overflow_error(if n < 0 {
                    "can't convert negative int to unsigned"
                } else {
                    "Python int too large to convert to C int"
                }));
            }
        },
        None => 0,
    };
    if let Some(p) = source.as_ref::<Pattern>() {
        return if flags == 0 {
            Ok(p.clone())
        } else {
            Err(vm.value_error("cannot process flags argument with a compiled pattern"))
        };
    }
    let key = if let Some(s) = source.as_exact::<Str>() {
        Some(s.hash() as u64)
    } else {
        source
            .as_exact::<Bytes>()
            .map(|b| !(hash_bytes(&b.data) as u64))
    };
    let Some(hash) = key
        .map(|h| h ^ (u64::from(flags) << 7))
        .filter(|_| flags & Flags::DEBUG.0 == 0)
    else {
        return build(vm, source, flags);
    };
    let known = CACHE.with_borrow(|cache| {
        cache
            .find(hash, |c| {
                c.hash == hash && c.flags == flags && same_source(&c.pattern.source, source)
            })
            .map(|c| c.pattern.clone())
    });
    if let Some(p) = known {
        return Ok(p);
    }
    let p = build(vm, source, flags)?;
    let full = CACHE.with_borrow_mut(|cache| {
        let full = if cache.len() >= CACHE_SIZE {
            std::mem::take(cache)
        } else {
            HashTable::new()
        };
        cache.insert_unique(
            hash,
            Cached {
                hash,
                flags,
                pattern: p.clone(),
            },
            |c| c.hash,
        );
        full
    });
    drop(full);
    Ok(p)
}

fn same_source(a: &Value, b: &Value) -> bool {
    match (a.as_exact::<Str>(), b.as_exact::<Str>()) {
        (Some(a), Some(b)) => a.same_text(b),
        _ => {
            matches!((a.as_exact::<Bytes>(), b.as_exact::<Bytes>()), (Some(a), Some(b)) if a.data == b.data)
        }
    }
}

fn build(vm: &mut Vm, source: &Value, flags: u32) -> R<Ref<Pattern>> {
    if !pattern::is_source(source) {
        return Err(vm.type_error("first argument must be string or compiled pattern"));
    }
    let lookup =
        |name: &str| crate::objects::string::unicode::lookup(name).and_then(char::from_u32);
    let result = match (source.as_ref::<Str>(), source.as_ref::<Bytes>()) {
        (Some(s), _) => {
            let units: Vec<u32> = s.chars().collect();
            coldframe_regex::Pattern::compile_with_names(
                PatternSource::Str(&units),
                Flags(flags),
                &lookup,
            )
        }
        (_, Some(b)) => {
            coldframe_regex::Pattern::compile(PatternSource::Bytes(&b.data), Flags(flags))
        }
        _ => return Err(vm.type_error("first argument must be string or compiled pattern")),
    };
    let compiled = match result {
        Ok(p) => p,
        Err(e) => return Err(error::raise(vm, &e, source)),
    };
    for warning in compiled.warnings() {
        warn(vm, &warning.msg, Exc::FutureWarning)?;
    }
    let names = pattern::names_dict(vm, &compiled);
    Ok(heap::alloc(Pattern {
        compiled,
        source: source.clone(),
        names,
        template: RefCell::new(None),
    }))
}

/// Issues a warning through `warnings`, when that module is there.
fn warn(vm: &mut Vm, message: &str, category: Exc) -> R<()> {
    vm.warn(category, message)
}
