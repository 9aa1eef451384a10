use std::borrow::Cow;

use crate::Dimension;

/// Observed values of one parameter, in the order of the trials, and their sorted order.
#[derive(Debug, Clone)]
pub struct Observed<'a> {
    /// Internal values ([`Dimension::internal`]); NaN where the parameter was not active.
    pub(crate) values: Cow<'a, [f64]>,
    /// Positions of numbers by their latent value, earlier trials first among equals; those not active left out.
    /// Empty for choices.
    pub(crate) order: Cow<'a, [u32]>,
}

impl Observed<'static> {
    /// From values as they were set; NaN marks where the parameter was not active.
    #[must_use]
    pub fn new(dimension: &Dimension, values: &[f64]) -> Self {
        // Zeros of both signs are equal.
        let values: Vec<f64> = values.iter().map(|v| dimension.internal(*v) + 0.0).collect();
        let mut order: Vec<u32> = match dimension {
            Dimension::Numeric(_) => {
                (0..values.len() as u32).filter(|i| !values[*i as usize].is_nan()).collect()
            }
            Dimension::Categorical(_) => Vec::new(),
        };
        // A stable sort: equal values stay in the order of the trials.
        order.sort_by(|a, b| values[*a as usize].total_cmp(&values[*b as usize]));
        Self { values: values.into(), order: order.into() }
    }
}

impl<'a> Observed<'a> {
    /// From internal values and their order.
    pub(crate) fn sorted(values: &'a [f64], order: &'a [u32]) -> Self {
        Self { values: values.into(), order: order.into() }
    }
}
