//! The engine's interface over HTTP: images, containers, networks.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value as Json, json};

use super::super::BackendError;
use super::super::guard::{LOOK, Step};
use super::super::http::{Http, Request};
use super::owner::Owner;
use super::{image, owner};

/// The newest version of the interface that this module knows.
const NEWEST: (u32, u32) = (1, 50);
/// How long an image may take to build.
const BUILD: Duration = Duration::from_secs(1800);
/// How long the engine may take to say what a container wrote.
const LOGS: Duration = Duration::from_secs(5);

/// An engine whose version is known.
#[derive(Clone)]
pub(super) struct Engine {
    http: Http,
    /// Of all paths.
    prefix: String,
}

impl Engine {
    /// Asks the engine for its version.
    pub(super) async fn connect(http: Http) -> Result<Engine, BackendError> {
        let answer = http.send(Request::get("/version")).await?;
        let said: Json = serde_json::from_slice(&answer.body).unwrap_or_default();
        let newest = version(&said["ApiVersion"]);
        let Some(newest) = newest else {
            return Err(http.protocol("an engine without a version"));
        };
        // An engine may have dropped what we know, and then may say why.
        let oldest = version(&said["MinAPIVersion"]).unwrap_or((0, 0));
        let (major, minor) = newest.min(NEWEST).max(oldest);
        let prefix = format!("/v{major}.{minor}");
        Ok(Engine { http, prefix })
    }

    pub(super) fn http(&self) -> &Http {
        &self.http
    }

    fn path(&self, rest: &str) -> String {
        format!("{}{rest}", self.prefix)
    }

    async fn get(&self, rest: &str) -> Result<Json, BackendError> {
        let answer = self.http.send(Request::get(&self.path(rest))).await?;
        serde_json::from_slice(&answer.body)
            .map_err(|_| self.http.protocol("an answer that is not JSON"))
    }

    async fn post(&self, rest: &str, body: Option<&Json>) -> Result<Json, BackendError> {
        let path = self.path(rest);
        let request = Request::post(&path);
        let request = match body {
            Some(body) => request.json(body),
            None => request,
        };
        let answer = self.http.send(request).await?;
        Ok(serde_json::from_slice(&answer.body).unwrap_or_default())
    }

    /// The description of an image, if there is one of that name.
    pub(super) async fn image(&self, name: &str) -> Result<Option<Json>, BackendError> {
        match self.get(&format!("/images/{name}/json")).await {
            Ok(image) => Ok(Some(image)),
            Err(BackendError::Refused { status: 404, .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Builds an image.
    pub(super) async fn build(&self, name: &str, dockerfile: &str) -> Result<(), BackendError> {
        let tag = encoded(name);
        let path = self.path(&format!(
            "/build?t={tag}&q=False&nocache=False&rm=True&forcerm=True&pull=False"
        ));
        let archive = image::archive("Dockerfile", dockerfile.as_bytes());
        let request = Request::post(&path)
            .body("application/tar", archive)
            .time(BUILD);
        let answer = self.http.send(request).await?;
        image::built(&answer.body).map_err(|reason| BackendError::Install {
            place: self.http.place(),
            packages: format!("the image {name}"),
            reason: self.http.masked(&reason),
        })
    }

    /// Makes something of that name, and keeps the books on it.
    pub(super) async fn create(
        &self,
        step: &Step,
        rest: &str,
        body: &Json,
    ) -> Result<(), BackendError> {
        step.ask();
        let made = self.post(rest, Some(body)).await;
        match &made {
            Ok(_) => step.made(),
            Err(error) => step.failed(error),
        }
        made.map(|_| ())
    }

    pub(super) async fn start(&self, name: &str) -> Result<(), BackendError> {
        self.post(&format!("/containers/{name}/start"), None)
            .await
            .map(|_| ())
    }

    pub(super) async fn inspect(&self, name: &str) -> Result<Json, BackendError> {
        self.get(&format!("/containers/{name}/json")).await
    }

    /// The last lines that a container wrote, if the engine has them.
    pub(super) async fn last_words(&self, name: &str) -> String {
        let path = self.path(&format!(
            "/containers/{name}/logs?stdout=True&stderr=True&tail=5"
        ));
        let answer = self.http.ask(Request::get(&path).time(LOGS)).await;
        let answer = answer.ok().filter(|answer| answer.is_success());
        answer.map_or_else(String::new, |answer| image::logged(&answer.body))
    }

    /// Deletes something, from whatever runtime; whether it was there.
    async fn delete(&self, rest: &str) -> Result<bool, BackendError> {
        let path = self.path(rest);
        let request = Request::delete(&path).time(Duration::from_secs(10));
        match self.http.send(request).await {
            Ok(_) => Ok(true),
            Err(BackendError::Refused { status: 404, .. }) => Ok(false),
            // Somebody else is removing it.
            Err(BackendError::Refused { status: 409, .. }) => Ok(true),
            Err(error) => Err(error),
        }
    }

    async fn delete_container(&self, name: &str) -> Result<bool, BackendError> {
        let path = format!("/containers/{name}?v=True&link=False&force=True");
        self.delete(&path).await
    }

    async fn delete_network(&self, name: &str) -> Result<bool, BackendError> {
        self.delete(&format!("/networks/{name}")).await
    }

    /// Removes what was made under that name: in the end, from a runtime of its own, and telling the log what goes wrong.
    pub(super) async fn remove(&self, name: &str, made: &Made) {
        let engine = match self.http.fresh() {
            Ok(http) => Engine {
                http,
                prefix: self.prefix.clone(),
            },
            Err(error) => return tracing::warn!(%error, "a container cannot be removed"),
        };
        for is_network in [false, true] {
            let step = if is_network {
                &made.network
            } else {
                &made.container
            };
            for left in (0..step.looks()).rev() {
                let deleted = if is_network {
                    engine.delete_network(name).await
                } else {
                    engine.delete_container(name).await
                };
                match deleted {
                    Ok(false) if left > 0 => {
                        tokio::time::sleep(LOOK).await;
                        continue;
                    }
                    Ok(_) => tracing::debug!(name, is_network, "removed"),
                    Err(error) => {
                        tracing::warn!(name, is_network, %error, "what a container needed cannot be removed");
                    }
                }
                break;
            }
        }
    }

    /// Removes what processes left behind that are gone.
    pub(super) async fn sweep(&self, owner: &Owner, is_local: bool) -> Result<(), BackendError> {
        let filter = encoded(&owner.filter().to_string());
        let list = self
            .get(&format!("/containers/json?all=1&filters={filter}"))
            .await?;
        for id in stale(&list, owner, is_local) {
            let removed = self.delete_container(id).await;
            tracing::info!(
                id,
                ok = removed.is_ok(),
                "a container whose owner is gone is removed"
            );
        }
        let list = self.get(&format!("/networks?filters={filter}")).await?;
        for id in stale(&list, owner, is_local) {
            let removed = self.delete_network(id).await;
            tracing::info!(
                id,
                ok = removed.is_ok(),
                "a network whose owner is gone is removed"
            );
        }
        Ok(())
    }
}

/// The numbers in a list of containers or networks whose owners are gone.
fn stale<'a>(list: &'a Json, owner: &'a Owner, is_local: bool) -> impl Iterator<Item = &'a str> {
    let list = list.as_array().into_iter().flatten();
    let gone = list.filter(move |item| owner.is_gone(&item["Labels"], is_local));
    gone.filter_map(|item| {
        let id = item["Id"].as_str()?;
        let good = id.len() <= 128 && id.bytes().all(|b| b.is_ascii_alphanumeric());
        (good && !id.is_empty()).then_some(id)
    })
}

/// What was made for one container, under one name.
#[derive(Default)]
pub(super) struct Made {
    pub(super) container: Step,
    pub(super) network: Step,
}

/// A network from which nothing outside can be reached.
pub(super) async fn create_network(
    engine: &Engine,
    made: &Arc<Made>,
    name: &str,
    owner: Option<&Owner>,
) -> Result<(), BackendError> {
    let body = json!({
        "Name": name, "Driver": "bridge", "Internal": true, "Labels": labels(owner),
    });
    engine
        .create(&made.network, "/networks/create", &body)
        .await
}

/// The labels of something of ours, by which it is found at least.
pub(super) fn labels(owner: Option<&Owner>) -> Json {
    owner.map_or_else(|| json!({owner::MACHINE: ""}), Owner::labels)
}

/// `"1.50"`.
fn version(text: &Json) -> Option<(u32, u32)> {
    let (major, minor) = text.as_str()?.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

/// A text as part of a query.
fn encoded(text: &str) -> String {
    use std::fmt::Write as _;

    let mut out = String::new();
    for byte in text.bytes() {
        let _ = match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
                out.push(char::from(byte));
                Ok(())
            }
            _ => write!(out, "%{byte:02X}"),
        };
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_numbers() {
        assert_eq!(version(&json!("1.50")), Some((1, 50)));
        for bad in [json!("1"), json!("1.x"), json!(1.5), json!("1.50/../x")] {
            assert_eq!(version(&bad), None, "{bad}");
        }
        assert!((1, 9) < (1, 50));
    }

    #[test]
    fn queries_are_encoded() {
        assert_eq!(encoded("{\"a b\":é}"), "%7B%22a%20b%22%3A%C3%A9%7D");
    }
}
