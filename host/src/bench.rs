//! Measures programs to find the fuel limit that suits them: what they burn and take at several limits, how much fuel this machine burns in a second, and
//! which limit keeps a program within a time budget.
//!
//! ```no_run
//! # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
//! use coldframe::bench::{Bench, Snippet};
//!
//! let engine = coldframe::Engine::new()?;
//! let snippets = [Snippet::new("powers", "sum(n ** 3 for n in range(100_000))")];
//! let report = Bench::new(coldframe::Policy::default()).runs(5).measure(&engine, &snippets).await?;
//! println!("a limit for one second: {}", report.suggestion.limit);
//! # Ok::<(), coldframe::bench::BenchError>(())
//! # }).unwrap();
//! ```
//!
//! Each run has a fresh session, and rounds go through all snippets and limits in turn, so that a busy moment of the machine falls on all of them. Nothing here
//! reads files or prints: that is the command's ([`Report`] is what it prints).

mod calibration;
mod report;
mod spread;

use std::time::Duration;

use crate::engine::Engine;
use crate::error::{Error, ErrorKind};
use crate::limits::{LimitError, Limits};
use crate::policy::Policy;
use crate::session::{Outcome, RunOptions};

pub use report::{
    Dearest, Figures, FuelRange, KindRate, Machine, OtherEnd, Report, Row, SnippetReport,
    Suggestion,
};
pub use spread::Spread;

/// Rates come from runs of at least this length: in shorter ones the clock and the call into the sandbox weigh too much.
const LEAST_TIME: f64 = 0.001;

/// A program to measure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snippet {
    name: String,
    source: String,
}

impl Snippet {
    /// A program with the name that the report shows.
    pub fn new(name: impl Into<String>, source: impl Into<String>) -> Snippet {
        Snippet {
            name: name.into(),
            source: source.into(),
        }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }
}

/// Why nothing could be measured.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BenchError {
    /// The settings make no sense.
    #[error("{0}")]
    Settings(String),
    /// A fuel limit that makes no sense.
    #[error(transparent)]
    Limit(#[from] LimitError),
    /// The engine or a session failed.
    #[error(transparent)]
    Engine(#[from] Error),
}

/// How to measure.
#[derive(Clone, Debug)]
pub struct Bench {
    policy: Policy,
    limits: Vec<u64>,
    runs: u32,
    warm_ups: u32,
    budget: Duration,
    margin: f64,
}

impl Bench {
    /// The fuel limits unless others are set: from a few milliseconds' work to some seconds'.
    pub const DEFAULT_LIMITS: [u64; 4] = [10_000_000, 100_000_000, 1_000_000_000, 10_000_000_000];

    /// Measures under this policy, of which only the fuel limit is replaced: 10 runs at each of four limits, for a budget of a second with a margin of a
    /// quarter.
    pub fn new(policy: impl Into<Policy>) -> Bench {
        Bench {
            policy: policy.into(),
            limits: Bench::DEFAULT_LIMITS.to_vec(),
            runs: 10,
            warm_ups: 1,
            budget: Duration::from_secs(1),
            margin: 0.25,
        }
    }

    /// The fuel limits to run at; they are sorted, and each counts once.
    pub fn limits(mut self, limits: impl IntoIterator<Item = u64>) -> Self {
        self.limits = limits.into_iter().collect();
        self.limits.sort_unstable();
        self.limits.dedup();
        self
    }

    /// How often each snippet runs at each limit, 1 to 100,000.
    pub fn runs(mut self, runs: u32) -> Self {
        self.runs = runs;
        self
    }

    /// How many rounds come first that do not count; 1 if not set.
    pub fn warm_ups(mut self, rounds: u32) -> Self {
        self.warm_ups = rounds;
        self
    }

    /// The time that a program may take, for which a limit is suggested.
    pub fn budget(mut self, time: Duration) -> Self {
        self.budget = time;
        self
    }

    /// The part of the budget that stays unused, for a busier machine: 0 up to 1, 1 excluded.
    pub fn margin(mut self, part: f64) -> Self {
        self.margin = part;
        self
    }

    /// Runs everything.
    ///
    /// # Errors
    /// When a setting makes no sense, or the engine fails. What programs do, also raising or reaching a limit, is in the report.
    pub async fn measure(
        &self,
        engine: &Engine,
        snippets: &[Snippet],
    ) -> Result<Report, BenchError> {
        let policies = self.policies(snippets)?;
        let machine = calibration::measure(engine).await?;
        let mut seen: Vec<Vec<Vec<Outcome>>> =
            vec![vec![Vec::new(); policies.len()]; snippets.len()];
        for round in 0..self.warm_ups.saturating_add(self.runs) {
            for (snippet, rows) in snippets.iter().zip(&mut seen) {
                for (policy, outcomes) in policies.iter().zip(rows) {
                    let outcome = run(engine, policy, snippet).await?;
                    if round >= self.warm_ups {
                        outcomes.push(outcome);
                    }
                }
            }
        }
        let snippets: Vec<SnippetReport> = snippets
            .iter()
            .zip(&seen)
            .map(|(snippet, rows)| {
                let limits = self.limits.iter().zip(rows);
                let rows = limits.map(|(&limit, outcomes)| row(limit, outcomes));
                SnippetReport::new(snippet.name.clone(), rows.collect())
            })
            .collect();
        let suggestion = self.suggest(&machine, &snippets);
        Ok(Report {
            version: env!("CARGO_PKG_VERSION"),
            runs: self.runs,
            machine,
            snippets,
            suggestion,
        })
    }

    /// The policy once for each limit, when the settings make sense.
    fn policies(&self, snippets: &[Snippet]) -> Result<Vec<Policy>, BenchError> {
        let wrong = |what: &str| Err(BenchError::Settings(what.to_owned()));
        if snippets.is_empty() {
            return wrong("there is nothing to measure");
        }
        if self.limits.is_empty() {
            return wrong("there is no fuel limit to measure at");
        }
        if !(1..=100_000).contains(&self.runs) {
            return wrong("the number of runs must be 1 to 100000");
        }
        if !(0.0..1.0).contains(&self.margin) {
            return wrong("the margin must be at least 0 and below 1");
        }
        if self.budget.is_zero() {
            return wrong("the time budget must not be zero");
        }
        let policy = |&fuel: &u64| {
            let limits = self.policy.limits().to_builder().fuel(fuel).build()?;
            Ok(self.policy.clone().with_limits(limits))
        };
        self.limits.iter().map(policy).collect()
    }

    fn suggest(&self, machine: &Machine, snippets: &[SnippetReport]) -> Suggestion {
        // The slowest rate that anything had: fuel is no clock, and different programs burn it at different speeds.
        let figures = snippets.iter().filter_map(SnippetReport::figures);
        let rates = figures
            .filter(|f| f.seconds.median >= LEAST_TIME)
            .map(|f| f.fuel.most as f64 / f.seconds.p95);
        let rate = rates.fold(machine.least_fuel_per_second, f64::min);
        let limit = round_down(rate * self.budget.as_secs_f64() * (1.0 - self.margin));
        let dearest = snippets
            .iter()
            .filter_map(|s| Some((s, s.fuel?.most)))
            .max_by_key(|&(_, fuel)| fuel)
            .map(|(snippet, fuel)| Dearest {
                name: snippet.name.clone(),
                fuel,
                share: fuel as f64 / limit as f64,
            });
        Suggestion {
            budget_seconds: self.budget.as_secs_f64(),
            margin: self.margin,
            fuel_per_second: rate,
            limit,
            operations: limit / Limits::FUEL_PER_OPERATION,
            dearest,
        }
    }
}

async fn run(engine: &Engine, policy: &Policy, snippet: &Snippet) -> Result<Outcome, Error> {
    let options = RunOptions::default()
        .file_name(snippet.name.clone())
        .want_value(false)
        .last(true)
        .keep_output(false);
    let mut session = engine.session(policy).await?;
    session.run_with(&snippet.source, options).await
}

/// Two leading digits, the rest zeros; at least 1.
fn round_down(number: f64) -> u64 {
    let number = (number as u64).clamp(1, Limits::MAX_FUEL);
    let step = 10u64.pow(number.ilog10().saturating_sub(1));
    number / step * step
}

fn row(limit: u64, outcomes: &[Outcome]) -> Row {
    let is_good = |o: &&Outcome| o.error.as_ref().is_none_or(|e| e.is_success());
    let good: Vec<&Outcome> = outcomes.iter().filter(is_good).collect();
    let mut others: Vec<OtherEnd> = Vec::new();
    for outcome in outcomes.iter().filter(|o| !is_good(o)) {
        let Some(error) = &outcome.error else {
            continue;
        };
        let message = error.to_string();
        let same =
            |other: &&mut OtherEnd| other.kind == error.kind.as_str() && other.message == message;
        let fuel = FuelRange::of(outcome.usage.fuel);
        if let Some(other) = others.iter_mut().find(same) {
            other.runs += 1;
            other.fuel = other.fuel.with(fuel);
        } else {
            others.push(OtherEnd {
                kind: error.kind.as_str(),
                is_limit: error.kind.is_limit(),
                is_fault: error.kind == ErrorKind::Fault,
                message,
                line: error.line,
                runs: 1,
                fuel,
            });
        }
    }
    Row {
        limit,
        figures: figures(&good),
        others,
    }
}

fn figures(good: &[&Outcome]) -> Option<Figures> {
    let fuels = good.iter().map(|o| FuelRange::of(o.usage.fuel));
    let fuel = fuels.reduce(FuelRange::with)?;
    let seconds = Spread::of(good.iter().map(|o| o.usage.duration.as_secs_f64()))?;
    Some(Figures {
        runs: good.len(),
        fuel,
        operations: fuel.most / Limits::FUEL_PER_OPERATION,
        seconds,
        memory: Spread::of(good.iter().map(|o| o.usage.peak_memory as f64))?,
        fuel_per_second: fuel.most as f64 / seconds.median.max(1e-9),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measure(bench: &Bench, snippets: &[Snippet]) -> Result<Report, BenchError> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build();
        let runtime = runtime.expect("a runtime");
        runtime.block_on(async { bench.measure(&Engine::new()?, snippets).await })
    }

    #[test]
    fn ends_are_told_apart_and_only_good_runs_are_averaged() {
        let snippets = [
            Snippet::new("good", "sum(range(1000))"),
            Snippet::new("raises", "x = 1\n1 / 0"),
            Snippet::new("dear", "for i in range(200_000): pass"),
            Snippet::new("exits", "import sys; sys.exit(0)"),
        ];
        let bench = Bench::new(Policy::default())
            .limits([5_000_000_000, 1_000_000, 1_000_000])
            .runs(3);
        let report = measure(&bench, &snippets).expect("a report");
        let [good, raises, dear, exits] = &report.snippets[..] else {
            panic!("{report:?}")
        };
        assert_eq!(good.rows.len(), 2);
        for row in good.rows.iter().chain(&exits.rows) {
            assert!(row.others.is_empty());
            assert_eq!(row.figures.as_ref().map(|f| f.runs), Some(3));
        }
        assert!(good.fuel.is_some_and(|f| f.is_identical()), "{good:?}");
        let [low, high] = &raises.rows[..] else {
            panic!("{raises:?}")
        };
        for row in [low, high] {
            assert!(row.figures.is_none());
            assert_eq!((row.others.len(), row.others[0].runs), (1, 3));
            assert_eq!(row.others[0].message, "ZeroDivisionError: division by zero");
            assert_eq!(row.others[0].line, Some(2));
        }
        assert_eq!(raises.fuel, None);
        assert_eq!(dear.rows[0].others[0].kind, "fuel");
        assert!(dear.rows[0].others[0].is_limit && dear.rows[0].figures.is_none());
        assert!(dear.rows[1].figures.is_some());
        assert_eq!(
            report.suggestion.dearest.as_ref().map(|d| d.name.as_str()),
            Some("dear")
        );
        assert!(report.machine.fuel_is_identical);
        assert!(report.machine.fuel_per_second > 1e6);
        assert!((1.0..10_000.0).contains(&report.machine.fuel_per_operation));
    }

    #[test]
    fn a_program_that_asks_for_chance_may_vary_and_is_told_so() {
        let source = "import os\nfor i in range(os.urandom(2)[0] * 50): pass";
        let bench = Bench::new(Policy::default())
            .limits([5_000_000_000])
            .runs(8);
        let report = measure(&bench, &[Snippet::new("chance", source)]).expect("a report");
        assert!(
            report.snippets[0].fuel.is_some_and(|f| !f.is_identical()),
            "{report:?}"
        );
        assert_eq!(report.varying().count(), 1);
        let seeded = Bench::new(Policy::default().with_seed(7))
            .limits([5_000_000_000])
            .runs(4);
        let report = measure(&seeded, &[Snippet::new("chance", source)]).expect("a report");
        assert_eq!(report.varying().count(), 0);
    }

    #[test]
    fn settings_without_sense_are_refused() {
        let one = [Snippet::new("x", "1")];
        let bench = || Bench::new(Policy::default());
        for (bench, snippets, text) in [
            (bench(), &[][..], "there is nothing to measure"),
            (
                bench().limits([]),
                &one,
                "there is no fuel limit to measure at",
            ),
            (
                bench().runs(0),
                &one,
                "the number of runs must be 1 to 100000",
            ),
            (
                bench().margin(1.0),
                &one,
                "the margin must be at least 0 and below 1",
            ),
            (
                bench().margin(f64::NAN),
                &one,
                "the margin must be at least 0 and below 1",
            ),
            (
                bench().budget(Duration::ZERO),
                &one,
                "the time budget must not be zero",
            ),
            (
                bench().limits([0]),
                &one,
                "fuel limit of 0: too small, the least is 1",
            ),
        ] {
            assert_eq!(measure(&bench, snippets).unwrap_err().to_string(), text);
        }
    }

    #[test]
    fn two_digits_are_kept() {
        for (number, rounded) in [
            (0.0, 1),
            (7.9, 7),
            (99.0, 99),
            (129.0, 120),
            (1_234_567.8, 1_200_000),
            (1e300, Limits::MAX_FUEL),
        ] {
            assert_eq!(round_down(number), rounded, "{number}");
        }
    }
}
