//! Whole-system tests of the command: what it takes, what it prints, what it leaves with.

#![allow(missing_docs, reason = "tests")]

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::{env, fs};

/// The command, without a cache in the home of whoever runs the tests.
fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_coldframe"));
    command.env("COLDFRAME_CACHE", "off");
    command
}

fn coldframe(arguments: &[&str]) -> Output {
    command()
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .expect("it starts")
}

fn with_input(arguments: &[&str], input: &[u8]) -> Output {
    let mut command = command();
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
            "--memory 0 bytes: too small, the least is 28 MiB",
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
        (
            ["--recursion", "1"],
            "--recursion 1 frames: too small, the least is 50 frames",
        ),
        (
            ["--fuel", "999999999999999G"],
            "invalid value '999999999999999G' for '--fuel <UNITS>': too large (try --help)",
        ),
        (
            ["--clock", "9999-12-31T23:59:59Z"],
            "invalid value '9999-12-31T23:59:59Z' for '--clock <TIME>': after 2554-07-21T23:34:33Z, where the clocks of a sandbox end (try --help)",
        ),
        (
            ["--clock", "1969-12-31T23:59:59Z"],
            "invalid value '1969-12-31T23:59:59Z' for '--clock <TIME>': before 1970, where the clocks of a sandbox begin (try --help)",
        ),
        (
            ["--allow", "a b"],
            "\"a b\" is not a module name such as json, os.path or numpy.*",
        ),
        (
            ["--allow", "math,"],
            "\"\" is not a module name such as json, os.path or numpy.*",
        ),
    ];
    for (flags, line) in absurd {
        assert_refused(&coldframe(&["run", flags[0], flags[1], "-c", "pass"]), line);
    }
}

#[test]
fn the_least_of_each_limit_is_enough_for_a_program() {
    let least = coldframe::Limits::MIN_MEMORY.to_string();
    for (flag, least) in [
        ("--memory", least.as_str()),
        ("--recursion", "50"),
        ("--max-files", "0"),
        ("--clock", "1970-01-01T00:00:00Z"),
        ("--clock", "2554-07-21T23:34:33Z"),
    ] {
        let source = "print(sum(len(str(n)) for n in range(1000)))";
        let output = coldframe(&["run", flag, least, "-c", source]);
        assert_eq!(
            (output.status.code(), text(&output.stdout)),
            (Some(0), "2890\n"),
            "{flag}: {}",
            text(&output.stderr)
        );
    }
}

#[test]
fn an_empty_list_of_modules_allows_none() {
    for (flags, allowed) in [
        (vec!["--allow", ""], false),
        (vec!["--preset", "strict", "--allow", ""], true),
        (vec!["--deny", ""], true),
    ] {
        let output = coldframe(&[&["run"], &flags[..], &["-c", "import math"]].concat());
        let status = if allowed { 0 } else { 1 };
        assert_eq!(output.status.code(), Some(status), "{flags:?}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn output_that_cannot_be_written_is_told() {
    let full = || {
        let full = fs::File::options().write(true).open("/dev/full");
        Stdio::from(full.expect("a full device"))
    };
    for arguments in [
        &["run", "--json", "-c", "1"][..],
        &["run", "--json", "-c", "1/0"],
        &["run", "-c", "print(1)"],
        &["run", "-c", "while True: print('x' * 1000)"],
        &["run", "--preset", "smolagents", "-c", "print(1)"],
        &["bench", "-c", "1", "--runs", "1", "--limits", "1G"],
        &[
            "bench", "--json", "-c", "1", "--runs", "1", "--limits", "1G",
        ],
        &["licences"],
        &["--help"],
        &["run", "--help"],
    ] {
        let output = command()
            .args(arguments)
            .stdout(full())
            .stderr(Stdio::piped())
            .output()
            .expect("it starts");
        let told = text(&output.stderr).lines().last().unwrap_or_default();
        assert_eq!(
            (output.status.code(), told),
            (
                Some(2),
                "coldframe: cannot write to standard output: No space left on device (os error 28)"
            ),
            "{arguments:?}"
        );
    }
    // What writes nothing loses nothing.
    let output = command()
        .args(["run", "-c", "pass"])
        .stdout(full())
        .output()
        .expect("it starts");
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""));
}

#[test]
fn help_is_there() {
    let help = coldframe(&["run", "--help"]);
    assert_eq!(help.status.code(), Some(0));
    for part in ["Examples:", "Exit status:", "--timeout <TIME>"] {
        assert!(text(&help.stdout).contains(part), "{part}");
    }
}

#[test]
fn a_program_runs_from_file_argument_and_input() {
    let path = file(
        "hello.py",
        b"import sys\nprint('out', len('n\xc3\xa4'))\nprint('err', file=sys.stderr)\n",
    );
    let output = coldframe(&["run", path.to_str().expect("text")]);
    assert_eq!(
        (
            output.status.code(),
            text(&output.stdout),
            text(&output.stderr)
        ),
        (Some(0), "out 2\n", "err\n")
    );
    let output = coldframe(&["run", "-c", "print(1)\n2"]);
    assert_eq!(
        (output.status.code(), text(&output.stdout)),
        (Some(0), "1\n")
    );
    let output = with_input(&["run", "-"], b"\xef\xbb\xbfprint(3)\r\nprint(4)\r\n");
    assert_eq!(
        (output.status.code(), text(&output.stdout)),
        (Some(0), "3\n4\n")
    );
}

#[test]
fn an_exception_prints_its_traceback_and_leaves_with_1() {
    let path = file(
        "fails.py",
        b"def f():\n    return 1 / 0\n\nprint('before')\nf()\n",
    );
    let path = path.to_str().expect("text");
    let output = coldframe(&["run", path]);
    assert_eq!(
        (output.status.code(), text(&output.stdout)),
        (Some(1), "before\n")
    );
    let expected = format!(
        "Traceback (most recent call last):\n  File \"{path}\", line 5, in <module>\n    f()\n    ~^^\n  \
         File \"{path}\", line 2, in f\n    return 1 / 0\n           ~~^~~\nZeroDivisionError: division by zero\n"
    );
    assert_eq!(text(&output.stderr), expected);
    let output = coldframe(&["run", "-c", "x ="]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        text(&output.stderr).ends_with("SyntaxError: invalid syntax\n"),
        "{}",
        text(&output.stderr)
    );
}

#[test]
fn limits_leave_with_3() {
    for (flags, source) in [
        (["--fuel", "100M"], "while True: pass"),
        (["--timeout", "200ms"], "while True: pass"),
        (
            ["--memory", "64M"],
            "a = []\nwhile True: a.append('x' * 1000)",
        ),
        (["--max-output", "1K"], "while True: print('x')"),
        (["--timeout", "20s"], "def f(): f()\nf()"),
    ] {
        let output = coldframe(&["run", flags[0], flags[1], "-c", source]);
        assert_eq!(
            output.status.code(),
            Some(3),
            "{flags:?}: {}",
            text(&output.stderr)
        );
        let told = text(&output.stderr).lines().last().unwrap_or_default();
        assert!(
            told.starts_with("coldframe: the ") && told.contains(" limit was reached: "),
            "{told}"
        );
    }
}

#[test]
fn exit_gives_its_own_status() {
    for (source, status, stderr) in [
        ("import sys\nsys.exit(42)", 42, ""),
        ("import sys\nsys.exit()", 0, ""),
        ("import sys\nsys.exit('sorry')", 1, "sorry\n"),
        ("raise SystemExit(256 + 5)", 5, ""),
    ] {
        let output = coldframe(&["run", "-c", source]);
        assert_eq!(
            (output.status.code(), text(&output.stderr)),
            (Some(status), stderr),
            "{source}"
        );
    }
}

#[test]
fn json_tells_it_all() {
    let output = coldframe(&[
        "run",
        "--json",
        "-c",
        "import sys\nprint('hi')\nprint('no', file=sys.stderr)\n6 * 7",
    ]);
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""));
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(document["stdout"], "hi\n");
    assert_eq!(document["stderr"], "no\n");
    assert_eq!(document["value"], "42");
    assert_eq!(document["value_json"], 42);
    assert!(document["error"].is_null());
    assert_eq!(document["usage"]["output_bytes"], 6);
    for usage in ["fuel", "operations", "duration_ms", "peak_memory"] {
        assert!(
            document["usage"][usage].as_f64().is_some_and(|n| n > 0.0),
            "{usage}"
        );
    }

    let output = coldframe(&["run", "--json", "-c", "print('hi')\n[][1]"]);
    assert_eq!(output.status.code(), Some(1));
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let error = &document["error"];
    assert_eq!(
        (&error["kind"], &error["type"]),
        (&"exception".into(), &"IndexError".into())
    );
    assert_eq!(
        (&error["message"], &error["line"]),
        (&"list index out of range".into(), &2.into())
    );
    assert!(
        error["traceback"]
            .as_str()
            .is_some_and(|t| t.ends_with("IndexError: list index out of range\n"))
    );
    assert!(document["value"].is_null() && document["value_json"].is_null());

    let output = coldframe(&["run", "--json", "-c", "(1, {'b': b'hi', 'a': print})"]);
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(
        document["value"],
        "(1, {'b': b'hi', 'a': <built-in function print>})"
    );
    assert!(document["value_json"].is_null());
    let output = coldframe(&["run", "--json", "-c", "(1, {'b': b'hi'})"]);
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let bytes = serde_json::json!({"b": {"__type__": "bytes", "data": "aGk="}});
    assert_eq!(
        document["value_json"],
        serde_json::json!({"__type__": "tuple", "data": [1, bytes]})
    );

    let output = coldframe(&["run", "--json", "--fuel", "50M", "-c", "while True: pass"]);
    assert_eq!(output.status.code(), Some(3));
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(document["error"]["kind"], "fuel");
    assert_eq!(document["error"]["limit"]["name"], "fuel");
    assert_eq!(document["error"]["limit"]["allowed"], 50_000_000);
}

#[test]
fn output_appears_while_the_program_runs() {
    let mut child = command()
        .args(["run", "-c", "print('first')\nwhile True: pass"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    let mut line = String::new();
    BufReader::new(child.stdout.take().expect("a pipe"))
        .read_line(&mut line)
        .expect("a line");
    assert_eq!(line, "first\n");
    assert!(
        child.try_wait().expect("a child").is_none(),
        "it still runs"
    );
    child.kill().expect("it ends");
    child.wait().expect("it ends");
}

#[test]
fn a_reader_that_goes_away_ends_the_program() {
    let mut child = command()
        .args(["run", "-c", "while True: print('x' * 1000)"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(1), ""));
}

#[test]
fn files_go_in_and_come_out() {
    let data = file("data.csv", b"1,2\n3,4\n");
    let folder = data.parent().expect("a folder").join("given");
    fs::create_dir_all(folder.join("sub")).expect("a folder");
    fs::write(folder.join("sub/factor.txt"), "10").expect("a file");
    let result = data.with_file_name("result.txt");
    // Left over from an earlier run, or not there.
    let _ = fs::remove_file(&result);
    let program = "factor = int(open('sub/factor.txt').read())\n\
        rows = [line.split(',') for line in open('in/data.csv')]\n\
        open('out.txt', 'w').write(str(factor * sum(int(n) for row in rows for n in row)))";
    let output = coldframe(&[
        "run",
        "--files",
        folder.to_str().expect("text"),
        "--put",
        &format!("{}:in/data.csv", data.display()),
        "--take",
        &format!("out.txt:{}", result.display()),
        "-c",
        program,
    ]);
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""));
    assert_eq!(fs::read_to_string(&result).expect("a file"), "100");
}

#[test]
fn files_that_cannot_be_had_are_named() {
    assert_refused(
        &coldframe(&["run", "--put", "/no/such/file", "-c", "pass"]),
        "cannot read '/no/such/file': No such file or directory (os error 2)",
    );
    assert_refused(
        &coldframe(&["run", "--files", "/no/such/folder", "-c", "pass"]),
        "cannot read the folder '/no/such/folder': No such file or directory (os error 2)",
    );
    assert_refused(
        &coldframe(&["run", "--take", "no.txt", "-c", "pass"]),
        "cannot take 'no.txt': No such file or directory",
    );
    let large = file("large.bin", &[0; 2000]);
    let large = large.to_str().expect("text");
    assert_refused(
        &coldframe(&["run", "--max-files", "1K", "--put", large, "-c", "pass"]),
        &format!(
            "cannot read '{large}': its 2000 bytes are more than the 1024 that files may take (see --max-files)"
        ),
    );
    let output = coldframe(&["run", "--take", "no.txt", "-c", "1 / 0"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        text(&output.stderr)
            .ends_with("coldframe: cannot take 'no.txt': No such file or directory\n")
    );
}

#[test]
fn licences_of_all_that_is_embedded_are_told() {
    let output = coldframe(&["licences"]);
    assert_eq!(output.status.code(), Some(0));
    let told = text(&output.stdout);
    for part in [
        "PYTHON SOFTWARE FOUNDATION LICENSE VERSION 2",
        "\nwasmtime 48.0.8: Apache-2.0 WITH LLVM-exception [",
        "\nnum-bigint 0.4",
        "\nrustpython-ruff_python_parser 0.15.8: MIT [",
        "\ncoldframe-guest 0.1.0: MIT OR Apache-2.0 [",
        "Permission is hereby granted, free of charge",
        "Apache License",
    ] {
        assert!(told.contains(part), "{part}");
    }
}

#[test]
fn a_policy_narrows_what_a_program_may_do() {
    let output = coldframe(&["run", "--allow", "math,json", "-c", "import os"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        text(&output.stderr).ends_with(
            "\nImportError: Import of os is not allowed. Authorized imports are: ['json', 'math']\n"
        ),
        "{}",
        text(&output.stderr)
    );
    let output = coldframe(&[
        "run",
        "--deny",
        "os",
        "--deny",
        "random",
        "--json",
        "-c",
        "import random",
    ]);
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(document["error"]["kind"], "refused");
    let output = coldframe(&[
        "run",
        "--preset",
        "smolagents",
        "--allow",
        "json",
        "-c",
        "import json\nprint('x')\nimport os",
    ]);
    assert_eq!(
        (
            output.status.code(),
            text(&output.stdout),
            text(&output.stderr)
        ),
        (
            Some(1),
            "x\n",
            "Code execution failed at line 'import os' due to: InterpreterError: Import of os is not allowed. Authorized imports are: \
             ['collections', 'datetime', 'itertools', 'json', 'math', 'queue', 'random', 're', 'stat', 'statistics', 'time', 'unicodedata']\n"
        )
    );
    let output = coldframe(&["run", "--preset", "strict", "-c", "print('a' * 20_000)"]);
    let cut = format!(
        "{}\n[output cut after 10000 characters]\n",
        "a".repeat(10_000)
    );
    assert_eq!(
        (output.status.code(), text(&output.stdout)),
        (Some(0), &*cut)
    );
    assert_refused(
        &coldframe(&["run", "--allow", "a..b", "-c", "1"]),
        "\"a..b\" is not a module name such as json, os.path or numpy.*",
    );
    assert_refused(
        &coldframe(&["run", "--time-zone", "Mars", "-c", "1"]),
        "\"Mars\" is neither the name of a time zone nor a POSIX TZ text",
    );
}

#[test]
fn runs_can_be_repeated() {
    let run = || {
        coldframe(&[
            "run",
            "--clock",
            "2026-07-02T03:04:05Z",
            "--seed",
            "7",
            "--time-zone",
            "Europe/Berlin",
            "-c",
            "import random, time\nprint(time.ctime(), time.tzname, random.random())",
        ])
    };
    let (one, two) = (run(), run());
    assert!(
        text(&one.stdout).starts_with("Thu Jul  2 05:04:05 2026 ('CET', 'CEST') 0."),
        "{one:?}"
    );
    assert_eq!(one.stdout, two.stdout);
}

/// What keeps the compiled interpreter for the next process.
#[cfg(target_os = "linux")]
mod code_cache {
    use std::os::unix::fs::{FileExt, MetadataExt, PermissionsExt};

    use super::*;

    /// A folder that is not there yet.
    fn fresh(name: &str) -> PathBuf {
        let home = Path::new(env!("CARGO_TARGET_TMPDIR"))
            .join("cli")
            .join(name);
        let _ = fs::remove_dir_all(&home);
        fs::create_dir_all(&home).expect("a folder");
        home
    }

    #[track_caller]
    fn assert_runs(command: &mut Command) {
        let output = command
            .args(["run", "-c", "import json; print(json.dumps([1 + 1]))"])
            .stdin(Stdio::null())
            .output()
            .expect("it starts");
        assert_eq!((text(&output.stdout), text(&output.stderr)), ("[2]\n", ""));
        assert_eq!(output.status.code(), Some(0));
    }

    /// The one file in the folder.
    fn only_file(folder: &Path) -> PathBuf {
        let entries: Vec<_> = fs::read_dir(folder).expect("a folder").collect();
        let [Ok(entry)] = &entries[..] else {
            panic!("{entries:?}")
        };
        entry.path()
    }

    #[test]
    fn the_next_process_uses_the_file_unless_it_is_damaged() {
        let home = fresh("cache");
        let folder = home.join("cache");
        let run = || assert_runs(command().env("COLDFRAME_CACHE", &folder));
        run();
        let path = only_file(&folder);
        let metadata = || path.metadata().expect("it is there");
        assert_eq!(metadata().permissions().mode() & 0o777, 0o600);
        let (first, whole) = (metadata().ino(), fs::read(&path).expect("ours"));
        run();
        assert_eq!(metadata().ino(), first, "it was written again");

        // Machine code starts at the second page.
        let file = fs::File::options().write(true).open(&path).expect("ours");
        file.write_all_at(&[0xcc; 64 << 10], 4096).expect("ours");
        run();
        assert!(fs::read(&path).expect("ours") == whole);
        assert_eq!(only_file(&folder), path);
        fs::remove_dir_all(home).expect("ours");
    }

    #[test]
    fn the_home_has_it_unless_it_is_off() {
        let home = fresh("home");
        let with_home = || {
            let mut command = command();
            command.env("HOME", &home).env_remove("XDG_CACHE_HOME");
            command
        };
        assert_runs(&mut with_home());
        assert_runs(with_home().env("COLDFRAME_CACHE", ""));
        assert!(!home.join(".cache").exists());
        assert_runs(with_home().env_remove("COLDFRAME_CACHE"));
        only_file(&home.join(".cache").join("coldframe"));
        fs::remove_dir_all(home).expect("ours");
    }

    #[test]
    fn what_cannot_be_used_as_a_cache_does_not_matter() {
        let home = fresh("unusable");
        fs::write(home.join("file"), "").expect("ours");
        assert_runs(command().env("COLDFRAME_CACHE", home.join("file")));
        assert_runs(command().env("COLDFRAME_CACHE", home.join("file").join("below")));
        assert_runs(command().env("COLDFRAME_CACHE", "/proc/coldframe"));
        fs::set_permissions(&home, fs::Permissions::from_mode(0o777)).expect("ours");
        assert_runs(command().env("COLDFRAME_CACHE", &home));
        assert_eq!(only_file(&home), home.join("file"));
        fs::remove_dir_all(home).expect("ours");
    }
}
