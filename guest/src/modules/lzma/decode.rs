//! The decoders of LZMA and LZMA2, which take input in pieces of any size.
//!
//! Near the end of a piece a symbol may be incomplete: there every change is noted down, and taken back when the input ends within the symbol.

use super::model::*;

/// No symbol is longer than this many bytes of input.
const SYMBOL_MAX: usize = 20;

/// How a run of a decoder ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// It wants input.
    Input,
    /// The output has reached the limit.
    Output,
    /// The stream has ended.
    End,
}

/// What was put out last, as far back as matches may reach.
#[derive(Default)]
pub struct Window {
    bytes: Vec<u8>,
    /// Where the next byte goes.
    at: usize,
    size: usize,
    /// Bytes since the dictionary was reset.
    filled: usize,
}

impl Window {
    fn new(size: usize) -> Window {
        Window {
            size: size.max(4096),
            ..Window::default()
        }
    }

    fn reset(&mut self) {
        self.filled = 0;
    }

    fn push(&mut self, byte: u8, out: &mut Vec<u8>) {
        if self.bytes.len() < self.size {
            self.bytes.push(byte);
            self.at = self.bytes.len() % self.size;
        } else {
            self.bytes[self.at] = byte;
            self.at = if self.at + 1 == self.size {
                0
            } else {
                self.at + 1
            };
        }
        self.filled = (self.filled + 1).min(self.size);
        out.push(byte);
    }

    /// The byte this far back, 0 being the last one.
    fn back(&self, distance: usize) -> u8 {
        let len = self.bytes.len();
        // `at` is 0 while a window that has just become full wraps.
        let end = if self.at == 0 { len } else { self.at };
        let index = if distance < end {
            end - 1 - distance
        } else {
            (len + end).wrapping_sub(1 + distance)
        };
        self.bytes.get(index).copied().unwrap_or(0)
    }

    fn reaches(&self, distance: usize) -> bool {
        distance < self.filled
    }
}

/// The range decoder over one piece of input.
struct Range<'a> {
    range: u32,
    code: u32,
    input: &'a [u8],
    at: usize,
    /// The input has ended within a symbol.
    starved: bool,
}

impl Range<'_> {
    #[inline]
    fn normalize(&mut self) {
        if self.range < TOP {
            self.range <<= 8;
            let byte = match self.input.get(self.at) {
                Some(byte) => *byte,
                None => {
                    self.starved = true;
                    0
                }
            };
            self.at += 1;
            self.code = self.code << 8 | u32::from(byte);
        }
    }

    fn direct(&mut self, bits: u32) -> u32 {
        let mut value = 0;
        for _ in 0..bits {
            self.normalize();
            self.range >>= 1;
            let bit = u32::from(self.code >= self.range);
            if bit == 1 {
                self.code -= self.range;
            }
            value = value << 1 | bit;
        }
        value
    }
}

/// Probabilities, with the changes of the current symbol when they may have to be taken back.
struct Probs {
    list: Vec<u16>,
    log: Vec<(u32, u16)>,
}

impl Probs {
    #[inline]
    fn bit<const CAREFUL: bool>(&mut self, rc: &mut Range, index: usize) -> usize {
        rc.normalize();
        let p = &mut self.list[index];
        if CAREFUL {
            self.log.push((index as u32, *p));
        }
        let bound = (rc.range >> PROB_BITS) * u32::from(*p);
        if rc.code < bound {
            rc.range = bound;
            *p += ((1 << PROB_BITS) - *p) >> MOVE_BITS;
            0
        } else {
            rc.range -= bound;
            rc.code -= bound;
            *p -= *p >> MOVE_BITS;
            1
        }
    }

    /// A number of some bits, the highest first.
    fn tree<const CAREFUL: bool>(&mut self, rc: &mut Range, base: usize, bits: u32) -> usize {
        let mut m = 1;
        for _ in 0..bits {
            m = m << 1 | self.bit::<CAREFUL>(rc, base + m);
        }
        m - (1 << bits)
    }

    /// The same, the lowest bit first.
    fn reverse<const CAREFUL: bool>(&mut self, rc: &mut Range, base: usize, bits: u32) -> usize {
        let (mut m, mut value) = (1, 0);
        for i in 0..bits {
            let bit = self.bit::<CAREFUL>(rc, base + m);
            m = m << 1 | bit;
            value |= bit << i;
        }
        value
    }

    fn length<const CAREFUL: bool>(
        &mut self,
        rc: &mut Range,
        base: usize,
        pos_state: usize,
    ) -> usize {
        if self.bit::<CAREFUL>(rc, base + LEN_CHOICE) == 0 {
            MIN_MATCH + self.tree::<CAREFUL>(rc, base + LEN_LOW + pos_state * 8, 3)
        } else if self.bit::<CAREFUL>(rc, base + LEN_CHOICE2) == 0 {
            MIN_MATCH + 8 + self.tree::<CAREFUL>(rc, base + LEN_MID + pos_state * 8, 3)
        } else {
            MIN_MATCH + 16 + self.tree::<CAREFUL>(rc, base + LEN_HIGH, 8)
        }
    }

    fn distance<const CAREFUL: bool>(&mut self, rc: &mut Range, len: usize) -> u32 {
        let slot = self.tree::<CAREFUL>(rc, SLOT + len_state(len) * 64, 6) as u32;
        if slot < 4 {
            return slot;
        }
        let bits = (slot >> 1) - 1;
        let base = (2 | (slot & 1)) << bits;
        if slot < 14 {
            // One tree for each slot, one after the other.
            let start = SPECIAL + (base - slot) as usize;
            base + self.reverse::<CAREFUL>(rc, start, bits) as u32
        } else {
            let high = rc.direct(bits - 4) << 4;
            base.wrapping_add(high)
                .wrapping_add(self.reverse::<CAREFUL>(rc, ALIGN, 4) as u32)
        }
    }
}

/// What a symbol means.
enum Symbol {
    Literal(u8),
    Copy { len: usize, distance: usize },
    End,
}

/// What changes with each symbol besides the probabilities.
#[derive(Clone, Copy, Default)]
struct Course {
    state: usize,
    reps: [u32; 4],
}

/// Decodes LZMA.
pub struct Lzma {
    props: Props,
    probs: Probs,
    course: Course,
    range: u32,
    code: u32,
    /// Bytes that the range decoder still wants before it starts.
    start: u32,
    /// Bytes since the state was reset with the dictionary.
    position: usize,
    /// A copy that the limit has cut.
    copying: Option<(usize, usize)>,
    window: Window,
    /// Bytes to come; `None` when an end marker tells.
    left: Option<u64>,
}

impl Lzma {
    /// A decoder of a whole stream, or of the chunks of LZMA2.
    pub fn new(props: Props, dict_size: usize, left: Option<u64>) -> Lzma {
        Lzma {
            props,
            probs: Probs {
                list: props.probabilities(),
                log: Vec::new(),
            },
            course: Course::default(),
            range: u32::MAX,
            code: 0,
            start: 5,
            position: 0,
            copying: None,
            window: Window::new(dict_size),
            left,
        }
    }

    fn reset_state(&mut self, props: Option<Props>) {
        if let Some(props) = props {
            self.props = props;
        }
        self.probs.list = self.props.probabilities();
        self.course = Course::default();
    }

    fn restart_range(&mut self) {
        self.start = 5;
        self.range = u32::MAX;
        self.code = 0;
    }

    fn symbol<const CAREFUL: bool>(&mut self, rc: &mut Range) -> Symbol {
        let pos_state = self.props.pos_state(self.position);
        let Course { state, reps } = self.course;
        let p = &mut self.probs;
        if p.bit::<CAREFUL>(rc, IS_MATCH + state * 16 + pos_state) == 0 {
            let previous = if self.window.filled > 0 {
                self.window.back(0)
            } else {
                0
            };
            let base = self.props.literal(self.position, previous);
            let mut m = 1;
            if state >= 7 {
                let mut matched = usize::from(self.window.back(reps[0] as usize));
                while m < 0x100 {
                    let match_bit = matched >> 7 & 1;
                    matched <<= 1;
                    let bit = p.bit::<CAREFUL>(rc, base + ((1 + match_bit) << 8) + m);
                    m = m << 1 | bit;
                    if match_bit != bit {
                        break;
                    }
                }
            }
            while m < 0x100 {
                m = m << 1 | p.bit::<CAREFUL>(rc, base + m);
            }
            self.course.state = after_literal(state);
            return Symbol::Literal(m as u8);
        }
        if p.bit::<CAREFUL>(rc, IS_REP + state) == 0 {
            let len = p.length::<CAREFUL>(rc, MATCH_LEN, pos_state);
            let distance = p.distance::<CAREFUL>(rc, len);
            self.course = Course {
                state: after_match(state),
                reps: [distance, reps[0], reps[1], reps[2]],
            };
            if distance == u32::MAX {
                return Symbol::End;
            }
            return Symbol::Copy {
                len,
                distance: distance as usize,
            };
        }
        let mut reps = reps;
        if p.bit::<CAREFUL>(rc, IS_REP0 + state) == 0 {
            if p.bit::<CAREFUL>(rc, IS_REP0_LONG + state * 16 + pos_state) == 0 {
                self.course.state = after_short_rep(state);
                return Symbol::Copy {
                    len: 1,
                    distance: reps[0] as usize,
                };
            }
        } else if p.bit::<CAREFUL>(rc, IS_REP1 + state) == 0 {
            reps[..2].rotate_right(1);
        } else if p.bit::<CAREFUL>(rc, IS_REP2 + state) == 0 {
            reps[..3].rotate_right(1);
        } else {
            reps.rotate_right(1);
        }
        let len = p.length::<CAREFUL>(rc, REP_LEN, pos_state);
        self.course = Course {
            state: after_rep(state),
            reps,
        };
        Symbol::Copy {
            len,
            distance: reps[0] as usize,
        }
    }

    /// Copies as much of the match as there is room for.
    fn copy(
        &mut self,
        len: usize,
        distance: usize,
        out: &mut Vec<u8>,
        limit: usize,
    ) -> Result<(), Fault> {
        if !self.window.reaches(distance) {
            return Err(Fault::Data);
        }
        let now = len.min(limit.saturating_sub(out.len()));
        for _ in 0..now {
            let byte = self.window.back(distance);
            self.window.push(byte, out);
        }
        self.position = self.position.wrapping_add(now);
        if let Some(left) = &mut self.left {
            *left = left.checked_sub(now as u64).ok_or(Fault::Data)?;
        }
        self.copying = (now < len).then_some((len - now, distance));
        Ok(())
    }

    /// Decodes until the input, the room or the stream ends; also says how many bytes of the input were used.
    pub fn run(
        &mut self,
        input: &[u8],
        out: &mut Vec<u8>,
        limit: usize,
    ) -> Result<(usize, Stop), Fault> {
        let mut used = 0;
        while self.start > 0 {
            let Some(byte) = input.get(used) else {
                return Ok((used, Stop::Input));
            };
            if self.start == 5 && *byte != 0 {
                return Err(Fault::Data);
            }
            used += 1;
            self.start -= 1;
            self.code = self.code << 8 | u32::from(*byte);
        }
        if let Some((len, distance)) = self.copying {
            self.copy(len, distance, out, limit)?;
        }
        let mut rc = Range {
            range: self.range,
            code: self.code,
            input,
            at: used,
            starved: false,
        };
        let stop = self.symbols(&mut rc, out, limit);
        (self.range, self.code) = (rc.range, rc.code);
        Ok((rc.at, stop?))
    }

    fn symbols(&mut self, rc: &mut Range, out: &mut Vec<u8>, limit: usize) -> Result<Stop, Fault> {
        loop {
            if self.left == Some(0) {
                if self.copying.is_some() {
                    return Err(Fault::Data);
                }
                let before = (rc.range, rc.code, rc.at);
                rc.normalize();
                if rc.starved {
                    (rc.range, rc.code, rc.at) = before;
                    rc.starved = false;
                    return Ok(Stop::Input);
                }
                if rc.code == 0 {
                    return Ok(Stop::End);
                }
                // Otherwise only an end marker may follow.
            } else if out.len() >= limit {
                return Ok(Stop::Output);
            }
            let symbol = if rc.input.len().saturating_sub(rc.at) >= SYMBOL_MAX {
                self.symbol::<false>(rc)
            } else {
                let before = (rc.range, rc.code, rc.at, self.course);
                self.probs.log.clear();
                let symbol = self.symbol::<true>(rc);
                if matches!(symbol, Symbol::End) && !rc.starved {
                    rc.normalize();
                }
                if rc.starved {
                    for (index, old) in self.probs.log.drain(..).rev() {
                        self.probs.list[index as usize] = old;
                    }
                    (rc.range, rc.code, rc.at, self.course) = before;
                    rc.starved = false;
                    return Ok(Stop::Input);
                }
                symbol
            };
            match symbol {
                Symbol::End => {
                    rc.normalize();
                    return if rc.code == 0 && matches!(self.left, None | Some(0)) {
                        Ok(Stop::End)
                    } else {
                        Err(Fault::Data)
                    };
                }
                _ if self.left == Some(0) => return Err(Fault::Data),
                Symbol::Literal(byte) => {
                    self.window.push(byte, out);
                    self.position = self.position.wrapping_add(1);
                    if let Some(left) = &mut self.left {
                        *left -= 1;
                    }
                }
                Symbol::Copy { len, distance } => self.copy(len, distance, out, limit)?,
            }
        }
    }
}

/// What LZMA2 reads next.
enum Expects {
    Control,
    /// The rest of a chunk's header: how many bytes of it there are.
    Header {
        control: u8,
        need: usize,
    },
    Plain {
        left: usize,
    },
    Packed {
        left: usize,
    },
    Nothing,
}

/// Decodes LZMA2: chunks of LZMA, or of plain bytes.
pub struct Lzma2 {
    lzma: Lzma,
    expects: Expects,
    header: Vec<u8>,
    need_dict_reset: bool,
    need_props: bool,
    /// Plain bytes have come since the state was last in use.
    need_state: bool,
}

impl Lzma2 {
    /// A decoder with a dictionary of this size.
    pub fn new(dict_size: usize) -> Lzma2 {
        let props = Props {
            lc: 3,
            lp: 0,
            pb: 2,
        };
        Lzma2 {
            lzma: Lzma::new(props, dict_size, Some(0)),
            expects: Expects::Control,
            header: Vec::new(),
            need_dict_reset: true,
            need_props: true,
            need_state: true,
        }
    }

    fn control(&mut self, control: u8) -> Result<Expects, Fault> {
        if control == 0 {
            return Ok(Expects::Nothing);
        }
        if control == 1 || control >= 0xe0 {
            self.need_dict_reset = false;
            self.need_props = true;
            self.lzma.window.reset();
            self.lzma.position = 0;
        } else if self.need_dict_reset {
            return Err(Fault::Data);
        }
        self.header.clear();
        match control {
            1 | 2 => Ok(Expects::Header { control, need: 2 }),
            3..0x80 => Err(Fault::Data),
            _ => Ok(Expects::Header {
                control,
                need: if control >= 0xc0 { 5 } else { 4 },
            }),
        }
    }

    fn chunk(&mut self, control: u8) -> Result<Expects, Fault> {
        let size = |at: usize| usize::from(self.header[at]) << 8 | usize::from(self.header[at + 1]);
        if control < 0x80 {
            self.need_state = true;
            return Ok(Expects::Plain { left: size(0) + 1 });
        }
        let plain = (usize::from(control & 0x1f) << 16) + size(0) + 1;
        let packed = size(2) + 1;
        if control >= 0xc0 {
            let props = Props::from_byte(self.header[4]).filter(|p| p.sound());
            self.lzma.reset_state(Some(props.ok_or(Fault::Data)?));
            (self.need_props, self.need_state) = (false, false);
        } else if self.need_props {
            return Err(Fault::Data);
        } else if control >= 0xa0 {
            self.lzma.reset_state(None);
            self.need_state = false;
        } else if self.need_state {
            return Err(Fault::Data);
        }
        self.lzma.left = Some(plain as u64);
        self.lzma.restart_range();
        Ok(Expects::Packed { left: packed })
    }

    /// As [`Lzma::run`].
    pub fn run(
        &mut self,
        input: &[u8],
        out: &mut Vec<u8>,
        limit: usize,
    ) -> Result<(usize, Stop), Fault> {
        let mut used = 0;
        loop {
            match self.expects {
                Expects::Nothing => return Ok((used, Stop::End)),
                Expects::Control | Expects::Header { .. } => {
                    let Some(byte) = input.get(used) else {
                        return Ok((used, Stop::Input));
                    };
                    used += 1;
                    self.expects = match self.expects {
                        Expects::Header { control, need } => {
                            self.header.push(*byte);
                            if self.header.len() == need {
                                self.chunk(control)?
                            } else {
                                Expects::Header { control, need }
                            }
                        }
                        _ => self.control(*byte)?,
                    };
                }
                Expects::Plain { left } => {
                    let rest = &input[used..];
                    let now = rest.len().min(left).min(limit.saturating_sub(out.len()));
                    for byte in &rest[..now] {
                        self.lzma.window.push(*byte, out);
                    }
                    self.lzma.position = self.lzma.position.wrapping_add(now);
                    used += now;
                    self.expects = if left == now {
                        // What follows cannot go on from the state before.
                        Expects::Control
                    } else {
                        Expects::Plain { left: left - now }
                    };
                    if left > now {
                        let full = out.len() >= limit;
                        return Ok((used, if full { Stop::Output } else { Stop::Input }));
                    }
                }
                Expects::Packed { left } => {
                    let rest = &input[used..];
                    let piece = &rest[..rest.len().min(left)];
                    let whole = piece.len() == left;
                    let (now, stop) = self.lzma.run(piece, out, limit)?;
                    used += now;
                    let left = left - now;
                    match stop {
                        Stop::End if left == 0 => self.expects = Expects::Control,
                        Stop::End => return Err(Fault::Data),
                        Stop::Input if whole => return Err(Fault::Data),
                        Stop::Input | Stop::Output => {
                            self.expects = Expects::Packed { left };
                            return Ok((used, stop));
                        }
                    }
                }
            }
        }
    }

    /// Bytes that the window holds.
    pub fn memory(&self) -> usize {
        self.lzma.window.bytes.capacity()
    }
}

impl Lzma {
    /// Bytes that the window holds.
    pub fn memory(&self) -> usize {
        self.window.bytes.capacity()
    }
}
