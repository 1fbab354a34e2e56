//! The session's files, as its owner sees them: put in before a run, taken out after it.
//!
//! They live in the sandbox's memory and count against [`Limits::files`](crate::Limits::files). Nothing of the host's file system is ever visible
//! in there: a folder is copied, through a handle that cannot be left.

use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use cap_std::fs::Dir;

use crate::error::Error;
use crate::imports::bindings::FileKind as WitKind;
use crate::session::Session;

/// Bytes that cross at once. More would need as much again of the sandbox's memory while they do.
const PIECE: usize = 4 << 20;

/// How deep a folder is copied.
const MAX_DEPTH: usize = 100;

/// Kinds of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link.
    Link,
    /// A device or a pipe.
    Other,
}

/// One entry of a directory tree in the sandbox.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileEntry {
    /// The path below the directory that was listed.
    pub path: String,
    /// What it is.
    pub kind: FileKind,
    /// Bytes of data.
    pub size: u64,
}

fn refused(path: &str, reason: impl Into<String>) -> Error {
    Error::File {
        path: path.to_owned(),
        reason: reason.into(),
    }
}

/// A path that a file of the session's may have. Programs could not name one with a NUL character.
fn check(path: &str) -> Result<(), Error> {
    match path.contains('\0') {
        true => Err(refused(path, "the path contains a NUL character")),
        false => Ok(()),
    }
}

impl Session {
    /// Puts a file into the sandbox, with the directories above it; one that is there is replaced. Relative paths start from the home
    /// directory, `/home/user`, which is where programs start too.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
    /// # let engine = coldframe::Engine::new()?;
    /// let mut session = engine.session(&coldframe::Limits::default()).await?;
    /// session.put_file("numbers.csv", b"1,2\n3,4\n").await?;
    /// let program = "open('sum.txt', 'w').write(str(sum(int(n) for line in open('numbers.csv') for n in line.split(','))))";
    /// session.run(program).await?;
    /// assert_eq!(session.take_file("sum.txt").await?, b"10");
    /// # Ok::<(), coldframe::Error>(())
    /// # }).unwrap();
    /// ```
    ///
    /// # Errors
    /// [`Error::File`] when it does not fit or cannot be there.
    pub async fn put_file(&mut self, path: &str, data: &[u8]) -> Result<(), Error> {
        check(path)?;
        let mut pieces = data.chunks(PIECE);
        self.put_piece(path, pieces.next().unwrap_or(&[]), true)
            .await?;
        for piece in pieces {
            self.put_piece(path, piece, false).await?;
        }
        Ok(())
    }

    async fn put_piece(&mut self, path: &str, piece: &[u8], first: bool) -> Result<(), Error> {
        let (result, _) = self
            .metered(async |sandbox, store| {
                sandbox.call_write_file(store, path, piece, first).await
            })
            .await?;
        result?.map_err(|reason| refused(path, reason))
    }

    /// The data of a file in the sandbox.
    ///
    /// # Errors
    /// [`Error::File`] when there is no such file, or the path is not one of a file.
    pub async fn take_file(&mut self, path: &str) -> Result<Vec<u8>, Error> {
        check(path)?;
        let mut data = Vec::new();
        loop {
            let offset = data.len() as u64;
            let (result, _) = self
                .metered(async |sandbox, store| {
                    sandbox
                        .call_read_file(store, path, offset, PIECE as u32)
                        .await
                })
                .await?;
            let piece = result?.map_err(|reason| refused(path, reason))?;
            if piece.len() > PIECE || offset + piece.len() as u64 > self.limits().files() {
                return Err(refused(
                    path,
                    "the sandbox hands out more than was asked for",
                ));
            }
            data.extend_from_slice(&piece);
            if piece.len() < PIECE {
                return Ok(data);
            }
        }
    }

    /// Everything below a directory of the sandbox, a directory before what is in it. Symbolic links are listed and not followed.
    ///
    /// # Errors
    /// [`Error::File`] when there is no such directory.
    pub async fn list_files(&mut self, directory: &str) -> Result<Vec<FileEntry>, Error> {
        check(directory)?;
        let (result, _) = self
            .metered(async |sandbox, store| sandbox.call_list_files(store, directory).await)
            .await?;
        let entries = result?.map_err(|reason| refused(directory, reason))?;
        Ok(entries
            .into_iter()
            .map(|entry| FileEntry {
                path: entry.path,
                kind: match entry.kind {
                    WitKind::File => FileKind::File,
                    WitKind::Directory => FileKind::Directory,
                    WitKind::Link => FileKind::Link,
                    WitKind::Other => FileKind::Other,
                },
                size: entry.size,
            })
            .collect())
    }

    /// Makes a directory in the sandbox, and those above it, unless they exist.
    ///
    /// # Errors
    /// [`Error::File`] when it cannot be there.
    pub async fn make_directory(&mut self, path: &str) -> Result<(), Error> {
        check(path)?;
        let (result, _) = self
            .metered(async |sandbox, store| sandbox.call_make_directory(store, path).await)
            .await?;
        result?.map_err(|reason| refused(path, reason))
    }

    /// Copies what is in a folder of the host into a directory of the sandbox (`"."` is its home); how many files.
    ///
    /// The handle is the only way to the host's files, and it leads nowhere but into its folder: a symbolic link out of it is an error. Links within it
    /// are copied as what they point to. Files are read on tokio's threads for blocking work.
    ///
    /// # Errors
    /// [`Error::File`] when something cannot be read, is neither file nor directory, has a name that is not UTF-8, or does not fit.
    pub async fn put_folder(&mut self, folder: Arc<Dir>, directory: &str) -> Result<u64, Error> {
        let base = directory.trim_end_matches('/');
        let mut copied = 0;
        // Directories that are still to be copied, and how deep they are.
        let mut waiting = vec![(String::new(), 0)];
        while let Some((below, depth)) = waiting.pop() {
            if depth > MAX_DEPTH {
                return Err(refused(&below, "the folder is nested too deeply"));
            }
            let place = match (base, below.as_str()) {
                ("" | ".", "") => ".".to_owned(),
                ("" | ".", below) => below.to_owned(),
                (base, "") => base.to_owned(),
                (base, below) => format!("{base}/{below}"),
            };
            self.make_directory(&place).await?;
            for (name, is_directory) in list(&folder, &below).await? {
                let path = if below.is_empty() {
                    name.clone()
                } else {
                    format!("{below}/{name}")
                };
                if is_directory {
                    waiting.push((path, depth + 1));
                    continue;
                }
                let data = read(&folder, &path, self.limits().files()).await?;
                let target = if place == "." {
                    name
                } else {
                    format!("{place}/{name}")
                };
                self.put_file(&target, &data).await?;
                copied += 1;
            }
        }
        Ok(copied)
    }
}

/// Does blocking work where it blocks nobody.
async fn blocking<T: Send + 'static>(
    path: &str,
    work: impl FnOnce() -> Result<T, String> + Send + 'static,
) -> Result<T, Error> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done.map_err(|reason| refused(path, reason)),
        Err(e) => Err(refused(path, e.to_string())),
    }
}

/// The names in a directory of the folder, in order, and which of them are directories.
async fn list(folder: &Arc<Dir>, below: &str) -> Result<Vec<(String, bool)>, Error> {
    let folder = Arc::clone(folder);
    let path = if below.is_empty() { "." } else { below }.to_owned();
    blocking(below, move || {
        let read = folder.read_dir(&path).map_err(|e| e.to_string())?;
        let mut names = Vec::new();
        for entry in read {
            let entry = entry.map_err(|e| e.to_string())?;
            let name = entry
                .file_name()
                .into_string()
                .map_err(|name| format!("the name {name:?} is not UTF-8"))?;
            // Follows links, and refuses those out of the folder.
            let facts = folder
                .metadata(Path::new(&path).join(&name))
                .map_err(|e| format!("{name}: {e}"))?;
            if !facts.is_dir() && !facts.is_file() {
                return Err(format!("{name} is neither a file nor a directory"));
            }
            names.push((name, facts.is_dir()));
        }
        names.sort();
        Ok(names)
    })
    .await
}

/// The data of a file in the folder, of which no more than `most` bytes would fit anyway.
async fn read(folder: &Arc<Dir>, path: &str, most: u64) -> Result<Vec<u8>, Error> {
    let folder = Arc::clone(folder);
    let name = path.to_owned();
    blocking(path, move || {
        let file = folder.open(&name).map_err(|e| e.to_string())?;
        let mut data = Vec::new();
        file.take(most + 1)
            .read_to_end(&mut data)
            .map_err(|e| e.to_string())?;
        if data.len() as u64 > most {
            return Err(format!(
                "it is larger than the {most} bytes that files may take"
            ));
        }
        Ok(data)
    })
    .await
}
