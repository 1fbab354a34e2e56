//! `coldframe bench`: what programs burn and take, at several fuel limits.

mod page;
mod table;

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use coldframe::bench::{Bench, BenchError, Report, Snippet};
use coldframe::{Error, Policy};

use super::source::{self, Source};
use super::{Refusal, args, rules, status, stdout};

/// Measures, prints, and gives the exit status.
pub(super) fn bench(arguments: args::Bench) -> Result<u8, Refusal> {
    if arguments.margin >= 100 {
        let line = format!("--margin {}: must be 0 to 99", arguments.margin);
        return Err(Refusal::bad_input(line));
    }
    let policy = rules::policy(&arguments.rules, None)?;
    let snippets = read(&arguments)?;
    // Found out before the long work, not after it.
    let mut page = match &arguments.html {
        Some(path) => Some(create(path)?),
        None => None,
    };
    let report = measure(&arguments, policy, &snippets)?;
    let text = if arguments.json {
        let json = serde_json::to_string(&report);
        json.map_err(|e| Refusal::defect(e.to_string()))? + "\n"
    } else {
        table::text(&report)
    };
    let written = stdout::write(text.as_bytes());
    if let (Some(file), Some(path)) = (&mut page, &arguments.html) {
        file.write_all(page::html(&report).as_bytes())
            .map_err(|e| cannot_write(path, &e))?;
    }
    written?;
    Ok(exit_status(&report))
}

fn create(path: &Path) -> Result<fs::File, Refusal> {
    fs::File::create(path).map_err(|e| cannot_write(path, &e))
}

fn cannot_write(path: &Path, error: &io::Error) -> Refusal {
    Refusal::bad_input(format!("cannot write '{}': {error}", path.display()))
}

/// All programs that the arguments name, in that order; those of a folder by name.
fn read(arguments: &args::Bench) -> Result<Vec<Snippet>, Refusal> {
    let mut sources: Vec<Source> = Vec::new();
    for (n, code) in arguments.code.iter().enumerate() {
        let mut source = source::code_given(code.clone())?;
        if arguments.code.len() > 1 {
            source.name = format!("<string {}>", n + 1);
        }
        sources.push(source);
    }
    for path in &arguments.paths {
        if path.is_dir() {
            for file in programs(path)? {
                sources.push(source::read_path(&file)?);
            }
        } else {
            sources.push(source::read_path(path)?);
        }
    }
    Ok(sources
        .into_iter()
        .map(|source| Snippet::new(source.name, source.text))
        .collect())
}

/// The `.py` files of a folder.
fn programs(folder: &Path) -> Result<Vec<PathBuf>, Refusal> {
    let name = folder.display();
    let refuse = |e: io::Error| Refusal::bad_input(format!("cannot read the folder '{name}': {e}"));
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(refuse)? {
        let path = entry.map_err(refuse)?.path();
        if path.extension().is_some_and(|e| e == "py") && path.is_file() {
            files.push(path);
        }
    }
    if files.is_empty() {
        return Err(Refusal::bad_input(format!(
            "the folder '{name}' has no .py files"
        )));
    }
    files.sort();
    Ok(files)
}

fn measure(
    arguments: &args::Bench,
    policy: Policy,
    snippets: &[Snippet],
) -> Result<Report, Refusal> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .map_err(|e| Refusal::defect(format!("no runtime: {e}")))?;
    let mut bench = Bench::new(policy)
        .runs(arguments.runs)
        .budget(arguments.budget)
        .margin(f64::from(arguments.margin) / 100.0);
    if !arguments.limits.is_empty() {
        bench = bench.limits(arguments.limits.iter().copied());
    }
    let report = runtime.block_on(async {
        let engine = super::engine::engine(1)?;
        bench.measure(&engine, snippets).await
    });
    report.map_err(|error| match error {
        BenchError::Settings(reason) => Refusal::bad_input(reason),
        BenchError::Limit(error) => {
            Refusal::bad_input(format!("--limits {}: {}", error.given, error.reason))
        }
        BenchError::Engine(Error::Policy { reason }) => Refusal::bad_input(reason),
        other => Refusal::defect(other.to_string()),
    })
}

/// The worst that became of a program that never ended well.
fn exit_status(report: &Report) -> u8 {
    let never_well = report.snippets.iter().filter(|s| s.fuel.is_none());
    // At the largest limit: the others may be there to be reached.
    let ends = never_well.filter_map(|s| s.rows.last()?.others.first());
    ends.map(|end| match end {
        end if end.is_fault => status::DEFECT,
        end if end.is_limit => status::LIMIT,
        _ => status::PYTHON_EXCEPTION,
    })
    // An exception says more of a program than a limit.
    .max_by_key(|&status| match status {
        status::DEFECT => 2,
        status::PYTHON_EXCEPTION => 1,
        _ => 0,
    })
    .unwrap_or(0)
}

/// A time as people read it, with three digits.
fn time(seconds: f64) -> String {
    let (number, unit) = match seconds {
        s if s < 1e-3 => (s * 1e6, "µs"),
        s if s < 1.0 => (s * 1e3, "ms"),
        s => (s, "s"),
    };
    format!("{} {unit}", digits(number))
}

/// A number of bytes as people read it.
fn size(bytes: f64) -> String {
    format!("{} MiB", digits(bytes / f64::from(1 << 20)))
}

/// A large number in thousands, millions and so on.
fn short(number: f64) -> String {
    let (number, unit) = match number {
        n if n < 1e3 => return digits(n),
        n if n < 1e6 => (n / 1e3, "K"),
        n if n < 1e9 => (n / 1e6, "M"),
        n => (n / 1e9, "G"),
    };
    digits(number) + unit
}

/// Three digits, or all that are before the point.
fn digits(number: f64) -> String {
    let places = match number {
        n if n < 10.0 => 2,
        n if n < 100.0 => 1,
        _ => 0,
    };
    let text = format!("{number:.places$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

/// How a row's runs ended other than well, in a few words.
fn other_ends(row: &coldframe::bench::Row) -> impl Iterator<Item = String> + '_ {
    row.others.iter().map(|end| {
        let how = if end.is_limit {
            format!("{} limit", end.kind)
        } else {
            let line = end.line.map(|n| format!(" (line {n})"));
            end.message.replace('\n', " ") + &line.unwrap_or_default()
        };
        format!("{how}, after {} of fuel", short(end.fuel.most as f64))
    })
}

/// What is left to say below the tables.
fn remarks(report: &Report) -> Vec<String> {
    let mut lines = Vec::new();
    let s = &report.suggestion;
    lines.push(format!(
        "suggested limit for {} with a margin of {:.0}%: {} ({} operations), at {} a second, the slowest rate seen",
        time(s.budget_seconds),
        s.margin * 100.0,
        short(s.limit as f64),
        short(s.operations as f64),
        short(s.fuel_per_second),
    ));
    match &s.dearest {
        Some(d) if d.share > 1.0 => lines.push(format!(
            "{} does not fit: it burns {}, {} times that limit",
            d.name,
            short(d.fuel as f64),
            digits(d.share)
        )),
        Some(d) => lines.push(format!(
            "the dearest is {}: {} of fuel, {}% of that limit",
            d.name,
            short(d.fuel as f64),
            digits(d.share * 100.0)
        )),
        None => {
            lines.push("no program ended well: the limit is this machine's rate alone".to_owned())
        }
    }
    let varying: Vec<_> = report.varying().collect();
    for snippet in &varying {
        if let Some(fuel) = snippet.fuel {
            lines.push(format!(
                "fuel differs between runs of {}: {} to {}; it looks at the clock or asks for chance (see --clock and --seed)",
                snippet.name, fuel.least, fuel.most
            ));
        }
    }
    if !report.machine.fuel_is_identical {
        lines
            .push("fuel differs between runs of the calibration: a defect of coldframe".to_owned());
    } else if varying.is_empty() && report.snippets.iter().any(|s| s.fuel.is_some()) {
        lines.push("fuel was identical in all runs that ended well".to_owned());
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_three_digits() {
        assert_eq!(time(0.000_012_34), "12.3 µs");
        assert_eq!(time(0.25), "250 ms");
        assert_eq!(time(2.0), "2 s");
        assert_eq!(short(999.0), "999");
        assert_eq!(short(1_234_567.0), "1.23M");
        assert_eq!(short(10_000_000_000.0), "10G");
        assert_eq!(short(100_000.0), "100K");
        assert_eq!(size(25_165_824.0), "24 MiB");
    }
}
