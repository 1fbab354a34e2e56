//! Generators and coroutines: how suspended frames are made and resumed.

use super::frame::{Frame, Mode};
use super::{R, Vm};
use crate::heap::{self, Ref};
use crate::names::Names;
use crate::objects::code::Code;
use crate::objects::exception::Exc;
use crate::objects::function::Function;
use crate::objects::generator::{Generator, GeneratorKind, GeneratorState, GeneratorStatus};
use crate::value::Value;
use coldframe_compiler::op::Op;

/// What resuming a generator from native code gave.
pub enum Resumed {
    /// It yielded this.
    Yielded(Value),
    /// It returned this.
    Returned(Value),
}

impl Vm {
    /// The generator object of a call.
    pub(crate) fn new_generator(
        &mut self,
        function: Ref<Function>,
        code: &Ref<Code>,
        registers: Box<[Value]>,
    ) -> Value {
        let flags = code.proto.flags;
        let kind = if flags.coroutine {
            GeneratorKind::Coroutine
        } else if flags.async_generator {
            GeneratorKind::AsyncGenerator
        } else {
            GeneratorKind::Generator
        };
        let state = function.state.get(self);
        let state = GeneratorState {
            status: GeneratorStatus::Created,
            pc: 0,
            registers,
            handled: Value::NONE,
            name: state.name.clone(),
            qualname: state.qualname.clone(),
            async_running: false,
            hooks_inited: false,
        };
        let payload = Generator {
            kind,
            function,
            state: heap::VmCell::new(state),
        };
        let class = crate::builtins::generators::class_for(kind);
        Value::from_ref(heap::alloc_instance(payload, class, 0))
    }

    /// Pushes the frame of a generator that is `Created` or `Suspended`, passing `sent` to the `yield` it waits at.
    pub(crate) fn push_generator(
        &mut self,
        generator: &Ref<Generator>,
        sent: Value,
        mode: Mode,
        dst: u16,
    ) -> R<()> {
        if self.frames.len() + self.native_depth >= self.recursion_limit {
            return Err(self.too_deep(""));
        }
        let code = generator.function.code.get(self).clone();
        let top = self.stack_top();
        let state = generator.state.get_mut(self);
        let base = state.registers.as_mut_ptr();
        let pc = code.proto.instrs.as_ptr().wrapping_add(state.pc as usize);
        let started = state.status == GeneratorStatus::Suspended;
        state.status = GeneratorStatus::Running;
        // The generator sees the exception it was handling itself, or else that of its caller.
        let inner = std::mem::replace(&mut state.handled, Value::NONE);
        let outer = if inner.is_none() {
            self.handled.clone()
        } else {
            std::mem::replace(&mut self.handled, inner)
        };
        generator.state.get_mut(self).handled = outer;
        let mut aux = Value::UNDEF;
        if started {
            let at = state_pc(self, generator);
            let instrs = &code.proto.instrs;
            if instrs[at as usize].op == Op::YieldFrom {
                // It is delegating: what is sent goes to the delegate, when the instruction runs again.
                aux = sent;
            } else {
                let a = instrs[at as usize - 1].a as usize;
                // SAFETY: the register is one of the generator's.
                drop(unsafe { std::ptr::replace(base.add(a), sent) });
            }
        }
        self.frames.push(Frame {
            function: generator.function.clone(),
            code,
            base,
            top,
            pc,
            dst,
            mode,
            generator: Some(generator.clone()),
            aux,
            object: None,
        });
        Ok(())
    }

    /// Suspends the generator on top: it will go on at instruction `pc`. Answers the frame's mode and destination.
    pub(crate) fn suspend(&mut self, pc: u32) -> Option<(Mode, u16)> {
        let frame = self.frames.pop()?;
        if let Some(object) = &frame.object {
            crate::builtins::frames::detach(self, object, &frame);
        }
        let generator = frame.generator.as_ref()?;
        let current = self.handled.clone();
        let state = generator.state.get_mut(self);
        state.pc = pc;
        state.status = GeneratorStatus::Suspended;
        let outer = std::mem::replace(&mut state.handled, Value::NONE);
        // What it is handling itself stays with it.
        if !current.is_same(&outer) {
            generator.state.get_mut(self).handled = current;
        }
        self.handled = outer;
        Some((frame.mode, frame.dst))
    }

    /// Resumes a generator from native code: `send(value)`.
    pub fn resume(&mut self, generator: &Ref<Generator>, sent: Value) -> R<Resumed> {
        match generator.state.get(self).status {
            GeneratorStatus::Running => return Err(self.already_running(generator)),
            GeneratorStatus::Finished => {
                if generator.kind == GeneratorKind::Coroutine {
                    return Err(self.runtime_error("cannot reuse already awaited coroutine"));
                }
                return Ok(Resumed::Returned(Value::NONE));
            }
            GeneratorStatus::Created if !sent.is_none() => {
                let what = kind_name(generator.kind);
                return Err(self.type_error(format!(
                    "can't send non-None value to a just-started {what}"
                )));
            }
            _ => {}
        }
        self.push_generator(generator, sent, Mode::Native, 0)?;
        self.finish_resume(generator)
    }

    /// Runs the generator frame on top for native code.
    fn finish_resume(&mut self, generator: &Ref<Generator>) -> R<Resumed> {
        let v = self.run_nested()?;
        Ok(
            if generator.state.get(self).status == GeneratorStatus::Suspended {
                Resumed::Yielded(v)
            } else {
                Resumed::Returned(v)
            },
        )
    }

    #[cold]
    fn already_running(&mut self, generator: &Ref<Generator>) -> super::Raised {
        self.value_error(format!("{} already executing", kind_name(generator.kind)))
    }

    /// Resumes a generator by raising the exception inside it: `throw(exception)`.
    pub fn throw_into(&mut self, generator: &Ref<Generator>, exception: Value) -> R<Resumed> {
        match generator.state.get(self).status {
            GeneratorStatus::Running => return Err(self.already_running(generator)),
            GeneratorStatus::Finished => {
                if generator.kind == GeneratorKind::Coroutine {
                    return Err(self.runtime_error("cannot reuse already awaited coroutine"));
                }
                return Err(self.reraise(exception));
            }
            GeneratorStatus::Created => {
                // It never ran: it is finished, and the exception appears at its first line.
                self.push_generator(generator, Value::NONE, Mode::Native, 0)?;
                let raised = self.reraise(exception);
                let floor = self.frames.len();
                return match self.unwind(raised, floor, false) {
                    super::unwind::Unwound::Out(raised) => Err(raised),
                    super::unwind::Unwound::Handler => self.finish_resume(generator),
                };
            }
            GeneratorStatus::Suspended => {}
        }
        let delegate = self.delegate_of(generator);
        if let Some((delegate, register)) = delegate {
            if let Some(result) = self.throw_into_delegate(generator, &delegate, &exception)? {
                return match result {
                    Ok(yielded) => Ok(Resumed::Yielded(yielded)),
                    Err(None) => {
                        // The delegate raised: the pending exception goes into this generator.
                        let pending = self.take_error();
                        self.clear_register(generator, register);
                        self.raise_inside(generator, pending, true)
                    }
                    Err(Some(returned)) => {
                        // The delegate finished: `yield from` has its value.
                        self.clear_register(generator, register);
                        self.continue_after_delegate(generator, returned)
                    }
                };
            }
            self.clear_register(generator, register);
        }
        self.raise_inside(generator, exception, false)
    }

    /// The iterator that a suspended generator delegates to, and its register.
    pub(crate) fn delegate_of(&self, generator: &Ref<Generator>) -> Option<(Value, u16)> {
        let state = generator.state.get(self);
        if state.status != GeneratorStatus::Suspended {
            return None;
        }
        let code = generator.function.code.get(self);
        let instr = code.proto.instrs.get(state.pc as usize)?;
        if instr.op != Op::YieldFrom {
            return None;
        }
        Some((state.registers.get(instr.b as usize)?.clone(), instr.b))
    }

    fn clear_register(&mut self, generator: &Ref<Generator>, register: u16) {
        let state = generator.state.get_mut(self);
        let old = state.registers.get_mut(register as usize).map(Value::take);
        drop(old);
    }

    /// `throw` into the delegate: `Ok(yielded)`, `Err(Some(returned))` when it finished, `Err(None)` when it raised (pending). `None` when the exception is to be
    /// raised in the delegating generator itself.
    fn throw_into_delegate(
        &mut self,
        generator: &Ref<Generator>,
        delegate: &Value,
        exception: &Value,
    ) -> R<Option<Result<Value, Option<Value>>>> {
        let n = Names::get();
        let closing = self.is_instance_of(exception, Exc::GeneratorExit.class());
        generator.state.get_mut(self).status = GeneratorStatus::Running;
        // What the generator was handling is what is being handled while its delegate runs.
        let inner = generator.state.get(self).handled.clone();
        let outer = (!inner.is_none()).then(|| std::mem::replace(&mut self.handled, inner));
        let result = (|| -> R<Option<Result<Value, Option<Value>>>> {
            if let Some(inner) = delegate
                .as_ref::<Generator>()
                .cloned()
                .filter(|g| g.kind != GeneratorKind::AsyncGenerator)
            {
                if closing {
                    return match self.close_generator(&inner) {
                        Ok(()) => Ok(None),
                        Err(_) => Ok(Some(Err(None))),
                    };
                }
                return Ok(Some(match self.throw_into(&inner, exception.clone()) {
                    Ok(Resumed::Yielded(v)) => Ok(v),
                    Ok(Resumed::Returned(v)) => Err(Some(v)),
                    Err(_) if self.error_is(Exc::StopIteration) => Err(Some(self.stop_value())),
                    Err(_) => Err(None),
                }));
            }
            if closing {
                if let Some(close) = self.get_attr_opt(delegate, &n.close.to_value())?
                    && self.call(&close, &[]).is_err()
                {
                    return Ok(Some(Err(None)));
                }
                return Ok(None);
            }
            let Some(throw) = self.get_attr_opt(delegate, &n.throw.to_value())? else {
                return Ok(None);
            };
            Ok(Some(
                match self.call(&throw, std::slice::from_ref(exception)) {
                    Ok(v) => Ok(v),
                    Err(_) if self.error_is(Exc::StopIteration) => Err(Some(self.stop_value())),
                    Err(_) => Err(None),
                },
            ))
        })();
        if let Some(outer) = outer {
            self.handled = outer;
        }
        generator.state.get_mut(self).status = GeneratorStatus::Suspended;
        result
    }

    /// Takes the pending `StopIteration` and gives its value.
    pub(crate) fn stop_value(&mut self) -> Value {
        let e = self.take_error();
        e.as_ref::<crate::objects::exception::Exception>()
            .and_then(|e| e.state.get(self).fields.first().cloned())
            .unwrap_or(Value::NONE)
    }

    fn raise_inside(
        &mut self,
        generator: &Ref<Generator>,
        exception: Value,
        again: bool,
    ) -> R<Resumed> {
        // A generator that is delegating waits at its `YieldFrom`; the exception belongs to that instruction.
        let at_delegation = self.delegate_instr(generator);
        // The context of what is thrown in is what the generator itself was handling, never what the caller handles.
        let again = again || generator.state.get(self).handled.is_none();
        self.push_generator(generator, Value::NONE, Mode::Native, 0)?;
        if at_delegation && let Some(frame) = self.frames.last_mut() {
            frame.pc = frame.pc.wrapping_add(1);
            frame.aux = Value::UNDEF;
        }
        let raised = if again {
            self.reraise(exception)
        } else {
            self.raise_value(exception)
        };
        let floor = self.frames.len();
        match self.unwind(raised, floor, false) {
            super::unwind::Unwound::Out(raised) => Err(raised),
            super::unwind::Unwound::Handler => self.finish_resume(generator),
        }
    }

    fn delegate_instr(&self, generator: &Ref<Generator>) -> bool {
        let state = generator.state.get(self);
        let code = generator.function.code.get(self);
        state.status == GeneratorStatus::Suspended
            && code
                .proto
                .instrs
                .get(state.pc as usize)
                .is_some_and(|i| i.op == Op::YieldFrom)
    }

    fn continue_after_delegate(&mut self, generator: &Ref<Generator>, value: Value) -> R<Resumed> {
        self.push_generator(generator, Value::NONE, Mode::Native, 0)?;
        if let Some(frame) = self.frames.last_mut() {
            // SAFETY: the saved pc is at the `YieldFrom` instruction, inside the code; its register is one of the frame's.
            unsafe {
                let a = (*frame.pc).a as usize;
                drop(std::ptr::replace(frame.base.add(a), value));
            }
            frame.pc = frame.pc.wrapping_add(1);
            frame.aux = Value::UNDEF;
        }
        self.finish_resume(generator)
    }

    /// `close()`: raises `GeneratorExit` inside; the generator must finish.
    pub fn close_generator(&mut self, generator: &Ref<Generator>) -> R<()> {
        match generator.state.get(self).status {
            GeneratorStatus::Created => {
                let state = generator.state.get_mut(self);
                state.status = GeneratorStatus::Finished;
                let registers = std::mem::take(&mut state.registers);
                drop(registers);
                return Ok(());
            }
            GeneratorStatus::Finished => return Ok(()),
            _ => {}
        }
        let exit = crate::objects::exception::Exception::new(
            Exc::GeneratorExit.class(),
            crate::objects::tuple::Tuple::empty(),
        );
        match self.throw_into(generator, Value::from_ref(exit)) {
            Ok(Resumed::Yielded(_)) => Err(self.runtime_error(format!(
                "{} ignored GeneratorExit",
                kind_name(generator.kind)
            ))),
            Ok(Resumed::Returned(_)) => Ok(()),
            Err(raised) if self.error_is(Exc::GeneratorExit) => {
                self.swallow(raised, Exc::GeneratorExit)
            }
            Err(raised) => self.swallow(raised, Exc::StopIteration),
        }
    }
}

fn state_pc(vm: &Vm, generator: &Ref<Generator>) -> u32 {
    generator.state.get(vm).pc
}

/// How messages call it.
pub fn kind_name(kind: GeneratorKind) -> &'static str {
    match kind {
        GeneratorKind::Generator => "generator",
        GeneratorKind::Coroutine => "coroutine",
        GeneratorKind::AsyncGenerator => "async generator",
    }
}
