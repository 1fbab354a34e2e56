//! What the whole-system tests share: one engine for all, and short ways to run a program.

pub mod random_values;

use std::sync::OnceLock;
use std::time::Duration;

use coldframe::{Engine, ErrorKind, Limits, Outcome, Session};

/// The values that [`random_values`] makes.
mod value {
    pub use coldframe::Value;
    pub use coldframe::value::*;
}

/// The engine that all tests of a process share, as a service would.
pub fn engine() -> &'static Engine {
    static ENGINE: OnceLock<Engine> = OnceLock::new();
    ENGINE.get_or_init(|| Engine::new().expect("the engine starts"))
}

/// Drives a future to its end.
pub fn block_on<F: Future>(future: F) -> F::Output {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build();
    runtime.expect("a runtime").block_on(future)
}

/// Limits that no test program reaches by accident, and that end a test in reasonable time.
pub fn limits() -> Limits {
    Limits::builder()
        .time(Duration::from_secs(60))
        .build()
        .expect("valid limits")
}

/// A fresh session.
pub async fn session(limits: &Limits) -> Session {
    engine().session(limits).await.expect("a session")
}

/// Runs a program in a fresh session with the limits given.
pub fn run_within(limits: &Limits, source: &str) -> Outcome {
    block_on(async { session(limits).await.run(source).await.expect("a run") })
}

/// Runs a program in a fresh session.
pub fn run(source: &str) -> Outcome {
    run_within(&limits(), source)
}

/// The `repr` of a program's last expression.
///
/// # Panics
/// If the program fails or has no value.
pub fn value_of(source: &str) -> String {
    let outcome = run(source);
    assert_eq!(outcome.error, None, "{source}");
    outcome.value.expect("a value").repr
}

/// How a program ended, in a form that a table of tests can name: `None` if well.
pub fn end_of(outcome: &Outcome) -> Option<(ErrorKind, &str)> {
    outcome
        .error
        .as_ref()
        .map(|error| (error.kind, error.type_name.as_str()))
}
