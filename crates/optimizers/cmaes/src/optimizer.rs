//! The evolution strategy as an optimiser.

use rand_distr::{Distribution as _, StandardNormal};
use thrifty_search::{ask_given, check_config, fingerprint};
use thrifty_space::{Config, KnownConstraint, Space};
use thrifty_study::{Ask, Best, Fingerprint, History, Memo, Optimizer, OptimizerError, Suggestion, TrialId};

use crate::CmaEsSettings;
use crate::coordinates::Coordinates;
use crate::generations::{Current, Generations, Opening, Reader};
use crate::memos::{AWAITED, GENERATION, MEMBERS, Memos, RECORD};
use crate::run::Run;

/// Evolution strategy with covariance matrix adaptation, (`μ/μ_w`, λ)-CMA-ES with active updates, a margin and restarts.
///
/// ```text
/// x ~ N(m, σ² C),   m ← m + σ Σ w_i y_i,   C ← (1 - c_1 - c_μ Σ w_i) C + c_1 p pᵀ + c_μ Σ w_i y_i y_iᵀ
/// ```
///
/// x are coordinates of the encoded unit cube, `y_i` the step to the trial of rank i, p a smoothed path of the mean. Continuous coordinates are reflected at their bounds, and the distribution learns from the point before the reflection.
/// A generation ends when λ of its run's trials have finished; trials asked before that are drawn from the same distribution, and late ones count in a later generation of the run.
/// Failed and pruned trials are the worst. Recommends the best feasible trial.
/// It waits while the outcome of a trial from which a recorded generation learned is not visible.
///
/// Diagnostics: `generation`, `run`, `step_size`, `condition` of the covariance matrix.
/// Cost: O(n²) per trial and O(n³ + λ n²) per generation.
/// Source: Hansen (2016), fig. 6; Hamano et al. (2022) for discrete coordinates; Auger & Hansen (2005) for restarts; Hansen (2011) for
/// trials from elsewhere. Departures: stopping criteria use ranks alone; category scores have a margin by mixing.
#[derive(Debug)]
pub struct CmaEs {
    space: Space,
    settings: CmaEsSettings,
    known_constraint: KnownConstraint,
    coordinates: Coordinates,
    memos: Memos,
    generations: Option<Generations>,
}

/// Points drawn for a trial before the known constraint counts as unattainable.
const TRIES: usize = 10_000;

impl CmaEs {
    /// An instance with default settings.
    #[must_use]
    pub fn new(space: Space) -> Self {
        let coordinates = Coordinates::new(space.domain());
        let (settings, known_constraint) = (CmaEsSettings::default(), KnownConstraint::default());
        Self { space, settings, known_constraint, coordinates, memos: Memos::default(), generations: None }
    }

    /// Replaces the settings.
    ///
    /// # Errors
    /// [`OptimizerError::InvalidSetting`] names the setting that is out of its range.
    pub fn with_settings(self, settings: CmaEsSettings) -> Result<Self, OptimizerError> {
        settings.validate()?;
        Ok(Self { settings, generations: None, ..self })
    }

    /// Adds a known constraint: only configurations for which `allowed` is true are suggested; points are drawn until one is. A
    /// resumed study needs the same constraint.
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
    pub fn settings(&self) -> &CmaEsSettings {
        &self.settings
    }

    /// A point of the distribution and its configuration.
    fn draw(
        &self,
        run: &Run,
        history: &History<Config>,
        id: TrialId,
    ) -> Result<(Vec<f64>, Config), OptimizerError> {
        let mut rng = history.seed().stream("cma-es", id.0);
        for _ in 0..TRIES {
            let z: Vec<f64> = (0..self.coordinates.len()).map(|_| StandardNormal.sample(&mut rng)).collect();
            let latent = run.distribution.point(&z);
            let x = self.coordinates.cube_point(self.space.domain(), &latent, run.margin, &mut rng);
            let config = self.space.decode(&x);
            if self.known_constraint.allows(&config) {
                return Ok((latent, config));
            }
        }
        let error = format!("none of {TRIES} points of the distribution is allowed");
        Err(OptimizerError::failed(format!("suggesting trial {}", id.0), error))
    }

    fn suggestion(&self, run: &Run, current: &Current, latent: &[f64], config: Config) -> Suggestion<Config> {
        let mut suggestion = Suggestion::new(config)
            .with_diagnostic("generation", current.number as f64)
            .with_diagnostic("run", run.number as f64)
            .with_diagnostic("step_size", run.distribution.step_size)
            .with_diagnostic("condition", run.distribution.condition())
            .with_memo(&GENERATION, &current.number);
        if let Some(Opening { members, awaited }) = &current.opening {
            let numbers = |ids: &[u64]| ids.iter().map(|id| *id as f64).collect();
            suggestion = suggestion.with_memo(&MEMBERS, &numbers(members));
            if !awaited.is_empty() {
                suggestion = suggestion.with_memo(&AWAITED, &numbers(awaited));
            }
        }
        let record = self.coordinates.record(latent);
        if record.is_empty() { suggestion } else { suggestion.with_memo(&RECORD, &record) }
    }
}

impl Optimizer for CmaEs {
    type Query = Config;
    type Recommendation = Best<Config>;

    fn ask(&mut self, history: &History<Config>, id: TrialId) -> Result<Ask<Config>, OptimizerError> {
        self.memos.follow(history);
        if self.memos.hides_a_member(history) {
            return Ok(Ask::Wait);
        }
        let cached = self.generations.take();
        let Self { space, settings, coordinates, memos, .. } = &*self;
        let reader = Reader { space, domain: space.domain(), coordinates, settings, memos, history };
        let (generations, current) = reader.current(cached)?;
        let drawn = self.draw(&generations.run, history, id);
        let asked =
            drawn.map(|(latent, config)| self.suggestion(&generations.run, &current, &latent, config));
        self.generations = Some(generations);
        asked.map(Ask::Evaluate)
    }

    fn recommend(&mut self, history: &History<Config>) -> Result<Option<Best<Config>>, OptimizerError> {
        Ok(history.best().map(|(trial, value)| Best::observed(trial.query.clone(), value)))
    }

    fn check(&self, query: &Config, is_whole: bool) -> Result<(), OptimizerError> {
        check_config(&self.space, query, is_whole)
    }

    fn canonical(&self, query: Config) -> Config {
        self.space.canonical(&query)
    }

    /// A point of the distribution with the given values in place of its own. It counts as a trial from elsewhere.
    fn ask_given(
        &mut self,
        history: &History<Config>,
        id: TrialId,
        given: &Config,
    ) -> Result<Ask<Config>, OptimizerError> {
        ask_given(self, |own| (&mut own.space, &own.known_constraint), history, id, given)
    }

    /// Nothing: the memo is about the point drawn, and another point counts as a trial from elsewhere.
    fn moved(&self, _: Memo) -> Memo {
        Memo::default()
    }

    fn fingerprint(&self) -> Result<Fingerprint, OptimizerError> {
        fingerprint("cma-es", &self.settings, &self.space)
    }
}
