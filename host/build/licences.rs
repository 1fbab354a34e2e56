//! Collects the licence texts of everything that becomes part of the library: the crates of both sides, and the sources of Python's library.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use serde_json::Value;

/// What a file with a licence is called, in capitals.
const NAMES: [&str; 6] = [
    "LICENSE",
    "LICENCE",
    "COPYING",
    "NOTICE",
    "UNLICENSE",
    "COPYRIGHT",
];

/// The crate that carries Python's library, and where in it the licence lies. It is only needed to build, but what it carries is embedded.
const PYTHON: (&str, &str) = ("rustpython-pylib", "Lib/PSF-LICENSE");

/// The MIT licence's permission, for crates that name it and have no file. The text is that of <https://opensource.org/license/mit>.
const MIT: &str = r#"Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
"#;

/// One crate, as far as its licence goes.
struct Crate {
    name: String,
    version: String,
    licence: String,
    authors: String,
    folder: PathBuf,
}

/// The document: a list of what the packages in `parts` consist of, each for the target that it is built for, with the numbers of its texts, and the texts.
pub fn collect(root: &Path, parts: &[(&str, &str)]) -> Result<String, String> {
    let mut crates = BTreeMap::new();
    for (package, target) in parts {
        embedded(root, target, package, &mut crates)?;
    }
    // A text, and the number it got.
    let mut texts: Vec<String> = Vec::new();
    // Texts of a licence, for crates that have none of their own.
    let mut of_licence: BTreeMap<String, usize> = BTreeMap::new();
    let mut numbers: Vec<Vec<usize>> = Vec::new();
    for item in crates.values() {
        let mut own = Vec::new();
        for file in files(item) {
            let text = fs::read(&file).map_err(|e| format!("{}: {e}", file.display()))?;
            let text = String::from_utf8_lossy(&text).replace("\r\n", "\n");
            own.push(number(&mut texts, text));
        }
        if let [only] = own[..] {
            of_licence.entry(item.licence.clone()).or_insert(only);
        }
        numbers.push(own);
    }
    let mut list = String::new();
    for (item, own) in crates.values().zip(&mut numbers) {
        if own.is_empty() && item.licence == "MIT" {
            let text = format!("Copyright (c) {}\n\n{MIT}", item.authors);
            own.push(number(&mut texts, text));
        } else if own.is_empty() {
            match of_licence.get(&item.licence) {
                Some(&text) => own.push(text),
                None => {
                    return Err(format!(
                        "no text for the licence of {} {}: {}",
                        item.name, item.version, item.licence
                    ));
                }
            }
        }
        let own: Vec<String> = own.iter().map(|n| format!("[{}]", n + 1)).collect();
        list.push_str(&format!(
            "{} {}: {} {}\n",
            item.name,
            item.version,
            item.licence,
            own.join(" ")
        ));
    }
    let mut document = format!(
        "coldframe contains the following works, each under its own licence. The numbers name the texts below.\n\n{list}"
    );
    for (i, text) in texts.iter().enumerate() {
        document.push_str(&format!(
            "\n{:=<80}\n[{}]\n\n{}\n",
            "",
            i + 1,
            text.trim_end()
        ));
    }
    Ok(document)
}

fn number(texts: &mut Vec<String>, text: String) -> usize {
    match texts.iter().position(|have| *have == text) {
        Some(at) => at,
        None => {
            texts.push(text);
            texts.len() - 1
        }
    }
}

/// The files of a crate that hold licences.
fn files(item: &Crate) -> Vec<PathBuf> {
    if item.name == PYTHON.0 {
        return vec![item.folder.join(PYTHON.1)];
    }
    let mut found = Vec::new();
    let mut folders = vec![item.folder.clone(), item.folder.join("LICENSES")];
    if item.licence == own_licence() {
        // Ours are at the top of the workspace.
        folders.extend(
            item.folder
                .ancestors()
                .skip(1)
                .take(2)
                .map(Path::to_path_buf),
        );
    }
    for entry in folders
        .iter()
        .filter_map(|f| fs::read_dir(f).ok())
        .flatten()
        .flatten()
    {
        let name = entry.file_name().to_string_lossy().to_uppercase();
        let wanted = NAMES.iter().any(|n| name.starts_with(n))
            || entry
                .path()
                .parent()
                .is_some_and(|p| p.ends_with("LICENSES"));
        if wanted && entry.path().is_file() {
            found.push(entry.path());
        }
    }
    found.sort();
    found
}

fn own_licence() -> String {
    env::var("CARGO_PKG_LICENSE").unwrap_or_default()
}

/// Adds what `package` consists of on `target`: itself, and what it depends on other than to build or to test.
fn embedded(
    root: &Path,
    target: &str,
    package: &str,
    crates: &mut BTreeMap<(String, String), Crate>,
) -> Result<(), String> {
    let cargo = env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let output = Command::new(cargo)
        .current_dir(root)
        .args([
            "metadata",
            "--format-version",
            "1",
            "--filter-platform",
            target,
        ])
        .output()
        .map_err(|e| format!("cannot run cargo metadata: {e}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    let metadata: Value = serde_json::from_slice(&output.stdout).map_err(|e| e.to_string())?;
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let packages: BTreeMap<String, Value> = list(&metadata["packages"])
        .into_iter()
        .map(|p| (text(&p["id"]), p))
        .collect();
    let nodes: BTreeMap<String, Value> = list(&metadata["resolve"]["nodes"])
        .into_iter()
        .map(|n| (text(&n["id"]), n))
        .collect();
    let mut waiting: Vec<String> = packages
        .iter()
        .filter(|(_, p)| {
            let name = text(&p["name"]);
            name == package || name == PYTHON.0
        })
        .map(|(id, _)| id.clone())
        .collect();
    let mut seen = BTreeSet::new();
    while let Some(id) = waiting.pop() {
        if !seen.insert(id.clone()) {
            continue;
        }
        let package = &packages[&id];
        let manifest = PathBuf::from(text(&package["manifest_path"]));
        let authors: Vec<String> = list(&package["authors"]).iter().map(text).collect();
        let name = text(&package["name"]);
        let item = Crate {
            version: text(&package["version"]),
            licence: text(&package["license"])
                .replace('/', " OR ")
                .replace("  ", " "),
            authors: if authors.is_empty() {
                format!("the authors of {name}")
            } else {
                authors.join(", ")
            },
            folder: manifest.parent().unwrap_or(root).to_path_buf(),
            name,
        };
        crates.insert((item.name.clone(), item.version.clone()), item);
        for dependency in list(&nodes[&id]["deps"]) {
            let kinds = list(&dependency["dep_kinds"]);
            if kinds.iter().any(|kind| kind["kind"].is_null()) {
                waiting.push(text(&dependency["pkg"]));
            }
        }
    }
    Ok(())
}
