use thrifty_acquisition::{
    Acquisition, AcquisitionError, AcquisitionKind, Analytic, LogExpectedImprovement, Masked,
};
use thrifty_domain::Points;
use thrifty_pareto::{ExpectedHypervolumeImprovement, ReferenceOrigin, ReferencePoint};
use thrifty_sampling::Seed;
use thrifty_space::{Config, Space};
use thrifty_study::{Ask, Fingerprint, History, Optimizer, OptimizerError, StopReason, Suggestion, TrialId};
use thrifty_surrogate::{Observations, Posterior, Surrogate};

use super::belief::{Data, Fitter, Named, means};
use super::improvement::LogExpectedHypervolume;
use super::noisy::{LogNoisyExpectedHypervolume, UncertainFront};
use super::observed::{Observed, measurement};
use super::reference::{REFERENCE, reference_point};
use super::scalarisation::{augmented_chebyshev, chebyshev_noise_variance, normalised, ranges, weights};
use crate::first_feasible::LogFirstFeasible;
use crate::novelty::{Designer, first_new, points_of};
use crate::running::{improvement_over_draws, likely_feasible};
use crate::weights::{feasibilities, probability_feasible, weighted_logarithm};
use crate::{
    Allowed, Candidate, GpSurrogate, MultiObjectiveError, MultiObjectiveRule, MultiObjectiveSettings,
    ParetoMember, ParetoSet, design_changed, fingerprint, surrogate_fingerprint,
};

/// Bayesian optimisation of several losses at once.
///
/// An initial design, then for each trial: one model an objective and a constraint, an acquisition over the front that
/// was measured ([`MultiObjectiveRule`]), and its best point that was not asked before. What running trials may add to the
/// front, or to the best of a weighted sum, is drawn from the joint posterior; models without one imagine posterior means. While nothing feasible was measured and the reference point
/// is to be inferred, the probability of being feasible is all that counts.
///
/// The reference point is the chosen one, or it is inferred from the first feasible losses after the design and kept with
/// the trial, so that it never moves: [`ReferencePoint::inferred`], but beyond everything measured where the front has
/// no more points than objectives.
///
/// Diagnostics of a suggestion: `hypervolume` and `front`, what was measured dominates and by how many points; `acquisition`;
/// `probability_feasible` where there are constraints. Recommends the [`ParetoSet`].
///
/// ```
/// use thrifty_bo::MultiObjectiveOptimizer;
/// use thrifty_sampling::Seed;
/// use thrifty_space::{Config, Space};
/// use thrifty_study::{MaxTrials, Measurement, Study};
/// let space = Space::builder().float("x", -1.0, 2.0).build()?;
/// let mut study = Study::new(MultiObjectiveOptimizer::new(space, Seed(1)), Seed(1)).with_stop(MaxTrials(12));
/// study.run(|config: &Config, _| {
///     let x = config.float("x").unwrap_or(f64::NAN);
///     Measurement { objectives: vec![x * x, (x - 1.0).powi(2)], ..Measurement::default() }
/// })?;
/// // Every x between 0 and 1 is a compromise.
/// assert!(study.recommend()?.expect("measurements").members.len() >= 6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct MultiObjectiveOptimizer {
    space: Space,
    seed: Seed,
    settings: MultiObjectiveSettings,
    surrogate: Box<dyn Surrogate>,
    allowed: Option<Box<Allowed>>,
}

/// Draws of what running trials may give.
const PENDING_DRAWS: usize = 32;

/// What is known before a suggestion.
struct State<'a> {
    fitter: Fitter<'a>,
    observed: Observed,
    data: Data,
    feasible: Vec<usize>,
    reference: Option<ReferencePoint>,
}

impl MultiObjectiveOptimizer {
    /// An optimiser with Matérn-5/2 Gaussian processes and default settings.
    #[must_use]
    pub fn new(space: Space, seed: Seed) -> Self {
        let (settings, surrogate) = (MultiObjectiveSettings::default(), Box::new(GpSurrogate::default()));
        Self { space, seed, settings, surrogate, allowed: None }
    }

    /// Replaces the settings.
    ///
    /// # Errors
    /// [`OptimizerError::InvalidSetting`] names the setting that makes no sense.
    pub fn with_settings(mut self, settings: MultiObjectiveSettings) -> Result<Self, OptimizerError> {
        settings.validate()?;
        self.settings = settings;
        Ok(self)
    }

    /// Replaces the surrogate, the same for every objective and constraint.
    #[must_use]
    pub fn with_surrogate(mut self, surrogate: impl Surrogate + 'static) -> Self {
        self.surrogate = Box::new(surrogate);
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

    fn is_allowed(&self, x: &[f64]) -> bool {
        self.allowed.as_ref().is_none_or(|allowed| allowed(&self.space.decode(x)))
    }

    /// The settings.
    #[must_use]
    pub fn settings(&self) -> &MultiObjectiveSettings {
        &self.settings
    }

    /// The reference point that suggestions use after this history; nothing before something feasible was measured.
    ///
    /// # Errors
    /// [`OptimizerError`] for measurements of different shapes, or a reference point of another number of coordinates.
    pub fn reference(&self, history: &History<Config>) -> Result<Option<ReferencePoint>, OptimizerError> {
        let Some(observed) = Observed::of(&self.space, history)? else { return Ok(None) };
        let losses = observed.losses(&observed.feasible());
        reference_point(self.settings.reference.as_deref(), history, losses.as_ref())
    }

    fn state<'a>(
        &'a self,
        history: &'a History<Config>,
        id: TrialId,
    ) -> Result<Option<State<'a>>, OptimizerError> {
        let Some(observed) = Observed::of(&self.space, history)? else { return Ok(None) };
        let feasible = observed.feasible();
        let losses = observed.losses(&feasible);
        let reference = reference_point(self.settings.reference.as_deref(), history, losses.as_ref())?;
        let data = Data::of(&observed, &self.settings);
        let fitter = Fitter { space: &self.space, surrogate: &*self.surrogate, history, seed: self.seed, id };
        Ok(Some(State { fitter, observed, data, feasible, reference }))
    }

    fn rule(&self, objectives: usize) -> MultiObjectiveRule {
        match self.settings.rule {
            MultiObjectiveRule::Automatic if objectives <= 4 => MultiObjectiveRule::ExpectedHypervolume,
            MultiObjectiveRule::Automatic => MultiObjectiveRule::Chebyshev { augmentation: 0.05 },
            rule => rule,
        }
    }

    fn initial(&self, history: &History<Config>, id: TrialId) -> Result<Ask<Config>, OptimizerError> {
        let (design, space) = (&self.settings.initial, &self.space);
        let designer = Designer { design, space, seed: self.seed, run: 0, allowed: self.allowed.as_deref() };
        let config = designer.config(&points_of(space, history.trials())?, id)?;
        Ok(config.map_or(Ask::Stop(StopReason::Exhausted), |c| Ask::Evaluate(Suggestion::new(c))))
    }

    /// True if trial `id` belongs to the initial design.
    fn is_designed(&self, history: &History<Config>, id: TrialId) -> bool {
        let measured = history.trials().iter().filter(|trial| measurement(trial).is_some()).count();
        // A design that has ended does not begin again when the study is planned longer.
        let modelled = history.trials().iter().any(|trial| !trial.memo.0.is_empty());
        !modelled && self.settings.initial.lasts(&self.space, self.settings.budget, id.0, measured)
    }

    fn best(&self, state: &State<'_>, acquisition: &dyn Acquisition) -> Option<Candidate> {
        let State { observed, feasible, fitter, .. } = state;
        let mut rng = self.seed.stream("acquisition", fitter.id.0);
        // Some of the front, others for each trial, are what is looked around.
        let losses = observed.losses(feasible);
        let front = thrifty_pareto::non_dominated(losses.as_ref(), thrifty_pareto::Duplicates::First);
        let mut front = front.unwrap_or_default();
        rng.shuffle(&mut front);
        let anchors: Vec<&[f64]> = front.iter().map(|&i| observed.x.row(feasible[i])).collect();
        let domain = self.space.domain();
        let acquisition = Masked::new(acquisition, |x: &[f64]| self.is_allowed(x));
        let candidates = self.settings.maximiser.candidates(domain, &acquisition, &anchors, &mut rng);
        let is_new = |x: &[f64]| self.is_allowed(x) && observed.asked.rows().all(|asked| asked != x);
        first_new(domain, is_new, candidates, self.seed, fitter.id)
    }
}

impl State<'_> {
    /// The models that a rule needs of the objectives.
    fn objectives(&self, rule: MultiObjectiveRule) -> Result<Vec<Named>, OptimizerError> {
        let (data, pending) = (&self.data, &self.observed.pending);
        match rule {
            _ if self.reference.is_none() => Ok(Vec::new()),
            MultiObjectiveRule::Chebyshev { augmentation } => {
                let (y, noise) = self.scalarised(augmentation);
                let observations =
                    Observations { x: data.x.as_ref(), y: &y, noise_variance: noise.as_deref() };
                let model = self.fitter.fit("scalarisation".into(), observations)?;
                Ok(vec![if model.joint().is_ok() { model } else { model.with_fantasies(pending) }])
            }
            _ => {
                let models = self.fitter.fit_all(
                    "objective",
                    &data.x,
                    &data.objectives,
                    data.noise_variances.as_deref(),
                )?;
                // Joint beliefs say what running trials may give; others are told their means.
                let joint = models.iter().all(|model| model.joint().is_ok());
                Ok(if joint {
                    models
                } else {
                    models.into_iter().map(|m| m.with_fantasies(pending)).collect()
                })
            }
        }
    }

    /// One weighted sum of the losses at every point that is learnt from, and its noise variance where any was reported.
    fn scalarised(&self, augmentation: f64) -> (Vec<f64>, Option<Vec<f64>>) {
        let columns = normalised(&self.data.objectives);
        let mut rng = self.fitter.seed.stream("weights", self.fitter.id.0);
        let weights = weights(columns.len(), &mut rng);
        let row =
            |columns: &[Vec<f64>], i: usize| -> Vec<f64> { columns.iter().map(|column| column[i]).collect() };
        let sum = |i: usize| augmented_chebyshev(&weights, &row(&columns, i), augmentation);
        let noise_variances = self.data.noise_variances.as_ref().map(|noise| {
            let ranges = ranges(&self.data.objectives);
            let of = |i: usize| {
                chebyshev_noise_variance(&weights, &row(&columns, i), &row(noise, i), &ranges, augmentation)
            };
            (0..self.data.x.len()).map(of).collect()
        });
        ((0..self.data.x.len()).map(sum).collect(), noise_variances)
    }

    /// What makes a point worth evaluating, apart from constraints; nothing while nothing is feasible.
    fn acquisition<'m>(
        &self,
        rule: MultiObjectiveRule,
        models: &'m [Named],
        constraints: &[Named],
    ) -> Result<Option<Box<dyn Acquisition + 'm>>, OptimizerError> {
        let Some(reference) = &self.reference else { return Ok(None) };
        let reference = self.data.scaled(reference.values());
        let built = match (rule, models) {
            (MultiObjectiveRule::Chebyshev { augmentation }, [model]) => {
                let (sums, _) = self.scalarised(augmentation);
                let best = self.feasible.iter().map(|&i| sums[i]).min_by(f64::total_cmp);
                let Some(best) = best else { return Ok(None) };
                self.improvement(model, constraints, best).map_err(MultiObjectiveError::from)
            }
            (MultiObjectiveRule::NoisyExpectedHypervolume { draws }, _) => {
                self.noisy(draws, models, constraints, &reference)
            }
            _ => self.noiseless(models, constraints, &reference),
        };
        built.map(Some).map_err(|error| OptimizerError::failed("building the acquisition", error))
    }

    /// The probability of being the first feasible point beside running trials; nothing where there are none.
    fn first_feasible<'m>(
        &self,
        constraints: &'m [Named],
    ) -> Result<Option<Box<dyn Acquisition + 'm>>, OptimizerError> {
        let constraints: Vec<&'m dyn Posterior> = constraints.iter().map(Named::posterior).collect();
        let mut rng = self.fitter.seed.stream("draws", self.fitter.id.0);
        let first = LogFirstFeasible::new(&constraints, &self.observed.pending, PENDING_DRAWS, &mut rng)
            .map_err(|error| OptimizerError::failed("building the acquisition", error))?;
        Ok(first.map(|first| -> Box<dyn Acquisition + 'm> { Box::new(first) }))
    }

    /// Expected improvement of one weighted sum on the best measured, and on what running trials may give.
    fn improvement<'m>(
        &self,
        model: &'m Named,
        constraints: &[Named],
        best: f64,
    ) -> Result<Box<dyn Acquisition + 'm>, AcquisitionError> {
        let (posterior, running) = (model.posterior(), &self.observed.pending);
        let constraints: Vec<&dyn Posterior> = constraints.iter().map(Named::posterior).collect();
        let least = |losses: &[f64]| losses.iter().copied().fold(best, f64::min);
        if !running.is_empty() {
            let (rule, mut rng) =
                (AcquisitionKind::default(), self.fitter.seed.stream("draws", self.fitter.id.0));
            let drawn = (running, PENDING_DRAWS);
            if let Some(over) =
                improvement_over_draws(posterior, &rule, drawn, &constraints, least, &mut rng)?
            {
                return Ok(over);
            }
        }
        let likely = running.rows().zip(likely_feasible(running, &constraints)).filter(|(_, likely)| *likely);
        let threshold = least(&likely.map(|(x, _)| posterior.predict(x).0).collect::<Vec<f64>>());
        Ok(Box::new(Analytic::new(posterior, LogExpectedImprovement { threshold })))
    }

    /// Nothing on the front is known for certain.
    fn noisy<'m>(
        &self,
        draws: usize,
        models: &'m [Named],
        constraints: &[Named],
        reference: &[f64],
    ) -> Result<Box<dyn Acquisition + 'm>, MultiObjectiveError> {
        let mut baseline = self.observed.x.clone();
        self.observed.pending.rows().for_each(|point| baseline.push(point));
        let fixed = Points::new(self.observed.objectives);
        self.over_draws(draws, models, constraints, [&fixed, &baseline], reference)
    }

    /// What was measured is the front; what running trials may add is drawn.
    fn noiseless<'m>(
        &self,
        models: &'m [Named],
        constraints: &[Named],
        reference: &[f64],
    ) -> Result<Box<dyn Acquisition + 'm>, MultiObjectiveError> {
        let mut front = Points::new(self.observed.objectives);
        for &i in &self.feasible {
            front.push(&self.data.objectives.iter().map(|column| column[i]).collect::<Vec<f64>>());
        }
        let pending = &self.observed.pending;
        let joint = models.iter().chain(constraints).all(|model| model.joint().is_ok());
        if joint && !pending.is_empty() {
            return self.over_draws(PENDING_DRAWS, models, constraints, [&front, pending], reference);
        }
        let feasible: Vec<&dyn Posterior> = constraints.iter().map(Named::posterior).collect();
        let likely = likely_feasible(pending, &feasible);
        let means = means(models, pending);
        means.rows().zip(likely).filter(|(_, likely)| *likely).for_each(|(mean, _)| front.push(mean));
        let improvement = ExpectedHypervolumeImprovement::new(front.as_ref(), reference)?;
        let objectives = models.iter().map(Named::posterior).collect();
        Ok(Box::new(LogExpectedHypervolume { objectives, improvement }))
    }

    fn over_draws<'m>(
        &self,
        draws: usize,
        models: &'m [Named],
        constraints: &[Named],
        [fixed, baseline]: [&Points; 2],
        reference: &[f64],
    ) -> Result<Box<dyn Acquisition + 'm>, MultiObjectiveError> {
        let objectives = models.iter().map(Named::joint).collect::<Result<Vec<_>, _>>()?;
        let constraints = constraints.iter().map(Named::joint).collect::<Result<Vec<_>, _>>()?;
        let (fixed, baseline) = (fixed.as_ref(), baseline.as_ref());
        let front = UncertainFront { fixed, baseline, constraints: &constraints, reference };
        let mut rng = self.fitter.seed.stream("draws", self.fitter.id.0);
        Ok(Box::new(LogNoisyExpectedHypervolume::new(&objectives, front, draws, &mut rng)?))
    }

    /// Hypervolume and size of the front so far; nothing that would take long.
    fn progress(&self) -> Vec<(&'static str, f64)> {
        let losses = self.observed.losses(&self.feasible);
        let front = thrifty_pareto::non_dominated(losses.as_ref(), thrifty_pareto::Duplicates::First);
        let mut found = vec![("front", front.map_or(0.0, |front| front.len() as f64))];
        if let Some(reference) = &self.reference
            && let Ok(set) = ParetoSet::of(self.fitter.history)
            && let Ok(volume) = set.hypervolume(reference)
        {
            found.push(("hypervolume", volume));
        }
        found
    }
}

impl Optimizer for MultiObjectiveOptimizer {
    type Query = Config;
    type Recommendation = ParetoSet;

    fn ask(&mut self, history: &History<Config>, id: TrialId) -> Result<Ask<Config>, OptimizerError> {
        if self.is_designed(history, id) {
            return self.initial(history, id);
        }
        let Some(state) = self.state(history, id)? else { return self.initial(history, id) };
        let rule = self.rule(state.observed.objectives);
        let models = state.objectives(rule)?;
        let constraints = state.fitter.fit_all("constraint", &state.data.x, &state.data.constraints, None)?;
        let beliefs = || constraints.iter().map(Named::posterior);
        let utility = state.acquisition(rule, &models, &constraints)?;
        let first = if utility.is_none() { state.first_feasible(&constraints)? } else { None };
        let acquisition = match first {
            Some(first) => weighted_logarithm(Some(first), Vec::new()),
            None => weighted_logarithm(utility, feasibilities(beliefs())),
        };
        let Some(chosen) = self.best(&state, &acquisition) else {
            return Ok(Ask::Stop(StopReason::Exhausted));
        };
        let mut suggestion =
            Suggestion::new(self.space.decode(&chosen.x)).with_diagnostic("acquisition", chosen.value);
        for (name, value) in state.progress() {
            suggestion = suggestion.with_diagnostic(name, value);
        }
        if !constraints.is_empty() {
            let probability = probability_feasible(beliefs(), &chosen.x);
            suggestion = suggestion.with_diagnostic("probability_feasible", probability);
        }
        let memo = &mut suggestion.memo.0;
        for model in models.iter().chain(&constraints) {
            memo.insert(model.name.clone(), model.fitted.hyperparameters());
        }
        if let Some(reference) = state.reference.filter(|r| r.origin() == ReferenceOrigin::Inferred) {
            memo.insert(REFERENCE.into(), reference.values().to_vec());
        }
        Ok(Ask::Evaluate(suggestion))
    }

    fn recommend(&mut self, history: &History<Config>) -> Result<Option<ParetoSet>, OptimizerError> {
        let Some(state) = self.state(history, TrialId(history.len() as u64))? else { return Ok(None) };
        if state.feasible.is_empty() {
            return Ok(None);
        }
        let rule = self.rule(state.observed.objectives);
        if !matches!(rule, MultiObjectiveRule::NoisyExpectedHypervolume { .. }) {
            return ParetoSet::of(history).map(Some);
        }
        let means = means(&state.objectives(rule)?, &state.observed.x);
        let measured: Vec<_> = history.trials().iter().filter(|t| measurement(t).is_some()).collect();
        let member = |&i: &usize| {
            let scales = state.data.scales.iter().zip(means.row(i));
            let objectives = scales.map(|(scale, mean)| scale.invert(*mean)).collect();
            ParetoMember { trial: measured[i].id, config: measured[i].query.clone(), objectives }
        };
        let set = ParetoSet::among(state.feasible.iter().map(member).collect());
        set.map(Some).map_err(|error| OptimizerError::failed("finding the Pareto set", error))
    }

    fn fingerprint(&self) -> Result<Fingerprint, OptimizerError> {
        let settings = MultiObjectiveSettings { budget: None, ..self.settings.clone() };
        let ours = fingerprint("multi-objective optimisation", &settings, self.seed, &self.space)?;
        let ours = ours.with_budget(self.settings.budget).changed_since_format_one(
            "settings.rule",
            "draws of objectives that depend on each other",
            "independent draws of objectives",
        );
        Ok(design_changed(ours).around(surrogate_fingerprint(&*self.surrogate)?))
    }
}
