//! Beliefs after a history, and what was trained.

use std::sync::Arc;

use thrifty_check::InputError;
use thrifty_domain::PointsRef;
use thrifty_space::Config;
use thrifty_study::{History, Measurement, MeasurementProblem, OptimizerError, Trial};

use super::AutoBct;
use crate::{AutoBctError, AutoBctSettings, Controls, State};

/// State after a history.
pub(super) struct Progress {
    pub(super) state: State,
    /// Control of the last training that did not fail, and its trial.
    pub(super) last: Option<(Place, usize)>,
    /// Trained controls and their trials.
    pub(super) trained: Vec<(Place, usize)>,
    /// Listed controls of failed trainings.
    pub(super) failed: Vec<usize>,
    /// Number of failed trainings, at listed controls or not.
    pub(super) failures: usize,
    pub(super) spent: f64,
    pub(super) outside: usize,
}

impl Progress {
    /// Number of trainings that count for the horizon.
    pub(super) fn done(&self) -> usize {
        self.trained.len() + self.failures
    }
}

/// Control of a training.
#[derive(Debug, Clone)]
pub(super) enum Place {
    /// One of those to choose from.
    Listed(usize),
    /// Any other, of a training from elsewhere: the only one of these controls.
    Own(Arc<Controls>),
}

/// Distance from a listed control below which a training is one of that control.
const SAME: f64 = 1e-9;

impl AutoBct {
    /// Expected score of what was trained at a control.
    pub(super) fn score_at(&self, progress: &Progress, place: &Place) -> f64 {
        let (controls, control) = self.listed(place);
        progress.state.score_at(controls, control)
    }

    /// Variance of that score, without noise.
    pub(super) fn score_variance_at(&self, progress: &Progress, place: &Place) -> f64 {
        let (controls, control) = self.listed(place);
        progress.state.score_variance_at(controls, control)
    }

    /// A control among others.
    fn listed<'a>(&'a self, place: &'a Place) -> (&'a Controls, usize) {
        match place {
            Place::Listed(control) => (self.decision.controls(), *control),
            Place::Own(own) => (own, 0),
        }
    }

    /// The control of a trial: one of the grid, or its own.
    fn place(&self, trial: &Trial<Config>) -> Result<Place, OptimizerError> {
        let point = self.point(trial)?;
        if let Some(control) = self.control_at(&point) {
            return Ok(Place::Listed(control));
        }
        let [score, cost] = &self.bases;
        let own = Controls::new(PointsRef::single(&point), score, cost, |point| (self.noise_at)(point));
        let own = own.map_err(|error| {
            OptimizerError::failed(format!("describing the control of trial {}", trial.id.0), error)
        })?;
        Ok(Place::Own(Arc::new(own)))
    }

    /// The listed control at a point.
    fn control_at(&self, point: &[f64]) -> Option<usize> {
        let controls = self.decision.controls();
        let control = nearest(controls, point);
        let off = controls.points().row(control).iter().zip(point).map(|(a, b)| (a - b).abs());
        (off.fold(0.0, f64::max) <= SAME).then_some(control)
    }

    /// The beliefs after a history, and what was trained.
    pub(super) fn progress(&self, history: &History<Config>) -> Result<Progress, OptimizerError> {
        let mut progress = Progress {
            state: self.prior.clone(),
            last: None,
            trained: Vec::new(),
            failed: Vec::new(),
            failures: 0,
            spent: 0.0,
            outside: 0,
        };
        for (at, trial) in history.trials().iter().enumerate() {
            self.count(&mut progress, at, trial)?;
        }
        Ok(progress)
    }

    /// Learns from one trial.
    fn count(&self, progress: &mut Progress, at: usize, trial: &Trial<Config>) -> Result<(), OptimizerError> {
        let failed = |error: AutoBctError| {
            OptimizerError::failed(format!("learning from trial {}", trial.id.0), error)
        };
        let Some(outcome) = trial.outcome.as_ref() else { return Ok(()) };
        let Some(raw) = outcome.objective() else {
            if !outcome.is_unrelated() {
                progress.failures += 1;
                progress.failed.extend(self.control_at(&self.point(trial)?));
            }
            // A cost of 0 may have no logarithm; it adds nothing.
            let cost = outcome.cost().and_then(|cost| self.settings.cost.apply(cost).ok());
            progress.spent += cost.unwrap_or(0.0).max(0.0);
            return Ok(());
        };
        let place = self.place(trial)?;
        let cost = outcome.cost().ok_or_else(|| {
            failed(
                InputError::Number {
                    name: "the cost of a training",
                    value: f64::NAN,
                    expected: "a number told with the score",
                }
                .into(),
            )
        })?;
        if cost < 0.0 {
            let expected = "a number from 0";
            return Err(failed(
                InputError::Number { name: "the cost of a training", value: cost, expected }.into(),
            ));
        }
        let score = self.settings.score.apply(raw).map_err(failed)?;
        let cost = self.settings.cost.apply(cost).map_err(failed)?;
        let (controls, control) = self.listed(&place);
        progress.state.learn(controls, control, score, cost).map_err(failed)?;
        progress.outside += [score, cost].iter().filter(|value| !(0.0..=1.0).contains(*value)).count();
        progress.spent += cost.max(0.0);
        progress.last = Some((place.clone(), at));
        progress.trained.push((place, at));
        Ok(())
    }

    /// Refuses a training that could not be learnt from: without a cost, or with a value that its scale does not take.
    pub(super) fn require_usable(&self, measurement: &Measurement) -> Result<(), MeasurementProblem> {
        let unusable = |what: &str, value: String, expected: &str| {
            Err(MeasurementProblem::Unusable { what: what.into(), value, expected: expected.into() })
        };
        let Some(cost) = measurement.cost else {
            return unusable("cost", "missing".into(), "a number told with the score");
        };
        let AutoBctSettings { score, cost: of_cost, .. } = &self.settings;
        for (what, scale, value) in [("score", score, measurement.objectives[0]), ("cost", of_cost, cost)] {
            if scale.apply(value).is_err() {
                return unusable(what, value.to_string(), "a positive number, as its scale is logarithmic");
            }
        }
        Ok(())
    }

    /// The configuration of a trial in the unit cube.
    fn point(&self, trial: &Trial<Config>) -> Result<Vec<f64>, OptimizerError> {
        let point = self.space.encode(&trial.query);
        point.map_err(|error| OptimizerError::failed(format!("encoding trial {}", trial.id.0), error))
    }
}

/// The control that is nearest to a point, the first of equals.
fn nearest(controls: &Controls, point: &[f64]) -> usize {
    let distance = |control: usize| -> f64 {
        controls.points().row(control).iter().zip(point).map(|(a, b)| (a - b).powi(2)).sum()
    };
    (0..controls.len()).fold(0, |best, next| if distance(next) < distance(best) { next } else { best })
}

#[cfg(test)]
mod tests {
    use thrifty_domain::Points;
    use thrifty_linear::{Basis, Polynomial};

    use super::*;

    fn controls(points: &[[f64; 2]]) -> Controls {
        let basis = Polynomial::of_one(1, 0.5);
        let points = Points::from_rows(points).unwrap();
        let plane = Plane(basis);
        Controls::new(points.as_ref(), &plane, &plane, |_| crate::NoiseStdDev { score: 0.1, cost: 0.1 })
            .unwrap()
    }

    /// A polynomial of the first of two columns.
    struct Plane(Polynomial);

    impl Basis for Plane {
        fn dim(&self) -> usize {
            2
        }

        fn len(&self) -> usize {
            self.0.len()
        }

        fn eval_into(&self, x: &[f64], out: &mut [f64]) {
            self.0.eval_into(&x[..1], out);
        }

        fn name(&self) -> String {
            "a line across a plane".into()
        }
    }

    /// By Euclid's distance: 0.5 along one axis is nearer than 0.4 along both, and farther than 0.3 along both.
    #[test]
    fn the_nearest_control_is_so_by_euclid() {
        let both = controls(&[[0.4, 0.4], [0.5, 0.0]]);
        assert_eq!(nearest(&both, &[0.0, 0.0]), 1);
        let both = controls(&[[0.5, 0.0], [0.3, 0.3]]);
        assert_eq!(nearest(&both, &[0.0, 0.0]), 1);
        assert_eq!(nearest(&both, &[0.5, 0.1]), 0);
        // Of equals the first.
        let equal = controls(&[[0.9, 0.9], [0.2, 0.4], [0.4, 0.2]]);
        assert_eq!(nearest(&equal, &[0.0, 0.0]), 1);
        assert_eq!(nearest(&equal, &[0.3, 0.3]), 1);
    }
}
