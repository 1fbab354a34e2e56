//! The objects that `Pattern.scanner` gives: match after match at will.

use super::matches::Match;
use super::pattern::{Memory, Pattern};
use crate::class_slot;
use crate::heap::{self, Payload, Ref};
use crate::objects::native::{Def, receiver};
use crate::objects::types::ClassBuilder;
use crate::value::Value;
use crate::vm::{R, Vm};
use coldframe_regex::{Cursor, Mode};
use std::cell::Cell;

/// Payload of `_sre.SRE_Scanner`.
struct Scanner {
    pattern: Ref<Pattern>,
    string: Value,
    bounds: (usize, usize),
    cursor: Cell<Cursor>,
}

// SAFETY: visits every value held.
unsafe impl Payload for Scanner {
    class_slot!();
    fn traverse(&self, visit: &mut dyn FnMut(&Value)) {
        self.pattern.with_value(&mut *visit);
        visit(&self.string);
    }
}

/// Builds the class, unless it exists.
pub(super) fn init(vm: &mut Vm) {
    if !Scanner::class_slot().with(|slot| slot.is_set()) {
        ClassBuilder::new::<Scanner>("SRE_Scanner")
            .module(vm, "_sre")
            .methods(vm, METHODS)
            .getset(
                vm,
                "pattern",
                |_, v| Ok(receiver::<Scanner>(v).pattern.to_value()),
                None,
            )
            .build(vm);
    }
}

static METHODS: &[Def] = &[
    Def::method("match", "(self, /)", |vm, a| next(vm, &a[0], Mode::Match)),
    Def::method("search", "(self, /)", |vm, a| next(vm, &a[0], Mode::Search)),
];

/// A scanner of `string` between bounds.
pub(super) fn new(
    vm: &mut Vm,
    pattern: &Ref<Pattern>,
    string: &Value,
    bounds: (usize, usize),
) -> R {
    pattern.subject(vm, string)?;
    let cursor = Cell::new(Cursor::new(Mode::Search, bounds.0, bounds.1));
    Ok(Value::from_ref(heap::alloc(Scanner {
        pattern: pattern.clone(),
        string: string.clone(),
        bounds,
        cursor,
    })))
}

fn next(vm: &mut Vm, v: &Value, mode: Mode) -> R {
    let s = receiver::<Scanner>(v).clone();
    let subject = s.pattern.subject(vm, &s.string)?;
    let mut cursor = s.cursor.get().with_mode(mode);
    let mut memory = Memory::take();
    let found = s.pattern.next(vm, &mut cursor, &subject, &mut memory)?;
    s.cursor.set(cursor);
    Ok(if found {
        Match::value(&s.pattern, &s.string, s.bounds, memory.scratch())
    } else {
        Value::NONE
    })
}
