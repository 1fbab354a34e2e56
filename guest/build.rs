//! Collects the library's Python sources into one table.
//!
//! CPython's pure-Python modules come from the crate `rustpython-pylib`; the modules in `src/lib` are ours and take the place of those with the same name.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Modules taken from CPython's library as they are, one name a line, sorted. Submodules of packages are named too.
const TAKEN: &str = "library.txt";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/lib");
    println!("cargo::rerun-if-changed={TAKEN}");
    let root = PathBuf::from(rustpython_pylib::LIB_PATH);
    let mut found: BTreeMap<String, (PathBuf, bool)> = BTreeMap::new();
    let taken = std::fs::read_to_string(TAKEN).expect("the list of modules is beside this script");
    for name in taken.lines() {
        let path = root.join(name.replace('.', "/"));
        let (file, package) = if path.is_dir() {
            (path.join("__init__.py"), true)
        } else {
            (path.with_extension("py"), false)
        };
        assert!(file.is_file(), "the library has no module {name}");
        found.insert(name.to_owned(), (file, package));
    }
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib");
    for entry in std::fs::read_dir(&own).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.extension().is_some_and(|e| e == "py") {
            // A dotted file name is a dotted module name.
            let name = path
                .file_stem()
                .map(|s| s.to_string_lossy().into_owned())
                .unwrap_or_default();
            let package = found.get(&name).is_some_and(|(_, p)| *p);
            found.insert(name, (path, package));
        }
    }
    // What has submodules is a package.
    let parents: Vec<String> = found
        .keys()
        .filter_map(|n| n.rsplit_once('.').map(|(p, _)| p.to_owned()))
        .collect();
    for parent in parents {
        if let Some((_, package)) = found.get_mut(&parent) {
            *package = true;
        }
    }
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let texts = out.join("library");
    std::fs::create_dir_all(&texts).expect("the output folder is writable");
    let mut table = String::from("static LIBRARY: &[(&str, &str, bool)] = &[\n");
    for (name, (file, package)) in &found {
        let text = std::fs::read_to_string(file).expect("the source is readable");
        let copy = texts.join(format!("{name}.py"));
        std::fs::write(&copy, text).expect("the output folder is writable");
        table.push_str(&format!(
            "    ({name:?}, include_str!({:?}), {package}),\n",
            copy.display().to_string()
        ));
    }
    table.push_str("];\n");
    std::fs::write(out.join("library.rs"), table).expect("the output folder is writable");
}
