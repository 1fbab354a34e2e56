//! Decimal arithmetic (Cowlishaw, General Decimal Arithmetic Specification; IEEE 754): numbers, contexts, and operations that compute a result and say which
//! conditions came up. Nothing here raises: whoever calls looks at the [`Status`] and at the traps.
//!
//! [`coefficient`] has the natural numbers, [`number`] the data and the rounding that ends every operation ([`Context::finish`]). The operations are in
//! [`arithmetic`], [`quantum`] (those that choose an exponent), [`order`], [`power`] and [`near`]; [`text`] and [`format`] read and write.

mod arithmetic;
mod coefficient;
mod format;
mod near;
mod number;
mod order;
mod power;
mod quantum;
mod text;

pub use coefficient::Coefficient;
pub use format::{Picture, Style};
pub use number::{
    Context, Kind, MAX_EMAX, MAX_PREC, MIN_EMIN, MIN_ETINY, Number, Rounding, Status,
};
pub use order::total_order;
pub use power::Power;
pub use text::MAX_DIGITS;
