//! Reads node objects: which class a node is of, its fields by type, and its position.
//!
//! The tree that comes out has no source text: positions are places on a grid (`LineIndex::grid`). The errors are those of CPython's
//! conversion and of its validator.

use super::maker::{class_in, module_dict};
use crate::heap::Ref;
use crate::names;
use crate::objects::dict::Dict;
use crate::objects::list::List;
use crate::objects::string::Str;
use crate::value::Value;
use crate::vm::{R, Vm};
use coldframe_frontend::ast::{AtomicNodeIndex, Expr, Identifier, Name, TextRange, TextSize};
use coldframe_frontend::hash::HashMap;
use coldframe_frontend::source::grid_offset;
use std::rc::Rc;

/// The class of `_ast` that a class is or derives from, and the sum that it is an alternative of.
type NodeKind = (Rc<str>, Rc<str>);

/// Reads the nodes of one tree.
pub(super) struct Reader {
    module: Ref<Dict>,
    /// What each class met is.
    kinds: HashMap<usize, Option<NodeKind>>,
    depth: usize,
}

/// No index: only the parser's other users give nodes one.
pub(super) fn no_index() -> AtomicNodeIndex {
    AtomicNodeIndex::default()
}

/// Deepest nesting: what the passes over the tree can follow.
const MAX_NESTING: usize = coldframe_frontend::limits::MAX_NESTING;

impl Reader {
    pub(super) fn new(vm: &mut Vm) -> R<Reader> {
        Ok(Reader {
            module: module_dict(vm)?,
            kinds: HashMap::default(),
            depth: 0,
        })
    }

    /// Runs `f` one level deeper.
    pub(super) fn nested<T>(
        &mut self,
        vm: &mut Vm,
        sum: &str,
        f: impl FnOnce(&mut Self, &mut Vm) -> R<T>,
    ) -> R<T> {
        if self.depth >= MAX_NESTING {
            return Err(vm.recursion_error(format!(
                "maximum recursion depth exceeded while traversing '{sum}' node"
            )));
        }
        self.depth += 1;
        let result = vm.recurse("", |vm| f(self, vm));
        self.depth -= 1;
        result
    }

    /// The name of the node's class and of the sum that it belongs to (`Name` and `expr`; `arg` and `arg`).
    pub(super) fn kind(&mut self, vm: &mut Vm, node: &Value) -> R<Option<(Rc<str>, Rc<str>)>> {
        let class = vm.class_of(node).clone();
        let key = class.to_value().bits() as usize;
        if let Some(found) = self.kinds.get(&key) {
            return Ok(found.clone());
        }
        let ast = class_in(vm, &self.module, "AST")?;
        let mro = class.mro.get(vm).clone();
        let mut found = None;
        for (i, base) in mro.iter().enumerate() {
            let name = base.name().into_owned();
            let ours = self
                .module
                .get_str(vm, &names::intern(&name))
                .is_some_and(|v| v.is_same(&base.to_value()));
            if !ours {
                continue;
            }
            if let Some(sum) = mro.get(i + 1) {
                let sum_name = if sum.same(&ast) {
                    name.clone()
                } else {
                    sum.name().into_owned()
                };
                if !base.same(&ast) {
                    found = Some((Rc::from(name.as_str()), Rc::from(sum_name.as_str())));
                }
            }
            break;
        }
        self.kinds.insert(key, found.clone());
        Ok(found)
    }

    /// The class name of a node that has to belong to `sum`.
    pub(super) fn expect(&mut self, vm: &mut Vm, node: &Value, sum: &str) -> R<Rc<str>> {
        match self.kind(vm, node)? {
            Some((name, of)) if &*of == sum && (&*name != sum || is_product(sum)) => Ok(name),
            _ => {
                // The position is read before the class is looked at.
                let placed = matches!(
                    sum,
                    "expr" | "stmt" | "pattern" | "excepthandler" | "type_param"
                );
                let key = names::intern("lineno").to_value();
                if placed && vm.get_attr_opt(node, &key)?.is_none() {
                    let text = format!("required field \"lineno\" missing from {sum}");
                    return Err(vm.type_error(text));
                }
                let text = vm.repr(node)?.to_text().into_owned();
                Err(vm.type_error(format!("expected some sort of {sum}, but got {text}")))
            }
        }
    }

    /// A field; `None` when it is missing or `None`.
    pub(super) fn field(&mut self, vm: &mut Vm, node: &Value, name: &str) -> R<Option<Value>> {
        let found = vm.get_attr_opt(node, &names::intern(name).to_value())?;
        Ok(found.filter(|v| !v.is_none()))
    }

    /// A field that has to be there and not `None`.
    pub(super) fn required(&mut self, vm: &mut Vm, node: &Value, name: &str, of: &str) -> R {
        match vm.get_attr_opt(node, &names::intern(name).to_value())? {
            None => Err(vm.type_error(format!("required field \"{name}\" missing from {of}"))),
            Some(v) if v.is_none() => {
                Err(vm.value_error(format!("field '{name}' is required for {of}")))
            }
            Some(v) => Ok(v),
        }
    }

    /// A field that is a list; a missing one counts as empty.
    pub(super) fn items(
        &mut self,
        vm: &mut Vm,
        node: &Value,
        name: &str,
        of: &str,
    ) -> R<Vec<Value>> {
        let Some(v) = vm.get_attr_opt(node, &names::intern(name).to_value())? else {
            return Ok(Vec::new());
        };
        match v.as_ref::<List>() {
            Some(list) => Ok(list.items.get(vm).to_vec()),
            None => Err(vm.type_error(format!(
                "{of} field \"{name}\" must be a list, not a {}",
                vm.class_name(&v)
            ))),
        }
    }

    /// Like [`Reader::items`]; nothing in it is an error.
    pub(super) fn some_items(
        &mut self,
        vm: &mut Vm,
        node: &Value,
        name: &str,
        of: &str,
    ) -> R<Vec<Value>> {
        let items = self.items(vm, node, name, of)?;
        if items.is_empty() {
            return Err(vm.value_error(format!("empty {name} on {of}")));
        }
        Ok(items)
    }

    /// A whole number.
    pub(super) fn number(&mut self, vm: &mut Vm, v: &Value) -> R<i64> {
        let Some(i) = v.as_int() else {
            let text = vm.repr(v)?.to_text().into_owned();
            return Err(vm.value_error(format!("invalid integer value: {text}")));
        };
        match i.to_i64().filter(|i| i32::try_from(*i).is_ok()) {
            Some(i) => Ok(i),
            None => Err(vm.overflow_error("Python int too large to convert to C int")),
        }
    }

    fn text_of(&mut self, vm: &mut Vm, v: &Value) -> R<String> {
        match v.as_exact::<Str>() {
            Some(s) => match s.as_str() {
                Some(text) => Ok(text.to_owned()),
                None => Err(vm.value_error("AST identifier contains lone surrogates")),
            },
            None => Err(vm.type_error("AST identifier must be of type str")),
        }
    }

    pub(super) fn identifier_text(&mut self, vm: &mut Vm, v: &Value) -> R<String> {
        let text = self.text_of(vm, v)?;
        if matches!(text.as_str(), "None" | "True" | "False") {
            return Err(vm.value_error(format!(
                "identifier field can't represent '{text}' constant"
            )));
        }
        if text.contains('\0') {
            return Err(vm.value_error("embedded null character"));
        }
        Ok(text)
    }

    pub(super) fn identifier(
        &mut self,
        vm: &mut Vm,
        node: &Value,
        field: &str,
        of: &str,
        range: TextRange,
    ) -> R<Identifier> {
        let v = self.required(vm, node, field, of)?;
        Ok(named(&self.identifier_text(vm, &v)?, range))
    }

    pub(super) fn optional_identifier(
        &mut self,
        vm: &mut Vm,
        node: &Value,
        field: &str,
        range: TextRange,
    ) -> R<Option<Identifier>> {
        match self.field(vm, node, field)? {
            Some(v) => Ok(Some(named(&self.identifier_text(vm, &v)?, range))),
            None => Ok(None),
        }
    }

    /// A dotted name, or any other text that is no variable.
    pub(super) fn any_name(&mut self, vm: &mut Vm, v: &Value, range: TextRange) -> R<Identifier> {
        Ok(named(&self.text_of(vm, v)?, range))
    }

    /// `type_comment` and the like: only their type is looked at.
    pub(super) fn check_string(&mut self, vm: &mut Vm, node: &Value, field: &str) -> R<()> {
        match self.field(vm, node, field)? {
            Some(v) if !v.is::<Str>() && !v.is::<crate::objects::bytes::Bytes>() => {
                Err(vm.type_error("AST string must be of type str"))
            }
            _ => Ok(()),
        }
    }

    /// The position of a node of `sum`.
    pub(super) fn range(&mut self, vm: &mut Vm, node: &Value, sum: &str) -> R<TextRange> {
        let mut place = [0; 4];
        for (i, name) in ["lineno", "col_offset"].iter().enumerate() {
            let Some(v) = vm.get_attr_opt(node, &names::intern(name).to_value())? else {
                return Err(vm.type_error(format!("required field \"{name}\" missing from {sum}")));
            };
            place[i] = self.number(vm, &v)?;
        }
        for (i, name) in ["end_lineno", "end_col_offset"].iter().enumerate() {
            place[i + 2] = match self.field(vm, node, name)? {
                Some(v) => self.number(vm, &v)?,
                None => place[i],
            };
        }
        let [line, column, end_line, end_column] = place;
        if line > end_line {
            return Err(vm.value_error(format!(
                "AST node line range ({line}, {end_line}) is not valid"
            )));
        }
        if (line < 0 && end_line != line) || (column < 0 && column != end_column) {
            return Err(vm.value_error(format!(
                "AST node column range ({column}, {end_column}) for line range ({line}, {end_line}) is not valid"
            )));
        }
        if line == end_line && column > end_column {
            return Err(vm.value_error(format!(
                "line {line}, column {column}-{end_column} is not a valid range"
            )));
        }
        let start = grid_offset(line, column);
        let end = grid_offset(end_line, end_column).max(start);
        Ok(TextRange::new(TextSize::from(start), TextSize::from(end)))
    }

    /// Several expressions, none of them missing.
    pub(super) fn expressions(
        &mut self,
        vm: &mut Vm,
        items: &[Value],
        ctx: &'static str,
    ) -> R<Vec<Expr>> {
        let mut out = Vec::with_capacity(items.len());
        for item in items {
            if item.is_none() {
                return Err(vm.value_error("None disallowed in expression list"));
            }
            out.push(self.expression(vm, item, ctx)?);
        }
        Ok(out)
    }

    pub(super) fn child(
        &mut self,
        vm: &mut Vm,
        node: &Value,
        field: &str,
        of: &str,
        ctx: &'static str,
    ) -> R<Box<Expr>> {
        let v = self.required(vm, node, field, of)?;
        Ok(Box::new(self.expression(vm, &v, ctx)?))
    }

    pub(super) fn optional_child(
        &mut self,
        vm: &mut Vm,
        node: &Value,
        field: &str,
        ctx: &'static str,
    ) -> R<Option<Box<Expr>>> {
        match self.field(vm, node, field)? {
            Some(v) => Ok(Some(Box::new(self.expression(vm, &v, ctx)?))),
            None => Ok(None),
        }
    }
}

fn is_product(sum: &str) -> bool {
    matches!(
        sum,
        "comprehension" | "arguments" | "arg" | "keyword" | "alias" | "withitem" | "match_case"
    )
}

/// An identifier at a place.
pub(super) fn named(text: &str, range: TextRange) -> Identifier {
    Identifier {
        id: Name::new(text),
        range,
        node_index: no_index(),
    }
}
