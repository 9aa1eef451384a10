//! Intersected confidence intervals over a study.

use thrifty_domain::Points;
use thrifty_model_based::carried;
use thrifty_sampling::Seed;
use thrifty_space::{Config, Space};
use thrifty_study::{OptimizerError, Outcome, Trial};
use thrifty_surrogate::{Observations, Surrogate};

use crate::intervals::moments;
use crate::{Confidence, Intervals};

/// Intersected intervals after each measurement, for a model with known hyperparameters.
///
/// The intervals of step t are those after the first t measurements in the order of the trials. They are a function of the history; this
/// caches the result.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    /// Measurements included so far.
    x: Points,
    y: Vec<f64>,
    noise_variances: Vec<f64>,
    intervals: Intervals,
}

/// A measurement of a trial.
struct Measured {
    id: u64,
    x: Vec<f64>,
    y: f64,
    noise_variance: f64,
}

impl Measured {
    /// `None` for a trial without an objective.
    fn of(trial: &Trial<Config>, space: &Space) -> Result<Option<Self>, OptimizerError> {
        let measured = trial.outcome.as_ref().and_then(Outcome::measurement);
        let Some((measured, y)) = measured.and_then(|m| Some((m, *m.objectives.first()?))) else {
            return Ok(None);
        };
        let id = trial.id.0;
        let x = space
            .encode(&trial.query)
            .map_err(|error| OptimizerError::failed(format!("encoding trial {id}"), error))?;
        let noise_variance = carried(measured.noise_variance.unwrap_or(0.0));
        Ok(Some(Self { id, x, y: carried(y), noise_variance }))
    }
}

impl Progress {
    pub(crate) fn intervals(&self) -> &Intervals {
        &self.intervals
    }

    /// Includes new measurements; starts again if the history is not a continuation.
    pub(crate) fn follow(
        &mut self,
        told: &[&Trial<Config>],
        space: &Space,
        surrogate: &dyn Surrogate,
        points: &Points,
        confidence: Confidence,
    ) -> Result<(), OptimizerError> {
        let mut measured = Vec::with_capacity(told.len());
        for trial in told {
            measured.extend(Measured::of(trial, space)?);
        }
        if self.y.is_empty() || !self.is_continued_by(&measured) {
            *self = Self { x: Points::new(space.dim()), ..Self::default() };
        }
        for next in &measured[self.y.len()..] {
            if let Err(error) = self.count(next, space, surrogate, points, confidence) {
                *self = Self::default();
                return Err(error);
            }
        }
        Ok(())
    }

    /// True if the given measurements begin with those included so far.
    fn is_continued_by(&self, measured: &[Measured]) -> bool {
        let is_known = |i: usize| {
            measured.get(i).is_some_and(|of| {
                self.x.row(i) == of.x && self.y[i] == of.y && self.noise_variances[i] == of.noise_variance
            })
        };
        (0..self.y.len()).all(is_known)
    }

    fn count(
        &mut self,
        next: &Measured,
        space: &Space,
        surrogate: &dyn Surrogate,
        points: &Points,
        confidence: Confidence,
    ) -> Result<(), OptimizerError> {
        let failed = |what: &str, error: Box<dyn std::error::Error + Send + Sync>| {
            OptimizerError::failed(format!("{what} trial {}", next.id), error)
        };
        self.x.push(&next.x);
        self.y.push(next.y);
        self.noise_variances.push(next.noise_variance);
        let mut unused = Seed(0).stream("fixed", 0);
        let data = Observations::new(self.x.as_ref(), &self.y).with_noise_variance(&self.noise_variances);
        let fitted = surrogate
            .fit(space.domain(), data, None, &mut unused)
            .map_err(|error| failed("learning from", error.into()))?;
        let (mean, std_dev) = moments(fitted.posterior(), points);
        let beta = confidence
            .beta(self.y.len(), points.len())
            .map_err(|error| failed("finding the width of intervals for", error.into()))?;
        let intervals = Intervals::of(&mean, &std_dev, beta);
        if self.y.len() == 1 {
            self.intervals = intervals;
        } else {
            self.intervals.intersect(&intervals);
        }
        Ok(())
    }
}
