//! Compiles the guests that lie: components with the interface of the interpreter and none of its manners, for `system/hostile/liars.rs`.
//!
//! They are written in `system/hostile/liars.wat`: a line `;; guest NAME` starts one, what follows is the body of a core module. It gets a
//! function type `$NAME` for each export of the contract; a memory, an allocator and the exports that it does not have are added.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::exit;
use std::{env, fs};

use wasmtime::{Engine, OptLevel};
use wit_component::{ComponentEncoder, StringEncoding};
use wit_parser::abi::{AbiVariant, WasmType};
use wit_parser::{Resolve, WorldId, WorldItem};

#[path = "../host/src/config.rs"]
#[allow(dead_code, reason = "these guests are linked by nobody")]
mod config;

/// What a guest that does not say otherwise has: two megabytes, handed out without ever taking any back.
const MEMORY: &str = r#"(memory (export "memory") 32)"#;
const ALLOCATOR: &str = r#"
(global $top (mut i32) (i32.const 65536))
(func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32)
    (global.set $top (i32.and (i32.add (global.get $top) (i32.const 7)) (i32.const -8)))
    global.get $top
    (global.set $top (i32.add (global.get $top) (local.get 3))))
"#;

fn main() {
    for input in [
        "tests/build.rs",
        "tests/system/hostile/liars.wat",
        "wit",
        "host/src/config.rs",
    ] {
        println!("cargo::rerun-if-changed={}", root().join(input).display());
    }
    if let Err(e) = build() {
        println!("cargo::error={}", format!("{e:?}").replace('\n', "; "));
        exit(1);
    }
}

fn root() -> PathBuf {
    Path::new(&env::var("CARGO_MANIFEST_DIR").unwrap_or_default()).join("..")
}

fn build() -> wasmtime::Result<()> {
    let mut resolve = Resolve::default();
    let (package, _) = resolve.push_path(root().join("wit")).map_err(wrong)?;
    let world = resolve
        .select_world(&[package], Some("sandbox"))
        .map_err(wrong)?;
    let exports = exports(&resolve, world);
    let engine = engine()?;
    let out = PathBuf::from(env::var("OUT_DIR").map_err(wasmtime::Error::new)?);
    let text = fs::read_to_string(root().join("tests/system/hostile/liars.wat"))?;
    let mut table = String::from("[\n");
    for piece in text.split(";; guest ").skip(1) {
        let (name, body) = piece.split_once('\n').unwrap_or((piece, ""));
        let mut module = wat::parse_str(module(body, &exports))
            .map_err(|e| wasmtime::Error::msg(format!("{name}: {e}")))?;
        wit_component::embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8)
            .map_err(wrong)?;
        let mut encoder = ComponentEncoder::default().module(&module).map_err(wrong)?;
        let component = encoder
            .encode()
            .map_err(|e| wasmtime::Error::msg(format!("{name}: {e:?}")))?;
        fs::write(
            out.join(format!("{name}.cwasm")),
            engine.precompile_component(&component)?,
        )?;
        writeln!(
            table,
            "({name:?}, include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{name}.cwasm\"))),"
        )
        .map_err(wasmtime::Error::new)?;
    }
    fs::write(out.join("liars.rs"), table + "]\n")?;
    Ok(())
}

fn wrong(error: impl std::fmt::Debug) -> wasmtime::Error {
    wasmtime::Error::msg(format!("{error:?}"))
}

/// An engine that compiles with the settings that the library loads with; see `host/build.rs`.
fn engine() -> wasmtime::Result<Engine> {
    let mut config = config::shared();
    config
        .cranelift_opt_level(OptLevel::None)
        .generate_address_map(false);
    config.target(&env::var("TARGET").map_err(wasmtime::Error::new)?)?;
    if env::var("CARGO_CFG_TARGET_ARCH").is_ok_and(|arch| arch == "x86_64") {
        for flag in config::X86_64_FLAGS {
            // SAFETY: these flags say what the processor can do, and wasmtime compares them with the processor that
            // loads the code.
            unsafe { config.cranelift_flag_enable(flag) };
        }
    }
    Engine::new(&config)
}

/// Names of the exports, and their core types as text.
fn exports(resolve: &Resolve, world: WorldId) -> Vec<(String, String)> {
    let functions = resolve.worlds[world].exports.values();
    functions
        .filter_map(|item| match item {
            WorldItem::Function(function) => Some(function),
            _ => None,
        })
        .map(|function| {
            let signature = resolve.wasm_signature(AbiVariant::GuestExport, function);
            let list = |word: &str, types: &[WasmType]| {
                let types: String = types.iter().map(|t| format!(" {}", core(*t))).collect();
                if types.is_empty() {
                    String::new()
                } else {
                    format!("({word}{types})")
                }
            };
            let kind = list("param", &signature.params) + &list("result", &signature.results);
            (function.name.clone(), kind)
        })
        .collect()
}

fn core(kind: WasmType) -> &'static str {
    match kind {
        WasmType::I64 | WasmType::PointerOrI64 => "i64",
        WasmType::F32 => "f32",
        WasmType::F64 => "f64",
        _ => "i32",
    }
}

/// The text of a whole module.
fn module(body: &str, exports: &[(String, String)]) -> String {
    let mut text = String::from("(module\n");
    for (name, kind) in exports {
        text += &format!("(type ${name} (func {kind}))\n");
    }
    text += body;
    if !body.contains("(export \"memory\")") {
        text += MEMORY;
    }
    if !body.contains("(export \"cabi_realloc\")") {
        text += ALLOCATOR;
    }
    for (name, _) in exports {
        if !body.contains(&format!("(export \"{name}\")")) {
            text += &format!("(func (export \"{name}\") (type ${name}) unreachable)\n");
        }
    }
    text + ")"
}
