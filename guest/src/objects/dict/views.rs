//! `dict_keys`, `dict_values` and `dict_items`, and the views of `OrderedDict`.

use super::Dict;
use super::methods::entry_from;
use crate::builtins::iterators::dict_iterator;
use crate::class_slot;
use crate::heap::{self, Payload, Ref};
use crate::objects::iterators::DictPart;
use crate::objects::list::List;
use crate::objects::native::{Def, receiver};
use crate::objects::set::{self, Set};
use crate::objects::slots::{BinOp, CmpOp, Slots, ops};
use crate::objects::string::Str;
use crate::objects::tuple::Tuple;
use crate::objects::types::{ClassBuilder, Type};
use crate::value::Value;
use crate::vm::ops::class_of;
use crate::vm::{R, Vm};
use std::cell::OnceCell;

/// Payload of the views.
pub struct DictView {
    /// The dictionary.
    pub dict: Ref<Dict>,
    /// What the view shows.
    pub part: DictPart,
}

// SAFETY: visits the dictionary.
unsafe impl Payload for DictView {
    class_slot!();
    fn traverse(&self, visit: &mut dyn FnMut(&Value)) {
        self.dict.with_value(visit);
    }
}

thread_local! {
    /// Keys, values and items of `dict`, then of `OrderedDict`.
    static CLASSES: OnceCell<[Ref<Type>; 6]> = const { OnceCell::new() };
}

/// Makes the classes.
pub(super) fn init(vm: &mut Vm) {
    let names = [
        "dict_keys",
        "dict_values",
        "dict_items",
        "odict_keys",
        "odict_values",
        "odict_items",
    ];
    let mut index = 0;
    let mut built: Vec<Ref<Type>> = Vec::new();
    let classes = names.map(|name| {
        let builder = if index == 0 {
            ClassBuilder::new::<DictView>(name)
        } else {
            ClassBuilder::sibling::<DictView>(name)
        };
        let is_set = index % 3 != 1;
        let builder = builder
            .slots(if is_set { SET_VIEW } else { VIEW })
            .methods(vm, METHODS)
            .getset(vm, "mapping", mapping, None);
        let builder = if is_set {
            builder.methods(vm, SET_METHODS)
        } else {
            builder
        };
        let builder = if index >= 3 {
            builder.base(&built[index - 3])
        } else {
            builder
        };
        let class = builder.build(vm);
        built.push(class.clone());
        index += 1;
        class
    });
    CLASSES.with(|c| {
        let _ = c.set(classes);
    });
}

/// A view of a dictionary.
pub fn view(dict: &Ref<Dict>, part: DictPart) -> Value {
    let ordered = crate::modules::collections_core::is_ordered(dict.header().class());
    let payload = DictView {
        dict: dict.clone(),
        part,
    };
    match (part, ordered) {
        (DictPart::Keys, false) => Value::from_ref(heap::alloc(payload)),
        _ => CLASSES.with(|c| match c.get() {
            Some(classes) => Value::from_ref(heap::alloc_instance(
                payload,
                &classes[part as usize + 3 * ordered as usize],
                0,
            )),
            None => Value::from_ref(heap::alloc(payload)),
        }),
    }
}

const VIEW: Slots = Slots {
    repr: Some(repr),
    iter: Some(|vm, v| {
        let view = receiver::<DictView>(v);
        Ok(dict_iterator(vm, &view.dict, view.part, false))
    }),
    len: Some(|vm, v| Ok(receiver::<DictView>(v).dict.len(vm))),
    ..Slots::NONE
};

const SET_VIEW: Slots = Slots {
    unhashable: true,
    contains: Some(contains),
    compare: Some(compare),
    binary: Some(binary),
    binary_ops: ops(&[BinOp::And, BinOp::Or, BinOp::Xor, BinOp::Sub]),
    reflected_ops: ops(&[BinOp::And, BinOp::Or, BinOp::Xor, BinOp::Sub]),
    ..VIEW
};

static METHODS: &[Def] = &[Def::method("__reversed__", "(self, /)", |vm, args| {
    let view = receiver::<DictView>(&args[0]);
    Ok(dict_iterator(vm, &view.dict, view.part, true))
})];

static SET_METHODS: &[Def] = &[Def::method("isdisjoint", "(self, other, /)", |vm, args| {
    let (mut me, mut other) = (&args[0], &args[1]);
    if me.is_same(other) {
        return Ok(Value::bool(vm.len(me)? == 0));
    }
    if (set::table_of(other).is_some() || is_set_view(other)) && vm.len(other)? > vm.len(me)? {
        (me, other) = (other, me);
    }
    let it = vm.get_iter(other)?;
    while let Some(item) = vm.iter_next(&it)? {
        vm.poll_native()?;
        if vm.contains(me, &item)? {
            return Ok(Value::FALSE);
        }
    }
    Ok(Value::TRUE)
})];

fn mapping(_: &mut Vm, v: &Value) -> R {
    Ok(crate::builtins::descriptors::mapping_proxy(
        receiver::<DictView>(v).dict.to_value(),
    ))
}

/// Whether a value is a view of keys or items.
fn is_set_view(v: &Value) -> bool {
    v.as_ref::<DictView>()
        .is_some_and(|view| view.part != DictPart::Values)
}

fn repr(vm: &mut Vm, v: &Value) -> R {
    let text = vm.repr_once(v, |vm| {
        let items = vm.collect(v)?;
        let list = List::value(items);
        let text = vm.repr(&list)?;
        let mut out = class_of(v).name().into_owned().into_bytes();
        out.push(b'(');
        out.extend_from_slice(text.as_bytes());
        out.push(b')');
        Ok(Str::value_wtf8(&out))
    })?;
    Ok(text.unwrap_or_else(|| Str::value("...")))
}

fn contains(vm: &mut Vm, v: &Value, item: &Value) -> R<bool> {
    let view = receiver::<DictView>(v);
    if view.part == DictPart::Keys {
        let hash = super::hash_key(vm, item)?;
        return Ok(view.dict.find(vm, item, hash)?.is_some());
    }
    let Some(pair) = item.as_ref::<Tuple>() else {
        return Ok(false);
    };
    let [key, value] = pair.items() else {
        return Ok(false);
    };
    match view.dict.get_item(vm, key)? {
        Some(found) => vm.eq(&found, value),
        None => Ok(false),
    }
}

/// Whether every item of `a` is in `b`.
fn all_in(vm: &mut Vm, a: &Value, b: &Value) -> R<bool> {
    let it = vm.get_iter(a)?;
    while let Some(item) = vm.iter_next(&it)? {
        vm.poll_native()?;
        if !vm.contains(b, &item)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn compare(vm: &mut Vm, a: &Value, b: &Value, op: CmpOp) -> R {
    if set::table_of(b).is_none() && !is_set_view(b) {
        return Ok(Value::NOT_IMPLEMENTED);
    }
    let (m, n) = (vm.len(a)?, vm.len(b)?);
    let holds = match op {
        CmpOp::Eq | CmpOp::Ne => m == n && all_in(vm, a, b)?,
        CmpOp::Lt => m < n && all_in(vm, a, b)?,
        CmpOp::Le => m <= n && all_in(vm, a, b)?,
        CmpOp::Gt => m > n && all_in(vm, b, a)?,
        CmpOp::Ge => m >= n && all_in(vm, b, a)?,
    };
    Ok(Value::bool(holds != (op == CmpOp::Ne)))
}

/// `set(v)`; the hashes of a dictionary's keys are known.
fn to_set(vm: &mut Vm, v: &Value) -> R<Ref<Set>> {
    let result = Set::new();
    if let Some(view) = v.as_ref::<DictView>()
        && view.part == DictPart::Keys
    {
        let mut at = 0;
        while let Some((slot, hash, key, _)) = entry_from(vm, &view.dict, at) {
            set::add_hashed(vm, &result.table, &key, hash)?;
            at = slot + 1;
        }
        return Ok(result);
    }
    set::ops::update(vm, &result.table, v)?;
    Ok(result)
}

fn binary(vm: &mut Vm, op: BinOp, a: &Value, b: &Value) -> R {
    match op {
        BinOp::And => intersection(vm, a, b),
        BinOp::Or => {
            let result = to_set(vm, a)?;
            set::ops::update(vm, &result.table, b)?;
            Ok(Value::from_ref(result))
        }
        BinOp::Sub => {
            let result = to_set(vm, a)?;
            set::ops::difference_update(vm, &result.table, b)?;
            Ok(Value::from_ref(result))
        }
        BinOp::Xor => {
            let result = to_set(vm, a)?;
            set::ops::symmetric_difference_update(vm, &result.table, b)?;
            Ok(Value::from_ref(result))
        }
        _ => Ok(Value::NOT_IMPLEMENTED),
    }
}

/// `a & b`, where at least one is a view.
fn intersection(vm: &mut Vm, a: &Value, b: &Value) -> R {
    let (mut me, mut other) = if is_set_view(a) { (a, b) } else { (b, a) };
    let len = vm.len(me)?;
    if is_set_view(other) && vm.len(other)? > len {
        (me, other) = (other, me);
    }
    if let Some(s) = other.as_exact::<Set>()
        && len <= s.table.get(vm).len()
    {
        let table = set::ops::intersection(vm, &s.table, me)?;
        return Ok(Set::from_table(table));
    }
    let result = Set::new();
    let it = vm.get_iter(other)?;
    while let Some(item) = vm.iter_next(&it)? {
        vm.poll_native()?;
        if vm.contains(me, &item)? {
            set::add(vm, &result.table, &item)?;
        }
    }
    Ok(Value::from_ref(result))
}
