//! `re.Match`.

use super::pattern::Pattern;
use super::{replace, subject};
use crate::class_slot;
use crate::heap::{self, Payload, Ref};
use crate::objects::dict::Dict;
use crate::objects::native::{Def, receiver};
use crate::objects::sequence;
use crate::objects::slots::Slots;
use crate::objects::string::Str;
use crate::objects::tuple::Tuple;
use crate::objects::types::{ClassBuilder, SUBSCRIPT_ONLY};
use crate::value::Value;
use crate::vm::args::{Args, optional};
use crate::vm::{R, Vm};
use coldframe_regex::Scratch;

/// Start and end of a group; both are this when it took no part.
const NONE: u32 = u32::MAX;
/// Groups whose spans need no allocation of their own.
const INLINE: usize = 4;

/// Payload of `re.Match`.
pub struct Match {
    pattern: Ref<Pattern>,
    /// What was searched, as it was passed.
    string: Value,
    pos: u32,
    endpos: u32,
    last: u32,
    few: [(u32, u32); INLINE],
    more: Box<[(u32, u32)]>,
}

// SAFETY: visits every value held.
unsafe impl Payload for Match {
    class_slot!();
    fn traverse(&self, visit: &mut dyn FnMut(&Value)) {
        self.pattern.with_value(&mut *visit);
        visit(&self.string);
    }
}

/// Builds the class, unless it exists.
pub(super) fn init(vm: &mut Vm) {
    if Match::class_slot().with(|slot| slot.is_set()) {
        return;
    }
    let slots = Slots {
        new: Some(crate::objects::struct_seq::not_from_python),
        repr: Some(repr),
        getitem: Some(|vm, v, key| receiver::<Match>(v).clone().item(vm, key, &Value::NONE)),
        ..Slots::NONE
    };
    ClassBuilder::new::<Match>("Match")
        .slots(slots)
        .flags(SUBSCRIPT_ONLY)
        .module(vm, "re")
        .doc(vm, "The result of re.match() and re.search().\nMatch objects always have a boolean value of True.")
        .methods(vm, METHODS)
        .getset(vm, "string", |_, v| Ok(receiver::<Match>(v).string.clone()), None)
        .getset(vm, "re", |_, v| Ok(receiver::<Match>(v).pattern.to_value()), None)
        .getset(vm, "pos", |_, v| Ok(Value::int(receiver::<Match>(v).pos.into())), None)
        .getset(vm, "endpos", |_, v| Ok(Value::int(receiver::<Match>(v).endpos.into())), None)
        .getset(vm, "lastindex", |_, v| Ok(receiver::<Match>(v).last_index().map_or(Value::NONE, |i| Value::int(i as i64))), None)
        .getset(vm, "lastgroup", |_, v| {
            let m = receiver::<Match>(v);
            Ok(m.last_index().and_then(|i| m.pattern.compiled.group_name(i)).map_or(Value::NONE, Str::value))
        }, None)
        .getset(vm, "regs", |_, v| {
            let m = receiver::<Match>(v);
            Ok(Tuple::value((0..=m.pattern.compiled.groups()).map(|i| pair(m.span(i))).collect()))
        }, None)
        .build(vm);
}

impl Match {
    /// The match whose outcome is in `scratch`.
    pub(super) fn value(
        pattern: &Ref<Pattern>,
        string: &Value,
        (pos, endpos): (usize, usize),
        scratch: &Scratch,
    ) -> Value {
        let count = pattern.compiled.groups() + 1;
        let span = |i: usize| {
            scratch
                .span(i)
                .map_or((NONE, NONE), |(start, end)| (start as u32, end as u32))
        };
        let mut few = [(NONE, NONE); INLINE];
        let mut more: Box<[(u32, u32)]> = Box::default();
        if count <= INLINE {
            for (i, place) in few.iter_mut().enumerate().take(count) {
                *place = span(i);
            }
        } else {
            more = (0..count).map(span).collect();
        }
        let last = scratch.last_index().unwrap_or(0) as u32;
        Value::from_ref(heap::alloc(Match {
            pattern: pattern.clone(),
            string: string.clone(),
            pos: pos as u32,
            endpos: endpos as u32,
            last,
            few,
            more,
        }))
    }

    /// Where a group matched.
    pub(super) fn span(&self, group: usize) -> Option<(usize, usize)> {
        let spans: &[(u32, u32)] = if self.more.is_empty() {
            &self.few
        } else {
            &self.more
        };
        match spans[group] {
            (NONE, _) | (_, NONE) => None,
            (start, end) => Some((start as usize, end as usize)),
        }
    }

    fn last_index(&self) -> Option<usize> {
        (self.last != 0).then_some(self.last as usize)
    }

    /// The text of a group, `default` when it took no part.
    pub(super) fn text(&self, vm: &mut Vm, group: usize, default: &Value) -> Value {
        match self.span(group) {
            Some((start, end)) => subject::slice_of(vm, &self.string, start, end),
            None => default.clone(),
        }
    }

    /// The number of the group that a key means.
    fn group(&self, vm: &mut Vm, key: &Value) -> R<usize> {
        let number = match key.as_small_int() {
            Some(i) => Some(i),
            None if sequence::is_index(key) => Some(vm.index_clamped(key)?),
            None => self
                .pattern
                .names
                .clone()
                .get_item(vm, key)?
                .and_then(|v| v.as_small_int()),
        };
        match number.and_then(|i| usize::try_from(i).ok()) {
            Some(i) if i <= self.pattern.compiled.groups() => Ok(i),
            _ => Err(vm.index_error("no such group")),
        }
    }

    fn item(&self, vm: &mut Vm, key: &Value, default: &Value) -> R {
        let group = self.group(vm, key)?;
        Ok(self.text(vm, group, default))
    }

    /// The span of the group that an optional argument names.
    fn span_arg(&self, vm: &mut Vm, key: Option<&Value>) -> R<Option<(usize, usize)>> {
        let group = match key {
            Some(key) => self.group(vm, key)?,
            None => 0,
        };
        Ok(self.span(group))
    }
}

fn pair(span: Option<(usize, usize)>) -> Value {
    let (start, end) = span.map_or((-1, -1), |(start, end)| (start as i64, end as i64));
    Tuple::value(vec![Value::int(start), Value::int(end)])
}

fn this(args: &[Value]) -> Ref<Match> {
    receiver::<Match>(&args[0]).clone()
}

static METHODS: &[Def] = &[
    Def::raw_method("group", "(self, /, *args)", group),
    Def::method("groups", "(self, /, default=None)", |vm, a| {
        let m = this(a);
        let default = optional(a, 1).cloned().unwrap_or(Value::NONE);
        Ok(Tuple::value(
            (1..=m.pattern.compiled.groups())
                .map(|i| m.text(vm, i, &default))
                .collect(),
        ))
    }),
    Def::method("groupdict", "(self, /, default=None)", |vm, a| {
        let m = this(a);
        let default = optional(a, 1).cloned().unwrap_or(Value::NONE);
        let out = Dict::new();
        for (name, group) in m.pattern.compiled.group_names() {
            let text = m.text(vm, *group, &default);
            out.set_str(vm, &Str::new(name), text);
        }
        Ok(out.to_value())
    }),
    Def::method("start", "(self, group=0, /)", |vm, a| {
        Ok(Value::int(
            this(a)
                .span_arg(vm, optional(a, 1))?
                .map_or(-1, |s| s.0 as i64),
        ))
    }),
    Def::method("end", "(self, group=0, /)", |vm, a| {
        Ok(Value::int(
            this(a)
                .span_arg(vm, optional(a, 1))?
                .map_or(-1, |s| s.1 as i64),
        ))
    }),
    Def::method("span", "(self, group=0, /)", |vm, a| {
        Ok(pair(this(a).span_arg(vm, optional(a, 1))?))
    }),
    Def::method("expand", "(self, /, template)", |vm, a| {
        let m = this(a);
        replace::expand(vm, &m, &m.pattern, &m.string, &a[1])
    }),
    Def::method("__copy__", "(self, /)", |_, a| Ok(a[0].clone())),
    Def::method("__deepcopy__", "(self, memo, /)", |_, a| Ok(a[0].clone())),
    Def::class_method("__class_getitem__", "(cls, item, /)", |vm, a| {
        crate::builtins::type_params::generic_alias(vm, &a[0], &a[1])
    }),
];

fn group(vm: &mut Vm, args: Args) -> R {
    args.no_keywords(vm, "Match.group")?;
    let m = this(args.values());
    match args.values() {
        [_] => Ok(m.text(vm, 0, &Value::NONE)),
        [_, key] => m.item(vm, key, &Value::NONE),
        [_, keys @ ..] => {
            let mut out = Vec::with_capacity(keys.len());
            for key in keys {
                out.push(m.item(vm, key, &Value::NONE)?);
            }
            Ok(Tuple::value(out))
        }
        [] => Ok(Value::NONE),
    }
}

fn repr(vm: &mut Vm, v: &Value) -> R {
    let m = receiver::<Match>(v).clone();
    let (start, end) = m.span(0).unwrap_or((0, 0));
    let text = m.text(vm, 0, &Value::NONE);
    let text = vm.repr(&text)?;
    let mut out = format!("<re.Match object; span=({start}, {end}), match=").into_bytes();
    // CPython shows at most 50 characters of the text's repr.
    out.extend_from_slice(text.slice_bytes(0, text.len().min(50)));
    out.push(b'>');
    Ok(Str::value_wtf8(&out))
}
