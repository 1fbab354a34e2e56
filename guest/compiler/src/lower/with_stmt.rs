//! `with`.

use coldframe_frontend::ast::{self, Stmt};

use super::unit::Block;
use super::{Compiler, Operand, Outcome, span};
use crate::code::Span;
use crate::op::{DA, DB, Op};

impl<'a> Compiler<'a> {
    pub(super) fn with_stmt(&mut self, stmt: &'a ast::StmtWith) -> Outcome {
        self.with_items(&stmt.items, stmt)
    }

    fn with_items(&mut self, items: &'a [ast::WithItem], stmt: &'a ast::StmtWith) -> Outcome {
        let Some((item, rest)) = items.split_first() else {
            return self.body(&stmt.body);
        };
        let range = span(&item.context_expr);
        let mark = self.unit.regs.mark();
        // The bound `__exit__`, and behind it what `__enter__` gave.
        let exit = self.unit.regs.alloc();
        let manager = self.expr_reg(&item.context_expr, Some(exit))?;
        self.unit.regs.reset(exit + 1);
        self.unit.regs.alloc();
        let x = self.take(manager, exit, DB);
        let is_async = stmt.is_async;
        let op = if is_async {
            Op::AsyncWithEnter
        } else {
            Op::WithEnter
        };
        self.emit(op, x, exit, manager, 0, range);
        if is_async {
            let result = self.unit.regs.alloc();
            self.emit(Op::GetAwaitable, 0, exit + 1, exit + 1, 1, range);
            self.emit(Op::YieldFrom, 0, result, exit + 1, 0, range);
            self.emit(Op::Take, 0, exit + 1, result, 0, range);
            self.unit.regs.reset(exit + 2);
        }
        let handler = self.unit.code.label();
        let end = self.unit.code.label();
        let body: &[Stmt] = &stmt.body;
        let state = self.state_without(&[body]);
        let regions = self.unit.code.region_count();
        self.unit.code.open_region(handler, exit + 1, exit + 2);
        self.push_block(
            Block::With {
                exit,
                is_async,
                span: range,
                regions,
            },
            range,
        )?;
        match &item.optional_vars {
            Some(target) => self.store_target(target, Operand::Reg(exit + 1))?,
            None => self.clear(exit + 1, 1, range),
        }
        self.unit.regs.reset(exit + 1);
        self.with_items(rest, stmt)?;
        self.unit.blocks.pop();
        let covers = self.unit.code.close_region();
        self.with_exit(exit, is_async, range);
        self.unit.code.jump(end, range);

        self.unit.code.place_handler(handler, state, covers);
        self.handler(range, None, |this, exception, saved| {
            let mark = this.unit.regs.mark();
            let verdict = this.unit.regs.block(2);
            this.emit(Op::WithExcept, 0, verdict, exit, exception, range);
            let verdict = if is_async {
                this.emit(Op::GetAwaitable, 0, verdict, verdict, 2, range);
                this.emit(Op::YieldFrom, 0, verdict + 1, verdict, 0, range);
                verdict + 1
            } else {
                verdict
            };
            let raise = this.unit.code.label();
            this.unit
                .code
                .jump_if(Op::JumpIfFalse, DA, verdict, raise, range);
            this.leave_clause(exception, saved, end, range);
            this.unit.code.place(raise);
            this.unit.regs.reset(mark);
            Ok(())
        })?;
        self.unit.code.place(end);
        self.unit.regs.reset(mark);
        Ok(())
    }

    /// The normal exit of a `with` block.
    pub(super) fn with_exit(&mut self, exit: u16, is_async: bool, range: Span) {
        let mark = self.unit.regs.mark();
        let result = self.unit.regs.block(2);
        self.emit(Op::WithExit, 0, result, exit, 0, range);
        if is_async {
            self.emit(Op::GetAwaitable, 0, result, result, 2, range);
            self.emit(Op::YieldFrom, 0, result + 1, result, 0, range);
            self.clear(result + 1, 1, range);
        } else {
            self.clear(result, 1, range);
        }
        self.unit.regs.reset(mark);
    }
}
