//! Functions, classes, type parameters, type aliases.

use coldframe_frontend::ast::{self, Expr, Ranged};

use super::super::scope::{Part, ScopeId, ScopeKind, flag};
use super::{Builder, Outcome};

impl<'a> Builder<'a> {
    pub(super) fn function_def(&mut self, def: &'a ast::StmtFunctionDef) -> Outcome {
        self.bind(&def.name)?;
        for decorator in &def.decorator_list {
            self.expr(&decorator.expression)?;
        }
        self.defaults(&def.parameters)?;
        match &def.type_params {
            Some(params) => {
                self.within(ScopeKind::TypeParams, def, Part::TypeParams, |this, id| {
                    this.type_params(params, id)?;
                    let (defaults, kwdefaults) =
                        (this.table.known.defaults, this.table.known.kwdefaults);
                    let has = |mut list: std::slice::Iter<'_, ast::ParameterWithDefault>| {
                        list.any(|param| param.default.is_some())
                    };
                    let parameters = &*def.parameters;
                    let scope = this.table.scope_mut(id);
                    if has(parameters.posonlyargs.iter()) || has(parameters.args.iter()) {
                        scope.add(defaults, flag::PARAM);
                        scope.params.push(defaults);
                    }
                    if has(parameters.kwonlyargs.iter()) {
                        scope.add(kwdefaults, flag::PARAM);
                        scope.params.push(kwdefaults);
                    }
                    this.function_scopes(def)
                })
            }
            None => self.function_scopes(def),
        }
    }

    pub(super) fn function_scopes(&mut self, def: &'a ast::StmtFunctionDef) -> Outcome {
        let annotated = def.returns.is_some()
            || def
                .parameters
                .iter()
                .any(|param| param.as_parameter().annotation.is_some());
        if annotated {
            self.within(
                ScopeKind::Annotations,
                def,
                Part::Annotations,
                |this, id| {
                    this.format_parameter(id);
                    if this.future_annotations {
                        return Ok(());
                    }
                    this.annotation = "an annotation";
                    for param in def.parameters.iter_source_order() {
                        if let Some(annotation) = &param.as_parameter().annotation {
                            match &**annotation {
                                Expr::Starred(starred) => this.expr(&starred.value)?,
                                annotation => this.expr(annotation)?,
                            }
                        }
                    }
                    this.optional(def.returns.as_deref())
                },
            )?;
        }
        self.within(ScopeKind::Function, def, Part::Body, |this, id| {
            this.scope().is_async = def.is_async;
            this.parameters(&def.parameters)?;
            this.body(&def.body)?;
            let scope = this.table.scope(id);
            if scope.is_async
                && scope.is_generator
                && let Some(range) = this.valued_return
            {
                return this.error("'return' with value in async generator", range);
            }
            Ok(())
        })
    }

    pub(super) fn defaults(&mut self, parameters: &'a ast::Parameters) -> Outcome {
        let all = parameters
            .posonlyargs
            .iter()
            .chain(&parameters.args)
            .chain(&parameters.kwonlyargs);
        for param in all {
            self.optional(param.default.as_deref())?;
        }
        Ok(())
    }

    pub(super) fn parameters(&mut self, parameters: &'a ast::Parameters) -> Outcome {
        let plain = parameters
            .posonlyargs
            .iter()
            .chain(&parameters.args)
            .chain(&parameters.kwonlyargs)
            .map(|param| &param.parameter);
        let all = plain
            .chain(parameters.vararg.as_deref())
            .chain(parameters.kwarg.as_deref());
        for param in all {
            let name = param.name.as_str();
            if name == "__debug__" {
                return self.error("cannot assign to __debug__", param.range);
            }
            let sym = self.mangled(name);
            if self.scope().flags(sym) & flag::PARAM != 0 {
                let text = format!("duplicate parameter '{name}' in function definition");
                return self.error(text, param.name.range);
            }
            let scope = self.scope();
            scope.add(sym, flag::PARAM);
            scope.params.push(sym);
        }
        Ok(())
    }

    pub(super) fn class_def(&mut self, def: &'a ast::StmtClassDef) -> Outcome {
        self.bind(&def.name)?;
        for decorator in &def.decorator_list {
            self.expr(&decorator.expression)?;
        }
        match &def.type_params {
            Some(params) => {
                self.within(ScopeKind::TypeParams, def, Part::TypeParams, |this, id| {
                    // Type parameters mangle their names as the class does.
                    let class = this.table.names.intern(def.name.as_str());
                    this.scope().class_name = Some(class);
                    this.type_params(params, id)?;
                    let known = this.table.known;
                    this.scope().add(known.type_params, flag::ASSIGNED);
                    this.scope().add(known.generic_base, flag::ASSIGNED);
                    this.annotation = "the definition of a generic";
                    this.class_arguments(def)?;
                    this.class_scope(def)
                })
            }
            None => {
                self.class_arguments(def)?;
                self.class_scope(def)
            }
        }
    }

    pub(super) fn class_arguments(&mut self, def: &'a ast::StmtClassDef) -> Outcome {
        match &def.arguments {
            Some(arguments) => self.arguments(arguments),
            None => Ok(()),
        }
    }

    pub(super) fn class_scope(&mut self, def: &'a ast::StmtClassDef) -> Outcome {
        self.within(ScopeKind::Class, def, Part::Body, |this, _| {
            let class = this.table.names.intern(def.name.as_str());
            this.scope().class_name = Some(class);
            if def.type_params.is_some() {
                let type_params = this.table.known.type_params;
                this.scope().add(type_params, flag::USED);
            }
            this.body(&def.body)
        })
    }

    pub(super) fn type_alias(&mut self, alias: &'a ast::StmtTypeAlias) -> Outcome {
        self.expr(&alias.name)?;
        let value = |this: &mut Self| {
            this.within(ScopeKind::TypeAlias, alias, Part::Value, |this, id| {
                this.format_parameter(id);
                this.annotation = "a type alias";
                this.expr(&alias.value)
            })
        };
        match &alias.type_params {
            Some(params) => self.within(
                ScopeKind::TypeParams,
                alias,
                Part::TypeParams,
                |this, id| {
                    this.type_params(params, id)?;
                    value(this)
                },
            ),
            None => value(self),
        }
    }

    pub(super) fn type_params(&mut self, params: &'a ast::TypeParams, id: ScopeId) -> Outcome {
        let mut default_seen = false;
        for param in &params.type_params {
            let (name, default, what) = match param {
                ast::TypeParam::TypeVar(param) => {
                    (&param.name, &param.default, "a TypeVar default")
                }
                ast::TypeParam::ParamSpec(param) => {
                    (&param.name, &param.default, "a ParamSpec default")
                }
                ast::TypeParam::TypeVarTuple(param) => {
                    (&param.name, &param.default, "a TypeVarTuple default")
                }
            };
            let sym = self.mangled(name.as_str());
            if self.table.scope(id).flags(sym) & flag::TYPE_PARAM != 0 {
                return self.error(format!("duplicate type parameter '{name}'"), name.range);
            }
            self.table
                .scope_mut(id)
                .add(sym, flag::TYPE_PARAM | flag::ASSIGNED);
            if let ast::TypeParam::TypeVar(var) = param
                && let Some(bound) = &var.bound
            {
                let what = if bound.is_tuple_expr() {
                    "a TypeVar constraint"
                } else {
                    "a TypeVar bound"
                };
                self.within(ScopeKind::TypeVariable, param, Part::Bound, |this, id| {
                    this.format_parameter(id);
                    this.annotation = what;
                    this.expr(bound)
                })?;
            }
            match default {
                Some(default) => {
                    default_seen = true;
                    self.within(ScopeKind::TypeVariable, param, Part::Default, |this, id| {
                        this.format_parameter(id);
                        this.annotation = what;
                        match &**default {
                            Expr::Starred(starred) => this.expr(&starred.value),
                            default => this.expr(default),
                        }
                    })?;
                }
                None if default_seen => {
                    let text = format!(
                        "non-default type parameter '{name}' follows default type parameter"
                    );
                    return self.error(text, param.range());
                }
                None => {}
            }
        }
        Ok(())
    }
}
