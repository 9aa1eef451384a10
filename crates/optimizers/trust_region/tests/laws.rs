//! Laws: the contract, restarts, edges.

use thrifty_model_based::{LossTransform, Repeats, is_modelled, measurement};
use thrifty_sampling::Seed;
use thrifty_search::InitialDesign;
use thrifty_space::{Config, Space};
use thrifty_study::{
    History, MaxTrials, Measurement, MemoKey, Next, Optimizer, Outcome, StopReason, Study, Trial, TrialId,
    contract,
};
use thrifty_trust_region::{TrustRegionOptimizer, TrustRegionSettings};

fn mixed() -> Space {
    let builder = Space::builder().float("x", -1.0, 1.0).int("n", 1, 6).categorical("c", ["a", "b"]);
    builder.log_float("y", 1e-3, 1.0).when("c", ["b"]).build().unwrap()
}

fn settings() -> TrustRegionSettings {
    let initial = InitialDesign::Sobol(3);
    TrustRegionSettings { initial, candidates: Some(64), ..TrustRegionSettings::default() }
}

fn loss(config: &Config) -> f64 {
    let float = |name| config.float(name).unwrap_or(0.5);
    float("x").powi(2) + 0.1 * config.int("n").unwrap_or(0) as f64 + float("y")
}

fn run(
    space: Space,
    settings: TrustRegionSettings,
    trials: usize,
    outcome: impl Fn(&Config) -> Outcome + Sync,
) -> Vec<Trial<Config>> {
    let optimizer = TrustRegionOptimizer::new(space).with_settings(settings).unwrap();
    let mut study = Study::new(optimizer, Seed(1)).with_stop(MaxTrials(trials));
    study.run(|config, _| outcome(config)).unwrap();
    study.history().trials().to_vec()
}

#[test]
fn contract_of_optimisers() {
    let make = || TrustRegionOptimizer::new(mixed()).with_settings(settings()).unwrap();
    let evaluate = |config: &Config, id: TrialId| {
        if id.0 == 2 { Outcome::failed("once") } else { Outcome::from(loss(config)) }
    };
    contract::optimizer(make, evaluate, 9);
    // With restarts: a region that collapses at the first failure.
    let hasty = || {
        let settings = TrustRegionSettings { smallest: 0.7, failures_in_a_row: Some(1), ..settings() };
        TrustRegionOptimizer::new(mixed()).with_settings(settings).unwrap()
    };
    contract::optimizer(hasty, evaluate, 14);
}

/// A trial counts as the model's whatever transform of the losses was taken, and the region shrinks after failures beyond the losses up to which
/// each ask chooses.
#[test]
fn trials_count_under_a_chosen_transform() {
    let settings = TrustRegionSettings {
        losses: LossTransform::Chosen,
        failures_in_a_row: Some(2),
        smallest: 1e-9,
        ..settings()
    };
    let bowl = |config: &Config| {
        let [x, y] = ["x0", "x1"].map(|name| config.float(name).unwrap());
        Outcome::from((x - 0.3).powi(2) + (y - 0.6).powi(2))
    };
    let trials = run(Space::unit_cube(2), settings, 75, bowl);
    let suggested: Vec<&Trial<Config>> =
        trials.iter().filter(|t| t.diagnostics.contains_key("side")).collect();
    assert!(suggested.len() >= 70 && suggested.iter().all(|trial| is_modelled(trial)));
    let model = MemoKey::<Vec<f64>>::new("model");
    assert!(
        suggested.iter().any(|trial| !trial.memo.contains(&model)),
        "losses as they are are kept at times"
    );
    let side = |at: usize| trials[at].diagnostics["side"];
    assert!(side(74) < side(55), "{} {}", side(74), side(55));
}

#[test]
fn a_collapsed_region_starts_a_new_run() {
    let settings = TrustRegionSettings { smallest: 0.7, failures_in_a_row: Some(1), ..settings() };
    let trials = run(Space::unit_cube(2), settings, 12, |_| Outcome::from(1.0));
    let run: Vec<f64> = trials.iter().filter_map(|trial| trial.diagnostics.get("run").copied()).collect();
    // Three designed trials, one of the model that is a failure, and so on.
    assert_eq!(run, [0.0, 1.0, 2.0]);
    // Trials remember their run, those of the first nothing.
    let remembered: Vec<Option<u64>> =
        trials.iter().map(|trial| trial.memo.get(&MemoKey::new("run"))).collect();
    assert_eq!(remembered, [[None; 4], [Some(1); 4], [Some(2); 4]].concat());
}

/// Each run begins with a Latin hypercube of its own.
/// A trial of which a part is enqueued is no failure of the region, and its side stays.
#[test]
fn enqueued_parts_are_no_failures() {
    let optimizer = TrustRegionOptimizer::new(mixed()).with_settings(settings()).unwrap();
    let mut study = Study::new(optimizer, Seed(1));
    for trial in 0..24 {
        // After the design and a first trial of the region, 19 bad parts.
        let is_bad = (4..23).contains(&trial);
        if is_bad {
            let mut part = Config::new();
            part.insert("n", 6_i64);
            study.enqueue(part).unwrap();
        }
        let Next::Evaluate(trial) = study.ask().unwrap() else { panic!("no trial") };
        let loss = loss(&trial.query) + if is_bad { 10.0 } else { 0.0 };
        study.tell(trial.id, loss).unwrap();
    }
    let side = |at: usize| study.history().trials()[at].diagnostics["side"];
    // The first trial of the region may have been a success or a failure, but the parts are neither.
    assert!(side(23) >= 0.5 * side(3), "{} {}", side(23), side(3));
}

#[test]
fn runs_have_a_latin_hypercube_each() {
    let initial = InitialDesign::LatinHypercube(5);
    let settings = TrustRegionSettings { initial, smallest: 0.7, failures_in_a_row: Some(1), ..settings() };
    let trials = run(Space::unit_cube(1), settings, 18, |_| Outcome::from(1.0));
    // Five designed trials, and one of the model that is a failure.
    for run in trials.chunks(6) {
        let slice = |trial: &Trial<Config>| (5.0 * trial.query.float("x0").unwrap()) as usize;
        let mut slices: Vec<usize> = run[..5].iter().map(slice).collect();
        slices.sort_unstable();
        assert_eq!(slices, [0, 1, 2, 3, 4]);
    }
}

/// The last plan caps the designs where the settings have no number of their own.
#[test]
fn a_plan_is_a_budget() {
    let mut planned = TrustRegionOptimizer::new(mixed()).with_settings(settings()).unwrap();
    planned.plan(48);
    planned.plan(60);
    assert_eq!(planned.settings().budget, Some(60));
}

#[test]
fn settings_out_of_range_are_refused() {
    let with = |settings| TrustRegionOptimizer::new(Space::unit_cube(2)).with_settings(settings);
    let error = with(TrustRegionSettings { successes: 0, ..settings() }).err().unwrap().to_string();
    assert!(error.contains("successes is 0"), "{error}");
    let error = with(TrustRegionSettings { side: 1.7, ..settings() }).err().unwrap().to_string();
    assert!(error.contains("side is 1.7"), "{error}");
}

#[test]
fn twenty_dimensions_are_searched() {
    let space = Space::unit_cube(20);
    let settings =
        TrustRegionSettings { initial: InitialDesign::Sobol(20), candidates: Some(500), ..settings() };
    let sphere = |config: &Config| {
        Outcome::from(
            (0..20).map(|i| (config.float(&format!("x{i}")).unwrap_or(0.0) - 0.4).powi(2)).sum::<f64>(),
        )
    };
    let trials = run(space, settings, 70, sphere);
    let best = |trials: &[Trial<Config>]| {
        trials.iter().filter_map(|t| t.outcome.as_ref()?.objective()).fold(f64::INFINITY, f64::min)
    };
    // Random points have a loss of 1.9 ± 0.3.
    assert!(best(&trials) < 0.5 * best(&trials[..20]), "{} after {}", best(&trials), best(&trials[..20]));
}

#[test]
fn measured_constraints_are_kept() {
    let trials = run(Space::unit_cube(2), settings(), 25, |config| {
        let x = config.float("x0").unwrap_or(0.0);
        Measurement { objectives: vec![x], constraints: vec![0.5 - x], ..Measurement::default() }.into()
    });
    let optimizer = &mut TrustRegionOptimizer::new(Space::unit_cube(2));
    let best = optimizer.recommend(&History::from_trials(trials, Seed(1))).unwrap().unwrap();
    assert!((0.5..0.6).contains(&best.value), "{}", best.value);
}

/// Candidates that likely hold a constraint come first: half of the cube breaks it, and the loss falls towards that half.
#[test]
fn likely_feasible_candidates_come_first() {
    let trials = run(Space::unit_cube(2), settings(), 25, |config| {
        let (x, y) = (config.float("x0").unwrap_or(0.0), config.float("x1").unwrap_or(0.0));
        Measurement { objectives: vec![x + 0.1 * y], constraints: vec![0.5 - x], ..Measurement::default() }
            .into()
    });
    let suggested: Vec<f64> = trials
        .iter()
        .filter(|trial| trial.diagnostics.contains_key("mean"))
        .map(|trial| trial.query.float("x0").unwrap_or(0.0))
        .collect();
    let kept = suggested.iter().filter(|x| **x >= 0.5).count();
    assert!(3 * kept > 2 * suggested.len(), "{kept} of {}: {suggested:?}", suggested.len());
}

#[test]
fn edges() {
    // Constant losses, nothing but failures, one dimension, wide and narrow bounds, nothing to choose, a finite space.
    assert_eq!(run(Space::unit_cube(1), settings(), 12, |_| Outcome::from(1.0)).len(), 12);
    assert_eq!(run(mixed(), settings(), 12, |_| Outcome::failed("always")).len(), 12);
    assert_eq!(run(mixed(), settings(), 12, |_| Outcome::from(f64::NAN).checked()).len(), 12);
    let bounds = Space::from_bounds(&[(-1e12, 1e12), (1e-12, 2e-12)]).unwrap();
    for scale in [1e-12, 1.0, 1e12] {
        let found = run(bounds.clone(), settings(), 10, |config| {
            Outcome::from(scale * config.float("x0").unwrap_or(0.0))
        });
        assert_eq!(found.len(), 10);
    }
    let fixed = Space::builder().float("a", 1.0, 1.0).build().unwrap();
    assert_eq!(run(fixed, settings(), 5, |_| Outcome::from(0.0)).len(), 1);
    let finite = Space::builder().int("n", 1, 7).build().unwrap();
    let found =
        run(finite.clone(), settings(), 20, |config| Outcome::from(config.int("n").unwrap_or(0) as f64));
    assert_eq!(found.len(), 7);
    let history = History::from_trials(found, Seed(1));
    let asked = TrustRegionOptimizer::new(finite).ask(&history, TrialId(7)).unwrap();
    assert_eq!(asked, thrifty_study::Ask::Stop(StopReason::Exhausted));
}

/// Configurations from elsewhere: those of the space are taken, with values missing only where they are to be completed.
#[test]
fn configurations_of_another_space_are_refused() {
    let optimizer = TrustRegionOptimizer::new(Space::unit_cube(2));
    let config = |values: &[(&str, f64)]| {
        let mut config = Config::new();
        values.iter().for_each(|(name, value)| config.insert(*name, *value));
        config
    };
    let (whole, part) = (config(&[("x0", 0.2), ("x1", 0.7)]), config(&[("x0", 0.2)]));
    assert!(optimizer.check(&whole, true).is_ok() && optimizer.check(&part, false).is_ok());
    let error = optimizer.check(&part, true).unwrap_err().to_string();
    assert!(error.contains("configuration from elsewhere"), "{error}");
    for (bad, reason) in [
        (config(&[("x0", 0.2), ("x1", 1.5)]), "out of range"),
        (config(&[("x0", 0.2), ("y", 0.5)]), "no such parameter"),
    ] {
        assert!(optimizer.check(&bad, true).is_err() && optimizer.check(&bad, false).is_err(), "{reason}");
    }
    let mut study = Study::new(optimizer, Seed(1)).with_stop(MaxTrials(1));
    assert!(study.enqueue(config(&[("x0", 1.5)])).is_err(), "a study asks the optimiser");
}

#[test]
fn known_constraints_hold() {
    let allowed = |config: &Config| config.float("x0").is_ok_and(|x| x > 0.4);
    let optimizer = TrustRegionOptimizer::new(Space::unit_cube(2)).with_settings(settings()).unwrap();
    let mut study = Study::new(optimizer.with_known_constraint(allowed), Seed(1)).with_stop(MaxTrials(12));
    study.run(|config, _| config.float("x0").unwrap_or(f64::NAN)).unwrap();
    assert!(study.history().trials().iter().all(|trial| allowed(&trial.query)));
}

/// A region that is nowhere likely feasible moves to where it is, not to small losses.
#[test]
fn a_study_without_a_feasible_trial_looks_for_one() {
    const DIM: usize = 10;
    let outcome = |config: &Config| {
        let distance = |at: f64| -> f64 {
            (0..DIM).map(|d| (config.float(&format!("x{d}")).unwrap() - at).powi(2)).sum()
        };
        let constraints = vec![distance(0.8) - 0.35];
        Outcome::from(Measurement { objectives: vec![distance(0.2)], constraints, ..Measurement::default() })
    };
    let settings = TrustRegionSettings { candidates: Some(256), ..TrustRegionSettings::default() };
    let trials = run(Space::unit_cube(DIM), settings, 50, outcome);
    let is_feasible = |trial: &&Trial<Config>| measurement(trial).is_some_and(|m| m.constraints[0] <= 0.0);
    assert!(trials.iter().find(is_feasible).is_some(), "no feasible trial");
}

/// Four arms, one of which fails. Evaluated again where measurements have a noise variance or the setting says so, without the arm that
/// failed; else the study ends.
#[test]
fn an_exhausted_space_is_repeated_under_noise() {
    let run = |repeats: Option<Repeats>, noise_variance: Option<f64>| {
        let space = Space::builder().int("arm", 0, 3).build().unwrap();
        let settings = TrustRegionSettings { repeats, ..settings() };
        let trials = run(space, settings, 20, |config| match config.int("arm").unwrap() {
            3 => Outcome::failed("out of memory"),
            arm => Measurement { noise_variance, ..Measurement::from(arm as f64) }.into(),
        });
        (trials.len(), trials.iter().filter(|trial| trial.query.int("arm") == Ok(3)).count())
    };
    assert_eq!(run(None, Some(0.1)), (20, 1));
    assert_eq!(run(Some(Repeats::OnceExhausted), None), (20, 1));
    assert_eq!(run(None, None), (4, 1));
    assert_eq!(run(Some(Repeats::Never), Some(0.1)), (4, 1));
}
