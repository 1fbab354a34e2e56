//! The filters that stand before LZMA2 in a chain: differences of bytes, and machine code whose relative jumps are made absolute.
//!
//! What they do is described in the ".xz File Format" specification (tukaani.org/xz/xz-file-format.txt) and, for machine code, by the formats
//! of the processors' jump instructions.

/// A filter and where it is in the data.
pub enum Filter {
    Delta {
        distance: usize,
        last: Box<[u8; 256]>,
        at: usize,
    },
    Branch {
        kind: Branch,
        position: u32,
        x86: X86,
        waiting: Vec<u8>,
    },
}

/// The processor whose jumps are converted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Branch {
    X86,
    PowerPc,
    Ia64,
    Arm,
    ArmThumb,
    Sparc,
}

/// What the x86 filter remembers: which of the last bytes looked like a jump.
#[derive(Default)]
pub struct X86 {
    mask: u32,
    last: Option<u32>,
}

impl Filter {
    /// Differences to the byte this far back.
    pub fn delta(distance: usize) -> Filter {
        Filter::Delta {
            distance,
            last: Box::new([0; 256]),
            at: 0,
        }
    }

    /// Jumps in code that is loaded at an address.
    pub fn branch(kind: Branch, start: u32) -> Filter {
        Filter::Branch {
            kind,
            position: start,
            x86: X86::default(),
            waiting: Vec::new(),
        }
    }

    /// Converts data in one of the two directions; what depends on bytes to come waits until the end.
    pub fn run(&mut self, data: &[u8], encode: bool, end: bool, out: &mut Vec<u8>) {
        match self {
            Filter::Delta { distance, last, at } => {
                for byte in data {
                    let slot = *at % *distance;
                    let made = if encode {
                        byte.wrapping_sub(last[slot])
                    } else {
                        byte.wrapping_add(last[slot])
                    };
                    last[slot] = if encode { *byte } else { made };
                    *at = (*at + 1) % *distance;
                    out.push(made);
                }
            }
            Filter::Branch {
                kind,
                position,
                x86,
                waiting,
            } => {
                waiting.extend_from_slice(data);
                let done = match kind {
                    Branch::X86 => x86.convert(waiting, *position, encode),
                    Branch::Ia64 => bundles(waiting, *position, encode),
                    _ => convert(*kind, waiting, *position, encode),
                };
                let ready = if end { waiting.len() } else { done };
                out.extend(waiting.drain(..ready));
                *position = position.wrapping_add(ready as u32);
            }
        }
    }
}

/// An address made absolute, or relative again.
fn moved(address: u32, place: u32, encode: bool) -> u32 {
    if encode {
        address.wrapping_add(place)
    } else {
        address.wrapping_sub(place)
    }
}

/// Instructions of a fixed size; how many bytes are done.
fn convert(kind: Branch, data: &mut [u8], position: u32, encode: bool) -> usize {
    let step = if kind == Branch::ArmThumb { 2 } else { 4 };
    let mut at = 0;
    while at + 4 <= data.len() {
        let here = position.wrapping_add(at as u32);
        let b = &mut data[at..at + 4];
        let big = u32::from_be_bytes([b[0], b[1], b[2], b[3]]);
        match kind {
            Branch::PowerPc if big & 0xfc00_0003 == 0x4800_0001 => {
                let to = moved(big & 0x03ff_fffc, here, encode);
                b.copy_from_slice(&(0x4800_0001 | to & 0x03ff_fffc).to_be_bytes());
            }
            Branch::Arm if b[3] == 0xeb => {
                // The program counter is two instructions ahead.
                let words = u32::from_le_bytes([b[0], b[1], b[2], 0]);
                let to = moved(words << 2, here.wrapping_add(8), encode) >> 2;
                b[..3].copy_from_slice(&to.to_le_bytes()[..3]);
            }
            Branch::ArmThumb if b[1] & 0xf8 == 0xf0 && b[3] & 0xf8 == 0xf8 => {
                let high = u32::from(b[1] & 7) << 8 | u32::from(b[0]);
                let low = u32::from(b[3] & 7) << 8 | u32::from(b[2]);
                let to = moved((high << 11 | low) << 1, here.wrapping_add(4), encode) >> 1;
                b[1] = 0xf0 | (to >> 19 & 7) as u8;
                b[0] = (to >> 11) as u8;
                b[3] = 0xf8 | (to >> 8 & 7) as u8;
                b[2] = to as u8;
                at += 2;
            }
            Branch::Sparc if matches!(big >> 22, 0x100 | 0x1ff) => {
                let to = moved(big << 2, here, encode) >> 2;
                // Bit 22 is the sign of the displacement.
                let sign = 0u32.wrapping_sub(to >> 22 & 1) << 22 & 0x3fff_ffff;
                b.copy_from_slice(&(0x4000_0000 | sign | to & 0x003f_ffff).to_be_bytes());
            }
            _ => {}
        }
        at += step;
    }
    at.min(data.len())
}

/// Bundles of three instructions of 41 bits, whose templates say which of them may branch; how many bytes are done.
fn bundles(data: &mut [u8], position: u32, encode: bool) -> usize {
    // For each template from 16 on, a bit for each slot that is a branch.
    const BRANCHES: [u8; 16] = [4, 4, 6, 6, 0, 0, 7, 7, 4, 4, 0, 0, 4, 4, 0, 0];
    let mut at = 0;
    while at + 16 <= data.len() {
        let here = position.wrapping_add(at as u32);
        let mut bundle = [0; 16];
        bundle.copy_from_slice(&data[at..at + 16]);
        let mut bits = u128::from_le_bytes(bundle);
        let template = (bits & 0x1f) as usize;
        let slots = template.checked_sub(16).map_or(0, |t| BRANCHES[t]);
        for slot in (0..3).filter(|slot| slots >> slot & 1 == 1) {
            let shift = 5 + 41 * slot;
            let instruction = (bits >> shift) as u64;
            // A call or branch relative to the instruction pointer.
            if instruction >> 37 & 15 != 5 || instruction >> 9 & 7 != 0 {
                continue;
            }
            let target = (instruction >> 13 & 0xf_ffff) | (instruction >> 36 & 1) << 20;
            let to = u128::from(moved((target as u32) << 4, here, encode) >> 4);
            let field = 0x8f_ffffu128 << (13 + shift);
            let made = (to & 0xf_ffff) << 13 | (to >> 20 & 1) << 36;
            bits = bits & !field | made << shift;
        }
        data[at..at + 16].copy_from_slice(&bits.to_le_bytes());
        at += 16;
    }
    at
}

impl X86 {
    /// `call` and `jmp` with four bytes of displacement, of which the highest is 0 or 255. Where bytes before look like such an opcode too, it
    /// may be part of another displacement: then only some are converted, and so that converting back finds the same ones.
    fn convert(&mut self, data: &mut [u8], position: u32, encode: bool) -> usize {
        let extreme = |byte: u8| byte == 0 || byte == 0xff;
        let mut at = 0;
        while at + 5 <= data.len() {
            if data[at] & 0xfe != 0xe8 {
                at += 1;
                continue;
            }
            let here = position.wrapping_add(at as u32);
            let distance = self.last.map_or(u32::MAX, |last| here.wrapping_sub(last));
            self.last = Some(here);
            if distance > 5 {
                self.mask = 0;
            } else {
                for _ in 0..distance {
                    self.mask = (self.mask & 0x77) << 1;
                }
            }
            let top = data[at + 4];
            let before = self.mask >> 1;
            if !(extreme(top) && before < 0x10 && matches!(before & 7, 0 | 1 | 2 | 4)) {
                self.mask |= if extreme(top) { 0x11 } else { 1 };
                at += 1;
                continue;
            }
            let place = here.wrapping_add(5);
            let bytes = [data[at + 1], data[at + 2], data[at + 3], top];
            let mut from = u32::from_le_bytes(bytes);
            let to = loop {
                let to = moved(from, place, encode);
                if self.mask == 0 {
                    break to;
                }
                // The byte where the other opcode's displacement would end.
                let shift = 8 * [0, 1, 2, 2, 3, 3, 3, 3][before as usize & 7];
                if !extreme((to >> (24 - shift)) as u8) {
                    break to;
                }
                from = to ^ (u32::MAX >> shift);
            };
            let sign = if to >> 24 & 1 == 1 { 0xff } else { 0 };
            data[at + 1..at + 4].copy_from_slice(&to.to_le_bytes()[..3]);
            data[at + 4] = sign;
            self.mask = 0;
            at += 5;
        }
        at
    }
}
