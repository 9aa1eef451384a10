//! Integration tests of `thrifty-trees`, built as one program.

mod closed_forms;
mod contract;
mod importance;
mod laws;
