//! Statements: dispatch, `if`, `return`, `raise`, `assert`, `del`, and the way out of blocks.

use coldframe_frontend::ast::{self, Expr, Stmt};

use super::operand::NOWHERE;
use super::unit::Block;
use super::{Compiler, Operand, Outcome, span};
use crate::assemble::Label;
use crate::code::{Const, Span};
use crate::op::{DA, DB, KB, Op};

/// The documentation string that a body begins with.
pub(super) fn docstring(body: &[Stmt]) -> Option<&ast::ExprStringLiteral> {
    match body.first() {
        Some(Stmt::Expr(statement)) => statement.value.as_string_literal_expr(),
        _ => None,
    }
}

impl<'a> Compiler<'a> {
    pub(super) fn body(&mut self, body: &'a [Stmt]) -> Outcome {
        body.iter().try_for_each(|statement| self.stmt(statement))
    }

    fn stmt(&mut self, statement: &'a Stmt) -> Outcome {
        if self.unit.code.overflow {
            return Err(self.too_complex());
        }
        if !self.unit.code.reachable() {
            return Ok(());
        }
        match statement {
            Stmt::Expr(stmt) if self.options.interactive && self.outer.is_empty() => {
                self.display(&stmt.value)
            }
            Stmt::Expr(stmt) => self.discard(&stmt.value),
            Stmt::Assign(stmt) => self.assign(stmt),
            Stmt::AugAssign(stmt) => self.aug_assign(stmt),
            Stmt::AnnAssign(stmt) => self.ann_assign(stmt),
            Stmt::If(stmt) => self.if_stmt(stmt),
            Stmt::For(stmt) => self.for_stmt(stmt),
            Stmt::While(stmt) => self.while_stmt(stmt),
            Stmt::Return(stmt) => self.return_stmt(stmt),
            Stmt::Pass(_) | Stmt::Global(_) | Stmt::Nonlocal(_) => Ok(()),
            Stmt::Break(stmt) => self.break_stmt(span(stmt)),
            Stmt::Continue(stmt) => self.continue_stmt(span(stmt)),
            Stmt::FunctionDef(stmt) => self.function_def(stmt),
            Stmt::ClassDef(stmt) => self.class_def(stmt),
            Stmt::Try(stmt) => self.try_stmt(stmt),
            Stmt::With(stmt) => self.with_stmt(stmt),
            Stmt::Match(stmt) => self.match_stmt(stmt),
            Stmt::Raise(stmt) => self.raise_stmt(stmt),
            Stmt::Assert(stmt) => self.assert_stmt(stmt),
            Stmt::Delete(stmt) => stmt.targets.iter().try_for_each(|target| self.del(target)),
            Stmt::Import(stmt) => self.import_stmt(stmt),
            Stmt::ImportFrom(stmt) => self.import_from(stmt),
            Stmt::TypeAlias(stmt) => self.type_alias(stmt),
            Stmt::IpyEscapeCommand(stmt) => self.error("invalid syntax", stmt.range),
        }
    }

    // ---- if

    /// An expression statement at the prompt.
    fn display(&mut self, expr: &'a ast::Expr) -> Outcome {
        let mark = self.unit.regs.mark();
        let register = self.unit.regs.alloc();
        self.expr_to(expr, register)?;
        let kind = crate::op::Intrinsic::Display;
        self.intrinsic(kind, register, register, register, span(expr));
        self.emit(Op::Clear, 0, register, 1, 0, span(expr));
        self.unit.regs.reset(mark);
        Ok(())
    }

    /// The label that a body consisting of `break` or `continue` jumps to, if nothing else is to be done on the way.
    fn plain_exit(&self, body: &[Stmt]) -> Option<Label> {
        let Some(Block::Loop { exit, next, .. }) = self.unit.blocks.last() else {
            return None;
        };
        match body {
            [Stmt::Break(_)] => Some(*exit),
            [Stmt::Continue(_)] => Some(*next),
            _ => None,
        }
    }

    fn if_stmt(&mut self, stmt: &'a ast::StmtIf) -> Outcome {
        let end = self.unit.code.label();
        let mut test = Some(&*stmt.test);
        let mut body = &stmt.body;
        let mut clauses = stmt.elif_else_clauses.iter();
        loop {
            let following = clauses.next();
            match test {
                None => {
                    self.body(body)?;
                    break;
                }
                Some(test)
                    if self.plain_exit(body).is_some() && self.constant_truth(test).is_none() =>
                {
                    if let Some(exit) = self.plain_exit(body) {
                        self.jump_if(test, exit, true)?;
                    }
                }
                Some(test) => {
                    let next = self.unit.code.label();
                    match self.constant_truth(test) {
                        Some(true) => {}
                        Some(false) => self.unit.code.jump(next, span(test)),
                        None => self.jump_if(test, next, false)?,
                    }
                    self.body(body)?;
                    if following.is_some() {
                        self.unit.code.jump(end, span(test));
                    }
                    self.unit.code.place(next);
                }
            }
            match following {
                None => break,
                Some(clause) => {
                    test = clause.test.as_ref();
                    body = &clause.body;
                }
            }
        }
        self.unit.code.place(end);
        Ok(())
    }

    // ---- exits

    fn return_stmt(&mut self, stmt: &'a ast::StmtReturn) -> Outcome {
        let mark = self.unit.regs.mark();
        let range = span(stmt);
        let mut value = match &stmt.value {
            Some(value) => self.expr(value, None)?,
            None => Operand::Const(Const::None),
        };
        let exits = self
            .unit
            .blocks
            .iter()
            .any(|block| !matches!(block, Block::Loop { .. }));
        if exits {
            if let Operand::Reg(register) = value
                && !self.is_temp(register)
            {
                // What the way out runs may rebind the local.
                let copy = self.unit.regs.alloc();
                self.emit(Op::Move, 0, copy, register, 0, range);
                value = Operand::Reg(copy);
            }
            let waiting = match value {
                Operand::Reg(register) => Some(register),
                _ => None,
            };
            self.leave_blocks(0, waiting, range, |this| {
                this.emit_return(value, range);
                Ok(())
            })?;
        } else {
            self.emit_return(value, range);
        }
        self.unit.regs.reset(mark);
        Ok(())
    }

    /// The innermost loop: its index among the blocks.
    fn innermost_loop(&self) -> Option<usize> {
        self.unit
            .blocks
            .iter()
            .rposition(|block| matches!(block, Block::Loop { .. }))
    }

    fn break_stmt(&mut self, range: Span) -> Outcome {
        let Some(index) = self.innermost_loop() else {
            return Ok(());
        };
        let Block::Loop { exit, .. } = self.unit.blocks[index] else {
            return Ok(());
        };
        self.leave_blocks(index + 1, None, range, |this| {
            this.unit.code.jump(exit, range);
            Ok(())
        })
    }

    fn continue_stmt(&mut self, range: Span) -> Outcome {
        let Some(index) = self.innermost_loop() else {
            return Ok(());
        };
        let Block::Loop { next, .. } = self.unit.blocks[index] else {
            return Ok(());
        };
        self.leave_blocks(index + 1, None, range, |this| {
            this.unit.code.jump(next, range);
            Ok(())
        })
    }

    /// Emits the way out of the blocks from `depth` on, innermost first, then what `exit` emits. The code is not covered by the
    /// handlers of the blocks that it leaves. `waiting` is the register of the value that is returned, which a `finally` block may throw away
    /// by leaving in another way.
    fn leave_blocks(
        &mut self,
        depth: usize,
        waiting: Option<u16>,
        range: Span,
        exit: impl FnOnce(&mut Self) -> Outcome,
    ) -> Outcome {
        let blocks = self.unit.blocks.clone();
        let mut suspended = Vec::new();
        for index in (depth..blocks.len()).rev() {
            let block = blocks[index];
            self.unit.blocks.truncate(index);
            match block {
                Block::Loop { iterator, .. } => {
                    // What is run on the way finds the iterator gone, and a generator closed.
                    let runs_more = blocks[depth..index]
                        .iter()
                        .any(|block| !matches!(block, Block::Loop { .. }));
                    if let Some(iterator) = iterator
                        && runs_more
                    {
                        self.clear(iterator, 1, range);
                    }
                }
                Block::Returning { value } => self.clear(value, 1, range),
                Block::Finally { body, regions } => {
                    self.unit.code.suspend_regions(regions, &mut suspended);
                    if let Some(value) = waiting {
                        self.unit.blocks.push(Block::Returning { value });
                    }
                    self.body(body)?;
                }
                Block::With {
                    exit,
                    is_async,
                    span,
                    regions,
                } => {
                    self.unit.code.suspend_regions(regions, &mut suspended);
                    self.with_exit(exit, is_async, span);
                }
                Block::Handler {
                    saved,
                    exception,
                    name,
                    regions,
                } => {
                    self.unit.code.suspend_regions(regions, &mut suspended);
                    if let Some(name) = name {
                        self.forget(name, range)?;
                    }
                    self.emit(Op::PopExc, 0, saved, 0, 0, range);
                    self.clear(exception, 1, range);
                }
            }
        }
        exit(self)?;
        self.unit.blocks = blocks;
        self.unit.code.resume_regions(&suspended);
        Ok(())
    }

    // ---- raise, assert, del

    fn raise_stmt(&mut self, stmt: &'a ast::StmtRaise) -> Outcome {
        let mark = self.unit.regs.mark();
        let range = span(stmt);
        match (&stmt.exc, &stmt.cause) {
            (None, _) => self.emit(Op::Raise, 0, 0, 0, 0, range),
            (Some(exc), None) => {
                let register = self.expr_temp(exc)?;
                self.emit(Op::Raise, 0, register, 0, 1, range);
            }
            (Some(exc), Some(cause)) => {
                let register = self.expr_temp(exc)?;
                let cause = self.expr_temp(cause)?;
                self.emit(Op::Raise, 0, register, cause, 2, range);
            }
        }
        self.unit.code.unreachable();
        self.unit.regs.reset(mark);
        Ok(())
    }

    fn assert_stmt(&mut self, stmt: &'a ast::StmtAssert) -> Outcome {
        if !self.options.asserts {
            return Ok(());
        }
        let mark = self.unit.regs.mark();
        let range = span(&*stmt.test);
        let end = self.unit.code.label();
        self.jump_if(&stmt.test, end, true)?;
        let error = self.unit.regs.block(2);
        self.emit(Op::LoadAssertionError, 0, error, 0, 0, range);
        if let Some(message) = &stmt.msg {
            let argument = self.expr_temp(message)?;
            debug_assert_eq!(argument, error + 2);
            self.emit(Op::Call, 0, error, error, 1, range);
        }
        self.emit(Op::Raise, 0, error, 0, 1, range);
        self.unit.code.unreachable();
        self.unit.code.place(end);
        self.unit.regs.reset(mark);
        Ok(())
    }

    fn del(&mut self, target: &'a Expr) -> Outcome {
        let mark = self.unit.regs.mark();
        let range = span(target);
        match target {
            Expr::Name(name) => {
                let sym = self.sym(name.id.as_str());
                self.delete(sym, range);
            }
            Expr::Attribute(attribute) => {
                let object = self.expr_reg(&attribute.value, None)?;
                let name = self.sym(attribute.attr.as_str());
                let name = self.text(name);
                if self.unit.code.reachable() {
                    let cache = self.unit.code.attribute(&name);
                    let x = self.take(object, NOWHERE, DA);
                    self.emit(Op::DelAttr, x, object, 0, cache, range);
                }
            }
            Expr::Subscript(subscript) => {
                let object = self.expr(&subscript.value, None)?;
                let object = self.stabilize(object, &[&subscript.slice], None, range);
                let object = self.in_register(object, None, range);
                let index = self.expr(&subscript.slice, None)?;
                let (b, x) = self.rk(index, NOWHERE, KB, DB, range);
                let x = x | self.take(object, NOWHERE, DA);
                self.emit(Op::DelSubscr, x, object, b, 0, range);
            }
            Expr::Tuple(ast::ExprTuple { elts, .. }) | Expr::List(ast::ExprList { elts, .. }) => {
                elts.iter().try_for_each(|element| self.del(element))?;
            }
            other => return self.error("cannot delete this", ast::Ranged::range(other)),
        }
        self.unit.regs.reset(mark);
        Ok(())
    }

    // ---- what bodies delete

    /// Locals that the statements may leave unbound.
    pub(super) fn unbound_by(&mut self, bodies: &[&'a [Stmt]]) -> Vec<u16> {
        let mut names = Vec::new();
        for body in bodies {
            deleted_names(body, &mut names);
        }
        names
            .into_iter()
            .filter_map(|name| {
                let sym = self.sym(name);
                match self.place(sym) {
                    super::names::Place::Local(register) => Some(register),
                    _ => None,
                }
            })
            .collect()
    }

    /// The present state without the locals that `bodies` may unbind: what is surely bound wherever they are left or repeated.
    pub(super) fn state_without(&mut self, bodies: &[&'a [Stmt]]) -> Option<crate::flow::Bound> {
        let mut state = self.unit.code.state?;
        for register in self.unbound_by(bodies) {
            state.remove(register);
        }
        Some(state)
    }
}

/// Names that `del` and `except ... as` unbind in the statements (of this scope).
fn deleted_names<'a>(body: &'a [Stmt], names: &mut Vec<&'a str>) {
    for statement in body {
        match statement {
            Stmt::Delete(stmt) => {
                for target in &stmt.targets {
                    deleted_targets(target, names);
                }
            }
            Stmt::For(stmt) => {
                deleted_names(&stmt.body, names);
                deleted_names(&stmt.orelse, names);
            }
            Stmt::While(stmt) => {
                deleted_names(&stmt.body, names);
                deleted_names(&stmt.orelse, names);
            }
            Stmt::If(stmt) => {
                deleted_names(&stmt.body, names);
                for clause in &stmt.elif_else_clauses {
                    deleted_names(&clause.body, names);
                }
            }
            Stmt::With(stmt) => deleted_names(&stmt.body, names),
            Stmt::Match(stmt) => {
                for case in &stmt.cases {
                    deleted_names(&case.body, names);
                }
            }
            Stmt::Try(stmt) => {
                deleted_names(&stmt.body, names);
                for ast::ExceptHandler::ExceptHandler(handler) in &stmt.handlers {
                    if let Some(name) = &handler.name {
                        names.push(name.as_str());
                    }
                    deleted_names(&handler.body, names);
                }
                deleted_names(&stmt.orelse, names);
                deleted_names(&stmt.finalbody, names);
            }
            _ => {}
        }
    }
}

fn deleted_targets<'a>(target: &'a Expr, names: &mut Vec<&'a str>) {
    match target {
        Expr::Name(name) => names.push(name.id.as_str()),
        Expr::Tuple(ast::ExprTuple { elts, .. }) | Expr::List(ast::ExprList { elts, .. }) => {
            elts.iter()
                .for_each(|element| deleted_targets(element, names));
        }
        _ => {}
    }
}
