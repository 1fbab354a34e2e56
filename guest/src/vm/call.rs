//! Calls: from native code, and the general cases of the machine's `Call` instructions.

use super::args::{self, Args};
use super::dispatch::take;
use super::frame::{Frame, Mode};
use super::ops::class_of;
use super::{R, Vm};
use crate::heap::{Kind, Ref};
use crate::objects::code::Code;
use crate::objects::descriptors::Method;
use crate::objects::dict::Dict;
use crate::objects::function::Function;
use crate::objects::native::{Call, Def, MethodDescriptor, Native, Params};
use crate::objects::slot_wrappers::{self, SlotWrapper};
use crate::objects::string::Str;
use crate::objects::tuple::Tuple;
use crate::objects::types::Type;
use crate::value::Value;

impl Vm {
    /// `f(*args)`
    #[inline]
    pub fn call(&mut self, f: &Value, args: &[Value]) -> R {
        self.call_args(f, Args::positional_only(args))
    }

    /// Calls anything.
    #[inline(never)]
    pub fn call_args(&mut self, f: &Value, args: Args) -> R {
        let Some(header) = f.header() else {
            return Err(self.not_callable(f));
        };
        // SAFETY (each arm): the kind says what the payload is.
        match header.kind() {
            Kind::Function => self.call_function(unsafe { f.as_ref_unchecked::<Function>() }, args),
            Kind::Native => {
                let native = unsafe { f.as_ref_unchecked::<Native>() }.clone();
                self.call_native(&native, args)
            }
            Kind::Method => {
                let method = unsafe { f.as_ref_unchecked::<Method>() }.clone();
                if let Some(function) = method.function.as_ref::<Function>() {
                    return self.call_function_of(function, Some(&method.receiver), args);
                }
                let mut all = Vec::with_capacity(args.values().len() + 1);
                all.push(method.receiver.clone());
                all.extend_from_slice(args.values());
                self.call_args(&method.function, Args::new(&all, args.names()))
            }
            Kind::MethodDescriptor => {
                let d = unsafe { f.as_ref_unchecked::<MethodDescriptor>() }.clone();
                self.call_descriptor(&d, args)
            }
            Kind::SlotWrapper => {
                let w = unsafe { f.as_ref_unchecked::<SlotWrapper>() }.clone();
                slot_wrappers::call(self, &w, args)
            }
            _ => match class_of(f).slots().call {
                Some(slot) => self.recurse("", |vm| slot(vm, f, args)),
                None => Err(self.not_callable(f)),
            },
        }
    }

    #[cold]
    pub(crate) fn not_callable(&mut self, f: &Value) -> super::Raised {
        self.type_error(format!("'{}' object is not callable", class_of(f).name()))
    }

    /// Calls a native function object.
    pub fn call_native(&mut self, native: &Ref<Native>, args: Args) -> R {
        if native.bound.is_undef() {
            return self.call_def(native.def, native.params, args, 0, &native.module);
        }
        let mut all = Vec::with_capacity(args.values().len() + 1);
        all.push(native.bound.clone());
        all.extend_from_slice(args.values());
        self.call_def(
            native.def,
            native.params,
            Args::new(&all, args.names()),
            1,
            &Value::NONE,
        )
    }

    /// Calls a native method through its class; the receiver comes first.
    pub fn call_descriptor(&mut self, d: &Ref<MethodDescriptor>, args: Args) -> R {
        match args.positional().first() {
            Some(receiver) if self.is_instance_of(receiver, &d.owner) => {}
            Some(receiver) => {
                let text = format!(
                    "descriptor '{}' for '{}' objects doesn't apply to a '{}' object",
                    d.def.name,
                    d.owner.name(),
                    class_of(receiver).name()
                );
                return Err(self.type_error(text));
            }
            None => {
                return Err(self.type_error(format!(
                    "unbound method {}.{}() needs an argument",
                    d.owner.name(),
                    d.def.name
                )));
            }
        }
        self.call_def(d.def, d.params, args, 1, &Value::NONE)
    }

    /// Calls a native definition; `skip` says how many leading arguments are receivers.
    #[inline]
    pub(crate) fn call_def(
        &mut self,
        def: &'static Def,
        params: &'static Params,
        args: Args,
        skip: usize,
        module: &Value,
    ) -> R {
        match def.call {
            Call::Raw(f) => f(self, args),
            Call::Bound(f) => {
                let n = args.values().len();
                if args.names().is_empty()
                    && n >= params.min
                    && n <= params.positional
                    && params.required >> n == 0
                {
                    return f(self, args.values());
                }
                match args.fit(params) {
                    Some(bound) => f(self, &bound),
                    None => self.call_bound_slow(f, params, args, skip, def.name, module),
                }
            }
        }
    }

    #[cold]
    fn call_bound_slow(
        &mut self,
        f: fn(&mut Vm, &[Value]) -> R,
        params: &'static Params,
        args: Args,
        skip: usize,
        name: &str,
        module: &Value,
    ) -> R {
        let qualified = match (skip, args.positional().first()) {
            (1, Some(receiver)) => {
                let owner = receiver
                    .as_ref::<Type>()
                    .cloned()
                    .unwrap_or_else(|| class_of(receiver).clone());
                // Messages name the class that defines the method.
                let defining = self.defining_class(&owner, name);
                format!("{defining}.{name}")
            }
            // Functions of modules are named with their module, those of `builtins` without.
            _ => match module.as_ref::<crate::objects::string::Str>() {
                Some(m) if m.as_bytes() != b"builtins" => format!("{}.{name}", m.to_text()),
                // A static method knows its class.
                _ => match module.as_ref::<Type>() {
                    Some(class) => format!("{}.{name}", class.bare_name()),
                    None => name.to_owned(),
                },
            },
        };
        if args.names().is_empty() {
            let n = args.values().len();
            if n > params.positional {
                return Err(args::too_many(self, &qualified, params, n, n, skip));
            }
            if params.posonly == params.names.len() && n < params.min {
                return Err(args::too_few(self, &qualified, params, n, skip));
            }
        }
        let bare = if params.posonly == params.names.len() {
            &qualified
        } else {
            name
        };
        let bound = args.bind(self, bare, params, skip)?;
        f(self, &bound)
    }

    fn defining_class(&self, class: &Ref<Type>, name: &str) -> String {
        let name = crate::names::intern(name);
        self.type_lookup_where(class, &name).map_or_else(
            || class.bare_name().into_owned(),
            |(c, _)| c.bare_name().into_owned(),
        )
    }

    // ---- functions written in Python

    /// Calls a Python function from native code.
    pub fn call_function(&mut self, function: &Ref<Function>, args: Args) -> R {
        self.call_function_of(function, None, args)
    }

    /// The same with a receiver in front of the arguments.
    pub(crate) fn call_function_of(
        &mut self,
        function: &Ref<Function>,
        receiver: Option<&Value>,
        args: Args,
    ) -> R {
        let code = function.code.get(self).clone();
        let base = self.stack_top();
        let count = args.values().len() + usize::from(receiver.is_some());
        if !self
            .stack
            .prepare(base, count + code.proto.nregs as usize + 64)
        {
            return Err(self.too_deep(""));
        }
        for (i, v) in receiver.into_iter().chain(args.values()).enumerate() {
            // SAFETY: above every live register, inside the stack.
            unsafe { base.add(i).write(v.clone()) };
        }
        let names = args.names().to_vec();
        match self.enter(function.clone(), code, base, count, &names, Mode::Native, 0)? {
            Entered::Frame => self.run_nested(),
            Entered::Value(v) => Ok(v),
        }
    }

    /// Where the registers of a new frame may begin.
    pub(crate) fn stack_top(&self) -> *mut Value {
        self.frames.last().map_or(self.stack.start(), |f| f.top)
    }

    /// Runs the frame on top (whose mode is `Native`), one level deeper in native recursion.
    pub(crate) fn run_nested(&mut self) -> R {
        if self.native_depth >= super::MAX_NATIVE_DEPTH {
            let raised = self.too_deep("");
            self.pop_frame();
            return Err(raised);
        }
        self.native_depth += 1;
        let result = self.run();
        self.native_depth -= 1;
        result
    }

    /// Pushes the frame of a call, or makes the generator object of one. The `count` arguments at `base` (the last of them keywords with these names) are
    /// taken in any case.
    #[allow(clippy::too_many_arguments)] // one call is that many things
    #[inline(never)]
    pub(crate) fn enter(
        &mut self,
        function: Ref<Function>,
        code: Ref<Code>,
        base: *mut Value,
        count: usize,
        names: &[Value],
        mode: Mode,
        dst: u16,
    ) -> R<Entered> {
        let proto = code.proto.clone();
        let nregs = proto.nregs as usize;
        if self.frames.len() + self.native_depth >= self.recursion_limit
            || !self.stack.prepare(base, nregs.max(count) + 64)
        {
            drop_values(base, count);
            return Err(self.too_deep(""));
        }
        if !code.is_ready.get() {
            code.make_ready(self);
        }
        let is_bound = code.simple && names.is_empty() && count == proto.args as usize
            // SAFETY: the registers were prepared, and hold the arguments alone.
            || unsafe { self.bind_in_place(&function, &code, base, count, names) };
        if !is_bound {
            self.bind_arguments(&function, &code, base, count, names)?;
        }
        let flags = proto.flags;
        if flags.generator || flags.coroutine || flags.async_generator {
            // Only the parameters are bound.
            let bound = (code.param_count as usize).min(nregs);
            let mut registers = Vec::with_capacity(nregs);
            // SAFETY: the parameters were just initialised; they move into the generator, and the caller's window is left UNDEF.
            registers.extend((0..bound).map(|i| unsafe { take(base.add(i)) }));
            registers.resize_with(nregs, || Value::UNDEF);
            let registers = registers.into_boxed_slice();
            return Ok(Entered::Value(
                self.new_generator(function, &code, registers),
            ));
        }
        self.frames.push(Frame {
            function,
            base,
            // SAFETY: inside the stack, as checked above.
            top: unsafe { base.add(nregs) },
            pc: proto.instrs.as_ptr(),
            code,
            dst,
            mode,
            generator: None,
            aux: Value::UNDEF,
            object: None,
        });
        Ok(Entered::Frame)
    }

    /// Arranges arguments as the parameters want them: defaults, keywords, `*args`, `**kwargs`.
    fn bind_arguments(
        &mut self,
        function: &Ref<Function>,
        code: &Ref<Code>,
        base: *mut Value,
        count: usize,
        names: &[Value],
    ) -> R<()> {
        let proto = &code.proto;
        let positional = count - names.len();
        let mut given: Vec<Value> = (0..count)
            // SAFETY: `count` arguments lie at `base`; they move out, and the caller's window is left UNDEF.
            .map(|i| unsafe { std::ptr::replace(base.add(i), Value::UNDEF) })
            .collect();
        let keywords = given.split_off(positional);
        let args = proto.args as usize;
        let kwonly = proto.kwonly as usize;
        let total = code.param_count as usize;
        let mut params: Vec<Value> = Vec::with_capacity(total);
        let extra: Vec<Value> = if given.len() > args {
            given.split_off(args)
        } else {
            Vec::new()
        };
        params.append(&mut given);
        params.resize_with(args + kwonly, || Value::UNDEF);
        let too_many = !extra.is_empty() && !proto.flags.varargs;
        let mut star_kwargs = proto.flags.varkeywords.then(Dict::new);
        for (name, value) in names.iter().zip(keywords) {
            let Some(name) = name.as_ref::<Str>() else {
                return Err(self.type_error("keywords must be strings"));
            };
            let found = (proto.posonly as usize..args + kwonly)
                .find(|&i| code.varnames[i].same(name) || code.varnames[i].same_text(name));
            match found {
                Some(i) if params[i].is_undef() => params[i] = value,
                Some(_) => {
                    let text = format!(
                        "{}() got multiple values for argument '{}'",
                        function_qualname(self, function),
                        name.to_text()
                    );
                    return Err(self.type_error(text));
                }
                None => match &star_kwargs {
                    Some(d) => d.clone().set_str(self, name, value),
                    None => return Err(self.unexpected_keyword(function, code, names, name)),
                },
            }
        }
        if too_many {
            return Err(self.too_many_positional(function, code, positional, &params));
        }
        // Defaults.
        let state = function.state.get(self);
        if let Some(defaults) = state.defaults.as_ref::<Tuple>() {
            // There may be more of them than parameters (`__defaults__` was assigned): the last ones count.
            let last = params[..args].iter_mut().rev();
            for (param, d) in last.zip(defaults.items().iter().rev()) {
                if param.is_undef() {
                    *param = d.clone();
                }
            }
        }
        if kwonly > 0
            && let Some(kw) = state.kwdefaults.as_ref::<Dict>()
        {
            for (param, name) in params[args..].iter_mut().zip(&code.varnames[args..]) {
                if param.is_undef()
                    && let Some(v) = kw.get_str(self, name)
                {
                    *param = v.clone();
                }
            }
        }
        if params[..args].iter().any(Value::is_undef) {
            return Err(self.missing_arguments(function, code, &params[..args], 0, "positional"));
        }
        if params[args..].iter().any(Value::is_undef) {
            return Err(self.missing_arguments(
                function,
                code,
                &params[args..],
                args,
                "keyword-only",
            ));
        }
        if proto.flags.varargs {
            params.push(Tuple::value(extra));
        }
        if let Some(d) = star_kwargs.take() {
            params.push(Value::from_ref(d));
        }
        for (i, v) in params.into_iter().enumerate() {
            // SAFETY: the parameters are registers of the frame, for which there is room.
            unsafe { base.add(i).write(v) };
        }
        Ok(())
    }

    #[cold]
    fn unexpected_keyword(
        &mut self,
        function: &Ref<Function>,
        code: &Ref<Code>,
        names: &[Value],
        name: &Ref<Str>,
    ) -> super::Raised {
        let qualname = function_qualname(self, function);
        let posonly = &code.varnames[..code.proto.posonly as usize];
        let clash: Vec<String> = posonly
            .iter()
            .filter(|p| {
                names
                    .iter()
                    .any(|n| n.as_ref::<Str>().is_some_and(|n| n.same_text(p)))
            })
            .map(|p| p.to_text().into_owned())
            .collect();
        if !clash.is_empty() {
            return self.type_error(format!(
                "{qualname}() got some positional-only arguments passed as keyword arguments: '{}'",
                clash.join(", ")
            ));
        }
        let known: Vec<String> = code.varnames
            [code.proto.posonly as usize..(code.proto.args + code.proto.kwonly) as usize]
            .iter()
            .map(|n| n.to_text().into_owned())
            .collect();
        let hint =
            match crate::vm::unwind::closest(&name.to_text(), known.iter().map(String::as_str)) {
                Some(s) => format!(". Did you mean '{s}'?"),
                None => String::new(),
            };
        self.type_error(format!(
            "{qualname}() got an unexpected keyword argument '{}'{hint}",
            name.to_text()
        ))
    }

    #[cold]
    fn too_many_positional(
        &mut self,
        function: &Ref<Function>,
        code: &Ref<Code>,
        given: usize,
        params: &[Value],
    ) -> super::Raised {
        let qualname = function_qualname(self, function);
        let args = code.proto.args as usize;
        let defaults = function
            .state
            .get(self)
            .defaults
            .as_ref::<Tuple>()
            .map_or(0, |t| t.len());
        let takes = if defaults > 0 {
            format!(
                "from {} to {args} positional arguments",
                args.saturating_sub(defaults)
            )
        } else {
            format!(
                "{args} positional argument{}",
                if args == 1 { "" } else { "s" }
            )
        };
        let kwonly = params[args..].iter().filter(|v| !v.is_undef()).count();
        let were = if kwonly > 0 {
            format!(
                "{given} positional argument{} (and {kwonly} keyword-only argument{}) were given",
                if given == 1 { "" } else { "s" },
                if kwonly == 1 { "" } else { "s" }
            )
        } else if given == 1 {
            "1 was given".to_owned()
        } else {
            format!("{given} were given")
        };
        self.type_error(format!("{qualname}() takes {takes} but {were}"))
    }

    #[cold]
    fn missing_arguments(
        &mut self,
        function: &Ref<Function>,
        code: &Ref<Code>,
        params: &[Value],
        first: usize,
        kind: &str,
    ) -> super::Raised {
        let qualname = function_qualname(self, function);
        let names: Vec<String> = params
            .iter()
            .enumerate()
            .filter(|(_, v)| v.is_undef())
            .map(|(i, _)| format!("'{}'", code.varnames[first + i].to_text()))
            .collect();
        let list = match names.as_slice() {
            [one] => one.clone(),
            [a, b] => format!("{a} and {b}"),
            [rest @ .., last] => format!("{}, and {last}", rest.join(", ")),
            [] => String::new(),
        };
        let n = names.len();
        self.type_error(format!(
            "{qualname}() missing {n} required {kind} argument{}: {list}",
            if n == 1 { "" } else { "s" }
        ))
    }

    /// Runs a function body with a namespace mapping (class bodies, `exec`).
    pub fn run_with_namespace(&mut self, function: &Ref<Function>, namespace: Value) -> R {
        let code = function.code.get(self).clone();
        let base = self.stack_top();
        match self.enter(function.clone(), code, base, 0, &[], Mode::Native, 0)? {
            Entered::Frame => {
                if let Some(frame) = self.frames.last_mut() {
                    frame.aux = namespace;
                }
                self.run_nested()
            }
            Entered::Value(v) => Ok(v),
        }
    }

    /// A global of the function that is running.
    pub fn current_global(&self, name: &Str) -> Option<Value> {
        let frame = self.frames.last()?;
        frame.function.globals.get_str(self, name).cloned()
    }
}

/// What [`Vm::enter`] did.
pub(crate) enum Entered {
    /// A frame is on top.
    Frame,
    /// The call's result is this generator.
    Value(Value),
}

fn function_qualname(vm: &Vm, function: &Ref<Function>) -> String {
    function.state.get(vm).qualname.to_text().into_owned()
}

/// Drops `count` values at `base`.
pub(crate) fn drop_values(base: *mut Value, count: usize) {
    for i in 0..count {
        // SAFETY: the caller owns these registers.
        drop(unsafe { std::ptr::replace(base.add(i), Value::UNDEF) });
    }
}
