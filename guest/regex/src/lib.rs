//! Regular expressions with the syntax, semantics and error texts of Python's `re` module.
//!
//! The crate knows nothing of an interpreter. A [`Pattern`] is compiled from the code points of a `str` or from
//! bytes, and matches slices of `u8` (ASCII or Latin-1 text, bytes) or `u32` (code points); all positions are
//! indices into those slices. Results land in a [`Scratch`], which is reused from match to match.
//!
//! - `parser/` reads a pattern into the tree of `ast`, with errors at CPython's positions;
//! - `compile` turns the tree into the instructions of `program`, with tables of what can follow (`first`);
//! - `matcher` runs them by backtracking on the explicit, bounded stack of `scratch`, and `search` finds where to start;
//! - `pattern` and `template` are what callers use.
//!
//! ```
//! use coldframe_regex::{Flags, Pattern, PatternSource, Scratch};
//!
//! let pattern = Pattern::compile(PatternSource::Bytes(br"(\w+)@(\w+)"), Flags::NONE)?;
//! let mut scratch = Scratch::default();
//! assert!(pattern.search(b"mail to ann@example", &mut scratch)?);
//! assert_eq!(scratch.span(1), Some((8, 11)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]

mod ast;
mod class;
mod compile;
mod error;
mod first;
mod flags;
mod matcher;
mod parser;
mod pattern;
mod program;
mod scratch;
mod search;
mod subject;
mod template;
mod unicode;

pub use error::{Error, ErrorKind, MatchError, Warning};
pub use flags::Flags;
pub use parser::NameLookup;
pub use pattern::{Cursor, Mode, Pattern, PatternSource};
pub use scratch::Scratch;
pub use subject::Unit;
pub use template::{Part, Piece, Template, escape, needs_escape};
