//! Where values are while an expression is computed.

use coldframe_frontend::ast::Expr;

use super::{Compiler, Outcome};
use crate::code::{Const, Span};
use crate::op::Op;

/// No destination: every temporary operand is taken.
pub(crate) const NOWHERE: u16 = u16::MAX;

/// A value.
#[derive(Clone, Debug)]
pub(crate) enum Operand {
    /// In a register: a local, borrowed until somebody assigns to it, or a temporary, owned.
    Reg(u16),
    /// A constant, not loaded yet.
    Const(Const),
}

impl<'a> Compiler<'a> {
    /// The register that an operand of a result in `dst` may use: `dst` itself unless it is a local.
    pub(super) fn sub_hint(&self, dst: u16) -> Option<u16> {
        self.unit.regs.is_temp(dst).then_some(dst)
    }

    pub(super) fn is_temp(&self, register: u16) -> bool {
        register != NOWHERE && self.unit.regs.is_temp(register)
    }

    /// The flag with which an instruction takes `register`, when it is a temporary other than the destination.
    pub(super) fn take(&self, register: u16, dst: u16, flag: u8) -> u8 {
        if register != dst && self.is_temp(register) {
            flag
        } else {
            0
        }
    }

    /// The operand field and its flags for an `RK` operand.
    pub(super) fn rk(
        &mut self,
        operand: Operand,
        dst: u16,
        constant_flag: u8,
        take_flag: u8,
        span: Span,
    ) -> (u16, u8) {
        match operand {
            Operand::Reg(register) => (register, self.take(register, dst, take_flag)),
            Operand::Const(constant) => {
                if !self.unit.code.reachable() {
                    return (0, 0);
                }
                let index = self.unit.code.constant(constant);
                match u16::try_from(index) {
                    Ok(index) => (index, constant_flag),
                    Err(_) => {
                        let register = self.unit.regs.alloc();
                        self.unit
                            .code
                            .emit_imm(Op::LoadConst, 0, register, index as i32, span);
                        (register, take_flag)
                    }
                }
            }
        }
    }

    /// The operand in a register; a constant is loaded into `hint` or a new temporary.
    pub(super) fn in_register(&mut self, operand: Operand, hint: Option<u16>, span: Span) -> u16 {
        match operand {
            Operand::Reg(register) => register,
            Operand::Const(constant) => {
                let register = match hint {
                    Some(register) => register,
                    None => self.unit.regs.alloc(),
                };
                self.load_const(register, constant, span);
                register
            }
        }
    }

    /// Puts the operand into `dst`.
    pub(super) fn move_to(&mut self, operand: Operand, dst: u16, span: Span) {
        match operand {
            Operand::Reg(register) if register == dst => {}
            Operand::Reg(register) => {
                let op = if self.is_temp(register) {
                    Op::Take
                } else {
                    Op::Move
                };
                self.emit(op, 0, dst, register, 0, span);
            }
            Operand::Const(constant) => self.load_const(dst, constant, span),
        }
    }

    /// Drops an operand that nobody used.
    pub(super) fn drop_operand(&mut self, operand: &Operand, span: Span) {
        if let Operand::Reg(register) = operand
            && self.is_temp(*register)
        {
            self.clear(*register, 1, span);
        }
    }

    /// Copies a borrowed local when computing `later` might rebind it.
    pub(super) fn stabilize(
        &mut self,
        operand: Operand,
        later: &[&'a Expr],
        hint: Option<u16>,
        span: Span,
    ) -> Operand {
        match operand {
            Operand::Reg(register)
                if !self.is_temp(register)
                    && self.unit.rebound.contains(&register)
                    && !later.iter().all(|expr| is_simple(expr)) =>
            {
                let copy = match hint {
                    Some(copy) => copy,
                    None => self.unit.regs.alloc(),
                };
                self.emit(Op::Move, 0, copy, register, 0, span);
                Operand::Reg(copy)
            }
            operand => operand,
        }
    }

    /// The value of `expr`, in a register.
    pub(super) fn expr_reg(&mut self, expr: &'a Expr, hint: Option<u16>) -> Outcome<u16> {
        let operand = self.expr(expr, hint)?;
        Ok(self.in_register(operand, hint, super::span(expr)))
    }

    /// The value of `expr`, in `dst`.
    pub(super) fn expr_to(&mut self, expr: &'a Expr, dst: u16) -> Outcome {
        let mark = self.unit.regs.mark();
        let operand = self.expr(expr, Some(dst))?;
        self.move_to(operand, dst, super::span(expr));
        self.unit.regs.reset(mark);
        Ok(())
    }

    /// The value of `expr` in a new temporary.
    pub(super) fn expr_temp(&mut self, expr: &'a Expr) -> Outcome<u16> {
        let register = self.unit.regs.alloc();
        self.expr_to(expr, register)?;
        Ok(register)
    }
}

/// Whether computing the expression cannot bind a name.
fn is_simple(expr: &Expr) -> bool {
    match expr {
        Expr::Name(_)
        | Expr::StringLiteral(_)
        | Expr::BytesLiteral(_)
        | Expr::NumberLiteral(_)
        | Expr::BooleanLiteral(_)
        | Expr::NoneLiteral(_)
        | Expr::EllipsisLiteral(_) => true,
        Expr::Attribute(expr) => is_simple(&expr.value),
        _ => false,
    }
}
