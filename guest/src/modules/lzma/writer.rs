//! Writes streams: `.xz`, the older `.lzma`, and data without a header.

use super::checks::{Check, Kind, crc32};
use super::encode::{Encoder, Options};
use super::filters::Filter;
use super::model::Fault;
use super::reader::{END_MAGIC, Format, Link, MAGIC, dict_size_of, filter};

/// A writer of one stream.
pub struct Writer {
    format: Format,
    kind: Kind,
    encoder: Encoder,
    filters: Vec<Filter>,
    check: Check,
    started: bool,
    /// `.xz`: the header of the one block, and what has been written of it.
    header: Vec<u8>,
    in_block: bool,
    packed: u64,
    plain: u64,
    alone: [u8; 13],
}

/// The smallest byte of properties whose dictionary is large enough.
fn dict_code(size: usize) -> u8 {
    (0..40)
        .find(|code| dict_size_of(*code).is_some_and(|s| s >= size as u64))
        .unwrap_or(40)
}

/// A number of variable length.
pub fn push_number(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// The properties of a filter as headers have them.
pub fn properties(link: &Link) -> (u64, Vec<u8>) {
    match link {
        Link::Delta { distance } => (3, vec![(distance - 1) as u8]),
        Link::Lzma2 { dict_size } => (0x21, vec![dict_code(*dict_size)]),
        Link::Lzma { props, dict_size } => {
            let mut bytes = vec![props.to_byte()];
            bytes.extend_from_slice(&(*dict_size as u32).to_le_bytes());
            (0x4000_0000_0000_0001, bytes)
        }
        Link::Branch { id, start: 0 } => (*id, Vec::new()),
        Link::Branch { id, start } => (*id, start.to_le_bytes().to_vec()),
    }
}

impl Writer {
    /// A writer with a chain of filters, the last of which the options belong to.
    pub fn new(
        format: Format,
        kind: Kind,
        chain: &[Link],
        options: &Options,
    ) -> Result<Writer, Fault> {
        let (last, before) = chain.split_last().ok_or(Fault::Options)?;
        let lzma2 = match (last, format) {
            (Link::Lzma2 { .. }, Format::Xz | Format::Raw) => true,
            (Link::Lzma { .. }, Format::Raw) => false,
            (Link::Lzma { .. }, Format::Alone) if before.is_empty() => false,
            _ => return Err(Fault::Options),
        };
        if !options.props.sound() || chain.len() > 4 {
            return Err(Fault::Options);
        }
        let mut header = vec![0, before.len() as u8];
        for link in chain {
            let (id, bytes) = properties(link);
            push_number(&mut header, id);
            push_number(&mut header, bytes.len() as u64);
            header.extend_from_slice(&bytes);
        }
        header.resize(header.len().next_multiple_of(4), 0);
        header[0] = (header.len() / 4) as u8;
        header.extend_from_slice(&crc32(&header).to_le_bytes());
        let mut alone = [0xff; 13];
        alone[0] = options.props.to_byte();
        alone[1..5].copy_from_slice(&(options.dict_size as u32).to_le_bytes());
        Ok(Writer {
            format,
            kind,
            encoder: Encoder::new(options, lzma2),
            filters: before.iter().map(filter).collect::<Result<_, _>>()?,
            check: Check::new(kind),
            started: false,
            header,
            in_block: false,
            packed: 0,
            plain: 0,
            alone,
        })
    }

    fn flags(&self) -> [u8; 2] {
        [0, self.kind.id()]
    }

    fn start(&mut self, out: &mut Vec<u8>) {
        if std::mem::replace(&mut self.started, true) {
            return;
        }
        match self.format {
            Format::Xz => {
                out.extend_from_slice(&MAGIC);
                out.extend_from_slice(&self.flags());
                out.extend_from_slice(&crc32(&self.flags()).to_le_bytes());
            }
            Format::Alone => out.extend_from_slice(&self.alone),
            Format::Auto | Format::Raw => {}
        }
    }

    /// Takes input. [`Writer::step`] is to be called afterwards until it says that nothing more is to do.
    pub fn push(&mut self, data: &[u8], out: &mut Vec<u8>) {
        self.start(out);
        if data.is_empty() {
            return;
        }
        if self.format == Format::Xz && !std::mem::replace(&mut self.in_block, true) {
            out.extend_from_slice(&self.header);
        }
        self.check.update(data);
        self.plain += data.len() as u64;
        self.through(data, false);
    }

    /// Sends data through the filters to the encoder.
    fn through(&mut self, data: &[u8], end: bool) {
        if self.filters.is_empty() {
            return self.encoder.push(data);
        }
        let mut made = data.to_vec();
        for filter in &mut self.filters {
            let mut next = Vec::new();
            filter.run(&made, true, end, &mut next);
            made = next;
        }
        self.encoder.push(&made);
    }

    /// Encodes a part of what waits, at the end all of it; whether there is more to do.
    pub fn step(&mut self, end: bool, out: &mut Vec<u8>) -> bool {
        let waits = self.encoder.ready() || end && !self.encoder.is_empty();
        if !waits {
            return false;
        }
        let before = out.len();
        self.encoder.step(out);
        self.packed += (out.len() - before) as u64;
        true
    }

    /// Sends the last bytes to the encoder; [`Writer::step`] follows, and then [`Writer::finish`].
    pub fn end(&mut self, out: &mut Vec<u8>) {
        self.start(out);
        self.through(&[], true);
    }

    /// Ends the stream.
    pub fn finish(mut self, out: &mut Vec<u8>) {
        let before = out.len();
        if self.format != Format::Xz || self.in_block {
            self.encoder.finish(out);
        }
        self.packed += (out.len() - before) as u64;
        if self.format != Format::Xz {
            return;
        }
        let mut index = vec![0];
        push_number(&mut index, u64::from(self.in_block));
        if self.in_block {
            let padding = self.packed.next_multiple_of(4) - self.packed;
            out.extend((0..padding).map(|_| 0));
            out.extend_from_slice(&std::mem::replace(&mut self.check, Check::None).finish());
            let size = self.header.len() as u64 + self.packed + self.kind.size() as u64;
            push_number(&mut index, size);
            push_number(&mut index, self.plain);
        }
        index.resize(index.len().next_multiple_of(4), 0);
        index.extend_from_slice(&crc32(&index).to_le_bytes());
        out.extend_from_slice(&index);
        let mut end = ((index.len() / 4 - 1) as u32).to_le_bytes().to_vec();
        end.extend_from_slice(&self.flags());
        out.extend_from_slice(&crc32(&end).to_le_bytes());
        out.extend_from_slice(&end);
        out.extend_from_slice(&END_MAGIC);
    }
}
