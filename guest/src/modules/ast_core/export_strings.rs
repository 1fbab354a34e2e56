//! String literals, f-strings and t-strings as node objects: neighbouring literals are joined, as CPython joins them.

use super::maker::Maker;
use crate::objects::list::List;
use crate::objects::string::Str;
use crate::value::Value;
use crate::vm::{R, Vm};
use coldframe_frontend::ast::{
    self, ConversionFlag, FStringPart, InterpolatedStringElement, InterpolatedStringElements,
    TextRange, TextSize,
};
use coldframe_frontend::literal;

/// A piece of a joined string.
enum Piece<'a> {
    Text(Vec<u8>, TextRange, bool),
    Value(&'a ast::InterpolatedElement, bool),
}

fn push<'a>(pieces: &mut Vec<Piece<'a>>, text: &[u8], range: TextRange, unicode: bool) {
    match pieces.last_mut() {
        Some(Piece::Text(last, whole, _)) => {
            last.extend_from_slice(text);
            *whole = TextRange::new(whole.start(), range.end().max(whole.start()));
        }
        _ => pieces.push(Piece::Text(text.to_vec(), range, unicode)),
    }
}

fn conversion(element: &ast::InterpolatedElement) -> i64 {
    match element.conversion {
        ConversionFlag::None if element.debug_text.is_some() && element.format_spec.is_none() => {
            i64::from(b'r')
        }
        ConversionFlag::None => -1,
        ConversionFlag::Str => i64::from(b's'),
        ConversionFlag::Repr => i64::from(b'r'),
        ConversionFlag::Ascii => i64::from(b'a'),
    }
}

fn kind(unicode: bool) -> Value {
    if unicode {
        Str::value("u")
    } else {
        Value::NONE
    }
}

impl Maker<'_> {
    pub(super) fn string_literal(&mut self, vm: &mut Vm, expr: &ast::ExprStringLiteral) -> R {
        let mut text = Vec::new();
        for part in &expr.value {
            text.extend_from_slice(&literal::string_value(self.source(), part));
        }
        let value = Value::from_ref(Str::from_wtf8(&text));
        let kind = kind(expr.value.is_unicode());
        self.at(
            vm,
            "Constant",
            expr.range,
            [("value", value), ("kind", kind)],
        )
    }

    pub(super) fn f_string(&mut self, vm: &mut Vm, expr: &ast::ExprFString) -> R {
        let mut pieces = Vec::new();
        for part in &expr.value {
            match part {
                FStringPart::Literal(part) => {
                    let text = literal::string_value(self.source(), part);
                    push(
                        &mut pieces,
                        &text,
                        part.range,
                        part.flags.prefix().is_unicode(),
                    );
                }
                FStringPart::FString(part) => {
                    let raw = part.flags.prefix().is_raw();
                    self.pieces(&part.elements, raw, &mut pieces);
                }
            }
        }
        let values = self.piece_nodes(vm, pieces, false)?;
        self.at(vm, "JoinedStr", expr.range, [("values", values)])
    }

    pub(super) fn t_string(&mut self, vm: &mut Vm, expr: &ast::ExprTString) -> R {
        let mut pieces = Vec::new();
        for part in expr.value.iter() {
            self.pieces(&part.elements, part.flags.prefix().is_raw(), &mut pieces);
        }
        let values = self.piece_nodes(vm, pieces, true)?;
        self.at(vm, "TemplateStr", expr.range, [("values", values)])
    }

    fn pieces<'a>(
        &self,
        elements: &'a InterpolatedStringElements,
        raw: bool,
        pieces: &mut Vec<Piece<'a>>,
    ) {
        for element in elements {
            match element {
                InterpolatedStringElement::Literal(part) => {
                    let text = literal::interpolated_value(self.source(), part, raw);
                    push(pieces, &text, part.range, false);
                }
                InterpolatedStringElement::Interpolation(value) => {
                    if let Some(debug) = &value.debug_text {
                        let start = value.range.start() + TextSize::from(1);
                        let text = self.debug_text(value, debug);
                        let end = start + TextSize::of(text.as_str());
                        push(pieces, text.as_bytes(), TextRange::new(start, end), false);
                    }
                    pieces.push(Piece::Value(value, raw));
                }
            }
        }
    }

    fn debug_text(&self, value: &ast::InterpolatedElement, debug: &ast::DebugText) -> String {
        use coldframe_frontend::ast::Ranged;
        let range = value.expression.range().to_std_range();
        let inner = self.source().get(range).unwrap_or_default();
        coldframe_compiler::without_comments(format!("{}{inner}{}", debug.leading, debug.trailing))
    }

    fn piece_nodes(&mut self, vm: &mut Vm, pieces: Vec<Piece<'_>>, template: bool) -> R {
        let mut nodes = Vec::with_capacity(pieces.len());
        for piece in pieces {
            nodes.push(match piece {
                Piece::Text(text, ..) if text.is_empty() => continue,
                Piece::Text(text, range, unicode) => {
                    let value = Value::from_ref(Str::from_wtf8(&text));
                    let kind = kind(unicode);
                    self.at(vm, "Constant", range, [("value", value), ("kind", kind)])?
                }
                Piece::Value(element, raw) => self.field(vm, element, raw, template)?,
            });
        }
        Ok(List::value(nodes))
    }

    /// A replacement field.
    fn field(
        &mut self,
        vm: &mut Vm,
        element: &ast::InterpolatedElement,
        raw: bool,
        template: bool,
    ) -> R {
        let value = self.expression(vm, &element.expression)?;
        let format_spec = match &element.format_spec {
            None => Value::NONE,
            Some(spec) => {
                let mut pieces = Vec::new();
                self.pieces(&spec.elements, raw, &mut pieces);
                let values = vm.recurse(" during ast construction", |vm| {
                    self.piece_nodes(vm, pieces, false)
                })?;
                // The colon counts.
                let colon = spec.range.start().to_u32().saturating_sub(1);
                let start = if self.source().as_bytes().get(colon as usize) == Some(&b':') {
                    TextSize::from(colon)
                } else {
                    spec.range.start()
                };
                let range = TextRange::new(start, spec.range.end());
                self.at(vm, "JoinedStr", range, [("values", values)])?
            }
        };
        let conversion = Value::int(conversion(element));
        if template {
            let text = coldframe_compiler::interpolation_text(self.source(), element);
            self.at(
                vm,
                "Interpolation",
                element.range,
                [
                    ("value", value),
                    ("str", Str::value(&text)),
                    ("conversion", conversion),
                    ("format_spec", format_spec),
                ],
            )
        } else {
            self.at(
                vm,
                "FormattedValue",
                element.range,
                [
                    ("value", value),
                    ("conversion", conversion),
                    ("format_spec", format_spec),
                ],
            )
        }
    }
}
