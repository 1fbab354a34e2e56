//! Why a value cannot leave, and the way to it from the value that was to leave. Objects are known only by what is to be said of them.

use crate::objects::string::Str;
use crate::value::Value;

/// One step from a container to what is in it.
pub(super) enum Step {
    /// An item of a sequence.
    Item(usize),
    /// An item of a set.
    Member,
    /// The value of a key of a dict, the key as text.
    Key(String),
    /// A key of a dict.
    KeyItself,
    /// A field of a dataclass, or an attribute.
    Field(String),
    /// The value of an enum's member.
    MemberValue,
    /// An argument of an exception.
    Argument(usize),
}

/// The reason and the way, innermost step first.
pub(super) struct Refusal {
    reason: String,
    /// The reason is in the value as a whole: no way is told.
    of_all: bool,
    way: Vec<Step>,
}

/// Boxed, so that success costs one word.
pub(super) type Outcome<T = ()> = Result<T, Box<Refusal>>;

/// How many steps of the way are told: the last ones.
const TOLD: usize = 12;

pub(super) fn refuse<T>(reason: impl Into<String>) -> Outcome<T> {
    Err(Box::new(Refusal {
        reason: reason.into(),
        of_all: false,
        way: Vec::new(),
    }))
}

/// Refuses for a reason that is not in one place.
pub(super) fn refuse_all<T>(reason: impl Into<String>) -> Outcome<T> {
    Err(Box::new(Refusal {
        reason: reason.into(),
        of_all: true,
        way: Vec::new(),
    }))
}

impl Refusal {
    /// Notes a step, on the way out.
    pub(super) fn through(mut self: Box<Refusal>, step: Step) -> Box<Refusal> {
        if !self.of_all {
            self.way.push(step);
        }
        self
    }

    /// "in item 3 of key 'rows': ..."
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        for (i, step) in self.way.iter().take(TOLD).enumerate() {
            text.push_str(if i == 0 { "in " } else { " of " });
            match step {
                Step::Item(at) => text.push_str(&format!("item {at}")),
                Step::Member => text.push_str("an item"),
                Step::Key(key) => text.push_str(&format!("key {key}")),
                Step::KeyItself => text.push_str("a key"),
                Step::Field(name) => text.push_str(&format!("field '{name}'")),
                Step::MemberValue => text.push_str("the value of an enum's member"),
                Step::Argument(at) => text.push_str(&format!("argument {at}")),
            }
        }
        if self.way.len() > TOLD {
            text.push_str(" of ...");
        }
        if !text.is_empty() {
            text.push_str(": ");
        }
        text.push_str(&self.reason);
        text
    }
}

/// The step to the value of a key.
pub(super) fn key_step(key: &Value) -> Step {
    const LONGEST: usize = 40;
    if let Some(text) = key.as_ref::<Str>() {
        let text = text.to_text();
        let short: String = text.chars().take(LONGEST).collect();
        let dots = if short.len() < text.len() { "..." } else { "" };
        return Step::Key(format!("'{}{dots}'", short.escape_debug()));
    }
    Step::Key(match key.as_int().and_then(|n| n.to_i64()) {
        Some(n) => n.to_string(),
        None => format!("of type '{}'", crate::vm::ops::class_of(key).name()),
    })
}
