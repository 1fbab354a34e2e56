//! Objects that cross with the name of their class: enum members, instances of dataclasses, named tuples.
//!
//! They are told by what their classes hold, without asking the classes: attributes are read where they lie.

use super::encode::Encoder;
use super::refusal::{Outcome, Step, refuse};
use super::tag;
use crate::heap::{Kind, Ref};
use crate::names;
use crate::objects::dict::Dict;
use crate::objects::exception::Exception;
use crate::objects::string::Str;
use crate::objects::tuple::Tuple;
use crate::objects::types::Type;
use crate::value::Value;
use crate::vm::ops::class_of;

impl Encoder<'_> {
    /// Writes an object of a class made by Python code, if it is of one of the kinds that keep their class.
    pub(super) fn of_a_class(&mut self, value: &Value) -> Outcome<bool> {
        let class = class_of(value).clone();
        // Exceptions are told from the others by their layout.
        if value.is::<Exception>() {
            return Ok(false);
        }
        if let Some(enum_class) = self.library_class("enum", "Enum")
            && class.is_subclass_of(&enum_class)
        {
            self.inside(value, |e| e.member(value))?;
            return Ok(true);
        }
        if let Some(tuple) = value.as_ref::<Tuple>()
            && let Some(names) = self.field_names(&class, tuple.items().len())
        {
            self.out.tag(tag::NAMED_TUPLE)?;
            let items = tuple.items().to_vec();
            self.inside(value, |e| e.fields(value, &names, &items))?;
            return Ok(true);
        }
        if let Some(names) = self.dataclass_fields(&class)? {
            self.out.tag(tag::DATACLASS)?;
            let mut values = Vec::with_capacity(names.len());
            for name in &names {
                values.push(self.attribute(value, &class, name)?);
            }
            self.inside(value, |e| e.fields(value, &names, &values))?;
            return Ok(true);
        }
        Ok(false)
    }

    /// Module and qualified name of a value's class.
    pub(super) fn class_name(&mut self, value: &Value) -> Outcome {
        let class = class_of(value).clone();
        let (module, name) = self.name_of(&class);
        self.out.text(&module)?;
        self.out.text(&name)
    }

    fn name_of(&self, class: &Ref<Type>) -> (String, String) {
        let module = self
            .vm
            .type_lookup(class, &names::Names::get().__module__)
            .and_then(|m| m.as_ref::<Str>().map(|m| m.to_text().into_owned()))
            .unwrap_or_else(|| "builtins".to_owned());
        let name = class.qualname.get(self.vm).to_text().into_owned();
        (module, name)
    }

    fn member(&mut self, value: &Value) -> Outcome {
        let name = self.vm.instance_attr(value, &names::intern("_name_"));
        let Some(inner) = self.vm.instance_attr(value, &names::intern("_value_")) else {
            return refuse("a member of an enum without a value cannot leave the sandbox");
        };
        self.out.tag(tag::ENUM)?;
        self.out.array_head(4)?;
        self.class_name(value)?;
        match name.as_ref().and_then(|n| n.as_ref::<Str>()) {
            Some(name) => self.out.text(&name.to_text())?,
            None => self.out.null()?,
        }
        self.value(&inner)
            .map_err(|refusal| refusal.through(Step::MemberValue))
    }

    fn fields(&mut self, value: &Value, names: &[Ref<Str>], values: &[Value]) -> Outcome {
        self.out.array_head(3)?;
        self.class_name(value)?;
        self.out.map_head(names.len())?;
        for (name, value) in names.iter().zip(values) {
            let name = name.to_text();
            self.out.text(&name)?;
            self.field(&name, value)?;
        }
        Ok(())
    }

    /// `_fields` of a named tuple's class, if they are `count` strings.
    fn field_names(&self, class: &Ref<Type>, count: usize) -> Option<Vec<Ref<Str>>> {
        let fields = self.vm.type_lookup(class, &names::intern("_fields"))?;
        let names: Option<Vec<Ref<Str>>> = fields
            .as_exact::<Tuple>()?
            .items()
            .iter()
            .map(|name| name.as_ref::<Str>().cloned())
            .collect();
        names.filter(|names| names.len() == count)
    }

    /// The names of a dataclass's fields (not its class variables, nor what only `__init__` takes).
    fn dataclass_fields(&mut self, class: &Ref<Type>) -> Outcome<Option<Vec<Ref<Str>>>> {
        let Some(fields) = self
            .vm
            .type_lookup(class, &names::intern("__dataclass_fields__"))
        else {
            return Ok(None);
        };
        let (Some(fields), Some(field_class), Some(real)) = (
            fields.as_exact::<Dict>().cloned(),
            self.library_class("dataclasses", "Field"),
            self.library_value("dataclasses", "_FIELD"),
        ) else {
            return Ok(None);
        };
        let entries: Vec<(Value, Value)> = fields
            .map
            .get(self.vm)
            .iter()
            .map(|e| (e.key.clone(), e.value.clone()))
            .collect();
        let mut found = Vec::with_capacity(entries.len());
        for (name, field) in entries {
            let Some(name) = name.as_ref::<Str>() else {
                return Ok(None);
            };
            if !class_of(&field).same(&field_class) {
                return Ok(None);
            }
            let kind = self.read(&field_class, &field, "_field_type")?;
            if kind.is_same(&real) {
                found.push(name.clone());
            }
        }
        Ok(Some(found))
    }

    /// The value of a field as it lies in the object, in a slot of it, or in its class as the default.
    fn attribute(&mut self, value: &Value, class: &Ref<Type>, name: &Ref<Str>) -> Outcome<Value> {
        if let Some(found) = self.vm.instance_attr(value, name) {
            return Ok(found);
        }
        let missing = |what: &str| {
            refuse(format!(
                "the field '{}' of a '{}' {what} and cannot leave the sandbox",
                name.to_text(),
                class.bare_name()
            ))
        };
        match self.vm.type_lookup(class, name) {
            Some(slot) if slot.header().is_some_and(|h| h.kind() == Kind::Member) => {
                match self.vm.bind(&slot, Some(value), class) {
                    Ok(found) => Ok(found),
                    Err(raised) => {
                        let _ = self.vm.swallow_any(raised);
                        missing("is not set")
                    }
                }
            }
            Some(default) if class_of(&default).slots().descr_get.is_none() => Ok(default),
            Some(_) => missing("is computed"),
            None => missing("is not set"),
        }
    }
}
