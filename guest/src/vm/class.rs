//! How classes come to be: `__build_class__`, `type.__new__`, the MRO, and which slots a class has.

use super::args::Args;
use super::ops::class_of;
use super::user_slots as user;
use super::{R, Vm};
use crate::heap::{self, Kind, Payload, Ref};
use crate::names::{self, Names};
use crate::objects::descriptors::{ClassMethod, Member, StaticMethod};
use crate::objects::dict::Dict;
use crate::objects::function::{Cell, Function};
use crate::objects::list::List;
use crate::objects::slots::{BinOp, Slots};
use crate::objects::string::Str;
use crate::objects::tuple::Tuple;
use crate::objects::types::{
    self, BASE, EXCEPTION, Instance, MAPPING, MATCH_SELF, MAX_INLINE, SEQUENCE, Type,
};
use crate::value::Value;
use std::collections::BTreeMap;

// ---- slots

/// The slots of a class written in Python that defines every special method.
const USER: Slots = Slots {
    repr: Some(user::repr),
    str: Some(user::str),
    hash: Some(user::hash),
    unhashable: false,
    call: Some(user::call),
    getattr: Some(user::getattr),
    setattr: Some(user::setattr),
    compare: Some(user::compare),
    iter: Some(user::iter),
    next: Some(user::next),
    len: Some(user::len),
    getitem: Some(user::getitem),
    setitem: Some(user::setitem),
    contains: Some(user::contains),
    bool: Some(user::bool),
    binary: Some(user::binary),
    binary_ops: 0,
    reflected_ops: 0,
    inplace: Some(user::inplace),
    inplace_ops: 0,
    unary: Some(user::unary),
    index: Some(user::index),
    int: Some(user::int),
    float: Some(user::float),
    descr_get: Some(user::descr_get),
    descr_set: Some(user::descr_set),
    new: Some(user::new),
    init: Some(user::init),
    del: Some(user::del),
};

/// A slot, as a special method's name selects it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Group {
    Repr,
    Str,
    Hash,
    Call,
    GetAttr,
    SetAttr,
    Compare,
    Iter,
    Next,
    Len,
    GetItem,
    SetItem,
    Contains,
    Bool,
    Binary,
    Inplace,
    Unary,
    Index,
    Int,
    Float,
    DescrGet,
    DescrSet,
    New,
    Init,
    Del,
}

fn group_of(name: &Ref<Str>) -> Option<Group> {
    thread_local! {
        static GROUPS: std::cell::OnceCell<BTreeMap<Vec<u8>, Group>> = const { std::cell::OnceCell::new() };
    }
    let bytes = name.as_bytes();
    if !bytes.starts_with(b"__") {
        return None;
    }
    GROUPS.with(|groups| {
        groups
            .get_or_init(|| {
                let n = Names::get();
                let mut map = BTreeMap::new();
                let mut put = |name: &Ref<Str>, group| {
                    map.insert(name.as_bytes().to_vec(), group);
                };
                put(&n.__repr__, Group::Repr);
                put(&n.__str__, Group::Str);
                put(&n.__hash__, Group::Hash);
                put(&n.__call__, Group::Call);
                put(&n.__getattribute__, Group::GetAttr);
                put(&n.__getattr__, Group::GetAttr);
                put(&n.__setattr__, Group::SetAttr);
                put(&n.__delattr__, Group::SetAttr);
                for name in [
                    &n.__lt__, &n.__le__, &n.__eq__, &n.__ne__, &n.__gt__, &n.__ge__,
                ] {
                    put(name, Group::Compare);
                }
                put(&n.__iter__, Group::Iter);
                put(&n.__next__, Group::Next);
                put(&n.__len__, Group::Len);
                put(&n.__getitem__, Group::GetItem);
                put(&n.__setitem__, Group::SetItem);
                put(&n.__delitem__, Group::SetItem);
                put(&n.__contains__, Group::Contains);
                put(&n.__bool__, Group::Bool);
                for op in BinOp::ALL {
                    let [forward, reflected, inplace] = user::binary_names(op);
                    if op != BinOp::DivMod {
                        put(inplace, Group::Inplace);
                    }
                    put(forward, Group::Binary);
                    put(reflected, Group::Binary);
                }
                for name in [&n.__neg__, &n.__pos__, &n.__abs__, &n.__invert__] {
                    put(name, Group::Unary);
                }
                put(&n.__index__, Group::Index);
                put(&n.__int__, Group::Int);
                put(&n.__float__, Group::Float);
                put(&n.__get__, Group::DescrGet);
                put(&n.__set__, Group::DescrSet);
                put(&n.__delete__, Group::DescrSet);
                put(&n.__new__, Group::New);
                put(&n.__init__, Group::Init);
                put(&n.__del__, Group::Del);
                map
            })
            .get(bytes)
            .copied()
    })
}

fn copy_group(to: &mut Slots, from: &Slots, group: Group) {
    match group {
        Group::Repr => to.repr = from.repr,
        Group::Str => to.str = from.str,
        Group::Hash => {
            to.hash = from.hash;
            to.unhashable = from.unhashable;
        }
        Group::Call => to.call = from.call,
        Group::GetAttr => to.getattr = from.getattr,
        Group::SetAttr => to.setattr = from.setattr,
        Group::Compare => to.compare = from.compare,
        Group::Iter => to.iter = from.iter,
        Group::Next => to.next = from.next,
        Group::Len => to.len = from.len,
        Group::GetItem => to.getitem = from.getitem,
        Group::SetItem => to.setitem = from.setitem,
        Group::Contains => to.contains = from.contains,
        Group::Bool => to.bool = from.bool,
        Group::Binary => to.binary = from.binary,
        Group::Inplace => to.inplace = from.inplace,
        Group::Unary => to.unary = from.unary,
        Group::Index => to.index = from.index,
        Group::Int => to.int = from.int,
        Group::Float => to.float = from.float,
        Group::DescrGet => to.descr_get = from.descr_get,
        Group::DescrSet => to.descr_set = from.descr_set,
        Group::New => to.new = from.new,
        Group::Init => to.init = from.init,
        Group::Del => to.del = from.del,
    }
}

/// Lays the special methods that a class itself defines over the slots.
fn overlay(vm: &Vm, slots: &mut Slots, class: &Ref<Type>, own: &Slots) {
    for entry in class.dict.map.get(vm).iter() {
        let Some(name) = entry.key.as_ref::<Str>() else {
            continue;
        };
        let Some(group) = group_of(name) else {
            continue;
        };
        if group == Group::Hash && entry.value.is_none() {
            slots.hash = None;
            slots.unhashable = true;
        } else {
            copy_group(slots, own, group);
        }
    }
}

/// The slots of a class: its own, and inherited along the MRO. `own` are those that a built-in class registers.
pub fn inherit_slots(vm: &mut Vm, class: &Ref<Type>, own: Slots) -> Slots {
    let mut slots = Slots::NONE;
    let mro = class.mro.get(vm).clone();
    for c in mro.iter().rev() {
        if c.same(class) {
            overlay(vm, &mut slots, c, if c.is_static() { &own } else { &USER });
        } else {
            let theirs = if c.is_static() { *c.slots() } else { USER };
            overlay(vm, &mut slots, c, &theirs);
        }
    }
    if class.is_static() {
        slots.binary_ops = own.binary_ops;
        slots.reflected_ops = own.reflected_ops;
        slots.inplace_ops = own.inplace_ops;
    }
    slots
}

/// A special method of a class has been assigned or deleted: brings its slots, and those of its subclasses, up to date.
pub fn update_slots(vm: &mut Vm, class: &Ref<Type>) {
    if !class.is_static() {
        let slots = inherit_slots(vm, class, Slots::NONE);
        class.set_slots(slots);
    }
    for sub in class.live_subclasses() {
        update_slots(vm, &sub);
    }
}

// ---- MRO

/// The C3 linearisation (Barrett et al., 1996; "The Python 2.3 Method Resolution Order").
pub fn linearize(vm: &mut Vm, class: &Ref<Type>, bases: &[Ref<Type>]) -> R<Vec<Ref<Type>>> {
    let mut lists: Vec<Vec<Ref<Type>>> = bases.iter().map(|b| b.mro.get(vm).clone()).collect();
    lists.push(bases.to_vec());
    let mut result = vec![class.clone()];
    loop {
        lists.retain(|l| !l.is_empty());
        if lists.is_empty() {
            return Ok(result);
        }
        let candidate = lists
            .iter()
            .map(|l| &l[0])
            .find(|c| !lists.iter().any(|l| l[1..].iter().any(|x| x.same(c))))
            .cloned();
        let Some(next) = candidate else {
            let mut left: Vec<String> = Vec::new();
            for l in &lists {
                let name = l[0].name().into_owned();
                if !left.contains(&name) {
                    left.push(name);
                }
            }
            return Err(vm.type_error(format!(
                "Cannot create a consistent method resolution order (MRO) for bases {}",
                left.join(", ")
            )));
        };
        for l in &mut lists {
            if l[0].same(&next) {
                l.remove(0);
            }
        }
        result.push(next);
    }
}

/// The MRO that a class is to have now: what its metaclass's `mro()` says, checked, or the linearisation.
pub fn computed_mro(vm: &mut Vm, class: &Ref<Type>) -> R<Vec<Ref<Type>>> {
    let metaclass = class.header().class().clone();
    if !metaclass.is_static() {
        let name = names::intern("mro");
        let plain = vm.type_lookup(Type::class(), &name);
        if let Some(custom) = vm.type_lookup(&metaclass, &name)
            && !plain.is_some_and(|p| p.is_same(&custom))
        {
            let f = vm.bind(&custom, Some(&class.to_value()), &metaclass)?;
            let list = vm.call(&f, &[])?;
            return checked_mro(vm, class, &list);
        }
    }
    let bases = class.bases.get(vm).clone();
    linearize(vm, class, &bases)
}

/// What a metaclass's `mro()` answered, if it will do.
fn checked_mro(vm: &mut Vm, class: &Ref<Type>, list: &Value) -> R<Vec<Ref<Type>>> {
    let mut mro = Vec::new();
    for c in vm.collect(list)? {
        match c.into_ref::<Type>() {
            Ok(c) => {
                if !fits_layout(vm, class, &c) {
                    return Err(vm.type_error(format!(
                        "mro() returned base with unsuitable layout ('{}')",
                        c.name()
                    )));
                }
                mro.push(c);
            }
            Err(other) => {
                return Err(vm.type_error(format!(
                    "mro() returned a non-class ('{}')",
                    class_of(&other).name()
                )));
            }
        }
    }
    if mro.is_empty() {
        return Err(vm.type_error("type MRO must not be empty"));
    }
    Ok(mro)
}

/// The first class up the bases that adds something to its base's layout.
fn layout_owner(vm: &Vm, class: &Ref<Type>) -> Ref<Type> {
    let mut at = class.clone();
    while let Some(base) = at.base.get(vm).clone() {
        let adds = base.vtable.type_id != at.vtable.type_id
            || base.slot_count.get() != at.slot_count.get()
            || base.has_dict.get() != at.has_dict.get()
            || base.weak.get() != at.weak.get();
        if adds {
            break;
        }
        at = base;
    }
    at
}

/// Whether instances of one class can become instances of the other: the layouts are the same, and came about in the same way.
pub fn same_layout(vm: &Vm, a: &Ref<Type>, b: &Ref<Type>) -> bool {
    let (a, b) = (layout_owner(vm, a), layout_owner(vm, b));
    if a.same(&b) {
        return true;
    }
    let same_base = match (a.base.get(vm), b.base.get(vm)) {
        (Some(x), Some(y)) => x.same(y),
        _ => false,
    };
    let n = a.slot_count.get();
    same_base
        && a.vtable.type_id == b.vtable.type_id
        && n == b.slot_count.get()
        && a.has_dict.get() == b.has_dict.get()
        && a.weak.get() == b.weak.get()
        && a.keys
            .borrow()
            .names()
            .iter()
            .take(n as usize)
            .zip(b.keys.borrow().names())
            .all(|(x, y)| x.same(y))
}

/// Assigns `__bases__`: the class and its subclasses get their MROs and slots anew.
///
/// `mro()` of a metaclass may assign bases while this runs: whoever is last wins, and what an inner assignment did is left alone.
pub fn set_bases(vm: &mut Vm, class: &Ref<Type>, bases: Vec<Ref<Type>>) -> R<()> {
    let best = best_base(vm, &bases)?;
    let old_best = class.base.get(vm).clone();
    if let Some(old) = &old_best
        && !same_layout(vm, old, &best)
    {
        // Dictionaries and weak references come with the first class written in Python, which is what CPython's "deallocator" stands for.
        let what = if old.is_static() != best.is_static() {
            "deallocator"
        } else {
            "object layout"
        };
        return Err(vm.type_error(format!(
            "__bases__ assignment: '{}' {what} differs from '{}'",
            best.name(),
            old.name()
        )));
    }
    let old_bases = class.bases.replace(vm, bases.clone());
    drop(class.base.replace(vm, Some(best)));
    let turn = class.bases_turn.get().wrapping_add(1);
    class.bases_turn.set(turn);
    let mut changed = Vec::new();
    if let Err(raised) = renew_mro(vm, class, &mut changed) {
        for (c, mro, turn) in changed {
            if c.mro_turn.get() == turn {
                drop(c.mro.replace(vm, mro));
                c.invalidate();
            }
        }
        if class.bases_turn.get() == turn {
            drop(class.bases.replace(vm, old_bases));
            drop(class.base.replace(vm, old_best));
        }
        return Err(raised);
    }
    if class.bases_turn.get() != turn {
        return Ok(());
    }
    for b in &old_bases {
        b.subclasses.borrow_mut().retain(|&p| p != class.as_ptr());
    }
    for b in &bases {
        b.subclasses.borrow_mut().push(class.as_ptr());
    }
    update_slots(vm, class);
    class.invalidate();
    Ok(())
}

/// A class, its MRO before, and the turn of that.
type ChangedMro = (Ref<Type>, Vec<Ref<Type>>, u32);

fn renew_mro(vm: &mut Vm, class: &Ref<Type>, changed: &mut Vec<ChangedMro>) -> R<()> {
    let before = class.mro_turn.get();
    let mro = computed_mro(vm, class)?;
    if class.mro_turn.get() != before {
        // An assignment of bases inside `mro()` has set it.
        return Ok(());
    }
    let turn = before.wrapping_add(1);
    class.mro_turn.set(turn);
    let old = class.mro.replace(vm, mro);
    class.invalidate();
    changed.push((class.clone(), old, turn));
    for sub in class.live_subclasses() {
        renew_mro(vm, &sub, changed)?;
    }
    Ok(())
}

// ---- type.__new__

/// The class above (or the class itself) that last added something to the layout of instances.
fn solid(vm: &Vm, class: &Ref<Type>) -> Ref<Type> {
    let mut at = class.clone();
    while let Some(base) = at.base.get(vm).clone() {
        let same = base.vtable.type_id == at.vtable.type_id
            && base.slot_count.get() == at.slot_count.get();
        if !same {
            break;
        }
        at = base;
    }
    at
}

/// The base that decides the layout of instances.
fn best_base(vm: &mut Vm, bases: &[Ref<Type>]) -> R<Ref<Type>> {
    let mut best: Option<&Ref<Type>> = None;
    for base in bases {
        if !base.flag(BASE) {
            return Err(vm.type_error(format!(
                "type '{}' is not an acceptable base type",
                base.name()
            )));
        }
        best = match best {
            None => Some(base),
            Some(b) => {
                let (old, new) = (solid(vm, b), solid(vm, base));
                if old.is_subclass_of(&new) {
                    Some(b)
                } else if new.is_subclass_of(&old) {
                    Some(base)
                } else {
                    return Err(vm.type_error("multiple bases have instance lay-out conflict"));
                }
            }
        };
    }
    Ok(best.unwrap_or(Instance::class()).clone())
}

/// The names in `__slots__`, mangled.
fn slot_names(vm: &mut Vm, class_name: &str, slots: &Value) -> R<Vec<Ref<Str>>> {
    let items = if slots.is::<Str>() {
        vec![slots.clone()]
    } else {
        vm.collect(slots)?
    };
    let mut names = Vec::new();
    for item in items {
        let Some(s) = item.as_ref::<Str>() else {
            return Err(vm.type_error(format!(
                "__slots__ items must be strings, not '{}'",
                class_of(&item).name()
            )));
        };
        let text = s.to_text().into_owned();
        if text.is_empty()
            || !text
                .chars()
                .next()
                .is_some_and(|c| c == '_' || c.is_alphabetic())
            || !text.chars().all(|c| c == '_' || c.is_alphanumeric())
        {
            return Err(vm.type_error("__slots__ must be identifiers"));
        }
        let stripped = class_name.trim_start_matches('_');
        let mangled = if text.starts_with("__") && !text.ends_with("__") && !stripped.is_empty() {
            format!("_{stripped}{text}")
        } else {
            text
        };
        names.push(names::intern(&mangled));
    }
    Ok(names)
}

/// Makes a class: `type.__new__(metaclass, name, bases, namespace, **keywords)`.
pub fn new_class(
    vm: &mut Vm,
    metaclass: &Ref<Type>,
    name: &Ref<Str>,
    bases: &[Ref<Type>],
    namespace: &Ref<Dict>,
    keywords: Args,
) -> R {
    let n = Names::get();
    let object = Instance::class().clone();
    let own_bases: Vec<Ref<Type>> = if bases.is_empty() {
        vec![object]
    } else {
        bases.to_vec()
    };
    for (i, b) in own_bases.iter().enumerate() {
        if own_bases[..i].iter().any(|x| x.same(b)) {
            return Err(vm.type_error(format!("duplicate base class {}", b.name())));
        }
    }
    let base = best_base(vm, &own_bases)?;
    let payload = Type::blank(name, base.vtable, BASE);
    let class: Ref<Type> = heap::alloc_instance(payload, metaclass, 0);
    let entries: Vec<(Value, Value)> = namespace
        .map
        .get(vm)
        .iter()
        .map(|e| (e.key.clone(), e.value.clone()))
        .collect();
    for (key, value) in entries {
        class.dict.set_item(vm, &key, value)?;
    }
    class.qualname.replace(vm, name.clone());
    if let Some(q) = class.dict.remove_str(vm, &n.__qualname__) {
        match q.into_ref::<Str>() {
            Ok(q) => drop(class.qualname.replace(vm, q)),
            Err(other) => {
                return Err(vm.type_error(format!(
                    "type __qualname__ must be a str, not {}",
                    class_of(&other).name()
                )));
            }
        }
    }
    let cell = class.dict.remove_str(vm, &n.__classcell__);
    let dict_cell = class.dict.remove_str(vm, &n.__classdictcell__);
    if class.dict.get_str(vm, &n.__module__).is_none()
        && let Some(module) = vm.current_global(&n.__name__)
    {
        class.dict.set_str(vm, &n.__module__, module);
    }
    if let Some(f) = class.dict.get_str(vm, &n.__new__).cloned()
        && f.is::<Function>()
    {
        class.dict.set_str(vm, &n.__new__, StaticMethod::value(f));
    }
    for name in [&n.__init_subclass__, &n.__class_getitem__] {
        if let Some(f) = class.dict.get_str(vm, name).cloned()
            && f.is::<Function>()
        {
            class.dict.set_str(vm, name, ClassMethod::value(f));
        }
    }
    if class.dict.get_str(vm, &n.__eq__).is_some() && class.dict.get_str(vm, &n.__hash__).is_none()
    {
        class.dict.set_str(vm, &n.__hash__, Value::NONE);
    }
    lay_out(vm, &class, name, &base, &own_bases)?;
    if let Some(doc) = class.dict.get_str(vm, &n.__doc__).cloned()
        && let Some(doc) = doc.as_ref::<Str>()
    {
        vm.check_encodable(doc)?;
    }
    // After the slots, since `__doc__` may be one of them.
    if class.dict.get_str(vm, &n.__doc__).is_none() {
        class.dict.set_str(vm, &n.__doc__, Value::NONE);
    }
    for b in &own_bases {
        let inherited = b.flags.get() & (SEQUENCE | MAPPING | EXCEPTION | MATCH_SELF);
        class.set_flag(inherited, true);
    }
    class.bases.replace(vm, own_bases.clone());
    class.base.replace(vm, Some(base));
    if let Some(cell) = cell {
        match cell.as_ref::<Cell>() {
            Some(c) => drop(c.contents.replace(vm, class.to_value())),
            None => {
                return Err(vm.type_error(format!(
                    "type.__new__() argument 3's __classcell__ must be a cell, not '{}'",
                    class_of(&cell).name()
                )));
            }
        }
    }
    if let Some(cell) = dict_cell
        && let Some(c) = cell.as_ref::<Cell>()
    {
        drop(c.contents.replace(vm, class.dict.to_value()));
    }
    let before = class.mro_turn.get();
    let mro = match own_bases.as_slice() {
        [one] if metaclass.is_static() => {
            let mut mro = vec![class.clone()];
            mro.extend(one.mro.get(vm).iter().cloned());
            mro
        }
        _ => computed_mro(vm, &class)?,
    };
    if class.mro_turn.get() == before {
        class.mro.replace(vm, mro);
    }
    // Only a class that is complete is somebody's subclass: `mro()` may have raised.
    for b in class.bases.get(vm).clone() {
        let mut list = b.subclasses.borrow_mut();
        if !list.contains(&(class.as_ptr() as *const _)) {
            list.push(class.as_ptr());
        }
    }
    let slots = inherit_slots(vm, &class, Slots::NONE);
    class.set_slots(slots);
    let class_value = class.to_value();
    let members: Vec<(Value, Value)> = class
        .dict
        .map
        .get(vm)
        .iter()
        .map(|e| (e.key.clone(), e.value.clone()))
        .collect();
    for (key, value) in members {
        if class_of(&value).is_static()
            && !matches!(
                value.header().map(|h| h.kind()),
                Some(Kind::Property | Kind::Other)
            )
        {
            continue;
        }
        if let Err(raised) =
            vm.call_special_opt(&value, &n.__set_name__, &[class_value.clone(), key.clone()])
        {
            return Err(note_set_name(vm, raised, &key, &value, &class));
        }
    }
    init_subclass(vm, &class, keywords)?;
    Ok(class_value)
}

/// An exception in `__set_name__` gets a note that says where (PEP 678 use in CPython 3.12).
fn note_set_name(
    vm: &mut Vm,
    raised: super::Raised,
    key: &Value,
    value: &Value,
    class: &Ref<Type>,
) -> super::Raised {
    if vm.stopped.is_some() {
        return raised;
    }
    let exception = vm.take_error();
    let attr = vm
        .repr(key)
        .map(|s| s.to_text().into_owned())
        .unwrap_or_default();
    let text = format!(
        "Error calling __set_name__ on '{}' instance {attr} in '{}'",
        class_of(value).name(),
        class.name()
    );
    let notes = names::intern("__notes__").to_value();
    let list = vm.get_attr_opt(&exception, &notes).ok().flatten();
    match list.as_ref().and_then(|l| l.as_ref::<List>()) {
        Some(list) => {
            let _ = list.push(vm, Str::value(&text));
        }
        None => {
            let _ = vm.set_attr(
                &exception,
                &notes,
                Some(&List::value(vec![Str::value(&text)])),
            );
        }
    }
    vm.reraise(exception)
}

/// Decides where instances keep their attributes.
fn lay_out(
    vm: &mut Vm,
    class: &Ref<Type>,
    name: &Ref<Str>,
    base: &Ref<Type>,
    bases: &[Ref<Type>],
) -> R<()> {
    let n = Names::get();
    let declared = class.dict.get_str(vm, &n.__slots__).cloned();
    let base_has_dict = bases.iter().any(|b| b.has_dict.get());
    let base_weak = bases.iter().any(|b| b.weak.get());
    let (mut has_dict, mut weak) = (true, true);
    let mut slots = Vec::new();
    if let Some(declared) = &declared {
        (has_dict, weak) = (base_has_dict, base_weak);
        let names = slot_names(vm, &name.to_text(), declared)?;
        let is_fixed = matches!(
            class.vtable.kind,
            Kind::Int | Kind::Bytes | Kind::Tuple | Kind::Type
        );
        if is_fixed && !names.is_empty() {
            return Err(vm.type_error(format!(
                "nonempty __slots__ not supported for subtype of '{}'",
                base.name()
            )));
        }
        for slot in names {
            match slot.as_bytes() {
                b"__dict__" => {
                    if base_has_dict {
                        return Err(vm.type_error("__dict__ slot disallowed: we already got one"));
                    }
                    has_dict = true;
                }
                b"__weakref__" => {
                    if base_weak {
                        return Err(
                            vm.type_error("__weakref__ slot disallowed: we already got one")
                        );
                    }
                    weak = true;
                }
                _ => {
                    let special = matches!(slot.as_bytes(), b"__qualname__" | b"__classcell__");
                    if !special && class.dict.get_str(vm, &slot).is_some() {
                        return Err(vm.value_error(format!(
                            "'{}' in __slots__ conflicts with class variable",
                            slot.to_text()
                        )));
                    }
                    slots.push(slot);
                }
            }
        }
    }
    // The layout does not depend on the order in which they were written down.
    slots.sort_by(|a: &Ref<Str>, b| a.as_bytes().cmp(b.as_bytes()));
    class.has_dict.set(has_dict);
    class.weak.set(weak);
    if class.vtable.kind == Kind::Type {
        // A class keeps its attributes in its own dictionary.
        return Ok(());
    }
    // Modules have a dictionary from the start, and it is their namespace.
    let is_module = class.vtable.kind == Kind::Module;
    if has_dict && !base_has_dict && !is_module {
        crate::builtins::module_type::add_instance_attributes(vm, class);
    }
    if weak && !base_weak && class.dict.get_str(vm, &n.__weakref__).is_none() {
        crate::builtins::weakrefs::add_weakref_attribute(vm, class);
    }
    let base_slots = base.slot_count.get();
    {
        let base_keys = base.keys.borrow();
        let mut keys = class.keys.borrow_mut();
        for key in base_keys.names().iter().take(base_slots as usize) {
            keys.add(key);
        }
        for slot in &slots {
            if keys.add(slot).is_none() {
                drop(keys);
                return Err(vm.type_error(format!("too many __slots__ (more than {MAX_INLINE})")));
            }
        }
        if has_dict {
            for key in base_keys.names().iter().skip(base_slots as usize) {
                keys.add(key);
            }
        }
    }
    class.slot_count.set(base_slots + slots.len() as u16);
    if has_dict && !base_has_dict && !is_module && class.dict.get_str(vm, &n.__dict__).is_none() {
        crate::builtins::module_type::add_instance_attributes(vm, class);
    }
    for (i, slot) in slots.iter().enumerate() {
        let member = Member {
            name: slot.clone(),
            owner: class.clone(),
            index: base_slots + i as u16,
        };
        class
            .dict
            .set_str(vm, slot, Value::from_ref(heap::alloc(member)));
    }
    if has_dict && !is_module {
        let own = class
            .dict
            .get_str(vm, &n.__static_attributes__)
            .and_then(|t| t.as_ref::<Tuple>())
            .map_or(0, |t| t.len());
        let known = class.keys.borrow().names().len();
        // What methods assign, those of the bases too, and a little room for what is set from outside.
        let room = bases_room(bases).max(known + SPARE) + own.max(annotated(vm, class));
        class.set_attr_capacity(Some((room as u16).clamp(4, MAX_INLINE)));
    } else if class.slot_count.get() > 0 {
        class.set_attr_capacity(Some(class.slot_count.get()));
    }
    Ok(())
}

/// Room for inline attributes beyond those that are known of.
const SPARE: usize = 2;

/// How many names the class body annotates, or a few more: a decorator may make attributes of them, as `dataclass` does.
fn annotated(vm: &Vm, class: &Ref<Type>) -> usize {
    let annotate = class.dict.get_str(vm, &Names::get().__annotate_func__);
    annotate
        .and_then(|f| f.as_ref::<Function>())
        .map_or(0, |f| {
            let consts = &f.code.get(vm).consts;
            consts.iter().filter(|v| v.is_exact::<Str>()).count()
        })
}

/// Room for the inline attributes that instances of the bases have.
fn bases_room(bases: &[Ref<Type>]) -> usize {
    let rooms = bases.iter().map(|base| {
        let room = base.attr_capacity().filter(|_| base.has_dict.get());
        (room.unwrap_or(0) as usize).saturating_sub(SPARE)
    });
    let together: usize = rooms.sum();
    together + SPARE
}

/// `super(class, class).__init_subclass__(**keywords)`
fn init_subclass(vm: &mut Vm, class: &Ref<Type>, keywords: Args) -> R<()> {
    let name = &Names::get().__init_subclass__;
    let mro = class.mro.get(vm).clone();
    let Some(own) = mro.iter().position(|c| c.same(class)) else {
        // `mro()` left the class itself out, so that `super` has nowhere to start.
        let name = class.name().into_owned();
        return Err(vm.type_error(format!(
            "super(type, obj): obj (type {name}) is not an instance or subtype of type ({name})."
        )));
    };
    for c in &mro[own + 1..] {
        if let Some(f) = c.dict.get_str(vm, name).cloned() {
            let f = vm.bind(&f, None, class)?;
            vm.call_args(&f, keywords)?;
            return Ok(());
        }
    }
    // Nothing is behind the class in its MRO: what `super` itself has is left.
    if !keywords.names().is_empty() {
        return Err(vm.type_error("super.__init_subclass__() takes no keyword arguments"));
    }
    Ok(())
}

/// Whether a class that a custom `mro()` names may stand in the MRO: its methods and slots must find their data in the instances.
fn fits_layout(vm: &Vm, class: &Ref<Type>, base: &Ref<Type>) -> bool {
    let layout = base.vtable.type_id;
    let derives = || class.bases.get(vm).iter().any(|b| b.is_subclass_of(base));
    (layout == class.vtable.type_id || layout == Instance::class().vtable.type_id)
        && (base.slot_count.get() == 0 || base.same(class) || derives())
}

/// The most derived of the metaclasses of the bases and the one asked for.
pub fn winning_metaclass(vm: &mut Vm, asked: &Ref<Type>, bases: &[Ref<Type>]) -> R<Ref<Type>> {
    let mut winner = asked.clone();
    for base in bases {
        let theirs = base.header().class();
        if winner.is_subclass_of(theirs) {
            continue;
        }
        if theirs.is_subclass_of(&winner) {
            winner = theirs.clone();
            continue;
        }
        return Err(vm.type_error(
            "metaclass conflict: the metaclass of a derived class must be a (non-strict) subclass of the metaclasses of all its bases",
        ));
    }
    Ok(winner)
}

// ---- __build_class__

/// `__build_class__(function, name, *bases, metaclass=..., **keywords)`
pub fn build_class(vm: &mut Vm, args: Args) -> R {
    let n = Names::get();
    let [body, name, given_bases @ ..] = args.positional() else {
        return Err(vm.type_error("__build_class__: not enough arguments"));
    };
    let Some(body) = body.as_ref::<Function>().cloned() else {
        return Err(vm.type_error("__build_class__: func must be a function"));
    };
    if !name.is::<Str>() {
        return Err(vm.type_error("__build_class__: name is not a string"));
    }
    // PEP 560: things that stand for bases.
    let mut bases = Vec::with_capacity(given_bases.len());
    let mut replaced = false;
    let original = Tuple::from_slice(given_bases);
    for base in given_bases {
        if !base.is::<Type>()
            && let Some(f) = vm.get_attr_opt(base, &n.__mro_entries__.to_value())?
        {
            replaced = true;
            let entries = vm.call(&f, std::slice::from_ref(&original))?;
            match entries.as_ref::<Tuple>() {
                Some(t) => bases.extend(t.items().iter().cloned()),
                None => return Err(vm.type_error("__mro_entries__ must return a tuple")),
            }
        } else {
            bases.push(base.clone());
        }
    }
    let mut keyword_names = Vec::new();
    let mut keyword_values = Vec::new();
    let mut metaclass = None;
    for (key, value) in args.keywords() {
        if key.same_text(&n.metaclass) {
            metaclass = Some(value.clone());
        } else {
            keyword_names.push(key.to_value());
            keyword_values.push(value.clone());
        }
    }
    let explicit = metaclass.is_some();
    let metaclass = match metaclass {
        Some(m) => m,
        None => match bases.first() {
            Some(b) => class_of(b).to_value(),
            None => Type::class().to_value(),
        },
    };
    let metaclass = match metaclass.as_ref::<Type>() {
        Some(m) => {
            let real: Vec<Ref<Type>> = bases
                .iter()
                .filter_map(|b| b.as_ref::<Type>().cloned())
                .collect();
            winning_metaclass(vm, m, &real)?.to_value()
        }
        None => metaclass,
    };
    let _ = explicit;
    let bases_tuple = Tuple::value(bases);
    let namespace = match vm.get_attr_opt(&metaclass, &n.__prepare__.to_value())? {
        Some(prepare)
            if !metaclass
                .as_ref::<Type>()
                .is_some_and(|m| m.same(Type::class())) =>
        {
            let mut values = vec![name.clone(), bases_tuple.clone()];
            values.extend(keyword_values.iter().cloned());
            vm.call_args(&prepare, Args::new(&values, &keyword_names))?
        }
        _ => Value::from_ref(Dict::new()),
    };
    if class_of(&namespace).slots().getitem.is_none() {
        let meta_name = metaclass
            .as_ref::<Type>()
            .map_or("<metaclass>".into(), |m| m.name().into_owned());
        return Err(vm.type_error(format!(
            "{meta_name}.__prepare__() must return a mapping, not {}",
            class_of(&namespace).name()
        )));
    }
    let result = vm.run_with_namespace(&body, namespace.clone())?;
    if result.is::<Cell>()
        && namespace.is_exact::<Dict>()
        && let Some(d) = namespace.as_ref::<Dict>()
        && d.get_str(vm, &n.__classcell__).is_none()
    {
        d.set_str(vm, &n.__classcell__, result.clone());
    }
    if replaced {
        vm.set_item(&namespace, &n.__orig_bases__.to_value(), &original)?;
    }
    let mut values = vec![name.clone(), bases_tuple, namespace];
    values.extend(keyword_values);
    let class = vm.call_args(&metaclass, Args::new(&values, &keyword_names))?;
    if let Some(cell) = result.as_ref::<Cell>()
        && class.is::<Type>()
        && cell.contents.get(vm).is_undef()
    {
        let text = format!(
            "__class__ not set defining {} as {}. Was __classcell__ propagated to type.__new__?",
            vm.repr(name)?.to_text(),
            vm.repr(&class)?.to_text()
        );
        return Err(vm.runtime_error(text));
    }
    Ok(class)
}

/// Calling a class: `__new__`, then `__init__` when the result is an instance.
pub fn call_class(vm: &mut Vm, class: &Ref<Type>, args: Args) -> R {
    let Some(new) = class.slots().new else {
        return Err(vm.type_error(format!("cannot create '{}' instances", class.name())));
    };
    let object = new(vm, class, args)?;
    let got = class_of(&object);
    if (got.same(class) || got.is_subclass_of(class))
        && let Some(init) = got.slots().init
    {
        init(vm, &object, args)?;
    }
    Ok(object)
}

/// The same for a class that Rust code made, whose metaclass is `type`.
pub(super) fn call_static(vm: &mut Vm, class: &Ref<Type>, args: Args) -> R {
    if class.same(Type::class()) {
        return crate::builtins::type_object::type_call(vm, &class.to_value(), args);
    }
    let Some(new) = class.slots().new else {
        return Err(vm.type_error(format!("cannot create '{}' instances", class.name())));
    };
    let object = new(vm, class, args)?;
    let got = class_of(&object);
    // `object.__init__` is content with everything when the class has a `__new__` of its own.
    let has_own = |get: fn(&Type) -> Option<usize>| get(got) != get(Instance::class());
    let init = |t: &Type| t.slots().init.map(|f| f as usize);
    if got.same(class) && !has_own(init) && has_own(|t| t.slots().new.map(|f| f as usize)) {
        return Ok(object);
    }
    if (got.same(class) || got.is_subclass_of(class))
        && let Some(init) = got.slots().init
    {
        init(vm, &object, args)?;
    }
    Ok(object)
}

/// Marks a class whose `__abstractmethods__` has been assigned.
pub fn set_abstract(class: &Ref<Type>, on: bool) {
    class.set_flag(types::ABSTRACT, on);
}

/// Whether a class has the `__init__` of the built-in class that it derives from: if not, that class's `__new__` lets keywords pass.
pub fn keeps_init(class: &Type, builtin: &Type) -> bool {
    let address = |t: &Type| t.slots().init.map(|f| f as usize);
    address(class) == address(builtin)
}

/// Whether a class has the `__new__` of the built-in class that it derives from.
pub fn keeps_new(class: &Type, builtin: &Type) -> bool {
    let address = |t: &Type| t.slots().new.map(|f| f as usize);
    address(class) == address(builtin)
}
