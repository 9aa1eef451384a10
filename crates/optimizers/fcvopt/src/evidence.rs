//! Training data of fractional cross-validation.

use thrifty_censored::Limits;
use thrifty_check::{length, number};
use thrifty_cv::FoldQuery;
use thrifty_domain::Points;
use thrifty_model_based::carried;
use thrifty_space::Space;
use thrifty_study::{History, Measurement, OptimizerError, TrialId};

use crate::FractionalSettings;

/// A history as points of the unit cube and fold codes. The code of a fold is its repeat times the number of folds, plus the fold.
pub(crate) struct Evidence {
    /// Points of the measured folds, with the index of their configuration among those evaluated.
    pub(crate) x: Points,
    pub(crate) folds: Vec<usize>,
    pub(crate) y: Vec<f64>,
    /// Reported noise variances of the losses; 0 where none was reported.
    pub(crate) noise_variances: Vec<f64>,
    pub(crate) costs: Vec<Option<f64>>,
    /// Values of the constraints, one column per constraint.
    pub(crate) constraints: Vec<Vec<f64>>,
    pub(crate) of: Vec<usize>,
    /// Points of the running trials.
    pub(crate) pending: Points,
    pub(crate) pending_folds: Vec<usize>,
    /// Configurations with a measured fold, each once, in the order of asking.
    pub(crate) evaluated: Points,
    /// Index of the first trial of each evaluated configuration.
    pub(crate) first: Vec<usize>,
    /// Configurations and folds that were asked, whatever their outcome.
    pub(crate) asked: Vec<(Vec<f64>, usize)>,
    /// Configurations and folds that gave no loss, for a reason related to them.
    pub(crate) failed: Vec<(Vec<f64>, usize)>,
    /// Configurations of the folds that were measured or failed, in the order of asking; several are the same.
    pub(crate) ended: Points,
    /// 1 for each of them that failed, -1 for the others.
    pub(crate) classes: Vec<f64>,
}

impl Evidence {
    pub(crate) fn gather(
        space: &Space,
        settings: &FractionalSettings,
        history: &History<FoldQuery>,
    ) -> Result<Self, OptimizerError> {
        let mut evidence = Self::empty(space.dim());
        for (at, trial) in history.trials().iter().enumerate() {
            let named = || format!("encoding trial {}", trial.id.0);
            let FoldQuery { config, repeat, fold } = &trial.query;
            for (name, value, count) in
                [("fold", *fold, settings.folds), ("repeat", *repeat, settings.repeats)]
            {
                number(name, value as f64, value < count, "the number of one there is")
                    .map_err(|error| OptimizerError::failed(named(), error))?;
            }
            let point = space.encode(config).map_err(|error| OptimizerError::failed(named(), error))?;
            let code = repeat * settings.folds + fold;
            evidence.asked.push((point.clone(), code));
            let Some(outcome) = &trial.outcome else {
                evidence.pending.push(&point);
                evidence.pending_folds.push(code);
                continue;
            };
            if let Some(loss) = outcome.objective() {
                evidence.push_class(&point, false);
                evidence.push_measured(&point, code, loss, at);
                evidence.push_measurement(outcome.measurement(), trial.id)?;
            } else if !outcome.is_unrelated() {
                evidence.push_class(&point, true);
                evidence.failed.push((point, code));
            }
        }
        Ok(evidence)
    }

    fn push_class(&mut self, point: &[f64], has_failed: bool) {
        self.ended.push(point);
        self.classes.push(if has_failed { 1.0 } else { -1.0 });
    }

    fn empty(dim: usize) -> Self {
        let points = || Points::new(dim);
        Self {
            x: points(),
            folds: Vec::new(),
            y: Vec::new(),
            noise_variances: Vec::new(),
            costs: Vec::new(),
            constraints: Vec::new(),
            of: Vec::new(),
            pending: points(),
            pending_folds: Vec::new(),
            evaluated: points(),
            first: Vec::new(),
            asked: Vec::new(),
            failed: Vec::new(),
            ended: points(),
            classes: Vec::new(),
        }
    }

    /// Adds the loss of a fold; `at` is the index of the trial.
    fn push_measured(&mut self, point: &[f64], code: usize, loss: f64, at: usize) {
        let known = self.evaluated.rows().position(|known| known == point);
        self.of.push(known.unwrap_or(self.evaluated.len()));
        if known.is_none() {
            self.evaluated.push(point);
            self.first.push(at);
        }
        self.x.push(point);
        self.folds.push(code);
        self.y.push(carried(loss));
    }

    /// Adds noise variance, cost and constraints of the last added fold.
    ///
    /// # Errors
    /// As [`Evidence::push_constraints`].
    fn push_measurement(
        &mut self,
        measured: Option<&Measurement>,
        trial: TrialId,
    ) -> Result<(), OptimizerError> {
        let noise_variance = measured.and_then(|measured| measured.noise_variance).unwrap_or(0.0);
        self.noise_variances.push(carried(noise_variance));
        self.costs.push(measured.and_then(|measured| measured.cost));
        self.push_constraints(measured, trial)
    }

    /// # Errors
    /// [`OptimizerError`] names a trial with another number of constraints than the first.
    fn push_constraints(
        &mut self,
        measured: Option<&Measurement>,
        trial: TrialId,
    ) -> Result<(), OptimizerError> {
        let values = measured.map_or(&[][..], |measured| &measured.constraints);
        if self.y.len() == 1 {
            self.constraints = vec![Vec::new(); values.len()];
        }
        length("constraints", values.len(), self.constraints.len())
            .map_err(|error| OptimizerError::failed(format!("reading trial {}", trial.0), error))?;
        let columns = self.constraints.iter_mut().zip(values);
        columns.for_each(|(column, value)| column.push(carried(*value)));
        Ok(())
    }

    /// Folds, of `folds` over all repeats, that are neither measured at a configuration nor running there. `None` if one of them failed:
    /// the mean over all folds then cannot be measured.
    pub(crate) fn missing_folds(&self, x: &[f64], folds: usize) -> Option<Vec<usize>> {
        let is_among = |points: &Points, codes: &[usize], fold: usize| {
            points.rows().zip(codes).any(|(point, code)| *code == fold && point == x)
        };
        let mut missing = Vec::new();
        for fold in 0..folds {
            if is_among(&self.x, &self.folds, fold) || is_among(&self.pending, &self.pending_folds, fold) {
                continue;
            }
            if self.failed.iter().any(|(point, code)| *code == fold && point == x) {
                return None;
            }
            missing.push(fold);
        }
        Some(missing)
    }

    /// Mean over all `folds` of all repeats, for a configuration whose folds were all measured. If a fold was measured several times, the
    /// first measurement counts.
    pub(crate) fn whole_mean(&self, configuration: usize, folds: usize) -> Option<f64> {
        let loss = |fold: usize| {
            let at = (0..self.y.len()).find(|i| self.of[*i] == configuration && self.folds[*i] == fold)?;
            Some(self.y[at])
        };
        let losses: Option<Vec<f64>> = (0..folds).map(loss).collect();
        losses.map(|losses| losses.iter().sum::<f64>() / folds as f64)
    }

    /// True if a measured loss of a configuration is a bound; the mean over its folds is then not observed.
    pub(crate) fn is_censored(&self, configuration: usize, limits: Limits) -> bool {
        let of = |i: &usize| self.of[*i] == configuration;
        (0..self.y.len()).filter(of).any(|i| limits.censors(self.y[i]))
    }
}

#[cfg(test)]
mod tests {

    use thrifty_gp::LARGEST_TARGET;
    use thrifty_space::Config;
    use thrifty_study::{Outcome, Trial};

    use super::*;

    /// Configuration 0 at 0.1 with folds 0, 1, 2 (fold 1 twice), configuration 1 at 0.5 with folds 0 and 2; fold 1 there runs.
    /// Fold 2 failed at 0.9.
    fn evidence() -> Evidence {
        Evidence {
            x: Points::from_flat(vec![0.1, 0.5, 0.1, 0.1, 0.1, 0.5], 1),
            folds: vec![0, 0, 1, 1, 2, 2],
            y: vec![1.0, 9.0, 2.0, 50.0, 6.0, 7.0],
            noise_variances: vec![0.0; 6],
            costs: vec![None; 6],
            constraints: Vec::new(),
            of: vec![0, 1, 0, 0, 0, 1],
            pending: Points::from_flat(vec![0.5], 1),
            pending_folds: vec![1],
            evaluated: Points::from_flat(vec![0.1, 0.5], 1),
            first: vec![0, 1],
            asked: Vec::new(),
            failed: vec![(vec![0.9], 2)],
            ended: Points::new(1),
            classes: Vec::new(),
        }
    }

    /// The mean is over all folds and no others; a fold that was measured twice counts by its first loss.
    #[test]
    fn whole_means_are_of_all_folds_once() {
        let evidence = evidence();
        assert_eq!(evidence.whole_mean(0, 3), Some(3.0));
        assert_eq!(evidence.whole_mean(0, 2), Some(1.5));
        assert_eq!(evidence.whole_mean(0, 1), Some(1.0));
        assert_eq!(evidence.whole_mean(0, 4), None);
        assert_eq!((evidence.whole_mean(1, 3), evidence.whole_mean(1, 1)), (None, Some(9.0)));
    }

    #[test]
    fn a_configuration_is_censored_by_any_of_its_folds() {
        let evidence = evidence();
        let censored = |limits| [0, 1].map(|configuration| evidence.is_censored(configuration, limits));
        assert_eq!(censored(Limits::default()), [false, false]);
        assert_eq!(censored(Limits::above(1.0)), [true, false]);
        assert_eq!(censored(Limits::below(9.0)), [true, true]);
        assert_eq!(censored(Limits::below(50.0)), [true, false]);
        assert_eq!(censored(Limits { floor: Some(0.9), ceiling: Some(51.0) }), [false, false]);
    }

    #[test]
    fn folds_are_missing_that_are_neither_measured_nor_running() {
        let evidence = evidence();
        assert_eq!(evidence.missing_folds(&[0.1], 3), Some(vec![]));
        assert_eq!(evidence.missing_folds(&[0.1], 5), Some(vec![3, 4]));
        assert_eq!(evidence.missing_folds(&[0.5], 4), Some(vec![3]));
        assert_eq!(evidence.missing_folds(&[0.7], 2), Some(vec![0, 1]));
        // One that failed cannot be had, if it is among those asked for.
        assert_eq!(evidence.missing_folds(&[0.9], 3), None);
        assert_eq!(evidence.missing_folds(&[0.9], 2), Some(vec![0, 1]));
    }

    fn trial(x: f64, (repeat, fold): (usize, usize), outcome: Option<Outcome>) -> Trial<FoldQuery> {
        let mut config = Config::new();
        config.insert("x", x);
        Trial::new(TrialId(0), FoldQuery { config, repeat, fold }, outcome)
    }

    fn measured(loss: f64, noise: Option<f64>, cost: Option<f64>, constraints: &[f64]) -> Outcome {
        let (objectives, constraints) = (vec![loss], constraints.to_vec());
        Outcome::Measured(Measurement { objectives, constraints, cost, noise_variance: noise })
    }

    fn gathered(trials: Vec<Trial<FoldQuery>>) -> Result<Evidence, OptimizerError> {
        let space = Space::builder().float("x", 0.0, 2.0).build().unwrap();
        let settings = FractionalSettings { repeats: 2, ..FractionalSettings::new(3) };
        Evidence::gather(&space, &settings, &History::from_trials(trials, thrifty_sampling::Seed(0)))
    }

    #[test]
    fn a_history_is_read_trial_by_trial() {
        let evidence = gathered(vec![
            trial(0.4, (0, 1), None),
            trial(0.4, (1, 2), Some(measured(3.0, Some(0.5), Some(7.0), &[-1.0, 1e200]))),
            trial(1.0, (0, 0), Some(Outcome::failed("out of memory"))),
            trial(2.0, (1, 0), Some(measured(-1e300, None, None, &[2.0, -1e200]))),
            trial(1.0, (0, 1), Some(Outcome::unrelated("a machine went down"))),
            trial(0.4, (0, 2), Some(measured(1e300, Some(1e300), Some(9.0), &[0.0, 4.0]))),
        ])
        .unwrap();
        assert_eq!(evidence.x, Points::from_flat(vec![0.2, 1.0, 0.2], 1));
        assert_eq!((&evidence.folds[..], &evidence.of[..]), (&[5, 3, 2][..], &[0, 1, 0][..]));
        assert_eq!(evidence.y, [3.0, -LARGEST_TARGET, LARGEST_TARGET]);
        assert_eq!(evidence.noise_variances, [0.5, 0.0, LARGEST_TARGET]);
        assert_eq!(evidence.costs, [Some(7.0), None, Some(9.0)]);
        let largest = LARGEST_TARGET;
        assert_eq!(evidence.constraints, [vec![-1.0, 2.0, 0.0], vec![largest, -largest, 4.0]]);
        assert_eq!(evidence.pending, Points::from_flat(vec![0.2], 1));
        assert_eq!(evidence.pending_folds, [1]);
        assert_eq!(evidence.evaluated, Points::from_flat(vec![0.2, 1.0], 1));
        assert_eq!(evidence.first, [1, 3]);
        let asked: Vec<(f64, usize)> = evidence.asked.iter().map(|(x, code)| (x[0], *code)).collect();
        assert_eq!(asked, [(0.2, 1), (0.2, 5), (0.5, 0), (1.0, 3), (0.5, 1), (0.2, 2)]);
        assert_eq!(evidence.failed, [(vec![0.5], 0)]);
    }

    #[test]
    fn folds_that_there_are_not_and_other_constraints_are_named() {
        assert!(gathered(vec![trial(0.4, (1, 2), None)]).is_ok());
        for (repeat, fold, message) in [(0, 3, "fold is 3"), (2, 0, "repeat is 2")] {
            let error =
                gathered(vec![trial(0.4, (0, 0), None), trial(0.4, (repeat, fold), None)]).err().unwrap();
            let text = format!("{error} {:?}", std::error::Error::source(&error).map(ToString::to_string));
            assert!(text.contains("trial 1") && text.contains(message), "{text}");
        }
        let one = trial(0.4, (0, 0), Some(measured(1.0, None, None, &[0.5])));
        let none = trial(0.4, (0, 1), Some(measured(1.0, None, None, &[])));
        let failed = trial(0.4, (0, 2), Some(Outcome::failed("no")));
        assert!(gathered(vec![failed, one.clone(), one.clone()]).is_ok());
        for (trials, count) in [(vec![one.clone(), none.clone()], 0), (vec![none, one], 1)] {
            let error = gathered(trials).err().unwrap();
            let text = format!("{error} {:?}", std::error::Error::source(&error).map(ToString::to_string));
            assert!(
                text.contains("trial 1") && text.contains(&format!("{count} constraints, expected")),
                "{text}"
            );
        }
    }
}
