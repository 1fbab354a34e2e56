//! String literals, and the text between the fields of f-strings and t-strings.

use super::{Mode, Prefix, Scanner, Step, Stop, Tok};

/// How many fields may be open inside each other's format specifiers.
const MAX_FIELDS: usize = 2;
/// How many f-strings may be open inside each other.
const MAX_STRINGS: usize = 149;

impl Scanner<'_> {
    /// Reads a string whose prefix began at `start` and whose quotes come next.
    pub(super) fn string(&mut self, start: usize, prefix: Prefix) -> Step<()> {
        let quote = self.peek().unwrap_or(b'"');
        let triple = self.peek_at(1) == Some(quote) && self.peek_at(2) == Some(quote);
        if prefix.format || prefix.template {
            return self.begin_interpolated(start, prefix, quote, triple);
        }
        let line_start = self.line_start;
        self.at += if triple { 3 } else { 1 };
        let mut escaped_quote = false;
        loop {
            match self.peek() {
                None => {
                    return Err(self.unterminated(start, line_start, quote, triple, escaped_quote));
                }
                Some(b'\n' | b'\r') if !triple => {
                    return Err(self.unterminated(start, line_start, quote, triple, escaped_quote));
                }
                Some(b'\n' | b'\r') => self.skip_newline(),
                Some(b'\\') => {
                    self.at += 1;
                    match self.peek() {
                        Some(b'\n' | b'\r') => self.skip_newline(),
                        Some(byte) => {
                            escaped_quote |= byte == quote;
                            self.at += 1;
                        }
                        None => {}
                    }
                }
                Some(byte) if byte == quote => {
                    if !triple {
                        self.at += 1;
                        break;
                    }
                    if self.peek_at(1) == Some(quote) && self.peek_at(2) == Some(quote) {
                        self.at += 3;
                        break;
                    }
                    self.at += 1;
                }
                Some(_) => self.at += 1,
            }
        }
        self.push(Tok::String, start, self.at);
        Ok(())
    }

    /// The error for a plain string that does not end.
    fn unterminated(
        &mut self,
        start: usize,
        line_start: usize,
        quote: u8,
        triple: bool,
        escaped_quote: bool,
    ) -> Stop {
        // The quote that begins the "string" may be the end of the f-string around it.
        if let Some(mode) = self.modes.last()
            && mode.quote == quote
            && mode.triple == triple
        {
            let message = format!("{}-string: expecting '}}'", mode.letter);
            self.line_start = line_start;
            return self.error_at(start + 1, message);
        }
        let line = self.detected_line();
        self.line_start = line_start;
        let message = if triple {
            format!("unterminated triple-quoted string literal (detected at line {line})")
        } else if escaped_quote {
            format!(
                "unterminated string literal (detected at line {line}); \
                 perhaps you escaped the end quote?"
            )
        } else {
            format!("unterminated string literal (detected at line {line})")
        };
        self.error_at(start + 1, message)
    }

    /// The number of the line that the scanner has got to; an empty last line does not count.
    fn detected_line(&self) -> usize {
        let line = self.line_number(self.at);
        if self.at == self.bytes.len() && self.at == self.line_start && line > 1 {
            line - 1
        } else {
            line
        }
    }

    fn begin_interpolated(
        &mut self,
        start: usize,
        prefix: Prefix,
        quote: u8,
        triple: bool,
    ) -> Step<()> {
        if self.modes.len() >= MAX_STRINGS {
            return Err(self.error_at(self.at + 1, "too many nested f-strings or t-strings"));
        }
        self.at += if triple { 3 } else { 1 };
        self.push(Tok::FStart, start, self.at);
        self.modes.push(Mode {
            quote,
            triple,
            raw: prefix.raw,
            letter: if prefix.template { 't' } else { 'f' },
            start,
            line_start: self.line_start,
            fields: Vec::new(),
            in_text: true,
            in_spec: false,
        });
        Ok(())
    }

    /// Reads literal text of the innermost f-string up to its end, a field, or the end of a
    /// format specifier.
    pub(super) fn interpolated_text(&mut self) -> Step<()> {
        let Some(mode) = self.modes.last() else {
            return Ok(());
        };
        let (quote, triple, raw, in_spec) = (mode.quote, mode.triple, mode.raw, mode.in_spec);
        let start = self.at;
        loop {
            match self.peek() {
                None => return Err(self.unterminated_interpolated()),
                Some(b'\n' | b'\r') if !triple => {
                    return Err(if in_spec {
                        self.newline_in_spec()
                    } else {
                        self.unterminated_interpolated()
                    });
                }
                Some(b'\n' | b'\r') => self.skip_newline(),
                Some(byte) if byte == quote => {
                    let closes = !triple
                        || (self.peek_at(1) == Some(quote) && self.peek_at(2) == Some(quote));
                    if !closes {
                        self.at += 1;
                        continue;
                    }
                    self.middle(start);
                    let end = self.at + if triple { 3 } else { 1 };
                    self.push(Tok::FEnd, self.at, end);
                    self.at = end;
                    self.modes.pop();
                    return Ok(());
                }
                Some(b'{') if self.peek_at(1) == Some(b'{') && !in_spec => self.at += 2,
                Some(b'{') => {
                    self.middle(start);
                    return self.begin_field();
                }
                Some(b'}') if self.peek_at(1) == Some(b'}') && !in_spec => self.at += 2,
                Some(b'}') => {
                    self.middle(start);
                    return self.leave_text();
                }
                Some(b'\\') => {
                    self.at += 1;
                    match self.peek() {
                        Some(b'{' | b'}') | None => {}
                        Some(b'\n' | b'\r') => self.skip_newline(),
                        Some(b'N') if !raw && self.peek_at(1) == Some(b'{') => {
                            self.at += 2;
                            self.character_name(quote);
                        }
                        Some(_) => self.at += 1,
                    }
                }
                Some(_) => self.at += 1,
            }
        }
    }

    /// Steps over the name in `\N{...}`, whose closing brace ends no field.
    fn character_name(&mut self, quote: u8) {
        while let Some(byte) = self.peek() {
            match byte {
                b'}' => {
                    self.at += 1;
                    return;
                }
                b'{' | b'\n' | b'\r' => return,
                _ if byte == quote => return,
                _ => self.at += 1,
            }
        }
    }

    /// Emits the literal text since `start`, if there is any.
    fn middle(&mut self, start: usize) {
        if self.at > start {
            self.push(Tok::FMiddle, start, self.at);
        }
    }

    /// Goes back to reading an expression (or the `}` after it).
    fn leave_text(&mut self) -> Step<()> {
        if let Some(mode) = self.modes.last_mut() {
            mode.in_text = false;
        }
        Ok(())
    }

    /// Reads the `{` of a replacement field.
    fn begin_field(&mut self) -> Step<()> {
        let outside = self.open.len();
        let Some(mode) = self.modes.last_mut() else {
            return Ok(());
        };
        if mode.fields.len() > MAX_FIELDS {
            let message = format!("{}-string: expressions nested too deeply", mode.letter);
            return Err(self.error_at(self.at, message));
        }
        mode.fields.push(outside);
        mode.in_text = false;
        mode.in_spec = false;
        self.operator(b'{')
    }

    fn newline_in_spec(&self) -> Stop {
        let letter = self.modes.last().map_or('f', |mode| mode.letter);
        self.error_at(
            self.at + 1,
            format!(
                "{letter}-string: newlines are not allowed in format specifiers \
                 for single quoted {letter}-strings"
            ),
        )
    }

    /// The error for an f-string that does not end.
    fn unterminated_interpolated(&mut self) -> Stop {
        let line = self.detected_line();
        let Some(mode) = self.modes.last() else {
            return self.error_at(self.at, "unterminated f-string literal");
        };
        let kind = if mode.triple { "triple-quoted " } else { "" };
        let message = format!(
            "unterminated {kind}{}-string literal (detected at line {line})",
            mode.letter
        );
        let start = mode.start;
        self.line_start = mode.line_start;
        self.error_at(start + 1, message)
    }
}
