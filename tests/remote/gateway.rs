//! A real kernel gateway for the tests: from PyPI, in a virtual environment below the target directory, on the loopback interface only.

use std::io::Write as _;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::{env, fs};

use tokio::net::TcpSocket;

/// What the virtual environment holds. numpy is the heavy import of the tests, pillow the maker of pictures.
const PACKAGES: &[&str] = &[
    "jupyter_kernel_gateway==3.0.1",
    "ipykernel",
    "numpy",
    "pillow",
];
/// What the one of Modal's stand-in holds: the messages of its service, a gateway for its sandboxes, and certificates for their tunnels.
const MODAL: &[&str] = &[
    "modal==1.6.4",
    "jupyter_kernel_gateway==3.0.1",
    "ipykernel",
    "numpy",
    "trustme",
];

/// The token of the gateway: planted, so that tests can look for it where it must not be.
pub const TOKEN: &str = "planted-token-5f1c";

/// A port of the loopback interface that nobody listens on and nobody else gets: it is bound. A server that says `SO_REUSEADDR`, as all do, can still listen on it.
pub struct Port {
    number: u16,
    _bound: TcpSocket,
}

impl Port {
    pub fn reserve() -> Port {
        let socket = TcpSocket::new_v4().expect("a socket");
        socket.set_reuseaddr(true).expect("a socket");
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        socket.bind(address).expect("a port");
        Port {
            number: socket.local_addr().expect("an address").port(),
            _bound: socket,
        }
    }

    pub fn number(&self) -> u16 {
        self.number
    }
}

/// A running gateway. It ends when it is dropped.
pub struct Gateway {
    child: Child,
    port: u16,
    /// Until the end, so that nobody else answers in its place.
    _reserved: Option<Port>,
}

impl Gateway {
    pub fn port(&self) -> u16 {
        self.port
    }

    pub fn stop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        self.stop();
    }
}

/// The address of the one gateway of this process.
pub fn url() -> String {
    static GATEWAY: OnceLock<Gateway> = OnceLock::new();
    let gateway = GATEWAY.get_or_init(|| {
        let gateway = start();
        stop_at_exit(&gateway);
        gateway
    });
    format!("http://127.0.0.1:{}", gateway.port)
}

/// Sees to it that a gateway starts quickly.
pub fn prepare() {
    environment();
}

/// Starts a gateway of one's own.
pub fn start() -> Gateway {
    start_with(TOKEN)
}

/// Starts a gateway of one's own that asks for that token.
pub fn start_with(token: &str) -> Gateway {
    let port = Port::reserve();
    let mut gateway = start_at(Ipv4Addr::LOCALHOST, port.number, token);
    gateway._reserved = Some(port);
    gateway
}

/// Starts a gateway of one's own at that address, which is one of the loopback interface.
pub fn start_at(address: Ipv4Addr, port: u16, token: &str) -> Gateway {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    // Kernels are reached over sockets in this folder: ports could be taken by others before a kernel listens on them. Names of sockets are short.
    let folder = PathBuf::from(format!(
        "/tmp/coldframe-test-{}-{count}",
        std::process::id()
    ));
    fs::create_dir_all(&folder).expect("a folder");
    let child = Command::new(environment().join("bin/jupyter-kernelgateway"))
        .args(["--JupyterWebsocketPersonality.list_kernels=True"])
        .args(["--KernelManager.transport=ipc"])
        .args(["--KernelGatewayApp.port_retries=0"])
        .arg(format!("--KernelGatewayApp.ip={address}"))
        .arg(format!("--KernelGatewayApp.port={port}"))
        .env("KG_AUTH_TOKEN", token)
        .env("PATH", search_path())
        .env("IPYTHONDIR", folder.join("ipython"))
        .env("JUPYTER_RUNTIME_DIR", &folder)
        .env_remove("PYTHONPATH")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the gateway starts");
    Gateway {
        child,
        port,
        _reserved: None,
    }
}

/// An address of the loopback interface that no other process of these tests uses.
pub fn own_address() -> Ipv4Addr {
    let [_, _, high, low] = std::process::id().to_be_bytes();
    Ipv4Addr::new(127, 8, high, low.clamp(1, 254))
}

/// An interpreter with those packages, to run a script of this folder's.
pub fn python(script: &str) -> Command {
    interpreter(environment(), script)
}

/// The same with Modal's package.
pub fn modal_python(script: &str) -> Command {
    interpreter(modal_environment(), script)
}

fn interpreter(environment: &Path, script: &str) -> Command {
    let folder = environment.join("run");
    fs::create_dir_all(&folder).expect("a folder");
    let path = env::var("PATH").unwrap_or_default();
    let mut command = Command::new(environment.join("bin/python"));
    command
        .arg(
            Path::new(env!("CARGO_MANIFEST_DIR"))
                .join("remote")
                .join(script),
        )
        .env(
            "PATH",
            format!("{}:{path}", environment.join("bin").display()),
        )
        .env("IPYTHONDIR", folder.join("ipython"))
        .env("JUPYTER_RUNTIME_DIR", folder.join("runtime"))
        .env_remove("PYTHONPATH");
    command
}

fn search_path() -> String {
    let bin = environment().join("bin");
    let path = env::var("PATH").unwrap_or_default();
    format!("{}:{path}", bin.display())
}

/// The virtual environment, made when it is needed first.
fn environment() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| made("gateway", PACKAGES))
}

/// The same for Modal's stand-in.
fn modal_environment() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| made("modal", MODAL))
}

fn made(name: &str, packages: &[&str]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let stamp = folder.join("complete");
    let wanted = packages.join(" ");
    if fs::read_to_string(&stamp).is_ok_and(|text| text == wanted) {
        return folder;
    }
    run(Command::new("python3")
        .args(["-m", "venv", "--clear"])
        .arg(&folder));
    run(Command::new(folder.join("bin/python"))
        .args([
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
        ])
        .args(packages));
    fs::write(&stamp, wanted).expect("a file");
    folder
}

fn run(command: &mut Command) {
    let done = command.status();
    assert!(
        done.as_ref().is_ok_and(|status| status.success()),
        "the tests of remote backends need python3 with venv, and pip: {command:?}: {done:?}"
    );
}

/// Statics are never dropped, so somebody watches for the end of this process: a shell that reads from a pipe which closes with us. It ends the gateways whose
/// numbers it was told, and removes all folders once nobody writes to them any more.
fn watcher() -> MutexGuard<'static, Child> {
    static WATCHER: OnceLock<Mutex<Child>> = OnceLock::new();
    let watcher = WATCHER.get_or_init(|| {
        let work = "while read -r one; do all=\"$all $one\"; done; [ -z \"$all\" ] || kill -9 $all; sleep 3; rm -rf \"$0\"-*";
        let child = Command::new("sh")
            .args(["-c", work, &folder_prefix()])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("a shell");
        Mutex::new(child)
    });
    watcher.lock().unwrap_or_else(PoisonError::into_inner)
}

fn stop_at_exit(gateway: &Gateway) {
    let mut watcher = watcher();
    let input = watcher.stdin.as_mut().expect("its input");
    writeln!(input, "{}", gateway.child.id()).expect("it listens");
}

/// What the names of the folders begin with. Names of sockets are short, so the folders are near the root.
fn folder_prefix() -> String {
    format!("/tmp/coldframe-test-{}", std::process::id())
}
