//! Last trials of a planned study.

use rand_distr::{Distribution, StandardNormal};
use thrifty_acquisition::{AcquisitionKind, Schedule};
use thrifty_bo::{BayesianOptimizer, BoSettings, Convergence, GpSurrogate, InitialDesign, TiePolicy};
use thrifty_sampling::{Seed, Sobol};
use thrifty_space::{Config, Space, SpaceError};
use thrifty_study::{
    EXPECTED_IMPROVEMENT, History, MaxTrials, Measurement, Memo, MemoKey, Next, Optimizer, Study, Trial,
};

/// A function whose minimum 20 trials have found.
fn loss(config: &Config) -> Result<f64, SpaceError> {
    Ok(of_numbers(config.float("x0")?, config.float("x1")?))
}

fn of_numbers(x: f64, y: f64) -> f64 {
    (5.0 * x).sin() + (y - 0.4).powi(2) + 0.3 * (5.0 * y).cos()
}

/// A function with which a search has not come to its end after 24 trials.
fn wavy(config: &Config) -> Result<f64, SpaceError> {
    let (x, y) = (config.float("x0")?, config.float("x1")?);
    Ok((5.0 * x).sin() + (y - 0.4).powi(2) + 0.3 * (13.0 * y).cos())
}

/// The trials of a study of 24 that is planned for so many, if for any.
fn trials(ending: usize, planned: Option<usize>) -> Vec<Trial<Config>> {
    let settings = BoSettings { ending, budget: planned, ..BoSettings::default() };
    let optimizer = BayesianOptimizer::new(Space::unit_cube(2)).with_settings(settings).unwrap();
    let mut study = Study::new(optimizer, Seed(3)).with_stop(MaxTrials(24));
    study.run(|config, _| loss(config)).unwrap();
    study.history().trials().to_vec()
}

fn queries(trials: &[Trial<Config>]) -> Vec<Config> {
    trials.iter().map(|trial| trial.query.clone()).collect()
}

/// True for trials at the least posterior mean.
fn polished(trials: &[Trial<Config>]) -> Vec<bool> {
    trials.iter().map(|trial| trial.diagnostics.get("polished") == Some(&1.0)).collect()
}

/// The trials before the last ones are those of a study without an ending. All of them have the numbers that stop rules read.
#[test]
fn the_last_planned_trials_alone_are_others() {
    let (without, with) = (trials(0, Some(24)), trials(3, Some(24)));
    assert_eq!(queries(&with)[..21], queries(&without)[..21]);
    assert_ne!(queries(&with)[21], queries(&without)[21]);
    assert!(!polished(&without).contains(&true) && !polished(&with[..21]).contains(&true));
    assert_eq!(polished(&with[21..]), [true; 3]);
    assert!(with[21..].iter().all(|trial| trial.memo.get(&EXPECTED_IMPROVEMENT).is_some()));
    assert!(with[21..].iter().all(|trial| !trial.diagnostics.contains_key("acquisition")));
    let best = |trials: &[Trial<Config>]| {
        trials.iter().map(|trial| loss(&trial.query).unwrap()).fold(f64::INFINITY, f64::min)
    };
    assert!(best(&with) <= best(&without));
}

/// No other point has a lower posterior mean, but for the tolerance of a search, and what is gained is the improvement at that point.
#[test]
fn they_are_at_the_least_posterior_mean() {
    let all = trials(3, Some(24));
    let settings = BoSettings { ending: 3, budget: Some(24), ..BoSettings::default() };
    let optimizer = BayesianOptimizer::new(Space::unit_cube(2)).with_settings(settings).unwrap();
    for at in 21..24 {
        let history = History::from_trials(all[..at].to_vec(), Seed(3));
        let state = optimizer.state(&history, all[at].id).unwrap().unwrap();
        let mean = |x: &[f64]| state.posterior().predict(x).mean;
        let x = Space::unit_cube(2).encode(&all[at].query).unwrap();
        let points = Sobol::scrambled(2, &mut Seed(9).stream("points", 0)).take(512);
        let least = points.rows().map(mean).fold(f64::INFINITY, f64::min);
        assert!(mean(&x) <= least + 1e-6, "{at}: {} {least}", mean(&x));
        let target = state.target(optimizer.acquisition().target());
        let gain = state.in_units_of_loss(state.feasible_improvement(&x, target), target);
        let told = all[at].diagnostics["expected_gain"];
        assert!((told - gain).abs() <= 1e-9 * gain.abs().max(1e-12), "{at}: {told} {gain}");
    }
}

/// The last trials go on as those before while more than digits are to be gained.
#[test]
fn an_unresolved_search_goes_on() {
    let of = |ending| -> Vec<Trial<Config>> {
        let settings = BoSettings { ending, budget: Some(24), ..BoSettings::default() };
        let optimizer = BayesianOptimizer::new(Space::unit_cube(2)).with_settings(settings).unwrap();
        let mut study = Study::new(optimizer, Seed(3)).with_stop(MaxTrials(24));
        study.run(|config, _| wavy(config)).unwrap();
        study.history().trials().to_vec()
    };
    let with = of(3);
    assert_eq!(queries(&with), queries(&of(0)));
    assert!(!polished(&with).contains(&true));
}

/// Without a plan, and beyond it, there is no end to prepare for.
#[test]
fn without_a_plan_there_is_no_ending() {
    assert_eq!(queries(&trials(3, None)), queries(&trials(0, None)));
    let (short, never) = (trials(3, Some(22)), trials(0, Some(22)));
    assert_eq!(queries(&short)[..19], queries(&never)[..19]);
    assert!(polished(&short[19..22]).contains(&true));
    assert!(!polished(&short[22..]).contains(&true));
}

/// One of the trials that run at the same time is at the least posterior mean, as the others would be there too; after it another one is.
#[test]
fn of_running_trials_one_polishes() {
    let settings = BoSettings { ending: 5, budget: Some(27), ..BoSettings::default() };
    let optimizer = BayesianOptimizer::new(Space::unit_cube(2)).with_settings(settings).unwrap();
    let mut study = Study::new(optimizer, Seed(3)).with_stop(MaxTrials(22));
    study.run(|config, _| loss(config)).unwrap();
    let mut study = study.with_stop(MaxTrials(27));
    for _ in 0..4 {
        assert!(matches!(study.ask().unwrap(), Next::Evaluate(_)));
    }
    assert_eq!(polished(&study.history().trials()[22..]), [true, false, false, false]);
    let first = study.history().trials()[22].clone();
    study.tell(first.id, loss(&first.query).unwrap()).unwrap();
    assert!(matches!(study.ask().unwrap(), Next::Evaluate(_)));
    assert_eq!(polished(&study.history().trials()[26..]), [true]);
}

/// The trials of a study of twelve batches of four, each asked in full, then told in full.
fn in_batches(settings: BoSettings) -> Vec<Trial<Config>> {
    let optimizer = BayesianOptimizer::new(Space::unit_cube(2)).with_settings(settings).unwrap();
    let mut study = Study::new(optimizer, Seed(3)).with_stop(MaxTrials(48));
    for _ in 0..12 {
        let batch = [(); 4].map(|()| match study.ask().unwrap() {
            Next::Evaluate(trial) => trial,
            other => panic!("{other:?}"),
        });
        for trial in batch {
            study.tell(trial.id, loss(&trial.query).unwrap()).unwrap();
        }
    }
    study.history().trials().to_vec()
}

/// In batches the last steps are batches, with one trial each at the least posterior mean: before them no trial is.
#[test]
fn each_of_the_last_batches_polishes_once() {
    let settings = BoSettings { ending: 3, budget: Some(48), ..BoSettings::default() };
    let trials = in_batches(settings);
    let polished = polished(&trials);
    let counts: Vec<usize> = polished.chunks(4).map(|batch| batch.iter().filter(|p| **p).count()).collect();
    assert_eq!(counts, [0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1]);
}

/// Only the trial at the least mean is another one: those that run beside it leave a minimum that is found, until the last three of all.
#[test]
fn beside_it_a_search_leaves_its_minimum() {
    let convergence = Convergence::Explore { epsilon: 1e-3 };
    let settings = BoSettings { ending: 3, budget: Some(48), convergence, ..BoSettings::default() };
    let trials = in_batches(settings);
    let polished = polished(&trials[36..]);
    let explored: Vec<bool> =
        trials[36..].iter().map(|trial| trial.diagnostics.get("explored") == Some(&1.0)).collect();
    assert_eq!(polished.iter().filter(|p| **p).count(), 3);
    assert!(
        explored[..9].iter().zip(&polished).all(|(explored, polished)| explored != polished),
        "{explored:?}"
    );
    assert_eq!(explored[9..], [false; 3]);
}

/// A finite space has no digits to gain.
/// A point that others put in the place of the least mean is not marked as one there.
#[test]
fn a_moved_trial_is_not_polished() {
    let mark = MemoKey::<f64>::new("polished");
    let mut memo = Memo::default();
    memo.set(&mark, &1.0);
    memo.set(&MemoKey::<Vec<f64>>::new("model"), &vec![0.5]);
    let moved = BayesianOptimizer::new(Space::unit_cube(2)).moved(memo.clone());
    assert!(!moved.contains(&mark) && moved.contains(&MemoKey::<Vec<f64>>::new("model")));
}

#[test]
fn finite_spaces_have_no_ending() {
    let space = Space::builder().int("x0", 0, 40).int("x1", 0, 40).build().unwrap();
    let of = |ending| {
        let settings = BoSettings { ending, budget: Some(24), ..BoSettings::default() };
        let optimizer = BayesianOptimizer::new(space.clone()).with_settings(settings).unwrap();
        let mut study = Study::new(optimizer, Seed(3)).with_stop(MaxTrials(24));
        let value = |config: &Config, name| Ok::<f64, SpaceError>(config.int(name)? as f64 / 40.0);
        study
            .run(|config, _| Ok::<f64, SpaceError>(of_numbers(value(config, "x0")?, value(config, "x1")?)))
            .unwrap();
        queries(study.history().trials())
    };
    assert_eq!(of(3), of(0));
}

/// Trials of a study of 24 whose last three polish, within `x0 + x1 ≤ bound`.
fn within(bound: f64, ending: usize) -> Vec<Trial<Config>> {
    let settings = BoSettings { ending, budget: Some(24), ..BoSettings::default() };
    let optimizer = BayesianOptimizer::new(Space::unit_cube(2)).with_settings(settings).unwrap();
    let mut study = Study::new(optimizer, Seed(3)).with_stop(MaxTrials(24));
    let measure = |config: &Config| -> Result<Measurement, SpaceError> {
        let broken = config.float("x0")? + config.float("x1")? - bound;
        Ok(Measurement { constraints: vec![broken], ..Measurement::from(loss(config)?) })
    };
    study.run(|config, _| measure(config)).unwrap();
    study.history().trials().to_vec()
}

/// Least loss of the trials that break no constraint.
fn least(trials: &[Trial<Config>]) -> f64 {
    let measured = trials.iter().filter_map(|trial| trial.outcome.as_ref()?.measurement());
    let feasible = measured.filter(|measurement| measurement.is_feasible());
    feasible.map(|measurement| measurement.objectives[0]).fold(f64::INFINITY, f64::min)
}

/// Measured constraints weight the improvement of the mean: the last trials gain at the border of a constraint, and where it is idle.
#[test]
fn constraints_count_in_the_last_trials() {
    for bound in [1.2, 3.0] {
        let (with, without) = (within(bound, 3), within(bound, 0));
        assert_eq!(queries(&with[..21]), queries(&without[..21]));
        assert!(polished(&with[21..]).contains(&true), "{bound}");
        assert!(least(&with) < least(&without), "{bound}");
    }
}

/// A confidence bound is asked for to the end, as it explores nowhere by itself.
#[test]
fn other_acquisition_functions_have_no_ending() {
    let of = |ending| {
        let rule = AcquisitionKind::ConfidenceBound(Schedule::Constant { beta: 4.0 });
        let settings = BoSettings { ending, rule, budget: Some(24), ..BoSettings::default() };
        let optimizer = BayesianOptimizer::new(Space::unit_cube(2)).with_settings(settings).unwrap();
        let mut study = Study::new(optimizer, Seed(3)).with_stop(MaxTrials(24));
        study.run(|config, _| loss(config)).unwrap();
        queries(study.history().trials())
    };
    assert_eq!(of(3), of(0));
}

/// A run that would begin anew, or explore, does not do so in the last trials.
#[test]
fn an_ending_comes_before_convergence() {
    for convergence in [Convergence::Restart { epsilon: 1e3 }, Convergence::Explore { epsilon: 1e3 }] {
        // Runs of a design alone: the third one ends with trial 20.
        let initial = InitialDesign::Sobol(7);
        let settings =
            BoSettings { initial, ending: 3, budget: Some(24), convergence, ..BoSettings::default() };
        let optimizer = BayesianOptimizer::new(Space::unit_cube(2)).with_settings(settings).unwrap();
        let mut study = Study::new(optimizer, Seed(3)).with_stop(MaxTrials(24));
        study.run(|config, _| loss(config)).unwrap();
        let last = &study.history().trials()[21..];
        let searched = |trial: &Trial<Config>| {
            ["acquisition", "polished"].iter().any(|name| trial.diagnostics.contains_key(*name))
        };
        assert!(last.iter().all(searched), "{convergence:?}");
    }
}

/// A study of 24 planned trials whose losses are noisy.
fn noisy(ending: usize, of: fn(&Config) -> Result<f64, SpaceError>) -> Vec<Trial<Config>> {
    let settings = BoSettings { ending, budget: Some(24), ..BoSettings::default() };
    let optimizer = BayesianOptimizer::new(Space::unit_cube(2)).with_settings(settings).unwrap();
    let mut study =
        Study::new(optimizer.with_surrogate(GpSurrogate::noisy()), Seed(3)).with_stop(MaxTrials(24));
    let mut rng = Seed(8).stream("noise", 0);
    study
        .run(|config, _| {
            let noise: f64 = StandardNormal.sample(&mut rng);
            Ok::<f64, SpaceError>(of(config)? + 0.3 * noise)
        })
        .unwrap();
    study.history().trials().to_vec()
}

/// True for trials where the recommendation gains most.
fn for_recommendation(trials: &[Trial<Config>]) -> Vec<bool> {
    trials.iter().map(|trial| trial.diagnostics.get("for_recommendation") == Some(&1.0)).collect()
}

/// Noisy measurements: the last trials are where the knowledge gradient is largest, and have the numbers that stop rules read.
#[test]
fn noisy_studies_end_by_the_knowledge_gradient() {
    let (all, without) = (noisy(3, loss), noisy(0, loss));
    assert_eq!(queries(&all[..21]), queries(&without[..21]));
    assert_eq!(for_recommendation(&all[20..]), [false, true, true, true]);
    assert!(!for_recommendation(&without).contains(&true));
    assert!(all[21..].iter().all(|trial| trial.memo.get(&EXPECTED_IMPROVEMENT).is_some()));
    let settings = BoSettings { ending: 3, budget: Some(24), ..BoSettings::default() };
    let optimizer = BayesianOptimizer::new(Space::unit_cube(2)).with_settings(settings).unwrap();
    let optimizer = optimizer.with_surrogate(GpSurrogate::noisy());
    let history = History::from_trials(all[..21].to_vec(), Seed(3));
    let state = optimizer.state(&history, all[21].id).unwrap().unwrap();
    let gradient = state.acquisition(&AcquisitionKind::LogKnowledgeGradient { anchors: 50 }).unwrap();
    let x = Space::unit_cube(2).encode(&all[21].query).unwrap();
    let points = Sobol::scrambled(2, &mut Seed(9).stream("points", 0)).take(512);
    let largest = points.rows().map(|x| gradient.value(x)).fold(f64::NEG_INFINITY, f64::max);
    assert!(gradient.value(&x) >= largest - 1e-3, "{} {largest}", gradient.value(&x));
}

/// Noise by which a model follows stairs is none of measurements.
#[test]
fn stairs_are_not_noisy() {
    let steps = |config: &Config| {
        let step = |name| Ok::<f64, SpaceError>(((8.0 * config.float(name)?).floor().min(7.0) + 0.5) / 8.0);
        Ok::<f64, SpaceError>(of_numbers(step("x0")?, step("x1")?))
    };
    let settings = BoSettings { budget: Some(36), ..BoSettings::default() };
    let optimizer = BayesianOptimizer::new(Space::unit_cube(2)).with_settings(settings).unwrap();
    let mut study = Study::new(optimizer, Seed(3)).with_stop(MaxTrials(36));
    study.run(|config, _| steps(config)).unwrap();
    let last = &study.history().trials()[31..];
    assert!(last.iter().all(|trial| trial.diagnostics.contains_key("probability_tied")));
    assert_eq!(for_recommendation(last), [false; 5]);
}

/// Constant losses, two values, and scales near the ends of the numbers: a study ends with as many trials as planned, by every kind of last trial.
#[test]
fn flat_and_extreme_losses_end_too() {
    let losses: [fn(f64, f64) -> f64; 6] = [
        |_, _| 3.0,
        |x, _| f64::from(u8::from(x > 0.3)),
        |x, y| 1e300 * of_numbers(x, y),
        |x, y| 1e-300 * of_numbers(x, y),
        |x, y| if x > 0.9 { 1e12 } else { of_numbers(x, y) },
        |x, y| of_numbers(x, y) + 0.5 * (1e6 * (x + y)).sin(),
    ];
    for (k, of) in losses.into_iter().enumerate() {
        for (ties, surrogate) in [
            (TiePolicy::Ignore, GpSurrogate::default()),
            (TiePolicy::Ignore, GpSurrogate::noisy()),
            (TiePolicy::Pieces, GpSurrogate::noisy()),
        ] {
            let settings = BoSettings { ties, ..BoSettings::default() };
            let optimizer = BayesianOptimizer::new(Space::unit_cube(2)).with_settings(settings).unwrap();
            let mut study = Study::new(optimizer.with_surrogate(surrogate), Seed(3)).with_trials(24);
            study
                .run(|config, _| Ok::<f64, SpaceError>(of(config.float("x0")?, config.float("x1")?)))
                .unwrap();
            assert_eq!(study.history().trials().len(), 24, "{k} {ties:?}");
        }
    }
}

/// A journal goes on with another ending, as with another plan: it is part of how a study ends.
#[test]
fn an_ending_is_no_part_of_the_study() {
    let of = |ending| {
        let settings = BoSettings { ending, ..BoSettings::default() };
        let optimizer = BayesianOptimizer::new(Space::unit_cube(2)).with_settings(settings).unwrap();
        serde_json::to_value(optimizer.fingerprint().unwrap()).unwrap().to_string()
    };
    assert!(!of(5).contains("\"ending"));
    assert_eq!(of(5), of(0));
}
