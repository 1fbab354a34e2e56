//! Statements and patterns of the frontend's tree as node objects.

use super::export_expressions::{identifier, optional_identifier};
use super::maker::{Maker, list};
use crate::objects::list::List;
use crate::value::Value;
use crate::vm::{R, Vm};
use coldframe_frontend::ast::{
    self, ExceptHandler, Pattern, Ranged, Singleton, Stmt, TextRange, TextSize, TypeParam,
};

impl Maker<'_> {
    pub(super) fn body(&mut self, vm: &mut Vm, body: &[Stmt]) -> R {
        list(vm, body, |vm, stmt| self.statement(vm, stmt))
    }

    fn statement(&mut self, vm: &mut Vm, stmt: &Stmt) -> R {
        vm.recurse(" during ast construction", |vm| {
            self.statement_inner(vm, stmt)
        })
    }

    /// The range without decorators: from `def`, `async` or `class`.
    fn undecorated(&self, range: TextRange, decorators: &[ast::Decorator]) -> TextRange {
        let Some(last) = decorators.last() else {
            return range;
        };
        let bytes = self.source().as_bytes();
        let mut at = last.range.end().to_usize();
        while let Some(&byte) = bytes.get(at) {
            match byte {
                b' ' | b'\t' | b'\n' | b'\r' | 0x0c | b'\\' | b')' => at += 1,
                b'#' => {
                    while bytes.get(at).is_some_and(|b| *b != b'\n' && *b != b'\r') {
                        at += 1;
                    }
                }
                _ => break,
            }
        }
        let start = TextSize::try_from(at).unwrap_or(range.start());
        TextRange::new(start.min(range.end()), range.end())
    }

    /// The type comment between the header of a block and its first statement.
    fn header_comment(&mut self, from: TextSize, body: &[Stmt]) -> Value {
        let to = body.first().map_or(from, |stmt| stmt.range().start());
        self.comments.take(from.to_u32(), to.to_u32())
    }

    fn statement_inner(&mut self, vm: &mut Vm, stmt: &Stmt) -> R {
        let range = stmt.range();
        self.check_version(vm, stmt)?;
        match stmt {
            Stmt::FunctionDef(s) => self.function(vm, s),
            Stmt::ClassDef(s) => {
                let decorators =
                    self.expressions(vm, s.decorator_list.iter().map(|d| &d.expression))?;
                let (bases, keywords) = match &s.arguments {
                    Some(arguments) => (
                        self.call_arguments(vm, arguments)?,
                        self.keywords(vm, &arguments.keywords)?,
                    ),
                    None => (List::value(Vec::new()), List::value(Vec::new())),
                };
                let type_params = self.type_params(vm, s.type_params.as_deref())?;
                let body = self.body(vm, &s.body)?;
                let range = self.undecorated(range, &s.decorator_list);
                self.at(
                    vm,
                    "ClassDef",
                    range,
                    [
                        ("name", identifier(s.name.as_str())),
                        ("bases", bases),
                        ("keywords", keywords),
                        ("body", body),
                        ("decorator_list", decorators),
                        ("type_params", type_params),
                    ],
                )
            }
            Stmt::Return(s) => {
                let value = self.optional(vm, s.value.as_deref())?;
                self.at(vm, "Return", range, [("value", value)])
            }
            Stmt::Delete(s) => {
                let targets = self.expressions(vm, &s.targets)?;
                self.at(vm, "Delete", range, [("targets", targets)])
            }
            Stmt::TypeAlias(s) => {
                let name = self.expression(vm, &s.name)?;
                let type_params = self.type_params(vm, s.type_params.as_deref())?;
                let value = self.expression(vm, &s.value)?;
                self.at(
                    vm,
                    "TypeAlias",
                    range,
                    [
                        ("name", name),
                        ("type_params", type_params),
                        ("value", value),
                    ],
                )
            }
            Stmt::Assign(s) => {
                let targets = self.expressions(vm, &s.targets)?;
                let value = self.expression(vm, &s.value)?;
                let comment = self.comments.take_line(self.lines, range.end().to_u32());
                self.at(
                    vm,
                    "Assign",
                    range,
                    [
                        ("targets", targets),
                        ("value", value),
                        ("type_comment", comment),
                    ],
                )
            }
            Stmt::AugAssign(s) => {
                let target = self.expression(vm, &s.target)?;
                let op = self.operator(vm, s.op)?;
                let value = self.expression(vm, &s.value)?;
                self.at(
                    vm,
                    "AugAssign",
                    range,
                    [("target", target), ("op", op), ("value", value)],
                )
            }
            Stmt::AnnAssign(s) => {
                let target = self.expression(vm, &s.target)?;
                let annotation = self.expression(vm, &s.annotation)?;
                let value = self.optional(vm, s.value.as_deref())?;
                self.at(
                    vm,
                    "AnnAssign",
                    range,
                    [
                        ("target", target),
                        ("annotation", annotation),
                        ("value", value),
                        ("simple", Value::int(i64::from(s.simple))),
                    ],
                )
            }
            Stmt::For(s) => {
                let target = self.expression(vm, &s.target)?;
                let iter = self.expression(vm, &s.iter)?;
                let comment = self.header_comment(s.iter.range().end(), &s.body);
                let body = self.body(vm, &s.body)?;
                let orelse = self.body(vm, &s.orelse)?;
                let class = if s.is_async { "AsyncFor" } else { "For" };
                self.at(
                    vm,
                    class,
                    range,
                    [
                        ("target", target),
                        ("iter", iter),
                        ("body", body),
                        ("orelse", orelse),
                        ("type_comment", comment),
                    ],
                )
            }
            Stmt::While(s) => {
                let test = self.expression(vm, &s.test)?;
                let body = self.body(vm, &s.body)?;
                let orelse = self.body(vm, &s.orelse)?;
                self.at(
                    vm,
                    "While",
                    range,
                    [("test", test), ("body", body), ("orelse", orelse)],
                )
            }
            Stmt::If(s) => self.if_chain(vm, s),
            Stmt::With(s) => {
                let items = list(vm, &s.items, |vm, item| {
                    let context = self.expression(vm, &item.context_expr)?;
                    let vars = self.optional(vm, item.optional_vars.as_deref())?;
                    self.node(
                        vm,
                        "withitem",
                        [("context_expr", context), ("optional_vars", vars)],
                    )
                })?;
                let from = s.items.last().map_or(range.start(), |i| i.range.end());
                let comment = self.header_comment(from, &s.body);
                let body = self.body(vm, &s.body)?;
                let class = if s.is_async { "AsyncWith" } else { "With" };
                self.at(
                    vm,
                    class,
                    range,
                    [("items", items), ("body", body), ("type_comment", comment)],
                )
            }
            Stmt::Match(s) => {
                let subject = self.expression(vm, &s.subject)?;
                let cases = list(vm, &s.cases, |vm, case| {
                    let pattern = self.pattern(vm, &case.pattern)?;
                    let guard = self.optional(vm, case.guard.as_deref())?;
                    let body = self.body(vm, &case.body)?;
                    self.node(
                        vm,
                        "match_case",
                        [("pattern", pattern), ("guard", guard), ("body", body)],
                    )
                })?;
                self.at(vm, "Match", range, [("subject", subject), ("cases", cases)])
            }
            Stmt::Raise(s) => {
                let exc = self.optional(vm, s.exc.as_deref())?;
                let cause = self.optional(vm, s.cause.as_deref())?;
                self.at(vm, "Raise", range, [("exc", exc), ("cause", cause)])
            }
            Stmt::Try(s) => {
                let body = self.body(vm, &s.body)?;
                let handlers = list(vm, &s.handlers, |vm, handler| {
                    let ExceptHandler::ExceptHandler(h) = handler;
                    let kind = self.optional(vm, h.type_.as_deref())?;
                    let body = self.body(vm, &h.body)?;
                    self.at(
                        vm,
                        "ExceptHandler",
                        h.range,
                        [
                            ("type", kind),
                            ("name", optional_identifier(h.name.as_ref())),
                            ("body", body),
                        ],
                    )
                })?;
                let orelse = self.body(vm, &s.orelse)?;
                let finalbody = self.body(vm, &s.finalbody)?;
                self.at(
                    vm,
                    if s.is_star { "TryStar" } else { "Try" },
                    range,
                    [
                        ("body", body),
                        ("handlers", handlers),
                        ("orelse", orelse),
                        ("finalbody", finalbody),
                    ],
                )
            }
            Stmt::Assert(s) => {
                let test = self.expression(vm, &s.test)?;
                let msg = self.optional(vm, s.msg.as_deref())?;
                self.at(vm, "Assert", range, [("test", test), ("msg", msg)])
            }
            Stmt::Import(s) => {
                let names = self.aliases(vm, &s.names)?;
                self.at(vm, "Import", range, [("names", names)])
            }
            Stmt::ImportFrom(s) => {
                let names = self.aliases(vm, &s.names)?;
                self.at(
                    vm,
                    "ImportFrom",
                    range,
                    [
                        ("module", optional_identifier(s.module.as_ref())),
                        ("names", names),
                        ("level", Value::int(i64::from(s.level))),
                    ],
                )
            }
            Stmt::Global(s) => self.declaration(vm, "Global", range, &s.names),
            Stmt::Nonlocal(s) => self.declaration(vm, "Nonlocal", range, &s.names),
            Stmt::Expr(s) => {
                let value = self.expression(vm, &s.value)?;
                self.at(vm, "Expr", range, [("value", value)])
            }
            Stmt::Pass(_) => self.at(vm, "Pass", range, []),
            Stmt::Break(_) => self.at(vm, "Break", range, []),
            Stmt::Continue(_) => self.at(vm, "Continue", range, []),
            Stmt::IpyEscapeCommand(_) => Err(vm.system_error("no node for an escape command")),
        }
    }

    /// Refuses what the wanted version of the language does not have.
    fn check_version(&mut self, vm: &mut Vm, stmt: &Stmt) -> R<()> {
        let range = stmt.range();
        match stmt {
            Stmt::FunctionDef(s) if s.is_async => self.since(vm, 5, "Async functions are", range),
            Stmt::For(s) if s.is_async => self.since(vm, 5, "Async for loops are", range),
            Stmt::With(s) if s.is_async => self.since(vm, 5, "Async with statements are", range),
            Stmt::With(s) => {
                let text = self.source().get(range.to_std_range()).unwrap_or_default();
                let first = s.items.first().map(|item| item.range.start());
                let opened = text
                    .strip_prefix("with")
                    .is_some_and(|rest| rest.trim_start().starts_with('('));
                let inside = first.is_some_and(|at| {
                    let head = self.source().get(range.start().to_usize()..at.to_usize());
                    head.is_some_and(|head| head.contains('('))
                });
                let several =
                    s.items.len() > 1 || s.items.iter().any(|i| i.optional_vars.is_some());
                if opened && inside && several {
                    return self.since(vm, 9, "Parenthesized context managers are", range);
                }
                Ok(())
            }
            Stmt::Match(_) => self.since(vm, 10, "Pattern matching is", range),
            Stmt::Try(s) if s.is_star => self.since(vm, 11, "Exception groups are", range),
            Stmt::TypeAlias(_) => self.since(vm, 12, "Type statement is", range),
            Stmt::AnnAssign(_) => self.since(vm, 6, "Variable annotation syntax is", range),
            _ => Ok(()),
        }
    }

    fn function(&mut self, vm: &mut Vm, s: &ast::StmtFunctionDef) -> R {
        let decorators = self.expressions(vm, s.decorator_list.iter().map(|d| &d.expression))?;
        let type_params = self.type_params(vm, s.type_params.as_deref())?;
        let args = self.parameters(vm, Some(&s.parameters), s.range)?;
        let returns = self.optional(vm, s.returns.as_deref())?;
        let header_end = s
            .returns
            .as_ref()
            .map_or(s.parameters.range.end(), |r| r.range().end());
        let comment = self.header_comment(header_end, &s.body);
        let body = self.body(vm, &s.body)?;
        let range = self.undecorated(s.range, &s.decorator_list);
        self.at(
            vm,
            if s.is_async {
                "AsyncFunctionDef"
            } else {
                "FunctionDef"
            },
            range,
            [
                ("name", identifier(s.name.as_str())),
                ("args", args),
                ("body", body),
                ("decorator_list", decorators),
                ("returns", returns),
                ("type_comment", comment),
                ("type_params", type_params),
            ],
        )
    }

    /// `elif` is an `If` in the `orelse` of the one before it.
    fn if_chain(&mut self, vm: &mut Vm, s: &ast::StmtIf) -> R {
        let end = s.range.end();
        let mut orelse = List::value(Vec::new());
        for clause in s.elif_else_clauses.iter().rev() {
            let body = self.body(vm, &clause.body)?;
            orelse = match &clause.test {
                None => body,
                Some(test) => {
                    let test = self.expression(vm, test)?;
                    let range = TextRange::new(clause.range.start(), end);
                    let node = self.at(
                        vm,
                        "If",
                        range,
                        [("test", test), ("body", body), ("orelse", orelse)],
                    )?;
                    List::value(vec![node])
                }
            };
        }
        let test = self.expression(vm, &s.test)?;
        let body = self.body(vm, &s.body)?;
        self.at(
            vm,
            "If",
            s.range,
            [("test", test), ("body", body), ("orelse", orelse)],
        )
    }

    fn declaration(
        &mut self,
        vm: &mut Vm,
        class: &'static str,
        range: TextRange,
        names: &[ast::Identifier],
    ) -> R {
        let names = names.iter().map(|n| identifier(n.as_str())).collect();
        self.at(vm, class, range, [("names", List::value(names))])
    }

    fn aliases(&mut self, vm: &mut Vm, aliases: &[ast::Alias]) -> R {
        list(vm, aliases, |vm, alias| {
            self.at(
                vm,
                "alias",
                alias.range,
                [
                    ("name", identifier(alias.name.as_str())),
                    ("asname", optional_identifier(alias.asname.as_ref())),
                ],
            )
        })
    }

    fn type_params(&mut self, vm: &mut Vm, params: Option<&ast::TypeParams>) -> R {
        if let Some(p) = params {
            self.since(vm, 12, "Type parameter lists are", p.range)?;
            if p.type_params.iter().any(|param| param.default().is_some()) {
                self.since(vm, 13, "Type parameter defaults are", p.range)?;
            }
        }
        let params = params.map_or(&[][..], |p| &p.type_params);
        list(vm, params, |vm, param| {
            let name = identifier(param.name().as_str());
            let default = self.optional(vm, param.default())?;
            match param {
                TypeParam::TypeVar(p) => {
                    let bound = self.optional(vm, p.bound.as_deref())?;
                    self.at(
                        vm,
                        "TypeVar",
                        p.range,
                        [("name", name), ("bound", bound), ("default_value", default)],
                    )
                }
                TypeParam::ParamSpec(p) => self.at(
                    vm,
                    "ParamSpec",
                    p.range,
                    [("name", name), ("default_value", default)],
                ),
                TypeParam::TypeVarTuple(p) => self.at(
                    vm,
                    "TypeVarTuple",
                    p.range,
                    [("name", name), ("default_value", default)],
                ),
            }
        })
    }

    fn patterns(&mut self, vm: &mut Vm, patterns: &[Pattern]) -> R {
        list(vm, patterns, |vm, pattern| self.pattern(vm, pattern))
    }

    fn pattern(&mut self, vm: &mut Vm, pattern: &Pattern) -> R {
        vm.recurse(" during ast construction", |vm| {
            self.pattern_inner(vm, pattern)
        })
    }

    fn pattern_inner(&mut self, vm: &mut Vm, pattern: &Pattern) -> R {
        let range = pattern.range();
        match pattern {
            Pattern::MatchValue(p) => {
                let value = self.expression(vm, &p.value)?;
                self.at(vm, "MatchValue", range, [("value", value)])
            }
            Pattern::MatchSingleton(p) => {
                let value = match p.value {
                    Singleton::None => Value::NONE,
                    Singleton::True => Value::TRUE,
                    Singleton::False => Value::FALSE,
                };
                self.at(vm, "MatchSingleton", range, [("value", value)])
            }
            Pattern::MatchSequence(p) => {
                let patterns = self.patterns(vm, &p.patterns)?;
                self.at(vm, "MatchSequence", range, [("patterns", patterns)])
            }
            Pattern::MatchMapping(p) => {
                let keys = self.expressions(vm, &p.keys)?;
                let patterns = self.patterns(vm, &p.patterns)?;
                let rest = optional_identifier(p.rest.as_ref());
                self.at(
                    vm,
                    "MatchMapping",
                    range,
                    [("keys", keys), ("patterns", patterns), ("rest", rest)],
                )
            }
            Pattern::MatchClass(p) => {
                let cls = self.expression(vm, &p.cls)?;
                let patterns = self.patterns(vm, &p.arguments.patterns)?;
                let attrs = p
                    .arguments
                    .keywords
                    .iter()
                    .map(|k| identifier(k.attr.as_str()))
                    .collect();
                let kwd_patterns = list(vm, &p.arguments.keywords, |vm, keyword| {
                    self.pattern(vm, &keyword.pattern)
                })?;
                self.at(
                    vm,
                    "MatchClass",
                    range,
                    [
                        ("cls", cls),
                        ("patterns", patterns),
                        ("kwd_attrs", List::value(attrs)),
                        ("kwd_patterns", kwd_patterns),
                    ],
                )
            }
            Pattern::MatchStar(p) => self.at(
                vm,
                "MatchStar",
                range,
                [("name", optional_identifier(p.name.as_ref()))],
            ),
            Pattern::MatchAs(p) => {
                let inner = match &p.pattern {
                    Some(inner) => self.pattern(vm, inner)?,
                    None => Value::NONE,
                };
                self.at(
                    vm,
                    "MatchAs",
                    range,
                    [
                        ("pattern", inner),
                        ("name", optional_identifier(p.name.as_ref())),
                    ],
                )
            }
            Pattern::MatchOr(p) => {
                let patterns = self.patterns(vm, &p.patterns)?;
                self.at(vm, "MatchOr", range, [("patterns", patterns)])
            }
        }
    }
}
