//! `coldframe run`: one program in one fresh sandbox.

use std::io::{self, Write};

use coldframe::{Engine, Error, LimitError, LimitName, Limits, Outcome, RunOptions, Stream};

use super::args::Run;
use super::source::{self, Source};
use super::{Refusal, report};

/// Runs the program; the exit status.
pub(super) fn run(mut run: Run) -> Result<u8, Refusal> {
    let limits = limits(&run)?;
    let source = source::read(&mut run)?;
    let outcome = execute(source, &limits, run.json).map_err(|e| Refusal::defect(e.to_string()))?;
    if run.json {
        // Whoever closed stdout does not want to know.
        let _ = writeln!(io::stdout(), "{}", report::json(&outcome));
    } else if let Some(error) = &outcome.error {
        let _ = io::stderr().write_all(report::text(error).as_bytes());
    }
    Ok(report::exit_status(outcome.error.as_ref()))
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
                _ => "recursion",
            };
            Refusal::bad_input(format!("{flag} {given}: {reason}"))
        },
    )
}

fn execute(source: Source, limits: &Limits, json: bool) -> Result<Outcome, Error> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .map_err(|e| Error::Engine(format!("no runtime: {e}")))?;
    runtime.block_on(async {
        let engine = Engine::builder().max_sessions(1).build()?;
        let mut session = engine.session(limits).await?;
        let mut options = RunOptions::default()
            .file_name(source.name)
            .want_value(json)
            .last(true)
            .keep_output(json);
        if !json {
            options = options.on_output(forward);
        }
        session.run_with(&source.text, options).await
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
