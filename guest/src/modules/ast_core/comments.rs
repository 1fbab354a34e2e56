//! Type comments (PEP 484): found among the comments of a source, and handed to the statements and parameters they belong to.

use crate::objects::string::Str;
use crate::value::Value;
use coldframe_frontend::LineIndex;

/// A `# type:` comment that nobody has taken yet.
struct Comment {
    offset: u32,
    text: String,
    taken: bool,
}

/// The type comments of a source.
#[derive(Default)]
pub(super) struct Comments {
    comments: Vec<Comment>,
    /// `# type: ignore`: offset and what follows the word.
    pub(super) ignores: Vec<(u32, String)>,
}

impl Comments {
    /// Finds them.
    pub(super) fn find(source: &str) -> Comments {
        let mut found = Comments::default();
        for (start, end) in coldframe_frontend::tokens::comments(source) {
            let Some(text) = source.get(start..end).and_then(type_text) else {
                continue;
            };
            let offset = start as u32;
            match ignored(text) {
                Some(tag) => found.ignores.push((offset, tag.to_owned())),
                None => found.comments.push(Comment {
                    offset,
                    text: text.to_owned(),
                    taken: false,
                }),
            }
        }
        found
    }

    /// The first comment that stands in `from..to`.
    pub(super) fn take(&mut self, from: u32, to: u32) -> Value {
        self.take_if(from, to, |_| true)
    }

    fn take_if(&mut self, from: u32, to: u32, good: impl Fn(u32) -> bool) -> Value {
        let found = self
            .comments
            .iter_mut()
            .find(|c| !c.taken && c.offset >= from && c.offset < to && good(c.offset));
        match found {
            Some(c) => {
                c.taken = true;
                Str::value(&c.text)
            }
            None => Value::NONE,
        }
    }

    /// The comment that follows `from` on the same line.
    pub(super) fn take_line(&mut self, lines: &LineIndex, from: u32) -> Value {
        if self.comments.is_empty() {
            return Value::NONE;
        }
        let end = lines.start(lines.line(from as usize) + 1) as u32;
        let source = lines.source();
        self.take_if(from, end.max(from), |offset| {
            let between = source.get(from as usize..offset as usize);
            between.is_some_and(|text| text.trim().is_empty())
        })
    }

    /// The comment of a parameter that ends at `from`, before `to`; at most a comma stands between.
    pub(super) fn take_parameter(&mut self, lines: &LineIndex, from: u32, to: u32) -> Value {
        if self.comments.is_empty() {
            return Value::NONE;
        }
        let source = lines.source();
        self.take_if(from, to, |offset| {
            let between = source.get(from as usize..offset as usize);
            between.is_some_and(|text| {
                text.chars().all(|c| c == ',' || c.is_whitespace())
                    && text.matches(',').count() <= 1
            })
        })
    }

    /// A comment that stands where none may: no statement took it.
    pub(super) fn left_over(&self) -> Option<u32> {
        self.comments.iter().find(|c| !c.taken).map(|c| c.offset)
    }
}

/// What follows `# type:` in a comment.
fn type_text(comment: &str) -> Option<&str> {
    let blank = [' ', '\t'];
    let rest = comment.strip_prefix('#')?.trim_start_matches(blank);
    Some(rest.strip_prefix("type:")?.trim_start_matches(blank))
}

/// What follows `ignore`, if that is the word.
fn ignored(text: &str) -> Option<&str> {
    let rest = text.strip_prefix("ignore")?;
    match rest.chars().next() {
        Some(c) if c.is_ascii_alphanumeric() || !c.is_ascii() => None,
        _ => Some(rest),
    }
}
