//! All figures of the engine in one table, beside what they should be: `cargo bench --workspace --bench table [-- PART ...]`.
//!
//! Parts are `sessions`, `agents`, `throughput`, `tools`, `compiler`, `saves`, `memory`, `process` and `programs`; all of them if none is named. Takes a
//! minute. `engine.rs` times a part of this with criterion, to compare two states of the code.
//!
//! Figures are medians. On a machine with other work, what that work leaves of them says little: so the 5th percentile is beside them, and sessions are counted
//! by the processor's time too (Linux).

mod workloads;

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Arc, Barrier};
use std::time::{Duration, Instant};

use coldframe::{Engine, Error, Limits, Policy, Value};

/// The part of all times that counts as undisturbed.
const BEST: f64 = 0.05;

/// Rounds of what takes microseconds, of what takes milliseconds, and of what takes more.
const MANY: usize = 5_000;
const SOME: usize = 300;
const FEW: usize = 7;

/// Sessions that are alive at once when memory is measured.
const IDLE: usize = 1_000;
/// How long sessions are counted.
const WHILE: Duration = Duration::from_secs(2);

/// A line of the table.
struct Row {
    what: String,
    figure: String,
    /// The same when nothing is in the way.
    best: Option<String>,
    /// What it should be, and whether it is.
    goal: Option<(String, bool)>,
}

/// A figure that should not exceed a goal.
fn at_most(what: &str, figure: f64, goal: f64, unit: &str) -> Row {
    Row {
        what: what.to_owned(),
        figure: number(figure, unit),
        best: None,
        goal: Some((format!("<= {}", number(goal, unit)), figure <= goal)),
    }
}

/// A figure that should reach a goal.
fn at_least(what: &str, figure: f64, goal: f64, unit: &str) -> Row {
    Row {
        what: what.to_owned(),
        figure: number(figure, unit),
        best: None,
        goal: Some((format!(">= {}", number(goal, unit)), figure >= goal)),
    }
}

/// A figure without a goal.
fn noted(what: &str, figure: f64, unit: &str) -> Row {
    Row {
        what: what.to_owned(),
        figure: number(figure, unit),
        best: None,
        goal: None,
    }
}

impl Row {
    fn best(mut self, figure: f64, unit: &str) -> Row {
        self.best = Some(number(figure, unit));
        self
    }
}

fn number(figure: f64, unit: &str) -> String {
    let digits = match figure.abs() {
        x if x >= 1_000.0 => 0,
        x if x >= 10.0 => 1,
        _ => 2,
    };
    format!("{figure:.digits$} {unit}")
}

/// Times, to be asked for what they are in all.
struct Times(Vec<Duration>);

impl Times {
    fn of(mut times: Vec<Duration>) -> Times {
        times.sort();
        Times(times)
    }

    fn at(&self, part: f64) -> f64 {
        let last = self.0.len().saturating_sub(1);
        let time = self.0.get((part * last as f64) as usize);
        time.map_or(0.0, Duration::as_secs_f64)
    }

    fn micros(&self, part: f64) -> f64 {
        self.at(part) * 1e6
    }

    fn within(&self, part: f64, unit: &str) -> f64 {
        self.at(part) * if unit == "ms" { 1e3 } else { 1e6 }
    }
}

/// The median of times, and the best.
fn time(what: &str, times: &Times, unit: &str) -> Row {
    noted(what, times.within(0.5, unit), unit).best(times.within(BEST, unit), unit)
}

/// The same with a goal.
fn time_at_most(what: &str, times: &Times, goal: f64, unit: &str) -> Row {
    let best = times.within(BEST, unit);
    at_most(what, times.within(0.5, unit), goal, unit).best(best, unit)
}

/// The time of each of so many repetitions, after a few that do not count.
async fn each(
    rounds: usize,
    mut work: impl AsyncFnMut() -> Result<(), Error>,
) -> Result<Times, Error> {
    let mut times = Vec::with_capacity(rounds);
    for n in 0..rounds + rounds / 10 {
        let started = Instant::now();
        work().await?;
        if n >= rounds / 10 {
            times.push(started.elapsed());
        }
    }
    Ok(Times::of(times))
}

async fn sessions(engine: &Engine) -> Result<Vec<Row>, Error> {
    let limits = Limits::default();
    let empty = each(MANY, async || engine.session(&limits).await.map(drop)).await?;
    let fresh = each(MANY, async || {
        workloads::fresh(engine, &limits, workloads::LEAST).await
    })
    .await?;
    let mut session = engine.session(&limits).await?;
    let warm = each(MANY, async || {
        workloads::run(&mut session, workloads::LEAST).await
    })
    .await?;
    Ok(vec![
        time("fresh session and its end", &empty, "µs"),
        time_at_most("fresh session, 1+1, end", &fresh, 50.0, "µs"),
        at_most("the same, p99", fresh.micros(0.99), 200.0, "µs"),
        time_at_most("1+1 in a live session", &warm, 10.0, "µs"),
        noted("the same, p99", warm.micros(0.99), "µs"),
    ])
}

async fn agents(engine: &Engine) -> Result<Vec<Row>, Error> {
    let (policy, tools) = (Policy::default(), workloads::tools()?);
    let agent = each(SOME, async || {
        workloads::fresh_with_tools(engine, &policy, &tools, workloads::AGENT).await
    })
    .await?;
    let mut session = engine.session(&policy).await?;
    session.set_tools(&tools).await?;
    let again = each(SOME, async || {
        workloads::run(&mut session, workloads::AGENT).await
    })
    .await?;
    Ok(vec![
        time(
            "20 lines of an agent, a tool call, fresh session",
            &agent,
            "µs",
        ),
        noted("the same, p99", agent.micros(0.99), "µs"),
        time(
            "20 lines of an agent, a tool call, live session",
            &again,
            "µs",
        ),
    ])
}

/// Sessions a second of so many threads, each with a runtime of its own: by the clock, and by the time that the processor had for them.
fn rate(engine: &Engine, threads: usize) -> Result<(f64, f64), Error> {
    let start = Arc::new(Barrier::new(threads));
    let workers: Vec<_> = (0..threads)
        .map(|_| {
            let (engine, start) = (engine.clone(), start.clone());
            std::thread::spawn(move || {
                workloads::runtime()?.block_on(async {
                    let limits = Limits::default();
                    let ready = each(SOME, async || {
                        workloads::fresh(&engine, &limits, workloads::LEAST).await
                    })
                    .await;
                    start.wait();
                    ready?;
                    let (started, ran, mut count) = (Instant::now(), processor(), 0_u32);
                    while started.elapsed() < WHILE {
                        workloads::fresh(&engine, &limits, workloads::LEAST).await?;
                        count += 1;
                    }
                    let (time, ran) = (started.elapsed(), processor().saturating_sub(ran));
                    let rate = |time: Duration| f64::from(count) / time.as_secs_f64();
                    Ok((rate(time), rate(ran)))
                })
            })
        })
        .collect();
    let mut sum = (0.0, 0.0);
    for worker in workers {
        let rate: Result<(f64, f64), Error> = worker
            .join()
            .unwrap_or_else(|_| Err(Error::Engine("a thread panicked".to_owned())));
        let rate = rate?;
        sum = (sum.0 + rate.0, sum.1 + rate.1);
    }
    Ok(sum)
}

/// How long this thread has had a processor; nothing where the system does not say.
fn processor() -> Duration {
    let figures = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let first = figures.split_whitespace().next();
    Duration::from_nanos(first.and_then(|word| word.parse().ok()).unwrap_or(0))
}

fn throughput(engine: &Engine) -> Result<Vec<Row>, Error> {
    let (one, one_ran) = rate(engine, 1)?;
    let (two, two_ran) = rate(engine, 2)?;
    let unit = "a second";
    Ok(vec![
        at_least("sessions with 1+1, one thread", one, 15_000.0, unit).best(one_ran, unit),
        noted("sessions with 1+1, two threads", two, unit).best(two_ran, unit),
        at_least("two threads / one thread", two / one, 1.8, "times")
            .best(two_ran / one_ran, "times"),
    ])
}

async fn tools(engine: &Engine) -> Result<Vec<Row>, Error> {
    let mut session = engine.session(&workloads::wide()?).await?;
    session.set_tools(&workloads::tools()?).await?;
    let (calls, empty) = (workloads::tool_calls(), workloads::empty_loop());
    let with = each(50, async || workloads::run(&mut session, &calls).await).await?;
    let without = each(50, async || workloads::run(&mut session, &empty).await).await?;
    let one = (with.micros(0.5) - without.micros(0.5)) / f64::from(workloads::CALLS);
    Ok(vec![
        at_most(
            "tool call and back, less the loop around it",
            one,
            3.0,
            "µs",
        ),
        noted(
            "that loop, a turn",
            without.micros(0.5) / f64::from(workloads::CALLS) * 1e3,
            "ns",
        ),
    ])
}

async fn compiler(engine: &Engine) -> Result<Vec<Row>, Error> {
    let source = workloads::long_source();
    let mut session = engine.session(&workloads::wide()?).await?;
    session
        .set_variable("text", &Value::from(source.as_str()))
        .await?;
    let times = each(20, async || {
        workloads::run(&mut session, workloads::COMPILE).await
    })
    .await?;
    let rate = source.len() as f64 / 1e6 / times.at(0.5);
    Ok(vec![noted("parse and compile", rate, "MB a second")])
}

async fn saves(engine: &Engine) -> Result<Vec<Row>, Error> {
    let limits = workloads::wide()?;
    let mut rows = Vec::new();
    for (name, state, rounds) in [
        ("small session", workloads::STATE, SOME),
        ("session of 50 MB", workloads::LARGE_STATE, FEW),
    ] {
        let mut session = engine.session(&limits).await?;
        workloads::run(&mut session, state).await?;
        let saved = session.save().await?;
        let save = each(rounds, async || session.save().await.map(drop)).await?;
        let restore = each(rounds, async || {
            engine.restore(&saved, &limits).await.map(drop)
        })
        .await?;
        let fork = each(rounds, async || session.fork().await.map(drop)).await?;
        let kilobytes = saved.as_bytes().len() as f64 / 1e3;
        for (what, times) in [("save", save), ("restore", restore), ("fork", fork)] {
            rows.push(time(&format!("{name}: {what}"), &times, "ms"));
        }
        rows.push(noted(&format!("{name}: saved"), kilobytes, "kB"));
    }
    Ok(rows)
}

async fn memory(engine: &Engine) -> Result<Vec<Row>, Error> {
    let limits = Limits::default();
    let mut sessions = Vec::with_capacity(IDLE);
    let before = resident();
    for _ in 0..IDLE {
        let mut session = engine.session(&limits).await?;
        workloads::run(&mut session, workloads::SMALL_SCRIPT).await?;
        sessions.push(session);
    }
    let each = resident().saturating_sub(before) as f64 / IDLE as f64 / f64::from(1 << 20);
    Ok(vec![at_most(
        &format!("memory (PSS) of an idle session among {IDLE}"),
        each,
        1.0,
        "MiB",
    )])
}

/// Bytes of memory that the process has in use, pages that sessions share counted once; 0 where the system does not say.
fn resident() -> u64 {
    let rollup = std::fs::read_to_string("/proc/self/smaps_rollup").unwrap_or_default();
    let pss = rollup.lines().find_map(|line| line.strip_prefix("Pss:"));
    let kibibytes = pss.and_then(|rest| rest.trim().strip_suffix("kB")?.trim().parse::<u64>().ok());
    kibibytes.unwrap_or(0) << 10
}

fn process() -> Result<Vec<Row>, Error> {
    let cache = std::env::temp_dir().join(format!("coldframe-table-{}", std::process::id()));
    let rows = process_with(&cache);
    let _ = std::fs::remove_dir_all(cache);
    rows
}

fn process_with(cache: &Path) -> Result<Vec<Row>, Error> {
    let mut times = Vec::new();
    // The first one fills the cache.
    for n in 0..51 {
        let started = Instant::now();
        let output = Command::new(env!("CARGO_BIN_EXE_coldframe"))
            .args(["run", "-c", "print(1+1)"])
            .env("COLDFRAME_CACHE", cache)
            .stdin(Stdio::null())
            .output()
            .map_err(|e| Error::Engine(format!("the command does not start: {e}")))?;
        if n > 0 {
            times.push(started.elapsed());
        }
        if output.stdout != b"2\n" {
            let text = String::from_utf8_lossy(&output.stderr).into_owned();
            return Err(Error::Engine(text));
        }
    }
    let times = Times::of(times);
    Ok(vec![time_at_most(
        "`coldframe run -c 'print(1+1)'`, from start to end",
        &times,
        15.0,
        "ms",
    )])
}

async fn programs(engine: &Engine) -> Result<Vec<Row>, Error> {
    let limits = workloads::wide()?;
    let mut times: Vec<Vec<Duration>> = vec![Vec::new(); workloads::PROGRAMS.len()];
    // In turn, so that a neighbour's work falls on all of them.
    for _ in 0..FEW {
        for (times, (_, source)) in times.iter_mut().zip(workloads::PROGRAMS) {
            let mut session = engine.session(&limits).await?;
            times.push(workloads::timed(&mut session, source).await?);
        }
    }
    let rows = times.into_iter().zip(workloads::PROGRAMS);
    Ok(rows
        .map(|(times, (name, _))| time(&format!("program {name}"), &Times::of(times), "ms"))
        .collect())
}

fn main() -> Result<(), Error> {
    let asked: Vec<String> = std::env::args()
        .skip(1)
        .filter(|argument| !argument.starts_with('-'))
        .collect();
    let runtime = workloads::runtime()?;
    let mut rows = Vec::new();
    let started = Instant::now();
    let engine = Engine::builder().max_sessions(IDLE as u32 + 24).build()?;
    rows.push(noted("engine", started.elapsed().as_secs_f64() * 1e3, "ms"));
    type Part<'a> = (&'a str, Box<dyn Fn() -> Result<Vec<Row>, Error> + 'a>);
    let parts: [Part; 9] = [
        ("sessions", Box::new(|| runtime.block_on(sessions(&engine)))),
        ("agents", Box::new(|| runtime.block_on(agents(&engine)))),
        ("throughput", Box::new(|| throughput(&engine))),
        ("tools", Box::new(|| runtime.block_on(tools(&engine)))),
        ("compiler", Box::new(|| runtime.block_on(compiler(&engine)))),
        ("memory", Box::new(|| runtime.block_on(memory(&engine)))),
        ("saves", Box::new(|| runtime.block_on(saves(&engine)))),
        ("process", Box::new(process)),
        ("programs", Box::new(|| runtime.block_on(programs(&engine)))),
    ];
    for (name, part) in parts {
        if asked.is_empty() || asked.iter().any(|asked| asked == name) {
            rows.extend(part()?);
        }
    }
    let width = rows.iter().map(|row| row.what.chars().count()).max();
    let width = width.unwrap_or(0);
    println!("{:<width$}  {:>16}  {:>16}  goal", "", "figure", "at best");
    for row in rows {
        let goal = row.goal.map_or(String::new(), |(goal, met)| {
            format!("{goal:<18} {}", if met { "met" } else { "missed" })
        });
        let (what, figure, best) = (row.what, row.figure, row.best.unwrap_or_default());
        let line = format!("{what:<width$}  {figure:>16}  {best:>16}  {goal}");
        println!("{}", line.trim_end());
    }
    Ok(())
}
