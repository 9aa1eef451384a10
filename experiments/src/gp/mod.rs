//! Experiments on fits, kernel selection and predictions of the Gaussian process.

mod draws;
pub mod posterior;
pub mod restarts;
pub mod selection;
