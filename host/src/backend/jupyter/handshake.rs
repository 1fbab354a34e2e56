//! How a connection becomes a web socket (RFC 6455, section 4.1). It is done here, since the library of web sockets logs the whole request, and with it the
//! credentials in its headers.

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio_tungstenite::tungstenite::handshake::client::generate_key;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;

use super::super::BackendError;
use super::super::http::{Answer, Http};

/// The most that a server may say before the first message.
const MAX_HEAD: usize = 64 << 10;
/// How much of the body of a refusal is read.
const MAX_BODY: usize = 16 << 10;

/// Asks the server to talk in messages from now on. What it has sent of them already is returned.
pub(super) async fn upgrade(
    http: &Http,
    stream: &mut (impl AsyncRead + AsyncWrite + Unpin),
    path: &str,
    query: &str,
) -> Result<Vec<u8>, BackendError> {
    let broken = |error: std::io::Error| http.unreachable(&error.to_string());
    let base = http.base();
    let host = base.host_str().unwrap_or_default();
    let host = match base.port() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    };
    let key = generate_key();
    let mut request = format!(
        "GET {path}?{query} HTTP/1.1\r\nHost: {host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
         Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n"
    )
    .into_bytes();
    // No header's value has an end of a line in it: its type sees to that.
    for (name, value) in http.headers() {
        request.extend_from_slice(name.as_str().as_bytes());
        request.extend_from_slice(b": ");
        request.extend_from_slice(value.as_bytes());
        request.extend_from_slice(b"\r\n");
    }
    request.extend_from_slice(b"\r\n");
    stream.write_all(&request).await.map_err(broken)?;
    stream.flush().await.map_err(broken)?;

    let mut got = Vec::new();
    let mut looked_at = 0;
    let end = loop {
        let from = usize::saturating_sub(looked_at, 3);
        if let Some(at) = got[from..].windows(4).position(|w| w == b"\r\n\r\n") {
            break from + at + 4;
        }
        looked_at = got.len();
        if got.len() > MAX_HEAD {
            return Err(http.protocol("headers that are too long"));
        }
        if stream.read_buf(&mut got).await.map_err(broken)? == 0 {
            return Err(http.unreachable("the connection was closed before the web socket opened"));
        }
    };
    let mut rest = got.split_off(end);
    let head = Head::parse(&got).ok_or_else(|| http.protocol("an answer that is not HTTP"))?;
    if head.status != 101 {
        let length = head.header("content-length").and_then(|n| n.parse().ok());
        let length = length.unwrap_or(0).min(MAX_BODY);
        while rest.len() < length {
            if stream.read_buf(&mut rest).await.map_err(broken)? == 0 {
                break;
            }
        }
        rest.truncate(length);
        let answer = Answer {
            status: head.status,
            body: rest,
        };
        return Err(http.refused("GET", path, &answer));
    }
    let is_socket = head
        .header("upgrade")
        .is_some_and(|protocol| protocol.eq_ignore_ascii_case("websocket"));
    let accepted = head.header("sec-websocket-accept");
    if !is_socket || accepted != Some(derive_accept_key(key.as_bytes()).as_str()) {
        return Err(http.protocol("a web socket that is none"));
    }
    Ok(rest)
}

/// The beginning of an answer.
struct Head<'a> {
    status: u16,
    headers: Vec<(&'a str, &'a str)>,
}

impl<'a> Head<'a> {
    fn parse(bytes: &'a [u8]) -> Option<Head<'a>> {
        let mut lines = std::str::from_utf8(bytes).ok()?.split("\r\n");
        let mut words = lines.next()?.splitn(3, ' ');
        if !words.next()?.starts_with("HTTP/1.") {
            return None;
        }
        let status = words.next().filter(|word| word.len() == 3)?.parse().ok()?;
        let headers = lines.filter(|line| !line.is_empty()).map(|line| {
            let (name, value) = line.split_once(':')?;
            Some((name, value.trim()))
        });
        let headers = headers.collect::<Option<_>>()?;
        Some(Head { status, headers })
    }

    fn header(&self, name: &str) -> Option<&'a str> {
        let mut found = self.headers.iter();
        found
            .find(|(other, _)| other.eq_ignore_ascii_case(name))
            .map(|(_, value)| *value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_are_parsed() {
        let head = Head::parse(b"HTTP/1.1 101 Switching\r\nUpgrade: WebSocket\r\nx:y\r\n\r\n");
        let head = head.expect("a head");
        assert_eq!(head.status, 101);
        assert_eq!(head.header("upgrade"), Some("WebSocket"));
        assert_eq!(head.header("X"), Some("y"));
        assert_eq!(head.header("y"), None);
        for bad in [
            &b"\r\n\r\n"[..],
            b"HTTP/1.1\r\n\r\n",
            b"HTTP/2 101\r\n\r\n",
            b"HTTP/1.1 1 x\r\n\r\n",
            b"HTTP/1.1 200 OK\r\nno header\r\n\r\n",
            b"\xff\r\n\r\n",
        ] {
            assert!(Head::parse(bad).is_none(), "{bad:?}");
        }
    }
}
