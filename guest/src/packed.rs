//! Texts that are part of the image in packed form: it is copied into every process, and few of them are ever read.

/// A packed text (raw deflate).
#[derive(Clone, Copy)]
pub struct Packed {
    /// What the build script packed.
    pub bytes: &'static [u8],
    /// Length of the text in bytes.
    pub len: usize,
}

impl Packed {
    /// The text.
    pub fn unpack(self) -> Vec<u8> {
        // It was packed by the build script, so it unpacks.
        miniz_oxide::inflate::decompress_to_vec_with_limit(self.bytes, self.len).unwrap_or_default()
    }
}
