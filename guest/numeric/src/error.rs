//! The one error type: which Python exception, with which message.

use std::borrow::Cow;

/// What went wrong; the variant is the Python exception to raise, its content the message.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NumericError {
    /// `ValueError`
    #[error("{0}")]
    Value(Cow<'static, str>),
    /// `OverflowError`
    #[error("{0}")]
    Overflow(Cow<'static, str>),
    /// `ZeroDivisionError`
    #[error("{0}")]
    ZeroDivision(Cow<'static, str>),
    /// `TypeError`
    #[error("{0}")]
    Type(Cow<'static, str>),
    /// `MemoryError`: the result would be larger than this crate is willing to build.
    #[error("result too large")]
    Memory,
}

/// The result of an operation that can raise.
pub type NumericResult<T> = Result<T, NumericError>;

impl NumericError {
    /// A `ValueError` with this message.
    pub fn value(message: impl Into<Cow<'static, str>>) -> Self {
        NumericError::Value(message.into())
    }

    /// An `OverflowError` with this message.
    pub fn overflow(message: impl Into<Cow<'static, str>>) -> Self {
        NumericError::Overflow(message.into())
    }

    /// A `ZeroDivisionError` with this message.
    pub fn zero_division(message: impl Into<Cow<'static, str>>) -> Self {
        NumericError::ZeroDivision(message.into())
    }

    /// A `TypeError` with this message.
    pub fn type_error(message: impl Into<Cow<'static, str>>) -> Self {
        NumericError::Type(message.into())
    }

    /// The name of the Python exception to raise.
    pub fn exception_name(&self) -> &'static str {
        match self {
            NumericError::Value(_) => "ValueError",
            NumericError::Overflow(_) => "OverflowError",
            NumericError::ZeroDivision(_) => "ZeroDivisionError",
            NumericError::Type(_) => "TypeError",
            NumericError::Memory => "MemoryError",
        }
    }
}
