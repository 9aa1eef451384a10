//! For 100 seeds and every optimiser: a study killed after any event, and opened again with a new optimiser,
//! makes the same suggestions to the last bit.

use std::fs;
use std::path::Path;

use thrifty::autobct::{AutoBct, AutoBctSettings, State};
use thrifty::bo::Maximizer;

use thrifty::cv::FoldQuery;
use thrifty::fcvopt::{FoldAcquisition, FoldCosts, FractionalCv, FractionalSettings};
use thrifty::gp::Refit;
use thrifty::linear::{Coefficients, Polynomial};
use thrifty::prelude::*;
use thrifty::search::{Nsga2, Nsga2Settings};
use thrifty::study::{Best, Context, Schedule};
use thrifty::tpe::Startup;

type Any = Box<dyn Optimizer<Query = Config, Recommendation = Best<Config>>>;

const TRIALS: usize = 6;

fn space() -> Space {
    let builder = Space::builder().float("x", -1.0, 1.0).int("n", 1, 6).categorical("c", ["a", "b"]);
    builder.log_float("y", 1e-3, 1.0).when("c", ["b"]).build().unwrap()
}

/// Small maximisers: what is tested is where state comes from, not how good suggestions are.
fn settings(rule: AcquisitionKind) -> BoSettings {
    let maximizer = Maximizer { raw: 32, around_best: 2, climbs: 1 };
    BoSettings { initial: InitialDesign::Sobol(3), rule, maximizer, ..BoSettings::default() }
}

fn hybrid(exploration: Exploration, convergence: OnConvergence) -> Any {
    let settings = HybridSettings { exploration, convergence, epsilon: 0.05, ..HybridSettings::default() };
    let base =
        BayesianOptimizer::new(space()).with_settings(self::settings(AcquisitionKind::default())).unwrap();
    Box::new(Hybrid::new(base).with_settings(settings).unwrap())
}

fn optimizer(which: usize) -> Any {
    let coin = Exploration::FixedRate { rate: 0.3 };
    match which {
        0 => Box::new(RandomSearch::new(space())),
        1 => Box::new(SobolSearch::new(space())),
        2 => Box::new(
            BayesianOptimizer::new(space()).with_settings(settings(AcquisitionKind::default())).unwrap(),
        ),
        3 => hybrid(coin, OnConvergence::Force),
        4 => hybrid(Exploration::PiScaled { basis: 1.0, floor: 0.1 }, OnConvergence::Skip),
        _ => hybrid(Exploration::EpsPareto { epsilon: 0.3 }, OnConvergence::Ignore),
    }
}

fn evaluate(config: &Config, context: &mut Context<'_>) -> Outcome {
    if context.id.0 == 2 {
        return Outcome::failed("once");
    }
    let float = |name| config.float(name).unwrap_or(0.5);
    Outcome::from(float("x").powi(2) + 0.1 * float("n") + float("y") + 0.01 * context.noise().uniform())
}

/// Every query and diagnostic to the bit, and how it ended.
fn run<O>(
    path: &Path,
    optimizer: O,
    seed: u64,
    window: usize,
    evaluate: fn(&O::Query, &mut Context<'_>) -> Outcome,
) -> Vec<String>
where
    O: Optimizer<Query: std::fmt::Debug>,
{
    let mut study = Study::new(optimizer, Seed(seed))
        .with_stop(MaxTrials(TRIALS))
        .with_schedule(Schedule::Window(window))
        .with_journal(path)
        .unwrap();
    study.run(evaluate).unwrap();
    let bits =
        |d: &std::collections::BTreeMap<String, f64>| d.values().map(|v| v.to_bits()).collect::<Vec<_>>();
    let one = |t: &thrifty::study::Trial<O::Query>| {
        format!("{:?} {:?} {:?} {:?}", t.query, bits(&t.diagnostics), t.memo, t.outcome)
    };
    study.history().trials().iter().map(one).collect()
}

fn check<O>(make: impl Fn() -> O, seeds: u64, evaluate: fn(&O::Query, &mut Context<'_>) -> Outcome)
where
    O: Optimizer<Query: std::fmt::Debug>,
{
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal");
    for seed in 0..seeds {
        let window = 1 + (seed % 3) as usize;
        let _ = fs::remove_file(&path);
        let expected = run(&path, make(), seed, window, evaluate);
        let bytes = fs::read(&path).unwrap();
        let ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1);
        for end in ends {
            fs::write(&path, &bytes[..end]).unwrap();
            let again = run(&path, make(), seed, window, evaluate);
            assert_eq!(again, expected, "seed {seed}, cut at byte {end}");
        }
    }
}

fn fractional(acquisition: FoldAcquisition) -> FractionalCv {
    fractional_with(acquisition, FractionalSettings::new(3).refit)
}

fn fractional_with(acquisition: FoldAcquisition, refit: Refit) -> FractionalCv {
    let maximizer = Maximizer { raw: 32, around_best: 2, climbs: 1 };
    let base = FractionalSettings::new(3);
    let settings = FractionalSettings {
        initial: InitialDesign::Sobol(3),
        acquisition,
        maximizer,
        costs: FoldCosts::Measured,
        refit,
        ..base
    };
    FractionalCv::new(space(), settings.folds).and_then(|cv| cv.with_settings(settings)).unwrap()
}

fn evaluate_fold(query: &FoldQuery, context: &mut Context<'_>) -> Outcome {
    match evaluate(&query.config, context) {
        Outcome::Measured(measurement) => {
            let loss = measurement.objectives[0] + 0.1 * query.fold as f64;
            let cost = Some(1.0 + query.fold as f64);
            Measurement { objectives: vec![loss], cost, ..measurement }.into()
        }
        other => other,
    }
}

fn budgeted() -> AutoBct {
    let space = Space::builder().float("u", 0.0, 1.0).build().unwrap();
    let belief = |level: f64| Coefficients::independent(vec![level, 0.3, 0.0], &[1.0, 1.0, 1.0]).unwrap();
    let basis = Polynomial::of_one(2, 0.5);
    let state = State { score: belief(0.3), cost: belief(0.4) };
    let settings = AutoBctSettings { grid: 11, later_grid: 11, ..AutoBctSettings::default() };
    AutoBct::new(space, &basis, &basis, state, settings).unwrap()
}

fn train(config: &Config, context: &mut Context<'_>) -> Outcome {
    if context.id.0 == 1 {
        return Outcome::failed("once");
    }
    let u = config.float("u").unwrap_or(0.0);
    let score = 0.4 + 0.5 * u + 0.02 * context.noise().uniform();
    Measurement { objectives: vec![score], cost: Some(0.05 + 0.2 * u), ..Measurement::default() }.into()
}

#[test]
fn random_search() {
    check(|| optimizer(0), 100, evaluate);
}

#[test]
fn sobol_search() {
    check(|| optimizer(1), 100, evaluate);
}

#[test]
fn bayesian_optimization() {
    check(|| optimizer(2), 100, evaluate);
}

#[test]
fn hybrid_fixed_rate() {
    check(|| optimizer(3), 100, evaluate);
}

#[test]
fn hybrid_pi_scaled() {
    check(|| optimizer(4), 100, evaluate);
}

#[test]
fn hybrid_pareto() {
    check(|| optimizer(5), 100, evaluate);
}

/// Two losses and a constraint.
fn evaluate_several(config: &Config, context: &mut Context<'_>) -> Outcome {
    if context.id.0 == 2 {
        return Outcome::failed("once");
    }
    let float = |name| config.float(name).unwrap_or(0.5);
    let objectives = vec![float("x").powi(2) + float("y"), float("n") - float("x")];
    let constraints = vec![float("x") - 0.5 + 0.1 * context.noise().uniform()];
    Measurement { objectives, constraints, ..Measurement::default() }.into()
}

#[test]
fn several_objectives() {
    let maximizer = Maximizer { raw: 32, around_best: 2, climbs: 1 };
    let settings = MultiObjectiveSettings {
        initial: InitialDesign::Sobol(3),
        maximizer,
        ..MultiObjectiveSettings::default()
    };
    let ours = || MultiObjectiveOptimizer::new(space()).with_settings(settings.clone()).unwrap();
    check(ours, 40, evaluate_several);
    let settings =
        Nsga2Settings { population: 2, initial: InitialDesign::Sobol(2), ..Nsga2Settings::default() };
    check(|| Nsga2::new(space()).with_settings(settings.clone()).unwrap(), 40, evaluate_several);
}

#[test]
fn parzen_estimators() {
    // Of six trials three are suggested by estimators.
    let settings = TpeSettings { startup: Startup::Sobol(3), ..TpeSettings::default() };
    check(|| TpeOptimizer::new(space()).unwrap().with_settings(settings.clone()).unwrap(), 100, evaluate);
}

#[test]
fn fractional_cross_validation() {
    let bound = FractionalSettings::new(3).acquisition;
    check(|| fractional(bound), 20, evaluate_fold);
    check(|| fractional(FoldAcquisition::JointKnowledgeGradient), 10, evaluate_fold);
    // The first suggestion by the model learns, the others keep what it learnt.
    let refit = Refit::WhenNeeded { from: 0, growth: 9.0, restarts_until: 9 };
    check(|| fractional_with(bound, refit), 10, evaluate_fold);
}

#[test]
fn training_under_a_budget() {
    check(budgeted, 20, train);
}

#[test]
fn a_journal_of_another_space_or_seed_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal");
    run(&path, optimizer(2), 1, 1, evaluate);
    let open = |optimizer: BayesianOptimizer, seed| Study::new(optimizer, seed).with_journal(&path).err();
    let other = Space::builder().float("x", -1.0, 2.0).build().unwrap();
    let error = open(BayesianOptimizer::new(other), Seed(1)).expect("another space").to_string();
    assert!(error.contains("settings") && error.contains("space"), "{error}");
    let same = BayesianOptimizer::new(space()).with_settings(settings(AcquisitionKind::default())).unwrap();
    let error = open(same, Seed(2)).expect("another seed").to_string();
    assert!(error.contains("seed 1") && error.contains('2'), "{error}");
}
