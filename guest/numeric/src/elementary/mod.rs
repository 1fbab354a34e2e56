//! The elementary functions of real numbers, the same natively and in WebAssembly, and to the last digit what CPython prints on Linux.
//!
//! glibc's `exp`, `log`, `pow`, `sin`, `cos`, `tan`, `asin`, `acos`, `atan` and their kin are correctly rounded for more than 99.7 % of all
//! arguments; ours ([`exp_log`], [`trig`]) were for all of 100,000 compared with 150-bit arithmetic. For most others glibc has fdlibm's formulas,
//! which are ours too ([`hyperbolic`], and the crate `libm` for `expm1` and `log1p`). Shares of random arguments where the last digit differs from
//! glibc 2.36: exp, log, pow 0.1 %, trigonometric 0.1-0.25 %, hyperbolic 0.02-0.1 %, expm1 0.15 %, log1p 0.07 %, erf 2 %, erfc 9 %; and cbrt
//! 46 %, where ours is correctly rounded and glibc's is not.
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
