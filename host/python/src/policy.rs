//! Keyword arguments as a policy with its limits.

use std::time::{Duration, SystemTime};

use coldframe::{Cut, Error, Limits, LimitsBuilder, Policy};
use pyo3::exceptions::{PyException, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors;

/// The policy of a `coldframe.Sandbox`.
#[pyclass(frozen, module = "coldframe._native")]
pub(crate) struct Rules {
    pub(crate) policy: Policy,
}

#[pymethods]
impl Rules {
    /// Reads the options of `coldframe.Sandbox`. `None` always means the preset's own.
    #[new]
    fn new(py: Python<'_>, options: &Bound<'_, PyDict>) -> PyResult<Rules> {
        let policy = read(py, options)?;
        Ok(Rules { policy })
    }
}

/// The modules that a preset allows; `None` if it allows all that there are.
#[pyfunction]
pub(crate) fn preset_imports(py: Python<'_>, preset: &str) -> PyResult<Option<Vec<String>>> {
    let policy = of_preset(py, preset)?;
    Ok(policy.imports().map(<[String]>::to_vec))
}

fn of_preset(py: Python<'_>, preset: &str) -> PyResult<Policy> {
    Policy::preset(preset).ok_or_else(|| refused(py, format!("there is no preset {preset:?}")))
}

fn refused(py: Python<'_>, message: String) -> PyErr {
    errors::named(py, "PolicyError", message)
}

fn read(py: Python<'_>, options: &Bound<'_, PyDict>) -> PyResult<Policy> {
    let preset = match options.get_item("preset")? {
        Some(name) if !name.is_none() => name.extract::<String>()?,
        _ => "default".to_owned(),
    };
    let mut policy = of_preset(py, &preset)?;
    let mut limits = policy.limits().to_builder();
    for (name, value) in options.iter() {
        let name: String = name.extract()?;
        if value.is_none() || name == "preset" {
            continue;
        }
        let read = one_option(&name, &value, policy, limits).and_then(|(policy, limits)| {
            // Here the option is known that it is about.
            policy.check().map_err(|e| match e {
                Error::Policy { reason } => refused(py, reason),
                other => refused(py, other.to_string()),
            })?;
            Ok((policy, limits))
        });
        (policy, limits) = read.map_err(|error| about(py, &name, &value, error))?;
    }
    let limits: Limits = limits.build().map_err(|e| errors::of_limit(py, &e))?;
    Ok(policy.with_limits(limits))
}

/// Says which option it is about.
fn about(py: Python<'_>, name: &str, value: &Bound<'_, PyAny>, error: PyErr) -> PyErr {
    if !error.is_instance_of::<PyException>(py) {
        return error;
    }
    let shown = value.repr().map_or_else(
        |_| "?".to_owned(),
        |text| text.to_string_lossy().into_owned(),
    );
    let shown: String = shown.chars().take(80).collect();
    let message = format!("option {name}={shown}: {}", error.value(py));
    let made = if error.is_instance_of::<PyTypeError>(py) {
        PyTypeError::new_err(message)
    } else {
        refused(py, message)
    };
    made.set_cause(py, Some(error));
    made
}

fn one_option(
    name: &str,
    value: &Bound<'_, PyAny>,
    policy: Policy,
    limits: LimitsBuilder,
) -> PyResult<(Policy, LimitsBuilder)> {
    let py = value.py();
    let policy = match name {
        "imports" => policy.with_imports(names(value)?),
        "more_imports" => policy.with_more_imports(names(value)?),
        "denied_imports" => policy.with_denied_imports(names(value)?),
        "removed_builtins" => policy.with_removed_builtins(names(value)?),
        "dunders" => policy.with_dunders_refused_but(names(value)?),
        "while_iterations" => policy.with_while_iterations(value.extract()?),
        "clock" => policy.with_clock(moment(py, value.extract()?)?),
        "seed" => policy.with_seed(value.extract()?),
        "time_zone" => policy.with_time_zone(value.extract::<String>()?),
        "cut_middle" => policy.with_cut(Cut::middle(value.extract()?)),
        "cut_end" => policy.with_cut(Cut::end(value.extract()?)),
        "agent_texts" if value.extract()? => policy.with_agent_texts(),
        _ => {
            return Ok((policy, one_limit(name, value, limits)?));
        }
    };
    Ok((policy, limits))
}

fn one_limit(
    name: &str,
    value: &Bound<'_, PyAny>,
    limits: LimitsBuilder,
) -> PyResult<LimitsBuilder> {
    let py = value.py();
    Ok(match name {
        "agent_texts" => limits,
        "fuel" => limits.fuel(value.extract()?),
        "operations" => {
            let (count, most) = (
                value.extract()?,
                Limits::MAX_FUEL / Limits::FUEL_PER_OPERATION,
            );
            if !(1..=most).contains(&count) {
                return Err(refused(py, format!("must be 1 to {most}")));
            }
            limits.operations(count)
        }
        "time" => limits.time(length(py, value.extract()?)?),
        "memory" => limits.memory(value.extract()?),
        "output" => limits.output(value.extract()?),
        "recursion" => limits.recursion(value.extract()?),
        "files" => limits.files(value.extract()?),
        "tool_calls" => limits.tool_calls(value.extract()?),
        "tool_bytes" => limits.tool_bytes(value.extract()?),
        "count_tool_time" => limits.count_tool_time(value.extract()?),
        _ => {
            return Err(PyTypeError::new_err("there is no such option"));
        }
    })
}

fn names(value: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    value.try_iter()?.map(|name| name?.extract()).collect()
}

fn length(py: Python<'_>, seconds: f64) -> PyResult<Duration> {
    Duration::try_from_secs_f64(seconds).map_err(|e| refused(py, e.to_string()))
}

fn moment(py: Python<'_>, seconds: f64) -> PyResult<SystemTime> {
    if seconds < 0.0 {
        let before = "a clock before 1970, where the clocks of a sandbox begin";
        return Err(refused(py, before.to_owned()));
    }
    SystemTime::UNIX_EPOCH
        .checked_add(length(py, seconds)?)
        .ok_or_else(|| refused(py, "too late".to_owned()))
}
