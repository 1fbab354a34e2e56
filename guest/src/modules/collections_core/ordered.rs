//! `OrderedDict`: a dictionary whose order is part of its value. The entries of [`Dict`] are ordered anyway; the rest is comparison and moving.

use crate::builtins::iterators::dict_iterator;
use crate::heap::{self, Payload, Ref};
use crate::names::{self, Names};
use crate::objects::dict::methods::{entry_from, equal};
use crate::objects::dict::{self, Dict, hash_key};
use crate::objects::exception::Exc;
use crate::objects::iterators::DictPart;
use crate::objects::native::{Def, receiver};
use crate::objects::slots::{BinOp, CmpOp, Slots, ops};
use crate::objects::string::Str;
use crate::objects::tuple::Tuple;
use crate::objects::types::{BASE, ClassBuilder, Type};
use crate::value::Value;
use crate::vm::args::{Args, optional};
use crate::vm::ops::class_of;
use crate::vm::{R, Vm};
use std::cell::OnceCell;

thread_local! {
    static CLASS: OnceCell<Ref<Type>> = const { OnceCell::new() };
}

/// Whether a class is `OrderedDict` or a subclass of it.
#[inline]
pub fn is_ordered(class: &Ref<Type>) -> bool {
    !class.same(Dict::class()) && CLASS.with(|c| c.get().is_some_and(|c| class.is_subclass_of(c)))
}

fn is_exact(v: &Value) -> bool {
    CLASS.with(|c| c.get().is_some_and(|c| class_of(v).same(c)))
}

/// The class.
pub(super) fn class(vm: &mut Vm) -> Ref<Type> {
    if let Some(class) = CLASS.with(|c| c.get().cloned()) {
        return class;
    }
    let slots = Slots {
        repr: Some(repr),
        unhashable: true,
        compare: Some(compare),
        iter: Some(|vm, v| {
            Ok(dict_iterator(
                vm,
                receiver::<Dict>(v),
                DictPart::Keys,
                false,
            ))
        }),
        binary: Some(binary),
        binary_ops: ops(&[BinOp::Or]),
        reflected_ops: ops(&[BinOp::Or]),
        inplace: Some(inplace),
        inplace_ops: ops(&[BinOp::Or]),
        new: Some(|_, class, _| {
            Ok(Value::from_ref(heap::alloc_instance(
                Dict::empty_payload(),
                class,
                0,
            )))
        }),
        init: Some(|vm, v, args| update(vm, v, args, "OrderedDict")),
        ..Slots::NONE
    };
    let builder = ClassBuilder::sibling::<Dict>("OrderedDict")
        .base(Dict::class())
        .flags(BASE)
        .slots(slots)
        .weak()
        .attrs(2);
    let class = builder
        .methods(vm, METHODS)
        .module(vm, "collections")
        .build(vm);
    crate::builtins::module_type::add_instance_attributes(vm, &class);
    CLASS.with(|c| {
        let _ = c.set(class.clone());
    });
    class
}

static METHODS: &[Def] = &[
    Def::method("copy", "(self, /)", |vm, args| {
        let v = &args[0];
        let result = if is_exact(v) {
            Value::from_ref(heap::alloc_instance(Dict::empty_payload(), class_of(v), 0))
        } else {
            let class = class_of(v).to_value();
            vm.call(&class, &[])?
        };
        let source = receiver::<Dict>(v);
        let mut at = 0;
        while let Some((slot, hash, key, value)) = entry_from(vm, source, at) {
            match result.as_ref::<Dict>() {
                Some(target) if is_exact(v) => target.set_hashed(vm, &key, hash, value)?,
                _ => {
                    let value = vm.get_item(v, &key)?;
                    vm.set_item(&result, &key, &value)?;
                }
            }
            at = slot + 1;
        }
        Ok(result)
    }),
    Def::class_method("fromkeys", "(cls, iterable, value=None)", |vm, args| {
        let value = optional(args, 2).cloned().unwrap_or(Value::NONE);
        let result = vm.call(&args[0], &[])?;
        let it = vm.get_iter(&args[1])?;
        while let Some(key) = vm.iter_next(&it)? {
            vm.poll_native()?;
            vm.poll_native()?;
            vm.set_item(&result, &key, &value)?;
        }
        Ok(result)
    }),
    Def::method("move_to_end", "(self, key, last=True)", |vm, args| {
        let last = match optional(args, 2) {
            Some(last) => vm.truthy(last)?,
            None => true,
        };
        let dict = receiver::<Dict>(&args[0]);
        let hash = hash_key(vm, &args[1])?;
        match dict.find(vm, &args[1], hash)? {
            Some(slot) if last => dict.map.get_mut(vm).move_to_back(slot),
            Some(slot) => dict.map.get_mut(vm).move_to_front(slot),
            None => return Err(vm.key_error(&args[1])),
        }
        Ok(Value::NONE)
    }),
    Def::method("pop", "(self, key, default=None)", |vm, args| {
        match pop(vm, &args[0], &args[1])? {
            Some(value) => Ok(value),
            None => match optional(args, 2) {
                Some(default) => Ok(default.clone()),
                None => Err(vm.key_error(&args[1])),
            },
        }
    }),
    Def::method("popitem", "(self, last=True)", |vm, args| {
        let last = match optional(args, 1) {
            Some(last) => vm.truthy(last)?,
            None => true,
        };
        let map = receiver::<Dict>(&args[0]).map.get(vm);
        let slot = if last {
            map.slot_before(usize::MAX)
        } else {
            map.next_slot(0)
        };
        let Some((slot, key)) = slot.and_then(|s| map.entry(s).map(|e| (s, e.key.clone()))) else {
            return Err(vm.raise(Exc::KeyError, "dictionary is empty"));
        };
        if is_exact(&args[0]) {
            let map = receiver::<Dict>(&args[0]).map.get_mut(vm);
            let removed = if last { map.pop_last() } else { None };
            let (key, value) = removed.unwrap_or_else(|| map.remove_slot(slot));
            return Ok(crate::builtins::iterators::pair(key, value));
        }
        match pop(vm, &args[0], &key)? {
            Some(value) => Ok(crate::builtins::iterators::pair(key, value)),
            None => Err(vm.key_error(&key)),
        }
    }),
    Def::method("setdefault", "(self, key, default=None)", |vm, args| {
        let dict = receiver::<Dict>(&args[0]);
        let default = optional(args, 2).cloned().unwrap_or(Value::NONE);
        if is_exact(&args[0]) {
            let hash = hash_key(vm, &args[1])?;
            if let Some(value) = dict.get_hashed(vm, &args[1], hash)? {
                return Ok(value);
            }
            dict.set_hashed(vm, &args[1], hash, default.clone())?;
            return Ok(default);
        }
        if vm.contains(&args[0], &args[1])? {
            return vm.get_item(&args[0], &args[1]);
        }
        vm.set_item(&args[0], &args[1], &default)?;
        Ok(default)
    }),
    Def::raw_method("update", "(self, /, *args, **kwargs)", |vm, args| {
        update(vm, &args.positional()[0], args.tail(), "update")?;
        Ok(Value::NONE)
    }),
    Def::method("__reduce__", "(self, /)", |vm, args| {
        let state = vm.call_method(&args[0], &Names::get().__getstate__, &[])?;
        let items = vm.call_method(&args[0], &Names::get().items, &[])?;
        let items = vm.get_iter(&items)?;
        Ok(Tuple::value(vec![
            class_of(&args[0]).to_value(),
            Tuple::empty(),
            state,
            Value::NONE,
            items,
        ]))
    }),
    Def::method("__reversed__", "(self, /)", |vm, args| {
        Ok(dict_iterator(
            vm,
            receiver::<Dict>(&args[0]),
            DictPart::Keys,
            true,
        ))
    }),
];

/// Removes a key; special methods of subclasses have no say in it.
fn pop(vm: &mut Vm, v: &Value, key: &Value) -> R<Option<Value>> {
    receiver::<Dict>(v).remove_item(vm, key)
}

/// `OrderedDict.update(*args, **kwargs)`: by way of `__setitem__`, which subclasses may override.
fn update(vm: &mut Vm, v: &Value, args: Args, function: &str) -> R<()> {
    match args.positional() {
        [] => {}
        [source] => update_from(vm, v, source)?,
        many => {
            let text = match function {
                "update" => format!(
                    "update() takes at most 1 positional argument ({} given)",
                    many.len()
                ),
                _ => format!("expected at most 1 arguments, got {}", many.len()),
            };
            return Err(vm.type_error(text));
        }
    }
    for (name, value) in args.keywords() {
        vm.set_item(v, &names::intern_ref(name).to_value(), value)?;
    }
    Ok(())
}

fn update_from(vm: &mut Vm, v: &Value, source: &Value) -> R<()> {
    if is_exact(v)
        && source.as_ref::<Dict>().is_some()
        && (source.is_exact::<Dict>() || is_exact(source))
    {
        return dict::methods::update(vm, &receiver::<Dict>(v).clone(), source);
    }
    let n = Names::get();
    if source.is_exact::<Dict>() {
        let items = vm.call_method(source, &n.items, &[])?;
        return update_from_pairs(vm, v, &items);
    }
    if let Some(keys) = vm.get_attr_opt(source, &n.keys.to_value())? {
        let keys = vm.call(&keys, &[])?;
        let it = vm.get_iter(&keys)?;
        while let Some(key) = vm.iter_next(&it)? {
            let value = vm.get_item(source, &key)?;
            vm.set_item(v, &key, &value)?;
        }
        return Ok(());
    }
    if let Some(items) = vm.get_attr_opt(source, &n.items.to_value())? {
        let items = vm.call(&items, &[])?;
        return update_from_pairs(vm, v, &items);
    }
    update_from_pairs(vm, v, source)
}

fn update_from_pairs(vm: &mut Vm, v: &Value, pairs: &Value) -> R<()> {
    let it = vm.get_iter(pairs)?;
    while let Some(pair) = vm.iter_next(&it)? {
        vm.poll_native()?;
        let parts = vm.collect(&pair)?;
        match parts.as_slice() {
            [key, value] => vm.set_item(v, key, value)?,
            [] | [_] => {
                let text = format!(
                    "need more than {} value{} to unpack",
                    parts.len(),
                    if parts.len() == 1 { "" } else { "s" }
                );
                return Err(vm.value_error(text));
            }
            _ => return Err(vm.value_error("too many values to unpack (expected 2)")),
        }
    }
    Ok(())
}

fn repr(vm: &mut Vm, v: &Value) -> R {
    let name = class_of(v).bare_name().into_owned();
    let source = receiver::<Dict>(v).clone();
    if source.len(vm) == 0 {
        return Ok(Str::value(&format!("{name}()")));
    }
    let text = vm.repr_once(v, |vm| {
        let plain = if is_exact(v) {
            dict::methods::copy(vm, &source)?
        } else {
            // A subclass may have its own idea of its items.
            let items = vm.call_method(v, &Names::get().items, &[])?;
            let plain = Dict::new();
            dict::methods::update(vm, &plain, &items)?;
            plain
        };
        let items = vm.repr(&plain.to_value())?;
        let mut out = format!("{name}(").into_bytes();
        out.extend_from_slice(items.as_bytes());
        out.push(b')');
        Ok(Str::value_wtf8(&out))
    })?;
    Ok(text.unwrap_or_else(|| Str::value("...")))
}

fn compare(vm: &mut Vm, a: &Value, b: &Value, op: CmpOp) -> R {
    let (Some(x), Some(y)) = (a.as_ref::<Dict>(), b.as_ref::<Dict>()) else {
        return Ok(Value::NOT_IMPLEMENTED);
    };
    if !matches!(op, CmpOp::Eq | CmpOp::Ne) {
        return Ok(Value::NOT_IMPLEMENTED);
    }
    let mut same = equal(vm, x, y)?;
    if same && is_ordered(class_of(b)) && is_ordered(class_of(a)) {
        let (mut i, mut j) = (0, 0);
        while let (Some((p, _, k, _)), Some((q, _, l, _))) =
            (entry_from(vm, x, i), entry_from(vm, y, j))
        {
            if !vm.eq(&k, &l)? {
                same = false;
                break;
            }
            (i, j) = (p + 1, q + 1);
        }
    }
    Ok(Value::bool(same == (op == CmpOp::Eq)))
}

fn binary(vm: &mut Vm, op: BinOp, a: &Value, b: &Value) -> R {
    if op != BinOp::Or || !a.is::<Dict>() || !b.is::<Dict>() {
        return Ok(Value::NOT_IMPLEMENTED);
    }
    let class = if is_ordered(class_of(a)) {
        class_of(a)
    } else {
        class_of(b)
    }
    .to_value();
    let result = vm.call(&class, std::slice::from_ref(a))?;
    update_from(vm, &result, b)?;
    Ok(result)
}

fn inplace(vm: &mut Vm, op: BinOp, a: &Value, b: &Value) -> R {
    if op != BinOp::Or {
        return Ok(Value::NOT_IMPLEMENTED);
    }
    update_from(vm, a, b)?;
    Ok(a.clone())
}
