//! Integration tests of `thrifty-surrogate`, built as one program.

mod conditioning;
mod contract;
mod fit_checked;
mod mixture;
mod settings;
mod suite;
mod weights;
