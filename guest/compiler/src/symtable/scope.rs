//! Scopes, symbols and interned names: the data of the symbol table.

use coldframe_frontend::hash::{HashMap, HashSet};
use std::rc::Rc;

use coldframe_frontend::ast;

/// An interned name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub(crate) struct Sym(pub u32);

/// All names of a compilation.
#[derive(Default)]
pub(crate) struct Names {
    ids: HashMap<Rc<str>, Sym>,
    texts: Vec<Rc<str>>,
}

impl Names {
    /// The symbol of `text`.
    pub fn intern(&mut self, text: &str) -> Sym {
        if let Some(&sym) = self.ids.get(text) {
            return sym;
        }
        let sym = Sym(self.texts.len() as u32);
        let text: Rc<str> = Rc::from(text);
        self.texts.push(Rc::clone(&text));
        self.ids.insert(text, sym);
        sym
    }

    /// The text of `sym`.
    pub fn text(&self, sym: Sym) -> &Rc<str> {
        &self.texts[sym.0 as usize]
    }
}

/// Index of a scope in the table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct ScopeId(pub u32);

/// What kind of block a scope is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ScopeKind {
    Module,
    Class,
    Function,
    Lambda,
    /// A list, set or dict comprehension.
    Comprehension,
    /// A generator expression.
    Generator,
    /// `__annotate__` (PEP 649).
    Annotations,
    /// The type parameters of a function, class or alias (PEP 695).
    TypeParams,
    /// Bound, constraints or default of a type parameter.
    TypeVariable,
    /// The value of a `type` statement.
    TypeAlias,
}

impl ScopeKind {
    /// Whether names of the scope are local variables that nested functions can capture.
    pub fn is_function(self) -> bool {
        !matches!(self, ScopeKind::Module | ScopeKind::Class)
    }

    pub fn is_comprehension(self) -> bool {
        matches!(self, ScopeKind::Comprehension | ScopeKind::Generator)
    }

    /// The annotation scopes, in which `yield`, `await` and `:=` are forbidden.
    pub fn is_annotation(self) -> bool {
        matches!(
            self,
            ScopeKind::Annotations
                | ScopeKind::TypeParams
                | ScopeKind::TypeVariable
                | ScopeKind::TypeAlias
        )
    }
}

/// How a name is used in a scope; a set of bits.
pub(crate) mod flag {
    pub const USED: u16 = 1;
    pub const ASSIGNED: u16 = 2;
    pub const PARAM: u16 = 4;
    pub const GLOBAL: u16 = 8;
    pub const NONLOCAL: u16 = 16;
    pub const ANNOTATED: u16 = 32;
    pub const IMPORTED: u16 = 64;
    pub const COMP_TARGET: u16 = 128;
    pub const TYPE_PARAM: u16 = 256;
    /// Bound in a comprehension by `:=`, on behalf of an enclosing scope.
    pub const WALRUS: u16 = 512;
    pub const BOUND: u16 = ASSIGNED | PARAM | IMPORTED | TYPE_PARAM;
}

/// Where a name of a scope lives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Res {
    Unresolved,
    /// Bound here: a register, or a name of the namespace (module, class).
    Local,
    /// Bound here and captured.
    Cell,
    /// Captured from an enclosing code unit.
    Free,
    GlobalExplicit,
    GlobalImplicit,
    /// A local of an enclosing scope of the same code unit (from an inlined comprehension).
    Outer(ScopeId),
}

/// A name in a scope.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Symbol {
    pub name: Sym,
    pub flags: u16,
    pub res: Res,
}

/// An annotated name of a module or class body.
#[derive(Clone, Copy)]
pub(crate) struct Annotated<'a> {
    pub statement: &'a ast::StmtAnnAssign,
    /// Within an `if`, loop, `try` and the like, so that it need not be executed.
    pub conditional: bool,
}

/// A scope.
pub(crate) struct Scope<'a> {
    pub kind: ScopeKind,
    pub parent: Option<ScopeId>,
    /// The class whose name mangles private names.
    pub class_name: Option<Sym>,
    /// Names in the order of their first mention.
    pub symbols: Vec<Symbol>,
    pub index: HashMap<Sym, u32>,
    /// Parameters in register order.
    pub params: Vec<Sym>,
    pub is_async: bool,
    /// Contains `yield`.
    pub is_generator: bool,
    /// Contains `await`, `async for` or an asynchronous comprehension.
    pub has_await: bool,
    /// Part of the enclosing code unit (PEP 709).
    pub inlined: bool,
    /// Annotation scope whose names may come from the class around it.
    pub sees_class: bool,
    /// Defined inside a function.
    pub nested: bool,
    /// The class body needs a `__class__` cell.
    pub needs_class: bool,
    /// The class body needs a `__classdict__` cell.
    pub needs_classdict: bool,
    /// The class body's `__conditional_annotations__` is captured.
    pub needs_conditional: bool,
    /// Annotated names of a module or class body, in order.
    pub annotated: Vec<Annotated<'a>>,
    /// The scope of those annotations.
    pub annotations: Option<ScopeId>,
    /// `__static_attributes__` of a class.
    pub static_attributes: Vec<Sym>,
    /// Names that `:=` binds in this code unit.
    pub walrus: HashSet<Sym>,
    /// Closure cells of the code unit, sorted by name.
    pub free: Vec<Sym>,
    /// Registers of the names bound here.
    pub registers: HashMap<Sym, u16>,
    /// Code unit: names of the registers.
    pub varnames: Vec<Sym>,
    /// Code unit: registers that hold cells.
    pub cells: Vec<u16>,
}

impl Scope<'_> {
    /// The symbol of a name, if the scope mentions it.
    pub fn get(&self, name: Sym) -> Option<&Symbol> {
        self.index
            .get(&name)
            .map(|&index| &self.symbols[index as usize])
    }

    /// As [`Scope::get`], to change it.
    pub fn get_mut(&mut self, name: Sym) -> Option<&mut Symbol> {
        let index = *self.index.get(&name)?;
        self.symbols.get_mut(index as usize)
    }

    /// Adds flags to a name.
    pub fn add(&mut self, name: Sym, flags: u16) {
        match self.index.get(&name) {
            Some(&index) => self.symbols[index as usize].flags |= flags,
            None => {
                self.index.insert(name, self.symbols.len() as u32);
                self.symbols.push(Symbol {
                    name,
                    flags,
                    res: Res::Unresolved,
                });
            }
        }
    }

    /// The flags of a name (0 when it is not mentioned).
    pub fn flags(&self, name: Sym) -> u16 {
        self.get(name).map_or(0, |symbol| symbol.flags)
    }
}

/// Which of the scopes that belong to one node is meant.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Part {
    Body,
    TypeParams,
    Annotations,
    Bound,
    Default,
    Value,
}

/// The address of a node, by which its scopes are found.
pub(crate) fn address<T>(node: &T) -> usize {
    std::ptr::from_ref(node) as usize
}

/// Names that the language itself gives a meaning.
#[derive(Clone, Copy)]
pub(crate) struct Known {
    pub class: Sym,
    pub classdict: Sym,
    pub conditional: Sym,
    pub super_: Sym,
    pub dot0: Sym,
    pub type_params: Sym,
    pub generic_base: Sym,
    pub defaults: Sym,
    pub kwdefaults: Sym,
}

/// The scopes of a compilation.
pub(crate) struct Table<'a> {
    pub names: Names,
    pub known: Known,
    pub scopes: Vec<Scope<'a>>,
    pub by_node: HashMap<(usize, Part), ScopeId>,
}

impl<'a> Table<'a> {
    pub fn new() -> Table<'a> {
        let mut names = Names::default();
        let known = Known {
            class: names.intern("__class__"),
            classdict: names.intern("__classdict__"),
            conditional: names.intern("__conditional_annotations__"),
            super_: names.intern("super"),
            dot0: names.intern(".0"),
            type_params: names.intern(".type_params"),
            generic_base: names.intern(".generic_base"),
            defaults: names.intern(".defaults"),
            kwdefaults: names.intern(".kwdefaults"),
        };
        Table {
            names,
            known,
            scopes: Vec::new(),
            by_node: HashMap::default(),
        }
    }

    pub fn scope(&self, id: ScopeId) -> &Scope<'a> {
        &self.scopes[id.0 as usize]
    }

    pub fn scope_mut(&mut self, id: ScopeId) -> &mut Scope<'a> {
        &mut self.scopes[id.0 as usize]
    }

    /// The code unit that a scope belongs to.
    pub fn unit(&self, mut id: ScopeId) -> ScopeId {
        loop {
            let scope = self.scope(id);
            match scope.parent {
                Some(parent) if scope.inlined => id = parent,
                _ => return id,
            }
        }
    }

    /// The name as it is stored: private names of a class are mangled.
    pub fn mangle(&mut self, class: Option<Sym>, name: &str) -> Sym {
        let Some(class) = class else {
            return self.names.intern(name);
        };
        if !name.starts_with("__") || name.ends_with("__") || name.contains('.') {
            return self.names.intern(name);
        }
        let class = Rc::clone(self.names.text(class));
        let stripped = class.trim_start_matches('_');
        if stripped.is_empty() {
            return self.names.intern(name);
        }
        self.names.intern(&format!("_{stripped}{name}"))
    }
}
