//! Displays: tuples, lists, sets and dicts, and the constants among them.

use coldframe_frontend::ast::{self, Expr};

use super::operand::NOWHERE;
use super::{Compiler, Operand, Outcome, span};
use crate::code::{Const, Span};
use crate::op::{DB, DC, KB, KC, Op};

/// Elements that are put into registers at once; longer displays are built in steps.
const CHUNK: usize = 32;

impl<'a> Compiler<'a> {
    /// The constant that the expression is, if it is one.
    pub(super) fn constant(&mut self, expr: &'a Expr) -> Option<Const> {
        match expr {
            Expr::NumberLiteral(literal) => Some(crate::constant::number(&literal.value)),
            Expr::StringLiteral(literal) => Some(self.string_constant(literal)),
            Expr::BytesLiteral(literal) => Some(Const::Bytes(literal.value.bytes().collect())),
            Expr::BooleanLiteral(literal) => Some(Const::Bool(literal.value)),
            Expr::NoneLiteral(_) => Some(Const::None),
            Expr::EllipsisLiteral(_) => Some(Const::Ellipsis),
            Expr::Tuple(tuple) => self.constants(&tuple.elts).map(Const::Tuple),
            Expr::UnaryOp(unary) => {
                let operand = self.constant(&unary.operand)?;
                crate::fold::unary(unary.op, &operand)
            }
            Expr::BinOp(binary) => {
                let right = self.constant(&binary.right)?;
                let left = self.constant(&binary.left)?;
                crate::fold::binary(binary.op, &left, &right)
            }
            _ => None,
        }
    }

    /// The constants that the expressions are, if they all are.
    pub(super) fn constants(&mut self, exprs: &'a [Expr]) -> Option<Box<[Const]>> {
        exprs.iter().map(|expr| self.constant(expr)).collect()
    }

    pub(super) fn tuple(
        &mut self,
        tuple: &'a ast::ExprTuple,
        hint: Option<u16>,
    ) -> Outcome<Operand> {
        if let Some(items) = self.constants(&tuple.elts) {
            return Ok(Operand::Const(Const::Tuple(items)));
        }
        let dst = match hint {
            Some(dst) => dst,
            None => self.unit.regs.alloc(),
        };
        let mark = self.unit.regs.mark();
        self.tuple_into(&tuple.elts, dst, span(tuple))?;
        self.unit.regs.reset(mark);
        Ok(Operand::Reg(dst))
    }

    /// `R[dst] = (*elements,)`
    pub(super) fn tuple_into(&mut self, elements: &'a [Expr], dst: u16, range: Span) -> Outcome {
        let mark = self.unit.regs.mark();
        if elements.len() <= CHUNK && !elements.iter().any(Expr::is_starred_expr) {
            let first = self.window(elements)?;
            self.emit(Op::BuildTuple, 0, dst, first, elements.len() as u16, range);
        } else {
            let list = self.unit.regs.alloc();
            self.list(elements, list, range)?;
            self.emit(Op::ListToTuple, 0, dst, list, 0, range);
        }
        self.unit.regs.reset(mark);
        Ok(())
    }

    /// The values of the expressions in new temporaries in a row.
    pub(super) fn window(&mut self, exprs: &'a [Expr]) -> Outcome<u16> {
        let first = self.unit.regs.mark();
        for expr in exprs {
            self.expr_temp(expr)?;
        }
        Ok(first)
    }

    /// How many of the first elements go into the first chunk.
    fn first_chunk(elements: &[Expr]) -> usize {
        elements
            .iter()
            .take(CHUNK)
            .take_while(|element| !element.is_starred_expr())
            .count()
    }

    /// A register for a collection under construction: not a local, which the elements might read.
    fn collection(&mut self, dst: u16) -> u16 {
        match self.sub_hint(dst) {
            Some(register) => register,
            None => self.unit.regs.alloc(),
        }
    }

    /// `R[dst] = [*elements]`
    pub(super) fn list(&mut self, elements: &'a [Expr], dst: u16, range: Span) -> Outcome {
        let mark = self.unit.regs.mark();
        if elements.len() >= 3
            && let Some(items) = self.constants(elements)
        {
            let list = self.collection(dst);
            self.emit(Op::BuildList, 0, list, 0, 0, range);
            let items_register = self.unit.regs.alloc();
            self.load_const(items_register, Const::Tuple(items), range);
            self.emit(Op::ListExtend, DB, list, items_register, 0, range);
            self.move_to(Operand::Reg(list), dst, range);
            self.unit.regs.reset(mark);
            return Ok(());
        }
        let count = Self::first_chunk(elements);
        if count == elements.len() {
            let first = self.window(elements)?;
            self.emit(Op::BuildList, 0, dst, first, count as u16, range);
            self.unit.regs.reset(mark);
            return Ok(());
        }
        let list = self.collection(dst);
        let inner = self.unit.regs.mark();
        let first = self.window(&elements[..count])?;
        self.emit(Op::BuildList, 0, list, first, count as u16, range);
        self.unit.regs.reset(inner);
        self.extend_list(list, &elements[count..], None, range)?;
        self.move_to(Operand::Reg(list), dst, range);
        self.unit.regs.reset(mark);
        Ok(())
    }

    /// Adds elements, some of them starred, to the list in a register. `callee` is the register of the function whose arguments
    /// they are, for the error text.
    pub(super) fn extend_list(
        &mut self,
        list: u16,
        elements: &'a [Expr],
        callee: Option<u16>,
        range: Span,
    ) -> Outcome {
        let only = elements.len() == 1;
        for element in elements {
            let mark = self.unit.regs.mark();
            match element {
                Expr::Starred(starred) => {
                    let value = self.expr_reg(&starred.value, None)?;
                    let x = self.take(value, NOWHERE, DB);
                    // The text names the function only where nothing else is among the arguments.
                    let (x, c) = match callee {
                        Some(callee) if only => (x | KC, callee),
                        _ => (x, 0),
                    };
                    let at = if callee.is_some() {
                        range
                    } else {
                        span(element)
                    };
                    self.emit(Op::ListExtend, x, list, value, c, at);
                }
                element => {
                    let value = self.expr(element, None)?;
                    let (b, x) = self.rk(value, NOWHERE, KB, DB, range);
                    self.emit(Op::ListAppend, x, list, b, 0, range);
                }
            }
            self.unit.regs.reset(mark);
        }
        Ok(())
    }

    pub(super) fn set(&mut self, elements: &'a [Expr], dst: u16, range: Span) -> Outcome {
        let mark = self.unit.regs.mark();
        // Three and more constants are kept as a frozenset and poured out, as CPython does: the order of the elements depends on it.
        if elements.len() > 2
            && let Some(items) = self.constants(elements)
        {
            let set = self.collection(dst);
            self.emit(Op::BuildSet, 0, set, 0, 0, range);
            let value = self.unit.regs.alloc();
            self.load_const(value, Const::FrozenSet(items), range);
            self.emit(Op::SetUpdate, DB, set, value, 0, range);
            self.move_to(Operand::Reg(set), dst, range);
            self.unit.regs.reset(mark);
            return Ok(());
        }
        let count = Self::first_chunk(elements);
        if count == elements.len() {
            let first = self.window(elements)?;
            self.emit(Op::BuildSet, 0, dst, first, count as u16, range);
            self.unit.regs.reset(mark);
            return Ok(());
        }
        let set = self.collection(dst);
        let inner = self.unit.regs.mark();
        let first = self.window(&elements[..count])?;
        self.emit(Op::BuildSet, 0, set, first, count as u16, range);
        self.unit.regs.reset(inner);
        for element in &elements[count..] {
            match element {
                Expr::Starred(starred) => {
                    let value = self.expr_reg(&starred.value, None)?;
                    let x = self.take(value, NOWHERE, DB);
                    self.emit(Op::SetUpdate, x, set, value, 0, span(element));
                }
                element => {
                    let value = self.expr(element, None)?;
                    let (b, x) = self.rk(value, NOWHERE, KB, DB, range);
                    self.emit(Op::SetAdd, x, set, b, 0, range);
                }
            }
            self.unit.regs.reset(inner);
        }
        self.move_to(Operand::Reg(set), dst, range);
        self.unit.regs.reset(mark);
        Ok(())
    }

    pub(super) fn dict(&mut self, dict: &'a ast::ExprDict, dst: u16) -> Outcome {
        let range = span(dict);
        let mark = self.unit.regs.mark();
        let items = &dict.items;
        let count = items
            .iter()
            .take(CHUNK / 2)
            .take_while(|item| item.key.is_some())
            .count();
        let whole = count == items.len();
        let target = if whole { dst } else { self.collection(dst) };
        let inner = self.unit.regs.mark();
        for item in &items[..count] {
            if let Some(key) = &item.key {
                self.expr_temp(key)?;
                self.expr_temp(&item.value)?;
            }
        }
        self.emit(Op::BuildDict, 0, target, inner, count as u16, range);
        self.unit.regs.reset(inner);
        for item in &items[count..] {
            match &item.key {
                None => {
                    let value = self.expr_reg(&item.value, None)?;
                    let x = self.take(value, NOWHERE, DB);
                    self.emit(Op::DictUpdate, x, target, value, 0, range);
                }
                Some(key) => {
                    let key = self.expr(key, None)?;
                    let key = self.stabilize(key, &[&item.value], None, range);
                    let value = self.expr(&item.value, None)?;
                    self.dict_set(target, key, value, range);
                }
            }
            self.unit.regs.reset(inner);
        }
        self.move_to(Operand::Reg(target), dst, range);
        self.unit.regs.reset(mark);
        Ok(())
    }

    pub(super) fn dict_set(&mut self, dict: u16, key: Operand, value: Operand, range: Span) {
        let (b, key_flags) = self.rk(key, NOWHERE, KB, DB, range);
        let (c, value_flags) = self.rk(value, NOWHERE, KC, DC, range);
        self.emit(Op::DictSet, key_flags | value_flags, dict, b, c, range);
    }
}
