//! Methods for several losses.

use thrifty_bo::{
    InitialDesign, LossTransform, MultiObjectiveOptimizer, MultiObjectiveRule, MultiObjectiveSettings,
    ParetoSet,
};

use thrifty_domain::Points;
use thrifty_pareto::Hypervolume;
use thrifty_sampling::Seed;
use thrifty_search::{Nsga2, Nsga2Settings, RandomSearch, SobolSearch};
use thrifty_space::Config;
use thrifty_study::{History, MaxTrials, Optimizer, Outcome, Study};
use thrifty_testbed::MultiObjectiveFunction;
use thrifty_tpe::{TpeOptimizer, TpeSettings};

use crate::error::ExperimentError;
use crate::harness::method::AfterDesign;
use crate::harness::replicate::Run;

/// The method whose claim it is.
pub const OURS: &str = "log EHVI";

/// Name of the rule over fronts that are drawn, as for noisy losses: where they repeat it should do as well, and cos
pub const NOISY: &str = "log NEHVI";

/// Those that ours should beat. It need not beat the others.
pub const BASELINES: [&str; 4] = ["NSGA-II", "TPE", "Sobol", "random"];

/// All of them, ours first.
pub fn methods() -> Vec<&'static str> {
    [OURS, "ParEGO"].into_iter().chain(BASELINES).collect()
}

/// One run: a method on a problem from a design that all methods share.
pub struct Job<'a> {
    pub problem: &'a MultiObjectiveFunction,
    pub method: &'static str,
    pub replication: usize,
    pub design: Vec<Config>,
    pub seed: Seed,
    pub evaluations: usize,
}

impl Job<'_> {
    pub fn run(&self) -> Result<Run, ExperimentError> {
        let (space, design) = (self.problem.space().clone(), self.design.clone());
        match self.method {
            "NSGA-II" => {
                let initial = InitialDesign::Only(design);
                let settings = Nsga2Settings { initial, ..Nsga2Settings::default() };
                self.study(Nsga2::new(space).with_settings(settings)?)
            }
            "TPE" => {
                let search =
                    TpeOptimizer::new(space).and_then(|tpe| tpe.with_settings(TpeSettings::default()))?;
                self.study(AfterDesign { design, search })
            }
            "Sobol" => self.study(AfterDesign { design, search: SobolSearch::new(space) }),
            "random" => self.study(AfterDesign { design, search: RandomSearch::new(space) }),
            method => {
                let settings = MultiObjectiveSettings {
                    initial: InitialDesign::Only(design),
                    reference: Some(self.problem.reference().to_vec()),
                    ..MultiObjectiveSettings::default()
                };
                let settings = match method {
                    // Its better transform: with losses as they are it misses more on four problems of seven.
                    "ParEGO" => MultiObjectiveSettings {
                        rule: MultiObjectiveRule::Chebyshev { augmentation: 0.05 },
                        losses: LossTransform::UpperTail,
                        ..settings
                    },
                    NOISY => MultiObjectiveSettings {
                        rule: MultiObjectiveRule::NoisyExpectedHypervolume { draws: 8 },
                        ..settings
                    },
                    _ => settings,
                };
                self.study(MultiObjectiveOptimizer::new(space).with_settings(settings)?)
            }
        }
    }

    fn study<O: Optimizer<Query = Config>>(&self, optimizer: O) -> Result<Run, ExperimentError> {
        let mut study = Study::new(optimizer, self.seed).with_stop(MaxTrials(self.evaluations));
        study.run(|config, context| self.problem.evaluate(config, &mut context.noise()))?;
        let history = study.history().clone();
        // An error here and not below, where only volumes are counted.
        ParetoSet::of(&history)?;
        let regret = gaps(self.problem, &history)?;
        let seconds =
            |pick: fn(&thrifty_study::Timing) -> f64| history.trials().iter().map(|t| pick(&t.timing)).sum();
        Ok(Run {
            method: self.method.into(),
            problem: self.problem.name().into(),
            replication: self.replication,
            regret,
            failures: history.unsuccessful().count(),
            optimizer_seconds: seconds(|t| t.ask),
            evaluation_seconds: seconds(|t| t.evaluate),
        })
    }
}

/// Published maxima are approximations on some problems: a gap below this share of the maximum is as good as none.
const NO_GAP: f64 = 1e-6;

/// Missing hypervolume after each evaluation.
pub fn gaps(
    problem: &MultiObjectiveFunction,
    history: &History<Config>,
) -> Result<Vec<f64>, ExperimentError> {
    let volume = Hypervolume::new(problem.reference()).map_err(ExperimentError::failed)?;
    let least = NO_GAP * problem.max_hypervolume();
    let mut front = Points::new(problem.objectives());
    let outcomes = history.trials().iter().map(|trial| trial.outcome.as_ref());
    outcomes
        .map(|outcome| {
            if let Some(found) = outcome.and_then(Outcome::measurement).filter(|m| m.is_feasible()) {
                front.push(&found.objectives);
            }
            let volume = volume.exact(front.as_ref()).map_err(ExperimentError::failed)?;
            Ok((problem.max_hypervolume() - volume).max(least))
        })
        .collect()
}
