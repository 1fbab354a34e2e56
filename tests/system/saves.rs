//! Sessions that are saved, restored and forked.

use std::time::Duration;

use coldframe::{Engine, Error, Limits, RunOptions, Saved, SavedError, Session};
use coldframe_tests::{block_on, engine, limits, session};

async fn value(session: &mut Session, source: &str) -> String {
    let outcome = session.run(source).await.expect("a run");
    assert_eq!(outcome.error, None, "{source}");
    outcome.value.expect("a value").repr
}

/// Builds up state of every kind: objects that refer to each other, code, a suspended generator, modules, files.
const STATE: &str = "
import collections, random, re
class Node:
    def __init__(self, n): self.n, self.peer = n, None
    def twice(self): return 2 * self.n
a, b = Node(1), Node(2)
a.peer, b.peer = b, a
def count():
    n = 0
    while True:
        n += 1
        yield n
counter = count()
next(counter), next(counter)
words = collections.Counter('the cat and the dog and the bird'.split())
open('notes.txt', 'w').write('kept')
random.seed(7)
pattern = re.compile(r'(\\w)\\1')
table = {i: str(i) for i in range(1000)}
";

const LOOK: &str = "(a.peer.twice(), b.peer.peer is b, next(counter), words.most_common(2), open('notes.txt').read(), random.random(),
 pattern.search('balloon').group(), sum(map(len, table.values())))";

#[test]
fn a_restored_session_goes_on_as_the_saved_one() {
    block_on(async {
        let mut first = session(&limits()).await;
        assert_eq!(first.run(STATE).await.expect("a run").error, None);
        let saved = first.save().await.expect("saved");
        let expected = value(&mut first, LOOK).await;
        // Twice, and in another engine, which is what another process has.
        let other = Engine::builder().max_sessions(2).pooled(false).build();
        let other = other.expect("an engine");
        for engine in [engine(), engine(), &other] {
            let bytes = saved.as_bytes().to_vec();
            let saved = Saved::from_bytes(&bytes).expect("a saved session");
            let mut again = engine.restore(&saved, &limits()).await.expect("restored");
            assert_eq!(value(&mut again, LOOK).await, expected);
        }
    });
}

#[test]
fn forks_go_their_own_ways_and_burn_the_same_fuel() {
    block_on(async {
        let mut trunk = session(&limits()).await;
        trunk.run("path = ['root']").await.expect("a run");
        let mut left = trunk.fork().await.expect("a fork");
        let mut right = trunk.fork().await.expect("a fork");
        left.run("path.append('left')").await.expect("a run");
        right.run("path.append('right')").await.expect("a run");
        let mut deeper = right.fork().await.expect("a fork");
        deeper.run("path.append('deeper')").await.expect("a run");
        assert_eq!(value(&mut trunk, "path").await, "['root']");
        assert_eq!(value(&mut left, "path").await, "['root', 'left']");
        assert_eq!(value(&mut right, "path").await, "['root', 'right']");
        assert_eq!(
            value(&mut deeper, "path").await,
            "['root', 'right', 'deeper']"
        );
        let work = "d = {}\nfor i in range(2000): d[str(i)] = [i] * 3\nlen(d)";
        let mut never_saved = session(&limits()).await;
        never_saved.run("path = ['root']").await.expect("a run");
        let mut fuels = Vec::new();
        for mut session in [
            trunk.fork().await.expect("a fork"),
            trunk.fork().await.expect("a fork"),
        ] {
            fuels.push(session.run(work).await.expect("a run").usage.fuel);
        }
        assert_eq!(fuels[0], fuels[1]);
    });
}

#[test]
fn a_session_restored_burns_what_one_that_was_never_saved_does() {
    block_on(async {
        let mut one = session(&limits()).await;
        let mut twin = session(&limits()).await;
        for session in [&mut one, &mut twin] {
            assert_eq!(session.run(STATE).await.expect("a run").error, None);
        }
        let mut fork = one.fork().await.expect("a fork");
        let work = "x = sorted(str(i) for i in range(3000))\nlen(''.join(x))";
        let fuel = twin.run(work).await.expect("a run").usage.fuel;
        assert_eq!(fork.run(work).await.expect("a run").usage.fuel, fuel);
        assert_eq!(one.run(work).await.expect("a run").usage.fuel, fuel);
    });
}

#[test]
fn a_large_session_is_saved_whole() {
    block_on(async {
        let limits = Limits::builder().memory(512 << 20).build().expect("limits");
        let mut one = session(&limits).await;
        let build = "data = [bytes([i % 251]) * 4096 for i in range(13_000)]";
        one.run_with(build, RunOptions::default().want_value(false))
            .await
            .expect("a run");
        let saved = one.save().await.expect("saved");
        assert!(saved.as_bytes().len() > 50 << 20);
        drop(one);
        let mut again = engine().restore(&saved, &limits).await.expect("restored");
        assert_eq!(
            value(
                &mut again,
                "all(d == bytes([i % 251]) * 4096 for i, d in enumerate(data)), len(data)"
            )
            .await,
            "(True, 13000)"
        );
        let small = Limits::builder().memory(64 << 20).build().expect("limits");
        match engine().restore(&saved, &small).await {
            Err(Error::Saved(SavedError::Memory { needed, limit })) => {
                assert_eq!((needed, limit), (saved.memory(), 64 << 20));
            }
            other => panic!("{:?}", other.map(|_| ())),
        }
    });
}

#[test]
fn a_session_that_failed_can_be_saved_and_a_lost_one_cannot() {
    block_on(async {
        let limits = Limits::builder()
            .time(Duration::from_millis(300))
            .build()
            .expect("limits");
        let mut one = session(&limits).await;
        one.run("x = 5\n1 / 0").await.expect("a run");
        one.run("while True: pass").await.expect("a run");
        let mut again = one.fork().await.expect("a fork");
        assert_eq!(value(&mut again, "x").await, "5");
        let mut dropped = session(&limits).await;
        {
            let run = dropped.run("while True: pass");
            let waited = tokio::time::timeout(Duration::from_millis(50), run).await;
            assert!(waited.is_err());
        }
        assert!(matches!(dropped.save().await, Err(Error::SessionLost)));
    });
}

#[test]
fn bytes_from_anywhere_harm_only_their_own_sandbox() {
    block_on(async {
        let limits = Limits::builder()
            .time(Duration::from_millis(500))
            .memory(64 << 20)
            .build()
            .expect("limits");
        let mut one = session(&limits).await;
        one.run("x = list(range(50))").await.expect("a run");
        let good = one.save().await.expect("saved").as_bytes().to_vec();
        // A linear congruential generator (Knuth's MMIX constants): the same bytes are hit every time.
        let mut state = 1u64;
        let mut next = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize
        };
        let mut restored = 0;
        for round in 0..60 {
            let mut bytes = good.clone();
            for _ in 0..=(round * round) {
                let at = next() % bytes.len();
                bytes[at] = next() as u8;
            }
            let Ok(saved) = Saved::from_bytes(&bytes) else {
                continue;
            };
            let Ok(mut session) = engine().restore(&saved, &limits).await else {
                continue;
            };
            restored += 1;
            // Whatever it answers, it answers within its limits.
            let _ = session.run("x.append(sum(x)); x").await;
            let _ = session.get_variable("x").await;
            let _ = session.save().await;
        }
        assert!(restored > 10, "{restored} were restored");
        assert_eq!(value(&mut one, "len(x)").await, "50");
    });
}
