//! The policy that the arguments describe.

use coldframe::{LimitError, LimitName, Limits, Policy};

use super::Refusal;
use super::args::Rules;

/// The preset's policy with what the other arguments say.
pub(super) fn policy(rules: &Rules, fuel: Option<u64>) -> Result<Policy, Refusal> {
    let mut policy = rules
        .preset
        .as_deref()
        .and_then(Policy::preset)
        .unwrap_or_default();
    let limits = limits(rules, fuel, policy.limits())?;
    policy = policy.with_limits(limits);
    if !rules.allow.is_empty() {
        let allowed = names(&rules.allow);
        policy = if rules.preset.as_deref().unwrap_or("default") == "default" {
            policy.with_imports(allowed)
        } else {
            policy.with_more_imports(allowed)
        };
    }
    if !rules.deny.is_empty() {
        policy = policy.with_denied_imports(names(&rules.deny));
    }
    if let Some(clock) = rules.clock {
        policy = policy.with_clock(clock);
    }
    if let Some(seed) = rules.seed {
        policy = policy.with_seed(seed);
    }
    if let Some(zone) = &rules.time_zone {
        policy = policy.with_time_zone(zone);
    }
    Ok(policy)
}

/// The names of a list; an empty text has none.
fn names(given: &[String]) -> &[String] {
    match given {
        [only] if only.is_empty() => &[],
        names => names,
    }
}

fn limits(rules: &Rules, fuel: Option<u64>, preset: &Limits) -> Result<Limits, Refusal> {
    let mut builder = preset.to_builder();
    if let Some(fuel) = fuel {
        builder = builder.fuel(fuel);
    }
    if let Some(time) = rules.timeout {
        builder = builder.time(time);
    }
    if let Some(memory) = rules.memory {
        builder = builder.memory(memory);
    }
    if let Some(output) = rules.max_output {
        builder = builder.output(output);
    }
    if let Some(frames) = rules.recursion {
        builder = builder.recursion(frames);
    }
    if let Some(files) = rules.max_files {
        builder = builder.files(files);
    }
    builder.build().map_err(|e| refused(&e))
}

/// A limit without sense, named as on the command line.
pub(super) fn refused(error: &LimitError) -> Refusal {
    let flag = match error.limit {
        LimitName::Fuel => "--fuel",
        LimitName::Time => "--timeout",
        LimitName::Memory => "--memory",
        LimitName::Output => "--max-output",
        LimitName::Files => "--max-files",
        LimitName::Recursion => "--recursion",
        _ => "limit",
    };
    Refusal::bad_input(format!("{flag} {}: {}", error.given, error.reason))
}
