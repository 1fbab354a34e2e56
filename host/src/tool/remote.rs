//! Answers a remote interpreter when it calls tools. Names and arguments come from there: nothing of them is taken for granted.

use std::time::Duration;

use super::call::{ProgressSink, SharedSink};
use super::{Call, Mode, Pending, ToolError, Tools, guard};
use crate::limits::Limits;
use crate::object::Objects;
use crate::value::Value;

/// What a remote session knows of its tools.
#[derive(Default)]
pub(crate) struct RemoteTools {
    set: Option<Tools>,
    sink: SharedSink,
    objects: Objects,
    /// Calls in this run.
    pub(crate) calls: u64,
    /// Time that the program has waited for tools in this run.
    pub(crate) time: Duration,
}

impl RemoteTools {
    pub(crate) fn put(&mut self, tools: Option<Tools>) {
        self.set = tools;
    }

    pub(crate) fn set(&self) -> Option<&Tools> {
        self.set.as_ref()
    }

    /// Before a run.
    pub(crate) fn begin(&mut self, sink: Option<ProgressSink>) {
        self.calls = 0;
        self.time = Duration::ZERO;
        *self
            .sink
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner) = sink;
    }

    /// After a run.
    pub(crate) fn end(&mut self) {
        *self
            .sink
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner) = None;
    }

    /// Checks a call and makes its body, which does nothing yet. Arguments are the text of a list, in the order of registers.
    pub(crate) fn prepare(
        &mut self,
        limits: &Limits,
        name: &str,
        arguments: &str,
    ) -> Result<Pending, ToolError> {
        let (most_calls, most_bytes) = (limits.tool_calls(), limits.tool_bytes());
        let tool = self
            .set
            .as_ref()
            .and_then(|set| set.find(name))
            .filter(|tool| tool.0.mode != Mode::Answer)
            .ok_or_else(|| ToolError::new("NameError", format!("the host has no tool '{name}'")))?;
        if self.calls >= most_calls {
            return Err(ToolError::runtime(format!(
                "the limit of {most_calls} tool calls was reached"
            )));
        }
        if arguments.len() as u64 > most_bytes {
            return Err(ToolError::new(
                "ValueError",
                format!(
                    "{name}(): the arguments take {} bytes, at most {most_bytes} may leave the sandbox",
                    arguments.len()
                ),
            ));
        }
        let arguments = Value::from_safe_text(arguments).map_err(|error| {
            ToolError::new("ValueError", format!("{name}(): wrong arguments: {error}"))
        })?;
        let call = Call::bind(&tool.0, arguments, self.sink.clone(), self.objects.clone())?;
        self.calls += 1;
        Ok(guard::begin(&tool.0, call))
    }
}

/// The name of the first tool that is called on the host: one that only ends a program is not.
#[cfg_attr(
    not(feature = "e2b"),
    allow(dead_code, reason = "elsewhere tools can be called")
)]
pub(crate) fn called(tools: &Tools) -> Option<&str> {
    let called = tools.iter().find(|tool| tool.0.mode != Mode::Answer)?;
    Some(called.name())
}

/// What a tool returned, as text for a remote interpreter.
pub(crate) fn encode(limits: &Limits, value: &Value) -> Result<String, ToolError> {
    if holds_handle(value) {
        return Err(ToolError::new(
            "TypeError",
            "the tool's result is an object of the host, which cannot go to a remote interpreter",
        ));
    }
    let (text, most) = (value.to_safe_text(), limits.tool_bytes());
    if text.len() as u64 > most {
        return Err(ToolError::new(
            "ValueError",
            format!(
                "the tool's result takes {} bytes, at most {most} may enter the sandbox",
                text.len()
            ),
        ));
    }
    Ok(text)
}

/// Whether an object of the host stands in the value.
pub(crate) fn holds_handle(value: &Value) -> bool {
    matches!(value, Value::Handle(_)) || value.parts().any(holds_handle)
}
