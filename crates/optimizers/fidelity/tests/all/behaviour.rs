//! Behaviour in studies: cost to a regret, reports, failures, constants, bounds.

use std::f64::consts::PI;

use thrifty_bo::{BayesianOptimizer, BoSettings};
use thrifty_fidelity::{FidelityCost, MultiFidelityOptimizer, MultiFidelitySettings};
use thrifty_kernel::Kernel;
use thrifty_model_based::{GpSurrogate, InitialDesign, LossTransform, Maximizer, Repeats, measurement};
use thrifty_sampling::Seed;
use thrifty_space::{Config, Space};
use thrifty_study::{Ask, MaxCost, MaxTrials, Measurement, Optimizer, Outcome, ReportError, Study, TrialId};

/// Share of the cost that does not depend on the epochs.
const FIXED: f64 = 0.1;

/// Epochs at the target.
const TARGET: i64 = 81;

fn builder() -> thrifty_space::SpaceBuilder {
    Space::builder().float("x", -5.0, 10.0).float("y", 0.0, 15.0)
}

fn with_epochs() -> Space {
    builder().log_int("epochs", 1, TARGET).build().unwrap()
}

/// Branin's function with a bias that decays by a power law in the epochs and differs from place to place.
fn branin(x: f64, y: f64, epochs: f64) -> f64 {
    let parabola = y - 5.1 / (4.0 * PI * PI) * x * x + 5.0 / PI * x - 6.0;
    let loss = parabola.powi(2) + 10.0 * (1.0 - 1.0 / (8.0 * PI)) * x.cos() + 10.0;
    let share = epochs.powf(-0.7) - (TARGET as f64).powf(-0.7);
    loss + share * (60.0 - 4.0 * x + 2.0 * y)
}

/// Loss at the least.
const LEAST: f64 = 0.397_887;

fn point(config: &Config) -> (f64, f64) {
    (config.float("x").unwrap(), config.float("y").unwrap())
}

fn epochs(config: &Config) -> f64 {
    config.int("epochs").unwrap() as f64
}

fn optimizer(space: Space) -> MultiFidelityOptimizer {
    let settings = MultiFidelitySettings {
        maximizer: Maximizer { raw: 96, around_best: 6, climbs: 2 },
        anchors: 12,
        cost: FidelityCost::Proportional { fixed: FIXED },
        ..MultiFidelitySettings::default()
    };
    MultiFidelityOptimizer::new(space, "epochs").unwrap().with_settings(settings).unwrap()
}

/// True regret of the recommendation once so many evaluations of the target were paid for.
fn multi_fidelity(seed: u64, budget: f64) -> f64 {
    let mut study = Study::new(optimizer(with_epochs()), Seed(seed)).with_stop(MaxCost(budget));
    study
        .run(|config, _| {
            let (x, y) = point(config);
            let cost = Some(FIXED + epochs(config) / TARGET as f64);
            Measurement { cost, ..Measurement::from(branin(x, y, epochs(config))) }
        })
        .unwrap();
    let (x, y) = point(&study.recommend().unwrap().unwrap().config);
    branin(x, y, TARGET as f64) - LEAST
}

fn single_fidelity(seed: u64, budget: usize) -> f64 {
    let settings =
        BoSettings { maximizer: Maximizer { raw: 96, around_best: 6, climbs: 2 }, ..BoSettings::default() };
    let optimizer = BayesianOptimizer::new(builder().build().unwrap()).with_settings(settings).unwrap();
    let mut study = Study::new(optimizer, Seed(seed)).with_stop(MaxTrials(budget));
    study
        .run(|config, _| {
            let (x, y) = point(config);
            branin(x, y, TARGET as f64)
        })
        .unwrap();
    let (x, y) = point(&study.recommend().unwrap().unwrap().config);
    branin(x, y, TARGET as f64) - LEAST
}

/// At the cost of five evaluations of the target the median regret over seeds is below that of Bayesian optimisation at the target alone.
#[test]
fn cheap_fidelities_pay() {
    let mut ours: Vec<f64> = (0..5).map(|seed| multi_fidelity(seed, 5.0 * (1.0 + FIXED))).collect();
    let mut single: Vec<f64> = (0..5).map(|seed| single_fidelity(seed, 5)).collect();
    ours.sort_by(f64::total_cmp);
    single.sort_by(f64::total_cmp);
    assert!(ours[2] < 0.5 * single[2], "{ours:?} {single:?}");
}

/// Reports of a trial are observations at their steps, and pruned trials count at their last one.
#[test]
fn reports_and_pruned_trials_teach() {
    let space = Space::builder().float("x", 0.0, 1.0).log_int("epochs", 1, 27).build().unwrap();
    let mut study = Study::new(optimizer(space), Seed(3)).with_stop(MaxTrials(12));
    study
        .run(|config, context| -> Result<Outcome, ReportError> {
            let x = config.float("x").unwrap();
            let loss = |epoch: u64| (x - 0.4).powi(2) + 0.5 / epoch as f64;
            let last = epochs(config) as u64;
            for epoch in 1..=last {
                context.report(epoch, loss(epoch))?;
                // Far from the optimum a trial is stopped.
                if epoch == 3 && x > 0.7 {
                    return Ok(context.pruned());
                }
            }
            Ok(loss(last).into())
        })
        .unwrap();
    let best = study.recommend().unwrap().unwrap();
    assert!((best.config.float("x").unwrap() - 0.4).abs() < 0.1, "{best:?}");
    assert!(best.interval.0 <= best.value && best.value <= best.interval.1);
    assert_eq!(best.is_verified, best.evaluated == 27.0);
    assert_eq!(best.config.int("epochs").unwrap(), 27);
}

/// A design ends after as many trials that teach, be they measured or pruned after a report; one that was pruned before any teaches nothing.
#[test]
fn pruned_trials_end_a_design() {
    let space = Space::builder().float("x", 0.0, 1.0).log_int("epochs", 1, 27).build().unwrap();
    let modelled = |is_pruned: bool, reports: bool| {
        let mut study = Study::new(optimizer(space.clone()), Seed(3)).with_stop(MaxTrials(12));
        study
            .run(|config, context| -> Result<Outcome, ReportError> {
                let loss = (config.float("x").unwrap() - 0.4).powi(2) + 0.5 / epochs(config);
                if reports {
                    context.report(1, loss)?;
                }
                Ok(if is_pruned { context.pruned() } else { loss.into() })
            })
            .unwrap();
        study.history().trials().iter().position(|trial| trial.diagnostics.contains_key("mean"))
    };
    let measured = modelled(false, true);
    assert!(measured.is_some_and(|first| first < 8), "{measured:?}");
    assert_eq!(modelled(true, true), measured);
    assert_eq!(modelled(true, false), None);
}

/// Costs are measured. Trials that reported and were then pruned or failed need none: they teach the loss, and the study goes on. A
/// pruned one with a cost teaches it, a measured one without a cost is refused, and a failure in the loop.
#[test]
fn trials_that_end_early_need_no_cost() {
    let settings = || MultiFidelitySettings {
        maximizer: Maximizer { raw: 32, around_best: 2, climbs: 1 },
        anchors: 4,
        cost: FidelityCost::Measured,
        ..MultiFidelitySettings::default()
    };
    let run = |cost: fn(u64, f64) -> Option<f64>, pruned: Option<f64>| {
        let space = Space::builder().float("x", 0.0, 1.0).log_int("epochs", 1, 27).build().unwrap();
        let optimizer =
            MultiFidelityOptimizer::new(space, "epochs").unwrap().with_settings(settings()).unwrap();
        let mut study = Study::new(optimizer, Seed(3)).with_stop(MaxTrials(10));
        let ended = study.run(|config, context| -> Result<Outcome, ReportError> {
            let loss = (config.float("x").unwrap() - 0.4).powi(2);
            context.report(1, loss + 0.5)?;
            Ok(match context.id.0 {
                2 => context.pruned().with_cost(pruned),
                3 => Outcome::failed("no memory").with_cost(pruned),
                id => {
                    let cost = cost(id, epochs(config));
                    Measurement { cost, ..Measurement::from(loss + 0.5 / epochs(config)) }.into()
                }
            })
        });
        (ended.map(|_| ()).map_err(|error| format!("{error:?}")), study)
    };
    let (ended, mut study) = run(|_, epochs| Some(7.0 * epochs), None);
    ended.unwrap();
    let last = &study.history().trials()[9];
    let share = last.diagnostics["expected_cost"] / (7.0 * epochs(&last.query));
    assert!((share - 1.0).abs() < 0.1, "an expected cost of {share} times the true one");
    assert!(study.recommend().unwrap().is_some());
    // The pruned trial has paid for one epoch. A cost of 0 says nothing of a logarithm.
    for (pruned, teaches) in [(7.0, true), (700.0, true), (0.0, false)] {
        let (ended, taught) = run(|_, epochs| Some(7.0 * epochs), Some(pruned));
        ended.unwrap();
        let expected = |study: &Study<_>| study.history().trials()[9].diagnostics["expected_cost"];
        assert_eq!(expected(&taught) != expected(&study), teaches, "{pruned}");
    }
    let (ended, study) = run(|id, _| if id == 1 { None } else { Some(7.0) }, None);
    ended.unwrap();
    let refused = format!("{:?}", study.history().trials()[1].outcome);
    assert!(refused.contains("Unusable") && refused.contains("missing"), "{refused}");
}

/// A surrogate of one's own suggests otherwise than the default and has another fingerprint, by its kernel and by its settings. Set to the
/// default it suggests the same.
#[test]
fn a_surrogate_of_ones_own_is_used() {
    let kernel = |domain: &thrifty_domain::Domain| {
        Ok((1.0 * thrifty_kernel::Matern52::new(vec![0.5; domain.dim()])?).clone_box())
    };
    let own = [
        None,
        Some(GpSurrogate::default()),
        Some(GpSurrogate::deterministic()),
        Some(GpSurrogate::noisy()),
        Some(GpSurrogate::default().with_kernel("one for all", kernel)),
    ];
    let runs = own.map(|surrogate| {
        let optimizer = optimizer(with_epochs());
        let optimizer = match surrogate {
            Some(surrogate) => optimizer.with_surrogate(surrogate),
            None => optimizer,
        };
        let fingerprint = optimizer.fingerprint().unwrap();
        let mut study = Study::new(optimizer, Seed(3)).with_stop(MaxTrials(10));
        study
            .run(|config, _| {
                let (x, y) = point(config);
                branin(x, y, epochs(config))
            })
            .unwrap();
        let queries: Vec<Config> = study.history().trials().iter().map(|trial| trial.query.clone()).collect();
        (queries, format!("{fingerprint:?}"))
    });
    assert_eq!(runs[0].0, runs[1].0);
    for (i, one) in runs.iter().enumerate().skip(1) {
        assert!(runs[..i].iter().all(|other| other.1 != one.1), "fingerprint {i}");
        assert!(i == 1 || runs[..i].iter().all(|other| other.0 != one.0), "suggestions {i}");
    }
}

/// Only reports of failed trials are known: a recommendation needs no cost.
#[test]
fn a_recommendation_needs_no_cost() {
    let settings = MultiFidelitySettings { cost: FidelityCost::Measured, ..MultiFidelitySettings::default() };
    let optimizer = optimizer(with_epochs()).with_settings(settings).unwrap();
    let mut study = Study::new(optimizer, Seed(3)).with_stop(MaxTrials(3));
    study
        .run(|config, context| -> Result<Outcome, ReportError> {
            context.report(1, config.float("x").unwrap())?;
            Ok(Outcome::failed("no memory"))
        })
        .unwrap();
    assert!(study.recommend().unwrap().is_some_and(|best| !best.is_verified));
}

/// An automatic design of three parameters, four points where eight trials are planned and six where no number is: the model suggests
/// every trial after it, also when a study that was planned short goes on without a plan.
#[test]
fn a_design_that_has_ended_does_not_begin_again() {
    let space =
        || Space::builder().float("x", 0.0, 1.0).float("y", 0.0, 1.0).int("epochs", 1, 9).build().unwrap();
    let planned = |budget| {
        let settings = MultiFidelitySettings { budget, ..optimizer(space()).settings().clone() };
        MultiFidelityOptimizer::new(space(), "epochs").unwrap().with_settings(settings).unwrap()
    };
    let mut study = Study::new(planned(Some(8)), Seed(1)).with_stop(MaxTrials(5));
    study.run(|config, _| config.float("x").unwrap() + 1.0 / epochs(config)).unwrap();
    let trials = study.history().trials();
    let modelled: Vec<bool> =
        trials.iter().map(|trial| trial.diagnostics.contains_key("acquisition")).collect();
    assert_eq!(modelled, [false, false, false, false, true], "four points of a design, then the model");
    let Ask::Evaluate(next) = planned(None).ask(study.history(), TrialId(5)).unwrap() else {
        panic!("the space has points left");
    };
    assert!(next.diagnostics.contains_key("acquisition"), "the model goes on: {:?}", next.diagnostics);
}

/// The last plan caps the design where the settings have no number of their own.
#[test]
fn a_plan_is_a_budget() {
    let mut planned = optimizer(with_epochs());
    planned.plan(48);
    planned.plan(60);
    assert_eq!(planned.settings().budget, Some(60));
}

/// Constants, huge and tiny losses, failures alone: suggestions of the space, and no error.
#[test]
fn edges_are_no_error() {
    let space = || Space::builder().float("x", 0.0, 1.0).log_int("epochs", 1, 9).build().unwrap();
    let losses: [fn(f64) -> f64; 4] = [|_| 0.0, |x| 1e12 * x, |x| 1e-12 * x, |_| f64::NAN];
    for loss in losses {
        let mut study = Study::new(optimizer(space()), Seed(1)).with_stop(MaxTrials(7));
        study.run(|config, _| loss(config.float("x").unwrap())).unwrap();
        assert_eq!(study.history().len(), 7);
        let best = study.recommend().unwrap();
        assert!(best.is_none_or(|best| best.value.is_finite()));
    }
    assert!(Study::new(optimizer(space()), Seed(1)).recommend().unwrap().is_none());
}

/// A finite space comes to an end.
#[test]
fn finite_spaces_are_exhausted() {
    let space = Space::builder().int("x", 0, 1).int("epochs", 1, 2).build().unwrap();
    let settings =
        MultiFidelitySettings { initial: InitialDesign::Sobol(2), ..MultiFidelitySettings::default() };
    let optimizer = MultiFidelityOptimizer::new(space, "epochs").unwrap().with_settings(settings).unwrap();
    let mut study = Study::new(optimizer, Seed(1)).with_stop(MaxTrials(9));
    study.run(|config, _| config.int("x").unwrap() as f64 + 1.0 / epochs(config)).unwrap();
    assert_eq!(study.history().len(), 4);
    let best = study.recommend().unwrap().unwrap();
    assert_eq!((best.config.int("x").unwrap(), best.is_verified), (0, true));
}

/// Infeasible losses far below all feasible ones: the knowledge gradient is that of feasible means, so the search finds the best of them.
/// The loss is least at 0.75 among x ≥ 0.5, with a hole at 0.2.
#[test]
fn infeasible_losses_do_not_end_the_search_among_feasible_ones() {
    for hole in [0.0, 3.0, 30.0] {
        let distance = |seed: u64| {
            let space = Space::builder().float("x", 0.0, 1.0).log_int("e", 1, 9).build().unwrap();
            let optimizer = MultiFidelityOptimizer::new(space, "e").unwrap();
            let mut study = Study::new(optimizer, Seed(seed)).with_stop(MaxTrials(25));
            let evaluate = |config: &Config| {
                let (x, e) = (config.float("x").unwrap(), config.int("e").unwrap() as f64);
                let depth = hole * (1.0 - (x - 0.2).abs() / 0.2).max(0.0);
                let loss = 4.0 * (x - 0.75).powi(2) - depth + 0.3 * (1.0 / e - 1.0 / 9.0);
                Measurement { constraints: vec![0.5 - x], ..Measurement::from(loss) }
            };
            study.run(|config: &Config, _| evaluate(config)).unwrap();
            let best = study.recommend().unwrap().unwrap();
            (best.config.float("x").unwrap() - 0.75).abs()
        };
        let mut distances: Vec<f64> = (1..6).map(distance).collect();
        distances.sort_by(f64::total_cmp);
        assert!(distances[2] < 0.003, "a hole of {hole}: {distances:?}");
    }
}

/// Smooth losses without noise, whose kernels get variances far above all posterior variances: covariances are rounding, and the study goes on.
#[test]
fn smooth_losses_without_noise_do_not_end_a_study() {
    let space =
        || Space::builder().float("x", 0.0, 1.0).float("y", 0.0, 1.0).int("k", 1, 50).build().unwrap();
    let loss = |config: &Config| {
        let (x, y) = point(config);
        (x - 0.3).powi(2) + (y - 0.6).powi(2) + 0.5 * (-(config.int("k").unwrap() as f64) / 20.0).exp()
    };
    for seed in 0..2 {
        let settings =
            MultiFidelitySettings { losses: LossTransform::None, ..MultiFidelitySettings::default() };
        let optimizer = MultiFidelityOptimizer::new(space(), "k").unwrap().with_settings(settings).unwrap();
        let mut study = Study::new(optimizer, Seed(seed)).with_stop(MaxTrials(26));
        study.run(|config, _| loss(config)).unwrap();
        let best = study.recommend().unwrap().unwrap();
        assert!(loss(&best.config) < 0.08, "{best:?}");
    }
}

/// Reported noise counts when the next measurement is weighed: a study that knows its noise does not measure one place for ever.
#[test]
fn reported_noise_does_not_hold_a_study_at_one_place() {
    let space = Space::builder().float("x", 0.0, 1.0).log_int("epochs", 1, 27).build().unwrap();
    for seed in [2, 4] {
        let optimizer = MultiFidelityOptimizer::new(space.clone(), "epochs").unwrap();
        let mut study = Study::new(optimizer, Seed(seed)).with_stop(MaxTrials(30));
        study
            .run(|config, context| {
                // The sum of twelve uniform numbers has variance 1.
                let (x, mut rng) = (config.float("x").unwrap(), context.noise());
                let noise = (0..12).map(|_| rng.uniform()).sum::<f64>() - 6.0;
                let loss = (x - 0.3).powi(2) + 1.0 / epochs(config) + 0.1 * noise;
                Measurement { noise_variance: Some(0.01), ..Measurement::from(loss) }
            })
            .unwrap();
        let last = &study.history().trials()[10..];
        let place =
            |config: &Config| ((100.0 * config.float("x").unwrap()).round() as i64, epochs(config) as i64);
        let most =
            last.iter().map(|a| last.iter().filter(|b| place(&b.query) == place(&a.query)).count()).max();
        assert!(most.is_some_and(|most| most < 9), "{most:?} of 20 at one place");
    }
}

/// Two arms at two fidelities, one of which fails. Evaluated again where measurements have a noise variance or the setting says so, without the
/// arm that failed; else the study ends.
#[test]
fn an_exhausted_space_is_repeated_under_noise() {
    let run = |repeats: Option<Repeats>, noise_variance: Option<f64>| {
        let space = Space::builder().int("x", 0, 1).int("epochs", 1, 2).build().unwrap();
        let initial = InitialDesign::Sobol(2);
        let settings = MultiFidelitySettings { initial, repeats, ..MultiFidelitySettings::default() };
        let optimizer =
            MultiFidelityOptimizer::new(space, "epochs").unwrap().with_settings(settings).unwrap();
        let mut study = Study::new(optimizer, Seed(1)).with_stop(MaxTrials(12));
        let outcome = |config: &Config| match (config.int("x").unwrap(), epochs(config)) {
            (1, 2.0) => Outcome::failed("out of memory"),
            (x, epochs) => {
                Measurement { noise_variance, ..Measurement::from(x as f64 + 1.0 / epochs) }.into()
            }
        };
        study.run(|config, _| outcome(config)).unwrap();
        let trials = study.history().trials();
        (trials.len(), trials.iter().filter(|trial| measurement(trial).is_none()).count())
    };
    assert_eq!(run(None, Some(0.1)), (12, 1));
    assert_eq!(run(Some(Repeats::OnceExhausted), None), (12, 1));
    assert_eq!(run(None, None), (4, 1));
    assert_eq!(run(Some(Repeats::Never), Some(0.1)), (4, 1));
}
