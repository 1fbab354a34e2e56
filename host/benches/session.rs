//! Times what the engine adds to a program: `cargo bench -p coldframe --bench session`.
//!
//! Prints medians in microseconds: a fresh session with `1+1` and its end, the same without running anything, and
//! `1+1` in a session that lives on.

use std::time::Instant;

use coldframe::{Engine, Limits};

const ROUNDS: usize = 3_000;

fn main() -> Result<(), coldframe::Error> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build();
    let runtime = runtime.map_err(|e| coldframe::Error::Engine(e.to_string()))?;
    runtime.block_on(async {
        let started = Instant::now();
        let engine = Engine::new()?;
        println!(
            "{:<32} {:>9.1}",
            "engine",
            started.elapsed().as_secs_f64() * 1e6
        );
        let limits = Limits::default();

        let mut times = Vec::with_capacity(ROUNDS);
        for _ in 0..ROUNDS {
            let started = Instant::now();
            drop(engine.session(&limits).await?);
            times.push(started.elapsed());
        }
        show("fresh session", &mut times);

        for _ in 0..ROUNDS {
            let started = Instant::now();
            engine.session(&limits).await?.run("1+1").await?;
            times.push(started.elapsed());
        }
        show("fresh session, 1+1", &mut times);

        let mut session = engine.session(&limits).await?;
        for _ in 0..ROUNDS {
            let started = Instant::now();
            session.run("1+1").await?;
            times.push(started.elapsed());
        }
        show("live session, 1+1", &mut times);
        Ok(())
    })
}

fn show(what: &str, times: &mut Vec<std::time::Duration>) {
    times.sort();
    let at = |part: f64| times[(part * (times.len() - 1) as f64) as usize].as_secs_f64() * 1e6;
    println!("{what:<32} {:>9.1}   p99 {:>9.1}", at(0.5), at(0.99));
    times.clear();
}
