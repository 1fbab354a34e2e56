//! String literals: decoding, mixing, and the replacement fields of f-strings.

use super::cursor::{Halt, Parse, Parser, Place};
use super::node::{Kind, Node};
use crate::literal;
use crate::scan::{Tok, Token};

impl Parser<'_> {
    /// Neighbouring string literals, which make one.
    pub(super) fn strings(&mut self) -> Parse<Node> {
        let start = self.token().start;
        let mut kind = Kind::Literal;
        let (mut bytes, mut text, mut template) = (false, false, false);
        loop {
            let token = self.token();
            match token.kind {
                Tok::String => {
                    if self.check_literal(token)? {
                        bytes = true;
                    } else {
                        text = true;
                    }
                    self.bump();
                }
                Tok::FStart => {
                    let is_template = self.text(token).contains(['t', 'T']);
                    self.interpolated(is_template)?;
                    if is_template {
                        template = true;
                        kind = Kind::TString;
                    } else {
                        text = true;
                        if kind == Kind::Literal {
                            kind = Kind::FString;
                        }
                    }
                }
                _ => break,
            }
        }
        if template && (text || bytes) {
            let message = "cannot mix t-string literals with string or bytes literals";
            return Err(self.error(Place::Range(start, self.previous().end), message));
        }
        if bytes && text {
            return Err(self.error(Place::LastToken, "cannot mix bytes and nonbytes literals"));
        }
        Ok(self.node(kind, start))
    }

    /// Decodes a plain literal for its errors; tells whether it is a bytes literal.
    fn check_literal(&mut self, token: Token) -> Parse<bool> {
        match literal::decode_literal(self.text(token)) {
            Ok(value) => Ok(matches!(value, literal::Literal::Bytes(_))),
            Err(error) => Err(self.error_token(token, error.to_string())),
        }
    }

    /// An f-string or t-string from its opening to its closing quotes.
    fn interpolated(&mut self, template: bool) -> Parse<()> {
        let start = self.need(Tok::FStart)?;
        let raw = self.text(start).contains(['r', 'R']);
        let letter = if template { 't' } else { 'f' };
        let mut middles = Vec::new();
        loop {
            let token = self.token();
            match token.kind {
                Tok::FMiddle => {
                    middles.push(token);
                    self.bump();
                }
                Tok::Lbrace => self.field(letter, raw)?,
                _ => break,
            }
        }
        self.need(Tok::FEnd)?;
        for middle in middles {
            self.check_middle(middle, raw)?;
        }
        Ok(())
    }

    fn check_middle(&mut self, token: Token, raw: bool) -> Parse<()> {
        match literal::decode_text(self.text(token), raw) {
            Ok(_) => Ok(()),
            Err(error) => Err(self.error(Place::LastToken, error.to_string())),
        }
    }

    /// A replacement field with its braces.
    fn field(&mut self, letter: char, raw: bool) -> Parse<()> {
        let mark = self.mark();
        let good = self.attempt(|parser| {
            parser.need(Tok::Lbrace)?;
            parser.yield_or_star_expressions()?;
            parser.eat(Tok::Equal);
            if parser.is(Tok::Exclamation) {
                parser.attempt(|parser| parser.conversion(letter))?;
            }
            if parser.eat(Tok::SpecColon) {
                parser.format_spec(letter, raw)?;
            }
            parser.need(Tok::Rbrace)
        })?;
        if good.is_some() {
            return Ok(());
        }
        if self.reporting {
            self.reset(mark);
            self.mistaken_field(letter, raw)?;
        }
        Err(Halt::NoMatch)
    }

    /// `!r`
    fn conversion(&mut self, letter: char) -> Parse<()> {
        let mark = self.need(Tok::Exclamation)?;
        let name = self.need(Tok::Name)?;
        if mark.end != name.start {
            let message = format!(
                "{letter}-string: conversion type must come right after the exclamation mark"
            );
            return Err(self.error(Place::Range(mark.start, name.end), message));
        }
        let word = self.text(name);
        if !matches!(word, "s" | "r" | "a") {
            let message = format!(
                "{letter}-string: invalid conversion character '{word}': \
                 expected 's', 'r', or 'a'"
            );
            return Err(self.error_token(name, message));
        }
        Ok(())
    }

    /// What follows the colon in a field.
    fn format_spec(&mut self, letter: char, raw: bool) -> Parse<()> {
        loop {
            let token = self.token();
            match token.kind {
                Tok::FMiddle => {
                    self.bump();
                    self.check_middle(token, raw)?;
                }
                Tok::Lbrace => {
                    if self.attempt(|parser| parser.field(letter, raw))?.is_none() {
                        return Ok(());
                    }
                }
                _ => return Ok(()),
            }
        }
    }

    fn mistaken_field(&mut self, letter: char, raw: bool) -> Parse<()> {
        self.need(Tok::Lbrace)?;
        let token = self.token();
        if matches!(
            token.kind,
            Tok::Equal | Tok::Exclamation | Tok::SpecColon | Tok::Rbrace
        ) {
            let shown = self.text(token);
            let message = format!("{letter}-string: valid expression required before '{shown}'");
            return Err(self.error_token(token, message));
        }
        if self.attempt(Parser::yield_or_star_expressions)?.is_none() {
            let message = format!("{letter}-string: expecting a valid expression after '{{'");
            return Err(self.error(Place::Token(self.mark()), message));
        }
        if !self.is_any(&[Tok::Equal, Tok::Exclamation, Tok::SpecColon, Tok::Rbrace]) {
            let message = format!("{letter}-string: expecting '=', or '!', or ':', or '}}'");
            return Err(self.error(Place::Token(self.mark()), message));
        }
        if self.eat(Tok::Equal) && !self.is_any(&[Tok::Exclamation, Tok::SpecColon, Tok::Rbrace]) {
            let message = format!("{letter}-string: expecting '!', or ':', or '}}'");
            return Err(self.error(Place::Token(self.mark()), message));
        }
        if self.eat(Tok::Exclamation) {
            if self.is_any(&[Tok::SpecColon, Tok::Rbrace]) {
                let message = format!("{letter}-string: missing conversion character");
                return Err(self.error(Place::Token(self.mark()), message));
            }
            if !self.eat(Tok::Name) {
                let message = format!("{letter}-string: invalid conversion character");
                return Err(self.error(Place::Token(self.mark()), message));
            }
            if !self.is_any(&[Tok::SpecColon, Tok::Rbrace]) {
                let message = format!("{letter}-string: expecting ':' or '}}'");
                return Err(self.error(Place::Token(self.mark()), message));
            }
        }
        if self.eat(Tok::SpecColon) {
            self.format_spec(letter, raw)?;
            if !self.is(Tok::Rbrace) {
                let message = format!("{letter}-string: expecting '}}', or format specs");
                return Err(self.error(Place::Token(self.mark()), message));
            }
        }
        if !self.is(Tok::Rbrace) {
            let message = format!("{letter}-string: expecting '}}'");
            return Err(self.error(Place::Token(self.mark()), message));
        }
        Ok(())
    }

    /// `f"{lambda x: 1}"`: the colon ends the expression.
    pub(super) fn lambda_in_field(&mut self) -> Parse<()> {
        let lambda = self.need(Tok::Lambda)?;
        self.attempt(Parser::lambda_parameters)?;
        if !self.is(Tok::SpecColon) {
            return Ok(());
        }
        let colon = self.bump();
        if self.is_any(&[Tok::FMiddle, Tok::Rbrace, Tok::Lbrace]) {
            let message = "f-string: lambda expressions are not allowed without parentheses";
            return Err(self.error(Place::Range(lambda.start, colon.end), message));
        }
        Ok(())
    }

    /// `"a "quoted" word"`: a string, names, and a string.
    pub(super) fn text_broken_by_quotes(&mut self) -> Parse<()> {
        if !self.is(Tok::String) {
            return Ok(());
        }
        let isolated = std::mem::replace(&mut self.isolated, true);
        let found = self.attempt(|parser| {
            parser.bump();
            let mut range: Option<(u32, u32)> = None;
            while !parser.is(Tok::String) {
                let Some(node) = parser.quietly(Parser::plain_expression)? else {
                    return Err(Halt::NoMatch);
                };
                let start = range.map_or(node.start, |(start, _)| start);
                range = Some((start, node.end));
            }
            range.ok_or(Halt::NoMatch)
        });
        self.isolated = isolated;
        let found = found?;
        match found {
            Some((start, end)) => {
                let message = "invalid syntax. Is this intended to be part of the string?";
                Err(self.error(Place::Range(start, end), message))
            }
            None => Ok(()),
        }
    }
}
