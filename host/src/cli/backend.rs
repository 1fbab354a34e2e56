//! Where the program of `coldframe run` runs: in the sandbox, on a remote backend, or on either.

use std::path::Path;

use coldframe::backend::{
    Backend, BackendError, Launcher, Missing, Place, Router, Routing, Secret, Settings,
};
use coldframe::{Error, Outcome, Policy, RunOptions, Session};
use serde::Deserialize;

use super::Refusal;
use super::args;

/// The arguments and the configuration file together.
pub(super) enum Choice {
    /// The sandbox.
    Local,
    /// A remote backend.
    Remote(Box<dyn Launcher>, Vec<String>),
    /// The sandbox, or a remote backend.
    Routed(Box<dyn Launcher>, Routing),
}

/// The configuration file.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
struct Config {
    backend: BackendTable,
    routing: RoutingTable,
}

/// Its table `backend`.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
struct BackendTable {
    /// `local`, `auto`, or a remote backend.
    name: Option<String>,
    /// The remote backend that `auto` goes to.
    remote: Option<String>,
    url: Option<String>,
    /// The environment variable that holds the token: files are read by too many.
    token_variable: Option<String>,
    image: Option<String>,
    packages: Vec<String>,
}

/// Its table `routing`.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
struct RoutingTable {
    remote: Vec<String>,
    refused: Vec<String>,
    missing: Option<String>,
}

/// What the arguments and the file that they name say.
pub(super) fn choose(given: &args::Backend, policy: &Policy) -> Result<Choice, Refusal> {
    let config = match &given.config {
        Some(path) => read(path)?,
        None => Config::default(),
    };
    let name = given.backend.clone().or(config.backend.name);
    let name = name.as_deref().unwrap_or("local");
    let remote = given.remote.clone().or(config.backend.remote);
    let place = match (name, &remote) {
        ("auto", Some(remote)) => remote.as_str(),
        ("auto", None) => {
            return Err(Refusal::bad_input(
                "--backend auto needs --remote, the backend to go to",
            ));
        }
        (_, Some(_)) if given.remote.is_some() => {
            return Err(Refusal::bad_input("--remote is for --backend auto"));
        }
        (name, _) => name,
    };
    let place: Place = place.parse().map_err(|error| match name {
        "auto" => Refusal::bad_input(format!("--remote: {error}")),
        _ => Refusal::bad_input(format!("--backend: {error}, auto")),
    })?;
    if place == Place::Local {
        if name == "auto" {
            return Err(Refusal::bad_input(
                "--remote local: it is no remote backend",
            ));
        }
        let unused = [
            ("--backend-url", given.backend_url.is_some()),
            ("--backend-token", given.backend_token.is_some()),
            ("--packages", !given.packages.is_empty()),
        ];
        return match unused.iter().find(|(_, is_given)| *is_given) {
            Some((flag, _)) => Err(Refusal::bad_input(format!(
                "{flag} is for remote backends, and the program runs in the sandbox (see --backend)"
            ))),
            None => Ok(Choice::Local),
        };
    }
    let mut settings = Settings::default();
    settings.url = given.backend_url.clone().or(config.backend.url);
    settings.image = config.backend.image;
    settings.token = match (&given.backend_token, &config.backend.token_variable) {
        (Some(token), _) => Some(Secret::new(token)),
        (None, Some(variable)) => Some(Secret::from_environment(variable).ok_or_else(|| {
            Refusal::bad_input(format!(
                "the environment variable {variable}, which is to hold the backend's token, is not set"
            ))
        })?),
        (None, None) => None,
    };
    let is_nowhere = cfg!(feature = "jupyter")
        && place == Place::Jupyter
        && settings.url.is_none()
        && settings.image.is_none();
    let launcher = settings.launcher(place, policy).map_err(|error| {
        let mut refusal = refusal(error);
        if is_nowhere {
            refusal.line.push_str(" (see --backend-url)");
        }
        refusal
    })?;
    let mut packages = config.backend.packages;
    packages.extend(given.packages.iter().cloned());
    if name != "auto" {
        return Ok(Choice::Remote(launcher, packages));
    }
    let missing: Missing = match &config.routing.missing {
        Some(missing) => missing
            .parse()
            .map_err(|error| Refusal::bad_input(format!("routing.missing: {error}")))?,
        None => Missing::default(),
    };
    let routing = Routing::default()
        .remote(config.routing.remote)
        .refused(config.routing.refused)
        .missing(missing)
        .packages(packages);
    Ok(Choice::Routed(launcher, routing))
}

#[cfg(feature = "http")]
fn read(path: &Path) -> Result<Config, Refusal> {
    let refuse =
        |reason: String| Refusal::bad_input(format!("cannot read '{}': {reason}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|e| refuse(e.to_string()))?;
    toml::from_str(&text).map_err(|e| {
        let before = e.span().and_then(|span| text.get(..span.start));
        match before {
            Some(before) => {
                let line = before.matches('\n').count() + 1;
                refuse(format!("line {line}: {}", e.message()))
            }
            None => refuse(e.message().to_owned()),
        }
    })
}

#[cfg(not(feature = "http"))]
fn read(_: &Path) -> Result<Config, Refusal> {
    Err(Refusal::bad_input(
        "--config is for remote backends, and this build is without them (see the cargo feature remote)",
    ))
}

/// Where the program runs.
#[allow(clippy::large_enum_variant, reason = "there is one in a process")]
pub(super) enum Location {
    Local(Session),
    Remote(Box<dyn Backend>),
    Routed(Box<Router>),
}

impl Location {
    /// Makes the sandbox, the remote backend, or both.
    pub(super) async fn prepare(choice: Choice, policy: &Policy) -> Result<Location, Refusal> {
        match choice {
            Choice::Local => Ok(Location::Local(session(policy).await?)),
            Choice::Routed(launcher, routing) => {
                let router = Router::new(session(policy).await?, routing);
                Ok(Location::Routed(Box::new(
                    router.with_boxed_remote(launcher),
                )))
            }
            Choice::Remote(launcher, packages) => {
                let mut backend = launcher.launch().await.map_err(refusal)?;
                let installed = backend.install(&packages).await;
                if let Err(error) = installed {
                    // What it failed with says more.
                    let _ = backend.cleanup().await;
                    return Err(refusal(error));
                }
                Ok(Location::Remote(backend))
            }
        }
    }

    /// The sandbox, if there is one: files are in it.
    pub(super) fn session(&mut self) -> Option<&mut Session> {
        match self {
            Location::Local(session) => Some(session),
            Location::Remote(_) => None,
            Location::Routed(router) => Some(router.local_mut()),
        }
    }

    pub(super) async fn run(
        &mut self,
        source: &str,
        options: RunOptions,
    ) -> Result<Outcome, Refusal> {
        match self {
            Location::Local(session) => session
                .run_with(source, options)
                .await
                .map_err(|e| Refusal::defect(e.to_string())),
            Location::Remote(backend) => backend.run(source, options).await.map_err(refusal),
            Location::Routed(router) => router.run(source, options).await.map_err(refusal),
        }
    }

    /// Gives up what was made elsewhere.
    pub(super) async fn cleanup(&mut self) -> Result<(), Refusal> {
        match self {
            // The process ends, and it with it.
            Location::Local(_) => Ok(()),
            Location::Remote(backend) => backend.cleanup().await.map_err(refusal),
            Location::Routed(router) => router.cleanup().await.map_err(refusal),
        }
    }
}

async fn session(policy: &Policy) -> Result<Session, Refusal> {
    let defect = |e: Error| Refusal::defect(e.to_string());
    let engine = super::engine::engine(2).map_err(defect)?;
    engine.session(policy).await.map_err(|e| match e {
        Error::Policy { reason } => Refusal::bad_input(reason),
        other => defect(other),
    })
}

fn refusal(error: BackendError) -> Refusal {
    match error {
        BackendError::Configuration { .. } => Refusal::bad_input(error.to_string()),
        _ => Refusal::defect(error.to_string()),
    }
}

/// Does the work, unless the process is told to end before: then the work is dropped, and with it everything that was made elsewhere.
#[cfg(feature = "http")]
pub(super) async fn unless_told_to_end<T>(
    work: impl Future<Output = Result<T, Refusal>>,
) -> Result<T, Refusal> {
    use super::status;

    let interrupted = || Refusal {
        status: status::INTERRUPTED,
        line: "interrupted".to_owned(),
    };
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};

        let no_handler = |e| Refusal::defect(format!("no handler of signals: {e}"));
        let mut interrupt = signal(SignalKind::interrupt()).map_err(no_handler)?;
        let mut terminate = signal(SignalKind::terminate()).map_err(no_handler)?;
        tokio::select! {
            done = work => done,
            _ = interrupt.recv() => Err(interrupted()),
            _ = terminate.recv() => Err(Refusal {
                status: status::TERMINATED,
                line: "told to end".to_owned(),
            }),
        }
    }
    #[cfg(not(unix))]
    tokio::select! {
        done = work => done,
        _ = tokio::signal::ctrl_c() => Err(interrupted()),
    }
}

/// Does the work: without remote backends there is nothing that would outlive the process.
#[cfg(not(feature = "http"))]
pub(super) async fn unless_told_to_end<T>(
    work: impl Future<Output = Result<T, Refusal>>,
) -> Result<T, Refusal> {
    work.await
}
