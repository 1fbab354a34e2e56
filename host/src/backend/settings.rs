//! A remote backend by its name and a few words of text, as command lines, configuration files and other languages have it.

use std::str::FromStr;

use super::{BackendError, Launcher, Place, Secret};
use crate::policy::Policy;

/// How to reach a remote backend. What is not said is what the backend's own type has as its default, or what its service's environment variables say.
///
/// ```
/// use coldframe::Policy;
/// use coldframe::backend::{Place, Settings};
///
/// let mut settings = Settings::default();
/// settings.url = Some("http://127.0.0.1:8888".to_owned());
/// settings.token = Some("of the server".into());
/// match settings.launcher(Place::Jupyter, &Policy::default()) {
///     Ok(launcher) => assert_eq!(launcher.place(), Place::Jupyter),
///     // A build without the feature says so.
///     Err(error) => assert!(error.to_string().contains("feature")),
/// }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Settings {
    /// The address of its server.
    pub url: Option<String>,
    /// What its server asks for: a token or a key.
    pub token: Option<Secret>,
    /// The image that its machine or container is made of.
    pub image: Option<String>,
}

impl Settings {
    /// A launcher of backends in `place`, with the limits of `policy`.
    ///
    /// # Errors
    /// [`BackendError::Configuration`] if the place is none of a remote backend, if this build is without its feature, or if something is missing or
    /// means nothing there.
    pub fn launcher(
        &self,
        place: Place,
        policy: &Policy,
    ) -> Result<Box<dyn Launcher>, BackendError> {
        let wrong = |reason: String| BackendError::Configuration { place, reason };
        match place {
            Place::Local => Err(wrong("it is no remote backend".to_owned())),
            #[cfg(feature = "jupyter")]
            Place::Jupyter => self.jupyter(policy),
            #[cfg(feature = "docker")]
            Place::Docker => self.docker(policy),
            #[cfg(feature = "blaxel")]
            Place::Blaxel => self.blaxel(policy),
            #[cfg(feature = "e2b")]
            Place::E2b => self.e2b(policy),
            #[cfg(feature = "modal")]
            Place::Modal => self.modal(policy),
            #[allow(unreachable_patterns, reason = "with all features there are no others")]
            _ => {
                let _ = policy;
                Err(wrong(format!(
                    "this build is without the cargo feature {place}"
                )))
            }
        }
    }

    #[cfg(feature = "jupyter")]
    fn jupyter(&self, policy: &Policy) -> Result<Box<dyn Launcher>, BackendError> {
        let place = Place::Jupyter;
        self.means_nothing(place, "an image", self.image.is_some())?;
        let Some(url) = &self.url else {
            return Err(BackendError::Configuration {
                place,
                reason: "it needs the address of a server".to_owned(),
            });
        };
        let mut server = super::jupyter::Jupyter::new(url).policy(policy.clone());
        let token = self.token.clone();
        if let Some(token) = token.or_else(|| Secret::from_environment("KG_AUTH_TOKEN")) {
            server = server.token(token);
        }
        Ok(Box::new(server))
    }

    #[cfg(feature = "docker")]
    fn docker(&self, policy: &Policy) -> Result<Box<dyn Launcher>, BackendError> {
        self.means_nothing(Place::Docker, "a token", self.token.is_some())?;
        let mut docker = match &self.url {
            Some(url) => super::docker::Docker::new(url),
            None => super::docker::Docker::from_environment()?,
        };
        if let Some(image) = &self.image {
            docker = docker.image(image);
        }
        Ok(Box::new(docker.policy(policy.clone())))
    }

    #[cfg(feature = "blaxel")]
    fn blaxel(&self, policy: &Policy) -> Result<Box<dyn Launcher>, BackendError> {
        let mut blaxel = super::blaxel::Blaxel::with_key(self.token.clone())?;
        if let Some(url) = &self.url {
            blaxel = blaxel.url(url);
        }
        if let Some(image) = &self.image {
            blaxel = blaxel.image(image);
        }
        Ok(Box::new(blaxel.policy(policy.clone())))
    }

    /// The image is a template.
    #[cfg(feature = "e2b")]
    fn e2b(&self, policy: &Policy) -> Result<Box<dyn Launcher>, BackendError> {
        let mut account = super::e2b::E2b::with_key(self.token.clone())?;
        if let Some(url) = &self.url {
            account = account.api_url(url);
        }
        if let Some(template) = &self.image {
            account = account.template(template);
        }
        Ok(Box::new(account.policy(policy.clone())))
    }

    /// The token is both of its parts, with a colon between; the image is the number of one that is there.
    #[cfg(feature = "modal")]
    fn modal(&self, policy: &Policy) -> Result<Box<dyn Launcher>, BackendError> {
        let token = match &self.token {
            None => None,
            Some(token) => match token.reveal().split_once(':') {
                Some((id, secret)) => Some((Secret::new(id), Secret::new(secret))),
                None => {
                    return Err(BackendError::Configuration {
                        place: Place::Modal,
                        reason: "a token is its number and its secret, with a colon between"
                            .to_owned(),
                    });
                }
            },
        };
        let mut account = super::modal::Modal::with_token(token)?;
        if let Some(url) = &self.url {
            account = account.server_url(url);
        }
        if let Some(image) = &self.image {
            account = account.image(image);
        }
        Ok(Box::new(account.policy(policy.clone())))
    }

    /// The error for a setting that is given and means nothing there.
    #[cfg(feature = "jupyter")]
    fn means_nothing(&self, place: Place, what: &str, is_given: bool) -> Result<(), BackendError> {
        if !is_given {
            return Ok(());
        }
        Err(BackendError::Configuration {
            place,
            reason: format!("{what} means nothing there"),
        })
    }
}

impl FromStr for Place {
    type Err = String;

    /// The place of a name; see [`Place::as_str`].
    fn from_str(name: &str) -> Result<Place, String> {
        Place::ALL
            .into_iter()
            .find(|place| place.as_str() == name)
            .ok_or_else(|| {
                let names = Place::ALL.map(Place::as_str).join(", ");
                format!("no backend is called {name:?}: there are {names}")
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_have_names() {
        for place in Place::ALL {
            assert_eq!(place.as_str().parse(), Ok(place));
        }
        let error = "moon".parse::<Place>().unwrap_err();
        assert!(error.starts_with("no backend is called \"moon\": there are local, "));
    }

    #[cfg(feature = "docker")]
    #[test]
    fn a_container_needs_an_engine_and_no_token() {
        let mut settings = Settings {
            url: Some("unix:///no/such/socket".to_owned()),
            ..Settings::default()
        };
        let launcher = settings.launcher(Place::Docker, &Policy::default());
        assert!(launcher.is_ok_and(|launcher| launcher.place() == Place::Docker));
        settings.token = Some("x".into());
        let error = settings.launcher(Place::Docker, &Policy::default()).err();
        assert_eq!(
            error.map(|e| e.to_string()).as_deref(),
            Some("docker: a token means nothing there")
        );
    }

    #[cfg(all(feature = "e2b", feature = "modal"))]
    #[test]
    fn services_take_a_key_in_its_own_form() {
        let mut settings = Settings {
            token: Some("number:planted".into()),
            ..Settings::default()
        };
        for place in [Place::E2b, Place::Modal] {
            let launcher = settings.launcher(place, &Policy::default());
            assert!(launcher.is_ok_and(|launcher| launcher.place() == place));
        }
        settings.token = Some("planted".into());
        let error = settings.launcher(Place::Modal, &Policy::default()).err();
        let error = error.map(|e| e.to_string()).unwrap_or_default();
        assert!(
            error.contains("colon") && !error.contains("planted"),
            "{error}"
        );
    }

    #[test]
    fn the_sandbox_is_no_remote_backend() {
        let error = Settings::default().launcher(Place::Local, &Policy::default());
        assert!(
            error
                .err()
                .is_some_and(|e| e.to_string() == "local: it is no remote backend")
        );
    }
}
