//! Level sets in phases.

use thrifty_gp::KernelFamily;
use thrifty_levelset::metrics::Confusion;
use thrifty_levelset::{ClassificationSet, Criterion, Phase, PhaseRule, PhasedLevelSet, PhasedSettings};
use thrifty_model_based::InitialDesign;
use thrifty_sampling::Seed;
use thrifty_space::{Config, Space};
use thrifty_study::{
    Ask, History, MaxTrials, Measurement, MemoKey, Next, Optimizer, Outcome, StopReason, Study, Trial,
    TrialId, contract,
};
use thrifty_testbed::LevelSetProblem;

fn space() -> Space {
    Space::from_bounds(&[(0.0, 1.0), (0.0, 1.0)]).unwrap()
}

/// Below 0 in a disc.
fn loss(config: &Config) -> f64 {
    let (x, y) = (config.float("x0").unwrap() - 0.6, config.float("x1").unwrap() - 0.4);
    (x * x + y * y).sqrt() - 0.3
}

fn settings(trials: usize) -> PhasedSettings {
    PhasedSettings {
        families: vec![KernelFamily::Matern12, KernelFamily::Matern52],
        ..PhasedSettings::caligo(0.0, trials)
    }
}

#[test]
fn the_protocol_finds_the_death_valley() {
    let problem = LevelSetProblem::death_valley2();
    let space = problem.space().clone();
    let optimizer = PhasedLevelSet::new(space.clone(), PhasedSettings::caligo(0.0, 40)).unwrap();
    let mut study = Study::new(optimizer, Seed(1)).with_stop(MaxTrials(40));
    study.run(|config, _| problem.truth(config).map_or(f64::NAN, |margin| -margin)).unwrap();
    let found = study.recommend().unwrap().unwrap();
    let points = study.optimizer().points(Seed(1)).unwrap();
    let secure: Vec<bool> = points.rows().map(|x| problem.is_above(&space.decode(x)).unwrap()).collect();
    let said: Vec<bool> = found.predicted_above().iter().map(|dead| !dead).collect();
    let wrong = Confusion::of(&secure, &said).unwrap().misclassified();
    assert!(wrong < 0.02, "{wrong}");
    let trials = study.history().trials();
    let kernels: Vec<_> = trials.iter().map(|trial| study.optimizer().family_of(trial)).collect();
    assert!(kernels[..8].iter().all(Option::is_none) && kernels[8..].iter().all(Option::is_some));
    // One kernel per phase: trials 8 to 13, 14 to 26, and the rest.
    for phase in [8..14, 14..27, 27..40] {
        assert!(kernels[phase.clone()].windows(2).all(|pair| pair[0] == pair[1]), "{phase:?}");
    }
    assert!(study.optimizer().above_before(&trials[30]).is_some());
}

/// Rules change where the phases say, on equal histories: the first point of a phase is that of its rule.
#[test]
fn phases_change_the_rule() {
    let of = |rule: PhaseRule| {
        let phases = vec![Phase { until: 10, rule: PhaseRule::Improvement }, Phase { until: 12, rule }];
        let optimizer = PhasedLevelSet::new(space(), PhasedSettings { phases, ..settings(20) }).unwrap();
        let mut study = Study::new(optimizer, Seed(2)).with_stop(MaxTrials(11));
        study.run(|config, _| loss(config)).unwrap();
        study.history().trials().iter().map(|trial| trial.query.clone()).collect::<Vec<_>>()
    };
    let improving = of(PhaseRule::Improvement);
    let straddling = of(PhaseRule::Criterion(Criterion::Straddle { kappa: 1.96 }));
    assert_eq!(improving[..10], straddling[..10]);
    assert_ne!(improving[10], straddling[10]);
    // Improvement goes to the middle of the disc, the straddle does not.
    assert!(loss(&improving[10]) < -0.2, "{}", loss(&improving[10]));
    assert!(loss(&straddling[10]) > loss(&improving[10]));
}

#[test]
fn suggestions_are_a_function_of_the_history() {
    let evaluate = |config: &Config, id: TrialId| {
        if id.0 == 9 { Outcome::failed("once") } else { Outcome::from(loss(config)) }
    };
    contract::optimizer(|| PhasedLevelSet::new(space(), settings(16)).unwrap(), evaluate, 15);
}

#[test]
fn settings_that_make_no_sense_are_named() {
    let error = |change: fn(&mut PhasedSettings)| {
        let mut settings = settings(20);
        change(&mut settings);
        PhasedLevelSet::new(space(), settings).err().expect("refused").to_string()
    };
    assert!(error(|s| s.phases.clear()).contains("phases"));
    assert!(error(|s| s.families.clear()).contains("families"));
    assert!(error(|s| s.folds = 1).contains("folds"));
    assert!(error(|s| s.lengthscale_bounds = (0.0, 1.0)).contains("lengthscale_bounds"));
    assert!(error(|s| s.phases[1].until = 3).contains("until"));
    assert!(error(|s| s.level_set.epsilon = f64::NAN).contains("epsilon"));
    for phase in 0..3 {
        let mut settings = settings(20);
        settings.phases[phase].rule = PhaseRule::Criterion(Criterion::Straddle { kappa: f64::NAN });
        let error = PhasedLevelSet::new(space(), settings).err().expect("refused").to_string();
        assert!(error.contains("kappa"), "phase {phase}: {error}");
    }
}

/// Failures alone: the design goes on, and nothing is recommended.
#[test]
fn failures_alone_recommend_nothing() {
    let optimizer = PhasedLevelSet::new(space(), settings(12)).unwrap();
    let mut study = Study::new(optimizer, Seed(0)).with_stop(MaxTrials(12));
    study.run(|_, _| f64::NAN).unwrap();
    assert_eq!(study.history().len(), 12);
    assert!(study.recommend().unwrap().is_none());
    let mut query = Config::new();
    query.insert("x0", 0.5);
    let error = study.optimizer().check(&query, false).unwrap_err().to_string();
    assert!(error.contains("x1"), "{error}");
}

/// Four points in a phase of improvement, as a grid and as a domain: with all of them asked a study waits while one is running, and
/// ends when none is.
#[test]
fn improvement_waits_for_the_last_running_trial() {
    for over in [ClassificationSet::Grid { per_axis: 4 }, ClassificationSet::Domain { points: 16 }] {
        let optimizer = || {
            let mut settings = settings(20);
            settings.phases = vec![Phase { until: 20, rule: PhaseRule::Improvement }];
            settings.level_set.initial = InitialDesign::Sobol(2);
            settings.level_set.over = over.clone();
            let space = Space::builder().int("x", 0, 3).build().unwrap();
            PhasedLevelSet::new(space, settings).unwrap()
        };
        let mut study = Study::new(optimizer(), Seed(1)).with_stop(MaxTrials(9));
        study.run(|config, _| config.int("x").unwrap() as f64 - 1.5).unwrap();
        let mut trials = study.history().trials().to_vec();
        assert_eq!(trials.len(), 4, "{over:?} is exhausted");
        let ask = |trials: &[Trial<Config>]| {
            optimizer().ask(&History::from_trials(trials.to_vec(), Seed(1)), TrialId(4)).unwrap()
        };
        assert_eq!(ask(&trials), Ask::Stop(StopReason::Exhausted), "{over:?}: all are measured");
        trials[3].outcome = None;
        assert_eq!(ask(&trials), Ask::Wait, "{over:?}: one is running");
    }
}

/// A recommendation during the design changes no later suggestion, and a study that is opened anew knows where the mean was above.
#[test]
fn recommendations_change_no_suggestion() {
    let optimizer = || {
        let settings = PhasedSettings { families: vec![KernelFamily::Matern12], ..settings(20) };
        PhasedLevelSet::new(space(), settings).unwrap()
    };
    let mut study = Study::new(optimizer(), Seed(2)).with_stop(MaxTrials(9));
    study.run(|config, _| loss(config)).unwrap();
    let history = |count: usize| History::from_trials(study.history().trials()[..count].to_vec(), Seed(2));
    let mut asked = optimizer();
    assert!(asked.recommend(&history(8)).unwrap().is_some());
    let next = |optimizer: &mut PhasedLevelSet| optimizer.ask(&history(8), TrialId(8)).unwrap();
    assert_eq!(next(&mut asked), next(&mut optimizer()));
    let last = &study.history().trials()[8];
    let above = optimizer().above_before(last);
    assert!(above.is_some() && above == study.optimizer().above_before(last));
}

/// A finite loss far beyond the range of a model counts as its end.
#[test]
fn huge_losses_are_no_error() {
    let mut study =
        Study::new(PhasedLevelSet::new(space(), settings(12)).unwrap(), Seed(2)).with_stop(MaxTrials(12));
    study.run(|config, context| if context.id.0 == 3 { -1e200 } else { loss(config) }).unwrap();
    assert!(study.recommend().unwrap().is_some());
}

/// Numbers of phases and kernels that there are not, as in a journal that was changed by hand, are no choice.
#[test]
fn a_choice_of_something_else_is_ignored() {
    let optimizer = || PhasedLevelSet::new(space(), settings(20)).unwrap();
    let mut study = Study::new(optimizer(), Seed(4)).with_stop(MaxTrials(12));
    study.run(|config, _| loss(config)).unwrap();
    let key: MemoKey<Vec<f64>> = MemoKey::new("phase");
    for choice in [vec![9.0, 0.0], vec![0.0, 9.0], vec![-1.0, f64::NAN], vec![1.0]] {
        let mut trials = study.history().trials().to_vec();
        trials.iter_mut().for_each(|trial| trial.memo.set(&key, &choice));
        let history = History::from_trials(trials, Seed(4));
        let mut other = optimizer();
        assert!(other.recommend(&history).is_ok() && other.ask(&history, TrialId(12)).is_ok(), "{choice:?}");
    }
}

/// Four trials that run at the same time in the phase of improvement are apart.
#[test]
fn improvement_spreads_running_trials() {
    let optimizer = PhasedLevelSet::new(space(), settings(40)).unwrap();
    let mut study = Study::new(optimizer, Seed(3));
    let mut batch = Vec::new();
    for i in 0..12 {
        let Next::Evaluate(trial) = study.ask().unwrap() else { panic!("trial {i}") };
        if i < 8 {
            study.tell(trial.id, loss(&trial.query)).unwrap();
        } else {
            batch.push(["x0", "x1"].map(|name| trial.query.float(name).unwrap()));
        }
    }
    for (i, a) in batch.iter().enumerate() {
        let near = batch[..i].iter().find(|b| (a[0] - b[0]).hypot(a[1] - b[1]) < 1e-3);
        assert!(near.is_none(), "{batch:?}");
    }
}

/// A constraint that holds left of a half, with the least losses on its right: improvement is sought where it holds, also while no trial of
/// the design keeps it.
#[test]
fn improvement_keeps_measured_constraints() {
    for limit in [0.5, 0.1] {
        let optimizer = PhasedLevelSet::new(space(), settings(60)).unwrap();
        let mut study = Study::new(optimizer, Seed(3)).with_stop(MaxTrials(18));
        study
            .run(|config, _| {
                let x = config.float("x0").unwrap();
                Measurement { constraints: vec![x - limit], ..Measurement::from(-x) }
            })
            .unwrap();
        let improved = &study.history().trials()[8..];
        let kept = improved.iter().filter(|trial| trial.query.float("x0").unwrap() <= limit + 0.02).count();
        assert!(kept >= 8, "{kept} of 10 below {limit}");
    }
}
