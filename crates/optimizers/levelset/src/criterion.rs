//! Acquisition criteria of level-set estimation.

use thrifty_acquisition::{
    Acquisition, AcquisitionError, Analytic, BoundaryInformation, ExpectedFeasibility, ExpectedReduction,
    Integrated, IntegratedBernoulli, LogBernoulliEntropy, LogBernoulliVariance, LookaheadAcquisition,
    MaxStdDev, MisclassifiedVolume, RandomizedStraddle, RanjanImprovement, Robust, Straddle,
    SuperlevelVolume, TargetedMeanSquaredError, TargetedVariance, ThresholdField, TruncatedVariance,
    UtilityScale,
};
use thrifty_domain::{Points, PointsRef};
use thrifty_sampling::Stream;
use thrifty_surrogate::{JointPosterior, Posterior};

use crate::Integration;

/// Acquisition criterion of a level set.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Criterion {
    /// [`Straddle`].
    Straddle {
        /// κ ≥ 0.
        kappa: f64,
    },
    /// [`RandomizedStraddle`] with a new β per suggestion; if it is 0 everywhere, the largest standard deviation.
    #[serde(rename = "randomised_straddle", alias = "randomized_straddle")]
    RandomizedStraddle,
    /// Ambiguity of the classification intervals, among undecided classified points: `min(U - h, h - L)`. For an implicit threshold it is
    /// the width, among undecided points and those that may be the maximum. Source: Gotovos et al. (2013).
    Ambiguity,
    /// [`ExpectedFeasibility`].
    ExpectedFeasibility {
        /// α > 0.
        alpha: f64,
    },
    /// [`RanjanImprovement`].
    Ranjan {
        /// α > 0.
        alpha: f64,
    },
    /// [`TargetedMeanSquaredError`].
    TargetedError {
        /// b ≥ 0.
        bandwidth: f64,
    },
    /// [`BernoulliVariance`](thrifty_acquisition::BernoulliVariance), by its logarithm. It returns to points already evaluated; for comparison.
    BernoulliVariance,
    /// [`BernoulliEntropy`](thrifty_acquisition::BernoulliEntropy), by its logarithm. It returns to points already evaluated; for comparison.
    BernoulliEntropy,
    /// [`IntegratedBernoulli`]: stepwise uncertainty reduction.
    IntegratedBernoulli,
    /// [`MisclassifiedVolume`].
    MisclassifiedVolume,
    /// [`TargetedVariance`]: the targeted integrated mean squared error.
    TargetedVariance {
        /// b ≥ 0.
        bandwidth: f64,
    },
    /// [`TruncatedVariance`] over the undecided points, with the β of the confidence intervals. It is divided by the cost where costs are
    /// known ([`LevelSetOptimizer::with_cost`](crate::LevelSetOptimizer::with_cost)).
    ///
    /// η starts at the standard deviation of the observations. It shrinks until some undecided point has √β σ > (1 + δ)η. With known
    /// hyperparameters these are the epochs of the source.
    TruncatedVariance {
        /// r in (0, 1), the factor by which η shrinks. Source: Bogunovic et al. (2016), 0.1.
        shrink: f64,
        /// δ ≥ 0. Source: the same, 0.
        slack: f64,
    },
    /// [`SuperlevelVolume`], but at least γσ ([`Robust`]): RMILE of the source, or MILE with γ = 0.
    SuperlevelVolume {
        /// κ ≥ 0.
        kappa: f64,
        /// γ ≥ 0.
        gamma: f64,
    },
    /// [`BoundaryInformation`].
    BoundaryInformation,
    /// The largest standard deviation, independently of the threshold.
    #[serde(rename = "maximum_deviation", alias = "max_std_dev")]
    MaxStdDev,
    /// A random point: the baseline.
    Random,
}

impl Default for Criterion {
    /// Stepwise uncertainty reduction.
    fn default() -> Self {
        Self::IntegratedBernoulli
    }
}

/// Posteriors, points and threshold of a criterion.
pub(crate) struct CriterionContext<'a> {
    /// Posterior without pending trials; it defines the field.
    pub(crate) now: &'a dyn Posterior,
    /// Posterior with fantasies of pending trials; only its variances count.
    pub(crate) after: &'a dyn Posterior,
    pub(crate) points: PointsRef<'a>,
    pub(crate) threshold: f64,
    pub(crate) noise: f64,
    pub(crate) integration: Integration,
    /// True for each undecided point.
    pub(crate) undecided: &'a [bool],
    pub(crate) beta: f64,
    /// Standard deviation of the observations.
    pub(crate) spread: f64,
}

impl Criterion {
    /// True for a look-ahead criterion, which is expensive and needs a shortlist.
    pub(crate) fn looks_ahead(self) -> bool {
        matches!(
            self,
            Self::IntegratedBernoulli
                | Self::MisclassifiedVolume
                | Self::TargetedVariance { .. }
                | Self::TruncatedVariance { .. }
                | Self::SuperlevelVolume { .. }
                | Self::BoundaryInformation
        )
    }

    /// Scale of its values, which determines how weights enter.
    pub(crate) fn scale(self) -> UtilityScale {
        match self {
            Self::BernoulliVariance | Self::BernoulliEntropy => UtilityScale::Log,
            Self::Straddle { .. } | Self::RandomizedStraddle => UtilityScale::Signed,
            _ => UtilityScale::NonNegative,
        }
    }

    /// Builds the acquisition; `None` for criteria without one.
    pub(crate) fn on<'a>(
        self,
        context: &CriterionContext<'a>,
        rng: &mut Stream,
    ) -> Result<Option<Box<dyn Acquisition + 'a>>, AcquisitionError> {
        let (after, threshold) = (context.after, context.threshold);
        Ok(Some(match self {
            Self::Straddle { kappa } => Box::new(Analytic::new(after, Straddle { threshold, kappa })),
            Self::RandomizedStraddle => {
                Box::new(Analytic::new(after, RandomizedStraddle::drawn(threshold, rng)))
            }
            Self::ExpectedFeasibility { alpha } => {
                Box::new(Analytic::new(after, ExpectedFeasibility { threshold, alpha }))
            }
            Self::Ranjan { alpha } => Box::new(Analytic::new(after, RanjanImprovement { threshold, alpha })),
            Self::TargetedError { bandwidth } => {
                Box::new(Analytic::new(after, TargetedMeanSquaredError { threshold, bandwidth }))
            }
            Self::BernoulliVariance => Box::new(Analytic::new(after, LogBernoulliVariance { threshold })),
            Self::BernoulliEntropy => Box::new(Analytic::new(after, LogBernoulliEntropy { threshold })),
            Self::MaxStdDev => Box::new(Analytic::new(after, MaxStdDev)),
            Self::IntegratedBernoulli => Box::new(context.integrated(IntegratedBernoulli::default())?),
            Self::MisclassifiedVolume => Box::new(context.integrated(MisclassifiedVolume)?),
            Self::TargetedVariance { bandwidth } => {
                Box::new(context.integrated(TargetedVariance { bandwidth })?)
            }
            Self::BoundaryInformation => Box::new(context.integrated(BoundaryInformation::default())?),
            Self::SuperlevelVolume { kappa, gamma } => {
                let volume = context.integrated(SuperlevelVolume { kappa })?;
                Box::new(volume.map(|utility| Robust { utility, gamma }))
            }
            Self::TruncatedVariance { shrink, slack } => Box::new(context.truncated(shrink, slack)?),
            Self::Ambiguity | Self::Random => return Ok(None),
        }))
    }
}

impl<'a> CriterionContext<'a> {
    /// Integrates over the points near the threshold.
    fn integrated<G: ExpectedReduction>(
        &self,
        gain: G,
    ) -> Result<LookaheadAcquisition<'a, Integrated<G>>, AcquisitionError> {
        let field = ThresholdField::new(self.now, self.points, None, self.threshold)?;
        let field = field.near(self.integration.limit).thinned(self.integration.points);
        Integrated::over(&field, gain, self.joint()?, self.noise)
    }

    /// Integrates over the undecided points; over all points if none is undecided.
    fn truncated(
        &self,
        shrink: f64,
        slack: f64,
    ) -> Result<LookaheadAcquisition<'a, Integrated<TruncatedVariance>>, AcquisitionError> {
        let all = self.undecided.iter().all(|undecided| !undecided);
        let mut points = Points::new(self.points.dim());
        let each = self.points.rows().zip(self.undecided);
        each.filter(|(_, undecided)| all || **undecided).for_each(|(x, _)| points.push(x));
        let (mut mean, mut variance) = (vec![0.0; points.len()], vec![0.0; points.len()]);
        self.now.predict_into(points.as_ref(), &mut mean, &mut variance);
        let widest = (self.beta * variance.iter().copied().fold(0.0, f64::max)).sqrt();
        let mut eta = self.spread;
        while eta > 0.0 && widest > 0.0 && widest <= (1.0 + slack) * eta {
            eta *= shrink;
        }
        let field = ThresholdField::new(self.now, points.as_ref(), None, self.threshold)?;
        let field = field.thinned(self.integration.points);
        Integrated::over(&field, TruncatedVariance { beta: self.beta, eta }, self.joint()?, self.noise)
    }

    fn joint(&self) -> Result<&'a dyn JointPosterior, AcquisitionError> {
        self.after.joint().ok_or(AcquisitionError::Lacks("joint covariances"))
    }
}

#[cfg(test)]
mod tests {
    use thrifty_domain::Domain;
    use thrifty_gp::KernelFamily;
    use thrifty_sampling::Seed;
    use thrifty_surrogate::{Observations, Surrogate};

    use super::*;
    use crate::FixedGp;

    /// Truncated variance of a point at itself. A process of variance 4 knows one point far from it, so that √β σ = 2 √β there.
    fn truncated(beta: f64, spread: f64, slack: f64) -> f64 {
        let (family, lengthscales) = (KernelFamily::SquaredExponential, vec![0.01]);
        let model = FixedGp { family, lengthscales, variance: 4.0, mean: 0.0, noise_variance: 1e-3 };
        let far = Points::from_flat(vec![0.0], 1);
        let data = Observations::new(far.as_ref(), &[0.0]);
        let fitted = model.fit(&Domain::unit_cube(1), data, None, &mut Seed(1).stream("test", 0)).unwrap();
        let context = CriterionContext {
            now: fitted.posterior(),
            after: fitted.posterior(),
            points: PointsRef::single(&[0.9]),
            threshold: 0.5,
            noise: 1e-3,
            integration: Integration::default(),
            undecided: &[true],
            beta,
            spread,
        };
        context.truncated(0.5, slack).unwrap().value(&[0.9])
    }

    /// At a point with √β σ = 2 an observation explains nearly all, so that the gain is 4 - η². The first η is the spread; it shrinks until
    /// 2 > (1 + δ)η.
    #[test]
    fn truncated_variance_shrinks_eta_until_a_point_is_wide() {
        for (spread, slack, eta) in [
            (1.0, 0.0, 1.0),
            (1.5, 0.0, 1.5),
            (2.5, 0.0, 1.25),
            (6.0, 0.0, 1.5),
            (1.5, 1.0, 0.75),
            (1.2, 0.5, 1.2),
            (1.5, 0.5, 0.75),
        ] {
            let (found, expected) = (truncated(1.0, spread, slack), 4.0 - eta * eta);
            assert!((found - expected).abs() < 1e-6, "{spread}, {slack}: {found}, expected {expected}");
        }
    }

    /// Intervals without width: none is ever wide, and the search for η ends.
    #[test]
    fn truncated_variance_without_width_has_no_gain() {
        assert_eq!(truncated(0.0, 1.0, 0.0), 0.0);
    }
}
