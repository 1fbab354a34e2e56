//! Programs that go from the sandbox to a kernel and come back.

use std::time::Duration;

use coldframe::backend::{Backend, Launcher, Missing, Place, Route, Router, Routing};
use coldframe::{ErrorKind, Limits, Outcome, Policy, RunOptions, Tool, Tools};
use coldframe_tests::engine;

use crate::block_on;
use crate::kernel::server;

async fn router(policy: impl Into<Policy>, routing: Routing) -> Router {
    let policy = policy.into();
    let session = engine().session(&policy).await.expect("a session");
    Router::new(session, routing)
}

fn limits() -> Limits {
    Limits::builder()
        .time(Duration::from_secs(60))
        .build()
        .expect("limits")
}

async fn run(router: &mut Router, source: &str) -> Outcome {
    router
        .run(source, RunOptions::default())
        .await
        .expect("a run")
}

fn repr(outcome: &Outcome) -> &str {
    assert_eq!(outcome.error, None);
    &outcome.value.as_ref().expect("a value").repr
}

/// A snippet with numpy goes to where that launcher leads, with the variables that it needs, and they come back.
pub async fn check_there_and_back(launcher: impl Launcher + 'static) {
    let there = launcher.place();
    let router = router(limits(), Routing::default()).await;
    let mut router = router.with_remote(launcher);
    let mut go = async |source: &str| {
        let outcome = run(&mut router, source).await;
        (repr(&outcome).to_owned(), outcome.place)
    };
    go("data = [3, 1, 2]\nlen(data)").await;
    let outcome = go("import numpy\ntotal = int(numpy.sum(data))\ntotal").await;
    assert_eq!(outcome, ("6".to_owned(), there));
    let outcome = go("data.append(total)\ndata").await;
    assert_eq!(outcome, ("[3, 1, 2, 6]".to_owned(), Place::Local));
    let outcome = go("import numpy\nint(numpy.max(data))").await;
    assert_eq!(outcome, ("6".to_owned(), there));
    router.cleanup().await.expect("cleanup");
}

#[test]
fn all_programs_go_to_the_remote_backend_if_that_is_wanted() {
    block_on(async {
        let routing = Routing::default().always(true).refused(["socket"]);
        let mut router = router(limits(), routing)
            .await
            .with_remote(server().policy(limits()));
        let outcome = run(&mut router, "x = 20\ndef f(n): return n + 1\nf(x)").await;
        assert_eq!((repr(&outcome), outcome.place), ("21", Place::Jupyter));
        // Functions are where they were defined, and that is where all programs are.
        let outcome = run(&mut router, "x += 1\nf(x)").await;
        assert_eq!((repr(&outcome), outcome.place), ("22", Place::Jupyter));
        let outcome = run(&mut router, "1 +").await;
        let kind = outcome.error.expect("an error").kind;
        assert_eq!((kind, outcome.place), (ErrorKind::Syntax, Place::Jupyter));
        let route = router.route("import socket").await.expect("a route");
        assert!(matches!(route, Route::Refuse { .. }), "{route:?}");
        let x = router.get_variable("x").await.expect("an answer");
        assert_eq!(x, Some(21.into()));
        router
            .set_variables(&[("y".to_owned(), 5.into())])
            .await
            .expect("a variable");
        let outcome = run(&mut router, "x + y").await;
        assert_eq!((repr(&outcome), outcome.place), ("26", Place::Jupyter));
        router.cleanup().await.expect("cleanup");
    });
    // Without one they go nowhere.
    block_on(async {
        let mut router = router(limits(), Routing::default().always(true)).await;
        let route = router.route("1").await.expect("a route");
        assert!(matches!(route, Route::Refuse { .. }), "{route:?}");
    });
}

#[test]
fn a_snippet_with_numpy_goes_to_the_kernel_and_its_variables_come_back() {
    block_on(async {
        let mut router = router(limits(), Routing::default())
            .await
            .with_remote(server().policy(limits()));
        router
            .set_tools(
                &Tools::new([Tool::new("seven").function(|_| async { Ok(7.into()) })])
                    .expect("tools"),
            )
            .await
            .expect("tools");
        let outcome = run(&mut router, "data = [3, 1, 2]\nkeep = {'a': (1, 2)}\nimport math\ndef f(): return 1\nclass C: pass\nlen(data)").await;
        assert_eq!((repr(&outcome), outcome.place), ("3", Place::Local));
        let source = "import numpy as np\narr = np.sort(np.array(data))\ntotal = int(arr.sum()) + keep['a'][1] + seven()\ndata.append(math.floor(9.5))\ndel keep\ntotal";
        let outcome = run(&mut router, source).await;
        assert_eq!((repr(&outcome), outcome.place), ("15", Place::Jupyter));
        let left: Vec<_> = outcome
            .left_behind
            .iter()
            .map(|l| (l.name.as_str(), l.stays_in))
            .collect();
        assert!(
            left.contains(&("f", Place::Local)) && left.contains(&("C", Place::Local)),
            "{left:?}"
        );
        // In the sandbox again, with what came back.
        let outcome = run(&mut router, "(data, total, 'keep' in globals(), f())").await;
        assert_eq!(
            (repr(&outcome), outcome.place),
            ("([3, 1, 2, 9], 15, False, 1)", Place::Local)
        );
        // A name that is only there takes the program there.
        let outcome = run(&mut router, "total += 1\nnp.arange(total).shape").await;
        assert_eq!((repr(&outcome), outcome.place), ("(16,)", Place::Jupyter));
        // The array did not lose its type by coming over as a list.
        let outcome = run(&mut router, "import numpy\n(type(arr).__name__, total)").await;
        assert_eq!(repr(&outcome), "('ndarray', 16)");
        let outcome = run(&mut router, "total = total * 2\n(arr, total)").await;
        assert_eq!(
            (repr(&outcome), outcome.place),
            ("([1, 2, 3], 32)", Place::Local)
        );
        // What changes in the sandbox goes there, and only then.
        let outcome = run(&mut router, "arr = [5]").await;
        assert_eq!(outcome.place, Place::Local);
        let outcome = run(&mut router, "import numpy\n(type(arr).__name__, total)").await;
        assert_eq!(repr(&outcome), "('list', 32)");
        // Values that cannot come back are named, and stay.
        let outcome = run(
            &mut router,
            "import numpy\nrandom_state = numpy.random.default_rng(1)\ntotal = random_state",
        )
        .await;
        let left = outcome
            .left_behind
            .iter()
            .find(|l| l.name == "random_state")
            .expect("it stays");
        assert_eq!(
            (left.stays_in, left.type_name.as_str()),
            (Place::Jupyter, "numpy.random._generator.Generator")
        );
        let outcome = run(&mut router, "type(random_state).__name__").await;
        assert_eq!(
            (repr(&outcome), outcome.place),
            ("'Generator'", Place::Jupyter)
        );
        // The old value is not taken for the new one.
        let outcome = run(&mut router, "type(total).__name__").await;
        assert_eq!(repr(&outcome), "'Generator'");
        // A kernel that dies takes with it only what was there alone.
        let outcome = run(&mut router, "import numpy, os; os._exit(1)").await;
        assert_eq!(outcome.error.expect("an error").kind, ErrorKind::Died);
        let outcome = run(
            &mut router,
            "import numpy\n(numpy.sum(data), 'random_state' in globals())",
        )
        .await;
        assert_eq!(repr(&outcome), "(np.int64(15), False)");
        router.cleanup().await.expect("cleanup");
    });
}

#[test]
fn imports_inside_of_functions_count() {
    block_on(async {
        let mut router = router(limits(), Routing::default())
            .await
            .with_remote(server());
        for (source, remote) in [
            ("def f():\n  import numpy.linalg\n", true),
            ("import json, os, collections.abc", false),
            ("from . import x", false),
            ("1 +", false),
            ("try: import ujson\nexcept ImportError: pass", true),
        ] {
            let route = router.route(source).await.expect("a route");
            assert_eq!(
                matches!(route, Route::Remote { .. }),
                remote,
                "{source}: {route:?}"
            );
        }
        router
            .local_mut()
            .put_file("own.py", b"x = 1")
            .await
            .expect("a file");
        assert_eq!(
            router.route("import own").await.expect("a route"),
            Route::Local
        );
    });
}

#[test]
fn policies_decide() {
    block_on(async {
        let routing = Routing::default()
            .remote(["numpy", "socket"])
            .refused(["ctypes"]);
        let mut router = router(Policy::default().with_denied_imports(["os"]), routing)
            .await
            .with_remote(server());
        let route = router.route("import ctypes.util").await.expect("a route");
        assert_eq!(
            route,
            Route::Refuse {
                reason: "no program may import ctypes.util here".into(),
                line: Some(1)
            }
        );
        assert!(matches!(
            router.route("import socket").await.expect("a route"),
            Route::Remote { .. }
        ));
        let outcome = run(&mut router, "import json\nimport numpy, os").await;
        let error = outcome.error.expect("an error");
        assert_eq!(
            (error.kind, error.line, outcome.place),
            (ErrorKind::Refused, Some(2), Place::Local)
        );
        assert_eq!(
            error.message,
            "numpy would take the program to jupyter, but the policy does not allow it to import os"
        );
        // The sandbox refuses in its own words.
        let error = run(&mut router, "import os").await.error.expect("an error");
        assert!(
            error.message.starts_with("Import of os is not allowed"),
            "{error}"
        );
    });
    block_on(async {
        let mut router = router(Limits::default(), Routing::default().remote(["numpy"])).await;
        let error = run(&mut router, "import numpy")
            .await
            .error
            .expect("an error");
        assert_eq!(
            error.message,
            "numpy needs a remote backend, and none is configured"
        );
        let error = run(&mut router, "import pandas")
            .await
            .error
            .expect("an error");
        assert_eq!(error.type_name, "ModuleNotFoundError");
    });
    block_on(async {
        let mut router = router(
            Limits::default(),
            Routing::default().missing(Missing::Refuse),
        )
        .await
        .with_remote(server());
        let error = run(&mut router, "\nimport pandas")
            .await
            .error
            .expect("an error");
        assert_eq!(
            (error.message.as_str(), error.line),
            ("the sandbox has no module pandas", Some(2))
        );
    });
    // smolagents' list is asked before anything leaves.
    block_on(async {
        let mut router = router(Policy::smolagents(), Routing::default())
            .await
            .with_remote(server());
        assert_eq!(
            router.route("import numpy").await.expect("a route"),
            Route::Local
        );
    });
}
