//! Reads a pattern or template token by token. A token is a character, or a backslash with the character
//! after it. One token is read ahead, so a trailing backslash is an error as soon as the token before it is
//! taken, as in CPython.

use crate::error::Error;
use crate::unicode;

/// A token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Token {
    /// A character other than a backslash.
    Plain(u32),
    /// A backslash and what follows it.
    Escaped(u32),
}

impl Token {
    fn len(self) -> usize {
        match self {
            Token::Plain(_) => 1,
            Token::Escaped(_) => 2,
        }
    }

    /// As written.
    pub fn text(self) -> String {
        match self {
            Token::Plain(c) => show(c),
            Token::Escaped(c) => format!("\\{}", show(c)),
        }
    }

    /// The character of a plain token.
    pub fn plain(self) -> Option<u32> {
        match self {
            Token::Plain(c) => Some(c),
            Token::Escaped(_) => None,
        }
    }
}

/// A character for a message; Rust strings have no lone surrogates.
pub fn show(c: u32) -> String {
    char::from_u32(c).unwrap_or('\u{fffd}').to_string()
}

/// A reader.
pub struct Source<'a> {
    /// The whole text.
    pub text: &'a [u32],
    /// Whether it is a `str`, not `bytes`.
    pub is_str: bool,
    index: usize,
    next: Option<Token>,
}

impl<'a> Source<'a> {
    /// A reader at the start of the text.
    pub fn new(text: &'a [u32], is_str: bool) -> Result<Source<'a>, Error> {
        let mut source = Source {
            text,
            is_str,
            index: 0,
            next: None,
        };
        source.advance()?;
        Ok(source)
    }

    fn advance(&mut self) -> Result<(), Error> {
        self.next = match self.text.get(self.index) {
            None => None,
            Some(&c) if c == u32::from('\\') => match self.text.get(self.index + 1) {
                Some(&escaped) => Some(Token::Escaped(escaped)),
                None => {
                    return Err(Error::at(
                        "bad escape (end of pattern)",
                        self.text,
                        self.text.len() - 1,
                    ));
                }
            },
            Some(&c) => Some(Token::Plain(c)),
        };
        self.index += self.next.map_or(0, Token::len);
        Ok(())
    }

    /// The token to come.
    pub fn peek(&self) -> Option<Token> {
        self.next
    }

    /// Position of the token to come.
    pub fn tell(&self) -> usize {
        self.index - self.next.map_or(0, Token::len)
    }

    /// Goes back to a position.
    pub fn seek(&mut self, pos: usize) -> Result<(), Error> {
        self.index = pos;
        self.advance()
    }

    /// Takes a token.
    pub fn get(&mut self) -> Result<Option<Token>, Error> {
        let token = self.next;
        self.advance()?;
        Ok(token)
    }

    /// Takes the token if it is the plain character `c`.
    pub fn eat(&mut self, c: char) -> Result<bool, Error> {
        let found = self.next == Some(Token::Plain(c.into()));
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    /// The plain character to come, if it has the property.
    pub fn peek_if(&self, test: impl Fn(char) -> bool) -> Option<char> {
        self.next?
            .plain()
            .and_then(char::from_u32)
            .filter(|&c| test(c))
    }

    /// Takes up to `limit` characters that have the property.
    pub fn take_while(
        &mut self,
        limit: usize,
        test: impl Fn(char) -> bool,
    ) -> Result<String, Error> {
        let mut out = String::new();
        while out.len() < limit
            && let Some(c) = self.peek_if(&test)
        {
            out.push(c);
            self.advance()?;
        }
        Ok(out)
    }

    /// Takes everything up to `terminator`, and that too. `what` names it in errors.
    pub fn take_until(&mut self, terminator: char, what: &str) -> Result<Vec<u32>, Error> {
        let mut out = Vec::new();
        loop {
            match self.get()? {
                None if out.is_empty() => return Err(self.error(format!("missing {what}"), 0)),
                None => {
                    return Err(self.error(
                        format!("missing {terminator}, unterminated name"),
                        out.len(),
                    ));
                }
                Some(Token::Plain(c)) if c == u32::from(terminator) => break,
                Some(Token::Plain(c)) => out.push(c),
                Some(Token::Escaped(c)) => out.extend([u32::from('\\'), c]),
            }
        }
        if out.is_empty() {
            return Err(self.error(format!("missing {what}"), 1));
        }
        Ok(out)
    }

    /// Checks that a group name is an identifier; its end is `offset` characters back.
    pub fn check_group_name(&self, name: &[u32], offset: usize) -> Result<(), Error> {
        let bad_byte = !self.is_str && name.iter().any(|&c| c >= 128);
        if bad_byte || !unicode::is_identifier(name) {
            let shown = unicode::repr(name);
            return Err(self.error(
                format!("bad character in group name {shown}"),
                name.len() + offset,
            ));
        }
        Ok(())
    }

    /// An error `back` characters before the token to come.
    pub fn error(&self, msg: impl Into<String>, back: usize) -> Error {
        let mut msg = msg.into();
        if !self.is_str && !msg.is_ascii() {
            // What bytes patterns contain is shown escaped.
            let escaped = msg.chars().map(|c| {
                if c.is_ascii() {
                    c.into()
                } else {
                    format!("\\x{:02x}", u32::from(c))
                }
            });
            msg = escaped.collect();
        }
        Error::at(msg, self.text, self.tell().saturating_sub(back))
    }
}

/// The number a group reference consists of, if `name` is all ASCII digits. Too large ones saturate.
pub fn group_number(name: &[u32]) -> Option<u64> {
    let digits: Option<Vec<u64>> = name
        .iter()
        .map(|&c| char::from_u32(c)?.to_digit(10).map(u64::from))
        .collect();
    let digits = digits.filter(|d| !d.is_empty())?;
    Some(
        digits
            .iter()
            .fold(0, |n: u64, d| n.saturating_mul(10).saturating_add(*d)),
    )
}

/// Digits without the leading zeros, as `int` prints them.
pub fn canonical_digits(name: &[u32]) -> String {
    let text: String = name.iter().filter_map(|&c| char::from_u32(c)).collect();
    let trimmed = text.trim_start_matches('0');
    if trimmed.is_empty() {
        "0".into()
    } else {
        trimmed.into()
    }
}
