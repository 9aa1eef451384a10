//! Anticipation equations: acquisition functions of an exploit turn.

use thrifty_acquisition::{
    AcquisitionFactory, AcquisitionKind, Analytic, ImprovementTarget, PosteriorMean, ProbabilityOfImprovement,
};
use thrifty_model_based::{Modelled, Outlook};
use thrifty_study::OptimizerError;

/// Acquisition function of an exploit turn: the anticipation equations of `brofos2014`, section 1.
///
/// ```text
/// f* = smallest observed loss,  z(x) = (f* - μ(x))/σ(x)
/// expected improvement         σ(x) (z Φ(z) + φ(z))     eq. 1
/// probability of improvement   Φ(z)                     eq. 2 and 3
/// mean                         -μ(x)                    eq. 5
/// ```
///
/// The first two are maximized by their logarithms, which have the same maximum and do not underflow.
/// All but [`Own`](Self::Own) need an optimiser with one objective.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Anticipation {
    /// The acquisition function of the wrapped optimiser.
    #[default]
    Own,
    /// Expected improvement on the smallest observed loss.
    ExpectedImprovement,
    /// Probability of improvement on the smallest observed loss.
    ProbabilityOfImprovement,
    /// Posterior mean.
    Mean,
}

/// Quantity that is compared with ε to decide that an exploit turn has converged.
///
/// The source stops when the algorithm "suspects that no further function evaluations are worthwhile" (section 2), without naming the
/// quantity. For [`Anticipation::ExpectedImprovement`] both readings are equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConvergenceMeasure {
    /// Largest expected improvement as a share of the range of the losses, for every anticipation equation. Section 1 stops when no
    /// evaluations "are expected to yield improvements".
    #[default]
    ExpectedImprovement,
    /// Largest value of the anticipation equation. For the probability of improvement this is the probability itself. For the mean it is
    /// the improvement of the smallest mean on the smallest observed loss, as a share of the range. Algorithm 1 evaluates the point
    /// "anticipated to yield the greatest difference".
    Anticipated,
}

impl Anticipation {
    /// The acquisition function that replaces the optimiser's own; `None` to keep it.
    pub(crate) fn factory(self) -> Option<Box<dyn AcquisitionFactory>> {
        let target = ImprovementTarget::BestObserved;
        match self {
            Self::Own => None,
            Self::ExpectedImprovement => Some(Box::new(AcquisitionKind::LogExpectedImprovement(target))),
            Self::ProbabilityOfImprovement => {
                Some(Box::new(AcquisitionKind::LogProbabilityOfImprovement(target)))
            }
            Self::Mean => Some(Box::new(PosteriorMean)),
        }
    }

    /// Largest value of the equation, comparable with ε; `None` if the outlook has no target.
    ///
    /// # Errors
    /// [`OptimizerError`] for a probability or a mean with several objectives.
    pub(crate) fn largest<Q>(
        self,
        turn: &dyn Modelled<Q>,
        outlook: Outlook,
    ) -> Result<Option<f64>, OptimizerError> {
        let share = |value: f64| if outlook.range > 0.0 { value / outlook.range } else { value };
        let Some(target) = outlook.target else { return Ok(None) };
        let posteriors = turn.posteriors();
        let posterior = match (self, &posteriors[..]) {
            (Self::Own | Self::ExpectedImprovement, _) => return Ok(Some(share(outlook.expected))),
            (_, [posterior]) => *posterior,
            _ => {
                let error = "a probability of improvement or a mean needs an optimiser with one objective";
                return Err(OptimizerError::failed("finding out whether the search has converged", error));
            }
        };
        let best = |value: Option<f64>| value.unwrap_or(0.0).max(0.0);
        Ok(Some(if self == Self::Mean {
            let found = turn.maximize(&Analytic::new(posterior, PosteriorMean), "anticipated");
            share(best(found.first().map(|point| target - posterior.predict(&point.x).mean)))
        } else {
            let improvement = ProbabilityOfImprovement { target };
            let found = turn.maximize(&Analytic::new(posterior, improvement), "anticipated");
            best(found.first().map(|point| point.value))
        }))
    }
}
