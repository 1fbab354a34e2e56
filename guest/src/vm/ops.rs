//! The operators and protocols of the language, for native code and for the slow paths of the dispatch loop.

use super::sink::Sink;
use super::{R, Vm};
use crate::heap::{Kind, Ref};
use crate::names::Names;
use crate::objects::exception::Exc;
use crate::objects::float::Float;
use crate::objects::int::Int;
use crate::objects::iterators::SequenceIter;
use crate::objects::list::List;
use crate::objects::singletons::{Bool, EllipsisType, NoneType, NotImplementedType};
use crate::objects::slots::{BinOp, CmpOp, UnOp};
use crate::objects::string::Str;
use crate::objects::tuple::Tuple;
use crate::objects::types::Type;
use crate::value::Value;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// The class of a value.
#[inline]
pub fn class_of(v: &Value) -> &Ref<Type> {
    match v.header() {
        Some(h) => h.class(),
        None => class_of_immediate(v),
    }
}

fn class_of_immediate(v: &Value) -> &'static Ref<Type> {
    use crate::heap::Payload;
    if v.is_small_int() {
        Int::class()
    } else if v.is_float() {
        Float::class()
    } else if v.is_bool() {
        Bool::class()
    } else if v.is_not_implemented() {
        NotImplementedType::class()
    } else if v.is_ellipsis() {
        EllipsisType::class()
    } else {
        NoneType::class()
    }
}

impl Vm {
    /// The class of a value.
    #[inline]
    pub fn class_of<'a>(&self, v: &'a Value) -> &'a Ref<Type> {
        class_of(v)
    }

    /// `type(v).__name__`
    pub fn class_name(&self, v: &Value) -> String {
        class_of(v).name().into_owned()
    }

    /// The name of the class as complaints about arguments have it: `None` for `None`.
    pub fn arg_class_name(&self, v: &Value) -> String {
        if v.is_none() {
            "None".to_owned()
        } else {
            self.class_name(v)
        }
    }

    // ---- truth, hash, text

    /// `bool(v)`
    #[inline]
    pub fn truthy(&mut self, v: &Value) -> R<bool> {
        if let Some(b) = v.as_bool() {
            return Ok(b);
        }
        if let Some(i) = v.as_small_int() {
            return Ok(i != 0);
        }
        if v.is_none() {
            return Ok(false);
        }
        self.truthy_slow(v)
    }

    fn truthy_slow(&mut self, v: &Value) -> R<bool> {
        if let Some(f) = v.as_float() {
            return Ok(f != 0.0);
        }
        if let Some(s) = v.as_exact::<Str>() {
            return Ok(!s.is_empty());
        }
        if let Some(l) = v.as_exact::<List>() {
            return Ok(l.len(self) != 0);
        }
        let slots = class_of(v).slots();
        if let Some(f) = slots.bool {
            return f(self, v);
        }
        if let Some(f) = slots.len {
            return Ok(f(self, v)? != 0);
        }
        Ok(true)
    }

    /// `hash(v)`
    #[inline]
    pub fn hash(&mut self, v: &Value) -> R<i64> {
        if let Some(s) = v.as_exact::<Str>() {
            return Ok(s.hash());
        }
        if let Some(i) = v.as_small_int() {
            // Inline integers are below the modulus 2^61 - 1, so they are their own hashes.
            return Ok(if i == -1 { -2 } else { i });
        }
        self.hash_slow(v)
    }

    fn hash_slow(&mut self, v: &Value) -> R<i64> {
        if let Some(hash) = v.as_exact::<Tuple>().and_then(|t| t.known_hash()) {
            return Ok(hash);
        }
        match class_of(v).slots().hash {
            Some(f) => f(self, v),
            None => Err(self.type_error(format!("unhashable type: '{}'", class_of(v).name()))),
        }
    }

    /// `repr(v)`
    pub fn repr(&mut self, v: &Value) -> R<Ref<Str>> {
        if let Some(i) = v.as_small_int() {
            return Ok(Str::of_i64(i));
        }
        let Some(f) = class_of(v).slots().repr else {
            return Ok(Str::new(&self.default_repr(v)));
        };
        let text = self.recurse("", |vm| f(vm, v))?;
        text.into_ref::<Str>().map_err(|other| {
            self.type_error(format!(
                "__repr__ returned non-string (type {})",
                class_of(&other).name()
            ))
        })
    }

    /// The text of `object.__repr__`.
    pub fn default_repr(&mut self, v: &Value) -> String {
        let class = class_of(v).clone();
        let module = class
            .dict
            .get_str(self, &Names::get().__module__)
            .and_then(|m| m.as_ref::<Str>())
            .map(|m| m.to_text().into_owned());
        let qualname = class.qualname.get(self).to_text().into_owned();
        let address = v.address().map_or(0, |p| p.as_ptr() as usize);
        match module {
            Some(m) if m != "builtins" => format!("<{m}.{qualname} object at {address:#x}>"),
            _ => format!("<{qualname} object at {address:#x}>"),
        }
    }

    /// `str(v)`
    pub fn str(&mut self, v: &Value) -> R<Ref<Str>> {
        if let Some(s) = v.as_exact::<Str>() {
            return Ok(s.clone());
        }
        if let Some(i) = v.as_small_int() {
            return Ok(Str::of_i64(i));
        }
        let Some(f) = class_of(v).slots().str else {
            return self.repr(v);
        };
        let text = self.recurse("", |vm| f(vm, v))?;
        text.into_ref::<Str>().map_err(|other| {
            self.type_error(format!(
                "__str__ returned non-string (type {})",
                class_of(&other).name()
            ))
        })
    }

    /// `format(v, spec)`
    pub fn format(&mut self, v: &Value, spec: &Ref<Str>) -> R<Ref<Str>> {
        if spec.is_empty() {
            if let Some(s) = v.as_exact::<Str>() {
                return Ok(s.clone());
            }
            if let Some(i) = v.as_small_int() {
                return Ok(Str::of_i64(i));
            }
        } else if let Some(text) = self.format_frequent(v, spec)? {
            return Ok(text);
        }
        let text = self.call_special(v, &Names::get().__format__, &[spec.to_value()])?;
        text.into_ref::<Str>().map_err(|other| {
            self.type_error(format!(
                "__format__ must return a str, not {}",
                class_of(&other).name()
            ))
        })
    }

    /// `format(v, spec)` for exact `str`, `int` and `float`, without looking up `__format__`.
    fn format_frequent(&mut self, v: &Value, spec: &Str) -> R<Option<Ref<Str>>> {
        use coldframe_numeric::format_value::{self, IntRef};
        let text = if let Some(i) = v.as_small_int() {
            format_value::format_int(
                IntRef::Small(i),
                spec.as_bytes(),
                "int",
                self.max_str_digits,
            )
        } else if let Some(x) = v.as_float() {
            format_value::format_float(x, spec.as_bytes(), "float")
        } else if let Some(s) = v.as_exact::<Str>() {
            format_value::format_text(s.as_bytes(), s.len(), spec.as_bytes(), "str")
        } else {
            return Ok(None);
        };
        let text = self.numeric(text)?;
        Ok(Some(Str::from_wtf8(&text)))
    }

    /// Guards a `repr` against cycles: `f` runs unless the `repr` of `v` is being computed already, then the answer is `None`.
    pub fn repr_once<T>(&mut self, v: &Value, f: impl FnOnce(&mut Vm) -> R<T>) -> R<Option<T>> {
        let Some(address) = v.address() else {
            return f(self).map(Some);
        };
        let address = address.as_ptr() as usize;
        if self.repr_active.contains(&address) {
            return Ok(None);
        }
        self.repr_active.push(address);
        let result = f(self);
        self.repr_active.pop();
        result.map(Some)
    }

    // ---- comparison

    /// `a op b`
    pub fn compare(&mut self, op: CmpOp, a: &Value, b: &Value) -> R {
        let (ca, cb) = (class_of(a), class_of(b));
        let (fa, fb) = (ca.slots().compare, cb.slots().compare);
        let mut tried_b = false;
        if !ca.same(cb)
            && let Some(f) = fb
            && cb.is_subclass_of(ca)
        {
            tried_b = true;
            let r = self.recurse("", |vm| f(vm, b, a, op.swapped()))?;
            if !r.is_not_implemented() {
                return Ok(r);
            }
        }
        if let Some(f) = fa {
            let r = self.recurse("", |vm| f(vm, a, b, op))?;
            if !r.is_not_implemented() {
                return Ok(r);
            }
        }
        if !tried_b && let Some(f) = fb {
            let r = self.recurse("", |vm| f(vm, b, a, op.swapped()))?;
            if !r.is_not_implemented() {
                return Ok(r);
            }
        }
        match op {
            CmpOp::Eq => Ok(Value::bool(a.is_same(b))),
            CmpOp::Ne => Ok(Value::bool(!a.is_same(b))),
            _ => Err(self.type_error(format!(
                "'{}' not supported between instances of '{}' and '{}'",
                op.symbol(),
                class_of(a).name(),
                class_of(b).name()
            ))),
        }
    }

    /// The truth of `a op b`.
    #[inline]
    pub fn compare_bool(&mut self, op: CmpOp, a: &Value, b: &Value) -> R<bool> {
        if Value::both_small_int(a, b) {
            return Ok(op.holds(a.small_int_unchecked().cmp(&b.small_int_unchecked())));
        }
        let r = self.compare(op, a, b)?;
        self.truthy(&r)
    }

    /// The truth of `a is b or a == b`, as containers compare their items.
    #[inline]
    pub fn eq(&mut self, a: &Value, b: &Value) -> R<bool> {
        if a.is_same(b) && !a.is_float() {
            return Ok(true);
        }
        if let (Some(a), Some(b)) = (a.as_exact::<Str>(), b.as_exact::<Str>()) {
            return Ok(a.same_text(b));
        }
        if a.is_same(b) {
            // A float: identity counts in containers, even for NaN.
            return Ok(true);
        }
        self.compare_bool(CmpOp::Eq, a, b)
    }

    /// The truth of `a < b`.
    #[inline]
    pub fn lt(&mut self, a: &Value, b: &Value) -> R<bool> {
        self.compare_bool(CmpOp::Lt, a, b)
    }

    // ---- arithmetic

    /// `a op b` through the slots; `NotImplemented` when neither side knows.
    fn binary_slots(&mut self, op: BinOp, a: &Value, b: &Value) -> R {
        let (ca, cb) = (class_of(a), class_of(b));
        let fa = ca.slots().binary;
        let mut fb = cb.slots().binary;
        if let (Some(x), Some(y)) = (fa, fb)
            && std::ptr::fn_addr_eq(x, y)
        {
            fb = None;
        }
        if let (Some(_), Some(f)) = (fa, fb)
            && !ca.same(cb)
            && cb.is_subclass_of(ca)
        {
            let r = f(self, op, a, b)?;
            if !r.is_not_implemented() {
                return Ok(r);
            }
            fb = None;
        }
        if let Some(f) = fa {
            let r = f(self, op, a, b)?;
            if !r.is_not_implemented() {
                return Ok(r);
            }
        }
        if let Some(f) = fb {
            return f(self, op, a, b);
        }
        Ok(Value::NOT_IMPLEMENTED)
    }

    /// `a op b`
    pub fn binary(&mut self, op: BinOp, a: &Value, b: &Value) -> R {
        let r = self.binary_slots(op, a, b)?;
        if !r.is_not_implemented() {
            return Ok(r);
        }
        Err(self.unsupported(op, a, b, false))
    }

    /// `a op= b`: gives the value to be bound.
    pub fn inplace(&mut self, op: BinOp, a: &Value, b: &Value) -> R {
        if let Some(f) = class_of(a).slots().inplace {
            let r = f(self, op, a, b)?;
            if !r.is_not_implemented() {
                return Ok(r);
            }
        }
        let r = self.binary_slots(op, a, b)?;
        if !r.is_not_implemented() {
            return Ok(r);
        }
        Err(self.unsupported(op, a, b, true))
    }

    /// The error of a binary operator that neither side knows.
    #[cold]
    pub(crate) fn unsupported(
        &mut self,
        op: BinOp,
        a: &Value,
        b: &Value,
        inplace: bool,
    ) -> super::Raised {
        let (na, nb) = (self.class_name(a), self.class_name(b));
        let sequence = |v: &Value| {
            v.header().is_some_and(|h| {
                matches!(
                    h.kind(),
                    Kind::Str | Kind::Bytes | Kind::ByteArray | Kind::Tuple | Kind::List
                )
            })
        };
        let repeats =
            |v: &Value| sequence(v) || v.is::<crate::modules::collections_core::deque::Deque>();
        if op == BinOp::Add && sequence(a) {
            let kind = a.header().map(|h| h.kind());
            let text = match kind {
                Some(Kind::Bytes | Kind::ByteArray) => format!("can't concat {nb} to {na}"),
                Some(Kind::Str) => format!("can only concatenate str (not \"{nb}\") to str"),
                Some(Kind::Tuple) => format!("can only concatenate tuple (not \"{nb}\") to tuple"),
                _ => format!("can only concatenate list (not \"{nb}\") to list"),
            };
            return self.type_error(text);
        }
        // In place, CPython does not try the right side when the left one could be a sequence (sets, dictionaries, Python classes).
        let refuses = inplace
            && !repeats(a)
            && (class_of(a).slots().len.is_some() || !class_of(a).is_static());
        if op == BinOp::Mul && (repeats(a) || repeats(b)) && !refuses {
            let other = if repeats(a) { nb } else { na };
            return self.type_error(format!(
                "can't multiply sequence by non-int of type '{other}'"
            ));
        }
        let symbol = match (op, inplace) {
            (BinOp::Pow, true) => "**=".to_owned(),
            (_, true) => format!("{}=", op.symbol()),
            (_, false) => op.symbol().to_owned(),
        };
        if op == BinOp::Shr
            && !inplace
            && a.is::<crate::objects::native::Native>()
            && na == "builtin_function_or_method"
        {
            let is_print = a
                .as_ref::<crate::objects::native::Native>()
                .is_some_and(|f| f.def.name == "print");
            if is_print {
                return self.type_error(format!("unsupported operand type(s) for >>: '{na}' and '{nb}'. Did you mean \"print(<message>, file=<output_stream>)\"?"));
            }
        }
        self.type_error(format!(
            "unsupported operand type(s) for {symbol}: '{na}' and '{nb}'"
        ))
    }

    /// `-v` and the others.
    #[inline(never)]
    pub fn unary(&mut self, op: UnOp, v: &Value) -> R {
        if let Some(f) = class_of(v).slots().unary {
            return f(self, op, v);
        }
        Err(self.no_unary(op, v))
    }

    /// The error of a unary operator that the class does not have.
    #[cold]
    pub(crate) fn no_unary(&mut self, op: UnOp, v: &Value) -> super::Raised {
        let name = self.class_name(v);
        self.type_error(match op {
            UnOp::Neg => format!("bad operand type for unary -: '{name}'"),
            UnOp::Pos => format!("bad operand type for unary +: '{name}'"),
            UnOp::Invert => format!("bad operand type for unary ~: '{name}'"),
            UnOp::Abs => format!("bad operand type for abs(): '{name}'"),
        })
    }

    /// `operator.index(v)`: an exact `int`.
    pub fn index(&mut self, v: &Value) -> R {
        if v.is_small_int() {
            return Ok(v.clone());
        }
        if let Some(i) = v.as_int() {
            return Ok(i.to_value());
        }
        match class_of(v).slots().index {
            Some(f) => f(self, v),
            None => Err(self.type_error(format!(
                "'{}' object cannot be interpreted as an integer",
                class_of(v).name()
            ))),
        }
    }

    /// `operator.index(v)` as a 64-bit number; `OverflowError` when it does not fit.
    pub fn index_i64(&mut self, v: &Value) -> R<i64> {
        if let Some(i) = v.as_small_int() {
            return Ok(i);
        }
        let i = self.index(v)?;
        match i.as_int().and_then(|i| i.to_i64()) {
            Some(i) => Ok(i),
            None => Err(self.overflow_error("Python int too large to convert to C ssize_t")),
        }
    }

    /// `operator.index(v)` clamped to 64 bits, as slices treat their bounds.
    pub fn index_clamped(&mut self, v: &Value) -> R<i64> {
        if let Some(i) = v.as_small_int() {
            return Ok(i);
        }
        let i = self.index(v)?;
        Ok(i.as_int().map_or(0, |i| i.clamp_i64()))
    }

    // ---- containers

    /// `len(v)`
    pub fn len(&mut self, v: &Value) -> R<usize> {
        match class_of(v).slots().len {
            Some(f) => f(self, v),
            None => Err(self.type_error(format!(
                "object of type '{}' has no len()",
                class_of(v).name()
            ))),
        }
    }

    /// `len(v)` as a program sees it: ranges and classes written in Python may have more items than addresses can count.
    pub fn len_i64(&mut self, v: &Value) -> R<i64> {
        // A call for each would take as long as the rest.
        if let Some(list) = v.as_exact::<List>() {
            return Ok(list.items.get(self).len() as i64);
        }
        if let Some(s) = v.as_exact::<Str>() {
            return Ok(s.len() as i64);
        }
        if let Some(dict) = v.as_exact::<crate::objects::dict::Dict>() {
            return Ok(dict.map.get(self).len() as i64);
        }
        if let Some(tuple) = v.as_exact::<Tuple>() {
            return Ok(tuple.items().len() as i64);
        }
        if let Some(r) = v.as_exact::<crate::objects::range::Range>() {
            let r = r.clone();
            return crate::builtins::ranges::long_len(self, &r);
        }
        let user = super::user_slots::len as fn(&mut Vm, &Value) -> R<usize>;
        if class_of(v)
            .slots()
            .len
            .is_some_and(|f| std::ptr::fn_addr_eq(f, user))
        {
            return super::user_slots::len_i64(self, v);
        }
        self.len(v).map(|n| n as i64)
    }

    /// `v[key]`
    #[inline(never)]
    pub fn get_item(&mut self, v: &Value, key: &Value) -> R {
        if let Some(f) = class_of(v).slots().getitem {
            return f(self, v, key);
        }
        if v.is::<Type>() {
            return self.class_subscript(v, key);
        }
        Err(self.type_error(format!(
            "'{}' object is not subscriptable",
            class_of(v).name()
        )))
    }

    /// `v[key]` where `v` is a class without `__getitem__` in its metaclass: `__class_getitem__`.
    fn class_subscript(&mut self, v: &Value, key: &Value) -> R {
        if v.as_ref::<Type>()
            .is_some_and(|t| t.same(<Type as crate::heap::Payload>::class()))
        {
            return crate::builtins::type_params::generic_alias(self, v, key);
        }
        if let Some(f) = self
            .get_attr_opt(v, &Names::get().__class_getitem__.to_value())?
            .filter(|f| !f.is_none())
        {
            return self.call(&f, std::slice::from_ref(key));
        }
        let name = v
            .as_ref::<Type>()
            .map(|t| t.name().into_owned())
            .unwrap_or_default();
        Err(self.type_error(format!("type '{name}' is not subscriptable")))
    }

    /// `v[key] = value`
    #[inline(never)]
    pub fn set_item(&mut self, v: &Value, key: &Value, value: &Value) -> R<()> {
        match class_of(v).slots().setitem {
            Some(f) => f(self, v, key, Some(value)),
            None => {
                self.is_index_of_sequence(v, key)?;
                Err(self.type_error(format!(
                    "'{}' object does not support item assignment",
                    class_of(v).name()
                )))
            }
        }
    }

    /// `del v[key]`
    #[inline(never)]
    pub fn del_item(&mut self, v: &Value, key: &Value) -> R<()> {
        match class_of(v).slots().setitem {
            Some(f) => f(self, v, key, None),
            None => {
                // CPython words it in two ways.
                let verb = if self.is_index_of_sequence(v, key)? {
                    "doesn't"
                } else {
                    "does not"
                };
                Err(self.type_error(format!(
                    "'{}' object {verb} support item deletion",
                    class_of(v).name()
                )))
            }
        }
    }

    /// Whether `key` is an index and `v` what could be a sequence. CPython makes a number of such a key before it finds that items cannot be
    /// changed, and the key's error wins.
    #[cold]
    fn is_index_of_sequence(&mut self, v: &Value, key: &Value) -> R<bool> {
        let class = class_of(v);
        let sequence =
            class.flags.get() & crate::objects::types::STATIC == 0 || class.slots().len.is_some();
        if !sequence || (key.as_int().is_none() && class_of(key).slots().index.is_none()) {
            return Ok(false);
        }
        let index = self.index(key)?;
        if index.as_int().is_some_and(|i| i.to_i64().is_none()) {
            return Err(self.index_error(format!(
                "cannot fit '{}' into an index-sized integer",
                class_of(key).name()
            )));
        }
        Ok(true)
    }

    /// `item in v`
    pub fn contains(&mut self, v: &Value, item: &Value) -> R<bool> {
        if let Some(f) = class_of(v).slots().contains {
            return f(self, v, item);
        }
        let it = match self.get_iter(v) {
            Ok(it) => it,
            Err(raised) => {
                self.swallow(raised, Exc::TypeError)?;
                let name = self.class_name(v);
                return Err(self.type_error(format!(
                    "argument of type '{name}' is not a container or iterable"
                )));
            }
        };
        while let Some(x) = self.iter_next(&it)? {
            self.poll_native()?;
            if self.eq(&x, item)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    // ---- iteration

    /// `iter(v)`
    #[inline(never)]
    pub fn get_iter(&mut self, v: &Value) -> R {
        let slots = class_of(v).slots();
        if let Some(f) = slots.iter {
            let it = f(self, v)?;
            if class_of(&it).slots().next.is_none() {
                return Err(self.type_error(format!(
                    "iter() returned non-iterator of type '{}'",
                    class_of(&it).name()
                )));
            }
            return Ok(it);
        }
        if class_of(v).is_indexed() {
            return Ok(Value::from_ref(crate::heap::alloc(SequenceIter {
                source: RefCell::new(Some(v.clone())),
                index: Cell::new(0),
            })));
        }
        Err(self.type_error(format!("'{}' object is not iterable", class_of(v).name())))
    }

    /// `next(it)`: `None` when exhausted.
    #[inline]
    pub fn iter_next(&mut self, it: &Value) -> R<Option<Value>> {
        let Some(f) = class_of(it).slots().next else {
            return Err(self.type_error(format!(
                "'{}' object is not an iterator",
                class_of(it).name()
            )));
        };
        // Iterators over iterators over iterators nest natively.
        if self.native_depth >= super::MAX_NATIVE_DEPTH {
            return Err(self.too_deep(""));
        }
        self.native_depth += 1;
        let result = f(self, it);
        self.native_depth -= 1;
        match result {
            Ok(v) if v.is_undef() => Ok(None),
            Ok(v) => Ok(Some(v)),
            Err(raised) => {
                self.swallow(raised, Exc::StopIteration)?;
                Ok(None)
            }
        }
    }

    /// Calls `f` with each item of an iterable.
    pub fn for_each(
        &mut self,
        iterable: &Value,
        mut f: impl FnMut(&mut Vm, Value) -> R<()>,
    ) -> R<()> {
        if let Some(t) = iterable.as_exact::<Tuple>() {
            for item in t.items() {
                f(self, item.clone())?;
            }
            return Ok(());
        }
        if let Some(l) = iterable.as_exact::<List>() {
            let mut i = 0;
            while let Some(item) = l.get(self, i) {
                f(self, item)?;
                i += 1;
            }
            return Ok(());
        }
        let it = self.get_iter(iterable)?;
        while let Some(item) = self.iter_next(&it)? {
            self.poll_native()?;
            f(self, item)?;
        }
        Ok(())
    }

    /// The items of an iterable.
    pub fn collect(&mut self, iterable: &Value) -> R<Vec<Value>> {
        if let Some(t) = iterable.as_exact::<Tuple>() {
            return Ok(t.items().to_vec());
        }
        if let Some(l) = iterable.as_exact::<List>() {
            return Ok(l.items.get(self).clone());
        }
        if let Some(items) = crate::builtins::iterators::take_whole(self, iterable) {
            return Ok(items);
        }
        let it = self.get_iter(iterable)?;
        let hint = self.length_hint(iterable)?;
        self.collect_rest(&it, hint)
    }

    /// The items that an iterator has left; `hint` is how many there may be.
    pub(crate) fn collect_rest(&mut self, it: &Value, hint: usize) -> R<Vec<Value>> {
        if !crate::heap::can_allocate(hint.saturating_mul(size_of::<Value>())) {
            return Err(self.memory_error());
        }
        let sink = Rc::new(RefCell::new(Items(Vec::with_capacity(hint.min(1 << 16)))));
        while let Some(item) = self.next_beyond(it, &sink)? {
            // It takes all.
            sink.borrow_mut().take(self, item)?;
        }
        let items = std::mem::take(&mut sink.borrow_mut().0);
        Ok(items)
    }

    /// How many items an iterable seems to have (PEP 424); 0 when it does not say.
    pub fn length_hint(&mut self, v: &Value) -> R<usize> {
        if let Some(r) = v.as_ref::<crate::objects::iterators::RangeIter>() {
            return Ok(usize::try_from(r.left.get()).unwrap_or(usize::MAX));
        }
        let class = class_of(v);
        if let Some(len) = class.slots().len {
            match len(self, v) {
                Ok(n) => return Ok(n),
                Err(raised) => self.swallow(raised, Exc::TypeError)?,
            }
        }
        if v.header().is_some_and(|h| h.kind() == Kind::Generator) {
            return Ok(0);
        }
        let hint = match self.call_special_opt(v, &Names::get().__length_hint__, &[]) {
            Ok(Some(hint)) if !hint.is_not_implemented() => hint,
            Ok(_) => return Ok(0),
            Err(raised) => {
                self.swallow(raised, Exc::TypeError)?;
                return Ok(0);
            }
        };
        match hint.as_int() {
            Some(n) if n.is_negative() && n.to_i64().is_some() => {
                Err(self.value_error("__length_hint__() should return >= 0"))
            }
            Some(n) => match n.to_i64() {
                Some(n) => Ok(usize::try_from(n).unwrap_or(usize::MAX)),
                None => Err(self.overflow_error("Python int too large to convert to C ssize_t")),
            },
            None => Err(self.type_error(format!(
                "__length_hint__ must be an integer, not {}",
                class_of(&hint).name()
            ))),
        }
    }

    // ---- classes

    /// `isinstance(v, class)` without hooks, for a built-in class.
    #[inline]
    pub fn is_instance_of(&self, v: &Value, class: &Ref<Type>) -> bool {
        let c = class_of(v);
        c.same(class) || c.is_subclass_of(class)
    }
}

/// Takes everything.
struct Items(Vec<Value>);

impl Sink for Items {
    fn take(&mut self, vm: &mut Vm, item: Value) -> R<Option<Value>> {
        if self.0.len() == self.0.capacity() {
            let more = self.0.len().max(8);
            if !crate::heap::can_allocate(more * size_of::<Value>() * 3)
                || self.0.try_reserve(more).is_err()
            {
                return Err(vm.memory_error());
            }
        }
        self.0.push(item);
        Ok(None)
    }
}
