//! First pass: finds the scopes and how each uses its names, and raises the errors that only need context.
//!
//! Here is the visitor's state; the visits are in [`statements`], [`definitions`], [`expressions`], [`comprehensions`] and [`patterns`].

mod comprehensions;
mod definitions;
mod expressions;
mod patterns;
mod statements;

use coldframe_frontend::hash::HashMap;

use coldframe_frontend::ast::{self, ExprContext, TextRange};
use coldframe_frontend::{ErrorKind, LineIndex, SyntaxError};

use super::scope::{Part, Scope, ScopeId, ScopeKind, Sym, Table, address, flag};

/// The error is boxed because visits nest deeply.
type Outcome = Result<(), Box<SyntaxError>>;

/// What surrounds the statement that is being visited, within its function.
#[derive(Clone, Copy, Default)]
struct Surroundings {
    in_loop: bool,
    /// Within an `except*` block, and not in a loop inside it.
    in_except_star: bool,
    conditional: bool,
}

pub(super) struct Builder<'a> {
    pub table: Table<'a>,
    lines: &'a LineIndex,
    future_annotations: bool,
    /// The module itself may await.
    top_level_await: bool,
    current: ScopeId,
    around: Surroundings,
    /// How many comprehension iterables enclose the expression, in this scope.
    in_comprehension_iterable: u32,
    /// The kind of comprehension around the expression, for error texts.
    comprehension: &'static str,
    /// The innermost comprehension.
    comprehension_range: TextRange,
    /// What an annotation scope is part of, for error texts.
    annotation: &'static str,
    /// `return` with a value, to be checked when the function turns out to be an async generator.
    valued_return: Option<TextRange>,
}

impl<'a> Builder<'a> {
    pub fn new(
        lines: &'a LineIndex,
        future_annotations: bool,
        top_level_await: bool,
    ) -> Builder<'a> {
        let mut builder = Builder {
            table: Table::new(),
            lines,
            future_annotations,
            top_level_await,
            current: ScopeId(0),
            around: Surroundings::default(),
            in_comprehension_iterable: 0,
            comprehension: "",
            comprehension_range: TextRange::default(),
            annotation: "",
            valued_return: None,
        };
        builder.push(ScopeKind::Module, None);
        builder
    }

    fn error(&self, message: impl Into<String>, range: TextRange) -> Outcome {
        Err(Box::new(SyntaxError::at(
            ErrorKind::Syntax,
            message,
            self.lines,
            range.start().to_usize(),
            range.end().to_usize(),
        )))
    }

    // ---- scopes

    fn push(&mut self, kind: ScopeKind, parent: Option<ScopeId>) -> ScopeId {
        let id = ScopeId(self.table.scopes.len() as u32);
        let (class_name, nested, parent_sees) = match parent {
            None => (None, false, false),
            Some(parent) => {
                let parent = self.table.scope(parent);
                (
                    parent.class_name,
                    parent.nested || parent.kind.is_function(),
                    parent.kind == ScopeKind::Class || parent.sees_class,
                )
            }
        };
        let sees_class = kind.is_annotation() && parent_sees;
        let parent_direct = parent.is_some_and(|parent| self.table.scope(parent).sees_class);
        let scope = Scope {
            kind,
            parent,
            class_name,
            symbols: Vec::new(),
            index: HashMap::default(),
            params: Vec::new(),
            is_async: self.top_level_await && kind == ScopeKind::Module,
            is_generator: false,
            has_await: false,
            inlined: kind == ScopeKind::Comprehension && !parent_direct,
            sees_class,
            nested,
            needs_class: false,
            needs_classdict: false,
            needs_conditional: false,
            annotated: Vec::new(),
            annotations: None,
            static_attributes: Vec::new(),
            walrus: Default::default(),
            free: Vec::new(),
            registers: HashMap::default(),
            varnames: Vec::new(),
            cells: Vec::new(),
        };
        self.table.scopes.push(scope);
        if sees_class {
            let classdict = self.table.known.classdict;
            self.table.scope_mut(id).add(classdict, flag::USED);
        }
        id
    }

    /// Opens the scope of `node`, runs `visit` in it and comes back.
    fn within<N>(
        &mut self,
        kind: ScopeKind,
        node: &N,
        part: Part,
        visit: impl FnOnce(&mut Self, ScopeId) -> Outcome,
    ) -> Outcome {
        let id = self.push(kind, Some(self.current));
        self.table.by_node.insert((address(node), part), id);
        self.inside(id, visit)
    }

    fn inside(
        &mut self,
        id: ScopeId,
        visit: impl FnOnce(&mut Self, ScopeId) -> Outcome,
    ) -> Outcome {
        let current = std::mem::replace(&mut self.current, id);
        let around = std::mem::take(&mut self.around);
        let iterable = std::mem::take(&mut self.in_comprehension_iterable);
        let valued_return = self.valued_return.take();
        let outcome = visit(self, id);
        self.current = current;
        self.around = around;
        self.in_comprehension_iterable = iterable;
        self.valued_return = valued_return;
        outcome
    }

    fn scope(&mut self) -> &mut Scope<'a> {
        self.table.scope_mut(self.current)
    }

    fn kind(&self) -> ScopeKind {
        self.table.scope(self.current).kind
    }

    fn mangled(&mut self, name: &str) -> Sym {
        let class = self.table.scope(self.current).class_name;
        self.table.mangle(class, name)
    }

    // ---- names

    fn add(&mut self, name: &str, flags: u16, range: TextRange) -> Outcome {
        if name == "__debug__" && flags & flag::USED == 0 {
            return self.error("cannot assign to __debug__", range);
        }
        let sym = self.mangled(name);
        self.scope().add(sym, flags);
        Ok(())
    }

    fn bind(&mut self, name: &ast::Identifier) -> Outcome {
        self.add(name.as_str(), flag::ASSIGNED, name.range)
    }

    fn name(&mut self, name: &'a ast::ExprName) -> Outcome {
        match name.ctx {
            ExprContext::Store | ExprContext::Invalid => {
                self.add(name.id.as_str(), flag::ASSIGNED, name.range)
            }
            ExprContext::Del => {
                if name.id.as_str() == "__debug__" {
                    return self.error("cannot delete __debug__", name.range);
                }
                self.add(name.id.as_str(), flag::ASSIGNED, name.range)
            }
            ExprContext::Load => {
                self.add(name.id.as_str(), flag::USED, name.range)?;
                if name.id.as_str() == "super" && self.kind().is_function() {
                    let class = self.table.known.class;
                    self.scope().add(class, flag::USED);
                }
                Ok(())
            }
        }
    }

    /// `global` and `nonlocal`.
    fn declare(&mut self, names: &[ast::Identifier], range: TextRange, global: bool) -> Outcome {
        let word = if global { "global" } else { "nonlocal" };
        if !global && self.kind() == ScopeKind::Module {
            return self.error("nonlocal declaration not allowed at module level", range);
        }
        for name in names {
            let sym = self.mangled(name.as_str());
            let flags = self.scope().flags(sym);
            if flags & flag::PARAM != 0 {
                return self.error(format!("name '{name}' is parameter and {word}"), range);
            }
            if flags & flag::USED != 0 {
                return self.error(
                    format!("name '{name}' is used prior to {word} declaration"),
                    range,
                );
            }
            if flags & flag::ANNOTATED != 0 {
                return self.error(format!("annotated name '{name}' can't be {word}"), range);
            }
            if flags & (flag::ASSIGNED | flag::TYPE_PARAM) != 0 {
                return self.error(
                    format!("name '{name}' is assigned to before {word} declaration"),
                    range,
                );
            }
            let added = if global { flag::GLOBAL } else { flag::NONLOCAL };
            if flags & (flag::GLOBAL | flag::NONLOCAL) & !added != 0 {
                return self.error(format!("name '{name}' is nonlocal and global"), range);
            }
            self.scope().add(sym, added);
        }
        Ok(())
    }
}
