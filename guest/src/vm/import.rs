//! Modules: `import`, and where modules come from.
//!
//! A module is native (made by a Rust function) or of the library (compiled at build time, run when first imported). There is no file system behind it: what is not in
//! [`crate::modules`] does not exist.

use super::{R, Vm};
use crate::heap::Ref;
use crate::modules::library;
use crate::names::{self, Names};
use crate::objects::code::{Code, Source};
use crate::objects::dict::Dict;
use crate::objects::exception::{Exc, Exception};
use crate::objects::list::List;
use crate::objects::module::Module;
use crate::objects::string::Str;
use crate::objects::tuple::Tuple;
use crate::value::Value;
use std::rc::Rc;

/// Modules of the library that programs look for and that cannot be here, with what they would need.
const ABSENT: &[(&str, &str)] = &[
    ("socket", "network"),
    ("socketserver", "network"),
    ("ssl", "network"),
    ("select", "network"),
    ("selectors", "network"),
    ("subprocess", "processes"),
    ("multiprocessing", "processes"),
    ("pty", "processes"),
    ("ctypes", "native code to call"),
    ("curses", "terminal"),
    ("termios", "terminal"),
    ("tty", "terminal"),
    ("readline", "terminal"),
    ("tkinter", "display"),
    ("turtle", "display"),
];

/// What is said of a module that is not found.
fn absent(name: &str) -> String {
    let top = name.split('.').next().unwrap_or(name);
    match ABSENT.iter().find(|(module, _)| *module == top) {
        Some((_, what)) => format!("No module named '{name}': the sandbox has no {what}"),
        None => format!("No module named '{name}'"),
    }
}

impl Vm {
    /// The module of a dotted name, imported if need be.
    pub fn import_module(&mut self, name: &str) -> R {
        self.note_import(name);
        let modules = self.modules.clone();
        let key = names::intern(name);
        if let Some(m) = modules.get_str(self, &key) {
            if m.is_none() {
                return Err(self.no_module(
                    name,
                    &format!("import of {name} halted; None in sys.modules"),
                ));
            }
            return Ok(m.clone());
        }
        let parent = match name.rsplit_once('.') {
            Some((parent, _)) => Some(self.import_module(parent)?),
            // It needs `os`, which needs it; in CPython `os` is always there first.
            None if name == "genericpath" => Some(self.import_module("os")?),
            None => None,
        };
        // Importing the parent may have imported it.
        if let Some(m) = modules.get_str(self, &key) {
            return Ok(m.clone());
        }
        if let (Some(p), Some((parent_name, _))) = (&parent, name.rsplit_once('.'))
            && self
                .get_attr_opt(p, &Names::get().__path__.to_value())?
                .is_none()
        {
            return Err(self.no_module(
                name,
                &format!("No module named '{name}'; '{parent_name}' is not a package"),
            ));
        }
        if let Some(m) = self.take_from_shelf(name)? {
            return Ok(m);
        }
        self.note_loading(name);
        let loaded = crate::modules::load(self, name);
        self.note_loaded();
        let module = match loaded? {
            Some(m) => m,
            None => match self.find_elsewhere(name, parent.as_ref())? {
                Some(m) => m,
                None => return Err(self.no_module(name, &absent(name))),
            },
        };
        if let (Some(parent), Some((_, last))) = (parent, name.rsplit_once('.')) {
            let last = names::intern(last).to_value();
            self.set_attr(&parent, &last, Some(&module))?;
            self.note_bound(name);
        }
        if crate::modules::is_native(name) {
            self.describe(name, &module)?;
        }
        // A module may replace itself in `sys.modules`.
        Ok(modules.get_str(self, &key).cloned().unwrap_or(module))
    }

    /// A module that the machine does not know itself: the finders in `sys.meta_path` and the files under `sys.path` are asked, by `importlib`.
    #[cold]
    fn find_elsewhere(&mut self, name: &str, parent: Option<&Value>) -> R<Option<Value>> {
        let n = Names::get();
        let Some(sys) = self.modules.get_str(self, &n.sys).cloned() else {
            return Ok(None);
        };
        // `importlib` is made of modules that the machine does know.
        if name.starts_with("importlib") {
            return Ok(None);
        }
        let path = match parent {
            Some(p) => self.get_attr_opt(p, &n.__path__.to_value())?,
            None => None,
        };
        let finders = self.get_attr_opt(&sys, &names::intern("meta_path").to_value())?;
        let places = match &path {
            Some(path) => Some(path.clone()),
            None => self.get_attr_opt(&sys, &n.path.to_value())?,
        };
        let hooks = self.get_attr_opt(&sys, &names::intern("path_hooks").to_value())?;
        let last = name.rsplit('.').next().unwrap_or(name);
        // Without finders of the program's and without files `importlib` would find nothing either.
        let foreign = self.has_foreign(finders.as_ref())?
            || self.has_foreign(hooks.as_ref())?
            || self.files_in_use().is_some()
                && finders.is_some_and(|list| !self.is_empty_list(&list));
        if !foreign && !self.has_module_file(places.as_ref(), last) {
            return Ok(None);
        }
        self.import_module("importlib")?;
        let library = self.import_module("importlib._library")?;
        let find = self.get_attr(&library, &names::intern("find_elsewhere").to_value())?;
        let found = self.call(&find, &[Str::value(name), path.unwrap_or(Value::NONE)])?;
        let found = self.collect(&found)?;
        match found.as_slice() {
            [_, error] if !error.is_none() => Err(self.raise_value(error.clone())),
            [module, _] if !module.is_none() => Ok(Some(module.clone())),
            _ => Ok(None),
        }
    }

    /// Whether a list of finders or path hooks has one that does not come from `importlib` itself.
    fn has_foreign(&mut self, list: Option<&Value>) -> R<bool> {
        let Some(list) = list else {
            return Ok(false);
        };
        for entry in self.collect(list)? {
            let module = self.get_attr_opt(&entry, &Names::get().__module__.to_value())?;
            let is_own = module
                .as_ref()
                .and_then(|m| m.as_ref::<Str>())
                .is_some_and(|m| {
                    let m = m.to_text();
                    m.starts_with("importlib") || m.starts_with("_frozen_importlib")
                });
            if !is_own {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn is_empty_list(&self, list: &Value) -> bool {
        list.as_ref::<List>()
            .is_some_and(|l| l.items.get(self).is_empty())
    }

    /// Whether a file or directory in one of the places could be the module.
    fn has_module_file(&mut self, places: Option<&Value>, last: &str) -> bool {
        let Some(list) = places.and_then(|v| v.as_ref::<List>()) else {
            // Something else than a list: `importlib` knows what to do with it.
            return places.is_some();
        };
        let places: Vec<String> = list
            .items
            .get(self)
            .iter()
            .filter_map(|v| v.as_ref::<Str>().map(|s| s.to_text().into_owned()))
            .collect();
        let Some(files) = self.files_in_use() else {
            return false;
        };
        places.iter().any(|place| {
            let place = if place.is_empty() { "." } else { place };
            ["", ".py"].iter().any(|end| {
                let path = format!("{place}/{last}{end}");
                files.lookup(None, path.as_bytes(), true).is_ok()
            })
        })
    }

    /// Gives a new module its `__spec__`, when `importlib` is there to make one.
    fn describe(&mut self, name: &str, module: &Value) -> R<()> {
        if name.starts_with("importlib") {
            return Ok(());
        }
        let Some(library) = self.present_or_shelved("importlib._library") else {
            return Ok(());
        };
        if let Some(f) = self.get_attr_opt(&library, &names::intern("describe").to_value())? {
            self.call(&f, &[Str::value(name), module.clone()])?;
        }
        Ok(())
    }

    /// Whether the pending exception says that just this module does not exist.
    pub(crate) fn is_missing(&self, name: &str) -> bool {
        self.error_is(Exc::ModuleNotFoundError)
            && self
                .pending
                .as_ref()
                .and_then(|e| e.as_ref::<Exception>())
                .and_then(|e| e.state.get(self).fields.get(1))
                .and_then(|v| v.as_ref::<Str>())
                .is_some_and(|s| s.to_text() == name)
    }

    #[cold]
    fn no_module(&mut self, name: &str, message: &str) -> super::Raised {
        let msg = Str::value(message);
        let e = Exception::new(
            Exc::ModuleNotFoundError.class(),
            Tuple::value(vec![msg.clone()]),
        );
        e.state.get_mut(self).fields = vec![msg, Str::value(name), Value::NONE, Value::NONE];
        self.raise_value(Value::from_ref(e))
    }

    /// Runs a module of the library.
    pub(crate) fn load_library_module(&mut self, name: &str, entry: &library::Entry) -> R {
        let n = Names::get();
        let is_package = entry.is_package;
        let module = Module::new(self, name, Value::NONE);
        let package = if is_package {
            name
        } else {
            name.rsplit_once('.').map_or("", |(p, _)| p)
        };
        let path = name.replace('.', "/");
        let file = if is_package {
            format!("/lib/python3.14/{path}/__init__.py")
        } else {
            format!("/lib/python3.14/{path}.py")
        };
        module
            .dict
            .set_str(self, &n.__package__, Str::value(package));
        module.dict.set_str(self, &n.__file__, Str::value(&file));
        if is_package {
            module.dict.set_str(
                self,
                &n.__path__,
                List::value(vec![Str::value(&format!("/lib/python3.14/{path}"))]),
            );
        }
        let builtins = self
            .modules
            .get_str(self, &n.builtins)
            .cloned()
            .unwrap_or(Value::NONE);
        module.dict.set_str(self, &n.__builtins__, builtins);
        let value = Value::from_ref(module.clone());
        let key = names::intern(name);
        let modules = self.modules.clone();
        modules.set_str(self, &key, value.clone());
        let result = (|| -> R<()> {
            self.describe(name, &value)?;
            let code = match entry.compiled() {
                Some((compiled, text)) => {
                    let source = Source::packed(names::intern(&file), text);
                    Code::link(self, &compiled, &Rc::new(source))?
                }
                None => self.compile_library(&entry.source(), &file)?,
            };
            self.policy.loading += 1;
            let done = self.run_code(&code, &module.dict, None);
            self.policy.loading -= 1;
            done.map(drop)
        })();
        if let Err(raised) = result {
            modules.remove_str(self, &key);
            return Err(raised);
        }
        Ok(value)
    }

    /// `__import__(name, globals, locals, fromlist, level)`
    pub fn import_builtin(
        &mut self,
        name: &Value,
        globals: &Value,
        fromlist: &Value,
        level: i64,
    ) -> R {
        let Some(text) = name.as_ref::<Str>() else {
            return Err(self.type_error(format!(
                "module name must be a string, not {}",
                self.class_name(name)
            )));
        };
        let text = text.to_text().into_owned();
        if level < 0 {
            return Err(self.value_error("level must be >= 0"));
        }
        if text.is_empty() && level == 0 {
            return Err(self.value_error("Empty module name"));
        }
        let absolute = if level > 0 {
            self.resolve_relative(&text, globals, level)?
        } else {
            text.clone()
        };
        let from = !fromlist.is_none() && self.truthy(fromlist)?;
        self.check_import(&absolute, from)?;
        let module = match self.import_module(&absolute) {
            Ok(module) => self.imported(module)?,
            Err(raised) => return Err(self.explain_import(raised, &absolute, from)),
        };
        if from {
            if self
                .get_attr_opt(&module, &Names::get().__path__.to_value())?
                .is_some()
            {
                self.import_submodules(&module, &absolute, fromlist)?;
            }
            return Ok(module);
        }
        if level == 0 || text.is_empty() {
            let first = absolute.split('.').next().unwrap_or_default().to_owned();
            return if level == 0 {
                let first = self.import_module(&first)?;
                self.imported(first)
            } else {
                Ok(module)
            };
        }
        let first = text.split('.').next().unwrap_or_default();
        let cut = absolute.len() - (text.len() - first.len());
        let outer = self.import_module(&absolute[..cut])?;
        self.imported(outer)
    }

    /// The submodules that a `from package import ...` names.
    fn import_submodules(&mut self, module: &Value, name: &str, fromlist: &Value) -> R<()> {
        for item in self.collect(fromlist)? {
            let Some(s) = item.as_ref::<Str>().cloned() else {
                return Err(self.type_error(format!(
                    "Item in ``from list'' must be str, not {}",
                    self.class_name(&item)
                )));
            };
            if s.as_bytes() == b"*" {
                if let Some(all) = self.get_attr_opt(module, &Names::get().__all__.to_value())? {
                    self.import_submodules(module, name, &all)?;
                }
                continue;
            }
            if self.get_attr_opt(module, &item)?.is_none() {
                let full = format!("{name}.{}", s.to_text());
                self.check_import(&full, true)?;
                if let Err(raised) = self.import_module(&full) {
                    // That there is no such module is for `import_from` to say.
                    if !self.is_missing(&full) {
                        return Err(raised);
                    }
                    self.swallow(raised, Exc::ModuleNotFoundError)?;
                }
            }
        }
        Ok(())
    }

    fn resolve_relative(&mut self, name: &str, globals: &Value, level: i64) -> R<String> {
        let n = Names::get();
        let dict = globals.as_ref::<Dict>().cloned();
        let text = |vm: &Vm, key: &Ref<Str>| {
            dict.as_ref()
                .and_then(|d| d.get_str(vm, key))
                .and_then(|v| v.as_ref::<Str>())
                .map(|s| s.to_text().into_owned())
        };
        let mut package = match text(self, &n.__package__) {
            Some(p) => p,
            None => {
                let name = text(self, &n.__name__).unwrap_or_default();
                let is_package = dict
                    .as_ref()
                    .is_some_and(|d| d.get_str(self, &n.__path__).is_some());
                if is_package {
                    name
                } else {
                    name.rsplit_once('.')
                        .map_or(String::new(), |(p, _)| p.to_owned())
                }
            }
        };
        if package.is_empty() {
            return Err(self.raise(
                Exc::ImportError,
                "attempted relative import with no known parent package",
            ));
        }
        for _ in 1..level {
            package = match package.rsplit_once('.') {
                Some((p, _)) => p.to_owned(),
                None => {
                    return Err(self.raise(
                        Exc::ImportError,
                        "attempted relative import beyond top-level package",
                    ));
                }
            };
        }
        Ok(if name.is_empty() {
            package
        } else {
            format!("{package}.{name}")
        })
    }

    /// `from module import name`
    #[inline(never)]
    pub(crate) fn import_from(&mut self, module: &Value, name: &Value) -> R {
        self.check_value(module)?;
        if let Some(v) = self.get_attr_opt(module, name)? {
            self.check_imported_from(&v)?;
            return Ok(v);
        }
        let n = Names::get();
        let name_text = name
            .as_ref::<Str>()
            .map(|s| s.to_text().into_owned())
            .unwrap_or_default();
        let module_name = self
            .get_attr_opt(module, &n.__name__.to_value())?
            .and_then(|v| v.as_ref::<Str>().map(|s| s.to_text().into_owned()));
        if let Some(m) = &module_name {
            let key = names::intern(&format!("{m}.{name_text}"));
            if let Some(v) = self.modules.get_str(self, &key).cloned() {
                self.check_imported_from(&v)?;
                return Ok(v);
            }
        }
        let shown = module_name
            .clone()
            .unwrap_or_else(|| "<unknown module name>".to_owned());
        let file = self
            .get_attr_opt(module, &n.__file__.to_value())?
            .and_then(|v| v.as_ref::<Str>().map(|s| s.to_text().into_owned()));
        let place = file.unwrap_or_else(|| "unknown location".to_owned());
        let msg = Str::value(&if self.loading_from(module).is_some() {
            format!(
                "cannot import name '{name_text}' from partially initialized module '{shown}' (most likely due to a circular import) ({place})"
            )
        } else {
            format!("cannot import name '{name_text}' from '{shown}' ({place})")
        });
        let e = Exception::new(Exc::ImportError.class(), Tuple::value(vec![msg.clone()]));
        e.state.get_mut(self).fields =
            vec![msg, Str::value(&shown), Str::value(&place), name.clone()];
        Err(self.raise_value(Value::from_ref(e)))
    }

    /// `from module import *`
    #[inline(never)]
    pub(crate) fn import_star(&mut self, module: &Value) -> R<()> {
        self.check_value(module)?;
        let n = Names::get();
        let namespace = self.frame_namespace()?;
        let (items, all) = match self.get_attr_opt(module, &n.__all__.to_value())? {
            Some(all) => (self.collect(&all)?, true),
            None => {
                let dict = self.get_attr(module, &n.__dict__.to_value())?;
                (self.collect(&dict)?, false)
            }
        };
        for name in items {
            let Some(s) = name.as_ref::<Str>() else {
                return Err(self.type_error(format!(
                    "Item in __all__ must be str, not {}",
                    self.class_name(&name)
                )));
            };
            if !all && s.as_bytes().first() == Some(&b'_') {
                continue;
            }
            let v = self.get_attr(module, &name)?;
            self.set_item(&namespace, &name, &v)?;
        }
        Ok(())
    }
}
