//! Integration tests of `thrifty-model-based`, built as one program.

mod contexts;
mod earlier_studies;
mod laws;
mod parts;
mod running;
mod states;
