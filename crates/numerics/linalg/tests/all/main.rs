//! Integration tests of `thrifty-linalg`, built as one program.

mod matrix;
mod properties;
