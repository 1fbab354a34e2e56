//! The arguments and their help.

use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use clap::{Args, Parser, Subcommand};

use super::{files, units};

/// Runs untrusted Python in a WebAssembly sandbox, with limits.
///
/// A program has no environment, no network and no files but copies in memory. It gets a fresh interpreter, and ends when a limit is reached.
#[derive(Debug, Parser)]
#[command(name = "coldframe", version, arg_required_else_help = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Runs a Python program
    Run(Box<Run>),

    /// Measures what programs burn and take, and suggests a fuel limit
    Bench(Box<Bench>),

    /// Prints the licences of all that this program contains
    Licences,
}

const AFTER_HELP: &str = "\
Sizes take K, M or G (of 1024), times ms, s, m or h, fuel K, M or G (of 1000): 64M, 500ms, 10G.

Examples:
  coldframe run script.py
  coldframe run -c 'print(2 ** 100)'
  generate | coldframe run --timeout 2s --memory 64M -
  coldframe run --allow math,json --seed 7 --clock 2026-01-02T03:04:05Z script.py
  coldframe run --json -c '[n * n for n in range(5)]'
  coldframe run --files data --take report.txt analyse.py
  coldframe run --backend auto --remote docker model_code.py

Exit status:
  0  the program ended normally
  1  it raised an exception that nothing caught, or does not compile
  2  wrong usage, or the program cannot be read, or a file cannot be put or taken, or the output cannot be written
  3  a limit was reached: fuel, time, memory, output, recursion or iterations
  4  the sandbox itself failed, which is a defect of coldframe, or a remote backend
  sys.exit() gives its own status.

On Linux the compiled interpreter is kept in ~/.cache/coldframe, so that the next run starts sooner. COLDFRAME_CACHE in the environment names another folder, or is off.";

#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Run {
    /// The program's file, or - for standard input
    #[arg(required_unless_present = "code", conflicts_with = "code")]
    pub(crate) file: Option<PathBuf>,

    /// The program itself
    #[arg(short, value_name = "CODE", allow_hyphen_values = true)]
    pub(crate) code: Option<String>,

    /// Print one JSON document instead of the program's output: stdout, stderr, error, value, usage, exit_code
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) rules: Rules,

    /// Fuel it may burn, about one unit for each WebAssembly instruction [default: 50G]
    #[arg(long, value_name = "UNITS", value_parser = units::count)]
    pub(crate) fuel: Option<u64>,

    /// Copy what is in a folder into the sandbox's home, where the program starts
    #[arg(long, value_name = "DIR")]
    pub(crate) files: Vec<PathBuf>,

    /// Copy a file into the sandbox, as NAME if given
    #[arg(long, value_name = "FILE[:NAME]", value_parser = files::pair)]
    pub(crate) put: Vec<files::Pair>,

    /// Copy a file out of the sandbox after the run, to FILE if given
    #[arg(long, value_name = "NAME[:FILE]", value_parser = files::pair)]
    pub(crate) take: Vec<files::Pair>,

    #[command(flatten)]
    pub(crate) backend: Backend,
}

/// Where a program runs.
#[derive(Debug, Args)]
#[command(next_help_heading = "Where it runs")]
pub(crate) struct Backend {
    /// local, a remote backend (jupyter, docker, e2b, modal, blaxel), or auto: remote if it imports what the sandbox has not [default: local]
    #[arg(long, value_name = "NAME")]
    pub(crate) backend: Option<String>,

    /// The remote backend that auto goes to
    #[arg(long, value_name = "NAME")]
    pub(crate) remote: Option<String>,

    /// Address of the remote backend's server, where it has one
    #[arg(long, value_name = "URL")]
    pub(crate) backend_url: Option<String>,

    /// Token or key of the remote backend; better in the environment, where other users do not see it
    #[arg(long, value_name = "TOKEN")]
    pub(crate) backend_token: Option<String>,

    /// Packages to install on the remote backend first
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) packages: Vec<String>,

    /// A file that says all this, in TOML; the arguments win
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
}

/// What a program may do and use, but for fuel.
#[derive(Debug, Args)]
pub(crate) struct Rules {
    /// The policy to start from: default, smolagents or strict
    #[arg(long, value_name = "NAME", value_parser = ["default", "smolagents", "strict"])]
    pub(crate) preset: Option<String>,

    /// Modules it may import, instead of all (or in addition to the preset's); name.* takes everything below, too, and '' is none
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) allow: Vec<String>,

    /// Modules it may not import
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) deny: Vec<String>,

    /// Stop its clocks at this time, such as 2026-01-02T03:04:05Z
    #[arg(long, value_name = "TIME", value_parser = units::moment)]
    pub(crate) clock: Option<SystemTime>,

    /// Draw its entropy from a generator with this seed, instead of the system's
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,

    /// Its local time zone, such as Europe/Berlin [default: UTC]
    #[arg(long, value_name = "NAME")]
    pub(crate) time_zone: Option<String>,

    /// Wall-clock time it may take [default: 30s]
    #[arg(long, value_name = "TIME", value_parser = units::time)]
    pub(crate) timeout: Option<Duration>,

    /// Memory it may have, the interpreter's own included [default: 256M]
    #[arg(long, value_name = "SIZE", value_parser = units::size)]
    pub(crate) memory: Option<u64>,

    /// Bytes it may write to stdout and stderr together [default: 16M]
    #[arg(long, value_name = "SIZE", value_parser = units::size)]
    pub(crate) max_output: Option<u64>,

    /// Frames that may be active at once [default: 1000]
    #[arg(long, value_name = "FRAMES", value_parser = units::frames)]
    pub(crate) recursion: Option<u32>,

    /// Bytes that its files in memory may take [default: 64M]
    #[arg(long, value_name = "SIZE", value_parser = units::size)]
    pub(crate) max_files: Option<u64>,
}

const BENCH_AFTER_HELP: &str = "\
Each run has a fresh session. Fuel is the same in every run of a program that looks at neither clock nor chance (see --clock and --seed); if it is not, that is told.

Examples:
  coldframe bench snippet.py
  coldframe bench -c 'sum(range(1000))' --limits 100k,1M
  coldframe bench --budget 500ms --margin 30 --html report.html snippets

Exit status:
  0  every program ended normally at one of the limits at least
  1  one raised an exception, or does not compile
  2  wrong usage, or a program cannot be read, or the output cannot be written
  3  one reached a limit whatever the fuel
  4  the sandbox itself failed, which is a defect of coldframe";

#[derive(Debug, Args)]
#[command(after_help = BENCH_AFTER_HELP)]
pub(crate) struct Bench {
    /// Programs: files, folders whose .py files are meant, or - for standard input
    #[arg(required_unless_present = "code")]
    pub(crate) paths: Vec<PathBuf>,

    /// A program itself
    #[arg(short, value_name = "CODE", allow_hyphen_values = true)]
    pub(crate) code: Vec<String>,

    /// Fuel limits to run at, K, M or G of 1000 [default: 10M,100M,1G,10G]
    #[arg(long, value_name = "UNITS", value_delimiter = ',', value_parser = units::count)]
    pub(crate) limits: Vec<u64>,

    /// Runs of each program at each limit
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(crate) runs: u32,

    /// Time that a program may take, to suggest a fuel limit for
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = units::time)]
    pub(crate) budget: Duration,

    /// Percent of the budget to leave unused
    #[arg(long, value_name = "PERCENT", default_value_t = 25)]
    pub(crate) margin: u8,

    /// Print one JSON document instead of tables
    #[arg(long)]
    pub(crate) json: bool,

    /// Write a page with tables and a plot, too
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) rules: Rules,
}

/// What clap has to say about wrong usage, in one line.
pub(crate) fn one_line(error: &clap::Error) -> String {
    let text = error.to_string();
    let text = text.strip_prefix("error: ").unwrap_or(&text);
    // The first paragraph says what and where; usage and tips follow.
    let mut line = String::new();
    for part in text.lines().take_while(|line| !line.trim().is_empty()) {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(part.trim());
    }
    line + " (try --help)"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(arguments: &[&str]) -> String {
        let all = ["coldframe", "run"].iter().chain(arguments);
        one_line(&Arguments::try_parse_from(all).unwrap_err())
    }

    #[test]
    fn the_command_is_well_formed() {
        use clap::CommandFactory;
        Arguments::command().debug_assert();
    }

    #[test]
    fn wrong_usage_is_told_in_one_line() {
        assert_eq!(
            refused(&["--bogus", "x.py"]),
            "unexpected argument '--bogus' found (try --help)"
        );
        assert_eq!(
            refused(&["--timeout", "soon", "x.py"]),
            "invalid value 'soon' for '--timeout <TIME>': not a time such as 5s or 500ms (try --help)"
        );
        assert_eq!(
            refused(&["x.py", "-c", "1"]),
            "the argument '[FILE]' cannot be used with '-c <CODE>' (try --help)"
        );
        assert!(refused(&[]).starts_with("the following required arguments were not provided: "));
    }
}
