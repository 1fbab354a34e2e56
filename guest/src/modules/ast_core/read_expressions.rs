//! Node objects to expressions of the frontend's tree.

use super::reader::{Reader, named, no_index};
use crate::objects::bytes::Bytes;
use crate::objects::complex::Complex;
use crate::objects::set::FrozenSet;
use crate::objects::string::Str;
use crate::objects::tuple::Tuple;
use crate::value::Value;
use crate::vm::{R, Vm};
use coldframe_compiler::code::Const;
use coldframe_frontend::ast::{
    self, Arguments, BoolOp, CmpOp, Expr, ExprContext, Int, Name, Number, Operator, TextRange,
    UnaryOp,
};

fn context(ctx: &str) -> ExprContext {
    match ctx {
        "Store" => ExprContext::Store,
        "Del" => ExprContext::Del,
        _ => ExprContext::Load,
    }
}

impl Reader {
    /// An expression that is used in the context `ctx`.
    pub(super) fn expression(&mut self, vm: &mut Vm, node: &Value, ctx: &'static str) -> R<Expr> {
        // A chain that nests to the left is walked down first, in a loop.
        let mut chain: Vec<(Value, std::rc::Rc<str>, &'static str)> = Vec::new();
        let mut node = node.clone();
        let mut wanted = ctx;
        loop {
            let kind = self.expect(vm, &node, "expr")?;
            let next = match &*kind {
                "BinOp" => "left",
                "Attribute" | "Subscript" => "value",
                "Call" => "func",
                _ => break,
            };
            let inner = self.required(vm, &node, next, &kind)?;
            chain.push((node, kind, wanted));
            wanted = "Load";
            node = inner;
            if chain.len() > coldframe_frontend::limits::MAX_DEPTH {
                return Err(vm.recursion_error(
                    "maximum recursion depth exceeded while traversing 'expr' node",
                ));
            }
        }
        let mut made = self.nested(vm, "expr", |this, vm| this.unchained(vm, &node, wanted))?;
        for (node, kind, wanted) in chain.into_iter().rev() {
            made = self.nested(vm, "expr", |this, vm| {
                this.link(vm, &node, &kind, wanted, made)
            })?;
        }
        Ok(made)
    }

    /// The context that a node says it has must be the one it is used in.
    fn context(&mut self, vm: &mut Vm, node: &Value, of: &str, wanted: &str) -> R<ExprContext> {
        let v = self.required(vm, node, "ctx", of)?;
        let has = self.expect(vm, &v, "expr_context")?;
        if &*has != wanted {
            return Err(vm.value_error(format!(
                "expression must have {wanted} context but has {has} instead"
            )));
        }
        Ok(context(wanted))
    }

    fn only_load(&mut self, vm: &mut Vm, ctx: &str) -> R<()> {
        if ctx == "Load" {
            return Ok(());
        }
        Err(vm.value_error(format!(
            "expression which can't be assigned to in {ctx} context"
        )))
    }

    pub(super) fn operator(&mut self, vm: &mut Vm, node: &Value, of: &str) -> R<Operator> {
        let v = self.required(vm, node, "op", of)?;
        let name = self.expect(vm, &v, "operator")?;
        Ok(match &*name {
            "Add" => Operator::Add,
            "Sub" => Operator::Sub,
            "Mult" => Operator::Mult,
            "MatMult" => Operator::MatMult,
            "Div" => Operator::Div,
            "Mod" => Operator::Mod,
            "Pow" => Operator::Pow,
            "LShift" => Operator::LShift,
            "RShift" => Operator::RShift,
            "BitOr" => Operator::BitOr,
            "BitXor" => Operator::BitXor,
            "BitAnd" => Operator::BitAnd,
            _ => Operator::FloorDiv,
        })
    }

    /// An expression whose first operand has been read.
    fn link(
        &mut self,
        vm: &mut Vm,
        node: &Value,
        kind: &str,
        ctx: &'static str,
        first: Expr,
    ) -> R<Expr> {
        let range = self.range(vm, node, "expr")?;
        let node_index = no_index();
        let first = Box::new(first);
        Ok(match kind {
            "BinOp" => {
                self.only_load(vm, ctx)?;
                let op = self.operator(vm, node, kind)?;
                let right = self.child(vm, node, "right", kind, "Load")?;
                Expr::BinOp(ast::ExprBinOp {
                    node_index,
                    range,
                    left: first,
                    op,
                    right,
                })
            }
            "Attribute" => {
                let ctx = self.context(vm, node, kind, ctx)?;
                let attr = self.required(vm, node, "attr", kind)?;
                let attr = self.any_name(vm, &attr, range)?;
                Expr::Attribute(ast::ExprAttribute {
                    node_index,
                    range,
                    value: first,
                    attr,
                    ctx,
                })
            }
            "Subscript" => {
                let ctx = self.context(vm, node, kind, ctx)?;
                let slice = self.child(vm, node, "slice", kind, "Load")?;
                Expr::Subscript(ast::ExprSubscript {
                    node_index,
                    range,
                    value: first,
                    slice,
                    ctx,
                })
            }
            _ => {
                self.only_load(vm, ctx)?;
                let arguments = self.arguments(vm, node, kind, "args", range)?;
                Expr::Call(ast::ExprCall {
                    node_index,
                    range,
                    func: first,
                    arguments,
                })
            }
        })
    }

    /// Positional and keyword arguments of a call or a class.
    pub(super) fn arguments(
        &mut self,
        vm: &mut Vm,
        node: &Value,
        of: &str,
        positional: &str,
        range: TextRange,
    ) -> R<Arguments> {
        let args = self.items(vm, node, positional, of)?;
        let args = self.expressions(vm, &args, "Load")?;
        let mut keywords = Vec::new();
        for keyword in self.items(vm, node, "keywords", of)? {
            self.expect(vm, &keyword, "keyword")?;
            let place = self.range(vm, &keyword, "keyword")?;
            // Whatever positions say, keyword arguments come after positional ones.
            let start = args.last().map_or(place, |last| {
                let from = ast::Ranged::range(last).start().max(place.start());
                TextRange::new(from, place.end().max(from))
            });
            let arg = self.optional_identifier(vm, &keyword, "arg", place)?;
            let value = *self.child(vm, &keyword, "value", "keyword", "Load")?;
            keywords.push(ast::Keyword {
                range: start,
                node_index: no_index(),
                arg,
                value,
            });
        }
        Ok(Arguments {
            range,
            node_index: no_index(),
            args: args.into(),
            keywords: keywords.into(),
        })
    }

    fn unchained(&mut self, vm: &mut Vm, node: &Value, ctx: &'static str) -> R<Expr> {
        let kind = self.expect(vm, node, "expr")?;
        let kind = &*kind;
        let range = self.range(vm, node, "expr")?;
        if !matches!(kind, "Starred" | "Name" | "List" | "Tuple") {
            self.only_load(vm, ctx)?;
        }
        let node_index = no_index();
        Ok(match kind {
            "BoolOp" => {
                let op = self.required(vm, node, "op", kind)?;
                let op = self.expect(vm, &op, "boolop")?;
                let values = self.items(vm, node, "values", kind)?;
                if values.len() < 2 {
                    return Err(vm.value_error("BoolOp with less than 2 values"));
                }
                let values = self.expressions(vm, &values, "Load")?;
                let op = if &*op == "And" {
                    BoolOp::And
                } else {
                    BoolOp::Or
                };
                Expr::BoolOp(ast::ExprBoolOp {
                    node_index,
                    range,
                    op,
                    values,
                })
            }
            "NamedExpr" => {
                let target = self.required(vm, node, "target", kind)?;
                if &*self.expect(vm, &target, "expr")? != "Name" {
                    return Err(vm.type_error("NamedExpr target must be a Name"));
                }
                let target = Box::new(self.expression(vm, &target, "Store")?);
                let value = self.child(vm, node, "value", kind, "Load")?;
                Expr::Named(ast::ExprNamed {
                    node_index,
                    range,
                    target,
                    value,
                })
            }
            "UnaryOp" => {
                let op = self.required(vm, node, "op", kind)?;
                let op = match &*self.expect(vm, &op, "unaryop")? {
                    "Invert" => UnaryOp::Invert,
                    "Not" => UnaryOp::Not,
                    "UAdd" => UnaryOp::UAdd,
                    _ => UnaryOp::USub,
                };
                let operand = self.child(vm, node, "operand", kind, "Load")?;
                Expr::UnaryOp(ast::ExprUnaryOp {
                    node_index,
                    range,
                    op,
                    operand,
                })
            }
            "Lambda" => {
                let args = self.required(vm, node, "args", kind)?;
                let parameters = self.parameters(vm, &args, range)?;
                let body = self.child(vm, node, "body", kind, "Load")?;
                Expr::Lambda(ast::ExprLambda {
                    node_index,
                    range,
                    parameters: Some(Box::new(parameters)),
                    body,
                })
            }
            "IfExp" => {
                let test = self.child(vm, node, "test", kind, "Load")?;
                let body = self.child(vm, node, "body", kind, "Load")?;
                let orelse = self.child(vm, node, "orelse", kind, "Load")?;
                Expr::If(ast::ExprIf {
                    node_index,
                    range,
                    test,
                    body,
                    orelse,
                })
            }
            "Dict" => {
                let keys = self.items(vm, node, "keys", kind)?;
                let values = self.items(vm, node, "values", kind)?;
                if keys.len() != values.len() {
                    return Err(
                        vm.value_error("Dict doesn't have the same number of keys as values")
                    );
                }
                let values = self.expressions(vm, &values, "Load")?;
                let mut items = Vec::with_capacity(keys.len());
                for (key, value) in keys.iter().zip(values) {
                    let key = if key.is_none() {
                        None
                    } else {
                        Some(self.expression(vm, key, "Load")?)
                    };
                    items.push(ast::DictItem { key, value });
                }
                Expr::Dict(ast::ExprDict {
                    node_index,
                    range,
                    items,
                })
            }
            "Set" => {
                let elts = self.items(vm, node, "elts", kind)?;
                let elts = self.expressions(vm, &elts, "Load")?;
                Expr::Set(ast::ExprSet {
                    node_index,
                    range,
                    elts,
                })
            }
            "ListComp" | "SetComp" | "GeneratorExp" => {
                let generators = self.generators(vm, node, kind)?;
                let elt = self.child(vm, node, "elt", kind, "Load")?;
                match kind {
                    "ListComp" => Expr::ListComp(ast::ExprListComp {
                        node_index,
                        range,
                        elt,
                        generators,
                    }),
                    "SetComp" => Expr::SetComp(ast::ExprSetComp {
                        node_index,
                        range,
                        elt,
                        generators,
                    }),
                    _ => Expr::Generator(ast::ExprGenerator {
                        node_index,
                        range,
                        elt,
                        generators,
                        parenthesized: true,
                    }),
                }
            }
            "DictComp" => {
                let generators = self.generators(vm, node, kind)?;
                let key = self.child(vm, node, "key", kind, "Load")?;
                let value = self.child(vm, node, "value", kind, "Load")?;
                Expr::DictComp(ast::ExprDictComp {
                    node_index,
                    range,
                    key,
                    value,
                    generators,
                })
            }
            "Await" => {
                let value = self.child(vm, node, "value", kind, "Load")?;
                Expr::Await(ast::ExprAwait {
                    node_index,
                    range,
                    value,
                })
            }
            "Yield" => {
                let value = self.optional_child(vm, node, "value", "Load")?;
                Expr::Yield(ast::ExprYield {
                    node_index,
                    range,
                    value,
                })
            }
            "YieldFrom" => {
                let value = self.child(vm, node, "value", kind, "Load")?;
                Expr::YieldFrom(ast::ExprYieldFrom {
                    node_index,
                    range,
                    value,
                })
            }
            "Compare" => self.comparison(vm, node, range)?,
            "Constant" => {
                self.check_string(vm, node, "kind")?;
                let key = crate::names::intern("value").to_value();
                let Some(value) = vm.get_attr_opt(node, &key)? else {
                    return Err(vm.type_error("required field \"value\" missing from Constant"));
                };
                let value = self.constant(vm, &value)?;
                literal(value, range)
            }
            "Starred" => {
                let context = self.context(vm, node, kind, ctx)?;
                let value = self.child(vm, node, "value", kind, ctx)?;
                Expr::Starred(ast::ExprStarred {
                    node_index,
                    range,
                    value,
                    ctx: context,
                })
            }
            "Name" => {
                let id = self.required(vm, node, "id", kind)?;
                let id = self.identifier_text(vm, &id)?;
                let ctx = self.context(vm, node, kind, ctx)?;
                Expr::Name(ast::ExprName {
                    node_index,
                    range,
                    id: Name::new(id),
                    ctx,
                })
            }
            "List" | "Tuple" => {
                let context = self.context(vm, node, kind, ctx)?;
                let elts = self.items(vm, node, "elts", kind)?;
                let elts = self.expressions(vm, &elts, ctx)?;
                if kind == "List" {
                    Expr::List(ast::ExprList {
                        node_index,
                        range,
                        elts,
                        ctx: context,
                    })
                } else {
                    Expr::Tuple(ast::ExprTuple {
                        node_index,
                        range,
                        elts,
                        ctx: context,
                        parenthesized: true,
                    })
                }
            }
            "Slice" => {
                let lower = self.optional_child(vm, node, "lower", "Load")?;
                let upper = self.optional_child(vm, node, "upper", "Load")?;
                let step = self.optional_child(vm, node, "step", "Load")?;
                Expr::Slice(ast::ExprSlice {
                    node_index,
                    range,
                    lower,
                    upper,
                    step,
                })
            }
            _ => self.joined(vm, node, kind, range)?,
        })
    }

    fn comparison(&mut self, vm: &mut Vm, node: &Value, range: TextRange) -> R<Expr> {
        let left = self.child(vm, node, "left", "Compare", "Load")?;
        let mut ops = Vec::new();
        for op in self.items(vm, node, "ops", "Compare")? {
            ops.push(match &*self.expect(vm, &op, "cmpop")? {
                "Eq" => CmpOp::Eq,
                "NotEq" => CmpOp::NotEq,
                "Lt" => CmpOp::Lt,
                "LtE" => CmpOp::LtE,
                "Gt" => CmpOp::Gt,
                "GtE" => CmpOp::GtE,
                "Is" => CmpOp::Is,
                "IsNot" => CmpOp::IsNot,
                "In" => CmpOp::In,
                _ => CmpOp::NotIn,
            });
        }
        let comparators = self.items(vm, node, "comparators", "Compare")?;
        if comparators.is_empty() {
            return Err(vm.value_error("Compare with no comparators"));
        }
        if comparators.len() != ops.len() {
            return Err(
                vm.value_error("Compare has a different number of comparators and operands")
            );
        }
        let comparators = self.expressions(vm, &comparators, "Load")?;
        Ok(Expr::Compare(ast::ExprCompare {
            node_index: no_index(),
            range,
            left,
            ops: ops.into(),
            comparators: comparators.into(),
        }))
    }

    fn generators(&mut self, vm: &mut Vm, node: &Value, of: &str) -> R<Vec<ast::Comprehension>> {
        let items = self.items(vm, node, "generators", of)?;
        if items.is_empty() {
            return Err(vm.value_error("comprehension with no generators"));
        }
        let mut out = Vec::with_capacity(items.len());
        for item in items {
            self.expect(vm, &item, "comprehension")?;
            let target = *self.child(vm, &item, "target", "comprehension", "Store")?;
            let iter = *self.child(vm, &item, "iter", "comprehension", "Load")?;
            let ifs = self.items(vm, &item, "ifs", "comprehension")?;
            let ifs = self.expressions(vm, &ifs, "Load")?;
            let is_async = self.required(vm, &item, "is_async", "comprehension")?;
            let is_async = self.number(vm, &is_async)? != 0;
            out.push(ast::Comprehension {
                range: ast::Ranged::range(&target),
                node_index: no_index(),
                target,
                iter,
                ifs,
                is_async,
            });
        }
        Ok(out)
    }

    /// The value of a `Constant`.
    pub(super) fn constant(&mut self, vm: &mut Vm, value: &Value) -> R<Const> {
        if value.is_none() {
            return Ok(Const::None);
        }
        if let Some(b) = value.as_bool() {
            return Ok(Const::Bool(b));
        }
        if value.is_same(&Value::ELLIPSIS) {
            return Ok(Const::Ellipsis);
        }
        if value.is_exact_int()
            && let Some(i) = value.as_int()
        {
            return Ok(match i.to_i64() {
                Some(i) => Const::Int(i),
                None => Const::BigInt(i.to_big().to_string().into()),
            });
        }
        if let Some(f) = value.as_float() {
            return Ok(Const::Float(f));
        }
        if let Some(c) = value.as_exact::<Complex>() {
            return Ok(Const::Complex(c.re, c.im));
        }
        if let Some(s) = value.as_exact::<Str>() {
            return Ok(Const::Str(s.as_bytes().into()));
        }
        if let Some(b) = value.as_exact::<Bytes>() {
            return Ok(Const::Bytes(b.data.clone()));
        }
        let (items, frozen) = if value.is_exact::<Tuple>() {
            (vm.collect(value)?, false)
        } else if value.is_exact::<FrozenSet>() {
            (vm.collect(value)?, true)
        } else {
            let text = format!("got an invalid type in Constant: {}", vm.class_name(value));
            return Err(vm.type_error(text));
        };
        let mut constants = Vec::with_capacity(items.len());
        for item in &items {
            constants.push(self.nested(vm, "expr", |this, vm| this.constant(vm, item))?);
        }
        Ok(if frozen {
            Const::FrozenSet(constants.into())
        } else {
            Const::Tuple(constants.into())
        })
    }

    /// The `arguments` of a function.
    pub(super) fn parameters(
        &mut self,
        vm: &mut Vm,
        node: &Value,
        range: TextRange,
    ) -> R<ast::Parameters> {
        const OF: &str = "arguments";
        self.expect(vm, node, OF)?;
        let posonly = self.items(vm, node, "posonlyargs", OF)?;
        let args = self.items(vm, node, "args", OF)?;
        let kwonly = self.items(vm, node, "kwonlyargs", OF)?;
        let kw_defaults = self.items(vm, node, "kw_defaults", OF)?;
        let defaults = self.items(vm, node, "defaults", OF)?;
        if defaults.len() > posonly.len() + args.len() {
            return Err(vm.value_error("more positional defaults than args on arguments"));
        }
        if kwonly.len() != kw_defaults.len() {
            return Err(
                vm.value_error("length of kwonlyargs is not the same as kw_defaults on arguments")
            );
        }
        let without = posonly.len() + args.len() - defaults.len();
        let defaults = self.expressions(vm, &defaults, "Load")?;
        let mut defaults = std::iter::repeat_with(|| None)
            .take(without)
            .chain(defaults.into_iter().map(|d| Some(Box::new(d))))
            .collect::<Vec<_>>()
            .into_iter();
        let mut plain = |this: &mut Self, vm: &mut Vm, items: Vec<Value>| -> R<Vec<_>> {
            let mut out = Vec::with_capacity(items.len());
            for item in items {
                let parameter = this.parameter(vm, &item)?;
                out.push(ast::ParameterWithDefault {
                    range: parameter.range,
                    node_index: no_index(),
                    parameter,
                    default: defaults.next().flatten(),
                });
            }
            Ok(out)
        };
        let posonlyargs = plain(self, vm, posonly)?;
        let args = plain(self, vm, args)?;
        let vararg = match self.field(vm, node, "vararg")? {
            Some(v) => Some(Box::new(self.parameter(vm, &v)?)),
            None => None,
        };
        let mut kwonlyargs = Vec::with_capacity(kwonly.len());
        for (item, default) in kwonly.iter().zip(kw_defaults) {
            let parameter = self.parameter(vm, item)?;
            let default = if default.is_none() {
                None
            } else {
                Some(Box::new(self.expression(vm, &default, "Load")?))
            };
            kwonlyargs.push(ast::ParameterWithDefault {
                range: parameter.range,
                node_index: no_index(),
                parameter,
                default,
            });
        }
        let kwarg = match self.field(vm, node, "kwarg")? {
            Some(v) => Some(Box::new(self.parameter(vm, &v)?)),
            None => None,
        };
        Ok(ast::Parameters {
            range,
            node_index: no_index(),
            posonlyargs,
            args,
            vararg,
            kwonlyargs,
            kwarg,
        })
    }

    fn parameter(&mut self, vm: &mut Vm, node: &Value) -> R<ast::Parameter> {
        self.expect(vm, node, "arg")?;
        let range = self.range(vm, node, "arg")?;
        self.check_string(vm, node, "type_comment")?;
        let name = self.identifier(vm, node, "arg", "arg", range)?;
        let annotation = self.optional_child(vm, node, "annotation", "Load")?;
        Ok(ast::Parameter {
            range,
            node_index: no_index(),
            name: named(name.as_str(), range),
            annotation,
        })
    }
}

/// The literal of a constant; what no literal denotes is carried.
pub(super) fn literal(value: Const, range: TextRange) -> Expr {
    let node_index = no_index();
    let number = |value: Number| {
        Expr::NumberLiteral(ast::ExprNumberLiteral {
            node_index: no_index(),
            range,
            value,
        })
    };
    match &value {
        Const::None => Expr::NoneLiteral(ast::ExprNoneLiteral { node_index, range }),
        Const::Ellipsis => Expr::EllipsisLiteral(ast::ExprEllipsisLiteral { node_index, range }),
        Const::Bool(value) => Expr::BooleanLiteral(ast::ExprBooleanLiteral {
            node_index,
            range,
            value: *value,
        }),
        Const::Int(i) if *i >= 0 => number(Number::Int(Int::from(i.unsigned_abs()))),
        Const::BigInt(digits) if !digits.starts_with('-') => {
            match Int::from_str_radix(digits, 10, digits) {
                Ok(int) => number(Number::Int(int)),
                Err(_) => carried(&value, range),
            }
        }
        Const::Float(f) if f.is_sign_positive() && !f.is_nan() => number(Number::Float(*f)),
        Const::Complex(real, imag) if *real == 0.0 && real.is_sign_positive() => {
            number(Number::Complex {
                real: *real,
                imag: *imag,
            })
        }
        Const::Str(text) => match std::str::from_utf8(text) {
            Ok(text) if !text.contains('\u{fffd}') => Expr::StringLiteral(ast::ExprStringLiteral {
                node_index,
                range,
                value: ast::StringLiteralValue::single(ast::StringLiteral {
                    range,
                    node_index: no_index(),
                    value: text.into(),
                    flags: ast::StringLiteralFlags::empty(),
                }),
            }),
            _ => carried(&value, range),
        },
        Const::Bytes(bytes) => Expr::BytesLiteral(ast::ExprBytesLiteral {
            node_index,
            range,
            value: ast::BytesLiteralValue::single(ast::BytesLiteral {
                range,
                node_index: no_index(),
                value: bytes.clone(),
                flags: ast::BytesLiteralFlags::empty(),
            }),
        }),
        _ => carried(&value, range),
    }
}

fn carried(value: &Const, range: TextRange) -> Expr {
    Expr::IpyEscapeCommand(ast::ExprIpyEscapeCommand {
        node_index: no_index(),
        range,
        kind: ast::IpyEscapeKind::Magic,
        value: coldframe_compiler::carry(value).into(),
    })
}
