//! Readies a booted machine to be frozen into the image that every sandbox starts from.

use super::Vm;
use super::frame::ValueStack;
use super::host::{Host, Stream, ToolError, Verdict};
use crate::heap::{self, Ref};
use crate::names::{self, Names};
use crate::objects::module::Module;
use crate::objects::string::Str;
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
/// ([`MOMENTS`]) is put right when a program imports them.
const IMPORTED_AT_ZERO: &[&str] = &["logging", "asyncio"];

/// Module and attribute: the time of the import in nanoseconds since the epoch.
const MOMENTS: &[(&str, &str)] = &[("logging", "_startTime")];

/// For how many names the main module has room before its table grows.
const MAIN_NAMES: usize = 16;

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
    pub(super) fn enlarge_stack(&mut self) {
        if self.stack.is_small() && self.frames.is_empty() {
            self.stack = ValueStack::new();
        }
    }

    /// Tells a module of the image that a program imports now what time it is, if it looked at the clock while it was imported.
    pub(super) fn tell_time(&mut self, name: &Ref<Str>, module: &Value) {
        for (of, attribute) in MOMENTS {
            if name.as_bytes() == of.as_bytes()
                && let Some(module) = module.as_ref::<Module>()
            {
                let now = Value::int(self.host.wall_clock() as i64);
                module.clone().set(self, attribute, now);
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
        self.run_finalizers();
        self.collect_cycles(2);
        self.run_finalizers();
        // Room for the names of a small program.
        let main = self.main.dict.clone();
        main.map.get_mut(self).reserve(MAIN_NAMES);
        heap::freeze(|v| {
            if let Some(text) = v.as_ref::<Str>() {
                text.hash();
            }
        });
        Ok(())
    }

    /// Moves the tables that every program looks at to other memory, so that they lie beside each other and beside what programs allocate, and not
    /// each where it was when it last grew. When a session ends the kernel walks over the entries of each page table (512 pages) in which one page was
    /// used: the fewer, the sooner the next session.
    pub fn gather_tables(&mut self) {
        let n = Names::get();
        names::seal();
        let sys = self.modules.get_str(self, &n.sys).cloned();
        let sys = sys.and_then(|m| Some(m.as_ref::<Module>()?.dict.clone()));
        let rest = [&self.modules, &self.builtins, &self.main.dict].map(Clone::clone);
        for table in sys.into_iter().chain(rest) {
            table.map.get_mut(self).relocate();
        }
    }

    /// Makes the stack that programs run on, with the first registers ready.
    pub fn make_stack(&mut self) {
        self.enlarge_stack();
        let base = self.stack.start();
        self.stack.prepare(base, 1);
    }
}
