//! Level-set estimation in phases, each with its rule and a newly selected kernel.

use serde::{Deserialize, Serialize};
use thrifty_domain::Points;
use thrifty_gp::selection::{Candidate, Criterion as Score, select};
use thrifty_gp::{GpSettings, GpSurrogate, KernelFamily};
use thrifty_model_based::{InitialDesign, Modelled, carried, check_config, fingerprint};
use thrifty_sampling::Seed;
use thrifty_space::{Config, Space};
use thrifty_study::{
    Ask, Fingerprint, History, Measurement, MeasurementProblem, MemoKey, Optimizer, OptimizerError,
    StopReason, Suggestion, Trial, TrialId,
};

use crate::{Classified, Criterion, LevelSetOptimizer, LevelSetSettings};

/// Rule of a phase for the next point.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PhaseRule {
    /// Expected improvement on the smallest feasible value, weighted like a criterion. It tests if anything is below the threshold at all.
    Improvement,
    /// A criterion of level sets.
    Criterion(Criterion),
}

/// A phase: a range of trials with one rule.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Phase {
    /// Number of trials, including earlier phases, at which it ends. The last phase does not end.
    pub until: usize,
    /// Rule for the next point.
    pub rule: PhaseRule,
}

/// Settings of [`PhasedLevelSet`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PhasedSettings {
    /// Settings of all phases; a phase with a criterion replaces the criterion here.
    pub level_set: LevelSetSettings,
    /// The phases, at least one.
    pub phases: Vec<Phase>,
    /// Kernels to choose from at the start of each phase, at least one.
    pub families: Vec<KernelFamily>,
    /// Number of folds of the cross-validation that selects the kernel, at least 2.
    pub folds: usize,
    /// Settings of the processes.
    pub process: GpSettings,
    /// Bounds of the lengthscales on the unit cube, without a prior.
    pub lengthscale_bounds: (f64, f64),
}

impl PhasedSettings {
    /// Training protocol of `caligonotes`. It has a design of 8 Sobol points, then expected improvement for a fifth of the other trials,
    /// the straddle for two fifths, and the entropy of the boundary for the rest. The kernel is selected by 5-fold cross-validation from
    /// four families, each fitted by maximum likelihood from 4 starts.
    ///
    /// Departures: the straddle is 1.96 σ - |μ - h|, since the printed formula is a constant. The entropy is the mutual information of an
    /// observation and the sides of the points, since a boundary has no density.
    #[must_use]
    pub fn caligo(threshold: f64, trials: usize) -> Self {
        const DESIGN: usize = 8;
        let rest = trials.saturating_sub(DESIGN);
        let criterion = PhaseRule::Criterion;
        Self {
            level_set: LevelSetSettings {
                initial: InitialDesign::Sobol(DESIGN),
                stop_when_certified: false,
                ..LevelSetSettings::above(threshold)
            },
            phases: vec![
                Phase { until: DESIGN + rest / 5, rule: PhaseRule::Improvement },
                Phase { until: DESIGN + 3 * rest / 5, rule: criterion(Criterion::Straddle { kappa: 1.96 }) },
                Phase { until: trials, rule: criterion(Criterion::BoundaryInformation) },
            ],
            families: vec![
                KernelFamily::SquaredExponential,
                KernelFamily::Matern12,
                KernelFamily::Matern32,
                KernelFamily::Matern52,
            ],
            folds: 5,
            process: GpSettings::surrogate_training_protocol(4),
            lengthscale_bounds: (0.02, 20.0),
        }
    }

    /// The model with a kernel of a family.
    fn model(&self, family: KernelFamily) -> GpSurrogate {
        GpSurrogate {
            family,
            settings: self.process.clone(),
            lengthscale_bounds: Some(self.lengthscale_bounds),
            ..GpSurrogate::default()
        }
    }

    fn validate(&self) -> Result<(), OptimizerError> {
        let require = |name: &str, value: String, holds: bool, expected: &str| {
            let (name, expected) = (name.into(), expected.into());
            if holds { Ok(()) } else { Err(OptimizerError::InvalidSetting { name, value, expected }) }
        };
        let (phases, families) = (self.phases.len(), self.families.len());
        require("phases", phases.to_string(), phases > 0, "at least one")?;
        require("families", families.to_string(), families > 0, "at least one")?;
        require("folds", self.folds.to_string(), self.folds >= 2, "at least 2")?;
        let (low, high) = self.lengthscale_bounds;
        let holds = low > 0.0 && low <= high && high.is_finite();
        require("lengthscale_bounds", format!("({low}, {high})"), holds, "positive numbers in order")?;
        let late = self.phases.windows(2).find(|pair| pair[1].until < pair[0].until);
        let value = late.map_or(0, |pair| pair[1].until);
        require("phases (until)", value.to_string(), late.is_none(), "numbers that do not fall")?;
        (0..phases).try_for_each(|phase| self.of_phase(phase).validate())
    }

    /// Settings of a phase.
    fn of_phase(&self, phase: usize) -> LevelSetSettings {
        let mut settings = self.level_set.clone();
        if let PhaseRule::Criterion(criterion) = self.phases[phase].rule {
            settings.criterion = criterion;
        }
        settings
    }
}

/// Level-set estimation in phases with different rules. Each phase selects its kernel by cross-validation at its start.
///
/// The model, the design, the classification, the diagnostics and the recommendation are those of [`LevelSetOptimizer`]. The first phase
/// begins with the design, and its kernel is selected when the design has ended. The memo of the trial for which a kernel was selected
/// keeps the choice, so a resumed study does too. Source: `caligonotes`, the training protocol; see [`PhasedSettings::caligo`].
pub struct PhasedLevelSet {
    space: Space,
    settings: PhasedSettings,
    /// Cache of the optimiser for a phase and the index of a kernel.
    now: ((usize, Option<usize>), LevelSetOptimizer),
}

/// Phase of a trial, and index of its kernel among the families.
static CHOICE: MemoKey<Vec<f64>> = MemoKey::new("phase");

impl PhasedLevelSet {
    /// An optimiser with these settings.
    ///
    /// # Errors
    /// [`OptimizerError`] names the setting that is out of its range.
    pub fn new(space: Space, settings: PhasedSettings) -> Result<Self, OptimizerError> {
        settings.validate()?;
        let now = ((0, None), level_set(&space, &settings, 0, None)?);
        Ok(Self { space, settings, now })
    }

    /// The settings.
    #[must_use]
    pub fn settings(&self) -> &PhasedSettings {
        &self.settings
    }

    /// The space.
    #[must_use]
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// Kernel of the model behind a trial; `None` for trials of the design.
    #[must_use]
    pub fn family_of(&self, trial: &Trial<Config>) -> Option<KernelFamily> {
        Some(self.settings.families[self.chosen(trial)?.1])
    }

    /// The points that a study with this seed classifies, on the unit cube.
    ///
    /// # Errors
    /// As [`LevelSetOptimizer::points`].
    pub fn points(&self, seed: Seed) -> Result<Points, OptimizerError> {
        self.now.1.points(seed)
    }

    /// True for points whose mean was above the threshold when a trial was suggested; see [`LevelSetOptimizer::above_before`].
    #[must_use]
    pub fn above_before(&self, trial: &Trial<Config>) -> Option<Vec<bool>> {
        self.now.1.above_before(trial)
    }

    /// The surrogate after a history, for plots of the mean.
    #[must_use]
    pub fn surrogate(&self, history: &History<Config>) -> GpSurrogate {
        let family = history.trials().iter().rev().find_map(|trial| self.family_of(trial));
        self.settings.model(family.unwrap_or_default())
    }

    /// The phase of a trial.
    fn phase(&self, id: TrialId) -> usize {
        let phases = &self.settings.phases;
        phases.iter().position(|phase| id.0 < phase.until as u64).unwrap_or(phases.len() - 1)
    }

    /// Phase and kernel of a trial with a model; `None` for invalid numbers, as in a modified file.
    fn chosen(&self, trial: &Trial<Config>) -> Option<(usize, usize)> {
        let (phases, families) = (self.settings.phases.len(), self.settings.families.len());
        match trial.memo.get(&CHOICE)?[..] {
            [phase, family] => Some((phase as usize, family as usize)),
            _ => None,
        }
        .filter(|(phase, family)| *phase < phases && *family < families)
    }

    /// Index of the kernel of a phase: that of an earlier trial of the phase, or selected from the current measurements.
    fn family(&self, phase: usize, history: &History<Config>, id: TrialId) -> Result<usize, OptimizerError> {
        if let Some((_, family)) =
            history.trials().iter().filter_map(|trial| self.chosen(trial)).find(|(of, _)| *of == phase)
        {
            return Ok(family);
        }
        let failed = |what: &str, error: &dyn std::fmt::Display| {
            OptimizerError::failed(format!("{what} for trial {}", id.0), error.to_string())
        };
        let (mut x, mut y) = (Points::new(self.space.dim()), Vec::new());
        for (trial, value) in history.measured() {
            let point =
                self.space.encode(&trial.query).map_err(|error| failed("encoding a trial", &error))?;
            x.push(&point);
            y.push(carried(value));
        }
        if self.settings.families.len() == 1 || y.len() < self.settings.folds {
            return Ok(0);
        }
        let candidate = |family: &KernelFamily| {
            let process = self.settings.model(*family).process_for(self.space.domain(), x.as_ref());
            process.map(|process| Candidate::new(format!("{family:?}"), &process))
        };
        let candidates: Result<Vec<Candidate>, _> = self.settings.families.iter().map(candidate).collect();
        let candidates = candidates.map_err(|error| failed("setting up kernels", &error))?;
        let rng = &mut history.seed().stream("kernel", id.0);
        let score = Score::CrossValidation { folds: self.settings.folds };
        select(&candidates, score, x.as_ref(), &y, rng)
            .map(|choice| choice.best)
            .map_err(|error| failed("choosing a kernel", &error))
    }

    /// The optimiser of a phase with the given kernel or the default one; from the cache if possible.
    fn begin(
        &mut self,
        phase: usize,
        family: Option<usize>,
    ) -> Result<&mut LevelSetOptimizer, OptimizerError> {
        if self.now.0 != (phase, family) {
            self.now = ((phase, family), level_set(&self.space, &self.settings, phase, family)?);
        }
        Ok(&mut self.now.1)
    }
}

/// The optimiser of a phase with the given kernel or the default one.
fn level_set(
    space: &Space,
    settings: &PhasedSettings,
    phase: usize,
    family: Option<usize>,
) -> Result<LevelSetOptimizer, OptimizerError> {
    let family = family.map_or_else(KernelFamily::default, |at| settings.families[at]);
    Ok(LevelSetOptimizer::new(space.clone(), settings.of_phase(phase))?
        .with_surrogate(settings.model(family)))
}

impl Optimizer for PhasedLevelSet {
    type Query = Config;
    type Recommendation = Classified;

    fn ask(&mut self, history: &History<Config>, id: TrialId) -> Result<Ask<Config>, OptimizerError> {
        let phase = self.phase(id);
        let rule = self.settings.phases[phase].rule;
        // All phases have the same design, so the optimiser of any phase provides it.
        if history.measured().next().is_none() || self.now.1.designed(history, id)?.is_some() {
            return self.begin(phase, None)?.ask(history, id);
        }
        let family = self.family(phase, history, id)?;
        let optimizer = self.begin(phase, Some(family))?;
        let asked = match optimizer.modelled_turn(history, id)? {
            Err(ask) => ask,
            Ok(mut turn) if rule == PhaseRule::Improvement => {
                let waits = history.pending().next().is_some();
                match turn.improve()? {
                    Some(suggestion) => Ask::Evaluate(suggestion),
                    None if waits => Ask::Wait,
                    None => Ask::Stop(StopReason::Exhausted),
                }
            }
            Ok(mut turn) => turn.exploit(None)?,
        };
        Ok(match asked {
            Ask::Evaluate(suggestion) => {
                Ask::Evaluate(Suggestion::with_memo(suggestion, &CHOICE, &vec![phase as f64, family as f64]))
            }
            other => other,
        })
    }

    fn recommend(&mut self, history: &History<Config>) -> Result<Option<Classified>, OptimizerError> {
        let last = history.trials().iter().rev().find_map(|trial| self.chosen(trial));
        let (phase, family) = last.map_or((0, None), |(phase, family)| (phase, Some(family)));
        self.begin(phase, family)?.classify(history)
    }

    /// An external query names every parameter; nothing is completed.
    fn check(&self, query: &Config, _: bool) -> Result<(), OptimizerError> {
        check_config(&self.space, query, true)
    }

    fn check_measurement(&self, measurement: &Measurement) -> Result<(), MeasurementProblem> {
        self.settings.level_set.cost.check(measurement)
    }

    fn canonical(&self, query: Config) -> Config {
        self.space.canonical(&query)
    }

    fn fingerprint(&self) -> Result<Fingerprint, OptimizerError> {
        fingerprint("level set in phases", &self.settings, &self.space)
    }
}
