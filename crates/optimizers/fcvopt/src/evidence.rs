use thrifty_cv::FoldQuery;
use thrifty_domain::Points;
use thrifty_gp::LARGEST_TARGET;
use thrifty_space::Space;
use thrifty_study::{History, OptimizerError};

use crate::{FractionalSettings, SettingError};

/// What a history says, in points of the unit cube and codes of folds: repeat times folds plus fold.
pub(crate) struct Evidence {
    /// Folds measured, with the index of their configuration among those evaluated.
    pub(crate) x: Points,
    pub(crate) folds: Vec<usize>,
    pub(crate) y: Vec<f64>,
    pub(crate) costs: Vec<Option<f64>>,
    pub(crate) of: Vec<usize>,
    /// Running ones.
    pub(crate) pending: Points,
    pub(crate) pending_folds: Vec<usize>,
    /// Configurations with a measured fold, each once, in the order of asking.
    pub(crate) evaluated: Points,
    /// Of each the trial that had it first.
    pub(crate) first: Vec<usize>,
    /// Configurations and folds asked, whatever came of them.
    pub(crate) asked: Vec<(Vec<f64>, usize)>,
    /// Those that gave no loss.
    pub(crate) failed: Vec<(Vec<f64>, usize)>,
}

impl Evidence {
    pub(crate) fn gather(
        space: &Space,
        settings: &FractionalSettings,
        history: &History<FoldQuery>,
    ) -> Result<Self, OptimizerError> {
        let points = || Points::new(space.dim());
        let mut evidence = Self {
            x: points(),
            folds: Vec::new(),
            y: Vec::new(),
            costs: Vec::new(),
            of: Vec::new(),
            pending: points(),
            pending_folds: Vec::new(),
            evaluated: points(),
            first: Vec::new(),
            asked: Vec::new(),
            failed: Vec::new(),
        };
        for (at, trial) in history.trials().iter().enumerate() {
            let named = || format!("encoding trial {}", trial.id.0);
            let FoldQuery { config, repeat, fold } = &trial.query;
            for (name, value, count) in
                [("fold", *fold, settings.folds), ("repeat", *repeat, settings.repeats)]
            {
                if value >= count {
                    let error =
                        SettingError { name, value: value as f64, expected: "the number of one there is" };
                    return Err(OptimizerError::failed(named(), error));
                }
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
                let known = evidence.evaluated.rows().position(|known| known == point.as_slice());
                evidence.of.push(known.unwrap_or(evidence.evaluated.len()));
                if known.is_none() {
                    evidence.evaluated.push(&point);
                    evidence.first.push(at);
                }
                evidence.x.push(&point);
                evidence.folds.push(code);
                // What a model cannot carry is as far out as what it can.
                evidence.y.push(loss.clamp(-LARGEST_TARGET, LARGEST_TARGET));
                evidence.costs.push(outcome.measurement().and_then(|measured| measured.cost));
            } else {
                evidence.failed.push((point, code));
            }
        }
        Ok(evidence)
    }

    /// Folds of the first repeat that were neither measured at a configuration nor are running there; nothing when one
    /// of them failed: its mean over all folds cannot be had.
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

    /// Mean over the folds of one repeat for a configuration of which all were measured; of several measurements of a
    /// fold the first.
    pub(crate) fn whole_mean(&self, configuration: usize, folds: usize) -> Option<f64> {
        let loss = |fold: usize| {
            let at = (0..self.y.len()).find(|i| self.of[*i] == configuration && self.folds[*i] == fold)?;
            Some(self.y[at])
        };
        let losses: Option<Vec<f64>> = (0..folds).map(loss).collect();
        losses.map(|losses| losses.iter().sum::<f64>() / folds as f64)
    }
}
