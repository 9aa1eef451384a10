use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use thrifty_acquisition::{Acquisition, AcquisitionError, KnowledgeGradient};
use thrifty_bo::{Candidate, design_changed, fingerprint};
use thrifty_cv::FoldQuery;
use thrifty_hgp::Hgp;
use thrifty_sampling::{Seed, Stream};
use thrifty_space::{Config, Space};
use thrifty_study::{
    Ask, Fingerprint, History, Memo, Optimizer, OptimizerError, StopReason, Suggestion, TrialId,
};
use thrifty_surrogate::Posterior;

use crate::belief::NOTES;
use crate::evidence::Evidence;
use crate::verification::{self, MissingFold, Verification};
use crate::{
    FoldAcquisition, FoldBelief, FoldKnowledge, FractionalRecommendation, FractionalSettings, Incumbent,
    InitialFolds, fold,
};

/// Fractional cross-validation.
///
/// An initial design with one fold each; then for each trial: fit the hierarchical process, maximise the acquisition on
/// the true loss, choose the fold, suggest. A pair that was asked before is not asked again while the
/// configuration has another fold; a configuration whose folds were all asked gives way to the next best.
///
/// Diagnostics of a suggestion: `acquisition`, `mean` and `deviation` of the target there, `remaining` (its variance once the
/// fold is known), `incumbent_mean`, and `max_expected_improvement`: by how much the fold is expected to lower the best
/// posterior mean, which is what [`NoImprovement`](thrifty_study::NoImprovement) reads. Recommends as [`Incumbent`] says.
///
/// With a [`budget`](field@FractionalSettings::budget) the last fits verify: as soon as the fits that are left are just enough,
/// the best configurations become finalists, once and for all, and their missing folds are evaluated. A finalist with a
/// fold that fails is replaced by the next best that the fits left can complete. The finalists stand in the memo of
/// every trial of the verification.
pub struct FractionalCv {
    space: Space,
    seed: Seed,
    settings: FractionalSettings,
    model: Hgp,
    request: Mutex<Option<Request>>,
}

/// A verification on demand: of the trials from this number to that one.
#[derive(Debug, Clone, Copy)]
struct Request {
    from: usize,
    end: usize,
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
        Ok(Self { space, seed, settings, model, request: Mutex::new(None) })
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

    /// Ends the search and spends at most `fits` more model fits on verification: the best configurations become
    /// finalists, and every further ask is for one of their missing folds until all are complete; then asks stop.
    /// Returns the missing folds, in the order in which they will be asked for as long as none fails; none when every
    /// finalist is complete already or nothing was measured.
    ///
    /// `history` is that of the study so far. The first trial of the verification records it, so that a study that is
    /// resumed from its journal goes on with it. Before that trial is asked, call this again after a resumption. A
    /// [`budget`](field@FractionalSettings::budget) of the settings still holds.
    ///
    /// ```
    /// use thrifty_cv::FoldQuery;
    /// use thrifty_fcvopt::FractionalCv;
    /// use thrifty_sampling::Seed;
    /// use thrifty_space::Space;
    /// use thrifty_study::{Next, Study};
    /// let space = Space::builder().float("x", 0.0, 1.0).build()?;
    /// let loss = |query: &FoldQuery| (query.config.float("x").unwrap_or(f64::NAN) - 0.3).powi(2) + 0.01 * query.fold as f64;
    /// let mut study = Study::new(FractionalCv::new(space, 3, Seed(1))?, Seed(1));
    /// for _ in 0..12 {
    ///     let Next::Evaluate(trial) = study.ask()? else { break };
    ///     study.tell(trial.id, loss(&trial.query))?;
    /// }
    /// study.optimizer().finish_verification(study.history(), 6)?;
    /// while let Next::Evaluate(trial) = study.ask()? {
    ///     study.tell(trial.id, loss(&trial.query))?;
    /// }
    /// assert!(study.recommend()?.is_some_and(|best| best.verified) && study.history().len() <= 18);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`FoldBelief::form`].
    pub fn finish_verification(
        &self,
        history: &History<FoldQuery>,
        fits: usize,
    ) -> Result<Vec<FoldQuery>, OptimizerError> {
        let end = history.len().saturating_add(fits);
        let request =
            Request { from: history.len(), end: self.settings.budget().map_or(end, |b| end.min(b)) };
        *self.request.lock().unwrap_or_else(PoisonError::into_inner) = Some(request);
        let id = TrialId(history.len() as u64);
        let left = match self.begun(history, id, &mut None)? {
            Some(verification) => {
                let evidence = Evidence::gather(&self.space, &self.settings, history)?;
                verification.missing(&self.space, self.settings.folds, &evidence, history)?
            }
            None => Vec::new(),
        };
        let query = |missing: MissingFold| {
            let config = history.trials()[missing.trial].query.config.clone();
            self.query(config, missing.fold)
        };
        Ok(left.into_iter().flatten().flatten().map(query).collect())
    }

    /// The verification that is under way or begins with this trial; `belief` is formed if that takes it.
    fn begun(
        &self,
        history: &History<FoldQuery>,
        id: TrialId,
        belief: &mut Option<FoldBelief>,
    ) -> Result<Option<Verification>, OptimizerError> {
        let request = *self.request.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(recorded) = Verification::recorded(history, request.map_or(0, |request| request.from)) {
            return Ok(Some(recorded));
        }
        let folds = self.settings.folds;
        let (plan, asked_for) = match (request, self.settings.verification()) {
            (Some(Request { end, .. }), _) => {
                let finalists = self.settings.finalists_or_default();
                (verification::VerificationPlan { finalists, end }, true)
            }
            // Without a fit of the model: so many fits are always enough.
            (None, Some(plan)) if history.len() + plan.finalists * folds >= plan.end => (plan, false),
            _ => return Ok(None),
        };
        let mut begun = Verification { finalists: Vec::new(), end: plan.end };
        *belief = self.belief(history, id)?;
        let Some(belief) = belief else { return Ok(asked_for.then_some(begun)) };
        let ranked = belief.ranked(self.settings.incumbent);
        let evidence = belief.evidence();
        if !asked_for && !verification::is_due(&self.settings, plan, &ranked, evidence, history.len()) {
            return Ok(None);
        }
        let fits = plan.end.saturating_sub(history.len());
        begun.recruit(&ranked, evidence, folds, plan.finalists, fits);
        Ok(Some(begun))
    }

    /// Stops, or verifies first where there is a budget for it.
    fn end_of_search(
        &self,
        reason: StopReason,
        belief: &FoldBelief,
        history: &History<FoldQuery>,
        id: TrialId,
    ) -> Result<Ask<FoldQuery>, OptimizerError> {
        let Some(plan) = self.settings.verification() else { return Ok(Ask::Stop(reason)) };
        let mut begun = Verification { finalists: Vec::new(), end: plan.end };
        let ranked = belief.ranked(self.settings.incumbent);
        let fits = plan.end.saturating_sub(history.len());
        begun.recruit(&ranked, belief.evidence(), self.settings.folds, plan.finalists, fits);
        Ok(match self.verify(begun, history, id)? {
            Ask::Stop(_) => Ask::Stop(reason),
            ask => ask,
        })
    }

    /// Whether verification has begun or was asked for, or the budget for it is spent.
    fn is_verifying(&self, history: &History<FoldQuery>) -> bool {
        self.request.lock().unwrap_or_else(PoisonError::into_inner).is_some()
            || self.settings.verification().is_some_and(|plan| history.len() >= plan.end)
            || Verification::recorded(history, 0).is_some()
    }

    /// The next trial of a verification, or its end.
    fn verify(
        &self,
        mut verification: Verification,
        history: &History<FoldQuery>,
        id: TrialId,
    ) -> Result<Ask<FoldQuery>, OptimizerError> {
        let fits = verification.end.saturating_sub(history.len());
        let folds = self.settings.folds;
        let evidence = Evidence::gather(&self.space, &self.settings, history)?;
        let mut states = verification.missing(&self.space, folds, &evidence, history)?;
        let lost = self.settings.finalists_or_default().saturating_sub(states.iter().flatten().count());
        let next = |states: &[Option<Vec<MissingFold>>]| states.iter().flatten().flatten().next().copied();
        if next(&states).is_none()
            && lost > 0
            && fits > 0
            && let Some(belief) = self.belief(history, id)?
        {
            verification.recruit(&belief.ranked(self.settings.incumbent), &evidence, folds, lost, fits);
            states = verification.missing(&self.space, folds, &evidence, history)?;
        }
        Ok(match next(&states) {
            Some(MissingFold { trial, fold }) if fits > 0 => {
                let query = self.query(history.trials()[trial].query.config.clone(), fold);
                Ask::Evaluate(Suggestion { query, diagnostics: BTreeMap::new(), memo: verification.memo() })
            }
            // A running fold may fail, and its configuration be replaced.
            _ if fits > 0 && history.pending().next().is_some() => Ask::Wait,
            _ => Ask::Stop(StopReason::Decided {
                message: "the finalists are verified as far as the model fits go".into(),
                numbers: [
                    ("finalists".to_owned(), states.iter().flatten().count() as f64),
                    ("model fits left".to_owned(), fits as f64),
                ]
                .into(),
            }),
        })
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
    type Recommendation = FractionalRecommendation;

    fn ask(&mut self, history: &History<FoldQuery>, id: TrialId) -> Result<Ask<FoldQuery>, OptimizerError> {
        if let Some(budget) = self.settings.budget()
            && history.len() >= budget
        {
            return Ok(Ask::Stop(StopReason::Trials(budget)));
        }
        let mut belief = None;
        if let Some(verification) = self.begun(history, id, &mut belief)? {
            return self.verify(verification, history, id);
        }
        let index = usize::try_from(id.0).unwrap_or(usize::MAX);
        // A design that has ended does not begin again when the study is planned longer.
        let modelled = history.trials().iter().any(|trial| trial.memo.0.contains_key(NOTES));
        let measured = history.measured().count();
        // What failed tells nothing, and what is running has told nothing yet.
        if !modelled && self.settings.initial.lasts(&self.space, self.settings.budget(), id.0, measured) {
            return Ok(Ask::Evaluate(self.initial(index)?));
        }
        let belief = match belief {
            Some(belief) => Some(belief),
            None => self.belief(history, id)?,
        };
        let Some(belief) = belief else { return Ok(Ask::Evaluate(self.initial(index)?)) };
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
            return self.end_of_search(StopReason::Exhausted, &belief, history, id);
        }
        let choice = match self.choose(&belief, candidates, threshold, id, &mut rng)? {
            Some(choice) => choice,
            None => match self.last_resort(&belief, &anchors, threshold, &mut rng)? {
                Ok(choice) => choice,
                Err(reason) => return self.end_of_search(reason, &belief, history, id),
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

    fn recommend(
        &mut self,
        history: &History<FoldQuery>,
    ) -> Result<Option<FractionalRecommendation>, OptimizerError> {
        let Some(belief) = self.belief(history, TrialId(history.len() as u64))? else { return Ok(None) };
        let evidence = belief.evidence();
        let measured = |i: usize| Some((evidence.whole_mean(i, self.settings.folds)?, evidence.first[i]));
        let recommended = |loss, verified, trial: usize| {
            let config = history.trials()[trial].query.config.clone();
            FractionalRecommendation { config, loss, verified }
        };
        // Before verification began a configuration that happens to be complete is not preferred to a better one.
        if self.is_verifying(history) {
            let complete = (0..evidence.evaluated.len()).filter_map(measured);
            if let Some((loss, trial)) = complete.min_by(|a, b| a.0.total_cmp(&b.0)) {
                return Ok(Some(recommended(loss, true, trial)));
            }
        }
        let ranked = belief.ranked(self.settings.incumbent);
        let Some(best) = ranked.first() else { return Ok(None) };
        let at = evidence.first.iter().position(|trial| *trial == best.trial);
        Ok(Some(match at.and_then(measured) {
            Some((loss, trial)) => recommended(loss, true, trial),
            None => recommended(best.mean, false, best.trial),
        }))
    }

    fn fingerprint(&self) -> Result<Fingerprint, OptimizerError> {
        let settings = FractionalSettings { budget: None, ..self.settings.clone() };
        let ours = fingerprint("fractional cross-validation", &settings, self.seed, &self.space)?;
        Ok(design_changed(ours.with_budget(self.settings.budget)))
    }
}
