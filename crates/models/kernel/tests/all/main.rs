//! Integration tests of `thrifty-kernel`, built as one program.

mod check;
mod contract;
mod exponential_decay;
mod for_domain;
mod members;
mod operators;
mod outsider;
mod properties;
mod stability;
