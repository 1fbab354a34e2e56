//! Type parameters and type aliases (PEP 695, PEP 696).

use coldframe_frontend::ast::{self, Expr, Ranged, TypeParam};

use super::function::DEFAULTS;
use super::{Compiler, Operand, Outcome, span};
use crate::code::{BlockKind, Const, Span};
use crate::op::{DB, Intrinsic, Op};
use crate::symtable::scope::{Part, address};

impl<'a> Compiler<'a> {
    /// Makes the type parameters, binds their names, and puts the tuple of them into `R[dst]`.
    pub(super) fn type_params(
        &mut self,
        params: &'a ast::TypeParams,
        dst: u16,
        range: Span,
    ) -> Outcome {
        let mark = self.unit.regs.mark();
        let list = self.unit.regs.alloc();
        self.emit(Op::BuildList, 0, list, 0, 0, range);
        for param in &params.type_params {
            let inner = self.unit.regs.mark();
            let at = span(param);
            let (name, default) = match param {
                TypeParam::TypeVar(param) => (&param.name, &param.default),
                TypeParam::ParamSpec(param) => (&param.name, &param.default),
                TypeParam::TypeVarTuple(param) => (&param.name, &param.default),
            };
            let result = self.unit.regs.alloc();
            let window = self.unit.regs.block(4);
            let text = Const::Str(name.as_str().as_bytes().into());
            self.load_const(window, text, at);
            match param {
                TypeParam::TypeVar(var) => {
                    let constraints = match &var.bound {
                        Some(bound) => {
                            let name = var.name.as_str();
                            self.lazy(param, Part::Bound, bound, name, window + 1)?;
                            bound.is_tuple_expr()
                        }
                        None => {
                            self.load_const(window + 1, Const::None, at);
                            false
                        }
                    };
                    self.default_of(param, default.as_deref(), window + 2, at)?;
                    self.load_const(window + 3, Const::Bool(constraints), at);
                    self.intrinsic(Intrinsic::TypeVar, result, window, window + 1, at);
                }
                TypeParam::ParamSpec(_) => {
                    self.default_of(param, default.as_deref(), window + 1, at)?;
                    self.intrinsic(Intrinsic::ParamSpec, result, window, window + 1, at);
                }
                TypeParam::TypeVarTuple(_) => {
                    self.default_of(param, default.as_deref(), window + 1, at)?;
                    self.intrinsic(Intrinsic::TypeVarTuple, result, window, window + 1, at);
                }
            }
            let sym = self.sym(name.as_str());
            self.store_copy(sym, result, at)?;
            self.emit(Op::ListAppend, DB, list, result, 0, at);
            self.unit.regs.reset(inner);
        }
        self.emit(Op::ListToTuple, 0, dst, list, 0, range);
        self.unit.regs.reset(mark);
        Ok(())
    }

    fn default_of(
        &mut self,
        param: &'a TypeParam,
        default: Option<&'a Expr>,
        dst: u16,
        range: Span,
    ) -> Outcome {
        match default {
            Some(default) => {
                let name = match param {
                    TypeParam::TypeVar(param) => param.name.as_str(),
                    TypeParam::ParamSpec(param) => param.name.as_str(),
                    TypeParam::TypeVarTuple(param) => param.name.as_str(),
                };
                self.lazy(param, Part::Default, default, name, dst)
            }
            None => {
                self.load_const(dst, Const::None, range);
                Ok(())
            }
        }
    }

    /// `R[dst] = function that computes the expression`, an annotation scope.
    fn lazy<N>(
        &mut self,
        node: &'a N,
        part: Part,
        value: &'a Expr,
        name: &str,
        dst: u16,
    ) -> Outcome {
        let range = span(value);
        let code = self.nested_code(
            address(node),
            part,
            |this, scope| {
                let line = this.line(range);
                this.enter_unit(scope, name, BlockKind::Function, line);
                this.make_cells(range);
                this.format_check(range);
                let value = match value {
                    // `*Ts = *tuple[int]`
                    Expr::Starred(starred) => {
                        let register = this.unit.regs.alloc();
                        let value = this.expr_reg(&starred.value, None)?;
                        let x = this.take(value, register, DB);
                        this.emit(Op::Unpack, x, register, value, 1, range);
                        Operand::Reg(register)
                    }
                    value => this.expr(value, None)?,
                };
                this.emit_return(value, range);
                this.leave_unit()
            },
            value.range(),
        )?;
        // Called without an argument, it gives the value.
        let mark = self.unit.regs.mark();
        let window = self.unit.regs.alloc();
        self.load_const(window, Const::Tuple([Const::Int(1)].into()), range);
        self.emit_make_function(dst, code, DEFAULTS, window, range);
        self.unit.regs.reset(mark);
        Ok(())
    }

    /// `R[object].__type_params__ = R[params]`
    pub(super) fn set_type_params(&mut self, object: u16, params: u16, range: Span) {
        self.intrinsic(Intrinsic::SetTypeParams, object, object, params, range);
    }

    pub(super) fn type_alias(&mut self, alias: &'a ast::StmtTypeAlias) -> Outcome {
        let mark = self.unit.regs.mark();
        let range = span(alias);
        let Expr::Name(name) = &*alias.name else {
            return self.error("cannot assign to this expression", alias.range);
        };
        let sym = self.sym(name.id.as_str());
        let result = self.unit.regs.alloc();
        match &alias.type_params {
            None => self.alias_value(alias, name, None, result, range)?,
            Some(params) => {
                let unit_name = format!("<generic parameters of {}>", name.id);
                let base = self.call_window(result);
                let code = self.nested_code(
                    address(alias),
                    Part::TypeParams,
                    |this, scope| {
                        let line = this.line(range);
                        this.enter_unit(scope, &unit_name, BlockKind::Function, line);
                        this.make_cells(range);
                        let tuple = this.unit.regs.alloc();
                        this.type_params(params, tuple, range)?;
                        let result = this.unit.regs.alloc();
                        this.alias_value(alias, name, Some(tuple), result, range)?;
                        this.emit_return(Operand::Reg(result), range);
                        this.leave_unit()
                    },
                    alias.range,
                )?;
                self.emit_make_function(base, code, 0, 0, range);
                self.emit(Op::Call, 0, result, base, 0, range);
            }
        }
        self.store(sym, Operand::Reg(result), span(name))?;
        self.unit.regs.reset(mark);
        Ok(())
    }

    /// `R[dst] = TypeAliasType(name, parameters, value function)`
    fn alias_value(
        &mut self,
        alias: &'a ast::StmtTypeAlias,
        name: &'a ast::ExprName,
        params: Option<u16>,
        dst: u16,
        range: Span,
    ) -> Outcome {
        let mark = self.unit.regs.mark();
        let window = self.unit.regs.block(3);
        let text = Const::Str(name.id.as_str().as_bytes().into());
        self.load_const(window, text, range);
        match params {
            Some(params) => self.move_to(Operand::Reg(params), window + 1, range),
            None => self.load_const(window + 1, Const::None, range),
        }
        self.lazy(
            alias,
            Part::Value,
            &alias.value,
            name.id.as_str(),
            window + 2,
        )?;
        self.intrinsic(Intrinsic::TypeAlias, dst, window, window + 1, range);
        self.unit.regs.reset(mark);
        Ok(())
    }
}
