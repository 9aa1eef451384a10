//! Fractional cross-validation on a list: the configuration first, then the fold there.

use std::sync::Arc;

use thrifty_cv::FoldQuery;
use thrifty_fcvopt::FractionalCv;
use thrifty_model_based::{Candidate, ModelBased, Turn};
use thrifty_space::Config;
use thrifty_study::{Ask, Best, Fingerprint, History, Optimizer, OptimizerError, StopReason, TrialId};

use super::listed::{Listed, on_list};

/// Fractional cross-validation that asks the nearest configuration of a list with a new fold, and the fold that its rule
/// chooses there.
///
/// A rule weighs the folds of the configuration that is asked. Chosen for the suggestion, which is not on the list and is never
/// measured, the fold that is known best elsewhere stays the best one there: the suggestion comes again with the same fold, and configurations
/// that are ever farther stand in for it.
pub struct FoldLast {
    pub optimizer: FractionalCv,
    pub list: Arc<Listed>,
}

impl Optimizer for FoldLast {
    type Query = FoldQuery;
    type Recommendation = Best<Config>;

    fn ask(&mut self, history: &History<FoldQuery>, id: TrialId) -> Result<Ask<FoldQuery>, OptimizerError> {
        let folds = self.optimizer.settings().folds;
        let mut turn = match self.optimizer.turn(history, id)? {
            Turn::Modelled(turn) => turn,
            Turn::Decided(ask) => return on_list(&self.list, ask, history),
        };
        let suggestion = match turn.exploit(None)? {
            Ask::Evaluate(suggestion) => suggestion,
            other => return Ok(other),
        };
        let failed = |error| OptimizerError::failed("the nearest configuration", error);
        let asked = self.list.asked(history);
        let is_new = |place: usize| (0..folds).any(|fold| !asked.contains(&(place, fold)));
        let nearest = self.list.nearest(&suggestion.query.config, is_new).map_err(failed)?;
        let Some(place) = nearest else { return Ok(Ask::Stop(StopReason::Exhausted)) };
        // The value is not read: there is one candidate.
        let candidate = Candidate { x: self.list.point(place).to_vec(), value: 0.0 };
        let Some(mut suggestion) = turn.suggest(vec![candidate])? else {
            return Ok(Ask::Stop(StopReason::Exhausted));
        };
        suggestion.query.config = self.list.configs[place].clone();
        Ok(Ask::Evaluate(suggestion))
    }

    fn recommend(&mut self, history: &History<FoldQuery>) -> Result<Option<Best<Config>>, OptimizerError> {
        self.optimizer.recommend(history)
    }

    fn fingerprint(&self) -> Result<Fingerprint, OptimizerError> {
        let ours =
            Fingerprint::new("fold last on a list").with("configurations", &self.list.configs.len())?;
        Ok(ours.around(self.optimizer.fingerprint()?))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use thrifty_fcvopt::{FoldRule, FractionalSettings};
    use thrifty_sampling::Seed;
    use thrifty_space::Space;
    use thrifty_study::{Next, Outcome, Study, Trial};

    use super::*;
    use crate::fcvopt::any::Any;

    const FOLDS: usize = 4;

    fn list() -> Arc<Listed> {
        let space = Space::builder().float("x", 0.0, 1.0).float("y", 0.0, 1.0).build().unwrap();
        let mut first = Config::new();
        first.insert("x", 0.5);
        first.insert("y", 0.5);
        Arc::new(Listed::sobol(space, first, 40, Seed(3)).unwrap())
    }

    /// Folds that differ by a smooth function, as those of a learner do.
    fn loss(query: &FoldQuery) -> f64 {
        let [x, y] = ["x", "y"].map(|name| query.config.float(name).unwrap_or(f64::NAN));
        let fold = query.fold as f64;
        (x - 0.3).powi(2) + (y - 0.6).powi(2) + 0.05 * (fold + x).sin()
    }

    fn run(make: impl Fn(FractionalCv) -> Any, fold: FoldRule, fits: usize) -> Vec<Trial<FoldQuery>> {
        let list = list();
        let settings = FractionalSettings { fold, ..FractionalSettings::new(FOLDS) };
        let cv = FractionalCv::new(list.space.clone(), FOLDS).unwrap().with_settings(settings).unwrap();
        let mut study = Study::new(make(cv).on_list(list), Seed(1));
        for _ in 0..fits {
            let Next::Evaluate(trial) = study.ask().unwrap() else { break };
            study.tell(trial.id, Outcome::from(loss(&trial.query))).unwrap();
        }
        study.history().trials().to_vec()
    }

    /// The most that a fold was asked, of all fits.
    fn largest_share(trials: &[Trial<FoldQuery>]) -> f64 {
        let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
        trials.iter().for_each(|trial| *counts.entry(trial.query.fold).or_default() += 1);
        *counts.values().max().unwrap() as f64 / trials.len() as f64
    }

    /// The fold that leaves the least variance of the mean over the folds at the very configuration that is asked, by the model of that
    /// moment; no pair twice, and all of them in the end.
    #[test]
    fn the_fold_is_chosen_at_the_configuration_that_is_asked() {
        let list = list();
        let trials = run(Any::fractional, FoldRule::LeastVariance, 30);
        let cv = FractionalCv::new(list.space.clone(), FOLDS).unwrap();
        let mut modelled = 0;
        for at in 0..trials.len() {
            let history = History::from_trials(trials[..at].to_vec(), Seed(1));
            let FoldQuery { config, fold, .. } = &trials[at].query;
            let place = list.place(config).unwrap();
            let asked = list.asked(&history);
            assert!(!asked.contains(&(place, *fold)), "trial {at}");
            if !trials[at].diagnostics.contains_key("remaining") {
                continue;
            }
            let new: Vec<usize> = (0..FOLDS).filter(|fold| !asked.contains(&(place, *fold))).collect();
            let state = cv.state(&history, TrialId(at as u64)).unwrap().unwrap();
            let gains = state.target().fold_gains(list.point(place), &new).unwrap();
            let least = gains.iter().map(|gain| gain.remaining).fold(f64::INFINITY, f64::min);
            let own = gains.iter().find(|gain| gain.fold == *fold).unwrap().remaining;
            assert!(own <= least * (1.0 + 1e-9) + 1e-15, "trial {at}: {own} instead of {least}");
            modelled += 1;
        }
        assert!(modelled > 15);
        assert_eq!(run(Any::fractional, FoldRule::Random, 200).len(), 40 * FOLDS);
    }

    /// One fold takes most of the fits under the fold of the suggestion; none does under that of the configuration.
    #[test]
    fn a_fold_that_is_chosen_first_is_asked_nearly_alone() {
        let of = |make: fn(FractionalCv) -> Any| largest_share(&run(make, FoldRule::LeastVariance, 40));
        let (last, first) = (of(Any::fractional), of(|cv| Any::fractional(cv).with_fold_first()));
        assert!(last < 0.4 && first > last + 0.1, "{last} {first}");
    }
}
