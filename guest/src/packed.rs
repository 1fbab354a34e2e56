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
        let mut out = vec![0; self.len];
        let input = std::iter::once(self.bytes);
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
