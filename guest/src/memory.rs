//! The sandbox's memory as the host saves and restores it: a view of all of it, and writes to chosen places.
//!
//! A saved session is nothing but the bytes of the linear memory: the module has no other state (one mutable global, the stack pointer, which has the
//! same value at every call from outside; tables never change). So a session is saved by looking at the memory, and restored by writing it into a fresh
//! instance, through the canonical ABI itself: it asks `cabi_realloc` where the bytes of an argument shall go, and while a restore is under way the
//! answer is the place where they belong. Nothing of the interpreter runs in between.

#![expect(
    unsafe_code,
    reason = "the exports that the canonical ABI calls are raw"
)]

use std::alloc::{Layout, alloc, realloc};
use std::cell::Cell;
use std::ptr;

/// The size of a page of WebAssembly's memory.
const PAGE: usize = 65_536;

/// Where the next argument goes while a restore is under way; 0 otherwise. It lies in memory itself, and is 0 in all that is saved.
struct Destination(Cell<usize>);

// SAFETY: the component has one thread.
unsafe impl Sync for Destination {}

static DESTINATION: Destination = Destination(Cell::new(0));

/// Where an answer of two words lies while the host reads it.
struct Answer(Cell<[usize; 2]>);

// SAFETY: the component has one thread.
unsafe impl Sync for Answer {}

static ANSWER: Answer = Answer(Cell::new([0; 2]));

/// The export `memory-view`: a list whose bytes are the whole memory where it lies. Nothing is allocated or copied.
#[unsafe(export_name = "memory-view")]
extern "C" fn memory_view() -> *const [usize; 2] {
    ANSWER.0.set([0, core::arch::wasm32::memory_size(0) * PAGE]);
    ANSWER.0.as_ptr()
}

/// Makes the memory at least so large, in bytes; whether it is.
pub fn grow(bytes: u64) -> bool {
    let pages = usize::try_from(bytes.div_ceil(PAGE as u64)).unwrap_or(usize::MAX);
    let have = core::arch::wasm32::memory_size(0);
    pages <= have || core::arch::wasm32::memory_grow(0, pages - have) != usize::MAX
}

/// Chooses the place of the next argument.
pub fn aim(address: usize) {
    DESTINATION.0.set(address);
}

/// Takes over what was written to its place: it is not the caller's to free.
pub fn land(data: Vec<u8>) {
    std::mem::forget(data);
    DESTINATION.0.set(0);
}

/// The allocator of the canonical ABI (`realloc` in its words).
///
/// # Safety
/// As the canonical ABI calls it: `old` is null, or a block of this function's with that size and alignment.
#[unsafe(export_name = "cabi_realloc")]
unsafe extern "C" fn cabi_realloc(
    old: *mut u8,
    old_size: usize,
    align: usize,
    new_size: usize,
) -> *mut u8 {
    let destination = DESTINATION.0.get();
    if destination != 0 && old.is_null() {
        return ptr::with_exposed_provenance_mut(destination);
    }
    // SAFETY: sizes and alignment are those of the canonical ABI: the alignment is a power of two and the block is what this function gave.
    let block = unsafe {
        if new_size == 0 {
            return ptr::without_provenance_mut(align);
        }
        let layout = Layout::from_size_align_unchecked(new_size, align);
        if old_size == 0 {
            alloc(layout)
        } else {
            realloc(
                old,
                Layout::from_size_align_unchecked(old_size, align),
                new_size,
            )
        }
    };
    if block.is_null() {
        // The host sees that memory was refused, and says so.
        core::arch::wasm32::unreachable()
    }
    block
}
