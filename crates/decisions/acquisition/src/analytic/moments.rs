//! Posterior mean and standard deviation as acquisition functions.

use thrifty_surrogate::Description;

use crate::{Acquisition, AcquisitionError, AcquisitionFactory, Analytic, Context, Utility, UtilityScale};

/// Negative posterior mean `-μ`: pure exploitation.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PosteriorMean;

/// Posterior standard deviation `σ`: pure exploration.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct MaxStdDev;

impl Utility for PosteriorMean {
    fn value(&self, mean: f64, _std_dev: f64) -> f64 {
        -mean
    }

    fn value_and_slopes(&self, mean: f64, _std_dev: f64) -> (f64, f64, f64) {
        (-mean, -1.0, 0.0)
    }

    fn has_unit(&self) -> bool {
        true
    }
}

impl Utility for MaxStdDev {
    fn value(&self, _mean: f64, std_dev: f64) -> f64 {
        std_dev
    }

    fn value_and_slopes(&self, _mean: f64, std_dev: f64) -> (f64, f64, f64) {
        (std_dev, 0.0, 1.0)
    }

    fn has_unit(&self) -> bool {
        true
    }
}

impl AcquisitionFactory for PosteriorMean {
    fn build<'a>(&self, context: Context<'a, '_>) -> Result<Box<dyn Acquisition + 'a>, AcquisitionError> {
        Ok(Box::new(Analytic::new(context.posterior, *self)))
    }

    fn scale(&self) -> UtilityScale {
        UtilityScale::Signed
    }

    fn describe(&self) -> Result<Description, AcquisitionError> {
        Ok(Description::without_settings("posterior mean"))
    }

    fn is_averaged(&self) -> bool {
        false
    }
}

impl AcquisitionFactory for MaxStdDev {
    fn build<'a>(&self, context: Context<'a, '_>) -> Result<Box<dyn Acquisition + 'a>, AcquisitionError> {
        Ok(Box::new(Analytic::new(context.posterior, *self)))
    }

    fn scale(&self) -> UtilityScale {
        UtilityScale::NonNegative
    }

    fn describe(&self) -> Result<Description, AcquisitionError> {
        Ok(Description::without_settings("standard deviation"))
    }

    fn is_averaged(&self) -> bool {
        false
    }
}
