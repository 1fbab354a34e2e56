//! Runs every program of `tests/python` and compares what it prints with what CPython printed, which is stored beside it (`name.py`, `name.out`).
//!
//! A `.out` file is made by `python3.13 name.py`; where Python 3.14 differs on purpose, the program says so.

use coldframe_guest::vm::Vm;
use coldframe_guest::vm::host::{Host, Stream, ToolError, Verdict};
use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;

/// A host that keeps the output. Its time passes only when somebody sleeps or looks at the clock.
struct Recorder {
    output: Rc<RefCell<Vec<u8>>>,
    /// Nanoseconds since the start.
    now: u64,
}

impl Host for Recorder {
    fn write(&mut self, to: Stream, bytes: &[u8]) -> bool {
        // Warnings go to standard error, which is not part of what is stored.
        if to == Stream::Stderr {
            return true;
        }
        self.output.borrow_mut().extend_from_slice(bytes);
        true
    }
    fn wall_clock(&mut self) -> u64 {
        1_700_000_000_000_000_000 + self.monotonic_clock()
    }
    fn monotonic_clock(&mut self) -> u64 {
        self.now += 1_000;
        self.now
    }
    fn sleep(&mut self, nanoseconds: u64) {
        self.now += nanoseconds;
    }
    fn entropy(&mut self, count: usize) -> Vec<u8> {
        vec![7; count]
    }
    fn checkpoint(&mut self) -> Verdict {
        Verdict::GoOn
    }
    fn call_tool(&mut self, name: &str, _: &[u8]) -> Result<Vec<u8>, ToolError> {
        Err(("RuntimeError".to_owned(), format!("no tool named {name}")))
    }
}

/// Runs a program on a machine of its own: what it printed, and the traceback if it failed.
fn run(source: String, file: String) -> String {
    let worker = std::thread::Builder::new()
        .stack_size(256 << 20)
        .spawn(move || {
            let output = Rc::new(RefCell::new(Vec::new()));
            let mut vm = Vm::boot(Box::new(Recorder {
                output: output.clone(),
                now: 0,
            }));
            let result = vm.run_program(&source, &file, false);
            vm.finish();
            vm.finish();
            let mut text = String::from_utf8_lossy(&output.borrow()).into_owned();
            if let Err(failure) = result {
                text.push_str(&failure.traceback);
            }
            text
        });
    worker
        .expect("a thread")
        .join()
        .unwrap_or_else(|_| "the machine panicked\n".to_owned())
}

#[test]
fn programs_print_what_cpython_prints() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/python");
    let mut names: Vec<_> = std::fs::read_dir(&folder)
        .expect("the folder of programs")
        .filter_map(|e| e.ok())
        .map(|e| e.path())
        .filter(|p| p.extension().is_some_and(|e| e == "py"))
        .collect();
    names.sort();
    assert!(!names.is_empty());
    let mut wrong = Vec::new();
    for path in &names {
        let source = std::fs::read_to_string(path).expect("a program");
        let want =
            std::fs::read_to_string(path.with_extension("out")).expect("what CPython printed");
        let file = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let got = run(source, file.clone());
        if got != want {
            let line = got
                .lines()
                .zip(want.lines())
                .position(|(g, w)| g != w)
                .unwrap_or(got.lines().count().min(want.lines().count()));
            wrong.push(format!(
                "{file}, output line {}:\n  CPython: {}\n  here:    {}",
                line + 1,
                want.lines().nth(line).unwrap_or("<end>"),
                got.lines().nth(line).unwrap_or("<end>")
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {} programs differ\n{}",
        wrong.len(),
        names.len(),
        wrong.join("\n")
    );
}
