use std::collections::BTreeMap;

use thrifty_acquisition::{Acquisition, AcquisitionError, KnowledgeGradient};
use thrifty_bo::{Candidate, fingerprint};
use thrifty_cv::FoldQuery;
use thrifty_hgp::Hgp;
use thrifty_sampling::{Seed, Stream};
use thrifty_space::{Config, Space};
use thrifty_study::{Ask, History, Memo, Optimizer, OptimizerError, StopReason, Suggestion, TrialId};
use thrifty_surrogate::Posterior;

use crate::belief::NOTES;
use crate::verification::{self, Verification};
use crate::{FoldAcquisition, FoldBelief, FoldKnowledge, FractionalSettings, Incumbent, InitialFolds, fold};

/// Fractional cross-validation.
///
/// An initial design with one fold each; then for each trial: fit the hierarchical process, maximise the acquisition on
/// the true loss, choose the fold, suggest. A pair that was asked before is not asked again while the
/// configuration has another fold; a configuration whose folds were all asked gives way to the next best.
///
/// Diagnostics of a suggestion: `acquisition`, `mean` and `deviation` of the target there, `remaining` (its variance once the
/// fold is known), `incumbent_mean`, and `max_expected_improvement`: by how much the fold is expected to lower the best
/// posterior mean, which is what [`NoImprovement`](thrifty_study::NoImprovement) reads. Recommends as [`Incumbent`] says.
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
        let mut model = Hgp::on_domain(space.domain());
        if settings.repeats_differ {
            model = model
                .with_repeats(settings.folds)
                .map_err(|error| OptimizerError::failed("setting up fractional cross-validation", error))?;
        }
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

    /// The acquisition by which configurations are chosen.
    fn acquisition<'a>(
        &self,
        belief: &'a FoldBelief,
        incumbent: f64,
    ) -> Result<Box<dyn Acquisition + 'a>, AcquisitionError> {
        Ok(match self.settings.acquisition {
            FoldAcquisition::OfLoss(rule) => {
                rule.on(belief.target(), incumbent, belief.observations() + 1)?
            }
            FoldAcquisition::KnowledgeGradient => {
                let noise = belief.posterior().process().noise_variance();
                Box::new(KnowledgeGradient::new(belief.target(), belief.evaluated(), noise)?.logarithm())
            }
            FoldAcquisition::JointKnowledgeGradient => {
                Box::new(FoldKnowledge::new(belief, self.settings.folds, self.settings.repeats)?)
            }
        })
    }

    /// The first candidate with a fold that was not asked and, if that is asked for, is worth it: with that fold and by how much it is
    /// expected to lower the best mean.
    fn choose(
        &self,
        belief: &FoldBelief,
        candidates: Vec<Candidate>,
        threshold: f64,
        id: TrialId,
        rng: &mut Stream,
    ) -> Result<Option<Choice>, OptimizerError> {
        let all = self.settings.all_folds();
        let mut considered = 0;
        for candidate in candidates {
            let new = belief.new_folds(&candidate.x, all);
            if new.is_empty() {
                continue;
            }
            let code = fold::choose(&self.settings, belief, &candidate.x, &new, id, rng)?;
            let gain = FoldKnowledge::of_folds(belief, &[code])
                .map_err(|error| OptimizerError::failed("weighing a fold", error))?
                .gain(&candidate.x);
            if gain >= threshold {
                return Ok(Some(Choice { candidate, code, gain }));
            }
            considered += 1;
            if considered == CONSIDERED {
                break;
            }
        }
        Ok(None)
    }

    /// When no candidate is worth it: the pair that is worth the most, or the end.
    fn last_resort(
        &self,
        belief: &FoldBelief,
        anchors: &[&[f64]],
        threshold: f64,
        rng: &mut Stream,
    ) -> Result<Result<Choice, StopReason>, OptimizerError> {
        let knowledge = FoldKnowledge::new(belief, self.settings.folds, self.settings.repeats)
            .map_err(|error| OptimizerError::failed("building the acquisition", error))?;
        let candidates = self.settings.maximiser.candidates(self.space.domain(), &knowledge, anchors, rng);
        let mut expected = 0.0;
        for candidate in candidates.into_iter().take(CONSIDERED) {
            let new = belief.new_folds(&candidate.x, self.settings.all_folds());
            let options = FoldKnowledge::of_folds(belief, &new)
                .map_err(|error| OptimizerError::failed("building the acquisition", error))?;
            let Some((code, _)) = options.best(&candidate.x) else { continue };
            let gain = FoldKnowledge::of_folds(belief, &[code])
                .map_err(|error| OptimizerError::failed("weighing a fold", error))?
                .gain(&candidate.x);
            if gain >= threshold {
                return Ok(Ok(Choice { candidate, code, gain }));
            }
            expected = gain.max(expected);
        }
        Ok(Err(StopReason::NoImprovement { expected, threshold }))
    }
}

/// Candidates that are weighed before the most valuable pair is looked for.
const CONSIDERED: usize = 8;

/// What to measure.
struct Choice {
    candidate: Candidate,
    code: usize,
    /// By how much it is expected to lower the best mean.
    gain: f64,
}

impl Optimizer for FractionalCv {
    type Query = FoldQuery;
    type Recommendation = Config;

    fn ask(&mut self, history: &History<FoldQuery>, id: TrialId) -> Result<Ask<FoldQuery>, OptimizerError> {
        if history.len() < self.settings.initial.len(&self.space, None) {
            return Ok(Ask::Evaluate(self.initial(history.len())?));
        }
        let Some(belief) = self.belief(history, id)? else {
            return Ok(Ask::Evaluate(self.initial(history.len())?));
        };
        match Verification::next(&self.settings, &belief, history) {
            Verification::NotNow => {}
            Verification::Missing { trial, fold } => {
                let config = history.trials()[trial].query.config.clone();
                return Ok(Ask::Evaluate(Suggestion::new(self.query(config, fold))));
            }
            Verification::Spent { budget } => return Ok(Ask::Stop(StopReason::Trials(budget))),
        }
        let ranked = belief.ranked(Incumbent::BestMean);
        let incumbent = ranked.first().map_or(f64::INFINITY, |best| best.mean);
        let range = ranked.last().map_or(0.0, |worst| worst.mean - incumbent);
        let threshold = self.settings.worth * range;
        let anchors: Vec<&[f64]> = ranked.iter().map(|evaluated| evaluated.x).collect();
        let mut rng = self.seed.stream("acquisition", id.0);
        let candidates = {
            let acquisition = self
                .acquisition(&belief, incumbent)
                .map_err(|error| OptimizerError::failed("building the acquisition", error))?;
            self.settings.maximiser.candidates(self.space.domain(), &*acquisition, &anchors, &mut rng)
        };
        let exhausted =
            |candidate: &Candidate| belief.new_folds(&candidate.x, self.settings.all_folds()).is_empty();
        if candidates.iter().all(exhausted) {
            return Ok(Ask::Stop(StopReason::Exhausted));
        }
        let choice = match self.choose(&belief, candidates, threshold, id, &mut rng)? {
            Some(choice) => choice,
            None => match self.last_resort(&belief, &anchors, threshold, &mut rng)? {
                Ok(choice) => choice,
                Err(reason) => return Ok(Ask::Stop(reason)),
            },
        };
        let Choice { candidate: chosen, code, gain } = choice;
        let (mean, variance) = belief.target().predict(&chosen.x);
        let gains = belief
            .target()
            .fold_gains(&chosen.x, &[code])
            .map_err(|error| OptimizerError::failed(format!("choosing the fold of trial {}", id.0), error))?;
        let diagnostics = BTreeMap::from([
            ("acquisition".to_owned(), chosen.value),
            ("mean".to_owned(), mean),
            ("deviation".to_owned(), variance.sqrt()),
            ("remaining".to_owned(), gains[0].remaining),
            ("incumbent_mean".to_owned(), incumbent),
            ("max_expected_improvement".to_owned(), gain),
        ]);
        let memo = Memo([(NOTES.to_owned(), belief.posterior().process().hyperparameters())].into());
        let query = self.query(self.space.decode(&chosen.x), code);
        Ok(Ask::Evaluate(Suggestion { query, diagnostics, memo }))
    }

    fn recommend(&mut self, history: &History<FoldQuery>) -> Result<Option<Config>, OptimizerError> {
        let belief = self.belief(history, TrialId(history.len() as u64))?;
        let best = belief.and_then(|belief| verification::recommended(&self.settings, &belief));
        Ok(best.map(|trial| history.trials()[trial].query.config.clone()))
    }

    fn fingerprint(&self) -> String {
        fingerprint("fractional cross-validation", &self.settings, self.seed, &self.space)
    }
}
