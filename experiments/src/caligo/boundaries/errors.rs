//! Errors of kernels near a boundary and away from it: of predictions, and of searches.

use thrifty_bo::{
    BayesianOptimizer, BoSettings, Convergence, GpSurrogate, InitialDesign, KernelFamily, LossTransform,
};
use thrifty_domain::Points;
use thrifty_gp::GpSettings;
use thrifty_sampling::{Seed, latin_hypercube};
use thrifty_space::{Config, Space};
use thrifty_study::{MaxTrials, Study};
use thrifty_surrogate::{Observations, Surrogate};

use super::field::{Bordered, Field, Shape};
use crate::error::ExperimentError;
use crate::harness::runs::lossless_number;
use crate::harness::stats::mean_and_std_dev;

/// Kernels, the last made worse on purpose: no lengthscale above 0.02 of the domain.
pub const KERNELS: [(&str, KernelFamily); 5] = [
    ("squared exponential", KernelFamily::SquaredExponential),
    ("Matérn 1/2", KernelFamily::Matern12),
    ("Matérn 3/2", KernelFamily::Matern32),
    ("Matérn 5/2", KernelFamily::Matern52),
    ("Matérn 5/2, lengthscale up to 0.02 (worse on purpose)", KernelFamily::Matern52),
];
pub const BROKEN: usize = 4;

const RESTARTS: usize = 4;
const DESIGN: usize = 6;
/// Regrets below this are as good as none.
const NO_REGRET: f64 = 1e-6;

/// Logarithm to base 10 of an error near the boundary and away from it.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct Errors {
    #[serde(with = "lossless_number")]
    pub near: f64,
    #[serde(with = "lossless_number")]
    pub away: f64,
}

fn model(kernel: usize) -> GpSurrogate {
    GpSurrogate {
        family: KERNELS[kernel].1,
        settings: GpSettings::surrogate_training_protocol(RESTARTS),
        lengthscale_bounds: Some(if kernel == BROKEN { (0.01, 0.02) } else { (0.02, 20.0) }),
        ..GpSurrogate::default()
    }
}

/// Errors of the predictions of every kernel from so many points of a Latin hypercube.
pub fn predicted(
    field: Field,
    shape: Shape,
    points: usize,
    seed: Seed,
) -> Result<Vec<Errors>, ExperimentError> {
    let bordered = Bordered::new(field, seed)?;
    let response = |x: &[f64]| (bordered.h)(x).map(|h| shape.of(h));
    let x = latin_hypercube(points, 2, &mut seed.stream("points", 0));
    let y = x.rows().map(response).collect::<Result<Vec<f64>, _>>()?;
    let tested: Vec<f64> =
        bordered.near.iter().chain(&bordered.away).map(|x| response(x)).collect::<Result<_, _>>()?;
    let scale = mean_and_std_dev(&tested).1;
    let space = Space::unit_cube(2);
    let one = |kernel: usize| {
        let rng = &mut seed.stream("fit", 0);
        let observed = Observations::new(x.as_ref(), &y);
        let fitted =
            model(kernel).fit(space.domain(), observed, None, rng).map_err(ExperimentError::failed)?;
        let error = |at: &[Vec<f64>]| -> Result<f64, ExperimentError> {
            let mut tested = Points::new(2);
            at.iter().for_each(|x| tested.push(x));
            let (mut mean, mut variance) = (vec![0.0; at.len()], vec![0.0; at.len()]);
            fitted.posterior().predict_into(tested.as_ref(), &mut mean, &mut variance);
            let mut sum = 0.0;
            for (x, mean) in at.iter().zip(&mean) {
                sum += (response(x)? - mean).powi(2);
            }
            Ok(((sum / at.len() as f64).sqrt() / scale).max(NO_REGRET).log10())
        };
        Ok(Errors { near: error(&bordered.near)?, away: error(&bordered.away)? })
    };
    (0..KERNELS.len()).map(one).collect()
}

/// Regrets of expected improvement with every kernel, for a minimum on the boundary and one away from it.
///
/// ```text
/// near: |h(x)| + 0.3 ‖x - c‖², c on the boundary       away: (h(x) - h(c))² + 0.3 ‖x - c‖² + 0.2 max(0, -h(x) sign h(c))
/// ```
///
/// Both have their minimum 0 at c. The first has its kink there, the second along the boundary, away from c.
pub fn searched(field: Field, evaluations: usize, seed: Seed) -> Result<Vec<Errors>, ExperimentError> {
    let bordered = Bordered::new(field, seed)?;
    let rng = &mut seed.stream("center", 0);
    let on = bordered.edge(rng.index(bordered.boundary.len()))?;
    let off = bordered.away[rng.index(bordered.away.len())].clone();
    let h_off = (bordered.h)(&off)?;
    let bowl = |x: &[f64], c: &[f64]| 0.3 * ((x[0] - c[0]).powi(2) + (x[1] - c[1]).powi(2));
    let near = |x: &[f64]| (bordered.h)(x).map(|h| h.abs() + bowl(x, &on));
    let away = |x: &[f64]| {
        let kink = |h: f64| 0.2 * (-h * h_off.signum()).max(0.0);
        (bordered.h)(x).map(|h| (h - h_off).powi(2) + bowl(x, &off) + kink(h))
    };
    (0..KERNELS.len())
        .map(|kernel| {
            Ok(Errors {
                near: regret(kernel, &near, evaluations, seed)?,
                away: regret(kernel, &away, evaluations, seed)?,
            })
        })
        .collect()
}

fn regret(
    kernel: usize,
    loss: &dyn Fn(&[f64]) -> Result<f64, ExperimentError>,
    evaluations: usize,
    seed: Seed,
) -> Result<f64, ExperimentError> {
    let space = Space::unit_cube(2);
    let settings = BoSettings {
        initial: InitialDesign::Sobol(DESIGN),
        losses: LossTransform::None,
        convergence: Convergence::Continue,
        ..BoSettings::default()
    };
    let optimizer =
        BayesianOptimizer::new(space.clone()).with_settings(settings)?.with_surrogate(model(kernel));
    let mut study = Study::new(optimizer, seed).with_stop(MaxTrials(evaluations));
    let evaluate = |config: &Config, _: &mut thrifty_study::Context<'_>| {
        space.encode(config).map_err(ExperimentError::from).and_then(|x| loss(&x)).unwrap_or(f64::NAN)
    };
    study.run(evaluate)?;
    let best = study.history().best().map_or(f64::INFINITY, |(_, loss)| loss);
    Ok(best.max(NO_REGRET).log10())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The kernel that is made worse on purpose predicts worse than any other on a smooth side.
    #[test]
    fn the_broken_kernel_is_worse() {
        let errors = predicted(Field::Draw, Shape::Kink, 30, Seed(2)).unwrap();
        assert!((0..BROKEN).all(|kernel| errors[kernel].away < errors[BROKEN].away - 0.2), "{errors:?}");
    }
}
