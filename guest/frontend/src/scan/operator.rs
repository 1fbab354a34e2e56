//! Operators and brackets.

use super::{MAX_BRACKETS, Open, Scanner, Step, Tok};

impl Scanner<'_> {
    /// Reads the operator or bracket that begins with `byte`.
    pub(super) fn operator(&mut self, byte: u8) -> Step<()> {
        let start = self.at;
        // Inside a replacement field a colon outside of brackets ends the expression, even `:=`.
        if byte == b':' && self.at_field_level() {
            self.at += 1;
            self.push(Tok::SpecColon, start, self.at);
            if let Some(mode) = self.modes.last_mut() {
                mode.in_text = true;
                mode.in_spec = true;
            }
            return Ok(());
        }
        match byte {
            b'(' | b'[' | b'{' => return self.open_bracket(byte),
            b')' | b']' | b'}' => return self.close_bracket(byte),
            _ => {}
        }
        let (kind, length) = operator_at(byte, self.peek_at(1), self.peek_at(2));
        if kind == Tok::Unknown && !matches!(byte, b'$' | b'?' | b'`') {
            return Err(self.error_at(
                start + 1,
                format!("invalid non-printable character U+{byte:04X}"),
            ));
        }
        self.at += length;
        self.push(kind, start, self.at);
        Ok(())
    }

    /// Whether the innermost open bracket is the `{` of a replacement field.
    fn at_field_level(&self) -> bool {
        self.modes
            .last()
            .and_then(|mode| mode.fields.last())
            .is_some_and(|&outside| self.open.len() == outside + 1)
    }

    fn open_bracket(&mut self, byte: u8) -> Step<()> {
        let start = self.at;
        if self.open.len() >= MAX_BRACKETS {
            return Err(self.error_at(start + 1, "too many nested parentheses"));
        }
        let kind = match byte {
            b'(' => Tok::Lpar,
            b'[' => Tok::Lsqb,
            _ => Tok::Lbrace,
        };
        self.at += 1;
        self.push(kind, start, self.at);
        self.open.push(Open {
            bracket: byte,
            offset: start,
        });
        Ok(())
    }

    fn close_bracket(&mut self, byte: u8) -> Step<()> {
        let start = self.at;
        let shown = char::from(byte);
        let letter = self.modes.last().map(|mode| mode.letter);
        let in_field = self.at_field_level();
        if let (Some(letter), b'}') = (letter, byte)
            && self.modes.last().is_some_and(|mode| mode.fields.is_empty())
        {
            let message = format!("{letter}-string: single '}}' is not allowed");
            return Err(self.error_at(start + 1, message));
        }
        let Some(open) = self.open.last().copied() else {
            return Err(self.error_at(start + 1, format!("unmatched '{shown}'")));
        };
        let matches = matches!(
            (open.bracket, byte),
            (b'(', b')') | (b'[', b']') | (b'{', b'}')
        );
        if !matches {
            if let (Some(letter), true) = (letter, in_field) {
                let message = format!("{letter}-string: unmatched '{shown}'");
                return Err(self.error_at(start + 1, message));
            }
            let mut message = format!(
                "closing parenthesis '{shown}' does not match opening parenthesis '{}'",
                char::from(open.bracket)
            );
            if open.offset < self.line_start {
                let line = self.line_number(open.offset);
                message.push_str(&format!(" on line {line}"));
            }
            return Err(self.error_at(start + 1, message));
        }
        self.open.pop();
        self.at += 1;
        let kind = match byte {
            b')' => Tok::Rpar,
            b']' => Tok::Rsqb,
            _ => Tok::Rbrace,
        };
        self.push(kind, start, self.at);
        if in_field && let Some(mode) = self.modes.last_mut() {
            mode.fields.pop();
            mode.in_text = true;
            // A field inside a format specifier returns to that specifier.
            mode.in_spec = !mode.fields.is_empty();
        }
        Ok(())
    }

    /// The line (counted from 1) of the byte at `offset`.
    pub(super) fn line_number(&self, offset: usize) -> usize {
        let mut line = 1;
        let mut at = 0;
        while at < offset {
            match self.bytes[at] {
                b'\n' => line += 1,
                b'\r' if self.bytes.get(at + 1) != Some(&b'\n') => line += 1,
                _ => {}
            }
            at += 1;
        }
        line
    }
}

/// The operator that begins with these bytes, and its length.
fn operator_at(byte: u8, second: Option<u8>, third: Option<u8>) -> (Tok, usize) {
    let three = (byte, second, third);
    match three {
        (b'*', Some(b'*'), Some(b'='))
        | (b'/', Some(b'/'), Some(b'='))
        | (b'<', Some(b'<'), Some(b'='))
        | (b'>', Some(b'>'), Some(b'=')) => return (Tok::AugAssign, 3),
        (b'.', Some(b'.'), Some(b'.')) => return (Tok::Ellipsis, 3),
        _ => {}
    }
    let two = match (byte, second) {
        (b'*', Some(b'*')) => Tok::DoubleStar,
        (b'/', Some(b'/')) => Tok::DoubleSlash,
        (b'<', Some(b'<')) => Tok::LeftShift,
        (b'>', Some(b'>')) => Tok::RightShift,
        (b'<', Some(b'=')) => Tok::LessEqual,
        (b'>', Some(b'=')) => Tok::GreaterEqual,
        (b'<', Some(b'>')) => Tok::LessGreater,
        (b'=', Some(b'=')) => Tok::EqEqual,
        (b'!', Some(b'=')) => Tok::NotEqual,
        (b':', Some(b'=')) => Tok::ColonEqual,
        (b'-', Some(b'>')) => Tok::Arrow,
        (b'+' | b'-' | b'*' | b'/' | b'%' | b'&' | b'|' | b'^' | b'@', Some(b'=')) => {
            Tok::AugAssign
        }
        _ => Tok::Unknown,
    };
    if two != Tok::Unknown {
        return (two, 2);
    }
    let one = match byte {
        b':' => Tok::Colon,
        b',' => Tok::Comma,
        b';' => Tok::Semi,
        b'.' => Tok::Dot,
        b'@' => Tok::At,
        b'=' => Tok::Equal,
        b'!' => Tok::Exclamation,
        b'+' => Tok::Plus,
        b'-' => Tok::Minus,
        b'*' => Tok::Star,
        b'/' => Tok::Slash,
        b'%' => Tok::Percent,
        b'|' => Tok::Vbar,
        b'&' => Tok::Amper,
        b'^' => Tok::Circumflex,
        b'~' => Tok::Tilde,
        b'<' => Tok::Less,
        b'>' => Tok::Greater,
        _ => Tok::Unknown,
    };
    (one, 1)
}
