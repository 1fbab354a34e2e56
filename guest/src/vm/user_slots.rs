//! Slots of classes written in Python: each looks up the special method and calls it.

use super::args::Args;
use super::lookup::generic_getattr_slot;
use super::ops::class_of;
use super::{R, Vm};
use crate::heap::Ref;
use crate::names::Names;
use crate::objects::exception::Exc;
use crate::objects::function::Function;
use crate::objects::slots::{BinOp, CmpOp, UnOp};
use crate::objects::string::Str;
use crate::objects::types::Type;
use crate::value::Value;

/// The special method names of a binary operator: forward, reflected, in place.
pub fn binary_names(op: BinOp) -> [&'static Ref<Str>; 3] {
    let n = Names::get();
    match op {
        BinOp::Add => [&n.__add__, &n.__radd__, &n.__iadd__],
        BinOp::Sub => [&n.__sub__, &n.__rsub__, &n.__isub__],
        BinOp::Mul => [&n.__mul__, &n.__rmul__, &n.__imul__],
        BinOp::Div => [&n.__truediv__, &n.__rtruediv__, &n.__itruediv__],
        BinOp::FloorDiv => [&n.__floordiv__, &n.__rfloordiv__, &n.__ifloordiv__],
        BinOp::Mod => [&n.__mod__, &n.__rmod__, &n.__imod__],
        BinOp::Pow => [&n.__pow__, &n.__rpow__, &n.__ipow__],
        BinOp::MatMul => [&n.__matmul__, &n.__rmatmul__, &n.__imatmul__],
        BinOp::And => [&n.__and__, &n.__rand__, &n.__iand__],
        BinOp::Or => [&n.__or__, &n.__ror__, &n.__ior__],
        BinOp::Xor => [&n.__xor__, &n.__rxor__, &n.__ixor__],
        BinOp::Shl => [&n.__lshift__, &n.__rlshift__, &n.__ilshift__],
        BinOp::Shr => [&n.__rshift__, &n.__rrshift__, &n.__irshift__],
        BinOp::DivMod => [&n.__divmod__, &n.__rdivmod__, &n.__divmod__],
    }
}

/// The special method name of a comparison.
pub fn compare_name(op: CmpOp) -> &'static Ref<Str> {
    let n = Names::get();
    match op {
        CmpOp::Lt => &n.__lt__,
        CmpOp::Le => &n.__le__,
        CmpOp::Eq => &n.__eq__,
        CmpOp::Ne => &n.__ne__,
        CmpOp::Gt => &n.__gt__,
        CmpOp::Ge => &n.__ge__,
    }
}

/// Calls what was found in the class of `v` as its method: a function gets `v` first, anything else is bound.
fn call_method(vm: &mut Vm, f: &Value, v: &Value, args: Args) -> R {
    if let Some(function) = f.as_ref::<Function>() {
        return vm.call_function_of(function, Some(v), args);
    }
    let class = class_of(v).clone();
    let f = vm.bind(f, Some(v), &class)?;
    vm.call_args(&f, args)
}

/// `repr`
pub fn repr(vm: &mut Vm, v: &Value) -> R {
    vm.call_special(v, &Names::get().__repr__, &[])
}

/// `str`
pub fn str(vm: &mut Vm, v: &Value) -> R {
    vm.call_special(v, &Names::get().__str__, &[])
}

/// `hash`
pub fn hash(vm: &mut Vm, v: &Value) -> R<i64> {
    let class = class_of(v).clone();
    let f = vm.type_lookup(&class, &Names::get().__hash__);
    let f = match f {
        Some(f) if !f.is_none() => f,
        _ => return Err(vm.type_error(format!("unhashable type: '{}'", class.name()))),
    };
    let r = call_method(vm, &f, v, Args::positional_only(&[]))?;
    match r.as_int() {
        Some(i) => Ok(match i.to_i64() {
            Some(-1) => -2,
            Some(i) => i,
            // A number that is too large is hashed itself.
            _ => coldframe_numeric::hash::hash_int(&i.as_big()),
        }),
        None => Err(vm.type_error("__hash__ method should return an integer")),
    }
}

/// `call`
pub fn call(vm: &mut Vm, v: &Value, args: Args) -> R {
    let class = class_of(v).clone();
    match vm.type_lookup(&class, &Names::get().__call__) {
        Some(f) => call_method(vm, &f, v, args),
        None => Err(vm.type_error(format!("'{}' object is not callable", class.name()))),
    }
}

/// `getattr`: `__getattribute__`, and `__getattr__` when that fails.
pub fn getattr(vm: &mut Vm, v: &Value, name: &Value) -> R {
    let class = class_of(v).clone();
    let n = Names::get();
    // Looked up first: `__getattribute__` may take it away.
    let fallback = vm.type_lookup(&class, &n.__getattr__);
    let custom = vm.type_lookup(&class, &n.__getattribute__).filter(|f| {
        !f.header()
            .is_some_and(|h| h.kind() == crate::heap::Kind::SlotWrapper)
    });
    let first = match custom {
        Some(f) if f.is::<Function>() => vm.call(&f, &[v.clone(), name.clone()]),
        Some(f) => match vm.bind(&f, Some(v), &class) {
            Ok(f) => vm.call(&f, std::slice::from_ref(name)),
            Err(raised) => Err(raised),
        },
        None => {
            // The nearest built-in class knows how its instances are read.
            let native = class
                .mro
                .get(vm)
                .iter()
                .find(|c| c.is_static())
                .and_then(|c| c.slots().getattr);
            let is_generic = native.is_none_or(|f| {
                std::ptr::fn_addr_eq(f, generic_getattr_slot as fn(&mut Vm, &Value, &Value) -> R)
            });
            match (native, &fallback) {
                // No exception where there is only somebody else to ask.
                (_, Some(fallback)) if is_generic => match vm.find_attr(v, name) {
                    Ok(Some(found)) => Ok(found),
                    Ok(None) => return fall_back(vm, fallback, v, name),
                    Err(raised) => Err(raised),
                },
                (Some(f), _) => f(vm, v, name),
                (None, _) => vm.generic_get_attr(v, name),
            }
        }
    };
    let raised = match first {
        Ok(found) => return Ok(found),
        Err(raised) => raised,
    };
    if !vm.error_is(Exc::AttributeError) {
        return Err(raised);
    }
    let Some(f) = fallback else {
        return Err(raised);
    };
    vm.swallow(raised, Exc::AttributeError)?;
    fall_back(vm, &f, v, name)
}

/// `__getattr__`
fn fall_back(vm: &mut Vm, f: &Value, v: &Value, name: &Value) -> R {
    match call_method(vm, f, v, Args::positional_only(std::slice::from_ref(name))) {
        Ok(found) => Ok(found),
        Err(raised) => Err(vm.complete_attribute_error(raised, v, name)),
    }
}

/// `setattr`
pub fn setattr(vm: &mut Vm, v: &Value, name: &Value, value: Option<&Value>) -> R<()> {
    let n = Names::get();
    match value {
        Some(value) => vm.call_special(v, &n.__setattr__, &[name.clone(), value.clone()])?,
        None => vm.call_special(v, &n.__delattr__, std::slice::from_ref(name))?,
    };
    Ok(())
}

/// `compare`
pub fn compare(vm: &mut Vm, a: &Value, b: &Value, op: CmpOp) -> R {
    let class = class_of(a).clone();
    match vm.type_lookup(&class, compare_name(op)) {
        Some(f) if f.is::<Function>() => vm.call(&f, &[a.clone(), b.clone()]),
        Some(f) => match vm.bind(&f, Some(a), &class) {
            Ok(f) => vm.call(&f, std::slice::from_ref(b)),
            // A comparison that cannot be had is one that is not there.
            Err(raised) => vm.swallow_any(raised).map(|()| Value::NOT_IMPLEMENTED),
        },
        None => Ok(Value::NOT_IMPLEMENTED),
    }
}

/// `iter`
pub fn iter(vm: &mut Vm, v: &Value) -> R {
    let class = class_of(v).clone();
    match vm.type_lookup(&class, &Names::get().__iter__) {
        Some(f) if f.is_none() => {
            Err(vm.type_error(format!("'{}' object is not iterable", class.name())))
        }
        _ => vm.call_special(v, &Names::get().__iter__, &[]),
    }
}

/// `next`
pub fn next(vm: &mut Vm, v: &Value) -> R {
    vm.call_special(v, &Names::get().__next__, &[])
}

/// `len`
pub fn len(vm: &mut Vm, v: &Value) -> R<usize> {
    len_i64(vm, v).map(|n| usize::try_from(n).unwrap_or(usize::MAX))
}

/// `len`, which need not fit an address.
pub fn len_i64(vm: &mut Vm, v: &Value) -> R<i64> {
    let r = vm.call_special(v, &Names::get().__len__, &[])?;
    let r = vm.index(&r)?;
    match r.as_int().and_then(|i| i.to_i64()) {
        Some(n) if n >= 0 => Ok(n),
        Some(_) => Err(vm.value_error("__len__() should return >= 0")),
        None if r.as_int().is_some_and(|i| i.is_negative()) => {
            Err(vm.value_error("__len__() should return >= 0"))
        }
        None => Err(vm.overflow_error("cannot fit 'int' into an index-sized integer")),
    }
}

/// `getitem`
pub fn getitem(vm: &mut Vm, v: &Value, key: &Value) -> R {
    vm.call_special(v, &Names::get().__getitem__, std::slice::from_ref(key))
}

/// `setitem`
pub fn setitem(vm: &mut Vm, v: &Value, key: &Value, value: Option<&Value>) -> R<()> {
    let n = Names::get();
    let name = if value.is_some() {
        &n.__setitem__
    } else {
        &n.__delitem__
    };
    let args: Vec<Value> = [Some(key), value].into_iter().flatten().cloned().collect();
    match vm.call_special_opt(v, name, &args)? {
        Some(_) => Ok(()),
        // The class has one of the two methods, or the slot would be empty.
        None => Err(vm.attribute_error(v, &name.to_value(), &name.to_text())),
    }
}

/// `contains`
pub fn contains(vm: &mut Vm, v: &Value, item: &Value) -> R<bool> {
    let class = class_of(v).clone();
    if vm
        .type_lookup(&class, &Names::get().__contains__)
        .is_some_and(|f| f.is_none())
    {
        return Err(vm.type_error(format!("'{}' object is not a container", class.name())));
    }
    let r = vm.call_special(v, &Names::get().__contains__, std::slice::from_ref(item))?;
    vm.truthy(&r)
}

/// `bool`
pub fn bool(vm: &mut Vm, v: &Value) -> R<bool> {
    let r = vm.call_special(v, &Names::get().__bool__, &[])?;
    match r.as_bool() {
        Some(b) => Ok(b),
        None => Err(vm.type_error(format!(
            "__bool__ should return bool, returned {}",
            class_of(&r).name()
        ))),
    }
}

/// An operator slot.
type NativeOperator = fn(&mut Vm, BinOp, &Value, &Value) -> R;

/// The operator slot behind a special method of a built-in sequence.
fn native_operator(f: &Value) -> Option<NativeOperator> {
    use crate::heap::Kind;
    let wrapper = f.as_ref::<crate::objects::slot_wrappers::SlotWrapper>()?;
    matches!(
        wrapper.owner.vtable.kind,
        Kind::Str | Kind::Bytes | Kind::ByteArray | Kind::Tuple | Kind::List
    )
    .then(|| wrapper.owner.slots().binary)
    .flatten()
}

fn call_operator(
    vm: &mut Vm,
    receiver: &Value,
    name: &Ref<Str>,
    arg: &Value,
    op: (BinOp, bool),
) -> R<Option<Value>> {
    let class = class_of(receiver).clone();
    match vm.type_lookup(&class, name) {
        None => Ok(None),
        Some(f) if f.is::<Function>() => vm.call(&f, &[receiver.clone(), arg.clone()]).map(Some),
        // What a built-in base does for a sequence: as a slot it may say that it does not know, as a method it may not.
        Some(f) => {
            if let Some(native) = native_operator(&f) {
                let (op, reflected) = op;
                let (a, b) = if reflected {
                    (arg, receiver)
                } else {
                    (receiver, arg)
                };
                return native(vm, op, a, b).map(Some);
            }
            let f = vm.bind(&f, Some(receiver), &class)?;
            vm.call(&f, std::slice::from_ref(arg)).map(Some)
        }
    }
}

/// `binary`: the class of either operand, or of both, is written in Python.
pub fn binary(vm: &mut Vm, op: BinOp, a: &Value, b: &Value) -> R {
    let [forward, reflected, _] = binary_names(op);
    let mine = binary as fn(&mut Vm, BinOp, &Value, &Value) -> R;
    let is_mine = |c: &Ref<Type>| {
        c.slots()
            .binary
            .is_some_and(|f| std::ptr::fn_addr_eq(f, mine))
    };
    let (ca, cb) = (class_of(a).clone(), class_of(b).clone());
    let b_is_mine = !ca.same(&cb) && is_mine(&cb);
    let mut b_done = false;
    if is_mine(&ca) {
        if b_is_mine && cb.is_subclass_of(&ca) {
            // The subclass goes first when it brings its own reflected method.
            let (fa, fb) = (
                vm.type_lookup(&ca, reflected),
                vm.type_lookup(&cb, reflected),
            );
            let own = match (&fa, &fb) {
                (Some(x), Some(y)) => !x.is_same(y),
                (None, Some(_)) => true,
                _ => false,
            };
            if own {
                b_done = true;
                if let Some(r) = call_operator(vm, b, reflected, a, (op, true))?
                    && !r.is_not_implemented()
                {
                    return Ok(r);
                }
            }
        }
        if let Some(r) = call_operator(vm, a, forward, b, (op, false))?
            && !r.is_not_implemented()
        {
            return Ok(r);
        }
    }
    if (b_is_mine || (ca.same(&cb) && !is_mine(&ca)))
        && !b_done
        && let Some(r) = call_operator(vm, b, reflected, a, (op, true))?
    {
        return Ok(r);
    }
    Ok(Value::NOT_IMPLEMENTED)
}

/// `inplace`
pub fn inplace(vm: &mut Vm, op: BinOp, a: &Value, b: &Value) -> R {
    if op == BinOp::DivMod {
        return Ok(Value::NOT_IMPLEMENTED);
    }
    let name = binary_names(op)[2];
    let class = class_of(a).clone();
    let Some(f) = vm.type_lookup(&class, name) else {
        return Ok(Value::NOT_IMPLEMENTED);
    };
    let f = vm.bind(&f, Some(a), &class)?;
    vm.call(&f, std::slice::from_ref(b))
}

/// `unary`
pub fn unary(vm: &mut Vm, op: UnOp, v: &Value) -> R {
    let n = Names::get();
    let name = match op {
        UnOp::Neg => &n.__neg__,
        UnOp::Pos => &n.__pos__,
        UnOp::Abs => &n.__abs__,
        UnOp::Invert => &n.__invert__,
    };
    match vm.call_special_opt(v, name, &[])? {
        Some(r) => Ok(r),
        None => Err(vm.no_unary(op, v)),
    }
}

fn int_result(vm: &mut Vm, r: Value, method: &str) -> R {
    let Some(i) = r.as_int().map(|i| i.to_value()) else {
        return Err(vm.type_error(format!(
            "{method} returned non-int (type {})",
            class_of(&r).name()
        )));
    };
    if !r.is_exact_int() {
        let text = format!(
            "{method} returned non-int (type {}).  The ability to return an instance of a strict subclass of int is deprecated, and may not be supported in a future version of Python.",
            class_of(&r).name()
        );
        vm.warn(Exc::DeprecationWarning, &text)?;
    }
    Ok(i)
}

/// `index`
pub fn index(vm: &mut Vm, v: &Value) -> R {
    let r = vm.call_special(v, &Names::get().__index__, &[])?;
    int_result(vm, r, "__index__")
}

/// `int`
pub fn int(vm: &mut Vm, v: &Value) -> R {
    let r = vm.call_special(v, &Names::get().__int__, &[])?;
    int_result(vm, r, "__int__")
}

/// `float`
pub fn float(vm: &mut Vm, v: &Value) -> R {
    let r = vm.call_special(v, &Names::get().__float__, &[])?;
    let Some(f) = r.as_any_float() else {
        return Err(vm.type_error(format!(
            "{}.__float__ returned non-float (type {})",
            class_of(v).name(),
            class_of(&r).name()
        )));
    };
    if !r.is_float() {
        let text = format!(
            "{}.__float__ returned non-float (type {}).  The ability to return an instance of a strict subclass of float is deprecated, and may not be supported in a future version of Python.",
            class_of(v).name(),
            class_of(&r).name()
        );
        vm.warn(Exc::DeprecationWarning, &text)?;
    }
    Ok(Value::float(f))
}

/// `descr_get`
pub fn descr_get(vm: &mut Vm, descriptor: &Value, instance: Option<&Value>, owner: &Value) -> R {
    let instance = instance.cloned().unwrap_or(Value::NONE);
    Ok(vm
        .call_special_opt(
            descriptor,
            &Names::get().__get__,
            &[instance, owner.clone()],
        )?
        .unwrap_or_else(|| descriptor.clone()))
}

/// `descr_set`
pub fn descr_set(
    vm: &mut Vm,
    descriptor: &Value,
    instance: &Value,
    value: Option<&Value>,
) -> R<()> {
    let n = Names::get();
    match value {
        Some(value) => {
            match vm.call_special_opt(descriptor, &n.__set__, &[instance.clone(), value.clone()])? {
                Some(_) => Ok(()),
                None => Err(vm.attribute_error(descriptor, &n.__set__.to_value(), "__set__")),
            }
        }
        None => {
            match vm.call_special_opt(descriptor, &n.__delete__, std::slice::from_ref(instance))? {
                Some(_) => Ok(()),
                None => Err(vm.attribute_error(descriptor, &n.__delete__.to_value(), "__delete__")),
            }
        }
    }
}

/// `new`
pub fn new(vm: &mut Vm, class: &Ref<Type>, args: Args) -> R {
    let Some(f) = vm.type_lookup(class, &Names::get().__new__) else {
        return Err(vm.type_error(format!("cannot create '{}' instances", class.name())));
    };
    // `__new__` is a static method; the class is passed explicitly.
    let class_value = class.to_value();
    let f = vm.bind(&f, None, class)?;
    let mut all = Vec::with_capacity(args.values().len() + 1);
    all.push(class_value);
    all.extend_from_slice(args.values());
    vm.call_args(&f, Args::new(&all, args.names()))
}

/// `init`
pub fn init(vm: &mut Vm, v: &Value, args: Args) -> R<()> {
    let class = class_of(v).clone();
    let Some(f) = vm.type_lookup(&class, &Names::get().__init__) else {
        return Ok(());
    };
    let r = call_method(vm, &f, v, args)?;
    if r.is_none() {
        Ok(())
    } else {
        Err(vm.type_error(format!(
            "__init__() should return None, not '{}'",
            class_of(&r).name()
        )))
    }
}

/// `del`
pub fn del(vm: &mut Vm, v: &Value) -> R<()> {
    vm.call_special(v, &Names::get().__del__, &[])?;
    Ok(())
}
