//! Assignment: targets, unpacking, several targets at once.

use coldframe_frontend::ast::{self, Expr, Ranged};

use super::names::Place;
use super::operand::NOWHERE;
use super::{Compiler, Operand, Outcome, span};
use crate::code::Span;
use crate::op::{DA, DB, DC, KB, KC, Op};

impl<'a> Compiler<'a> {
    pub(super) fn assign(&mut self, stmt: &'a ast::StmtAssign) -> Outcome {
        let mark = self.unit.regs.mark();
        match &*stmt.targets {
            [target] => self.assign_one(target, &stmt.value)?,
            targets => {
                let range = span(stmt);
                let mut value = self.expr(&stmt.value, None)?;
                if let Operand::Reg(register) = value
                    && !self.is_temp(register)
                    && !targets.iter().all(Expr::is_name_expr)
                {
                    // A target may rebind the local before the next one gets it.
                    let copy = self.unit.regs.alloc();
                    self.emit(Op::Move, 0, copy, register, 0, range);
                    value = Operand::Reg(copy);
                }
                let last = targets.len() - 1;
                for (index, target) in targets.iter().enumerate() {
                    let inner = self.unit.regs.mark();
                    match &value {
                        Operand::Reg(register) if index < last && self.is_temp(*register) => {
                            let copy = self.unit.regs.alloc();
                            match target {
                                Expr::Name(name) => {
                                    let sym = self.sym(name.id.as_str());
                                    self.store_copy(sym, *register, span(name))?;
                                }
                                target => {
                                    self.emit(Op::Move, 0, copy, *register, 0, range);
                                    self.store_target(target, Operand::Reg(copy))?;
                                }
                            }
                        }
                        value => self.store_target(target, value.clone())?,
                    }
                    self.unit.regs.reset(inner);
                }
            }
        }
        self.unit.regs.reset(mark);
        Ok(())
    }

    /// `target = value`
    pub(super) fn assign_one(&mut self, target: &'a Expr, value: &'a Expr) -> Outcome {
        let mark = self.unit.regs.mark();
        self.assign_value(target, value)?;
        self.unit.regs.reset(mark);
        Ok(())
    }

    fn assign_value(&mut self, target: &'a Expr, value: &'a Expr) -> Outcome {
        match target {
            Expr::Name(name) => {
                let sym = self.sym(name.id.as_str());
                if let Place::Local(register) = self.place(sym) {
                    self.expr_to(value, register)?;
                    self.bind_local(register);
                    return Ok(());
                }
                let value = self.expr(value, None)?;
                self.store(sym, value, span(name))
            }
            Expr::Tuple(ast::ExprTuple { elts, .. }) | Expr::List(ast::ExprList { elts, .. })
                if self.assign_parallel(elts, value)? =>
            {
                Ok(())
            }
            target => {
                let value = self.expr(value, None)?;
                self.store_target(target, value)
            }
        }
    }

    /// `a, b = x, y` without making the tuple; gives whether that was possible.
    fn assign_parallel(&mut self, targets: &'a [Expr], value: &'a Expr) -> Outcome<bool> {
        let (Expr::Tuple(ast::ExprTuple { elts: values, .. })
        | Expr::List(ast::ExprList { elts: values, .. })) = value
        else {
            return Ok(false);
        };
        let simple = |target: &Expr| {
            matches!(
                target,
                Expr::Name(_) | Expr::Attribute(_) | Expr::Subscript(_)
            )
        };
        if targets.len() != values.len()
            || targets.len() > 16
            || !targets.iter().all(simple)
            || values.iter().any(Expr::is_starred_expr)
        {
            return Ok(false);
        }
        let mark = self.unit.regs.mark();
        // The locals that are stored to, in order.
        let mut stored: Vec<Option<u16>> = Vec::new();
        for target in targets {
            let local = match target {
                Expr::Name(name) => {
                    let sym = self.sym(name.id.as_str());
                    match self.place(sym) {
                        Place::Local(register) => Some(register),
                        _ => None,
                    }
                }
                _ => None,
            };
            stored.push(local);
        }
        let plain = targets.iter().all(Expr::is_name_expr);
        let mut operands = Vec::new();
        for (index, value) in values.iter().enumerate() {
            let range = span(value);
            let operand = self.expr(value, None)?;
            let later: Vec<&Expr> = values[index + 1..].iter().collect();
            let operand = self.stabilize(operand, &later, None, range);
            let operand = match operand {
                Operand::Reg(register) if !self.is_temp(register) => {
                    // A borrowed local that an earlier store overwrites is copied.
                    let clobbered = stored[..index].contains(&Some(register));
                    if clobbered || !plain && self.unit.rebound.contains(&register) {
                        let copy = self.unit.regs.alloc();
                        self.emit(Op::Move, 0, copy, register, 0, range);
                        Operand::Reg(copy)
                    } else {
                        Operand::Reg(register)
                    }
                }
                operand => operand,
            };
            operands.push(operand);
        }
        for (target, operand) in targets.iter().zip(operands) {
            self.store_target(target, operand)?;
        }
        self.unit.regs.reset(mark);
        Ok(true)
    }

    /// Stores a value, which is taken when it is a temporary.
    pub(super) fn store_target(&mut self, target: &'a Expr, value: Operand) -> Outcome {
        let mark = self.unit.regs.mark();
        let range = span(target);
        match target {
            Expr::Name(name) => {
                let sym = self.sym(name.id.as_str());
                self.store(sym, value, range)?;
            }
            Expr::Attribute(attribute) => {
                let value = self.stabilize(value, &[&attribute.value], None, range);
                let object = self.expr_reg(&attribute.value, None)?;
                let name = self.sym(attribute.attr.as_str());
                let name = self.text(name);
                if self.unit.code.reachable() {
                    let cache = self.unit.code.attribute(&name);
                    let (b, x) = self.rk(value, NOWHERE, KB, DB, range);
                    let x = x | self.take(object, NOWHERE, DA);
                    self.emit(Op::StoreAttr, x, object, b, cache, range);
                }
            }
            Expr::Subscript(subscript) => self.store_subscript(subscript, value, range)?,
            Expr::Tuple(ast::ExprTuple { elts, .. }) | Expr::List(ast::ExprList { elts, .. }) => {
                self.unpack(elts, value, target.range(), range)?;
            }
            Expr::Starred(starred) => {
                return self.error(
                    "starred assignment target must be in a list or tuple",
                    starred.range,
                );
            }
            other => return self.error("cannot assign to this expression", other.range()),
        }
        self.unit.regs.reset(mark);
        Ok(())
    }

    fn store_subscript(
        &mut self,
        subscript: &'a ast::ExprSubscript,
        value: Operand,
        range: Span,
    ) -> Outcome {
        let later = [&*subscript.value, &*subscript.slice];
        let value = self.stabilize(value, &later, None, range);
        let object = self.expr(&subscript.value, None)?;
        let object = self.stabilize(object, &later[1..], None, range);
        let object = self.in_register(object, None, range);
        if let Some(slice) = Self::plain_slice(&subscript.slice) {
            let bounds = self.slice_bounds(slice)?;
            let value = self.in_register(value, None, range);
            let x = self.take(object, NOWHERE, DA) | self.take(value, NOWHERE, DB);
            self.emit(Op::StoreSlice, x, object, value, bounds, range);
            return Ok(());
        }
        let index = self.expr(&subscript.slice, None)?;
        let (b, x) = self.rk(index, NOWHERE, KB, DB, range);
        let (c, of_value) = self.rk(value, NOWHERE, KC, DC, range);
        let x = x | of_value | self.take(object, NOWHERE, DA);
        self.emit(Op::StoreSubscr, x, object, b, c, range);
        Ok(())
    }

    /// Unpacks a value into targets, one of which may be starred.
    fn unpack(
        &mut self,
        targets: &'a [Expr],
        value: Operand,
        at: ast::TextRange,
        range: Span,
    ) -> Outcome {
        let star = targets.iter().position(Expr::is_starred_expr);
        let value = self.in_register(value, None, range);
        let x = self.take(value, NOWHERE, DB);
        let count = targets.len();
        let (op, c) = match star {
            None if count > usize::from(u16::MAX) => {
                return self.error("too many expressions in assignment", at);
            }
            None => (Op::Unpack, count as u16),
            Some(before) => {
                let after = count - before - 1;
                if before > 255 || after > 255 {
                    return self.error("too many expressions in star-unpacking assignment", at);
                }
                (Op::UnpackEx, (before | after << 8) as u16)
            }
        };
        if star.is_none()
            && let Some(first) = self.consecutive_locals(targets)
        {
            self.emit(op, x, first, value, c, range);
            (0..count).for_each(|offset| self.bind_local(first + offset as u16));
            return Ok(());
        }
        let first = self
            .unit
            .regs
            .block(count.min(usize::from(u16::MAX)) as u16);
        self.emit(op, x, first, value, c, range);
        for (offset, target) in targets.iter().enumerate() {
            let target = match target {
                Expr::Starred(starred) => &*starred.value,
                target => target,
            };
            self.store_target(target, Operand::Reg(first + offset as u16))?;
        }
        Ok(())
    }

    /// The first register, when the targets are locals in registers that follow each other.
    fn consecutive_locals(&mut self, targets: &'a [Expr]) -> Option<u16> {
        let mut first = None;
        for (offset, target) in targets.iter().enumerate() {
            let name = target.as_name_expr()?;
            let sym = self.sym(name.id.as_str());
            let Place::Local(register) = self.place(sym) else {
                return None;
            };
            let first = *first.get_or_insert(register);
            if usize::from(register) != usize::from(first) + offset {
                return None;
            }
        }
        first
    }
}
