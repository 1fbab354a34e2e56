//! Programs that try to break out or to take more than they may have, guests that lie, and values that are traps.
//!
//! The programs are in `cases`, one file for each kind; [`programs`] runs them. What needs more than a program and an expectation is in
//! [`limits`] and [`crossing`]. [`liars`] puts components in the interpreter's place that break the contract.

mod cases;
mod crossing;
mod liars;
mod limits;
mod programs;
