//! Initial designs: which trials belong to them, what they ask, and that finite spaces come to an end.

use thrifty_bo::{
    BayesianOptimizer, BoSettings, FailurePolicy, InitialDesign, Maximizer, MultiObjectiveOptimizer,
    MultiObjectiveSettings,
};

use thrifty_sampling::Seed;
use thrifty_search::{Nsga2, Nsga2Settings};
use thrifty_space::{Config, Space};
use thrifty_study::{
    Ask, History, MaxTrials, Measurement, Memo, Optimizer, Outcome, StopReason, Study, Trial, TrialId,
};

fn square() -> Space {
    Space::builder().float("x", 0.0, 1.0).float("y", 0.0, 1.0).build().unwrap()
}

fn maximizer() -> Maximizer {
    Maximizer { raw: 32, around_best: 2, climbs: 1 }
}

fn one(space: &Space, settings: BoSettings) -> Box<dyn Asks> {
    let settings = BoSettings { maximizer: maximizer(), ..settings };
    Box::new(BayesianOptimizer::new(space.clone()).with_settings(settings).unwrap())
}

fn several(space: &Space, settings: MultiObjectiveSettings) -> Box<dyn Asks> {
    let settings = MultiObjectiveSettings { maximizer: maximizer(), ..settings };
    Box::new(MultiObjectiveOptimizer::new(space.clone()).with_settings(settings).unwrap())
}

/// Any optimiser, whatever it recommends.
trait Asks {
    fn ask(&mut self, history: &History<Config>, id: u64) -> Ask<Config>;
}

impl<O: Optimizer<Query = Config>> Asks for O {
    fn ask(&mut self, history: &History<Config>, id: u64) -> Ask<Config> {
        Optimizer::ask(self, history, TrialId(id)).unwrap()
    }
}

fn losses(config: &Config) -> Outcome {
    let (x, y) = (config.float("x").unwrap(), config.float("y").unwrap());
    Measurement { objectives: vec![x * x + y, (x - 1.0).powi(2)], ..Measurement::default() }.into()
}

/// The query of an answer, and whether a model made it.
fn answer(ask: Ask<Config>) -> (Config, bool, Memo) {
    match ask {
        Ask::Evaluate(found) => (found.query, !found.memo.is_empty(), found.memo),
        other => panic!("{other:?}"),
    }
}

fn trial(query: Config, memo: Memo, outcome: Option<Outcome>) -> Trial<Config> {
    let (id, diagnostics) = (TrialId(0), std::collections::BTreeMap::new());
    Trial { diagnostics, memo, ..Trial::new(id, query, outcome) }
}

/// Asks and tells: how each trial ends depends on its number. Which trials a model made.
fn modelled(
    optimizer: &mut dyn Asks,
    count: u64,
    outcome: impl Fn(u64, &Config) -> Option<Outcome>,
) -> Vec<bool> {
    let (mut trials, mut found) = (Vec::new(), Vec::new());
    for id in 0..count {
        let (query, by_model, memo) =
            answer(optimizer.ask(&History::from_trials(trials.clone(), Seed(3)), id));
        let outcome = outcome(id, &query);
        trials.push(trial(query, memo, outcome));
        found.push(by_model);
    }
    found
}

fn both(initial: &InitialDesign, budget: Option<usize>) -> [Box<dyn Asks>; 2] {
    let initial = || initial.clone();
    [
        one(&square(), BoSettings { initial: initial(), budget, ..BoSettings::default() }),
        several(
            &square(),
            MultiObjectiveSettings { initial: initial(), budget, ..MultiObjectiveSettings::default() },
        ),
    ]
}

#[test]
fn trials_asked_at_the_same_time_differ() {
    // Workers that see the same history ask for trials of different numbers.
    let nsga2: Box<dyn Asks> = Box::new(Nsga2::new(square()));
    for mut optimizer in both(&InitialDesign::Automatic, None).into_iter().chain([nsga2]) {
        let asked: Vec<Config> =
            (0..4).map(|id| answer(optimizer.ask(&History::new(Seed(3)), id)).0).collect();
        for (i, config) in asked.iter().enumerate() {
            assert!(asked[..i].iter().all(|other| other != config), "{config} twice");
        }
        // It is the number that counts, not what is known so far.
        let known = History::from_trials(vec![trial(asked[0].clone(), Memo::default(), None)], Seed(3));
        assert_eq!(answer(optimizer.ask(&known, 2)).0, asked[2]);
    }
}

#[test]
fn the_design_goes_on_until_enough_was_measured() {
    // Every other trial fails: four measurements come with the eighth trial. Where failures are learnt they count as well.
    for (failures, begins) in [(FailurePolicy::AsWorst, 8), (FailurePolicy::AsConstraint, 4)] {
        let optimizers: [Box<dyn Asks>; 2] = [
            one(&square(), BoSettings { failures, ..BoSettings::default() }),
            several(&square(), MultiObjectiveSettings { failures, ..MultiObjectiveSettings::default() }),
        ];
        for mut optimizer in optimizers {
            let failing = |id: u64, config: &Config| {
                Some(if id.is_multiple_of(2) { Outcome::failed("even") } else { losses(config) })
            };
            let found = modelled(&mut *optimizer, 10, failing);
            assert_eq!(found.iter().position(|by_model| *by_model), Some(begins), "{failures:?} {found:?}");
        }
    }
    // Without a measurement there is nothing to model, and pruned trials do not count.
    for mut optimizer in both(&InitialDesign::Sobol(3), None) {
        let outcome = |id, config: &Config| match id {
            0..5 => Outcome::failed("early"),
            5 => losses(config),
            _ => unreachable!("by the model"),
        };
        let found = modelled(&mut *optimizer, 7, |id, config| (id < 6).then(|| outcome(id, config)));
        assert_eq!(found.iter().position(|by_model| *by_model), Some(6), "{found:?}");
        let outcome = |id, config: &Config| if id < 5 { Outcome::pruned(1) } else { losses(config) };
        let found = modelled(&mut *optimizer, 9, |id, config| Some(outcome(id, config)));
        assert_eq!(found.iter().position(|by_model| *by_model), Some(8), "{found:?}");
    }
    for mut optimizer in both(&InitialDesign::Sobol(3), None) {
        // The first three go on running.
        let found = modelled(&mut *optimizer, 8, |id, config| (id > 2).then(|| losses(config)));
        assert_eq!(found.iter().position(|by_model| *by_model), Some(6), "{found:?}");
    }
}

#[test]
fn a_planned_number_of_trials_caps_the_design_and_may_grow() {
    let begins = |initial: &InitialDesign, budget| {
        both(initial, budget).map(|mut optimizer| {
            let found = modelled(&mut *optimizer, 12, |_, config| Some(losses(config)));
            found.iter().position(|by_model| *by_model).unwrap_or(12)
        })
    };
    let space: Vec<String> = (0..5).map(|i| format!("p{i}")).collect();
    assert_eq!(begins(&InitialDesign::Automatic, Some(16)), [5, 4]);
    assert_eq!(begins(&InitialDesign::Sobol(7), Some(16)), [7, 7]);
    let wide = space.iter().fold(Space::builder(), |b, name| b.float(name, 0.0, 1.0)).build().unwrap();
    let design = |budget| {
        let mut optimizer = one(&wide, BoSettings { budget, ..BoSettings::default() });
        let mut trials: Vec<Trial<Config>> = Vec::new();
        let mut made = Vec::new();
        for id in 0..11 {
            let (query, by_model, memo) =
                answer(optimizer.ask(&History::from_trials(trials.clone(), Seed(3)), id));
            let loss = query.float("p0").unwrap();
            trials.push(trial(query, memo, Some(loss.into())));
            made.push(by_model);
        }
        (trials, made)
    };
    let (short, made) = design(Some(24));
    assert_eq!(made.iter().position(|m| *m), Some(8));
    let (long, made) = design(None);
    assert_eq!(made.iter().position(|m| *m), Some(10));
    let queries = |trials: &[Trial<Config>]| trials.iter().map(|t| t.query.clone()).collect::<Vec<_>>();
    assert_eq!(queries(&short[..8]), queries(&long[..8]));
    // A longer design after the first model-based trial changes nothing.
    let mut longer = one(&wide, BoSettings { budget: Some(400), ..BoSettings::default() });
    assert!(answer(longer.ask(&History::from_trials(short[..9].to_vec(), Seed(3)), 9)).1);
}

/// A planned study of few parameters begins with 16 points, within a third of the plan. Without a plan, and with several
/// objectives, there are two for each parameter.
#[test]
fn a_planned_study_of_few_parameters_begins_with_16_points() {
    let begins = |budget| {
        both(&InitialDesign::Automatic, budget).map(|mut optimizer| {
            let found = modelled(&mut *optimizer, 18, |_, config| Some(losses(config)));
            found.iter().position(|by_model| *by_model).unwrap_or(18)
        })
    };
    let plans = [Some(12), Some(24), Some(47), Some(48), Some(4000), None];
    assert_eq!(plans.map(begins), [[4, 4], [8, 4], [15, 4], [16, 4], [16, 4], [4, 4]]);
}

/// The last number of trials that is planned after the optimiser was made counts as one in its settings.
#[test]
fn a_plan_counts_as_a_budget() {
    let begins = |budget, plans: &[usize]| {
        let settings = BoSettings { budget, maximizer: maximizer(), ..BoSettings::default() };
        let mut planned = BayesianOptimizer::new(square()).with_settings(settings).unwrap();
        plans.iter().for_each(|plan| planned.plan(*plan));
        let found = modelled(&mut planned, 18, |_, config| Some(losses(config)));
        found.iter().position(|by_model| *by_model)
    };
    assert_eq!(
        [begins(None, &[48]), begins(None, &[48, 24]), begins(None, &[3, 24])],
        [Some(16), Some(8), Some(8)]
    );
    assert_eq!(begins(Some(24), &[48, 60]), Some(8), "the settings count more");
}

#[test]
fn given_configurations_come_first_and_can_be_all() {
    let config = |x: f64| {
        let mut config = Config::new();
        config.insert("x", x);
        config.insert("y", 0.5);
        config
    };
    let given = vec![config(0.1), config(0.9)];
    for (initial, begins) in
        [(InitialDesign::Given(given.clone()), 6), (InitialDesign::Only(given.clone()), 2)]
    {
        for mut optimizer in both(&initial, None) {
            let mut running: Vec<Trial<Config>> = Vec::new();
            for id in 0..2 {
                let history = History::from_trials(running.clone(), Seed(3));
                running.push(trial(answer(optimizer.ask(&history, id)).0, Memo::default(), None));
            }
            assert!(running.iter().map(|trial| &trial.query).eq(&given), "{running:?}");
            let found = modelled(&mut *optimizer, 8, |_, config| Some(losses(config)));
            assert_eq!(found.iter().position(|m| *m), Some(begins), "{initial:?}");
        }
    }
    // Given ones that fail count as well; without a measurement there is no model.
    for (initial, begins) in [(InitialDesign::Given(given.clone()), 6), (InitialDesign::Only(given), 3)] {
        for mut optimizer in both(&initial, None) {
            let fails =
                |id, config: &Config| Some(if id < 2 { Outcome::failed("given") } else { losses(config) });
            let found = modelled(&mut *optimizer, 9, fails);
            assert_eq!(found.iter().position(|m| *m), Some(begins), "{initial:?}");
        }
    }
}

/// Three numbers and two letters: six configurations.
fn finite() -> Space {
    Space::builder().int("n", 1, 3).categorical("c", ["a", "b"]).build().unwrap()
}

#[test]
fn finite_spaces_are_asked_once_and_end() {
    let ends = |mut optimizer: Box<dyn Asks>, what: &str, outcome: &dyn Fn(&Config) -> Outcome| {
        let mut trials: Vec<Trial<Config>> = Vec::new();
        loop {
            let id = trials.len() as u64;
            match optimizer.ask(&History::from_trials(trials.clone(), Seed(3)), id) {
                Ask::Evaluate(found) => {
                    assert!(trials.iter().all(|t| t.query != found.query), "{what}: {} twice", found.query);
                    let outcome = outcome(&found.query);
                    trials.push(trial(found.query, found.memo, Some(outcome)));
                }
                Ask::Stop(reason) => break assert_eq!(reason, StopReason::Exhausted, "{what}"),
                Ask::Wait => panic!("nothing runs"),
            }
        }
        assert_eq!(trials.len(), 6, "{what}");
    };
    let outcomes: [(&str, &dyn Fn(&Config) -> Outcome); 2] = [
        ("all fail", &|_| Outcome::failed("always")),
        ("all measured", &|config| {
            let n = config.int("n").unwrap() as f64;
            Measurement { objectives: vec![n, -n], ..Measurement::default() }.into()
        }),
    ];
    for (what, outcome) in outcomes {
        for failures in [
            FailurePolicy::AsConstraint,
            FailurePolicy::AsWorst,
            FailurePolicy::AsValue(9.0),
            FailurePolicy::Ignore,
        ] {
            for initial in [InitialDesign::Automatic, InitialDesign::Sobol(40), InitialDesign::Random(5)] {
                let settings = BoSettings { failures, initial: initial.clone(), ..BoSettings::default() };
                ends(one(&finite(), settings), what, outcome);
                let settings =
                    MultiObjectiveSettings { failures, initial, ..MultiObjectiveSettings::default() };
                ends(several(&finite(), settings), what, outcome);
            }
        }
        for population in [2, 4, 20] {
            let settings = Nsga2Settings { population, ..Nsga2Settings::default() };
            ends(Box::new(Nsga2::new(finite()).with_settings(settings).unwrap()), what, outcome);
        }
    }
}

#[test]
fn runs_after_a_restart_ask_nothing_again() {
    let settings = BoSettings {
        convergence: thrifty_bo::Convergence::Restart { epsilon: 0.5 },
        maximizer: maximizer(),
        ..BoSettings::default()
    };
    let optimizer = BayesianOptimizer::new(finite()).with_settings(settings).unwrap();
    let mut study = Study::new(optimizer, Seed(3)).with_stop(MaxTrials(50));
    assert_eq!(study.run(|config, _| config.int("n").unwrap() as f64).unwrap(), StopReason::Exhausted);
    assert_eq!(study.history().len(), 6);
}

/// Every configuration of a list is asked, in order, beside trials from elsewhere however many they are.
#[test]
fn given_configurations_are_asked_whatever_was_enqueued() {
    let space = || Space::builder().float("x", 0.0, 1.0).build().unwrap();
    let of = |x: f64| {
        let mut config = Config::new();
        config.insert("x", x);
        config
    };
    let list = [0.11, 0.22, 0.33, 0.44, 0.55];
    let configs: Vec<Config> = list.iter().map(|x| of(*x)).collect();
    for initial in [InitialDesign::Only(configs.clone()), InitialDesign::Given(configs)] {
        for before in [2_u8, 12] {
            let settings = BoSettings { initial: initial.clone(), ..BoSettings::default() };
            let optimizer = BayesianOptimizer::new(space()).with_settings(settings).unwrap();
            let trials = usize::from(before) + 7;
            let mut study = Study::new(optimizer, Seed(3)).with_stop(MaxTrials(trials));
            (0..before).for_each(|i| study.enqueue(of(0.6 + 0.01 * f64::from(i))).unwrap());
            study.run(|config, _| config.float("x").unwrap()).unwrap();
            let asked: Vec<f64> =
                study.history().trials().iter().map(|t| t.query.float("x").unwrap()).collect();
            assert_eq!(asked[usize::from(before)..][..5], list, "{initial:?} after {before}");
            assert!(!list.contains(&asked[trials - 2]), "{asked:?}");
        }
    }
}

#[test]
fn what_is_allowed_may_be_exhausted_too() {
    let optimizer = BayesianOptimizer::new(finite()).with_known_constraint(|c| c.int("n") != Ok(2));
    let mut study = Study::new(optimizer, Seed(3)).with_stop(MaxTrials(50));
    assert_eq!(study.run(|_, _| Outcome::failed("always")).unwrap(), StopReason::Exhausted);
    assert_eq!(study.history().len(), 4);
    let optimizer = BayesianOptimizer::new(finite()).with_known_constraint(|_| false);
    let error = Study::new(optimizer, Seed(3)).run(|_, _| 0.0).unwrap_err().to_string();
    assert!(error.contains("none of the 6 configurations is allowed"), "{error}");
}

#[test]
fn odd_shapes_are_named_and_failures_need_no_constraints() {
    let space = Space::builder().float("x", 0.0, 1.0).build().unwrap();
    let measured = |objectives: usize, constraints: usize, x: f64| {
        let (objectives, constraints) = (vec![x; objectives], vec![x - 2.0; constraints]);
        Outcome::from(Measurement { objectives, constraints, ..Measurement::default() })
    };
    let odd = |make: &dyn Fn() -> Box<dyn Asks>, odd: Outcome| -> Vec<Trial<Config>> {
        let mut trials: Vec<Trial<Config>> = Vec::new();
        for id in 0..8 {
            let history = History::from_trials(trials.clone(), Seed(3));
            let (query, _, memo) = answer(make().ask(&history, id));
            let x = query.float("x").unwrap();
            trials.push(trial(query, memo, Some(if id == 2 { odd.clone() } else { measured(2, 1, x) })));
        }
        trials
    };
    let makes: [&dyn Fn() -> Box<dyn Asks>; 2] =
        [&|| one(&space, BoSettings { initial: InitialDesign::Sobol(8), ..BoSettings::default() }), &|| {
            several(
                &space,
                MultiObjectiveSettings {
                    initial: InitialDesign::Sobol(8),
                    ..MultiObjectiveSettings::default()
                },
            )
        }];
    for (which, make) in makes.into_iter().enumerate() {
        for (outcome, said) in [
            (measured(1, 1, 0.5), "1 objective, expected 2 as in trial 0"),
            (measured(2, 0, 0.5), "0 constraints, expected 1 as in trial 0"),
            (measured(2, 3, 0.5), "3 constraints, expected 1 as in trial 0"),
        ] {
            let history = History::from_trials(odd(make, outcome), Seed(3));
            let error = if which == 0 {
                let settings = BoSettings { initial: InitialDesign::Sobol(8), ..BoSettings::default() };
                let mut optimizer = BayesianOptimizer::new(space.clone()).with_settings(settings).unwrap();
                Optimizer::ask(&mut optimizer, &history, TrialId(8)).unwrap_err().to_string()
            } else {
                let initial = InitialDesign::Sobol(8);
                let settings = MultiObjectiveSettings { initial, ..MultiObjectiveSettings::default() };
                let optimizer = MultiObjectiveOptimizer::new(space.clone()).with_settings(settings);
                Optimizer::ask(&mut optimizer.unwrap(), &history, TrialId(8)).unwrap_err().to_string()
            };
            assert!(error.contains("trial 2") && error.contains(said), "{error}");
        }
        // A failed trial has no constraints, and says where trials fail.
        let trials = odd(make, Outcome::failed("no numbers"));
        assert!(answer(make().ask(&History::from_trials(trials, Seed(3)), 8)).1);
    }
}
