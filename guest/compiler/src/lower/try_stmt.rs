//! `try`: handlers, `finally`, `except*`.
//!
//! A protected range costs nothing until an exception is raised. A handler begins with the exception in the first free temporary:
//!
//! ```text
//!         body                      protected by H
//!         else, finally             (a copy of `finally` for each way out)
//!         Jump end
//! H:      PushExc saved, exc
//!         except clauses            protected by C
//!         PopExc saved
//!         Reraise exc
//! C:      PopExc saved              an exception left a clause
//!         Reraise new
//! end:
//! ```

use coldframe_frontend::ast::{self, Stmt};

use super::unit::Block;
use super::{Compiler, Outcome, span};
use crate::code::{Const, Span};
use crate::flow::Bound;
use crate::op::{ANY, DA, DB, HELD, Op};

impl<'a> Compiler<'a> {
    pub(super) fn try_stmt(&mut self, stmt: &'a ast::StmtTry) -> Outcome {
        if stmt.finalbody.is_empty() {
            return self.try_except(stmt);
        }
        let range = span(stmt);
        let mark = self.unit.regs.mark();
        let handler = self.unit.code.label();
        let end = self.unit.code.label();
        let mut inner: Vec<&[Stmt]> = vec![&stmt.body, &stmt.orelse];
        for ast::ExceptHandler::ExceptHandler(clause) in &stmt.handlers {
            inner.push(&clause.body);
        }
        let mut state = self.state_without(&inner);
        for ast::ExceptHandler::ExceptHandler(clause) in &stmt.handlers {
            if let (Some(name), Some(state)) = (&clause.name, &mut state) {
                let sym = self.sym(name.as_str());
                if let super::names::Place::Local(register) = self.place(sym) {
                    state.remove(register);
                }
            }
        }
        let regions = self.unit.code.region_count();
        self.unit.code.open_region(handler, mark, mark + 1);
        self.push_block(
            Block::Finally {
                body: &stmt.finalbody,
                regions,
            },
            range,
        )?;
        if stmt.handlers.is_empty() {
            self.body(&stmt.body)?;
        } else {
            self.try_except(stmt)?;
        }
        self.unit.blocks.pop();
        let covers = self.unit.code.close_region();
        self.body(&stmt.finalbody)?;
        self.unit.code.jump(end, range);

        self.unit.code.place_handler(handler, state, covers);
        let last = stmt.finalbody.last().map(span);
        self.handler(range, last, |this, exception, saved| {
            let regions = this.unit.code.region_count() - 1;
            this.push_block(
                Block::Handler {
                    saved,
                    exception,
                    name: None,
                    regions,
                },
                range,
            )?;
            this.body(&stmt.finalbody)?;
            this.unit.blocks.pop();
            Ok(())
        })?;
        self.unit.code.place(end);
        self.unit.regs.reset(mark);
        Ok(())
    }

    /// The frame of a handler: `PushExc`, what `body` emits, and at its end the exception is raised again: at `last`, or where it was raised first if
    /// that is not given. An exception that `body` raises restores the one handled before.
    pub(super) fn handler(
        &mut self,
        range: Span,
        last: Option<Span>,
        body: impl FnOnce(&mut Self, u16, u16) -> Outcome,
    ) -> Outcome {
        let exception = self.unit.regs.alloc();
        let saved = self.unit.regs.alloc();
        self.emit(Op::PushExc, 0, saved, exception, 0, range);
        let cleanup = self.unit.code.label();
        self.unit.code.open_region(cleanup, saved + 1, saved + 2);
        body(self, exception, saved)?;
        let covers = self.unit.code.close_region();
        self.emit(Op::PopExc, 0, saved, 0, 0, range);
        match last {
            Some(last) => self.emit(Op::Reraise, 0, exception, 0, 0, last),
            None => self.emit(Op::Reraise, HELD, exception, 0, 0, range),
        }
        self.unit.code.unreachable();
        self.unit
            .code
            .place_handler(cleanup, Some(Bound::default()), covers);
        let raised = self.unit.regs.alloc();
        self.emit(Op::PopExc, 0, saved, 0, 0, range);
        self.emit(Op::Reraise, HELD, raised, 0, 0, range);
        self.unit.code.unreachable();
        Ok(())
    }

    fn try_except(&mut self, stmt: &'a ast::StmtTry) -> Outcome {
        let range = span(stmt);
        let mark = self.unit.regs.mark();
        let handler = self.unit.code.label();
        let end = self.unit.code.label();
        let state = self.state_without(&[&stmt.body]);
        self.unit.code.open_region(handler, mark, mark + 1);
        self.body(&stmt.body)?;
        let covers = self.unit.code.close_region();
        self.body(&stmt.orelse)?;
        self.unit.code.jump(end, range);

        self.unit.code.place_handler(handler, state, covers);
        let last = stmt
            .handlers
            .last()
            .map(
                |ast::ExceptHandler::ExceptHandler(clause)| match &clause.type_ {
                    Some(class) => span(&**class),
                    None => span(clause),
                },
            );
        self.handler(range, last, |this, exception, saved| {
            if stmt.is_star {
                this.star_clauses(stmt, exception, saved, end, range)
            } else {
                this.clauses_of(stmt, exception, saved, end)
            }
        })?;
        self.unit.code.place(end);
        self.unit.regs.reset(mark);
        Ok(())
    }

    fn clauses_of(
        &mut self,
        stmt: &'a ast::StmtTry,
        exception: u16,
        saved: u16,
        end: crate::assemble::Label,
    ) -> Outcome {
        let regions = self.unit.code.region_count() - 1;
        for ast::ExceptHandler::ExceptHandler(clause) in &stmt.handlers {
            let range = span(clause);
            let next = self.unit.code.label();
            if let Some(class) = &clause.type_ {
                let mark = self.unit.regs.mark();
                let matched = self.expr_temp(class)?;
                let at = span(&**class);
                self.emit(Op::MatchExc, 0, matched, exception, matched, at);
                self.unit
                    .code
                    .jump_if(Op::JumpIfFalse, DA, matched, next, at);
                self.unit.regs.reset(mark);
            } else {
                let mark = self.unit.regs.mark();
                let matched = self.unit.regs.alloc();
                self.load_const(matched, Const::None, range);
                self.emit(Op::MatchExc, ANY, matched, exception, matched, range);
                self.unit
                    .code
                    .jump_if(Op::JumpIfFalse, DA, matched, next, range);
                self.unit.regs.reset(mark);
            }
            let name = match &clause.name {
                Some(name) => {
                    let sym = self.sym(name.as_str());
                    self.store_copy(sym, exception, span(name))?;
                    Some(sym)
                }
                None => None,
            };
            self.push_block(
                Block::Handler {
                    saved,
                    exception,
                    name,
                    regions,
                },
                range,
            )?;
            match name {
                None => self.body(&clause.body)?,
                Some(name) => {
                    // An exception that leaves the clause unbinds the name as well.
                    let cleanup = self.unit.code.label();
                    let raised = saved + 1;
                    self.unit.code.open_region(cleanup, raised, raised + 1);
                    self.body(&clause.body)?;
                    let covers = self.unit.code.close_region();
                    self.forget(name, range)?;
                    self.unit.blocks.pop();
                    self.leave_clause(exception, saved, end, range);
                    self.unit
                        .code
                        .place_handler(cleanup, Some(Bound::default()), covers);
                    let mark = self.unit.regs.mark();
                    self.unit.regs.alloc();
                    self.forget(name, range)?;
                    self.emit(Op::Reraise, HELD, raised, 0, 0, range);
                    self.unit.code.unreachable();
                    self.unit.regs.reset(mark);
                    self.unit.code.place(next);
                    continue;
                }
            }
            self.unit.blocks.pop();
            self.leave_clause(exception, saved, end, range);
            self.unit.code.place(next);
        }
        Ok(())
    }

    /// The normal way out of a handler.
    pub(super) fn leave_clause(
        &mut self,
        exception: u16,
        saved: u16,
        end: crate::assemble::Label,
        range: Span,
    ) {
        // The region that restores the exception handled before is the innermost one.
        let region = self.unit.code.region_count().saturating_sub(1);
        let mut suspended = Vec::new();
        self.unit.code.suspend_regions(region, &mut suspended);
        self.emit(Op::PopExc, 0, saved, 0, 0, range);
        self.clear(exception, 1, range);
        self.unit.code.jump(end, range);
        self.unit.code.resume_regions(&suspended);
    }

    /// `except*` clauses: each gets the part of the group that matches; what they raise and what is left is raised at the end.
    fn star_clauses(
        &mut self,
        stmt: &'a ast::StmtTry,
        exception: u16,
        saved: u16,
        end: crate::assemble::Label,
        range: Span,
    ) -> Outcome {
        let mark = self.unit.regs.mark();
        let rest = self.unit.regs.alloc();
        let results = self.unit.regs.alloc();
        self.emit(Op::Move, 0, rest, exception, 0, range);
        self.emit(Op::BuildList, 0, results, 0, 0, range);
        for ast::ExceptHandler::ExceptHandler(clause) in &stmt.handlers {
            let inner = self.unit.regs.mark();
            let at = span(clause);
            let next = self.unit.code.label();
            let Some(class) = &clause.type_ else {
                return self.error("expected one or more exception types", clause.range);
            };
            let matched = self.expr_temp(class)?;
            let class_at = span(&**class);
            self.emit(Op::MatchExcStar, 0, matched, rest, matched, class_at);
            let some = self.unit.code.label();
            self.unit
                .code
                .jump_if(Op::JumpIfNotNone, 0, matched, some, class_at);
            self.clear(matched, 1, class_at);
            self.unit.code.jump(next, class_at);
            self.unit.code.place(some);
            let name = match &clause.name {
                Some(name) => {
                    let sym = self.sym(name.as_str());
                    self.store_copy(sym, matched, span(name))?;
                    Some(sym)
                }
                None => None,
            };
            // The part is the exception being handled while the clause runs.
            let group = self.unit.regs.alloc();
            self.emit(Op::PushExc, 0, group, matched, 0, at);
            let state = self.state_without(&[&clause.body]);
            let cleanup = self.unit.code.label();
            let raised = self.unit.regs.mark();
            self.unit.code.open_region(cleanup, raised, raised + 1);
            self.body(&clause.body)?;
            let covers = self.unit.code.close_region();
            if let Some(name) = name {
                self.forget(name, at)?;
            }
            self.emit(Op::PopExc, 0, group, 0, 0, at);
            self.clear(matched, 1, at);
            self.unit.code.jump(next, at);
            self.unit.code.place_handler(cleanup, state, covers);
            self.unit.regs.alloc();
            if let Some(name) = name {
                self.forget(name, at)?;
            }
            self.emit(Op::PopExc, 0, group, 0, 0, at);
            self.clear(matched, 1, at);
            self.emit(Op::ListAppend, DB, results, raised, 0, at);
            self.unit.code.place(next);
            self.unit.regs.reset(inner);
        }
        let none_left = self.unit.code.label();
        let ready = self.unit.code.label();
        self.unit
            .code
            .jump_if(Op::JumpIfNone, 0, rest, none_left, range);
        self.emit(Op::ListAppend, DB, results, rest, 0, range);
        self.unit.code.jump(ready, range);
        self.unit.code.place(none_left);
        self.clear(rest, 1, range);
        self.unit.code.place(ready);
        self.emit(Op::PrepReraiseStar, 0, rest, exception, results, range);
        let raise = self.unit.code.label();
        self.unit
            .code
            .jump_if(Op::JumpIfNotNone, 0, rest, raise, range);
        self.clear(rest, 1, range);
        self.leave_clause(exception, saved, end, range);
        self.unit.code.place(raise);
        // The end of the handler raises `exception` again.
        self.emit(Op::Take, 0, exception, rest, 0, range);
        self.unit.regs.reset(mark);
        Ok(())
    }
}
