//! What the walk knows about the scope it is in.

use rustpython_ast::name::Name;
use rustpython_text_size::TextRange;

/// The kind of a scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ScopeKind {
    Module,
    Class,
    Function {
        is_async: bool,
    },
    Lambda,
    Comprehension(ComprehensionKind),
    Annotation,
    /// A bound, constraint or default of a type parameter, described for messages.
    TypeVariable(&'static str),
    TypeAlias,
    /// Between the type parameters of a definition and its body.
    Generic,
}

/// The kind of a comprehension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ComprehensionKind {
    List,
    Set,
    Dict,
    Generator,
}

impl ComprehensionKind {
    pub(super) fn describe(self) -> &'static str {
        match self {
            ComprehensionKind::List => "list comprehension",
            ComprehensionKind::Set => "set comprehension",
            ComprehensionKind::Dict => "dict comprehension",
            ComprehensionKind::Generator => "generator expression",
        }
    }
}

/// Something that `break`, `continue` and `return` would have to leave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Block {
    Loop,
    ExceptStar,
}

#[derive(Debug)]
pub(super) struct Scope {
    pub(super) kind: ScopeKind,
    /// The loops and `except*` blocks around the current statement.
    pub(super) blocks: Vec<Block>,
    /// Whether there is a `yield` in it.
    pub(super) is_generator: bool,
    /// Whether there is an `await` or `async for` in it (for comprehensions).
    pub(super) is_coroutine: bool,
    /// `return` statements with a value.
    pub(super) returns: Option<TextRange>,
    /// How many iterables of comprehensions the current expression is in, those of the scopes
    /// around included.
    pub(super) in_iterable: usize,
    /// The iteration variables of a comprehension.
    pub(super) targets: Vec<Name>,
    /// Names that a comprehension assigns with `:=`.
    pub(super) assigned: Vec<Name>,
}

impl Scope {
    pub(super) fn new(kind: ScopeKind) -> Scope {
        Scope {
            kind,
            blocks: Vec::new(),
            is_generator: false,
            is_coroutine: false,
            returns: None,
            in_iterable: 0,
            targets: Vec::new(),
            assigned: Vec::new(),
        }
    }

    pub(super) fn is_async_function(&self) -> bool {
        self.kind == ScopeKind::Function { is_async: true }
    }
}
