//! Sandboxes of E2B's: a stand-in for the control plane, and for sandboxes the stream of a server of our own that has a real kernel, or of one that says what
//! it is told to.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use coldframe::backend::e2b::{E2b, Sandbox};
use coldframe::backend::{Backend, BackendError, DisplayData, Place, Secret};
use coldframe::{
    ErrorKind, Limits, Outcome, Policy, RunOptions, Stream, Tool, ToolError, Tools, Value,
};
use serde_json::json;

use crate::command::Case;
use crate::kernel::{PATIENCE, cancelling, check_endless_programs, check_every_kind, limits};
use crate::routing::check_there_and_back;
use crate::stand_in::{Asked, Reply, Resources, StandIn, assert_not_shown};
use crate::{block_on, gateway, until};

const KEY: &str = "planted-e2b-key-77aa";
const ACCESS: &str = "planted-access-token-31";
const TRAFFIC: &str = "planted-traffic-token-92";

/// The control plane, which says nothing of where sandboxes are.
fn control(resources: &Resources, asked: &Asked) -> Option<Reply> {
    match (asked.method.as_str(), asked.route()) {
        ("POST", "/v2/sandboxes") => {
            if asked.header("x-api-key") != KEY {
                return Some(Reply::json(
                    401,
                    &json!({"code": 401, "message": format!("the key {} is no key", asked.header("x-api-key"))}),
                ));
            }
            // The number tells the tag, by which it can be found.
            let tag = asked.json()["metadata"]["coldframe"].clone();
            let tag = tag.as_str().expect("a tag");
            let id = format!("i{}-{tag}", resources.count("sandbox").0);
            resources.create("sandbox", &id);
            Some(Reply::json(
                201,
                &json!({
                    "sandboxID": id, "templateID": "code-interpreter-v1", "clientID": "c", "envdVersion": "0.2.0",
                    "envdAccessToken": ACCESS, "trafficAccessToken": TRAFFIC, "alias": "code-interpreter-v1", "domain": null,
                }),
            ))
        }
        ("GET", "/v2/sandboxes") => {
            let tag = asked.path.split("?metadata=coldframe%3D").nth(1)?;
            let found = resources.all("sandbox").into_iter();
            let found = found.filter(|id| id.ends_with(tag));
            let mut found: Vec<_> = found
                .map(|id| json!({"sandboxID": id, "templateID": "x", "metadata": {"coldframe": tag}}))
                .collect();
            // A service that takes no notice of the question shows those of others too.
            found.push(json!({"sandboxID": "other", "templateID": "x", "metadata": {"coldframe": "other"}}));
            Some(Reply::json(200, &found.into()))
        }
        ("DELETE", "/sandboxes/other") => None,
        ("DELETE", path) => {
            let id = path.strip_prefix("/sandboxes/")?;
            let status = if resources.delete("sandbox", id) {
                204
            } else {
                404
            };
            Some(Reply::new(status, ""))
        }
        _ => None,
    }
}

/// A service whose sandboxes have a real kernel: the same one for all.
struct Service {
    control: StandIn,
    server: Child,
    port: u16,
}

impl Service {
    fn start() -> Service {
        let resources = Resources::default();
        let inner = resources.clone();
        let control = StandIn::start(&resources, move |asked| {
            let reply = control(&inner, &asked);
            async move { reply.unwrap_or_else(|| panic!("{asked}")) }
        });
        let mut server = gateway::python("e2b_server.py")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let mut line = String::new();
        let output = server.stdout.take().expect("its output");
        BufReader::new(output).read_line(&mut line).expect("a line");
        let port = line.trim().parse().expect("a port");
        Service {
            control,
            server,
            port,
        }
    }

    fn account(&self) -> E2b {
        E2b::new(Secret::new(KEY))
            .api_url(self.control.url())
            .sandbox_url(format!("http://127.0.0.1:{}", self.port))
            .start_time(PATIENCE)
            .policy(limits(Duration::from_secs(60)))
    }

    async fn sandbox(&self) -> Sandbox {
        self.account().connect().await.expect("a sandbox")
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        // It ends with its input, and its kernel with it.
        drop(self.server.stdin.take());
        let ended = self.server.wait();
        if !std::thread::panicking() {
            assert!(
                ended.is_ok_and(|status| status.success()),
                "the server failed"
            );
        }
    }
}

async fn run(sandbox: &mut Sandbox, source: &str) -> Outcome {
    sandbox
        .run(source, RunOptions::default())
        .await
        .expect("a run")
}

fn repr(outcome: &Outcome) -> &str {
    assert_eq!(outcome.error, None);
    &outcome.value.as_ref().expect("a value").repr
}

#[test]
fn programs_run_and_their_state_stays() {
    let service = Service::start();
    block_on(async {
        let mut sandbox = service.sandbox().await;
        let outcome = run(
            &mut sandbox,
            "x = 20\ndef f(n): return n + 1\nprint('hi'); f(x)",
        )
        .await;
        assert_eq!(repr(&outcome), "21");
        let value = outcome.value.as_ref().and_then(|v| v.value.clone());
        assert_eq!(value, Some(Value::Int(21)));
        assert_eq!(
            (outcome.output.stdout().as_str(), outcome.place),
            ("hi\n", Place::E2b)
        );
        assert!(outcome.displays.is_empty());
        assert_eq!(repr(&run(&mut sandbox, "f(x) * 2").await), "42");
        // Quotes are part of a repr().
        assert_eq!(repr(&run(&mut sandbox, "'text'").await), "'text'");
        let options = RunOptions::default().top_level_await(true);
        let source = "import asyncio\nawait asyncio.sleep(0, 'later')";
        let outcome = sandbox.run(source, options).await.expect("a run");
        assert_eq!(repr(&outcome), "'later'");
        // Streams are apart, and come as they are written.
        let (sender, receiver) = std::sync::mpsc::channel();
        let options = RunOptions::default().on_output(move |stream, bytes| {
            let text = String::from_utf8_lossy(bytes).into_owned();
            sender.send((stream, text)).is_ok()
        });
        let source = "import sys, time\nprint('a', flush=True)\nprint('b', file=sys.stderr, flush=True)\ntime.sleep(0.3)\nprint('c')";
        let outcome = sandbox.run(source, options).await.expect("a run");
        assert_eq!(outcome.output.stdout(), "a\nc\n");
        assert_eq!(outcome.output.stderr(), "b\n");
        let pieces: Vec<_> = receiver.try_iter().collect();
        assert!(
            pieces.len() >= 3 && pieces.contains(&(Stream::Stderr, "b\n".to_owned())),
            "{pieces:?}"
        );
        sandbox.cleanup().await.expect("cleanup");
        let again = sandbox.run("1", RunOptions::default()).await;
        assert!(matches!(again, Err(BackendError::Closed(Place::E2b))));
        // One that is only dropped.
        drop(service.sandbox().await);
        assert_eq!(service.control.resources().count("sandbox"), (2, 2));
    });
}

#[test]
fn errors_and_pictures_are_data() {
    let service = Service::start();
    block_on(async {
        let mut sandbox = service.sandbox().await;
        let outcome = run(
            &mut sandbox,
            "print('before')\ndef f():\n    return {}['k']\nf()",
        )
        .await;
        assert_eq!(outcome.output.stdout(), "before\n");
        let error = outcome.error.expect("an error");
        assert_eq!(
            (
                error.kind,
                error.type_name.as_str(),
                error.message.as_str(),
                error.line
            ),
            (ErrorKind::Exception, "KeyError", "'k'", Some(3))
        );
        assert!(
            error
                .traceback
                .contains("File \"<string>\", line 3, in f\n    return {}['k']")
                && error.traceback.ends_with("KeyError: 'k'\n"),
            "{}",
            error.traceback
        );
        let error = run(&mut sandbox, "1 +").await.error.expect("an error");
        assert_eq!((error.kind, error.line), (ErrorKind::Syntax, Some(1)));
        let error = run(&mut sandbox, "import sys; sys.exit(3)").await.error;
        assert_eq!(error.expect("an error").kind, ErrorKind::Exit { code: 3 });
        let error = run(&mut sandbox, "input('name? ')").await.error;
        assert_eq!(error.expect("an error").type_name, "EOFError");
        // The service's own words for an error have colours.
        let outcome = sandbox.run_cell("1/0", RunOptions::default()).await;
        let error = outcome.expect("a cell").error.expect("an error");
        assert_eq!(
            (error.type_name.as_str(), error.message.as_str()),
            ("ZeroDivisionError", "division by zero")
        );
        assert!(
            error.traceback.contains("ZeroDivisionError") && !error.traceback.contains('\u{1b}'),
            "{}",
            error.traceback
        );
        let outcome = sandbox.run_cell("%time 6*7", RunOptions::default()).await;
        assert_eq!(repr(&outcome.expect("a cell")), "42");

        let outcome = run(
            &mut sandbox,
            "from PIL import Image\nImage.new('RGB', (4, 4), 'red')",
        )
        .await;
        let [display] = &outcome.displays[..] else {
            panic!("{:?}", outcome.displays)
        };
        assert!(display.is_value);
        match display.get("image/png") {
            Some(DisplayData::Bytes(bytes)) => assert_eq!(&bytes[..8], b"\x89PNG\r\n\x1a\n"),
            other => panic!("{other:?}"),
        }
        let source = "from IPython.display import display, SVG, HTML, JSON\ndisplay(HTML('<b>x</b>')); display(SVG('<svg xmlns=\"http://www.w3.org/2000/svg\"/>'))\ndisplay(JSON({'a': [1]}))\ndisplay({'text/x-own': 'mine', 'text/plain': ''}, raw=True)";
        let outcome = run(&mut sandbox, source).await;
        assert_eq!(outcome.error, None);
        let forms: Vec<_> = outcome
            .displays
            .iter()
            .flat_map(|d| &d.forms)
            .map(|(media, _)| media.as_str())
            .filter(|media| *media != "text/plain")
            .collect();
        assert_eq!(
            forms,
            [
                "text/html",
                "image/svg+xml",
                "application/json",
                "text/x-own"
            ]
        );
        assert!(outcome.displays.iter().all(|display| !display.is_value));
        assert_eq!(
            outcome.displays[2].get("application/json"),
            Some(&DisplayData::Text("{\"a\":[1]}".into()))
        );
        let account = service.account().policy(Policy::smolagents());
        let mut agent = account.connect().await.expect("a sandbox");
        let outcome = run(&mut agent, "x = 1\nint('a')").await;
        assert_eq!(
            outcome.agent_text(),
            Some(
                "Code execution failed at line 'int('a')' due to: ValueError: invalid literal for int() with base 10: 'a'"
            )
        );
    });
}

#[test]
fn values_of_every_kind_go_there_and_come_back() {
    let service = Service::start();
    block_on(async {
        let mut sandbox = service.sandbox().await;
        let tools = Tools::new([Tool::answer()]).expect("tools");
        sandbox.set_tools(&tools).await.expect("tools");
        check_every_kind(&mut sandbox).await;
        let variables = sandbox.list_variables(10).await.expect("variables");
        assert!(variables.iter().any(|v| v.name == "Color"), "{variables:?}");
        assert_eq!(sandbox.get_variable("nothing").await.expect("none"), None);
        run(&mut sandbox, "v = object()").await;
        let error = sandbox.get_variable("v").await.expect_err("an error");
        assert_eq!(
            error.to_string(),
            "variable \"v\": objects of class 'object' cannot cross"
        );
        let bad = sandbox.install(&["--index-url=http://x".to_owned()]).await;
        assert!(matches!(
            bad,
            Err(BackendError::Install {
                place: Place::E2b,
                ..
            })
        ));
        // One that is there already, so that nothing is fetched.
        sandbox.install(&["numpy".to_owned()]).await.expect("numpy");
    });
}

#[test]
fn tools_of_the_host_are_refused_and_final_answers_are_not() {
    let service = Service::start();
    block_on(async {
        let mut sandbox = service.sandbox().await;
        let add = Tool::new("add").function(|_| async { Ok::<Value, ToolError>(1.into()) });
        let tools = Tools::new([Tool::answer(), add]).expect("tools");
        let error = sandbox.set_tools(&tools).await.expect_err("an error");
        assert!(
            matches!(
                error,
                BackendError::Unsupported {
                    place: Place::E2b,
                    ..
                }
            ),
            "{error}"
        );
        let text = error.to_string();
        assert!(
            text.contains("'add'") && text.contains("jupyter"),
            "it names the tool and the backends that can: {text}"
        );
        let tools = Tools::new([Tool::answer()]).expect("tools");
        sandbox.set_tools(&tools).await.expect("tools");
        let source = "def f():\n  try: final_answer((1, {2}))\n  except Exception: pass\nf()";
        let outcome = run(&mut sandbox, source).await;
        assert!(outcome.is_final_answer, "{outcome:?}");
        assert_eq!(
            outcome.value.and_then(|v| v.value),
            Some(Value::Tuple(vec![1.into(), Value::Set(vec![2.into()])]))
        );
        // They are there again after the kernel died.
        let outcome = run(
            &mut sandbox,
            "x = 1\nprint('last words', flush=True)\nimport os; os._exit(1)",
        )
        .await;
        let error = outcome.error.expect("an error");
        assert_eq!((error.kind, error.session_lost), (ErrorKind::Died, true));
        let outcome = run(&mut sandbox, "final_answer('x' in globals())").await;
        assert!(outcome.is_final_answer, "{outcome:?}");
        assert_eq!(repr(&outcome), "False");
        // One that is replaced between two runs has lost its variables, and says so.
        run(&mut sandbox, "x = 1\nimport os\npid = os.getpid()").await;
        let pid = sandbox.get_variable("pid").await.expect("a variable");
        let Some(Value::Int(pid)) = pid else {
            panic!("{pid:?}")
        };
        let killed = std::process::Command::new("kill")
            .args(["-9", &pid.to_string()])
            .status();
        assert!(killed.expect("kill runs").success());
        tokio::time::sleep(Duration::from_secs(1)).await;
        let outcome = run(&mut sandbox, "x").await;
        let error = outcome.error.expect("an error");
        assert_eq!((error.kind, error.session_lost), (ErrorKind::Died, true));
        assert_eq!(repr(&run(&mut sandbox, "'x' in globals()").await), "False");
    });
}

#[test]
fn programs_are_stopped_by_closing_their_stream() {
    let service = Service::start();
    block_on(async {
        let limited = Limits::builder()
            .time(Duration::from_secs(2))
            .output(1 << 30)
            .build()
            .expect("limits");
        let account = service.account().policy(limited);
        let mut sandbox = account.connect().await.expect("a sandbox");
        check_endless_programs(&mut sandbox).await;
        let x = sandbox.get_variable("x").await.expect("an answer");
        assert_eq!(x, None);
        // In the same sandbox still.
        assert_eq!(service.control.resources().count("sandbox"), (1, 0));
        sandbox.cleanup().await.expect("cleanup");

        let limits = Limits::builder()
            .time(Duration::from_secs(60))
            .output(10_000)
            .build()
            .expect("limits");
        let account = service.account().policy(limits);
        let mut sandbox = account.connect().await.expect("a sandbox");
        let outcome = run(
            &mut sandbox,
            "x = 5\nimport time\nwhile True: print('x' * 99); time.sleep(0)",
        )
        .await;
        let error = outcome.error.expect("an error");
        assert_eq!((error.kind, error.session_lost), (ErrorKind::Output, false));
        assert_eq!(outcome.output.len(), 10_000);
        let options = cancelling(sandbox.cancel_handle());
        let source = "print('go', flush=True)\nwhile True: pass";
        let outcome = sandbox.run(source, options).await.expect("a run");
        let error = outcome.error.expect("an error");
        assert_eq!(
            (error.kind, error.session_lost),
            (ErrorKind::Cancelled, false)
        );
        assert_eq!(repr(&run(&mut sandbox, "x").await), "5");
    });
}

#[test]
fn no_cell_is_lost_behind_one_that_failed() {
    let service = Service::start();
    block_on(async {
        let mut sandbox = service.sandbox().await;
        run(&mut sandbox, "n = 0").await;
        for i in 0..60 {
            let outcome = sandbox
                .run_cell("n += 1; raise ValueError(n)", RunOptions::default())
                .await;
            let error = outcome.expect("a cell").error.expect("an error");
            assert_eq!(error.type_name, "ValueError");
            let outcome = run(&mut sandbox, "n += 1; n").await;
            assert_eq!(repr(&outcome), (2 * i + 2).to_string());
        }
        // Behind a run that nobody waited for, too.
        let written = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
        let inner = written.clone();
        let options = RunOptions::default().on_output(move |_, _| {
            inner.store(true, std::sync::atomic::Ordering::SeqCst);
            true
        });
        let endless = sandbox.run("print('go', flush=True)\nwhile True: n += 1", options);
        tokio::select! {
            outcome = endless => panic!("{outcome:?}"),
            () = until(|| written.load(std::sync::atomic::Ordering::SeqCst)) => {}
        }
        assert_eq!(repr(&run(&mut sandbox, "n > 120").await), "True");
    });
}

#[test]
fn programs_go_there_and_back() {
    let service = Service::start();
    block_on(check_there_and_back(service.account()));
}

#[test]
fn the_command_leaves_nothing_behind() {
    let service = Service::start();
    let case = Case {
        name: "e2b",
        arguments: Vec::new(),
        environment: vec![
            ("E2B_API_KEY", KEY.to_owned()),
            ("E2B_API_URL", service.control.url().to_owned()),
            (
                "E2B_SANDBOX_URL",
                format!("http://127.0.0.1:{}", service.port),
            ),
        ],
        secrets: &[KEY, ACCESS, TRAFFIC],
        count: &|| service.control.resources().count("sandbox"),
    };
    case.check();
}

/// A service whose sandboxes say what they are told to.
fn scripted() -> StandIn {
    let resources = Resources::default();
    let inner = resources.clone();
    StandIn::start(&resources, move |asked| {
        let reply = control(&inner, &asked).unwrap_or_else(|| match asked.route() {
            "/health" => Reply::new(200, "\"OK\""),
            "/execute" => Reply::new(200, END),
            _ => panic!("{asked}"),
        });
        async move { reply }
    })
}

const END: &str = "{\"type\":\"end_of_execution\"}\n";

fn account(service: &StandIn) -> E2b {
    E2b::new(Secret::new(KEY))
        .api_url(service.url())
        .sandbox_url(service.url())
}

/// The line with which a program ends well.
fn record(repr: &str) -> String {
    let record = json!({"end": true, "final": false, "error": null, "rich": {}, "repr": repr, "value": format!("safe:{repr}")});
    let result = json!({
        "type": "result", "text": "", "is_main_result": false,
        "extra": {"application/vnd.coldframe+json": record.to_string()},
    });
    format!("{result}\n")
}

#[test]
fn requests_are_the_recorded_ones() {
    let service = scripted();
    block_on(async {
        let mut sandbox = account(&service).connect().await.expect("a sandbox");
        let id = sandbox.id().to_owned();
        service.plant("POST", "/execute", Reply::new(200, record("7") + END));
        assert_eq!(repr(&run(&mut sandbox, "3 + 4").await), "7");
        sandbox.cleanup().await.expect("cleanup");
        let expected = [
            "POST /v2/sandboxes".to_owned(),
            "GET /health".to_owned(),
            "POST /execute".to_owned(),
            "POST /execute".to_owned(),
            format!("DELETE /sandboxes/{id}"),
        ];
        assert_eq!(service.lines(), expected);
        let asked = service.asked();
        let made = &asked[0];
        assert_eq!(made.header("x-api-key"), KEY);
        assert_eq!(made.header("content-type"), "application/json");
        assert!(made.header("user-agent").starts_with("coldframe/"));
        let tag = made.json()["metadata"]["coldframe"].clone();
        assert_eq!(tag.as_str().map(str::len), Some(32));
        assert_eq!(
            made.json(),
            json!({"templateID": "code-interpreter-v1", "metadata": {"coldframe": tag}, "envVars": {}})
        );
        let ran = &asked[3];
        for (name, value) in [
            ("e2b-sandbox-id", id.as_str()),
            ("e2b-sandbox-port", "49999"),
            ("x-access-token", ACCESS),
            ("e2b-traffic-access-token", TRAFFIC),
            ("content-type", "application/json"),
            // The key is the control plane's, and goes to no sandbox.
            ("x-api-key", ""),
        ] {
            assert_eq!(ran.header(name), value, "{name}");
        }
        let body = ran.json();
        let code = body["code"].as_str().expect("code");
        assert!(code.contains("3 + 4"), "{code}");
        assert_eq!(
            body,
            json!({"code": code, "context_id": null, "language": null, "env_vars": null})
        );
        assert_eq!(asked[4].header("x-api-key"), KEY);
        assert!(asked[4].body.is_empty());
        for request in &asked {
            let body = String::from_utf8_lossy(&request.body).into_owned();
            assert!(!body.contains("planted"), "{body}");
        }

        let account = account(&service)
            .template("own")
            .metadata("who", "me")
            .lifetime(Duration::from_secs(900))
            .internet(false);
        drop(account.connect().await.expect("a sandbox"));
        let asked = service.asked();
        let tag = asked[5].json()["metadata"]["coldframe"].clone();
        assert_eq!(
            asked[5].json(),
            json!({
                "templateID": "own", "metadata": {"who": "me", "coldframe": tag}, "envVars": {}, "timeout": 900,
                "allow_internet_access": false,
            })
        );
    });
}

#[test]
fn what_goes_wrong_is_said_and_leaves_nothing_behind() {
    let service = scripted();
    block_on(async {
        let note = |error: &BackendError| {
            let shown = format!("{error} {error:?}");
            assert_not_shown("planted-wrong-key", &[&shown]);
            assert_not_shown(KEY, &[&shown]);
        };

        // The control plane.
        let wrong = E2b::new(Secret::new("planted-wrong-key"))
            .api_url(service.url())
            .sandbox_url(service.url());
        let error = wrong.connect().await.expect_err("an error");
        assert!(
            matches!(&error, BackendError::Refused { status: 401, reason, .. } if reason == "the key [secret] is no key"),
            "{error}"
        );
        note(&error);
        for (status, requests) in [(404, 1), (500, 1), (400, 1), (503, 4)] {
            let before = service.lines().len();
            let reply = Reply::json(status, &json!({"code": status, "message": "no"}))
                .header("retry-after", "0");
            for _ in 0..requests {
                service.plant("POST", "/v2/sandboxes", reply.clone());
            }
            let error = account(&service).connect().await.expect_err("an error");
            assert!(
                matches!(&error, BackendError::Refused { place: Place::E2b, status: s, reason, .. } if *s == status && reason == "no"),
                "{error}"
            );
            let asked = service.lines().split_off(before);
            let made = asked.iter().filter(|line| *line == "POST /v2/sandboxes");
            assert_eq!(made.count(), requests, "{status}");
            // After an error of the service's own, one looks whether there is a sandbox nevertheless.
            assert_eq!(asked.len() > requests, status >= 500, "{asked:?}");
            note(&error);
        }
        let busy = Reply::new(429, "").header("retry-after", "1");
        service.plant("POST", "/v2/sandboxes", busy);
        let started = Instant::now();
        let sandbox = account(&service).connect().await.expect("a sandbox");
        assert!(started.elapsed() >= Duration::from_secs(1));
        drop(sandbox);
        for body in [
            "",
            "[]",
            "{\"sandboxID\": \"../../x\"}",
            "{\"sandboxID\": 7}",
        ] {
            service.plant("POST", "/v2/sandboxes", Reply::new(201, body));
            let error = account(&service).connect().await.expect_err("an error");
            assert!(matches!(error, BackendError::Protocol { .. }), "{error}");
        }

        // A sandbox that is slow to start, and one that never does.
        for _ in 0..2 {
            service.plant("GET", "/health", Reply::new(502, "booting"));
        }
        drop(account(&service).connect().await.expect("a sandbox"));
        for _ in 0..50 {
            service.plant("GET", "/health", Reply::new(502, "booting"));
        }
        let hasty = account(&service).start_time(Duration::from_secs(2));
        let error = hasty.connect().await.expect_err("an error");
        assert!(matches!(error, BackendError::NotReady { .. }), "{error}");
        note(&error);
    });
    drop(service);

    // The stream.
    let service = scripted();
    block_on(async {
        let stdout = "{\"type\":\"stdout\",\"text\":\"a\",\"timestamp\":\"\"}\n";
        let mut errors = Vec::new();
        for (reply, good) in [
            (Reply::new(500, "no"), false),
            (Reply::new(422, "{\"detail\":[]}"), false),
            // It ends early.
            (Reply::new(200, stdout), false),
            (Reply::new(200, ""), false),
            (Reply::new(200, "<html>\n"), false),
            // It breaks.
            (
                Reply::broken(200, vec![(Duration::ZERO, stdout.into())]),
                false,
            ),
            // It ends or breaks when all is said.
            (Reply::new(200, record("1").trim_end()), true),
            (
                Reply::broken(200, vec![(Duration::ZERO, record("1").into())]),
                true,
            ),
            // In pieces that end where they like, with a sign of life between.
            (
                Reply::pieces(
                    200,
                    vec![
                        (Duration::ZERO, record("1").as_bytes()[..9].into()),
                        (
                            Duration::from_millis(50),
                            format!("{}{{\"type\":\"keepal", &record("1")[9..]).into(),
                        ),
                        (
                            Duration::from_millis(50),
                            format!("ive\"}}\n\n{END}").into(),
                        ),
                    ],
                ),
                true,
            ),
        ] {
            let mut sandbox = account(&service).connect().await.expect("a sandbox");
            service.plant("POST", "/execute", reply.clone());
            match sandbox.run("1", RunOptions::default()).await {
                Ok(outcome) => {
                    assert!(good, "{reply:?}");
                    assert_eq!(repr(&outcome), "1");
                }
                Err(error) => {
                    assert!(!good, "{reply:?}: {error}");
                    errors.push(error);
                }
            }
        }
        let refused = |error: &BackendError| matches!(error, BackendError::Refused { .. });
        let lost = |error: &BackendError| matches!(error, BackendError::Unreachable { .. });
        assert!(errors[..2].iter().all(refused), "{errors:?}");
        assert!(errors[2..].iter().all(lost), "{errors:?}");

        // The kernel is gone, or the sandbox is.
        for (reply, sandboxes) in [
            (
                Reply::new(200, "{\"type\":\"unexpected_end_of_execution\"}\n"),
                1,
            ),
            (
                Reply::new(
                    200,
                    format!(
                        "{}\n{END}",
                        json!({"type": "error", "name": "ContextRestarting", "value": "Context was restarted", "traceback": ""})
                    ),
                ),
                1,
            ),
            (Reply::new(502, "the sandbox was not found"), 2),
            (Reply::new(404, "the sandbox was not found"), 2),
        ] {
            let before = service.resources().count("sandbox").0;
            let mut sandbox = account(&service).connect().await.expect("a sandbox");
            service.plant("POST", "/execute", reply);
            let error = run(&mut sandbox, "1").await.error.expect("an error");
            assert_eq!((error.kind, error.session_lost), (ErrorKind::Died, true));
            // The next one has our code put there first.
            service.plant("POST", "/execute", Reply::new(200, END));
            service.plant("POST", "/execute", Reply::new(200, record("2") + END));
            assert_eq!(repr(&run(&mut sandbox, "2").await), "2");
            assert_eq!(service.resources().count("sandbox").0 - before, sandboxes);
        }

        // Nobody is there.
        let nobody = gateway::Port::reserve();
        let error = E2b::new(Secret::new(KEY))
            .api_url(format!("http://127.0.0.1:{}", nobody.number()))
            .connect()
            .await
            .expect_err("an error");
        assert!(matches!(error, BackendError::Unreachable { .. }), "{error}");
        let sandbox = account(&service).connect().await.expect("a sandbox");
        let account = account(&service);
        for key in [KEY, ACCESS, TRAFFIC, "planted-wrong-key"] {
            let shown = format!("{sandbox:?} {account:?} {errors:?} {error} {error:?}");
            assert_not_shown(key, &[&shown]);
        }
    });
}

#[test]
fn a_sandbox_whose_answer_is_lost_is_killed() {
    let service = scripted();
    block_on(async {
        service.lose("POST", "/v2/sandboxes");
        let error = account(&service).connect().await.expect_err("an error");
        assert!(matches!(error, BackendError::Unreachable { .. }), "{error}");
        assert_eq!(service.resources().count("sandbox"), (1, 1));
        // It is not in the list at once.
        service.lose("POST", "/v2/sandboxes");
        service.plant("GET", "/v2/sandboxes?", Reply::new(200, "[]"));
        let error = account(&service).connect().await.expect_err("an error");
        assert!(matches!(error, BackendError::Unreachable { .. }), "{error}");
        assert_eq!(service.resources().count("sandbox"), (2, 2));
        // One that nobody waits for any more.
        let before = service.lines().len();
        let slow = account(&service);
        let never = Reply::new(502, "booting").after(Duration::from_secs(3600));
        service.plant("GET", "/health", never);
        tokio::select! {
            sandbox = slow.connect() => panic!("{sandbox:?}"),
            () = until(|| service.lines().len() >= before + 2) => {}
        }
        assert_eq!(service.resources().count("sandbox"), (3, 3));
    });
}

#[test]
fn keys_come_from_the_environment() {
    // Nothing else in this process reads the variable.
    let error = E2b::from_environment().expect_err("an error");
    assert!(matches!(error, BackendError::Configuration { .. }));
    assert!(error.to_string().contains("E2B_API_KEY"), "{error}");
}
