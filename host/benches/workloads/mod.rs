//! What the benchmarks run: the same programs for the table and for criterion.

#![allow(dead_code, reason = "no benchmark runs everything")]

use std::time::{Duration, Instant};

use coldframe::{Engine, Error, Limits, Parameter, Policy, Session, Tool, Tools, Value};

/// The least that a program can be.
pub const LEAST: &str = "1+1";

/// What an agent writes: some helpers, data put in order, a call of a tool, a result as text.
pub const AGENT: &str = r#"import json
import re

def clean(text):
    return re.sub(r"\s+", " ", text).strip().lower()

hits = search("sandbox engines", limit=5)
groups = {}
for hit in hits:
    name = clean(hit["title"])
    groups.setdefault(name[0], []).append((name, hit["score"]))

best = max(hits, key=lambda hit: hit["score"])
total = sum(score for group in groups.values() for _, score in group)
lines = [f"{letter}: {len(group)}" for letter, group in sorted(groups.items())]
report = {
    "best": best["title"],
    "mean": round(total / len(hits), 3),
    "lines": lines,
}
print(json.dumps(report))
"#;

/// A session that has done a little and waits.
pub const SMALL_SCRIPT: &str = "\
import json
def mean(numbers):
    return sum(numbers) / len(numbers)
data = {f'row {n}': [n, n * n, n / 3] for n in range(20)}
text = json.dumps({name: mean(row) for name, row in data.items()})
len(text)
";

/// A session of a hundred variables' worth, and one of 50 MB.
pub const STATE: &str = "x = {i: str(i) for i in range(100)}";
pub const LARGE_STATE: &str = "x = [bytes([i % 251]) * 4096 for i in range(12_800)]";

/// Programs that compute, and are compared with other engines.
pub const PROGRAMS: [(&str, &str); 6] = [
    ("integers", include_str!("../programs/integers.py")),
    ("floats", include_str!("../programs/floats.py")),
    ("sieve", include_str!("../programs/sieve.py")),
    ("fib", include_str!("../programs/fib.py")),
    ("methods", include_str!("../programs/methods.py")),
    ("dicts", include_str!("../programs/dicts.py")),
];

/// Calls of a tool in one run.
pub const CALLS: u32 = 10_000;

/// Compiles the variable `text`.
pub const COMPILE: &str = "compile(text, 'long.py', 'exec') and None";

/// A runtime as a service has it, on this thread.
pub fn runtime() -> Result<tokio::runtime::Runtime, Error> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build();
    runtime.map_err(|e| Error::Engine(e.to_string()))
}

/// The tools of the programs: `search` with an answer as long as agents get, and `nothing`, which returns at once.
pub fn tools() -> Result<Tools, Error> {
    let search = Tool::new("search")
        .parameter(Parameter::new("query"))
        .parameter(Parameter::new("limit").default(10))
        .function(|call| async move {
            let hit = |n: i64| {
                Value::dict([
                    (
                        "title",
                        Value::from(format!("  Result {n}  of\t a search ")),
                    ),
                    ("score", Value::Float(1.0 / (n + 1) as f64)),
                ])
            };
            Ok(Value::List((0..call.int("limit")?).map(hit).collect()))
        });
    let nothing = Tool::new("nothing")
        .parameter(Parameter::new("x"))
        .function(|mut call| async move { Ok(call.take("x")) });
    Tools::new([search, nothing]).map_err(|e| Error::Engine(e.to_string()))
}

/// Runs a program that has to end well.
pub async fn run(session: &mut Session, source: &str) -> Result<(), Error> {
    match session.run(source).await?.error {
        None => Ok(()),
        Some(error) => Err(Error::Engine(format!("{error}: {source}"))),
    }
}

/// A fresh session, one program, and its end.
pub async fn fresh(engine: &Engine, limits: &Limits, source: &str) -> Result<(), Error> {
    run(&mut engine.session(limits).await?, source).await
}

/// The same with tools.
pub async fn fresh_with_tools(
    engine: &Engine,
    policy: &Policy,
    tools: &Tools,
    source: &str,
) -> Result<(), Error> {
    let mut session = engine.session(policy).await?;
    session.set_tools(tools).await?;
    run(&mut session, source).await
}

/// The time of a run.
pub async fn timed(session: &mut Session, source: &str) -> Result<Duration, Error> {
    let started = Instant::now();
    run(session, source).await?;
    Ok(started.elapsed())
}

/// Limits for sessions that hold much, and for runs that take long.
pub fn wide() -> Result<Limits, Error> {
    let limits = Limits::builder()
        .memory(512 << 20)
        .time(Duration::from_secs(120));
    limits.build().map_err(|e| Error::Engine(e.to_string()))
}

/// Calls of a tool, one after the other.
pub fn tool_calls() -> String {
    format!("for i in range({CALLS}): nothing(i)")
}

/// The same loop around nothing.
pub fn empty_loop() -> String {
    format!("for i in range({CALLS}): i")
}

/// Python of every kind, about a quarter of a megabyte: the programs again and again under other names.
pub fn long_source() -> String {
    let mut text = String::new();
    for n in 0.. {
        for (name, program) in PROGRAMS {
            // Functions of a module of their own, as in a file; nobody runs them.
            text += &format!("def {name}_{n}():\n");
            for line in program.lines() {
                text += &format!("    {line}\n");
            }
        }
        if text.len() > 250_000 {
            return text;
        }
    }
    text
}
