//! Expressions, targets, `yield` and `await`.

use coldframe_frontend::ast::{self, Expr, ExprContext, TextRange};

use super::super::scope::{Part, ScopeKind};
use super::{Builder, Outcome};

impl<'a> Builder<'a> {
    /// Visits the expression given to `eval`.
    pub fn expression(&mut self, expr: &'a Expr) -> Outcome {
        self.expr(expr)
    }

    pub(super) fn optional(&mut self, expr: Option<&'a Expr>) -> Outcome {
        match expr {
            Some(expr) => self.expr(expr),
            None => Ok(()),
        }
    }

    pub(super) fn exprs(&mut self, exprs: impl IntoIterator<Item = &'a Expr>) -> Outcome {
        exprs.into_iter().try_for_each(|expr| self.element(expr))
    }

    /// An element of a display or an argument, which may be starred.
    pub(super) fn element(&mut self, expr: &'a Expr) -> Outcome {
        match expr {
            Expr::Starred(starred) => self.expr(&starred.value),
            expr => self.expr(expr),
        }
    }

    /// A target of an assignment.
    pub(super) fn target(&mut self, target: &'a Expr) -> Outcome {
        match target {
            Expr::Starred(starred) => self.error(
                "starred assignment target must be in a list or tuple",
                starred.range,
            ),
            target => self.target_part(target),
        }
    }

    pub(super) fn target_part(&mut self, target: &'a Expr) -> Outcome {
        match target {
            Expr::Starred(starred) => self.target_part(&starred.value),
            Expr::Tuple(ast::ExprTuple { elts, range, .. })
            | Expr::List(ast::ExprList { elts, range, .. }) => {
                if elts.iter().filter(|elt| elt.is_starred_expr()).count() > 1 {
                    return self.error("multiple starred expressions in assignment", *range);
                }
                elts.iter().try_for_each(|elt| self.target_part(elt))
            }
            target => self.expr(target),
        }
    }

    pub(super) fn forbidden_in_annotation(&self, what: &str, range: TextRange) -> Outcome {
        let kind = self.kind();
        if kind.is_annotation() {
            let place = if kind == ScopeKind::TypeParams {
                "the definition of a generic"
            } else {
                self.annotation
            };
            return self.error(format!("{what} cannot be used within {place}"), range);
        }
        Ok(())
    }

    /// Expressions that lean to the left (`a.b[c](d) + e`) are followed down, not recursed into.
    pub(super) fn expr(&mut self, expr: &'a Expr) -> Outcome {
        let Some(first) = left_part(expr) else {
            return self.plain_expr(expr);
        };
        let mut spine = vec![expr];
        let mut current = first;
        while let Some(next) = left_part(current) {
            spine.push(current);
            current = next;
        }
        self.plain_expr(current)?;
        while let Some(node) = spine.pop() {
            match node {
                Expr::BinOp(node) => self.expr(&node.right)?,
                Expr::Call(node) => self.arguments(&node.arguments)?,
                Expr::Subscript(node) => self.element(&node.slice)?,
                Expr::Attribute(node) => self.attribute(node)?,
                _ => {}
            }
        }
        Ok(())
    }

    pub(super) fn attribute(&mut self, expr: &'a ast::ExprAttribute) -> Outcome {
        if expr.ctx == ExprContext::Load {
            return Ok(());
        }
        if expr.attr.as_str() == "__debug__" {
            return self.error("cannot assign to __debug__", expr.range);
        }
        let of_self = expr
            .value
            .as_name_expr()
            .is_some_and(|name| name.id == "self");
        if expr.ctx == ExprContext::Store && of_self {
            self.static_attribute(expr.attr.as_str());
        }
        Ok(())
    }

    pub(super) fn plain_expr(&mut self, expr: &'a Expr) -> Outcome {
        match expr {
            Expr::BoolOp(expr) => expr.values.iter().try_for_each(|value| self.expr(value)),
            Expr::Named(expr) => self.named(expr),
            Expr::BinOp(_) | Expr::Call(_) | Expr::Subscript(_) | Expr::Attribute(_) => {
                self.expr(expr)
            }
            Expr::UnaryOp(expr) => self.expr(&expr.operand),
            Expr::Lambda(expr) => {
                if let Some(parameters) = &expr.parameters {
                    self.defaults(parameters)?;
                }
                self.within(ScopeKind::Lambda, expr, Part::Body, |this, _| {
                    if let Some(parameters) = &expr.parameters {
                        this.parameters(parameters)?;
                    }
                    this.expr(&expr.body)
                })
            }
            Expr::If(expr) => {
                self.expr(&expr.test)?;
                self.expr(&expr.body)?;
                self.expr(&expr.orelse)
            }
            Expr::Dict(expr) => {
                for item in &expr.items {
                    self.optional(item.key.as_ref())?;
                    self.expr(&item.value)?;
                }
                Ok(())
            }
            Expr::Set(expr) => self.exprs(&expr.elts),
            Expr::ListComp(comp) => {
                self.comprehension(comp, "list comprehension", &comp.generators, &[&*comp.elt])
            }
            Expr::SetComp(comp) => {
                self.comprehension(comp, "set comprehension", &comp.generators, &[&*comp.elt])
            }
            Expr::DictComp(comp) => self.comprehension(
                comp,
                "dict comprehension",
                &comp.generators,
                &[&*comp.key, &*comp.value],
            ),
            Expr::Generator(comp) => self.comprehension(
                comp,
                "generator expression",
                &comp.generators,
                &[&*comp.elt],
            ),
            Expr::Await(expr) => {
                self.forbidden_in_annotation("await expression", expr.range)?;
                self.await_allowed(expr.range)?;
                self.mark_await();
                self.expr(&expr.value)
            }
            Expr::Yield(expr) => {
                self.yield_allowed("'yield'", expr.range)?;
                self.scope().is_generator = true;
                self.optional(expr.value.as_deref())
            }
            Expr::YieldFrom(expr) => {
                self.yield_allowed("'yield from'", expr.range)?;
                if self.scope().is_async {
                    return self.error("'yield from' inside async function", expr.range);
                }
                self.scope().is_generator = true;
                self.expr(&expr.value)
            }
            Expr::Compare(expr) => {
                self.expr(&expr.left)?;
                expr.comparators
                    .iter()
                    .try_for_each(|right| self.expr(right))
            }
            Expr::FString(expr) => {
                for part in &expr.value {
                    if let ast::FStringPart::FString(string) = part {
                        self.interpolations(&string.elements)?;
                    }
                }
                Ok(())
            }
            Expr::TString(expr) => expr
                .value
                .iter()
                .try_for_each(|string| self.interpolations(&string.elements)),
            Expr::StringLiteral(_)
            | Expr::BytesLiteral(_)
            | Expr::NumberLiteral(_)
            | Expr::BooleanLiteral(_)
            | Expr::NoneLiteral(_)
            | Expr::EllipsisLiteral(_) => Ok(()),
            Expr::Starred(expr) => self.error("can't use starred expression here", expr.range),
            Expr::Name(name) => self.name(name),
            Expr::List(expr) => self.exprs(&expr.elts),
            Expr::Tuple(expr) => self.exprs(&expr.elts),
            Expr::Slice(expr) => {
                self.optional(expr.lower.as_deref())?;
                self.optional(expr.upper.as_deref())?;
                self.optional(expr.step.as_deref())
            }
            // A constant that no literal denotes.
            Expr::IpyEscapeCommand(_) => Ok(()),
        }
    }

    pub(super) fn arguments(&mut self, arguments: &'a ast::Arguments) -> Outcome {
        for argument in arguments.arguments_source_order() {
            match argument {
                ast::ArgOrKeyword::Arg(expr) => self.element(expr)?,
                ast::ArgOrKeyword::Keyword(keyword) => self.expr(&keyword.value)?,
            }
        }
        for (index, keyword) in arguments.keywords.iter().enumerate() {
            let Some(name) = &keyword.arg else { continue };
            if name.as_str() == "__debug__" {
                return self.error("cannot assign to __debug__", keyword.range);
            }
            let same =
                |other: &ast::Keyword| other.arg.as_ref().is_some_and(|other| other.id == name.id);
            // Quadratic, but a long list of keywords is cut short by the parser's own limits.
            if arguments.keywords.len() <= 256 && arguments.keywords[..index].iter().any(same) {
                return self.error(format!("keyword argument repeated: {name}"), keyword.range);
            }
        }
        Ok(())
    }

    pub(super) fn interpolations(
        &mut self,
        elements: &'a ast::InterpolatedStringElements,
    ) -> Outcome {
        for element in elements {
            if let ast::InterpolatedStringElement::Interpolation(part) = element {
                match &*part.expression {
                    Expr::Starred(starred) => {
                        return self.error("can't use starred expression here", starred.range);
                    }
                    expr => self.expr(expr)?,
                }
                if let Some(spec) = &part.format_spec {
                    self.interpolations(&spec.elements)?;
                }
            }
        }
        Ok(())
    }

    /// `self.name = ...` in a method.
    pub(super) fn static_attribute(&mut self, name: &str) {
        let sym = self.mangled(name);
        let mut id = self.current;
        if self.table.scope(id).kind == ScopeKind::Class {
            return;
        }
        while let Some(parent) = self.table.scope(id).parent {
            id = parent;
            let scope = self.table.scope_mut(id);
            if scope.kind == ScopeKind::Class {
                if !scope.static_attributes.contains(&sym) {
                    scope.static_attributes.push(sym);
                }
                return;
            }
        }
    }

    // ---- yield, await

    pub(super) fn yield_allowed(&mut self, word: &str, range: TextRange) -> Outcome {
        self.forbidden_in_annotation("yield expression", range)?;
        let kind = self.kind();
        if kind.is_comprehension() {
            let place = self.comprehension;
            return self.error(format!("'yield' inside {place}"), range);
        }
        if !kind.is_function() {
            return self.error(format!("{word} outside function"), range);
        }
        Ok(())
    }

    /// The function-like scope around, comprehensions left out, that decides whether `await` is allowed.
    pub(super) fn asynchronous(&self) -> (ScopeKind, bool) {
        let mut id = self.current;
        loop {
            let scope = self.table.scope(id);
            match scope.parent {
                // A generator expression may await on its own: it becomes asynchronous.
                Some(parent) if scope.kind.is_comprehension() => {
                    if scope.kind == ScopeKind::Generator {
                        return (ScopeKind::Generator, true);
                    }
                    id = parent;
                }
                _ => return (scope.kind, scope.is_async),
            }
        }
    }

    pub(super) fn await_allowed(&self, range: TextRange) -> Outcome {
        let (kind, is_async) = self.asynchronous();
        if is_async {
            return Ok(());
        }
        if self.kind() == ScopeKind::Comprehension {
            return self.error(
                "asynchronous comprehension outside of an asynchronous function",
                self.comprehension_range,
            );
        }
        if matches!(kind, ScopeKind::Function | ScopeKind::Lambda) {
            return self.error("'await' outside async function", range);
        }
        self.error("'await' outside function", range)
    }

    pub(super) fn need_async(&mut self, text: &str, range: TextRange) -> Outcome {
        let scope = self.scope();
        if !(matches!(scope.kind, ScopeKind::Function | ScopeKind::Module) && scope.is_async) {
            return self.error(text, range);
        }
        self.mark_await();
        Ok(())
    }

    /// Notes that the current scope awaits, and with it the comprehensions around.
    pub(super) fn mark_await(&mut self) {
        let mut id = self.current;
        loop {
            let scope = self.table.scope_mut(id);
            scope.has_await = true;
            if scope.kind.is_comprehension() {
                scope.is_async = true;
            }
            match scope.parent {
                Some(parent) if scope.kind == ScopeKind::Comprehension => id = parent,
                _ => return,
            }
        }
    }
}

/// The left part of an expression that is made of a left part and more.
fn left_part(expr: &Expr) -> Option<&Expr> {
    match expr {
        Expr::BinOp(expr) => Some(&expr.left),
        Expr::Call(expr) => Some(&expr.func),
        Expr::Subscript(expr) => Some(&expr.value),
        Expr::Attribute(expr) => Some(&expr.value),
        _ => None,
    }
}
