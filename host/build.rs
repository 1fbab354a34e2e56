//! Builds the guest, boots it, and compiles the booted image to machine code, so that none of it happens at run time.
//!
//! 1. A nested cargo compiles `coldframe-guest` to a WebAssembly component.
//! 2. wizer runs its export `boot` and freezes the memory: the interpreter wakes up with its types and modules in place.
//! 3. Cranelift compiles the frozen component for the target processor; the library embeds the result.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::{Command, exit};
use std::{env, fs};

use wasmtime::component::{Component, Instance, Lift, Linker, WasmList};
use wasmtime::{Config, Engine, OptLevel, Store};
use wasmtime_wizer::{ComponentInstanceState, Wizer};

#[path = "src/config.rs"]
mod config;
#[path = "build/licences.rs"]
mod licences;

const TARGET: &str = "wasm32-wasip2";

/// How often the interpreter's code runs in typical programs, which tells the compiler what to inline. `guest/tools/profile.py` makes it.
const PROFILE: &str = "guest/profile/interpreter.profdata";

/// Set by that tool: builds a guest that counts, and is several times as slow.
const COUNTING: &str = "COLDFRAME_COUNTING";

fn main() {
    let package = PathBuf::from(variable("CARGO_MANIFEST_DIR"));
    let out = PathBuf::from(variable("OUT_DIR"));
    let root = package
        .parent()
        .unwrap_or_else(|| fail("the package is not inside the workspace"));
    for input in [
        "guest",
        "wit",
        "Cargo.toml",
        "Cargo.lock",
        "host/src/config.rs",
        "host/build.rs",
        "host/build",
    ] {
        println!("cargo::rerun-if-changed={}", root.join(input).display());
    }
    println!("cargo::rerun-if-env-changed={COUNTING}");
    println!("cargo::rustc-check-cfg=cfg(coldframe_counting)");
    if counting() {
        println!("cargo::rustc-cfg=coldframe_counting");
    }
    let plain = build_guest(root, &out);
    let texts = licences::collect(
        root,
        &[
            ("coldframe", &variable("TARGET")),
            ("coldframe-guest", TARGET),
        ],
    )
    .unwrap_or_else(|e| fail(&format!("cannot collect the licences: {e}")));
    fs::write(out.join("licences.txt"), texts)
        .unwrap_or_else(|e| fail(&format!("cannot write the licences: {e}")));
    let (stamp, compiled) = (out.join("guest.stamp"), out.join("guest.cwasm"));
    // The booted component is kept for `benches/metering`, which compiles it with other settings.
    let kept = out.join("guest.wasm");
    let key = key(&plain);
    if compiled.exists() && kept.exists() && fs::read_to_string(&stamp).is_ok_and(|old| old == key)
    {
        return;
    }
    let booted = boot(&plain).unwrap_or_else(|e| fail(&format!("the guest does not boot: {e:#}")));
    let code =
        compile(&booted).unwrap_or_else(|e| fail(&format!("the guest does not compile: {e:#}")));
    let written = fs::write(kept, booted)
        .and_then(|()| fs::write(compiled, code))
        .and_then(|()| fs::write(stamp, key));
    written.unwrap_or_else(|e| fail(&format!("cannot write the guest: {e}")));
}

/// What the compiled guest is made of: the same key, the same result.
fn key(plain: &[u8]) -> String {
    let mut hasher = DefaultHasher::new();
    plain.hash(&mut hasher);
    variable("TARGET").hash(&mut hasher);
    // This very program, with its wasmtime and its settings.
    env::current_exe()
        .and_then(fs::read)
        .unwrap_or_default()
        .hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

/// Ends the build with one line.
fn fail(why: &str) -> ! {
    println!("cargo::error={}", why.replace('\n', "; "));
    exit(1)
}

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_else(|_| fail(&format!("cargo does not say {name}")))
}

/// The profile that the guest is compiled with, as `Cargo.toml` describes it.
fn guest_profile() -> &'static str {
    if variable("PROFILE") == "debug" {
        "guest-debug"
    } else {
        "guest"
    }
}

/// Whether the guest is to count how often its code runs.
fn counting() -> bool {
    env::var_os(COUNTING).is_some()
}

/// The compiler's arguments for the guest.
fn guest_flags(root: &Path) -> Vec<String> {
    let mut flags = vec![
        "-Clink-arg=-zstack-size=".to_owned() + &config::SHADOW_STACK.to_string(),
        "-Ctarget-feature=+simd128,+bulk-memory,+sign-ext,+nontrapping-fptoint".to_owned(),
        // The profile names functions by their symbols, whose default form is another one when unstable flags are allowed.
        "-Csymbol-mangling-version=v0".to_owned(),
    ];
    if counting() {
        // There is no runtime for profiles on this target; the guest hands its counters out itself. Counting the targets of indirect
        // calls would need one.
        for flag in [
            "-Cprofile-generate",
            "-Zno-profiler-runtime",
            "-Cllvm-args=-disable-vp=true",
            "--cfg=coldframe_counting",
        ] {
            flags.push(flag.to_owned());
        }
    } else if guest_profile() == "guest" {
        flags.push(format!("-Cprofile-use={}", root.join(PROFILE).display()));
    }
    flags
}

/// Compiles the guest in a target folder of its own (the outer cargo holds the lock of the usual one), which all
/// profiles of the host share.
fn build_guest(root: &Path, out: &Path) -> Vec<u8> {
    check_target();
    // OUT_DIR is TARGET_DIR/PROFILE/build/coldframe-HASH/out.
    let target_dir = out
        .ancestors()
        .nth(4)
        .unwrap_or(out)
        .join("coldframe-guest");
    let mut cargo = Command::new(variable("CARGO"));
    cargo
        .current_dir(root)
        .args([
            "build",
            "--quiet",
            "--lib",
            "--package",
            "coldframe-guest",
            "--profile",
            guest_profile(),
            "--target",
            TARGET,
        ])
        .arg("--target-dir")
        .arg(&target_dir);
    // What the outer build is done with (clippy's compiler wrapper, flags for the host's processor) is not for the guest.
    for name in [
        "RUSTFLAGS",
        "CARGO_ENCODED_RUSTFLAGS",
        "CARGO_BUILD_RUSTFLAGS",
        "CARGO_BUILD_TARGET",
        "CARGO_TARGET_DIR",
    ] {
        cargo.env_remove(name);
    }
    for name in ["RUSTC_WORKSPACE_WRAPPER", "CLIPPY_ARGS", "RUSTDOCFLAGS"] {
        cargo.env_remove(name);
    }
    if counting() {
        // Of the flags for counting, one is not stable.
        cargo.env("RUSTC_BOOTSTRAP", "1");
    }
    // Separated so, a path in them may have spaces.
    cargo.env("CARGO_ENCODED_RUSTFLAGS", guest_flags(root).join("\x1f"));
    match cargo.output() {
        Ok(output) if output.status.success() => {}
        Ok(output) => {
            eprintln!("{}", String::from_utf8_lossy(&output.stderr));
            fail("the guest does not build: see the compiler's messages")
        }
        Err(e) => fail(&format!("cannot run cargo for the guest: {e}")),
    }
    let wasm = target_dir
        .join(TARGET)
        .join(guest_profile())
        .join("coldframe_guest.wasm");
    fs::read(&wasm).unwrap_or_else(|e| fail(&format!("cannot read {}: {e}", wasm.display())))
}

/// The one thing a fresh machine may lack.
fn check_target() {
    let rustc = env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let libraries = Command::new(&rustc)
        .args(["--print", "target-libdir", "--target", TARGET])
        .output();
    let installed =
        libraries.is_ok_and(|o| Path::new(String::from_utf8_lossy(&o.stdout).trim()).is_dir());
    if !installed {
        fail(&format!(
            "the target {TARGET} is not installed: type `rustup target add {TARGET}` and build again"
        ));
    }
}

/// Runs `boot` in the component and freezes what it leaves in memory. Any call to the outside traps: what is frozen
/// must not depend on where it was built.
fn boot(plain: &[u8]) -> wasmtime::Result<Vec<u8>> {
    let mut wizer = Wizer::new();
    // Removing the export of a component leaves an alias to it behind, which is invalid. The host never calls it.
    wizer.keep_init_func(true);
    let (context, instrumented) = wizer.instrument_component(plain)?;
    let mut config = Config::new();
    config
        .wasm_component_model(true)
        .cranelift_opt_level(OptLevel::None)
        .max_wasm_stack(2 << 20);
    let engine = Engine::new(&config)?;
    let component = Component::new(&engine, &instrumented)?;
    let mut linker = Linker::<()>::new(&engine);
    linker.define_unknown_imports_as_traps(&component)?;
    let mut store = Store::new(&engine, ());
    let instance = linker.instantiate(&mut store, &component)?;
    instance
        .get_typed_func::<(), ()>(&mut store, "boot")?
        .call(&mut store, ())?;
    ready(wizer.snapshot_component(
        &context,
        &mut Booted {
            store: &mut store,
            instance,
        },
    ))
}

/// Compiles with the settings that the library loads with.
fn compile(booted: &[u8]) -> wasmtime::Result<Vec<u8>> {
    let mut config = config::shared();
    config
        .cranelift_opt_level(OptLevel::Speed)
        .generate_address_map(false);
    // Naming the target keeps the processor that builds out of it.
    config.target(&variable("TARGET"))?;
    if variable("CARGO_CFG_TARGET_ARCH") == "x86_64" {
        for flag in config::X86_64_FLAGS {
            // SAFETY: these flags say what the processor can do, and wasmtime compares them with the processor that
            // loads the code.
            unsafe { config.cranelift_flag_enable(flag) };
        }
    }
    Engine::new(&config)?.precompile_component(booted)
}

/// The booted component, as wizer looks into it. Its accessors are plain exports; nothing here waits.
struct Booted<'a> {
    store: &'a mut Store<()>,
    instance: Instance,
}

impl Booted<'_> {
    fn call<R: Lift + 'static, O>(
        &mut self,
        interface: &str,
        name: &str,
        use_it: impl FnOnce(&Store<()>, R) -> O,
    ) -> O {
        let call = |this: &mut Self| -> wasmtime::Result<R> {
            let missing = || wasmtime::Error::msg("wizer's accessor is missing");
            let (_, interface) = this
                .instance
                .get_export(&mut *this.store, None, interface)
                .ok_or_else(missing)?;
            let (_, function) = this
                .instance
                .get_export(&mut *this.store, Some(&interface), name)
                .ok_or_else(missing)?;
            let function = this
                .instance
                .get_typed_func::<(), (R,)>(&mut *this.store, function)?;
            Ok(function.call(&mut *this.store, ())?.0)
        };
        match call(self) {
            Ok(result) => use_it(&*self.store, result),
            Err(e) => fail(&format!(
                "cannot read the booted guest ({interface} {name}): {e:#}"
            )),
        }
    }
}

impl ComponentInstanceState for Booted<'_> {
    async fn call_func_ret_list_u8(
        &mut self,
        interface: &str,
        name: &str,
        contents: impl FnOnce(&[u8]) + Send,
    ) {
        self.call(interface, name, |store, list: WasmList<u8>| {
            contents(list.as_le_slice(store))
        });
    }

    async fn call_func_ret_s32(&mut self, interface: &str, name: &str) -> i32 {
        self.call(interface, name, |_, n| n)
    }

    async fn call_func_ret_s64(&mut self, interface: &str, name: &str) -> i64 {
        self.call(interface, name, |_, n| n)
    }

    async fn call_func_ret_f32(&mut self, interface: &str, name: &str) -> u32 {
        self.call(interface, name, |_, x: f32| x.to_bits())
    }

    async fn call_func_ret_f64(&mut self, interface: &str, name: &str) -> u64 {
        self.call(interface, name, |_, x: f64| x.to_bits())
    }
}

/// The result of a future that never waits.
fn ready<F: Future>(future: F) -> F::Output {
    match std::pin::pin!(future).poll(&mut std::task::Context::from_waker(std::task::Waker::noop()))
    {
        std::task::Poll::Ready(result) => result,
        std::task::Poll::Pending => fail("wizer waits for something"),
    }
}
