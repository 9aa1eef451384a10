//! Integration tests of `thrifty-params`, built as one program.

mod properties;
mod slice;
