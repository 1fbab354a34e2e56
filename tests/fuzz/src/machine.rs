//! Runs one program on a machine of its own, with bounds. Knows the interpreter's interface, nothing of where programs come from.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::{Arc, Mutex};

use coldframe_guest::vm::host::{Host, Stream, ToolError, Verdict};
use coldframe_guest::vm::session::FailureKind;
use coldframe_guest::vm::{Stop, Vm};

/// Room for native calls that nest, in debug builds too.
const STACK: usize = 512 << 20;

/// Output beyond this ends a program.
const MAX_OUTPUT: usize = 1 << 20;

/// A host whose clocks stand still, with output and steps that end.
struct Bounded {
    output: Rc<RefCell<Vec<u8>>>,
    checkpoints: u64,
}

impl Host for Bounded {
    fn write(&mut self, to: Stream, bytes: &[u8]) -> bool {
        let mut output = self.output.borrow_mut();
        if to == Stream::Stdout {
            output.extend_from_slice(bytes);
        }
        output.len() < MAX_OUTPUT
    }
    fn wall_clock(&mut self) -> u64 {
        1_700_000_000_000_000_000
    }
    fn monotonic_clock(&mut self) -> u64 {
        // Waiting for a moment must end.
        self.checkpoints = self.checkpoints.saturating_sub(1);
        1_000_000_000
    }
    fn sleep(&mut self, _: u64) {}
    fn entropy(&mut self, count: usize) -> Vec<u8> {
        vec![7; count]
    }
    fn checkpoint(&mut self) -> Verdict {
        if self.checkpoints == 0 {
            return Verdict::Stop(Stop::Fuel);
        }
        self.checkpoints -= 1;
        Verdict::GoOn
    }
    fn call_tool(&mut self, name: &str, _: &[u8]) -> Result<Vec<u8>, ToolError> {
        Err(("RuntimeError".to_owned(), format!("no tool named {name}")))
    }
}

/// What came of a program.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// What it printed to standard output.
    pub output: String,
    /// The last line of the traceback, if it failed.
    pub error: Option<String>,
    /// Whether a bound ended it.
    pub stopped: bool,
    /// Where and why the interpreter panicked.
    pub panic: Option<String>,
}

/// Runs a program. `checkpoints` is how often the machine may ask whether to go on.
pub fn run(source: &str, checkpoints: u64) -> Outcome {
    let source = source.to_owned();
    let worked = caught(move || {
        let output = Rc::new(RefCell::new(Vec::new()));
        let mut vm = Vm::boot(Box::new(Bounded {
            output: output.clone(),
            checkpoints,
        }));
        let result = vm.run_program(&source, "program.py", false);
        let output = String::from_utf8_lossy(&output.borrow()).into_owned();
        let (error, stopped) = match result {
            Ok(_) => (None, false),
            Err(failure) => (
                Some(match failure.message.is_empty() {
                    true => failure.type_name,
                    false => format!("{}: {}", failure.type_name, failure.message),
                }),
                matches!(failure.kind, FailureKind::Stopped(_)),
            ),
        };
        (output, error, stopped)
    });
    match worked {
        Ok((output, error, stopped)) => Outcome {
            output,
            error,
            stopped,
            panic: None,
        },
        Err(panic) => Outcome {
            output: String::new(),
            error: None,
            stopped: false,
            panic: Some(panic),
        },
    }
}

/// Lends a machine to something, on a thread with a large stack; the text of its panic if it panics.
pub fn with_machine<T: Send + 'static>(
    work: impl FnOnce(&mut Vm) -> T + Send + 'static,
) -> Result<T, String> {
    caught(move || {
        let mut vm = Vm::boot(Box::new(Bounded {
            output: Rc::default(),
            checkpoints: u64::MAX,
        }));
        work(&mut vm)
    })
}

/// Runs something on a thread with a large stack; the text of its panic if it panics.
pub fn caught<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, String> {
    caught_on(STACK, work)
}

/// The same with a stack of that many bytes.
pub fn caught_on<T: Send + 'static>(
    stack: usize,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, String> {
    static LAST: Mutex<Option<String>> = Mutex::new(None);
    static HOOK: std::sync::Once = std::sync::Once::new();
    HOOK.call_once(|| {
        std::panic::set_hook(Box::new(|info| {
            let text = format!("panic at {}", info.to_string().replace('\n', " "));
            if let Ok(mut last) = LAST.lock() {
                *last = Some(text);
            }
        }));
    });
    let result = Arc::new(Mutex::new(None));
    let slot = result.clone();
    let thread = std::thread::Builder::new()
        .stack_size(stack)
        .spawn(move || {
            let value = work();
            if let Ok(mut slot) = slot.lock() {
                *slot = Some(value);
            }
        });
    let joined = match thread {
        Ok(thread) => thread.join(),
        Err(error) => return Err(format!("no thread: {error}")),
    };
    let value = result.lock().ok().and_then(|mut slot| slot.take());
    match (joined, value) {
        (Ok(()), Some(value)) => Ok(value),
        _ => Err(LAST
            .lock()
            .ok()
            .and_then(|mut last| last.take())
            .unwrap_or_else(|| "panic without a message".to_owned())),
    }
}
