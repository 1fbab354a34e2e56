//! Containers of a Docker engine, each with a kernel gateway in it.
//!
//! The engine is spoken to over its unix socket, or over HTTP. A container is made for each backend, from an image that is built when it is missing, and
//! removed with it; what a process that crashed has left behind is removed at the next launch. The kernel in it is that of [`jupyter`](super::jupyter), and what
//! is said there of policies holds.
//!
//! A container shares the kernel of its machine with everything else there. What narrows it: 512 MiB of memory and no swap, half a processor, 100 processes, no
//! capabilities, no way to new privileges, and a user that is not root. Its gateway is published on the loopback interface only, at a port that the engine
//! chooses, and asks for a token that is made for it.

mod engine;
mod image;
mod owner;

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value as Json, json};
use tokio::time::Instant;

use super::guard::Guard;
use super::http::Http;
use super::jupyter::{Kernel, Setup};
use super::program::check_package;
use super::{Backend, BackendError, Launcher, Pending, Place, Secret};
use crate::policy::Policy;
use engine::{Engine, Made};
use owner::Owner;

const PLACE: Place = Place::Docker;
/// The gateway's port in the container.
const PORT: u16 = 8888;
/// Who runs programs in an image that would have them run by root: nobody.
const NOBODY: &str = "65534:65534";
/// Where the engine of a machine usually listens.
const SOCKET: &str = "/var/run/docker.sock";
/// What the gateway is asked until it answers.
const READY: &str = "/api/kernelspecs";

/// A Docker engine, and what its containers are like.
///
/// ```no_run
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// use coldframe::RunOptions;
/// use coldframe::backend::Backend;
/// use coldframe::backend::docker::Docker;
///
/// let docker = Docker::from_environment()?.packages(["numpy"])?.memory(1 << 30);
/// let mut container = docker.start().await?;
/// let outcome = container.run("import numpy\nnumpy.arange(3).sum()", RunOptions::default()).await?;
/// assert_eq!(outcome.value.unwrap().repr, "np.int64(3)");
/// container.cleanup().await?;
/// # Ok::<(), coldframe::backend::BackendError>(())
/// # }).unwrap();
/// ```
#[derive(Clone, Debug)]
pub struct Docker {
    host: String,
    image: Option<String>,
    dockerfile: Option<String>,
    packages: Vec<String>,
    policy: Policy,
    memory: u64,
    cpus: f64,
    processes: u32,
    user: Option<String>,
    network: bool,
    publish_on: IpAddr,
    start_time: Duration,
}

impl Docker {
    /// The engine at that address: `unix:///path`, `tcp://host:port`, `http://...` or `https://...`. Certificates of clients are not supported.
    pub fn new(host: impl Into<String>) -> Docker {
        Docker {
            host: host.into(),
            image: None,
            dockerfile: None,
            packages: Vec::new(),
            policy: Policy::default(),
            memory: 512 << 20,
            cpus: 0.5,
            processes: 100,
            user: None,
            network: true,
            publish_on: IpAddr::V4(Ipv4Addr::LOCALHOST),
            start_time: Duration::from_secs(120),
        }
    }

    /// The engine that `DOCKER_HOST` names, or that of this machine.
    pub fn from_environment() -> Result<Docker, BackendError> {
        Docker::from_variables(&|name| std::env::var(name).ok().filter(|text| !text.is_empty()))
    }

    fn from_variables(set: &dyn Fn(&str) -> Option<String>) -> Result<Docker, BackendError> {
        let Some(host) = set("DOCKER_HOST") else {
            // An engine that runs without root has its socket among the user's own things.
            let is_there = |path: &str| std::path::Path::new(path).exists();
            let own = set("XDG_RUNTIME_DIR")
                .map(|folder| format!("{folder}/docker.sock"))
                .filter(|own| !is_there(SOCKET) && is_there(own));
            let socket = own.as_deref().unwrap_or(SOCKET);
            return Ok(Docker::new(format!("unix://{socket}")));
        };
        let wants_certificates = set("DOCKER_TLS_VERIFY").or_else(|| set("DOCKER_CERT_PATH"));
        if wants_certificates.is_some() && !host.starts_with("unix://") {
            return Err(wrong(
                "DOCKER_TLS_VERIFY and DOCKER_CERT_PATH ask for certificates of the client, which are not supported",
            ));
        }
        Ok(Docker::new(host))
    }

    /// The image, which must be there and start a kernel gateway at port 8888 with the token of the variable `KG_AUTH_TOKEN`. If none is given, an image is built
    /// once and kept.
    pub fn image(mut self, name: impl Into<String>) -> Self {
        self.image = Some(name.into());
        self
    }

    /// The Dockerfile of the image to be built, in place of [the one](Self::default_dockerfile) that is there.
    pub fn dockerfile(mut self, text: impl Into<String>) -> Self {
        self.dockerfile = Some(text.into());
        self
    }

    /// The Dockerfile of the image that is built if nothing else is said.
    pub fn default_dockerfile() -> String {
        image::dockerfile(&[])
    }

    /// Packages that the built image has.
    pub fn packages<T: Into<String>>(
        mut self,
        packages: impl IntoIterator<Item = T>,
    ) -> Result<Self, BackendError> {
        for package in packages {
            let package = package.into();
            check_package(PLACE, &package)?;
            self.packages.push(package);
        }
        Ok(self)
    }

    /// The policy; see [the module](super::jupyter) for what of it holds.
    pub fn policy(mut self, policy: impl Into<Policy>) -> Self {
        self.policy = policy.into();
        self
    }

    /// The memory of a container in bytes, without any swap; 512 MiB if not set.
    pub fn memory(mut self, bytes: u64) -> Self {
        self.memory = bytes;
        self
    }

    /// How many processors a container may keep busy; half a one if not set.
    pub fn cpus(mut self, cpus: f64) -> Self {
        self.cpus = cpus;
        self
    }

    /// How many processes and threads a container may have; 100 if not set.
    pub fn processes(mut self, processes: u32) -> Self {
        self.processes = processes;
        self
    }

    /// Who runs programs, as a name or number with a group perhaps. If not set, the image's own user, or nobody if that is root.
    pub fn user(mut self, user: impl Into<String>) -> Self {
        self.user = Some(user.into());
        self
    }

    /// Whether programs reach a network; they do if not set. Without, a container is in a network of its own that leads nowhere but to this machine, on which the
    /// engine must run, under Linux; packages cannot be installed then, only built in.
    pub fn network(mut self, network: bool) -> Self {
        self.network = network;
        self
    }

    /// The address of the engine's machine at which the gateway can be reached; its loopback interface if not set, which only does for an engine of this machine.
    /// What is sent to another machine is not encrypted.
    pub fn publish_on(mut self, address: IpAddr) -> Self {
        self.publish_on = address;
        self
    }

    /// How long container, gateway and kernel may take to get ready; 120 seconds if not set. The time to build an image does not count.
    pub fn start_time(mut self, time: Duration) -> Self {
        self.start_time = time;
        self
    }

    /// Starts a container with a kernel.
    pub async fn start(&self) -> Result<Kernel, BackendError> {
        self.check()?;
        let is_unix = self.host.starts_with("unix://");
        let token = Secret::random()
            .map_err(|error| crate::Error::Engine(format!("no entropy: {error}")))?;
        let http = Http::new(PLACE, &self.address()?)?.hide(&token);
        let is_here = is_unix || is_loopback(http.base().host_str().unwrap_or_default());
        if !is_here && self.publish_on.is_loopback() {
            return Err(wrong(
                "the engine is on another machine, whose loopback interface cannot be reached: an address of it has to be chosen (publish_on)",
            ));
        }
        let is_reached_inside = is_unix && cfg!(target_os = "linux");
        if !self.network && !is_reached_inside {
            return Err(wrong(
                "containers without a network can only be reached under Linux, on the machine of the engine and over its unix socket",
            ));
        }
        let engine = Engine::connect(http).await?;
        let owner = Owner::this();
        if let Some(owner) = &owner
            && let Err(error) = engine.sweep(owner, is_unix).await
        {
            tracing::warn!(%error, "old containers cannot be looked for");
        }
        let image = self.image_of(&engine).await?;

        let number = super::jupyter::random_id()?;
        let name = format!("coldframe-{number}");
        let made = Arc::new(Made::default());
        let guard = {
            let (engine, made, name) = (engine.clone(), made.clone(), name.clone());
            Guard::new(move || async move { engine.remove(&name, &made).await })
        };
        let launch = Launch {
            docker: self,
            engine: &engine,
            name: &name,
            end: Instant::now() + self.start_time,
        };
        let started = async {
            if !self.network {
                engine::create_network(&engine, &made, &name, owner.as_ref()).await?;
            }
            let body = self.container(&name, &image, &token, owner.as_ref());
            let path = format!("/containers/create?name={name}");
            engine.create(&made.container, &path, &body).await?;
            engine.start(&name).await?;
            launch.wait(&token).await
        };
        let gateway = match started.await {
            Ok(gateway) => gateway,
            Err(error) => {
                guard.remove().await;
                return Err(error);
            }
        };
        let setup = Setup {
            kernel_name: None,
            policy: self.policy.clone(),
            start_time: self.start_time,
            ready_path: None,
        };
        Kernel::start(gateway, setup, Some(guard)).await
    }

    fn check(&self) -> Result<(), BackendError> {
        // The engine takes a period of 100,000 microseconds, and a quota of at least a hundredth of it.
        if !(0.01..=10_000.0).contains(&self.cpus) {
            return Err(wrong("a container needs at least 0.01 processors"));
        }
        if i64::try_from(self.memory).is_err() || self.memory == 0 || self.processes == 0 {
            return Err(wrong("a container needs memory and processes"));
        }
        let good = |c: char| c.is_ascii_alphanumeric() || "._-/:@".contains(c);
        if let Some(image) = &self.image {
            let is_name = image.starts_with(|c: char| c.is_ascii_alphanumeric())
                && image.chars().all(good)
                && !image.contains("..");
            if !is_name {
                return Err(wrong(&format!("{image:?} is not the name of an image")));
            }
            if self.dockerfile.is_some() || !self.packages.is_empty() {
                return Err(wrong(
                    "an image is either given or built: packages and a Dockerfile belong to a built one",
                ));
            }
        }
        if self.dockerfile.is_some() && !self.packages.is_empty() {
            return Err(wrong("a Dockerfile of one's own installs its own packages"));
        }
        Ok(())
    }

    /// As the HTTP client takes it.
    fn address(&self) -> Result<String, BackendError> {
        if let Some(rest) = self.host.strip_prefix("tcp://") {
            return Ok(format!("http://{rest}"));
        }
        match self.host.split_once("://") {
            Some(("unix" | "http" | "https", _)) => Ok(self.host.clone()),
            _ => Err(wrong(
                "the address of the engine must begin with unix://, tcp://, http:// or https://",
            )),
        }
    }

    /// The image, which is built if it is missing, and who runs programs in it.
    async fn image_of(&self, engine: &Engine) -> Result<Image, BackendError> {
        let (name, description) = match &self.image {
            Some(name) => {
                let Some(description) = engine.image(name).await? else {
                    return Err(wrong(&format!(
                        "the engine has no image {name}: it has to be pulled or built first"
                    )));
                };
                (name.clone(), description)
            }
            None => {
                let dockerfile = match &self.dockerfile {
                    Some(text) => text.clone(),
                    None => image::dockerfile(&self.packages),
                };
                let name = image::name(&dockerfile);
                let description = match engine.image(&name).await? {
                    Some(description) => description,
                    None => {
                        tracing::info!(image = name, "an image is built");
                        engine.build(&name, &dockerfile).await?;
                        let built = engine.image(&name).await?;
                        built.ok_or_else(|| {
                            engine
                                .http()
                                .protocol("the image that was built is missing")
                        })?
                    }
                };
                (name, description)
            }
        };
        let own = description["Config"]["User"].as_str().unwrap_or_default();
        let user = match &self.user {
            Some(user) => user,
            None if image::is_unprivileged(own) => own,
            None => NOBODY,
        };
        Ok(Image {
            name,
            has_home: user == own,
            user: user.to_owned(),
        })
    }

    /// What the engine is to make.
    fn container(&self, name: &str, image: &Image, token: &Secret, owner: Option<&Owner>) -> Json {
        let port = format!("{PORT}/tcp");
        let mut environment = vec![format!("KG_AUTH_TOKEN={}", token.reveal())];
        if !image.has_home {
            // Who cannot write at home cannot keep the files that a kernel needs.
            environment.push("HOME=/tmp".to_owned());
        }
        let (network, bindings) = if self.network {
            let address = self.publish_on.to_string();
            let binding = json!({&port: [{"HostIp": address, "HostPort": ""}]});
            ("default", binding)
        } else {
            (name, json!({}))
        };
        // Truncation is meant: a part of a microsecond is none.
        let quota = (self.cpus * 100_000.0) as i64;
        json!({
            "ExposedPorts": {&port: {}},
            "Tty": false, "OpenStdin": false, "StdinOnce": false,
            "AttachStdin": false, "AttachStdout": false, "AttachStderr": false,
            "Env": environment,
            "Image": image.name,
            "User": image.user,
            "Labels": engine::labels(owner),
            "NetworkDisabled": false,
            "HostConfig": {
                "NetworkMode": network,
                "PortBindings": bindings,
                "Memory": self.memory,
                "MemorySwap": self.memory,
                "CpuQuota": quota,
                "PidsLimit": self.processes,
                "SecurityOpt": ["no-new-privileges"],
                "CapDrop": ["ALL"],
            },
        })
    }
}

impl Launcher for Docker {
    fn place(&self) -> Place {
        PLACE
    }

    fn launch(&self) -> Pending<'_, Box<dyn Backend>> {
        Box::pin(async move { Ok(Box::new(self.start().await?) as Box<dyn Backend>) })
    }
}

/// What a container is made of.
struct Image {
    name: String,
    user: String,
    /// Whether the user is the one that the image was made for.
    has_home: bool,
}

/// A container that is starting.
struct Launch<'a> {
    docker: &'a Docker,
    engine: &'a Engine,
    name: &'a str,
    end: Instant,
}

/// What is known of a container.
enum State {
    Starting,
    /// Its gateway is, or will be, there.
    Running(String),
    Ended(String),
}

impl Launch<'_> {
    /// Waits until the gateway answers, and no longer than the container lives.
    async fn wait(&self, token: &Secret) -> Result<Http, BackendError> {
        let mut wait = Duration::from_millis(50);
        let address = loop {
            match self.look().await? {
                State::Running(address) => break address,
                State::Ended(how) => return Err(self.not_ready(&how).await),
                State::Starting if Instant::now() + wait >= self.end => {
                    return Err(self.not_ready("the container does not start").await);
                }
                State::Starting => {}
            }
            tokio::time::sleep(wait).await;
            wait = (wait * 2).min(Duration::from_secs(1));
        };
        let gateway = Http::new(PLACE, &address)?
            .hide(token)
            .header("authorization", format!("token {}", token.reveal()))?;
        let ended = async {
            loop {
                tokio::time::sleep(Duration::from_secs(1)).await;
                if let Ok(State::Ended(how)) = self.look().await {
                    return how;
                }
            }
        };
        let left = self.end.saturating_duration_since(Instant::now());
        tokio::select! {
            ready = gateway.wait_ready(READY, left) => match ready {
                Ok(()) => Ok(gateway),
                Err(BackendError::NotReady { reason, .. }) => Err(self.not_ready(&reason).await),
                Err(error) => Err(error),
            },
            how = ended => Err(self.not_ready(&how).await),
        }
    }

    async fn look(&self) -> Result<State, BackendError> {
        let container = self.engine.inspect(self.name).await?;
        let state = &container["State"];
        let status = state["Status"].as_str().unwrap_or_default();
        if matches!(status, "exited" | "dead" | "removing") {
            let code = &state["ExitCode"];
            let mut how = format!("the container ended with status {code}");
            if state["OOMKilled"] == true {
                how.push_str(", for want of memory");
            }
            if let Some(error) = state["Error"].as_str().filter(|text| !text.is_empty()) {
                how = format!("{how}: {error}");
            }
            return Ok(State::Ended(how));
        }
        if state["Running"] != true {
            return Ok(State::Starting);
        }
        Ok(self
            .gateway(&container["NetworkSettings"])
            .map_or(State::Starting, State::Running))
    }

    /// Where the gateway is.
    fn gateway(&self, settings: &Json) -> Option<String> {
        if !self.docker.network {
            let address = settings["Networks"][self.name]["IPAddress"].as_str()?;
            let address: IpAddr = address.parse().ok()?;
            return Some(format!("http://{}", SocketAddr::new(address, PORT)));
        }
        let bound = settings["Ports"][format!("{PORT}/tcp")].as_array()?;
        let port = bound
            .iter()
            .find_map(|binding| binding["HostPort"].as_str()?.parse::<u16>().ok())
            .filter(|port| *port != 0)?;
        let address = self.docker.publish_on;
        if address.is_unspecified() {
            let host = self.engine.http().base().host_str()?.to_owned();
            return Some(format!("http://{host}:{port}"));
        }
        Some(format!("http://{}", SocketAddr::new(address, port)))
    }

    async fn not_ready(&self, reason: &str) -> BackendError {
        let said = self.engine.last_words(self.name).await;
        let reason = if said.is_empty() {
            reason.to_owned()
        } else {
            format!("{reason}; it said: {said}")
        };
        BackendError::NotReady {
            place: PLACE,
            seconds: self.docker.start_time.as_secs(),
            reason: self.engine.http().masked(&reason),
        }
    }
}

fn is_loopback(host: &str) -> bool {
    let address = host.trim_matches(['[', ']']).parse::<IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
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

    fn reason(docker: &Docker) -> String {
        let checked = docker.check().and_then(|()| docker.address().map(|_| ()));
        checked.expect_err("an error").to_string()
    }

    #[test]
    fn the_environment_names_the_engine() {
        let docker = |set: &[(&str, &str)]| {
            Docker::from_variables(&|name| {
                let found = set.iter().find(|(other, _)| *other == name);
                found.map(|(_, value)| (*value).to_owned())
            })
        };
        let host = |set: &[(&str, &str)]| docker(set).map(|docker| docker.host);
        let tcp = ("DOCKER_HOST", "tcp://127.0.0.1:2375");
        assert_eq!(host(&[tcp]).expect("a host"), tcp.1);
        let nothing = ("XDG_RUNTIME_DIR", "/no/such/folder");
        let socket = "unix:///var/run/docker.sock";
        assert_eq!(host(&[nothing]).expect("a host"), socket);
        for asks in ["DOCKER_TLS_VERIFY", "DOCKER_CERT_PATH"] {
            let error = docker(&[tcp, (asks, "1")]).expect_err("an error");
            assert!(error.to_string().contains("certificates"), "{error}");
            assert!(host(&[("DOCKER_HOST", "unix:///x"), (asks, "1")]).is_ok());
        }
    }

    #[test]
    fn what_makes_no_sense_is_said() {
        let docker = Docker::new("unix:///x");
        assert!(docker.check().is_ok());
        assert!(reason(&docker.clone().cpus(f64::NAN)).contains("processors"));
        assert!(reason(&docker.clone().memory(0)).contains("memory"));
        assert!(reason(&docker.clone().image("../x")).contains("name of an image"));
        assert!(reason(&docker.clone().image("a?b")).contains("name of an image"));
        let both = docker.clone().image("a").dockerfile("FROM b");
        assert!(reason(&both).contains("either"));
        assert!(docker.packages(["x\"; rm"]).is_err());
        assert!(reason(&Docker::new("ssh://host")).contains("must begin"));
        let tcp = Docker::new("tcp://127.0.0.1:2375").address();
        assert_eq!(tcp.expect("an address"), "http://127.0.0.1:2375");
    }
}
