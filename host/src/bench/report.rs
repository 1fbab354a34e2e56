//! What was measured. All of it can be serialized; the names of the fields are those of the command's JSON.

use serde::Serialize;

use super::Spread;

/// What became of a benchmark.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// The version of coldframe that ran it. Fuel may differ between versions.
    pub version: &'static str,
    /// Runs of each snippet at each limit.
    pub runs: u32,
    /// How fast this machine burns fuel.
    pub machine: Machine,
    /// The snippets, in the order in which they were given.
    pub snippets: Vec<SnippetReport>,
    /// The limit for the time budget.
    pub suggestion: Suggestion,
}

impl Report {
    /// The snippets whose good runs did not all burn the same fuel: those that look at the clock or ask for chance.
    pub fn varying(&self) -> impl Iterator<Item = &SnippetReport> {
        self.snippets
            .iter()
            .filter(|s| s.fuel.is_some_and(|f| !f.is_identical()))
    }
}

/// The rate at which this machine burns fuel, from programs whose steps are counted.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Machine {
    /// Units of fuel in a second: the median over the kinds of steps.
    pub fuel_per_second: f64,
    /// The same of the slowest kind.
    pub least_fuel_per_second: f64,
    /// Units of fuel that a step of a program takes: the mean over the kinds. Limits and usage count in operations of
    /// [`Limits::FUEL_PER_OPERATION`](crate::Limits::FUEL_PER_OPERATION), which leaves room for dearer steps.
    pub fuel_per_operation: f64,
    /// Nanoseconds that a step takes: the mean over the kinds.
    pub nanoseconds_per_operation: f64,
    /// Whether fuel was identical in all runs of each kind.
    pub fuel_is_identical: bool,
    /// The kinds one by one.
    pub kinds: Vec<KindRate>,
}

/// What one kind of step takes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct KindRate {
    /// The statement that was repeated.
    pub statement: &'static str,
    /// How many operations it is: names, constants, operators, calls and the statement itself, and those of a function that it calls.
    pub operations: u32,
    /// Units of fuel for each of them.
    pub fuel_per_operation: f64,
    /// Nanoseconds for each of them.
    pub nanoseconds_per_operation: f64,
    /// Units of fuel in a second of this kind.
    pub fuel_per_second: f64,
}

/// One snippet at all limits.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SnippetReport {
    /// Its name.
    pub name: String,
    /// The fuel of all its good runs, at whatever limit; nothing if none ended well.
    pub fuel: Option<FuelRange>,
    /// Whether that was identical in all of them.
    pub fuel_is_identical: Option<bool>,
    /// What became of it at each limit, the smallest first.
    pub rows: Vec<Row>,
}

impl SnippetReport {
    pub(super) fn new(name: String, rows: Vec<Row>) -> SnippetReport {
        let good = rows
            .iter()
            .filter_map(|row| Some(row.figures.as_ref()?.fuel));
        let fuel = good.reduce(FuelRange::with);
        SnippetReport {
            name,
            fuel,
            fuel_is_identical: fuel.map(FuelRange::is_identical),
            rows,
        }
    }

    /// The figures at the largest limit at which a run ended well.
    pub fn figures(&self) -> Option<&Figures> {
        self.rows.iter().rev().find_map(|row| row.figures.as_ref())
    }
}

/// One snippet at one limit.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// The fuel limit.
    pub limit: u64,
    /// The figures of the runs that ended well, if any did.
    pub figures: Option<Figures>,
    /// How the others ended.
    pub others: Vec<OtherEnd>,
}

/// What good runs took.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figures {
    /// How many they were.
    pub runs: usize,
    /// Units of fuel.
    pub fuel: FuelRange,
    /// The fuel in operations, at the rate of [`Limits::FUEL_PER_OPERATION`](crate::Limits::FUEL_PER_OPERATION).
    pub operations: u64,
    /// Wall-clock time in seconds, without that of making the session.
    pub seconds: Spread,
    /// The largest size of the sandbox's memory in bytes, the interpreter's own included.
    pub memory: Spread,
    /// Units of fuel in a second, at the median.
    pub fuel_per_second: f64,
}

/// Runs that raised an exception or reached a limit, all in the same way.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OtherEnd {
    /// The kind of end, as [`ErrorKind::as_str`](crate::ErrorKind::as_str) has it.
    pub kind: &'static str,
    /// Whether that is a limit.
    pub is_limit: bool,
    /// Whether it is a defect of coldframe.
    pub is_fault: bool,
    /// The error as `Type: message`.
    pub message: String,
    /// The line where it happened, when known.
    pub line: Option<u32>,
    /// How many runs.
    pub runs: usize,
    /// Units of fuel that they had burnt.
    pub fuel: FuelRange,
}

/// The least and the most fuel of some runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct FuelRange {
    /// The least.
    pub least: u64,
    /// The most.
    pub most: u64,
}

impl FuelRange {
    pub(super) fn of(fuel: u64) -> FuelRange {
        FuelRange {
            least: fuel,
            most: fuel,
        }
    }

    pub(super) fn with(self, other: FuelRange) -> FuelRange {
        FuelRange {
            least: self.least.min(other.least),
            most: self.most.max(other.most),
        }
    }

    /// Whether all runs burnt the same.
    pub fn is_identical(self) -> bool {
        self.least == self.most
    }
}

/// A fuel limit for a time budget.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Suggestion {
    /// The budget.
    pub budget_seconds: f64,
    /// The part of it that stays unused.
    pub margin: f64,
    /// The slowest rate that was seen, which the limit is for.
    pub fuel_per_second: f64,
    /// The fuel limit, rounded down to two digits.
    pub limit: u64,
    /// The same in operations.
    pub operations: u64,
    /// The snippet that burns the most of those that ended well.
    pub dearest: Option<Dearest>,
}

/// The dearest snippet, beside the limit that is suggested.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Dearest {
    /// Its name.
    pub name: String,
    /// What it burns.
    pub fuel: u64,
    /// Which part of the suggested limit that is; above 1 when it does not fit the budget.
    pub share: f64,
}
