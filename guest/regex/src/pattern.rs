//! The public face: compiled patterns and matching with them.

use crate::compile;
use crate::error::{Error, MatchError, Warning};
use crate::flags::Flags;
use crate::matcher::Matcher;
use crate::parser::{self, NameLookup};
use crate::program::{Prefilter, Program};
use crate::scratch::{NONE, Scratch};
use crate::search;
use crate::subject::Unit;

/// The text of a pattern or template.
#[derive(Clone, Copy, Debug)]
pub enum PatternSource<'a> {
    /// A `str`, as code points (lone surrogates included).
    Str(&'a [u32]),
    /// A `bytes`.
    Bytes(&'a [u8]),
}

impl PatternSource<'_> {
    pub(crate) fn decode(self) -> (Vec<u32>, bool) {
        match self {
            PatternSource::Str(chars) => (chars.to_vec(), true),
            PatternSource::Bytes(bytes) => (bytes.iter().map(|&b| b.into()).collect(), false),
        }
    }
}

/// Where a match has to lie.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// Anywhere: `Pattern.search`.
    Search,
    /// At the start: `Pattern.match`.
    Match,
    /// From the start to the end: `Pattern.fullmatch`.
    FullMatch,
}

/// A compiled pattern.
#[derive(Debug)]
pub struct Pattern {
    program: Program,
    prefilter: Prefilter,
    min_width: usize,
    flags: Flags,
    groups: usize,
    names: Vec<(String, usize)>,
    warnings: Vec<Warning>,
    is_str: bool,
}

impl Pattern {
    /// Compiles a pattern. `\N{...}` is unknown; see [`Pattern::compile_with_names`].
    pub fn compile(source: PatternSource<'_>, flags: Flags) -> Result<Pattern, Error> {
        Pattern::build(source, flags, None)
    }

    /// Compiles a pattern in which `lookup` finds the character that `\N{name}` stands for.
    pub fn compile_with_names(
        source: PatternSource<'_>,
        flags: Flags,
        lookup: NameLookup<'_>,
    ) -> Result<Pattern, Error> {
        Pattern::build(source, flags, Some(lookup))
    }

    fn build(
        source: PatternSource<'_>,
        flags: Flags,
        lookup: Option<NameLookup<'_>>,
    ) -> Result<Pattern, Error> {
        let (text, is_str) = source.decode();
        let parsed = parser::parse(&text, is_str, flags, lookup)?;
        let program = compile::compile(&parsed.root)?;
        Ok(Pattern {
            program,
            prefilter: search::prefilter(&parsed.root),
            min_width: usize::try_from(parsed.root.width.min).unwrap_or(usize::MAX),
            flags: parsed.flags,
            groups: parsed.groups as usize,
            names: parsed
                .names
                .into_iter()
                .map(|(name, group)| (name, group as usize))
                .collect(),
            warnings: parsed.warnings,
            is_str,
        })
    }

    /// Number of capturing groups (`Pattern.groups`).
    pub fn groups(&self) -> usize {
        self.groups
    }

    /// Group names with their numbers, in order (`Pattern.groupindex`).
    pub fn group_names(&self) -> &[(String, usize)] {
        &self.names
    }

    /// The number of a named group.
    pub fn group_number(&self, name: &str) -> Option<usize> {
        self.names
            .iter()
            .find(|(known, _)| known == name)
            .map(|&(_, group)| group)
    }

    /// The name of a group, as for `Match.lastgroup`.
    pub fn group_name(&self, group: usize) -> Option<&str> {
        self.names
            .iter()
            .find(|&&(_, known)| known == group)
            .map(|(name, _)| name.as_str())
    }

    /// All flags, the inline ones and the default one included (`Pattern.flags`).
    pub fn flags(&self) -> Flags {
        self.flags
    }

    /// What `re.compile` warns of (`FutureWarning`).
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// Whether it is for `str`, not for `bytes`.
    pub fn is_str(&self) -> bool {
        self.is_str
    }

    /// Matches `text[..endpos]` from `pos` on. The spans are in `scratch` if it returns true. The hook is
    /// called every 65536 steps or so; matching stops with an error when it returns false.
    pub fn execute<U: Unit>(
        &self,
        mode: Mode,
        text: &[U],
        pos: usize,
        endpos: usize,
        scratch: &mut Scratch,
        hook: &mut dyn FnMut() -> bool,
    ) -> Result<bool, MatchError> {
        Cursor {
            mode,
            pos,
            endpos,
            must_advance: false,
            done: false,
        }
        .next(self, text, scratch, hook)
    }

    /// The whole of `text` searched, without interruption: for tests and simple uses.
    pub fn search<U: Unit>(&self, text: &[U], scratch: &mut Scratch) -> Result<bool, MatchError> {
        self.execute(Mode::Search, text, 0, text.len(), scratch, &mut || true)
    }
}

/// Successive matches, as `finditer`, `findall`, `split`, `sub` and scanners make them: each begins where the
/// one before ended, and an empty match at the end of an empty one is passed over.
#[derive(Clone, Copy, Debug)]
pub struct Cursor {
    mode: Mode,
    pos: usize,
    endpos: usize,
    must_advance: bool,
    done: bool,
}

impl Cursor {
    /// Matches in `text[..endpos]` from `pos` on.
    pub fn new(mode: Mode, pos: usize, endpos: usize) -> Cursor {
        Cursor {
            mode,
            pos,
            endpos,
            must_advance: false,
            done: false,
        }
    }

    /// The same place, to go on in another mode.
    pub fn with_mode(self, mode: Mode) -> Cursor {
        Cursor { mode, ..self }
    }

    /// The next match: its spans are in `scratch` if there is one.
    pub fn next<U: Unit>(
        &mut self,
        pattern: &Pattern,
        text: &[U],
        scratch: &mut Scratch,
        hook: &mut dyn FnMut() -> bool,
    ) -> Result<bool, MatchError> {
        let text = &text[..self.endpos.min(text.len())];
        if text.len() >= NONE as usize {
            return Err(MatchError::SubjectTooLong);
        }
        if self.done || self.pos > text.len() {
            return Ok(false);
        }
        let mut matcher = Matcher::new(&pattern.program, pattern.groups, text, scratch, hook);
        matcher.full = self.mode == Mode::FullMatch;
        if self.must_advance {
            matcher.not_empty_at = self.pos as u32;
        }
        let found = match self.mode {
            Mode::Search => search::search(
                &mut matcher,
                &pattern.prefilter,
                pattern.min_width,
                self.pos,
            )?,
            Mode::Match | Mode::FullMatch => matcher.attempt(self.pos)?,
        };
        match scratch.span(0) {
            Some((start, end)) if found => {
                self.must_advance = start == end;
                self.pos = end;
            }
            _ => self.done = true,
        }
        Ok(found)
    }
}
