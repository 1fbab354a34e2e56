//! Names: loading, storing, deleting.

use std::rc::Rc;

use super::operand::NOWHERE;
use super::{Compiler, Operand, Outcome};
use crate::code::{BlockKind, Const, Span};
use crate::op::{DB, Instr, KB, Op};
use crate::symtable::scope::{Res, ScopeId, ScopeKind, Sym};

/// Where a name lives, for an access from the present scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Local(u16),
    Cell(u16),
    Free(u16),
    Global,
    /// The namespace mapping of the frame.
    Name,
    /// The namespace mapping, then a closure cell.
    NameOrFree(u16),
    /// The namespace of the class around an annotation scope, then global.
    ClassOrGlobal,
    /// The namespace of the class around an annotation scope, then a closure cell.
    ClassOrFree(u16),
}

impl<'a> Compiler<'a> {
    /// The name as stored, in the present scope.
    pub(super) fn sym(&mut self, name: &str) -> Sym {
        let class = self.table.scope(self.unit.scope).class_name;
        self.table.mangle(class, name)
    }

    pub(super) fn text(&self, name: Sym) -> Rc<str> {
        Rc::clone(self.table.names.text(name))
    }

    pub(super) fn place(&self, name: Sym) -> Place {
        self.place_in(self.unit.scope, name)
    }

    fn place_in(&self, id: ScopeId, name: Sym) -> Place {
        let scope = self.table.scope(id);
        let res = scope.get(name).map_or(Res::Unresolved, |symbol| symbol.res);
        let inner = scope.kind.is_function();
        match res {
            Res::Local | Res::Cell if inner => match scope.registers.get(&name) {
                Some(&register) if res == Res::Cell => Place::Cell(register),
                Some(&register) => Place::Local(register),
                None => Place::Global,
            },
            Res::Local | Res::Cell => self.namespace(scope.kind),
            Res::Free => {
                let index = self.unit.free_index.get(&name).copied().unwrap_or(0);
                if scope.kind == ScopeKind::Class {
                    Place::NameOrFree(index)
                } else if scope.sees_class && name != self.table.known.classdict {
                    Place::ClassOrFree(index)
                } else {
                    Place::Free(index)
                }
            }
            Res::Outer(owner) => self.place_in(owner, name),
            Res::GlobalExplicit => Place::Global,
            Res::GlobalImplicit | Res::Unresolved if scope.inlined => match self.unit.kind {
                BlockKind::Module => self.namespace(ScopeKind::Module),
                _ => Place::Global,
            },
            Res::GlobalImplicit | Res::Unresolved if scope.sees_class => Place::ClassOrGlobal,
            Res::GlobalImplicit | Res::Unresolved if inner => Place::Global,
            Res::GlobalImplicit | Res::Unresolved => self.namespace(scope.kind),
        }
    }

    fn namespace(&self, kind: ScopeKind) -> Place {
        if kind == ScopeKind::Module && !self.options.namespace {
            Place::Global
        } else {
            Place::Name
        }
    }

    /// The value of a name; a local is borrowed.
    pub(super) fn load(&mut self, name: Sym, hint: Option<u16>, span: Span) -> Operand {
        let place = self.place(name);
        if let Place::Local(register) = place {
            self.check_bound(register, span);
            return Operand::Reg(register);
        }
        let dst = match hint {
            Some(dst) => dst,
            None => self.unit.regs.alloc(),
        };
        self.load_place(place, name, dst, span);
        Operand::Reg(dst)
    }

    /// Emits the check of a local that may be unbound.
    pub(super) fn check_bound(&mut self, register: u16, span: Span) {
        if let Some(mut state) = self.unit.code.state
            && !state.contains(register)
        {
            self.emit(Op::CheckBound, 0, register, 0, 0, span);
            state.insert(register);
            self.unit.code.state = Some(state);
        }
    }

    fn load_place(&mut self, place: Place, name: Sym, dst: u16, span: Span) {
        if !self.unit.code.reachable() {
            return;
        }
        match place {
            Place::Local(register) => self.move_to(Operand::Reg(register), dst, span),
            Place::Cell(register) => self.emit(Op::LoadCell, 0, dst, register, 0, span),
            Place::Free(index) => self.emit(Op::LoadFree, 0, dst, index, 0, span),
            Place::Global => {
                let text = self.text(name);
                let cache = self.unit.code.global(&text);
                self.emit(Op::LoadGlobal, 0, dst, cache, 0, span);
            }
            Place::Name => {
                let text = self.name_index(name);
                self.emit(Op::LoadName, 0, dst, text, 0, span);
            }
            Place::NameOrFree(index) => {
                let text = self.name_index(name);
                self.emit(Op::LoadNameOrFree, 0, dst, text, index, span);
            }
            Place::ClassOrGlobal | Place::ClassOrFree(_) => {
                let text = self.name_index(name);
                let mark = self.unit.regs.mark();
                let mapping = self.unit.regs.alloc();
                let classdict = self.table.known.classdict;
                let class_place = self.place(classdict);
                self.load_place(class_place, classdict, mapping, span);
                match place {
                    Place::ClassOrFree(index) => self.unit.code.emit_ext(
                        Instr::new(Op::LoadFromOrFree, 0, dst, mapping, text),
                        i32::from(index),
                        span,
                    ),
                    _ => self.emit(Op::LoadFromOrGlobal, 0, dst, mapping, text, span),
                }
                self.clear(mapping, 1, span);
                self.unit.regs.reset(mark);
            }
        }
    }

    fn name_index(&mut self, name: Sym) -> u16 {
        let text = self.text(name);
        self.unit.code.name(&text)
    }

    /// Binds a name to a value, which is taken when it is a temporary.
    pub(super) fn store(&mut self, name: Sym, value: Operand, span: Span) -> Outcome {
        if !self.unit.code.reachable() {
            return Ok(());
        }
        let place = self.place(name);
        if let Place::Local(register) = place {
            self.move_to(value, register, span);
            self.bind_local(register);
            return Ok(());
        }
        let mark = self.unit.regs.mark();
        let (b, x) = self.rk(value, NOWHERE, KB, DB, span);
        self.store_place(place, name, b, x, span);
        self.unit.regs.reset(mark);
        Ok(())
    }

    /// Emits the store of an `RK` operand to a place that is not a plain local.
    pub(super) fn store_place(&mut self, place: Place, name: Sym, b: u16, x: u8, span: Span) {
        if !self.unit.code.reachable() {
            return;
        }
        match place {
            Place::Local(_) => {}
            Place::Cell(register) => self.emit(Op::StoreCell, x, register, b, 0, span),
            Place::Free(index) | Place::NameOrFree(index) | Place::ClassOrFree(index) => {
                self.emit(Op::StoreFree, x, index, b, 0, span);
            }
            Place::Global | Place::ClassOrGlobal => {
                let text = self.text(name);
                let cache = self.unit.code.global(&text);
                self.emit(Op::StoreGlobal, x, 0, b, cache, span);
            }
            Place::Name => {
                let text = self.name_index(name);
                self.emit(Op::StoreName, x, text, b, 0, span);
            }
        }
    }

    /// Notes that a local is bound from here on.
    pub(super) fn bind_local(&mut self, register: u16) {
        if let Some(state) = &mut self.unit.code.state {
            state.insert(register);
        }
    }

    /// Notes that a local is not bound from here on.
    pub(super) fn unbind_local(&mut self, register: u16) {
        if let Some(state) = &mut self.unit.code.state {
            state.remove(register);
        }
    }

    /// `del name`
    pub(super) fn delete(&mut self, name: Sym, span: Span) {
        match self.place(name) {
            Place::Local(register) => {
                self.emit(Op::DelLocal, 0, register, 0, 0, span);
                self.unbind_local(register);
            }
            Place::Cell(register) => self.emit(Op::DelCell, 0, register, 0, 0, span),
            Place::Free(index) | Place::NameOrFree(index) | Place::ClassOrFree(index) => {
                self.emit(Op::DelFree, 0, index, 0, 0, span);
            }
            Place::Global | Place::ClassOrGlobal => {
                let text = self.text(name);
                let cache = self.unit.code.global(&text);
                self.emit(Op::DelGlobal, 0, 0, cache, 0, span);
            }
            Place::Name => {
                let text = self.name_index(name);
                self.emit(Op::DelName, 0, text, 0, 0, span);
            }
        }
    }

    /// Unbinds the name of an `except ... as name` clause, whether or not it is still bound.
    pub(super) fn forget(&mut self, name: Sym, span: Span) -> Outcome {
        if let Place::Local(register) = self.place(name) {
            self.clear(register, 1, span);
            self.unbind_local(register);
            return Ok(());
        }
        self.store(name, Operand::Const(Const::None), span)?;
        self.delete(name, span);
        Ok(())
    }
}
