//! Times saving and restoring: `cargo build --release -p coldframe --bench saves` and run what it makes.
//!
//! Prints medians in microseconds and the bytes that are saved, for a small session and for one of 50 MB.

use std::time::{Duration, Instant};

use coldframe::{Engine, Error, Limits};

const SMALL: &str = "x = {i: str(i) for i in range(100)}";
const LARGE: &str = "x = [bytes([i % 251]) * 4096 for i in range(12_800)]";

fn main() -> Result<(), Error> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build();
    let runtime = runtime.map_err(|e| Error::Engine(e.to_string()))?;
    runtime.block_on(async {
        let engine = Engine::new()?;
        let limits = Limits::builder().memory(512 << 20).build()?;
        for (name, program, rounds) in [("small", SMALL, 300), ("50 MB", LARGE, 20)] {
            let mut session = engine.session(&limits).await?;
            session.run(program).await?;
            let (mut saves, mut restores, mut forks) = (Vec::new(), Vec::new(), Vec::new());
            let mut bytes = 0;
            for _ in 0..rounds {
                let started = Instant::now();
                let saved = session.save().await?;
                saves.push(started.elapsed());
                bytes = saved.as_bytes().len();
                let started = Instant::now();
                let restored = engine.restore(&saved, &limits).await?;
                restores.push(started.elapsed());
                drop(restored);
                let started = Instant::now();
                let fork = session.fork().await?;
                forks.push(started.elapsed());
                drop(fork);
            }
            println!("{name}: {bytes} bytes saved");
            for (what, times) in [("save", saves), ("restore", restores), ("fork", forks)] {
                println!("  {what:<8} {:>10.1}", median(times));
            }
        }
        Ok(())
    })
}

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort();
    times[times.len() / 2].as_secs_f64() * 1e6
}
