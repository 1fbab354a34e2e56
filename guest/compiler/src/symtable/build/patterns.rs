//! Patterns of `match`.

use coldframe_frontend::ast::{Pattern, Ranged};

use super::{Builder, Outcome};

impl<'a> Builder<'a> {
    pub(super) fn pattern(&mut self, pattern: &'a Pattern) -> Outcome {
        match pattern {
            Pattern::MatchValue(pattern) => self.expr(&pattern.value),
            Pattern::MatchSingleton(_) => Ok(()),
            Pattern::MatchSequence(pattern) => pattern
                .patterns
                .iter()
                .try_for_each(|part| self.pattern(part)),
            Pattern::MatchMapping(pattern) => {
                self.exprs(&pattern.keys)?;
                pattern
                    .patterns
                    .iter()
                    .try_for_each(|part| self.pattern(part))?;
                match &pattern.rest {
                    Some(name) => self.bind(name),
                    None => Ok(()),
                }
            }
            Pattern::MatchClass(pattern) => {
                self.expr(&pattern.cls)?;
                for part in &pattern.arguments.patterns {
                    self.pattern(part)?;
                }
                for (index, keyword) in pattern.arguments.keywords.iter().enumerate() {
                    let name = &keyword.attr;
                    let before = &pattern.arguments.keywords[..index];
                    if before.iter().any(|other| other.attr.id == name.id) {
                        let text = format!("attribute name repeated in class pattern: {name}");
                        return self.error(text, keyword.pattern.range());
                    }
                    self.pattern(&keyword.pattern)?;
                }
                Ok(())
            }
            Pattern::MatchStar(pattern) => match &pattern.name {
                Some(name) => self.bind(name),
                None => Ok(()),
            },
            Pattern::MatchAs(pattern) => {
                if let Some(part) = &pattern.pattern {
                    self.pattern(part)?;
                }
                match &pattern.name {
                    Some(name) => self.bind(name),
                    None => Ok(()),
                }
            }
            Pattern::MatchOr(pattern) => pattern
                .patterns
                .iter()
                .try_for_each(|part| self.pattern(part)),
        }
    }
}
