//! Whole-system tests through the library: programs in real sandboxes.

mod files;
mod fuel;
mod hostile;
mod imports;
mod policy;
mod repeatable;
mod saves;
mod sessions;
mod tools;
mod values;
