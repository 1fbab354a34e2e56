//! Containers of a stand-in for the Docker engine, in which real gateways run.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr};
use std::process::Command;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use coldframe::backend::docker::Docker;
use coldframe::backend::{Backend, BackendError, Launcher as _, Place};
use coldframe::{ErrorKind, Limits, Parameter, RunOptions, Tool, Tools, Value};
use serde_json::{Value as Json, json};

use crate::command::Case;
use crate::gateway::Gateway;
use crate::kernel::PATIENCE;
use crate::routing::check_there_and_back;
use crate::stand_in::{Asked, Reply, Resources, StandIn, assert_not_shown, logged};
use crate::{block_on, gateway, until};

/// What the engine has.
#[derive(Default)]
struct Things {
    images: BTreeMap<String, Json>,
    containers: BTreeMap<String, Container>,
    networks: BTreeMap<String, Json>,
    /// Where the next container without a port of its machine's has its gateway.
    inner_address: Option<Ipv4Addr>,
    /// Whether containers end as soon as they start.
    ends_at_once: bool,
    /// How long a gateway takes to start.
    slowness: Duration,
    /// How long the engine works at a container before it is there.
    create_time: Duration,
}

struct Container {
    body: Json,
    gateway: Option<Gateway>,
    status: &'static str,
    starts_at: Option<Instant>,
}

impl Container {
    fn stop(&mut self) {
        self.gateway = None;
    }
}

/// A stand-in for an engine.
struct Engine {
    things: Arc<Mutex<Things>>,
    stand_in: StandIn,
    resources: Resources,
    socket: Option<std::path::PathBuf>,
}

impl Engine {
    fn start() -> Engine {
        gateway::prepare();
        let things = Arc::<Mutex<Things>>::default();
        let (resources, inner) = (Resources::default(), things.clone());
        let counted = resources.clone();
        let stand_in = StandIn::start(&resources, move |asked| {
            work(inner.clone(), counted.clone(), asked)
        });
        Engine {
            things,
            stand_in,
            resources,
            socket: None,
        }
    }

    fn on_socket(name: &str) -> Engine {
        gateway::prepare();
        let things = Arc::<Mutex<Things>>::default();
        let (resources, inner) = (Resources::default(), things.clone());
        let counted = resources.clone();
        let path = std::env::temp_dir().join(format!("coldframe-{}-{name}", std::process::id()));
        let stand_in = StandIn::on_socket(&path, &resources, move |asked| {
            work(inner.clone(), counted.clone(), asked)
        });
        Engine {
            things,
            stand_in,
            resources,
            socket: Some(path),
        }
    }

    fn things(&self) -> MutexGuard<'_, Things> {
        self.things.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An engine that has the image already.
    fn with_image(self) -> Engine {
        let image = json!({"Id": "sha256:1", "Config": {"User": "coldframe"}});
        self.things().images.insert("kernel".to_owned(), image);
        self
    }

    fn docker(&self) -> Docker {
        let limits = Limits::builder().time(Duration::from_secs(60));
        let docker = Docker::new(self.address()).policy(limits.build().expect("limits"));
        docker.start_time(PATIENCE)
    }

    fn address(&self) -> String {
        self.stand_in.url().replace("http://", "tcp://")
    }

    /// The bodies of requests with that beginning.
    fn bodies(&self, beginning: &str) -> Vec<Json> {
        let asked = self.stand_in.asked();
        let found = asked
            .iter()
            .filter(|asked| asked.to_string().starts_with(beginning));
        found.map(Asked::json).collect()
    }

    /// The tokens of all gateways.
    fn tokens(&self) -> Vec<String> {
        let created = self.bodies("POST /v1.50/containers/create");
        created.iter().map(token).collect()
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        for container in self.things().containers.values_mut() {
            container.stop();
        }
        if let Some(path) = &self.socket {
            let _ = std::fs::remove_file(path);
        }
    }
}

fn token(body: &Json) -> String {
    let environment = body["Env"].as_array().expect("an environment");
    let found = environment
        .iter()
        .find_map(|variable| variable.as_str()?.strip_prefix("KG_AUTH_TOKEN="));
    found.expect("a token").to_owned()
}

fn missing(what: &str) -> Reply {
    Reply::json(404, &json!({"message": format!("No such {what}")}))
}

/// An engine goes on with what it was asked when nobody waits for the answer any more.
async fn work(things: Arc<Mutex<Things>>, resources: Resources, asked: Asked) -> Reply {
    let worked = tokio::spawn(answer(things, resources, asked));
    worked.await.expect("no panic")
}

async fn answer(things: Arc<Mutex<Things>>, resources: Resources, asked: Asked) -> Reply {
    if asked.method == "GET" && asked.path == "/version" {
        let version = json!({"Version": "28.3.0", "ApiVersion": "1.51", "MinAPIVersion": "1.24"});
        return Reply::json(200, &version);
    }
    let Some(route) = asked.route().strip_prefix("/v1.50").map(str::to_owned) else {
        return Reply::json(400, &json!({"message": "of which version?"}));
    };
    let create_time = lock(&things).create_time;
    if route == "/containers/create" {
        tokio::time::sleep(create_time).await;
    }
    let mut things = lock(&things);
    let parts: Vec<&str> = route.trim_start_matches('/').split('/').collect();
    match (asked.method.as_str(), &parts[..]) {
        ("GET", ["images", name @ .., "json"]) => match things.images.get(&name.join("/")) {
            Some(image) => Reply::json(200, image),
            None => missing("image"),
        },
        ("POST", ["build"]) => {
            assert_eq!(asked.header("content-type"), "application/tar");
            let tag = asked
                .path
                .split("?t=")
                .nth(1)
                .and_then(|rest| rest.split('&').next());
            let tag = tag.expect("a tag").replace("%3A", ":");
            let image = json!({"Id": "sha256:2", "Config": {"User": "coldframe"}});
            things.images.insert(tag, image);
            let lines = [
                "{\"stream\":\"Step 1/9\"}\n",
                "{\"stream\":\"Successfully built 2\\n\"}\n",
            ];
            let slowly = |line: &str| (Duration::from_millis(20), line.as_bytes().to_vec());
            Reply::pieces(200, lines.map(slowly).to_vec())
        }
        ("GET", ["containers", "json"]) => {
            let described = |(id, container): (&String, &Container)| json!({"Id": id.trim_start_matches("coldframe-"), "Labels": container.body["Labels"]});
            Reply::json(200, &things.containers.iter().map(described).collect())
        }
        ("GET", ["networks"]) => {
            let described =
                |(id, body): (&String, &Json)| json!({"Id": id, "Labels": body["Labels"]});
            Reply::json(200, &things.networks.iter().map(described).collect())
        }
        ("POST", ["networks", "create"]) => {
            let body = asked.json();
            let name = body["Name"].as_str().expect("a name").to_owned();
            resources.create("network", name.clone());
            things.networks.insert(name, body);
            Reply::json(201, &json!({"Id": "n1", "Warning": ""}))
        }
        ("DELETE", ["networks", name]) => match things.networks.remove(*name) {
            Some(_) => {
                assert!(resources.delete("network", name));
                Reply::new(204, "")
            }
            None => missing("network"),
        },
        ("POST", ["containers", "create"]) => {
            let name = asked
                .path
                .split("?name=")
                .nth(1)
                .expect("a name")
                .to_owned();
            let body = asked.json();
            if !things
                .images
                .contains_key(body["Image"].as_str().unwrap_or_default())
            {
                return missing("image");
            }
            resources.create("container", name.clone());
            let container = Container {
                body,
                gateway: None,
                status: "created",
                starts_at: None,
            };
            things.containers.insert(name, container);
            Reply::json(201, &json!({"Id": "c0ffee", "Warnings": []}))
        }
        ("POST", ["containers", name, "start"]) => {
            let ends_at_once = things.ends_at_once;
            let inner = things.inner_address;
            let starts_at = Instant::now() + things.slowness;
            let Some(container) = things.containers.get_mut(*name) else {
                return missing("container");
            };
            container.status = if ends_at_once { "exited" } else { "running" };
            container.starts_at = Some(starts_at);
            if !ends_at_once {
                let token = token(&container.body);
                container.gateway = Some(match inner {
                    Some(address) => gateway::start_at(address, 8888, &token),
                    None => gateway::start_with(&token),
                });
            }
            Reply::new(204, "")
        }
        ("GET", ["containers", name, "json"]) => {
            let inner = things.inner_address;
            match things.containers.get(*name) {
                Some(container) => Reply::json(200, &described(container, inner)),
                None => missing("container"),
            }
        }
        ("GET", ["containers", _, "logs"]) => {
            Reply::new(200, b"\x02\0\0\0\0\0\0\x14jupyter: not found!\n".to_vec())
        }
        ("DELETE", ["containers", name]) => {
            assert!(asked.path.ends_with("?v=True&link=False&force=True"));
            // By its name or by its number.
            let name = match name.strip_prefix("coldframe-") {
                None if !things.containers.contains_key(*name) => format!("coldframe-{name}"),
                _ => (*name).to_owned(),
            };
            match things.containers.remove(&name) {
                Some(mut container) => {
                    container.stop();
                    assert!(resources.delete("container", &name));
                    Reply::new(204, "")
                }
                None => missing("container"),
            }
        }
        _ => Reply::json(404, &json!({"message": "page not found"})),
    }
}

fn described(container: &Container, inner: Option<Ipv4Addr>) -> Json {
    let running = container.status == "running";
    // A container that is slow has its port late.
    let has_port = container.starts_at.is_some_and(|at| at <= Instant::now());
    let mut ports = json!({"8888/tcp": null});
    let mut networks = json!({});
    match (inner, &container.gateway) {
        (Some(address), _) => {
            let network = container.body["HostConfig"]["NetworkMode"].as_str();
            networks[network.unwrap_or_default()] = json!({"IPAddress": address.to_string()});
        }
        (None, Some(gateway)) if has_port => {
            let port = gateway.port().to_string();
            ports["8888/tcp"] = json!([{"HostIp": "127.0.0.1", "HostPort": port}]);
        }
        _ => {}
    }
    json!({
        "Id": "c0ffee",
        "State": {"Status": container.status, "Running": running, "OOMKilled": false, "ExitCode": if running { 0 } else { 127 }, "Error": ""},
        "NetworkSettings": {"Ports": ports, "Networks": networks},
    })
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn repr(outcome: &coldframe::Outcome) -> &str {
    assert_eq!(outcome.error, None);
    &outcome.value.as_ref().expect("a value").repr
}

#[test]
fn a_container_is_built_made_used_and_removed() {
    let engine = Engine::on_socket("whole");
    block_on(async {
        let docker = engine.docker();
        let mut container = docker.launch().await.expect("a container");
        assert_eq!(container.place(), Place::Docker);
        let source = "import numpy\nx = [1, 2]\nint(numpy.sum(x))";
        let outcome = container.run(source, RunOptions::default()).await;
        let outcome = outcome.expect("a run");
        assert_eq!((repr(&outcome), outcome.place), ("3", Place::Docker));
        let add = Tool::new("add")
            .parameter(Parameter::new("a"))
            .function(|call| async move { Ok((call.int("a")? + 1).into()) });
        let tools = Tools::new([add, Tool::answer()]).expect("tools");
        container.set_tools(&tools).await.expect("tools");
        container
            .set_variables(&[("y".into(), Value::Tuple(vec![40.into(), "b".into()]))])
            .await
            .expect("variables");
        let outcome = container
            .run("final_answer((add(y[0]), y))", RunOptions::default())
            .await
            .expect("a run");
        let answer = Value::Tuple(vec![41.into(), Value::Tuple(vec![40.into(), "b".into()])]);
        assert!(outcome.is_final_answer);
        assert_eq!(outcome.value.expect("a value").value, Some(answer));
        assert_eq!(
            container.get_variable("x").await.expect("a variable"),
            Some(vec![1, 2].into())
        );
        container.cleanup().await.expect("cleanup");
        let again = container.run("1", RunOptions::default()).await;
        assert!(matches!(again, Err(BackendError::Closed(Place::Docker))));
    });
    let created = engine.bodies("POST /v1.50/containers/create");
    let [created] = &created[..] else {
        panic!("{created:?}")
    };
    let image = created["Image"].as_str().expect("an image").to_owned();
    let asked = engine.stand_in.asked();
    let name = asked
        .iter()
        .find_map(|asked| asked.path.split("?name=").nth(1))
        .expect("a name");
    assert!(name.starts_with("coldframe-") && name.len() > 40);
    let routes: Vec<String> = asked
        .iter()
        .map(|asked| format!("{} {}", asked.method, asked.route()))
        .collect();
    let container = format!("/v1.50/containers/{name}");
    let expected = [
        "GET /version".to_owned(),
        "GET /v1.50/containers/json".to_owned(),
        "GET /v1.50/networks".to_owned(),
        format!("GET /v1.50/images/{image}/json"),
        "POST /v1.50/build".to_owned(),
        format!("GET /v1.50/images/{image}/json"),
        "POST /v1.50/containers/create".to_owned(),
        format!("POST {container}/start"),
        format!("GET {container}/json"),
    ];
    assert_eq!(routes[..expected.len()], expected);
    assert_eq!(routes.last(), Some(&format!("DELETE {container}")));
    // The archive is what Docker's own client sends, but for the date and the owner of the file; what an intermediate container holds is not kept.
    let build = &asked[4];
    let tag = image.replace(':', "%3A");
    assert_eq!(
        build.path,
        format!("/v1.50/build?t={tag}&q=False&nocache=False&rm=True&forcerm=True&pull=False")
    );
    assert_eq!(build.body.len(), 10_240);
    let dockerfile = Docker::default_dockerfile();
    assert!(build.body[512..].starts_with(dockerfile.as_bytes()));
    assert!(build.body.starts_with(b"Dockerfile\0"));
    let page = include_str!("../../docs/backends/docker.md");
    assert!(
        page.contains(&dockerfile),
        "docs/backends/docker.md:\n{dockerfile}"
    );
    // As recorded, and what hardens it on top.
    let token = token(created);
    assert_eq!(token.len(), 32);
    let labels = created["Labels"].as_object().expect("labels");
    assert_eq!(labels.len(), 5);
    assert_eq!(labels["coldframe.process"], std::process::id().to_string());
    let expected = json!({
        "ExposedPorts": {"8888/tcp": {}}, "Tty": false, "OpenStdin": false, "StdinOnce": false,
        "AttachStdin": false, "AttachStdout": false, "AttachStderr": false,
        "Env": [format!("KG_AUTH_TOKEN={token}")], "Image": image, "NetworkDisabled": false,
        "User": "coldframe", "Labels": labels,
        "HostConfig": {
            "NetworkMode": "default", "PortBindings": {"8888/tcp": [{"HostIp": "127.0.0.1", "HostPort": ""}]},
            "Memory": 536_870_912, "MemorySwap": 536_870_912, "CpuQuota": 50_000, "PidsLimit": 100,
            "SecurityOpt": ["no-new-privileges"], "CapDrop": ["ALL"],
        },
    });
    assert_eq!(*created, expected);
    assert_eq!(engine.resources.count("container"), (1, 1));
    assert_not_shown(&token, &[]);
}

#[test]
fn images_can_be_given() {
    let engine = Engine::start();
    let docker = engine.docker().image("registry.example:5000/a/kernel:1");
    block_on(async {
        let error = docker.start().await.expect_err("an error");
        assert!(
            matches!(&error, BackendError::Configuration { reason, .. } if reason.contains("has no image registry.example:5000/a/kernel:1")),
            "{error}"
        );
        // Nobody is root, and who has no home gets one.
        let image = json!({"Id": "sha256:3", "Config": {"User": ""}});
        let name = "registry.example:5000/a/kernel:1".to_owned();
        engine.things().images.insert(name, image);
        let docker = docker
            .memory(1 << 30)
            .cpus(2.0)
            .processes(300)
            .publish_on(IpAddr::V4(Ipv4Addr::LOCALHOST));
        drop(docker.start().await.expect("a container"));
        let docker = docker.user("jovyan");
        drop(docker.start().await.expect("a container"));
    });
    let created = engine.bodies("POST /v1.50/containers/create");
    assert_eq!(created[0]["User"], "65534:65534");
    assert_eq!(created[0]["Env"][1], "HOME=/tmp");
    assert_eq!(created[0]["HostConfig"]["Memory"], 1 << 30);
    assert_eq!(created[0]["HostConfig"]["CpuQuota"], 200_000);
    assert_eq!(created[0]["HostConfig"]["PidsLimit"], 300);
    assert_eq!(created[1]["User"], "jovyan");
    assert_eq!(engine.resources.count("container"), (2, 2));
}

#[test]
fn packages_can_be_built_in() {
    let engine = Engine::start();
    let docker = engine.docker().packages(["numpy>=2", "pandas"]);
    block_on(async {
        let mut container = docker
            .expect("packages")
            .start()
            .await
            .expect("a container");
        container.cleanup().await.expect("cleanup");
    });
    let asked = engine.stand_in.asked();
    let build = asked.iter().find(|asked| asked.route().ends_with("/build"));
    let text = String::from_utf8_lossy(&build.expect("a build").body).into_owned();
    assert!(
        text.contains(r#""ipykernel","numpy>=2","pandas"]"#),
        "{text}"
    );
}

#[test]
fn containers_can_be_without_a_network() {
    let engine = Engine::on_socket("network").with_image();
    engine.things().inner_address = Some(gateway::own_address());
    block_on(async {
        let docker = engine.docker().image("kernel").network(false);
        let mut container = docker.start().await.expect("a container");
        let outcome = container.run("6 * 7", RunOptions::default()).await;
        assert_eq!(repr(&outcome.expect("a run")), "42");
    });
    let network = &engine.bodies("POST /v1.50/networks/create")[0];
    let container = &engine.bodies("POST /v1.50/containers/create")[0];
    assert_eq!(container["HostConfig"]["NetworkMode"], network["Name"]);
    assert_eq!(container["HostConfig"]["PortBindings"], json!({}));
    assert_eq!(network["Internal"], true);
    assert_eq!(network["Labels"], container["Labels"]);
    assert_eq!(engine.resources.count("network"), (1, 1));
    // Elsewhere that cannot be.
    let docker = Docker::new("tcp://127.0.0.1:1").network(false);
    let error = block_on(docker.start()).expect_err("an error");
    assert!(error.to_string().contains("unix socket"), "{error}");
}

#[test]
fn what_fails_leaves_nothing_behind() {
    let engine = Engine::start().with_image();
    let docker = engine.docker().image("kernel");
    let message = |text: &str| json!({"message": text});
    let start = |method, path: &str, reply| {
        engine.stand_in.plant(method, path, reply);
        block_on(docker.start()).map(drop)
    };
    let status = |result: Result<(), BackendError>| match result {
        Err(BackendError::Refused { status, reason, .. }) => (status, reason),
        other => panic!("{other:?}"),
    };
    let denied = start(
        "GET",
        "/version",
        Reply::json(401, &message("authorization denied")),
    );
    assert_eq!(status(denied), (401, "authorization denied".to_owned()));
    let create = "/v1.50/containers/create";
    let gone = start(
        "POST",
        create,
        Reply::json(404, &message("No such image: kernel")),
    );
    assert_eq!(status(gone).0, 404);
    let failed = start("POST", create, Reply::json(500, &message("disk full")));
    assert_eq!(status(failed), (500, "disk full".to_owned()));
    assert_eq!(engine.resources.count("container"), (0, 0));
    // One that is busy is asked again, when it wants to be.
    let asked_at = Instant::now();
    let busy = Reply::json(429, &message("later")).header("retry-after", "1");
    start("POST", create, busy).expect("a container");
    assert!(asked_at.elapsed() >= Duration::from_secs(1));
    assert_eq!(engine.resources.count("container"), (1, 1));
    // Made, and then it does not start.
    let port = Reply::json(500, &message("port is already allocated"));
    let name = "/v1.50/containers/coldframe-";
    assert_eq!(
        status(start("POST", name, port)).1,
        "port is already allocated"
    );
    assert_eq!(engine.resources.count("container"), (2, 2));
    // Nobody knows whether it was made.
    let broken = Reply::broken(201, vec![(Duration::ZERO, b"{\"Id\":".to_vec())]);
    let broken = start("POST", create, broken);
    assert!(
        matches!(broken, Err(BackendError::Unreachable { .. })),
        "{broken:?}"
    );
    // It was, and the answer is lost.
    engine.stand_in.lose("POST", create);
    let lost = block_on(docker.start()).map(drop);
    assert!(
        matches!(lost, Err(BackendError::Unreachable { .. })),
        "{lost:?}"
    );
    assert_eq!(engine.resources.count("container"), (3, 3));
    let broken = Reply::broken(200, vec![(Duration::ZERO, b"{".to_vec())]);
    let broken = start("GET", name, broken);
    assert!(
        matches!(broken, Err(BackendError::Unreachable { .. })),
        "{broken:?}"
    );
    let rubbish = start("GET", name, Reply::new(200, "<html>"));
    assert!(
        matches!(rubbish, Err(BackendError::Protocol { .. })),
        "{rubbish:?}"
    );
    let rubbish = start(
        "GET",
        "/version",
        Reply::new(200, "{\"ApiVersion\": \"/../x\"}"),
    );
    assert!(
        matches!(rubbish, Err(BackendError::Protocol { .. })),
        "{rubbish:?}"
    );
    for token in engine.tokens() {
        assert_not_shown(&token, &[&format!("{docker:?}")]);
    }
}

#[test]
fn builds_that_fail_say_why() {
    let engine = Engine::start();
    let lines = [
        "{\"stream\":\"ERROR: no matching distribution\\n\"}\n",
        "{\"errorDetail\":{\"code\":1,\"message\":\"returned a non-zero code: 1\"},\"error\":\"x\"}\n",
    ];
    let pieces = lines.map(|line| (Duration::from_millis(10), line.as_bytes().to_vec()));
    let reply = Reply::pieces(200, pieces.to_vec());
    engine.stand_in.plant("POST", "/v1.50/build", reply);
    let error = block_on(engine.docker().start()).expect_err("an error");
    assert!(matches!(error, BackendError::Install { .. }), "{error:?}");
    let text = error.to_string();
    assert!(
        text.contains("non-zero code: 1") && text.contains("no matching"),
        "{text}"
    );
    let broken = Reply::broken(200, vec![(Duration::ZERO, b"{\"stream\":".to_vec())]);
    engine.stand_in.plant("POST", "/v1.50/build", broken);
    let error = block_on(engine.docker().start()).expect_err("an error");
    assert!(
        matches!(error, BackendError::Unreachable { .. }),
        "{error:?}"
    );
    assert_eq!(engine.resources.count("container"), (0, 0));
}

#[test]
fn containers_that_do_not_start_are_given_up() {
    let engine = Engine::start().with_image();
    let docker = engine.docker().image("kernel");
    engine.things().ends_at_once = true;
    let error = block_on(docker.start()).expect_err("an error");
    assert!(matches!(error, BackendError::NotReady { .. }), "{error:?}");
    let text = error.to_string();
    assert!(
        text.contains("ended with status 127; it said: jupyter: not found!"),
        "{text}"
    );
    engine.things().ends_at_once = false;
    // A slow one is waited for, up to a time.
    engine.things().slowness = Duration::from_secs(3);
    let short = docker.clone().start_time(Duration::from_secs(1));
    let error = block_on(short.start()).expect_err("an error");
    assert!(
        matches!(error, BackendError::NotReady { seconds: 1, .. }),
        "{error:?}"
    );
    let started = Instant::now();
    drop(block_on(docker.start()).expect("a container"));
    assert!(started.elapsed() >= Duration::from_secs(3));
    assert_eq!(engine.resources.count("container"), (3, 3));
}

#[test]
fn a_launch_that_is_given_up_leaves_nothing() {
    let engine = Engine::start().with_image();
    let docker = engine.docker().image("kernel");
    let asked = |beginning: &str| {
        let lines = engine.stand_in.lines();
        let found = lines.iter().filter(|line| line.starts_with(beginning));
        found.count()
    };
    // In the middle of the request that makes it.
    engine.things().create_time = Duration::from_millis(700);
    block_on(async {
        let create = "POST /v1.50/containers/create";
        tokio::select! {
            started = docker.start() => panic!("{started:?}"),
            () = until(|| asked(create) == 1) => {}
        }
        // While the gateway starts.
        engine.things().create_time = Duration::ZERO;
        engine.things().slowness = Duration::from_secs(3600);
        tokio::select! {
            started = docker.start() => panic!("{started:?}"),
            () = until(|| asked("GET /v1.50/containers/coldframe-") >= 2) => {}
        }
    });
    assert_eq!(engine.resources.count("container"), (2, 2));
}

#[test]
fn a_container_that_dies_is_noticed() {
    let engine = Engine::start().with_image();
    block_on(async {
        let docker = engine.docker().image("kernel");
        let mut container = docker.start().await.expect("a container");
        let outcome = container
            .run("import os; os._exit(1)", RunOptions::default())
            .await
            .expect("a run");
        assert_eq!(outcome.error.expect("an error").kind, ErrorKind::Died);
        for container in engine.things().containers.values_mut() {
            container.stop();
        }
        let lost = container.run("1", RunOptions::default()).await;
        assert!(
            matches!(lost, Err(BackendError::Unreachable { .. }))
                || lost.is_ok_and(|o| o.error.is_some()),
        );
        let lost = container.run("1", RunOptions::default()).await;
        assert!(
            matches!(lost, Err(BackendError::Unreachable { .. })),
            "{lost:?}"
        );
        container.cleanup().await.expect("cleanup");
    });
    assert_eq!(engine.resources.count("container"), (1, 1));
}

#[test]
fn programs_go_there_and_back() {
    let engine = Engine::start().with_image();
    block_on(check_there_and_back(engine.docker().image("kernel")));
}

#[test]
fn the_command_leaves_nothing_behind() {
    let engine = Engine::start();
    let case = Case {
        name: "docker",
        arguments: vec!["--backend-url".to_owned(), engine.address()],
        environment: Vec::new(),
        secrets: &[],
        count: &|| engine.resources.count("container"),
    };
    case.check();
}

/// Not a test of its own: the process that crashes.
#[test]
fn crash_here_if_told_so() {
    let Ok(address) = std::env::var("COLDFRAME_TEST_CRASH") else {
        return;
    };
    block_on(async {
        let docker = Docker::new(address).image("kernel").start_time(PATIENCE);
        let _container = docker.start().await.expect("a container");
        std::process::abort();
    });
}

#[test]
fn what_a_crash_left_behind_is_removed_by_the_next_launch() {
    let engine = Engine::start().with_image();
    let crash = || {
        let test = std::env::current_exe().expect("a program");
        let ended = Command::new(test)
            .args(["--exact", "docker::crash_here_if_told_so"])
            .env("COLDFRAME_TEST_CRASH", engine.address())
            .output()
            .expect("it runs");
        assert!(!ended.status.success());
        assert_eq!(
            engine.things().containers.len(),
            1,
            "{}",
            String::from_utf8_lossy(&ended.stderr)
        );
    };
    crash();
    assert_eq!(engine.resources.count("container"), (1, 0));
    // The next one removes it. Those of processes that live, or that nobody knows, stay.
    let stranger = Container {
        body: json!({"Labels": {"coldframe.machine": "another", "coldframe.process": "1"}}),
        gateway: None,
        status: "running",
        starts_at: None,
    };
    engine
        .things()
        .containers
        .insert("5712a9".to_owned(), stranger);
    block_on(async {
        let docker = engine.docker().image("kernel");
        let first = docker.start().await.expect("a container");
        assert_eq!(engine.resources.count("container"), (2, 1));
        let second = docker.start().await.expect("a container");
        assert_eq!(engine.resources.count("container"), (3, 1));
        drop((first, second));
    });
    assert_eq!(engine.resources.count("container"), (3, 3));
    assert!(engine.things().containers.contains_key("5712a9"));
    assert!(!logged("owner is gone").is_empty());
    // Another machine's loopback interface is not ours.
    let error = block_on(Docker::new("tcp://192.0.2.1:2375").start()).expect_err("an error");
    assert!(
        matches!(error, BackendError::Configuration { .. }),
        "{error:?}"
    );
    let error = block_on(Docker::new("unix:///no/such/socket").start()).expect_err("an error");
    assert!(
        matches!(error, BackendError::Unreachable { .. }),
        "{error:?}"
    );
}
