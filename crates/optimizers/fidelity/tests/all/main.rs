//! Integration tests of `thrifty-fidelity`, built as one program.

mod axis;
mod behaviour;
mod contract;
mod knowledge_gradient;
