//! What a source imports, found in its tree without running it.

use rustpython_ast::visitor::{Visitor, walk_stmt};
use rustpython_ast::{ModModule, Stmt};
use rustpython_text_size::Ranged;

use crate::source::LineIndex;

/// One module that a source imports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Import {
    /// Dotted name, as written: a relative import keeps its leading dots.
    pub module: String,
    /// Line of the statement (1-based).
    pub line: u32,
}

/// Lists the import statements of a module in the order of the source, also those inside functions and classes.
pub fn imports(module: &ModModule, lines: &LineIndex) -> Vec<Import> {
    let mut finder = Finder {
        lines,
        found: Vec::new(),
    };
    finder.visit_body(&module.body);
    finder.found
}

struct Finder<'a> {
    lines: &'a LineIndex,
    found: Vec<Import>,
}

impl<'a> Visitor<'a> for Finder<'_> {
    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        let line = self.lines.line(stmt.start().to_usize());
        match stmt {
            Stmt::Import(import) => {
                self.found.extend(import.names.iter().map(|alias| Import {
                    module: alias.name.to_string(),
                    line,
                }));
            }
            Stmt::ImportFrom(import) => {
                let dots = ".".repeat(import.level as usize);
                let name = import.module.as_ref().map_or("", |name| name.as_str());
                self.found.push(Import {
                    module: dots + name,
                    line,
                });
            }
            _ => walk_stmt(self, stmt),
        }
    }

    // Statements are not found inside expressions: those need no visit.
    fn visit_expr(&mut self, _: &'a rustpython_ast::Expr) {}
}

#[cfg(test)]
mod tests {
    use crate::parse_module;

    #[test]
    fn imports_are_found_wherever_they_stand() {
        let source = "\
import os.path as p, sys
1 / 0
def f():
    from json import loads, dumps
    class C:
        try:
            from . import a
        except ImportError:
            from ..b import c
        else:
            match 1:
                case 1: import d; import e
async def g():
    async with x: import h
if 0: pass
elif 1: import i
while 0: import j
for _ in (): pass
else: import k
with y: from m import *
";
        let module = parse_module(source).expect("valid source");
        let found = super::imports(&module.ast, &module.lines);
        let found: Vec<_> = found.iter().map(|i| (i.module.as_str(), i.line)).collect();
        let expected = [
            ("os.path", 1),
            ("sys", 1),
            ("json", 4),
            (".", 7),
            ("..b", 9),
            ("d", 12),
            ("e", 12),
            ("h", 14),
            ("i", 16),
            ("j", 17),
            ("k", 19),
            ("m", 20),
        ];
        assert_eq!(found, expected);
    }
}
