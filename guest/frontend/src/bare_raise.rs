//! Works around a fault of the parser: it refuses `raise;`, a bare `raise` with a semicolon.
//!
//! The word is written over by `pass`, with a blank so that no offset changes, and the statements
//! are turned back in the tree.

use rustpython_ast::visitor::transformer::{Transformer, walk_stmt};
use rustpython_ast::{AtomicNodeIndex, ModModule, Stmt, StmtRaise};
use rustpython_text_size::{Ranged, TextRange, TextSize};

use crate::scan::{Tok, Token};

const RAISE: &str = "raise";
const STAND_IN: &str = "pass ";

/// Where a bare `raise` is followed by a semicolon.
pub(crate) fn find(tokens: &[Token]) -> Vec<u32> {
    tokens
        .windows(2)
        .filter(|pair| pair[0].kind == Tok::Raise && pair[1].kind == Tok::Semi)
        .map(|pair| pair[0].start)
        .collect()
}

/// The source with the words at `places` written over.
pub(crate) fn hide(source: &str, places: &[u32]) -> String {
    let mut hidden = source.to_owned();
    for &place in places {
        let place = place as usize;
        hidden.replace_range(place..place + RAISE.len(), STAND_IN);
    }
    hidden
}

/// Puts the statements back into the tree.
pub(crate) fn restore(module: &mut ModModule, places: &[u32]) {
    let restorer = Restorer { places };
    for statement in &mut module.body {
        restorer.visit_stmt(statement);
    }
}

struct Restorer<'a> {
    places: &'a [u32],
}

impl Transformer for Restorer<'_> {
    fn visit_stmt(&self, statement: &mut Stmt) {
        let start = statement.start();
        if statement.is_pass_stmt() && self.places.contains(&u32::from(start)) {
            *statement = Stmt::Raise(StmtRaise {
                node_index: AtomicNodeIndex::NONE,
                range: TextRange::at(start, TextSize::of(RAISE)),
                exc: None,
                cause: None,
            });
        } else if !matches!(statement, Stmt::Expr(_) | Stmt::Assign(_)) {
            walk_stmt(self, statement);
        }
    }

    /// No statement is inside an expression.
    fn visit_expr(&self, _: &mut rustpython_ast::Expr) {}
}

#[cfg(test)]
mod tests {
    use rustpython_ast::Stmt;
    use rustpython_text_size::Ranged;

    use crate::parse_module;

    #[test]
    fn a_bare_raise_with_a_semicolon() {
        let module = parse_module("try: pass\nexcept A:\n    x; raise ; y\n    raise;\n    pass\n")
            .expect("valid");
        let Stmt::Try(statement) = &module.ast.body[0] else {
            panic!("a try statement");
        };
        let body = &statement.handlers[0]
            .as_except_handler()
            .expect("a handler")
            .body;
        let kinds: Vec<bool> = body.iter().map(Stmt::is_raise_stmt).collect();
        assert_eq!(kinds, [false, true, false, true, false]);
        assert_eq!(
            &module.lines.source()[body[1].range().to_std_range()],
            "raise"
        );
    }
}
