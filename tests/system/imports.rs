//! What the compiled guest may ask of its host.

use coldframe_tests::engine;

/// The one interface of ours, and what Rust's standard library for wasm32-wasip2 imports whether it is used or not.
/// The stubs behind the latter give nothing: no environment, no arguments, no input, output that goes nowhere.
/// This list may shrink. It must not grow.
const ALLOWED: &[&str] = &[
    "coldframe:sandbox/host@0.1.0",
    "wasi:cli/environment@0.2.6",
    "wasi:cli/exit@0.2.6",
    "wasi:cli/stderr@0.2.6",
    "wasi:cli/stdin@0.2.6",
    "wasi:cli/stdout@0.2.6",
    "wasi:cli/terminal-input@0.2.6",
    "wasi:cli/terminal-output@0.2.6",
    "wasi:cli/terminal-stderr@0.2.6",
    "wasi:cli/terminal-stdin@0.2.6",
    "wasi:cli/terminal-stdout@0.2.6",
    "wasi:io/error@0.2.6",
    "wasi:io/poll@0.2.6",
    "wasi:io/streams@0.2.6",
];

#[test]
fn the_guest_imports_nothing_but_what_is_listed() {
    assert_eq!(engine().guest_imports(), ALLOWED);
}
