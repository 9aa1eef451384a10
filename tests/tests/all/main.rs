//! Integration tests of `thrifty-tests`, built as one program.

mod adaptors;
mod book;
mod budget;
mod contract;
mod elsewhere;
mod fixed;
mod layering;
mod packages;
mod reference;
mod resume;
mod settings;
mod structure;
mod unrelated;
