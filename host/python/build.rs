//! Tells the linker that Python's symbols come later, and collects the licences: the package contains more than the library does.

use std::path::Path;
use std::{env, fs, process};

#[path = "../build/licences.rs"]
mod licences;

/// What the interpreter is built for, whatever this package is.
const GUEST_TARGET: &str = "wasm32-wasip2";

fn main() {
    pyo3_build_config::add_extension_module_link_args();
    for path in ["build.rs", "../build/licences.rs", "../../Cargo.lock"] {
        println!("cargo::rerun-if-changed={path}");
    }
    if let Err(problem) = write_licences() {
        println!("cargo::error=cannot collect the licences: {problem}");
        process::exit(1);
    }
}

fn write_licences() -> Result<(), String> {
    let variable = |name| env::var(name).map_err(|e| format!("{name}: {e}"));
    let root = Path::new(&variable("CARGO_MANIFEST_DIR")?).join("../..");
    let parts = [
        ("coldframe-python", variable("TARGET")?),
        ("coldframe-guest", GUEST_TARGET.to_owned()),
    ];
    let parts = parts
        .each_ref()
        .map(|(package, target)| (*package, target.as_str()));
    let path = Path::new(&variable("OUT_DIR")?).join("licences.txt");
    fs::write(&path, licences::collect(&root, &parts)?)
        .map_err(|e| format!("{}: {e}", path.display()))
}
