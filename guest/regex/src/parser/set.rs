//! Character classes: `[...]`.

use super::Parser;
use super::source::Token;
use crate::ast::{Kind, Node};
use crate::class::{Class, ClassItem};
use crate::error::Error;

impl Parser<'_> {
    /// A class; its opening bracket is taken.
    pub(super) fn set(&mut self) -> Result<(), Error> {
        let here = self.source.tell() - 1;
        if self.source.peek() == Some(Token::Plain('['.into())) {
            self.warn(format!(
                "Possible nested set at position {}",
                self.source.tell()
            ));
        }
        let negated = self.source.eat('^')?;
        let mut items: Vec<ClassItem> = Vec::new();
        loop {
            let token = self.set_token(here)?;
            if token == Token::Plain(']'.into()) && !items.is_empty() {
                break;
            }
            if !items.is_empty() {
                self.warn_operator(token);
            }
            let low = self.set_item(token)?;
            if !self.source.eat('-')? {
                add(&mut items, low);
                continue;
            }
            let end = self.set_token(here)?;
            if end == Token::Plain(']'.into()) {
                add(&mut items, low);
                add(&mut items, ClassItem::Range('-'.into(), '-'.into()));
                break;
            }
            if end == Token::Plain('-'.into()) {
                self.warn(format!(
                    "Possible set difference at position {}",
                    self.source.tell() - 2
                ));
            }
            let high = self.set_item(end)?;
            match (low, high) {
                (ClassItem::Range(low, _), ClassItem::Range(high, _)) if low <= high => {
                    add(&mut items, ClassItem::Range(low, high));
                }
                _ => {
                    let (from, to) = (token.text(), end.text());
                    let back = from.chars().count() + 1 + to.chars().count();
                    return Err(self
                        .source
                        .error(format!("bad character range {from}-{to}"), back));
                }
            }
        }
        self.push(self.set_node(&items, negated));
        Ok(())
    }

    fn set_node(&self, items: &[ClassItem], negated: bool) -> Node {
        let fold = self.fold();
        let class = match *items {
            [ClassItem::Range(c, last)] if c == last => {
                if negated {
                    Class::not_literal(c, fold)
                } else if let Some(class) = Class::of_literal(c, fold) {
                    class
                } else {
                    return Node::new(Kind::Char(c));
                }
            }
            _ => Class::new(items, negated, fold),
        };
        Node::new(if class.is_everything() {
            Kind::AnyChar
        } else {
            Kind::Set(Box::new(class))
        })
    }

    fn set_token(&mut self, here: usize) -> Result<Token, Error> {
        match self.source.get()? {
            Some(token) => Ok(token),
            None => {
                let back = self.source.tell() - here;
                Err(self.source.error("unterminated character set", back))
            }
        }
    }

    fn set_item(&mut self, token: Token) -> Result<ClassItem, Error> {
        match token {
            Token::Plain(c) => Ok(ClassItem::Range(c, c)),
            Token::Escaped(c) => self.class_escape(c),
        }
    }

    /// Doubled operators may come to mean set operations one day.
    fn warn_operator(&mut self, token: Token) {
        if self.source.peek() != Some(token) {
            return;
        }
        let operation = match token.plain().and_then(char::from_u32) {
            Some('-') => "difference",
            Some('&') => "intersection",
            Some('~') => "symmetric difference",
            Some('|') => "union",
            _ => return,
        };
        self.warn(format!(
            "Possible set {operation} at position {}",
            self.source.tell() - 1
        ));
    }
}

fn add(items: &mut Vec<ClassItem>, item: ClassItem) {
    if !items.contains(&item) {
        items.push(item);
    }
}
