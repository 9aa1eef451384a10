//! Contexts that a surrogate state builds acquisition functions from, and its weights by independent fits.

use std::sync::{Arc, Mutex};

use thrifty_acquisition::{
    Acquisition, AcquisitionError, AcquisitionFactory, AcquisitionKind, Context, Description,
    ImprovementTarget, UtilityScale, Weighted, ZeroLog,
};
use thrifty_domain::{Points, PointsRef};
use thrifty_gp::GpSurrogate;
use thrifty_model_based::{
    Candidate, CostAwareness, FailurePolicy, InitialDesign, LossTransform, Maximizer, OutputFitter,
    PendingPolicy, StateSettings, SurrogateState,
};
use thrifty_prob::{cdf, pdf};
use thrifty_sampling::Seed;
use thrifty_space::{Config, Space};
use thrifty_study::{Measurement, MemoKey, Outcome, Trial, TrialId};
use thrifty_surrogate::{Observations, Posterior, Prediction};

const POINTS: [f64; 6] = [0.05, 0.22, 0.41, 0.6, 0.78, 0.96];

fn line() -> Space {
    Space::builder().float("x", 0.0, 1.0).build().unwrap()
}

fn trial(x: f64, outcome: Option<Outcome>) -> Trial<Config> {
    Trial::new(TrialId(0), line().decode(&[x]), outcome)
}

fn loss(x: f64) -> f64 {
    (9.0 * x).sin() + 2.0 * x
}

/// Feasible from 0.41 on; costs from a fifth of a unit to one and a half.
fn weighted() -> Vec<Trial<Config>> {
    let one = |x: &f64| {
        let cost = Some(0.2 * (2.0 * x).exp());
        let measured = Measurement { constraints: vec![0.41 - x], cost, ..Measurement::from(loss(*x)) };
        trial(*x, Some(measured.into()))
    };
    POINTS.iter().map(one).collect()
}

/// Values of a constraint as its model has them: asinh(c/s), with s the upper quartile of |c|.
fn drawn_in(values: &[f64]) -> Vec<f64> {
    let mut sizes: Vec<f64> = values.iter().map(|value| value.abs()).collect();
    sizes.sort_by(f64::total_cmp);
    values.iter().map(|value| (value / sizes[sizes.len() * 3 / 4]).asinh()).collect()
}

fn plain() -> Vec<Trial<Config>> {
    POINTS.iter().map(|x| trial(*x, Some(loss(*x).into()))).collect()
}

fn settings() -> StateSettings {
    StateSettings {
        initial: InitialDesign::Sobol(2),
        maximizer: Maximizer { raw: 64, around_best: 4, climbs: 2 },
        losses: LossTransform::None,
        ..StateSettings::default()
    }
}

fn with<T>(
    trials: Vec<Trial<Config>>,
    settings: StateSettings,
    look: impl FnOnce(&SurrogateState<'_>, &OutputFitter<'_>) -> T,
) -> T {
    let mut trials = trials;
    trials.iter_mut().zip(0..).for_each(|(trial, id)| trial.id = TrialId(id));
    let (space, surrogate) = (line(), GpSurrogate::default());
    let fitter = OutputFitter {
        space: &space,
        surrogate: &surrogate,
        weight_surrogate: &surrogate,
        trials: trials.iter().collect(),
        seed: Seed(2),
        id: TrialId(20),
    };
    look(&SurrogateState::fit(&fitter, settings).unwrap().expect("measurements"), &fitter)
}

fn close(found: f64, expected: f64) -> bool {
    (found - expected).abs() <= 1e-9 * (1.0 + expected.abs())
}

/// Numbers of a context: t, the points observed, target, noise variance, variance at 0.5.
type Seen = Arc<Mutex<Option<(usize, Vec<f64>, f64, f64, f64)>>>;

/// The running ones of the points observed, and how many of all a joint distribution has at most.
type Bounds = Arc<Mutex<Option<(usize, usize)>>>;

/// An acquisition function that notes what it is built from.
#[derive(Default)]
struct Spy {
    seen: Seen,
    bounds: Bounds,
    handles_pending: bool,
}

impl AcquisitionFactory for Spy {
    fn build<'a>(&self, context: Context<'a, '_>) -> Result<Box<dyn Acquisition + 'a>, AcquisitionError> {
        let observed = context.observed.rows().map(|x| x[0]).collect();
        let variance = context.posterior.predict(&[0.5]).variance;
        *self.seen.lock().unwrap() =
            Some((context.t, observed, context.target, context.noise_variance, variance));
        *self.bounds.lock().unwrap() = Some((context.running, context.joint_limit));
        Ok(Box::new(ZeroLog))
    }

    fn scale(&self) -> UtilityScale {
        UtilityScale::Log
    }

    fn describe(&self) -> Result<Description, AcquisitionError> {
        Ok(Description::without_settings("spy"))
    }

    fn target(&self) -> ImprovementTarget {
        ImprovementTarget::BestMean
    }

    fn handles_pending(&self) -> bool {
        self.handles_pending
    }
}

/// The next evaluation's number, what is or may be feasible, and fantasies only for those that do not draw by themselves.
#[test]
fn contexts_hold_what_was_measured_and_what_runs() {
    let before = with(weighted(), settings(), |state, _| state.posterior().predict(&[0.5]).variance);
    for (pending, handles_pending, has_fantasies) in [
        (PendingPolicy::Fantasies { draws: 4 }, true, false),
        (PendingPolicy::Fantasies { draws: 4 }, false, true),
        (PendingPolicy::KrigingBeliever, true, true),
        (PendingPolicy::KrigingBeliever, false, true),
    ] {
        // Of two running trials one is likely to break the constraint.
        let trials = [weighted(), vec![trial(0.5, None), trial(0.1, None)]].concat();
        with(trials, StateSettings { pending, ..settings() }, |state, _| {
            let spy = Spy { handles_pending, ..Spy::default() };
            state.acquisition(&spy).unwrap();
            let (t, observed, target, noise, variance) = spy.seen.lock().unwrap().clone().unwrap();
            assert_eq!((t, observed), (7, vec![0.41, 0.6, 0.78, 0.96, 0.5]));
            assert_eq!((target, noise), (state.target(ImprovementTarget::BestMean), state.noise_variance()));
            assert_eq!(variance < 0.5 * before, has_fantasies, "{pending:?} {variance} {before}");
            assert!(has_fantasies || close(variance, before), "{variance} {before}");
            let likely_and_default = (1, thrifty_surrogate::JOINT_LIMIT);
            assert_eq!(*spy.bounds.lock().unwrap(), Some(likely_and_default));
        });
    }
}

/// Look-aheads know the noise that measurements report, on the scale of the transform: what was learnt alone would be next to none.
#[test]
fn reported_noise_is_that_of_the_next_measurement() {
    let noisy = || {
        let one = |x: &f64| {
            trial(*x, Some(Measurement { noise_variance: Some(100.0), ..Measurement::from(loss(*x)) }.into()))
        };
        POINTS.iter().map(one).collect::<Vec<_>>()
    };
    let rule = AcquisitionKind::LogKnowledgeGradient { anchors: 16 };
    with(noisy(), settings(), |state, _| {
        let learnt = state.noise_variance() - 100.0;
        assert!((0.0..1.0).contains(&learnt), "{learnt}");
        let spy = Spy::default();
        state.acquisition(&spy).unwrap();
        assert_eq!(spy.seen.lock().unwrap().as_ref().unwrap().3, state.noise_variance());
        // At the prior's variance s of these losses a measurement tells a share s / (s + 100).
        let gain = state.acquisition(&rule).unwrap().value(&[0.5]);
        assert!(gain < 0.0, "{gain}");
    });
    let transformed = StateSettings { losses: LossTransform::UpperHalf, ..settings() };
    with(noisy(), transformed, |state, _| {
        let slope = |loss: f64| state.transform().unwrap().slope(loss).powi(2);
        let lowest = state.means().iter().copied().fold(f64::INFINITY, f64::min);
        let expected = 100.0 * slope(state.loss_of(lowest));
        let learnt = state.noise_variance() - expected;
        assert!(learnt >= 0.0 && learnt < 0.1 * expected, "{learnt} {expected}");
    });
}

/// An improvement on the best of a draw is at most that without running trials; a fixed target is lowered by fantasies.
#[test]
fn running_trials_lower_targets() {
    let fixed = ImprovementTarget::Fixed(5.0);
    let target = |trials, pending| {
        with(trials, StateSettings { pending, ..settings() }, |state, _| state.target(fixed))
    };
    assert_eq!(target(plain(), PendingPolicy::LiarBest), 5.0);
    let least = POINTS.iter().map(|x| loss(*x)).fold(f64::INFINITY, f64::min);
    let running = || [plain(), vec![trial(0.5, None)]].concat();
    assert_eq!(target(running(), PendingPolicy::LiarBest), least);
    let kind = AcquisitionKind::LogExpectedImprovement(ImprovementTarget::BestObserved);
    let value =
        |trials, at: f64| with(trials, settings(), |state, _| state.acquisition(&kind).unwrap().value(&[at]));
    for at in [0.3, 0.49, 0.52, 0.7] {
        assert!(value(running(), at) <= value(plain(), at) + 1e-9, "{at}");
    }
    assert!(value(running(), 0.5) < value(plain(), 0.5) - 0.1);
}

/// A fixed target is in units of the loss under every transform.
#[test]
fn fixed_targets_are_losses() {
    for losses in
        [LossTransform::None, LossTransform::UpperTail, LossTransform::UpperHalf, LossTransform::BothTails]
    {
        with(plain(), StateSettings { losses, ..settings() }, |state, _| {
            for loss in [-2.0, 0.05, 0.3, 40.0] {
                let target = state.target(ImprovementTarget::Fixed(loss));
                let expected = state.transform().map_or(loss, |transform| transform.apply(loss));
                assert_eq!(target, expected, "{losses:?}");
                assert!(close(state.loss_of(target), loss), "{losses:?}: {}", state.loss_of(target));
            }
            assert_eq!(state.transform().is_none(), losses == LossTransform::None);
        });
    }
}

/// The mean of a log-normal cost is exp(μ + σ²/2); a weight is the probability times its power of minus the exponent.
#[test]
fn weights_are_those_of_independent_fits() {
    let cost = CostAwareness::PerUnit { exponent: 0.7 };
    with(weighted(), StateSettings { cost, ..settings() }, |state, fitter| {
        let x = Points::from_flat(POINTS.to_vec(), 1);
        let fit = |name: &str, y: Vec<f64>| {
            fitter.fit_weight(name.into(), Observations::new(x.as_ref(), &y)).unwrap()
        };
        let costs = fit("cost", POINTS.map(|x| (0.2 * (2.0 * x).exp()).ln()).to_vec());
        let broken = fit("constraint 0", drawn_in(&POINTS.map(|x| 0.41 - x)));
        for at in [[0.13], [0.39], [0.45], [0.9]] {
            let Prediction { mean, variance } = costs.posterior().predict(&at);
            let expected = (mean + 0.5 * variance).exp();
            assert!(close(state.expected_cost(&at).unwrap(), expected), "{at:?}");
            let of = broken.posterior().predict(&at);
            let probability = cdf(-of.mean / of.std_dev());
            assert!((state.probability_feasible(&at).unwrap() - probability).abs() < 1e-9, "{at:?}");
            let weight = probability * expected.powf(-0.7);
            assert!((state.weight(&at) - weight).abs() < 1e-9 * (1.0 + weight), "{at:?}");
        }
        for name in ["model", "constraint 0", "cost"] {
            assert!(state.memo().contains(&MemoKey::<Vec<f64>>::named(name)), "{name}");
        }
    });
}

/// Minus the posterior mean.
struct Mean<'a>(&'a dyn Posterior);

impl Acquisition for Mean<'_> {
    fn values_into(&self, x: PointsRef<'_>, out: &mut [f64]) {
        x.rows().zip(out).for_each(|(x, out)| *out = -self.0.predict(x).mean);
    }
}

/// Signed utilities are weighted by their excess over the feasible point with the smallest loss.
#[test]
fn signed_utilities_exceed_the_incumbent() {
    let kind = AcquisitionKind::PosteriorMean;
    assert_eq!(kind.scale(), UtilityScale::Signed);
    let infeasible = |mut trials: Vec<Trial<Config>>| {
        for trial in &mut trials {
            let Some(Outcome::Measured(measured)) = &mut trial.outcome else { panic!("measured") };
            measured.constraints = vec![0.5];
        }
        trials
    };
    let look = |state: &SurrogateState<'_>| {
        // The least loss of a feasible point is that at 0.41.
        let feasible: Vec<f64> = POINTS[2..].to_vec();
        let incumbent = feasible.iter().copied().min_by(|a, b| loss(*a).total_cmp(&loss(*b))).unwrap();
        let posterior = state.posterior();
        let x = Points::from_flat(POINTS.to_vec(), 1);
        let excess = thrifty_acquisition::LogExcess::over_incumbent(
            Box::new(Mean(posterior)),
            &[incumbent],
            x.as_ref(),
        );
        let expected = Weighted::log_utility(excess.unwrap());
        let found = state.acquisition(&kind).unwrap();
        for at in [[0.45], [0.55], [0.7], [0.9]] {
            let of = expected.value(&at) + state.probability_feasible(&at).unwrap().ln();
            assert!(
                (found.value(&at) - of).abs() < 1e-6 * (1.0 + of.abs()),
                "{at:?}: {} {of}",
                found.value(&at)
            );
        }
    };
    // The incumbent is the first feasible point, or the last.
    with(weighted(), settings(), |state, _| look(state));
    with(weighted().into_iter().rev().collect(), settings(), |state, _| look(state));
    // Nothing is feasible: the weights alone.
    with(infeasible(weighted()), settings(), |state, _| {
        let found = state.acquisition(&kind).unwrap();
        assert!(close(found.value(&[0.45]), state.weight(&[0.45]).ln()));
    });
}

/// The logarithm of the improvement of the mean, where there is one much larger than the scale, and of the probability that it counts. Without
/// weights it is the mean.
#[test]
fn improvements_of_the_mean_are_weighted() {
    let cost = CostAwareness::PerUnit { exponent: 0.7 };
    with(weighted(), StateSettings { cost, ..settings() }, |state, _| {
        let found = state.mean_improvement(10.0, 1e-6).unwrap();
        for at in [[0.45], [0.55], [0.7], [0.9]] {
            let gain = (10.0 - state.posterior().predict(&at).mean).ln();
            let cost = state.expected_cost(&at).unwrap().ln();
            let expected = gain + state.probability_feasible(&at).unwrap().ln() - 0.7 * cost;
            assert!(close(found.value(&at), expected), "{at:?}: {} {expected}", found.value(&at));
        }
        // Far above the target it falls with the mean, so that a climb has a slope.
        let above = state.mean_improvement(-1e3, 1e-3).unwrap();
        let (mut value, mut slope) = ([0.0], [0.0]);
        let at = PointsRef::single(&[0.45]);
        assert!(above.values_with_gradients_into(at, &mut value, &mut slope));
        assert!(value[0].is_finite() && slope[0].is_finite() && slope[0] != 0.0);
        assert!(state.mean_improvement(f64::INFINITY, 1.0).is_err());
        assert!(state.mean_improvement(2.0, 0.0).is_err());
    });
    with(plain(), settings(), |state, _| {
        let found = state.mean_improvement(2.0, 1e-6).unwrap();
        assert!(close(found.value(&[0.45]), -state.posterior().predict(&[0.45]).mean));
    });
}

/// σ (z Φ(z) + φ(z)) at z = (τ - μ)/σ.
#[test]
fn expected_improvements_are_in_closed_form() {
    with(plain(), settings(), |state, _| {
        for at in [0.1, 0.3, 0.5, 0.87] {
            let Prediction { mean, variance } = state.posterior().predict(&[at]);
            for threshold in [mean - 0.3, mean, mean + 1.0] {
                let z = (threshold - mean) / variance.sqrt();
                let expected = variance.sqrt() * (z * cdf(z) + pdf(z));
                assert!(close(state.expected_improvement(&[at], threshold), expected), "{at} {threshold}");
            }
        }
        // Without a transform an improvement is in units of the loss already.
        assert_eq!((state.in_units_of_loss(0.3, 0.0), state.loss_of(-2.0)), (0.3, -2.0));
        assert_eq!(state.range(), spread());
    });
}

/// Largest less smallest loss.
fn spread() -> f64 {
    let losses = POINTS.map(loss);
    losses.iter().copied().fold(f64::NEG_INFINITY, f64::max)
        - losses.iter().copied().fold(f64::INFINITY, f64::min)
}

/// Another point is found where no candidate is new; unrelated failures teach nothing and may be asked again.
#[test]
fn unrelated_failures_teach_nothing() {
    let trials = [plain(), vec![trial(0.32, Some(Outcome::unrelated("no disk")))]].concat();
    let moments = |state: &SurrogateState<'_>, _: &OutputFitter<'_>| state.posterior().predict(&[0.32]);
    assert_eq!(with(trials.clone(), settings(), moments), with(plain(), settings(), moments));
    with(trials, settings(), |state, _| {
        assert!(!state.is_known(&[0.32]) && state.is_allowed(&[0.32]));
        let known = POINTS.map(|x| Candidate { x: vec![x], value: 1.0 }).to_vec();
        let new = state.first_allowed(known).unwrap().unwrap();
        assert!(!state.is_known(&new.x) && new.value == f64::NEG_INFINITY);
    });
}

/// Before anything is feasible a point is to be the first one: beside a running trial it is worth less than alone, unless
/// running trials are taken at a single value.
#[test]
fn running_trials_may_be_the_first_feasible_ones() {
    let limits = [0.3, 0.1, 0.4, 0.05, 0.3, 0.2];
    let trials = |running: Option<f64>| {
        let mut trials = weighted();
        for (trial, limit) in trials.iter_mut().zip(limits) {
            let Some(Outcome::Measured(measured)) = &mut trial.outcome else { panic!("measured") };
            measured.constraints = vec![limit];
        }
        trials.extend(running.map(|x| trial(x, None)));
        trials
    };
    let kind = AcquisitionKind::default();
    for cost in [CostAwareness::Ignore, CostAwareness::PerUnit { exponent: 0.7 }] {
        let values = |running: Option<f64>, pending: PendingPolicy| {
            with(trials(running), StateSettings { pending, cost, ..settings() }, |state, _| {
                let acquisition = state.acquisition(&kind).unwrap();
                [0.49, 0.51].map(|x| (acquisition.value(&[x]), state.weight(&[x]).ln()))
            })
        };
        for (value, weight) in values(None, PendingPolicy::default()) {
            assert!(close(value, weight), "{value} {weight}");
        }
        for (value, weight) in values(Some(0.5), PendingPolicy::KrigingBeliever) {
            assert!(close(value, weight), "{value} {weight}");
        }
        for (value, weight) in values(Some(0.5), PendingPolicy::default()) {
            assert!(value < weight - 0.1, "{value} {weight}");
        }
    }
}

/// An improvement on no target is no number of units: it stays as it is.
#[test]
fn improvements_on_nothing_have_no_units() {
    for losses in [LossTransform::UpperTail, LossTransform::UpperHalf, LossTransform::BothTails] {
        with(plain(), StateSettings { losses, ..settings() }, |state, _| {
            assert_eq!(state.in_units_of_loss(0.3, f64::INFINITY), 0.3, "{losses:?}");
            assert!(state.in_units_of_loss(0.3, 0.0) > 0.0);
        });
    }
}

/// A failed trial breaks each constraint as far as the worst that was measured, or is left out.
#[test]
fn failures_break_constraints_as_the_worst_does() {
    let at = 0.32;
    for failures in [FailurePolicy::AsWorst, FailurePolicy::AsValue(1.0), FailurePolicy::Ignore] {
        let trials = [weighted(), vec![trial(at, Some(Outcome::failed("no")))]].concat();
        with(trials, StateSettings { failures, ..settings() }, |state, fitter| {
            let (mut x, mut broken) = (POINTS.to_vec(), POINTS.map(|x| 0.41 - x).to_vec());
            if failures != FailurePolicy::Ignore {
                x.push(at);
                broken.push(0.41 - POINTS[0]);
            }
            let x = Points::from_flat(x, 1);
            let broken = drawn_in(&broken);
            let data = Observations::new(x.as_ref(), &broken);
            let model = fitter.fit_weight("constraint 0".into(), data).unwrap();
            for at in [0.2, 0.32, 0.45, 0.7] {
                let of = model.posterior().predict(&[at]);
                let found = state.probability_feasible(&[at]).unwrap();
                assert!((found - cdf(-of.mean / of.std_dev())).abs() < 1e-9, "{failures:?} at {at}: {found}");
            }
        });
    }
}

/// The five best measured points are candidates themselves; the sixth is not.
#[test]
fn the_best_measured_points_are_candidates() {
    let maximizer = Maximizer { raw: 16, around_best: 2, climbs: 0 };
    with(plain(), StateSettings { maximizer, ..settings() }, |state, _| {
        let candidates = state.maximize(&ZeroLog, "acquisition");
        let mut best = POINTS;
        best.sort_by(|a, b| loss(*a).total_cmp(&loss(*b)));
        let has = |x: f64| candidates.iter().any(|candidate| candidate.x == [x]);
        assert_eq!(best.map(has), [true, true, true, true, true, false]);
    });
}

/// Beside a running trial an improvement is the integral over its loss, not that of a single outcome.
#[test]
fn improvements_beside_running_trials_are_integrals() {
    let (r, x) = (0.5, 0.47);
    let least = POINTS.iter().map(|x| loss(*x)).fold(f64::INFINITY, f64::min);
    // Moments before the running trial.
    let (mean, covariance) = with(plain(), settings(), |state, _| {
        let both = Points::from_flat(vec![x, r], 1);
        let (mut mean, mut variance, mut covariance) = ([0.0; 2], [0.0; 2], [0.0; 4]);
        state.posterior().predict_into(both.as_ref(), &mut mean, &mut variance);
        state.posterior().joint().unwrap().covariance_into(both.as_ref(), &mut covariance);
        (mean, covariance)
    });
    let (own, shared, running) = (covariance[0], covariance[1], covariance[3]);
    let rest = (own - shared * shared / running).sqrt();
    let step = 16.0 / 8000.0;
    let at = |i: i32| {
        let w = -8.0 + step * (f64::from(i) + 0.5);
        let given = mean[0] + shared / running.sqrt() * w;
        let z = (least.min(mean[1] + running.sqrt() * w) - given) / rest;
        step * pdf(w) * rest * (z * cdf(z) + pdf(z))
    };
    let expected: f64 = (0..8000).map(at).sum();
    let value = |pending| {
        let trials = [plain(), vec![trial(r, None)]].concat();
        with(trials, StateSettings { pending, ..settings() }, |state, _| {
            state.acquisition(&AcquisitionKind::default()).unwrap().value(&[x]).exp()
        })
    };
    let drawn = value(PendingPolicy::Fantasies { draws: 4096 });
    assert!((drawn / expected - 1.0).abs() < 0.02, "{drawn} {expected}");
    let believed = value(PendingPolicy::KrigingBeliever);
    assert!((believed / expected - 1.0).abs() > 0.05, "{believed} {expected}");
}
