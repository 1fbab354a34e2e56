//! Classes for objects that come from outside and whose class the session does not have: of that name, with those fields.
//!
//! They are kept, so that objects of the same class and fields are of the same class here too. The library makes them.

use super::build::find;
use crate::heap::{Payload, Ref};
use crate::names::{self, Names};
use crate::objects::bytes::Bytes;
use crate::objects::dict::Dict;
use crate::objects::exception::Exc;
use crate::objects::list::List;
use crate::objects::string::Str;
use crate::objects::tuple::Tuple;
use crate::objects::types::{Instance, Type};
use crate::value::Value;
use crate::vm::args::Args;
use crate::vm::{R, Vm};

/// Under which name the machine keeps the classes.
const KEPT: &str = "classes made for values from outside";

/// How many are kept; when there are more, all are forgotten.
const MOST: usize = 1024;

/// The name without those of the classes and functions around it.
fn bare(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

fn kept(vm: &mut Vm) -> Ref<Dict> {
    let kept = vm.settings.get(KEPT).and_then(|d| d.as_ref::<Dict>());
    match kept.filter(|d| d.len(vm) < MOST) {
        Some(kept) => kept.clone(),
        None => {
            let new = Dict::new();
            vm.settings.insert(KEPT, new.to_value());
            new
        }
    }
}

/// The class that is kept under the key, or made now.
fn class(
    vm: &mut Vm,
    key: Vec<Value>,
    module: &str,
    name: &str,
    make: impl FnOnce(&mut Vm) -> R,
) -> R<Ref<Type>> {
    let (kept, key) = (kept(vm), Tuple::value(key));
    let known = kept.get_item(vm, &key)?;
    if let Some(known) = known.and_then(|known| known.into_ref::<Type>().ok()) {
        return Ok(known);
    }
    let made = make(vm)?;
    for (attribute, text) in [
        (&Names::get().__module__, module),
        (&Names::get().__qualname__, name),
    ] {
        vm.set_attr(&made, &attribute.to_value(), Some(&Str::value(text)))?;
    }
    match made.into_ref::<Type>() {
        Ok(class) => {
            kept.set_item(vm, &key, class.to_value())?;
            Ok(class)
        }
        Err(_) => Err(vm.type_error("the class cannot be made")),
    }
}

fn key(kind: &str, module: &str, name: &str, names: &[&str]) -> Vec<Value> {
    [kind, module, name]
        .iter()
        .chain(names)
        .map(|text| Str::value(text))
        .collect()
}

fn texts(names: &[&str]) -> Vec<Value> {
    names.iter().map(|name| Str::value(name)).collect()
}

pub(super) fn dataclass(vm: &mut Vm, module: &str, name: &str, names: &[&str]) -> R<Ref<Type>> {
    let key = key("dataclass", module, name, names);
    class(vm, key, module, name, |vm| {
        let make = find(vm, "dataclasses", "make_dataclass")?;
        let object = Instance::class().to_value();
        let fields = texts(names)
            .into_iter()
            .map(|name| Tuple::value(vec![name, object.clone()]))
            .collect();
        vm.call(&make, &[Str::value(bare(name)), List::value(fields)])
    })
}

pub(super) fn named_tuple(vm: &mut Vm, module: &str, name: &str, names: &[&str]) -> R<Ref<Type>> {
    let key = key("named tuple", module, name, names);
    class(vm, key, module, name, |vm| {
        let make = find(vm, "collections", "namedtuple")?;
        vm.call(&make, &[Str::value(bare(name)), List::value(texts(names))])
    })
}

pub(super) fn exception(vm: &mut Vm, module: &str, name: &str) -> R<Ref<Type>> {
    let key = key("exception", module, name, &[]);
    class(vm, key, module, name, |vm| {
        let bases = Tuple::value(vec![Exc::Exception.class().to_value()]);
        let args = [Str::value(bare(name)), bases, Dict::new().to_value()];
        vm.call(&Type::class().to_value(), &args)
    })
}

/// The member of an enum made for it: each value has an enum of its own, since an enum cannot grow.
pub(super) fn member(
    vm: &mut Vm,
    module: &str,
    class_name: &str,
    name: Option<&str>,
    value: &Value,
) -> R {
    // Values are told apart as their encodings are: 1 and True are not the same, and lists are as good as numbers.
    let encoding = match super::encode(vm, value) {
        Ok(bytes) => Bytes::value(bytes),
        Err(reason) => return Err(vm.type_error(reason)),
    };
    // Only a combination of flags has no name; it gets one to be found by, and loses it again.
    let found_by = name.unwrap_or("NONE");
    let kind = if name.is_some() { "enum" } else { "flags" };
    let mut key = key(kind, module, class_name, &[found_by]);
    key.push(encoding);
    let made = class(vm, key, module, class_name, |vm| {
        let pair = Tuple::value(vec![Str::value(found_by), value.clone()]);
        let mut args = vec![Str::value(bare(class_name)), List::value(vec![pair])];
        if name.is_some() || !value.is_exact_int() {
            let base = find(vm, "enum", "Enum")?;
            return vm.call(&base, &args);
        }
        let base = find(vm, "enum", "Flag")?;
        args.push(find(vm, "enum", "KEEP")?);
        let names = [names::intern("boundary").to_value()];
        vm.call_args(&base, Args::new(&args, &names))
    })?;
    let made = made.to_value();
    let member = vm.get_attr(&made, &names::intern(found_by).to_value())?;
    if name.is_none() {
        let attribute = names::intern("_name_").to_value();
        vm.set_attr(&member, &attribute, Some(&Value::NONE))?;
    }
    Ok(member)
}
