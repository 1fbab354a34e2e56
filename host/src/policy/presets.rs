//! Policies that are ready to use.

use std::time::Duration;

use super::Policy;
use crate::limits::Limits;
use crate::output::Cut;

/// What smolagents' local executor allows unless it is told more.
const SMOLAGENTS_MODULES: [&str; 11] = [
    "collections",
    "datetime",
    "itertools",
    "math",
    "queue",
    "random",
    "re",
    "stat",
    "statistics",
    "time",
    "unicodedata",
];

/// Builtins through which a program reaches code, files and namespaces.
const DANGEROUS_BUILTINS: [&str; 10] = [
    "__import__",
    "breakpoint",
    "compile",
    "eval",
    "exec",
    "globals",
    "input",
    "locals",
    "open",
    "vars",
];

const STRICT_MODULES: [&str; 8] = [
    "collections",
    "datetime",
    "itertools",
    "json",
    "math",
    "random",
    "re",
    "string",
];

impl Policy {
    /// What smolagents' `LocalPythonExecutor` allows: its modules, 10,000,000 operations, 1,000,000 iterations of a `while` statement, 30 seconds, 50,000
    /// characters of output, no dangerous builtins, no dunder attributes; and failures in its words.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
    /// let engine = coldframe::Engine::new()?;
    /// let mut session = engine.session(coldframe::Policy::smolagents()).await?;
    /// let outcome = session.run("import random; random._os.system('echo Bad command')").await?;
    /// assert_eq!(
    ///     outcome.agent_text().unwrap(),
    ///     "Code execution failed at line 'random._os.system('echo Bad command')' due to: InterpreterError: Forbidden access to module: os",
    /// );
    /// # Ok::<(), coldframe::Error>(())
    /// # }).unwrap();
    /// ```
    pub fn smolagents() -> Policy {
        let limits = Limits {
            fuel: 10_000_000 * Limits::FUEL_PER_OPERATION,
            time: Duration::from_secs(30),
            ..Limits::default()
        };
        Policy::from(limits)
            .with_imports(SMOLAGENTS_MODULES)
            .with_removed_builtins(DANGEROUS_BUILTINS)
            .with_dunders_refused()
            .with_while_iterations(1_000_000)
            .with_cut(Cut::middle(50_000))
            .with_agent_texts()
    }

    /// A tight one: 5 seconds, 10,000 characters of output (the rest is cut), and the modules `collections`, `datetime`, `itertools`, `json`, `math`,
    /// `random`, `re` and `string`.
    pub fn strict() -> Policy {
        let limits = Limits {
            time: Duration::from_secs(5),
            ..Limits::default()
        };
        Policy::from(limits)
            .with_imports(STRICT_MODULES)
            .with_removed_builtins(DANGEROUS_BUILTINS)
            .with_cut(Cut::end(10_000))
    }

    /// The preset of that name: `default`, `smolagents` or `strict`.
    pub fn preset(name: &str) -> Option<Policy> {
        match name {
            "default" => Some(Policy::default()),
            "smolagents" => Some(Policy::smolagents()),
            "strict" => Some(Policy::strict()),
            _ => None,
        }
    }
}
