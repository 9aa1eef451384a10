use std::collections::BTreeMap;
use std::sync::Mutex;

use thrifty_acquisition::{
    Acquisition, AcquisitionError, AcquisitionFactory, Context, KnowledgeGradient, UtilityScale, ZeroLog,
    weigh,
};
use thrifty_bo::{
    Allowed, Candidate, Designer, acquisition_fingerprint, design_changed, fingerprint, reject_nan,
};
use thrifty_cv::FoldQuery;
use thrifty_hgp::Hgp;
use thrifty_sampling::Seed;
use thrifty_space::{Config, Space};
use thrifty_study::{
    Ask, Fingerprint, History, Memo, Optimizer, OptimizerError, StopReason, Suggestion, TrialId,
};
use thrifty_surrogate::Posterior;

use crate::choice::Choice;
use crate::evidence::Evidence;
use crate::surrogate_state::WARM_START;
use crate::{
    Evaluated, FoldAcquisition, FoldKnowledge, FoldSurrogateState, FractionalRecommendation,
    FractionalSettings, Incumbent, InitialFolds,
};

/// Fractional cross-validation.
///
/// An initial design with one fold each; then for each trial: fit the hierarchical process, maximise the acquisition on
/// the true loss, choose the fold, suggest. A pair that was asked before is not asked again while the
/// configuration has another fold; a configuration whose folds were all asked gives way to the next best.
///
/// Diagnostics of a suggestion: `acquisition`, `mean` and `std_dev` of the target there, `remaining` (its variance once the
/// fold is known), `incumbent_mean`, and `max_expected_improvement`: by how much the fold is expected to lower the best
/// posterior mean, which is what [`NoImprovement`](thrifty_study::NoImprovement) reads. Recommends as [`Incumbent`] says.
///
/// With a [`budget`](field@FractionalSettings::budget) the last fits verify: as soon as the fits that are left are just enough,
/// the best configurations become finalists, once and for all, and their missing folds are evaluated. A finalist with a
/// fold that fails is replaced by the next best that the fits left can complete. The finalists stand in the memo of
/// every trial of the verification.
pub struct FractionalCv {
    pub(crate) space: Space,
    seed: Seed,
    pub(crate) settings: FractionalSettings,
    model: Hgp,
    /// Instead of that of the settings.
    acquisition: Option<Box<dyn AcquisitionFactory>>,
    allowed: Option<Box<Allowed>>,
    pub(crate) request: Mutex<Option<Request>>,
}

/// A verification on demand: of the trials from this number to that one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Request {
    pub(crate) from: usize,
    pub(crate) end: usize,
}

impl FractionalCv {
    /// An optimiser with the paper's settings on so many folds.
    ///
    /// # Errors
    /// [`OptimizerError`] for fewer than two folds.
    pub fn new(space: Space, folds: usize, seed: Seed) -> Result<Self, OptimizerError> {
        Self::with_settings(space, FractionalSettings::new(folds), seed)
    }

    /// Replaces the settings.
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
        Ok(Self { space, seed, settings, model, acquisition: None, allowed: None, request: Mutex::new(None) })
    }

    /// Replaces the process.
    #[must_use]
    pub fn with_model(mut self, model: Hgp) -> Self {
        self.model = model;
        self
    }

    /// Sets an acquisition function of one's own on the posterior of the target, instead of the one that the settings name.
    #[must_use]
    pub fn with_acquisition(mut self, acquisition: impl AcquisitionFactory + 'static) -> Self {
        self.acquisition = Some(Box::new(acquisition));
        self
    }

    /// Adds a known constraint: only configurations for which `allowed` is true are suggested. Given configurations of an
    /// initial design are not checked. A resumed study needs the same constraint.
    #[must_use]
    pub fn with_known_constraint(
        mut self,
        allowed: impl Fn(&Config) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.allowed = Some(Box::new(allowed));
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
    /// As [`FoldSurrogateState::form`].
    pub fn belief(
        &self,
        history: &History<FoldQuery>,
        id: TrialId,
    ) -> Result<Option<FoldSurrogateState>, OptimizerError> {
        FoldSurrogateState::form(&self.space, &self.settings, &self.model, history, self.seed, id)
    }

    pub(crate) fn query(&self, config: Config, code: usize) -> FoldQuery {
        FoldQuery { config, repeat: code / self.settings.folds, fold: code % self.settings.folds }
    }

    /// The configuration and fold of the initial design for a trial, or nothing when every allowed pair was asked.
    fn initial(
        &self,
        history: &History<FoldQuery>,
        index: usize,
    ) -> Result<Option<Suggestion<FoldQuery>>, OptimizerError> {
        let failed = |error| OptimizerError::failed(format!("initial design, configuration {index}"), error);
        let config = match &self.allowed {
            None => self.settings.initial.config(&self.space, self.seed, 0, index).map_err(failed)?,
            Some(allowed) => {
                let (design, space) = (&self.settings.initial, &self.space);
                let designer = Designer { design, space, seed: self.seed, run: 0, allowed: Some(&**allowed) };
                let asked = Evidence::gather(space, &self.settings, history)?.configurations_asked();
                let Some(config) = designer.config(&asked, TrialId(index as u64))? else { return Ok(None) };
                config
            }
        };
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
        Ok(Some(Suggestion::new(self.query(config, code))))
    }

    fn designed(&self, history: &History<FoldQuery>, index: usize) -> Result<Ask<FoldQuery>, OptimizerError> {
        Ok(self.initial(history, index)?.map_or(Ask::Stop(StopReason::Exhausted), Ask::Evaluate))
    }

    /// The acquisition function, and the weights of cost and constraints.
    fn acquisition<'a>(
        &self,
        belief: &'a FoldSurrogateState,
        incumbent: &Evaluated<'a>,
        id: TrialId,
    ) -> Result<Box<dyn Acquisition + 'a>, AcquisitionError> {
        // Until something is probably feasible, to become so is all that counts.
        let feasible = belief.constraints().is_empty() || belief.probability_feasible(incumbent.x) >= 0.5;
        let target = belief.target();
        let (acquisition, scale, counts_cost): (Box<dyn Acquisition + 'a>, _, _) =
            match (&self.acquisition, self.settings.acquisition) {
                _ if !feasible => (Box::new(ZeroLog), UtilityScale::Log, false),
                (None, FoldAcquisition::KnowledgeGradient) => {
                    let noise = belief.posterior().process().noise_variance();
                    let gain = KnowledgeGradient::new(target, belief.evaluated(), noise)?.logarithm();
                    (Box::new(gain), UtilityScale::Log, false)
                }
                (None, FoldAcquisition::JointKnowledgeGradient) => {
                    let gain = FoldKnowledge::new(belief, self.settings.folds, self.settings.repeats)?;
                    (Box::new(gain), UtilityScale::Log, true)
                }
                (None, FoldAcquisition::OfLoss(kind)) => {
                    (self.on_target(&kind, belief, incumbent, id)?, kind.scale(), false)
                }
                (Some(own), _) => (self.on_target(&**own, belief, incumbent, id)?, own.scale(), false),
            };
        let constraints = belief.constraints().logarithms().map(boxed);
        let cost = belief.costs().log_inverse().filter(|_| !counts_cost).map(boxed);
        weigh(acquisition, scale, constraints.chain(cost).collect(), incumbent.x, belief.evaluated())
    }

    /// An acquisition function on the posterior of the target.
    fn on_target<'a>(
        &self,
        factory: &dyn AcquisitionFactory,
        belief: &'a FoldSurrogateState,
        incumbent: &Evaluated<'a>,
        id: TrialId,
    ) -> Result<Box<dyn Acquisition + 'a>, AcquisitionError> {
        factory.build(Context {
            posterior: belief.target(),
            target: incumbent.mean,
            t: belief.observations() + 1,
            domain: self.space.domain(),
            observed: belief.evaluated(),
            noise_variance: belief.posterior().process().noise_variance(),
            rng: &mut self.seed.stream("acquisition draws", id.0),
        })
    }

    pub(crate) fn is_allowed(&self, x: &[f64]) -> bool {
        self.allowed.as_ref().is_none_or(|allowed| allowed(&self.space.decode(x)))
    }
}

fn boxed<'a>(acquisition: impl Acquisition + 'a) -> Box<dyn Acquisition + 'a> {
    Box::new(acquisition)
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
        let modelled = history.trials().iter().any(|trial| trial.memo.0.contains_key(WARM_START));
        let measured = history.measured().count();
        // What failed tells nothing, and what is running has told nothing yet.
        if !modelled && self.settings.initial.lasts(&self.space, self.settings.budget(), id.0, measured) {
            return self.designed(history, index);
        }
        let belief = match belief {
            Some(belief) => Some(belief),
            None => self.belief(history, id)?,
        };
        let Some(belief) = belief else { return self.designed(history, index) };
        let ranked = belief.ranked(Incumbent::BestMean);
        let Some(best) = ranked.first() else { return self.designed(history, index) };
        let means = || ranked.iter().map(|evaluated| evaluated.mean);
        // The last need not be the worst: configurations that break a constraint come last.
        let range = means().fold(f64::NEG_INFINITY, f64::max) - means().fold(f64::INFINITY, f64::min);
        let incumbent = best.mean;
        let threshold = self.settings.worth * range;
        let anchors: Vec<&[f64]> = ranked.iter().map(|evaluated| evaluated.x).collect();
        let mut rng = self.seed.stream("acquisition", id.0);
        let candidates = {
            let acquisition = self
                .acquisition(&belief, best, id)
                .map_err(|error| OptimizerError::failed("building the acquisition", error))?;
            self.candidates(&*acquisition, &anchors, &mut rng)
        };
        if let Some(own) = &self.acquisition {
            reject_nan(&**own, &candidates, id)?;
        }
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
        let mut diagnostics = BTreeMap::from([
            ("acquisition".to_owned(), chosen.value),
            ("mean".to_owned(), mean),
            ("std_dev".to_owned(), variance.sqrt()),
            ("remaining".to_owned(), gains[0].remaining),
            ("incumbent_mean".to_owned(), incumbent),
            ("max_expected_improvement".to_owned(), gain),
            ("expected_gain".to_owned(), gain),
        ]);
        if let Some(cost) = belief.costs().expected(&chosen.x, code) {
            diagnostics.insert("expected_cost".to_owned(), cost);
        }
        let own = (WARM_START.to_owned(), belief.posterior().process().hyperparameters());
        let memo = Memo(std::iter::once(own).chain(belief.constraints().memo()).collect());
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
        let ours = match &self.acquisition {
            Some(own) => acquisition_fingerprint(ours, &**own)?,
            None => ours,
        };
        Ok(design_changed(ours.with_budget(self.settings.budget)))
    }
}
