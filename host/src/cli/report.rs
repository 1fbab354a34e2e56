//! Tells what became of a run: on stderr, as JSON, as exit status.

use coldframe::{ErrorKind, Outcome, RunError};
use serde::Serialize;

use super::status;

/// The exit status of an outcome.
pub(super) fn exit_status(error: Option<&RunError>) -> u8 {
    match error.map(|e| e.kind) {
        None => 0,
        // As the system does, the lowest eight bits count.
        Some(ErrorKind::Exit { code }) => code as u8,
        Some(ErrorKind::Exception | ErrorKind::Syntax | ErrorKind::Refused) => {
            status::PYTHON_EXCEPTION
        }
        Some(kind) if kind.is_limit() => status::LIMIT,
        // Where it ran, its process ended.
        Some(ErrorKind::Died) => status::PYTHON_EXCEPTION,
        // The reader of the output went away.
        Some(ErrorKind::Cancelled) => status::PYTHON_EXCEPTION,
        Some(_) => status::DEFECT,
    }
}

/// What stderr gets to see of a failure: what Python would print, or what the preset's agents would be told, and which limit it was.
pub(super) fn text(outcome: &Outcome) -> String {
    let Some(error) = &outcome.error else {
        return String::new();
    };
    let mut text = match outcome.agent_text() {
        Some(text) => format!("{text}\n"),
        None => python_text(error),
    };
    if let Some(exceeded) = &error.exceeded {
        text.push_str(&format!("coldframe: {exceeded}\n"));
    }
    text
}

fn python_text(error: &RunError) -> String {
    match error.kind {
        // A message that `sys.exit` was given has been written by the program itself.
        ErrorKind::Cancelled | ErrorKind::Exit { .. } => String::new(),
        _ if error.traceback.is_empty() => format!("{error}\n"),
        _ => error.traceback.clone(),
    }
}

/// The document that `--json` prints.
#[derive(Serialize)]
struct Document<'a> {
    stdout: String,
    stderr: String,
    error: Option<Failure<'a>>,
    /// `repr()` of the last expression's value.
    value: Option<&'a str>,
    /// The value itself, in the form of [`coldframe::value::json`], when it can cross.
    value_json: Option<serde_json::Value>,
    usage: Usage,
    /// Where it ran.
    place: &'a str,
    exit_code: u8,
}

#[derive(Serialize)]
struct Failure<'a> {
    kind: &'a str,
    r#type: &'a str,
    message: &'a str,
    line: Option<u32>,
    traceback: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent_text: Option<&'a str>,
    limit: Option<Limit>,
}

#[derive(Serialize)]
struct Limit {
    name: String,
    used: u64,
    allowed: u64,
}

#[derive(Serialize)]
struct Usage {
    fuel: u64,
    operations: u64,
    duration_ms: f64,
    peak_memory: u64,
    output_bytes: u64,
}

/// The outcome as one line of JSON.
pub(super) fn json(outcome: &Outcome) -> String {
    let error = outcome.error.as_ref();
    let document = Document {
        stdout: outcome.output.stdout(),
        stderr: outcome.output.stderr(),
        error: error
            .filter(|e| e.kind != ErrorKind::Exit { code: 0 })
            .map(|e| Failure {
                kind: e.kind.as_str(),
                r#type: &e.type_name,
                message: &e.message,
                line: e.line,
                traceback: &e.traceback,
                agent_text: outcome.agent_text(),
                limit: e.exceeded.as_deref().map(|exceeded| Limit {
                    name: exceeded.limit.to_string(),
                    used: exceeded.used,
                    allowed: exceeded.allowed,
                }),
            }),
        value: outcome.value.as_ref().map(|v| v.repr.as_str()),
        value_json: outcome
            .value
            .as_ref()
            .and_then(|v| v.value.as_ref())
            .map(coldframe::Value::to_json),
        usage: Usage {
            fuel: outcome.usage.fuel,
            operations: outcome.usage.operations,
            duration_ms: (outcome.usage.duration.as_secs_f64() * 1e6).round() / 1e3,
            peak_memory: outcome.usage.peak_memory,
            output_bytes: outcome.usage.output_bytes,
        },
        place: outcome.place.as_str(),
        exit_code: exit_status(error),
    };
    serde_json::to_string(&document).unwrap_or_else(|e| format!("{{\"error\":\"{e}\"}}"))
}
