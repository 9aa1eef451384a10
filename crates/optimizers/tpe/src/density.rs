//! Kernel density estimates of one side of the split.

pub(crate) mod axis;
pub(crate) mod bandwidth;
pub(crate) mod choices;
pub(crate) mod column;
pub(crate) mod estimator;
pub(crate) mod interval;
pub(crate) mod log_density;
pub(crate) mod masses;
pub(crate) mod prior;
