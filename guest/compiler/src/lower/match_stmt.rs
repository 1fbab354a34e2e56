//! `match`.
//!
//! What a pattern captures waits in registers of its own until the whole pattern has matched. A failing pattern jumps to the label of the
//! next case, which drops everything above the registers that are there at its start.

use coldframe_frontend::ast::{self, CmpOp, Pattern, Singleton};

use super::{Compiler, Operand, Outcome, span};
use crate::assemble::Label;
use crate::code::Const;
use crate::op::{DA, DB, Instr, KC, Op};

/// The state of one case.
struct Case {
    /// Captured names and the registers that hold the values.
    captures: Vec<(String, u16)>,
    /// How many of them the pattern has stored so far.
    stored: Vec<String>,
    fail: Label,
}

impl<'a> Compiler<'a> {
    pub(super) fn match_stmt(&mut self, stmt: &'a ast::StmtMatch) -> Outcome {
        let mark = self.unit.regs.mark();
        let range = span(&*stmt.subject);
        let end = self.unit.code.label();
        let subject = self.unit.regs.alloc();
        self.expr_to(&stmt.subject, subject)?;
        let last = stmt.cases.len().saturating_sub(1);
        for (index, case) in stmt.cases.iter().enumerate() {
            if index < last && case.guard.is_none() {
                self.check_reachable_after(&case.pattern)?;
            }
            let inner = self.unit.regs.mark();
            let watched = self.unit.regs.watch();
            let fail = self.unit.code.label();
            let mut names = Vec::new();
            captured_names(&case.pattern, &mut names);
            let mut state = Case {
                captures: Vec::new(),
                stored: Vec::new(),
                fail,
            };
            for name in names {
                if !state.captures.iter().any(|(known, _)| *known == name) {
                    let register = self.unit.regs.alloc();
                    state.captures.push((name.to_owned(), register));
                }
            }
            self.pattern(&case.pattern, subject, &mut state)?;
            let at = span(&case.pattern);
            for (name, register) in &state.captures {
                let sym = self.sym(name);
                self.store(sym, Operand::Reg(*register), at)?;
            }
            self.unit.regs.reset(inner);
            if let Some(guard) = &case.guard {
                self.jump_if(guard, fail, false)?;
            }
            self.clear(subject, 1, range);
            self.body(&case.body)?;
            self.unit.code.jump(end, at);
            let top = self.unit.regs.unwatch(watched);
            if self.unit.code.used(fail) {
                self.unit.code.place(fail);
                self.clear(inner, top.saturating_sub(inner), at);
            }
        }
        self.clear(subject, 1, range);
        self.unit.code.place(end);
        self.unit.regs.reset(mark);
        Ok(())
    }

    /// Only the last case, and the last alternative, may match anything.
    fn check_reachable_after(&self, pattern: &'a Pattern) -> Outcome {
        match pattern {
            Pattern::MatchAs(ast::PatternMatchAs {
                pattern: None,
                name: Some(name),
                range,
                ..
            }) => self.error(
                format!("name capture '{name}' makes remaining patterns unreachable"),
                *range,
            ),
            Pattern::MatchAs(ast::PatternMatchAs {
                pattern: None,
                name: None,
                range,
                ..
            }) => self.error("wildcard makes remaining patterns unreachable", *range),
            Pattern::MatchAs(ast::PatternMatchAs {
                pattern: Some(pattern),
                ..
            }) => self.check_reachable_after(pattern),
            Pattern::MatchOr(pattern) => match pattern.patterns.last() {
                Some(last) => self.check_reachable_after(last),
                None => Ok(()),
            },
            _ => Ok(()),
        }
    }

    /// Matches the value in a register, which stays, against a pattern; on failure jumps to the case's label.
    fn pattern(&mut self, pattern: &'a Pattern, value: u16, case: &mut Case) -> Outcome {
        let mark = self.unit.regs.mark();

        match pattern {
            Pattern::MatchValue(_) | Pattern::MatchSingleton(_) => {
                self.value_jump(pattern, value, case.fail, false)?;
            }
            Pattern::MatchSequence(pattern) => self.sequence(pattern, value, case)?,
            Pattern::MatchMapping(pattern) => self.mapping(pattern, value, case)?,
            Pattern::MatchClass(pattern) => self.class_pattern(pattern, value, case)?,
            Pattern::MatchStar(pattern) => {
                if let Some(name) = &pattern.name {
                    self.capture_value(name, value, case)?;
                }
            }
            Pattern::MatchAs(pattern) => {
                if let Some(inner) = &pattern.pattern {
                    self.pattern(inner, value, case)?;
                }
                if let Some(name) = &pattern.name {
                    self.capture_value(name, value, case)?;
                }
            }
            Pattern::MatchOr(pattern) => self.alternatives(pattern, value, case)?,
        }
        self.unit.regs.reset(mark);
        Ok(())
    }

    /// Jumps when the value in a register equals a value pattern, or is the singleton (`when`), or when not.
    fn value_jump(
        &mut self,
        pattern: &'a Pattern,
        value: u16,
        target: Label,
        when: bool,
    ) -> Outcome {
        let range = span(pattern);
        let kept = (Operand::Reg(value), 0);
        match pattern {
            Pattern::MatchValue(pattern) => {
                let expected = self.expr(&pattern.value, None)?;
                self.compare_jump(CmpOp::Eq, kept, (expected, DB), target, when, range);
            }
            Pattern::MatchSingleton(pattern) => match pattern.value {
                Singleton::None => {
                    let op = if when {
                        Op::JumpIfNone
                    } else {
                        Op::JumpIfNotNone
                    };
                    self.unit.code.jump_if(op, 0, value, target, range);
                }
                Singleton::True | Singleton::False => {
                    let constant = Const::Bool(pattern.value == Singleton::True);
                    let expected = (Operand::Const(constant), 0);
                    self.compare_jump(CmpOp::Is, kept, expected, target, when, range);
                }
            },
            _ => {}
        }
        Ok(())
    }

    /// Keeps a copy of the value for a name.
    fn capture_value(&mut self, name: &'a ast::Identifier, value: u16, case: &mut Case) -> Outcome {
        if case.stored.iter().any(|stored| stored == name.as_str()) {
            let text = format!("multiple assignments to name '{name}' in pattern");
            return self.error(text, name.range);
        }
        case.stored.push(name.as_str().to_owned());
        let register = case
            .captures
            .iter()
            .find(|(known, _)| known == name.as_str());
        if let Some(&(_, register)) = register {
            self.emit(Op::Move, 0, register, value, 0, span(name));
        }
        Ok(())
    }

    fn alternatives(
        &mut self,
        pattern: &'a ast::PatternMatchOr,
        value: u16,
        case: &mut Case,
    ) -> Outcome {
        let range = span(pattern);
        let matched = self.unit.code.label();
        let outer_fail = case.fail;
        let before = case.stored.clone();
        let mut bound: Option<Vec<String>> = None;
        let last = pattern.patterns.len().saturating_sub(1);
        for (index, alternative) in pattern.patterns.iter().enumerate() {
            if index < last {
                self.check_reachable_after(alternative)?;
            }
            let simple = matches!(
                alternative,
                Pattern::MatchValue(_) | Pattern::MatchSingleton(_)
            );
            if simple && index < last && bound.as_ref().is_none_or(Vec::is_empty) {
                bound = Some(Vec::new());
                let inner = self.unit.regs.mark();
                self.value_jump(alternative, value, matched, true)?;
                self.unit.regs.reset(inner);
                continue;
            }
            let inner = self.unit.regs.mark();
            let watched = self.unit.regs.watch();
            let next = if index == last {
                outer_fail
            } else {
                self.unit.code.label()
            };
            case.fail = next;
            case.stored.clone_from(&before);
            self.pattern(alternative, value, case)?;
            let mut names = case.stored[before.len()..].to_vec();
            names.sort_unstable();
            match &bound {
                Some(expected) if *expected != names => {
                    return self.error("alternative patterns bind different names", pattern.range);
                }
                _ => bound = Some(names),
            }
            let top = self.unit.regs.unwatch(watched);
            if index < last {
                self.unit.code.jump(matched, range);
                self.unit.code.place(next);
                // What the alternative had unpacked goes; its captures are overwritten.
                self.clear(inner, top.saturating_sub(inner), range);
            }
        }
        case.fail = outer_fail;
        self.unit.code.place(matched);
        Ok(())
    }

    fn sequence(
        &mut self,
        pattern: &'a ast::PatternMatchSequence,
        value: u16,
        case: &mut Case,
    ) -> Outcome {
        let range = span(pattern);
        let patterns = &pattern.patterns;
        let stars = patterns.iter().filter(|part| part.is_match_star()).count();
        if stars > 1 {
            return self.error("multiple starred names in sequence pattern", pattern.range);
        }
        let star = patterns.iter().position(Pattern::is_match_star);
        let test = self.unit.regs.alloc();
        self.emit(Op::MatchSequence, 0, test, value, 0, range);
        self.unit
            .code
            .jump_if(Op::JumpIfFalse, DA, test, case.fail, range);
        let count = patterns.len() - stars;
        let only_star = star.is_some() && count == 0;
        if !only_star {
            self.emit(Op::GetLen, 0, test, value, 0, range);
            let op = if star.is_some() {
                CmpOp::GtE
            } else {
                CmpOp::Eq
            };
            let expected = Operand::Const(Const::Int(count as i64));
            let length = (Operand::Reg(test), DA);
            self.compare_jump(op, length, (expected, 0), case.fail, false, range);
        }
        if patterns.iter().all(wildcard) {
            return Ok(());
        }
        let unnamed_star = star.is_some_and(|index| wildcard(&patterns[index]));
        if unnamed_star {
            // Elements are fetched one by one: the starred part is not needed.
            let length = test;
            for (index, part) in patterns.iter().enumerate() {
                if wildcard(part) {
                    continue;
                }
                let item = self.unit.regs.alloc();
                if star.is_some_and(|star| index < star) {
                    let position = Operand::Const(Const::Int(index as i64));
                    let (c, x) = self.rk(position, item, KC, 0, range);
                    self.emit(Op::Subscr, x, item, value, c, range);
                } else {
                    self.emit(Op::GetLen, 0, length, value, 0, range);
                    let back = Operand::Const(Const::Int((patterns.len() - index) as i64));
                    self.binary_into(Op::Sub, 0, length, Operand::Reg(length), back, range);
                    self.emit(Op::Subscr, crate::op::DC, item, value, length, range);
                }
                self.pattern_taking(part, item, case)?;
                self.unit.regs.reset(item);
            }
            return Ok(());
        }
        let total = patterns.len();
        let (op, c) = match star {
            Some(before) => {
                let after = total - before - 1;
                if before > 255 || after > 255 {
                    return self.error(
                        "too many expressions in star-unpacking sequence pattern",
                        pattern.range,
                    );
                }
                (Op::UnpackEx, (before | after << 8) as u16)
            }
            None => (Op::Unpack, total.min(usize::from(u16::MAX)) as u16),
        };
        self.unit.regs.reset(test);
        let first = self
            .unit
            .regs
            .block(total.min(usize::from(u16::MAX)) as u16);
        self.emit(op, 0, first, value, c, range);
        self.parts(patterns.iter(), first, case)
    }

    /// Matches the values in registers that follow each other, and drops them.
    fn parts(
        &mut self,
        patterns: impl Iterator<Item = &'a Pattern>,
        first: u16,
        case: &mut Case,
    ) -> Outcome {
        for (offset, part) in patterns.enumerate() {
            self.pattern_taking(part, first + offset as u16, case)?;
        }
        Ok(())
    }

    /// Matches a value that nobody needs afterwards.
    fn pattern_taking(&mut self, pattern: &'a Pattern, value: u16, case: &mut Case) -> Outcome {
        let name = match pattern {
            Pattern::MatchAs(ast::PatternMatchAs {
                pattern: None,
                name,
                ..
            })
            | Pattern::MatchStar(ast::PatternMatchStar { name, .. }) => name.as_ref(),
            _ => None,
        };
        let register = name.and_then(|name| {
            let known = case
                .captures
                .iter()
                .find(|(known, _)| known == name.as_str())?;
            Some((name, known.1))
        });
        match register {
            Some((name, register)) if !case.stored.iter().any(|stored| stored == name.as_str()) => {
                case.stored.push(name.as_str().to_owned());
                self.emit(Op::Take, 0, register, value, 0, span(name));
            }
            _ => {
                self.pattern(pattern, value, case)?;
                self.clear(value, 1, span(pattern));
            }
        }
        Ok(())
    }

    fn mapping(
        &mut self,
        pattern: &'a ast::PatternMatchMapping,
        value: u16,
        case: &mut Case,
    ) -> Outcome {
        let range = span(pattern);
        let test = self.unit.regs.alloc();
        self.emit(Op::MatchMapping, 0, test, value, 0, range);
        self.unit
            .code
            .jump_if(Op::JumpIfFalse, DA, test, case.fail, range);
        self.unit.regs.reset(test);
        let count = pattern.keys.len();
        if count == 0 && pattern.rest.is_none() {
            return Ok(());
        }
        let keys = self.unit.regs.alloc();
        if count > 0 {
            let length = self.unit.regs.alloc();
            self.emit(Op::GetLen, 0, length, value, 0, range);
            let expected = Operand::Const(Const::Int(count as i64));
            let length = (Operand::Reg(length), DA);
            self.compare_jump(CmpOp::GtE, length, (expected, 0), case.fail, false, range);
            self.unit.regs.reset(keys + 1);
        }
        match self.constants(&pattern.keys) {
            Some(items) => {
                for (index, item) in items.iter().enumerate() {
                    let item = crate::constant::ConstKey(item.clone());
                    let repeated = items[..index]
                        .iter()
                        .any(|other| crate::constant::ConstKey(other.clone()) == item);
                    if repeated {
                        let text = format!(
                            "mapping pattern checks duplicate key ({})",
                            crate::unparse::annotation(&pattern.keys[index], self.lines.source())
                        );
                        return self.error(text, pattern.range);
                    }
                }
                self.load_const(keys, Const::Tuple(items), range);
            }
            None => self.tuple_into(&pattern.keys, keys, range)?,
        }
        if count > 0 {
            let values = self.unit.regs.alloc();
            self.emit(Op::MatchKeys, 0, values, value, keys, range);
            self.unit
                .code
                .jump_if(Op::JumpIfNone, 0, values, case.fail, range);
            let first = self
                .unit
                .regs
                .block(count.min(usize::from(u16::MAX)) as u16);
            self.emit(Op::Unpack, DB, first, values, count as u16, range);
            self.parts(pattern.patterns.iter(), first, case)?;
        }
        if let Some(name) = &pattern.rest {
            let rest = self.unit.regs.alloc();
            self.emit(Op::MatchRest, 0, rest, value, keys, range);
            self.capture_value(name, rest, case)?;
            self.clear(rest, 1, range);
        }
        self.clear(keys, 1, range);
        Ok(())
    }

    fn class_pattern(
        &mut self,
        pattern: &'a ast::PatternMatchClass,
        value: u16,
        case: &mut Case,
    ) -> Outcome {
        let range = span(pattern);
        let positional = &pattern.arguments.patterns;
        let keywords = &pattern.arguments.keywords;
        let count = positional.len() + keywords.len();
        let Ok(positional_count) = u8::try_from(positional.len()) else {
            return self.error("too many sub-patterns in class pattern", pattern.range);
        };
        let names = keywords
            .iter()
            // Attribute names of patterns are not mangled.
            .map(|keyword| Const::Str(keyword.attr.as_str().as_bytes().into()))
            .collect();
        let values = self.unit.regs.alloc();
        self.expr_to(&pattern.cls, values)?;
        if self.unit.code.reachable() {
            let names = self.unit.code.constant(Const::Tuple(names));
            self.emit_ext(
                Instr::new(Op::MatchClass, positional_count, values, value, values),
                names as i32,
                range,
            );
        }
        self.unit
            .code
            .jump_if(Op::JumpIfNone, 0, values, case.fail, range);
        if count == 0 {
            self.clear(values, 1, range);
            return Ok(());
        }
        let first = self
            .unit
            .regs
            .block(count.min(usize::from(u16::MAX)) as u16);
        self.emit(Op::Unpack, DB, first, values, count as u16, range);
        let parts = positional
            .iter()
            .chain(keywords.iter().map(|keyword| &keyword.pattern));
        self.parts(parts, first, case)
    }
}

/// `_` and `*_`
fn wildcard(pattern: &Pattern) -> bool {
    match pattern {
        Pattern::MatchAs(pattern) => pattern.pattern.is_none() && pattern.name.is_none(),
        Pattern::MatchStar(pattern) => pattern.name.is_none(),
        _ => false,
    }
}

/// The names that a pattern binds, in order, repetitions included.
fn captured_names<'p>(pattern: &'p Pattern, names: &mut Vec<&'p str>) {
    match pattern {
        Pattern::MatchValue(_) | Pattern::MatchSingleton(_) => {}
        Pattern::MatchSequence(pattern) => {
            pattern
                .patterns
                .iter()
                .for_each(|part| captured_names(part, names));
        }
        Pattern::MatchMapping(pattern) => {
            pattern
                .patterns
                .iter()
                .for_each(|part| captured_names(part, names));
            names.extend(pattern.rest.as_ref().map(|name| name.as_str()));
        }
        Pattern::MatchClass(pattern) => {
            let arguments = &pattern.arguments;
            arguments
                .patterns
                .iter()
                .chain(arguments.keywords.iter().map(|keyword| &keyword.pattern))
                .for_each(|part| captured_names(part, names));
        }
        Pattern::MatchStar(pattern) => {
            names.extend(pattern.name.as_ref().map(|name| name.as_str()));
        }
        Pattern::MatchAs(pattern) => {
            if let Some(inner) = &pattern.pattern {
                captured_names(inner, names);
            }
            names.extend(pattern.name.as_ref().map(|name| name.as_str()));
        }
        Pattern::MatchOr(pattern) => {
            pattern
                .patterns
                .iter()
                .for_each(|part| captured_names(part, names));
        }
    }
}
