//! Where the attributes of classes were found last: saves the walk along the MRO.
//!
//! A table of fixed size that a class version and an interned name lead into, as CPython's method cache. It keeps nothing alive: an entry says in which
//! class of the MRO and at which slot the attribute is, or that there is none, and holds as long as the class has the version. Interned strings live
//! for ever, so that the address of one names it.

use crate::objects::string::Str;
use std::cell::Cell;

/// Entries: a few pages, since every session writes its own.
const SIZE: usize = 256;

/// Where an attribute is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Place {
    /// In the class at this index of the MRO, in this slot of its namespace.
    At(u16, u32),
    /// In no class of the MRO.
    Nowhere,
}

#[derive(Clone, Copy)]
struct Entry {
    /// Class version; 0 for an empty entry.
    version: u32,
    /// Address of the name.
    name: usize,
    place: Place,
}

/// The table.
pub(crate) struct TypeCache {
    entries: Box<[Cell<Entry>]>,
}

impl TypeCache {
    pub(crate) fn new() -> TypeCache {
        let empty = Entry {
            version: 0,
            name: 0,
            place: Place::Nowhere,
        };
        TypeCache {
            entries: vec![Cell::new(empty); SIZE].into(),
        }
    }

    fn cell(&self, version: u32, name: usize) -> &Cell<Entry> {
        // Objects are aligned, so that the low bits of an address say nothing.
        &self.entries[(version as usize ^ (name >> 4)) % SIZE]
    }

    /// What is known of the name in the class of this version, which is not 0.
    #[inline]
    pub(crate) fn find(&self, version: u32, name: &Str) -> Option<Place> {
        let name = name as *const Str as usize;
        let entry = self.cell(version, name).get();
        (entry.version == version && entry.name == name).then_some(entry.place)
    }

    /// Remembers where the interned name is.
    pub(crate) fn remember(&self, version: u32, name: &Str, place: Place) {
        if version == 0 || !name.is_interned() {
            return;
        }
        let name = name as *const Str as usize;
        self.cell(version, name).set(Entry {
            version,
            name,
            place,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names;

    #[test]
    fn an_entry_is_for_one_version_and_one_name() {
        crate::objects::types::bootstrap();
        let cache = TypeCache::new();
        let (a, b) = (names::intern("a_name"), names::intern("another_name"));
        cache.remember(7, &a, Place::At(1, 2));
        cache.remember(0, &b, Place::Nowhere);
        assert_eq!(cache.find(7, &a), Some(Place::At(1, 2)));
        assert_eq!(cache.find(8, &a), None);
        assert_eq!(cache.find(7, &b), None);
    }

    #[test]
    fn a_text_that_is_not_interned_is_not_remembered() {
        crate::objects::types::bootstrap();
        let cache = TypeCache::new();
        let text = crate::objects::string::Str::value("some text");
        if let Some(text) = text.as_ref::<Str>() {
            cache.remember(7, text, Place::Nowhere);
            assert_eq!(cache.find(7, text), None);
        }
    }
}
