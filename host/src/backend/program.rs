//! What is sent to a remote interpreter and what comes back: calls of the module that `kernel.py` puts there, and the records that it sends.
//!
//! This module knows Python and no protocol. Nothing that comes back is taken for granted: the program can say what it likes in the interpreter's name.

use std::time::Duration;

use serde_json::{Value as Json, json};

use super::{BackendError, Changes, Display, DisplayData, LeftBehind, Marks, Place};
use crate::error::{ErrorKind, Exceeded, RunError};
use crate::limits::Limits;
use crate::output::{Collector, Stream};
use crate::policy::Policy;
use crate::session::{LastValue, Outcome, RunOptions, Usage, Variable};
use crate::tool::Tools;
use crate::value::Value;

/// The media type of records.
pub(super) const MEDIA: &str = "application/vnd.coldframe+json";

const KERNEL: &str = include_str!("kernel.py");

/// The most that a remote program may show in pictures and the like.
const MAX_DISPLAYS: usize = 256;
/// The longest text of the interpreter's that an error holds.
const MAX_TEXT: usize = 1 << 20;

/// A text as a Python literal in ASCII.
fn literal(text: &str) -> String {
    use std::fmt::Write as _;

    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        let _ = match c {
            '"' | '\\' => write!(out, "\\{c}"),
            '\n' => write!(out, "\\n"),
            ' '..='~' => {
                out.push(c);
                Ok(())
            }
            c if (c as u32) < 0x1_0000 => write!(out, "\\u{:04x}", c as u32),
            c => write!(out, "\\U{:08x}", c as u32),
        };
    }
    out.push('"');
    out
}

/// Puts the module into an interpreter. `prompt` is how it marks what it asks the host on the interpreter's standard input, if somebody answers there.
pub(super) fn setup(prompt: Option<&str>) -> String {
    let prompt = prompt.map_or("None".to_owned(), literal);
    format!(
        "exec({}, {{\"__name__\": \"_coldframe\", \"PROMPT\": {prompt}}})",
        literal(KERNEL)
    )
}

/// Asks the module for something.
pub(super) fn cell(request: &Json) -> String {
    let wait = if request["await"] == true {
        "await "
    } else {
        ""
    };
    format!(
        "{wait}__import__(\"sys\").modules[\"_coldframe\"].serve({})",
        literal(&request.to_string())
    )
}

pub(super) fn run(source: &str, options: &RunOptions, limits: &Limits) -> Json {
    json!({
        "do": "run", "source": source, "file": options.file_name, "value": options.want_value,
        "await": options.top_level_await, "limit": limits.tool_bytes(),
    })
}

pub(super) fn tools(tools: &Tools, limits: &Limits) -> Result<Json, BackendError> {
    let definitions = Value::decode(tools.encoded()).map_err(crate::Error::from)?;
    Ok(json!({"do": "tools", "tools": definitions.to_safe_text(), "limit": limits.tool_bytes()}))
}

pub(super) fn get(name: &str, limits: &Limits) -> Json {
    json!({"do": "get", "name": name, "limit": limits.tool_bytes()})
}

pub(super) fn list(repr_limit: u32) -> Json {
    json!({"do": "list", "limit": repr_limit})
}

pub(super) fn changes(marks: &Marks, limits: &Limits) -> Json {
    json!({"do": "changes", "known": marks, "limit": limits.tool_bytes()})
}

pub(super) fn set<'a>(
    variables: impl IntoIterator<Item = (&'a String, &'a Value)>,
    gone: &[String],
    modules: &[(String, String)],
    limits: &Limits,
) -> Result<Json, BackendError> {
    let mut pairs = Vec::new();
    for (name, value) in variables {
        let wrong = |reason: &str| BackendError::Variable {
            name: name.clone(),
            reason: reason.to_owned(),
        };
        let starts = |c: char| c == '_' || c.is_alphabetic();
        if !name.starts_with(starts) || !name.chars().all(|c| c == '_' || c.is_alphanumeric()) {
            return Err(wrong("the name is not an identifier"));
        }
        if crate::tool::remote::holds_handle(value) {
            return Err(wrong(
                "objects of the host cannot go to a remote interpreter",
            ));
        }
        pairs.push((name, value.to_safe_text()));
    }
    Ok(
        json!({"do": "set", "variables": pairs, "gone": gone, "modules": modules, "limit": limits.tool_bytes()}),
    )
}

/// Names of packages, with versions perhaps, as an installer takes them: nothing that it could take for an option or a place.
pub(super) fn install(place: Place, packages: &[String]) -> Result<Json, BackendError> {
    for package in packages {
        check_package(place, package)?;
    }
    Ok(json!({"do": "install", "packages": packages}))
}

pub(super) fn check_package(place: Place, package: &str) -> Result<(), BackendError> {
    let good = |c: char| c.is_ascii_alphanumeric() || "-_.[],<>=!~*+ ".contains(c);
    if package.len() <= 200
        && package.starts_with(|c: char| c.is_ascii_alphanumeric())
        && package.chars().all(good)
    {
        return Ok(());
    }
    Err(BackendError::Install {
        place,
        packages: format!("{package:?}"),
        reason: "that is not the name of a package".to_owned(),
    })
}

/// What came back of one request.
pub(super) struct Gathered {
    collector: Collector,
    displays: Vec<Display>,
    display_room: usize,
    record: Option<Json>,
    /// An error that the interpreter reported itself, and not the module in it.
    error: Option<(String, String, String)>,
    /// Whether the code is the program itself, and sends no record.
    is_raw: bool,
}

impl Gathered {
    pub(super) fn new(options: &mut RunOptions, policy: &Policy) -> Gathered {
        let limits = policy.limits();
        Gathered {
            collector: Collector {
                keep: options.keep_output,
                sink: options.sink.take(),
                limit: limits.output(),
                cut: policy.cut().cloned(),
                ..Collector::default()
            },
            display_room: usize::try_from(limits.tool_bytes()).unwrap_or(usize::MAX),
            displays: Vec::new(),
            record: None,
            error: None,
            is_raw: false,
        }
    }

    pub(super) fn raw(mut self) -> Gathered {
        self.is_raw = true;
        self
    }

    pub(super) fn has_failed(&self) -> bool {
        self.error.is_some()
    }

    /// Whether the module has said how a request ended.
    #[cfg(feature = "e2b")]
    pub(super) fn is_answered(&self) -> bool {
        self.record.is_some()
    }

    /// Whether the interpreter does not know the module: it is another one than that which was set up.
    #[cfg(feature = "e2b")]
    pub(super) fn has_lost_module(&self) -> bool {
        let lost = |(name, text, _): &(String, String, String)| {
            name == "KeyError" && text.contains("_coldframe")
        };
        self.record.is_none() && !self.is_raw && self.error.as_ref().is_some_and(lost)
    }

    /// Takes no notice of what the interpreter reported: the host knows better.
    #[cfg(feature = "e2b")]
    pub(super) fn forget_error(&mut self) {
        self.error = None;
    }

    /// For requests other than runs.
    pub(super) fn quiet() -> Gathered {
        let limits = Limits::default();
        Gathered::new(
            &mut RunOptions::default(),
            &Policy::from(limits).with_cut(crate::output::Cut::end(10_000)),
        )
    }

    /// Takes output; `false` when the program must stop.
    pub(super) fn write(&mut self, stream: Stream, text: &str) -> bool {
        self.collector.write(stream, text.as_bytes())
    }

    pub(super) fn closed(&self) -> bool {
        self.collector.sink_closed
    }

    /// Takes a bundle of forms by their media types.
    pub(super) fn show(&mut self, is_value: bool, bundle: &serde_json::Map<String, Json>) {
        if let Some(record) = bundle.get(MEDIA) {
            // A string in Jupyter's messages; some servers read it for us.
            let record = match record {
                Json::String(text) => serde_json::from_str(text).ok(),
                other => Some(other.clone()),
            };
            if let Some(record) = record.filter(|record| record["end"] == true) {
                if let Some(rich) = record["rich"].as_object().filter(|rich| !rich.is_empty()) {
                    self.push(true, rich);
                }
                self.record = Some(record);
            }
            return;
        }
        self.push(is_value, bundle);
    }

    fn push(&mut self, is_value: bool, bundle: &serde_json::Map<String, Json>) {
        let mut forms = Vec::new();
        for (media, data) in bundle {
            if media.len() > 100 || forms.len() >= 16 {
                continue;
            }
            let text = match data {
                Json::String(text) => text.clone(),
                // Texts may come as their lines.
                Json::Array(lines)
                    if lines.iter().all(Json::is_string) && !media.ends_with("json") =>
                {
                    lines.iter().filter_map(Json::as_str).collect()
                }
                other => other.to_string(),
            };
            if text.len() > self.display_room {
                continue;
            }
            self.display_room -= text.len();
            let is_binary = matches!(
                media.as_str(),
                "image/png" | "image/jpeg" | "image/gif" | "image/webp" | "application/pdf"
            );
            let data = match is_binary.then(|| from_base64(&text)).flatten() {
                Some(bytes) => DisplayData::Bytes(bytes),
                None => DisplayData::Text(text),
            };
            forms.push((media.clone(), data));
        }
        forms.sort_by(|a, b| a.0.cmp(&b.0));
        if !forms.is_empty() && self.displays.len() < MAX_DISPLAYS {
            self.displays.push(Display { is_value, forms });
        }
    }

    /// Takes an error that the interpreter itself reports.
    pub(super) fn fail(&mut self, name: &str, text: &str, traceback: &str) {
        let clean = |text: &str| cut(&without_ansi(text), MAX_TEXT);
        self.error = Some((clean(name), clean(text), clean(traceback)));
    }

    /// What the module answered, or why it did not.
    pub(super) fn answer(self, place: Place) -> Result<Json, BackendError> {
        let protocol = |reason: String| BackendError::Protocol { place, reason };
        match (self.record, self.error) {
            (Some(record), _) => match record["refused"].as_str() {
                Some(reason) => Err(protocol(cut(reason, 1000))),
                None => Ok(record),
            },
            (None, Some((name, text, _))) => Err(protocol(format!("{name}: {text}"))),
            (None, None) => Err(protocol("no answer".to_owned())),
        }
    }

    /// The outcome of a run. `ended` is how the host ended it, if it did.
    pub(super) fn outcome(
        mut self,
        place: Place,
        policy: &Policy,
        ended: Option<RunError>,
        mut usage: Usage,
    ) -> Result<Outcome, BackendError> {
        usage.output_bytes = self.collector.written;
        let record = self.record.take();
        let mut value = None;
        let mut is_final = false;
        let mut error = match (&record, self.error.take()) {
            (Some(record), _) => {
                is_final = record["final"] == true;
                let failed = &record["error"];
                if failed.is_object() {
                    is_final = false;
                    Some(run_error(failed, policy))
                } else {
                    value = last_value(record);
                    None
                }
            }
            (None, Some((name, text, traceback))) => Some(RunError {
                kind: ErrorKind::Exception,
                type_name: name,
                message: text,
                line: None,
                traceback: if traceback.is_empty() || traceback.ends_with('\n') {
                    traceback
                } else {
                    traceback + "\n"
                },
                agent_text: None,
                session_lost: false,
                exceeded: None,
            }),
            (None, None) if self.is_raw => {
                let shown = self.displays.iter().find(|display| display.is_value);
                value = match shown.and_then(|display| display.get("text/plain")) {
                    Some(DisplayData::Text(repr)) => Some(LastValue {
                        repr: cut(repr, 65_536),
                        value: None,
                    }),
                    _ => None,
                };
                None
            }
            (None, None) if ended.is_none() => {
                return Err(BackendError::Protocol {
                    place,
                    reason: "the run ended without a word about how".to_owned(),
                });
            }
            (None, None) => None,
        };
        if let Some(mut ended) = ended {
            // A program that was interrupted just after its end has ended well.
            let interrupted = error
                .as_ref()
                .is_none_or(|e| e.type_name == "KeyboardInterrupt");
            if interrupted && (record.is_none() || error.is_some()) {
                if let Some(inner) = error.take() {
                    ended.line = inner.line;
                    ended.traceback = inner.traceback;
                }
                error = Some(ended);
            }
        }
        if let Some(error) = &mut error {
            error.exceeded = Exceeded::of(error.kind, &usage, policy.limits()).map(Box::new);
            if policy.has_agent_texts() && error.agent_text.is_none() {
                let text = match error.kind {
                    ErrorKind::Time => format!(
                        "Code execution exceeded the maximum execution time of {} seconds",
                        crate::policy::seconds(policy.limits().time())
                    ),
                    _ => format!("Code execution failed due to: {error}"),
                };
                error.agent_text = Some(text.into_boxed_str());
            }
        }
        Ok(Outcome {
            value,
            is_final_answer: is_final,
            output: self.collector.finish(),
            error,
            usage,
            place,
            displays: self.displays,
            left_behind: Vec::new(),
        })
    }
}

/// What a run used so far that lasted so long.
pub(super) fn usage(duration: Duration) -> Usage {
    Usage {
        fuel: 0,
        duration,
        peak_memory: 0,
        output_bytes: 0,
        tool_calls: 0,
        tool_time: Duration::ZERO,
        operations: 0,
    }
}

fn text_of(json: &Json, key: &str) -> String {
    cut(json[key].as_str().unwrap_or_default(), MAX_TEXT)
}

fn last_value(record: &Json) -> Option<LastValue> {
    let repr = record["repr"].as_str()?;
    Some(LastValue {
        repr: cut(repr, 65_536),
        value: record["value"]
            .as_str()
            .and_then(|text| Value::from_safe_text(text).ok()),
    })
}

fn run_error(failed: &Json, policy: &Policy) -> RunError {
    let type_name = text_of(failed, "type");
    let message = text_of(failed, "message");
    let kind = match failed["kind"].as_str() {
        Some("syntax") => ErrorKind::Syntax,
        Some("exit") => ErrorKind::Exit {
            code: failed["code"].as_u64().map_or(1, |code| code as u32 as i32),
        },
        _ if type_name == "MemoryError" => ErrorKind::Memory,
        _ if type_name == "RecursionError" => ErrorKind::Recursion,
        _ => ErrorKind::Exception,
    };
    let line = failed["line"].as_u64().and_then(|n| u32::try_from(n).ok());
    let agent_text = policy.has_agent_texts().then(|| {
        if kind == ErrorKind::Syntax {
            let offset = failed["offset"].as_u64().unwrap_or(0).min(10_000) as usize;
            format!(
                "Code parsing failed on line {} due to: {type_name}: {message}\n{}{}^",
                line.unwrap_or(0),
                text_of(failed, "text"),
                " ".repeat(offset)
            )
        } else {
            format!(
                "Code execution failed at line '{}' due to: {type_name}: {message}",
                text_of(failed, "statement")
            )
        }
    });
    RunError {
        kind,
        line,
        traceback: text_of(failed, "traceback"),
        agent_text: agent_text.map(String::into_boxed_str),
        session_lost: false,
        exceeded: None,
        type_name,
        message,
    }
}

pub(super) fn variable(name: &str, record: &Json) -> Result<Option<Value>, BackendError> {
    if record["found"] != true {
        return Ok(None);
    }
    let wrong = |reason: String| BackendError::Variable {
        name: name.to_owned(),
        reason,
    };
    let text = record["value"].as_str().unwrap_or_default();
    Value::from_safe_text(text)
        .map(Some)
        .map_err(|error| wrong(error.to_string()))
}

pub(super) fn variables(record: &Json) -> Vec<Variable> {
    let entries = record["variables"].as_array();
    let entries = entries.map(Vec::as_slice).unwrap_or_default();
    entries
        .iter()
        .filter_map(|entry| {
            Some(Variable {
                name: entry[0].as_str()?.to_owned(),
                type_name: entry[1].as_str()?.to_owned(),
                repr: entry[2].as_str()?.to_owned(),
            })
        })
        .collect()
}

pub(super) fn marks(record: &Json) -> Marks {
    let entries = record["marks"].as_object();
    entries
        .into_iter()
        .flatten()
        .filter_map(|(name, mark)| Some((name.clone(), mark.as_str()?.to_owned())))
        .collect()
}

pub(super) fn changed(place: Place, record: &Json) -> Changes {
    let entries = |key: &str| record[key].as_array().cloned().unwrap_or_default();
    let text = |json: &Json| json.as_str().unwrap_or_default().to_owned();
    let mut changes = Changes::default();
    for entry in entries("changed") {
        let name = text(&entry[0]);
        match Value::from_safe_text(entry[2].as_str().unwrap_or_default()) {
            Ok(value) => changes.changed.push((name, text(&entry[1]), value)),
            Err(error) => changes.stay.push(LeftBehind {
                name,
                type_name: String::new(),
                reason: error.to_string(),
                stays_in: place,
            }),
        }
    }
    for entry in entries("stay") {
        changes.stay.push(LeftBehind {
            name: text(&entry[0]),
            type_name: text(&entry[1]),
            reason: text(&entry[2]),
            stays_in: place,
        });
    }
    for entry in entries("modules") {
        changes.modules.push((text(&entry[0]), text(&entry[1])));
    }
    changes.gone = entries("gone").iter().map(text).collect();
    changes
}

/// The text without the sequences that make it colourful.
fn without_ansi(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\u{1b}' {
            out.push(c);
        } else if chars.next_if_eq(&'[').is_some() {
            // Parameters, and a letter that ends them.
            for c in chars.by_ref() {
                if ('@'..='~').contains(&c) {
                    break;
                }
            }
        }
    }
    out
}

/// The text's beginning, at most so many bytes.
pub(super) fn cut(text: &str, limit: usize) -> String {
    let mut end = text.len().min(limit);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text[..end].to_owned()
}

/// Base64 with or without line feeds.
pub(super) fn from_base64(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let (mut bits, mut count) = (0u32, 0);
    let mut ended = false;
    for c in text.bytes() {
        let digit = match c {
            b'A'..=b'Z' => c - b'A',
            b'a'..=b'z' => c - b'a' + 26,
            b'0'..=b'9' => c - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            b'=' => {
                ended = true;
                continue;
            }
            b'\n' | b'\r' => continue,
            _ => return None,
        };
        if ended {
            return None;
        }
        bits = bits << 6 | u32::from(digit);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
            bits &= (1 << count) - 1;
        }
    }
    (count < 6).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_are_ascii() {
        assert_eq!(literal("a\"\\\n\t"), r#""a\"\\\n\u0009""#);
        assert_eq!(literal("ä🐍\u{7f}"), r#""\u00e4\U0001f40d\u007f""#);
    }

    #[test]
    fn colours_go() {
        assert_eq!(
            without_ansi("\u{1b}[0;31mError\u{1b}[0m: x\u{1b}["),
            "Error: x"
        );
    }

    #[test]
    fn base64_is_read() {
        assert_eq!(from_base64("aGk="), Some(b"hi".to_vec()));
        assert_eq!(from_base64("aG\nk=\n"), Some(b"hi".to_vec()));
        assert_eq!(from_base64("a"), None);
        assert_eq!(from_base64("aGk=a"), None);
        assert_eq!(from_base64("a k="), None);
    }

    #[test]
    fn options_are_no_packages() {
        let names = |names: &[&str]| names.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>();
        for bad in ["-r x", "", "git+https://x", "a;b", "a\nb", "./x", "a@http"] {
            assert!(install(Place::Jupyter, &names(&[bad])).is_err(), "{bad:?}");
        }
        assert!(install(Place::Jupyter, &names(&["numpy>=2", "requests[socks]"])).is_ok());
    }
}
