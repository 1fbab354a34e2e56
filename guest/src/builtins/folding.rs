//! The builtin functions that make one value of an iterable's items: `all`, `any`, `max`, `min` and `sum`.

use std::cell::RefCell;
use std::rc::Rc;

use coldframe_numeric::sums::CompensatedSum;

use crate::objects::bytes::{ByteArray, Bytes};
use crate::objects::memoryview::MemoryView;
use crate::objects::native::Def;
use crate::objects::slots::{BinOp, CmpOp};
use crate::objects::string::Str;
use crate::value::Value;
use crate::vm::args::{Args, optional};
use crate::vm::rows::{Next, Row};
use crate::vm::sink::Sink;
use crate::vm::{R, Vm};

pub(super) static FUNCTIONS: &[Def] = &[
    Def::function("all", "(iterable, /)", |vm, a| {
        Ok(Value::bool(!has(vm, &a[0], false)?))
    }),
    Def::function("any", "(iterable, /)", |vm, a| {
        Ok(Value::bool(has(vm, &a[0], true)?))
    }),
    Def::raw_function(
        "max",
        "(*args, key=None, default=<unrepresentable>)",
        |vm, args| extreme(vm, args, "max", CmpOp::Gt),
    ),
    Def::raw_function(
        "min",
        "(*args, key=None, default=<unrepresentable>)",
        |vm, args| extreme(vm, args, "min", CmpOp::Lt),
    ),
    Def::function("sum", "(iterable, /, start=0)", sum),
];

/// Passes over items of one truth.
struct Truth {
    passed_over: bool,
}

impl Sink for Truth {
    fn take(&mut self, _: &mut Vm, item: Value) -> R<Option<Value>> {
        let truth = item
            .as_bool()
            .or_else(|| item.as_small_int().map(|i| i != 0))
            .or_else(|| item.is_none().then_some(false));
        Ok((truth != Some(self.passed_over)).then_some(item))
    }
}

/// Whether an item of that truth is among them.
fn has(vm: &mut Vm, iterable: &Value, wanted: bool) -> R<bool> {
    let it = vm.get_iter(iterable)?;
    let sink = Rc::new(RefCell::new(Truth {
        passed_over: !wanted,
    }));
    while let Some(item) = vm.next_beyond(&it, &sink)? {
        if vm.truthy(&item)? == wanted {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The best of the items so far, as long as numbers are compared.
struct Best {
    op: CmpOp,
    /// Key and value.
    so_far: Option<(Value, Value)>,
}

impl Sink for Best {
    fn take(&mut self, _: &mut Vm, item: Value) -> R<Option<Value>> {
        let Some((best, _)) = &self.so_far else {
            self.so_far = Some((item.clone(), item));
            return Ok(None);
        };
        let greater = if let (Some(a), Some(b)) = (item.as_small_int(), best.as_small_int()) {
            if self.op == CmpOp::Gt { a > b } else { a < b }
        } else if let (Some(a), Some(b)) = (item.as_float(), best.as_float()) {
            if self.op == CmpOp::Gt { a > b } else { a < b }
        } else {
            return Ok(Some(item));
        };
        if greater {
            self.so_far = Some((item.clone(), item));
        }
        Ok(None)
    }
}

/// The best of the items so far by the keys that a function gives.
struct BestByKey {
    op: CmpOp,
    it: Value,
    /// Key and value.
    best: Option<(Value, Value)>,
    /// The one whose key is being computed.
    item: Option<Value>,
}

impl Row for BestByKey {
    fn next(&mut self, vm: &mut Vm, result: Option<Value>) -> R<Next> {
        if let (Some(key), Some(item)) = (result, self.item.take()) {
            let is_better = match &self.best {
                Some((best, _)) => vm.compare_bool(self.op, &key, best)?,
                None => true,
            };
            if is_better {
                self.best = Some((key, item));
            }
        }
        self.item = vm.step(&self.it)?;
        Ok(self.item.clone().map_or(Next::End, Next::One))
    }
}

/// The value that `max` or `min` gives.
fn chosen(vm: &mut Vm, best: Option<(Value, Value)>, default: Option<Value>, name: &str) -> R {
    match (best, default) {
        (Some((_, v)), _) => Ok(v),
        (None, Some(d)) => Ok(d),
        (None, None) => Err(vm.value_error(format!("{name}() iterable argument is empty"))),
    }
}

fn extreme(vm: &mut Vm, args: Args, name: &str, op: CmpOp) -> R {
    if args.positional().is_empty() {
        return Err(vm.type_error(format!("{name} expected at least 1 argument, got 0")));
    }
    let (mut key, mut default) = (None, None);
    for (k, v) in args.keywords() {
        match k.as_bytes() {
            b"key" => key = Some(v.clone()).filter(|v| !v.is_none()),
            b"default" => default = Some(v.clone()),
            _ => {
                return Err(vm.type_error(format!(
                    "{name}() got an unexpected keyword argument '{}'",
                    k.to_text()
                )));
            }
        }
    }
    let items = match args.positional() {
        [] => return Err(vm.type_error(format!("{name} expected at least 1 argument, got 0"))),
        [one] => {
            let it = vm.get_iter(one)?;
            if let Some(key) = &key {
                let (best, item) = (None, None);
                let row = Rc::new(RefCell::new(BestByKey { op, it, best, item }));
                vm.call_row(key, &row)?;
                let best = row.borrow_mut().best.take();
                return chosen(vm, best, default, name);
            }
            let sink = Rc::new(RefCell::new(Best { op, so_far: None }));
            while let Some(v) = vm.next_beyond(&it, &sink)? {
                let so_far = sink.borrow_mut().so_far.take();
                let best = better(vm, so_far, v, &key, op)?;
                sink.borrow_mut().so_far = Some(best);
            }
            let best = sink.borrow_mut().so_far.take();
            return chosen(vm, best, default, name);
        }
        many => many,
    };
    if default.is_some() {
        return Err(vm.type_error(format!(
            "Cannot specify a default for {name}() with multiple positional arguments"
        )));
    }
    let mut best = None;
    for v in items {
        best = Some(better(vm, best, v.clone(), &key, op)?);
    }
    Ok(best.map_or(Value::NONE, |(_, v)| v))
}

/// The better of the best so far (key, value) and a new value.
fn better(
    vm: &mut Vm,
    best: Option<(Value, Value)>,
    v: Value,
    key: &Option<Value>,
    op: CmpOp,
) -> R<(Value, Value)> {
    let k = match key {
        Some(f) => vm.call(f, std::slice::from_ref(&v))?,
        None => v.clone(),
    };
    match best {
        None => Ok((k, v)),
        Some((best_key, best_value)) => {
            if vm.compare_bool(op, &k, &best_key)? {
                Ok((k, v))
            } else {
                Ok((best_key, best_value))
            }
        }
    }
}

/// A sum, as long as numbers are added.
struct Sum {
    total: Value,
    /// Floats are summed with compensation (as CPython does since 3.12) as long as there are only floats and small integers.
    floats: Option<CompensatedSum>,
}

impl Sum {
    /// The sum so far.
    fn settle(&mut self) -> Value {
        if let Some(floats) = self.floats.take() {
            self.total = Value::float_from_outside(floats.finish());
        }
        std::mem::replace(&mut self.total, Value::NONE)
    }

    /// Goes on from a sum.
    fn go_on(&mut self, total: Value) {
        self.floats = total.as_float().map(CompensatedSum::new);
        self.total = total;
    }
}

impl Sink for Sum {
    fn take(&mut self, _: &mut Vm, item: Value) -> R<Option<Value>> {
        if let Some(floats) = &mut self.floats {
            if let Some(f) = item.as_float() {
                floats.add(f);
                return Ok(None);
            }
            if let Some(i) = item.as_small_int() {
                floats.add(i as f64);
                return Ok(None);
            }
        } else if let (Some(x), Some(y)) = (self.total.as_small_int(), item.as_small_int()) {
            self.total = Value::int(x + y);
            return Ok(None);
        }
        Ok(Some(item))
    }
}

/// The sum of what is a row of bytes.
fn sum_of_bytes(vm: &Vm, v: &Value) -> Option<i64> {
    let bytes: &[u8] = if let Some(b) = v.as_exact::<Bytes>() {
        &b.data
    } else if let Some(array) = v.as_exact::<ByteArray>() {
        array.data.get(vm)
    } else {
        v.as_exact::<MemoryView>()?.row_of_bytes(vm)?
    };
    crate::heap::charge(bytes.len() >> 7);
    let parts = bytes.chunks(128);
    let part = |part: &[u8]| part.iter().fold(0u16, |sum, &b| sum + u16::from(b));
    Some(parts.map(|bytes| i64::from(part(bytes))).sum())
}

fn sum(vm: &mut Vm, a: &[Value]) -> R {
    let start = match optional(a, 1) {
        Some(s) if s.is::<Str>() => {
            return Err(vm.type_error("sum() can't sum strings [use ''.join(seq) instead]"));
        }
        Some(s) if s.is::<crate::objects::bytes::Bytes>() => {
            return Err(vm.type_error("sum() can't sum bytes [use b''.join(seq) instead]"));
        }
        Some(s) if s.is::<crate::objects::bytes::ByteArray>() => {
            return Err(vm.type_error("sum() can't sum bytearray [use b''.join(seq) instead]"));
        }
        Some(s) => s.clone(),
        None => Value::small_int(0),
    };
    if let (Some(start), Some(total)) = (start.as_small_int(), sum_of_bytes(vm, &a[0])) {
        return Ok(Value::int(start + total));
    }
    let it = vm.get_iter(&a[0])?;
    let sink = Rc::new(RefCell::new(Sum {
        total: start,
        floats: None,
    }));
    while let Some(item) = vm.next_beyond(&it, &sink)? {
        let total = sink.borrow_mut().settle();
        let total = vm.binary(BinOp::Add, &total, &item)?;
        sink.borrow_mut().go_on(total);
    }
    let total = sink.borrow_mut().settle();
    Ok(total)
}
