//! Definite assignment: the set of locals that are surely bound at a point.
//!
//! The machine reads registers without looking whether they hold anything, so the compiler must know. The set
//! covers the first 256 locals of a unit; further ones are checked at every read.

/// A set of locals.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Bound([u64; 4]);

impl Bound {
    fn place(local: u16) -> Option<(usize, u64)> {
        let word = usize::from(local / 64);
        (word < 4).then(|| (word, 1 << (local % 64)))
    }

    pub fn contains(self, local: u16) -> bool {
        Bound::place(local).is_some_and(|(word, bit)| self.0[word] & bit != 0)
    }

    pub fn insert(&mut self, local: u16) {
        if let Some((word, bit)) = Bound::place(local) {
            self.0[word] |= bit;
        }
    }

    pub fn remove(&mut self, local: u16) {
        if let Some((word, bit)) = Bound::place(local) {
            self.0[word] &= !bit;
        }
    }

    /// What is bound on both ways.
    pub fn intersect(self, other: Bound) -> Bound {
        let mut result = self;
        for (word, other) in result.0.iter_mut().zip(other.0) {
            *word &= other;
        }
        result
    }
}
