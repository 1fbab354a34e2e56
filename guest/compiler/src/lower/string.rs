//! String literals, f-strings and t-strings.

use coldframe_frontend::ast::{
    self, ConversionFlag, FStringPart, InterpolatedStringElement, InterpolatedStringElements,
    Ranged,
};

use super::{Compiler, Operand, Outcome, range_span, span};
use crate::code::{Const, Span};
use crate::literal;
use crate::op::{DB, Instr, Op};

/// A piece of an f-string.
enum Piece<'a> {
    Text(Vec<u8>),
    Value(&'a ast::InterpolatedElement, bool),
}

impl<'a> Compiler<'a> {
    pub(super) fn string_constant(&self, literal: &ast::ExprStringLiteral) -> Const {
        let mut text = Vec::new();
        for part in &literal.value {
            self.literal_text(part, &mut text);
        }
        Const::Str(text.into())
    }

    /// The text of one literal; surrogates, which the parser cannot hold, are read again from the source.
    fn literal_text(&self, part: &ast::StringLiteral, text: &mut Vec<u8>) {
        if part.value.contains('\u{fffd}') && !part.flags.prefix().is_raw() {
            let range = part.content_range().to_std_range();
            let source = self.lines.source().get(range).unwrap_or_default();
            literal::decode(source, &part.value, text);
        } else {
            text.extend_from_slice(part.value.as_bytes());
        }
    }

    fn element_text(
        &self,
        part: &ast::InterpolatedStringLiteralElement,
        raw: bool,
        text: &mut Vec<u8>,
    ) {
        if part.value.contains('\u{fffd}') && !raw {
            let range = part.range.to_std_range();
            let source = self.lines.source().get(range).unwrap_or_default();
            let source = source.replace("{{", "{").replace("}}", "}");
            literal::decode(&source, &part.value, text);
        } else {
            text.extend_from_slice(part.value.as_bytes());
        }
    }

    // ---- f-strings

    pub(super) fn f_string(&mut self, expr: &'a ast::ExprFString, dst: u16) -> Outcome<Operand> {
        let mut pieces = Vec::new();
        for part in &expr.value {
            match part {
                FStringPart::Literal(literal) => {
                    let mut text = Vec::new();
                    self.literal_text(literal, &mut text);
                    push_text(&mut pieces, text);
                }
                FStringPart::FString(string) => {
                    let raw = string.flags.prefix().is_raw();
                    self.pieces(&string.elements, raw, &mut pieces);
                }
            }
        }
        self.join(pieces, dst, span(expr))
    }

    fn pieces(
        &self,
        elements: &'a InterpolatedStringElements,
        raw: bool,
        pieces: &mut Vec<Piece<'a>>,
    ) {
        for element in elements {
            match element {
                InterpolatedStringElement::Literal(literal) => {
                    let mut text = Vec::new();
                    self.element_text(literal, raw, &mut text);
                    push_text(pieces, text);
                }
                InterpolatedStringElement::Interpolation(value) => {
                    if let Some(debug) = self.debug_text(value) {
                        push_text(pieces, debug.into_bytes());
                    }
                    pieces.push(Piece::Value(value, raw));
                }
            }
        }
    }

    /// The text that `=` in an interpolation shows.
    fn debug_text(&self, value: &ast::InterpolatedElement) -> Option<String> {
        let debug = debug_of(value)?;
        let range = value.expression.range().to_std_range();
        let source = self.lines.source().get(range).unwrap_or_default();
        let text = format!("{}{source}{}", debug.leading, debug.trailing);
        Some(literal::without_comments(text))
    }

    /// Joins the pieces into `R[dst]`, unless they are a constant.
    fn join(&mut self, mut pieces: Vec<Piece<'a>>, dst: u16, range: Span) -> Outcome<Operand> {
        match pieces.len() {
            0 => return Ok(Operand::Const(Const::Str(Box::default()))),
            1 => {
                if let Some(piece) = pieces.pop() {
                    return match piece {
                        Piece::Text(text) => Ok(Operand::Const(Const::Str(text.into()))),
                        Piece::Value(value, raw) => {
                            self.format_value(value, raw, dst)?;
                            Ok(Operand::Reg(dst))
                        }
                    };
                }
            }
            _ => {}
        }
        let mark = self.unit.regs.mark();
        // More pieces than registers for them: joined in groups.
        const GROUP: usize = 64;
        if pieces.len() > GROUP {
            let first = self.unit.regs.mark();
            let mut count = 0;
            while !pieces.is_empty() {
                let rest = pieces.split_off(pieces.len().min(GROUP));
                let register = self.unit.regs.alloc();
                let joined = self.join(pieces, register, range)?;
                self.move_to(joined, register, range);
                pieces = rest;
                count += 1;
            }
            self.emit(Op::BuildString, 0, dst, first, count, range);
            self.unit.regs.reset(mark);
            return Ok(Operand::Reg(dst));
        }
        let count = pieces.len() as u16;
        for piece in pieces {
            let register = self.unit.regs.alloc();
            match piece {
                Piece::Text(text) => self.load_const(register, Const::Str(text.into()), range),
                Piece::Value(value, raw) => self.format_value(value, raw, register)?,
            }
        }
        self.emit(Op::BuildString, 0, dst, mark, count, range);
        self.unit.regs.reset(mark);
        Ok(Operand::Reg(dst))
    }

    fn format_value(
        &mut self,
        value: &'a ast::InterpolatedElement,
        raw: bool,
        dst: u16,
    ) -> Outcome {
        let mark = self.unit.regs.mark();
        let range = range_span(value.range);
        let sub = self.sub_hint(dst);
        let register = self.expr_reg(&value.expression, sub)?;
        let conversion = match value.conversion {
            ConversionFlag::None if debug_of(value).is_some() && value.format_spec.is_none() => 2,
            ConversionFlag::None => 0,
            ConversionFlag::Str => 1,
            ConversionFlag::Repr => 2,
            ConversionFlag::Ascii => 3,
        };
        let x = self.take(register, dst, DB);
        match &value.format_spec {
            None => self.emit(Op::FormatValue, x, dst, register, conversion, range),
            Some(spec) => {
                let mut pieces = Vec::new();
                self.pieces(&spec.elements, raw, &mut pieces);
                let spec_register = self.unit.regs.alloc();
                let joined = self.join(pieces, spec_register, range)?;
                self.move_to(joined, spec_register, range);
                self.unit.code.emit_ext(
                    Instr::new(Op::FormatValue, x, dst, register, conversion | 4),
                    i32::from(spec_register),
                    range,
                );
            }
        }
        self.unit.regs.reset(mark);
        Ok(())
    }

    // ---- t-strings

    pub(super) fn t_string(&mut self, expr: &'a ast::ExprTString, dst: u16) -> Outcome {
        let range = span(expr);
        let mark = self.unit.regs.mark();
        let mut strings: Vec<Vec<u8>> = vec![Vec::new()];
        let mut values = Vec::new();
        for string in expr.value.iter() {
            let raw = string.flags.prefix().is_raw();
            for element in &string.elements {
                let last = strings.len() - 1;
                match element {
                    InterpolatedStringElement::Literal(literal) => {
                        self.element_text(literal, raw, &mut strings[last]);
                    }
                    InterpolatedStringElement::Interpolation(value) => {
                        if let Some(debug) = self.debug_text(value) {
                            strings[last].extend_from_slice(debug.as_bytes());
                        }
                        values.push((value, raw));
                        strings.push(Vec::new());
                    }
                }
            }
        }
        let pair = self.unit.regs.block(2);
        let strings = strings
            .into_iter()
            .map(|text| Const::Str(text.into()))
            .collect();
        self.load_const(pair, Const::Tuple(strings), range);
        let inner = self.unit.regs.mark();
        if values.len() <= 32 {
            for (value, raw) in &values {
                let register = self.unit.regs.alloc();
                self.interpolation(value, *raw, register)?;
            }
            self.emit(
                Op::BuildTuple,
                0,
                pair + 1,
                inner,
                values.len() as u16,
                range,
            );
        } else {
            self.emit(Op::BuildList, 0, pair + 1, 0, 0, range);
            for (value, raw) in &values {
                let register = self.unit.regs.alloc();
                self.interpolation(value, *raw, register)?;
                self.emit(Op::ListAppend, DB, pair + 1, register, 0, range);
                self.unit.regs.reset(inner);
            }
            self.emit(Op::ListToTuple, 0, pair + 1, pair + 1, 0, range);
        }
        self.emit(Op::BuildTemplate, 0, dst, pair, 0, range);
        self.unit.regs.reset(mark);
        Ok(())
    }

    fn interpolation(
        &mut self,
        value: &'a ast::InterpolatedElement,
        raw: bool,
        dst: u16,
    ) -> Outcome {
        let mark = self.unit.regs.mark();
        let range = range_span(value.range);
        let window = self.unit.regs.block(4);
        self.expr_to(&value.expression, window)?;
        let text = interpolation_text(self.lines.source(), value);
        self.load_const(window + 1, Const::Str(text.into_bytes().into()), range);
        let conversion = match value.conversion {
            ConversionFlag::None if debug_of(value).is_some() && value.format_spec.is_none() => {
                Some("r")
            }
            ConversionFlag::None => None,
            ConversionFlag::Str => Some("s"),
            ConversionFlag::Repr => Some("r"),
            ConversionFlag::Ascii => Some("a"),
        };
        let conversion = match conversion {
            Some(text) => Const::Str(text.as_bytes().into()),
            None => Const::None,
        };
        self.load_const(window + 2, conversion, range);
        let mut pieces = Vec::new();
        if let Some(spec) = &value.format_spec {
            self.pieces(&spec.elements, raw, &mut pieces);
        }
        let joined = self.join(pieces, window + 3, range)?;
        self.move_to(joined, window + 3, range);
        self.emit(Op::BuildInterpolation, 0, dst, window, 0, range);
        self.unit.regs.reset(mark);
        Ok(())
    }

    /// The text of a documentation string.
    pub(super) fn docstring_text(&self, literal: &ast::ExprStringLiteral) -> Const {
        match self.string_constant(literal) {
            Const::Str(text) => Const::Str(literal::clean_doc(&text).into()),
            other => other,
        }
    }
}

/// The text that `=` asks for. In a tree that was not made from source, a leading NUL marks something else: see
/// [`interpolation_text`].
fn debug_of(value: &ast::InterpolatedElement) -> Option<&ast::DebugText> {
    value
        .debug_text
        .as_ref()
        .filter(|debug| !debug.leading.starts_with('\0'))
}

/// The source text of an interpolated expression of a t-string, with its parentheses. A tree that was not made from source carries
/// it in the debug text, behind a NUL (which no source contains).
pub fn interpolation_text(source: &str, value: &ast::InterpolatedElement) -> String {
    if let Some(debug) = &value.debug_text
        && let Some(text) = debug.leading.strip_prefix('\0')
    {
        return text.to_owned();
    }
    let from = value.range.start().to_usize() + 1;
    let mut to = value.expression.range().end().to_usize();
    // Closing parentheses of the expression belong to it.
    let rest = source
        .get(to..value.range.end().to_usize())
        .unwrap_or_default();
    for (offset, char) in rest.char_indices() {
        match char {
            ')' => to = value.expression.range().end().to_usize() + offset + 1,
            char if char.is_whitespace() => {}
            _ => break,
        }
    }
    source.get(from..to).unwrap_or_default().trim().to_owned()
}

fn push_text(pieces: &mut Vec<Piece<'_>>, text: Vec<u8>) {
    if text.is_empty() {
        return;
    }
    if let Some(Piece::Text(last)) = pieces.last_mut() {
        last.extend_from_slice(&text);
    } else {
        pieces.push(Piece::Text(text));
    }
}
