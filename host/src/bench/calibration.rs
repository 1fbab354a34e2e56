//! How much fuel this machine burns in a second, and how much a step of a program takes.
//!
//! Each kind of step is a statement whose operations are counted: the statement itself, and the names, constants, operators and calls that it evaluates,
//! those of a function that it calls included. It is repeated in a loop; what the empty loop takes is taken off.

use super::{FuelRange, KindRate, LEAST_TIME, Machine, Spread};
use crate::engine::Engine;
use crate::error::Error;
use crate::limits::Limits;
use crate::session::Usage;

/// The statements, and how many operations each is.
const KINDS: [(&str, u32); 12] = [
    ("x = y", 2),
    ("x = y + 1", 4),
    ("if x < y: pass", 5),
    ("x = half * y", 4),
    ("f(y)", 6),
    ("o.m()", 5),
    ("x = o.a", 3),
    ("x = items[3]", 4),
    ("table['k'] = y", 4),
    ("x = len(items)", 4),
    ("x = f'{y}!'", 5),
    ("x = [y, y, y]", 5),
];

/// How often a statement stands in the loop, how often that goes round, and how often it is all measured.
const COPIES: u32 = 16;
const TURNS: u32 = 1_000;
const ROUNDS: usize = 5;

fn program(statement: &str) -> String {
    let body = format!("        {statement}\n").repeat(COPIES as usize);
    format!(
        "class C:\n    def __init__(self): self.a = 1\n    def m(self): pass\n\
         def f(a): return a\n\
         def run(f, o, items, table, x, y, half):\n    for _ in range({TURNS}):\n{body}\n\
         run(f, C(), list(range(10)), {{'k': 1}}, 1, 2, 0.5)\n"
    )
}

/// Measures the machine that this runs on.
pub(super) async fn measure(engine: &Engine) -> Result<Machine, Error> {
    let mut empty: Vec<Usage> = Vec::new();
    let mut kinds: Vec<Vec<Usage>> = vec![Vec::new(); KINDS.len()];
    let nothing = program("pass");
    // The first round only warms up.
    for round in 0..=ROUNDS {
        let usage = run(engine, &nothing).await?;
        if round > 0 {
            empty.push(usage);
        }
        for ((statement, _), usages) in KINDS.iter().zip(&mut kinds) {
            let usage = run(engine, &program(statement)).await?;
            if round > 0 {
                usages.push(usage);
            }
        }
    }
    let base = fuel(&empty).most;
    let rates: Vec<KindRate> = KINDS
        .iter()
        .zip(&kinds)
        .map(|(&(statement, operations), usages)| {
            let fuel = fuel(usages).most;
            let count = f64::from(operations * COPIES * TURNS);
            let fuel_per_operation = fuel.saturating_sub(base) as f64 / count;
            let seconds = Spread::of(usages.iter().map(|u| u.duration.as_secs_f64()));
            // A clock that stands still would make the rate infinite.
            let seconds = seconds.map_or(LEAST_TIME, |s| s.median.max(1e-9));
            let fuel_per_second = fuel as f64 / seconds;
            KindRate {
                statement,
                operations,
                fuel_per_operation,
                nanoseconds_per_operation: fuel_per_operation / fuel_per_second * 1e9,
                fuel_per_second,
            }
        })
        .collect();
    let mean = |get: fn(&KindRate) -> f64| rates.iter().map(get).sum::<f64>() / rates.len() as f64;
    let per_second = Spread::of(rates.iter().map(|r| r.fuel_per_second));
    Ok(Machine {
        fuel_per_second: per_second.map_or(0.0, |s| s.median),
        least_fuel_per_second: rates
            .iter()
            .map(|r| r.fuel_per_second)
            .fold(f64::MAX, f64::min),
        fuel_per_operation: mean(|r| r.fuel_per_operation),
        nanoseconds_per_operation: mean(|r| r.nanoseconds_per_operation),
        fuel_is_identical: kinds.iter().chain([&empty]).all(|u| fuel(u).is_identical()),
        kinds: rates,
    })
}

fn fuel(usages: &[Usage]) -> FuelRange {
    let all = usages.iter().map(|u| FuelRange::of(u.fuel));
    all.reduce(FuelRange::with).unwrap_or(FuelRange::of(0))
}

async fn run(engine: &Engine, source: &str) -> Result<Usage, Error> {
    let mut session = engine.session(&Limits::default()).await?;
    let outcome = session.run(source).await?;
    match outcome.error {
        Some(error) => Err(Error::Run(error)),
        None => Ok(outcome.usage),
    }
}
