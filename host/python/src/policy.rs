//! Keyword arguments as a policy with its limits.

use std::time::{Duration, SystemTime};

use coldframe::{Cut, Limits, Policy};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors;

/// Reads the options of `coldframe.Sandbox`. `None` always means the preset's own.
pub(crate) fn read(py: Python<'_>, options: &Bound<'_, PyDict>) -> PyResult<Policy> {
    let preset = match options.get_item("preset")? {
        Some(name) => name.extract::<String>()?,
        None => "default".to_owned(),
    };
    let mut policy = Policy::preset(&preset).ok_or_else(|| {
        errors::named(py, "PolicyError", format!("there is no preset {preset:?}"))
    })?;
    let mut limits = policy.limits().to_builder();
    for (name, value) in options.iter() {
        let name: String = name.extract()?;
        if value.is_none() || name == "preset" {
            continue;
        }
        match name.as_str() {
            "imports" => policy = policy.with_imports(names(&value)?),
            "more_imports" => policy = policy.with_more_imports(names(&value)?),
            "denied_imports" => policy = policy.with_denied_imports(names(&value)?),
            "removed_builtins" => policy = policy.with_removed_builtins(names(&value)?),
            "dunders" => policy = policy.with_dunders_refused_but(names(&value)?),
            "while_iterations" => policy = policy.with_while_iterations(value.extract()?),
            "clock" => policy = policy.with_clock(moment(py, value.extract()?)?),
            "seed" => policy = policy.with_seed(value.extract()?),
            "time_zone" => policy = policy.with_time_zone(value.extract::<String>()?),
            "cut_middle" => policy = policy.with_cut(Cut::middle(value.extract()?)),
            "cut_end" => policy = policy.with_cut(Cut::end(value.extract()?)),
            "agent_texts" => {
                if value.extract()? {
                    policy = policy.with_agent_texts();
                }
            }
            "fuel" => limits = limits.fuel(value.extract()?),
            "operations" => limits = limits.operations(value.extract()?),
            "time" => limits = limits.time(length(py, value.extract()?)?),
            "memory" => limits = limits.memory(value.extract()?),
            "output" => limits = limits.output(value.extract()?),
            "recursion" => limits = limits.recursion(value.extract()?),
            "files" => limits = limits.files(value.extract()?),
            "tool_calls" => limits = limits.tool_calls(value.extract()?),
            "tool_bytes" => limits = limits.tool_bytes(value.extract()?),
            "count_tool_time" => limits = limits.count_tool_time(value.extract()?),
            _ => {
                return Err(PyTypeError::new_err(format!("there is no option {name:?}")));
            }
        }
    }
    let limits: Limits = limits.build().map_err(|e| errors::of_limit(py, &e))?;
    Ok(policy.with_limits(limits))
}

fn names(value: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    value.try_iter()?.map(|name| name?.extract()).collect()
}

fn length(py: Python<'_>, seconds: f64) -> PyResult<Duration> {
    Duration::try_from_secs_f64(seconds)
        .map_err(|_| errors::named(py, "PolicyError", format!("a time of {seconds} seconds")))
}

fn moment(py: Python<'_>, seconds: f64) -> PyResult<SystemTime> {
    SystemTime::UNIX_EPOCH
        .checked_add(length(py, seconds)?)
        .ok_or_else(|| errors::named(py, "PolicyError", format!("a clock at {seconds} seconds")))
}
