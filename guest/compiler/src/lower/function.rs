//! Functions and lambdas.

use std::rc::Rc;

use coldframe_frontend::ast::{self, Expr, Ranged};

use super::{Compiler, Operand, Outcome, span};
use crate::code::{BlockKind, Compiled, Const, Span};
use crate::op::{Instr, Op};
use crate::symtable::scope::{Part, ScopeId, ScopeKind, address};

/// `MakeFunction`: there is a tuple of defaults.
pub(super) const DEFAULTS: u8 = 1;
/// `MakeFunction`: there is a dict of keyword-only defaults.
pub(super) const KW_DEFAULTS: u8 = 2;
/// `MakeFunction`: there is an `__annotate__` function.
pub(super) const ANNOTATE: u8 = 4;

impl<'a> Compiler<'a> {
    /// `R[dst] = function of code K[code]`, with what `flags` say in the registers from `window` on.
    pub(super) fn emit_make_function(
        &mut self,
        dst: u16,
        code: u32,
        flags: u8,
        window: u16,
        range: Span,
    ) {
        let code = self.unit.code.short(code);
        self.emit(Op::MakeFunction, flags, dst, code, window, range);
    }

    /// The scope that belongs to a node.
    pub(super) fn scope_of(&self, node: usize, part: Part) -> Option<ScopeId> {
        self.table.by_node.get(&(node, part)).copied()
    }

    /// The code of a nested function, compiled once for a node in this unit.
    pub(super) fn nested_code(
        &mut self,
        node: usize,
        part: Part,
        compile: impl FnOnce(&mut Self, ScopeId) -> Outcome<Rc<Compiled>>,
        at: ast::TextRange,
    ) -> Outcome<u32> {
        if let Some(&index) = self.unit.functions.get(&(node, part)) {
            return Ok(index);
        }
        let Some(scope) = self.scope_of(node, part) else {
            return self.error("definition without a scope", at);
        };
        let proto = compile(self, scope)?;
        let index = self.code_constant(proto);
        self.unit.functions.insert((node, part), index);
        Ok(index)
    }

    // ---- def

    pub(super) fn function_def(&mut self, def: &'a ast::StmtFunctionDef) -> Outcome {
        let mark = self.unit.regs.mark();
        let range = span(def);
        let sym = self.sym(def.name.as_str());
        // A decorator, its empty register for self, and its argument: the next window begins at the argument.
        let decorators = self.decorators(&def.decorator_list)?;
        let function = self.unit.regs.alloc();
        self.function(def, function, range)?;
        let function = self.apply_decorators(&def.decorator_list, decorators, function);
        self.unit.regs.reset(function + 1);
        self.store(sym, Operand::Reg(function), range)?;
        self.unit.regs.reset(mark);
        Ok(())
    }

    pub(super) fn decorators(&mut self, decorators: &'a [ast::Decorator]) -> Outcome<u16> {
        let first = self.unit.regs.mark();
        for decorator in decorators {
            let register = self.unit.regs.alloc();
            self.expr_to(&decorator.expression, register)?;
            self.unit.regs.alloc();
        }
        Ok(first)
    }

    /// Calls the decorators, the last one first; gives the register of the result.
    pub(super) fn apply_decorators(
        &mut self,
        decorators: &'a [ast::Decorator],
        first: u16,
        function: u16,
    ) -> u16 {
        let mut argument = function;
        for (index, decorator) in decorators.iter().enumerate().rev() {
            let base = first + 2 * index as u16;
            debug_assert_eq!(argument, base + 2);
            let at = span(&decorator.expression);
            self.emit(Op::Call, 0, base, base, 1, at);
            argument = base;
        }
        argument
    }

    /// The line of the definition, or of its first decorator.
    pub(super) fn definition_line(
        &self,
        decorators: &[ast::Decorator],
        range: ast::TextRange,
    ) -> u32 {
        let start = decorators.first().map_or(range, Ranged::range).start();
        self.lines.line(start.to_usize())
    }

    /// `R[dst] = function`, defaults and annotations included.
    fn function(&mut self, def: &'a ast::StmtFunctionDef, dst: u16, range: Span) -> Outcome {
        let Some(type_params) = &def.type_params else {
            let mark = self.unit.regs.mark();
            let window = self.unit.regs.block(3);
            let mut flags = self.defaults(Some(&def.parameters), window, range)?;
            flags |= self.function_annotations(def, window + 2, range)?;
            let code = self.function_code(def)?;
            self.emit_make_function(dst, code, flags, window, range);
            self.unit.regs.reset(mark);
            return Ok(());
        };
        // The defaults are computed outside of the type-parameter scope and handed in.
        let mark = self.unit.regs.mark();
        let base = self.unit.regs.block(2);
        let window = self.unit.regs.block(2);
        let flags = self.defaults(Some(&def.parameters), window, range)?;
        let count = match flags {
            0 => 0,
            KW_DEFAULTS => {
                self.move_to(Operand::Reg(window + 1), window, range);
                1
            }
            DEFAULTS => 1,
            _ => 2,
        };
        let name = format!("<generic parameters of {}>", def.name);
        let code = self.nested_code(
            address(def),
            Part::TypeParams,
            |this, scope| {
                let line = this.definition_line(&def.decorator_list, def.range);
                this.enter_unit(scope, &name, BlockKind::Function, line);
                this.unit.args = count;
                this.make_cells(range);
                let params = this.unit.regs.alloc();
                this.type_params(type_params, params, range)?;
                let function = this.unit.regs.alloc();
                let window = this.unit.regs.block(3);
                let known = this.table.known;
                for (flag, name, offset) in [
                    (DEFAULTS, known.defaults, 0),
                    (KW_DEFAULTS, known.kwdefaults, 1),
                ] {
                    if flags & flag != 0 {
                        let value = this.load(name, Some(window + offset), range);
                        this.move_to(value, window + offset, range);
                    }
                }
                let annotate = this.function_annotations(def, window + 2, range)?;
                let code = this.function_code(def)?;
                this.emit_make_function(function, code, flags | annotate, window, range);
                this.set_type_params(function, params, range);
                this.emit_return(Operand::Reg(function), range);
                this.leave_unit()
            },
            def.range,
        )?;
        self.emit_make_function(base, code, 0, 0, range);
        self.emit(Op::Call, 0, dst, base, count, range);
        self.unit.regs.reset(mark);
        Ok(())
    }

    /// Defaults of parameters in `R[window]` (tuple) and `R[window + 1]` (dict); gives the flags of `MakeFunction`.
    fn defaults(
        &mut self,
        parameters: Option<&'a ast::Parameters>,
        window: u16,
        range: Span,
    ) -> Outcome<u8> {
        let Some(parameters) = parameters else {
            return Ok(0);
        };
        let mut flags = 0;
        let positional: Vec<&'a Expr> = parameters
            .posonlyargs
            .iter()
            .chain(&parameters.args)
            .filter_map(|param| param.default.as_deref())
            .collect();
        if !positional.is_empty() {
            flags |= DEFAULTS;
            let constants: Option<Box<[Const]>> = positional
                .iter()
                .map(|default| self.constant(default))
                .collect();
            match constants {
                Some(items) => self.load_const(window, Const::Tuple(items), range),
                None => {
                    let mark = self.unit.regs.mark();
                    for default in &positional {
                        self.expr_temp(default)?;
                    }
                    let count = positional.len() as u16;
                    self.emit(Op::BuildTuple, 0, window, mark, count, range);
                    self.unit.regs.reset(mark);
                }
            }
        }
        let mut count = 0;
        let mark = self.unit.regs.mark();
        for param in &parameters.kwonlyargs {
            if let Some(default) = &param.default {
                let name = self.sym(param.parameter.name.as_str());
                let name = Const::Str(self.text(name).as_bytes().into());
                let key = self.unit.regs.alloc();
                self.load_const(key, name, range);
                self.expr_temp(default)?;
                count += 1;
            }
        }
        if count > 0 {
            flags |= KW_DEFAULTS;
            self.emit(Op::BuildDict, 0, window + 1, mark, count, range);
            self.unit.regs.reset(mark);
        }
        Ok(flags)
    }

    /// The code of the function itself.
    fn function_code(&mut self, def: &'a ast::StmtFunctionDef) -> Outcome<u32> {
        let method = self.unit.scope_kind == ScopeKind::Class
            || self.unit.scope_kind == ScopeKind::TypeParams
                && self
                    .outer
                    .last()
                    .is_some_and(|outer| outer.scope_kind == ScopeKind::Class);
        self.nested_code(
            address(def),
            Part::Body,
            |this, scope| {
                let line = this.definition_line(&def.decorator_list, def.range);
                this.enter_unit(scope, def.name.as_str(), BlockKind::Function, line);
                this.unit.method = method;
                this.parameters(Some(&def.parameters));
                let range = span(def);
                let body = match super::stmt::docstring(&def.body) {
                    Some(string) => {
                        let text = this.docstring_text(string);
                        this.unit.code.constant(text);
                        this.unit.has_docstring = true;
                        &def.body[1..]
                    }
                    None => &def.body[..],
                };
                this.make_cells(range);
                this.body(body)?;
                let last = def.body.last().map_or(range, span);
                this.return_none(last);
                this.leave_unit()
            },
            def.range,
        )
    }

    fn parameters(&mut self, parameters: Option<&'a ast::Parameters>) {
        let Some(parameters) = parameters else { return };
        self.unit.posonly = parameters.posonlyargs.len() as u16;
        self.unit.args = (parameters.posonlyargs.len() + parameters.args.len()) as u16;
        self.unit.kwonly = parameters.kwonlyargs.len() as u16;
        self.unit.varargs = parameters.vararg.is_some();
        self.unit.varkeywords = parameters.kwarg.is_some();
    }

    // ---- lambda

    pub(super) fn lambda(&mut self, lambda: &'a ast::ExprLambda, dst: u16) -> Outcome {
        let range = span(lambda);
        let window = self.unit.regs.block(3);
        let flags = self.defaults(lambda.parameters.as_deref(), window, range)?;
        let code = self.nested_code(
            address(lambda),
            Part::Body,
            |this, scope| {
                let line = this.line(range);
                this.enter_unit(scope, "<lambda>", BlockKind::Function, line);
                this.parameters(lambda.parameters.as_deref());
                this.make_cells(range);
                let value = this.expr(&lambda.body, None)?;
                this.emit_return(value, span(&*lambda.body));
                this.leave_unit()
            },
            lambda.range,
        )?;
        self.emit_make_function(dst, code, flags, window, range);
        Ok(())
    }

    /// Emits an intrinsic.
    pub(super) fn intrinsic(
        &mut self,
        kind: crate::op::Intrinsic,
        dst: u16,
        b: u16,
        c: u16,
        range: Span,
    ) {
        self.emit(Op::Intrinsic, kind as u8, dst, b, c, range);
    }

    /// Emits an instruction with its `Ext` word.
    pub(super) fn emit_ext(&mut self, instr: Instr, ext: i32, range: Span) {
        self.unit.code.emit_ext(instr, ext, range);
    }
}
