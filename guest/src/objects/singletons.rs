//! The classes of the singletons (`NoneType`, `bool`, ...): payload types that only carry a class.

use crate::class_slot;
use crate::heap::Payload;
use crate::value::Value;

macro_rules! class_only {
    ($($(#[$doc:meta])* $name:ident)*) => {
        $(
            $(#[$doc])*
            pub struct $name;
            // SAFETY: owns nothing; no object with this payload is ever allocated.
            unsafe impl Payload for $name {
                const COLLECTABLE: bool = false;
                class_slot!();
                fn traverse(&self, _: &mut dyn FnMut(&Value)) {}
            }
        )*
    };
}

class_only! {
    /// `NoneType`
    NoneType
    /// `NotImplementedType`
    NotImplementedType
    /// `ellipsis`
    EllipsisType
    /// `bool`, whose layout is that of `int`
    Bool
}
