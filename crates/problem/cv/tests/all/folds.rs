//! Histories of folds as optimisers of configurations see them: whole configurations, or single folds as a parameter.

use std::cell::RefCell;
use std::rc::Rc;

use thrifty_cv::adaptors::mean_squared_error;
use thrifty_cv::{AllFolds, FOLD, FoldChoice, FoldQuery, OnFolds, OneFold};
use thrifty_sampling::Seed;
use thrifty_space::{Config, Space};
use thrifty_study::{
    Ask, Direction, Directions, Fingerprint, History, MaxTrials, Measurement, Memo, MemoKey, Optimizer,
    OptimizerError, Outcome, StopReason, Study, Suggestion, Timing, Trial, TrialId,
};

type Script = Box<dyn Fn(&History<Config>, TrialId) -> Ask<Config>>;

/// Answers by a script and keeps the last history that it was asked with.
struct Scripted {
    script: Script,
    seen: Rc<RefCell<Option<History<Config>>>>,
}

impl Scripted {
    fn new(script: impl Fn(&History<Config>, TrialId) -> Ask<Config> + 'static) -> Self {
        Self { script: Box::new(script), seen: Rc::default() }
    }
}

impl Optimizer for Scripted {
    type Query = Config;
    type Recommendation = usize;

    fn ask(&mut self, history: &History<Config>, id: TrialId) -> Result<Ask<Config>, OptimizerError> {
        *self.seen.borrow_mut() = Some(history.clone());
        Ok((self.script)(history, id))
    }

    fn recommend(&mut self, history: &History<Config>) -> Result<Option<usize>, OptimizerError> {
        *self.seen.borrow_mut() = Some(history.clone());
        Ok(Some(history.measured().count()))
    }

    fn fingerprint(&self) -> Result<Fingerprint, OptimizerError> {
        Ok(Fingerprint::new("scripted"))
    }
}

fn at(x: f64) -> Config {
    let mut config = Config::new();
    config.insert("x", x);
    config
}

/// Suggests x = id / 8 with a memo and a diagnostic.
fn steps() -> Scripted {
    Scripted::new(|_, id| {
        let suggestion = Suggestion::new(at(id.0 as f64 / 8.0)).with_diagnostic("number", id.0 as f64);
        Ask::Evaluate(suggestion.with_memo(&MemoKey::<u64>::new("turn"), &id.0))
    })
}

fn trial(id: u64, x: f64, fold: usize, outcome: Option<Outcome>) -> Trial<FoldQuery> {
    let mut memo = Memo::default();
    memo.set(&MemoKey::<u64>::new("turn"), &id);
    Trial {
        id: TrialId(id),
        query: FoldQuery { config: at(x), repeat: 0, fold },
        diagnostics: [("number".to_owned(), id as f64)].into(),
        memo,
        reports: vec![(3, 0.5)],
        outcome,
        timing: Timing { ask: 1.0 + id as f64, evaluate: 10.0 * (1.0 + id as f64) },
    }
}

fn measured(objectives: &[f64], constraints: &[f64], cost: Option<f64>, noise: Option<f64>) -> Outcome {
    let (objectives, constraints) = (objectives.to_vec(), constraints.to_vec());
    Outcome::from(Measurement { objectives, constraints, cost, noise_variance: noise })
}

/// The configurations that an optimiser over all of three folds sees.
fn whole(trials: Vec<Trial<FoldQuery>>) -> Vec<Trial<Config>> {
    let inner = steps();
    let seen = Rc::clone(&inner.seen);
    let mut optimizer = AllFolds::new(inner, 3).unwrap();
    optimizer.recommend(&History::from_trials(trials, Seed(4))).unwrap();
    let history = seen.borrow_mut().take().unwrap();
    assert_eq!(history.seed(), Seed(4));
    history.trials().to_vec()
}

/// Means of objectives and constraints, the sum of the costs, the variance of a mean; memo and diagnostics of the first fold.
#[test]
fn configurations_have_the_means_of_their_folds() {
    let found = whole(vec![
        trial(0, 0.0, 0, Some(measured(&[1.0, 4.0], &[-3.0], Some(2.0), Some(0.9)))),
        trial(1, 0.0, 1, Some(measured(&[2.0, 5.0], &[0.0], Some(3.0), Some(1.8)))),
        trial(2, 0.0, 2, Some(measured(&[6.0, 9.0], &[0.0], Some(7.0), Some(0.9)))),
        trial(3, 0.5, 0, Some(measured(&[1.0, 1.0], &[1.0], Some(2.0), None))),
        trial(4, 0.5, 1, Some(measured(&[1.0, 1.0], &[1.0], None, Some(1.0)))),
        trial(5, 0.5, 2, Some(measured(&[1.0, 1.0], &[1.0], Some(2.0), Some(1.0)))),
    ]);
    assert_eq!(found.len(), 2);
    assert_eq!((found[0].id, found[1].id), (TrialId(0), TrialId(1)));
    assert_eq!((&found[0].query, &found[1].query), (&at(0.0), &at(0.5)));
    let first = found[0].outcome.as_ref().unwrap().measurement().unwrap();
    assert_eq!((&first.objectives[..], &first.constraints[..]), (&[3.0, 6.0][..], &[-1.0][..]));
    assert_eq!(first.cost, Some(12.0));
    assert!((first.noise_variance.unwrap() - 0.4).abs() < 1e-15);
    let second = found[1].outcome.as_ref().unwrap().measurement().unwrap();
    assert_eq!((second.cost, second.noise_variance), (None, None));
    assert_eq!(found[1].diagnostics["number"], 3.0);
    assert_eq!(found[1].memo.get(&MemoKey::<u64>::new("turn")), Some(3));
    assert!(found[1].reports.is_empty());
    assert_eq!((found[1].timing.ask, found[1].timing.evaluate), (15.0, 150.0));
}

/// Costs and directions of a study as an optimiser of configurations sees them at each of its asks: those of failed attempts are part of
/// what was spent.
#[test]
fn optimizers_see_what_was_spent_and_the_directions() {
    type Seen = Rc<RefCell<Vec<(f64, usize)>>>;
    fn run<O: Optimizer<Query = FoldQuery>>(seen: &Seen, optimizer: O) -> Vec<(f64, usize)> {
        let directions = Directions::new(vec![Direction::Minimize, Direction::Maximize]);
        let study = Study::new(optimizer, Seed(1)).with_directions(directions).with_retries(1);
        let mut study = study.with_stop(MaxTrials(6));
        study
            .run(|_: &FoldQuery, context| match context.attempt {
                0 => Outcome::failed("once").with_cost(5.0),
                _ => measured(&[1.0, -1.0], &[], Some(2.0), None),
            })
            .unwrap();
        seen.take()
    }
    let seen = Seen::default();
    let noting = || {
        let noted = Rc::clone(&seen);
        Scripted::new(move |history, id| {
            noted.borrow_mut().push((history.spent(), history.directions().as_slice().len()));
            Ask::Evaluate(Suggestion::new(at(id.0 as f64 / 8.0)))
        })
    };
    let each: Vec<(f64, usize)> = (0..6).map(|trials| (7.0 * f64::from(trials), 2)).collect();
    let one = OneFold::new(noting(), 3, FoldChoice::Random).unwrap();
    assert_eq!(run(&seen, one), each, "one fold");
    let single = OnFolds::new(&Space::unit_cube(1), 3, |_| Ok(noting())).unwrap();
    assert_eq!(run(&seen, single), each, "single folds");
    let all = AllFolds::new(noting(), 3).unwrap();
    assert_eq!(run(&seen, all), [each[0], each[3]], "all folds");
}

/// Without all folds a configuration is running; with a fold that failed it has failed, and the fold is named.
#[test]
fn configurations_run_until_all_folds_have_ended() {
    let good = || Some(measured(&[1.0], &[], None, None));
    let failed = || Some(Outcome::failed("no memory"));
    let of = |outcomes: Vec<Option<Outcome>>| {
        let trials = outcomes.into_iter().enumerate().map(|(i, o)| trial(i as u64, 0.0, i, o)).collect();
        whole(trials)[0].outcome.clone()
    };
    assert_eq!(of(vec![good(), good()]), None, "two of three");
    assert_eq!(of(vec![good(), None, good()]), None, "one runs");
    assert_eq!(of(vec![failed(), None, good()]), None, "one runs, whatever the others came to");
    assert!(of(vec![good(), good(), good()]).unwrap().measurement().is_some());
    assert_eq!(of(vec![good(), good(), failed()]), Some(Outcome::failed("fold 2 has no loss")));
    assert_eq!(of(vec![failed(), failed(), good()]), Some(Outcome::failed("fold 0 has no loss")));
    // Folds cost whatever came of them; a sum of which a part is not known is not known.
    let paid = |fold: Option<Outcome>, cost: f64| fold.map(|outcome| outcome.with_cost(cost));
    let cost = of(vec![paid(good(), 1.0), paid(failed(), 2.0), paid(good(), 4.0)]).unwrap().cost();
    assert_eq!(cost, Some(7.0));
    assert_eq!(of(vec![paid(good(), 1.0), failed(), paid(good(), 4.0)]).unwrap().cost(), None);
    // Nothing is learnt where no fold failed because of the configuration.
    let unrelated = || Some(Outcome::unrelated("the machine went down"));
    let pruned = || Some(Outcome::pruned(3));
    assert_eq!(of(vec![good(), unrelated(), unrelated()]), Some(Outcome::unrelated("fold 1 has no loss")));
    assert_eq!(
        of(vec![unrelated(), unrelated(), unrelated()]),
        Some(Outcome::unrelated("fold 0 has no loss"))
    );
    assert_eq!(of(vec![unrelated(), failed(), good()]), Some(Outcome::failed("fold 1 has no loss")));
    assert_eq!(of(vec![good(), unrelated(), pruned()]), Some(Outcome::failed("fold 2 has no loss")));
}

/// The first fold asks the optimiser, which may wait or stop; the others repeat its configuration.
#[test]
fn answers_of_the_optimizer_are_handed_on() {
    let ask = |optimizer: &mut AllFolds<Scripted>, trials: Vec<Trial<FoldQuery>>| {
        let id = TrialId(trials.len() as u64);
        optimizer.ask(&History::from_trials(trials, Seed(4)), id).unwrap()
    };
    let mut optimizer = AllFolds::new(steps(), 3).unwrap();
    let Ask::Evaluate(first) = ask(&mut optimizer, vec![]) else { panic!("a suggestion") };
    assert_eq!(first.query, FoldQuery { config: at(0.0), repeat: 0, fold: 0 });
    assert_eq!(first.memo.get(&MemoKey::<u64>::new("turn")), Some(0));
    assert_eq!(first.diagnostics["number"], 0.0);
    let Ask::Evaluate(second) = ask(&mut optimizer, vec![trial(0, 0.7, 0, None)]) else { panic!("a fold") };
    assert_eq!(second.query, FoldQuery { config: at(0.7), repeat: 0, fold: 1 });
    assert!(second.diagnostics.is_empty());
    let mut waits = AllFolds::new(Scripted::new(|_, _| Ask::Wait), 3).unwrap();
    assert!(matches!(ask(&mut waits, vec![]), Ask::Wait));
    let mut stops = AllFolds::new(Scripted::new(|_, _| Ask::Stop(StopReason::Exhausted)), 3).unwrap();
    assert!(matches!(ask(&mut stops, vec![]), Ask::Stop(StopReason::Exhausted)));
}

#[test]
fn fingerprints_hold_the_number_of_folds_and_the_optimizer() {
    let space = Space::builder().float("x", 0.0, 1.0).build().unwrap();
    let all = |folds| AllFolds::new(steps(), folds).unwrap().fingerprint().unwrap();
    let on = |folds| OnFolds::new(&space, folds, |_| Ok(steps())).unwrap().fingerprint().unwrap();
    assert!(all(3).differences(&all(3)).is_empty() && on(3).differences(&on(3)).is_empty());
    for found in [all(3).differences(&all(4)), on(3).differences(&on(4))] {
        assert_eq!(found.len(), 1);
        assert_eq!((&found[0].path[..], &found[0].found[..], &found[0].expected[..]), ("folds", "3", "4"));
    }
    let methods = &all(3).differences(&on(3))[0];
    assert_eq!(methods.found, "\"all folds over scripted\"");
    assert_eq!(methods.expected, "\"on folds over scripted\"");
}

/// The space has the fold as its last parameter, with levels 0 to K - 1.
#[test]
fn the_space_of_single_folds_has_the_fold_at_its_end() {
    let space = Space::builder().float("x", 0.0, 1.0).build().unwrap();
    let with = OnFolds::<Scripted>::space(&space, 5).unwrap();
    let names: Vec<&str> = with.parameters().iter().map(|parameter| &parameter.name[..]).collect();
    assert_eq!(names, ["x", FOLD]);
    let mut last = at(0.5);
    last.insert(FOLD, 4_i64);
    with.validate(&last).unwrap();
    last.insert(FOLD, 5_i64);
    assert!(with.validate(&last).is_err());
    let error = |folds: usize, space: &Space| {
        let error = OnFolds::new(space, folds, |_| Ok(steps())).err().expect("refused");
        format!("{error} {:?}", std::error::Error::source(&error).map(ToString::to_string))
    };
    for folds in [0, 1] {
        assert!(error(folds, &space).contains(&format!("folds is {folds}")), "{}", error(folds, &space));
    }
    assert!(OnFolds::new(&space, 2, |_| Ok(steps())).is_ok());
    assert!(error(3, &with).contains("adding the fold to the space"), "{}", error(3, &with));
}

/// The optimiser sees every trial with its fold as a parameter, and everything else as it is.
#[test]
fn single_folds_are_trials_with_a_parameter() {
    let space = Space::builder().float("x", 0.0, 1.0).build().unwrap();
    let inner = steps();
    let seen = Rc::clone(&inner.seen);
    let mut optimizer = OnFolds::new(&space, 3, |_| Ok(inner)).unwrap();
    let trials = vec![trial(0, 0.25, 2, Some(measured(&[1.0], &[], None, None))), trial(1, 0.5, 1, None)];
    assert_eq!(optimizer.recommend(&History::from_trials(trials.clone(), Seed(4))).unwrap(), Some(1));
    let history = seen.borrow_mut().take().unwrap();
    assert_eq!((history.seed(), history.len()), (Seed(4), 2));
    for (found, of) in history.trials().iter().zip(&trials) {
        let mut query = of.query.config.clone();
        query.insert(FOLD, of.query.fold as i64);
        assert_eq!(found.query, query);
        assert_eq!((found.id, &found.outcome, found.timing), (of.id, &of.outcome, of.timing));
        assert_eq!(
            (&found.reports, &found.memo, &found.diagnostics),
            (&of.reports, &of.memo, &of.diagnostics)
        );
    }
}

/// The fold that was asked least often at the configuration, then least often at all, the first of equals; where all folds
/// were asked there, the fold that the optimiser suggests.
#[test]
fn the_fold_is_the_one_asked_least_often() {
    let space = Space::builder().float("x", 0.0, 1.0).build().unwrap();
    let fold = |asked: &[(f64, usize)]| {
        let script = |_: &History<Config>, id: TrialId| {
            let mut config = at(0.5);
            config.insert(FOLD, 2_i64);
            Ask::Evaluate(Suggestion::new(config).with_diagnostic("number", id.0 as f64))
        };
        let mut optimizer = OnFolds::new(&space, 3, |_| Ok(Scripted::new(script))).unwrap();
        let trials: Vec<Trial<FoldQuery>> =
            asked.iter().enumerate().map(|(i, (x, fold))| trial(i as u64, *x, *fold, None)).collect();
        let id = TrialId(trials.len() as u64);
        let Ask::Evaluate(found) = optimizer.ask(&History::from_trials(trials, Seed(4)), id).unwrap() else {
            panic!("a suggestion")
        };
        assert_eq!((found.query.config, found.query.repeat), (at(0.5), 0), "without the fold");
        assert_eq!(found.diagnostics["number"], id.0 as f64);
        found.query.fold
    };
    assert_eq!(fold(&[]), 0);
    assert_eq!(fold(&[(0.5, 0)]), 1);
    assert_eq!(fold(&[(0.5, 0), (0.1, 1)]), 2, "elsewhere fold 1 was asked more often");
    assert_eq!(fold(&[(0.5, 1), (0.1, 0), (0.2, 0), (0.3, 2)]), 2);
    assert_eq!(fold(&[(0.5, 2), (0.5, 1), (0.1, 0), (0.2, 0)]), 0, "none of it at the configuration");
    assert_eq!(fold(&[(0.5, 0), (0.5, 1), (0.5, 2)]), 2, "what was suggested");
    assert_eq!(fold(&[(0.5, 0), (0.5, 1), (0.5, 2), (0.5, 2)]), 2, "what was suggested");
}

#[test]
fn waits_and_stops_reach_a_study_on_folds() {
    let space = Space::builder().float("x", 0.0, 1.0).build().unwrap();
    let ask = |script: fn() -> Ask<Config>| {
        let mut optimizer = OnFolds::new(&space, 3, |_| Ok(Scripted::new(move |_, _| script()))).unwrap();
        optimizer.ask(&History::new(Seed(1)), TrialId(0)).unwrap()
    };
    assert!(matches!(ask(|| Ask::Wait), Ask::Wait));
    assert!(matches!(ask(|| Ask::Stop(StopReason::Exhausted)), Ask::Stop(StopReason::Exhausted)));
    // A suggestion without a fold stands for fold 0 where all were asked.
    let optimizer =
        OnFolds::new(&space, 2, |_| Ok(Scripted::new(|_, _| Ask::Evaluate(Suggestion::new(at(0.5))))));
    let mut study = Study::new(optimizer.unwrap(), Seed(1)).with_stop(MaxTrials(5));
    study.run(|query: &FoldQuery, _| query.fold as f64).unwrap();
    let folds: Vec<usize> = study.history().trials().iter().map(|trial| trial.query.fold).collect();
    assert_eq!(folds, [0, 1, 0, 0, 0]);
}

#[test]
fn squared_errors_are_squares_of_differences() {
    assert_eq!(mean_squared_error(&[1.0, -2.0], &[4.0, -2.0]), Some(4.5));
    assert_eq!(mean_squared_error(&[-1.0], &[2.0]), Some(9.0));
}

/// A query from elsewhere in full cross-validation, which asks all folds in turn: it is refused, before a study runs and in the optimiser.
#[test]
fn full_cross_validation_takes_no_single_fold_from_elsewhere() {
    let query = FoldQuery { config: at(0.5), repeat: 0, fold: 1 };
    let error = AllFolds::new(steps(), 3).unwrap().check(&query, true).unwrap_err();
    let source = std::error::Error::source(&error).map(ToString::to_string).unwrap_or_default();
    assert!(source.contains("all folds of a configuration are asked in turn"), "{error}: {source}");
    let study = Study::new(AllFolds::new(steps(), 3).unwrap(), Seed(1));
    assert!(study.with_queue([query]).is_err(), "a fold in the queue");
}

/// An optimiser of one parameter that keeps the number of trials it plans for.
struct Planned(Option<usize>);

impl Optimizer for Planned {
    type Query = Config;
    type Recommendation = Config;

    fn ask(&mut self, _: &History<Config>, id: TrialId) -> Result<Ask<Config>, OptimizerError> {
        let mut config = Config::new();
        config.insert("x", id.0 as f64);
        Ok(Ask::Evaluate(Suggestion::new(config)))
    }

    fn recommend(&mut self, _: &History<Config>) -> Result<Option<Config>, OptimizerError> {
        Ok(None)
    }

    fn plan(&mut self, trials: usize) {
        self.0 = Some(trials);
    }

    fn fingerprint(&self) -> Result<Fingerprint, OptimizerError> {
        Ok(Fingerprint::new("planned").with_budget(self.0))
    }
}

/// The number of trials of a study reaches the optimiser of configurations, in their number, and is that of the study again when a journal is opened.
#[test]
fn a_plan_reaches_the_optimizer_of_configurations() {
    let space = Space::unit_cube(1);
    let build = |_: Space| Ok(Planned(None));
    let one = OneFold::new(Planned(None), 5, FoldChoice::Fixed(0)).unwrap();
    let one = Study::new(one, Seed(1)).with_trials(62);
    assert_eq!(one.optimizer().fingerprint().unwrap().budget(), Some(62));
    let on = OnFolds::new(&space, 5, build).unwrap();
    let on = Study::new(on, Seed(1)).with_trials(62);
    assert_eq!(on.optimizer().optimizer().0, Some(62));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("study.jsonl");
    let all = || Study::new(AllFolds::new(Planned(None), 5).unwrap(), Seed(1));
    let planned = |study: &Study<AllFolds<Planned>>| study.optimizer().fingerprint().unwrap().budget();
    assert_eq!(planned(&all().with_trials(62)), Some(60), "twelve configurations");
    assert_eq!(planned(&all().with_trials(3)), Some(5), "a part of one");
    all().with_trials(62).with_journal(&path).unwrap().ask().unwrap();
    for _ in 0..2 {
        assert_eq!(planned(&all().with_journal(&path).unwrap()), Some(60));
    }
}
