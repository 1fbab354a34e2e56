//! Golden disassembly: `tests/golden/NAME.py` compiles to what `NAME.dis` says.
//!
//! `BLESS=1 cargo test -p coldframe-compiler` writes the files anew; read the difference before you commit it.

use std::fs;
use std::path::{Path, PathBuf};

use coldframe_compiler::{Options, compile_module, dis, validate};
use coldframe_frontend::parse_module;

fn sources() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)
        .expect("the folder of golden files")
        .map(|entry| entry.expect("a file").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "py"))
        .collect();
    paths.sort();
    paths
}

fn disassembly(source: &str, options: &Options) -> String {
    let module = parse_module(source).expect("valid source");
    let proto = compile_module(&module.ast, &module.lines, options).expect("valid source");
    let problems = validate::validate(&proto);
    assert!(problems.is_empty(), "{problems:#?}");
    dis::disassemble(&proto, Some(&module.lines))
}

/// The first line in which two texts differ, with its surroundings.
fn difference(expected: &str, actual: &str) -> String {
    let expected: Vec<&str> = expected.lines().collect();
    let actual: Vec<&str> = actual.lines().collect();
    let at = expected
        .iter()
        .zip(&actual)
        .position(|(expected, actual)| expected != actual)
        .unwrap_or(expected.len().min(actual.len()));
    let show = |lines: &[&str]| {
        let from = at.saturating_sub(3).min(lines.len());
        let to = (at + 4).min(lines.len());
        lines[from..to].join("\n")
    };
    format!(
        "line {}:\n--- expected\n{}\n--- actual\n{}",
        at + 1,
        show(&expected),
        show(&actual)
    )
}

#[test]
fn golden_files() {
    let bless = std::env::var_os("BLESS").is_some();
    let mut failures = Vec::new();
    for path in sources() {
        let source = fs::read_to_string(&path).expect("a source");
        // A first line `# options: ...` sets options.
        let first = source.lines().next().unwrap_or_default();
        let options = Options {
            namespace: first.contains("namespace"),
            want_value: first.contains("want_value"),
            ..Options::default()
        };
        let actual = disassembly(&source, &options);
        let golden = path.with_extension("dis");
        if bless {
            fs::write(&golden, &actual).expect("a golden file");
            continue;
        }
        let expected = fs::read_to_string(&golden).unwrap_or_default();
        if expected != actual {
            let text = difference(&expected, &actual);
            failures.push(format!("{} {text}", path.display()));
        }
    }
    assert!(
        failures.is_empty(),
        "{}\n(BLESS=1 accepts the new output)",
        failures.join("\n\n")
    );
}
