//! Answers the sandbox when it calls tools. Names, numbers and arguments come from the sandbox: nothing of them is taken for granted.

use std::sync::PoisonError;
use std::time::{Duration, Instant};

use wasmtime::StoreContextMut;
use wasmtime::component::{LinkerInstance, WasmList};

use super::call::{ProgressSink, SharedSink};
use super::running::{EndOfRun, Running};
use super::{Call, Mode, Pending, ToolError, Tools, guard};
use crate::imports::State;
use crate::imports::bindings::coldframe::sandbox::host::{ToolError as WitError, ToolReply};
use crate::object::Objects;
use crate::value::Value;

/// What a session knows of its tools.
#[derive(Default)]
pub(crate) struct SessionTools {
    set: Option<Tools>,
    sink: SharedSink,
    running: Running,
    objects: Objects,
    last_call: u64,
    /// Calls in this run.
    calls: u64,
    /// Time that the program has waited for tools in this run.
    time: Duration,
}

impl SessionTools {
    /// Before a run. What it returns must live as long as the run.
    pub(crate) fn begin(&mut self) -> EndOfRun {
        self.calls = 0;
        self.time = Duration::ZERO;
        EndOfRun(self.running.clone())
    }

    pub(crate) fn set_sink(&mut self, sink: Option<ProgressSink>) {
        *self.sink.lock().unwrap_or_else(PoisonError::into_inner) = sink;
    }

    pub(crate) fn calls(&self) -> u64 {
        self.calls
    }

    pub(crate) fn time(&self) -> Duration {
        self.time
    }

    /// Whether the session has exactly these tools.
    pub(crate) fn has(&self, tools: &Tools) -> bool {
        self.set.as_ref().is_some_and(|set| set.same(tools))
    }

    pub(crate) fn objects(&self) -> &Objects {
        &self.objects
    }

    pub(crate) fn put_objects(&mut self, objects: Objects) {
        self.objects = objects;
    }

    pub(crate) fn set(&self) -> Option<Tools> {
        self.set.clone()
    }

    pub(crate) fn put(&mut self, tools: Option<Tools>) {
        self.set = tools;
    }
}

impl From<ToolError> for WitError {
    fn from(error: ToolError) -> WitError {
        WitError {
            type_name: error.type_name,
            message: error.message,
        }
    }
}

type Reply = Result<Vec<u8>, WitError>;

/// Defines the functions of the interface that have to do with tools.
pub(crate) fn link(host: &mut LinkerInstance<'_, State>) -> wasmtime::Result<()> {
    host.func_wrap_async(
        "call-tool",
        |mut store: StoreContextMut<'_, State>, (name, arguments): (String, WasmList<u8>)| {
            let body = prepare(&mut store, &name, &arguments, false);
            Box::new(async move { Ok((call(store, body).await,)) })
        },
    )?;
    host.func_wrap(
        "start-tool",
        |mut store: StoreContextMut<'_, State>, (name, arguments): (String, WasmList<u8>)| {
            let started = prepare(&mut store, &name, &arguments, true).map(|body| {
                let bytes = arguments.as_le_slice(&store).len() as u64;
                let tools = &mut store.data_mut().tools;
                tools.last_call += 1;
                tools.running.start(tools.last_call, body, bytes);
                tools.last_call
            });
            Ok((started.map_err(WitError::from),))
        },
    )?;
    host.func_wrap_async(
        "wait-tool",
        |store: StoreContextMut<'_, State>, (length,): (Option<u64>,)| {
            Box::new(async move { Ok((wait(store, length.map(Duration::from_nanos)).await,)) })
        },
    )?;
    host.func_wrap(
        "drop-tool",
        |store: StoreContextMut<'_, State>, (call,): (u64,)| {
            store.data().tools.running.drop_call(call);
            Ok(())
        },
    )?;
    host.func_wrap(
        "release-handle",
        |store: StoreContextMut<'_, State>, (handle,): (u64,)| {
            store.data().tools.objects.release(handle);
            Ok(())
        },
    )?;
    host.func_wrap(
        "handle-attribute",
        |store: StoreContextMut<'_, State>, (handle, name): (u64, String)| {
            let state = store.data();
            let value = guard::read(|| state.tools.objects.attribute(handle, &name));
            Ok((encode(state, value).map_err(WitError::from),))
        },
    )
}

/// Checks a call and makes its body, which does nothing yet.
fn prepare(
    store: &mut StoreContextMut<'_, State>,
    name: &str,
    arguments: &WasmList<u8>,
    beside: bool,
) -> Result<Pending, ToolError> {
    let state = store.data();
    let (most_calls, most_bytes) = (state.limits.tool_calls(), state.limits.tool_bytes());
    let set = state.tools.set.as_ref();
    let tool = set
        .and_then(|set| set.find(name))
        .filter(|tool| match tool.0.mode {
            Mode::Plain | Mode::Final => !beside,
            Mode::Coroutine => beside,
            Mode::Answer => false,
        })
        .cloned()
        .ok_or_else(|| {
            ToolError::new(
                "NameError",
                format!("the host has no tool '{name}' of this kind"),
            )
        })?;
    if state.tools.calls >= most_calls {
        return Err(ToolError::runtime(format!(
            "the limit of {most_calls} tool calls was reached"
        )));
    }
    let (sink, objects) = (state.tools.sink.clone(), state.tools.objects.clone());
    let bytes = arguments.as_le_slice(&*store);
    if bytes.len() as u64 > most_bytes {
        return Err(ToolError::new(
            "ValueError",
            format!(
                "{name}(): the arguments take {} bytes, at most {most_bytes} may leave the sandbox",
                bytes.len()
            ),
        ));
    }
    if beside {
        state.tools.running.room(bytes.len() as u64, most_bytes)?;
    }
    let arguments = Value::decode(bytes).map_err(|error| {
        ToolError::new("ValueError", format!("{name}(): wrong arguments: {error}"))
    })?;
    let call = Call::bind(&tool.0, arguments, sink, objects)?;
    store.data_mut().tools.calls += 1;
    Ok(guard::begin(&tool.0, call))
}

/// Encodes what a tool returned, and counts the objects in it.
fn encode(state: &State, outcome: Result<Value, ToolError>) -> Result<Vec<u8>, ToolError> {
    let value = outcome?;
    let bytes = value.encode()?;
    let most_bytes = state.limits.tool_bytes();
    if bytes.len() as u64 > most_bytes {
        return Err(ToolError::new(
            "ValueError",
            format!(
                "the tool's result takes {} bytes, at most {most_bytes} may enter the sandbox",
                bytes.len()
            ),
        ));
    }
    state.tools.objects.enter(&value)?;
    Ok(bytes)
}

async fn call(mut store: StoreContextMut<'_, State>, body: Result<Pending, ToolError>) -> Reply {
    let body = body?;
    let state = store.data();
    let end = state.stop.end(state.limits.counts_tool_time());
    let started = Instant::now();
    let outcome = tokio::select! {
        outcome = body => outcome,
        () = end => Err(ToolError::runtime("the run has to end")),
    };
    account(store.data_mut(), started.elapsed());
    Ok(encode(store.data(), outcome)?)
}

async fn wait(
    mut store: StoreContextMut<'_, State>,
    length: Option<Duration>,
) -> Option<ToolReply> {
    let state = store.data();
    let running = state.tools.running.clone();
    if running.is_empty() {
        // Then there is at most a timer to wait for, which is an ordinary sleep.
        if let Some(length) = length {
            state.stop.sleep(length).await;
        }
        return None;
    }
    let end = state.stop.end(state.limits.counts_tool_time());
    let timer = async {
        match length {
            None => std::future::pending().await,
            // The runtime may have to turn once for a tool to get on.
            Some(Duration::ZERO) => tokio::task::yield_now().await,
            // Far beyond any run's end the timer does not matter.
            Some(length) => tokio::time::sleep(length.min(Duration::from_secs(1 << 30))).await,
        }
    };
    let started = Instant::now();
    let reply = tokio::select! {
        biased;
        reply = running.next() => Some(reply),
        () = end => None,
        () = timer => None,
    };
    account(store.data_mut(), started.elapsed());
    let (call, outcome) = reply?;
    Some(ToolReply {
        call,
        outcome: encode(store.data(), outcome).map_err(WitError::from),
    })
}

/// The program waited that long for tools.
fn account(state: &mut State, waited: Duration) {
    state.tools.time += waited;
    state.stop.waited(waited, state.limits.counts_tool_time());
}
