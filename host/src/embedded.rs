//! The compiled guest inside this binary, and how it is loaded.
//!
//! The build script leaves the ahead-of-time compiled component in one page-aligned constant. On Linux it is used
//! where it lies: the executable's own mapping is shared and demand-paged already, so that all there is to do is to
//! make the pages of its code executable. Elsewhere, and for any engine of the process but the first, wasmtime copies it.
//! An engine with a code cache maps it from the file there.

#![expect(
    unsafe_code,
    reason = "loading compiled code is a promise that it is what the compiler made"
)]

#[cfg(target_os = "linux")]
use std::fs::File;
#[cfg(target_os = "linux")]
use std::io;
#[cfg(target_os = "linux")]
use std::ops::Range;
#[cfg(target_os = "linux")]
use std::os::fd::AsRawFd;
use std::path::Path;
use std::sync::Arc;
#[cfg(target_os = "linux")]
use std::sync::atomic::{AtomicBool, Ordering};

use wasmtime::component::Component;
use wasmtime::{Config, CustomCodeMemory, Engine};

#[cfg(target_os = "linux")]
use crate::code_cache::Artifact;

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
    /// Mapped from a file that was compared with the constant.
    #[cfg(target_os = "linux")]
    Mapped(File),
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
    /// The way by a file in this folder, which is made if it is not there; `None` where that cannot be.
    #[cfg(target_os = "linux")]
    pub(crate) fn mapped(folder: &Path) -> Option<Loading> {
        let bytes = &COMPONENT.0;
        let artifact = Artifact {
            build: BUILD,
            bytes,
            image: section(bytes, IMAGE_SECTION).unwrap_or(0..0),
            view: View::of,
        };
        match artifact.file(folder) {
            Ok(file) => Some(Loading::Mapped(file)),
            Err(error) => {
                tracing::debug!(folder = %folder.display(), %error, "no code cache");
                None
            }
        }
    }

    /// Not on this system.
    #[cfg(not(target_os = "linux"))]
    pub(crate) fn mapped(_: &Path) -> Option<Loading> {
        None
    }

    /// Chooses the way for the next engine of this process, without a file.
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
                // The same bytes, as far as they are not the contents of the sandbox's memory: `code_cache` compared them in
                // this very file, and let nobody change it but those who can change this process.
                #[cfg(target_os = "linux")]
                Loading::Mapped(file) => {
                    let path = format!("/proc/self/fd/{}", file.as_raw_fd());
                    Component::deserialize_file(engine, path)
                }
                Loading::InPlace => Component::deserialize_raw(engine, bytes.into()),
                Loading::Copied => Component::deserialize(engine, bytes),
                // What is said above of our bytes, `Compiled::new` promises of these.
                Loading::Other(Compiled(bytes)) => Component::deserialize(engine, bytes),
            }
        }
    }
}

/// A file as bytes, to be compared: mapped and not read, as copying what is in memory already takes longer than looking at it.
#[cfg(target_os = "linux")]
struct View {
    start: *mut u8,
    length: usize,
}

#[cfg(target_os = "linux")]
impl View {
    /// The file must be so long, and nobody may write to it: `code_cache` looks at who could.
    fn of(file: &File, length: usize) -> io::Result<View> {
        use rustix::mm::{MapFlags, ProtFlags, mmap};
        let start = std::ptr::null_mut();
        // SAFETY: the system chooses a place where nothing is.
        let start = unsafe { mmap(start, length, ProtFlags::READ, MapFlags::PRIVATE, file, 0) }?;
        let start = start.cast();
        Ok(View { start, length })
    }
}

#[cfg(target_os = "linux")]
impl std::ops::Deref for View {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        // SAFETY: so much was mapped for reading, and stays until the view is dropped.
        unsafe { std::slice::from_raw_parts(self.start, self.length) }
    }
}

#[cfg(target_os = "linux")]
impl Drop for View {
    fn drop(&mut self) {
        // SAFETY: it is the view's own, and whoever borrowed from it is gone. Should it fail, the range stays mapped.
        let _ = unsafe { rustix::mm::munmap(self.start.cast(), self.length) };
    }
}

/// Where wasmtime puts what WebAssembly's memory starts with. Neither code nor anything about it is in there.
#[cfg(target_os = "linux")]
const IMAGE_SECTION: &str = ".rodata.wasm";

/// Where a section lies in a 64-bit ELF file of this processor's byte order; `None` if it has not got it, or is not one.
#[cfg(target_os = "linux")]
fn section(elf: &[u8], name: &str) -> Option<Range<usize>> {
    fn number<const SIZE: usize>(bytes: &[u8], at: usize) -> Option<[u8; SIZE]> {
        bytes.get(at..)?.first_chunk().copied()
    }
    let short = |bytes: &[u8], at| Some(usize::from(u16::from_ne_bytes(number(bytes, at)?)));
    let word = |bytes: &[u8], at| usize::try_from(u32::from_ne_bytes(number(bytes, at)?)).ok();
    let long = |bytes: &[u8], at| usize::try_from(u64::from_ne_bytes(number(bytes, at)?)).ok();

    // The magic number, and the class of files with 64-bit addresses.
    if !elf.starts_with(b"\x7fELF\x02") {
        return None;
    }
    // Of the file's header: where the table of sections is, the size of an entry, their number, and which one has their names.
    let table = elf.get(long(elf, 0x28)?..)?;
    let (size, count, names) = (short(elf, 0x3a)?, short(elf, 0x3c)?, short(elf, 0x3e)?);
    let entry = |n: usize| table.get(n * size..(n + 1) * size);
    // Of an entry: where the section starts, and its length.
    let range = |entry: &[u8]| {
        let start = long(entry, 0x18)?;
        Some(start..start.checked_add(long(entry, 0x20)?)?)
    };
    let names = elf.get(range(entry(names)?)?)?;
    let found = (0..count).filter_map(entry).find(|entry| {
        let at = word(entry, 0).and_then(|at| names.get(at..));
        at.and_then(|at| at.strip_prefix(name.as_bytes()))
            .is_some_and(|rest| rest.first() == Some(&0))
    })?;
    let range = range(found)?;
    (range.end <= elf.len()).then_some(range)
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

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn the_image_is_found_and_is_not_the_code() {
        let bytes = &COMPONENT.0;
        let image = section(bytes, IMAGE_SECTION).expect("a guest has memory");
        let code = section(bytes, ".text").expect("a guest has code");
        assert!(image.end <= code.start || code.end <= image.start);
        // Half of the file is a lot to leave out, but not more than the interpreter's memory is.
        assert!(image.len() > 8 << 20 && image.end < bytes.len());
        assert_eq!(section(bytes, ".rodata"), None);
        assert_eq!(section(b"\x7fELF\x02", IMAGE_SECTION), None);
        assert_eq!(section(&bytes[..4096], IMAGE_SECTION), None);
    }
}
