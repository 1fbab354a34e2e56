//! What fuel and epochs cost: the same programs in the same booted interpreter, compiled with both, with either, and with neither.
//!
//! ```sh
//! cargo run --release --manifest-path host/benches/metering/Cargo.toml -- GUEST.wasm host/benches/programs/*.py
//! ```
//!
//! `GUEST.wasm` is the booted component, which the build script of `coldframe` leaves beside what it compiles from it:
//! `target/release/build/coldframe-*/out/guest.wasm`. The engines take turns, and what is printed are medians in milliseconds and their ratio to the engine that meters
//! nothing. No limit holds here: this is no sandbox.

use std::time::Instant;
use std::{env, fs};

use wasmtime::component::{Component, Linker, Val};
use wasmtime::error::Context;
use wasmtime::{Config, Engine, OptLevel, Result, Store, bail, format_err};

/// How often each program runs on each engine; the first time does not count.
const ROUNDS: usize = 4;

/// The settings: fuel, epochs.
const SETTINGS: [(bool, bool); 4] = [(false, false), (true, false), (false, true), (true, true)];

const HOST: &str = "coldframe:sandbox/host@0.1.0";

struct Setting {
    engine: Engine,
    component: Component,
    fuel: bool,
}

impl Setting {
    fn new(guest: &[u8], fuel: bool, epochs: bool) -> Result<Setting> {
        let mut config = Config::new();
        config
            .wasm_component_model(true)
            .cranelift_opt_level(OptLevel::Speed)
            .consume_fuel(fuel)
            .epoch_interruption(epochs)
            .max_wasm_stack(1 << 20);
        let engine = Engine::new(&config)?;
        let component = Component::new(&engine, guest)?;
        Ok(Setting {
            engine,
            component,
            fuel,
        })
    }

    /// Runs a program in a fresh sandbox; answers the milliseconds that it took.
    fn run(&self, source: &str) -> Result<f64> {
        let mut linker = Linker::<Instant>::new(&self.engine);
        linker.allow_shadowing(true);
        linker.define_unknown_imports_as_traps(&self.component)?;
        let mut host = linker.instance(HOST)?;
        host.func_new("write", |_, _, _, results| {
            results[0] = Val::Bool(true);
            Ok(())
        })?;
        host.func_new("wall-clock", |_, _, _, results| {
            results[0] = Val::U64(0);
            Ok(())
        })?;
        host.func_new("monotonic-clock", |store, _, _, results| {
            results[0] = Val::U64(store.data().elapsed().as_nanos() as u64);
            Ok(())
        })?;
        host.func_new("entropy", |_, _, arguments, results| {
            let Val::U32(count) = arguments[0] else {
                return Err(wasmtime::Error::msg("entropy takes a number"));
            };
            results[0] = Val::List((0..count).map(|n| Val::U8(n as u8)).collect());
            Ok(())
        })?;
        host.func_new("checkpoint", |_, _, _, results| {
            results[0] = Val::Enum("go-on".to_owned());
            Ok(())
        })?;
        let mut store = Store::new(&self.engine, Instant::now());
        if self.fuel {
            store.set_fuel(u64::MAX / 2)?;
        }
        // Without epochs there is no deadline to set; with them it is one that never comes.
        store.set_epoch_deadline(u64::MAX / 2);
        let instance = linker.instantiate(&mut store, &self.component)?;
        let run = instance
            .get_func(&mut store, "run")
            .context("the guest has no `run`")?;
        let options = Val::Record(vec![
            ("file-name".to_owned(), Val::String("program.py".to_owned())),
            ("recursion-limit".to_owned(), Val::U32(1000)),
            ("want-value".to_owned(), Val::Bool(false)),
            ("last".to_owned(), Val::Bool(false)),
            ("top-level-await".to_owned(), Val::Bool(false)),
        ]);
        let mut results = [Val::Bool(false)];
        let started = Instant::now();
        run.call(
            &mut store,
            &[Val::String(source.to_owned()), options],
            &mut results,
        )?;
        let took = started.elapsed().as_secs_f64() * 1e3;
        match &results[0] {
            Val::Result(Ok(_)) => Ok(took),
            other => bail!("the program failed: {other:?}"),
        }
    }
}

fn median(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn main() -> Result<()> {
    let mut arguments = env::args().skip(1);
    let guest = arguments
        .next()
        .ok_or_else(|| format_err!("which component? See the top of main.rs"))?;
    let guest = fs::read(&guest).with_context(|| format!("cannot read {guest}"))?;
    let settings = SETTINGS
        .into_iter()
        .map(|(fuel, epochs)| Setting::new(&guest, fuel, epochs))
        .collect::<Result<Vec<_>>>()?;
    println!("| program | neither | fuel | epochs | both |\n|---|---|---|---|---|");
    let mut logs = [0.0; SETTINGS.len()];
    let mut count = 0.0;
    for path in arguments {
        let source = fs::read_to_string(&path).with_context(|| format!("cannot read {path}"))?;
        let mut times = vec![Vec::new(); settings.len()];
        for round in 0..ROUNDS {
            for (setting, times) in settings.iter().zip(&mut times) {
                let took = setting.run(&source).with_context(|| path.clone())?;
                if round > 0 {
                    times.push(took);
                }
            }
        }
        let medians: Vec<f64> = times.iter_mut().map(|times| median(times)).collect();
        print!("| {path} ");
        for (time, log) in medians.iter().zip(&mut logs) {
            print!("| {time:.0} ms ({:.2}) ", time / medians[0]);
            *log += (time / medians[0]).ln();
        }
        println!("|");
        count += 1.0;
    }
    print!("| geometric mean ");
    for log in logs {
        print!("| {:.2} ", (log / count).exp());
    }
    println!("|");
    Ok(())
}
