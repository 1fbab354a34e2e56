//! The restricted Python interpreter that runs inside the coldframe sandbox.
//!
//! The interpreter is a plain library; `component`, compiled for WebAssembly only, is the thin shell that gives it
//! the exports and imports of `wit/sandbox.wit`.
//!
//! The rooms, and what they may know: [`value`] and [`heap`] are the memory; [`objects`] the data of the built-in types and their methods;
//! [`vm`] the machine; [`builtins`] what is there without an import; [`modules`] what can be imported;
//! [`files`] the files of a session; [`transfer`] how values cross to the host. Source text and code come from the crates
//! `coldframe-frontend` and `coldframe-compiler`, which know nothing of objects.

#[cfg(any(target_arch = "wasm32", test))]
mod allocator;
pub mod builtins;
pub mod files;
pub mod heap;
#[cfg(target_arch = "wasm32")]
mod memory;
pub mod modules;
pub mod names;
pub mod objects;
pub mod packed;
pub mod transfer;
pub mod value;
pub mod vm;

#[cfg(target_arch = "wasm32")]
mod component;
