//! Fits of a regressor from several starts, and from one more in which columns that hardly matter are left out.

use thrifty::domain::PointsRef;
use thrifty::gp::{Gp, GpError, GpPosterior, GpSettings};
use thrifty::kernel::Kernel;
use thrifty::sampling::Stream;

type Kernels = Box<dyn Kernel>;

/// Lengthscales above this many ranges of the columns are of columns that hardly matter.
const LONG: f64 = 10.0;

/// Factor by which these are longer at the further start.
const OUTWARDS: f64 = 8.0;

/// The process with its hyperparameters learnt.
///
/// Beside a maximum with a long lengthscale there is often another one further out, where its column does not count at all, and random
/// starts near the data's scale do not reach it. So one more start has the long lengthscales of the best maximum longer, if there are any.
///
/// # Errors
/// As [`Gp::fit_with_noise`].
pub(crate) fn fit(
    process: &Gp<Kernels>,
    x: PointsRef<'_>,
    y: &[f64],
    variances: &[f64],
    rng: &mut Stream,
) -> Result<GpPosterior<Kernels>, GpError> {
    let best = process.fit_with_noise(x, y, variances, rng)?;
    let settings = process.settings();
    let Some(start) = further_out(&best, range(x, settings.normalize_inputs)) else { return Ok(best) };
    if settings.restarts == 0 {
        return Ok(best);
    }
    let alone = process.clone().with_settings(GpSettings { restarts: 0, ..settings.clone() });
    match alone.warm_started(start).fit_with_noise(x, y, variances, rng) {
        Ok(other) if other.log_likelihood() > best.log_likelihood() => Ok(other),
        _ => Ok(best),
    }
}

/// Hyperparameters with the long lengthscales longer; none if there is no long one, or it is as long as it may be.
fn further_out(best: &GpPosterior<Kernels>, range: f64) -> Option<Vec<f64>> {
    let params = best.params();
    let moved = params.iter().map(|param| {
        let is_long = param.name.contains("lengthscale") && param.value > LONG * range;
        if is_long { (param.value * OUTWARDS).min(param.high) } else { param.value }
    });
    let moved: Vec<f64> = moved.collect();
    moved.iter().zip(params).any(|(moved, param)| *moved > param.value).then_some(moved)
}

/// The largest range of a column, as the kernel sees it.
fn range(x: PointsRef<'_>, is_normalized: bool) -> f64 {
    if is_normalized {
        return 1.0;
    }
    let of_column = |d: usize| {
        let column = || x.rows().map(move |row| row[d]);
        column().fold(f64::NEG_INFINITY, f64::max) - column().fold(f64::INFINITY, f64::min)
    };
    (0..x.dim()).map(of_column).fold(0.0, f64::max)
}
