//! Integration tests of `thrifty-cv`, built as one program.

mod behaviour;
mod folds;
mod one_fold;
