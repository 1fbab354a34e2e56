//! Readies a booted machine to be frozen into the image that every sandbox starts from.

use super::Vm;
use super::frame::ValueStack;
use super::host::{Host, Stream, ToolError, Verdict};
use crate::heap;
use crate::objects::module::Module;
use crate::value::Value;

/// Modules that are imported into the image: what ordinary programs import, so that they find it on the [shelf](super::shelf). None of them may look at
/// the clock or ask for entropy while it is imported: the build fails if one does. (The generator of `random` is seeded when its first
/// number is drawn.) Nor may it leave something in another module that a program could see without it (`csv` registers dialects).
const IMPORTED: &[&str] = &[
    "abc",
    "argparse",
    "array",
    "ast",
    "base64",
    "bisect",
    "calendar",
    "cmath",
    "collections",
    "collections.abc",
    "contextlib",
    "copy",
    "dataclasses",
    "datetime",
    "decimal",
    "enum",
    "fractions",
    "functools",
    "hashlib",
    "heapq",
    "inspect",
    "io",
    "itertools",
    "json",
    "math",
    "numbers",
    "operator",
    "os",
    "pathlib",
    "pickle",
    "pprint",
    "random",
    "re",
    "shutil",
    "statistics",
    "string",
    "struct",
    "tempfile",
    "textwrap",
    "threading",
    "time",
    "traceback",
    "types",
    "typing",
    "unittest",
    "urllib.parse",
    "uuid",
    "warnings",
    "weakref",
];

/// Modules of the image that look at the clock while they are imported. They are told that time has not begun; what they remember of that
/// ([`MOMENTS`]) is put right when the first program runs.
const IMPORTED_AT_ZERO: &[&str] = &["logging", "asyncio"];

/// Module and attribute: the time of the import in nanoseconds since the epoch.
const MOMENTS: &[(&str, &str)] = &[("logging", "_startTime")];

/// The world before the first program: its clock stands at zero, and nothing else is there.
struct BeforeTime;

impl Host for BeforeTime {
    fn write(&mut self, _: Stream, _: &[u8]) -> bool {
        true
    }
    fn wall_clock(&mut self) -> u64 {
        0
    }
    fn monotonic_clock(&mut self) -> u64 {
        panic!("the monotonic clock was asked for at boot")
    }
    fn sleep(&mut self, _: u64) {
        panic!("something slept at boot")
    }
    fn entropy(&mut self, _: usize) -> Vec<u8> {
        panic!("entropy was asked for at boot")
    }
    fn checkpoint(&mut self) -> Verdict {
        Verdict::GoOn
    }
    fn call_tool(&mut self, _: &str, _: &[u8]) -> Result<Vec<u8>, ToolError> {
        panic!("a tool was called at boot")
    }
}

impl Vm {
    fn import_into_image(&mut self, names: &[&str]) -> Result<(), String> {
        for name in names {
            if self.import_module(name).is_err() {
                let e = self.take_error();
                let text = crate::builtins::tracebacks::format(self, &e);
                return Err(format!("importing {name} into the image failed:\n{text}"));
            }
        }
        Ok(())
    }

    /// The stack of programs takes the place of that of booting, if it has not yet.
    fn enlarge_stack(&mut self) {
        if self.stack.is_small() && self.frames.is_empty() {
            self.stack = ValueStack::new();
        }
    }

    /// Tells modules of the image what time it is. Done once, before the first program.
    pub(crate) fn wake_up(&mut self) {
        self.enlarge_stack();
        if !std::mem::replace(&mut self.asleep, false) {
            return;
        }
        let now = Value::int(self.host.wall_clock() as i64);
        for (module, attribute) in MOMENTS {
            let module = self.present_or_shelved(module);
            if let Some(module) = module.as_ref().and_then(|m| m.as_ref::<Module>()) {
                module.clone().set(self, attribute, now.clone());
            }
        }
    }

    /// Imports the common modules, collects what that left behind, and makes the rest immortal: it costs no reference
    /// counting and no collection any more, and its pages stay shared.
    ///
    /// A module that cannot be imported is an error, told as a traceback: an image without it would only be slower, and nobody would notice.
    pub fn warm_up(&mut self) -> Result<(), String> {
        self.open_diary();
        self.import_into_image(IMPORTED)?;
        let host = std::mem::replace(&mut self.host, Box::new(BeforeTime));
        self.import_into_image(IMPORTED_AT_ZERO)?;
        self.host = host;
        self.fill_shelf();
        self.asleep = true;
        self.run_finalizers();
        self.collect_cycles(2);
        self.run_finalizers();
        heap::freeze();
        self.enlarge_stack();
        Ok(())
    }
}
