//! Sessions that are saved, restored and forked.
//!
//! A saved session is the sandbox's memory, as far as it differs from the image that every session starts from: whole pages, in order. It belongs to one
//! build of the interpreter. Loading bytes from anywhere endangers nothing but the sandbox they are loaded into: they can only become the contents of its
//! memory, which the host trusts in no case.

use std::sync::Arc;

use wasmtime::component::WasmList;

use crate::config::SHADOW_STACK;
use crate::embedded;
use crate::engine::Engine;
use crate::error::Error;
use crate::limits::Limits;
use crate::policy::Policy;
use crate::session::{MAX_COPIED, Session};

/// The unit in which memory is compared. Smaller ones would save less than their addresses cost.
const BLOCK: usize = 4096;

/// What memory grows by.
const WASM_PAGE: u64 = 65_536;

/// How much is compared before other tasks get their turn.
const BREATH: usize = 1 << 20;

/// The first bytes of a saved session.
const MAGIC: &[u8; 8] = b"cldfrm\x01\n";

/// Magic, build, memory size, number of runs.
const HEADER: usize = 8 + 16 + 8 + 4;

/// A session as bytes: see [`Session::save`].
#[derive(Clone, PartialEq, Eq)]
pub struct Saved(Arc<[u8]>);

impl std::fmt::Debug for Saved {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Saved({} bytes)", self.0.len())
    }
}

/// Why bytes are not a session that can be restored here.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SavedError {
    /// The bytes are something else.
    #[error("these bytes are not a saved session")]
    NotSaved,
    /// Another build of coldframe saved it.
    #[error(
        "the session was saved by another build of coldframe (its interpreter is {theirs}, this one is {ours})"
    )]
    OtherBuild {
        /// The build that saved it.
        theirs: String,
        /// This build.
        ours: String,
    },
    /// The bytes end too early, or say what cannot be.
    #[error("the saved session is damaged: {0}")]
    Damaged(&'static str),
    /// The memory limit is too small for it.
    #[error("the saved session has {needed} bytes of memory, and the limit is {limit}")]
    Memory {
        /// Bytes that it needs.
        needed: u64,
        /// The limit.
        limit: u64,
    },
}

/// A part of memory that differs from the image.
struct Run<'a> {
    address: u32,
    data: &'a [u8],
}

/// What the bytes say, checked.
struct Contents<'a> {
    memory: u64,
    runs: Vec<Run<'a>>,
}

impl Saved {
    /// The bytes, for a file or a data base.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Takes bytes that [`Saved::as_bytes`] gave in this or another process.
    ///
    /// # Errors
    /// When they are no saved session, are damaged, or come from another build. Damage that the format does not show makes a session that fails in its own
    /// sandbox, and harms nothing else.
    pub fn from_bytes(bytes: &[u8]) -> Result<Saved, SavedError> {
        parse(bytes)?;
        Ok(Saved(bytes.into()))
    }

    /// Bytes of memory that the session has.
    pub fn memory(&self) -> u64 {
        parse(&self.0).map_or(0, |contents| contents.memory)
    }
}

/// The build of the guest, as it stands in what is saved.
fn build() -> [u8; 16] {
    embedded::BUILD
        .as_bytes()
        .try_into()
        .unwrap_or(*b"0000000000000000")
}

fn parse(bytes: &[u8]) -> Result<Contents<'_>, SavedError> {
    use SavedError::Damaged;
    let Some((header, mut rest)) = bytes.split_at_checked(HEADER) else {
        return Err(SavedError::NotSaved);
    };
    let (magic, header) = header.split_at(MAGIC.len());
    if magic != MAGIC {
        return Err(SavedError::NotSaved);
    }
    let (theirs, header) = header.split_at(16);
    if theirs != build() {
        let text = |build: &[u8]| build.escape_ascii().to_string();
        return Err(SavedError::OtherBuild {
            theirs: text(theirs),
            ours: text(&build()),
        });
    }
    let mut numbers = header.iter().rev();
    let mut number = |bytes: usize| {
        numbers
            .by_ref()
            .take(bytes)
            .fold(0u64, |n, b| n << 8 | u64::from(*b))
    };
    // Little-endian, read from behind.
    let (count, memory) = (number(4), number(8));
    if memory > Limits::MAX_MEMORY || !memory.is_multiple_of(WASM_PAGE) {
        return Err(Damaged("an impossible size of memory"));
    }
    let mut runs = Vec::new();
    let mut end = SHADOW_STACK as u64;
    for _ in 0..count {
        let Some((place, after)) = rest.split_first_chunk::<8>() else {
            return Err(Damaged("it ends too early"));
        };
        let [a, b, c, d, e, f, g, h] = *place;
        let address = u32::from_le_bytes([a, b, c, d]);
        let len = u32::from_le_bytes([e, f, g, h]);
        let Some((data, after)) = after.split_at_checked(len as usize) else {
            return Err(Damaged("it ends too early"));
        };
        if u64::from(address) < end || u64::from(address) + u64::from(len) > memory || len == 0 {
            return Err(Damaged("a piece of memory where none can be"));
        }
        end = u64::from(address) + u64::from(len);
        runs.push(Run { address, data });
        rest = after;
    }
    if !rest.is_empty() {
        return Err(Damaged("it goes on after its end"));
    }
    Ok(Contents { memory, runs })
}

/// What differs between a memory and the image it started from; beyond the end of the image that is what is not zero.
struct Difference<'a> {
    image: &'a [u8],
    out: Vec<u8>,
    /// Where the run that is being written has its length, and the address of its end.
    open: Option<(usize, usize)>,
    runs: u32,
}

impl Difference<'_> {
    fn block(&mut self, address: usize, block: &[u8]) {
        let same = match self.image.get(address..address + block.len()) {
            Some(image) => image == block,
            None => block.iter().all(|b| *b == 0),
        };
        if same {
            return;
        }
        match &mut self.open {
            Some((_, end)) if *end == address => *end += block.len(),
            _ => {
                self.close();
                // Addresses of WebAssembly fit.
                self.out.extend_from_slice(&(address as u32).to_le_bytes());
                self.open = Some((self.out.len(), address + block.len()));
                self.out.extend_from_slice(&[0; 4]);
                self.runs += 1;
            }
        }
        self.out.extend_from_slice(block);
    }

    fn close(&mut self) {
        if let Some((at, _)) = self.open.take() {
            let len = (self.out.len() - at - 4) as u32;
            self.out[at..at + 4].copy_from_slice(&len.to_le_bytes());
        }
    }
}

impl Session {
    /// Saves the session: variables, functions, imported modules, files. It goes on as before.
    ///
    /// What is outside of the sandbox is not part of it: limits, tools, what was written. The state of random generators is, so that sessions restored
    /// from the same bytes draw the same numbers.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
    /// # let engine = coldframe::Engine::new()?;
    /// # let limits = coldframe::Limits::default();
    /// let mut session = engine.session(&limits).await?;
    /// session.run("x = [1, 2]").await?;
    /// let saved = session.save().await?;
    /// session.run("x.clear()").await?;
    /// let mut other = engine.restore(&saved, &limits).await?;
    /// assert_eq!(other.run("x").await?.value.unwrap().repr, "[1, 2]");
    /// # Ok::<(), coldframe::Error>(())
    /// # }).unwrap();
    /// ```
    pub async fn save(&mut self) -> Result<Saved, Error> {
        let image = self.engine().boot_image().await?;
        let (store, view) = self.memory_view().await?;
        let memory = view.as_le_slice(&*store);
        let mut difference = Difference {
            image: &image,
            out: Vec::with_capacity(1 << 20),
            open: None,
            runs: 0,
        };
        difference.out.extend_from_slice(MAGIC);
        difference.out.extend_from_slice(&build());
        difference
            .out
            .extend_from_slice(&(memory.len() as u64).to_le_bytes());
        difference.out.extend_from_slice(&[0; 4]);
        // Below is the stack, which is dead between two calls.
        let mut address = SHADOW_STACK;
        for breath in memory.get(SHADOW_STACK..).unwrap_or(&[]).chunks(BREATH) {
            for block in breath.chunks(BLOCK) {
                difference.block(address, block);
                address += block.len();
            }
            tokio::task::yield_now().await;
        }
        difference.close();
        let runs = difference.runs.to_le_bytes();
        difference.out[HEADER - 4..HEADER].copy_from_slice(&runs);
        Ok(Saved(difference.out.into()))
    }

    /// Another session that is in the same state, under the same policy, on the same engine. Both go their own ways from here.
    pub async fn fork(&mut self) -> Result<Session, Error> {
        let saved = self.save().await?;
        let policy = self.policy().clone();
        let mut fork = self.engine().clone().restore(&saved, policy).await?;
        // The functions of the tools are in the memory that was copied.
        let tools = &self.store_mut().data().tools;
        let (tools, objects) = (tools.set(), tools.objects().duplicate());
        let theirs = &mut fork.store_mut().data_mut().tools;
        theirs.put(tools);
        theirs.put_objects(objects);
        // Its clocks and its entropy go on from here, too.
        fork.store_mut().data_mut().world = self.store_mut().data().world.fork();
        Ok(fork)
    }
}

impl Engine {
    /// A session in the state that was saved, with a policy of its own. What the policy says to the interpreter (imports, builtins, attributes, loops, time zone)
    /// takes the place of what the saved session was told, if it says anything; otherwise that stays.
    ///
    /// # Errors
    /// [`Error::Saved`] when the bytes come from another build of coldframe or need more memory than the limit.
    pub async fn restore(
        &self,
        saved: &Saved,
        policy: impl Into<Policy>,
    ) -> Result<Session, Error> {
        let policy = policy.into();
        let limits = policy.limits().clone();
        let contents = parse(&saved.0)?;
        if contents.memory > limits.memory() {
            return Err(SavedError::Memory {
                needed: contents.memory,
                limit: limits.memory(),
            }
            .into());
        }
        // What is restored is what differs from the image: nothing may have been changed yet.
        let mut session = Session::start(self.clone(), policy).await?;
        for_restore(&mut session, &contents).await?;
        session.configure().await?;
        Ok(session)
    }

    /// The memory of a session that has done nothing; copied once.
    async fn boot_image(&self) -> Result<Arc<[u8]>, Error> {
        if let Some(image) = self.image().get() {
            return Ok(image.clone());
        }
        let mut fresh = self.session(&Limits::default()).await?;
        let (store, view) = fresh.memory_view().await?;
        let image: Arc<[u8]> = view.as_le_slice(&*store).into();
        Ok(self.image().get_or_init(|| image).clone())
    }
}

async fn for_restore(session: &mut Session, contents: &Contents<'_>) -> Result<(), Error> {
    let (grown, _) = session
        .metered(async |sandbox, store| sandbox.call_restore_begin(store, contents.memory).await)
        .await?;
    if !grown? {
        return Err(SavedError::Memory {
            needed: contents.memory,
            limit: session.limits().memory(),
        }
        .into());
    }
    let (written, _) = session
        .metered(async |sandbox, store| {
            for run in &contents.runs {
                for (i, piece) in run.data.chunks(BREATH).enumerate() {
                    let address = run.address + (i * BREATH) as u32;
                    sandbox.call_restore_aim(&mut *store, address).await?;
                    sandbox.call_restore_write(&mut *store, piece).await?;
                    if piece.len() == BREATH {
                        tokio::task::yield_now().await;
                    }
                }
            }
            Ok(())
        })
        .await?;
    Ok(written?)
}

impl Session {
    /// The store, and the view of its memory.
    async fn memory_view(
        &mut self,
    ) -> Result<(&mut wasmtime::Store<crate::imports::State>, WasmList<u8>), Error> {
        // The list is looked at where it is: nothing is copied, however long it says to be.
        self.store_mut().set_hostcall_fuel(usize::MAX);
        let (view, _) = self
            .metered_instance(async |instance, store| {
                let function =
                    instance.get_typed_func::<(), (WasmList<u8>,)>(&mut *store, "memory-view")?;
                Ok(function.call_async(&mut *store, ()).await?.0)
            })
            .await?;
        self.store_mut().set_hostcall_fuel(MAX_COPIED);
        Ok((self.store_mut(), view?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn saved(memory: u64, runs: &[(u32, &[u8])]) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(build());
        bytes.extend(memory.to_le_bytes());
        bytes.extend((runs.len() as u32).to_le_bytes());
        for (address, data) in runs {
            bytes.extend(address.to_le_bytes());
            bytes.extend((data.len() as u32).to_le_bytes());
            bytes.extend_from_slice(data);
        }
        bytes
    }

    const MEMORY: u64 = 32 << 20;
    const START: u32 = SHADOW_STACK as u32;

    #[test]
    fn what_is_written_is_read() {
        let bytes = saved(MEMORY, &[(START, b"abc"), (START + 100, b"d")]);
        let contents = parse(&bytes).expect("a saved session");
        let runs: Vec<_> = contents.runs.iter().map(|r| (r.address, r.data)).collect();
        assert_eq!(contents.memory, MEMORY);
        assert_eq!(runs, [(START, &b"abc"[..]), (START + 100, b"d")]);
    }

    #[test]
    fn other_bytes_are_refused() {
        let good = saved(MEMORY, &[(START, b"abc")]);
        assert_eq!(Saved::from_bytes(b""), Err(SavedError::NotSaved));
        assert_eq!(Saved::from_bytes(&[0; 100]), Err(SavedError::NotSaved));
        let mut other = good.clone();
        other[10] ^= 1;
        assert!(matches!(
            Saved::from_bytes(&other),
            Err(SavedError::OtherBuild { .. })
        ));
        for end in HEADER..good.len() {
            assert!(
                matches!(Saved::from_bytes(&good[..end]), Err(SavedError::Damaged(_))),
                "{end}"
            );
        }
        let wrong = [
            saved(MEMORY + 1, &[]),
            saved(1 << 40, &[]),
            saved(MEMORY, &[(START - 1, b"abc")]),
            saved(MEMORY, &[(MEMORY as u32 - 2, b"abc")]),
            saved(MEMORY, &[(u32::MAX, b"abc")]),
            saved(MEMORY, &[(START, b"")]),
            saved(MEMORY, &[(START, b"abc"), (START + 2, b"abc")]),
            [good, vec![0]].concat(),
        ];
        for bytes in wrong {
            assert!(
                matches!(Saved::from_bytes(&bytes), Err(SavedError::Damaged(_))),
                "{bytes:?}"
            );
        }
    }

    #[test]
    fn only_blocks_that_differ_are_kept() {
        let image = vec![1; 4 * BLOCK];
        let mut difference = Difference {
            image: &image,
            out: Vec::new(),
            open: None,
            runs: 0,
        };
        let changed = vec![2; BLOCK];
        let blocks: [&[u8]; 6] = [
            &image[..BLOCK],
            &changed,
            &changed,
            &image[..BLOCK],
            &[0; BLOCK],
            &changed,
        ];
        for (i, block) in blocks.iter().enumerate() {
            difference.block(i * BLOCK, block);
        }
        difference.close();
        assert_eq!(difference.runs, 2);
        assert_eq!(difference.out.len(), 3 * BLOCK + 2 * 8);
    }
}
