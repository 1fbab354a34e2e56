//! Values to bytes: the walk, and the built-in types. What the library and classes add is in the rooms beside.
//!
//! Containers are read item by item and never borrowed across a call: code of the library may run for an item.

use std::ptr::NonNull;

use super::library::Classes;
use super::refusal::{Outcome, Step, key_step, refuse, refuse_all};
use super::writer::Writer;
use super::{MAX_DEPTH, MAX_PARTS, error_text, tag};
use crate::heap::{Header, Ref};
use crate::objects::bytes::{ByteArray, Bytes};
use crate::objects::complex::Complex;
use crate::objects::dict::Dict;
use crate::objects::exception::Exception;
use crate::objects::host_object::HostObject;
use crate::objects::list::List;
use crate::objects::range::{Range, Slice};
use crate::objects::set::{self, Set};
use crate::objects::string::Str;
use crate::objects::tuple::Tuple;
use crate::value::Value;
use crate::vm::ops::class_of;
use crate::vm::{Raised, Vm};

pub(super) fn encode(vm: &mut Vm, value: &Value) -> Outcome<Vec<u8>> {
    let mut encoder = Encoder {
        vm,
        out: Writer::default(),
        open: Vec::new(),
        parts: 0,
        classes: Classes::default(),
    };
    encoder.value(value)?;
    Ok(encoder.out.out)
}

pub(super) struct Encoder<'a> {
    pub(super) vm: &'a mut Vm,
    pub(super) out: Writer,
    /// The containers that the walk is in.
    open: Vec<NonNull<Header>>,
    parts: usize,
    /// Classes of the library, as far as they were looked for.
    pub(super) classes: Classes,
}

impl Encoder<'_> {
    /// Writes a value, whatever it is.
    pub(super) fn value(&mut self, value: &Value) -> Outcome {
        self.parts += 1;
        if self.parts > MAX_PARTS {
            return refuse_all(format!(
                "the value is too large to leave the sandbox (more than {MAX_PARTS} parts)"
            ));
        }
        let is_static = class_of(value).is_static();
        if !is_static && self.of_a_class(value)? {
            return Ok(());
        }
        if self.builtin(value)? || self.of_the_library(value)? {
            return Ok(());
        }
        refuse(format!(
            "a value of type '{}' cannot leave the sandbox",
            class_of(value).name()
        ))
    }

    fn builtin(&mut self, value: &Value) -> Outcome<bool> {
        if value.is_none() {
            self.out.null()?;
        } else if let Some(b) = value.as_bool() {
            self.out.bool(b)?;
        } else if let Some(n) = value.as_int() {
            self.out.integer(n)?;
        } else if let Some(x) = value.as_any_float() {
            self.out.float(x)?;
        } else if let Some(s) = value.as_ref::<Str>() {
            self.out.string(s)?;
        } else if let Some(b) = value.as_ref::<Bytes>() {
            self.out.bytes(&b.data)?;
        } else if let Some(b) = value.as_ref::<ByteArray>() {
            self.out.tag(tag::BYTE_ARRAY)?;
            self.out.bytes(b.data.get(self.vm))?;
        } else if let Some(c) = value.as_ref::<Complex>() {
            self.out.tag(tag::COMPLEX)?;
            self.out.array_head(2)?;
            self.out.float(c.re)?;
            self.out.float(c.im)?;
        } else if let Some(list) = value.as_ref::<List>() {
            self.inside(value, |e| e.list(list))?;
        } else if let Some(tuple) = value.as_ref::<Tuple>() {
            self.out.tag(tag::TUPLE)?;
            self.inside(value, |e| e.array(tuple.items(), Step::Item))?;
        } else if let Some(dict) = value.as_ref::<Dict>() {
            self.inside(value, |e| e.dict(dict))?;
        } else if set::table_of(value).is_some() {
            self.out.tag(if value.is::<Set>() {
                tag::SET
            } else {
                tag::FROZEN_SET
            })?;
            self.inside(value, |e| e.set(value))?;
        } else if let Some(range) = value.as_ref::<Range>() {
            self.out.tag(tag::RANGE)?;
            self.out.array_head(3)?;
            for n in [&range.start, &range.stop, &range.step] {
                if let Some(n) = n.as_int() {
                    self.out.integer(n)?;
                }
            }
        } else if let Some(slice) = value.as_ref::<Slice>() {
            self.out.tag(tag::SLICE)?;
            self.inside(value, |e| {
                e.out.array_head(3)?;
                for (name, part) in [
                    ("start", &slice.start),
                    ("stop", &slice.stop),
                    ("step", &slice.step),
                ] {
                    e.field(name, part)?;
                }
                Ok(())
            })?;
        } else if let Some(exception) = value.as_ref::<Exception>() {
            self.inside(value, |e| e.exception(value, exception))?;
        } else if let Some(object) = value.as_ref::<HostObject>() {
            self.out.tag(tag::HANDLE)?;
            self.out.array_head(3)?;
            self.out.unsigned(object.id)?;
            self.out.text(&object.type_name)?;
            self.out.text(&object.repr)?;
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    /// Goes into a container: one level deeper, and not into one that the walk is in already.
    pub(super) fn inside(
        &mut self,
        container: &Value,
        f: impl FnOnce(&mut Self) -> Outcome,
    ) -> Outcome {
        let Some(address) = container.address() else {
            return f(self);
        };
        if self.open.contains(&address) {
            return refuse(format!(
                "the {} contains itself and cannot leave the sandbox",
                class_of(container).name()
            ));
        }
        if self.open.len() == MAX_DEPTH {
            return refuse_all(format!(
                "the value nests deeper than {MAX_DEPTH} levels and cannot leave the sandbox"
            ));
        }
        self.open.push(address);
        f(self)?;
        self.open.pop();
        Ok(())
    }

    /// A value that stands in a field.
    pub(super) fn field(&mut self, name: &str, value: &Value) -> Outcome {
        self.value(value)
            .map_err(|refusal| refusal.through(Step::Field(name.to_owned())))
    }

    pub(super) fn array(&mut self, items: &[Value], step: fn(usize) -> Step) -> Outcome {
        self.out.array_head(items.len())?;
        for (i, item) in items.iter().enumerate() {
            self.value(item)
                .map_err(|refusal| refusal.through(step(i)))?;
        }
        Ok(())
    }

    fn list(&mut self, list: &Ref<List>) -> Outcome {
        let count = list.items.get(self.vm).len();
        self.out.array_head(count)?;
        for i in 0..count {
            let item = match list.items.get(self.vm).get(i) {
                Some(item) => item.clone(),
                None => return changed(),
            };
            self.value(&item)
                .map_err(|refusal| refusal.through(Step::Item(i)))?;
        }
        if list.items.get(self.vm).len() != count {
            return changed();
        }
        Ok(())
    }

    fn dict(&mut self, dict: &Ref<Dict>) -> Outcome {
        let map = dict.map.get(self.vm);
        let (count, slots, version) = (map.len(), map.slots(), map.keys_version());
        self.out.map_head(count)?;
        for slot in 0..slots {
            let Some((key, value)) = dict
                .map
                .get(self.vm)
                .entry(slot)
                .map(|e| (e.key.clone(), e.value.clone()))
            else {
                continue;
            };
            self.value(&key)
                .map_err(|refusal| refusal.through(Step::KeyItself))?;
            self.value(&value)
                .map_err(|refusal| refusal.through(key_step(&key)))?;
            if dict.map.get(self.vm).keys_version() != version {
                return changed();
            }
        }
        Ok(())
    }

    fn set(&mut self, set: &Value) -> Outcome {
        let Some(table) = set::table_of(set) else {
            return Ok(());
        };
        let (count, version) = (table.get(self.vm).len(), table.get(self.vm).version());
        self.out.array_head(count)?;
        let mut at = 0;
        while let Some((place, key)) = table
            .get(self.vm)
            .next_from(at)
            .map(|(place, _, key)| (place, key.clone()))
        {
            at = place + 1;
            self.value(&key)
                .map_err(|refusal| refusal.through(Step::Member))?;
            if table.get(self.vm).version() != version {
                return changed();
            }
        }
        Ok(())
    }

    fn exception(&mut self, value: &Value, exception: &Ref<Exception>) -> Outcome {
        self.out.tag(tag::EXCEPTION)?;
        self.out.array_head(3)?;
        self.class_name(value)?;
        let args = exception.state.get(self.vm).args.clone();
        match args.as_ref().and_then(|args| args.as_ref::<Tuple>()) {
            Some(args) => self.array(args.items(), Step::Argument),
            None => self.out.array_head(0),
        }
    }

    /// What an operation of the machine has found, or why it has not.
    pub(super) fn done<T>(&mut self, result: Result<T, Raised>) -> Outcome<T> {
        result.or_else(|_| refuse(error_text(self.vm)))
    }
}

fn changed<T>() -> Outcome<T> {
    refuse("the value changed while it was read")
}
