//! Treatments of responses that a protocol cuts off at 0.

use thrifty_bo::{GpSurrogate, InitialDesign, Maximizer};

use thrifty_censored::CensoredGpSurrogate;
use thrifty_gp::GpSettings;
use thrifty_levelset::metrics::Confusion;
use thrifty_levelset::{ClassificationSet, Criterion, LevelSetOptimizer, LevelSetSettings};
use thrifty_sampling::{Seed, Sobol};
use thrifty_search::RandomSearch;
use thrifty_space::Config;
use thrifty_study::{History, MaxTrials, Optimizer, Study};
use thrifty_testbed::LevelSetProblem;

use crate::error::ExperimentError;
use crate::harness::method::AfterDesign;
use crate::harness::runs::lossless_numbers;

/// A problem, what a run returns of it, and how long it is looked at.
pub struct Case {
    pub margin: LevelSetProblem,
    pub clipped: LevelSetProblem,
    /// The smallest response above 0, or nearly.
    pub bit: f64,
    pub design: usize,
    /// After how many evaluations it is judged.
    pub judged: Vec<usize>,
}

/// Kind of response and its treatment in the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The signed margin above 0.
    Margin,
    /// Clipped responses above 0, as values.
    Values,
    /// Clipped responses above half a bit, as values.
    HalfBit,
    /// Clipped responses above half a bit, those below as bounds.
    Bounds,
}

impl Kind {
    pub const ALL: [Self; 4] = [Self::Margin, Self::Values, Self::HalfBit, Self::Bounds];

    pub fn name(self) -> &'static str {
        match self {
            Self::Margin => "margin",
            Self::Values => "clipped, h = 0",
            Self::HalfBit => "clipped, h = ½ bit",
            Self::Bounds => "censored",
        }
    }

    pub fn threshold(self, case: &Case) -> f64 {
        match self {
            Self::Margin | Self::Values => 0.0,
            Self::HalfBit | Self::Bounds => 0.5 * case.bit,
        }
    }

    pub fn observed(self, case: &Case) -> &LevelSetProblem {
        if self == Self::Margin { &case.margin } else { &case.clipped }
    }

    /// True if a configuration is truly above: the margin above 0, or at least one bit.
    pub fn is_above(self, case: &Case, config: &Config) -> Result<bool, ExperimentError> {
        let truth = self.observed(case).truth(config).map_err(ExperimentError::failed)?;
        Ok(truth > if self == Self::Margin { 0.0 } else { 0.5 * case.bit })
    }
}

/// Criteria that choose points.
pub const CRITERIA: [(&str, Criterion); 3] = [
    ("SUR", Criterion::IntegratedBernoulli),
    ("straddle", Criterion::Straddle { kappa: 1.96 }),
    ("random", Criterion::Random),
];

/// One run.
pub struct Job<'a> {
    pub case: &'a Case,
    pub kind: Kind,
    pub criterion: (&'static str, Criterion),
    pub seed: Seed,
}

/// Scores of a run after each number of evaluations at which it is judged.
#[derive(serde::Serialize, serde::Deserialize)]
pub struct Scores {
    #[serde(with = "lossless_numbers")]
    pub f1: Vec<f64>,
    /// |found - true| / true volume above.
    #[serde(with = "lossless_numbers")]
    pub volume_error: Vec<f64>,
    pub seconds: f64,
}

impl Job<'_> {
    pub fn optimizer(&self, over: ClassificationSet) -> Result<LevelSetOptimizer, ExperimentError> {
        let settings = LevelSetSettings {
            over,
            criterion: self.criterion.1,
            initial: InitialDesign::Only(self.design()),
            maximizer: Maximizer { raw: 256, around_best: 10, climbs: 3 },
            stop_when_certified: false,
            ..LevelSetSettings::above(self.kind.threshold(self.case))
        };
        let space = self.case.margin.space().clone();
        let optimizer = LevelSetOptimizer::new(space, settings)?;
        let process = GpSurrogate {
            settings: GpSettings { restarts: 1, ..GpSurrogate::default().settings },
            ..GpSurrogate::default()
        };
        Ok(match self.kind {
            Kind::Bounds => {
                let floor = self.kind.threshold(self.case);
                optimizer.with_surrogate(CensoredGpSurrogate { process, ..CensoredGpSurrogate::above(floor) })
            }
            _ => optimizer.with_surrogate(process),
        })
    }

    /// Initial design, equal for all kinds and criteria.
    fn design(&self) -> Vec<Config> {
        let space = self.case.margin.space();
        let rng = &mut self.seed.stream("shared design", 0);
        let points = Sobol::scrambled(space.dim(), rng).take(self.case.design);
        points.rows().map(|x| space.decode(x)).collect()
    }

    /// History of the evaluations.
    pub fn history(&self, evaluations: usize) -> Result<History<Config>, ExperimentError> {
        let space = self.case.margin.space().clone();
        if self.criterion.1 == Criterion::Random {
            // No model is needed for that.
            let search = RandomSearch::new(space);
            return self.study(AfterDesign { design: self.design(), search }, evaluations);
        }
        self.study(self.optimizer(ClassificationSet::default())?, evaluations)
    }

    fn study<O: Optimizer<Query = Config>>(
        &self,
        optimizer: O,
        evaluations: usize,
    ) -> Result<History<Config>, ExperimentError> {
        let mut study = Study::new(optimizer, self.seed).with_stop(MaxTrials(evaluations));
        let observed = self.kind.observed(self.case);
        study.run(|config, context| observed.evaluate(config, &mut context.noise()))?;
        Ok(study.history().clone())
    }

    pub fn run(&self) -> Result<Scores, ExperimentError> {
        let history = self.history(self.case.judged.last().copied().unwrap_or(0))?;
        let mut judge = self.optimizer(ClassificationSet::Domain { points: 4096 })?;
        let space = self.case.margin.space();
        let configs: Vec<Config> = judge.points(self.seed)?.rows().map(|x| space.decode(x)).collect();
        let truth = configs
            .iter()
            .map(|config| self.kind.is_above(self.case, config))
            .collect::<Result<Vec<bool>, _>>()?;
        let share = |above: &[bool]| above.iter().filter(|above| **above).count() as f64;
        let (mut f1, mut volume_error) = (Vec::new(), Vec::new());
        for &k in &self.case.judged {
            let known = History::from_trials(history.trials()[..k.min(history.len())].to_vec(), self.seed);
            let said = judge
                .classify(&known)?
                .ok_or_else(|| ExperimentError::failed("nothing was measured"))?
                .predicted_above();
            let confusion =
                Confusion::of(&truth, &said).ok_or_else(|| ExperimentError::failed("other points"))?;
            f1.push(confusion.f1());
            volume_error.push((share(&said) - share(&truth)).abs() / share(&truth).max(1.0));
        }
        let seconds = history.trials().iter().map(|trial| trial.timing.ask).sum();
        Ok(Scores { f1, volume_error, seconds })
    }
}
