//! Laws: invariance, resumption, margins.

use proptest::prelude::*;
use thrifty_cmaes::{CmaEs, CmaEsSettings};
use thrifty_sampling::Seed;
use thrifty_space::{Config, Space};
use thrifty_study::{
    Ask, History, MaxTrials, Memo, Next, Optimizer, Outcome, Schedule, Study, Suggestion, Trial, TrialId,
    contract,
};

fn mixed() -> Space {
    let builder = Space::builder().float("x", -1.0, 1.0).int("n", 1, 9).categorical("c", ["a", "b"]);
    let builder = builder.categorical("d", ["p", "q", "r"]).log_int("m", 1, 1000).float("fixed", 2.0, 2.0);
    builder.log_float("y", 1e-3, 1.0).when("c", ["b"]).build().unwrap()
}

fn loss(config: &Config) -> f64 {
    let float = |name| config.float(name).unwrap_or(0.5);
    let choice = |name, best: &str| if config.str(name).is_ok_and(|value| value == best) { 0.0 } else { 0.3 };
    let count = |name: &str| config.int(name).unwrap_or(0) as f64;
    float("x").powi(2)
        + (count("n") - 7.0).abs() / 10.0
        + choice("c", "b")
        + choice("d", "q")
        + float("y")
        + (count("m") / 100.0).ln().abs()
}

fn evaluate(config: &Config, id: TrialId) -> Outcome {
    match id.0 % 11 {
        2 => Outcome::failed("at times"),
        5 => Outcome::unrelated("a machine went down"),
        _ => Outcome::from(loss(config)),
    }
}

fn run(
    space: Space,
    trials: usize,
    seed: u64,
    outcome: impl Fn(&Config, TrialId) -> Outcome + Sync,
) -> Vec<Trial<Config>> {
    let mut study = Study::new(CmaEs::new(space), Seed(seed)).with_stop(MaxTrials(trials));
    study.run(|config, context| outcome(config, context.id)).unwrap();
    study.history().trials().to_vec()
}

#[test]
fn contract_of_optimisers() {
    contract::optimizer(|| CmaEs::new(mixed()), evaluate, 40);
    let small = || {
        let settings = CmaEsSettings { population: Some(3), active: false, ..CmaEsSettings::default() };
        CmaEs::new(Space::unit_cube(2)).with_settings(settings).unwrap()
    };
    contract::optimizer(small, |config, _| Outcome::from(config.float("x0").unwrap_or(0.0)), 20);
}

/// Two studies with four trials running at a time make the same suggestions.
#[test]
fn running_trials_keep_suggestions_deterministic() {
    let study = || {
        let mut study = Study::new(CmaEs::new(mixed()), Seed(3))
            .with_stop(MaxTrials(60))
            .with_schedule(Schedule::Window(4));
        study.run(|config, context| evaluate(config, context.id)).unwrap();
        study.history().trials().to_vec()
    };
    assert_eq!(queries(&study()), queries(&study()));
}

fn queries(trials: &[Trial<Config>]) -> Vec<Config> {
    trials.iter().map(|trial| trial.query.clone()).collect()
}

/// First trial, run and population of the generations of λ = 7 after the first one, the second trial of which runs until ten were asked.
fn with_a_late_trial(settings: &CmaEsSettings, loss: impl Fn(&Config) -> f64) -> Vec<(u64, f64, Vec<f64>)> {
    let mut trials: Vec<Trial<Config>> = Vec::new();
    let mut late = None;
    let mut members = Vec::new();
    for id in 0..24 {
        if id == 2 {
            late = trials[1].outcome.take();
        } else if id == 10 {
            trials[1].outcome = late.take();
        }
        let mut optimizer = CmaEs::new(Space::unit_cube(3)).with_settings(settings.clone()).unwrap();
        let asked = ask(&mut optimizer, &trials, id);
        let recorded = asked.memo.entries().find(|(name, _)| *name == "cmaes_members");
        members.extend(recorded.map(|(_, ids)| (id, asked.diagnostics["run"], ids.to_vec())));
        trials.push(trial_of(asked, id, &loss));
    }
    members.split_off(1)
}

/// A generation of λ = 7 whose second trial still runs goes on, and learns from the late trial in the next one.
#[test]
fn late_outcomes_count_in_a_later_generation() {
    let found = with_a_late_trial(&CmaEsSettings::default(), |config| config.float("x0").unwrap_or(0.0));
    let first = vec![0.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0];
    let second = vec![1.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0];
    assert_eq!(found[..2], [(8, 0.0, first), (14, 0.0, second)]);
}

/// A late trial of a run that has ended counts in no generation of the next run.
#[test]
fn late_outcomes_of_an_earlier_run_do_not_count() {
    // A run ends with the first generation that narrows the distribution.
    let settings = CmaEsSettings { tolerance: 0.299, growth: 1, ..CmaEsSettings::default() };
    let found = with_a_late_trial(&settings, |config| {
        (0..3).map(|i| (config.float(&format!("x{i}")).unwrap_or(0.0) - 0.5).powi(2)).sum()
    });
    let first = vec![0.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0];
    let second = vec![8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0];
    assert_eq!((found[0].0, &found[0].2), (8, &first), "the first run");
    assert_eq!(found[0].1, 1.0, "the run ends with its first generation");
    assert_eq!((found[1].0, &found[1].2), (15, &second), "the second run");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    /// Order-preserving transforms of the losses change no bit of any suggestion.
    #[test]
    fn only_ranks_count(seed in 0..1000_u64, power in 0..3_i32, dim in 1..4_usize) {
        let space = || Space::unit_cube(dim);
        let plain = |config: &Config| (0..dim).map(|i| (config.float(&format!("x{i}")).unwrap_or(0.0) - 0.3).powi(2)).sum::<f64>();
        let sequence = run(space(), 60, seed, |config, _| Outcome::from(plain(config)));
        // Powers of 2 and exact shifts of exponents preserve every order.
        let scale = 2_f64.powi(40 * power - 40);
        let scaled = run(space(), 60, seed, |config, _| Outcome::from(scale * plain(config)));
        prop_assert_eq!(queries(&sequence), queries(&scaled));
        // Logarithms do as long as they keep neighbours apart.
        let logarithm = run(space(), 60, seed, |config, _| Outcome::from((1.0 + plain(config)).ln()));
        prop_assert_eq!(queries(&sequence), queries(&logarithm));
    }
}

/// An integer whose loss is flat except at one far level is found: the margin keeps every coordinate moving.
#[test]
fn plateaus_are_left() {
    let space = Space::builder().int("n", 0, 4).float("x", 0.0, 1.0).build().unwrap();
    let trials = run(space, 600, 2, |config, _| {
        let level = config.int("n").unwrap_or(0) as f64;
        Outcome::from((config.float("x").unwrap_or(0.0) - 0.5).powi(2) + level)
    });
    // Long after convergence other levels are still drawn.
    let late = trials[300..].iter().filter(|trial| trial.query.int("n").is_ok_and(|n| n != 0)).count();
    assert!(late > 3, "{late} of 300 trials at other levels");
    assert!(trials[300..].iter().filter(|trial| trial.query.int("n").is_ok_and(|n| n == 0)).count() > 100);
}

/// Trials from elsewhere set the start, and a better one that is enqueued draws the mean.
#[test]
fn trials_from_elsewhere_count() {
    let space = || Space::unit_cube(4);
    let config = |value: f64| {
        (0..4).fold(Config::new(), |mut config, i| {
            config.insert(format!("x{i}"), value);
            config
        })
    };
    let loss = |config: &Config| {
        (0..4).map(|i| (config.float(&format!("x{i}")).unwrap_or(0.0) - 0.9).powi(2)).sum::<f64>()
    };
    let settings = CmaEsSettings { step_size: 0.01, ..CmaEsSettings::default() };
    let make = || CmaEs::new(space()).with_settings(settings.clone()).unwrap();
    let known = [config(0.2), config(0.9)].map(|config| (config.clone(), Outcome::from(loss(&config))));
    let mut study = Study::new(make(), Seed(1)).with_known(known).unwrap().with_stop(MaxTrials(3));
    study.run(|config, _| loss(config)).unwrap();
    assert!(loss(&study.history().trials()[2].query) < 0.01);

    // The first generation has λ = 8 trials; those after it are compared.
    let after = |foreign: Option<Config>| {
        let mut trials: Vec<Trial<Config>> = Vec::new();
        for id in 0..24 {
            let asked = ask(&mut make(), &trials, id);
            let trial = trial_of(asked, id, loss);
            trials.push(match foreign.clone().filter(|_| id == 3) {
                Some(query) => {
                    Trial { outcome: Some(loss(&query).into()), query, memo: Memo::default(), ..trial }
                }
                None => trial,
            });
        }
        trials[10..].iter().map(|trial| loss(&trial.query)).sum::<f64>()
    };
    assert!(after(Some(config(0.7))) < after(None), "a better trial from elsewhere draws the mean");
}

/// The members of the first generation of λ = 8 whose fourth trial was made elsewhere. It joins where it is better than the fourth best of
/// the eight, the last one with a positive weight.
#[test]
fn a_trial_from_elsewhere_joins_if_it_is_among_the_better_half() {
    let loss = |config: &Config| config.float("x0").unwrap_or(f64::NAN);
    let members = |foreign: f64| {
        let mut trials: Vec<Trial<Config>> = Vec::new();
        for id in 0..9 {
            let trial = trial_of(ask(&mut CmaEs::new(Space::unit_cube(4)), &trials, id), id, loss);
            trials.push(if id == 3 {
                Trial { outcome: Some(foreign.into()), memo: Memo::default(), ..trial }
            } else {
                trial
            });
        }
        let next = ask(&mut CmaEs::new(Space::unit_cube(4)), &trials, 9);
        let recorded = next.memo.entries().find(|(name, _)| *name == "cmaes_members");
        let mut losses: Vec<f64> = trials.iter().filter(|t| t.id.0 != 3).map(|t| loss(&t.query)).collect();
        losses.sort_by(f64::total_cmp);
        (recorded.map(|(_, ids)| ids.to_vec()).unwrap(), losses[3])
    };
    let own = vec![0.0, 1.0, 2.0, 4.0, 5.0, 6.0, 7.0, 8.0];
    let (found, fourth) = members(2.0);
    assert_eq!(found, own, "worse than all");
    assert_eq!(members(fourth + 1e-9).0, own, "worse than the fourth");
    assert_eq!(members(fourth).0, own, "as good as the fourth");
    assert_eq!(members(fourth - 1e-9).0, [own, vec![3.0]].concat(), "better than the fourth");
}

/// A good trial from elsewhere that is running when the first generation of λ = 8 begins. It joins the generation in which it finishes, the
/// first or the second one, and no other. A bad one joins none.
#[test]
fn a_trial_from_elsewhere_joins_the_generation_in_which_it_finishes() {
    let loss = |config: &Config| config.float("x0").unwrap_or(f64::NAN);
    let joined = |foreign: f64, finishes: u64| {
        let mut trials: Vec<Trial<Config>> = Vec::new();
        let mut joined = Vec::new();
        for id in 0..34 {
            if id == finishes {
                trials[0].outcome = Some(foreign.into());
            }
            let asked = ask(&mut CmaEs::new(Space::unit_cube(4)), &trials, id);
            let recorded = asked.memo.entries().find(|(name, _)| *name == "cmaes_members");
            joined.extend(recorded.filter(|(_, ids)| id > 0 && ids.contains(&0.0)).map(|_| id));
            let trial = trial_of(asked, id, loss);
            trials.push(if id == 0 {
                Trial { outcome: None, memo: Memo::default(), ..trial }
            } else {
                trial
            });
        }
        joined
    };
    assert_eq!(joined(-1.0, 4), [9], "while the first generation is asked");
    assert_eq!(joined(-1.0, 12), [17], "while the second generation is asked");
    assert_eq!(joined(2.0, 4), [0; 0], "worse than all");
    assert_eq!(joined(-1.0, 99), [0; 0], "it never finishes");
}

/// Asks by hand open the second generation of λ = 6 with the trials 1 to 6. A window of six trials then shows the first three alone: the
/// study waits until it has shown all of them, and a new optimizer makes the same suggestions.
#[test]
fn members_that_a_window_hides_are_waited_for() {
    let loss = |config: &Config| (config.float("x0").unwrap_or(f64::NAN) - 0.2).powi(2);
    let optimizer = || CmaEs::new(Space::unit_cube(2));
    let mut study =
        Study::new(optimizer(), Seed(5)).with_stop(MaxTrials(14)).with_schedule(Schedule::Window(6));
    let by_hand = |study: &mut Study<CmaEs>| match study.ask().unwrap() {
        Next::Evaluate(trial) => trial,
        other => panic!("{other:?}"),
    };
    let first: Vec<Trial<Config>> = (0..7).map(|_| by_hand(&mut study)).collect();
    first[1..].iter().for_each(|trial| study.tell(trial.id, loss(&trial.query)).unwrap());
    let opening = by_hand(&mut study);
    let members = opening.memo.entries().find(|(name, _)| *name == "cmaes_members");
    assert_eq!(members.map(|(_, ids)| ids.to_vec()), Some(vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]));
    [&first[0], &opening].into_iter().for_each(|trial| study.tell(trial.id, loss(&trial.query)).unwrap());
    study.run(|config, _| loss(config)).unwrap();

    let trials = study.history().trials();
    assert_eq!(trials.len(), 14);
    let shown = |count: usize, visible: usize| {
        let hide = |(at, trial): (usize, &Trial<Config>)| {
            let outcome = trial.outcome.clone().filter(|_| at < visible);
            Trial { outcome, ..trial.clone() }
        };
        History::from_trials(trials[..count].iter().enumerate().map(hide).collect(), Seed(5))
    };
    for (id, trial) in trials.iter().enumerate().skip(8) {
        // The window, and all members.
        let history = shown(id, (id - 5).max(7));
        let asked = optimizer().ask(&history, trial.id).unwrap();
        let Ask::Evaluate(asked) = asked else { panic!("{asked:?}") };
        assert_eq!((&asked.query, &asked.memo), (&trial.query, &trial.memo), "trial {id}");
        assert_eq!(optimizer().ask(&shown(id, 6), trial.id).unwrap(), Ask::Wait, "trial {id}");
    }
}

fn ask(optimizer: &mut CmaEs, trials: &[Trial<Config>], id: u64) -> Suggestion<Config> {
    let history = History::from_trials(trials.to_vec(), Seed(5));
    match optimizer.ask(&history, TrialId(id)).unwrap() {
        Ask::Evaluate(suggestion) => suggestion,
        other => panic!("{other:?}"),
    }
}

fn trial_of(asked: Suggestion<Config>, id: u64, loss: impl Fn(&Config) -> f64) -> Trial<Config> {
    let outcome = Some(loss(&asked.query).into());
    let (query, diagnostics, memo) = (asked.query, asked.diagnostics, asked.memo);
    Trial { diagnostics, memo, ..Trial::new(TrialId(id), query, outcome) }
}

#[test]
fn edges() {
    // Constant losses, nothing but failures, one dimension, wide and narrow bounds, nothing to choose.
    let constant = run(Space::unit_cube(1), 300, 1, |_, _| Outcome::from(1.0));
    assert!(constant.iter().any(|trial| trial.diagnostics["run"] > 0.0));
    let failing = run(mixed(), 400, 1, |_, _| Outcome::failed("always"));
    assert!(failing.iter().any(|trial| trial.diagnostics["run"] > 0.0));
    let nan = run(Space::unit_cube(3), 50, 1, |_, _| Outcome::from(f64::NAN));
    assert_eq!(nan.len(), 50);
    let bounds = [(-1e12, 1e12), (1e-12, 2e-12), (1e12, 1e12 + 1.0)];
    let extreme = run(Space::from_bounds(&bounds).unwrap(), 60, 1, |config, _| {
        Outcome::from(config.float("x0").unwrap_or(0.0))
    });
    assert!(
        extreme.iter().all(|trial| trial.query.float("x2").is_ok_and(|x| (1e12..=1e12 + 1.0).contains(&x)))
    );
    let fixed = Space::builder().float("a", 1.0, 1.0).categorical("b", ["only"]).build().unwrap();
    let only = run(fixed, 20, 1, |_, _| Outcome::from(0.0));
    assert!(only.iter().all(|trial| trial.query == only[0].query));
    for scale in [1e-300, 1e300] {
        assert_eq!(
            run(Space::unit_cube(2), 40, 1, |config, _| Outcome::from(
                scale * config.float("x0").unwrap_or(0.0)
            ))
            .len(),
            40
        );
    }
}

#[test]
fn known_constraints_hold() {
    let allowed = |config: &Config| config.float("x0").is_ok_and(|x| x > 0.4);
    let optimizer = CmaEs::new(Space::unit_cube(2)).with_known_constraint(allowed);
    let mut study = Study::new(optimizer, Seed(1)).with_stop(MaxTrials(60));
    study.run(|config, _| config.float("x0").unwrap_or(f64::NAN)).unwrap();
    assert!(study.history().trials().iter().all(|trial| allowed(&trial.query)));
    let mut never = CmaEs::new(Space::unit_cube(2)).with_known_constraint(|_| false);
    let error = never.ask(&History::new(Seed(1)), TrialId(0)).unwrap_err().to_string();
    assert!(error.contains("none of 10000 points"), "{error}");
}
