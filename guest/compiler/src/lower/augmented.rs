//! Assignment with an operator (`x += 1`): the target is computed once.

use coldframe_frontend::ast::{self, Expr, Ranged};

use super::expr::operator;
use super::names::Place;
use super::operand::NOWHERE;
use super::{Compiler, Operand, Outcome, span};
use crate::op::{DA, DB, DC, INPLACE, KB, KC, Op};

impl<'a> Compiler<'a> {
    pub(super) fn aug_assign(&mut self, stmt: &'a ast::StmtAugAssign) -> Outcome {
        let mark = self.unit.regs.mark();
        let range = span(stmt);
        let op = operator(stmt.op);
        match &*stmt.target {
            Expr::Name(name) => {
                let sym = self.sym(name.id.as_str());
                let at = span(name);
                let left = self.load(sym, None, at);
                let left = self.stabilize(left, &[&stmt.value], None, at);
                let right = self.expr(&stmt.value, None)?;
                let place = self.place(sym);
                let dst = match place {
                    Place::Local(register) => register,
                    _ => match &left {
                        Operand::Reg(register) => *register,
                        Operand::Const(_) => self.unit.regs.alloc(),
                    },
                };
                self.binary_into(op, INPLACE, dst, left, right, range);
                match place {
                    Place::Local(register) => self.bind_local(register),
                    _ => self.store(sym, Operand::Reg(dst), at)?,
                }
            }
            Expr::Attribute(target) => {
                let at = span(target);
                let object = self.expr(&target.value, None)?;
                let object = self.stabilize(object, &[&stmt.value], None, at);
                let object = self.in_register(object, None, at);
                let name = self.sym(target.attr.as_str());
                let name = self.text(name);
                let value = self.unit.regs.alloc();
                if self.unit.code.reachable() {
                    let cache = self.unit.code.attribute(&name);
                    self.emit(Op::LoadAttr, 0, value, object, cache, at);
                }
                let right = self.expr(&stmt.value, None)?;
                self.binary_into(op, INPLACE, value, Operand::Reg(value), right, range);
                if self.unit.code.reachable() {
                    let cache = self.unit.code.attribute(&name);
                    let x = self.take(object, NOWHERE, DA) | DB;
                    self.emit(Op::StoreAttr, x, object, value, cache, at);
                }
            }
            Expr::Subscript(target) => {
                let at = span(target);
                let object = self.expr(&target.value, None)?;
                let object = self.stabilize(object, &[&target.slice, &stmt.value], None, at);
                let object = self.in_register(object, None, at);
                let index = self.expr(&target.slice, None)?;
                let index = self.stabilize(index, &[&stmt.value], None, at);
                let value = self.unit.regs.alloc();
                let (c, x) = self.rk(index.clone(), NOWHERE, KC, 0, at);
                self.emit(Op::Subscr, x, value, object, c, at);
                let right = self.expr(&stmt.value, None)?;
                self.binary_into(op, INPLACE, value, Operand::Reg(value), right, range);
                let (b, x) = self.rk(index, NOWHERE, KB, DB, at);
                let x = x | self.take(object, NOWHERE, DA) | DC;
                self.emit(Op::StoreSubscr, x, object, b, value, at);
            }
            other => {
                return self.error("illegal expression for augmented assignment", other.range());
            }
        }
        self.unit.regs.reset(mark);
        Ok(())
    }
}
