//! Integration tests of `thrifty-linalg`, built as one program.

mod eigen;
mod in_place;
mod matrix;
mod properties;
