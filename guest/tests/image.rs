//! The image that every sandbox starts from can be made where there is no world: no clock, no entropy, no output.

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

#[test]
fn the_image_needs_no_world() {
    // Nested native calls need room.
    let worker = std::thread::Builder::new()
        .stack_size(256 << 20)
        .spawn(|| Vm::boot(Box::new(NoWorld)).warm_up());
    let result = worker.expect("a thread").join();
    assert_eq!(result.expect("nothing of the world was used"), Ok(()));
}
