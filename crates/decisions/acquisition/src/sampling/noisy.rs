//! Noisy expected improvement.

use thrifty_domain::PointsRef;
use thrifty_sampling::Stream;
use thrifty_surrogate::{Description, JointPosterior};

use crate::factory::described;
use crate::sampling::smallest;
use crate::{
    Acquisition, AcquisitionError, AcquisitionFactory, ConditionalDraws, Context, ExpectedImprovement,
    LogExpectedImprovement, OverDraws, Utility, UtilityScale,
};

/// Noisy expected improvement: improvement on the best of several points with uncertain values, observed or pending.
///
/// ```text
/// NEI(x) = 1/S Σ_s EI(μ_s(x), σ'(x); min_i f^s_i),   f^s = μ_B + L z^s,   L Lᵀ = Σ_B
/// μ_s(x) = μ(x) + (L⁻¹ c(x))ᵀ z^s,   σ'²(x) = σ²(x) - ‖L⁻¹ c(x)‖²
/// ```
///
/// There are S joint draws of the function at the baseline B. Given each draw, the improvement at x has a closed form, so x adds no
/// sampling noise. The z^s are quasi-random and fixed, so the value is deterministic and smooth in x.
///
/// Include pending points in the baseline: points chosen one by one then form the greedy batch (q-NEI, or q-EI without noise). Without
/// noise and pending points this is [`ExpectedImprovement`] on the best observed value.
///
/// Cost: O(B³) once, B covariances and O(B² + S B) per point. For a large baseline, [`most_promising`](crate::most_promising) selects the
/// points that may be the best, without a covariance of all.
/// Source: Letham et al. (2019); logarithm: Ament et al. (2023); departure: draws only at the baseline, x in closed form.
pub struct NoisyExpectedImprovement<'a> {
    over_draws: OverDraws<'a>,
    /// The smallest value of each draw.
    best: Vec<f64>,
}

impl<'a> NoisyExpectedImprovement<'a> {
    /// Improvement on the best of the baseline, with `draws` quasi-random draws.
    ///
    /// # Errors
    /// [`AcquisitionError`] for an empty baseline, no draws, another dimension, or a covariance that cannot be
    /// factored.
    pub fn new(
        posterior: &'a dyn JointPosterior,
        baseline: PointsRef<'_>,
        draws: usize,
        rng: &mut Stream,
    ) -> Result<Self, AcquisitionError> {
        let given = ConditionalDraws::new(posterior, baseline, draws, rng)?;
        let lowest = |draw| {
            let values = given.values(draw);
            values[smallest(&values)]
        };
        let best: Vec<f64> = (0..given.draws()).map(lowest).collect();
        let each =
            best.iter().map(|best| Box::new(ExpectedImprovement { target: *best }) as Box<dyn Utility>);
        let each = each.collect();
        Ok(Self { over_draws: OverDraws::new(posterior, baseline, given, each, false)?, best })
    }

    /// The natural logarithm; it has a gradient where the value underflows.
    #[must_use]
    pub fn logarithm(self) -> Self {
        let Self { over_draws, best } = self;
        let each =
            best.iter().map(|best| Box::new(LogExpectedImprovement { target: *best }) as Box<dyn Utility>);
        let each = each.collect();
        Self { over_draws: over_draws.with_logarithms(each), best }
    }
}

impl Acquisition for NoisyExpectedImprovement<'_> {
    fn values_into(&self, x: PointsRef<'_>, out: &mut [f64]) {
        self.over_draws.values_into(x, out);
    }

    fn values_with_gradients_into(&self, x: PointsRef<'_>, out: &mut [f64], gradients: &mut [f64]) -> bool {
        self.over_draws.values_with_gradients_into(x, out, gradients)
    }

    fn has_unit(&self) -> bool {
        self.over_draws.has_unit()
    }
}

/// `ln (1/n Σ exp v_i)`.
pub(crate) fn log_mean_exp(values: &[f64]) -> f64 {
    let largest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if largest.is_infinite() {
        return largest;
    }
    largest + (values.iter().map(|v| (v - largest).exp()).sum::<f64>() / values.len() as f64).ln()
}

/// Factory of the logarithm of [`NoisyExpectedImprovement`] over the [baseline](Context::baseline) of the context.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct NoisyExpectedImprovementFactory {
    /// Number of joint draws.
    pub draws: usize,
}

impl AcquisitionFactory for NoisyExpectedImprovementFactory {
    fn build<'a>(&self, context: Context<'a, '_>) -> Result<Box<dyn Acquisition + 'a>, AcquisitionError> {
        let baseline = context.baseline();
        let noisy =
            NoisyExpectedImprovement::new(context.joint()?, baseline.as_ref(), self.draws, context.rng)?;
        Ok(Box::new(noisy.logarithm()))
    }

    fn scale(&self) -> UtilityScale {
        UtilityScale::Log
    }

    fn describe(&self) -> Result<Description, AcquisitionError> {
        described("noisy expected improvement", self)
    }

    fn handles_pending(&self) -> bool {
        true
    }
}
