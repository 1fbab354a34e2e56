//! Loops.

use coldframe_frontend::ast::{self, Expr};

use super::names::Place;
use super::unit::Block;
use super::{Compiler, Operand, Outcome, span};
use crate::assemble::Label;
use crate::code::{Const, Span};
use crate::op::{DB, Op};

impl<'a> Compiler<'a> {
    pub(super) fn while_stmt(&mut self, stmt: &'a ast::StmtWhile) -> Outcome {
        let range = span(&*stmt.test);
        let truth = self.constant_truth(&stmt.test);
        let body = self.unit.code.label();
        let next = self.unit.code.label();
        let done = self.unit.code.label();
        let exit = self.unit.code.label();
        match truth {
            Some(true) => {}
            Some(false) => self.unit.code.jump(done, range),
            None => self.jump_if(&stmt.test, done, false)?,
        }
        let mark = self.unit.regs.mark();
        let counter = (self.options.count_loops && truth != Some(false)).then(|| {
            let counter = self.unit.regs.alloc();
            self.load_const(counter, Const::Int(0), range);
            counter
        });
        let state = self.state_without(&[&stmt.body]);
        if let Some(state) = state {
            self.unit.code.place_loop_head(body, state);
        } else {
            self.unit.code.place(body);
        }
        self.push_block(
            Block::Loop {
                exit,
                next,
                iterator: None,
            },
            range,
        )?;
        self.body(&stmt.body)?;
        self.unit.blocks.pop();
        self.unit.code.place(next);
        if let Some(counter) = counter {
            self.emit(Op::AddInt, 0, counter, counter, 1, range);
            self.emit(Op::CountLoop, 0, counter, 0, 0, range);
        }
        match truth {
            Some(_) => self.unit.code.jump(body, range),
            None => self.jump_if(&stmt.test, body, true)?,
        }
        self.unit.regs.reset(mark);
        if let Some(counter) = counter {
            // Whoever never entered the loop has no counter, and whoever leaves it by `break` passes another `Clear`.
            self.clear(counter, 1, range);
        }
        self.unit.code.place(done);
        self.body(&stmt.orelse)?;
        match counter {
            Some(counter) if self.unit.code.used(exit) => {
                let after = self.unit.code.label();
                self.unit.code.jump(after, range);
                self.unit.code.place(exit);
                self.clear(counter, 1, range);
                self.unit.code.place(after);
            }
            _ => self.unit.code.place(exit),
        }
        Ok(())
    }

    pub(super) fn for_stmt(&mut self, stmt: &'a ast::StmtFor) -> Outcome {
        let mark = self.unit.regs.mark();
        let range = span(&*stmt.iter);
        let next = self.unit.code.label();
        let done = self.unit.code.label();
        let broken = self.unit.code.label();
        let iterator = self.unit.regs.alloc();
        let value = if stmt.is_async {
            self.expr_reg(&stmt.iter, Some(iterator))?
        } else {
            self.iterable(&stmt.iter, iterator)?
        };
        let x = self.take(value, iterator, DB);
        let op = if stmt.is_async {
            Op::GetAIter
        } else {
            Op::GetIter
        };
        self.emit(op, x, iterator, value, 0, range);
        match self.state_without(&[&stmt.body]) {
            Some(state) => self.unit.code.place_loop_head(next, state),
            None => self.unit.code.place(next),
        }
        let handler = self.unit.code.label();
        if stmt.is_async {
            self.async_next(&stmt.target, iterator, handler, range)?;
        } else {
            self.for_next(&stmt.target, iterator, done, range)?;
        }
        self.push_block(
            Block::Loop {
                exit: broken,
                next,
                iterator: Some(iterator),
            },
            range,
        )?;
        self.body(&stmt.body)?;
        self.unit.blocks.pop();
        self.unit.code.jump(next, range);
        if stmt.is_async {
            self.end_async_loop(handler, iterator, range);
        }
        self.unit.code.place(done);
        if stmt.orelse.is_empty() {
            // The exhausted loop passes the `Clear`, too: it finds nothing.
            if self.unit.code.used(broken) {
                self.unit.code.place(broken);
                self.clear(iterator, 1, range);
            }
            self.unit.regs.reset(mark);
            return Ok(());
        }
        self.unit.regs.reset(mark);
        self.body(&stmt.orelse)?;
        if self.unit.code.used(broken) {
            let exit = self.unit.code.label();
            self.unit.code.jump(exit, range);
            self.unit.code.place(broken);
            self.clear(iterator, 1, range);
            self.unit.code.place(exit);
        }
        Ok(())
    }

    /// The next item of an iterator into `target`; jumps to `done` when there is none.
    pub(super) fn for_next(
        &mut self,
        target: &'a Expr,
        iterator: u16,
        done: Label,
        range: Span,
    ) -> Outcome {
        let mark = self.unit.regs.mark();
        if let Some(register) = self.local_target(target) {
            self.unit
                .code
                .jump_ext(Op::ForIter, 0, register, iterator, done, range);
            self.bind_local(register);
        } else {
            let item = self.unit.regs.alloc();
            self.unit
                .code
                .jump_ext(Op::ForIter, 0, item, iterator, done, range);
            self.store_target(target, Operand::Reg(item))?;
        }
        self.unit.regs.reset(mark);
        Ok(())
    }

    /// The register of a target that is a plain local.
    fn local_target(&mut self, target: &'a Expr) -> Option<u16> {
        let name = target.as_name_expr()?;
        let sym = self.sym(name.id.as_str());
        match self.place(sym) {
            Place::Local(register) => Some(register),
            _ => None,
        }
    }

    /// The next item of an asynchronous iterator into `target`; `StopAsyncIteration` goes to `handler`.
    pub(super) fn async_next(
        &mut self,
        target: &'a Expr,
        iterator: u16,
        handler: Label,
        range: Span,
    ) -> Outcome {
        let mark = self.unit.regs.mark();
        let awaited = self.unit.regs.block(2);
        self.unit.code.arrive(handler);
        self.unit.code.open_region(handler, awaited, awaited + 1);
        self.emit(Op::GetANext, 0, awaited, iterator, 0, range);
        self.emit(Op::GetAwaitable, 0, awaited, awaited, 3, range);
        self.emit(Op::YieldFrom, 0, awaited + 1, awaited, 0, range);
        self.unit.code.close_region();
        self.store_target(target, Operand::Reg(awaited + 1))?;
        self.unit.regs.reset(mark);
        Ok(())
    }

    /// The end of an asynchronous loop: drops the iterator when it is exhausted.
    pub(super) fn end_async_loop(&mut self, handler: Label, iterator: u16, range: Span) {
        // The register that the handler gets the exception in is the one above the iterator.
        let mark = self.unit.regs.mark();
        let exception = self.unit.regs.alloc();
        self.unit.code.place(handler);
        self.emit(Op::EndAsyncFor, 0, exception, 0, 0, range);
        self.clear(iterator, 1, range);
        self.unit.regs.reset(mark);
    }
}
