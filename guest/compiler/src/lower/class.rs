//! Class statements.

use coldframe_frontend::ast;

use super::call::in_registers;
use super::{Compiler, Operand, Outcome, span};
use crate::code::{BlockKind, Const, Span};
use crate::op::Op;
use crate::symtable::scope::{Part, address};

impl<'a> Compiler<'a> {
    pub(super) fn class_def(&mut self, def: &'a ast::StmtClassDef) -> Outcome {
        let mark = self.unit.regs.mark();
        let range = span(def);
        let sym = self.sym(def.name.as_str());
        let decorators = self.decorators(&def.decorator_list)?;
        let class = self.unit.regs.alloc();
        match &def.type_params {
            None => self.build_class(def, class, None, range)?,
            Some(type_params) => self.generic_class(def, type_params, class, range)?,
        }
        let class = self.apply_decorators(&def.decorator_list, decorators, class);
        self.unit.regs.reset(class + 1);
        self.store(sym, Operand::Reg(class), range)?;
        self.unit.regs.reset(mark);
        Ok(())
    }

    /// A class with type parameters is made in the scope of those.
    fn generic_class(
        &mut self,
        def: &'a ast::StmtClassDef,
        type_params: &'a ast::TypeParams,
        dst: u16,
        range: Span,
    ) -> Outcome {
        let name = format!("<generic parameters of {}>", def.name);
        let base = self.call_window(dst);
        let code = self.nested_code(
            address(def),
            Part::TypeParams,
            |this, scope| {
                let line = this.definition_line(&def.decorator_list, def.range);
                this.enter_unit(scope, &name, BlockKind::Function, line);
                this.make_cells(range);
                let known = this.table.known;
                let params = this.unit.regs.alloc();
                this.type_params(type_params, params, range)?;
                let generic = this.unit.regs.alloc();
                this.emit(Op::Move, 0, generic, params, 0, range);
                this.store(known.type_params, Operand::Reg(params), range)?;
                this.intrinsic(
                    crate::op::Intrinsic::SubscriptGeneric,
                    generic,
                    generic,
                    0,
                    range,
                );
                this.store(known.generic_base, Operand::Reg(generic), range)?;
                let class = this.unit.regs.alloc();
                this.build_class(def, class, Some(known.generic_base), range)?;
                this.emit_return(Operand::Reg(class), range);
                this.leave_unit()
            },
            def.range,
        )?;
        self.emit_make_function(base, code, 0, 0, range);
        self.emit(Op::Call, 0, dst, base, 0, range);
        Ok(())
    }

    /// `R[dst] = __build_class__(body, name, *bases, **keywords)`
    fn build_class(
        &mut self,
        def: &'a ast::StmtClassDef,
        dst: u16,
        generic_base: Option<crate::symtable::scope::Sym>,
        range: Span,
    ) -> Outcome {
        let mark = self.unit.regs.mark();
        let base = self.call_window(dst);
        self.emit(Op::LoadBuildClass, 0, base, 0, 0, range);
        let (args, keywords): (&[_], &[_]) = match &def.arguments {
            Some(arguments) => (&arguments.args, &arguments.keywords),
            None => (&[], &[]),
        };
        let name = Const::Str(def.name.as_str().as_bytes().into());
        let direct = in_registers(args, keywords, 3);
        // Where the arguments are collected into a tuple, the first registers of the window hold that and the keywords.
        if !direct {
            let function = self.unit.regs.alloc();
            self.class_code(def, function, range)?;
            let name_register = self.unit.regs.alloc();
            self.load_const(name_register, name, range);
            let mut extra = vec![(function, false), (name_register, false)];
            if let Some(generic_base) = generic_base {
                let register = self.unit.regs.alloc();
                let value = self.load(generic_base, Some(register), range);
                self.move_to(value, register, range);
                extra.push((register, true));
            }
            // The tuple and the dict are computed above, and moved into the window.
            let window = self.unit.regs.block(2);
            self.move_to(Operand::Reg(base), window, range);
            self.call_ex(window, args, keywords, &extra, dst, range)?;
            self.unit.regs.reset(mark);
            return Ok(());
        }
        let function = self.unit.regs.alloc();
        self.class_code(def, function, range)?;
        let name_register = self.unit.regs.alloc();
        self.load_const(name_register, name, range);
        for arg in args {
            self.expr_temp(arg)?;
        }
        let mut count = args.len() + 2;
        if let Some(generic_base) = generic_base {
            let register = self.unit.regs.alloc();
            let value = self.load(generic_base, Some(register), range);
            self.move_to(value, register, range);
            count += 1;
        }
        self.finish_call(base, count, keywords, dst, range)?;
        self.unit.regs.reset(mark);
        Ok(())
    }

    /// `R[dst] = function of the class body`
    fn class_code(&mut self, def: &'a ast::StmtClassDef, dst: u16, range: Span) -> Outcome {
        let code = self.nested_code(
            address(def),
            Part::Body,
            |this, scope| {
                let line = this.definition_line(&def.decorator_list, def.range);
                this.enter_unit(scope, def.name.as_str(), BlockKind::Class, line);
                this.class_body(def, range)?;
                this.leave_unit()
            },
            def.range,
        )?;
        self.emit_make_function(dst, code, 0, 0, range);
        Ok(())
    }

    fn class_body(&mut self, def: &'a ast::StmtClassDef, range: Span) -> Outcome {
        let known = self.table.known;
        let root = self.unit.root;
        let register = |this: &Self, name| this.table.scope(root).registers.get(&name).copied();
        self.make_cells(range);
        let mark = self.unit.regs.mark();
        let names = &mut self.table.names;
        let [module_name, module, qualname, first_line, type_params, doc] = [
            "__name__",
            "__module__",
            "__qualname__",
            "__firstlineno__",
            "__type_params__",
            "__doc__",
        ]
        .map(|name| names.intern(name));
        let value = self.load(module_name, None, range);
        self.store(module, value, range)?;
        self.unit.regs.reset(mark);
        let text = Const::Str(self.unit.qualname.as_bytes().into());
        self.store(qualname, Operand::Const(text), range)?;
        let line = Const::Int(i64::from(self.unit.first_line));
        self.store(first_line, Operand::Const(line), range)?;
        if def.type_params.is_some() {
            let value = self.load(known.type_params, None, range);
            self.store(type_params, value, range)?;
            self.unit.regs.reset(mark);
        }
        if let Some(cell) = register(self, known.classdict) {
            let namespace = self.unit.regs.alloc();
            self.emit(Op::LoadLocals, 0, namespace, 0, 0, range);
            self.emit(Op::StoreCell, crate::op::DB, cell, namespace, 0, range);
            self.unit.regs.reset(mark);
        }
        if let Some(cell) = register(self, known.conditional) {
            self.class_conditional_set(cell, range);
        }
        let annotated = !self.table.scope(root).annotated.is_empty();
        if annotated && self.future_annotations {
            self.annotations_dict(range)?;
        }
        let body = match super::stmt::docstring(&def.body) {
            Some(string) => {
                let text = self.docstring_text(string);
                self.store(doc, Operand::Const(text), span(string))?;
                &def.body[1..]
            }
            None => &def.body[..],
        };
        self.body(body)?;
        if annotated && !self.future_annotations {
            let annotate = self.table.names.intern("__annotate_func__");
            self.body_annotate(annotate, range)?;
        }
        let attributes = self
            .table
            .scope(root)
            .static_attributes
            .iter()
            .map(|name| Const::Str(self.table.names.text(*name).as_bytes().into()))
            .collect();
        let static_attributes = self.table.names.intern("__static_attributes__");
        self.store(
            static_attributes,
            Operand::Const(Const::Tuple(attributes)),
            range,
        )?;
        // The cells themselves go into the namespace; `type.__new__` fills and removes them.
        if let Some(cell) = register(self, known.classdict)
            && self.unit.code.reachable()
        {
            let name = self.unit.code.name("__classdictcell__");
            self.emit(Op::StoreName, 0, name, cell, 0, range);
        }
        match register(self, known.class) {
            Some(cell) => {
                if self.unit.code.reachable() {
                    let name = self.unit.code.name("__classcell__");
                    self.emit(Op::StoreName, 0, name, cell, 0, range);
                    self.emit_return_of(cell, 0, range);
                }
            }
            None => self.return_none(range),
        }
        Ok(())
    }
}
