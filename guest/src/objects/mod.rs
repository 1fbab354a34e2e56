//! The built-in types, one file or folder each: their data, and beside it their methods.
//!
//! Data files know the heap and each other; method files also know the machine's operations ([`crate::vm::Vm`]).

pub mod bytes;
pub mod code;
pub mod codec_registry;
pub mod complex;
pub mod complex_methods;
pub mod descriptors;
pub mod dict;
pub mod exception;
pub mod float;
pub mod float_arith;
pub mod float_methods;
pub mod function;
pub mod generator;
pub mod host_object;
pub mod int;
pub mod iterators;
pub mod list;
pub mod memoryview;
pub mod module;
pub mod namespace;
pub mod native;
pub mod params;
pub mod range;
pub mod sequence;
pub mod set;
pub mod singletons;
pub mod slot_docs;
pub mod slot_wrappers;
pub mod slots;
pub mod string;
pub mod struct_seq;
pub mod tuple;
pub mod tuple_methods;
pub mod types;
