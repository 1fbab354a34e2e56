//! Texts and compiled code that are part of the image in packed form: it is copied into every process, and little of them is ever read.
//!
//! They lie in one piece behind the constants, and not among them: what programs read lies closer together then (see
//! [`gather_tables`](crate::vm::Vm::gather_tables)). The linker does so with what could be written, hence the cell, into which nobody writes.

#![allow(
    unsafe_code,
    reason = "a cell without a writer is shared, so that the linker puts it where it should be"
)]

use std::cell::UnsafeCell;

const ALL: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/library.bin"));

#[repr(transparent)]
struct Behind(UnsafeCell<[u8; ALL.len()]>);

// SAFETY: nobody writes.
unsafe impl Sync for Behind {}

static LIBRARY: Behind = Behind(UnsafeCell::new(*include_bytes!(concat!(
    env!("OUT_DIR"),
    "/library.bin"
))));

/// A part of the library's packed bytes (raw deflate).
#[derive(Clone, Copy)]
pub struct Packed {
    /// Where it begins.
    pub at: usize,
    /// How many bytes it takes.
    pub size: usize,
    /// Their number when unpacked.
    pub len: usize,
}

impl Packed {
    fn bytes(self) -> &'static [u8] {
        // SAFETY: nobody ever writes.
        let all: &'static [u8; ALL.len()] = unsafe { &*LIBRARY.0.get() };
        // The build script wrote both the table and the bytes.
        all.get(self.at..self.at + self.size).unwrap_or_default()
    }

    /// The bytes.
    pub fn unpack(self) -> Vec<u8> {
        let mut out = vec![0; self.len];
        let input = std::iter::once(self.bytes());
        match miniz_oxide::inflate::decompress_slice_iter_to_slice(&mut out, input, false, true) {
            Ok(len) => out.truncate(len),
            // It was packed by the build script, so it unpacks.
            Err(_) => out.clear(),
        }
        out
    }

    /// The text.
    pub fn unpack_text(self) -> String {
        String::from_utf8(self.unpack()).unwrap_or_default()
    }
}
