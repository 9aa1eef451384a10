//! Intersected confidence intervals over a study.

use thrifty_domain::Points;
use thrifty_sampling::Seed;
use thrifty_space::{Config, Space};
use thrifty_study::{OptimizerError, Outcome, Trial};
use thrifty_surrogate::{Observations, Surrogate};

use crate::{Confidence, Intervals};

/// Intersected intervals after each measurement, for a model that learns nothing but the function.
///
/// The intervals of step t are those after the first t measurements in the order of the trials: a function of the
/// history, of which this keeps what it has worked out.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    /// Trials that are counted in, with what they measured.
    counted: Vec<(u64, f64)>,
    x: Points,
    y: Vec<f64>,
    noise_variances: Vec<f64>,
    intervals: Intervals,
}

impl Progress {
    pub(crate) fn intervals(&self) -> &Intervals {
        &self.intervals
    }

    /// Counts in what was measured since; everything anew when the history is no continuation.
    pub(crate) fn follow(
        &mut self,
        told: &[&Trial<Config>],
        space: &Space,
        surrogate: &dyn Surrogate,
        points: &Points,
        confidence: Confidence,
    ) -> Result<(), OptimizerError> {
        let measured: Vec<(&Trial<Config>, f64)> = told
            .iter()
            .filter_map(|trial| Some((*trial, trial.outcome.as_ref().and_then(Outcome::objective)?)))
            .collect();
        let same = |(known, (trial, y)): (&(u64, f64), &(&Trial<Config>, f64))| *known == (trial.id.0, *y);
        let continues = self.counted.len() <= measured.len() && self.counted.iter().zip(&measured).all(same);
        if !continues || self.counted.is_empty() {
            *self = Self { x: Points::new(space.dim()), ..Self::default() };
        }
        let (mut mean, mut std_dev) = (vec![0.0; points.len()], vec![0.0; points.len()]);
        for (trial, y) in &measured[self.counted.len()..] {
            let failed = |what: &str, error: Box<dyn std::error::Error + Send + Sync>| {
                OptimizerError::failed(format!("{what} trial {}", trial.id.0), error)
            };
            let x = space.encode(&trial.query).map_err(|error| failed("encoding", error.into()))?;
            self.x.push(&x);
            self.y.push(*y);
            let measured = trial.outcome.as_ref().and_then(Outcome::measurement);
            self.noise_variances.push(measured.and_then(|measured| measured.noise_variance).unwrap_or(0.0));
            let mut unused = Seed(0).stream("fixed", 0);
            let data = Observations::new(self.x.as_ref(), &self.y).with_noise_variance(&self.noise_variances);
            let fitted = surrogate
                .fit(space.domain(), data, None, &mut unused)
                .map_err(|error| failed("learning from", error.into()))?;
            fitted.posterior().predict_into(points.as_ref(), &mut mean, &mut std_dev);
            std_dev.iter_mut().for_each(|variance| *variance = variance.sqrt());
            let beta = confidence
                .beta(self.y.len(), points.len())
                .map_err(|error| failed("finding the width of intervals for", error.into()))?;
            let next = Intervals::of(&mean, &std_dev, beta);
            if self.y.len() == 1 {
                self.intervals = next;
            } else {
                self.intervals.intersect(&next);
            }
            self.counted.push((trial.id.0, *y));
        }
        Ok(())
    }
}
