//! The slow paths of statements and displays: unpacking, slices, `with`, `match`, f-strings, `import`, `except*`.

use super::args::Args;
use super::call::Entered;
use super::ops::class_of;
use super::policy::Origin;
use super::{R, Vm};
use crate::builtins::async_steps::{self, AsyncStep};
use crate::builtins::ranges;
use crate::heap::Ref;
use crate::names::Names;
use crate::objects::dict::Dict;
use crate::objects::exception::Exc;
use crate::objects::generator::{Generator, GeneratorKind, GeneratorStatus};
use crate::objects::list::List;
use crate::objects::string::Str;
use crate::objects::tuple::Tuple;
use crate::objects::types::{MATCH_SELF, Type};
use crate::value::Value;

fn plural(n: usize) -> &'static str {
    if n == 1 { "" } else { "s" }
}

impl Vm {
    // ---- unpacking

    #[inline(never)]
    pub(crate) fn unpack(&mut self, source: &Value, n: usize) -> R<Vec<Value>> {
        let exact =
            source.is_exact::<Tuple>() || source.is_exact::<List>() || source.is_exact::<Dict>();
        if exact && !source.is_exact::<Dict>() {
            let items = self.collect(source)?;
            if items.len() == n {
                return Ok(items);
            }
            return Err(if items.len() > n {
                self.value_error(format!(
                    "too many values to unpack (expected {n}, got {})",
                    items.len()
                ))
            } else {
                self.value_error(format!(
                    "not enough values to unpack (expected {n}, got {})",
                    items.len()
                ))
            });
        }
        let it = self.unpack_iter(source)?;
        let mut items = Vec::with_capacity(n);
        while let Some(v) = self.iter_next(&it)? {
            if items.len() == n {
                let text = if exact {
                    format!(
                        "too many values to unpack (expected {n}, got {})",
                        self.len(source)?
                    )
                } else {
                    format!("too many values to unpack (expected {n})")
                };
                return Err(self.value_error(text));
            }
            items.push(v);
        }
        if items.len() < n {
            return Err(self.value_error(format!(
                "not enough values to unpack (expected {n}, got {})",
                items.len()
            )));
        }
        Ok(items)
    }

    fn unpack_iter(&mut self, source: &Value) -> R {
        if !class_of(source).is_iterable() {
            return Err(self.type_error(format!(
                "cannot unpack non-iterable {} object",
                class_of(source).name()
            )));
        }
        self.get_iter(source)
    }

    #[inline(never)]
    pub(crate) fn unpack_ex(
        &mut self,
        source: &Value,
        before: usize,
        after: usize,
    ) -> R<Vec<Value>> {
        let it = self.unpack_iter(source)?;
        let mut items = self.collect_rest(&it, 0)?;
        if items.len() < before + after {
            return Err(self.value_error(format!(
                "not enough values to unpack (expected at least {}, got {})",
                before + after,
                items.len()
            )));
        }
        let tail = items.split_off(items.len() - after);
        let middle = items.split_off(before);
        items.push(List::value(middle));
        items.extend(tail);
        Ok(items)
    }

    // ---- slices

    #[inline(never)]
    pub(crate) fn load_slice(&mut self, obj: &Value, lo: Value, hi: Value) -> R {
        // No slice object for the sequences that are mostly sliced.
        if let Some(start) = ranges::plain_bound(&lo, 0)
            && let Some(stop) = ranges::plain_bound(&hi, i64::MAX)
        {
            if let Some(list) = obj.as_exact::<List>() {
                return crate::objects::list::methods::part(self, list, (start, stop, 1));
            }
            if let Some(tuple) = obj.as_exact::<Tuple>() {
                return Ok(crate::objects::tuple_methods::part(obj, tuple, start, stop));
            }
        }
        let slice = ranges::new_slice(lo, hi, Value::NONE);
        self.get_item(obj, &slice)
    }

    #[inline(never)]
    pub(crate) fn store_slice(
        &mut self,
        obj: &Value,
        value: &Value,
        lo: Value,
        hi: Value,
    ) -> R<()> {
        if let Some(list) = obj.as_exact::<List>()
            && let Some(start) = ranges::plain_bound(&lo, 0)
            && let Some(stop) = ranges::plain_bound(&hi, i64::MAX)
        {
            let list = list.clone();
            return crate::objects::list::methods::assign_part(
                self,
                &list,
                (start, stop, 1),
                value,
            );
        }
        let slice = ranges::new_slice(lo, hi, Value::NONE);
        self.set_item(obj, &slice, value)
    }

    // ---- displays

    #[inline(never)]
    pub(crate) fn join_parts(&mut self, parts: &[Value]) -> R {
        crate::objects::string::concat::join(self, &Names::get().empty, parts)
    }

    /// Whether there can be a `*` in front of this; `callee` is the function when it is all of its positional arguments, for the error's text.
    fn check_star(&mut self, source: &Value, callee: Option<&Value>) -> R<()> {
        if class_of(source).is_iterable() {
            return Ok(());
        }
        let name = self.class_name(source);
        let what = match callee {
            Some(f) => format!("{} argument", self.callee_name(f)),
            None => "Value".to_owned(),
        };
        Err(self.type_error(format!("{what} after * must be an iterable, not {name}")))
    }

    /// The positional arguments of `callee(*source)`.
    #[inline(never)]
    pub(crate) fn star_args(&mut self, source: &Value, callee: &Value) -> R {
        self.check_star(source, Some(callee))?;
        Ok(Tuple::value(self.collect(source)?))
    }

    /// `callee`: the function when the source is all of its positional arguments, for the error's text.
    pub(crate) fn list_extend(
        &mut self,
        list: &Ref<List>,
        source: &Value,
        callee: Option<&Value>,
    ) -> R<()> {
        self.check_star(source, callee)?;
        if let Some(from) = source.as_exact::<Tuple>() {
            list.items.get_mut(self).extend_from_slice(from.items());
            return Ok(());
        }
        let items = self.collect(source)?;
        list.items.get_mut(self).extend(items);
        Ok(())
    }

    /// `dict.update` for `{**x}` (no callee) and `f(**x)`.
    #[inline(never)]
    pub(crate) fn dict_merge(
        &mut self,
        dict: &Ref<Dict>,
        source: &Value,
        callee: Option<&Value>,
    ) -> R<()> {
        let keys = if let Some(d) = source.as_exact::<Dict>() {
            d.map.get(self).iter().map(|e| e.key.clone()).collect()
        } else {
            match self.get_attr_opt(source, &Names::get().keys.to_value())? {
                Some(f) => {
                    let keys = self.call(&f, &[])?;
                    self.collect(&keys)?
                }
                None => {
                    let name = self.class_name(source);
                    return Err(match callee {
                        Some(f) => {
                            let f = self.callee_name(f);
                            self.type_error(format!(
                                "{f} argument after ** must be a mapping, not {name}"
                            ))
                        }
                        None => self.type_error(format!("'{name}' object is not a mapping")),
                    });
                }
            }
        };
        for key in keys {
            if let Some(f) = callee {
                if !key.is::<Str>() {
                    return Err(self.type_error("keywords must be strings"));
                }
                if dict.get_item(self, &key)?.is_some() {
                    let f = self.callee_name(f);
                    let key = self.str(&key)?;
                    return Err(self.type_error(format!(
                        "{f} got multiple values for keyword argument '{}'",
                        key.to_text()
                    )));
                }
            }
            let value = self.get_item(source, &key)?;
            dict.set_item(self, &key, value)?;
        }
        Ok(())
    }

    /// How messages about calls name the callee: `module.qualname()`.
    fn callee_name(&mut self, f: &Value) -> String {
        let attribute = |vm: &mut Vm, name: &Ref<Str>| match vm.get_attr_opt(f, &name.to_value()) {
            Ok(v) => v,
            Err(_) => {
                let _ = vm.take_error();
                None
            }
        };
        let n = Names::get();
        let qualname = attribute(self, &n.__qualname__);
        if let Some(qualname) = qualname.as_ref().and_then(|v| v.as_ref::<Str>()) {
            let qualname = qualname.to_text();
            let module = attribute(self, &n.__module__).filter(|m| !m.is_none());
            return match module.as_ref().and_then(|m| m.as_ref::<Str>()) {
                Some(m) if m.to_text() != "builtins" => format!("{}.{qualname}()", m.to_text()),
                _ => format!("{qualname}()"),
            };
        }
        match self.str(f) {
            Ok(s) => s.to_text().into_owned(),
            Err(_) => {
                let _ = self.take_error();
                "function".to_owned()
            }
        }
    }

    /// `format(conversion(v), spec)` of an f-string.
    #[inline(never)]
    pub(crate) fn format_value(&mut self, v: &Value, conversion: u8, spec: &Value) -> R {
        let converted = match conversion {
            1 => self.str(v)?.to_value(),
            2 => self.repr(v)?.to_value(),
            3 => crate::builtins::text::ascii(self, v)?,
            _ => v.clone(),
        };
        match spec.as_ref::<Str>() {
            Some(spec) => {
                let spec = spec.clone();
                self.format(&converted, &spec).map(Value::from_ref)
            }
            None if converted.is_exact::<Str>() => Ok(converted),
            None => {
                let empty = Names::get().empty.clone();
                self.format(&converted, &empty).map(Value::from_ref)
            }
        }
    }

    /// t-strings.
    #[inline(never)]
    pub(crate) fn build_template(&mut self, template: bool, parts: Vec<Value>) -> R {
        let module = self.import_module("string.templatelib")?;
        let name = crate::names::intern(if template {
            "_make_template"
        } else {
            "Interpolation"
        })
        .to_value();
        if template {
            let class = self.get_attr(&module, &crate::names::intern("Template").to_value())?;
            // `Template(*args)` takes strings and interpolations in their order.
            let (Some(strings), Some(fields)) =
                (parts[0].as_ref::<Tuple>(), parts[1].as_ref::<Tuple>())
            else {
                return Err(self.system_error("malformed template"));
            };
            let mut args = Vec::new();
            for (i, s) in strings.items().iter().enumerate() {
                args.push(s.clone());
                if let Some(f) = fields.items().get(i) {
                    args.push(f.clone());
                }
            }
            return self.call(&class, &args);
        }
        let class = self.get_attr(&module, &name)?;
        self.call(&class, &parts)
    }

    // ---- with

    #[inline(never)]
    pub(crate) fn with_enter(
        &mut self,
        manager: &Value,
        is_async: bool,
        dst: u16,
    ) -> R<(Value, Entered)> {
        let n = Names::get();
        let (enter, exit) = if is_async {
            (&n.__aenter__, &n.__aexit__)
        } else {
            (&n.__enter__, &n.__exit__)
        };
        let protocol = if is_async {
            "asynchronous context manager"
        } else {
            "context manager"
        };
        let name = self.class_name(manager);
        let Some(enter) = self.special(manager, enter)? else {
            let other = if is_async {
                &n.__enter__
            } else {
                &n.__aenter__
            };
            let hint = match self.type_lookup(class_of(manager), other) {
                Some(_) if is_async => {
                    " but it supports the context manager protocol. Did you mean to use 'with'?"
                }
                Some(_) => {
                    " but it supports the asynchronous context manager protocol. Did you mean to use 'async with'?"
                }
                None => "",
            };
            return Err(self.type_error(format!(
                "'{name}' object does not support the {protocol} protocol{hint}"
            )));
        };
        let Some(exit) = self.special(manager, exit)? else {
            let which = if is_async { "__aexit__" } else { "__exit__" };
            return Err(self.type_error(format!(
                "'{name}' object does not support the {protocol} protocol (missed {which} method)"
            )));
        };
        let entered = self.enter_bound(&enter, &[], dst)?;
        Ok((exit, entered))
    }

    // ---- match

    #[inline(never)]
    pub(crate) fn match_keys(&mut self, subject: &Value, keys: &Value) -> R {
        let Some(keys) = keys.as_ref::<Tuple>().cloned() else {
            return Err(self.system_error("keys are not a tuple"));
        };
        for (i, k) in keys.items().iter().enumerate() {
            for earlier in &keys.items()[..i] {
                if self.eq(earlier, k)? {
                    let text = self.repr(k)?;
                    return Err(self.value_error(format!(
                        "mapping pattern checks duplicate key ({})",
                        text.to_text()
                    )));
                }
            }
        }
        let mut values = Vec::with_capacity(keys.len());
        for key in keys.items() {
            let v = if let Some(d) = subject.as_exact::<Dict>() {
                d.get_item(self, key)?
            } else {
                let missing = Value::from_ref(crate::heap::alloc_instance(
                    crate::objects::types::Instance,
                    <crate::objects::types::Instance as crate::heap::Payload>::class(),
                    0,
                ));
                let get = self.get_attr(subject, &Names::get().get.to_value())?;
                let v = self.call(&get, &[key.clone(), missing.clone()])?;
                (!v.is_same(&missing)).then_some(v)
            };
            match v {
                Some(v) => values.push(v),
                None => return Ok(Value::NONE),
            }
        }
        Ok(Tuple::value(values))
    }

    #[inline(never)]
    pub(crate) fn match_class(
        &mut self,
        subject: &Value,
        class: &Value,
        positional: usize,
        names: &Value,
    ) -> R {
        let Some(class) = class.as_ref::<Type>().cloned() else {
            return Err(self.type_error("called match pattern must be a class"));
        };
        if !self.is_instance(subject, &class.to_value())? {
            return Ok(Value::NONE);
        }
        let mut values = Vec::new();
        let mut seen: Vec<Ref<Str>> = Vec::new();
        if positional > 0 {
            let match_args =
                self.get_attr_opt(&class.to_value(), &Names::get().__match_args__.to_value())?;
            match match_args {
                Some(args) => {
                    let Some(args) = args.as_exact::<Tuple>().cloned() else {
                        let (c, t) = (class.name().into_owned(), self.class_name(&args));
                        return Err(self
                            .type_error(format!("{c}.__match_args__ must be a tuple (got {t})")));
                    };
                    if positional > args.len() {
                        let n = args.len();
                        return Err(self.type_error(format!(
                            "{}() accepts {n} positional sub-pattern{} ({positional} given)",
                            class.name(),
                            plural(n)
                        )));
                    }
                    for name in &args.items()[..positional] {
                        let Some(text) = name.as_ref::<Str>() else {
                            return Err(self.type_error(format!(
                                "__match_args__ elements must be strings (got {})",
                                class_of(name).name()
                            )));
                        };
                        if seen.iter().any(|s| s.same_text(text)) {
                            let text = text.to_text().into_owned();
                            return Err(self.type_error(format!(
                                "{}() got multiple sub-patterns for attribute '{text}'",
                                class.name()
                            )));
                        }
                        seen.push(text.clone());
                        self.check_reflection_by(subject, name)?;
                        match self.get_attr_opt(subject, name)? {
                            Some(v) => values.push(v),
                            None => return Ok(Value::NONE),
                        }
                    }
                }
                None if class.flag(MATCH_SELF) => {
                    if positional > 1 {
                        return Err(self.type_error(format!(
                            "{}() accepts 1 positional sub-pattern ({positional} given)",
                            class.name()
                        )));
                    }
                    values.push(subject.clone());
                }
                None => {
                    return Err(self.type_error(format!(
                        "{}() accepts 0 positional sub-patterns ({positional} given)",
                        class.name()
                    )));
                }
            }
        }
        if let Some(names) = names.as_ref::<Tuple>() {
            for name in names.items() {
                if let Some(text) = name.as_ref::<Str>()
                    && seen.iter().any(|s| s.same_text(text))
                {
                    let text = text.to_text().into_owned();
                    return Err(self.type_error(format!(
                        "{}() got multiple sub-patterns for attribute '{text}'",
                        class.name()
                    )));
                }
                self.check_reflection_by(subject, name)?;
                match self.get_attr_opt(subject, name)? {
                    Some(v) => values.push(v),
                    None => return Ok(Value::NONE),
                }
            }
        }
        Ok(Tuple::value(values))
    }

    #[inline(never)]
    pub(crate) fn match_rest(&mut self, subject: &Value, keys: &Value) -> R {
        let rest = Dict::new();
        self.dict_merge(&rest, subject, None)?;
        if let Some(keys) = keys.as_ref::<Tuple>().cloned() {
            for key in keys.items() {
                rest.remove_item(self, key)?;
            }
        }
        Ok(Value::from_ref(rest))
    }

    // ---- generators and coroutines

    /// The iterator of `yield from v`.
    #[inline(never)]
    pub(crate) fn yield_from_iter(&mut self, v: &Value) -> R {
        if let Some(g) = v.as_ref::<Generator>() {
            match g.kind {
                GeneratorKind::Generator => return Ok(v.clone()),
                GeneratorKind::Coroutine => {
                    let inside = self.frames.last().is_some_and(|f| {
                        f.code.proto.flags.coroutine
                            || f.code.changed_flags
                                & crate::builtins::code_objects::ITERABLE_COROUTINE
                                != 0
                    });
                    if inside {
                        return Ok(v.clone());
                    }
                    return Err(self.type_error(
                        "cannot 'yield from' a coroutine object in a non-coroutine generator",
                    ));
                }
                GeneratorKind::AsyncGenerator => {}
            }
        }
        self.get_iter(v)
    }

    /// The iterator of `await v`.
    #[inline(never)]
    pub(crate) fn get_awaitable(&mut self, v: &Value, context: u16) -> R {
        if let Some(g) = v.as_ref::<Generator>()
            && (g.kind == GeneratorKind::Coroutine
                || crate::builtins::generators::is_iterable_coroutine(self, g))
        {
            if g.kind == GeneratorKind::Coroutine
                && g.state.get(self).status == GeneratorStatus::Suspended
            {
                return Err(self.runtime_error("coroutine is being awaited already"));
            }
            return Ok(v.clone());
        }
        if v.is::<AsyncStep>() {
            return Ok(v.clone());
        }
        let Some(it) = self.call_special_opt(v, &Names::get().__await__, &[])? else {
            let name = self.class_name(v);
            return Err(match context {
                1 => self.type_error(format!("'async with' received an object from __aenter__ that does not implement __await__: {name}")),
                2 => self.type_error(format!("'async with' received an object from __aexit__ that does not implement __await__: {name}")),
                3 => self.type_error(format!("'async for' received an invalid object from __anext__: {name}")),
                _ => self.type_error(format!("'{name}' object can't be awaited")),
            });
        };
        if it
            .as_ref::<Generator>()
            .is_some_and(|g| g.kind == GeneratorKind::Coroutine)
        {
            return Err(self.type_error("__await__() returned a coroutine"));
        }
        if class_of(&it).slots().next.is_none() {
            let name = self.class_name(&it);
            return Err(self.type_error(format!(
                "__await__() returned non-iterator of type '{name}'"
            )));
        }
        Ok(it)
    }

    #[inline(never)]
    pub(crate) fn async_iter(&mut self, v: &Value) -> R {
        if is_async_generator(v) {
            return Ok(v.clone());
        }
        match self.call_special_opt(v, &Names::get().__aiter__, &[])? {
            Some(it) => {
                if self
                    .type_lookup(class_of(&it), &Names::get().__anext__)
                    .is_none()
                {
                    let other = self.class_name(&it);
                    return Err(self.type_error(format!("'async for' received an object from __aiter__ that does not implement __anext__: {other}")));
                }
                Ok(it)
            }
            None => Err(self.type_error(format!(
                "'async for' requires an object with __aiter__ method, got {}",
                self.class_name(v)
            ))),
        }
    }

    #[inline(never)]
    pub(crate) fn async_next(&mut self, v: &Value) -> R {
        if is_async_generator(v) {
            return async_steps::next_step(self, v);
        }
        match self.call_special_opt(v, &Names::get().__anext__, &[])? {
            Some(awaitable) => Ok(awaitable),
            None => Err(self.type_error(format!(
                "'async for' requires an iterator with __anext__ method, got {}",
                self.class_name(v)
            ))),
        }
    }

    /// `send(value)` to whatever a generator delegates to.
    #[inline(never)]
    pub(crate) fn send_to(
        &mut self,
        delegate: &Value,
        sent: Value,
    ) -> R<super::generators::Resumed> {
        use super::generators::Resumed;
        use crate::objects::generator::{Generator, GeneratorKind};
        if let Some(g) = delegate.as_ref::<Generator>()
            && g.kind != GeneratorKind::AsyncGenerator
        {
            let g = g.clone();
            return self.resume(&g, sent);
        }
        let result = if sent.is_none() {
            match class_of(delegate).slots().next {
                Some(f) => f(self, delegate),
                None => {
                    return Err(self.type_error(format!(
                        "'{}' object is not an iterator",
                        class_of(delegate).name()
                    )));
                }
            }
        } else {
            self.call_method(delegate, &Names::get().send, &[sent])
        };
        match result {
            Ok(v) if v.is_undef() => Ok(Resumed::Returned(Value::NONE)),
            Ok(v) => Ok(Resumed::Yielded(v)),
            Err(_) if self.error_is(Exc::StopIteration) => Ok(Resumed::Returned(self.stop_value())),
            Err(raised) => Err(raised),
        }
    }

    // ---- rare operations

    #[inline(never)]
    pub(crate) fn intrinsic(&mut self, kind: u8, mut operands: Vec<Value>, more: *mut Value) -> R {
        use coldframe_compiler::op::Intrinsic as I;
        if kind == I::Display as u8 {
            return self.display(operands);
        }
        let extra = match kind {
            k if k == I::TypeVar as u8 => 3,
            k if k == I::ParamSpec as u8
                || k == I::TypeVarTuple as u8
                || k == I::SetTypeParams as u8 =>
            {
                1
            }
            k if k == I::TypeAlias as u8 => 2,
            _ => 0,
        };
        for n in 0..extra {
            // SAFETY: the instruction's operands are consecutive registers of the running frame.
            operands.push(unsafe { std::ptr::replace(more.add(n), Value::UNDEF) });
        }
        crate::builtins::type_params::intrinsic(self, kind, operands)
    }

    /// Shows the value of an expression statement at the prompt.
    #[cold]
    fn display(&mut self, operands: Vec<Value>) -> R {
        let sys = self.import_module("sys")?;
        let name = crate::names::intern("displayhook").to_value();
        match self.get_attr_opt(&sys, &name)? {
            Some(hook) => self.call(&hook, &operands),
            None => Err(self.runtime_error("lost sys.displayhook")),
        }
    }

    /// `import a.b` as a statement, through `builtins.__import__`.
    #[inline(never)]
    pub(crate) fn import_statement(&mut self, name: &Value, level: &Value, fromlist: &Value) -> R {
        let import = match self.frame_builtin(&Names::get().__import__)? {
            Some(import) => Some(import),
            None => self.hidden_import(),
        };
        // Only the import that follows directly is the statement's.
        self.policy.by_library = self.asker() == Origin::Library;
        let Some(import) = import else {
            let args = Tuple::value(vec![Str::value("__import__ not found")]);
            return Err(self.raise_args(Exc::ImportError.class(), args));
        };
        let globals = self
            .frames
            .last()
            .map_or(Value::NONE, |f| f.function.globals.to_value());
        let locals = self.frame_namespace()?;
        let module = self.call_args(
            &import,
            Args::positional_only(&[
                name.clone(),
                globals,
                locals,
                fromlist.clone(),
                level.clone(),
            ]),
        );
        self.policy.by_library = false;
        module
    }
}

/// Whether it is an asynchronous generator, whose class has no subclasses.
fn is_async_generator(v: &Value) -> bool {
    v.as_ref::<Generator>()
        .is_some_and(|g| g.kind == GeneratorKind::AsyncGenerator)
}
