//! Behaviour of Bayesian optimisation: it finds optima, copes with failures, ties, duplicates and parallel trials, and names
//! bad settings.

use rand_distr::{Distribution, StandardNormal};
use thrifty_acquisition::{AcquisitionKind, ImprovementTarget, MinValueSampler, Schedule};
use thrifty_bo::{
    BayesianOptimizer, BoSettings, Convergence, CostAwareness, FailurePolicy, GpSurrogate, InitialDesign,
    KernelFamily, LossTransform, Maximizer, PendingPolicy, Repeats,
};

use thrifty_sampling::Seed;
use thrifty_search::{RandomSearch, SobolSearch};
use thrifty_space::{Config, Space};
use thrifty_study::{
    Ask, Best, Context, History, MaxTrials, Measurement, MemoKey, NoImprovement, Optimizer, Outcome,
    Schedule as Window, StopReason, Study, Trial, TrialId,
};
use thrifty_testbed::{Failing, Problem, TestFunction};

fn run(problem: &dyn Problem, settings: BoSettings, trials: usize) -> Study<BayesianOptimizer> {
    let optimizer = BayesianOptimizer::new(problem.space().clone()).with_settings(settings).unwrap();
    let mut study = Study::new(optimizer, Seed(3)).with_stop(MaxTrials(trials));
    study.run(|config, context| problem.evaluate(config, &mut context.noise())).unwrap();
    study
}

#[test]
fn smooth_functions_are_minimized_in_few_evaluations() {
    for (problem, trials, regret) in [
        (TestFunction::branin(), 50, 1e-3),
        (TestFunction::forrester(), 20, 1e-3),
        (TestFunction::hartmann3(), 40, 1e-2),
    ] {
        let mut study = run(&problem, BoSettings::default(), trials);
        let found = study.history().best().unwrap().1 - problem.optimum();
        assert!(found < regret, "{}: regret {found}", problem.name());
        let recommended = study.recommend().unwrap().unwrap();
        assert!(problem.regret(&recommended.config).unwrap() < 10.0 * regret, "{recommended:?}");
    }
}

#[test]
fn every_rule_and_kernel_runs() {
    let problem = TestFunction::branin();
    for rule in [
        AcquisitionKind::ExpectedImprovement(ImprovementTarget::BestMean),
        AcquisitionKind::ProbabilityOfImprovement(ImprovementTarget::BestWithMargin { xi: 0.01 }),
        AcquisitionKind::LogProbabilityOfImprovement(ImprovementTarget::Fixed(1.0)),
        AcquisitionKind::ConfidenceBound(Schedule::Brochu { dim: 2, delta: 0.1 }),
        AcquisitionKind::PosteriorMean,
        AcquisitionKind::MaxStdDev,
        AcquisitionKind::Thompson,
        AcquisitionKind::MaxValueEntropySearch(MinValueSampler::Gumbel { count: 8 }),
        AcquisitionKind::Gibbon(MinValueSampler::Sampled { count: 4 }),
        AcquisitionKind::JointEntropySearch { minimizers: 4 },
        AcquisitionKind::EntropySearch { representers: 10, draws: 32 },
        AcquisitionKind::PredictiveEntropySearch { representers: 10, draws: 32 },
        AcquisitionKind::LogNoisyExpectedImprovement { draws: 16 },
        AcquisitionKind::LogKnowledgeGradient { anchors: 20 },
    ] {
        let study = run(&problem, BoSettings { rule, ..BoSettings::default() }, 8);
        assert!(study.history().trials()[7].diagnostics.contains_key("acquisition"), "{rule:?}");
    }
    for family in [KernelFamily::SquaredExponential, KernelFamily::Matern12, KernelFamily::Matern32] {
        let model = GpSurrogate { family, lengthscale_bounds: Some((0.05, 5.0)), ..GpSurrogate::default() };
        let optimizer = BayesianOptimizer::new(problem.space().clone()).with_surrogate(model);
        let mut study = Study::new(optimizer, Seed(3)).with_stop(MaxTrials(7));
        study.run(|config, context| problem.evaluate(config, &mut context.noise())).unwrap();
    }
}

#[test]
fn information_and_draws_find_minima() {
    let problem = TestFunction::branin();
    for rule in [
        AcquisitionKind::Thompson,
        AcquisitionKind::Gibbon(MinValueSampler::Sampled { count: 8 }),
        AcquisitionKind::JointEntropySearch { minimizers: 8 },
        AcquisitionKind::LogNoisyExpectedImprovement { draws: 32 },
        AcquisitionKind::LogKnowledgeGradient { anchors: 40 },
    ] {
        let mut study = run(&problem, BoSettings { rule, ..BoSettings::default() }, 30);
        let recommended = study.recommend().unwrap().unwrap();
        let regret = problem.regret(&recommended.config).unwrap();
        assert!(regret < 0.3, "{rule:?}: regret {regret}");
    }
}

/// A bowl whose centre depends on a category, and a number that counts in one category alone.
#[test]
fn categories_and_conditional_variables_are_learnt() {
    let space = || {
        Space::builder()
            .float("x", 0.0, 1.0)
            .categorical("c", ["a", "b", "d"])
            .float("z", 0.0, 1.0)
            .when("c", ["b"])
            .build()
            .unwrap()
    };
    let loss = |config: &Config| {
        let x = config.float("x").unwrap_or(f64::NAN);
        match config.str("c") {
            Ok("a") => 1.0 + (x - 0.2).powi(2),
            Ok("b") => (x - 0.8).powi(2) + (config.float("z").unwrap_or(f64::NAN) - 0.4).powi(2),
            _ => 2.0 - x,
        }
    };
    for (warp_inputs, losses) in
        [(false, LossTransform::None), (true, LossTransform::BothTails), (false, LossTransform::Chosen)]
    {
        let model = GpSurrogate { warp_inputs, ..GpSurrogate::default() };
        let settings = BoSettings { losses, ..BoSettings::default() };
        let optimizer = BayesianOptimizer::new(space()).with_surrogate(model).with_settings(settings);
        let mut study = Study::new(optimizer.unwrap(), Seed(5)).with_stop(MaxTrials(35));
        study.run(|config, _| loss(config)).unwrap();
        let best = study.history().best().unwrap().1;
        assert!(best < 1e-3, "{warp_inputs} {losses:?}: {best}");
    }
}

#[test]
fn a_finite_space_is_exhausted_without_repeats() {
    let space = Space::builder()
        .int("n", 1, 4)
        .categorical("c", ["a", "b"])
        .float("unused", 0.0, 1.0)
        .when("c", ["z"]);
    assert!(space.build().is_err());
    let space = Space::builder()
        .int("n", 1, 4)
        .categorical("c", ["a", "b"])
        .int("m", 0, 1)
        .when("c", ["b"])
        .build()
        .unwrap();
    let mut study = Study::new(BayesianOptimizer::new(space), Seed(0)).with_stop(MaxTrials(100));
    let reason = study.run(|config, _| config.int("n").map_or(f64::NAN, |n| (n - 3).pow(2) as f64)).unwrap();
    assert_eq!(reason, StopReason::Exhausted);
    let mut seen: Vec<String> = study.history().trials().iter().map(|t| t.query.to_string()).collect();
    seen.sort();
    let all = seen.len();
    seen.dedup();
    // Four numbers with a, and with b and two values of m each.
    assert_eq!((seen.len(), all), (12, 12));
}

#[test]
fn failures_constant_losses_and_single_points_do_no_harm() {
    let branin = TestFunction::branin();
    for failures in [
        FailurePolicy::AsConstraint,
        FailurePolicy::AsWorst,
        FailurePolicy::AsValue(500.0),
        FailurePolicy::Ignore,
    ] {
        let problem = Failing { problem: branin.clone(), rate: 0.4 };
        let study = run(&problem, BoSettings { failures, ..BoSettings::default() }, 40);
        assert!(study.history().unsuccessful().count() > 3);
        // Failures at random are the worst case for a policy that blames the point.
        let blames = matches!(failures, FailurePolicy::AsWorst | FailurePolicy::AsValue(_));
        let enough = if blames { 20.0 } else { 1.0 };
        let best = study.history().best().unwrap().1;
        assert!(best < enough, "{failures:?}: {best}");
    }
    let optimizer = BayesianOptimizer::new(branin.space().clone());
    let mut study = Study::new(optimizer, Seed(1)).with_stop(MaxTrials(9));
    study.run(|_, _| Outcome::failed("always")).unwrap();
    assert_eq!(study.recommend().unwrap(), None);
    let optimizer = BayesianOptimizer::new(branin.space().clone());
    let mut study = Study::new(optimizer, Seed(1)).with_stop(MaxTrials(9));
    study.run(|_, context| if context.id.0 < 5 { 7.0 } else { 7.0 + 1e-13 }).unwrap();
    for scale in [1e-12, 1e12] {
        let optimizer = BayesianOptimizer::new(branin.space().clone());
        let mut study = Study::new(optimizer, Seed(1)).with_stop(MaxTrials(20));
        study.run(|config, _| branin.truth(config).map_or(f64::NAN, |v| v * scale)).unwrap();
        assert!(study.history().best().unwrap().1 < 3.0 * scale);
    }
    let one = BoSettings { initial: InitialDesign::Random(1), ..BoSettings::default() };
    assert!(run(&branin, one, 6).history().len() == 6);
}

#[test]
fn parallel_trials_differ_under_every_pending_policy() {
    let problem = TestFunction::branin();
    for pending in [
        PendingPolicy::KrigingBeliever,
        PendingPolicy::LiarBest,
        PendingPolicy::LiarMean,
        PendingPolicy::LiarWorst,
        PendingPolicy::Fantasies { draws: 8 },
    ] {
        let settings = BoSettings { pending, ..BoSettings::default() };
        let study = |threads| {
            let optimizer = BayesianOptimizer::new(problem.space().clone()).with_settings(settings.clone());
            let mut study = Study::new(optimizer.unwrap(), Seed(3))
                .with_stop(MaxTrials(14))
                .with_schedule(Window::Window(4));
            study
                .run_parallel(threads, |config, context| problem.evaluate(config, &mut context.noise()))
                .unwrap();
            study.history().trials().iter().map(|t| t.query.clone()).collect::<Vec<Config>>()
        };
        let queries = study(1);
        assert_eq!(queries, study(3), "{pending:?}");
        for (i, a) in queries.iter().enumerate() {
            assert!(queries[..i].iter().all(|b| a != b), "{pending:?} repeats {a}");
        }
    }
}

/// The expected improvement is compared in the units of the model: the scale of the objective makes no difference.
#[test]
fn algorithm_one_stops_when_no_improvement_is_expected() {
    let problem = TestFunction::forrester();
    let trials = [1.0, 1e-6, 1e6].map(|scale| {
        let optimizer = BayesianOptimizer::new(problem.space().clone());
        let mut study = Study::new(optimizer, Seed(5))
            .with_stop(NoImprovement { epsilon: 1e-4, times: 1 })
            .with_stop(MaxTrials(60));
        let evaluate = |config: &Config, context: &mut Context<'_>| {
            scale * problem.evaluate(config, &mut context.noise()).objective().unwrap()
        };
        let reason = study.run(evaluate).unwrap();
        let trials = study.history().len();
        assert!(matches!(reason, StopReason::NoImprovement { .. }), "{reason:?} after {trials}");
        trials
    });
    assert_eq!(trials, [trials[0]; 3]);
}

#[test]
fn restarts_begin_new_runs() {
    let settings = BoSettings {
        initial: InitialDesign::Random(3),
        convergence: Convergence::Restart { epsilon: 1e-2 },
        maximizer: Maximizer { raw: 256, ..Maximizer::default() },
        ..BoSettings::default()
    };
    let study = run(&TestFunction::forrester(), settings, 40);
    let run = MemoKey::<u64>::new("run");
    let runs: Vec<u64> = study.history().trials().iter().map(|t| t.memo.get(&run).unwrap_or(0)).collect();
    assert!(runs[39] >= 1 && runs.windows(2).all(|w| w[1] == w[0] || w[1] == w[0] + 1), "{runs:?}");
}

#[test]
fn searches_cover_the_space() {
    let space = TestFunction::branin().space().clone();
    let count_low = |optimizer: &mut dyn Optimizer<Query = Config, Recommendation = Best<Config>>| {
        let history = thrifty_study::History::default();
        let low = |id| match optimizer.ask(&history, thrifty_study::TrialId(id)).unwrap() {
            thrifty_study::Ask::Evaluate(s) => s.query.float("x0").unwrap() < 2.5,
            _ => panic!("a search never ends"),
        };
        (0..64).map(low).filter(|low| *low).count()
    };
    assert_eq!(count_low(&mut SobolSearch::new(space.clone())), 32);
    // 32 ± 4; 5 standard deviations.
    assert!((12..52).contains(&count_low(&mut RandomSearch::new(space))));
}

#[test]
fn bad_settings_are_named() {
    let space = TestFunction::branin().space().clone();
    let error = |settings| {
        let optimizer = BayesianOptimizer::new(space.clone()).with_settings(settings);
        optimizer.err().expect("refused").to_string()
    };
    let raw = BoSettings { maximizer: Maximizer { raw: 0, ..Maximizer::default() }, ..BoSettings::default() };
    assert!(error(raw).contains("raw is 0"));
    let failures = BoSettings { failures: FailurePolicy::AsValue(f64::NAN), ..BoSettings::default() };
    assert!(error(failures).contains("failures is NaN"));
    let restarts = BoSettings { convergence: Convergence::Restart { epsilon: 0.0 }, ..BoSettings::default() };
    assert!(error(restarts).contains("epsilon is 0"));
    let targets = [
        (ImprovementTarget::BestWithMargin { xi: -3.0 }, "rule.xi is -3"),
        (ImprovementTarget::Fixed(f64::NAN), "rule.fixed is NaN"),
    ];
    let targets = targets.map(|(target, said)| (AcquisitionKind::LogExpectedImprovement(target), said));
    let rules = [
        (AcquisitionKind::LogNoisyExpectedImprovement { draws: 0 }, "rule.draws is 0, expected at least 1"),
        (AcquisitionKind::Gibbon(MinValueSampler::Gumbel { count: 0 }), "rule.count is 0"),
        (AcquisitionKind::ConfidenceBound(Schedule::Constant { beta: -1.0 }), "rule.beta is -1"),
        (AcquisitionKind::ConfidenceBound(Schedule::Brochu { dim: 2, delta: 1.5 }), "rule.delta is 1.5"),
        (AcquisitionKind::LogKnowledgeGradient { anchors: 0 }, "rule.anchors is 0"),
        (AcquisitionKind::JointEntropySearch { minimizers: 0 }, "rule.minimisers is 0"),
        (AcquisitionKind::EntropySearch { representers: 0, draws: 8 }, "rule.representers is 0"),
        (AcquisitionKind::PredictiveEntropySearch { representers: 8, draws: 0 }, "rule.draws is 0"),
    ];
    for (rule, said) in rules.into_iter().chain(targets) {
        let found = error(BoSettings { rule, ..BoSettings::default() });
        assert!(found.contains(said), "{rule:?}: {found}");
    }
    let mut outside = Config::new();
    outside.insert("x0", 99.0);
    let given = BoSettings { initial: InitialDesign::Given(vec![outside]), ..BoSettings::default() };
    let optimizer = BayesianOptimizer::new(space).with_settings(given).unwrap();
    let error = Study::new(optimizer, Seed(0)).run(|_, _| 1.0).unwrap_err().to_string();
    assert!(error.contains("configuration 0") && error.contains("99"), "{error}");
}

/// `(x - 0.2)²` where x is not below ½: the best is at ½.
fn constrained(config: &Config) -> Measurement {
    let x = config.float("x").unwrap_or(f64::NAN);
    Measurement { objectives: vec![(x - 0.2).powi(2)], constraints: vec![0.5 - x], ..Measurement::default() }
}

fn unit() -> Space {
    Space::builder().float("x", 0.0, 1.0).build().unwrap()
}

#[test]
fn constraints_that_are_measured_are_kept() {
    for rule in [
        AcquisitionKind::default(),
        AcquisitionKind::ExpectedImprovement(ImprovementTarget::BestMean),
        AcquisitionKind::LogNoisyExpectedImprovement { draws: 16 },
        AcquisitionKind::LogKnowledgeGradient { anchors: 20 },
    ] {
        let settings = BoSettings { rule, ..BoSettings::default() };
        let optimizer = BayesianOptimizer::new(unit()).with_settings(settings).unwrap();
        let mut study = Study::new(optimizer, Seed(3)).with_stop(MaxTrials(14));
        study.run(|config, _| constrained(config)).unwrap();
        let x = study.recommend().unwrap().expect("something feasible").config.float("x").unwrap();
        assert!((0.5..0.52).contains(&x), "{rule:?}: {x}");
        let last = &study.history().trials()[13].diagnostics;
        assert!((0.0..=1.0).contains(&last["probability_feasible"]), "{last:?}");
    }
    // Nothing is feasible: looks for the least violation, and recommends nothing.
    let optimizer = BayesianOptimizer::new(unit());
    let mut study = Study::new(optimizer, Seed(3)).with_stop(MaxTrials(10));
    study
        .run(|config, _| Measurement {
            constraints: vec![3.0 - config.float("x").unwrap()],
            ..constrained(config)
        })
        .unwrap();
    assert_eq!(study.recommend().unwrap(), None);
    let most = study.history().trials().iter().map(|t| t.query.float("x").unwrap()).fold(0.0, f64::max);
    assert!(most > 0.99, "{most}");
}

/// `10 x + 5 (y - ½)²` where a constraint leaves the best at about 4.95 and the best of all, 0, is forbidden. A search for information is about
/// the minimum of what is allowed: about the minimum of all nothing allowed would have information.
#[test]
fn information_is_about_the_feasible_minimum() {
    let space = || Space::builder().float("x", 0.0, 1.0).float("y", 0.0, 1.0).build().unwrap();
    let both = |config: &Config| {
        let [x, y] = ["x", "y"].map(|name| config.float(name).unwrap());
        (10.0 * x + 5.0 * (y - 0.5).powi(2), 0.5 - x + 0.1 * (y - 0.5))
    };
    let gumbel = MinValueSampler::Gumbel { count: 16 };
    for rule in [
        AcquisitionKind::MaxValueEntropySearch(MinValueSampler::Sampled { count: 16 }),
        AcquisitionKind::MaxValueEntropySearch(gumbel),
        AcquisitionKind::Gibbon(gumbel),
    ] {
        let optimizer = || {
            BayesianOptimizer::new(space())
                .with_settings(BoSettings { rule, ..BoSettings::default() })
                .unwrap()
        };
        let mut study = Study::new(optimizer(), Seed(2)).with_stop(MaxTrials(20));
        let measured = study.run(|config, _| {
            let (loss, constraint) = both(config);
            Measurement { objectives: vec![loss], constraints: vec![constraint], ..Measurement::default() }
        });
        measured.unwrap();
        let known = optimizer().with_known_constraint(move |config| both(config).1 <= 0.0);
        let mut beside = Study::new(known, Seed(2)).with_stop(MaxTrials(20));
        beside.run(|config, _| both(config).0).unwrap();
        for (name, history) in [("measured", study.history()), ("known", beside.history())] {
            let best = history.best().unwrap().1;
            assert!(best < 5.1, "{rule:?}, {name}: {best}");
            let last = history.trials()[19].diagnostics["acquisition"];
            assert!(last > 0.0, "{rule:?}, {name}: {last}");
        }
    }
}

#[test]
fn signed_utilities_keep_constraints() {
    for rule in [
        AcquisitionKind::PosteriorMean,
        AcquisitionKind::ConfidenceBound(Schedule::Constant { beta: 4.0 }),
        AcquisitionKind::Thompson,
    ] {
        let settings = BoSettings { rule, ..BoSettings::default() };
        let optimizer = BayesianOptimizer::new(unit()).with_settings(settings).unwrap();
        let mut study = Study::new(optimizer, Seed(3)).with_stop(MaxTrials(16));
        study.run(|config, _| constrained(config)).unwrap();
        let x = study.recommend().unwrap().expect("something feasible").config.float("x").unwrap();
        assert!((0.5..0.53).contains(&x), "{rule:?}: {x}");
        // Of the suggestions after the design most are feasible, though the objective is better where they would not be.
        let feasible = |trial: &Trial<Config>| trial.query.float("x").is_ok_and(|x| x >= 0.5);
        let kept = study.history().trials()[4..].iter().filter(|trial| feasible(trial)).count();
        assert!(kept >= 7, "{rule:?}: {kept} of 12");
    }
}

#[test]
fn known_constraints_hold_for_every_suggestion() {
    let allowed = |config: &Config| config.float("x").unwrap() >= 0.5;
    let optimizer = BayesianOptimizer::new(unit()).with_known_constraint(allowed);
    let mut study = Study::new(optimizer, Seed(3)).with_stop(MaxTrials(14));
    study.run(|config, _| (config.float("x").unwrap() - 0.2).powi(2)).unwrap();
    assert!(study.history().trials().iter().all(|trial| allowed(&trial.query)));
    assert!(study.recommend().unwrap().unwrap().config.float("x").unwrap() < 0.51);
    let optimizer = BayesianOptimizer::new(unit()).with_known_constraint(|_| false);
    let error = Study::new(optimizer, Seed(3)).run(|_, _| 0.0).unwrap_err().to_string();
    assert!(error.contains("allowed"), "{error}");
}

#[test]
fn costs_are_counted_as_the_settings_say() {
    // Many basins about as deep as each other, the last a hundred times as dear as the first.
    let measure = |config: &Config| {
        let x = config.float("x").unwrap();
        let loss = (40.0 * x).sin() + 0.3 * (95.0 * x).sin();
        Measurement { objectives: vec![loss], cost: Some((5.0 * x).exp()), ..Measurement::default() }
    };
    let spent = |cost| {
        let settings = BoSettings { cost, ..BoSettings::default() };
        let optimizer = BayesianOptimizer::new(unit()).with_settings(settings).unwrap();
        let mut study = Study::new(optimizer, Seed(3)).with_stop(MaxTrials(16));
        study.run(|config, _| measure(config)).unwrap();
        let best = study.history().best().unwrap().1;
        let costs =
            study.history().trials()[4..].iter().filter_map(|t| t.outcome.as_ref()?.measurement()?.cost);
        (costs.sum::<f64>(), best)
    };
    let (blind, _) = spent(CostAwareness::Ignore);
    let (counted, best) = spent(CostAwareness::PerUnit { exponent: 1.0 });
    assert!(counted < 0.5 * blind && best < -1.0, "{counted} {blind} {best}");
    let (cooled, best) = spent(CostAwareness::Cooled { budget: 1000.0 });
    assert!(cooled < blind && best < -1.0, "{cooled} {blind} {best}");
    let settings = BoSettings { cost: CostAwareness::PerUnit { exponent: 1.0 }, ..BoSettings::default() };
    let study = |cost| {
        let optimizer = BayesianOptimizer::new(unit()).with_settings(settings.clone()).unwrap();
        let mut study = Study::new(optimizer, Seed(3)).with_stop(MaxTrials(6));
        let ran = study.run(|config, _| Measurement { cost, ..measure(config) });
        (study, ran)
    };
    for cost in [None, Some(0.0), Some(-1.0)] {
        let (study, ran) = study(cost);
        assert!(ran.is_ok() && study.history().unsuccessful().count() == 6, "{cost:?} is a failure");
    }
    let refused = BoSettings { cost: CostAwareness::PerUnit { exponent: f64::NAN }, ..BoSettings::default() };
    let error = BayesianOptimizer::new(unit()).with_settings(refused).err().unwrap().to_string();
    assert!(error.contains("exponent is NaN"), "{error}");
}

/// A measurement without a positive cost is refused where costs count, and its trial waits. A journal that has one already goes on without its
/// cost.
#[test]
fn a_measurement_without_a_cost_is_refused() {
    let settings = BoSettings { cost: CostAwareness::PerUnit { exponent: 1.0 }, ..BoSettings::default() };
    let optimizer = || BayesianOptimizer::new(unit()).with_settings(settings.clone()).unwrap();
    let measured = |cost| Measurement { objectives: vec![1.0], cost, ..Measurement::default() };
    let mut study = Study::new(optimizer(), Seed(3)).with_stop(MaxTrials(6));
    study.ask().unwrap();
    let query = study.history().trials()[0].query.clone();
    for (cost, named) in [(None, "cost is missing"), (Some(0.0), "cost is 0")] {
        let told = study.tell(TrialId(0), measured(cost)).unwrap_err().to_string();
        let known = study.add_known(query.clone(), measured(cost)).unwrap_err().to_string();
        assert!(told.contains(named) && known.contains(named), "{told} {known}");
    }
    study.tell(TrialId(0), measured(Some(2.0))).unwrap();
    study.run(|_, context| measured(Some(1.0 + context.id.0 as f64))).unwrap();
    let mut trials = study.history().trials().to_vec();
    trials[2].outcome = Some(measured(None).into());
    trials[3].outcome = Some(measured(Some(0.0)).into());
    let history = History::from_trials(trials, Seed(3));
    assert!(optimizer().recommend(&history).unwrap().is_some());
    let Ask::Evaluate(next) = optimizer().ask(&history, TrialId(6)).unwrap() else { panic!("a suggestion") };
    assert!(next.diagnostics["expected_cost"] > 0.0);
}

/// A failure that cost the budget of cooling: costs count no more, as the budget is spent.
#[test]
fn failures_spend_the_budget_of_cooling() {
    let weight = |failed: Option<f64>| {
        let cost = CostAwareness::Cooled { budget: 1000.0 };
        let settings = BoSettings { cost, failures: FailurePolicy::Ignore, ..BoSettings::default() };
        let make = || BayesianOptimizer::new(unit()).with_settings(settings.clone()).unwrap();
        let mut study = Study::new(make(), Seed(3)).with_stop(MaxTrials(8));
        study
            .run(|config, context| {
                let x = config.float("x").unwrap();
                match failed {
                    Some(cost) if context.id.0 == 5 => Outcome::failed("lost").with_cost(cost),
                    _ => Measurement { cost: Some(1.0 + x), ..Measurement::from((9.0 * x).sin()) }.into(),
                }
            })
            .unwrap();
        let (optimizer, history) = (make(), study.history().clone());
        let state = optimizer.state(&history, thrifty_study::TrialId(8)).unwrap().unwrap();
        state.weight(&[0.9])
    };
    assert!((weight(Some(1000.0)) - 1.0).abs() < 1e-12, "{}", weight(Some(1000.0)));
    assert!(weight(Some(1.0)) < 0.6 && weight(None) < 0.6);
}

/// A design that cost the budget of cooling, which nobody knows before it is paid: the study goes on without costs, and recommends.
#[test]
fn designs_may_cost_the_budget_of_cooling() {
    let cost = CostAwareness::Cooled { budget: 10.0 };
    let settings = BoSettings { cost, ..BoSettings::default() };
    let make = || BayesianOptimizer::new(unit()).with_settings(settings.clone()).unwrap();
    let mut study = Study::new(make(), Seed(3)).with_stop(MaxTrials(8));
    let measure = |config: &Config| {
        let x = config.float("x").unwrap();
        Measurement { cost: Some(3.0 + x), ..Measurement::from((9.0 * x).sin()) }
    };
    study.run(|config, _| measure(config)).unwrap();
    assert_eq!(study.history().len(), 8);
    assert!(study.recommend().unwrap().is_some());
    let (optimizer, history) = (make(), study.history().clone());
    let state = optimizer.state(&history, thrifty_study::TrialId(8)).unwrap().unwrap();
    assert_eq!(state.weight(&[0.9]), 1.0);
}

/// Utilities per unit of cost are searched alike whatever the unit of the cost.
#[test]
fn units_of_costs_do_not_matter() {
    for rule in [
        AcquisitionKind::Gibbon(MinValueSampler::Sampled { count: 16 }),
        AcquisitionKind::ProbabilityOfImprovement(ImprovementTarget::BestObserved),
    ] {
        let asked = |unit_of_cost: f64| -> Vec<f64> {
            let cost = CostAwareness::PerUnit { exponent: 1.0 };
            let settings = BoSettings { rule, cost, ..BoSettings::default() };
            let optimizer = BayesianOptimizer::new(unit()).with_settings(settings).unwrap();
            let mut study = Study::new(optimizer, Seed(3)).with_stop(MaxTrials(8));
            study
                .run(|config, _| {
                    let x = config.float("x").unwrap();
                    let cost = Some(unit_of_cost * x.exp());
                    Measurement { cost, ..Measurement::from((9.0 * x).sin() + x) }
                })
                .unwrap();
            study.history().trials().iter().map(|trial| trial.query.float("x").unwrap()).collect()
        };
        let (one, huge) = (asked(1.0), asked(f64::from(1 << 30)));
        assert!(one.iter().zip(&huge).all(|(a, b)| (a - b).abs() < 1e-3), "{rule:?}: {one:?} {huge:?}");
    }
}

/// Thompson sampling on a space with a conditional parameter, whose kernel has no paths.
#[test]
fn thompson_sampling_needs_no_paths() {
    let builder = Space::builder().float("x", 0.0, 1.0).categorical("c", ["a", "b"]).float("z", 0.0, 1.0);
    let space = builder.when("c", ["b"]).build().unwrap();
    let settings = BoSettings { rule: AcquisitionKind::Thompson, ..BoSettings::default() };
    let optimizer = BayesianOptimizer::new(space).with_settings(settings).unwrap();
    let mut study = Study::new(optimizer, Seed(3)).with_stop(MaxTrials(24));
    let loss = |config: &Config| {
        (config.float("x").unwrap() - 0.3).powi(2) + config.float("z").map_or(0.5, |z| z * z)
    };
    study.run(|config, _| loss(config)).unwrap();
    assert!(study.history().best().unwrap().1 < 0.05, "{:?}", study.history().best());
}

#[test]
fn measurements_without_an_objective_are_no_losses() {
    let empty = || Measurement { objectives: vec![], ..Measurement::default() };
    let mut study = Study::new(BayesianOptimizer::new(unit()), Seed(3)).with_stop(MaxTrials(8));
    study.run(|_, _| empty()).unwrap();
    assert_eq!((study.history().len(), study.recommend().unwrap()), (8, None));
    // Among others that have one it counts as a failure.
    let mut study = Study::new(BayesianOptimizer::new(unit()), Seed(3)).with_stop(MaxTrials(8));
    study
        .run(|config, context| if context.id.0 == 2 { empty() } else { config.float("x").unwrap().into() })
        .unwrap();
    assert!(study.recommend().unwrap().is_some());
    assert_eq!(study.history().measured().count(), 7);
}

/// Failed trials enter the model of a constraint as its worst value, unless failures teach nothing.
#[test]
fn failed_trials_break_constraints_as_far_as_is_known() {
    let likely = |failures| {
        let settings = BoSettings { failures, initial: InitialDesign::Sobol(12), ..BoSettings::default() };
        let optimizer = || BayesianOptimizer::new(unit()).with_settings(settings.clone()).unwrap();
        let mut study = Study::new(optimizer(), Seed(3)).with_stop(MaxTrials(30));
        study
            .run(|config, _| {
                let x = config.float("x").unwrap();
                let measured =
                    Measurement { objectives: vec![x], constraints: vec![x - 0.8], ..Measurement::default() };
                if x < 0.3 { Outcome::failed("below 0.3") } else { measured.into() }
            })
            .unwrap();
        let failed = study.history().unsuccessful().next().expect("a failure").query.float("x").unwrap();
        let optimizer = optimizer();
        let belief = optimizer.state(study.history(), thrifty_study::TrialId(30)).unwrap().unwrap();
        belief.probability_feasible(&[failed]).unwrap()
    };
    assert!(likely(FailurePolicy::AsWorst) < 0.1, "{}", likely(FailurePolicy::AsWorst));
    assert!(likely(FailurePolicy::AsValue(5.0)) < 0.1);
    assert!(likely(FailurePolicy::AsConstraint) < 0.1, "{}", likely(FailurePolicy::AsConstraint));
    assert!(likely(FailurePolicy::Ignore) > 0.9, "{}", likely(FailurePolicy::Ignore));
}

/// Trials fail in two thirds of a square, and the least loss is on the border: where they fail is learnt, the loss is modelled without them,
/// and the search comes nearer than with bad losses in their place. What failed by chance is forgiven.
#[test]
fn places_of_failures_are_learnt() {
    let space = || Space::builder().float("x", 0.0, 1.0).float("y", 0.0, 1.0).build().unwrap();
    let loss = |x: f64, y: f64| (x - 0.8).powi(2) + (y - 0.3).powi(2);
    let fails = |x: f64, y: f64| x + y > 0.8;
    let left = |failures: FailurePolicy, by_chance: bool| {
        let settings = BoSettings { failures, ..BoSettings::default() };
        let optimizer = BayesianOptimizer::new(space()).with_settings(settings).unwrap();
        let mut study = Study::new(optimizer, Seed(3)).with_trials(40);
        let outcome = |config: &Config, id: u64| {
            let (x, y) = (config.float("x").unwrap(), config.float("y").unwrap());
            let failed = if by_chance { id.is_multiple_of(3) } else { fails(x, y) };
            if failed { Outcome::failed("no memory") } else { loss(x, y).into() }
        };
        study.run(|config: &Config, context| outcome(config, context.id.0)).unwrap();
        (study.history().best().unwrap().1, study)
    };
    // The nearest point of the border is (0.65, 0.15).
    let least = loss(0.65, 0.15);
    let (learnt, mut study) = left(FailurePolicy::AsConstraint, false);
    let (imputed, _) = left(FailurePolicy::AsWorst, false);
    assert!(learnt - least < 1e-3 && learnt - least < 0.1 * (imputed - least), "{learnt} {imputed} {least}");
    let likely = |x: f64, y: f64| {
        let optimizer = BayesianOptimizer::new(space());
        let state = optimizer.state(study.history(), TrialId(40)).unwrap().unwrap();
        state.probability_feasible(&[x, y]).unwrap()
    };
    assert!(
        likely(0.5, 0.1) > 0.9 && likely(0.75, 0.25) < 0.1,
        "{} {}",
        likely(0.5, 0.1),
        likely(0.75, 0.25)
    );
    // What is recommended was measured, and its mean is the loss.
    let best = study.recommend().unwrap().unwrap();
    assert!((best.value - learnt).abs() < 1e-3, "{best:?} {learnt}");
    let (learnt, _) = left(FailurePolicy::AsConstraint, true);
    assert!(learnt < 1e-4, "{learnt}");
}

/// Pruned trials are no failures: with these alone suggestions are those of the worst loss in their place.
#[test]
fn pruned_trials_are_no_failures() {
    let queries = |failures| {
        let settings = BoSettings { failures, ..BoSettings::default() };
        let optimizer = BayesianOptimizer::new(unit()).with_settings(settings).unwrap();
        let mut study = Study::new(optimizer, Seed(3)).with_stop(MaxTrials(14));
        let outcome = |x: f64| if x > 0.7 { Outcome::pruned(2) } else { (x - 0.6).powi(2).into() };
        study.run(|config, _| outcome(config.float("x").unwrap())).unwrap();
        assert!(study.history().unsuccessful().count() > 1);
        study.history().trials().iter().map(|trial| trial.query.clone()).collect::<Vec<_>>()
    };
    assert_eq!(queries(FailurePolicy::AsConstraint), queries(FailurePolicy::AsWorst));
}

/// The first of measured configurations with equal posterior means is recommended.
#[test]
fn of_equals_the_first_is_recommended() {
    let mut study = Study::new(BayesianOptimizer::new(unit()), Seed(1)).with_stop(MaxTrials(4));
    study.run(|_, _| 2.5).unwrap();
    let first = study.history().trials()[0].query.clone();
    assert_eq!(study.recommend().unwrap().unwrap().config, first);
}

/// A configuration that was lost to the machine is asked again, and the study does not end without it: in the design and after it.
#[test]
fn unrelated_failures_are_asked_again() {
    for seed in 0..6 {
        let space = Space::builder().categorical("a", ["p", "q", "r", "t"]).build().unwrap();
        let mut study = Study::new(BayesianOptimizer::new(space), Seed(seed)).with_stop(MaxTrials(20));
        let mut lost = false;
        study
            .run(|config: &Config, _| match config.str("a").unwrap() {
                "q" if !std::mem::replace(&mut lost, true) => Outcome::unrelated("machine down"),
                "q" => Measurement::from(-1.0).into(),
                "p" => Measurement::from(3.0).into(),
                _ => Measurement::from(2.0).into(),
            })
            .unwrap();
        assert!(lost && study.history().len() == 5, "seed {seed}: {}", study.history().len());
        assert_eq!(study.recommend().unwrap().unwrap().config.str("a"), Ok("q"), "seed {seed}");
    }
}

/// Four arms under noise: all trials are made where repeats are set, or a variance of the noise is known, and most are at the two best
/// arms. Otherwise the study ends after one evaluation of each.
#[test]
fn noisy_evaluations_of_a_finite_space_are_repeated() {
    let noise = |i: usize| 0.3 * ((7 * i) as f64).sin();
    let run = |repeats: Option<Repeats>, noise_variance: Option<f64>| {
        let space = Space::builder().int("arm", 1, 4).build().unwrap();
        let settings = BoSettings { repeats, ..BoSettings::default() };
        let optimizer = BayesianOptimizer::new(space).with_settings(settings).unwrap();
        let optimizer = optimizer.with_surrogate(GpSurrogate::noisy());
        let mut study = Study::new(optimizer, Seed(2)).with_stop(MaxTrials(24));
        let mut count = 0;
        let reason = study.run(|config, _| {
            count += 1;
            let loss = config.int("arm").unwrap() as f64 + noise(count);
            Outcome::from(Measurement { noise_variance, ..Measurement::from(loss) })
        });
        (reason.unwrap(), study)
    };
    for (repeats, variance) in [(Some(Repeats::OnceExhausted), None), (None, Some(0.05))] {
        let (reason, mut study) = run(repeats, variance);
        assert_eq!((reason, study.history().len()), (StopReason::Trials(24), 24), "{repeats:?}");
        let good = study.history().trials().iter().filter(|trial| trial.query.int("arm").unwrap() <= 2);
        assert!(good.count() > 12, "{repeats:?}");
        assert_eq!(study.recommend().unwrap().unwrap().config.int("arm"), Ok(1), "{repeats:?}");
    }
    for (repeats, variance) in [(None, None), (Some(Repeats::Never), Some(0.05))] {
        let (reason, study) = run(repeats, variance);
        assert_eq!((reason, study.history().len()), (StopReason::Exhausted, 4), "{repeats:?}");
    }
}

/// Four arms, one of which fails or is pruned: repeats are of the other three. Where every arm fails the study ends.
#[test]
fn failed_configurations_are_not_repeated() {
    let run = |failures: FailurePolicy, lost: &dyn Fn(&str) -> bool, outcome: Outcome| {
        let space = Space::builder().categorical("a", ["p", "q", "r", "t"]).build().unwrap();
        let repeats = Some(Repeats::OnceExhausted);
        let settings = BoSettings { repeats, failures, ..BoSettings::default() };
        let optimizer = BayesianOptimizer::new(space).with_settings(settings).unwrap();
        let mut study = Study::new(optimizer, Seed(1)).with_stop(MaxTrials(20));
        let reason = study.run(|config: &Config, _| match config.str("a").unwrap() {
            arm if lost(arm) => outcome.clone(),
            arm => Measurement::from(arm.len() as f64).into(),
        });
        let asked: Vec<String> =
            (study.history().trials().iter()).map(|trial| trial.query.str("a").unwrap().to_owned()).collect();
        (reason.unwrap(), asked)
    };
    let outcomes = || [Outcome::failed("out of memory"), Outcome::pruned(0)];
    for failures in [FailurePolicy::AsConstraint, FailurePolicy::Ignore, FailurePolicy::AsWorst] {
        for outcome in outcomes() {
            let (reason, asked) = run(failures, &|arm| arm == "t", outcome.clone());
            assert_eq!(reason, StopReason::Trials(20), "{asked:?}");
            assert_eq!(asked.iter().filter(|arm| *arm == "t").count(), 1, "{failures:?}: {asked:?}");
            let (reason, asked) = run(failures, &|_| true, outcome);
            assert_eq!((reason, asked.len()), (StopReason::Exhausted, 4), "{asked:?}");
        }
    }
}

/// The interval of a recommendation is that of the loss at its configuration, whatever the transform: of 20 noisy studies nearly all hold
/// the truth, and without noise its ends are next to the measured loss.
#[test]
fn recommendations_have_an_interval() {
    let loss = |config: &Config| (config.float("x").unwrap() - 0.6).powi(2);
    let recommended = |seed: u64, std_dev: f64| {
        let space = Space::builder().float("x", 0.0, 1.0).build().unwrap();
        let surrogate = if std_dev > 0.0 { GpSurrogate::noisy() } else { GpSurrogate::deterministic() };
        let optimizer = BayesianOptimizer::new(space).with_surrogate(surrogate);
        let mut study = Study::new(optimizer, Seed(seed)).with_stop(MaxTrials(15));
        let evaluate = |config: &Config, context: &mut Context<'_>| {
            let error: f64 = StandardNormal.sample(&mut context.noise());
            loss(config) + std_dev * error
        };
        study.run(evaluate).unwrap();
        let best = study.recommend().unwrap().unwrap();
        let (low, high) = best.interval.unwrap();
        assert!(low <= best.value && best.value <= high, "{best:?}");
        (low, high, loss(&best.config))
    };
    let held = (0..20).filter(|&seed| {
        let (low, high, truth) = recommended(seed, 0.1);
        low <= truth && truth <= high
    });
    assert!(held.count() >= 15);
    let (low, high, truth) = recommended(0, 0.0);
    assert!(high - low < 1e-4 && (truth - low).abs() < 1e-4, "{low} {high} {truth}");
}
