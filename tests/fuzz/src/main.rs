//! The command for long runs; see `README.md`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use coldframe_fuzz::random::Random;
use coldframe_fuzz::supervise::{self, Harness};
use coldframe_fuzz::{Cases, compare, grammar, machine, values};

const USAGE: &str = "usage:
  coldframe-fuzz source  [--seconds N] [--seed N] [--first N] [--folder DIR]
  coldframe-fuzz run     [--seconds N] [--seed N] [--first N] [--folder DIR]
  coldframe-fuzz values  [--seconds N] [--seed N] [--first N]
  coldframe-fuzz compare --python PATH [--seconds N] [--seed N] [--first N] [--folder DIR]
  coldframe-fuzz reduce  --python PATH FILE     makes a program smaller that differs from CPython
  coldframe-fuzz store   --python PATH --count N [--seed N]   writes the stored programs anew
  coldframe-fuzz show    --seed N --first N     prints a program of the grammar
  coldframe-fuzz case source|run --seed N --first N   prints a case of a harness
  coldframe-fuzz one     FILE                   runs a program and says what came of it";

/// What the command line says.
struct Arguments {
    words: Vec<String>,
    seconds: u64,
    seed: u64,
    first: u64,
    count: u64,
    folder: PathBuf,
    python: Option<PathBuf>,
}

fn arguments() -> Result<Arguments, String> {
    let mut parsed = Arguments {
        words: Vec::new(),
        seconds: 60,
        seed: 1,
        first: 0,
        count: 300,
        folder: PathBuf::from("fuzz-findings"),
        python: None,
    };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        if !word.starts_with("--") {
            parsed.words.push(word);
            continue;
        }
        let value = words.next().ok_or(format!("{word} needs a value"))?;
        let number = || value.parse::<u64>().map_err(|e| format!("{word}: {e}"));
        match word.as_str() {
            "--seconds" => parsed.seconds = number()?,
            "--seed" => parsed.seed = number()?,
            "--first" => parsed.first = number()?,
            "--count" => parsed.count = number()?,
            "--folder" => parsed.folder = PathBuf::from(value),
            "--python" => parsed.python = Some(PathBuf::from(value)),
            _ => return Err(format!("unknown option {word}")),
        }
    }
    Ok(parsed)
}

fn main() -> ExitCode {
    let result = arguments().and_then(|arguments| command(&arguments));
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("{error}\n{USAGE}");
            ExitCode::from(2)
        }
    }
}

fn python(arguments: &Arguments) -> Result<&Path, String> {
    arguments.python.as_deref().ok_or_else(|| {
        "this harness compares with CPython: give its interpreter with --python".to_owned()
    })
}

/// Whether nothing was found.
fn command(arguments: &Arguments) -> Result<bool, String> {
    let words: Vec<&str> = arguments.words.iter().map(String::as_str).collect();
    let io = |error: std::io::Error| error.to_string();
    let duration = Duration::from_secs(arguments.seconds);
    match words[..] {
        ["source"] | ["run"] => {
            let harness = harness(words[0])?;
            let make = maker(harness, arguments.seed);
            let report = supervise::run(
                harness,
                arguments.seed,
                arguments.first,
                duration,
                &arguments.folder,
                make,
            )
            .map_err(io)?;
            println!("{} cases in {} s", report.cases, arguments.seconds);
            for (kind, count) in &report.findings {
                println!("{count:6} {kind}");
            }
            Ok(report.findings.is_empty())
        }
        ["worker", name, seed, from, to] => {
            let number = |text: &str| text.parse::<u64>().map_err(|e| e.to_string());
            let harness = harness(name)?;
            let make = maker(harness, number(seed)?);
            supervise::work(harness, number(from)?, number(to)?, make).map_err(io)?;
            Ok(true)
        }
        ["values"] => {
            let end = Instant::now() + duration;
            let mut done = 0;
            while Instant::now() < end {
                let from = arguments.first + done;
                done += values::check(arguments.seed, from, from + 200)?;
            }
            println!("{done} cases in {} s", arguments.seconds);
            Ok(true)
        }
        ["answer"] => compare::answer().map_err(io).map(|()| true),
        ["compare"] => {
            let report = compare::run(
                python(arguments)?,
                arguments.seed,
                arguments.first,
                duration,
                &arguments.folder,
            )?;
            println!("{report}");
            Ok(report.differing == 0)
        }
        ["reduce", file] => {
            let source = std::fs::read_to_string(file).map_err(io)?;
            println!("{}", compare::reduce(python(arguments)?, &source)?);
            Ok(true)
        }
        ["store"] => {
            compare::store(python(arguments)?, arguments.seed, arguments.count)?;
            Ok(true)
        }
        ["show"] => {
            print!(
                "{}",
                grammar::program(&mut Random::new(arguments.seed, arguments.first))
            );
            Ok(true)
        }
        ["case", name] => {
            print!("{}", maker(harness(name)?, arguments.seed)(arguments.first));
            Ok(true)
        }
        ["one", file] => {
            let source = std::fs::read_to_string(file).map_err(io)?;
            let outcome = machine::run(&source, coldframe_fuzz::RUN_CHECKPOINTS);
            println!("{outcome:#?}");
            Ok(outcome.panic.is_none())
        }
        _ => Err("which harness?".to_owned()),
    }
}

fn harness(name: &str) -> Result<Harness, String> {
    match name {
        "source" => Ok(Harness::Source),
        "run" => Ok(Harness::Run),
        _ => Err(format!("no harness named {name}")),
    }
}

fn maker(harness: Harness, seed: u64) -> impl Fn(u64) -> String {
    let cases = match harness {
        Harness::Source => Cases::of_sources(seed),
        Harness::Run => Cases::of_programs(seed),
    };
    move |index| match harness {
        Harness::Source => cases.mutated(index),
        Harness::Run => cases.runnable(index),
    }
}
