//! Expressions of the frontend's tree as node objects.

use super::maker::{Maker, list};
use crate::names;
use crate::objects::code::Code;
use crate::objects::list::List;
use crate::value::Value;
use crate::vm::{R, Vm};
use coldframe_frontend::ast::{
    self, BoolOp, CmpOp, Expr, ExprContext, Operator, Ranged, TextRange, UnaryOp,
};

pub(super) fn context_name(ctx: ExprContext) -> &'static str {
    match ctx {
        ExprContext::Store => "Store",
        ExprContext::Del => "Del",
        _ => "Load",
    }
}

fn operator_name(op: Operator) -> &'static str {
    match op {
        Operator::Add => "Add",
        Operator::Sub => "Sub",
        Operator::Mult => "Mult",
        Operator::MatMult => "MatMult",
        Operator::Div => "Div",
        Operator::Mod => "Mod",
        Operator::Pow => "Pow",
        Operator::LShift => "LShift",
        Operator::RShift => "RShift",
        Operator::BitOr => "BitOr",
        Operator::BitXor => "BitXor",
        Operator::BitAnd => "BitAnd",
        Operator::FloorDiv => "FloorDiv",
    }
}

fn comparison_name(op: CmpOp) -> &'static str {
    match op {
        CmpOp::Eq => "Eq",
        CmpOp::NotEq => "NotEq",
        CmpOp::Lt => "Lt",
        CmpOp::LtE => "LtE",
        CmpOp::Gt => "Gt",
        CmpOp::GtE => "GtE",
        CmpOp::Is => "Is",
        CmpOp::IsNot => "IsNot",
        CmpOp::In => "In",
        CmpOp::NotIn => "NotIn",
    }
}

/// A name, as the compiler would give it to the machine.
pub(super) fn identifier(name: &str) -> Value {
    Value::from_ref(names::intern(name))
}

pub(super) fn optional_identifier(name: Option<&ast::Identifier>) -> Value {
    name.map_or(Value::NONE, |name| identifier(name.as_str()))
}

impl Maker<'_> {
    pub(super) fn operator(&mut self, vm: &mut Vm, op: Operator) -> R {
        self.single(vm, operator_name(op))
    }

    fn ctx(&mut self, vm: &mut Vm, ctx: ExprContext) -> R {
        self.single(vm, context_name(ctx))
    }

    pub(super) fn expressions<'a>(
        &mut self,
        vm: &mut Vm,
        items: impl IntoIterator<Item = &'a Expr>,
    ) -> R {
        list(vm, items, |vm, item| self.expression(vm, item))
    }

    pub(super) fn optional(&mut self, vm: &mut Vm, expr: Option<&Expr>) -> R {
        match expr {
            Some(expr) => self.expression(vm, expr),
            None => Ok(Value::NONE),
        }
    }

    /// A literal: a `Constant` without a kind.
    pub(super) fn constant(&mut self, vm: &mut Vm, range: TextRange, value: Value) -> R {
        self.at(
            vm,
            "Constant",
            range,
            [("value", value), ("kind", Value::NONE)],
        )
    }

    /// An expression. Chains that nest to the left are walked in a loop, the rest by recursion.
    pub(super) fn expression(&mut self, vm: &mut Vm, expr: &Expr) -> R {
        let mut chain = Vec::new();
        let mut innermost = expr;
        while let Some(left) = ast::leftmost(innermost) {
            chain.push(innermost);
            innermost = left;
        }
        let mut made = vm.recurse(" during ast construction", |vm| {
            self.unchained(vm, innermost)
        })?;
        for expr in chain.into_iter().rev() {
            made = self.link(vm, expr, made)?;
        }
        Ok(made)
    }

    /// An expression whose first operand has been made.
    fn link(&mut self, vm: &mut Vm, expr: &Expr, left: Value) -> R {
        match expr {
            Expr::BinOp(e) => {
                let op = self.operator(vm, e.op)?;
                let right = self.expression(vm, &e.right)?;
                if e.op == Operator::MatMult {
                    self.since(vm, 5, "The '@' operator is", e.range)?;
                }
                self.at(
                    vm,
                    "BinOp",
                    e.range,
                    [("left", left), ("op", op), ("right", right)],
                )
            }
            Expr::Attribute(e) => {
                let ctx = self.ctx(vm, e.ctx)?;
                let attr = identifier(e.attr.as_str());
                self.at(
                    vm,
                    "Attribute",
                    e.range,
                    [("value", left), ("attr", attr), ("ctx", ctx)],
                )
            }
            Expr::Subscript(e) => {
                let slice = self.expression(vm, &e.slice)?;
                let ctx = self.ctx(vm, e.ctx)?;
                self.at(
                    vm,
                    "Subscript",
                    e.range,
                    [("value", left), ("slice", slice), ("ctx", ctx)],
                )
            }
            Expr::Call(e) => {
                let args = self.call_arguments(vm, &e.arguments)?;
                let keywords = self.keywords(vm, &e.arguments.keywords)?;
                self.at(
                    vm,
                    "Call",
                    e.range,
                    [("func", left), ("args", args), ("keywords", keywords)],
                )
            }
            _ => Err(vm.system_error("an expression without a first operand")),
        }
    }

    /// Positional arguments; a lone generator expression takes its position from the brackets of the call.
    pub(super) fn call_arguments(&mut self, vm: &mut Vm, arguments: &ast::Arguments) -> R {
        let made = self.expressions(vm, &*arguments.args)?;
        if let ([Expr::Generator(only)], true) = (&*arguments.args, arguments.keywords.is_empty())
            && !only.parenthesized
            && let Some(items) = made.as_ref::<List>()
            && let Some(node) = items.get(vm, 0)
        {
            self.place(vm, &node, arguments.range)?;
        }
        Ok(made)
    }

    pub(super) fn keywords(&mut self, vm: &mut Vm, keywords: &[ast::Keyword]) -> R {
        list(vm, keywords, |vm, keyword| {
            let value = self.expression(vm, &keyword.value)?;
            let arg = optional_identifier(keyword.arg.as_ref());
            self.at(
                vm,
                "keyword",
                keyword.range,
                [("arg", arg), ("value", value)],
            )
        })
    }

    fn unchained(&mut self, vm: &mut Vm, expr: &Expr) -> R {
        let range = expr.range();
        match expr {
            Expr::Named(_) => self.since(vm, 8, "Assignment expressions are", range)?,
            Expr::FString(_) => self.since(vm, 6, "Format strings are", range)?,
            Expr::TString(_) => self.since(vm, 14, "T-strings are", range)?,
            Expr::Await(_) => self.since(vm, 5, "Await expressions are", range)?,
            Expr::NumberLiteral(_) if self.feature < 6 => {
                let text = self.source().get(range.to_std_range()).unwrap_or_default();
                if text.contains('_') {
                    self.since(vm, 6, "Underscores in numeric literals are", range)?;
                }
            }
            _ => {}
        }
        match expr {
            Expr::BoolOp(e) => {
                let op = match e.op {
                    BoolOp::And => "And",
                    BoolOp::Or => "Or",
                };
                let op = self.single(vm, op)?;
                let values = self.expressions(vm, &e.values)?;
                self.at(vm, "BoolOp", range, [("op", op), ("values", values)])
            }
            Expr::Named(e) => {
                let target = self.expression(vm, &e.target)?;
                let value = self.expression(vm, &e.value)?;
                self.at(
                    vm,
                    "NamedExpr",
                    range,
                    [("target", target), ("value", value)],
                )
            }
            Expr::UnaryOp(e) => {
                let op = match e.op {
                    UnaryOp::Invert => "Invert",
                    UnaryOp::Not => "Not",
                    UnaryOp::UAdd => "UAdd",
                    UnaryOp::USub => "USub",
                };
                let op = self.single(vm, op)?;
                let operand = self.expression(vm, &e.operand)?;
                self.at(vm, "UnaryOp", range, [("op", op), ("operand", operand)])
            }
            Expr::Lambda(e) => {
                let args = self.parameters(vm, e.parameters.as_deref(), range)?;
                let body = self.expression(vm, &e.body)?;
                self.at(vm, "Lambda", range, [("args", args), ("body", body)])
            }
            Expr::If(e) => {
                let test = self.expression(vm, &e.test)?;
                let body = self.expression(vm, &e.body)?;
                let orelse = self.expression(vm, &e.orelse)?;
                self.at(
                    vm,
                    "IfExp",
                    range,
                    [("test", test), ("body", body), ("orelse", orelse)],
                )
            }
            Expr::Dict(e) => {
                let keys = list(vm, &e.items, |vm, item| {
                    self.optional(vm, item.key.as_ref())
                })?;
                let values = self.expressions(vm, e.items.iter().map(|item| &item.value))?;
                self.at(vm, "Dict", range, [("keys", keys), ("values", values)])
            }
            Expr::Set(e) => {
                let elts = self.expressions(vm, &e.elts)?;
                self.at(vm, "Set", range, [("elts", elts)])
            }
            Expr::ListComp(e) => self.comprehension(vm, "ListComp", range, &e.elt, &e.generators),
            Expr::SetComp(e) => self.comprehension(vm, "SetComp", range, &e.elt, &e.generators),
            Expr::Generator(e) => {
                self.comprehension(vm, "GeneratorExp", range, &e.elt, &e.generators)
            }
            Expr::DictComp(e) => {
                let key = self.expression(vm, &e.key)?;
                let value = self.expression(vm, &e.value)?;
                let generators = self.generators(vm, &e.generators)?;
                self.at(
                    vm,
                    "DictComp",
                    range,
                    [("key", key), ("value", value), ("generators", generators)],
                )
            }
            Expr::Await(e) => {
                let value = self.expression(vm, &e.value)?;
                self.at(vm, "Await", range, [("value", value)])
            }
            Expr::Yield(e) => {
                let value = self.optional(vm, e.value.as_deref())?;
                self.at(vm, "Yield", range, [("value", value)])
            }
            Expr::YieldFrom(e) => {
                let value = self.expression(vm, &e.value)?;
                self.at(vm, "YieldFrom", range, [("value", value)])
            }
            Expr::Compare(e) => {
                let left = self.expression(vm, &e.left)?;
                let ops = list(vm, &*e.ops, |vm, op| self.single(vm, comparison_name(*op)))?;
                let comparators = self.expressions(vm, &*e.comparators)?;
                self.at(
                    vm,
                    "Compare",
                    range,
                    [("left", left), ("ops", ops), ("comparators", comparators)],
                )
            }
            Expr::FString(e) => self.f_string(vm, e),
            Expr::TString(e) => self.t_string(vm, e),
            Expr::StringLiteral(e) => self.string_literal(vm, e),
            Expr::BytesLiteral(e) => {
                let bytes: Vec<u8> = e.value.bytes().collect();
                self.constant(vm, range, crate::objects::bytes::Bytes::value(bytes))
            }
            Expr::NumberLiteral(e) => {
                let value = Code::constant_value(vm, &coldframe_compiler::number(&e.value))?;
                self.constant(vm, range, value)
            }
            Expr::BooleanLiteral(e) => self.constant(vm, range, Value::bool(e.value)),
            Expr::NoneLiteral(_) => self.constant(vm, range, Value::NONE),
            Expr::EllipsisLiteral(_) => self.constant(vm, range, Value::ELLIPSIS),
            Expr::Starred(e) => {
                let value = self.expression(vm, &e.value)?;
                let ctx = self.ctx(vm, e.ctx)?;
                self.at(vm, "Starred", range, [("value", value), ("ctx", ctx)])
            }
            Expr::Name(e) => {
                let ctx = self.ctx(vm, e.ctx)?;
                self.at(
                    vm,
                    "Name",
                    range,
                    [("id", identifier(e.id.as_str())), ("ctx", ctx)],
                )
            }
            Expr::List(e) => {
                let elts = self.expressions(vm, &e.elts)?;
                let ctx = self.ctx(vm, e.ctx)?;
                self.at(vm, "List", range, [("elts", elts), ("ctx", ctx)])
            }
            Expr::Tuple(e) => {
                let elts = self.expressions(vm, &e.elts)?;
                let ctx = self.ctx(vm, e.ctx)?;
                self.at(vm, "Tuple", range, [("elts", elts), ("ctx", ctx)])
            }
            Expr::Slice(e) => {
                let lower = self.optional(vm, e.lower.as_deref())?;
                let upper = self.optional(vm, e.upper.as_deref())?;
                let step = self.optional(vm, e.step.as_deref())?;
                self.at(
                    vm,
                    "Slice",
                    range,
                    [("lower", lower), ("upper", upper), ("step", step)],
                )
            }
            other => Err(vm.system_error(format!("no node for {:?}", other.range()))),
        }
    }

    fn comprehension(
        &mut self,
        vm: &mut Vm,
        class: &'static str,
        range: TextRange,
        elt: &Expr,
        generators: &[ast::Comprehension],
    ) -> R {
        let elt = self.expression(vm, elt)?;
        let generators = self.generators(vm, generators)?;
        self.at(vm, class, range, [("elt", elt), ("generators", generators)])
    }

    fn generators(&mut self, vm: &mut Vm, generators: &[ast::Comprehension]) -> R {
        list(vm, generators, |vm, part| {
            if part.is_async {
                self.since(vm, 6, "Async comprehensions are", part.range)?;
            }
            let target = self.expression(vm, &part.target)?;
            let iter = self.expression(vm, &part.iter)?;
            let ifs = self.expressions(vm, &part.ifs)?;
            let is_async = Value::int(i64::from(part.is_async));
            self.node(
                vm,
                "comprehension",
                [
                    ("target", target),
                    ("iter", iter),
                    ("ifs", ifs),
                    ("is_async", is_async),
                ],
            )
        })
    }

    /// The `arguments` of a function; `whole` is its range, for type comments.
    pub(super) fn parameters(
        &mut self,
        vm: &mut Vm,
        parameters: Option<&ast::Parameters>,
        whole: TextRange,
    ) -> R {
        let Some(p) = parameters else {
            let empty = || List::value(Vec::new());
            return self.node(
                vm,
                "arguments",
                [
                    ("posonlyargs", empty()),
                    ("args", empty()),
                    ("vararg", Value::NONE),
                    ("kwonlyargs", empty()),
                    ("kw_defaults", empty()),
                    ("kwarg", Value::NONE),
                    ("defaults", empty()),
                ],
            );
        };
        if !p.posonlyargs.is_empty() {
            self.since(vm, 8, "Positional-only parameters are", p.range)?;
        }
        // Where each parameter's comment must end: the start of the next one.
        let mut starts: Vec<u32> = p.iter().map(|x| x.range().start().to_u32()).collect();
        starts.push(p.range.end().to_u32().max(whole.start().to_u32()));
        starts.sort_unstable();
        let arg = |this: &mut Self, vm: &mut Vm, parameter: &ast::Parameter, end: u32| -> R {
            let annotation = this.optional(vm, parameter.annotation.as_deref())?;
            let next = starts
                .iter()
                .copied()
                .find(|&start| start >= end)
                .unwrap_or(end);
            let comment = this.comments.take_parameter(this.lines, end, next);
            this.at(
                vm,
                "arg",
                // Without the stars.
                TextRange::new(parameter.name.range.start(), parameter.range.end()),
                [
                    ("arg", identifier(parameter.name.as_str())),
                    ("annotation", annotation),
                    ("type_comment", comment),
                ],
            )
        };
        let plain = |this: &mut Self, vm: &mut Vm, items: &[ast::ParameterWithDefault]| {
            list(vm, items, |vm, item| {
                arg(this, vm, &item.parameter, item.range.end().to_u32())
            })
        };
        let posonlyargs = plain(self, vm, &p.posonlyargs)?;
        let args = plain(self, vm, &p.args)?;
        let kwonlyargs = plain(self, vm, &p.kwonlyargs)?;
        let vararg = match &p.vararg {
            Some(x) => arg(self, vm, x, x.range.end().to_u32())?,
            None => Value::NONE,
        };
        let kwarg = match &p.kwarg {
            Some(x) => arg(self, vm, x, x.range.end().to_u32())?,
            None => Value::NONE,
        };
        let kw_defaults = list(vm, &p.kwonlyargs, |vm, item| {
            self.optional(vm, item.default.as_deref())
        })?;
        let defaults = self.expressions(
            vm,
            p.posonlyargs
                .iter()
                .chain(&p.args)
                .filter_map(|item| item.default.as_deref()),
        )?;
        self.node(
            vm,
            "arguments",
            [
                ("posonlyargs", posonlyargs),
                ("args", args),
                ("vararg", vararg),
                ("kwonlyargs", kwonlyargs),
                ("kw_defaults", kw_defaults),
                ("kwarg", kwarg),
                ("defaults", defaults),
            ],
        )
    }
}
