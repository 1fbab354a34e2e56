//! The engine of the command, with its code cache: a process that runs one program lives too briefly to copy what it could map.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;

use coldframe::{Engine, Error};

/// The environment variable that says where the cache is, or that there is none.
const CACHE: &str = "COLDFRAME_CACHE";

/// An engine for so many sessions.
pub(super) fn engine(sessions: u32) -> Result<Engine, Error> {
    let builder = Engine::builder().max_sessions(sessions);
    match cache(|name| env::var_os(name)) {
        Some(folder) => builder.code_cache(folder),
        None => builder,
    }
    .build()
}

/// The folder of the cache, if there is to be one.
fn cache(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    if let Some(told) = variable(CACHE) {
        return (!told.is_empty() && told != "off").then(|| told.into());
    }
    // Relative paths mean nothing here: https://specifications.freedesktop.org/basedir-spec
    let absolute = |name| {
        let path = PathBuf::from(variable(name)?);
        path.is_absolute().then_some(path)
    };
    let caches = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")))?;
    Some(caches.join("coldframe"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cache_is_where_the_environment_says() {
        let folder = |set: &[(&str, &str)]| {
            let found = |name: &str| set.iter().find(|(n, _)| *n == name).map(|(_, v)| v.into());
            cache(found).map(|path| path.into_os_string().into_string().expect("text"))
        };
        let (home, xdg) = (("HOME", "/home/me"), ("XDG_CACHE_HOME", "/var/me"));
        assert_eq!(folder(&[]), None);
        assert_eq!(
            folder(&[home]).as_deref(),
            Some("/home/me/.cache/coldframe")
        );
        assert_eq!(folder(&[home, xdg]).as_deref(), Some("/var/me/coldframe"));
        let relative = ("XDG_CACHE_HOME", "me");
        assert_eq!(
            folder(&[home, relative]).as_deref(),
            Some("/home/me/.cache/coldframe")
        );
        assert_eq!(folder(&[("HOME", "")]), None);
        assert_eq!(folder(&[home, (CACHE, "here")]).as_deref(), Some("here"));
        assert_eq!(folder(&[home, (CACHE, "off")]), None);
        assert_eq!(folder(&[home, (CACHE, "")]), None);
    }
}
