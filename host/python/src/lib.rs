//! The native half of the Python package `coldframe`: sessions of the host library, driven for Python.
//!
//! What users see is in `python/coldframe`; this half converts values, calls tools and drives futures. Python code runs on the caller's own stack
//! (blocking calls) or on threads of the runtime (asynchronous ones), never on the stack of a sandbox.

#![deny(unsafe_code)]

mod bounds;
mod drive;
mod errors;
mod gate;
mod policy;
mod remote;
mod requests;
mod runner;
mod session;
mod tools;
mod values;

use pyo3::prelude::*;

#[pymodule]
mod _native {
    #[pymodule_export]
    use crate::gate::close;
    #[pymodule_export]
    use crate::policy::{Rules, preset_imports};
    #[pymodule_export]
    use crate::remote::{Remote, Routes};
    #[pymodule_export]
    use crate::session::{Core, Engine};
    #[pymodule_export]
    use crate::tools::{Done, Tools};

    use pyo3::prelude::*;

    /// The licences of all that the package contains.
    #[pyfunction]
    fn licences() -> &'static str {
        include_str!(concat!(env!("OUT_DIR"), "/licences.txt"))
    }

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("VERSION", env!("CARGO_PKG_VERSION"))
    }
}

/// Runs code of Python's from wherever a future is polled; a thread of the runtime tells the others that it may block.
fn with_python<R>(run: impl for<'py> FnOnce(Python<'py>) -> R) -> R {
    tokio::task::block_in_place(|| gate::attach(run))
}
