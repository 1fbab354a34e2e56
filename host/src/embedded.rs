//! The compiled guest inside this binary, and how it is loaded.
//!
//! The build script leaves the ahead-of-time compiled component in one page-aligned constant. On Linux it is used
//! where it lies: the executable's own mapping is shared and demand-paged already, so that all there is to do is to
//! make the pages of its code executable. Elsewhere, and for any engine of the process but the first, wasmtime copies it.

#![expect(
    unsafe_code,
    reason = "loading compiled code is a promise that it is what the compiler made"
)]

use std::sync::Arc;
#[cfg(target_os = "linux")]
use std::sync::atomic::{AtomicBool, Ordering};

use wasmtime::component::Component;
use wasmtime::{Config, CustomCodeMemory, Engine};

/// Pages are at most this large on the machines that the constant is used in place on.
#[repr(C, align(4096))]
struct PageAligned<T: ?Sized>(T);

const PAGE: usize = align_of::<PageAligned<[u8; 0]>>();

static COMPONENT: &PageAligned<[u8]> =
    &PageAligned(*include_bytes!(concat!(env!("OUT_DIR"), "/guest.cwasm")));

/// Names the build of the guest: the same only for the same code, booted the same way.
pub(crate) const BUILD: &str = include_str!(concat!(env!("OUT_DIR"), "/guest.stamp"));

/// The licences of all that is embedded in this library: the crates that it and the interpreter are made of, and Python's own library. Whoever hands out
/// a program that contains coldframe has to hand out these texts too.
pub fn licences() -> &'static str {
    include_str!(concat!(env!("OUT_DIR"), "/licences.txt"))
}

/// How the compiled component gets into the engine.
pub(crate) enum Loading {
    /// Used where it lies in the executable.
    InPlace,
    /// Copied by wasmtime.
    Copied,
    /// Another one in its place, copied.
    Other(Compiled),
}

/// A compiled component.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Compiled(&'static [u8]);

impl Compiled {
    /// # Safety
    /// The bytes are what `precompile_component` of this version of wasmtime returned, with the settings of `config.rs`.
    pub(crate) unsafe fn new(bytes: &'static [u8]) -> Compiled {
        Compiled(bytes)
    }
}

/// Only one engine of the process may use the component in place: wasmtime registers code by address.
#[cfg(target_os = "linux")]
static TAKEN: AtomicBool = AtomicBool::new(false);

impl Loading {
    /// Chooses the way for the next engine of this process.
    pub(crate) fn choose() -> Loading {
        #[cfg(target_os = "linux")]
        if rustix::param::page_size() == PAGE && !TAKEN.swap(true, Ordering::SeqCst) {
            return Loading::InPlace;
        }
        Loading::Copied
    }

    /// What the engine's configuration needs for it.
    pub(crate) fn configure(&self, config: &mut Config) {
        if let Loading::InPlace = self {
            config.with_custom_code_memory(Some(Arc::new(OwnPages)));
        }
    }

    /// Loads the component.
    pub(crate) fn load(&self, engine: &Engine) -> wasmtime::Result<Component> {
        let bytes = &COMPONENT.0;
        // SAFETY: the bytes are what `precompile_component` returned in the build script, for this very version of
        // wasmtime, and nothing can have changed them since: they are a constant. They live as long as the process.
        unsafe {
            match self {
                Loading::InPlace => Component::deserialize_raw(engine, bytes.into()),
                Loading::Copied => Component::deserialize(engine, bytes),
                // What is said above of our bytes, `Compiled::new` promises of these.
                Loading::Other(Compiled(bytes)) => Component::deserialize(engine, bytes),
            }
        }
    }
}

/// Makes code in the executable's own read-only pages executable.
struct OwnPages;

impl CustomCodeMemory for OwnPages {
    fn required_alignment(&self) -> usize {
        PAGE
    }

    fn publish_executable(&self, start: *const u8, len: usize) -> wasmtime::Result<()> {
        // The constant's type is padded to whole pages.
        let constant =
            COMPONENT.0.as_ptr().addr()..COMPONENT.0.as_ptr().addr() + size_of_val(COMPONENT);
        let end = start.addr() + len.next_multiple_of(PAGE);
        if !start.addr().is_multiple_of(PAGE) || start.addr() < constant.start || end > constant.end
        {
            return Err(wasmtime::Error::msg(
                "compiled code lies outside of the embedded component",
            ));
        }
        #[cfg(target_os = "linux")]
        {
            use rustix::mm::{MprotectFlags, mprotect};
            let flags = MprotectFlags::READ | MprotectFlags::EXEC;
            // SAFETY: the range is whole pages of our own constant (checked above). They were readable and stay so;
            // what becomes executable is what wasmtime says is code.
            unsafe { mprotect(start.cast_mut().cast(), len.next_multiple_of(PAGE), flags) }?;
            Ok(())
        }
        #[cfg(not(target_os = "linux"))]
        Err(wasmtime::Error::msg(
            "code is not used in place on this system",
        ))
    }

    fn unpublish_executable(&self, _: *const u8, _: usize) -> wasmtime::Result<()> {
        // The pages were never writable and nothing else is in them: they can stay as they are.
        Ok(())
    }
}
