//! Calls.

use coldframe_frontend::ast::{self, Expr, ExprContext};

use super::names::Place;
use super::operand::NOWHERE;
use super::{Compiler, Outcome, span};
use crate::code::{BlockKind, Const, Span};
use crate::op::{DB, Instr, Op};
use crate::symtable::scope::Res;

/// Arguments that are passed in registers; calls with more build a tuple.
const MAX_ARGUMENTS: usize = 128;

/// Flag of the `super` instructions: the two arguments are written in the source. Otherwise a `super` that is not the builtin is called
/// without arguments.
const EXPLICIT_SUPER: u8 = 1;

impl<'a> Compiler<'a> {
    pub(super) fn call(&mut self, expr: &'a ast::ExprCall, dst: u16) -> Outcome {
        let range = span(expr);
        let arguments = &expr.arguments;
        if !in_registers(&arguments.args, &arguments.keywords, 0) {
            let base = self.call_window(dst);
            self.expr_to(&expr.func, base)?;
            return self.call_ex(base, &arguments.args, &arguments.keywords, &[], dst, range);
        }
        let base = self.call_window(dst);
        match &*expr.func {
            Expr::Attribute(attribute) if attribute.ctx == ExprContext::Load => {
                self.method(attribute, base)?;
            }
            func => self.expr_to(func, base)?,
        }
        for argument in &arguments.args {
            self.expr_temp(argument)?;
        }
        self.finish_call(base, arguments.args.len(), &arguments.keywords, dst, range)
    }

    /// The first register of a call window, with the one behind it: `dst` itself when it is on top of the stack.
    pub(super) fn call_window(&mut self, dst: u16) -> u16 {
        if self.is_temp(dst) && dst + 1 == self.unit.regs.mark() {
            self.unit.regs.alloc();
            dst
        } else {
            self.unit.regs.block(2)
        }
    }

    /// Evaluates the keywords behind the `count` positional arguments of a window, and calls.
    pub(super) fn finish_call(
        &mut self,
        base: u16,
        count: usize,
        keywords: &'a [ast::Keyword],
        dst: u16,
        range: Span,
    ) -> Outcome {
        let mut names = Vec::new();
        for keyword in keywords {
            self.expr_temp(&keyword.value)?;
            if let Some(name) = &keyword.arg {
                names.push(self.keyword_name(name));
            }
        }
        if names.is_empty() {
            self.emit(Op::Call, 0, dst, base, count as u16, range);
        } else if self.unit.code.reachable() {
            let total = (count + names.len()) as u16;
            let index = self.unit.code.constant(Const::Tuple(names.into()));
            self.unit.code.emit_ext(
                Instr::new(Op::CallKw, 0, dst, base, total),
                index as i32,
                range,
            );
        }
        Ok(())
    }

    fn keyword_name(&mut self, name: &ast::Identifier) -> Const {
        let sym = self.sym(name.as_str());
        Const::Str(self.text(sym).as_bytes().into())
    }

    /// The callee of `object.name(...)` in `R[base]`, `R[base+1]`.
    fn method(&mut self, attribute: &'a ast::ExprAttribute, base: u16) -> Outcome {
        if self.super_attribute(attribute, Op::LoadSuperMethod, base)? {
            return Ok(());
        }
        let mark = self.unit.regs.mark();
        let object = self.expr_reg(&attribute.value, Some(base))?;
        let name = self.sym(attribute.attr.as_str());
        let name = self.text(name);
        if self.unit.code.reachable() {
            let cache = self.unit.code.attribute(&name);
            let x = self.take(object, base, DB);
            self.emit(Op::LoadMethod, x, base, object, cache, span(attribute));
        }
        self.unit.regs.reset(mark);
        Ok(())
    }

    /// `super().name` and `super(A, b).name` without making the `super` object; gives whether the expression is of that form.
    pub(super) fn super_attribute(
        &mut self,
        attribute: &'a ast::ExprAttribute,
        op: Op,
        dst: u16,
    ) -> Outcome<bool> {
        let Expr::Call(call) = &*attribute.value else {
            return Ok(false);
        };
        let is_super = call
            .func
            .as_name_expr()
            .is_some_and(|name| name.id == "super");
        if !is_super || !call.arguments.keywords.is_empty() || self.unit.kind != BlockKind::Function
        {
            return Ok(false);
        }
        let known = self.table.known;
        if self.place(known.super_) != Place::Global {
            return Ok(false);
        }
        let range = span(call);
        let mark = self.unit.regs.mark();
        match &*call.arguments.args {
            [] => {
                let root = self.table.scope(self.unit.root);
                let Some(&first) = root.params.first() else {
                    return Ok(false);
                };
                let parameters = self.unit.args > 0;
                let class = self.place(known.class);
                let in_class = root
                    .get(known.class)
                    .is_some_and(|symbol| symbol.res == Res::Free);
                if !parameters || !in_class || !matches!(class, Place::Free(_)) {
                    return Ok(false);
                }
                let Some(&register) = root.registers.get(&first) else {
                    return Ok(false);
                };
                let captured = root.cells.contains(&register);
                let window = self.unit.regs.block(3);
                self.load(known.super_, Some(window), span(&*call.func));
                self.load(known.class, Some(window + 1), range);
                if captured {
                    self.emit(Op::LoadCell, 0, window + 2, register, 0, range);
                } else {
                    self.check_bound(register, range);
                    self.emit(Op::Move, 0, window + 2, register, 0, range);
                }
                self.finish_super(attribute, op, 0, dst, window);
            }
            [class, object] if !class.is_starred_expr() && !object.is_starred_expr() => {
                let window = self.unit.regs.block(3);
                self.load(known.super_, Some(window), span(&*call.func));
                self.expr_to(class, window + 1)?;
                self.expr_to(object, window + 2)?;
                self.finish_super(attribute, op, EXPLICIT_SUPER, dst, window);
            }
            _ => return Ok(false),
        }
        self.unit.regs.reset(mark);
        Ok(true)
    }

    fn finish_super(
        &mut self,
        attribute: &'a ast::ExprAttribute,
        op: Op,
        flags: u8,
        dst: u16,
        window: u16,
    ) {
        let name = self.sym(attribute.attr.as_str());
        let name = self.text(name);
        if self.unit.code.reachable() {
            let cache = self.unit.code.attribute(&name);
            self.emit(op, flags, dst, window, cache, span(attribute));
        }
    }

    /// Calls `R[base]` with arguments that need unpacking, or are too many. `leading` and `trailing` say what comes before and behind
    /// `args` and is in registers already: see the class statement.
    pub(super) fn call_ex(
        &mut self,
        base: u16,
        args: &'a [Expr],
        keywords: &'a [ast::Keyword],
        extra: &[(u16, bool)],
        dst: u16,
        range: Span,
    ) -> Outcome {
        let positional = self.unit.regs.alloc();
        debug_assert_eq!(positional, base + 2);
        let leading: Vec<u16> = extra
            .iter()
            .filter(|(_, trailing)| !trailing)
            .map(|(register, _)| *register)
            .collect();
        let trailing: Vec<u16> = extra
            .iter()
            .filter(|(_, trailing)| *trailing)
            .map(|(register, _)| *register)
            .collect();
        if extra.is_empty() {
            if let [Expr::Starred(starred)] = args {
                let mark = self.unit.regs.mark();
                let value = self.expr_reg(&starred.value, None)?;
                let x = self.take(value, NOWHERE, DB);
                self.emit(Op::StarArgs, x, positional, value, base, range);
                self.unit.regs.reset(mark);
            } else if args.iter().any(Expr::is_starred_expr) {
                self.emit(Op::BuildList, 0, positional, 0, 0, range);
                self.extend_list(positional, args, Some(base), range)?;
                self.emit(Op::ListToTuple, 0, positional, positional, 0, range);
            } else {
                self.tuple_into(args, positional, range)?;
            }
        } else {
            self.emit(Op::BuildList, 0, positional, 0, 0, range);
            for register in leading {
                self.emit(Op::ListAppend, DB, positional, register, 0, range);
            }
            self.extend_list(positional, args, None, range)?;
            for register in trailing {
                self.emit(Op::ListAppend, DB, positional, register, 0, range);
            }
            self.emit(Op::ListToTuple, 0, positional, positional, 0, range);
        }
        if !keywords.is_empty() {
            let dict = self.unit.regs.alloc();
            self.keyword_dict(keywords, dict, base, range)?;
        } else {
            // The register of the keywords belongs to the window, though it holds nothing.
            self.unit.regs.alloc();
        }
        self.emit(Op::CallEx, 0, dst, base, 0, range);
        Ok(())
    }

    /// `R[dict] = {**keywords}` for the callee in `R[callee]`.
    fn keyword_dict(
        &mut self,
        keywords: &'a [ast::Keyword],
        dict: u16,
        callee: u16,
        range: Span,
    ) -> Outcome {
        let mark = self.unit.regs.mark();
        let mut rest = keywords;
        let mut first = true;
        while !rest.is_empty() {
            let named = rest
                .iter()
                .take(16)
                .take_while(|keyword| keyword.arg.is_some())
                .count();
            // The first group makes the dict; later ones are merged into it, which finds repetitions.
            let target = if first { dict } else { self.unit.regs.alloc() };
            if first || named > 0 {
                let pairs = self.unit.regs.mark();
                for keyword in &rest[..named] {
                    if let Some(name) = &keyword.arg {
                        let key = self.keyword_name(name);
                        let register = self.unit.regs.alloc();
                        self.load_const(register, key, span(keyword));
                        self.expr_temp(&keyword.value)?;
                    }
                }
                self.emit(Op::BuildDict, 0, target, pairs, named as u16, range);
                if !first {
                    self.emit(Op::DictMerge, DB, dict, target, callee, range);
                }
                self.unit.regs.reset(mark);
                first = false;
                rest = &rest[named..];
            } else {
                let keyword = &rest[0];
                let value = self.expr_reg(&keyword.value, Some(target))?;
                let x = self.take(value, NOWHERE, DB);
                self.emit(Op::DictMerge, x, dict, value, callee, range);
                self.unit.regs.reset(mark);
                rest = &rest[1..];
            }
        }
        Ok(())
    }
}

/// Whether all arguments, with `extra` more, can be passed in registers.
pub(super) fn in_registers(args: &[Expr], keywords: &[ast::Keyword], extra: usize) -> bool {
    args.len() + keywords.len() + extra <= MAX_ARGUMENTS
        && !args.iter().any(Expr::is_starred_expr)
        && keywords.iter().all(|keyword| keyword.arg.is_some())
}
