//! What every remote interpreter that holds our module does: requests to it, and what is made of the answers. How they get there is the business of each.

use std::time::Duration;

use serde_json::Value as Json;

use super::{BackendError, Changes, Marks, Place, program};
use crate::limits::Limits;
use crate::session::Variable;
use crate::tool::{Tools, remote};
use crate::value::Value;

/// How long a request other than a run may take.
pub(super) const SERVICE: Duration = Duration::from_secs(60);
/// How long packages may take to install.
const INSTALL: Duration = Duration::from_secs(600);

/// An interpreter that holds our module, or will before it is asked.
pub(super) trait Interpreter: Send {
    fn at(&self) -> Place;

    fn limits(&self) -> &Limits;

    /// A text without secrets.
    fn masked(&self, text: &str) -> String;

    /// Asks the module, and returns its record.
    fn ask(
        &mut self,
        request: &Json,
        time: Duration,
    ) -> impl Future<Output = Result<Json, BackendError>> + Send;
}

pub(super) async fn install(
    this: &mut impl Interpreter,
    packages: &[String],
) -> Result<(), BackendError> {
    let place = this.at();
    let request = program::install(place, packages)?;
    if packages.is_empty() {
        return Ok(());
    }
    let record = this.ask(&request, INSTALL).await?;
    if record["status"] == 0 {
        return Ok(());
    }
    Err(BackendError::Install {
        place,
        packages: packages.join(", "),
        reason: this.masked(record["text"].as_str().unwrap_or_default().trim()),
    })
}

pub(super) async fn set_variables(
    this: &mut impl Interpreter,
    variables: &[(String, Value)],
) -> Result<(), BackendError> {
    let pairs = variables.iter().map(|(name, value)| (name, value));
    let request = program::set(pairs, &[], &[], this.limits())?;
    this.ask(&request, SERVICE).await.map(|_| ())
}

pub(super) async fn get_variable(
    this: &mut impl Interpreter,
    name: &str,
) -> Result<Option<Value>, BackendError> {
    let request = program::get(name, this.limits());
    match this.ask(&request, SERVICE).await {
        Ok(record) => program::variable(name, &record),
        Err(BackendError::Protocol { reason, .. }) => Err(BackendError::Variable {
            name: name.to_owned(),
            reason,
        }),
        Err(error) => Err(error),
    }
}

pub(super) async fn list_variables(
    this: &mut impl Interpreter,
    repr_limit: u32,
) -> Result<Vec<Variable>, BackendError> {
    let record = this.ask(&program::list(repr_limit), SERVICE).await?;
    Ok(program::variables(&record))
}

pub(super) async fn set_tools(
    this: &mut impl Interpreter,
    tools: &Tools,
) -> Result<(), BackendError> {
    let request = program::tools(tools, this.limits())?;
    this.ask(&request, SERVICE).await.map(|_| ())
}

pub(super) async fn changes(
    this: &mut impl Interpreter,
    marks: &Marks,
) -> Result<Changes, BackendError> {
    let request = program::changes(marks, this.limits());
    let record = this.ask(&request, SERVICE).await?;
    Ok(program::changed(this.at(), &record))
}

pub(super) async fn apply(
    this: &mut impl Interpreter,
    changes: &Changes,
) -> Result<Marks, BackendError> {
    let pairs = changes.changed.iter().map(|(name, _, value)| (name, value));
    let request = program::set(pairs, &changes.gone, &changes.modules, this.limits())?;
    let record = this.ask(&request, SERVICE).await?;
    Ok(program::marks(&record))
}

/// Refuses tools that have to be called here, for a place that has no way back.
#[cfg_attr(
    not(feature = "e2b"),
    allow(dead_code, reason = "the others have a way back")
)]
pub(super) fn refuse_calls(place: Place, tools: &Tools) -> Result<(), BackendError> {
    match remote::called(tools) {
        None => Ok(()),
        Some(name) => Err(BackendError::Unsupported {
            place,
            reason: format!(
                "the tool '{name}' is called in this process, and programs there have no way back to it; they have one on local, jupyter, docker, blaxel and modal"
            ),
        }),
    }
}
