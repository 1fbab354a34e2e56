//! Code units under construction.

use coldframe_frontend::hash::HashMap;
use std::rc::Rc;

use coldframe_frontend::ast::Stmt;
use coldframe_frontend::{ErrorKind, SyntaxError};

use super::{Compiler, Outcome};
use crate::assemble::{Assembler, Label};
use crate::code::{BlockKind, Capture, Compiled, Const, Flags, Proto, Span};
use crate::flow::Bound;
use crate::op::Op;
use crate::registers::Registers;
use crate::symtable::scope::{Part, Res, ScopeId, ScopeKind, Sym, Table};

/// Instructions of all units together beyond which compilation gives up.
const MAX_TOTAL: usize = 4_000_000;

/// Blocks that may be nested in one function.
const MAX_BLOCKS: usize = 40;

/// What an exit (`return`, `break`, `continue`) has to do on its way out, innermost last.
#[derive(Clone, Copy)]
pub(crate) enum Block<'a> {
    Loop {
        exit: Label,
        next: Label,
        /// The register of what is iterated over, in a `for`.
        iterator: Option<u16>,
    },
    /// A `finally` block on the way out of a `return`, whose value waits in a register.
    Returning { value: u16 },
    /// The protected part of `try` ... `finally`.
    Finally { body: &'a [Stmt], regions: usize },
    /// The body of a `with`.
    With {
        /// The register of the bound `__exit__`.
        exit: u16,
        is_async: bool,
        span: Span,
        regions: usize,
    },
    /// The body of an `except` clause, or a `finally` block that an exception entered.
    Handler {
        /// The exception that was being handled before.
        saved: u16,
        exception: u16,
        name: Option<Sym>,
        regions: usize,
    },
}

/// A code unit under construction.
pub(crate) struct Unit<'a> {
    /// The scope of the unit itself.
    pub root: ScopeId,
    /// The innermost scope: the unit's own, or that of an inlined comprehension.
    pub scope: ScopeId,
    pub kind: BlockKind,
    pub scope_kind: ScopeKind,
    pub name: Rc<str>,
    pub qualname: Rc<str>,
    pub first_line: u32,
    pub code: Assembler,
    pub regs: Registers,
    pub blocks: Vec<Block<'a>>,
    /// Code of nested functions by node, so that a repeated `finally` block has it once.
    pub functions: HashMap<(usize, Part), u32>,
    pub free_index: HashMap<Sym, u16>,
    /// Registers of locals that `:=` binds: they are not borrowed over other operands.
    pub rebound: Vec<u16>,
    pub posonly: u16,
    pub args: u16,
    pub kwonly: u16,
    pub varargs: bool,
    pub varkeywords: bool,
    pub method: bool,
    pub has_docstring: bool,
}

impl<'a> Unit<'a> {
    pub fn new(
        table: &Table<'a>,
        root: ScopeId,
        name: &str,
        qualname: &str,
        kind: BlockKind,
        first_line: u32,
    ) -> Unit<'a> {
        let scope = table.scope(root);
        let locals = scope.varnames.len();
        let mut code = Assembler::new();
        if locals > usize::from(u16::MAX) {
            code.overflow = true;
        }
        let mut bound = Bound::default();
        for register in 0..scope.params.len() {
            bound.insert(register as u16);
        }
        code.state = Some(bound);
        let free_index = scope
            .free
            .iter()
            .enumerate()
            .map(|(index, name)| (*name, index as u16))
            .collect();
        let rebound = scope
            .walrus
            .iter()
            .filter_map(|name| scope.registers.get(name).copied())
            .collect();
        Unit {
            root,
            scope: root,
            kind,
            scope_kind: scope.kind,
            name: Rc::from(name),
            qualname: Rc::from(qualname),
            first_line,
            code,
            regs: Registers::new(locals.min(usize::from(u16::MAX)) as u16),
            blocks: Vec::new(),
            functions: HashMap::default(),
            free_index,
            rebound,
            posonly: 0,
            args: 0,
            kwonly: 0,
            varargs: false,
            varkeywords: false,
            method: false,
            has_docstring: false,
        }
    }
}

impl<'a> Compiler<'a> {
    /// Enters a block.
    pub(super) fn push_block(&mut self, block: Block<'a>, span: Span) -> Outcome {
        if self.unit.blocks.len() >= MAX_BLOCKS {
            let (start, end) = (span.start as usize, span.end as usize);
            let text = "too many statically nested blocks";
            return Err(Box::new(SyntaxError::at(
                ErrorKind::Syntax,
                text,
                self.lines,
                start,
                end,
            )));
        }
        self.unit.blocks.push(block);
        Ok(())
    }

    /// Starts the unit of scope `root`.
    pub(super) fn enter_unit(
        &mut self,
        root: ScopeId,
        name: &str,
        kind: BlockKind,
        first_line: u32,
    ) {
        let qualname = self.qualified(name);
        let unit = Unit::new(&self.table, root, name, &qualname, kind, first_line);
        self.outer.push(std::mem::replace(&mut self.unit, unit));
    }

    /// Emits the `MakeCell` of the unit's captured locals.
    pub(super) fn make_cells(&mut self, span: Span) {
        let scope = self.table.scope(self.unit.root);
        let mut cells: Vec<u16> = scope
            .registers
            .values()
            .copied()
            .filter(|register| scope.cells.contains(register))
            .collect();
        cells.sort_unstable();
        for register in cells {
            self.emit(Op::MakeCell, 0, register, 0, 0, span);
        }
    }

    /// `co_qualname` of a definition named `name` in the present unit.
    fn qualified(&mut self, name: &str) -> String {
        let mut parent = &self.unit;
        // Type-parameter scopes do not show in the name.
        let mut outer = self.outer.iter().rev();
        let mut scope = parent.scope;
        while parent.scope_kind == ScopeKind::TypeParams {
            match outer.next() {
                Some(next) => {
                    parent = next;
                    scope = parent.scope;
                }
                None => break,
            }
        }
        if parent.kind == BlockKind::Module {
            return name.to_owned();
        }
        let qualname = Rc::clone(&parent.qualname);
        let function = parent.kind == BlockKind::Function;
        let class_name = self.table.scope(scope).class_name;
        let sym = self.table.mangle(class_name, name);
        let declared_global = self
            .table
            .scope(scope)
            .get(sym)
            .is_some_and(|symbol| symbol.res == Res::GlobalExplicit);
        if declared_global {
            return name.to_owned();
        }
        if function {
            format!("{qualname}.<locals>.{name}")
        } else {
            format!("{qualname}.{name}")
        }
    }

    /// Ends the present unit; gives its code and goes back to the enclosing one.
    pub(super) fn leave_unit(&mut self) -> Outcome<Rc<Compiled>> {
        let proto = self.finish_unit()?;
        if let Some(outer) = self.outer.pop() {
            self.unit = outer;
        }
        Ok(proto)
    }

    /// Where the closure cells of `child` come from.
    fn captures(&self, child: ScopeId) -> Vec<Capture> {
        // The child's unit was entered from the scope that is its parent.
        let Some(parent) = self.table.scope(child).parent else {
            return Vec::new();
        };
        self.table
            .scope(child)
            .free
            .iter()
            .map(|name| self.capture(parent, *name))
            .collect()
    }

    /// The cell of `name`, seen from `scope` of the enclosing unit.
    fn capture(&self, mut scope: ScopeId, name: Sym) -> Capture {
        loop {
            let data = self.table.scope(scope);
            let own = data.get(name).is_some_and(|symbol| symbol.res == Res::Cell);
            let class_cell = data.kind == ScopeKind::Class && data.registers.contains_key(&name);
            if (own || class_cell)
                && let Some(&register) = data.registers.get(&name)
            {
                return Capture::Local(register);
            }
            match data.parent {
                Some(parent) if data.inlined => scope = parent,
                _ => break,
            }
        }
        let index = self
            .table
            .scope(scope)
            .free
            .iter()
            .position(|free| *free == name)
            .unwrap_or(0);
        Capture::Free(index as u16)
    }

    /// The error of a unit that does not fit the instruction format, or is beyond all measure.
    pub(super) fn too_complex(&self) -> Box<SyntaxError> {
        let at = self.lines.start(self.unit.first_line);
        let text = format!("'{}' is too complex to compile", self.unit.name);
        Box::new(SyntaxError::at(ErrorKind::Syntax, text, self.lines, at, at))
    }

    /// Makes the code of the present unit.
    pub(super) fn finish_unit(&mut self) -> Outcome<Rc<Compiled>> {
        let handlers = self.unit.code.finish();
        self.emitted += self.unit.code.instrs.len();
        let count = self.unit.regs.count();
        let Some(nregs) = count.filter(|_| !self.unit.code.overflow && self.emitted <= MAX_TOTAL)
        else {
            return Err(self.too_complex());
        };
        let captures = self.captures(self.unit.root);
        let scope = self.table.scope(self.unit.root);
        let text = |name: &Sym| match &**self.table.names.text(*name) {
            ".format" => Rc::from("format"),
            _ => Rc::clone(self.table.names.text(*name)),
        };
        let function = self.unit.kind == BlockKind::Function;
        let flags = Flags {
            varargs: self.unit.varargs,
            varkeywords: self.unit.varkeywords,
            generator: function && scope.is_generator && !scope.is_async,
            coroutine: scope.is_async
                && !scope.is_generator
                && (function || self.unit.kind == BlockKind::Module && scope.has_await),
            async_generator: function && scope.is_async && scope.is_generator,
            nested: scope.nested,
            optimized: function,
            has_docstring: self.unit.has_docstring,
            method: self.unit.method,
        };
        let code = &mut self.unit.code;
        Ok(Rc::new(Compiled {
            name: Rc::clone(&self.unit.name),
            qualname: Rc::clone(&self.unit.qualname),
            varnames: scope.varnames.iter().map(text).collect(),
            freevars: scope.free.iter().map(text).collect(),
            consts: std::mem::take(&mut code.consts),
            caches: std::mem::take(&mut code.caches),
            static_attributes: scope.static_attributes.iter().map(text).collect(),
            proto: Rc::new(Proto {
                kind: self.unit.kind,
                flags,
                posonly: self.unit.posonly,
                args: self.unit.args,
                kwonly: self.unit.kwonly,
                cells: scope.cells.clone(),
                captures,
                nregs,
                first_line: self.unit.first_line,
                instrs: std::mem::take(&mut code.instrs),
                spans: std::mem::take(&mut code.spans).into(),
                handlers,
            }),
        }))
    }

    /// Adds finished code to the constants of the present unit.
    pub(super) fn code_constant(&mut self, proto: Rc<Compiled>) -> u32 {
        self.unit.code.new_constant(Const::Code(proto))
    }
}
