//! The compressing half of `zlib`, without Python: wrappers of RFC 1950 and RFC 1952 around the crate's deflate.
//!
//! The crate looks for matches in a window of 32 KiB. Where a smaller window is asked for, its history is cut (a full flush) each time that many bytes
//! have gone in, so that no match can reach further back than the reader's window.

use super::adler32;
use crate::modules::binascii::crc32;
use miniz_oxide::deflate::core::{
    CompressorOxide, TDEFLFlush, compress_to_output, create_comp_flags_from_zip_params,
};

/// What stands around the compressed data.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wrap {
    /// Nothing.
    Raw,
    /// A header of two bytes, and Adler-32.
    Zlib,
    /// gzip's header, CRC-32 and the length.
    Gzip,
    /// On reading: zlib's or gzip's.
    Either,
}

/// Wrapper and window size that `wbits` stands for.
pub fn wrap_of(wbits: i64, reading: bool) -> Option<(Wrap, u32)> {
    Some(match wbits {
        0 if reading => (Wrap::Zlib, 0),
        8..=15 => (Wrap::Zlib, wbits as u32),
        -15..=-9 => (Wrap::Raw, -wbits as u32),
        -8 if reading => (Wrap::Raw, 8),
        24..=31 => (Wrap::Gzip, wbits as u32 - 16),
        40..=47 if reading => (Wrap::Either, wbits as u32 - 32),
        _ => return None,
    })
}

/// A running compression.
#[derive(Clone)]
pub struct Deflater {
    core: Box<CompressorOxide>,
    wrap: Wrap,
    level: i32,
    window: u32,
    /// Adler-32 of the preset dictionary.
    dictionary: Option<u32>,
    started: bool,
    /// Bytes since the history was cut.
    since_cut: usize,
    check: u32,
    total: u32,
}

impl Deflater {
    /// `level` is -1 to 9, `strategy` 0 to 4, `window` 8 to 15.
    pub fn new(level: i32, wrap: Wrap, window: u32, strategy: i32) -> Deflater {
        // Without `window_bits` there is no header from the crate.
        let flags = create_comp_flags_from_zip_params(level, 0, strategy);
        Deflater {
            core: Box::new(CompressorOxide::new(flags)),
            wrap,
            level,
            window: window.max(9),
            dictionary: None,
            started: false,
            since_cut: 0,
            check: u32::from(wrap == Wrap::Zlib),
            total: 0,
        }
    }

    /// Lets the data refer to this text. The crate has no call for it: the text is compressed, and what comes out is thrown away.
    pub fn set_dictionary(&mut self, text: &[u8]) {
        let reach = (1usize << self.window) - 262;
        let used = &text[text.len().saturating_sub(reach)..];
        compress_to_output(&mut self.core, used, TDEFLFlush::Sync, |_| true);
        self.dictionary = Some(adler32(text, 1));
        self.since_cut = used.len();
    }

    /// Takes more data and appends what is ready; `flush` as in [`TDEFLFlush`].
    pub fn run(&mut self, mut data: &[u8], flush: TDEFLFlush, out: &mut Vec<u8>) {
        if !self.started {
            self.started = true;
            self.header(out);
        }
        match self.wrap {
            Wrap::Zlib => self.check = adler32(data, self.check),
            Wrap::Gzip => self.check = crc32(data, self.check),
            _ => {}
        }
        self.total = self.total.wrapping_add(data.len() as u32);
        let reach = 1usize << self.window;
        while self.window < 15 && self.since_cut + data.len() > reach {
            let (now, later) = data.split_at(reach.saturating_sub(self.since_cut));
            self.push(now, TDEFLFlush::Full, out);
            self.since_cut = 0;
            data = later;
        }
        self.since_cut += data.len();
        self.push(data, flush, out);
        if flush == TDEFLFlush::Finish {
            match self.wrap {
                Wrap::Zlib => out.extend(self.check.to_be_bytes()),
                Wrap::Gzip => {
                    out.extend(self.check.to_le_bytes());
                    out.extend(self.total.to_le_bytes());
                }
                _ => {}
            }
        }
    }

    fn push(&mut self, data: &[u8], flush: TDEFLFlush, out: &mut Vec<u8>) {
        compress_to_output(&mut self.core, data, flush, |bytes| {
            out.extend_from_slice(bytes);
            true
        });
    }

    fn header(&self, out: &mut Vec<u8>) {
        match self.wrap {
            Wrap::Zlib => {
                let method = (self.window - 8) << 4 | 8;
                let level = match self.level {
                    0 | 1 => 0,
                    2..=5 => 1,
                    -1 | 6 => 2,
                    _ => 3,
                };
                let flags = level << 6 | u32::from(self.dictionary.is_some()) << 5;
                let check = 31 - (method << 8 | flags) % 31;
                out.extend([method as u8, (flags | check) as u8]);
                if let Some(id) = self.dictionary {
                    out.extend(id.to_be_bytes());
                }
            }
            Wrap::Gzip => {
                let speed = match self.level {
                    9 => 2,
                    1 => 4,
                    _ => 0,
                };
                out.extend([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, speed, 3]);
            }
            _ => {}
        }
    }
}
