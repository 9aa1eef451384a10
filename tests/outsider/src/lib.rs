//! Parts that an external crate adds to Thrifty, as examples that are tested: `cargo test -p thrifty-outsider`.
//!
//! Each file in `tests/` adds one part with public items alone: a surrogate, an acquisition, a kernel. It is what a researcher
//! would write in a crate of their own. The module `book` compiles and runs the code of the book.

// Chapters are pages of a book and no documentation of items: only their code is of use here.
#[cfg(doctest)]
pub mod book;
