//! Lists of module names, with wildcards.
//!
//! The rules are those of smolagents' `additional_authorized_imports`: a name stands for itself alone, not for the modules below it; `numpy.*` stands for
//! `numpy` and everything below; `*` for every module; and a name also stands for the packages that it is in, since importing `os.path` imports `os`.

use std::fmt;

/// A list of dotted names, sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names(Vec<String>);

/// The longest name that is taken, in bytes, and the longest list.
const MAX_NAME: usize = 256;
const MAX_NAMES: usize = 10_000;

/// Whether Python would take it for a name.
pub fn is_identifier(name: &str) -> bool {
    name.starts_with(|c: char| c == '_' || c.is_alphabetic())
        && name.chars().all(|c| c == '_' || c.is_alphanumeric())
}

impl Names {
    /// Checks and sorts names.
    pub fn parse(names: &[String]) -> Result<Names, String> {
        if names.len() > MAX_NAMES {
            return Err(format!("more than {MAX_NAMES} module names"));
        }
        for name in names {
            let parts: Vec<&str> = name.split('.').collect();
            let last = parts.len() - 1;
            let fine = name.len() <= MAX_NAME
                && parts
                    .iter()
                    .enumerate()
                    .all(|(at, part)| at == last && *part == "*" || is_identifier(part));
            if !fine {
                return Err(format!(
                    "{name:?} is not a module name such as json, os.path or numpy.*"
                ));
            }
        }
        let mut names = names.to_vec();
        names.sort();
        names.dedup();
        Ok(Names(names))
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether every module is meant.
    pub fn has_all(&self) -> bool {
        self.0.iter().any(|name| name == "*")
    }

    /// Whether the list, as one of what is allowed, has the module.
    pub fn allow(&self, module: &str) -> bool {
        self.0.iter().any(|pattern| {
            let mut wanted = pattern.split('.');
            for part in module.split('.') {
                match wanted.next() {
                    Some("*") => return true,
                    Some(p) if p == part => {}
                    _ => return false,
                }
            }
            true
        })
    }

    /// Whether the list, as one of what is denied, has the module: it goes with everything below it.
    pub fn deny(&self, module: &str) -> bool {
        self.0.iter().any(|pattern| {
            let pattern = pattern.strip_suffix(".*").unwrap_or(pattern);
            pattern == "*"
                || module
                    .strip_prefix(pattern)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        })
    }
}

impl fmt::Display for Names {
    /// As Python shows a list of strings.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[")?;
        for (at, name) in self.0.iter().enumerate() {
            let comma = if at == 0 { "" } else { ", " };
            write!(f, "{comma}'{name}'")?;
        }
        f.write_str("]")
    }
}

/// Modules that are known by another name than that under which the library keeps them.
const ALIASES: &[(&str, &str)] = &[
    ("posixpath", "os.path"),
    ("genericpath", "os.path"),
    ("posix", "os"),
    ("_collections_abc", "collections.abc"),
    ("_pydecimal", "decimal"),
    ("_pydatetime", "datetime"),
    ("_pyio", "io"),
    ("_strptime", "time"),
    ("_sitebuiltins", "builtins"),
];

/// The name that the policy is asked about: the modules that implement one (`_io`, `_random`, `_thread_core`) follow it.
pub fn public_name(name: &str) -> String {
    if let Some((_, public)) = ALIASES.iter().find(|(own, _)| *own == name) {
        return (*public).to_owned();
    }
    let Some(bare) = name.strip_prefix('_') else {
        return name.to_owned();
    };
    let bare = bare.strip_suffix("_core").unwrap_or(bare);
    if !bare.starts_with('_') && crate::modules::exists(bare) {
        bare.to_owned()
    } else {
        name.to_owned()
    }
}

/// Whether the library has a module of that name.
pub fn is_shipped(name: &str) -> bool {
    crate::modules::exists(name) || ALIASES.iter().any(|(_, public)| *public == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(names: &[&str]) -> Names {
        let names: Vec<String> = names.iter().map(|n| (*n).to_owned()).collect();
        Names::parse(&names).unwrap()
    }

    #[test]
    fn names_stand_for_themselves_and_what_they_are_in() {
        let names = list(&["numpy", "os.path", "a.b.*"]);
        for yes in ["numpy", "os", "os.path", "a", "a.b", "a.b.c", "a.b.c.d"] {
            assert!(names.allow(yes), "{yes}");
        }
        for no in ["numpy.random", "os.pathx", "posix", "a.c", "b", "nump"] {
            assert!(!names.allow(no), "{no}");
        }
        assert!(list(&["*"]).allow("anything.at.all"));
        assert!(!list(&[]).allow("os"));
    }

    #[test]
    fn what_is_denied_takes_along_what_is_below() {
        let names = list(&["os", "xml.sax"]);
        for yes in ["os", "os.path", "xml.sax", "xml.sax.handler"] {
            assert!(names.deny(yes), "{yes}");
        }
        for no in ["osx", "xml", "xml.dom"] {
            assert!(!names.deny(no), "{no}");
        }
    }

    #[test]
    fn implementing_modules_follow_the_public_one() {
        for (own, public) in [
            ("_io", "io"),
            ("_random", "random"),
            ("posix", "os"),
            ("posixpath", "os.path"),
            ("_thread_core", "_thread_core"),
            ("__future__", "__future__"),
            ("json", "json"),
        ] {
            assert_eq!(public_name(own), public);
        }
    }

    #[test]
    fn nonsense_is_named() {
        for bad in ["", "a..b", "*.a", "a b", "os.", "a-b", "*a"] {
            let error = Names::parse(&[bad.to_owned()]).unwrap_err();
            assert!(error.contains("is not a module name"), "{error}");
        }
    }

    #[test]
    fn lists_are_shown_sorted() {
        assert_eq!(list(&["re", "math"]).to_string(), "['math', 're']");
    }
}
