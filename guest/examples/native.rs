//! Runs a Python file on the interpreter outside the sandbox: the inner loop of those who work on it. Not isolated, no limits.

use coldframe_guest::vm::Vm;
use coldframe_guest::vm::host::{Host, Stream, ToolError, Verdict};
use std::io::Write;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

struct Native(Instant);

impl Host for Native {
    fn write(&mut self, to: Stream, bytes: &[u8]) -> bool {
        match to {
            Stream::Stdout => std::io::stdout().write_all(bytes).is_ok(),
            Stream::Stderr => std::io::stderr().write_all(bytes).is_ok(),
        }
    }
    fn wall_clock(&mut self) -> u64 {
        SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |d| d.as_nanos() as u64)
    }
    fn monotonic_clock(&mut self) -> u64 {
        self.0.elapsed().as_nanos() as u64
    }
    fn sleep(&mut self, nanoseconds: u64) {
        std::thread::sleep(Duration::from_nanos(nanoseconds));
    }
    fn entropy(&mut self, count: usize) -> Vec<u8> {
        // Good enough outside the sandbox.
        (0..count)
            .map(|i| (self.monotonic_clock() >> (i % 8)) as u8)
            .collect()
    }
    fn checkpoint(&mut self) -> Verdict {
        Verdict::GoOn
    }
    fn call_tool(&mut self, name: &str, _: &[u8]) -> Result<Vec<u8>, ToolError> {
        Err(("RuntimeError".to_owned(), format!("no tool named {name}")))
    }
}

fn main() {
    let Some(path) = std::env::args().nth(1) else {
        eprintln!("usage: native FILE");
        std::process::exit(2);
    };
    let bytes = std::fs::read(&path).unwrap_or_else(|e| {
        eprintln!("{path}: {e}");
        std::process::exit(2);
    });
    let source = String::from_utf8_lossy(&bytes).into_owned();
    // Nested native calls need room.
    let worker = std::thread::Builder::new()
        .stack_size(256 << 20)
        .spawn(move || {
            let mut vm = Vm::boot(Box::new(Native(Instant::now())));
            // As in the image of the sandbox.
            if std::env::var_os("COLDFRAME_WARM").is_some()
                && let Err(text) = vm.warm_up()
            {
                eprint!("{text}");
                return 101;
            }
            let code = match vm.run_program(&source, &path, false) {
                Ok(_) => 0,
                Err(failure) => {
                    if failure.kind != coldframe_guest::vm::session::FailureKind::Exit {
                        eprint!("{}", failure.traceback);
                    }
                    failure.exit_code
                }
            };
            vm.finish();
            code
        });
    let code = worker.map(|w| w.join().unwrap_or(101)).unwrap_or(101);
    std::process::exit(code);
}
