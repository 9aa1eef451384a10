//! Integration tests of `thrifty-hgp`, built as one program.

mod behaviour;
mod censored;
mod fold_surrogate;
mod model;
