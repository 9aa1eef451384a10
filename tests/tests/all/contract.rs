//! The contract of optimisers and of stop rules, on all that are here, and on some made wrong on purpose.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use thrifty::autobct::{AutoBct, AutoBctSettings, State};
use thrifty::bo::{KernelFamily, Maximizer};
use thrifty::cv::{AllFolds, FoldQuery};
use thrifty::fcvopt::{FoldAcquisition, FractionalCv, FractionalSettings};
use thrifty::levelset::{ClassificationSet, FixedGp};
use thrifty::linear::{Coefficients, Polynomial};
use thrifty::prelude::*;
use thrifty::search::{Nsga2, Nsga2Settings};
use thrifty::study::{
    All, Any, Ask, Fingerprint, History, OptimizerError, PrunedAs, PrunedPolicy, StopRule, Suggestion,
    TrialId, WorthItsCost, contract,
};

/// Small maximisers: what is tested is where state comes from, not how good suggestions are.
const MAXIMIZER: Maximizer = Maximizer { raw: 32, around_best: 2, climbs: 1 };

fn space() -> Space {
    let builder = Space::builder().float("x", -1.0, 1.0).int("n", 1, 6).categorical("c", ["a", "b"]);
    builder.log_float("y", 1e-3, 1.0).when("c", ["b"]).build().unwrap()
}

fn unit() -> Space {
    Space::builder().float("u", 0.0, 1.0).build().unwrap()
}

fn loss(config: &Config) -> f64 {
    let float = |name| config.float(name).unwrap_or(0.5);
    float("x").powi(2) + 0.1 * float("n") + float("y")
}

fn evaluate(config: &Config, id: TrialId) -> Outcome {
    if id.0 == 2 { Outcome::failed("once") } else { Outcome::from(loss(config)) }
}

fn evaluate_fold(query: &FoldQuery, id: TrialId) -> Outcome {
    if id.0 == 4 {
        Outcome::failed("once")
    } else {
        Outcome::from(loss(&query.config) + 0.1 * query.fold as f64)
    }
}

fn settings() -> BoSettings {
    BoSettings { initial: InitialDesign::Sobol(3), maximizer: MAXIMIZER, ..BoSettings::default() }
}

fn bo() -> BayesianOptimizer {
    BayesianOptimizer::new(space()).with_settings(settings()).unwrap()
}

#[test]
fn searches_and_estimators() {
    contract::optimizer(|| RandomSearch::new(space()), evaluate, 9);
    contract::optimizer(|| SobolSearch::new(space()), evaluate, 9);
    contract::optimizer(|| TpeOptimizer::new(space()).unwrap(), evaluate, 24);
    contract::optimizer(|| CmaEs::new(space()), evaluate, 24);
    let optuna =
        || TpeOptimizer::new(space()).and_then(|tpe| tpe.with_settings(TpeSettings::optuna5())).unwrap();
    contract::optimizer(optuna, evaluate, 24);
}

/// Trials that stop early, under each policy; the last reported value is never given, so that values are the worst.
#[test]
fn pruned_trials() {
    let stopping = |config: &Config, id: TrialId| {
        if id.0 % 3 == 1 { Outcome::pruned(id.0) } else { evaluate(config, id) }
    };
    for policy in [PrunedPolicy::Ignore, PrunedPolicy::LastReport, PrunedPolicy::Worst] {
        contract::optimizer(|| PrunedAs::new(bo(), policy), stopping, 8);
        contract::optimizer(|| PrunedAs::new(TpeOptimizer::new(space()).unwrap(), policy), stopping, 24);
    }
}

#[test]
fn one_objective() {
    contract::optimizer(bo, evaluate, 8);
    let region = || {
        let (initial, candidates) = (InitialDesign::Sobol(3), Some(32));
        let settings = TrustRegionSettings { initial, candidates, ..TrustRegionSettings::default() };
        TrustRegionOptimizer::new(space()).with_settings(settings).unwrap()
    };
    contract::optimizer(region, evaluate, 8);
    for exploration in [Exploration::FixedRate { rate: 0.3 }, Exploration::EpsPareto { epsilon: 0.3 }] {
        let hybrid = || {
            let settings = HybridSettings { exploration, ..HybridSettings::default() };
            Hybrid::new(bo()).with_settings(settings).unwrap()
        };
        contract::optimizer(hybrid, evaluate, 8);
    }
}

#[test]
fn several_objectives() {
    let evaluate = |config: &Config, id: TrialId| {
        if id.0 == 2 {
            return Outcome::failed("once");
        }
        let x = config.float("x").unwrap_or(0.0);
        let (objectives, constraints) = (vec![loss(config), 1.0 - x], vec![x - 0.5]);
        Measurement { objectives, constraints, ..Measurement::default() }.into()
    };
    let models = || {
        let settings = MultiObjectiveSettings {
            initial: InitialDesign::Sobol(3),
            maximizer: MAXIMIZER,
            ..MultiObjectiveSettings::default()
        };
        MultiObjectiveOptimizer::new(space()).with_settings(settings).unwrap()
    };
    contract::optimizer(models, evaluate, 7);
    let genetic = || {
        let settings =
            Nsga2Settings { population: 2, initial: InitialDesign::Sobol(2), ..Nsga2Settings::default() };
        Nsga2::new(space()).with_settings(settings).unwrap()
    };
    contract::optimizer(genetic, evaluate, 9);
}

#[test]
fn level_sets() {
    let settings = || LevelSetSettings {
        over: ClassificationSet::Domain { points: 32 },
        initial: InitialDesign::Sobol(3),
        stop_when_certified: false,
        maximizer: MAXIMIZER,
        ..LevelSetSettings::above(0.6)
    };
    contract::optimizer(|| LevelSetOptimizer::new(space(), settings()).unwrap(), evaluate, 8);
    let fixed = || {
        let model = FixedGp {
            family: KernelFamily::Matern52,
            lengthscales: vec![0.4; space().dim()],
            variance: 1.0,
            mean: 0.5,
            noise_variance: 1e-4,
        };
        LevelSetOptimizer::new(space(), settings()).unwrap().with_fixed_model(model)
    };
    contract::optimizer(fixed, evaluate, 8);
}

/// The hybrid around each model-based optimiser, by coin and forced.
#[test]
fn hybrids() {
    let settings = |exploration| HybridSettings { exploration, ..HybridSettings::default() };
    let coin = || settings(Exploration::FixedRate { rate: 0.4 });
    let several = || {
        let settings = MultiObjectiveSettings {
            initial: InitialDesign::Sobol(3),
            maximizer: MAXIMIZER,
            ..MultiObjectiveSettings::default()
        };
        let optimizer = MultiObjectiveOptimizer::new(space()).with_settings(settings).unwrap();
        Hybrid::new(optimizer).with_settings(coin()).unwrap()
    };
    let two = |config: &Config, id: TrialId| match evaluate(config, id) {
        Outcome::Measured(found) => {
            let objectives = vec![found.objectives[0], 1.0 - loss(config)];
            Measurement { objectives, ..found }.into()
        }
        failed => failed,
    };
    contract::optimizer(several, two, 7);
    let fractional = || {
        let settings = FractionalSettings {
            initial: InitialDesign::Sobol(3),
            maximizer: MAXIMIZER,
            ..FractionalSettings::new(3)
        };
        let optimizer = FractionalCv::new(space(), 3).and_then(|cv| cv.with_settings(settings)).unwrap();
        Hybrid::new(optimizer).with_settings(coin()).unwrap()
    };
    contract::optimizer(fractional, evaluate_fold, 9);
    for over in [ClassificationSet::Domain { points: 64 }, ClassificationSet::Grid { per_axis: 5 }] {
        let level_set = || {
            let settings = LevelSetSettings {
                over: over.clone(),
                initial: InitialDesign::Sobol(3),
                maximizer: MAXIMIZER,
                ..LevelSetSettings::above(0.5)
            };
            let optimizer = LevelSetOptimizer::new(space(), settings).unwrap();
            Hybrid::new(optimizer).with_settings(coin()).unwrap()
        };
        contract::optimizer(level_set, evaluate, 8);
    }
}

#[test]
fn folds() {
    for acquisition in [FractionalSettings::new(3).acquisition, FoldAcquisition::JointKnowledgeGradient] {
        let fractional = || {
            let settings = FractionalSettings {
                initial: InitialDesign::Sobol(3),
                acquisition,
                maximizer: MAXIMIZER,
                ..FractionalSettings::new(3)
            };
            FractionalCv::new(space(), settings.folds).and_then(|cv| cv.with_settings(settings)).unwrap()
        };
        contract::optimizer(fractional, evaluate_fold, 8);
    }
    contract::optimizer(|| AllFolds::new(bo(), 2).unwrap(), evaluate_fold, 10);
    let parzen = || AllFolds::new(TpeOptimizer::new(space()).unwrap(), 2).unwrap();
    contract::optimizer(parzen, evaluate_fold, 24);
}

fn budgeted() -> AutoBct {
    let belief = |level: f64| Coefficients::independent(vec![level, 0.3, 0.0], &[1.0, 1.0, 1.0]).unwrap();
    let basis = Polynomial::of_one(2, 0.5);
    let state = State { score: belief(0.3), cost: belief(0.4) };
    let settings = AutoBctSettings { grid: 11, later_grid: 11, ..AutoBctSettings::default() };
    AutoBct::new(unit(), &basis, &basis, state, settings).unwrap()
}

#[test]
fn budgets() {
    let train = |config: &Config, id: TrialId| {
        if id.0 == 1 {
            return Outcome::failed("once");
        }
        let u = config.float("u").unwrap_or(0.0);
        let score = 0.4 + 0.5 * u + 0.01 * id.0 as f64;
        Measurement { objectives: vec![score], cost: Some(0.05 + 0.2 * u), ..Measurement::default() }.into()
    };
    contract::optimizer(budgeted, train, 6);
    let fold = move |query: &FoldQuery, id: TrialId| train(&query.config, id);
    contract::optimizer(|| AllFolds::new(budgeted(), 2).unwrap(), fold, 8);
}

#[test]
fn stop_rules() {
    let both = || -> Vec<Box<dyn StopRule>> { vec![Box::new(MaxTrials(3)), Box::new(Target(0.5))] };
    let rules: [&dyn StopRule; 8] = [
        &MaxTrials(3),
        &WallTime(Duration::from_mins(1)),
        &MaxCost(2.5),
        &Target(-1.0),
        &NoImprovement { epsilon: 0.01, times: 2 },
        &WorthItsCost::new(0.1),
        &Any(both()),
        &All(both()),
    ];
    rules.into_iter().for_each(contract::stop_rule);
    let senseless = || contract::stop_rule(&WorthItsCost::new(0.0));
    assert!(catch_unwind(AssertUnwindSafe(senseless)).is_err());
}

/// A search with one defect.
#[derive(Clone, Copy)]
enum Defect {
    /// Counts its own calls.
    Counts,
    /// Fails when a trial failed.
    Fragile,
    /// Has another fingerprint each time.
    Nameless,
    None,
}

struct Wrong {
    defect: Defect,
    calls: u64,
}

impl Optimizer for Wrong {
    type Query = Config;
    type Recommendation = Config;

    fn ask(&mut self, history: &History<Config>, id: TrialId) -> Result<Ask<Config>, OptimizerError> {
        self.calls += 1;
        let number = if matches!(self.defect, Defect::Counts) { self.calls } else { id.0 };
        if matches!(self.defect, Defect::Fragile) && history.unsuccessful().next().is_some() {
            return Err(OptimizerError::failed("asking", "a failed trial"));
        }
        Ok(Ask::Evaluate(Suggestion::new(space().sample(&mut Seed(1).stream("wrong", number)))))
    }

    fn recommend(&mut self, _: &History<Config>) -> Result<Option<Config>, OptimizerError> {
        Ok(None)
    }

    fn fingerprint(&self) -> Result<Fingerprint, OptimizerError> {
        use std::sync::atomic::{AtomicU64, Ordering};
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number =
            if matches!(self.defect, Defect::Nameless) { NEXT.fetch_add(1, Ordering::Relaxed) } else { 0 };
        Fingerprint::new("wrong").with("number", &number)
    }
}

#[test]
fn defects_are_found() {
    let run = |defect| contract::optimizer(|| Wrong { defect, calls: 0 }, evaluate, 6);
    run(Defect::None);
    for defect in [Defect::Counts, Defect::Fragile, Defect::Nameless] {
        assert!(catch_unwind(AssertUnwindSafe(|| run(defect))).is_err(), "defect {}", defect as u8);
    }
}
