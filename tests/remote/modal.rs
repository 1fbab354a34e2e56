//! Sandboxes of Modal's: a stand-in for its server that reads messages with Modal's own classes, and the real gateway in its sandboxes.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use coldframe::backend::jupyter::Kernel;
use coldframe::backend::modal::Modal;
use coldframe::backend::{Backend, BackendError, Place, Secret};
use coldframe::{ErrorKind, RunOptions, Tool, Tools};
use serde_json::{Value as Json, json};

use crate::command::{Case, Home};
use crate::kernel::{PATIENCE, cancelling, check_every_kind, limits};
use crate::routing::check_there_and_back;
use crate::stand_in::{assert_not_shown, capture_logs};
use crate::{block_on, gateway};

const ID: &str = "planted-modal-id-4c";
const SECRET: &str = "planted-modal-secret-d8";

/// A running stand-in. When it is dropped, all sandboxes have to be removed.
struct Service {
    process: Child,
    port: u64,
    lines: Arc<Mutex<Vec<Json>>>,
    reader: Option<JoinHandle<()>>,
}

impl Service {
    fn start(mut behaviour: Json) -> Service {
        capture_logs();
        behaviour["secret"] = SECRET.into();
        let mut process = gateway::modal_python("modal_server.py")
            .arg(behaviour.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let mut lines = BufReader::new(process.stdout.take().expect("its output")).lines();
        let first = lines.next().expect("a line").expect("text");
        let first: Json = serde_json::from_str(&first).expect("JSON");
        let said = Arc::new(Mutex::new(Vec::new()));
        let inner = said.clone();
        let reader = std::thread::spawn(move || {
            for line in lines {
                let line = serde_json::from_str(&line.expect("text")).expect("JSON");
                inner.lock().expect("a lock").push(line);
            }
        });
        Service {
            process,
            port: first["port"].as_u64().expect("a port"),
            lines: said,
            reader: Some(reader),
        }
    }

    fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    fn account(&self) -> Modal {
        Modal::new(Secret::new(ID), Secret::new(SECRET))
            .server_url(self.url())
            .plain_tunnel(true)
            .start_time(PATIENCE)
            .policy(limits(Duration::from_secs(60)))
    }

    /// What it has said until now: it answers a byte with a line of its own, behind all others.
    fn lines(&self) -> Vec<Json> {
        let echoes = |lines: &[Json]| lines.iter().filter(|line| line["heard"] == true).count();
        let before = echoes(&self.lines.lock().expect("a lock"));
        let mut input = self.process.stdin.as_ref().expect("its input");
        input.write_all(b".").expect("it listens");
        loop {
            let lines = self.lines.lock().expect("a lock").clone();
            if echoes(&lines) > before {
                return lines;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// The calls so far: method and message.
    fn calls(&self) -> Vec<(String, Json)> {
        self.lines()
            .iter()
            .filter_map(|line| Some((line["call"].as_str()?.to_owned(), line["message"].clone())))
            .collect()
    }

    fn methods(&self) -> Vec<String> {
        self.calls().into_iter().map(|(method, _)| method).collect()
    }

    /// How many sandboxes were made and removed.
    fn count(&self) -> (usize, usize) {
        count(&self.lines())
    }

    async fn error(&self) -> BackendError {
        self.account().connect().await.expect_err("an error")
    }
}

fn count(lines: &[Json]) -> (usize, usize) {
    let with = |key: &str| lines.iter().filter(|line| line[key].is_string()).count();
    (with("made"), with("removed"))
}

impl Drop for Service {
    fn drop(&mut self) {
        drop(self.process.stdin.take());
        let ended = self.process.wait();
        let read = self.reader.take().map(JoinHandle::join);
        if std::thread::panicking() {
            return;
        }
        assert!(
            ended.is_ok_and(|status| status.success()),
            "the stand-in failed"
        );
        assert!(read.is_some_and(|read| read.is_ok()));
        let (made, removed) = count(&self.lines.lock().expect("a lock"));
        assert_eq!(made, removed, "sandboxes made and removed");
    }
}

async fn repr(kernel: &mut Kernel, source: &str) -> String {
    let outcome = kernel.run(source, RunOptions::default()).await;
    let outcome = outcome.expect("a run");
    assert_eq!((outcome.error, outcome.place), (None, Place::Modal));
    outcome.value.expect("a value").repr
}

#[test]
fn a_kernel_in_a_sandbox_does_all_that_a_kernel_does() {
    let service = Service::start(json!({}));
    block_on(async {
        let account = service.account();
        let mut kernel = account.connect().await.expect("a kernel");
        assert_eq!(kernel.place(), Place::Modal);
        assert_eq!(repr(&mut kernel, "x = 20\nx + 1").await, "21");
        // With a way back to the host.
        let double = Tool::new("double")
            .parameter(coldframe::Parameter::new("n"))
            .function(|call| async move { Ok((call.int("n")? * 2).into()) });
        let tools = Tools::new([double, Tool::answer()]).expect("tools");
        kernel.set_tools(&tools).await.expect("tools");
        assert_eq!(repr(&mut kernel, "double(x)").await, "40");
        check_every_kind(&mut kernel).await;
        // Nothing of the account is in the sandbox.
        let source = "import os\n[value for value in os.environ.values() if 'planted' in value]";
        assert_eq!(repr(&mut kernel, source).await, "[]");
        let cancel = kernel.cancel_handle();
        let options = cancelling(cancel);
        let source = "print('go', flush=True)\nwhile True: pass";
        let outcome = kernel.run(source, options).await;
        let error = outcome.expect("a run").error.expect("an error");
        assert_eq!(
            (error.kind, error.session_lost),
            (ErrorKind::Cancelled, false)
        );
        let shown = format!("{kernel:?} {account:?}");
        assert_eq!(service.count(), (1, 0));
        kernel.cleanup().await.expect("cleanup");
        assert_eq!(service.count(), (1, 1));
        kernel.cleanup().await.expect("cleanup");
        let again = kernel.run("1", RunOptions::default()).await;
        assert!(matches!(again, Err(BackendError::Closed(Place::Modal))));
        // The token of the gateway is in no log either.
        let created = service.calls().remove(5).1;
        let token = &created["secret_sources"][0]["env"]["contents"]["KG_AUTH_TOKEN"];
        let token = token.as_str().expect("a token");
        for secret in [SECRET, ID, token, "planted-jwt", "planted-sandbox-token"] {
            assert_not_shown(secret, &[&shown]);
        }
    });
}

#[test]
fn requests_are_those_of_modals_own_client() {
    let service = Service::start(json!({}));
    let done = gateway::modal_python("modal_client.py")
        .env("MODAL_SERVER_URL", service.url())
        .env("MODAL_TOKEN_ID", ID)
        .env("MODAL_TOKEN_SECRET", SECRET)
        // Whatever is on this machine, there is no such file.
        .env(
            "MODAL_CONFIG_PATH",
            concat!(env!("CARGO_TARGET_TMPDIR"), "/no/modal.toml"),
        )
        .stdin(Stdio::null())
        .output()
        .expect("it runs");
    assert!(
        done.status.success(),
        "{}",
        String::from_utf8_lossy(&done.stderr)
    );
    let recorded = service.lines();
    let server = Service::start(json!({}));
    block_on(async {
        // The tunnel that is encrypted leads nowhere here.
        let account = Modal::new(Secret::new(ID), Secret::new(SECRET))
            .server_url(server.url())
            .python("3.11.12")
            .packages(["numpy>=2"])
            .memory_mb(512)
            .milli_cpu(500)
            .start_time(Duration::from_secs(1));
        let error = account.connect().await.expect_err("an error");
        assert!(matches!(error, BackendError::NotReady { .. }), "{error}");
    });
    let sent = server.lines();
    let calls = |lines: &[Json]| -> Vec<Json> {
        let calls = lines.iter().filter(|line| line["call"].is_string());
        calls.cloned().collect()
    };
    let (recorded, sent) = (calls(&recorded), calls(&sent));
    let methods = |calls: &[Json]| -> Vec<String> {
        let names = calls.iter().filter_map(|call| call["call"].as_str());
        names.map(str::to_owned).collect()
    };
    assert_eq!(
        methods(&sent),
        [
            "AppGetOrCreate",
            "EnvironmentGetOrCreate",
            "ImageGetOrCreate",
            "ImageGetOrCreate",
            "AuthTokenGet",
            "SandboxCreateV2",
            "SandboxGetTunnelsV2",
            "SandboxTerminateV2"
        ]
    );
    assert_eq!(methods(&sent), methods(&recorded));
    for (sent, recorded) in sent.iter().zip(&recorded) {
        let name = sent["call"].as_str().expect("a method");
        let mut message = sent["message"].clone();
        if name == "SandboxCreateV2" {
            let token = &mut message["secret_sources"][0]["env"]["contents"]["KG_AUTH_TOKEN"];
            assert_eq!(token.as_str().map(str::len), Some(32));
            *token = "it".into();
        }
        assert_eq!(message, recorded["message"], "{name}");
        let theirs = recorded["metadata"].as_object().expect("metadata");
        let ours = sent["metadata"].as_object().expect("metadata");
        let of_each_its_own = [
            "user-agent",
            "x-idempotency-key",
            "x-modal-timestamp",
            "x-modal-auth-token",
        ];
        for (key, value) in theirs {
            match key.as_str() {
                // What names the machine, and its Python: there is none.
                "x-modal-node" | "x-modal-platform" | "x-modal-python-version" => {
                    assert!(!ours.contains_key(key), "{name}: {key}");
                }
                key if of_each_its_own.contains(&key) => {
                    assert!(
                        ours[key].as_str().is_some_and(|v| !v.is_empty()),
                        "{name}: {key}"
                    );
                }
                // Their name is that of a tool of its own surroundings.
                "x-modal-agent-harness" => {}
                key => assert_eq!(ours.get(key), Some(value), "{name}: {key}"),
            }
        }
        for key in ours.keys() {
            assert!(theirs.contains_key(key), "{name}: {key}");
        }
        let agent = ours["user-agent"].as_str().expect("a user agent");
        assert!(agent.starts_with("coldframe/"), "{agent}");
    }
}

#[test]
fn images_are_waited_for() {
    let log = json!({"entry": "1-0"});
    let done = json!({"entry": "2-0", "status": 1});
    let join = json!([[log], [{"entry": "1-5"}, done]]);
    let service = Service::start(json!({"join": join, "tunnels_at_once": true}));
    block_on(async {
        drop(service.account().connect().await.expect("a kernel"));
    });
    let calls = service.calls();
    let joins: Vec<_> = calls
        .iter()
        .filter(|call| call.0 == "ImageJoinStreaming")
        .map(|call| &call.1)
        .collect();
    assert_eq!(
        joins,
        [
            &json!({"image_id": "im-2", "timeout": 55.0}),
            &json!({"image_id": "im-2", "timeout": 55.0, "last_entry_id": "1-0"})
        ]
    );
    assert!(!calls.iter().any(|call| call.0 == "SandboxGetTunnelsV2"));

    let failed = json!([{"status": 2, "exception": format!("no such package, says {SECRET}")}]);
    let service = Service::start(json!({"join": failed}));
    let error = block_on(service.error());
    assert!(
        matches!(&error, BackendError::Configuration { reason, .. } if reason == "the build of the image im-2 failed: no such package, says [secret]"),
        "{error}"
    );
    // A stream that breaks is joined again, but not for ever.
    for (breaks, good) in [(2, true), (3, false)] {
        let failures = json!({"ImageJoinStreaming": vec![json!(["UNAVAILABLE", "later"]); breaks]});
        let service = Service::start(json!({"join": [[{"status": 1}]], "failures": failures}));
        match block_on(service.account().connect()) {
            Ok(kernel) => {
                assert!(good);
                drop(kernel);
            }
            Err(error) => assert!(
                !good && matches!(error, BackendError::Refused { status: 503, .. }),
                "{error}"
            ),
        }
    }
    let service = Service::start(json!({"join": [[{"sleep": 30}]]}));
    let account = service.account().build_time(Duration::from_secs(1));
    let error = block_on(account.connect()).expect_err("an error");
    assert!(matches!(error, BackendError::NotReady { .. }), "{error}");
    // An old builder, and none at all.
    for builder in ["2024.10", ""] {
        let service = Service::start(json!({"builder": builder}));
        let error = block_on(service.error());
        assert!(
            matches!(error, BackendError::Configuration { .. }),
            "{error}"
        );
        let account = service.account().image("im-own");
        drop(block_on(account.connect()).expect("a kernel"));
        let calls = service.calls();
        let created = calls.iter().find(|call| call.0 == "SandboxCreateV2");
        let definition = &created.expect("a sandbox").1["definition"];
        assert_eq!(definition["image_id"], "im-own");
    }
}

#[test]
fn what_goes_wrong_is_said_and_leaves_nothing_behind() {
    let mut shown = String::new();
    let mut note = |error: &BackendError| shown.push_str(&format!("{error} {error:?}\n"));
    block_on(async {
        // Credentials that are none.
        let service = Service::start(json!({}));
        let account = Modal::new(Secret::new(ID), Secret::new("planted-wrong-secret"))
            .server_url(service.url());
        let error = account.connect().await.expect_err("an error");
        assert!(
            matches!(&error, BackendError::Refused { status: 401, request, reason, .. }
                if request == "POST /modal.client.ModalClient/AppGetOrCreate" && reason == "the secret [secret] is none"),
            "{error}"
        );
        note(&error);
        assert_eq!(service.methods().len(), 1);
        drop(service);

        // Each step fails in each way.
        for (method, status, number, calls) in [
            ("AppGetOrCreate", "PERMISSION_DENIED", 403, 1),
            ("EnvironmentGetOrCreate", "NOT_FOUND", 404, 1),
            ("ImageGetOrCreate", "INVALID_ARGUMENT", 400, 1),
            ("AuthTokenGet", "UNAUTHENTICATED", 401, 1),
            ("SandboxCreateV2", "RESOURCE_EXHAUSTED", 429, 1),
            ("SandboxGetTunnelsV2", "INTERNAL", 500, 4),
            ("AppGetOrCreate", "UNAVAILABLE", 503, 4),
        ] {
            let failure = json!([status, format!("no, {SECRET}")]);
            let failures = json!({method: vec![failure; calls]});
            let service = Service::start(json!({"failures": failures}));
            let error = service.error().await;
            assert!(
                matches!(&error, BackendError::Refused { place: Place::Modal, status, reason, .. }
                    if *status == number && reason == "no, [secret]"),
                "{method}: {error}"
            );
            note(&error);
            let asked = service.methods();
            let asked = asked.iter().filter(|name| *name == method).count();
            assert_eq!(asked, calls, "{method}");
        }
        // A sandbox is made once, though the answers are lost; and if all of them are, it is ended.
        for (lost, good) in [(3, true), (4, false)] {
            let failures = json!({"SandboxCreateV2": vec![json!(["UNAVAILABLE", "lost"]); lost]});
            let service = Service::start(json!({"failures": failures}));
            match service.account().connect().await {
                Ok(kernel) => {
                    assert!(good);
                    drop(kernel);
                }
                Err(error) => assert!(!good, "{error}"),
            }
            assert_eq!(service.count(), (1, 1));
        }
        // What passes is tried again, under the same key.
        let failures = json!({
            "AppGetOrCreate": [["UNAVAILABLE", "later"], ["INTERNAL", "later"]],
            "SandboxCreateV2": [["RESOURCE_EXHAUSTED", "too many", 1.0]],
        });
        let service = Service::start(json!({"failures": failures}));
        let started = Instant::now();
        drop(service.account().connect().await.expect("a kernel"));
        assert!(started.elapsed() >= Duration::from_secs(1));
        let lines = service.lines();
        let metadata: Vec<_> = lines
            .iter()
            .filter(|line| line["call"] == "AppGetOrCreate")
            .map(|line| &line["metadata"])
            .collect();
        assert_eq!(metadata.len(), 3);
        assert_eq!(
            metadata[0]["x-idempotency-key"],
            metadata[2]["x-idempotency-key"]
        );
        assert_eq!(metadata[2]["x-retry-attempt"], "2");
        let throttled = lines
            .iter()
            .filter(|line| line["call"] == "SandboxCreateV2")
            .nth(1)
            .expect("a second attempt");
        assert_eq!(throttled["metadata"]["x-throttle-retry-attempt"], "1");
        drop(service);
        // A wait that nobody has the time for.
        let failures = json!({"AppGetOrCreate": [["RESOURCE_EXHAUSTED", "too many", 3600.0]]});
        let service = Service::start(json!({"failures": failures}));
        let error = service.error().await;
        assert!(
            matches!(error, BackendError::Refused { status: 429, .. }),
            "{error}"
        );
        drop(service);
        // A session's token that has expired is asked for again.
        let service = Service::start(json!({"auth_life": 1}));
        drop(service.account().connect().await.expect("a kernel"));
        let methods = service.methods();
        let tokens = methods.iter().filter(|name| *name == "AuthTokenGet");
        assert!(tokens.count() >= 2, "{methods:?}");
        drop(service);
        // Sandboxes that cannot be reached.
        for behaviour in [
            json!({"no_tunnel": true}),
            json!({"host": "x/../y", "tunnels_at_once": true}),
            json!({"host": "", "port": 0}),
            json!({"port": 70000}),
        ] {
            let service = Service::start(behaviour);
            let error = service.account().plain_tunnel(false).connect().await;
            let error = error.expect_err("an error");
            assert!(matches!(error, BackendError::Protocol { .. }), "{error}");
            assert_eq!(service.count(), (1, 1));
        }
        // Nobody is there.
        let nobody = gateway::Port::reserve();
        let account = Modal::new(Secret::new(ID), Secret::new(SECRET))
            .server_url(format!("http://127.0.0.1:{}", nobody.number()));
        let error = account.connect().await.expect_err("an error");
        assert!(matches!(error, BackendError::Unreachable { .. }), "{error}");
        note(&error);
    });
    for secret in [SECRET, ID, "planted-wrong-secret", "planted-jwt"] {
        assert_not_shown(secret, &[&shown]);
    }
}

#[test]
fn credentials_are_those_of_modals_own_command() {
    let authority = std::env::temp_dir().join(format!("coldframe-{}-2.pem", std::process::id()));
    let authority = authority.to_string_lossy().into_owned();
    let service = Service::start(json!({"tls": authority}));
    let url = service.url();
    let file = format!(
        "[mine]\ntoken_id = '{ID}'\ntoken_secret = '{SECRET}'\nserver_url = '{url},http://127.0.0.1:1'\nactive = true\n[browser]\noauth_refresh_token = '{SECRET}'\n"
    );
    let home = Home::with("modal", ".modal.toml", &file);
    let case = |more: &[(&'static str, String)], check: &dyn Fn(&Case<'_>)| {
        let fixed = [("SSL_CERT_FILE", authority.clone())];
        check(&Case {
            name: "modal",
            arguments: Vec::new(),
            environment: more.iter().cloned().chain(fixed).collect(),
            secrets: &[ID, SECRET],
            count: &|| service.count(),
        });
    };
    let at_home = ("HOME", home.path());
    case(std::slice::from_ref(&at_home), &|case| case.check_once());
    let path = format!("{}/.modal.toml", home.path());
    let profile = ("MODAL_PROFILE", "mine".to_owned());
    case(&[("MODAL_CONFIG_PATH", path), profile], &|case| {
        case.check_once()
    });
    for (profile, reason) in [("browser", "login of a browser"), ("x", "no profile \"x\"")] {
        let profile = ("MODAL_PROFILE", profile.to_owned());
        case(&[at_home.clone(), profile], &|case| {
            let line = case.refusal();
            assert!(line.contains(reason), "{line}");
        });
    }
    case(&[], &|case| {
        assert!(case.refusal().contains("MODAL_TOKEN_ID is not set"));
    });
    let _ = std::fs::remove_file(&authority);
    let account = Modal::new(Secret::new("a\nb"), Secret::new(SECRET));
    let error = block_on(account.connect()).expect_err("an error");
    assert!(matches!(error, BackendError::Configuration { .. }));
    let account = Modal::new(Secret::new(ID), Secret::new(SECRET)).server_url("ftp://x");
    let error = block_on(account.connect()).expect_err("an error");
    assert!(matches!(error, BackendError::Configuration { .. }));
}

#[test]
fn programs_go_there_and_back() {
    let service = Service::start(json!({}));
    block_on(check_there_and_back(service.account()));
}

/// Over the tunnel with TLS, whose certificate is one that the command is told to trust.
#[test]
fn the_command_leaves_nothing_behind() {
    let authority = std::env::temp_dir().join(format!("coldframe-{}.pem", std::process::id()));
    let authority = authority.to_string_lossy().into_owned();
    let service = Service::start(json!({"tls": authority}));
    let case = Case {
        name: "modal",
        arguments: Vec::new(),
        environment: vec![
            ("MODAL_SERVER_URL", service.url()),
            ("MODAL_TOKEN_ID", ID.to_owned()),
            ("MODAL_TOKEN_SECRET", SECRET.to_owned()),
            ("SSL_CERT_FILE", authority.clone()),
        ],
        secrets: &[ID, SECRET],
        count: &|| service.count(),
    };
    case.check();
    let _ = std::fs::remove_file(authority);
}
