//! Integration tests of `thrifty-transfer`, built as one program.

mod contract;
mod ensemble;
