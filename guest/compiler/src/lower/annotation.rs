//! Annotations: the lazily called `__annotate__` functions of PEP 649, and the strings of PEP 563.

use coldframe_frontend::ast::{self, CmpOp, Expr};

use super::function::ANNOTATE;
use super::{Compiler, Operand, Outcome, span};
use crate::code::{BlockKind, Const, Span};
use crate::op::{DB, Op};
use crate::symtable::scope::{Annotated, Part, Sym, address};
use crate::unparse;

/// The highest format that an annotation function answers itself (`VALUE_WITH_FAKE_GLOBALS`).
const HIGHEST_FORMAT: i64 = 2;

impl<'a> Compiler<'a> {
    /// The beginning of an annotation function: an unknown format is refused.
    pub(super) fn format_check(&mut self, range: Span) {
        self.unit.posonly = 1;
        self.unit.args = 1;
        let known = self.unit.code.label();
        self.compare_jump(
            CmpOp::Gt,
            (Operand::Reg(0), 0),
            (Operand::Const(Const::Int(HIGHEST_FORMAT)), 0),
            known,
            false,
            range,
        );
        let mark = self.unit.regs.mark();
        let error = self.unit.regs.alloc();
        if self.unit.code.reachable() {
            let cache = self.unit.code.global(&"NotImplementedError".into());
            self.emit(Op::LoadGlobal, 0, error, cache, 0, range);
            self.emit(Op::Raise, 0, error, 0, 1, range);
            self.unit.code.unreachable();
        }
        self.unit.code.place(known);
        self.unit.regs.reset(mark);
    }

    /// The value of an annotation, or its text where annotations are strings.
    fn annotation_value(&mut self, annotation: &'a Expr, unpack: bool) -> Outcome<Operand> {
        if self.future_annotations {
            let text = unparse::annotation(annotation, self.lines.source());
            return Ok(Operand::Const(Const::Str(text.into_bytes().into())));
        }
        match annotation {
            // `*args: *Ts`
            Expr::Starred(starred) if unpack => {
                let register = self.unit.regs.alloc();
                let value = self.expr_reg(&starred.value, None)?;
                let x = self.take(value, register, DB);
                self.emit(Op::Unpack, x, register, value, 1, span(annotation));
                Ok(Operand::Reg(register))
            }
            annotation => self.expr(annotation, None),
        }
    }

    // ---- functions

    /// The `__annotate__` function of a definition in `R[dst]`; gives its flag, or 0 when nothing is annotated.
    pub(super) fn function_annotations(
        &mut self,
        def: &'a ast::StmtFunctionDef,
        dst: u16,
        range: Span,
    ) -> Outcome<u8> {
        if self.scope_of(address(def), Part::Annotations).is_none() {
            return Ok(0);
        }
        let code = self.nested_code(
            address(def),
            Part::Annotations,
            |this, scope| {
                let line = this.line(range);
                // Its qualified name is that of a member of the function.
                this.enter_unit(scope, "__annotate__", BlockKind::Function, line);
                this.unit.qualname = member_name(&this.unit.qualname, def.name.as_str());
                this.make_cells(range);
                this.format_check(range);
                let dict = this.unit.regs.alloc();
                this.emit(Op::BuildDict, 0, dict, 0, 0, range);
                let parameters = &*def.parameters;
                let plain = parameters.posonlyargs.iter().chain(&parameters.args);
                for param in plain {
                    this.parameter_annotation(&param.parameter, false, dict)?;
                }
                if let Some(param) = &parameters.vararg {
                    this.parameter_annotation(param, true, dict)?;
                }
                for param in &parameters.kwonlyargs {
                    this.parameter_annotation(&param.parameter, false, dict)?;
                }
                if let Some(param) = &parameters.kwarg {
                    this.parameter_annotation(param, false, dict)?;
                }
                if let Some(returns) = &def.returns {
                    this.annotate("return", returns, false, dict)?;
                }
                this.emit_return(Operand::Reg(dict), range);
                this.leave_unit()
            },
            def.range,
        )?;
        self.emit_make_function(dst, code, 0, 0, range);
        Ok(ANNOTATE)
    }

    fn parameter_annotation(
        &mut self,
        param: &'a ast::Parameter,
        unpack: bool,
        dict: u16,
    ) -> Outcome {
        match &param.annotation {
            Some(annotation) => {
                let name = self.sym(param.name.as_str());
                let name = self.text(name);
                self.annotate(&name, annotation, unpack, dict)
            }
            None => Ok(()),
        }
    }

    /// `R[dict][name] = annotation`
    fn annotate(&mut self, name: &str, annotation: &'a Expr, unpack: bool, dict: u16) -> Outcome {
        let mark = self.unit.regs.mark();
        let value = self.annotation_value(annotation, unpack)?;
        let key = Operand::Const(Const::Str(name.as_bytes().into()));
        self.dict_set(dict, key, value, span(annotation));
        self.unit.regs.reset(mark);
        Ok(())
    }

    // ---- module and class bodies

    /// What a module does about its annotations before it runs: they may be asked for while it does.
    pub(super) fn begin_annotations(&mut self, range: Span) -> Outcome {
        let root = self.unit.root;
        if self.table.scope(root).annotated.is_empty() {
            return Ok(());
        }
        if self.future_annotations {
            return self.annotations_dict(range);
        }
        let conditional = self.table.known.conditional;
        self.conditional_set(conditional, range)?;
        let annotate = self.table.names.intern("__annotate__");
        self.body_annotate(annotate, range)
    }

    /// `__annotations__ = {}`, for annotations that are strings.
    pub(super) fn annotations_dict(&mut self, range: Span) -> Outcome {
        let mark = self.unit.regs.mark();
        let dict = self.unit.regs.alloc();
        self.emit(Op::BuildDict, 0, dict, 0, 0, range);
        let name = self.table.names.intern("__annotations__");
        self.store(name, Operand::Reg(dict), range)?;
        self.unit.regs.reset(mark);
        Ok(())
    }

    /// The set of the numbers of conditional annotations that were executed.
    fn conditional_set(&mut self, name: Sym, range: Span) -> Outcome {
        let mark = self.unit.regs.mark();
        let set = self.unit.regs.alloc();
        self.emit(Op::BuildSet, 0, set, 0, 0, range);
        self.store(name, Operand::Reg(set), range)?;
        self.unit.regs.reset(mark);
        Ok(())
    }

    /// The same in a class body, where it lives in a cell.
    pub(super) fn class_conditional_set(&mut self, register: u16, range: Span) {
        let mark = self.unit.regs.mark();
        let set = self.unit.regs.alloc();
        self.emit(Op::BuildSet, 0, set, 0, 0, range);
        self.emit(Op::StoreCell, DB, register, set, 0, range);
        self.unit.regs.reset(mark);
    }

    /// Stores the annotation function of the present module or class body under `name`.
    pub(super) fn body_annotate(&mut self, name: Sym, range: Span) -> Outcome {
        let root = self.unit.root;
        let Some(scope) = self.table.scope(root).annotations else {
            return Ok(());
        };
        let annotated = self.table.scope(root).annotated.clone();
        let class_name = self.table.scope(root).class_name;
        let proto = {
            let line = self.unit.first_line;
            self.enter_unit(scope, "__annotate__", BlockKind::Function, line);
            self.make_cells(range);
            self.format_check(range);
            let dict = self.unit.regs.alloc();
            self.emit(Op::BuildDict, 0, dict, 0, 0, range);
            for (index, annotation) in annotated.iter().enumerate() {
                self.body_annotation(index, annotation, class_name, dict)?;
            }
            self.emit_return(Operand::Reg(dict), range);
            self.leave_unit()?
        };
        let mark = self.unit.regs.mark();
        let code = self.code_constant(proto);
        let function = self.unit.regs.alloc();
        self.emit_make_function(function, code, 0, 0, range);
        self.store(name, Operand::Reg(function), range)?;
        self.unit.regs.reset(mark);
        Ok(())
    }

    fn body_annotation(
        &mut self,
        index: usize,
        annotated: &Annotated<'a>,
        class_name: Option<Sym>,
        dict: u16,
    ) -> Outcome {
        let statement = annotated.statement;
        let Expr::Name(target) = &*statement.target else {
            return Ok(());
        };
        let range = span(&*statement.annotation);
        let skip = self.unit.code.label();
        if annotated.conditional {
            let mark = self.unit.regs.mark();
            let name = self.table.known.conditional;
            let set = self.load(name, None, range);
            self.compare_jump(
                CmpOp::In,
                (Operand::Const(Const::Int(index as i64)), 0),
                (set, DB),
                skip,
                false,
                range,
            );
            self.unit.regs.reset(mark);
        }
        let name = self.table.mangle(class_name, target.id.as_str());
        let name = self.text(name);
        self.annotate(&name, &statement.annotation, false, dict)?;
        self.unit.code.place(skip);
        Ok(())
    }

    // ---- the statement

    pub(super) fn ann_assign(&mut self, stmt: &'a ast::StmtAnnAssign) -> Outcome {
        let range = span(stmt);
        if let Some(value) = &stmt.value {
            self.assign_one(&stmt.target, value)?;
        } else {
            // The parts of the target are computed, though nothing is stored.
            match &*stmt.target {
                Expr::Attribute(target) => self.discard(&target.value)?,
                Expr::Subscript(target) => {
                    self.discard(&target.value)?;
                    self.discard(&target.slice)?;
                }
                _ => {}
            }
        }
        let Expr::Name(target) = &*stmt.target else {
            return Ok(());
        };
        if !stmt.simple || self.unit.kind == BlockKind::Function {
            return Ok(());
        }
        let root = self.unit.root;
        let index = self
            .table
            .scope(root)
            .annotated
            .iter()
            .position(|annotated| std::ptr::eq(annotated.statement, stmt));
        let Some(index) = index else { return Ok(()) };
        let mark = self.unit.regs.mark();
        if self.future_annotations {
            let text = unparse::annotation(&stmt.annotation, self.lines.source());
            let text = Const::Str(text.into_bytes().into());
            let value = self.in_register(Operand::Const(text), None, range);
            let name = self.table.names.intern("__annotations__");
            let dict = self.load(name, None, range);
            let dict = self.in_register(dict, None, range);
            let key = self.sym(target.id.as_str());
            let key = Operand::Const(Const::Str(self.text(key).as_bytes().into()));
            let (b, x) = self.rk(key, super::operand::NOWHERE, crate::op::KB, DB, range);
            let x = x
                | self.take(dict, super::operand::NOWHERE, crate::op::DA)
                | self.take(value, super::operand::NOWHERE, crate::op::DC);
            self.emit(Op::StoreSubscr, x, dict, b, value, range);
        } else if self.table.scope(root).annotated[index].conditional {
            let set = self.unit.regs.alloc();
            let name = self.table.known.conditional;
            match self.table.scope(root).registers.get(&name) {
                Some(&register) => self.emit(Op::LoadCell, 0, set, register, 0, range),
                None => {
                    let value = self.load(name, Some(set), range);
                    self.move_to(value, set, range);
                }
            }
            let constant = Operand::Const(Const::Int(index as i64));
            let (b, x) = self.rk(constant, set, crate::op::KB, DB, range);
            self.emit(Op::SetAdd, x, set, b, 0, range);
            self.clear(set, 1, range);
        }
        self.unit.regs.reset(mark);
        Ok(())
    }
}

/// `parent.<locals>.__annotate__` as `parent.<locals>.name.__annotate__`
fn member_name(qualname: &str, name: &str) -> std::rc::Rc<str> {
    let parent = qualname.strip_suffix("__annotate__").unwrap_or("");
    std::rc::Rc::from(format!("{parent}{name}.__annotate__"))
}
