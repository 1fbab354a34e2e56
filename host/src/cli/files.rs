//! Files of the command line: `--files` and `--put` before the run, `--take` after it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use coldframe::{Error, Session};

use super::Refusal;
use super::args::Run;

/// A file on one side and its place on the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pair {
    from: String,
    to: String,
}

/// Takes `FROM` or `FROM:TO` apart; without `TO` the file keeps its name.
pub(crate) fn pair(text: &str) -> Result<Pair, String> {
    let (from, to) = match text.rsplit_once(':') {
        Some((from, to)) => (from, to.to_owned()),
        None => {
            let name = Path::new(text).file_name().unwrap_or_default();
            (text, name.to_string_lossy().into_owned())
        }
    };
    if from.is_empty() || to.is_empty() {
        return Err("not a file, or a file and its place such as data.csv:in/data.csv".to_owned());
    }
    Ok(Pair {
        from: from.to_owned(),
        to,
    })
}

/// What the command line wants to be in the sandbox, opened and read before anything starts.
pub(super) struct Given {
    folders: Vec<(String, Arc<Dir>)>,
    files: Vec<(Pair, Vec<u8>)>,
}

/// Opens and reads what the arguments name.
pub(super) fn read(run: &Run, most: u64) -> Result<Given, Refusal> {
    let mut given = Given {
        folders: Vec::new(),
        files: Vec::new(),
    };
    for path in &run.files {
        let name = path.to_string_lossy().into_owned();
        let dir = Dir::open_ambient_dir(path, ambient_authority())
            .map_err(|e| Refusal::bad_input(format!("cannot read the folder '{name}': {e}")))?;
        given.folders.push((name, Arc::new(dir)));
    }
    for pair in &run.put {
        let refuse = |e: String| Refusal::bad_input(format!("cannot read '{}': {e}", pair.from));
        let size = fs::metadata(&pair.from)
            .map_err(|e| refuse(e.to_string()))?
            .len();
        if size > most {
            return Err(refuse(format!(
                "its {size} bytes are more than the {most} that files may take (see --max-files)"
            )));
        }
        let data = fs::read(&pair.from).map_err(|e| refuse(e.to_string()))?;
        given.files.push((pair.clone(), data));
    }
    Ok(given)
}

impl Given {
    /// Whether there is nothing.
    pub(super) fn is_empty(&self) -> bool {
        self.folders.is_empty() && self.files.is_empty()
    }

    /// Puts everything into the sandbox.
    pub(super) async fn put(self, session: &mut Session) -> Result<(), Refusal> {
        for (name, folder) in self.folders {
            session.put_folder(folder, ".").await.map_err(|e| match e {
                Error::File { path, reason } => {
                    Refusal::bad_input(format!("cannot put '{name}/{path}': {reason}"))
                }
                e => Refusal::defect(e.to_string()),
            })?;
        }
        for (pair, data) in self.files {
            session
                .put_file(&pair.to, &data)
                .await
                .map_err(|e| match e {
                    Error::File { path, reason } => {
                        Refusal::bad_input(format!("cannot put '{path}': {reason}"))
                    }
                    e => Refusal::defect(e.to_string()),
                })?;
        }
        Ok(())
    }
}

/// Takes files out of the sandbox; a line for each that could not be had.
pub(super) async fn take(session: &mut Session, wanted: &[Pair]) -> Vec<String> {
    let mut failed = Vec::new();
    for pair in wanted {
        let written = match session.take_file(&pair.from).await {
            Ok(data) => write(Path::new(&pair.to), &data),
            Err(Error::File { reason, .. }) => Err(reason),
            Err(e) => Err(e.to_string()),
        };
        if let Err(reason) = written {
            failed.push(format!("cannot take '{}': {reason}", pair.from));
        }
    }
    failed
}

fn write(path: &Path, data: &[u8]) -> Result<(), String> {
    let file = PathBuf::from(path);
    fs::write(&file, data).map_err(|e| format!("'{}': {e}", file.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_keeps_its_name_or_gets_another() {
        let pair_of = |text: &str| pair(text).map(|p| (p.from, p.to));
        let owned = |from: &str, to: &str| Ok((from.to_owned(), to.to_owned()));
        assert_eq!(pair_of("a/b.csv"), owned("a/b.csv", "b.csv"));
        assert_eq!(pair_of("a/b.csv:c/d"), owned("a/b.csv", "c/d"));
        assert_eq!(pair_of("a:b:c"), owned("a:b", "c"));
        for wrong in ["", ":x", "x:", "/"] {
            assert!(pair(wrong).is_err(), "{wrong}");
        }
    }
}
