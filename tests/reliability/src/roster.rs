//! Every optimiser, on a small problem of its kind. The journals in `tests/journals/v1` are of these: they never change.

use thrifty::acquisition::AcquisitionKind;
use thrifty::autobct::{AutoBct, AutoBctSettings, State};
use thrifty::bo::LossTransform;
use thrifty::cv::{AllFolds, FoldQuery};
use thrifty::fcvopt::{FoldAcquisition, FoldCosts, FractionalCv, FractionalSettings};
use thrifty::levelset::{ClassificationSet, LevelSetOptimizer, LevelSetSettings};
use thrifty::linear::{Coefficients, Polynomial};
use thrifty::prelude::*;
use thrifty::sampling::Stream;
use thrifty::search::{Nsga2, Nsga2Settings};

/// The trial that is evaluated.
pub struct Place<'a> {
    /// Seed of the study.
    pub seed: Seed,
    /// Its number.
    pub id: u64,
    /// Takes intermediate values.
    pub report: &'a mut dyn FnMut(u64, f64),
}

impl Place<'_> {
    /// Noise of the evaluation: the same as that of a study's context.
    fn noise(&self) -> Stream {
        self.seed.stream("evaluation", self.id)
    }
}

/// The evaluator of an optimiser's queries.
pub type Evaluate<Q> = fn(&Q, &mut Place<'_>) -> Outcome;

/// Work to be done with an optimiser of any type.
pub trait Job {
    /// Its result.
    type Output;
    /// Runs the job.
    fn run<O>(self, optimizer: O, evaluate: Evaluate<O::Query>) -> Self::Output
    where
        O: Optimizer<Query: std::fmt::Debug + PartialEq> + Send;
}

/// Names of all optimisers here.
pub const NAMES: [&str; 16] = [
    "random",
    "sobol",
    "bo",
    "bo-constrained",
    "ehvi",
    "nsga2",
    "hybrid",
    "hybrid-pareto",
    "tpe",
    "tpe-optuna5",
    "fcvopt",
    "fcvopt-joint",
    "all-folds-bo",
    "all-folds-tpe",
    "autobct",
    "levelset",
];

/// Runs the job with the optimiser of this name; nothing for an unknown name.
pub fn with<J: Job>(name: &str, job: J) -> Option<J::Output> {
    Some(match name {
        "random" => job.run(RandomSearch::new(mixed()), loss),
        "sobol" => job.run(SobolSearch::new(mixed()), loss),
        "bo" => job.run(
            BayesianOptimizer::new(mixed()).with_settings(settings(InitialDesign::default())).expect("valid"),
            loss,
        ),
        "bo-constrained" => {
            let settings = settings(InitialDesign::Sobol(5));
            job.run(BayesianOptimizer::new(plane()).with_settings(settings).expect("valid"), constrained)
        }
        "ehvi" => job.run(MultiObjectiveOptimizer::new(plane()), two_losses),
        "nsga2" => {
            let settings = Nsga2Settings { population: 6, ..Nsga2Settings::default() };
            job.run(Nsga2::new(mixed()).with_settings(settings).expect("valid"), two_losses_mixed)
        }
        "hybrid" => job.run(hybrid(Exploration::PiScaled { basis: 1.0, floor: 0.1 }), loss),
        "hybrid-pareto" => job.run(hybrid(Exploration::EpsPareto { epsilon: 0.3 }), loss),
        "tpe" => job.run(TpeOptimizer::new(mixed()).expect("valid"), loss),
        "tpe-optuna5" => job.run(
            TpeOptimizer::new(mixed())
                .and_then(|tpe| tpe.with_settings(TpeSettings::optuna5()))
                .expect("valid"),
            loss,
        ),
        "fcvopt" => job.run(FractionalCv::new(plane(), 4).expect("valid"), fold_loss),
        "fcvopt-joint" => {
            let settings = FractionalSettings {
                initial: InitialDesign::Sobol(6),
                acquisition: FoldAcquisition::JointKnowledgeGradient,
                costs: FoldCosts::Measured,
                ..FractionalSettings::new(3)
            };
            job.run(
                FractionalCv::new(plane(), settings.folds)
                    .and_then(|cv| cv.with_settings(settings))
                    .expect("valid"),
                fold_loss,
            )
        }
        "all-folds-bo" => {
            let settings = settings(InitialDesign::Sobol(3));
            let bo = BayesianOptimizer::new(plane()).with_settings(settings).expect("valid");
            job.run(AllFolds::new(bo, 3).expect("valid"), fold_loss)
        }
        "all-folds-tpe" => {
            job.run(AllFolds::new(TpeOptimizer::new(plane()).expect("valid"), 3).expect("valid"), fold_loss)
        }
        "autobct" => job.run(autobct(), training),
        "levelset" => {
            let settings = LevelSetSettings {
                over: ClassificationSet::Grid { per_axis: 12 },
                stop_when_certified: false,
                ..LevelSetSettings::above(0.5)
            };
            job.run(LevelSetOptimizer::new(plane(), settings).expect("valid"), height)
        }
        _ => return None,
    })
}

fn mixed() -> Space {
    let builder = Space::builder().float("x", -1.0, 1.0).int("n", 1, 6).categorical("c", ["a", "b"]);
    builder.log_float("y", 1e-3, 1.0).when("c", ["b"]).build().expect("valid")
}

fn plane() -> Space {
    Space::builder().float("x", -1.0, 1.0).float("y", 0.0, 2.0).build().expect("valid")
}

/// Settings with the transform of losses of the time when the journals were written.
fn settings(initial: InitialDesign) -> BoSettings {
    BoSettings { initial, losses: LossTransform::UpperTail, ..BoSettings::default() }
}

fn hybrid(exploration: Exploration) -> Hybrid<BayesianOptimizer> {
    let base = BoSettings { rule: AcquisitionKind::default(), ..settings(InitialDesign::default()) };
    let settings =
        HybridSettings { exploration, convergence: OnConvergence::Force, ..HybridSettings::default() };
    let base = BayesianOptimizer::new(plane()).with_settings(base).expect("valid");
    Hybrid::new(base).with_settings(settings).expect("valid")
}

fn autobct() -> AutoBct {
    let space = Space::builder().float("u", 0.0, 1.0).build().expect("valid");
    let coefficients =
        |level: f64| Coefficients::independent(vec![level, 0.3, 0.0], &[1.0, 1.0, 1.0]).expect("valid");
    let basis = Polynomial::of_one(2, 0.5);
    let state = State { score: coefficients(0.3), cost: coefficients(0.05) };
    let settings = AutoBctSettings { grid: 11, later_grid: 11, ..AutoBctSettings::default() };
    AutoBct::new(space, &basis, &basis, state, settings).expect("valid")
}

/// One trial fails, one is pruned, some report.
fn incident(place: &mut Place<'_>) -> Option<Outcome> {
    let id = place.id;
    if id % 4 == 3 {
        (place.report)(1, 0.5 * id as f64);
        (place.report)(2, f64::INFINITY);
    }
    match id {
        2 => Some(Outcome::failed("the solver \"diverged\"\nat step 7")),
        5 => Some(Outcome::pruned(2)),
        9 => Some(Outcome::from(f64::NAN)),
        _ => None,
    }
}

fn float(config: &Config, name: &str) -> f64 {
    config.float(name).unwrap_or(0.5)
}

fn smooth(config: &Config) -> f64 {
    (float(config, "x") - 0.3).powi(2) + 0.1 * float(config, "n") + (float(config, "y") - 0.4).abs()
}

fn loss(config: &Config, place: &mut Place<'_>) -> Outcome {
    incident(place).unwrap_or_else(|| (smooth(config) + 0.01 * place.noise().uniform()).into())
}

fn constrained(config: &Config, place: &mut Place<'_>) -> Outcome {
    incident(place).unwrap_or_else(|| {
        let objectives = vec![smooth(config)];
        let constraints = vec![float(config, "x") - 0.2];
        let cost = Some(1.0 + float(config, "y"));
        Measurement { objectives, constraints, cost, ..Measurement::default() }.into()
    })
}

fn two_losses(config: &Config, place: &mut Place<'_>) -> Outcome {
    incident(place).unwrap_or_else(|| {
        let (x, y) = (float(config, "x"), float(config, "y"));
        let objectives = vec![x * x + y, (x - 1.0).powi(2) + (y - 1.0).powi(2)];
        Measurement { objectives, constraints: vec![x - 0.8], ..Measurement::default() }.into()
    })
}

fn two_losses_mixed(config: &Config, place: &mut Place<'_>) -> Outcome {
    incident(place).unwrap_or_else(|| {
        let objectives = vec![smooth(config), float(config, "n") - float(config, "x")];
        Measurement { objectives, ..Measurement::default() }.into()
    })
}

fn fold_loss(query: &FoldQuery, place: &mut Place<'_>) -> Outcome {
    incident(place).unwrap_or_else(|| {
        let loss = smooth(&query.config) + 0.05 * query.fold as f64 + 0.02 * place.noise().uniform();
        let cost = Some(1.0 + query.fold as f64);
        Measurement { objectives: vec![loss], cost, ..Measurement::default() }.into()
    })
}

fn training(config: &Config, place: &mut Place<'_>) -> Outcome {
    if place.id == 1 {
        return Outcome::failed("once");
    }
    let u = float(config, "u");
    let score = 0.2 + 0.6 * (3.0 * u).sin() + 0.1 * place.noise().uniform();
    Measurement { objectives: vec![score], cost: Some(0.01 + 0.03 * u), ..Measurement::default() }.into()
}

fn height(config: &Config, place: &mut Place<'_>) -> Outcome {
    incident(place).unwrap_or_else(|| (1.5 - smooth(config) + 0.01 * place.noise().uniform()).into())
}
