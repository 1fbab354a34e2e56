//! A short run of each harness, with fixed seeds.

use coldframe_fuzz::value::Value;
use coldframe_fuzz::{Cases, compare, machine, random_values, source, values};

#[test]
fn source_texts() {
    let cases = Cases::of_sources(11);
    let texts: Vec<String> = (0..400).map(|index| cases.mutated(index)).collect();
    match source::check_all(texts) {
        Ok(compiled) => assert!(compiled > 15, "only {compiled} compile"),
        Err(problem) => panic!("{problem}"),
    }
}

#[test]
fn mutated_programs() {
    let cases = Cases::of_programs(12);
    for index in 0..40 {
        let program = cases.runnable(index);
        let outcome = machine::run(&program, 300);
        if let Some(panic) = outcome.panic {
            panic!("program {index}: {panic}\n{program}");
        }
    }
}

#[test]
fn values_that_cross() {
    if let Err(problem) = values::check(13, 0, 600) {
        panic!("{problem}");
    }
}

/// JSON alone takes no machine.
#[test]
fn ten_thousand_values_as_json() {
    for seed in 0..10_000 {
        let value = random_values::value(seed);
        let bytes = value.encode().expect("it encodes");
        let json = Value::from_json(&value.to_json());
        let text = Value::from_safe_text(&value.to_safe_text());
        for read in [json, text] {
            let read = read.unwrap_or_else(|e| panic!("value {seed}: {e}\n{value:?}"));
            assert_eq!(
                read.encode().expect("it encodes"),
                bytes,
                "value {seed}\n{value:?}"
            );
        }
    }
}

#[test]
fn stored_programs() {
    let text = std::fs::read_to_string(compare::stored_path()).unwrap_or_default();
    let (count, wrong) = compare::stored_differences(&text);
    assert!(count >= 40, "only {count} programs are stored");
    assert!(
        wrong.is_empty(),
        "{} differ\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// Iteration without end inside native code must meet the bound on steps, not eat the memory.
#[test]
fn endless_iteration_is_stopped() {
    let endless =
        "class E:\n    def __getitem__(self, i): return i\n    def keys(self): return self\n";
    for statement in [
        "a, *b = E()",
        "-1 in E()",
        "list(E())",
        "{}.update(E())",
        "{}.update((i, i) for i in E())",
        "{}.keys().isdisjoint(E())",
        "[*E()]",
        "match E():\n    case [*a]: pass\nsum(E())",
        "min(E())",
        "''.join(str(i) for i in E())",
        "import collections; collections.OrderedDict((i, i) for i in E())",
        "import collections; collections.deque(E(), 3)",
        "all(1 for i in E())",
        "max(map(abs, E()))",
    ] {
        let outcome = machine::run(&format!("{endless}{statement}\n"), 50);
        assert_eq!(outcome.panic, None, "{statement}");
        assert!(outcome.stopped, "{statement}: {:?}", outcome.error);
    }
}
