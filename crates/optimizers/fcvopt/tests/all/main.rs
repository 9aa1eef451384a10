//! Integration tests of `thrifty-fcvopt`, built as one program.

mod behaviour;
mod censored;
mod constraints;
mod growth;
mod laws;
mod multi_task;
mod regimes;
mod stability;
mod verification;
