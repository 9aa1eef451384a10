//! The model of the losses, under the transform of the settings or under the one that predicts best.

use thrifty_domain::PointsRef;
use thrifty_gp::YeoJohnson;
use thrifty_study::OptimizerError;
use thrifty_surrogate::{Observations, Prediction};

use crate::outputs::OBJECTIVE;
use crate::targets::Targets;
use crate::{LossTransform, OutputFitter, OutputModel};

/// The fitted model of the losses with their transform.
pub(crate) struct LossModel {
    pub(crate) transform: Option<YeoJohnson>,
    pub(crate) model: OutputModel,
    /// Models under other transforms, whose hyperparameters the next fits start from.
    pub(crate) passed_over: Vec<OutputModel>,
}

/// Transforms to choose from, with the name of the model under each. The first of equals is taken.
const CANDIDATES: [(LossTransform, &str); 3] = [
    (LossTransform::UpperHalf, OBJECTIVE),
    (LossTransform::BothTails, "losses of both tails"),
    (LossTransform::None, "losses as they are"),
];

impl LossModel {
    /// Fits the model, or one for each transform to choose from.
    ///
    /// # Errors
    /// [`OptimizerError`] when a fit fails.
    pub(crate) fn fit(
        fitter: &OutputFitter<'_>,
        x: PointsRef<'_>,
        losses: &Targets,
        transform: LossTransform,
    ) -> Result<Self, OptimizerError> {
        if transform != LossTransform::Chosen {
            return Ok(Self::under(fitter, x, losses, (transform, OBJECTIVE))?.0);
        }
        let (mut best, mut density) = Self::under(fitter, x, losses, CANDIDATES[0])?;
        // A model without such predictions gives no reason to choose.
        if density.is_some() {
            for candidate in &CANDIDATES[1..] {
                // A transform under which nothing can be fitted is not chosen.
                let Ok((other, its_density)) = Self::under(fitter, x, losses, *candidate) else { continue };
                best = if its_density > density {
                    density = its_density;
                    other.passing_over(best)
                } else {
                    best.passing_over(other)
                };
            }
        }
        Ok(best)
    }

    /// The model under a transform, and the log density of each loss predicted from all others, summed; nothing for a model without such
    /// predictions.
    fn under(
        fitter: &OutputFitter<'_>,
        x: PointsRef<'_>,
        losses: &Targets,
        (transform, name): (LossTransform, &str),
    ) -> Result<(Self, Option<f64>), OptimizerError> {
        let transform = losses.transform(transform);
        let targets = losses.clone().transformed(transform);
        let data = Observations { x, y: &targets.y, noise_variance: targets.noise_variance() };
        let model = if name == OBJECTIVE {
            fitter.fit_objective(data)?
        } else {
            fitter.fit(name.to_owned(), data)?
        };
        let density = model.fitted.leave_one_out().map(|predictions| {
            let of_target = |(p, target): (_, &f64)| log_density(p, *target);
            let slope = |loss: &f64| transform.map_or(0.0, |psi| psi.slope(*loss).ln());
            let sum = predictions.into_iter().zip(&targets.y).map(of_target).sum::<f64>()
                + losses.y.iter().map(slope).sum::<f64>();
            // Predictions without a variance are no reason to choose.
            if sum.is_nan() { f64::NEG_INFINITY } else { sum }
        });
        Ok((Self { transform, model, passed_over: Vec::new() }, density))
    }

    /// This model, which remembers another one.
    fn passing_over(mut self, other: Self) -> Self {
        self.passed_over.extend(other.passed_over);
        self.passed_over.push(other.model);
        self
    }
}

/// `ln N(y; m, v)` up to a constant.
fn log_density(Prediction { mean, variance }: Prediction, y: f64) -> f64 {
    -0.5 * (variance.ln() + (y - mean).powi(2) / variance)
}
