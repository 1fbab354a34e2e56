//! Hash tables with a fixed seed: the same source takes the same steps every time, and nothing asks for randomness.
#![allow(
    clippy::disallowed_types,
    reason = "the one place that gives them another hasher"
)]

use std::hash::BuildHasherDefault;

use rustc_hash::FxHasher;

/// A hash map.
pub type HashMap<K, V> = std::collections::HashMap<K, V, BuildHasherDefault<FxHasher>>;

/// A hash set.
pub type HashSet<K> = std::collections::HashSet<K, BuildHasherDefault<FxHasher>>;
