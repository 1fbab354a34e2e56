//! Binding arguments to parameters where they lie: calls that leave out defaults or give keywords, of functions without `*args` and `**kwargs`.
//!
//! The general case, and every error, is in [`super::call`]; this one refuses what it does not know before it has moved anything.

use std::mem::MaybeUninit;

use super::Vm;
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
    /// Whether a call with `count` arguments by position leaves out parameters that have defaults, where `wanted` is the number of all.
    #[inline(always)]
    pub(super) fn has_defaults(&self, function: &Function, count: usize, wanted: usize) -> bool {
        let defaults = &function.state.get(self).defaults;
        count < wanted
            && defaults
                .as_ref::<Tuple>()
                .is_some_and(|defaults| defaults.len() >= wanted - count)
    }

    /// Puts defaults behind the `count` arguments at `base`, so that there are as many as are wanted.
    ///
    /// # Safety
    /// [`Vm::has_defaults`] says yes, and the registers behind the arguments are `UNDEF`.
    #[inline(never)]
    pub(super) unsafe fn fill_defaults(
        &self,
        function: &Function,
        base: *mut Value,
        count: usize,
        wanted: usize,
    ) {
        let defaults = &function.state.get(self).defaults;
        let Some(defaults) = defaults.as_ref::<Tuple>() else {
            return;
        };
        let unused = defaults.len() - (wanted - count);
        for (n, value) in defaults[unused..].iter().enumerate() {
            // SAFETY: by contract.
            unsafe { base.add(count + n).write(value.clone()) };
        }
    }

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
        let mut left = missing & !low_bits(args);
        while left != 0 {
            if keyword_default(left.trailing_zeros() as usize).is_none() {
                return false;
            }
            left &= left - 1;
        }
        // SAFETY: by contract; every value is taken once, and every place is written once while it is `UNDEF`.
        unsafe {
            // Moved as memory: values that are dropped one by one cost more than they are.
            let mut values = [const { MaybeUninit::<Value>::uninit() }; MAX_KEYWORDS];
            let given = base.add(positional);
            std::ptr::copy_nonoverlapping(given, values.as_mut_ptr().cast(), names.len());
            for n in 0..names.len() {
                given.add(n).write(Value::UNDEF);
            }
            for (value, place) in values.iter().zip(places).take(names.len()) {
                base.add(place).write(value.assume_init_read());
            }
            let mut left = missing;
            while left != 0 {
                let i = left.trailing_zeros() as usize;
                left &= left - 1;
                if i < args {
                    base.add(i).write(defaults[unused + i - first].clone());
                } else if let Some(value) = keyword_default(i) {
                    base.add(i).write(value.clone());
                }
            }
        }
        true
    }
}
