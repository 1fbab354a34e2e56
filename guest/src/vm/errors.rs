//! Raising exceptions from Rust code.

use super::Vm;
use crate::heap::Ref;
use crate::objects::exception::{Exc, Exception};
use crate::objects::string::Str;
use crate::objects::tuple::Tuple;
use crate::objects::types::Type;
use crate::value::Value;

/// An exception is pending in the machine ([`Vm::take_error`]). Only the functions of this module make one.
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct Raised(());

/// Why a program is stopped in a way that it cannot catch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// The wall-clock limit has passed.
    Time,
    /// The fuel limit has been used up.
    Fuel,
    /// The caller cancelled the run.
    Cancelled,
    /// The output limit has been reached.
    Output,
    /// A `while` statement has gone round too often.
    Iterations,
    /// The memory limit has been reached, and the program would not take a `MemoryError` for an answer.
    Memory,
}

macro_rules! shorthands {
    ($($name:ident $class:ident,)*) => {
        impl Vm {
            $(
                #[doc = concat!("Raises `", stringify!($class), "`.")]
                #[cold]
                pub fn $name(&mut self, message: impl AsRef<str>) -> Raised {
                    self.raise(Exc::$class, message)
                }
            )*
        }
    };
}

shorthands! {
    type_error TypeError,
    value_error ValueError,
    index_error IndexError,
    overflow_error OverflowError,
    zero_division_error ZeroDivisionError,
    runtime_error RuntimeError,
    not_implemented_error NotImplementedError,
    recursion_error RecursionError,
    system_error SystemError,
    assertion_error AssertionError,
    lookup_error LookupError,
    buffer_error BufferError,
    reference_error ReferenceError,
    eof_error EOFError,
}

impl Vm {
    /// Raises an exception with one argument, its message.
    #[cold]
    pub fn raise(&mut self, class: Exc, message: impl AsRef<str>) -> Raised {
        let args = Tuple::value(vec![Str::value(message.as_ref())]);
        self.raise_args(class.class(), args)
    }

    /// Raises an exception of `class` with these arguments (a tuple), without calling `__init__`.
    #[cold]
    pub fn raise_args(&mut self, class: &Ref<Type>, args: Value) -> Raised {
        let exception = Value::from_ref(Exception::new(class, args));
        self.raise_value(exception)
    }

    /// Raises an exception object. `__context__` becomes the exception that is being handled.
    #[cold]
    pub fn raise_value(&mut self, exception: Value) -> Raised {
        self.link_context(&exception);
        self.pending = Some(exception);
        Raised(())
    }

    /// Raises an exception object as it is (to pass on what was caught).
    #[cold]
    #[inline(never)]
    pub fn reraise(&mut self, exception: Value) -> Raised {
        self.pending = Some(exception);
        Raised(())
    }

    /// Sets `__context__` of an exception about to be raised, avoiding cycles.
    fn link_context(&mut self, exception: &Value) {
        if !self.handled.is_ref() || self.handled.is_same(exception) {
            return;
        }
        let handled = self.handled.clone();
        // Cut the chain where it would come back to the new exception.
        let mut at = handled.clone();
        for _ in 0..10_000 {
            let Some(e) = at.as_ref::<Exception>() else {
                break;
            };
            let Some(next) = e.state.get(self).context.clone() else {
                break;
            };
            if next.is_same(exception) {
                e.state.get_mut(self).context = None;
                break;
            }
            at = next;
        }
        if let Some(e) = exception.as_ref::<Exception>() {
            let old = e.state.get_mut(self).context.replace(handled);
            drop(old);
        }
    }

    /// `UnicodeEncodeError` when a string has lone surrogates, so that no UTF-8 text can be made of it.
    pub fn check_encodable(&mut self, text: &Str) -> super::R<()> {
        if text.as_str().is_some() {
            return Ok(());
        }
        let lone = |c: &u32| (0xD800..0xE000).contains(c);
        let start = text.chars().position(|c| lone(&c)).unwrap_or(0);
        let run = text.chars().skip(start).take_while(lone).count();
        let fields = vec![
            Str::value("utf-8"),
            Value::from_ref(Str::from_wtf8(text.as_bytes())),
            Value::int(start as i64),
            Value::int((start + run) as i64),
            Str::value("surrogates not allowed"),
        ];
        let class = Exc::UnicodeEncodeError.class().to_value();
        let e = self.call(&class, &fields)?;
        Err(self.raise_value(e))
    }

    /// Issues a warning through `warnings`: an error when the program has asked for one.
    #[cold]
    pub fn warn(&mut self, category: Exc, message: &str) -> super::R<()> {
        if !crate::modules::exists("warnings") {
            return Ok(());
        }
        let module = self.import_module("warnings")?;
        let warn = self.get_attr(&module, &Str::value("warn"))?;
        self.call(&warn, &[Str::value(message), category.class().to_value()])?;
        Ok(())
    }

    /// Raises `KeyError(key)`.
    #[cold]
    #[inline(never)]
    pub fn key_error(&mut self, key: &Value) -> Raised {
        let args = Tuple::value(vec![key.clone()]);
        self.raise_args(Exc::KeyError.class(), args)
    }

    /// Raises `StopIteration`, with a value unless it is `None`.
    #[cold]
    pub fn stop_iteration(&mut self, value: Value) -> Raised {
        let args = if value.is_none() {
            Tuple::empty()
        } else {
            Tuple::value(vec![value.clone()])
        };
        let e = Exception::new(Exc::StopIteration.class(), args);
        e.state.get_mut(self).fields = vec![value];
        self.raise_value(Value::from_ref(e))
    }

    /// Raises `MemoryError`.
    #[cold]
    #[inline(never)]
    pub fn memory_error(&mut self) -> Raised {
        self.raise_args(Exc::MemoryError.class(), Tuple::empty())
    }

    /// Raises `AttributeError: 'C' object has no attribute 'name'` with `name` and `obj` set.
    #[cold]
    pub fn no_attribute(&mut self, object: &Value, name: &Value) -> Raised {
        let text = name
            .as_ref::<Str>()
            .map(|s| s.to_text().into_owned())
            .unwrap_or_default();
        let message = if let Some(class) = object.as_ref::<Type>() {
            format!("type object '{}' has no attribute '{text}'", class.name())
        } else if let Some(module) = object.as_ref::<crate::objects::module::Module>() {
            let module_name = module
                .dict
                .get_str(self, &crate::names::Names::get().__name__)
                .and_then(|v| v.as_ref::<Str>())
                .map(|name| name.to_text().into_owned());
            match (module_name, self.loading_from(object)) {
                (Some(module), Some(from)) => format!(
                    "partially initialized module '{module}'{from} has no attribute '{text}' (most likely due to a circular import)"
                ),
                (Some(module), None) => format!("module '{module}' has no attribute '{text}'"),
                (None, _) => format!("module has no attribute '{text}'"),
            }
        } else {
            format!(
                "'{}' object has no attribute '{text}'",
                self.class_of(object).name()
            )
        };
        self.attribute_error(object, name, &message)
    }

    /// Where a module comes from that is being imported just now (` from 'FILE'`, or nothing if no file is known); `None` for one that is complete.
    pub(crate) fn loading_from(&mut self, module: &Value) -> Option<String> {
        let module = module.as_ref::<crate::objects::module::Module>()?;
        let n = crate::names::Names::get();
        let spec = module.dict.get_str(self, &n.__spec__)?.clone();
        let pending = self.pending.take();
        let mut ask = |name: &str| match self.get_attr_opt(&spec, &Str::value(name)) {
            Ok(value) => value,
            Err(_) => {
                drop(self.take_error());
                None
            }
        };
        let is_loading = ask("_initializing").is_some_and(|v| v.as_bool() == Some(true));
        let origin = ask("origin").filter(|_| is_loading);
        self.pending = pending;
        is_loading.then(|| match origin.as_ref().and_then(|o| o.as_ref::<Str>()) {
            Some(file) => format!(" from '{}'", file.to_text()),
            None => String::new(),
        })
    }

    /// Raises `AttributeError` with a message, and `name` and `obj` set.
    #[cold]
    pub fn attribute_error(&mut self, object: &Value, name: &Value, message: &str) -> Raised {
        let e = Exception::new(
            Exc::AttributeError.class(),
            Tuple::value(vec![Str::value(message)]),
        );
        e.state.get_mut(self).fields = vec![name.clone(), object.clone()];
        self.raise_value(Value::from_ref(e))
    }

    /// Raises `NameError` (or `UnboundLocalError`) with `name` set.
    #[cold]
    #[inline(never)]
    pub fn name_error(&mut self, class: Exc, name: &Ref<Str>, message: String) -> Raised {
        let e = Exception::new(class.class(), Tuple::value(vec![Str::value(&message)]));
        e.state.get_mut(self).fields = vec![name.to_value()];
        self.raise_value(Value::from_ref(e))
    }

    /// Stops the program in a way that it cannot catch.
    #[cold]
    pub fn stop_program(&mut self, why: Stop) -> Raised {
        if self.stopped.is_none() {
            self.note_stop();
        }
        self.stopped = Some(why);
        self.pending = Some(Value::NONE);
        Raised(())
    }

    /// What a thread leaves by that waits outside the stacks ([`super::threads`]): nothing is pending, and no handler sees it.
    #[cold]
    pub(super) fn raised_nothing(&mut self) -> Raised {
        Raised(())
    }

    /// Takes the pending exception. After [`Vm::stop_program`] it is `None` (Python's), and the caller must pass the error on.
    pub fn take_error(&mut self) -> Value {
        self.pending.take().unwrap_or(Value::NONE)
    }

    /// Whether the pending exception is an instance of `class`. Never true when the program is being stopped.
    pub fn error_is(&self, class: Exc) -> bool {
        self.stopped.is_none()
            && self
                .pending
                .as_ref()
                .and_then(Value::header)
                .is_some_and(|h| h.class().is_subclass_of(class.class()))
    }

    /// Drops the pending exception if it is an instance of `class`; otherwise passes it on.
    #[inline(never)]
    pub fn swallow(&mut self, raised: Raised, class: Exc) -> Result<(), Raised> {
        if self.error_is(class) {
            drop(self.pending.take());
            Ok(())
        } else {
            Err(raised)
        }
    }

    /// Drops whatever is pending unless the program is being stopped, or gives its final answer.
    pub fn swallow_any(&mut self, raised: Raised) -> Result<(), Raised> {
        if self.stopped.is_some() || self.final_answer_is_pending() {
            return Err(raised);
        }
        drop(self.pending.take());
        Ok(())
    }
}
