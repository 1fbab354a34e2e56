//! What a file is: its content, its mode, its times.

use super::{Errno, Ino, Io, errno};
use crate::packed::Packed;
use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::{BTreeMap, VecDeque};

/// Files that are not data.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Device {
    /// Swallows everything, has nothing.
    Null,
    /// Has zeros.
    Zero,
    /// Has zeros and is full.
    Full,
    /// Has random bytes, which are the caller's.
    Random,
    /// A standard stream of the program, which is the caller's.
    Stream(u8),
}

/// The content of a file.
pub(super) enum Content {
    Data(Vec<u8>),
    /// Data of the program itself: costs nothing, and becomes the session's own when it is changed.
    Fixed(Fixed),
    /// Entries, and the directory above.
    Directory(BTreeMap<Vec<u8>, Ino>, Ino),
    /// A symbolic link.
    Link(Vec<u8>),
    Device(Device),
    /// Bytes on their way, and how many descriptors can read and write.
    Pipe(Pipe),
}

/// A text of the library, unpacked when it is first read.
pub(super) struct Fixed {
    packed: Packed,
    text: OnceCell<Vec<u8>>,
}

impl Fixed {
    pub(super) fn new(packed: Packed) -> Fixed {
        Fixed {
            packed,
            text: OnceCell::new(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.packed.len
    }

    pub(super) fn text(&self) -> &[u8] {
        self.text.get_or_init(|| self.packed.unpack())
    }
}

/// A pipe.
#[derive(Default)]
pub(super) struct Pipe {
    pub(super) data: VecDeque<u8>,
    pub(super) readers: u32,
    pub(super) writers: u32,
}

impl Content {
    /// Bytes that count.
    pub(super) fn cost(&self) -> u64 {
        match self {
            Content::Data(data) => data.len() as u64,
            Content::Link(target) => target.len() as u64,
            _ => 0,
        }
    }
}

/// A file.
pub(super) struct Node {
    pub(super) content: Content,
    /// Permission bits.
    pub(super) mode: u32,
    /// Directory entries.
    pub(super) links: u32,
    /// Open descriptions.
    pub(super) opens: u32,
    pub(super) accessed: i64,
    pub(super) modified: i64,
    pub(super) changed: i64,
    pub(super) born: i64,
}

/// What `stat` tells. Times are nanoseconds since the epoch.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)] // the fields are those of `struct stat`
pub struct Stat {
    pub mode: u32,
    pub ino: u64,
    pub links: u32,
    pub size: u64,
    pub device: u64,
    pub accessed: i64,
    pub modified: i64,
    pub changed: i64,
    pub born: i64,
}

impl Stat {
    /// Whether this is a directory.
    pub fn is_dir(&self) -> bool {
        self.mode & 0o170_000 == 0o040_000
    }
}

impl Node {
    /// Whether the owner's bits allow it (`0o400`, `0o200`, `0o100`).
    pub(super) fn may(&self, bit: u32) -> bool {
        self.mode & bit != 0
    }

    pub(super) fn is_dir(&self) -> bool {
        matches!(self.content, Content::Directory(..))
    }

    /// The data of a regular file.
    pub(super) fn bytes(&self) -> Io<&[u8]> {
        match &self.content {
            Content::Data(data) => Ok(data),
            Content::Fixed(data) => Ok(data.text()),
            Content::Directory(..) => Err(errno::EISDIR),
            _ => Err(errno::EINVAL),
        }
    }

    /// The data of a regular file, for change.
    pub(super) fn bytes_mut(&mut self) -> Result<&mut Vec<u8>, Errno> {
        if let Content::Fixed(data) = &self.content {
            self.content = Content::Data(data.text().to_vec());
        }
        match &mut self.content {
            Content::Data(data) => Ok(data),
            Content::Directory(..) => Err(errno::EISDIR),
            _ => Err(errno::EINVAL),
        }
    }

    /// The bits of the mode that tell the kind of the file.
    pub(super) fn kind_bits(&self) -> u32 {
        match self.content {
            Content::Data(_) | Content::Fixed(_) => 0o100_000,
            Content::Directory(..) => 0o040_000,
            Content::Link(_) => 0o120_000,
            Content::Device(_) => 0o020_000,
            Content::Pipe(_) => 0o010_000,
        }
    }

    pub(super) fn stat(&self, ino: Ino) -> Stat {
        let size = match &self.content {
            Content::Data(data) => data.len(),
            Content::Fixed(data) => data.len(),
            Content::Directory(..) => 4096,
            Content::Link(target) => target.len(),
            Content::Device(_) | Content::Pipe(_) => 0,
        };
        let device = match self.content {
            Content::Device(Device::Null) => 0x103,
            Content::Device(Device::Zero) => 0x105,
            Content::Device(Device::Full) => 0x107,
            Content::Device(Device::Random) => 0x109,
            Content::Device(Device::Stream(n)) => 0x8800 + u64::from(n),
            _ => 0,
        };
        Stat {
            mode: self.kind_bits() | self.mode,
            ino: ino as u64 + 2,
            links: self.links,
            size: size as u64,
            device,
            accessed: self.accessed,
            modified: self.modified,
            changed: self.changed,
            born: self.born,
        }
    }

    /// What a symbolic link points to.
    pub(super) fn target(&self) -> Io<Cow<'_, [u8]>> {
        match &self.content {
            Content::Link(target) => Ok(Cow::Borrowed(target)),
            _ => Err(errno::EINVAL),
        }
    }
}
