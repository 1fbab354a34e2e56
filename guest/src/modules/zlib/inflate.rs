//! The decompressing half of `zlib`, without Python: wrappers of RFC 1950 and RFC 1952 around the crate's inflate.

use super::adler32;
use super::deflate::Wrap;
use crate::modules::binascii::crc32;
use miniz_oxide::inflate::TINFLStatus;
use miniz_oxide::inflate::core::inflate_flags::{
    TINFL_FLAG_HAS_MORE_INPUT, TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF,
};
use miniz_oxide::inflate::core::{DecompressorOxide, decompress};

/// How far matches reach back.
const WINDOW: usize = 32 << 10;
/// Most bytes that one step makes.
const STEP: usize = 64 << 10;

/// Why it cannot go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// The data is wrong; zlib's words for it.
    Data(&'static str),
    /// A preset dictionary is needed, and none was given.
    NeedsDictionary,
    /// The dictionary that was given is not the right one.
    WrongDictionary,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    Header,
    Body,
    Trailer,
    Done,
}

/// What a step did.
pub struct Step {
    /// Bytes of input used.
    pub used: usize,
    /// Whether there is more output to have without more input.
    pub more_output: bool,
}

/// A running decompression.
#[derive(Clone)]
pub struct Inflater {
    core: Box<DecompressorOxide>,
    wrap: Wrap,
    window: u32,
    stage: Stage,
    /// Bytes of a header or trailer that is not complete yet.
    partial: Vec<u8>,
    /// The last output, which matches refer to.
    history: Vec<u8>,
    dictionary: Option<Vec<u8>>,
    first: Option<u8>,
    check: u32,
    total: u32,
}

impl Inflater {
    /// `window` is 0 or 8 to 15.
    pub fn new(wrap: Wrap, window: u32, dictionary: Option<Vec<u8>>) -> Inflater {
        let mut new = Inflater {
            core: Box::default(),
            wrap,
            window,
            stage: Stage::Header,
            partial: Vec::new(),
            history: Vec::new(),
            dictionary,
            first: None,
            check: 0,
            total: 0,
        };
        if wrap == Wrap::Raw {
            new.stage = Stage::Body;
            if let Some(text) = new.dictionary.take() {
                new.history = text;
            }
        }
        new
    }

    /// Whether the end has been reached.
    pub fn is_done(&self) -> bool {
        self.stage == Stage::Done
    }

    /// Takes input and appends at most `limit` bytes of output, and not more than one step makes.
    pub fn step(&mut self, input: &[u8], limit: usize, out: &mut Vec<u8>) -> Result<Step, Fault> {
        let mut used = 0;
        if self.stage == Stage::Header {
            while !self.header()? {
                let Some(&b) = input.get(used) else {
                    return Ok(Step {
                        used,
                        more_output: false,
                    });
                };
                self.partial.push(b);
                used += 1;
            }
            self.partial.clear();
            self.stage = Stage::Body;
            self.check = u32::from(self.wrap == Wrap::Zlib);
        }
        let mut more_output = false;
        if self.stage == Stage::Body {
            let rest = &input[used..];
            if self.first.is_none() {
                self.first = rest.first().copied();
            }
            if self.history.len() > 2 * WINDOW {
                self.history.drain(..self.history.len() - WINDOW);
            }
            let start = self.history.len();
            self.history.resize(start + limit.min(STEP), 0);
            let flags = TINFL_FLAG_HAS_MORE_INPUT | TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF;
            let (status, read, made) =
                decompress(&mut self.core, rest, &mut self.history, start, flags);
            self.history.truncate(start + made);
            let made = &self.history[start..];
            match self.wrap {
                Wrap::Zlib => self.check = adler32(made, self.check),
                Wrap::Gzip => self.check = crc32(made, self.check),
                _ => {}
            }
            self.total = self.total.wrapping_add(made.len() as u32);
            out.extend_from_slice(made);
            used += read;
            match status {
                TINFLStatus::Done if self.wrap == Wrap::Raw => self.stage = Stage::Done,
                TINFLStatus::Done => self.stage = Stage::Trailer,
                TINFLStatus::HasMoreOutput => more_output = true,
                TINFLStatus::NeedsMoreInput => {}
                _ => return Err(Fault::Data(self.fault())),
            }
        }
        if self.stage == Stage::Trailer {
            let size = if self.wrap == Wrap::Gzip { 8 } else { 4 };
            while self.partial.len() < size {
                let Some(&b) = input.get(used) else {
                    return Ok(Step { used, more_output });
                };
                self.partial.push(b);
                used += 1;
            }
            self.trailer()?;
            self.stage = Stage::Done;
        }
        Ok(Step { used, more_output })
    }

    /// The crate does not say what was wrong; at the beginning it can be seen.
    fn fault(&self) -> &'static str {
        match (self.total, self.first.map(|b| b >> 1 & 3)) {
            (0, Some(3)) => "invalid block type",
            (0, Some(0)) => "invalid stored block lengths",
            (0, Some(2)) => "invalid code lengths set",
            _ => "invalid distance too far back",
        }
    }

    /// Looks at the header as far as it has come: whether it is complete.
    fn header(&mut self) -> Result<bool, Fault> {
        if self.wrap == Wrap::Either {
            let Some(&first) = self.partial.first() else {
                return Ok(false);
            };
            self.wrap = if first == 0x1f {
                Wrap::Gzip
            } else {
                Wrap::Zlib
            };
        }
        if self.wrap == Wrap::Gzip {
            return gzip_header(&self.partial);
        }
        let [method, flags, rest @ ..] = &self.partial[..] else {
            return Ok(false);
        };
        if !(u32::from(*method) << 8 | u32::from(*flags)).is_multiple_of(31) {
            return Err(Fault::Data("incorrect header check"));
        }
        if method & 15 != 8 {
            return Err(Fault::Data("unknown compression method"));
        }
        let window = u32::from(method >> 4) + 8;
        if window > 15 || (self.window != 0 && window > self.window) {
            return Err(Fault::Data("invalid window size"));
        }
        if flags & 0x20 == 0 {
            return Ok(true);
        }
        let Ok(id) = <[u8; 4]>::try_from(rest) else {
            return Ok(false);
        };
        let Some(text) = &self.dictionary else {
            return Err(Fault::NeedsDictionary);
        };
        if adler32(text, 1) != u32::from_be_bytes(id) {
            return Err(Fault::WrongDictionary);
        }
        self.history = text[text.len().saturating_sub(WINDOW)..].to_vec();
        Ok(true)
    }

    fn trailer(&self) -> Result<(), Fault> {
        let word = |at: usize| <[u8; 4]>::try_from(&self.partial[at..at + 4]).unwrap_or_default();
        if self.wrap == Wrap::Gzip {
            if u32::from_le_bytes(word(0)) != self.check {
                return Err(Fault::Data("incorrect data check"));
            }
            if u32::from_le_bytes(word(4)) != self.total {
                return Err(Fault::Data("incorrect length check"));
            }
        } else if u32::from_be_bytes(word(0)) != self.check {
            return Err(Fault::Data("incorrect data check"));
        }
        Ok(())
    }
}

/// Whether these bytes are a whole header of RFC 1952.
fn gzip_header(bytes: &[u8]) -> Result<bool, Fault> {
    if bytes.iter().zip([0x1f, 0x8b]).any(|(&b, magic)| b != magic) {
        return Err(Fault::Data("incorrect header check"));
    }
    if bytes.get(2).is_some_and(|&method| method != 8) {
        return Err(Fault::Data("unknown compression method"));
    }
    let Some(&flags) = bytes.get(3) else {
        return Ok(false);
    };
    if flags & 0xe0 != 0 {
        return Err(Fault::Data("unknown header flags set"));
    }
    let mut at = 10;
    if flags & 4 != 0 {
        let Some([low, high]) = bytes.get(at..at + 2) else {
            return Ok(false);
        };
        at += 2 + usize::from(u16::from_le_bytes([*low, *high]));
    }
    // A name and a comment, each ended by a zero.
    for flag in [8, 16] {
        if flags & flag != 0 {
            let end = bytes
                .get(at..)
                .and_then(|rest| rest.iter().position(|&b| b == 0));
            let Some(end) = end else {
                return Ok(false);
            };
            at += end + 1;
        }
    }
    if flags & 2 != 0 {
        let Some([low, high]) = bytes.get(at..at + 2) else {
            return Ok(false);
        };
        if u16::from_le_bytes([*low, *high]) != crc32(&bytes[..at], 0) as u16 {
            return Err(Fault::Data("header crc mismatch"));
        }
        at += 2;
    }
    Ok(bytes.len() >= at)
}

#[cfg(test)]
mod tests {
    use super::super::deflate::Deflater;
    use super::*;
    use miniz_oxide::deflate::core::TDEFLFlush;

    fn text() -> Vec<u8> {
        (0..100_000u32)
            .map(|i| (i.wrapping_mul(i) / 7 % 61) as u8)
            .collect()
    }

    fn back(data: &[u8], wrap: Wrap, chunk: usize, dictionary: Option<Vec<u8>>) -> Vec<u8> {
        let mut inflater = Inflater::new(wrap, 15, dictionary);
        let mut out = Vec::new();
        for piece in data.chunks(chunk) {
            let mut at = 0;
            loop {
                let step = inflater
                    .step(&piece[at..], 1000, &mut out)
                    .expect("good data");
                at += step.used;
                if at == piece.len() && !step.more_output || inflater.is_done() {
                    break;
                }
            }
        }
        assert!(inflater.is_done());
        out
    }

    #[test]
    fn every_wrapper_and_window_goes_both_ways() {
        for wrap in [Wrap::Raw, Wrap::Zlib, Wrap::Gzip] {
            for (window, level) in [(9, 1), (12, 9), (15, 6), (15, 0)] {
                let mut deflater = Deflater::new(level, wrap, window, 0);
                let mut packed = Vec::new();
                for piece in text().chunks(777) {
                    deflater.run(piece, TDEFLFlush::None, &mut packed);
                }
                deflater.run(&[], TDEFLFlush::Finish, &mut packed);
                assert_eq!(back(&packed, wrap, 101, None), text());
            }
        }
    }

    #[test]
    fn a_preset_dictionary_makes_it_shorter() {
        let words = text();
        let mut deflater = Deflater::new(9, Wrap::Zlib, 15, 0);
        deflater.set_dictionary(&words[..20_000]);
        let mut packed = Vec::new();
        deflater.run(&words[..10_000], TDEFLFlush::Finish, &mut packed);
        assert!(packed.len() < 200);
        let dictionary = Some(words[..20_000].to_vec());
        assert_eq!(back(&packed, Wrap::Zlib, 7, dictionary), words[..10_000]);
    }
}
