//! Whole-system tests of coldframe live in this package's test targets.
