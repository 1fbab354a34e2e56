//! The errors that need no symbol table but more than the grammar: `return` outside a function,
//! a starred target that stands alone, a pattern that can never be reached, and the like.
//!
//! CPython finds them in three passes over the whole module: the `__future__` imports, then the
//! symbol table, then code generation. An error of an earlier pass is reported even if one of a
//! later pass stands above it in the source. Here one walk finds them all and keeps the first of
//! each [`Stage`]. What is left to the compiler is everything about `global` and `nonlocal`.
//!
//! The parser accepts a few sources that CPython's grammar does not. They are noticed on the way;
//! the answer is then [`Verdict::Grammar`], and [`crate::diagnose`] finds the words.
//!
//! The walk goes down left-deep chains in a loop, so its recursion is bounded by
//! [`crate::limits::MAX_NESTING`].

mod expression;
mod pattern;
mod scope;
mod statement;

use rustpython_ast::{Expr, ModModule};
use rustpython_text_size::{Ranged, TextRange};

use scope::{Scope, ScopeKind};

/// Which of CPython's passes finds an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Future,
    Symbols,
    Code,
}

/// An error and the range it marks.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) message: String,
    pub(crate) range: TextRange,
}

/// What the walk ends with.
#[derive(Debug)]
pub(crate) enum Verdict {
    /// Nothing wrong.
    Good,
    /// The grammar of CPython refuses the source at about this place.
    Grammar(TextRange),
    /// An error of a later pass.
    Error(Found),
}

/// Walks a module.
pub(crate) fn check_module(source: &str, module: &ModModule) -> Verdict {
    let mut checker = Checker::new(source);
    checker.future_imports(&module.body);
    checker.body(&module.body);
    checker.verdict()
}

/// Walks a tree that was not made from a source: what the grammar would refuse cannot be in it.
pub(crate) fn check_made(body: &[rustpython_ast::Stmt]) -> Option<Found> {
    let mut checker = Checker::new("");
    checker.future_imports(body);
    checker.body(body);
    checker.found.into_iter().flatten().next()
}

/// The same for an expression.
pub(crate) fn check_made_expression(expression: &Expr) -> Option<Found> {
    let mut checker = Checker::new("");
    checker.expression(expression);
    checker.found.into_iter().flatten().next()
}

/// Walks a single expression.
pub(crate) fn check_expression(source: &str, expression: &Expr) -> Verdict {
    let mut checker = Checker::new(source);
    checker.expression(expression);
    checker.verdict()
}

struct Checker<'a> {
    source: &'a str,
    /// The first error of each stage.
    found: [Option<Found>; 3],
    /// The first place that CPython's grammar refuses.
    grammar: Option<TextRange>,
    /// Never empty; the innermost scope is the last.
    scopes: Vec<Scope>,
    /// Offset after the `__future__` imports that stand where they must.
    futures_end: u32,
}

impl<'a> Checker<'a> {
    fn new(source: &'a str) -> Checker<'a> {
        Checker {
            source,
            found: [None, None, None],
            grammar: None,
            scopes: vec![Scope::new(ScopeKind::Module)],
            futures_end: 0,
        }
    }

    fn verdict(self) -> Verdict {
        if let Some(range) = self.grammar {
            return Verdict::Grammar(range);
        }
        match self.found.into_iter().flatten().next() {
            Some(found) => Verdict::Error(found),
            None => Verdict::Good,
        }
    }

    /// Keeps an error if it is the first of its stage.
    fn report(&mut self, stage: Stage, ranged: impl Ranged, message: impl Into<String>) {
        let slot = &mut self.found[stage as usize];
        if slot.is_none() {
            *slot = Some(Found {
                message: message.into(),
                range: ranged.range(),
            });
        }
    }

    /// Notes a place that CPython's grammar refuses.
    fn refuse(&mut self, ranged: impl Ranged) {
        self.grammar.get_or_insert(ranged.range());
    }

    fn scope(&mut self) -> &mut Scope {
        if self.scopes.is_empty() {
            self.scopes.push(Scope::new(ScopeKind::Module));
        }
        let last = self.scopes.len() - 1;
        &mut self.scopes[last]
    }

    /// Runs `inside` in a new scope and gives that scope back.
    fn in_scope(&mut self, kind: ScopeKind, inside: impl FnOnce(&mut Self)) -> Scope {
        let mut scope = Scope::new(kind);
        scope.in_iterable = self.scope().in_iterable;
        self.scopes.push(scope);
        inside(self);
        self.scopes
            .pop()
            .unwrap_or_else(|| Scope::new(ScopeKind::Module))
    }

    /// Refuses to bind a name that is really a constant.
    fn check_name(&mut self, name: &str, ranged: impl Ranged) {
        if name == "__debug__" {
            self.report(Stage::Code, ranged, "cannot assign to __debug__");
        }
    }
}
