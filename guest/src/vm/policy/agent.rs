//! Failures in the words of smolagents' `LocalPythonExecutor`, for agents whose prompts and models know those.
//!
//! `Code parsing failed on line 1 due to: ...` with the line and a caret, `Code execution failed at line '...' due to: ...` with the text of the statement
//! of the program's own level that did not come to its end.

use super::super::{Stop, Vm};
use crate::builtins::{exceptions, tracebacks};
use crate::objects::code::Code;
use crate::objects::exception::Exc;
use crate::objects::string::Str;
use crate::value::Value;
use coldframe_frontend::ast::Ranged;

/// The figures that the texts name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentTexts {
    /// How many operations a run may take.
    pub operations: u64,
    /// How many seconds, as they are to be shown.
    pub seconds: String,
}

/// The source of the statement of the module's own level that holds this instruction.
fn statement(code: &Code, instr: usize) -> Option<String> {
    let source = code.source.lines().source();
    let offset = code.proto.spans.get(instr)?.start as usize;
    let module = coldframe_frontend::parse_module(source).ok()?;
    let body = &module.ast.body;
    let at = body
        .iter()
        .rposition(|s| s.range().start().to_usize() <= offset)
        .unwrap_or(0);
    let range = body.get(at)?.range();
    source
        .get(range.start().to_usize()..range.end().to_usize())
        .map(str::to_owned)
}

impl Vm {
    /// Remembers where the program is that is about to be stopped: when that is told, its frames are gone.
    pub(crate) fn note_stop(&mut self) {
        if self.policy.agent_texts.is_some() {
            self.policy.stopped_at = self.frames.first().map(|f| (f.code.clone(), f.instr()));
        }
    }

    /// What is said of a program that was stopped.
    pub(crate) fn agent_text_of_stop(&self, stop: Stop) -> Option<String> {
        let texts = self.policy.agent_texts.as_ref()?;
        let what = match stop {
            Stop::Time => {
                return Some(format!(
                    "Code execution exceeded the maximum execution time of {} seconds",
                    texts.seconds
                ));
            }
            Stop::Fuel => format!(
                "InterpreterError: Reached the max number of operations of {}. Maybe there is an infinite loop somewhere in the code, \
                 or you're just asking too many calculations.",
                texts.operations
            ),
            Stop::Iterations => format!(
                "InterpreterError: Maximum number of {} iterations in While loop exceeded",
                self.policy.while_iterations.unwrap_or(0)
            ),
            Stop::Memory => "MemoryError: ".to_owned(),
            Stop::Cancelled => "KeyboardInterrupt: ".to_owned(),
            Stop::Output => "InterpreterError: the output limit was reached".to_owned(),
        };
        let failed = self
            .policy
            .stopped_at
            .as_ref()
            .and_then(|(code, instr)| statement(code, *instr));
        Some(at_line(failed, &what))
    }

    /// What is said of an exception that nothing caught.
    pub(crate) fn agent_text_of(&mut self, e: &Value, file: &str, message: &str) -> Option<String> {
        self.policy.agent_texts.as_ref()?;
        let class = self.class_of(e).clone();
        let entries = tracebacks::entries(self, e);
        if class.is_subclass_of(Exc::SyntaxError.class()) && entries.is_empty() {
            return Some(self.parsing_failed(e, &class.name()));
        }
        let what = if self.is_refusal(e) {
            format!("InterpreterError: {message}")
        } else if class.same(Exc::NameError.class()) {
            let name = exceptions::field(self, e, 0);
            match name.as_ref::<Str>().map(|s| s.to_text().into_owned()) {
                Some(name) if self.is_removed_builtin(&name) => format!(
                    "InterpreterError: Forbidden function evaluation: '{name}' is not among the explicitly allowed tools or defined/imported \
                     in the preceding code"
                ),
                Some(name) => format!("InterpreterError: The variable `{name}` is not defined."),
                None => format!("NameError: {message}"),
            }
        } else {
            format!("{}: {message}", class.name())
        };
        let failed = entries
            .iter()
            .find(|entry| entry.code.source.file.to_text() == file)
            .and_then(|entry| statement(&entry.code, entry.instr as usize));
        Some(at_line(failed, &what))
    }

    fn parsing_failed(&mut self, e: &Value, class: &str) -> String {
        let number = |i: usize| exceptions::field(self, e, i).as_small_int().unwrap_or(0);
        let (line, offset) = (number(2), number(3));
        let text = |i: usize| {
            let v = exceptions::field(self, e, i);
            v.as_ref::<Str>()
                .map_or_else(String::new, |s| s.to_text().into_owned())
        };
        let (message, source) = (text(0), text(4));
        format!(
            "Code parsing failed on line {line} due to: {class}: {message} (<unknown>, line {line})\n{source}{}^",
            " ".repeat(usize::try_from(offset).unwrap_or(0))
        )
    }
}

fn at_line(statement: Option<String>, what: &str) -> String {
    format!(
        "Code execution failed at line '{}' due to: {what}",
        statement.unwrap_or_default()
    )
}
