//! Functions written in Python, and cells: the data.

use crate::class_slot;
use crate::heap::{self, Kind, Payload, Ref, VmCell};
use crate::objects::code::Code;
use crate::objects::dict::Dict;
use crate::objects::string::Str;
use crate::value::Value;

/// Payload of `cell`: a variable shared by functions.
pub struct Cell {
    /// The contents; `UNDEF` when empty.
    pub contents: VmCell<Value>,
}

// SAFETY: visits the contents.
unsafe impl Payload for Cell {
    const KIND: Kind = Kind::Cell;
    class_slot!();
    fn traverse(&self, visit: &mut dyn FnMut(&Value)) {
        // SAFETY: the collector runs while no borrow of any payload lives.
        visit(unsafe { self.contents.peek() });
    }
    fn clear(&mut self) {
        drop(self.contents.exclusive().take());
    }
}

impl Cell {
    /// A cell with these contents.
    pub fn new(contents: Value) -> Ref<Cell> {
        heap::alloc(Cell {
            contents: VmCell::new(contents),
        })
    }
}

/// What of a function can be assigned.
pub struct FunctionState {
    /// `__name__`
    pub name: Ref<Str>,
    /// `__qualname__`
    pub qualname: Ref<Str>,
    /// `__doc__`
    pub doc: Value,
    /// `__module__`
    pub module: Value,
    /// `__defaults__`: a tuple or `None`
    pub defaults: Value,
    /// `__kwdefaults__`: a dict or `None`
    pub kwdefaults: Value,
    /// `__annotate__`: a function or `None`
    pub annotate: Value,
    /// `__annotations__`, once computed or assigned; `UNDEF` before
    pub annotations: Value,
    /// `__type_params__`: a tuple
    pub type_params: Value,
    /// `__dict__`, once there is one
    pub dict: Option<Ref<Dict>>,
}

/// Payload of `function`.
pub struct Function {
    /// `__code__`
    pub code: VmCell<Ref<Code>>,
    /// `__globals__`
    pub globals: Ref<Dict>,
    /// What names are looked up in after the globals.
    pub builtins: Ref<Dict>,
    /// `__closure__`: the cells.
    pub closure: Vec<Ref<Cell>>,
    /// The rest.
    pub state: VmCell<FunctionState>,
}

// SAFETY: visits every value held.
unsafe impl Payload for Function {
    const KIND: Kind = Kind::Function;
    class_slot!();
    fn traverse(&self, visit: &mut dyn FnMut(&Value)) {
        self.globals.with_value(&mut *visit);
        self.builtins.with_value(&mut *visit);
        self.closure.iter().for_each(|c| c.with_value(&mut *visit));
        // SAFETY: the collector runs while no borrow of any payload lives.
        unsafe {
            self.code.peek().with_value(&mut *visit);
            let s = self.state.peek();
            s.name.with_value(&mut *visit);
            s.qualname.with_value(&mut *visit);
            for v in [
                &s.doc,
                &s.module,
                &s.defaults,
                &s.kwdefaults,
                &s.annotate,
                &s.annotations,
                &s.type_params,
            ] {
                visit(v);
            }
            if let Some(d) = &s.dict {
                d.with_value(visit);
            }
        }
    }
    fn clear(&mut self) {
        self.closure = Vec::new();
        let s = self.state.exclusive();
        for v in [
            &mut s.doc,
            &mut s.module,
            &mut s.defaults,
            &mut s.kwdefaults,
            &mut s.annotate,
            &mut s.annotations,
            &mut s.type_params,
        ] {
            *v = Value::NONE;
        }
        s.dict = None;
    }
}
