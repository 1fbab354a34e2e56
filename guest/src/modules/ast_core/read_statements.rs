//! Node objects to statements of the frontend's tree.

use super::reader::{Reader, named, no_index};
use crate::value::Value;
use crate::vm::{R, Vm};
use coldframe_frontend::ast::{self, ExceptHandler, Expr, Stmt, TextRange, TypeParam};

impl Reader {
    /// The statements of a field that must have some.
    pub(super) fn body(
        &mut self,
        vm: &mut Vm,
        node: &Value,
        field: &str,
        of: &str,
    ) -> R<Vec<Stmt>> {
        let items = self.some_items(vm, node, field, of)?;
        self.statements(vm, &items)
    }

    fn else_body(&mut self, vm: &mut Vm, node: &Value, field: &str, of: &str) -> R<Vec<Stmt>> {
        let items = self.items(vm, node, field, of)?;
        self.statements(vm, &items)
    }

    pub(super) fn statements(&mut self, vm: &mut Vm, items: &[Value]) -> R<Vec<Stmt>> {
        let mut out = Vec::with_capacity(items.len());
        for item in items {
            vm.poll_native()?;
            if item.is_none() {
                return Err(vm.value_error("None disallowed in statement list"));
            }
            out.push(self.nested(vm, "stmt", |this, vm| this.statement(vm, item))?);
        }
        Ok(out)
    }

    fn decorators(&mut self, vm: &mut Vm, node: &Value, of: &str) -> R<Vec<ast::Decorator>> {
        let items = self.items(vm, node, "decorator_list", of)?;
        let expressions = self.expressions(vm, &items, "Load")?;
        Ok(expressions
            .into_iter()
            .map(|expression| ast::Decorator {
                range: ast::Ranged::range(&expression),
                node_index: no_index(),
                expression,
            })
            .collect())
    }

    fn type_params(
        &mut self,
        vm: &mut Vm,
        node: &Value,
        of: &str,
        range: TextRange,
    ) -> R<Option<Box<ast::TypeParams>>> {
        let items = self.items(vm, node, "type_params", of)?;
        if items.is_empty() {
            return Ok(None);
        }
        let mut type_params = Vec::with_capacity(items.len());
        for item in items {
            let kind = self.expect(vm, &item, "type_param")?;
            let range = self.range(vm, &item, "type_param")?;
            let name = self.identifier(vm, &item, "name", &kind, range)?;
            let default = self.optional_child(vm, &item, "default_value", "Load")?;
            let node_index = no_index();
            type_params.push(match &*kind {
                "TypeVar" => {
                    let bound = self.optional_child(vm, &item, "bound", "Load")?;
                    TypeParam::TypeVar(ast::TypeParamTypeVar {
                        node_index,
                        range,
                        name,
                        bound,
                        default,
                    })
                }
                "ParamSpec" => TypeParam::ParamSpec(ast::TypeParamParamSpec {
                    node_index,
                    range,
                    name,
                    default,
                }),
                _ => TypeParam::TypeVarTuple(ast::TypeParamTypeVarTuple {
                    node_index,
                    range,
                    name,
                    default,
                }),
            });
        }
        Ok(Some(Box::new(ast::TypeParams {
            range,
            node_index: no_index(),
            type_params,
        })))
    }

    fn statement(&mut self, vm: &mut Vm, node: &Value) -> R<Stmt> {
        let kind = self.expect(vm, node, "stmt")?;
        let kind = &*kind;
        let range = self.range(vm, node, "stmt")?;
        self.check_string(vm, node, "type_comment")?;
        let node_index = no_index();
        Ok(match kind {
            "FunctionDef" | "AsyncFunctionDef" => {
                let name = self.identifier(vm, node, "name", kind, range)?;
                let body = self.body(vm, node, "body", kind)?;
                let type_params = self.type_params(vm, node, kind, range)?;
                let args = self.required(vm, node, "args", kind)?;
                let parameters = Box::new(self.parameters(vm, &args, range)?);
                let decorator_list = self.decorators(vm, node, kind)?;
                let returns = self.optional_child(vm, node, "returns", "Load")?;
                Stmt::FunctionDef(ast::StmtFunctionDef {
                    node_index,
                    range,
                    is_async: kind == "AsyncFunctionDef",
                    decorator_list,
                    name,
                    type_params,
                    parameters,
                    returns,
                    body,
                })
            }
            "ClassDef" => {
                let name = self.identifier(vm, node, "name", kind, range)?;
                let body = self.body(vm, node, "body", kind)?;
                let type_params = self.type_params(vm, node, kind, range)?;
                let arguments = self.arguments(vm, node, kind, "bases", range)?;
                let decorator_list = self.decorators(vm, node, kind)?;
                let arguments = (!arguments.is_empty()).then(|| Box::new(arguments));
                Stmt::ClassDef(ast::StmtClassDef {
                    node_index,
                    range,
                    decorator_list,
                    name,
                    type_params,
                    arguments,
                    body,
                })
            }
            "Return" => Stmt::Return(ast::StmtReturn {
                node_index,
                range,
                value: self.optional_child(vm, node, "value", "Load")?,
            }),
            "Delete" => {
                let targets = self.some_items(vm, node, "targets", kind)?;
                Stmt::Delete(ast::StmtDelete {
                    node_index,
                    range,
                    targets: self.expressions(vm, &targets, "Del")?,
                })
            }
            "Assign" => {
                let targets = self.some_items(vm, node, "targets", kind)?;
                let targets = self.expressions(vm, &targets, "Store")?;
                let value = self.child(vm, node, "value", kind, "Load")?;
                Stmt::Assign(ast::StmtAssign {
                    node_index,
                    range,
                    targets,
                    value,
                })
            }
            "TypeAlias" => {
                let name = self.child(vm, node, "name", kind, "Store")?;
                if !name.is_name_expr() {
                    return Err(vm.type_error("TypeAlias with non-Name name"));
                }
                let type_params = self.type_params(vm, node, kind, range)?;
                let value = self.child(vm, node, "value", kind, "Load")?;
                Stmt::TypeAlias(ast::StmtTypeAlias {
                    node_index,
                    range,
                    name,
                    type_params,
                    value,
                })
            }
            "AugAssign" => {
                let target = self.child(vm, node, "target", kind, "Store")?;
                let op = self.operator(vm, node, kind)?;
                let value = self.child(vm, node, "value", kind, "Load")?;
                Stmt::AugAssign(ast::StmtAugAssign {
                    node_index,
                    range,
                    target,
                    op,
                    value,
                })
            }
            "AnnAssign" => {
                let target = self.child(vm, node, "target", kind, "Store")?;
                let annotation = self.child(vm, node, "annotation", kind, "Load")?;
                let value = self.optional_child(vm, node, "value", "Load")?;
                let simple = self.required(vm, node, "simple", kind)?;
                let simple = self.number(vm, &simple)? != 0;
                if simple && !target.is_name_expr() {
                    return Err(vm.type_error("AnnAssign with simple non-Name target"));
                }
                Stmt::AnnAssign(ast::StmtAnnAssign {
                    node_index,
                    range,
                    target,
                    annotation,
                    value,
                    simple,
                })
            }
            "For" | "AsyncFor" => {
                let target = self.child(vm, node, "target", kind, "Store")?;
                let iter = self.child(vm, node, "iter", kind, "Load")?;
                let body = self.body(vm, node, "body", kind)?;
                let orelse = self.else_body(vm, node, "orelse", kind)?;
                Stmt::For(ast::StmtFor {
                    node_index,
                    range,
                    is_async: kind == "AsyncFor",
                    target,
                    iter,
                    body,
                    orelse,
                })
            }
            "While" => {
                let test = self.child(vm, node, "test", kind, "Load")?;
                let body = self.body(vm, node, "body", kind)?;
                let orelse = self.else_body(vm, node, "orelse", kind)?;
                Stmt::While(ast::StmtWhile {
                    node_index,
                    range,
                    test,
                    body,
                    orelse,
                })
            }
            "If" => self.if_chain(vm, node, range)?,
            "With" | "AsyncWith" => {
                let mut items = Vec::new();
                for item in self.some_items(vm, node, "items", kind)? {
                    self.expect(vm, &item, "withitem")?;
                    let context_expr =
                        *self.child(vm, &item, "context_expr", "withitem", "Load")?;
                    let optional_vars = self.optional_child(vm, &item, "optional_vars", "Store")?;
                    items.push(ast::WithItem {
                        range: ast::Ranged::range(&context_expr),
                        node_index: no_index(),
                        context_expr,
                        optional_vars,
                    });
                }
                let body = self.body(vm, node, "body", kind)?;
                Stmt::With(ast::StmtWith {
                    node_index,
                    range,
                    is_async: kind == "AsyncWith",
                    items,
                    body,
                })
            }
            "Match" => {
                let subject = self.child(vm, node, "subject", kind, "Load")?;
                let mut cases = Vec::new();
                for case in self.some_items(vm, node, "cases", kind)? {
                    self.expect(vm, &case, "match_case")?;
                    let pattern = self.required(vm, &case, "pattern", "match_case")?;
                    let pattern = self.pattern(vm, &pattern, false)?;
                    let guard = self.optional_child(vm, &case, "guard", "Load")?;
                    let body = self.body(vm, &case, "body", "match_case")?;
                    cases.push(ast::MatchCase {
                        range: ast::Ranged::range(&pattern),
                        node_index: no_index(),
                        pattern,
                        guard,
                        body,
                    });
                }
                Stmt::Match(ast::StmtMatch {
                    node_index,
                    range,
                    subject,
                    cases,
                })
            }
            "Raise" => {
                let exc = self.optional_child(vm, node, "exc", "Load")?;
                let cause = self.optional_child(vm, node, "cause", "Load")?;
                if exc.is_none() && cause.is_some() {
                    return Err(vm.value_error("Raise with cause but no exception"));
                }
                Stmt::Raise(ast::StmtRaise {
                    node_index,
                    range,
                    exc,
                    cause,
                })
            }
            "Try" | "TryStar" => self.try_statement(vm, node, kind, range)?,
            "Assert" => {
                let test = self.child(vm, node, "test", kind, "Load")?;
                let msg = self.optional_child(vm, node, "msg", "Load")?;
                Stmt::Assert(ast::StmtAssert {
                    node_index,
                    range,
                    test,
                    msg,
                })
            }
            "Import" => Stmt::Import(ast::StmtImport {
                node_index,
                range,
                names: self.aliases(vm, node, kind)?,
                is_lazy: false,
            }),
            "ImportFrom" => {
                let level = match self.field(vm, node, "level")? {
                    Some(v) => self.number(vm, &v)?,
                    None => 0,
                };
                let Ok(level) = u32::try_from(level) else {
                    return Err(vm.value_error("Negative ImportFrom level"));
                };
                let module = match self.field(vm, node, "module")? {
                    Some(v) => Some(self.any_name(vm, &v, range)?),
                    None => None,
                };
                Stmt::ImportFrom(ast::StmtImportFrom {
                    node_index,
                    range,
                    module,
                    names: self.aliases(vm, node, kind)?,
                    level,
                    is_lazy: false,
                })
            }
            "Global" | "Nonlocal" => {
                let mut names = Vec::new();
                for name in self.some_items(vm, node, "names", kind)? {
                    names.push(named(&self.identifier_text(vm, &name)?, range));
                }
                if kind == "Global" {
                    Stmt::Global(ast::StmtGlobal {
                        node_index,
                        range,
                        names,
                    })
                } else {
                    Stmt::Nonlocal(ast::StmtNonlocal {
                        node_index,
                        range,
                        names,
                    })
                }
            }
            "Expr" => Stmt::Expr(ast::StmtExpr {
                node_index,
                range,
                value: self.child(vm, node, "value", kind, "Load")?,
            }),
            "Pass" => Stmt::Pass(ast::StmtPass { node_index, range }),
            "Break" => Stmt::Break(ast::StmtBreak { node_index, range }),
            _ => Stmt::Continue(ast::StmtContinue { node_index, range }),
        })
    }

    /// An `If` alone in an `orelse` is an `elif`: a long chain of them nests no deeper.
    fn if_chain(&mut self, vm: &mut Vm, node: &Value, range: TextRange) -> R<Stmt> {
        let test = self.child(vm, node, "test", "If", "Load")?;
        let body = self.body(vm, node, "body", "If")?;
        let mut clauses = Vec::new();
        let mut orelse = self.items(vm, node, "orelse", "If")?;
        while !orelse.is_empty() {
            vm.poll_native()?;
            if let [only] = orelse.as_slice()
                && self.kind(vm, only)?.is_some_and(|(name, _)| &*name == "If")
            {
                let only = only.clone();
                let range = self.range(vm, &only, "stmt")?;
                let test = *self.child(vm, &only, "test", "If", "Load")?;
                clauses.push(ast::ElifElseClause {
                    range,
                    node_index: no_index(),
                    test: Some(test),
                    body: self.body(vm, &only, "body", "If")?,
                });
                orelse = self.items(vm, &only, "orelse", "If")?;
                continue;
            }
            let body = self.statements(vm, &orelse)?;
            clauses.push(ast::ElifElseClause {
                range,
                node_index: no_index(),
                test: None,
                body,
            });
            break;
        }
        Ok(Stmt::If(ast::StmtIf {
            node_index: no_index(),
            range,
            test,
            body,
            elif_else_clauses: clauses,
        }))
    }

    fn try_statement(
        &mut self,
        vm: &mut Vm,
        node: &Value,
        kind: &str,
        range: TextRange,
    ) -> R<Stmt> {
        let body = self.body(vm, node, "body", kind)?;
        let mut handlers = Vec::new();
        for handler in self.items(vm, node, "handlers", kind)? {
            self.expect(vm, &handler, "excepthandler")?;
            let range = self.range(vm, &handler, "excepthandler")?;
            let type_ = self.optional_child(vm, &handler, "type", "Load")?;
            let name = self.optional_identifier(vm, &handler, "name", range)?;
            let body = self.body(vm, &handler, "body", "ExceptHandler")?;
            handlers.push(ExceptHandler::ExceptHandler(
                ast::ExceptHandlerExceptHandler {
                    range,
                    node_index: no_index(),
                    type_,
                    name,
                    body,
                },
            ));
        }
        let orelse = self.else_body(vm, node, "orelse", kind)?;
        let finalbody = self.else_body(vm, node, "finalbody", kind)?;
        if handlers.is_empty() && finalbody.is_empty() {
            return Err(vm.value_error(format!("{kind} has neither except handlers nor finalbody")));
        }
        if handlers.is_empty() && !orelse.is_empty() {
            return Err(vm.value_error(format!("{kind} has orelse but no except handlers")));
        }
        Ok(Stmt::Try(ast::StmtTry {
            node_index: no_index(),
            range,
            body,
            handlers,
            orelse,
            finalbody,
            is_star: kind == "TryStar",
        }))
    }

    fn aliases(&mut self, vm: &mut Vm, node: &Value, of: &str) -> R<Vec<ast::Alias>> {
        let mut out = Vec::new();
        for alias in self.some_items(vm, node, "names", of)? {
            self.expect(vm, &alias, "alias")?;
            let range = self.range(vm, &alias, "alias")?;
            let name = self.required(vm, &alias, "name", "alias")?;
            out.push(ast::Alias {
                range,
                node_index: no_index(),
                name: self.any_name(vm, &name, range)?,
                asname: self.optional_identifier(vm, &alias, "asname", range)?,
            });
        }
        Ok(out)
    }

    /// Whether an expression is a chain of attributes of a name.
    pub(super) fn is_dotted(mut expr: &Expr) -> bool {
        loop {
            match expr {
                Expr::Name(_) => return true,
                Expr::Attribute(e) => expr = &e.value,
                _ => return false,
            }
        }
    }
}
