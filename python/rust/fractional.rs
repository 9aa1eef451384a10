//! Fractional cross-validation, asked and told fold by fold.

use std::path::{Path, PathBuf};

use pyo3::prelude::*;
use thrifty::cv::FoldQuery;
use thrifty::fcvopt::{FoldAcquisition, FractionalCv, FractionalSettings};
use thrifty::sampling::Seed;
use thrifty::space::Space;
use thrifty::study::{Direction, Directions, History, Next, Outcome, Trial, TrialId, WorthItsCost};

use crate::boundary::{Shared, guarded, invalid, optimizer as refused, study as refused_study};
use crate::method::Keywords;
use crate::outcome::Told;
use crate::values::{Numbers, numbers, space};

struct Inner {
    space: Space,
    study: thrifty::study::Study<FractionalCv>,
}

/// Settings with losses, from those with scores: censoring limits and a fixed target. The floor of scores is the ceiling of losses.
fn for_losses(mut settings: FractionalSettings) -> FractionalSettings {
    let flip = |score: f64| Direction::Maximize.flip(score);
    if let FoldAcquisition::OfLoss(rule) = &mut settings.acquisition
        && let Some(target) = rule.fixed_target_mut()
    {
        *target = flip(*target);
    }
    let limits = &mut settings.limits;
    (limits.floor, limits.ceiling) = (limits.ceiling.map(flip), limits.floor.map(flip));
    settings
}

/// Directions of scores: the larger the better.
fn of_scores() -> Directions {
    Directions::new(vec![Direction::Maximize])
}

/// Directions that a journal names: those of scores, or none in a journal of an earlier version, which goes on without them.
fn directions_in(journal: Option<&Path>) -> Directions {
    let history = journal.and_then(|path| History::<FoldQuery>::read(path).ok());
    history
        .filter(|history| !history.is_empty())
        .map_or_else(of_scores, |history| history.directions().clone())
}

/// A study of fractional cross-validation. It is told scores, and values of objectives among its settings are scores.
#[pyclass(frozen, module = "thrifty._thrifty")]
pub(crate) struct Fractional {
    inner: Shared<Inner>,
}

/// A fold to evaluate: trial, values, repeat and fold.
type Asked = (u64, Numbers, usize, usize);

#[pymethods]
impl Fractional {
    #[new]
    #[pyo3(signature = (space_json, folds, seed, settings_json=None, journal=None, price=None))]
    fn new(
        py: Python<'_>,
        space_json: &str,
        folds: usize,
        seed: u64,
        settings_json: Option<&str>,
        journal: Option<PathBuf>,
        price: Option<f64>,
    ) -> PyResult<Self> {
        guarded(py, || {
            let space = space(space_json)?;
            let settings: FractionalSettings = Keywords::read("fractional", settings_json)?
                .settings_over(&FractionalSettings::new(folds))?;
            let settings = for_losses(settings);
            // Two folds at least: the settings have the message for fewer.
            let optimizer = FractionalCv::new(space.clone(), folds.max(2)).map_err(refused)?;
            // Whatever else fails here is a setting.
            let optimizer = optimizer.with_settings(settings).map_err(invalid)?;
            let mut study = thrifty::study::Study::new(optimizer, Seed(seed))
                .with_directions(directions_in(journal.as_deref()));
            if let Some(price) = price {
                study = study.with_stop(WorthItsCost::new(price));
            }
            if let Some(path) = journal {
                study = study.with_journal(path).map_err(refused_study)?;
            }
            Ok(Self { inner: Shared::new(Inner { space, study }) })
        })
    }

    /// The next fold; none when the budget is spent, nothing is left, or running ones have to end first.
    fn ask(&self, py: Python<'_>) -> PyResult<Option<Asked>> {
        self.inner.with(py, |Inner { space, study }| {
            Ok(match study.ask().map_err(refused_study)? {
                Next::Evaluate(trial) => {
                    let FoldQuery { config, repeat, fold } = &trial.query;
                    Some((trial.id.0, numbers(space, config), *repeat, *fold))
                }
                Next::Wait | Next::Stop(_) => None,
            })
        })
    }

    fn tell(&self, py: Python<'_>, trial: u64, told: Told) -> PyResult<()> {
        self.inner.with(py, |Inner { study, .. }| {
            let outcome = told.outcome(&of_scores())?;
            let outcome = outcome.ok_or_else(|| invalid("a trial that runs was not evaluated"))?;
            study.tell(TrialId(trial), outcome).map_err(refused_study)
        })
    }

    /// Folds that were asked before, in order: what [`Fractional::ask`] gave, then state and loss.
    fn asked(&self, py: Python<'_>) -> PyResult<Vec<(Asked, &'static str, Option<f64>)>> {
        self.inner.with(py, |Inner { space, study }| {
            let fold = |trial: &Trial<FoldQuery>| {
                let FoldQuery { config, repeat, fold } = &trial.query;
                let outcome = trial.outcome.as_ref();
                let asked = (trial.id.0, numbers(space, config), *repeat, *fold);
                (asked, trial.state(), outcome.and_then(Outcome::objective))
            };
            Ok(study.history().trials().iter().map(fold).collect())
        })
    }

    /// True if another fold is not worth its price.
    fn is_dear(&self, py: Python<'_>) -> PyResult<bool> {
        self.inner.with(py, |Inner { study, .. }| Ok(study.check_stop().is_some()))
    }

    /// Ends the search: the next asks are for missing folds of the best configurations, at most this many.
    fn verify(&self, py: Python<'_>, fits: usize) -> PyResult<()> {
        self.inner.with(py, |Inner { study, .. }| {
            study.optimizer().finish_verification(study.history(), fits).map(drop).map_err(refused)
        })
    }

    /// True if an end of the search was asked for, and a trial of it is in the history.
    fn is_finishing(&self, py: Python<'_>) -> PyResult<bool> {
        self.inner.with(py, |Inner { study, .. }| Ok(FractionalCv::is_finishing(study.history())))
    }

    /// The recommended configuration, its loss, and whether that was measured on every fold.
    fn recommend(&self, py: Python<'_>) -> PyResult<Option<(Numbers, f64, bool)>> {
        self.inner.with(py, |Inner { space, study }| {
            let best = study.recommend().map_err(refused_study)?;
            Ok(best.map(|best| (numbers(space, &best.config), best.value, best.is_observed())))
        })
    }

    /// Posterior mean and standard deviation of the mean loss at every configuration, with the first of its measured trials.
    fn evaluated(&self, py: Python<'_>) -> PyResult<Vec<(usize, f64, f64)>> {
        self.inner.with(py, |Inner { study, .. }| {
            let (history, optimizer) = (study.history(), study.optimizer());
            let state = optimizer.state(history, TrialId(history.len() as u64)).map_err(refused)?;
            let incumbent = optimizer.settings().incumbent;
            Ok(state.map_or_else(Vec::new, |state| {
                state.ranked(incumbent).iter().map(|e| (e.trial, e.mean, e.std_dev)).collect()
            }))
        })
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        self.inner.with(py, |Inner { study, .. }| Ok(study.history().len()))
    }
}
