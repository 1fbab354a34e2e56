//! The command line: arguments in, exit status out.

mod args;
mod backend;
mod bench;
mod engine;
mod files;
mod report;
mod rules;
mod run;
mod source;
mod stdout;
mod units;

use std::process::ExitCode;

use clap::Parser;
use clap::error::ErrorKind;

/// Exit statuses; `--help` explains them.
mod status {
    pub(super) const PYTHON_EXCEPTION: u8 = 1;
    pub(super) const BAD_INPUT: u8 = 2;
    pub(super) const LIMIT: u8 = 3;
    pub(super) const DEFECT: u8 = 4;
    /// What a shell makes of the death by signal 2, Ctrl-C.
    #[cfg(feature = "http")]
    pub(super) const INTERRUPTED: u8 = 130;
    /// The same of signal 15.
    #[cfg(all(feature = "http", unix))]
    pub(super) const TERMINATED: u8 = 143;
}

/// A reason not to run, as one line for stderr, and the exit status that goes with it.
#[derive(Debug)]
pub(crate) struct Refusal {
    status: u8,
    line: String,
}

impl Refusal {
    fn bad_input(line: impl Into<String>) -> Refusal {
        Refusal {
            status: status::BAD_INPUT,
            line: line.into(),
        }
    }

    fn defect(line: impl Into<String>) -> Refusal {
        Refusal {
            status: status::DEFECT,
            line: line.into(),
        }
    }
}

/// Runs the command of this process.
pub(crate) fn main() -> ExitCode {
    let arguments = match args::Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error)
            if matches!(
                error.kind(),
                ErrorKind::DisplayHelp | ErrorKind::DisplayVersion
            ) =>
        {
            return match stdout::told(error.print()) {
                Ok(()) => ExitCode::SUCCESS,
                Err(refusal) => refuse(&refusal),
            };
        }
        Err(error) if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            let _ = error.print();
            return ExitCode::from(status::BAD_INPUT);
        }
        Err(error) => return refuse(&Refusal::bad_input(args::one_line(&error))),
    };
    let done = match arguments.command {
        args::Command::Run(run) => run::run(*run),
        args::Command::Bench(bench) => bench::bench(*bench),
        args::Command::Licences => stdout::write(coldframe::licences().as_bytes()).map(|()| 0),
    };
    match done {
        Ok(status) => ExitCode::from(status),
        Err(refusal) => refuse(&refusal),
    }
}

fn refuse(refusal: &Refusal) -> ExitCode {
    eprintln!("coldframe: {}", refusal.line);
    ExitCode::from(refusal.status)
}
