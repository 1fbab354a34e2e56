//! Modules that lie in the image, imported, and that the program has not imported yet.
//!
//! To the program they are not there: `sys.modules` has what it has in CPython at the start, and a package that was imported without a
//! submodule has no attribute of its name. When the program imports one of them it appears together with all that its import had imported,
//! in that order.

use super::{R, Vm};
use crate::heap::Ref;
use crate::names;
use crate::objects::module::Module;
use crate::objects::string::Str;
use crate::value::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Modules that are in `sys.modules` from the start, with what they import, beside those that the machine itself needs.
const VISIBLE: &[&str] = &["abc", "codecs", "encodings", "io", "os", "time"];

/// The modules.
#[derive(Default)]
pub struct Shelf {
    modules: Vec<Shelved>,
    /// Where each of them lies.
    places: BTreeMap<String, u16>,
    /// Kept while the image is made.
    diary: Option<Diary>,
}

struct Shelved {
    name: Ref<Str>,
    /// The module, until the program has it.
    module: Option<Value>,
    /// What comes with it: all that its import imported, with what that imported in turn, in order.
    with: Box<[u16]>,
    /// The package that its import made it an attribute of, and the name of the attribute.
    bound: Option<(Ref<Str>, Ref<Str>)>,
}

impl Shelf {
    /// Works out what comes with each module, from the names that each imported itself.
    fn complete(&mut self, imported: &BTreeMap<String, Vec<String>>) {
        let direct: Vec<Vec<u16>> = self
            .modules
            .iter()
            .map(|shelved| {
                let names = imported.get(&*shelved.name.to_text());
                let places = names.into_iter().flatten();
                places.filter_map(|n| self.places.get(n).copied()).collect()
            })
            .collect();
        for (first, shelved) in self.modules.iter_mut().enumerate() {
            let mut seen = vec![false; direct.len()];
            seen[first] = true;
            let mut with = Vec::new();
            // The first of each list is the next.
            let mut waiting: Vec<u16> = direct[first].iter().rev().copied().collect();
            while let Some(at) = waiting.pop() {
                if !std::mem::replace(&mut seen[at as usize], true) {
                    with.push(at);
                    waiting.extend(direct[at as usize].iter().rev());
                }
            }
            shelved.with = with.into();
        }
    }
}

/// What happens while modules are imported into the image.
#[derive(Default)]
struct Diary {
    /// In `sys.modules` before.
    before: BTreeSet<String>,
    /// Modules that are being loaded, the innermost last.
    loading: Vec<String>,
    /// What each of those that have been loaded imported.
    imported: BTreeMap<String, Vec<String>>,
    /// Those that were made attributes of their packages.
    bound: BTreeSet<String>,
}

impl Diary {
    fn note(&mut self, name: &str) {
        let Some(list) = self
            .loading
            .last()
            .and_then(|top| self.imported.get_mut(top))
        else {
            return;
        };
        if !list.iter().any(|known| known == name) {
            list.push(name.to_owned());
        }
    }
}

impl Vm {
    fn module_names(&self) -> Vec<String> {
        self.modules
            .map
            .get(self)
            .iter()
            .filter_map(|e| e.key.as_ref::<Str>())
            .map(|name| name.to_text().into_owned())
            .collect()
    }

    /// Begins to write down what imports what.
    pub(super) fn open_diary(&mut self) {
        self.shelf.diary = Some(Diary {
            before: self.module_names().into_iter().collect(),
            ..Diary::default()
        });
    }

    /// Somebody imports this module.
    #[inline]
    pub(super) fn note_import(&mut self, name: &str) {
        if let Some(diary) = &mut self.shelf.diary {
            // Packages come before what is in them.
            for (at, _) in name.match_indices('.') {
                diary.note(&name[..at]);
            }
            diary.note(name);
        }
    }

    /// This module is going to be loaded.
    #[inline]
    pub(super) fn note_loading(&mut self, name: &str) {
        if self.shelf.diary.is_some() {
            self.note_entered();
        }
        if let Some(diary) = &mut self.shelf.diary {
            diary.loading.push(name.to_owned());
            diary.imported.insert(name.to_owned(), Vec::new());
        }
    }

    /// The module that was loaded last is there, or cannot be.
    #[inline]
    pub(super) fn note_loaded(&mut self) {
        if self.shelf.diary.is_some() {
            self.note_entered();
        }
        if let Some(diary) = &mut self.shelf.diary {
            diary.loading.pop();
        }
    }

    /// Modules that the one being loaded has entered in `sys.modules` itself come with it.
    #[cold]
    fn note_entered(&mut self) {
        let names = self.module_names();
        let Some(diary) = &mut self.shelf.diary else {
            return;
        };
        for name in names {
            if !diary.before.contains(&name) && !diary.imported.contains_key(&name) {
                diary.note(&name);
                diary.imported.insert(name, Vec::new());
            }
        }
    }

    /// This module was made an attribute of its package.
    #[inline]
    pub(super) fn note_bound(&mut self, name: &str) {
        if let Some(diary) = &mut self.shelf.diary {
            diary.bound.insert(name.to_owned());
        }
    }

    /// Takes what was imported since the diary was begun out of the program's sight.
    pub(super) fn fill_shelf(&mut self) {
        let Some(diary) = self.shelf.diary.take() else {
            return;
        };
        let mut visible = diary.before;
        let mut waiting: Vec<&str> = VISIBLE.to_vec();
        while let Some(name) = waiting.pop() {
            if visible.insert(name.to_owned())
                && let Some(list) = diary.imported.get(name)
            {
                waiting.extend(list.iter().map(String::as_str));
            }
        }
        let modules = self.modules.clone();
        for name in self.module_names() {
            if visible.contains(&name) {
                continue;
            }
            let Some(module) = modules.remove_str(self, &names::intern(&name)) else {
                continue;
            };
            let bound = diary
                .bound
                .contains(&name)
                .then(|| name.rsplit_once('.'))
                .flatten()
                .map(|(parent, last)| (names::intern(parent), names::intern(last)));
            let Ok(place) = self.shelf.modules.len().try_into() else {
                break;
            };
            self.shelf.modules.push(Shelved {
                name: names::intern(&name),
                module: Some(module),
                with: Box::default(),
                bound,
            });
            self.shelf.places.insert(name, place);
        }
        self.shelf.complete(&diary.imported);
        for place in 0..self.shelf.modules.len() {
            let shelved = &self.shelf.modules[place];
            let Some(module) = shelved.module.clone() else {
                continue;
            };
            let Some((parent, last)) = shelved.bound.clone() else {
                continue;
            };
            let Some(package) = self.present_or_shelved(&parent.to_text()) else {
                continue;
            };
            let Some(package) = package.as_ref::<Module>() else {
                continue;
            };
            // The package may have given the name to something else since: `unittest.main` is a class.
            let is_module = package
                .dict
                .get_str(self, &last)
                .is_some_and(|v| v.is_same(&module));
            if is_module {
                package.dict.clone().remove_str(self, &last);
            } else {
                self.shelf.modules[place].bound = None;
            }
        }
    }

    /// A module in `sys.modules` or on the shelf.
    pub(crate) fn present_or_shelved(&self, name: &str) -> Option<Value> {
        match self.modules.get_str(self, &names::intern(name)) {
            Some(module) => Some(module.clone()),
            None => {
                let place = *self.shelf.places.get(name)?;
                self.shelf.modules.get(place as usize)?.module.clone()
            }
        }
    }

    /// Puts a module that lies on the shelf, and what came with it, into `sys.modules`.
    pub(super) fn take_from_shelf(&mut self, name: &str) -> R<Option<Value>> {
        let Some(&first) = self.shelf.places.get(name) else {
            return Ok(None);
        };
        let Some(shelved) = self.shelf.modules.get_mut(first as usize) else {
            return Ok(None);
        };
        let Some(found) = shelved.module.clone() else {
            return Ok(None);
        };
        let with = std::mem::take(&mut shelved.with);
        for at in std::iter::once(first).chain(with) {
            let Some(shelved) = self.shelf.modules.get_mut(at as usize) else {
                continue;
            };
            let Some(module) = shelved.module.take() else {
                continue;
            };
            let (key, bound) = (shelved.name.clone(), shelved.bound.take());
            self.tell_time(&key, &module);
            if let Some((parent, last)) = bound
                && let Some(parent) = self.present_or_shelved(&parent.to_text())
            {
                self.set_attr(&parent, &last.to_value(), Some(&module))?;
            }
            let modules = self.modules.clone();
            let map = modules.map.get_mut(self);
            if map.find_str(&key).is_none() {
                map.push(key.hash(), key.to_value(), module);
            }
        }
        Ok(Some(found))
    }
}
