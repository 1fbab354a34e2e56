//! The client of Modal's gRPC interface: one connection, the credentials on every call, and patience where the server asks for it.
//!
//! Every text that comes from the server is masked before it becomes part of an error.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use hyper::client::conn::http2::{Builder, SendRequest};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use prost::Message;
use reqwest::Url;
use tokio::net::TcpStream;
use tonic::body::Body;
use tonic::client::Grpc;
use tonic::metadata::{MetadataMap, MetadataValue};
use tonic::{Code, Status};
use tonic_prost::ProstCodec;

use super::super::http::{masked, tls};
use super::super::jupyter::random_id;
use super::super::program::from_base64;
use super::super::{BackendError, Place, Secret};
use super::messages::{AuthTokenGetRequest, AuthTokenGetResponse, RpcRetryPolicy, RpcStatus};

/// The version of Modal's own client whose interface this follows.
const VERSION: &str = "1.6.4";
const SERVICE: &str = "/modal.client.ModalClient/";
/// How long a connection may take to be made.
const CONNECT: Duration = Duration::from_secs(15);
/// How long a call may take unless it says otherwise.
const CALL: Duration = Duration::from_secs(60);
/// How often a call is made at most.
const ATTEMPTS: u32 = 4;
/// The longest wait that the server may ask for between two attempts.
const LONGEST_WAIT: Duration = Duration::from_secs(30);
/// The largest message that is taken.
const MAX_MESSAGE: usize = 16 << 20;
/// How long a session's token is taken to last if it does not say.
const TOKEN_LIFE: Duration = Duration::from_secs(20 * 60);

/// The connection, as tonic wants it.
#[derive(Clone)]
struct Channel(SendRequest<Body>);

impl tower_service::Service<http::Request<Body>> for Channel {
    type Response = http::Response<hyper::body::Incoming>;
    type Error = hyper::Error;
    type Future =
        Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send + 'static>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), hyper::Error>> {
        self.0.poll_ready(cx)
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        Box::pin(self.0.send_request(request))
    }
}

/// A server, and who asks it.
#[derive(Clone)]
pub(super) struct Client {
    url: Url,
    token_id: Secret,
    token_secret: Secret,
    /// What may stand in no error.
    secrets: Vec<Secret>,
    channel: Option<Channel>,
    /// The token of the session with the server, and when to ask for another.
    auth: Option<(Secret, SystemTime)>,
    /// The token of the sandbox, when there is one.
    pub(super) sandbox_token: Option<Secret>,
}

/// A call, which may be made more than once.
pub(super) struct Call<M> {
    pub(super) method: &'static str,
    pub(super) message: M,
    pub(super) time: Duration,
    /// Whether it carries the session's token, as calls about sandboxes do.
    pub(super) with_auth: bool,
    /// The key of all its attempts; one of its own if not set.
    pub(super) key: Option<String>,
}

impl<M> Call<M> {
    pub(super) fn new(method: &'static str, message: M) -> Call<M> {
        Call {
            method,
            message,
            time: CALL,
            with_auth: false,
            key: None,
        }
    }

    /// Makes it the same call as others of that key.
    pub(super) fn key(mut self, key: &str) -> Self {
        self.key = Some(key.to_owned());
        self
    }

    pub(super) fn with_auth(mut self) -> Self {
        self.with_auth = true;
        self
    }

    pub(super) fn time(mut self, time: Duration) -> Self {
        self.time = time;
        self
    }
}

/// How one attempt failed.
enum Failure {
    /// There is no connection, or it broke.
    Broken(String),
    Status(Status),
    Late,
}

impl Client {
    pub(super) fn new(
        url: &str,
        token_id: &Secret,
        token_secret: &Secret,
    ) -> Result<Client, BackendError> {
        let wrong = |reason: String| BackendError::Configuration {
            place: Place::Modal,
            reason,
        };
        let url = Url::parse(url).map_err(|e| wrong(format!("the address is none: {e}")))?;
        if !matches!(url.scheme(), "http" | "https")
            || url.host_str().is_none()
            || !url.username().is_empty()
            || url.password().is_some()
        {
            return Err(wrong(
                "the address must begin with http:// or https://, and hold no password".to_owned(),
            ));
        }
        for secret in [token_id, token_secret] {
            if !is_metadata(secret.reveal()) {
                return Err(wrong(
                    "the credentials have characters that none may have".to_owned(),
                ));
            }
        }
        Ok(Client {
            url,
            secrets: vec![token_id.clone(), token_secret.clone()],
            token_id: token_id.clone(),
            token_secret: token_secret.clone(),
            channel: None,
            auth: None,
            sandbox_token: None,
        })
    }

    /// The same server with a connection of its own, for another runtime.
    pub(super) fn fresh(&self) -> Client {
        Client {
            channel: None,
            ..self.clone()
        }
    }

    /// Keeps a secret out of all errors.
    pub(super) fn hide(&mut self, secret: &Secret) {
        self.secrets.push(secret.clone());
    }

    pub(super) fn masked(&self, text: &str) -> String {
        masked(&self.secrets, text)
    }

    pub(super) fn protocol(&self, reason: &str) -> BackendError {
        BackendError::Protocol {
            place: Place::Modal,
            reason: self.masked(reason),
        }
    }

    /// Makes a call until it is answered. All attempts have one key, by which the server knows that they are one call.
    pub(super) async fn call<M, R>(&mut self, call: Call<M>) -> Result<R, BackendError>
    where
        M: Message + Clone + 'static,
        R: Message + Default + 'static,
    {
        if call.with_auth {
            self.authenticate().await?;
        }
        self.attempts(&call).await
    }

    async fn attempts<M, R>(&mut self, call: &Call<M>) -> Result<R, BackendError>
    where
        M: Message + Clone + 'static,
        R: Message + Default + 'static,
    {
        let key = match &call.key {
            Some(key) => key.clone(),
            None => random_id()?,
        };
        let mut wait = Duration::from_millis(100);
        // Attempts that failed, and those that the server put off.
        let (mut failed, mut throttled) = (0, 0);
        loop {
            let failure = match self.once(call, (&key, failed, throttled)).await {
                Ok(response) => return Ok(response),
                Err(failure) => failure,
            };
            let asked = match &failure {
                Failure::Status(status) => retry_after(status),
                _ => None,
            };
            let error = self.failed(call.method, call.time, &failure);
            let again = match &failure {
                Failure::Status(status) => asked.is_some() || is_passing(status.code()),
                Failure::Broken(_) | Failure::Late => true,
            };
            match asked {
                Some(asked) => {
                    throttled += 1;
                    wait = asked.max(Duration::from_millis(100));
                }
                None => failed += 1,
            }
            if !again || failed + throttled == ATTEMPTS || wait > LONGEST_WAIT {
                return Err(error);
            }
            tracing::debug!(method = call.method, failed, throttled, wait_ms = wait.as_millis() as u64, %error, "a call is made again");
            tokio::time::sleep(wait).await;
            wait = (wait * 2).min(Duration::from_secs(5));
        }
    }

    async fn once<M, R>(&mut self, call: &Call<M>, attempt: (&str, u32, u32)) -> Result<R, Failure>
    where
        M: Message + Clone + 'static,
        R: Message + Default + 'static,
    {
        let work = async {
            let mut grpc = self.grpc().await?;
            let request = self.request(call, Some(attempt));
            let codec = ProstCodec::<M, R>::default();
            let answer = grpc.unary(request, path(call.method), codec).await;
            answer.map(tonic::Response::into_inner).map_err(failure)
        };
        let answer = match tokio::time::timeout(call.time, work).await {
            Ok(answer) => answer,
            Err(_) => Err(Failure::Late),
        };
        if matches!(answer, Err(Failure::Broken(_) | Failure::Late)) {
            self.channel = None;
        }
        answer
    }

    /// Makes a call that is answered with a stream, and gives each message of it to `take` until that has a result, or the stream ends.
    pub(super) async fn stream<M, R, T>(
        &mut self,
        call: Call<M>,
        mut take: impl FnMut(R) -> Option<T>,
    ) -> Result<Option<T>, BackendError>
    where
        M: Message + Clone + 'static,
        R: Message + Default + 'static,
    {
        let work = async {
            let mut grpc = self.grpc().await?;
            let request = self.request(&call, None);
            let codec = ProstCodec::<M, R>::default();
            let answer = grpc
                .server_streaming(request, path(call.method), codec)
                .await
                .map_err(failure)?;
            let mut messages = answer.into_inner();
            while let Some(message) = messages.message().await.map_err(failure)? {
                if let Some(result) = take(message) {
                    return Ok(Some(result));
                }
            }
            Ok(None)
        };
        let end = match tokio::time::timeout(call.time, work).await {
            Ok(end) => end,
            Err(_) => Err(Failure::Late),
        };
        end.map_err(|failure| {
            if matches!(failure, Failure::Broken(_) | Failure::Late) {
                self.channel = None;
            }
            self.failed(call.method, call.time, &failure)
        })
    }

    /// Sees to it that there is a token of the session, for a while to come.
    pub(super) async fn authenticate(&mut self) -> Result<(), BackendError> {
        let now = SystemTime::now();
        if self.auth.as_ref().is_some_and(|(_, until)| now < *until) {
            return Ok(());
        }
        let call = Call::new("AuthTokenGet", AuthTokenGetRequest {}).time(Duration::from_secs(15));
        let answer: AuthTokenGetResponse = self.attempts(&call).await?;
        if answer.token.is_empty() || !is_metadata(&answer.token) {
            return Err(self.protocol("a token that is none"));
        }
        let life = expiry(&answer.token)
            .and_then(|end| end.duration_since(now).ok())
            .unwrap_or(TOKEN_LIFE);
        let token = Secret::new(answer.token);
        self.hide(&token);
        self.auth = Some((token, now + life / 2));
        Ok(())
    }

    /// A request with what Modal's own client says of itself, but for the names of the machine, its system and its Python.
    fn request<M: Clone>(
        &self,
        call: &Call<M>,
        attempt: Option<(&str, u32, u32)>,
    ) -> tonic::Request<M> {
        let mut request = tonic::Request::new(call.message.clone());
        let metadata = request.metadata_mut();
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let now = now.map_or(0.0, |time| time.as_secs_f64());
        put(metadata, "x-modal-client-version", VERSION);
        put(metadata, "x-modal-client-type", "1");
        put(metadata, "x-modal-timestamp", &now.to_string());
        put(
            metadata,
            "x-modal-host",
            self.url.host_str().unwrap_or_default(),
        );
        put(
            metadata,
            "user-agent",
            concat!("coldframe/", env!("CARGO_PKG_VERSION")),
        );
        put_secret(metadata, "x-modal-token-id", &self.token_id);
        put_secret(metadata, "x-modal-token-secret", &self.token_secret);
        if let Some((key, failed, throttled)) = attempt {
            put(metadata, "x-idempotency-key", key);
            put(metadata, "x-retry-attempt", &failed.to_string());
            put(metadata, "x-throttle-retry-attempt", &throttled.to_string());
        }
        if call.with_auth {
            if let Some((token, _)) = &self.auth {
                put_secret(metadata, "x-modal-auth-token", token);
            }
            if let Some(token) = &self.sandbox_token {
                put_secret(metadata, "x-modal-sandbox-token", token);
            }
        }
        request
    }

    async fn grpc(&mut self) -> Result<Grpc<Channel>, Failure> {
        let channel = match self.channel.take() {
            Some(Channel(sender)) if !sender.is_closed() => Channel(sender),
            _ => match tokio::time::timeout(CONNECT, self.connect()).await {
                Ok(channel) => channel?,
                Err(_) => return Err(Failure::Broken("it took too long to connect".to_owned())),
            },
        };
        self.channel = Some(channel.clone());
        let authority = match self.url.port() {
            Some(port) => format!("{}:{port}", self.url.host_str().unwrap_or_default()),
            None => self.url.host_str().unwrap_or_default().to_owned(),
        };
        let origin = http::Uri::builder()
            .scheme(self.url.scheme())
            .authority(authority)
            .path_and_query("/")
            .build()
            .map_err(|e| Failure::Broken(e.to_string()))?;
        let mut grpc = Grpc::with_origin(channel, origin).max_decoding_message_size(MAX_MESSAGE);
        grpc.ready().await.map_err(|e| Failure::Broken(chain(&e)))?;
        Ok(grpc)
    }

    async fn connect(&self) -> Result<Channel, Failure> {
        let broken = |error: &(dyn std::error::Error + 'static)| Failure::Broken(chain(error));
        let host = self.url.host_str().unwrap_or_default();
        let address = host.trim_matches(['[', ']']);
        let port = self.url.port_or_known_default().unwrap_or(443);
        let stream = TcpStream::connect((address, port))
            .await
            .map_err(|e| broken(&e))?;
        stream.set_nodelay(true).map_err(|e| broken(&e))?;
        if self.url.scheme() == "http" {
            return handshake(stream).await;
        }
        let mut config = tls(Place::Modal).map_err(|e| broken(&e))?;
        config.alpn_protocols = vec![b"h2".to_vec()];
        let name =
            rustls::pki_types::ServerName::try_from(address.to_owned()).map_err(|e| broken(&e))?;
        let stream = tokio_rustls::TlsConnector::from(Arc::new(config))
            .connect(name, stream)
            .await
            .map_err(|e| broken(&e))?;
        handshake(stream).await
    }

    /// The error that a failure is, with the HTTP status that says the same as the one of gRPC's.
    fn failed(&self, method: &str, time: Duration, failure: &Failure) -> BackendError {
        let status = match failure {
            Failure::Broken(reason) => {
                return BackendError::Unreachable {
                    place: Place::Modal,
                    reason: self.masked(reason),
                };
            }
            Failure::Late => {
                return BackendError::Unreachable {
                    place: Place::Modal,
                    reason: format!("{method} was not answered in {} seconds", time.as_secs()),
                };
            }
            Failure::Status(status) => status,
        };
        let number = match status.code() {
            Code::InvalidArgument | Code::OutOfRange | Code::FailedPrecondition => 400,
            Code::Unauthenticated => 401,
            Code::PermissionDenied => 403,
            Code::NotFound => 404,
            Code::AlreadyExists | Code::Aborted => 409,
            Code::ResourceExhausted => 429,
            Code::Cancelled => 499,
            Code::Unimplemented => 501,
            Code::Unavailable => 503,
            Code::DeadlineExceeded => 504,
            _ => 500,
        };
        let mut reason = self.masked(status.message().trim());
        if reason.is_empty() {
            reason = status.code().description().to_owned();
        }
        BackendError::Refused {
            place: Place::Modal,
            request: format!("POST {SERVICE}{method}"),
            status: number,
            reason,
        }
    }
}

async fn handshake<S>(stream: S) -> Result<Channel, Failure>
where
    S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Send + Unpin + 'static,
{
    let (sender, connection) = Builder::new(TokioExecutor::new())
        .timer(TokioTimer::new())
        .keep_alive_interval(Duration::from_secs(30))
        .keep_alive_timeout(Duration::from_secs(10))
        .handshake(TokioIo::new(stream))
        .await
        .map_err(|e| Failure::Broken(chain(&e)))?;
    // It ends when the last sender is dropped.
    tokio::spawn(async move {
        if let Err(error) = connection.await {
            tracing::debug!(%error, "a connection to Modal's server broke");
        }
    });
    Ok(Channel(sender))
}

/// Whether an error may be gone at the next attempt, as Modal's own client sees it.
fn is_passing(code: Code) -> bool {
    matches!(
        code,
        Code::DeadlineExceeded
            | Code::Unavailable
            | Code::Cancelled
            | Code::Internal
            | Code::Unknown
    )
}

/// A failure of the connection's has a cause, one that the server reports has none.
fn failure(status: Status) -> Failure {
    use std::error::Error as _;

    match status.source() {
        Some(cause) => Failure::Broken(chain(cause)),
        None => Failure::Status(status),
    }
}

/// How long the server asks to wait, if it does.
fn retry_after(status: &Status) -> Option<Duration> {
    let details = RpcStatus::decode(status.details()).ok()?.details;
    let policy = details
        .iter()
        .find(|detail| detail.type_url.ends_with("/modal.client.RPCRetryPolicy"))?;
    let policy = RpcRetryPolicy::decode(policy.value.as_slice()).ok()?;
    Duration::try_from_secs_f32(policy.retry_after_secs).ok()
}

fn path(method: &str) -> http::uri::PathAndQuery {
    // Names of methods are ours.
    format!("{SERVICE}{method}")
        .parse()
        .unwrap_or_else(|_| http::uri::PathAndQuery::from_static("/"))
}

/// An error with its causes.
fn chain(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(next) = cause {
        let words = next.to_string();
        if !text.contains(&words) {
            text = format!("{text}: {words}");
        }
        cause = next.source();
    }
    text
}

fn is_metadata(text: &str) -> bool {
    text.bytes().all(|byte| (b' '..=b'~').contains(&byte))
}

fn put(metadata: &mut MetadataMap, name: &'static str, value: &str) {
    if let Ok(value) = MetadataValue::try_from(value) {
        metadata.insert(name, value);
    }
}

fn put_secret(metadata: &mut MetadataMap, name: &'static str, value: &Secret) {
    if let Ok(mut value) = MetadataValue::try_from(value.reveal()) {
        value.set_sensitive(true);
        metadata.insert(name, value);
    }
}

/// When a token (a JWT) expires, as it says itself.
fn expiry(token: &str) -> Option<SystemTime> {
    let payload = token.split('.').nth(1)?;
    let payload = payload.replace('-', "+").replace('_', "/");
    let json: serde_json::Value = serde_json::from_slice(&from_base64(&payload)?).ok()?;
    let seconds = Duration::try_from_secs_f64(json["exp"].as_f64()?).ok()?;
    UNIX_EPOCH.checked_add(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_say_when_they_expire() {
        // {"exp":1796026735.5}
        let token = "x.eyJleHAiOjE3OTYwMjY3MzUuNX0.y";
        let end = UNIX_EPOCH + Duration::from_millis(1_796_026_735_500);
        assert_eq!(expiry(token), Some(end));
        for token in ["", "x", "x.y.z", "x.e30.z"] {
            assert_eq!(expiry(token), None, "{token}");
        }
    }
}
