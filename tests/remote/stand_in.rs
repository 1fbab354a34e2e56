//! A stand-in for a service: an HTTP server on the loopback interface, or on a unix socket, that writes down what it is asked, answers as it is told to, and counts
//! what was made and removed. It knows no service: each test file brings the function that answers.
//!
//! A stand-in has a thread and a runtime of its own, since what is dropped in a test is removed while the test's own thread waits for it.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::net::Ipv4Addr;
use std::panic::AssertUnwindSafe;
use std::path::Path;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, Once, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::Response;
use futures_util::FutureExt as _;
use hyper::upgrade::OnUpgrade;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream, UnixListener};
use tokio::sync::oneshot;

/// What somebody asked.
#[derive(Clone, Debug)]
pub struct Asked {
    pub method: String,
    /// With the query.
    pub path: String,
    pub headers: HeaderMap,
    pub body: Vec<u8>,
}

impl Asked {
    /// The header, or an empty text.
    pub fn header(&self, name: &str) -> &str {
        let value = self.headers.get(name);
        value.and_then(|v| v.to_str().ok()).unwrap_or_default()
    }

    /// The body, which has to be JSON.
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| {
            panic!("{self}: {error}: {:?}", String::from_utf8_lossy(&self.body))
        })
    }

    /// The path without its query.
    pub fn route(&self) -> &str {
        self.path.split('?').next().unwrap_or_default()
    }
}

/// `POST /path?query`.
impl fmt::Display for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.method, self.path)
    }
}

/// What it is answered.
#[derive(Clone, Debug)]
pub struct Reply {
    status: u16,
    headers: Vec<(&'static str, String)>,
    content: Content,
    delay: Duration,
}

#[derive(Clone, Debug)]
enum Content {
    Whole(Vec<u8>),
    /// Pieces, each after a time, and whether the connection breaks after them.
    Pieces(Vec<(Duration, Vec<u8>)>, bool),
    /// Whatever another server on this machine says: the port, the path there, and headers to put on top.
    Forward(u16, String, Vec<(&'static str, String)>),
}

impl Reply {
    pub fn new(status: u16, body: impl Into<Vec<u8>>) -> Reply {
        Reply {
            status,
            headers: Vec::new(),
            content: Content::Whole(body.into()),
            delay: Duration::ZERO,
        }
    }

    pub fn json(status: u16, body: &serde_json::Value) -> Reply {
        Reply::new(status, body.to_string()).header("content-type", "application/json")
    }

    /// A body that comes in pieces.
    pub fn pieces(status: u16, pieces: Vec<(Duration, Vec<u8>)>) -> Reply {
        Reply {
            content: Content::Pieces(pieces, false),
            ..Reply::new(status, "")
        }
    }

    /// A body in pieces after which the connection breaks.
    pub fn broken(status: u16, pieces: Vec<(Duration, Vec<u8>)>) -> Reply {
        Reply {
            content: Content::Pieces(pieces, true),
            ..Reply::new(status, "")
        }
    }

    /// What the server on that port of this machine answers, web sockets included.
    pub fn forward(port: u16, path: impl Into<String>) -> Reply {
        Reply {
            content: Content::Forward(port, path.into(), Vec::new()),
            ..Reply::new(200, "")
        }
    }

    /// A header of the answer; of one that is forwarded, a header for the server behind.
    pub fn header(mut self, name: &'static str, value: impl Into<String>) -> Reply {
        match &mut self.content {
            Content::Forward(_, _, headers) => headers.push((name, value.into())),
            _ => self.headers.push((name, value.into())),
        }
        self
    }

    /// Answers after that time.
    pub fn after(mut self, delay: Duration) -> Reply {
        self.delay = delay;
        self
    }
}

/// What was made and removed, by kind. The clones of it are one and the same.
#[derive(Clone, Debug, Default)]
pub struct Resources(Arc<Mutex<Vec<Resource>>>);

#[derive(Debug)]
struct Resource {
    kind: &'static str,
    id: String,
    is_there: bool,
}

impl Resources {
    pub fn create(&self, kind: &'static str, id: impl Into<String>) {
        let id = id.into();
        lock(&self.0).push(Resource {
            kind,
            id,
            is_there: true,
        });
    }

    /// Whether it was there.
    pub fn delete(&self, kind: &'static str, id: &str) -> bool {
        let mut all = lock(&self.0);
        let found = all
            .iter_mut()
            .find(|r| r.kind == kind && r.id == id && r.is_there);
        found.map(|resource| resource.is_there = false).is_some()
    }

    /// Those of that kind that are there.
    pub fn all(&self, kind: &'static str) -> Vec<String> {
        let all = lock(&self.0);
        let there = all.iter().filter(|r| r.kind == kind && r.is_there);
        there.map(|resource| resource.id.clone()).collect()
    }

    pub fn is_there(&self, kind: &'static str, id: &str) -> bool {
        let all = lock(&self.0);
        all.iter()
            .any(|r| r.kind == kind && r.id == id && r.is_there)
    }

    /// How many were made and how many were removed, of each kind.
    pub fn counts(&self) -> BTreeMap<&'static str, (usize, usize)> {
        let mut counts = BTreeMap::new();
        for resource in lock(&self.0).iter() {
            let (made, removed) = counts.entry(resource.kind).or_insert((0, 0));
            *made += 1;
            *removed += usize::from(!resource.is_there);
        }
        counts
    }

    /// Of that kind.
    pub fn count(&self, kind: &str) -> (usize, usize) {
        self.counts().get(kind).copied().unwrap_or_default()
    }
}

type Answering = dyn Fn(Asked) -> Pin<Box<dyn Future<Output = Reply> + Send>> + Send + Sync;

struct Planted {
    method: &'static str,
    path: String,
    /// If not set, the true one, which is lost on its way.
    reply: Option<Reply>,
}

struct Shared {
    answering: Box<Answering>,
    asked: Mutex<Vec<Asked>>,
    planted: Mutex<Vec<Planted>>,
    resources: Resources,
    has_failed: AtomicBool,
}

/// A running stand-in. When it is dropped, all that was made has to be removed.
pub struct StandIn {
    shared: Arc<Shared>,
    url: String,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl StandIn {
    /// On a free port. `answering` counts what it makes and removes in `resources`.
    pub fn start<F>(
        resources: &Resources,
        answering: impl Fn(Asked) -> F + Send + Sync + 'static,
    ) -> StandIn
    where
        F: Future<Output = Reply> + Send + 'static,
    {
        let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        listener.set_nonblocking(true).expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let bind = move || TcpListener::from_std(listener);
        Self::serve(
            format!("http://127.0.0.1:{port}"),
            bind,
            resources,
            answering,
        )
    }

    /// On a unix socket.
    pub fn on_socket<F>(
        path: &Path,
        resources: &Resources,
        answering: impl Fn(Asked) -> F + Send + Sync + 'static,
    ) -> StandIn
    where
        F: Future<Output = Reply> + Send + 'static,
    {
        let _ = std::fs::remove_file(path);
        let listener = std::os::unix::net::UnixListener::bind(path).expect("a socket");
        listener.set_nonblocking(true).expect("a socket");
        let bind = move || UnixListener::from_std(listener);
        Self::serve(
            format!("unix://{}", path.display()),
            bind,
            resources,
            answering,
        )
    }

    fn serve<L, F>(
        url: String,
        bind: impl FnOnce() -> io::Result<L> + Send + 'static,
        resources: &Resources,
        answering: impl Fn(Asked) -> F + Send + Sync + 'static,
    ) -> StandIn
    where
        L: axum::serve::Listener,
        L::Addr: fmt::Debug,
        F: Future<Output = Reply> + Send + 'static,
    {
        capture_logs();
        let shared = Arc::new(Shared {
            answering: Box::new(move |asked| Box::pin(answering(asked))),
            asked: Mutex::default(),
            planted: Mutex::default(),
            resources: resources.clone(),
            has_failed: AtomicBool::new(false),
        });
        let (stop, stopped) = oneshot::channel();
        let inner = shared.clone();
        let thread = std::thread::spawn(move || {
            crate::block_on(async {
                let router = axum::Router::new()
                    .fallback(move |request: axum::extract::Request| take(inner, request));
                let listener = bind().expect("a listener");
                tokio::select! {
                    served = axum::serve(listener, router) => served.expect("a server"),
                    _ = stopped => {}
                }
            });
        });
        StandIn {
            shared,
            url,
            stop: Some(stop),
            thread: Some(thread),
        }
    }

    pub fn url(&self) -> &str {
        &self.url
    }

    /// Answers the next request of that method whose path begins so with that instead. Plant it again to have it twice.
    pub fn plant(&self, method: &'static str, path: impl Into<String>, reply: Reply) {
        lock(&self.shared.planted).push(Planted {
            method,
            path: path.into(),
            reply: Some(reply),
        });
    }

    /// Does what the next request of that method asks whose path begins so, and loses the answer: the connection breaks.
    pub fn lose(&self, method: &'static str, path: impl Into<String>) {
        lock(&self.shared.planted).push(Planted {
            method,
            path: path.into(),
            reply: None,
        });
    }

    /// All that was asked so far.
    pub fn asked(&self) -> Vec<Asked> {
        lock(&self.shared.asked).clone()
    }

    /// The same as `METHOD /path?query`.
    pub fn lines(&self) -> Vec<String> {
        self.asked().iter().map(Asked::to_string).collect()
    }

    pub fn resources(&self) -> &Resources {
        &self.shared.resources
    }
}

impl Drop for StandIn {
    fn drop(&mut self) {
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(());
        }
        let ended = self.thread.take().map(JoinHandle::join);
        if std::thread::panicking() {
            return;
        }
        let has_failed = self.shared.has_failed.load(Ordering::SeqCst);
        assert!(
            !has_failed && ended.is_none_or(|ended| ended.is_ok()),
            "the stand-in itself failed"
        );
        for (kind, (made, removed)) in self.resources().counts() {
            assert_eq!(made, removed, "{kind}: made and removed");
        }
    }
}

async fn take(shared: Arc<Shared>, mut request: axum::extract::Request) -> Response {
    let upgrade = request.extensions_mut().remove::<OnUpgrade>();
    let (head, body) = request.into_parts();
    let body = axum::body::to_bytes(body, usize::MAX).await;
    let asked = Asked {
        method: head.method.to_string(),
        path: head
            .uri
            .path_and_query()
            .map_or_else(String::new, ToString::to_string),
        headers: head.headers,
        body: body.unwrap_or_default().to_vec(),
    };
    lock(&shared.asked).push(asked.clone());
    let planted = {
        let mut planted = lock(&shared.planted);
        let at = planted
            .iter()
            .position(|p| p.method == asked.method && asked.path.starts_with(&p.path));
        at.map(|at| planted.remove(at).reply)
    };
    let is_lost = matches!(planted, Some(None));
    let reply = match planted.flatten() {
        Some(reply) => reply,
        None => {
            let answering = AssertUnwindSafe((shared.answering)(asked.clone()));
            let reply = answering.catch_unwind().await.unwrap_or_else(|_| {
                shared.has_failed.store(true, Ordering::SeqCst);
                Reply::new(500, "the stand-in panicked")
            });
            match is_lost {
                true => Reply::broken(reply.status, Vec::new()),
                false => reply,
            }
        }
    };
    tokio::time::sleep(reply.delay).await;
    let body = match reply.content {
        Content::Whole(bytes) => Body::from(bytes),
        Content::Pieces(pieces, breaks) => Body::from_stream(stream(pieces, breaks)),
        Content::Forward(port, path, headers) => {
            return forward(port, &path, &headers, &asked, upgrade)
                .await
                .unwrap_or_else(|error| answer(502, &[], Body::from(error.to_string())));
        }
    };
    answer(reply.status, &reply.headers, body)
}

fn answer(status: u16, headers: &[(&'static str, String)], body: Body) -> Response {
    let mut response = Response::new(body);
    *response.status_mut() = StatusCode::from_u16(status).expect("a status");
    for (name, value) in headers {
        let value = HeaderValue::from_str(value).expect("a header");
        response.headers_mut().append(*name, value);
    }
    response
}

fn stream(
    pieces: Vec<(Duration, Vec<u8>)>,
    breaks: bool,
) -> impl futures_util::Stream<Item = io::Result<Bytes>> + Send {
    let end = breaks.then(|| Err(io::Error::other("broken on purpose")));
    let pieces = pieces.into_iter().map(Ok).chain(end);
    futures_util::stream::unfold(pieces, |mut pieces| async {
        let piece = match pieces.next()? {
            Ok((delay, bytes)) => {
                tokio::time::sleep(delay).await;
                Ok(Bytes::from(bytes))
            }
            Err(error) => {
                // What was sent before must not be lost with the connection.
                tokio::time::sleep(Duration::from_millis(50)).await;
                Err(error)
            }
        };
        Some((piece, pieces))
    })
}

/// Hands a request on, in HTTP/1.0 so that the answer ends with the connection. What becomes a web socket is bytes in both directions.
async fn forward(
    port: u16,
    path: &str,
    headers: &[(&'static str, String)],
    asked: &Asked,
    upgrade: Option<OnUpgrade>,
) -> io::Result<Response> {
    let mut server = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await?;
    server.set_nodelay(true)?;
    let version = if upgrade.is_some() { "1.1" } else { "1.0" };
    let mut text = format!("{} {path} HTTP/{version}\r\n", asked.method).into_bytes();
    for (name, value) in &asked.headers {
        let replaced = headers.iter().any(|(other, _)| name == other);
        let is_hop = upgrade.is_none() && matches!(name.as_str(), "connection" | "upgrade");
        if !replaced && !is_hop {
            text.extend_from_slice(name.as_str().as_bytes());
            text.extend_from_slice(b": ");
            text.extend_from_slice(value.as_bytes());
            text.extend_from_slice(b"\r\n");
        }
    }
    for (name, value) in headers {
        text.extend_from_slice(format!("{name}: {value}\r\n").as_bytes());
    }
    text.extend_from_slice(b"\r\n");
    text.extend_from_slice(&asked.body);
    server.write_all(&text).await?;

    let mut got = Vec::new();
    let end = loop {
        if let Some(at) = got.windows(4).position(|w| w == b"\r\n\r\n") {
            break at + 4;
        }
        if server.read_buf(&mut got).await? == 0 {
            return Err(io::Error::other("the server behind says nothing"));
        }
    };
    let rest = got.split_off(end);
    let head = String::from_utf8_lossy(&got).into_owned();
    let mut lines = head.lines();
    let status = lines
        .next()
        .and_then(|line| line.split(' ').nth(1)?.parse().ok())
        .unwrap_or(502);
    let mut response = answer(status, &[], Body::empty());
    for line in lines {
        let Some((name, value)) = line.split_once(": ") else {
            continue;
        };
        let name = HeaderName::from_bytes(name.as_bytes()).map_err(io::Error::other)?;
        let is_framing = matches!(name.as_str(), "content-length" | "transfer-encoding");
        let is_hop = status != 101 && name == "connection";
        if !is_framing && !is_hop {
            let value = HeaderValue::from_str(value).map_err(io::Error::other)?;
            response.headers_mut().append(name, value);
        }
    }
    match upgrade.filter(|_| status == 101) {
        Some(upgrade) => {
            tokio::spawn(async move {
                if let Ok(client) = upgrade.await {
                    let mut client = hyper_util::rt::TokioIo::new(client);
                    if client.write_all(&rest).await.is_ok() {
                        let _ = tokio::io::copy_bidirectional(&mut client, &mut server).await;
                    }
                }
            });
        }
        None => {
            let mut body = rest;
            server.read_to_end(&mut body).await?;
            *response.body_mut() = Body::from(body);
        }
    }
    Ok(response)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// All that this process has logged since the first stand-in, whatever crate it comes from.
static LOGS: Mutex<String> = Mutex::new(String::new());

pub fn capture_logs() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let _ = tracing::subscriber::set_global_default(Capture);
        if log::set_logger(&Capture).is_ok() {
            log::set_max_level(log::LevelFilter::Trace);
        }
    });
}

/// What was logged must not hold a secret, whatever its level, and the texts must not either.
pub fn assert_not_shown(secret: &str, texts: &[&str]) {
    let logs = lock(&LOGS);
    if let Some(line) = logs.lines().find(|line| line.contains(secret)) {
        panic!("a secret was logged: {line}");
    }
    for text in texts {
        assert!(!text.contains(secret), "a secret is shown: {text}");
    }
}

/// What was logged and has that text in it.
pub fn logged(text: &str) -> Vec<String> {
    let logs = lock(&LOGS);
    let found = logs.lines().filter(|line| line.contains(text));
    found.map(str::to_owned).collect()
}

struct Capture;

/// Whether it could have to do with a remote: the compiler's own chatter would fill the memory.
fn is_of_interest(target: &str) -> bool {
    !["wasmtime", "cranelift", "regalloc"]
        .iter()
        .any(|prefix| target.starts_with(prefix))
}

fn add(line: &str) {
    let mut logs = lock(&LOGS);
    logs.push_str(line);
    logs.push('\n');
}

struct Fields<'a>(&'a mut String);

impl tracing::field::Visit for Fields<'_> {
    fn record_debug(&mut self, field: &tracing::field::Field, value: &dyn fmt::Debug) {
        use fmt::Write as _;
        let _ = write!(self.0, " {field}={value:?}");
    }
}

impl tracing::Subscriber for Capture {
    fn enabled(&self, metadata: &tracing::Metadata<'_>) -> bool {
        is_of_interest(metadata.target())
    }

    fn new_span(&self, span: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        let mut line = span.metadata().name().to_owned();
        span.record(&mut Fields(&mut line));
        add(&line);
        tracing::span::Id::from_u64(1)
    }

    fn record(&self, _: &tracing::span::Id, values: &tracing::span::Record<'_>) {
        let mut line = String::new();
        values.record(&mut Fields(&mut line));
        add(&line);
    }

    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}

    fn event(&self, event: &tracing::Event<'_>) {
        let mut line = event.metadata().target().to_owned();
        event.record(&mut Fields(&mut line));
        add(&line);
    }

    fn enter(&self, _: &tracing::span::Id) {}

    fn exit(&self, _: &tracing::span::Id) {}
}

impl log::Log for Capture {
    fn enabled(&self, metadata: &log::Metadata<'_>) -> bool {
        is_of_interest(metadata.target())
    }

    fn log(&self, record: &log::Record<'_>) {
        if self.enabled(record.metadata()) {
            add(&format!("{} {}", record.target(), record.args()));
        }
    }

    fn flush(&self) {}
}

#[test]
fn a_stand_in_hands_on_what_a_kernel_says() {
    use coldframe::RunOptions;
    use coldframe::backend::jupyter::Jupyter;
    use coldframe::backend::{Backend as _, Secret};

    let port = crate::gateway::url()
        .rsplit(':')
        .next()
        .and_then(|p| p.parse().ok());
    let port: u16 = port.expect("a port");
    let resources = Resources::default();
    let inner = resources.clone();
    let stand_in = StandIn::start(&resources, move |asked| {
        match (asked.method.as_str(), asked.route()) {
            ("POST", "/api/kernels") => inner.create("kernel", "it"),
            ("DELETE", _) => assert!(inner.delete("kernel", "it")),
            _ => {}
        }
        let token = format!("token {}", crate::gateway::TOKEN);
        async move { Reply::forward(port, asked.path).header("authorization", token) }
    });
    stand_in.plant(
        "POST",
        "/api/kernels",
        Reply::new(503, "later").header("retry-after", "0"),
    );
    crate::block_on(async {
        let server = Jupyter::new(stand_in.url()).token(Secret::new("planted-of-the-stand-in"));
        let mut kernel = server.connect().await.expect("a kernel");
        let outcome = kernel.run("6 * 7", RunOptions::default()).await;
        assert_eq!(outcome.expect("a run").value.expect("a value").repr, "42");
        kernel.cleanup().await.expect("cleanup");
        let lines = stand_in.lines();
        let first: Vec<_> = lines
            .iter()
            .filter(|line| !line.contains("kernelspecs"))
            .take(2)
            .collect();
        assert_eq!(first, ["POST /api/kernels", "POST /api/kernels"]);
        assert!(
            lines
                .last()
                .is_some_and(|line| line.starts_with("DELETE /api/kernels/"))
        );
    });
    let sent = stand_in.asked();
    assert_eq!(
        sent[0].header("authorization"),
        "token planted-of-the-stand-in"
    );
    assert_eq!(resources.count("kernel"), (1, 1));
    assert!(!logged("removed").is_empty());
    assert_not_shown("planted-of-the-stand-in", &[]);
}
