//! `dict`: the class and its methods. Views are in [`super::views`].

use super::{Dict, views};
use crate::builtins::iterators::dict_iterator;
use crate::heap::{self, Payload, Ref};
use crate::names::{self, Names};
use crate::objects::exception::Exc;
use crate::objects::iterators::DictPart;
use crate::objects::list::List;
use crate::objects::native::{Def, receiver};
use crate::objects::sequence;
use crate::objects::set;
use crate::objects::slots::{BinOp, CmpOp, Slots, ops};
use crate::objects::string::Str;
use crate::objects::tuple::Tuple;
use crate::objects::types::{BASE, ClassBuilder, MAPPING, MATCH_SELF};
use crate::value::Value;
use crate::vm::args::{Args, optional};
use crate::vm::ops::class_of;
use crate::vm::{R, Raised, Vm};

/// Makes the classes.
pub(crate) fn init(vm: &mut Vm) {
    ClassBuilder::new::<Dict>("dict")
        .flags(BASE | MAPPING | MATCH_SELF)
        .slots(DICT)
        .methods(vm, METHODS)
        .build(vm);
    views::init(vm);
}

pub(crate) const DICT: Slots = Slots {
    repr: Some(repr),
    unhashable: true,
    compare: Some(compare),
    iter: Some(iter),
    len: Some(|vm, v| Ok(receiver::<Dict>(v).len(vm))),
    getitem: Some(getitem),
    setitem: Some(setitem),
    contains: Some(|vm, v, key| {
        let dict = receiver::<Dict>(v);
        let hash = super::hash_key(vm, key)?;
        Ok(dict.find(vm, key, hash)?.is_some())
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
    init: Some(|vm, v, args| update_args(vm, &receiver::<Dict>(v).clone(), args, "dict")),
    ..Slots::NONE
};

static METHODS: &[Def] = &[
    Def::method("clear", "(self, /)", |vm, args| {
        let old = receiver::<Dict>(&args[0]).map.get_mut(vm).take_all();
        drop(old);
        Ok(Value::NONE)
    }),
    Def::method("copy", "(self, /)", |vm, args| {
        copy(vm, receiver::<Dict>(&args[0])).map(Value::from_ref)
    }),
    Def::class_method("fromkeys", "(cls, iterable, value=None, /)", fromkeys),
    Def::method("get", "(self, key, default=None, /)", |vm, args| {
        let found = receiver::<Dict>(&args[0]).get_item(vm, &args[1])?;
        Ok(found.unwrap_or_else(|| optional(args, 2).cloned().unwrap_or(Value::NONE)))
    }),
    Def::method("items", "(self, /)", |_, args| {
        Ok(views::view(receiver::<Dict>(&args[0]), DictPart::Items))
    }),
    Def::method("keys", "(self, /)", |_, args| {
        Ok(views::view(receiver::<Dict>(&args[0]), DictPart::Keys))
    }),
    Def::method("values", "(self, /)", |_, args| {
        Ok(views::view(receiver::<Dict>(&args[0]), DictPart::Values))
    }),
    Def::method("pop", "(self, key, default=None, /)", |vm, args| {
        let dict = receiver::<Dict>(&args[0]);
        // In an empty dictionary even an unhashable key is only missing.
        let found = if dict.len(vm) == 0 {
            None
        } else {
            dict.remove_item(vm, &args[1])?
        };
        match (found, optional(args, 2)) {
            (Some(value), _) => Ok(value),
            (None, Some(default)) => Ok(default.clone()),
            (None, None) => Err(vm.key_error(&args[1])),
        }
    }),
    Def::method("popitem", "(self, /)", |vm, args| {
        let map = receiver::<Dict>(&args[0]).map.get_mut(vm);
        match map.pop_last() {
            Some((key, value)) => Ok(crate::builtins::iterators::pair(key, value)),
            None => Err(vm.raise(Exc::KeyError, "popitem(): dictionary is empty")),
        }
    }),
    Def::method("setdefault", "(self, key, default=None, /)", |vm, args| {
        let dict = receiver::<Dict>(&args[0]);
        let hash = super::hash_key(vm, &args[1])?;
        let value = optional(args, 2).cloned().unwrap_or(Value::NONE);
        dict.get_or_insert(vm, &args[1], hash, value)
    }),
    Def::raw_method("update", "(self, /, *args, **kwargs)", |vm, args| {
        let dict = receiver::<Dict>(&args.positional()[0]).clone();
        update_args(vm, &dict, args.tail(), "update")?;
        Ok(Value::NONE)
    }),
    Def::method("__reversed__", "(self, /)", |vm, args| {
        Ok(dict_iterator(
            vm,
            receiver::<Dict>(&args[0]),
            DictPart::Keys,
            true,
        ))
    }),
    Def::method("__sizeof__", "(self, /)", |vm, args| {
        let bytes = receiver::<Dict>(&args[0]).map.get(vm).memory();
        Ok(Value::int((size_of::<heap::Boxed<Dict>>() + bytes) as i64))
    }),
    Def::class_method(
        "__class_getitem__",
        "(cls, object, /)",
        crate::builtins::iterators::class_getitem,
    ),
];

fn iter(vm: &mut Vm, v: &Value) -> R {
    Ok(dict_iterator(
        vm,
        receiver::<Dict>(v),
        DictPart::Keys,
        false,
    ))
}

/// A `dict` with the same entries.
pub fn copy(vm: &mut Vm, dict: &Ref<Dict>) -> R<Ref<Dict>> {
    let map = dict.map.get(vm);
    if !heap::can_allocate(map.memory()) {
        return Err(vm.memory_error());
    }
    Ok(Dict::from_map(dict.map.get(vm).duplicate()))
}

fn getitem(vm: &mut Vm, v: &Value, key: &Value) -> R {
    let dict = receiver::<Dict>(v);
    if let Some(value) = dict.get_item(vm, key)? {
        return Ok(value);
    }
    if !v.is_exact::<Dict>()
        && let Some(value) =
            vm.call_special_opt(v, &Names::get().__missing__, std::slice::from_ref(key))?
    {
        return Ok(value);
    }
    Err(vm.key_error(key))
}

fn setitem(vm: &mut Vm, v: &Value, key: &Value, value: Option<&Value>) -> R<()> {
    let dict = receiver::<Dict>(v);
    match value {
        Some(value) => dict.set_item(vm, key, value.clone()),
        None => match dict.remove_item(vm, key)? {
            Some(old) => {
                drop(old);
                Ok(())
            }
            None => Err(vm.key_error(key)),
        },
    }
}

/// `repr(dict)`, also of an instance of a subclass.
pub fn repr(vm: &mut Vm, v: &Value) -> R {
    let dict = receiver::<Dict>(v).clone();
    if dict.len(vm) == 0 {
        return Ok(Str::value("{}"));
    }
    let text = vm.repr_once(v, |vm| {
        let mut out = vec![b'{'];
        push_entries(vm, &mut out, &dict)?;
        out.push(b'}');
        Ok(Str::value_wtf8(&out))
    })?;
    Ok(text.unwrap_or_else(|| Str::value("{...}")))
}

/// Appends `key: value` of every entry, with commas between.
fn push_entries(vm: &mut Vm, out: &mut Vec<u8>, dict: &Ref<Dict>) -> R<()> {
    let mut at = 0;
    let mut first = true;
    while let Some((slot, _, key, value)) = entry_from(vm, dict, at) {
        if !first {
            out.extend_from_slice(b", ");
        }
        first = false;
        let text = vm.repr(&key)?;
        sequence::push_text(vm, out, text.as_bytes())?;
        out.extend_from_slice(b": ");
        let text = vm.repr(&value)?;
        sequence::push_text(vm, out, text.as_bytes())?;
        at = slot + 1;
    }
    Ok(())
}

/// The first live entry at or after a slot: slot, hash, key and value.
#[inline]
pub fn entry_from(vm: &Vm, dict: &Dict, slot: usize) -> Option<(usize, i64, Value, Value)> {
    let map = dict.map.get(vm);
    let slot = map.next_slot(slot)?;
    map.entry(slot)
        .map(|e| (slot, e.hash, e.key.clone(), e.value.clone()))
}

fn compare(vm: &mut Vm, a: &Value, b: &Value, op: CmpOp) -> R {
    let (Some(x), Some(y)) = (a.as_ref::<Dict>(), b.as_ref::<Dict>()) else {
        return Ok(Value::NOT_IMPLEMENTED);
    };
    match op {
        CmpOp::Eq => equal(vm, x, y).map(Value::bool),
        CmpOp::Ne => equal(vm, x, y).map(|same| Value::bool(!same)),
        _ => Ok(Value::NOT_IMPLEMENTED),
    }
}

/// Whether two dictionaries have the same keys with equal values.
pub fn equal(vm: &mut Vm, a: &Ref<Dict>, b: &Ref<Dict>) -> R<bool> {
    if a.len(vm) != b.len(vm) {
        return Ok(false);
    }
    let mut at = 0;
    while let Some((slot, hash, key, value)) = entry_from(vm, a, at) {
        match b.get_hashed(vm, &key, hash)? {
            Some(other) if vm.eq(&value, &other)? => {}
            _ => return Ok(false),
        }
        at = slot + 1;
    }
    Ok(true)
}

fn binary(vm: &mut Vm, op: BinOp, a: &Value, b: &Value) -> R {
    if op != BinOp::Or {
        return Ok(Value::NOT_IMPLEMENTED);
    }
    let (Some(x), Some(_)) = (a.as_ref::<Dict>(), b.as_ref::<Dict>()) else {
        return Ok(Value::NOT_IMPLEMENTED);
    };
    let union = copy(vm, x)?;
    update(vm, &union, b)?;
    Ok(Value::from_ref(union))
}

fn inplace(vm: &mut Vm, op: BinOp, a: &Value, b: &Value) -> R {
    if op != BinOp::Or {
        return Ok(Value::NOT_IMPLEMENTED);
    }
    update(vm, &receiver::<Dict>(a).clone(), b)?;
    Ok(a.clone())
}

// ---- update

/// `dict.update(*args)` and `dict(*args)`
pub(crate) fn update_args(vm: &mut Vm, dict: &Ref<Dict>, args: Args, function: &str) -> R<()> {
    match args.positional() {
        [] => {}
        [source] => update(vm, dict, source)?,
        many => {
            let text = format!("{function} expected at most 1 argument, got {}", many.len());
            return Err(vm.type_error(text));
        }
    }
    for (name, value) in args.keywords() {
        let key = names::intern_ref(name).to_value();
        dict.set_item(vm, &key, value.clone())?;
    }
    Ok(())
}

/// Whether iterating over a dictionary (perhaps of a subclass) gives its entries as they are stored.
pub(crate) fn iterates_plainly(v: &Value) -> bool {
    let plain = iter as fn(&mut Vm, &Value) -> R;
    class_of(v)
        .slots()
        .iter
        .is_some_and(|f| std::ptr::fn_addr_eq(f, plain))
}

/// `dict.update(source)`, where `source` is a mapping or an iterable of pairs.
pub fn update(vm: &mut Vm, dict: &Ref<Dict>, source: &Value) -> R<()> {
    if let Some(other) = source.as_ref::<Dict>()
        && iterates_plainly(source)
    {
        return merge(vm, dict, other);
    }
    let keys = Names::get().keys.to_value();
    match vm.get_attr_opt(source, &keys)? {
        Some(keys) => {
            let keys = vm.call(&keys, &[])?;
            let it = vm.get_iter(&keys)?;
            while let Some(key) = vm.step(&it)? {
                vm.poll_native()?;
                let value = vm.get_item(source, &key)?;
                dict.set_item(vm, &key, value)?;
            }
            Ok(())
        }
        None => update_pairs(vm, dict, source),
    }
}

/// Takes over every entry of another dictionary.
fn merge(vm: &mut Vm, dict: &Ref<Dict>, other: &Ref<Dict>) -> R<()> {
    if dict.same(other) {
        return Ok(());
    }
    let other_map = other.map.get(vm);
    if !heap::can_allocate(other_map.memory()) {
        return Err(vm.memory_error());
    }
    if dict.map.get(vm).is_empty() {
        let map = other.map.get(vm).duplicate();
        let old = dict.map.replace(vm, map);
        drop(old);
        return Ok(());
    }
    let slots = other_map.slots();
    let mut at = 0;
    while let Some((slot, hash, key, value)) = entry_from(vm, other, at) {
        dict.set_hashed(vm, &key, hash, value)?;
        if other.map.get(vm).slots() != slots {
            return Err(vm.runtime_error("dict mutated during update"));
        }
        at = slot + 1;
    }
    Ok(())
}

fn update_pairs(vm: &mut Vm, dict: &Ref<Dict>, source: &Value) -> R<()> {
    let it = vm.get_iter(source)?;
    let mut index = 0;
    while let Some(item) = vm.step(&it)? {
        vm.poll_native()?;
        if let Some(t) = item.as_exact::<Tuple>()
            && let [key, value] = t.items()
        {
            dict.set_item(vm, key, value.clone())?;
        } else {
            let parts = match vm.collect(&item) {
                Ok(parts) => parts,
                Err(raised) => return Err(not_a_pair(vm, raised, index)),
            };
            let [key, value] = parts.as_slice() else {
                let text = format!(
                    "dictionary update sequence element #{index} has length {}; 2 is required",
                    parts.len()
                );
                return Err(vm.value_error(text));
            };
            dict.set_item(vm, key, value.clone())?;
        }
        index += 1;
    }
    Ok(())
}

/// The error for an element that is not iterable, with CPython's note.
#[cold]
fn not_a_pair(vm: &mut Vm, raised: Raised, index: usize) -> Raised {
    if !vm.error_is(Exc::TypeError) {
        return raised;
    }
    if let Err(raised) = vm.swallow_any(raised) {
        return raised;
    }
    let raised = vm.type_error("object is not iterable");
    let exception = vm.take_error();
    let note = Str::value(&format!(
        "Cannot convert dictionary update sequence element #{index} to a sequence"
    ));
    let notes = List::value(vec![note]);
    match vm.set_attr(&exception, &Names::get().__notes__.to_value(), Some(&notes)) {
        Ok(()) => vm.reraise(exception),
        Err(_) => raised,
    }
}

fn fromkeys(vm: &mut Vm, args: &[Value]) -> R {
    let value = optional(args, 2).cloned().unwrap_or(Value::NONE);
    let object = if args[0]
        .as_ref::<crate::objects::types::Type>()
        .is_some_and(|c| c.same(Dict::class()))
    {
        Value::from_ref(Dict::new())
    } else {
        vm.call(&args[0], &[])?
    };
    if let Some(dict) = object.as_exact::<Dict>() {
        if let Some(other) = args[1].as_exact::<Dict>() {
            let mut at = 0;
            while let Some((slot, hash, key, _)) = entry_from(vm, other, at) {
                dict.set_hashed(vm, &key, hash, value.clone())?;
                at = slot + 1;
            }
            return Ok(object);
        }
        if let Some(table) = set::table_of(&args[1]) {
            let keys: Vec<(i64, Value)> =
                table.get(vm).iter().map(|(h, k)| (h, k.clone())).collect();
            for (hash, key) in keys {
                dict.set_hashed(vm, &key, hash, value.clone())?;
            }
            return Ok(object);
        }
        let it = vm.get_iter(&args[1])?;
        while let Some(key) = vm.step(&it)? {
            vm.poll_native()?;
            dict.set_item(vm, &key, value.clone())?;
        }
        return Ok(object);
    }
    let it = vm.get_iter(&args[1])?;
    while let Some(key) = vm.step(&it)? {
        vm.poll_native()?;
        vm.set_item(&object, &key, &value)?;
    }
    Ok(object)
}
