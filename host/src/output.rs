//! What a program writes: kept in order, capped while it is produced, and handed on as it comes.

use std::borrow::Cow;

/// Where a piece of output belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// The output of one run, in the order in which it was written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    bytes: Vec<u8>,
    /// Lengths of the pieces in `bytes`, in turns: stdout, stderr, stdout, ... (the first may be empty). A program
    /// that changes the stream with every byte costs four bytes more for each.
    turns: Vec<u32>,
}

impl Output {
    /// All that was written to stdout, as text; bytes that are not UTF-8 are replaced.
    pub fn stdout(&self) -> String {
        self.text(Stream::Stdout)
    }

    /// All that was written to stderr, as text; bytes that are not UTF-8 are replaced.
    pub fn stderr(&self) -> String {
        self.text(Stream::Stderr)
    }

    /// The pieces in order; neighbours belong to different streams.
    pub fn chunks(&self) -> impl Iterator<Item = (Stream, &[u8])> {
        let mut rest = &self.bytes[..];
        let mut stream = Stream::Stderr;
        self.turns.iter().filter_map(move |&len| {
            stream = match stream {
                Stream::Stdout => Stream::Stderr,
                Stream::Stderr => Stream::Stdout,
            };
            let (piece, after) = rest.split_at(len as usize);
            rest = after;
            (!piece.is_empty()).then_some((stream, piece))
        })
    }

    /// Bytes in all.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Whether nothing was written.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    fn text(&self, wanted: Stream) -> String {
        let mut all = Vec::new();
        for (stream, piece) in self.chunks() {
            if stream == wanted {
                all.extend_from_slice(piece);
            }
        }
        match String::from_utf8_lossy(&all) {
            Cow::Borrowed(_) => String::from_utf8(all).unwrap_or_default(),
            Cow::Owned(text) => text,
        }
    }

    pub(crate) fn push(&mut self, stream: Stream, piece: &[u8]) {
        if piece.is_empty() {
            return;
        }
        // Limits::MAX_OUTPUT keeps a turn below 4 GiB.
        let is_stderr_turn = self.turns.len().is_multiple_of(2) && !self.turns.is_empty();
        match (self.turns.last_mut(), stream, is_stderr_turn) {
            (Some(len), Stream::Stderr, true) | (Some(len), Stream::Stdout, false) => {
                *len += piece.len() as u32
            }
            (None, Stream::Stderr, _) => self.turns.extend([0, piece.len() as u32]),
            _ => self.turns.push(piece.len() as u32),
        }
        self.bytes.extend_from_slice(piece);
    }
}

/// How much of a run's output its outcome holds, when a program is not to be stopped for writing more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut {
    characters: usize,
    middle: bool,
}

impl Cut {
    /// The most characters that a cut may leave.
    pub const MAX: usize = 10_000_000;

    /// Leaves the first half and the last half of so many characters, as smolagents does, with a line between that says so.
    pub fn middle(characters: usize) -> Cut {
        Cut {
            characters: characters.min(Self::MAX),
            middle: true,
        }
    }

    /// Leaves the first characters, and a line that says so.
    pub fn end(characters: usize) -> Cut {
        Cut {
            characters: characters.min(Self::MAX),
            middle: false,
        }
    }

    /// How many characters are left.
    pub fn characters(&self) -> usize {
        self.characters
    }

    fn head(&self) -> usize {
        if self.middle {
            self.characters / 2
        } else {
            self.characters
        }
    }

    fn mark(&self) -> String {
        let n = self.characters;
        if self.middle {
            format!("\n..._This content has been truncated to stay below {n} characters_...\n")
        } else {
            format!("\n[output cut after {n} characters]\n")
        }
    }
}

/// Output that is being cut: the beginning is complete once there is more than is kept, the end is what came last.
#[derive(Default)]
pub(crate) struct Cutting {
    head: Output,
    tail: Output,
    head_characters: usize,
    tail_characters: usize,
    /// Whether something was dropped between the two.
    dropped: bool,
}

/// Whether a byte begins a character; what is not UTF-8 counts as it may.
fn begins(byte: u8) -> bool {
    byte & 0xC0 != 0x80
}

/// Where the first `count` characters of `bytes` end, and how many characters that are.
fn prefix(bytes: &[u8], count: usize) -> (usize, usize) {
    let mut seen = 0;
    for (at, byte) in bytes.iter().enumerate() {
        if begins(*byte) {
            if seen == count {
                return (at, seen);
            }
            seen += 1;
        }
    }
    (bytes.len(), seen)
}

impl Cutting {
    fn write(&mut self, cut: &Cut, stream: Stream, bytes: &[u8]) {
        let (end, seen) = prefix(bytes, cut.head() - self.head_characters);
        if self.tail.is_empty() && !self.dropped {
            self.head.push(stream, &bytes[..end]);
            self.head_characters += seen;
            if end == bytes.len() {
                return;
            }
        }
        let rest = if self.tail.is_empty() && !self.dropped {
            &bytes[end..]
        } else {
            bytes
        };
        if !cut.middle {
            self.dropped = true;
            return;
        }
        self.tail.push(stream, rest);
        self.tail_characters += rest.iter().filter(|b| begins(**b)).count();
        // Now and then, so that each byte is moved a few times at most.
        if self.tail_characters > 4 * cut.characters + 4096 {
            self.shorten(cut);
        }
    }

    /// Drops what is not among the last characters.
    fn shorten(&mut self, cut: &Cut) {
        let keep = cut.characters - cut.head();
        let Some(mut excess) = self.tail_characters.checked_sub(keep).filter(|n| *n > 0) else {
            return;
        };
        self.dropped = true;
        self.tail_characters = keep;
        let mut shorter = Output::default();
        for (stream, piece) in self.tail.chunks() {
            let (start, seen) = prefix(piece, excess);
            excess -= seen;
            shorter.push(stream, &piece[start..]);
        }
        self.tail = shorter;
    }

    fn finish(mut self, cut: &Cut) -> Output {
        if self.head_characters + self.tail_characters > cut.characters {
            self.shorten(cut);
        }
        if self.dropped {
            self.head.push(Stream::Stdout, cut.mark().as_bytes());
        }
        for (stream, piece) in self.tail.chunks() {
            self.head.push(stream, piece);
        }
        self.head
    }
}

/// Receives output while a program runs. `false` says that nobody wants any more: the run ends as cancelled.
pub type Sink = Box<dyn FnMut(Stream, &[u8]) -> bool + Send>;

/// The output of a run while it is being produced.
#[derive(Default)]
pub(crate) struct Collector {
    pub(crate) output: Output,
    /// Cuts the output instead of setting a limit to it.
    pub(crate) cut: Option<Cut>,
    pub(crate) cutting: Cutting,
    pub(crate) sink: Option<Sink>,
    pub(crate) keep: bool,
    pub(crate) limit: u64,
    pub(crate) written: u64,
    pub(crate) sink_closed: bool,
}

impl Collector {
    /// Bytes that may still be written.
    pub(crate) fn room(&self) -> u64 {
        if self.cut.is_some() {
            return u64::MAX;
        }
        self.limit - self.written
    }

    /// Takes as much of `bytes` as the limit leaves room for; `false` when the program must stop.
    pub(crate) fn write(&mut self, stream: Stream, bytes: &[u8]) -> bool {
        let room = self.room();
        let fits = bytes.len() as u64 <= room;
        let taken = if fits { bytes } else { &bytes[..room as usize] };
        self.written += taken.len() as u64;
        if self.keep {
            match &self.cut {
                None => self.output.push(stream, taken),
                Some(cut) => self.cutting.write(cut, stream, taken),
            }
        }
        if let Some(sink) = &mut self.sink
            && !taken.is_empty()
            && !self.sink_closed
        {
            self.sink_closed = !sink(stream, taken);
        }
        fits && !self.sink_closed
    }

    /// What the outcome holds.
    pub(crate) fn finish(self) -> Output {
        match &self.cut {
            None => self.output,
            Some(cut) => self.cutting.finish(cut),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_keep_their_order_and_merge_with_neighbours() {
        let mut o = Output::default();
        for (stream, piece) in [
            (Stream::Stderr, "a"),
            (Stream::Stderr, "b"),
            (Stream::Stdout, "c"),
            (Stream::Stdout, ""),
            (Stream::Stdout, "d"),
            (Stream::Stderr, "e"),
        ] {
            o.push(stream, piece.as_bytes());
        }
        let pieces: Vec<_> = o.chunks().collect();
        assert_eq!(
            pieces,
            [
                (Stream::Stderr, &b"ab"[..]),
                (Stream::Stdout, b"cd"),
                (Stream::Stderr, b"e")
            ]
        );
        assert_eq!(
            (o.stdout(), o.stderr(), o.len()),
            ("cd".into(), "abe".into(), 5)
        );
    }

    #[test]
    fn stdout_first_takes_the_first_turn() {
        let mut o = Output::default();
        o.push(Stream::Stdout, b"x");
        o.push(Stream::Stdout, b"y");
        o.push(Stream::Stderr, b"z");
        o.push(Stream::Stderr, b"w");
        assert_eq!(o.turns, [2, 2]);
    }

    #[test]
    fn the_limit_cuts_in_the_middle_of_a_write() {
        let mut c = Collector {
            limit: 5,
            keep: true,
            ..Collector::default()
        };
        assert!(c.write(Stream::Stdout, b"abc"));
        assert!(c.write(Stream::Stdout, b"de"));
        assert!(!c.write(Stream::Stderr, b"f"));
        assert_eq!(c.output.stdout(), "abcde");
        assert_eq!(c.output.stderr(), "");
        assert!(c.write(Stream::Stdout, b""));
    }

    fn cut(cut: Cut, pieces: &[&str]) -> String {
        let mut c = Collector {
            keep: true,
            cut: Some(cut),
            ..Collector::default()
        };
        for piece in pieces {
            assert!(c.write(Stream::Stdout, piece.as_bytes()));
        }
        c.finish().stdout()
    }

    #[test]
    fn a_cut_leaves_what_fits_and_says_what_it_dropped() {
        assert_eq!(cut(Cut::middle(6), &["abc", "def"]), "abcdef");
        let mark = "\n..._This content has been truncated to stay below 6 characters_...\n";
        assert_eq!(
            cut(Cut::middle(6), &["abc", "defg"]),
            format!("abc{mark}efg")
        );
        assert_eq!(cut(Cut::middle(6), &["ä", "öüßé", "ç"]), "äöüßéç");
        assert_eq!(cut(Cut::middle(6), &["äöüßéçñ"]), format!("äöü{mark}éçñ"));
        assert_eq!(cut(Cut::end(3), &["abc"]), "abc");
        assert_eq!(
            cut(Cut::end(3), &["ab", "cd", "e"]),
            "abc\n[output cut after 3 characters]\n"
        );
        let long = "x".repeat(100_000);
        let text = cut(Cut::middle(1000), &[&long, &long, "end"]);
        assert_eq!(text.len(), 1000 + mark.len() + 3);
        assert!(text.ends_with("xend"));
        assert_eq!(
            cut(Cut::middle(0), &["a"]),
            "\n..._This content has been truncated to stay below 0 characters_...\n"
        );
    }

    #[test]
    fn a_sink_that_closes_stops_the_program() {
        let mut c = Collector {
            limit: 100,
            sink: Some(Box::new(|_, _| false)),
            ..Collector::default()
        };
        assert!(!c.write(Stream::Stdout, b"abc"));
        assert!(c.sink_closed && c.finish().is_empty());
    }
}
