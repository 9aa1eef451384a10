//! Integration tests of `thrifty-levelset`, built as one program.

mod behaviour;
mod laws;
mod phased;
mod stability;
