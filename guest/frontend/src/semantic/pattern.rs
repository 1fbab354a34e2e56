//! `match` statements: what patterns bind, and which of them can be reached.

use rustpython_ast::name::Name;
use rustpython_ast::{
    Expr, Number, Operator, Pattern, PatternMatchClass, PatternMatchMapping, PatternMatchOr,
    StmtMatch, UnaryOp,
};
use rustpython_text_size::{Ranged, TextRange};

use super::{Checker, Stage};

/// The names that a pattern binds.
type Names = Vec<Name>;

impl Checker<'_> {
    pub(super) fn match_statement(&mut self, node: &StmtMatch) {
        self.expression(&node.subject);
        let last = node.cases.len().saturating_sub(1);
        for (index, case) in node.cases.iter().enumerate() {
            // A case that always matches must be the last one, unless it has a guard.
            let irrefutable = case.guard.is_some() || index == last;
            self.pattern(&case.pattern, irrefutable, &mut Names::new());
            self.optional(case.guard.as_deref());
            self.body(&case.body);
        }
    }

    fn bind(&mut self, name: &Name, range: TextRange, names: &mut Names) {
        self.check_name(name, range);
        if names.contains(name) {
            let message = format!("multiple assignments to name '{name}' in pattern");
            self.report(Stage::Code, range, message);
        }
        names.push(name.clone());
    }

    /// `irrefutable` says whether the pattern may match everything.
    fn pattern(&mut self, pattern: &Pattern, irrefutable: bool, names: &mut Names) {
        match pattern {
            Pattern::MatchValue(node) => {
                if matches!(&*node.value, Expr::FString(_) | Expr::TString(_)) {
                    let message = "patterns may only match literals and attribute lookups";
                    self.report(Stage::Code, node.range, message);
                }
                self.expression(&node.value);
            }
            Pattern::MatchSingleton(_) => {}
            Pattern::MatchSequence(node) => {
                let stars = node
                    .patterns
                    .iter()
                    .filter(|pattern| matches!(pattern, Pattern::MatchStar(_)));
                if stars.count() > 1 {
                    let message = "multiple starred names in sequence pattern";
                    self.report(Stage::Code, node.range, message);
                }
                for part in &node.patterns {
                    self.pattern(part, true, names);
                }
            }
            Pattern::MatchMapping(node) => self.mapping(node, names),
            Pattern::MatchClass(node) => self.class_pattern(node, names),
            Pattern::MatchStar(node) => {
                if let Some(name) = &node.name {
                    self.bind(&name.id, node.range, names);
                }
            }
            Pattern::MatchAs(node) => match &node.pattern {
                Some(inner) => {
                    match &node.name {
                        Some(name) if name.as_str() != "_" => {
                            self.pattern(inner, irrefutable, names);
                            self.bind(&name.id, node.range, names);
                        }
                        _ => self.refuse(node.range),
                    };
                }
                None => {
                    if let Some(name) = &node.name {
                        self.bind(&name.id, node.range, names);
                    }
                    if !irrefutable {
                        let what = match &node.name {
                            Some(name) => format!("name capture '{}'", name.as_str()),
                            None => "wildcard".to_owned(),
                        };
                        let message = format!("{what} makes remaining patterns unreachable");
                        self.report(Stage::Code, node.range, message);
                    }
                }
            },
            Pattern::MatchOr(node) => self.alternatives(node, irrefutable, names),
        }
    }

    fn alternatives(&mut self, node: &PatternMatchOr, irrefutable: bool, names: &mut Names) {
        let last = node.patterns.len().saturating_sub(1);
        let before = names.clone();
        let mut first: Option<Names> = None;
        for (index, part) in node.patterns.iter().enumerate() {
            let mut bound = before.clone();
            self.pattern(part, irrefutable && index == last, &mut bound);
            match &first {
                None => first = Some(bound),
                Some(first) => {
                    let same =
                        first.len() == bound.len() && first.iter().all(|name| bound.contains(name));
                    if !same {
                        let message = "alternative patterns bind different names";
                        self.report(Stage::Code, node.range, message);
                    }
                }
            }
        }
        if let Some(first) = first {
            *names = first;
        }
    }

    fn mapping(&mut self, node: &PatternMatchMapping, names: &mut Names) {
        let mut keys: Vec<Key<'_>> = Vec::new();
        for key in &node.keys {
            if let Some(key) = Key::of(key) {
                if keys.contains(&key) {
                    let message = format!("mapping pattern checks duplicate key ({})", key.show());
                    self.report(Stage::Code, node.range, message);
                }
                keys.push(key);
            } else if matches!(key, Expr::FString(_) | Expr::TString(_)) {
                let message = "mapping pattern keys may only match literals and attribute lookups";
                self.report(Stage::Code, node.range, message);
            }
            self.expression(key);
        }
        for part in &node.patterns {
            self.pattern(part, true, names);
        }
        if let Some(rest) = &node.rest {
            if rest.as_str() == "_" {
                self.refuse(rest.range());
            }
            self.bind(&rest.id, node.range, names);
        }
    }

    fn class_pattern(&mut self, node: &PatternMatchClass, names: &mut Names) {
        self.expression(&node.cls);
        let keywords = &node.arguments.keywords;
        for (index, keyword) in keywords.iter().enumerate() {
            let name = &keyword.attr.id;
            self.check_name(name, keyword.pattern.range());
            if keywords[..index].iter().any(|other| other.attr.id == *name) {
                let message = format!("attribute name repeated in class pattern: {name}");
                self.report(Stage::Code, keyword.pattern.range(), message);
            }
        }
        for part in &node.arguments.patterns {
            self.pattern(part, true, names);
        }
        for keyword in keywords {
            self.pattern(&keyword.pattern, true, names);
        }
    }
}

/// A float as `repr` writes it: Rust's shortest digits, with a sign and two digits in the exponent.
fn float_repr(value: f64) -> String {
    let text = format!("{value:?}");
    match text.split_once('e') {
        Some((digits, exponent)) => {
            let (sign, number) = match exponent.strip_prefix('-') {
                Some(number) => ('-', number),
                None => ('+', exponent),
            };
            format!("{digits}e{sign}{number:0>2}")
        }
        None => text,
    }
}

/// A key of a mapping pattern that is a constant.
enum Key<'a> {
    None,
    /// A number or truth value, and how it is written: they may be equal across types.
    Number {
        real: f64,
        imaginary: f64,
        shown: String,
    },
    /// An integer that a float cannot hold.
    Large(String),
    Str(&'a str),
    Bytes(Vec<u8>),
}

impl<'a> Key<'a> {
    fn of(expression: &'a Expr) -> Option<Key<'a>> {
        Some(match expression {
            Expr::NoneLiteral(_) => Key::None,
            Expr::BooleanLiteral(node) => Key::Number {
                real: f64::from(u8::from(node.value)),
                imaginary: 0.0,
                shown: if node.value { "True" } else { "False" }.to_owned(),
            },
            Expr::NumberLiteral(node) => match &node.value {
                Number::Int(value) => {
                    let shown = value.to_string();
                    // An integer that a float holds exactly is equal to that float.
                    let exact = match value.as_u64() {
                        #[expect(clippy::cast_precision_loss, reason = "compared afterwards")]
                        Some(value) => {
                            Some(value as f64).filter(|&real| real as u128 == u128::from(value))
                        }
                        None => shown
                            .parse::<f64>()
                            .ok()
                            .filter(|real| real.is_finite() && format!("{real:.0}") == shown),
                    };
                    match exact {
                        Some(real) => Key::Number {
                            real,
                            imaginary: 0.0,
                            shown,
                        },
                        None => Key::Large(shown),
                    }
                }
                Number::Float(value) => Key::Number {
                    real: *value,
                    imaginary: 0.0,
                    shown: float_repr(*value),
                },
                Number::Complex { real, imag } => Key::Number {
                    real: *real,
                    imaginary: *imag,
                    shown: format!("{imag}j"),
                },
            },
            Expr::UnaryOp(node) if node.op == UnaryOp::USub => match Key::of(&node.operand)? {
                Key::Number {
                    real,
                    imaginary,
                    shown,
                } => Key::Number {
                    real: -real,
                    imaginary: -imaginary,
                    shown: if shown == "0" {
                        shown
                    } else {
                        format!("-{shown}")
                    },
                },
                Key::Large(text) => Key::Large(format!("-{text}")),
                _ => return None,
            },
            Expr::BinOp(node) => {
                let sign = match node.op {
                    Operator::Add => 1.0,
                    Operator::Sub => -1.0,
                    _ => return None,
                };
                match (Key::of(&node.left)?, Key::of(&node.right)?) {
                    (
                        Key::Number { real, shown, .. },
                        Key::Number {
                            imaginary,
                            shown: right,
                            ..
                        },
                    ) => Key::Number {
                        real,
                        imaginary: sign * imaginary,
                        shown: format!("({shown}{}{right})", if sign > 0.0 { '+' } else { '-' }),
                    },
                    _ => return None,
                }
            }
            Expr::StringLiteral(node) => Key::Str(node.value.to_str()),
            Expr::BytesLiteral(node) => Key::Bytes(node.value.bytes().collect()),
            _ => return None,
        })
    }

    /// The key as `repr()` shows it.
    fn show(&self) -> String {
        match self {
            Key::None => "None".to_owned(),
            Key::Number { shown, .. } | Key::Large(shown) => shown.clone(),
            Key::Str(text) => quoted(text.chars()),
            Key::Bytes(bytes) => {
                format!("b{}", quoted(bytes.iter().map(|&byte| char::from(byte))))
            }
        }
    }
}

impl PartialEq for Key<'_> {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Key::None, Key::None) => true,
            (
                Key::Number {
                    real, imaginary, ..
                },
                Key::Number {
                    real: other_real,
                    imaginary: other_imaginary,
                    ..
                },
            ) => real == other_real && imaginary == other_imaginary,
            (Key::Large(text), Key::Large(other)) => text == other,
            // A float of that size is a whole number, and is written out exactly.
            (
                Key::Large(text),
                Key::Number {
                    real, imaginary, ..
                },
            )
            | (
                Key::Number {
                    real, imaginary, ..
                },
                Key::Large(text),
            ) => *imaginary == 0.0 && real.fract() == 0.0 && format!("{real:.0}") == *text,
            (Key::Str(text), Key::Str(other)) => text == other,
            (Key::Bytes(bytes), Key::Bytes(other)) => bytes == other,
            _ => false,
        }
    }
}

/// Text in the quotes that `repr()` would choose.
fn quoted(letters: impl Iterator<Item = char>) -> String {
    let mut body = String::new();
    let (mut single, mut double) = (false, false);
    for letter in letters {
        match letter {
            '\n' => body.push_str("\\n"),
            '\r' => body.push_str("\\r"),
            '\t' => body.push_str("\\t"),
            '\\' => body.push_str("\\\\"),
            _ => {
                single |= letter == '\'';
                double |= letter == '"';
                body.push(letter);
            }
        }
    }
    if single && !double {
        format!("\"{body}\"")
    } else {
        format!("'{}'", body.replace('\'', "\\'"))
    }
}
