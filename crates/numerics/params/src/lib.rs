//! Hyperparameters and their maximum a posteriori objective.
//!
#![doc = include_str!("../README.md")]
//!
//! ## Overview
//!
//! A [`Param`] has a name, a value on its natural scale, bounds, a [`Transform`] to the scale on which an
//! optimiser moves it, and perhaps a prior. A model with hyperparameters is [`Parameterized`]. A [`LogLikelihood`]
//! also has a log marginal likelihood in them. [`MapObjective`] turns that into a function to minimise.
//!
//! [`SliceSampler`] draws hyperparameters from their posterior instead.
//!
//! Priors are densities on the natural scale. The maximum a posteriori takes them without a Jacobian, so that it does not depend on
//! the transform. Samples are of the density itself, which no transform changes: on the transformed scale it has the Jacobian.

mod map_objective;
mod param;
mod slice;
mod transform;

pub use map_objective::{LogLikelihood, MapObjective, ParamsError};
pub use param::{Param, Parameterized, starting_values};
pub use slice::SliceSampler;
pub use transform::Transform;
