//! Where running code meets the policy: imports, modules as objects, attributes by name.
//!
//! Who asks is told by the frame on top of the stack. Instructions of the library may do anything: which attributes they name is the library's choice. When
//! a native function looks at an object for code of the library (`getattr` called by `functools`), the name may be the program's choice; that is allowed
//! for a module that the library module has imported itself, and never for modules whose purpose is to look into others.

use super::super::{R, Raised, Vm};
use super::Origin;
use super::imports::is_shipped;
use crate::heap::Ref;
use crate::names::{self, Names};
use crate::objects::code::Code;
use crate::objects::dict::Dict;
use crate::objects::exception::{Exc, Exception};
use crate::objects::function::Function;
use crate::objects::module::Module;
use crate::objects::native::Native;
use crate::objects::string::Str;
use crate::objects::types::Type;
use crate::value::Value;
use coldframe_compiler::op::Op;
use std::rc::Rc;

/// Where the library's code objects say they come from.
const ROOT: &str = "/lib/python3.14/";

/// Library modules that make source text of what a class of the program says.
const GENERATORS: &[&str] = &["dataclasses.py", "collections/__init__.py", "functools.py"];

/// Library modules that look into any object for the program, by names that the program gives.
const CURIOUS: &[&str] = &[
    "bdb.py",
    "code.py",
    "doctest.py",
    "inspect.py",
    "pdb.py",
    "pickle.py",
    "_pickle.py",
    "pkgutil.py",
    "pydoc.py",
    "runpy.py",
    "string/__init__.py",
    "string.py",
    "unittest/mock.py",
];

/// Modules that unpickling and decoding look up by name whatever the program may import.
const NEEDED: &[&str] = &["builtins", "copyreg", "encodings", "__main__"];

/// Whether the name is `__like_this__`.
fn is_dunder(name: &[u8]) -> bool {
    name.len() > 4 && name.starts_with(b"__") && name.ends_with(b"__")
}

/// The packages that a module is in, and itself.
fn prefixes(name: &str) -> impl Iterator<Item = &str> {
    name.match_indices('.')
        .map(|(at, _)| &name[..at])
        .chain([name])
}

/// The file of code of the library, below its root.
fn library_file(code: &Code) -> String {
    let file = code.source.file.to_text();
    file.strip_prefix(ROOT).unwrap_or(&file).to_owned()
}

impl Vm {
    /// Whose code runs; the host's own requests count as the library's.
    pub(crate) fn asker(&self) -> Origin {
        self.frames
            .last()
            .map_or(Origin::Library, |frame| frame.code.source.origin)
    }

    /// Whose code a text is that is compiled now.
    pub(crate) fn origin_of_text(&self) -> Origin {
        match self.frames.last() {
            Some(frame)
                if frame.code.source.origin == Origin::Library
                    && GENERATORS.contains(&library_file(&frame.code).as_str()) =>
            {
                Origin::Generated
            }
            _ => Origin::Program,
        }
    }

    // ---- modules as objects

    /// The name of the module, if the policy refuses it.
    fn refused_name(&self, v: &Value) -> Option<String> {
        let module = v.as_ref::<Module>()?;
        let name = module.shipped.as_deref()?;
        let refused = if name == "builtins" {
            // Allowed or not: code has them all the same, unless there are to be fewer.
            self.policy.builtins.is_some()
        } else {
            !self.policy.allows(name)
        };
        refused.then(|| name.to_owned())
    }

    /// Whether the dictionary is the namespace of a refused module.
    fn is_refused_namespace(&self, dict: &Ref<Dict>) -> Option<String> {
        if self.policy.builtins.is_some() && dict.same(&self.builtins) {
            return Some("builtins".to_owned());
        }
        let is_its = |v: &Value| v.as_ref::<Module>().is_some_and(|m| m.dict.same(dict));
        if is_its(&self.main.to_value()) {
            return None;
        }
        let known = self.modules.map.get(self).iter().find(|e| is_its(&e.value));
        if let Some(e) = known {
            return self.refused_name(&e.value);
        }
        // Not every module of the library is in `sys.modules` (the machinery of imports is not), and a program may take one out.
        let name = dict.get_str(self, &Names::get().__name__)?;
        let name = name.as_ref::<Str>()?.to_text().into_owned();
        let refused = name != "builtins" && is_shipped(&name) && !self.policy.allows(&name);
        refused.then_some(name)
    }

    /// Whether the object belongs to a refused module: is one, its namespace, or a function or class of it. What lists objects of all kinds leaves these out.
    pub(crate) fn is_hidden(&self, v: &Value) -> bool {
        if !self.policy.narrow {
            return false;
        }
        if v.is::<Module>() {
            return self.refused_name(v).is_some();
        }
        if let Some(dict) = v.as_exact::<Dict>() {
            return self.is_refused_namespace(dict).is_some();
        }
        if let Some(f) = v.as_ref::<Function>() {
            return self.is_refused_namespace(&f.globals).is_some();
        }
        let refused =
            |name: &str| name != "builtins" && is_shipped(name) && !self.policy.allows(name);
        if let Some(f) = v.as_ref::<Native>() {
            let name = f.def.name;
            return match f.module.as_ref::<Str>() {
                // What the program's own builtins do not have, or have as something else.
                Some(m) if m.as_bytes() == b"builtins" => {
                    f.bound.is_undef()
                        && self.policy.builtins.as_ref().is_some_and(|own| {
                            let name = names::intern(name);
                            let known = own.dict.get_str(self, &name);
                            self.builtins
                                .get_str(self, &name)
                                .is_some_and(|b| b.is_same(v))
                                && !known.is_some_and(|k| k.is_same(v))
                        })
                }
                Some(m) => refused(&m.to_text()),
                None => false,
            };
        }
        if let Some(class) = v.as_ref::<Type>() {
            let module = class.dict.get_str(self, &Names::get().__module__);
            return module
                .and_then(|m| m.as_ref::<Str>())
                .is_some_and(|m| refused(&m.to_text()));
        }
        false
    }

    #[cold]
    fn refuse_module(&mut self, name: &str) -> Raised {
        // The name that programs know it by.
        let name = match name {
            "posix" => "os".to_owned(),
            _ => name.to_owned(),
        };
        self.refuse(
            Exc::ImportError,
            format!("Forbidden access to module: {name}"),
        )
    }

    /// A value that the program's code gets is not a refused module.
    #[inline]
    pub(crate) fn check_value(&mut self, v: &Value) -> R<()> {
        if self.policy.narrow && v.is::<Module>() {
            return self.check_module(v);
        }
        Ok(())
    }

    #[cold]
    fn check_module(&mut self, v: &Value) -> R<()> {
        if self.asker() == Origin::Library {
            return Ok(());
        }
        match self.refused_name(v) {
            Some(name) => Err(self.refuse_module(&name)),
            None => Ok(()),
        }
    }

    /// A namespace that the program's code gets (`function.__globals__`, `frame.f_globals`) is not that of a refused module. The library may have it when its
    /// own instruction says so, but not when it calls something that asks: the program may have chosen what.
    pub(crate) fn check_namespace(&mut self, dict: &Ref<Dict>) -> R<()> {
        if !self.policy.narrow
            || self.asker() == Origin::Library && !self.asker_is_curious() && self.asker_says_so()
        {
            return Ok(());
        }
        match self.is_refused_namespace(dict) {
            Some(name) => Err(self.refuse_module(&name)),
            None => Ok(()),
        }
    }

    /// Whether the running instruction loads an attribute itself.
    fn asker_says_so(&self) -> bool {
        self.frames.last().is_none_or(|frame| {
            frame
                .code
                .proto
                .instrs
                .get(frame.instr())
                .is_some_and(|instr| matches!(instr.op, Op::LoadAttr | Op::LoadMethod))
        })
    }

    /// The program's code does not run in the namespace of a refused module.
    pub(crate) fn check_place(&mut self, code: &Ref<Code>, globals: &Ref<Dict>) -> R<()> {
        if !self.policy.narrow || code.source.origin != Origin::Program {
            return Ok(());
        }
        match self.is_refused_namespace(globals) {
            Some(name) => Err(self.refuse_module(&name)),
            None => Ok(()),
        }
    }

    fn asker_is_curious(&self) -> bool {
        self.frames
            .last()
            .is_some_and(|frame| CURIOUS.contains(&library_file(&frame.code).as_str()))
    }

    // ---- attributes

    /// An instruction of the running code reads or changes the attribute `v.name`.
    #[inline]
    pub(crate) fn check_access(&mut self, v: &Value, name: &Str) -> R<()> {
        if self.policy.narrow {
            self.check_access_slowly(v, name)
        } else {
            Ok(())
        }
    }

    #[cold]
    #[inline(never)]
    fn check_access_slowly(&mut self, v: &Value, name: &Str) -> R<()> {
        let asker = self.asker();
        if asker == Origin::Library {
            return Ok(());
        }
        if asker == Origin::Program {
            self.check_dunder(name)?;
        }
        self.check_value(v)
    }

    /// A native function reads or changes an attribute for the running code, by a name that may come from anywhere; none means the namespace.
    #[inline]
    pub(crate) fn check_reflection(&mut self, v: &Value, name: Option<&Str>) -> R<()> {
        if self.policy.narrow {
            self.check_reflection_slowly(v, name)
        } else {
            Ok(())
        }
    }

    #[cold]
    #[inline(never)]
    fn check_reflection_slowly(&mut self, v: &Value, name: Option<&Str>) -> R<()> {
        let asker = self.asker();
        if let Some(name) = name
            && (asker == Origin::Program
                || asker == Origin::Library
                    && self
                        .frames
                        .last()
                        .is_some_and(|f| library_file(&f.code).starts_with("string")))
        {
            self.check_dunder(name)?;
        }
        if !self.policy.narrow || !v.is::<Module>() {
            return Ok(());
        }
        if asker != Origin::Library {
            return self.check_module(v);
        }
        let Some(frame) = self.frames.last() else {
            return Ok(());
        };
        let file = library_file(&frame.code);
        if file.starts_with("importlib/") || self.policy.loading > 0 {
            return Ok(());
        }
        let globals = frame.function.globals.clone();
        if let Some(own) = &self.policy.builtins
            && v.as_ref::<Module>()
                .is_some_and(|m| m.dict.same(&self.builtins))
            && let Some(name) = name
            && let Some(known) = own.dict.get_str(self, name)
            && self
                .builtins
                .get_str(self, name)
                .is_some_and(|b| b.is_same(known))
        {
            // What the program has anyway.
            return Ok(());
        }
        let own = !CURIOUS.contains(&file.as_str())
            && globals.map.get(self).iter().any(|e| e.value.is_same(v));
        match self.refused_name(v) {
            Some(name) if !own => Err(self.refuse_module(&name)),
            _ => Ok(()),
        }
    }

    /// The same for a name that may not be a string.
    pub(crate) fn check_reflection_by(&mut self, v: &Value, name: &Value) -> R<()> {
        if !self.policy.narrow {
            return Ok(());
        }
        let text = name.as_ref::<Str>().cloned();
        self.check_reflection(v, text.as_deref())
    }

    /// A name of an attribute that the program's code may use.
    pub(crate) fn check_dunder(&mut self, name: &Str) -> R<()> {
        let Some(exceptions) = &self.policy.dunders else {
            return Ok(());
        };
        let bytes = name.as_bytes();
        if !is_dunder(bytes) || exceptions.iter().any(|e| e.as_bytes() == bytes) {
            return Ok(());
        }
        let text = format!("Forbidden access to dunder attribute: {}", name.to_text());
        Err(self.refuse(Exc::AttributeError, text))
    }

    // ---- code

    /// Code that the program puts together from what it found (`function.__code__`, `code.replace`) is the program's, also when it is the library's.
    pub(crate) fn own_code(&mut self, code: &Ref<Code>) -> Ref<Code> {
        let theirs = code.source.origin == Origin::Library && self.asker() != Origin::Library;
        if !self.policy.narrow || !theirs {
            return code.clone();
        }
        let source = Rc::new(code.source.owned_by(Origin::Program));
        code.with_source(source)
    }

    // ---- imports

    /// Whether the running code may import the module. What does not exist in the library is not judged: it is the program's own, or nobody's.
    pub(crate) fn check_import(&mut self, name: &str, from: bool) -> R<()> {
        let by_library = std::mem::take(&mut self.policy.by_library);
        if !self.policy.narrow {
            return Ok(());
        }
        if self.asker() == Origin::Library {
            let top = name.split('.').next().unwrap_or(name);
            if by_library || self.policy.loading > 0 || NEEDED.contains(&top) {
                return Ok(());
            }
        }
        // A directive to the compiler.
        if name == "__future__" || self.policy.allows(name) || !is_shipped(name) {
            return Ok(());
        }
        Err(self.refuse_import(Exc::ImportError, name, from))
    }

    /// After an import has failed: a module that exists nowhere, and that the policy would not allow, is refused in the policy's words.
    pub(crate) fn explain_import(&mut self, raised: Raised, name: &str, from: bool) -> Raised {
        if !self.policy.narrow
            || self.asker() == Origin::Library
            || self.policy.allows(name)
            || is_shipped(name)
            || !prefixes(name).any(|part| self.is_missing(part))
        {
            return raised;
        }
        drop(self.take_error());
        self.refuse_import(Exc::ModuleNotFoundError, name, from)
    }

    fn refuse_import(&mut self, class: Exc, name: &str, from: bool) -> Raised {
        let how = if from { "Import from" } else { "Import of" };
        let text = format!(
            "{how} {name} is not allowed. Authorized imports are: {}",
            self.policy.authorized()
        );
        let message = Str::value(&text);
        let e = Exception::new(
            class.class(),
            crate::objects::tuple::Tuple::value(vec![message.clone()]),
        );
        e.state.get_mut(self).fields = vec![message, Str::value(name), Value::NONE, Value::NONE];
        let raised = self.raise_value(Value::from_ref(e));
        self.note_refusal();
        raised
    }

    /// A module that `from ... import` found as an attribute may be imported.
    pub(crate) fn check_imported_from(&mut self, v: &Value) -> R<()> {
        if !self.policy.narrow || !v.is::<Module>() || self.asker() == Origin::Library {
            return Ok(());
        }
        match self.refused_name(v) {
            Some(name) => Err(self.refuse_import(Exc::ImportError, &name, true)),
            None => Ok(()),
        }
    }

    /// What an import gives the running code: its own `builtins`, and no refused module that stands under another name in `sys.modules`.
    pub(crate) fn imported(&mut self, module: Value) -> R {
        if !self.policy.narrow || self.asker() == Origin::Library {
            return Ok(module);
        }
        if let Some(fewer) = &self.policy.builtins
            && module
                .as_ref::<Module>()
                .is_some_and(|m| m.dict.same(&self.builtins))
        {
            return Ok(fewer.to_value());
        }
        self.check_value(&module)?;
        Ok(module)
    }

    /// `__import__` for an `import` statement of the program, when the name is among the removed builtins.
    pub(crate) fn hidden_import(&mut self) -> Option<Value> {
        if self.policy.builtins.is_none() || !self.is_removed_builtin("__import__") {
            return None;
        }
        self.builtins
            .get_str(self, &names::intern("__import__"))
            .cloned()
    }
}
