//! `match` statements and their patterns.

use super::cursor::{Halt, Parse, Parser, Place};
use crate::scan::Tok;

impl Parser<'_> {
    pub(super) fn match_statement(&mut self) -> Parse<()> {
        let token = self.need(Tok::Name)?;
        self.subject()?;
        if self.reporting && self.is(Tok::Newline) {
            return Err(self.error(Place::LastToken, "expected ':'"));
        }
        self.need(Tok::Colon)?;
        self.check_indent("'match' statement", token)?;
        self.need(Tok::Newline)?;
        self.need(Tok::Indent)?;
        self.case_block()?;
        while self.attempt(Parser::case_block)?.is_some() {}
        self.need(Tok::Dedent)?;
        Ok(())
    }

    fn subject(&mut self) -> Parse<()> {
        let tuple = self.attempt(|parser| {
            parser.star_named_expression()?;
            parser.need(Tok::Comma)?;
            parser.attempt(Parser::star_named_expressions)?;
            Ok(())
        })?;
        if tuple.is_none() {
            self.named_expression()?;
        }
        Ok(())
    }

    fn case_block(&mut self) -> Parse<()> {
        if !self.is_word("case") {
            return Err(Halt::NoMatch);
        }
        let token = self.bump();
        self.patterns()?;
        if self.eat(Tok::If) {
            self.named_expression()?;
        }
        if self.reporting && self.is(Tok::Newline) {
            return Err(self.error(Place::LastToken, "expected ':'"));
        }
        self.need(Tok::Colon)?;
        self.check_indent("'case' statement", token)?;
        self.block()
    }

    /// A pattern, or an open sequence of them.
    fn patterns(&mut self) -> Parse<()> {
        let sequence = self.attempt(|parser| {
            parser.star_or_pattern()?;
            parser.need(Tok::Comma)?;
            while parser.attempt(Parser::star_or_pattern)?.is_some() {
                if !parser.eat(Tok::Comma) {
                    break;
                }
            }
            Ok(())
        })?;
        if sequence.is_some() {
            return Ok(());
        }
        self.pattern()
    }

    fn star_or_pattern(&mut self) -> Parse<()> {
        if self.eat(Tok::Star) {
            self.need(Tok::Name)?;
            return Ok(());
        }
        self.pattern()
    }

    fn pattern(&mut self) -> Parse<()> {
        self.closed_pattern()?;
        while self.eat(Tok::Vbar) {
            self.closed_pattern()?;
        }
        if self.is(Tok::As) {
            self.bump();
            self.capture_target()?;
        }
        Ok(())
    }

    /// The name after `as`.
    fn capture_target(&mut self) -> Parse<()> {
        let token = self.token();
        let wildcard = self.is_word("_");
        if wildcard {
            if self.reporting {
                return Err(self.error_token(token, "cannot use '_' as a target"));
            }
            return Err(Halt::NoMatch);
        }
        let mark = self.mark();
        let plain = self.eat(Tok::Name) && !self.is_any(&[Tok::Dot, Tok::Lpar, Tok::Lsqb]);
        if plain {
            return Ok(());
        }
        self.reset(mark);
        if self.reporting
            && let Some(node) = self.attempt(Parser::expression)?
        {
            let message = format!("cannot use {} as pattern target", node.kind.describe());
            return Err(self.error_node(&node, message));
        }
        Err(Halt::NoMatch)
    }

    fn closed_pattern(&mut self) -> Parse<()> {
        match self.kind() {
            Tok::Number | Tok::Minus => self.number_pattern(),
            Tok::String | Tok::FStart => {
                self.strings()?;
                Ok(())
            }
            Tok::None | Tok::True | Tok::False => {
                self.bump();
                Ok(())
            }
            Tok::Name => self.name_pattern(),
            Tok::Lpar => self.sequence_pattern(Tok::Lpar, Tok::Rpar),
            Tok::Lsqb => self.sequence_pattern(Tok::Lsqb, Tok::Rsqb),
            Tok::Lbrace => self.mapping_pattern(),
            _ => Err(Halt::NoMatch),
        }
    }

    /// A number, or a real and an imaginary one with a sign between.
    fn number_pattern(&mut self) -> Parse<()> {
        self.eat(Tok::Minus);
        let first = self.need(Tok::Number)?;
        if self.is_any(&[Tok::Plus, Tok::Minus]) {
            let imaginary = |text: &str| text.ends_with(['j', 'J']);
            if imaginary(self.text(first)) {
                let message = "real number required in complex literal";
                return Err(self.error_token(first, message));
            }
            self.bump();
            let second = self.need(Tok::Number)?;
            if !imaginary(self.text(second)) {
                let message = "imaginary number required in complex literal";
                return Err(self.error_token(second, message));
            }
        }
        Ok(())
    }

    /// A capture, the wildcard, a dotted value or a class.
    fn name_pattern(&mut self) -> Parse<()> {
        self.need(Tok::Name)?;
        while self.eat(Tok::Dot) {
            self.need(Tok::Name)?;
        }
        if self.is(Tok::Equal) {
            return Err(Halt::NoMatch);
        }
        if self.eat(Tok::Lpar) {
            self.class_arguments()?;
            self.need(Tok::Rpar)?;
        }
        Ok(())
    }

    fn class_arguments(&mut self) -> Parse<()> {
        let mut keywords = false;
        // The first and the last positional pattern after a keyword one.
        let mut misplaced: Option<(u32, u32)> = None;
        while !self.is(Tok::Rpar) {
            let keyword = self.attempt(|parser| {
                parser.need(Tok::Name)?;
                parser.need(Tok::Equal)
            })?;
            let start = self.token().start;
            if misplaced.is_some() && keyword.is_some() {
                break;
            }
            if misplaced.is_some() {
                if self.attempt(Parser::pattern)?.is_none() {
                    break;
                }
            } else {
                self.pattern()?;
            }
            if keyword.is_some() {
                keywords = true;
            } else if keywords {
                if !self.reporting {
                    return Err(Halt::NoMatch);
                }
                let first = misplaced.map_or(start, |(first, _)| first);
                misplaced = Some((first, self.previous().end));
            }
            if !self.eat(Tok::Comma) {
                break;
            }
        }
        match misplaced {
            Some((first, last)) => {
                let message = "positional patterns follow keyword patterns";
                Err(self.error(Place::Range(first, last), message))
            }
            None => Ok(()),
        }
    }

    fn sequence_pattern(&mut self, open: Tok, close: Tok) -> Parse<()> {
        self.need(open)?;
        let starred = self.is(Tok::Star);
        let mut commas = false;
        while !self.is(close) {
            self.star_or_pattern()?;
            if !self.eat(Tok::Comma) {
                break;
            }
            commas = true;
        }
        self.need(close)?;
        if starred && !commas && open == Tok::Lpar {
            return Err(Halt::NoMatch);
        }
        Ok(())
    }

    fn mapping_pattern(&mut self) -> Parse<()> {
        self.need(Tok::Lbrace)?;
        while !self.is(Tok::Rbrace) {
            if self.eat(Tok::DoubleStar) {
                if self.is_word("_") {
                    return Err(Halt::NoMatch);
                }
                self.need(Tok::Name)?;
                self.eat(Tok::Comma);
                break;
            }
            match self.kind() {
                Tok::Name => {
                    // Only a dotted name is a value here.
                    self.bump();
                    self.need(Tok::Dot)?;
                    self.need(Tok::Name)?;
                    while self.eat(Tok::Dot) {
                        self.need(Tok::Name)?;
                    }
                }
                Tok::Lpar | Tok::Lsqb | Tok::Lbrace => return Err(Halt::NoMatch),
                _ => self.closed_pattern()?,
            }
            self.need(Tok::Colon)?;
            self.pattern()?;
            if !self.eat(Tok::Comma) {
                break;
            }
        }
        self.need(Tok::Rbrace)?;
        Ok(())
    }
}
