//! Binding arguments to parameters where they lie: calls that leave out defaults or give keywords, of functions without `*args` and `**kwargs`.
//!
//! The general case, and every error, is in [`super::call`]; this one refuses what it does not know before it has moved anything.

use super::Vm;
use super::dispatch::take;
use crate::objects::code::Code;
use crate::objects::dict::Dict;
use crate::objects::function::Function;
use crate::objects::string::Str;
use crate::objects::tuple::Tuple;
use crate::value::Value;

/// The most keywords that are bound in place.
const MAX_KEYWORDS: usize = 8;

/// The most parameters: one bit of a word is kept for each.
const MAX_PARAMETERS: usize = 63;

/// A word whose `count` lowest bits are set.
fn low_bits(count: usize) -> u64 {
    (1 << count) - 1
}

impl Vm {
    /// Arranges `count` arguments at `base`, the last of them keywords with these names, as the parameters want them. False when they are to be bound the
    /// general way; then they lie as before.
    ///
    /// # Safety
    /// The registers from `base` on are those of the callee: the arguments, and `UNDEF` behind them.
    pub(super) unsafe fn bind_in_place(
        &self,
        function: &Function,
        code: &Code,
        base: *mut Value,
        count: usize,
        names: &[Value],
    ) -> bool {
        let proto = &code.proto;
        let args = proto.args as usize;
        let total = args + proto.kwonly as usize;
        let positional = count - names.len();
        if proto.flags.varargs
            || proto.flags.varkeywords
            || positional > args
            || total > MAX_PARAMETERS
            || names.len() > MAX_KEYWORDS
        {
            return false;
        }
        let mut filled = low_bits(positional);
        let mut places = [0; MAX_KEYWORDS];
        for (place, name) in places.iter_mut().zip(names) {
            let Some(name) = name.as_ref::<Str>() else {
                return false;
            };
            let could = proto.posonly as usize..total;
            let Some(i) = could.clone().find(|&i| code.varnames[i].same(name)) else {
                return false;
            };
            if filled >> i & 1 != 0 {
                return false;
            }
            filled |= 1 << i;
            *place = i;
        }
        let missing = low_bits(total) & !filled;
        if missing == 0 && names.is_empty() {
            return true;
        }
        let state = function.state.get(self);
        let defaults = state
            .defaults
            .as_ref::<Tuple>()
            .map_or(&[][..], |t| t.items());
        // There may be more of them than parameters (`__defaults__` was assigned): the last ones count.
        let first = args.saturating_sub(defaults.len());
        let unused = defaults.len().saturating_sub(args);
        if missing & low_bits(first) != 0 {
            return false;
        }
        let keyword_default = |i: usize| {
            let dict = state.kwdefaults.as_ref::<Dict>()?;
            dict.get_str(self, &code.varnames[i])
        };
        if (args..total).any(|i| missing >> i & 1 != 0 && keyword_default(i).is_none()) {
            return false;
        }
        // SAFETY: by contract; every value is taken once, and every place is written once while it is `UNDEF`.
        unsafe {
            let mut values = [const { Value::UNDEF }; MAX_KEYWORDS];
            for (n, value) in values.iter_mut().enumerate().take(names.len()) {
                *value = take(base.add(positional + n));
            }
            for (value, place) in values.into_iter().zip(places).take(names.len()) {
                base.add(place).write(value);
            }
            for i in first..args {
                if missing >> i & 1 != 0 {
                    base.add(i).write(defaults[unused + i - first].clone());
                }
            }
            for i in args..total {
                if missing >> i & 1 != 0
                    && let Some(value) = keyword_default(i)
                {
                    base.add(i).write(value.clone());
                }
            }
        }
        true
    }
}
