//! The arguments of a call.

use super::cursor::{Halt, Parse, Parser, Place};
use super::node::{Kind, Node};
use crate::scan::Tok;

/// What [`Parser::args`] has read.
struct Arguments {
    /// How many positional arguments there are, starred ones included.
    positional: usize,
    /// The last positional argument.
    last: Option<Node>,
    keywords: usize,
    /// Whether the last keyword argument is a `**` one.
    unpacking_last: bool,
}

impl Parser<'_> {
    /// Everything between the parentheses of a call, if the closing one follows.
    pub(super) fn arguments(&mut self) -> Parse<()> {
        let mark = self.mark();
        let good = self.attempt(|parser| {
            parser.args()?;
            parser.eat(Tok::Comma);
            if parser.is(Tok::Rpar) {
                Ok(())
            } else {
                Err(Halt::NoMatch)
            }
        })?;
        if good.is_some() {
            return Ok(());
        }
        if self.reporting {
            self.mistaken_arguments(mark)?;
        }
        Err(Halt::NoMatch)
    }

    fn args(&mut self) -> Parse<Arguments> {
        let mut found = Arguments {
            positional: 0,
            last: None,
            keywords: 0,
            unpacking_last: false,
        };
        if let Some(first) = self.attempt(Parser::positional_argument)? {
            found.positional = 1;
            found.last = Some(first);
            while let Some(next) = self.attempt(|parser| {
                parser.need(Tok::Comma)?;
                parser.positional_argument()
            })? {
                found.positional += 1;
                found.last = Some(next);
            }
            self.attempt(|parser| {
                parser.need(Tok::Comma)?;
                parser.keyword_arguments(&mut found)
            })?;
        } else {
            self.keyword_arguments(&mut found)?;
        }
        Ok(found)
    }

    fn positional_argument(&mut self) -> Parse<Node> {
        let node = match self.attempt(Parser::starred_expression)? {
            Some(node) => node,
            None => match self.attempt_walrus()? {
                Some(node) => node,
                None => self.expression_without_walrus()?,
            },
        };
        if self.is(Tok::Equal) && node.kind != Kind::Starred {
            return Err(Halt::NoMatch);
        }
        Ok(node)
    }

    /// `*iterable`
    pub(super) fn starred_expression(&mut self) -> Parse<Node> {
        let star = self.need(Tok::Star)?;
        let Some(value) = self.attempt(Parser::expression)? else {
            if self.reporting {
                return Err(self.error(Place::LastToken, "Invalid star expression"));
            }
            return Err(Halt::NoMatch);
        };
        if self.reporting && self.is(Tok::Equal) {
            let mark = self.mark();
            self.bump();
            if let Some(assigned) = self.attempt(Parser::expression)? {
                let place = Place::Range(star.start, assigned.end);
                return Err(self.error(place, "cannot assign to iterable argument unpacking"));
            }
            self.reset(mark);
        }
        Ok(self.node_with(Kind::Starred, star.start, vec![value]))
    }

    fn keyword_arguments(&mut self, found: &mut Arguments) -> Parse<()> {
        if self.keyword_or_starred(found)? {
            while self
                .attempt(|parser| {
                    parser.need(Tok::Comma)?;
                    match parser.keyword_or_starred(found)? {
                        true => Ok(()),
                        false => Err(Halt::NoMatch),
                    }
                })?
                .is_some()
            {}
            self.attempt(|parser| {
                parser.need(Tok::Comma)?;
                parser.keywords_or_unpackings(found)
            })?;
            return Ok(());
        }
        self.keywords_or_unpackings(found)
    }

    fn keywords_or_unpackings(&mut self, found: &mut Arguments) -> Parse<()> {
        if !self.keyword_or_unpacking(found)? {
            return Err(Halt::NoMatch);
        }
        while self
            .attempt(|parser| {
                parser.need(Tok::Comma)?;
                match parser.keyword_or_unpacking(found)? {
                    true => Ok(()),
                    false => Err(Halt::NoMatch),
                }
            })?
            .is_some()
        {}
        Ok(())
    }

    fn keyword_or_starred(&mut self, found: &mut Arguments) -> Parse<bool> {
        if self.reporting {
            self.mistaken_keyword()?;
        }
        if self.attempt(Parser::keyword)?.is_some() {
            found.keywords += 1;
            found.unpacking_last = false;
            return Ok(true);
        }
        if self.attempt(Parser::starred_expression)?.is_some() {
            found.positional += 1;
            return Ok(true);
        }
        Ok(false)
    }

    fn keyword_or_unpacking(&mut self, found: &mut Arguments) -> Parse<bool> {
        if self.reporting {
            self.mistaken_keyword()?;
        }
        if self.attempt(Parser::keyword)?.is_some() {
            found.keywords += 1;
            found.unpacking_last = false;
            return Ok(true);
        }
        let unpacking = self.attempt(|parser| {
            parser.need(Tok::DoubleStar)?;
            parser.expression()
        })?;
        if unpacking.is_some() {
            found.keywords += 1;
            found.unpacking_last = true;
            return Ok(true);
        }
        Ok(false)
    }

    fn keyword(&mut self) -> Parse<()> {
        self.need(Tok::Name)?;
        self.need(Tok::Equal)?;
        self.expression()?;
        Ok(())
    }

    /// `True=1`, `a=b for b in c`, `a.b=1` and `**a=1`
    fn mistaken_keyword(&mut self) -> Parse<()> {
        let mark = self.mark();
        if self.is_any(&[Tok::True, Tok::False, Tok::None]) {
            let constant = self.bump();
            if self.is(Tok::Equal) {
                let equal = self.bump();
                let message = format!("cannot assign to {}", self.text(constant));
                return Err(self.error(Place::Range(constant.start, equal.end), message));
            }
            self.reset(mark);
        }
        self.keyword_with_comprehension(mark)?;
        let is_keyword = self.matches(|parser| {
            parser.need(Tok::Name)?;
            parser.need(Tok::Equal)
        })?;
        if !is_keyword {
            let pair = self.attempt(|parser| {
                let target = parser.expression()?;
                let equal = parser.need(Tok::Equal)?;
                Ok((target, equal))
            })?;
            if let Some((target, equal)) = pair {
                let message = "expression cannot contain assignment, perhaps you meant \"==\"?";
                return Err(self.error(Place::Range(target.start, equal.end), message));
            }
        }
        self.reset(mark);
        if self.is(Tok::DoubleStar) {
            let stars = self.bump();
            let assigned = self.attempt(|parser| {
                parser.expression()?;
                parser.need(Tok::Equal)?;
                parser.expression()
            })?;
            if let Some(assigned) = assigned {
                let place = Place::Range(stars.start, assigned.end);
                return Err(self.error(place, "cannot assign to keyword argument unpacking"));
            }
            self.reset(mark);
        }
        Ok(())
    }

    /// `a=b for b in c`
    fn keyword_with_comprehension(&mut self, mark: usize) -> Parse<()> {
        self.reset(mark);
        let pair = self.attempt(|parser| {
            let name = parser.need(Tok::Name)?;
            let equal = parser.need(Tok::Equal)?;
            parser.expression()?;
            parser.for_if_clauses()?;
            Ok((name, equal))
        })?;
        self.reset(mark);
        match pair {
            Some((name, equal)) => {
                let message = "invalid syntax. Maybe you meant '==' or ':=' instead of '='?";
                Err(self.error(Place::Range(name.start, equal.end), message))
            }
            None => Ok(()),
        }
    }

    /// Arguments in a wrong order, and generators that need parentheses.
    fn mistaken_arguments(&mut self, mark: usize) -> Parse<()> {
        const GENERATOR: &str = "Generator expression must be parenthesized";
        // `f(**a, *b)`
        self.reset(mark);
        let star = self.attempt(|parser| {
            let found = parser.args()?;
            if found.keywords == 0 {
                return Err(Halt::NoMatch);
            }
            let comma = parser.need(Tok::Comma)?;
            parser.starred_expression()?;
            while parser
                .attempt(|parser| {
                    parser.need(Tok::Comma)?;
                    parser.starred_expression()
                })?
                .is_some()
            {}
            Ok(comma)
        })?;
        if let Some(comma) = star {
            let message = "iterable argument unpacking follows keyword argument unpacking";
            return Err(self.error(Place::From(comma.start), message));
        }
        // `f(a for a in b, c)`
        self.reset(mark);
        let generator = self.attempt(|parser| {
            let element = parser.expression()?;
            let end = parser.for_if_clauses()?;
            parser.need(Tok::Comma)?;
            parser.attempt(|parser| {
                if parser.attempt(Parser::args)?.is_none() {
                    parser.expression()?;
                    parser.for_if_clauses()?;
                }
                Ok(())
            })?;
            Ok((element.start, end))
        })?;
        if let Some((start, end)) = generator {
            return Err(self.error(Place::Range(start, end), GENERATOR));
        }
        self.keyword_with_comprehension(mark)?;
        // `f(a=)`
        let pair = self.attempt(|parser| {
            parser.attempt(|parser| {
                parser.args()?;
                parser.need(Tok::Comma)
            })?;
            let name = parser.need(Tok::Name)?;
            let equal = parser.need(Tok::Equal)?;
            if parser.is_any(&[Tok::Comma, Tok::Rpar]) {
                Ok((name, equal))
            } else {
                Err(Halt::NoMatch)
            }
        })?;
        if let Some((name, equal)) = pair {
            let place = Place::Range(name.start, equal.end);
            return Err(self.error(place, "expected argument value expression"));
        }
        // `f(c, a for a in b)`
        self.reset(mark);
        let generator = self.attempt(|parser| {
            let found = parser.args()?;
            let end = parser.for_if_clauses()?;
            Ok((found, end))
        })?;
        if let Some((found, end)) = generator
            && found.positional > 1
            && let Some(last) = found.last
        {
            return Err(self.error(Place::Range(last.start, end), GENERATOR));
        }
        self.reset(mark);
        let generator = self.attempt(|parser| {
            parser.args()?;
            parser.need(Tok::Comma)?;
            let element = parser.expression()?;
            let end = parser.for_if_clauses()?;
            Ok((element.start, end))
        })?;
        if let Some((start, end)) = generator {
            return Err(self.error(Place::Range(start, end), GENERATOR));
        }
        // `f(a=1, 2)`
        self.reset(mark);
        let order = self.attempt(|parser| {
            let found = parser.args()?;
            parser.need(Tok::Comma)?;
            parser.args()?;
            Ok(found)
        })?;
        self.reset(mark);
        match order {
            Some(found) => {
                let message = if found.unpacking_last {
                    "positional argument follows keyword argument unpacking"
                } else {
                    "positional argument follows keyword argument"
                };
                Err(self.error(Place::LastToken, message))
            }
            None => Ok(()),
        }
    }
}
