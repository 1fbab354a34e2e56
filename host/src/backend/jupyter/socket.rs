//! The web socket of a kernel: messages of the Jupyter protocol in JSON, one connection kept for all of them.

use futures_util::{FutureExt, SinkExt, StreamExt};
use serde::Deserialize;
use serde_json::{Value as Json, json};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message as Frame;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};

use super::super::BackendError;
use super::super::http::{Http, tls};
use super::handshake;

/// The largest message that is taken: a value of the largest size, and what is around it.
const MAX_MESSAGE: usize = 96 << 20;
/// How long it may take to connect: a server answers only once the kernel does, which may be starting on a busy machine, or on half a processor.
const CONNECT: std::time::Duration = std::time::Duration::from_secs(60);

trait Io: AsyncRead + AsyncWrite + Send + Sync + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Sync + Unpin> Io for T {}

/// What a kernel says.
#[derive(Debug, Deserialize)]
pub(super) struct Message {
    #[serde(default)]
    header: Header,
    #[serde(default)]
    parent_header: Header,
    #[serde(default)]
    pub(super) content: Json,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Header {
    msg_id: String,
    msg_type: String,
}

impl Message {
    pub(super) fn kind(&self) -> &str {
        &self.header.msg_type
    }

    pub(super) fn parent(&self) -> &str {
        &self.parent_header.msg_id
    }

    pub(super) fn text(&self, key: &str) -> &str {
        self.content[key].as_str().unwrap_or_default()
    }
}

/// One connection.
pub(super) struct Socket(WebSocketStream<Box<dyn Io>>);

impl Socket {
    /// Connects to a kernel's channels. The same session gets what it missed while it was away.
    pub(super) async fn connect(
        http: &Http,
        kernel: &str,
        session: &str,
    ) -> Result<Socket, BackendError> {
        match tokio::time::timeout(CONNECT, Socket::open(http, kernel, session)).await {
            Ok(opened) => opened,
            Err(_) => Err(http.unreachable("the web socket took too long to open")),
        }
    }

    async fn open(http: &Http, kernel: &str, session: &str) -> Result<Socket, BackendError> {
        let broken = |error: &dyn std::fmt::Display| http.unreachable(&error.to_string());
        let base = http.base();
        let host = base.host_str().unwrap_or_default();
        let is_tls = base.scheme() == "https";
        let port = base.port_or_known_default().unwrap_or(80);
        let address = host.trim_matches(['[', ']']);
        let stream = TcpStream::connect((address, port))
            .await
            .map_err(|e| broken(&e))?;
        // Messages are small, and the next one often waits for an answer.
        stream.set_nodelay(true).map_err(|e| broken(&e))?;
        let mut stream: Box<dyn Io> = if is_tls {
            let name = rustls::pki_types::ServerName::try_from(address.to_owned())
                .map_err(|e| broken(&e))?;
            let connector =
                tokio_rustls::TlsConnector::from(std::sync::Arc::new(tls(http.place())?));
            Box::new(
                connector
                    .connect(name, stream)
                    .await
                    .map_err(|e| broken(&e))?,
            )
        } else {
            Box::new(stream)
        };
        let path = format!(
            "{}/api/kernels/{kernel}/channels",
            base.path().trim_end_matches('/')
        );
        let query = format!("session_id={session}");
        let read = handshake::upgrade(http, &mut stream, &path, &query).await?;
        let config = WebSocketConfig::default()
            .max_message_size(Some(MAX_MESSAGE))
            .max_frame_size(Some(MAX_MESSAGE));
        let socket =
            WebSocketStream::from_partially_read(stream, read, Role::Client, Some(config)).await;
        Ok(Socket(socket))
    }

    /// Sends a message.
    pub(super) async fn send(
        &mut self,
        http: &Http,
        session: &str,
        channel: &str,
        kind: &str,
        id: &str,
        content: Json,
    ) -> Result<(), BackendError> {
        let message = json!({
            "channel": channel,
            "header": {
                "msg_id": id, "username": "anonymous", "session": session, "msg_type": kind, "version": "5.3",
            },
            "parent_header": {},
            "metadata": {},
            "content": content,
        });
        self.0
            .send(Frame::text(message.to_string()))
            .await
            .map_err(|error| http.unreachable(&format!("the web socket broke: {error}")))
    }

    /// The next message; `None` when the connection is over. May be dropped while it waits.
    pub(super) async fn next(&mut self) -> Option<Message> {
        loop {
            let text = match self.0.next().await? {
                Ok(Frame::Text(text)) => text.as_bytes().to_vec(),
                Ok(Frame::Binary(bytes)) => match json_part(&bytes) {
                    Some(part) => part.to_vec(),
                    None => continue,
                },
                Ok(Frame::Close(_)) | Err(_) => return None,
                Ok(_) => continue,
            };
            // What is no message is nobody's answer.
            if let Ok(message) = serde_json::from_slice(&text) {
                return Some(message);
            }
            tracing::debug!("a frame that is no message");
        }
    }

    /// Whether the connection is still there. What has come meanwhile is nobody's any more.
    pub(super) fn look(&mut self) -> Look {
        loop {
            match self.next().now_or_never() {
                None => return Look::Open,
                Some(None) => return Look::Closed,
                Some(Some(message)) if is_end(&message) => return Look::KernelEnded,
                Some(Some(_)) => {}
            }
        }
    }
}

/// What there is to see at a connection.
pub(super) enum Look {
    Open,
    Closed,
    KernelEnded,
}

/// Whether the kernel says that it ends.
pub(super) fn is_end(message: &Message) -> bool {
    message.kind() == "status"
        && matches!(
            message.text("execution_state"),
            "restarting" | "autorestarting" | "dead" | "terminating"
        )
}

/// The JSON in a message that has buffers: a count, offsets, and the pieces there.
fn json_part(bytes: &[u8]) -> Option<&[u8]> {
    let number = |at: usize| {
        let bytes = bytes.get(at..at + 4)?;
        Some(u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]) as usize)
    };
    let count = number(0)?;
    let start = number(4)?;
    let end = if count > 1 { number(8)? } else { bytes.len() };
    bytes.get(start..end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_with_buffers_are_cut_open() {
        let bytes = [0, 0, 0, 2, 0, 0, 0, 12, 0, 0, 0, 14, b'{', b'}', 1, 2];
        assert_eq!(json_part(&bytes), Some(&b"{}"[..]));
        for bytes in [
            &[][..],
            &[0, 0, 0, 2],
            &[0, 0, 0, 2, 0, 0, 0, 99, 0, 0, 0, 1],
            &[255; 12],
        ] {
            assert_eq!(json_part(bytes), None);
        }
    }
}
