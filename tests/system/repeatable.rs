//! The same program with the same inputs gives the same bytes and burns the same fuel, wherever it runs.

use std::time::{Duration, SystemTime};

use coldframe::{Engine, Limits, Outcome, Policy, RunOptions, Session};
use coldframe_fuzz::grammar;
use coldframe_fuzz::random::Random;
use coldframe_tests::{block_on, engine};

/// How many programs of the grammar are run.
const PROGRAMS: u64 = 1_000;

/// What must be the same.
#[derive(Debug, PartialEq)]
struct Told {
    stdout: String,
    stderr: String,
    error: Option<String>,
    fuel: u64,
}

fn told(outcome: &Outcome) -> Told {
    Told {
        stdout: outcome.output.stdout(),
        stderr: outcome.output.stderr(),
        error: outcome.error.as_ref().map(ToString::to_string),
        fuel: outcome.usage.fuel,
    }
}

async fn run(mut session: Session, source: &str) -> Told {
    let options = RunOptions::default().file_name("program.py");
    told(&session.run_with(source, options).await.expect("a run"))
}

/// Runs every program in a fresh session of its own.
async fn fresh(engine: &Engine, policy: &Policy, programs: &[String]) -> Vec<Told> {
    let mut all = Vec::new();
    for source in programs {
        all.push(run(engine.session(policy).await.expect("a session"), source).await);
    }
    all
}

#[track_caller]
fn assert_same(what: &str, programs: &[String], first: &[Told], other: &[Told]) {
    assert_eq!(first.len(), other.len());
    for (i, (one, two)) in first.iter().zip(other).enumerate() {
        assert!(
            one == two,
            "program {i} {what}: {one:#?}\n{two:#?}\n{}",
            programs[i]
        );
    }
}

#[test]
fn a_thousand_programs_are_the_same_in_every_configuration() {
    let at = SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000);
    // Some of the programs never end: the fuel ends them, at the same place every time.
    let limits = Limits::builder()
        .fuel(30_000_000)
        .time(Duration::from_secs(600))
        .build()
        .expect("limits");
    let policy = Policy::from(limits).with_clock(at).with_seed(7);
    let mut programs: Vec<String> = (0..PROGRAMS)
        .map(|index| grammar::program(&mut Random::new(5, index)))
        .collect();
    // What the grammar does not touch: clocks, chance, names of objects, files, threads.
    programs.push(
        "import random, time, uuid, os, tempfile, secrets, threading, datetime, asyncio\n\
         print(random.random(), time.time(), time.perf_counter(), uuid.uuid4(), os.urandom(4), secrets.token_hex(3))\n\
         print(datetime.datetime.now(), tempfile.mkdtemp(), id(object()) == id(object()), hash('x'), object())\n\
         t = threading.Thread(target=lambda: print(threading.current_thread().name)); t.start(); t.join()\n\
         asyncio.run(asyncio.sleep(1)); print(time.time(), {'a', 'b', 'c'}, set('hello'))"
            .to_owned(),
    );

    let unpooled = Engine::builder().pooled(false).max_sessions(2).build();
    let unpooled = unpooled.expect("an engine");
    let first = block_on(fresh(engine(), &policy, &programs));
    assert_same(
        "without a pool",
        &programs,
        &first,
        &block_on(fresh(&unpooled, &policy, &programs)),
    );

    // An engine of its own: this takes all the room that there is.
    let crowded = Engine::builder().max_sessions(16).build();
    let crowded = crowded.expect("an engine");
    let threads = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_time()
        .build()
        .expect("a runtime");
    let tasks: Vec<_> = programs
        .iter()
        .cloned()
        .map(|source| {
            let (policy, crowded) = (policy.clone(), crowded.clone());
            threads.spawn(async move {
                // As many at once as the engine has room for.
                loop {
                    match crowded.session(&policy).await {
                        Ok(session) => return run(session, &source).await,
                        Err(coldframe::Error::Busy { .. }) => tokio::task::yield_now().await,
                        Err(e) => panic!("{e}"),
                    }
                }
            })
        })
        .collect();
    let mut at_once = Vec::new();
    for task in tasks {
        at_once.push(threads.block_on(task).expect("it ends"));
    }
    assert_same("among others on two threads", &programs, &first, &at_once);

    let restored = block_on(async {
        let mut trunk = engine().session(&policy).await.expect("a session");
        let saved = trunk.save().await.expect("saved");
        let mut all = Vec::new();
        for source in &programs {
            let session = engine().restore(&saved, &policy).await.expect("restored");
            all.push(run(session, source).await);
        }
        all
    });
    assert_same("in a restored session", &programs, &first, &restored);
}
