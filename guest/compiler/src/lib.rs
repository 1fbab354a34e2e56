//! From syntax tree to register code.
//!
//! This crate knows the frontend's tree and nothing of values, objects or the machine that runs the code: its result is a
//! [`Proto`](code::Proto), plain data that the interpreter links into a code object.

pub mod code;
pub mod op;
