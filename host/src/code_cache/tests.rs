//! The file is what the program has embedded, and nobody else's.

use std::fs::{self, Permissions};
use std::os::unix::fs::{FileExt, symlink};
use std::path::PathBuf;
use std::sync::Barrier;
use std::thread;

use super::*;

const BUILD: &str = "0123456789abcdef";
/// Of several pages, in any case.
const CHUNK: usize = 100_000;
const NAME: &str = "guest-0123456789abcdef.cwasm";

/// Bytes of several chunks, the image in the middle.
fn bytes() -> Vec<u8> {
    (0..5 * CHUNK + 77).map(|n| (n % 251) as u8).collect()
}

fn artifact(bytes: &[u8]) -> Artifact<'_, Vec<u8>> {
    Artifact {
        build: BUILD,
        bytes,
        image: CHUNK + 100..3 * CHUNK + 5,
        view: |file, length| {
            let mut there = vec![0; length];
            file.read_exact_at(&mut there, 0)?;
            Ok(there)
        },
    }
}

/// A path at which nothing is, in a folder of this test.
fn fresh(test: &str) -> PathBuf {
    let folder =
        std::env::temp_dir().join(format!("coldframe-cache-{}-{test}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    folder
}

/// Makes the folder, for this user alone whatever the mask of modes is.
fn make_folder(folder: &Path) {
    fs::create_dir(folder).expect("ours");
    set_mode(folder, 0o700);
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder");
    let mut names: Vec<String> = entries
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .into_string()
                .expect("text")
        })
        .collect();
    names.sort();
    names
}

fn mode(path: &Path) -> u32 {
    path.metadata().expect("it is there").permissions().mode() & 0o7777
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).expect("ours");
}

fn contents(mut file: File) -> Vec<u8> {
    let mut contents = Vec::new();
    io::Read::read_to_end(&mut file, &mut contents).expect("it reads");
    contents
}

#[test]
fn the_file_is_made_once_for_its_owner_alone() {
    let (bytes, top) = (bytes(), fresh("once"));
    let folder = top.join("a").join("b");
    assert!(artifact(&bytes).file(&folder).is_err(), "no home");
    fs::create_dir(&top).expect("ours");
    assert!(contents(artifact(&bytes).file(&folder).expect("a file")) == bytes);
    assert_eq!((mode(&top.join("a")), mode(&folder)), (0o700, 0o700));
    assert_eq!(names(&folder), [NAME]);
    assert_eq!(mode(&folder.join(NAME)), 0o600);
    let first = folder.join(NAME).metadata().expect("it is there").ino();
    artifact(&bytes).file(&folder).expect("a file");
    let second = folder.join(NAME).metadata().expect("it is there").ino();
    assert_eq!(first, second, "it was written again");
    fs::remove_dir_all(top).expect("ours");
}

#[test]
fn what_is_not_whole_is_replaced_and_never_written_to() {
    let (bytes, folder) = (bytes(), fresh("whole"));
    let path = folder.join(NAME);
    artifact(&bytes).file(&folder).expect("a file");
    let last = bytes.len() - 1;
    let image = artifact(&bytes).image;
    // The ends of what is compared, on both sides of the image.
    for at in [0, image.start - 1, image.end, last] {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1;
        fs::write(&path, &damaged).expect("ours");
        let mapped_by_another = File::open(&path).expect("ours");
        assert!(contents(artifact(&bytes).file(&folder).expect("a file")) == bytes);
        assert!(contents(mapped_by_another) == damaged);
    }
    for wrong in [&bytes[..last], &[], &[&bytes[..], b"x"].concat()] {
        fs::write(&path, wrong).expect("ours");
        assert!(contents(artifact(&bytes).file(&folder).expect("a file")) == bytes);
    }
    assert_eq!(names(&folder), [NAME]);
    fs::remove_dir_all(folder).expect("ours");
}

#[test]
fn the_image_is_not_looked_at() {
    let (bytes, folder) = (bytes(), fresh("image"));
    artifact(&bytes).file(&folder).expect("a file");
    let mut changed = bytes.clone();
    let image = artifact(&bytes).image;
    changed[image.start] ^= 1;
    changed[image.end - 1] ^= 1;
    fs::write(folder.join(NAME), &changed).expect("ours");
    assert!(contents(artifact(&bytes).file(&folder).expect("a file")) == changed);
    fs::remove_dir_all(folder).expect("ours");
}

#[test]
fn a_link_is_replaced_and_not_followed() {
    let (bytes, top) = (bytes(), fresh("link"));
    let folder = top.join("cache");
    artifact(&bytes).file(&folder).expect("a file");
    let elsewhere = top.join("elsewhere");
    fs::rename(folder.join(NAME), &elsewhere).expect("ours");
    symlink(&elsewhere, folder.join(NAME)).expect("ours");
    artifact(&bytes).file(&folder).expect("a file");
    let there = folder.join(NAME).symlink_metadata().expect("it is there");
    assert!(there.is_file() && elsewhere.is_file());
    fs::remove_dir_all(top).expect("ours");
}

#[test]
fn a_file_that_others_can_write_to_is_replaced() {
    let (bytes, folder) = (bytes(), fresh("mode"));
    let path = folder.join(NAME);
    for wrong in [0o620, 0o602, 0o666] {
        artifact(&bytes).file(&folder).expect("a file");
        set_mode(&path, wrong);
        let before = path.metadata().expect("it is there").ino();
        let kept = File::open(&path).expect("ours");
        artifact(&bytes).file(&folder).expect("a file");
        assert_eq!(mode(&path), 0o600);
        assert_ne!(before, path.metadata().expect("it is there").ino());
        drop(kept);
    }
    fs::remove_dir_all(folder).expect("ours");
}

#[test]
fn a_folder_that_others_can_write_to_is_refused() {
    let (bytes, folder) = (bytes(), fresh("folder"));
    make_folder(&folder);
    for wrong in [0o720, 0o702, 0o1777] {
        set_mode(&folder, wrong);
        let refused = artifact(&bytes).file(&folder).map(drop);
        let reason = refused.expect_err("refused").to_string();
        assert_eq!(reason, "not a folder of this user alone");
        assert!(names(&folder).is_empty());
    }
    fs::remove_dir_all(folder).expect("ours");
}

#[test]
fn what_cannot_be_made_is_an_error_and_leaves_nothing() {
    let (bytes, folder) = (bytes(), fresh("nothing"));
    make_folder(&folder);
    // A folder cannot be replaced by a file, not even by root, as which tests may run.
    fs::create_dir_all(folder.join(NAME).join("full")).expect("ours");
    assert!(artifact(&bytes).file(&folder).is_err());
    assert_eq!(names(&folder), [NAME]);
    fs::write(folder.join("file"), "").expect("ours");
    assert!(artifact(&bytes).file(&folder.join("file")).is_err());
    assert!(
        artifact(&bytes)
            .file(&folder.join("file").join("below"))
            .is_err()
    );
    if !geteuid().is_root() {
        assert!(
            artifact(&bytes)
                .file(Path::new("/coldframe-of-nobody"))
                .is_err()
        );
    }
    fs::remove_dir_all(folder).expect("ours");
}

#[test]
fn old_builds_and_what_dead_processes_left_are_removed() {
    let (bytes, folder) = (bytes(), fresh("old"));
    make_folder(&folder);
    let put = |name: &str, hours: u64| {
        let file = File::create(folder.join(name)).expect("ours");
        let time = SystemTime::now() - Duration::from_secs(hours * 3600);
        file.set_modified(time).expect("ours");
    };
    let whole = |n: u64| format!("guest-000000000000000{n}.cwasm");
    for n in 1..=5 {
        put(&whole(n), 10 * n);
    }
    let unfinished = "guest-0000000000000001.00000000000000ff.tmp";
    let in_use = "guest-0000000000000001.00000000000000fe.tmp";
    put(unfinished, 2);
    put(in_use, 0);
    let others = [
        "guest-01.cwasm",
        "guest-0000000000000001.cwasm.old",
        "notes",
    ];
    for name in others {
        put(name, 1000);
    }
    let link = "guest-0000000000000009.cwasm";
    symlink("notes", folder.join(link)).expect("ours");
    artifact(&bytes).file(&folder).expect("a file");
    let mut left = vec![NAME, in_use, link];
    left.extend(others);
    let (first, second) = (whole(1), whole(2));
    left.extend([first.as_str(), second.as_str()]);
    left.sort_unstable();
    assert_eq!(names(&folder), left);
    fs::remove_dir_all(folder).expect("ours");
}

#[test]
fn many_at_once_leave_one_file() {
    let (bytes, folder) = (bytes(), fresh("many"));
    let start = Barrier::new(8);
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                start.wait();
                assert!(contents(artifact(&bytes).file(&folder).expect("a file")) == bytes);
            });
        }
    });
    assert_eq!(names(&folder), [NAME]);
    fs::remove_dir_all(folder).expect("ours");
}
