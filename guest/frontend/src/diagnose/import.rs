//! `import` statements.

use super::cursor::{Halt, Parse, Parser, Place};
use crate::scan::Tok;

impl Parser<'_> {
    pub(super) fn import_statement(&mut self) -> Parse<()> {
        if self.reporting {
            self.mistaken_import()?;
        }
        if self.is(Tok::Import) {
            self.bump();
            self.dotted_as_name()?;
            while self
                .attempt(|parser| {
                    parser.need(Tok::Comma)?;
                    parser.dotted_as_name()
                })?
                .is_some()
            {}
            return Ok(());
        }
        self.need(Tok::From)?;
        let mut dots = false;
        while self.is_any(&[Tok::Dot, Tok::Ellipsis]) {
            self.bump();
            dots = true;
        }
        let name = self.attempt(Parser::dotted_name)?;
        if name.is_none() && !dots {
            return Err(Halt::NoMatch);
        }
        self.need(Tok::Import)?;
        self.import_targets()
    }

    /// `import a from b`, and `import` with nothing after it.
    fn mistaken_import(&mut self) -> Parse<()> {
        let mark = self.mark();
        if !self.is(Tok::Import) {
            return Ok(());
        }
        let import = self.bump();
        if self.is(Tok::Newline) {
            let token = self.token();
            let place = Place::Range(token.start, token.start);
            return Err(self.error(place, "Expected one or more names after 'import'"));
        }
        let swapped = self.attempt(|parser| {
            parser.dotted_name()?;
            while parser
                .attempt(|parser| {
                    parser.need(Tok::Comma)?;
                    parser.dotted_name()
                })?
                .is_some()
            {}
            parser.need(Tok::From)?;
            parser.dotted_name()
        })?;
        if swapped.is_some() {
            let message = "Did you mean to use 'from ... import ...' instead?";
            return Err(self.error(Place::From(import.start), message));
        }
        self.reset(mark);
        Ok(())
    }

    fn dotted_name(&mut self) -> Parse<()> {
        self.need(Tok::Name)?;
        while self
            .attempt(|parser| {
                parser.need(Tok::Dot)?;
                parser.need(Tok::Name)
            })?
            .is_some()
        {}
        Ok(())
    }

    fn dotted_as_name(&mut self) -> Parse<()> {
        self.dotted_name()?;
        self.import_as()
    }

    /// `as name`, if it is there.
    fn import_as(&mut self) -> Parse<()> {
        if !self.is(Tok::As) {
            return Ok(());
        }
        self.bump();
        if self.reporting {
            self.mistaken_import_target()?;
        }
        self.need(Tok::Name)?;
        Ok(())
    }

    /// `import a as b.c`
    fn mistaken_import_target(&mut self) -> Parse<()> {
        let mark = self.mark();
        let name =
            self.eat(Tok::Name) && self.is_any(&[Tok::Comma, Tok::Rpar, Tok::Semi, Tok::Newline]);
        self.reset(mark);
        if name {
            return Ok(());
        }
        let target = self.attempt(Parser::expression)?;
        self.reset(mark);
        match target {
            Some(node) => {
                let message = format!("cannot use {} as import target", node.kind.describe());
                Err(self.error_node(&node, message))
            }
            None => Ok(()),
        }
    }

    /// What follows `from x import`.
    fn import_targets(&mut self) -> Parse<()> {
        if self.eat(Tok::Lpar) {
            self.import_names()?;
            self.eat(Tok::Comma);
            self.need(Tok::Rpar)?;
            return Ok(());
        }
        if self.eat(Tok::Star) {
            return Ok(());
        }
        if self.reporting && self.is(Tok::Newline) {
            let token = self.token();
            let place = Place::Range(token.start, token.start);
            return Err(self.error(place, "Expected one or more names after 'import'"));
        }
        self.import_names()?;
        if self.is(Tok::Comma) {
            self.bump();
            if self.reporting && self.is(Tok::Newline) {
                let message = "trailing comma not allowed without surrounding parentheses";
                return Err(self.error(Place::LastToken, message));
            }
            return Err(Halt::NoMatch);
        }
        Ok(())
    }

    fn import_names(&mut self) -> Parse<()> {
        self.import_name()?;
        while self
            .attempt(|parser| {
                parser.need(Tok::Comma)?;
                parser.import_name()
            })?
            .is_some()
        {}
        Ok(())
    }

    fn import_name(&mut self) -> Parse<()> {
        self.need(Tok::Name)?;
        self.import_as()
    }
}
