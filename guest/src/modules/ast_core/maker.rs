//! Makes node objects: instances of the classes of `_ast`, with their attributes set directly.
//!
//! Knows nothing of what the fields of a node mean; that is the concern of the rooms beside this one.

use crate::heap::{self, Ref};
use crate::names;
use crate::objects::dict::Dict;
use crate::objects::list::List;
use crate::objects::types::Instance;
use crate::objects::types::Type;
use crate::value::Value;
use crate::vm::{R, Vm};
use coldframe_frontend::ast::TextRange;
use coldframe_frontend::hash::HashMap;
use coldframe_frontend::{ErrorKind, LineIndex, SyntaxError};

/// Makes the nodes of one source.
pub(super) struct Maker<'s> {
    pub(super) lines: &'s LineIndex,
    module: Ref<Dict>,
    singletons: Ref<Dict>,
    classes: HashMap<&'static str, Ref<Type>>,
    pub(super) comments: super::comments::Comments,
    /// Bytes that stand before the source's own text on its first line, and in front of everything (a leading line that was added).
    pub(super) shift: u32,
    /// Minor version of the language whose syntax is accepted (`feature_version`).
    pub(super) feature: i64,
}

/// The namespace of `_ast`.
pub(super) fn module_dict(vm: &mut Vm) -> R<Ref<Dict>> {
    let module = vm.import_module("_ast")?;
    match module.as_ref::<crate::objects::module::Module>() {
        Some(m) => Ok(m.dict.clone()),
        None => Err(vm.system_error("_ast is not a module")),
    }
}

/// A class of `_ast`.
pub(super) fn class_in(vm: &mut Vm, module: &Ref<Dict>, name: &str) -> R<Ref<Type>> {
    let found = module
        .get_str(vm, &names::intern(name))
        .and_then(|v| v.as_ref::<Type>().cloned());
    match found {
        Some(class) => Ok(class),
        None => Err(vm.system_error(format!("_ast has no class {name}"))),
    }
}

impl<'s> Maker<'s> {
    /// A maker for the tree of `lines`.
    pub(super) fn new(
        vm: &mut Vm,
        lines: &'s LineIndex,
        comments: super::comments::Comments,
    ) -> R<Maker<'s>> {
        let module = module_dict(vm)?;
        let singletons = module
            .get_str(vm, &names::intern("_singletons"))
            .and_then(|v| v.as_ref::<Dict>().cloned());
        let Some(singletons) = singletons else {
            return Err(vm.system_error("_ast has no table of singletons"));
        };
        Ok(Maker {
            lines,
            module,
            singletons,
            classes: HashMap::default(),
            comments,
            shift: 0,
            feature: i64::MAX,
        })
    }

    /// The one instance of a context or an operator.
    pub(super) fn single(&mut self, vm: &mut Vm, name: &'static str) -> R {
        match self.singletons.get_str(vm, &names::intern(name)) {
            Some(v) => Ok(v.clone()),
            None => Err(vm.system_error(format!("_ast has no instance of {name}"))),
        }
    }

    /// A node without a position.
    pub(super) fn node<const N: usize>(
        &mut self,
        vm: &mut Vm,
        class: &'static str,
        fields: [(&'static str, Value); N],
    ) -> R {
        let class = match self.classes.get(class) {
            Some(found) => found.clone(),
            None => {
                let found = class_in(vm, &self.module, class)?;
                self.classes.insert(class, found.clone());
                found
            }
        };
        let node = Value::from_ref(heap::alloc_instance(Instance, &class, 0));
        for (name, value) in fields {
            set(vm, &node, name, value)?;
        }
        Ok(node)
    }

    /// A node that stands for a range of the source.
    pub(super) fn at<const N: usize>(
        &mut self,
        vm: &mut Vm,
        class: &'static str,
        range: TextRange,
        fields: [(&'static str, Value); N],
    ) -> R {
        let node = self.node(vm, class, fields)?;
        self.place(vm, &node, range)?;
        Ok(node)
    }

    /// Sets the position of a node.
    pub(super) fn place(&mut self, vm: &mut Vm, node: &Value, range: TextRange) -> R<()> {
        let start = self.lines.location(range.start().to_usize());
        let end = self.lines.location(range.end().to_usize());
        for (name, value) in [
            ("lineno", start.line),
            ("col_offset", start.byte_column.saturating_sub(self.shift)),
            ("end_lineno", end.line),
            ("end_col_offset", end.byte_column.saturating_sub(self.shift)),
        ] {
            set(vm, node, name, Value::int(i64::from(value)))?;
        }
        Ok(())
    }

    /// Refuses syntax that came with Python 3.`minor` when an older version is wanted.
    pub(super) fn since(&self, vm: &mut Vm, minor: i64, what: &str, range: TextRange) -> R<()> {
        if self.feature >= minor {
            return Ok(());
        }
        let error = SyntaxError::at(
            ErrorKind::Syntax,
            format!("{what} only supported in Python 3.{minor} and greater"),
            self.lines,
            range.start().to_usize(),
            range.end().to_usize(),
        );
        let e = crate::builtins::exceptions::syntax_error(vm, &error, "<unknown>");
        Err(vm.raise_value(e))
    }

    /// The source text.
    pub(super) fn source(&self) -> &'s str {
        self.lines.source()
    }
}

/// Sets an attribute of the node itself.
pub(super) fn set(vm: &mut Vm, node: &Value, name: &str, value: Value) -> R<()> {
    vm.set_instance_attr(node, &names::intern(name), Some(&value))?;
    Ok(())
}

/// A list from what `f` makes of each item.
pub(super) fn list<T>(
    vm: &mut Vm,
    items: impl IntoIterator<Item = T>,
    mut f: impl FnMut(&mut Vm, T) -> R,
) -> R {
    let mut values = Vec::new();
    for item in items {
        values.push(f(vm, item)?);
    }
    Ok(List::value(values))
}
