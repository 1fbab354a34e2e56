//! Imports.

use coldframe_frontend::ast;

use super::{Compiler, Operand, Outcome, span};
use crate::code::{Const, Span};
use crate::op::Op;

impl<'a> Compiler<'a> {
    /// `R[dst] = import of name`
    fn import(&mut self, dst: u16, name: &str, level: u32, names: Const, range: Span) {
        let mark = self.unit.regs.mark();
        let window = self.unit.regs.block(2);
        self.load_const(window, Const::Int(i64::from(level)), range);
        self.load_const(window + 1, names, range);
        if self.unit.code.reachable() {
            let name = self.unit.code.name(name);
            self.emit(Op::Import, 0, dst, name, window, range);
        }
        self.unit.regs.reset(mark);
    }

    pub(super) fn import_stmt(&mut self, stmt: &'a ast::StmtImport) -> Outcome {
        let range = span(stmt);
        for alias in &stmt.names {
            let mark = self.unit.regs.mark();
            let module = self.unit.regs.alloc();
            let name = alias.name.as_str();
            self.import(module, name, 0, Const::None, range);
            match &alias.asname {
                None => {
                    let top = name.split('.').next().unwrap_or(name);
                    let sym = self.sym(top);
                    self.store(sym, Operand::Reg(module), range)?;
                }
                Some(asname) => {
                    // The import gives the outermost package; the names behind it are looked up one by one.
                    let mut current = module;
                    for part in name.split('.').skip(1) {
                        let next = self.unit.regs.alloc();
                        if self.unit.code.reachable() {
                            let part = self.unit.code.name(part);
                            self.emit(Op::ImportFrom, 0, next, current, part, range);
                            self.clear(current, 1, range);
                        }
                        current = next;
                    }
                    let sym = self.sym(asname.as_str());
                    self.store(sym, Operand::Reg(current), range)?;
                }
            }
            self.unit.regs.reset(mark);
        }
        Ok(())
    }

    pub(super) fn import_from(&mut self, stmt: &'a ast::StmtImportFrom) -> Outcome {
        let range = span(stmt);
        let mark = self.unit.regs.mark();
        let module = self.unit.regs.alloc();
        let names = stmt
            .names
            .iter()
            .map(|alias| Const::Str(alias.name.as_str().as_bytes().into()))
            .collect();
        let name = stmt.module.as_ref().map_or("", |name| name.as_str());
        self.import(module, name, stmt.level, Const::Tuple(names), range);
        if stmt.names.iter().any(|alias| alias.name.as_str() == "*") {
            self.emit(Op::ImportStar, 0, module, 0, 0, range);
            self.unit.regs.reset(mark);
            return Ok(());
        }
        for alias in &stmt.names {
            let inner = self.unit.regs.mark();
            let value = self.unit.regs.alloc();
            if self.unit.code.reachable() {
                let name = self.unit.code.name(alias.name.as_str());
                self.emit(Op::ImportFrom, 0, value, module, name, range);
            }
            let bound = alias.asname.as_ref().unwrap_or(&alias.name);
            let sym = self.sym(bound.as_str());
            self.store(sym, Operand::Reg(value), range)?;
            self.unit.regs.reset(inner);
        }
        self.clear(module, 1, range);
        self.unit.regs.reset(mark);
        Ok(())
    }
}
