use std::collections::BTreeMap;

use thrifty_bo::fingerprint;
use thrifty_cv::FoldQuery;
use thrifty_hgp::Hgp;
use thrifty_sampling::{Seed, Stream};
use thrifty_space::{Config, Space};
use thrifty_study::{Ask, History, Memo, Optimizer, OptimizerError, StopReason, Suggestion, TrialId};
use thrifty_surrogate::Posterior;

use crate::belief::NOTES;
use crate::{FoldBelief, FoldRule, FractionalSettings, InitialFolds};

/// Fractional cross-validation.
///
/// An initial design with one fold each; then for each trial: fit the hierarchical process, maximise the acquisition on
/// the true loss, choose the fold, suggest. A pair that was asked before is not asked again while the
/// configuration has another fold; a configuration whose folds were all asked gives way to the next best.
///
/// Diagnostics of a suggestion: `acquisition`, `mean` and `deviation` of the true loss there, `remaining` (its variance once the
/// fold is known), `incumbent_mean`. Recommends the evaluated configuration with the smallest posterior mean.
pub struct FractionalCv {
    space: Space,
    seed: Seed,
    settings: FractionalSettings,
    model: Hgp,
}

impl FractionalCv {
    /// With the paper's settings on so many folds.
    ///
    /// # Errors
    /// [`OptimizerError`] for fewer than two folds.
    pub fn new(space: Space, folds: usize, seed: Seed) -> Result<Self, OptimizerError> {
        Self::with_settings(space, FractionalSettings::new(folds), seed)
    }

    /// With other settings.
    ///
    /// # Errors
    /// [`OptimizerError`] names the setting that makes no sense.
    pub fn with_settings(
        space: Space,
        settings: FractionalSettings,
        seed: Seed,
    ) -> Result<Self, OptimizerError> {
        settings
            .validate()
            .map_err(|error| OptimizerError::failed("setting up fractional cross-validation", error))?;
        let model = Hgp::on_domain(space.domain());
        Ok(Self { space, seed, settings, model })
    }

    /// With another process.
    #[must_use]
    pub fn with_model(mut self, model: Hgp) -> Self {
        self.model = model;
        self
    }

    /// The settings.
    #[must_use]
    pub fn settings(&self) -> &FractionalSettings {
        &self.settings
    }

    /// The belief behind the next suggestion; nothing before a fold is measured.
    ///
    /// # Errors
    /// As [`FoldBelief::form`].
    pub fn belief(
        &self,
        history: &History<FoldQuery>,
        id: TrialId,
    ) -> Result<Option<FoldBelief>, OptimizerError> {
        FoldBelief::form(&self.space, &self.settings, &self.model, history, self.seed, id)
    }

    fn query(&self, config: Config, code: usize) -> FoldQuery {
        FoldQuery { config, repeat: code / self.settings.folds, fold: code % self.settings.folds }
    }

    fn initial(&self, index: usize) -> Result<Suggestion<FoldQuery>, OptimizerError> {
        let config = self.settings.initial.config(&self.space, self.seed, 0, index).map_err(|error| {
            OptimizerError::failed(format!("initial design, configuration {index}"), error)
        })?;
        // The first repeat alone: others come in as soon as the model asks for them.
        let folds = self.settings.folds;
        let code = match self.settings.initial_folds {
            InitialFolds::Random => self.seed.stream("initial fold", index as u64).index(folds),
            InitialFolds::Balanced => {
                let mut order: Vec<usize> = (0..folds).collect();
                self.seed.stream("fold order", (index / folds) as u64).shuffle(&mut order);
                order[index % folds]
            }
            InitialFolds::Two => index % 2,
        };
        Ok(Suggestion::new(self.query(config, code)))
    }

    /// The fold of a configuration, among those that were not asked there.
    fn fold(
        &self,
        belief: &FoldBelief,
        x: &[f64],
        new: &[usize],
        id: TrialId,
        rng: &mut Stream,
    ) -> Result<usize, OptimizerError> {
        Ok(match self.settings.fold {
            FoldRule::LeastVariance => belief.posterior().best_fold(x, new).map_err(|error| {
                OptimizerError::failed(format!("choosing the fold of trial {}", id.0), error)
            })?,
            FoldRule::Random => new[rng.index(new.len())],
            FoldRule::RoundRobin => {
                let wanted = (id.0 % self.settings.all_folds() as u64) as usize;
                new.iter().copied().find(|fold| *fold >= wanted).unwrap_or(new[0])
            }
        })
    }
}

impl Optimizer for FractionalCv {
    type Query = FoldQuery;
    type Recommendation = Config;

    fn ask(&mut self, history: &History<FoldQuery>, id: TrialId) -> Result<Ask<FoldQuery>, OptimizerError> {
        if history.len() < self.settings.initial.len(&self.space) {
            return Ok(Ask::Evaluate(self.initial(history.len())?));
        }
        let Some(belief) = self.belief(history, id)? else {
            return Ok(Ask::Evaluate(self.initial(history.len())?));
        };
        let common = belief.posterior().common();
        let ranked = belief.ranked();
        let incumbent = ranked.first().map_or(f64::INFINITY, |best| best.1);
        let rule = self.settings.rule;
        let acquisition = rule
            .on(&common, incumbent, belief.observations() + 1)
            .map_err(|error| OptimizerError::failed("building the acquisition", error))?;
        let anchors: Vec<&[f64]> = ranked.iter().map(|(point, ..)| *point).collect();
        let mut rng = self.seed.stream("acquisition", id.0);
        let candidates =
            self.settings.maximiser.candidates(self.space.domain(), &*acquisition, &anchors, &mut rng);
        let all = self.settings.all_folds();
        let open = candidates.into_iter().find_map(|candidate| {
            let new = belief.new_folds(&candidate.x, all);
            (!new.is_empty()).then_some((candidate, new))
        });
        let Some((chosen, new)) = open else { return Ok(Ask::Stop(StopReason::Exhausted)) };
        let code = self.fold(&belief, &chosen.x, &new, id, &mut rng)?;
        let (mean, variance) = common.predict(&chosen.x);
        let gains = belief
            .posterior()
            .fold_gains(&chosen.x, &[code])
            .map_err(|error| OptimizerError::failed(format!("choosing the fold of trial {}", id.0), error))?;
        let diagnostics = BTreeMap::from([
            ("acquisition".to_owned(), chosen.value),
            ("mean".to_owned(), mean),
            ("deviation".to_owned(), variance.sqrt()),
            ("remaining".to_owned(), gains[0].remaining),
            ("incumbent_mean".to_owned(), incumbent),
        ]);
        let memo = Memo([(NOTES.to_owned(), belief.posterior().process().hyperparameters())].into());
        let query = self.query(self.space.decode(&chosen.x), code);
        Ok(Ask::Evaluate(Suggestion { query, diagnostics, memo }))
    }

    fn recommend(&mut self, history: &History<FoldQuery>) -> Result<Option<Config>, OptimizerError> {
        let belief = self.belief(history, TrialId(history.len() as u64))?;
        Ok(belief.and_then(|belief| {
            belief.ranked().first().map(|best| history.trials()[best.2].query.config.clone())
        }))
    }

    fn fingerprint(&self) -> String {
        fingerprint("fractional cross-validation", &self.settings, self.seed, &self.space)
    }
}
