//! Node objects of f-strings and t-strings to the frontend's tree.

use super::reader::{Reader, no_index};
use crate::value::Value;
use crate::vm::{R, Vm};
use coldframe_compiler::code::Const;
use coldframe_frontend::ast::{
    self, ConversionFlag, Expr, InterpolatedStringElement, InterpolatedStringElements, TextRange,
};

impl Reader {
    /// `JoinedStr`, `TemplateStr`, or a replacement field that stands alone.
    pub(super) fn joined(
        &mut self,
        vm: &mut Vm,
        node: &Value,
        kind: &str,
        range: TextRange,
    ) -> R<Expr> {
        let template = matches!(kind, "TemplateStr" | "Interpolation");
        let elements = if matches!(kind, "JoinedStr" | "TemplateStr") {
            let values = self.items(vm, node, "values", kind)?;
            self.elements(vm, &values)?
        } else {
            let element = self.replacement(vm, node, kind, range)?;
            vec![InterpolatedStringElement::Interpolation(element)].into()
        };
        let node_index = no_index();
        Ok(if template {
            Expr::TString(ast::ExprTString {
                node_index,
                range,
                value: ast::TStringValue::single(ast::TString {
                    range,
                    node_index: no_index(),
                    elements,
                    flags: ast::TStringFlags::empty(),
                }),
            })
        } else {
            Expr::FString(ast::ExprFString {
                node_index,
                range,
                value: ast::FStringValue::single(ast::FString {
                    range,
                    node_index: no_index(),
                    elements,
                    flags: ast::FStringFlags::empty(),
                }),
            })
        })
    }

    fn elements(&mut self, vm: &mut Vm, values: &[Value]) -> R<InterpolatedStringElements> {
        let mut out = Vec::with_capacity(values.len());
        for value in values {
            if value.is_none() {
                return Err(vm.value_error("None disallowed in expression list"));
            }
            let kind = self.expect(vm, value, "expr")?;
            let range = self.range(vm, value, "expr")?;
            if matches!(&*kind, "FormattedValue" | "Interpolation") {
                let element = self.replacement(vm, value, &kind, range)?;
                out.push(InterpolatedStringElement::Interpolation(element));
                continue;
            }
            // Literal text; anything else is formatted as it is.
            let expression = self.expression(vm, value, "Load")?;
            out.push(match expression {
                Expr::StringLiteral(text) => {
                    InterpolatedStringElement::Literal(ast::InterpolatedStringLiteralElement {
                        range,
                        node_index: no_index(),
                        value: text.value.to_str().into(),
                    })
                }
                other => InterpolatedStringElement::Interpolation(ast::InterpolatedElement {
                    range,
                    node_index: no_index(),
                    expression: Box::new(other),
                    debug_text: None,
                    conversion: ConversionFlag::None,
                    format_spec: None,
                }),
            });
        }
        Ok(out.into())
    }

    fn replacement(
        &mut self,
        vm: &mut Vm,
        node: &Value,
        kind: &str,
        range: TextRange,
    ) -> R<ast::InterpolatedElement> {
        let expression = self.child(vm, node, "value", kind, "Load")?;
        let conversion = self.required(vm, node, "conversion", kind)?;
        let conversion = match self.number(vm, &conversion)? {
            -1 => ConversionFlag::None,
            115 => ConversionFlag::Str,
            114 => ConversionFlag::Repr,
            97 => ConversionFlag::Ascii,
            other => {
                return Err(vm.system_error(format!("Unrecognized conversion character {other}")));
            }
        };
        let format_spec = match self.field(vm, node, "format_spec")? {
            None => None,
            Some(spec) => {
                let place = self.range(vm, &spec, "expr")?;
                let elements = if &*self.expect(vm, &spec, "expr")? == "JoinedStr" {
                    let values = self.items(vm, &spec, "values", "JoinedStr")?;
                    self.nested(vm, "expr", |this, vm| this.elements(vm, &values))?
                } else {
                    self.elements(vm, &[spec])?
                };
                Some(Box::new(ast::InterpolatedStringFormatSpec {
                    range: place,
                    node_index: no_index(),
                    elements,
                }))
            }
        };
        let debug_text = if kind == "Interpolation" {
            let text = self.required(vm, node, "str", kind)?;
            let text = match self.constant(vm, &text)? {
                Const::Str(text) => String::from_utf8_lossy(&text).into_owned(),
                _ => return Err(vm.type_error("Interpolation field \"str\" must be a str")),
            };
            // The compiler's mark for a text that is not read from the source.
            Some(ast::DebugText {
                leading: format!("\0{text}"),
                trailing: String::new(),
            })
        } else {
            None
        };
        Ok(ast::InterpolatedElement {
            range,
            node_index: no_index(),
            expression,
            debug_text,
            conversion,
            format_spec,
        })
    }
}
