//! Reads streams: `.xz`, the older `.lzma`, and data without a header, in pieces of any size.
//!
//! The containers are described in the ".xz File Format" and "lzma-file-format" documents of tukaani.org.

use super::checks::{Check, Kind, crc32};
use super::decode::{Lzma, Lzma2, Stop};
use super::filters::{Branch, Filter};
use super::model::{Fault, Props};

/// Bytes decoded at once.
const PIECE: usize = 1 << 16;
/// What a decoder needs besides its dictionary, for the limit of memory.
const WORK: u64 = 1 << 15;
pub const MAGIC: [u8; 6] = [0xfd, b'7', b'z', b'X', b'Z', 0];
pub const END_MAGIC: [u8; 2] = *b"YZ";

/// A member of a chain of filters.
#[derive(Clone, Copy, Debug)]
pub enum Link {
    Lzma { props: Props, dict_size: usize },
    Lzma2 { dict_size: usize },
    Delta { distance: usize },
    Branch { id: u64, start: u32 },
}

/// The processor of a filter's number.
pub fn branch(id: u64) -> Option<Branch> {
    Some(match id {
        4 => Branch::X86,
        5 => Branch::PowerPc,
        6 => Branch::Ia64,
        7 => Branch::Arm,
        8 => Branch::ArmThumb,
        9 => Branch::Sparc,
        _ => return None,
    })
}

/// The filter of a link that stands before the last one.
pub fn filter(link: &Link) -> Result<Filter, Fault> {
    match link {
        Link::Delta { distance } if (1..=256).contains(distance) => Ok(Filter::delta(*distance)),
        Link::Branch { id, start } => {
            Ok(Filter::branch(branch(*id).ok_or(Fault::Options)?, *start))
        }
        _ => Err(Fault::Options),
    }
}

/// The size of the dictionary that a byte of properties stands for.
pub fn dict_size_of(code: u8) -> Option<u64> {
    match code {
        0..40 => Some((2 | u64::from(code & 1)) << (code / 2 + 11)),
        40 => Some(u64::from(u32::MAX)),
        _ => None,
    }
}

/// What decodes the data itself.
enum Body {
    Lzma(Box<Lzma>),
    Lzma2(Box<Lzma2>),
}

impl Body {
    fn run(
        &mut self,
        input: &[u8],
        out: &mut Vec<u8>,
        limit: usize,
    ) -> Result<(usize, Stop), Fault> {
        match self {
            Body::Lzma(body) => body.run(input, out, limit),
            Body::Lzma2(body) => body.run(input, out, limit),
        }
    }
}

/// Which container is expected.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    Auto,
    Xz,
    Alone,
    Raw,
}

/// What is read next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    Start,
    XzHeader,
    AloneHeader,
    BlockStart,
    BlockHeader(usize),
    Body,
    Padding,
    Check,
    IndexCount,
    IndexRecord { left: u64, second: bool },
    IndexPadding,
    IndexCheck,
    Footer,
    End,
}

/// A number of variable length that is being read.
#[derive(Default)]
struct Number {
    value: u64,
    shift: u32,
}

impl Number {
    /// Takes a byte; the number when it was the last.
    fn take(&mut self, byte: u8) -> Result<Option<u64>, Fault> {
        if self.shift >= 63 || byte == 0 && self.shift > 0 {
            return Err(Fault::Data);
        }
        self.value |= u64::from(byte & 0x7f) << self.shift;
        self.shift += 7;
        Ok((byte & 0x80 == 0).then(|| std::mem::take(self).value))
    }
}

/// A reader of one stream.
pub struct Reader {
    format: Format,
    memory: Option<u64>,
    stage: Stage,
    held: Vec<u8>,
    body: Option<Body>,
    filters: Vec<Filter>,
    /// Output that waits for room.
    ready: Vec<u8>,
    flags: [u8; 2],
    check: Option<Check>,
    /// The size of the current block: packed and plain, and what its header says.
    sizes: (u64, u64),
    said: (Option<u64>, Option<u64>),
    /// Bytes of the block's header, at last those of the index.
    header: u64,
    /// Bytes of padding after the block.
    padding: u8,
    /// Whether the format was told from the first byte.
    guessed: bool,
    records: Vec<(u64, u64)>,
    number: Number,
}

impl Reader {
    /// A reader of a container.
    pub fn new(format: Format, memory: Option<u64>) -> Reader {
        Reader {
            format,
            memory,
            stage: match format {
                Format::Xz => Stage::XzHeader,
                Format::Alone => Stage::AloneHeader,
                Format::Auto | Format::Raw => Stage::Start,
            },
            held: Vec::new(),
            body: None,
            filters: Vec::new(),
            ready: Vec::new(),
            flags: [0; 2],
            check: None,
            sizes: (0, 0),
            said: (None, None),
            header: 0,
            padding: 0,
            guessed: format == Format::Auto,
            records: Vec::new(),
            number: Number::default(),
        }
    }

    /// A reader of data whose filters the caller knows.
    pub fn raw(chain: &[Link]) -> Result<Reader, Fault> {
        let mut reader = Reader::new(Format::Raw, None);
        reader.chain(chain)?;
        reader.stage = Stage::Body;
        Ok(reader)
    }

    /// The number of the stream's check, once it is known.
    pub fn check_id(&self) -> Option<u8> {
        match (self.format, self.stage) {
            (Format::Xz, Stage::XzHeader | Stage::Start) => None,
            (Format::Xz, _) => Some(self.flags[1]),
            (Format::Alone, Stage::AloneHeader) | (Format::Auto, _) => None,
            (Format::Alone | Format::Raw, _) => Some(0),
        }
    }

    /// Bytes of memory that the window holds.
    pub fn held_memory(&self) -> usize {
        match &self.body {
            Some(Body::Lzma(body)) => body.memory(),
            Some(Body::Lzma2(body)) => body.memory(),
            None => 0,
        }
    }

    fn chain(&mut self, chain: &[Link]) -> Result<(), Fault> {
        let (last, before) = chain.split_last().ok_or(Fault::Options)?;
        let (size, body) = match *last {
            Link::Lzma { props, dict_size } => {
                if !props.sound() {
                    return Err(Fault::Options);
                }
                let body = Lzma::new(props, dict_size, None);
                (dict_size, Body::Lzma(Box::new(body)))
            }
            Link::Lzma2 { dict_size } => (dict_size, Body::Lzma2(Box::new(Lzma2::new(dict_size)))),
            _ => return Err(Fault::Options),
        };
        self.allowed(size as u64)?;
        self.filters = before.iter().map(filter).collect::<Result<_, _>>()?;
        self.body = Some(body);
        Ok(())
    }

    fn allowed(&self, dict_size: u64) -> Result<(), Fault> {
        match self.memory {
            Some(limit) if dict_size + WORK > limit => Err(Fault::Memory),
            _ => Ok(()),
        }
    }

    /// Decodes until the input, the room or the stream ends; also says how many bytes of the input were used.
    pub fn run(
        &mut self,
        input: &[u8],
        out: &mut Vec<u8>,
        limit: usize,
    ) -> Result<(usize, Stop), Fault> {
        let mut used = 0;
        loop {
            if !self.ready.is_empty() {
                let now = self.ready.len().min(limit.saturating_sub(out.len()));
                out.extend(self.ready.drain(..now));
                if !self.ready.is_empty() {
                    return Ok((used, Stop::Output));
                }
            }
            match self.stage {
                Stage::End => return Ok((used, Stop::End)),
                Stage::Body => {
                    if out.len() >= limit {
                        return Ok((used, Stop::Output));
                    }
                    let (now, stop) = self.piece(&input[used..], limit - out.len())?;
                    used += now;
                    match stop {
                        Stop::End => self.body_ended(),
                        Stop::Input if self.ready.is_empty() => return Ok((used, stop)),
                        Stop::Input | Stop::Output => {}
                    }
                }
                _ => {
                    if let Some(next) = self.without_input()? {
                        self.stage = next;
                        continue;
                    }
                    let Some(byte) = input.get(used) else {
                        return Ok((used, Stop::Input));
                    };
                    if self.stage == Stage::Start {
                        self.format = if *byte == MAGIC[0] {
                            Format::Xz
                        } else {
                            Format::Alone
                        };
                        self.stage = if self.format == Format::Xz {
                            Stage::XzHeader
                        } else {
                            Stage::AloneHeader
                        };
                        continue;
                    }
                    used += 1;
                    self.byte(*byte)?;
                }
            }
        }
    }

    /// Decodes a piece of the body into what is ready.
    fn piece(&mut self, input: &[u8], room: usize) -> Result<(usize, Stop), Fault> {
        let Some(body) = &mut self.body else {
            return Err(Fault::Data);
        };
        let mut made = Vec::new();
        let (used, stop) = body.run(input, &mut made, room.min(PIECE))?;
        for filter in self.filters.iter_mut().rev() {
            let mut next = Vec::new();
            filter.run(&made, false, stop == Stop::End, &mut next);
            made = next;
        }
        if let Some(check) = &mut self.check {
            check.update(&made);
        }
        self.sizes.0 += used as u64;
        self.sizes.1 += made.len() as u64;
        let over = |size: u64, said: Option<u64>| said.is_some_and(|said| size > said);
        if over(self.sizes.0, self.said.0) || over(self.sizes.1, self.said.1) {
            return Err(Fault::Data);
        }
        self.ready.append(&mut made);
        Ok((used, stop))
    }

    fn body_ended(&mut self) {
        self.held.clear();
        self.stage = if self.format == Format::Xz {
            Stage::Padding
        } else {
            Stage::End
        };
    }

    /// Whether this many bytes are held.
    fn has(&self, count: usize) -> bool {
        self.held.len() >= count
    }

    /// The next stage when the present one is complete.
    fn without_input(&mut self) -> Result<Option<Stage>, Fault> {
        Ok(match self.stage {
            Stage::Padding if self.sizes.0.is_multiple_of(4) => Some(Stage::Check),
            Stage::Check => {
                let kind = Kind::from_id(self.flags[1]);
                if !self.has(kind.size()) {
                    return Ok(None);
                }
                let (counted, plain) = self.sizes;
                let packed = counted - u64::from(self.padding);
                let wrong = |size: u64, said: Option<u64>| said.is_some_and(|said| size != said);
                if wrong(packed, self.said.0) || wrong(plain, self.said.1) {
                    return Err(Fault::Data);
                }
                if let Some(check) = self.check.take()
                    && !matches!(kind, Kind::Unknown(_))
                    && check.finish() != self.held
                {
                    return Err(Fault::Data);
                }
                self.held.clear();
                self.records
                    .push((self.header + packed + kind.size() as u64, plain));
                Some(Stage::BlockStart)
            }
            Stage::IndexPadding if self.held.len().is_multiple_of(4) => Some(Stage::IndexCheck),
            Stage::IndexRecord { left: 0, .. } => Some(Stage::IndexPadding),
            _ => None,
        })
    }

    fn byte(&mut self, byte: u8) -> Result<(), Fault> {
        match self.stage {
            Stage::XzHeader => {
                self.held.push(byte);
                let known = self.held.len().min(6);
                if self.held[..known] != MAGIC[..known] {
                    return Err(Fault::Format);
                }
                if self.has(12) {
                    self.flags = stream_flags(&self.held[6..12])?;
                    self.held.clear();
                    self.stage = Stage::BlockStart;
                }
            }
            Stage::AloneHeader => {
                self.held.push(byte);
                if self.held.len() == 1 && Props::from_byte(byte).is_none_or(|p| !p.sound()) {
                    return Err(Fault::Format);
                }
                if self.has(13) {
                    self.alone_header()?;
                }
            }
            Stage::BlockStart => {
                self.held.clear();
                self.held.push(byte);
                self.stage = if byte == 0 {
                    Stage::IndexCount
                } else {
                    Stage::BlockHeader((usize::from(byte) + 1) * 4)
                };
            }
            Stage::BlockHeader(size) => {
                self.held.push(byte);
                if self.has(size) {
                    let header = std::mem::take(&mut self.held);
                    self.block_header(&header)?;
                }
            }
            Stage::Padding => {
                if byte != 0 {
                    return Err(Fault::Data);
                }
                self.sizes.0 += 1;
                self.padding += 1;
            }
            Stage::Check => self.held.push(byte),
            Stage::IndexCount => {
                self.held.push(byte);
                if let Some(count) = self.number.take(byte)? {
                    if count != self.records.len() as u64 {
                        return Err(Fault::Data);
                    }
                    self.records.reverse();
                    self.stage = Stage::IndexRecord {
                        left: count,
                        second: false,
                    };
                }
            }
            Stage::IndexRecord { left, second } => {
                self.held.push(byte);
                if let Some(value) = self.number.take(byte)? {
                    let record = self.records.last().copied().unwrap_or_default();
                    if value != if second { record.1 } else { record.0 } {
                        return Err(Fault::Data);
                    }
                    if second {
                        self.records.pop();
                    }
                    self.stage = Stage::IndexRecord {
                        left: left - u64::from(second),
                        second: !second,
                    };
                }
            }
            Stage::IndexPadding => {
                self.held.push(byte);
                if byte != 0 {
                    return Err(Fault::Data);
                }
            }
            Stage::IndexCheck => {
                self.held.push(byte);
                let size = self.held.len() - 4;
                if size.is_multiple_of(4) {
                    if crc32(&self.held[..size]).to_le_bytes() != self.held[size..] {
                        return Err(Fault::Data);
                    }
                    self.header = self.held.len() as u64;
                    self.held.clear();
                    self.stage = Stage::Footer;
                }
            }
            Stage::Footer => {
                self.held.push(byte);
                if self.has(12) {
                    self.footer()?;
                    self.stage = Stage::End;
                }
            }
            Stage::Start | Stage::Body | Stage::End => {}
        }
        Ok(())
    }

    fn alone_header(&mut self) -> Result<(), Fault> {
        let held = std::mem::take(&mut self.held);
        let props = Props::from_byte(held[0]).ok_or(Fault::Format)?;
        let dict_size = u32::from_le_bytes([held[1], held[2], held[3], held[4]]);
        let size = u64::from_le_bytes(held[5..13].try_into().map_err(|_| Fault::Format)?);
        // What is guessed to be this format has to look like what is usual.
        let top = dict_size.checked_ilog2().unwrap_or(0);
        let usual = dict_size == u32::MAX
            || dict_size == 1 << top
            || top > 0 && dict_size == 3 << (top - 1);
        if self.guessed && (!usual || size != u64::MAX && size >= 1 << 38) {
            return Err(Fault::Format);
        }
        self.allowed(u64::from(dict_size))?;
        let left = (size != u64::MAX).then_some(size);
        let lzma = Lzma::new(props, dict_size as usize, left);
        self.body = Some(Body::Lzma(Box::new(lzma)));
        self.stage = Stage::Body;
        Ok(())
    }

    fn block_header(&mut self, header: &[u8]) -> Result<(), Fault> {
        let end = header.len() - 4;
        if crc32(&header[..end]).to_le_bytes() != header[end..] {
            return Err(Fault::Data);
        }
        let flags = header[1];
        if flags & 0x3c != 0 {
            return Err(Fault::Options);
        }
        let mut rest = &header[2..end];
        let number = |rest: &mut &[u8]| -> Result<u64, Fault> {
            let mut number = Number::default();
            while let [byte, more @ ..] = *rest {
                *rest = more;
                if let Some(value) = number.take(*byte)? {
                    return Ok(value);
                }
            }
            Err(Fault::Data)
        };
        let mut said = (None, None);
        if flags & 0x40 != 0 {
            said.0 = Some(number(&mut rest)?);
        }
        if flags & 0x80 != 0 {
            said.1 = Some(number(&mut rest)?);
        }
        let mut chain = Vec::new();
        for _ in 0..=flags & 3 {
            let id = number(&mut rest)?;
            let size = number(&mut rest)? as usize;
            let props = rest.get(..size).ok_or(Fault::Data)?;
            rest = &rest[size..];
            chain.push(link(id, props)?);
        }
        if rest.iter().any(|byte| *byte != 0) {
            return Err(Fault::Options);
        }
        if matches!(chain.last(), Some(Link::Lzma { .. })) {
            return Err(Fault::Options);
        }
        self.chain(&chain)?;
        self.said = said;
        self.sizes = (0, 0);
        self.padding = 0;
        self.header = header.len() as u64;
        self.check = Some(Check::new(Kind::from_id(self.flags[1])));
        self.stage = Stage::Body;
        Ok(())
    }

    fn footer(&self) -> Result<(), Fault> {
        let held = &self.held;
        if held[10..12] != END_MAGIC {
            return Err(Fault::Data);
        }
        if crc32(&held[4..10]).to_le_bytes() != held[..4] || held[8..10] != self.flags {
            return Err(Fault::Data);
        }
        let size = u32::from_le_bytes([held[4], held[5], held[6], held[7]]);
        if (u64::from(size) + 1) * 4 != self.header {
            return Err(Fault::Data);
        }
        Ok(())
    }
}

/// The flags of a stream's header, whose checksum follows them.
fn stream_flags(bytes: &[u8]) -> Result<[u8; 2], Fault> {
    if crc32(&bytes[..2]).to_le_bytes() != bytes[2..6] {
        return Err(Fault::Data);
    }
    if bytes[0] != 0 || bytes[1] & 0xf0 != 0 {
        return Err(Fault::Options);
    }
    Ok([bytes[0], bytes[1]])
}

/// A filter as a block's header has it.
pub fn link(id: u64, props: &[u8]) -> Result<Link, Fault> {
    match (id, props) {
        (3, [distance]) => Ok(Link::Delta {
            distance: usize::from(*distance) + 1,
        }),
        (0x21, [code]) => {
            let size = dict_size_of(*code).ok_or(Fault::Options)?;
            Ok(Link::Lzma2 {
                dict_size: size as usize,
            })
        }
        (0x4000_0000_0000_0001, [props, a, b, c, d]) => Ok(Link::Lzma {
            props: Props::from_byte(*props).ok_or(Fault::Options)?,
            dict_size: u32::from_le_bytes([*a, *b, *c, *d]) as usize,
        }),
        (4..=9, []) => Ok(Link::Branch { id, start: 0 }),
        (4..=9, [a, b, c, d]) => Ok(Link::Branch {
            id,
            start: u32::from_le_bytes([*a, *b, *c, *d]),
        }),
        _ => Err(Fault::Options),
    }
}
