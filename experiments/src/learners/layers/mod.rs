//! Networks of layers in single precision: normalisation, dropout, residual blocks, `AdamW`, early stopping.

mod dropout;
mod network;
mod norm;
mod product;
mod training;

pub use self::network::{Layer, Network, Pass, Start};
pub use self::training::{Examples, Training};
