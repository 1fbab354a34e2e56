//! Statements.

use coldframe_frontend::ast::{self, Expr, Stmt, TextRange};

use super::super::scope::{Annotated, ScopeId, ScopeKind, flag};
use super::{Builder, Outcome};

impl<'a> Builder<'a> {
    pub fn module(&mut self, body: &'a [Stmt]) -> Outcome {
        self.body(body)
    }

    pub(super) fn body(&mut self, body: &'a [Stmt]) -> Outcome {
        body.iter().try_for_each(|statement| self.stmt(statement))
    }

    /// Visits statements that need not be executed.
    pub(super) fn block(&mut self, body: &'a [Stmt]) -> Outcome {
        let conditional = std::mem::replace(&mut self.around.conditional, true);
        let outcome = self.body(body);
        self.around.conditional = conditional;
        outcome
    }

    pub(super) fn loop_body(&mut self, body: &'a [Stmt]) -> Outcome {
        let around = self.around;
        self.around.in_loop = true;
        self.around.in_except_star = false;
        let outcome = self.block(body);
        self.around = around;
        outcome
    }

    pub(super) fn stmt(&mut self, statement: &'a Stmt) -> Outcome {
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

    pub(super) fn in_except_star(&self, range: TextRange) -> Outcome {
        self.error(
            "'break', 'continue' and 'return' cannot appear in an except* block",
            range,
        )
    }

    pub(super) fn return_stmt(&mut self, stmt: &'a ast::StmtReturn) -> Outcome {
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

    pub(super) fn try_stmt(&mut self, stmt: &'a ast::StmtTry) -> Outcome {
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

    pub(super) fn alias(&mut self, alias: &'a ast::Alias) -> Outcome {
        let (name, range) = match &alias.asname {
            Some(name) => (name.as_str(), name.range),
            None => {
                let name = alias.name.as_str();
                (name.split('.').next().unwrap_or(name), alias.name.range)
            }
        };
        self.add(name, flag::IMPORTED, range)
    }

    pub(super) fn ann_assign(&mut self, stmt: &'a ast::StmtAnnAssign) -> Outcome {
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
    pub(super) fn body_annotation(&mut self, annotation: &'a Expr, conditional: bool) -> Outcome {
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
    pub(super) fn format_parameter(&mut self, id: ScopeId) {
        let name = self.table.names.intern(".format");
        let scope = self.table.scope_mut(id);
        scope.add(name, flag::PARAM);
        scope.params.push(name);
    }
}
