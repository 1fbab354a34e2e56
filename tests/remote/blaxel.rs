//! Sandboxes of a stand-in for Blaxel, with a real gateway behind their port.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use coldframe::backend::blaxel::Blaxel;
use coldframe::backend::{Backend, BackendError, Launcher as _, Place, Secret};
use coldframe::{Limits, Parameter, RunOptions, Tool, Tools, Value};
use serde_json::json;

use crate::command::{Case, Home};
use crate::kernel::PATIENCE;
use crate::routing::check_there_and_back;
use crate::stand_in::{Asked, Reply, Resources, StandIn, assert_not_shown};
use crate::{block_on, gateway, until};

/// Planted, so that it can be looked for where it must not be.
const KEY: &str = "planted-blaxel-key-77";

/// The credentials of a service account, and the token that it gets for them.
const CLIENT: &str = "cGxhbnRlZC1jbGllbnQ=";
const CLIENT_TOKEN: &str = "planted-blaxel-token-12";

struct Service {
    stand_in: StandIn,
    resources: Resources,
    /// How often an installer has been asked after.
    installing: Arc<Mutex<u32>>,
}

impl Service {
    fn start() -> Service {
        // The gateway is there before anybody waits for it.
        let port = gateway::url()
            .rsplit(':')
            .next()
            .and_then(|p| p.parse().ok());
        let port: u16 = port.expect("a port");
        let resources = Resources::default();
        let installing = Arc::<Mutex<u32>>::default();
        let address = Arc::<Mutex<String>>::default();
        let (counted, asked_after, own) = (resources.clone(), installing.clone(), address.clone());
        let stand_in = StandIn::start(&resources, move |asked| {
            let reply = answer(port, &counted, &asked_after, &own, asked);
            async move { reply }
        });
        stand_in
            .url()
            .clone_into(&mut address.lock().expect("a lock"));
        Service {
            stand_in,
            resources,
            installing,
        }
    }

    fn blaxel(&self) -> Blaxel {
        let limits = Limits::builder().time(Duration::from_secs(60));
        Blaxel::new("our-workspace", Secret::new(KEY))
            .url(format!("{}/v0", self.stand_in.url()))
            .policy(limits.build().expect("limits"))
            .start_time(PATIENCE)
    }
}

fn answer(
    port: u16,
    resources: &Resources,
    installing: &Mutex<u32>,
    address: &Mutex<String>,
    asked: Asked,
) -> Reply {
    if asked.to_string() == "POST /v0/oauth/token" {
        assert_eq!(asked.json(), json!({"grant_type": "client_credentials"}));
        if asked.header("authorization") != format!("Basic {CLIENT}") {
            return Reply::json(401, &json!({"error": format!("not {CLIENT}")}));
        }
        let token = json!({"access_token": CLIENT_TOKEN, "refresh_token": "r", "expires_in": 7200});
        return Reply::json(200, &token);
    }
    let known = [KEY, CLIENT_TOKEN].map(|key| format!("Bearer {key}"));
    if !known.contains(&asked.header("x-blaxel-authorization").to_owned())
        || asked.header("x-blaxel-workspace") != "our-workspace"
    {
        // A service that says more than it should.
        let said = format!(
            "bad credentials: {:?}",
            asked.headers.get("x-blaxel-authorization")
        );
        return Reply::json(401, &json!({"code": 401, "error": said}));
    }
    let parts: Vec<&str> = asked.route().trim_start_matches('/').split('/').collect();
    match (asked.method.as_str(), &parts[..]) {
        ("POST", ["v0", "sandboxes"]) => {
            let name = asked.json()["metadata"]["name"]
                .as_str()
                .expect("a name")
                .to_owned();
            resources.create("sandbox", name.clone());
            let url = format!("{}/sbx/{name}", address.lock().expect("a lock"));
            let sandbox = json!({"metadata": {"name": name, "url": url}, "spec": asked.json()["spec"], "status": "DEPLOYED"});
            Reply::json(200, &sandbox)
        }
        ("DELETE", ["v0", "sandboxes", name]) => {
            if resources.delete("sandbox", name) {
                Reply::json(
                    200,
                    &json!({"metadata": {"name": name}, "status": "DELETING"}),
                )
            } else {
                Reply::json(404, &json!({"code": 404, "error": "no such sandbox"}))
            }
        }
        (_, ["sbx", name, ..]) if !resources.is_there("sandbox", name) => Reply::new(404, "gone"),
        (_, ["sbx", name, "port", "8888", ..]) => {
            let path = asked
                .path
                .replacen(&format!("/sbx/{name}/port/8888"), "", 1);
            let token = format!("token {}", gateway::TOKEN);
            Reply::forward(port, path).header("authorization", token)
        }
        ("POST", ["sbx", _, "process"]) => {
            *installing.lock().expect("a lock") = 0;
            let body = asked.json();
            Reply::json(
                200,
                &json!({"name": body["name"], "pid": "7", "status": "running"}),
            )
        }
        ("GET", ["sbx", _, "process", "install-packages"]) => {
            let mut asked_after = installing.lock().expect("a lock");
            *asked_after += 1;
            if *asked_after < 2 {
                return Reply::json(200, &json!({"status": "running"}));
            }
            Reply::json(
                200,
                &json!({"status": "completed", "exitCode": 0, "logs": "done"}),
            )
        }
        _ => Reply::json(404, &json!({"code": 404, "error": "no such route"})),
    }
}

#[test]
fn a_sandbox_is_made_as_recorded_and_runs_programs() {
    let service = Service::start();
    block_on(async {
        let blaxel = service.blaxel();
        let mut sandbox = blaxel.launch().await.expect("a sandbox");
        assert_eq!(sandbox.place(), Place::Blaxel);
        let source = "import numpy\nx = [1, 2]\nprint('hi')\nint(numpy.sum(x))";
        let outcome = sandbox
            .run(source, RunOptions::default())
            .await
            .expect("a run");
        assert_eq!(outcome.error, None);
        assert_eq!(
            (outcome.value.expect("a value").repr.as_str(), outcome.place),
            ("3", Place::Blaxel)
        );
        assert_eq!(outcome.output.stdout(), "hi\n");
        let add = Tool::new("add")
            .parameter(Parameter::new("a"))
            .function(|call| async move { Ok((call.int("a")? + 1).into()) });
        let tools = Tools::new([add, Tool::answer()]).expect("tools");
        sandbox.set_tools(&tools).await.expect("tools");
        sandbox
            .set_variables(&[("y".into(), 41.into())])
            .await
            .expect("variables");
        let outcome = sandbox
            .run("final_answer({'a': add(y)})", RunOptions::default())
            .await;
        let outcome = outcome.expect("a run");
        assert!(outcome.is_final_answer);
        let answer = outcome.value.expect("a value").value;
        assert_eq!(answer, Some(Value::dict([("a", 42)])));
        let y = sandbox.get_variable("y").await.expect("a variable");
        assert_eq!(y, Some(41.into()));
        sandbox.cleanup().await.expect("cleanup");
        sandbox.cleanup().await.expect("cleanup");
        let again = sandbox.run("1", RunOptions::default()).await;
        assert!(matches!(again, Err(BackendError::Closed(Place::Blaxel))));
        let again = sandbox.install(&["numpy".to_owned()]).await;
        assert!(matches!(again, Err(BackendError::Closed(Place::Blaxel))));
        assert_not_shown(KEY, &[&format!("{blaxel:?}")]);
    });
    let asked = service.stand_in.asked();
    let create = &asked[0];
    assert_eq!(
        create.to_string(),
        "POST /v0/sandboxes?createIfNotExist=false"
    );
    assert_eq!(create.header("content-type"), "application/json");
    let body = create.json();
    let name = body["metadata"]["name"]
        .as_str()
        .expect("a name")
        .to_owned();
    assert!(name.starts_with("coldframe-") && name.len() == 18, "{name}");
    assert_eq!(
        body,
        json!({
            "metadata": {"name": name},
            "spec": {"runtime": {"image": "blaxel/jupyter-notebook", "memory": 4096, "ports": [{"target": 8888}]}},
        })
    );
    for asked in &asked {
        assert_eq!(
            asked.header("x-blaxel-authorization"),
            format!("Bearer {KEY}")
        );
        assert_eq!(asked.header("x-blaxel-workspace"), "our-workspace");
        assert_eq!(asked.header("blaxel-version"), "2026-09-22");
        assert!(
            asked.header("user-agent").starts_with("coldframe/")
                || asked.path.contains("/channels")
        );
        // Nothing that is sent but these headers has the key in it.
        assert!(!asked.path.contains(KEY));
        assert!(!String::from_utf8_lossy(&asked.body).contains(KEY));
    }
    let gateway = format!("/sbx/{name}/port/8888/api");
    let lines: Vec<String> = service
        .stand_in
        .lines()
        .into_iter()
        .filter(|line| !line.ends_with("/api/kernelspecs"))
        .collect();
    assert_eq!(lines[1], format!("POST {gateway}/kernels"));
    assert!(
        lines[2].starts_with(&format!("GET {gateway}/kernels/")),
        "{lines:?}"
    );
    assert!(lines[2].contains("/channels?session_id="), "{lines:?}");
    assert_eq!(lines.last(), Some(&format!("DELETE /v0/sandboxes/{name}")));
    assert_eq!(service.resources.count("sandbox"), (1, 1));
}

#[test]
fn what_a_sandbox_is_like_can_be_chosen() {
    let service = Service::start();
    let blaxel = service
        .blaxel()
        .image("mine/kernel")
        .memory(2048)
        .lifetime(Duration::from_secs(300))
        .region("us-pdx-1");
    let sandbox = block_on(blaxel.start()).expect("a sandbox");
    let name = sandbox.name().to_owned();
    drop(sandbox);
    let body = service.stand_in.asked()[0].json();
    assert_eq!(
        body,
        json!({
            "metadata": {"name": name},
            "spec": {
                "runtime": {"image": "mine/kernel", "memory": 2048, "ports": [{"target": 8888}], "ttl": "300"},
                "region": "us-pdx-1",
            },
        })
    );
}

#[test]
fn packages_are_installed_by_a_process() {
    let service = Service::start();
    block_on(async {
        let mut sandbox = service.blaxel().start().await.expect("a sandbox");
        let packages = ["numpy".to_owned(), "pandas>=2,<3".to_owned()];
        sandbox.install(&packages).await.expect("packages");
        let path = format!("/sbx/{}/process", sandbox.name());
        let asked = service.stand_in.asked();
        let request = asked
            .iter()
            .find(|asked| asked.path == path)
            .expect("a request");
        assert_eq!(
            request.json(),
            json!({"name": "install-packages", "command": "pip install --root-user-action=ignore numpy 'pandas>=2,<3'"})
        );
        assert_eq!(*service.installing.lock().expect("a lock"), 2);
        // What an installer says is told, without the key.
        let said = format!("ERROR: no such package; {KEY}");
        let failed = json!({"status": "failed", "exitCode": 1, "logs": said});
        service.stand_in.plant(
            "GET",
            format!("{path}/install-packages"),
            Reply::json(200, &failed),
        );
        let error = sandbox
            .install(&["nothing".to_owned()])
            .await
            .expect_err("an error");
        assert!(
            matches!(&error, BackendError::Install { reason, .. } if reason.contains("no such package")),
            "{error}"
        );
        assert_not_shown(
            KEY,
            &[&error.to_string(), &format!("{error:?} {sandbox:?}")],
        );
        let rubbish = Reply::json(200, &json!({"state": 1}));
        service
            .stand_in
            .plant("GET", format!("{path}/install-packages"), rubbish);
        let error = sandbox
            .install(&["nothing".to_owned()])
            .await
            .expect_err("an error");
        assert!(matches!(error, BackendError::Protocol { .. }), "{error}");
        for bad in ["--index-url=x", "a; rm -rf /", "a'b", "$(x)", "a\nb"] {
            let error = sandbox
                .install(&[bad.to_owned()])
                .await
                .expect_err("an error");
            assert!(matches!(error, BackendError::Install { .. }), "{error}");
        }
        sandbox.cleanup().await.expect("cleanup");
    });
}

#[test]
fn what_fails_leaves_nothing_behind() {
    let service = Service::start();
    let start = |blaxel: &Blaxel| block_on(blaxel.start()).map(drop);
    let blaxel = service.blaxel();
    // A wrong key, which the service sends back, is not shown.
    let wrong = Blaxel::new("our-workspace", Secret::new("planted-wrong-blaxel-key"));
    let wrong = wrong.url(format!("{}/v0", service.stand_in.url()));
    let error = start(&wrong).expect_err("an error");
    assert!(
        matches!(error, BackendError::Refused { status: 401, .. }),
        "{error}"
    );
    assert!(error.to_string().contains("bad credentials"), "{error}");
    assert_not_shown(
        "planted-wrong-blaxel-key",
        &[&error.to_string(), &format!("{error:?} {wrong:?}")],
    );
    let create = "/v0/sandboxes";
    let plant = |method, path: &str, reply| service.stand_in.plant(method, path, reply);
    plant(
        "POST",
        create,
        Reply::json(404, &json!({"error": "no such image"})),
    );
    let error = start(&blaxel).expect_err("an error");
    assert!(
        matches!(&error, BackendError::Refused { status: 404, reason, .. } if reason == "no such image"),
        "{error}"
    );
    plant("POST", create, Reply::json(500, &json!({"error": "oh"})));
    let error = start(&blaxel).expect_err("an error");
    assert!(
        matches!(error, BackendError::Refused { status: 500, .. }),
        "{error}"
    );
    // After an error of the service's own, one cannot know: it is told to delete what may be there.
    assert!(
        service
            .stand_in
            .lines()
            .last()
            .is_some_and(|line| line.starts_with("DELETE /v0/sandboxes/coldframe-"))
    );
    plant(
        "POST",
        create,
        Reply::broken(200, vec![(Duration::ZERO, b"{".to_vec())]),
    );
    let error = start(&blaxel).expect_err("an error");
    assert!(matches!(error, BackendError::Unreachable { .. }), "{error}");
    assert_eq!(service.resources.count("sandbox"), (0, 0));
    // It was made, and the answer is lost; and the service does not have it at once.
    service.stand_in.lose("POST", create);
    plant("DELETE", create, Reply::new(404, "not yet"));
    let error = start(&blaxel).expect_err("an error");
    assert!(matches!(error, BackendError::Unreachable { .. }), "{error}");
    assert_eq!(service.resources.count("sandbox"), (1, 1));
    for answer in [json!({}), json!({"metadata": {"url": 7}}), json!([])] {
        plant("POST", create, Reply::json(200, &answer));
        let error = start(&blaxel).expect_err("an error");
        assert!(matches!(error, BackendError::Protocol { .. }), "{error}");
    }
    let asked_at = Instant::now();
    plant(
        "POST",
        create,
        Reply::new(429, "slow down").header("retry-after", "1"),
    );
    start(&blaxel).expect("a sandbox");
    assert!(asked_at.elapsed() >= Duration::from_secs(1));
    assert_eq!(service.resources.count("sandbox"), (2, 2));
    // A gateway that is slow to come.
    for status in [502, 404, 503] {
        plant("GET", "/sbx/", Reply::new(status, "not yet"));
    }
    start(&blaxel).expect("a sandbox");
    assert_eq!(service.resources.count("sandbox"), (3, 3));
    // One that does not come, one that wants other credentials, and a kernel that cannot be made.
    for _ in 0..40 {
        plant("GET", "/sbx/", Reply::new(502, "not yet"));
    }
    let error = start(&blaxel.clone().start_time(Duration::from_secs(2))).expect_err("an error");
    assert!(
        matches!(error, BackendError::NotReady { seconds: 2, .. }),
        "{error}"
    );
    assert_eq!(service.resources.count("sandbox"), (4, 4));
}

#[test]
fn a_gateway_that_refuses_is_an_error() {
    let service = Service::start();
    let blaxel = service.blaxel();
    let start = || block_on(blaxel.start()).map(drop);
    service
        .stand_in
        .plant("GET", "/sbx/", Reply::new(403, "no"));
    let error = start().expect_err("an error");
    assert!(
        matches!(error, BackendError::Refused { status: 403, .. }),
        "{error}"
    );
    let kernels = |status| Reply::json(status, &json!({"message": format!("no kernel for {KEY}")}));
    service.stand_in.plant("POST", "/sbx/", kernels(500));
    let error = start().expect_err("an error");
    assert!(
        matches!(error, BackendError::Refused { status: 500, .. }),
        "{error}"
    );
    assert_not_shown(KEY, &[&error.to_string(), &format!("{error:?}")]);
    assert_eq!(service.resources.count("sandbox"), (2, 2));
    // A launch that is given up in the middle.
    let never = Reply::new(502, "").after(Duration::from_secs(3600));
    service.stand_in.plant("GET", "/sbx/", never);
    let before = service.stand_in.lines().len();
    block_on(async {
        tokio::select! {
            started = blaxel.start() => panic!("{started:?}"),
            () = until(|| service.stand_in.lines().len() >= before + 2) => {}
        }
    });
    assert_eq!(service.resources.count("sandbox"), (3, 3));
}

#[test]
fn a_sandbox_that_is_gone_is_noticed() {
    let service = Service::start();
    block_on(async {
        let mut sandbox = service.blaxel().start().await.expect("a sandbox");
        let name = sandbox.name().to_owned();
        // The service's own lifetime for it has come.
        assert!(service.resources.delete("sandbox", &name));
        let error = sandbox.install(&["numpy".to_owned()]).await;
        assert!(
            matches!(error, Err(BackendError::Refused { status: 404, .. })),
            "{error:?}"
        );
        sandbox.cleanup().await.expect("cleanup");
    });
}

#[test]
fn programs_go_there_and_back() {
    let service = Service::start();
    block_on(check_there_and_back(service.blaxel()));
}

#[test]
fn the_command_leaves_nothing_behind() {
    let service = Service::start();
    let case = Case {
        name: "blaxel",
        arguments: vec![
            "--backend-url".to_owned(),
            format!("{}/v0", service.stand_in.url()),
        ],
        environment: vec![
            ("BL_API_KEY", KEY.to_owned()),
            ("BL_WORKSPACE", "our-workspace".to_owned()),
        ],
        secrets: &[KEY],
        count: &|| service.resources.count("sandbox"),
    };
    case.check();
}

#[test]
fn credentials_are_those_of_the_services_own_command() {
    let service = Service::start();
    let file = format!(
        "context:\n  workspace: our-workspace\nworkspaces:\n- name: our-workspace\n  credentials:\n    apiKey: {KEY}\n- name: other\n  credentials:\n    clientCredentials: {CLIENT}\n- name: browser\n  credentials:\n    access_token: {KEY}\n    device_code: x\n"
    );
    let home = Home::with("blaxel", ".blaxel/config.yaml", &file);
    let case = |more: &[(&'static str, &str)], check: &dyn Fn(&Case<'_>)| {
        let more = more
            .iter()
            .map(|(name, value)| (*name, (*value).to_owned()));
        check(&Case {
            name: "blaxel",
            arguments: vec![
                "--backend-url".to_owned(),
                format!("{}/v0", service.stand_in.url()),
            ],
            environment: more.chain([("HOME", home.path())]).collect(),
            secrets: &[KEY, CLIENT, CLIENT_TOKEN, "planted-wrong-client"],
            count: &|| service.resources.count("sandbox"),
        });
    };
    case(&[], &|case| case.check_once());
    // Variables come first.
    let account = [
        ("BL_CLIENT_CREDENTIALS", CLIENT),
        ("BL_WORKSPACE", "our-workspace"),
    ];
    case(&account, &|case| case.check_once());
    let lines = service.stand_in.lines();
    let exchanges = lines.iter().filter(|line| *line == "POST /v0/oauth/token");
    // And one more to delete it, since the first token may be too old by then.
    assert_eq!(exchanges.count(), 2);
    case(&[("BL_WORKSPACE", "browser")], &|case| {
        assert!(case.refusal().contains("login of a browser"));
    });
    case(&[("BL_WORKSPACE", "third")], &|case| {
        assert!(case.refusal().contains("BL_API_KEY is not set"));
    });
    let mut blaxel =
        Blaxel::with_client_credentials("our-workspace", Secret::new("planted-wrong-client"));
    blaxel = blaxel.url(format!("{}/v0", service.stand_in.url()));
    let error = block_on(blaxel.start()).expect_err("an error");
    assert!(
        matches!(error, BackendError::Refused { status: 401, .. }),
        "{error}"
    );
    for secret in [CLIENT, "planted-wrong-client", CLIENT_TOKEN] {
        assert_not_shown(secret, &[&format!("{blaxel:?}")]);
    }
}
