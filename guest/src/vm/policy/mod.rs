//! The session's policy: what the program's own code may import, name and look into, and how long its loops may be.
//!
//! The sandbox is the wall; the policy is a second line, for those who want a program to see less than the sandbox has. It knows code by its
//! [`Origin`]: code of the library does what it likes, everything else is held to the rules. A module that is refused cannot be imported, and where a
//! reference to one turns up (`random._os`, `sys.modules["os"]`, the globals of a function) it is inert: none of its attributes can be reached.
//!
//! [`imports`] says which names are allowed, [`access`] where code meets the rules. A session without a policy pays nothing: the checks are where the
//! inline caches miss.

pub mod access;
pub mod agent;
pub mod imports;

use super::Vm;
use crate::heap::Ref;
use crate::modules::time::zone::Zone;
use crate::names::{self, Names};
use crate::objects::code::Code;
use crate::objects::dict::Dict;
use crate::objects::exception::Exc;
use crate::objects::module::Module;
use crate::objects::native::Native;
use crate::value::Value;
use imports::Names as Allowed;

/// Whose code it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    /// The library that the sandbox ships.
    Library,
    /// Text that the library has made for a class of the program (`dataclasses`, `collections.namedtuple`).
    Generated,
    /// The program, and all text that it compiles or loads.
    Program,
}

/// What the host asks for; the default asks for nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    /// The only modules that may be imported; all if not given.
    pub allowed_imports: Option<Vec<String>>,
    /// Modules that may not be imported even so.
    pub denied_imports: Vec<String>,
    /// Builtins that the program does not see.
    pub removed_builtins: Vec<String>,
    /// When given, attributes named `__like_this__` are out of reach but for these.
    pub dunders: Option<Vec<String>>,
    /// How many times one execution of a `while` statement may go round.
    pub while_iterations: Option<u64>,
    /// Name of the local time zone, or a POSIX `TZ` text; UTC if not given.
    pub time_zone: Option<String>,
    /// When given, failures are also told as smolagents tells them.
    pub agent_texts: Option<agent::AgentTexts>,
}

/// The rules as the machine follows them.
#[derive(Default)]
pub struct Policy {
    allowed: Option<Allowed>,
    denied: Allowed,
    removed: Vec<String>,
    dunders: Option<Vec<String>>,
    /// See [`Rules::while_iterations`].
    pub(crate) while_iterations: Option<u64>,
    agent_texts: Option<agent::AgentTexts>,
    /// The code of the program's own level, and the instruction that was running when it was stopped.
    stopped_at: Option<(Ref<Code>, usize)>,
    /// Whether imports, modules as values and attributes have to be looked at.
    narrow: bool,
    /// What the program's code has for builtins, if not those of the library.
    builtins: Option<Ref<Module>>,
    /// The import that is about to be made stands in code of the library.
    pub(crate) by_library: bool,
    /// How many modules of the library are being imported.
    pub(crate) loading: usize,
    /// The exception that the last refusal raised.
    refusal: Option<Value>,
}

impl Policy {
    /// Whether modules and attributes are watched at all.
    #[inline(always)]
    pub(crate) fn watches(&self) -> bool {
        self.narrow
    }

    /// The namespace of the program's own builtins, if it has any.
    pub(crate) fn own_builtins(&self) -> Option<Ref<Dict>> {
        self.builtins.as_ref().map(|module| module.dict.clone())
    }

    /// Whether the policy allows the module, be it there or not.
    fn allows(&self, name: &str) -> bool {
        let name = imports::public_name(name);
        self.allowed.as_ref().is_none_or(|list| list.allow(&name)) && !self.denied.deny(&name)
    }

    /// The end of the sentence that refuses an import.
    fn authorized(&self) -> String {
        match (&self.allowed, self.denied.is_empty()) {
            (Some(list), true) => list.to_string(),
            (Some(list), false) => format!("{list} without {}", self.denied),
            (None, _) => format!("['*'] without {}", self.denied),
        }
    }
}

impl Vm {
    /// Sets the session's policy, before its first program.
    pub fn configure(&mut self, rules: Rules) -> Result<(), String> {
        let allowed = rules
            .allowed_imports
            .map(|list| Allowed::parse(&list))
            .transpose()?;
        let denied = Allowed::parse(&rules.denied_imports)?;
        for name in rules
            .removed_builtins
            .iter()
            .chain(rules.dunders.iter().flatten())
        {
            if !imports::is_identifier(name) {
                return Err(format!("{name:?} is not a name"));
            }
        }
        let zone = match &rules.time_zone {
            None => None,
            Some(text) => Some(Zone::find(text).ok_or_else(|| {
                format!("{text:?} is neither the name of a time zone nor a POSIX TZ text")
            })?),
        };
        let narrow = allowed.as_ref().is_some_and(|list| !list.has_all())
            || !denied.is_empty()
            || !rules.removed_builtins.is_empty()
            || rules.dunders.is_some();
        let other = !rules.removed_builtins.is_empty() || rules.dunders.is_some();
        let builtins = other.then(|| {
            let guarded = rules.dunders.is_some();
            self.other_builtins(&rules.removed_builtins, guarded)
        });
        if let Some(module) = &builtins {
            let main = self.main.dict.clone();
            main.set_str(self, &Names::get().__builtins__, module.to_value());
        }
        if let Some(zone) = zone {
            crate::modules::time::set_zone(self, zone);
        }
        self.policy = Policy {
            allowed,
            denied,
            removed: rules.removed_builtins,
            dunders: rules.dunders,
            while_iterations: rules.while_iterations,
            agent_texts: rules.agent_texts,
            narrow,
            builtins,
            ..Policy::default()
        };
        Ok(())
    }

    /// A module `builtins` without some names, and with functions that look at names of attributes.
    fn other_builtins(&mut self, removed: &[String], guarded: bool) -> Ref<Module> {
        let module = Module::of_program(self, "builtins");
        let all: Vec<(Value, Value)> = self
            .builtins
            .map
            .get(self)
            .iter()
            .map(|e| (e.key.clone(), e.value.clone()))
            .collect();
        for (name, value) in all {
            let Some(name) = name.as_ref::<crate::objects::string::Str>() else {
                continue;
            };
            if !removed.iter().any(|r| r.as_bytes() == name.as_bytes()) {
                let name = names::intern_ref(name);
                module.dict.set_str(self, &name, value);
            }
        }
        if guarded {
            let home = Value::from_ref(names::intern("builtins"));
            for def in crate::builtins::guarded::FUNCTIONS {
                if !removed.iter().any(|r| r == def.name) {
                    let function = Native::function(def, home.clone());
                    module
                        .dict
                        .set_str(self, &names::intern(def.name), function);
                }
            }
        }
        module
    }

    /// The builtins for code that runs with globals which name `given`; `None` leaves it at that.
    pub(crate) fn builtins_instead(
        &mut self,
        origin: Origin,
        given: Option<&Value>,
    ) -> Option<Value> {
        let own = self.policy.builtins.as_ref()?;
        if origin == Origin::Library {
            return None;
        }
        let replaced = match given {
            None => true,
            Some(v) => match v.as_ref::<Module>() {
                Some(m) => m.dict.same(&self.builtins),
                None => v.as_ref::<Dict>().is_some_and(|d| d.same(&self.builtins)),
            },
        };
        replaced.then(|| own.to_value())
    }

    /// Whether the name is a builtin that the program does not see.
    pub(crate) fn is_removed_builtin(&self, name: &str) -> bool {
        self.policy.removed.iter().any(|r| r == name)
    }

    /// Raises what a refusal raises, and remembers it.
    #[cold]
    pub(crate) fn refuse(&mut self, class: Exc, text: String) -> super::Raised {
        let raised = self.raise(class, text);
        self.note_refusal();
        raised
    }

    /// The pending exception is a refusal.
    fn note_refusal(&mut self) {
        self.policy.refusal = self.pending.clone();
    }

    /// Whether this exception was raised by the policy.
    pub(crate) fn is_refusal(&self, exception: &Value) -> bool {
        self.policy
            .refusal
            .as_ref()
            .is_some_and(|r| r.is_same(exception))
    }

    /// Nothing has been refused and nothing stopped yet.
    pub(crate) fn forget_refusal(&mut self) {
        drop(self.policy.refusal.take());
        drop(self.policy.stopped_at.take());
    }
}
