//! Integration tests of `thrifty-levelset`, built as one program.

mod behaviour;
mod costs;
mod edges;
mod failures;
mod implicit;
mod laws;
mod memory;
mod phased;
mod stability;
