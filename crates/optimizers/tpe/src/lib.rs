//! x
#![allow(clippy::inline_always)] // vector loops are compiled for several instruction sets by inlining

mod axis;
mod bandwidth;
mod choices;
mod column;
mod density;
mod error;
mod estimator;
mod observed;
mod split;
mod weights;

pub use axis::{Axis, Grid, GridEnds};
pub use bandwidth::{Bandwidth, BandwidthRule, Floor};
pub use choices::{CategoricalKernel, Choices};
pub use error::TpeError;
pub use estimator::{Dimension, Estimator, Kernels, Layout, Truncation};
pub use observed::Observed;
pub use split::Split;
pub use weights::{SideWeights, Weights};
