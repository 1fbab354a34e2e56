//! What is more than data of a built-in type: instances of classes, and objects that stay outside.

use std::fmt;

use super::{InvalidValue, Value};

/// Which class an object is of.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ClassName {
    /// `__module__`; `__main__` for the classes of the program itself.
    pub module: String,
    /// `__qualname__`, such as `Color` or `Outer.Inner`.
    pub name: String,
}

impl ClassName {
    /// A class of a module.
    pub fn new(module: impl Into<String>, name: impl Into<String>) -> ClassName {
        ClassName {
            module: module.into(),
            name: name.into(),
        }
    }

    /// A class of the program itself.
    pub fn main(name: impl Into<String>) -> ClassName {
        ClassName::new("__main__", name)
    }
}

impl fmt::Display for ClassName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.module, self.name)
    }
}

/// A `slice`.
#[derive(Clone, Debug, PartialEq)]
pub struct Slice {
    /// `start`
    pub start: Value,
    /// `stop`
    pub stop: Value,
    /// `step`
    pub step: Value,
}

/// A member of an `enum.Enum`.
#[derive(Clone, Debug, PartialEq)]
pub struct EnumMember {
    /// The enum.
    pub class: ClassName,
    /// The member's name; a combination of flags may have none.
    pub name: Option<String>,
    /// Its value.
    pub value: Value,
}

/// An instance of a dataclass: its fields in their order.
#[derive(Clone, Debug, PartialEq)]
pub struct Dataclass {
    /// The class.
    pub class: ClassName,
    /// Names and values.
    pub fields: Vec<(String, Value)>,
}

impl Dataclass {
    /// The field of that name.
    pub fn get(&self, name: &str) -> Option<&Value> {
        field(&self.fields, name)
    }
}

/// An instance of a `collections.namedtuple` or `typing.NamedTuple`: its fields in their order.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedTuple {
    /// The class.
    pub class: ClassName,
    /// Names and values.
    pub fields: Vec<(String, Value)>,
}

impl NamedTuple {
    /// The field of that name.
    pub fn get(&self, name: &str) -> Option<&Value> {
        field(&self.fields, name)
    }
}

fn field<'a>(fields: &'a [(String, Value)], name: &str) -> Option<&'a Value> {
    fields.iter().find(|(n, _)| n == name).map(|(_, v)| v)
}

/// An exception, as data: what it was raised with. Its traceback, cause and attributes stay inside.
#[derive(Clone, Debug, PartialEq)]
pub struct Exception {
    /// The class; that of built-in ones is in `builtins`.
    pub class: ClassName,
    /// `args`
    pub args: Vec<Value>,
}

/// What kind of path a [`Path`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PathKind {
    /// `pathlib.PosixPath`, which `pathlib.Path` makes.
    Posix,
    /// `pathlib.PurePosixPath`
    PurePosix,
    /// `pathlib.PureWindowsPath`
    PureWindows,
}

impl PathKind {
    /// The name of the class.
    pub fn class_name(self) -> &'static str {
        match self {
            PathKind::Posix => "PosixPath",
            PathKind::PurePosix => "PurePosixPath",
            PathKind::PureWindows => "PureWindowsPath",
        }
    }

    pub(super) fn of_class(name: &str) -> Option<PathKind> {
        [PathKind::Posix, PathKind::PurePosix, PathKind::PureWindows]
            .into_iter()
            .find(|kind| kind.class_name() == name)
    }
}

/// A path of `pathlib`. The text is taken as it is: it names nothing on the host.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Path {
    /// Which class.
    pub kind: PathKind,
    /// The text, as `str()` gives it.
    pub text: String,
}

/// A `uuid.UUID`: its sixteen bytes, the most significant first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Uuid(pub [u8; 16]);

/// As `str()` has it: `12345678-1234-5678-1234-567812345678`.
impl fmt::Display for Uuid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, byte) in self.0.iter().enumerate() {
            if matches!(i, 4 | 6 | 8 | 10) {
                f.write_str("-")?;
            }
            write!(f, "{byte:02x}")?;
        }
        Ok(())
    }
}

/// With hyphens or without.
impl std::str::FromStr for Uuid {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Uuid, InvalidValue> {
        let digits: Vec<u8> = text
            .chars()
            .filter(|&c| c != '-')
            .map(|c| c.to_digit(16).map(|d| d as u8))
            .collect::<Option<_>>()
            .filter(|digits: &Vec<u8>| digits.len() == 32)
            .ok_or_else(|| InvalidValue::new("a UUID is 32 hexadecimal digits"))?;
        let mut bytes = [0; 16];
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks(2)) {
            *byte = pair[0] << 4 | pair[1];
        }
        Ok(Uuid(bytes))
    }
}

/// What stands in the sandbox for an object of the host: opaque to the program, equal to others by its number.
///
/// What comes out of a sandbox may carry any number: whoever keeps the objects looks it up, and finds nothing for one that was not
/// handed in.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Handle {
    /// Which object it is.
    pub id: u64,
    /// The name of its type, for messages.
    pub type_name: String,
    /// What `repr()` shows of it.
    pub repr: String,
}
