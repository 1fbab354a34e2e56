//! Second pass: decides where each name lives, which closure cells are needed, and which register a local gets.

use std::collections::BTreeSet;

use coldframe_frontend::hash::{HashMap, HashSet};

use coldframe_frontend::{ErrorKind, LineIndex, SyntaxError};

use super::scope::{Res, ScopeId, ScopeKind, Sym, Table, flag};

/// What the search for a binding found.
enum Found {
    /// The scope that binds the name.
    In(ScopeId),
    /// An enclosing function declares it `global`, or nobody binds it.
    Global,
}

/// Resolves all names of the table.
pub(super) fn resolve(table: &mut Table<'_>, lines: &LineIndex) -> Result<(), SyntaxError> {
    let count = table.scopes.len() as u32;
    let mut free: HashMap<ScopeId, BTreeSet<Sym>> = HashMap::default();
    // What any scope declares `global` is a global on the module's level too, even if that has a namespace of its own.
    let explicit: HashSet<Sym> = (0..count)
        .flat_map(|id| table.scope(ScopeId(id)).symbols.iter())
        .filter(|symbol| symbol.flags & flag::GLOBAL != 0)
        .map(|symbol| symbol.name)
        .collect();
    // Scopes are numbered in the order in which they open: enclosing ones come first.
    for id in (0..count).map(ScopeId) {
        for index in 0..table.scope(id).symbols.len() {
            let symbol = table.scope(id).symbols[index];
            let on_module = table.scope(id).kind == ScopeKind::Module;
            let res = if symbol.flags & flag::GLOBAL != 0
                || on_module && explicit.contains(&symbol.name)
            {
                Res::GlobalExplicit
            } else if symbol.flags & flag::BOUND != 0 && symbol.flags & flag::NONLOCAL == 0 {
                Res::Local
            } else {
                match find(table, id, symbol.name) {
                    Found::In(owner) => capture(table, id, owner, symbol.name, &mut free),
                    Found::Global if symbol.flags & flag::NONLOCAL != 0 => {
                        let name = table.names.text(symbol.name);
                        return Err(error(
                            table,
                            lines,
                            format!("no binding for nonlocal '{name}' found"),
                            symbol.name,
                        ));
                    }
                    Found::Global => Res::GlobalImplicit,
                }
            };
            let owner = match res {
                Res::Free => match find(table, id, symbol.name) {
                    Found::In(owner) => Some(owner),
                    Found::Global => None,
                },
                _ => None,
            };
            if symbol.flags & flag::NONLOCAL != 0
                && let Some(owner) = owner
                && table.scope(owner).flags(symbol.name) & flag::TYPE_PARAM != 0
            {
                let name = table.names.text(symbol.name);
                return Err(error(
                    table,
                    lines,
                    format!("nonlocal binding not allowed for type parameter '{name}'"),
                    symbol.name,
                ));
            }
            let symbol = &mut table.scope_mut(id).symbols[index];
            // A name may have become a cell already when an inner scope was looked at: it stays one.
            if symbol.res == Res::Unresolved || res != Res::Local {
                symbol.res = res;
            }
        }
    }
    for (id, names) in free {
        let mut names: Vec<Sym> = names.into_iter().collect();
        names.sort_by(|left, right| table.names.text(*left).cmp(table.names.text(*right)));
        table.scope_mut(id).free = names;
    }
    registers(table);
    Ok(())
}

/// An error about a declaration; the position of `nonlocal` statements is found in the source text by the caller's index.
fn error(table: &Table<'_>, lines: &LineIndex, message: String, name: Sym) -> SyntaxError {
    let text = table.names.text(name);
    let source = lines.source();
    let (start, end) = declaration(source, text).unwrap_or((0, 0));
    SyntaxError::at(ErrorKind::Syntax, message, lines, start, end)
}

/// The first `nonlocal` statement that names `name`: the table keeps no ranges, and this is the way of an error.
fn declaration(source: &str, name: &str) -> Option<(usize, usize)> {
    let mut from = 0;
    while let Some(at) = source[from..].find("nonlocal ") {
        let start = from + at;
        let line = source[start..].split(['\n', '\r', ';', '#']).next()?;
        let names = &line["nonlocal ".len()..];
        if names.split(',').any(|part| part.trim() == name) {
            return Some((start, start + line.trim_end().len()));
        }
        from = start + "nonlocal ".len();
    }
    None
}

/// The enclosing scope that binds `name`, seen from `id`.
fn find(table: &Table<'_>, id: ScopeId, name: Sym) -> Found {
    let known = &table.known;
    let mut next = table.scope(id).parent;
    while let Some(parent) = next {
        let scope = table.scope(parent);
        match scope.kind {
            ScopeKind::Module => return Found::Global,
            ScopeKind::Class => {
                if name == known.class
                    || name == known.classdict
                    || name == known.conditional && scope.needs_conditional
                {
                    return Found::In(parent);
                }
            }
            _ => {
                let flags = scope.flags(name);
                if flags & flag::GLOBAL != 0 {
                    return Found::Global;
                }
                if flags & flag::BOUND != 0 && flags & flag::NONLOCAL == 0 {
                    return Found::In(parent);
                }
            }
        }
        next = scope.parent;
    }
    Found::Global
}

/// Makes the binding of `name` in `owner` reachable from `id`.
fn capture(
    table: &mut Table<'_>,
    id: ScopeId,
    owner: ScopeId,
    name: Sym,
    free: &mut HashMap<ScopeId, BTreeSet<Sym>>,
) -> Res {
    let unit = table.unit(id);
    let owner_unit = table.unit(owner);
    if unit == owner_unit {
        return Res::Outer(owner);
    }
    let known = table.known;
    let scope = table.scope_mut(owner);
    if scope.kind == ScopeKind::Class {
        if name == known.class {
            scope.needs_class = true;
        } else if name == known.classdict {
            scope.needs_classdict = true;
        }
    } else if let Some(symbol) = scope.get_mut(name) {
        symbol.res = Res::Cell;
    }
    let mut next = unit;
    while next != owner_unit {
        free.entry(next).or_default().insert(name);
        match table.scope(next).parent {
            Some(parent) => next = table.unit(parent),
            None => break,
        }
    }
    Res::Free
}

/// Numbers the registers of the named locals.
fn registers(table: &mut Table<'_>) {
    let count = table.scopes.len() as u32;
    for id in (0..count).map(ScopeId) {
        if !table.scope(id).inlined {
            unit_registers(table, id);
        }
    }
    // Variables of inlined comprehensions come behind; two comprehensions share a register unless one is inside the other.
    let mut shared: HashMap<(ScopeId, Sym, bool, u32), u16> = HashMap::default();
    for id in (0..count).map(ScopeId) {
        if !table.scope(id).inlined {
            continue;
        }
        let unit = table.unit(id);
        for index in 0..table.scope(id).symbols.len() {
            let symbol = table.scope(id).symbols[index];
            let cell = match symbol.res {
                Res::Local => false,
                Res::Cell => true,
                _ => continue,
            };
            let depth = enclosing_comprehensions(table, id, symbol.name);
            let key = (unit, symbol.name, cell, depth);
            let register = match shared.get(&key) {
                Some(&register) => register,
                None => {
                    let root = table.scope_mut(unit);
                    let register = root.varnames.len() as u16;
                    root.varnames.push(symbol.name);
                    if cell {
                        root.cells.push(register);
                    }
                    shared.insert(key, register);
                    register
                }
            };
            table.scope_mut(id).registers.insert(symbol.name, register);
        }
    }
}

/// How many inlined comprehensions of the same unit around `id` bind `name` too.
fn enclosing_comprehensions(table: &Table<'_>, id: ScopeId, name: Sym) -> u32 {
    let mut depth = 0;
    let mut scope = table.scope(id);
    while scope.inlined {
        let Some(parent) = scope.parent else { break };
        scope = table.scope(parent);
        let bound = scope
            .get(name)
            .is_some_and(|symbol| matches!(symbol.res, Res::Local | Res::Cell));
        if scope.inlined && bound {
            depth += 1;
        }
    }
    depth
}

fn unit_registers(table: &mut Table<'_>, id: ScopeId) {
    let known = table.known;
    let scope = table.scope(id);
    let mut names: Vec<Sym> = scope.params.clone();
    let mut cells: Vec<Sym> = Vec::new();
    match scope.kind {
        ScopeKind::Module => {}
        ScopeKind::Class => {
            let wanted = [
                (scope.needs_class, known.class),
                (scope.needs_classdict, known.classdict),
                (scope.needs_conditional, known.conditional),
            ];
            cells.extend(
                wanted
                    .iter()
                    .filter(|(need, _)| *need)
                    .map(|(_, name)| *name),
            );
        }
        _ => {
            for symbol in &scope.symbols {
                let param = symbol.flags & flag::PARAM != 0;
                match symbol.res {
                    Res::Local if !param => names.push(symbol.name),
                    Res::Cell if !param => cells.push(symbol.name),
                    _ => {}
                }
            }
            cells.sort_by(|left, right| table.names.text(*left).cmp(table.names.text(*right)));
        }
    }
    names.extend(&cells);
    let scope = table.scope_mut(id);
    for (register, name) in names.iter().enumerate() {
        scope.registers.insert(*name, register as u16);
        let cell = match scope.get(*name) {
            Some(symbol) => symbol.res == Res::Cell,
            None => false,
        };
        if cell || scope.kind == ScopeKind::Class {
            scope.cells.push(register as u16);
        }
    }
    scope.varnames = names;
}
