//! Everything that begins with a parenthesis.

use super::escape::huge_reference;
use super::source::{Token, group_number, show};
use super::{Frame, MAX_GROUPS, MAX_NESTING, Parser};
use crate::ast::{Kind, Node};
use crate::error::{Error, ErrorKind};
use crate::flags::Flags;
use crate::unicode;

/// What a parenthesis opened.
pub(super) enum GroupKind {
    /// None: the whole pattern.
    Root,
    Capture(u32),
    /// `(?:...)`, perhaps with flags.
    Plain,
    Atomic,
    /// Remembers [`Parser::lookbehind`] from outside.
    Look {
        behind: bool,
        negated: bool,
        outer: Option<u32>,
    },
    Cond(u32),
}

impl Parser<'_> {
    /// A group; its parenthesis is taken.
    pub(super) fn open_group(&mut self) -> Result<(), Error> {
        let start = self.source.tell() - 1;
        let outer_flags = self.current;
        let kind = if self.source.eat('?')? {
            let Some(kind) = self.extension(start)? else {
                return Ok(());
            };
            kind
        } else {
            self.new_group(None)?
        };
        if self.stack.len() >= MAX_NESTING {
            return Err(Error::plain(
                ErrorKind::Recursion,
                "maximum recursion depth exceeded",
            ));
        }
        let inner = Frame::new(kind, start, outer_flags);
        self.stack.push(std::mem::replace(&mut self.top, inner));
        Ok(())
    }

    /// The end of the innermost group.
    pub(super) fn close_group(&mut self) -> Result<(), Error> {
        let Some(outer) = self.stack.pop() else {
            return Ok(());
        };
        self.top.end_branch();
        let frame = std::mem::replace(&mut self.top, outer);
        let mut branches = frame.branches;
        let node = match frame.kind {
            GroupKind::Root | GroupKind::Plain => Node::alt(branches),
            GroupKind::Capture(group) => {
                let body = Node::alt(branches);
                self.widths[group as usize] = Some(body.width);
                Node::new(Kind::Group(group, Box::new(body)))
            }
            GroupKind::Atomic => Node::new(Kind::Atomic(Box::new(Node::alt(branches)))),
            GroupKind::Look {
                behind,
                negated,
                outer,
            } => {
                if behind {
                    self.lookbehind = outer;
                }
                let body = Node::alt(branches);
                if negated && body.is_empty() {
                    Node::new(Kind::Fail)
                } else {
                    Node::new(Kind::Look {
                        behind,
                        negated,
                        body: Box::new(body),
                    })
                }
            }
            GroupKind::Cond(group) => {
                let no = if branches.len() > 1 {
                    branches.pop().map(Box::new)
                } else {
                    None
                };
                Node::new(Kind::Cond {
                    group,
                    yes: Box::new(Node::alt(branches)),
                    no,
                })
            }
        };
        self.current = frame.outer_flags;
        self.source.get()?;
        self.push(node);
        Ok(())
    }

    /// What follows `(?`. None if it is complete in itself: a comment, flags, a reference.
    fn extension(&mut self, start: usize) -> Result<Option<GroupKind>, Error> {
        let token = self.need("unexpected end of pattern")?;
        let c = token.plain().and_then(char::from_u32).unwrap_or('\u{fffd}');
        Ok(Some(match c {
            'P' => return self.extension_p(),
            ':' => GroupKind::Plain,
            '>' => GroupKind::Atomic,
            '=' | '!' => GroupKind::Look {
                behind: false,
                negated: c == '!',
                outer: None,
            },
            '<' => {
                let token = self.need("unexpected end of pattern")?;
                let negated = match token.plain().and_then(char::from_u32) {
                    Some('=') => false,
                    Some('!') => true,
                    _ => return Err(self.unknown_extension("<", token)),
                };
                let outer = self.lookbehind;
                if outer.is_none() {
                    self.lookbehind = Some(self.widths.len() as u32);
                }
                GroupKind::Look {
                    behind: true,
                    negated,
                    outer,
                }
            }
            '#' => {
                self.comment(start)?;
                return Ok(None);
            }
            '(' => self.condition()?,
            _ => match token
                .plain()
                .filter(|&c| c == u32::from('-') || Flags::from_letter(c).is_some())
            {
                Some(letter) => return self.inline_flags(letter, start),
                None => return Err(self.unknown_extension("", token)),
            },
        }))
    }

    fn unknown_extension(&self, prefix: &str, token: Token) -> Error {
        let text = token.text();
        let back = 1 + prefix.len() + text.chars().count();
        self.source
            .error(format!("unknown extension ?{prefix}{text}"), back)
    }

    /// The next token, or an error at the end of the pattern.
    fn need(&mut self, msg: &str) -> Result<Token, Error> {
        match self.source.get()? {
            Some(token) => Ok(token),
            None => Err(self.source.error(msg, 0)),
        }
    }

    /// `(?P<name>...)` and `(?P=name)`.
    fn extension_p(&mut self) -> Result<Option<GroupKind>, Error> {
        if self.source.eat('<')? {
            let name = self.source.take_until('>', "group name")?;
            self.source.check_group_name(&name, 1)?;
            return self.new_group(Some(&name)).map(Some);
        }
        if self.source.eat('=')? {
            let name = self.source.take_until(')', "group name")?;
            self.source.check_group_name(&name, 1)?;
            let group = self.group_of_name(&name)?;
            if !self.is_closed(group) {
                return Err(self
                    .source
                    .error("cannot refer to an open group", name.len() + 1));
            }
            self.push_backref(group)?;
            return Ok(None);
        }
        let token = self.need("unexpected end of pattern")?;
        Err(self.unknown_extension("P", token))
    }

    fn group_of_name(&self, name: &[u32]) -> Result<u32, Error> {
        let text: String = name.iter().filter_map(|&c| char::from_u32(c)).collect();
        match self.names.iter().find(|(known, _)| *known == text) {
            Some(&(_, group)) => Ok(group),
            None => {
                let shown = unicode::repr(name);
                Err(self
                    .source
                    .error(format!("unknown group name {shown}"), name.len() + 1))
            }
        }
    }

    fn new_group(&mut self, name: Option<&[u32]>) -> Result<GroupKind, Error> {
        let group = self.widths.len() as u32;
        if let Some(name) = name {
            let text: String = name.iter().filter_map(|&c| char::from_u32(c)).collect();
            if let Some((_, old)) = self.names.iter().find(|(known, _)| *known == text) {
                let shown = unicode::repr(name);
                let msg =
                    format!("redefinition of group name {shown} as group {group}; was group {old}");
                return Err(self.source.error(msg, name.len() + 1));
            }
            self.names.push((text, group));
        }
        self.widths.push(None);
        Ok(GroupKind::Capture(group))
    }

    fn comment(&mut self, start: usize) -> Result<(), Error> {
        loop {
            if self.source.peek().is_none() {
                let back = self.source.tell() - start;
                return Err(self.source.error("missing ), unterminated comment", back));
            }
            if self.source.eat(')')? {
                return Ok(());
            }
            self.source.get()?;
        }
    }

    /// The group in `(?(group)...`.
    fn condition(&mut self) -> Result<GroupKind, Error> {
        let name = self.source.take_until(')', "group name")?;
        let group = match group_number(&name) {
            None => {
                self.source.check_group_name(&name, 1)?;
                self.group_of_name(&name)?
            }
            Some(0) => return Err(self.source.error("bad group number", name.len() + 1)),
            Some(number) if number >= MAX_GROUPS => {
                return Err(huge_reference(&self.source, &name));
            }
            Some(number) => {
                let group = number as u32;
                if !self.cond_refs.iter().any(|&(known, _)| known == group) {
                    self.cond_refs
                        .push((group, self.source.tell() - name.len() - 1));
                }
                group
            }
        };
        self.check_lookbehind(group)?;
        Ok(GroupKind::Cond(group))
    }

    /// `(?flags)`, `(?flags-flags:...)`; the first letter or dash is taken.
    fn inline_flags(&mut self, first: u32, start: usize) -> Result<Option<GroupKind>, Error> {
        let dash = u32::from('-');
        let mut add = Flags::NONE;
        let mut remove = Flags::NONE;
        let mut token = Token::Plain(first);
        if first != dash {
            loop {
                add |= self.flag(token, add)?;
                token = self.need("missing -, : or )")?;
                match token.plain().and_then(char::from_u32) {
                    Some(')' | '-' | ':') => break,
                    _ => self.expect_flag(token, "missing -, : or )")?,
                }
            }
        }
        if token == Token::Plain(')'.into()) {
            // These hold for the whole pattern, so nothing may come before them.
            let first =
                self.stack.is_empty() && self.top.branches.is_empty() && self.top.items.is_empty();
            if !first {
                let back = self.source.tell() - start;
                return Err(self
                    .source
                    .error("global flags not at the start of the expression", back));
            }
            self.flags |= add;
            self.current |= add;
            return Ok(None);
        }
        if token == Token::Plain(dash) {
            token = self.need("missing flag")?;
            self.expect_flag(token, "missing flag")?;
            loop {
                let flag = token
                    .plain()
                    .and_then(Flags::from_letter)
                    .unwrap_or_default();
                if flag.has(Flags::TYPE) {
                    let msg = "bad inline flags: cannot turn off flags 'a', 'u' and 'L'";
                    return Err(self.source.error(msg, 0));
                }
                remove |= flag;
                token = self.need("missing :")?;
                if token == Token::Plain(':'.into()) {
                    break;
                }
                self.expect_flag(token, "missing :")?;
            }
        }
        if add.has(remove) {
            return Err(self
                .source
                .error("bad inline flags: flag turned on and off", 1));
        }
        if add.has(Flags::TYPE) {
            self.current = self.current & !Flags::TYPE;
        }
        self.current = (self.current | add) & !remove;
        Ok(Some(GroupKind::Plain))
    }

    /// The flag of a letter that is known to be one, if it may be turned on besides `others`.
    fn flag(&self, token: Token, others: Flags) -> Result<Flags, Error> {
        let flag = token
            .plain()
            .and_then(Flags::from_letter)
            .unwrap_or_default();
        let msg = if self.source.is_str && flag == Flags::LOCALE {
            "bad inline flags: cannot use 'L' flag with a str pattern"
        } else if !self.source.is_str && flag == Flags::UNICODE {
            "bad inline flags: cannot use 'u' flag with a bytes pattern"
        } else if flag.has(Flags::TYPE) && (others & Flags::TYPE | flag) != flag {
            "bad inline flags: flags 'a', 'u' and 'L' are incompatible"
        } else {
            return Ok(flag);
        };
        Err(self.source.error(msg, 0))
    }

    fn expect_flag(&self, token: Token, missing: &str) -> Result<(), Error> {
        if token.plain().and_then(Flags::from_letter).is_some() {
            return Ok(());
        }
        let text = match token {
            Token::Plain(c) => show(c),
            Token::Escaped(_) => token.text(),
        };
        let alphabetic = text.chars().all(char::is_alphabetic);
        let msg = if alphabetic { "unknown flag" } else { missing };
        Err(self.source.error(msg, text.chars().count()))
    }
}
