//! The encoder of LZMA and LZMA2: matches are looked for in hash chains and taken greedily, with a look at the next byte.

use super::model::*;

/// Bytes that are hashed together.
const HASHED: usize = 3;
/// Input is encoded when this much waits, or at the end.
const BATCH: usize = 1 << 20;
/// Most bytes of a chunk of LZMA2, before and after.
const CHUNK_PLAIN: usize = (1 << 21) - MAX_MATCH - 1;
const CHUNK_PACKED: usize = (1 << 16) - 64;
/// The window that matches are looked for in is never larger; the announced dictionary may be.
const WINDOW_MAX: usize = 1 << 22;

/// The range encoder.
struct Range {
    low: u64,
    range: u32,
    cache: u8,
    pending: u64,
    out: Vec<u8>,
}

impl Range {
    fn new() -> Range {
        Range {
            low: 0,
            range: u32::MAX,
            cache: 0,
            pending: 1,
            out: Vec::new(),
        }
    }

    fn shift(&mut self) {
        if self.low < 0xff00_0000 || self.low > u64::from(u32::MAX) {
            let carry = (self.low >> 32) as u8;
            let mut byte = self.cache;
            while self.pending > 0 {
                self.out.push(byte.wrapping_add(carry));
                byte = 0xff;
                self.pending -= 1;
            }
            self.cache = (self.low >> 24) as u8;
        }
        self.pending += 1;
        self.low = (self.low & 0x00ff_ffff) << 8;
    }

    #[inline]
    fn bit(&mut self, prob: &mut u16, bit: usize) {
        let bound = (self.range >> PROB_BITS) * u32::from(*prob);
        if bit == 0 {
            self.range = bound;
            *prob += ((1 << PROB_BITS) - *prob) >> MOVE_BITS;
        } else {
            self.low += u64::from(bound);
            self.range -= bound;
            *prob -= *prob >> MOVE_BITS;
        }
        if self.range < TOP {
            self.range <<= 8;
            self.shift();
        }
    }

    fn direct(&mut self, value: u32, bits: u32) {
        for i in (0..bits).rev() {
            self.range >>= 1;
            if value >> i & 1 == 1 {
                self.low += u64::from(self.range);
            }
            if self.range < TOP {
                self.range <<= 8;
                self.shift();
            }
        }
    }

    fn flush(&mut self) {
        for _ in 0..5 {
            self.shift();
        }
    }
}

/// What the encoder can be told.
#[derive(Clone, Copy)]
pub struct Options {
    pub props: Props,
    pub dict_size: usize,
    /// A match of this length is not searched further.
    pub nice: usize,
    /// How many places are looked at.
    pub depth: usize,
}

/// Encodes symbols.
struct Coder {
    props: Props,
    probs: Vec<u16>,
    state: usize,
    reps: [u32; 4],
    rc: Range,
}

impl Coder {
    fn new(props: Props) -> Coder {
        Coder {
            props,
            probs: props.probabilities(),
            state: 0,
            reps: [0; 4],
            rc: Range::new(),
        }
    }

    fn reset(&mut self) {
        self.probs = self.props.probabilities();
        self.state = 0;
        self.reps = [0; 4];
    }

    fn bit(&mut self, index: usize, bit: usize) {
        self.rc.bit(&mut self.probs[index], bit);
    }

    fn tree(&mut self, base: usize, value: usize, bits: u32) {
        let mut m = 1;
        for i in (0..bits).rev() {
            let bit = value >> i & 1;
            self.bit(base + m, bit);
            m = m << 1 | bit;
        }
    }

    fn reverse(&mut self, base: usize, value: usize, bits: u32) {
        let mut m = 1;
        for i in 0..bits {
            let bit = value >> i & 1;
            self.bit(base + m, bit);
            m = m << 1 | bit;
        }
    }

    fn literal(&mut self, position: usize, previous: u8, byte: u8, matched: u8) {
        let pos_state = self.props.pos_state(position);
        self.bit(IS_MATCH + self.state * 16 + pos_state, 0);
        let base = self.props.literal(position, previous);
        let mut m = 1;
        let mut same = self.state >= 7;
        for i in (0..8).rev() {
            let bit = usize::from(byte) >> i & 1;
            if same {
                let match_bit = usize::from(matched) >> i & 1;
                self.bit(base + ((1 + match_bit) << 8) + m, bit);
                same = match_bit == bit;
            } else {
                self.bit(base + m, bit);
            }
            m = m << 1 | bit;
        }
        self.state = after_literal(self.state);
    }

    fn length(&mut self, base: usize, len: usize, pos_state: usize) {
        let len = len - MIN_MATCH;
        if len < 8 {
            self.bit(base + LEN_CHOICE, 0);
            self.tree(base + LEN_LOW + pos_state * 8, len, 3);
        } else if len < 16 {
            self.bit(base + LEN_CHOICE, 1);
            self.bit(base + LEN_CHOICE2, 0);
            self.tree(base + LEN_MID + pos_state * 8, len - 8, 3);
        } else {
            self.bit(base + LEN_CHOICE, 1);
            self.bit(base + LEN_CHOICE2, 1);
            self.tree(base + LEN_HIGH, len - 16, 8);
        }
    }

    fn matched(&mut self, position: usize, len: usize, distance: u32) {
        let pos_state = self.props.pos_state(position);
        self.bit(IS_MATCH + self.state * 16 + pos_state, 1);
        self.bit(IS_REP + self.state, 0);
        self.state = after_match(self.state);
        self.length(MATCH_LEN, len, pos_state);
        let tree = SLOT + len_state(len) * 64;
        if distance < 4 {
            self.tree(tree, distance as usize, 6);
        } else {
            let top = 31 - distance.leading_zeros();
            let slot = top << 1 | (distance >> (top - 1) & 1);
            self.tree(tree, slot as usize, 6);
            let bits = top - 1;
            let base = (2 | (slot & 1)) << bits;
            let rest = distance - base;
            if slot < 14 {
                self.reverse(SPECIAL + (base - slot) as usize, rest as usize, bits);
            } else {
                self.rc.direct(rest >> 4, bits - 4);
                self.reverse(ALIGN, rest as usize & 15, 4);
            }
        }
        self.reps.rotate_right(1);
        self.reps[0] = distance;
    }

    /// A match at one of the last distances; length 1 only at the first.
    fn repeated(&mut self, position: usize, len: usize, which: usize) {
        let pos_state = self.props.pos_state(position);
        let state = self.state;
        self.bit(IS_MATCH + state * 16 + pos_state, 1);
        self.bit(IS_REP + state, 1);
        if which == 0 {
            self.bit(IS_REP0 + state, 0);
            self.bit(IS_REP0_LONG + state * 16 + pos_state, usize::from(len > 1));
        } else {
            self.bit(IS_REP0 + state, 1);
            self.bit(IS_REP1 + state, usize::from(which > 1));
            if which > 1 {
                self.bit(IS_REP2 + state, usize::from(which > 2));
            }
            self.reps[..=which].rotate_right(1);
        }
        if len == 1 {
            self.state = after_short_rep(state);
        } else {
            self.length(REP_LEN, len, pos_state);
            self.state = after_rep(state);
        }
    }
}

/// The input that can be referred to, with its hash chains.
struct Finder {
    bytes: Vec<u8>,
    /// Where the next symbol begins.
    at: usize,
    /// Up to where bytes are in the chains.
    entered: usize,
    head: Vec<u32>,
    chain: Vec<u32>,
    reach: usize,
    nice: usize,
    depth: usize,
}

/// No place in a chain.
const NOWHERE: u32 = u32::MAX;

impl Finder {
    fn new(options: &Options) -> Finder {
        Finder {
            bytes: Vec::new(),
            at: 0,
            entered: 0,
            head: vec![NOWHERE; 1 << 15],
            chain: Vec::new(),
            reach: options.dict_size.clamp(4096, WINDOW_MAX),
            nice: options.nice.clamp(8, MAX_MATCH),
            depth: options.depth,
        }
    }

    fn hash(&self, at: usize) -> Option<usize> {
        let three = self.bytes.get(at..at + HASHED)?;
        let word = u32::from(three[0]) | u32::from(three[1]) << 8 | u32::from(three[2]) << 16;
        Some((word.wrapping_mul(0x9E37_79B1) >> 17) as usize)
    }

    /// Enters everything before this place.
    fn enter(&mut self, until: usize) {
        while self.entered < until {
            let next = match self.hash(self.entered) {
                Some(h) => std::mem::replace(&mut self.head[h], self.entered as u32),
                None => NOWHERE,
            };
            self.chain.push(next);
            self.entered += 1;
        }
    }

    fn common(&self, a: usize, b: usize, most: usize) -> usize {
        let most = most.min(self.bytes.len() - b);
        (0..most)
            .find(|&i| self.bytes[a + i] != self.bytes[b + i])
            .unwrap_or(most)
    }

    /// The longest match at a place: length and distance, the distance counted from 0.
    fn longest(&mut self, at: usize) -> (usize, u32) {
        self.enter(at);
        let mut best = (0, 0);
        let Some(hash) = self.hash(at) else {
            return best;
        };
        let mut place = self.head[hash];
        for _ in 0..self.depth {
            if place == NOWHERE || at - place as usize > self.reach {
                break;
            }
            let len = self.common(place as usize, at, MAX_MATCH);
            if len > best.0 {
                best = (len, (at - place as usize - 1) as u32);
                if len >= self.nice {
                    break;
                }
            }
            place = self.chain[place as usize];
        }
        best
    }

    /// Forgets what is out of reach.
    fn slide(&mut self) {
        if self.at < 2 * self.reach + BATCH {
            return;
        }
        let gone = self.at - self.reach;
        self.bytes.drain(..gone);
        self.at -= gone;
        let moved = |place: u32| match (place as usize).checked_sub(gone) {
            Some(place) if place < NOWHERE as usize - gone => place as u32,
            _ => NOWHERE,
        };
        self.enter_all(gone);
        self.chain.drain(..gone);
        self.entered -= gone;
        for place in self.head.iter_mut().chain(self.chain.iter_mut()) {
            *place = moved(*place);
        }
    }

    /// Sees to it that the chains reach this far, so that they can be cut there.
    fn enter_all(&mut self, until: usize) {
        while self.entered < until {
            self.chain.push(NOWHERE);
            self.entered += 1;
        }
    }
}

/// What to encode next.
enum Choice {
    Literal,
    Match(usize, u32),
    Repeat(usize, usize),
}

/// An encoder of LZMA, or of LZMA2.
pub struct Encoder {
    coder: Coder,
    finder: Finder,
    /// Bytes since the beginning, modulo what matters.
    position: usize,
    /// LZMA2: `None` for LZMA.
    chunks: Option<Chunks>,
}

/// What the next chunk has to reset.
struct Chunks {
    dict: bool,
    props: bool,
    state: bool,
}

impl Encoder {
    pub fn new(options: &Options, lzma2: bool) -> Encoder {
        Encoder {
            coder: Coder::new(options.props),
            finder: Finder::new(options),
            position: 0,
            chunks: lzma2.then_some(Chunks {
                dict: true,
                props: true,
                state: true,
            }),
        }
    }

    /// Takes input.
    pub fn push(&mut self, data: &[u8]) {
        self.finder.bytes.extend_from_slice(data);
    }

    /// Whether enough waits to encode some of it.
    pub fn ready(&self) -> bool {
        self.finder.bytes.len() - self.finder.at >= BATCH
    }

    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.finder.bytes.len() == self.finder.at
    }

    /// Encodes a part of what waits.
    pub fn step(&mut self, out: &mut Vec<u8>) {
        self.finder.slide();
        if self.chunks.is_some() {
            self.chunk(out);
        } else {
            self.symbols(CHUNK_PLAIN, CHUNK_PACKED);
            out.append(&mut self.coder.rc.out);
        }
    }

    /// Ends the stream: an end marker for LZMA, a zero for LZMA2.
    pub fn finish(&mut self, out: &mut Vec<u8>) {
        if self.chunks.is_some() {
            out.push(0);
            return;
        }
        self.coder.matched(self.position, MIN_MATCH, u32::MAX);
        self.coder.rc.flush();
        out.append(&mut self.coder.rc.out);
    }

    fn chunk(&mut self, out: &mut Vec<u8>) {
        let start = self.finder.at;
        self.coder.rc = Range::new();
        if let Some(Chunks { state: true, .. }) = self.chunks {
            self.coder.reset();
        }
        self.symbols(CHUNK_PLAIN, CHUNK_PACKED);
        self.coder.rc.flush();
        let plain = self.finder.at - start;
        let packed = std::mem::take(&mut self.coder.rc.out);
        let Some(chunks) = &mut self.chunks else {
            return;
        };
        if packed.len() < plain && packed.len() <= 1 << 16 {
            let reset = match chunks {
                Chunks { dict: true, .. } => 0xe0,
                Chunks { props: true, .. } => 0xc0,
                Chunks { state: true, .. } => 0xa0,
                _ => 0x80,
            };
            out.push(reset | ((plain - 1) >> 16) as u8);
            out.extend_from_slice(&((plain - 1) as u16).to_be_bytes());
            out.extend_from_slice(&((packed.len() - 1) as u16).to_be_bytes());
            if reset >= 0xc0 {
                out.push(self.coder.props.to_byte());
            }
            out.extend_from_slice(&packed);
            (chunks.dict, chunks.props, chunks.state) = (false, false, false);
            return;
        }
        for piece in self.finder.bytes[start..start + plain].chunks(1 << 16) {
            out.push(if chunks.dict { 1 } else { 2 });
            out.extend_from_slice(&((piece.len() - 1) as u16).to_be_bytes());
            out.extend_from_slice(piece);
            chunks.dict = false;
        }
        // The decoder has not seen the symbols that the state comes from.
        chunks.state = true;
    }

    /// Encodes until one of the sizes is reached or nothing waits.
    fn symbols(&mut self, plain: usize, packed: usize) {
        let end = self.finder.bytes.len().min(self.finder.at + plain);
        while self.finder.at < end
            && self.coder.rc.out.len() + (self.coder.rc.pending as usize) < packed
        {
            let at = self.finder.at;
            let choice = self.choose(at, end);
            let position = self.position;
            let len = match choice {
                Choice::Literal => {
                    let previous = if at > 0 { self.finder.bytes[at - 1] } else { 0 };
                    let back = self.coder.reps[0] as usize + 1;
                    let matched = if back <= at {
                        self.finder.bytes[at - back]
                    } else {
                        0
                    };
                    let byte = self.finder.bytes[at];
                    self.coder.literal(position, previous, byte, matched);
                    1
                }
                Choice::Match(len, distance) => {
                    self.coder.matched(position, len, distance);
                    len
                }
                Choice::Repeat(len, which) => {
                    self.coder.repeated(position, len, which);
                    len
                }
            };
            self.finder.at += len;
            self.position = self.position.wrapping_add(len);
        }
    }

    fn choose(&mut self, at: usize, end: usize) -> Choice {
        let room = end - at;
        let mut repeat = (0, 0);
        for (which, rep) in self.coder.reps.iter().enumerate() {
            let back = *rep as usize + 1;
            if back <= at && back <= self.finder.reach {
                let len = self.finder.common(at - back, at, MAX_MATCH.min(room));
                if len > repeat.0 {
                    repeat = (len, which);
                }
            }
        }
        if repeat.0 >= self.finder.nice {
            return Choice::Repeat(repeat.0, repeat.1);
        }
        let (len, distance) = self.finder.longest(at);
        let len = len.min(room);
        let worth = |len: usize, distance: u32| len >= 3 && !(len == 3 && distance >= 1 << 14);
        // A repeated distance costs little, a far one much.
        let far = [(0, 1), (512, 2), (32768, 3)]
            .iter()
            .rev()
            .find(|(from, _)| distance as usize >= *from)
            .map_or(1, |(_, more)| *more);
        if repeat.0 >= MIN_MATCH && repeat.0 + far >= len {
            return Choice::Repeat(repeat.0, repeat.1);
        }
        if worth(len, distance) {
            if len < self.finder.nice && room > len {
                let (next, next_distance) = self.finder.longest(at + 1);
                if next > len + 1 || (next == len + 1 && next_distance <= distance) {
                    return self.single(at);
                }
            }
            return Choice::Match(len, distance);
        }
        self.single(at)
    }

    /// One byte, which may be the one at the last distance.
    fn single(&self, at: usize) -> Choice {
        let back = self.coder.reps[0] as usize + 1;
        let same = back <= at && self.finder.bytes[at - back] == self.finder.bytes[at];
        if same && self.coder.state < 7 {
            Choice::Repeat(1, 0)
        } else {
            Choice::Literal
        }
    }
}
