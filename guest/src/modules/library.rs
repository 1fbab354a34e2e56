//! The library's Python sources: CPython's own, read from the crate that carries them when this crate is built, and the few of ours that take the place of some.

use crate::packed::Packed;
use std::borrow::Cow;

/// Where a text comes from.
enum Text {
    Packed(Packed),
    #[cfg_attr(
        not(all(debug_assertions, not(target_arch = "wasm32"))),
        expect(dead_code, reason = "only development builds read folders")
    )]
    Plain(String),
}

/// One source.
pub struct Entry {
    text: Text,
    /// Whether it is a package (`__init__.py`).
    pub is_package: bool,
}

include!(concat!(env!("OUT_DIR"), "/library.rs"));

/// The names of all sources.
pub fn names() -> impl Iterator<Item = &'static str> {
    LIBRARY.iter().map(|(name, _, _)| *name)
}

impl Entry {
    /// The text.
    pub fn source(&self) -> Cow<'_, str> {
        match &self.text {
            Text::Packed(packed) => {
                Cow::Owned(String::from_utf8(packed.unpack()).unwrap_or_default())
            }
            Text::Plain(text) => Cow::Borrowed(text),
        }
    }
}

/// The sources as files: path and text.
pub fn files() -> impl Iterator<Item = (String, Packed)> {
    LIBRARY.iter().map(|(name, source, is_package)| {
        let path = name.replace('.', "/");
        let end = if *is_package { "/__init__.py" } else { ".py" };
        (format!("/lib/python3.14/{path}{end}"), *source)
    })
}

/// The source of a module.
pub fn find(name: &str) -> Option<Entry> {
    if let Some(entry) = tried_out(name) {
        return Some(entry);
    }
    let at = LIBRARY.binary_search_by(|(n, _, _)| (*n).cmp(name)).ok()?;
    let (_, packed, is_package) = LIBRARY[at];
    Some(Entry {
        text: Text::Packed(packed),
        is_package,
    })
}

/// In development builds a module can be tried out without building: sources in the folder that `COLDFRAME_LIB` names come first.
#[cfg(all(debug_assertions, not(target_arch = "wasm32")))]
fn tried_out(name: &str) -> Option<Entry> {
    let folder = std::env::var_os("COLDFRAME_LIB")?;
    let folder = std::path::Path::new(&folder);
    let source = std::fs::read_to_string(folder.join(format!("{name}.py"))).ok()?;
    let prefix = format!("{name}.");
    let inside = |n: &str| n.starts_with(&prefix);
    let files = std::fs::read_dir(folder).ok()?;
    let is_package = LIBRARY
        .iter()
        .any(|(n, _, p)| inside(n) || (*n == name && *p))
        || files.flatten().any(|f| {
            inside(&f.file_name().to_string_lossy())
                && f.file_name().to_string_lossy() != format!("{name}.py")
        });
    Some(Entry {
        text: Text::Plain(source),
        is_package,
    })
}

#[cfg(not(all(debug_assertions, not(target_arch = "wasm32"))))]
fn tried_out(_: &str) -> Option<Entry> {
    None
}
