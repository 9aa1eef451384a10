//! Integration tests of `thrifty-cli`, built as one program.

mod bad_input;
mod by_hand;
mod cli;
mod command;
mod direction;
mod evaluations;
mod fidelity;
mod files;
mod pages;
mod programs;
mod restarts;
mod store;
mod study_files;
mod transfer;
