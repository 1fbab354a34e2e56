//! Runs the hostile programs: each in a session of its own, while another session lives beside it. After each the engine serves as before.

use std::time::Duration;

use coldframe::{ErrorKind, Outcome, Session};
use coldframe_tests::{block_on, limits, session};

use super::cases::{self, Case, Expected};

/// What a file of programs came to.
#[derive(Default)]
struct Tally {
    programs: usize,
    wrong: Vec<String>,
    /// How many sessions the outer ring had to end.
    lost: Vec<&'static str>,
    /// The longest that a program went on after its deadline, and which one.
    overrun: (Duration, &'static str),
}

/// A machine that does other work at the same time may keep a program from ending in time; what is measured is printed.
const GENEROUS: Duration = Duration::from_secs(3);

fn attack(kind: &str, text: &'static str) {
    let mut tally = Tally::default();
    let only = std::env::var("CASE").unwrap_or_default();
    block_on(async {
        let mut bystander = session(&limits()).await;
        bystander.run("x = 40").await.expect("a run");
        for case in cases::read(text) {
            if case.name.contains(&only) {
                one(&case, &mut tally, &mut bystander).await;
            }
        }
    });
    println!(
        "{kind}: {} programs; longest overrun {:?} ({}); lost sessions: {}",
        tally.programs,
        tally.overrun.0,
        tally.overrun.1,
        if tally.lost.is_empty() {
            "none".to_owned()
        } else {
            tally.lost.join(", ")
        },
    );
    assert!(
        tally.wrong.is_empty(),
        "{} of {} programs\n{}",
        tally.wrong.len(),
        tally.programs,
        tally.wrong.join("\n")
    );
}

async fn one(case: &Case, tally: &mut Tally, bystander: &mut Session) {
    tally.programs += 1;
    let mut victim = session(&case.limits).await;
    let outcome = victim.run(&case.source).await;
    let mut say = |what: String| tally.wrong.push(format!("  {}: {what}", case.name));
    match &outcome {
        Ok(outcome) => {
            if let Some(what) = mismatch(&case.expected, outcome) {
                say(what);
            }
            let over = outcome.usage.duration.saturating_sub(case.limits.time());
            if over > GENEROUS {
                say(format!("went on for {over:?} after its deadline"));
            }
            if outcome.usage.peak_memory > case.limits.memory() {
                say(format!("took {} bytes", outcome.usage.peak_memory));
            }
            if outcome.usage.output_bytes > case.limits.output() {
                say(format!("wrote {} bytes", outcome.usage.output_bytes));
            }
            let lost = outcome.error.as_ref().is_some_and(|e| e.session_lost);
            if lost == victim.is_alive() {
                say("does not tell whether its session was lost".to_owned());
            }
            if !lost && let Err(error) = victim.run("1 + 1").await {
                say(format!("its session is unusable: {error}"));
            }
            if over > tally.overrun.0 {
                tally.overrun = (over, case.name);
            }
            if lost {
                tally.lost.push(case.name);
            }
        }
        // Only what a program is given or gives may be refused, never a run.
        Err(error) => say(format!("did not run: {error}")),
    }
    drop(victim);
    let fresh = session(&limits()).await.run("1 + 1").await;
    let beside = bystander.run("x + 2").await;
    for (who, answer, right) in [("a fresh one", fresh, "2"), ("a bystander", beside, "42")] {
        let answer = answer.expect("a run").value.map(|v| v.repr);
        if answer.as_deref() != Some(right) {
            tally
                .wrong
                .push(format!("  {}: afterwards {who} says {answer:?}", case.name));
        }
    }
}

/// What is wrong with an outcome.
fn mismatch(expected: &Expected, outcome: &Outcome) -> Option<String> {
    let error = outcome.error.as_ref();
    let found = match error {
        Some(e) => format!("{} {}: {:.300}", e.kind, e.type_name, e.message),
        None => match &outcome.value {
            Some(value) => format!("value {:.300}", value.repr),
            None => "value none".to_owned(),
        },
    };
    let right = match expected {
        Expected::Value(repr) => {
            error.is_none() && outcome.value.as_ref().map(|v| v.repr.as_str()) == *repr
        }
        Expected::Raises {
            type_name,
            message,
            whole,
        } => error.is_some_and(|e| {
            e.type_name == *type_name
                && if *whole {
                    e.message == *message
                } else {
                    e.message.starts_with(message)
                }
        }),
        Expected::Ends(kinds) => error.is_some_and(|e| kinds.contains(&e.kind.as_str())),
        Expected::Stops => true,
    };
    if right && error.is_none_or(|e| e.kind != ErrorKind::Fault) {
        return None;
    }
    Some(format!("{found}; expected: {expected:?}"))
}

/// A test for each file of programs.
macro_rules! files {
    ($($name:ident: $kind:literal;)*) => {
        $(#[test]
        fn $name() {
            attack($kind, include_str!(concat!("cases/", $kind, ".py")));
        })*
    };
}

files! {
    powerful_modules_are_not_there: "modules";
    the_object_graph_leads_nowhere: "objects";
    the_import_system_is_the_programs_own: "imports";
    payloads_find_nothing: "pickles";
    files_and_processes_are_the_sandboxs_own: "files";
    what_never_ends_is_stopped: "time";
    what_recurses_is_stopped: "recursion";
    what_only_looks_large_is_stopped: "sharing";
    what_wants_memory_is_stopped: "memory";
    floods_of_output_are_stopped: "output";
}
