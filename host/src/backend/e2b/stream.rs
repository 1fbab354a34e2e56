//! The stream that an execution answers with: JSON, one event a line.

use std::ops::Range;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Map, Value as Json};

use super::super::BackendError;
use super::super::http::Http;

/// The longest line that is taken: a value of the largest size, and what is around it.
const MAX_LINE: usize = 96 << 20;
/// How long a server may say nothing: it sends a sign of life every five seconds.
const SILENCE: Duration = Duration::from_secs(30);

/// What a line says.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Event {
    Stdout {
        text: String,
    },
    Stderr {
        text: String,
    },
    /// Something that is shown, in several forms.
    Result(Map<String, Json>),
    Error {
        #[serde(default)]
        name: String,
        #[serde(default)]
        value: String,
        #[serde(default)]
        traceback: String,
    },
    /// The server lost its kernel.
    UnexpectedEndOfExecution,
    EndOfExecution,
    /// Signs of life and counts, and what is not known yet.
    #[serde(other)]
    Other,
}

/// The events of one execution. Dropping them closes the connection, whereupon the server interrupts the kernel.
pub(super) struct Events {
    http: Http,
    response: reqwest::Response,
    buffer: Vec<u8>,
    /// Where in the buffer the next line begins.
    start: usize,
    /// Up to where no end of that line is.
    searched: usize,
}

impl Events {
    pub(super) fn new(http: Http, response: reqwest::Response) -> Events {
        Events {
            http,
            response,
            buffer: Vec::new(),
            start: 0,
            searched: 0,
        }
    }

    /// The next event; `None` at the end of the stream. May be dropped while it waits.
    pub(super) async fn next(&mut self) -> Result<Option<Event>, BackendError> {
        loop {
            while let Some(line) = self.line() {
                let line = &self.buffer[line];
                if line.iter().all(u8::is_ascii_whitespace) {
                    continue;
                }
                match serde_json::from_slice(line) {
                    Ok(event) => return Ok(Some(event)),
                    Err(error) => tracing::debug!(%error, "a line that is no event"),
                }
            }
            let chunk = match tokio::time::timeout(SILENCE, self.response.chunk()).await {
                Ok(chunk) => chunk.map_err(|error| self.http.broken(error))?,
                Err(_) => {
                    return Err(self
                        .http
                        .unreachable("the stream is silent, without a sign of life"));
                }
            };
            match chunk {
                Some(chunk) if self.buffer.len() + chunk.len() > MAX_LINE => {
                    return Err(self.http.protocol("a line that is too long"));
                }
                Some(chunk) => self.buffer.extend_from_slice(&chunk),
                None if self.buffer.is_empty() => return Ok(None),
                // The last line may lack its end.
                None => self.buffer.push(b'\n'),
            }
        }
    }

    /// Where the next line is, if all of it is there.
    fn line(&mut self) -> Option<Range<usize>> {
        let mut rest = self.buffer[self.searched..].iter();
        let Some(length) = rest.position(|byte| *byte == b'\n') else {
            self.buffer.drain(..self.start);
            self.start = 0;
            self.searched = self.buffer.len();
            return None;
        };
        let line = self.start..self.searched + length;
        self.start = line.end + 1;
        self.searched = self.start;
        Some(line)
    }
}

/// The forms of a result by their media types, and whether it is the value of the last expression. The server gives names to those that it knows.
pub(super) fn bundle(mut result: Map<String, Json>) -> (bool, Map<String, Json>) {
    let is_value = result.get("is_main_result") == Some(&Json::Bool(true));
    let mut bundle = match result.remove("extra") {
        Some(Json::Object(extra)) => extra,
        _ => Map::new(),
    };
    for (name, media) in [
        ("text", "text/plain"),
        ("html", "text/html"),
        ("markdown", "text/markdown"),
        ("svg", "image/svg+xml"),
        ("png", "image/png"),
        ("jpeg", "image/jpeg"),
        ("pdf", "application/pdf"),
        ("latex", "text/latex"),
        ("json", "application/json"),
        ("javascript", "application/javascript"),
        ("data", "e2b/data"),
        ("chart", "e2b/chart"),
    ] {
        if let Some(data) = result.remove(name).filter(|data| !data.is_null()) {
            bundle.insert(media.to_owned(), data);
        }
    }
    (is_value, bundle)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_events() {
        let event = |line: &str| serde_json::from_str::<Event>(line).expect("an event");
        assert!(matches!(
            event(r#"{"type":"number_of_executions","execution_count":1}"#),
            Event::Other
        ));
        assert!(matches!(event(r#"{"type":"keepalive"}"#), Event::Other));
        assert!(matches!(
            event(r#"{"type":"stdout","text":"hi\n","timestamp":"2026-01-01"}"#),
            Event::Stdout { text } if text == "hi\n"
        ));
        assert!(matches!(
            event(r#"{"type":"end_of_execution"}"#),
            Event::EndOfExecution
        ));
        let line = r#"{"type":"result","text":"4","png":"aGk=","html":null,"extra":{"a/b":"c"},"is_main_result":true}"#;
        let Event::Result(result) = event(line) else {
            panic!("no result")
        };
        let (is_value, bundle) = bundle(result);
        assert!(is_value);
        let forms: Vec<_> = bundle.keys().map(String::as_str).collect();
        assert_eq!(forms, ["a/b", "text/plain", "image/png"]);
        assert!(serde_json::from_str::<Event>("<html>").is_err());
    }
}
