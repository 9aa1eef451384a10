//! Observed values of a parameter, kept sorted.

use crate::Dimension;

/// Observed values of one parameter, one a trial in the order of the trials.
#[derive(Debug, Clone)]
pub struct Observed(pub(crate) List);

#[derive(Debug, Clone)]
pub(crate) enum List {
    /// Numbers by their latent value, earlier trials first among equals, and the trials they are from. Of `count`
    /// trials those on which the parameter was not active are left out.
    Numbers { count: usize, latent: Vec<f64>, order: Vec<u32> },
    /// Indices of choices; NaN where the parameter was not active.
    Choices(Vec<f64>),
}

impl Observed {
    /// Observations of values as they were set; NaN marks where the parameter was not active.
    #[must_use]
    pub fn new(dimension: &Dimension, values: &[f64]) -> Self {
        let internal: Vec<f64> = values.iter().map(|value| dimension.internal(*value)).collect();
        Self::of_internal(dimension, &internal)
    }

    /// Observations of internal values ([`Dimension::internal`]).
    pub(crate) fn of_internal(dimension: &Dimension, values: &[f64]) -> Self {
        let Dimension::Numeric(axis) = dimension else { return Self(List::Choices(values.to_vec())) };
        let of = |i: u32| {
            let value = values[i as usize];
            // Zeros of both signs are equal.
            (if axis.grid.is_some() { axis.latent(value) } else { value }) + 0.0
        };
        let mut order: Vec<u32> =
            (0..values.len() as u32).filter(|i| !values[*i as usize].is_nan()).collect();
        // A stable sort: equal values stay in the order of the trials.
        order.sort_by(|a, b| of(*a).total_cmp(&of(*b)));
        let latent = order.iter().map(|i| of(*i)).collect();
        Self(List::Numbers { count: values.len(), latent, order })
    }

    /// Number of trials.
    pub(crate) fn len(&self) -> usize {
        match &self.0 {
            List::Numbers { count, .. } => *count,
            List::Choices(values) => values.len(),
        }
    }
}
