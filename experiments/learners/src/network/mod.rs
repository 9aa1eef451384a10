//! Small networks that experiments train: fully connected layers, two losses, three rules of descent.

mod activation;
mod dense;
mod descent;
mod initializer;
mod loss;
pub mod scalar;
mod training;

pub use activation::Activation;
pub use dense::{Dense, Pass};
pub use descent::{Descent, Rule};
pub use initializer::Initializer;
pub use loss::Loss;
pub use training::{Examples, STEP, Training};
