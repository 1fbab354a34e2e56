//! Exceptions on their way: from the instruction that raised to the handler, or out of the run loop.

use super::frame::Mode;
use super::{R, Raised, Vm};
use crate::heap::Ref;
use crate::objects::exception::{Exc, Exception, TraceEntry};
use crate::objects::generator::GeneratorStatus;
use crate::objects::iterators::CallIter;
use crate::objects::types::Type;
use crate::value::Value;
use coldframe_compiler::op::{HELD, Op};

/// Where the run loop goes on.
pub(crate) enum Unwound {
    /// At the handler that the top frame's `pc` points to.
    Handler,
    /// Out of the run loop: the frame that native code called is gone.
    Out(Raised),
}

impl Vm {
    /// Finds the handler of the pending exception, dropping the frames that have none. `floor` is the number of frames below the one that native code
    /// called. `again` says that the exception is re-raised as it is: the first frame is in its traceback already.
    #[cold]
    #[inline(never)]
    pub(crate) fn unwind(&mut self, raised: Raised, floor: usize, again: bool) -> Unwound {
        if self.threads.is_leaving() {
            self.leave(floor);
            return Unwound::Out(raised);
        }
        let mut raised = raised;
        let mut first = again;
        loop {
            let Some(instr) = self.frames.last().map(super::frame::Frame::instr) else {
                return Unwound::Out(raised);
            };
            if self.stopped.is_none() {
                if !first {
                    self.add_trace(instr);
                }
                first = false;
                let Some(frame) = self.frames.last() else {
                    return Unwound::Out(raised);
                };
                let at = instr as u32;
                if let Some(h) = frame
                    .code
                    .proto
                    .handlers
                    .iter()
                    .find(|h| h.start <= at && at < h.end)
                    .copied()
                {
                    let (base, nregs) = (frame.base, frame.code.proto.nregs as usize);
                    let target = frame
                        .code
                        .proto
                        .instrs
                        .as_ptr()
                        .wrapping_add(h.target as usize);
                    let exception = self.take_error();
                    super::call::drop_values(
                        base.wrapping_add(h.depth as usize),
                        nregs - h.depth as usize,
                    );
                    // SAFETY: the handler's register is one of the frame's.
                    drop(unsafe { std::ptr::replace(base.add(h.register as usize), exception) });
                    if let Some(frame) = self.frames.last_mut() {
                        frame.pc = target;
                    }
                    return Unwound::Handler;
                }
            }
            if self.stopped.is_none() {
                self.keep_frame();
            }
            let is_generator = self.frames.last().is_some_and(|f| f.generator.is_some());
            if is_generator {
                raised = self.convert_stop_iteration(raised);
            }
            let mode = self.pop_frame();
            if mode == Some(Mode::AsyncStep) {
                self.fail_async_step();
            }
            if mode == Some(Mode::Until) && self.error_is(Exc::StopIteration) {
                drop(self.pending.take());
                self.end_loop();
                return Unwound::Handler;
            }
            if matches!(mode, Some(Mode::Native | Mode::Feed | Mode::Row))
                || self.frames.len() < floor
            {
                return Unwound::Out(raised);
            }
        }
    }

    /// Ends the loop of the top frame whose iterator has said so by an exception.
    fn end_loop(&mut self) {
        let Some(frame) = self.frames.last_mut() else {
            return;
        };
        let at = frame.instr();
        let instrs = &frame.code.proto.instrs;
        let (iterator, offset) = (instrs[at].b, instrs[at + 1].imm32());
        frame.pc = instrs
            .as_ptr()
            .wrapping_add(at + 2)
            .wrapping_offset(offset as isize);
        let iterator = frame.replace(iterator, Value::UNDEF);
        if let Some(it) = iterator.as_ref::<CallIter>() {
            let source = it.source.borrow_mut().take();
            drop(source);
        }
    }

    /// Drops the top frame, in which nothing has run yet, for the pending exception: its handlers do not count, even if code begins with a `try`.
    pub(crate) fn unwind_unstarted(&mut self) {
        if let Some(instr) = self.frames.last().map(super::frame::Frame::instr) {
            self.add_trace(instr);
            self.keep_frame();
            self.pop_frame();
        }
    }

    /// Records that the pending exception passes the top frame.
    fn add_trace(&mut self, instr: usize) {
        let Some(frame) = self.frames.last() else {
            return;
        };
        let entry = TraceEntry {
            code: frame.code.clone(),
            instr: instr as u32,
            globals: frame.function.globals.clone(),
            frame: frame.object.clone(),
        };
        if entry.code.source.file.as_bytes() == super::tools::FILE.as_bytes() {
            return;
        }
        let Some(pending) = self.pending.clone() else {
            return;
        };
        if let Some(e) = pending.as_ref::<Exception>() {
            let trace = &mut e.state.get_mut(self).trace;
            // Runaway recursion must not make a traceback that fills the memory twice over.
            if trace.len() < 20_000 {
                trace.push(entry);
            }
        }
    }

    /// The pending exception leaves the top frame: its traceback keeps the frame, so that the locals can be looked at.
    fn keep_frame(&mut self) {
        let Some(code) = self.frames.last().map(|frame| frame.code.clone()) else {
            return;
        };
        let Some(pending) = self.pending.clone() else {
            return;
        };
        let Some(e) = pending.as_ref::<Exception>() else {
            return;
        };
        // A traceback that has become too long does not have this frame.
        let wants = |entry: &TraceEntry| entry.frame.is_none() && entry.code.same(&code);
        let Some((wanted, came_from)) = e
            .state
            .get(self)
            .trace
            .last()
            .map(|entry| (wants(entry), entry.code.same(&code).then_some(entry.instr)))
        else {
            return;
        };
        self.leave_from(came_from);
        if !wanted {
            return;
        }
        let object = crate::builtins::frames::of_leaving(self);
        if let Some(entry) = e.state.get_mut(self).trace.last_mut() {
            entry.frame = object;
        }
    }

    /// A clean-up that raises again what it has held up is no line of the program: the top frame ends at the instruction that raised.
    fn leave_from(&mut self, instr: Option<u32>) {
        let (Some(frame), Some(instr)) = (self.frames.last_mut(), instr) else {
            return;
        };
        let instrs = &frame.code.proto.instrs;
        if instrs
            .get(frame.instr())
            .is_some_and(|i| i.op == Op::Reraise && i.x & HELD != 0)
        {
            // The saved pc is behind the instruction.
            frame.pc = instrs.as_ptr().wrapping_add(instr as usize + 1);
        }
    }

    /// PEP 479: a `StopIteration` that would leave a generator becomes a `RuntimeError`.
    fn convert_stop_iteration(&mut self, raised: Raised) -> Raised {
        let Some(kind) = self
            .frames
            .last()
            .and_then(|f| f.generator.as_ref())
            .map(|g| g.kind)
        else {
            return raised;
        };
        use crate::objects::generator::GeneratorKind as K;
        let name = match kind {
            K::Generator => "generator",
            K::Coroutine => "coroutine",
            K::AsyncGenerator => "async generator",
        };
        let what = if self.error_is(Exc::StopIteration) {
            "StopIteration"
        } else if kind == K::AsyncGenerator && self.error_is(Exc::StopAsyncIteration) {
            "StopAsyncIteration"
        } else {
            return raised;
        };
        let cause = self.take_error();
        let raised = self.runtime_error(format!("{name} raised {what}"));
        if let Some(e) = self
            .pending
            .clone()
            .as_ref()
            .and_then(|v| v.as_ref::<Exception>())
        {
            let state = e.state.get_mut(self);
            state.cause = Some(cause.clone());
            state.context = Some(cause);
            state.suppress_context = true;
        }
        raised
    }

    /// Drops the top frame with its registers; answers its mode.
    #[inline(never)]
    pub(crate) fn pop_frame(&mut self) -> Option<Mode> {
        let frame = self.frames.pop()?;
        if let Some(object) = &frame.object {
            crate::builtins::frames::detach(self, object, &frame, true);
        }
        match &frame.generator {
            Some(generator) => {
                let state = generator.state.get_mut(self);
                state.status = GeneratorStatus::Finished;
                let registers = std::mem::take(&mut state.registers);
                let handled = std::mem::replace(&mut state.handled, Value::NONE);
                self.handled = handled;
                drop(registers);
            }
            None => super::call::drop_values(frame.base, frame.code.proto.nregs as usize),
        }
        Some(frame.mode)
    }

    /// Entry of a handler: the exception becomes the one being handled. Answers what `pop_handled` needs.
    ///
    /// In a generator the first handler does not remember the exception of whoever resumed it: that may be somebody else by the time the handler ends.
    #[inline(never)]
    pub(crate) fn push_handled(&mut self, exception: Value) -> Value {
        let old = std::mem::replace(&mut self.handled, exception);
        if let Some(generator) = self.frames.last().and_then(|f| f.generator.clone()) {
            let state = generator.state.get_mut(self);
            if !state.handles {
                state.handles = true;
                return Value::NOT_IMPLEMENTED;
            }
        }
        old
    }

    /// Exit of a handler.
    #[inline(never)]
    pub(crate) fn pop_handled(&mut self, saved: Value) {
        let mut saved = saved;
        if saved.is_not_implemented()
            && let Some(generator) = self.frames.last().and_then(|f| f.generator.clone())
        {
            let state = generator.state.get_mut(self);
            state.handles = false;
            // While it runs, this is what its caller handles.
            saved = state.handled.clone();
        }
        drop(std::mem::replace(&mut self.handled, saved));
    }

    /// Whether an exception matches what an `except` clause names: a class or a tuple of classes.
    #[inline(never)]
    pub(crate) fn exception_matches(&mut self, exception: &Value, wanted: &Value) -> R<bool> {
        if self.is_final_answer(exception) {
            return Ok(false);
        }
        if let Some(class) = wanted.as_ref::<Type>()
            && class.flag(crate::objects::types::EXCEPTION)
        {
            return Ok(self.class_of(exception).is_subclass_of(class));
        }
        if let Some(t) = wanted.as_ref::<crate::objects::tuple::Tuple>() {
            let t = t.clone();
            for class in t.items() {
                if !class
                    .as_ref::<Type>()
                    .is_some_and(|c| c.flag(crate::objects::types::EXCEPTION))
                {
                    return Err(self.not_an_exception_class());
                }
            }
            for class in t.items() {
                if class
                    .as_ref::<Type>()
                    .is_some_and(|c| self.class_of(exception).is_subclass_of(c))
                {
                    return Ok(true);
                }
            }
            return Ok(false);
        }
        Err(self.not_an_exception_class())
    }

    #[cold]
    fn not_an_exception_class(&mut self) -> Raised {
        self.type_error("catching classes that do not inherit from BaseException is not allowed")
    }

    /// `raise value [from cause]`: makes the exception and raises it.
    #[inline(never)]
    pub(crate) fn raise_statement(&mut self, value: Value, cause: Option<Value>) -> Raised {
        let exception = match self.exception_from(value, false) {
            Ok(e) => e,
            Err(raised) => return raised,
        };
        if let Some(cause) = cause {
            let cause = if cause.is_none() {
                None
            } else {
                match self.exception_from(cause, true) {
                    Ok(c) => Some(c),
                    Err(raised) => return raised,
                }
            };
            if let Some(e) = exception.as_ref::<Exception>() {
                let state = e.state.get_mut(self);
                let old = std::mem::replace(&mut state.cause, cause);
                state.suppress_context = true;
                drop(old);
            }
        }
        self.raise_value(exception)
    }

    fn exception_from(&mut self, value: Value, is_cause: bool) -> R {
        if value.is::<Exception>() {
            return Ok(value);
        }
        if let Some(class) = value.as_ref::<Type>()
            && class.flag(crate::objects::types::EXCEPTION)
        {
            let made = self.call(&value, &[])?;
            if made.is::<Exception>() {
                return Ok(made);
            }
            let class = self.class_of(&made).to_value();
            let text = format!(
                "calling {} should have returned an instance of BaseException, not {}",
                self.repr(&value)?.to_text(),
                self.repr(&class)?.to_text()
            );
            return Err(self.type_error(text));
        }
        Err(self.type_error(if is_cause {
            "exception causes must derive from BaseException"
        } else {
            "exceptions must derive from BaseException"
        }))
    }

    /// The traceback entries of an exception, outermost first.
    pub fn trace_of(&self, exception: &Ref<Exception>) -> Vec<TraceEntry> {
        let mut entries = exception.state.get(self).trace.clone();
        entries.reverse();
        entries
    }
}

/// The candidate that is closest to `name`, by CPython's measure for "Did you mean": edit distance with cheap case changes, at most a third of the
/// combined length.
pub fn closest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    const MOVE: usize = 2;
    const CASE: usize = 1;
    fn cost(a: char, b: char) -> usize {
        if a == b {
            0
        } else if a.eq_ignore_ascii_case(&b) {
            CASE
        } else {
            MOVE
        }
    }
    fn distance(a: &[char], b: &[char], limit: usize) -> usize {
        let mut row: Vec<usize> = (1..=b.len()).map(|i| i * MOVE).collect();
        let mut result = 0;
        for (i, &ca) in a.iter().enumerate() {
            let mut diagonal = i * MOVE;
            result = diagonal + MOVE;
            let mut left = result;
            let mut least = usize::MAX;
            for (j, &cb) in b.iter().enumerate() {
                let substitute = diagonal + cost(ca, cb);
                diagonal = row[j];
                result = substitute.min(left.min(row[j]) + MOVE);
                left = result;
                row[j] = result;
                least = least.min(result);
            }
            if least > limit {
                return limit + 1;
            }
        }
        result
    }
    let wrong: Vec<char> = name.chars().collect();
    if wrong.len() > 40 {
        return None;
    }
    let mut best: Option<(usize, &str)> = None;
    for (count, candidate) in candidates.enumerate() {
        if count > 750 {
            return None;
        }
        if candidate == name {
            continue;
        }
        let theirs: Vec<char> = candidate.chars().collect();
        if theirs.len() > 40 {
            continue;
        }
        let mut limit = (theirs.len() + wrong.len() + 3) * MOVE / 6;
        if let Some((d, _)) = best {
            limit = limit.min(d.saturating_sub(1));
        }
        let d = distance(&wrong, &theirs, limit);
        if d <= limit && best.is_none_or(|(b, _)| d < b) {
            best = Some((d, candidate));
        }
    }
    best.map(|(_, c)| c)
}
