//! The part of wasmtime's configuration that the compiled component depends on.
//!
//! The build script compiles the guest ahead of time and the library loads the result; wasmtime refuses a component
//! whose settings differ from the engine's. So both take them from here (`build.rs` includes this file by path), and
//! nothing in this file may use what only one of them has.

/// The guest's shadow stack, in bytes: where Rust code in WebAssembly keeps what has an address. The linker is told
/// so by the build script.
///
/// A little more than a whole number of page tables (2 MiB), so that the hot end of the stack and the constants behind it share one.
pub const SHADOW_STACK: usize = (8 << 20) + (256 << 10);

/// How deep the native stack of WebAssembly code may grow. Clearly below [`SHADOW_STACK`], so that runaway recursion
/// in the guest ends with wasmtime's stack overflow and not by running off the end of the shadow stack.
#[allow(dead_code, reason = "only the library runs programs")]
pub const NATIVE_STACK: usize = 4 << 20;

/// What an x86-64 processor must have to run the compiled guest: the instructions of x86-64-v2, which every such
/// processor has had since 2009. wasmtime checks them when the component is loaded.
#[allow(dead_code, reason = "only the build script compiles")]
pub const X86_64_FLAGS: [&str; 5] = [
    "has_sse3",
    "has_ssse3",
    "has_sse41",
    "has_sse42",
    "has_popcnt",
];

/// The settings that compiled code and engine must agree on.
pub fn shared() -> wasmtime::Config {
    let mut config = wasmtime::Config::new();
    config
        .wasm_component_model(true)
        .consume_fuel(true)
        .epoch_interruption(true)
        .memory_init_cow(true)
        // Nothing symbolises guest frames: a Python traceback comes from the interpreter.
        .native_unwind_info(false)
        .wasm_backtrace_max_frames(None);
    config
}
