//! Atoms: names, constants and everything in brackets.

use super::cursor::{Halt, Parse, Parser, Place, Rule};
use super::node::{Kind, Node};
use crate::scan::Tok;

impl Parser<'_> {
    pub(super) fn atom(&mut self) -> Parse<Node> {
        self.remembered(Rule::Atom, |parser| {
            let token = parser.token();
            let kind = match token.kind {
                Tok::Name => Kind::Name,
                Tok::True => Kind::True,
                Tok::False => Kind::False,
                Tok::None => Kind::None,
                Tok::Ellipsis => Kind::Ellipsis,
                Tok::Number => Kind::Literal,
                Tok::String | Tok::FStart => return parser.strings(),
                Tok::Lpar => return parser.parenthesized(),
                Tok::Lsqb => return parser.list(),
                Tok::Lbrace => return parser.braces(),
                _ => return Err(Halt::NoMatch),
            };
            parser.bump();
            Ok(Node::new(kind, token.start, token.end))
        })
    }

    /// A tuple, a parenthesized expression or a generator.
    fn parenthesized(&mut self) -> Parse<Node> {
        if let Some(tuple) = self.attempt(Parser::tuple)? {
            return Ok(tuple);
        }
        if let Some(group) = self.attempt(Parser::group)? {
            return Ok(group);
        }
        self.generator()
    }

    fn tuple(&mut self) -> Parse<Node> {
        let start = self.need(Tok::Lpar)?.start;
        let mut items = Vec::new();
        if let Some(first) = self.attempt(|parser| {
            let first = parser.star_named_expression()?;
            parser.need(Tok::Comma)?;
            Ok(first)
        })? {
            items.push(first);
            if let Some(rest) = self.attempt(Parser::star_named_expressions)? {
                items.extend(rest);
            }
        }
        self.need(Tok::Rpar)?;
        let mut node = self.node_with(Kind::Tuple, start, items);
        node.parenthesized = true;
        Ok(node)
    }

    fn group(&mut self) -> Parse<Node> {
        let mark = self.mark();
        let inner = self.attempt(|parser| {
            parser.need(Tok::Lpar)?;
            let inner = if parser.is(Tok::Yield) {
                parser.yield_expression()?
            } else {
                parser.named_expression()?
            };
            parser.need(Tok::Rpar)?;
            Ok(inner)
        })?;
        if let Some(mut inner) = inner {
            inner.parenthesized = true;
            return Ok(inner);
        }
        if self.reporting {
            self.reset(mark);
            self.need(Tok::Lpar)?;
            let inside = self.mark();
            if let Some(node) = self.attempt(|parser| {
                let node = parser.starred_expression()?;
                parser.need(Tok::Rpar)?;
                Ok(node)
            })? {
                return Err(self.error_node(&node, "cannot use starred expression here"));
            }
            self.reset(inside);
            if self.is(Tok::DoubleStar) {
                let stars = self.bump();
                if self.matches(|parser| {
                    parser.expression()?;
                    parser.need(Tok::Rpar)
                })? {
                    let message = "cannot use double starred expression here";
                    return Err(self.error_token(stars, message));
                }
            }
        }
        Err(Halt::NoMatch)
    }

    /// A generator expression with its parentheses.
    pub(super) fn generator(&mut self) -> Parse<Node> {
        let mark = self.mark();
        let node = self.attempt(|parser| {
            let start = parser.need(Tok::Lpar)?.start;
            if parser.attempt_walrus()?.is_none() {
                parser.expression_without_walrus()?;
            }
            parser.for_if_clauses()?;
            parser.need(Tok::Rpar)?;
            Ok(parser.node(Kind::Generator, start))
        })?;
        if let Some(node) = node {
            return Ok(node);
        }
        self.mistaken_comprehension(mark)?;
        Err(Halt::NoMatch)
    }

    /// A list or a list comprehension.
    fn list(&mut self) -> Parse<Node> {
        let mark = self.mark();
        let list = self.attempt(|parser| {
            let start = parser.need(Tok::Lsqb)?.start;
            let items = parser.attempt(Parser::star_named_expressions)?;
            parser.need(Tok::Rsqb)?;
            Ok(parser.node_with(Kind::List, start, items.unwrap_or_default()))
        })?;
        if let Some(list) = list {
            return Ok(list);
        }
        let comprehension = self.attempt(|parser| {
            let start = parser.need(Tok::Lsqb)?.start;
            parser.named_expression()?;
            parser.for_if_clauses()?;
            parser.need(Tok::Rsqb)?;
            Ok(parser.node(Kind::ListComprehension, start))
        })?;
        if let Some(node) = comprehension {
            return Ok(node);
        }
        self.mistaken_comprehension(mark)?;
        Err(Halt::NoMatch)
    }

    /// A dictionary, a set, or a comprehension for either.
    fn braces(&mut self) -> Parse<Node> {
        let mark = self.mark();
        let dict = self.attempt(|parser| {
            let start = parser.need(Tok::Lbrace)?.start;
            parser.attempt(Parser::key_value_pairs)?;
            parser.need(Tok::Rbrace)?;
            Ok(parser.node(Kind::Dict, start))
        })?;
        if let Some(node) = dict {
            return Ok(node);
        }
        if self.reporting {
            self.reset(mark);
            self.bump();
            self.mistaken_pairs()?;
            self.reset(mark);
        }
        let set = self.attempt(|parser| {
            let start = parser.need(Tok::Lbrace)?.start;
            parser.star_named_expressions()?;
            parser.need(Tok::Rbrace)?;
            Ok(parser.node(Kind::Set, start))
        })?;
        if let Some(node) = set {
            return Ok(node);
        }
        let comprehension = self.attempt(|parser| {
            let start = parser.need(Tok::Lbrace)?.start;
            parser.key_value_pair()?;
            parser.for_if_clauses()?;
            parser.need(Tok::Rbrace)?;
            Ok(parser.node(Kind::DictComprehension, start))
        })?;
        if let Some(node) = comprehension {
            return Ok(node);
        }
        if self.reporting {
            self.unpacking_in_dict_comprehension(mark)?;
        }
        let comprehension = self.attempt(|parser| {
            let start = parser.need(Tok::Lbrace)?.start;
            parser.named_expression()?;
            parser.for_if_clauses()?;
            parser.need(Tok::Rbrace)?;
            Ok(parser.node(Kind::SetComprehension, start))
        })?;
        if let Some(node) = comprehension {
            return Ok(node);
        }
        self.mistaken_comprehension(mark)?;
        Err(Halt::NoMatch)
    }

    fn key_value_pairs(&mut self) -> Parse<()> {
        self.pair_or_unpacking()?;
        while self.eat(Tok::Comma) {
            if self.reporting {
                self.key_without_colon()?;
            }
            if self.attempt(Parser::pair_or_unpacking)?.is_none() {
                break;
            }
        }
        Ok(())
    }

    /// A key that no colon follows, after a complete pair.
    fn key_without_colon(&mut self) -> Parse<()> {
        let mark = self.mark();
        if let Some(key) = self.quietly(Parser::expression)?
            && !self.is(Tok::Colon)
        {
            // The reported column is that of the key's last character.
            let place = Place::NoEnd(key.end.saturating_sub(1));
            return Err(self.error(place, "':' expected after dictionary key"));
        }
        self.reset(mark);
        Ok(())
    }

    fn pair_or_unpacking(&mut self) -> Parse<()> {
        if self.eat(Tok::DoubleStar) {
            self.bitwise_or()?;
            return Ok(());
        }
        self.key_value_pair()
    }

    fn key_value_pair(&mut self) -> Parse<()> {
        self.expression()?;
        self.need(Tok::Colon)?;
        self.expression()?;
        Ok(())
    }

    /// Mistakes after the `{` of what may be a dictionary.
    fn mistaken_pairs(&mut self) -> Parse<()> {
        let mark = self.mark();
        let after_pairs = self.attempt(|parser| {
            parser.pair_or_unpacking()?;
            parser.need(Tok::Comma)?;
            while parser
                .attempt(|parser| {
                    parser.pair_or_unpacking()?;
                    parser.need(Tok::Comma)
                })?
                .is_some()
            {}
            Ok(())
        })?;
        if after_pairs.is_some() {
            self.key_without_colon()?;
            self.mistaken_value()?;
        }
        self.reset(mark);
        self.mistaken_value()
    }

    /// `key: *value` and `key:` without a value.
    fn mistaken_value(&mut self) -> Parse<()> {
        let mark = self.mark();
        let Some(colon) = self.attempt(|parser| {
            parser.expression()?;
            parser.need(Tok::Colon)
        })?
        else {
            return Ok(());
        };
        if self.is(Tok::Star) {
            let star = self.bump();
            if self.attempt(Parser::bitwise_or)?.is_some() {
                let message = "cannot use a starred expression in a dictionary value";
                return Err(self.error(Place::From(star.start), message));
            }
        } else if self.is_any(&[Tok::Rbrace, Tok::Comma]) {
            let message = "expression expected after dictionary key and ':'";
            return Err(self.error_token(colon, message));
        }
        self.reset(mark);
        Ok(())
    }

    /// `{**a for a in b}`
    fn unpacking_in_dict_comprehension(&mut self, mark: usize) -> Parse<()> {
        self.reset(mark);
        let stars = self.attempt(|parser| {
            parser.need(Tok::Lbrace)?;
            let stars = parser.need(Tok::DoubleStar)?;
            parser.bitwise_or()?;
            parser.for_if_clauses()?;
            parser.need(Tok::Rbrace)?;
            Ok(stars)
        })?;
        self.reset(mark);
        match stars {
            Some(stars) => {
                let message = "dict unpacking cannot be used in dict comprehension";
                Err(self.error_token(stars, message))
            }
            None => Ok(()),
        }
    }
}
