//! The elementary functions of real numbers, the same natively and in WebAssembly, and to the last digit what CPython prints on Linux.
//!
//! glibc's `exp`, `log`, `pow`, `sin`, `cos`, `tan`, `asin`, `acos`, `atan` and their kin are correctly rounded for more than 99.8 % of all
//! arguments; ours ([`exp_log`], [`trig`]) for about 99.99 %. For the others glibc has fdlibm's formulas, which are ours too ([`hyperbolic`], and
//! the crate `libm`, which has fdlibm from musl, for `expm1`, `log1p` and `cbrt`).
//!
//! All functions return NaN and infinities as C does; [`crate::math`] makes Python's exceptions of them.

pub mod dd;
mod exp_log;
mod hyperbolic;
#[rustfmt::skip]
mod tables;
mod trig;

pub use exp_log::{exp, exp2, log, log2, log10, pow};
pub use hyperbolic::{acosh, asinh, atanh, cosh, hypot, sinh, tanh};
pub use libm::{cbrt, expm1, log1p};
pub use trig::{acos, asin, atan, atan2, cos, sin, tan};
