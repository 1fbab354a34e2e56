//! Programs: compiling source, running it in the main module, and telling how it ended.

use super::host::Stream;
use super::policy::Origin;
use super::{R, Stop, Vm};
use crate::heap::Ref;
use crate::names::{self, Names};
use crate::objects::code::{Code, Source};
use crate::objects::dict::Dict;
use crate::objects::exception::Exc;
use crate::objects::function::Function;
use crate::objects::list::List;
use crate::objects::string::Str;
use crate::value::Value;
use coldframe_compiler::code::Compiled;
use coldframe_frontend::{LineIndex, SyntaxError};
use std::rc::Rc;

/// How a program ended that was not a success.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FailureKind {
    /// It does not compile.
    Syntax,
    /// An exception that nothing caught.
    Exception,
    /// `SystemExit`
    Exit,
    /// An exception that nothing caught, because the policy refused something.
    Refused,
    /// Stopped by the host or a limit.
    Stopped(Stop),
    /// A `MemoryError` that nothing caught.
    Memory,
    /// A `RecursionError` that nothing caught.
    Recursion,
}

/// A failed program.
#[derive(Clone, Debug)]
pub struct Failure {
    /// How it ended.
    pub kind: FailureKind,
    /// Name of the exception class.
    pub type_name: String,
    /// `str()` of the exception.
    pub message: String,
    /// Line in the program.
    pub line: Option<u32>,
    /// What CPython would print.
    pub traceback: String,
    /// What smolagents would say, if the policy asks for it.
    pub agent_text: Option<String>,
    /// Exit status of `SystemExit`.
    pub exit_code: i32,
}

impl Vm {
    /// Compiles a module. `want_value` keeps the value of a last expression statement.
    pub fn compile_module(&mut self, source: &str, file: &str, want_value: bool) -> R<Ref<Code>> {
        let options = coldframe_compiler::Options {
            want_value,
            ..coldframe_compiler::Options::default()
        };
        self.compile_with(source, file, &options)
    }

    /// Compiles a module of the library.
    pub fn compile_library(&mut self, source: &str, file: &str) -> R<Ref<Code>> {
        let options = coldframe_compiler::Options::default();
        self.compile_as(source, file, &options, Origin::Library)
    }

    /// Compiles a module with options.
    pub fn compile_with(
        &mut self,
        source: &str,
        file: &str,
        options: &coldframe_compiler::Options,
    ) -> R<Ref<Code>> {
        let options = coldframe_compiler::Options {
            count_loops: self.policy.while_iterations.is_some(),
            ..*options
        };
        let origin = self.origin_of_text();
        self.compile_as(source, file, &options, origin)
    }

    fn compile_as(
        &mut self,
        source: &str,
        file: &str,
        options: &coldframe_compiler::Options,
        origin: Origin,
    ) -> R<Ref<Code>> {
        crate::builtins::compiling::check_literals(self, source, file)?;
        let parsed = if options.top_level_await {
            coldframe_frontend::parse_module_tree(source)
        } else {
            coldframe_frontend::parse_module(source)
        };
        self.poll_work(source.len())?;
        let compiled = parsed.and_then(|module| {
            coldframe_compiler::compile_module(&module.ast, &module.lines, options)
                .map(|proto| (proto, module.lines))
        });
        self.poll_work(source.len())?;
        self.link_compiled(compiled, file, origin)
    }

    /// Makes a code object of what the compiler made, or raises its error.
    fn link_compiled(
        &mut self,
        compiled: Result<(Rc<Compiled>, LineIndex), SyntaxError>,
        file: &str,
        origin: Origin,
    ) -> R<Ref<Code>> {
        match compiled {
            Ok((proto, lines)) => {
                let source = Rc::new(Source::new(names::intern(file), lines, origin));
                Code::link(self, &proto, &source)
            }
            Err(error) => {
                let e = crate::builtins::exceptions::syntax_error(self, &error, file);
                Err(self.raise_value(e))
            }
        }
    }

    /// Compiles an expression for `eval`.
    pub fn compile_expression(
        &mut self,
        source: &str,
        file: &str,
        options: &coldframe_compiler::Options,
    ) -> R<Ref<Code>> {
        crate::builtins::compiling::check_literals(self, source, file)?;
        let parsed = if options.top_level_await {
            coldframe_frontend::parse_expression_tree(source)
        } else {
            coldframe_frontend::parse_expression(source)
        };
        let compiled = parsed.and_then(|e| {
            coldframe_compiler::compile_expression(&e.ast, &e.lines, options)
                .map(|proto| (proto, e.lines))
        });
        let origin = self.origin_of_text();
        self.link_compiled(compiled, file, origin)
    }

    /// Runs module code with these globals (and, for `exec`, a namespace of its own).
    pub fn run_code(
        &mut self,
        code: &Ref<Code>,
        globals: &Ref<Dict>,
        namespace: Option<Value>,
    ) -> R {
        self.run_code_with(code, globals, namespace, Vec::new())
    }

    /// Runs code with these globals, a namespace of its own, and cells for its free variables, as many as it has.
    pub fn run_code_with(
        &mut self,
        code: &Ref<Code>,
        globals: &Ref<Dict>,
        namespace: Option<Value>,
        cells: Vec<Ref<crate::objects::function::Cell>>,
    ) -> R {
        use coldframe_compiler::code::BlockKind;
        if cells.len() != code.freevars.len() {
            return Err(self.type_error(format!(
                "code object requires a closure of exactly length {}",
                code.freevars.len()
            )));
        }
        // Functions keep their locals to themselves; class bodies cannot do without a namespace.
        let namespace = match code.proto.kind {
            BlockKind::Function => None,
            BlockKind::Class => Some(namespace.unwrap_or_else(|| globals.to_value())),
            BlockKind::Module => namespace,
        };
        let n = Names::get();
        let given = globals.get_str(self, &n.__builtins__).cloned();
        if let Some(fewer) = self.builtins_instead(code.source.origin, given.as_ref()) {
            globals.set_str(self, &n.__builtins__, fewer);
        }
        if globals.get_str(self, &n.__builtins__).is_none() {
            let builtins = self
                .modules
                .get_str(self, &n.builtins)
                .cloned()
                .unwrap_or(Value::NONE);
            globals.set_str(self, &n.__builtins__, builtins);
        }
        let builtins = match globals.get_str(self, &n.__builtins__) {
            Some(v) => match (
                v.as_ref::<Dict>(),
                v.as_ref::<crate::objects::module::Module>(),
            ) {
                (Some(d), _) => d.clone(),
                (_, Some(m)) => m.dict.clone(),
                _ => {
                    // Looking a builtin up will raise what subscription raises.
                    let other = v.clone();
                    let stand_in = Dict::new();
                    stand_in.set_str(self, &super::variables::foreign_builtins(), other);
                    stand_in
                }
            },
            None => self.builtins.clone(),
        };
        let f = crate::builtins::functions::new_function(
            self,
            code,
            globals.clone(),
            builtins,
            cells,
            Value::NONE,
            Value::NONE,
            Value::NONE,
        );
        let Some(f) = f.as_ref::<Function>().cloned() else {
            return Err(self.system_error("no function"));
        };
        match namespace {
            Some(ns) => self.run_with_namespace(&f, ns),
            None => self.call_function(&f, super::args::Args::positional_only(&[])),
        }
    }

    /// Runs a program in the main module. The value is that of a last expression statement, when it is wanted and there is one.
    pub fn run_program(
        &mut self,
        source: &str,
        file: &str,
        want_value: bool,
    ) -> Result<Option<Value>, Failure> {
        let options = coldframe_compiler::Options {
            want_value,
            ..coldframe_compiler::Options::default()
        };
        self.run_program_with(source, file, &options)
    }

    /// Runs a program that is compiled with these options. A program that awaits at its own level runs on the event loop of the session.
    pub fn run_program_with(
        &mut self,
        source: &str,
        file: &str,
        options: &coldframe_compiler::Options,
    ) -> Result<Option<Value>, Failure> {
        self.prepare();
        self.abandon_threads();
        self.tools.begin();
        self.forget_refusal();
        if !file.starts_with('<') {
            self.program = Some((file.to_owned(), source.to_owned()));
            self.name_program(file);
        }
        let main = self.main.dict.clone();
        let result = self.compile_with(source, file, options).and_then(|code| {
            main.set_str(self, &Names::get().__file__, Str::value(file));
            let result = self.run_code(&code, &main, None)?;
            if !code.proto.flags.coroutine {
                return Ok(result);
            }
            let module = self.import_module("_tools")?;
            self.call_method(&module, &names::intern("run"), &[result])
        });
        // A final answer stands, even if a `finally` block kept its exception in or raised another one.
        let answered = self.tools.answer.is_some() && self.stopped.is_none();
        if answered {
            self.pending = None;
        }
        if result.is_ok() || answered {
            self.run_finalizers();
            self.flush_outputs();
        }
        let mut result = result;
        if self.threads.is_any_suspended() {
            if !answered && self.stopped.is_none() {
                result = self.await_threads(result);
            }
            if self.stopped.is_none() {
                self.run_finalizers();
            }
            self.drop_suspended();
            if self.stopped.is_none() {
                self.abandon_threads();
            }
        }
        let outcome = match result {
            _ if answered && self.stopped.is_none() => Ok(self.last_value.take()),
            Ok(_) if self.stopped.is_none() => Ok(self.last_value.take()),
            _ => Err(self.failure(file)),
        };
        self.tidy_up();
        outcome
    }

    /// Gives `sys.argv[0]` its value, unless a program has changed it.
    fn name_program(&mut self, file: &str) {
        let Some(sys) = self.modules.get_str(self, &Names::get().sys).cloned() else {
            return;
        };
        let argv = sys
            .as_ref::<crate::objects::module::Module>()
            .and_then(|sys| sys.dict.get_str(self, &names::intern("argv")).cloned());
        if let Some(list) = argv.as_ref().and_then(|v| v.as_ref::<List>())
            && let [name] = list.items.get(self).as_slice()
            && name
                .as_ref::<Str>()
                .is_some_and(|s| s.as_bytes().is_empty())
        {
            let list = list.clone();
            list.items.get_mut(self)[0] = Str::value(file);
        }
    }

    /// The program has come to its end: waits for its threads, except those that are daemons. Their trouble is not that of a program that has failed itself.
    fn await_threads(&mut self, result: R) -> R {
        let pending = self.pending.take();
        let module = self.import_module("_thread");
        let shutdown = &names::intern("_shutdown");
        let waited = module.and_then(|module| self.call_method(&module, shutdown, &[]));
        match (waited, result) {
            (Err(raised), _) if self.stopped.is_some() || self.final_answer_is_pending() => {
                Err(raised)
            }
            (Err(raised), Ok(_)) => Err(raised),
            (_, result) => {
                self.pending = pending;
                result
            }
        }
    }

    /// Tells the library of threads that were dropped.
    fn abandon_threads(&mut self) {
        if !std::mem::take(&mut self.threads.stale) {
            return;
        }
        let pending = self.pending.take();
        let module = self.import_module("_thread");
        let abandon = &names::intern("_abandon");
        let done = module.and_then(|module| self.call_method(&module, abandon, &[]));
        if done.is_ok() {
            self.pending = pending;
        }
    }

    /// Makes a clean machine for what comes.
    fn prepare(&mut self) {
        self.stopped = None;
        self.pending = None;
        self.last_value = None;
        self.repr_active.clear();
        self.reset_threads();
        self.enlarge_stack();
        crate::heap::set_budget(super::dispatch::POLL_INTERVAL);
    }

    /// Whatever happened, the next program starts from a clean machine.
    fn tidy_up(&mut self) {
        while self.pop_frame().is_some() {}
        self.handled = Value::NONE;
        self.native_depth = 0;
    }

    /// Does work between programs in which Python code (of the library, say) may run. What it raises is its own business; whether it was
    /// stopped is forgotten when it is done.
    pub fn outside_program<T>(&mut self, work: impl FnOnce(&mut Vm) -> T) -> T {
        self.prepare();
        let result = work(self);
        self.stopped = None;
        self.pending = None;
        self.tidy_up();
        result
    }

    /// Hands over what waits in the standard outputs, when the program has put others in their place.
    fn flush_outputs(&mut self) {
        let n = Names::get();
        let Some(sys) = self.modules.get_str(self, &n.sys).cloned() else {
            return;
        };
        for name in [&n.stdout, &n.stderr] {
            let Ok(Some(file)) = self.get_attr_opt(&sys, &name.to_value()) else {
                continue;
            };
            if !file.is_none() && crate::modules::sys::stream_of(self, &file).is_none() {
                // An output that cannot be flushed (it may be closed) is not the program's failure any more.
                if let Err(raised) = self.call_method(&file, &n.flush, &[]) {
                    let _ = self.swallow_any(raised);
                }
            }
        }
    }

    /// The `repr()` of a program's value, as part of the program: it may run Python code, raise and be stopped.
    pub fn program_repr(&mut self, value: &Value, file: &str) -> Result<String, Failure> {
        let text = self.repr(value);
        match text {
            Ok(text) if self.stopped.is_none() => Ok(text.to_text().into_owned()),
            _ => Err(self.failure(file)),
        }
    }

    /// The variables of the main module in the order in which they were bound, without the module's own (`__name__` and the like): name, type, and `repr`
    /// cut to so many bytes. A `repr` that raises is told as such. The error is a limit that was reached.
    pub fn program_variables(
        &mut self,
        limit: usize,
    ) -> Result<Vec<(String, String, String)>, Failure> {
        self.stopped = None;
        self.pending = None;
        self.repr_active.clear();
        crate::heap::set_budget(super::dispatch::POLL_INTERVAL);
        let entries: Vec<(Value, Value)> = self
            .main
            .dict
            .map
            .get(self)
            .iter()
            .map(|e| (e.key.clone(), e.value.clone()))
            .collect();
        let mut variables = Vec::new();
        for (key, value) in entries {
            let Some(name) = key.as_ref::<Str>().map(|s| s.to_text().into_owned()) else {
                continue;
            };
            if name.starts_with("__") && name.ends_with("__") {
                continue;
            }
            let type_name = self.class_of(&value).name().to_string();
            let mut text = match self.repr(&value) {
                Ok(text) => text.to_text().into_owned(),
                Err(_) if self.stopped.is_some() => String::new(),
                Err(_) => {
                    let error = self.take_error();
                    format!("<repr raised {}>", self.class_of(&error).name())
                }
            };
            if self.stopped.is_some() {
                return Err(self.failure("<string>"));
            }
            text.truncate(text.floor_char_boundary(limit));
            variables.push((name, type_name, text));
        }
        Ok(variables)
    }

    /// Lists what a source imports, without running it; it must compile.
    pub fn list_imports(
        &mut self,
        source: &str,
    ) -> Result<Vec<coldframe_frontend::Import>, Failure> {
        let file = "<string>";
        match coldframe_frontend::parse_module(source) {
            Ok(module) if self.compile_module(source, file, false).is_ok() => {
                Ok(coldframe_frontend::imports(&module.ast, &module.lines))
            }
            Ok(_) => Err(self.failure(file)),
            Err(error) => {
                let e = crate::builtins::exceptions::syntax_error(self, &error, file);
                let _ = self.raise_value(e);
                Err(self.failure(file))
            }
        }
    }

    /// Describes the pending exception and forgets it.
    fn failure(&mut self, file: &str) -> Failure {
        if let Some(stop) = self.stopped.take() {
            self.pending = None;
            let (type_name, message) = match stop {
                Stop::Time => ("TimeoutError", "the time limit was reached"),
                Stop::Fuel => ("RuntimeError", "the fuel limit was reached"),
                Stop::Cancelled => ("KeyboardInterrupt", "the run was cancelled"),
                Stop::Output => ("RuntimeError", "the output limit was reached"),
                Stop::Memory => ("MemoryError", "the memory limit was reached"),
                Stop::Iterations => ("RuntimeError", "the limit of iterations was reached"),
            };
            let message = match (stop, self.policy.while_iterations) {
                (Stop::Iterations, Some(limit)) => {
                    format!("Maximum number of {limit} iterations in While loop exceeded")
                }
                _ => message.to_owned(),
            };
            let agent_text = self.agent_text_of_stop(stop);
            let line = self
                .frames
                .iter()
                .rev()
                .find(|f| f.code.source.file.to_text() == file)
                .map(|f| f.code.line_at(f.instr()));
            return Failure {
                kind: FailureKind::Stopped(stop),
                type_name: type_name.to_owned(),
                message: message.clone(),
                line,
                traceback: format!("{type_name}: {message}\n"),
                agent_text,
                exit_code: 0,
            };
        }
        let e = self.take_error();
        let class = self.class_of(&e).clone();
        let is = |exc: Exc| class.is_subclass_of(exc.class());
        let mut exit_code = 1;
        let kind = if is(Exc::SystemExit) {
            exit_code = self.exit_code(&e);
            FailureKind::Exit
        } else if is(Exc::MemoryError) {
            FailureKind::Memory
        } else if is(Exc::RecursionError) {
            FailureKind::Recursion
        } else if is(Exc::SyntaxError) && crate::builtins::tracebacks::entries(self, &e).is_empty()
        {
            FailureKind::Syntax
        } else if self.is_refusal(&e) {
            FailureKind::Refused
        } else {
            FailureKind::Exception
        };
        let message = match self.str(&e) {
            Ok(s) => s.to_text().into_owned(),
            Err(_) => {
                let _ = self.take_error();
                String::new()
            }
        };
        let agent_text = self.agent_text_of(&e, file, &message);
        let line = crate::builtins::tracebacks::line_in(self, &e, file);
        let traceback = crate::builtins::tracebacks::format(self, &e);
        if self.stopped.is_some() {
            // Telling of the exception ran code of the program's, which did not end.
            return self.failure(file);
        }
        Failure {
            kind,
            type_name: class.name().into_owned(),
            message,
            line,
            traceback,
            agent_text,
            exit_code,
        }
    }

    /// The exit status that a `SystemExit` asks for; a message goes to standard error.
    fn exit_code(&mut self, e: &Value) -> i32 {
        let code = crate::builtins::exceptions::field(self, e, 0);
        if code.is_none() {
            return 0;
        }
        if let Some(i) = code.as_int() {
            return i.to_i64().map_or(-1, |i| i as i32);
        }
        if let Ok(s) = self.str(&code) {
            let text = format!("{}\n", s.to_text());
            self.host.write(Stream::Stderr, text.as_bytes());
        }
        1
    }

    /// For native loops that may run long: polls now and then.
    #[inline]
    pub fn poll_native(&mut self) -> R<()> {
        if crate::heap::spend_budget() {
            self.poll()
        } else {
            Ok(())
        }
    }

    /// For native loops whose every turn does much: polls when that was as much as so many steps.
    pub fn poll_work(&mut self, steps: usize) -> R<()> {
        crate::heap::charge(steps);
        self.poll_native()
    }
}
