//! Times `import` in a fresh session, module by module: `cargo bench -p coldframe --bench imports [-- MODULE ...]`.
//!
//! Prints microseconds: the median over fresh sessions of a run of `import MODULE`, less that of a run of `pass`, and the same of the quickest.
//! Each module is imported into sessions of its own, with all that it imports; those of `pass` come in between.

use std::time::{Duration, Instant};

use coldframe::{Engine, Limits};

const ROUNDS: usize = 200;

/// What programs import most, and what is dearest.
const MODULES: &[&str] = &[
    "abc",
    "argparse",
    "array",
    "ast",
    "asyncio",
    "base64",
    "bisect",
    "calendar",
    "cmath",
    "collections",
    "collections.abc",
    "configparser",
    "contextlib",
    "copy",
    "csv",
    "dataclasses",
    "datetime",
    "decimal",
    "difflib",
    "doctest",
    "email",
    "email.message",
    "enum",
    "fractions",
    "functools",
    "gzip",
    "hashlib",
    "heapq",
    "hmac",
    "html",
    "html.parser",
    "inspect",
    "io",
    "ipaddress",
    "itertools",
    "json",
    "locale",
    "logging",
    "math",
    "numbers",
    "operator",
    "os",
    "os.path",
    "pathlib",
    "pickle",
    "platform",
    "pprint",
    "queue",
    "random",
    "re",
    "sched",
    "secrets",
    "shutil",
    "statistics",
    "string",
    "struct",
    "sys",
    "tempfile",
    "textwrap",
    "threading",
    "time",
    "timeit",
    "tokenize",
    "traceback",
    "types",
    "typing",
    "unittest",
    "unittest.mock",
    "urllib.parse",
    "uuid",
    "warnings",
    "weakref",
    "xml.dom.minidom",
    "xml.etree.ElementTree",
    "zipfile",
    "zoneinfo",
];

fn main() -> Result<(), coldframe::Error> {
    let asked: Vec<String> = std::env::args()
        .skip(1)
        .filter(|argument| !argument.starts_with('-'))
        .collect();
    let modules: Vec<&str> = if asked.is_empty() {
        MODULES.to_vec()
    } else {
        asked.iter().map(String::as_str).collect()
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build();
    let runtime = runtime.map_err(|e| coldframe::Error::Engine(e.to_string()))?;
    runtime.block_on(async {
        let engine = Engine::new()?;
        println!("{:<24} {:>10}   {:>10}", "module", "median", "quickest");
        for module in modules {
            let (mut nothing, mut import) = (Vec::new(), Vec::new());
            for _ in 0..ROUNDS {
                nothing.push(time(&engine, "pass").await?);
                import.push(time(&engine, &format!("import {module}")).await?);
            }
            nothing.sort();
            import.sort();
            let less = |at: usize| import[at].saturating_sub(nothing[at]).as_secs_f64() * 1e6;
            println!(
                "{module:<24} {:>10.1}   {:>10.1}",
                less(ROUNDS / 2),
                less(0)
            );
        }
        Ok(())
    })
}

/// The time that a program takes in a fresh session; making the session is not counted.
async fn time(engine: &Engine, program: &str) -> Result<Duration, coldframe::Error> {
    let mut session = engine.session(&Limits::default()).await?;
    let started = Instant::now();
    let outcome = session.run(program).await?;
    let time = started.elapsed();
    match outcome.error {
        Some(error) => Err(coldframe::Error::Engine(format!("{program}: {error:?}"))),
        None => Ok(time),
    }
}
