//! Conditions: expressions that only decide where to go on.

use coldframe_frontend::ast::{self, BoolOp, CmpOp, Expr, UnaryOp};

use super::operand::NOWHERE;
use super::{Compiler, Operand, Outcome, span};
use crate::assemble::Label;
use crate::code::{Const, Span};
use crate::constant;
use crate::op::{DA, DB, KA, KB, Op, WHEN_TRUE};

impl<'a> Compiler<'a> {
    /// Jumps to `target` when the truth of `expr` is `when`; goes on otherwise.
    pub(super) fn jump_if(&mut self, expr: &'a Expr, target: Label, when: bool) -> Outcome {
        let mark = self.unit.regs.mark();
        self.condition(expr, target, when)?;
        self.unit.regs.reset(mark);
        Ok(())
    }

    fn condition(&mut self, expr: &'a Expr, target: Label, when: bool) -> Outcome {
        match expr {
            Expr::UnaryOp(unary) if unary.op == UnaryOp::Not => {
                self.jump_if(&unary.operand, target, !when)
            }
            Expr::BoolOp(bool_op) => {
                let shortcut = bool_op.op == BoolOp::Or;
                let Some((last, before)) = bool_op.values.split_last() else {
                    return Ok(());
                };
                if shortcut == when {
                    for value in before {
                        self.jump_if(value, target, when)?;
                    }
                    return self.jump_if(last, target, when);
                }
                let skip = self.unit.code.label();
                for value in before {
                    self.jump_if(value, skip, shortcut)?;
                }
                self.jump_if(last, target, when)?;
                self.unit.code.place(skip);
                Ok(())
            }
            Expr::If(conditional) => {
                let orelse = self.unit.code.label();
                let end = self.unit.code.label();
                self.jump_if(&conditional.test, orelse, false)?;
                self.jump_if(&conditional.body, target, when)?;
                self.unit.code.jump(end, span(expr));
                self.unit.code.place(orelse);
                self.jump_if(&conditional.orelse, target, when)?;
                self.unit.code.place(end);
                Ok(())
            }
            Expr::Compare(compare) if compare.ops.len() == 1 => {
                let range = span(compare);
                let right = &compare.comparators[0];
                let op = compare.ops[0];
                if matches!(op, CmpOp::Is | CmpOp::IsNot) && right.is_none_literal_expr() {
                    let value = self.expr_reg(&compare.left, None)?;
                    let jump = if (op == CmpOp::Is) == when {
                        Op::JumpIfNone
                    } else {
                        Op::JumpIfNotNone
                    };
                    let x = self.take(value, NOWHERE, DA);
                    self.unit.code.jump_if(jump, x, value, target, range);
                    return Ok(());
                }
                let left = self.expr(&compare.left, None)?;
                let left = self.stabilize(left, &[right], None, range);
                let right = self.comparand(op, right, None)?;
                self.compare_jump(op, (left, DA), (right, DB), target, when, range);
                Ok(())
            }
            Expr::Compare(compare) => self.chain_condition(compare, target, when),
            expr => {
                let range = span(expr);
                match self.expr(expr, None)? {
                    Operand::Const(value) => {
                        if constant::truth(&value) == when {
                            self.unit.code.jump(target, range);
                        }
                    }
                    Operand::Reg(register) => {
                        let op = if when {
                            Op::JumpIfTrue
                        } else {
                            Op::JumpIfFalse
                        };
                        let x = self.take(register, NOWHERE, DA);
                        self.unit.code.jump_if(op, x, register, target, range);
                    }
                }
                Ok(())
            }
        }
    }

    /// Emits a compare-and-jump. Each operand comes with the flag that takes it, or 0.
    pub(super) fn compare_jump(
        &mut self,
        op: CmpOp,
        (left, left_take): (Operand, u8),
        (right, right_take): (Operand, u8),
        target: Label,
        when: bool,
        range: Span,
    ) {
        let (op, when) = match op {
            CmpOp::Lt => (Op::JumpLt, when),
            CmpOp::LtE => (Op::JumpLe, when),
            CmpOp::Eq => (Op::JumpEq, when),
            CmpOp::NotEq => (Op::JumpNe, when),
            CmpOp::Gt => (Op::JumpGt, when),
            CmpOp::GtE => (Op::JumpGe, when),
            CmpOp::Is => (Op::JumpIs, when),
            CmpOp::IsNot => (Op::JumpIs, !when),
            CmpOp::In => (Op::JumpIn, when),
            CmpOp::NotIn => (Op::JumpIn, !when),
        };
        let (a, left_flags) = self.rk(left, NOWHERE, KA, left_take, range);
        let (b, right_flags) = self.rk(right, NOWHERE, KB, right_take, range);
        let sense = if when { WHEN_TRUE } else { 0 };
        let x = left_flags | right_flags | sense;
        self.unit.code.jump_ext(op, x, a, b, target, range);
    }

    /// `a < b < c` as a condition.
    fn chain_condition(
        &mut self,
        compare: &'a ast::ExprCompare,
        target: Label,
        when: bool,
    ) -> Outcome {
        let range = span(compare);
        let first = self.unit.regs.mark();
        let cleanup = self.unit.code.label();
        let past = self.unit.code.label();
        let failed = if when { past } else { target };
        let last = compare.ops.len() - 1;
        let mut left = self.expr(&compare.left, None)?;
        for (index, (op, right)) in compare.ops.iter().zip(&compare.comparators).enumerate() {
            let later: Vec<&Expr> = compare.comparators[index..].iter().collect();
            left = self.stabilize(left, &later, None, range);
            // Only the last operand of a chain may be a constant in disguise: the others are compared again.
            let mut right = if index + 1 == compare.ops.len() {
                self.comparand(*op, right, None)?
            } else {
                self.expr(right, None)?
            };
            if index == last {
                self.compare_jump(*op, (left, DA), (right, DB), target, when, range);
                break;
            }
            right = self.stabilize(right, &later[1..], None, range);
            let kept = matches!(&right, Operand::Reg(register) if self.is_temp(*register));
            let fail = if kept { cleanup } else { failed };
            self.compare_jump(*op, (left, DA), (right.clone(), 0), fail, false, range);
            left = right;
        }
        if self.unit.code.used(cleanup) {
            self.unit.code.jump(past, range);
            self.unit.code.place(cleanup);
            let count = self.unit.regs.mark() - first;
            self.clear(first, count, range);
            self.unit.code.jump(failed, range);
        }
        self.unit.code.place(past);
        Ok(())
    }

    /// The truth of an expression that is known now.
    pub(super) fn constant_truth(&mut self, expr: &'a Expr) -> Option<bool> {
        match expr {
            Expr::UnaryOp(unary) if unary.op == UnaryOp::Not => {
                self.constant_truth(&unary.operand).map(|truth| !truth)
            }
            Expr::Name(name) if name.id.as_str() == "__debug__" => Some(self.options.asserts),
            Expr::NumberLiteral(_)
            | Expr::StringLiteral(_)
            | Expr::BytesLiteral(_)
            | Expr::BooleanLiteral(_)
            | Expr::NoneLiteral(_)
            | Expr::EllipsisLiteral(_)
            | Expr::Tuple(_) => self
                .constant(expr)
                .map(|value: Const| constant::truth(&value)),
            _ => None,
        }
    }
}
