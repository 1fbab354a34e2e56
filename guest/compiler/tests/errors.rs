//! Syntax errors that need more than grammar: text and place as CPython gives them.

use coldframe_compiler::{Options, compile_module};
use coldframe_frontend::parse_module;

/// Cases separated by lines `---`: a source, and a last line `! line:column-line:column message`, or `! valid`.
const CASES: &str = include_str!("errors.txt");

#[test]
fn errors_read_like_cpython() {
    let mut failures = Vec::new();
    for case in CASES.split("\n---\n") {
        let (source, expected) = case.trim_end().rsplit_once("! ").expect("a verdict");
        let outcome = parse_module(source)
            .and_then(|module| compile_module(&module.ast, &module.lines, &Options::default()));
        let actual = match outcome {
            Ok(_) => "valid".to_owned(),
            Err(error) => format!(
                "{}:{}-{}:{} {}",
                error.line, error.column, error.end_line, error.end_column, error.message
            ),
        };
        if actual != expected {
            failures.push(format!("{source}expected {expected}\nactual   {actual}"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

#[test]
fn nothing_panics_on_size() {
    // Nested `finally` blocks double the code at each level.
    let mut source = String::new();
    for level in 0..40 {
        let indent = " ".repeat(level);
        source.push_str(&format!("{indent}try:\n{indent} f()\n{indent}finally:\n"));
    }
    source.push_str(&format!("{}g()\n", " ".repeat(40)));
    let module = parse_module(&source).expect("valid source");
    let error =
        compile_module(&module.ast, &module.lines, &Options::default()).expect_err("too much code");
    assert!(error.message.contains("too complex"), "{}", error.message);

    // Long displays are built in steps, long calls collect their arguments.
    let items: Vec<String> = (0..5000).map(|number| format!("x{number}")).collect();
    let items = items.join(", ");
    let source = format!("a = [{items}]\nb = ({items})\nc = {{{items}}}\nf({items})\n");
    let module = parse_module(&source).expect("valid source");
    let proto =
        compile_module(&module.ast, &module.lines, &Options::default()).expect("not too much");
    assert!(proto.nregs < 200, "{} registers", proto.nregs);
}
