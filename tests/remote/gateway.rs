//! A real kernel gateway for the tests: from PyPI, in a virtual environment below the target directory, on the loopback interface only.

use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, OnceLock};
use std::{env, fs};

/// What the virtual environment holds. numpy is the heavy import of the tests, pillow the maker of pictures.
const PACKAGES: &[&str] = &[
    "jupyter_kernel_gateway==3.0.1",
    "ipykernel",
    "numpy",
    "pillow",
];
/// What the one of Modal's stand-in holds: the messages of its service, and a gateway for its sandboxes.
const MODAL: &[&str] = &["modal==1.6.4", "jupyter_kernel_gateway==3.0.1", "ipykernel"];

/// The token of the gateway: planted, so that tests can look for it where it must not be.
pub const TOKEN: &str = "planted-token-5f1c";

/// The address of the one gateway of this process.
pub fn url() -> String {
    static PORT: OnceLock<u16> = OnceLock::new();
    let port = PORT.get_or_init(|| {
        let (child, port) = start();
        stop_at_exit(child);
        port
    });
    format!("http://127.0.0.1:{port}")
}

/// Sees to it that a gateway starts quickly.
pub fn prepare() {
    environment();
}

/// A port that nobody listens on, as far as one can know.
pub fn free_port() -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    listener.local_addr().expect("an address").port()
}

/// Starts a gateway of one's own.
pub fn start() -> (Child, u16) {
    start_with(TOKEN)
}

/// Starts a gateway of one's own that asks for that token.
pub fn start_with(token: &str) -> (Child, u16) {
    let port = free_port();
    (start_at(Ipv4Addr::LOCALHOST, port, token), port)
}

/// Starts a gateway of one's own at that address, which is one of the loopback interface.
pub fn start_at(address: Ipv4Addr, port: u16, token: &str) -> Child {
    let folder = environment().join("run");
    fs::create_dir_all(&folder).expect("a folder");
    Command::new(environment().join("bin/jupyter-kernelgateway"))
        .args(["--JupyterWebsocketPersonality.list_kernels=True"])
        .arg(format!("--KernelGatewayApp.ip={address}"))
        .arg(format!("--KernelGatewayApp.port={port}"))
        .env("KG_AUTH_TOKEN", token)
        .env("PATH", search_path())
        .env("IPYTHONDIR", folder.join("ipython"))
        .env("JUPYTER_RUNTIME_DIR", folder.join(port.to_string()))
        .env_remove("PYTHONPATH")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the gateway starts")
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

/// Statics are never dropped, so the gateway watches for the end of this process itself: a shell holds a pipe that closes with us.
fn stop_at_exit(child: Child) {
    static WATCHER: Mutex<Option<Child>> = Mutex::new(None);
    let watcher = Command::new("sh")
        .args(["-c", &format!("cat >/dev/null; kill {}", child.id())])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("a shell");
    *WATCHER.lock().expect("a lock") = Some(watcher);
}
