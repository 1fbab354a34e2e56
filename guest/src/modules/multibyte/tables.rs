//! The tables of the encodings, unpacked when an encoding is first used. `guest/tools/multibyte_tables.py` writes them and tells their form.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

static SECTIONS: &[u8] = include_bytes!("tables.bin");

/// A byte that means nothing.
pub const NONE: u16 = 0xffff;
/// A byte that begins a sequence.
pub const LEAD: u16 = 0xfffe;

const FIRST: usize = 0x81;
const COLUMN: usize = 0x40;
const COLUMNS: usize = 0xff - COLUMN;
const ROWS: usize = 0xff - FIRST;

/// The encodings: the name that programs use, that of its section, and what it is written as a difference to.
const NAMES: &[(&str, &str, &str)] = &[
    ("cp932", "cp932", ""),
    ("shift_jis", "sjis+", "cp932"),
    ("euc_jp", "eucjp", ""),
    ("gbk", "gbk", ""),
    ("gb2312", "gb2312-", "gbk"),
    ("gb18030", "gb180+", "gbk"),
    ("cp950", "cp950", ""),
    ("big5", "big5+", "cp950"),
    ("cp949", "cp949", ""),
    ("euc_kr", "euckr-", "cp949"),
];

/// An encoding.
pub struct Table {
    /// 256 single bytes, and the grid of pairs.
    words: Vec<u16>,
    third: Vec<u16>,
    /// Runs of sequences of four bytes: the number where each begins, and its first character.
    fourth: Vec<(u32, u32)>,
    /// Characters and their bytes, sorted.
    reverse: Vec<(u16, u16)>,
    third_reverse: Vec<(u16, u16)>,
    /// Whether syllables without a pair of their own are written as a filler and three letters (KS X 1001, annex 3).
    parts: bool,
    /// Whether a byte that begins nothing is wrong before the next one is seen.
    strict: bool,
}

/// What such a syllable begins with.
pub const FILLER: [u8; 2] = [0xa4, 0xd4];

/// The letters of row 0xa4 that begin and end syllables; what is between them is 0xbf and up.
const INITIAL: &[u8; 19] =
    b"\xa1\xa2\xa4\xa7\xa8\xa9\xb1\xb2\xb3\xb5\xb6\xb7\xb8\xb9\xba\xbb\xbc\xbd\xbe";
const FINAL: &[u8; 28] = b"\xd4\xa1\xa2\xa3\xa4\xa5\xa6\xa7\xa9\xaa\xab\xac\xad\xae\xaf\xb0\xb1\xb2\xb4\xb5\xb6\xb7\xb8\xba\xbb\xbc\xbd\xbe";

/// The syllable of eight bytes; 0 is none.
pub fn composed(bytes: &[u8]) -> u32 {
    let &[_, _, 0xa4, initial, 0xa4, medial, 0xa4, last] = bytes else {
        return 0;
    };
    let place = |list: &[u8], byte: u8| list.iter().position(|b| *b == byte);
    match (place(INITIAL, initial), medial, place(FINAL, last)) {
        (Some(initial), 0xbf..=0xd3, Some(last)) => {
            0xac00 + ((initial * 21 + usize::from(medial - 0xbf)) * 28 + last) as u32
        }
        _ => 0,
    }
}

/// The data of a section.
fn section(name: &str) -> Option<Vec<u8>> {
    let mut rest = SECTIONS;
    while rest.len() >= 16 {
        let size = |at: usize| {
            u32::from_le_bytes([rest[at], rest[at + 1], rest[at + 2], rest[at + 3]]) as usize
        };
        let (packed, plain) = (size(8), size(12));
        let data = rest.get(16..16 + packed)?;
        if rest[..8]
            .iter()
            .take_while(|b| **b != 0)
            .eq(name.as_bytes())
        {
            return miniz_oxide::inflate::decompress_to_vec_with_limit(data, plain).ok();
        }
        rest = &rest[16 + packed..];
    }
    None
}

fn words(data: &[u8]) -> Vec<u16> {
    data.chunks_exact(2)
        .map(|pair| u16::from_le_bytes([pair[0], pair[1]]))
        .collect()
}

/// Words that are written as differences to the one before.
fn summed(data: &[u8]) -> Vec<u16> {
    let mut last = 0u16;
    let mut list = words(data);
    for word in &mut list {
        last = last.wrapping_add(*word);
        *word = last;
    }
    list
}

/// The encoding of a name.
pub fn find(name: &str) -> Option<Rc<Table>> {
    thread_local! {
        static MADE: RefCell<BTreeMap<&'static str, Rc<Table>>> = const { RefCell::new(BTreeMap::new()) };
    }
    let &(name, part, base) = NAMES.iter().find(|(n, ..)| *n == name)?;
    if let Some(table) = MADE.with_borrow(|made| made.get(name).cloned()) {
        return Some(table);
    }
    let table = Rc::new(make(name, part, base)?);
    MADE.with_borrow_mut(|made| made.insert(name, table.clone()));
    Some(table)
}

fn make(name: &str, part: &str, base: &str) -> Option<Table> {
    let list = if base.is_empty() {
        summed(&section(part)?)
    } else {
        let mut list = summed(&section(base)?);
        if part.ends_with('-') {
            for (i, word) in list.iter_mut().enumerate().skip(256) {
                let (row, column) = ((i - 256) / COLUMNS, (i - 256) % COLUMNS);
                if row + FIRST < 0xa1 || column + COLUMN < 0xa1 {
                    *word = 0;
                }
            }
        }
        for pair in words(&section(part)?).chunks_exact(2) {
            *list.get_mut(usize::from(pair[0]))? = pair[1];
        }
        list
    };
    let mut reverse = BTreeMap::new();
    for (i, c) in list.iter().enumerate().skip(256).filter(|(_, c)| **c != 0) {
        let (row, column) = ((i - 256) / COLUMNS, (i - 256) % COLUMNS);
        let bytes = ((row + FIRST) << 8 | (column + COLUMN)) as u16;
        reverse.entry(*c).or_insert(bytes);
    }
    for (byte, c) in list[..256].iter().enumerate().rev() {
        if *c < LEAD {
            reverse.insert(*c, byte as u16);
        }
    }
    let short = part.trim_end_matches(['+', '-']);
    for pair in words(&section(&format!("{short}!"))?).chunks_exact(2) {
        if pair[1] == 0 {
            reverse.remove(&pair[0]);
        } else {
            reverse.insert(pair[0], pair[1]);
        }
    }
    let third = if name == "euc_jp" {
        summed(&section("eucjp3")?)
    } else {
        Vec::new()
    };
    let mut third_reverse: Vec<(u16, u16)> = third
        .iter()
        .enumerate()
        .filter(|(_, c)| **c != 0)
        .map(|(i, c)| (*c, ((i / 94 + 0xa1) << 8 | (i % 94 + 0xa1)) as u16))
        .collect();
    third_reverse.sort_unstable();
    let fourth = if name == "gb18030" {
        let numbers: Vec<u32> = section("ranges")?
            .chunks_exact(4)
            .map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
            .collect();
        numbers.chunks_exact(2).map(|p| (p[0], p[1])).collect()
    } else {
        Vec::new()
    };
    Some(Table {
        words: list,
        third,
        fourth,
        reverse: reverse.into_iter().collect(),
        third_reverse,
        parts: name == "euc_kr",
        strict: name == "shift_jis",
    })
}

/// Where the sequences of four bytes for what is beyond the basic plane begin.
const BEYOND: u32 = 189_000;

impl Table {
    /// The meaning of a byte.
    pub fn single(&self, byte: u8) -> u16 {
        self.words[usize::from(byte)]
    }

    /// The meaning of two bytes; 0 is none.
    pub fn pair(&self, first: u8, second: u8) -> u16 {
        let row = usize::from(first).checked_sub(FIRST).filter(|r| *r < ROWS);
        let column = usize::from(second)
            .checked_sub(COLUMN)
            .filter(|c| *c < COLUMNS);
        match (row, column) {
            (Some(row), Some(column)) => self.words[256 + row * COLUMNS + column],
            _ => 0,
        }
    }

    /// Whether 0x8f begins sequences of three bytes.
    pub fn has_three(&self) -> bool {
        !self.third.is_empty()
    }

    /// The meaning of the two bytes after 0x8f.
    pub fn third(&self, second: u8, third: u8) -> u16 {
        let part = |byte: u8| usize::from(byte).checked_sub(0xa1).filter(|n| *n < 94);
        match (part(second), part(third)) {
            (Some(row), Some(column)) => self.third[row * 94 + column],
            _ => 0,
        }
    }

    /// Whether a byte that begins nothing is wrong by itself.
    pub fn is_strict(&self) -> bool {
        self.strict
    }

    /// Whether syllables may be written in parts.
    pub fn has_parts(&self) -> bool {
        self.parts
    }

    /// Whether a digit in the second place makes sequences of four bytes.
    pub fn has_four(&self) -> bool {
        !self.fourth.is_empty()
    }

    /// The meaning of a sequence of four bytes; 0 is none.
    pub fn fourth(&self, number: u32) -> u32 {
        if number >= BEYOND {
            let c = number - BEYOND + 0x10000;
            return if c <= 0x0010_ffff { c } else { 0 };
        }
        let after = self.fourth.partition_point(|(start, _)| *start <= number);
        match after.checked_sub(1).map(|i| self.fourth[i]) {
            Some((start, c)) if c != u32::MAX && number < 39420 => c + (number - start),
            _ => 0,
        }
    }

    /// Writes a character; whether it has bytes.
    pub fn encode(&self, c: u32, out: &mut Vec<u8>) -> bool {
        let found = |list: &[(u16, u16)]| {
            let c = u16::try_from(c).ok()?;
            let at = list.binary_search_by_key(&c, |(c, _)| *c).ok()?;
            Some(list[at].1)
        };
        if let Some(bytes) = found(&self.reverse) {
            if bytes > 0xff {
                out.push((bytes >> 8) as u8);
            }
            out.push(bytes as u8);
            return true;
        }
        if let Some(bytes) = found(&self.third_reverse) {
            out.push(0x8f);
            out.extend_from_slice(&bytes.to_be_bytes());
            return true;
        }
        if self.parts && (0xac00..0xd7a4).contains(&c) {
            let n = (c - 0xac00) as usize;
            let (initial, medial, last) = (n / 588, n / 28 % 21, n % 28);
            out.extend_from_slice(&FILLER);
            let letters = [INITIAL[initial], 0xbf + medial as u8, FINAL[last]];
            out.extend(letters.iter().flat_map(|letter| [0xa4, *letter]));
            return true;
        }
        if !self.has_four() || (0xd800..0xe000).contains(&c) {
            return false;
        }
        let number = if c >= 0x10000 {
            c - 0x10000 + BEYOND
        } else {
            let run = self.fourth.iter().enumerate().find(|(i, (start, first))| {
                let end = self.fourth.get(i + 1).map_or(39420, |(next, _)| *next);
                *first <= c && c - first < end - start
            });
            match run {
                Some((_, (start, first))) => start + (c - first),
                None => return false,
            }
        };
        out.extend_from_slice(&[
            (number / 12600) as u8 + 0x81,
            (number / 1260 % 10) as u8 + b'0',
            (number / 10 % 126) as u8 + 0x81,
            (number % 10) as u8 + b'0',
        ]);
        true
    }
}
