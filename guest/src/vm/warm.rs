//! Readies a booted machine to be frozen into the image that every sandbox starts from.

use super::Vm;
use crate::heap;

/// Modules that are imported into the image: what ordinary programs import, so that they find it compiled and run. None of
/// them may look at the clock or ask for entropy while it is imported (`random` does): the build fails if one does.
const IMPORTED: &[&str] = &[
    "abc",
    "bisect",
    "collections",
    "collections.abc",
    "contextlib",
    "copy",
    "dataclasses",
    "datetime",
    "decimal",
    "enum",
    "functools",
    "heapq",
    "io",
    "itertools",
    "json",
    "math",
    "operator",
    "os",
    "re",
    "string",
    "textwrap",
    "time",
    "traceback",
    "typing",
];

impl Vm {
    /// Imports the common modules, collects what that left behind, and makes the rest immortal: it costs no reference
    /// counting and no collection any more, and its pages stay shared.
    ///
    /// A module that cannot be imported is an error, told as a traceback: an image without it would only be slower, and nobody would notice.
    pub fn warm_up(&mut self) -> Result<(), String> {
        for name in IMPORTED {
            if self.import_module(name).is_err() {
                let e = self.take_error();
                let text = crate::builtins::tracebacks::format(self, &e);
                return Err(format!("importing {name} into the image failed:\n{text}"));
            }
        }
        self.run_finalizers();
        self.collect_cycles(2);
        self.run_finalizers();
        heap::freeze();
        Ok(())
    }
}
