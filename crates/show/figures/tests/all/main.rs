//! Integration tests of `thrifty-figures`, built as one program.

mod blocks;
mod figures;
mod geometry;
mod snapshot;
mod stability;
