//! Numbers, and the errors about them.

use super::{Scanner, Step, Stop, Tok};
use crate::error::ErrorKind;

/// How many decimal digits an integer literal may have before Python refuses to convert it.
const MAX_DECIMAL_DIGITS: usize = 4300;

impl Scanner<'_> {
    /// Reads the number that begins at `start`.
    pub(super) fn number(&mut self, start: usize) -> Step<()> {
        match (self.peek(), self.peek_at(1)) {
            (Some(b'0'), Some(b'x' | b'X')) => {
                self.radix("hexadecimal", |byte| byte.is_ascii_hexdigit())?;
            }
            (Some(b'0'), Some(b'o' | b'O')) => {
                self.radix("octal", |byte| matches!(byte, b'0'..=b'7'))?;
            }
            (Some(b'0'), Some(b'b' | b'B')) => {
                self.radix("binary", |byte| matches!(byte, b'0' | b'1'))?;
            }
            _ => self.decimal(start)?,
        }
        self.push(Tok::Number, start, self.at);
        Ok(())
    }

    /// The digits after `0x`, `0o` or `0b`.
    fn radix(&mut self, name: &str, is_digit: impl Fn(u8) -> bool) -> Step<()> {
        self.at += 2;
        loop {
            if self.peek() == Some(b'_') {
                self.at += 1;
            }
            match self.peek() {
                Some(byte) if is_digit(byte) => {}
                Some(byte) if byte.is_ascii_digit() => return Err(self.wrong_digit(byte, name)),
                _ => return Err(self.invalid(name)),
            }
            while self.peek().is_some_and(&is_digit) {
                self.at += 1;
            }
            if self.peek() != Some(b'_') {
                break;
            }
        }
        match self.peek() {
            Some(byte) if byte.is_ascii_digit() => Err(self.wrong_digit(byte, name)),
            _ => self.end_of_number(name),
        }
    }

    fn wrong_digit(&self, byte: u8, name: &str) -> Stop {
        let digit = char::from(byte);
        self.error_at(
            self.at + 1,
            format!("invalid digit '{digit}' in {name} literal"),
        )
    }

    fn invalid(&self, name: &str) -> Stop {
        self.error_at(self.at, format!("invalid {name} literal"))
    }

    /// A decimal integer, a float or an imaginary number.
    fn decimal(&mut self, start: usize) -> Step<()> {
        let leading_zero = self.peek() == Some(b'0');
        let mut integer = true;
        let mut zeros_end = start;
        if self.peek() != Some(b'.') {
            if leading_zero {
                self.digits_while(|byte| byte == b'0')?;
                zeros_end = self.at;
            }
            if self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
                self.digits_while(|byte| byte.is_ascii_digit())?;
            }
        }
        let whole_end = self.at;
        if self.peek() == Some(b'.') {
            integer = false;
            self.at += 1;
            if self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
                self.digits_while(|byte| byte.is_ascii_digit())?;
            }
        }
        if let Some(b'e' | b'E') = self.peek() {
            let signed = matches!(self.peek_at(1), Some(b'+' | b'-'));
            let digit = self.peek_at(if signed { 2 } else { 1 });
            if digit.is_some_and(|byte| byte.is_ascii_digit()) {
                integer = false;
                self.at += if signed { 2 } else { 1 };
                self.digits_while(|byte| byte.is_ascii_digit())?;
            } else if signed {
                self.at += 2;
                return Err(self.invalid("decimal"));
            } else {
                return self.end_of_number("decimal");
            }
        }
        if let Some(b'j' | b'J') = self.peek() {
            self.at += 1;
            return self.end_of_number("imaginary");
        }
        if integer {
            if leading_zero && whole_end > zeros_end {
                return Err(self.leading_zeros(start, zeros_end));
            }
            self.check_size(start)?;
        }
        self.end_of_number("decimal")
    }

    /// Digits with single underscores between them.
    fn digits_while(&mut self, is_digit: impl Fn(u8) -> bool) -> Step<()> {
        loop {
            while self.peek().is_some_and(&is_digit) {
                self.at += 1;
            }
            if self.peek() != Some(b'_') {
                return Ok(());
            }
            self.at += 1;
            match self.peek() {
                Some(byte) if byte.is_ascii_digit() => {}
                _ => return Err(self.invalid("decimal")),
            }
        }
    }

    /// `012`: the columns of this error are counted in bytes.
    fn leading_zeros(&self, start: usize, zeros_end: usize) -> Stop {
        let message = "leading zeros in decimal integer literals are not permitted; \
                       use an 0o prefix for octal integers";
        let mut stop = self.error_at(start, message);
        if let Stop::Early(error) = &mut stop {
            let column = start - self.line_start + 1;
            error.column = u32::try_from(column).unwrap_or(u32::MAX);
            let end = zeros_end + 1 - self.line_start;
            error.end_column = i32::try_from(end).unwrap_or(i32::MAX);
        }
        stop
    }

    /// A literal with too many digits is an error of grammar for CPython, found when it is parsed.
    fn check_size(&mut self, start: usize) -> Step<()> {
        let text = &self.bytes[start..self.at];
        if text.len() <= MAX_DECIMAL_DIGITS {
            return Ok(());
        }
        let digits = text.iter().filter(|byte| byte.is_ascii_digit()).count();
        if digits <= MAX_DECIMAL_DIGITS {
            return Ok(());
        }
        let message = format!(
            "Exceeds the limit ({MAX_DECIMAL_DIGITS} digits) for integer string conversion: value \
             has {digits} digits; use sys.set_int_max_str_digits() to increase the limit - Consider \
             hexadecimal for huge integer literals to avoid decimal conversion limits."
        );
        let column = self.column(start) + 1;
        let end = self.column(self.at) + 1;
        let end = i32::try_from(end).unwrap_or(i32::MAX);
        Err(self.late(ErrorKind::Syntax, &message, column, end))
    }

    /// Refuses a letter right after a number, unless a keyword that can follow begins there.
    fn end_of_number(&mut self, name: &str) -> Step<()> {
        let rest = &self.bytes[self.at..];
        let short: [&[u8]; 3] = [b"if", b"in", b"is"];
        if short.iter().any(|keyword| rest.starts_with(keyword)) {
            return Ok(());
        }
        let whole: [&[u8]; 5] = [b"and", b"else", b"for", b"or", b"not"];
        let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte >= 0x80;
        if whole.iter().any(|keyword| {
            rest.strip_prefix(*keyword)
                .is_some_and(|after| !after.first().is_some_and(is_name))
        }) {
            return Ok(());
        }
        match self.peek() {
            Some(byte) if byte.is_ascii_alphanumeric() || byte == b'_' => Err(self.invalid(name)),
            _ => Ok(()),
        }
    }
}
