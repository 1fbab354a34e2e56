//! The end of a session: what CPython does when its interpreter exits.

use super::Vm;
use crate::names::Names;
use crate::value::Value;

impl Vm {
    /// Calls what `atexit` has registered, then lets go of the main module's variables and of cycles, so that finalisers run. What any of it raises is
    /// reported and forgotten; limits apply as before. The machine should not run programs afterwards.
    pub fn finish(&mut self) {
        self.stopped = None;
        self.pending = None;
        crate::heap::set_budget(super::dispatch::POLL_INTERVAL);
        self.run_exit_functions();
        let main = self.main.dict.clone();
        self.finalize_variables();
        // In the order in which they were bound; what other modules hold goes with the machine.
        let names: Vec<Value> = main
            .map
            .get(self)
            .iter()
            .map(|e| e.key.clone())
            .filter(|name| !is_special(name))
            .collect();
        for name in names {
            if self.stopped.is_some() {
                return;
            }
            match main.remove_item(self, &name) {
                Ok(value) => drop(value),
                Err(_) => drop(self.take_error()),
            }
            self.run_finalizers();
        }
        if self.stopped.is_none() {
            self.collect_cycles(2);
            self.run_finalizers();
        }
        self.pending = None;
    }

    /// Runs the finalisers of what only the main module's variables hold while the variables are still there, as CPython does: its functions, the finalisers
    /// among them, make a cycle with them.
    fn finalize_variables(&mut self) {
        if self.stopped.is_some() {
            return;
        }
        self.forget_cached_values();
        let main = self.main.dict.to_value();
        let garbage = crate::heap::gc::unreachable_without(main.header());
        self.finalize_all(&garbage);
        drop(garbage);
        self.run_finalizers();
    }

    fn run_exit_functions(&mut self) {
        let n = Names::get();
        let Some(module) = self.modules.get_str(self, &n.atexit).cloned() else {
            return;
        };
        if self.call_method(&module, &n._run_exitfuncs, &[]).is_err() && self.stopped.is_none() {
            let exception = self.take_error();
            self.unraisable(&exception, &module);
        }
    }
}

/// Names like `__builtins__`, which finalisers still need.
fn is_special(name: &Value) -> bool {
    name.as_ref::<crate::objects::string::Str>()
        .is_some_and(|s| s.as_bytes().starts_with(b"__") && s.as_bytes().ends_with(b"__"))
}
