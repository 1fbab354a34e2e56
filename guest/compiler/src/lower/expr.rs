//! Expressions: operators, attributes, subscripts, conditionals.

use coldframe_frontend::ast::{self, BoolOp, CmpOp, Expr, Operator, UnaryOp};

use coldframe_frontend::ast::helpers::any_over_expr;

use super::operand::NOWHERE;
use super::{Compiler, Operand, Outcome, span};
use crate::code::{Const, Span};
use crate::constant;
use crate::fold;
use crate::op::{DB, DC, KB, KC, Op};

/// The instruction of a binary operator.
pub(super) fn operator(op: Operator) -> Op {
    match op {
        Operator::Add => Op::Add,
        Operator::Sub => Op::Sub,
        Operator::Mult => Op::Mul,
        Operator::MatMult => Op::MatMul,
        Operator::Div => Op::Div,
        Operator::Mod => Op::Mod,
        Operator::Pow => Op::Pow,
        Operator::LShift => Op::Shl,
        Operator::RShift => Op::Shr,
        Operator::BitOr => Op::Or,
        Operator::BitXor => Op::Xor,
        Operator::BitAnd => Op::And,
        Operator::FloorDiv => Op::FloorDiv,
    }
}

fn comparison(op: CmpOp) -> Op {
    match op {
        CmpOp::Eq => Op::Eq,
        CmpOp::NotEq => Op::Ne,
        CmpOp::Lt => Op::Lt,
        CmpOp::LtE => Op::Le,
        CmpOp::Gt => Op::Gt,
        CmpOp::GtE => Op::Ge,
        CmpOp::Is => Op::Is,
        CmpOp::IsNot => Op::IsNot,
        CmpOp::In => Op::In,
        CmpOp::NotIn => Op::NotIn,
    }
}

impl<'a> Compiler<'a> {
    /// Computes an expression. A result that needs a register goes to `hint`, or else to a new temporary, which is then
    /// the only one that stays allocated.
    pub(super) fn expr(&mut self, expr: &'a Expr, hint: Option<u16>) -> Outcome<Operand> {
        match expr {
            Expr::NumberLiteral(literal) => Ok(Operand::Const(constant::number(&literal.value))),
            Expr::StringLiteral(literal) => Ok(Operand::Const(self.string_constant(literal))),
            Expr::BytesLiteral(literal) => Ok(Operand::Const(Const::Bytes(
                literal.value.bytes().collect(),
            ))),
            Expr::BooleanLiteral(literal) => Ok(Operand::Const(Const::Bool(literal.value))),
            Expr::NoneLiteral(_) => Ok(Operand::Const(Const::None)),
            Expr::EllipsisLiteral(_) => Ok(Operand::Const(Const::Ellipsis)),
            Expr::IpyEscapeCommand(carrier) => match constant::carried(&carrier.value) {
                Some(constant) => Ok(Operand::Const(constant)),
                None => self.error("invalid syntax", carrier.range),
            },
            Expr::Name(name) => self.name(name, hint),
            Expr::BinOp(expr) => self.binary(expr, hint),
            Expr::UnaryOp(expr) => self.unary(expr, hint),
            Expr::Tuple(tuple) => self.tuple(tuple, hint),
            other => {
                let start = self.unit.regs.mark();
                let dst = match hint {
                    Some(dst) => dst,
                    None => self.unit.regs.alloc(),
                };
                let mark = self.unit.regs.mark();
                let operand = self.compound(other, dst)?;
                let keep = matches!(operand, Operand::Reg(register) if register == dst);
                self.unit.regs.reset(if keep { mark } else { start });
                Ok(operand)
            }
        }
    }

    /// Expressions whose result is computed into `dst` (or turns out to be elsewhere, with `dst` unused).
    fn compound(&mut self, expr: &'a Expr, dst: u16) -> Outcome<Operand> {
        match expr {
            Expr::Attribute(_) | Expr::Subscript(_) => self.trailers(expr, dst)?,
            Expr::Call(expr) => self.call(expr, dst)?,
            Expr::Compare(expr) => self.compare(expr, dst)?,
            Expr::BoolOp(expr) => self.bool_op(expr, dst)?,
            Expr::If(expr) => self.conditional(expr, dst)?,
            Expr::Named(expr) => return self.named(expr, dst),
            Expr::Lambda(expr) => self.lambda(expr, dst)?,
            Expr::List(expr) => self.list(&expr.elts, dst, span(expr))?,
            Expr::Set(expr) => self.set(&expr.elts, dst, span(expr))?,
            Expr::Dict(expr) => self.dict(expr, dst)?,
            Expr::ListComp(_) | Expr::SetComp(_) | Expr::DictComp(_) | Expr::Generator(_) => {
                self.comprehension(expr, dst)?;
            }
            Expr::Await(expr) => self.await_expr(expr, dst)?,
            Expr::Yield(expr) => self.yield_expr(expr, dst)?,
            Expr::YieldFrom(expr) => self.yield_from(expr, dst)?,
            Expr::FString(expr) => return self.f_string(expr, dst),
            Expr::TString(expr) => self.t_string(expr, dst)?,
            Expr::Slice(expr) => return self.slice(expr, dst),
            Expr::Starred(expr) => {
                return self.error("can't use starred expression here", expr.range);
            }
            // The others are dealt with by the caller.
            other => return self.expr(other, Some(dst)),
        }
        Ok(Operand::Reg(dst))
    }

    fn name(&mut self, name: &'a ast::ExprName, hint: Option<u16>) -> Outcome<Operand> {
        if name.id.as_str() == "__debug__" {
            return Ok(Operand::Const(Const::Bool(self.options.asserts)));
        }
        let sym = self.sym(name.id.as_str());
        Ok(self.load(sym, hint, span(name)))
    }

    // ---- operators

    /// Binary operators: a chain that leans to the left is followed down, not recursed into.
    fn binary(&mut self, expr: &'a ast::ExprBinOp, hint: Option<u16>) -> Outcome<Operand> {
        let mut chain = vec![expr];
        while let Some(Expr::BinOp(left)) = chain.last().map(|last| &*last.left) {
            chain.push(left);
        }
        let start = self.unit.regs.mark();
        let dst = match hint {
            Some(dst) => dst,
            None => self.unit.regs.alloc(),
        };
        let mark = self.unit.regs.mark();
        // Where the results before the last one go.
        let mut middle = self.sub_hint(dst);
        let Some(innermost) = chain.last() else {
            return Ok(Operand::Const(Const::None));
        };
        let mut left = self.expr(&innermost.left, middle)?;
        if let (None, Operand::Reg(register)) = (middle, &left)
            && self.is_temp(*register)
        {
            middle = Some(*register);
        }
        while let Some(node) = chain.pop() {
            let range = span(node);
            left = self.stabilize(left, &[&node.right], middle, range);
            let right_hint = match (&left, middle) {
                (Operand::Reg(register), Some(middle)) if *register == middle => None,
                _ => middle,
            };
            let right = self.expr(&node.right, right_hint)?;
            if let (Operand::Const(left_value), Operand::Const(right_value)) = (&left, &right)
                && let Some(folded) = fold::binary(node.op, left_value, right_value)
            {
                left = Operand::Const(folded);
                continue;
            }
            let target = if chain.is_empty() {
                dst
            } else {
                *middle.get_or_insert_with(|| self.unit.regs.alloc())
            };
            self.binary_into(operator(node.op), 0, target, left, right, range);
            left = Operand::Reg(target);
            let floor = middle.map_or(mark, |middle| mark.max(middle + 1));
            self.unit.regs.reset(floor);
        }
        let keep = matches!(left, Operand::Reg(register) if register == dst);
        self.unit.regs.reset(if keep { mark } else { start });
        Ok(left)
    }

    /// `R[dst] = left op right`, with the short forms for small integers.
    pub(super) fn binary_into(
        &mut self,
        op: Op,
        flags: u8,
        dst: u16,
        left: Operand,
        right: Operand,
        range: Span,
    ) {
        let short = match (op, &right) {
            (Op::Add, Operand::Const(Const::Int(value))) => {
                i16::try_from(*value).ok().map(|value| (Op::AddInt, value))
            }
            (Op::Sub, Operand::Const(Const::Int(value))) => {
                i16::try_from(*value).ok().map(|value| (Op::SubInt, value))
            }
            _ => None,
        };
        if let (Some((op, value)), Operand::Reg(register)) = (short, &left) {
            let x = self.take(*register, dst, DB);
            self.emit(op, flags | x, dst, *register, value as u16, range);
            return;
        }
        let (b, left_flags) = self.rk(left, dst, KB, DB, range);
        let (c, right_flags) = self.rk(right, dst, KC, DC, range);
        self.emit(op, flags | left_flags | right_flags, dst, b, c, range);
    }

    fn unary(&mut self, expr: &'a ast::ExprUnaryOp, hint: Option<u16>) -> Outcome<Operand> {
        let start = self.unit.regs.mark();
        let dst = match hint {
            Some(dst) => dst,
            None => self.unit.regs.alloc(),
        };
        let mark = self.unit.regs.mark();
        let range = span(expr);
        let sub = self.sub_hint(dst);
        let operand = self.expr(&expr.operand, sub)?;
        if let Operand::Const(value) = &operand
            && let Some(folded) = fold::unary(expr.op, value)
        {
            self.unit.regs.reset(start);
            return Ok(Operand::Const(folded));
        }
        let register = self.in_register(operand, sub, range);
        let op = match expr.op {
            UnaryOp::Invert => Op::Invert,
            UnaryOp::Not => Op::Not,
            UnaryOp::UAdd => Op::Pos,
            UnaryOp::USub => Op::Neg,
        };
        let x = self.take(register, dst, DB);
        self.emit(op, x, dst, register, 0, range);
        self.unit.regs.reset(mark);
        Ok(Operand::Reg(dst))
    }

    // ---- comparison

    fn compare(&mut self, expr: &'a ast::ExprCompare, dst: u16) -> Outcome {
        let range = span(expr);
        let sub = self.sub_hint(dst);
        let single = expr.ops.len() == 1;
        if !single {
            return self.compare_chain(expr, dst);
        }
        let (op, right) = (expr.ops[0], &expr.comparators[0]);
        let left = self.expr(&expr.left, sub)?;
        let left = self.stabilize(left, &[right], sub, range);
        let right_hint = match &left {
            Operand::Reg(register) if Some(*register) == sub => None,
            _ => sub,
        };
        let right = self.comparand(op, right, right_hint)?;
        let (b, left_flags) = self.rk(left, dst, KB, DB, range);
        let (c, right_flags) = self.rk(right, dst, KC, DC, range);
        self.emit(comparison(op), left_flags | right_flags, dst, b, c, range);
        Ok(())
    }

    /// `a < b < c` as a value: the first false result, or the last one.
    fn compare_chain(&mut self, expr: &'a ast::ExprCompare, dst: u16) -> Outcome {
        let range = span(expr);
        // The result of each comparison, which must not overwrite a local that a later operand reads.
        let result = match self.sub_hint(dst) {
            Some(register) => register,
            None => self.unit.regs.alloc(),
        };
        let first = self.unit.regs.mark();
        let cleanup = self.unit.code.label();
        let end = self.unit.code.label();
        let last = expr.ops.len() - 1;
        let mut left = self.expr(&expr.left, None)?;
        for (index, (op, right)) in expr.ops.iter().zip(&expr.comparators).enumerate() {
            let later: Vec<&Expr> = expr.comparators[index..].iter().collect();
            left = self.stabilize(left, &later, None, range);
            // Only the last operand of a chain may be a constant in disguise: the others are compared again.
            let mut right = if index + 1 == expr.ops.len() {
                self.comparand(*op, right, None)?
            } else {
                self.expr(right, None)?
            };
            if index < last {
                right = self.stabilize(right, &later[1..], None, range);
            }
            let (b, left_flags) = self.rk(left, NOWHERE, KB, DB, range);
            if index == last {
                let (c, right_flags) = self.rk(right, NOWHERE, KC, DC, range);
                self.emit(
                    comparison(*op),
                    left_flags | right_flags,
                    result,
                    b,
                    c,
                    range,
                );
                break;
            }
            // The right operand is the left one of the next comparison: it is not taken.
            let (c, right_flags) = self.rk(right.clone(), NOWHERE, KC, 0, range);
            self.emit(
                comparison(*op),
                left_flags | right_flags,
                result,
                b,
                c,
                range,
            );
            let target = if matches!(&right, Operand::Reg(register) if self.is_temp(*register)) {
                cleanup
            } else {
                end
            };
            self.unit
                .code
                .jump_if(Op::JumpIfFalse, 0, result, target, range);
            left = right;
        }
        if self.unit.code.used(cleanup) {
            self.unit.code.jump(end, range);
            self.unit.code.place(cleanup);
            let count = self.unit.regs.mark() - first;
            self.clear(first, count, range);
        }
        self.unit.code.place(end);
        self.move_to(Operand::Reg(result), dst, range);
        Ok(())
    }

    /// The right operand of a comparison: displays after `in` become constants.
    pub(super) fn comparand(
        &mut self,
        op: CmpOp,
        expr: &'a Expr,
        hint: Option<u16>,
    ) -> Outcome<Operand> {
        if matches!(op, CmpOp::In | CmpOp::NotIn) {
            match expr {
                Expr::List(list) => {
                    if let Some(items) = self.constants(&list.elts) {
                        return Ok(Operand::Const(Const::Tuple(items)));
                    }
                }
                Expr::Set(set) => {
                    if let Some(items) = self.constants(&set.elts) {
                        return Ok(Operand::Const(Const::FrozenSet(items)));
                    }
                }
                _ => {}
            }
        }
        self.expr(expr, hint)
    }

    // ---- and, or, if

    fn bool_op(&mut self, expr: &'a ast::ExprBoolOp, dst: u16) -> Outcome {
        let range = span(expr);
        let op = match expr.op {
            BoolOp::And => Op::JumpIfFalse,
            BoolOp::Or => Op::JumpIfTrue,
        };
        let end = self.unit.code.label();
        // A local destination keeps its old value until the result is known, where that can be noticed.
        let result = match self.sub_hint(dst).or(self.may_overwrite(dst, &expr.values)) {
            Some(register) => register,
            None => self.unit.regs.alloc(),
        };
        let last = expr.values.len() - 1;
        for (index, value) in expr.values.iter().enumerate() {
            if index == last {
                self.expr_to(value, result)?;
                break;
            }
            let mark = self.unit.regs.mark();
            let operand = self.expr(value, Some(result))?;
            match operand {
                Operand::Const(constant) => {
                    let decides = constant::truth(&constant) == (op == Op::JumpIfTrue);
                    if decides {
                        self.load_const(result, constant, range);
                        self.unit.code.jump(end, range);
                        break;
                    }
                }
                Operand::Reg(register) if register == result => {
                    // Going on, what is in `result` stays until the next value overwrites it.
                    self.unit.code.jump_if(op, 0, result, end, range);
                }
                Operand::Reg(local) => {
                    // Borrowed: only the deciding way copies it.
                    let next = self.unit.code.label();
                    let opposite = match op {
                        Op::JumpIfTrue => Op::JumpIfFalse,
                        _ => Op::JumpIfTrue,
                    };
                    self.unit.code.jump_if(opposite, 0, local, next, range);
                    self.move_to(Operand::Reg(local), result, range);
                    self.unit.code.jump(end, range);
                    self.unit.code.place(next);
                }
            }
            self.unit.regs.reset(mark);
        }
        self.unit.code.place(end);
        self.move_to(Operand::Reg(result), dst, range);
        Ok(())
    }

    /// The local `dst`, when it does not matter that it gets intermediate values: no handler sees it, and the values read it at most
    /// as the first one of them.
    fn may_overwrite(&self, dst: u16, values: &'a [Expr]) -> Option<u16> {
        let scope = self.table.scope(self.unit.root);
        let name = *scope.varnames.get(usize::from(dst))?;
        let text = self.table.names.text(name);
        let reads = |expr: &Expr| expr.as_name_expr().is_some_and(|name| *name.id == **text);
        let first_is_name = values.first().is_some_and(Expr::is_name_expr);
        let rest = if first_is_name { &values[1..] } else { values };
        let free = self.unit.code.region_count() == 0
            && !rest.iter().any(|value| any_over_expr(value, &reads));
        free.then_some(dst)
    }

    fn conditional(&mut self, expr: &'a ast::ExprIf, dst: u16) -> Outcome {
        let range = span(expr);
        let orelse = self.unit.code.label();
        let end = self.unit.code.label();
        self.jump_if(&expr.test, orelse, false)?;
        self.expr_to(&expr.body, dst)?;
        self.unit.code.jump(end, range);
        self.unit.code.place(orelse);
        self.expr_to(&expr.orelse, dst)?;
        self.unit.code.place(end);
        Ok(())
    }

    /// `target := value`; the value of the expression is the local itself where that is possible.
    fn named(&mut self, expr: &'a ast::ExprNamed, dst: u16) -> Outcome<Operand> {
        let Expr::Name(target) = &*expr.target else {
            return self.error(
                "cannot use assignment expressions with this target",
                expr.range,
            );
        };
        let sym = self.sym(target.id.as_str());
        let range = span(target);
        if let super::names::Place::Local(register) = self.place(sym) {
            self.expr_to(&expr.value, register)?;
            self.bind_local(register);
            return Ok(Operand::Reg(register));
        }
        self.expr_to(&expr.value, dst)?;
        self.store_copy(sym, dst, range)?;
        Ok(Operand::Reg(dst))
    }

    /// Binds a name to the value of a register that stays as it is.
    pub(super) fn store_copy(
        &mut self,
        name: crate::symtable::scope::Sym,
        register: u16,
        range: Span,
    ) -> Outcome {
        if let super::names::Place::Local(local) = self.place(name) {
            self.emit(Op::Move, 0, local, register, 0, range);
            self.bind_local(local);
            return Ok(());
        }
        // The stores to cells, globals and namespaces copy when their flag is not set.
        let place = self.place(name);
        self.store_place(place, name, register, 0, range);
        Ok(())
    }

    // ---- suspension

    fn await_expr(&mut self, expr: &'a ast::ExprAwait, dst: u16) -> Outcome {
        let range = span(expr);
        let register = self.unit.regs.alloc();
        let value = self.expr_reg(&expr.value, Some(register))?;
        let x = self.take(value, register, DB);
        self.emit(Op::GetAwaitable, x, register, value, 0, range);
        self.emit(Op::YieldFrom, 0, dst, register, 0, range);
        Ok(())
    }

    fn yield_expr(&mut self, expr: &'a ast::ExprYield, dst: u16) -> Outcome {
        let range = span(expr);
        let value = match &expr.value {
            Some(value) => {
                let sub = self.sub_hint(dst);
                self.expr(value, sub)?
            }
            None => Operand::Const(Const::None),
        };
        let (b, x) = self.rk(value, dst, KB, DB, range);
        self.emit(Op::Yield, x, dst, b, 0, range);
        Ok(())
    }

    fn yield_from(&mut self, expr: &'a ast::ExprYieldFrom, dst: u16) -> Outcome {
        let range = span(expr);
        let register = self.unit.regs.alloc();
        let value = self.expr_reg(&expr.value, Some(register))?;
        let x = self.take(value, register, DB);
        self.emit(Op::GetYieldFromIter, x, register, value, 0, range);
        self.emit(Op::YieldFrom, 0, dst, register, 0, range);
        Ok(())
    }

    /// Computes an expression for its effects.
    pub(super) fn discard(&mut self, expr: &'a Expr) -> Outcome {
        let mark = self.unit.regs.mark();
        let range = span(expr);
        match expr {
            Expr::BoolOp(bool_op) => {
                let end = self.unit.code.label();
                let (last, before) = match bool_op.values.split_last() {
                    Some(split) => split,
                    None => return Ok(()),
                };
                for value in before {
                    self.jump_if(value, end, bool_op.op == BoolOp::Or)?;
                }
                self.discard(last)?;
                self.unit.code.place(end);
            }
            Expr::If(conditional) => {
                let orelse = self.unit.code.label();
                let end = self.unit.code.label();
                self.jump_if(&conditional.test, orelse, false)?;
                self.discard(&conditional.body)?;
                self.unit.code.jump(end, range);
                self.unit.code.place(orelse);
                self.discard(&conditional.orelse)?;
                self.unit.code.place(end);
            }
            expr => {
                let value = self.expr(expr, None)?;
                self.drop_operand(&value, range);
            }
        }
        self.unit.regs.reset(mark);
        Ok(())
    }
}
