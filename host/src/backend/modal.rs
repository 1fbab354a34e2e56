//! Sandboxes of Modal's: containers below gVisor, made over Modal's gRPC interface, with a Jupyter kernel gateway in each that is reached through a tunnel.
//!
//! A program runs in the kernel as on any Jupyter server: see [`jupyter`](super::jupyter) for what of the policy holds, and how tools are called. The
//! gateway's token is made for each sandbox; Modal's credentials never go there.
//!
//! Modal says of its gRPC interface that it may change without notice. This follows its Python package 1.6.4.

mod client;
mod messages;
mod profile;

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use tokio::time::Instant;

use super::guard::{Guard, Step};
use super::http::Http;
use super::jupyter::{Kernel, Setup};
use super::program::check_package;
use super::{Backend, BackendError, Launcher, Pending, Place, Secret};
use crate::policy::Policy;
use client::{Call, Client};
use messages::{
    AppGetOrCreateRequest, AppGetOrCreateResponse, BaseImage, CREATE_IF_MISSING,
    EnvironmentGetOrCreateRequest, EnvironmentGetOrCreateResponse, GLOBAL, GenericResult, Image,
    ImageGetOrCreateRequest, ImageGetOrCreateResponse, ImageJoinStreamingRequest,
    ImageJoinStreamingResponse, NetworkAccess, Nothing, OPEN, PortSpec, PortSpecs, Resources,
    SUCCESS, Sandbox, SandboxCreateV2Request, SandboxCreateV2Response, SandboxGetTunnelsRequest,
    SandboxGetTunnelsResponse, SandboxTerminateRequest, SandboxTerminateResponse, SecretSource,
    StringMap, TunnelData, WORKSPACE,
};

/// The port of the gateway in the sandbox.
const PORT: u32 = 8888;
/// How long the server is asked to wait for an image at a time.
const JOIN: Duration = Duration::from_secs(55);
/// How often waiting for an image may fail.
const JOINS: u32 = 3;
/// How long the server is asked to wait for tunnels.
const TUNNELS: Duration = Duration::from_secs(50);
/// How long a removal may take.
const REMOVAL: Duration = Duration::from_secs(10);
/// What a sandbox needs in any case.
const PACKAGES: [&str; 2] = ["ipykernel", "jupyter_kernel_gateway"];

/// An account of Modal's, and how its sandboxes are made and used.
///
/// ```no_run
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// use coldframe::RunOptions;
/// use coldframe::backend::Backend;
/// use coldframe::backend::modal::Modal;
///
/// let account = Modal::from_environment()?; // MODAL_TOKEN_ID, MODAL_TOKEN_SECRET
/// let mut kernel = account.packages(["numpy"]).connect().await?;
/// let outcome = kernel.run("import numpy\nnumpy.arange(3).sum()", RunOptions::default()).await?;
/// assert_eq!(outcome.value.unwrap().repr, "np.int64(3)");
/// kernel.cleanup().await?;
/// # Ok::<(), coldframe::backend::BackendError>(())
/// # }).unwrap();
/// ```
#[derive(Clone, Debug)]
pub struct Modal {
    token_id: Secret,
    token_secret: Secret,
    server_url: String,
    environment: String,
    app_name: String,
    image: Option<String>,
    python: Option<String>,
    packages: Vec<String>,
    memory_mb: u32,
    milli_cpu: u32,
    lifetime: Duration,
    plain_tunnel: bool,
    policy: Policy,
    build_time: Duration,
    start_time: Duration,
}

impl Modal {
    /// The account with that token, which has two parts.
    pub fn new(token_id: Secret, token_secret: Secret) -> Modal {
        Modal {
            token_id,
            token_secret,
            server_url: "https://api.modal.com".to_owned(),
            environment: String::new(),
            app_name: "coldframe".to_owned(),
            image: None,
            python: None,
            packages: Vec::new(),
            memory_mb: 0,
            milli_cpu: 0,
            lifetime: Duration::from_secs(300),
            plain_tunnel: false,
            policy: Policy::default(),
            build_time: Duration::from_secs(600),
            start_time: Duration::from_secs(60),
        }
    }

    /// What Modal's own package would take: the variables `MODAL_TOKEN_ID`, `MODAL_TOKEN_SECRET`, `MODAL_SERVER_URL` and `MODAL_ENVIRONMENT`, and what of them is
    /// not set from the file `~/.modal.toml`, or the one that `MODAL_CONFIG_PATH` names: from its active profile, or the one that `MODAL_PROFILE` names.
    pub fn from_environment() -> Result<Modal, BackendError> {
        Modal::with_token(None)
    }

    /// The same with another token.
    pub(super) fn with_token(token: Option<(Secret, Secret)>) -> Result<Modal, BackendError> {
        let wrong = |reason: String| BackendError::Configuration {
            place: Place::Modal,
            reason,
        };
        let variable = |name: &str| std::env::var(name).ok().filter(|text| !text.is_empty());
        let is_known = token.is_some()
            || (variable("MODAL_TOKEN_ID").is_some() && variable("MODAL_TOKEN_SECRET").is_some());
        let profile = match profile::load(&variable) {
            Ok(profile) => profile,
            // A file that cannot be read matters to who needs it.
            Err(_) if is_known => Default::default(),
            Err(reason) => return Err(wrong(reason)),
        };
        let setting = |key: &str| {
            variable(&format!("MODAL_{}", key.to_uppercase())).or_else(|| {
                let text = profile.get(key)?.as_str()?;
                (!text.is_empty()).then(|| text.to_owned())
            })
        };
        let secret = |key: &str| {
            setting(key).map(Secret::new).ok_or_else(|| {
                let name = format!("MODAL_{}", key.to_uppercase());
                wrong(if profile.contains_key("oauth_refresh_token") {
                    format!("{name} is not set, and the login of a browser is not supported")
                } else {
                    format!("{name} is not set")
                })
            })
        };
        let mut account = match token {
            Some((id, secret)) => Modal::new(id, secret),
            None => Modal::new(secret("token_id")?, secret("token_secret")?),
        };
        if let Some(urls) = setting("server_url") {
            // There may be others to fall back to.
            let first = urls.split(',').next().unwrap_or_default();
            first.trim().clone_into(&mut account.server_url);
        }
        account.environment = setting("environment").unwrap_or_default();
        Ok(account)
    }

    /// The address of Modal's server; `https://api.modal.com` if not set.
    pub fn server_url(mut self, url: impl Into<String>) -> Self {
        self.server_url = url.into();
        self
    }

    /// The environment of the workspace; the workspace's own choice if not set.
    pub fn environment(mut self, name: impl Into<String>) -> Self {
        self.environment = name.into();
        self
    }

    /// The app that sandboxes belong to, made if it is missing; `coldframe` if not set.
    pub fn app_name(mut self, name: impl Into<String>) -> Self {
        self.app_name = name.into();
        self
    }

    /// The number of an image that is there already, in place of the one that is built otherwise. It must have `jupyter_kernel_gateway` and `ipykernel`.
    pub fn image(mut self, id: impl Into<String>) -> Self {
        self.image = Some(id.into());
        self
    }

    /// The version of Python in the image, as the tags of Docker's images for Python have it. If not set, the latest that Modal keeps at hand.
    pub fn python(mut self, version: impl Into<String>) -> Self {
        self.python = Some(version.into());
        self
    }

    /// Packages that the image has besides what a kernel needs.
    pub fn packages<T: Into<String>>(mut self, packages: impl IntoIterator<Item = T>) -> Self {
        self.packages.extend(packages.into_iter().map(Into::into));
        self
    }

    /// How much memory a sandbox is sure to have, in MiB; Modal's own choice if not set.
    pub fn memory_mb(mut self, size: u32) -> Self {
        self.memory_mb = size;
        self
    }

    /// How many thousandths of a processor's core a sandbox is sure to have; Modal's own choice if not set.
    pub fn milli_cpu(mut self, share: u32) -> Self {
        self.milli_cpu = share;
        self
    }

    /// How long a sandbox lives if nobody gives it up; 300 seconds if not set.
    pub fn lifetime(mut self, time: Duration) -> Self {
        self.lifetime = time;
        self
    }

    /// Whether the tunnel is one without TLS, as for a server of one's own on the same machine. Over any other network the gateway's token and all that a
    /// program says could be read on the way.
    pub fn plain_tunnel(mut self, wanted: bool) -> Self {
        self.plain_tunnel = wanted;
        self
    }

    /// The policy; see [`jupyter`](super::jupyter) for what of it holds.
    pub fn policy(mut self, policy: impl Into<Policy>) -> Self {
        self.policy = policy.into();
        self
    }

    /// How long an image may take to be built, which it is once; ten minutes if not set.
    pub fn build_time(mut self, time: Duration) -> Self {
        self.build_time = time;
        self
    }

    /// How long gateway and kernel may take to get ready; 60 seconds if not set.
    pub fn start_time(mut self, time: Duration) -> Self {
        self.start_time = time;
        self
    }

    /// Makes a sandbox and starts a kernel in it. With the kernel the sandbox goes; app and image stay.
    pub async fn connect(&self) -> Result<Kernel, BackendError> {
        let mut client = Client::new(&self.server_url, &self.token_id, &self.token_secret)?;
        let app = AppGetOrCreateRequest {
            app_name: self.app_name.clone(),
            environment_name: self.environment.clone(),
            object_creation_type: CREATE_IF_MISSING,
        };
        let app: AppGetOrCreateResponse = client.call(Call::new("AppGetOrCreate", app)).await?;
        let app_id = checked(&client, app.app_id, "an app")?;
        let image_id = match &self.image {
            Some(image) => image.clone(),
            None => self.build(&mut client, &app_id).await?,
        };
        let token = random_token()?;
        client.hide(&token);
        let request = self.sandbox(app_id, image_id, &token);
        let key = super::jupyter::random_id()?;
        client.authenticate().await?;
        let made = Arc::new(Made::default());
        let guard = {
            let (client, made) = (client.fresh(), made.clone());
            let (request, key) = (request.clone(), key.clone());
            Guard::new(move || async move { remove(client, request, &key, &made).await })
        };
        let started = async {
            made.step.ask();
            let call = creation(request, &key).time(Duration::from_secs(120));
            let created = client.call(call).await;
            let created: SandboxCreateV2Response =
                created.inspect_err(|error| made.step.failed(error))?;
            let tunnels = created.tunnels.clone();
            let id = made.take(&mut client, created)?;
            let http = self.gateway(&mut client, &id, tunnels, &token).await?;
            tracing::debug!(id, "a sandbox is there");
            Ok(http)
        };
        let http = match started.await {
            Ok(http) => http,
            Err(error) => {
                guard.remove().await;
                return Err(error);
            }
        };
        let setup = Setup {
            kernel_name: None,
            policy: self.policy.clone(),
            start_time: self.start_time,
            ready_path: Some("/api/kernelspecs"),
        };
        Kernel::start(http, setup, Some(guard)).await
    }

    /// Sees to it that the image is built: Modal's own for Python, and what a kernel needs on it.
    async fn build(&self, client: &mut Client, app_id: &str) -> Result<String, BackendError> {
        let install = self.install()?;
        let environment = EnvironmentGetOrCreateRequest {
            deployment_name: self.environment.clone(),
        };
        let call = Call::new("EnvironmentGetOrCreate", environment);
        let environment: EnvironmentGetOrCreateResponse = client.call(call).await?;
        let builder_version = environment
            .metadata
            .and_then(|metadata| metadata.settings)
            .map(|settings| settings.image_builder_version)
            .unwrap_or_default();
        let (python, debian) = versions(&builder_version)?;
        let python = self.python.as_deref().unwrap_or(python);
        let end = Instant::now() + self.build_time;
        let mut request = ImageGetOrCreateRequest {
            image: Some(Image {
                dockerfile_commands: vec![
                    format!("FROM python:{python}-slim-{debian}"),
                    "RUN apt-get update".to_owned(),
                    "RUN apt-get install -y gcc gfortran build-essential".to_owned(),
                    "RUN pip install --upgrade pip wheel uv".to_owned(),
                    "RUN echo 'debconf debconf/frontend select Noninteractive' | debconf-set-selections".to_owned(),
                    "CMD [\"sleep\", \"172800\"]".to_owned(),
                ],
                gpu_config: Some(Nothing {}),
                image_registry_config: Some(Nothing {}),
                ..Image::default()
            }),
            app_id: app_id.to_owned(),
            namespace: GLOBAL,
            builder_version,
        };
        let base = self.image_of(client, &request, end).await?;
        request.namespace = WORKSPACE;
        request.image = Some(Image {
            base_images: vec![BaseImage {
                image_id: base,
                docker_tag: "base".to_owned(),
            }],
            dockerfile_commands: vec![
                "FROM base".to_owned(),
                "COPY --from=ghcr.io/astral-sh/uv:latest /uv /.uv/uv".to_owned(),
                install,
            ],
            gpu_config: Some(Nothing {}),
            image_registry_config: Some(Nothing {}),
        });
        self.image_of(client, &request, end).await
    }

    /// The command that installs the packages.
    fn install(&self) -> Result<String, BackendError> {
        let mut packages: Vec<&str> = self.packages.iter().map(String::as_str).collect();
        packages.extend(PACKAGES);
        packages.sort_unstable();
        packages.dedup();
        let mut command =
            "RUN /.uv/uv pip install --python $(command -v python) --compile-bytecode".to_owned();
        for package in packages {
            check_package(Place::Modal, package)?;
            let plain = |c: char| c.is_ascii_alphanumeric() || "-_.,=+".contains(c);
            command.push(' ');
            if package.chars().all(plain) {
                command.push_str(package);
            } else {
                // No name of a package has a quote.
                command.push_str(&format!("'{package}'"));
            }
        }
        Ok(command)
    }

    /// The image's number, once it is built.
    async fn image_of(
        &self,
        client: &mut Client,
        request: &ImageGetOrCreateRequest,
        end: Instant,
    ) -> Result<String, BackendError> {
        let call = Call::new("ImageGetOrCreate", request.clone());
        let made: ImageGetOrCreateResponse = client.call(call).await?;
        let id = checked(client, made.image_id, "an image")?;
        let mut result = made.result.filter(|result| result.status != 0);
        let mut last_entry_id = String::new();
        let mut failures = 0;
        let result = loop {
            if let Some(result) = result {
                break result;
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(BackendError::NotReady {
                    place: Place::Modal,
                    seconds: self.build_time.as_secs(),
                    reason: format!("the image {id} is being built"),
                });
            }
            let join = ImageJoinStreamingRequest {
                image_id: id.clone(),
                timeout: JOIN.as_secs_f32(),
                last_entry_id: last_entry_id.clone(),
            };
            let time = (JOIN + Duration::from_secs(20)).min(left);
            let call = Call::new("ImageJoinStreaming", join).time(time);
            let take = |message: ImageJoinStreamingResponse| {
                if !message.entry_id.is_empty() {
                    last_entry_id = message.entry_id;
                }
                message.result.filter(|result| result.status != 0)
            };
            let started = Instant::now();
            result = match client.stream(call, take).await {
                Ok(result) => result,
                // It may be the connection only.
                Err(
                    error @ (BackendError::Unreachable { .. }
                    | BackendError::Refused {
                        status: 499..=504, ..
                    }),
                ) => {
                    failures += 1;
                    if failures >= JOINS && Instant::now() < end {
                        return Err(error);
                    }
                    None
                }
                Err(error) => return Err(error),
            };
            if result.is_none() && started.elapsed() < Duration::from_millis(200) {
                tokio::time::sleep(Duration::from_millis(200)).await;
            }
        };
        match result {
            GenericResult {
                status: SUCCESS, ..
            } => Ok(id),
            GenericResult { status, exception } => {
                let reason = client.masked(exception.trim());
                let why = match status {
                    2 | 8 => "failed",
                    3 => "was terminated",
                    4 => "took too long for the server",
                    _ => "ended in a way that is not known",
                };
                Err(BackendError::Configuration {
                    place: Place::Modal,
                    reason: format!("the build of the image {id} {why}: {reason}"),
                })
            }
        }
    }

    fn sandbox(&self, app_id: String, image_id: String, token: &Secret) -> SandboxCreateV2Request {
        let environment = [("KG_AUTH_TOKEN".to_owned(), token.reveal().to_owned())];
        SandboxCreateV2Request {
            app_id,
            definition: Some(Sandbox {
                entrypoint_args: vec![
                    "jupyter".to_owned(),
                    "kernelgateway".to_owned(),
                    "--KernelGatewayApp.ip=0.0.0.0".to_owned(),
                    format!("--KernelGatewayApp.port={PORT}"),
                ],
                image_id,
                resources: Some(Resources {
                    memory_mb: self.memory_mb,
                    milli_cpu: self.milli_cpu,
                    gpu_config: Some(Nothing {}),
                }),
                timeout_secs: u32::try_from(self.lifetime.as_secs()).unwrap_or(u32::MAX),
                open_ports: Some(PortSpecs {
                    ports: vec![PortSpec {
                        port: PORT,
                        unencrypted: self.plain_tunnel,
                    }],
                }),
                network_access: Some(NetworkAccess {
                    network_access_type: OPEN,
                }),
            }),
            secret_sources: vec![SecretSource {
                env: Some(StringMap {
                    contents: BTreeMap::from(environment),
                }),
            }],
        }
    }

    /// The way to the sandbox's gateway.
    async fn gateway(
        &self,
        client: &mut Client,
        id: &str,
        mut tunnels: Vec<TunnelData>,
        token: &Secret,
    ) -> Result<Http, BackendError> {
        let mut url = self.url(client, &tunnels);
        if tunnels.is_empty() || url.is_err() {
            let request = SandboxGetTunnelsRequest {
                sandbox_id: id.to_owned(),
                timeout: TUNNELS.as_secs_f32(),
            };
            let call = Call::new("SandboxGetTunnelsV2", request)
                .with_auth()
                .time(TUNNELS + Duration::from_secs(10));
            let answer: SandboxGetTunnelsResponse = client.call(call).await?;
            if let Some(result) = answer.result.filter(|result| result.status > SUCCESS) {
                return Err(BackendError::NotReady {
                    place: Place::Modal,
                    seconds: TUNNELS.as_secs(),
                    reason: format!(
                        "the sandbox has no tunnel: {}",
                        client.masked(result.exception.trim())
                    ),
                });
            }
            tunnels = answer.tunnels;
            url = self.url(client, &tunnels);
        }
        Http::new(Place::Modal, &url?)?
            .hide(&self.token_id)
            .hide(&self.token_secret)
            .hide(token)
            .header("authorization", format!("token {}", token.reveal()))
    }

    /// The address that the tunnels give the gateway.
    fn url(&self, client: &Client, tunnels: &[TunnelData]) -> Result<String, BackendError> {
        let good = |host: &str| {
            let good = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '.';
            !host.is_empty() && host.len() <= 253 && host.chars().all(good)
        };
        let tunnel = tunnels
            .iter()
            .find(|tunnel| tunnel.container_port == PORT)
            .ok_or_else(|| client.protocol("a sandbox without a tunnel"))?;
        let (scheme, host, port) = if self.plain_tunnel {
            ("http", &tunnel.unencrypted_host, tunnel.unencrypted_port)
        } else {
            ("https", &tunnel.host, tunnel.port)
        };
        match u16::try_from(port) {
            Ok(port) if port != 0 && good(host) => Ok(format!("{scheme}://{host}:{port}")),
            _ => Err(client.protocol("a tunnel that leads nowhere")),
        }
    }
}

impl Launcher for Modal {
    fn place(&self) -> Place {
        Place::Modal
    }

    fn launch(&self) -> Pending<'_, Box<dyn Backend>> {
        Box::pin(async move { Ok(Box::new(self.connect().await?) as Box<dyn Backend>) })
    }
}

/// What is known of a sandbox that was asked for.
#[derive(Default)]
struct Made {
    step: Step,
    /// Its number, and its token if it has one.
    known: OnceLock<(String, Option<Secret>)>,
}

impl Made {
    /// Takes notice of a sandbox; its number. The client has its token from then on.
    fn take(
        &self,
        client: &mut Client,
        created: SandboxCreateV2Response,
    ) -> Result<String, BackendError> {
        let id = checked(client, created.sandbox_id, "a sandbox")?;
        let token = Some(created.sandbox_token).filter(|token| !token.is_empty());
        let token = token.map(Secret::new);
        if let Some(token) = &token {
            client.hide(token);
        }
        client.sandbox_token.clone_from(&token);
        let _ = self.known.set((id.clone(), token));
        self.step.made();
        Ok(id)
    }
}

fn creation(request: SandboxCreateV2Request, key: &str) -> Call<SandboxCreateV2Request> {
    Call::new("SandboxCreateV2", request).with_auth().key(key)
}

/// Ends the sandbox, if there is one. When the answer that had its number was lost, the call is made once more under its key: the server answers with the sandbox
/// that it made for it.
async fn remove(mut client: Client, request: SandboxCreateV2Request, key: &str, made: &Made) {
    let removed = async {
        let id = match made.known.get() {
            Some((id, token)) => {
                if let Some(token) = token {
                    client.hide(token);
                }
                client.sandbox_token.clone_from(token);
                id.clone()
            }
            None if made.step.looks() == 0 => return Ok(()),
            None => {
                let created = client.call(creation(request, key).time(REMOVAL)).await?;
                made.take(&mut client, created)?
            }
        };
        let request = SandboxTerminateRequest { sandbox_id: id };
        let call = Call::new("SandboxTerminateV2", request)
            .with_auth()
            .time(REMOVAL);
        match client.call::<_, SandboxTerminateResponse>(call).await {
            Ok(_) | Err(BackendError::Refused { status: 404, .. }) => Ok(()),
            Err(error) => Err(error),
        }
    };
    match removed.await {
        Ok(()) => tracing::debug!(place = %Place::Modal, "removed"),
        Err(error) => {
            tracing::warn!(place = %Place::Modal, %error, "a remote resource cannot be removed");
        }
    }
}

/// A number that the server gives something.
fn checked(client: &Client, id: String, what: &str) -> Result<String, BackendError> {
    let good = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if id.is_empty() || id.len() > 100 || !id.chars().all(good) {
        return Err(client.protocol(&format!("{what} without a proper number")));
    }
    Ok(id)
}

fn random_token() -> Result<Secret, BackendError> {
    Secret::random().map_err(|error| crate::Error::Engine(format!("no entropy: {error}")).into())
}

/// The version of Python that Modal keeps at hand with that version of its image builder, and that of Debian below it.
fn versions(builder: &str) -> Result<(&'static str, &'static str), BackendError> {
    match builder {
        "2025.06" => Ok(("3.14.2", "bookworm")),
        // Versions are dates.
        newer if newer > "2025.06" => Ok(("3.14", "trixie")),
        _ => Err(BackendError::Configuration {
            place: Place::Modal,
            reason: format!(
                "the environment builds images of version {builder:?}; it must be 2025.06 or newer, or the number of an image has to be given"
            ),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_quoted_as_a_shell_wants_it() {
        let account = Modal::new(Secret::new("a"), Secret::new("b"));
        let command = account
            .clone()
            .packages(["numpy>=2", "pandas", "ipykernel"])
            .install()
            .expect("a command");
        assert!(
            command.ends_with(" ipykernel jupyter_kernel_gateway 'numpy>=2' pandas"),
            "{command}"
        );
        assert!(account.packages(["x; rm"]).install().is_err());
    }

    #[test]
    fn builders_are_known_by_their_dates() {
        assert!(versions("2024.10").is_err() && versions("").is_err());
        assert_eq!(versions("2025.06").expect("versions").1, "bookworm");
        assert_eq!(versions("2026.10").expect("versions").1, "trixie");
        assert_eq!(versions("PREVIEW").expect("versions").1, "trixie");
    }
}
