//! Acquisition functions from draws of the posterior, and these draws.

mod average;
mod conditional_draws;
mod gumbel;
mod joint_normal;
mod min_value;
mod noisy;
mod over_draws;
mod promising;
mod thompson;

pub use average::{Average, fantasies};
pub use conditional_draws::{ConditionalDraws, ResidualMoments};
pub use gumbel::Gumbel;
pub(crate) use joint_normal::{JointNormal, normals, smallest};
pub use min_value::MinValueSampler;
pub(crate) use noisy::log_mean_exp;
pub use noisy::{NoisyExpectedImprovement, NoisyExpectedImprovementFactory};
pub use over_draws::OverDraws;
pub use promising::{most_promising, optimistic_bounds};
pub use thompson::{
    Minimizer, PathSearch, ThompsonPath, ThompsonSampling, minima_among, minima_on, minimizers_on,
    thompson_among,
};
pub(crate) use thompson::{SearchArea, minimizers_in};
