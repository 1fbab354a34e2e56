//! `isinstance` and `issubclass`: by the MRO, by the hooks of metaclasses, and by `__bases__` of things that merely behave as classes.

use crate::heap::{Payload, Ref};
use crate::names::Names;
use crate::objects::exception::Exc;
use crate::objects::string::Str;
use crate::objects::tuple::Tuple;
use crate::objects::types::Type;
use crate::value::Value;
use crate::vm::ops::class_of;
use crate::vm::{R, Vm};

/// Whether `v.__class__` is its class. An instance of the program's classes may say otherwise, and a proxy does.
fn is_what_it_is(v: &Value) -> bool {
    class_of(v).is_static() && !v.is::<super::weakrefs::WeakRef>()
}

impl Vm {
    /// `isinstance(v, class)` by the MRO (and `__class__`), without `__instancecheck__`.
    pub fn plain_instance(&mut self, v: &Value, class: &Ref<Type>) -> R<bool> {
        if class_of(v).is_subclass_of(class) {
            return Ok(true);
        }
        if is_what_it_is(v) {
            return Ok(false);
        }
        match self.get_attr_opt(v, &Names::get().__class__.to_value())? {
            Some(c) => Ok(c.as_ref::<Type>().is_some_and(|c| c.is_subclass_of(class))),
            None => Ok(false),
        }
    }

    /// `issubclass(sub, class)` by the MRO, without `__subclasscheck__`.
    pub fn plain_subclass(&mut self, sub: &Value, class: &Ref<Type>) -> R<bool> {
        match sub.as_ref::<Type>() {
            Some(s) => Ok(s.is_subclass_of(class)),
            None => {
                // Something with `__bases__` counts as a class.
                match self.get_attr_opt(sub, &Names::get().__bases__.to_value())? {
                    Some(bases) => {
                        for base in self.collect(&bases)? {
                            if self.recurse("", |vm| vm.plain_subclass(&base, class))? {
                                return Ok(true);
                            }
                        }
                        Ok(false)
                    }
                    None => Err(self.type_error("issubclass() arg 1 must be a class")),
                }
            }
        }
    }

    /// `isinstance(v, class_or_tuple)`
    pub fn is_instance(&mut self, v: &Value, class: &Value) -> R<bool> {
        if let Some(t) = class.as_ref::<Type>()
            && (class_of(v).same(t) || class_of(class).same(Type::class()))
        {
            return if class_of(v).same(t) {
                Ok(true)
            } else {
                self.plain_instance(v, t)
            };
        }
        // The rule for tuples: classes without hooks, of which an object is an instance or is not.
        if let Some(classes) = class.as_exact::<Tuple>()
            && is_what_it_is(v)
            && classes
                .items()
                .iter()
                .all(|c| c.is::<Type>() && class_of(c).same(Type::class()))
        {
            let mut classes = classes.items().iter().filter_map(Value::as_ref::<Type>);
            return Ok(classes.any(|t| self.is_instance_of(v, t)));
        }
        self.check_hook(
            v,
            class,
            &Names::get().__instancecheck__,
            "isinstance() arg 2 must be a type, a tuple of types, or a union",
        )
    }

    /// `issubclass(sub, class_or_tuple)`
    pub fn is_subclass(&mut self, sub: &Value, class: &Value) -> R<bool> {
        if let Some(t) = class.as_ref::<Type>()
            && class_of(class).same(Type::class())
        {
            return self.plain_subclass(sub, t);
        }
        if !class.is::<Tuple>() && class_of(class).is_static() && !class.is::<Type>() {
            // Neither of them may be a class: the first one is complained about first.
            let bases = Names::get().__bases__.to_value();
            if !sub.is::<Type>()
                && !self
                    .get_attr_opt(sub, &bases)?
                    .is_some_and(|b| b.is::<Tuple>())
            {
                return Err(self.type_error("issubclass() arg 1 must be a class"));
            }
        }
        self.check_hook(
            sub,
            class,
            &Names::get().__subclasscheck__,
            "issubclass() arg 2 must be a class, a tuple of classes, or a union",
        )
    }

    /// Whether `sub` is `class` or has it among its `__bases__`, for things that merely behave as classes.
    fn derives_abstractly(&mut self, sub: &Value, class: &Value) -> R<bool> {
        if sub.is_same(class) {
            return Ok(true);
        }
        let Some(bases) = self
            .get_attr_opt(sub, &Names::get().__bases__.to_value())?
            .and_then(|b| b.as_ref::<Tuple>().cloned())
        else {
            return Ok(false);
        };
        for base in bases.items() {
            if self.recurse("", |vm| vm.derives_abstractly(base, class))? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn check_hook(&mut self, v: &Value, class: &Value, hook: &Ref<Str>, error: &str) -> R<bool> {
        if let Some(t) = class.as_ref::<Tuple>().cloned() {
            for c in t.items() {
                let hit = self.recurse("", |vm| {
                    if hook.same(&Names::get().__instancecheck__) {
                        vm.is_instance(v, c)
                    } else {
                        vm.is_subclass(v, c)
                    }
                })?;
                if hit {
                    return Ok(true);
                }
            }
            return Ok(false);
        }
        if let Some(r) = self.call_special_opt(class, hook, std::slice::from_ref(v))? {
            return self.truthy(&r);
        }
        // Anything whose `__bases__` is a tuple counts as a class.
        let bases = Names::get().__bases__.to_value();
        if hook.same(&Names::get().__subclasscheck__)
            && !self
                .get_attr_opt(v, &bases)?
                .is_some_and(|b| b.is::<Tuple>())
        {
            return Err(self.type_error("issubclass() arg 1 must be a class"));
        }
        if !self
            .get_attr_opt(class, &bases)?
            .is_some_and(|b| b.is::<Tuple>())
        {
            return Err(self.raise(Exc::TypeError, error));
        }
        let sub = if hook.same(&Names::get().__instancecheck__) {
            match self.get_attr_opt(v, &Names::get().__class__.to_value())? {
                Some(c) => c,
                None => return Ok(false),
            }
        } else {
            v.clone()
        };
        self.derives_abstractly(&sub, class)
    }
}
