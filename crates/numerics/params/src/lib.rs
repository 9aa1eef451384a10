//! Hyperparameters and their maximum a posteriori objective.
//!
//! A [`Param`] has a name, a value on its natural scale, bounds, a [`Transform`] to the scale on which an
//! optimiser moves it, and perhaps a prior. A model with hyperparameters is [`Parameterized`]. A [`LogLikelihood`]
//! also has a log marginal likelihood in them. [`MapObjective`] turns that into a function to minimise.
//!
//! Priors are densities on the natural scale and get no Jacobian, so the maximum a posteriori does not depend
//! on the transform.

mod map_objective;
mod param;
mod transform;

pub use map_objective::{LogLikelihood, MapObjective, ParamsError};
pub use param::{Param, Parameterized};
pub use transform::Transform;
