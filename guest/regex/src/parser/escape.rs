//! Backslash escapes, outside of and in character classes.

use super::source::{Token, canonical_digits, show};
use super::{NameLookup, Parser, Source};
use crate::ast::{At, Kind, Node};
use crate::class::{Category, CategoryKind, Class, ClassItem, Fold};
use crate::error::Error;
use crate::unicode;

/// The characters that the letter escapes common to patterns, classes and templates stand for.
pub(crate) fn control(c: u32) -> Option<u32> {
    Some(match char::from_u32(c)? {
        'a' => 7,
        'b' => 8,
        'f' => 12,
        'n' => 10,
        'r' => 13,
        't' => 9,
        'v' => 11,
        '\\' => 92,
        _ => return None,
    })
}

pub(crate) fn is_octal(c: char) -> bool {
    ('0'..='7').contains(&c)
}

fn is_letter(c: u32) -> bool {
    char::from_u32(c).is_some_and(|c| c.is_ascii_alphabetic())
}

/// Reads the value of an octal escape whose text is `digits`.
pub(crate) fn octal(source: &Source<'_>, digits: &str) -> Result<u32, Error> {
    let value = digits.bytes().fold(0, |n, d| n * 8 + u32::from(d - b'0'));
    if value > 0o377 {
        let msg = format!("octal escape value \\{digits} outside of range 0-0o377");
        return Err(source.error(msg, digits.len() + 1));
    }
    Ok(value)
}

fn bad_escape(source: &Source<'_>, text: &str) -> Error {
    source.error(format!("bad escape {text}"), text.chars().count())
}

/// `\x`, `\u`, `\U` and `\N{...}`; none if the escape is not of that kind.
fn code_point(
    source: &mut Source<'_>,
    lookup: Option<NameLookup<'_>>,
    c: u32,
) -> Result<Option<u32>, Error> {
    let letter = char::from_u32(c).unwrap_or('\u{fffd}');
    let digits = match letter {
        'x' => 2,
        'u' if source.is_str => 4,
        'U' if source.is_str => 8,
        'N' if source.is_str => return named(source, lookup).map(Some),
        _ => return Ok(None),
    };
    let hex = source.take_while(digits, |c| c.is_ascii_hexdigit())?;
    let text = format!("\\{letter}{hex}");
    if hex.len() != digits {
        return Err(source.error(format!("incomplete escape {text}"), text.len()));
    }
    match u32::from_str_radix(&hex, 16) {
        Ok(value) if value <= 0x10_ffff => Ok(Some(value)),
        _ => Err(bad_escape(source, &text)),
    }
}

fn named(source: &mut Source<'_>, lookup: Option<NameLookup<'_>>) -> Result<u32, Error> {
    if !source.eat('{')? {
        return Err(source.error("missing {", 0));
    }
    let name = source.take_until('}', "character name")?;
    let text: Option<String> = name.iter().map(|&c| char::from_u32(c)).collect();
    match text.zip(lookup).and_then(|(text, lookup)| lookup(&text)) {
        Some(found) => Ok(found.into()),
        None => {
            let shown = unicode::repr(&name);
            Err(source.error(
                format!("undefined character name {shown}"),
                name.len() + r"\N{}".len(),
            ))
        }
    }
}

impl Parser<'_> {
    fn category(&self, c: u32) -> Option<Category> {
        let letter = char::from_u32(c)?;
        let kind = match letter.to_ascii_lowercase() {
            'w' => CategoryKind::Word,
            'd' => CategoryKind::Digit,
            's' => CategoryKind::Space,
            _ => return None,
        };
        Some(Category {
            kind,
            negated: letter.is_ascii_uppercase(),
            ascii: self.ascii(),
        })
    }

    /// An escape outside of a class; its token is taken.
    pub(super) fn escape(&mut self, token: Token) -> Result<(), Error> {
        let Token::Escaped(c) = token else {
            return Ok(());
        };
        let ascii = self.ascii();
        let at = match char::from_u32(c) {
            Some('A') => Some(At::Start),
            Some('Z' | 'z') => Some(At::End),
            Some('b') => Some(At::Boundary { ascii }),
            Some('B') => Some(At::NotBoundary { ascii }),
            _ => None,
        };
        if let Some(at) = at {
            self.push_at(at);
        } else if let Some(category) = self.category(c) {
            let class = Class::new(&[ClassItem::Category(category)], false, Fold::None);
            self.push(Node::new(Kind::Set(Box::new(class))));
        } else if let Some(code) = control(c) {
            self.literal(code);
        } else if let Some(code) = code_point(&mut self.source, self.lookup, c)? {
            self.literal(code);
        } else if let Some(digit) = char::from_u32(c).filter(char::is_ascii_digit) {
            self.numeric(digit)?;
        } else if is_letter(c) {
            return Err(bad_escape(&self.source, &token.text()));
        } else {
            self.literal(c);
        }
        Ok(())
    }

    /// `\0`, three octal digits, or a group reference of one or two digits.
    fn numeric(&mut self, digit: char) -> Result<(), Error> {
        let mut digits = String::from(digit);
        if digit == '0' {
            digits += &self.source.take_while(2, is_octal)?;
            let code = octal(&self.source, &digits)?;
            self.literal(code);
            return Ok(());
        }
        let second = self.source.take_while(1, |c| c.is_ascii_digit())?;
        if !second.is_empty() {
            digits += &second;
            if digits.chars().all(is_octal) && self.source.peek_if(is_octal).is_some() {
                digits += &self.source.take_while(1, is_octal)?;
                let code = octal(&self.source, &digits)?;
                self.literal(code);
                return Ok(());
            }
        }
        let group: u32 = digits.parse().unwrap_or(u32::MAX);
        if group as usize >= self.widths.len() {
            return Err(self
                .source
                .error(format!("invalid group reference {group}"), digits.len()));
        }
        if !self.is_closed(group) {
            return Err(self
                .source
                .error("cannot refer to an open group", digits.len() + 1));
        }
        self.push_backref(group)
    }

    /// An escape in a class.
    pub(super) fn class_escape(&mut self, c: u32) -> Result<ClassItem, Error> {
        if let Some(category) = self.category(c) {
            return Ok(ClassItem::Category(category));
        }
        let code = if let Some(code) = control(c) {
            code
        } else if let Some(code) = code_point(&mut self.source, self.lookup, c)? {
            code
        } else if let Some(digit) = char::from_u32(c).filter(|&c| is_octal(c)) {
            let digits = format!("{digit}{}", self.source.take_while(2, is_octal)?);
            octal(&self.source, &digits)?
        } else if char::from_u32(c).is_some_and(|c| c.is_ascii_alphanumeric()) {
            return Err(bad_escape(&self.source, &format!("\\{}", show(c))));
        } else {
            c
        };
        Ok(ClassItem::Range(code, code))
    }
}

/// An error about a group number that is too large for any pattern.
pub(crate) fn huge_reference(source: &Source<'_>, name: &[u32]) -> Error {
    source.error(
        format!("invalid group reference {}", canonical_digits(name)),
        name.len() + 1,
    )
}
