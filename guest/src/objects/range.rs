//! `range` and `slice`: the data.

use crate::class_slot;
use crate::heap::{Kind, Payload};
use crate::value::Value;

/// Payload of `range`.
pub struct Range {
    /// First number, as an exact `int`.
    pub start: Value,
    /// End, as an exact `int`.
    pub stop: Value,
    /// Step, as an exact `int`, not zero.
    pub step: Value,
    /// Length, as an exact `int`.
    pub length: Value,
}

// SAFETY: visits every value held.
unsafe impl Payload for Range {
    const KIND: Kind = Kind::Range;
    const COLLECTABLE: bool = false;
    class_slot!();
    fn traverse(&self, visit: &mut dyn FnMut(&Value)) {
        [&self.start, &self.stop, &self.step, &self.length]
            .into_iter()
            .for_each(visit);
    }
}

/// Payload of `slice`.
pub struct Slice {
    /// `start`
    pub start: Value,
    /// `stop`
    pub stop: Value,
    /// `step`
    pub step: Value,
}

// SAFETY: visits every value held.
unsafe impl Payload for Slice {
    const KIND: Kind = Kind::Slice;
    class_slot!();
    fn traverse(&self, visit: &mut dyn FnMut(&Value)) {
        [&self.start, &self.stop, &self.step]
            .into_iter()
            .for_each(visit);
    }
}
