//! `property`, `classmethod`, `staticmethod`, bound methods and slot members: the data.

use crate::class_slot;
use crate::heap::{self, Kind, Payload, Ref, VmCell};
use crate::objects::string::Str;
use crate::objects::types::Type;
use crate::value::Value;

/// Payload of `method`: a function bound to an instance.
pub struct Method {
    /// `__func__`
    pub function: Value,
    /// `__self__`
    pub receiver: Value,
}

// SAFETY: visits both values.
unsafe impl Payload for Method {
    const KIND: Kind = Kind::Method;
    class_slot!();
    fn traverse(&self, visit: &mut dyn FnMut(&Value)) {
        visit(&self.function);
        visit(&self.receiver);
    }
}

impl Method {
    /// A bound method.
    pub fn value(function: Value, receiver: Value) -> Value {
        Value::from_ref(heap::alloc(Method { function, receiver }))
    }
}

/// Payload of `property`.
pub struct Property {
    /// `fget`, `fset`, `fdel` and the documentation, each perhaps `None`.
    pub parts: VmCell<[Value; 4]>,
    /// `__name__`, once known (`UNDEF` before).
    pub name: VmCell<Value>,
}

// SAFETY: visits every value.
unsafe impl Payload for Property {
    const KIND: Kind = Kind::Property;
    class_slot!();
    fn traverse(&self, visit: &mut dyn FnMut(&Value)) {
        // SAFETY: the collector runs while no borrow of any payload lives.
        unsafe {
            self.parts.peek().iter().for_each(&mut *visit);
            visit(self.name.peek());
        }
    }
    fn clear(&mut self) {
        *self.parts.exclusive() = [Value::NONE, Value::NONE, Value::NONE, Value::NONE];
    }
}

macro_rules! wrapper {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        pub struct $name {
            /// `__func__`
            pub function: VmCell<Value>,
        }
        // SAFETY: visits the value.
        unsafe impl Payload for $name {
            const KIND: Kind = Kind::$name;
            class_slot!();
            fn traverse(&self, visit: &mut dyn FnMut(&Value)) {
                // SAFETY: the collector runs while no borrow of any payload lives.
                visit(unsafe { self.function.peek() });
            }
            fn clear(&mut self) {
                *self.function.exclusive() = Value::NONE;
            }
        }
        impl $name {
            /// The descriptor of a callable.
            pub fn value(function: Value) -> Value {
                Value::from_ref(heap::alloc($name { function: VmCell::new(function) }))
            }
        }
    };
}

wrapper! {
    /// Payload of `classmethod`.
    ClassMethod
}
wrapper! {
    /// Payload of `staticmethod`.
    StaticMethod
}

/// Payload of `member_descriptor`: an attribute named in `__slots__`.
pub struct Member {
    /// The attribute's name.
    pub name: Ref<Str>,
    /// The class that it belongs to.
    pub owner: Ref<Type>,
    /// Its place among the inline attributes.
    pub index: u16,
}

// SAFETY: visits name and class.
unsafe impl Payload for Member {
    const KIND: Kind = Kind::Member;
    class_slot!();
    fn traverse(&self, visit: &mut dyn FnMut(&Value)) {
        self.name.with_value(&mut *visit);
        self.owner.with_value(visit);
    }
}

/// Payload of `super`.
pub struct Super {
    /// `__thisclass__`
    pub this_class: VmCell<Option<Ref<Type>>>,
    /// `__self__` (`UNDEF` when unbound)
    pub receiver: VmCell<Value>,
    /// `__self_class__`
    pub self_class: VmCell<Option<Ref<Type>>>,
}

// SAFETY: visits everything held.
unsafe impl Payload for Super {
    const KIND: Kind = Kind::Super;
    class_slot!();
    fn traverse(&self, visit: &mut dyn FnMut(&Value)) {
        // SAFETY: the collector runs while no borrow of any payload lives.
        unsafe {
            if let Some(c) = self.this_class.peek() {
                c.with_value(&mut *visit);
            }
            visit(self.receiver.peek());
            if let Some(c) = self.self_class.peek() {
                c.with_value(&mut *visit);
            }
        }
    }
}
