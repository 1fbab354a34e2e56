//! Part of coldframe.
