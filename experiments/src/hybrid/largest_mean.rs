//! An acquisition function that is made worse on purpose.

use thrifty_acquisition::{
    Acquisition, AcquisitionError, AcquisitionFactory, Analytic, Context, Utility, UtilityScale,
};
use thrifty_surrogate::Description;

/// Largest posterior mean of the loss: the point from which the least is expected.
#[derive(Debug, Clone, Copy)]
pub struct LargestMean;

impl Utility for LargestMean {
    fn value(&self, mean: f64, _std_dev: f64) -> f64 {
        mean
    }

    fn value_and_slopes(&self, mean: f64, _std_dev: f64) -> (f64, f64, f64) {
        (mean, 1.0, 0.0)
    }
}

impl AcquisitionFactory for LargestMean {
    fn build<'a>(&self, context: Context<'a, '_>) -> Result<Box<dyn Acquisition + 'a>, AcquisitionError> {
        Ok(Box::new(Analytic::new(context.posterior, *self)))
    }

    fn scale(&self) -> UtilityScale {
        UtilityScale::Signed
    }

    fn describe(&self) -> Result<Description, AcquisitionError> {
        Ok(Description::without_settings("largest posterior mean"))
    }

    fn is_averaged(&self) -> bool {
        false
    }
}
