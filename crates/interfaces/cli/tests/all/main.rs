//! Integration tests of `thrifty-cli`, built as one program.

mod cli;
mod command;
mod direction;
mod evaluations;
mod fidelity;
mod restarts;
mod store;
mod study_files;
mod transfer;
