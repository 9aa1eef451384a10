//! Laws of the approximation on random data.

use proptest::prelude::*;
use thrifty_censored::{
    Bound, CensoredGp, CensoredPosterior, Propagation, Response, Side, expectation_propagation,
};
use thrifty_domain::Points;
use thrifty_gp::{Gp, GpSettings, Mean, Noise};
use thrifty_kernel::{Matern52, Scaled};
use thrifty_linalg::Matrix;
use thrifty_prob::pdf;
use thrifty_surrogate::{JointPosterior, LookaheadCotangent, Posterior, Prediction, contract, lookahead};

fn gp(dim: usize, noise: f64) -> Gp<Scaled<Matern52>> {
    let settings = GpSettings {
        noise: Noise::Fixed(noise),
        mean: Mean::Fixed(0.1),
        standardize_targets: false,
        ..GpSettings::default()
    };
    let kernel = Scaled::new(Matern52::new(vec![0.6; dim]).unwrap(), 1.4).unwrap();
    Gp::new(kernel).with_settings(settings)
}

fn condition(x: &Points, responses: &[Response]) -> CensoredPosterior<Scaled<Matern52>> {
    CensoredGp::new(gp(x.dim(), 0.02)).condition(x.as_ref(), responses).unwrap()
}

fn response() -> impl Strategy<Value = Response> {
    (0_u8..3, -2.0..2.0_f64).prop_map(|(kind, y)| match kind {
        0 => Response::Value(y),
        1 => Response::AtMost(y),
        _ => Response::AtLeast(y),
    })
}

fn data() -> impl Strategy<Value = (Points, Vec<Response>)> {
    (1_usize..3, 1_usize..15).prop_flat_map(|(dim, n)| {
        let x = prop::collection::vec(0.0..1.0_f64, n * dim);
        (x, prop::collection::vec(response(), n)).prop_map(move |(x, y)| (Points::from_flat(x, dim), y))
    })
}

/// A covariance A Aᵀ + 0.05 I with the bounds of as many components.
fn vectors() -> impl Strategy<Value = (Vec<f64>, Matrix, Vec<Bound>)> {
    (1_usize..7).prop_flat_map(|n| {
        let a = prop::collection::vec(-1.0..1.0_f64, n * n);
        let bounds = prop::collection::vec((-2.0..2.0_f64, any::<bool>()), n);
        (prop::collection::vec(-1.0..1.0_f64, n), a, bounds).prop_map(move |(mean, a, bounds)| {
            let dot = |i: usize, j: usize| (0..n).map(|k| a[i * n + k] * a[j * n + k]).sum::<f64>();
            let c = Matrix::from_fn(n, n, |i, j| dot(i, j) + if i == j { 0.05 } else { 0.0 });
            let side = |above| if above { Side::Above } else { Side::Below };
            (mean, c, bounds.into_iter().map(|(at, above)| Bound { at, side: side(above) }).collect())
        })
    })
}

/// Mean and variance of a normal variable on one side of a bound, by the midpoint rule.
fn truncated_by_quadrature(mean: f64, variance: f64, bound: Bound) -> (f64, f64) {
    let std_dev = variance.sqrt();
    let s = if bound.side == Side::Below { -1.0 } else { 1.0 };
    // From the bound outwards, in standard deviations; from where there is anything at all.
    let near = (s * (bound.at - mean) / std_dev).max(-9.0);
    let count = 4000;
    let step = (9.0 - near.min(0.0)) / f64::from(count);
    let (mut total, mut first, mut second) = (0.0, 0.0, 0.0);
    for i in 0..count {
        let z = near + step * (f64::from(i) + 0.5);
        let (weight, y) = (pdf(z), mean + s * std_dev * z);
        total += weight;
        first += weight * (y - mean);
        second += weight * (y - mean).powi(2);
    }
    let shift = first / total;
    (mean + shift, second / total - shift * shift)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// The defining property of the approximation: exchanging a site for its bound leaves the moments of the component.
    #[test]
    fn moments_match_those_of_the_bound((mean, c, bounds) in vectors()) {
        let found = expectation_propagation(&mean, &c, &bounds, &Propagation::default(), None).unwrap();
        prop_assert!(found.converged, "{} sweeps", found.sweeps);
        for (i, bound) in bounds.iter().enumerate() {
            let (tau, own) = (found.sites.precision[i], found.covariance[(i, i)]);
            prop_assert!(tau >= 0.0 && own <= c[(i, i)] * (1.0 + 1e-9));
            let without = 1.0 / (1.0 / own - tau);
            let center = without * ((found.mean[i] - mean[i]) / own - found.sites.shift[i]) + mean[i];
            let (m, v) = truncated_by_quadrature(center, without, *bound);
            prop_assert!((found.mean[i] - m).abs() < 1e-4 * c[(i, i)].sqrt(), "{i}: mean {} {m}", found.mean[i]);
            prop_assert!((own / v - 1.0).abs() < 1e-3, "{i}: variance {own} {v}");
        }
    }

    #[test]
    fn a_start_changes_nothing((mean, c, bounds) in vectors()) {
        let cold = expectation_propagation(&mean, &c, &bounds, &Propagation::default(), None).unwrap();
        let warm = expectation_propagation(&mean, &c, &bounds, &Propagation::default(), Some(&cold.sites)).unwrap();
        let slow = expectation_propagation(&mean, &c, &bounds, &Propagation { step: 0.5, ..Propagation::default() }, None).unwrap();
        prop_assert!(warm.sweeps <= 2 && slow.converged, "{} {}", warm.sweeps, slow.sweeps);
        prop_assert!((warm.log_probability - cold.log_probability).abs() < 1e-9);
        prop_assert!((slow.log_probability - cold.log_probability).abs() < 1e-9);
        prop_assert!(cold.log_probability <= 1e-9);
    }

    #[test]
    fn posteriors_obey_the_contract((x, responses) in data(), at in prop::collection::vec(0.03..0.97_f64, 12), w in prop::collection::vec(-1.0..1.0_f64, 42)) {
        let posterior = condition(&x, &responses);
        let test = Points::from_flat(at, x.dim());
        contract::batch_is_pointwise(&posterior, test.as_ref(), 1e-10);
        contract::gradients_match(&posterior, test.as_ref(), 1e-5, 1e-6);
        contract::covariance_is_consistent(&posterior, &test, 1e-10);
        let few = Points::from_flat(test.as_flat()[..4].to_vec(), x.dim());
        let m = few.len();
        contract::joint_gradient_matches(&posterior, &few, (&w[..m], &w[6..6 + m * m]), 1e-5, 1e-5);
        let joint: &dyn JointPosterior = posterior.joint().unwrap();
        let ahead = lookahead(joint, few.as_ref(), 0.02);
        let weights = LookaheadCotangent { mean: 0.3, variance: -0.7, covariance: &w[..=m] };
        contract::lookahead_gradient_matches(&*ahead, test.row(test.len() - 1), weights, 1e-5, 1e-5);
    }

    #[test]
    fn the_negative_of_a_function_has_the_negative_responses((x, responses) in data()) {
        let settings = |mean| GpSettings { mean: Mean::Fixed(mean), ..gp(x.dim(), 0.02).settings().clone() };
        let ours = |mean, responses: &[Response]| {
            CensoredGp::new(gp(x.dim(), 0.02).with_settings(settings(mean))).condition(x.as_ref(), responses).unwrap()
        };
        let negated: Vec<Response> = responses.iter().map(|response| response.negated()).collect();
        let (a, b) = (ours(0.1, &responses), ours(-0.1, &negated));
        prop_assert!((a.log_likelihood() - b.log_likelihood()).abs() < 1e-9 * (1.0 + a.log_likelihood().abs()));
        let at = vec![0.42; x.dim()];
        let (p, q) = (a.predict(&at), b.predict(&at));
        prop_assert!((p.mean + q.mean).abs() < 1e-9 && (p.variance - q.variance).abs() < 1e-9, "{p:?} {q:?}");
    }

    #[test]
    fn the_order_does_not_matter((x, responses) in data()) {
        let n = x.len();
        let mut turned = Points::new(x.dim());
        (0..n).for_each(|i| turned.push(x.row(n - 1 - i)));
        let reversed: Vec<Response> = responses.iter().rev().copied().collect();
        let (a, b) = (condition(&x, &responses), condition(&turned, &reversed));
        prop_assert!(a.converged() && b.converged());
        let difference = a.log_likelihood() - b.log_likelihood();
        prop_assert!(difference.abs() < 1e-6 * (1.0 + a.log_likelihood().abs()), "{difference}");
        let at = vec![0.42; x.dim()];
        let (p, q) = (a.predict(&at), b.predict(&at));
        prop_assert!((p.mean - q.mean).abs() < 1e-5 && (p.variance - q.variance).abs() < 1e-5, "{p:?} {q:?}");
    }

    /// A bound moves the mean towards its side, and does not increase the standard deviation.
    ///
    /// This holds for the exact posterior. The approximation keeps it to 2 % of the prior standard deviation, because
    /// a bound that has almost no effect can change the sites of the others.
    #[test]
    fn a_bound_moves_the_mean_its_way((x, responses) in data(), at in -2.0..2.0_f64) {
        let before = condition(&x, &responses);
        let point = vec![0.5; x.dim()];
        let mut more_x = x.clone();
        more_x.push(&point);
        let mut more = responses.clone();
        more.push(Response::AtMost(at));
        let after = condition(&more_x, &more);
        let (Prediction { mean: now, variance: spread }, Prediction { mean: then, variance: wide }) = (after.predict(&point), before.predict(&point));
        let slack = 0.02 * 1.4_f64.sqrt();
        let (spread, wide) = (spread.sqrt(), wide.sqrt());
        prop_assert!(now <= then + slack && spread <= wide + slack, "{now} ± {spread} after {then} ± {wide}");
    }
}
