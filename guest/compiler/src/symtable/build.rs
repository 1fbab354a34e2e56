//! First pass: finds the scopes and how each uses its names, and raises the errors that only need context.

use std::collections::HashMap;

use coldframe_frontend::ast::{self, Expr, ExprContext, Pattern, Ranged, Stmt, TextRange};
use coldframe_frontend::{ErrorKind, LineIndex, SyntaxError};

use super::scope::{Annotated, Part, Scope, ScopeId, ScopeKind, Sym, Table, address, flag};

/// The error is boxed because visits nest deeply.
type Outcome = Result<(), Box<SyntaxError>>;

/// What surrounds the statement that is being visited, within its function.
#[derive(Clone, Copy, Default)]
struct Surroundings {
    in_loop: bool,
    /// Within an `except*` block, and not in a loop inside it.
    in_except_star: bool,
    conditional: bool,
}

pub(super) struct Builder<'a> {
    pub table: Table<'a>,
    lines: &'a LineIndex,
    future_annotations: bool,
    current: ScopeId,
    around: Surroundings,
    /// How many comprehension iterables enclose the expression, in this scope.
    in_comprehension_iterable: u32,
    /// The kind of comprehension around the expression, for error texts.
    comprehension: &'static str,
    /// The innermost comprehension.
    comprehension_range: TextRange,
    /// What an annotation scope is part of, for error texts.
    annotation: &'static str,
    /// `return` with a value, to be checked when the function turns out to be an async generator.
    valued_return: Option<TextRange>,
}

impl<'a> Builder<'a> {
    pub fn new(lines: &'a LineIndex, future_annotations: bool) -> Builder<'a> {
        let mut builder = Builder {
            table: Table::new(),
            lines,
            future_annotations,
            current: ScopeId(0),
            around: Surroundings::default(),
            in_comprehension_iterable: 0,
            comprehension: "",
            comprehension_range: TextRange::default(),
            annotation: "",
            valued_return: None,
        };
        builder.push(ScopeKind::Module, None);
        builder
    }

    fn error(&self, message: impl Into<String>, range: TextRange) -> Outcome {
        Err(Box::new(SyntaxError::at(
            ErrorKind::Syntax,
            message,
            self.lines,
            range.start().to_usize(),
            range.end().to_usize(),
        )))
    }

    // ---- scopes

    fn push(&mut self, kind: ScopeKind, parent: Option<ScopeId>) -> ScopeId {
        let id = ScopeId(self.table.scopes.len() as u32);
        let (class_name, nested, parent_sees) = match parent {
            None => (None, false, false),
            Some(parent) => {
                let parent = self.table.scope(parent);
                (
                    parent.class_name,
                    parent.nested || parent.kind.is_function(),
                    parent.kind == ScopeKind::Class || parent.sees_class,
                )
            }
        };
        let sees_class = kind.is_annotation() && parent_sees;
        let parent_direct = parent.is_some_and(|parent| self.table.scope(parent).sees_class);
        let scope = Scope {
            kind,
            parent,
            class_name,
            symbols: Vec::new(),
            index: HashMap::new(),
            params: Vec::new(),
            is_async: false,
            is_generator: false,
            has_await: false,
            inlined: kind == ScopeKind::Comprehension && !parent_direct,
            sees_class,
            nested,
            needs_class: false,
            needs_classdict: false,
            needs_conditional: false,
            annotated: Vec::new(),
            annotations: None,
            static_attributes: Vec::new(),
            walrus: Default::default(),
            free: Vec::new(),
            registers: HashMap::new(),
            varnames: Vec::new(),
            cells: Vec::new(),
        };
        self.table.scopes.push(scope);
        if sees_class {
            let classdict = self.table.known.classdict;
            self.table.scope_mut(id).add(classdict, flag::USED);
        }
        id
    }

    /// Opens the scope of `node`, runs `visit` in it and comes back.
    fn within<N>(
        &mut self,
        kind: ScopeKind,
        node: &N,
        part: Part,
        visit: impl FnOnce(&mut Self, ScopeId) -> Outcome,
    ) -> Outcome {
        let id = self.push(kind, Some(self.current));
        self.table.by_node.insert((address(node), part), id);
        self.inside(id, visit)
    }

    fn inside(
        &mut self,
        id: ScopeId,
        visit: impl FnOnce(&mut Self, ScopeId) -> Outcome,
    ) -> Outcome {
        let current = std::mem::replace(&mut self.current, id);
        let around = std::mem::take(&mut self.around);
        let iterable = std::mem::take(&mut self.in_comprehension_iterable);
        let valued_return = self.valued_return.take();
        let outcome = visit(self, id);
        self.current = current;
        self.around = around;
        self.in_comprehension_iterable = iterable;
        self.valued_return = valued_return;
        outcome
    }

    fn scope(&mut self) -> &mut Scope<'a> {
        self.table.scope_mut(self.current)
    }

    fn kind(&self) -> ScopeKind {
        self.table.scope(self.current).kind
    }

    fn mangled(&mut self, name: &str) -> Sym {
        let class = self.table.scope(self.current).class_name;
        self.table.mangle(class, name)
    }

    // ---- names

    fn add(&mut self, name: &str, flags: u16, range: TextRange) -> Outcome {
        if name == "__debug__" && flags & flag::USED == 0 {
            return self.error("cannot assign to __debug__", range);
        }
        let sym = self.mangled(name);
        self.scope().add(sym, flags);
        Ok(())
    }

    fn bind(&mut self, name: &ast::Identifier) -> Outcome {
        self.add(name.as_str(), flag::ASSIGNED, name.range)
    }

    fn name(&mut self, name: &'a ast::ExprName) -> Outcome {
        match name.ctx {
            ExprContext::Store | ExprContext::Invalid => {
                self.add(name.id.as_str(), flag::ASSIGNED, name.range)
            }
            ExprContext::Del => {
                if name.id.as_str() == "__debug__" {
                    return self.error("cannot delete __debug__", name.range);
                }
                self.add(name.id.as_str(), flag::ASSIGNED, name.range)
            }
            ExprContext::Load => {
                self.add(name.id.as_str(), flag::USED, name.range)?;
                if name.id.as_str() == "super" && self.kind().is_function() {
                    let class = self.table.known.class;
                    self.scope().add(class, flag::USED);
                }
                Ok(())
            }
        }
    }

    /// `global` and `nonlocal`.
    fn declare(&mut self, names: &[ast::Identifier], range: TextRange, global: bool) -> Outcome {
        let word = if global { "global" } else { "nonlocal" };
        if !global && self.kind() == ScopeKind::Module {
            return self.error("nonlocal declaration not allowed at module level", range);
        }
        for name in names {
            let sym = self.mangled(name.as_str());
            let flags = self.scope().flags(sym);
            if flags & flag::PARAM != 0 {
                return self.error(format!("name '{name}' is parameter and {word}"), range);
            }
            if flags & flag::USED != 0 {
                return self.error(
                    format!("name '{name}' is used prior to {word} declaration"),
                    range,
                );
            }
            if flags & flag::ANNOTATED != 0 {
                return self.error(format!("annotated name '{name}' can't be {word}"), range);
            }
            if flags & (flag::ASSIGNED | flag::TYPE_PARAM) != 0 {
                return self.error(
                    format!("name '{name}' is assigned to before {word} declaration"),
                    range,
                );
            }
            let added = if global { flag::GLOBAL } else { flag::NONLOCAL };
            if flags & (flag::GLOBAL | flag::NONLOCAL) & !added != 0 {
                return self.error(format!("name '{name}' is nonlocal and global"), range);
            }
            self.scope().add(sym, added);
        }
        Ok(())
    }

    // ---- statements

    pub fn module(&mut self, body: &'a [Stmt]) -> Outcome {
        self.body(body)
    }

    fn body(&mut self, body: &'a [Stmt]) -> Outcome {
        body.iter().try_for_each(|statement| self.stmt(statement))
    }

    /// Visits statements that need not be executed.
    fn block(&mut self, body: &'a [Stmt]) -> Outcome {
        let conditional = std::mem::replace(&mut self.around.conditional, true);
        let outcome = self.body(body);
        self.around.conditional = conditional;
        outcome
    }

    fn loop_body(&mut self, body: &'a [Stmt]) -> Outcome {
        let around = self.around;
        self.around.in_loop = true;
        self.around.in_except_star = false;
        let outcome = self.block(body);
        self.around = around;
        outcome
    }

    fn stmt(&mut self, statement: &'a Stmt) -> Outcome {
        match statement {
            Stmt::FunctionDef(def) => self.function_def(def),
            Stmt::ClassDef(def) => self.class_def(def),
            Stmt::Return(ret) => self.return_stmt(ret),
            Stmt::Delete(del) => del.targets.iter().try_for_each(|target| self.expr(target)),
            Stmt::TypeAlias(alias) => self.type_alias(alias),
            Stmt::Assign(assign) => {
                self.expr(&assign.value)?;
                for target in &assign.targets {
                    self.target(target)?;
                }
                Ok(())
            }
            Stmt::AugAssign(assign) => {
                self.expr(&assign.target)?;
                self.expr(&assign.value)
            }
            Stmt::AnnAssign(assign) => self.ann_assign(assign),
            Stmt::For(stmt) => {
                if stmt.is_async {
                    self.need_async("'async for' outside async function", stmt.range)?;
                }
                self.expr(&stmt.iter)?;
                self.target(&stmt.target)?;
                self.loop_body(&stmt.body)?;
                self.block(&stmt.orelse)
            }
            Stmt::While(stmt) => {
                self.expr(&stmt.test)?;
                self.loop_body(&stmt.body)?;
                self.block(&stmt.orelse)
            }
            Stmt::If(stmt) => {
                self.expr(&stmt.test)?;
                self.block(&stmt.body)?;
                for clause in &stmt.elif_else_clauses {
                    if let Some(test) = &clause.test {
                        self.expr(test)?;
                    }
                    self.block(&clause.body)?;
                }
                Ok(())
            }
            Stmt::With(stmt) => {
                if stmt.is_async {
                    self.need_async("'async with' outside async function", stmt.range)?;
                }
                for item in &stmt.items {
                    self.expr(&item.context_expr)?;
                    if let Some(target) = &item.optional_vars {
                        self.target(target)?;
                    }
                }
                self.block(&stmt.body)
            }
            Stmt::Match(stmt) => {
                self.expr(&stmt.subject)?;
                for case in &stmt.cases {
                    self.pattern(&case.pattern)?;
                    if let Some(guard) = &case.guard {
                        self.expr(guard)?;
                    }
                    self.block(&case.body)?;
                }
                Ok(())
            }
            Stmt::Raise(stmt) => {
                self.optional(stmt.exc.as_deref())?;
                self.optional(stmt.cause.as_deref())
            }
            Stmt::Try(stmt) => self.try_stmt(stmt),
            Stmt::Assert(stmt) => {
                self.expr(&stmt.test)?;
                self.optional(stmt.msg.as_deref())
            }
            Stmt::Import(stmt) => stmt.names.iter().try_for_each(|alias| self.alias(alias)),
            Stmt::ImportFrom(stmt) => {
                for alias in &stmt.names {
                    if alias.name.as_str() == "*" {
                        if self.kind() != ScopeKind::Module {
                            return self
                                .error("import * only allowed at module level", alias.range);
                        }
                    } else {
                        self.alias(alias)?;
                    }
                }
                Ok(())
            }
            Stmt::Global(stmt) => self.declare(&stmt.names, stmt.range, true),
            Stmt::Nonlocal(stmt) => self.declare(&stmt.names, stmt.range, false),
            Stmt::Expr(stmt) => self.expr(&stmt.value),
            Stmt::Pass(_) => Ok(()),
            Stmt::Break(stmt) => {
                if self.around.in_except_star {
                    return self.in_except_star(stmt.range);
                }
                if !self.around.in_loop {
                    return self.error("'break' outside loop", stmt.range);
                }
                Ok(())
            }
            Stmt::Continue(stmt) => {
                if self.around.in_except_star {
                    return self.in_except_star(stmt.range);
                }
                if !self.around.in_loop {
                    return self.error("'continue' not properly in loop", stmt.range);
                }
                Ok(())
            }
            Stmt::IpyEscapeCommand(stmt) => self.error("invalid syntax", stmt.range),
        }
    }

    fn in_except_star(&self, range: TextRange) -> Outcome {
        self.error(
            "'break', 'continue' and 'return' cannot appear in an except* block",
            range,
        )
    }

    fn return_stmt(&mut self, stmt: &'a ast::StmtReturn) -> Outcome {
        if !matches!(self.kind(), ScopeKind::Function) {
            return self.error("'return' outside function", stmt.range);
        }
        if self.around.in_except_star {
            return self.in_except_star(stmt.range);
        }
        if stmt.value.is_some() && self.valued_return.is_none() {
            self.valued_return = Some(stmt.range);
        }
        self.optional(stmt.value.as_deref())
    }

    fn try_stmt(&mut self, stmt: &'a ast::StmtTry) -> Outcome {
        self.block(&stmt.body)?;
        let count = stmt.handlers.len();
        for (index, handler) in stmt.handlers.iter().enumerate() {
            let ast::ExceptHandler::ExceptHandler(handler) = handler;
            match &handler.type_ {
                Some(class) => self.expr(class)?,
                None if index + 1 < count => {
                    return self.error("default 'except:' must be last", handler.range);
                }
                None => {}
            }
            if let Some(name) = &handler.name {
                self.bind(name)?;
            }
            let around = self.around;
            if stmt.is_star {
                self.around.in_except_star = true;
            }
            let outcome = self.block(&handler.body);
            self.around = around;
            outcome?;
        }
        self.block(&stmt.orelse)?;
        self.block(&stmt.finalbody)
    }

    fn alias(&mut self, alias: &'a ast::Alias) -> Outcome {
        let (name, range) = match &alias.asname {
            Some(name) => (name.as_str(), name.range),
            None => {
                let name = alias.name.as_str();
                (name.split('.').next().unwrap_or(name), alias.name.range)
            }
        };
        self.add(name, flag::IMPORTED, range)
    }

    fn ann_assign(&mut self, stmt: &'a ast::StmtAnnAssign) -> Outcome {
        self.optional(stmt.value.as_deref())?;
        if let Expr::Name(name) = &*stmt.target {
            let sym = self.mangled(name.id.as_str());
            let flags = self.scope().flags(sym);
            if stmt.simple
                && flags & (flag::GLOBAL | flag::NONLOCAL) != 0
                && self.kind() != ScopeKind::Module
            {
                let word = if flags & flag::GLOBAL != 0 {
                    "global"
                } else {
                    "nonlocal"
                };
                let text = format!("annotated name '{}' can't be {word}", name.id);
                return self.error(text, stmt.range);
            }
            if stmt.simple {
                self.add(
                    name.id.as_str(),
                    flag::ANNOTATED | flag::ASSIGNED,
                    name.range,
                )?;
            } else if stmt.value.is_some() {
                self.add(name.id.as_str(), flag::ASSIGNED, name.range)?;
            }
            if stmt.simple && !self.kind().is_function() {
                let conditional = self.around.conditional || self.kind() == ScopeKind::Module;
                self.scope().annotated.push(Annotated {
                    statement: stmt,
                    conditional,
                });
                if !self.future_annotations {
                    return self.body_annotation(&stmt.annotation, conditional);
                }
            }
            return Ok(());
        }
        self.expr(&stmt.target)
    }

    /// The annotation of a name in a module or class body.
    fn body_annotation(&mut self, annotation: &'a Expr, conditional: bool) -> Outcome {
        let id = match self.scope().annotations {
            Some(id) => id,
            None => {
                let id = self.push(ScopeKind::Annotations, Some(self.current));
                self.format_parameter(id);
                self.scope().annotations = Some(id);
                id
            }
        };
        if conditional {
            let name = self.table.known.conditional;
            if self.kind() == ScopeKind::Class {
                self.scope().needs_conditional = true;
            } else {
                self.scope().add(name, flag::ASSIGNED);
            }
            self.table.scope_mut(id).add(name, flag::USED);
        }
        self.inside(id, |this, _| {
            this.annotation = "an annotation";
            this.expr(annotation)
        })
    }

    /// The parameter of an annotation scope; its name cannot clash with one of the source.
    fn format_parameter(&mut self, id: ScopeId) {
        let name = self.table.names.intern(".format");
        let scope = self.table.scope_mut(id);
        scope.add(name, flag::PARAM);
        scope.params.push(name);
    }

    // ---- definitions

    fn function_def(&mut self, def: &'a ast::StmtFunctionDef) -> Outcome {
        self.bind(&def.name)?;
        for decorator in &def.decorator_list {
            self.expr(&decorator.expression)?;
        }
        self.defaults(&def.parameters)?;
        match &def.type_params {
            Some(params) => {
                self.within(ScopeKind::TypeParams, def, Part::TypeParams, |this, id| {
                    this.type_params(params, id)?;
                    let (defaults, kwdefaults) =
                        (this.table.known.defaults, this.table.known.kwdefaults);
                    let has = |mut list: std::slice::Iter<'_, ast::ParameterWithDefault>| {
                        list.any(|param| param.default.is_some())
                    };
                    let parameters = &*def.parameters;
                    let scope = this.table.scope_mut(id);
                    if has(parameters.posonlyargs.iter()) || has(parameters.args.iter()) {
                        scope.add(defaults, flag::PARAM);
                        scope.params.push(defaults);
                    }
                    if has(parameters.kwonlyargs.iter()) {
                        scope.add(kwdefaults, flag::PARAM);
                        scope.params.push(kwdefaults);
                    }
                    this.function_scopes(def)
                })
            }
            None => self.function_scopes(def),
        }
    }

    fn function_scopes(&mut self, def: &'a ast::StmtFunctionDef) -> Outcome {
        let annotated = def.returns.is_some()
            || def
                .parameters
                .iter()
                .any(|param| param.as_parameter().annotation.is_some());
        if annotated {
            self.within(
                ScopeKind::Annotations,
                def,
                Part::Annotations,
                |this, id| {
                    this.format_parameter(id);
                    if this.future_annotations {
                        return Ok(());
                    }
                    this.annotation = "an annotation";
                    for param in def.parameters.iter_source_order() {
                        if let Some(annotation) = &param.as_parameter().annotation {
                            match &**annotation {
                                Expr::Starred(starred) => this.expr(&starred.value)?,
                                annotation => this.expr(annotation)?,
                            }
                        }
                    }
                    this.optional(def.returns.as_deref())
                },
            )?;
        }
        self.within(ScopeKind::Function, def, Part::Body, |this, id| {
            this.scope().is_async = def.is_async;
            this.parameters(&def.parameters)?;
            this.body(&def.body)?;
            let scope = this.table.scope(id);
            if scope.is_async
                && scope.is_generator
                && let Some(range) = this.valued_return
            {
                return this.error("'return' with value in async generator", range);
            }
            Ok(())
        })
    }

    fn defaults(&mut self, parameters: &'a ast::Parameters) -> Outcome {
        let all = parameters
            .posonlyargs
            .iter()
            .chain(&parameters.args)
            .chain(&parameters.kwonlyargs);
        for param in all {
            self.optional(param.default.as_deref())?;
        }
        Ok(())
    }

    fn parameters(&mut self, parameters: &'a ast::Parameters) -> Outcome {
        let plain = parameters
            .posonlyargs
            .iter()
            .chain(&parameters.args)
            .chain(&parameters.kwonlyargs)
            .map(|param| &param.parameter);
        let all = plain
            .chain(parameters.vararg.as_deref())
            .chain(parameters.kwarg.as_deref());
        for param in all {
            let name = param.name.as_str();
            if name == "__debug__" {
                return self.error("cannot assign to __debug__", param.range);
            }
            let sym = self.mangled(name);
            if self.scope().flags(sym) & flag::PARAM != 0 {
                let text = format!("duplicate parameter '{name}' in function definition");
                return self.error(text, param.name.range);
            }
            let scope = self.scope();
            scope.add(sym, flag::PARAM);
            scope.params.push(sym);
        }
        Ok(())
    }

    fn class_def(&mut self, def: &'a ast::StmtClassDef) -> Outcome {
        self.bind(&def.name)?;
        for decorator in &def.decorator_list {
            self.expr(&decorator.expression)?;
        }
        match &def.type_params {
            Some(params) => {
                self.within(ScopeKind::TypeParams, def, Part::TypeParams, |this, id| {
                    // Type parameters mangle their names as the class does.
                    let class = this.table.names.intern(def.name.as_str());
                    this.scope().class_name = Some(class);
                    this.type_params(params, id)?;
                    let known = this.table.known;
                    this.scope().add(known.type_params, flag::ASSIGNED);
                    this.scope().add(known.generic_base, flag::ASSIGNED);
                    this.annotation = "the definition of a generic";
                    this.class_arguments(def)?;
                    this.class_scope(def)
                })
            }
            None => {
                self.class_arguments(def)?;
                self.class_scope(def)
            }
        }
    }

    fn class_arguments(&mut self, def: &'a ast::StmtClassDef) -> Outcome {
        match &def.arguments {
            Some(arguments) => self.arguments(arguments),
            None => Ok(()),
        }
    }

    fn class_scope(&mut self, def: &'a ast::StmtClassDef) -> Outcome {
        self.within(ScopeKind::Class, def, Part::Body, |this, _| {
            let class = this.table.names.intern(def.name.as_str());
            this.scope().class_name = Some(class);
            if def.type_params.is_some() {
                let type_params = this.table.known.type_params;
                this.scope().add(type_params, flag::USED);
            }
            this.body(&def.body)
        })
    }

    fn type_alias(&mut self, alias: &'a ast::StmtTypeAlias) -> Outcome {
        self.expr(&alias.name)?;
        let value = |this: &mut Self| {
            this.within(ScopeKind::TypeAlias, alias, Part::Value, |this, id| {
                this.format_parameter(id);
                this.annotation = "a type alias";
                this.expr(&alias.value)
            })
        };
        match &alias.type_params {
            Some(params) => self.within(
                ScopeKind::TypeParams,
                alias,
                Part::TypeParams,
                |this, id| {
                    this.type_params(params, id)?;
                    value(this)
                },
            ),
            None => value(self),
        }
    }

    fn type_params(&mut self, params: &'a ast::TypeParams, id: ScopeId) -> Outcome {
        let mut default_seen = false;
        for param in &params.type_params {
            let (name, default, what) = match param {
                ast::TypeParam::TypeVar(param) => {
                    (&param.name, &param.default, "a TypeVar default")
                }
                ast::TypeParam::ParamSpec(param) => {
                    (&param.name, &param.default, "a ParamSpec default")
                }
                ast::TypeParam::TypeVarTuple(param) => {
                    (&param.name, &param.default, "a TypeVarTuple default")
                }
            };
            let sym = self.mangled(name.as_str());
            if self.table.scope(id).flags(sym) & flag::TYPE_PARAM != 0 {
                return self.error(format!("duplicate type parameter '{name}'"), name.range);
            }
            self.table
                .scope_mut(id)
                .add(sym, flag::TYPE_PARAM | flag::ASSIGNED);
            if let ast::TypeParam::TypeVar(var) = param
                && let Some(bound) = &var.bound
            {
                let what = if bound.is_tuple_expr() {
                    "a TypeVar constraint"
                } else {
                    "a TypeVar bound"
                };
                self.within(ScopeKind::TypeVariable, param, Part::Bound, |this, id| {
                    this.format_parameter(id);
                    this.annotation = what;
                    this.expr(bound)
                })?;
            }
            match default {
                Some(default) => {
                    default_seen = true;
                    self.within(ScopeKind::TypeVariable, param, Part::Default, |this, id| {
                        this.format_parameter(id);
                        this.annotation = what;
                        match &**default {
                            Expr::Starred(starred) => this.expr(&starred.value),
                            default => this.expr(default),
                        }
                    })?;
                }
                None if default_seen => {
                    let text = format!(
                        "non-default type parameter '{name}' follows default type parameter"
                    );
                    return self.error(text, param.range());
                }
                None => {}
            }
        }
        Ok(())
    }

    // ---- expressions

    fn optional(&mut self, expr: Option<&'a Expr>) -> Outcome {
        match expr {
            Some(expr) => self.expr(expr),
            None => Ok(()),
        }
    }

    fn exprs(&mut self, exprs: impl IntoIterator<Item = &'a Expr>) -> Outcome {
        exprs.into_iter().try_for_each(|expr| self.element(expr))
    }

    /// An element of a display or an argument, which may be starred.
    fn element(&mut self, expr: &'a Expr) -> Outcome {
        match expr {
            Expr::Starred(starred) => self.expr(&starred.value),
            expr => self.expr(expr),
        }
    }

    /// A target of an assignment.
    fn target(&mut self, target: &'a Expr) -> Outcome {
        match target {
            Expr::Starred(starred) => self.error(
                "starred assignment target must be in a list or tuple",
                starred.range,
            ),
            target => self.target_part(target),
        }
    }

    fn target_part(&mut self, target: &'a Expr) -> Outcome {
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

    fn forbidden_in_annotation(&self, what: &str, range: TextRange) -> Outcome {
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
    fn expr(&mut self, expr: &'a Expr) -> Outcome {
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

    fn attribute(&mut self, expr: &'a ast::ExprAttribute) -> Outcome {
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

    fn plain_expr(&mut self, expr: &'a Expr) -> Outcome {
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
            Expr::IpyEscapeCommand(expr) => self.error("invalid syntax", expr.range),
        }
    }

    fn arguments(&mut self, arguments: &'a ast::Arguments) -> Outcome {
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

    fn interpolations(&mut self, elements: &'a ast::InterpolatedStringElements) -> Outcome {
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
    fn static_attribute(&mut self, name: &str) {
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

    fn yield_allowed(&mut self, word: &str, range: TextRange) -> Outcome {
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
    fn asynchronous(&self) -> (ScopeKind, bool) {
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

    fn await_allowed(&self, range: TextRange) -> Outcome {
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

    fn need_async(&mut self, text: &str, range: TextRange) -> Outcome {
        let scope = self.scope();
        if !(scope.kind == ScopeKind::Function && scope.is_async) {
            return self.error(text, range);
        }
        self.mark_await();
        Ok(())
    }

    /// Notes that the current scope awaits, and with it the comprehensions around.
    fn mark_await(&mut self) {
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

    // ---- comprehensions and :=

    fn comprehension<N: Ranged>(
        &mut self,
        node: &'a N,
        what: &'static str,
        generators: &'a [ast::Comprehension],
        elements: &[&'a Expr],
    ) -> Outcome {
        let Some((first, rest)) = generators.split_first() else {
            return Ok(());
        };
        self.in_comprehension_iterable += 1;
        let outcome = self.expr(&first.iter);
        self.in_comprehension_iterable -= 1;
        outcome?;
        let kind = if what == "generator expression" {
            ScopeKind::Generator
        } else {
            ScopeKind::Comprehension
        };
        let before = std::mem::replace(&mut self.comprehension, what);
        let range_before = std::mem::replace(&mut self.comprehension_range, node.range());
        self.within(kind, node, Part::Body, |this, id| {
            if !this.table.scope(id).inlined {
                let dot0 = this.table.known.dot0;
                let scope = this.scope();
                scope.add(dot0, flag::PARAM);
                scope.params.push(dot0);
            }
            if kind == ScopeKind::Generator {
                this.scope().is_generator = true;
            }
            this.comprehension_clause(first, what)?;
            for clause in rest {
                this.in_comprehension_iterable += 1;
                let outcome = this.expr(&clause.iter);
                this.in_comprehension_iterable -= 1;
                outcome?;
                this.comprehension_clause(clause, what)?;
            }
            elements.iter().try_for_each(|element| this.expr(element))
        })?;
        self.comprehension = before;
        self.comprehension_range = range_before;
        Ok(())
    }

    fn comprehension_clause(
        &mut self,
        clause: &'a ast::Comprehension,
        what: &'static str,
    ) -> Outcome {
        if clause.is_async {
            if what != "generator expression" {
                let (_, is_async) = self.asynchronous();
                if !is_async {
                    return self.error(
                        "asynchronous comprehension outside of an asynchronous function",
                        self.comprehension_range,
                    );
                }
            }
            self.mark_await();
        }
        self.comprehension_target(&clause.target)?;
        self.target(&clause.target)?;
        clause.ifs.iter().try_for_each(|test| self.expr(test))
    }

    /// Marks the names of a target as iteration variables.
    fn comprehension_target(&mut self, target: &'a Expr) -> Outcome {
        match target {
            Expr::Name(name) => {
                let sym = self.mangled(name.id.as_str());
                if self.scope().flags(sym) & flag::WALRUS != 0 {
                    let text = format!(
                        "comprehension inner loop cannot rebind assignment expression target '{}'",
                        name.id
                    );
                    return self.error(text, name.range);
                }
                self.scope().add(sym, flag::COMP_TARGET | flag::ASSIGNED);
                Ok(())
            }
            Expr::Tuple(ast::ExprTuple { elts, .. }) | Expr::List(ast::ExprList { elts, .. }) => {
                elts.iter()
                    .try_for_each(|elt| self.comprehension_target(elt))
            }
            Expr::Starred(starred) => self.comprehension_target(&starred.value),
            _ => Ok(()),
        }
    }

    fn named(&mut self, expr: &'a ast::ExprNamed) -> Outcome {
        self.forbidden_in_annotation("named expression", expr.range)?;
        if self.in_comprehension_iterable > 0 {
            return self.error(
                "assignment expression cannot be used in a comprehension iterable expression",
                expr.range,
            );
        }
        self.expr(&expr.value)?;
        let Expr::Name(name) = &*expr.target else {
            return self.expr(&expr.target);
        };
        if name.id.as_str() == "__debug__" {
            return self.error("cannot assign to __debug__", name.range);
        }
        let sym = self.mangled(name.id.as_str());
        if self.kind().is_comprehension() {
            return self.named_in_comprehension(name, sym);
        }
        self.scope().add(sym, flag::ASSIGNED);
        let unit = self.table.unit(self.current);
        self.table.scope_mut(unit).walrus.insert(sym);
        Ok(())
    }

    /// `:=` in a comprehension binds in the scope around the comprehensions.
    fn named_in_comprehension(&mut self, name: &ast::ExprName, sym: Sym) -> Outcome {
        let mut id = self.current;
        while self.table.scope(id).kind.is_comprehension() {
            if self.table.scope(id).flags(sym) & flag::COMP_TARGET != 0 {
                let text = format!(
                    "assignment expression cannot rebind comprehension iteration variable '{}'",
                    name.id
                );
                return self.error(text, name.range);
            }
            let Some(parent) = self.table.scope(id).parent else {
                break;
            };
            id = parent;
        }
        let target = self.table.scope(id);
        let place = match target.kind {
            ScopeKind::Class => Some("a class body"),
            ScopeKind::TypeParams => Some("the definition of a generic"),
            ScopeKind::TypeAlias => Some("a type alias"),
            ScopeKind::TypeVariable => Some("a TypeVar bound"),
            ScopeKind::Annotations => Some("an annotation"),
            _ => None,
        };
        if let Some(place) = place {
            let word = if target.kind == ScopeKind::Class {
                "in"
            } else {
                "within"
            };
            let text = format!(
                "assignment expression within a comprehension cannot be used {word} {place}"
            );
            return self.error(text, name.range);
        }
        let global = target.kind == ScopeKind::Module || target.flags(sym) & flag::GLOBAL != 0;
        let here = if global { flag::GLOBAL } else { flag::NONLOCAL };
        self.table.scope_mut(id).add(sym, flag::ASSIGNED);
        let unit = self.table.unit(id);
        self.table.scope_mut(unit).walrus.insert(sym);
        self.scope().add(sym, here | flag::WALRUS);
        Ok(())
    }

    // ---- patterns

    fn pattern(&mut self, pattern: &'a Pattern) -> Outcome {
        match pattern {
            Pattern::MatchValue(pattern) => self.expr(&pattern.value),
            Pattern::MatchSingleton(_) => Ok(()),
            Pattern::MatchSequence(pattern) => pattern
                .patterns
                .iter()
                .try_for_each(|part| self.pattern(part)),
            Pattern::MatchMapping(pattern) => {
                self.exprs(&pattern.keys)?;
                pattern
                    .patterns
                    .iter()
                    .try_for_each(|part| self.pattern(part))?;
                match &pattern.rest {
                    Some(name) => self.bind(name),
                    None => Ok(()),
                }
            }
            Pattern::MatchClass(pattern) => {
                self.expr(&pattern.cls)?;
                for part in &pattern.arguments.patterns {
                    self.pattern(part)?;
                }
                for (index, keyword) in pattern.arguments.keywords.iter().enumerate() {
                    let name = &keyword.attr;
                    let before = &pattern.arguments.keywords[..index];
                    if before.iter().any(|other| other.attr.id == name.id) {
                        let text = format!("attribute name repeated in class pattern: {name}");
                        return self.error(text, keyword.pattern.range());
                    }
                    self.pattern(&keyword.pattern)?;
                }
                Ok(())
            }
            Pattern::MatchStar(pattern) => match &pattern.name {
                Some(name) => self.bind(name),
                None => Ok(()),
            },
            Pattern::MatchAs(pattern) => {
                if let Some(part) = &pattern.pattern {
                    self.pattern(part)?;
                }
                match &pattern.name {
                    Some(name) => self.bind(name),
                    None => Ok(()),
                }
            }
            Pattern::MatchOr(pattern) => pattern
                .patterns
                .iter()
                .try_for_each(|part| self.pattern(part)),
        }
    }

    pub fn expression(&mut self, expr: &'a Expr) -> Outcome {
        self.expr(expr)
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
