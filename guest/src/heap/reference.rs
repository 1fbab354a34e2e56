//! Typed counted references, and the cell for payload state that changes.

use super::{Boxed, Header, Payload, count_down};
use crate::value::Value;
use crate::vm::Vm;
use std::cell::UnsafeCell;
use std::mem::ManuallyDrop;
use std::ops::Deref;
use std::ptr::NonNull;

/// A counted reference to an object whose payload is known to be `T`.
#[repr(transparent)]
pub struct Ref<T: Payload>(NonNull<Boxed<T>>);

impl<T: Payload> Ref<T> {
    /// A reference that takes over a count.
    ///
    /// # Safety
    /// `p` is a live object with payload `T`, and the caller owned one count.
    #[inline(always)]
    pub unsafe fn from_ptr(p: NonNull<Boxed<T>>) -> Ref<T> {
        Ref(p)
    }

    /// The object's address.
    #[inline(always)]
    pub fn as_ptr(&self) -> *const Boxed<T> {
        self.0.as_ptr()
    }

    /// The object's address with its count.
    #[inline(always)]
    pub fn into_ptr(self) -> NonNull<Boxed<T>> {
        ManuallyDrop::new(self).0
    }

    /// The object's header.
    #[inline(always)]
    pub fn header(&self) -> &Header {
        // SAFETY: the reference keeps the object alive.
        unsafe { &self.0.as_ref().header }
    }

    /// The same reference as a value, with a count of its own.
    #[inline(always)]
    pub fn to_value(&self) -> Value {
        Value::from_ref(self.clone())
    }

    /// Calls `f` with the reference seen as a value, without counting.
    #[inline(always)]
    pub fn with_value<R>(&self, f: impl FnOnce(&Value) -> R) -> R {
        // SAFETY: the word is this reference's address; it is not dropped, so no count is lost.
        let value = ManuallyDrop::new(unsafe { Value::from_bits(self.0.as_ptr() as usize as u64) });
        f(&value)
    }

    /// Identity.
    #[inline(always)]
    pub fn same(&self, other: &Ref<T>) -> bool {
        self.0 == other.0
    }
}

impl<T: Payload> Deref for Ref<T> {
    type Target = T;
    #[inline(always)]
    fn deref(&self) -> &T {
        // SAFETY: the reference keeps the object alive; payloads are only shared.
        unsafe { &self.0.as_ref().payload }
    }
}

impl<T: Payload> Clone for Ref<T> {
    #[inline(always)]
    fn clone(&self) -> Self {
        self.header().count_up();
        Ref(self.0)
    }
}

impl<T: Payload> Drop for Ref<T> {
    #[inline(always)]
    fn drop(&mut self) {
        // SAFETY: this reference owns one count.
        unsafe { count_down(self.0.as_ptr() as *mut Header) }
    }
}

/// Payload state that changes. The machine is the token: reading needs `&Vm`, changing needs `&mut Vm`, so nothing that
/// could run Python code (it takes `&mut Vm`) can happen while a borrow lives. This is the idea of GhostCell (Yanovski et al., 2021), with the one
/// machine of the thread as the brand.
pub struct VmCell<T>(UnsafeCell<T>);

impl<T> VmCell<T> {
    /// A cell holding `value`.
    pub const fn new(value: T) -> Self {
        VmCell(UnsafeCell::new(value))
    }

    /// The state, for reading.
    #[inline(always)]
    pub fn get<'a>(&'a self, _vm: &'a Vm) -> &'a T {
        // SAFETY: while `&Vm` is borrowed nobody has `&mut Vm`, hence nobody has the state mutably.
        unsafe { &*self.0.get() }
    }

    /// The state, for changing.
    #[inline(always)]
    #[allow(clippy::mut_from_ref)] // the token is the exclusive borrow
    pub fn get_mut<'a>(&'a self, _vm: &'a mut Vm) -> &'a mut T {
        // SAFETY: the machine is borrowed exclusively, so no other borrow of any cell lives.
        unsafe { &mut *self.0.get() }
    }

    /// Replaces the state and gives back the old one.
    #[inline(always)]
    pub fn replace(&self, _vm: &mut Vm, value: T) -> T {
        // SAFETY: as for `get_mut`; the old state is returned, not dropped under the borrow.
        unsafe { std::mem::replace(&mut *self.0.get(), value) }
    }

    /// The state, while nothing else can look at it (construction, collection).
    pub fn exclusive(&mut self) -> &mut T {
        self.0.get_mut()
    }

    /// The state without the token.
    ///
    /// # Safety
    /// No mutable borrow of the state lives as long as the result does.
    #[inline(always)]
    pub unsafe fn peek(&self) -> &T {
        // SAFETY: by contract.
        unsafe { &*self.0.get() }
    }

    /// The address of the state, for the machine's own inner loops.
    #[inline(always)]
    pub fn as_ptr(&self) -> *mut T {
        self.0.get()
    }
}

impl<T: Default> Default for VmCell<T> {
    fn default() -> Self {
        VmCell::new(T::default())
    }
}
