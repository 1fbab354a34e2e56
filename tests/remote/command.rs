//! `coldframe run --backend NAME` with every service, each by its stand-in: what a program prints, is worth and fails with, where it ran, and that nothing of it
//! stays, whoever ends the command.

use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::{Value as Json, json};

/// A service, as the command is told of it.
pub struct Case<'a> {
    pub name: &'a str,
    pub arguments: Vec<String>,
    pub environment: Vec<(&'a str, String)>,
    /// What must be shown nowhere.
    pub secrets: &'a [&'a str],
    /// How many machines were made and removed.
    pub count: &'a dyn Fn() -> (usize, usize),
}

/// What the command said.
struct Said {
    stdout: String,
    stderr: String,
    status: Option<i32>,
}

impl Case<'_> {
    fn command(&self, more: &[&str]) -> Command {
        let mut command = Command::new(program());
        command.arg("run").args(more).args(&self.arguments);
        command.stdin(Stdio::null()).stdout(Stdio::piped());
        command.stderr(Stdio::piped());
        // Nothing but what the case says: neither keys nor the files of whoever runs the tests.
        for (name, _) in std::env::vars_os() {
            let text = name.to_string_lossy();
            if ["KG_", "DOCKER_", "E2B_", "BL_", "MODAL_"]
                .iter()
                .any(|prefix| text.starts_with(prefix))
            {
                command.env_remove(name);
            }
        }
        command.env("HOME", concat!(env!("CARGO_TARGET_TMPDIR"), "/nobody"));
        command.env("COLDFRAME_CACHE", "off");
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        command
    }

    fn run(&self, more: &[&str]) -> Said {
        let output = self.command(more).output().expect("it starts");
        let text = |bytes: &[u8]| {
            let text = String::from_utf8_lossy(bytes).into_owned();
            for secret in self.secrets {
                assert!(!text.contains(secret), "{}: {text}", self.name);
            }
            text
        };
        Said {
            stdout: text(&output.stdout),
            stderr: text(&output.stderr),
            status: output.status.code(),
        }
    }

    /// The document of a run with `--json`.
    fn document(&self, more: &[&str]) -> Json {
        let said = self.run(more);
        assert_eq!(said.status, Some(0), "{}: {}", self.name, said.stderr);
        serde_json::from_str(&said.stdout).expect("a document")
    }

    /// One program, and nothing else: for the ways to say who one is.
    pub fn check_once(&self) {
        let (made, removed) = (self.count)();
        let said = self.run(&["--backend", self.name, "-c", "print(6 * 7)"]);
        assert_eq!(
            (said.stdout.as_str(), said.stderr.as_str(), said.status),
            ("42\n", "", Some(0)),
            "{}",
            self.name
        );
        assert_eq!((self.count)(), (made + 1, removed + 1), "{}", self.name);
    }

    /// The line with which the command refuses to run anything.
    pub fn refusal(&self) -> String {
        let said = self.run(&["--backend", self.name, "-c", "1"]);
        assert_eq!(said.status, Some(2), "{}: {}", self.name, said.stderr);
        said.stderr
    }

    pub fn check(&self) {
        let name = self.name;
        let there = ["--backend", name];
        let with = |more: &[&'static str]| [&there[..], more].concat();
        let said = self.run(&with(&[
            "-c",
            "import numpy, sys\nprint(numpy.arange(3).sum()); print('err', file=sys.stderr)",
        ]));
        assert_eq!(
            (said.stdout.as_str(), said.stderr.as_str(), said.status),
            ("3\n", "err\n", Some(0)),
            "{name}"
        );
        let said = self.run(&with(&["-c", "def f(): return 1 / 0\nf()"]));
        assert_eq!(said.status, Some(1), "{name}: {}", said.stderr);
        assert!(
            said.stderr
                .ends_with("ZeroDivisionError: division by zero\n"),
            "{name}: {}",
            said.stderr
        );
        let said = self.run(&with(&["-c", "import sys; sys.exit(7)"]));
        assert_eq!(said.status, Some(7), "{name}: {}", said.stderr);
        let document = self.document(&with(&["--json", "-c", "[1, 2.5, 'x']"]));
        assert_eq!(document["place"], name);
        assert_eq!(document["value_json"], json!([1, 2.5, "x"]));
        // By what it imports.
        let by_imports = ["--backend", "auto", "--remote", name, "--json", "-c"];
        for (source, place) in [("import math", "local"), ("import numpy", name)] {
            let document = self.document(&[&by_imports[..], &[source]].concat());
            assert_eq!(document["place"], place, "{name}");
        }
        // Who is told to end takes along what was made.
        let endless = "print('on', flush=True)\nimport time\ntime.sleep(3600)";
        for (signal, code) in [("-INT", 130), ("-TERM", 143)] {
            let (made, removed) = (self.count)();
            let mut child = self.command(&with(&["-c", endless])).spawn();
            let child = child.as_mut().expect("it starts");
            let mut line = String::new();
            let stdout = child.stdout.take().expect("a pipe");
            BufReader::new(stdout).read_line(&mut line).expect("a line");
            assert_eq!(line, "on\n", "{name}");
            assert_eq!((self.count)(), (made + 1, removed), "{name}");
            let id = child.id().to_string();
            let killed = Command::new("kill").args([signal, &id]).status();
            assert!(killed.is_ok_and(|status| status.success()));
            assert_eq!(child.wait().expect("it ends").code(), Some(code), "{name}");
            assert_eq!((self.count)(), (made + 1, removed + 1), "{name}");
        }
        let (made, removed) = (self.count)();
        assert_eq!((made, removed), (7, 7), "{name}");
    }
}

/// A home directory of the test's own, with that file in it.
pub struct Home(PathBuf);

impl Home {
    pub fn with(name: &str, file: &str, text: &str) -> Home {
        let folder = format!("coldframe-home-{}-{name}", std::process::id());
        let home = Home(std::env::temp_dir().join(folder));
        let path = home.0.join(file);
        let parent = path.parent().expect("a folder");
        std::fs::create_dir_all(parent).expect("a folder");
        std::fs::write(path, text).expect("a file");
        home
    }

    pub fn path(&self) -> String {
        self.0.to_string_lossy().into_owned()
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The command, which is built beside these tests when the whole workspace is.
fn program() -> PathBuf {
    let test = std::env::current_exe().expect("a program");
    let folder = test.parent().and_then(|deps| deps.parent());
    let path = folder.expect("a target folder").join("coldframe");
    assert!(
        path.exists(),
        "{} is missing: cargo build -p coldframe -p coldframe-tests --features coldframe/remote --bin coldframe",
        path.display()
    );
    path
}
