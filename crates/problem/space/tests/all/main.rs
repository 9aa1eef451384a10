//! Integration tests of `thrifty-space`, built as one program.

mod errors;
mod fixed;
mod given;
mod properties;
mod scales;
