//! Experiments on fits, kernel selection and predictions of the Gaussian process.

pub mod calibration;
mod draws;
pub mod posterior;
pub mod restarts;
pub mod selection;
