//! `coldframe run`: one program in one fresh sandbox, or where else the arguments say.

use std::io::{self, Write};

use coldframe::{Outcome, Policy, RunOptions, Stream};

use super::args::Run;
use super::backend::{self, Choice, Location};
use super::files::{self, Given, Pair};
use super::source::{self, Source};
use super::{Refusal, report, rules, status, stdout};

/// Runs the program; the exit status.
pub(super) fn run(mut run: Run) -> Result<u8, Refusal> {
    let policy = rules::policy(&run.rules, run.fuel)?;
    let choice = backend::choose(&run.backend, &policy)?;
    let source = source::read(&mut run)?;
    let given = files::read(&run, policy.limits().files())?;
    if matches!(choice, Choice::Remote(..)) && !(given.is_empty() && run.take.is_empty()) {
        return Err(Refusal::bad_input(
            "files go into the sandbox and come from it, and the program runs elsewhere (see --backend)",
        ));
    }
    let (outcome, notes) = execute(source, choice, &policy, run.json, given, &run.take)?;
    let written = if run.json {
        stdout::write((report::json(&outcome) + "\n").as_bytes())
    } else {
        // Whoever streams has an outcome without output.
        for (stream, bytes) in outcome.output.chunks() {
            forward(stream, bytes);
        }
        let _ = io::stderr().write_all(report::text(&outcome).as_bytes());
        stdout::end()
    };
    for line in &notes {
        let _ = writeln!(io::stderr(), "coldframe: {line}");
    }
    // Whatever the program came to, nobody was told of it.
    written?;
    // What the program came to says more than that its files are missing.
    Ok(match report::exit_status(outcome.error.as_ref()) {
        0 if !notes.is_empty() => status::BAD_INPUT,
        status => status,
    })
}

/// Runs the program with its files in place; the outcome, and a line for each file that could not be taken out, or was not where the program ran.
fn execute(
    source: Source,
    choice: Choice,
    policy: &Policy,
    json: bool,
    given: Given,
    wanted: &[Pair],
) -> Result<(Outcome, Vec<String>), Refusal> {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    builder.enable_time();
    let is_local = matches!(choice, Choice::Local);
    if !is_local {
        builder.enable_io();
    }
    let runtime = builder
        .build()
        .map_err(|e| Refusal::defect(format!("no runtime: {e}")))?;
    let mut options = RunOptions::default()
        .file_name(source.name)
        .want_value(json)
        .last(true)
        .keep_output(json || policy.cut().is_some());
    if !json && policy.cut().is_none() {
        options = options.on_output(forward);
    }
    let work = async {
        let mut location = Location::prepare(choice, policy).await?;
        let has_given = !given.is_empty();
        if let Some(session) = location.session() {
            given.put(session).await?;
        }
        let ran = location.run(&source.text, options).await;
        let mut notes = Vec::new();
        if let (Some(session), Ok(outcome)) = (location.session(), &ran) {
            if has_given && outcome.place != coldframe::backend::Place::Local {
                notes.push(format!(
                    "the program ran in {}, where the given files are not",
                    outcome.place
                ));
            }
            notes.extend(files::take(session, wanted).await);
        }
        let cleaned = location.cleanup().await;
        if is_local {
            // All that it would give back, memory most of all, the end of the process gives back sooner.
            std::mem::forget(location);
        }
        let outcome = ran?;
        cleaned?;
        Ok((outcome, notes))
    };
    runtime.block_on(async {
        if is_local {
            work.await
        } else {
            backend::unless_told_to_end(work).await
        }
    })
}

/// Passes output on at once; `false` when nobody reads it any more.
fn forward(stream: Stream, bytes: &[u8]) -> bool {
    match stream {
        Stream::Stdout => stdout::forward(bytes),
        Stream::Stderr => io::stderr().lock().write_all(bytes).is_ok(),
    }
}
