//! Comprehensions, and `:=`, which they treat in a way of their own.

use coldframe_frontend::ast::{self, Expr, Ranged};

use super::super::scope::{Part, ScopeKind, Sym, flag};
use super::{Builder, Outcome};

impl<'a> Builder<'a> {
    pub(super) fn comprehension<N: Ranged>(
        &mut self,
        node: &'a N,
        what: &'static str,
        generators: &'a [ast::Comprehension],
        elements: &[&'a Expr],
    ) -> Outcome {
        let Some((first, rest)) = generators.split_first() else {
            return Ok(());
        };
        self.in_comprehension_iterable += 1;
        let outcome = self.expr(&first.iter);
        self.in_comprehension_iterable -= 1;
        outcome?;
        let kind = if what == "generator expression" {
            ScopeKind::Generator
        } else {
            ScopeKind::Comprehension
        };
        let before = std::mem::replace(&mut self.comprehension, what);
        let range_before = std::mem::replace(&mut self.comprehension_range, node.range());
        self.within(kind, node, Part::Body, |this, id| {
            if !this.table.scope(id).inlined {
                let dot0 = this.table.known.dot0;
                let scope = this.scope();
                scope.add(dot0, flag::PARAM);
                scope.params.push(dot0);
            }
            if kind == ScopeKind::Generator {
                this.scope().is_generator = true;
            }
            this.comprehension_clause(first, what)?;
            for clause in rest {
                this.in_comprehension_iterable += 1;
                let outcome = this.expr(&clause.iter);
                this.in_comprehension_iterable -= 1;
                outcome?;
                this.comprehension_clause(clause, what)?;
            }
            elements.iter().try_for_each(|element| this.expr(element))
        })?;
        self.comprehension = before;
        self.comprehension_range = range_before;
        Ok(())
    }

    pub(super) fn comprehension_clause(
        &mut self,
        clause: &'a ast::Comprehension,
        what: &'static str,
    ) -> Outcome {
        if clause.is_async {
            if what != "generator expression" {
                let (_, is_async) = self.asynchronous();
                if !is_async {
                    return self.error(
                        "asynchronous comprehension outside of an asynchronous function",
                        self.comprehension_range,
                    );
                }
            }
            self.mark_await();
        }
        self.comprehension_target(&clause.target)?;
        self.target(&clause.target)?;
        clause.ifs.iter().try_for_each(|test| self.expr(test))
    }

    /// Marks the names of a target as iteration variables.
    pub(super) fn comprehension_target(&mut self, target: &'a Expr) -> Outcome {
        match target {
            Expr::Name(name) => {
                let sym = self.mangled(name.id.as_str());
                if self.scope().flags(sym) & flag::WALRUS != 0 {
                    let text = format!(
                        "comprehension inner loop cannot rebind assignment expression target '{}'",
                        name.id
                    );
                    return self.error(text, name.range);
                }
                self.scope().add(sym, flag::COMP_TARGET | flag::ASSIGNED);
                Ok(())
            }
            Expr::Tuple(ast::ExprTuple { elts, .. }) | Expr::List(ast::ExprList { elts, .. }) => {
                elts.iter()
                    .try_for_each(|elt| self.comprehension_target(elt))
            }
            Expr::Starred(starred) => self.comprehension_target(&starred.value),
            _ => Ok(()),
        }
    }

    pub(super) fn named(&mut self, expr: &'a ast::ExprNamed) -> Outcome {
        self.forbidden_in_annotation("named expression", expr.range)?;
        if self.in_comprehension_iterable > 0 {
            return self.error(
                "assignment expression cannot be used in a comprehension iterable expression",
                expr.range,
            );
        }
        self.expr(&expr.value)?;
        let Expr::Name(name) = &*expr.target else {
            return self.expr(&expr.target);
        };
        if name.id.as_str() == "__debug__" {
            return self.error("cannot assign to __debug__", name.range);
        }
        let sym = self.mangled(name.id.as_str());
        if self.kind().is_comprehension() {
            return self.named_in_comprehension(name, sym);
        }
        self.scope().add(sym, flag::ASSIGNED);
        let unit = self.table.unit(self.current);
        self.table.scope_mut(unit).walrus.insert(sym);
        Ok(())
    }

    /// `:=` in a comprehension binds in the scope around the comprehensions.
    pub(super) fn named_in_comprehension(&mut self, name: &ast::ExprName, sym: Sym) -> Outcome {
        let mut id = self.current;
        while self.table.scope(id).kind.is_comprehension() {
            if self.table.scope(id).flags(sym) & flag::COMP_TARGET != 0 {
                let text = format!(
                    "assignment expression cannot rebind comprehension iteration variable '{}'",
                    name.id
                );
                return self.error(text, name.range);
            }
            let Some(parent) = self.table.scope(id).parent else {
                break;
            };
            id = parent;
        }
        let target = self.table.scope(id);
        let place = match target.kind {
            ScopeKind::Class => Some("a class body"),
            ScopeKind::TypeParams => Some("the definition of a generic"),
            ScopeKind::TypeAlias => Some("a type alias"),
            ScopeKind::TypeVariable => Some("a TypeVar bound"),
            ScopeKind::Annotations => Some("an annotation"),
            _ => None,
        };
        if let Some(place) = place {
            let word = if target.kind == ScopeKind::Class {
                "in"
            } else {
                "within"
            };
            let text = format!(
                "assignment expression within a comprehension cannot be used {word} {place}"
            );
            return self.error(text, name.range);
        }
        let global = target.kind == ScopeKind::Module || target.flags(sym) & flag::GLOBAL != 0;
        let here = if global { flag::GLOBAL } else { flag::NONLOCAL };
        self.table.scope_mut(id).add(sym, flag::ASSIGNED);
        let unit = self.table.unit(id);
        self.table.scope_mut(unit).walrus.insert(sym);
        self.scope().add(sym, here | flag::WALRUS);
        Ok(())
    }
}
