//! What the service's own command leaves in `~/.modal.toml`: profiles, each with a token, and which of them is active.
//!
//! No part of the file is in an error, since it is full of secrets.

use std::path::PathBuf;

use toml::{Table, Value};

use super::super::secret::is_missing;

/// The settings of the profile that is to be used; none if there is no file.
pub(super) fn load(variable: &dyn Fn(&str) -> Option<String>) -> Result<Table, String> {
    let path = match variable("MODAL_CONFIG_PATH") {
        Some(path) => PathBuf::from(path),
        None => match std::env::home_dir().filter(|home| !home.as_os_str().is_empty()) {
            Some(home) => home.join(".modal.toml"),
            None => return Ok(Table::new()),
        },
    };
    let refused = |reason: String| format!("cannot read {}: {reason}", path.display());
    match std::fs::read_to_string(&path) {
        Ok(text) => choose(&text, variable("MODAL_PROFILE").as_deref()).map_err(refused),
        Err(error) if is_missing(&error) => Ok(Table::new()),
        Err(error) => Err(refused(error.to_string())),
    }
}

/// The profile of that name, or the active one, or the one that is called `default`.
fn choose(text: &str, wanted: Option<&str>) -> Result<Table, String> {
    let file: Table = toml::from_str(text).map_err(|error| {
        let before = error.span().and_then(|span| text.get(..span.start));
        let line = before.map_or(1, |before| before.matches('\n').count() + 1);
        format!("line {line} is not one of TOML")
    })?;
    let is_active = |profile: &Value| profile.get("active") == Some(&Value::Boolean(true));
    let active: Vec<_> = file
        .iter()
        .filter(|(_, profile)| is_active(profile))
        .collect();
    let name = match (wanted, active.as_slice()) {
        (Some(name), _) => name,
        (None, [(name, _)]) => name.as_str(),
        (None, []) if file.len() <= 1 || file.contains_key("default") => "default",
        (None, []) => return Err("no profile is active, and MODAL_PROFILE is not set".to_owned()),
        (None, _) => return Err("more than one profile is active".to_owned()),
    };
    match file.get(name) {
        Some(Value::Table(profile)) => Ok(profile.clone()),
        _ if wanted.is_some() => Err(format!("it has no profile {name:?}")),
        _ => Ok(Table::new()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str =
        "[one]\ntoken_id = 'planted-1'\n[two]\ntoken_id = 'planted-2'\nactive = true\n";

    #[test]
    fn the_active_profile_counts_unless_another_is_named() {
        let id = |text: &str, wanted| {
            let profile = choose(text, wanted).expect("a profile");
            let id = profile.get("token_id").and_then(Value::as_str);
            id.map(str::to_owned)
        };
        assert_eq!(id(FILE, None).as_deref(), Some("planted-2"));
        assert_eq!(id(FILE, Some("one")).as_deref(), Some("planted-1"));
        let default = "[default]\ntoken_id = 'planted-3'\n[one]\n";
        assert_eq!(id(default, None).as_deref(), Some("planted-3"));
        assert_eq!(id("", None), None);
    }

    #[test]
    fn what_is_wrong_is_said_without_secrets() {
        let second = FILE.replace("'planted-1'", "'planted-1'\nactive = true");
        let inactive = FILE.replace("true", "false");
        for (text, wanted, reason) in [
            (FILE, Some("three"), "no profile \"three\""),
            (second.as_str(), None, "more than one"),
            (inactive.as_str(), None, "no profile is active"),
            ("[one]\ntoken_id = planted\n", None, "line 2"),
            ("planted", None, "line 1"),
        ] {
            let error = choose(text, wanted).expect_err(text);
            assert!(
                error.contains(reason) && !error.contains("planted"),
                "{error}"
            );
        }
    }
}
