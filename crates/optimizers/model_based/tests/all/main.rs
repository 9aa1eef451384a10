//! Integration tests of `thrifty-model-based`, built as one program.

mod chosen_transform;
mod contexts;
mod earlier_studies;
mod laws;
mod parts;
mod running;
mod states;
