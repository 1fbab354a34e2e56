//! The value word: every Python object as 64 bits.
//!
//! # Encoding
//!
//! Floats and small integers are inline, everything else is a counted reference to the heap, or one of few singletons:
//!
//! ```text
//! 0000:pppp:pppp:ppp0   reference (48-bit address, 8-byte aligned; a 32-bit one on wasm32)
//! 0000:0000:0000:00xx   singleton, bit 1 set: UNDEF, None, False, True, NotImplemented, Ellipsis
//! 0002:... - FFFA:...   float: the IEEE bits plus 2^49
//! FFFC:... - FFFF:...   integer of 50 bits, two's complement
//! ```
//!
//! A word is never 0, so `Option<Value>` and `Result<Value, Raised>` are one word too: that is what makes calls between the machine and native
//! code cheap. The scheme is the one that JavaScriptCore documents (`JSCJSValue.h`), with wider integers.
//!
//! # Ownership
//!
//! A `Value` owns one count of what it refers to: cloning counts up, dropping counts down, and the last drop frees (see [`crate::heap`]).

use crate::heap::{self, Boxed, Header, Payload, Ref};
use std::mem::ManuallyDrop;
use std::num::NonZeroU64;
use std::ptr::NonNull;

const FLOAT_OFFSET: u64 = 1 << 49;
const NEGATIVE_NAN: u64 = 0xFFF8_0000_0000_0000;
const INT_TAG: u64 = 0xFFFC_0000_0000_0000;
const INT_MASK: u64 = !INT_TAG;
const INT_BITS: u32 = 50;
/// A word with none of these bits set is a reference.
const NOT_REF: u64 = 0xFFFE_0000_0000_0002;

const UNDEF: u64 = 0x0A;
const NONE: u64 = 0x02;
const FALSE: u64 = 0x06;
const TRUE: u64 = 0x07;
const NOT_IMPLEMENTED: u64 = 0x12;
const ELLIPSIS: u64 = 0x1A;

/// One Python object. See the module's documentation.
#[repr(transparent)]
pub struct Value(NonZeroU64);

impl Value {
    /// No value: an unbound register, a missing argument, an exhausted iterator. Never visible to Python code.
    pub const UNDEF: Value = Value::raw(UNDEF);
    /// `None`
    pub const NONE: Value = Value::raw(NONE);
    /// `False`
    pub const FALSE: Value = Value::raw(FALSE);
    /// `True`
    pub const TRUE: Value = Value::raw(TRUE);
    /// `NotImplemented`
    pub const NOT_IMPLEMENTED: Value = Value::raw(NOT_IMPLEMENTED);
    /// `Ellipsis`
    pub const ELLIPSIS: Value = Value::raw(ELLIPSIS);
    /// Largest integer that is inline.
    pub const INT_MAX: i64 = (1 << (INT_BITS - 1)) - 1;
    /// Smallest integer that is inline.
    pub const INT_MIN: i64 = -(1 << (INT_BITS - 1));

    const fn raw(bits: u64) -> Value {
        match NonZeroU64::new(bits) {
            Some(bits) => Value(bits),
            None => panic!("a value word is never zero"),
        }
    }

    /// The word itself.
    #[inline(always)]
    pub const fn bits(&self) -> u64 {
        self.0.get()
    }

    /// A value from its word.
    ///
    /// # Safety
    /// `bits` came from a `Value` whose count the result takes over (or is not a reference).
    #[inline(always)]
    pub const unsafe fn from_bits(bits: u64) -> Value {
        // SAFETY: a value's word is never zero.
        Value(unsafe { NonZeroU64::new_unchecked(bits) })
    }

    // ---- integers

    /// An inline integer.
    ///
    /// `i` must fit 50 bits; use [`Value::int`] where it may not.
    #[inline(always)]
    pub const fn small_int(i: i64) -> Value {
        debug_assert!(i >= Self::INT_MIN && i <= Self::INT_MAX);
        // SAFETY: the tag makes it non-zero.
        unsafe { Value::from_bits((i as u64 & INT_MASK) | INT_TAG) }
    }

    /// Whether `i` can be inline.
    #[inline(always)]
    pub const fn fits_small(i: i64) -> bool {
        (i << (64 - INT_BITS)) >> (64 - INT_BITS) == i
    }

    /// Whether this is an inline integer (a `bool` is not).
    #[inline(always)]
    pub const fn is_small_int(&self) -> bool {
        self.bits() >= INT_TAG
    }

    /// Whether both are inline integers.
    #[inline(always)]
    pub const fn both_small_int(a: &Value, b: &Value) -> bool {
        (a.bits() & b.bits()) >= INT_TAG
    }

    /// The number of an inline integer, unchecked: nonsense for any other value.
    #[inline(always)]
    pub const fn small_int_unchecked(&self) -> i64 {
        ((self.bits() << (64 - INT_BITS)) as i64) >> (64 - INT_BITS)
    }

    /// The number, if this is an inline integer.
    #[inline(always)]
    pub const fn as_small_int(&self) -> Option<i64> {
        if self.is_small_int() {
            Some(self.small_int_unchecked())
        } else {
            None
        }
    }

    // ---- floats

    /// A `float`.
    #[inline(always)]
    pub fn float(f: f64) -> Value {
        // Only negative NaNs with a payload could leave the range: there is one negative NaN.
        let bits = f.to_bits();
        let bits = if bits > NEGATIVE_NAN {
            NEGATIVE_NAN
        } else {
            bits
        };
        // SAFETY: the offset makes it non-zero (the sum of the largest double and the offset does not wrap).
        unsafe { Value::from_bits(bits.wrapping_add(FLOAT_OFFSET)) }
    }

    /// A NaN that is no other one: containers tell NaNs apart by identity, and the identity of a float is its bits.
    pub fn fresh_nan() -> Value {
        thread_local! {
            static NEXT: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
        }
        let number = NEXT.with(|next| {
            next.set((next.get() + 1) & ((1 << 50) - 1));
            next.get()
        });
        Value::float(f64::from_bits(f64::NAN.to_bits() | number))
    }

    /// The bits of a double as other programs are to see them: the payload of a NaN is ours.
    pub fn public_bits(f: f64) -> u64 {
        if f.is_nan() {
            f64::NAN.to_bits() | (f.to_bits() & (1 << 63))
        } else {
            f.to_bits()
        }
    }

    /// A `float` from bits that may come from outside (`struct.unpack`, decoded values): NaN payloads are dropped, but not the sign.
    pub fn float_from_outside(f: f64) -> Value {
        Value::float(if f.is_nan() { f64::NAN.copysign(f) } else { f })
    }

    /// Whether this is an inline `float`.
    #[inline(always)]
    pub const fn is_float(&self) -> bool {
        self.bits().wrapping_sub(FLOAT_OFFSET) < INT_TAG - FLOAT_OFFSET
    }

    /// The number of an inline float, unchecked: nonsense for any other value.
    #[inline(always)]
    pub const fn float_unchecked(&self) -> f64 {
        f64::from_bits(self.bits().wrapping_sub(FLOAT_OFFSET))
    }

    /// The number, if this is an inline (exact) `float`.
    #[inline(always)]
    pub const fn as_float(&self) -> Option<f64> {
        if self.is_float() {
            Some(self.float_unchecked())
        } else {
            None
        }
    }

    // ---- singletons

    /// `True` or `False`
    #[inline(always)]
    pub const fn bool(b: bool) -> Value {
        // SAFETY: FALSE is non-zero, and TRUE is FALSE + 1.
        unsafe { Value::from_bits(FALSE + b as u64) }
    }

    /// Whether this is `True` or `False`.
    #[inline(always)]
    pub const fn is_bool(&self) -> bool {
        self.bits() & !1 == FALSE
    }

    /// The truth value, if this is a `bool`.
    #[inline(always)]
    pub const fn as_bool(&self) -> Option<bool> {
        if self.is_bool() {
            Some(self.bits() == TRUE)
        } else {
            None
        }
    }

    /// Whether this is `True`.
    #[inline(always)]
    pub const fn is_true(&self) -> bool {
        self.bits() == TRUE
    }

    /// Whether this is `False`.
    #[inline(always)]
    pub const fn is_false(&self) -> bool {
        self.bits() == FALSE
    }

    /// Whether this is `None`.
    #[inline(always)]
    pub const fn is_none(&self) -> bool {
        self.bits() == NONE
    }

    /// Whether this is [`Value::UNDEF`].
    #[inline(always)]
    pub const fn is_undef(&self) -> bool {
        self.bits() == UNDEF
    }

    /// Whether this is `NotImplemented`.
    #[inline(always)]
    pub const fn is_not_implemented(&self) -> bool {
        self.bits() == NOT_IMPLEMENTED
    }

    /// Whether this is `Ellipsis`.
    #[inline(always)]
    pub const fn is_ellipsis(&self) -> bool {
        self.bits() == ELLIPSIS
    }

    /// `None` for [`Value::UNDEF`], otherwise the value: for optional arguments.
    #[inline(always)]
    pub fn defined(&self) -> Option<&Value> {
        if self.is_undef() { None } else { Some(self) }
    }

    // ---- references

    /// Whether this refers to the heap.
    #[inline(always)]
    pub const fn is_ref(&self) -> bool {
        self.bits() & NOT_REF == 0
    }

    /// The heap object's header, if this refers to one.
    #[inline(always)]
    pub fn header(&self) -> Option<&Header> {
        if self.is_ref() {
            // SAFETY: a reference word is the address of a live object, which this value keeps alive.
            Some(unsafe { self.header_unchecked() })
        } else {
            None
        }
    }

    /// The heap object's header.
    ///
    /// # Safety
    /// [`Value::is_ref`] holds.
    #[inline(always)]
    pub unsafe fn header_unchecked(&self) -> &Header {
        // SAFETY: as above.
        unsafe { &*(self.bits() as usize as *const Header) }
    }

    /// The object's address, for identity (`id`) and for tables keyed by identity.
    #[inline(always)]
    pub fn address(&self) -> Option<NonNull<Header>> {
        if self.is_ref() {
            NonNull::new(self.bits() as usize as *mut Header)
        } else {
            None
        }
    }

    /// Takes over a counted reference.
    #[inline(always)]
    pub fn from_ref<T: Payload>(r: Ref<T>) -> Value {
        let r = ManuallyDrop::new(r);
        // SAFETY: addresses are non-zero, 8-byte aligned and below 2^48; the count moves over.
        unsafe { Value::from_bits(r.as_ptr() as usize as u64) }
    }

    /// Whether this is an object with payload `T` (of its class or a subclass).
    #[inline(always)]
    pub fn is<T: Payload>(&self) -> bool {
        self.header().is_some_and(|h| h.has_payload::<T>())
    }

    /// Whether this is an object of exactly the class of payload `T`.
    #[inline(always)]
    pub fn is_exact<T: Payload>(&self) -> bool {
        self.header().is_some_and(|h| h.is_exact::<T>())
    }

    /// The object as a typed reference, if its payload is `T` (its class or a subclass).
    #[inline(always)]
    pub fn as_ref<T: Payload>(&self) -> Option<&Ref<T>> {
        if self.is::<T>() {
            // SAFETY: the payload was checked.
            Some(unsafe { self.as_ref_unchecked() })
        } else {
            None
        }
    }

    /// The object as a typed reference, if it is of exactly the class of payload `T`.
    #[inline(always)]
    pub fn as_exact<T: Payload>(&self) -> Option<&Ref<T>> {
        if self.is_exact::<T>() {
            // SAFETY: the payload was checked.
            Some(unsafe { self.as_ref_unchecked() })
        } else {
            None
        }
    }

    /// The object as a typed reference.
    ///
    /// # Safety
    /// The payload is `T`.
    #[inline(always)]
    pub unsafe fn as_ref_unchecked<T: Payload>(&self) -> &Ref<T> {
        debug_assert!(self.is::<T>());
        // SAFETY: a reference word holds the address in its low half (wasm32 is little-endian) or as a whole.
        unsafe { &*(self as *const Value as *const Ref<T>) }
    }

    /// The object as an owned typed reference, if its payload is `T`; the value itself otherwise.
    pub fn into_ref<T: Payload>(self) -> Result<Ref<T>, Value> {
        if self.is::<T>() {
            let me = ManuallyDrop::new(self);
            // SAFETY: the payload was checked; the count moves over.
            Ok(unsafe {
                Ref::from_ptr(NonNull::new_unchecked(me.bits() as usize as *mut Boxed<T>))
            })
        } else {
            Err(self)
        }
    }

    /// Identity, as the operator `is` sees it.
    #[inline(always)]
    pub fn is_same(&self, other: &Value) -> bool {
        self.bits() == other.bits()
    }

    /// Takes the value, leaving [`Value::UNDEF`].
    #[inline(always)]
    pub fn take(&mut self) -> Value {
        std::mem::replace(self, Value::UNDEF)
    }
}

impl Clone for Value {
    #[inline(always)]
    fn clone(&self) -> Value {
        if let Some(h) = self.header() {
            h.count_up();
        }
        Value(self.0)
    }
}

impl Drop for Value {
    #[inline(always)]
    fn drop(&mut self) {
        if self.is_ref() {
            // SAFETY: this value owns one count of a live object.
            unsafe { heap::count_down(self.bits() as usize as *mut Header) }
        }
    }
}

/// What `drop` does, in place also where the compiler would make a call of it: in metered WebAssembly that costs several times the work.
#[inline(always)]
pub(crate) fn discard(value: Value) {
    let value = std::mem::ManuallyDrop::new(value);
    if value.is_ref() {
        // SAFETY: the value owned one count of a live object, and is not dropped again.
        unsafe { heap::count_down(value.bits() as usize as *mut Header) }
    }
}

impl<T: Payload> From<Ref<T>> for Value {
    #[inline(always)]
    fn from(r: Ref<T>) -> Value {
        Value::from_ref(r)
    }
}

impl From<bool> for Value {
    fn from(b: bool) -> Value {
        Value::bool(b)
    }
}

impl From<f64> for Value {
    fn from(f: f64) -> Value {
        Value::float(f)
    }
}

impl std::fmt::Debug for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.bits() {
            UNDEF => f.write_str("UNDEF"),
            NONE => f.write_str("None"),
            FALSE => f.write_str("False"),
            TRUE => f.write_str("True"),
            NOT_IMPLEMENTED => f.write_str("NotImplemented"),
            ELLIPSIS => f.write_str("Ellipsis"),
            _ if self.is_small_int() => write!(f, "{}", self.small_int_unchecked()),
            _ if self.is_float() => write!(f, "{:?}", self.float_unchecked()),
            bits => write!(f, "<object at {bits:#x}>"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_keep_their_value_up_to_fifty_bits() {
        for i in [0, 1, -1, 12345, -98765, Value::INT_MAX, Value::INT_MIN] {
            let v = Value::small_int(i);
            assert!(v.is_small_int() && !v.is_float() && !v.is_ref() && !v.is_bool());
            assert_eq!(v.as_small_int(), Some(i));
        }
        assert!(Value::fits_small(Value::INT_MAX) && !Value::fits_small(Value::INT_MAX + 1));
        assert!(Value::fits_small(Value::INT_MIN) && !Value::fits_small(Value::INT_MIN - 1));
    }

    #[test]
    fn floats_keep_every_bit() {
        for f in [
            0.0,
            -0.0,
            1.5,
            f64::MAX,
            f64::MIN,
            f64::MIN_POSITIVE,
            5e-324,
            f64::INFINITY,
            f64::NEG_INFINITY,
        ] {
            let v = Value::float(f);
            assert!(v.is_float() && !v.is_small_int() && !v.is_ref());
            assert_eq!(v.as_float().map(f64::to_bits), Some(f.to_bits()));
        }
        assert!(Value::float(f64::NAN).as_float().is_some_and(f64::is_nan));
        assert!(Value::float(-f64::NAN).as_float().is_some_and(f64::is_nan));
    }

    #[test]
    fn singletons_are_neither_numbers_nor_references() {
        for v in [
            Value::UNDEF,
            Value::NONE,
            Value::FALSE,
            Value::TRUE,
            Value::NOT_IMPLEMENTED,
            Value::ELLIPSIS,
        ] {
            assert!(!v.is_ref() && !v.is_float() && !v.is_small_int());
        }
        assert_eq!(std::mem::size_of::<Option<Value>>(), 8);
    }
}
