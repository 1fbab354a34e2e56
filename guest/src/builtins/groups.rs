//! Exception groups (PEP 654): their Python side, and the machine's part of `except*`.

use crate::heap::{self, Ref, VmCell};
use crate::names::{self, Names};
use crate::objects::exception::{Exc, Exception, ExceptionState};
use crate::objects::list::List;
use crate::objects::native::Def;
use crate::objects::slots::Slots;
use crate::objects::string::Str;
use crate::objects::tuple::Tuple;
use crate::objects::types::{EXCEPTION, Type};
use crate::value::Value;
use crate::vm::args::Args;
use crate::vm::ops::class_of;
use crate::vm::{R, Vm};

/// The slots of `BaseExceptionGroup`.
pub(crate) const SLOTS: Slots = Slots {
    new: Some(new),
    str: Some(str),
    repr: None,
    init: Some(init_group),
    ..Slots::NONE
};

/// Adds the methods; the class itself is made with the other exceptions.
pub(crate) fn init(vm: &mut Vm) {
    let class = Exc::BaseExceptionGroup.class().clone();
    for def in METHODS {
        let value = crate::objects::native::MethodDescriptor::value(def, &class);
        class.dict.set_str(vm, &names::intern(def.name), value);
    }
    let generic = crate::objects::descriptors::ClassMethod::value(
        crate::objects::native::Native::function(&CLASS_GETITEM, Value::NONE),
    );
    class
        .dict
        .set_str(vm, &Names::get().__class_getitem__, generic);
    class.invalidate();
}

static CLASS_GETITEM: Def = Def::function("__class_getitem__", "(cls, item, /)", |vm, args| {
    crate::builtins::type_params::generic_alias(vm, &args[0], &args[1])
});

fn init_group(_: &mut Vm, _: &Value, _: Args) -> R<()> {
    Ok(())
}

fn new(vm: &mut Vm, class: &Ref<Type>, args: Args) -> R {
    let items = args.positional();
    let [message, exceptions] = items else {
        return Err(vm.type_error(format!(
            "BaseExceptionGroup.__new__() takes exactly 2 arguments ({} given)",
            items.len()
        )));
    };
    if !message.is::<Str>() {
        return Err(vm.type_error(format!(
            "argument 1 must be str, not {}",
            class_of(message).name()
        )));
    }
    if class_of(exceptions).slots().getitem.is_none()
        || exceptions.is::<crate::objects::dict::Dict>()
        || exceptions.is::<Str>()
    {
        return Err(vm.type_error("second argument (exceptions) must be a sequence"));
    }
    let members = vm.collect(exceptions)?;
    if members.is_empty() {
        return Err(vm.value_error("second argument (exceptions) must be a non-empty sequence"));
    }
    let mut all_plain = true;
    for (i, m) in members.iter().enumerate() {
        if !m.is::<Exception>() {
            return Err(vm.value_error(format!(
                "Item {i} of second argument (exceptions) is not an exception"
            )));
        }
        all_plain &= class_of(m).is_subclass_of(Exc::Exception.class());
    }
    let mut made = class.clone();
    if class.same(Exc::BaseExceptionGroup.class()) && all_plain {
        made = Exc::ExceptionGroup.class().clone();
    } else if !all_plain && class.is_subclass_of(Exc::Exception.class()) {
        let text = if class.same(Exc::ExceptionGroup.class()) {
            "Cannot nest BaseExceptions in an ExceptionGroup".to_owned()
        } else {
            format!("Cannot nest BaseExceptions in '{}'", class.name())
        };
        return Err(vm.type_error(text));
    }
    let state = ExceptionState {
        args: Some(Tuple::from_slice(items)),
        fields: vec![message.clone(), Tuple::value(members)],
        ..ExceptionState::default()
    };
    Ok(Value::from_ref(heap::alloc_instance(
        Exception {
            state: VmCell::new(state),
        },
        &made,
        0,
    )))
}

fn str(vm: &mut Vm, e: &Value) -> R {
    let message = crate::builtins::exceptions::field(vm, e, 0);
    let n = members(vm, e).len();
    let message = vm.str(&message)?.to_text().into_owned();
    Ok(Str::value(&format!(
        "{message} ({n} sub-exception{})",
        if n == 1 { "" } else { "s" }
    )))
}

fn members(vm: &Vm, e: &Value) -> Vec<Value> {
    crate::builtins::exceptions::field(vm, e, 1)
        .as_ref::<Tuple>()
        .map(|t| t.items().to_vec())
        .unwrap_or_default()
}

static METHODS: &[Def] = &[
    Def::method("derive", "(self, excs, /)", |vm, args| {
        let message = crate::builtins::exceptions::field(vm, &args[0], 0);
        let class = Exc::BaseExceptionGroup.class().to_value();
        vm.call(&class, &[message, args[1].clone()])
    }),
    Def::method("split", "(self, matcher_value, /)", |vm, args| {
        let (yes, no) = split(vm, &args[0], &args[1])?;
        Ok(Tuple::value(vec![yes, no]))
    }),
    Def::method("subgroup", "(self, matcher_value, /)", |vm, args| {
        Ok(split(vm, &args[0], &args[1])?.0)
    }),
];

fn is_group(e: &Value) -> bool {
    class_of(e).is_subclass_of(Exc::BaseExceptionGroup.class())
}

fn matches(vm: &mut Vm, e: &Value, matcher: &Value) -> R<bool> {
    if matcher.is::<Type>() || matcher.is::<Tuple>() {
        return vm.exception_matches(e, matcher);
    }
    let r = vm.call(matcher, std::slice::from_ref(e))?;
    vm.truthy(&r)
}

/// The parts of an exception that match and that do not (`None` where empty).
fn split(vm: &mut Vm, e: &Value, matcher: &Value) -> R<(Value, Value)> {
    let class_matcher = matcher.as_ref::<Type>().is_some_and(|t| t.flag(EXCEPTION))
        || matcher.as_ref::<Tuple>().is_some_and(|t| {
            t.items()
                .iter()
                .all(|c| c.as_ref::<Type>().is_some_and(|t| t.flag(EXCEPTION)))
        });
    if !class_matcher && (matcher.is::<Type>() || class_of(matcher).slots().call.is_none()) {
        return Err(vm.type_error("expected an exception type, a tuple of exception types, or a callable (other than a class)"));
    }
    split_checked(vm, e, matcher)
}

fn split_checked(vm: &mut Vm, e: &Value, matcher: &Value) -> R<(Value, Value)> {
    if matches(vm, e, matcher)? {
        return Ok((e.clone(), Value::NONE));
    }
    if !is_group(e) {
        return Ok((Value::NONE, e.clone()));
    }
    let (mut yes, mut no) = (Vec::new(), Vec::new());
    for member in members(vm, e) {
        let (a, b) = vm.recurse("", |vm| split_checked(vm, &member, matcher))?;
        if !a.is_none() {
            yes.push(a);
        }
        if !b.is_none() {
            no.push(b);
        }
    }
    Ok((derive(vm, e, yes)?, derive(vm, e, no)?))
}

/// A group like `e` with other members; traceback, cause, context and notes are `e`'s.
fn derive(vm: &mut Vm, e: &Value, list: Vec<Value>) -> R {
    if list.is_empty() {
        return Ok(Value::NONE);
    }
    let made = vm.call_method(e, &names::intern("derive"), &[List::value(list)])?;
    if !is_group(&made) {
        return Err(vm.type_error("derive must return an instance of BaseExceptionGroup"));
    }
    let traceback = crate::builtins::tracebacks::of_exception(vm, e)?;
    crate::builtins::tracebacks::set(vm, &made, Some(&traceback))?;
    if let (Some(from), Some(to)) = (e.as_ref::<Exception>(), made.as_ref::<Exception>()) {
        let s = from.state.get(vm);
        let (cause, context, suppress) = (s.cause.clone(), s.context.clone(), s.suppress_context);
        let t = to.state.get_mut(vm);
        t.cause = cause;
        t.context = context;
        t.suppress_context = suppress;
    }
    let notes = Names::get().__notes__.to_value();
    if let Some(list) = vm.get_attr_opt(e, &notes)?
        && list.is::<List>()
    {
        let copy = List::value(vm.collect(&list)?);
        vm.set_attr(&made, &notes, Some(&copy))?;
    }
    Ok(made)
}

impl Vm {
    /// `except*`: the part of the exception that matches, and the rest.
    pub(crate) fn match_group(&mut self, e: &Value, wanted: &Value) -> R<(Value, Value)> {
        let classes = match wanted.as_ref::<Tuple>() {
            Some(t) => t.items().to_vec(),
            None => vec![wanted.clone()],
        };
        for c in &classes {
            match c.as_ref::<Type>() {
                Some(t) if t.flag(EXCEPTION) => {
                    if t.is_subclass_of(Exc::BaseExceptionGroup.class()) {
                        return Err(self.type_error("catching ExceptionGroup with except* is not allowed. Use except instead."));
                    }
                }
                _ => {
                    return Err(self.type_error(
                        "catching classes that do not inherit from BaseException is not allowed",
                    ));
                }
            }
        }
        if e.is_none() {
            return Ok((Value::NONE, Value::NONE));
        }
        if !is_group(e) {
            if self.exception_matches(e, wanted)? {
                // A naked exception is caught as a group of one.
                let group = Exc::ExceptionGroup.class().to_value();
                let base = Exc::BaseExceptionGroup.class().to_value();
                let class = if class_of(e).is_subclass_of(Exc::Exception.class()) {
                    group
                } else {
                    base
                };
                let made = self.call(&class, &[Str::value(""), Tuple::value(vec![e.clone()])])?;
                let traceback = crate::builtins::tracebacks::of_exception(self, e)?;
                crate::builtins::tracebacks::set(self, &made, Some(&traceback))?;
                return Ok((made, Value::NONE));
            }
            return Ok((Value::NONE, e.clone()));
        }
        split(self, e, wanted)
    }

    /// End of `except*`: what is to be raised, from what the handlers raised and left over.
    pub(crate) fn prepare_reraise(&mut self, original: &Value, list: &Value) -> R {
        let items: Vec<Value> = self
            .collect(list)?
            .into_iter()
            .filter(|v| !v.is_none())
            .collect();
        if items.is_empty() {
            return Ok(Value::NONE);
        }
        if !is_group(original) {
            // At most one clause has run; its exception, or the original, goes on as it is.
            return Ok(items[0].clone());
        }
        let own = crate::builtins::tracebacks::of_exception(self, original)?;
        let (mut raised, mut reraised) = (Vec::new(), Vec::new());
        for e in items {
            let same = {
                let theirs = crate::builtins::tracebacks::of_exception(self, &e)?;
                is_group(&e)
                    && self.shares_origin(original, &e)
                    && (theirs.is_same(&own) || !theirs.is_none())
            };
            if same {
                reraised.push(e)
            } else {
                raised.push(e)
            }
        }
        let rest = self.project(original, &reraised)?;
        if raised.is_empty() {
            return Ok(rest);
        }
        if !rest.is_none() {
            raised.push(rest);
        }
        if raised.len() == 1 {
            return Ok(raised.remove(0));
        }
        let class = Exc::BaseExceptionGroup.class().to_value();
        self.call(&class, &[Str::value(""), Tuple::value(raised)])
    }

    fn leaves(&self, e: &Value, out: &mut Vec<u64>) {
        if is_group(e) {
            for m in members(self, e) {
                self.leaves(&m, out);
            }
        } else {
            out.push(e.bits());
        }
    }

    /// Whether every leaf of `e` is a leaf of `original`.
    fn shares_origin(&self, original: &Value, e: &Value) -> bool {
        let (mut a, mut b) = (Vec::new(), Vec::new());
        self.leaves(original, &mut a);
        self.leaves(e, &mut b);
        b.iter().all(|x| a.contains(x))
    }

    /// The part of `original` whose leaves are in the given groups.
    fn project(&mut self, original: &Value, groups: &[Value]) -> R {
        let mut keep = Vec::new();
        for g in groups {
            self.leaves(g, &mut keep);
        }
        if keep.is_empty() {
            return Ok(Value::NONE);
        }
        self.project_leaves(original, &keep)
    }

    fn project_leaves(&mut self, e: &Value, keep: &[u64]) -> R {
        if !is_group(e) {
            return Ok(if keep.contains(&e.bits()) {
                e.clone()
            } else {
                Value::NONE
            });
        }
        let all = members(self, e);
        let mut left = Vec::new();
        for m in &all {
            let part = self.recurse("", |vm| vm.project_leaves(m, keep))?;
            if !part.is_none() {
                left.push(part);
            }
        }
        if left.len() == all.len() && left.iter().zip(&all).all(|(a, b)| a.is_same(b)) {
            return Ok(e.clone());
        }
        derive(self, e, left)
    }
}
