//! Whole-system tests through the library: programs in real sandboxes.

mod hostile;
mod imports;
mod sessions;
