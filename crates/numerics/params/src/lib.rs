//! Hyperparameters, and the one objective by which all models learn them.
//!
//! A [`Param`] has a name, a value on its natural scale, bounds, a [`Transform`] to the scale on which an
//! optimiser moves it, and perhaps a prior. Whoever has parameters is [`Parameterized`]; whoever can score
//! them is a [`LogLikelihood`]; [`MapObjective`] turns that into a function to minimise.
//!
//! Priors are densities on the natural scale and get no Jacobian, so the maximum a posteriori does not depend
//! on the transform.

mod map_objective;
mod param;
mod transform;

pub use map_objective::{LogLikelihood, MapObjective, ParamsError};
pub use param::{Param, Parameterized};
pub use transform::Transform;
