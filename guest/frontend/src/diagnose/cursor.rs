//! Moving over the tokens: looking, taking, going back, and raising an error.

use crate::hash::HashMap;

use super::Goal;
use super::node::{Kind, Node, Place as TargetPlace, invalid_target};
use crate::error::ErrorKind;
use crate::scan::{Tok, Token};

/// Where an error is reported.
#[derive(Debug, Clone, Copy)]
pub(super) enum Place {
    /// Bytes of the source.
    Range(u32, u32),
    /// A token, by index.
    Token(usize),
    /// From an offset to the end of the last token that was looked at.
    From(u32),
    /// At an offset, without an end.
    NoEnd(u32),
    /// The last token that was looked at.
    LastToken,
}

/// An error that was found.
#[derive(Debug)]
pub(super) struct Raised {
    pub(super) kind: ErrorKind,
    pub(super) message: String,
    pub(super) place: Place,
}

/// Why a rule gave no result.
#[derive(Debug)]
pub(super) enum Halt {
    /// It does not match here; another alternative may.
    NoMatch,
    /// An error was found, which ends the search.
    Raised(Box<Raised>),
}

pub(super) type Parse<T> = Result<T, Halt>;

/// Which rule a remembered result belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Rule {
    Expression,
    Disjunction,
    BitwiseOr,
    Primary,
    Atom,
    Named,
}

/// How many expressions may be open at once. The token limits bound the nesting, but not the
/// looking ahead from one expression to what stands behind it.
const MAX_DEPTH: usize = 150;

/// How many times one may look ahead from within what is looked ahead at.
pub(super) const MAX_AHEAD: usize = 16;

/// A result that is remembered: the node and where the cursor was after it.
type Memory = Option<(Node, usize)>;

pub(super) struct Parser<'a> {
    pub(super) source: &'a str,
    tokens: &'a [Token],
    at: usize,
    furthest: usize,
    /// Whether the alternatives that report mistakes are tried.
    pub(super) reporting: bool,
    /// Whether results are to be kept apart from those of the other alternatives.
    pub(super) isolated: bool,
    /// How many expressions are open.
    depth: usize,
    /// How many of them are read ahead of time; see [`MAX_AHEAD`].
    pub(super) ahead: usize,
    memory: HashMap<(Rule, usize, bool), Memory>,
    /// Blocks that were read, by their first token.
    pub(super) blocks: HashMap<usize, Option<usize>>,
}

impl<'a> Parser<'a> {
    pub(super) fn new(source: &'a str, tokens: &'a [Token]) -> Parser<'a> {
        Parser {
            source,
            tokens,
            at: 0,
            furthest: 0,
            reporting: false,
            isolated: false,
            depth: 0,
            ahead: 0,
            memory: HashMap::default(),
            blocks: HashMap::default(),
        }
    }

    /// Reads the whole source.
    pub(super) fn run(&mut self, goal: Goal) -> Parse<()> {
        match goal {
            Goal::Module => {
                self.statements()?;
                self.need(Tok::End)?;
            }
            Goal::Expression => {
                self.expressions()?;
                while self.eat(Tok::Newline) {}
                self.need(Tok::End)?;
            }
        }
        Ok(())
    }

    /// Starts again from the first token, now with the alternatives that report mistakes.
    pub(super) fn begin_second_pass(&mut self) {
        self.at = 0;
        self.reporting = true;
        self.forget();
        self.blocks.clear();
    }

    /// Drops remembered expressions: a statement is complete and will not be read again.
    pub(super) fn forget(&mut self) {
        self.memory.clear();
    }

    /// Index of the furthest token that was looked at.
    pub(super) fn furthest(&self) -> usize {
        self.furthest
    }

    pub(super) fn mark(&self) -> usize {
        self.at
    }

    pub(super) fn reset(&mut self, mark: usize) {
        self.at = mark;
    }

    /// The current token.
    pub(super) fn token(&mut self) -> Token {
        self.furthest = self.furthest.max(self.at);
        self.token_at(self.at)
    }

    fn token_at(&self, index: usize) -> Token {
        let last = self.tokens.last().copied().unwrap_or(Token {
            kind: Tok::End,
            level: 0,
            start: 0,
            end: 0,
        });
        self.tokens.get(index).copied().unwrap_or(last)
    }

    /// The token before the current one.
    pub(super) fn previous(&self) -> Token {
        self.token_at(self.at.saturating_sub(1))
    }

    pub(super) fn kind(&mut self) -> Tok {
        self.token().kind
    }

    pub(super) fn is(&mut self, kind: Tok) -> bool {
        self.kind() == kind
    }

    pub(super) fn is_any(&mut self, kinds: &[Tok]) -> bool {
        let kind = self.kind();
        kinds.contains(&kind)
    }

    /// Steps over the current token.
    pub(super) fn bump(&mut self) -> Token {
        let token = self.token();
        // The last token is never passed.
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
        token
    }

    pub(super) fn eat(&mut self, kind: Tok) -> bool {
        let found = self.is(kind);
        if found {
            self.bump();
        }
        found
    }

    pub(super) fn need(&mut self, kind: Tok) -> Parse<Token> {
        if self.is(kind) {
            Ok(self.bump())
        } else {
            Err(Halt::NoMatch)
        }
    }

    /// A token that nothing else can stand for: its absence is reported.
    pub(super) fn need_forced(&mut self, kind: Tok, shown: &str) -> Parse<Token> {
        if self.is(kind) {
            return Ok(self.bump());
        }
        if !self.reporting {
            return Err(Halt::NoMatch);
        }
        let place = Place::Token(self.at);
        Err(self.error(place, format!("expected {shown}")))
    }

    pub(super) fn text(&self, token: Token) -> &'a str {
        self.source
            .get(token.start as usize..token.end as usize)
            .unwrap_or_default()
    }

    /// Whether the current token is the name `word` (a soft keyword).
    pub(super) fn is_word(&mut self, word: &str) -> bool {
        let token = self.token();
        token.kind == Tok::Name && self.text(token) == word
    }

    /// Whether the current token is a soft keyword.
    pub(super) fn is_soft_keyword(&mut self) -> bool {
        let token = self.token();
        token.kind == Tok::Name && matches!(self.text(token), "_" | "case" | "match" | "type")
    }

    /// Tries a rule; the cursor is back where it was if the rule does not match.
    pub(super) fn attempt<T>(
        &mut self,
        rule: impl FnOnce(&mut Self) -> Parse<T>,
    ) -> Parse<Option<T>> {
        let mark = self.at;
        match rule(self) {
            Ok(value) => Ok(Some(value)),
            Err(Halt::NoMatch) => {
                self.at = mark;
                Ok(None)
            }
            Err(raised) => Err(raised),
        }
    }

    /// Whether a rule matches here; the cursor does not move.
    pub(super) fn matches<T>(&mut self, rule: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<bool> {
        let mark = self.at;
        let found = self.attempt(rule)?.is_some();
        self.at = mark;
        Ok(found)
    }

    /// Tries a rule with the reporting alternatives switched off.
    pub(super) fn quietly<T>(
        &mut self,
        rule: impl FnOnce(&mut Self) -> Parse<T>,
    ) -> Parse<Option<T>> {
        let before = std::mem::replace(&mut self.reporting, false);
        let result = self.attempt(rule);
        self.reporting = before;
        result
    }

    /// Runs a rule for an expression inside another one, unless there are too many already.
    pub(super) fn deeper<T>(&mut self, rule: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        if self.depth >= MAX_DEPTH {
            return Err(Halt::NoMatch);
        }
        self.depth += 1;
        let result = rule(self);
        self.depth -= 1;
        result
    }

    /// Runs a rule, or remembers what it gave here before.
    pub(super) fn remembered(
        &mut self,
        rule: Rule,
        run: impl FnOnce(&mut Self) -> Parse<Node>,
    ) -> Parse<Node> {
        // CPython remembers most results whether or not mistakes were being looked for, and so
        // misses some of them; the reports are to be the same.
        let shared = !matches!(rule, Rule::Atom | Rule::Named);
        let key = (rule, self.at, self.reporting || (shared && !self.isolated));
        if let Some(memory) = self.memory.get(&key) {
            let Some((node, end)) = memory.clone() else {
                return Err(Halt::NoMatch);
            };
            self.at = end;
            return Ok(node);
        }
        let result = run(self);
        match &result {
            Ok(node) => {
                self.memory.insert(key, Some((node.clone(), self.at)));
            }
            Err(Halt::NoMatch) => {
                self.memory.insert(key, None);
            }
            Err(Halt::Raised(_)) => {}
        }
        result
    }

    /// A syntax error at `place`.
    pub(super) fn error(&self, place: Place, message: impl Into<String>) -> Halt {
        Halt::Raised(Box::new(Raised {
            kind: ErrorKind::Syntax,
            message: message.into(),
            place,
        }))
    }

    /// A syntax error that marks a token.
    pub(super) fn error_token(&self, token: Token, message: impl Into<String>) -> Halt {
        self.error(Place::Range(token.start, token.end), message)
    }

    /// A syntax error that marks an expression.
    pub(super) fn error_node(&self, node: &Node, message: impl Into<String>) -> Halt {
        self.error(Place::Range(node.start, node.end), message)
    }

    /// An indentation error at the last token.
    pub(super) fn indentation_error(&self, message: String) -> Halt {
        Halt::Raised(Box::new(Raised {
            kind: ErrorKind::Indentation,
            message,
            place: Place::LastToken,
        }))
    }

    /// Reports the first part of `node` that cannot be a target, if there is one.
    pub(super) fn check_target(&self, node: &Node, place: TargetPlace) -> Parse<()> {
        let Some(part) = invalid_target(node, place) else {
            return Ok(());
        };
        let verb = if place == TargetPlace::Delete {
            "delete"
        } else {
            "assign to"
        };
        Err(self.error_node(part, format!("cannot {verb} {}", part.kind.describe())))
    }

    /// A node from `start` to the end of the previous token.
    pub(super) fn node(&self, kind: Kind, start: u32) -> Node {
        Node::new(kind, start, self.previous().end)
    }

    /// The same with parts.
    pub(super) fn node_with(&self, kind: Kind, start: u32, parts: Vec<Node>) -> Node {
        Node::with_parts(kind, start, self.previous().end, parts)
    }

    /// The line, counted from 1, of an offset.
    pub(super) fn line(&self, offset: u32) -> usize {
        let before = &self.source.as_bytes()[..(offset as usize).min(self.source.len())];
        let newlines = before.iter().filter(|&&byte| byte == b'\n').count();
        let lone = before
            .windows(2)
            .filter(|pair| pair[0] == b'\r' && pair[1] != b'\n')
            .count();
        newlines + lone + 1
    }
}
