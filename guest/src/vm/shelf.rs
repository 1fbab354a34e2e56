//! Modules that lie in the image, imported, and that the program has not imported yet.
//!
//! To the program they are not there: `sys.modules` has what it has in CPython at the start, and a package that was imported without a
//! submodule has no attribute of its name. When the program imports one of them it appears together with all that its import had imported,
//! in that order.

use super::{R, Vm};
use crate::names;
use crate::objects::module::Module;
use crate::value::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Modules that are in `sys.modules` from the start, with what they import, beside those that the machine itself needs.
const VISIBLE: &[&str] = &["abc", "codecs", "encodings", "io", "os", "time"];

/// The modules, by name.
#[derive(Default)]
pub struct Shelf {
    modules: BTreeMap<String, Shelved>,
    /// Kept while the image is made.
    diary: Option<Diary>,
}

struct Shelved {
    module: Value,
    /// What its import imported, in order.
    imported: Vec<String>,
    /// Whether the import made it an attribute of its package.
    is_bound: bool,
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
            .filter_map(|e| e.key.as_ref::<crate::objects::string::Str>())
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
        let Some(mut diary) = self.shelf.diary.take() else {
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
            let shelved = Shelved {
                module,
                imported: diary.imported.remove(&name).unwrap_or_default(),
                is_bound: diary.bound.contains(&name),
            };
            self.shelf.modules.insert(name, shelved);
        }
        let bound: Vec<String> = self
            .shelf
            .modules
            .iter()
            .filter(|(_, shelved)| shelved.is_bound)
            .map(|(name, _)| name.clone())
            .collect();
        for name in bound {
            if let Some((parent, last)) = name.rsplit_once('.')
                && let Some(parent) = self.present_or_shelved(parent)
                && let Some(parent) = parent.as_ref::<Module>()
            {
                parent.dict.clone().remove_str(self, &names::intern(last));
            }
        }
    }

    /// A module in `sys.modules` or on the shelf.
    pub(crate) fn present_or_shelved(&self, name: &str) -> Option<Value> {
        match self.modules.get_str(self, &names::intern(name)) {
            Some(module) => Some(module.clone()),
            None => self.shelf.modules.get(name).map(|s| s.module.clone()),
        }
    }

    /// Puts a module that lies on the shelf, and what came with it, into `sys.modules`.
    pub(super) fn take_from_shelf(&mut self, name: &str) -> R<Option<Value>> {
        let Some(first) = self.shelf.modules.remove(name) else {
            return Ok(None);
        };
        let module = first.module.clone();
        let mut waiting = vec![(name.to_owned(), first)];
        while let Some((name, shelved)) = waiting.pop() {
            let modules = self.modules.clone();
            let key = names::intern(&name);
            if modules.get_str(self, &key).is_none() {
                modules.set_str(self, &key, shelved.module.clone());
            }
            if shelved.is_bound
                && let Some((parent, last)) = name.rsplit_once('.')
                && let Some(parent) = self.present_or_shelved(parent)
            {
                let last = names::intern(last).to_value();
                self.set_attr(&parent, &last, Some(&shelved.module))?;
            }
            // The first of them is the next.
            for name in shelved.imported.into_iter().rev() {
                if let Some(next) = self.shelf.modules.remove(&name) {
                    waiting.push((name, next));
                }
            }
        }
        Ok(Some(module))
    }
}
