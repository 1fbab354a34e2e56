//! Texts and compiled code that are part of the image in packed form: it is copied into every process, and little of them is ever read.

/// Packed bytes (raw deflate).
#[derive(Clone, Copy)]
pub struct Packed {
    /// What the build script packed.
    pub bytes: &'static [u8],
    /// Their number when unpacked.
    pub len: usize,
}

impl Packed {
    /// The bytes.
    pub fn unpack(self) -> Vec<u8> {
        // It was packed by the build script, so it unpacks.
        miniz_oxide::inflate::decompress_to_vec_with_limit(self.bytes, self.len).unwrap_or_default()
    }
    /// The text.
    pub fn unpack_text(self) -> String {
        String::from_utf8(self.unpack()).unwrap_or_default()
    }
}
