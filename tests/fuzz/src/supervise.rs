//! Long runs: a worker process does the cases one by one and says which it is at; this side notices when it dies or says nothing for too long,
//! keeps what it found, and starts the next worker behind the bad case. Knows how to make a case again, nothing of what is done with it.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// The harnesses that run this way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Harness {
    /// Text through frontend and compiler.
    Source,
    /// Programs that are run.
    Run,
}

impl Harness {
    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Harness::Source => "source",
            Harness::Run => "run",
        }
    }

    /// Cases that one worker does: what a machine leaves behind must not add up.
    fn batch(self) -> u64 {
        match self {
            Harness::Source => 20_000,
            Harness::Run => 400,
        }
    }

    /// A case that takes longer hangs.
    fn patience(self) -> Duration {
        Duration::from_secs(match self {
            Harness::Source => 5,
            Harness::Run => 20,
        })
    }

    /// Address space of a worker in KiB.
    fn memory(self) -> u64 {
        match self {
            Harness::Source => 2 << 20,
            Harness::Run => 4 << 20,
        }
    }
}

/// Figures of a run.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Cases done.
    pub cases: u64,
    /// What was found: the kind, and how often; the first case of each kind is kept in a file.
    pub findings: BTreeMap<String, u64>,
}

/// Runs a harness for some time. `case` makes the text of a case again.
pub fn run(
    harness: Harness,
    seed: u64,
    first: u64,
    duration: Duration,
    folder: &Path,
    case: impl Fn(u64) -> String,
) -> std::io::Result<Report> {
    std::fs::create_dir_all(folder)?;
    let end = Instant::now() + duration;
    let mut report = Report::default();
    let mut next = first;
    while Instant::now() < end {
        let mut child = worker(harness, seed, next)?;
        let (sender, lines) = mpsc::channel();
        let Some(stdout) = child.stdout.take() else {
            return Err(std::io::Error::other("no pipe"));
        };
        let reader = std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        let mut at = next;
        let mut fault = None;
        let mut spent = 0.0;
        loop {
            match lines.recv_timeout(harness.patience()) {
                Ok(line) => match line.split_once(' ') {
                    Some(("case", index)) => {
                        at = index.parse().unwrap_or(at);
                        report.cases += 1;
                    }
                    Some(("found", what)) => {
                        record(&mut report, folder, harness, seed, at, what, &case(at))?;
                    }
                    _ => {}
                },
                Err(mpsc::RecvTimeoutError::Timeout) => {
                    // On a busy machine it may just have had no turn: what counts is the time of the processor.
                    let now = processor_seconds(child.id());
                    let used = now.map_or(f64::MAX, |now| now - spent);
                    spent = now.unwrap_or(0.0);
                    if used >= harness.patience().as_secs_f64() * 0.8 {
                        fault = Some("hangs".to_owned());
                        break;
                    }
                    if Instant::now() >= end {
                        break;
                    }
                }
                Err(mpsc::RecvTimeoutError::Disconnected) => break,
            }
            if Instant::now() >= end {
                break;
            }
        }
        if fault.is_some() || Instant::now() >= end {
            let _ = child.kill();
        }
        let status = child.wait()?;
        let _ = reader.join();
        if fault.is_none() && !status.success() && Instant::now() < end {
            fault = Some(format!("the process died: {status}"));
        }
        if let Some(fault) = fault {
            record(&mut report, folder, harness, seed, at, &fault, &case(at))?;
        }
        next = at + 1;
    }
    Ok(report)
}

/// How long a process has run, where the system tells it in a file.
fn processor_seconds(id: u32) -> Option<f64> {
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    let behind_name = stat.rsplit_once(')')?.1;
    let mut fields = behind_name.split_whitespace().skip(11);
    let ticks: f64 = fields.next()?.parse().ok()?;
    Some(ticks / 100.0)
}

fn worker(harness: Harness, seed: u64, from: u64) -> std::io::Result<Child> {
    let program = std::env::current_exe()?;
    // A shell sets the bound on memory; a process cannot portably set its own.
    let script = format!(
        "ulimit -v {}; ulimit -c 0; exec \"$0\" \"$@\"",
        harness.memory()
    );
    Command::new("sh")
        .arg("-c")
        .arg(script)
        .arg(program)
        .args(["worker", harness.name()])
        .args([seed, from, from + harness.batch()].map(|n| n.to_string()))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
}

/// The worker's side: does the cases and says so.
pub fn work(
    harness: Harness,
    from: u64,
    to: u64,
    case: impl Fn(u64) -> String,
) -> std::io::Result<()> {
    let mut out = std::io::stdout();
    for index in from..to {
        writeln!(out, "case {index}")?;
        out.flush()?;
        let text = case(index);
        let problem = match harness {
            Harness::Source => crate::source::check(&text).err(),
            Harness::Run => crate::machine::run(&text, crate::RUN_CHECKPOINTS).panic,
        };
        if let Some(problem) = problem {
            writeln!(out, "found {}", problem.replace('\n', " "))?;
        }
    }
    Ok(())
}

/// What makes two findings the same: the words without numbers and names.
fn kind(what: &str) -> String {
    let mut kind = String::new();
    if let Some(rest) = what.strip_prefix("panic at ") {
        // The place is what counts.
        return rest.chars().take(160).collect();
    }
    for c in what.chars().take(100) {
        if !c.is_ascii_digit() {
            kind.push(c);
        }
    }
    kind
}

fn record(
    report: &mut Report,
    folder: &Path,
    harness: Harness,
    seed: u64,
    index: u64,
    what: &str,
    text: &str,
) -> std::io::Result<()> {
    let count = report.findings.entry(kind(what)).or_default();
    *count += 1;
    if *count <= 3 {
        let name = format!("{}-{seed}-{index}.py", harness.name());
        println!("{name}: {what}");
        std::fs::write(folder.join(&name), text)?;
        std::fs::write(folder.join(name + ".txt"), what)?;
    }
    Ok(())
}
