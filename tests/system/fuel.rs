//! What programs cost: the fuel of those in `fuel/`, against the table `fuel.tsv`.
//!
//! Fuel counts instructions of the compiled interpreter, so it is the same on every machine and in every run: a slower interpreter shows here, whatever
//! else the machine does. It is another one for another compiler and another profile. The compiler is the one that `rust-toolchain.toml` names; a
//! debug build makes the interpreter with fewer optimisations, so there is nothing to compare there and the test looks only at whether the
//! programs run.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use coldframe::{Policy, RunOptions};
use coldframe_tests::{block_on, engine, limits};

/// What a program may cost more or less than the table says, in percent.
const MARGIN: u64 = 3;

/// Says that the table is to be written anew.
const UPDATE: &str = "COLDFRAME_UPDATE";
const COMMAND: &str = "COLDFRAME_UPDATE=fuel cargo test --release --workspace --test system fuel::";

const HEADING: &str = "program\tfuel\n";

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("system")
}

/// The programs by name.
fn programs() -> BTreeMap<String, String> {
    let folder = folder().join("fuel");
    let entries = fs::read_dir(&folder).expect("the folder of programs");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    paths
        .filter(|path| path.extension().is_some_and(|e| e == "py"))
        .map(|path| {
            let name = path.file_stem().expect("a name").to_string_lossy();
            let source = fs::read_to_string(&path).expect("a program");
            (name.into_owned(), source)
        })
        .collect()
}

/// The fuel of a program in a fresh session in which clock and chance stand still.
fn fuel(name: &str, source: &str) -> u64 {
    let at = SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000);
    let policy = Policy::from(limits()).with_clock(at).with_seed(7);
    let options = RunOptions::default().file_name(format!("{name}.py"));
    let outcome = block_on(async {
        let mut session = engine().session(&policy).await.expect("a session");
        session.run_with(source, options).await.expect("a run")
    });
    assert_eq!(outcome.error, None, "{name}");
    outcome.usage.fuel
}

fn read(table: &str) -> BTreeMap<String, u64> {
    let rows = table.lines().skip(1).filter_map(|line| {
        let (name, fuel) = line.split_once('\t')?;
        Some((name.to_owned(), fuel.parse().ok()?))
    });
    rows.collect()
}

fn write(table: &BTreeMap<String, u64>) -> String {
    let mut text = HEADING.to_owned();
    for (name, fuel) in table {
        // A string takes it.
        let _ = writeln!(text, "{name}\t{fuel}");
    }
    text
}

/// What differs by more than the margin, a line each: rises, then what else there is to say.
fn differences(
    old: &BTreeMap<String, u64>,
    new: &BTreeMap<String, u64>,
) -> (Vec<String>, Vec<String>) {
    let (mut rises, mut others) = (Vec::new(), Vec::new());
    for (name, &now) in new {
        let Some(&before) = old.get(name) else {
            rises.push(format!(
                "  {name}: {now} units, and the table has no such program"
            ));
            continue;
        };
        let change = (now as f64 / before as f64 - 1.0) * 100.0;
        let line = format!("  {name}: {before} -> {now} units of fuel ({change:+.1}%)");
        if now * 100 > before * (100 + MARGIN) {
            rises.push(line);
        } else if now * 100 < before * (100 - MARGIN) {
            others.push(line);
        }
    }
    for name in old.keys().filter(|name| !new.contains_key(*name)) {
        rises.push(format!(
            "  {name}: in the table, but there is no such program"
        ));
    }
    (rises, others)
}

#[test]
fn programs_cost_no_more_than_the_table_says() {
    let programs = programs();
    assert!(programs.len() >= 12, "{} programs", programs.len());
    let costs = |_| -> BTreeMap<String, u64> {
        let costs = programs
            .iter()
            .map(|(name, source)| (name.clone(), fuel(name, source)));
        costs.collect()
    };
    let [new, again] = [0, 1].map(costs);
    assert_eq!(new, again, "fuel is not the same in every run");
    if cfg!(debug_assertions) {
        return;
    }
    let path = folder().join("fuel.tsv");
    let old = read(&fs::read_to_string(&path).unwrap_or_default());
    let (rises, falls) = differences(&old, &new);
    if std::env::var(UPDATE).is_ok_and(|what| what == "fuel") {
        fs::write(&path, write(&new)).expect("the table is written");
        // Shown with `--nocapture`, and by the difference of the file itself.
        println!("{}", [rises, falls].concat().join("\n"));
        return;
    }
    assert!(
        rises.is_empty(),
        "programs cost more than {MARGIN}% above tests/system/fuel.tsv:\n{}\n\
         Where this is meant, write the table anew and commit it: {COMMAND}",
        rises.join("\n")
    );
    if !falls.is_empty() {
        println!(
            "programs cost less than tests/system/fuel.tsv says; so that it stays so, write it anew: {COMMAND}\n{}",
            falls.join("\n")
        );
    }
}

#[test]
fn a_rise_beyond_the_margin_is_told_and_a_fall_only_noted() {
    let table = |rows: &[(&str, u64)]| -> BTreeMap<String, u64> {
        rows.iter()
            .map(|(name, fuel)| ((*name).to_owned(), *fuel))
            .collect()
    };
    let old = table(&[("a", 1000), ("b", 1000), ("c", 1000), ("d", 1000)]);
    let new = table(&[("a", 1030), ("b", 1031), ("c", 900), ("e", 5)]);
    let (rises, falls) = differences(&old, &new);
    assert_eq!(
        rises,
        [
            "  b: 1000 -> 1031 units of fuel (+3.1%)",
            "  e: 5 units, and the table has no such program",
            "  d: in the table, but there is no such program",
        ]
    );
    assert_eq!(falls, ["  c: 1000 -> 900 units of fuel (-10.0%)"]);
    assert_eq!(read(&write(&old)), old);
}
