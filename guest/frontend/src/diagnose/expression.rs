//! Expressions from the loosest binding to the tightest.

use super::cursor::{Halt, MAX_AHEAD, Parse, Parser, Place, Rule};
use super::node::{Kind, Node};
use crate::scan::Tok;

impl Parser<'_> {
    /// `a, *b, c`: with commas a tuple.
    pub(super) fn star_expressions(&mut self) -> Parse<Node> {
        self.comma_separated(Parser::star_expression)
    }

    /// The same without stars.
    pub(super) fn expressions(&mut self) -> Parse<Node> {
        self.comma_separated(Parser::expression)
    }

    /// The same with `:=` allowed in the elements; gives the elements.
    pub(super) fn star_named_expressions(&mut self) -> Parse<Vec<Node>> {
        let mut items = vec![self.star_named_expression()?];
        while self.eat(Tok::Comma) {
            match self.attempt(Parser::star_named_expression)? {
                Some(item) => items.push(item),
                None => break,
            }
        }
        Ok(items)
    }

    /// One element, or a tuple of several (or of one with a comma after it).
    fn comma_separated(&mut self, element: fn(&mut Self) -> Parse<Node>) -> Parse<Node> {
        let start = self.token().start;
        let first = element(self)?;
        if !self.is(Tok::Comma) {
            return Ok(first);
        }
        let mut items = vec![first];
        while self.eat(Tok::Comma) {
            match self.attempt(element)? {
                Some(item) => items.push(item),
                None => break,
            }
        }
        Ok(self.node_with(Kind::Tuple, start, items))
    }

    pub(super) fn star_expression(&mut self) -> Parse<Node> {
        match self.starred_operand()? {
            Some(node) => Ok(node),
            None => self.expression(),
        }
    }

    pub(super) fn star_named_expression(&mut self) -> Parse<Node> {
        match self.starred_operand()? {
            Some(node) => Ok(node),
            None => self.named_expression(),
        }
    }

    /// `*` and an operand, if a star is here.
    fn starred_operand(&mut self) -> Parse<Option<Node>> {
        if !self.is(Tok::Star) {
            return Ok(None);
        }
        let start = self.bump().start;
        let value = self.bitwise_or()?;
        Ok(Some(self.node_with(Kind::Starred, start, vec![value])))
    }

    /// A `yield` expression or an expression list, as on the right of `=`.
    pub(super) fn yield_or_star_expressions(&mut self) -> Parse<Node> {
        if self.is(Tok::Yield) {
            self.yield_expression()
        } else {
            self.star_expressions()
        }
    }

    pub(super) fn yield_expression(&mut self) -> Parse<Node> {
        let start = self.need(Tok::Yield)?.start;
        if self.eat(Tok::From) {
            self.expression()?;
        } else {
            self.attempt(Parser::star_expressions)?;
        }
        Ok(self.node(Kind::Yield, start))
    }

    /// `name := value`
    pub(super) fn assignment_expression(&mut self) -> Parse<Node> {
        let name = self.need(Tok::Name)?;
        self.need(Tok::ColonEqual)?;
        self.expression()?;
        Ok(self.node(Kind::Named, name.start))
    }

    /// An expression with `:=` allowed at the top.
    pub(super) fn named_expression(&mut self) -> Parse<Node> {
        self.remembered(Rule::Named, |parser| {
            if let Some(node) = parser.attempt_walrus()? {
                return Ok(node);
            }
            if parser.reporting {
                parser.mistaken_named_expression()?;
            }
            parser.expression_without_walrus()
        })
    }

    /// `name := value` if it stands here. Once the `:=` is seen nothing else is tried.
    pub(super) fn attempt_walrus(&mut self) -> Parse<Option<Node>> {
        let mark = self.mark();
        if !self.is(Tok::Name) {
            return Ok(None);
        }
        self.bump();
        let walrus = self.is(Tok::ColonEqual);
        self.reset(mark);
        if walrus {
            self.assignment_expression().map(Some)
        } else {
            Ok(None)
        }
    }

    /// An expression that no `:=` follows.
    pub(super) fn expression_without_walrus(&mut self) -> Parse<Node> {
        let node = self.expression()?;
        if self.is(Tok::ColonEqual) {
            return Err(Halt::NoMatch);
        }
        Ok(node)
    }

    /// `f() := 1`, `x = 1` and `f() = 1` where an expression must be.
    fn mistaken_named_expression(&mut self) -> Parse<()> {
        let mark = self.mark();
        let target = self.attempt(|parser| {
            let target = parser.expression()?;
            parser.need(Tok::ColonEqual)?;
            parser.expression()?;
            Ok(target)
        })?;
        if let Some(target) = target {
            let kind = target.kind.describe();
            let message = format!("cannot use assignment expressions with {kind}");
            return Err(self.error_node(&target, message));
        }
        self.reset(mark);
        let pair = self.attempt(|parser| {
            let name = parser.need(Tok::Name)?;
            parser.need(Tok::Equal)?;
            let value = parser.bitwise_or()?;
            parser.no_assignment_follows()?;
            Ok((name, value))
        })?;
        if let Some((name, value)) = pair {
            let place = Place::Range(name.start, value.end);
            let message = "invalid syntax. Maybe you meant '==' or ':=' instead of '='?";
            return Err(self.error(place, message));
        }
        self.reset(mark);
        // A display or a constant that the expression begins with gets another message.
        if self.at_display_or_constant()? {
            self.reset(mark);
            return Ok(());
        }
        let target = self.attempt(|parser| {
            let target = parser.bitwise_or()?;
            parser.need(Tok::Equal)?;
            parser.bitwise_or()?;
            parser.no_assignment_follows()?;
            Ok(target)
        })?;
        self.reset(mark);
        if let Some(target) = target {
            let kind = target.kind.describe();
            let message =
                format!("cannot assign to {kind} here. Maybe you meant '==' instead of '='?");
            return Err(self.error_node(&target, message));
        }
        Ok(())
    }

    fn at_display_or_constant(&mut self) -> Parse<bool> {
        if self.is_any(&[Tok::True, Tok::None, Tok::False]) {
            return Ok(true);
        }
        if !self.is_any(&[Tok::Lpar, Tok::Lsqb]) {
            return Ok(false);
        }
        self.matches(|parser| {
            let atom = parser.atom()?;
            match atom.kind {
                Kind::List | Kind::Tuple | Kind::Generator => Ok(()),
                _ => Err(Halt::NoMatch),
            }
        })
    }

    fn no_assignment_follows(&mut self) -> Parse<()> {
        if self.is_any(&[Tok::Equal, Tok::ColonEqual]) {
            return Err(Halt::NoMatch);
        }
        Ok(())
    }

    pub(super) fn expression(&mut self) -> Parse<Node> {
        self.deeper(|parser| {
            parser.remembered(Rule::Expression, |parser| {
                if parser.reporting {
                    parser.mistaken_expression()?;
                    parser.legacy_statement()?;
                }
                parser.plain_expression()
            })
        })
    }

    /// An expression, without a look at common mistakes at its beginning.
    pub(super) fn plain_expression(&mut self) -> Parse<Node> {
        if self.is(Tok::Lambda) {
            return self.lambda();
        }
        let start = self.token().start;
        let body = self.disjunction()?;
        let conditional = self.attempt(|parser| {
            parser.need(Tok::If)?;
            parser.disjunction()?;
            parser.need(Tok::Else)?;
            parser.expression()?;
            Ok(parser.node(Kind::Conditional, start))
        })?;
        Ok(conditional.unwrap_or(body))
    }

    /// Two expressions side by side, a conditional expression without `else`, and the like.
    fn mistaken_expression(&mut self) -> Parse<()> {
        let mark = self.mark();
        self.text_broken_by_quotes()?;
        self.reset(mark);
        if !self.at_prefix_lookalike() {
            let pair = self.attempt(|parser| {
                let first = parser.disjunction()?;
                let second = parser
                    .quietly(Parser::plain_expression)?
                    .ok_or(Halt::NoMatch)?;
                Ok((first, second))
            })?;
            if let Some((first, second)) = pair
                && !self.is_legacy_name(&first)
                && self.previous().level > 0
            {
                let place = Place::Range(first.start, second.end);
                return Err(self.error(place, "invalid syntax. Perhaps you forgot a comma?"));
            }
            self.reset(mark);
        }
        let pair = self.attempt(|parser| {
            let first = parser.disjunction()?;
            parser.need(Tok::If)?;
            let second = parser.disjunction()?;
            if parser.is_any(&[Tok::Else, Tok::Colon, Tok::SpecColon]) {
                return Err(Halt::NoMatch);
            }
            Ok((first, second))
        })?;
        if let Some((first, second)) = pair {
            let place = Place::Range(first.start, second.end);
            return Err(self.error(place, "expected 'else' after 'if' expression"));
        }
        self.reset(mark);
        self.statement_in_conditional()?;
        self.reset(mark);
        if self.is(Tok::Lambda) {
            self.lambda_in_field()?;
            self.reset(mark);
        }
        Ok(())
    }

    /// Whether two neighbouring tokens may belong together although they look like two
    /// expressions: a string with an unknown prefix, or a soft keyword that begins a statement.
    fn at_prefix_lookalike(&mut self) -> bool {
        let mark = self.mark();
        let found = self.eat(Tok::Name) && self.is(Tok::String);
        self.reset(mark);
        found || self.is_soft_keyword()
    }

    /// `pass if a else b` and `a if b else pass`
    fn statement_in_conditional(&mut self) -> Parse<()> {
        const STATEMENTS: [Tok; 3] = [Tok::Pass, Tok::Break, Tok::Continue];
        if self.is_any(&STATEMENTS) {
            let statement = self.bump();
            let follows = self.matches(|parser| {
                parser.need(Tok::If)?;
                parser.disjunction()?;
                parser.need(Tok::Else)?;
                parser.expression()
            })?;
            if follows {
                let message = "expected expression before 'if', but statement is given";
                return Err(self.error_token(statement, message));
            }
            return Ok(());
        }
        let nothing = self.attempt(|parser| {
            parser.disjunction()?;
            parser.need(Tok::If)?;
            parser.disjunction()?;
            parser.need(Tok::Else)?;
            if parser.matches(Parser::expression)? {
                return Err(Halt::NoMatch);
            }
            Ok(parser.mark())
        })?;
        if let Some(index) = nothing {
            let message = "expected expression after 'else', but statement is given";
            return Err(self.error(Place::Token(index), message));
        }
        Ok(())
    }

    fn is_legacy_name(&self, node: &Node) -> bool {
        let text = self.source.get(node.start as usize..node.end as usize);
        node.kind == Kind::Name && matches!(text, Some("print" | "exec"))
    }

    /// `print x`
    fn legacy_statement(&mut self) -> Parse<()> {
        let mark = self.mark();
        if !self.is(Tok::Name) {
            return Ok(());
        }
        let name = self.bump();
        let word = self.text(name);
        if self.is(Tok::Lpar) || (self.ahead >= MAX_AHEAD && !matches!(word, "print" | "exec")) {
            self.reset(mark);
            return Ok(());
        }
        // What follows is read whatever the name is; an error in it is reported.
        self.ahead += 1;
        let rest = self.attempt(Parser::star_expressions);
        self.ahead -= 1;
        if let Some(rest) = rest? {
            if !matches!(word, "print" | "exec") {
                self.reset(mark);
                return Ok(());
            }
            let message =
                format!("Missing parentheses in call to '{word}'. Did you mean {word}(...)?");
            return Err(self.error(Place::Range(name.start, rest.end), message));
        }
        self.reset(mark);
        Ok(())
    }

    /// `or`
    pub(super) fn disjunction(&mut self) -> Parse<Node> {
        self.remembered(Rule::Disjunction, |parser| {
            parser.operation(&[Tok::Or], Parser::conjunction)
        })
    }

    fn conjunction(&mut self) -> Parse<Node> {
        self.operation(&[Tok::And], Parser::inversion)
    }

    fn inversion(&mut self) -> Parse<Node> {
        if self.is(Tok::Not) {
            let start = self.bump().start;
            self.inversion()?;
            return Ok(self.node(Kind::Operation, start));
        }
        self.comparison()
    }

    fn comparison(&mut self) -> Parse<Node> {
        let start = self.token().start;
        let left = self.bitwise_or()?;
        let mut kind = None;
        loop {
            let pair = self.attempt(|parser| {
                let token = parser.token();
                match token.kind {
                    Tok::EqEqual
                    | Tok::NotEqual
                    | Tok::Less
                    | Tok::LessEqual
                    | Tok::Greater
                    | Tok::GreaterEqual
                    | Tok::In => {
                        parser.bump();
                    }
                    Tok::Not => {
                        parser.bump();
                        parser.need(Tok::In)?;
                    }
                    Tok::Is => {
                        parser.bump();
                        // `is not x`, or `is` and an operand that begins with `not`, which cannot be.
                        parser.eat(Tok::Not);
                    }
                    _ => return Err(Halt::NoMatch),
                }
                parser.bitwise_or()?;
                Ok(token.kind == Tok::In)
            })?;
            match pair {
                Some(is_in) if kind.is_none() => {
                    kind = Some(if is_in {
                        Kind::InComparison
                    } else {
                        Kind::Comparison
                    });
                }
                Some(_) => {}
                None => break,
            }
        }
        Ok(match kind {
            Some(kind) => self.node_with(kind, start, vec![left]),
            None => left,
        })
    }

    /// Operands with any of the operators between them.
    fn operation(
        &mut self,
        operators: &[Tok],
        operand: fn(&mut Self) -> Parse<Node>,
    ) -> Parse<Node> {
        let start = self.token().start;
        let first = operand(self)?;
        let mut found = false;
        while self.is_any(operators) {
            let next = self.attempt(|parser| {
                parser.bump();
                operand(parser)
            })?;
            if next.is_none() {
                break;
            }
            found = true;
        }
        Ok(if found {
            self.node(Kind::Operation, start)
        } else {
            first
        })
    }

    pub(super) fn bitwise_or(&mut self) -> Parse<Node> {
        self.remembered(Rule::BitwiseOr, |parser| {
            parser.operation(&[Tok::Vbar], Parser::bitwise_xor)
        })
    }

    fn bitwise_xor(&mut self) -> Parse<Node> {
        self.operation(&[Tok::Circumflex], Parser::bitwise_and)
    }

    fn bitwise_and(&mut self) -> Parse<Node> {
        self.operation(&[Tok::Amper], Parser::shift)
    }

    fn shift(&mut self) -> Parse<Node> {
        self.operation(&[Tok::LeftShift, Tok::RightShift], Parser::sum)
    }

    fn sum(&mut self) -> Parse<Node> {
        self.arithmetic(&[Tok::Plus, Tok::Minus], Parser::term)
    }

    fn term(&mut self) -> Parse<Node> {
        const OPERATORS: [Tok; 5] = [
            Tok::Star,
            Tok::Slash,
            Tok::DoubleSlash,
            Tok::Percent,
            Tok::At,
        ];
        self.arithmetic(&OPERATORS, Parser::factor)
    }

    /// Like [`Parser::operation`], with a word about `not` as an operand.
    fn arithmetic(
        &mut self,
        operators: &[Tok],
        operand: fn(&mut Self) -> Parse<Node>,
    ) -> Parse<Node> {
        let start = self.token().start;
        let first = operand(self)?;
        let mut found = false;
        while self.is_any(operators) {
            let next = self.attempt(|parser| {
                parser.bump();
                parser.not_as_operand()?;
                operand(parser)
            })?;
            if next.is_none() {
                break;
            }
            found = true;
        }
        Ok(if found {
            self.node(Kind::Operation, start)
        } else {
            first
        })
    }

    /// `1 + not 2`
    fn not_as_operand(&mut self) -> Parse<()> {
        if !self.reporting || !self.is(Tok::Not) {
            return Ok(());
        }
        let mark = self.mark();
        if let Some(node) = self.attempt(Parser::inversion)? {
            let message = "'not' after an operator must be parenthesized";
            return Err(self.error_node(&node, message));
        }
        self.reset(mark);
        Ok(())
    }

    fn factor(&mut self) -> Parse<Node> {
        if self.is_any(&[Tok::Plus, Tok::Minus, Tok::Tilde]) {
            let start = self.bump().start;
            self.not_as_operand()?;
            self.factor()?;
            return Ok(self.node(Kind::Operation, start));
        }
        self.power()
    }

    fn power(&mut self) -> Parse<Node> {
        let start = self.token().start;
        let base = self.await_primary()?;
        if self.is(Tok::DoubleStar) {
            let power = self.attempt(|parser| {
                parser.bump();
                parser.factor()
            })?;
            if power.is_some() {
                return Ok(self.node(Kind::Operation, start));
            }
        }
        Ok(base)
    }

    fn await_primary(&mut self) -> Parse<Node> {
        if self.is(Tok::Await) {
            let start = self.bump().start;
            self.primary()?;
            return Ok(self.node(Kind::Await, start));
        }
        self.primary()
    }

    /// An atom with attributes, calls and subscripts after it.
    pub(super) fn primary(&mut self) -> Parse<Node> {
        self.remembered(Rule::Primary, |parser| {
            let start = parser.token().start;
            let mut node = parser.atom()?;
            while let Some(next) = parser.attempt(|parser| parser.trailer(start))? {
                node = next;
            }
            Ok(node)
        })
    }

    /// One attribute, call or subscript after what begins at `start`.
    fn trailer(&mut self, start: u32) -> Parse<Node> {
        let token = self.token();
        match token.kind {
            Tok::Dot => {
                self.bump();
                self.need(Tok::Name)?;
                Ok(self.node(Kind::Attribute, start))
            }
            Tok::Lpar => {
                if self.attempt(Parser::generator)?.is_none() {
                    self.bump();
                    self.attempt(Parser::arguments)?;
                    self.need(Tok::Rpar)?;
                }
                Ok(self.node(Kind::Call, start))
            }
            Tok::Lsqb => {
                self.bump();
                self.slices()?;
                self.need(Tok::Rsqb)?;
                Ok(self.node(Kind::Subscript, start))
            }
            _ => Err(Halt::NoMatch),
        }
    }

    fn slices(&mut self) -> Parse<()> {
        let single = self.attempt(|parser| {
            parser.slice()?;
            if parser.is(Tok::Comma) {
                return Err(Halt::NoMatch);
            }
            Ok(())
        })?;
        if single.is_some() {
            return Ok(());
        }
        self.slice_or_starred()?;
        while self.eat(Tok::Comma) {
            if self.attempt(Parser::slice_or_starred)?.is_none() {
                break;
            }
        }
        Ok(())
    }

    fn slice_or_starred(&mut self) -> Parse<()> {
        if self.attempt(Parser::slice)?.is_some() {
            return Ok(());
        }
        self.starred_expression()?;
        Ok(())
    }

    fn slice(&mut self) -> Parse<()> {
        let colons = self.attempt(|parser| {
            parser.attempt(Parser::expression)?;
            parser.need(Tok::Colon)?;
            parser.attempt(Parser::expression)?;
            if parser.eat(Tok::Colon) {
                parser.attempt(Parser::expression)?;
            }
            Ok(())
        })?;
        if colons.is_none() {
            self.named_expression()?;
        }
        Ok(())
    }
}
