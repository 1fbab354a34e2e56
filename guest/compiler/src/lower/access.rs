//! Attributes, subscripts and slices.

use coldframe_frontend::ast::{self, Expr};

use super::{Compiler, Operand, Outcome, span};
use crate::code::Const;
use crate::op::{DB, DC, KC, Op};

impl<'a> Compiler<'a> {
    /// Attributes and subscripts: `a.b[c].d` is followed down to `a`, not recursed into.
    pub(super) fn trailers(&mut self, expr: &'a Expr, dst: u16) -> Outcome {
        let mut chain = vec![expr];
        let mut inner = expr;
        while let Expr::Attribute(ast::ExprAttribute { value, .. })
        | Expr::Subscript(ast::ExprSubscript { value, .. }) = inner
        {
            inner = value;
            if matches!(inner, Expr::Attribute(_) | Expr::Subscript(_)) {
                chain.push(inner);
            }
        }
        let mark = self.unit.regs.mark();
        // Where the results before the last one go.
        let mut middle = self.sub_hint(dst);
        let mut object = None;
        while let Some(node) = chain.pop() {
            let target = if chain.is_empty() {
                dst
            } else {
                *middle.get_or_insert_with(|| self.unit.regs.alloc())
            };
            let floor = self.unit.regs.mark();
            match node {
                Expr::Attribute(node) => self.attribute(node, object, middle, target)?,
                Expr::Subscript(node) => self.subscript(node, object, middle, target)?,
                _ => {}
            }
            self.unit.regs.reset(floor);
            object = Some(target);
        }
        self.unit.regs.reset(mark);
        Ok(())
    }

    /// One attribute, of the object in a register or of the node's own value.
    pub(super) fn attribute(
        &mut self,
        node: &'a ast::ExprAttribute,
        object: Option<u16>,
        hint: Option<u16>,
        dst: u16,
    ) -> Outcome {
        let range = span(node);
        let object = match object {
            Some(object) => object,
            None => {
                if self.super_attribute(node, Op::LoadSuperAttr, dst)? {
                    return Ok(());
                }
                self.expr_reg(&node.value, hint)?
            }
        };
        let name = self.sym(node.attr.as_str());
        let name = self.text(name);
        if self.unit.code.reachable() {
            let cache = self.unit.code.attribute(&name);
            let x = self.take(object, dst, DB);
            self.emit(Op::LoadAttr, x, dst, object, cache, range);
        }
        Ok(())
    }

    /// One subscript, likewise.
    pub(super) fn subscript(
        &mut self,
        node: &'a ast::ExprSubscript,
        object: Option<u16>,
        hint: Option<u16>,
        dst: u16,
    ) -> Outcome {
        let range = span(node);
        let object = match object {
            Some(object) => object,
            None => {
                let object = self.expr(&node.value, hint)?;
                let object = self.stabilize(object, &[&node.slice], hint, range);
                self.in_register(object, hint, range)
            }
        };
        if let Some(slice) = Self::plain_slice(&node.slice) {
            let bounds = self.slice_bounds(slice)?;
            let x = self.take(object, dst, DB);
            self.emit(Op::LoadSlice, x, dst, object, bounds, range);
            return Ok(());
        }
        let index_hint = if Some(object) == hint { None } else { hint };
        let index = self.expr(&node.slice, index_hint)?;
        let (c, index_flags) = self.rk(index, dst, KC, DC, range);
        let x = self.take(object, dst, DB);
        self.emit(Op::Subscr, x | index_flags, dst, object, c, range);
        Ok(())
    }

    /// The two parts of a slice without a step, in two temporaries in a row.
    pub(super) fn slice_bounds(&mut self, slice: &'a ast::ExprSlice) -> Outcome<u16> {
        let first = self.unit.regs.block(2);
        let range = span(slice);
        for (offset, part) in [&slice.lower, &slice.upper].into_iter().enumerate() {
            let register = first + offset as u16;
            match part {
                Some(part) => self.expr_to(part, register)?,
                None => self.load_const(register, Const::None, range),
            }
        }
        Ok(first)
    }

    /// Whether the subscript is a slice that the two-part instructions serve. Constant slices are no constants here.
    pub(super) fn plain_slice(expr: &'a Expr) -> Option<&'a ast::ExprSlice> {
        match expr {
            Expr::Slice(slice) if slice.step.is_none() => Some(slice),
            _ => None,
        }
    }

    pub(super) fn slice(&mut self, slice: &'a ast::ExprSlice, dst: u16) -> Outcome<Operand> {
        let range = span(slice);
        let first = self.unit.regs.block(3);
        let parts = [&slice.lower, &slice.upper, &slice.step];
        for (offset, part) in parts.into_iter().enumerate() {
            let register = first + offset as u16;
            match part {
                Some(part) => self.expr_to(part, register)?,
                None => self.load_const(register, Const::None, range),
            }
        }
        self.emit(Op::BuildSlice, 0, dst, first, 0, range);
        Ok(Operand::Reg(dst))
    }
}
