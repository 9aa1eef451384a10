//! A protocol for oblivious transfer: where it is secure.

mod figures;
mod phases;
pub mod protocol;
mod stops;
