//! Lowering: from the tree to instructions.
//!
//! * [`unit`]: code units under construction, entering and leaving them;
//! * [`operand`]: where values are while an expression is computed;
//! * [`names`]: loading, storing and deleting names;
//! * [`expr`], [`access`], [`cond`], [`call`], [`display`], [`comprehension`], [`string`]: expressions;
//! * [`stmt`], [`assign`], [`augmented`], [`loops`], [`try_stmt`], [`with_stmt`], [`match_stmt`], [`import`]: statements;
//! * [`function`], [`class`], [`generic`], [`annotation`]: definitions.
//!
//! Temporaries form a stack. Whoever allocates a temporary frees it by resetting the stack to its mark, and sees to it
//! that it holds nothing then: an instruction took it, or a `Clear` follows.

mod access;
mod annotation;
mod assign;
mod augmented;
mod call;
mod class;
mod comprehension;
mod cond;
mod display;
mod expr;
mod function;
mod generic;
mod import;
mod loops;
mod match_stmt;
mod names;
mod operand;
mod stmt;
mod string;
mod try_stmt;
mod unit;
mod with_stmt;

use std::rc::Rc;

use coldframe_frontend::ast::{self, Ranged, Stmt, TextRange};
use coldframe_frontend::{ErrorKind, LineIndex, SyntaxError};

use crate::Options;
use crate::code::{BlockKind, Compiled, Const, Span};
use crate::op::Op;
use crate::symtable::scope::{ScopeId, Table};
use unit::Unit;

pub(crate) use operand::Operand;
pub use string::interpolation_text;

/// The outcome of a lowering step. The error is boxed because steps nest deeply, and results take room on the stack.
pub(crate) type Outcome<T = ()> = Result<T, Box<SyntaxError>>;

/// The lowering of one source.
pub(crate) struct Compiler<'a> {
    table: Table<'a>,
    lines: &'a LineIndex,
    options: Options,
    future_annotations: bool,
    unit: Unit<'a>,
    outer: Vec<Unit<'a>>,
    /// Instructions of the finished units.
    emitted: usize,
}

/// The span of a node.
pub(crate) fn span(node: &impl Ranged) -> Span {
    range_span(node.range())
}

pub(crate) fn range_span(range: TextRange) -> Span {
    Span {
        start: range.start().to_u32(),
        end: range.end().to_u32(),
    }
}

impl<'a> Compiler<'a> {
    pub fn new(
        table: Table<'a>,
        lines: &'a LineIndex,
        options: Options,
        future_annotations: bool,
    ) -> Compiler<'a> {
        let unit = Unit::new(
            &table,
            ScopeId(0),
            "<module>",
            "<module>",
            BlockKind::Module,
            1,
        );
        Compiler {
            table,
            lines,
            options,
            future_annotations,
            unit,
            outer: Vec::new(),
            emitted: 0,
        }
    }

    /// Lowers a module.
    pub fn module(mut self, body: &'a [Stmt]) -> Outcome<Rc<Compiled>> {
        let start = Span::default();
        self.begin_annotations(start)?;
        let body = match stmt::docstring(body) {
            // A string that is all of a program whose value is wanted is that value, as at CPython's prompt.
            Some(string)
                if !(self.options.interactive || self.options.want_value && body.len() == 1) =>
            {
                let text = self.docstring_text(string);
                let name = self.table.names.intern("__doc__");
                self.store(name, Operand::Const(text), span(string))?;
                &body[1..]
            }
            _ => body,
        };
        match body.split_last() {
            Some((Stmt::Expr(last), before)) if self.options.want_value => {
                self.body(before)?;
                let range = span(&*last.value);
                let mark = self.unit.regs.mark();
                let register = self.unit.regs.alloc();
                self.expr_to(&last.value, register)?;
                self.emit(Op::SetLastValue, 0, register, 0, 0, range);
                self.unit.regs.reset(mark);
            }
            _ => self.body(body)?,
        }
        self.return_none(start);
        self.finish_unit()
    }

    /// Lowers an expression; the value is what the code returns.
    pub fn expression(mut self, expr: &'a ast::Expr) -> Outcome<Rc<Compiled>> {
        let value = self.expr(expr, None)?;
        self.emit_return(value, span(expr));
        self.finish_unit()
    }

    /// A syntax error that marks `range`.
    fn error<T>(&self, message: impl Into<String>, range: TextRange) -> Outcome<T> {
        Err(Box::new(SyntaxError::at(
            ErrorKind::Syntax,
            message,
            self.lines,
            range.start().to_usize(),
            range.end().to_usize(),
        )))
    }

    // ---- emitting

    fn emit(&mut self, op: Op, x: u8, a: u16, b: u16, c: u16, span: Span) {
        self.unit.code.emit(op, x, a, b, c, span);
    }

    fn load_const(&mut self, dst: u16, constant: Const, span: Span) {
        if self.unit.code.reachable() {
            let index = self.unit.code.constant(constant);
            self.unit
                .code
                .emit_imm(Op::LoadConst, 0, dst, index as i32, span);
        }
    }

    /// Drops `count` registers from `first` on.
    fn clear(&mut self, first: u16, count: u16, span: Span) {
        if count > 0 {
            self.emit(Op::Clear, 0, first, count, 0, span);
        }
    }

    /// Returns `RK(a)`; says from which register on nothing is held.
    fn emit_return_of(&mut self, a: u16, x: u8, span: Span) {
        let mark = self.unit.regs.mark();
        let is_top = x & crate::op::KA == 0 && self.unit.regs.is_temp(a) && a + 1 == mark;
        let live = if is_top { a } else { mark };
        self.emit(Op::Return, x, a, live, 0, span);
        self.unit.code.unreachable();
    }

    fn return_none(&mut self, span: Span) {
        self.emit_return(Operand::Const(Const::None), span);
    }

    fn emit_return(&mut self, value: Operand, span: Span) {
        if self.unit.code.reachable() {
            let (a, x) = self.rk(value, operand::NOWHERE, crate::op::KA, 0, span);
            self.emit_return_of(a, x, span);
        }
    }
}
