//! The optimiser: the paper's first decisions, stopping with numbers, guards, failures, and resuming.

use rand_distr::{Distribution, StandardNormal};
use thrifty_autobct::{AutoBct, AutoBctSettings, NoiseStdDev, Plan, Record, Scale, State};
use thrifty_linear::{Basis, Coefficients, Polynomial};
use thrifty_sampling::Seed;
use thrifty_space::{Config, Space};
use thrifty_study::{
    Ask, CostUnit, MaxTrials, Measurement, Next, Optimizer, OptimizerError, Outcome, StopReason, Study,
    TrialId, costed,
};

fn space() -> Space {
    Space::builder().float("u", 0.0, 1.0).build().unwrap()
}

fn cubic() -> Polynomial {
    Polynomial::of_one(3, 0.5)
}

/// Appendix D.1.
fn prior() -> State {
    State {
        score: Coefficients::independent(vec![0.4, 0.1, -0.2, 0.1], &[1.0; 4]).unwrap(),
        cost: Coefficients::independent(vec![1.0, 1.0, 2.0, 2.0], &[0.64, 4.0, 4.0, 4.0]).unwrap(),
    }
}

fn optimizer(settings: AutoBctSettings) -> AutoBct {
    AutoBct::new(space(), &cubic(), &cubic(), prior(), settings).unwrap()
}

/// A score that rises to 0.98 and a cost that rises with the control, with a little noise.
fn train(config: &Config, id: u64) -> Measurement {
    let u = config.float("u").unwrap();
    let mut rng = Seed(4).stream("training", id);
    let (z, w): (f64, f64) = (StandardNormal.sample(&mut rng), StandardNormal.sample(&mut rng));
    let score = 0.98 - 0.42 * (-6.0 * u).exp() + 0.008 * z;
    Measurement {
        objectives: vec![score],
        cost: Some((0.06 + 0.67 * u + 0.03 * w).max(0.0)),
        ..Measurement::default()
    }
}

fn finished(settings: AutoBctSettings) -> (Study<AutoBct>, StopReason) {
    let mut study = Study::new(optimizer(settings), Seed(0)).with_stop(MaxTrials(50));
    let reason = study.run(|config: &Config, context| train(config, context.id.0)).unwrap();
    (study, reason)
}

/// A score that is told as a loss on another scale: the recommendation has its units, and so have the ends of its interval, the lower first.
#[test]
fn the_recommended_value_is_in_the_units_of_the_objective() {
    let value = |scale: Scale, loss: &dyn Fn(f64) -> f64| {
        let optimizer = optimizer(AutoBctSettings { score: scale, ..AutoBctSettings::default() });
        let mut study = Study::new(optimizer, Seed(0)).with_stop(MaxTrials(50));
        study
            .run(|config: &Config, context| {
                let trained = train(config, context.id.0);
                Measurement { objectives: vec![loss(trained.objectives[0])], ..trained }
            })
            .unwrap();
        let best = study.recommend().unwrap().unwrap();
        let (low, high) = best.interval.unwrap();
        assert!(low < best.value && best.value < high, "{best:?}");
        [best.value, low, high]
    };
    let [score, low, high] = value(Scale::Identity, &|score| score);
    let [loss, loss_low, loss_high] =
        value(Scale::Affine { zero: 30.0, one: 10.0 }, &|score| 30.0 - 20.0 * score);
    assert!(score > 0.9 && (loss - (30.0 - 20.0 * score)).abs() < 1e-9, "{score} {loss}");
    let ends = [loss_low - (30.0 - 20.0 * high), loss_high - (30.0 - 20.0 * low)];
    assert!(ends.iter().all(|difference| difference.abs() < 1e-9), "{ends:?}");
}

/// The published runs begin at 0 and end after three trainings with a score of 0.98.
#[test]
fn it_trains_as_the_paper_does() {
    let (mut study, reason) = finished(AutoBctSettings::default());
    let trials = study.history().trials();
    assert_eq!(trials[0].query.float("u"), Ok(0.0));
    assert!((2..=4).contains(&trials.len()), "{}", trials.len());
    let StopReason::Decided { message, numbers } = reason else { panic!("{reason:?}") };
    assert!(message.contains("worth as much"), "{message}");
    assert!(numbers["expected_score"] >= numbers["value"] && numbers["expected_score"] > 0.93, "{numbers:?}");
    assert!(numbers["spent"] > 0.0);
    let last = trials[trials.len() - 1].query.clone();
    assert_eq!(study.recommend().unwrap().map(|best| best.config), Some(last));
}

#[test]
fn plans_and_guards_end_it() {
    let count = |settings| {
        let (study, reason) = finished(settings);
        let message = match reason {
            StopReason::Decided { message, .. } => message,
            other => panic!("{other:?}"),
        };
        (study.history().len(), message)
    };
    // Looking one training ahead is to train once, and then whenever that pays at once.
    let (myopic, _) =
        count(AutoBctSettings { plan: Plan::Relaxed { depth: 1 }, ..AutoBctSettings::default() });
    assert!((1..=3).contains(&myopic));
    let (horizon, message) =
        count(AutoBctSettings { plan: Plan::Horizon { horizon: 1 }, ..AutoBctSettings::default() });
    assert!(horizon == 1 && message.contains("horizon"), "{horizon} {message}");
    let (epochs, message) = count(AutoBctSettings { max_epochs: 1, ..AutoBctSettings::default() });
    assert!(epochs == 1 && message.contains("as many trainings"));
    let (spent, message) = count(AutoBctSettings { max_cost: 0.01, ..AutoBctSettings::default() });
    assert!(spent == 1 && message.contains("as much cost"), "{spent} {message}");
    // Trainings that fail are paid for.
    let mut failing =
        Study::new(optimizer(AutoBctSettings { max_cost: 0.01, ..AutoBctSettings::default() }), Seed(0));
    let reason = failing.run(|_, _| Outcome::failed("out of memory").with_cost(0.02)).unwrap();
    assert!(matches!(reason, StopReason::Decided { .. }) && failing.history().len() == 1, "{reason:?}");
    // Caution stops earlier.
    let (cautious, _) = count(AutoBctSettings { epsilon: 0.5, ..AutoBctSettings::default() });
    let (bold, _) = count(AutoBctSettings::default());
    assert!(cautious <= bold);
}

#[test]
fn scales_failures_and_one_at_a_time() {
    // Reported are an error to be minimised and minutes.
    let settings = AutoBctSettings {
        score: Scale::Affine { zero: 0.5, one: 0.0 },
        cost: Scale::Logarithmic { zero: 1.0, one: 100.0 },
        recall_best: true,
        ..AutoBctSettings::default()
    };
    let mut study = Study::new(optimizer(settings), Seed(0)).with_stop(MaxTrials(6));
    let Next::Evaluate(first) = study.ask().unwrap() else { panic!("a suggestion") };
    assert!(matches!(study.ask().unwrap(), Next::Wait));
    // A tenth of the scale, and a cost of 0, which has no logarithm.
    study.tell(first.id, Outcome::failed("out of memory").with_cost(10_f64.powf(0.2))).unwrap();
    let Next::Evaluate(second) = study.ask().unwrap() else { panic!("a suggestion") };
    assert_ne!(first.query, second.query);
    assert!((second.diagnostics["spent"] - 0.1).abs() < 1e-12, "{:?}", second.diagnostics);
    study.tell(second.id, Outcome::unrelated("the machine went down").with_cost(0.0)).unwrap();
    let Next::Evaluate(second) = study.ask().unwrap() else { panic!("a suggestion") };
    assert!((second.diagnostics["spent"] - 0.1).abs() < 1e-12, "{:?}", second.diagnostics);
    study
        .tell(second.id, Measurement { objectives: vec![0.1], cost: Some(250.0), ..Measurement::default() })
        .unwrap();
    let mut again = optimizer(AutoBctSettings::default());
    assert!(again.ask(study.history(), TrialId(2)).is_ok());
    if let Next::Evaluate(third) = study.ask().unwrap() {
        assert_eq!(third.diagnostics["outside"], 1.0);
        assert!(third.diagnostics["stop"] > 0.5 && third.diagnostics["spent"] > 1.0);
        study
            .tell(third.id, Measurement { objectives: vec![0.2], cost: Some(3.0), ..Measurement::default() })
            .unwrap();
    }
    assert_eq!(study.recommend().unwrap().map(|best| best.config), Some(second.query));
}

#[test]
fn bad_reports_are_named_and_lose_nothing() {
    let told = |cost| Measurement { objectives: vec![0.5], cost, ..Measurement::default() };
    let mut study = Study::new(optimizer(AutoBctSettings::default()), Seed(0));
    let Next::Evaluate(trial) = study.ask().unwrap() else { panic!("a suggestion") };
    // A negative cost is refused at `tell`, and the trial can be told again.
    let refused = study.tell(trial.id, told(Some(-1.0))).unwrap_err().to_string();
    assert!(refused.contains("trial 0") && refused.contains("cost is -1"), "{refused}");
    // So is a training without a cost, and one whose value its scale does not take.
    let refused = study.tell(trial.id, told(None)).unwrap_err().to_string();
    assert!(refused.contains("trial 0") && refused.contains("cost is missing"), "{refused}");
    let logarithmic = Scale::Logarithmic { zero: 1.0, one: 2.0 };
    let settings = AutoBctSettings { score: logarithmic, cost: logarithmic, ..AutoBctSettings::default() };
    let mut scaled = Study::new(optimizer(settings), Seed(0));
    let Next::Evaluate(trial) = scaled.ask().unwrap() else { panic!("a suggestion") };
    let refused = scaled.tell(trial.id, told(Some(0.0))).unwrap_err().to_string();
    assert!(refused.contains("cost is 0, expected a positive number"), "{refused}");
    let negative = Measurement { objectives: vec![-0.5], ..told(Some(1.5)) };
    let refused = scaled.tell(trial.id, negative).unwrap_err().to_string();
    assert!(refused.contains("score is -0.5, expected a positive number"), "{refused}");
    scaled.tell(trial.id, told(Some(1.5))).unwrap();
    assert_eq!(study.history().len(), 1);
    let settings =
        AutoBctSettings { score: Scale::Logarithmic { zero: 1.0, one: 0.0 }, ..AutoBctSettings::default() };
    assert!(settings.validate().unwrap_err().to_string().contains("what is 1 on a scale is 0"));
    assert!(Scale::Logarithmic { zero: 1.0, one: 2.0 }.apply(-1.0).is_err());
    let wrong = AutoBctSettings { gamma: -20.0, ..AutoBctSettings::default() };
    let error = AutoBct::new(space(), &cubic(), &cubic(), prior(), wrong).err().unwrap();
    assert!(matches!(error, OptimizerError::InvalidSetting { .. }), "{error}");
    let wrong = AutoBctSettings { grid: 1, ..AutoBctSettings::default() };
    let error = AutoBct::new(space(), &cubic(), &cubic(), prior(), wrong).err().unwrap();
    assert!(matches!(error, OptimizerError::InvalidSetting { .. }), "{error}");
    let short = Polynomial::of_one(2, 0.5);
    assert!(AutoBct::new(space(), &short, &cubic(), prior(), AutoBctSettings::default()).is_err());
    for settings in [
        AutoBctSettings { plan: Plan::Relaxed { depth: 0 }, ..AutoBctSettings::default() },
        AutoBctSettings { grid: 1, ..AutoBctSettings::default() },
        AutoBctSettings { epsilon: 1.0, ..AutoBctSettings::default() },
        AutoBctSettings { gamma: f64::NAN, ..AutoBctSettings::default() },
    ] {
        assert!(AutoBct::new(space(), &cubic(), &cubic(), prior(), settings).is_err());
    }
}

/// A new optimiser over the same history suggests the same: there is no hidden state.
#[test]
fn it_is_a_function_of_the_history() {
    let (study, _) = finished(AutoBctSettings::default());
    let trials = study.history().trials();
    for n in 0..trials.len() {
        let history = thrifty_study::History::from_trials(trials[..n].to_vec(), thrifty_sampling::Seed(0));
        let Ask::Evaluate(again) =
            optimizer(AutoBctSettings::default()).ask(&history, TrialId(n as u64)).unwrap()
        else {
            panic!("a suggestion")
        };
        assert_eq!(again.query, trials[n].query);
    }
}

/// A training that measures its own cost, reported or not.
#[test]
fn costs_measure_themselves() {
    let optimizer = optimizer(AutoBctSettings { max_epochs: 3, ..AutoBctSettings::default() });
    let mut study = Study::new(optimizer, Seed(0)).with_stop(MaxTrials(3));
    let busy = |config: &Config, _: &mut thrifty_study::Context<'_>| {
        let rounds = (2e6 * (0.1 + config.float("u").unwrap())) as u64;
        (0..rounds).fold(0.0, |sum, i| sum + (i as f64).sqrt()) * 0.0 + 0.5
    };
    study.run(costed(CostUnit::ThreadCpuSeconds, busy)).unwrap();
    for trial in study.history().trials() {
        let cost = trial.outcome.as_ref().unwrap().measurement().unwrap().cost.unwrap();
        assert!(cost > 0.0 && cost < 10.0, "{cost}");
    }
}

/// Earlier tasks give the prior of the next.
#[test]
fn a_prior_from_earlier_tasks() {
    let record = |u: f64, score: f64, cost: f64| Record { control: vec![u], score, cost };
    let task = |shift: f64| -> Vec<Record> {
        (0..8).map(|i| f64::from(i) / 7.0).map(|u| record(u, 0.5 + 0.4 * u + shift, 0.1 + 0.6 * u)).collect()
    };
    let noise = NoiseStdDev { score: 0.05, cost: 0.1 };
    let tasks = [task(-0.1), task(0.0), task(0.1)];
    let learnt = State::from_tasks(&cubic(), &cubic(), &prior(), &tasks, noise).unwrap();
    let phi = thrifty_linear::Basis::eval(&cubic(), &[0.8]);
    let (mean, variance) = learnt.score.moments(&phi);
    assert!(
        (mean - 0.82).abs() < 0.05 && variance > 0.01 && variance < prior().score.moments(&phi).1,
        "{mean} {variance}"
    );
    let (cost, spread) = learnt.cost.moments(&phi);
    assert!((cost - 0.58).abs() < 0.1 && spread < prior().cost.moments(&phi).1, "{cost} {spread}");
    // No tasks: nothing learnt. Bad ones are named.
    assert_eq!(State::from_tasks(&cubic(), &cubic(), &prior(), &[], noise).unwrap(), prior());
    let error = State::from_tasks(&cubic(), &cubic(), &prior(), &[vec![record(1.5, 0.5, 0.1)]], noise);
    assert!(error.unwrap_err().to_string().contains("control 0 is [1.5]"));
}

/// A suggestion is the control of the best value, and the study stops when stopping is worth as much.
#[test]
fn values_of_training_are_those_behind_suggestions() {
    let mut study = Study::new(optimizer(AutoBctSettings::default()), Seed(0));
    let mut asked = 0;
    while let Next::Evaluate(trial) = study.ask().unwrap() {
        let before: Vec<_> = study.history().trials()[..asked].to_vec();
        let before = thrifty_study::History::from_trials(before, Seed(0));
        let values = study.optimizer().training_values(&before).unwrap().unwrap();
        assert_eq!(study.optimizer().controls()[values.best], trial.query);
        assert_eq!(values.value(), trial.diagnostics["value"]);
        assert_eq!(
            study.optimizer().stopping_value(&before).unwrap(),
            trial.diagnostics.get("stop").copied()
        );
        study.tell(trial.id, Outcome::from(train(&trial.query, trial.id.0))).unwrap();
        asked += 1;
    }
    assert!((2..=4).contains(&asked), "{asked}");
    let settings = AutoBctSettings { plan: Plan::Horizon { horizon: asked }, ..AutoBctSettings::default() };
    assert!(optimizer(settings).training_values(study.history()).unwrap().is_none(), "the horizon is over");
}

#[test]
fn discrete_and_two_dimensional_controls() {
    let space = Space::builder().int("trees", 1, 8).categorical("kind", ["a", "b"]).build().unwrap();
    let basis = Polynomial::full(space.dim(), 1, 0.5);
    let count = thrifty_linear::Basis::len(&basis);
    let belief = |level: f64| {
        let mut mean = vec![0.0; count];
        mean[0] = level;
        Coefficients::independent(mean, &vec![0.3; count]).unwrap()
    };
    let state = State { score: belief(0.5), cost: belief(0.3) };
    let settings = AutoBctSettings { grid: 8, later_grid: 8, ..AutoBctSettings::default() };
    let optimizer = AutoBct::new(space, &basis, &basis, state, settings).unwrap();
    assert_eq!(optimizer.decision().controls().len(), 16);
    let mut study = Study::new(optimizer, Seed(0)).with_stop(MaxTrials(10));
    study
        .run(|config: &Config, _| {
            let trees = config.float("trees").unwrap() / 8.0;
            let kind = if config.str("kind") == Ok("a") { 0.2 } else { 0.0 };
            Measurement {
                objectives: vec![0.5 * trees + kind],
                cost: Some(0.2 * trees),
                ..Measurement::default()
            }
        })
        .unwrap();
    assert!(study.recommend().unwrap().is_some());
}

/// Grids of more than a million controls are refused by the name of their setting, also where their number has no 64 bits.
#[test]
fn grids_that_are_too_large_are_named() {
    let error = |dim: usize, grid: usize, later_grid: usize| {
        let space = Space::unit_cube(dim);
        let basis = Polynomial::full(dim, 1, 0.5);
        let count = thrifty_linear::Basis::len(&basis);
        let belief = || Coefficients::independent(vec![0.1; count], &vec![0.3; count]).unwrap();
        let state = State { score: belief(), cost: belief() };
        let settings = AutoBctSettings { grid, later_grid, ..AutoBctSettings::default() };
        AutoBct::new(space, &basis, &basis, state, settings).err().expect("refused").to_string()
    };
    let message = error(10, 101, 2);
    assert!(message.contains("controls of each number is 101") && message.contains("a million"), "{message}");
    let message = error(2, 3, 1001);
    assert!(message.contains("later controls of each number is 1001"), "{message}");
}

/// A grid of more than 3000 controls is not smoothed over.
#[test]
fn grids_that_are_too_large_to_smooth_over_are_named() {
    let basis = Polynomial::full(2, 1, 0.5);
    let belief = || Coefficients::independent(vec![0.1; 3], &[0.3; 3]).unwrap();
    let built = |grid: usize, smooth: bool| {
        let settings = AutoBctSettings { grid, later_grid: 2, smooth, ..AutoBctSettings::default() };
        let state = State { score: belief(), cost: belief() };
        let built = AutoBct::new(Space::unit_cube(2), &basis, &basis, state, settings);
        built.err().map(|error| error.to_string())
    };
    let message = built(55, true).expect("refused");
    assert!(message.contains("controls of each number is 55") && message.contains("3000"), "{message}");
    assert_eq!((built(55, false), built(5, true)), (None, None));
}

/// Noise that depends on the control: a constant function is the setting, and a louder control teaches less.
#[test]
fn noise_may_depend_on_the_control() {
    let with = |noise: fn(&Config) -> NoiseStdDev| {
        let (score, cost) = (cubic(), cubic());
        AutoBct::with_noise(&space(), [&score, &cost], prior(), AutoBctSettings::default(), "own", noise)
    };
    let told = |optimizer: AutoBct| {
        let mut study = Study::new(optimizer, Seed(0));
        let Next::Evaluate(first) = study.ask().unwrap() else { panic!("a first training") };
        study.tell(first.id, train(&first.query, first.id.0)).unwrap();
        let Next::Evaluate(next) = study.ask().unwrap() else { panic!("a second training") };
        (next.query, study.history().clone())
    };
    let usual = with(|_| NoiseStdDev { score: 0.05, cost: 0.1 }).unwrap();
    let (next, history) = told(with(|_| NoiseStdDev { score: 0.05, cost: 0.1 }).unwrap());
    assert_eq!((next, history.trials()[0].query.clone()), {
        let (next, history) = told(optimizer(AutoBctSettings::default()));
        (next, history.trials()[0].query.clone())
    });
    // The training was at 0: a score that is all noise there leaves its coefficients as uncertain as before.
    assert_eq!(history.trials()[0].query.float("u"), Ok(0.0));
    let loud =
        with(|u| NoiseStdDev { score: if u.float("u").unwrap() < 0.1 { 50.0 } else { 0.05 }, cost: 0.1 });
    let (constant, loud) = (usual.state(&history).unwrap(), loud.unwrap().state(&history).unwrap());
    let variance = |state: &State| {
        let mut phi = vec![0.0; 4];
        thrifty_linear::Basis::eval_into(&cubic(), &[0.0], &mut phi);
        state.score.moments(&phi).1
    };
    let [before, after, taught] = [&prior(), &loud, &constant].map(variance);
    assert!(after > 0.999 * before && taught < 0.01 * before, "{before} {after} {taught}");
    let silent = with(|_| NoiseStdDev { score: 0.0, cost: 0.1 }).map(|_| ()).unwrap_err().to_string();
    assert!(silent.contains("setting noise of the score is 0"), "{silent}");
}

/// A history that no study would have: a training with a negative cost is named.
#[test]
fn negative_costs_of_a_history_are_named() {
    let mut study = Study::new(optimizer(AutoBctSettings::default()), Seed(0)).with_stop(MaxTrials(1));
    study.run(|_, _| Measurement { cost: Some(0.5), ..Measurement::from(0.5) }).unwrap();
    let mut trials = study.history().trials().to_vec();
    let mut with_cost = |cost: f64| {
        trials[0].outcome =
            Some(Outcome::Measured(Measurement { cost: Some(cost), ..Measurement::from(0.5) }));
        let history = thrifty_study::History::from_trials(trials.clone(), Seed(0));
        optimizer(AutoBctSettings::default()).ask(&history, TrialId(1)).map(|_| ()).map_err(|error| {
            format!("{error} {:?}", std::error::Error::source(&error).map(ToString::to_string))
        })
    };
    assert!(with_cost(0.0).is_ok());
    let error = with_cost(-0.25).unwrap_err();
    assert!(error.contains("the cost of a training") && error.contains("-0.25"), "{error}");
}

/// A training that failed for a reason of the machine is tried again, as if it had not been; one that failed for its own is not.
#[test]
fn unrelated_failures_are_tried_again() {
    let second = |outcome: Outcome| {
        let mut study = Study::new(optimizer(AutoBctSettings::default()), Seed(0));
        let Next::Evaluate(first) = study.ask().unwrap() else { panic!("a training") };
        study.tell(first.id, outcome).unwrap();
        let Next::Evaluate(second) = study.ask().unwrap() else { panic!("a training") };
        first.query == second.query
    };
    assert!(second(Outcome::unrelated("the machine went down")));
    assert!(!second(Outcome::failed("no")));
}

/// A training beside the grid that fails closes no control of it, but counts for a horizon.
#[test]
fn failures_beside_the_grid_close_no_control() {
    let next = |failed: Option<f64>, plan: Plan| {
        let settings = AutoBctSettings { plan, grid: 3, later_grid: 3, ..AutoBctSettings::default() };
        let mut study = Study::new(optimizer(settings), Seed(0));
        if let Some(u) = failed {
            let mut config = Config::new();
            config.insert("u", u);
            study.enqueue(config).unwrap();
            let Next::Evaluate(trial) = study.ask().unwrap() else { panic!("the queued training") };
            assert_eq!(trial.query.float("u"), Ok(u));
            study.tell(trial.id, Outcome::failed("no")).unwrap();
        }
        match study.ask().unwrap() {
            Next::Evaluate(trial) => Some(trial.query.float("u").unwrap()),
            _ => None,
        }
    };
    let two = Plan::Relaxed { depth: 2 };
    let first = next(None, two).unwrap();
    let beside = (first - 0.1).abs();
    assert_eq!(next(Some(beside), two), Some(first));
    assert_ne!(next(Some(first), two), Some(first));
    assert_eq!(next(Some(beside), Plan::Horizon { horizon: 1 }), None);
}

/// A stop before the first score has no expected score among its numbers, and is read back as it was written.
#[test]
fn a_stop_before_the_first_score_is_read_back() {
    let settings = AutoBctSettings { max_cost: 0.01, ..AutoBctSettings::default() };
    let mut study = Study::new(optimizer(settings), Seed(0));
    let reason = study.run(|_, _| Outcome::failed("out of memory").with_cost(0.02)).unwrap();
    let text = serde_json::to_string(&reason).unwrap();
    assert!(text.contains("spent") && !text.contains("expected_score"), "{text}");
    assert_eq!(serde_json::from_str::<StopReason>(&text).unwrap(), reason);
}

/// Twelve trainings with hardly any noise: the score is the line that they are on, whether they are of this task or of an earlier one, and the
/// value of going on is that of a training at 1.
#[test]
fn trainings_with_hardly_any_noise_are_learnt() {
    let trainings = || (0..12).map(|i| f64::from(i) / 11.0).map(|u| (u, 0.5 + 0.4 * u, 0.1 + 0.3 * u));
    for std_dev in [1e-8, 1e-9, 1e-12, 1e-15] {
        let noise_std_dev = NoiseStdDev { score: std_dev, cost: std_dev };
        let settings =
            AutoBctSettings { noise_std_dev, grid: 12, later_grid: 12, ..AutoBctSettings::default() };
        let mut study = Study::new(optimizer(settings), Seed(0));
        for (u, score, cost) in trainings() {
            let mut config = Config::new();
            config.insert("u", u);
            study.add_known(config, Measurement { cost: Some(cost), ..Measurement::from(score) }).unwrap();
        }
        let best = study.recommend().unwrap().unwrap().value;
        let values = study.optimizer().training_values(study.history()).unwrap().unwrap();
        assert!((best - 0.9).abs() < 1e-5, "{std_dev:e}: {best}");
        assert!((values.value() - (0.9 - 0.16 * 0.4)).abs() < 1e-4, "{std_dev:e}: {values:?}");
        let earlier = trainings().map(|(u, score, cost)| Record { control: vec![u], score, cost }).collect();
        let learnt = State::from_tasks(&cubic(), &cubic(), &prior(), &[earlier], noise_std_dev).unwrap();
        let (mean, variance) = learnt.score.moments(&cubic().eval(&[0.8]));
        assert!((mean - 0.82).abs() < 1e-5 && variance > 0.1, "{std_dev:e}: {mean} {variance}");
    }
}

/// Trainings from elsewhere, 0.04 beside the controls of a coarse grid, are learnt where they were: the expected score of a line at its end
/// and the recommended value are those of a fine grid. Of a control of the grid both ways are one.
#[test]
fn trainings_beside_the_grid_are_learnt_where_they_were() {
    let told = |grid: usize, at: &dyn Fn(usize) -> f64| {
        let basis = Polynomial::of_one(1, 0.5);
        let belief = |level: f64| Coefficients::independent(vec![level, 0.0], &[1.0; 2]).unwrap();
        let settings = AutoBctSettings {
            noise_std_dev: NoiseStdDev { score: 0.01, cost: 0.1 },
            grid,
            later_grid: grid,
            ..AutoBctSettings::default()
        };
        let state = State { score: belief(0.5), cost: belief(1.0) };
        let optimizer = AutoBct::new(space(), &basis, &basis, state, settings).unwrap();
        let mut study = Study::new(optimizer, Seed(1));
        for i in 0..10 {
            let u = at(i);
            let mut config = Config::new();
            config.insert("u", u);
            study.add_known(config, Measurement { cost: Some(0.5), ..Measurement::from(u) }).unwrap();
        }
        let state = study.optimizer().state(study.history()).unwrap();
        let end: f64 = basis.eval(&[1.0]).iter().zip(state.score.mean()).map(|(f, a)| f * a).sum();
        let stop = study.optimizer().stopping_value(study.history()).unwrap().unwrap();
        (end, stop, study.recommend().unwrap().unwrap().value)
    };
    let beside = |i: usize| 0.04 + 0.1 * i as f64;
    for grid in [11, 101] {
        let (end, stop, best) = told(grid, &beside);
        assert!((end - 1.0).abs() < 0.005, "{grid}: {end}");
        assert!((stop - 0.94).abs() < 0.005 && best == stop, "{grid}: {stop} {best}");
    }
    let on = |i: usize| 0.1 * i as f64;
    let [coarse, fine] = [11, 101].map(|grid| told(grid, &on));
    assert!((coarse.0 - fine.0).abs() < 1e-9, "{coarse:?} {fine:?}");
}

/// A look-ahead that would not come to an end is an error that names the plan and the ways out; one of smaller grids is none.
#[test]
fn endless_plans_are_refused() {
    let asked = |plan: Plan, grid: usize| {
        let settings = AutoBctSettings { plan, grid, later_grid: grid, ..AutoBctSettings::default() };
        let asked = Study::new(optimizer(settings), Seed(0)).ask();
        asked.err().map(|error| {
            let mut text = error.to_string();
            let mut source = std::error::Error::source(&error);
            while let Some(inner) = source {
                text = format!("{text}: {inner}");
                source = inner.source();
            }
            text
        })
    };
    for plan in [
        Plan::Horizon { horizon: 4 },
        Plan::Horizon { horizon: 10 },
        Plan::Relaxed { depth: 4 },
        Plan::Relaxed { depth: usize::MAX },
    ] {
        let error = asked(plan, 101).expect("refused");
        assert!(error.contains("trainings ahead") && error.contains("`Plan::Relaxed`"), "{error}");
    }
    assert_eq!(asked(Plan::Relaxed { depth: 3 }, 5), None);
    assert_eq!(asked(Plan::Horizon { horizon: 3 }, 5), None);
}
