//! Objects of the host that programs hold by stand-ins: the table of a session, and the types with what programs may read of them.
//!
//! The number of an object is valid in one session only. What comes out of the sandbox may carry any number; one that was not handed in is not found.

use std::any::Any;
use std::collections::{BTreeMap, HashMap};
use std::marker::PhantomData;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::tool::ToolError;
use crate::value::{Handle, Value};

type Thing = Arc<dyn Any + Send + Sync>;
/// Reads something of an object of any type.
type Reader<R> = Arc<dyn Fn(&(dyn Any + Send + Sync)) -> R + Send + Sync>;
type Getter = Reader<Result<Value, ToolError>>;

/// Objects that one session may hold.
const MAX_OBJECTS: usize = 65_536;

/// The longest text of `repr()`, in bytes.
const MAX_REPR: usize = 65_536;

#[derive(Clone)]
struct TypeInner {
    name: String,
    repr: Option<Reader<String>>,
    attributes: BTreeMap<String, Getter>,
}

/// A type of host objects: its name in Python, the text that `repr()` shows, and the attributes that programs may read. Nothing else of an object can
/// be seen from inside.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
/// use std::sync::Arc;
/// use coldframe::{Engine, Limits, ObjectType, Parameter, Tool, Tools, Value};
///
/// struct Table { rows: Vec<String> }
///
/// let tables = ObjectType::<Table>::new("Table")
///     .repr(|table| format!("<Table of {} rows>", table.rows.len()))
///     .attribute("rows", |table| Ok(Value::Int(table.rows.len() as i64)));
/// let load = Tool::new("load").function(move |call| {
///     let tables = tables.clone();
///     async move { call.hand_in(&tables, Arc::new(Table { rows: vec!["first".into()] })) }
/// });
/// let first = Tool::new("first")
///     .parameter(Parameter::new("table"))
///     .function(|call| async move { Ok(call.object::<Table>("table")?.rows[0].as_str().into()) });
/// let tools = Tools::new([load, first])?;
///
/// let mut session = Engine::new()?.session(&Limits::default()).await?;
/// session.set_tools(&tools).await?;
/// let outcome = session.run("t = load()\nprint(t, t.rows, first(t))").await?;
/// assert_eq!(outcome.output.stdout(), "<Table of 1 rows> 1 first\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # }).unwrap();
/// ```
pub struct ObjectType<T> {
    inner: Arc<TypeInner>,
    of: PhantomData<fn(&T)>,
}

impl<T> Clone for ObjectType<T> {
    fn clone(&self) -> Self {
        ObjectType {
            inner: self.inner.clone(),
            of: PhantomData,
        }
    }
}

/// Makes getters of objects whose type is known from getters of any object.
fn typed<T: Any + Send + Sync, R>(
    read: impl Fn(&T) -> R + Send + Sync + 'static,
    otherwise: impl Fn() -> R + Send + Sync + 'static,
) -> Reader<R> {
    Arc::new(move |object| object.downcast_ref::<T>().map_or_else(&otherwise, &read))
}

impl<T: Any + Send + Sync> ObjectType<T> {
    /// A type of that name, without attributes; `repr()` shows `<name>`.
    pub fn new(name: impl Into<String>) -> Self {
        ObjectType {
            inner: Arc::new(TypeInner {
                name: name.into(),
                repr: None,
                attributes: BTreeMap::new(),
            }),
            of: PhantomData,
        }
    }

    /// What `repr()` shows; it is asked for when the object enters the sandbox.
    pub fn repr(self, text: impl Fn(&T) -> String + Send + Sync + 'static) -> Self {
        self.change(|inner| inner.repr = Some(typed(text, String::new)))
    }

    /// Registers an attribute that programs may read. It must not block for long. Names that begin with two underscores are Python's own.
    pub fn attribute(
        self,
        name: impl Into<String>,
        read: impl Fn(&T) -> Result<Value, ToolError> + Send + Sync + 'static,
    ) -> Self {
        let getter = typed(read, || {
            Err(ToolError::runtime("an object of another type"))
        });
        self.change(|inner| {
            inner.attributes.insert(name.into(), getter);
        })
    }

    /// Changes the type; clones that were made before stay as they are.
    fn change(mut self, change: impl FnOnce(&mut TypeInner)) -> Self {
        change(Arc::make_mut(&mut self.inner));
        self
    }
}

impl<T> std::fmt::Debug for ObjectType<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let attributes: Vec<_> = self.inner.attributes.keys().collect();
        f.debug_struct("ObjectType")
            .field("name", &self.inner.name)
            .field("attributes", &attributes)
            .finish_non_exhaustive()
    }
}

struct Entry {
    thing: Thing,
    kind: Arc<TypeInner>,
    /// How many stand-ins the sandbox has.
    entered: u64,
}

/// Where an object and its type lie: what an entry holds does not move.
type Identity = (usize, usize);

impl Entry {
    fn identity(&self) -> Identity {
        let thing = Arc::as_ptr(&self.thing).cast::<()>().addr();
        (thing, Arc::as_ptr(&self.kind).addr())
    }
}

#[derive(Default)]
struct Table {
    entries: HashMap<u64, Entry>,
    /// The numbers by what they stand for.
    numbers: HashMap<Identity, u64>,
    last: u64,
}

/// The objects that one session holds. Clones are the same.
#[derive(Clone, Default)]
pub(crate) struct Objects(Arc<Mutex<Table>>);

fn unknown(id: u64) -> ToolError {
    ToolError::new(
        "ValueError",
        format!("the host has no object {id} in this session"),
    )
}

impl Objects {
    fn table(&self) -> MutexGuard<'_, Table> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Enters an object; the same object gets the same number as long as the session holds it.
    pub(crate) fn hand_in<T: Any + Send + Sync>(
        &self,
        kind: &ObjectType<T>,
        object: Arc<T>,
    ) -> Result<Value, ToolError> {
        let kind = &kind.inner;
        let mut repr = match &kind.repr {
            Some(repr) => repr(&*object),
            None => format!("<{}>", kind.name),
        };
        repr.truncate(repr.floor_char_boundary(MAX_REPR));
        let entry = Entry {
            thing: object,
            kind: kind.clone(),
            entered: 0,
        };
        let identity = entry.identity();
        let mut table = self.table();
        let known = table.numbers.get(&identity).copied();
        let id = match known {
            Some(id) => id,
            None => {
                if table.entries.len() >= MAX_OBJECTS {
                    return Err(ToolError::runtime(format!(
                        "the session holds {MAX_OBJECTS} objects of the host, which is the most"
                    )));
                }
                table.last += 1;
                let id = table.last;
                table.entries.insert(id, entry);
                table.numbers.insert(identity, id);
                id
            }
        };
        Ok(Value::Handle(Box::new(Handle {
            id,
            type_name: kind.name.clone(),
            repr,
        })))
    }

    /// The object that a value stands for.
    pub(crate) fn find<T: Any + Send + Sync>(&self, value: &Value) -> Result<Arc<T>, ToolError> {
        let Value::Handle(handle) = value else {
            return Err(ToolError::new("TypeError", "no object of the host"));
        };
        let table = self.table();
        let entry = table
            .entries
            .get(&handle.id)
            .ok_or_else(|| unknown(handle.id))?;
        let name = &entry.kind.name;
        entry.thing.clone().downcast::<T>().map_err(|_| {
            ToolError::new(
                "TypeError",
                format!("an object of type '{name}' is the wrong one"),
            )
        })
    }

    /// Counts the stand-ins that a value makes in the sandbox, before it enters. All its objects must be this session's.
    pub(crate) fn enter(&self, value: &Value) -> Result<(), ToolError> {
        let mut found = Vec::new();
        collect(value, &mut found);
        if found.is_empty() {
            return Ok(());
        }
        let mut table = self.table();
        if let Some(id) = found.iter().find(|id| !table.entries.contains_key(id)) {
            return Err(unknown(*id));
        }
        for id in found {
            if let Some(entry) = table.entries.get_mut(&id) {
                entry.entered += 1;
            }
        }
        Ok(())
    }

    /// A stand-in is gone; with the last one the session lets go of the object.
    pub(crate) fn release(&self, id: u64) {
        let mut table = self.table();
        let Some(entry) = table.entries.get_mut(&id) else {
            return;
        };
        entry.entered = entry.entered.saturating_sub(1);
        let gone = match entry.entered {
            0 => table.entries.remove(&id),
            _ => None,
        };
        if let Some(gone) = &gone {
            table.numbers.remove(&gone.identity());
        }
        // The object's own code runs when it is dropped: not under the lock.
        drop(table);
        drop(gone);
    }

    /// Reads an attribute of an object.
    pub(crate) fn attribute(&self, id: u64, name: &str) -> Result<Value, ToolError> {
        let (thing, kind) = {
            let table = self.table();
            let entry = table.entries.get(&id).ok_or_else(|| unknown(id))?;
            (entry.thing.clone(), entry.kind.clone())
        };
        match kind.attributes.get(name) {
            Some(read) => read(&*thing),
            None => Err(ToolError::new(
                "AttributeError",
                format!("'{}' object has no attribute '{name}'", kind.name),
            )),
        }
    }

    /// The same objects under the same numbers, for a session that is a copy of this one.
    pub(crate) fn duplicate(&self) -> Objects {
        let table = self.table();
        let entries = table
            .entries
            .iter()
            .map(|(id, entry)| {
                let entry = Entry {
                    thing: entry.thing.clone(),
                    kind: entry.kind.clone(),
                    entered: entry.entered,
                };
                (*id, entry)
            })
            .collect();
        Objects(Arc::new(Mutex::new(Table {
            entries,
            numbers: table.numbers.clone(),
            last: table.last,
        })))
    }

    #[cfg(test)]
    fn len(&self) -> usize {
        self.table().entries.len()
    }
}

/// The numbers of all objects in a value. Values that can be encoded are not deeper than the encoder allows.
fn collect(value: &Value, found: &mut Vec<u64>) {
    let mut todo = vec![value];
    while let Some(value) = todo.pop() {
        if let Value::Handle(handle) = value {
            found.push(handle.id);
        }
        todo.extend(value.parts());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_held_as_long_as_the_sandbox_has_stand_ins() {
        let (objects, kind) = (Objects::default(), ObjectType::<String>::new("Text"));
        let text = Arc::new("hello".to_owned());
        let value = objects.hand_in(&kind, text.clone()).expect("room");
        assert_eq!(objects.hand_in(&kind, text.clone()), Ok(value.clone()));
        let Value::Handle(handle) = &value else {
            panic!("no handle");
        };
        assert_eq!((handle.id, handle.repr.as_str()), (1, "<Text>"));
        let twice = Value::List(vec![value.clone(), Value::Tuple(vec![value.clone()])]);
        objects.enter(&twice).expect("known");
        assert_eq!(Arc::strong_count(&text), 2);
        objects.release(1);
        objects.release(7);
        assert_eq!(
            objects
                .find::<String>(&value)
                .expect("still there")
                .as_str(),
            "hello"
        );
        objects.release(1);
        objects.release(1);
        assert_eq!((objects.len(), Arc::strong_count(&text)), (0, 1));
        assert_eq!(objects.find::<String>(&value), Err(unknown(1)));
        assert_eq!(objects.enter(&value), Err(unknown(1)));
        // Numbers are not used again.
        assert_ne!(objects.hand_in(&kind, text), Ok(value));
    }

    #[test]
    fn the_wrong_type_is_told() {
        let (objects, kind) = (Objects::default(), ObjectType::<String>::new("Text"));
        let value = objects
            .hand_in(&kind, Arc::new(String::new()))
            .expect("room");
        assert_eq!(
            objects.find::<u32>(&value),
            Err(ToolError::new(
                "TypeError",
                "an object of type 'Text' is the wrong one"
            ))
        );
        assert!(objects.find::<String>(&Value::Int(1)).is_err());
    }

    #[test]
    fn the_number_of_objects_is_limited() {
        let (objects, kind) = (Objects::default(), ObjectType::<u64>::new("Number"));
        objects.table().entries = (1..=MAX_OBJECTS as u64)
            .map(|id| {
                let entry = Entry {
                    thing: Arc::new(id),
                    kind: kind.inner.clone(),
                    entered: 1,
                };
                (id, entry)
            })
            .collect();
        assert!(objects.hand_in(&kind, Arc::new(1)).is_err());
        objects.release(5);
        assert!(objects.hand_in(&kind, Arc::new(1)).is_ok());
    }
}
