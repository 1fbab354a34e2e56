//! What a run may use: the limits, their bounds and their defaults.

use std::fmt;
use std::time::Duration;

/// What a session may use. Every limit is always on; [`Limits::builder`] changes them.
///
/// Fuel, time, output, recursion and tool calls count for each run, memory and files for the session as a whole.
///
/// ```
/// use std::time::Duration;
/// let limits = coldframe::Limits::builder().time(Duration::from_secs(2)).memory(64 << 20).build()?;
/// assert_eq!(limits.time(), Duration::from_secs(2));
/// # Ok::<(), coldframe::LimitError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    pub(crate) fuel: u64,
    pub(crate) time: Duration,
    pub(crate) memory: u64,
    pub(crate) output: u64,
    pub(crate) recursion: u32,
    pub(crate) files: u64,
    pub(crate) tool_calls: u64,
    pub(crate) tool_bytes: u64,
    pub(crate) counts_tool_time: bool,
}

impl Limits {
    /// The largest fuel limit; more would run for months.
    pub const MAX_FUEL: u64 = 10_000_000_000_000_000;
    /// What one operation costs: a step of the program such as a name, a constant, a call or an operator, on average over ordinary
    /// programs. Limits in operations are set at this rate, and usage is told at it.
    pub const FUEL_PER_OPERATION: u64 = 250;
    /// The shortest time limit.
    pub const MIN_TIME: Duration = Duration::from_millis(1);
    /// The longest time limit: a week.
    pub const MAX_TIME: Duration = Duration::from_secs(7 * 24 * 3600);
    /// The smallest memory limit: the interpreter itself needs most of it. A test sees to it that a session starts with so much.
    pub const MIN_MEMORY: u64 = 28 << 20;
    /// The largest memory limit: a sandbox has 32-bit addresses.
    pub const MAX_MEMORY: u64 = 4 << 30;
    /// The largest output limit: the host keeps the output in memory.
    pub const MAX_OUTPUT: u64 = 1 << 30;
    /// The smallest recursion limit; below it not even the standard library works.
    pub const MIN_RECURSION: u32 = 50;
    /// The largest recursion limit.
    pub const MAX_RECURSION: u32 = 100_000;

    /// The most that files in memory may take.
    pub const MAX_FILES: u64 = 2 << 30;
    /// What files in memory may take unless it is set.
    pub const DEFAULT_FILES: u64 = 64 << 20;

    /// The largest limit of tool calls.
    pub const MAX_TOOL_CALLS: u64 = 1 << 40;
    /// The largest limit for the arguments or the result of a tool call; it is what a value may take that leaves a sandbox.
    pub const MAX_TOOL_BYTES: u64 = 32 << 20;

    /// Starts from the defaults: fuel for about half a minute, 30 seconds, 256 MiB, 16 MiB of output, 1,000 frames, 64 MiB of files, 100,000 tool calls
    /// of 16 MiB each way at most.
    pub fn builder() -> LimitsBuilder {
        LimitsBuilder(Limits::default())
    }

    /// Starts from these limits.
    pub fn to_builder(&self) -> LimitsBuilder {
        LimitsBuilder(self.clone())
    }

    /// Units of fuel a run may burn; about one for each WebAssembly instruction, and the same on every machine.
    pub fn fuel(&self) -> u64 {
        self.fuel
    }

    /// Wall-clock time a run may take.
    pub fn time(&self) -> Duration {
        self.time
    }

    /// Bytes of memory the sandbox may have, the interpreter's own included.
    pub fn memory(&self) -> u64 {
        self.memory
    }

    /// Bytes a run may write to stdout and stderr together.
    pub fn output(&self) -> u64 {
        self.output
    }

    /// Python frames that may be active at once.
    pub fn recursion(&self) -> u32 {
        self.recursion
    }

    /// Bytes that the session's files may take, all together. They lie in the sandbox's memory and count there too.
    pub fn files(&self) -> u64 {
        self.files
    }

    /// Calls of tools a run may make. One more is a `RuntimeError` for the program.
    pub fn tool_calls(&self) -> u64 {
        self.tool_calls
    }

    /// Bytes that the arguments of one tool call may take when they are encoded, and so for its result; also those of all calls that run beside the
    /// program taken together. More is a `ValueError` for the program. Values outside the sandbox take some ten times as much as encoded.
    pub fn tool_bytes(&self) -> u64 {
        self.tool_bytes
    }

    /// Whether the time in which a run waits for tools counts against its time limit.
    pub fn counts_tool_time(&self) -> bool {
        self.counts_tool_time
    }
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            fuel: 50_000_000_000,
            time: Duration::from_secs(30),
            memory: 256 << 20,
            output: 16 << 20,
            recursion: 1_000,
            files: Limits::DEFAULT_FILES,
            tool_calls: 100_000,
            tool_bytes: 16 << 20,
            counts_tool_time: false,
        }
    }
}

/// Changes single limits; made by [`Limits::builder`].
#[derive(Clone, Debug)]
pub struct LimitsBuilder(Limits);

impl LimitsBuilder {
    /// Sets [`Limits::fuel`].
    pub fn fuel(mut self, units: u64) -> Self {
        self.0.fuel = units;
        self
    }

    /// Sets [`Limits::fuel`] to that of so many operations, at [`Limits::FUEL_PER_OPERATION`] each. Imports cost many.
    pub fn operations(self, count: u64) -> Self {
        self.fuel(count.saturating_mul(Limits::FUEL_PER_OPERATION))
    }

    /// Sets [`Limits::time`].
    pub fn time(mut self, time: Duration) -> Self {
        self.0.time = time;
        self
    }

    /// Sets [`Limits::memory`].
    pub fn memory(mut self, bytes: u64) -> Self {
        self.0.memory = bytes;
        self
    }

    /// Sets [`Limits::output`].
    pub fn output(mut self, bytes: u64) -> Self {
        self.0.output = bytes;
        self
    }

    /// Sets [`Limits::recursion`].
    pub fn recursion(mut self, frames: u32) -> Self {
        self.0.recursion = frames;
        self
    }

    /// Sets [`Limits::files`].
    pub fn files(mut self, bytes: u64) -> Self {
        self.0.files = bytes;
        self
    }

    /// Sets [`Limits::tool_calls`].
    pub fn tool_calls(mut self, calls: u64) -> Self {
        self.0.tool_calls = calls;
        self
    }

    /// Sets [`Limits::tool_bytes`].
    pub fn tool_bytes(mut self, bytes: u64) -> Self {
        self.0.tool_bytes = bytes;
        self
    }

    /// Sets [`Limits::counts_tool_time`]; it does not count if not set.
    pub fn count_tool_time(mut self, counts: bool) -> Self {
        self.0.counts_tool_time = counts;
        self
    }

    /// Checks every limit and hands out the set.
    pub fn build(self) -> Result<Limits, LimitError> {
        let limits = self.0;
        within(LimitName::Fuel, limits.fuel, 1, Limits::MAX_FUEL)?;
        within(
            LimitName::Time,
            limits.time,
            Limits::MIN_TIME,
            Limits::MAX_TIME,
        )?;
        within(
            LimitName::Memory,
            limits.memory,
            Limits::MIN_MEMORY,
            Limits::MAX_MEMORY,
        )?;
        within(LimitName::Output, limits.output, 1, Limits::MAX_OUTPUT)?;
        within(
            LimitName::Recursion,
            limits.recursion,
            Limits::MIN_RECURSION,
            Limits::MAX_RECURSION,
        )?;
        within(LimitName::Files, limits.files, 0, Limits::MAX_FILES)?;
        // None at all is a sensible limit here.
        within(
            LimitName::ToolCalls,
            limits.tool_calls,
            0,
            Limits::MAX_TOOL_CALLS,
        )?;
        within(
            LimitName::ToolBytes,
            limits.tool_bytes,
            1,
            Limits::MAX_TOOL_BYTES,
        )?;
        Ok(limits)
    }
}

fn within<T: Copy + PartialOrd + Quantity>(
    limit: LimitName,
    given: T,
    least: T,
    most: T,
) -> Result<(), LimitError> {
    if (least..=most).contains(&given) {
        return Ok(());
    }
    Err(LimitError {
        limit,
        given: given.show(limit),
        reason: if given < least {
            format!("too small, the least is {}", least.show(limit))
        } else {
            format!("too large, the most is {}", most.show(limit))
        },
    })
}

/// A limit as people write it.
trait Quantity {
    fn show(self, limit: LimitName) -> String;
}

impl Quantity for u64 {
    fn show(self, limit: LimitName) -> String {
        if matches!(limit, LimitName::Fuel | LimitName::ToolCalls) {
            return self.to_string();
        }
        for (shift, unit) in [(30, "GiB"), (20, "MiB"), (10, "KiB")] {
            if self >= 1 << shift && self.is_multiple_of(1 << shift) {
                return format!("{} {unit}", self >> shift);
            }
        }
        if self == 1 {
            "1 byte".to_owned()
        } else {
            format!("{self} bytes")
        }
    }
}

impl Quantity for u32 {
    fn show(self, _: LimitName) -> String {
        format!("{self} frames")
    }
}

impl Quantity for Duration {
    fn show(self, _: LimitName) -> String {
        if self.is_zero() {
            "0s".to_owned()
        } else {
            format!("{self:?}")
        }
    }
}

/// Which limit an error is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LimitName {
    /// [`Limits::fuel`]
    Fuel,
    /// [`Limits::time`]
    Time,
    /// [`Limits::memory`]
    Memory,
    /// [`Limits::output`]
    Output,
    /// [`Limits::recursion`]
    Recursion,
    /// [`Limits::files`]
    Files,
    /// [`Limits::tool_calls`]
    ToolCalls,
    /// [`Limits::tool_bytes`]
    ToolBytes,
}

impl fmt::Display for LimitName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            LimitName::Fuel => "fuel",
            LimitName::Time => "time",
            LimitName::Memory => "memory",
            LimitName::Output => "output",
            LimitName::Recursion => "recursion",
            LimitName::Files => "file",
            LimitName::ToolCalls => "tool call",
            LimitName::ToolBytes => "tool size",
        })
    }
}

/// A limit that makes no sense.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{limit} limit of {given}: {reason}")]
pub struct LimitError {
    /// The limit.
    pub limit: LimitName,
    /// What was asked for.
    pub given: String,
    /// Why it is refused, with the bound that it breaks.
    pub reason: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_valid() {
        assert_eq!(Limits::builder().build(), Ok(Limits::default()));
    }

    #[test]
    fn zero_and_absurd_limits_are_refused_with_the_bound() {
        let say = |b: LimitsBuilder| b.build().unwrap_err().to_string();
        assert_eq!(
            say(Limits::builder().fuel(0)),
            "fuel limit of 0: too small, the least is 1"
        );
        assert_eq!(
            say(Limits::builder().time(Duration::ZERO)),
            "time limit of 0s: too small, the least is 1ms"
        );
        assert_eq!(
            say(Limits::builder().memory(0)),
            "memory limit of 0 bytes: too small, the least is 28 MiB"
        );
        assert_eq!(
            say(Limits::builder().memory(1 << 50)),
            "memory limit of 1048576 GiB: too large, the most is 4 GiB"
        );
        assert_eq!(
            say(Limits::builder().output(0)),
            "output limit of 0 bytes: too small, the least is 1 byte"
        );
        assert_eq!(
            say(Limits::builder().recursion(u32::MAX)),
            "recursion limit of 4294967295 frames: too large, the most is 100000 frames"
        );
    }
}
