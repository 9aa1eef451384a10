//! The last fits of a budget measure the best configurations on every fold, whatever happens to those fits.

use std::collections::{BTreeMap, BTreeSet};

use thrifty_cv::FoldQuery;
use thrifty_fcvopt::{FractionalCv, FractionalSettings};
use thrifty_sampling::Seed;
use thrifty_space::{Config, Space};
use thrifty_study::{
    Ask, Best, History, Measurement, MemoKey, Next, Optimizer, Outcome, Schedule, StopReason, Study,
    Suggestion, Timing, Trial, TrialId,
};

const FOLDS: usize = 5;

fn space() -> Space {
    Space::from_bounds(&[(0.0, 1.0), (0.0, 1.0)]).unwrap()
}

fn loss(query: &FoldQuery) -> f64 {
    let (x, y) = (query.config.float("x0").unwrap(), query.config.float("x1").unwrap());
    let phase = query.fold as f64;
    let rough = 0.05 * (40.0 * x + 23.0 * y + 7.0 * phase).sin();
    (x - 0.3).powi(2) + 0.7 * (y - 0.6).powi(2) + 0.15 * (phase * 2.1 + 3.0 * x).sin() + rough
}

fn optimizer(change: impl FnOnce(&mut FractionalSettings)) -> FractionalCv {
    let mut settings = FractionalSettings::new(FOLDS);
    change(&mut settings);
    FractionalCv::new(space(), settings.folds).and_then(|cv| cv.with_settings(settings)).unwrap()
}

/// Measured folds of each configuration.
fn measured(history: &History<FoldQuery>) -> BTreeMap<String, BTreeSet<usize>> {
    let mut folds = BTreeMap::<String, BTreeSet<usize>>::new();
    for (trial, _) in history.measured() {
        folds.entry(trial.query.config.to_string()).or_default().insert(trial.query.fold);
    }
    folds
}

fn complete(history: &History<FoldQuery>) -> usize {
    measured(history).values().filter(|folds| folds.len() == FOLDS).count()
}

/// The recommendation is complete and its loss is the mean of what was measured.
fn assert_verified(history: &History<FoldQuery>, best: &Best<Config>) {
    assert!(best.is_observed(), "{best:?}");
    let losses: Vec<f64> =
        history.measured().filter(|(trial, _)| trial.query.config == best.config).map(|m| m.1).collect();
    assert_eq!(losses.len(), FOLDS);
    assert!((losses.iter().sum::<f64>() / FOLDS as f64 - best.value).abs() < 1e-12);
}

#[test]
fn a_budget_is_spent_on_whole_cross_validations_of_the_finalists() {
    for seed in 0..6 {
        for change in [
            (|s: &mut FractionalSettings| (s.budget, s.finalists) = (Some(34), Some(2)))
                as fn(&mut FractionalSettings),
            |s| s.budget = Some(34),
        ] {
            let mut study = Study::new(optimizer(change), Seed(seed));
            let reason = study.run(|query: &FoldQuery, _| loss(query)).unwrap();
            let spent = study.history().len();
            assert!(spent <= 34 && spent > 34 - FOLDS, "{spent} {reason:?}");
            assert!(complete(study.history()) >= 2, "seed {seed}: {:?}", measured(study.history()));
            let best = study.recommend().unwrap().unwrap();
            assert_verified(study.history(), &best);
        }
    }
}

#[test]
fn finalists_are_fixed_and_a_new_optimizer_knows_them() {
    let new = || optimizer(|s| s.budget = Some(30));
    let mut study = Study::new(new(), Seed(3)).with_schedule(Schedule::Window(3));
    study.run(|query: &FoldQuery, _| loss(query)).unwrap();
    let trials = study.history().trials();
    let finalists: Vec<Vec<f64>> =
        trials.iter().filter_map(|t| t.memo.get(&MemoKey::<Vec<f64>>::new("finalists"))).collect();
    assert!(finalists.len() > 4 && finalists.iter().all(|list| *list == finalists[0]), "{finalists:?}");
    // Losses that come in later change nothing: the finalists are in the history.
    for at in trials.len() - finalists.len() + 1..trials.len() {
        let mut told = trials[..at].to_vec();
        told.iter_mut().for_each(|trial| trial.outcome = Some(loss(&trial.query).into()));
        let asked = new().ask(&History::from_trials(told, Seed(3)), TrialId(at as u64)).unwrap();
        let Ask::Evaluate(again) = asked else { panic!("a suggestion") };
        assert_eq!((&again.query, &again.memo), (&trials[at].query, &trials[at].memo));
    }
}

#[test]
fn finalists_whose_folds_fail_are_replaced() {
    for seed in 0..3 {
        for fails in [
            |query: &FoldQuery, id: u64| id >= 20 && query.config.float("x0").unwrap() < 0.3,
            |_: &FoldQuery, id: u64| id.is_multiple_of(5),
        ] {
            let optimizer = optimizer(|s| (s.budget, s.finalists) = (Some(40), Some(2)));
            let mut study = Study::new(optimizer, Seed(seed));
            study
                .run(
                    |query: &FoldQuery, context| {
                        if fails(query, context.id.0) { Outcome::failed("no") } else { loss(query).into() }
                    },
                )
                .unwrap();
            assert!(study.history().len() <= 40);
            let best = study.recommend().unwrap().unwrap();
            assert_eq!(best.is_observed(), complete(study.history()) > 0);
        }
    }
    // Only failures once verification begins: it ends, and the result is marked as unverified.
    let mut study = Study::new(optimizer(|s| s.budget = Some(30)), Seed(1));
    study
        .run(
            |query: &FoldQuery, context| {
                if context.id.0 < 18 { loss(query).into() } else { Outcome::failed("no") }
            },
        )
        .unwrap();
    assert!(study.history().len() <= 30);
    assert!(!study.recommend().unwrap().unwrap().is_observed());
    let mut hopeless = Study::new(optimizer(|s| s.budget = Some(30)), Seed(1));
    let reason = hopeless.run(|_: &FoldQuery, _| Outcome::failed("no")).unwrap();
    assert_eq!((reason, hopeless.recommend().unwrap()), (StopReason::Trials(30), None));
}

#[test]
fn verification_can_be_asked_for_and_survives_a_resumption() {
    let mut study = Study::new(optimizer(|_| ()), Seed(2));
    for _ in 0..20 {
        let Next::Evaluate(trial) = study.ask().unwrap() else { panic!("a suggestion") };
        study.tell(trial.id, loss(&trial.query)).unwrap();
    }
    let unverified = study.recommend().unwrap().unwrap();
    assert!(!unverified.is_observed());
    let left = study.optimizer().finish_verification(study.history(), 8).unwrap();
    assert!(left.len() >= 4 && left.len() <= 8, "{left:?}");
    for expected in &left {
        let Next::Evaluate(trial) = study.ask().unwrap() else { panic!("a suggestion") };
        assert_eq!(trial.query, *expected);
        study.tell(trial.id, loss(&trial.query)).unwrap();
        // Another optimiser without the request to verify continues in the same way.
        let id = TrialId(study.history().len() as u64);
        let resumed = optimizer(|_| ()).ask(study.history(), id).unwrap();
        let ours = optimizer(|_| ());
        ours.finish_verification(
            &History::from_trials(study.history().trials()[..20].to_vec(), study.history().seed()),
            8,
        )
        .unwrap();
        let mut ours = ours;
        assert_eq!(ours.ask(study.history(), id).unwrap(), resumed);
    }
    assert!(matches!(study.ask().unwrap(), Next::Stop(StopReason::Decided { .. })));
    let best = study.recommend().unwrap().unwrap();
    assert_verified(study.history(), &best);
    // Another request begins another verification.
    let more = study.optimizer().finish_verification(study.history(), 5).unwrap();
    let Next::Evaluate(trial) = study.ask().unwrap() else { panic!("a suggestion") };
    assert_eq!(trial.query, more[0]);
}

#[test]
fn a_search_that_ends_before_its_budget_verifies_first() {
    let change = |s: &mut FractionalSettings| (s.budget, s.worth) = (Some(300), 0.05);
    let mut study = Study::new(optimizer(change), Seed(1));
    let reason = study.run(|query: &FoldQuery, _| loss(query)).unwrap();
    assert!(matches!(reason, StopReason::Decided { .. }), "{reason:?}");
    assert!(study.history().len() < 150 && complete(study.history()) >= 3, "{}", study.history().len());
    let best = study.recommend().unwrap().unwrap();
    assert_verified(study.history(), &best);
}

#[test]
fn without_a_budget_nothing_is_capped_and_nothing_verified() {
    let mut study = Study::new(optimizer(|_| ()), Seed(2)).with_stop(thrifty_study::MaxTrials(30));
    let reason = study.run(|query: &FoldQuery, _| loss(query)).unwrap();
    assert_eq!(reason, StopReason::Trials(30));
    assert!(
        study
            .history()
            .trials()
            .iter()
            .all(|trial| !trial.memo.contains(&MemoKey::<Vec<f64>>::new("finalists")))
    );
}

#[test]
fn the_initial_design_goes_by_the_number_of_the_trial_and_counts_what_was_measured() {
    let mut reference = optimizer(|_| ());
    let at = |optimizer: &mut FractionalCv, id: u64| {
        let Ask::Evaluate(suggestion) = optimizer.ask(&History::new(Seed(4)), TrialId(id)).unwrap() else {
            panic!("a suggestion")
        };
        suggestion.query
    };
    // Trials 1 and 2 fail and trial 3 runs: two more come from the design in their place.
    let mut study = Study::new(optimizer(|_| ()), Seed(4));
    for id in 0..7 {
        let Next::Evaluate(trial) = study.ask().unwrap() else { panic!("a suggestion") };
        assert_eq!(trial.query, at(&mut reference, id), "trial {id}");
        assert!(trial.diagnostics.is_empty());
        match id {
            1 | 2 => study.tell(trial.id, f64::NAN).unwrap(),
            3 => {}
            _ => study.tell(trial.id, loss(&trial.query)).unwrap(),
        }
    }
    let Next::Evaluate(trial) = study.ask().unwrap() else { panic!("a suggestion") };
    assert!(trial.diagnostics.contains_key("acquisition"));
}

#[test]
fn settings_without_the_new_fields_are_read_and_written_as_before() {
    let plain = FractionalSettings::new(FOLDS);
    let json = serde_json::to_string(&plain).unwrap();
    assert!(!json.contains("budget") && !json.contains("finalists"), "{json}");
    assert_eq!(serde_json::from_str::<FractionalSettings>(&json).unwrap(), plain);
    for (settings, message) in [
        (plain.clone().with_budget(0), "budget is 0, expected at least 1"),
        (
            FractionalSettings { finalists: Some(3), ..plain.clone().with_budget(15) },
            "budget is 15, expected more than the 15 folds of all to verify",
        ),
    ] {
        assert_eq!(settings.validate().unwrap_err().to_string(), message);
    }
}

/// The next best configuration takes the place of a finalist whose first fold of the verification fails.
#[test]
fn a_lost_finalist_is_replaced_by_the_next_best() {
    let budget = 40;
    let mut study = Study::new(optimizer(|s| s.finalists = Some(2)), Seed(3));
    for _ in 0..20 {
        let Next::Evaluate(trial) = study.ask().unwrap() else { panic!("a suggestion") };
        study.tell(trial.id, loss(&trial.query)).unwrap();
    }
    study.optimizer().finish_verification(study.history(), 20).unwrap();
    let mut lost = None;
    while let Next::Evaluate(trial) = study.ask().unwrap() {
        let first = trial
            .memo
            .get(&MemoKey::<Vec<f64>>::new("finalists"))
            .filter(|_| lost.is_none())
            .map(|all| all[0] as usize);
        if let Some(first) = first {
            // A fold of the best, which comes first.
            assert_eq!(trial.query.config, study.history().trials()[first].query.config);
            lost = Some(first);
            study.tell(trial.id, Outcome::failed("no")).unwrap();
        } else {
            study.tell(trial.id, loss(&trial.query)).unwrap();
        }
        assert!(study.history().len() <= budget);
    }
    let (lost, trials) = (lost.unwrap(), study.history().trials());
    let finalists: Vec<usize> = trials
        .last()
        .unwrap()
        .memo
        .get(&MemoKey::<Vec<f64>>::new("finalists"))
        .unwrap()
        .iter()
        .map(|at| *at as usize)
        .collect();
    assert!(finalists.len() == 3 && finalists[0] == lost, "{finalists:?}");
    let folds = measured(study.history());
    let of = |at: usize| folds.get(&trials[at].query.config.to_string()).map_or(0, BTreeSet::len);
    assert!(of(lost) < FOLDS, "{finalists:?}");
    assert_eq!((of(finalists[1]), of(finalists[2])), (FOLDS, FOLDS));
}

/// A measured fold of a configuration on a line.
fn evaluated(x: f64, fold: usize, outcome: impl Into<Outcome>) -> Trial<FoldQuery> {
    let mut config = Config::new();
    config.insert("x0", x);
    config.insert("x1", 0.5);
    Trial::new(TrialId(0), FoldQuery { config, repeat: 0, fold }, Some(outcome.into()))
}

/// Without a verification a configuration of which all folds happen to be known is not preferred to a better one.
#[test]
fn a_complete_configuration_is_not_preferred_before_verification() {
    let mut trials: Vec<_> = (0..FOLDS).map(|fold| evaluated(0.9, fold, 5.0 + 0.01 * fold as f64)).collect();
    for (at, x) in [0.1, 0.2, 0.3, 0.4, 0.5].into_iter().enumerate() {
        trials.push(evaluated(x, at, (x - 0.3) * (x - 0.3)));
    }
    let history = History::from_trials(trials, Seed(1));
    let best = optimizer(|_| ()).recommend(&history).unwrap().unwrap();
    assert!(!best.is_observed() && best.config.float("x0").unwrap() < 0.6, "{best:?}");
    // Once verification begins, only configurations with all folds count.
    let asked = optimizer(|_| ());
    asked.finish_verification(&history, 0).unwrap();
    let mut asked = asked;
    let best = asked.recommend(&history).unwrap().unwrap();
    assert!(best.is_observed() && best.config.float("x0").unwrap() == 0.9, "{best:?}");
    // It begins of itself where the rest of a budget cannot complete the favourite, with the complete one as its only finalist.
    let within = |budget: usize| {
        let mut own = optimizer(|s| (s.budget, s.finalists) = (Some(budget), Some(1)));
        own.recommend(&history).unwrap().unwrap()
    };
    assert!(within(13).is_observed() && !within(30).is_observed(), "{:?}, {:?}", within(13), within(30));
}

/// Recommendations at the end: the best whole mean among configurations that probably keep a measured constraint; one of these that is
/// not complete before a complete one that breaks it; the best whole mean where all break it.
#[test]
fn a_verified_recommendation_keeps_the_constraints() {
    let recommended = |limit: f64, complete: &[f64]| {
        let mut trials = Vec::new();
        for x in [0.1, 0.2, 0.7, 0.8, 0.9] {
            let folds = if complete.contains(&x) { FOLDS } else { 2 };
            for fold in 0..folds {
                // The loss rises with x, the constraint falls.
                let constraints = vec![limit - x + 0.01 * fold as f64];
                trials.push(evaluated(x, fold, Measurement { constraints, ..Measurement::from(x) }));
            }
        }
        let history = History::from_trials(trials, Seed(1));
        let mut asked = optimizer(|_| ());
        asked.finish_verification(&history, 0).unwrap();
        let best = asked.recommend(&history).unwrap().unwrap();
        (best.config.float("x0").unwrap(), best.is_observed())
    };
    assert_eq!(recommended(0.5, &[0.1, 0.8, 0.9]), (0.8, true), "the best that keeps it");
    assert_eq!(recommended(0.5, &[0.1]), (0.7, false), "none that keeps it is complete");
    assert_eq!(recommended(2.0, &[0.2, 0.9]), (0.2, true), "all break it");
}

/// A study that has verified and is given a larger budget searches on and verifies again at the new end. A verification that was asked
/// for stays the end.
#[test]
fn a_larger_budget_goes_on_after_a_verification() {
    let with = |budget: usize| optimizer(|s| (s.budget, s.finalists) = (Some(budget), Some(1)));
    let mut short = Study::new(with(20), Seed(1));
    short.run(|query: &FoldQuery, _| loss(query)).unwrap();
    assert!(complete(short.history()) > 0 && short.history().len() <= 20);
    let end = |history: &History<FoldQuery>| {
        let key = MemoKey::<u64>::new("verification_end");
        history.trials().iter().map(|trial| trial.memo.get(&key)).collect::<Vec<_>>()
    };
    let mut history = short.history().clone();
    let mut searched = 0;
    loop {
        let id = TrialId(history.len() as u64);
        let suggestion = match with(32).ask(&history, id).unwrap() {
            Ask::Evaluate(suggestion) => suggestion,
            other => {
                assert!(matches!(other, Ask::Stop(_)), "{other:?}");
                break;
            }
        };
        searched += usize::from(!suggestion.memo.contains(&MemoKey::<u64>::new("verification_end")));
        let outcome = Some(loss(&suggestion.query).into());
        let Suggestion { query, diagnostics, memo } = suggestion;
        let timing = Timing::default();
        history.push(Trial { id, query, diagnostics, memo, reports: vec![], outcome, timing });
    }
    assert!(searched > 0 && history.len() > 28, "{searched} of {}", history.len());
    assert!(end(&history).contains(&Some(32)), "{:?}", end(&history));
    assert_verified(&history, &with(32).recommend(&history).unwrap().unwrap());

    let mut asked = Study::new(with(60), Seed(2));
    for _ in 0..12 {
        let Next::Evaluate(trial) = asked.ask().unwrap() else { panic!("a suggestion") };
        asked.tell(trial.id, loss(&trial.query)).unwrap();
    }
    asked.optimizer().finish_verification(asked.history(), 5).unwrap();
    asked.run(|query: &FoldQuery, _| loss(query)).unwrap();
    let id = TrialId(asked.history().len() as u64);
    let resumed = with(60).ask(asked.history(), id).unwrap();
    assert!(matches!(resumed, Ask::Stop(StopReason::Decided { .. })), "{resumed:?}");
}

/// A study that has verified at the end of a budget and is resumed without one searches on.
#[test]
fn without_a_budget_the_search_goes_on_after_a_verification() {
    let with = |budget: Option<usize>| optimizer(|s| (s.budget, s.finalists) = (budget, Some(1)));
    let mut study = Study::new(with(Some(20)), Seed(1));
    study.run(|query: &FoldQuery, _| loss(query)).unwrap();
    let end = MemoKey::<u64>::new("verification_end");
    let history = study.history();
    assert!(history.trials().iter().any(|trial| trial.memo.contains(&end)));
    let asked = with(None).ask(history, TrialId(history.len() as u64)).unwrap();
    let Ask::Evaluate(suggestion) = asked else { panic!("{asked:?}") };
    assert!(!suggestion.memo.contains(&end), "{suggestion:?}");
}

/// Configurations that probably break a constraint are no finalists beside some that keep it: their missing folds start no verification. Where
/// all break it they do.
#[test]
fn only_feasible_configurations_are_verified_if_there_are_any() {
    let begins = |limit: f64| {
        let mut trials = Vec::new();
        for x in [0.1, 0.2, 0.7, 0.8, 0.9] {
            let folds = if x < 0.5 { 2 } else { FOLDS };
            for fold in 0..folds {
                // The loss rises with x, the constraint falls.
                let constraints = vec![limit - x + 0.01 * fold as f64];
                trials.push(evaluated(x, fold, Measurement { constraints, ..Measurement::from(x) }));
            }
        }
        let history = History::from_trials(trials, Seed(1));
        // The fits that are left would just complete one configuration.
        let mut own = optimizer(|s| (s.budget, s.finalists) = (Some(22), Some(4)));
        let asked = own.ask(&history, TrialId(19)).unwrap();
        let Ask::Evaluate(suggestion) = asked else { panic!("{asked:?}") };
        suggestion.memo.contains(&MemoKey::<Vec<f64>>::new("finalists"))
    };
    assert!(!begins(0.5), "all three that keep it are complete");
    assert!(begins(2.0), "all break it");
}

/// A fold of a finalist that fails for a reason of the machine is asked again; one that fails for its own is not.
#[test]
fn unrelated_failures_do_not_cost_a_finalist() {
    let run = |outcome: fn() -> Outcome| {
        let mut study = Study::new(optimizer(|s| s.finalists = Some(1)), Seed(3));
        for _ in 0..14 {
            let Next::Evaluate(trial) = study.ask().unwrap() else { panic!("a suggestion") };
            study.tell(trial.id, loss(&trial.query)).unwrap();
        }
        let left = study.optimizer().finish_verification(study.history(), 8).unwrap();
        let Next::Evaluate(trial) = study.ask().unwrap() else { panic!("a suggestion") };
        assert_eq!(trial.query, left[0]);
        study.tell(trial.id, outcome()).unwrap();
        let rest: Vec<FoldQuery> = std::iter::from_fn(|| match study.ask().unwrap() {
            Next::Evaluate(trial) => {
                study.tell(trial.id, loss(&trial.query)).unwrap();
                Some(trial.query)
            }
            _ => None,
        })
        .collect();
        (rest == left, study.recommend().unwrap().unwrap())
    };
    let (again, best) = run(|| Outcome::unrelated("the machine went down"));
    assert!(again && best.is_observed(), "{best:?}");
    let (again, _) = run(|| Outcome::failed("no"));
    assert!(!again, "it failed for its own reason");
}

/// Folds of two repeats, the second of which is worse by 1: a configuration is measured once all six are, and the mean is over them.
#[test]
fn every_repeat_is_verified() {
    for finalists in [1, 2] {
        let space = Space::builder().float("x", 0.0, 1.0).build().unwrap();
        let settings = FractionalSettings {
            repeats: 2,
            budget: Some(24),
            finalists: Some(finalists),
            ..FractionalSettings::new(3)
        };
        let optimizer = FractionalCv::new(space, 3).and_then(|cv| cv.with_settings(settings)).unwrap();
        let mut study = Study::new(optimizer, Seed(1));
        study
            .run(|query: &FoldQuery, _| {
                let x = query.config.float("x").unwrap();
                (x - 0.3).powi(2) + 0.02 * query.fold as f64 + query.repeat as f64
            })
            .unwrap();
        let best = study.recommend().unwrap().unwrap();
        assert!(best.is_observed() && (best.value - 0.52).abs() < 0.02, "{best:?}");
        let of_best = study.history().measured().filter(|(trial, _)| trial.query.config == best.config);
        let pairs: BTreeSet<(usize, usize)> = of_best.map(|(t, _)| (t.query.repeat, t.query.fold)).collect();
        assert_eq!(pairs.len(), 6, "every fold of every repeat");
    }
    let settings =
        FractionalSettings { repeats: 2, budget: Some(12), finalists: Some(2), ..FractionalSettings::new(3) };
    assert!(
        settings.validate().unwrap_err().to_string().contains("12 folds of all"),
        "the verification is all of it"
    );
}

/// A larger budget is none of the differences on resume, and the search goes on; other finalists are one.
#[test]
fn a_larger_budget_resumes() {
    let with = |budget: usize, finalists: usize| {
        let settings = FractionalSettings {
            budget: Some(budget),
            finalists: Some(finalists),
            ..FractionalSettings::new(FOLDS)
        };
        FractionalCv::new(space(), FOLDS).and_then(|cv| cv.with_settings(settings)).unwrap()
    };
    let [before, after] = [15, 25].map(|budget| with(budget, 2).fingerprint().unwrap());
    assert_eq!(before.differences(&after), []);
    let mut study = Study::new(with(15, 2), Seed(2));
    study.run(|query: &FoldQuery, _| loss(query)).unwrap();
    assert_eq!(study.history().len(), 15);
    let asked = with(25, 2).ask(study.history(), TrialId(15)).unwrap();
    assert!(matches!(asked, Ask::Evaluate(_)), "{asked:?}");
    let differences = before.differences(&with(15, 1).fingerprint().unwrap());
    assert_eq!(differences.len(), 1, "{differences:?}");
    assert_eq!(differences[0].path, "settings.finalists");
}
