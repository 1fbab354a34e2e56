//! Frame objects: their Python side.

use crate::class_slot;
use crate::heap::{self, Payload, Ref, VmCell};
use crate::names::Names;
use crate::objects::code::Code;
use crate::objects::dict::Dict;
use crate::objects::exception::TraceEntry;
use crate::objects::function::{Cell, Function};
use crate::objects::generator::{Generator, GeneratorStatus};
use crate::objects::native::Def;
use crate::objects::slots::Slots;
use crate::objects::string::Str;
use crate::objects::types::ClassBuilder;
use crate::value::Value;
use crate::vm::frame::Frame;
use crate::vm::{R, Vm};
use std::cell::Cell as StdCell;

/// Payload of `frame`. While the frame runs it looks at the machine's frame; afterwards it has what that had in its named registers.
pub struct FrameObject {
    code: Ref<Code>,
    globals: Ref<Dict>,
    builtins: Ref<Dict>,
    /// Depth of the machine's frame while it runs.
    depth: StdCell<Option<usize>>,
    /// Instruction, once it does not run any more.
    instr: StdCell<usize>,
    /// `f_locals`, once it has ended and somebody asked: `UNDEF` before.
    locals: VmCell<Value>,
    /// The named registers of a function's frame that has ended, until they are among the locals.
    registers: VmCell<Vec<Value>>,
    /// The function whose frame it is, for its closure.
    function: Option<Ref<Function>>,
    back: VmCell<Value>,
    /// A weak reference to the generator that is suspended in it, or `None`.
    generator: VmCell<Value>,
}

// SAFETY: visits everything held.
unsafe impl Payload for FrameObject {
    class_slot!();
    fn traverse(&self, visit: &mut dyn FnMut(&Value)) {
        self.code.with_value(&mut *visit);
        self.globals.with_value(&mut *visit);
        self.builtins.with_value(&mut *visit);
        if let Some(function) = &self.function {
            function.with_value(&mut *visit);
        }
        // SAFETY: the collector runs while no borrow of any payload lives.
        unsafe {
            visit(self.locals.peek());
            self.registers.peek().iter().for_each(&mut *visit);
            visit(self.back.peek());
            visit(self.generator.peek());
        }
    }
    fn clear(&mut self) {
        *self.locals.exclusive() = Value::UNDEF;
        self.registers.exclusive().clear();
        *self.back.exclusive() = Value::NONE;
        *self.generator.exclusive() = Value::NONE;
    }
}

/// The name of the module that a frame's code belongs to, if it has one.
pub(crate) fn module_name(vm: &Vm, frame: &Value) -> Option<Value> {
    let globals = &frame.as_ref::<FrameObject>()?.globals;
    globals.get_str(vm, &Names::get().__name__).cloned()
}

/// Builds the classes.
pub(crate) fn init(vm: &mut Vm) {
    let frame = ClassBuilder::new::<FrameObject>("frame").slots(Slots {
        repr: Some(|vm, f| {
            let line = current_line(vm, this(f));
            let code = &this(f).code;
            Ok(Str::value(&format!(
                "<frame at {:#x}, file '{}', line {line}, code {}>",
                f.bits(),
                code.source.file.to_text(),
                code.name.to_text()
            )))
        }),
        ..Slots::NONE
    });
    frame
        .getset(vm, "f_code", |_, f| Ok(this(f).code.to_value()), None)
        .getset(
            vm,
            "f_globals",
            |vm, f| {
                let globals = this(f).globals.clone();
                vm.check_namespace(&globals)?;
                Ok(globals.to_value())
            },
            None,
        )
        .getset(
            vm,
            "f_builtins",
            |vm, f| {
                let builtins = this(f).builtins.clone();
                vm.check_namespace(&builtins)?;
                Ok(builtins.to_value())
            },
            None,
        )
        .getset(vm, "f_locals", f_locals, None)
        .getset(
            vm,
            "f_lineno",
            |vm, f| Ok(Value::int(current_line(vm, this(f)).into())),
            None,
        )
        .getset(
            vm,
            "f_lasti",
            |vm, f| Ok(Value::int(current_instr(vm, this(f)) as i64 * 2)),
            None,
        )
        .getset(vm, "f_back", f_back, None)
        .getset(
            vm,
            "f_trace",
            |_, _| Ok(Value::NONE),
            Some(|_, _, _| Ok(())),
        )
        .getset(
            vm,
            "f_generator",
            |vm, f| {
                let f = this(f).clone();
                generator_of(vm, &f)
            },
            None,
        )
        .methods(vm, METHODS)
        .build(vm);
}

fn this(v: &Value) -> &Ref<FrameObject> {
    match v.as_ref::<FrameObject>() {
        Some(f) => f,
        None => unreachable!("the descriptor has checked the receiver"),
    }
}

static METHODS: &[Def] = &[Def::method("clear", "(self, /)", |vm, args| {
    let f = this(&args[0]).clone();
    if f.depth.get().is_some() {
        return Err(vm.runtime_error("cannot clear an executing frame"));
    }
    drop(f.locals.replace(vm, Value::from_ref(Dict::new())));
    drop(f.registers.replace(vm, Vec::new()));
    if let Some(generator) = generator_of(vm, &f)?.as_ref::<Generator>().cloned() {
        match generator.state.get(vm).status {
            GeneratorStatus::Suspended => {
                return Err(vm.runtime_error("cannot clear a suspended frame"));
            }
            _ => super::generators::finalize(vm, &generator)?,
        }
    }
    Ok(Value::NONE)
})];

/// The generator whose frame it is.
fn generator_of(vm: &mut Vm, f: &FrameObject) -> R {
    if let Some(frame) = f.depth.get().and_then(|d| vm.frames.get(d)) {
        return Ok(frame.generator.as_ref().map_or(Value::NONE, Ref::to_value));
    }
    let link = f.generator.get(vm).clone();
    if link.is_none() {
        return Ok(link);
    }
    vm.call(&link, &[])
}

fn current_instr(vm: &Vm, f: &FrameObject) -> usize {
    match f.depth.get().and_then(|d| vm.frames.get(d)) {
        Some(frame) => frame.instr(),
        None => f.instr.get(),
    }
}

fn current_line(vm: &Vm, f: &FrameObject) -> u32 {
    f.code.line_at(current_instr(vm, f))
}

/// The frame object `depth` frames below the top (0: the running function).
pub fn of_depth(vm: &mut Vm, depth: usize) -> Option<Value> {
    let index = vm.frames.len().checked_sub(depth + 1)?;
    Some(at_index(vm, index))
}

fn at_index(vm: &mut Vm, index: usize) -> Value {
    let frame = &vm.frames[index];
    if let Some(o) = &frame.object {
        return o.clone();
    }
    let object = Value::from_ref(heap::alloc(FrameObject {
        code: frame.code.clone(),
        globals: frame.function.globals.clone(),
        builtins: frame.function.builtins.clone(),
        depth: StdCell::new(Some(index)),
        instr: StdCell::new(0),
        locals: VmCell::new(Value::UNDEF),
        registers: VmCell::new(Vec::new()),
        function: Some(frame.function.clone()),
        back: VmCell::new(Value::UNDEF),
        generator: VmCell::new(Value::NONE),
    }));
    vm.frames[index].object = Some(object.clone());
    object
}

/// The object of the top frame, which an exception is about to leave: the traceback keeps it. Those that called it are not kept for its sake.
pub(crate) fn of_leaving(vm: &mut Vm) -> Option<Value> {
    let index = vm.frames.len().checked_sub(1)?;
    if let Some(object) = &vm.frames[index].object {
        return Some(object.clone());
    }
    let object = at_index(vm, index);
    drop(this(&object).back.replace(vm, Value::NONE));
    Some(object)
}

/// The frame ends, or its generator is suspended: its object keeps what it needs. Of a frame that ends it takes the named registers.
pub(crate) fn detach(vm: &mut Vm, object: &Value, frame: &Frame, ends: bool) {
    use coldframe_compiler::code::BlockKind;
    let f = this(object).clone();
    f.instr.set(frame.instr());
    if frame.code.proto.kind == BlockKind::Function {
        // SAFETY: named registers are among the frame's, and nothing runs that uses them.
        let named =
            unsafe { std::slice::from_raw_parts_mut(frame.base, frame.code.varnames.len()) };
        let registers = if ends {
            named
                .iter_mut()
                .map(|v| std::mem::replace(v, Value::UNDEF))
                .collect()
        } else {
            named.to_vec()
        };
        drop(f.registers.replace(vm, registers));
    } else {
        let locals = locals_of(vm, frame);
        drop(f.locals.replace(vm, locals));
    }
    let depth = f.depth.take();
    if f.back.get(vm).is_undef() {
        let back = match depth {
            // Whoever has kept a frame can go on to those that called it.
            Some(d) if d > 0 && d <= vm.frames.len() => at_index(vm, d - 1),
            _ => Value::NONE,
        };
        drop(f.back.replace(vm, back));
    }
}

fn f_back(vm: &mut Vm, f: &Value) -> R {
    let f = this(f).clone();
    match f.depth.get() {
        Some(0) => Ok(Value::NONE),
        Some(d) => Ok(at_index(vm, d - 1)),
        None => {
            let back = f.back.get(vm).clone();
            Ok(if back.is_undef() { Value::NONE } else { back })
        }
    }
}

fn f_locals(vm: &mut Vm, f: &Value) -> R {
    let f = this(f).clone();
    if let Some(d) = f.depth.get() {
        return Ok(locals_at(vm, d));
    }
    let locals = f.locals.get(vm).clone();
    if !locals.is_undef() {
        return Ok(locals);
    }
    let registers = f.registers.replace(vm, Vec::new());
    let closure = f.function.as_ref().map(|function| function.closure.clone());
    let locals = named_values(vm, &f.code, &registers, &closure.unwrap_or_default());
    drop(f.locals.replace(vm, locals.clone()));
    Ok(locals)
}

fn locals_at(vm: &mut Vm, index: usize) -> Value {
    let frame: *const Frame = &vm.frames[index];
    // SAFETY: making the dictionary runs no Python code, so the list of frames does not change.
    locals_of(vm, unsafe { &*frame })
}

/// The locals of a frame: its namespace, or a fresh dictionary of its registers and cells.
fn locals_of(vm: &mut Vm, frame: &Frame) -> Value {
    use coldframe_compiler::code::BlockKind;
    if frame.code.proto.kind != BlockKind::Function {
        return match frame.aux.defined() {
            Some(namespace) => namespace.clone(),
            None => frame.function.globals.to_value(),
        };
    }
    // SAFETY: named registers are among the frame's, and making the dictionary runs nothing that changes them.
    let registers = unsafe { std::slice::from_raw_parts(frame.base, frame.code.varnames.len()) };
    named_values(vm, &frame.code, registers, &frame.function.closure)
}

/// A dictionary of what a function's registers and cells hold by name.
fn named_values(
    vm: &mut Vm,
    code: &Ref<Code>,
    registers: &[Value],
    closure: &[Ref<Cell>],
) -> Value {
    let dict = Dict::new();
    for (i, (name, register)) in code.varnames.iter().zip(registers).enumerate() {
        let mut v = register.clone();
        if code.proto.cells.contains(&(i as u16))
            && let Some(cell) = v.as_ref::<Cell>().cloned()
        {
            v = cell.contents.get(vm).clone();
        }
        if !v.is_undef() && !name.as_bytes().starts_with(b".") {
            dict.set_str(vm, name, v);
        }
    }
    for (name, cell) in code.freevars.iter().zip(closure) {
        let v = cell.contents.get(vm).clone();
        if !v.is_undef() {
            dict.set_str(vm, name, v);
        }
    }
    Value::from_ref(dict)
}

/// What `super()` without arguments means in the running function: the class that the function was written in, and the first argument. The error is the
/// text of a `RuntimeError`. (`super().name` is compiled, and does not come here.)
pub(crate) fn super_arguments(vm: &Vm) -> Result<(Value, Value), &'static str> {
    let Some(frame) = vm.frames.last().filter(|f| f.code.param_count > 0) else {
        return Err("super(): no arguments");
    };
    // SAFETY: the parameters are the first of the frame's registers.
    let mut me = unsafe { (*frame.base).clone() };
    if frame.code.proto.cells.contains(&0)
        && let Some(cell) = me.as_ref::<Cell>().cloned()
    {
        me = cell.contents.get(vm).clone();
    }
    if me.is_undef() {
        return Err("super(): arg[0] deleted");
    }
    let found = frame
        .code
        .freevars
        .iter()
        .position(|name| name.same(&crate::names::Names::get().__class__));
    match found
        .and_then(|i| frame.function.closure.get(i))
        .map(|cell| cell.contents.get(vm).clone())
    {
        None => Err("super(): __class__ cell not found"),
        Some(class) if class.is_undef() => Err("super(): empty __class__ cell"),
        Some(class) => Ok((class, me)),
    }
}

/// `locals()` of the running function.
pub fn current_locals(vm: &mut Vm) -> Value {
    match vm.frames.len() {
        0 => Value::from_ref(Dict::new()),
        n => locals_at(vm, n - 1),
    }
}

/// A frame object for an entry of a traceback whose frame is gone.
pub(crate) fn of_entry(vm: &mut Vm, entry: &TraceEntry) -> Value {
    // It may still run: then the entry's frame is the machine's.
    let running = vm
        .frames
        .iter()
        .rposition(|f| f.code.same(&entry.code) && f.function.globals.same(&entry.globals));
    if let Some(index) = running {
        return at_index(vm, index);
    }
    Value::from_ref(heap::alloc(FrameObject {
        code: entry.code.clone(),
        globals: entry.globals.clone(),
        builtins: vm.builtins.clone(),
        depth: StdCell::new(None),
        instr: StdCell::new(entry.instr as usize),
        locals: VmCell::new(Value::UNDEF),
        registers: VmCell::new(Vec::new()),
        function: None,
        back: VmCell::new(Value::NONE),
        generator: VmCell::new(Value::NONE),
    }))
}

/// The traceback entry that stands for a frame object.
pub(crate) fn trace_entry(vm: &Vm, frame: &Value) -> Option<TraceEntry> {
    let f = frame.as_ref::<FrameObject>()?;
    Some(TraceEntry {
        code: f.code.clone(),
        instr: current_instr(vm, f) as u32,
        globals: f.globals.clone(),
        frame: Some(frame.clone()),
    })
}

/// `gi_frame` and its like.
pub(crate) fn of_generator(vm: &mut Vm, g: &Value) -> R {
    let Some(g) = g.as_ref::<Generator>().cloned() else {
        return Ok(Value::NONE);
    };
    match g.state.get(vm).status {
        GeneratorStatus::Finished => Ok(Value::NONE),
        GeneratorStatus::Running => {
            let index = vm
                .frames
                .iter()
                .rposition(|f| f.generator.as_ref().is_some_and(|x| x.same(&g)));
            Ok(index.map_or(Value::NONE, |i| at_index(vm, i)))
        }
        _ => {
            let code = g.function.code.get(vm).clone();
            let instr = (g.state.get(vm).pc as usize).saturating_sub(1);
            let registers: Vec<Value> = g.state.get(vm).registers.to_vec();
            let locals = named_values(vm, &code, &registers, &g.function.closure);
            // A frame object does not keep the generator alive.
            let link = super::weakrefs::reference(vm, &g.to_value())?;
            Ok(Value::from_ref(heap::alloc(FrameObject {
                code,
                globals: g.function.globals.clone(),
                builtins: g.function.builtins.clone(),
                depth: StdCell::new(None),
                instr: StdCell::new(instr),
                locals: VmCell::new(locals),
                registers: VmCell::new(Vec::new()),
                function: None,
                back: VmCell::new(Value::NONE),
                generator: VmCell::new(link),
            })))
        }
    }
}
