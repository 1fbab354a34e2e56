//! Traceback objects, and the text of an uncaught exception.

use crate::class_slot;
use crate::heap::{self, Payload, VmCell};
use crate::names::Names;
use crate::objects::exception::{Exc, Exception, TraceEntry};
use crate::objects::list::List;
use crate::objects::slots::Slots;
use crate::objects::string::Str;
use crate::objects::tuple::Tuple;
use crate::objects::types::{ClassBuilder, Type};
use crate::value::Value;
use crate::vm::ops::class_of;
use crate::vm::{R, Vm};

/// Payload of `traceback`.
pub struct Traceback {
    /// The frame passed through.
    pub entry: TraceEntry,
    /// `tb_frame`, once asked for.
    pub frame: VmCell<Value>,
    /// `tb_next`
    pub next: VmCell<Value>,
    /// `tb_lasti` and `tb_lineno`, when a program has made the object and said so.
    pub position: Option<(i64, i64)>,
}

// SAFETY: visits everything held.
unsafe impl Payload for Traceback {
    class_slot!();
    fn traverse(&self, visit: &mut dyn FnMut(&Value)) {
        self.entry.code.with_value(&mut *visit);
        self.entry.globals.with_value(&mut *visit);
        if let Some(f) = &self.entry.frame {
            visit(f);
        }
        // SAFETY: the collector runs while no borrow of any payload lives.
        unsafe {
            visit(self.frame.peek());
            visit(self.next.peek());
        }
    }
}

/// Builds the class.
pub(crate) fn init(vm: &mut Vm) {
    let class = ClassBuilder::new::<Traceback>("traceback").slots(Slots {
        new: Some(new),
        ..Slots::NONE
    });
    class
        .getset(vm, "tb_frame", tb_frame, None)
        .getset(
            vm,
            "tb_lineno",
            |_, t| {
                let t = tb(t);
                let known = t.position.map(|p| p.1);
                let line = || t.entry.code.line_at(t.entry.instr as usize).into();
                Ok(Value::int(known.unwrap_or_else(line)))
            },
            None,
        )
        .getset(
            vm,
            "tb_lasti",
            |_, t| {
                let t = tb(t);
                let known = t.position.map(|p| p.0);
                Ok(Value::int(known.unwrap_or(i64::from(t.entry.instr) * 2)))
            },
            None,
        )
        .getset(
            vm,
            "tb_next",
            |vm, t| Ok(tb(t).next.get(vm).clone()),
            Some(set_next),
        )
        .methods(vm, METHODS)
        .build(vm);
}

static METHODS: &[crate::objects::native::Def] = &[crate::objects::native::Def::method(
    "__dir__",
    "(self, /)",
    |_, _| {
        let names = ["tb_frame", "tb_next", "tb_lasti", "tb_lineno"];
        Ok(crate::objects::list::List::value(
            names.into_iter().map(Str::value).collect(),
        ))
    },
)];

fn tb(v: &Value) -> &heap::Ref<Traceback> {
    match v.as_ref::<Traceback>() {
        Some(t) => t,
        None => unreachable!("the descriptor has checked the receiver"),
    }
}

/// `types.TracebackType(tb_next, tb_frame, tb_lasti, tb_lineno)`
fn new(vm: &mut Vm, _: &heap::Ref<Type>, args: crate::vm::args::Args) -> R {
    let params = crate::params!("(tb_next, tb_frame, tb_lasti, tb_lineno)");
    let a = args.bind(vm, "traceback", params, 0)?;
    if !a[0].is_none() && !a[0].is::<Traceback>() {
        return Err(vm.type_error(format!(
            "expected traceback object or None, got '{}'",
            class_of(&a[0]).name()
        )));
    }
    let Some(entry) = crate::builtins::frames::trace_entry(vm, &a[1]) else {
        return Err(vm.type_error(format!(
            "traceback() argument 'tb_frame' must be frame, not {}",
            class_of(&a[1]).name()
        )));
    };
    let mut position = [0; 2];
    for (n, v) in position.iter_mut().zip(&a[2..]) {
        if !v.is_exact_int() {
            return Err(vm.type_error(format!(
                "'{}' object cannot be interpreted as an integer",
                class_of(v).name()
            )));
        }
        *n = vm.index_i64(v)?;
    }
    let [lasti, line] = position;
    Ok(Value::from_ref(heap::alloc(Traceback {
        entry,
        frame: VmCell::new(a[1].clone()),
        next: VmCell::new(a[0].clone()),
        position: Some((lasti, line)),
    })))
}

fn tb_frame(vm: &mut Vm, t: &Value) -> R {
    let t = tb(t).clone();
    let known = t.frame.get(vm).clone();
    if !known.is_undef() {
        return Ok(known);
    }
    let frame = match &t.entry.frame {
        Some(f) => f.clone(),
        None => crate::builtins::frames::of_entry(vm, &t.entry),
    };
    drop(t.frame.replace(vm, frame.clone()));
    Ok(frame)
}

fn set_next(vm: &mut Vm, t: &Value, value: Option<&Value>) -> R<()> {
    let value = value.cloned().unwrap_or(Value::NONE);
    if !value.is_none() && !value.is::<Traceback>() {
        return Err(vm.type_error(format!(
            "expected traceback object or None, got '{}'",
            class_of(&value).name()
        )));
    }
    let mut at = value.clone();
    while let Some(x) = at.as_ref::<Traceback>() {
        if at.is_same(t) {
            return Err(vm.value_error("traceback loop detected"));
        }
        let next = x.next.get(vm).clone();
        at = next;
    }
    drop(tb(t).next.replace(vm, value));
    Ok(())
}

/// `exception.__traceback__`
pub fn get(vm: &mut Vm, e: &Value) -> R {
    of_exception(vm, e)
}

/// The traceback objects of an exception, made from what was recorded.
pub fn of_exception(vm: &mut Vm, e: &Value) -> R {
    let Some(e) = e.as_ref::<Exception>() else {
        return Ok(Value::NONE);
    };
    let state = e.state.get(vm);
    let mut next = state.older_trace.clone().unwrap_or(Value::NONE);
    // The list is innermost first, so the chain is built from its front.
    for entry in state.trace.clone() {
        next = Value::from_ref(heap::alloc(Traceback {
            entry,
            frame: VmCell::new(Value::UNDEF),
            next: VmCell::new(next),
            position: None,
        }));
    }
    // From now on the objects are the truth, so that they keep their identity.
    let state = e.state.get_mut(vm);
    let old = std::mem::take(&mut state.trace);
    state.older_trace = (!next.is_none()).then(|| next.clone());
    drop(old);
    Ok(next)
}

/// Assigns `exception.__traceback__`.
pub fn set(vm: &mut Vm, e: &Value, value: Option<&Value>) -> R<()> {
    let value = value.cloned().unwrap_or(Value::NONE);
    if !value.is_none() && !value.is::<Traceback>() {
        return Err(vm.type_error("__traceback__ must be a traceback or None"));
    }
    if let Some(e) = e.as_ref::<Exception>() {
        let state = e.state.get_mut(vm);
        let old = (
            std::mem::take(&mut state.trace),
            std::mem::replace(&mut state.older_trace, (!value.is_none()).then_some(value)),
        );
        drop(old);
    }
    Ok(())
}

/// The frames of an exception, outermost first.
pub fn entries(vm: &Vm, e: &Value) -> Vec<TraceEntry> {
    let Some(e) = e.as_ref::<Exception>() else {
        return Vec::new();
    };
    let mut all = vm.trace_of(e);
    let mut at = e.state.get(vm).older_trace.clone().unwrap_or(Value::NONE);
    while let Some(t) = at.as_ref::<Traceback>() {
        all.push(t.entry.clone());
        let next = t.next.get(vm).clone();
        at = next;
    }
    all
}

// ---- text

/// How often the same line is shown before it is summed up.
const REPEATS: usize = 3;

/// What CPython prints for an uncaught exception, ending in a line feed.
pub fn format(vm: &mut Vm, e: &Value) -> String {
    let mut out = String::new();
    format_chain(vm, e, &mut out, &mut Vec::new(), "");
    out
}

fn format_chain(vm: &mut Vm, e: &Value, out: &mut String, seen: &mut Vec<u64>, margin: &str) {
    seen.push(e.bits());
    if let Some(x) = e.as_ref::<Exception>() {
        let state = x.state.get(vm);
        let (cause, context, suppress) = (
            state.cause.clone(),
            state.context.clone(),
            state.suppress_context,
        );
        let (other, words) = match cause {
            Some(c) => (
                Some(c),
                "The above exception was the direct cause of the following exception:",
            ),
            None if !suppress => (
                context,
                "During handling of the above exception, another exception occurred:",
            ),
            None => (None, ""),
        };
        if let Some(other) = other
            && !seen.contains(&other.bits())
            && seen.len() < 100
        {
            format_chain(vm, &other, out, seen, margin);
            out.push_str(&format!(
                "{}\n{margin}{words}\n{}\n",
                margin.trim_end(),
                margin.trim_end()
            ));
        }
    }
    let is_group = class_of(e).is_subclass_of(Exc::BaseExceptionGroup.class());
    let frames = entries(vm, e);
    let mut text = String::new();
    if !frames.is_empty() {
        text.push_str(if is_group {
            "Exception Group Traceback (most recent call last):\n"
        } else {
            "Traceback (most recent call last):\n"
        });
        format_entries(&frames, &mut text);
    }
    text.push_str(&format_only(vm, e));
    if is_group {
        format_group(vm, e, &text, out, seen, margin);
    } else {
        for line in text.lines() {
            out.push_str(margin);
            out.push_str(line);
            out.push('\n');
        }
    }
}

fn format_group(
    vm: &mut Vm,
    e: &Value,
    text: &str,
    out: &mut String,
    seen: &mut Vec<u64>,
    margin: &str,
) {
    let top = margin.is_empty();
    let indent = if top {
        "  ".to_owned()
    } else {
        margin.to_owned()
    };
    for (i, line) in text.lines().enumerate() {
        if top && i == 0 {
            out.push_str(&format!("  + {line}\n"));
        } else {
            out.push_str(&format!("{}{line}\n", if top { "  | " } else { margin }));
        }
    }
    let members = crate::builtins::exceptions::field(vm, e, 1);
    let members = vm.collect(&members).unwrap_or_default();
    let n = members.len();
    let base = if top {
        indent.clone()
    } else {
        margin[..margin.len() - 2].to_owned()
    };
    for (i, member) in members.iter().take(15).enumerate() {
        let lead = if i == 0 { "+-" } else { "  " };
        out.push_str(&format!(
            "{base}{lead}+---------------- {} ----------------\n",
            i + 1
        ));
        let inner = format!("{base}  | ");
        format_chain(vm, member, out, seen, &inner);
    }
    if n > 15 {
        out.push_str(&format!(
            "{base}  +---------------- ... ----------------\n{base}  | and {} more exception{}\n",
            n - 15,
            if n == 16 { "" } else { "s" }
        ));
    }
    out.push_str(&format!("{base}  +------------------------------------\n"));
}

/// The lines of frames.
pub fn format_entries(frames: &[TraceEntry], out: &mut String) {
    let key = |f: &TraceEntry| {
        (
            f.code.source.file.as_ptr(),
            f.code.line_at(f.instr as usize),
            f.code.name.as_ptr(),
        )
    };
    let mut i = 0;
    while i < frames.len() {
        let mut run = 1;
        while i + run < frames.len() && key(&frames[i + run]) == key(&frames[i]) {
            run += 1;
        }
        for f in &frames[i..i + run.min(REPEATS)] {
            format_entry(f, out);
        }
        if run > REPEATS {
            let more = run - REPEATS;
            out.push_str(&format!(
                "  [Previous line repeated {more} more time{}]\n",
                if more == 1 { "" } else { "s" }
            ));
        }
        i += run;
    }
}

fn format_entry(f: &TraceEntry, out: &mut String) {
    let line = f.code.line_at(f.instr as usize);
    out.push_str(&format!(
        "  File \"{}\", line {line}, in {}\n",
        f.code.source.file.to_text(),
        f.code.name.to_text()
    ));
    let text = f.code.source.lines().text(line);
    let trimmed = text.trim();
    if trimmed.is_empty() {
        return;
    }
    let Some(span) = f.code.proto.spans.get(f.instr as usize).copied() else {
        return;
    };
    let lines = f.code.source.lines();
    let (start, end) = (
        lines.location(span.start as usize),
        lines.location(span.end as usize),
    );
    out.push_str(&format!("    {trimmed}\n"));
    if start.line != line || end.line != line {
        return;
    }
    if let Some(marks) = carets(text, start.column as usize, end.column as usize) {
        out.push_str(&format!("    {marks}\n"));
    }
}

/// The line of marks under a source line, when it says more than the line itself: `~` for the expression, `^` for the part that failed.
fn carets(line: &str, start: usize, end: usize) -> Option<String> {
    let chars: Vec<char> = line.chars().collect();
    let indent = chars.iter().take_while(|c| c.is_whitespace()).count();
    let trimmed_end = line.trim_end().chars().count();
    if end <= start || start < indent || end > chars.len() {
        return None;
    }
    let segment: String = chars[start..end].iter().collect();
    let (left, right) = anchors(&segment);
    // The whole line marked throughout says nothing.
    if start == indent && end == trimmed_end && left.is_none() {
        return None;
    }
    let width = |c: char| if is_wide(c) { 2 } else { 1 };
    let mut marks = String::new();
    for c in &chars[indent..start] {
        marks.push_str(&" ".repeat(width(*c)));
    }
    for (i, c) in chars[start..end].iter().enumerate() {
        let strong = match (left, right) {
            (Some(l), Some(r)) => i >= l && i < r,
            _ => true,
        };
        marks.push_str(&if strong { "^" } else { "~" }.repeat(width(*c)));
    }
    Some(marks)
}

fn is_wide(c: char) -> bool {
    matches!(c as u32, 0x1100..=0x115F | 0x2E80..=0xA4CF | 0xAC00..=0xD7A3 | 0xF900..=0xFAFF | 0xFE30..=0xFE6F | 0xFF00..=0xFF60 | 0xFFE0..=0xFFE6 | 0x1F300..=0x1F64F | 0x1F900..=0x1F9FF | 0x20000..=0x3FFFD)
}

/// Which part of an expression's text failed: the operator of a binary operation, the brackets of a subscript or call.
fn anchors(segment: &str) -> (Option<usize>, Option<usize>) {
    use coldframe_frontend::ast::{Expr, Ranged};
    // Parenthesised, so that an expression that spans operators parses as one.
    let Ok(parsed) = coldframe_frontend::parse_expression(&format!("(\n{segment}\n)")) else {
        return (None, None);
    };
    let offset = 2usize;
    let at = |byte: usize| {
        segment
            .get(..byte.saturating_sub(offset))
            .map(|s| s.chars().count())
    };
    match &*parsed.ast.body {
        Expr::BinOp(b) => {
            let gap_start = b.left.range().end().to_usize();
            let gap_end = b.right.range().start().to_usize();
            let gap = segment
                .get(gap_start.saturating_sub(offset)..gap_end.saturating_sub(offset))
                .unwrap_or("");
            let skip = gap
                .find(|c: char| !c.is_whitespace() && c != ')' && c != '\\')
                .unwrap_or(0);
            let op_len = gap[skip..]
                .chars()
                .take_while(|c| !c.is_whitespace() && *c != '(')
                .take(2)
                .count()
                .max(1);
            let op_len = if gap[skip..]
                .chars()
                .nth(1)
                .is_some_and(|c| "*/<>".contains(c))
            {
                op_len
            } else {
                1
            };
            let l = at(gap_start + skip);
            (l, l.map(|l| l + op_len))
        }
        Expr::Subscript(s) => {
            let l = at(s.value.range().end().to_usize());
            (l, at(s.range().end().to_usize()))
        }
        Expr::Call(c) => {
            let l = at(c.func.range().end().to_usize());
            (l, at(c.range().end().to_usize()))
        }
        _ => (None, None),
    }
}

/// The last lines: class and message, with notes; for a syntax error the place too.
pub fn format_only(vm: &mut Vm, e: &Value) -> String {
    let class = class_of(e).clone();
    let module = class
        .dict
        .get_str(vm, &Names::get().__module__)
        .and_then(|m| m.as_ref::<Str>())
        .map(|m| m.to_text().into_owned());
    let qualname = class.qualname.get(vm).to_text().into_owned();
    let name = match module {
        Some(m) if m != "builtins" && m != "__main__" => format!("{m}.{qualname}"),
        _ => qualname,
    };
    let mut out = String::new();
    if class.is_subclass_of(Exc::SyntaxError.class()) {
        syntax_lines(vm, e, &name, &mut out);
    } else {
        let message = match vm.str(e) {
            Ok(s) => s.to_text().into_owned(),
            Err(_) => {
                let _ = vm.take_error();
                "<exception str() failed>".to_owned()
            }
        };
        let hint = suggestion(vm, e);
        if message.is_empty() && hint.is_empty() {
            out.push_str(&format!("{name}\n"));
        } else {
            out.push_str(&format!("{name}: {message}{hint}\n"));
        }
    }
    if let Ok(Some(notes)) = vm.get_attr_opt(e, &Names::get().__notes__.to_value())
        && (notes.is::<List>() || notes.is::<Tuple>())
    {
        for note in vm.collect(&notes).unwrap_or_default() {
            let text = match vm.str(&note) {
                Ok(s) => s.to_text().into_owned(),
                Err(_) => {
                    let _ = vm.take_error();
                    "<note str() failed>".to_owned()
                }
            };
            out.push_str(&text);
            out.push('\n');
        }
    }
    out
}

fn syntax_lines(vm: &mut Vm, e: &Value, name: &str, out: &mut String) {
    use crate::builtins::exceptions::field;
    let (msg, file, line, offset, text, end_line, end_offset) = (
        field(vm, e, 0),
        field(vm, e, 1),
        field(vm, e, 2),
        field(vm, e, 3),
        field(vm, e, 4),
        field(vm, e, 5),
        field(vm, e, 6),
    );
    if let Some(n) = line.as_small_int() {
        let file = if file.is_none() {
            "<string>".to_owned()
        } else {
            vm.str(&file)
                .map_or("<string>".to_owned(), |f| f.to_text().into_owned())
        };
        out.push_str(&format!("  File \"{file}\", line {n}\n"));
        if let Some(text) = text.as_ref::<Str>() {
            let text = text.to_text().into_owned();
            let shown = text.trim_end_matches(['\n', '\r']);
            let stripped = shown.trim_start();
            out.push_str(&format!("    {}\n", stripped.trim_end()));
            if let Some(offset) = offset.as_small_int()
                && offset >= 1
            {
                let indent = shown.chars().count() - stripped.chars().count();
                let length = shown.chars().count() as i64;
                let mut end = end_offset.as_small_int().unwrap_or(0);
                if end_line.as_small_int().is_some_and(|l| l != n) {
                    end = length + 1;
                }
                // Marks do not go beyond the text.
                let offset = offset.min(length + 1);
                end = end.min(length + 1);
                if end <= 0 || end == offset {
                    end = offset + 1;
                }
                let column = offset - 1 - indent as i64;
                if column >= 0 {
                    let marks = (end - offset).max(1) as usize;
                    out.push_str(&format!(
                        "    {}{}\n",
                        " ".repeat(column as usize),
                        "^".repeat(marks)
                    ));
                }
            }
        }
    }
    let msg = if msg.is_none() {
        "<no detail available>".to_owned()
    } else {
        vm.str(&msg)
            .map(|s| s.to_text().into_owned())
            .unwrap_or_default()
    };
    out.push_str(&format!("{name}: {msg}\n"));
}

/// `. Did you mean: 'x'?`, as CPython computes it for names, attributes and imports.
fn suggestion(vm: &mut Vm, e: &Value) -> String {
    use crate::builtins::exceptions::field;
    let class = class_of(e).clone();
    let texts = |vm: &mut Vm, values: Vec<Value>| -> Vec<String> {
        let _ = vm;
        values
            .iter()
            .filter_map(|v| v.as_ref::<Str>())
            .map(|s| s.to_text().into_owned())
            .collect()
    };
    if class.is_subclass_of(Exc::NameError.class()) {
        let wrong = field(vm, e, 0);
        let Some(wrong) = wrong.as_ref::<Str>().map(|s| s.to_text().into_owned()) else {
            return String::new();
        };
        let Some(last) = entries(vm, e).pop() else {
            return String::new();
        };
        let mut names: Vec<String> = last
            .code
            .varnames
            .iter()
            .chain(&last.code.freevars)
            .map(|n| n.to_text().into_owned())
            .collect();
        let globals: Vec<Value> = last
            .globals
            .map
            .get(vm)
            .iter()
            .map(|x| x.key.clone())
            .collect();
        names.extend(texts(vm, globals));
        let builtins: Vec<Value> = vm
            .builtins
            .map
            .get(vm)
            .iter()
            .map(|x| x.key.clone())
            .collect();
        names.extend(texts(vm, builtins));
        if let Some(s) = crate::vm::unwind::closest(&wrong, names.iter().map(String::as_str)) {
            return format!(". Did you mean: '{s}'?");
        }
        if crate::modules::exists(&wrong) && class.same(Exc::NameError.class()) {
            return format!(". Did you forget to import '{wrong}'?");
        }
        return String::new();
    }
    let (wrong, object) = if class.is_subclass_of(Exc::AttributeError.class()) {
        (field(vm, e, 0), field(vm, e, 1))
    } else if class.is_subclass_of(Exc::ImportError.class()) {
        let (module, wrong) = (field(vm, e, 1), field(vm, e, 3));
        let Some(name) = module.as_ref::<Str>() else {
            return String::new();
        };
        (
            wrong,
            vm.modules.get_str(vm, name).cloned().unwrap_or(Value::NONE),
        )
    } else {
        return String::new();
    };
    let Some(wrong) = wrong.as_ref::<Str>().map(|s| s.to_text().into_owned()) else {
        return String::new();
    };
    if object.is_none() && !class.is_subclass_of(Exc::AttributeError.class()) {
        return String::new();
    }
    let names = match crate::builtins::publish::dir_of(vm, &object) {
        Ok(v) => vm.collect(&v).unwrap_or_default(),
        Err(_) => {
            let _ = vm.take_error();
            return String::new();
        }
    };
    let mut names = texts(vm, names);
    if !wrong.starts_with('_') {
        names.retain(|n| !n.starts_with('_'));
    }
    names.sort();
    match crate::vm::unwind::closest(&wrong, names.iter().map(String::as_str)) {
        Some(s) => format!(". Did you mean: '{s}'?"),
        None => String::new(),
    }
}

/// The line of the outermost frame that is in the given file: what a user sees as "the line that failed".
pub fn line_in(vm: &Vm, e: &Value, file: &str) -> Option<u32> {
    if class_of(e).is_subclass_of(Exc::SyntaxError.class()) {
        return crate::builtins::exceptions::field(vm, e, 2)
            .as_small_int()
            .map(|n| n as u32);
    }
    entries(vm, e)
        .iter()
        .rev()
        .find(|f| f.code.source.file.to_text() == file)
        .map(|f| f.code.line_at(f.instr as usize))
}
