//! Conversions between numbers, for native code: what accepts "a number" or "an integer" goes through here.

use super::ops::class_of;
use super::{R, Raised, Vm};
use crate::heap;
use crate::names::Names;
use crate::objects::bytes::buffer;
use crate::objects::complex::Complex;
use crate::objects::exception::Exc;
use crate::objects::string::Str;
use crate::objects::tuple::Tuple;
use crate::value::Value;
use coldframe_numeric::{BigInt, Int, NumericError, float_ops, rational};

/// Integers with more bits are refused with `MemoryError`, whatever memory there is.
pub const MAX_INT_BITS: u64 = 1 << 29;

/// Products with more bits are refused with `MemoryError`: multiplying takes more than linear time, and more than this nobody waits for.
pub const MAX_PRODUCT_BITS: u64 = 1 << 27;

impl From<Int> for Value {
    fn from(i: Int) -> Value {
        match i {
            Int::Small(i) => Value::int(i),
            Int::Big(b) => Value::bigint(b),
        }
    }
}

impl Vm {
    /// Raises the exception that a numeric algorithm asks for.
    #[cold]
    pub fn numeric_error(&mut self, e: NumericError) -> Raised {
        match e {
            NumericError::Value(text) => self.value_error(text),
            NumericError::Overflow(text) if text == float_ops::POWER_OVERFLOW => {
                let args = Tuple::value(vec![
                    Value::small_int(34),
                    Str::value("Numerical result out of range"),
                ]);
                self.raise_args(Exc::OverflowError.class(), args)
            }
            NumericError::Overflow(text) => self.overflow_error(text),
            NumericError::ZeroDivision(text) => self.zero_division_error(text),
            NumericError::Type(text) => self.type_error(text),
            NumericError::Memory => self.memory_error(),
        }
    }

    /// The result of a numeric algorithm, or its exception.
    #[inline]
    pub fn numeric<T>(&mut self, result: Result<T, NumericError>) -> R<T> {
        result.map_err(|e| self.numeric_error(e))
    }

    /// Makes sure that an integer of so many bits may be made; `MemoryError` otherwise.
    #[inline]
    pub fn check_int_bits(&mut self, bits: u64) -> R<()> {
        if bits <= 1 << 16 {
            Ok(())
        } else {
            self.check_many_bits(bits)
        }
    }

    /// As [`Vm::check_int_bits`], for a result of multiplications.
    #[inline]
    pub fn check_product_bits(&mut self, bits: u64) -> R<()> {
        if bits <= MAX_PRODUCT_BITS {
            self.check_int_bits(bits)
        } else {
            Err(self.memory_error())
        }
    }

    #[cold]
    fn check_many_bits(&mut self, bits: u64) -> R<()> {
        // Multiplication needs room for intermediate results too.
        if bits > MAX_INT_BITS || !heap::can_allocate((bits / 8) as usize * 5) {
            return Err(self.memory_error());
        }
        Ok(())
    }

    /// A number as a double: floats, integers, and what has `__float__` or `__index__`. "must be real number, not str" otherwise.
    #[inline]
    pub fn to_double(&mut self, v: &Value) -> R<f64> {
        if let Some(f) = v.as_float() {
            return Ok(f);
        }
        if let Some(i) = v.as_small_int() {
            return Ok(i as f64);
        }
        match self.to_double_opt(v)? {
            Some(f) => Ok(f),
            None => {
                Err(self.type_error(format!("must be real number, not {}", class_of(v).name())))
            }
        }
    }

    /// As [`Vm::to_double`]; `None` for what is no real number.
    pub fn to_double_opt(&mut self, v: &Value) -> R<Option<f64>> {
        if let Some(f) = v.as_any_float() {
            return Ok(Some(f));
        }
        let slots = class_of(v).slots();
        if let Some(f) = slots.float {
            return Ok(f(self, v)?.as_any_float());
        }
        if slots.index.is_some() {
            let i = self.index(v)?;
            return self.int_to_double(&i).map(Some);
        }
        Ok(None)
    }

    /// An `int` as a double, rounded to nearest; `OverflowError` when it is too large.
    pub fn int_to_double(&mut self, v: &Value) -> R<f64> {
        match v.as_int() {
            Some(i) => match i.to_i64() {
                Some(i) => Ok(i as f64),
                None => {
                    let result = rational::to_float(&i.as_big());
                    self.numeric(result)
                }
            },
            None => self.to_double(v),
        }
    }

    /// A number as a complex: complex numbers, what has `__complex__`, and real numbers. "must be real number, not str" otherwise.
    pub fn to_complex(&mut self, v: &Value) -> R<(f64, f64)> {
        match self.to_complex_opt(v)? {
            Some(z) => Ok(z),
            None => self.to_double(v).map(|x| (x, 0.0)),
        }
    }

    /// A complex number, or what has `__complex__`; `None` for others.
    pub fn to_complex_opt(&mut self, v: &Value) -> R<Option<(f64, f64)>> {
        if let Some(z) = v.as_ref::<Complex>() {
            return Ok(Some((z.re, z.im)));
        }
        if !v.is_ref() {
            return Ok(None);
        }
        let Some(z) = self.call_special_opt(v, &Names::get().__complex__, &[])? else {
            return Ok(None);
        };
        match z.as_ref::<Complex>() {
            Some(z) => Ok(Some((z.re, z.im))),
            None => Err(self.type_error(format!(
                "{}.__complex__() must return a complex, not {}",
                class_of(v).name(),
                class_of(&z).name()
            ))),
        }
    }

    /// `operator.index(v)` as a big integer.
    pub fn index_big(&mut self, v: &Value) -> R<BigInt> {
        let i = self.index(v)?;
        Ok(i.as_int().map_or_else(BigInt::default, |i| i.to_big()))
    }

    /// The bytes that a bytes-like object lends; `None` for others.
    pub fn bytes_like(&mut self, v: &Value) -> R<Option<Vec<u8>>> {
        if buffer::is_buffer(v) {
            buffer::copy(self, v).map(Some)
        } else {
            Ok(None)
        }
    }

    /// `type(v)` as messages show it where they tell classes of the same name apart: with the module, unless that is `builtins` or `__main__`.
    pub fn full_class_name(&self, v: &Value) -> String {
        let class = class_of(v);
        let qualname = class.qualname.get(self).to_text().into_owned();
        let module = class
            .dict
            .get_str(self, &Names::get().__module__)
            .and_then(|m| m.as_ref::<Str>())
            .map(|m| m.to_text().into_owned());
        match module {
            Some(m) if m != "builtins" && m != "__main__" => format!("{m}.{qualname}"),
            _ => qualname,
        }
    }
}
