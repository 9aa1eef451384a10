//! Tests that concern more than one crate; the library itself is empty.
