//! Operators on frequent built-in types, for the instruction loop: tried before the slots.

use super::{R, Vm};
use crate::objects::dict::Dict;
use crate::objects::list::List;
use crate::objects::set::Set;
use crate::objects::slots::{BinOp, CmpOp};
use crate::objects::string::Str;
use crate::objects::tuple::Tuple;
use crate::value::Value;

impl Vm {
    /// A binary operation, the general way.
    #[inline(never)]
    pub(crate) fn binary_slow(&mut self, op: BinOp, a: &Value, b: &Value, inplace: bool) -> R {
        if inplace {
            self.inplace(op, a, b)
        } else {
            self.binary(op, a, b)
        }
    }

    /// Arithmetic of an inline integer and a float; otherwise the general way.
    #[inline(never)]
    pub(crate) fn binary_mixed(&mut self, op: BinOp, a: &Value, b: &Value, inplace: bool) -> R {
        let (x, y) = match (a.as_small_int(), b.as_small_int()) {
            (Some(x), None) if b.is_float() => (x as f64, b.float_unchecked()),
            (None, Some(y)) if a.is_float() => (a.float_unchecked(), y as f64),
            _ => return self.binary_slow(op, a, b, inplace),
        };
        match op {
            BinOp::Add => Ok(Value::float(x + y)),
            BinOp::Sub => Ok(Value::float(x - y)),
            BinOp::Mul => Ok(Value::float(x * y)),
            BinOp::Div if y != 0.0 => Ok(Value::float(x / y)),
            _ => self.binary_slow(op, a, b, inplace),
        }
    }

    /// A comparison that is neither of two inline integers nor of two floats.
    #[inline(never)]
    pub(crate) fn compare_fast(&mut self, op: CmpOp, a: &Value, b: &Value) -> R {
        if let (Some(a), Some(b)) = (a.as_exact::<Str>(), b.as_exact::<Str>()) {
            return Ok(Value::bool(match op {
                CmpOp::Eq => a.same_text(b),
                CmpOp::Ne => !a.same_text(b),
                // The order of WTF-8 bytes is the order of code points.
                _ => op.holds(a.as_bytes().cmp(b.as_bytes())),
            }));
        }
        match (a.as_small_int(), b.as_small_int()) {
            (Some(x), None) if b.is_float() => {
                return Ok(Value::bool(compare_floats(
                    op,
                    x as f64,
                    b.float_unchecked(),
                )));
            }
            (None, Some(y)) if a.is_float() => {
                return Ok(Value::bool(compare_floats(
                    op,
                    a.float_unchecked(),
                    y as f64,
                )));
            }
            _ => {}
        }
        self.compare(op, a, b)
    }

    /// `item in container`
    #[inline(never)]
    pub(crate) fn contains_fast(&mut self, container: &Value, item: &Value) -> R<bool> {
        if let Some(d) = container.as_exact::<Dict>() {
            return Ok(d.get_item(self, item)?.is_some());
        }
        if let Some(s) = container.as_exact::<Set>() {
            let hash = match self.hash(item) {
                Ok(h) => h,
                Err(_) if item.is::<Set>() => {
                    // A set is looked for as a frozenset; the method knows.
                    let _ = self.take_error();
                    return self.contains(container, item);
                }
                Err(raised) => {
                    return Err(crate::objects::dict::unhashable(
                        self,
                        raised,
                        item,
                        "a set element",
                    ));
                }
            };
            return crate::objects::set::contains(self, &s.table, item, hash);
        }
        if let Some(l) = container.as_exact::<List>() {
            let mut i = 0;
            while let Some(x) = l.get(self, i) {
                if self.eq(&x, item)? {
                    return Ok(true);
                }
                i += 1;
            }
            return Ok(false);
        }
        if let Some(t) = container.as_exact::<Tuple>() {
            for x in t.items() {
                if self.eq(x, item)? {
                    return Ok(true);
                }
            }
            return Ok(false);
        }
        self.contains(container, item)
    }
}

fn compare_floats(op: CmpOp, a: f64, b: f64) -> bool {
    match op {
        CmpOp::Lt => a < b,
        CmpOp::Le => a <= b,
        CmpOp::Eq => a == b,
        CmpOp::Ne => a != b,
        CmpOp::Gt => a > b,
        CmpOp::Ge => a >= b,
    }
}
