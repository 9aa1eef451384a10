//! Integration tests of `thrifty-results`, built as one program.

mod import;
mod tables;
