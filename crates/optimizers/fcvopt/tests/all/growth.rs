//! Long studies: hyperparameters that are kept between suggestions, and the same suggestions after every break.

use thrifty_cv::FoldQuery;
use thrifty_fcvopt::{
    FoldCosts, FractionalCv, FractionalSettings, MultiTaskCv, MultiTaskSettings, TaskCovariance,
};
use thrifty_gp::Refit;
use thrifty_model_based::Maximizer;
use thrifty_sampling::Seed;
use thrifty_space::Space;
use thrifty_study::{
    Ask, History, MaxTrials, Measurement, MemoKey, Optimizer, Outcome, Schedule, Study, Trial, TrialId,
};

const FOLDS: usize = 3;
/// Early enough that a short study keeps hyperparameters.
const EARLY: Refit = Refit::WhenNeeded { from: 12, growth: 1.2, restarts_until: 30 };
const MAXIMIZER: Maximizer = Maximizer { raw: 32, around_best: 2, climbs: 1 };

fn space() -> Space {
    Space::builder().float("x", 0.0, 1.0).float("y", 0.0, 1.0).build().unwrap()
}

fn fractional(refit: Refit, costs: FoldCosts) -> FractionalCv {
    let settings =
        FractionalSettings { refit, costs, maximizer: MAXIMIZER, ..FractionalSettings::new(FOLDS) };
    FractionalCv::new(space(), FOLDS).unwrap().with_settings(settings).unwrap()
}

fn multi_task(refit: Refit) -> MultiTaskCv {
    let tasks = TaskCovariance::Exchangeable;
    let settings = MultiTaskSettings { refit, tasks, maximizer: MAXIMIZER, ..MultiTaskSettings::default() };
    MultiTaskCv::new(space(), FOLDS)
        .unwrap()
        .with_settings(MultiTaskSettings { folds: FOLDS, ..settings })
        .unwrap()
}

fn loss(query: &FoldQuery) -> f64 {
    let (x, y) = (query.config.float("x").unwrap(), query.config.float("y").unwrap());
    (x - 0.3).powi(2) + 0.7 * (y - 0.6).powi(2) + 0.1 * (2.0 * query.fold as f64 + 5.0 * x).sin()
}

/// A loss with noise, a cost and a constraint; every ninth fold fails.
fn outcome(query: &FoldQuery, id: u64) -> Outcome {
    if id % 9 == 8 {
        return Outcome::failed("every ninth");
    }
    let (x, noise) = (query.config.float("x").unwrap(), Seed(6).stream("noise", id).uniform());
    Measurement {
        constraints: vec![0.2 - x + 0.05 * query.fold as f64],
        cost: Some((1.0 + x + 0.1 * query.fold as f64) * (1.0 + 0.1 * noise)),
        ..Measurement::from(loss(query) + 0.05 * noise)
    }
    .into()
}

fn study<O>(optimizer: O, window: usize, trials: usize) -> History<FoldQuery>
where
    O: Optimizer<Query = FoldQuery>,
{
    let schedule = Schedule::Window(window);
    let mut study = Study::new(optimizer, Seed(3)).with_schedule(schedule).with_stop(MaxTrials(trials));
    study.run(|query: &FoldQuery, context| outcome(query, context.id.0)).unwrap();
    study.history().clone()
}

fn learnt_from(trial: &Trial<FoldQuery>, name: &str) -> Option<usize> {
    trial.memo.get(&MemoKey::<u64>::named(format!("{name} learnt from"))).map(|count| count as usize)
}

/// Number of measured folds before a trial.
fn measured_before(history: &History<FoldQuery>, at: usize) -> usize {
    History::from_trials(history.trials()[..at].to_vec(), Seed(3)).measured().count()
}

/// Number of asks of a study of one fit at a time that kept hyperparameters: they were learnt from fewer folds than there were.
fn kept(history: &History<FoldQuery>, name: &str) -> usize {
    let is_kept = |at: &usize| {
        learnt_from(&history.trials()[*at], name).is_some_and(|n| n < measured_before(history, *at))
    };
    (0..history.len()).filter(is_kept).count()
}

/// Asks again at every step of a finished study of one fit at a time, from the history before it alone.
fn same_at_every_step<O: Optimizer<Query = FoldQuery>>(make: impl Fn() -> O, history: &History<FoldQuery>) {
    let all = history.trials();
    for at in 0..all.len() {
        let before = History::from_trials(all[..at].to_vec(), Seed(3));
        let asked = make().ask(&before, TrialId(at as u64)).unwrap();
        let Ask::Evaluate(again) = asked else { panic!("{at}: {asked:?}") };
        assert_eq!(again.query, all[at].query, "trial {at}");
        assert_eq!(again.memo, all[at].memo, "trial {at}");
    }
}

#[test]
fn every_step_is_a_function_of_its_history() {
    let make = || fractional(EARLY, FoldCosts::Measured);
    let history = study(make(), 1, 60);
    for name in ["model", "constraint 0", "costs"] {
        assert!(kept(&history, name) > 15, "{name}: {} kept", kept(&history, name));
    }
    same_at_every_step(make, &history);
    let make = || multi_task(EARLY);
    let history = study(make(), 1, 40);
    assert!(kept(&history, "model") > 5, "{} kept", kept(&history, "model"));
    same_at_every_step(make, &history);
}

/// Up to the first number every ask learns; beyond none keeps what fewer than five sixths of its folds taught.
#[test]
fn hyperparameters_are_learnt_by_growth() {
    let fits = [
        study(fractional(EARLY, FoldCosts::Ignored), 1, 60),
        study(fractional(EARLY, FoldCosts::Ignored), 3, 60),
        study(multi_task(EARLY), 1, 40),
    ];
    for history in fits {
        let mut modelled = 0;
        for (at, trial) in history.trials().iter().enumerate() {
            let Some(fit) = learnt_from(trial, "model") else { continue };
            modelled += 1;
            let most = measured_before(&history, at);
            // Of three fits at a time two may have ended after the ask.
            assert!(fit <= most && most as f64 <= 1.2 * (fit + 2) as f64, "trial {at} of {most}: {fit}");
            assert!(most > 12 || fit + 2 >= most, "trial {at} of {most}: {fit}");
        }
        assert!(modelled > 30);
    }
    let always = study(fractional(Refit::Always, FoldCosts::Ignored), 1, 40);
    assert_eq!(kept(&always, "model"), 0);
}

/// The default keeps nothing up to 300 folds: a study of so many is that of fits in every ask.
#[test]
fn the_default_learns_in_every_ask_of_the_comparisons() {
    let refit = FractionalSettings::new(FOLDS).refit;
    assert!((1..=300).all(|n| !refit.may_wait(n, n) && !refit.may_wait(n, n + 1) || n == 300));
    assert!(refit.may_wait(300, 301) && refit.may_wait(300, 305) && !refit.may_wait(300, 306));
    assert!(!refit.is_settled(300) && refit.is_settled(301));
    assert_eq!(MultiTaskSettings::default().refit, refit);
}

/// A memo that is older than the number says nothing of when its hyperparameters were learnt: the next ask learns.
#[test]
fn a_memo_without_the_number_learns_anew() {
    let history = study(fractional(EARLY, FoldCosts::Measured), 1, 60);
    let is_kept = |at: &usize| {
        learnt_from(&history.trials()[*at], "model").is_some_and(|n| n < measured_before(&history, *at))
    };
    let at = (30..60).find(is_kept).expect("an ask that keeps");
    let ask = |trials: Vec<Trial<FoldQuery>>| {
        let before = History::from_trials(trials, Seed(3));
        match fractional(EARLY, FoldCosts::Measured).ask(&before, TrialId(at as u64)).unwrap() {
            Ask::Evaluate(suggestion) => suggestion.memo,
            other => panic!("{other:?}"),
        }
    };
    let mut trials = history.trials()[..at].to_vec();
    let names = ["model learnt from", "constraint 0 learnt from", "costs learnt from"];
    for trial in &mut trials {
        trial.memo = std::mem::take(&mut trial.memo).without(&names);
    }
    let measured = History::from_trials(trials.clone(), Seed(3)).measured().count() as u64;
    let (with, without) = (ask(history.trials()[..at].to_vec()), ask(trials));
    for name in names {
        assert_eq!(without.get(&MemoKey::<u64>::named(name)), Some(measured), "{name}");
    }
    assert_ne!(with.get(&MemoKey::<u64>::named(names[0])), Some(measured));
}

/// One loss far from all others is improbable under what they taught; the constraint, which goes on as before, keeps its own.
#[test]
fn a_surprise_asks_for_a_fit() {
    let refit = Refit::WhenNeeded { from: 12, growth: 3.0, restarts_until: 30 };
    let make = || fractional(refit, FoldCosts::Ignored);
    let history = study(make(), 1, 30);
    let ask = |trials: Vec<Trial<FoldQuery>>| {
        let mut optimizer = make();
        match optimizer.ask(&History::from_trials(trials, Seed(3)), TrialId(30)).unwrap() {
            Ask::Evaluate(suggestion) => suggestion.memo,
            other => panic!("{other:?}"),
        }
    };
    let count = |memo: &thrifty_study::Memo, name: &str| {
        memo.get(&MemoKey::<u64>::named(format!("{name} learnt from"))).unwrap()
    };
    let calm = ask(history.trials().to_vec());
    let mut trials = history.trials().to_vec();
    let last = trials.iter_mut().rev().find(|trial| trial.outcome.as_ref().unwrap().objective().is_some());
    let last = last.unwrap();
    let Some(Outcome::Measured(measurement)) = &mut last.outcome else { panic!("a measurement") };
    measurement.objectives[0] += 100.0;
    let surprised = ask(trials);
    let measured = history.measured().count() as u64;
    assert_eq!((count(&surprised, "model"), count(&calm, "model") < measured), (measured, true));
    assert_eq!(count(&surprised, "constraint 0"), count(&calm, "constraint 0"));
}

/// Folds that all fail, equal losses and a growth that is none.
#[test]
fn edges_of_the_rule() {
    let of = |measure: fn(&FoldQuery) -> Outcome| {
        let mut study = Study::new(fractional(EARLY, FoldCosts::Ignored), Seed(3)).with_stop(MaxTrials(30));
        study.run(|query: &FoldQuery, _| measure(query)).unwrap();
        (study.history().clone(), study.recommend().unwrap())
    };
    let (failed, best) = of(|_| Outcome::failed("all of them"));
    assert!(failed.len() == 30 && best.is_none() && kept(&failed, "model") == 0);
    let (flat, best) = of(|_| Outcome::from(0.7));
    assert!(kept(&flat, "model") > 5 && (best.unwrap().value - 0.7).abs() < 1e-6);
    let settings = MultiTaskSettings { refit: Refit::by_growth(1.0), ..MultiTaskSettings::default() };
    let refused = MultiTaskCv::new(space(), FOLDS).unwrap().with_settings(settings).err().unwrap();
    assert!(refused.to_string().contains("growth between fits"), "{refused}");
}

/// Settings without the rule are those of earlier journals, and the default is not written.
#[test]
fn the_default_leaves_earlier_fingerprints_as_they_are() {
    let written = serde_json::to_value(FractionalSettings::new(FOLDS)).unwrap();
    assert!(written.get("refit").is_none(), "{written}");
    let read: FractionalSettings = serde_json::from_value(written).unwrap();
    assert_eq!(read, FractionalSettings::new(FOLDS));
    let other = FractionalSettings { refit: EARLY, ..FractionalSettings::new(FOLDS) };
    let text = serde_json::to_string(&other).unwrap();
    assert_eq!(serde_json::from_str::<FractionalSettings>(&text).unwrap(), other);
    assert!(serde_json::to_value(MultiTaskSettings::default()).unwrap().get("refit").is_none());
    let default = fractional(FractionalSettings::new(FOLDS).refit, FoldCosts::Ignored);
    let early = fractional(EARLY, FoldCosts::Ignored);
    assert_ne!(default.fingerprint().unwrap(), early.fingerprint().unwrap());
}
