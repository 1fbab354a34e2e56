//! Simple statements.

use super::cursor::{Halt, Parse, Parser, Place};
use super::node::{Kind, Node, Place as TargetPlace};
use crate::scan::Tok;

impl Parser<'_> {
    /// Simple statements up to the end of the line.
    pub(super) fn simple_statements(&mut self) -> Parse<()> {
        self.simple_statement()?;
        while self.eat(Tok::Semi) {
            if self.attempt(Parser::simple_statement)?.is_none() {
                break;
            }
        }
        self.need(Tok::Newline)?;
        self.forget();
        Ok(())
    }

    pub(super) fn simple_statement(&mut self) -> Parse<()> {
        match self.kind() {
            Tok::Return => {
                self.bump();
                self.attempt(Parser::star_expressions)?;
                return Ok(());
            }
            Tok::Import | Tok::From => return self.import_statement(),
            Tok::Raise => return self.raise_statement(),
            Tok::Del => return self.delete_statement(),
            Tok::Assert => return self.assert_statement(),
            Tok::Global | Tok::Nonlocal => return self.scope_statement(),
            Tok::Pass | Tok::Break | Tok::Continue => {
                if self.reporting {
                    // `pass if a else b` is met as an expression first.
                    let mark = self.mark();
                    self.attempt(Parser::expression)?;
                    self.reset(mark);
                }
                self.bump();
                return Ok(());
            }
            _ => {}
        }
        if self.attempt(Parser::assignment)?.is_some() {
            return Ok(());
        }
        if self.is(Tok::Yield) {
            // `yield` is no assignment here, but its error is reported by the rule for those.
            self.yield_expression()?;
            return Ok(());
        }
        if self.is_word("type") && self.attempt(Parser::type_alias)?.is_some() {
            return Ok(());
        }
        self.star_expressions()?;
        Ok(())
    }

    fn type_alias(&mut self) -> Parse<()> {
        self.need(Tok::Name)?;
        self.need(Tok::Name)?;
        self.attempt(Parser::type_parameters)?;
        self.need(Tok::Equal)?;
        self.expression()?;
        Ok(())
    }

    fn raise_statement(&mut self) -> Parse<()> {
        self.bump();
        if self.attempt(Parser::expression)?.is_some() && self.is(Tok::From) {
            self.bump();
            self.expression()?;
        }
        Ok(())
    }

    fn assert_statement(&mut self) -> Parse<()> {
        self.bump();
        self.expression()?;
        if self.eat(Tok::Comma) {
            self.expression()?;
        }
        Ok(())
    }

    fn scope_statement(&mut self) -> Parse<()> {
        self.bump();
        self.need(Tok::Name)?;
        while self.eat(Tok::Comma) {
            self.need(Tok::Name)?;
        }
        Ok(())
    }

    fn delete_statement(&mut self) -> Parse<()> {
        let mark = self.mark();
        self.bump();
        let good = self.attempt(|parser| {
            parser.delete_target()?;
            while parser.eat(Tok::Comma) {
                if parser.attempt(Parser::delete_target)?.is_none() {
                    break;
                }
            }
            if parser.is_any(&[Tok::Semi, Tok::Newline]) {
                Ok(())
            } else {
                Err(Halt::NoMatch)
            }
        })?;
        if good.is_some() {
            return Ok(());
        }
        if self.reporting {
            self.reset(mark);
            self.bump();
            if let Some(target) = self.attempt(Parser::star_expressions)? {
                self.check_target(&target, TargetPlace::Delete)?;
            }
        }
        Err(Halt::NoMatch)
    }

    fn delete_target(&mut self) -> Parse<()> {
        let node = self.primary()?;
        if super::node::invalid_target(&node, TargetPlace::Delete).is_some() {
            return Err(Halt::NoMatch);
        }
        Ok(())
    }

    /// Plain, annotated and augmented assignments.
    fn assignment(&mut self) -> Parse<()> {
        let mark = self.mark();
        let annotated = self.attempt(|parser| {
            let target = parser.target()?;
            let plain = target.kind == Kind::Name
                || matches!(target.kind, Kind::Attribute | Kind::Subscript);
            if !plain {
                return Err(Halt::NoMatch);
            }
            parser.need(Tok::Colon)?;
            parser.expression()?;
            parser.attempt(|parser| {
                parser.need(Tok::Equal)?;
                parser.yield_or_star_expressions()
            })?;
            Ok(())
        })?;
        if annotated.is_some() {
            return Ok(());
        }
        let chain = self.attempt(|parser| {
            parser.star_targets()?;
            parser.need(Tok::Equal)?;
            while parser
                .attempt(|parser| {
                    parser.star_targets()?;
                    parser.need(Tok::Equal)
                })?
                .is_some()
            {}
            parser.yield_or_star_expressions()?;
            if parser.is(Tok::Equal) {
                return Err(Halt::NoMatch);
            }
            Ok(())
        })?;
        if chain.is_some() {
            return Ok(());
        }
        let target = self.attempt(|parser| {
            let target = parser.target()?;
            if !matches!(target.kind, Kind::Name | Kind::Attribute | Kind::Subscript) {
                return Err(Halt::NoMatch);
            }
            parser.need(Tok::AugAssign)
        })?;
        if target.is_some() {
            // After the operator there is no way back.
            self.yield_or_star_expressions()?;
            return Ok(());
        }
        if self.reporting {
            self.reset(mark);
            self.mistaken_assignment()?;
        }
        Err(Halt::NoMatch)
    }

    fn mistaken_assignment(&mut self) -> Parse<()> {
        let mark = self.mark();
        // `(a, b): int`
        let target = self.attempt(|parser| {
            let target = parser.annotated_sequence()?;
            parser.need(Tok::Colon)?;
            parser.expression()?;
            Ok(target)
        })?;
        if let Some(target) = target {
            let kind = target.kind.describe();
            let message = format!("only single target (not {kind}) can be annotated");
            return Err(self.error_node(&target, message));
        }
        // `a, b: int`
        let first = self.attempt(|parser| {
            let first = parser.star_named_expression()?;
            parser.need(Tok::Comma)?;
            // Several lists of them, one after the other: so errors further on are met too.
            while parser.attempt(Parser::star_named_expressions)?.is_some() {}
            parser.need(Tok::Colon)?;
            parser.expression()?;
            Ok(first)
        })?;
        if let Some(first) = first {
            let message = "only single target (not tuple) can be annotated";
            return Err(self.error_node(&first, message));
        }
        // `f(): int`
        self.reset(mark);
        let target = self.attempt(|parser| {
            let target = parser.expression()?;
            parser.need(Tok::Colon)?;
            parser.expression()?;
            Ok(target)
        })?;
        if let Some(target) = target {
            return Err(self.error_node(&target, "illegal target for annotation"));
        }
        // `a = f() = 1`
        self.reset(mark);
        while self
            .attempt(|parser| {
                parser.star_targets()?;
                parser.need(Tok::Equal)
            })?
            .is_some()
        {}
        let last = self.mark();
        let target = self.attempt(|parser| {
            let target = parser.star_expressions()?;
            parser.need(Tok::Equal)?;
            Ok(target)
        })?;
        if let Some(target) = target {
            self.check_target(&target, TargetPlace::Assignment)?;
        }
        self.reset(last);
        if self.is(Tok::Yield) {
            let target = self.attempt(|parser| {
                let target = parser.yield_expression()?;
                parser.need(Tok::Equal)?;
                Ok(target)
            })?;
            if let Some(target) = target {
                let message = "assignment to yield expression not possible";
                return Err(self.error_node(&target, message));
            }
        }
        // `f() += 1`
        self.reset(mark);
        let target = self.attempt(|parser| {
            let target = parser.star_expressions()?;
            parser.need(Tok::AugAssign)?;
            parser.yield_or_star_expressions()?;
            Ok(target)
        })?;
        if let Some(target) = target {
            let kind = target.kind.describe();
            let message = format!("'{kind}' is an illegal expression for augmented assignment");
            return Err(self.error_node(&target, message));
        }
        self.reset(mark);
        Ok(())
    }

    /// A list or tuple, which may have parentheses around it.
    fn annotated_sequence(&mut self) -> Parse<Node> {
        let node = self.atom()?;
        match node.kind {
            Kind::List | Kind::Tuple => Ok(node),
            _ => Err(Halt::NoMatch),
        }
    }

    /// `[T, *Ts = ..., **P]`
    pub(super) fn type_parameters(&mut self) -> Parse<()> {
        self.need(Tok::Lsqb)?;
        if self.reporting && self.is(Tok::Rsqb) {
            let close = self.token();
            let message = "Type parameter list cannot be empty";
            return Err(self.error(Place::From(close.start), message));
        }
        self.type_parameter()?;
        while self.eat(Tok::Comma) {
            if self.attempt(Parser::type_parameter)?.is_none() {
                break;
            }
        }
        self.need(Tok::Rsqb)?;
        Ok(())
    }

    fn type_parameter(&mut self) -> Parse<()> {
        let stars = match self.kind() {
            Tok::Star => Some("TypeVarTuple"),
            Tok::DoubleStar => Some("ParamSpec"),
            _ => None,
        };
        if stars.is_some() {
            self.bump();
        }
        self.need(Tok::Name)?;
        if self.is(Tok::Colon) {
            let colon = self.bump();
            match stars {
                Some(what) => {
                    let bound = self.attempt(Parser::expression)?;
                    if let (true, Some(bound)) = (self.reporting, bound) {
                        let kind = if bound.kind == Kind::Tuple {
                            "constraints"
                        } else {
                            "bound"
                        };
                        let message = format!("cannot use {kind} with {what}");
                        return Err(self.error(Place::From(colon.start), message));
                    }
                    return Err(Halt::NoMatch);
                }
                None => {
                    self.expression()?;
                }
            }
        }
        if self.eat(Tok::Equal) {
            if stars == Some("TypeVarTuple") {
                self.star_expression()?;
            } else {
                self.expression()?;
            }
        }
        Ok(())
    }
}
