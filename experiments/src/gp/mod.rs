//! How the Gaussian process learns, chooses its kernel and predicts.

mod draws;
pub mod posterior;
pub mod restarts;
pub mod selection;
