//! Many sessions under attack: `cargo bench --workspace --bench load`.
//!
//! Two thousand sessions live while ten thousand programs run on two threads, one in ten of them hostile: endless loops, memory growth, floods of
//! output. Prints how long the others take (a program that is served is the measure of starvation), what hostile ones take beyond their deadline, and
//! the memory of the process after each of twelve rounds: it levels off when every slot of the pool has what it keeps. Ends with status 1 when a
//! result is wrong, a limit does not hold, or memory is lost.

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use coldframe::{Engine, Error, ErrorKind, Limits, Session};
use tokio::sync::Mutex;

const SESSIONS: usize = 2_000;
const RUNS: usize = 10_000;
/// Runs at a time.
const CLIENTS: usize = 32;
const ROUNDS: usize = 12;
/// What the process may have gained from one round to the next, when the first has made it warm.
const LEAK: u64 = 8 << 20;

const HOSTILE: [(&str, ErrorKind); 4] = [
    ("while True: pass", ErrorKind::Time),
    (
        "a = []\nwhile True: a.append('x' * 10000)",
        ErrorKind::Memory,
    ),
    ("while True: print('x' * 1000)", ErrorKind::Output),
    (
        "while True:\n    try:\n        while True: pass\n    except BaseException: pass",
        ErrorKind::Time,
    ),
];

/// What a client has seen.
#[derive(Default)]
struct Seen {
    served: Vec<Duration>,
    overruns: Vec<Duration>,
    wrong: Vec<String>,
}

fn main() -> ExitCode {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_time()
        .build();
    match runtime {
        Ok(runtime) => match runtime.block_on(rounds()) {
            Ok(true) => ExitCode::SUCCESS,
            Ok(false) => ExitCode::FAILURE,
            Err(error) => {
                eprintln!("{error}");
                ExitCode::FAILURE
            }
        },
        Err(error) => {
            eprintln!("no runtime: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn rounds() -> Result<bool, Error> {
    println!("memory before: {}", megabytes(resident()));
    let engine = Engine::builder()
        .max_sessions((SESSIONS + CLIENTS) as u32)
        .build()?;
    println!("memory with an engine: {}", megabytes(resident()));
    let mut good = true;
    let mut after: Vec<u64> = Vec::new();
    for n in 1..=ROUNDS {
        println!("round {n}");
        good &= round(&engine).await?;
        after.push(resident());
        println!(
            "  memory when all sessions are gone: {}",
            megabytes(resident())
        );
    }
    if let [.., before, last] = after[..]
        && last > before + LEAK
    {
        println!("the last round lost {}", megabytes(last - before));
        good = false;
    }
    Ok(good)
}

async fn round(engine: &Engine) -> Result<bool, Error> {
    let started = Instant::now();
    let limits = Limits::builder().memory(64 << 20).build()?;
    let mut sessions = Vec::with_capacity(SESSIONS);
    for n in 0..SESSIONS {
        let mut session = engine.session(&limits).await?;
        session.run(&format!("x = {n}")).await?;
        sessions.push(Mutex::new(session));
    }
    println!(
        "  {SESSIONS} sessions made in {:.2?}, memory: {}",
        started.elapsed(),
        megabytes(resident())
    );
    let started = Instant::now();
    let sessions: Arc<[Mutex<Session>]> = sessions.into();
    let next = Arc::new(AtomicUsize::new(0));
    let mut clients = Vec::new();
    for _ in 0..CLIENTS {
        clients.push(tokio::spawn(client(
            engine.clone(),
            sessions.clone(),
            next.clone(),
        )));
    }
    let mut all = Seen::default();
    for client in clients {
        match client.await {
            Ok(Ok(seen)) => {
                all.served.extend(seen.served);
                all.overruns.extend(seen.overruns);
                all.wrong.extend(seen.wrong);
            }
            Ok(Err(error)) => all.wrong.push(error.to_string()),
            Err(error) => all.wrong.push(error.to_string()),
        }
    }
    println!(
        "  {RUNS} runs, {} of them hostile, in {:.2?}, memory: {}",
        RUNS / 10,
        started.elapsed(),
        megabytes(resident())
    );
    show("1+1 under load", &mut all.served);
    show("beyond the deadline", &mut all.overruns);
    for (n, session) in sessions.iter().enumerate() {
        let outcome = session.lock().await.run("x").await?;
        if outcome.value.map(|v| v.repr) != Some(n.to_string()) {
            all.wrong
                .push(format!("session {n} has another's variable"));
        }
    }
    for what in all.wrong.iter().take(10) {
        println!("  wrong: {what}");
    }
    Ok(all.wrong.is_empty())
}

async fn client(
    engine: Engine,
    sessions: Arc<[Mutex<Session>]>,
    next: Arc<AtomicUsize>,
) -> Result<Seen, Error> {
    let tight = Limits::builder()
        .time(Duration::from_millis(20))
        .memory(40 << 20)
        .output(1 << 16);
    let tight = tight.build()?;
    let mut seen = Seen::default();
    loop {
        let n = next.fetch_add(1, Ordering::Relaxed);
        if n >= RUNS {
            return Ok(seen);
        }
        if n.is_multiple_of(10) {
            let (program, kind) = HOSTILE[n / 10 % HOSTILE.len()];
            let outcome = engine.session(&tight).await?.run(program).await?;
            let found = outcome.error.map(|e| e.kind);
            // Under load every one of them may meet its deadline first.
            if found != Some(kind) && found != Some(ErrorKind::Time) {
                seen.wrong.push(format!("{program:?}: {found:?}"));
            }
            if outcome.usage.peak_memory > tight.memory()
                || outcome.usage.output_bytes > tight.output()
            {
                seen.wrong.push(format!("{program:?}: {:?}", outcome.usage));
            }
            if found == Some(ErrorKind::Time) {
                seen.overruns
                    .push(outcome.usage.duration.saturating_sub(tight.time()));
            }
        } else {
            // Neighbours in time are not neighbours in the pool.
            let mut session = sessions[n * 7_919 % SESSIONS].lock().await;
            let started = Instant::now();
            let outcome = session.run("1+1").await?;
            seen.served.push(started.elapsed());
            if outcome.value.map(|v| v.repr).as_deref() != Some("2") {
                seen.wrong.push(format!("1+1: {:?}", outcome.error));
            }
        }
    }
}

fn show(what: &str, times: &mut [Duration]) {
    times.sort();
    let at = |part: f64| {
        let n = (part * times.len().saturating_sub(1) as f64) as usize;
        times.get(n).copied().unwrap_or_default()
    };
    println!(
        "  {what}: p50 {:.2?}, p99 {:.2?}, largest {:.2?} of {}",
        at(0.5),
        at(0.99),
        at(1.0),
        times.len()
    );
}

/// Bytes of memory that the process has in use, pages that sessions share (those of the boot image) counted once; 0 where the system does not say.
fn resident() -> u64 {
    let rollup = std::fs::read_to_string("/proc/self/smaps_rollup").unwrap_or_default();
    let pss = rollup.lines().find_map(|line| line.strip_prefix("Pss:"));
    let kibibytes = pss.and_then(|rest| rest.trim().strip_suffix("kB")?.trim().parse::<u64>().ok());
    kibibytes.unwrap_or(0) << 10
}

fn megabytes(bytes: u64) -> String {
    format!("{} MiB", bytes >> 20)
}
