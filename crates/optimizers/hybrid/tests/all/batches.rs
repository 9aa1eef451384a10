//! Explored points of trials that run at the same time, around every optimiser.

use thrifty_bo::{BayesianOptimizer, InitialDesign, MultiObjectiveOptimizer};
use thrifty_cv::FoldQuery;
use thrifty_fcvopt::FractionalCv;
use thrifty_hybrid::{Exploration, Hybrid, HybridSettings, OnConvergence};
use thrifty_levelset::{LevelSetOptimizer, LevelSetSettings};
use thrifty_model_based::ModelBased;
use thrifty_sampling::Seed;
use thrifty_space::{Config, Space};
use thrifty_study::{Measurement, Next, Study};

const DESIGN: usize = 10;

fn square() -> Space {
    Space::from_bounds(&[(0.0, 1.0), (0.0, 1.0)]).unwrap()
}

fn at(config: &Config) -> [f64; 2] {
    ["x0", "x1"].map(|name| config.float(name).unwrap())
}

fn loss(config: &Config) -> f64 {
    let [x, y] = at(config);
    (5.0 * x).sin() + (4.0 * y - 1.0).cos()
}

/// Least distance of four points that a hybrid explores at the same time, after its design.
fn least_distance<O: ModelBased>(
    optimizer: O,
    config: fn(&O::Query) -> &Config,
    measure: fn(&O::Query) -> Measurement,
) -> f64 {
    let settings = HybridSettings {
        exploration: Exploration::FixedRate { rate: 1.0 },
        convergence: OnConvergence::Ignore,
        ..HybridSettings::default()
    };
    let hybrid = Hybrid::new(optimizer).with_settings(settings).unwrap();
    let mut study = Study::new(hybrid, Seed(4));
    let mut batch = Vec::new();
    for i in 0..DESIGN + 4 {
        let Next::Evaluate(trial) = study.ask().unwrap() else { panic!("trial {i}") };
        if i < DESIGN {
            study.tell(trial.id, measure(&trial.query)).unwrap();
        } else {
            assert_eq!(trial.diagnostics["explored"], 1.0, "trial {i}");
            batch.push(at(config(&trial.query)));
        }
    }
    let distance = |a: &[f64; 2], b: &[f64; 2]| (a[0] - b[0]).hypot(a[1] - b[1]);
    let pairs = batch.iter().enumerate().flat_map(|(i, a)| batch[..i].iter().map(move |b| distance(a, b)));
    pairs.fold(f64::INFINITY, f64::min)
}

/// Four points at the largest standard deviation, explored while the others run, are apart.
#[test]
fn explored_points_of_a_batch_are_apart() {
    let one = |config: &Config| Measurement::from(loss(config));
    let initial = || InitialDesign::Sobol(DESIGN);
    let bo = BayesianOptimizer::new(square());
    let settings = thrifty_bo::BoSettings { initial: initial(), ..bo.settings().clone() };
    let found = least_distance(bo.with_settings(settings).unwrap(), |config| config, one);
    assert!(found > 0.05, "one objective: {found}");
    let multi = MultiObjectiveOptimizer::new(square());
    let settings = thrifty_bo::MultiObjectiveSettings { initial: initial(), ..multi.settings().clone() };
    let two = |config: &Config| Measurement {
        objectives: vec![loss(config), at(config)[1]],
        ..Measurement::default()
    };
    let found = least_distance(multi.with_settings(settings).unwrap(), |config| config, two);
    assert!(found > 0.05, "two objectives: {found}");
    let settings =
        LevelSetSettings { initial: initial(), stop_when_certified: false, ..LevelSetSettings::above(0.3) };
    let found = least_distance(LevelSetOptimizer::new(square(), settings).unwrap(), |config| config, one);
    assert!(found > 0.05, "a level set: {found}");
    let folds = FractionalCv::new(square(), 3).unwrap();
    let settings = thrifty_fcvopt::FractionalSettings { initial: initial(), ..folds.settings().clone() };
    let of_fold = |query: &FoldQuery| Measurement::from(loss(&query.config) + 0.1 * query.fold as f64);
    let found = least_distance(folds.with_settings(settings).unwrap(), |query| &query.config, of_fold);
    assert!(found > 0.05, "folds: {found}");
}
