//! Look-ahead and knowledge gradient at the target: closed forms, limits, laws, gradients.

use proptest::prelude::*;
use thrifty_acquisition::{Acquisition, Context, KnowledgeGradient};
use thrifty_domain::{Points, PointsRef};
use thrifty_fidelity::{
    FidelityAxis, ProportionalCost, TargetKnowledgeGradient, TargetLookahead, multi_fidelity_kernel,
    target_knowledge_gradient,
};
use thrifty_gp::GpSurrogate;
use thrifty_model_based::Maximizer;
use thrifty_sampling::Seed;
use thrifty_space::Space;
use thrifty_surrogate::{
    FittedSurrogate, JOINT_LIMIT, JointPosterior, Lookahead, LookaheadCotangent, Observations, Surrogate,
};

fn space() -> Space {
    Space::builder().float("x", 0.0, 1.0).log_int("epochs", 1, 81).build().unwrap()
}

fn axis() -> FidelityAxis {
    FidelityAxis::new(&space(), "epochs").unwrap()
}

/// A model of a function whose bias decays, from `n` observations at all fidelities.
fn fitted(n: usize) -> Box<dyn FittedSurrogate> {
    let axis = axis();
    let (low, high) = axis.ends();
    let mut x = Points::new(2);
    let mut y = Vec::new();
    for i in 0..n {
        let (u, t) = ((0.618 * i as f64 + 0.1).fract(), (0.414 * i as f64).fract());
        x.push(&[u, low + t * (high - low)]);
        y.push((6.0 * u).sin() + (1.5 - u) * (-2.0 * t).exp());
    }
    let surrogate = GpSurrogate::default()
        .with_kernel("multi-fidelity", move |domain| Ok(multi_fidelity_kernel(domain, &axis)?));
    let data = Observations::new(x.as_ref(), &y);
    surrogate.fit(space().domain(), data, None, &mut Seed(1).stream("fit", 0)).unwrap()
}

fn joint(fitted: &dyn FittedSurrogate) -> &dyn JointPosterior {
    fitted.posterior().joint().unwrap()
}

fn anchors() -> Points {
    let top = axis().ends().1;
    Points::from_rows(&[[0.1, top], [0.45, top], [0.8, top]]).unwrap()
}

/// At the target the knowledge gradient is that of a single fidelity.
#[test]
fn at_the_target_it_is_the_knowledge_gradient_of_one_fidelity() {
    let (fitted, axis) = (fitted(12), axis());
    let joint = joint(&*fitted);
    let noise = fitted.noise_variance();
    let ours =
        target_knowledge_gradient(TargetLookahead::new(joint, &axis, anchors().as_ref(), noise)).unwrap();
    let single = KnowledgeGradient::new(joint, anchors().as_ref(), noise).unwrap().logarithm();
    for i in 0..20 {
        let x = [f64::from(i) / 19.0, axis.ends().1];
        let (ours, single) = (ours.value(&x), single.value(&x));
        assert!((ours - single).abs() < 1e-6 * (1.0 + single.abs()), "{x:?}: {ours} {single}");
    }
}

/// Moments by the joint covariance of the observation, the anchors and the configuration at the target.
#[test]
fn moments_are_those_of_the_joint_posterior() {
    let (fitted, axis) = (fitted(9), axis());
    let joint = joint(&*fitted);
    let ahead = TargetLookahead::new(joint, &axis, anchors().as_ref(), 0.02);
    let x = [0.33, axis.ends().0 + 0.2];
    let mut rows = anchors();
    rows.push(&[x[0], axis.ends().1]);
    rows.push(&x);
    let mut all = vec![0.0; 25];
    joint.covariance_into(rows.as_ref(), &mut all);
    let (mut mean, mut variance, mut covariance) = ([0.0], [0.0], [0.0; 4]);
    ahead.moments_into(PointsRef::single(&x), &mut mean, &mut variance, &mut covariance);
    assert!((mean[0] - joint.predict(rows.row(3)).mean).abs() < 1e-10);
    assert!((variance[0] - all[24] - 0.02).abs() < 1e-9);
    for i in 0..4 {
        assert!((covariance[i] - all[20 + i]).abs() < 1e-9, "{i}: {} {}", covariance[i], all[20 + i]);
    }
}

/// Slopes equal central differences, that of the fidelity included.
#[test]
fn gradients_match_differences() {
    let (fitted, axis) = (fitted(10), axis());
    let ahead = TargetLookahead::new(joint(&*fitted), &axis, anchors().as_ref(), 0.01);
    let gain = target_knowledge_gradient(ahead).unwrap();
    let mut cost = ProportionalCost::new(&axis, 0.1);
    cost.pay(&[0.3, axis.ends().0]);
    let acquisitions: [&dyn Acquisition; 2] = [&gain, &cost];
    for (which, acquisition) in acquisitions.iter().enumerate() {
        for x in [[0.27, 0.35], [0.63, 0.8], [0.3, 0.6]] {
            let (mut value, mut slope) = ([0.0], [0.0; 2]);
            assert!(acquisition.values_with_gradients_into(PointsRef::single(&x), &mut value, &mut slope));
            assert!((value[0] - acquisition.value(&x)).abs() < 1e-12);
            // A step in x would leave the configuration that was paid for.
            for k in which.min(1)..2 {
                let at = |step: f64| {
                    let mut moved = x;
                    moved[k] += step;
                    acquisition.value(&moved)
                };
                let difference = (at(1e-5) - at(-1e-5)) / 2e-5;
                let error = (slope[k] - difference).abs() / (1.0 + difference.abs());
                assert!(error < 1e-4, "{which} {x:?} {k}: {} {difference}", slope[k]);
            }
        }
    }
}

/// Slopes of weighted moments for weights of none to all of three anchors, which are the central differences of the weighted sum. They
/// are added to what is there.
#[test]
fn slopes_of_weighted_moments_match_differences() {
    let (fitted, axis) = (fitted(10), axis());
    let ahead = TargetLookahead::new(joint(&*fitted), &axis, anchors().as_ref(), 0.01);
    let x = [0.33, 0.4];
    for covariance in [
        [0.0, 0.0, 0.0, 0.0],
        [0.0, 0.0, 0.0, 1.5],
        [0.7, 0.0, 0.0, -0.4],
        [0.7, 0.0, -1.1, 0.3],
        [0.7, 2.0, -1.1, 0.9],
    ] {
        for (mean, variance) in [(1.0, 0.0), (0.0, 1.0), (-0.6, 1.3)] {
            let weighted = |x: &[f64]| {
                let (mut m, mut v, mut c) = ([0.0], [0.0], [0.0; 4]);
                ahead.moments_into(PointsRef::single(x), &mut m, &mut v, &mut c);
                let own = c.iter().zip(&covariance).map(|(c, weight)| c * weight).sum::<f64>();
                mean * m[0] + variance * v[0] + own
            };
            let mut slope = [5.0; 2];
            let weights = LookaheadCotangent { mean, variance, covariance: &covariance };
            assert!(ahead.pull_back(&x, weights, &mut slope), "the model has slopes");
            for k in 0..2 {
                let at = |step: f64| {
                    let mut moved = x;
                    moved[k] += step;
                    weighted(&moved)
                };
                let difference = (at(1e-5) - at(-1e-5)) / 2e-5;
                let found = slope[k] - 5.0;
                let error = (found - difference).abs() / (1.0 + difference.abs());
                assert!(error < 1e-5, "{mean} {variance} {covariance:?}, {k}: {found} {difference}");
            }
        }
    }
}

/// Variances before any data, of a process of variance 1 and a bias that is as large at the cheapest fidelity: with decay rates of a gamma
/// distribution at the medians of its priors, of shape and rate 1, `M(u) = 1/(1 + u)` and the bias has the variance
/// `3 (1/(1 + 2t) - 2/(2 + t) + 1/3)`.
#[test]
fn the_bias_decays_at_the_median_rate_before_any_data() {
    let axis = axis();
    let kernel = multi_fidelity_kernel(space().domain(), &axis).unwrap();
    let (low, high) = axis.ends();
    for (t, bias) in [(0.0, 1.0), (0.25, 1.0 / 3.0), (0.5, 0.1), (1.0, 0.0)] {
        let x = [0.4, low + t * (high - low)];
        let variance = kernel.eval(&x, &x);
        assert!((variance - 1.0 - bias).abs() < 1e-12, "{t}: {variance}, not {}", 1.0 + bias);
    }
}

/// Slopes of a known cost overwrite what is there: none by the configuration, and none by the fidelity where all but the least cost was
/// paid.
#[test]
fn costs_overwrite_slopes_and_the_least_one_has_none() {
    let axis = axis();
    let (low, high) = axis.ends();
    let mut cost = ProportionalCost::new(&axis, 0.0);
    cost.pay(&[0.5, high]);
    let x = Points::from_rows(&[[0.5, low], [0.2, low]]).unwrap();
    let (mut values, mut slopes) = ([f64::NAN; 2], [f64::NAN; 4]);
    assert!(cost.values_with_gradients_into(x.as_ref(), &mut values, &mut slopes), "slopes");
    let length = 81_f64.ln() / (high - low);
    assert_eq!(slopes[..3], [0.0, 0.0, 0.0], "all is paid for, and x costs nothing");
    // The cost of the other configuration is 1/81 and rises by its logarithm.
    assert!((slopes[3] + length).abs() < 1e-9 * length, "{} and {length}", slopes[3]);
    assert!((values[1] - 81_f64.ln()).abs() < 1e-9, "{}", values[1]);
}

/// An evaluation at a higher fidelity costs more, and one that continues another costs the difference.
#[test]
fn costs_are_proportional_and_continue() {
    let axis = axis();
    let at = |epochs: i64| {
        let mut config = thrifty_space::Config::new();
        config.insert("x", 0.5);
        config.insert("epochs", epochs);
        space().encode(&config).unwrap()
    };
    let mut cost = ProportionalCost::new(&axis, 0.25);
    for epochs in [1, 9, 50, 81] {
        let expected = 0.25 + epochs as f64 / 81.0;
        assert!((cost.at(&at(epochs)).0 - expected).abs() < 1e-12, "{epochs}");
    }
    cost.pay(&at(27));
    cost.pay(&at(9));
    assert!((cost.at(&at(81)).0 - 0.25 - 54.0 / 81.0).abs() < 1e-12);
    assert!((cost.at(&at(27)).0 - 0.25).abs() < 1e-12);
    // The longest evaluation counts, whatever came first.
    cost.pay(&at(50));
    assert!((cost.at(&at(81)).0 - 0.25 - 31.0 / 81.0).abs() < 1e-12);
    let mut free = ProportionalCost::new(&axis, 0.0);
    free.pay(&at(81));
    assert!(free.at(&at(3)).0 > 0.0 && free.at(&at(3)).0 < 1e-5);
    // Another configuration was not paid for.
    let mut other = at(81);
    other[0] = 0.7;
    assert!((free.at(&other).0 - 1.0).abs() < 1e-12);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// More fidelity never leaves more variance at the target: the bias that hides it only shrinks.
    #[test]
    fn more_fidelity_never_raises_the_variance_of_the_target(
        u in 0.0..1.0_f64, low in 0.0..1.0_f64, high in 0.0..1.0_f64,
    ) {
        // Before any other data, as the law is of the prior: an observation near by may know the bias at one fidelity.
        let axis = axis();
        let kernel = multi_fidelity_kernel(space().domain(), &axis).unwrap();
        let (start, end) = axis.ends();
        let at = |t: f64| [u, start + t * (end - start)];
        let left = |t: f64| {
            let (k, own) = (kernel.eval(&at(t), &at(1.0)), kernel.eval(&at(t), &at(t)));
            kernel.eval(&at(1.0), &at(1.0)) - k * k / own
        };
        prop_assert!(left(low.max(high)) <= left(low.min(high)) + 1e-12);
        prop_assert!(left(1.0).abs() < 1e-12);
        // The difference to the target has the variance of the bias.
        let difference = |t: f64| {
            kernel.eval(&at(t), &at(t)) + kernel.eval(&at(1.0), &at(1.0)) - 2.0 * kernel.eval(&at(t), &at(1.0))
        };
        prop_assert!(difference(low.max(high)) <= difference(low.min(high)) + 1e-12);
        prop_assert!(difference(1.0).abs() < 1e-15);
    }
}

#[test]
fn no_anchors_are_an_error() {
    let (fitted, axis) = (fitted(6), axis());
    let ahead = TargetLookahead::new(joint(&*fitted), &axis, Points::new(2).as_ref(), 0.0);
    assert!(target_knowledge_gradient(ahead).is_err());
}

/// Anchors at the target: as many as are set, and two at least, of which the last minimizes the posterior mean.
#[test]
fn anchors_are_as_many_as_are_set() {
    let (fitted, axis, space, observed) = (fitted(9), axis(), space(), Points::new(2));
    let maximizer = Maximizer { raw: 64, around_best: 2, climbs: 2 };
    let target = axis.ends().1;
    let mean = |x: f64| fitted.posterior().predict(&[x, target]).mean;
    let least = (0..=200).map(|i| mean(f64::from(i) / 200.0)).fold(f64::INFINITY, f64::min);
    for (anchors, count) in [(1, 2), (2, 2), (3, 3), (5, 5)] {
        let mut context = Context {
            posterior: fitted.posterior(),
            target: f64::INFINITY,
            t: 1,
            domain: space.domain(),
            observed: observed.as_ref(),
            running: 0,
            joint_limit: JOINT_LIMIT,
            is_promising: None,
            noise_variance: fitted.noise_variance(),
            rng: &mut Seed(3).stream("anchors", 0),
        };
        let gradient = TargetKnowledgeGradient { axis: &axis, anchors, maximizer: &maximizer };
        let found = gradient.anchors(&mut context).unwrap();
        assert_eq!(found.len(), count, "{anchors} anchors");
        assert!(found.rows().all(|x| x[1] == target), "{found:?}");
        let last = found.row(count - 1);
        assert!(mean(last[0]) <= least + 1e-6, "{last:?} has {}, not {least}", mean(last[0]));
    }
}
