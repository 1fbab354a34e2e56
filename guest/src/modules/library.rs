//! The library: CPython's own modules, read from the crate that carries them when this crate is built, and the few of ours that take the
//! place of some. The build script compiles them; the sources are there for those who want to read them.

use crate::heap::Ref;
use crate::names;
use crate::objects::string::Str;
use crate::packed::Packed;
use coldframe_compiler::code::Compiled;
use coldframe_compiler::pack;
use coldframe_compiler::spans::Store;
use std::borrow::Cow;
use std::rc::Rc;

/// What the build script knows of a module.
struct Module {
    name: &'static str,
    is_package: bool,
    text: Packed,
    /// The compiled module, see [`pack`].
    code: Packed,
    /// Where in the text its instructions come from.
    spans: Packed,
}

/// Where a module comes from.
enum Origin {
    Library(&'static Module),
    #[cfg_attr(
        not(all(debug_assertions, not(target_arch = "wasm32"))),
        expect(dead_code, reason = "only development builds read folders")
    )]
    Plain(String),
}

/// One module.
pub struct Entry {
    origin: Origin,
    /// Whether it is a package (`__init__.py`).
    pub is_package: bool,
}

include!(concat!(env!("OUT_DIR"), "/library.rs"));

/// The names of all sources.
pub fn names() -> impl Iterator<Item = &'static str> {
    LIBRARY.iter().map(|module| module.name)
}

impl Entry {
    /// The text.
    pub fn source(&self) -> Cow<'_, str> {
        match &self.origin {
            Origin::Library(module) => Cow::Owned(module.text.unpack_text()),
            Origin::Plain(text) => Cow::Borrowed(text),
        }
    }

    /// The compiled module and its text, when it was compiled at build time.
    pub fn compiled(&self) -> Option<(Rc<Compiled<Ref<Str>>>, Packed)> {
        let Origin::Library(module) = self.origin else {
            return None;
        };
        let store = Store::new(|| module.spans.unpack());
        let code = pack::unpack(&module.code.unpack(), &store, names::intern)?;
        Some((code, module.text))
    }
}

/// The sources as files: path and text.
pub fn files() -> impl Iterator<Item = (String, Packed)> {
    LIBRARY.iter().map(|module| {
        let path = module.name.replace('.', "/");
        let end = if module.is_package {
            "/__init__.py"
        } else {
            ".py"
        };
        (format!("/lib/python3.14/{path}{end}"), module.text)
    })
}

/// The module of this name.
pub fn find(name: &str) -> Option<Entry> {
    if let Some(entry) = tried_out(name) {
        return Some(entry);
    }
    let at = LIBRARY
        .binary_search_by(|module| module.name.cmp(name))
        .ok()?;
    let module = &LIBRARY[at];
    Some(Entry {
        origin: Origin::Library(module),
        is_package: module.is_package,
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
        .any(|m| inside(m.name) || (m.name == name && m.is_package))
        || files.flatten().any(|f| {
            inside(&f.file_name().to_string_lossy())
                && f.file_name().to_string_lossy() != format!("{name}.py")
        });
    Some(Entry {
        origin: Origin::Plain(source),
        is_package,
    })
}

#[cfg(not(all(debug_assertions, not(target_arch = "wasm32"))))]
fn tried_out(_: &str) -> Option<Entry> {
    None
}
