//! Utilities with weights.

use thrifty_domain::PointsRef;

use crate::Acquisition;
use crate::acquisition::settle;

/// A utility times weights, such as those of cost, feasibility and pending points.
///
/// ```text
/// α(x) Π_j w_j(x),   or of its logarithm   ln α(x) + Σ_j ln w_j(x)
/// ```
///
/// Weights are given by their logarithms, which are acquisitions: [`LogFeasibility`](crate::LogFeasibility) and
/// [`LogInverseCost`](crate::LogInverseCost) through [`Analytic`](crate::Analytic), [`LocalPenalties`](crate::LocalPenalties), or a
/// constant. Use the plain product only for utilities that are never negative, since a small weight would improve a negative one. If some
/// weight is 0, the product is 0 and its logarithm minus infinity, for every α.
///
/// Cost: that of the parts.
/// Source: Gardner et al. (2014) (feasibility); Snoek et al. (2012), section 3.2 (cost); Ament et al. (2023)
/// (sum of logarithms).
pub struct Weighted<'a> {
    acquisition: Box<dyn Acquisition + 'a>,
    log_weights: Vec<Box<dyn Acquisition + 'a>>,
    logarithm: bool,
}

impl<'a> Weighted<'a> {
    /// Starts with a utility that is never negative, without weights.
    #[must_use]
    pub fn utility(acquisition: impl Acquisition + 'a) -> Self {
        Self { acquisition: Box::new(acquisition), log_weights: Vec::new(), logarithm: false }
    }

    /// Starts with the logarithm of a utility, without weights.
    #[must_use]
    pub fn log_utility(acquisition: impl Acquisition + 'a) -> Self {
        Self { logarithm: true, ..Self::utility(acquisition) }
    }

    /// Adds a weight, given its logarithm.
    #[must_use]
    pub fn times(mut self, log_weight: impl Acquisition + 'a) -> Self {
        self.log_weights.push(Box::new(log_weight));
        self
    }

    /// Combines the utility, or its logarithm, with the sum of all log weights.
    fn combined(&self, value: f64, log_weight: f64) -> f64 {
        match (self.logarithm, log_weight == f64::NEG_INFINITY) {
            (true, true) => f64::NEG_INFINITY,
            (true, false) => value + log_weight,
            (false, true) => 0.0,
            (false, false) => value * log_weight.exp(),
        }
    }
}

impl Acquisition for Weighted<'_> {
    fn values_into(&self, x: PointsRef<'_>, out: &mut [f64]) {
        let (mut sum, mut one) = (vec![0.0; x.len()], vec![0.0; x.len()]);
        for weight in &self.log_weights {
            weight.values_into(x, &mut one);
            sum.iter_mut().zip(&one).for_each(|(sum, one)| *sum += one);
        }
        self.acquisition.values_into(x, out);
        out.iter_mut().zip(sum).for_each(|(value, log_weight)| *value = self.combined(*value, log_weight));
    }

    fn values_with_gradients_into(&self, x: PointsRef<'_>, out: &mut [f64], gradients: &mut [f64]) -> bool {
        let (n, d) = (x.len(), x.dim());
        let (mut sum, mut slopes) = (vec![0.0; n], vec![0.0; n * d]);
        let (mut one, mut slope) = (vec![0.0; n], vec![0.0; n * d]);
        for weight in &self.log_weights {
            if !weight.values_with_gradients_into(x, &mut one, &mut slope) {
                return false;
            }
            sum.iter_mut().zip(&one).for_each(|(sum, one)| *sum += one);
            slopes.iter_mut().zip(&slope).for_each(|(sum, one)| *sum += one);
        }
        if !self.acquisition.values_with_gradients_into(x, out, gradients) {
            return false;
        }
        for i in 0..n {
            let (value, range) = (out[i], i * d..(i + 1) * d);
            out[i] = self.combined(value, sum[i]);
            for (gradient, slope) in gradients[range.clone()].iter_mut().zip(&slopes[range]) {
                *gradient = match (self.logarithm, sum[i] == f64::NEG_INFINITY) {
                    (_, true) => 0.0,
                    (true, false) => *gradient + slope,
                    (false, false) => sum[i].exp() * (*gradient + value * slope),
                };
            }
            settle(&mut gradients[i * d..(i + 1) * d]);
        }
        true
    }

    /// A product with any weight counts as having a unit, such as one over that of the cost.
    fn has_unit(&self) -> bool {
        !self.logarithm && (self.acquisition.has_unit() || !self.log_weights.is_empty())
    }
}
