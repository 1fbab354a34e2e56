//! Files that are put into a session and taken out of it.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use coldframe::{Error, FileEntry, FileKind, Limits};
use coldframe_tests::{block_on, limits, session};

fn reason<T: std::fmt::Debug>(result: Result<T, Error>) -> String {
    match result {
        Err(Error::File { reason, .. }) => reason,
        other => panic!("{other:?}"),
    }
}

/// A folder of the test run, with these files.
fn folder(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
        .join("files")
        .join(name);
    // Left over from an earlier run, or not there.
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    for (path, text) in files {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(path, text).expect("a file");
    }
    folder
}

fn open(folder: &PathBuf) -> Arc<Dir> {
    Arc::new(Dir::open_ambient_dir(folder, ambient_authority()).expect("a folder"))
}

#[test]
fn files_of_every_size_go_in_and_come_out() {
    block_on(async {
        let mut session = session(&limits()).await;
        for size in [0, 1, 4096, (4 << 20) - 1, 4 << 20, (4 << 20) + 1, 9 << 20] {
            let data: Vec<u8> = (0..size).map(|n: usize| (n % 251) as u8).collect();
            session.put_file("in/data.bin", &data).await.expect("put");
            let program = "data = open('in/data.bin', 'rb').read()\nopen('out.bin', 'wb').write(data[::-1])\nlen(data)";
            let outcome = session.run(program).await.expect("a run");
            assert_eq!(outcome.value.expect("a value").repr, size.to_string());
            let mut back = session.take_file("out.bin").await.expect("taken");
            back.reverse();
            assert!(back == data, "{size} bytes");
        }
    });
}

#[test]
fn what_is_not_there_says_so_and_harms_nothing() {
    block_on(async {
        let mut session = session(&limits()).await;
        session.run("x = 1").await.expect("a run");
        assert_eq!(
            reason(session.take_file("no").await),
            "No such file or directory"
        );
        assert_eq!(reason(session.take_file(".").await), "Is a directory");
        assert_eq!(
            reason(session.take_file("/dev/zero").await),
            "Invalid argument"
        );
        assert_eq!(
            reason(session.put_file("/dev/null", b"x").await),
            "Invalid argument"
        );
        assert_eq!(
            reason(session.put_file("/lib/os.py", b"x").await),
            "Permission denied"
        );
        assert_eq!(reason(session.put_file("", b"x").await), "Is a directory");
        let long = "n".repeat(300);
        assert_eq!(
            reason(session.put_file(&long, b"x").await),
            "File name too long"
        );
        assert_eq!(
            reason(session.list_files("no").await),
            "No such file or directory"
        );
        let outcome = session.run("x").await.expect("a run");
        assert_eq!(outcome.value.expect("a value").repr, "1");
    });
}

#[test]
fn the_quota_holds_for_both_sides() {
    let limits = Limits::builder().files(100_000).build().expect("limits");
    block_on(async {
        let mut session = session(&limits).await;
        session.put_file("half", &[0; 60_000]).await.expect("put");
        assert_eq!(
            reason(session.put_file("more", &[0; 60_000]).await),
            "No space left on device"
        );
        let outcome = session
            .run("with open('more', 'wb') as f: f.write(bytes(60_000))")
            .await
            .expect("a run");
        let error = outcome.error.expect("an error");
        assert_eq!(error.type_name, "OSError");
        assert!(error.message.contains("No space left"), "{}", error.message);
        let outcome = session
            .run("import os; os.remove('half'); open('more', 'wb').write(bytes(60_000))")
            .await
            .expect("a run");
        assert_eq!(outcome.error, None);
    });
}

#[test]
fn a_tree_is_listed() {
    block_on(async {
        let mut session = session(&limits()).await;
        session
            .run("import os\nos.makedirs('a/b')\nopen('a/b/c.txt', 'w').write('12345')\nos.symlink('b', 'a/l')")
            .await
            .expect("a run");
        let entries = session.list_files("a").await.expect("a list");
        let entry = |path: &str, kind, size| FileEntry {
            path: path.to_owned(),
            kind,
            size,
        };
        assert_eq!(
            entries,
            [
                entry("b", FileKind::Directory, 0),
                entry("l", FileKind::Link, 1),
                entry("b/c.txt", FileKind::File, 5),
            ]
        );
    });
}

#[test]
fn a_folder_is_copied_and_cannot_be_left() {
    let inside = folder(
        "inside",
        &[("a.txt", "A"), ("sub/b.txt", "B"), ("sub/deep/c.txt", "C")],
    );
    fs::create_dir(inside.join("empty")).expect("a folder");
    std::os::unix::fs::symlink("a.txt", inside.join("link")).expect("a link");
    block_on(async {
        let mut session = session(&limits()).await;
        let copied = session.put_folder(open(&inside), "data").await;
        assert_eq!(copied.expect("copied"), 4);
        let program = "import os\nsorted((d.removeprefix('data'), *sorted(s), *sorted(f)) for d, s, f in os.walk('data'))";
        let outcome = session.run(program).await.expect("a run");
        assert_eq!(
            outcome.value.expect("a value").repr,
            "[('', 'empty', 'sub', 'a.txt', 'link'), ('/empty',), ('/sub', 'deep', 'b.txt'), ('/sub/deep', 'c.txt')]"
        );
        let outcome = session
            .run("open('data/link').read()")
            .await
            .expect("a run");
        assert_eq!(outcome.value.expect("a value").repr, "'A'");
    });
    let outside = folder("outside", &[("secret", "S"), ("in/x", "X")]);
    for target in ["../secret", "/etc/hostname", ".."] {
        let link = outside.join("in/link");
        let _ = fs::remove_file(&link);
        std::os::unix::fs::symlink(target, &link).expect("a link");
        block_on(async {
            let mut session = session(&limits()).await;
            let refused = reason(session.put_folder(open(&outside.join("in")), ".").await);
            assert!(refused.starts_with("link: "), "{refused}");
            let outcome = session.run("import os; os.listdir()").await.expect("a run");
            assert_eq!(outcome.value.expect("a value").repr, "[]");
        });
    }
}

#[test]
fn files_are_the_sessions_own() {
    block_on(async {
        let (mut one, mut two) = (session(&limits()).await, session(&limits()).await);
        one.put_file("mine", b"1").await.expect("put");
        assert_eq!(
            reason(two.take_file("mine").await),
            "No such file or directory"
        );
        drop(one);
        let mut three = session(&limits()).await;
        assert_eq!(
            reason(three.take_file("mine").await),
            "No such file or directory"
        );
    });
}
