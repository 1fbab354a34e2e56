//! Whole-system tests of the command: what it takes, what it prints, what it leaves with.

#![allow(missing_docs, reason = "tests")]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::{env, fs};

fn coldframe(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_coldframe"))
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .expect("it starts")
}

fn with_input(arguments: &[&str], input: &[u8]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_coldframe"));
    command
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    child
        .stdin
        .take()
        .expect("a pipe")
        .write_all(input)
        .expect("it reads");
    child.wait_with_output().expect("it ends")
}

/// A file with the given contents, in a folder of the test run.
fn file(name: &str, contents: &[u8]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cli");
    fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join(name);
    fs::write(&path, contents).expect("a file");
    path
}

fn text(bytes: &[u8]) -> &str {
    str::from_utf8(bytes).expect("text")
}

#[track_caller]
fn assert_refused(output: &Output, line: &str) {
    assert_eq!(text(&output.stderr), format!("coldframe: {line}\n"));
    assert_eq!((output.status.code(), text(&output.stdout)), (Some(2), ""));
}

#[test]
fn unreadable_programs_are_refused_in_one_line() {
    let missing = env::temp_dir().join("coldframe-no-such-file.py");
    let missing = missing.to_str().expect("text");
    assert_refused(
        &coldframe(&["run", missing]),
        &format!("cannot read '{missing}': No such file or directory (os error 2)"),
    );
    assert_refused(
        &coldframe(&["run", "/"]),
        "cannot read '/': it is a directory",
    );
    let binary = file("latin1.py", b"x = 1\ns = '\xe9'\n");
    assert_refused(
        &coldframe(&["run", binary.to_str().expect("text")]),
        &format!(
            "'{}' is not UTF-8: byte 0xe9 in line 2 (offset 11)",
            binary.display()
        ),
    );
    let nul = file("nul.py", b"x = 1\0\n");
    assert_refused(
        &coldframe(&["run", nul.to_str().expect("text")]),
        &format!(
            "'{}' contains a NUL byte in line 1 (offset 5)",
            nul.display()
        ),
    );
    assert_refused(
        &with_input(&["run", "-"], b"\xff"),
        "standard input is not UTF-8: byte 0xff in line 1 (offset 0)",
    );
}

#[test]
fn wrong_usage_is_refused_in_one_line() {
    assert_refused(
        &coldframe(&["run", "--no-such-flag", "x.py"]),
        "unexpected argument '--no-such-flag' found (try --help)",
    );
    assert_refused(
        &coldframe(&["walk"]),
        "unrecognized subcommand 'walk' (try --help)",
    );
    let absurd = [
        (["--fuel", "0"], "--fuel 0: too small, the least is 1"),
        (
            ["--timeout", "0"],
            "--timeout 0s: too small, the least is 1ms",
        ),
        (
            ["--memory", "0"],
            "--memory 0 bytes: too small, the least is 24 MiB",
        ),
        (
            ["--memory", "1000G"],
            "--memory 1000 GiB: too large, the most is 4 GiB",
        ),
        (
            ["--max-output", "0"],
            "--max-output 0 bytes: too small, the least is 1 byte",
        ),
        (
            ["--timeout", "9999h"],
            "--timeout 35996400s: too large, the most is 604800s",
        ),
    ];
    for (flags, line) in absurd {
        assert_refused(&coldframe(&["run", flags[0], flags[1], "-c", "pass"]), line);
    }
}

#[test]
fn help_is_there() {
    let help = coldframe(&["run", "--help"]);
    assert_eq!(help.status.code(), Some(0));
    for part in ["Examples:", "Exit status:", "--timeout <TIME>"] {
        assert!(text(&help.stdout).contains(part), "{part}");
    }
}
