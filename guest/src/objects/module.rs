//! `module`: the data.

use crate::class_slot;
use crate::heap::{self, Kind, Payload, Ref};
use crate::names::{self, Names};
use crate::objects::dict::Dict;
use crate::objects::native::{Def, Native};
use crate::objects::string::Str;
use crate::value::Value;
use crate::vm::Vm;
use std::rc::Rc;

/// Payload of `module`: its namespace.
pub struct Module {
    /// `__dict__`
    pub dict: Ref<Dict>,
    /// The name that the library has it under; modules that a program makes have none.
    pub shipped: Option<Rc<str>>,
}

// SAFETY: visits the namespace.
unsafe impl Payload for Module {
    const KIND: Kind = Kind::Module;
    class_slot!();
    fn traverse(&self, visit: &mut dyn FnMut(&Value)) {
        self.dict.with_value(visit);
    }
}

impl Module {
    /// A module of the library, with the usual attributes.
    pub fn new(vm: &mut Vm, name: &str, doc: Value) -> Ref<Module> {
        Self::make(vm, name, doc, Some(name.into()))
    }

    /// A module that is not the library's, with the usual attributes.
    pub fn of_program(vm: &mut Vm, name: &str) -> Ref<Module> {
        Self::make(vm, name, Value::NONE, None)
    }

    fn make(vm: &mut Vm, name: &str, doc: Value, shipped: Option<Rc<str>>) -> Ref<Module> {
        let dict = Dict::new();
        let n = Names::get();
        dict.set_str(vm, &n.__name__, Value::from_ref(names::intern(name)));
        dict.set_str(vm, &n.__doc__, doc);
        for key in [&n.__package__, &n.__loader__, &n.__spec__] {
            dict.set_str(vm, key, Value::NONE);
        }
        heap::alloc(Module { dict, shipped })
    }

    /// A module of native functions. `doc` may be empty.
    pub fn native(vm: &mut Vm, name: &str, doc: &str, functions: &'static [Def]) -> Ref<Module> {
        let doc = if doc.is_empty() {
            Value::NONE
        } else {
            Str::value(doc)
        };
        let module = Self::new(vm, name, doc);
        let name = Value::from_ref(names::intern(name));
        for def in functions {
            let f = Native::function(def, name.clone());
            module.dict.set_str(vm, &names::intern(def.name), f);
        }
        module
    }

    /// Binds a name in the module.
    pub fn set(&self, vm: &mut Vm, name: &str, value: Value) {
        self.dict.set_str(vm, &names::intern(name), value);
    }
}
