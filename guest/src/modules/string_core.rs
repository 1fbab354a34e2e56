//! The module `_string`: what `string.Formatter` is made of.

use crate::class_slot;
use crate::heap::{self, Payload, Ref};
use crate::objects::list::List;
use crate::objects::module::Module;
use crate::objects::native::{Def, receiver};
use crate::objects::slots::Slots;
use crate::objects::string::Str;
use crate::objects::string::format::{Access, First, Template, next_access, split_name};
use crate::objects::tuple::Tuple;
use crate::objects::types::ClassBuilder;
use crate::value::Value;
use crate::vm::ops::class_of;
use crate::vm::{R, Vm};
use std::cell::Cell;

/// Makes the module.
pub(crate) fn module(vm: &mut Vm) -> Ref<Module> {
    ClassBuilder::new::<FormatterIter>("formatteriterator")
        .slots(ITER)
        .module(vm, "_string")
        .build(vm);
    Module::native(vm, "_string", "string helper module", FUNCTIONS)
}

static FUNCTIONS: &[Def] = &[
    Def::function("formatter_parser", "(string, /)", |vm, args| {
        match args[0].as_ref::<Str>() {
            Some(s) => Ok(Value::from_ref(heap::alloc(FormatterIter {
                template: s.clone(),
                at: Cell::new(0),
            }))),
            None => Err(vm.type_error(format!("expected str, got {}", class_of(&args[0]).name()))),
        }
    }),
    Def::function("formatter_field_name_split", "(string, /)", |vm, args| {
        let Some(name) = args[0].as_ref::<Str>() else {
            return Err(vm.type_error(format!("expected str, got {}", class_of(&args[0]).name())));
        };
        let (first, mut rest) = match split_name(name.as_bytes()) {
            Ok(split) => split,
            Err(message) => return Err(vm.value_error(message)),
        };
        let first = match first {
            First::Empty => Str::value(""),
            First::Number(n) => Value::int(n as i64),
            First::Name(name) => Str::value_wtf8(name),
        };
        let mut parts = Vec::new();
        loop {
            let (is_attribute, key) = match next_access(&mut rest) {
                Ok(None) => break,
                Ok(Some(Access::Attribute(name))) => (true, Str::value_wtf8(name)),
                Ok(Some(Access::Index(n))) => (false, Value::int(n as i64)),
                Ok(Some(Access::Key(key))) => (false, Str::value_wtf8(key)),
                Err(message) => return Err(vm.value_error(message)),
            };
            parts.push(Tuple::value(vec![Value::bool(is_attribute), key]));
        }
        let rest = vm.get_iter(&List::value(parts))?;
        Ok(Tuple::value(vec![first, rest]))
    }),
];

/// Payload of the iterator over the parts of a template.
pub struct FormatterIter {
    template: Ref<Str>,
    at: Cell<usize>,
}

// SAFETY: visits the template.
unsafe impl Payload for FormatterIter {
    const COLLECTABLE: bool = false;
    class_slot!();
    fn traverse(&self, visit: &mut dyn FnMut(&Value)) {
        self.template.with_value(visit);
    }
}

const ITER: Slots = Slots {
    iter: Some(|_, v| Ok(v.clone())),
    next: Some(next),
    ..Slots::NONE
};

/// Literal text, field name, specification and conversion of the next part.
fn next(vm: &mut Vm, v: &Value) -> R {
    let it = receiver::<FormatterIter>(v);
    let mut template = Template::new(it.template.as_bytes(), it.at.get());
    let part = template.next_part();
    it.at.set(template.position());
    let (literal, field) = match part {
        Ok(Some(part)) => part,
        Ok(None) => return Ok(Value::UNDEF),
        Err(message) => return Err(vm.value_error(message)),
    };
    let mut parts = vec![Str::value_wtf8(literal)];
    match field {
        Some(field) => {
            parts.push(Str::value_wtf8(field.name));
            parts.push(Str::value_wtf8(field.spec));
            parts.push(field.conversion.map_or(Value::NONE, Str::from_char));
        }
        None => parts.extend([Value::NONE, Value::NONE, Value::NONE]),
    }
    Ok(Tuple::value(parts))
}
