//! What a session has done: a record of each run, and figures over all of them. Spans and events go to `tracing`, figures to the recorder of the
//! `metrics` crate, if the process has installed them.

use std::collections::{BTreeMap, VecDeque};
use std::time::{Duration, SystemTime};

use serde::Serialize;

use crate::session::{Outcome, Usage};

/// Runs that a session remembers one by one, unless it is told otherwise.
const KEPT: usize = 100;

/// How much of a source a record has, in bytes.
const EXCERPT: usize = 200;

/// One run, as the log remembers it.
#[derive(Clone, Debug, Serialize)]
pub struct RunRecord {
    /// How many runs of the session there were before it.
    pub number: u64,
    /// When it began, in milliseconds since the Unix epoch.
    pub started_ms: u64,
    /// The beginning of its source, at most 200 bytes.
    pub source: String,
    /// Bytes of the whole source.
    pub source_bytes: usize,
    /// How it ended: `"success"`, or the kind of its error as [`ErrorKind::as_str`](crate::ErrorKind::as_str) has it.
    pub end: &'static str,
    /// The error as `Type: message`, at most 200 bytes.
    pub error: Option<String>,
    /// Wall-clock time in seconds.
    pub seconds: f64,
    /// Units of fuel.
    pub fuel: u64,
    /// Bytes of memory that the session has had at most.
    pub peak_memory: u64,
    /// Bytes of output.
    pub output_bytes: u64,
}

/// Figures over all runs of a session.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Statistics {
    /// Runs.
    pub runs: u64,
    /// Runs that ended well; `sys.exit(0)` is a good end.
    pub successes: u64,
    /// The others, by the kind of error.
    pub failures: BTreeMap<&'static str, u64>,
    /// Wall-clock time of all runs in seconds.
    pub seconds_total: f64,
    /// The longest run, in seconds.
    pub seconds_max: f64,
    /// Fuel of all runs.
    pub fuel_total: u64,
    /// Output of all runs, in bytes.
    pub output_total: u64,
}

impl Statistics {
    /// Mean wall-clock time of a run, in seconds; 0 without runs.
    pub fn seconds_mean(&self) -> f64 {
        if self.runs == 0 {
            0.0
        } else {
            self.seconds_total / self.runs as f64
        }
    }
}

/// The execution log of a session; see [`Session::log`](crate::Session::log).
#[derive(Clone, Debug)]
pub struct ExecutionLog {
    records: VecDeque<RunRecord>,
    kept: usize,
    statistics: Statistics,
}

impl Default for ExecutionLog {
    fn default() -> Self {
        ExecutionLog {
            records: VecDeque::new(),
            kept: KEPT,
            statistics: Statistics::default(),
        }
    }
}

impl ExecutionLog {
    /// The last runs, the oldest first.
    pub fn records(&self) -> impl ExactSizeIterator<Item = &RunRecord> {
        self.records.iter()
    }

    /// Figures over all runs, also those that are no longer among the records.
    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    /// Sets how many runs are remembered one by one: 100 unless it is set, none with 0.
    pub fn keep(&mut self, runs: usize) {
        self.kept = runs;
        while self.records.len() > runs {
            self.records.pop_front();
        }
    }

    /// Records and statistics as one JSON document.
    pub fn to_json(&self) -> String {
        #[derive(Serialize)]
        struct Document<'a> {
            statistics: &'a Statistics,
            runs: &'a VecDeque<RunRecord>,
        }
        let document = Document {
            statistics: &self.statistics,
            runs: &self.records,
        };
        // Strings and numbers always have a JSON form.
        serde_json::to_string(&document).unwrap_or_default()
    }

    /// Takes note of a run.
    pub(crate) fn note(&mut self, started: SystemTime, source: &str, outcome: &Outcome) {
        let Outcome { error, usage, .. } = outcome;
        let failure = error.as_ref().filter(|e| !e.is_success());
        let end = failure.map_or("success", |e| e.kind.as_str());
        report(end, usage);

        let seconds = usage.duration.as_secs_f64();
        let all = &mut self.statistics;
        all.runs += 1;
        match failure {
            None => all.successes += 1,
            Some(_) => *all.failures.entry(end).or_default() += 1,
        }
        all.seconds_total += seconds;
        all.seconds_max = all.seconds_max.max(seconds);
        all.fuel_total = all.fuel_total.saturating_add(usage.fuel);
        all.output_total += usage.output_bytes;
        if self.kept == 0 {
            return;
        }
        if self.records.len() == self.kept {
            self.records.pop_front();
        }
        self.records.push_back(RunRecord {
            number: all.runs - 1,
            started_ms: started
                .duration_since(SystemTime::UNIX_EPOCH)
                .unwrap_or_default()
                .as_millis()
                .try_into()
                .unwrap_or(u64::MAX),
            source: excerpt(source),
            source_bytes: source.len(),
            end,
            error: failure.map(|e| excerpt(&e.to_string())),
            seconds,
            fuel: usage.fuel,
            peak_memory: usage.peak_memory,
            output_bytes: usage.output_bytes,
        });
    }
}

fn excerpt(text: &str) -> String {
    text[..text.floor_char_boundary(EXCERPT)].to_owned()
}

/// Tells the process's subscribers.
fn report(end: &'static str, usage: &Usage) {
    tracing::debug!(
        end,
        fuel = usage.fuel,
        micros = usage.duration.as_micros() as u64,
        peak_memory = usage.peak_memory,
        output_bytes = usage.output_bytes,
        "the run has ended"
    );
    metrics::counter!("coldframe_runs_total", "end" => end).increment(1);
    metrics::counter!("coldframe_fuel_total").increment(usage.fuel);
    metrics::counter!("coldframe_output_bytes_total").increment(usage.output_bytes);
    metrics::histogram!("coldframe_run_seconds").record(usage.duration);
}

/// Counts the sessions that are alive.
pub(crate) struct Alive(());

impl Alive {
    pub(crate) fn new(start: Duration) -> Alive {
        metrics::gauge!("coldframe_sessions").increment(1);
        metrics::counter!("coldframe_sessions_total").increment(1);
        metrics::histogram!("coldframe_session_start_seconds").record(start);
        Alive(())
    }
}

impl Drop for Alive {
    fn drop(&mut self) {
        metrics::gauge!("coldframe_sessions").decrement(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::{ErrorKind, RunError};
    use crate::output::Output;

    fn outcome(error: Option<ErrorKind>, millis: u64) -> Outcome {
        Outcome {
            value: None,
            is_final_answer: false,
            output: Output::default(),
            error: error.map(|kind| RunError::outer(kind, "m")),
            usage: Usage {
                fuel: 10,
                duration: Duration::from_millis(millis),
                peak_memory: 1,
                tool_calls: 0,
                tool_time: Duration::ZERO,
                output_bytes: 2,
                operations: 0,
            },
            place: crate::backend::Place::Local,
            displays: Vec::new(),
            left_behind: Vec::new(),
        }
    }

    #[test]
    fn figures_count_all_runs_and_records_the_last() {
        let mut log = ExecutionLog::default();
        log.keep(2);
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1);
        log.note(now, "a", &outcome(None, 10));
        log.note(now, &"ä".repeat(150), &outcome(Some(ErrorKind::Time), 30));
        log.note(now, "c", &outcome(Some(ErrorKind::Exit { code: 0 }), 20));
        let all = log.statistics();
        assert_eq!(
            (all.runs, all.successes, all.fuel_total, all.output_total),
            (3, 2, 30, 6)
        );
        assert_eq!(all.failures, BTreeMap::from([("time", 1)]));
        assert!((all.seconds_mean() - 0.02).abs() < 1e-9 && (all.seconds_max - 0.03).abs() < 1e-9);
        let records: Vec<_> = log.records().collect();
        assert_eq!(
            records
                .iter()
                .map(|r| (r.number, r.end, r.source.len()))
                .collect::<Vec<_>>(),
            [(1, "time", 200), (2, "success", 1)]
        );
        assert_eq!(records[0].error.as_deref(), Some("TimeoutError: m"));
        let json: serde_json::Value = serde_json::from_str(&log.to_json()).expect("JSON");
        assert_eq!(json["statistics"]["failures"]["time"], 1);
        assert_eq!(json["runs"][1]["started_ms"], 1000);
    }
}
