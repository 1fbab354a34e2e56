//! The engine: the compiled guest, ready to be instantiated, and the pool that instances come from.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use wasmtime::component::{Component, InstancePre, Linker};
use wasmtime::{Config, Enabled, InstanceAllocationStrategy, PoolingAllocationConfig};

use crate::config;
use crate::embedded::{Compiled, Loading};
use crate::error::Error;
use crate::imports::bindings::SandboxIndices;
use crate::imports::{self, State};
use crate::limits::Limits;
use crate::policy::Policy;
use crate::session::Session;
use crate::ticker::Ticker;

/// Stack on which guest and host functions run, for each session.
const FIBER_STACK: usize = config::NATIVE_STACK + (2 << 20);

/// Bytes of a session's memory that its slot in the pool keeps for the next one: what was written is reset page by
/// page up to here, and given back to the system beyond. Covers the guest's shadow stack and boot image.
const KEEP_RESIDENT: usize = 1 << 20;

/// Core instances and tables that one component takes: the guest itself and the adapters that the target's linker
/// puts around it.
const CORE_INSTANCES: u32 = 8;

/// Where sessions come from. Making one takes milliseconds, a clone nothing: a process needs one.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
/// let engine = coldframe::Engine::new()?;
/// let mut session = engine.session(&coldframe::Limits::default()).await?;
/// let outcome = session.run("1 + 1").await?;
/// # let _ = outcome;
/// # Ok::<(), coldframe::Error>(())
/// # }).unwrap();
/// ```
#[derive(Clone)]
pub struct Engine(Arc<Inner>);

struct Inner {
    sandbox: InstancePre<State>,
    indices: SandboxIndices,
    component: Component,
    ticker: Ticker,
    sessions: u32,
    pooled: bool,
    /// The memory that sessions start with, once somebody asked for it.
    image: OnceLock<Arc<[u8]>>,
}

/// How often the memory image is tried.
const IMAGE_TRIES: u32 = 5;

/// Makes the image of the guest's memory that sessions start from. Sealing it fails now and then while the kernel moves
/// or reclaims its pages (the seal wants nobody else to hold one), so that is tried again.
fn make_image(component: &Component) -> wasmtime::Result<()> {
    let mut tries = 1;
    loop {
        match component.initialize_copy_on_write_image() {
            Err(_) if tries < IMAGE_TRIES => {
                tries += 1;
                std::thread::sleep(Duration::from_millis(5));
            }
            result => return result,
        }
    }
}

impl Engine {
    /// An engine with the default settings.
    pub fn new() -> Result<Engine, Error> {
        Engine::builder().build()
    }

    /// Starts from the default settings.
    pub fn builder() -> EngineBuilder {
        EngineBuilder {
            sessions: 256,
            pooled: true,
            code_cache: None,
            guest: None,
        }
    }

    /// A fresh, isolated session. [`Limits`] alone are a policy, too.
    pub async fn session(&self, policy: impl Into<Policy>) -> Result<Session, Error> {
        let mut session = Session::start(self.clone(), policy.into()).await?;
        session.configure().await?;
        Ok(session)
    }

    /// How many sessions may be alive at once.
    pub fn max_sessions(&self) -> u32 {
        self.0.sessions
    }

    /// Whether sessions come from a pool (fast) or are made on demand (where the pool cannot be set up, for example
    /// because the process may not reserve enough address space).
    pub fn is_pooled(&self) -> bool {
        self.0.pooled
    }

    /// The names of what the compiled guest imports, sorted: the host's own interface and the stubs.
    pub fn guest_imports(&self) -> Vec<String> {
        let engine = self.0.component.engine();
        let kind = self.0.component.component_type();
        let mut names: Vec<String> = kind
            .imports(engine)
            .map(|(name, _)| name.to_owned())
            .collect();
        names.sort();
        names
    }

    pub(crate) fn sandbox(&self) -> &InstancePre<State> {
        &self.0.sandbox
    }

    pub(crate) fn indices(&self) -> &SandboxIndices {
        &self.0.indices
    }

    pub(crate) fn image(&self) -> &OnceLock<Arc<[u8]>> {
        &self.0.image
    }

    pub(crate) fn ticker(&self) -> &Ticker {
        &self.0.ticker
    }

    pub(crate) fn wasmtime(&self) -> &wasmtime::Engine {
        self.0.component.engine()
    }
}

/// Settings of an engine; made by [`Engine::builder`].
#[derive(Clone, Debug)]
pub struct EngineBuilder {
    sessions: u32,
    pooled: bool,
    code_cache: Option<PathBuf>,
    guest: Option<Compiled>,
}

impl EngineBuilder {
    /// How many sessions may be alive at once: 1 to 10,000, 256 if not set. Each reserves address space (4 GiB), not
    /// memory.
    pub fn max_sessions(mut self, sessions: u32) -> Self {
        self.sessions = sessions;
        self
    }

    /// Whether to keep a pool, which makes a session in a quarter of the time. It is on if not set.
    pub fn pooled(mut self, pooled: bool) -> Self {
        self.pooled = pooled;
        self
    }

    /// A folder to keep the compiled interpreter in, as a file that processes map, instead of copying half of it from their executable. An engine with such a
    /// file starts in a fraction of the time, and the processes that use it share its pages. That is for short-lived processes: sessions are as fast as without.
    ///
    /// The folder is made if it is missing, and so is the file (37 MB); the first engine takes the time for that. Of the files of other versions the two newest stay. The file
    /// is used only if it and the folder belong to the effective user and nobody else can write to them, and if what is in it is what this program has
    /// embedded: whatever the processor is to execute is compared. Where any of this fails, the engine is made as without a cache, and does not fail for it.
    ///
    /// Off if not set. On systems other than Linux it does nothing.
    pub fn code_cache(mut self, folder: impl Into<PathBuf>) -> Self {
        self.code_cache = Some(folder.into());
        self
    }

    /// Puts another compiled component in the interpreter's place: one of the tests', which breaks the contract.
    ///
    /// # Safety
    /// The bytes must be what `precompile_component` of this version of wasmtime returned for a component, with the settings of this crate.
    #[doc(hidden)]
    #[expect(unsafe_code, reason = "passes the promise on")]
    pub unsafe fn guest(mut self, compiled: &'static [u8]) -> Self {
        // SAFETY: the caller promises it.
        self.guest = Some(unsafe { Compiled::new(compiled) });
        self
    }

    /// Makes the engine.
    pub fn build(self) -> Result<Engine, Error> {
        if !(1..=10_000).contains(&self.sessions) {
            return Err(Error::Engine(format!(
                "max_sessions of {}: must be 1 to 10000",
                self.sessions
            )));
        }
        let (component, pooled) = self.component()?;
        let engine = component.engine();
        let failed = |e: wasmtime::Error| Error::Engine(format!("{e:#}"));
        let mut linker = Linker::new(engine);
        imports::link(&mut linker).map_err(failed)?;
        // Code that counts how often it runs is kept even where nothing reaches it, with what it would import.
        #[cfg(coldframe_counting)]
        linker
            .define_unknown_imports_as_traps(&component)
            .map_err(failed)?;
        let sandbox = linker.instantiate_pre(&component).map_err(failed)?;
        let indices = SandboxIndices::new(&sandbox).map_err(failed)?;
        let ticker =
            Ticker::start(engine.weak()).map_err(|e| Error::Engine(format!("no thread: {e}")))?;
        Ok(Engine(Arc::new(Inner {
            sandbox,
            indices,
            component,
            ticker,
            sessions: self.sessions,
            pooled,
            image: OnceLock::new(),
        })))
    }

    /// The component, by the shortest way, and whether its engine has a pool.
    fn component(&self) -> Result<(Component, bool), Error> {
        if let Some(guest) = self.guest {
            return self.load(&Loading::Other(guest));
        }
        if let Some(folder) = &self.code_cache
            && let Some(mapped) = Loading::mapped(folder)
        {
            match self.load(&mapped) {
                Ok(loaded) => return Ok(loaded),
                // A file system that nothing may be executed from, for example.
                Err(error) => tracing::debug!(%error, "the code cache cannot be used"),
            }
        }
        self.load(&Loading::choose())
    }

    fn load(&self, loading: &Loading) -> Result<(Component, bool), Error> {
        let (engine, pooled) = self.wasmtime(loading)?;
        let component = loading.load(&engine).and_then(|component| {
            make_image(&component)?;
            Ok(component)
        });
        match component {
            Ok(component) => Ok((component, pooled)),
            Err(e) => Err(Error::Engine(format!("{e:#}"))),
        }
    }

    /// An engine with a pool, or else without.
    fn wasmtime(&self, loading: &Loading) -> Result<(wasmtime::Engine, bool), Error> {
        let config = || {
            let mut config = config::shared();
            config
                .async_stack_size(FIBER_STACK)
                .max_wasm_stack(config::NATIVE_STACK);
            loading.configure(&mut config);
            config
        };
        if self.pooled
            && let Ok(engine) = wasmtime::Engine::new(&pool(config(), self.sessions))
        {
            return Ok((engine, true));
        }
        let engine =
            wasmtime::Engine::new(&config()).map_err(|e| Error::Engine(format!("{e:#}")))?;
        Ok((engine, false))
    }
}

fn pool(mut config: Config, sessions: u32) -> Config {
    let mut pool = PoolingAllocationConfig::new();
    pool.total_component_instances(sessions)
        .total_core_instances(sessions * CORE_INSTANCES)
        .max_core_instances_per_component(CORE_INSTANCES)
        .total_memories(sessions)
        .max_memories_per_module(1)
        .max_memories_per_component(1)
        .total_tables(sessions * CORE_INSTANCES)
        .total_stacks(sessions)
        .max_memory_size(Limits::MAX_MEMORY as usize)
        .max_component_instance_size(1 << 20)
        .max_core_instance_size(1 << 20)
        .table_elements(imports::MAX_TABLE)
        .max_unused_warm_slots(sessions)
        .linear_memory_keep_resident(KEEP_RESIDENT)
        .table_keep_resident(64 << 10)
        // Where the kernel has it (Linux 6.7).
        .pagemap_scan(Enabled::Auto);
    config.allocation_strategy(InstanceAllocationStrategy::Pooling(pool));
    config
}
