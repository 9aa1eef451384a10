use thrifty_cv::FoldQuery;
use thrifty_domain::Points;
use thrifty_hgp::{Hgp, HgpPosterior};
use thrifty_sampling::Seed;
use thrifty_space::Space;
use thrifty_study::{History, OptimizerError, TrialId};
use thrifty_surrogate::Posterior;

use crate::FractionalSettings;

/// Under this name the hyperparameters stand in a trial's memo.
pub(crate) const NOTES: &str = "model";

/// What is believed before a suggestion: the hierarchical process of all folds measured, with running ones imagined to
/// give what it expects of them.
pub struct FoldBelief {
    posterior: HgpPosterior,
    /// Configurations with a measured fold, each once, in the order of asking.
    evaluated: Points,
    /// Of each the trial that had it first.
    first: Vec<usize>,
    /// Configurations and folds asked, whatever came of them.
    asked: Vec<(Vec<f64>, usize)>,
    observations: usize,
}

impl FoldBelief {
    /// Fits the process to the folds measured; nothing when there are none. Folds that failed tell nothing.
    ///
    /// # Errors
    /// [`OptimizerError`]: a query that is not of the space or of the folds, or a fit that fails.
    pub fn form(
        space: &Space,
        settings: &FractionalSettings,
        model: &Hgp,
        history: &History<FoldQuery>,
        seed: Seed,
        id: TrialId,
    ) -> Result<Option<Self>, OptimizerError> {
        let dim = space.dim();
        let (mut x, mut folds, mut y) = (Points::new(dim), Vec::new(), Vec::new());
        let (mut pending, mut pending_folds) = (Points::new(dim), Vec::new());
        let (mut evaluated, mut first, mut asked) = (Points::new(dim), Vec::new(), Vec::new());
        for (at, trial) in history.trials().iter().enumerate() {
            let named = || format!("encoding trial {}", trial.id.0);
            let FoldQuery { config, repeat, fold } = &trial.query;
            if *fold >= settings.folds || *repeat >= settings.repeats {
                let error = crate::SettingError {
                    name: if *fold >= settings.folds { "fold" } else { "repeat" },
                    value: if *fold >= settings.folds { *fold } else { *repeat },
                    expected: "one of those there are",
                };
                return Err(OptimizerError::failed(named(), error));
            }
            let point = space.encode(config).map_err(|error| OptimizerError::failed(named(), error))?;
            let code = repeat * settings.folds + fold;
            match &trial.outcome {
                None => {
                    pending.push(&point);
                    pending_folds.push(code);
                }
                Some(outcome) => {
                    if let Some(loss) = outcome.objective() {
                        if !evaluated.rows().any(|known| known == point.as_slice()) {
                            evaluated.push(&point);
                            first.push(at);
                        }
                        x.push(&point);
                        folds.push(code);
                        y.push(loss);
                    }
                }
            }
            asked.push((point, code));
        }
        if y.is_empty() {
            return Ok(None);
        }
        let fitting = |error| OptimizerError::failed(format!("fitting the model for trial {}", id.0), error);
        let notes = history.trials().iter().rev().find_map(|trial| trial.memo.0.get(NOTES));
        let model = notes.map_or_else(|| model.clone(), |notes| model.clone().warm_started(notes.clone()));
        let mut posterior =
            model.fit(x.as_ref(), &folds, &y, &mut seed.stream("fit", id.0)).map_err(fitting)?;
        for (point, fold) in pending.rows().zip(&pending_folds) {
            let lie = posterior.fold(*fold).predict(point).0;
            // A fold that is there already tells nothing new.
            if let Ok(next) =
                posterior.with_observations(thrifty_domain::PointsRef::single(point), &[*fold], &[lie])
            {
                posterior = next;
            }
        }
        Ok(Some(Self { posterior, evaluated, first, asked, observations: y.len() }))
    }

    /// The process.
    #[must_use]
    pub fn posterior(&self) -> &HgpPosterior {
        &self.posterior
    }

    /// Number of folds measured.
    #[must_use]
    pub fn observations(&self) -> usize {
        self.observations
    }

    /// Configurations with a measured fold, from the smallest posterior mean of the true loss to the largest: point,
    /// mean, and the trial that had it first.
    #[must_use]
    pub fn ranked(&self) -> Vec<(&[f64], f64, usize)> {
        let n = self.evaluated.len();
        let (mut mean, mut variance) = (vec![0.0; n], vec![0.0; n]);
        self.posterior.common().predict_into(self.evaluated.as_ref(), &mut mean, &mut variance);
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by(|a, b| mean[*a].total_cmp(&mean[*b]));
        order.into_iter().map(|i| (self.evaluated.row(i), mean[i], self.first[i])).collect()
    }

    /// Folds of a configuration that were not asked yet.
    #[must_use]
    pub fn new_folds(&self, x: &[f64], all: usize) -> Vec<usize> {
        let seen = |fold: &usize| self.asked.iter().any(|(point, asked)| asked == fold && point == x);
        (0..all).filter(|fold| !seen(fold)).collect()
    }
}
