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
    fn call_tool(&mut self, name: &str, arguments: &[u8]) -> Result<Vec<u8>, ToolError>;
}
