//! What the sandbox may call: the functions of the interface `host` in `wit/sandbox.wit`, and the stubs for what the
//! target's standard library imports whether it is used or not.

use std::time::Duration;

use wasmtime::StoreContextMut;
use wasmtime::component::{HasData, Linker, ResourceTable, WasmList};
use wasmtime_wasi::cli::{WasiCli, WasiCliView};
use wasmtime_wasi::p2::bindings::{cli, io};
use wasmtime_wasi::{WasiCtx, WasiCtxBuilder, WasiCtxView, WasiView};

use crate::limits::Limits;
use crate::output::{Collector, Stream};
use crate::policy::Policy;
use crate::policy::world::World;
use crate::stop::{CancelHandle, Stop};
use crate::tool::{self, SessionTools};

pub(crate) mod bindings {
    //! Generated from `wit/sandbox.wit`.
    #![allow(missing_docs, clippy::all, reason = "generated code")]
    wasmtime::component::bindgen!({
        path: "../wit",
        world: "sandbox",
        exports: { default: async },
    });
}

use bindings::coldframe::sandbox::host::{Stream as WitStream, Verdict};

/// Elements that a table may have; as in the pool.
pub(crate) const MAX_TABLE: usize = 20_000;

/// Random bytes that one call may ask for.
const MAX_ENTROPY: u32 = 65_536;

/// What the host knows about one sandbox: the data of its store.
pub(crate) struct State {
    pub(crate) limits: Limits,
    pub(crate) policy: Policy,
    pub(crate) world: World,
    pub(crate) output: Collector,
    pub(crate) memory: MemoryMeter,
    pub(crate) stop: Stop,
    pub(crate) tools: SessionTools,
    /// The fuel that is left in the store when the run's own fuel is used up.
    pub(crate) fuel_reserve: u64,
    wasi: WasiCtx,
    table: ResourceTable,
}

impl State {
    pub(crate) fn new(policy: Policy, cancel: CancelHandle) -> State {
        let limits = policy.limits().clone();
        State {
            world: World::new(&policy),
            policy,
            memory: MemoryMeter {
                limit: limits.memory(),
                size: 0,
                denied: false,
            },
            limits,
            output: Collector::default(),
            stop: Stop::new(cancel),
            tools: SessionTools::default(),
            fuel_reserve: 0,
            // No arguments, no environment, no directories, no sockets; stdin is empty, stdout and stderr go nowhere.
            // The seed is fixed so that a run burns the same fuel every time.
            wasi: WasiCtxBuilder::new().insecure_random_seed(0).build(),
            table: ResourceTable::new(),
        }
    }
}

impl WasiView for State {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView {
            ctx: &mut self.wasi,
            table: &mut self.table,
        }
    }
}

/// Keeps the linear memory of a sandbox within its limit.
pub(crate) struct MemoryMeter {
    pub(crate) limit: u64,
    /// Bytes now; memory never shrinks, so this is the peak too.
    pub(crate) size: u64,
    /// Whether a request for more was refused during the run.
    pub(crate) denied: bool,
}

impl wasmtime::ResourceLimiter for MemoryMeter {
    fn memory_growing(
        &mut self,
        _: usize,
        desired: usize,
        maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        let desired = desired as u64;
        if desired > self.limit || maximum.is_some_and(|m| desired > m as u64) {
            self.denied = true;
            return Ok(false);
        }
        self.size = desired;
        Ok(true)
    }

    fn memory_grow_failed(&mut self, _: wasmtime::Error) -> wasmtime::Result<()> {
        self.denied = true;
        Ok(())
    }

    fn table_growing(
        &mut self,
        _: usize,
        desired: usize,
        _: Option<usize>,
    ) -> wasmtime::Result<bool> {
        // The guest has its tables when it starts, and never grows one.
        Ok(desired <= MAX_TABLE)
    }
}

/// Defines every import of the component.
pub(crate) fn link(linker: &mut Linker<State>) -> wasmtime::Result<()> {
    let mut host = linker.instance("coldframe:sandbox/host@0.1.0")?;
    tool::link(&mut host)?;
    host.func_wrap(
        "write",
        |mut store: StoreContextMut<'_, State>, (to, bytes): (WitStream, WasmList<u8>)| {
            let to = match to {
                WitStream::Stdout => Stream::Stdout,
                WitStream::Stderr => Stream::Stderr,
            };
            // Data and memory of a store cannot be borrowed at once: the bytes that still fit are copied out.
            let limit = usize::try_from(store.data().output.room())
                .unwrap_or(usize::MAX)
                .saturating_add(1);
            let piece = bytes.as_le_slice(&store);
            let piece = piece[..piece.len().min(limit)].to_vec();
            Ok((store.data_mut().output.write(to, &piece),))
        },
    )?;
    host.func_wrap("wall-clock", |store: StoreContextMut<'_, State>, (): ()| {
        Ok((store.data().world.wall_clock(),))
    })?;
    host.func_wrap(
        "monotonic-clock",
        |store: StoreContextMut<'_, State>, (): ()| Ok((store.data().world.monotonic_clock(),)),
    )?;
    host.func_wrap_async(
        "sleep",
        |mut store: StoreContextMut<'_, State>, (length,): (u64,)| {
            let length = store.data_mut().world.sleep(Duration::from_nanos(length));
            let wake = store.data().stop.sleep(length);
            Box::new(async move {
                wake.await;
                Ok(())
            })
        },
    )?;
    host.func_wrap(
        "entropy",
        |mut store: StoreContextMut<'_, State>, (count,): (u32,)| {
            let mut bytes = vec![0; count.min(MAX_ENTROPY) as usize];
            store
                .data_mut()
                .world
                .entropy(&mut bytes)
                .map_err(|e| wasmtime::Error::msg(format!("no entropy: {e}")))?;
            Ok((bytes,))
        },
    )?;
    host.func_wrap("checkpoint", |store: StoreContextMut<'_, State>, (): ()| {
        let left = store.get_fuel()?;
        let state = store.data();
        let verdict = if left <= state.fuel_reserve {
            Verdict::OutOfFuel
        } else if state.stop.is_cancelled() {
            Verdict::Cancelled
        } else if state.stop.is_late() {
            Verdict::OutOfTime
        } else {
            Verdict::GoOn
        };
        Ok((verdict,))
    })?;
    link_stubs(linker)
}

/// The WASI interfaces that Rust's standard library for the target imports: with an empty context they give nothing
/// and take output nowhere. Only these are defined; the list may shrink and must not grow (`tests/` checks it).
fn link_stubs(linker: &mut Linker<State>) -> wasmtime::Result<()> {
    struct Io;
    impl HasData for Io {
        type Data<'a> = &'a mut ResourceTable;
    }
    fn table(state: &mut State) -> &mut ResourceTable {
        &mut state.table
    }
    cli::environment::add_to_linker::<State, WasiCli>(linker, State::cli)?;
    cli::exit::add_to_linker::<State, WasiCli>(linker, State::cli)?;
    cli::stdin::add_to_linker::<State, WasiCli>(linker, State::cli)?;
    cli::stdout::add_to_linker::<State, WasiCli>(linker, State::cli)?;
    cli::stderr::add_to_linker::<State, WasiCli>(linker, State::cli)?;
    cli::terminal_input::add_to_linker::<State, WasiCli>(linker, State::cli)?;
    cli::terminal_output::add_to_linker::<State, WasiCli>(linker, State::cli)?;
    cli::terminal_stdin::add_to_linker::<State, WasiCli>(linker, State::cli)?;
    cli::terminal_stdout::add_to_linker::<State, WasiCli>(linker, State::cli)?;
    cli::terminal_stderr::add_to_linker::<State, WasiCli>(linker, State::cli)?;
    io::error::add_to_linker::<State, Io>(linker, table)?;
    io::poll::add_to_linker::<State, Io>(linker, table)?;
    io::streams::add_to_linker::<State, Io>(linker, table)?;
    Ok(())
}
