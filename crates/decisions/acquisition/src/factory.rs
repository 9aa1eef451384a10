//! Interface between acquisition functions and optimisers.

use thrifty_surrogate::Description;

use crate::{Acquisition, AcquisitionError, Context, ImprovementTarget, Utility};

/// Scale of a utility, which determines how the weights of cost and feasibility enter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UtilityScale {
    /// Logarithm of a non-negative utility: logarithms of weights are added.
    Log,
    /// Non-negative: weights multiply.
    NonNegative,
    /// Utility of any sign: weights multiply its excess over the incumbent, in a positive form. See [`LogExcess`](crate::LogExcess).
    Signed,
}

/// Builder of an acquisition function on a posterior: the interface between acquisition functions and optimisers.
///
/// An optimiser calls [`build`](AcquisitionFactory::build) for each suggestion. It adds everything that does not depend on the acquisition
/// function: weights of cost and feasibility according to [`scale`](AcquisitionFactory::scale), running trials, known constraints, and the
/// search for the maximiser. [`AcquisitionKind`](crate::AcquisitionKind) lists the built-in ones.
///
/// ```
/// use thrifty_acquisition::{
///     Acquisition, AcquisitionError, AcquisitionFactory, Analytic, Context, Description, Utility, UtilityScale,
/// };
/// /// Mean and standard deviation with equal weight: -(μ - σ).
/// struct Optimism;
/// impl Utility for Optimism {
///     fn value(&self, mean: f64, std_dev: f64) -> f64 {
///         std_dev - mean
///     }
///     fn value_and_slopes(&self, mean: f64, std_dev: f64) -> (f64, f64, f64) {
///         (std_dev - mean, -1.0, 1.0)
///     }
///     // In units of the loss.
///     fn has_unit(&self) -> bool {
///         true
///     }
/// }
/// struct OptimismFactory;
/// impl AcquisitionFactory for OptimismFactory {
///     fn build<'a>(&self, context: Context<'a, '_>) -> Result<Box<dyn Acquisition + 'a>, AcquisitionError> {
///         Ok(Box::new(Analytic::new(context.posterior, Optimism)))
///     }
///     fn scale(&self) -> UtilityScale {
///         UtilityScale::Signed
///     }
///     fn describe(&self) -> Result<Description, AcquisitionError> {
///         Ok(Description::without_settings("optimism"))
///     }
/// }
/// ```
pub trait AcquisitionFactory: Send + Sync {
    /// Builds the acquisition function on the posterior of the context.
    ///
    /// # Errors
    /// [`AcquisitionError`] for a setting outside its range, a posterior without a required capability, or a covariance that cannot be factored.
    fn build<'a>(&self, context: Context<'a, '_>) -> Result<Box<dyn Acquisition + 'a>, AcquisitionError>;

    /// Scale of its values.
    fn scale(&self) -> UtilityScale;

    /// Name and settings: everything that its values depend on, except the context.
    ///
    /// # Errors
    /// [`AcquisitionError`] for settings that cannot be written.
    fn describe(&self) -> Result<Description, AcquisitionError>;

    /// Improvement target; its value is [`Context::target`].
    fn target(&self) -> ImprovementTarget {
        ImprovementTarget::BestObserved
    }

    /// Utility of mean and standard deviation for a target τ; `None` unless it is an analytic improvement.
    ///
    /// Optimisers average it over joint draws of the outcomes of running trials, each draw with its own target. Its
    /// scale is [`scale`](AcquisitionFactory::scale).
    fn improvement(&self, target: f64) -> Option<Box<dyn Utility>> {
        let _ = target;
        None
    }

    /// True if [`build`](AcquisitionFactory::build) handles running trials itself. Its context then has a posterior without fantasies, and
    /// running trials are among the observed points.
    fn handles_pending(&self) -> bool {
        false
    }

    /// True to average it over the members of a mixture. False if it uses the moments or paths of the mixture itself, for example because
    /// it measures the uncertainty of the model.
    fn is_averaged(&self) -> bool {
        true
    }

    /// The factory to build on each member of a mixture, with shared parts chosen on the mixture of the context. Such parts are anchors,
    /// which cost more than the rest and need not differ. `None` if each member uses this factory.
    ///
    /// # Errors
    /// As [`build`](AcquisitionFactory::build).
    fn for_mixture(
        &self,
        context: Context<'_, '_>,
    ) -> Result<Option<Box<dyn AcquisitionFactory>>, AcquisitionError> {
        let _ = context;
        Ok(None)
    }

    /// True if its maximiser also maximises expected improvement, so that a convergence test needs no second search.
    fn is_expected_improvement(&self) -> bool {
        false
    }
}

impl<F: AcquisitionFactory + ?Sized> AcquisitionFactory for Box<F> {
    fn build<'a>(&self, context: Context<'a, '_>) -> Result<Box<dyn Acquisition + 'a>, AcquisitionError> {
        (**self).build(context)
    }

    fn scale(&self) -> UtilityScale {
        (**self).scale()
    }

    fn describe(&self) -> Result<Description, AcquisitionError> {
        (**self).describe()
    }

    fn target(&self) -> ImprovementTarget {
        (**self).target()
    }

    fn improvement(&self, target: f64) -> Option<Box<dyn Utility>> {
        (**self).improvement(target)
    }

    fn handles_pending(&self) -> bool {
        (**self).handles_pending()
    }

    fn is_averaged(&self) -> bool {
        (**self).is_averaged()
    }

    fn for_mixture(
        &self,
        context: Context<'_, '_>,
    ) -> Result<Option<Box<dyn AcquisitionFactory>>, AcquisitionError> {
        (**self).for_mixture(context)
    }

    fn is_expected_improvement(&self) -> bool {
        (**self).is_expected_improvement()
    }
}

/// Creates a description from a name and settings.
pub(crate) fn described(
    name: &str,
    settings: &(impl serde::Serialize + ?Sized),
) -> Result<Description, AcquisitionError> {
    Description::new(name, settings).map_err(|error| AcquisitionError::Description(error.to_string()))
}
