//! What the machine does now and then: finalisers, weak reference callbacks, cycle collection, and asking the host whether to go on.

use super::host::Verdict;
use super::{R, Vm};
use crate::heap::{self, Kind};
use crate::objects::code::Code;
use crate::objects::generator::Generator;
use crate::value::Value;

impl Vm {
    /// Called when the budget of steps is spent.
    #[cold]
    #[inline(never)]
    pub(crate) fn poll(&mut self) -> R<()> {
        heap::set_budget(super::dispatch::POLL_INTERVAL);
        self.run_finalizers();
        crate::objects::host_object::release_gone(self);
        if heap::gc::is_due() {
            self.collect_cycles(2);
            self.run_finalizers();
        }
        if let Some(stop) = self.stopped {
            return Err(self.stop_program(stop));
        }
        match self.host.checkpoint() {
            Verdict::GoOn => self.raise_postponed_answer(),
            Verdict::Stop(why) => Err(self.stop_program(why)),
        }
    }

    /// Looks after finalisers between two polls, so that what they do is there for the next statement.
    #[cold]
    #[inline(never)]
    pub(crate) fn finalize_due(&mut self) -> R<()> {
        self.run_finalizers();
        match self.stopped {
            Some(stop) => Err(self.stop_program(stop)),
            None => Ok(()),
        }
    }

    /// Runs finalisers and weak reference callbacks that are due. What they raise is reported and forgotten.
    pub fn run_finalizers(&mut self) {
        // A finaliser may make more garbage; what a run of them leaves waits for the next poll.
        for _ in 0..100 {
            let due = heap::take_finalizers();
            let callback = heap::weak::take_due();
            if due.is_empty() && callback.is_none() {
                return;
            }
            self.finalize_each(callback, due);
        }
    }

    /// Runs callbacks of weak references, from this one on, and then the finalisers of objects.
    fn finalize_each(&mut self, callback: Option<Value>, due: Vec<Value>) {
        let pending = self.pending.take();
        // A thread cannot leave in the middle of this, not even in a native finaliser.
        self.native_depth += 1;
        let mut callback = callback;
        while let Some(reference) = callback {
            if self.stopped.is_some() {
                break;
            }
            crate::builtins::weakrefs::run_callback(self, &reference);
            callback = heap::weak::take_due();
        }
        for object in due {
            if self.stopped.is_some() {
                break;
            }
            self.finalize(&object);
        }
        self.native_depth -= 1;
        if self.pending.is_none() || pending.is_some() {
            self.pending = pending;
        }
    }

    /// Inline caches keep what they found in classes. A collection that the program asks for is not to find a class alive for that alone; those that
    /// the machine starts leave the caches as they are, since each holds one value at most.
    pub(crate) fn forget_cached_values(&mut self) {
        for object in heap::gc::objects() {
            if let Some(code) = object.as_ref::<Code>() {
                for cache in code.caches.get_mut(self) {
                    cache.forget_values();
                }
            }
        }
    }

    /// Finds and frees unreachable cycles; answers how many objects were unreachable.
    ///
    /// The order is that of PEP 442: first the finalisers of all of them, then, if none of those has made an object reachable again, all of them die.
    pub fn collect_cycles(&mut self, generation: usize) -> usize {
        let mut garbage = heap::gc::unreachable();
        // As in CPython, code is not counted, since it cannot be part of a cycle there.
        let counted = |v: &Value| !v.header().is_some_and(|h| h.kind() == Kind::Code);
        let found = garbage.iter().filter(|v| counted(v)).count();
        if self.finalize_all(&garbage) {
            garbage = heap::gc::still_unreachable(garbage);
        }
        let collected = garbage.len();
        heap::gc::free(garbage);
        heap::gc::finish(generation, collected);
        found
    }

    /// Runs the finalisers of what only refers to each other; answers whether there were any.
    pub(super) fn finalize_all(&mut self, garbage: &[Value]) -> bool {
        let due = heap::gc::take_unfinalized(garbage);
        if due.is_empty() {
            return false;
        }
        heap::gc::clear_weak(garbage);
        // Callbacks first.
        self.run_finalizers();
        self.finalize_each(None, due);
        true
    }

    fn finalize(&mut self, object: &Value) {
        let Some(header) = object.header() else {
            return;
        };
        let result = if header.kind() == Kind::Generator {
            match object.as_ref::<Generator>().cloned() {
                Some(g) => crate::builtins::generators::finalize(self, &g),
                None => Ok(()),
            }
        } else {
            match header.class().slots().del {
                Some(del) => del(self, object),
                None => Ok(()),
            }
        };
        if result.is_err() && self.stopped.is_none() {
            let exception = self.take_error();
            let name = &crate::names::Names::get().__del__;
            let what = self.type_lookup(header.class(), name);
            self.unraisable(&exception, &what.unwrap_or_else(|| object.clone()));
        }
    }

    /// Hands an exception that nobody can catch to `sys.unraisablehook`.
    pub fn unraisable(&mut self, exception: &Value, object: &Value) {
        if self.is_final_answer(exception) {
            return self.postpone_final_answer();
        }
        match crate::modules::sys::call_unraisable_hook(self, exception, object) {
            Ok(true) => {}
            Ok(false) => self.report_unraisable(exception, object),
            Err(_) => {
                let failure = self.take_error();
                self.report_unraisable(&failure, object);
            }
        }
    }

    /// Writes an exception that nobody can catch to standard error ("Exception ignored in ...").
    pub fn report_unraisable(&mut self, exception: &Value, object: &Value) {
        let what = match self.repr(object) {
            Ok(s) => s.to_text().into_owned(),
            Err(_) => {
                let _ = self.take_error();
                "<object repr() failed>".to_owned()
            }
        };
        let text = crate::builtins::tracebacks::format(self, exception);
        self.host.write(
            super::host::Stream::Stderr,
            format!("Exception ignored in: {what}\n{text}").as_bytes(),
        );
    }
}
