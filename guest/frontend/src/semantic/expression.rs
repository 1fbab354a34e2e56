//! Expressions and targets.

use rustpython_ast::{
    Arguments, Comprehension, Expr, ExprNamed, FStringPart, InterpolatedStringElement,
    InterpolatedStringElements,
};
use rustpython_text_size::{Ranged, TextRange};

use super::scope::{ComprehensionKind, ScopeKind};
use super::{Checker, Stage};
use crate::ast::leftmost;

impl Checker<'_> {
    pub(super) fn optional(&mut self, expression: Option<&Expr>) {
        if let Some(expression) = expression {
            self.expression(expression);
        }
    }

    /// An expression that is evaluated, and that a star must not precede.
    pub(super) fn expression(&mut self, expression: &Expr) {
        let mut chain = Vec::new();
        let mut base = expression;
        while let Some(next) = leftmost(base) {
            chain.push(base);
            base = next;
        }
        if !chain.is_empty() {
            self.check_yield_parentheses(base);
        }
        self.simple(base);
        for link in chain.into_iter().rev() {
            match link {
                Expr::BinOp(node) => self.expression(&node.right),
                Expr::Subscript(node) => self.slice(&node.slice),
                Expr::Call(node) => self.arguments(&node.arguments),
                _ => {}
            }
        }
    }

    /// An expression that does not begin with another one.
    fn simple(&mut self, expression: &Expr) {
        match expression {
            Expr::BoolOp(node) => {
                if let Some(first) = node.values.first() {
                    self.check_yield_parentheses(first);
                }
                node.values.iter().for_each(|value| self.expression(value));
            }
            Expr::Named(node) => self.named(node),
            Expr::UnaryOp(node) => self.expression(&node.operand),
            Expr::Lambda(node) => {
                if let Some(parameters) = &node.parameters {
                    self.defaults(parameters);
                }
                self.in_scope(ScopeKind::Lambda, |checker| {
                    if let Some(parameters) = &node.parameters {
                        checker.parameters(parameters);
                    }
                    checker.expression(&node.body);
                });
            }
            Expr::If(node) => {
                self.check_yield_parentheses(&node.body);
                self.expression(&node.test);
                self.expression(&node.body);
                self.expression(&node.orelse);
            }
            Expr::Dict(node) => {
                for item in &node.items {
                    self.optional(item.key.as_ref());
                    self.expression(&item.value);
                }
            }
            Expr::Set(node) => self.elements(&node.elts),
            Expr::List(node) => self.elements(&node.elts),
            Expr::Tuple(node) => self.elements(&node.elts),
            Expr::ListComp(node) => {
                let kind = ComprehensionKind::List;
                self.comprehension(kind, node.range, &node.generators, &[&node.elt]);
            }
            Expr::SetComp(node) => {
                let kind = ComprehensionKind::Set;
                self.comprehension(kind, node.range, &node.generators, &[&node.elt]);
            }
            Expr::DictComp(node) => {
                let kind = ComprehensionKind::Dict;
                let elements = [&*node.value, &*node.key];
                self.comprehension(kind, node.range, &node.generators, &elements);
            }
            Expr::Generator(node) => {
                let kind = ComprehensionKind::Generator;
                self.comprehension(kind, node.range, &node.generators, &[&node.elt]);
            }
            Expr::Await(node) => {
                self.await_expression(node.range);
                self.expression(&node.value);
            }
            Expr::Yield(node) => {
                self.yield_expression(node.range, "'yield' outside function");
                self.optional(node.value.as_deref());
            }
            Expr::YieldFrom(node) => {
                self.yield_expression(node.range, "'yield from' outside function");
                if self.scope().is_async_function() {
                    let message = "'yield from' inside async function";
                    self.report(Stage::Code, node.range, message);
                }
                self.expression(&node.value);
            }
            Expr::Compare(node) => {
                self.check_yield_parentheses(&node.left);
                self.expression(&node.left);
                node.comparators
                    .iter()
                    .for_each(|value| self.expression(value));
            }
            Expr::FString(node) => {
                for part in node.value.as_slice() {
                    if let FStringPart::FString(part) = part {
                        self.interpolations(&part.elements);
                    }
                }
            }
            Expr::TString(node) => {
                for part in node.value.as_slice() {
                    self.interpolations(&part.elements);
                }
            }
            Expr::Starred(node) => {
                let message = "can't use starred expression here";
                self.report(Stage::Code, node.range, message);
                self.expression(&node.value);
            }
            Expr::Slice(node) => {
                self.optional(node.lower.as_deref());
                self.optional(node.upper.as_deref());
                self.optional(node.step.as_deref());
            }
            _ => {}
        }
    }

    /// Elements of a display, which may be starred.
    fn elements(&mut self, elements: &[Expr]) {
        for element in elements {
            match element {
                Expr::Starred(starred) => self.expression(&starred.value),
                _ => {
                    self.check_yield_parentheses(element);
                    self.expression(element);
                }
            }
        }
    }

    /// Among other elements or operands, `yield` needs parentheses of its own.
    fn check_yield_parentheses(&mut self, expression: &Expr) {
        if !matches!(expression, Expr::Yield(_) | Expr::YieldFrom(_)) {
            return;
        }
        let before = self
            .source
            .get(..expression.start().to_usize())
            .unwrap_or_default();
        if !before.trim_end().ends_with('(') {
            self.refuse(expression.range());
        }
    }

    /// What stands in the brackets of a subscript: a single starred item counts as a tuple.
    fn slice(&mut self, slice: &Expr) {
        self.elements(std::slice::from_ref(slice));
    }

    fn interpolations(&mut self, elements: &InterpolatedStringElements) {
        for element in elements {
            if let InterpolatedStringElement::Interpolation(field) = element {
                self.expression(&field.expression);
                if let Some(spec) = &field.format_spec {
                    self.interpolations(&spec.elements);
                }
            }
        }
    }

    pub(super) fn arguments(&mut self, arguments: &Arguments) {
        self.elements(&arguments.args);
        for (index, keyword) in arguments.keywords.iter().enumerate() {
            if let Some(name) = &keyword.arg {
                self.check_name(name.as_str(), keyword.range);
                let before = &arguments.keywords[..index];
                if before
                    .iter()
                    .any(|other| other.arg.as_ref().is_some_and(|other| other.id == name.id))
                {
                    let message = format!("keyword argument repeated: {}", name.as_str());
                    self.report(Stage::Code, keyword.range, message);
                }
            }
            self.expression(&keyword.value);
        }
    }

    /// Reports an expression that cannot stand in an annotation or the like.
    fn forbidden_in_annotation(&mut self, what: &str, range: TextRange) {
        let place = match self.scope().kind {
            ScopeKind::Annotation => "an annotation",
            ScopeKind::TypeVariable(place) => place,
            ScopeKind::TypeAlias => "a type alias",
            ScopeKind::Generic => "the definition of a generic",
            _ => return,
        };
        let message = format!("{what} cannot be used within {place}");
        self.report(Stage::Symbols, range, message);
    }

    fn await_expression(&mut self, range: TextRange) {
        self.forbidden_in_annotation("await expression", range);
        self.scope().is_coroutine = true;
        match self.scope().kind {
            ScopeKind::Module | ScopeKind::Class => {
                self.report(Stage::Code, range, "'await' outside function");
            }
            ScopeKind::Lambda | ScopeKind::Function { is_async: false } => {
                self.report(Stage::Code, range, "'await' outside async function");
            }
            _ => {}
        }
    }

    fn yield_expression(&mut self, range: TextRange, outside: &str) {
        self.forbidden_in_annotation("yield expression", range);
        self.scope().is_generator = true;
        match self.scope().kind {
            ScopeKind::Module | ScopeKind::Class => self.report(Stage::Code, range, outside),
            ScopeKind::Comprehension(kind) => {
                let message = format!("'yield' inside {}", kind.describe());
                self.report(Stage::Symbols, range, message);
            }
            _ => {}
        }
    }

    fn named(&mut self, node: &ExprNamed) {
        if self.scope().in_iterable > 0 {
            let message =
                "assignment expression cannot be used in a comprehension iterable expression";
            self.report(Stage::Symbols, node.range, message);
        } else {
            self.forbidden_in_annotation("named expression", node.range);
        }
        self.expression(&node.value);
        if let Expr::Name(name) = &*node.target {
            self.check_name(&name.id, name.range);
            if matches!(self.scope().kind, ScopeKind::Comprehension(_)) {
                self.named_in_comprehension(node);
            }
        }
    }

    /// The target of `:=` in a comprehension belongs to the scope around all comprehensions.
    fn named_in_comprehension(&mut self, node: &ExprNamed) {
        let Expr::Name(target) = &*node.target else {
            return;
        };
        let name = &target.id;
        self.scope().assigned.push(name.clone());
        let mut message = None;
        for scope in self.scopes.iter().rev() {
            match scope.kind {
                ScopeKind::Comprehension(_) if scope.targets.contains(name) => {
                    message = Some(format!(
                        "assignment expression cannot rebind comprehension iteration \
                         variable '{name}'"
                    ));
                }
                ScopeKind::Comprehension(_) => continue,
                ScopeKind::Class => {
                    let text = "assignment expression within a comprehension cannot be used \
                                in a class body";
                    message = Some(text.to_owned());
                }
                ScopeKind::Annotation => {
                    let text = "named expression cannot be used within an annotation";
                    message = Some(text.to_owned());
                }
                ScopeKind::TypeVariable(_) => {
                    let text = "assignment expression within a comprehension cannot be used \
                                in a TypeVar bound";
                    message = Some(text.to_owned());
                }
                ScopeKind::TypeAlias => {
                    let text = "assignment expression within a comprehension cannot be used \
                                in a type alias";
                    message = Some(text.to_owned());
                }
                ScopeKind::Generic => {
                    let text = "assignment expression within a comprehension cannot be used \
                                within the definition of a generic";
                    message = Some(text.to_owned());
                }
                ScopeKind::Module | ScopeKind::Function { .. } | ScopeKind::Lambda => {}
            }
            break;
        }
        if let Some(message) = message {
            self.report(Stage::Symbols, target.range, message);
        }
    }

    fn comprehension(
        &mut self,
        kind: ComprehensionKind,
        range: TextRange,
        generators: &[Comprehension],
        elements: &[&Expr],
    ) {
        // The first iterable is evaluated in the scope around.
        if let Some(first) = generators.first() {
            self.iterable(&first.iter);
        }
        let scope = self.in_scope(ScopeKind::Comprehension(kind), |checker| {
            for (index, generator) in generators.iter().enumerate() {
                checker.scope().is_coroutine |= generator.is_async;
                checker.loop_target(&generator.target);
                if index > 0 {
                    checker.iterable(&generator.iter);
                }
                for condition in &generator.ifs {
                    checker.expression(condition);
                }
            }
            for element in elements {
                checker.elements(std::slice::from_ref(*element));
            }
        });
        if !scope.is_coroutine || kind == ComprehensionKind::Generator {
            return;
        }
        let outer = self.scope();
        if matches!(outer.kind, ScopeKind::Comprehension(_)) {
            outer.is_coroutine = true;
        } else if !outer.is_async_function() {
            let message = "asynchronous comprehension outside of an asynchronous function";
            self.report(Stage::Code, range, message);
        }
    }

    fn iterable(&mut self, iterable: &Expr) {
        self.scope().in_iterable += 1;
        self.expression(iterable);
        let scope = self.scope();
        scope.in_iterable = scope.in_iterable.saturating_sub(1);
    }

    /// The target of a comprehension's loop: its names are iteration variables.
    fn loop_target(&mut self, target: &Expr) {
        match target {
            Expr::Name(name) => {
                if self.scope().assigned.contains(&name.id) {
                    let message = format!(
                        "comprehension inner loop cannot rebind assignment expression target '{}'",
                        name.id
                    );
                    self.report(Stage::Symbols, name.range, message);
                }
                self.scope().targets.push(name.id.clone());
                self.check_name(&name.id, name.range);
            }
            Expr::Tuple(node) => self.loop_targets(&node.elts, node.range),
            Expr::List(node) => self.loop_targets(&node.elts, node.range),
            _ => self.target(target),
        }
    }

    fn loop_targets(&mut self, targets: &[Expr], range: TextRange) {
        self.check_stars(targets, range);
        for target in targets {
            match target {
                Expr::Starred(starred) => self.loop_target(&starred.value),
                _ => self.loop_target(target),
            }
        }
    }

    /// A place that is assigned to.
    pub(super) fn target(&mut self, target: &Expr) {
        match target {
            Expr::Name(name) => self.check_name(&name.id, name.range),
            Expr::Attribute(node) => {
                self.check_name(node.attr.as_str(), node.range);
                self.expression(&node.value);
            }
            Expr::Subscript(node) => {
                self.expression(&node.value);
                self.slice(&node.slice);
            }
            Expr::Tuple(node) => self.targets(&node.elts, node.range),
            Expr::List(node) => self.targets(&node.elts, node.range),
            Expr::Starred(node) => {
                let message = "starred assignment target must be in a list or tuple";
                self.report(Stage::Code, node.range, message);
                self.target(&node.value);
            }
            _ => self.expression(target),
        }
    }

    fn targets(&mut self, targets: &[Expr], range: TextRange) {
        self.check_stars(targets, range);
        for target in targets {
            match target {
                Expr::Starred(starred) => self.target(&starred.value),
                _ => self.target(target),
            }
        }
    }

    fn check_stars(&mut self, targets: &[Expr], range: TextRange) {
        let stars = targets.iter().filter(|target| target.is_starred_expr());
        if stars.count() > 1 {
            let message = "multiple starred expressions in assignment";
            self.report(Stage::Code, range, message);
        }
    }

    pub(super) fn delete_target(&mut self, target: &Expr) {
        match target {
            Expr::Name(name) if name.id.as_str() == "__debug__" => {
                self.report(Stage::Code, target.range(), "cannot delete __debug__");
            }
            Expr::Tuple(node) => node.elts.iter().for_each(|part| self.delete_target(part)),
            Expr::List(node) => node.elts.iter().for_each(|part| self.delete_target(part)),
            _ => self.expression(target),
        }
    }
}
