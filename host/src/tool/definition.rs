//! What a tool looks like to Python: its signature, checked here so that the sandbox gets only what a `def` statement could have said.

use std::sync::Arc;

use super::{Mode, Set, Tool, Tools};
use crate::value::{EncodeError, Value};

/// The kinds of parameters, in the order in which they come and with the numbers of `inspect`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    PositionalOnly = 0,
    PositionalOrKeyword = 1,
    VarPositional = 2,
    KeywordOnly = 3,
    VarKeyword = 4,
}

/// A parameter of a tool.
///
/// ```
/// use coldframe::{Parameter, Tool, Tools, Value};
/// // def search(query, /, limit: int = 10, *sites, exact=False, **filters)
/// let search = Tool::new("search")
///     .parameter(Parameter::positional_only("query"))
///     .parameter(Parameter::new("limit").annotation("int").default(10))
///     .parameter(Parameter::var_positional("sites"))
///     .parameter(Parameter::keyword_only("exact").default(false))
///     .parameter(Parameter::var_keyword("filters"))
///     .function(|call| async move { Ok(call.get("query").cloned().unwrap_or(Value::None)) });
/// assert!(Tools::new([search]).is_ok());
/// ```
#[derive(Clone, Debug)]
pub struct Parameter {
    pub(super) name: String,
    pub(super) kind: Kind,
    annotation: Option<String>,
    default: Option<Value>,
}

impl Parameter {
    fn of(name: impl Into<String>, kind: Kind) -> Parameter {
        Parameter {
            name: name.into(),
            kind,
            annotation: None,
            default: None,
        }
    }

    /// An ordinary parameter: given by position or by keyword.
    pub fn new(name: impl Into<String>) -> Parameter {
        Parameter::of(name, Kind::PositionalOrKeyword)
    }

    /// A parameter that is given by position only, as before a `/`.
    pub fn positional_only(name: impl Into<String>) -> Parameter {
        Parameter::of(name, Kind::PositionalOnly)
    }

    /// A parameter that is given by keyword only, as after a `*`.
    pub fn keyword_only(name: impl Into<String>) -> Parameter {
        Parameter::of(name, Kind::KeywordOnly)
    }

    /// `*name`: the further positional arguments, as a tuple.
    pub fn var_positional(name: impl Into<String>) -> Parameter {
        Parameter::of(name, Kind::VarPositional)
    }

    /// `**name`: the further keyword arguments, as a dict.
    pub fn var_keyword(name: impl Into<String>) -> Parameter {
        Parameter::of(name, Kind::VarKeyword)
    }

    /// The annotation, as Python source. Programs see what it means in the namespace of `typing`, or the text if that has no such name.
    pub fn annotation(mut self, text: impl Into<String>) -> Self {
        self.annotation = Some(text.into());
        self
    }

    /// The value when no argument is given.
    pub fn default(mut self, value: impl Into<Value>) -> Self {
        self.default = Some(value.into());
        self
    }

    fn encode(&self) -> Value {
        let mut items = vec![
            Value::from(self.name.as_str()),
            Value::Int(self.kind as i64),
            text(self.annotation.as_ref()),
        ];
        items.extend(self.default.clone());
        Value::List(items)
    }
}

fn text(text: Option<&String>) -> Value {
    text.map_or(Value::None, |text| Value::from(text.as_str()))
}

/// What is wrong with a set of tools.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ToolsError {
    /// A name that no `def` or `class` statement could bind.
    #[error("{name:?} is not a Python identifier")]
    Identifier {
        /// The name.
        name: String,
    },
    /// Two tools or exception classes have the same name.
    #[error("there are two definitions of {name:?}")]
    Twice {
        /// The name.
        name: String,
    },
    /// A tool's parameters are none that a function could have.
    #[error("tool {tool:?}: {reason}")]
    Signature {
        /// The tool.
        tool: String,
        /// What is wrong.
        reason: String,
    },
    /// An exception class derives from something that is not known.
    #[error("exception class {name:?}: there is no class {base:?} to derive from")]
    Base {
        /// The class.
        name: String,
        /// What it should derive from.
        base: String,
    },
    /// A default cannot enter the sandbox.
    #[error("a default cannot enter the sandbox: {0}")]
    Encode(#[from] EncodeError),
}

/// The built-in exception classes that can be made from a message.
const EXCEPTIONS: &[&str] = &[
    "ArithmeticError",
    "AssertionError",
    "AttributeError",
    "BaseException",
    "BlockingIOError",
    "BrokenPipeError",
    "BufferError",
    "ChildProcessError",
    "ConnectionAbortedError",
    "ConnectionError",
    "ConnectionRefusedError",
    "ConnectionResetError",
    "EOFError",
    "Exception",
    "FileExistsError",
    "FileNotFoundError",
    "FloatingPointError",
    "ImportError",
    "IndexError",
    "InterruptedError",
    "IsADirectoryError",
    "KeyError",
    "KeyboardInterrupt",
    "LookupError",
    "MemoryError",
    "ModuleNotFoundError",
    "NameError",
    "NotADirectoryError",
    "NotImplementedError",
    "OSError",
    "OverflowError",
    "PermissionError",
    "ProcessLookupError",
    "RecursionError",
    "ReferenceError",
    "RuntimeError",
    "SystemError",
    "SystemExit",
    "TimeoutError",
    "TypeError",
    "UserWarning",
    "ValueError",
    "Warning",
    "ZeroDivisionError",
];

const KEYWORDS: &[&str] = &[
    "False",
    "None",
    "True",
    "and",
    "as",
    "assert",
    "async",
    "await",
    "break",
    "class",
    "continue",
    "def",
    "del",
    "elif",
    "else",
    "except",
    "finally",
    "for",
    "from",
    "global",
    "if",
    "import",
    "in",
    "is",
    "lambda",
    "nonlocal",
    "not",
    "or",
    "pass",
    "raise",
    "return",
    "try",
    "while",
    "with",
    "yield",
    "__debug__",
];

fn check_identifier(name: &str) -> Result<(), ToolsError> {
    let mut chars = name.chars();
    let starts = |c: char| c == '_' || c.is_alphabetic();
    let is_one = chars.next().is_some_and(starts)
        && chars.all(|c| c == '_' || c.is_alphanumeric())
        && !KEYWORDS.contains(&name);
    if is_one {
        Ok(())
    } else {
        Err(ToolsError::Identifier {
            name: name.to_owned(),
        })
    }
}

/// An exception class that tools raise.
#[derive(Clone, Debug)]
struct ErrorClass {
    name: String,
    base: String,
    doc: Option<String>,
}

/// A set of tools that is being put together; made by [`Tools::builder`].
#[derive(Default, Debug)]
pub struct ToolsBuilder {
    tools: Vec<Tool>,
    classes: Vec<ErrorClass>,
}

impl ToolsBuilder {
    /// Adds a tool.
    pub fn tool(mut self, tool: Tool) -> Self {
        self.tools.push(tool);
        self
    }

    /// Declares an exception class that programs see by its name, so that they can catch what a tool raises by
    /// [`ToolError::new`](crate::ToolError::new). It derives from a built-in exception or one that was declared before.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
    /// use coldframe::{Engine, Limits, Tool, ToolError, Tools};
    ///
    /// let tools = Tools::builder()
    ///     .exception("WeatherError", "LookupError")
    ///     .tool(Tool::new("weather").function(|_| async { Err(ToolError::new("WeatherError", "no sky")) }))
    ///     .build()?;
    /// let mut session = Engine::new()?.session(&Limits::default()).await?;
    /// session.set_tools(&tools).await?;
    /// let outcome = session.run("try: weather()\nexcept WeatherError as e: print(e)").await?;
    /// assert_eq!(outcome.output.stdout(), "no sky\n");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap();
    /// ```
    pub fn exception(self, name: impl Into<String>, base: impl Into<String>) -> Self {
        self.class(name.into(), base.into(), None)
    }

    /// Declares an exception class with documentation; see [`ToolsBuilder::exception`].
    pub fn exception_with_doc(
        self,
        name: impl Into<String>,
        base: impl Into<String>,
        doc: impl Into<String>,
    ) -> Self {
        self.class(name.into(), base.into(), Some(doc.into()))
    }

    fn class(mut self, name: String, base: String, doc: Option<String>) -> Self {
        self.classes.push(ErrorClass { name, base, doc });
        self
    }

    /// Checks all definitions and encodes them.
    pub fn build(self) -> Result<Tools, ToolsError> {
        let ToolsBuilder { mut tools, classes } = self;
        let mut names: Vec<&str> = Vec::new();
        for (at, class) in classes.iter().enumerate() {
            check_identifier(&class.name)?;
            let is_known = EXCEPTIONS.binary_search(&class.base.as_str()).is_ok()
                || classes[..at].iter().any(|c| c.name == class.base);
            if !is_known {
                return Err(ToolsError::Base {
                    name: class.name.clone(),
                    base: class.base.clone(),
                });
            }
            names.push(&class.name);
        }
        tools.sort_by(|a, b| a.name().cmp(b.name()));
        for tool in &tools {
            check_identifier(tool.name())?;
            check_signature(tool)?;
            names.push(tool.name());
        }
        names.sort_unstable();
        if let Some(pair) = names.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(ToolsError::Twice {
                name: pair[0].to_owned(),
            });
        }
        let encoded = encode(&classes, &tools).encode()?;
        Ok(Tools(Arc::new(Set { tools, encoded })))
    }
}

fn check_signature(tool: &Tool) -> Result<(), ToolsError> {
    let wrong = |reason: String| {
        Err(ToolsError::Signature {
            tool: tool.name().to_owned(),
            reason,
        })
    };
    let parameters = &tool.0.parameters;
    if parameters.len() > 255 {
        return wrong("more than 255 parameters".to_owned());
    }
    let mut defaults = false;
    for (at, parameter) in parameters.iter().enumerate() {
        let name = &parameter.name;
        check_identifier(name)?;
        if parameters[..at].iter().any(|p| p.name == *name) {
            return wrong(format!("two parameters are named {name:?}"));
        }
        let is_variadic = matches!(parameter.kind, Kind::VarPositional | Kind::VarKeyword);
        if let Some(before) = at.checked_sub(1).map(|i| &parameters[i])
            && (before.kind > parameter.kind || is_variadic && before.kind == parameter.kind)
        {
            return wrong(format!(
                "parameter {name:?} cannot follow {:?}: the order is positional-only, ordinary, *args, keyword-only, **kwargs, with at \
                 most one of each kind with stars",
                before.name
            ));
        }
        match (parameter.kind, &parameter.default) {
            (_, Some(_)) if is_variadic => {
                return wrong(format!(
                    "parameter {name:?} has a star and so cannot have a default"
                ));
            }
            (Kind::PositionalOnly | Kind::PositionalOrKeyword, default) => {
                if defaults && default.is_none() {
                    return wrong(format!(
                        "parameter {name:?} without a default follows one with a default"
                    ));
                }
                defaults = default.is_some();
            }
            _ => {}
        }
    }
    let annotations = parameters.iter().filter_map(|p| p.annotation.as_deref());
    for text in annotations.chain(tool.0.returns.as_deref()) {
        if text.trim().is_empty() || text.contains('\0') {
            return wrong(format!("annotation {text:?} is no expression"));
        }
    }
    Ok(())
}

fn encode(classes: &[ErrorClass], tools: &[Tool]) -> Value {
    let classes = classes
        .iter()
        .map(|c| {
            let (name, base) = (c.name.as_str().into(), c.base.as_str().into());
            Value::List(vec![name, base, text(c.doc.as_ref())])
        })
        .collect();
    let tools = tools
        .iter()
        .map(|tool| {
            let tool = &*tool.0;
            Value::List(vec![
                tool.name.as_str().into(),
                text(tool.doc.as_ref()),
                Value::Int(mode_number(tool.mode)),
                text(tool.returns.as_ref()),
                Value::List(tool.parameters.iter().map(Parameter::encode).collect()),
            ])
        })
        .collect();
    Value::List(vec![Value::List(classes), Value::List(tools)])
}

fn mode_number(mode: Mode) -> i64 {
    mode as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(name: &str, parameters: impl IntoIterator<Item = Parameter>) -> Tool {
        parameters
            .into_iter()
            .fold(Tool::new(name), |t, p| t.parameter(p))
            .function(|_| async { Ok(Value::None) })
    }

    fn refused(parameters: impl IntoIterator<Item = Parameter>) -> String {
        Tools::new([tool("t", parameters)]).unwrap_err().to_string()
    }

    #[test]
    fn names_are_checked() {
        for name in ["", "1a", "a b", "a.b", "lambda", "None", "a-b"] {
            let error = Tools::new([tool(name, [])]).unwrap_err();
            assert_eq!(
                error.to_string(),
                format!("{name:?} is not a Python identifier")
            );
            assert!(refused([Parameter::new(name)]).ends_with("is not a Python identifier"));
        }
        assert!(Tools::new([tool("größe", [])]).is_ok());
        assert_eq!(
            Tools::new([tool("t", []), tool("t", [])])
                .unwrap_err()
                .to_string(),
            "there are two definitions of \"t\""
        );
        assert_eq!(
            refused([Parameter::new("x"), Parameter::keyword_only("x")]),
            "tool \"t\": two parameters are named \"x\""
        );
    }

    #[test]
    fn the_order_of_parameters_is_that_of_python() {
        let order = "the order is positional-only, ordinary, *args, keyword-only, **kwargs, with at most one of each kind with stars";
        assert_eq!(
            refused([Parameter::new("x"), Parameter::positional_only("y")]),
            format!("tool \"t\": parameter \"y\" cannot follow \"x\": {order}")
        );
        assert!(
            refused([
                Parameter::var_positional("x"),
                Parameter::var_positional("y")
            ])
            .ends_with(order)
        );
        assert!(refused([Parameter::var_keyword("x"), Parameter::new("y")]).ends_with(order));
        assert_eq!(
            refused([
                Parameter::positional_only("x").default(1),
                Parameter::new("y")
            ]),
            "tool \"t\": parameter \"y\" without a default follows one with a default"
        );
        assert_eq!(
            refused([Parameter::var_keyword("x").default(1)]),
            "tool \"t\": parameter \"x\" has a star and so cannot have a default"
        );
        let good = [
            Parameter::positional_only("a"),
            Parameter::new("b").default(1),
            Parameter::keyword_only("c").default(1),
            Parameter::keyword_only("d"),
        ];
        assert!(Tools::new([tool("t", good)]).is_ok());
    }

    #[test]
    fn exception_classes_need_a_base() {
        let built = |name: &str, base: &str| Tools::builder().exception(name, base).build();
        assert!(EXCEPTIONS.is_sorted());
        assert!(built("MyError", "ValueError").is_ok());
        assert!(
            Tools::builder()
                .exception("A", "Exception")
                .exception("B", "A")
                .build()
                .is_ok()
        );
        assert_eq!(
            built("MyError", "Nothing").unwrap_err().to_string(),
            "exception class \"MyError\": there is no class \"Nothing\" to derive from"
        );
        assert!(built("MyError", "MyError").is_err());
        assert!(built("1", "ValueError").is_err());
    }
}
