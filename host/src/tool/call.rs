//! What the body of a tool gets: the arguments, bound to the parameters, and a way to report progress.

use std::any::Any;
use std::sync::{Arc, Mutex, PoisonError};

use super::definition::Kind;
use super::{Inner, ToolError};
use crate::object::{ObjectType, Objects};
use crate::value::Value;

/// Receives what tools report while they run: the tool's name and the value.
pub type ProgressSink = Box<dyn FnMut(&str, Value) + Send>;

/// The sink of the run that is under way, if it has one.
pub(super) type SharedSink = Arc<Mutex<Option<ProgressSink>>>;

/// One call of a tool.
pub struct Call {
    tool: Arc<Inner>,
    arguments: Vec<Value>,
    sink: SharedSink,
    objects: Objects,
}

impl Call {
    /// Binds what the sandbox sent. It comes in the order of registers, in which `*args` follows the keyword-only parameters.
    pub(super) fn bind(
        tool: &Arc<Inner>,
        arguments: Value,
        sink: SharedSink,
        objects: Objects,
    ) -> Result<Call, ToolError> {
        let wrong = || {
            ToolError::new(
                "TypeError",
                format!(
                    "{}(): the arguments do not fit the tool that the host has",
                    tool.name
                ),
            )
        };
        let Value::List(mut arguments) = arguments else {
            return Err(wrong());
        };
        let parameters = &tool.parameters;
        if arguments.len() != parameters.len() {
            return Err(wrong());
        }
        if let Some(star) = parameters
            .iter()
            .position(|p| p.kind == Kind::VarPositional)
        {
            let last = parameters.len()
                - usize::from(
                    parameters
                        .last()
                        .is_some_and(|p| p.kind == Kind::VarKeyword),
                );
            arguments[star..last].rotate_right(1);
        }
        let fits = |(parameter, value): (&super::Parameter, &Value)| match parameter.kind {
            Kind::VarPositional => matches!(value, Value::Tuple(_)),
            Kind::VarKeyword => matches!(value, Value::Dict(_)),
            _ => true,
        };
        if !parameters.iter().zip(&arguments).all(fits) {
            return Err(wrong());
        }
        Ok(Call {
            tool: tool.clone(),
            arguments,
            sink,
            objects,
        })
    }

    /// The tool's name.
    pub fn name(&self) -> &str {
        &self.tool.name
    }

    /// One value for each parameter, in their order: defaults are filled in, `*args` is a tuple, `**kwargs` a dict.
    pub fn arguments(&self) -> &[Value] {
        &self.arguments
    }

    /// The value of a parameter; `None` when the tool has no such parameter.
    pub fn get(&self, parameter: &str) -> Option<&Value> {
        let at = self
            .tool
            .parameters
            .iter()
            .position(|p| p.name == parameter)?;
        self.arguments.get(at)
    }

    /// Takes the value of a parameter out, leaving `None` (Python's).
    pub fn take(&mut self, parameter: &str) -> Value {
        let at = self
            .tool
            .parameters
            .iter()
            .position(|p| p.name == parameter);
        match at.and_then(|at| self.arguments.get_mut(at)) {
            Some(value) => std::mem::replace(value, Value::None),
            None => Value::None,
        }
    }

    /// The `str` given for a parameter; a `TypeError` for the program when it is something else.
    pub fn str(&self, parameter: &str) -> Result<&str, ToolError> {
        match self.get(parameter) {
            Some(Value::Str(text)) => Ok(text),
            _ => Err(self.wrong(parameter, "a str")),
        }
    }

    /// The `int` of 64 bits given for a parameter; a `TypeError` for the program when it is something else.
    pub fn int(&self, parameter: &str) -> Result<i64, ToolError> {
        match self.get(parameter) {
            Some(Value::Int(n)) => Ok(*n),
            Some(Value::Bool(b)) => Ok(i64::from(*b)),
            _ => Err(self.wrong(parameter, "an int of 64 bits")),
        }
    }

    /// The `float` or `int` given for a parameter; a `TypeError` for the program when it is something else.
    pub fn float(&self, parameter: &str) -> Result<f64, ToolError> {
        match self.get(parameter) {
            Some(Value::Float(x)) => Ok(*x),
            Some(Value::Int(n)) => Ok(*n as f64),
            _ => Err(self.wrong(parameter, "a float")),
        }
    }

    /// The `bool` given for a parameter; a `TypeError` for the program when it is something else.
    pub fn bool(&self, parameter: &str) -> Result<bool, ToolError> {
        match self.get(parameter) {
            Some(Value::Bool(b)) => Ok(*b),
            _ => Err(self.wrong(parameter, "a bool")),
        }
    }

    /// The host's object given for a parameter: the very one that was handed in. An error for the program when it is something else, or when the number
    /// that it sent is not one of this session's.
    pub fn object<T: Any + Send + Sync>(&self, parameter: &str) -> Result<Arc<T>, ToolError> {
        let value = self.get(parameter).unwrap_or(&Value::None);
        self.find_object(value).map_err(|error| {
            let name = &self.tool.name;
            ToolError::new(
                error.type_name,
                format!("{name}(): argument '{parameter}': {}", error.message),
            )
        })
    }

    /// The host's object that a value stands for, wherever it was in the arguments.
    pub fn find_object<T: Any + Send + Sync>(&self, value: &Value) -> Result<Arc<T>, ToolError> {
        self.objects.find(value)
    }

    /// A value that stands for an object of the host in this session, to be returned (as it is, or inside another value).
    ///
    /// # Errors
    /// When the session holds as many objects as it may.
    pub fn hand_in<T: Any + Send + Sync>(
        &self,
        kind: &ObjectType<T>,
        object: Arc<T>,
    ) -> Result<Value, ToolError> {
        self.objects.hand_in(kind, object)
    }

    fn wrong(&self, parameter: &str, wanted: &str) -> ToolError {
        let name = &self.tool.name;
        ToolError::new(
            "TypeError",
            format!("{name}(): argument '{parameter}' must be {wanted}"),
        )
    }

    /// Reports progress to the sink of the run ([`RunOptions::on_progress`](crate::RunOptions::on_progress)); without one it is lost.
    pub fn progress(&self, value: impl Into<Value>) {
        let mut sink = self.sink.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(sink) = &mut *sink {
            sink(&self.tool.name, value.into());
        }
    }
}

impl std::fmt::Debug for Call {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Call")
            .field("tool", &self.tool.name)
            .field("arguments", &self.arguments)
            .finish_non_exhaustive()
    }
}
