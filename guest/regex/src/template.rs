//! Replacement templates, as `Pattern.sub` and `Match.expand` take them, and `re.escape`.

use crate::error::{Error, ErrorKind};
use crate::parser::MAX_GROUPS;
use crate::parser::escape::{control, huge_reference, is_octal, octal};
use crate::parser::source::{Source, Token, group_number};
use crate::pattern::{Pattern, PatternSource};
use crate::scratch::Scratch;
use crate::subject::Unit;
use crate::unicode;

/// A piece of a template.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Part {
    /// Text to copy.
    Literal(Vec<u32>),
    /// The text of a group; nothing if it took no part.
    Group(usize),
}

/// A parsed template. No two literals are adjacent, and none is empty.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Template {
    parts: Vec<Part>,
}

impl Template {
    /// Parses a template for matches of `pattern`.
    pub fn parse(source: PatternSource<'_>, pattern: &Pattern) -> Result<Template, Error> {
        let (text, is_str) = source.decode();
        let mut template = Template { parts: Vec::new() };
        let mut source = Source::new(&text, is_str)?;
        while let Some(token) = source.get()? {
            match token {
                Token::Plain(c) => template.literal(c),
                Token::Escaped(c) => template.escape(token, c, &mut source, pattern)?,
            }
        }
        Ok(template)
    }

    /// The pieces in order.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// The template's text, if it is without groups.
    pub fn as_literal(&self) -> Option<&[u32]> {
        match self.parts.as_slice() {
            [] => Some(&[]),
            [Part::Literal(text)] => Some(text),
            _ => None,
        }
    }

    /// Calls `piece` with the pieces for the match in `scratch`; groups as ranges of the subject.
    pub fn expand(&self, scratch: &Scratch, mut piece: impl FnMut(Piece<'_>)) {
        for part in &self.parts {
            match part {
                Part::Literal(text) => piece(Piece::Literal(text)),
                Part::Group(group) => {
                    if let Some((start, end)) = scratch.span(*group) {
                        piece(Piece::Subject(start, end));
                    }
                }
            }
        }
    }

    fn literal(&mut self, c: u32) {
        match self.parts.last_mut() {
            Some(Part::Literal(text)) => text.push(c),
            _ => self.parts.push(Part::Literal(vec![c])),
        }
    }

    fn escape(
        &mut self,
        token: Token,
        c: u32,
        source: &mut Source<'_>,
        pattern: &Pattern,
    ) -> Result<(), Error> {
        let letter = char::from_u32(c).unwrap_or('\u{fffd}');
        match letter {
            'g' => self.group_escape(source, pattern),
            '0' => {
                let digits = source.take_while(2, is_octal)?;
                let value = digits.bytes().fold(0, |n, d| n * 8 + u32::from(d - b'0'));
                self.literal(value & 0xff);
                Ok(())
            }
            '1'..='9' => {
                let mut digits = String::from(letter);
                digits += &source.take_while(1, |c| c.is_ascii_digit())?;
                if digits.len() == 2
                    && digits.chars().all(is_octal)
                    && source.peek_if(is_octal).is_some()
                {
                    digits += &source.take_while(1, is_octal)?;
                    let value = octal(source, &digits)?;
                    self.literal(value);
                    return Ok(());
                }
                let group = digits.parse().unwrap_or(u64::MAX);
                self.group(group, digits.len(), source, pattern)
            }
            _ => {
                if let Some(code) = control(c) {
                    self.literal(code);
                } else if letter.is_ascii_alphabetic() {
                    let text = token.text();
                    return Err(source.error(format!("bad escape {text}"), 2));
                } else {
                    self.literal('\\'.into());
                    self.literal(c);
                }
                Ok(())
            }
        }
    }

    /// `\g<name>` and `\g<number>`.
    fn group_escape(&mut self, source: &mut Source<'_>, pattern: &Pattern) -> Result<(), Error> {
        if !source.eat('<')? {
            return Err(source.error("missing <", 0));
        }
        let name = source.take_until('>', "group name")?;
        let group = match group_number(&name) {
            Some(number) if number >= MAX_GROUPS => return Err(huge_reference(source, &name)),
            Some(number) => number,
            None => {
                source.check_group_name(&name, 1)?;
                let text: String = name.iter().filter_map(|&c| char::from_u32(c)).collect();
                match pattern.group_number(&text) {
                    Some(group) => group as u64,
                    None => {
                        let shown = unicode::repr(&name);
                        return Err(Error::plain(
                            ErrorKind::Index,
                            format!("unknown group name {shown}"),
                        ));
                    }
                }
            }
        };
        self.group(group, name.len() + 1, source, pattern)
    }

    fn group(
        &mut self,
        group: u64,
        back: usize,
        source: &Source<'_>,
        pattern: &Pattern,
    ) -> Result<(), Error> {
        if group > pattern.groups() as u64 {
            return Err(source.error(format!("invalid group reference {group}"), back));
        }
        self.parts.push(Part::Group(group as usize));
        Ok(())
    }
}

/// A piece of an expanded template.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Piece<'a> {
    /// Text of the template.
    Literal(&'a [u32]),
    /// A range of the subject.
    Subject(usize, usize),
}

/// Whether `re.escape` puts a backslash before the character.
pub fn needs_escape(c: u32) -> bool {
    u8::try_from(c).is_ok_and(|c| b"()[]{}?*+-|^$\\.&~# \t\n\r\x0b\x0c".contains(&c))
}

/// `re.escape`.
pub fn escape<U: Unit>(text: &[U]) -> Vec<U> {
    let mut out = Vec::with_capacity(text.len());
    for &unit in text {
        if needs_escape(unit.code()) {
            out.extend(U::from_code('\\'.into()));
        }
        out.push(unit);
    }
    out
}
