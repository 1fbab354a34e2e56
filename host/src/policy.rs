//! The policy of a session: its limits, what its programs may import, name and look into, and what time and chance are to them.
//!
//! [`presets`] has the sets that are ready to use, [`world`] the clocks and the entropy that a policy chooses.

mod presets;
pub(crate) mod world;

use std::time::{Duration, SystemTime};

use crate::error::Error;
use crate::imports::bindings;
use crate::limits::Limits;
use crate::output::Cut;

/// What a session's programs may do and use.
///
/// The sandbox is the wall: no program gets out of it, whatever the policy. The policy says how much of Python there is inside, and makes runs repeatable.
/// A policy is made from another by the methods named `with_...`; [`Limits`] alone are a policy, too.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
/// use coldframe::{Engine, ErrorKind, Policy};
///
/// let policy = Policy::default().with_imports(["math", "json"]).with_removed_builtins(["open"]);
/// let engine = Engine::new()?;
/// let mut session = engine.session(&policy).await?;
/// let outcome = session.run("import math; math.sqrt(2)").await?;
/// # assert_eq!(outcome.value.map(|v| v.repr).as_deref(), Some("1.4142135623730951"));
/// let error = session.run("import os").await?.error.unwrap();
/// assert_eq!(error.kind, ErrorKind::Refused);
/// assert_eq!(error.message, "Import of os is not allowed. Authorized imports are: ['json', 'math']");
/// # Ok::<(), coldframe::Error>(())
/// # }).unwrap();
/// ```
///
/// # Imports
///
/// The rules are those of smolagents' authorized imports: a name stands for itself, not for the modules below it; `numpy.*` stands for `numpy` and all
/// below; `*` for everything; and a name stands for the packages that it is in, too, since importing `os.path` imports `os`. What is denied goes with all
/// that is below. Modules that only implement another one (`_random`, `posix`) follow it.
///
/// The rules hold for the program and for all code that it compiles or loads from its files, not for what modules of the library import themselves.
/// Where a module that is refused turns up as a value (`random._os`, `sys.modules["os"]`), it is inert: reaching for its attributes is an error. What an
/// allowed module itself offers, a class or function from elsewhere included, may be used. Modules in the session's own files are the program's own.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Policy {
    limits: Limits,
    allowed_imports: Option<Vec<String>>,
    denied_imports: Vec<String>,
    removed_builtins: Vec<String>,
    dunders: Option<Vec<String>>,
    while_iterations: Option<u64>,
    pub(crate) clock: Option<SystemTime>,
    pub(crate) seed: Option<u64>,
    time_zone: Option<String>,
    cut: Option<Cut>,
    agent_texts: bool,
}

fn strings<S: Into<String>>(names: impl IntoIterator<Item = S>) -> Vec<String> {
    names.into_iter().map(Into::into).collect()
}

/// Whether the clocks of a sandbox can show a moment; if not, why.
pub(crate) fn check_clock(at: SystemTime) -> Result<(), String> {
    match at.duration_since(SystemTime::UNIX_EPOCH) {
        Err(_) => Err("a clock before 1970, where the clocks of a sandbox begin".to_owned()),
        Ok(since) if since > Policy::LAST_CLOCK => {
            Err("a clock after 2554-07-21T23:34:33Z, where the clocks of a sandbox end".to_owned())
        }
        Ok(_) => Ok(()),
    }
}

/// Whether Python would take it for a name.
fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c == '_' || c.is_alphabetic())
        && name.chars().all(|c| c == '_' || c.is_alphanumeric())
}

/// Whether it is a dotted name, with a star at the end perhaps.
fn is_module_name(name: &str) -> bool {
    let package = name.strip_suffix(".*").unwrap_or(name);
    name == "*" || package.split('.').all(is_name)
}

impl Policy {
    /// The last moment that the clocks of a sandbox can show, from the Unix epoch: they count nanoseconds in 64 bits.
    pub const LAST_CLOCK: Duration = Duration::from_nanos(u64::MAX);

    /// Sets the limits.
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// The limits.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Allows these modules and no others; every module that the sandbox has if not set.
    pub fn with_imports<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        self.allowed_imports = Some(strings(names));
        self
    }

    /// The modules that are allowed; `None` if all are.
    pub fn imports(&self) -> Option<&[String]> {
        self.allowed_imports.as_deref()
    }

    /// Adds to the modules that are allowed, if not all are.
    pub fn with_more_imports<S: Into<String>>(
        mut self,
        names: impl IntoIterator<Item = S>,
    ) -> Self {
        if let Some(list) = &mut self.allowed_imports {
            list.extend(strings(names));
        }
        self
    }

    /// Denies these modules, whatever else is allowed.
    pub fn with_denied_imports<S: Into<String>>(
        mut self,
        names: impl IntoIterator<Item = S>,
    ) -> Self {
        self.denied_imports = strings(names);
        self
    }

    /// Takes these names away from the program's builtins; the library keeps them. Without `__import__` the `import` statement still works.
    pub fn with_removed_builtins<S: Into<String>>(
        mut self,
        names: impl IntoIterator<Item = S>,
    ) -> Self {
        self.removed_builtins = strings(names);
        self
    }

    /// Puts attributes named `__like_this__` out of the program's reach, but for these: in its source, in `getattr()` and its like, in format strings and in
    /// patterns. Classes may define such methods, and Python calls them.
    pub fn with_dunders_refused_but<S: Into<String>>(
        mut self,
        names: impl IntoIterator<Item = S>,
    ) -> Self {
        self.dunders = Some(strings(names));
        self
    }

    /// The same with the exceptions of smolagents: `__init__`, `__str__` and `__repr__`.
    pub fn with_dunders_refused(self) -> Self {
        self.with_dunders_refused_but(["__init__", "__str__", "__repr__"])
    }

    /// Limits how many times one execution of a `while` statement may go round. More is an error of kind
    /// [`Iterations`](crate::ErrorKind::Iterations), which the program cannot catch.
    pub fn with_while_iterations(mut self, most: u64) -> Self {
        self.while_iterations = Some(most);
        self
    }

    /// Stops the clocks at a moment. `time.sleep` moves them on, without waiting; nothing else does.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
    /// use std::time::{Duration, SystemTime};
    ///
    /// let noon = SystemTime::UNIX_EPOCH + Duration::from_secs(1_784_116_800);
    /// let policy = coldframe::Policy::default().with_clock(noon).with_seed(7).with_time_zone("Europe/Berlin");
    /// let mut session = coldframe::Engine::new()?.session(&policy).await?;
    /// let outcome = session.run("import time; time.sleep(3600); time.strftime('%H:%M %Z')").await?;
    /// assert_eq!(outcome.value.unwrap().repr, "'15:00 CEST'");
    /// # Ok::<(), coldframe::Error>(())
    /// # }).unwrap();
    /// ```
    ///
    /// They begin in 1970 and end in July 2554 ([`Policy::LAST_CLOCK`]).
    pub fn with_clock(mut self, at: SystemTime) -> Self {
        self.clock = Some(at);
        self
    }

    /// Draws all entropy (`random`, `os.urandom`, `secrets`, `uuid`) from a generator instead of the system: ChaCha20 with a key of the seed in
    /// little-endian order followed by zeros, and a nonce of zeros. Together with a clock that stands still, the same runs of a session then give the same bytes and burn
    /// the same fuel. Nothing that a program makes of it is a secret.
    pub fn with_seed(mut self, seed: u64) -> Self {
        self.seed = Some(seed);
        self
    }

    /// Sets the local time zone: a name such as `Europe/Berlin`, or a POSIX text such as `CET-1CEST,M3.5.0,M10.5.0/3`; UTC if not set.
    pub fn with_time_zone(mut self, zone: impl Into<String>) -> Self {
        self.time_zone = Some(zone.into());
        self
    }

    /// Cuts the output that an outcome holds instead of stopping a program that writes too much. [`Limits::output`] then says nothing.
    pub fn with_cut(mut self, cut: Cut) -> Self {
        self.cut = Some(cut);
        self
    }

    /// How the output is cut, if it is.
    pub fn cut(&self) -> Option<&Cut> {
        self.cut.as_ref()
    }

    /// Tells failures as smolagents does; see [`Outcome::agent_text`](crate::Outcome::agent_text).
    pub fn with_agent_texts(mut self) -> Self {
        self.agent_texts = true;
        self
    }

    /// Whether a program may import a module of that name, by the rules above.
    pub(crate) fn allows_import(&self, module: &str) -> bool {
        let is_below = |name: &str, package: &str| {
            name.strip_prefix(package)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        if self
            .denied_imports
            .iter()
            .any(|denied| is_below(module, denied))
        {
            return false;
        }
        let Some(allowed) = &self.allowed_imports else {
            return true;
        };
        allowed.iter().any(|entry| match entry.strip_suffix(".*") {
            _ if entry == "*" => true,
            Some(package) => is_below(module, package) || is_below(package, module),
            None => is_below(entry, module),
        })
    }

    /// What can be found wrong with it without an interpreter: names that are none, and a moment that the clocks cannot show. [`Engine::session`] says that
    /// too, and whether there is such a time zone.
    ///
    /// [`Engine::session`]: crate::Engine::session
    pub fn check(&self) -> Result<(), Error> {
        if let Some(clock) = self.clock {
            check_clock(clock).map_err(Policy::refused)?;
        }
        let modules = self.allowed_imports.iter().flatten();
        for name in modules.chain(&self.denied_imports) {
            if !is_module_name(name) {
                return Err(Policy::refused(format!(
                    "{name:?} is not a module name such as json, os.path or numpy.*"
                )));
            }
        }
        let names = self.removed_builtins.iter();
        for name in names.chain(self.dunders.iter().flatten()) {
            if !is_name(name) {
                return Err(Policy::refused(format!("{name:?} is not a name")));
            }
        }
        Ok(())
    }

    pub(crate) fn has_agent_texts(&self) -> bool {
        self.agent_texts
    }

    /// What the interpreter has to know of it; `None` when that is nothing.
    pub(crate) fn for_guest(&self) -> Option<bindings::Policy> {
        let policy = bindings::Policy {
            allowed_imports: self.allowed_imports.clone(),
            denied_imports: self.denied_imports.clone(),
            removed_builtins: self.removed_builtins.clone(),
            dunders: self.dunders.clone(),
            while_iterations: self.while_iterations,
            time_zone: self.time_zone.clone(),
            agent_texts: self.agent_texts.then(|| bindings::AgentTexts {
                operations: self.limits.fuel() / Limits::FUEL_PER_OPERATION,
                seconds: seconds(self.limits.time()),
            }),
        };
        let says_nothing = policy.allowed_imports.is_none()
            && policy.denied_imports.is_empty()
            && policy.removed_builtins.is_empty()
            && policy.dunders.is_none()
            && policy.while_iterations.is_none()
            && policy.time_zone.is_none()
            && policy.agent_texts.is_none();
        (!says_nothing).then_some(policy)
    }

    /// The error that a policy is which the interpreter does not take.
    pub(crate) fn refused(reason: String) -> Error {
        Error::Policy { reason }
    }
}

/// A number of seconds as Python would show it.
pub(crate) fn seconds(time: Duration) -> String {
    if time.subsec_nanos() == 0 {
        time.as_secs().to_string()
    } else {
        time.as_secs_f64().to_string()
    }
}

impl From<Limits> for Policy {
    fn from(limits: Limits) -> Policy {
        Policy::default().with_limits(limits)
    }
}

impl From<&Limits> for Policy {
    fn from(limits: &Limits) -> Policy {
        limits.clone().into()
    }
}

impl From<&Policy> for Policy {
    fn from(policy: &Policy) -> Policy {
        policy.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_makes_no_sense_is_found_without_an_interpreter() {
        let epoch = SystemTime::UNIX_EPOCH;
        let of = |policy: Policy| policy.check().err().map(|error| error.to_string());
        let plain = Policy::default;
        let at = |seconds| plain().with_clock(epoch + Duration::from_secs(seconds));
        for fine in [
            plain(),
            plain().with_imports(["*", "os.path", "numpy.*", "größe"]),
            plain().with_imports([""; 0]).with_denied_imports(["a.b"]),
            plain()
                .with_removed_builtins(["open"])
                .with_dunders_refused(),
            at(0),
            at(Policy::LAST_CLOCK.as_secs()),
        ] {
            assert_eq!(of(fine), None);
        }
        let before = epoch - Duration::from_secs(1);
        for (wrong, told) in [
            (
                plain().with_imports(["a b"]),
                "\"a b\" is not a module name",
            ),
            (
                plain().with_imports(["a..b"]),
                "\"a..b\" is not a module name",
            ),
            (
                plain().with_imports(["*.a"]),
                "\"*.a\" is not a module name",
            ),
            (
                plain().with_denied_imports([""]),
                "\"\" is not a module name",
            ),
            (plain().with_removed_builtins(["1"]), "\"1\" is not a name"),
            (
                plain().with_dunders_refused_but(["a.b"]),
                "\"a.b\" is not a name",
            ),
            (at(Policy::LAST_CLOCK.as_secs() + 1), "a clock after 2554"),
            (plain().with_clock(before), "a clock before 1970"),
        ] {
            let error = of(wrong).unwrap_or_default();
            assert!(error.contains(told), "{error}");
        }
    }
}
