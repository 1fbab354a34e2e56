//! Comprehensions and generator expressions.

use coldframe_frontend::ast::{self, Expr};

use super::operand::NOWHERE;
use super::{Compiler, Operand, Outcome, span};
use crate::code::{BlockKind, Const, Span};
use crate::op::{DB, Op};
use crate::symtable::scope::{Part, Res, ScopeKind, address};

/// What is done with an element.
#[derive(Clone, Copy)]
enum Collect<'a> {
    List(&'a Expr),
    Set(&'a Expr),
    Dict(&'a Expr, &'a Expr),
    Yield(&'a Expr),
}

impl<'a> Compiler<'a> {
    pub(super) fn comprehension(&mut self, expr: &'a Expr, dst: u16) -> Outcome {
        let (generators, collect, node, name) = match expr {
            Expr::ListComp(comp) => (
                &comp.generators,
                Collect::List(&comp.elt),
                address(comp),
                "<listcomp>",
            ),
            Expr::SetComp(comp) => (
                &comp.generators,
                Collect::Set(&comp.elt),
                address(comp),
                "<setcomp>",
            ),
            Expr::DictComp(comp) => (
                &comp.generators,
                Collect::Dict(&comp.key, &comp.value),
                address(comp),
                "<dictcomp>",
            ),
            Expr::Generator(comp) => (
                &comp.generators,
                Collect::Yield(&comp.elt),
                address(comp),
                "<genexpr>",
            ),
            _ => return Ok(()),
        };
        let range = span(expr);
        let Some(&scope) = self.table.by_node.get(&(node, Part::Body)) else {
            return self.error("comprehension without a scope", ast::Ranged::range(expr));
        };
        let Some(first) = generators.first() else {
            return Ok(());
        };
        if !self.table.scope(scope).inlined {
            return self.nested_comprehension(expr, node, scope, generators, collect, name, dst);
        }
        let result = match self.sub_hint(dst) {
            Some(register) => register,
            None => self.unit.regs.alloc(),
        };
        // The first iterable belongs to the scope around.
        let iterator = self.unit.regs.alloc();
        self.iterator(&first.iter, first.is_async, iterator)?;
        let build = match collect {
            Collect::Set(_) => Op::BuildSet,
            Collect::Dict(..) => Op::BuildDict,
            _ => Op::BuildList,
        };
        self.emit(build, 0, result, 0, 0, range);
        let outer = std::mem::replace(&mut self.unit.scope, scope);
        let mut own: Vec<(u16, bool)> = self
            .table
            .scope(scope)
            .symbols
            .iter()
            .filter(|symbol| matches!(symbol.res, Res::Local | Res::Cell))
            .filter_map(|symbol| {
                let register = self.table.scope(scope).registers.get(&symbol.name)?;
                Some((*register, symbol.res == Res::Cell))
            })
            .collect();
        own.sort_unstable();
        for &(register, cell) in &own {
            self.unbind_local(register);
            if cell {
                self.emit(Op::MakeCell, 0, register, 0, 0, range);
            }
        }
        self.clauses(generators, Some(iterator), collect, result)?;
        // The variables die here; those in neighbouring registers with one instruction.
        let mut at = 0;
        while at < own.len() {
            let (start, _) = own[at];
            let mut count = 1;
            while at + count < own.len() && own[at + count].0 == start + count as u16 {
                count += 1;
            }
            self.clear(start, count as u16, range);
            at += count;
        }
        for &(register, _) in &own {
            self.unbind_local(register);
        }
        self.unit.scope = outer;
        self.move_to(Operand::Reg(result), dst, range);
        Ok(())
    }

    /// `R[iterator] = iter(expr)` or `aiter(expr)`
    fn iterator(&mut self, expr: &'a Expr, is_async: bool, iterator: u16) -> Outcome {
        let value = if is_async {
            self.expr_reg(expr, Some(iterator))?
        } else {
            self.iterable(expr, iterator)?
        };
        let x = self.take(value, iterator, DB);
        let op = if is_async { Op::GetAIter } else { Op::GetIter };
        self.emit(op, x, iterator, value, 0, span(expr));
        Ok(())
    }

    /// The value to iterate over, in a register; displays of constants are constants themselves. (The order of a set depends on how it was made.)
    pub(super) fn iterable(&mut self, expr: &'a Expr, hint: u16) -> Outcome<u16> {
        let constant = match expr {
            Expr::List(list) => self.constants(&list.elts).map(Const::Tuple),
            Expr::Set(set) => self.constants(&set.elts).map(Const::FrozenSet),
            _ => None,
        };
        if let Some(constant) = constant {
            self.load_const(hint, constant, span(expr));
            return Ok(hint);
        }
        self.expr_reg(expr, Some(hint))
    }

    /// The loops of a comprehension; the iterator of the first one is there already.
    fn clauses(
        &mut self,
        clauses: &'a [ast::Comprehension],
        iterator: Option<u16>,
        collect: Collect<'a>,
        result: u16,
    ) -> Outcome {
        let Some((clause, rest)) = clauses.split_first() else {
            return self.collect(collect, result);
        };
        let mark = self.unit.regs.mark();
        let range = span(&clause.iter);
        let iterator = match iterator {
            Some(iterator) => iterator,
            None => {
                let iterator = self.unit.regs.alloc();
                self.iterator(&clause.iter, clause.is_async, iterator)?;
                iterator
            }
        };
        let next = self.unit.code.label();
        let done = self.unit.code.label();
        if let Some(state) = self.unit.code.state {
            self.unit.code.place_loop_head(next, state);
        }
        let handler = self.unit.code.label();
        if clause.is_async {
            self.async_next(&clause.target, iterator, handler, range)?;
        } else {
            self.for_next(&clause.target, iterator, done, range)?;
        }
        for test in &clause.ifs {
            self.jump_if(test, next, false)?;
        }
        self.clauses(rest, None, collect, result)?;
        self.unit.code.jump(next, range);
        if clause.is_async {
            self.end_async_loop(handler, iterator, range);
        }
        self.unit.code.place(done);
        self.unit.regs.reset(mark);
        Ok(())
    }

    fn collect(&mut self, collect: Collect<'a>, result: u16) -> Outcome {
        let mark = self.unit.regs.mark();
        match collect {
            Collect::List(element) | Collect::Set(element) => {
                let range = span(element);
                let op = match collect {
                    Collect::List(_) => Op::ListAppend,
                    _ => Op::SetAdd,
                };
                let value = self.expr(element, None)?;
                let (b, x) = self.rk(value, NOWHERE, crate::op::KB, DB, range);
                self.emit(op, x, result, b, 0, range);
            }
            Collect::Dict(key, value) => {
                let range = span(key);
                let key = self.expr(key, None)?;
                let key = self.stabilize(key, &[value], None, range);
                let value = self.expr(value, None)?;
                self.dict_set(result, key, value, range);
            }
            Collect::Yield(element) => {
                let range = span(element);
                let value = self.expr(element, None)?;
                let sent = self.unit.regs.alloc();
                let (b, x) = self.rk(value, NOWHERE, crate::op::KB, DB, range);
                self.emit(Op::Yield, x, sent, b, 0, range);
                self.clear(sent, 1, range);
            }
        }
        self.unit.regs.reset(mark);
        Ok(())
    }

    /// A generator expression, or a comprehension that is a function of its own.
    #[allow(clippy::too_many_arguments)]
    fn nested_comprehension(
        &mut self,
        expr: &'a Expr,
        node: usize,
        scope: crate::symtable::scope::ScopeId,
        generators: &'a [ast::Comprehension],
        collect: Collect<'a>,
        name: &str,
        dst: u16,
    ) -> Outcome {
        let range = span(expr);
        let first = &generators[0];
        let key = (node, Part::Body);
        let code = match self.unit.functions.get(&key) {
            Some(&index) => index,
            None => {
                let line = self.line(range);
                self.enter_unit(scope, name, BlockKind::Function, line);
                self.unit.posonly = 1;
                self.unit.args = 1;
                self.make_cells(range);
                self.nested_body(generators, collect, range)?;
                let proto = self.leave_unit()?;
                let index = self.code_constant(proto);
                self.unit.functions.insert(key, index);
                index
            }
        };
        let is_async = self.table.scope(scope).is_async;
        let generator = self.table.scope(scope).kind == ScopeKind::Generator;
        let base = self.call_window(dst);
        self.emit_make_function(base, code, 0, 0, range);
        let iterator = self.unit.regs.alloc();
        self.iterator(&first.iter, first.is_async, iterator)?;
        if is_async && !generator {
            let result = self.unit.regs.alloc();
            self.emit(Op::Call, 0, result, base, 1, range);
            self.emit(Op::GetAwaitable, 0, result, result, 0, range);
            self.emit(Op::YieldFrom, 0, dst, result, 0, range);
        } else {
            self.emit(Op::Call, 0, dst, base, 1, range);
        }
        Ok(())
    }

    fn nested_body(
        &mut self,
        generators: &'a [ast::Comprehension],
        collect: Collect<'a>,
        range: Span,
    ) -> Outcome {
        let result = match collect {
            Collect::Yield(_) => 0,
            Collect::List(_) | Collect::Set(_) | Collect::Dict(..) => {
                let register = self.unit.regs.alloc();
                let build = match collect {
                    Collect::Set(_) => Op::BuildSet,
                    Collect::Dict(..) => Op::BuildDict,
                    _ => Op::BuildList,
                };
                self.emit(build, 0, register, 0, 0, range);
                register
            }
        };
        // The parameter is the iterator of the first clause.
        self.clauses(generators, Some(0), collect, result)?;
        match collect {
            Collect::Yield(_) => self.return_none(range),
            _ => self.emit_return(Operand::Reg(result), range),
        }
        Ok(())
    }

    /// The line of a span.
    pub(super) fn line(&self, range: Span) -> u32 {
        self.lines.line(range.start as usize)
    }
}
