//! Integration tests of `thrifty-robust`, built as one program.

mod closed_forms;
mod contract;
mod degenerate;
mod properties;
