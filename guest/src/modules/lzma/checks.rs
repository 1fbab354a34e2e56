//! The checksums that streams carry.

use crate::modules::binascii::crc32_on;
use sha2::{Digest, Sha256};

/// Which checksum.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    None,
    Crc32,
    Crc64,
    Sha256,
    /// One that is skipped: its size.
    Unknown(usize),
}

impl Kind {
    /// The kind of a stream header's number.
    pub fn from_id(id: u8) -> Kind {
        match id {
            0 => Kind::None,
            1 => Kind::Crc32,
            4 => Kind::Crc64,
            10 => Kind::Sha256,
            _ => Kind::Unknown([4, 8, 16, 32, 64][usize::from((id & 15).saturating_sub(1) / 3)]),
        }
    }

    /// The number in stream headers.
    pub fn id(self) -> u8 {
        match self {
            Kind::Crc32 => 1,
            Kind::Crc64 => 4,
            Kind::Sha256 => 10,
            Kind::None | Kind::Unknown(_) => 0,
        }
    }

    /// Bytes that it takes.
    pub fn size(self) -> usize {
        match self {
            Kind::None => 0,
            Kind::Crc32 => 4,
            Kind::Crc64 => 8,
            Kind::Sha256 => 32,
            Kind::Unknown(size) => size,
        }
    }
}

const fn table64() -> [u64; 256] {
    let mut table = [0; 256];
    let mut i = 0;
    while i < 256 {
        let (mut value, mut bit) = (i as u64, 0);
        while bit < 8 {
            value = value >> 1
                ^ if value & 1 == 1 {
                    0xC96C_5795_D787_0F42
                } else {
                    0
                };
            bit += 1;
        }
        table[i] = value;
        i += 1;
    }
    table
}

static TABLE64: [u64; 256] = table64();

/// CRC-32 of some bytes.
pub fn crc32(data: &[u8]) -> u32 {
    !crc32_on(!0, data)
}

/// A checksum that is being made.
pub enum Check {
    Crc32(u32),
    Crc64(u64),
    Sha256(Box<Sha256>),
    None,
}

impl Check {
    pub fn new(kind: Kind) -> Check {
        match kind {
            Kind::Crc32 => Check::Crc32(!0),
            Kind::Crc64 => Check::Crc64(!0),
            Kind::Sha256 => Check::Sha256(Box::new(Sha256::new())),
            Kind::None | Kind::Unknown(_) => Check::None,
        }
    }

    pub fn update(&mut self, data: &[u8]) {
        match self {
            Check::Crc32(crc) => *crc = crc32_on(*crc, data),
            Check::Crc64(crc) => {
                for byte in data {
                    *crc = *crc >> 8 ^ TABLE64[usize::from(*crc as u8 ^ byte)];
                }
            }
            Check::Sha256(hash) => hash.update(data),
            Check::None => {}
        }
    }

    pub fn finish(self) -> Vec<u8> {
        match self {
            Check::Crc32(crc) => (!crc).to_le_bytes().to_vec(),
            Check::Crc64(crc) => (!crc).to_le_bytes().to_vec(),
            Check::Sha256(hash) => hash.finalize().to_vec(),
            Check::None => Vec::new(),
        }
    }
}
