//! Beliefs after a history, and what was trained.

use thrifty_check::InputError;
use thrifty_space::Config;
use thrifty_study::{History, OptimizerError, Trial};

use super::AutoBct;
use crate::{AutoBctError, Controls, State};

/// State after a history.
pub(super) struct Progress {
    pub(super) state: State,
    /// Control of the last training that did not fail, and its trial.
    pub(super) last: Option<(usize, usize)>,
    /// Trained configurations.
    pub(super) trained: Vec<(usize, usize)>,
    pub(super) failed: Vec<usize>,
    pub(super) spent: f64,
    pub(super) outside: usize,
}

impl AutoBct {
    /// The beliefs after a history, and what was trained.
    pub(super) fn progress(&self, history: &History<Config>) -> Result<Progress, OptimizerError> {
        let mut progress = Progress {
            state: self.prior.clone(),
            last: None,
            trained: Vec::new(),
            failed: Vec::new(),
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
                progress.failed.push(self.control(trial)?);
            }
            // A cost of 0 may have no logarithm; it adds nothing.
            let cost = outcome.cost().and_then(|cost| self.settings.cost.apply(cost).ok());
            progress.spent += cost.unwrap_or(0.0).max(0.0);
            return Ok(());
        };
        let control = self.control(trial)?;
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
        progress.state.learn(self.decision.controls(), control, score, cost).map_err(failed)?;
        progress.outside += [score, cost].iter().filter(|value| !(0.0..=1.0).contains(*value)).count();
        progress.spent += cost.max(0.0);
        progress.last = Some((control, at));
        progress.trained.push((control, at));
        Ok(())
    }

    /// The control of a trial.
    fn control(&self, trial: &Trial<Config>) -> Result<usize, OptimizerError> {
        let point = self.space.encode(&trial.query);
        let point =
            point.map_err(|error| OptimizerError::failed(format!("encoding trial {}", trial.id.0), error))?;
        Ok(nearest(self.decision.controls(), &point))
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
