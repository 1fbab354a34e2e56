//! Credentials: kept out of everything that is shown.

use std::fmt;

/// What stands in texts where a secret stood.
#[cfg_attr(
    not(feature = "jupyter"),
    allow(dead_code, reason = "only remotes have texts from elsewhere")
)]
const MASK: &str = "[secret]";

/// A credential. Neither `Debug` nor any error shows it.
///
/// ```
/// let key = coldframe::backend::Secret::new("abc123");
/// assert_eq!(format!("{key:?}"), "Secret([secret])");
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// A secret of that text.
    pub fn new(text: impl Into<String>) -> Secret {
        Secret(text.into())
    }

    /// What an environment variable holds, if it is set and not empty.
    pub fn from_environment(variable: &str) -> Option<Secret> {
        std::env::var(variable)
            .ok()
            .filter(|text| !text.is_empty())
            .map(Secret)
    }

    /// A random one of 128 bits.
    #[cfg(feature = "jupyter")]
    pub(crate) fn random() -> Result<Secret, getrandom::Error> {
        use std::fmt::Write as _;
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes)?;
        let mut text = String::new();
        for byte in bytes {
            let _ = write!(text, "{byte:02x}");
        }
        Ok(Secret(text))
    }

    /// The text itself, to be sent and not to be shown.
    #[cfg_attr(
        not(feature = "jupyter"),
        allow(dead_code, reason = "only remotes send secrets")
    )]
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }

    /// Takes the secret out of a text that came from elsewhere.
    #[cfg_attr(
        not(feature = "jupyter"),
        allow(dead_code, reason = "only remotes have texts from elsewhere")
    )]
    pub(crate) fn mask(&self, text: &str) -> String {
        // A secret of a letter or two would leave nothing of the text.
        if self.0.len() < 4 {
            return text.to_owned();
        }
        text.replace(&self.0, MASK)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret([secret])")
    }
}

impl From<&str> for Secret {
    fn from(text: &str) -> Secret {
        Secret::new(text)
    }
}

impl From<String> for Secret {
    fn from(text: String) -> Secret {
        Secret(text)
    }
}

/// Whether a file with credentials is only not there.
#[cfg(any(feature = "blaxel", feature = "modal"))]
pub(super) fn is_missing(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{NotADirectory, NotFound};
    matches!(error.kind(), NotFound | NotADirectory)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_shown_nowhere() {
        let key = Secret::new("planted-key");
        assert!(!format!("{key:?} {:#?}", Some(&key)).contains("planted"));
        assert_eq!(key.mask("bad key planted-key!"), "bad key [secret]!");
        assert_eq!(Secret::new("a").mask("banana"), "banana");
    }
}
