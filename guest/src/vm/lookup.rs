//! Attributes: look-up through the MRO, descriptors, instance attributes.

use super::args::Args;
use super::ops::class_of;
use super::type_cache::Place;
use super::{R, Vm};
use crate::heap::attrs::Attrs;
use crate::heap::{HAS_ATTRS, Header, Kind, Ref};
use crate::names::{self, Names};
use crate::objects::descriptors::Method;
use crate::objects::dict::Dict;
use crate::objects::exception::Exc;
use crate::objects::function::Function;
use crate::objects::module::Module;
use crate::objects::string::Str;
use crate::objects::types::Type;
use crate::value::Value;

impl Vm {
    /// The class attribute `name` as found along the MRO, unbound.
    #[inline]
    pub fn type_lookup(&self, class: &Ref<Type>, name: &Str) -> Option<Value> {
        let version = class.known_version();
        if version != 0
            && let Some(place) = self.type_cache.find(version, name)
        {
            let Place::At(at, slot) = place else {
                return None;
            };
            if let Some(c) = class.mro.get(self).get(at as usize)
                && let Some(entry) = c.dict.map.get(self).entry(slot as usize)
            {
                return Some(entry.value.clone());
            }
        }
        self.type_lookup_along(class, name)
    }

    #[inline(never)]
    fn type_lookup_along(&self, class: &Ref<Type>, name: &Str) -> Option<Value> {
        let version = class.known_version();
        for (at, c) in class.mro.get(self).iter().enumerate() {
            let map = c.dict.map.get(self);
            if let Some(slot) = map.find_str(name)
                && let Some(entry) = map.entry(slot)
            {
                if let (Ok(at), Ok(slot)) = (at.try_into(), slot.try_into()) {
                    self.type_cache.remember(version, name, Place::At(at, slot));
                }
                return Some(entry.value.clone());
            }
        }
        self.type_cache.remember(version, name, Place::Nowhere);
        None
    }

    /// The first class along the MRO that has the attribute, and the attribute.
    pub fn type_lookup_where(&self, class: &Ref<Type>, name: &Str) -> Option<(Ref<Type>, Value)> {
        for c in class.mro.get(self) {
            if let Some(v) = c.dict.get_str(self, name) {
                return Some((c.clone(), v.clone()));
            }
        }
        None
    }

    /// A special method of `v`, looked up in its class and bound.
    pub fn special(&mut self, v: &Value, name: &Ref<Str>) -> R<Option<Value>> {
        let class = class_of(v).clone();
        match self.type_lookup(&class, name) {
            Some(descriptor) => self.bind(&descriptor, Some(v), &class).map(Some),
            None => Ok(None),
        }
    }

    /// Calls a special method; `AttributeError` when the class does not have it.
    pub fn call_special(&mut self, v: &Value, name: &Ref<Str>, args: &[Value]) -> R {
        match self.call_special_opt(v, name, args)? {
            Some(r) => Ok(r),
            None => Err(self.no_attribute(v, &name.to_value())),
        }
    }

    /// Calls a special method, if the class has it.
    pub fn call_special_opt(
        &mut self,
        v: &Value,
        name: &Ref<Str>,
        args: &[Value],
    ) -> R<Option<Value>> {
        let class = class_of(v).clone();
        let Some(descriptor) = self.type_lookup(&class, name) else {
            return Ok(None);
        };
        if let Some(function) = descriptor.as_ref::<Function>() {
            return self
                .call_function_of(function, Some(v), Args::positional_only(args))
                .map(Some);
        }
        if descriptor
            .header()
            .is_some_and(|h| matches!(h.kind(), Kind::MethodDescriptor | Kind::SlotWrapper))
        {
            // These bind by passing the receiver first.
            let mut all = Vec::with_capacity(args.len() + 1);
            all.push(v.clone());
            all.extend_from_slice(args);
            return self.call(&descriptor, &all).map(Some);
        }
        let f = self.bind(&descriptor, Some(v), &class)?;
        self.call(&f, args).map(Some)
    }

    /// Binds something found in a class: `descriptor.__get__(instance, owner)`.
    pub fn bind(&mut self, descriptor: &Value, instance: Option<&Value>, owner: &Ref<Type>) -> R {
        match class_of(descriptor).slots().descr_get {
            Some(f) => {
                let owner = owner.to_value();
                f(self, descriptor, instance, &owner)
            }
            None => Ok(descriptor.clone()),
        }
    }

    // ---- reading

    /// `v.name`; the name is an exact `str`.
    pub fn get_attr(&mut self, v: &Value, name: &Value) -> R {
        let found = match class_of(v).slots().getattr {
            Some(f) => f(self, v, name),
            None => self.generic_get_attr(v, name),
        };
        match found {
            Ok(found) => Ok(found),
            Err(raised) => Err(self.complete_attribute_error(raised, v, name)),
        }
    }

    /// An `AttributeError` that does not say so itself is about the attribute that was looked for: suggestions need to know.
    #[cold]
    pub(crate) fn complete_attribute_error(
        &mut self,
        raised: super::Raised,
        v: &Value,
        name: &Value,
    ) -> super::Raised {
        if self.stopped.is_none()
            && self.error_is(Exc::AttributeError)
            && let Some(e) = self.pending.clone()
            && let Some(e) = e.as_ref::<crate::objects::exception::Exception>()
        {
            let fields = &mut e.state.get_mut(self).fields;
            if let [known_name, known_object, ..] = fields.as_mut_slice()
                && (known_name.is_none() || known_name.is_undef())
                && (known_object.is_none() || known_object.is_undef())
            {
                *known_name = name.clone();
                *known_object = v.clone();
            }
        }
        raised
    }

    /// `v.name`, or `None` when there is no such attribute.
    pub fn get_attr_opt(&mut self, v: &Value, name: &Value) -> R<Option<Value>> {
        let plain = class_of(v).slots().getattr;
        let found = if plain.is_none_or(|f| {
            std::ptr::fn_addr_eq(f, generic_getattr_slot as fn(&mut Vm, &Value, &Value) -> R)
        }) {
            self.find_attr(v, name)
        } else {
            self.get_attr(v, name).map(Some)
        };
        match found {
            Ok(found) => Ok(found),
            Err(raised) => {
                self.swallow(raised, Exc::AttributeError)?;
                Ok(None)
            }
        }
    }

    /// `object.__getattribute__(v, name)`
    pub fn generic_get_attr(&mut self, v: &Value, name: &Value) -> R {
        match self.find_attr(v, name)? {
            Some(found) => Ok(found),
            None => Err(self.no_attribute(v, name)),
        }
    }

    pub(super) fn find_attr(&mut self, v: &Value, name: &Value) -> R<Option<Value>> {
        let class = class_of(v).clone();
        let Some(text) = name.as_ref::<Str>() else {
            return Err(self.attribute_name_type(name));
        };
        let in_class = self.type_lookup(&class, text);
        if let Some(descriptor) = &in_class {
            let slots = class_of(descriptor).slots();
            if slots.descr_set.is_some()
                && let Some(get) = slots.descr_get
            {
                let owner = class.to_value();
                return match get(self, descriptor, Some(v), &owner) {
                    Ok(found) => Ok(Some(found)),
                    Err(raised) => Err(raised),
                };
            }
        }
        if let Some(found) = self.instance_attr(v, text) {
            return Ok(Some(found));
        }
        match in_class {
            Some(descriptor) => self.bind(&descriptor, Some(v), &class).map(Some),
            None => Ok(None),
        }
    }

    #[cold]
    fn attribute_name_type(&mut self, name: &Value) -> super::Raised {
        self.type_error(format!(
            "attribute name must be string, not '{}'",
            class_of(name).name()
        ))
    }

    /// The instance's own attribute.
    pub fn instance_attr(&self, v: &Value, name: &Ref<Str>) -> Option<Value> {
        let header = v.header()?;
        match header.kind() {
            Kind::Module => v.as_ref::<Module>()?.dict.get_str(self, name).cloned(),
            Kind::Function => v
                .as_ref::<crate::objects::function::Function>()?
                .state
                .get(self)
                .dict
                .as_ref()?
                .get_str(self, name)
                .cloned(),
            _ => self.header_attr(header, name),
        }
    }

    fn header_attr(&self, header: &Header, name: &Ref<Str>) -> Option<Value> {
        let attrs = Attrs::of(header)?;
        if let Some(dict) = attrs.dict() {
            return dict.get_str(self, name).cloned();
        }
        if attrs.is_empty() {
            return None;
        }
        let class = header.class();
        let keys = class.keys.borrow();
        let index = if name.is_interned() {
            keys.find(name)?
        } else {
            keys.find(&names::find_interned(name)?)?
        };
        // The first keys are `__slots__`, which are reached through their descriptors only.
        (index >= class.slot_count.get())
            .then(|| attrs.get(index))
            .flatten()
    }

    // ---- writing

    /// `v.name = value`, or `del v.name` for `None`.
    #[inline(never)]
    pub fn set_attr(&mut self, v: &Value, name: &Value, value: Option<&Value>) -> R<()> {
        match class_of(v).slots().setattr {
            Some(f) => f(self, v, name, value),
            None => self.generic_set_attr(v, name, value),
        }
    }

    /// `object.__setattr__(v, name, value)`, or `object.__delattr__`.
    pub fn generic_set_attr(&mut self, v: &Value, name: &Value, value: Option<&Value>) -> R<()> {
        let class = class_of(v).clone();
        let Some(text) = name.as_ref::<Str>() else {
            return Err(self.attribute_name_type(name));
        };
        let in_class = self.type_lookup(&class, text);
        if let Some(descriptor) = &in_class
            && let Some(set) = class_of(descriptor).slots().descr_set
        {
            return set(self, descriptor, v, value);
        }
        if self.set_instance_attr(v, text, value)? {
            return Ok(());
        }
        if in_class.is_some() && (value.is_some() || self.instance_has_no_dict(v)) {
            let message = format!(
                "'{}' object attribute '{}' is read-only",
                class.name(),
                text.to_text()
            );
            return Err(self.attribute_error(v, name, &message));
        }
        if self.instance_has_no_dict(v) {
            let message = format!(
                "'{}' object has no attribute '{}' and no __dict__ for setting new attributes",
                class.name(),
                text.to_text()
            );
            return Err(self.attribute_error(v, name, &message));
        }
        Err(self.no_attribute(v, name))
    }

    fn instance_has_no_dict(&self, v: &Value) -> bool {
        !v.header()
            .is_some_and(|h| h.flag(HAS_ATTRS) && h.class().has_dict.get())
    }

    /// Sets or deletes an attribute of the instance itself; false when it has no room for attributes (or, deleting, does not have it).
    pub fn set_instance_attr(
        &mut self,
        v: &Value,
        name: &Ref<Str>,
        value: Option<&Value>,
    ) -> R<bool> {
        let Some(header) = v.header() else {
            return Ok(false);
        };
        match header.kind() {
            Kind::Module => {
                let Some(dict) = v.as_ref::<Module>().map(|m| m.dict.clone()) else {
                    return Ok(false);
                };
                return Ok(self.set_in_dict(&dict, name, value));
            }
            Kind::Function => {
                let Some(f) = v.as_ref::<crate::objects::function::Function>() else {
                    return Ok(false);
                };
                let dict = match &f.state.get(self).dict {
                    Some(d) => d.clone(),
                    None => {
                        let d = Dict::new();
                        f.state.get_mut(self).dict = Some(d.clone());
                        d
                    }
                };
                return Ok(self.set_in_dict(&dict, name, value));
            }
            _ => {}
        }
        let Some(attrs) = Attrs::of(header) else {
            return Ok(false);
        };
        let class = header.class().clone();
        if !class.has_dict.get() {
            return Ok(false);
        }
        if let Some(dict) = attrs.dict().cloned() {
            return Ok(self.set_in_dict(&dict, name, value));
        }
        let interned = names::intern_ref(name);
        let known = class.keys.borrow().find(&interned);
        match value {
            Some(value) => {
                let index = match known {
                    Some(i) if i >= class.slot_count.get() => Some(i),
                    Some(_) => None,
                    None => {
                        let index = class.keys.borrow_mut().add(&interned);
                        if index.is_some() && self.type_lookup(&class, &interned).is_some() {
                            // A cached class attribute may now be hidden by an instance attribute.
                            class.invalidate();
                        }
                        index
                    }
                };
                if let Some(index) = index
                    && index < attrs.capacity()
                    && (index >= attrs.len() || attrs.get(index).is_some())
                {
                    drop(attrs.replace(index, value.clone()));
                    return Ok(true);
                }
                let dict = self.instance_dict(header);
                Ok(self.set_in_dict(&dict, name, Some(value)))
            }
            None => {
                let there =
                    known.filter(|&i| i >= class.slot_count.get() && attrs.get(i).is_some());
                let Some(_) = there else { return Ok(false) };
                // Later attributes must keep their order, so the values move into a dictionary.
                let dict = self.instance_dict(header);
                Ok(self.set_in_dict(&dict, name, None))
            }
        }
    }

    fn set_in_dict(&mut self, dict: &Ref<Dict>, name: &Ref<Str>, value: Option<&Value>) -> bool {
        match value {
            Some(v) => {
                let name = names::intern_ref(name);
                dict.set_str(self, &name, v.clone());
                true
            }
            None => {
                let old = dict.remove_str(self, name);
                old.is_some()
            }
        }
    }

    /// The `__dict__` of an instance with an attribute area; inline attributes move into it.
    pub fn instance_dict(&mut self, header: &Header) -> Ref<Dict> {
        let Some(attrs) = Attrs::of(header) else {
            return Dict::new();
        };
        if let Some(dict) = attrs.dict() {
            return dict.clone();
        }
        let dict = Dict::new();
        let class = header.class().clone();
        let names: Vec<Ref<Str>> = class.keys.borrow().names().to_vec();
        for (i, name) in names
            .iter()
            .enumerate()
            .skip(class.slot_count.get() as usize)
        {
            if i >= attrs.capacity() as usize {
                break;
            }
            let value = attrs.replace(i as u16, Value::UNDEF);
            if !value.is_undef() {
                dict.set_str(self, name, value);
            }
        }
        attrs.set_dict(Some(dict.clone()));
        dict
    }

    // ---- calling methods

    /// `v.name(*args)`
    pub fn call_method(&mut self, v: &Value, name: &Ref<Str>, args: &[Value]) -> R {
        let (f, receiver) = self.load_method(v, name)?;
        match receiver {
            Some(receiver) => {
                let mut all = Vec::with_capacity(args.len() + 1);
                all.push(receiver);
                all.extend_from_slice(args);
                self.call(&f, &all)
            }
            None => self.call(&f, args),
        }
    }

    /// What `v.name(...)` calls: a function and the receiver to pass first, or a bound attribute.
    pub fn load_method(&mut self, v: &Value, name: &Ref<Str>) -> R<(Value, Option<Value>)> {
        let class = class_of(v).clone();
        let generic = class.slots().getattr.is_none_or(|f| {
            std::ptr::fn_addr_eq(f, generic_getattr_slot as fn(&mut Vm, &Value, &Value) -> R)
        });
        if generic
            && let Some(descriptor) = self.type_lookup(&class, name)
            && descriptor.header().is_some_and(|h| {
                matches!(
                    h.kind(),
                    Kind::Function | Kind::MethodDescriptor | Kind::SlotWrapper
                )
            })
            && self.instance_attr(v, name).is_none()
        {
            return Ok((descriptor, Some(v.clone())));
        }
        let f = self.get_attr(v, &name.to_value())?;
        // A method object is taken apart, so that its call is a plain one.
        if let Some(m) = f.as_exact::<Method>() {
            return Ok((m.function.clone(), Some(m.receiver.clone())));
        }
        Ok((f, None))
    }

    /// `obj.__dict__` of anything that has one.
    pub fn namespace_of(&mut self, v: &Value) -> R<Option<Value>> {
        self.get_attr_opt(v, &Names::get().__dict__.to_value())
    }
}

/// `object.__getattribute__` as a slot.
pub fn generic_getattr_slot(vm: &mut Vm, v: &Value, name: &Value) -> R {
    vm.generic_get_attr(v, name)
}

/// `object.__setattr__` as a slot.
pub fn generic_setattr_slot(vm: &mut Vm, v: &Value, name: &Value, value: Option<&Value>) -> R<()> {
    vm.generic_set_attr(v, name, value)
}
