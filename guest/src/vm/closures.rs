//! Function objects with the cells that they capture.

use super::Vm;
use crate::heap::Ref;
use crate::objects::code::Code;
use crate::objects::function::Cell;
use crate::value::Value;
use coldframe_compiler::code::Capture;

impl Vm {
    /// A function object, its closure built from the cells of the running frame.
    #[inline(never)]
    pub(super) fn make_function(
        &mut self,
        code: &Ref<Code>,
        r: *mut Value,
        defaults: Value,
        kwdefaults: Value,
        annotate: Value,
    ) -> Value {
        let Some(frame) = self.frames.last() else {
            return Value::NONE;
        };
        let closure: Vec<Ref<Cell>> = code
            .proto
            .captures
            .iter()
            .map(|c| match c {
                // SAFETY: the compiler says that the register holds a cell.
                Capture::Local(reg) => unsafe {
                    (*r.add(*reg as usize)).as_ref_unchecked::<Cell>().clone()
                },
                Capture::Free(index) => frame.function.closure[*index as usize].clone(),
            })
            .collect();
        let (globals, builtins) = (
            frame.function.globals.clone(),
            frame.function.builtins.clone(),
        );
        crate::builtins::functions::new_function(
            self, code, globals, builtins, closure, defaults, kwdefaults, annotate,
        )
    }
}
