//! What is made on the way in and is more than a built-in type: objects of the library's types, by the library, and objects of classes.
//!
//! An object of a class of the session's is made without its `__init__`: it has been one before.

use super::decode::{Reader, deeper};
use super::{made, tag};
use crate::heap::{self, Kind, Payload, Ref};
use crate::names;
use crate::objects::dict::Dict;
use crate::objects::exception::Exc;
use crate::objects::module::Module;
use crate::objects::range::Slice;
use crate::objects::string::Str;
use crate::objects::tuple::Tuple;
use crate::objects::types::{EXCEPTION, Instance, Type};
use crate::value::Value;
use crate::vm::args::Args;
use crate::vm::ops::class_of;
use crate::vm::{R, Vm};

type Made<T = Value> = Result<T, String>;

/// How many digits a distance in time has at most, in microseconds: a day.
const A_DAY: i64 = 86_400_000_000;

impl<'a> Reader<'a> {
    /// The content of a tag that is none of a built-in type's; `None` if it is none of ours, or of the wrong form.
    pub(super) fn special(
        &mut self,
        tag: u64,
        major: u8,
        argument: u64,
        depth: usize,
    ) -> Made<Option<Value>> {
        let value = match (tag, major, argument) {
            (tag::RANGE, 4, 3) => {
                let parts = self.integers(3)?;
                let class = crate::objects::range::Range::class().to_value();
                self.call(&class, &parts)?
            }
            (tag::SLICE, 4, 3) => {
                let depth = deeper(depth)?;
                Value::from_ref(heap::alloc(Slice {
                    start: self.value(depth)?,
                    stop: self.value(depth)?,
                    step: self.value(depth)?,
                }))
            }
            (tag::DATE, 4, 3) => {
                let parts = self.integers(3)?;
                self.library("datetime", "date", &parts)?
            }
            (tag::TIME, 4, 6) => {
                let parts = self.integers(4)?;
                self.time("time", parts)?
            }
            (tag::DATE_TIME, 4, 9) => {
                let parts = self.integers(7)?;
                self.time("datetime", parts)?
            }
            (tag::TIME_DELTA, 4, 3) => {
                let parts = self.integers(3)?;
                self.library("datetime", "timedelta", &parts)?
            }
            (tag::FIXED_ZONE | tag::NAMED_ZONE, 4, 2) => self.zone(tag)?,
            (tag::DECIMAL, 3, _) => {
                let text = self.text_of(argument)?;
                if text.contains(|c: char| c == '_' || c.is_whitespace()) {
                    return Err(self.wrong("the text is not that of a Decimal"));
                }
                // The context of the session may round, or forbid NaNs: neither is asked for here.
                let class = self.find("decimal", "Decimal")?;
                let text = Str::value(text);
                let context = self.library("decimal", "Context", &[])?;
                self.call(&class, &[text, context])?
            }
            (tag::FRACTION, 4, 2) => {
                let parts = self.integers(2)?;
                self.library("fractions", "Fraction", &parts)?
            }
            (tag::PATH, 4, 2) => {
                let kind = self.text()?;
                let kind = ["PosixPath", "PurePosixPath", "PureWindowsPath"]
                    .into_iter()
                    .find(|k| *k == kind);
                let Some(kind) = kind else {
                    return Err(self.wrong("unknown kind of path"));
                };
                let text = Str::value(self.text()?);
                self.library("pathlib", kind, &[text])?
            }
            (tag::UUID, 2, 16) => {
                let bytes = self.take(16)?;
                let number = num_bigint::BigUint::from_bytes_be(bytes);
                let class = self.find("uuid", "UUID")?;
                let names = [names::intern("int").to_value()];
                let result = self
                    .vm
                    .call_args(&class, Args::new(&[Value::bigint(number.into())], &names));
                self.built(result)?
            }
            (tag::ENUM, 4, 4) => {
                let depth = deeper(depth)?;
                let (module, class) = (self.text()?, self.text()?);
                let name = self.optional_text()?;
                let value = self.value(depth)?;
                self.member(module, class, name, value)?
            }
            (tag::DATACLASS, 4, 3) => {
                let (module, class) = (self.text()?, self.text()?);
                let (names, values) = self.fields(depth)?;
                self.dataclass(module, class, &names, values)?
            }
            (tag::NAMED_TUPLE, 4, 3) => {
                let (module, class) = (self.text()?, self.text()?);
                let (names, values) = self.fields(depth)?;
                self.named_tuple(module, class, &names, values)?
            }
            (tag::EXCEPTION, 4, 3) => {
                let (module, class) = (self.text()?, self.text()?);
                let (byte, count) = self.head()?;
                if byte >> 5 != 4 {
                    return Ok(None);
                }
                let args = self.items(count, depth)?;
                self.exception(module, class, &args)?
            }
            _ => return Ok(None),
        };
        Ok(Some(value))
    }

    // ---- the library's types

    fn call(&mut self, f: &Value, args: &[Value]) -> Made {
        let result = self.vm.call(f, args);
        self.built(result)
    }

    /// Something of a module of the library, which is imported if need be.
    fn find(&mut self, module: &str, name: &str) -> Made {
        let found = find(self.vm, module, name);
        self.built(found)
    }

    fn library(&mut self, module: &str, name: &str, args: &[Value]) -> Made {
        let class = self.find(module, name)?;
        self.call(&class, args)
    }

    fn integers(&mut self, count: usize) -> Made<Vec<Value>> {
        let mut found = Vec::with_capacity(count);
        for _ in 0..count {
            found.push(self.integer()?);
        }
        Ok(found)
    }

    fn integer(&mut self) -> Made {
        // What nests cannot be an integer: no deeper than its tag is looked.
        let value = self.value(super::MAX_DEPTH)?;
        if value.is_exact_int() {
            Ok(value)
        } else {
            Err(self.wrong("an integer is expected"))
        }
    }

    fn small(&mut self) -> Made<i64> {
        let n = self.integer()?;
        match n.as_int().and_then(|n| n.to_i64()) {
            Some(n) => Ok(n),
            None => Err(self.wrong("the number is too large")),
        }
    }

    /// A `time` or a `datetime`: what is left are fold and zone.
    fn time(&mut self, class: &str, mut parts: Vec<Value>) -> Made {
        let fold = self.integer()?;
        let zone = if self.null() {
            Value::NONE
        } else {
            let (byte, tag) = self.head()?;
            let pair = self.head()?;
            if byte >> 5 != 6
                || !matches!(tag, tag::FIXED_ZONE | tag::NAMED_ZONE)
                || pair != (0x82, 2)
            {
                return Err(self.wrong("a time zone is expected"));
            }
            self.zone(tag)?
        };
        parts.extend([zone, fold]);
        let class = self.find("datetime", class)?;
        let names = [names::intern("fold").to_value()];
        let result = self.vm.call_args(&class, Args::new(&parts, &names));
        self.built(result)
    }

    fn zone(&mut self, tag: u64) -> Made {
        if tag == tag::FIXED_ZONE {
            let offset = self.small()?;
            let name = self.optional_text()?;
            if offset == 0 && name.is_none() {
                let class = self.find("datetime", "timezone")?;
                let utc = self.vm.get_attr(&class, &names::intern("utc").to_value());
                return self.built(utc);
            }
            if offset.abs() >= A_DAY {
                return Err(self.wrong("a distance from UTC is less than 24 hours"));
            }
            let parts = [0, 0, offset].map(Value::int);
            let mut args = vec![self.library("datetime", "timedelta", &parts)?];
            args.extend(name.map(Str::value));
            return self.library("datetime", "timezone", &args);
        }
        let key = Str::value(self.text()?);
        if !self.null() {
            self.small()?;
        }
        self.library("zoneinfo", "ZoneInfo", &[key])
    }

    // ---- objects of classes

    /// A map from names to values.
    fn fields(&mut self, depth: usize) -> Made<(Vec<&'a str>, Vec<Value>)> {
        let depth = deeper(depth)?;
        let (byte, count) = self.head()?;
        if byte >> 5 != 5 {
            return Err(self.wrong("a map of fields is expected"));
        }
        self.claim(count.saturating_mul(2))?;
        let (mut names, mut values) = (Vec::new(), Vec::new());
        for _ in 0..count {
            names.push(self.text()?);
            values.push(self.value(depth)?);
        }
        Ok((names, values))
    }

    fn member(&mut self, module: &str, class: &str, name: Option<&str>, value: Value) -> Made {
        if let Some(found) = find_class(self.vm, module, class) {
            let member = existing_member(self.vm, &found, name, &value);
            if let Some(member) = self.built(member)? {
                return Ok(member);
            }
        }
        let result = made::member(self.vm, module, class, name, &value);
        self.built(result)
    }

    fn dataclass(&mut self, module: &str, name: &str, names: &[&str], values: Vec<Value>) -> Made {
        let class = match find_class(self.vm, module, name) {
            Some(class) if has_fields(self.vm, &class, names) => class,
            _ => {
                let result = made::dataclass(self.vm, module, name, names);
                self.built(result)?
            }
        };
        let object = Value::from_ref(heap::alloc_instance(Instance, &class, 0));
        for (name, value) in names.iter().zip(values) {
            let name = names::intern(name).to_value();
            let set = self.vm.generic_set_attr(&object, &name, Some(&value));
            self.built(set)?;
        }
        Ok(object)
    }

    fn named_tuple(
        &mut self,
        module: &str,
        name: &str,
        names: &[&str],
        values: Vec<Value>,
    ) -> Made {
        let class = match find_class(self.vm, module, name) {
            Some(class) if has_tuple_fields(self.vm, &class, names) => class,
            _ => {
                let result = made::named_tuple(self.vm, module, name, names);
                self.built(result)?
            }
        };
        Ok(Value::from_ref(Tuple::instance(&class, values)))
    }

    fn exception(&mut self, module: &str, name: &str, args: &[Value]) -> Made {
        let class = match find_class(self.vm, module, name) {
            Some(class) if class.flag(EXCEPTION) => class,
            _ => {
                let result = made::exception(self.vm, module, name);
                self.built(result)?
            }
        };
        if class.is_static() {
            return self.call(&class.to_value(), args);
        }
        // The first built-in class below makes it: what the program's class does then has been done.
        let builtin = class
            .mro
            .get(self.vm)
            .iter()
            .find(|c| c.is_static())
            .cloned()
            .unwrap_or_else(|| Exc::BaseException.class().clone());
        let result = match builtin.slots().new {
            Some(new) => new(self.vm, &class, Args::positional_only(args)),
            None => Err(self.vm.type_error("the exception cannot be made")),
        };
        self.built(result)
    }
}

/// Something of a module, which is imported if need be.
pub(super) fn find(vm: &mut Vm, module: &str, name: &str) -> R {
    let module = vm.import_module(module)?;
    vm.get_attr(&module, &names::intern(name).to_value())
}

/// The class of that name, where it is as it says: in the module's namespace, or in that of a class there.
fn find_class(vm: &Vm, module: &str, name: &str) -> Option<Ref<Type>> {
    let module = vm.modules.get_str(vm, &names::intern(module))?;
    let mut names = name.split('.').map(names::intern);
    let mut found = module
        .as_ref::<Module>()?
        .dict
        .get_str(vm, &*names.next()?)?
        .as_ref::<Type>()?;
    for name in names {
        found = found.dict.get_str(vm, &name)?.as_ref::<Type>()?;
    }
    Some(found.clone())
}

/// The member of an enum of the session's, if it has such a one.
fn existing_member(
    vm: &mut Vm,
    class: &Ref<Type>,
    name: Option<&str>,
    value: &Value,
) -> R<Option<Value>> {
    let base = find(vm, "enum", "Enum")?;
    if !base
        .as_ref::<Type>()
        .is_some_and(|base| class.is_subclass_of(base))
    {
        return Ok(None);
    }
    let members = class.dict.get_str(vm, &names::intern("_member_map_"));
    let member = members
        .and_then(|members| members.as_ref::<Dict>())
        .and_then(|members| members.get_str(vm, &names::intern(name?)))
        .cloned();
    let member = match member {
        Some(member) => member,
        // A combination of flags is found by its value.
        None => {
            let flags = find(vm, "enum", "Flag")?;
            if !flags
                .as_ref::<Type>()
                .is_some_and(|f| class.is_subclass_of(f))
            {
                return Ok(None);
            }
            match vm.call(&class.to_value(), std::slice::from_ref(value)) {
                Ok(member) => member,
                Err(raised) => {
                    vm.swallow_any(raised)?;
                    return Ok(None);
                }
            }
        }
    };
    if !class_of(&member).same(class) {
        return Ok(None);
    }
    let Some(inner) = vm.instance_attr(&member, &names::intern("_value_")) else {
        return Ok(None);
    };
    Ok(vm.eq(&inner, value)?.then_some(member))
}

/// Whether it is a dataclass with these fields, whose instances are nothing but attributes.
fn has_fields(vm: &Vm, class: &Ref<Type>, wanted: &[&str]) -> bool {
    let fields = vm.type_lookup(class, &names::intern("__dataclass_fields__"));
    let Some(fields) = fields.as_ref().and_then(|f| f.as_exact::<Dict>()) else {
        return false;
    };
    class.vtable.kind == Kind::Instance
        && wanted
            .iter()
            .all(|name| fields.get_str(vm, &names::intern(name)).is_some())
}

fn has_tuple_fields(vm: &Vm, class: &Ref<Type>, wanted: &[&str]) -> bool {
    let fields = vm.type_lookup(class, &names::intern("_fields"));
    let Some(fields) = fields.as_ref().and_then(|f| f.as_exact::<Tuple>()) else {
        return false;
    };
    !class.is_static()
        && class.vtable.kind == Kind::Tuple
        && fields.items().len() == wanted.len()
        && fields
            .items()
            .iter()
            .zip(wanted)
            .all(|(field, name)| field.as_ref::<Str>().and_then(|f| f.as_str()) == Some(*name))
}
