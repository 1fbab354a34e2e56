//! The image that every sandbox starts from can be made where there is no world: no clock, no entropy, no output. What depends on the
//! world comes from the world of the sandbox.

use std::sync::{Arc, Mutex};

use coldframe_guest::modules::library;
use coldframe_guest::vm::Vm;
use coldframe_guest::vm::host::{Host, Stream, ToolError, Verdict};

/// Fails whoever asks it for something, naming what.
struct NoWorld;

impl Host for NoWorld {
    fn write(&mut self, _: Stream, bytes: &[u8]) -> bool {
        panic!("output: {}", String::from_utf8_lossy(bytes))
    }
    fn wall_clock(&mut self) -> u64 {
        panic!("the wall clock was read")
    }
    fn monotonic_clock(&mut self) -> u64 {
        panic!("the monotonic clock was read")
    }
    fn sleep(&mut self, _: u64) {
        panic!("somebody slept")
    }
    fn entropy(&mut self, _: usize) -> Vec<u8> {
        panic!("entropy was asked for")
    }
    fn checkpoint(&mut self) -> Verdict {
        Verdict::GoOn
    }
    fn call_tool(&mut self, name: &str, _: &[u8]) -> Result<Vec<u8>, ToolError> {
        panic!("the tool {name} was called")
    }
}

/// The world of a sandbox: all that is asked of it is entropy, which is one byte over and over, and a place for output.
struct World {
    entropy: u8,
    written: Arc<Mutex<String>>,
}

impl Host for World {
    fn write(&mut self, _: Stream, bytes: &[u8]) -> bool {
        let text = String::from_utf8_lossy(bytes);
        self.written.lock().expect("one thread").push_str(&text);
        true
    }
    fn wall_clock(&mut self) -> u64 {
        0
    }
    fn monotonic_clock(&mut self) -> u64 {
        0
    }
    fn sleep(&mut self, _: u64) {}
    fn entropy(&mut self, count: usize) -> Vec<u8> {
        vec![self.entropy; count]
    }
    fn checkpoint(&mut self) -> Verdict {
        Verdict::GoOn
    }
    fn call_tool(&mut self, name: &str, _: &[u8]) -> Result<Vec<u8>, ToolError> {
        panic!("the tool {name} was called")
    }
}

/// Does something where nested native calls have room.
fn with_stack<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let worker = std::thread::Builder::new()
        .stack_size(256 << 20)
        .spawn(work);
    worker.expect("a thread").join().expect("it does not panic")
}

#[test]
fn the_image_needs_no_world() {
    let result = with_stack(|| Vm::boot(Box::new(NoWorld)).warm_up());
    assert_eq!(result, Ok(()));
}

/// What a program writes in a sandbox with this entropy; its machine was warmed without any.
fn output(program: &'static str, entropy: u8) -> String {
    with_stack(move || {
        let mut vm = Vm::boot(Box::new(NoWorld));
        vm.warm_up().expect("the image can be made");
        vm.gather_tables();
        vm.make_stack();
        let written = Arc::new(Mutex::new(String::new()));
        vm.host = Box::new(World {
            entropy,
            written: written.clone(),
        });
        if let Err(failure) = vm.run_program(program, "<string>", false) {
            panic!("{}", failure.traceback);
        }
        written.lock().expect("one thread").clone()
    })
}

#[test]
fn random_numbers_come_from_the_sandbox() {
    let program =
        "import random, uuid; print(random.random(), random.getstate()[1][:3], uuid.uuid4())";
    assert_eq!(output(program, 1), output(program, 1));
    assert_ne!(output(program, 1), output(program, 2));
    let seeded =
        "import random; random.seed(7); print(random.random(), random.sample(range(99), 5))";
    assert_eq!(output(seeded, 1), output(seeded, 2));
}

#[test]
fn the_library_is_compiled() {
    with_stack(|| {
        let _machine = Vm::boot(Box::new(NoWorld));
        for name in library::names() {
            let entry = library::find(name).expect("it is in the table");
            assert!(entry.compiled().is_some(), "{name} does not unpack");
        }
    });
}

#[test]
fn modules_of_the_image_appear_when_they_are_imported() {
    let program = "
import sys
print('random' in sys.modules, 'unittest' in sys.modules, 'os' in sys.modules)
import itertools
print('collections' in sys.modules, 'collections.abc' in sys.modules)
import random
print('random' in sys.modules, 'bisect' in sys.modules, 'unittest' in sys.modules)
import urllib
print(hasattr(urllib, 'parse'))
import urllib.parse
print(hasattr(urllib, 'parse'), urllib.parse.quote('a b'), 'collections' in sys.modules)
";
    let expected = "False False True\nFalse False\nTrue True False\nFalse\nTrue a%20b True\n";
    assert_eq!(output(program, 1), expected);
}

#[test]
fn names_are_found_in_the_table_of_the_image_and_in_that_of_new_ones() {
    let program = r#"
import sys

def again(text):
    return sys.intern("".join(list(text)))

new = [sys.intern(f"a new name, {n}") for n in range(2000)]
print(all(again(name) is name for name in new))
print(all(again(name) is sys.intern(name) for name in ["append", "__init__", "sys"]))
globals().update((name, n) for n, name in enumerate(new))
print(globals()[new[-1]], sys.modules["sys"] is sys, len(sys.__dict__) > 50)
"#;
    assert_eq!(output(program, 0), "True\nTrue\n1999 True True\n");
}

#[test]
fn a_package_of_the_image_keeps_what_it_has_bound_to_the_name_of_a_submodule() {
    let program = r#"
import sys, unittest

def modules_of_the_package():
    package = __import__("unittest")
    return [k for k, v in sorted(vars(package).items()) if type(v) is type(sys)]

print(unittest.main is unittest.TestProgram)
from_image = modules_of_the_package()
for name in [n for n in sys.modules if n.split(".")[0] == "unittest"]:
    del sys.modules[name]
print(modules_of_the_package() == from_image)
"#;
    assert_eq!(output(program, 0), "True\nTrue\n");
}
