//! Generators and coroutines: how suspended frames are made and resumed.

use super::frame::{Frame, Mode};
use super::{R, Vm};
use crate::heap::{self, Ref};
use crate::names::Names;
use crate::objects::code::Code;
use crate::objects::exception::Exc;
use crate::objects::function::Function;
use crate::objects::generator::{Generator, GeneratorKind, GeneratorState, GeneratorStatus};
use crate::objects::tuple::Tuple;
use crate::value::Value;
use coldframe_compiler::op::Op;

/// What resuming a generator from native code gave.
pub enum Resumed {
    /// It yielded this.
    Yielded(Value),
    /// It returned this.
    Returned(Value),
}

/// What throwing into a delegate gave.
enum Thrown {
    /// It went on and yielded this.
    Yielded(Value),
    /// It finished, with this.
    Returned(Value),
    /// Nothing: the exception is to be raised in the delegating generator.
    Not,
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
        let origin = if kind == GeneratorKind::Coroutine && self.threads.origin_depth > 0 {
            self.origin(self.threads.origin_depth)
        } else {
            Value::NONE
        };
        let state = function.state.get(self);
        let state = GeneratorState {
            status: GeneratorStatus::Created,
            pc: 0,
            registers,
            handles: false,
            handled: Value::NONE,
            name: state.name.clone(),
            qualname: state.qualname.clone(),
            async_running: false,
            async_closed: false,
            origin_or_finalizer: origin,
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

    /// Where a coroutine is made, as `cr_origin` has it: file, line and function of the nearest frames.
    #[cold]
    fn origin(&self, depth: usize) -> Value {
        let frames = self.frames.iter().rev().take(depth);
        let entries = frames.map(|f| {
            let line = Value::int(i64::from(f.code.line_at(f.instr())));
            Tuple::value(vec![
                f.code.source.file.to_value(),
                line,
                f.code.name.to_value(),
            ])
        });
        Tuple::value(entries.collect())
    }

    /// Pushes the frame of a generator that is `Created` or `Suspended`, passing `sent` to the `yield` it waits at.
    #[inline(never)]
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
        let at = state.pc;
        state.status = GeneratorStatus::Running;
        // The generator sees the exception it was handling itself, or else that of its caller.
        let (handled, handles) = (!state.handled.is_none(), state.handles);
        if handled || handles || !self.handled.is_none() {
            self.exchange_handled(generator, handles);
        }
        let mut aux = Value::UNDEF;
        if started {
            let instrs = &code.proto.instrs;
            if instrs[at as usize].op == Op::YieldFrom {
                // It is delegating: what is sent goes to the delegate, when the instruction runs again.
                aux = sent;
            } else if !sent.is_undef() {
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

    /// Remembers what the caller of a generator handles, and lets the generator see what it handles itself, if it does.
    #[inline(never)]
    fn exchange_handled(&mut self, generator: &Ref<Generator>, handles: bool) {
        let inner = std::mem::replace(&mut generator.state.get_mut(self).handled, Value::NONE);
        let outer = if handles {
            std::mem::replace(&mut self.handled, inner)
        } else {
            self.handled.clone()
        };
        generator.state.get_mut(self).handled = outer;
    }

    /// Suspends the generator on top: it will go on at instruction `pc`. Answers the frame's mode and destination.
    #[inline(never)]
    pub(crate) fn suspend(&mut self, pc: u32) -> Option<(Mode, u16)> {
        let frame = self.frames.pop()?;
        if let Some(object) = &frame.object {
            crate::builtins::frames::detach(self, object, &frame, false);
        }
        let generator = frame.generator.as_ref()?;
        let state = generator.state.get_mut(self);
        state.pc = pc;
        state.status = GeneratorStatus::Suspended;
        let (handled, handles) = (!state.handled.is_none(), state.handles);
        if handled || handles || !self.handled.is_none() {
            let outer = std::mem::replace(&mut generator.state.get_mut(self).handled, Value::NONE);
            let current = std::mem::replace(&mut self.handled, outer);
            // What it is handling itself stays with it.
            if handles {
                generator.state.get_mut(self).handled = current;
            }
        }
        Some((frame.mode, frame.dst))
    }

    /// Resumes a generator from native code: `send(value)`.
    pub fn resume(&mut self, generator: &Ref<Generator>, sent: Value) -> R<Resumed> {
        self.resume_as(generator, sent, Mode::Native)
    }

    /// Resumes a generator from native code; `mode` is `Native` or `Feed`.
    pub(super) fn resume_as(
        &mut self,
        generator: &Ref<Generator>,
        sent: Value,
        mode: Mode,
    ) -> R<Resumed> {
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
        self.push_generator(generator, sent, mode, 0)?;
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
        let closing = self.is_instance_of(&exception, Exc::GeneratorExit.class());
        self.throw(generator, exception, closing)
    }

    /// Like `throw_into`, but what the generator awaits gets a `GeneratorExit` thrown in too, instead of being closed.
    pub(crate) fn throw_into_delegate_too(
        &mut self,
        generator: &Ref<Generator>,
        exception: Value,
    ) -> R<Resumed> {
        self.throw(generator, exception, false)
    }

    fn throw(&mut self, generator: &Ref<Generator>, exception: Value, closing: bool) -> R<Resumed> {
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
                self.unwind_unstarted();
                return Err(raised);
            }
            GeneratorStatus::Suspended => {}
        }
        let delegate = self.delegate_of(generator);
        let at = state_pc(self, generator);
        // Nothing is sent: the variable that `yield` would be assigned to keeps its value.
        self.push_generator(generator, Value::UNDEF, Mode::Native, 0)?;
        let Some((delegate, register)) = delegate else {
            return self.raise_inside(generator, exception);
        };
        // The exception, and every line number, belong to the instruction that delegates.
        if let Some(frame) = self.frames.last_mut() {
            frame.pc = frame.pc.wrapping_add(1);
            frame.aux = Value::UNDEF;
        }
        let floor = self.frames.len();
        let result = self.recurse("", |vm| {
            vm.throw_into_delegate(&delegate, &exception, closing)
        });
        debug_assert_eq!(floor, self.frames.len());
        let thrown = match result {
            Ok(Thrown::Yielded(value)) => {
                self.suspend(at);
                return Ok(Resumed::Yielded(value));
            }
            Ok(Thrown::Returned(value)) => {
                self.clear_delegate(register);
                return self.continue_after_delegate(generator, value);
            }
            // To `yield from` a `StopIteration` is a result, even if it comes from outside.
            Ok(Thrown::Not) if self.is_instance_of(&exception, Exc::StopIteration.class()) => {
                self.pending = Some(exception);
                let value = self.stop_value();
                self.clear_delegate(register);
                return self.continue_after_delegate(generator, value);
            }
            Ok(Thrown::Not) => exception,
            Err(raised) if self.stopped.is_some() => {
                self.pop_frame();
                return Err(raised);
            }
            Err(_) => self.take_error(),
        };
        self.clear_delegate(register);
        self.raise_inside(generator, thrown)
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

    /// Forgets what the frame on top delegated to.
    fn clear_delegate(&mut self, register: u16) {
        if let Some(frame) = self.frames.last_mut() {
            // SAFETY: the register is one of the frame's.
            drop(unsafe { std::ptr::replace(frame.base.add(register as usize), Value::UNDEF) });
        }
    }

    /// `throw` into what the generator on top delegates to; an error is what that raised.
    fn throw_into_delegate(
        &mut self,
        delegate: &Value,
        exception: &Value,
        closing: bool,
    ) -> R<Thrown> {
        let n = Names::get();
        if let Some(inner) = delegate
            .as_ref::<Generator>()
            .cloned()
            .filter(|g| g.kind != GeneratorKind::AsyncGenerator)
        {
            if closing {
                return self.close_generator(&inner).map(|()| Thrown::Not);
            }
            return match self.throw(&inner, exception.clone(), closing) {
                Ok(Resumed::Yielded(v)) => Ok(Thrown::Yielded(v)),
                Ok(Resumed::Returned(v)) => Ok(Thrown::Returned(v)),
                Err(_) if self.error_is(Exc::StopIteration) => {
                    Ok(Thrown::Returned(self.stop_value()))
                }
                Err(raised) => Err(raised),
            };
        }
        if closing {
            if let Some(close) = self.get_attr_opt(delegate, &n.close.to_value())? {
                self.call(&close, &[])?;
            }
            return Ok(Thrown::Not);
        }
        let Some(throw) = self.get_attr_opt(delegate, &n.throw.to_value())? else {
            return Ok(Thrown::Not);
        };
        match self.call(&throw, std::slice::from_ref(exception)) {
            Ok(v) => Ok(Thrown::Yielded(v)),
            Err(_) if self.error_is(Exc::StopIteration) => Ok(Thrown::Returned(self.stop_value())),
            Err(raised) => Err(raised),
        }
    }

    /// Takes the pending `StopIteration` and gives its value.
    pub(crate) fn stop_value(&mut self) -> Value {
        let e = self.take_error();
        e.as_ref::<crate::objects::exception::Exception>()
            .and_then(|e| e.state.get(self).fields.first().cloned())
            .unwrap_or(Value::NONE)
    }

    /// Raises an exception in the generator whose frame is on top. Its context becomes what the generator handles itself, never what the caller handles.
    fn raise_inside(&mut self, generator: &Ref<Generator>, exception: Value) -> R<Resumed> {
        let raised = if generator.state.get(self).handles {
            self.raise_value(exception)
        } else {
            self.reraise(exception)
        };
        let floor = self.frames.len();
        match self.unwind(raised, floor, false) {
            super::unwind::Unwound::Out(raised) => Err(raised),
            super::unwind::Unwound::Handler => self.finish_resume(generator),
        }
    }

    /// Lets the generator on top go on behind the instruction that delegates, whose value this is.
    fn continue_after_delegate(&mut self, generator: &Ref<Generator>, value: Value) -> R<Resumed> {
        if let Some(frame) = self.frames.last_mut() {
            // SAFETY: the saved pc is behind the `YieldFrom` instruction, inside the code; its register is one of the frame's.
            unsafe {
                let a = (*frame.pc.sub(1)).a as usize;
                drop(std::ptr::replace(frame.base.add(a), value));
            }
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
