//! `type`: the data of classes, and how built-in classes are made.
//!
//! Classes written in Python are made by [`crate::vm::class`]; method resolution and look-up are in [`crate::vm::lookup`].

use crate::class_slot;
use crate::heap::attrs::Attrs;
use crate::heap::{self, Kind, Payload, Ref, VTable, VmCell};
use crate::names::{self, Names};
use crate::objects::dict::Dict;
use crate::objects::native::{Def, DefKind, GetSet, Getter, MethodDescriptor, Native, Setter};
use crate::objects::slots::Slots;
use crate::objects::string::Str;
use crate::objects::tuple::Tuple;
use crate::value::Value;
use crate::vm::Vm;
use std::cell::{Cell, RefCell};

/// Class flag: made by Rust code, lives for ever, cannot be changed from Python.
pub const STATIC: u32 = 1;
/// Class flag: may be subclassed.
pub const BASE: u32 = 2;
/// Class flag: instances match sequence patterns.
pub const SEQUENCE: u32 = 4;
/// Class flag: instances match mapping patterns.
pub const MAPPING: u32 = 8;
/// Class flag: has abstract methods (`__abstractmethods__` is not empty).
pub const ABSTRACT: u32 = 16;
/// Class flag: defines `__getattr__` or overrides `__getattribute__`: attribute loads take the long way.
pub const CUSTOM_GETATTR: u32 = 32;
/// Class flag: a subclass of `BaseException`.
pub const EXCEPTION: u32 = 64;
/// Class flag: instances of a built-in whose match pattern takes one positional subpattern for the whole (`int(x)`).
pub const MATCH_SELF: u32 = 128;
/// Class flag: `x[i]` looks something up, and does not make `x` a sequence that could be iterated over.
pub const SUBSCRIPT_ONLY: u32 = 256;

/// The names of the inline attributes of a class's instances, in the order of the values.
#[derive(Default)]
pub struct SharedKeys {
    names: Vec<Ref<Str>>,
}

impl SharedKeys {
    /// Position of an interned name.
    #[inline]
    pub fn find(&self, name: &Ref<Str>) -> Option<u16> {
        self.names
            .iter()
            .position(|n| n.same(name))
            .map(|i| i as u16)
    }

    /// The names.
    pub fn names(&self) -> &[Ref<Str>] {
        &self.names
    }

    /// Adds an interned name; `None` when there are too many already.
    pub fn add(&mut self, name: &Ref<Str>) -> Option<u16> {
        if self.names.len() >= MAX_INLINE as usize {
            return None;
        }
        self.names.push(name.clone());
        Some((self.names.len() - 1) as u16)
    }
}

/// Most attributes that are kept inline.
pub const MAX_INLINE: u16 = 40;

/// Payload of `type`.
pub struct Type {
    /// `__name__`
    pub name: VmCell<Ref<Str>>,
    /// `__qualname__`
    pub qualname: VmCell<Ref<Str>>,
    /// The native module that the class belongs to, unless that is `builtins`.
    module: Cell<Option<&'static str>>,
    /// The class attributes.
    pub dict: Ref<Dict>,
    /// `__base__`: the base that decides the layout.
    pub base: VmCell<Option<Ref<Type>>>,
    /// `__bases__`
    pub bases: VmCell<Vec<Ref<Type>>>,
    /// `__mro__`, the class itself first.
    pub mro: VmCell<Vec<Ref<Type>>>,
    pub(crate) slots: Cell<Slots>,
    /// Properties; see the constants of this module.
    pub flags: Cell<u32>,
    /// Identifies the state of the class and its bases for inline caches; 0 until somebody asks.
    version: Cell<u32>,
    /// Layout of the instances.
    pub vtable: &'static VTable,
    /// Room for inline attributes of new instances, when instances have an attribute area.
    attr_capacity: Cell<Option<u16>>,
    /// Whether instances have a `__dict__` (as against `__slots__` alone).
    pub has_dict: Cell<bool>,
    /// Whether weak references to instances are allowed.
    pub weak: Cell<bool>,
    /// Names of the inline attributes.
    pub keys: RefCell<SharedKeys>,
    /// How many of the keys are `__slots__` (they come first).
    pub slot_count: Cell<u16>,
    /// Addresses of the direct subclasses; they remove themselves when they die.
    pub subclasses: RefCell<Vec<*const heap::Boxed<Type>>>,
    /// Counts assignments of the MRO, by which a computation of it notices that another one has overtaken it.
    pub(crate) mro_turn: Cell<u32>,
    /// Counts assignments of `__bases__`.
    pub(crate) bases_turn: Cell<u32>,
    /// `__init__` written in Python, for the machine's fast path: class version and function.
    pub(crate) init_cache: RefCell<Option<(u32, Value)>>,
}

// SAFETY: visits every reference held.
unsafe impl Payload for Type {
    const KIND: Kind = Kind::Type;
    class_slot!();
    fn traverse(&self, visit: &mut dyn FnMut(&Value)) {
        // SAFETY: the collector runs while no borrow of any payload lives.
        unsafe {
            self.name.peek().with_value(&mut *visit);
            self.qualname.peek().with_value(&mut *visit);
            self.dict.with_value(&mut *visit);
            if let Some(base) = self.base.peek() {
                base.with_value(&mut *visit);
            }
            self.bases
                .peek()
                .iter()
                .for_each(|b| b.with_value(&mut *visit));
            self.mro
                .peek()
                .iter()
                .for_each(|b| b.with_value(&mut *visit));
        }
        self.keys
            .borrow()
            .names
            .iter()
            .for_each(|n| n.with_value(&mut *visit));
        if let Some((_, init)) = &*self.init_cache.borrow() {
            visit(init);
        }
    }
    fn clear(&mut self) {
        drop(std::mem::take(self.mro.exclusive()));
        drop(self.init_cache.take());
    }
}

impl Drop for Type {
    fn drop(&mut self) {
        let me = (self as *const Type as usize - std::mem::offset_of!(heap::Boxed<Type>, payload))
            as *const heap::Boxed<Type>;
        for base in self.bases.exclusive().iter() {
            // The oldest die first, mostly: a short way when many go.
            let mut list = base.subclasses.borrow_mut();
            if let Some(at) = list.iter().position(|&p| p == me) {
                list.remove(at);
            }
        }
    }
}

thread_local! {
    static NEXT_VERSION: Cell<u32> = const { Cell::new(1) };
}

impl Type {
    /// The class's protocols.
    #[inline(always)]
    pub fn slots(&self) -> &Slots {
        // SAFETY: slots are replaced as a whole by `set_slots`; callers copy the function pointer out before they call it.
        unsafe { &*self.slots.as_ptr() }
    }

    /// Replaces the protocols.
    pub fn set_slots(&self, slots: Slots) {
        self.slots.set(slots);
    }

    /// Whether a flag is set.
    #[inline(always)]
    pub fn flag(&self, flag: u32) -> bool {
        self.flags.get() & flag != 0
    }

    /// Whether instances are sequences by way of `x[i]`: those are iterated over by index if they have no `__iter__`.
    pub fn is_indexed(&self) -> bool {
        self.slots().getitem.is_some() && !self.flag(SUBSCRIPT_ONLY)
    }

    /// Whether there can be a loop over instances.
    pub fn is_iterable(&self) -> bool {
        self.slots().iter.is_some() || self.is_indexed()
    }

    /// Sets or clears a flag.
    pub fn set_flag(&self, flag: u32, on: bool) {
        self.flags.set(if on {
            self.flags.get() | flag
        } else {
            self.flags.get() & !flag
        });
    }

    /// Whether the class was made by Rust code.
    #[inline(always)]
    pub fn is_static(&self) -> bool {
        self.flag(STATIC)
    }

    /// Whether instances have `__del__`.
    pub fn has_finalizer(&self) -> bool {
        self.slots().del.is_some()
    }

    /// Room for inline attributes of new instances; `None` when instances have no attribute area.
    #[inline(always)]
    pub fn attr_capacity(&self) -> Option<u16> {
        self.attr_capacity.get()
    }

    /// Sets the room for inline attributes.
    pub fn set_attr_capacity(&self, capacity: Option<u16>) {
        self.attr_capacity.set(capacity);
    }

    /// Distance from the start of an instance to its inline attributes, when it is the same for all instances.
    pub fn values_offset(&self) -> Option<usize> {
        let fixed = !matches!(self.vtable.kind, Kind::Str | Kind::Tuple);
        (self.attr_capacity.get().is_some() && fixed)
            .then(|| Attrs::values_offset(self.vtable.size))
    }

    /// The class's version; made when first asked for after a change.
    #[inline(always)]
    pub fn version(&self) -> u32 {
        match self.version.get() {
            0 => self.fresh_version(),
            v => v,
        }
    }

    #[cold]
    fn fresh_version(&self) -> u32 {
        let v = NEXT_VERSION.with(|n| {
            let v = n.get();
            n.set(v.wrapping_add(1).max(1));
            v
        });
        self.version.set(v);
        v
    }

    /// The version as last handed out; 0 after a change.
    #[inline(always)]
    pub fn known_version(&self) -> u32 {
        self.version.get()
    }

    /// The class or a base has changed: inline caches that know it are void.
    pub fn invalidate(&self) {
        self.version.set(0);
        for &sub in self.subclasses.borrow().iter() {
            // SAFETY: subclasses remove themselves before they die.
            let sub = unsafe { &(*sub).payload };
            if sub.version.get() != 0 || !sub.subclasses.borrow().is_empty() {
                sub.invalidate();
            }
        }
    }

    /// Live direct subclasses.
    pub fn live_subclasses(&self) -> Vec<Ref<Type>> {
        let list = self.subclasses.borrow();
        list.iter()
            .map(|&p| {
                // SAFETY: subclasses remove themselves before they die; the header counts the new owner.
                unsafe {
                    (*p).header.count_up();
                    Ref::from_ptr(std::ptr::NonNull::new_unchecked(p as *mut _))
                }
            })
            .collect()
    }

    /// The name as messages show it: `__name__`, and for classes of native modules the module before it (`collections.deque`), as in CPython.
    pub fn name(&self) -> std::borrow::Cow<'_, str> {
        match self.module.get() {
            Some(module) if !self.flag(EXCEPTION) => {
                format!("{module}.{}", self.bare_name()).into()
            }
            _ => self.bare_name(),
        }
    }

    /// `__name__` as text.
    pub fn bare_name(&self) -> std::borrow::Cow<'_, str> {
        // SAFETY: the name is only replaced by `type.__name__ = ...`, and callers format it at once.
        unsafe { self.name.peek() }.to_text()
    }

    /// Whether this is `other` or a subclass of it.
    #[inline]
    pub fn is_subclass_of(&self, other: &Ref<Type>) -> bool {
        // SAFETY: no Python code runs while the list is looked at.
        unsafe { self.mro.peek() }.iter().any(|c| c.same(other))
    }

    /// An empty class; the builder or the machine fills it in.
    pub fn blank(name: &Ref<Str>, vtable: &'static VTable, flags: u32) -> Type {
        Self::blank_with(name, vtable, flags, Dict::new())
    }

    /// As [`Type::blank`], with the dictionary given.
    pub fn blank_with(
        name: &Ref<Str>,
        vtable: &'static VTable,
        flags: u32,
        dict: Ref<Dict>,
    ) -> Type {
        Type {
            name: VmCell::new(name.clone()),
            qualname: VmCell::new(name.clone()),
            module: Cell::new(None),
            dict,
            base: VmCell::new(None),
            bases: VmCell::new(Vec::new()),
            mro: VmCell::new(Vec::new()),
            slots: Cell::new(Slots::NONE),
            flags: Cell::new(flags),
            version: Cell::new(0),
            vtable,
            attr_capacity: Cell::new(None),
            has_dict: Cell::new(false),
            weak: Cell::new(false),
            keys: RefCell::new(SharedKeys::default()),
            slot_count: Cell::new(0),
            subclasses: RefCell::new(Vec::new()),
            mro_turn: Cell::new(0),
            bases_turn: Cell::new(0),
            init_cache: RefCell::new(None),
        }
    }
}

/// Where a payload type keeps its class.
pub struct ClassSlot(Cell<Option<&'static Ref<Type>>>);

impl ClassSlot {
    /// An empty slot.
    pub const fn new() -> Self {
        ClassSlot(Cell::new(None))
    }

    /// The class.
    #[inline(always)]
    pub fn get(&self) -> &'static Ref<Type> {
        match self.0.get() {
            Some(class) => class,
            None => missing_class(),
        }
    }

    /// Whether the class is there.
    pub fn is_set(&self) -> bool {
        self.0.get().is_some()
    }

    /// Puts the class there, for ever.
    pub fn set(&self, class: Ref<Type>) {
        class.header().make_immortal();
        self.0.set(Some(Box::leak(Box::new(class))));
    }
}

impl Default for ClassSlot {
    fn default() -> Self {
        Self::new()
    }
}

#[cold]
fn missing_class() -> ! {
    panic!("a built-in class is used before it was made; its module's `init` must run at boot")
}

/// Makes a built-in class.
///
/// ```ignore
/// ClassBuilder::new::<List>("list").slots(SLOTS).methods(METHODS).flags(BASE | SEQUENCE).build(vm);
/// ```
pub struct ClassBuilder {
    class: Ref<Type>,
    base: Option<Ref<Type>>,
    slots: Slots,
}

impl ClassBuilder {
    /// A class for payload `T`, which becomes `T::class()`. Calling it a second time for the same payload is a bug.
    pub fn new<T: Payload>(name: &str) -> ClassBuilder {
        let class = if T::class_slot().with(|slot| slot.is_set()) {
            // `type`, `object`, `str` and `dict` exist in a raw form before the first class can be built.
            T::class().clone()
        } else {
            let class = Self::raw::<T>(name);
            T::class_slot().with(|slot| slot.set(class.clone()));
            class
        };
        ClassBuilder {
            class,
            base: None,
            slots: Slots::NONE,
        }
    }

    /// A further class with the layout of payload `T` (an exception class, say), which does not become `T::class()`.
    pub fn sibling<T: Payload>(name: &str) -> ClassBuilder {
        let class = Self::raw::<T>(name);
        class.header().make_immortal();
        ClassBuilder {
            class,
            base: None,
            slots: Slots::NONE,
        }
    }

    /// Makes the class of payload `T` in its raw form, so that objects of it can exist before it is built.
    pub fn declare<T: Payload>(name: &str) {
        if !T::class_slot().with(|slot| slot.is_set()) {
            let class = Self::raw::<T>(name);
            T::class_slot().with(|slot| slot.set(class));
        }
    }

    fn raw<T: Payload>(name: &str) -> Ref<Type> {
        heap::alloc(Type::blank(
            &names::intern(name),
            heap::vtable::<T>(),
            STATIC,
        ))
    }

    /// The base class; `object` unless given.
    pub fn base(mut self, base: &Ref<Type>) -> Self {
        self.base = Some(base.clone());
        self
    }

    /// The protocols; what is `None` is inherited.
    pub fn slots(mut self, slots: Slots) -> Self {
        self.slots = slots;
        self
    }

    /// Adds flags.
    pub fn flags(self, flags: u32) -> Self {
        self.class.set_flag(flags, true);
        self
    }

    /// Instances have a `__dict__`, with room for `capacity` inline attributes.
    pub fn attrs(self, capacity: u16) -> Self {
        self.class.set_attr_capacity(Some(capacity));
        self.class.has_dict.set(true);
        self
    }

    /// Weak references to instances are allowed.
    pub fn weak(self) -> Self {
        self.class.weak.set(true);
        self
    }

    /// `__module__`; `builtins` unless given.
    pub fn module(self, vm: &mut Vm, name: &str) -> Self {
        self.class
            .module
            .set(Some(Box::leak(name.to_owned().into_boxed_str())));
        self.class.dict.set_str(
            vm,
            &Names::get().__module__,
            Value::from_ref(names::intern(name)),
        );
        self
    }

    /// `__doc__`
    pub fn doc(self, vm: &mut Vm, text: &str) -> Self {
        self.class
            .dict
            .set_str(vm, &Names::get().__doc__, Str::value(text));
        self
    }

    /// Adds methods.
    pub fn methods(self, vm: &mut Vm, defs: &'static [Def]) -> Self {
        for def in defs {
            let value = match def.kind {
                DefKind::Method => MethodDescriptor::value(def, &self.class),
                DefKind::ClassMethod => crate::objects::descriptors::ClassMethod::value(
                    Native::function(def, Value::NONE),
                ),
                DefKind::StaticMethod => crate::objects::descriptors::StaticMethod::value(
                    Native::function(def, self.class.to_value()),
                ),
                DefKind::Function => Native::function(def, Value::NONE),
            };
            self.class.dict.set_str(vm, &names::intern(def.name), value);
        }
        self
    }

    /// Adds a computed attribute.
    pub fn getset(self, vm: &mut Vm, name: &'static str, get: Getter, set: Option<Setter>) -> Self {
        let value = GetSet::value(name, &self.class, get, set);
        self.class.dict.set_str(vm, &names::intern(name), value);
        self
    }

    /// Adds a class attribute.
    pub fn constant(self, vm: &mut Vm, name: &str, value: Value) -> Self {
        self.class.dict.set_str(vm, &names::intern(name), value);
        self
    }

    /// Finishes the class.
    pub fn build(self, vm: &mut Vm) -> Ref<Type> {
        let class = self.class;
        let object = Instance::class();
        if !class.same(object) {
            let base = self.base.unwrap_or_else(|| object.clone());
            if class.attr_capacity().is_none() && base.attr_capacity().is_some() {
                class.set_attr_capacity(base.attr_capacity());
                class.has_dict.set(base.has_dict.get());
            }
            if base.weak.get() {
                class.weak.set(true);
            }
            let inherited = base.flags.get() & (SEQUENCE | MAPPING | EXCEPTION | MATCH_SELF);
            class.set_flag(inherited, true);
            let mut mro = vec![class.clone()];
            mro.extend(base.mro.get(vm).iter().cloned());
            class.mro.replace(vm, mro);
            class.bases.replace(vm, vec![base.clone()]);
            base.subclasses.borrow_mut().push(class.as_ptr());
            class.base.replace(vm, Some(base));
        } else {
            class.mro.replace(vm, vec![class.clone()]);
        }
        if class.dict.get_str(vm, &Names::get().__doc__).is_none() {
            class.dict.set_str(vm, &Names::get().__doc__, Value::NONE);
        }
        crate::objects::slot_wrappers::publish(vm, &class, &self.slots);
        let slots = crate::vm::class::inherit_slots(vm, &class, self.slots);
        class.set_slots(slots);
        class.invalidate();
        class
    }
}

/// Payload of `object` and of the instances of ordinary classes: nothing; attributes live in the attribute area.
pub struct Instance;

// SAFETY: owns nothing.
unsafe impl Payload for Instance {
    const KIND: Kind = Kind::Instance;
    class_slot!();
    fn traverse(&self, _: &mut dyn FnMut(&Value)) {}
}

/// Makes the raw classes that everything else needs to exist: `type`, `object`, `str`, `dict`, `tuple`. Runs once on a thread, before anything else.
pub fn bootstrap() {
    if Type::class_slot().with(|slot| slot.is_set()) {
        return;
    }
    // `type` is its own class, and making any class needs `str` and `dict` objects: the first ones are made with a class address that is
    // patched as soon as the class exists. The order below is the only one that works.
    heap::bootstrap::raw_classes();
    let _ = Tuple::empty();
}
