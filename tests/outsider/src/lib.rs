//! Parts that an external crate adds to Thrifty, as examples that are tested: `cargo test` in this folder.
//!
//! Each file in `tests/` adds one part with public items alone: a surrogate, an acquisition, a kernel. It is what a researcher
//! would write in a crate of their own.
