//! `coldframe run`: one program in one fresh sandbox.

use std::io::{self, Write};

use coldframe::{Engine, Error, LimitError, LimitName, Limits, Outcome, RunOptions, Stream};

use super::args::Run;
use super::files::{self, Given, Pair};
use super::source::{self, Source};
use super::{Refusal, report, status};

/// Runs the program; the exit status.
pub(super) fn run(mut run: Run) -> Result<u8, Refusal> {
    let limits = limits(&run)?;
    let source = source::read(&mut run)?;
    let given = files::read(&run, limits.files())?;
    let (outcome, not_taken) = execute(source, &limits, run.json, given, &run.take)?;
    if run.json {
        // Whoever closed stdout does not want to know.
        let _ = writeln!(io::stdout(), "{}", report::json(&outcome));
    } else if let Some(error) = &outcome.error {
        let _ = io::stderr().write_all(report::text(error).as_bytes());
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

fn limits(run: &Run) -> Result<Limits, Refusal> {
    let mut builder = Limits::builder();
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
    limits: &Limits,
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
        let mut session = engine.session(limits).await.map_err(defect)?;
        given.put(&mut session).await?;
        let mut options = RunOptions::default()
            .file_name(source.name)
            .want_value(json)
            .last(true)
            .keep_output(json);
        if !json {
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
