//! What the engine adds to programs, by criterion: `cargo bench --workspace --bench engine [-- NAME]`.
//!
//! For changes of the engine: criterion says whether a figure has moved since the last time. `table.rs` has all figures at once, and those that are no times.

#![allow(missing_docs, reason = "criterion makes public functions of groups")]

mod workloads;

use std::time::{Duration, Instant};

use coldframe::{Engine, Error, Limits, Policy, Session, Value};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use tokio::runtime::Runtime;

/// What benchmarks need; one engine for all.
struct Bench {
    runtime: Runtime,
    engine: Engine,
}

/// A benchmark that cannot run has nothing to say.
fn expect<T>(result: Result<T, Error>) -> T {
    result.unwrap_or_else(|e| panic!("{e}"))
}

impl Bench {
    fn new() -> Bench {
        Bench {
            runtime: expect(workloads::runtime()),
            engine: expect(Engine::new()),
        }
    }

    fn session(&self, limits: &Limits) -> Session {
        expect(self.runtime.block_on(self.engine.session(limits)))
    }

    /// The time of so many repetitions.
    fn times(&self, rounds: u64, mut work: impl AsyncFnMut() -> Result<(), Error>) -> Duration {
        self.runtime.block_on(async {
            let started = Instant::now();
            for _ in 0..rounds {
                expect(work().await);
            }
            started.elapsed()
        })
    }
}

fn sessions(criterion: &mut Criterion) {
    let bench = Bench::new();
    let (limits, policy) = (Limits::default(), Policy::default());
    let tools = expect(workloads::tools());
    let mut group = criterion.benchmark_group("session");
    group.bench_function("fresh", |b| {
        b.iter_custom(|n| bench.times(n, async || bench.engine.session(&limits).await.map(drop)));
    });
    group.bench_function("fresh 1+1", |b| {
        b.iter_custom(|n| {
            bench.times(n, async || {
                workloads::fresh(&bench.engine, &limits, workloads::LEAST).await
            })
        });
    });
    group.bench_function("fresh agent", |b| {
        b.iter_custom(|n| {
            bench.times(n, async || {
                let engine = &bench.engine;
                workloads::fresh_with_tools(engine, &policy, &tools, workloads::AGENT).await
            })
        });
    });
    let mut session = bench.session(&limits);
    group.bench_function("warm 1+1", |b| {
        b.iter_custom(|n| {
            bench.times(n, async || {
                workloads::run(&mut session, workloads::LEAST).await
            })
        });
    });
    group.finish();
}

fn tools(criterion: &mut Criterion) {
    let bench = Bench::new();
    let mut session = bench.session(&expect(workloads::wide()));
    expect(
        bench
            .runtime
            .block_on(session.set_tools(&expect(workloads::tools()))),
    );
    let mut group = criterion.benchmark_group("tool");
    group.throughput(Throughput::Elements(u64::from(workloads::CALLS)));
    for (name, source) in [
        ("calls", workloads::tool_calls()),
        ("empty loop", workloads::empty_loop()),
    ] {
        group.bench_function(name, |b| {
            b.iter_custom(|n| bench.times(n, async || workloads::run(&mut session, &source).await));
        });
    }
    group.finish();
}

fn compiler(criterion: &mut Criterion) {
    let bench = Bench::new();
    let source = workloads::long_source();
    let mut session = bench.session(&expect(workloads::wide()));
    let text = Value::from(source.as_str());
    expect(bench.runtime.block_on(session.set_variable("text", &text)));
    let mut group = criterion.benchmark_group("compiler");
    group.throughput(Throughput::Bytes(source.len() as u64));
    group.sample_size(20);
    group.bench_function("parse and compile", |b| {
        b.iter_custom(|n| {
            bench.times(n, async || {
                workloads::run(&mut session, workloads::COMPILE).await
            })
        });
    });
    group.finish();
}

fn saves(criterion: &mut Criterion) {
    let bench = Bench::new();
    let limits = expect(workloads::wide());
    let mut group = criterion.benchmark_group("saves");
    group.sample_size(20);
    let mut session = bench.session(&limits);
    expect(
        bench
            .runtime
            .block_on(workloads::run(&mut session, workloads::STATE)),
    );
    let saved = expect(bench.runtime.block_on(session.save()));
    group.bench_function("save", |b| {
        b.iter_custom(|n| bench.times(n, async || session.save().await.map(drop)));
    });
    group.bench_function("restore", |b| {
        b.iter_custom(|n| {
            bench.times(n, async || {
                bench.engine.restore(&saved, &limits).await.map(drop)
            })
        });
    });
    group.bench_function("fork", |b| {
        b.iter_custom(|n| bench.times(n, async || session.fork().await.map(drop)));
    });
    group.finish();
}

fn programs(criterion: &mut Criterion) {
    let bench = Bench::new();
    let limits = expect(workloads::wide());
    let mut group = criterion.benchmark_group("programs");
    group.sample_size(10);
    for (name, source) in workloads::PROGRAMS {
        group.bench_function(name, |b| {
            b.iter_custom(|n| {
                bench.times(n, async || {
                    workloads::fresh(&bench.engine, &limits, source).await
                })
            });
        });
    }
    group.finish();
}

criterion_group!(benches, sessions, tools, compiler, saves, programs);
criterion_main!(benches);
