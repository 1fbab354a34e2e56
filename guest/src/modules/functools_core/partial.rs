//! `partial`: functions with some arguments given, and `Placeholder` (3.14) for those that are still to come.

use crate::builtins::iterators::class_getitem;
use crate::builtins::ranges::read_only;
use crate::class_slot;
use crate::heap::attrs::Attrs;
use crate::heap::{self, Payload, Ref, VmCell};
use crate::names::{self, Names};
use crate::objects::descriptors::Method;
use crate::objects::dict::Dict;
use crate::objects::dict::methods::{copy, entry_from, update};
use crate::objects::native::{Def, receiver};
use crate::objects::sequence;
use crate::objects::slots::Slots;
use crate::objects::string::Str;
use crate::objects::tuple::Tuple;
use crate::objects::types::{BASE, ClassBuilder, Type};
use crate::value::Value;
use crate::vm::args::Args;
use crate::vm::ops::class_of;
use crate::vm::{R, Vm};
use std::cell::OnceCell;

/// Payload of the class of `Placeholder`.
struct Placeholder;

// SAFETY: owns nothing.
unsafe impl Payload for Placeholder {
    const COLLECTABLE: bool = false;
    class_slot!();
    fn traverse(&self, _: &mut dyn FnMut(&Value)) {}
}

thread_local! {
    static PLACEHOLDER: OnceCell<Value> = const { OnceCell::new() };
}

/// `Placeholder` and its class.
pub(super) fn placeholder(vm: &mut Vm) -> (Ref<Type>, Value) {
    if !Placeholder::class_slot().with(|slot| slot.is_set()) {
        let slots = Slots {
            repr: Some(|_, _| Ok(Str::value("Placeholder"))),
            new: Some(|vm, _, args| {
                if !args.is_empty() {
                    return Err(vm.type_error("_PlaceholderType takes no arguments"));
                }
                Ok(the_placeholder())
            }),
            ..Slots::NONE
        };
        static METHODS: &[Def] = &[Def::method("__reduce__", "(self, /)", |_, _| {
            Ok(Str::value("Placeholder"))
        })];
        ClassBuilder::new::<Placeholder>("_PlaceholderType")
            .slots(slots)
            .methods(vm, METHODS)
            .module(vm, "functools")
            .build(vm);
    }
    (Placeholder::class().clone(), the_placeholder())
}

fn the_placeholder() -> Value {
    PLACEHOLDER.with(|p| {
        p.get_or_init(|| Value::from_ref(heap::alloc(Placeholder)))
            .clone()
    })
}

fn is_placeholder(v: &Value) -> bool {
    v.is_exact::<Placeholder>()
}

/// What a `partial` holds.
#[derive(Clone)]
struct State {
    function: Value,
    args: Ref<Tuple>,
    keywords: Ref<Dict>,
    /// How many of the arguments are placeholders.
    placeholders: usize,
}

/// Payload of `partial`.
struct Partial {
    state: VmCell<State>,
}

// SAFETY: visits every value.
unsafe impl Payload for Partial {
    class_slot!();
    fn traverse(&self, visit: &mut dyn FnMut(&Value)) {
        // SAFETY: the collector runs while no borrow of any payload lives.
        let state = unsafe { self.state.peek() };
        visit(&state.function);
        state.args.with_value(&mut *visit);
        state.keywords.with_value(visit);
    }
    fn clear(&mut self) {
        self.state.exclusive().function = Value::NONE;
    }
}

/// The class.
pub(super) fn class(vm: &mut Vm) -> Ref<Type> {
    if Partial::class_slot().with(|slot| slot.is_set()) {
        return Partial::class().clone();
    }
    let slots = Slots {
        repr: Some(repr),
        call: Some(call),
        descr_get: Some(|_, v, instance, _| {
            Ok(match instance {
                Some(instance) => Method::value(v.clone(), instance.clone()),
                None => v.clone(),
            })
        }),
        new: Some(new),
        ..Slots::NONE
    };
    let builder = ClassBuilder::new::<Partial>("partial")
        .flags(BASE)
        .slots(slots)
        .attrs(2)
        .weak()
        .methods(vm, METHODS)
        .module(vm, "functools");
    let class = builder
        .getset(
            vm,
            "func",
            |vm, v| Ok(receiver::<Partial>(v).state.get(vm).function.clone()),
            Some(read_only),
        )
        .getset(
            vm,
            "args",
            |vm, v| Ok(receiver::<Partial>(v).state.get(vm).args.to_value()),
            Some(read_only),
        )
        .getset(
            vm,
            "keywords",
            |vm, v| Ok(receiver::<Partial>(v).state.get(vm).keywords.to_value()),
            Some(read_only),
        )
        .build(vm);
    crate::builtins::module_type::add_instance_attributes(vm, &class);
    class
}

static METHODS: &[Def] = &[
    Def::method("__reduce__", "(self, /)", |vm, args| {
        let state = receiver::<Partial>(&args[0]).state.get(vm).clone();
        let namespace = namespace(vm, &args[0])?;
        let parts = Tuple::value(vec![
            state.function.clone(),
            state.args.to_value(),
            state.keywords.to_value(),
            namespace,
        ]);
        Ok(Tuple::value(vec![
            class_of(&args[0]).to_value(),
            Tuple::value(vec![state.function]),
            parts,
        ]))
    }),
    Def::method("__setstate__", "(self, state, /)", set_state),
    Def::class_method("__class_getitem__", "(cls, object, /)", class_getitem),
];

/// The instance's `__dict__`, or `None` while it has no attributes.
fn namespace(vm: &mut Vm, v: &Value) -> R {
    let none = v
        .header()
        .and_then(Attrs::of)
        .is_none_or(|a| a.dict().is_none() && a.is_empty());
    if none {
        Ok(Value::NONE)
    } else {
        vm.get_attr(v, &Names::get().__dict__.to_value())
    }
}

/// An exact tuple.
fn tuple(items: Vec<Value>) -> Ref<Tuple> {
    match Tuple::value(items).into_ref::<Tuple>() {
        Ok(t) => t,
        Err(_) => Tuple::new(Vec::new()),
    }
}

fn new(vm: &mut Vm, class: &Ref<Type>, args: Args) -> R {
    let [function, given @ ..] = args.positional() else {
        return Err(vm.type_error("type 'partial' takes at least one argument"));
    };
    if class_of(function).slots().call.is_none() {
        return Err(vm.type_error("the first argument must be callable"));
    }
    if given.last().is_some_and(is_placeholder) {
        return Err(vm.type_error("trailing Placeholders are not allowed"));
    }
    if args.keywords().any(|(_, v)| is_placeholder(v)) {
        return Err(vm.type_error("Placeholder cannot be passed as a keyword argument"));
    }
    let (mut function, mut all, keywords) = (function.clone(), given.to_vec(), Dict::new());
    // A partial of a partial becomes one, unless the inner one carries attributes.
    if let Some(inner) = function.as_ref::<Partial>()
        && namespace(vm, &function)?.is_none()
    {
        let inner = inner.state.get(vm).clone();
        all = fill(&inner, given);
        update(vm, &keywords, &inner.keywords.to_value())?;
        function = inner.function;
    }
    for (name, value) in args.keywords() {
        keywords.set_item(vm, &names::intern_ref(name).to_value(), value.clone())?;
    }
    let placeholders = all.iter().filter(|v| is_placeholder(v)).count();
    let state = State {
        function,
        args: tuple(all),
        keywords,
        placeholders,
    };
    Ok(Value::from_ref(heap::alloc_instance(
        Partial {
            state: VmCell::new(state),
        },
        class,
        0,
    )))
}

/// The arguments with placeholders replaced by given ones, as far as they go, and the rest behind.
fn fill(state: &State, given: &[Value]) -> Vec<Value> {
    let mut all = Vec::with_capacity(state.args.len() + given.len());
    let mut given = given.iter();
    for arg in state.args.items() {
        match if is_placeholder(arg) {
            given.next()
        } else {
            None
        } {
            Some(value) => all.push(value.clone()),
            None => all.push(arg.clone()),
        }
    }
    all.extend(given.cloned());
    all
}

fn call(vm: &mut Vm, v: &Value, args: Args) -> R {
    let state = receiver::<Partial>(v).state.get(vm).clone();
    let given = args.positional();
    if given.len() < state.placeholders {
        let text = format!(
            "missing positional arguments in 'partial' call; expected at least {}, got {}",
            state.placeholders,
            given.len()
        );
        return Err(vm.type_error(text));
    }
    let mut values = fill(&state, given);
    if state.keywords.len(vm) == 0 {
        values.extend_from_slice(&args.values()[given.len()..]);
        return vm.call_args(&state.function, Args::new(&values, args.names()));
    }
    // Keywords of the call go before those that are kept.
    let all = copy(vm, &state.keywords)?;
    for (name, value) in args.keywords() {
        all.set_item(vm, &name.to_value(), value.clone())?;
    }
    let mut names = Vec::with_capacity(all.len(vm));
    let mut at = 0;
    while let Some((slot, _, name, value)) = entry_from(vm, &all, at) {
        if !name.is::<Str>() {
            return Err(vm.type_error("keywords must be strings"));
        }
        names.push(name);
        values.push(value);
        at = slot + 1;
    }
    vm.call_args(&state.function, Args::new(&values, &names))
}

fn set_state(vm: &mut Vm, args: &[Value]) -> R {
    let parts = args[1]
        .as_ref::<Tuple>()
        .map(|t| t.items().to_vec())
        .unwrap_or_default();
    let [function, positional, keywords, namespace] = parts.as_slice() else {
        return Err(vm.type_error("invalid partial state"));
    };
    let (Some(positional), true) = (
        positional.as_ref::<Tuple>(),
        class_of(function).slots().call.is_some(),
    ) else {
        return Err(vm.type_error("invalid partial state"));
    };
    let keywords = match keywords.as_ref::<Dict>() {
        Some(d) if keywords.is_exact::<Dict>() => d.clone(),
        Some(d) => copy(vm, d)?,
        None if keywords.is_none() => Dict::new(),
        None => return Err(vm.type_error("invalid partial state")),
    };
    if positional.items().last().is_some_and(is_placeholder) {
        return Err(vm.type_error("trailing Placeholders are not allowed"));
    }
    let placeholders = positional
        .items()
        .iter()
        .filter(|v| is_placeholder(v))
        .count();
    let state = State {
        function: function.clone(),
        args: if parts[1].is_exact::<Tuple>() {
            positional.clone()
        } else {
            tuple(positional.items().to_vec())
        },
        keywords,
        placeholders,
    };
    drop(receiver::<Partial>(&args[0]).state.replace(vm, state));
    let old = self::namespace(vm, &args[0])?;
    if namespace.is_none() {
        if !old.is_none() {
            let empty = Value::from_ref(Dict::new());
            vm.set_attr(&args[0], &Names::get().__dict__.to_value(), Some(&empty))?;
        }
    } else {
        vm.set_attr(&args[0], &Names::get().__dict__.to_value(), Some(namespace))?;
    }
    Ok(Value::NONE)
}

fn repr(vm: &mut Vm, v: &Value) -> R {
    let text = vm.repr_once(v, |vm| {
        let state = receiver::<Partial>(v).state.get(vm).clone();
        let class = class_of(v).clone();
        let module = class
            .dict
            .get_str(vm, &Names::get().__module__)
            .and_then(|m| m.as_ref::<Str>())
            .map(|m| m.to_text().into_owned());
        let mut out = match module {
            Some(module) => format!("{module}.{}(", class.qualname.get(vm).to_text()),
            None => format!("{}(", class.qualname.get(vm).to_text()),
        }
        .into_bytes();
        let function = vm.repr(&state.function)?;
        out.extend_from_slice(function.as_bytes());
        for arg in state.args.items() {
            out.extend_from_slice(b", ");
            let text = vm.repr(arg)?;
            sequence::push_text(vm, &mut out, text.as_bytes())?;
        }
        let mut at = 0;
        while let Some((slot, _, name, value)) = entry_from(vm, &state.keywords, at) {
            let (name, value) = (vm.str(&name)?, vm.repr(&value)?);
            out.extend_from_slice(b", ");
            out.extend_from_slice(name.as_bytes());
            out.push(b'=');
            sequence::push_text(vm, &mut out, value.as_bytes())?;
            at = slot + 1;
        }
        out.push(b')');
        Ok(Str::value_wtf8(&out))
    })?;
    Ok(text.unwrap_or_else(|| Str::value("...")))
}
