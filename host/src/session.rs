//! A session: one live sandbox, and what it is asked to do.

use std::any::Any;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use wasmtime::component::Instance;
use wasmtime::{Store, Trap, UpdateDeadline};

use crate::backend::{Display, LeftBehind, Place};
use crate::engine::Engine;
use crate::error::{Error, ErrorKind, Exceeded, RunError};
use crate::imports::State;
use crate::imports::bindings::{self, Failure, FailureKind, RunOptions as WitRunOptions, Sandbox};
use crate::limits::Limits;
use crate::log::{Alive, ExecutionLog};
use crate::object::ObjectType;
use crate::output::{Collector, Output, Sink};
use crate::policy::Policy;
use crate::stop::{CancelHandle, Overdue};
use crate::tool::{ProgressSink, ToolError, Tools};
use crate::value::Value;

/// Fuel beyond the limit: what the guest may still burn between the checkpoint that it missed and the trap. Enough for
/// most single operations of the interpreter (it is some ten milliseconds' work at least, a tenth of a second's for a
/// large limit), so that running out of fuel normally leaves the session usable.
fn fuel_reserve(limit: u64) -> u64 {
    (limit / 4).clamp(50_000_000, 500_000_000)
}

/// What one call may copy out of the sandbox in strings and lists.
pub(crate) const MAX_COPIED: usize = 64 << 20;

/// One live Python session: variables, functions and imports stay from run to run.
///
/// It is driven by a tokio runtime with its timer on. A run that is dropped before its end loses the session.
pub struct Session {
    engine: Engine,
    store: Store<State>,
    instance: Instance,
    sandbox: Sandbox,
    cancel: CancelHandle,
    alive: bool,
    log: ExecutionLog,
    _alive: Alive,
}

/// How a program is run; see [`Session::run_with`].
pub struct RunOptions {
    pub(crate) file_name: String,
    pub(crate) want_value: bool,
    last: bool,
    pub(crate) keep_output: bool,
    pub(crate) sink: Option<Sink>,
    pub(crate) progress: Option<ProgressSink>,
    pub(crate) top_level_await: bool,
}

impl Default for RunOptions {
    fn default() -> Self {
        RunOptions {
            file_name: "<string>".to_owned(),
            want_value: true,
            last: false,
            keep_output: true,
            sink: None,
            progress: None,
            top_level_await: false,
        }
    }
}

impl RunOptions {
    /// The file name that tracebacks show; `<string>` if not set.
    pub fn file_name(mut self, name: impl Into<String>) -> Self {
        self.file_name = name.into();
        self
    }

    /// Whether the value of a last expression is wanted; yes if not set.
    pub fn want_value(mut self, wanted: bool) -> Self {
        self.want_value = wanted;
        self
    }

    /// Whether the session ends with this run; no if not set. Then what Python does at exit is part of the run: functions registered with
    /// `atexit` are called, and finalisers of what is still alive. The session's variables are gone afterwards.
    pub fn last(mut self, last: bool) -> Self {
        self.last = last;
        self
    }

    /// Whether the outcome holds the output; yes if not set. A sink gets it in any case.
    pub fn keep_output(mut self, keep: bool) -> Self {
        self.keep_output = keep;
        self
    }

    /// Receives output while the program runs. It must not block for long: the program waits for it.
    pub fn on_output(
        mut self,
        sink: impl FnMut(crate::Stream, &[u8]) -> bool + Send + 'static,
    ) -> Self {
        self.sink = Some(Box::new(sink));
        self
    }

    /// Whether the program may use `await`, `async for` and `async with` outside of functions, as in notebooks; no if not set. Such a program runs on an
    /// event loop that stays with the session: tasks that it leaves behind go on in the next run of this kind.
    pub fn top_level_await(mut self, allowed: bool) -> Self {
        self.top_level_await = allowed;
        self
    }

    /// Receives what tools report by [`Call::progress`](crate::Call::progress): the tool's name and the value. The tool waits for it.
    pub fn on_progress(mut self, sink: impl FnMut(&str, Value) + Send + 'static) -> Self {
        self.progress = Some(Box::new(sink));
        self
    }
}

/// What became of a run.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The value of a last expression, unless the program failed or the value is `None`.
    pub value: Option<LastValue>,
    /// Whether a final tool ended the run (see [`ToolBuilder::final_answer`](crate::ToolBuilder::final_answer)); its value is then in `value`, also
    /// when it is `None` (Python's).
    pub is_final_answer: bool,
    /// What the program wrote.
    pub output: Output,
    /// How it failed, if it did.
    pub error: Option<RunError>,
    /// What it used.
    pub usage: Usage,
    /// Where it ran.
    pub place: Place,
    /// What it showed that is more than text; a remote backend has that.
    pub displays: Vec<Display>,
    /// The variables that could not go there or come back, when a [`Router`](crate::backend::Router) moved the program.
    pub left_behind: Vec<LeftBehind>,
}

impl Outcome {
    /// How the run failed in the words of smolagents' executor, if it failed and the policy asks for them ([`Policy::with_agent_texts`]):
    /// `Code execution failed at line '...' due to: ...`, `Code parsing failed on line ...`.
    pub fn agent_text(&self) -> Option<&str> {
        self.error.as_ref()?.agent_text.as_deref()
    }
}

/// The value of a last expression.
#[derive(Clone, Debug, PartialEq)]
pub struct LastValue {
    /// Its `repr()`, cut to 65,536 bytes.
    pub repr: String,
    /// The value, when it can cross.
    pub value: Option<Value>,
}

/// What a run used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Usage {
    /// Units of fuel; the same for the same run on every machine, unless the clock or the caller ended it.
    pub fuel: u64,
    /// Wall-clock time.
    pub duration: Duration,
    /// The largest size of the sandbox's memory since the session began, in bytes.
    pub peak_memory: u64,
    /// Bytes written to stdout and stderr.
    pub output_bytes: u64,
    /// Calls of tools.
    pub tool_calls: u64,
    /// Wall-clock time for which the program waited for tools; it is part of `duration`.
    pub tool_time: Duration,
    /// The fuel in operations, at the rate of [`Limits::FUEL_PER_OPERATION`].
    pub operations: u64,
}

/// A variable of a session, as people look at it; see [`Session::list_variables`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// The name of its value's type.
    pub type_name: String,
    /// The `repr()` of its value, cut.
    pub repr: String,
}

/// One module that a source imports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Import {
    /// Dotted name, as written.
    pub module: String,
    /// Line of the statement (1-based).
    pub line: u32,
}

impl Session {
    /// A session as it lies in the image: the interpreter knows nothing of the policy yet.
    pub(crate) async fn start(engine: Engine, policy: Policy) -> Result<Session, Error> {
        let started = Instant::now();
        policy.check()?;
        let cancel = CancelHandle::default();
        let mut store = Store::new(engine.wasmtime(), State::new(policy, cancel.clone()));
        store.limiter(|state| &mut state.memory);
        store.set_hostcall_fuel(MAX_COPIED);
        store.epoch_deadline_callback(|mut store| match store.data_mut().stop.overdue() {
            Some(overdue) => Err(overdue.into()),
            None => Ok(UpdateDeadline::Yield(1)),
        });
        // Instantiation runs no code of the program's; its fuel is set by each run.
        store.set_epoch_deadline(u64::MAX / 2);
        store.set_fuel(u64::MAX).map_err(engine_error)?;
        let instance = match engine.sandbox().instantiate_async(&mut store).await {
            Ok(instance) => instance,
            Err(e) if e.is::<wasmtime::PoolConcurrencyLimitError>() => {
                return Err(Error::Busy {
                    sessions: engine.max_sessions(),
                });
            }
            Err(e) => return Err(engine_error(e)),
        };
        let sandbox = engine
            .indices()
            .load(&mut store, &instance)
            .map_err(engine_error)?;
        let files = store.data().limits.files();
        if files != Limits::DEFAULT_FILES {
            let set = sandbox.call_set_file_quota(&mut store, files).await;
            set.map_err(engine_error)?;
        }
        Ok(Session {
            engine,
            store,
            instance,
            sandbox,
            cancel,
            alive: true,
            log: ExecutionLog::default(),
            _alive: Alive::new(started.elapsed()),
        })
    }

    /// Tells the interpreter what it has to know of the policy.
    pub(crate) async fn configure(&mut self) -> Result<(), Error> {
        let Some(policy) = self.policy().for_guest() else {
            return Ok(());
        };
        let (result, _) = self
            .metered(async |sandbox, store| sandbox.call_configure(store, &policy).await)
            .await?;
        result?.map_err(Policy::refused)
    }

    /// Runs `source` with the default options.
    pub async fn run(&mut self, source: &str) -> Result<Outcome, Error> {
        self.run_with(source, RunOptions::default()).await
    }

    /// Runs `source`. Whatever the program does, also reach a limit, is an [`Outcome`]; an [`Error`] means that it did
    /// not run.
    #[tracing::instrument(name = "coldframe.run", level = "debug", skip_all, fields(file = %options.file_name, source_bytes = source.len()))]
    pub async fn run_with(&mut self, source: &str, options: RunOptions) -> Result<Outcome, Error> {
        let started = SystemTime::now();
        let wit_options = WitRunOptions {
            file_name: options.file_name,
            recursion_limit: self.limits().recursion(),
            want_value: options.want_value,
            last: options.last,
            top_level_await: options.top_level_await,
        };
        self.store.data_mut().output = Collector {
            keep: options.keep_output,
            sink: options.sink,
            limit: self.limits().output(),
            cut: self.policy().cut().cloned(),
            ..Collector::default()
        };
        self.store.data_mut().tools.set_sink(options.progress);
        let (result, usage) = self
            .metered(async |sandbox, store| sandbox.call_run(store, source, &wit_options).await)
            .await?;
        self.store.data_mut().tools.set_sink(None);
        let collector = std::mem::take(&mut self.store.data_mut().output);
        let is_final_answer = matches!(&result, Ok(Ok(Some(value))) if value.is_final);
        let (value, error) = match result {
            Ok(Ok(value)) => (value.map(last_value).transpose()?, None),
            Ok(Err(failure)) => (None, Some(inner(failure, collector.sink_closed))),
            Err(error) => (None, Some(error)),
        };
        let error = error.map(|mut error| {
            error.exceeded = Exceeded::of(error.kind, &usage, self.limits()).map(Box::new);
            if self.policy().has_agent_texts() && error.agent_text.is_none() {
                error.agent_text = Some(self.agent_text_of(&error).into_boxed_str());
            }
            error
        });
        let outcome = Outcome {
            value,
            is_final_answer,
            output: collector.finish(),
            error,
            usage,
            place: Place::Local,
            displays: Vec::new(),
            left_behind: Vec::new(),
        };
        self.log.note(started, source, &outcome);
        Ok(outcome)
    }

    /// Defines the tools that the session's programs may call, in place of those defined before. They are names like those of builtins: a program may
    /// hide them by its own.
    pub async fn set_tools(&mut self, tools: &Tools) -> Result<(), Error> {
        if self.store.data().tools.has(tools) {
            return Ok(());
        }
        let (result, _) = self
            .metered(async |sandbox, store| sandbox.call_define_tools(store, tools.encoded()).await)
            .await?;
        let result = result?;
        let defined = result.is_ok().then(|| tools.clone());
        self.store.data_mut().tools.put(defined);
        result.map_err(Error::Tools)
    }

    /// Binds a variable of the session's main module.
    pub async fn set_variable(&mut self, name: &str, value: &Value) -> Result<(), Error> {
        let bytes = value.encode()?;
        let objects = self.store.data().tools.objects();
        objects.enter(value).map_err(|error| Error::Variable {
            name: name.to_owned(),
            reason: error.message,
        })?;
        let (result, _) = self
            .metered(async |sandbox, store| sandbox.call_set_variable(store, name, &bytes).await)
            .await?;
        result?.map_err(|reason| Error::Variable {
            name: name.to_owned(),
            reason,
        })
    }

    /// A value that stands for an object of the host in this session, for [`Session::set_variable`]. Tools have [`Call::hand_in`](crate::Call::hand_in).
    ///
    /// # Errors
    /// When the session holds as many objects as it may.
    pub fn hand_in<T: Any + Send + Sync>(
        &self,
        kind: &ObjectType<T>,
        object: Arc<T>,
    ) -> Result<Value, ToolError> {
        self.store.data().tools.objects().hand_in(kind, object)
    }

    /// The object that a value of this session stands for, such as that of a last expression. The session holds it at least until the next run.
    ///
    /// # Errors
    /// When the value stands for no object of this session, or one of another type.
    pub fn find_object<T: Any + Send + Sync>(&self, value: &Value) -> Result<Arc<T>, ToolError> {
        self.store.data().tools.objects().find(value)
    }

    /// Reads a variable of the session's main module; `None` when there is no such variable.
    pub async fn get_variable(&mut self, name: &str) -> Result<Option<Value>, Error> {
        let (result, _) = self
            .metered(async |sandbox, store| sandbox.call_get_variable(store, name).await)
            .await?;
        let bytes = result?.map_err(|reason| Error::Variable {
            name: name.to_owned(),
            reason,
        })?;
        Ok(bytes.map(|bytes| Value::decode(&bytes)).transpose()?)
    }

    /// The variables of the session's main module in the order in which they were bound, with their `repr()` cut to `repr_limit` bytes. Classes of the session
    /// may have a `__repr__` of their own, so this runs under the limits of a run; reaching one is an [`Error::Run`].
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
    /// # let engine = coldframe::Engine::new()?;
    /// let mut session = engine.session(&coldframe::Limits::default()).await?;
    /// session.run("total = 6 * 7\ndef double(n): return 2 * n").await?;
    /// let variables = session.list_variables(200).await?;
    /// assert_eq!((variables[0].name.as_str(), variables[0].repr.as_str()), ("total", "42"));
    /// assert_eq!(variables[1].type_name, "function");
    /// # Ok::<(), coldframe::Error>(())
    /// # }).unwrap();
    /// ```
    pub async fn list_variables(&mut self, repr_limit: u32) -> Result<Vec<Variable>, Error> {
        let (result, _) = self
            .metered(async |sandbox, store| sandbox.call_list_variables(store, repr_limit).await)
            .await?;
        let variables = result?.map_err(|failure| inner(failure, false))?;
        Ok(variables
            .into_iter()
            .map(|v| Variable {
                name: v.name,
                type_name: v.type_name,
                repr: v.repr,
            })
            .collect())
    }

    /// Lists what `source` imports, also inside functions, without running it. A source that does not compile is an
    /// [`Error::Run`] of kind [`ErrorKind::Syntax`].
    pub async fn list_imports(&mut self, source: &str) -> Result<Vec<Import>, Error> {
        let (result, _) = self
            .metered(async |sandbox, store| sandbox.call_list_imports(store, source).await)
            .await?;
        let imports = result?.map_err(|failure| inner(failure, false))?;
        Ok(imports
            .into_iter()
            .map(|i| Import {
                module: i.module,
                line: i.line,
            })
            .collect())
    }

    /// Makes the session a fresh one: nothing of its variables, modules and files is left. Also brings back a session that was lost. The tools and the
    /// log stay, handles that cancel the session's runs go on to do so.
    pub async fn reset(&mut self) -> Result<(), Error> {
        let policy = self.policy().clone();
        let mut fresh = Session::start(self.engine.clone(), policy).await?;
        fresh.configure().await?;
        if let Some(tools) = self.store.data().tools.set() {
            fresh.set_tools(&tools).await?;
        }
        std::mem::swap(&mut fresh.log, &mut self.log);
        std::mem::swap(&mut fresh.cancel, &mut self.cancel);
        fresh.store.data_mut().stop.watch(fresh.cancel.clone());
        *self = fresh;
        Ok(())
    }

    /// What the session has done: the last runs one by one, and figures over all of them.
    pub fn log(&self) -> &ExecutionLog {
        &self.log
    }

    /// The log, to say how much it keeps.
    pub fn log_mut(&mut self) -> &mut ExecutionLog {
        &mut self.log
    }

    /// A handle that cancels this session's runs.
    pub fn cancel_handle(&self) -> CancelHandle {
        self.cancel.clone()
    }

    /// What the session's runs may use.
    pub fn limits(&self) -> &Limits {
        &self.store.data().limits
    }

    /// What the session's programs may do and use.
    pub fn policy(&self) -> &Policy {
        &self.store.data().policy
    }

    /// What is said to an agent of an end that the interpreter could not tell.
    fn agent_text_of(&self, error: &RunError) -> String {
        match error.kind {
            ErrorKind::Time => format!(
                "Code execution exceeded the maximum execution time of {} seconds",
                crate::policy::seconds(self.limits().time())
            ),
            ErrorKind::Fuel => format!(
                "Code execution failed due to: InterpreterError: Reached the max number of operations of {}. Maybe there is an infinite loop somewhere in \
                 the code, or you're just asking too many calculations.",
                self.limits().fuel() / Limits::FUEL_PER_OPERATION
            ),
            _ => format!("Code execution failed due to: {error}"),
        }
    }

    /// Gives the session up, as if it was lost.
    pub(crate) fn close(&mut self) {
        self.alive = false;
    }

    /// Whether the session can still be used.
    pub fn is_alive(&self) -> bool {
        self.alive
    }

    pub(crate) fn engine(&self) -> &Engine {
        &self.engine
    }

    pub(crate) fn store_mut(&mut self) -> &mut Store<State> {
        &mut self.store
    }

    /// Calls into the sandbox with all limits on. The inner error says how the outer ring ended the call.
    pub(crate) async fn metered<R>(
        &mut self,
        call: impl AsyncFnOnce(&Sandbox, &mut Store<State>) -> wasmtime::Result<R>,
    ) -> Result<(Result<R, RunError>, Usage), Error> {
        self.metered_raw(async |sandbox, _, store| call(sandbox, store).await)
            .await
    }

    /// The same for exports that are called by name.
    pub(crate) async fn metered_instance<R>(
        &mut self,
        call: impl AsyncFnOnce(&Instance, &mut Store<State>) -> wasmtime::Result<R>,
    ) -> Result<(Result<R, RunError>, Usage), Error> {
        self.metered_raw(async |_, instance, store| call(instance, store).await)
            .await
    }

    async fn metered_raw<R>(
        &mut self,
        call: impl AsyncFnOnce(&Sandbox, &Instance, &mut Store<State>) -> wasmtime::Result<R>,
    ) -> Result<(Result<R, RunError>, Usage), Error> {
        if !self.alive {
            return Err(Error::SessionLost);
        }
        if tokio::runtime::Handle::try_current().is_err() {
            return Err(Error::NoRuntime);
        }
        let started = Instant::now();
        let limit = self.limits().fuel();
        let state = self.store.data_mut();
        state.fuel_reserve = fuel_reserve(limit);
        state.memory.denied = false;
        let deadline = started + state.limits.time();
        state.stop.begin(deadline);
        let _end_of_run = state.tools.begin();
        let fuel = limit + fuel_reserve(limit);
        self.store.set_fuel(fuel).map_err(engine_error)?;
        self.store.set_epoch_deadline(1);

        // Should this future be dropped now, the guest is left in the middle of its work.
        self.alive = false;
        let running = self.engine.ticker().guard();
        let result = call(&self.sandbox, &self.instance, &mut self.store).await;
        drop(running);
        self.alive = result.is_ok();

        let burnt = fuel - self.store.get_fuel().unwrap_or(0);
        let usage = Usage {
            fuel: burnt,
            operations: burnt / Limits::FUEL_PER_OPERATION,
            duration: started.elapsed(),
            peak_memory: self.store.data().memory.size,
            output_bytes: self.store.data().output.written,
            tool_calls: self.store.data().tools.calls(),
            tool_time: self.store.data().tools.time(),
        };
        Ok((result.map_err(|error| self.outer(&error)), usage))
    }

    /// Tells what the outer ring stopped, or what broke.
    fn outer(&self, error: &wasmtime::Error) -> RunError {
        let out_of_memory = || RunError::outer(ErrorKind::Memory, "the memory limit was reached");
        if let Some(Overdue(kind)) = error.downcast_ref() {
            return match kind {
                ErrorKind::Time => RunError::outer(*kind, "the time limit was reached"),
                _ => RunError::outer(*kind, "the run was cancelled"),
            };
        }
        match error.downcast_ref::<Trap>() {
            Some(Trap::OutOfFuel) => RunError::outer(ErrorKind::Fuel, "the fuel limit was reached"),
            Some(Trap::StackOverflow) => {
                RunError::outer(ErrorKind::Recursion, "maximum recursion depth exceeded")
            }
            // The guest gives up by trapping when the allocator has nothing left.
            _ if self.store.data().memory.denied => out_of_memory(),
            Some(trap) => RunError::outer(ErrorKind::Fault, trap.to_string()),
            None => RunError::outer(ErrorKind::Fault, format!("{error:#}")),
        }
    }
}

fn engine_error(error: wasmtime::Error) -> Error {
    Error::Engine(format!("{error:#}"))
}

fn last_value(value: bindings::LastValue) -> Result<LastValue, Error> {
    let value_crossed = value
        .encoded
        .map(|bytes| Value::decode(&bytes))
        .transpose()?;
    Ok(LastValue {
        repr: value.repr,
        value: value_crossed,
    })
}

/// A failure that the guest reports itself; the session lives on.
fn inner(failure: Failure, sink_closed: bool) -> RunError {
    let kind = match failure.kind {
        FailureKind::Syntax => ErrorKind::Syntax,
        FailureKind::PythonException => ErrorKind::Exception,
        FailureKind::Exit => ErrorKind::Exit {
            code: failure.exit_code,
        },
        FailureKind::OutOfTime => ErrorKind::Time,
        FailureKind::OutOfFuel => ErrorKind::Fuel,
        FailureKind::Cancelled => ErrorKind::Cancelled,
        FailureKind::OutOfMemory => ErrorKind::Memory,
        FailureKind::OutOfOutput if sink_closed => ErrorKind::Cancelled,
        FailureKind::OutOfOutput => ErrorKind::Output,
        FailureKind::OutOfRecursion => ErrorKind::Recursion,
        FailureKind::OutOfIterations => ErrorKind::Iterations,
        FailureKind::Refused => ErrorKind::Refused,
    };
    RunError {
        kind,
        type_name: failure.type_name,
        message: failure.message,
        line: failure.line,
        traceback: failure.traceback,
        agent_text: failure.agent_text.map(String::into_boxed_str),
        session_lost: false,
        exceeded: None,
    }
}
