//! One run of a criterion, scored after every evaluation.

use rand_distr::{Distribution, StandardNormal};
use thrifty_bo::InitialDesign;
use thrifty_levelset::metrics::Confusion;
use thrifty_levelset::{ClassificationSet, Classified, LevelSetOptimizer, LevelSetSettings};
use thrifty_sampling::Seed;
use thrifty_space::Config;
use thrifty_study::{History, MaxTrials, Study};

use super::methods::{Method, integration};
use super::problems::{Case, SIDE};
use crate::error::ExperimentError;
use crate::harness::runs::lossless_numbers;

/// Knowledge of the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    /// Its hyperparameters: 3 uniform points first.
    Known,
    /// Nothing: hyperparameters are learnt at every step, after 6 uniform points.
    Learnt,
}

impl Protocol {
    /// Evaluations before the first that a criterion chooses.
    pub fn initial(self) -> usize {
        match self {
            Self::Known => 3,
            Self::Learnt => 6,
        }
    }
}

/// One run of one criterion on one problem.
#[derive(Clone, Copy)]
pub struct Job {
    pub case: Case,
    pub method: Method,
    pub protocol: Protocol,
    /// Evaluations that the criterion chooses.
    pub evaluations: usize,
    /// Shared by the criteria: the same draw, first points and noise.
    pub seed: Seed,
}

/// Result of a job.
#[derive(serde::Serialize, serde::Deserialize)]
pub struct Outcome {
    /// F1 of the class above after 0, 1, … chosen evaluations.
    #[serde(with = "lossless_numbers")]
    pub f1: Vec<f64>,
    /// Seconds of the optimiser in all.
    pub seconds: f64,
}

/// The end of a run, to be drawn.
pub struct Ended {
    pub found: Classified,
    pub history: History<Config>,
    pub values: Vec<f64>,
    pub threshold: f64,
    pub f1: f64,
}

impl Job {
    fn optimizer(&self) -> Result<(LevelSetOptimizer, super::problems::Field), ExperimentError> {
        let problem = self.case.problem(self.seed);
        let settings = LevelSetSettings {
            over: ClassificationSet::Grid { per_axis: SIDE },
            criterion: self.method.1,
            initial: InitialDesign::Random(self.protocol.initial()),
            revisit: true,
            stop_when_certified: false,
            shortlist: 300,
            integration: integration(self.method.1),
            ..LevelSetSettings::above(problem.threshold())
        };
        let optimizer = LevelSetOptimizer::new(problem.space().clone(), settings)?;
        let field = self.case.field(self.seed, optimizer.points(self.seed)?.as_ref())?;
        let optimizer = match self.protocol {
            Protocol::Known => optimizer.with_fixed_model(field.model.clone()),
            Protocol::Learnt => optimizer,
        };
        Ok((optimizer, field))
    }

    fn study(&self) -> Result<(Study<LevelSetOptimizer>, super::problems::Field), ExperimentError> {
        let (optimizer, field) = self.optimizer()?;
        let trials = self.protocol.initial() + self.evaluations;
        let mut study = Study::new(optimizer, self.seed).with_stop(MaxTrials(trials));
        study.run(|config, context| {
            let normal: f64 = StandardNormal.sample(&mut context.noise());
            field.problem.truth(config).map_or(f64::NAN, |value| value + field.noise * normal)
        })?;
        Ok((study, field))
    }

    /// Runs it; where the mean was above before each evaluation is in the trials.
    pub fn run(&self) -> Result<Outcome, ExperimentError> {
        let (mut study, field) = self.study()?;
        let mut f1 = Vec::with_capacity(self.evaluations + 1);
        let score = |above: &[bool]| Confusion::of(&field.truth, above).map_or(f64::NAN, |c| c.f1());
        for trial in &study.history().trials()[self.protocol.initial()..] {
            f1.push(study.optimizer().above_before(trial).map_or(f64::NAN, |above| score(&above)));
        }
        let found = study.recommend()?.ok_or_else(|| ExperimentError::failed("nothing was measured"))?;
        f1.push(score(&found.predicted_above()));
        let seconds = study.history().trials().iter().map(|trial| trial.timing.ask).sum();
        Ok(Outcome { f1, seconds })
    }

    /// Runs it and keeps the end.
    pub fn end(&self) -> Result<Ended, ExperimentError> {
        let (mut study, field) = self.study()?;
        let found = study.recommend()?.ok_or_else(|| ExperimentError::failed("nothing was measured"))?;
        let f1 = Confusion::of(&field.truth, &found.predicted_above()).map_or(f64::NAN, |c| c.f1());
        let threshold = field.problem.threshold();
        Ok(Ended { found, history: study.history().clone(), values: field.values, threshold, f1 })
    }
}
