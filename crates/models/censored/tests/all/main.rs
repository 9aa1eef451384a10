//! Integration tests of `thrifty-censored`, built as one program.

mod classifier;
mod closed_forms;
mod contract;
mod degenerate;
mod properties;
mod stability;
mod starts;
