//! Fits from several starts, of which most see a part of the rows alone.

use thrifty::domain::Points;
use thrifty::gp::{ExactLikelihood, Gp, GpError, GpPosterior, GpSettings, Restart, learn_parameters};
use thrifty::kernel::Kernel;
use thrifty::sampling::Stream;

/// Data of a fit.
pub(crate) struct Data<'a> {
    pub(crate) x: &'a Points,
    pub(crate) y: &'a [f64],
    /// Known noise variance per observation.
    pub(crate) variances: &'a [f64],
    /// Points and targets as the likelihood takes them.
    pub(crate) scaled: (Points, Vec<f64>),
}

/// With fewer rows every start sees all of them.
const LEAST_ROWS: usize = 150;

/// One row of so many is in the part.
const SHARE: usize = 4;

type Kernels = Box<dyn Kernel>;

/// The process with its hyperparameters learnt.
///
/// The first start is taken on all rows. The others are taken on a random quarter of the rows, where an evaluation costs little, and the
/// best end there goes on on all rows. The higher of the two counts.
///
/// # Errors
/// As [`Gp::fit_with_noise`].
pub(crate) fn fit(
    process: &Gp<Kernels>,
    data: &Data<'_>,
    rng: &mut Stream,
) -> Result<GpPosterior<Kernels>, GpError> {
    let on_all = |process: &Gp<Kernels>, rng: &mut Stream| {
        process.fit_with_noise(data.x.as_ref(), data.y, data.variances, rng)
    };
    let settings = process.settings();
    if settings.restarts == 0 || data.y.len() < LEAST_ROWS {
        return on_all(process, rng);
    }
    let alone = process.clone().with_settings(GpSettings { restarts: 0, ..settings.clone() });
    // A start that cannot be used is no guide.
    let Ok(first) = on_all(&alone, rng) else { return on_all(process, rng) };
    let Some(start) = best_on_part(process, data, rng) else { return Ok(first) };
    match on_all(&alone.warm_started(start), rng) {
        Ok(other) if other.log_likelihood() > first.log_likelihood() => Ok(other),
        _ => Ok(first),
    }
}

/// The hyperparameters to which the best of the random starts leads on a part of the rows.
fn best_on_part(process: &Gp<Kernels>, data: &Data<'_>, rng: &mut Stream) -> Option<Vec<f64>> {
    let (x, y, variances) = part(data, rng);
    let (settings, mut kernel) = (process.settings(), process.kernel().clone());
    let mut likelihood = ExactLikelihood::new(&mut kernel, x.as_ref(), &y, &settings.noise, settings.mean)
        .with_known_noise(&variances);
    let (_, starts) = learn_parameters(&mut likelihood, settings, None, rng).ok()?;
    let height = |start: &Restart| start.log_posterior.unwrap_or(f64::NEG_INFINITY);
    let others = starts.into_iter().skip(1).filter(|start| start.log_posterior.is_some());
    others.max_by(|a, b| height(a).total_cmp(&height(b))).map(|start| start.end)
}

/// Every fourth row of a random order, in the order of the data.
fn part(data: &Data<'_>, rng: &mut Stream) -> (Points, Vec<f64>, Vec<f64>) {
    let (x, y) = &data.scaled;
    let mut rows: Vec<usize> = (0..y.len()).collect();
    let count = y.len().div_ceil(SHARE);
    for at in 0..count {
        let other = at + rng.index(rows.len() - at);
        rows.swap(at, other);
    }
    rows.truncate(count);
    rows.sort_unstable();
    let mut points = Points::new(x.dim());
    for row in &rows {
        points.push(x.row(*row));
    }
    let of = |list: &[f64]| rows.iter().map(|row| list[*row]).collect();
    (points, of(y), of(data.variances))
}
