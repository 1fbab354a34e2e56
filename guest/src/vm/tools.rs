//! Tools: functions of the host that the program calls like its own.
//!
//! A tool is a Python function whose body is one call of native code: so binding of arguments, its errors, `help()` and `inspect` are those of any
//! function. The body hands the bound arguments to the host. This room knows nothing of what a tool does, and nothing of event loops
//! (`_tools` has those).

use super::ops::class_of;
use super::policy::Origin;
use super::{R, Raised, Vm};
use crate::heap::{self, Payload, Ref, VmCell};
use crate::names::{self, Names};
use crate::objects::code::{Code, NO_COUNT, Source};
use crate::objects::dict::Dict;
use crate::objects::exception::{Exc, Exception};
use crate::objects::function::Function;
use crate::objects::list::List;
use crate::objects::native::{Def, Native};
use crate::objects::string::Str;
use crate::objects::tuple::Tuple;
use crate::objects::types::Type;
use crate::transfer;
use crate::value::Value;
use crate::vm::args::Args;
use crate::vm::host::ToolError;
use coldframe_compiler::code::{BlockKind, Flags, Proto, Span};
use coldframe_compiler::op::{Instr, Op};
use coldframe_frontend::LineIndex;
use std::cell::Cell;
use std::rc::Rc;

/// The file that code of tools is said to come from. Frames of it are not in tracebacks: they hold no line of anybody's.
pub(crate) const FILE: &str = "<tool>";

/// `co_flags`: a call gives a coroutine.
const COROUTINE: i64 = 0x80;

/// How a tool is called.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// The program waits for it.
    Plain,
    /// A call gives a coroutine.
    Coroutine,
    /// What it returns is the program's final answer.
    Final,
    /// Its first argument is the program's final answer; the host is not asked.
    Answer,
}

/// What the machine knows of tools.
#[derive(Default)]
pub struct Tools {
    /// The names that are bound now, in `builtins` or (second) in the main module, and what they were bound to.
    bound: Vec<(Ref<Str>, bool, Value)>,
    /// The exception classes that the host declared.
    classes: Vec<(String, Value)>,
    /// The class of the exception by which a final answer leaves the program; made when first needed.
    final_class: Option<Ref<Type>>,
    /// The final answer of the program that is running, or was last run.
    pub(crate) answer: Option<Value>,
    /// The exception of a final answer got lost where nothing can be raised: it is raised again at the next poll.
    overdue: bool,
}

impl Tools {
    /// Before a program runs.
    pub(crate) fn begin(&mut self) {
        self.answer = None;
        self.overdue = false;
    }
}

static CALL: Def = Def::raw_method("call", "(self, /, *arguments)", call_tool);
static ANNOTATE: Def = Def::method("__annotate__", "(self, format, /)", annotate);

impl Vm {
    /// Defines the tools that `definitions` lists (see `define-tools` in the contract) in place of those defined before.
    pub fn define_tools(&mut self, definitions: &[u8]) -> Result<(), String> {
        let all = transfer::decode(self, definitions)?;
        let parsed = parse(self, &all)?;
        self.undefine_tools();
        for class in parsed.classes {
            self.define_error_class(class)?;
        }
        let source = Rc::new(Source::new(
            names::intern(FILE),
            LineIndex::new(""),
            Origin::Library,
        ));
        for tool in parsed.tools {
            let name = names::intern(&tool.name);
            let function = self.tool_function(tool, &source);
            self.bind_tool(name, function);
        }
        Ok(())
    }

    /// What the names of the last tools still stand for goes, what the program made of them stays.
    fn undefine_tools(&mut self) {
        let (main, builtins) = (self.main.dict.clone(), self.builtins.clone());
        for (name, in_main, value) in std::mem::take(&mut self.tools.bound) {
            let namespace = if in_main { &main } else { &builtins };
            let is_still_there = namespace
                .get_str(self, &name)
                .is_some_and(|v| v.is_same(&value));
            if is_still_there {
                namespace.remove_str(self, &name);
            }
            if let Some(own) = self.policy.own_builtins()
                && own.get_str(self, &name).is_some_and(|v| v.is_same(&value))
            {
                own.remove_str(self, &name);
            }
        }
        self.tools.classes.clear();
    }

    /// Names of tools are like those of builtins: the program may hide them. A tool with the name of a builtin hides that one in the main module
    /// only, since the library needs it.
    fn bind_tool(&mut self, name: Ref<Str>, value: Value) {
        let builtins = self.builtins.clone();
        let in_main = builtins.get_str(self, &name).is_some();
        let namespace = if in_main {
            self.main.dict.clone()
        } else {
            builtins
        };
        namespace.set_str(self, &name, value.clone());
        // The program may have builtins of its own.
        if let (Some(own), false) = (self.policy.own_builtins(), in_main) {
            own.set_str(self, &name, value.clone());
        }
        self.tools.bound.push((name, in_main, value));
    }

    fn define_error_class(&mut self, class: ErrorClass) -> Result<(), String> {
        let Some(base) = self.error_class(&class.base) else {
            return Err(format!("there is no exception class {:?}", class.base));
        };
        let n = Names::get();
        let namespace = Dict::new();
        namespace.set_str(self, &n.__module__, n.builtins.to_value());
        namespace.set_str(self, &n.__doc__, class.doc);
        let name = Str::value(&class.name);
        let arguments = [name, Tuple::value(vec![base]), Value::from_ref(namespace)];
        let made = self.call(&Type::class().to_value(), &arguments);
        let Ok(made) = made else {
            drop(self.take_error());
            return Err(format!("the class {:?} cannot be made", class.name));
        };
        self.bind_tool(names::intern(&class.name), made.clone());
        self.tools.classes.push((class.name, made));
        Ok(())
    }

    /// The exception class that the host means by a name.
    fn error_class(&self, name: &str) -> Option<Value> {
        let declared = self.tools.classes.iter().find(|(n, _)| n == name);
        if let Some((_, class)) = declared {
            return Some(class.clone());
        }
        Exc::HIERARCHY
            .iter()
            .find(|(_, n, _)| *n == name)
            .map(|(exc, ..)| exc.class().to_value())
    }

    fn tool_function(&mut self, tool: Definition, source: &Rc<Source>) -> Value {
        let code = tool_code(&tool, source);
        let (globals, builtins) = (self.main.dict.clone(), self.builtins.clone());
        let texts: Vec<Value> = tool
            .annotations
            .iter()
            .map(|(name, text)| {
                Tuple::value(vec![names::intern(name).to_value(), Str::value(text)])
            })
            .collect();
        let annotate = if texts.is_empty() {
            Value::NONE
        } else {
            Native::bound_to(&ANNOTATE, Tuple::value(texts))
        };
        let defaults = if tool.defaults.is_empty() {
            Value::NONE
        } else {
            Tuple::value(tool.defaults)
        };
        let kwdefaults = if tool.keyword_defaults.is_empty() {
            Value::NONE
        } else {
            let dict = Dict::new();
            for (name, value) in tool.keyword_defaults {
                dict.set_str(self, &names::intern(&name), value);
            }
            Value::from_ref(dict)
        };
        let function = crate::builtins::functions::new_function(
            self,
            &code,
            globals,
            builtins,
            Vec::new(),
            defaults,
            kwdefaults,
            annotate,
        );
        if let Some(f) = function.as_ref::<Function>() {
            let state = f.state.get_mut(self);
            state.doc = tool.doc;
            state.module = Names::get().builtins.to_value();
        }
        function
    }

    // ---- what a call comes to

    /// Gives what the host replied: its value, or the exception raised.
    pub(crate) fn tool_reply(&mut self, reply: Result<Vec<u8>, ToolError>) -> R {
        match reply {
            Ok(bytes) => match transfer::decode(self, &bytes) {
                Ok(value) => Ok(value),
                Err(reason) => Err(self.runtime_error(format!(
                    "what the tool returned cannot enter the sandbox: {reason}"
                ))),
            },
            Err((type_name, message)) => {
                // The host may have ended the call because the program has to stop.
                self.poll()?;
                Err(self.raise_tool_error(&type_name, &message))
            }
        }
    }

    /// Raises the exception that a tool's error stands for.
    pub(crate) fn raise_tool_error(&mut self, type_name: &str, message: &str) -> Raised {
        let Some(class) = self.error_class(type_name) else {
            return self.runtime_error(format!("{type_name}: {message}"));
        };
        match self.call(&class, &[Str::value(message)]) {
            Ok(e) if e.is::<Exception>() => self.raise_value(e),
            Ok(_) => self.runtime_error(format!("{type_name}: {message}")),
            // Some classes want more than a message.
            Err(raised) => match self.swallow_any(raised) {
                Ok(()) => self.runtime_error(format!("{type_name}: {message}")),
                Err(raised) => raised,
            },
        }
    }

    // ---- the final answer

    /// Leaves the program with its final answer: an exception that runs `finally` blocks and that no `except` clause sees.
    fn raise_final_answer(&mut self, value: Value) -> Raised {
        self.tools.answer = Some(value);
        self.raise_final_answer_again()
    }

    fn raise_final_answer_again(&mut self) -> Raised {
        self.tools.overdue = false;
        let class = match self.tools.final_class.clone() {
            Some(class) => class,
            None => {
                let n = Names::get();
                let namespace = Dict::new();
                namespace.set_str(self, &n.__module__, n.builtins.to_value());
                let base = Exc::BaseException.class().to_value();
                let arguments = [
                    Str::value("FinalAnswer"),
                    Tuple::value(vec![base]),
                    Value::from_ref(namespace),
                ];
                let made = match self.call(&Type::class().to_value(), &arguments) {
                    Ok(made) => made,
                    Err(raised) => return raised,
                };
                match made.as_ref::<Type>() {
                    Some(class) => self.tools.final_class.insert(class.clone()).clone(),
                    None => return self.system_error("no class for final answers"),
                }
            }
        };
        self.raise_args(&class, Tuple::empty())
    }

    /// Whether this exception carries a final answer out of the program.
    #[inline]
    pub(crate) fn is_final_answer(&self, exception: &Value) -> bool {
        self.tools
            .final_class
            .as_ref()
            .is_some_and(|class| class_of(exception).same(class))
    }

    /// Whether a final answer is on its way.
    pub(crate) fn final_answer_is_pending(&self) -> bool {
        self.pending
            .as_ref()
            .is_some_and(|e| self.is_final_answer(e))
    }

    /// The exception of a final answer ended where nothing can be raised (in a finaliser, say).
    pub(crate) fn postpone_final_answer(&mut self) {
        self.tools.overdue = self.tools.answer.is_some();
    }

    /// At a poll: raises what was postponed.
    #[inline]
    pub(crate) fn raise_postponed_answer(&mut self) -> R<()> {
        if self.tools.overdue {
            return Err(self.raise_final_answer_again());
        }
        Ok(())
    }

    /// Takes the final answer of the program that has just run.
    pub fn take_final_answer(&mut self) -> Option<Value> {
        self.tools.answer.take()
    }
}

/// The body of every tool. The receiver is a tuple: the tool's name, how it is called, the names of the parameters.
fn call_tool(vm: &mut Vm, args: Args) -> R {
    let [tool, values @ ..] = args.positional() else {
        return Err(vm.type_error("no tool"));
    };
    let tool = tool.clone();
    let Some([name, mode, parameters]) = tool.as_ref::<Tuple>().map(|t| t.items()) else {
        return Err(vm.type_error("no tool"));
    };
    let (Some(text), Some(mode)) = (name.as_ref::<Str>(), mode_of(mode)) else {
        return Err(vm.type_error("no tool"));
    };
    let text = text.to_text().into_owned();
    if mode == Mode::Answer {
        let answer = values.first().cloned().unwrap_or(Value::NONE);
        return Err(vm.raise_final_answer(answer));
    }
    let arguments = List::value(values.to_vec());
    let bytes = match transfer::encode(vm, &arguments) {
        Ok(bytes) => bytes,
        Err(reason) => return Err(cannot_leave(vm, &text, values, parameters, reason)),
    };
    drop(arguments);
    match mode {
        Mode::Coroutine => {
            let module = vm.import_module("_tools")?;
            let call = names::intern("call");
            let arguments = [name.clone(), crate::objects::bytes::Bytes::value(bytes)];
            vm.call_method(&module, &call, &arguments)
        }
        _ => {
            crate::objects::host_object::release_gone(vm);
            let reply = vm.host.call_tool(&text, &bytes);
            let value = vm.tool_reply(reply)?;
            if mode == Mode::Final {
                return Err(vm.raise_final_answer(value));
            }
            Ok(value)
        }
    }
}

/// The error for arguments that cannot cross; it names the first of them.
#[cold]
fn cannot_leave(
    vm: &mut Vm,
    tool: &str,
    values: &[Value],
    parameters: &Value,
    reason: String,
) -> Raised {
    let names: &[Value] = parameters.as_ref::<Tuple>().map_or(&[], |t| t.items());
    for (value, name) in values.iter().zip(names) {
        if let (Err(reason), Some(name)) = (transfer::encode(vm, value), name.as_ref::<Str>()) {
            let text = format!("{tool}(): argument '{}': {reason}", name.to_text());
            return vm.type_error(text);
        }
    }
    vm.type_error(format!("{tool}(): {reason}"))
}

/// `__annotate__` of a tool: evaluates the texts of its annotations in the namespace of `typing`. What cannot be evaluated stays a text.
fn annotate(vm: &mut Vm, args: &[Value]) -> R {
    const VALUE_WITH_FAKE_GLOBALS: i64 = 2;
    const STRING: i64 = 4;
    let format = vm.index_i64(&args[1])?;
    if !(1..=STRING).contains(&format) || format == VALUE_WITH_FAKE_GLOBALS {
        return Err(vm.not_implemented_error(""));
    }
    let result = Dict::new();
    let texts = vm.collect(&args[0])?;
    for pair in &texts {
        let Some([name, text]) = pair.as_ref::<Tuple>().map(|t| t.items()) else {
            continue;
        };
        let (Some(name), Some(source)) = (name.as_ref::<Str>(), text.as_ref::<Str>()) else {
            continue;
        };
        let value = if format == STRING {
            text.clone()
        } else {
            let source = source.to_text().into_owned();
            match evaluate(vm, &source) {
                Ok(value) => value,
                Err(raised) => {
                    vm.swallow_any(raised)?;
                    text.clone()
                }
            }
        };
        result.set_str(vm, name, value);
    }
    Ok(Value::from_ref(result))
}

fn evaluate(vm: &mut Vm, source: &str) -> R {
    let typing = vm.import_module("typing")?;
    let options = coldframe_compiler::Options::default();
    let code = vm.compile_expression(source, FILE, &options)?;
    let Some(globals) = typing
        .as_ref::<crate::objects::module::Module>()
        .map(|m| m.dict.clone())
    else {
        return Err(vm.runtime_error("no typing"));
    };
    vm.run_code(&code, &globals, None)
}

fn mode_of(value: &Value) -> Option<Mode> {
    match value.as_int()?.to_i64()? {
        0 => Some(Mode::Plain),
        1 => Some(Mode::Coroutine),
        2 => Some(Mode::Final),
        3 => Some(Mode::Answer),
        _ => None,
    }
}

// ---- definitions, as the host sends them

/// An exception class that tools raise.
struct ErrorClass {
    name: String,
    base: String,
    doc: Value,
}

/// A tool as the host describes it.
struct Definition {
    name: String,
    doc: Value,
    mode: i64,
    /// Name and text of each annotation, that of the return value last.
    annotations: Vec<(String, String)>,
    /// Names in the order of a function's registers.
    parameters: Vec<String>,
    posonly: u16,
    args: u16,
    kwonly: u16,
    varargs: bool,
    varkeywords: bool,
    defaults: Vec<Value>,
    keyword_defaults: Vec<(String, Value)>,
}

struct Parsed {
    classes: Vec<ErrorClass>,
    tools: Vec<Definition>,
}

/// The most parameters that a function can have here.
const MAX_PARAMETERS: usize = 10_000;

fn items<'a>(vm: &'a Vm, value: &'a Value) -> Result<&'a [Value], String> {
    match value.as_ref::<List>() {
        Some(list) => Ok(list.items.get(vm)),
        None => Err("a definition has a wrong form".to_owned()),
    }
}

fn text(value: &Value) -> Result<String, String> {
    match value.as_ref::<Str>() {
        Some(s) => Ok(s.to_text().into_owned()),
        None => Err("a name in a definition is no string".to_owned()),
    }
}

fn number(value: &Value) -> Result<i64, String> {
    value
        .as_int()
        .and_then(|n| n.to_i64())
        .ok_or_else(|| "a number in a definition is none".to_owned())
}

fn parse(vm: &Vm, all: &Value) -> Result<Parsed, String> {
    let wrong = || "a definition has a wrong form".to_owned();
    let [classes, tools] = items(vm, all)? else {
        return Err(wrong());
    };
    let mut parsed = Parsed {
        classes: Vec::new(),
        tools: Vec::new(),
    };
    for class in items(vm, classes)? {
        let [name, base, doc] = items(vm, class)? else {
            return Err(wrong());
        };
        parsed.classes.push(ErrorClass {
            name: text(name)?,
            base: text(base)?,
            doc: doc.clone(),
        });
    }
    for tool in items(vm, tools)? {
        parsed.tools.push(parse_tool(vm, tool)?);
    }
    Ok(parsed)
}

fn parse_tool(vm: &Vm, tool: &Value) -> Result<Definition, String> {
    let wrong = || "a definition has a wrong form".to_owned();
    let [name, doc, mode, returns, parameters] = items(vm, tool)? else {
        return Err(wrong());
    };
    let mut def = Definition {
        name: text(name)?,
        doc: doc.clone(),
        mode: number(mode)?,
        annotations: Vec::new(),
        parameters: Vec::new(),
        posonly: 0,
        args: 0,
        kwonly: 0,
        varargs: false,
        varkeywords: false,
        defaults: Vec::new(),
        keyword_defaults: Vec::new(),
    };
    mode_of(mode).ok_or_else(wrong)?;
    let parameters = items(vm, parameters)?;
    if parameters.len() > MAX_PARAMETERS {
        return Err("a tool has too many parameters".to_owned());
    }
    // Registers have another order than signatures: `*args` follows the keyword-only parameters.
    let mut star = None;
    for parameter in parameters {
        // Name, kind, annotation or none, and the default if there is one.
        let (name, kind, annotation, default) = match items(vm, parameter)? {
            [name, kind, annotation] => (name, kind, annotation, None),
            [name, kind, annotation, default] => (name, kind, annotation, Some(default)),
            _ => return Err(wrong()),
        };
        let name = text(name)?;
        if !annotation.is_none() {
            def.annotations.push((name.clone(), text(annotation)?));
        }
        let default = default.cloned();
        let kind = number(kind)?;
        match (kind, default) {
            (0 | 1, default) => {
                def.args += 1;
                def.posonly += u16::from(kind == 0);
                match default {
                    Some(value) => def.defaults.push(value),
                    None if !def.defaults.is_empty() => return Err(wrong()),
                    None => {}
                }
            }
            (2, None) if star.is_none() => {
                def.varargs = true;
                star = Some(name);
                continue;
            }
            (3, default) => {
                def.kwonly += 1;
                if let Some(value) = default {
                    def.keyword_defaults.push((name.clone(), value));
                }
            }
            (4, None) if !def.varkeywords => {
                def.varkeywords = true;
                def.parameters.extend(star.take());
            }
            _ => return Err(wrong()),
        }
        def.parameters.push(name);
    }
    def.parameters.extend(star);
    if !returns.is_none() {
        def.annotations.push(("return".to_owned(), text(returns)?));
    }
    Ok(def)
}

/// The code of a tool: a call of [`CALL`] with the values of all parameters.
fn tool_code(tool: &Definition, source: &Rc<Source>) -> Ref<Code> {
    let count = tool.parameters.len() as u16;
    let varnames: Vec<Ref<Str>> = tool.parameters.iter().map(|p| names::intern(p)).collect();
    let name = names::intern(&tool.name);
    // The window of the call follows the parameters: callee, no receiver, arguments.
    let base = count;
    let mut instrs = vec![Instr::with_imm(Op::LoadConst, 0, base, 0)];
    for i in 0..count {
        instrs.push(Instr::new(Op::Take, 0, base + 2 + i, i, 0));
    }
    instrs.push(Instr::new(Op::Call, 0, base, base, count));
    instrs.push(Instr::new(Op::Return, 0, base, base + 1, 0));
    let flags = Flags {
        varargs: tool.varargs,
        varkeywords: tool.varkeywords,
        optimized: true,
        ..Flags::default()
    };
    let nregs = base + 2 + count;
    let spans = vec![Span::default(); instrs.len()];
    let proto = Rc::new(Proto {
        kind: BlockKind::Function,
        flags,
        posonly: tool.posonly,
        args: tool.args,
        kwonly: tool.kwonly,
        cells: Vec::new(),
        captures: Vec::new(),
        nregs,
        first_line: 1,
        instrs,
        spans: spans.into(),
        handlers: Vec::new(),
    });
    let parameters = Tuple::value(varnames.iter().map(Ref::to_value).collect());
    let receiver = Tuple::value(vec![name.to_value(), Value::int(tool.mode), parameters]);
    heap::alloc(Code {
        source: source.clone(),
        name: name.clone(),
        qualname: name,
        varnames,
        freevars: Vec::new(),
        consts: vec![Native::bound_to(&CALL, receiver)],
        names: Box::new([]),
        caches: VmCell::new(Vec::new()),
        is_ready: Cell::new(false),
        param_count: count,
        simple: !tool.varargs && !tool.varkeywords && tool.kwonly == 0,
        line_shift: 0,
        changed_flags: if tool.mode == 1 { COROUTINE } else { 0 },
        plain_args: Cell::new(NO_COUNT),
        nregs: u32::from(nregs),
        proto,
    })
}
