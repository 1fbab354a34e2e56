//! The `for` and `if` clauses of comprehensions, and targets.

use super::cursor::{Halt, Parse, Parser, Place};
use super::node::{Kind, Node, Place as TargetPlace, invalid_target};
use crate::scan::Tok;

impl Parser<'_> {
    /// One `for` clause or more; gives the end of the last one.
    pub(super) fn for_if_clauses(&mut self) -> Parse<u32> {
        self.for_if_clause()?;
        while self.attempt(Parser::for_if_clause)?.is_some() {}
        Ok(self.previous().end)
    }

    fn for_if_clause(&mut self) -> Parse<()> {
        let mark = self.mark();
        let head = self.attempt(|parser| {
            parser.eat(Tok::Async);
            parser.need(Tok::For)?;
            parser.star_targets()?;
            parser.need(Tok::In)
        })?;
        if head.is_some() {
            // After `in` there is no way back.
            self.disjunction()?;
            while self
                .attempt(|parser| {
                    parser.need(Tok::If)?;
                    parser.disjunction()
                })?
                .is_some()
            {}
            return Ok(());
        }
        if self.reporting {
            self.reset(mark);
            let no_in = self.attempt(|parser| {
                parser.eat(Tok::Async);
                parser.need(Tok::For)?;
                parser.bitwise_or()?;
                while parser
                    .attempt(|parser| {
                        parser.need(Tok::Comma)?;
                        parser.bitwise_or()
                    })?
                    .is_some()
                {}
                parser.eat(Tok::Comma);
                if parser.is(Tok::In) {
                    return Err(Halt::NoMatch);
                }
                Ok(())
            })?;
            if no_in.is_some() {
                let message = "'in' expected after for-loop variables";
                return Err(self.error(Place::LastToken, message));
            }
            self.reset(mark);
            self.mistaken_for_target()?;
        }
        Err(Halt::NoMatch)
    }

    /// `for f() in x`
    pub(super) fn mistaken_for_target(&mut self) -> Parse<()> {
        let target = self.attempt(|parser| {
            parser.eat(Tok::Async);
            parser.need(Tok::For)?;
            parser.star_expressions()
        })?;
        match target {
            Some(target) => self.check_target(&target, TargetPlace::Loop),
            None => Ok(()),
        }
    }

    /// Starred elements and unparenthesized tuples as the element of a comprehension. `mark` is
    /// the opening bracket.
    pub(super) fn mistaken_comprehension(&mut self, mark: usize) -> Parse<()> {
        if !self.reporting {
            return Ok(());
        }
        self.reset(mark);
        let bracket = self.bump().kind;
        let inside = self.mark();
        let starred = self.attempt(|parser| {
            let node = parser.starred_expression()?;
            parser.for_if_clauses()?;
            Ok(node)
        })?;
        if let Some(node) = starred {
            let message = "iterable unpacking cannot be used in comprehension";
            return Err(self.error_node(&node, message));
        }
        if matches!(bracket, Tok::Lsqb | Tok::Lbrace) {
            self.reset(inside);
            let range = self.attempt(|parser| {
                let first = parser.star_named_expression()?;
                let comma = parser.need(Tok::Comma)?;
                let rest = parser.attempt(|parser| {
                    let rest = parser.star_named_expressions()?;
                    parser.for_if_clauses()?;
                    Ok(rest)
                })?;
                match rest {
                    Some(rest) => Ok((first.start, rest.last().map_or(comma.end, |node| node.end))),
                    None => {
                        parser.for_if_clauses()?;
                        Ok((first.start, comma.end))
                    }
                }
            })?;
            if let Some((start, end)) = range {
                let message = "did you forget parentheses around the comprehension target?";
                return Err(self.error(Place::Range(start, end), message));
            }
        }
        self.reset(mark);
        Ok(())
    }

    /// Targets of an assignment or a loop: names, attributes, subscripts, and sequences of them.
    pub(super) fn star_targets(&mut self) -> Parse<Node> {
        let start = self.token().start;
        let first = self.star_target()?;
        if !self.is(Tok::Comma) {
            return Ok(first);
        }
        let mut items = vec![first];
        while self.eat(Tok::Comma) {
            match self.attempt(Parser::star_target)? {
                Some(item) => items.push(item),
                None => break,
            }
        }
        Ok(self.node_with(Kind::Tuple, start, items))
    }

    pub(super) fn star_target(&mut self) -> Parse<Node> {
        if self.is(Tok::Star) {
            let start = self.bump().start;
            if self.is(Tok::Star) {
                return Err(Halt::NoMatch);
            }
            let value = self.target()?;
            return Ok(self.node_with(Kind::Starred, start, vec![value]));
        }
        self.target()
    }

    /// One target. What it must not be is found out after reading it as a primary.
    pub(super) fn target(&mut self) -> Parse<Node> {
        let node = self.primary()?;
        let simple = matches!(node.kind, Kind::Name | Kind::Attribute | Kind::Subscript);
        let sequence = matches!(node.kind, Kind::Tuple | Kind::List);
        if (simple || sequence) && invalid_target(&node, TargetPlace::Assignment).is_none() {
            Ok(node)
        } else {
            Err(Halt::NoMatch)
        }
    }
}
