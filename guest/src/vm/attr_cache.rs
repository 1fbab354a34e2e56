//! Attribute access of the instruction loop when the inline cache does not know: does it the general way, and fills the cache.

use super::cache::{Cache, Known};
use super::lookup::{generic_getattr_slot, generic_setattr_slot};
use super::ops::class_of;
use super::{R, Vm};
use crate::heap::attrs::Attrs;
use crate::heap::{Kind, Payload, Ref};
use crate::objects::descriptors::{ClassMethod, Member, Method, Property, StaticMethod};
use crate::objects::function::Function;
use crate::objects::module::Module;
use crate::objects::native::{GetSet, Getter};
use crate::objects::string::Str;
use crate::objects::types::Type;
use crate::value::Value;

/// Whether reading attributes of instances of `class` is the generic way.
fn reads_plainly(class: &Type) -> bool {
    class.slots().getattr.is_none_or(|f| {
        std::ptr::fn_addr_eq(f, generic_getattr_slot as fn(&mut Vm, &Value, &Value) -> R)
    })
}

fn writes_plainly(class: &Type) -> bool {
    class.slots().setattr.is_none_or(|f| {
        std::ptr::fn_addr_eq(
            f,
            generic_setattr_slot as fn(&mut Vm, &Value, &Value, Option<&Value>) -> R<()>,
        )
    })
}

/// Distance of an inline attribute, when it can be cached.
fn inline_offset(class: &Type, index: u16) -> Option<u32> {
    class
        .values_offset()
        .map(|start| (start + index as usize * size_of::<Value>()) as u32)
}

/// Sets an inline attribute, if the object keeps it inline and that keeps the order of its attributes.
fn store_in(obj: &Value, index: u16, value: &Value) -> bool {
    let Some(attrs) = obj.header().and_then(Attrs::of) else {
        return false;
    };
    if attrs.dict().is_some()
        || index >= attrs.capacity()
        || (index < attrs.len() && attrs.get(index).is_none())
    {
        return false;
    }
    drop(attrs.replace(index, value.clone()));
    true
}

impl Vm {
    #[cold]
    #[inline(never)]
    pub(crate) fn load_attr_slow(&mut self, obj: &Value, cache: &mut Cache) -> R {
        if !self.policy.watches()
            && let Some(found) = self.load_by_other(obj, cache)?
        {
            return Ok(found);
        }
        let name = cache.name.clone();
        if self.policy.watches() {
            return self.load_attr_watched(obj, cache, &name);
        }
        if let Some(known) = self.cacheable(obj, &name) {
            cache.remember_beside(known);
        }
        self.get_attr(obj, &name.to_value())
    }

    /// Reads as the cache knows it of a class that is not the first it knows.
    fn load_by_other(&mut self, obj: &Value, cache: &Cache) -> R<Option<Value>> {
        let Some(known) = cache.other(class_of(obj).known_version()) else {
            return Ok(None);
        };
        let attrs = obj.header().and_then(Attrs::of);
        let plain = attrs.is_none_or(|attrs| attrs.dict().is_none());
        match known {
            Known::Inline { index, .. } => Ok(attrs.and_then(|attrs| attrs.get(*index))),
            Known::Method { function, .. } if plain => {
                Ok(Some(Method::value(function.clone(), obj.clone())))
            }
            Known::ClassValue { value, .. } if plain => Ok(Some(value.clone())),
            Known::Property { getter, .. } => {
                let getter = getter.clone();
                self.call(&getter, std::slice::from_ref(obj)).map(Some)
            }
            &Known::Computed { getter, .. } => self.load_computed(obj, getter, cache).map(Some),
            Known::Descriptor { descriptor, .. } => {
                self.load_described(obj, descriptor, cache).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// Only what the policy allows gets into the cache.
    fn load_attr_watched(&mut self, obj: &Value, cache: &mut Cache, name: &Ref<Str>) -> R {
        self.check_access(obj, name)?;
        let known = self.cacheable(obj, name);
        let found = self.get_attr(obj, &name.to_value())?;
        self.check_value(&found)?;
        // A module is looked at every time, and what may be one in another object of the class.
        let known = known.filter(|known| !matches!(known, Known::Descriptor { .. }));
        if let (Some(known), false) = (known, found.is::<Module>()) {
            cache.remember(known);
        }
        Ok(found)
    }

    #[cold]
    #[inline(never)]
    pub(crate) fn load_method_slow(&mut self, obj: &Value, cache: &mut Cache) -> R<(Value, Value)> {
        if let Some(Known::Method { function, .. }) = cache.other(class_of(obj).known_version())
            && obj
                .header()
                .and_then(Attrs::of)
                .is_none_or(|attrs| attrs.dict().is_none())
        {
            return Ok((function.clone(), obj.clone()));
        }
        let name = cache.name.clone();
        self.check_access(obj, &name)?;
        if let Some(
            known @ (Known::Method { .. }
            | Known::ClassValue { .. }
            | Known::ModuleAttr { .. }
            | Known::TypeAttr { .. }
            | Known::ClassMethod { .. }),
        ) = self.cacheable(obj, &name)
        {
            cache.remember_beside(known);
        }
        let (f, receiver) = self.load_method(obj, &name)?;
        Ok((f, receiver.unwrap_or(Value::UNDEF)))
    }

    /// An attribute that native code computes.
    #[inline(never)]
    pub(crate) fn load_computed(&mut self, obj: &Value, getter: Getter, cache: &Cache) -> R {
        match getter(self, obj) {
            Ok(found) => Ok(found),
            Err(raised) => {
                let name = cache.name.to_value();
                Err(self.complete_attribute_error(raised, obj, &name))
            }
        }
    }

    /// What a data descriptor gives.
    #[inline(never)]
    pub(crate) fn load_described(&mut self, obj: &Value, descriptor: &Value, cache: &Cache) -> R {
        let Some(get) = class_of(descriptor).slots().descr_get else {
            return self.get_attr(obj, &cache.name.to_value());
        };
        let owner = class_of(obj).to_value();
        match get(self, descriptor, Some(obj), &owner) {
            Ok(found) => Ok(found),
            Err(raised) => {
                let name = cache.name.to_value();
                Err(self.complete_attribute_error(raised, obj, &name))
            }
        }
    }

    /// What a cache for reading `obj.name` may remember.
    fn cacheable(&mut self, obj: &Value, name: &Ref<Str>) -> Option<Known> {
        let class = class_of(obj).clone();
        if let Some(module) = obj.as_exact::<Module>() {
            let map = module.dict.map.get(self);
            let slot = map.find_str(name)?;
            return Some(Known::ModuleAttr {
                version: map.keys_version(),
                slot: slot as u32,
            });
        }
        if let Some(target) = obj.as_ref::<Type>() {
            return self.cacheable_of_class(target, &class, name);
        }
        if !reads_plainly(&class) {
            return None;
        }
        let in_class = self.type_lookup(&class, name);
        let Some(found) = in_class else {
            let index = class.keys.borrow().find(name)?;
            // A value kept inline, in an instance that has no dictionary of its own.
            let attrs = Attrs::of(obj.header()?)?;
            attrs.get(index)?;
            return Some(Known::Inline {
                version: class.version(),
                offset: inline_offset(&class, index)?,
                index,
            });
        };
        match found.header().map(|h| h.kind()) {
            Some(Kind::Member) => {
                let member = found.as_ref::<Member>()?;
                Some(Known::Inline {
                    version: class.version(),
                    offset: inline_offset(&class, member.index)?,
                    index: member.index,
                })
            }
            Some(Kind::Function | Kind::MethodDescriptor)
                if self.never_hidden(&class, name) && !obj.is::<Function>() =>
            {
                Some(Known::Method {
                    version: class.version(),
                    function: found,
                })
            }
            Some(Kind::GetSet) => Some(Known::Computed {
                version: class.version(),
                getter: found.as_exact::<GetSet>()?.get,
            }),
            Some(Kind::Property) => {
                let p = found.as_exact::<Property>()?;
                let getter = p.parts.get(self)[0].clone();
                let plain = getter.as_ref::<Function>().is_some_and(|f| {
                    let code = f.code.get(self);
                    code.simple && code.proto.args == 1
                });
                plain.then(|| Known::Property {
                    version: class.version(),
                    getter,
                })
            }
            _ => {
                let of_found = class_of(&found);
                let slots = of_found.slots();
                if of_found.is_static() && slots.descr_get.is_some() && slots.descr_set.is_some() {
                    return Some(Known::Descriptor {
                        version: class.version(),
                        descriptor: found,
                    });
                }
                let found = match found.as_exact::<StaticMethod>() {
                    Some(wrapper) => {
                        let inner = wrapper.function.get(self).clone();
                        // As a value of the class, where functions bind no more.
                        if !inner.is::<Function>() {
                            return None;
                        }
                        return (self.never_hidden(&class, name) && !obj.is::<Function>()).then(
                            || Known::ClassValue {
                                version: class.version(),
                                value: inner,
                            },
                        );
                    }
                    None => found,
                };
                let binds = class_of(&found).slots().descr_get.is_some();
                (!binds && self.never_hidden(&class, name) && !obj.is::<Function>()).then(|| {
                    Known::ClassValue {
                        version: class.version(),
                        value: found,
                    }
                })
            }
        }
    }

    /// What a cache for reading `target.name` may remember, where `target` is a class: what is found in the class itself, not in its metaclass `meta`.
    fn cacheable_of_class(
        &self,
        target: &Ref<Type>,
        meta: &Ref<Type>,
        name: &Ref<Str>,
    ) -> Option<Known> {
        let of_type = Type::class().slots().getattr?;
        let reads_plainly = meta
            .slots()
            .getattr
            .is_some_and(|f| std::ptr::fn_addr_eq(f, of_type));
        if !reads_plainly || self.type_lookup(meta, name).is_some() {
            return None;
        }
        let found = self.type_lookup(target, name)?;
        let (version, meta) = (target.version(), meta.version());
        if let Some(wrapper) = found.as_exact::<ClassMethod>() {
            let function = wrapper.function.get(self).clone();
            return function.is::<Function>().then_some(Known::ClassMethod {
                version,
                meta,
                function,
            });
        }
        let value = match found.as_exact::<StaticMethod>() {
            Some(wrapper) => wrapper.function.get(self).clone(),
            None => found,
        };
        let binds = class_of(&value).slots().descr_get.is_some() && !value.is::<Function>();
        (!binds).then_some(Known::TypeAttr {
            version,
            meta,
            value,
        })
    }

    /// Whether no instance without a dictionary of its own has an attribute of this name: it is not among the shared keys. (When it becomes one,
    /// the class gets a new version.)
    fn never_hidden(&self, class: &Type, name: &Ref<Str>) -> bool {
        class.keys.borrow().find(name).is_none()
    }

    #[cold]
    #[inline(never)]
    pub(crate) fn store_attr_slow(
        &mut self,
        obj: &Value,
        value: &Value,
        cache: &mut Cache,
    ) -> R<()> {
        if let Some(Known::Inline { index, .. }) = cache.other(class_of(obj).known_version())
            && store_in(obj, *index, value)
        {
            return Ok(());
        }
        let name = cache.name.clone();
        self.check_access(obj, &name)?;
        self.set_attr(obj, &name.to_value(), Some(value))?;
        let class = class_of(obj).clone();
        if !writes_plainly(&class) {
            return Ok(());
        }
        let index = match self.type_lookup(&class, &name) {
            None => class.keys.borrow().find(&name),
            Some(found) => match found.as_ref::<Member>() {
                Some(member) => Some(member.index),
                // Anything else that is not a data descriptor is merely hidden.
                None if class_of(&found).slots().descr_set.is_none() => {
                    class.keys.borrow().find(&name)
                }
                None => None,
            },
        };
        if let Some(index) = index
            && let Some(attrs) = obj.header().and_then(Attrs::of)
            && attrs.get(index).is_some()
            && let Some(offset) = inline_offset(&class, index)
        {
            cache.remember_beside(Known::Inline {
                version: class.version(),
                offset,
                index,
            });
        }
        Ok(())
    }

    /// `super(class, me).name`
    #[inline(never)]
    pub(crate) fn load_super(
        &mut self,
        callable: &Value,
        class: &Value,
        me: &Value,
        cache: &mut Cache,
        method: bool,
    ) -> R<(Value, Value)> {
        use crate::objects::descriptors::Super;
        let builtin = callable
            .as_ref::<Type>()
            .is_some_and(|c| c.same(Super::class()));
        if let (true, Some(this)) = (builtin, class.as_ref::<Type>()) {
            if method && let Some(function) = known_behind(cache, this, me) {
                return Ok((function, me.clone()));
            }
            let start = crate::builtins::descriptors::super_start(self, this, me)?;
            if !cache.name.same(&crate::names::Names::get().__class__)
                && let Some(found) = self.lookup_behind(&start, this, &cache.name)
            {
                let of_class = me.as_ref::<Type>().is_some_and(|t| t.same(&start));
                let binds = found.header().is_some_and(|h| {
                    matches!(
                        h.kind(),
                        Kind::Function | Kind::MethodDescriptor | Kind::SlotWrapper
                    )
                });
                if method && binds && !of_class {
                    if class_of(me).same(&start) {
                        cache.remember_beside(Known::Super {
                            version: start.version(),
                            after: this.as_ptr() as usize,
                            function: found.clone(),
                        });
                    }
                    return Ok((found, me.clone()));
                }
                let bound = self.bind(&found, (!of_class).then_some(me), &start)?;
                return Ok((bound, Value::UNDEF));
            }
        }
        let object = self.call(callable, &[class.clone(), me.clone()])?;
        let found = self.get_attr(&object, &cache.name.to_value())?;
        if let (true, Some(m)) = (method, found.as_exact::<Method>()) {
            return Ok((m.function.clone(), m.receiver.clone()));
        }
        Ok((found, Value::UNDEF))
    }

    /// What the classes behind `this` in the MRO of `start` have under a name.
    fn lookup_behind(&self, start: &Ref<Type>, this: &Ref<Type>, name: &Ref<Str>) -> Option<Value> {
        let mro = start.mro.get(self);
        let at = mro.iter().position(|c| c.same(this))?;
        mro[at + 1..]
            .iter()
            .find_map(|c| c.dict.get_str(self, name).cloned())
    }
}

/// The method behind `this` that the cache knows for instances such as `me`.
fn known_behind(cache: &Cache, this: &Ref<Type>, me: &Value) -> Option<Value> {
    let version = class_of(me).known_version();
    let of = |known: &Known| match known {
        Known::Super {
            version: v,
            after,
            function,
        } if *v == version && *after == this.as_ptr() as usize => Some(function.clone()),
        _ => None,
    };
    of(cache.known()).or_else(|| of(cache.other(version)?))
}
