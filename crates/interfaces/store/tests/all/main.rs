//! Integration tests of `thrifty-store`, built as one program.

#[path = "../common/mod.rs"]
mod common;
mod sqlite;
mod sqlite_workers;
