//! The programs that mutation starts from: the repository's own. Reads files; knows nothing of what is done with them.

use std::path::{Path, PathBuf};

/// The folder of the repository.
pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// All seed programs, in the order of their names.
pub fn programs() -> Vec<String> {
    let root = repository();
    let mut paths = Vec::new();
    for folder in [
        "guest/tests/python",
        "guest/compiler/tests/golden",
        "guest/frontend/tests/valid",
        "host/examples",
        "host/benches/programs",
    ] {
        let Ok(entries) = std::fs::read_dir(root.join(folder)) else {
            continue;
        };
        paths.extend(
            entries
                .filter_map(|entry| entry.ok())
                .map(|entry| entry.path())
                .filter(|path| path.extension().is_some_and(|extension| extension == "py")),
        );
    }
    paths.sort();
    paths
        .iter()
        .filter_map(|path| std::fs::read_to_string(path).ok())
        .collect()
}

/// Cuts programs into pieces of whole top-level statements, for programs that are short enough to run often.
pub fn pieces(programs: &[String]) -> Vec<String> {
    let mut pieces = Vec::new();
    for program in programs {
        let mut piece = String::new();
        for line in program.split_inclusive('\n') {
            let top = line
                .chars()
                .next()
                .is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '@');
            if top && piece.len() > 400 && !piece.ends_with(",\n") {
                pieces.push(std::mem::take(&mut piece));
            }
            piece.push_str(line);
        }
        pieces.push(piece);
    }
    pieces
}
