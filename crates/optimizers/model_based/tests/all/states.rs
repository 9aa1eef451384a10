//! Surrogate states against independent calculations: policies for failed and running trials, targets, weights, units.

use thrifty_surrogate::Prediction;

use thrifty_acquisition::{AcquisitionKind, ImprovementTarget};
use thrifty_domain::Points;
use thrifty_model_based::{
    Candidate, CostAwareness, FailurePolicy, GpSurrogate, InitialDesign, LossTransform, Maximizer,
    OutputFitter, PendingPolicy, StateSettings, SurrogateState,
};
use thrifty_sampling::Seed;
use thrifty_space::{Config, Space};
use thrifty_study::{Measurement, Outcome, Trial, TrialId};

fn line() -> Space {
    Space::builder().float("x", 0.0, 1.0).build().unwrap()
}

fn trial(x: f64, outcome: Option<Outcome>) -> Trial<Config> {
    Trial::new(TrialId(0), line().decode(&[x]), outcome)
}

fn loss(x: f64) -> f64 {
    (9.0 * x).sin() + 2.0 * x
}

fn measured(x: f64, change: impl Fn(&mut Measurement)) -> Trial<Config> {
    let mut measurement = Measurement::from(loss(x));
    change(&mut measurement);
    trial(x, Some(measurement.into()))
}

const POINTS: [f64; 6] = [0.05, 0.22, 0.41, 0.6, 0.78, 0.96];

fn plain() -> Vec<Trial<Config>> {
    POINTS.iter().map(|x| measured(*x, |_| ())).collect()
}

fn losses() -> Vec<f64> {
    POINTS.iter().map(|x| loss(*x)).collect()
}

fn least(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::INFINITY, f64::min)
}

fn largest(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}

fn settings() -> StateSettings {
    StateSettings {
        initial: InitialDesign::Sobol(2),
        maximizer: Maximizer { raw: 128, around_best: 4, climbs: 3 },
        losses: LossTransform::None,
        pending: PendingPolicy::KrigingBeliever,
        ..StateSettings::default()
    }
}

fn with<T>(
    mut trials: Vec<Trial<Config>>,
    settings: StateSettings,
    look: impl FnOnce(&SurrogateState<'_>) -> T,
) -> Result<T, String> {
    trials.iter_mut().zip(0..).for_each(|(trial, id)| trial.id = TrialId(id));
    let (space, surrogate) = (line(), GpSurrogate::default());
    let trials: Vec<&Trial<Config>> = trials.iter().collect();
    let (seed, id) = (Seed(2), TrialId(20));
    let fitter =
        OutputFitter { space: &space, surrogate: &surrogate, weight_surrogate: &surrogate, trials, seed, id };
    let state = SurrogateState::fit(&fitter, settings).map_err(|error| {
        format!("{error} {:?}", std::error::Error::source(&error).map(ToString::to_string))
    })?;
    Ok(look(&state.ok_or("nothing measured")?))
}

/// Moments on a grid.
fn moments(trials: Vec<Trial<Config>>, settings: StateSettings) -> Vec<Prediction> {
    let grid = |state: &SurrogateState<'_>| {
        (0..=40).map(|i| state.posterior().predict(&[f64::from(i) / 40.0])).collect()
    };
    with(trials, settings, grid).unwrap()
}

/// A failed trial is a measurement of the worst loss, or of the value that is set, or nothing to the model of the loss; as a constraint it makes
/// its place less likely.
#[test]
fn failed_trials_count_as_the_policy_says() {
    let at = 0.32;
    let failed = || [plain(), vec![trial(at, Some(Outcome::failed("no")))]].concat();
    // What is imputed comes before the measurements.
    let counted = |value: f64| [vec![trial(at, Some(value.into()))], plain()].concat();
    for losses_as in
        [LossTransform::None, LossTransform::UpperTail, LossTransform::UpperHalf, LossTransform::BothTails]
    {
        let of = |failures| StateSettings { failures, losses: losses_as, ..settings() };
        let default = of(FailurePolicy::AsWorst);
        assert_eq!(moments(failed(), default.clone()), moments(counted(largest(&losses())), default.clone()));
        assert_eq!(
            moments(failed(), of(FailurePolicy::AsValue(7.5))),
            moments(counted(7.5), default.clone())
        );
        assert_eq!(moments(failed(), of(FailurePolicy::Ignore)), moments(plain(), default.clone()));
        assert_eq!(moments(failed(), of(FailurePolicy::AsConstraint)), moments(plain(), default));
    }
    // Failures are no losses, but they were asked.
    with(failed(), settings(), |state| {
        let likely = |x: f64| state.probability_feasible(&[x]).expect("a constraint");
        assert!(likely(at) < likely(0.9) && likely(0.9) < 1.0, "{} {}", likely(at), likely(0.9));
        assert_eq!(state.losses(), losses());
        assert!(state.is_known(&[at]) && !state.is_known(&[at + 0.01]));
    })
    .unwrap();
    let nothing = with(vec![trial(0.5, Some(Outcome::failed("no")))], settings(), |_| ());
    assert_eq!(nothing.unwrap_err(), "nothing measured");
}

/// A running trial is an observation of the posterior mean, or of the best, the mean, the worst loss.
#[test]
fn running_trials_count_as_the_policy_says() {
    let at = 0.5;
    let running = || [plain(), vec![trial(at, None)]].concat();
    let free = with(plain(), settings(), |state| state.posterior().predict(&[at])).unwrap();
    let of = |pending| {
        let look = |state: &SurrogateState<'_>| {
            let target = state.target(ImprovementTarget::BestObserved);
            (state.posterior().predict(&[at]), target)
        };
        with(running(), StateSettings { pending, ..settings() }, look).unwrap()
    };
    let all = losses();
    let mean = all.iter().sum::<f64>() / all.len() as f64;
    for (pending, outcome) in [
        (PendingPolicy::KrigingBeliever, free.mean),
        (PendingPolicy::Fantasies { draws: 4 }, free.mean),
        (PendingPolicy::LiarBest, least(&all)),
        (PendingPolicy::LiarMean, mean),
        (PendingPolicy::LiarWorst, largest(&all)),
    ] {
        let (Prediction { mean: found, variance }, target) = of(pending);
        // Conditioning moves the mean to the outcome by the share of the variance that goes.
        let expected = free.mean + (outcome - free.mean) * (1.0 - variance / free.variance);
        assert!(variance < 0.5 * free.variance, "{pending:?}");
        assert!((found - expected).abs() < 1e-6, "{pending:?}: {found} {expected}");
        assert!((target - least(&all).min(outcome)).abs() < 1e-9, "{pending:?}: {target}");
    }
}

/// The best mean and the best loss are those of feasible points, and nothing feasible is endless.
#[test]
fn targets_are_of_feasible_points() {
    let constrained = |limit: f64| -> Vec<Trial<Config>> {
        POINTS.iter().map(|x| measured(*x, |m| m.constraints = vec![limit - x])).collect()
    };
    with(constrained(0.41), settings(), |state| {
        assert_eq!(state.feasible(), [false, false, true, true, true, true]);
        assert_eq!(state.target(ImprovementTarget::BestObserved), least(&losses()[2..]));
        assert_eq!(state.target(ImprovementTarget::BestMean), least(&state.means()[2..]));
        let means: Vec<f64> = POINTS.iter().map(|x| state.posterior().predict(&[*x]).mean).collect();
        assert_eq!(state.means(), means);
    })
    .unwrap();
    with(constrained(2.0), settings(), |state| {
        assert_eq!(state.target(ImprovementTarget::BestObserved), f64::INFINITY);
        assert_eq!(state.target(ImprovementTarget::BestMean), f64::INFINITY);
    })
    .unwrap();
    // A running trial that is likely to break a constraint is nothing to improve on.
    for (at, counts) in [(0.1, false), (0.5, true)] {
        let trials = [constrained(0.41), vec![trial(at, None)]].concat();
        let settings = StateSettings { pending: PendingPolicy::LiarBest, ..settings() };
        let target = with(trials, settings, |state| state.target(ImprovementTarget::BestObserved)).unwrap();
        let expected = if counts { least(&losses()) } else { least(&losses()[2..]) };
        assert_eq!(target, expected, "{at}");
    }
}

/// Lies of running trials come from losses that break no constraint, unless there are none.
#[test]
fn lies_are_of_feasible_points() {
    let at = 0.5;
    let constrained = |limit: f64| -> Vec<Trial<Config>> {
        POINTS.iter().map(|x| measured(*x, |m| m.constraints = vec![limit - x])).collect()
    };
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    for (limit, counted) in [(0.3, &losses()[2..]), (2.0, &losses()[..])] {
        let free = with(constrained(limit), settings(), |state| state.posterior().predict(&[at])).unwrap();
        for (pending, outcome) in [
            (PendingPolicy::LiarBest, least(counted)),
            (PendingPolicy::LiarMean, mean(counted)),
            (PendingPolicy::LiarWorst, largest(counted)),
        ] {
            let trials = [constrained(limit), vec![trial(at, None)]].concat();
            let found = with(trials, StateSettings { pending, ..settings() }, |state| {
                state.posterior().predict(&[at])
            });
            let Prediction { mean: found, variance } = found.unwrap();
            let expected = free.mean + (outcome - free.mean) * (1.0 - variance / free.variance);
            assert!((found - expected).abs() < 1e-6, "{pending:?} {limit}: {found} {expected}");
        }
    }
}

/// A utility times the weights: logarithms add up; until something is feasible the weights are all there is.
#[test]
fn acquisitions_are_weighted() {
    let costs = CostAwareness::PerUnit { exponent: 0.5 };
    let of = |limit: f64, cost| {
        let trials: Vec<Trial<Config>> = POINTS
            .iter()
            .map(|x| measured(*x, |m| (m.constraints, m.cost) = (vec![limit - x], Some((2.0 * x).exp()))))
            .collect();
        (trials, StateSettings { cost, ..settings() })
    };
    let factory = AcquisitionKind::LogExpectedImprovement(ImprovementTarget::BestObserved);
    for cost in [CostAwareness::Ignore, costs] {
        let (trials, settings) = of(0.41, cost);
        with(trials, settings, |state| {
            let acquisition = state.acquisition(&factory).unwrap();
            let target = state.target(ImprovementTarget::BestObserved);
            for x in [[0.45], [0.5], [0.7], [0.9]] {
                let expected = state.expected_improvement(&x, target).ln() + state.weight(&x).ln();
                let found = acquisition.value(&x);
                assert!((found - expected).abs() < 1e-6 * (1.0 + expected.abs()), "{found} {expected}");
            }
        })
        .unwrap();
        let (mut trials, settings) = of(2.0, cost);
        for (trial, broken) in trials.iter_mut().zip([0.3, 0.02, 0.4, 0.01, 0.5, 0.1]) {
            let Some(Outcome::Measured(measurement)) = &mut trial.outcome else { panic!("measured") };
            measurement.constraints = vec![broken];
        }
        with(trials, settings, |state| {
            let acquisition = state.acquisition(&factory).unwrap();
            for x in [[0.1], [0.5], [0.95]] {
                let expected = state.weight(&x).ln();
                assert!((acquisition.value(&x) - expected).abs() < 1e-9, "{x:?}: {expected}");
            }
        })
        .unwrap();
    }
    // By cost the weight is that of feasibility over the cost to its exponent.
    let (trials, settings) = of(0.41, costs);
    with(trials, settings, |state| {
        for x in [[0.5], [0.8]] {
            let feasible = state.probability_feasible(&x).unwrap();
            let share = (feasible / state.weight(&x)).ln() / 0.5;
            // The mean of the logarithm, which is below that of a log-normal cost.
            let expected = state.expected_cost(&x).unwrap().ln();
            assert!((share - expected).abs() < 0.1 && (share - 2.0 * x[0]).abs() < 0.1, "{share} {expected}");
        }
    })
    .unwrap();
    with(plain(), StateSettings { cost: CostAwareness::Ignore, ..self::settings() }, |state| {
        assert_eq!((state.weight(&[0.3]), state.probability_feasible(&[0.3])), (1.0, None));
        assert_eq!(state.expected_cost(&[0.3]), None);
    })
    .unwrap();
}

/// Measurements of older journals without a positive cost: the model of the cost is that of the others.
#[test]
fn costs_that_cannot_be_learnt_are_left_out() {
    let settings = StateSettings { cost: CostAwareness::PerUnit { exponent: 1.0 }, ..settings() };
    let expected = |fifth: Option<f64>| {
        let mut trials: Vec<Trial<Config>> =
            POINTS.iter().map(|x| measured(*x, |m| m.cost = Some(1.0 + x))).collect();
        trials[4] = measured(POINTS[4], |m| m.cost = fifth);
        with(trials, settings.clone(), |state| state.expected_cost(&[0.5]).unwrap()).unwrap()
    };
    assert_eq!(expected(None), expected(Some(0.0)));
    assert!(expected(None) != expected(Some(5.0)), "a cost that has a logarithm is learnt");
    let none = POINTS.iter().map(|x| measured(*x, |m| m.cost = None)).collect();
    with(none, settings, |state| assert_eq!(state.expected_cost(&[0.5]), None)).unwrap();
}

/// Losses, ranges and improvements in the units of the loss.
#[test]
fn transformed_losses_are_transformed_back() {
    for transform in
        [LossTransform::None, LossTransform::UpperTail, LossTransform::UpperHalf, LossTransform::BothTails]
    {
        let skewed: Vec<Trial<Config>> =
            POINTS.iter().map(|x| measured(*x, |m| m.objectives = vec![(2.0 * loss(*x)).exp()])).collect();
        with(skewed, StateSettings { losses: transform, ..settings() }, |state| {
            for (found, x) in state.losses().iter().zip(POINTS) {
                let expected = (2.0 * loss(x)).exp();
                assert!((state.loss_of(*found) - expected).abs() < 1e-9 * expected, "{transform:?}");
            }
            assert_eq!(state.range(), largest(state.losses()) - least(state.losses()));
            // To first order an improvement is the slope of the inverse times it.
            let at = state.losses()[2];
            let slope = (state.loss_of(at + 1e-6) - state.loss_of(at - 1e-6)) / 2e-6;
            let found = state.in_units_of_loss(0.25, at);
            assert!(
                (found - 0.25 * slope).abs() < 1e-5 * (1.0 + found.abs()),
                "{transform:?}: {found} {slope}"
            );
        })
        .unwrap();
    }
}

/// A known noise variance makes its trial count less, on the scale of the transform.
#[test]
fn reported_noise_is_counted() {
    let of = |noise: Option<f64>| {
        let mut trials = plain();
        trials[2] = measured(POINTS[2], |m| {
            m.objectives = vec![loss(POINTS[2]) + 1.0];
            m.noise_variance = noise;
        });
        with(trials, settings(), |state| state.posterior().predict(&[POINTS[2]])).unwrap()
    };
    let (known, noisy) = (of(None), of(Some(25.0)));
    assert!(noisy.variance > known.variance && noisy.mean < known.mean - 0.1, "{known:?} {noisy:?}");
    assert_eq!(of(Some(0.0)), known);
}

/// An observation with the noise of the state takes the share σ²/(σ² + noise) of the variance away.
#[test]
fn the_noise_of_the_state_is_that_of_its_fantasies() {
    with(plain(), settings(), |state| {
        let at = Points::from_flat(vec![0.5], 1);
        let before = state.posterior().predict(&[0.5]).variance;
        let after = state.with_fantasies(at.as_ref()).unwrap().posterior().predict(&[0.5]).variance;
        let noise = state.noise_variance();
        let expected = before * noise / (before + noise);
        assert!(noise > 0.0 && (after - expected).abs() < 1e-6 * before, "{after} {expected}");
        assert!(state.with_fantasies(Points::new(1).as_ref()).is_none());
    })
    .unwrap();
}

/// The largest expected improvement is found where a grid has it.
#[test]
fn the_largest_expected_improvement_is_that_of_a_grid() {
    with(plain(), settings(), |state| {
        let threshold = state.target(ImprovementTarget::BestMean);
        let grid: Vec<f64> =
            (0..=2000).map(|i| state.expected_improvement(&[f64::from(i) / 2000.0], threshold)).collect();
        let (x, found) = state.max_expected_improvement(threshold).unwrap();
        assert!(found >= largest(&grid) * (1.0 - 1e-6) && found > 0.0, "{found} {}", largest(&grid));
        assert_eq!(found, state.expected_improvement(&x, threshold));
    })
    .unwrap();
}

/// The search looks around feasible points first, by their losses, and then around those that break the least.
#[test]
fn anchors_are_ordered_by_feasibility() {
    let violations = [0.0, 3.0, 0.0, 1.0, 2.0, -1.0];
    let trials = |violations: [f64; 6]| -> Vec<Trial<Config>> {
        POINTS.iter().zip(violations).map(|(x, v)| measured(*x, |m| m.constraints = vec![v])).collect()
    };
    let anchors = |trials| {
        let maximizer = Maximizer { raw: 0, around_best: 0, climbs: 0 };
        with(trials, StateSettings { maximizer, ..settings() }, |state| {
            let found = state.maximize(&thrifty_acquisition::ZeroLog, "anchors");
            found.iter().map(|anchor| anchor.x[0]).collect::<Vec<f64>>()
        })
        .unwrap()
    };
    let by_loss = |places: &[usize]| {
        let mut places = places.to_vec();
        places.sort_by(|a, b| loss(POINTS[*a]).total_cmp(&loss(POINTS[*b])));
        places
    };
    let points = |places: &[usize]| places.iter().map(|i| POINTS[*i]).collect::<Vec<f64>>();
    let close =
        |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12) && a.len() == b.len();
    let mixed = anchors(trials(violations));
    let expected = points(&[by_loss(&[0, 2, 5]), vec![3, 4]].concat());
    assert!(close(&mixed, &expected), "{mixed:?} {expected:?}");
    let plain = anchors(plain());
    let expected = points(&by_loss(&[0, 1, 2, 3, 4, 5])[..5]);
    assert!(close(&plain, &expected), "{plain:?} {expected:?}");
}

/// Points of earlier runs are known too.
#[test]
fn points_that_were_asked_are_not_chosen_again() {
    let trials = plain();
    let mut numbered = trials.clone();
    numbered.iter_mut().zip(0..).for_each(|(trial, id)| trial.id = TrialId(id));
    let (space, surrogate) = (line(), GpSurrogate::default());
    let trials: Vec<&Trial<Config>> = numbered.iter().collect();
    let (seed, id) = (Seed(2), TrialId(20));
    let fitter =
        OutputFitter { space: &space, surrogate: &surrogate, weight_surrogate: &surrogate, trials, seed, id };
    let state = SurrogateState::fit(&fitter, settings()).unwrap().unwrap();
    let first = |state: &SurrogateState<'_>, points: &[f64]| {
        let candidates = points.iter().map(|x| Candidate { x: vec![*x], value: 1.0 }).collect();
        state.first_allowed(candidates).unwrap().unwrap().x[0]
    };
    assert_eq!(first(&state, &[POINTS[1], 0.3, 0.7]), 0.3);
    let state = state.with_asked(Points::from_flat(vec![0.3], 1));
    assert_eq!(first(&state, &[0.3, POINTS[1], 0.7]), POINTS[1]);
}

#[test]
fn settings_are_refused_beyond_their_bounds_and_taken_at_them() {
    let error = |change: &dyn Fn(&mut StateSettings)| {
        let mut settings = StateSettings::default();
        change(&mut settings);
        settings.validate().err().map(|error| error.to_string())
    };
    assert_eq!(error(&|_| ()), None);
    assert_eq!(error(&|s| s.maximizer.raw = 0).unwrap(), "setting raw is 0, expected at least 1 candidate");
    assert_eq!(error(&|s| s.maximizer.raw = 1), None);
    let draws = |draws| error(&|s| s.pending = PendingPolicy::Fantasies { draws });
    assert_eq!(draws(0).unwrap(), "setting draws is 0, expected at least 1 draw for running trials");
    assert_eq!(draws(1), None);
    let value = |value| error(&|s| s.failures = FailurePolicy::AsValue(value));
    assert_eq!((value(-1e300), value(0.0)), (None, None));
    assert_eq!(value(f64::NAN).unwrap(), "setting failures is NaN, expected a finite loss");
    let exponent = |exponent| error(&|s| s.cost = CostAwareness::PerUnit { exponent });
    assert_eq!((exponent(0.0), exponent(3.0)), (None, None));
    assert_eq!(exponent(-0.5).unwrap(), "setting exponent is -0.5, expected a finite number from 0");
    assert_eq!(exponent(f64::INFINITY).unwrap(), "setting exponent is inf, expected a finite number from 0");
    let budget = |budget| error(&|s| s.cost = CostAwareness::Cooled { budget });
    assert_eq!(budget(1e-9), None);
    assert_eq!(budget(0.0).unwrap(), "setting budget is 0, expected a positive finite number");
    assert!(budget(f64::INFINITY).is_some() && budget(f64::NAN).is_some());
    assert!(CostAwareness::Ignore.is_ignored() && !CostAwareness::PerUnit { exponent: 0.0 }.is_ignored());
    let default = StateSettings::default();
    assert_eq!(default.maximizer, Maximizer { raw: 512, around_best: 20, climbs: 6 });
    assert_eq!(default.pending, PendingPolicy::Fantasies { draws: 32 });
    assert_eq!((default.failures, default.losses), (FailurePolicy::AsConstraint, LossTransform::UpperHalf));
    assert_eq!((default.cost, default.budget.planned), (CostAwareness::Ignore, None));
}
