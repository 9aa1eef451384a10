//! Problems with known optima, and wrappers that make them harder.
//!
#![doc = include_str!("../README.md")]
//!
//! ## Overview
//!
//! A [`Problem`] has a space, a truth and an evaluation that may be noisy or fail. [`TestFunction`] is the
//! noiseless kind; [`Bbob`] and [`NoisyBbob`] are the functions of the BBOB testbeds. [`Noisy`], [`Shifted`],
//! [`Maximized`] and [`Failing`] wrap any. [`MultiObjectiveFunction`] has several losses and a known largest
//! hypervolume. [`LevelSetProblem`] asks where a function is above a threshold, [`RandomFunction`] is a draw from a process.

mod bbob;
mod caligo;
mod function;
mod functions;
mod level_set;
mod logarithms;
mod losses;
mod multi_objective;
mod problem;
mod random_function;
mod wrappers;

pub use bbob::{Bbob, BbobError, BbobNoise, NoisyBbob};
pub use function::TestFunction;
pub use level_set::LevelSetProblem;
pub use multi_objective::MultiObjectiveFunction;
pub use problem::Problem;
pub use random_function::{RandomFunction, Spectrum};
pub use wrappers::{Failing, Maximized, Noisy, Shifted};
