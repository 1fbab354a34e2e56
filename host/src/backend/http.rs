//! The HTTP client of the backends: one server, its credentials, and patience where a server asks for it.
//!
//! Every text that comes from a server, or is made of an address, is masked before it becomes part of an error.

use std::time::Duration;

use reqwest::header::{HeaderMap, HeaderName, HeaderValue, RETRY_AFTER};
use reqwest::{Method, StatusCode, Url};
use tokio::time::Instant;

use super::guard::LOOK;
use super::{BackendError, Place, Secret};

/// How long a connection may take to be made.
const CONNECT: Duration = Duration::from_secs(10);
/// How long a request may take unless it says otherwise.
const REQUEST: Duration = Duration::from_secs(60);
/// How often a request is sent at most.
const ATTEMPTS: u32 = 4;
/// The longest wait that a server may ask for between two attempts.
const LONGEST_WAIT: Duration = Duration::from_secs(30);
/// How much of a response is read at most.
const MAX_BODY: usize = 64 << 20;
/// How much of what a server says goes into an error.
const MAX_REASON: usize = 400;

/// One server.
#[derive(Clone)]
pub(super) struct Http {
    place: Place,
    base: Url,
    socket: Option<std::path::PathBuf>,
    headers: HeaderMap,
    secrets: Vec<Secret>,
    client: reqwest::Client,
}

impl std::fmt::Debug for Http {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Http")
            .field("place", &self.place)
            .field("host", &self.base.host_str())
            .finish_non_exhaustive()
    }
}

/// A request to be sent, as often as it takes.
pub(super) struct Request<'a> {
    method: Method,
    path: &'a str,
    body: Option<(&'static str, Vec<u8>)>,
    time: Duration,
    repeatable: bool,
}

impl<'a> Request<'a> {
    fn new(method: Method, path: &'a str) -> Request<'a> {
        Request {
            repeatable: method != Method::POST,
            method,
            path,
            body: None,
            time: REQUEST,
        }
    }

    pub(super) fn get(path: &'a str) -> Request<'a> {
        Request::new(Method::GET, path)
    }

    pub(super) fn post(path: &'a str) -> Request<'a> {
        Request::new(Method::POST, path)
    }

    pub(super) fn delete(path: &'a str) -> Request<'a> {
        Request::new(Method::DELETE, path)
    }

    pub(super) fn json(mut self, body: &serde_json::Value) -> Self {
        self.body = Some(("application/json", body.to_string().into_bytes()));
        self
    }

    #[cfg(feature = "docker")]
    pub(super) fn body(mut self, media_type: &'static str, body: Vec<u8>) -> Self {
        self.body = Some((media_type, body));
        self
    }

    pub(super) fn time(mut self, time: Duration) -> Self {
        self.time = time;
        self
    }
}

/// A response with its body.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) body: Vec<u8>,
}

impl Answer {
    pub(super) fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }
}

/// The system's certificates, checked by rustls with ring.
pub(super) fn tls(place: Place) -> Result<rustls::ClientConfig, BackendError> {
    use rustls_platform_verifier::BuilderVerifierExt as _;

    let wrong = |error: rustls::Error| BackendError::Configuration {
        place,
        reason: format!("no TLS: {error}"),
    };
    let provider = std::sync::Arc::new(rustls::crypto::ring::default_provider());
    Ok(rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(wrong)?
        .with_platform_verifier()
        .map_err(wrong)?
        .with_no_client_auth())
}

impl Http {
    /// A client of the server at `base`: `http://...`, `https://...` or, where the system has such, `unix:///path`.
    pub(super) fn new(place: Place, base: &str) -> Result<Http, BackendError> {
        let wrong = |reason: String| BackendError::Configuration { place, reason };
        let (base, socket) = match base.strip_prefix("unix://") {
            Some(path) => ("http://localhost".to_owned(), Some(path.into())),
            None => (base.trim_end_matches('/').to_owned(), None),
        };
        let url = Url::parse(&base).map_err(|e| wrong(format!("the address is none: {e}")))?;
        if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
            return Err(wrong(
                "the address must begin with http:// or https://".to_owned(),
            ));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(wrong(
                "the address must not hold a password: credentials are given apart".to_owned(),
            ));
        }
        let client = client(place, &url, socket.as_deref())?;
        Ok(Http {
            place,
            base: url,
            socket,
            headers: HeaderMap::new(),
            secrets: Vec::new(),
            client,
        })
    }

    /// The same server with connections of its own, for another runtime.
    pub(super) fn fresh(&self) -> Result<Http, BackendError> {
        let client = client(self.place, &self.base, self.socket.as_deref())?;
        Ok(Http {
            client,
            ..self.clone()
        })
    }

    /// Sends a header with every request.
    pub(super) fn header(
        mut self,
        name: &'static str,
        value: impl AsRef<str>,
    ) -> Result<Http, BackendError> {
        let mut value =
            HeaderValue::from_str(value.as_ref()).map_err(|_| BackendError::Configuration {
                place: self.place,
                reason: format!("the value of the header {name} has characters that none may have"),
            })?;
        value.set_sensitive(true);
        self.headers.insert(HeaderName::from_static(name), value);
        Ok(self)
    }

    /// Keeps a secret out of all errors.
    pub(super) fn hide(mut self, secret: &Secret) -> Http {
        self.secrets.push(secret.clone());
        self
    }

    pub(super) fn place(&self) -> Place {
        self.place
    }

    pub(super) fn base(&self) -> &Url {
        &self.base
    }

    pub(super) fn headers(&self) -> &HeaderMap {
        &self.headers
    }

    /// A text without the secrets that this server knows, cut.
    pub(super) fn masked(&self, text: &str) -> String {
        masked(&self.secrets, text)
    }

    fn url(&self, path: &str) -> Result<Url, BackendError> {
        let joined = format!("{}{path}", self.base.as_str().trim_end_matches('/'));
        Url::parse(&joined).map_err(|e| self.protocol(&format!("an address that is none: {e}")))
    }

    pub(super) fn protocol(&self, reason: &str) -> BackendError {
        BackendError::Protocol {
            place: self.place,
            reason: self.masked(reason),
        }
    }

    pub(super) fn unreachable(&self, reason: &str) -> BackendError {
        BackendError::Unreachable {
            place: self.place,
            reason: self.masked(reason),
        }
    }

    /// What went wrong with a request, from its causes: the first one is the address, which stays out.
    pub(super) fn broken(&self, error: reqwest::Error) -> BackendError {
        use std::error::Error as _;

        let error = error.without_url();
        let mut reason = error.to_string();
        let mut cause = error.source();
        while let Some(next) = cause {
            let text = next.to_string();
            if !reason.contains(&text) {
                reason = format!("{reason}: {text}");
            }
            cause = next.source();
        }
        self.unreachable(&reason)
    }

    /// The error that a response without success is.
    pub(super) fn refused(&self, method: &str, path: &str, answer: &Answer) -> BackendError {
        let path = path.split('?').next().unwrap_or(path);
        let text = String::from_utf8_lossy(&answer.body);
        // Services say what is wrong as {"message": ...}, and some as {"error": ...}.
        let said = serde_json::from_str::<serde_json::Value>(&text)
            .ok()
            .and_then(|json| {
                let said = json.get("message").or_else(|| json.get("error"))?;
                Some(said.as_str()?.to_owned())
            });
        let text = said.unwrap_or_else(|| text.trim().to_owned());
        let mut reason = self.masked(&text);
        if reason.is_empty() {
            let status = StatusCode::from_u16(answer.status).ok();
            let phrase = status.and_then(|status| status.canonical_reason());
            reason = phrase.unwrap_or("no reason given").to_owned();
        }
        BackendError::Refused {
            place: self.place,
            request: format!("{method} {}", self.masked(path)),
            status: answer.status,
            reason,
        }
    }

    async fn send_once(&self, request: &Request<'_>) -> Result<reqwest::Response, BackendError> {
        let mut builder = self
            .client
            .request(request.method.clone(), self.url(request.path)?)
            .headers(self.headers.clone())
            .timeout(request.time);
        match &request.body {
            Some((media_type, body)) => {
                builder = builder
                    .header("content-type", *media_type)
                    .body(body.clone());
            }
            None if request.method == Method::POST => {
                builder = builder.header("content-length", "0");
            }
            None => {}
        }
        builder.send().await.map_err(|error| self.broken(error))
    }

    pub(super) async fn read(
        &self,
        mut response: reqwest::Response,
    ) -> Result<Answer, BackendError> {
        let status = response.status().as_u16();
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|error| self.broken(error))? {
            if body.len() + chunk.len() > MAX_BODY {
                return Err(self.protocol("a response that is too large"));
            }
            body.extend_from_slice(&chunk);
        }
        Ok(Answer { status, body })
    }

    /// Sends a request once; the response, whatever its status.
    pub(super) async fn ask(&self, request: Request<'_>) -> Result<Answer, BackendError> {
        let response = self.send_once(&request).await?;
        self.read(response).await
    }

    /// Sends a request once; the response as it comes, if it is a success.
    #[cfg_attr(
        not(feature = "e2b"),
        allow(dead_code, reason = "only E2B answers with a stream")
    )]
    pub(super) async fn open(
        &self,
        request: Request<'_>,
    ) -> Result<reqwest::Response, BackendError> {
        let response = self.send_once(&request).await?;
        if response.status().is_success() {
            return Ok(response);
        }
        let answer = self.read(response).await?;
        Err(self.refused(request.method.as_str(), request.path, &answer))
    }

    /// Sends a request until it is answered: again when the server is busy, after the time that it asks for, and when the connection breaks, if the request
    /// may be sent twice. A response without success is an error.
    pub(super) async fn send(&self, request: Request<'_>) -> Result<Answer, BackendError> {
        let mut wait = Duration::from_millis(500);
        for attempt in 1.. {
            let last = attempt == ATTEMPTS;
            let failure = match self.send_once(&request).await {
                Ok(response) => {
                    let asked = retry_after(response.headers());
                    let status = response.status().as_u16();
                    let answer = self.read(response).await?;
                    if answer.is_success() {
                        return Ok(answer);
                    }
                    // A server that is overloaded has not done what it was asked; of one behind a broken gateway nobody knows.
                    let again = match status {
                        429 | 503 => true,
                        500 | 502 | 504 => request.repeatable,
                        _ => false,
                    };
                    let error = self.refused(request.method.as_str(), request.path, &answer);
                    if !again {
                        return Err(error);
                    }
                    if let Some(asked) = asked {
                        wait = asked;
                    }
                    error
                }
                Err(error) if request.repeatable => error,
                Err(error) => return Err(error),
            };
            if last || wait > LONGEST_WAIT {
                return Err(failure);
            }
            tracing::debug!(place = %self.place, attempt, wait_ms = wait.as_millis() as u64, error = %failure, "a request is sent again");
            tokio::time::sleep(wait).await;
            wait = (wait * 2).min(LONGEST_WAIT);
        }
        Err(self.unreachable("no attempt was made"))
    }

    /// Asks until a GET succeeds: what has just been started does not listen at once. What says that no credentials will do is an error at once.
    pub(super) async fn wait_ready(&self, path: &str, time: Duration) -> Result<(), BackendError> {
        let end = Instant::now() + time;
        let mut wait = Duration::from_millis(50);
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let request = Request::get(path).time(left.clamp(Duration::from_millis(100), CONNECT));
            let failure = match self.ask(request).await {
                Ok(answer) if answer.is_success() => return Ok(()),
                Ok(answer) if matches!(answer.status, 400 | 401 | 403) => {
                    return Err(self.refused("GET", path, &answer));
                }
                Ok(answer) => self.refused("GET", path, &answer),
                Err(error) => error,
            };
            if Instant::now() + wait >= end {
                return Err(BackendError::NotReady {
                    place: self.place,
                    seconds: time.as_secs(),
                    reason: failure.to_string(),
                });
            }
            tokio::time::sleep(wait).await;
            wait = (wait * 2).min(Duration::from_secs(1));
        }
    }

    /// Deletes something, as [`Guard`](super::guard::Guard)s do: from a runtime of its own, and telling the log what goes wrong.
    pub(super) async fn delete_in_the_end(&self, path: &str) {
        self.delete_if_made(path, 1).await;
    }

    /// The same with something that may still be in the making: it is looked for so often.
    pub(super) async fn delete_if_made(&self, path: &str, looks: u32) {
        let deleted = async {
            let fresh = self.fresh()?;
            for left in (0..looks).rev() {
                match fresh.send(Request::delete(path).time(CONNECT)).await {
                    Ok(answer) => {
                        tracing::debug!(place = %self.place, status = answer.status, "removed");
                        break;
                    }
                    // Gone already, or not there yet.
                    Err(BackendError::Refused {
                        status: 404 | 410, ..
                    }) if left > 0 => tokio::time::sleep(LOOK).await,
                    Err(BackendError::Refused {
                        status: 404 | 410, ..
                    }) => {}
                    Err(error) => return Err(error),
                }
            }
            Ok(())
        };
        if let Err(error) = deleted.await {
            tracing::warn!(place = %self.place, %error, "a remote resource cannot be removed");
        }
    }
}

/// A text without those secrets, cut.
pub(super) fn masked(secrets: &[Secret], text: &str) -> String {
    let mut text = text.to_owned();
    for secret in secrets {
        text = secret.mask(&text);
    }
    if let Some((at, _)) = text.char_indices().nth(MAX_REASON) {
        text.truncate(at);
        text.push('…');
    }
    text
}

fn client(
    place: Place,
    url: &Url,
    socket: Option<&std::path::Path>,
) -> Result<reqwest::Client, BackendError> {
    let mut builder = reqwest::Client::builder()
        .connect_timeout(CONNECT)
        // A redirection would carry the credentials to a place that nobody chose.
        .redirect(reqwest::redirect::Policy::none())
        .no_proxy()
        .user_agent(concat!("coldframe/", env!("CARGO_PKG_VERSION")));
    // The certificates of the system are only read where they matter.
    builder = if url.scheme() == "https" {
        builder.tls_backend_preconfigured(tls(place)?)
    } else {
        let provider = std::sync::Arc::new(rustls::crypto::ring::default_provider());
        let config = rustls::ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| BackendError::Configuration {
                place,
                reason: format!("no TLS: {error}"),
            })?
            .with_root_certificates(rustls::RootCertStore::empty())
            .with_no_client_auth();
        builder.tls_backend_preconfigured(config)
    };
    #[cfg(unix)]
    if let Some(path) = socket {
        builder = builder.unix_socket(path);
    }
    #[cfg(not(unix))]
    if socket.is_some() {
        return Err(BackendError::Configuration {
            place,
            reason: "this system has no unix sockets".to_owned(),
        });
    }
    builder
        .build()
        .map_err(|error| BackendError::Configuration {
            place,
            reason: format!("no HTTP client: {}", error.without_url()),
        })
}

/// The seconds of a `Retry-After`; dates are not taken, nobody sends them.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?;
    let seconds = text.trim().parse::<f64>().ok()?;
    Duration::try_from_secs_f64(seconds).ok()
}
