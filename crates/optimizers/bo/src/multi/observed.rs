//! Measured, failed and running points of a history.

use thrifty_domain::Points;
use thrifty_space::{Config, Space};
use thrifty_study::{History, Measurement, OptimizerError};

use thrifty_model_based::{WithoutLoss, carried, measurement, shape};

/// A history as points of the unit cube and columns of numbers.
pub(crate) struct Observed {
    /// Number of objectives.
    pub(crate) objectives: usize,
    /// Measured points.
    pub(crate) x: Points,
    /// Values at the measured points, one column per objective, then one per constraint.
    pub(crate) columns: Vec<Vec<f64>>,
    /// Sums of the constraint violations at the measured points.
    pub(crate) violations: Vec<f64>,
    /// Reported noise variances of the objectives at the measured points; 0 where none was reported.
    pub(crate) noise_variance: Vec<f64>,
    /// Failed and pruned points.
    pub(crate) without_loss: WithoutLoss,
    /// Points of running trials.
    pub(crate) pending: Points,
}

impl Observed {
    /// Reads a history; `None` if nothing was measured.
    ///
    /// # Errors
    /// [`OptimizerError`] names a trial that is not of the space, or whose measurement differs in shape from the first.
    pub(crate) fn of(space: &Space, history: &History<Config>) -> Result<Option<Self>, OptimizerError> {
        let Some((objectives, constraints)) = shape(history)? else { return Ok(None) };
        let empty = || Points::new(space.dim());
        let mut observed = Self {
            objectives,
            x: empty(),
            columns: vec![Vec::new(); objectives + constraints],
            violations: Vec::new(),
            noise_variance: Vec::new(),
            without_loss: WithoutLoss::new(space.dim()),
            pending: empty(),
        };
        for trial in history.trials() {
            let point = space
                .encode(&trial.query)
                .map_err(|error| OptimizerError::failed(format!("encoding trial {}", trial.id.0), error))?;
            match (&trial.outcome, measurement(trial)) {
                (_, Some(measured)) => {
                    let Measurement { objectives, constraints, noise_variance: noise, .. } = measured;
                    observed.x.push(&point);
                    observed.violations.push(measured.violation());
                    observed.noise_variance.push(carried(noise.unwrap_or(0.0)));
                    let values = objectives.iter().chain(constraints);
                    observed
                        .columns
                        .iter_mut()
                        .zip(values)
                        .for_each(|(column, value)| column.push(carried(*value)));
                }
                (Some(outcome), None) => observed.without_loss.push(&point, outcome, observed.x.len()),
                (None, None) => observed.pending.push(&point),
            }
        }
        Ok(Some(observed))
    }

    /// Indices of the measured points that break no constraint.
    pub(crate) fn feasible(&self) -> Vec<usize> {
        (0..self.x.len()).filter(|&i| self.violations[i] == 0.0).collect()
    }

    /// Indices of the measured points by violation of the constraints, smallest first.
    pub(crate) fn by_violation(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.x.len()).collect();
        order.sort_by(|&a, &b| self.violations[a].total_cmp(&self.violations[b]));
        order
    }

    /// The losses at some of the measured points: one row per point.
    pub(crate) fn losses(&self, indices: &[usize]) -> Points {
        let mut losses = Points::new(self.objectives);
        for &i in indices {
            losses.push(&self.columns[..self.objectives].iter().map(|c| c[i]).collect::<Vec<f64>>());
        }
        losses
    }
}
