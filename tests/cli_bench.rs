//! Whole-system tests of `coldframe bench`.

#![allow(missing_docs, reason = "tests")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

fn bench(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_coldframe"))
        .arg("bench")
        .args(arguments)
        .env("COLDFRAME_CACHE", "off")
        .stdin(Stdio::null())
        .output()
        .expect("it starts")
}

/// A fresh folder with these files.
fn folder(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("cli_bench")
        .join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    for (file, contents) in files {
        fs::write(folder.join(file), contents).expect("a file");
    }
    folder
}

fn text(bytes: &[u8]) -> &str {
    str::from_utf8(bytes).expect("text")
}

fn document(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).expect("JSON")
}

#[test]
fn a_folder_of_programs_is_measured_at_each_limit() {
    let programs = folder(
        "all",
        &[
            ("b_cheap.py", "sum(range(1000))\n"),
            ("a_dear.py", "for i in range(200_000): pass\n"),
            ("c_raises.py", "x = 1\n{}['<b>']\n"),
            ("notes.txt", "not a program"),
        ],
    );
    let page = programs.join("report.html");
    let (programs, page) = (
        programs.to_str().expect("text"),
        page.to_str().expect("text"),
    );
    let output = bench(&[
        programs, "--limits", "1M,5G", "--runs", "3", "--json", "--html", page,
    ]);
    // One of them raised.
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(1), ""));
    let document = document(&output);
    let snippets = document["snippets"].as_array().expect("a list");
    let names: Vec<&str> = snippets.iter().filter_map(|s| s["name"].as_str()).collect();
    let path = |name: &str| format!("{programs}/{name}");
    assert_eq!(
        names,
        [path("a_dear.py"), path("b_cheap.py"), path("c_raises.py")]
    );
    let [dear, cheap, raises] = &snippets[..] else {
        panic!("{document}")
    };

    assert!(dear["rows"][0]["figures"].is_null());
    assert_eq!(dear["rows"][0]["others"][0]["kind"], "fuel");
    assert_eq!(dear["rows"][0]["others"][0]["runs"], 3);
    for (snippet, row) in [(dear, 1), (cheap, 0), (cheap, 1)] {
        let figures = &snippet["rows"][row]["figures"];
        assert_eq!(figures["runs"], 3, "{snippet}");
        assert_eq!(figures["fuel"]["least"], figures["fuel"]["most"]);
        for figure in [
            &figures["operations"],
            &figures["seconds"]["median"],
            &figures["seconds"]["p95"],
            &figures["memory"]["median"],
            &figures["memory"]["p95"],
            &figures["fuel_per_second"],
        ] {
            assert!(figure.as_f64().is_some_and(|n| n > 0.0), "{figures}");
        }
        assert_eq!(snippet["fuel_is_identical"], true);
    }
    assert!(raises["fuel"].is_null());
    assert_eq!(raises["rows"][1]["others"][0]["kind"], "exception");
    assert_eq!(raises["rows"][1]["others"][0]["message"], "KeyError: '<b>'");
    assert_eq!(raises["rows"][1]["others"][0]["line"], 2);

    let machine = &document["machine"];
    assert_eq!(machine["fuel_is_identical"], true);
    for rate in [
        "fuel_per_second",
        "fuel_per_operation",
        "nanoseconds_per_operation",
    ] {
        assert!(machine[rate].as_f64().is_some_and(|n| n > 0.0), "{rate}");
    }
    let suggestion = &document["suggestion"];
    let limit = suggestion["limit"].as_f64().expect("a number");
    let rate = suggestion["fuel_per_second"].as_f64().expect("a number");
    assert!(limit <= rate * 0.75 && limit > rate * 0.6, "{suggestion}");
    assert_eq!(suggestion["dearest"]["name"], path("a_dear.py"));

    let page = fs::read_to_string(page).expect("a page");
    assert!(page.starts_with("<!doctype html>") && page.contains("<svg"));
    // It loads nothing, and a program's name or message is no markup.
    for unwanted in ["http", "<script", "src=", "<b>"] {
        assert!(!page.contains(unwanted), "{unwanted}");
    }
    assert!(page.contains("KeyError: '&lt;b&gt;' (line 2)"));
}

#[test]
fn tables_say_the_same_in_words() {
    let output = bench(&[
        "-c",
        "sum(range(1000))",
        "-c",
        "while True: pass",
        "--limits",
        "2M",
        "--runs",
        "2",
        "--budget",
        "500ms",
        "--margin",
        "10",
    ]);
    // One reached its limit.
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(3), ""));
    let table = text(&output.stdout);
    for part in [
        "this machine: ",
        "\nprogram ",
        "\n<string 1>     2M     2",
        "\n<string 2>     2M     2  fuel limit, after 2",
        "suggested limit for 500 ms with a margin of 10%: ",
        "\nthe dearest is <string 1>: ",
        "\nfuel was identical in all runs that ended well\n",
    ] {
        assert!(table.contains(part), "{part}\n{table}");
    }
}

#[test]
fn fuel_that_differs_between_runs_is_told() {
    let code = "import os\nfor i in range(os.urandom(2)[0] * 50): pass";
    let common = ["-c", code, "--limits", "5G", "--runs", "8"];
    let output = bench(&common);
    assert_eq!(output.status.code(), Some(0));
    assert!(text(&output.stdout).contains("fuel differs between runs of <string>: "));
    let output = bench(&[&common[..], &["--seed", "7"]].concat());
    assert!(text(&output.stdout).contains("fuel was identical"));
}

#[test]
fn bad_input_is_refused_in_one_line() {
    let empty = folder("empty", &[("notes.txt", "")]);
    let empty = empty.to_str().expect("text");
    let missing = format!("{empty}/missing.py");
    let binary = folder("binary", &[("nul.py", "x = '\0'")]);
    let binary = binary.to_str().expect("text");
    let refusals: &[(&[&str], String)] = &[
        (
            &[&missing],
            format!("cannot read '{missing}': No such file or directory (os error 2)"),
        ),
        (&[empty], format!("the folder '{empty}' has no .py files")),
        (
            &[binary],
            format!("'{binary}/nul.py' contains a NUL byte in line 1 (offset 5)"),
        ),
        (
            &["-c", "1", "--limits", "1M,0"],
            "--limits 0: too small, the least is 1".to_owned(),
        ),
        (
            &["-c", "1", "--limits", "many"],
            "invalid value 'many' for '--limits <UNITS>': not a number such as 5000000 or 10G (try --help)".to_owned(),
        ),
        (
            &["-c", "1", "--runs", "0"],
            "the number of runs must be 1 to 100000".to_owned(),
        ),
        (
            &["-c", "1", "--margin", "100"],
            "--margin 100: must be 0 to 99".to_owned(),
        ),
        (
            &["-c", "1", "--budget", "0"],
            "the time budget must not be zero".to_owned(),
        ),
        (
            &["-c", "1", "--memory", "0"],
            "--memory 0 bytes: too small, the least is 28 MiB".to_owned(),
        ),
        (
            &["-c", "1", "--html", "/no/such/folder/x.html"],
            "cannot write '/no/such/folder/x.html': No such file or directory (os error 2)".to_owned(),
        ),
    ];
    for (arguments, line) in refusals {
        let output = bench(arguments);
        assert_eq!(text(&output.stderr), format!("coldframe: {line}\n"));
        assert_eq!((output.status.code(), text(&output.stdout)), (Some(2), ""));
    }
    let output = bench(&[]);
    assert_eq!(output.status.code(), Some(2));
}
