//! The restricted Python interpreter that runs inside the coldframe sandbox.
//!
//! The interpreter is a plain library; `component`, compiled for WebAssembly only, is the thin shell that gives it
//! the exports and imports of `wit/sandbox.wit`.

#[cfg(target_arch = "wasm32")]
mod component;
