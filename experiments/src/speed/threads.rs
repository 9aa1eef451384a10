//! One thread against the pool.

use std::time::Instant;

use thrifty_linalg::{Matrix, Threads, factor_in_place, gram_of_inverse_into, invert_lower_into};

use super::floor::covariance;
use super::inputs::Inputs;
use crate::error::ExperimentError;

/// Wall milliseconds of a likelihood's linear algebra on one thread and on the pool.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    pub n: usize,
    pub one: f64,
    pub pool: f64,
}

/// Compares at the sizes of the likelihood at which the pool is used at all.
///
/// Wall time, because threads trade CPU time for it; what else runs on the machine therefore shows.
pub fn measure(inputs: &Inputs) -> Result<Vec<Comparison>, ExperimentError> {
    let sizes = inputs.data.keys().copied().filter(|n| *n >= thrifty_linalg::PARALLEL_FROM);
    sizes
        .map(|n| {
            Ok(Comparison { n, one: wall(inputs, n, Threads::One)?, pool: wall(inputs, n, Threads::Pool)? })
        })
        .collect()
}

/// Least wall time of factor, inverse of the factor and inverse.
fn wall(inputs: &Inputs, n: usize, threads: Threads) -> Result<f64, ExperimentError> {
    let (given, _) = covariance(inputs, n)?;
    let (mut inverse, mut gram) = (Matrix::zeros(n, n), Matrix::zeros(n, n));
    let (mut least, mut spent) = (f64::INFINITY, 0.0);
    for _ in 0..inputs.budget.repeats.max(1) {
        let mut factor = given.clone();
        let began = Instant::now();
        factor_in_place(&mut factor, threads).map_err(ExperimentError::measure("a factor, at pivot"))?;
        invert_lower_into(&factor, &mut inverse, threads);
        gram_of_inverse_into(&inverse, &mut gram, threads);
        let seconds = began.elapsed().as_secs_f64();
        least = least.min(seconds);
        spent += seconds;
        if spent >= inputs.budget.seconds {
            break;
        }
    }
    Ok(1e3 * least)
}
