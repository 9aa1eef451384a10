//! For 100 seeds and every optimiser: a study killed after any event, and opened again with a new optimiser,
//! makes the same suggestions to the last bit.

use std::fs;
use std::path::Path;

use thrifty::bo::Maximiser;
use thrifty::prelude::*;
use thrifty::study::Schedule;

type Any = Box<dyn Optimizer<Query = Config, Recommendation = Config>>;

const TRIALS: usize = 6;

fn space() -> Space {
    let builder = Space::builder().float("x", -1.0, 1.0).int("n", 1, 6).categorical("c", ["a", "b"]);
    builder.log_float("y", 1e-3, 1.0).when("c", ["b"]).build().unwrap()
}

/// Small maximisers: what is tested is where state comes from, not how good suggestions are.
fn settings(rule: Rule) -> BoSettings {
    let maximiser = Maximiser { raw: 32, around_best: 2, climbs: 1 };
    BoSettings { initial: InitialDesign::Sobol(3), rule, maximiser, ..BoSettings::default() }
}

fn hybrid(seed: u64, exploration: Exploration, convergence: OnConvergence) -> Any {
    let settings = HybridSettings {
        base: settings(Rule::default()),
        exploration,
        convergence,
        epsilon: 0.05,
        ..HybridSettings::default()
    };
    Box::new(HybridOptimizer::new(space(), Seed(seed), settings).unwrap())
}

fn optimizer(which: usize, seed: u64) -> Any {
    let coin = Exploration::FixedRate { rate: 0.3 };
    match which {
        0 => Box::new(RandomSearch { space: space(), seed: Seed(seed) }),
        1 => Box::new(SobolSearch { space: space(), seed: Seed(seed) }),
        2 => Box::new(
            BayesianOptimizer::new(space(), Seed(seed)).with_settings(settings(Rule::default())).unwrap(),
        ),
        3 => hybrid(seed, coin, OnConvergence::Force),
        4 => hybrid(seed, Exploration::PiScaled { basis: 1.0, floor: 0.1 }, OnConvergence::Skip),
        _ => hybrid(seed, Exploration::EpsPareto { epsilon: 0.3 }, OnConvergence::Ignore),
    }
}

fn evaluate(config: &Config, context: &mut thrifty::study::Context<'_>) -> Outcome {
    if context.id.0 == 2 {
        return Outcome::failed("once");
    }
    let float = |name| config.float(name).unwrap_or(0.5);
    Outcome::from(float("x").powi(2) + 0.1 * float("n") + float("y") + 0.01 * context.noise().uniform())
}

/// Every query and diagnostic to the bit, and how it ended.
fn run(path: &Path, which: usize, seed: u64, window: usize) -> Vec<String> {
    let mut study = Study::new(optimizer(which, seed), Seed(seed))
        .with_stop(MaxTrials(TRIALS))
        .with_schedule(Schedule::Window(window))
        .with_journal(path)
        .unwrap();
    study.run(evaluate).unwrap();
    let bits =
        |d: &std::collections::BTreeMap<String, f64>| d.values().map(|v| v.to_bits()).collect::<Vec<_>>();
    let one = |t: &thrifty::study::Trial<Config>| {
        format!("{:?} {:?} {:?} {:?}", t.query, bits(&t.diagnostics), t.memo, t.outcome)
    };
    study.history().trials().iter().map(one).collect()
}

fn check(which: usize) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal");
    for seed in 0..100 {
        let window = 1 + (seed % 3) as usize;
        let _ = fs::remove_file(&path);
        let expected = run(&path, which, seed, window);
        let bytes = fs::read(&path).unwrap();
        let ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1);
        for end in ends {
            fs::write(&path, &bytes[..end]).unwrap();
            assert_eq!(
                run(&path, which, seed, window),
                expected,
                "optimiser {which}, seed {seed}, cut at byte {end}"
            );
        }
    }
}

#[test]
fn random_search() {
    check(0);
}

#[test]
fn sobol_search() {
    check(1);
}

#[test]
fn bayesian_optimization() {
    check(2);
}

#[test]
fn hybrid_fixed_rate() {
    check(3);
}

#[test]
fn hybrid_pi_scaled() {
    check(4);
}

#[test]
fn hybrid_pareto() {
    check(5);
}

#[test]
fn a_journal_of_another_space_or_seed_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal");
    run(&path, 2, 1, 1);
    let open = |optimizer: BayesianOptimizer, seed| Study::new(optimizer, seed).with_journal(&path).err();
    let other = Space::builder().float("x", -1.0, 2.0).build().unwrap();
    let error = open(BayesianOptimizer::new(other, Seed(1)), Seed(1)).expect("another space").to_string();
    assert!(error.contains("settings") && error.contains("space"), "{error}");
    let same = BayesianOptimizer::new(space(), Seed(1)).with_settings(settings(Rule::default())).unwrap();
    let error = open(same, Seed(2)).expect("another seed").to_string();
    assert!(error.contains("seed 1") && error.contains('2'), "{error}");
}
