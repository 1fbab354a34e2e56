//! Node objects to patterns of the frontend's tree, with the validator's rules for what may be matched.

use super::reader::{Reader, no_index};
use crate::value::Value;
use crate::vm::{R, Vm};
use coldframe_frontend::ast::{self, Expr, Identifier, Operator, Pattern, TextRange, UnaryOp};

/// A number, perhaps negative.
fn is_number(expr: &Expr, imaginary: bool) -> bool {
    match expr {
        Expr::NumberLiteral(e) => matches!(e.value, ast::Number::Complex { .. }) == imaginary,
        _ => false,
    }
}

fn is_signed(expr: &Expr, imaginary: bool) -> bool {
    match expr {
        Expr::UnaryOp(e) => e.op == UnaryOp::USub && is_number(&e.operand, imaginary),
        // A negative number is no literal, but a constant.
        Expr::IpyEscapeCommand(e) => !imaginary && e.value.starts_with(['i', 'g', 'f']),
        other => is_number(other, imaginary),
    }
}

impl Reader {
    fn patterns(
        &mut self,
        vm: &mut Vm,
        node: &Value,
        field: &str,
        of: &str,
        star: bool,
    ) -> R<Vec<Pattern>> {
        let items = self.items(vm, node, field, of)?;
        let mut out = Vec::with_capacity(items.len());
        for item in &items {
            if item.is_none() {
                return Err(vm.value_error("None disallowed in pattern list"));
            }
            out.push(self.pattern(vm, item, star)?);
        }
        Ok(out)
    }

    /// The value that a pattern compares with.
    fn match_value(&mut self, vm: &mut Vm, node: &Value) -> R<Expr> {
        let expr = self.expression(vm, node, "Load")?;
        let good = match &expr {
            Expr::NumberLiteral(_)
            | Expr::StringLiteral(_)
            | Expr::BytesLiteral(_)
            | Expr::FString(_)
            | Expr::TString(_)
            | Expr::Attribute(_) => true,
            Expr::NoneLiteral(_) | Expr::BooleanLiteral(_) | Expr::EllipsisLiteral(_) => {
                return Err(vm.value_error("unexpected constant inside of a literal pattern"));
            }
            Expr::IpyEscapeCommand(e) => {
                if e.value.starts_with(['(', '{']) {
                    return Err(vm.value_error("unexpected constant inside of a literal pattern"));
                }
                true
            }
            Expr::UnaryOp(_) => is_signed(&expr, false) || is_signed(&expr, true),
            Expr::BinOp(e) => {
                matches!(e.op, Operator::Add | Operator::Sub)
                    && is_signed(&e.left, false)
                    && is_number(&e.right, true)
            }
            _ => false,
        };
        if !good {
            return Err(vm.value_error("patterns may only match literals and attribute lookups"));
        }
        Ok(expr)
    }

    fn capture(
        &mut self,
        vm: &mut Vm,
        node: &Value,
        field: &str,
        range: TextRange,
    ) -> R<Option<Identifier>> {
        let name = self.optional_identifier(vm, node, field, range)?;
        if name.as_ref().is_some_and(|name| name.as_str() == "_") {
            return Err(vm.value_error("can't capture name '_' in patterns"));
        }
        Ok(name)
    }

    pub(super) fn pattern(&mut self, vm: &mut Vm, node: &Value, star: bool) -> R<Pattern> {
        self.nested(vm, "pattern", |this, vm| this.pattern_inner(vm, node, star))
    }

    fn pattern_inner(&mut self, vm: &mut Vm, node: &Value, star: bool) -> R<Pattern> {
        let kind = self.expect(vm, node, "pattern")?;
        let kind = &*kind;
        let range = self.range(vm, node, "pattern")?;
        let node_index = no_index();
        Ok(match kind {
            "MatchValue" => {
                let value = self.required(vm, node, "value", kind)?;
                Pattern::MatchValue(ast::PatternMatchValue {
                    node_index,
                    range,
                    value: Box::new(self.match_value(vm, &value)?),
                })
            }
            "MatchSingleton" => {
                let value = self.field(vm, node, "value")?.unwrap_or(Value::NONE);
                let value = if value.is_none() {
                    ast::Singleton::None
                } else if value.is_same(&Value::TRUE) {
                    ast::Singleton::True
                } else if value.is_same(&Value::FALSE) {
                    ast::Singleton::False
                } else {
                    return Err(
                        vm.value_error("MatchSingleton can only contain True, False and None")
                    );
                };
                Pattern::MatchSingleton(ast::PatternMatchSingleton {
                    node_index,
                    range,
                    value,
                })
            }
            "MatchSequence" => Pattern::MatchSequence(ast::PatternMatchSequence {
                node_index,
                range,
                patterns: self.patterns(vm, node, "patterns", kind, true)?,
            }),
            "MatchMapping" => {
                let keys = self.items(vm, node, "keys", kind)?;
                let count = self.items(vm, node, "patterns", kind)?.len();
                if keys.len() != count {
                    return Err(vm.value_error(
                        "MatchMapping doesn't have the same number of keys as patterns",
                    ));
                }
                let rest = self.capture(vm, node, "rest", range)?;
                let mut read = Vec::with_capacity(keys.len());
                for key in &keys {
                    let expr = self.expression(vm, key, "Load")?;
                    if matches!(expr, Expr::NoneLiteral(_) | Expr::BooleanLiteral(_)) {
                        read.push(expr);
                    } else {
                        read.push(self.match_value(vm, key)?);
                    }
                }
                Pattern::MatchMapping(ast::PatternMatchMapping {
                    node_index,
                    range,
                    keys: read,
                    patterns: self.patterns(vm, node, "patterns", kind, false)?,
                    rest,
                })
            }
            "MatchClass" => self.match_class(vm, node, range)?,
            "MatchStar" => {
                if !star {
                    return Err(vm.value_error("can't use MatchStar here"));
                }
                Pattern::MatchStar(ast::PatternMatchStar {
                    node_index,
                    range,
                    name: self.capture(vm, node, "name", range)?,
                })
            }
            "MatchAs" => {
                let name = self.capture(vm, node, "name", range)?;
                let pattern = match self.field(vm, node, "pattern")? {
                    Some(_) if name.is_none() => {
                        return Err(vm.value_error(
                            "MatchAs must specify a target name if a pattern is given",
                        ));
                    }
                    Some(inner) => Some(Box::new(self.pattern(vm, &inner, false)?)),
                    None => None,
                };
                Pattern::MatchAs(ast::PatternMatchAs {
                    node_index,
                    range,
                    pattern,
                    name,
                })
            }
            _ => {
                let count = self.items(vm, node, "patterns", kind)?.len();
                if count < 2 {
                    return Err(vm.value_error("MatchOr requires at least 2 patterns"));
                }
                Pattern::MatchOr(ast::PatternMatchOr {
                    node_index,
                    range,
                    patterns: self.patterns(vm, node, "patterns", kind, false)?,
                })
            }
        })
    }

    fn match_class(&mut self, vm: &mut Vm, node: &Value, range: TextRange) -> R<Pattern> {
        const OF: &str = "MatchClass";
        let attrs = self.items(vm, node, "kwd_attrs", OF)?;
        let count = self.items(vm, node, "kwd_patterns", OF)?.len();
        if attrs.len() != count {
            return Err(vm.value_error(
                "MatchClass doesn't have the same number of keyword attributes as patterns",
            ));
        }
        let cls = self.child(vm, node, "cls", OF, "Load")?;
        if !Reader::is_dotted(&cls) {
            return Err(
                vm.value_error("MatchClass cls field can only contain Name or Attribute nodes.")
            );
        }
        let mut names = Vec::with_capacity(attrs.len());
        for attr in &attrs {
            let text = self.identifier_text(vm, attr)?;
            names.push(super::reader::named(&text, range));
        }
        let patterns = self.patterns(vm, node, "patterns", OF, false)?;
        let keywords = self
            .patterns(vm, node, "kwd_patterns", OF, false)?
            .into_iter()
            .zip(names)
            .map(|(pattern, attr)| ast::PatternKeyword {
                range,
                node_index: no_index(),
                attr,
                pattern,
            })
            .collect();
        Ok(Pattern::MatchClass(ast::PatternMatchClass {
            node_index: no_index(),
            range,
            cls,
            arguments: ast::PatternArguments {
                range,
                node_index: no_index(),
                patterns,
                keywords,
            },
        }))
    }
}
