//! Which remote backend a session may use, and what for: read from Python's arguments, checked when a `coldframe.Sandbox` is made.

use std::sync::Arc;

use coldframe::backend::{BackendError, Missing, Place, Router, Routing, Secret, Settings};
use coldframe::{Policy, Session};
use pyo3::prelude::*;

use crate::errors;
use crate::policy::Rules;

/// A remote backend, its token included: Python can hand it on and cannot look into it.
#[pyclass(frozen, module = "coldframe._native")]
pub(crate) struct Remote {
    place: Place,
    settings: Settings,
    packages: Vec<String>,
}

#[pymethods]
impl Remote {
    #[new]
    fn new(
        py: Python<'_>,
        backend: &str,
        url: Option<String>,
        token: Option<String>,
        image: Option<String>,
        packages: Vec<String>,
    ) -> PyResult<Remote> {
        let place: Place = backend.parse().map_err(|error| refused(py, error))?;
        if place == Place::Local {
            let message = "local is the sandbox, and no remote backend";
            return Err(refused(py, message.to_owned()));
        }
        let mut settings = Settings::default();
        settings.url = url;
        settings.token = token.map(Secret::new);
        settings.image = image;
        Ok(Remote {
            place,
            settings,
            packages,
        })
    }
}

/// What the sessions of a sandbox do with programs that need more than the sandbox has.
pub(crate) struct Plan {
    remote: Option<(Place, Settings)>,
    routing: Routing,
    policy: Policy,
}

impl Plan {
    /// A router for a session. It starts nothing.
    pub(crate) fn router(&self, session: Session) -> Result<Router, BackendError> {
        let router = Router::new(session, self.routing.clone());
        Ok(match &self.remote {
            None => router,
            Some((place, settings)) => {
                router.with_boxed_remote(settings.launcher(*place, &self.policy)?)
            }
        })
    }
}

/// A [`Plan`] as Python holds it.
#[pyclass(frozen, module = "coldframe._native")]
pub(crate) struct Routes {
    pub(crate) plan: Arc<Plan>,
}

#[pymethods]
impl Routes {
    /// Modules that go to the remote backend, modules that are refused, what becomes of those that the sandbox has not, and whether all programs go
    /// there.
    #[new]
    fn new(
        py: Python<'_>,
        rules: &Rules,
        remote: Option<&Remote>,
        to_remote: Vec<String>,
        refuse: Vec<String>,
        missing: &str,
        always: bool,
    ) -> PyResult<Routes> {
        let missing: Missing = missing
            .parse()
            .map_err(|error| refused(py, format!("option routing: missing: {error}")))?;
        let mut routing = Routing::default()
            .remote(to_remote)
            .refused(refuse)
            .missing(missing)
            .always(always);
        let policy = rules.policy.clone();
        let mut chosen = None;
        if let Some(remote) = remote {
            // Said now, and not by the first session.
            remote
                .settings
                .launcher(remote.place, &policy)
                .map_err(|error| refused(py, format!("option remote: {error}")))?;
            routing = routing.packages(remote.packages.clone());
            chosen = Some((remote.place, remote.settings.clone()));
        } else if always {
            let message = "option routing: all programs are to run on a remote backend, and option remote names none";
            return Err(refused(py, message.to_owned()));
        }
        let plan = Arc::new(Plan {
            remote: chosen,
            routing,
            policy,
        });
        Ok(Routes { plan })
    }
}

fn refused(py: Python<'_>, message: String) -> PyErr {
    errors::named(py, "PolicyError", message)
}
