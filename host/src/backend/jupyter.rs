//! Kernels of a Jupyter server or kernel gateway, over its HTTP interface and one web socket.
//!
//! A program runs in a kernel as it would run in the sandbox: by code of ours that is put there first (`kernel.py`), so that values, errors and
//! tools are the same. Tools are asked for over the kernel's stdin channel, on which `input()` finds the end of the file. What a kernel may do is up to the
//! server that it runs in: this module isolates nothing.
//!
//! Of the policy, the limits for time, output, and the size and number of tool calls hold; a program that does not end in time is interrupted, and if it does
//! not heed that, its kernel is started anew and the variables are lost. Memory and processor time are limited by the server, if at all.

mod handshake;
mod socket;

use std::time::Duration;

use serde_json::{Value as Json, json};
use tokio::time::Instant;

use super::guard::Guard;
use super::http::{Http, Request};
use super::program::{self, Gathered, cut};
use super::requests::{self, Interpreter, SERVICE};
use super::{Backend, BackendError, Changes, Launcher, Marks, Pending, Place, Secret};
use crate::error::{ErrorKind, RunError};
use crate::limits::Limits;
use crate::output::Stream;
use crate::policy::Policy;
use crate::session::{Outcome, RunOptions, Variable};
use crate::stop::CancelHandle;
use crate::tool::remote::{self, RemoteTools};
use crate::tool::{ToolError, Tools};
use crate::value::Value;
use socket::{Look, Message, Socket, is_end};

/// How long a program may go on after it was interrupted, before its kernel is started anew.
const GRACE: Duration = Duration::from_secs(10);
/// How long it has for one interrupt.
const AGAIN: Duration = Duration::from_secs(1);
/// What the prompt of a request for a tool begins with.
const PROMPT: &str = "coldframe-tool:";
/// How long a kernel may be silent before the server is asked how it is.
const SILENCE: Duration = Duration::from_secs(2);
/// How often a cell is sent again that the kernel threw away.
const ABORTS: u32 = 8;
/// How often a broken connection is made anew within a run.
const RECONNECTS: u32 = 4;
/// How often our code is sent to a kernel of which nothing is heard.
const SETUP_ATTEMPTS: u32 = 3;

/// A Jupyter server, and how its kernels are used.
///
/// ```no_run
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// use coldframe::RunOptions;
/// use coldframe::backend::jupyter::Jupyter;
/// use coldframe::backend::{Backend, Secret};
///
/// let server = Jupyter::new("http://127.0.0.1:8888").token(Secret::from_environment("KG_AUTH_TOKEN").unwrap());
/// let mut kernel = server.connect().await?;
/// let outcome = kernel.run("import numpy\nnumpy.arange(3).sum()", RunOptions::default()).await?;
/// assert_eq!(outcome.value.unwrap().repr, "np.int64(3)");
/// kernel.cleanup().await?;
/// # Ok::<(), coldframe::backend::BackendError>(())
/// # }).unwrap();
/// ```
#[derive(Clone, Debug)]
pub struct Jupyter {
    url: String,
    token: Option<Secret>,
    kernel_name: Option<String>,
    policy: Policy,
    start_time: Duration,
}

impl Jupyter {
    /// The server at that address.
    pub fn new(url: impl Into<String>) -> Jupyter {
        Jupyter {
            url: url.into(),
            token: None,
            kernel_name: None,
            policy: Policy::default(),
            start_time: Duration::from_secs(60),
        }
    }

    /// The token that the server asks for. It goes into a header, never into an address.
    pub fn token(mut self, token: Secret) -> Self {
        self.token = Some(token);
        self
    }

    /// The kind of kernel; the server's own choice if not set. It must be one of IPython.
    pub fn kernel_name(mut self, name: impl Into<String>) -> Self {
        self.kernel_name = Some(name.into());
        self
    }

    /// The policy; see [the module](self) for what of it holds.
    pub fn policy(mut self, policy: impl Into<Policy>) -> Self {
        self.policy = policy.into();
        self
    }

    /// How long server and kernel may take to get ready; 60 seconds if not set.
    pub fn start_time(mut self, time: Duration) -> Self {
        self.start_time = time;
        self
    }

    /// Starts a kernel, waiting for the server if it is not there yet.
    pub async fn connect(&self) -> Result<Kernel, BackendError> {
        let mut http = Http::new(Place::Jupyter, &self.url)?;
        if let Some(token) = &self.token {
            http = http
                .hide(token)
                .header("authorization", format!("token {}", token.reveal()))?;
        }
        let setup = Setup {
            kernel_name: self.kernel_name.clone(),
            policy: self.policy.clone(),
            start_time: self.start_time,
            ready_path: Some("/api/kernelspecs"),
        };
        Kernel::start(http, setup, None).await
    }
}

impl Launcher for Jupyter {
    fn place(&self) -> Place {
        Place::Jupyter
    }

    fn launch(&self) -> Pending<'_, Box<dyn Backend>> {
        Box::pin(async move { Ok(Box::new(self.connect().await?) as Box<dyn Backend>) })
    }
}

/// What it takes to start a kernel, besides the server.
pub(super) struct Setup {
    pub(super) kernel_name: Option<String>,
    pub(super) policy: Policy,
    pub(super) start_time: Duration,
    /// What to ask for until the server is there.
    pub(super) ready_path: Option<&'static str>,
}

/// A kernel. Dropping it removes it too, for which the thread waits; [`Backend::cleanup`] does it without.
pub struct Kernel {
    http: Http,
    setup: Setup,
    id: String,
    /// Ours, on which the server tells connections apart.
    session: String,
    socket: Option<Socket>,
    /// Whether our code is in the kernel.
    is_set_up: bool,
    tools: RemoteTools,
    cancel: CancelHandle,
    guard: Option<Guard>,
    /// What the kernel runs in, if that was made for it.
    around: Option<Guard>,
    is_closed: bool,
}

impl std::fmt::Debug for Kernel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Kernel")
            .field("place", &self.http.place())
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}

/// How the execution of a cell ended.
enum End {
    /// It is done.
    Done,
    /// The kernel threw it away without looking at it.
    Aborted,
    /// The kernel is gone.
    Died,
    /// We ended it: for that reason, and whether the kernel survived.
    Stopped(ErrorKind, bool),
}

/// What limits the execution of a cell.
struct Bounds {
    time: Duration,
    /// Whether it is a program, which may be cancelled and may call tools.
    is_run: bool,
}

impl Kernel {
    /// Starts a kernel on a server. `around` is what the server runs in, to be removed with the kernel.
    pub(super) async fn start(
        http: Http,
        setup: Setup,
        around: Option<Guard>,
    ) -> Result<Kernel, BackendError> {
        if let Some(path) = setup.ready_path
            && let Err(error) = http.wait_ready(path, setup.start_time).await
        {
            if let Some(around) = around {
                around.remove().await;
            }
            return Err(error);
        }
        let mut kernel = Kernel {
            http,
            setup,
            id: String::new(),
            session: random_id()?,
            socket: None,
            is_set_up: false,
            tools: RemoteTools::default(),
            cancel: CancelHandle::default(),
            guard: None,
            around,
            is_closed: false,
        };
        if let Err(error) = kernel.ensure_ready().await {
            // Dropping it would do the same, and have the thread wait.
            let _ = kernel.cleanup().await;
            return Err(error);
        }
        Ok(kernel)
    }

    /// The kernel's number on its server.
    pub fn id(&self) -> &str {
        &self.id
    }

    #[cfg(feature = "blaxel")]
    pub(super) fn is_closed(&self) -> bool {
        self.is_closed
    }

    fn place_of(&self) -> Place {
        self.http.place()
    }

    async fn create(&mut self) -> Result<(), BackendError> {
        let request = Request::post("/api/kernels").time(self.setup.start_time);
        let request = match &self.setup.kernel_name {
            Some(name) => request.json(&json!({"name": name})),
            None => request,
        };
        let answer = self.http.send(request).await?;
        if answer.status != 201 {
            return Err(self.http.refused("POST", "/api/kernels", &answer));
        }
        let json: Json = serde_json::from_slice(&answer.body).unwrap_or_default();
        let id = json["id"].as_str().unwrap_or_default();
        let good = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        if id.is_empty() || id.len() > 100 || !id.chars().all(good) {
            return Err(self.http.protocol("a kernel without a proper number"));
        }
        id.clone_into(&mut self.id);
        let (http, path) = (self.http.clone(), format!("/api/kernels/{id}"));
        self.guard = Some(Guard::new(move || async move {
            http.delete_in_the_end(&path).await;
        }));
        Ok(())
    }

    /// Sees to it that there is a kernel, a connection to it, and our code in it.
    async fn ensure_ready(&mut self) -> Result<(), BackendError> {
        if self.is_closed {
            return Err(BackendError::Closed(self.place_of()));
        }
        if self.id.is_empty() {
            self.create().await?;
        }
        self.connect().await?;
        if self.is_set_up {
            return Ok(());
        }
        // What a kernel publishes before its server has subscribed is lost, though it answers already, and a kernel that ended a moment ago may take the
        // connection along. So our code may be sent more than once, which does no harm.
        let mut attempts = 1;
        while let Err(error) = self.set_up().await {
            if !matches!(error, BackendError::Unreachable { .. }) || attempts == SETUP_ATTEMPTS {
                return Err(error);
            }
            tracing::debug!(attempts, %error, "a kernel's set-up failed; it is tried again");
            attempts += 1;
            self.connect().await?;
        }
        self.is_set_up = true;
        if let Some(tools) = self.tools.set().cloned() {
            let request = program::tools(&tools, self.setup.policy.limits())?;
            self.ask_now(&request, SERVICE).await?;
        }
        Ok(())
    }

    /// Sees to it that there is a connection, and another kernel if the server has thrown this one away.
    async fn connect(&mut self) -> Result<(), BackendError> {
        match self.socket.as_mut().map(Socket::look) {
            Some(Look::Open) => {}
            Some(Look::Closed) => self.socket = None,
            Some(Look::KernelEnded) => self.is_set_up = false,
            None => {}
        }
        if self.socket.is_none() {
            self.socket = match Socket::connect(&self.http, &self.id, &self.session).await {
                Ok(socket) => Some(socket),
                // The server has thrown the kernel away.
                Err(BackendError::Refused { status: 404, .. }) => {
                    self.is_set_up = false;
                    self.guard = None;
                    self.create().await?;
                    Some(Socket::connect(&self.http, &self.id, &self.session).await?)
                }
                Err(error) => return Err(error),
            };
        }
        Ok(())
    }

    /// Puts our code into the kernel.
    async fn set_up(&mut self) -> Result<(), BackendError> {
        self.wait_for_kernel().await?;
        let mut gathered = Gathered::quiet();
        let setup = program::setup(Some(PROMPT));
        self.cell(&setup, &mut gathered, SERVICE).await
    }

    /// Asks for the kernel's description until it comes: what is sent to a kernel that is only starting may be lost.
    async fn wait_for_kernel(&mut self) -> Result<(), BackendError> {
        let end = Instant::now() + self.setup.start_time;
        let not_ready = |kernel: &Kernel| BackendError::NotReady {
            place: kernel.place_of(),
            seconds: kernel.setup.start_time.as_secs(),
            reason: "the kernel does not answer".to_owned(),
        };
        loop {
            let id = random_id()?;
            self.send("shell", "kernel_info_request", &id, json!({}))
                .await?;
            let again = Instant::now() + Duration::from_secs(3);
            loop {
                let socket = self.socket.as_mut().ok_or_else(|| lost(&self.http))?;
                match tokio::time::timeout_at(again.min(end), socket.next()).await {
                    Ok(Some(message))
                        if message.kind() == "kernel_info_reply" && message.parent() == id =>
                    {
                        let language = &message.content["language_info"]["name"];
                        if language.as_str().is_some_and(|name| name != "python") {
                            return Err(self
                                .http
                                .protocol("a kernel of another language than Python"));
                        }
                        return Ok(());
                    }
                    Ok(Some(_)) => {}
                    Ok(None) => {
                        self.socket = None;
                        return Err(self.http.unreachable("the web socket was closed"));
                    }
                    Err(_) => break,
                }
            }
            if Instant::now() >= end {
                return Err(not_ready(self));
            }
        }
    }

    async fn send(
        &mut self,
        channel: &str,
        kind: &str,
        id: &str,
        content: Json,
    ) -> Result<(), BackendError> {
        let socket = self.socket.as_mut().ok_or_else(|| lost(&self.http))?;
        let sent = socket
            .send(&self.http, &self.session, channel, kind, id, content)
            .await;
        if sent.is_err() {
            self.socket = None;
        }
        sent
    }

    /// Runs a cell of ours, which is no program.
    async fn cell(
        &mut self,
        code: &str,
        gathered: &mut Gathered,
        time: Duration,
    ) -> Result<(), BackendError> {
        let bounds = Bounds {
            time,
            is_run: false,
        };
        match self.execute(code, gathered, &bounds).await? {
            End::Done => Ok(()),
            End::Aborted => Err(self
                .http
                .protocol("the kernel throws away what it is asked")),
            End::Died => Err(self.http.unreachable("the kernel has ended")),
            End::Stopped(..) => Err(self.http.unreachable("the kernel does not answer in time")),
        }
    }

    async fn ask_now(&mut self, request: &Json, time: Duration) -> Result<Json, BackendError> {
        let mut gathered = Gathered::quiet();
        self.cell(&program::cell(request), &mut gathered, time)
            .await?;
        gathered.answer(self.place_of())
    }

    /// Runs a cell of IPython's as it is: with magics (`%pip`, `!ls`), and without our code around it. Its value has a `repr()` only.
    pub async fn run_cell(
        &mut self,
        code: &str,
        mut options: RunOptions,
    ) -> Result<Outcome, BackendError> {
        self.ensure_ready().await?;
        let gathered = Gathered::new(&mut options, &self.setup.policy).raw();
        self.run_code(code, gathered, options).await
    }

    async fn run_code(
        &mut self,
        code: &str,
        mut gathered: Gathered,
        options: RunOptions,
    ) -> Result<Outcome, BackendError> {
        let started = std::time::Instant::now();
        self.cancel.reset();
        self.tools.begin(options.progress);
        let bounds = Bounds {
            time: self.setup.policy.limits().time(),
            is_run: true,
        };
        let end = self.execute(code, &mut gathered, &bounds).await;
        self.tools.end();
        let mut usage = program::usage(started.elapsed());
        usage.tool_calls = self.tools.calls;
        usage.tool_time = self.tools.time;
        let place = self.place_of();
        let ended = match end? {
            End::Done => None,
            End::Aborted => {
                return Err(self
                    .http
                    .protocol("the kernel throws away what it is asked"));
            }
            End::Died => Some(RunError::outer(
                ErrorKind::Died,
                "the kernel ended in the middle of the run",
            )),
            End::Stopped(kind, survived) => {
                let message = match kind {
                    ErrorKind::Time => "the time limit was reached",
                    ErrorKind::Output => "the output limit was reached",
                    _ => "the run was cancelled",
                };
                let mut error = RunError::outer(kind, message);
                error.session_lost = !survived;
                Some(error)
            }
        };
        gathered.outcome(place, &self.setup.policy, ended, usage)
    }

    /// Runs a cell to its end, again if the kernel threw it away. All that it says goes to `gathered`.
    async fn execute(
        &mut self,
        code: &str,
        gathered: &mut Gathered,
        bounds: &Bounds,
    ) -> Result<End, BackendError> {
        let mut end = End::Aborted;
        for attempt in 0..=ABORTS {
            if attempt > 0 {
                tracing::debug!(attempt, "the kernel aborted a cell; it is sent again");
                tokio::time::sleep(Duration::from_millis(20) * attempt).await;
            }
            let id = random_id()?;
            let content = json!({
                "code": code, "silent": false, "store_history": false, "user_expressions": {},
                "allow_stdin": true, "stop_on_error": false,
            });
            self.send("shell", "execute_request", &id, content).await?;
            end = self.follow(&id, gathered, bounds).await?;
            match end {
                End::Aborted => {}
                _ => break,
            }
        }
        if matches!(end, End::Died | End::Stopped(_, false)) {
            self.is_set_up = false;
        }
        Ok(end)
    }

    /// Follows the execution of one cell.
    async fn follow(
        &mut self,
        id: &str,
        gathered: &mut Gathered,
        bounds: &Bounds,
    ) -> Result<End, BackendError> {
        let counts_tools = self.setup.policy.limits().counts_tool_time();
        let mut deadline = Instant::now() + bounds.time;
        let mut watch = Watch::default();
        // Why it is being stopped, when it was first told, and when it is told again: the times are fixed, however much it says meanwhile.
        let mut stopping: Option<(ErrorKind, Instant, Instant)> = None;
        let mut tool: Option<(crate::tool::Pending, Instant)> = None;
        let mut reconnects = 0;
        let mut idle_looks = 0;
        let mut last_word = Instant::now();
        loop {
            let now = Instant::now();
            let next_look = match stopping {
                Some((_, _, again)) => again,
                None => last_word.max(now - SILENCE) + SILENCE,
            };
            let waits_for_tool = tool.is_some() && !counts_tools;
            let cancel = self.cancel.clone();
            let socket = match &mut self.socket {
                Some(socket) => socket,
                None => {
                    reconnects += 1;
                    if reconnects > RECONNECTS {
                        return Err(self
                            .http
                            .unreachable("the web socket breaks again and again"));
                    }
                    tokio::time::sleep(Duration::from_millis(100) * reconnects).await;
                    match Socket::connect(&self.http, &self.id, &self.session).await {
                        Ok(socket) => self.socket.insert(socket),
                        Err(BackendError::Refused { status: 404, .. }) => return Ok(End::Died),
                        Err(error) if reconnects == RECONNECTS => return Err(error),
                        Err(_) => continue,
                    }
                }
            };
            tokio::select! {
                message = socket.next() => {
                    let Some(message) = message else {
                        self.socket = None;
                        continue;
                    };
                    last_word = Instant::now();
                    idle_looks = 0;
                    if is_end(&message) {
                        return Ok(End::Died);
                    }
                    if message.parent() != id {
                        continue;
                    }
                    match watch.take(&message, gathered) {
                        Told::Nothing => {}
                        Told::Enough => {
                            if stopping.is_none() {
                                let kind = if gathered.closed() { ErrorKind::Cancelled } else { ErrorKind::Output };
                                stopping = Some(told(kind));
                                self.interrupt().await;
                            }
                        }
                        Told::Asked(prompt) => {
                            match prompt.strip_prefix(PROMPT).filter(|_| bounds.is_run && stopping.is_none()) {
                                Some(call) => match self.begin_tool(call) {
                                    Ok(body) => tool = Some((body, Instant::now())),
                                    Err(error) => self.reply(&refusal(&error)).await?,
                                },
                                // input() finds the end of the file.
                                None => self.reply("\u{4}").await?,
                            }
                        }
                    }
                    if let Some(status) = watch.end() {
                        if status == "aborted" {
                            return Ok(End::Aborted);
                        }
                        return Ok(match stopping {
                            Some((kind, ..)) => End::Stopped(kind, true),
                            None => End::Done,
                        });
                    }
                }
                outcome = async {
                    match &mut tool {
                        Some((body, _)) => body.as_mut().await,
                        None => std::future::pending().await,
                    }
                } => {
                    if let Some((_, since)) = tool.take() {
                        let waited = since.elapsed();
                        self.tools.time += waited;
                        if !counts_tools {
                            deadline += waited;
                        }
                    }
                    let limits = self.setup.policy.limits();
                    let reply = outcome
                        .and_then(|value| remote::encode(limits, &value))
                        .map_or_else(|error| refusal(&error), |text| json!({"value": text}).to_string());
                    self.reply(&reply).await?;
                    last_word = Instant::now();
                }
                () = cancel.wanted(), if bounds.is_run && stopping.is_none() => {
                    tool = None;
                    stopping = Some(told(ErrorKind::Cancelled));
                    self.interrupt().await;
                }
                () = tokio::time::sleep_until(deadline), if stopping.is_none() && !waits_for_tool => {
                    tool = None;
                    stopping = Some(told(ErrorKind::Time));
                    self.interrupt().await;
                }
                () = tokio::time::sleep_until(next_look) => {
                    if let Some((kind, since, again)) = &mut stopping {
                        if since.elapsed() >= GRACE {
                            let kind = *kind;
                            self.restart().await?;
                            return Ok(End::Stopped(kind, false));
                        }
                        // It may have caught the first one.
                        *again = Instant::now() + AGAIN;
                        self.interrupt().await;
                        continue;
                    }
                    last_word = Instant::now();
                    match self.state().await {
                        Some(None) => return Ok(End::Died),
                        // Nothing is running, and nothing comes: it came when nobody listened.
                        Some(Some(state)) if state == "idle" && tool.is_none() => {
                            idle_looks += 1;
                            if idle_looks >= 3 {
                                return Err(self.http.unreachable("what became of the run was lost with the connection"));
                            }
                        }
                        Some(Some(state)) if state == "dead" => return Ok(End::Died),
                        _ => {}
                    }
                }
            }
        }
    }

    fn begin_tool(&mut self, call: &str) -> Result<crate::tool::Pending, ToolError> {
        let wrong = || ToolError::new("ValueError", "a call that is none");
        let call: Json = serde_json::from_str(call).map_err(|_| wrong())?;
        let name = call["tool"].as_str().ok_or_else(wrong)?;
        let arguments = call["arguments"].as_str().ok_or_else(wrong)?;
        self.tools
            .prepare(self.setup.policy.limits(), name, arguments)
    }

    async fn reply(&mut self, text: &str) -> Result<(), BackendError> {
        let id = random_id()?;
        self.send(
            "stdin",
            "input_reply",
            &id,
            json!({"value": text, "status": "ok"}),
        )
        .await
    }

    /// The kernel's state as the server sees it: nothing if the server does not say, `Some(None)` if there is no kernel.
    async fn state(&self) -> Option<Option<String>> {
        let path = format!("/api/kernels/{}", self.id);
        let request = Request::get(&path).time(Duration::from_secs(5));
        let answer = self.http.ask(request).await.ok()?;
        match answer.status {
            404 => Some(None),
            200 => {
                let json: Json = serde_json::from_slice(&answer.body).ok()?;
                Some(Some(json["execution_state"].as_str()?.to_owned()))
            }
            _ => None,
        }
    }

    async fn interrupt(&self) {
        let path = format!("/api/kernels/{}/interrupt", self.id);
        let request = Request::post(&path).time(Duration::from_secs(5));
        if let Err(error) = self.http.ask(request).await {
            tracing::debug!(%error, "a kernel cannot be interrupted");
        }
    }

    async fn restart(&mut self) -> Result<(), BackendError> {
        self.is_set_up = false;
        self.socket = None;
        let path = format!("/api/kernels/{}/restart", self.id);
        let request = Request::post(&path).time(self.setup.start_time);
        if let Err(error) = self.http.send(request).await {
            tracing::debug!(%error, "a kernel cannot be started anew");
            // Then there is another one instead.
            self.id.clear();
            self.guard = None;
        }
        Ok(())
    }
}

/// A program is told to stop, for that reason.
fn told(kind: ErrorKind) -> (ErrorKind, Instant, Instant) {
    let now = Instant::now();
    (kind, now, now + AGAIN)
}

fn lost(http: &Http) -> BackendError {
    http.unreachable("the web socket is not open")
}

fn refusal(error: &ToolError) -> String {
    json!({"error": {"type": error.type_name, "message": cut(&error.message, 100_000)}}).to_string()
}

/// A random number, as messages have it.
pub(super) fn random_id() -> Result<String, BackendError> {
    Secret::random()
        .map(|id| id.reveal().to_owned())
        .map_err(|error| crate::Error::Engine(format!("no entropy: {error}")).into())
}

/// What has been heard of one cell.
#[derive(Default)]
struct Watch {
    reply: Option<String>,
    is_idle: bool,
}

enum Told {
    Nothing,
    /// The program writes more than it may, or than anybody wants.
    Enough,
    /// The program asks on stdin.
    Asked(String),
}

impl Watch {
    fn take(&mut self, message: &Message, gathered: &mut Gathered) -> Told {
        match message.kind() {
            "stream" => {
                let stream = match message.text("name") {
                    "stderr" => Stream::Stderr,
                    _ => Stream::Stdout,
                };
                if !gathered.write(stream, message.text("text")) {
                    return Told::Enough;
                }
            }
            kind @ ("execute_result" | "display_data" | "update_display_data") => {
                if let Some(bundle) = message.content["data"].as_object() {
                    gathered.show(kind == "execute_result", bundle);
                }
            }
            "error" => fail(gathered, &message.content),
            "status" => self.is_idle |= message.text("execution_state") == "idle",
            "execute_reply" => {
                let status = message.text("status");
                if status == "error" && !gathered.has_failed() {
                    fail(gathered, &message.content);
                }
                self.reply = Some(status.to_owned());
            }
            "input_request" => return Told::Asked(message.text("prompt").to_owned()),
            _ => {}
        }
        Told::Nothing
    }

    /// The status of the reply, once the kernel has said all: reply and output come on channels of their own.
    fn end(&self) -> Option<&str> {
        self.reply.as_deref().filter(|_| self.is_idle)
    }
}

fn fail(gathered: &mut Gathered, content: &Json) {
    let text = |key: &str| content[key].as_str().unwrap_or_default();
    let traceback = content["traceback"].as_array();
    let lines: Vec<&str> = traceback
        .into_iter()
        .flatten()
        .filter_map(Json::as_str)
        .collect();
    gathered.fail(text("ename"), text("evalue"), &lines.join("\n"));
}

impl Interpreter for Kernel {
    fn at(&self) -> Place {
        self.place_of()
    }

    fn limits(&self) -> &Limits {
        self.setup.policy.limits()
    }

    fn masked(&self, text: &str) -> String {
        self.http.masked(text)
    }

    async fn ask(&mut self, request: &Json, time: Duration) -> Result<Json, BackendError> {
        self.ensure_ready().await?;
        self.ask_now(request, time).await
    }
}

impl Backend for Kernel {
    fn place(&self) -> Place {
        self.place_of()
    }

    fn run<'a>(&'a mut self, source: &'a str, mut options: RunOptions) -> Pending<'a, Outcome> {
        Box::pin(async move {
            self.ensure_ready().await?;
            let gathered = Gathered::new(&mut options, &self.setup.policy);
            let request = program::run(source, &options, self.setup.policy.limits());
            self.run_code(&program::cell(&request), gathered, options)
                .await
        })
    }

    fn install<'a>(&'a mut self, packages: &'a [String]) -> Pending<'a, ()> {
        Box::pin(requests::install(self, packages))
    }

    fn set_variables<'a>(&'a mut self, variables: &'a [(String, Value)]) -> Pending<'a, ()> {
        Box::pin(requests::set_variables(self, variables))
    }

    fn get_variable<'a>(&'a mut self, name: &'a str) -> Pending<'a, Option<Value>> {
        Box::pin(requests::get_variable(self, name))
    }

    fn list_variables(&mut self, repr_limit: u32) -> Pending<'_, Vec<Variable>> {
        Box::pin(requests::list_variables(self, repr_limit))
    }

    fn set_tools<'a>(&'a mut self, tools: &'a Tools) -> Pending<'a, ()> {
        Box::pin(async move {
            requests::set_tools(self, tools).await?;
            self.tools.put(Some(tools.clone()));
            Ok(())
        })
    }

    fn cancel_handle(&self) -> CancelHandle {
        self.cancel.clone()
    }

    fn changes<'a>(&'a mut self, marks: &'a Marks) -> Pending<'a, Changes> {
        Box::pin(requests::changes(self, marks))
    }

    fn apply<'a>(&'a mut self, changes: &'a Changes) -> Pending<'a, Marks> {
        Box::pin(requests::apply(self, changes))
    }

    fn cleanup(&mut self) -> Pending<'_, ()> {
        Box::pin(async move {
            self.is_closed = true;
            self.socket = None;
            // With what it runs in, the kernel goes too.
            let (kernel, around) = (self.guard.take(), self.around.take());
            match (kernel, around) {
                (Some(kernel), None) => kernel.remove().await,
                (kernel, Some(around)) => {
                    if let Some(kernel) = kernel {
                        kernel.forget();
                    }
                    around.remove().await;
                }
                (None, None) => {}
            }
            Ok(())
        })
    }
}

impl Drop for Kernel {
    fn drop(&mut self) {
        if self.around.is_some()
            && let Some(kernel) = self.guard.take()
        {
            kernel.forget();
        }
    }
}
