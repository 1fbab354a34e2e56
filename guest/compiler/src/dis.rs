//! The disassembler: code as readable text.
//!
//! ```text
//! function f(a, b) registers 4
//!     3  Add          x, a, b
//! ```
//!
//! Locals are shown by name, temporaries as `t0`, `t1`, ...; a `!` marks an operand that is taken. Constants are shown as Python writes
//! them, names of caches with a leading `.` or as globals. `L1` are jump targets.

use std::collections::BTreeMap;
use std::fmt::Write;

use coldframe_frontend::LineIndex;

use crate::code::{CacheKind, Capture, Compiled, Const};
use crate::op::{DA, DB, DC, INPLACE, Instr, Intrinsic, Op, WHEN_TRUE};
use crate::shape::{Role, has_ext, jumps_by_ext, jumps_by_imm, roles};

/// Disassembles code and the code nested in it.
pub fn disassemble(proto: &Compiled, lines: Option<&LineIndex>) -> String {
    let mut text = String::new();
    one(proto, lines, &mut text);
    text
}

fn one(proto: &Compiled, lines: Option<&LineIndex>, text: &mut String) {
    header(proto, text);
    let labels = labels(proto);
    let mut last_line = 0;
    let mut at = 0;
    while let Some(&instr) = proto.instrs.get(at) {
        if let Some(label) = labels.get(&(at as u32)) {
            let _ = writeln!(text, "L{label}:");
        }
        let line = match (lines, proto.spans.get(at)) {
            (Some(lines), Some(span)) => lines.line(span.start as usize),
            _ => 0,
        };
        if line != last_line && line != 0 {
            let _ = write!(text, "{line:>5}  ");
            last_line = line;
        } else {
            text.push_str("       ");
        }
        let _ = writeln!(text, "{}", line_of(proto, at, instr, &labels).trim_end());
        at += if has_ext(instr) { 2 } else { 1 };
    }
    for handler in &proto.handlers {
        let name = |at: u32| match labels.get(&at) {
            Some(label) => format!("L{label}"),
            None => at.to_string(),
        };
        let _ = writeln!(
            text,
            "       handler {}..{} -> {} {} depth {}",
            name(handler.start),
            name(handler.end),
            name(handler.target),
            register(proto, handler.register),
            register(proto, handler.depth),
        );
    }
    for constant in &proto.consts {
        if let Const::Code(code) = constant {
            text.push('\n');
            one(code, lines, text);
        }
    }
}

/// One instruction, as `dis` shows it.
pub struct Listed {
    /// Its index.
    pub at: usize,
    /// The operation, in capitals with underscores.
    pub name: String,
    /// The operands.
    pub operands: String,
    /// The name of a global, attribute or namespace entry that it is about.
    pub about: Option<String>,
    /// The constant that it loads.
    pub constant: Option<usize>,
    /// Where it may jump.
    pub target: Option<u32>,
}

/// The instructions of one code unit, without those of nested code.
pub fn listing(proto: &Compiled) -> Vec<Listed> {
    let labels = labels(proto);
    let mut listed = Vec::new();
    let mut at = 0;
    while let Some(&instr) = proto.instrs.get(at) {
        let text = line_of(proto, at, instr, &labels);
        let operands = text
            .split_once(' ')
            .map_or("", |(_, operands)| operands.trim());
        let about = roles(instr)
            .into_iter()
            .zip([instr.a, instr.b, instr.c])
            .find_map(|(role, index)| match role {
                Role::Cache => proto
                    .caches
                    .get(usize::from(index))
                    .map(|cache| cache.name.to_string()),
                Role::Name => match proto.consts.get(usize::from(index)) {
                    Some(Const::Str(name)) => Some(String::from_utf8_lossy(name).into_owned()),
                    _ => None,
                },
                _ => None,
            });
        listed.push(Listed {
            at,
            name: capitals(instr.op.name()),
            operands: operands.to_owned(),
            about,
            constant: (instr.op == Op::LoadConst).then_some(instr.imm32() as usize),
            target: target(proto, at),
        });
        at += if has_ext(instr) { 2 } else { 1 };
    }
    listed
}

/// The names of all operations, in capitals with underscores; the index is the opcode.
pub fn operation_names() -> Vec<String> {
    Op::ALL.iter().map(|op| capitals(op.name())).collect()
}

/// `LoadGlobal` as `LOAD_GLOBAL`.
fn capitals(name: &str) -> String {
    let mut text = String::with_capacity(name.len() + 4);
    for (index, char) in name.char_indices() {
        if index > 0 && char.is_ascii_uppercase() {
            text.push('_');
        }
        text.push(char.to_ascii_uppercase());
    }
    text
}

fn header(proto: &Compiled, text: &mut String) {
    let kind = format!("{:?}", proto.kind).to_lowercase();
    let mut parameters = Vec::new();
    let total = usize::from(proto.args + proto.kwonly);
    let mut names = proto.varnames.iter();
    for (index, name) in names.by_ref().take(total).enumerate() {
        if index == usize::from(proto.args) && !proto.flags.varargs {
            parameters.push("*".to_owned());
        }
        parameters.push(name.to_string());
        if index + 1 == usize::from(proto.posonly) {
            parameters.push("/".to_owned());
        }
    }
    if proto.flags.varargs
        && let Some(name) = names.next()
    {
        parameters.insert(
            usize::from(proto.args) + usize::from(proto.posonly > 0),
            format!("*{name}"),
        );
    }
    if proto.flags.varkeywords
        && let Some(name) = names.next()
    {
        parameters.push(format!("**{name}"));
    }
    let _ = write!(text, "{kind} {}({})", proto.qualname, parameters.join(", "));
    for (flag, name) in [
        (proto.flags.generator, "generator"),
        (proto.flags.coroutine, "coroutine"),
        (proto.flags.async_generator, "async generator"),
    ] {
        if flag {
            let _ = write!(text, " {name}");
        }
    }
    let _ = writeln!(text, ", {} registers", proto.nregs);
    if !proto.freevars.is_empty() {
        let free: Vec<String> = proto
            .freevars
            .iter()
            .zip(&proto.captures)
            .map(|(name, capture)| match capture {
                Capture::Local(register) => format!("{name} from register {register}"),
                Capture::Free(index) => format!("{name} from free {index}"),
            })
            .collect();
        let _ = writeln!(text, "       free {}", free.join(", "));
    }
}

/// The targets of jumps and handlers, numbered in order.
fn labels(proto: &Compiled) -> BTreeMap<u32, usize> {
    let mut targets = BTreeMap::new();
    for at in 0..proto.instrs.len() {
        if let Some(target) = target(proto, at) {
            targets.insert(target, 0);
        }
    }
    for handler in &proto.handlers {
        for at in [handler.start, handler.end, handler.target] {
            targets.insert(at, 0);
        }
    }
    for (number, label) in targets.values_mut().enumerate() {
        *label = number + 1;
    }
    targets
}

/// Where the instruction at `at` may jump.
pub(crate) fn target(proto: &Compiled, at: usize) -> Option<u32> {
    let instr = *proto.instrs.get(at)?;
    let (distance, behind) = if jumps_by_imm(instr.op) {
        (instr.imm32(), at + 1)
    } else if jumps_by_ext(instr.op) {
        (proto.instrs.get(at + 1)?.imm32(), at + 2)
    } else {
        return None;
    };
    u32::try_from(behind as i64 + i64::from(distance)).ok()
}

fn register(proto: &Compiled, register: u16) -> String {
    let locals = proto.varnames.len();
    match proto.varnames.get(usize::from(register)) {
        Some(name) => name.to_string(),
        None => format!("t{}", usize::from(register) - locals),
    }
}

fn line_of(proto: &Compiled, at: usize, instr: Instr, labels: &BTreeMap<u32, usize>) -> String {
    let mut operands = Vec::new();
    let fields = [instr.a, instr.b, instr.c];
    // These use the flags byte for something else.
    let plain = matches!(instr.op, Op::MakeFunction | Op::MatchClass | Op::Intrinsic);
    let flags = if plain { 0 } else { instr.x };
    for ((role, value), take) in roles(instr).into_iter().zip(fields).zip([DA, DB, DC]) {
        let taken = if flags & take != 0 { "!" } else { "" };
        operands.push(match role {
            Role::Unused => continue,
            Role::Write | Role::Read | Role::Update => {
                format!("{}{taken}", register(proto, value))
            }
            Role::ReadOrConst(flag) if flags & flag != 0 => constant(proto, u32::from(value)),
            Role::ReadOrConst(_) => format!("{}{taken}", register(proto, value)),
            Role::Block(count) | Role::WriteBlock(count) => match count {
                0 => "-".to_owned(),
                1 => register(proto, value),
                _ => format!(
                    "{}..{}",
                    register(proto, value),
                    register(proto, value.saturating_add(count - 1))
                ),
            },
            Role::Name => match proto.consts.get(usize::from(value)) {
                Some(Const::Str(name)) => String::from_utf8_lossy(name).into_owned(),
                _ => format!("?{value}"),
            },
            Role::Code => match proto.consts.get(usize::from(value)) {
                Some(Const::Code(code)) => format!("<{}>", code.qualname),
                _ => format!("?{value}"),
            },
            Role::Cache => match proto.caches.get(usize::from(value)) {
                Some(cache) if cache_kind(instr.op) == CacheKind::Attr => {
                    format!(".{}", cache.name)
                }
                Some(cache) => cache.name.to_string(),
                None => format!("?{value}"),
            },
            Role::Free => match proto.freevars.get(usize::from(value)) {
                Some(name) => format!("free {name}"),
                None => format!("?{value}"),
            },
            Role::Number => match instr.op {
                Op::AddInt | Op::SubInt => format!("{}", value as i16),
                Op::UnpackEx => format!("{}+*+{}", value & 255, value >> 8),
                Op::Clear => continue,
                _ => format!("#{value}"),
            },
        });
    }
    if instr.op == Op::LoadConst {
        operands.push(constant(proto, instr.imm32() as u32));
    }
    if let Some(ext) = proto
        .instrs
        .get(at + 1)
        .filter(|_| has_ext(instr) && !jumps_by_ext(instr.op))
    {
        let ext = ext.imm32();
        operands.push(match instr.op {
            Op::CallKw | Op::MatchClass => constant(proto, ext as u32),
            Op::FormatValue => register(proto, ext as u16),
            _ => format!("free {ext}"),
        });
    }
    if let Some(target) = target(proto, at) {
        match labels.get(&target) {
            Some(label) => operands.push(format!("L{label}")),
            None => operands.push(target.to_string()),
        }
    }
    let mut notes = Vec::new();
    if !plain && instr.x & INPLACE != 0 {
        notes.push("in place".to_owned());
    }
    if jumps_by_ext(instr.op) && instr.op != Op::ForIter {
        notes.push(
            if instr.x & WHEN_TRUE != 0 {
                "if true"
            } else {
                "if false"
            }
            .to_owned(),
        );
    }
    if instr.op == Op::MakeFunction && instr.x != 0 {
        for (bit, name) in [(1, "defaults"), (2, "keyword defaults"), (4, "annotate")] {
            if instr.x & bit != 0 {
                notes.push(name.to_owned());
            }
        }
    }
    if instr.op == Op::Intrinsic {
        notes.push(intrinsic(instr.x));
    }
    if instr.op == Op::MatchClass {
        notes.push(format!("{} positional", instr.x));
    }
    let mut text = format!("{:<14} {}", instr.op.name(), operands.join(", "));
    if !notes.is_empty() {
        let _ = write!(text, "  ({})", notes.join(", "));
    }
    text
}

fn intrinsic(kind: u8) -> String {
    [
        Intrinsic::TypeVar,
        Intrinsic::ParamSpec,
        Intrinsic::TypeVarTuple,
        Intrinsic::TypeAlias,
        Intrinsic::SubscriptGeneric,
        Intrinsic::SetTypeParams,
        Intrinsic::StopIterationError,
        Intrinsic::Display,
    ]
    .into_iter()
    .find(|known| *known as u8 == kind)
    .map_or_else(|| format!("?{kind}"), |known| format!("{known:?}"))
}

fn constant(proto: &Compiled, index: u32) -> String {
    match proto.consts.get(index as usize) {
        Some(constant) => constant_text(constant),
        None => format!("?{index}"),
    }
}

pub(crate) fn constant_text(constant: &Const) -> String {
    let list = |items: &[Const]| {
        items
            .iter()
            .map(constant_text)
            .collect::<Vec<_>>()
            .join(", ")
    };
    match constant {
        Const::None => "None".to_owned(),
        Const::Bool(true) => "True".to_owned(),
        Const::Bool(false) => "False".to_owned(),
        Const::Ellipsis => "...".to_owned(),
        Const::Int(value) => value.to_string(),
        Const::BigInt(value) => value.to_string(),
        Const::Float(value) => format!("{value:?}"),
        Const::Complex(real, imag) => format!("({real:?}{imag:+?}j)"),
        Const::Str(text) => format!("{:?}", String::from_utf8_lossy(text)),
        Const::Bytes(text) => format!("b\"{}\"", text.escape_ascii()),
        Const::Tuple(items) if items.len() == 1 => format!("({},)", list(items)),
        Const::Tuple(items) => format!("({})", list(items)),
        Const::FrozenSet(items) => format!("frozenset({{{}}})", list(items)),
        Const::Code(code) => format!("<{}>", code.qualname),
    }
}

/// What an instruction uses its cache for.
fn cache_kind(op: Op) -> CacheKind {
    match op {
        Op::LoadGlobal | Op::StoreGlobal | Op::DelGlobal => CacheKind::Global,
        _ => CacheKind::Attr,
    }
}
