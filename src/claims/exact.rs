//! Exact helpers.
