//! `coldframe run`: one program in one fresh sandbox.

use std::io::{self, Write};

use coldframe::{Engine, Error, Outcome, Policy, RunOptions, Stream};

use super::args::Run;
use super::files::{self, Given, Pair};
use super::source::{self, Source};
use super::{Refusal, report, rules, status};

/// Runs the program; the exit status.
pub(super) fn run(mut run: Run) -> Result<u8, Refusal> {
    let policy = rules::policy(&run.rules, run.fuel)?;
    let source = source::read(&mut run)?;
    let given = files::read(&run, policy.limits().files())?;
    let (outcome, not_taken) = execute(source, &policy, run.json, given, &run.take)?;
    if run.json {
        // Whoever closed stdout does not want to know.
        let _ = writeln!(io::stdout(), "{}", report::json(&outcome));
    } else {
        // Whoever streams has an outcome without output.
        for (stream, bytes) in outcome.output.chunks() {
            forward(stream, bytes);
        }
        let _ = io::stderr().write_all(report::text(&outcome).as_bytes());
    }
    for line in &not_taken {
        let _ = writeln!(io::stderr(), "coldframe: {line}");
    }
    // What the program came to says more than that its files are missing.
    Ok(match report::exit_status(outcome.error.as_ref()) {
        0 if !not_taken.is_empty() => status::BAD_INPUT,
        status => status,
    })
}

/// Runs the program with its files in place; the outcome, and a line for each file that could not be taken out.
fn execute(
    source: Source,
    policy: &Policy,
    json: bool,
    given: Given,
    wanted: &[Pair],
) -> Result<(Outcome, Vec<String>), Refusal> {
    let defect = |e: Error| Refusal::defect(e.to_string());
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .map_err(|e| Refusal::defect(format!("no runtime: {e}")))?;
    runtime.block_on(async {
        let engine = Engine::builder().max_sessions(1).build().map_err(defect)?;
        let mut session = engine.session(policy).await.map_err(|e| match e {
            Error::Policy { reason } => Refusal::bad_input(reason),
            other => defect(other),
        })?;
        given.put(&mut session).await?;
        let mut options = RunOptions::default()
            .file_name(source.name)
            .want_value(json)
            .last(true)
            .keep_output(json || policy.cut().is_some());
        if !json && policy.cut().is_none() {
            options = options.on_output(forward);
        }
        let outcome = session
            .run_with(&source.text, options)
            .await
            .map_err(defect)?;
        let not_taken = files::take(&mut session, wanted).await;
        Ok((outcome, not_taken))
    })
}

/// Passes output on at once; `false` when nobody reads it any more.
fn forward(stream: Stream, bytes: &[u8]) -> bool {
    let written = match stream {
        Stream::Stdout => {
            let mut stdout = io::stdout().lock();
            stdout.write_all(bytes).and_then(|()| stdout.flush())
        }
        Stream::Stderr => io::stderr().lock().write_all(bytes),
    };
    written.is_ok()
}
