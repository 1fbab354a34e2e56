//! Calls out of the instruction loop: the callee and its arguments lie in a window of the caller's registers.
//!
//! The frame of a function written in Python begins where its arguments lie, so that nothing is copied; everything else is called with a slice of
//! the window. The loop itself has the cases that are more frequent still; [`super::call`] has calls from native code.
//!
//! # Safety
//!
//! A window is a run of initialised registers of the running frame. Whoever takes one leaves `UNDEF` behind.

use super::args::Args;
use super::call::{Entered, drop_values};
use super::class::call_static;
use super::dispatch::take;
use super::frame::Mode;
use super::ops::class_of;
use super::{R, Vm, user_slots};
use crate::heap::{self, Kind, Payload, Ref};
use crate::names::Names;
use crate::objects::code::Code;
use crate::objects::descriptors::Method;
use crate::objects::dict::Dict;
use crate::objects::function::Function;
use crate::objects::iterators::CallIter;
use crate::objects::string::Str;
use crate::objects::tuple::Tuple;
use crate::objects::types::{ABSTRACT, Type};
use crate::value::Value;

impl Vm {
    /// The general case of a call: anything, with keywords. The window is taken.
    #[inline(never)]
    pub(crate) fn call_window(
        &mut self,
        base: *mut Value,
        count: usize,
        names: &[Value],
        dst: u16,
    ) -> R<Entered> {
        // SAFETY: the window is `count + 2` registers of the running frame.
        unsafe {
            let callee = take(base);
            let has_self = !(*base.add(1)).is_undef();
            let (first, total) = if has_self {
                (base.add(1), count + 1)
            } else {
                (base.add(2), count)
            };
            let Some(header) = callee.header() else {
                drop_values(base, count + 2);
                return Err(self.not_callable(&callee));
            };
            match header.kind() {
                Kind::Function => {
                    let function = callee.as_ref_unchecked::<Function>().clone();
                    let code = (*function.code.as_ptr()).clone();
                    drop(callee);
                    return self.enter_at(function, code, first, total, names, Mode::Store, dst);
                }
                Kind::Method => {
                    let method = callee.as_ref_unchecked::<Method>().clone();
                    if !has_self && let Some(function) = method.function.as_ref::<Function>() {
                        base.add(1).write(method.receiver.clone());
                        let code = (*function.code.as_ptr()).clone();
                        return self.enter_at(
                            function.clone(),
                            code,
                            base.add(1),
                            count + 1,
                            names,
                            Mode::Store,
                            dst,
                        );
                    }
                }
                Kind::Type => {
                    let class = callee.as_ref_unchecked::<Type>();
                    if class.is_static() && class.header().class().same(Type::class()) {
                        let result = if total == 1 && names.is_empty() && class.same(Type::class())
                        {
                            Ok(class_of(&*first).to_value())
                        } else {
                            let args = Args::new(std::slice::from_raw_parts(first, total), names);
                            // `str(x)` may call a `__str__` that calls `str(x)`.
                            self.recurse("", |vm| call_static(vm, class, args))
                        };
                        drop_values(base, count + 2);
                        return result.map(Entered::Value);
                    }
                    if let Some(entered) = self.instantiate(class, first, total, names, dst)? {
                        return Ok(entered);
                    }
                }
                _ => {}
            }
            let args = std::slice::from_raw_parts(first, total);
            // Back in its place: a thread that leaves looks there for what it called.
            base.write(callee);
            let result = self.call_args(&*base, Args::new(args, names));
            drop_values(base, count + 2);
            result.map(Entered::Value)
        }
    }

    /// Pushes a frame for arguments at `first`, which move to the stack when they are in a generator's registers.
    #[allow(clippy::too_many_arguments)] // one call is that many things
    fn enter_at(
        &mut self,
        function: Ref<Function>,
        code: Ref<Code>,
        first: *mut Value,
        total: usize,
        names: &[Value],
        mode: Mode,
        dst: u16,
    ) -> R<Entered> {
        let mut base = first;
        if self.frames.last().is_some_and(|f| f.generator.is_some()) {
            base = self.stack_top();
            if !self.stack.prepare(base, total + 64) {
                drop_values(first, total);
                return Err(self.too_deep(""));
            }
            // SAFETY: the arguments move; their registers are left UNDEF.
            unsafe {
                std::ptr::copy_nonoverlapping(first, base, total);
                for n in 0..total {
                    first.add(n).write(Value::UNDEF);
                }
            }
        }
        self.enter(function, code, base, total, names, mode, dst)
    }

    /// The fast path of making an instance of a class written in Python: `object.__new__` and an `__init__` written in Python.
    #[inline(never)]
    unsafe fn instantiate(
        &mut self,
        class: &Ref<Type>,
        first: *mut Value,
        total: usize,
        names: &[Value],
        dst: u16,
    ) -> R<Option<Entered>> {
        if class.is_static()
            || class.flag(ABSTRACT)
            || class.vtable.kind != Kind::Instance
            || !class.header().class().same(Type::class())
        {
            return Ok(None);
        }
        let object_new = crate::objects::types::Instance::class().slots().new;
        if class.slots().new.map(|f| f as usize) != object_new.map(|f| f as usize) {
            return Ok(None);
        }
        let known = match &*class.init_cache.borrow() {
            Some((version, f)) if class.known_version() == *version => Some(f.clone()),
            _ => None,
        };
        let init = match known {
            Some(f) => f,
            None => {
                let Some(f) = self.type_lookup(class, &crate::names::Names::get().__init__) else {
                    return Ok(None);
                };
                if !f.is::<Function>() {
                    return Ok(None);
                }
                *class.init_cache.borrow_mut() = Some((class.version(), f.clone()));
                f
            }
        };
        // SAFETY: checked when the cache was filled.
        let function = unsafe { init.as_ref_unchecked::<Function>() }.clone();
        let code = unsafe { (*function.code.as_ptr()).clone() };
        let object = Value::from_ref(heap::alloc_instance(
            crate::objects::types::Instance,
            class,
            0,
        ));
        let caller_is_generator = self.frames.last().is_some_and(|f| f.generator.is_some());
        // SAFETY: there is always a register in front of the arguments (the callee's own, or that of `self`), which is UNDEF now.
        let base = unsafe {
            if caller_is_generator {
                let base = self.stack_top();
                if !self.stack.prepare(base, total + 65) {
                    drop_values(first, total);
                    return Err(self.too_deep(""));
                }
                std::ptr::copy_nonoverlapping(first, base.add(1), total);
                for n in 0..total {
                    first.add(n).write(Value::UNDEF);
                }
                base
            } else {
                first.sub(1)
            }
        };
        // SAFETY: as above.
        unsafe { base.write(object.clone()) };
        match self.enter(function, code, base, total + 1, names, Mode::Init, dst)? {
            Entered::Frame => {
                if let Some(frame) = self.frames.last_mut() {
                    frame.aux = object;
                }
                Ok(Some(Entered::Frame))
            }
            Entered::Value(v) => {
                let text = format!(
                    "__init__() should return None, not '{}'",
                    class_of(&v).name()
                );
                Err(self.type_error(text))
            }
        }
    }

    /// Whether `obj[key]` is a method that the class, or one of its bases, has written itself.
    #[inline(always)]
    pub(crate) fn has_own_getitem(&self, obj: &Value) -> bool {
        let own = user_slots::getitem as fn(&mut Vm, &Value, &Value) -> R;
        let slot = class_of(obj).slots().getitem;
        slot.is_some_and(|f| std::ptr::fn_addr_eq(f, own))
    }

    /// Whether `obj[key] = value` is such a method.
    #[inline(always)]
    pub(crate) fn has_own_setitem(&self, obj: &Value) -> bool {
        let own = user_slots::setitem as fn(&mut Vm, &Value, &Value, Option<&Value>) -> R<()>;
        let slot = class_of(obj).slots().setitem;
        slot.is_some_and(|f| std::ptr::fn_addr_eq(f, own))
    }

    /// Enters `__getitem__`; nothing when it is no function.
    #[inline(never)]
    pub(crate) fn enter_getitem(
        &mut self,
        obj: &Value,
        key: &Value,
        dst: u16,
    ) -> R<Option<Entered>> {
        let name = &Names::get().__getitem__;
        self.enter_special(name, [obj, key], Mode::Store, dst)
    }

    /// Enters `__setitem__`; nothing when it is no function.
    #[inline(never)]
    pub(crate) fn enter_setitem(
        &mut self,
        obj: &Value,
        key: &Value,
        value: &Value,
    ) -> R<Option<Entered>> {
        let name = &Names::get().__setitem__;
        self.enter_special(name, [obj, key, value], Mode::Discard, 0)
    }

    /// Pushes the frame of a special method that is a function, for these arguments, the receiver first.
    fn enter_special<const N: usize>(
        &mut self,
        name: &Str,
        args: [&Value; N],
        mode: Mode,
        dst: u16,
    ) -> R<Option<Entered>> {
        let Some(found) = self.type_lookup(class_of(args[0]), name) else {
            return Ok(None);
        };
        let Ok(function) = found.into_ref::<Function>() else {
            return Ok(None);
        };
        if heap::spend_budget() {
            self.poll()?;
        }
        let base = self.stack_top();
        if !self.stack.prepare(base, N + 64) {
            return Err(self.too_deep(""));
        }
        for (n, arg) in args.into_iter().enumerate() {
            // SAFETY: above every live register, inside the stack.
            unsafe { base.add(n).write(arg.clone()) };
        }
        let code = function.code.get(self).clone();
        self.enter(function, code, base, N, &[], mode, dst)
            .map(Some)
    }

    /// Pushes the frame of a method written in Python; calls anything else.
    pub(super) fn enter_bound(&mut self, f: &Value, args: &[Value], dst: u16) -> R<Entered> {
        let Some((function, receiver)) = method_parts(f) else {
            return self.call(f, args).map(Entered::Value);
        };
        if heap::spend_budget() {
            self.poll()?;
        }
        self.enter_above(function, Some(receiver), args, &[], Mode::Store, dst)
    }

    /// Pushes the frame of what an `iter(callable, sentinel)` asks, if that is such an iterator and its callable a function or method written in Python.
    #[cold]
    pub(super) fn ask(&mut self, it: &Value, dst: u16) -> R<bool> {
        let Some(source) = it
            .as_ref::<CallIter>()
            .and_then(|it| it.source.borrow().clone())
        else {
            return Ok(false);
        };
        let (function, receiver) = match (source.0.as_ref::<Function>(), method_parts(&source.0)) {
            (Some(function), _) => (function, None),
            (_, Some((function, receiver))) => (function, Some(receiver)),
            _ => return Ok(false),
        };
        let flags = function.code.get(self).proto.flags;
        if flags.generator || flags.coroutine || flags.async_generator {
            return Ok(false);
        }
        self.enter_above(function, receiver, &[], &[], Mode::Until, dst)?;
        Ok(true)
    }

    /// Whether a value that was asked for is not the sentinel; the iterator is exhausted when it is.
    #[cold]
    pub(super) fn is_answer(&mut self, it: &Value, value: &Value) -> R<bool> {
        let Some(it) = it.as_ref::<CallIter>().cloned() else {
            return Ok(false);
        };
        // The call may have exhausted this iterator.
        let Some((_, sentinel)) = it.source.borrow().clone() else {
            return Ok(false);
        };
        if !self.eq(&sentinel, value)? {
            return Ok(true);
        }
        let source = it.source.borrow_mut().take();
        drop(source);
        Ok(false)
    }

    /// Pushes the frame of a function for arguments that are not in registers.
    #[allow(clippy::too_many_arguments)] // one call is that many things
    fn enter_above(
        &mut self,
        function: &Ref<Function>,
        receiver: Option<&Value>,
        args: &[Value],
        names: &[Value],
        mode: Mode,
        dst: u16,
    ) -> R<Entered> {
        let base = self.stack_top();
        let count = args.len() + usize::from(receiver.is_some());
        let code = function.code.get(self).clone();
        if !self
            .stack
            .prepare(base, count + code.proto.nregs as usize + 64)
        {
            return Err(self.too_deep(""));
        }
        let mut next = base;
        if let Some(receiver) = receiver {
            // SAFETY: above every live register, inside the stack.
            unsafe {
                next.write(receiver.clone());
                next = next.add(1);
            }
        }
        for (n, v) in args.iter().enumerate() {
            // SAFETY: as above.
            unsafe { next.add(n).write(v.clone()) };
        }
        self.enter(function.clone(), code, base, count, names, mode, dst)
    }

    /// `f(*args, **kwargs)`: the callee is at `base`, and two registers behind it are the tuple and the dictionary, if there is one. They are taken.
    #[inline(never)]
    pub(super) fn call_expanded(&mut self, base: *mut Value, dst: u16) -> R<Entered> {
        // SAFETY: the window is four registers of the running frame.
        let (callee, args, kwargs) = unsafe { (take(base), take(base.add(2)), take(base.add(3))) };
        let items: &[Value] = args.as_ref::<Tuple>().map_or(&[], |t| t.items());
        if kwargs.is_undef() {
            return self.call_spread(base, callee, items, &[], dst);
        }
        let mut values: Vec<Value> = items.to_vec();
        drop(args);
        let mut names = Vec::new();
        if let Some(d) = kwargs.as_ref::<Dict>() {
            for e in d.map.get(self).iter() {
                names.push(e.key.clone());
                values.push(e.value.clone());
            }
        }
        if let Some(bad) = names.iter().find(|n| !n.is::<Str>()) {
            let _ = bad;
            return Err(self.type_error("keywords must be strings"));
        }
        self.call_spread(base, callee, &values, &names, dst)
    }

    /// A call with these arguments, of what was at `base`.
    fn call_spread(
        &mut self,
        base: *mut Value,
        callee: Value,
        args: &[Value],
        names: &[Value],
        dst: u16,
    ) -> R<Entered> {
        if let Some(function) = callee.as_ref::<Function>() {
            return self.enter_above(function, None, args, names, Mode::Store, dst);
        }
        if let Some((function, receiver)) = method_parts(&callee) {
            return self.enter_above(function, Some(receiver), args, names, Mode::Store, dst);
        }
        if let Some(header) = callee.header()
            && header.kind() == Kind::Instance
            && let Some(f) = self.type_lookup(header.class(), &Names::get().__call__)
            && let Some(function) = f.as_ref::<Function>()
        {
            return self.enter_above(function, Some(&callee), args, names, Mode::Store, dst);
        }
        // SAFETY: the register is the running frame's. A thread that leaves looks there for what it called.
        unsafe {
            base.write(callee);
            let result = self.call_args(&*base, Args::new(args, names));
            drop(take(base));
            result.map(Entered::Value)
        }
    }
}

/// The function and the receiver of a method written in Python.
fn method_parts(f: &Value) -> Option<(&Ref<Function>, &Value)> {
    let method = f.as_ref::<Method>()?;
    Some((method.function.as_ref::<Function>()?, &method.receiver))
}
