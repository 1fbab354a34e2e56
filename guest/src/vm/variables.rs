//! Names: globals, builtins, namespaces, unbound variables.

use super::cache::{Cache, Known};
use super::{R, Raised, Vm};
use crate::heap::Ref;
use crate::objects::dict::Dict;
use crate::objects::exception::Exc;
use crate::objects::function::Cell;
use crate::objects::string::Str;
use crate::value::Value;

/// Whether nothing but the dictionary itself decides what it holds.
fn is_plain(dict: &Ref<Dict>) -> bool {
    dict.to_value().is_exact::<Dict>()
}

/// The key of a stand-in for `__builtins__` that is neither a module nor a dictionary; no name has a null character.
pub(crate) fn foreign_builtins() -> Ref<Str> {
    crate::names::intern("\0builtins")
}

impl Vm {
    #[cold]
    #[inline(never)]
    pub(crate) fn unbound_local(&mut self, register: u16) -> Raised {
        let Some(frame) = self.frames.last() else {
            return self.system_error("no frame");
        };
        let name = frame
            .code
            .varnames
            .get(register as usize)
            .cloned()
            .unwrap_or_else(|| crate::names::intern("?"));
        let text = format!(
            "cannot access local variable '{}' where it is not associated with a value",
            name.to_text()
        );
        self.name_error(Exc::UnboundLocalError, &name, text)
    }

    #[cold]
    #[inline(never)]
    pub(crate) fn unbound_free(&mut self, index: u16) -> Raised {
        let Some(frame) = self.frames.last() else {
            return self.system_error("no frame");
        };
        let name = frame
            .code
            .freevars
            .get(index as usize)
            .cloned()
            .unwrap_or_else(|| crate::names::intern("?"));
        let text = format!(
            "cannot access free variable '{}' where it is not associated with a value in enclosing scope",
            name.to_text()
        );
        self.name_error(Exc::NameError, &name, text)
    }

    #[cold]
    fn undefined(&mut self, name: &Ref<Str>) -> Raised {
        let text = format!("name '{}' is not defined", name.to_text());
        self.name_error(Exc::NameError, name, text)
    }

    fn globals_of_frame(&self) -> Option<(Ref<Dict>, Ref<Dict>)> {
        let frame = self.frames.last()?;
        Some((
            frame.function.globals.clone(),
            frame.function.builtins.clone(),
        ))
    }

    /// Looks a global up and fills the cache.
    #[cold]
    #[inline(never)]
    pub(crate) fn load_global(&mut self, cache: &mut Cache) -> R {
        let Some((globals, builtins)) = self.globals_of_frame() else {
            return Err(self.system_error("no frame"));
        };
        if !is_plain(&globals) || !is_plain(&builtins) {
            // Subclasses have the last word on what they hold; nothing is cached.
            let name = cache.name.clone();
            return self.global_or_builtin(&name);
        }
        let map = globals.map.get(self);
        if let Some(slot) = map.find_str(&cache.name) {
            cache.remember(Known::Global {
                version: map.keys_version(),
                slot: slot as u32,
            });
            if let Some(e) = map.entry(slot) {
                return Ok(e.value.clone());
            }
        }
        let map = builtins.map.get(self);
        if let Some(slot) = map.find_str(&cache.name) {
            cache.remember(Known::Builtin {
                globals: globals.map.get(self).keys_version(),
                version: map.keys_version(),
                slot: slot as u32,
            });
            if let Some(e) = builtins.map.get(self).entry(slot) {
                return Ok(e.value.clone());
            }
        }
        let name = cache.name.clone();
        self.not_in_builtins(&builtins, &name)
    }

    /// A name that the builtins do not have. They may stand for something that is no dictionary.
    #[cold]
    fn not_in_builtins(&mut self, builtins: &Ref<Dict>, name: &Ref<Str>) -> R {
        if let Some(real) = builtins.get_str(self, &foreign_builtins()).cloned() {
            return match self.get_item(&real, &name.to_value()) {
                Ok(v) => Ok(v),
                Err(raised) => {
                    self.swallow(raised, Exc::KeyError)?;
                    Err(self.undefined(name))
                }
            };
        }
        Err(self.undefined(name))
    }

    /// A name among the builtins of the running frame.
    #[inline(never)]
    pub(crate) fn frame_builtin(&mut self, name: &Ref<Str>) -> R<Option<Value>> {
        let builtins = match self.frames.last() {
            Some(frame) => frame.function.builtins.clone(),
            None => self.builtins.clone(),
        };
        self.mapping_get(&builtins.to_value(), &name.to_value())
    }

    /// Binds a global and fills the cache.
    #[cold]
    #[inline(never)]
    pub(crate) fn store_global(&mut self, cache: &mut Cache, value: Value) {
        let Some((globals, _)) = self.globals_of_frame() else {
            return;
        };
        globals.set_str(self, &cache.name, value);
        let map = globals.map.get(self);
        if let Some(slot) = map.find_str(&cache.name) {
            cache.remember(Known::Global {
                version: map.keys_version(),
                slot: slot as u32,
            });
        }
    }

    fn global_or_builtin(&mut self, name: &Ref<Str>) -> R {
        let Some((globals, builtins)) = self.globals_of_frame() else {
            return Err(self.system_error("no frame"));
        };
        if let Some(v) = self.mapping_get(&globals.to_value(), &name.to_value())? {
            return Ok(v);
        }
        if let Some(v) = self.mapping_get(&builtins.to_value(), &name.to_value())? {
            return Ok(v);
        }
        self.not_in_builtins(&builtins, name)
    }

    /// The namespace mapping of the running frame; its globals when it has none of its own.
    #[inline(never)]
    pub(crate) fn frame_namespace(&mut self) -> R {
        let Some(frame) = self.frames.last() else {
            return Err(self.system_error("no frame"));
        };
        Ok(match frame.aux.defined() {
            Some(v) => v.clone(),
            None => frame.function.globals.to_value(),
        })
    }

    /// `mapping[name]`, if it is there.
    fn mapping_get(&mut self, mapping: &Value, name: &Value) -> R<Option<Value>> {
        if let Some(d) = mapping.as_exact::<Dict>() {
            return d.get_item(self, name);
        }
        match self.get_item(mapping, name) {
            Ok(v) => Ok(Some(v)),
            Err(raised) => {
                self.swallow(raised, Exc::KeyError)?;
                Ok(None)
            }
        }
    }

    #[inline(never)]
    pub(crate) fn load_name(&mut self, name: &Value) -> R {
        let namespace = self.frame_namespace()?;
        if let Some(v) = self.mapping_get(&namespace, name)? {
            return Ok(v);
        }
        match name.as_ref::<Str>() {
            Some(name) => self.global_or_builtin(&name.clone()),
            None => Err(self.system_error("a name is not a string")),
        }
    }

    #[inline(never)]
    pub(crate) fn store_name(&mut self, name: &Value, value: Value) -> R<()> {
        let namespace = self.frame_namespace()?;
        match namespace.as_exact::<Dict>() {
            Some(d) => d.set_item(self, name, value),
            None => self.set_item(&namespace, name, &value),
        }
    }

    #[inline(never)]
    pub(crate) fn delete_name(&mut self, name: &Value) -> R<()> {
        let namespace = self.frame_namespace()?;
        let gone = match namespace.as_exact::<Dict>() {
            Some(d) => d.remove_item(self, name)?.is_some(),
            None => match self.del_item(&namespace, name) {
                Ok(()) => true,
                Err(raised) => {
                    self.swallow(raised, Exc::KeyError)?;
                    false
                }
            },
        };
        match name.as_ref::<Str>() {
            Some(name) if !gone => Err(self.undefined(&name.clone())),
            _ => Ok(()),
        }
    }

    fn free_cell(&mut self, free: u16) -> R<Ref<Cell>> {
        match self
            .frames
            .last()
            .and_then(|f| f.function.closure.get(free as usize))
        {
            Some(cell) => Ok(cell.clone()),
            None => Err(self.system_error("no such closure cell")),
        }
    }

    #[inline(never)]
    pub(crate) fn load_name_or_free(&mut self, name: &Value, free: u16) -> R {
        let namespace = self.frame_namespace()?;
        self.load_from_or_free(&namespace, name, free)
    }

    #[inline(never)]
    pub(crate) fn load_from_or_free(&mut self, mapping: &Value, name: &Value, free: u16) -> R {
        if let Some(v) = self.mapping_get(mapping, name)? {
            return Ok(v);
        }
        let cell = self.free_cell(free)?;
        let v = cell.contents.get(self).clone();
        if v.is_undef() {
            Err(self.unbound_free(free))
        } else {
            Ok(v)
        }
    }

    #[inline(never)]
    pub(crate) fn load_from_or_global(&mut self, mapping: &Value, name: &Value) -> R {
        if let Some(v) = self.mapping_get(mapping, name)? {
            return Ok(v);
        }
        match name.as_ref::<Str>() {
            Some(name) => self.global_or_builtin(&name.clone()),
            None => Err(self.system_error("a name is not a string")),
        }
    }
}
