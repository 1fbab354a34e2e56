//! `math.sumprod`: exact for integers, extra precise for floats, by operators for everything else.

use crate::objects::float_arith::number;
use crate::objects::slots::BinOp;
use crate::value::Value;
use crate::vm::{R, Vm};
use coldframe_numeric::sums::SumProduct;

/// The sum so far. Integers and floats are summed apart, as long as the items are of these types, and joined to `total` when others come.
struct Sums {
    total: Value,
    integers: i128,
    floats: SumProduct,
    has_floats: bool,
}

impl Sums {
    fn flush(&mut self, vm: &mut Vm) -> R<()> {
        if self.integers != 0 {
            let part = Value::bigint(std::mem::take(&mut self.integers).into());
            self.total = vm.binary(BinOp::Add, &self.total, &part)?;
        }
        if std::mem::take(&mut self.has_floats) {
            let part = number(std::mem::take(&mut self.floats).finish());
            self.total = vm.binary(BinOp::Add, &self.total, &part)?;
        }
        Ok(())
    }

    fn add(&mut self, vm: &mut Vm, p: &Value, q: &Value) -> R<()> {
        if let (Some(x), Some(y)) = (p.as_small_int(), q.as_small_int()) {
            // Products have at most 98 bits: the sum of as many as memory holds fits.
            if !self.has_floats
                && let Some(sum) = self.integers.checked_add(x as i128 * y as i128)
            {
                self.integers = sum;
                return Ok(());
            }
        }
        let real = |v: &Value| {
            v.as_float()
                .or_else(|| v.as_small_int().map(|i| i as f64))
                .or_else(|| v.as_bool().map(|b| b as u8 as f64))
        };
        if (p.is_float() || q.is_float() || self.has_floats)
            && let (Some(x), Some(y)) = (real(p), real(q))
            && self.floats.add(x, y)
        {
            self.has_floats = true;
            return Ok(());
        }
        self.flush(vm)?;
        let product = vm.binary(BinOp::Mul, p, q)?;
        self.total = vm.binary(BinOp::Add, &self.total, &product)?;
        Ok(())
    }
}

/// `sumprod(p, q, /)`
pub(super) fn sumprod(vm: &mut Vm, args: &[Value]) -> R {
    let (p, q) = (vm.get_iter(&args[0])?, vm.get_iter(&args[1])?);
    let mut sums = Sums {
        total: Value::small_int(0),
        integers: 0,
        floats: SumProduct::new(),
        has_floats: false,
    };
    loop {
        match (vm.step(&p)?, vm.step(&q)?) {
            (Some(x), Some(y)) => sums.add(vm, &x, &y)?,
            (None, None) => break,
            _ => return Err(vm.value_error("Inputs are not the same length")),
        }
        vm.poll_native()?;
    }
    sums.flush(vm)?;
    Ok(sums.total)
}
