//! Bayesian optimisation of several objectives.

use thrifty_domain::Points;
use thrifty_model_based::{
    Asked, Designer, FailurePolicy, GpSurrogate, ModelBased, OutputFitter, ParetoMember, ParetoSet,
    PlannedTrials, Repeats, Scale, Turn, ask_given, check_config, design_changed, ended_without_loss,
    fingerprint, measurement, random_points, surrogate_fingerprint,
};
use thrifty_pareto::ReferencePoint;
use thrifty_space::{Config, KnownConstraint, Space};
use thrifty_study::{
    Ask, Fingerprint, History, Measurement, MeasurementProblem, Optimizer, OptimizerError, StopReason,
    Suggestion, TrialId,
};
use thrifty_surrogate::{Observations, Surrogate};

use super::data::{Data, means};
use super::observed::Observed;
use super::reference::reference_point;
use super::state::State;
use super::turn::MultiTurn;
use crate::{MultiObjectiveError, MultiObjectiveRule, MultiObjectiveSettings};

/// Bayesian optimisation of several objectives.
///
/// It starts with an initial design. Then, for each trial, it fits one surrogate per objective and per constraint. It builds an acquisition
/// function over the measured front ([`MultiObjectiveRule`]) and suggests its best point that was not asked before. Running trials enter by
/// draws of the joint posterior; surrogates without one get fantasies at posterior means. While no feasible point was measured and the
/// reference point must be inferred, only the probability of being feasible counts.
///
/// The reference point is the given one, or is inferred from the first feasible losses after the design. An inferred one is kept in the
/// memo of the trial, so it does not change later. It is [`ReferencePoint::inferred`]. If the feasible front has no more points than
/// objectives, it is instead beyond everything measured, feasible or not.
///
/// Diagnostics of a suggestion: `hypervolume` and `front`, the dominated volume and the number of points of the measured front;
/// `acquisition`; and `probability_feasible` where there are constraints.
/// Recommends the [`ParetoSet`]: of posterior means under [`MultiObjectiveRule::NoisyExpectedHypervolume`], of measured losses under other rules.
///
/// ```
/// use thrifty_bo::MultiObjectiveOptimizer;
/// use thrifty_sampling::Seed;
/// use thrifty_space::{Config, Space};
/// use thrifty_study::{Measurement, Study};
/// let space = Space::builder().float("x", -1.0, 2.0).build()?;
/// let mut study = Study::new(MultiObjectiveOptimizer::new(space), Seed(1)).with_trials(12);
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
    settings: MultiObjectiveSettings,
    planned: PlannedTrials,
    surrogate: Box<dyn Surrogate>,
    known_constraint: KnownConstraint,
}

impl MultiObjectiveOptimizer {
    /// An optimiser with Matérn-5/2 Gaussian processes and default settings.
    #[must_use]
    pub fn new(space: Space) -> Self {
        Self {
            space,
            settings: MultiObjectiveSettings::default(),
            planned: PlannedTrials::default(),
            surrogate: Box::new(GpSurrogate::default()),
            known_constraint: KnownConstraint::default(),
        }
    }

    /// Replaces the settings.
    ///
    /// # Errors
    /// [`OptimizerError::InvalidSetting`] names the setting that is out of its range.
    pub fn with_settings(mut self, settings: MultiObjectiveSettings) -> Result<Self, OptimizerError> {
        settings.validate()?;
        (self.settings, self.planned) = (settings, PlannedTrials::default());
        Ok(self)
    }

    /// Replaces the surrogate of all objectives and constraints.
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
        self.known_constraint = KnownConstraint::new(allowed);
        self
    }

    /// The settings.
    #[must_use]
    pub fn settings(&self) -> &MultiObjectiveSettings {
        &self.settings
    }

    pub(crate) fn space(&self) -> &Space {
        &self.space
    }

    pub(crate) fn known_constraint(&self) -> &KnownConstraint {
        &self.known_constraint
    }

    /// The reference point for suggestions after this history; `None` until a feasible point was measured.
    ///
    /// # Errors
    /// [`OptimizerError`] for measurements of different shapes, or a reference point with another number of coordinates.
    pub fn reference(&self, history: &History<Config>) -> Result<Option<ReferencePoint>, OptimizerError> {
        let Some(observed) = Observed::of(&self.space, history)? else { return Ok(None) };
        reference_point(self.settings.reference.as_deref(), history, &observed)
    }

    /// Checks the configuration before the initial design has ended. The surrogate must serve every objective and have joint posteriors if
    /// the rule draws from them. From the first measurement on, the reference point must have as many coordinates as objectives.
    fn check_outputs(&self, history: &History<Config>) -> Result<(), OptimizerError> {
        if self.surrogate.for_other_outputs().is_some() {
            let error = MultiObjectiveError::OneObjective;
            return Err(OptimizerError::failed("fitting the surrogates", error));
        }
        if matches!(self.settings.rule, MultiObjectiveRule::NoisyExpectedHypervolume { .. }) {
            self.check_joint(history)?;
        }
        let measured =
            history.trials().iter().find_map(measurement).map(|measured| measured.objectives.len());
        let declared = Some(history.directions().as_slice().len()).filter(|count| *count > 0);
        match (&self.settings.reference, measured.or(declared)) {
            (Some(reference), Some(expected)) if reference.len() != expected => {
                let error = MultiObjectiveError::ReferenceMismatch { found: reference.len(), expected };
                Err(OptimizerError::failed("finding the reference point", error))
            }
            _ => Ok(()),
        }
    }

    /// Checks that fits have joint posteriors, by a fit to two artificial values. An error only after the design would be too late.
    fn check_joint(&self, history: &History<Config>) -> Result<(), OptimizerError> {
        if !history.trials().is_empty() {
            return Ok(());
        }
        let (domain, mut rng) = (self.space.domain(), history.seed().stream("joint posterior", 0));
        let x = random_points(domain, |_| true, 2, &mut rng);
        let data = Observations::new(x.as_ref(), &[0.0, 1.0]);
        // A surrogate that needs more data fails here; it is then checked after the design.
        let fitted = self.surrogate.fit(domain, data, None, &mut rng);
        if fitted.is_ok_and(|fitted| fitted.posterior().joint().is_none()) {
            let error = MultiObjectiveError::NotJoint { what: "the objectives".into() };
            return Err(OptimizerError::failed("fitting the surrogates", error));
        }
        Ok(())
    }

    fn state<'a>(
        &'a self,
        history: &'a History<Config>,
        id: TrialId,
    ) -> Result<Option<State<'a>>, OptimizerError> {
        let Some(observed) = Observed::of(&self.space, history)? else { return Ok(None) };
        let feasible = observed.feasible();
        let reference = reference_point(self.settings.reference.as_deref(), history, &observed)?;
        let data = Data::of(&observed, &self.settings);
        let (trials, seed) = (history.trials().iter().collect(), history.seed());
        let (space, surrogate) = (&self.space, &*self.surrogate);
        let fitter = OutputFitter { space, surrogate, weight_surrogate: surrogate, trials, seed, id };
        let asked = self.asked(history)?;
        Ok(Some(State { history, fitter, observed, asked, data, feasible, reference }))
    }

    /// The rule for a number of objectives.
    pub(crate) fn rule(&self, objectives: usize) -> MultiObjectiveRule {
        match self.settings.rule {
            MultiObjectiveRule::Automatic if objectives <= 4 => MultiObjectiveRule::ExpectedHypervolume,
            MultiObjectiveRule::Automatic => MultiObjectiveRule::Chebyshev { augmentation: 0.05 },
            rule => rule,
        }
    }

    /// The points that were asked. By default, a rule for noise repeats an exhausted space.
    fn asked(&self, history: &History<Config>) -> Result<Asked, OptimizerError> {
        let is_noisy = matches!(self.settings.rule, MultiObjectiveRule::NoisyExpectedHypervolume { .. });
        let repeats = self.settings.repeats.or(is_noisy.then_some(Repeats::OnceExhausted));
        Repeats::asked(repeats, &self.space, history)
    }

    fn initial(&self, history: &History<Config>, id: TrialId) -> Result<Ask<Config>, OptimizerError> {
        let (design, space, seed) = (&self.settings.initial, &self.space, history.seed());
        let designer = Designer { design, space, seed, run: 0, known_constraint: &self.known_constraint };
        let config = self.asked(history)?.designed(&designer, id)?;
        Ok(config.map_or(Ask::Stop(StopReason::Exhausted), |c| Ask::Evaluate(Suggestion::new(c))))
    }

    /// True while the initial design lasts.
    fn is_designed(&self, history: &History<Config>) -> bool {
        let told = self.settings.failures.told(history.trials());
        // A finished design does not restart if the study is planned longer.
        let modelled = history.trials().iter().any(|trial| !trial.memo.is_empty());
        let (space, initial) = (&self.space, &self.settings.initial);
        let queries = history.trials().iter().map(|trial| &trial.query);
        !modelled && initial.lasts(space, self.settings.budget, (0, queries), told)
    }
}

impl ModelBased for MultiObjectiveOptimizer {
    fn turn<'a>(
        &'a mut self,
        history: &'a History<Config>,
        id: TrialId,
    ) -> Result<Turn<'a, Config>, OptimizerError> {
        let optimizer: &'a Self = self;
        optimizer.check_outputs(history)?;
        if optimizer.is_designed(history) {
            return Ok(Turn::Decided(optimizer.initial(history, id)?));
        }
        match optimizer.state(history, id)? {
            None => Ok(Turn::Decided(optimizer.initial(history, id)?)),
            Some(state) => Ok(Turn::Modelled(Box::new(MultiTurn::new(optimizer, state)?))),
        }
    }
}

impl Optimizer for MultiObjectiveOptimizer {
    type Query = Config;
    type Recommendation = ParetoSet;

    fn ask(&mut self, history: &History<Config>, id: TrialId) -> Result<Ask<Config>, OptimizerError> {
        self.turn(history, id)?.ask()
    }

    fn recommend(&mut self, history: &History<Config>) -> Result<Option<ParetoSet>, OptimizerError> {
        let left_out = history.trials().iter().filter(|trial| ended_without_loss(trial)).count();
        let id = TrialId((history.len() - left_out) as u64);
        let Some(mut state) = self.state(history, id)? else { return Ok(None) };
        if state.feasible.is_empty() {
            return Ok(None);
        }
        let rule = self.rule(state.observed.objectives);
        if !matches!(rule, MultiObjectiveRule::NoisyExpectedHypervolume { .. }) {
            return ParetoSet::of(history).map(Some);
        }
        // Imputed losses of failed and pruned trials would move the means at measured configurations.
        state.fitter.trials.retain(|trial| !ended_without_loss(trial));
        // Fantasies of running trials would move them too if surrogates have no joint posterior.
        state.observed.pending = Points::new(self.space.dim());
        let settings = MultiObjectiveSettings { failures: FailurePolicy::Ignore, ..self.settings.clone() };
        state.data = Data::of(&state.observed, &settings);
        let means = means(&state.objectives(rule)?, &state.observed.x);
        let measured: Vec<_> = history.trials().iter().filter(|t| measurement(t).is_some()).collect();
        let member = |&i: &usize| {
            let own = measurement(measured[i]).into_iter().flat_map(|measured| &measured.objectives);
            let scales = state.data.scales.iter().zip(means.row(i)).zip(own);
            // A mean beyond the range of a transform has no loss; the measured one is the best that is known.
            let objective = |((scale, mean), own): ((&Scale, &f64), &f64)| {
                Some(scale.invert(*mean)).filter(|loss| loss.is_finite()).unwrap_or(*own)
            };
            let objectives = scales.map(objective).collect();
            ParetoMember { trial: measured[i].id, config: measured[i].query.clone(), objectives }
        };
        let set = ParetoSet::among(state.feasible.iter().map(member).collect());
        set.map(Some).map_err(|error| OptimizerError::failed("finding the Pareto set", error))
    }

    fn check(&self, query: &Config, is_whole: bool) -> Result<(), OptimizerError> {
        check_config(&self.space, query, is_whole)
    }

    fn check_measurement(&self, measurement: &Measurement) -> Result<(), MeasurementProblem> {
        self.settings.cost.check(measurement)
    }

    fn canonical(&self, query: Config) -> Config {
        self.space.canonical(&query)
    }

    fn ask_given(
        &mut self,
        history: &History<Config>,
        id: TrialId,
        given: &Config,
    ) -> Result<Ask<Config>, OptimizerError> {
        ask_given(self, |bo| (&mut bo.space, &bo.known_constraint), history, id, given)
    }

    fn plan(&mut self, trials: usize) {
        self.planned.plan(&mut self.settings.budget, trials);
    }

    fn fingerprint(&self) -> Result<Fingerprint, OptimizerError> {
        let failures = self.settings.failures.identity();
        let settings =
            MultiObjectiveSettings { budget: None, repeats: None, failures, ..self.settings.clone() };
        let ours = fingerprint("multi-objective optimisation", &settings, &self.space)?;
        let ours = ours.with_budget(self.settings.budget).changed_since_format_one(
            "settings.rule",
            "draws of objectives that depend on each other",
            "independent draws of objectives",
        );
        Ok(design_changed(ours).around(surrogate_fingerprint(&*self.surrogate)?))
    }
}
