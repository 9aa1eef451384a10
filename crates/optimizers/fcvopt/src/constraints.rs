//! Constraints that are measured on folds, and the probability that no fold fails.

use std::f64::consts::LN_2;

use thrifty_acquisition::{Acquisition, Analytic, LogFeasibility, Utility};
use thrifty_censored::{GpClassifier, Limits};
use thrifty_cv::FoldQuery;
use thrifty_hgp::{Component, Hgp, HgpError};
use thrifty_model_based::LastFit;
use thrifty_space::Space;
use thrifty_study::{History, Memo, OptimizerError, TrialId};
use thrifty_surrogate::{EarlierFit, FittedSurrogate, Observations, Posterior, fit_checked};

use crate::evidence::Evidence;
use crate::learning::{FoldData, Learning};
use crate::surrogate_state::target;
use crate::{FoldFailures, FractionalSettings};

/// Posteriors of the constraints. As for the loss, each is the mean over the folds or the true value. A further constraint is that a fold does not fail.
#[derive(Default)]
pub(crate) struct Constraints {
    targets: Vec<Component>,
    fits: Vec<LastFit>,
    /// Classifier of folds; `None` while none has failed.
    failure: Option<Box<dyn FittedSurrogate>>,
}

/// Logarithm of the weight by the probability P that a fold does not fail.
///
/// ```text
/// ln min(1, 2P)
/// ```
///
/// A configuration where a fold probably does not fail has its whole utility. With P itself as the weight, a search stays away from the border of
/// failures, also if the minimum is there. It also follows differences in P that are chance where folds fail by chance.
/// Source: `run fcvopt/failures`.
struct LogHardlyFails;

impl Utility for LogHardlyFails {
    fn value(&self, mean: f64, std_dev: f64) -> f64 {
        self.value_and_slopes(mean, std_dev).0
    }

    fn value_and_slopes(&self, mean: f64, std_dev: f64) -> (f64, f64, f64) {
        let (value, by_mean, by_std_dev) = FEASIBLE.value_and_slopes(mean, std_dev);
        let value = value + LN_2;
        if value < 0.0 { (value, by_mean, by_std_dev) } else { (0.0, 0.0, 0.0) }
    }
}

/// A constraint holds if it is not positive.
const FEASIBLE: LogFeasibility = LogFeasibility { threshold: 0.0 };

/// Memo name of the classifier of failures.
const FAILURE: &str = "failure";

/// Memo name of the process of a constraint.
fn name(index: usize) -> String {
    format!("constraint {index}")
}

impl Constraints {
    /// Fits one hierarchical process per constraint, by the same rule as the loss, with its own hyperparameters. If a fold has failed, it also fits
    /// a classifier of folds.
    ///
    /// # Errors
    /// [`OptimizerError`] names the constraint whose fit fails.
    pub(crate) fn learn(
        space: &Space,
        settings: &FractionalSettings,
        evidence: &Evidence,
        history: &History<FoldQuery>,
        learning: Learning,
        id: TrialId,
    ) -> Result<Self, OptimizerError> {
        let mut constraints = Self::default();
        for (j, values) in evidence.constraints.iter().enumerate() {
            let what = || format!("fitting the model of constraint {j} for trial {}", id.0);
            let failed = |error: HgpError| OptimizerError::failed(what(), error);
            let mut model = Hgp::on_domain(space.domain());
            if settings.repeats_differ {
                model = model
                    .with_repeats(settings.folds)
                    .map_err(|error| OptimizerError::failed(what(), error))?;
            }
            let data = FoldData {
                x: evidence.x.as_ref(),
                folds: &evidence.folds,
                y: values,
                noise_variances: &vec![0.0; values.len()],
                limits: Limits::default(),
            };
            let last = LastFit::of(&name(j), history.trials().iter());
            let mut rng = history.seed().child("fit", id.0).stream(&name(j), 0);
            let fit = learning.fit(&model, data, last, &mut rng).map_err(failed)?;
            constraints.targets.push(target(&fit.posterior, settings).map_err(failed)?);
            constraints.fits.push(fit.to_remember());
        }
        if settings.failures == FoldFailures::AsConstraint {
            constraints.failure = failure(space, evidence, history, id)?;
        }
        Ok(constraints)
    }

    /// Logarithms of the weights of a utility: of the probability that each constraint holds, and [`LogHardlyFails`] for failures. Constraints
    /// are treated as independent.
    pub(crate) fn log_weights(&self) -> Vec<Box<dyn Acquisition + '_>> {
        let measured =
            self.targets.iter().map(|target| boxed(Analytic::new(target as &dyn Posterior, FEASIBLE)));
        let failure =
            self.failure.iter().map(|fitted| boxed(Analytic::new(fitted.posterior(), LogHardlyFails)));
        measured.chain(failure).collect()
    }

    /// True if there is a constraint or a failure.
    pub(crate) fn any(&self) -> bool {
        !self.targets.is_empty() || self.failure.is_some()
    }

    /// Log probability that all constraints hold and a fold does not fail.
    pub(crate) fn log_probability(&self, x: &[f64]) -> f64 {
        let failure = self.failure.iter().map(|fitted| fitted.posterior());
        let posteriors = self.targets.iter().map(|target| target as &dyn Posterior).chain(failure);
        posteriors.map(|posterior| Analytic::new(posterior, FEASIBLE).value(x)).sum()
    }

    /// True if all constraints hold with a probability of at least one half.
    pub(crate) fn probably_hold(&self, x: &[f64]) -> bool {
        self.log_probability(x).exp() >= 0.5
    }

    /// Adds the hyperparameters to a memo.
    pub(crate) fn remember(&self, memo: &mut Memo) {
        self.fits.iter().enumerate().for_each(|(j, fit)| fit.remember(&name(j), memo));
        if let Some(fitted) = &self.failure {
            let (hyperparameters, learnt_from) = (fitted.hyperparameters(), fitted.learnt_from());
            LastFit { hyperparameters, learnt_from }.remember(FAILURE, memo);
        }
    }
}

/// Classifier of the folds at a configuration: those that fail, and the others. `None` while none has failed.
fn failure(
    space: &Space,
    evidence: &Evidence,
    history: &History<FoldQuery>,
    id: TrialId,
) -> Result<Option<Box<dyn FittedSurrogate>>, OptimizerError> {
    if evidence.failed.is_empty() {
        return Ok(None);
    }
    let data = Observations::new(evidence.ended.as_ref(), &evidence.classes);
    let last = LastFit::of(FAILURE, history.trials().iter());
    let earlier = last
        .as_ref()
        .map(|last| EarlierFit { hyperparameters: &last.hyperparameters, learnt_from: last.learnt_from });
    let mut rng = history.seed().child("fit", id.0).stream(FAILURE, 0);
    let fitted = fit_checked(&GpClassifier::default(), space.domain(), data, earlier, &mut rng);
    fitted.map(Some).map_err(|error| {
        OptimizerError::failed(format!("fitting the model of failures for trial {}", id.0), error)
    })
}

fn boxed<'a>(acquisition: impl Acquisition + 'a) -> Box<dyn Acquisition + 'a> {
    Box::new(acquisition)
}

#[cfg(test)]
mod tests {

    use thrifty_sampling::Seed;
    use thrifty_space::Config;
    use thrifty_study::{Measurement, MemoKey, Trial};

    use super::*;

    /// The weight is 1 from a probability of one half on; below it is twice the probability, with its slopes.
    #[test]
    fn what_probably_does_not_fail_has_its_whole_utility() {
        for (mean, std_dev) in [(-3.0, 1.0), (-1e-9, 2.0), (0.0, 1.0), (-1.0, 0.0), (-1e12, 1e-12)] {
            assert_eq!(LogHardlyFails.value_and_slopes(mean, std_dev), (0.0, 0.0, 0.0));
        }
        for (mean, std_dev) in [(1e-9, 1.0), (0.5, 1.0), (3.0, 0.7), (40.0, 1.0)] {
            let (value, by_mean, by_std_dev) = LogHardlyFails.value_and_slopes(mean, std_dev);
            let (log_probability, of_mean, of_std_dev) = FEASIBLE.value_and_slopes(mean, std_dev);
            assert!(value < 0.0 && (value - LN_2 - log_probability).abs() < 1e-12 * (1.0 + value.abs()));
            assert_eq!((by_mean, by_std_dev), (of_mean, of_std_dev));
        }
        // A probability of 0 is no number that counts.
        assert_eq!(LogHardlyFails.value(1.0, 0.0), f64::NEG_INFINITY);
    }

    /// A fit that starts at the end of an earlier one on the same data stays there; without it other random starts end a little elsewhere.
    #[test]
    fn fits_start_from_what_the_last_trial_remembers() {
        let space = Space::from_bounds(&[(0.0, 1.0)]).unwrap();
        let settings = FractionalSettings::new(2);
        let trial = |i: usize| {
            let x = (0.618 * i as f64).fract();
            let mut config = Config::new();
            config.insert("x0", x);
            let constraints = vec![(7.0 * x).sin() + 0.1 * (i % 2) as f64];
            Trial::new(
                TrialId(i as u64),
                FoldQuery { config, repeat: 0, fold: i % 2 },
                Some(Measurement { constraints, ..Measurement::from(x) }.into()),
            )
        };
        let mut trials: Vec<Trial<FoldQuery>> = (0..8).map(trial).collect();
        let learnt = |trials: &[Trial<FoldQuery>], id: u64| {
            let history = History::from_trials(trials.to_vec(), Seed(1));
            let evidence = Evidence::gather(&space, &settings, &history).unwrap();
            let learning = Learning::of(&settings, evidence.y.len(), TrialId(id));
            let learnt = Constraints::learn(&space, &settings, &evidence, &history, learning, TrialId(id));
            learnt.unwrap().fits.remove(0).hyperparameters
        };
        let earlier = learnt(&trials, 8);
        let moved = |found: &[f64]| found.iter().zip(&earlier).map(|(a, b)| (a - b).abs()).sum::<f64>();
        let anew = moved(&learnt(&trials, 9));
        // The last trial that remembers any counts.
        let key = MemoKey::named(name(0));
        trials[5].memo.set(&key, &earlier.iter().map(|value| 3.0 * value).collect());
        trials[6].memo.set(&key, &earlier);
        let warm = moved(&learnt(&trials, 9));
        assert!(warm < 1e-3 * anew, "{warm} and {anew}");
    }
}
