//! Turns with several objectives against independent calculation: acquisition values, outlooks, reports, Pareto sets.

use thrifty_acquisition::{
    AcquisitionKind, Analytic, LogExpectedImprovement, LogInverseCost, Utility, ZeroLog,
};
use thrifty_bo::{
    Candidate, CostAwareness, FailurePolicy, GpSurrogate, InitialDesign, LossTransform, Maximizer,
    MultiObjectiveOptimizer, MultiObjectiveRule, MultiObjectiveSettings, ParetoMember, ParetoSet,
};
use thrifty_domain::Points;
use thrifty_model_based::{
    ModelBased, Modelled, OutputFitter, OutputModel, Turn, improvement_over_draws, probability_feasible,
};
use thrifty_pareto::{ExpectedHypervolumeImprovement, ReferencePoint, hypervolume};
use thrifty_sampling::Seed;
use thrifty_space::{Config, Space};
use thrifty_study::{Ask, History, Measurement, MemoKey, Optimizer, Outcome, Suggestion, Trial, TrialId};
use thrifty_surrogate::{Observations, Posterior, Prediction};

const POINTS: [f64; 8] = [0.03, 0.21, 0.34, 0.5, 0.63, 0.8, 0.97, 0.12];
/// Place of the trial that fails, among the measured ones.
const FAILED: usize = 2;
const REFERENCE: [f64; 2] = [1.2, 1.5];
const REMEMBERED: MemoKey<Vec<f64>> = MemoKey::new("reference");

fn line() -> Space {
    Space::builder().float("x", 0.0, 1.0).build().unwrap()
}

fn trial(x: f64, outcome: Option<Outcome>) -> Trial<Config> {
    Trial::new(TrialId(0), line().decode(&[x]), outcome)
}

fn losses(x: f64) -> [f64; 2] {
    [x * x + 0.2 * (9.0 * x).sin(), 1.5 * (x - 1.0).powi(2)]
}

fn measurement(x: f64) -> Measurement {
    Measurement { objectives: losses(x).to_vec(), ..Measurement::default() }
}

fn weighted(x: f64) -> Measurement {
    Measurement { constraints: vec![0.3 - x], cost: Some(0.3 * (2.5 * x).exp()), ..measurement(x) }
}

/// All points measured but one that failed; one more failed for reasons that have nothing to do with it.
fn history(of: fn(f64) -> Measurement, running: Option<f64>) -> History<Config> {
    let mut trials = POINTS.map(|x| trial(x, Some(of(x).into()))).to_vec();
    trials[FAILED].outcome = Some(Outcome::failed("at 0.34"));
    trials.insert(1, trial(0.71, Some(Outcome::unrelated("no disk"))));
    trials.extend(running.map(|x| trial(x, None)));
    History::from_trials(trials, Seed(4))
}

/// Coordinates of the measured points, then that of the failed one.
fn places() -> Points {
    let mut all = POINTS.to_vec();
    let failed = all.remove(FAILED);
    all.push(failed);
    Points::from_flat(all, 1)
}

fn optimizer(change: impl Fn(&mut MultiObjectiveSettings)) -> MultiObjectiveOptimizer {
    let mut settings = MultiObjectiveSettings {
        initial: InitialDesign::Sobol(2),
        maximizer: Maximizer { raw: 128, around_best: 4, climbs: 3 },
        reference: Some(REFERENCE.to_vec()),
        failures: FailurePolicy::AsWorst,
        ..MultiObjectiveSettings::default()
    };
    change(&mut settings);
    MultiObjectiveOptimizer::new(line()).with_settings(settings).unwrap()
}

fn ask(optimizer: &mut MultiObjectiveOptimizer, history: &History<Config>) -> Suggestion<Config> {
    match optimizer.ask(history, TrialId(history.len() as u64)).unwrap() {
        Ask::Evaluate(suggestion) => suggestion,
        other => panic!("{other:?}"),
    }
}

fn with_turn<T>(
    optimizer: &mut MultiObjectiveOptimizer,
    history: &History<Config>,
    look: impl FnOnce(&mut dyn Modelled<Config>) -> T,
) -> T {
    match optimizer.turn(history, TrialId(history.len() as u64)).unwrap() {
        Turn::Modelled(mut turn) => look(&mut *turn),
        Turn::Decided(ask) => panic!("{ask:?}"),
    }
}

/// The surrogates of a history, fitted with the streams of its next trial.
fn fitted<T>(history: &History<Config>, look: impl FnOnce(&OutputFitter<'_>) -> T) -> T {
    let (space, surrogate) = (line(), GpSurrogate::default());
    look(&OutputFitter {
        space: &space,
        surrogate: &surrogate,
        weight_surrogate: &surrogate,
        trials: history.trials().iter().collect(),
        seed: history.seed(),
        id: TrialId(history.len() as u64),
    })
}

/// Mean and standard deviation (n - 1).
fn moments(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    (mean, (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0)).sqrt())
}

/// Values at the measured points, then the worst of them for the failed one.
fn column(of: impl Fn(f64) -> f64) -> Vec<f64> {
    let mut values: Vec<f64> = places().rows().map(|x| of(x[0])).collect();
    values[7] = values[..7].iter().copied().fold(f64::NEG_INFINITY, f64::max);
    values
}

fn standardized(values: &[f64]) -> Vec<f64> {
    let (mean, std_dev) = moments(values);
    values.iter().map(|v| (v - mean) / std_dev).collect()
}

fn close(found: f64, expected: f64) -> bool {
    (found - expected).abs() <= 1e-6 * (1.0 + expected.abs())
}

/// Parts of the acquisition value at a suggestion: logarithms of the expected hypervolume improvement, of the probability of
/// being feasible and of the expected cost.
struct Parts {
    improvement: f64,
    feasible: f64,
    cost: f64,
}

fn parts(history: &History<Config>, of: fn(f64) -> Measurement, noise: f64, x: &[f64]) -> Parts {
    let columns: Vec<Vec<f64>> = (0..2).map(|j| column(|x| losses(x)[j])).collect();
    let scales: Vec<(f64, f64)> = columns.iter().map(|column| moments(column)).collect();
    let y: Vec<Vec<f64>> = columns.iter().map(|column| standardized(column)).collect();
    // Noise was reported at every point that was measured.
    let variance = |(_, std_dev): &(f64, f64)| {
        (0..8).map(|i| if i < 7 { noise / std_dev.powi(2) } else { 0.0 }).collect()
    };
    let noise: Option<Vec<Vec<f64>>> = (noise > 0.0).then(|| scales.iter().map(variance).collect());
    let is_feasible = |x: f64| of(x).constraints.iter().all(|c| *c <= 0.0);
    let mut front = Points::new(2);
    (0..7).filter(|i| is_feasible(places().row(*i)[0])).for_each(|i| front.push(&[y[0][i], y[1][i]]));
    let reference: Vec<f64> = scales.iter().zip(REFERENCE).map(|((mean, sd), r)| (r - mean) / sd).collect();
    let improvement = ExpectedHypervolumeImprovement::new(front.as_ref(), &reference).unwrap();
    fitted(history, |fitter| {
        let models = fitter.fit_all("objective", &places(), &y, noise.as_deref()).unwrap();
        let at: Vec<Prediction> = models.iter().map(|model| model.posterior().predict(x)).collect();
        let std_devs = [at[0].std_dev(), at[1].std_dev()];
        let improvement = improvement.log_value(&[at[0].mean, at[1].mean], &std_devs).unwrap();
        let (broken, measured) =
            (column(|x| 0.3 - x), Points::from_flat(places().as_flat()[..7].to_vec(), 1));
        let constraint =
            fitter.fit_weight("constraint 0".into(), Observations::new(places().as_ref(), &broken)).unwrap();
        let costs: Vec<f64> = measured.rows().map(|x| 0.3_f64.ln() + 2.5 * x[0]).collect();
        let cost = fitter.fit_weight("cost".into(), Observations::new(measured.as_ref(), &costs)).unwrap();
        let feasible = probability_feasible([constraint.posterior()].into_iter(), x).ln();
        let Prediction { mean, variance } = cost.posterior().predict(x);
        Parts { improvement, feasible, cost: mean + 0.5 * variance }
    })
}

/// ln EHVI + ln P(feasible) - η ln E[cost], on standardised losses; failures are as bad as the worst.
#[test]
fn values_of_suggestions_are_those_of_their_parts() {
    let cost = CostAwareness::PerUnit { exponent: 0.5 };
    let history = history(weighted, None);
    let mut optimizer = optimizer(|s| s.cost = cost);
    let found = ask(&mut optimizer, &history);
    let Parts { improvement, feasible, cost } =
        parts(&history, weighted, 0.0, &line().encode(&found.query).unwrap());
    let front: Vec<f64> = POINTS.iter().filter(|x| **x > 0.34).flat_map(|x| losses(*x)).collect();
    let front = Points::from_flat(front, 2);
    let volume = hypervolume(front.as_ref(), &REFERENCE).unwrap();
    let size =
        thrifty_pareto::non_dominated(front.as_ref(), thrifty_pareto::Duplicates::First).unwrap().len();
    for (name, expected) in [
        ("acquisition", improvement + feasible - 0.5 * cost),
        ("probability_feasible", feasible.exp()),
        ("expected_cost", cost.exp()),
        ("hypervolume", volume),
        ("front", size as f64),
    ] {
        assert!(close(found.diagnostics[name], expected), "{name}: {} {expected}", found.diagnostics[name]);
    }
    assert_eq!(found.diagnostics.len(), 5);
    assert_eq!(found.memo.get(&thrifty_study::EXPECTED_COST), Some(found.diagnostics["expected_cost"]));
    for name in ["objective 0", "objective 1", "constraint 0", "cost"] {
        assert!(found.memo.contains(&MemoKey::<Vec<f64>>::named(name)), "{name}");
    }
    assert!(!found.memo.contains(&REMEMBERED), "a chosen reference point is in the settings");
    // The outlook is the best without a cost; volumes are on the scale of the surrogates.
    let outlook = with_turn(&mut optimizer, &history, |turn| turn.outlook(None)).unwrap().unwrap();
    let whatever_it_costs = ask(&mut self::optimizer(|_| ()), &history);
    let at = line().encode(&whatever_it_costs.query).unwrap();
    let Parts { improvement, feasible, .. } = parts(&history, weighted, 0.0, &at);
    let unit: f64 = (0..2).map(|j| moments(&column(|x| losses(x)[j])).1).product();
    assert!(close(outlook.expected.ln(), improvement + feasible), "{outlook:?} {improvement} {feasible}");
    assert!(close(outlook.range, volume / unit) && outlook.target.is_none(), "{outlook:?} {volume} {unit}");
}

/// Reported noise variances are divided by the square of the scale; failures have none.
#[test]
fn reported_noise_is_that_of_the_surrogates() {
    let noisy: fn(f64) -> Measurement = |x| Measurement { noise_variance: Some(0.04), ..measurement(x) };
    let history = history(noisy, None);
    let found = ask(&mut optimizer(|_| ()), &history);
    let x = line().encode(&found.query).unwrap();
    let expected = parts(&history, noisy, 0.04, &x).improvement;
    assert!(close(found.diagnostics["acquisition"], expected), "{:?} {expected}", found.diagnostics);
    assert!(!close(parts(&history, noisy, 0.0, &x).improvement, expected));
    let names: Vec<&str> = found.diagnostics.keys().map(String::as_str).collect();
    assert_eq!(names, ["acquisition", "front", "hypervolume"]);
}

/// The log expected improvement of one loss on [0, 1], times 1 + ρ, on the best that is feasible.
#[test]
fn weighted_sums_of_one_loss_are_that_loss() {
    let augmentation = 0.3;
    let rule = MultiObjectiveRule::Chebyshev { augmentation };
    let one: fn(f64) -> Measurement =
        |x| Measurement { objectives: vec![losses(x)[0]], noise_variance: Some(0.01), ..weighted(x) };
    for running in [None, Some(0.45)] {
        let history = history(one, running);
        let mut optimizer = optimizer(|s| (s.rule, s.reference) = (rule, Some(vec![1.2])));
        let found = ask(&mut optimizer, &history);
        let x = line().encode(&found.query).unwrap();
        let raw = column(|x| losses(x)[0]);
        let least = raw.iter().copied().fold(f64::INFINITY, f64::min);
        let range = raw[7] - least;
        let sums: Vec<f64> = raw.iter().map(|z| (1.0 + augmentation) * (z - least) / range).collect();
        let noise: Vec<f64> =
            (0..8).map(|i| if i < 7 { 0.01 * ((1.0 + augmentation) / range).powi(2) } else { 0.0 }).collect();
        let is_feasible = |i: &usize| *i < 7 && places().row(*i)[0] >= 0.3;
        let best = (0..8).filter(is_feasible).map(|i| sums[i]).fold(f64::INFINITY, f64::min);
        assert!(best > 0.0, "the least loss is not feasible");
        let expected = fitted(&history, |fitter| {
            let x_all = places();
            let data = Observations { x: x_all.as_ref(), y: &sums, noise_variance: Some(&noise) };
            let model: OutputModel = fitter.fit("scalarisation".into(), data).unwrap();
            let broken = column(|x| 0.3 - x);
            let data = Observations::new(x_all.as_ref(), &broken);
            let constraint = fitter.fit_weight("constraint 0".into(), data).unwrap();
            let feasible = probability_feasible([constraint.posterior()].into_iter(), &x).ln();
            let constraints: [&dyn Posterior; 1] = [constraint.posterior()];
            let beside = running.map(|x| {
                // 32 joint draws of the running trial, each with the best of its draw where that is feasible.
                let at = Points::from_flat(vec![x], 1);
                let mut rng = Seed(4).stream("draws", history.len() as u64);
                let least = |drawn: &[f64]| drawn.iter().copied().fold(best, f64::min);
                let kind = AcquisitionKind::default();
                let posterior = model.posterior();
                let over = improvement_over_draws(posterior, &kind, (&at, 32), &constraints, least, &mut rng);
                thrifty_acquisition::Acquisition::value(
                    &*over.unwrap().unwrap(),
                    &line().encode(&found.query).unwrap(),
                )
            });
            let alone = Analytic::new(model.posterior(), LogExpectedImprovement { target: best });
            beside.unwrap_or_else(|| thrifty_acquisition::Acquisition::value(&alone, &x)) + feasible
        });
        let value = found.diagnostics["acquisition"];
        assert!(close(value, expected), "{running:?}: {value} {expected}");
        with_turn(&mut optimizer, &history, |turn| {
            assert_eq!(turn.outlook(None).unwrap(), None, "no hypervolume is improved");
            assert_eq!(turn.posteriors().len(), 1);
        });
    }
}

/// The weight of costs is the mean of the log-normal cost to the power of minus the exponent.
#[test]
fn costs_weigh_by_their_mean() {
    let weight = LogInverseCost::new(0.5).unwrap();
    assert!(close(weight.value(0.7, 0.4), -0.5 * (0.7 + 0.08)));
}

/// Other points are suggested if they are new and allowed; no acquisition function of one posterior can be put in.
#[test]
fn other_points_are_suggested_if_they_are_new_and_allowed() {
    let history = history(measurement, None);
    let mut optimizer =
        optimizer(|s| s.reference = None).with_known_constraint(|config| config.float("x").unwrap() < 0.9);
    let at = |x: f64| Candidate { x: vec![x], value: 0.0 };
    with_turn(&mut optimizer, &history, |turn| {
        let found = turn.suggest(vec![at(POINTS[3]), at(0.95), at(0.42), at(0.2)]).unwrap().unwrap();
        assert_eq!(found.query.float("x").unwrap(), 0.42);
        assert!(
            found.diagnostics.contains_key("hypervolume") && !found.diagnostics.contains_key("acquisition")
        );
        assert!(found.memo.contains(&REMEMBERED), "an inferred reference point is kept");
        assert_eq!((turn.posteriors().len(), turn.space()), (2, &line()));
        let allowed = turn.maximize(&ZeroLog, "elsewhere");
        assert!(allowed[0].value == 0.0 && allowed[0].x[0] < 0.9, "{:?}", allowed[0]);
        assert!(allowed.iter().all(|candidate| (candidate.value == 0.0) == (candidate.x[0] < 0.9)));
        let by = AcquisitionKind::default();
        assert!(turn.outlook(Some(&by)).unwrap().is_none());
        assert!(turn.exploit(Some(&by)).unwrap_err().to_string().contains("another acquisition function"));
    });
    let mut outside = Config::new();
    outside.insert("x", 1.5);
    assert!(optimizer.check(&outside, true).is_err());
    assert!(optimizer.check(&line().decode(&[0.5]), true).is_ok());
}

/// Pareto sets by posterior means in the units of the losses, each with its own trial.
#[test]
fn noisy_pareto_sets_are_of_posterior_means() {
    let rule = MultiObjectiveRule::NoisyExpectedHypervolume { draws: 4 };
    let history = history(weighted, None);
    let found =
        optimizer(|s| (s.rule, s.losses) = (rule, LossTransform::None)).recommend(&history).unwrap().unwrap();
    let measured: Vec<&Trial<Config>> =
        history.trials().iter().filter(|trial| matches!(trial.outcome, Some(Outcome::Measured(_)))).collect();
    let columns: Vec<Vec<f64>> = (0..2).map(|j| column(|x| losses(x)[j])).collect();
    let expected = fitted(&history, |fitter| {
        let y: Vec<Vec<f64>> = columns.iter().map(|column| standardized(column)).collect();
        let models = fitter.fit_all("objective", &places(), &y, None).unwrap();
        let member = |i: usize| {
            let of = |(model, column): (&OutputModel, &Vec<f64>)| {
                let (mean, std_dev) = moments(column);
                mean + std_dev * model.posterior().predict(places().row(i)).mean
            };
            let objectives = models.iter().zip(&columns).map(of).collect();
            ParetoMember { trial: measured[i].id, config: measured[i].query.clone(), objectives }
        };
        ParetoSet::among((0..7).filter(|i| places().row(*i)[0] >= 0.3).map(member).collect()).unwrap()
    });
    let ids = |set: &ParetoSet| set.members.iter().map(|m| (m.trial, m.config.clone())).collect::<Vec<_>>();
    assert_eq!(ids(&found), ids(&expected));
    for (found, expected) in found.members.iter().zip(&expected.members) {
        assert!(found.objectives.iter().zip(&expected.objectives).all(|(a, b)| close(*a, *b)), "{found:?}");
    }
    // Exact measurements recommend what was measured.
    let exact = optimizer(|_| ()).recommend(&history).unwrap().unwrap();
    assert_eq!(exact, ParetoSet::of(&history).unwrap());
}

/// The reference point is the chosen one, else that of the first suggestion that has one, else inferred.
#[test]
fn reference_points_are_chosen_or_kept_or_inferred() {
    let mut trials = history(measurement, None).trials().to_vec();
    let of = |trials: &[Trial<Config>], chosen: Option<Vec<f64>>| {
        let history = History::from_trials(trials.to_vec(), Seed(4));
        optimizer(|s| s.reference.clone_from(&chosen)).reference(&history)
    };
    let values = |reference: ReferencePoint| reference.values().to_vec();
    let all: Vec<f64> = places().rows().take(7).flat_map(|x| losses(x[0])).collect();
    let inferred = ReferencePoint::inferred(Points::from_flat(all, 2).as_ref()).unwrap();
    assert_eq!(of(&trials, None).unwrap().unwrap(), inferred);
    trials[5].memo.set(&REMEMBERED, &vec![7.0, 8.0]);
    trials[6].memo.set(&REMEMBERED, &vec![9.0, 9.0]);
    assert_eq!(values(of(&trials, None).unwrap().unwrap()), [7.0, 8.0]);
    assert_eq!(values(of(&trials, Some(vec![3.0, 4.0])).unwrap().unwrap()), [3.0, 4.0]);
    assert!(of(&trials, Some(vec![3.0])).is_err());
    assert_eq!(of(&[], Some(vec![3.0])).unwrap(), None, "before a measurement");
}

/// Up to four objectives the automatic rule is the exact improvement, from five on a weighted sum with ρ = 0.05.
#[test]
fn the_automatic_rule_is_one_of_two() {
    let four: fn(f64) -> Measurement =
        |x| Measurement { objectives: several(x, 4), ..Measurement::default() };
    let five: fn(f64) -> Measurement =
        |x| Measurement { objectives: several(x, 5), ..Measurement::default() };
    for (of, rule) in [
        (four, MultiObjectiveRule::ExpectedHypervolume),
        (five, MultiObjectiveRule::Chebyshev { augmentation: 0.05 }),
    ] {
        let history = history(of, None);
        let by = |rule| ask(&mut optimizer(|s| (s.rule, s.reference) = (rule, None)), &history);
        assert_eq!(by(MultiObjectiveRule::Automatic), by(rule), "{rule:?}");
        let heavier = MultiObjectiveRule::Chebyshev { augmentation: 0.1 };
        assert_ne!(by(rule).diagnostics, by(heavier).diagnostics, "{rule:?}");
    }
}

fn several(x: f64, count: u32) -> Vec<f64> {
    (0..count).map(|j| (x - 0.25 * f64::from(j)).powi(2)).collect()
}

/// One feasible point says nothing of the range of the losses; what breaks a constraint was measured too.
#[test]
fn a_reference_point_is_beyond_all_measurements() {
    let of = |(x, objectives, constraint): (f64, [f64; 2], f64)| {
        let (objectives, constraints) = (objectives.to_vec(), vec![constraint]);
        trial(x, Some(Measurement { objectives, constraints, ..Measurement::default() }.into()))
    };
    let reference = |trials: &[(f64, [f64; 2], f64)]| {
        let history = History::from_trials(trials.iter().copied().map(of).collect(), Seed(4));
        optimizer(|s| s.reference = None).reference(&history).unwrap().map(|point| point.values().to_vec())
    };
    let infeasible = [(0.1, [0.0, 20.0], 1.0), (0.5, [10.0, 0.0], 0.5)];
    assert_eq!(reference(&infeasible), None);
    let one = [infeasible[0], infeasible[1], (0.7, [2.0, 3.0], -1.0)];
    assert_eq!(reference(&one), Some(vec![11.0, 22.0]));
    // Three points of a feasible front are a range of their own.
    let front = [one[0], (0.2, [0.0, 2.0], 0.0), (0.3, [1.0, 1.0], 0.0), (0.4, [2.0, 0.0], 0.0)];
    assert_eq!(reference(&front), Some(vec![2.2, 2.2]));
}

/// The expected improvement of the hypervolume is the largest there is, wherever the cost sends the search.
#[test]
fn the_outlook_does_not_count_the_cost() {
    let history = history(weighted, None);
    let expected = |cost| {
        let outlook = with_turn(&mut optimizer(|s| s.cost = cost), &history, |turn| turn.outlook(None));
        outlook.unwrap().unwrap().expected
    };
    let largest = expected(CostAwareness::Ignore);
    let found = expected(CostAwareness::PerUnit { exponent: 3.0 });
    assert!((found / largest - 1.0).abs() < 1e-6, "{found} {largest}");
}
