//! Sandboxes of E2B's: micro-VMs with an IPython kernel, made over a control plane and driven by a stream of JSON lines for each execution.
//!
//! A program runs in the kernel by code of ours that is put there first (`kernel.py`), so that values, variables, errors and final answers are those of the
//! other backends. The stream goes one way: a program has no way back to the host, so that it can call no tools of the host's ([`Tool::answer`] does
//! work), and `input()` finds the end of the file.
//!
//! Of the policy, the limits for time and output, and the size of values hold. A program that does not end in time, or is cancelled, is interrupted by
//! closing its stream; if it does not heed that, its kernel is started anew, or another sandbox is made, and the variables are lost. Memory and processor time
//! are those of the sandbox's template.
//!
//! [`Tool::answer`]: crate::Tool::answer

mod stream;

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use serde_json::{Value as Json, json};
use tokio::time::Instant;

use super::guard::{Guard, LOOK, Step};
use super::http::{Http, Request};
use super::program::{self, Gathered};
use super::requests::{self, Interpreter, SERVICE};
use super::{Backend, BackendError, Changes, Launcher, Marks, Pending, Place, Secret};
use crate::error::{ErrorKind, RunError};
use crate::limits::Limits;
use crate::output::Stream;
use crate::policy::Policy;
use crate::session::{Outcome, RunOptions, Variable};
use crate::stop::CancelHandle;
use crate::tool::Tools;
use crate::value::Value;
use stream::{Event, Events};

/// The port of the server that runs code in a sandbox.
const PORT: u16 = 49999;
/// Domains whose sandboxes are reached through one host, by a header.
const SHARED: [&str; 4] = ["e2b.app", "e2b.dev", "e2b.pro", "e2b-staging.dev"];
/// How long a program may go on after its stream was closed, before its kernel is started anew.
const GRACE: Duration = Duration::from_secs(10);
/// How long a kernel may take at first to say that it is free.
const FIRST_LOOK: Duration = Duration::from_secs(1);
/// The name in a sandbox's metadata of a number of ours, by which it is found when the answer to its making is lost.
const TAG: &str = "coldframe";
/// How long a stream may last beyond what it is allowed to.
const SLACK: Duration = Duration::from_secs(60);

/// An account of E2B's, and how its sandboxes are made and used.
///
/// ```no_run
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// use coldframe::RunOptions;
/// use coldframe::backend::Backend;
/// use coldframe::backend::e2b::E2b;
///
/// let mut sandbox = E2b::from_environment()?.connect().await?; // E2B_API_KEY
/// let outcome = sandbox.run("import numpy\nnumpy.arange(3).sum()", RunOptions::default()).await?;
/// assert_eq!(outcome.value.unwrap().repr, "np.int64(3)");
/// sandbox.cleanup().await?;
/// # Ok::<(), coldframe::backend::BackendError>(())
/// # }).unwrap();
/// ```
#[derive(Clone, Debug)]
pub struct E2b {
    key: Secret,
    domain: String,
    api_url: Option<String>,
    sandbox_url: Option<String>,
    template: String,
    metadata: Vec<(String, String)>,
    lifetime: Option<Duration>,
    internet: Option<bool>,
    policy: Policy,
    start_time: Duration,
}

impl E2b {
    /// The account with that key.
    pub fn new(key: Secret) -> E2b {
        E2b {
            key,
            domain: SHARED[0].to_owned(),
            api_url: None,
            sandbox_url: None,
            template: "code-interpreter-v1".to_owned(),
            metadata: Vec::new(),
            lifetime: None,
            internet: None,
            policy: Policy::default(),
            start_time: Duration::from_secs(60),
        }
    }

    /// What the variables of E2B's own packages say: `E2B_API_KEY`, and `E2B_DOMAIN`, `E2B_API_URL` and `E2B_SANDBOX_URL` if they are set.
    pub fn from_environment() -> Result<E2b, BackendError> {
        E2b::with_key(None)
    }

    /// The same with another key.
    pub(super) fn with_key(key: Option<Secret>) -> Result<E2b, BackendError> {
        let key = key.or_else(|| Secret::from_environment("E2B_API_KEY"));
        let key = key.ok_or_else(|| BackendError::Configuration {
            place: Place::E2b,
            reason: "E2B_API_KEY is not set".to_owned(),
        })?;
        let text = |name: &str| std::env::var(name).ok().filter(|text| !text.is_empty());
        let mut account = E2b::new(key);
        if let Some(domain) = text("E2B_DOMAIN") {
            account.domain = domain;
        }
        account.api_url = text("E2B_API_URL");
        account.sandbox_url = text("E2B_SANDBOX_URL");
        Ok(account)
    }

    /// The domain of the service; `e2b.app` if not set.
    pub fn domain(mut self, domain: impl Into<String>) -> Self {
        self.domain = domain.into();
        self
    }

    /// The address of the control plane; `https://api.` and the domain if not set.
    pub fn api_url(mut self, url: impl Into<String>) -> Self {
        self.api_url = Some(url.into());
        self
    }

    /// The address at which sandboxes are reached, for all of them; made of the domain if not set.
    pub fn sandbox_url(mut self, url: impl Into<String>) -> Self {
        self.sandbox_url = Some(url.into());
        self
    }

    /// The template of the sandboxes; `code-interpreter-v1` if not set. It must have E2B's code interpreter.
    pub fn template(mut self, name: impl Into<String>) -> Self {
        self.template = name.into();
        self
    }

    /// Something that the service keeps with each sandbox, and shows where sandboxes are listed.
    pub fn metadata(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.metadata.push((name.into(), value.into()));
        self
    }

    /// How long a sandbox lives if nobody gives it up; the service's own choice (300 seconds) if not set.
    pub fn lifetime(mut self, time: Duration) -> Self {
        self.lifetime = Some(time);
        self
    }

    /// Whether programs reach the internet; the service's own choice (yes) if not set.
    pub fn internet(mut self, allowed: bool) -> Self {
        self.internet = Some(allowed);
        self
    }

    /// The policy; see [the module](self) for what of it holds.
    pub fn policy(mut self, policy: impl Into<Policy>) -> Self {
        self.policy = policy.into();
        self
    }

    /// How long a sandbox may take to get ready; 60 seconds if not set.
    pub fn start_time(mut self, time: Duration) -> Self {
        self.start_time = time;
        self
    }

    /// Makes a sandbox.
    pub async fn connect(&self) -> Result<Sandbox, BackendError> {
        let url = match &self.api_url {
            Some(url) => url.clone(),
            None => format!("https://api.{}", self.domain),
        };
        let control = Http::new(Place::E2b, &url)?
            .hide(&self.key)
            .header("x-api-key", self.key.reveal())?;
        let mut sandbox = Sandbox {
            account: self.clone(),
            control,
            machine: None,
            tools: None,
            cancel: CancelHandle::default(),
            is_closed: false,
        };
        sandbox.ensure_ready().await?;
        Ok(sandbox)
    }

    /// What a sandbox is asked for with.
    fn request(&self, tag: &str) -> Json {
        let own = self.metadata.iter();
        let metadata: serde_json::Map<String, Json> = own
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .chain([(TAG, tag)])
            .map(|(name, value)| (name.to_owned(), value.into()))
            .collect();
        let mut body = json!({"templateID": self.template, "metadata": metadata, "envVars": {}});
        if let Some(time) = self.lifetime {
            body["timeout"] = time.as_secs().into();
        }
        if let Some(allowed) = self.internet {
            body["allow_internet_access"] = allowed.into();
        }
        body
    }

    /// Where a sandbox's server is, by what the control plane says of it.
    fn data_plane(&self, id: &str, made: &Json) -> Result<Http, BackendError> {
        let domain = match made["domain"].as_str() {
            Some(domain) if !domain.is_empty() => domain,
            _ => self.domain.as_str(),
        };
        let good = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '.';
        if domain.len() > 253 || !domain.chars().all(good) {
            return Err(BackendError::Protocol {
                place: Place::E2b,
                reason: "a sandbox whose domain is none".to_owned(),
            });
        }
        let url = match &self.sandbox_url {
            Some(url) => url.clone(),
            None if SHARED.contains(&domain) => format!("https://sandbox.{domain}"),
            None => format!("https://{PORT}-{id}.{domain}"),
        };
        let mut http = Http::new(Place::E2b, &url)?
            .hide(&self.key)
            .header("e2b-sandbox-id", id)?
            .header("e2b-sandbox-port", PORT.to_string())?;
        for (key, header) in [
            ("envdAccessToken", "x-access-token"),
            ("trafficAccessToken", "e2b-traffic-access-token"),
        ] {
            if let Some(token) = made[key].as_str().filter(|token| !token.is_empty()) {
                http = http.hide(&Secret::new(token)).header(header, token)?;
            }
        }
        Ok(http)
    }
}

impl Launcher for E2b {
    fn place(&self) -> Place {
        Place::E2b
    }

    fn launch(&self) -> Pending<'_, Box<dyn Backend>> {
        Box::pin(async move { Ok(Box::new(self.connect().await?) as Box<dyn Backend>) })
    }
}

/// A sandbox, and the kernel in it. Dropping it kills it too, for which the thread waits; [`Backend::cleanup`] does it without.
pub struct Sandbox {
    account: E2b,
    control: Http,
    machine: Option<Machine>,
    tools: Option<Tools>,
    cancel: CancelHandle,
    is_closed: bool,
}

/// What there is of a sandbox at the service.
struct Machine {
    id: String,
    http: Http,
    guard: Guard,
    /// Whether our code is in the kernel.
    is_set_up: bool,
    /// Whether the last execution ended well. After one that did not, a kernel throws away what comes too early, and the service does not say so: its stream
    /// goes on for ever.
    is_settled: bool,
}

/// What is known of a sandbox that was asked for.
#[derive(Default)]
struct Made {
    step: Step,
    id: OnceLock<String>,
}

/// Kills the sandbox, if there is one: by its tag when the answer that had its number was lost.
async fn remove(control: &Http, tag: &str, made: &Made) {
    if let Some(id) = made.id.get() {
        return control.delete_in_the_end(&format!("/sandboxes/{id}")).await;
    }
    let looked = async {
        let control = control.fresh()?;
        let path = format!("/v2/sandboxes?metadata={TAG}%3D{tag}");
        for left in (0..made.step.looks()).rev() {
            let answer = control.send(Request::get(&path)).await?;
            let list: Json = serde_json::from_slice(&answer.body).unwrap_or_default();
            // Of a service that takes no notice of the question, others' sandboxes are not killed.
            let ours = list.as_array().into_iter().flatten();
            let ours: Vec<_> = ours
                .filter(|item| item["metadata"][TAG] == tag)
                .filter_map(proper_id)
                .collect();
            for id in &ours {
                control.delete_in_the_end(&format!("/sandboxes/{id}")).await;
            }
            if !ours.is_empty() {
                break;
            }
            if left > 0 {
                tokio::time::sleep(LOOK).await;
            }
        }
        Ok::<(), BackendError>(())
    };
    if let Err(error) = looked.await {
        tracing::warn!(place = %Place::E2b, %error, "nobody knows whether there is a sandbox");
    }
}

/// The number in the description of a sandbox, if it can be part of a path.
fn proper_id(sandbox: &Json) -> Option<&str> {
    let good = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let id = sandbox["sandboxID"].as_str()?;
    (!id.is_empty() && id.len() <= 100 && id.chars().all(good)).then_some(id)
}

impl std::fmt::Debug for Sandbox {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sandbox")
            .field("id", &self.id())
            .finish_non_exhaustive()
    }
}

/// How an execution ended.
enum End {
    Done,
    /// The kernel is gone, or the sandbox: what happened.
    Died(&'static str),
    /// We ended it.
    Stopped(ErrorKind),
}

impl Sandbox {
    /// The sandbox's number at the service; empty when there is none.
    pub fn id(&self) -> &str {
        self.machine
            .as_ref()
            .map_or("", |machine| machine.id.as_str())
    }

    /// Sees to it that there is a sandbox, and our code in its kernel.
    async fn ensure_ready(&mut self) -> Result<(), BackendError> {
        if self.is_closed {
            return Err(BackendError::Closed(Place::E2b));
        }
        let is_new = self.machine.is_none();
        if is_new {
            self.create().await?;
        }
        let is_settled = self.machine.as_ref().is_none_or(|m| m.is_settled);
        if !is_settled && !self.recover().await {
            return Err(self.control.unreachable(ANEW));
        }
        let ready = self.set_up().await;
        if ready.is_err() && is_new {
            self.give_up().await;
        }
        ready
    }

    async fn create(&mut self) -> Result<(), BackendError> {
        let tag = super::jupyter::random_id()?;
        let made = Arc::new(Made::default());
        let guard = {
            let (control, tag, made) = (self.control.clone(), tag.clone(), made.clone());
            Guard::new(move || async move { remove(&control, &tag, &made).await })
        };
        match self.make(&tag, &made).await {
            Ok((id, http)) => {
                tracing::debug!(id, "a sandbox is there");
                self.machine = Some(Machine {
                    id,
                    http,
                    guard,
                    is_set_up: false,
                    is_settled: true,
                });
                Ok(())
            }
            Err(error) => {
                guard.remove().await;
                Err(error)
            }
        }
    }

    /// Asks for a sandbox with that tag, and waits until its server is there.
    async fn make(&self, tag: &str, made: &Made) -> Result<(String, Http), BackendError> {
        let request = self.account.request(tag);
        let request = Request::post("/v2/sandboxes")
            .json(&request)
            .time(self.account.start_time);
        made.step.ask();
        let answer = self.control.send(request).await;
        let answer = answer.inspect_err(|error| made.step.failed(error))?;
        let answer: Json = serde_json::from_slice(&answer.body).unwrap_or_default();
        let id = proper_id(&answer)
            .ok_or_else(|| self.control.protocol("a sandbox without a proper number"))?;
        let _ = made.id.set(id.to_owned());
        let http = self.account.data_plane(id, &answer)?;
        http.wait_ready("/health", self.account.start_time).await?;
        Ok((id.to_owned(), http))
    }

    async fn set_up(&mut self) -> Result<(), BackendError> {
        match &self.machine {
            Some(machine) if !machine.is_set_up => {}
            _ => return Ok(()),
        }
        self.cell(&program::setup(None), SERVICE).await?;
        if let Some(tools) = self.tools.clone() {
            let request = program::tools(&tools, self.account.policy.limits())?;
            let gathered = self.cell(&program::cell(&request), SERVICE).await?;
            gathered.answer(Place::E2b)?;
        }
        if let Some(machine) = &mut self.machine {
            machine.is_set_up = true;
        }
        Ok(())
    }

    /// Kills the sandbox. The next use makes another one.
    async fn give_up(&mut self) {
        if let Some(machine) = self.machine.take() {
            machine.guard.remove().await;
        }
    }

    /// Runs a cell of ours, which is no program.
    async fn cell(&mut self, code: &str, time: Duration) -> Result<Gathered, BackendError> {
        let mut gathered = Gathered::quiet();
        let lost = |this: &Sandbox, why: &str| this.control.unreachable(why);
        match self.execute(code, &mut gathered, time, false).await? {
            End::Done => Ok(gathered),
            End::Died(why) => {
                self.after_death(why).await;
                Err(lost(self, why))
            }
            End::Stopped(_) => {
                self.recover().await;
                Err(lost(self, "the kernel does not answer in time"))
            }
        }
    }

    /// Runs a cell of IPython's as it is: with magics (`%pip`, `!ls`), and without our code around it. Its value has a `repr()` only, from which the
    /// service takes single quotes.
    pub async fn run_cell(
        &mut self,
        code: &str,
        mut options: RunOptions,
    ) -> Result<Outcome, BackendError> {
        self.ensure_ready().await?;
        let gathered = Gathered::new(&mut options, &self.account.policy).raw();
        self.run_code(code, gathered).await
    }

    async fn run_code(
        &mut self,
        code: &str,
        mut gathered: Gathered,
    ) -> Result<Outcome, BackendError> {
        let started = std::time::Instant::now();
        self.cancel.reset();
        let time = self.account.policy.limits().time();
        let end = self.execute(code, &mut gathered, time, true).await;
        let usage = program::usage(started.elapsed());
        let ended = match end? {
            End::Done if gathered.has_lost_module() => {
                self.forget_setup();
                gathered.forget_error();
                Some(RunError::outer(ErrorKind::Died, ANEW))
            }
            End::Done => None,
            End::Died(why) => {
                self.after_death(why).await;
                gathered.forget_error();
                Some(RunError::outer(ErrorKind::Died, why))
            }
            End::Stopped(kind) => {
                let message = match kind {
                    ErrorKind::Time => "the time limit was reached",
                    ErrorKind::Output => "the output limit was reached",
                    _ => "the run was cancelled",
                };
                let mut error = RunError::outer(kind, message);
                error.session_lost = !self.recover().await;
                Some(error)
            }
        };
        gathered.outcome(Place::E2b, &self.account.policy, ended, usage)
    }

    /// Sends code to the kernel and follows the stream to its end. All that it says goes to `gathered`.
    async fn execute(
        &mut self,
        code: &str,
        gathered: &mut Gathered,
        time: Duration,
        is_run: bool,
    ) -> Result<End, BackendError> {
        // Until more is known: this may be dropped in the middle.
        self.settle(false);
        let end = self.follow(code, gathered, time, is_run).await;
        match &end {
            Ok(End::Done) => self.settle(!gathered.has_failed()),
            // The next kernel has had nothing to fail with.
            Ok(End::Died(_)) => self.settle(true),
            Ok(End::Stopped(_)) | Err(_) => {}
        }
        end
    }

    fn settle(&mut self, is_settled: bool) {
        if let Some(machine) = &mut self.machine {
            machine.is_settled = is_settled;
        }
    }

    async fn follow(
        &self,
        code: &str,
        gathered: &mut Gathered,
        time: Duration,
        is_run: bool,
    ) -> Result<End, BackendError> {
        let Some(machine) = &self.machine else {
            return Ok(End::Died(GONE));
        };
        let deadline = Instant::now() + time;
        let cancel = self.cancel.clone();
        let body = json!({"code": code, "context_id": null, "language": null, "env_vars": null});
        let follow = async {
            let request = Request::post("/execute").json(&body).time(time + SLACK);
            let response = match machine.http.open(request).await {
                Ok(response) => response,
                // What the service's proxy says of a sandbox whose time is up.
                Err(BackendError::Refused {
                    status: 404 | 502, ..
                }) => return Ok(End::Died(GONE)),
                Err(error) => return Err(error),
            };
            let mut events = Events::new(machine.http.clone(), response);
            loop {
                let event = match events.next().await {
                    Ok(Some(event)) => event,
                    // The record is the last that a program sends.
                    Ok(None) | Err(_) if gathered.is_answered() => return Ok(End::Done),
                    Ok(None) => {
                        return Err(machine
                            .http
                            .unreachable("the stream ended before the execution"));
                    }
                    Err(error) => return Err(error),
                };
                match event {
                    Event::EndOfExecution => return Ok(End::Done),
                    Event::UnexpectedEndOfExecution => return Ok(End::Died(LOST)),
                    Event::Error {
                        name,
                        value,
                        traceback,
                    } => {
                        // The server's own words for a kernel that went away.
                        match name.as_str() {
                            "ContextRestarting" if traceback.is_empty() => {
                                return Ok(End::Died(DIED));
                            }
                            "UnexpectedEndOfExecution" if traceback.is_empty() => {
                                return Ok(End::Died(LOST));
                            }
                            _ => gathered.fail(&name, &value, &traceback),
                        }
                    }
                    Event::Result(result) => {
                        let (is_value, bundle) = stream::bundle(result);
                        gathered.show(is_value, &bundle);
                    }
                    Event::Stdout { text } => {
                        if !gathered.write(Stream::Stdout, &text) {
                            return Ok(End::Stopped(enough(gathered)));
                        }
                    }
                    Event::Stderr { text } => {
                        if !gathered.write(Stream::Stderr, &text) {
                            return Ok(End::Stopped(enough(gathered)));
                        }
                    }
                    Event::Other => {}
                }
            }
        };
        // However this ends, the stream is closed with it.
        let stopped = tokio::select! {
            end = follow => return end,
            () = cancel.wanted(), if is_run => ErrorKind::Cancelled,
            () = tokio::time::sleep_until(deadline) => ErrorKind::Time,
        };
        Ok(End::Stopped(stopped))
    }

    /// After an execution that did not end well, or whose stream was closed early: whether the kernel is there for more. If not, it is started anew, or another
    /// sandbox takes its place later.
    async fn recover(&mut self) -> bool {
        let end = Instant::now() + GRACE;
        let mut look = FIRST_LOOK;
        while Instant::now() < end {
            let mut gathered = Gathered::quiet();
            let time = look.min(end.saturating_duration_since(Instant::now()));
            match self.execute("", &mut gathered, time, false).await {
                // The interrupt may have come as late as this.
                Ok(End::Done) if gathered.has_failed() => {}
                Ok(End::Done) => return true,
                // Each stream that is closed interrupts it again. A kernel on a busy machine needs longer, and must not be interrupted for ever.
                Ok(End::Stopped(_)) => look *= 2,
                Ok(End::Died(why)) => {
                    self.after_death(why).await;
                    return false;
                }
                Err(error) => {
                    tracing::debug!(%error, "a kernel cannot be looked after");
                    break;
                }
            }
        }
        if let Err(error) = self.restart().await {
            tracing::debug!(%error, "a kernel cannot be started anew");
            self.give_up().await;
        }
        false
    }

    async fn restart(&mut self) -> Result<(), BackendError> {
        self.forget_setup();
        self.settle(true);
        let Some(machine) = &self.machine else {
            return Ok(());
        };
        let http = &machine.http;
        let answer = http
            .send(Request::get("/contexts").time(Duration::from_secs(10)))
            .await?;
        let contexts: Json = serde_json::from_slice(&answer.body).unwrap_or_default();
        let good = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        let id = contexts
            .as_array()
            .into_iter()
            .flatten()
            .filter(|context| context["language"] == "python")
            .find_map(|context| context["id"].as_str())
            .filter(|id| !id.is_empty() && id.chars().all(good))
            .ok_or_else(|| http.protocol("no context of Python's"))?;
        let path = format!("/contexts/{id}/restart");
        http.send(Request::post(&path).time(SERVICE)).await?;
        // Whether it is there is seen when our code is put into it: then, not now.
        Ok(())
    }

    /// What is left after a kernel has died: another one in the same sandbox, or nothing.
    async fn after_death(&mut self, why: &str) {
        tracing::debug!(id = self.id(), why, "a kernel is gone");
        if why == GONE {
            self.give_up().await;
        } else {
            self.forget_setup();
        }
    }

    /// Our code, and all variables with it, are in the kernel no more.
    fn forget_setup(&mut self) {
        if let Some(machine) = &mut self.machine {
            machine.is_set_up = false;
        }
    }
}

const GONE: &str = "the sandbox has ended";
const ANEW: &str = "the kernel was started anew, and its variables are lost";
const DIED: &str = "the kernel ended in the middle of the run";
const LOST: &str = "the service lost its connection to the kernel in the middle of the run";

/// Why a program is stopped whose output nobody takes any more.
fn enough(gathered: &Gathered) -> ErrorKind {
    if gathered.closed() {
        ErrorKind::Cancelled
    } else {
        ErrorKind::Output
    }
}

impl Interpreter for Sandbox {
    fn at(&self) -> Place {
        Place::E2b
    }

    fn limits(&self) -> &Limits {
        self.account.policy.limits()
    }

    fn masked(&self, text: &str) -> String {
        self.control.masked(text)
    }

    async fn ask(&mut self, request: &Json, time: Duration) -> Result<Json, BackendError> {
        self.ensure_ready().await?;
        let gathered = self.cell(&program::cell(request), time).await?;
        if gathered.has_lost_module() {
            self.forget_setup();
            return Err(self.control.unreachable(ANEW));
        }
        gathered.answer(Place::E2b)
    }
}

impl Backend for Sandbox {
    fn place(&self) -> Place {
        Place::E2b
    }

    fn run<'a>(&'a mut self, source: &'a str, mut options: RunOptions) -> Pending<'a, Outcome> {
        Box::pin(async move {
            self.ensure_ready().await?;
            let gathered = Gathered::new(&mut options, &self.account.policy);
            let request = program::run(source, &options, self.account.policy.limits());
            self.run_code(&program::cell(&request), gathered).await
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

    /// Tools that have to be called here are [`BackendError::Unsupported`].
    fn set_tools<'a>(&'a mut self, tools: &'a Tools) -> Pending<'a, ()> {
        Box::pin(async move {
            requests::refuse_calls(Place::E2b, tools)?;
            requests::set_tools(self, tools).await?;
            self.tools = Some(tools.clone());
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
            self.give_up().await;
            Ok(())
        })
    }
}
