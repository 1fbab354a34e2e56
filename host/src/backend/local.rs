//! The sandbox in this process as a backend.

use std::collections::HashSet;

use super::{Backend, BackendError, Changes, LeftBehind, Marks, Pending, Place};
use crate::session::{Outcome, RunOptions, Session, Variable};
use crate::stop::CancelHandle;
use crate::tool::Tools;
use crate::value::Value;

/// How much of a value's `repr()` it takes to see which module it is.
const MODULE_REPR: u32 = 400;

impl Backend for Session {
    fn place(&self) -> Place {
        Place::Local
    }

    fn run<'a>(&'a mut self, source: &'a str, options: RunOptions) -> Pending<'a, Outcome> {
        Box::pin(async move { Ok(self.run_with(source, options).await?) })
    }

    fn install<'a>(&'a mut self, packages: &'a [String]) -> Pending<'a, ()> {
        Box::pin(async move {
            if packages.is_empty() {
                return Ok(());
            }
            Err(BackendError::Install {
                place: Place::Local,
                packages: packages.join(", "),
                reason: "the sandbox has no network and takes no packages".to_owned(),
            })
        })
    }

    fn set_variables<'a>(&'a mut self, variables: &'a [(String, Value)]) -> Pending<'a, ()> {
        Box::pin(async move {
            for (name, value) in variables {
                self.set_variable(name, value).await?;
            }
            Ok(())
        })
    }

    fn get_variable<'a>(&'a mut self, name: &'a str) -> Pending<'a, Option<Value>> {
        Box::pin(async move { Ok(Session::get_variable(self, name).await?) })
    }

    fn list_variables(&mut self, repr_limit: u32) -> Pending<'_, Vec<Variable>> {
        Box::pin(async move { Ok(Session::list_variables(self, repr_limit).await?) })
    }

    fn set_tools<'a>(&'a mut self, tools: &'a Tools) -> Pending<'a, ()> {
        Box::pin(async move { Ok(Session::set_tools(self, tools).await?) })
    }

    fn cancel_handle(&self) -> CancelHandle {
        Session::cancel_handle(self)
    }

    fn changes<'a>(&'a mut self, marks: &'a Marks) -> Pending<'a, Changes> {
        Box::pin(async move {
            let mut changes = Changes::default();
            let mut seen = HashSet::new();
            for Variable {
                name,
                type_name,
                repr,
            } in Session::list_variables(self, MODULE_REPR).await?
            {
                seen.insert(name.clone());
                if type_name == "module" {
                    if let Some(module) = module_of(&repr) {
                        changes.modules.push((name, module.to_owned()));
                    }
                    continue;
                }
                let reason = match Session::get_variable(self, &name).await {
                    Ok(Some(value)) if holds_handle(&value) => {
                        "objects of the host stay in its process".to_owned()
                    }
                    Ok(Some(value)) => {
                        let mark = mark(&value)?;
                        if marks.get(&name) != Some(&mark) {
                            changes.changed.push((name, mark, value));
                        }
                        continue;
                    }
                    Ok(None) => continue,
                    Err(crate::Error::Variable { reason, .. }) => reason,
                    Err(error) => return Err(error.into()),
                };
                changes.stay.push(LeftBehind {
                    name,
                    type_name,
                    reason,
                    stays_in: Place::Local,
                });
            }
            let gone = marks.keys().filter(|name| !seen.contains(*name));
            changes.gone = gone.cloned().collect();
            Ok(changes)
        })
    }

    fn apply<'a>(&'a mut self, changes: &'a Changes) -> Pending<'a, Marks> {
        Box::pin(async move {
            let mut marks = Marks::new();
            for (name, _, value) in &changes.changed {
                if !is_identifier(name) {
                    continue;
                }
                self.set_variable(name, value).await?;
                // As it reads from here: the order of a set is another one.
                if let Some(value) = Session::get_variable(self, name).await? {
                    marks.insert(name.clone(), mark(&value)?);
                }
            }
            for name in changes.gone.iter().filter(|name| is_identifier(name)) {
                let source = format!("globals().pop({name:?}, None)");
                self.run_with(&source, RunOptions::default().want_value(false))
                    .await?;
            }
            for (name, module) in &changes.modules {
                if is_identifier(name) && module.split('.').all(is_identifier) {
                    let source = format!(
                        "if {name:?} not in globals():\n try: import {module} as {name}\n except Exception: pass"
                    );
                    self.run_with(&source, RunOptions::default().want_value(false))
                        .await?;
                }
            }
            Ok(marks)
        })
    }

    fn cleanup(&mut self) -> Pending<'_, ()> {
        self.close();
        Box::pin(async { Ok(()) })
    }
}

/// Names come from a remote interpreter, and one goes into a program.
fn is_identifier(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= 1000
        && name.chars().all(|c| c == '_' || c.is_alphanumeric())
        && !name.starts_with(|c: char| c.is_numeric())
}

/// The module's name in `<module 'name' ...>`.
fn module_of(repr: &str) -> Option<&str> {
    let name = repr.strip_prefix("<module '")?.split('\'').next()?;
    name.split('.').all(is_identifier).then_some(name)
}

fn holds_handle(value: &Value) -> bool {
    matches!(value, Value::Handle(_)) || value.parts().any(holds_handle)
}

/// The value's encoding, or what stands for it if it is long.
fn mark(value: &Value) -> Result<String, BackendError> {
    use std::fmt::Write as _;
    use std::hash::{DefaultHasher, Hash, Hasher};

    let bytes = value.encode().map_err(crate::Error::from)?;
    // Two hashes with different keys: this tells changes of one's own variables, and keeps out nobody.
    let mut text = format!("{:x}", bytes.len());
    for key in [1u64, 2] {
        let mut hasher = DefaultHasher::new();
        key.hash(&mut hasher);
        bytes.hash(&mut hasher);
        let _ = write!(text, "-{:016x}", hasher.finish());
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_known_by_their_repr() {
        assert_eq!(module_of("<module 'os.path' from '...'>"), Some("os.path"));
        assert_eq!(module_of("<module 'math' (built-in)>"), Some("math"));
        assert_eq!(module_of("<module '' (x)>"), None);
        assert_eq!(module_of("<function f>"), None);
    }

    #[test]
    fn names_from_elsewhere_are_checked() {
        for name in ["", "1a", "a b", "a\"", "a.b", "a\n"] {
            assert!(!is_identifier(name), "{name:?}");
        }
        assert!(is_identifier("größe_1"));
    }
}
