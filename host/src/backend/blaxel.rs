//! Sandboxes of Blaxel: micro-VMs of the service's, each with a kernel gateway that is reached through the service.
//!
//! The control plane makes and deletes a sandbox; its own address leads to its ports and to its processes. The kernel in it is that of
//! [`jupyter`](super::jupyter), and what is said there of policies holds. What a sandbox may use and reach is up to the service.

mod config;

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value as Json, json};
use tokio::time::Instant;

use super::guard::{Guard, Step};
use super::http::{Http, Request};
use super::jupyter::{Kernel, Setup};
use super::program::check_package;
use super::secret::is_missing;
use super::{Backend, BackendError, Changes, Launcher, Marks, Pending, Place, Secret};
use crate::policy::Policy;
use crate::session::{Outcome, RunOptions, Variable};
use crate::stop::CancelHandle;
use crate::tool::Tools;
use crate::value::Value;

const PLACE: Place = Place::Blaxel;
/// The version of the control plane's interface that this module speaks.
const VERSION: &str = "2026-09-22";
/// The gateway's port in a sandbox.
const PORT: u16 = 8888;
/// What the gateway is asked until it answers.
const READY: &str = "/api/kernelspecs";
/// The process that installs packages.
const INSTALLER: &str = "install-packages";
/// How long packages may take to install.
const INSTALL: Duration = Duration::from_secs(600);
/// How long the service may take to give a token.
const TOKEN: Duration = Duration::from_secs(10);
/// How long the service may take to make a sandbox.
const CREATE: Duration = Duration::from_secs(120);

/// A workspace of Blaxel, and what its sandboxes are like.
///
/// ```no_run
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// use coldframe::RunOptions;
/// use coldframe::backend::Backend;
/// use coldframe::backend::blaxel::Blaxel;
///
/// // BL_API_KEY and BL_WORKSPACE.
/// let mut sandbox = Blaxel::from_environment()?.memory(2048).start().await?;
/// sandbox.install(&["numpy".to_owned()]).await?;
/// let outcome = sandbox.run("import numpy\nnumpy.arange(3).sum()", RunOptions::default()).await?;
/// assert_eq!(outcome.value.unwrap().repr, "np.int64(3)");
/// sandbox.cleanup().await?;
/// # Ok::<(), coldframe::backend::BackendError>(())
/// # }).unwrap();
/// ```
#[derive(Clone, Debug)]
pub struct Blaxel {
    url: String,
    key: Secret,
    /// Whether that is to be exchanged for a token.
    is_client: bool,
    workspace: String,
    image: String,
    memory: u32,
    lifetime: Option<Duration>,
    region: Option<String>,
    policy: Policy,
    start_time: Duration,
}

impl Blaxel {
    /// A workspace, and a key for it.
    pub fn new(workspace: impl Into<String>, key: Secret) -> Blaxel {
        Blaxel {
            url: "https://api.blaxel.ai/v0".to_owned(),
            key,
            is_client: false,
            workspace: workspace.into(),
            image: "blaxel/jupyter-notebook".to_owned(),
            memory: 4096,
            lifetime: None,
            region: None,
            policy: Policy::default(),
            start_time: Duration::from_secs(120),
        }
    }

    /// A workspace, and the credentials of a service account for it: they are exchanged for a token that lasts two hours, as long as its sandboxes can be used.
    pub fn with_client_credentials(workspace: impl Into<String>, credentials: Secret) -> Blaxel {
        Blaxel {
            is_client: true,
            ..Blaxel::new(workspace, credentials)
        }
    }

    /// What the service's own package would take: the workspace that `BL_WORKSPACE` names, with the key in `BL_API_KEY` or the credentials in
    /// `BL_CLIENT_CREDENTIALS`; what of it is not set is that of `~/.blaxel/config.yaml`, which the service's command `bl login` writes. It is one of the
    /// service's trial system if `BL_ENV`, or the file, says something else than `prod`.
    pub fn from_environment() -> Result<Blaxel, BackendError> {
        Blaxel::with_key(None)
    }

    /// The same with another key.
    pub(super) fn with_key(key: Option<Secret>) -> Result<Blaxel, BackendError> {
        let text = |name: &str| std::env::var(name).ok().filter(|text| !text.is_empty());
        let wanted = text("BL_WORKSPACE");
        let key = key.or_else(|| Secret::from_environment("BL_API_KEY"));
        let client = Secret::from_environment("BL_CLIENT_CREDENTIALS");
        let mut file = config::Workspace::default();
        let has_key = key.is_some() || client.is_some();
        if !has_key || wanted.is_none() {
            file = from_file(wanted.as_deref())?;
        }
        let workspace = wanted.unwrap_or(file.name);
        if workspace.is_empty() {
            return Err(wrong("the workspace is missing: BL_WORKSPACE is not set"));
        }
        let blaxel = match (key, client, file.api_key, file.client_credentials) {
            (Some(key), ..) => Blaxel::new(workspace, key),
            (_, Some(client), ..) => Blaxel::with_client_credentials(workspace, client),
            (_, _, Some(key), _) => Blaxel::new(workspace, key),
            (.., Some(client)) => Blaxel::with_client_credentials(workspace, client),
            _ if file.has_login => {
                return Err(wrong(
                    "the login of a browser is not supported: BL_API_KEY or BL_CLIENT_CREDENTIALS has to be set",
                ));
            }
            _ => return Err(wrong("the key is missing: BL_API_KEY is not set")),
        };
        Ok(match text("BL_ENV").or(file.env) {
            Some(kind) if kind != "prod" => blaxel.url("https://api.blaxel.dev/v0"),
            _ => blaxel,
        })
    }

    /// The address of the control plane, if it is not the usual one.
    pub fn url(mut self, url: impl Into<String>) -> Self {
        self.url = url.into();
        self
    }

    /// The image, which must start a kernel gateway at port 8888; `blaxel/jupyter-notebook` if not set.
    pub fn image(mut self, name: impl Into<String>) -> Self {
        self.image = name.into();
        self
    }

    /// The memory of a sandbox in MiB; 4096 if not set.
    pub fn memory(mut self, mebibytes: u32) -> Self {
        self.memory = mebibytes;
        self
    }

    /// How long a sandbox lives at most, in whole seconds: the service deletes it then, whatever becomes of this process. It lives on if not set.
    pub fn lifetime(mut self, time: Duration) -> Self {
        self.lifetime = Some(time);
        self
    }

    /// Where sandboxes are; the workspace's own choice if not set.
    pub fn region(mut self, region: impl Into<String>) -> Self {
        self.region = Some(region.into());
        self
    }

    /// The policy; see [the module](super::jupyter) for what of it holds.
    pub fn policy(mut self, policy: impl Into<Policy>) -> Self {
        self.policy = policy.into();
        self
    }

    /// How long sandbox and kernel may take to get ready; 120 seconds if not set.
    pub fn start_time(mut self, time: Duration) -> Self {
        self.start_time = time;
        self
    }

    /// Makes a sandbox, and a kernel in it.
    pub async fn start(&self) -> Result<Sandbox, BackendError> {
        let bearer = self.bearer().await?;
        let control = self.http(&self.url, &bearer)?;
        let number = super::jupyter::random_id()?;
        let name = format!("coldframe-{}", &number[..8]);
        let path = format!("/sandboxes/{name}");
        let step = Arc::new(Step::default());
        let guard = {
            let (account, control, step) = (self.clone(), control.clone(), step.clone());
            Guard::new(move || async move {
                // The token may have expired.
                let control = match account.is_client {
                    true => match account.bearer().await {
                        Ok(bearer) => account.http(&account.url, &bearer).unwrap_or(control),
                        Err(_) => control,
                    },
                    false => control,
                };
                control.delete_if_made(&path, step.looks()).await;
            })
        };
        step.ask();
        let opened = match self.create(&control, &name).await {
            Ok(sandbox) => {
                step.made();
                self.open(&control, &sandbox, &bearer)
            }
            Err(error) => {
                step.failed(&error);
                Err(error)
            }
        };
        let (processes, gateway) = match opened {
            Ok(opened) => opened,
            Err(error) => {
                guard.remove().await;
                return Err(error);
            }
        };
        let setup = Setup {
            kernel_name: None,
            policy: self.policy.clone(),
            start_time: self.start_time,
            ready_path: Some(READY),
        };
        let kernel = Kernel::start(gateway, setup, Some(guard)).await?;
        Ok(Sandbox {
            kernel,
            processes,
            name,
        })
    }

    /// The key, or the token that one gets for it.
    async fn bearer(&self) -> Result<Secret, BackendError> {
        if !self.is_client {
            return Ok(self.key.clone());
        }
        let control = Http::new(PLACE, &self.url)?
            .hide(&self.key)
            .header("authorization", format!("Basic {}", self.key.reveal()))?;
        let request = json!({"grant_type": "client_credentials"});
        let request = Request::post("/oauth/token").json(&request).time(TOKEN);
        let answer = control.send(request).await?;
        let answer: Json = serde_json::from_slice(&answer.body).unwrap_or_default();
        match answer["access_token"].as_str() {
            Some(token) if !token.is_empty() => Ok(Secret::new(token)),
            _ => Err(control.protocol("a token that is none")),
        }
    }

    /// A server that gets the credentials.
    fn http(&self, url: &str, bearer: &Secret) -> Result<Http, BackendError> {
        Http::new(PLACE, url)?
            .hide(&self.key)
            .hide(bearer)
            .header(
                "x-blaxel-authorization",
                format!("Bearer {}", bearer.reveal()),
            )?
            .header("x-blaxel-workspace", &self.workspace)?
            .header("blaxel-version", VERSION)
    }

    async fn create(&self, control: &Http, name: &str) -> Result<Json, BackendError> {
        let mut spec = json!({
            "runtime": {"image": self.image, "memory": self.memory, "ports": [{"target": PORT}]},
        });
        if let Some(lifetime) = self.lifetime {
            spec["runtime"]["ttl"] = lifetime.as_secs().to_string().into();
        }
        if let Some(region) = &self.region {
            spec["region"] = region.as_str().into();
        }
        let body = json!({"metadata": {"name": name}, "spec": spec});
        let request = Request::post("/sandboxes?createIfNotExist=false")
            .json(&body)
            .time(CREATE);
        let answer = control.send(request).await?;
        serde_json::from_slice(&answer.body)
            .map_err(|_| control.protocol("a sandbox that is not JSON"))
    }

    /// The sandbox's own server, and the gateway in it.
    fn open(
        &self,
        control: &Http,
        sandbox: &Json,
        bearer: &Secret,
    ) -> Result<(Http, Http), BackendError> {
        let Some(url) = sandbox["metadata"]["url"].as_str() else {
            return Err(control.protocol("a sandbox without an address"));
        };
        let url = url.trim_end_matches('/');
        let processes = self.http(url, bearer)?;
        // The key goes there: not in clear text, unless it came that way.
        if control.base().scheme() == "https" && processes.base().scheme() != "https" {
            return Err(control.protocol("a sandbox whose address is not one of https"));
        }
        let gateway = self.http(&format!("{url}/port/{PORT}"), bearer)?;
        Ok((processes, gateway))
    }
}

impl Launcher for Blaxel {
    fn place(&self) -> Place {
        PLACE
    }

    fn launch(&self) -> Pending<'_, Box<dyn Backend>> {
        Box::pin(async move { Ok(Box::new(self.start().await?) as Box<dyn Backend>) })
    }
}

/// A sandbox with a kernel in it. Dropping it deletes it, for which the thread waits; [`Backend::cleanup`] does it without.
#[derive(Debug)]
pub struct Sandbox {
    kernel: Kernel,
    processes: Http,
    name: String,
}

impl Sandbox {
    /// Its name in the workspace.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The kernel in it.
    pub fn kernel(&mut self) -> &mut Kernel {
        &mut self.kernel
    }

    /// Runs an installer in the sandbox, beside the kernel, and waits for it.
    async fn pip(&self, packages: &[String]) -> Result<(), BackendError> {
        let failed = |reason: &str| BackendError::Install {
            place: PLACE,
            packages: packages.join(", "),
            reason: self.processes.masked(reason.trim()),
        };
        let quoted: Vec<String> = packages.iter().map(|package| quoted(package)).collect();
        let command = format!("pip install --root-user-action=ignore {}", quoted.join(" "));
        let body = json!({"name": INSTALLER, "command": command});
        self.processes
            .send(Request::post("/process").json(&body))
            .await?;
        let path = format!("/process/{INSTALLER}");
        let end = Instant::now() + INSTALL;
        loop {
            let answer = self.processes.send(Request::get(&path)).await?;
            let state: Json = serde_json::from_slice(&answer.body)
                .map_err(|_| self.processes.protocol("a process that is not JSON"))?;
            let status = state["status"]
                .as_str()
                .ok_or_else(|| self.processes.protocol("a process without a status"))?;
            if status != "running" {
                if state["exitCode"] == 0 {
                    return Ok(());
                }
                let said = ["logs", "stderr", "stdout"]
                    .iter()
                    .filter_map(|key| state[key].as_str())
                    .find(|text| !text.trim().is_empty());
                let reason = match said {
                    // The end says what went wrong.
                    Some(said) => last(said, 400).to_owned(),
                    None => format!("the installer {status} with status {}", state["exitCode"]),
                };
                return Err(failed(&reason));
            }
            if Instant::now() >= end {
                return Err(failed("it takes too long"));
            }
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
    }
}

impl Backend for Sandbox {
    fn place(&self) -> Place {
        PLACE
    }

    fn run<'a>(&'a mut self, source: &'a str, options: RunOptions) -> Pending<'a, Outcome> {
        self.kernel.run(source, options)
    }

    fn install<'a>(&'a mut self, packages: &'a [String]) -> Pending<'a, ()> {
        Box::pin(async move {
            for package in packages {
                check_package(PLACE, package)?;
            }
            if self.kernel.is_closed() {
                return Err(BackendError::Closed(PLACE));
            }
            if packages.is_empty() {
                return Ok(());
            }
            self.pip(packages).await?;
            // What the kernel remembers of its folders is older.
            let forget = "__import__('importlib').invalidate_caches()";
            self.kernel.run_cell(forget, RunOptions::default()).await?;
            Ok(())
        })
    }

    fn set_variables<'a>(&'a mut self, variables: &'a [(String, Value)]) -> Pending<'a, ()> {
        self.kernel.set_variables(variables)
    }

    fn get_variable<'a>(&'a mut self, name: &'a str) -> Pending<'a, Option<Value>> {
        self.kernel.get_variable(name)
    }

    fn list_variables(&mut self, repr_limit: u32) -> Pending<'_, Vec<Variable>> {
        self.kernel.list_variables(repr_limit)
    }

    fn set_tools<'a>(&'a mut self, tools: &'a Tools) -> Pending<'a, ()> {
        self.kernel.set_tools(tools)
    }

    fn cancel_handle(&self) -> CancelHandle {
        self.kernel.cancel_handle()
    }

    fn changes<'a>(&'a mut self, marks: &'a Marks) -> Pending<'a, Changes> {
        self.kernel.changes(marks)
    }

    fn apply<'a>(&'a mut self, changes: &'a Changes) -> Pending<'a, Marks> {
        self.kernel.apply(changes)
    }

    fn cleanup(&mut self) -> Pending<'_, ()> {
        self.kernel.cleanup()
    }
}

/// What the service's own command has left in the home directory; nothing if it has left none.
fn from_file(wanted: Option<&str>) -> Result<config::Workspace, BackendError> {
    let Some(home) = std::env::home_dir().filter(|home| !home.as_os_str().is_empty()) else {
        return Ok(config::Workspace::default());
    };
    let path = home.join(".blaxel").join("config.yaml");
    let refused = |reason: &str| wrong(&format!("cannot read {}: {reason}", path.display()));
    match std::fs::read_to_string(&path) {
        Ok(text) => config::workspace(&text, wanted).map_err(|reason| refused(&reason)),
        Err(error) if is_missing(&error) => Ok(config::Workspace::default()),
        Err(error) => Err(refused(&error.to_string())),
    }
}

/// The name of a package as a word of a shell, in which `<` and `*` mean something. It holds no quotation marks, see [`check_package`].
fn quoted(package: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.,=+".contains(c);
    if package.chars().all(plain) {
        return package.to_owned();
    }
    format!("'{package}'")
}

fn last(text: &str, bytes: usize) -> &str {
    let text = text.trim();
    let start =
        (text.len().saturating_sub(bytes)..text.len()).find(|at| text.is_char_boundary(*at));
    start.map_or("", |start| &text[start..])
}

fn wrong(reason: &str) -> BackendError {
    BackendError::Configuration {
        place: PLACE,
        reason: reason.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_words_of_a_shell() {
        assert_eq!(quoted("numpy"), "numpy");
        assert_eq!(quoted("numpy==2.1"), "numpy==2.1");
        assert_eq!(quoted("a[b]>=1,<2"), "'a[b]>=1,<2'");
        assert!(check_package(PLACE, "a'b").is_err());
    }

    #[test]
    fn ends_of_texts_are_whole_characters() {
        assert_eq!(last("aéb", 2), "b");
        assert_eq!(last(" abc ", 9), "abc");
        assert_eq!(last("", 9), "");
    }
}
