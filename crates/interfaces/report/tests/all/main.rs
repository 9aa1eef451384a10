//! Integration tests of `thrifty-report`, built as one program.

mod figures;
mod golden;
mod importance;
mod snapshot;
mod special;
