//! Reading: the scanner that `json.JSONDecoder` makes.

use super::{MAX_DEPTH, decode_error, text};
use crate::class_slot;
use crate::heap::{self, Payload, Ref};
use crate::names;
use crate::objects::dict::Dict;
use crate::objects::float::Float;
use crate::objects::int::Int;
use crate::objects::list::List;
use crate::objects::native::receiver;
use crate::objects::slots::Slots;
use crate::objects::string::{Str, hash_bytes};
use crate::objects::tuple::Tuple;
use crate::objects::types::{BASE, ClassBuilder, Type};
use crate::value::Value;
use crate::vm::args::Args;
use crate::vm::{R, Vm};
use hashbrown::HashTable;

/// Payload of `_json.Scanner`.
pub(super) struct Scanner {
    strict: bool,
    /// The two hooks and the three functions for numbers and constants.
    hooks: [Value; 5],
    /// Whether integers and floats are made by `int` and `float` themselves.
    plain: (bool, bool),
}

const HOOKS: [&str; 5] = [
    "object_hook",
    "object_pairs_hook",
    "parse_float",
    "parse_int",
    "parse_constant",
];
const OBJECT_HOOK: usize = 0;
const PAIRS_HOOK: usize = 1;
const PARSE_FLOAT: usize = 2;
const PARSE_INT: usize = 3;
const PARSE_CONSTANT: usize = 4;

// SAFETY: visits every value held.
unsafe impl Payload for Scanner {
    class_slot!();
    fn traverse(&self, visit: &mut dyn FnMut(&Value)) {
        self.hooks.iter().for_each(visit);
    }
}

/// Builds the class, unless it exists.
pub(super) fn init(vm: &mut Vm) {
    if Scanner::class_slot().with(|slot| slot.is_set()) {
        return;
    }
    ClassBuilder::new::<Scanner>("Scanner")
        .flags(BASE)
        .slots(Slots {
            new: Some(new),
            call: Some(call),
            ..Slots::NONE
        })
        .module(vm, "_json")
        .doc(vm, "JSON scanner object")
        .getset(
            vm,
            "strict",
            |_, v| Ok(Value::bool(receiver::<Scanner>(v).strict)),
            None,
        )
        .getset(
            vm,
            "object_hook",
            |_, v| Ok(receiver::<Scanner>(v).hooks[OBJECT_HOOK].clone()),
            None,
        )
        .getset(
            vm,
            "object_pairs_hook",
            |_, v| Ok(receiver::<Scanner>(v).hooks[PAIRS_HOOK].clone()),
            None,
        )
        .getset(
            vm,
            "parse_float",
            |_, v| Ok(receiver::<Scanner>(v).hooks[PARSE_FLOAT].clone()),
            None,
        )
        .getset(
            vm,
            "parse_int",
            |_, v| Ok(receiver::<Scanner>(v).hooks[PARSE_INT].clone()),
            None,
        )
        .getset(
            vm,
            "parse_constant",
            |_, v| Ok(receiver::<Scanner>(v).hooks[PARSE_CONSTANT].clone()),
            None,
        )
        .build(vm);
}

fn new(vm: &mut Vm, class: &Ref<Type>, args: Args) -> R {
    let a = args.bind(vm, "make_scanner", crate::params!("(context)"), 0)?;
    let strict = vm.get_attr(&a[0], &names::intern("strict").to_value())?;
    let strict = vm.truthy(&strict)?;
    let mut hooks = [
        Value::NONE,
        Value::NONE,
        Value::NONE,
        Value::NONE,
        Value::NONE,
    ];
    for (hook, name) in hooks.iter_mut().zip(HOOKS) {
        *hook = vm.get_attr(&a[0], &names::intern(name).to_value())?;
    }
    let plain = (
        hooks[PARSE_INT].is_same(&Int::class().to_value()),
        hooks[PARSE_FLOAT].is_same(&Float::class().to_value()),
    );
    Ok(Value::from_ref(heap::alloc_instance(
        Scanner {
            strict,
            hooks,
            plain,
        },
        class,
        0,
    )))
}

fn call(vm: &mut Vm, v: &Value, args: Args) -> R {
    let a = args.bind(vm, "scan_once", crate::params!("(string, idx)"), 0)?;
    let scanner = receiver::<Scanner>(v).clone();
    let Some(s) = a[0].as_ref::<Str>().cloned() else {
        return Err(vm.type_error(format!(
            "first argument must be a string, not {}",
            vm.class_name(&a[0])
        )));
    };
    let index = vm.index_i64(&a[1])?;
    let Ok(index) = usize::try_from(index) else {
        return Err(vm.value_error("idx cannot be negative"));
    };
    if index > s.len() {
        return Err(vm.stop_iteration(a[1].clone()));
    }
    let mut reader = Reader {
        scanner: &scanner,
        s: &s,
        at: s.byte_offset(index),
        depth: 0,
        keys: HashTable::new(),
    };
    let value = reader.value(vm)?;
    let end = s.char_index(reader.at);
    Ok(Tuple::value(vec![value, Value::int(end as i64)]))
}

/// A document being read.
struct Reader<'a> {
    scanner: &'a Scanner,
    s: &'a Ref<Str>,
    /// Position in bytes.
    at: usize,
    depth: usize,
    /// The keys so far: equal ones are one object.
    keys: HashTable<Ref<Str>>,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.s.as_bytes().get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn word(&mut self, word: &str) -> bool {
        let found = self.s.as_bytes()[self.at..].starts_with(word.as_bytes());
        if found {
            self.at += word.len();
        }
        found
    }

    fn fail<T>(&self, vm: &mut Vm, message: &str, at: usize) -> R<T> {
        Err(decode_error(vm, message, self.s, at))
    }

    fn value(&mut self, vm: &mut Vm) -> R {
        let start = self.at;
        match self.peek() {
            Some(b'"') => {
                self.at += 1;
                return self.string(vm);
            }
            Some(b'{') => return self.nested(vm, "object", Self::object),
            Some(b'[') => return self.nested(vm, "array", Self::array),
            Some(b'n') if self.word("null") => return Ok(Value::NONE),
            Some(b't') if self.word("true") => return Ok(Value::TRUE),
            Some(b'f') if self.word("false") => return Ok(Value::FALSE),
            Some(b'N') if self.word("NaN") => return self.constant(vm, "NaN"),
            Some(b'I') if self.word("Infinity") => return self.constant(vm, "Infinity"),
            Some(b'-') if self.word("-Infinity") => return self.constant(vm, "-Infinity"),
            Some(b'-' | b'0'..=b'9') => {
                if let Some(v) = self.number(vm)? {
                    return Ok(v);
                }
            }
            _ => {}
        }
        let at = self.s.char_index(start);
        Err(vm.stop_iteration(Value::int(at as i64)))
    }

    fn nested(&mut self, vm: &mut Vm, what: &str, read: fn(&mut Self, &mut Vm) -> R) -> R {
        vm.poll_native()?;
        if self.depth >= MAX_DEPTH {
            return Err(vm.recursion_error(format!("maximum recursion depth exceeded while decoding a JSON {what} from a unicode string")));
        }
        self.depth += 1;
        self.at += 1;
        let result = read(self, vm);
        self.depth -= 1;
        result
    }

    fn string(&mut self, vm: &mut Vm) -> R {
        let rest = &self.s.as_bytes()[self.at..];
        let run = text::plain_run(rest, self.scanner.strict);
        if rest.get(run) == Some(&b'"') {
            self.at += run + 1;
            // A piece of ASCII is ASCII.
            return Ok(if run > 1 && self.s.is_ascii() {
                Value::from_ref(Str::from_ascii(&rest[..run]))
            } else {
                Str::value_wtf8(&rest[..run])
            });
        }
        let (piece, end) = text::scan(vm, self.s, self.at, self.scanner.strict)?;
        self.at = end;
        Ok(Str::value_wtf8(&piece))
    }

    fn key(&mut self, vm: &mut Vm) -> R<Ref<Str>> {
        let rest = &self.s.as_bytes()[self.at..];
        let run = text::plain_run(rest, self.scanner.strict);
        let scanned;
        let raw = if rest.get(run) == Some(&b'"') {
            self.at += run + 1;
            &rest[..run]
        } else {
            (scanned, self.at) = text::scan(vm, self.s, self.at, self.scanner.strict)?;
            &scanned[..]
        };
        let hash = hash_bytes(raw) as u64;
        if let Some(known) = self.keys.find(hash, |k| k.as_bytes() == raw) {
            return Ok(known.clone());
        }
        let key = Str::from_wtf8(raw);
        self.keys
            .insert_unique(hash, key.clone(), |k| k.hash() as u64);
        Ok(key)
    }

    fn constant(&self, vm: &mut Vm, name: &str) -> R {
        vm.call(&self.scanner.hooks[PARSE_CONSTANT], &[Str::value(name)])
    }

    /// A number, if there is one.
    fn number(&mut self, vm: &mut Vm) -> R<Option<Value>> {
        let bytes = self.s.as_bytes();
        let start = self.at;
        let digits = |mut at: usize| {
            while bytes.get(at).is_some_and(u8::is_ascii_digit) {
                at += 1;
            }
            at
        };
        let first = start + usize::from(bytes[start] == b'-');
        let mut end = match bytes.get(first) {
            Some(b'0') => first + 1,
            Some(b'1'..=b'9') => digits(first),
            _ => return Ok(None),
        };
        let mut is_float = false;
        if bytes.get(end) == Some(&b'.') && bytes.get(end + 1).is_some_and(u8::is_ascii_digit) {
            is_float = true;
            end = digits(end + 1);
        }
        if matches!(bytes.get(end), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
            if bytes.get(end + 1 + sign).is_some_and(u8::is_ascii_digit) {
                is_float = true;
                end = digits(end + 1 + sign);
            }
        }
        self.at = end;
        let text = &self.s.as_bytes()[start..end];
        let (plain_int, plain_float) = self.scanner.plain;
        if is_float && plain_float {
            let parsed = std::str::from_utf8(text)
                .ok()
                .and_then(|t| t.parse::<f64>().ok());
            return Ok(parsed.map(Value::float));
        }
        if !is_float && plain_int && text.len() <= 18 {
            let negative = text[0] == b'-';
            let n = text[usize::from(negative)..]
                .iter()
                .fold(0, |n, b| n * 10 + i64::from(b - b'0'));
            return Ok(Some(Value::int(if negative { -n } else { n })));
        }
        let parse = &self.scanner.hooks[if is_float { PARSE_FLOAT } else { PARSE_INT }];
        let text = Str::value_wtf8(text);
        Ok(Some(vm.call(parse, &[text])?))
    }

    fn array(&mut self, vm: &mut Vm) -> R {
        let mut items = Vec::new();
        self.skip_space();
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(List::value(items));
        }
        loop {
            vm.poll_native()?;
            let item = self.value(vm)?;
            if items.len() == items.capacity() {
                let more = items.len().max(8);
                if !heap::can_allocate((items.len() + more) * size_of::<Value>()) {
                    return Err(vm.memory_error());
                }
                items.reserve(more);
            }
            items.push(item);
            self.skip_space();
            let comma = self.at;
            match self.peek() {
                Some(b']') => break,
                Some(b',') => self.at += 1,
                _ => return self.fail(vm, "Expecting ',' delimiter", comma),
            }
            self.skip_space();
            if self.peek() == Some(b']') {
                return self.fail(vm, "Illegal trailing comma before end of array", comma);
            }
        }
        self.at += 1;
        Ok(List::value(items))
    }

    fn object(&mut self, vm: &mut Vm) -> R {
        let with_pairs = !self.scanner.hooks[PAIRS_HOOK].is_none();
        let dict = Dict::new();
        let mut pairs = Vec::new();
        self.skip_space();
        if self.peek() != Some(b'}') {
            if self.peek() != Some(b'"') {
                return self.fail(
                    vm,
                    "Expecting property name enclosed in double quotes",
                    self.at,
                );
            }
            loop {
                vm.poll_native()?;
                self.at += 1;
                let key = self.key(vm)?;
                self.skip_space();
                if self.peek() != Some(b':') {
                    return self.fail(vm, "Expecting ':' delimiter", self.at);
                }
                self.at += 1;
                self.skip_space();
                let value = self.value(vm)?;
                if with_pairs {
                    pairs.push(Tuple::value(vec![key.to_value(), value]));
                } else {
                    dict.set_str(vm, &key, value);
                }
                self.skip_space();
                let comma = self.at;
                match self.peek() {
                    Some(b'}') => break,
                    Some(b',') => self.at += 1,
                    _ => return self.fail(vm, "Expecting ',' delimiter", comma),
                }
                self.skip_space();
                match self.peek() {
                    Some(b'"') => {}
                    Some(b'}') => {
                        return self.fail(vm, "Illegal trailing comma before end of object", comma);
                    }
                    _ => {
                        return self.fail(
                            vm,
                            "Expecting property name enclosed in double quotes",
                            self.at,
                        );
                    }
                }
            }
        }
        self.at += 1;
        if with_pairs {
            return vm.call(&self.scanner.hooks[PAIRS_HOOK], &[List::value(pairs)]);
        }
        let dict = dict.to_value();
        if self.scanner.hooks[OBJECT_HOOK].is_none() {
            Ok(dict)
        } else {
            vm.call(&self.scanner.hooks[OBJECT_HOOK], &[dict])
        }
    }
}
