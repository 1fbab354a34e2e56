//! Whole-system tests of `coldframe run` with backends: what it refuses, and, in a build with remote backends, programs in a kernel of a real gateway.

#![allow(missing_docs, reason = "tests")]

use std::process::{Command, Output, Stdio};

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_coldframe"));
    command.arg("run").args(arguments).stdin(Stdio::null());
    command.env_remove("KG_AUTH_TOKEN");
    command.env("COLDFRAME_CACHE", "off");
    command
}

/// The one line with which a command is refused.
fn refused(arguments: &[&str]) -> String {
    let output = command(arguments).output().expect("it starts");
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {text}");
    assert!(
        output.stdout.is_empty() && text.lines().count() == 1,
        "{text}"
    );
    text.trim_end().to_owned()
}

fn text(output: &Output) -> (String, String, Option<i32>) {
    let owned = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (
        owned(&output.stdout),
        owned(&output.stderr),
        output.status.code(),
    )
}

#[test]
fn the_sandbox_is_the_backend_that_is_called_local() {
    let output = command(&["--backend", "local", "--json", "-c", "6 * 7"])
        .output()
        .expect("it starts");
    let (stdout, stderr, status) = text(&output);
    assert_eq!((stderr.as_str(), status), ("", Some(0)));
    assert!(stdout.contains(r#""value":"42""#) && stdout.contains(r#""place":"local""#));
}

#[test]
fn what_makes_no_sense_is_told_in_one_line() {
    assert_eq!(
        refused(&["--backend", "moon", "-c", "1"]),
        "coldframe: --backend: no backend is called \"moon\": there are local, jupyter, docker, e2b, blaxel, modal, auto"
    );
    assert_eq!(
        refused(&["--backend", "auto", "-c", "1"]),
        "coldframe: --backend auto needs --remote, the backend to go to"
    );
    assert_eq!(
        refused(&["--backend", "auto", "--remote", "local", "-c", "1"]),
        "coldframe: --remote local: it is no remote backend"
    );
    assert_eq!(
        refused(&["--remote", "jupyter", "-c", "1"]),
        "coldframe: --remote is for --backend auto"
    );
    for flag in ["--backend-url", "--backend-token", "--packages"] {
        let line = refused(&[flag, "x", "-c", "1"]);
        assert!(
            line.starts_with(&format!("coldframe: {flag} is for remote backends")),
            "{line}"
        );
    }
    let line = refused(&["--config", "missing.toml", "-c", "1"]);
    if cfg!(feature = "http") {
        assert!(
            line.starts_with("coldframe: cannot read 'missing.toml': "),
            "{line}"
        );
    } else {
        assert!(line.contains("this build is without them"), "{line}");
    }
}

#[test]
fn a_build_without_a_backend_says_so() {
    if cfg!(feature = "jupyter") {
        assert_eq!(
            refused(&["--backend", "jupyter", "-c", "1"]),
            "coldframe: jupyter: it needs the address of a server (see --backend-url)"
        );
    } else {
        assert_eq!(
            refused(&[
                "--backend",
                "jupyter",
                "--backend-url",
                "http://127.0.0.1",
                "-c",
                "1"
            ]),
            "coldframe: jupyter: this build is without the cargo feature jupyter"
        );
    }
}

#[cfg(feature = "jupyter")]
#[path = "remote/gateway.rs"]
#[allow(dead_code, reason = "the command's tests use a part of it")]
mod gateway;

#[cfg(feature = "jupyter")]
mod remote {
    use std::io::{BufRead, BufReader, Read, Write};
    use std::net::TcpStream;
    use std::path::{Path, PathBuf};
    use std::time::{Duration, Instant};

    use super::*;

    fn config(name: &str, contents: &str) -> PathBuf {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cli_backends");
        std::fs::create_dir_all(&folder).expect("a folder");
        let path = folder.join(name);
        std::fs::write(&path, contents).expect("a file");
        path
    }

    fn run(arguments: &[&str]) -> (String, String, Option<i32>) {
        let output = command(arguments)
            .env("KG_AUTH_TOKEN", gateway::TOKEN)
            .output()
            .expect("it starts");
        text(&output)
    }

    /// The kernels that the gateway has, as it tells.
    fn kernels() -> String {
        let url = gateway::url();
        let address = url.trim_start_matches("http://");
        let mut stream = TcpStream::connect(address).expect("a connection");
        let request = format!(
            "GET /api/kernels HTTP/1.0\r\nAuthorization: token {}\r\n\r\n",
            gateway::TOKEN
        );
        stream.write_all(request.as_bytes()).expect("a request");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        let body = answer.split("\r\n\r\n").nth(1).unwrap_or_default();
        body.trim().to_owned()
    }

    /// Tests of one gateway count its kernels, so they go one after another.
    #[test]
    fn programs_run_in_a_kernel_and_nothing_of_it_stays() {
        let url = gateway::url();
        let at = ["--backend", "jupyter", "--backend-url", &url];
        let with = |more: &[&'static str]| -> Vec<&str> {
            at.iter().copied().chain(more.iter().copied()).collect()
        };

        // What a program prints, what it fails with, what it is worth.
        let (stdout, stderr, status) = run(&with(&[
            "-c",
            "import numpy, sys\nprint(numpy.arange(3).sum()); print('err', file=sys.stderr)",
        ]));
        assert_eq!(
            (stdout.as_str(), stderr.as_str(), status),
            ("3\n", "err\n", Some(0))
        );
        let (_, stderr, status) = run(&with(&["-c", "def f(): return 1 / 0\nf()"]));
        assert_eq!(status, Some(1));
        assert!(
            stderr.ends_with("ZeroDivisionError: division by zero\n"),
            "{stderr}"
        );
        let (stdout, _, status) = run(&with(&["--json", "-c", "[1, 2.5, 'x']"]));
        assert_eq!(status, Some(0));
        let document: serde_json::Value = serde_json::from_str(&stdout).expect("a document");
        assert_eq!(document["place"], "jupyter");
        assert_eq!(document["value_json"], serde_json::json!([1, 2.5, "x"]));
        let (_, stderr, status) = run(&with(&["--timeout", "2s", "-c", "while True: pass"]));
        assert_eq!(status, Some(3), "{stderr}");

        // Files are the sandbox's.
        let file = config("data.txt", "x");
        let mut arguments = with(&["-c", "1", "--put"]);
        let name = file.to_string_lossy().into_owned();
        arguments.push(&name);
        assert!(refused(&arguments).contains("files go into the sandbox"));

        // By a configuration file, to where the imports say.
        let path = config(
            "auto.toml",
            &format!(
                "[backend]\nname = 'auto'\nremote = 'jupyter'\nurl = '{url}'\n[routing]\nrefused = ['socket']\n"
            ),
        );
        let path = path.to_string_lossy().into_owned();
        for (source, place) in [("import math", "local"), ("import numpy", "jupyter")] {
            let (stdout, stderr, status) = run(&["--config", &path, "--json", "-c", source]);
            assert_eq!(status, Some(0), "{stderr}");
            let document: serde_json::Value = serde_json::from_str(&stdout).expect("a document");
            assert_eq!(document["place"], place);
        }
        let (_, stderr, status) = run(&["--config", &path, "-c", "import socket"]);
        assert_eq!(status, Some(1));
        assert!(stderr.contains("socket"), "{stderr}");

        // A wrong token is told, and shown by nobody.
        let mut wrong = with(&["-c", "1", "--backend-token"]);
        wrong.push("not-the-token-77");
        let (stdout, stderr, status) = run(&wrong);
        assert_eq!(status, Some(4), "{stderr}");
        assert!(
            stderr.contains("refused") && !format!("{stdout}{stderr}").contains("not-the-token"),
            "{stderr}"
        );

        // Who is told to end takes its kernel along.
        for (signal, code) in [("-INT", 130), ("-TERM", 143)] {
            let mut child = command(&with(&[
                "-c",
                "print('on', flush=True)\nimport time\ntime.sleep(60)",
            ]))
            .env("KG_AUTH_TOKEN", gateway::TOKEN)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
            let mut line = String::new();
            let stdout = child.stdout.take().expect("a pipe");
            BufReader::new(stdout).read_line(&mut line).expect("a line");
            assert_eq!(line, "on\n");
            let id = child.id().to_string();
            let killed = Command::new("kill").args([signal, &id]).status();
            assert!(killed.is_ok_and(|status| status.success()));
            assert_eq!(child.wait().expect("it ends").code(), Some(code));
        }

        let end = Instant::now() + Duration::from_secs(20);
        while kernels() != "[]" {
            assert!(Instant::now() < end, "kernels stay: {}", kernels());
            std::thread::sleep(Duration::from_millis(200));
        }
    }

    #[test]
    fn a_faulty_configuration_is_told_with_its_line() {
        for (contents, part) in [
            ("[backend]\nnome = 'auto'", "line 2: unknown field `nome`"),
            ("[backend\n", "line 1: "),
            ("[backend]\nname = 'moon'", "no backend is called \"moon\""),
            (
                "[backend]\nname = 'jupyter'\nurl = 'x'\ntoken-variable = 'NO_SUCH_VARIABLE_1'",
                "NO_SUCH_VARIABLE_1",
            ),
            (
                "[backend]\nname = 'auto'\nremote = 'jupyter'\nurl = 'http://127.0.0.1'\n[routing]\nmissing = 'perhaps'",
                "routing.missing: \"perhaps\" is none of",
            ),
            (
                "[backend]\nname = 'jupyter'\nurl = 'http://127.0.0.1'\nimage = 'x'",
                "an image means nothing there",
            ),
        ] {
            let path = config("faulty.toml", contents);
            let line = refused(&["--config", &path.to_string_lossy(), "-c", "1"]);
            assert!(line.contains(part), "{contents}: {line}");
        }
    }
}
