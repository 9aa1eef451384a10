//! Fits of a regressor from several starts, and from one more in which columns that hardly matter are left out.

use thrifty::domain::{Points, PointsRef};
use thrifty::gp::{ExactLikelihood, Gp, GpError, GpPosterior, GpSettings, InputScaling, TargetScaling};
use thrifty::kernel::Kernel;
use thrifty::params::{LogLikelihood as _, Parameterized as _};
use thrifty::sampling::Stream;

type Kernels = Box<dyn Kernel>;

/// Lengthscales above this many ranges of the columns are long.
const LONG: f64 = 10.0;

/// Information about the logarithm of a long lengthscale up to which its column hardly matters: a standard error of a half. Where the
/// effect of a column is linear its lengthscale is long as well, but better known.
const LITTLE: f64 = 4.0;

/// Factor by which these are longer at the further start.
const OUTWARDS: f64 = 8.0;

/// Points and targets as the likelihood takes them.
pub(crate) fn scaled(settings: &GpSettings, x: PointsRef<'_>, y: &[f64]) -> (Points, Vec<f64>) {
    let points = if settings.normalize_inputs { InputScaling::of(x).apply(x) } else { x.to_owned() };
    let targets =
        if settings.standardize_targets { TargetScaling::standardize(y).apply(y) } else { y.to_vec() };
    (points, targets)
}

/// The process with its hyperparameters learnt.
///
/// Beside a maximum with a long lengthscale there may be another one further out, where its column does not count at all, and random
/// starts near the data's scale do not reach it. So one more start has such lengthscales of the best maximum longer, if there are any.
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
    if settings.restarts == 0 {
        return Ok(best);
    }
    let Some(start) = further_out(process, &best, x, y, variances) else { return Ok(best) };
    let alone = process.clone().with_settings(GpSettings { restarts: 0, ..settings.clone() });
    match alone.warm_started(start).fit_with_noise(x, y, variances, rng) {
        Ok(other) if other.log_likelihood() > best.log_likelihood() => Ok(other),
        _ => Ok(best),
    }
}

/// Hyperparameters with the lengthscales longer of columns that hardly matter; none if there is no such column, or none with a bound
/// at least twice as far.
fn further_out(
    process: &Gp<Kernels>,
    best: &GpPosterior<Kernels>,
    x: PointsRef<'_>,
    y: &[f64],
    variances: &[f64],
) -> Option<Vec<f64>> {
    let (settings, params) = (process.settings(), best.params());
    let long = LONG * range(x, settings.normalize_inputs);
    let is_long = |at: usize| {
        let param = &params[at];
        param.name.contains("lengthscale") && param.value > long && 2.0 * param.value <= param.high
    };
    if !(0..params.len()).any(is_long) {
        return None;
    }
    let (x, y) = scaled(settings, x, y);
    let mut kernel = process.kernel().clone();
    let mut likelihood = ExactLikelihood::new(&mut kernel, x.as_ref(), &y, &settings.noise, settings.mean)
        .with_known_noise(variances);
    let mut values: Vec<f64> = params.iter().map(|param| param.value).collect();
    likelihood.set_params(&values);
    let (count, mut gradient) = (values.len(), vec![0.0; values.len()]);
    // Of a kernel without information every long lengthscale may be one of them.
    let mut information = vec![0.0; count * count];
    if likelihood.log_likelihood(&mut gradient).is_err() || !likelihood.information(&mut information) {
        information.fill(0.0);
    }
    let hardly_matters =
        |at: usize| is_long(at) && information[at * count + at] * params[at].value.powi(2) <= LITTLE;
    let moved: Vec<usize> = (0..count).filter(|at| hardly_matters(*at)).collect();
    for &at in &moved {
        values[at] = (values[at] * OUTWARDS).min(params[at].high);
    }
    (!moved.is_empty()).then_some(values)
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
