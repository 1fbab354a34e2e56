//! Parses patterns, with the errors of CPython's `re` at the same positions.
//!
//! Groups are kept on an explicit stack of [`Frame`]s, so nesting does not deepen the native stack here. The
//! passes over the finished tree do recurse; [`MAX_NESTING`] bounds them.

pub(crate) mod escape;
mod group;
mod set;
pub(crate) mod source;

use crate::ast::{At, Greed, Kind, Node, UNBOUNDED, Width};
use crate::class::{Class, Fold};
use crate::error::{Error, ErrorKind, Warning};
use crate::flags::Flags;
use group::GroupKind;
use source::{Source, Token};

/// How deeply groups may be nested. CPython stops at about 490, where its recursion limit strikes; here a level
/// can take 2 KiB of native stack in the passes over the tree, of which WebAssembly may have 512 KiB in all.
const MAX_NESTING: usize = 100;

/// Group numbers and template references end here (`_sre.MAXGROUPS`).
pub(crate) const MAX_GROUPS: u64 = 1_073_741_823;

/// Looks up the character that `\N{name}` stands for.
pub type NameLookup<'a> = &'a dyn Fn(&str) -> Option<char>;

/// A parsed pattern.
pub struct Parsed {
    pub root: Node,
    pub flags: Flags,
    /// Number of capturing groups.
    pub groups: u32,
    /// Names of groups, in order of appearance.
    pub names: Vec<(String, u32)>,
    pub warnings: Vec<Warning>,
}

/// What the last item of a sequence is to a quantifier behind it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Repeatable,
    Assertion,
    Repeat,
}

/// A group that is being parsed, or the whole pattern.
struct Frame {
    kind: GroupKind,
    /// Position of the parenthesis.
    start: usize,
    /// Flags in force outside.
    outer_flags: Flags,
    branches: Vec<Node>,
    items: Vec<Node>,
    last: Option<Role>,
}

impl Frame {
    fn new(kind: GroupKind, start: usize, outer_flags: Flags) -> Frame {
        Frame {
            kind,
            start,
            outer_flags,
            branches: Vec::new(),
            items: Vec::new(),
            last: None,
        }
    }

    fn end_branch(&mut self) {
        self.last = None;
        let items = std::mem::take(&mut self.items);
        self.branches.push(Node::seq(items));
    }
}

struct Parser<'a> {
    source: Source<'a>,
    lookup: Option<NameLookup<'a>>,
    /// Flags of the whole pattern.
    flags: Flags,
    /// Flags in force at this point.
    current: Flags,
    /// Widths of the groups opened so far, by number; none while a group is open. Group 0 counts as open.
    widths: Vec<Option<Width>>,
    names: Vec<(String, u32)>,
    /// Conditional references by number, with their positions.
    cond_refs: Vec<(u32, usize)>,
    /// Number of the first group inside the outermost look-behind, while in one.
    lookbehind: Option<u32>,
    warnings: Vec<Warning>,
    stack: Vec<Frame>,
    top: Frame,
}

/// Parses `text`, which is a `str` or (as Latin-1) a `bytes` pattern.
pub fn parse(
    text: &[u32],
    is_str: bool,
    flags: Flags,
    lookup: Option<NameLookup<'_>>,
) -> Result<Parsed, Error> {
    let parser = Parser {
        source: Source::new(text, is_str)?,
        lookup,
        flags,
        current: flags,
        widths: vec![None],
        names: Vec::new(),
        cond_refs: Vec::new(),
        lookbehind: None,
        warnings: Vec::new(),
        stack: Vec::new(),
        top: Frame::new(GroupKind::Root, 0, flags),
    };
    parser.run()
}

impl Parser<'_> {
    fn run(mut self) -> Result<Parsed, Error> {
        loop {
            match self.source.peek() {
                Some(Token::Plain(c)) if c == u32::from('|') => self.next_branch()?,
                Some(Token::Plain(c)) if c == u32::from(')') && !self.stack.is_empty() => {
                    self.close_group()?
                }
                Some(Token::Plain(c)) if c == u32::from(')') => return self.finish(),
                None if self.stack.is_empty() => return self.finish(),
                None => {
                    let back = self.source.tell() - self.top.start;
                    return Err(self
                        .source
                        .error("missing ), unterminated subpattern", back));
                }
                Some(token) => {
                    self.source.get()?;
                    self.item(token)?;
                }
            }
        }
    }

    /// The end of the pattern, or a parenthesis that closes nothing.
    fn finish(mut self) -> Result<Parsed, Error> {
        let flags = resolve_flags(self.flags, self.source.is_str)?;
        if self.source.peek().is_some() {
            return Err(self.source.error("unbalanced parenthesis", 0));
        }
        for &(group, pos) in &self.cond_refs {
            if group as usize >= self.widths.len() {
                return Err(Error::at(
                    format!("invalid group reference {group}"),
                    self.source.text,
                    pos,
                ));
            }
        }
        self.top.end_branch();
        Ok(Parsed {
            root: Node::alt(self.top.branches),
            flags,
            groups: self.widths.len() as u32 - 1,
            names: self.names,
            warnings: self.warnings,
        })
    }

    fn next_branch(&mut self) -> Result<(), Error> {
        if matches!(self.top.kind, GroupKind::Cond(_)) && !self.top.branches.is_empty() {
            return Err(self
                .source
                .error("conditional backref with more than two branches", 0));
        }
        self.source.get()?;
        self.top.end_branch();
        Ok(())
    }

    fn push(&mut self, node: Node) {
        self.top.last = Some(Role::Repeatable);
        self.top.items.push(node);
    }

    fn push_at(&mut self, at: At) {
        self.top.items.push(Node::new(Kind::At(at)));
        self.top.last = Some(Role::Assertion);
    }

    /// One item that begins with `token`, already taken.
    fn item(&mut self, token: Token) -> Result<(), Error> {
        let Token::Plain(code) = token else {
            return self.escape(token);
        };
        let c = char::from_u32(code).unwrap_or('\u{fffd}');
        if self.current.has(Flags::VERBOSE) {
            match c {
                ' ' | '\t' | '\n' | '\r' | '\x0b' | '\x0c' => return Ok(()),
                '#' => {
                    while !matches!(self.source.get()?, None | Some(Token::Plain(10))) {}
                    return Ok(());
                }
                _ => {}
            }
        }
        match c {
            '[' => self.set(),
            '(' => self.open_group(),
            '*' => self.repeat(0, UNBOUNDED, self.source.tell()),
            '+' => self.repeat(1, UNBOUNDED, self.source.tell()),
            '?' => self.repeat(0, 1, self.source.tell()),
            '{' => self.braces(),
            '.' => {
                let dotall = self.current.has(Flags::DOTALL);
                self.push(Node::new(if dotall {
                    Kind::AnyChar
                } else {
                    Kind::AnyButNewline
                }));
                Ok(())
            }
            '^' => {
                let lines = self.current.has(Flags::MULTILINE);
                self.push_at(if lines { At::LineStart } else { At::Start });
                Ok(())
            }
            '$' => {
                let lines = self.current.has(Flags::MULTILINE);
                self.push_at(if lines { At::LineEnd } else { At::EndOrNewline });
                Ok(())
            }
            _ => {
                self.literal(code);
                Ok(())
            }
        }
    }

    /// `{m,n}` in its forms; a brace that is none of them is a literal.
    fn braces(&mut self) -> Result<(), Error> {
        let here = self.source.tell();
        if self.source.peek() == Some(Token::Plain('}'.into())) {
            self.literal('{'.into());
            return Ok(());
        }
        let digit = |c: char| c.is_ascii_digit();
        let low = self.source.take_while(usize::MAX, digit)?;
        let high = if self.source.eat(',')? {
            self.source.take_while(usize::MAX, digit)?
        } else {
            low.clone()
        };
        if !self.source.eat('}')? {
            self.literal('{'.into());
            return self.source.seek(here);
        }
        let min = repeat_count(&low)?.unwrap_or(0);
        let max = repeat_count(&high)?.unwrap_or(UNBOUNDED);
        if max < min {
            let back = self.source.tell() - here;
            return Err(self
                .source
                .error("min repeat greater than max repeat", back));
        }
        self.repeat(min, max, here)
    }

    /// Applies a quantifier to the last item. `here` is the position behind its first character.
    fn repeat(&mut self, min: u32, max: u32, here: usize) -> Result<(), Error> {
        let back = self.source.tell() - here + 1;
        match self.top.last {
            Some(Role::Repeatable) => {}
            Some(Role::Repeat) => return Err(self.source.error("multiple repeat", back)),
            Some(Role::Assertion) | None => {
                return Err(self.source.error("nothing to repeat", back));
            }
        }
        let greed = if self.source.eat('?')? {
            Greed::Lazy
        } else if self.source.eat('+')? {
            Greed::Possessive
        } else {
            Greed::Greedy
        };
        if let Some(body) = self.top.items.pop() {
            self.top.items.push(Node::new(Kind::Repeat {
                min,
                max,
                greed,
                body: Box::new(body),
            }));
            self.top.last = Some(Role::Repeat);
        }
        Ok(())
    }

    fn literal(&mut self, c: u32) {
        let kind = match Class::of_literal(c, self.fold()) {
            Some(class) => Kind::Set(Box::new(class)),
            None => Kind::Char(c),
        };
        self.push(Node::new(kind));
    }

    /// How case is to be ignored at this point.
    fn fold(&self) -> Fold {
        match (self.current.has(Flags::IGNORECASE), self.ascii()) {
            (false, _) => Fold::None,
            (true, true) => Fold::Ascii,
            (true, false) => Fold::Unicode,
        }
    }

    /// Whether categories and case are about ASCII only at this point. LOCALE means the C locale here.
    fn ascii(&self) -> bool {
        !self.source.is_str || self.current.has(Flags::ASCII)
    }

    /// Whether a group exists and is complete.
    fn is_closed(&self, group: u32) -> bool {
        self.widths.get(group as usize).is_some_and(Option::is_some)
    }

    /// In a look-behind, only complete groups from outside of it may be referred to.
    fn check_lookbehind(&self, group: u32) -> Result<(), Error> {
        let Some(first) = self.lookbehind else {
            return Ok(());
        };
        if !self.is_closed(group) {
            return Err(self.source.error("cannot refer to an open group", 0));
        }
        if group >= first {
            return Err(self.source.error(
                "cannot refer to group defined in the same lookbehind subpattern",
                0,
            ));
        }
        Ok(())
    }

    fn push_backref(&mut self, group: u32) -> Result<(), Error> {
        self.check_lookbehind(group)?;
        let width = self.widths[group as usize].unwrap_or(Width::ZERO);
        self.push(Node::backref(group, self.fold(), width));
        Ok(())
    }

    fn warn(&mut self, msg: String) {
        self.warnings.push(Warning { msg });
    }
}

fn repeat_count(digits: &str) -> Result<Option<u32>, Error> {
    if digits.is_empty() {
        return Ok(None);
    }
    match digits.parse::<u32>() {
        Ok(count) if count != UNBOUNDED => Ok(Some(count)),
        _ => Err(Error::plain(
            ErrorKind::Overflow,
            "the repetition number is too large",
        )),
    }
}

/// Adds the default flag and rejects those that do not go together.
fn resolve_flags(flags: Flags, is_str: bool) -> Result<Flags, Error> {
    let problem = if is_str {
        if flags.has(Flags::LOCALE) {
            "cannot use LOCALE flag with a str pattern"
        } else if flags.has(Flags::ASCII) && flags.has(Flags::UNICODE) {
            "ASCII and UNICODE flags are incompatible"
        } else if flags.has(Flags::ASCII) {
            return Ok(flags);
        } else {
            return Ok(flags | Flags::UNICODE);
        }
    } else if flags.has(Flags::UNICODE) {
        "cannot use UNICODE flag with a bytes pattern"
    } else if flags.has(Flags::LOCALE) && flags.has(Flags::ASCII) {
        "ASCII and LOCALE flags are incompatible"
    } else {
        return Ok(flags);
    };
    Err(Error::plain(ErrorKind::Value, problem))
}
