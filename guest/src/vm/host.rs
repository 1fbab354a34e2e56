//! What the machine needs from the world outside.

/// Where a piece of output belongs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// The answer at a checkpoint.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Nothing to report.
    GoOn,
    /// Stop for this reason.
    Stop(super::Stop),
}

/// The error of a tool: exception type and message.
pub type ToolError = (String, String);

/// What a call of a tool came to: an encoded value or an error.
pub type ToolResult = Result<Vec<u8>, ToolError>;

/// The world outside. In the sandbox each of these is an import of the component.
pub trait Host {
    /// Hands over output; `false` when the output limit has been reached.
    fn write(&mut self, to: Stream, bytes: &[u8]) -> bool;
    /// Nanoseconds since the Unix epoch.
    fn wall_clock(&mut self) -> u64;
    /// Nanoseconds since some start.
    fn monotonic_clock(&mut self) -> u64;
    /// Waits for that many nanoseconds.
    fn sleep(&mut self, nanoseconds: u64);
    /// Random bytes.
    fn entropy(&mut self, count: usize) -> Vec<u8>;
    /// Whether to go on.
    fn checkpoint(&mut self) -> Verdict;
    /// Calls a tool with encoded arguments.
    fn call_tool(&mut self, name: &str, arguments: &[u8]) -> ToolResult;
    /// Begins a call that runs beside the program, and gives its number. Never waits.
    fn start_tool(&mut self, name: &str, _arguments: &[u8]) -> Result<u64, ToolError> {
        Err((
            "NotImplementedError".to_owned(),
            format!("the host cannot call {name}"),
        ))
    }
    /// Waits until a call that was begun has ended, but not longer than that many nanoseconds. `None` also when none is under way.
    fn wait_tool(&mut self, nanoseconds: Option<u64>) -> Option<(u64, ToolResult)> {
        if let Some(length) = nanoseconds {
            self.sleep(length);
        }
        None
    }
    /// The program no longer wants the outcome of a call that was begun.
    fn drop_tool(&mut self, _call: u64) {}
    /// A stand-in for that object of the host is gone.
    fn release_handle(&mut self, _handle: u64) {}
    /// Reads an attribute that the host has registered for its object.
    fn handle_attribute(&mut self, _handle: u64, name: &str) -> ToolResult {
        Err((
            "AttributeError".to_owned(),
            format!("host object has no attribute '{name}'"),
        ))
    }
}
