//! Random features, from which functions of a Gaussian process are drawn.

mod added;
mod amplified;
mod cosines;
mod decays;
mod level_signs;
mod multiplied;
mod on_columns;
mod ones;
mod slopes;

use thrifty_sampling::Stream;

pub(crate) use added::Added;
pub(crate) use amplified::Amplified;
pub(crate) use cosines::Cosines;
pub(crate) use decays::Decays;
pub(crate) use level_signs::LevelSigns;
pub(crate) use multiplied::Multiplied;
pub(crate) use on_columns::OnColumns;
pub(crate) use ones::Ones;
pub(crate) use slopes::Slopes;

/// Random functions `φ_1, …, φ_F` whose products are the kernel on average:
///
/// ```text
/// E[φ_f(x) φ_f(y)] = k(x, y),   g(x) = Σ_f w_f φ_f(x) / √F,   w_f ~ N(0, 1)
/// ```
///
/// Then g has covariance k on average over the features and is nearly Gaussian for many of them.
/// Source: Rahimi & Recht (2007).
pub trait Features: Send + Sync {
    /// F.
    fn count(&self) -> usize;

    /// `out[f] = φ_f(x)`.
    fn eval_into(&self, x: &[f64], out: &mut [f64]);

    /// `grad[d] += Σ_f weights[f] ∂φ_f(x)/∂x_d`.
    fn pull_back(&self, x: &[f64], weights: &[f64], grad: &mut [f64]);

    /// A copy behind a pointer.
    fn clone_box(&self) -> Box<dyn Features>;
}

impl Clone for Box<dyn Features> {
    fn clone(&self) -> Self {
        (**self).clone_box()
    }
}

fn sign(rng: &mut Stream) -> f64 {
    if rng.bits() >> 63 == 0 { 1.0 } else { -1.0 }
}
