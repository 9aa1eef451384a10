//! Networks of layers in single precision: convolution, pooling, normalisation, dropout, residual blocks, `AdamW`, early stopping.

mod adam;
pub mod architectures;
mod classification;
mod conv;
mod dropout;
mod network;
mod norm;
mod pool;
mod product;
mod training;
mod window;

pub use self::architectures::Sequential;
pub use self::classification::{Classification, Labelled};
pub use self::network::{Layer, Network, Pass, Start};
pub use self::training::{Examples, Training};
pub use self::window::{ImageShape, Padding};
