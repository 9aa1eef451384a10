//! Threshold fields: the posterior at weighted integration points.

use thrifty_check::{entries, length, not_empty, number};
use thrifty_domain::{Points, PointsRef};
use thrifty_prob::cdf;
use thrifty_surrogate::Posterior;

use super::bernoulli::bernoulli_variance;
use super::margin::standardized;
use crate::AcquisitionError;
use crate::error::{require_finite, require_points};

/// Posterior relative to a threshold h at weighted integration points.
///
/// Points with zero posterior variance are left out, since no observation changes them.
#[derive(Debug, Clone, PartialEq)]
pub struct ThresholdField {
    pub(super) threshold: f64,
    pub(super) points: Points,
    pub(super) weights: Vec<f64>,
    /// `(μ - h)/σ`.
    pub(super) standardized: Vec<f64>,
    pub(super) std_dev: Vec<f64>,
    neglected: f64,
}

impl ThresholdField {
    /// Field at these points; without weights, each has weight 1/n.
    ///
    /// # Errors
    /// [`AcquisitionError`] for no points, points of another dimension, a threshold, weight, mean or variance that is not finite, a
    /// different number of weights, or a negative weight.
    pub fn new(
        posterior: &dyn Posterior,
        points: PointsRef<'_>,
        weights: Option<&[f64]>,
        threshold: f64,
    ) -> Result<Self, AcquisitionError> {
        number("threshold", threshold, true, "a finite number")?;
        require_points("integration points", points, posterior.dim())?;
        let n = points.len();
        if let Some(weights) = weights {
            length("weights", weights.len(), n)?;
            not_empty("weights", n)?;
            entries(
                "weight",
                weights,
                |weight| weight >= 0.0 && weight.is_finite(),
                "a finite number from 0",
            )?;
        }
        let (mut mean, mut variance) = (vec![0.0; n], vec![0.0; n]);
        posterior.predict_into(points, &mut mean, &mut variance);
        require_finite("means", &mean)?;
        require_finite("variances", &variance)?;
        let (none, dim) = (Vec::new, points.dim());
        let mut field = Self {
            threshold,
            points: Points::new(dim),
            weights: none(),
            standardized: none(),
            std_dev: none(),
            neglected: 0.0,
        };
        for (i, point) in points.rows().enumerate().filter(|(i, _)| variance[*i] > 0.0) {
            let std_dev = variance[i].sqrt();
            field.points.push(point);
            field.weights.push(weights.map_or(1.0 / n as f64, |weights| weights[i]));
            field.standardized.push(standardized(mean[i], std_dev, threshold));
            field.std_dev.push(std_dev);
        }
        Ok(field)
    }

    /// Restricts the field to points with `|μ - h| ≤ limit · σ`; keeps all if there are none.
    ///
    /// [`ThresholdField::neglected`] is the largest possible decrease of the sum of `p(1 - p)` at the other points. At limit 5 it is below
    /// 3e-7 of their weight.
    #[must_use]
    pub fn near(self, limit: f64) -> Self {
        let inside = |field: &Self, i: &usize| field.standardized[*i].abs() <= limit;
        let kept: Vec<usize> = (0..self.len()).filter(|i| inside(&self, i)).collect();
        if kept.is_empty() || kept.len() == self.len() {
            return self;
        }
        let dropped = |i: usize| if inside(&self, &i) { 0.0 } else { self.weights[i] * self.bernoulli_at(i) };
        let neglected = self.neglected + (0..self.len()).map(dropped).sum::<f64>();
        Self { neglected, ..self.subset(&kept, 1.0) }
    }

    /// Restricts the field to at most `count` points, evenly spaced in their order. Their weights are increased to represent the others.
    #[must_use]
    pub fn thinned(self, count: usize) -> Self {
        let n = self.len();
        if count == 0 || n <= count {
            return self;
        }
        let kept: Vec<usize> = (0..count).map(|k| k * n / count).collect();
        let all: f64 = self.weights.iter().sum();
        let part: f64 = kept.iter().map(|i| self.weights[*i]).sum();
        self.subset(&kept, if part > 0.0 { all / part } else { 1.0 })
    }

    fn subset(&self, kept: &[usize], scale: f64) -> Self {
        let pick = |values: &[f64]| kept.iter().map(|i| values[*i]).collect::<Vec<f64>>();
        let mut points = Points::new(self.points.dim());
        kept.iter().for_each(|i| points.push(self.points.row(*i)));
        let mut weights = pick(&self.weights);
        weights.iter_mut().for_each(|weight| *weight *= scale);
        Self {
            threshold: self.threshold,
            points,
            weights,
            standardized: pick(&self.standardized),
            std_dev: pick(&self.std_dev),
            neglected: self.neglected,
        }
    }

    /// Number of points.
    #[must_use]
    pub fn len(&self) -> usize {
        self.weights.len()
    }

    /// True if every variance is zero.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.weights.is_empty()
    }

    /// The points.
    #[must_use]
    pub fn points(&self) -> PointsRef<'_> {
        self.points.as_ref()
    }

    /// The weights.
    #[must_use]
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// Sum of `p(1 - p)` over the points left out by [`ThresholdField::near`].
    #[must_use]
    pub fn neglected(&self) -> f64 {
        self.neglected
    }

    /// Integrated variance of the indicator, `Σ w p(1 - p)`.
    #[must_use]
    pub fn bernoulli_variance(&self) -> f64 {
        (0..self.len()).map(|i| self.weights[i] * self.bernoulli_at(i)).sum()
    }

    /// Expected misclassified volume, `Σ w min(p, 1 - p)`.
    #[must_use]
    pub fn misclassified(&self) -> f64 {
        self.standardized.iter().zip(&self.weights).map(|(u, w)| w * cdf(-u.abs())).sum()
    }

    fn bernoulli_at(&self, i: usize) -> f64 {
        bernoulli_variance(self.standardized[i])
    }
}
