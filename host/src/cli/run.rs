//! `coldframe run`: one program in one fresh sandbox.

use std::io::{self, Write};

use coldframe::{
    Engine, Error, LimitError, LimitName, Limits, Outcome, Policy, RunOptions, Stream,
};

use super::args::Run;
use super::files::{self, Given, Pair};
use super::source::{self, Source};
use super::{Refusal, report, status};

/// Runs the program; the exit status.
pub(super) fn run(mut run: Run) -> Result<u8, Refusal> {
    let policy = policy(&run)?;
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

/// The preset's policy with what the other arguments say.
fn policy(run: &Run) -> Result<Policy, Refusal> {
    let mut policy = run
        .preset
        .as_deref()
        .and_then(Policy::preset)
        .unwrap_or_default();
    let limits = limits(run, policy.limits())?;
    policy = policy.with_limits(limits);
    if !run.allow.is_empty() {
        policy = if run.preset.as_deref().unwrap_or("default") == "default" {
            policy.with_imports(&run.allow)
        } else {
            policy.with_more_imports(&run.allow)
        };
    }
    if !run.deny.is_empty() {
        policy = policy.with_denied_imports(&run.deny);
    }
    if let Some(clock) = run.clock {
        policy = policy.with_clock(clock);
    }
    if let Some(seed) = run.seed {
        policy = policy.with_seed(seed);
    }
    if let Some(zone) = &run.time_zone {
        policy = policy.with_time_zone(zone);
    }
    Ok(policy)
}

fn limits(run: &Run, preset: &Limits) -> Result<Limits, Refusal> {
    let mut builder = preset.to_builder();
    if let Some(fuel) = run.fuel {
        builder = builder.fuel(fuel);
    }
    if let Some(time) = run.timeout {
        builder = builder.time(time);
    }
    if let Some(memory) = run.memory {
        builder = builder.memory(memory);
    }
    if let Some(output) = run.max_output {
        builder = builder.output(output);
    }
    if let Some(files) = run.max_files {
        builder = builder.files(files);
    }
    builder.build().map_err(
        |LimitError {
             limit,
             given,
             reason,
             ..
         }| {
            let flag = match limit {
                LimitName::Fuel => "--fuel",
                LimitName::Time => "--timeout",
                LimitName::Memory => "--memory",
                LimitName::Output => "--max-output",
                LimitName::Files => "--max-files",
                _ => "recursion",
            };
            Refusal::bad_input(format!("{flag} {given}: {reason}"))
        },
    )
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
