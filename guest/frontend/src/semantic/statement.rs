//! Statements.

use crate::hash::HashSet;
use rustpython_ast::name::Name;
use rustpython_ast::{
    Alias, ExceptHandler, Expr, Parameters, Stmt, StmtClassDef, StmtFunctionDef, StmtImportFrom,
    StmtReturn, StmtTry, TypeParam, TypeParams,
};
use rustpython_text_size::{Ranged, TextRange};

use super::scope::{Block, ScopeKind};
use super::{Checker, Stage};

/// The features that `from __future__ import` knows.
const FEATURES: [&str; 10] = [
    "nested_scopes",
    "generators",
    "division",
    "absolute_import",
    "with_statement",
    "print_function",
    "unicode_literals",
    "barry_as_FLUFL",
    "generator_stop",
    "annotations",
];

impl Checker<'_> {
    /// The `__future__` imports at the beginning of a module.
    pub(super) fn future_imports(&mut self, body: &[Stmt]) {
        for (index, statement) in body.iter().enumerate() {
            match statement {
                Stmt::ImportFrom(import) if is_future(import) => {
                    self.futures_end = import.range.end().into();
                    for alias in &import.names {
                        self.future_feature(alias, import.range);
                    }
                }
                Stmt::Expr(docstring) if index == 0 && docstring.value.is_string_literal_expr() => {
                }
                _ => return,
            }
        }
    }

    fn future_feature(&mut self, alias: &Alias, range: TextRange) {
        let name = alias.name.as_str();
        // The mark has a start only.
        let at = TextRange::empty(range.start());
        if name == "braces" {
            self.report(Stage::Future, at, "not a chance");
        } else if !FEATURES.contains(&name) {
            let message = format!("future feature {name} is not defined");
            self.report(Stage::Future, at, message);
        }
    }

    pub(super) fn body(&mut self, body: &[Stmt]) {
        for statement in body {
            self.statement(statement);
        }
    }

    fn loop_body(&mut self, body: &[Stmt]) {
        self.scope().blocks.push(Block::Loop);
        self.body(body);
        self.scope().blocks.pop();
    }

    fn statement(&mut self, statement: &Stmt) {
        match statement {
            Stmt::FunctionDef(function) => self.function(function),
            Stmt::ClassDef(class) => self.class(class),
            Stmt::Return(node) => {
                self.return_statement(node);
                self.optional(node.value.as_deref());
            }
            Stmt::Delete(node) => {
                for target in &node.targets {
                    self.delete_target(target);
                }
            }
            Stmt::TypeAlias(alias) => {
                if let Expr::Name(name) = &*alias.name {
                    self.check_name(&name.id, alias.range);
                }
                self.with_type_parameters(alias.type_params.as_deref(), |checker| {
                    checker.in_scope(ScopeKind::TypeAlias, |checker| {
                        checker.expression(&alias.value);
                    });
                });
            }
            Stmt::Assign(node) => {
                self.expression(&node.value);
                for target in &node.targets {
                    self.target(target);
                }
            }
            Stmt::AugAssign(node) => {
                self.target(&node.target);
                self.expression(&node.value);
            }
            Stmt::AnnAssign(node) => {
                if let Expr::Name(name) = &*node.target {
                    self.check_name(&name.id, node.range);
                }
                self.target(&node.target);
                self.annotation(&node.annotation);
                self.optional(node.value.as_deref());
            }
            Stmt::For(node) => {
                if node.is_async && !self.scope().is_async_function() {
                    self.report(
                        Stage::Code,
                        node.range,
                        "'async for' outside async function",
                    );
                }
                self.expression(&node.iter);
                self.target(&node.target);
                self.loop_body(&node.body);
                self.body(&node.orelse);
            }
            Stmt::While(node) => {
                self.expression(&node.test);
                self.loop_body(&node.body);
                self.body(&node.orelse);
            }
            Stmt::If(node) => {
                self.expression(&node.test);
                self.body(&node.body);
                for clause in &node.elif_else_clauses {
                    self.optional(clause.test.as_ref());
                    self.body(&clause.body);
                }
            }
            Stmt::With(node) => {
                if node.is_async && !self.scope().is_async_function() {
                    self.report(
                        Stage::Code,
                        node.range,
                        "'async with' outside async function",
                    );
                }
                for item in &node.items {
                    self.expression(&item.context_expr);
                    if let Some(target) = &item.optional_vars {
                        self.target(target);
                    }
                }
                self.body(&node.body);
            }
            Stmt::Match(node) => self.match_statement(node),
            Stmt::Raise(node) => {
                self.optional(node.exc.as_deref());
                self.optional(node.cause.as_deref());
            }
            Stmt::Try(node) => self.try_statement(node),
            Stmt::Assert(node) => {
                self.expression(&node.test);
                self.optional(node.msg.as_deref());
            }
            Stmt::Import(node) => {
                for alias in &node.names {
                    self.import_name(alias, node.range);
                }
            }
            Stmt::ImportFrom(node) => self.import_from(node),
            Stmt::Expr(node) => self.expression(&node.value),
            Stmt::Break(node) => {
                self.leave(node.range, "'break' outside loop");
            }
            Stmt::Continue(node) => {
                self.leave(node.range, "'continue' not properly in loop");
            }
            Stmt::Global(_) | Stmt::Nonlocal(_) | Stmt::Pass(_) | Stmt::IpyEscapeCommand(_) => {}
        }
    }

    /// `break` or `continue`
    fn leave(&mut self, range: TextRange, outside: &str) {
        match self.scope().blocks.last() {
            Some(Block::Loop) => {}
            Some(Block::ExceptStar) => self.leave_except_star(range),
            None => self.report(Stage::Code, range, outside),
        }
    }

    fn leave_except_star(&mut self, range: TextRange) {
        let message = "'break', 'continue' and 'return' cannot appear in an except* block";
        self.report(Stage::Code, range, message);
    }

    fn return_statement(&mut self, node: &StmtReturn) {
        let range = node.range;
        if !matches!(self.scope().kind, ScopeKind::Function { .. }) {
            self.report(Stage::Code, range, "'return' outside function");
            return;
        }
        if self.scope().blocks.contains(&Block::ExceptStar) {
            let constant = node.value.as_ref().filter(|value| value.is_literal_expr());
            self.leave_except_star(constant.map_or(range, |value| value.range()));
        }
        if node.value.is_some() {
            self.scope().returns.get_or_insert(range);
        }
    }

    fn import_name(&mut self, alias: &Alias, range: TextRange) {
        match &alias.asname {
            Some(name) => self.check_name(name.as_str(), range),
            None => {
                let first = alias.name.as_str().split('.').next().unwrap_or_default();
                self.check_name(first, range);
            }
        }
    }

    fn import_from(&mut self, node: &StmtImportFrom) {
        if is_future(node) && u32::from(node.range.start()) >= self.futures_end {
            let message = "from __future__ imports must occur at the beginning of the file";
            self.report(Stage::Code, node.range, message);
        }
        for alias in &node.names {
            if alias.name.as_str() == "*" {
                if self.scope().kind != ScopeKind::Module {
                    let message = "import * only allowed at module level";
                    self.report(Stage::Symbols, alias.range, message);
                }
                let before = self
                    .source
                    .get(..alias.range.start().to_usize())
                    .unwrap_or_default();
                if before.trim_end().ends_with('(') {
                    self.refuse(alias.range);
                }
            } else {
                self.import_name(alias, node.range);
            }
        }
    }

    fn try_statement(&mut self, node: &StmtTry) {
        self.body(&node.body);
        self.body(&node.orelse);
        let last = node.handlers.len().saturating_sub(1);
        for (index, handler) in node.handlers.iter().enumerate() {
            let ExceptHandler::ExceptHandler(handler) = handler;
            match &handler.type_ {
                Some(kind) => self.expression(kind),
                None if index < last => {
                    self.report(Stage::Code, handler.range, "default 'except:' must be last");
                }
                None => {}
            }
            if let Some(name) = &handler.name {
                self.check_name(name.as_str(), handler.range);
            }
            if node.is_star {
                self.scope().blocks.push(Block::ExceptStar);
            }
            self.body(&handler.body);
            if node.is_star {
                self.scope().blocks.pop();
            }
        }
        self.body(&node.finalbody);
    }

    fn function(&mut self, function: &StmtFunctionDef) {
        for decorator in &function.decorator_list {
            self.expression(&decorator.expression);
        }
        self.defaults(&function.parameters);
        self.check_name(function.name.as_str(), function.range);
        self.with_type_parameters(function.type_params.as_deref(), |checker| {
            for parameter in &*function.parameters {
                if let Some(annotation) = parameter.annotation() {
                    checker.parameter_annotation(annotation);
                }
            }
            if let Some(returns) = &function.returns {
                checker.annotation(returns);
            }
            let kind = ScopeKind::Function {
                is_async: function.is_async,
            };
            let scope = checker.in_scope(kind, |checker| {
                checker.scope().in_iterable = 0;
                checker.parameters(&function.parameters);
                checker.body(&function.body);
            });
            if let (true, true, Some(range)) =
                (function.is_async, scope.is_generator, scope.returns)
            {
                let message = "'return' with value in async generator";
                checker.report(Stage::Code, range, message);
            }
        });
    }

    fn class(&mut self, class: &StmtClassDef) {
        for decorator in &class.decorator_list {
            self.expression(&decorator.expression);
        }
        self.check_name(class.name.as_str(), class.range);
        self.with_type_parameters(class.type_params.as_deref(), |checker| {
            if let Some(arguments) = &class.arguments {
                if let ([Expr::Generator(generator)], []) = (&*arguments.args, &*arguments.keywords)
                    && !generator.parenthesized
                {
                    checker.refuse(generator.range);
                }
                checker.arguments(arguments);
            }
            checker.in_scope(ScopeKind::Class, |checker| {
                checker.scope().in_iterable = 0;
                checker.body(&class.body);
            });
        });
    }

    /// The default values of parameters, which belong to the scope around.
    pub(super) fn defaults(&mut self, parameters: &Parameters) {
        for parameter in parameters.iter_non_variadic_params() {
            self.optional(parameter.default.as_deref());
        }
    }

    /// The names of parameters.
    pub(super) fn parameters(&mut self, parameters: &Parameters) {
        let mut names: HashSet<&Name> = HashSet::default();
        let positional = parameters.posonlyargs.iter().chain(&parameters.args);
        let starred = parameters.vararg.iter().chain(&parameters.kwarg);
        let all = positional
            .chain(&parameters.kwonlyargs)
            .map(|parameter| &parameter.parameter)
            .chain(starred.map(|parameter| &**parameter));
        for parameter in all {
            let name = &parameter.name.id;
            // The stars are no part of it.
            let range = TextRange::new(parameter.name.range.start(), parameter.range.end());
            self.check_name(name, range);
            if !names.insert(name) {
                let message = format!("duplicate argument '{name}' in function definition");
                self.report(Stage::Symbols, range, message);
            }
        }
    }

    fn annotation(&mut self, annotation: &Expr) {
        self.in_scope(ScopeKind::Annotation, |checker| {
            checker.expression(annotation);
        });
    }

    /// The annotation of a parameter, which may be starred.
    fn parameter_annotation(&mut self, annotation: &Expr) {
        match annotation {
            Expr::Starred(starred) => self.annotation(&starred.value),
            _ => self.annotation(annotation),
        }
    }

    /// Runs `inside` within the scope of type parameters, if there are any.
    fn with_type_parameters(
        &mut self,
        parameters: Option<&TypeParams>,
        inside: impl FnOnce(&mut Self),
    ) {
        let Some(parameters) = parameters else {
            return inside(self);
        };
        self.in_scope(ScopeKind::Generic, |checker| {
            checker.type_parameters(parameters);
            inside(checker);
        });
    }

    fn type_parameters(&mut self, parameters: &TypeParams) {
        let mut names: Vec<&Name> = Vec::new();
        let mut defaults = false;
        for parameter in &parameters.type_params {
            let name = &parameter.name().id;
            let range = parameter.range();
            self.check_name(name, range);
            if names.contains(&name) {
                let message = format!("duplicate type parameter '{name}'");
                self.report(Stage::Symbols, range, message);
            }
            names.push(name);
            let (bound, default, what) = match parameter {
                TypeParam::TypeVar(node) => {
                    let what = match node.bound.as_deref() {
                        Some(Expr::Tuple(_)) => "a TypeVar constraint",
                        _ => "a TypeVar bound",
                    };
                    let bound = node.bound.as_deref().map(|bound| (bound, what));
                    (bound, node.default.as_deref(), "a TypeVar default")
                }
                TypeParam::TypeVarTuple(node) => {
                    (None, node.default.as_deref(), "a TypeVarTuple default")
                }
                TypeParam::ParamSpec(node) => {
                    (None, node.default.as_deref(), "a ParamSpec default")
                }
            };
            if let Some((bound, what)) = bound {
                self.in_scope(ScopeKind::TypeVariable(what), |checker| {
                    checker.expression(bound);
                });
            }
            match default {
                Some(default) => {
                    defaults = true;
                    self.in_scope(ScopeKind::TypeVariable(what), |checker| match default {
                        Expr::Starred(starred) => checker.expression(&starred.value),
                        _ => checker.expression(default),
                    });
                }
                None if defaults => {
                    let message = format!(
                        "non-default type parameter '{name}' follows default type parameter"
                    );
                    self.report(Stage::Code, range, message);
                }
                None => {}
            }
        }
    }
}

fn is_future(import: &StmtImportFrom) -> bool {
    import.level == 0
        && import
            .module
            .as_ref()
            .is_some_and(|module| module.as_str() == "__future__")
}
