//! Functions, methods, code objects and cells: their Python side.

use crate::heap::{self, Payload, Ref, VmCell};
use crate::names::{self, Names};
use crate::objects::code::Code;
use crate::objects::descriptors::{ClassMethod, Method, StaticMethod};
use crate::objects::dict::Dict;
use crate::objects::exception::Exc;
use crate::objects::function::{Cell, Function, FunctionState};
use crate::objects::native::{Def, GetSet, MethodDescriptor, Native};
use crate::objects::slot_docs;
use crate::objects::slot_wrappers::SlotWrapper;
use crate::objects::slots::{CmpOp, Slots};
use crate::objects::string::Str;
use crate::objects::tuple::Tuple;
use crate::objects::types::{ClassBuilder, Type};
use crate::value::Value;
use crate::vm::args::Args;
use crate::vm::ops::class_of;
use crate::vm::{R, Vm};

/// Makes the classes that class dictionaries consist of, in raw form.
pub(crate) fn declare(_: &mut Vm) {
    ClassBuilder::declare::<Native>("builtin_function_or_method");
    ClassBuilder::declare::<MethodDescriptor>("method_descriptor");
    ClassBuilder::declare::<SlotWrapper>("wrapper_descriptor");
    ClassBuilder::declare::<GetSet>("getset_descriptor");
    ClassBuilder::declare::<ClassMethod>("classmethod");
    ClassBuilder::declare::<StaticMethod>("staticmethod");
}

/// Builds the classes of callables.
pub(crate) fn init(vm: &mut Vm) {
    let function = ClassBuilder::new::<Function>("function")
        .weak()
        .slots(Slots {
            repr: Some(function_repr),
            call: Some(|vm, f, args| vm.call_args(f, args)),
            descr_get: Some(bind_function),
            new: Some(function_new),
            ..Slots::NONE
        });
    let function = function
        .getset(
            vm,
            "__name__",
            |vm, f| Ok(state(vm, f).name.to_value()),
            Some(set_name),
        )
        .getset(
            vm,
            "__qualname__",
            |vm, f| Ok(state(vm, f).qualname.to_value()),
            Some(set_qualname),
        )
        .getset(
            vm,
            "__doc__",
            |vm, f| Ok(state(vm, f).doc.clone()),
            Some(|vm, f, v| put(vm, f, v, |s| &mut s.doc)),
        )
        .getset(
            vm,
            "__module__",
            |vm, f| Ok(state(vm, f).module.clone()),
            Some(|vm, f, v| put(vm, f, v, |s| &mut s.module)),
        )
        .getset(
            vm,
            "__defaults__",
            |vm, f| Ok(state(vm, f).defaults.clone()),
            Some(set_defaults),
        )
        .getset(
            vm,
            "__kwdefaults__",
            |vm, f| Ok(state(vm, f).kwdefaults.clone()),
            Some(set_kwdefaults),
        )
        .getset(
            vm,
            "__code__",
            |vm, f| Ok(this(f).code.get(vm).to_value()),
            Some(set_code),
        )
        .getset(
            vm,
            "__globals__",
            |vm, f| {
                let globals = this(f).globals.clone();
                vm.check_namespace(&globals)?;
                Ok(globals.to_value())
            },
            None,
        )
        .getset(
            vm,
            "__builtins__",
            |vm, f| {
                let builtins = this(f).builtins.clone();
                vm.check_namespace(&builtins)?;
                Ok(builtins.to_value())
            },
            None,
        )
        .getset(vm, "__closure__", get_closure, None)
        .getset(vm, "__dict__", get_dict, Some(set_dict))
        .getset(
            vm,
            "__annotations__",
            get_annotations,
            Some(set_annotations),
        )
        .getset(
            vm,
            "__annotate__",
            |vm, f| Ok(state(vm, f).annotate.clone()),
            Some(set_annotate),
        )
        .getset(
            vm,
            "__type_params__",
            |vm, f| Ok(state(vm, f).type_params.clone()),
            Some(|vm, f, v| put(vm, f, v, |s| &mut s.type_params)),
        );
    function.build(vm);

    let method = ClassBuilder::new::<Method>("method").weak().slots(Slots {
        repr: Some(method_repr),
        hash: Some(method_hash),
        call: Some(|vm, f, args| vm.call_args(f, args)),
        compare: Some(method_compare),
        getattr: Some(method_getattr),
        descr_get: Some(|_, m, _, _| Ok(m.clone())),
        new: Some(method_new),
        ..Slots::NONE
    });
    let method = method
        .getset(vm, "__func__", |_, m| Ok(bound(m).function.clone()), None)
        .getset(vm, "__self__", |_, m| Ok(bound(m).receiver.clone()), None)
        .getset(
            vm,
            "__doc__",
            |vm, m| vm.get_attr(&bound(m).function.clone(), &Names::get().__doc__.to_value()),
            None,
        )
        .methods(vm, METHOD_METHODS);
    method.build(vm);

    let native = ClassBuilder::new::<Native>("builtin_function_or_method")
        .weak()
        .slots(Slots {
            repr: Some(native_repr),
            hash: Some(native_hash),
            call: Some(|vm, f, args| vm.call_args(f, args)),
            compare: Some(native_compare),
            ..Slots::NONE
        });
    let native = native
        .getset(
            vm,
            "__name__",
            |_, f| Ok(Str::value(native_of(f).def.name)),
            None,
        )
        .getset(vm, "__qualname__", native_qualname, None)
        .getset(
            vm,
            "__module__",
            |_, f| {
                let module = &native_of(f).module;
                Ok(if module.is::<Type>() {
                    Value::NONE
                } else {
                    module.clone()
                })
            },
            None,
        )
        .getset(vm, "__self__", native_self, None)
        .getset(
            vm,
            "__doc__",
            |_, f| {
                let f = native_of(f);
                let module = f.module.as_ref::<Str>();
                let of_builtins = module.is_some_and(|m| m.as_bytes() == b"builtins");
                let text = of_builtins.then(|| super::docs::of(f.def.name)).flatten();
                Ok(text.map_or(Value::NONE, Str::value))
            },
            None,
        )
        .getset(
            vm,
            "__text_signature__",
            |_, f| {
                Ok(Str::value(&text_signature(
                    native_of(f).def,
                    !native_of(f).bound.is_undef(),
                )))
            },
            None,
        )
        .methods(vm, NATIVE_METHODS);
    native.build(vm);

    let descriptor = ClassBuilder::new::<MethodDescriptor>("method_descriptor").slots(Slots {
        repr: Some(|vm, d| {
            let d = descriptor_of(d);
            let _ = vm;
            Ok(Str::value(&format!(
                "<method '{}' of '{}' objects>",
                d.def.name,
                d.owner.name()
            )))
        }),
        call: Some(|vm, f, args| vm.call_args(f, args)),
        descr_get: Some(|vm, d, instance, owner| {
            let me = descriptor_of(d);
            match instance {
                Some(v) if vm.is_instance_of(v, &me.owner) => {
                    Ok(Native::bound(me.def, me.params, v.clone()))
                }
                Some(v) => {
                    let text = format!(
                        "descriptor '{}' for '{}' objects doesn't apply to a '{}' object",
                        me.def.name,
                        me.owner.name(),
                        class_of(v).name()
                    );
                    Err(vm.type_error(text))
                }
                None => {
                    let _ = owner;
                    Ok(d.clone())
                }
            }
        }),
        ..Slots::NONE
    });
    let descriptor = descriptor
        .getset(
            vm,
            "__name__",
            |_, d| Ok(Str::value(descriptor_of(d).def.name)),
            None,
        )
        .getset(
            vm,
            "__qualname__",
            |_, d| {
                Ok(Str::value(&format!(
                    "{}.{}",
                    descriptor_of(d).owner.name(),
                    descriptor_of(d).def.name
                )))
            },
            None,
        )
        .getset(
            vm,
            "__objclass__",
            |_, d| Ok(descriptor_of(d).owner.to_value()),
            None,
        )
        .getset(vm, "__doc__", |_, _| Ok(Value::NONE), None)
        .getset(
            vm,
            "__text_signature__",
            |_, d| Ok(Str::value(&text_signature(descriptor_of(d).def, false))),
            None,
        );
    descriptor.methods(vm, DESCRIPTOR_METHODS).build(vm);

    let wrapper = ClassBuilder::new::<SlotWrapper>("wrapper_descriptor").slots(Slots {
        repr: Some(|_, w| {
            let w = wrapper_of(w);
            Ok(Str::value(&format!(
                "<slot wrapper '{}' of '{}' objects>",
                w.name.to_text(),
                w.owner.name()
            )))
        }),
        call: Some(|vm, f, args| vm.call_args(f, args)),
        descr_get: Some(|vm, w, instance, _| match instance {
            Some(v) => Ok(bind_wrapper(vm, w, v)),
            None => Ok(w.clone()),
        }),
        ..Slots::NONE
    });
    let wrapper = wrapper
        .getset(
            vm,
            "__name__",
            |_, w| Ok(wrapper_of(w).name.to_value()),
            None,
        )
        .getset(
            vm,
            "__qualname__",
            |_, w| {
                Ok(Str::value(&format!(
                    "{}.{}",
                    wrapper_of(w).owner.name(),
                    wrapper_of(w).name.to_text()
                )))
            },
            None,
        )
        .getset(
            vm,
            "__objclass__",
            |_, w| Ok(wrapper_of(w).owner.to_value()),
            None,
        )
        .getset(
            vm,
            "__doc__",
            |_, w| Ok(Str::value(&slot_docs::of(wrapper_of(w).what))),
            None,
        );
    wrapper.methods(vm, WRAPPER_METHODS).build(vm);

    let bound_wrapper = ClassBuilder::new::<MethodWrapper>("method-wrapper").slots(Slots {
        repr: Some(|vm, w| {
            let m = method_wrapper(w);
            let text = format!(
                "<method-wrapper '{}' of {} object at {:#x}>",
                m.wrapper.name.to_text(),
                vm.class_name(&m.receiver),
                m.receiver.bits()
            );
            Ok(Str::value(&text))
        }),
        call: Some(|vm, w, args| {
            let m = method_wrapper(w);
            let wrapper = m.wrapper.clone();
            let mut all = vec![m.receiver.clone()];
            all.extend_from_slice(args.values());
            crate::objects::slot_wrappers::call(vm, &wrapper, Args::new(&all, args.names()))
        }),
        compare: Some(|_, a, b, op| {
            let (Some(x), Some(y)) = (a.as_ref::<MethodWrapper>(), b.as_ref::<MethodWrapper>())
            else {
                return Ok(Value::NOT_IMPLEMENTED);
            };
            let same = x.wrapper.same(&y.wrapper) && x.receiver.is_same(&y.receiver);
            Ok(match op {
                CmpOp::Eq => Value::bool(same),
                CmpOp::Ne => Value::bool(!same),
                _ => Value::NOT_IMPLEMENTED,
            })
        }),
        hash: Some(|vm, w| {
            let m = method_wrapper(w).receiver.clone();
            crate::builtins::functions::identity_hash(vm, &m)
        }),
        ..Slots::NONE
    });
    let bound_wrapper = bound_wrapper
        .getset(
            vm,
            "__name__",
            |_, w| Ok(method_wrapper(w).wrapper.name.to_value()),
            None,
        )
        .getset(
            vm,
            "__self__",
            |_, w| Ok(method_wrapper(w).receiver.clone()),
            None,
        )
        .getset(
            vm,
            "__objclass__",
            |_, w| Ok(method_wrapper(w).wrapper.owner.to_value()),
            None,
        )
        .getset(
            vm,
            "__doc__",
            |_, w| Ok(Str::value(&slot_docs::of(method_wrapper(w).wrapper.what))),
            None,
        )
        .getset(
            vm,
            "__qualname__",
            |_, w| {
                let m = method_wrapper(w);
                Ok(Str::value(&format!(
                    "{}.{}",
                    m.wrapper.owner.name(),
                    m.wrapper.name.to_text()
                )))
            },
            None,
        );
    bound_wrapper.methods(vm, BOUND_WRAPPER_METHODS).build(vm);

    let getset = ClassBuilder::new::<GetSet>("getset_descriptor").slots(Slots {
        repr: Some(|_, g| {
            let g = getset_of(g);
            Ok(Str::value(&format!(
                "<attribute '{}' of '{}' objects>",
                g.name.to_text(),
                g.owner.name()
            )))
        }),
        descr_get: Some(|vm, g, instance, _| match instance {
            Some(v) => {
                let (get, owner) = (getset_of(g).get, getset_of(g).owner.clone());
                if !vm.is_instance_of(v, &owner) {
                    let text = format!(
                        "descriptor '{}' for '{}' objects doesn't apply to a '{}' object",
                        getset_of(g).name.to_text(),
                        owner.name(),
                        class_of(v).name()
                    );
                    return Err(vm.type_error(text));
                }
                get(vm, v)
            }
            None => Ok(g.clone()),
        }),
        descr_set: Some(|vm, g, instance, value| {
            let me = getset_of(g);
            if !vm.is_instance_of(instance, &me.owner) {
                let text = format!(
                    "descriptor '{}' for '{}' objects doesn't apply to a '{}' object",
                    me.name.to_text(),
                    me.owner.name(),
                    class_of(instance).name()
                );
                return Err(vm.type_error(text));
            }
            match me.set {
                Some(set) => set(vm, instance, value),
                None => {
                    let text = if is_plain_member(me) {
                        "readonly attribute".to_owned()
                    } else {
                        format!(
                            "attribute '{}' of '{}' objects is not writable",
                            me.name.to_text(),
                            me.owner.name()
                        )
                    };
                    let name = me.name.to_value();
                    Err(vm.attribute_error(instance, &name, &text))
                }
            }
        }),
        ..Slots::NONE
    });
    let getset = getset
        .getset(
            vm,
            "__name__",
            |_, g| Ok(getset_of(g).name.to_value()),
            None,
        )
        .getset(
            vm,
            "__qualname__",
            |_, g| {
                Ok(Str::value(&format!(
                    "{}.{}",
                    getset_of(g).owner.name(),
                    getset_of(g).name.to_text()
                )))
            },
            None,
        )
        .getset(
            vm,
            "__objclass__",
            |_, g| Ok(getset_of(g).owner.to_value()),
            None,
        )
        .getset(
            vm,
            "__doc__",
            |_, g| {
                Ok(match getset_of(g).name.as_bytes() {
                    b"__dict__" => Str::value("dictionary for instance variables"),
                    b"__weakref__" => Str::value("list of weak references to the object"),
                    _ => Value::NONE,
                })
            },
            None,
        );
    getset.build(vm);

    let cell = ClassBuilder::new::<Cell>("cell").slots(Slots {
        repr: Some(cell_repr),
        new: Some(|vm, _, args| {
            let items = args.exactly(vm, "cell", 0, 1)?;
            Ok(Value::from_ref(Cell::new(
                items.first().cloned().unwrap_or(Value::UNDEF),
            )))
        }),
        ..Slots::NONE
    });
    cell.getset(vm, "cell_contents", cell_contents, Some(set_cell_contents))
        .build(vm);
}

// ---- functions

fn this(v: &Value) -> &Ref<Function> {
    match v.as_ref::<Function>() {
        Some(f) => f,
        None => unreachable!("the descriptor has checked the receiver"),
    }
}

fn state<'a>(vm: &'a Vm, v: &'a Value) -> &'a FunctionState {
    this(v).state.get(vm)
}

fn put(
    vm: &mut Vm,
    f: &Value,
    value: Option<&Value>,
    field: fn(&mut FunctionState) -> &mut Value,
) -> R<()> {
    let new = value.cloned().unwrap_or(Value::NONE);
    let old = std::mem::replace(field(this(f).state.get_mut(vm)), new);
    drop(old);
    Ok(())
}

/// A function object.
#[allow(clippy::too_many_arguments)] // a function is that many things
pub(crate) fn new_function(
    vm: &mut Vm,
    code: &Ref<Code>,
    globals: Ref<Dict>,
    builtins: Ref<Dict>,
    closure: Vec<Ref<Cell>>,
    defaults: Value,
    kwdefaults: Value,
    annotate: Value,
) -> Value {
    let module = globals
        .get_str(vm, &Names::get().__name__)
        .cloned()
        .unwrap_or(Value::NONE);
    let doc = if code.proto.flags.has_docstring {
        code.consts.first().cloned().unwrap_or(Value::NONE)
    } else {
        Value::NONE
    };
    let state = FunctionState {
        name: code.name.clone(),
        qualname: code.qualname.clone(),
        doc,
        module,
        defaults,
        kwdefaults,
        annotate,
        annotations: Value::UNDEF,
        type_params: Tuple::empty(),
        dict: None,
    };
    Value::from_ref(heap::alloc(Function {
        code: VmCell::new(code.clone()),
        globals,
        builtins,
        closure,
        state: VmCell::new(state),
    }))
}

fn function_repr(vm: &mut Vm, f: &Value) -> R {
    let qualname = state(vm, f).qualname.to_text().into_owned();
    Ok(Str::value(&format!(
        "<function {qualname} at {:#x}>",
        f.bits()
    )))
}

fn bind_function(_: &mut Vm, f: &Value, instance: Option<&Value>, _: &Value) -> R {
    Ok(match instance {
        Some(v) => Method::value(f.clone(), v.clone()),
        None => f.clone(),
    })
}

/// `types.FunctionType(code, globals, name=None, argdefs=None, closure=None, kwdefaults=None)`
fn function_new(vm: &mut Vm, _: &Ref<Type>, args: Args) -> R {
    let params =
        crate::params!("(code, globals, name=None, argdefs=None, closure=None, kwdefaults=None)");
    let bound = args.bind(vm, "function", params, 0)?;
    let opt = |i: usize| crate::vm::args::optional(&bound, i).filter(|v| !v.is_none());
    let Some(code) = bound[0].as_ref::<Code>().cloned() else {
        return Err(vm.type_error(format!(
            "function() argument 'code' must be code, not {}",
            class_of(&bound[0]).name()
        )));
    };
    let Some(globals) = bound[1].as_ref::<Dict>().cloned() else {
        return Err(vm.type_error(format!(
            "function() argument 'globals' must be dict, not {}",
            class_of(&bound[1]).name()
        )));
    };
    let mut closure = Vec::new();
    if let Some(c) = opt(4) {
        let Some(t) = c.as_ref::<Tuple>() else {
            return Err(vm.type_error("arg 5 (closure) must be tuple"));
        };
        for cell in t.items() {
            match cell.as_ref::<Cell>() {
                Some(c) => closure.push(c.clone()),
                None => {
                    return Err(vm.type_error(format!(
                        "arg 5 (closure) expected cell, found {}",
                        class_of(cell).name()
                    )));
                }
            }
        }
    }
    if closure.len() != code.freevars.len() {
        let text = if code.freevars.is_empty() {
            "arg 5 (closure) must be None".to_owned()
        } else {
            format!(
                "{} requires closure of length {}, not {}",
                code.name.to_text(),
                code.freevars.len(),
                closure.len()
            )
        };
        return Err(vm.type_error(text));
    }
    let code = vm.own_code(&code);
    vm.check_place(&code, &globals)?;
    let builtins = match vm.builtins_instead(vm.asker(), None) {
        Some(fewer) => fewer
            .as_ref::<crate::objects::module::Module>()
            .map_or_else(|| vm.builtins.clone(), |m| m.dict.clone()),
        None => vm.builtins.clone(),
    };
    let (defaults, kwdefaults) = (
        opt(3).cloned().unwrap_or(Value::NONE),
        opt(5).cloned().unwrap_or(Value::NONE),
    );
    let f = new_function(
        vm,
        &code,
        globals,
        builtins,
        closure,
        defaults,
        kwdefaults,
        Value::NONE,
    );
    if let Some(name) = opt(2).and_then(|n| n.as_ref::<Str>().cloned()) {
        this(&f).state.get_mut(vm).name = name;
    }
    Ok(f)
}

fn text_of(vm: &mut Vm, value: Option<&Value>, attribute: &str) -> R<Ref<Str>> {
    match value.and_then(|v| v.as_ref::<Str>()) {
        Some(s) => Ok(s.clone()),
        None => Err(vm.type_error(format!("{attribute} must be set to a string object"))),
    }
}

fn set_name(vm: &mut Vm, f: &Value, value: Option<&Value>) -> R<()> {
    let s = text_of(vm, value, "__name__")?;
    this(f).state.get_mut(vm).name = s;
    Ok(())
}

fn set_qualname(vm: &mut Vm, f: &Value, value: Option<&Value>) -> R<()> {
    let s = text_of(vm, value, "__qualname__")?;
    this(f).state.get_mut(vm).qualname = s;
    Ok(())
}

fn set_defaults(vm: &mut Vm, f: &Value, value: Option<&Value>) -> R<()> {
    if value.is_some_and(|v| !v.is_none() && !v.is::<Tuple>()) {
        return Err(vm.type_error("__defaults__ must be set to a tuple object"));
    }
    put(vm, f, value, |s| &mut s.defaults)
}

fn set_kwdefaults(vm: &mut Vm, f: &Value, value: Option<&Value>) -> R<()> {
    if value.is_some_and(|v| !v.is_none() && !v.is::<Dict>()) {
        return Err(vm.type_error("__kwdefaults__ must be set to a dict object"));
    }
    put(vm, f, value, |s| &mut s.kwdefaults)
}

fn set_code(vm: &mut Vm, f: &Value, value: Option<&Value>) -> R<()> {
    let Some(code) = value.and_then(|v| v.as_ref::<Code>()).cloned() else {
        return Err(vm.type_error("__code__ must be set to a code object"));
    };
    let me = this(f);
    if code.freevars.len() != me.closure.len() {
        let text = format!(
            "{}() requires a code object with {} free vars, not {}",
            me.state.get(vm).name.to_text(),
            me.closure.len(),
            code.freevars.len()
        );
        return Err(vm.value_error(text));
    }
    let code = vm.own_code(&code);
    vm.check_place(&code, &me.globals)?;
    drop(me.code.replace(vm, code));
    Ok(())
}

fn get_closure(_: &mut Vm, f: &Value) -> R {
    let closure = &this(f).closure;
    Ok(if closure.is_empty() {
        Value::NONE
    } else {
        Tuple::value(closure.iter().map(Ref::to_value).collect())
    })
}

fn get_dict(vm: &mut Vm, f: &Value) -> R {
    if let Some(d) = &state(vm, f).dict {
        return Ok(d.to_value());
    }
    let d = Dict::new();
    this(f).state.get_mut(vm).dict = Some(d.clone());
    Ok(Value::from_ref(d))
}

fn set_dict(vm: &mut Vm, f: &Value, value: Option<&Value>) -> R<()> {
    match value.and_then(|v| v.as_ref::<Dict>()).cloned() {
        Some(d) => {
            let old = this(f).state.get_mut(vm).dict.replace(d);
            drop(old);
            Ok(())
        }
        None => Err(vm.type_error("__dict__ must be set to a dictionary")),
    }
}

// ---- annotations (PEP 649)

fn get_annotations(vm: &mut Vm, f: &Value) -> R {
    let s = state(vm, f);
    if !s.annotations.is_undef() && !s.annotations.is_none() {
        return Ok(s.annotations.clone());
    }
    let annotate = s.annotate.clone();
    let annotations = evaluate_annotations(vm, &annotate)?;
    this(f).state.get_mut(vm).annotations = annotations.clone();
    Ok(annotations)
}

fn evaluate_annotations(vm: &mut Vm, annotate: &Value) -> R {
    if annotate.is_none() || annotate.is_undef() {
        return Ok(Value::from_ref(Dict::new()));
    }
    let result = vm.call(annotate, &[Value::small_int(1)])?;
    if result.is::<Dict>() {
        return Ok(result);
    }
    Err(vm.type_error(format!(
        "__annotate__ returned non-dict of type '{}'",
        class_of(&result).name()
    )))
}

fn set_annotations(vm: &mut Vm, f: &Value, value: Option<&Value>) -> R<()> {
    if value.is_some_and(|v| !v.is_none() && !v.is::<Dict>()) {
        return Err(vm.type_error("__annotations__ must be set to a dict object"));
    }
    put(vm, f, value, |s| &mut s.annotations)?;
    put(vm, f, None, |s| &mut s.annotate)
}

fn set_annotate(vm: &mut Vm, f: &Value, value: Option<&Value>) -> R<()> {
    let Some(value) = value else {
        return Err(vm.type_error("__annotate__ cannot be deleted"));
    };
    if !value.is_none() && class_of(value).slots().call.is_none() {
        return Err(vm.type_error("__annotate__ must be callable or None"));
    }
    put(vm, f, Some(value), |s| &mut s.annotate)?;
    if !value.is_none() {
        this(f).state.get_mut(vm).annotations = Value::UNDEF;
    }
    Ok(())
}

/// `class.__annotations__`
pub(crate) fn class_annotations(vm: &mut Vm, v: &Value) -> R {
    let Some(t) = v.as_ref::<Type>().cloned() else {
        return Ok(Value::NONE);
    };
    let n = Names::get();
    let cached = names::intern("__annotations_cache__");
    for key in [&n.__annotations__, &cached] {
        // `type` itself has the descriptor of this attribute there.
        if let Some(a) = t
            .dict
            .get_str(vm, key)
            .filter(|a| !a.is::<GetSet>())
            .cloned()
        {
            return vm.bind(&a, None, &t);
        }
    }
    if t.is_static() {
        return Err(vm.no_attribute(v, &n.__annotations__.to_value()));
    }
    let annotate = class_annotate(vm, v)?;
    let annotations = evaluate_annotations(vm, &annotate)?;
    t.dict.set_str(vm, &cached, annotations.clone());
    t.invalidate();
    Ok(annotations)
}

pub(crate) fn set_class_annotations(vm: &mut Vm, v: &Value, value: Option<&Value>) -> R<()> {
    let Some(t) = v.as_ref::<Type>().cloned() else {
        return Ok(());
    };
    if t.is_static() {
        return Err(vm.type_error(format!(
            "cannot set '__annotations__' attribute of immutable type '{}'",
            t.name()
        )));
    }
    let n = Names::get();
    let cached = names::intern("__annotations_cache__");
    t.invalidate();
    drop(t.dict.remove_str(vm, &cached));
    match value {
        Some(value) => t.dict.set_str(vm, &n.__annotations__, value.clone()),
        None => {
            if t.dict.remove_str(vm, &n.__annotations__).is_none() {
                return Err(vm.no_attribute(v, &n.__annotations__.to_value()));
            }
        }
    }
    let annotate = names::intern("__annotate_func__");
    t.dict.set_str(vm, &annotate, Value::NONE);
    Ok(())
}

/// `class.__annotate__`
pub(crate) fn class_annotate(vm: &mut Vm, v: &Value) -> R {
    let Some(t) = v.as_ref::<Type>().cloned() else {
        return Ok(Value::NONE);
    };
    for key in ["__annotate_func__", "__annotate__"] {
        let key = names::intern(key);
        if let Some(f) = t
            .dict
            .get_str(vm, &key)
            .filter(|f| !f.is::<GetSet>())
            .cloned()
        {
            return vm.bind(&f, None, &t);
        }
    }
    Ok(Value::NONE)
}

pub(crate) fn set_class_annotate(vm: &mut Vm, v: &Value, value: Option<&Value>) -> R<()> {
    let Some(t) = v.as_ref::<Type>().cloned() else {
        return Ok(());
    };
    let Some(value) = value else {
        return Err(vm.type_error("cannot delete __annotate__ attribute"));
    };
    let key = names::intern("__annotate_func__");
    t.invalidate();
    t.dict.set_str(vm, &key, value.clone());
    let cached = names::intern("__annotations_cache__");
    drop(t.dict.remove_str(vm, &cached));
    Ok(())
}

// ---- methods

fn bound(v: &Value) -> &Ref<Method> {
    match v.as_ref::<Method>() {
        Some(m) => m,
        None => unreachable!("the descriptor has checked the receiver"),
    }
}

static METHOD_METHODS: &[Def] = &[Def::method("__reduce__", "(self, /)", |vm, args| {
    let m = bound(&args[0]).clone();
    let name = vm.get_attr(&m.function, &Names::get().__name__.to_value())?;
    Ok(reduced_to_getattr(vm, m.receiver.clone(), name))
})];

fn method_repr(vm: &mut Vm, v: &Value) -> R {
    let m = bound(v).clone();
    let name = match vm.get_attr_opt(&m.function, &Names::get().__qualname__.to_value())? {
        Some(n) => n,
        None => vm
            .get_attr_opt(&m.function, &Names::get().__name__.to_value())?
            .unwrap_or(Value::NONE),
    };
    let name = name
        .as_ref::<Str>()
        .map_or("?".into(), |s| s.to_text().into_owned());
    let receiver = vm.repr(&m.receiver)?;
    Ok(Str::value(&format!(
        "<bound method {name} of {}>",
        receiver.to_text()
    )))
}

/// The hash of an object's address.
pub(crate) fn identity_hash(_: &mut Vm, v: &Value) -> R<i64> {
    Ok(coldframe_numeric::hash::hash_identity(v.bits()))
}

fn method_hash(vm: &mut Vm, v: &Value) -> R<i64> {
    let m = bound(v).clone();
    let a = identity_hash(vm, &m.receiver)?;
    let b = vm.hash(&m.function)?;
    Ok(match a ^ b {
        -1 => -2,
        h => h,
    })
}

fn method_compare(vm: &mut Vm, a: &Value, b: &Value, op: CmpOp) -> R {
    let (Some(x), Some(y)) = (a.as_ref::<Method>().cloned(), b.as_ref::<Method>().cloned()) else {
        return Ok(Value::NOT_IMPLEMENTED);
    };
    let same = x.receiver.is_same(&y.receiver) && vm.eq(&x.function, &y.function)?;
    Ok(match op {
        CmpOp::Eq => Value::bool(same),
        CmpOp::Ne => Value::bool(!same),
        _ => Value::NOT_IMPLEMENTED,
    })
}

/// Attributes of a method are its own, then those of its function.
fn method_getattr(vm: &mut Vm, v: &Value, name: &Value) -> R {
    let class = class_of(v).clone();
    let Some(text) = name.as_ref::<Str>() else {
        return vm.generic_get_attr(v, name);
    };
    match vm.type_lookup(&class, text) {
        Some(d) => vm.bind(&d, Some(v), &class),
        None => {
            let function = bound(v).function.clone();
            vm.get_attr(&function, name)
        }
    }
}

fn method_new(vm: &mut Vm, _: &Ref<Type>, args: Args) -> R {
    let items = args.exactly(vm, "method", 2, 2)?;
    if class_of(&items[0]).slots().call.is_none() {
        return Err(vm.type_error("first argument must be callable"));
    }
    if items[1].is_none() {
        return Err(vm.type_error("instance must not be None"));
    }
    Ok(Method::value(items[0].clone(), items[1].clone()))
}

// ---- native functions

fn native_of(v: &Value) -> &Ref<Native> {
    match v.as_ref::<Native>() {
        Some(f) => f,
        None => unreachable!("the descriptor has checked the receiver"),
    }
}

fn descriptor_of(v: &Value) -> &Ref<MethodDescriptor> {
    match v.as_ref::<MethodDescriptor>() {
        Some(f) => f,
        None => unreachable!("the descriptor has checked the receiver"),
    }
}

fn wrapper_of(v: &Value) -> &Ref<SlotWrapper> {
    match v.as_ref::<SlotWrapper>() {
        Some(f) => f,
        None => unreachable!("the descriptor has checked the receiver"),
    }
}

/// Whether CPython keeps the attribute in a field of the C structure: it words the refusal to write it differently.
fn is_plain_member(g: &GetSet) -> bool {
    let name = g.name.to_text();
    match &*g.owner.bare_name() {
        "property" => matches!(&*name, "fget" | "fset" | "fdel"),
        "slice" | "range" => matches!(&*name, "start" | "stop" | "step"),
        "complex" => matches!(&*name, "real" | "imag"),
        "method" => matches!(&*name, "__func__" | "__self__"),
        "function" => matches!(&*name, "__closure__" | "__globals__" | "__builtins__"),
        "staticmethod" | "classmethod" => matches!(&*name, "__func__" | "__wrapped__"),
        "super" => matches!(&*name, "__thisclass__" | "__self__" | "__self_class__"),
        "partial" => matches!(&*name, "func" | "args" | "keywords"),
        "BaseExceptionGroup" => matches!(&*name, "message" | "exceptions"),
        "code" => name.starts_with("co_"),
        "type" => matches!(
            &*name,
            "__base__"
                | "__mro__"
                | "__basicsize__"
                | "__itemsize__"
                | "__flags__"
                | "__dictoffset__"
                | "__weakrefoffset__"
        ),
        _ => false,
    }
}

fn getset_of(v: &Value) -> &Ref<GetSet> {
    match v.as_ref::<GetSet>() {
        Some(f) => f,
        None => unreachable!("the descriptor has checked the receiver"),
    }
}

static NATIVE_METHODS: &[Def] = &[Def::method("__reduce__", "(self, /)", |vm, args| {
    let f = native_of(&args[0]).clone();
    let name = Str::value(f.def.name);
    if !f.bound.is_undef() {
        return Ok(reduced_to_getattr(vm, f.bound.clone(), name));
    }
    Ok(if f.module.is::<Type>() {
        reduced_to_getattr(vm, f.module.clone(), name)
    } else {
        name
    })
})];

/// What methods are pickled as: the attribute of an object.
fn reduced_to_getattr(vm: &mut Vm, of: Value, name: Value) -> Value {
    let getattr = vm
        .builtins
        .get_str(vm, &names::intern("getattr"))
        .cloned()
        .unwrap_or(Value::NONE);
    Tuple::value(vec![getattr, Tuple::value(vec![of, name])])
}

static DESCRIPTOR_METHODS: &[Def] = &[Def::method("__reduce__", "(self, /)", |vm, args| {
    let d = descriptor_of(&args[0]);
    let (owner, name) = (d.owner.to_value(), Str::value(d.def.name));
    Ok(reduced_to_getattr(vm, owner, name))
})];

static WRAPPER_METHODS: &[Def] = &[Def::method("__reduce__", "(self, /)", |vm, args| {
    let w = wrapper_of(&args[0]);
    let (owner, name) = (w.owner.to_value(), w.name.to_value());
    Ok(reduced_to_getattr(vm, owner, name))
})];

static BOUND_WRAPPER_METHODS: &[Def] = &[Def::method("__reduce__", "(self, /)", |vm, args| {
    let m = method_wrapper(&args[0]);
    let (receiver, name) = (m.receiver.clone(), m.wrapper.name.to_value());
    Ok(reduced_to_getattr(vm, receiver, name))
})];

fn native_repr(vm: &mut Vm, v: &Value) -> R {
    let f = native_of(v).clone();
    if f.bound.is_undef() {
        return Ok(Str::value(&format!("<built-in function {}>", f.def.name)));
    }
    let class = vm.class_name(&f.bound);
    Ok(Str::value(&format!(
        "<built-in method {} of {class} object at {:#x}>",
        f.def.name,
        f.bound.bits()
    )))
}

fn native_qualname(vm: &mut Vm, v: &Value) -> R {
    let f = native_of(v).clone();
    let of = if f.bound.is_undef() {
        f.module.as_ref::<Type>()
    } else {
        f.bound.as_ref::<Type>()
    };
    if f.bound.is_undef() && of.is_none() {
        return Ok(Str::value(f.def.name));
    }
    let class = match of {
        Some(t) => t.name().into_owned(),
        None => vm.class_name(&f.bound),
    };
    Ok(Str::value(&format!("{class}.{}", f.def.name)))
}

fn native_self(vm: &mut Vm, v: &Value) -> R {
    let f = native_of(v).clone();
    if !f.bound.is_undef() {
        return Ok(f.bound.clone());
    }
    // A function of a module is bound to its module.
    match f.module.as_ref::<Str>() {
        Some(name) => {
            let modules = vm.modules.clone();
            Ok(modules.get_str(vm, name).cloned().unwrap_or(Value::NONE))
        }
        None => Ok(Value::NONE),
    }
}

fn native_hash(_: &mut Vm, v: &Value) -> R<i64> {
    let f = native_of(v);
    let a = f.def as *const Def as u64;
    let b = if f.bound.is_undef() {
        0
    } else {
        f.bound.bits()
    };
    Ok(coldframe_numeric::hash::hash_identity(a ^ b.rotate_left(7)))
}

fn native_compare(_: &mut Vm, a: &Value, b: &Value, op: CmpOp) -> R {
    let (Some(x), Some(y)) = (a.as_ref::<Native>(), b.as_ref::<Native>()) else {
        return Ok(Value::NOT_IMPLEMENTED);
    };
    let same = std::ptr::eq(x.def, y.def) && x.bound.is_same(&y.bound);
    Ok(match op {
        CmpOp::Eq => Value::bool(same),
        CmpOp::Ne => Value::bool(!same),
        _ => Value::NOT_IMPLEMENTED,
    })
}

/// `__text_signature__`: the signature with `$self`, or without it when bound.
fn text_signature(def: &Def, bound: bool) -> String {
    let s = def
        .signature
        .replace("(self, /, ", "($self, /, ")
        .replace("(self, /)", "($self, /)")
        .replace("(self, ", "($self, ");
    let s = s
        .replace("(cls, /, ", "($type, /, ")
        .replace("(cls, ", "($type, ");
    // A bound method shows no receiver.
    if bound {
        s.replace("($self, /, ", "(")
            .replace("($self, ", "(")
            .replace("($type, /, ", "(")
            .replace("($type, ", "(")
            .replace("($self, /)", "()")
    } else {
        s
    }
}

/// Payload of `method-wrapper`: a slot wrapper bound to an instance.
pub struct MethodWrapper {
    wrapper: Ref<SlotWrapper>,
    receiver: Value,
}

// SAFETY: visits both.
unsafe impl Payload for MethodWrapper {
    crate::class_slot!();
    fn traverse(&self, visit: &mut dyn FnMut(&Value)) {
        self.wrapper.with_value(&mut *visit);
        visit(&self.receiver);
    }
}

fn method_wrapper(v: &Value) -> &Ref<MethodWrapper> {
    match v.as_ref::<MethodWrapper>() {
        Some(f) => f,
        None => unreachable!("the descriptor has checked the receiver"),
    }
}

fn bind_wrapper(_: &mut Vm, w: &Value, receiver: &Value) -> Value {
    Value::from_ref(heap::alloc(MethodWrapper {
        wrapper: wrapper_of(w).clone(),
        receiver: receiver.clone(),
    }))
}

// ---- cells

fn cell_of(v: &Value) -> &Ref<Cell> {
    match v.as_ref::<Cell>() {
        Some(c) => c,
        None => unreachable!("the descriptor has checked the receiver"),
    }
}

fn cell_repr(vm: &mut Vm, v: &Value) -> R {
    let contents = cell_of(v).contents.get(vm).clone();
    let what = if contents.is_undef() {
        "empty".to_owned()
    } else {
        format!(
            "{} object at {:#x}",
            vm.class_name(&contents),
            contents.bits()
        )
    };
    Ok(Str::value(&format!("<cell at {:#x}: {what}>", v.bits())))
}

fn cell_contents(vm: &mut Vm, v: &Value) -> R {
    let contents = cell_of(v).contents.get(vm).clone();
    if contents.is_undef() {
        Err(vm.raise(Exc::ValueError, "cell is empty"))
    } else {
        Ok(contents)
    }
}

fn set_cell_contents(vm: &mut Vm, v: &Value, value: Option<&Value>) -> R<()> {
    let new = value.cloned().unwrap_or(Value::UNDEF);
    let old = cell_of(v).contents.replace(vm, new);
    drop(old);
    Ok(())
}
