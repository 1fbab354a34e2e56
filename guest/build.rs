//! Collects the library's Python sources into one table.
//!
//! CPython's pure-Python modules come from the crate `rustpython-pylib`; the modules in `src/lib` are ours and take the place of those with the same name.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Modules taken from CPython's library as they are, one name a line, sorted. Submodules of packages are named too.
/// `name without socket` takes a module whose use of the network is a small part of it: its `import socket` is made to
/// import [`NO_NETWORK`] instead, which says what is missing when it is used.
const TAKEN: &str = "library.txt";

/// Where CPython's C implementation of a module words a text in another way than its Python one: module, text, text of the C implementation.
const WORDED: &[(&str, &str, &str)] = &[
    (
        "_pydatetime",
        "OverflowError(\"result out of range\")",
        "OverflowError(\"date value out of range\")",
    ),
    (
        "_pydatetime",
        "return (f'{self.__class__.__name__}'\n                f'(year=",
        "return (f'datetime.{self.__class__.__name__}'\n                f'(year=",
    ),
];

/// Stands for `socket`.
const NO_NETWORK: &str = "_no_network";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/lib");
    println!("cargo::rerun-if-changed={TAKEN}");
    let root = PathBuf::from(rustpython_pylib::LIB_PATH);
    let mut found: BTreeMap<String, (PathBuf, bool)> = BTreeMap::new();
    let taken = std::fs::read_to_string(TAKEN).expect("the list of modules is beside this script");
    let mut without_network = Vec::new();
    for line in taken.lines() {
        let name = line.strip_suffix(" without socket").unwrap_or(line);
        if name != line {
            without_network.push(name.to_owned());
        }
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
    let mut table = String::from("static LIBRARY: &[(&str, Packed, bool)] = &[\n");
    for (name, (file, package)) in &found {
        let mut text = std::fs::read_to_string(file).expect("the source is readable");
        if without_network.contains(name) {
            let replaced = format!("\nimport {NO_NETWORK} as socket\n");
            text = text.replace("\nimport socket\n", &replaced).replace(
                "\nfrom socketserver import ",
                &format!("\nfrom {NO_NETWORK} import "),
            );
        }
        for (_, from, to) in WORDED.iter().filter(|(module, ..)| module == name) {
            assert!(text.contains(from), "{name} has no {from}");
            text = text.replace(from, to);
        }
        // Packed, because the image of every process would otherwise carry the whole text of modules that it hardly ever reads.
        let packed = texts.join(format!("{name}.z"));
        std::fs::write(
            &packed,
            miniz_oxide::deflate::compress_to_vec(text.as_bytes(), 9),
        )
        .expect("the output folder is writable");
        table.push_str(&format!(
            "    ({name:?}, Packed {{ bytes: include_bytes!({:?}), len: {} }}, {package}),\n",
            packed.display().to_string(),
            text.len()
        ));
    }
    table.push_str("];\n");
    std::fs::write(out.join("library.rs"), table).expect("the output folder is writable");
}
