//! Compound statements and blocks.

use super::cursor::{Halt, Parse, Parser, Place};
use super::node::Place as TargetPlace;
use crate::scan::{Tok, Token};

impl Parser<'_> {
    /// Statements as long as there are any.
    pub(super) fn statements(&mut self) -> Parse<()> {
        while self.attempt(Parser::statement)?.is_some() {}
        Ok(())
    }

    fn statement(&mut self) -> Parse<()> {
        match self.kind() {
            Tok::If => self.if_statement(),
            Tok::For => self.for_statement(),
            Tok::While => self.while_statement(),
            Tok::Try => self.try_statement(),
            Tok::With => self.with_statement(),
            Tok::Def => self.function(),
            Tok::Class => self.class(),
            Tok::At => self.decorated(),
            Tok::Async => self.async_statement(),
            Tok::Name if self.is_word("match") => {
                if self.attempt(Parser::match_statement)?.is_some() {
                    return Ok(());
                }
                self.simple_statements()
            }
            Tok::End | Tok::Dedent | Tok::Indent | Tok::Newline => Err(Halt::NoMatch),
            _ => self.simple_statements(),
        }
    }

    fn async_statement(&mut self) -> Parse<()> {
        let mark = self.mark();
        self.bump();
        match self.kind() {
            Tok::For => self.for_statement(),
            Tok::With => self.with_statement(),
            Tok::Def => self.function(),
            _ => {
                self.reset(mark);
                Err(Halt::NoMatch)
            }
        }
    }

    fn decorated(&mut self) -> Parse<()> {
        while self.eat(Tok::At) {
            self.named_expression()?;
            self.need(Tok::Newline)?;
        }
        match self.kind() {
            Tok::Def => self.function(),
            Tok::Class => self.class(),
            Tok::Async => {
                self.bump();
                if self.is(Tok::Def) {
                    self.function()
                } else {
                    Err(Halt::NoMatch)
                }
            }
            _ => Err(Halt::NoMatch),
        }
    }

    /// Reports a line that ends where a colon must be.
    fn colon_missing(&mut self) -> Parse<()> {
        if self.reporting && self.is(Tok::Newline) {
            return Err(self.error(Place::LastToken, "expected ':'"));
        }
        Ok(())
    }

    /// Reports a block that is not indented; the cursor is after the colon.
    pub(super) fn check_indent(&mut self, what: &str, keyword: Token) -> Parse<()> {
        if !self.reporting || !self.is(Tok::Newline) {
            return Ok(());
        }
        let mark = self.mark();
        self.bump();
        let indented = self.is(Tok::Indent);
        if !indented {
            let line = self.line(keyword.start);
            let message = format!("expected an indented block after {what} on line {line}");
            return Err(self.indentation_error(message));
        }
        self.reset(mark);
        Ok(())
    }

    /// A colon and a block.
    fn suite(&mut self, what: &str, keyword: Token) -> Parse<()> {
        self.colon_missing()?;
        self.need(Tok::Colon)?;
        self.check_indent(what, keyword)?;
        self.block()
    }

    /// An indented block, or simple statements on the same line.
    pub(super) fn block(&mut self) -> Parse<()> {
        let start = self.mark();
        if let Some(end) = self.blocks.get(&start).copied() {
            return match end {
                Some(end) => {
                    self.reset(end);
                    Ok(())
                }
                None => Err(Halt::NoMatch),
            };
        }
        let result = self.attempt(|parser| {
            if parser.eat(Tok::Newline) {
                parser.need(Tok::Indent)?;
                parser.statement()?;
                parser.statements()?;
                parser.need(Tok::Dedent)?;
                return Ok(());
            }
            parser.simple_statements()
        })?;
        let end = result.map(|()| self.mark());
        self.blocks.insert(start, end);
        match end {
            Some(_) => Ok(()),
            None => Err(Halt::NoMatch),
        }
    }

    fn if_statement(&mut self) -> Parse<()> {
        let token = self.need(Tok::If)?;
        self.named_expression()?;
        self.suite("'if' statement", token)?;
        while self.is(Tok::Elif) {
            let token = self.bump();
            self.named_expression()?;
            self.suite("'elif' statement", token)?;
        }
        self.else_block()?;
        if self.reporting && self.is(Tok::Elif) {
            let elif = self.token();
            return Err(self.error_token(elif, "'elif' block follows an 'else' block"));
        }
        Ok(())
    }

    /// `else:` and a block, if it is there.
    fn else_block(&mut self) -> Parse<()> {
        self.attempt(|parser| {
            let token = parser.need(Tok::Else)?;
            parser.need_forced(Tok::Colon, "':'")?;
            parser.check_indent("'else' statement", token)?;
            parser.block()
        })?;
        Ok(())
    }

    fn while_statement(&mut self) -> Parse<()> {
        let token = self.need(Tok::While)?;
        self.named_expression()?;
        self.suite("'while' statement", token)?;
        self.else_block()
    }

    fn for_statement(&mut self) -> Parse<()> {
        let mark = self.mark();
        let token = self.need(Tok::For)?;
        let head = self.attempt(|parser| {
            parser.star_targets()?;
            parser.need(Tok::In)
        })?;
        if head.is_none() {
            if self.reporting {
                self.reset(mark);
                self.mistaken_for_target()?;
            }
            return Err(Halt::NoMatch);
        }
        self.star_expressions()?;
        self.suite("'for' statement", token)?;
        self.else_block()
    }

    fn with_statement(&mut self) -> Parse<()> {
        let token = self.need(Tok::With)?;
        // Parentheses around the items are tried first; they may belong to an expression.
        let parenthesized = self.attempt(|parser| {
            parser.need(Tok::Lpar)?;
            parser.with_items()?;
            parser.eat(Tok::Comma);
            parser.need(Tok::Rpar)?;
            parser.colon_missing()?;
            parser.need(Tok::Colon)
        })?;
        if parenthesized.is_some() {
            self.check_indent("'with' statement", token)?;
            return self.block();
        }
        self.with_items()?;
        self.suite("'with' statement", token)
    }

    fn with_items(&mut self) -> Parse<()> {
        self.with_item()?;
        while self
            .attempt(|parser| {
                parser.need(Tok::Comma)?;
                parser.with_item()
            })?
            .is_some()
        {}
        Ok(())
    }

    fn with_item(&mut self) -> Parse<()> {
        self.expression()?;
        if !self.is(Tok::As) {
            return Ok(());
        }
        let mark = self.mark();
        let target = self.attempt(|parser| {
            parser.bump();
            parser.star_target()?;
            if parser.is_any(&[Tok::Comma, Tok::Rpar, Tok::Colon]) {
                Ok(())
            } else {
                Err(Halt::NoMatch)
            }
        })?;
        if target.is_some() {
            return Ok(());
        }
        if self.reporting {
            self.reset(mark);
            self.bump();
            if let Some(target) = self.attempt(Parser::expression)?
                && self.is_any(&[Tok::Comma, Tok::Rpar, Tok::Colon])
            {
                self.check_target(&target, TargetPlace::Assignment)?;
            }
            // A line that ends after the items lacks its colon.
            self.reset(mark);
            let ended = self.attempt(|parser| {
                parser.bump();
                parser.star_target()?;
                if parser.is(Tok::Newline) {
                    Ok(())
                } else {
                    Err(Halt::NoMatch)
                }
            })?;
            if ended.is_some() {
                return Ok(());
            }
        }
        self.reset(mark);
        Ok(())
    }

    fn function(&mut self) -> Parse<()> {
        let token = self.need(Tok::Def)?;
        self.need(Tok::Name)?;
        self.attempt(Parser::type_parameters)?;
        self.need_forced(Tok::Lpar, "'('")?;
        self.attempt(Parser::function_parameters)?;
        self.need(Tok::Rpar)?;
        self.attempt(|parser| {
            parser.need(Tok::Arrow)?;
            parser.expression()
        })?;
        self.need_forced(Tok::Colon, "':'")?;
        self.check_indent("function definition", token)?;
        self.block()
    }

    fn class(&mut self) -> Parse<()> {
        let token = self.need(Tok::Class)?;
        self.need(Tok::Name)?;
        self.attempt(Parser::type_parameters)?;
        if self.is(Tok::Lpar) {
            self.bump();
            self.attempt(Parser::arguments)?;
            self.need(Tok::Rpar)?;
        }
        self.suite("class definition", token)
    }

    fn try_statement(&mut self) -> Parse<()> {
        let token = self.need(Tok::Try)?;
        self.need_forced(Tok::Colon, "':'")?;
        self.check_indent("'try' statement", token)?;
        self.block()?;
        if !self.is_any(&[Tok::Except, Tok::Finally]) {
            if self.reporting {
                let message = "expected 'except' or 'finally' block";
                return Err(self.error(Place::LastToken, message));
            }
            return Err(Halt::NoMatch);
        }
        // Whether the handlers so far are `except*` ones.
        let mut starred = None;
        while self.is(Tok::Except) {
            let mark = self.mark();
            let except = self.bump();
            let star = self.is(Tok::Star).then(|| self.token());
            if starred.is_some_and(|before| before != star.is_some()) {
                if self.reporting {
                    self.mixed_handlers(except, star)?;
                } else {
                    self.reset(mark);
                    return Err(Halt::NoMatch);
                }
            }
            starred = Some(star.is_some());
            self.handler(except, star.is_some())?;
        }
        if starred.is_some() {
            self.else_block()?;
        }
        self.attempt(|parser| {
            let token = parser.need(Tok::Finally)?;
            parser.need_forced(Tok::Colon, "':'")?;
            parser.check_indent("'finally' statement", token)?;
            parser.block()
        })?;
        Ok(())
    }

    /// A complete head of a handler that is of another kind than the ones before it; the cursor
    /// is after `except`.
    fn mixed_handlers(&mut self, except: Token, star: Option<Token>) -> Parse<()> {
        let complete = self.matches(|parser| {
            if star.is_some() {
                parser.bump();
                parser.expression()?;
            } else {
                parser.attempt(Parser::expression)?;
            }
            if parser.eat(Tok::As) {
                parser.need(Tok::Name)?;
            }
            parser.need(Tok::Colon)
        })?;
        if !complete {
            return Ok(());
        }
        let end = star.map_or(except.end, |star| star.end);
        let message = "cannot have both 'except' and 'except*' on the same 'try'";
        Err(self.error(Place::Range(except.start, end), message))
    }

    /// One handler; the cursor is after `except`.
    fn handler(&mut self, except: Token, star: bool) -> Parse<()> {
        let what = if star {
            "'except*' statement"
        } else {
            "'except' statement"
        };
        if star {
            self.bump();
            if self.reporting && self.is_any(&[Tok::Newline, Tok::Colon]) {
                let message = "expected one or more exception types";
                return Err(self.error(Place::LastToken, message));
            }
        } else if self.is(Tok::Colon) {
            return self.suite(what, except);
        }
        self.colon_missing()?;
        let first = self.expression()?;
        let several = self.is(Tok::Comma);
        while self
            .attempt(|parser| {
                parser.need(Tok::Comma)?;
                parser.expression()
            })?
            .is_some()
        {}
        if several {
            self.eat(Tok::Comma);
        }
        if self.is(Tok::As) {
            self.bump();
            if several {
                let name = self.eat(Tok::Name);
                if self.reporting && name && self.is(Tok::Colon) {
                    self.bump();
                    let message = "multiple exception types must be parenthesized when using 'as'";
                    return Err(self.error(Place::From(first.start), message));
                }
                return Err(Halt::NoMatch);
            }
            if self.reporting {
                self.mistaken_handler_name(star)?;
            }
            self.need(Tok::Name)?;
        }
        self.suite(what, except)
    }

    /// `except E as a.b:`
    fn mistaken_handler_name(&mut self, star: bool) -> Parse<()> {
        let mark = self.mark();
        let target = self.attempt(Parser::expression)?;
        let simple = mark + 1 == self.mark() && self.previous().kind == Tok::Name;
        let at_block = self.is(Tok::Colon);
        self.reset(mark);
        match target {
            Some(node) if !simple && at_block => {
                let statement = if star { "except*" } else { "except" };
                let kind = node.kind.describe();
                let message = format!("cannot use {statement} statement with {kind}");
                Err(self.error_node(&node, message))
            }
            _ => Ok(()),
        }
    }
}
