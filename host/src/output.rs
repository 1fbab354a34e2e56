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

/// Receives output while a program runs. `false` says that nobody wants any more: the run ends as cancelled.
pub type Sink = Box<dyn FnMut(Stream, &[u8]) -> bool + Send>;

/// The output of a run while it is being produced.
#[derive(Default)]
pub(crate) struct Collector {
    pub(crate) output: Output,
    pub(crate) sink: Option<Sink>,
    pub(crate) keep: bool,
    pub(crate) limit: u64,
    pub(crate) written: u64,
    pub(crate) sink_closed: bool,
}

impl Collector {
    /// Bytes that may still be written.
    pub(crate) fn room(&self) -> u64 {
        self.limit - self.written
    }

    /// Takes as much of `bytes` as the limit leaves room for; `false` when the program must stop.
    pub(crate) fn write(&mut self, stream: Stream, bytes: &[u8]) -> bool {
        let room = self.room();
        let fits = bytes.len() as u64 <= room;
        let taken = if fits { bytes } else { &bytes[..room as usize] };
        self.written += taken.len() as u64;
        if self.keep {
            self.output.push(stream, taken);
        }
        if let Some(sink) = &mut self.sink
            && !taken.is_empty()
            && !self.sink_closed
        {
            self.sink_closed = !sink(stream, taken);
        }
        fits && !self.sink_closed
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

    #[test]
    fn a_sink_that_closes_stops_the_program() {
        let mut c = Collector {
            limit: 100,
            sink: Some(Box::new(|_, _| false)),
            ..Collector::default()
        };
        assert!(!c.write(Stream::Stdout, b"abc"));
        assert!(c.sink_closed && c.output.is_empty());
    }
}
