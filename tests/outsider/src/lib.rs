//! Parts that an external crate adds to Thrifty, as examples that are tested: `cargo test -p thrifty-outsider`.
//!
//! Each file in `tests/` adds one part with public items alone: a surrogate, an acquisition, a kernel. It is what a researcher
//! would write in a crate of their own. [`book`] compiles and runs the code of the book.

pub mod book;
