//! Integration tests of `thrifty-hybrid`, built as one program.

mod algorithms;
mod batches;
mod behaviour;
mod coin_flip;
mod decisions;
mod laws;
mod multi_objective;
mod planned;
mod stability;
