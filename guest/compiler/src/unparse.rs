//! Expressions back to text, as annotations show them under `from __future__ import annotations`.
//!
//! The text is that of `ast.unparse`: single spaces around operators, only the parentheses that are needed, strings in `repr` form.

use coldframe_frontend::ast::{
    self, BoolOp, CmpOp, ConversionFlag, Expr, FStringPart, InterpolatedStringElement, Operator,
    Ranged, UnaryOp,
};
use coldframe_frontend::literal::{interpolated_value, string_value};

/// How tightly an operand binds; a looser one needs parentheses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    /// The whole text, or within brackets.
    Tuple,
    Yield,
    Test,
    Or,
    And,
    Not,
    Compare,
    BitOr,
    BitXor,
    BitAnd,
    Shift,
    Arithmetic,
    Term,
    Factor,
    Power,
    Await,
    Atom,
}

impl Level {
    fn next(self) -> Level {
        match self {
            Level::Tuple => Level::Yield,
            Level::Yield => Level::Test,
            Level::Test => Level::Or,
            Level::Or => Level::And,
            Level::And => Level::Not,
            Level::Not => Level::Compare,
            Level::Compare => Level::BitOr,
            Level::BitOr => Level::BitXor,
            Level::BitXor => Level::BitAnd,
            Level::BitAnd => Level::Shift,
            Level::Shift => Level::Arithmetic,
            Level::Arithmetic => Level::Term,
            Level::Term => Level::Factor,
            Level::Factor => Level::Power,
            Level::Power => Level::Await,
            Level::Await | Level::Atom => Level::Atom,
        }
    }
}

/// The text of an annotation; `source` is the text that the tree was made from.
pub(crate) fn annotation(expr: &Expr, source: &str) -> String {
    at_level(expr, source, Level::Test)
}

fn at_level(expr: &Expr, source: &str, level: Level) -> String {
    let mut printer = Printer {
        source,
        text: String::new(),
    };
    printer.expr(expr, level);
    printer.text
}

struct Printer<'s> {
    source: &'s str,
    text: String,
}

impl Printer<'_> {
    fn put(&mut self, text: &str) {
        self.text.push_str(text);
    }

    fn wrapped(&mut self, needed: bool, print: impl FnOnce(&mut Self)) {
        if needed {
            self.put("(");
        }
        print(self);
        if needed {
            self.put(")");
        }
    }

    fn list(&mut self, exprs: &[Expr], level: Level) {
        for (index, expr) in exprs.iter().enumerate() {
            if index > 0 {
                self.put(", ");
            }
            self.expr(expr, level);
        }
    }

    fn expr(&mut self, expr: &Expr, level: Level) {
        match expr {
            Expr::BoolOp(expr) => {
                let (own, word) = match expr.op {
                    BoolOp::And => (Level::And, " and "),
                    BoolOp::Or => (Level::Or, " or "),
                };
                self.wrapped(level > own, |this| {
                    for (index, value) in expr.values.iter().enumerate() {
                        if index > 0 {
                            this.put(word);
                        }
                        this.expr(value, own.next());
                    }
                });
            }
            Expr::Named(expr) => self.wrapped(level > Level::Tuple, |this| {
                this.expr(&expr.target, Level::Atom);
                this.put(" := ");
                this.expr(&expr.value, Level::Atom);
            }),
            Expr::BinOp(expr) => self.binary(expr, level),
            Expr::UnaryOp(expr) => {
                let (own, word) = match expr.op {
                    UnaryOp::Not => (Level::Not, "not "),
                    UnaryOp::Invert => (Level::Factor, "~"),
                    UnaryOp::UAdd => (Level::Factor, "+"),
                    UnaryOp::USub => (Level::Factor, "-"),
                };
                self.wrapped(level > own, |this| {
                    this.put(word);
                    this.expr(&expr.operand, own);
                });
            }
            Expr::Lambda(expr) => self.wrapped(level > Level::Test, |this| {
                this.put("lambda");
                if let Some(parameters) = &expr.parameters {
                    // CPython writes no space before a star.
                    if !parameters.posonlyargs.is_empty() || !parameters.args.is_empty() {
                        this.put(" ");
                    }
                    this.parameters(parameters);
                }
                this.put(": ");
                this.expr(&expr.body, Level::Test);
            }),
            Expr::If(expr) => self.wrapped(level > Level::Test, |this| {
                this.expr(&expr.body, Level::Or);
                this.put(" if ");
                this.expr(&expr.test, Level::Or);
                this.put(" else ");
                this.expr(&expr.orelse, Level::Test);
            }),
            Expr::Dict(expr) => {
                self.put("{");
                for (index, item) in expr.items.iter().enumerate() {
                    if index > 0 {
                        self.put(", ");
                    }
                    match &item.key {
                        Some(key) => {
                            self.expr(key, Level::Test);
                            self.put(": ");
                            self.expr(&item.value, Level::Test);
                        }
                        None => {
                            self.put("**");
                            self.expr(&item.value, Level::BitOr);
                        }
                    }
                }
                self.put("}");
            }
            Expr::Set(expr) => {
                self.put("{");
                self.list(&expr.elts, Level::Test);
                self.put("}");
            }
            Expr::ListComp(expr) => self.comprehension("[", &[&expr.elt], &expr.generators, "]"),
            Expr::SetComp(expr) => self.comprehension("{", &[&expr.elt], &expr.generators, "}"),
            Expr::DictComp(expr) => {
                self.comprehension("{", &[&expr.key, &expr.value], &expr.generators, "}");
            }
            Expr::Generator(expr) => self.comprehension("(", &[&expr.elt], &expr.generators, ")"),
            Expr::Await(expr) => self.wrapped(level > Level::Await, |this| {
                this.put("await ");
                this.expr(&expr.value, Level::Atom);
            }),
            Expr::Yield(expr) => self.wrapped(true, |this| {
                this.put("yield");
                if let Some(value) = &expr.value {
                    this.put(" ");
                    this.expr(value, Level::Atom);
                }
            }),
            Expr::YieldFrom(expr) => self.wrapped(true, |this| {
                this.put("yield from ");
                this.expr(&expr.value, Level::Atom);
            }),
            Expr::Compare(expr) => self.wrapped(level > Level::Compare, |this| {
                this.expr(&expr.left, Level::BitOr);
                for (op, right) in expr.ops.iter().zip(&expr.comparators) {
                    this.put(match op {
                        CmpOp::Eq => " == ",
                        CmpOp::NotEq => " != ",
                        CmpOp::Lt => " < ",
                        CmpOp::LtE => " <= ",
                        CmpOp::Gt => " > ",
                        CmpOp::GtE => " >= ",
                        CmpOp::Is => " is ",
                        CmpOp::IsNot => " is not ",
                        CmpOp::In => " in ",
                        CmpOp::NotIn => " not in ",
                    });
                    this.expr(right, Level::BitOr);
                }
            }),
            Expr::Call(expr) => {
                self.expr(&expr.func, Level::Atom);
                if let ([Expr::Generator(_)], []) =
                    (&*expr.arguments.args, &*expr.arguments.keywords)
                {
                    return self.expr(&expr.arguments.args[0], Level::Test);
                }
                self.put("(");
                let mut first = true;
                for argument in &expr.arguments.args {
                    if !std::mem::take(&mut first) {
                        self.put(", ");
                    }
                    self.expr(argument, Level::Test);
                }
                for keyword in &expr.arguments.keywords {
                    if !std::mem::take(&mut first) {
                        self.put(", ");
                    }
                    match &keyword.arg {
                        Some(name) => {
                            self.put(name.as_str());
                            self.put("=");
                        }
                        None => self.put("**"),
                    }
                    self.expr(&keyword.value, Level::Test);
                }
                self.put(")");
            }
            Expr::FString(expr) => self.f_string(expr),
            Expr::TString(expr) => {
                let text = self.source.get(expr.range().to_std_range());
                self.text.push_str(text.unwrap_or_default());
            }
            Expr::StringLiteral(expr) => {
                if expr.value.is_unicode() {
                    self.put("u");
                }
                let mut value = Vec::new();
                for part in &expr.value {
                    value.extend_from_slice(&string_value(self.source, part));
                }
                self.put(&repr_str(&value));
            }
            Expr::BytesLiteral(expr) => {
                let bytes: Vec<u8> = expr.value.bytes().collect();
                self.put(&repr_bytes(&bytes));
            }
            Expr::NumberLiteral(expr) => {
                let text = match crate::constant::number(&expr.value) {
                    crate::code::Const::Int(value) => value.to_string(),
                    crate::code::Const::BigInt(value) => value.into(),
                    crate::code::Const::Float(value) => float(value),
                    crate::code::Const::Complex(_, imag) => format!("{}j", short_float(imag)),
                    _ => String::new(),
                };
                self.put(&text);
            }
            Expr::BooleanLiteral(expr) => self.put(if expr.value { "True" } else { "False" }),
            Expr::NoneLiteral(_) => self.put("None"),
            Expr::EllipsisLiteral(_) => self.put("..."),
            Expr::Attribute(expr) => {
                self.expr(&expr.value, Level::Atom);
                // `1 .real`: the dot would belong to the number.
                if matches!(&*expr.value, Expr::NumberLiteral(literal)
                    if matches!(literal.value, ast::Number::Int(_)))
                {
                    self.put(" ");
                }
                self.put(".");
                self.put(expr.attr.as_str());
            }
            Expr::Subscript(expr) => {
                self.expr(&expr.value, Level::Atom);
                self.put("[");
                match &*expr.slice {
                    // A tuple loses its parentheses, unless it is empty.
                    Expr::Tuple(tuple) if !tuple.elts.is_empty() => self.elements(&tuple.elts),
                    slice => self.expr(slice, Level::Tuple),
                }
                self.put("]");
            }
            Expr::Starred(expr) => {
                self.put("*");
                self.expr(&expr.value, Level::BitOr);
            }
            Expr::Name(expr) => self.put(expr.id.as_str()),
            Expr::List(expr) => {
                self.put("[");
                self.list(&expr.elts, Level::Test);
                self.put("]");
            }
            Expr::Tuple(expr) => {
                let needed = expr.elts.is_empty() || level > Level::Tuple;
                self.wrapped(needed, |this| this.elements(&expr.elts));
            }
            Expr::Slice(expr) => {
                if let Some(lower) = &expr.lower {
                    self.expr(lower, Level::Test);
                }
                self.put(":");
                if let Some(upper) = &expr.upper {
                    self.expr(upper, Level::Test);
                }
                if let Some(step) = &expr.step {
                    self.put(":");
                    self.expr(step, Level::Test);
                }
            }
            Expr::IpyEscapeCommand(expr) => {
                let constant = crate::constant::carried(&expr.value);
                self.put(&constant.map_or_else(String::new, |c| crate::dis::constant_text(&c)));
            }
        }
    }

    /// The elements of a tuple.
    fn elements(&mut self, elements: &[Expr]) {
        self.list(elements, Level::Test);
        if elements.len() == 1 {
            self.put(",");
        }
    }

    fn binary(&mut self, expr: &ast::ExprBinOp, level: Level) {
        let (own, sign) = match expr.op {
            Operator::Add => (Level::Arithmetic, " + "),
            Operator::Sub => (Level::Arithmetic, " - "),
            Operator::Mult => (Level::Term, " * "),
            Operator::MatMult => (Level::Term, " @ "),
            Operator::Div => (Level::Term, " / "),
            Operator::Mod => (Level::Term, " % "),
            Operator::FloorDiv => (Level::Term, " // "),
            Operator::LShift => (Level::Shift, " << "),
            Operator::RShift => (Level::Shift, " >> "),
            Operator::BitOr => (Level::BitOr, " | "),
            Operator::BitXor => (Level::BitXor, " ^ "),
            Operator::BitAnd => (Level::BitAnd, " & "),
            Operator::Pow => (Level::Power, " ** "),
        };
        self.wrapped(level > own, |this| {
            if expr.op == Operator::Pow {
                // Binds to the right; a sign in the exponent gets parentheses, as CPython has it.
                this.expr(&expr.left, own.next());
                this.put(sign);
                this.expr(&expr.right, own);
            } else {
                this.expr(&expr.left, own);
                this.put(sign);
                this.expr(&expr.right, own.next());
            }
        });
    }

    fn comprehension(
        &mut self,
        open: &str,
        elements: &[&Expr],
        clauses: &[ast::Comprehension],
        close: &str,
    ) {
        self.put(open);
        for (index, element) in elements.iter().enumerate() {
            if index > 0 {
                self.put(": ");
            }
            self.expr(element, Level::Test);
        }
        for clause in clauses {
            self.put(if clause.is_async {
                " async for "
            } else {
                " for "
            });
            self.expr(&clause.target, Level::Tuple);
            self.put(" in ");
            self.expr(&clause.iter, Level::Or);
            for test in &clause.ifs {
                self.put(" if ");
                self.expr(test, Level::Or);
            }
        }
        self.put(close);
    }

    fn parameters(&mut self, parameters: &ast::Parameters) {
        let mut first = true;
        let mut separate = |this: &mut Self| {
            if !std::mem::take(&mut first) {
                this.put(", ");
            }
        };
        for (index, param) in parameters
            .posonlyargs
            .iter()
            .chain(&parameters.args)
            .enumerate()
        {
            separate(self);
            self.parameter(param);
            if index + 1 == parameters.posonlyargs.len() {
                self.put(", /");
            }
        }
        if let Some(param) = &parameters.vararg {
            separate(self);
            self.put("*");
            self.put(param.name.as_str());
        } else if !parameters.kwonlyargs.is_empty() {
            separate(self);
            self.put("*");
        }
        for param in &parameters.kwonlyargs {
            separate(self);
            self.parameter(param);
        }
        if let Some(param) = &parameters.kwarg {
            separate(self);
            self.put("**");
            self.put(param.name.as_str());
        }
    }

    fn parameter(&mut self, param: &ast::ParameterWithDefault) {
        self.put(param.parameter.name.as_str());
        if let Some(default) = &param.default {
            self.put("=");
            self.expr(default, Level::Test);
        }
    }

    /// An f-string: one literal, in quotes that it does not contain, or in single ones.
    fn f_string(&mut self, expr: &ast::ExprFString) {
        let mut quote = '\'';
        let mut body = self.f_string_body(expr, quote);
        if body.contains('\'') && !body.contains('"') {
            quote = '"';
            body = self.f_string_body(expr, quote);
        }
        self.put("f");
        self.text.push(quote);
        self.text.push_str(&body);
        self.text.push(quote);
    }

    fn f_string_body(&self, expr: &ast::ExprFString, quote: char) -> String {
        let mut body = String::new();
        for part in &expr.value {
            match part {
                FStringPart::Literal(literal) => {
                    let value = string_value(self.source, literal);
                    body.push_str(&braces(&inner_repr(&value, quote)));
                }
                FStringPart::FString(string) => {
                    let raw = string.flags.prefix().is_raw();
                    self.elements_text(&string.elements, raw, quote, &mut body);
                }
            }
        }
        body
    }

    fn elements_text(
        &self,
        elements: &ast::InterpolatedStringElements,
        raw: bool,
        quote: char,
        text: &mut String,
    ) {
        for element in elements {
            match element {
                InterpolatedStringElement::Literal(literal) => {
                    let value = interpolated_value(self.source, literal, raw);
                    text.push_str(&braces(&inner_repr(&value, quote)));
                }
                InterpolatedStringElement::Interpolation(value) => {
                    if let Some(debug) = &value.debug_text
                        && !debug.leading.starts_with('\0')
                    {
                        let range = value.expression.range().to_std_range();
                        let shown = format!(
                            "{}{}{}",
                            debug.leading,
                            self.source.get(range).unwrap_or_default(),
                            debug.trailing
                        );
                        let shown = crate::literal::without_comments(shown);
                        text.push_str(&braces(&inner_repr(shown.as_bytes(), quote)));
                    }
                    let inner = at_level(&value.expression, self.source, Level::Or);
                    text.push('{');
                    if inner.starts_with('{') {
                        text.push(' ');
                    }
                    text.push_str(&inner);
                    match value.conversion {
                        ConversionFlag::None
                            if value.debug_text.is_some() && value.format_spec.is_none() =>
                        {
                            text.push_str("!r");
                        }
                        ConversionFlag::None => {}
                        ConversionFlag::Str => text.push_str("!s"),
                        ConversionFlag::Repr => text.push_str("!r"),
                        ConversionFlag::Ascii => text.push_str("!a"),
                    }
                    if let Some(spec) = &value.format_spec {
                        text.push(':');
                        self.elements_text(&spec.elements, raw, quote, text);
                    }
                    text.push('}');
                }
            }
        }
    }
}

fn braces(text: &str) -> String {
    text.replace('{', "{{").replace('}', "}}")
}

/// `repr` of a `str` (as WTF-8), as far as printable characters go.
fn repr_str(text: &[u8]) -> String {
    let quote = if text.contains(&b'\'') && !text.contains(&b'"') {
        '"'
    } else {
        '\''
    };
    format!("{quote}{}{quote}", inner_repr(text, quote))
}

/// The same between quotes of that kind.
fn inner_repr(text: &[u8], quote: char) -> String {
    let mut result = String::new();
    let mut rest = text;
    loop {
        let valid = match std::str::from_utf8(rest) {
            Ok(_) => rest.len(),
            Err(error) => error.valid_up_to(),
        };
        let (chars, behind) = rest.split_at(valid);
        repr_chars(
            std::str::from_utf8(chars).unwrap_or_default(),
            quote,
            &mut result,
        );
        // A surrogate, as three bytes.
        let [a, b, c, ..] = *behind else { break };
        let code = u32::from(a & 0xf) << 12 | u32::from(b & 0x3f) << 6 | u32::from(c & 0x3f);
        result.push_str(&format!("\\u{code:04x}"));
        rest = &behind[3..];
    }
    result
}

fn repr_chars(text: &str, quote: char, result: &mut String) {
    for char in text.chars() {
        match char {
            '\\' => result.push_str("\\\\"),
            '\n' => result.push_str("\\n"),
            '\r' => result.push_str("\\r"),
            '\t' => result.push_str("\\t"),
            char if char == quote => {
                result.push('\\');
                result.push(char);
            }
            char if (char as u32) < 0x20 || char as u32 == 0x7f => {
                result.push_str(&format!("\\x{:02x}", char as u32));
            }
            char if char.is_control() => result.push_str(&format!("\\x{:02x}", char as u32)),
            char => result.push(char),
        }
    }
}

fn repr_bytes(bytes: &[u8]) -> String {
    let quote = if bytes.contains(&b'\'') && !bytes.contains(&b'"') {
        '"'
    } else {
        '\''
    };
    let mut result = format!("b{quote}");
    for &byte in bytes {
        match byte {
            b'\\' => result.push_str("\\\\"),
            b'\n' => result.push_str("\\n"),
            b'\r' => result.push_str("\\r"),
            b'\t' => result.push_str("\\t"),
            byte if char::from(byte) == quote => {
                result.push('\\');
                result.push(quote);
            }
            0x20..0x7f => result.push(char::from(byte)),
            byte => result.push_str(&format!("\\x{byte:02x}")),
        }
    }
    result.push(quote);
    result
}

/// A float literal; infinity is a literal that overflows.
fn float(value: f64) -> String {
    if value.is_infinite() {
        return "1e309".to_owned();
    }
    let text = short_float(value);
    if text.contains(['.', 'e', 'n']) {
        text
    } else {
        format!("{text}.0")
    }
}

/// The shortest digits, with an exponent outside of `1e-4 .. 1e16`.
fn short_float(value: f64) -> String {
    if value.is_infinite() {
        return "1e309".to_owned();
    }
    let scientific = format!("{value:e}");
    let Some((digits, exponent)) = scientific.split_once('e') else {
        return scientific;
    };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..16).contains(&exponent) || value == 0.0 {
        return format!("{value}");
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.abs())
}

#[cfg(test)]
mod tests {
    use coldframe_frontend::parse_expression;

    /// Pairs of lines: an expression, and what CPython 3.13 shows of it as a string annotation.
    const CASES: &str = include_str!("../tests/unparse.txt");

    #[test]
    fn prints_as_cpython_does() {
        let lines: Vec<&str> = CASES.lines().collect();
        for pair in lines.chunks(2) {
            let parsed = parse_expression(pair[0]).expect(pair[0]);
            let text = super::annotation(&parsed.ast.body, parsed.lines.source());
            assert_eq!(text, pair[1], "of {}", pair[0]);
        }
    }
}
