//! What the coder and the decoder of LZMA share: the probabilities of a stream and the states between symbols.
//!
//! The format is that of Igor Pavlov's "LZMA Specification" (7-zip.org/sdk.html).

/// Probabilities start at one half.
pub const HALF: u16 = 1 << 10;
/// Bits of a probability.
pub const PROB_BITS: u32 = 11;
/// How fast probabilities follow.
pub const MOVE_BITS: u32 = 5;
/// Below this range a byte is moved.
pub const TOP: u32 = 1 << 24;
/// The shortest match.
pub const MIN_MATCH: usize = 2;
/// The longest match.
pub const MAX_MATCH: usize = 273;

/// Where the probabilities of a kind begin.
pub const IS_MATCH: usize = 0;
pub const IS_REP: usize = IS_MATCH + 12 * 16;
pub const IS_REP0: usize = IS_REP + 12;
pub const IS_REP1: usize = IS_REP0 + 12;
pub const IS_REP2: usize = IS_REP1 + 12;
pub const IS_REP0_LONG: usize = IS_REP2 + 12;
pub const SLOT: usize = IS_REP0_LONG + 12 * 16;
pub const SPECIAL: usize = SLOT + 4 * 64;
pub const ALIGN: usize = SPECIAL + 128;
pub const MATCH_LEN: usize = ALIGN + 16;
pub const REP_LEN: usize = MATCH_LEN + LEN_SIZE;
pub const LITERAL: usize = REP_LEN + LEN_SIZE;

/// Parts of a length's probabilities.
pub const LEN_CHOICE: usize = 0;
pub const LEN_CHOICE2: usize = 1;
pub const LEN_LOW: usize = 2;
pub const LEN_MID: usize = LEN_LOW + 16 * 8;
pub const LEN_HIGH: usize = LEN_MID + 16 * 8;
pub const LEN_SIZE: usize = LEN_HIGH + 256;

/// Probabilities of one context of literals.
pub const LITERAL_SIZE: usize = 0x300;

/// The parameters of a stream.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Props {
    /// Bits of the previous byte that choose a literal's context.
    pub lc: u32,
    /// Bits of the position that do.
    pub lp: u32,
    /// Bits of the position that choose the context of the rest.
    pub pb: u32,
}

impl Props {
    /// The byte of headers; `None` when it says nonsense.
    pub fn from_byte(byte: u8) -> Option<Props> {
        let byte = u32::from(byte);
        (byte < 9 * 5 * 5).then_some(Props {
            lc: byte % 9,
            lp: byte / 9 % 5,
            pb: byte / 45,
        })
    }

    /// The byte of headers.
    pub fn to_byte(self) -> u8 {
        ((self.pb * 5 + self.lp) * 9 + self.lc) as u8
    }

    /// Whether libraries of this format take it: contexts of literals are bounded by 2^4.
    pub fn sound(self) -> bool {
        self.lc <= 4 && self.lp <= 4 && self.lc + self.lp <= 4 && self.pb <= 4
    }

    /// Fresh probabilities.
    pub fn probabilities(self) -> Vec<u16> {
        vec![HALF; LITERAL + (LITERAL_SIZE << (self.lc + self.lp))]
    }

    /// Where the probabilities of a literal begin.
    pub fn literal(self, position: usize, previous: u8) -> usize {
        let low = position & ((1 << self.lp) - 1);
        let context = (low << self.lc) + (usize::from(previous) >> (8 - self.lc));
        LITERAL + context * LITERAL_SIZE
    }

    /// The context that the position gives.
    pub fn pos_state(self, position: usize) -> usize {
        position & ((1 << self.pb) - 1)
    }
}

/// The state after a literal.
pub fn after_literal(state: usize) -> usize {
    match state {
        0..=3 => 0,
        4..=9 => state - 3,
        _ => state - 6,
    }
}

/// The state after a match, a repeated match, or a repeated single byte.
pub fn after_match(state: usize) -> usize {
    if state < 7 { 7 } else { 10 }
}

pub fn after_rep(state: usize) -> usize {
    if state < 7 { 8 } else { 11 }
}

pub fn after_short_rep(state: usize) -> usize {
    if state < 7 { 9 } else { 11 }
}

/// The class of a length for the coding of distances.
pub fn len_state(len: usize) -> usize {
    (len - MIN_MATCH).min(3)
}

/// Why a stream cannot be read or written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// It is none of the formats.
    Format,
    /// It asks for what is not there.
    Options,
    /// It contradicts itself.
    Data,
    /// It needs more memory than the caller allows.
    Memory,
}
