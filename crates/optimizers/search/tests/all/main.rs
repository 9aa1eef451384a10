//! Integration tests of `thrifty-search`, built as one program.

mod laws;
mod measurements;
mod nsga2;
