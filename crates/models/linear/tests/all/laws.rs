//! Properties of the distribution of coefficients: closed forms, laws and edge cases.

use proptest::prelude::*;
use thrifty_domain::{Points, PointsRef};
use thrifty_linear::{
    Basis, Coefficients, Drift, Fourier, FromFn, Information, LinearError, LinearModel, NormalInverseGamma,
    Polynomial, Splines,
};
use thrifty_sampling::Seed;
use thrifty_surrogate::{
    JointLookahead, JointPosterior, Lookahead, LookaheadCotangent, PathSampler, Posterior, Prediction,
    contract,
};

fn bases(dim: usize) -> Vec<Box<dyn Basis>> {
    vec![
        Box::new(Polynomial::additive(dim, 3, 0.5)),
        Box::new(Polynomial::full(dim, 2, 0.3)),
        Box::new(Fourier::new(dim, 2, 2.0)),
        Box::new(Splines::new(dim, 4, 3)),
        Box::new(Splines::new(dim, 2, 1)),
    ]
}

fn prior(len: usize) -> Coefficients {
    // Correlated: a random walk over the coefficients.
    let covariance = (0..len * len).map(|at| 0.3 + 0.2 * (1 + (at / len).min(at % len)) as f64).collect();
    Coefficients::new((0..len).map(|i| 0.1 * i as f64).collect(), covariance).unwrap()
}

fn observations() -> impl Strategy<Value = (Points, Vec<f64>, Vec<f64>)> {
    (1_usize..12).prop_flat_map(|n| {
        (
            prop::collection::vec(0.02..0.98_f64, 2 * n).prop_map(|flat| Points::from_flat(flat, 2)),
            prop::collection::vec(-2.0..2.0_f64, n),
            prop::collection::vec(0.05..1.0_f64, n),
        )
    })
}

fn close(a: &[f64], b: &[f64], tolerance: f64) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() <= tolerance * (1.0 + b.abs()))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn slopes_of_functions_match_differences(x in (0.05..0.95_f64, 0.05..0.95_f64)) {
        let x = [x.0, x.1];
        for basis in bases(2) {
            let mut slopes = vec![f64::NAN; basis.len() * 2];
            prop_assert!(basis.gradient_into(&x, &mut slopes));
            for d in 0..2 {
                // Piecewise linear functions have kinks at the cells.
                prop_assume!((x[d] * 4.0).fract().abs() > 1e-4 && (x[d] * 4.0).fract() < 1.0 - 1e-4);
                let at = |offset: f64| { let mut moved = x; moved[d] += offset; basis.eval(&moved) };
                let (up, down) = (at(1e-6), at(-1e-6));
                for j in 0..basis.len() {
                    let slope = (up[j] - down[j]) / 2e-6;
                    prop_assert!((slopes[2 * j + d] - slope).abs() < 1e-6 * (1.0 + slope.abs()), "{} {j}", basis.name());
                }
            }
        }
    }

    #[test]
    fn the_posterior_obeys_the_contract((x, y, noise) in observations(), weights in prop::collection::vec(-1.0..1.0_f64, 12)) {
        for basis in bases(2) {
            let start = prior(basis.len());
            let model = LinearModel::new(basis, start).unwrap();
            let (posterior, evidence) = model.condition(x.as_ref(), &y, &noise).unwrap();
            prop_assert!(evidence.is_finite());
            let test = Points::from_rows(&[[0.21, 0.72], [0.55, 0.45], [0.9, 0.11]]).unwrap();
            contract::batch_is_pointwise(&posterior, test.as_ref(), 1e-12);
            contract::covariance_is_consistent(&posterior, &test, 1e-12);
            contract::gradients_match(&posterior, test.as_ref(), 1e-6, 1e-6);
            contract::joint_gradient_matches(&posterior, &test, (&weights[..3], &weights[3..]), 1e-6, 1e-6);
        }
    }

    #[test]
    fn one_at_a_time_is_all_at_once_in_any_order_and_form((x, y, noise) in observations()) {
        let basis = Polynomial::full(2, 2, 0.5);
        let start = prior(basis.len());
        let rows: Vec<Vec<f64>> = x.rows().map(|row| basis.eval(row)).collect();
        let n = rows.len();
        let mut forward = start.clone();
        let (mut backward, mut joseph, mut information) =
            (start.clone(), start.clone(), Information::of(&start).unwrap());
        let mut evidence = [0.0, 0.0];
        for i in 0..n {
            evidence[0] += forward.update(&rows[i], y[i], noise[i]).unwrap().log_density();
            let last = n - 1 - i;
            evidence[1] += backward.update(&rows[last], y[last], noise[last]).unwrap().log_density();
            joseph.update_joseph(&rows[i], y[i], noise[i]).unwrap();
            information.update(&rows[i], y[i], noise[i]).unwrap();
        }
        prop_assert!((evidence[0] - evidence[1]).abs() < 1e-8 * (1.0 + evidence[0].abs()));
        for other in [&backward, &joseph, &information.coefficients().unwrap()] {
            prop_assert!(close(forward.mean(), other.mean(), 1e-7));
            prop_assert!(close(forward.covariance(), other.covariance(), 1e-7));
        }
        // Symmetric to the bit, and no less certain than before.
        let j = start.len();
        for a in 0..j {
            for b in 0..a {
                prop_assert_eq!(forward.covariance()[a * j + b].to_bits(), forward.covariance()[b * j + a].to_bits());
            }
            prop_assert!(forward.covariance()[a * j + a] <= start.covariance()[a * j + a] + 1e-12);
        }
    }

    #[test]
    fn still_coefficients_have_nothing_to_smooth((x, y, noise) in observations()) {
        let basis = Polynomial::full(2, 1, 0.5);
        let still = Drift::random_walk(&[0.0; 3]).unwrap();
        let mut belief = prior(3);
        let mut filtered = Vec::new();
        for ((row, y), noise) in x.rows().zip(&y).zip(&noise) {
            belief = still.predict(&belief).unwrap();
            belief.update(&basis.eval(row), *y, *noise).unwrap();
            filtered.push(belief.clone());
        }
        for smoothed in still.smooth(&filtered).unwrap() {
            prop_assert!(close(smoothed.mean(), belief.mean(), 1e-6));
            prop_assert!(close(smoothed.covariance(), belief.covariance(), 1e-6));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    /// The truth stays within reach of the posterior, whatever the noise: by Pythagoras `|a - μ|² ≤ |z|² + Σ e²` in standard deviations of the
    /// posterior, where z is how far the truth a lies from the prior mean, and e is how far observations lie from the truth. The variance does
    /// not grow, and the covariance is positive semi-definite. All this but for rounding, also for singular priors.
    #[test]
    fn any_noise_leaves_the_truth_within_reach(
        rank in 1_usize..=4,
        root in prop::collection::vec(-1.0..1.0_f64, 16),
        (mean, z) in (prop::collection::vec(-1.0..1.0_f64, 4), prop::collection::vec(-2.0..2.0_f64, 4)),
        trainings in prop::collection::vec((0_usize..12, -1.0..1.0_f64), 50),
        digits in -15.0..3.0_f64,
    ) {
        let entry = |at: usize| (0..rank).map(|k| root[4 * (at / 4) + k] * root[4 * (at % 4) + k]).sum::<f64>();
        let start = Coefficients::new(mean.clone(), (0..16).map(entry).collect());
        prop_assume!(start.is_ok());
        let start = start.unwrap();
        let truth: Vec<f64> =
            (0..4).map(|i| mean[i] + (0..rank).map(|k| root[4 * i + k] * z[k]).sum::<f64>()).collect();
        let basis = Polynomial::of_one(3, 0.5);
        let phi = |control: usize| basis.eval(&[control as f64 / 11.0]);
        let of = |phi: &[f64], a: &[f64]| phi.iter().zip(a).map(|(f, a)| f * a).sum::<f64>();
        let noise = 10_f64.powf(digits);
        let mut belief = start.clone();
        let mut reach: f64 = z[..rank].iter().map(|z| z * z).sum();
        for (control, e) in trainings {
            belief.update(&phi(control), of(&phi(control), &truth) + noise * e, noise * noise).unwrap();
            reach += e * e;
            for phi in (0..12).map(phi) {
                let (mean, variance) = belief.moments(&phi);
                let off = (mean - of(&phi, &truth)).abs();
                prop_assert!(off <= (reach * variance).sqrt() + 1e-6, "{noise:e}: {off:e} for {variance:e}");
                prop_assert!(variance <= start.moments(&phi).1 + 1e-12, "{noise:e}: {variance:e}");
            }
            let raised = belief.covariance().iter().enumerate();
            let raised = raised.map(|(at, c)| if at % 5 == 0 { c + 1e-12 * start.covariance()[at] } else { *c });
            let raised = Coefficients::new(vec![0.0; 4], raised.collect());
            prop_assert!(raised.is_ok(), "{noise:e}: {raised:?}");
        }
    }
}

/// Twelve observations of a line with less and less noise, and of a curve that is no cubic: about the least squares in either case.
#[test]
fn noise_far_below_the_prior_is_no_divergence() {
    let basis = Polynomial::of_one(3, 0.5);
    let prior = Coefficients::independent(vec![0.4, 0.1, -0.2, 0.1], &[1.0; 4]).unwrap();
    let x = Points::from_flat((0..12).map(|i| f64::from(i) / 11.0).collect(), 1);
    let fitted = |std_dev: f64, bend: f64| {
        let y: Vec<f64> = x.rows().map(|u| 0.5 + 0.4 * u[0] + bend * (20.0 * u[0]).sin()).collect();
        let model = LinearModel::new(basis.clone(), prior.clone()).unwrap();
        let (posterior, evidence) = model.condition(x.as_ref(), &y, &[std_dev * std_dev; 12]).unwrap();
        assert!(evidence.is_finite(), "{std_dev:e}");
        [0.0, 0.5, 1.0].map(|u| posterior.predict(&[u]).mean)
    };
    for bend in [0.0, 0.1] {
        let expected = fitted(1e-6, bend);
        for std_dev in [1e-8, 1e-9, 1e-12, 1e-15, 1e-150] {
            let found = fitted(std_dev, bend);
            let is_close = close(&found, &expected, 1e-6 + 0.5 * bend);
            assert!(is_close, "{std_dev:e} {bend}: {found:?} {expected:?}");
        }
    }
}

/// Without noise a value is certain: the same value is ignored and another one is refused, or hardly counts if it has noise.
#[test]
fn what_was_observed_without_noise_is_certain() {
    let basis = Polynomial::of_one(1, 0.5);
    let mut belief = Coefficients::independent(vec![0.0; 2], &[1.0; 2]).unwrap();
    let phi = basis.eval(&[0.3]);
    belief.update(&phi, 1.0, 0.0).unwrap();
    let before = belief.clone();
    let refused = belief.update(&phi, 2.0, 0.0);
    assert!(matches!(refused, Err(LinearError::Contradiction { observed: 2.0, .. })), "{refused:?}");
    assert_eq!(belief.update(&phi, 1.0, 0.0).unwrap().log_density(), 0.0);
    assert_eq!(belief, before);
    belief.update(&phi, 2.0, 1e-30).unwrap();
    assert!((belief.moments(&phi).0 - 1.0).abs() < 0.1, "{belief:?}");
    belief.update(&basis.eval(&[0.8]), 3.0, 0.0).unwrap();
    assert!((belief.moments(&basis.eval(&[0.8])).0 - 3.0).abs() < 1e-9, "{belief:?}");
}

/// An update whose numbers overflow is an error that changes nothing.
#[test]
fn what_overflows_is_refused() {
    let start = Coefficients::independent(vec![0.0, 1.0], &[1e300, 1.0]).unwrap();
    for form in [Coefficients::update, Coefficients::update_joseph] {
        let mut belief = start.clone();
        let refused = form(&mut belief, &[1e10, 1.0], 1.0, 0.01).unwrap_err();
        assert!(refused.to_string().contains("expected a finite number"), "{refused}");
        assert_eq!(belief, start);
    }
}

/// A distribution that is read back is the one that was written, however it was reached.
#[test]
fn learnt_coefficients_are_read_back() {
    let mut belief = prior(3);
    belief.update(&[1.0, 0.2, -0.5], 0.7, 1e-20).unwrap();
    let text = serde_json::to_string(&belief).unwrap();
    assert!(text.starts_with(r#"{"mean":["#) && !text.contains("scales"), "{text}");
    assert_eq!(serde_json::from_str::<Coefficients>(&text).unwrap(), belief);
}

/// y₁ = a₁ + ε₁, y₂ = a₂ + ε₂ with a₂ = a₁ + w: all normal, so conditioning is a 2×2 system.
#[test]
fn a_smoothed_walk_in_closed_form() {
    let drift = Drift::random_walk(&[0.5]).unwrap();
    let mut first = Coefficients::independent(vec![0.0], &[2.0]).unwrap();
    first.update(&[1.0], 1.0, 1.0).unwrap();
    let mut second = drift.predict(&first).unwrap();
    second.update(&[1.0], 3.0, 1.0).unwrap();
    let smoothed = drift.smooth(&[first, second.clone()]).unwrap();
    // Observations have covariance [[3, 2], [2, 3.5]], a₁ has [2, 2] with them.
    let det = 3.0 * 3.5 - 4.0;
    let weights = [(2.0 * 3.5 - 2.0 * 2.0) / det, (2.0 * 3.0 - 2.0 * 2.0) / det];
    let mean = weights[0] * 1.0 + weights[1] * 3.0;
    let variance = 2.0 - 2.0 * weights[0] - 2.0 * weights[1];
    assert!((smoothed[0].mean()[0] - mean).abs() < 1e-12, "{} {mean}", smoothed[0].mean()[0]);
    assert!((smoothed[0].covariance()[0] - variance).abs() < 1e-12);
    assert_eq!(smoothed[1], second);
}

/// A line that is observed a hundred times under a prior without knowledge: rounding of the size of the prior is no error, and the level is
/// known to about the noise.
#[test]
fn a_prior_without_knowledge_is_smoothed() {
    let drift = Drift::new(vec![1.0, 1.0, 0.0, 1.0], vec![1e-6, 0.0, 0.0, 1e-6]).unwrap();
    let mut belief = Coefficients::independent(vec![0.0; 2], &[1e12; 2]).unwrap();
    let mut filtered = Vec::new();
    for step in 0..100 {
        belief = if step == 0 { belief } else { drift.predict(&belief).unwrap() };
        belief.update(&[1.0, 0.0], 3.0 + 0.5 * f64::from(step), 1.0).unwrap();
        filtered.push(belief.clone());
    }
    let smoothed = drift.smooth(&filtered).unwrap();
    for (step, own) in (0..100).zip(&smoothed) {
        assert!((own.mean()[0] - 3.0 - 0.5 * f64::from(step)).abs() < 0.05, "{step}: {:?}", own.mean());
        assert!((0.0..1.5).contains(&own.covariance()[0]), "{step}: {:?}", own.covariance());
    }
}

/// a₁ = F a₀ + w, y = φ·a₁ + ε, for an F without symmetry: a₀ given y is one step of conditioning,
/// `μ₀ + P₀ Fᵀφ (y - φ·Fμ₀) / (φᵀ(F P₀ Fᵀ + Q)φ + σ²)`.
#[test]
fn a_smoothed_transition_in_closed_form() {
    let (f, q) = ([0.8, 0.5, -0.3, 1.1], [0.3, 0.1, 0.1, 0.2]);
    let (mean, p) = ([0.4, -1.2], [2.0, 0.6, 0.6, 1.0]);
    let (phi, y, noise) = ([1.0, -0.7], 2.5, 0.4);
    let drift = Drift::new(f.to_vec(), q.to_vec()).unwrap();
    let first = Coefficients::new(mean.to_vec(), p.to_vec()).unwrap();
    let mut second = drift.predict(&first).unwrap();
    second.update(&phi, y, noise).unwrap();
    let smoothed = drift.smooth(&[first, second]).unwrap();
    // Fᵀ φ, P₀ Fᵀ φ and their product.
    let back = [f[0] * phi[0] + f[2] * phi[1], f[1] * phi[0] + f[3] * phi[1]];
    let with = [p[0] * back[0] + p[1] * back[1], p[2] * back[0] + p[3] * back[1]];
    let of_noise = q[0] * phi[0] * phi[0] + 2.0 * q[1] * phi[0] * phi[1] + q[3] * phi[1] * phi[1];
    let variance = back[0] * with[0] + back[1] * with[1] + of_noise + noise;
    let residual = y - (back[0] * mean[0] + back[1] * mean[1]);
    let expected: Vec<f64> = (0..2).map(|i| mean[i] + with[i] * residual / variance).collect();
    let covariance: Vec<f64> = (0..4).map(|at| p[at] - with[at / 2] * with[at % 2] / variance).collect();
    assert!(close(smoothed[0].mean(), &expected, 1e-10), "{:?} {expected:?}", smoothed[0].mean());
    assert!(close(smoothed[0].covariance(), &covariance, 1e-10), "{:?} {covariance:?}", smoothed[0]);
}

#[test]
fn splines_add_up_to_one_and_reproduce_lines() {
    let basis = Splines::new(1, 5, 3);
    for x in [0.0, 0.13, 0.2, 0.77, 1.0] {
        let values = basis.eval(&[x]);
        let rest: f64 = values[1..].iter().sum();
        assert!(
            values[0] == 1.0
                && (-1e-15..=1.0 + 1e-15).contains(&rest)
                && values[1..].iter().all(|v| *v >= 0.0)
        );
    }
    assert_eq!(basis.eval(&[-0.5]), basis.eval(&[0.0]));
    assert_eq!(basis.len(), 1 + 7);
}

#[test]
fn full_polynomials_have_all_monomials() {
    let basis = Polynomial::full(2, 3, 0.0);
    assert_eq!(basis.len(), 10);
    let (x, y) = (0.3_f64, 0.7_f64);
    let expected = [1.0, x, y, x * x, x * y, y * y, x.powi(3), x * x * y, x * y * y, y.powi(3)];
    assert!(close(&basis.eval(&[x, y]), &expected, 1e-15));
}

/// A conjugate prior that concentrates on a noise variance gives the same distribution as that known noise.
#[test]
fn unknown_noise_that_is_all_but_known() {
    let basis = Polynomial::of_one(1, 0.5);
    let noise = 0.04;
    let unit = Coefficients::independent(vec![0.0; 2], &[1.0 / noise, 1.0 / noise]).unwrap();
    let mut conjugate = NormalInverseGamma::new(unit, 1e8, noise * 1e8).unwrap();
    let mut known = Coefficients::independent(vec![0.0; 2], &[1.0, 1.0]).unwrap();
    for (x, y) in [(0.1, 0.4), (0.9, -0.2), (0.4, 0.1)] {
        let phi = basis.eval(&[x]);
        conjugate.update(&phi, y).unwrap();
        known.update(&phi, y, noise).unwrap();
    }
    let phi = basis.eval(&[0.7]);
    let (mean, variance) = known.moments(&phi);
    let student = conjugate.predict_latent(&phi);
    assert!((student.location - mean).abs() < 1e-12);
    assert!((student.variance() - variance).abs() < 1e-6);
    assert!((conjugate.noise_mean() - noise).abs() < 1e-6);
    assert!((conjugate.predict(&phi).variance() - variance - noise).abs() < 1e-6);
}

/// The rate after n observations of a known mean is b + ½ Σ r² / v.
#[test]
fn unknown_noise_by_hand() {
    let unit = Coefficients::independent(vec![0.0], &[1.0]).unwrap();
    let mut belief = NormalInverseGamma::new(unit, 2.0, 3.0).unwrap();
    belief.update(&[1.0], 2.0).unwrap();
    assert_eq!(belief.noise(), (2.5, 3.0 + 0.5 * 4.0 / 2.0));
    assert_eq!(belief.mean(&[1.0]), 1.0);
    assert_eq!(belief.predict(&[1.0]).freedom, 5.0);
}

#[test]
fn a_knowledge_gradient_works_on_it() {
    let basis = Polynomial::of_one(3, 0.5);
    let model = LinearModel::new(basis, prior(4)).unwrap();
    let posterior = model.prior();
    let anchors = Points::from_flat(vec![0.1, 0.5, 0.9], 1);
    let ahead = JointLookahead::new(&posterior, anchors.as_ref(), 0.1);
    let weights = LookaheadCotangent { mean: 0.4, variance: -0.7, covariance: &[0.3, 0.0, -1.0, 0.6] };
    contract::lookahead_gradient_matches(&ahead, &[0.37], weights, 1e-6, 1e-7);
    assert_eq!(ahead.means().len(), 3);
}

#[test]
fn paths_have_the_moments_of_the_belief() {
    let model = LinearModel::new(Polynomial::of_one(2, 0.5), prior(3)).unwrap();
    let posterior = model.prior();
    let paths = posterior.sample_paths(4000, &mut Seed(2).stream("paths", 0)).unwrap();
    contract::path_is_consistent(&*paths[0], PointsRef::single(&[0.3]), 1e-6, 1e-6);
    let mut values = Vec::new();
    for path in &paths {
        let mut out = [0.0];
        path.values_into(PointsRef::single(&[0.8]), &mut out);
        values.push(out[0]);
    }
    let Prediction { mean, variance } = posterior.predict(&[0.8]);
    let found = values.iter().sum::<f64>() / 4000.0;
    let spread = values.iter().map(|v| (v - found).powi(2)).sum::<f64>() / 4000.0;
    assert!((found - mean).abs() < 4.0 * (variance / 4000.0).sqrt());
    assert!((spread / variance - 1.0).abs() < 0.15);
}

#[test]
fn singular_and_certain_beliefs() {
    // Nothing is in doubt but the first coefficient.
    let mut belief = Coefficients::independent(vec![1.0, 2.0], &[0.64, 0.0]).unwrap();
    assert_eq!(Information::of(&belief), Err(LinearError::Singular));
    belief.update(&[1.0, 0.5], 2.4, 0.01).unwrap();
    assert_eq!(belief.mean()[1], 2.0);
    assert_eq!(belief.covariance()[3], 0.0);
    // Without noise it becomes certain, and a contradiction is an error that changes nothing.
    belief.update(&[1.0, 0.0], 1.5, 0.0).unwrap();
    assert!(belief.moments(&[1.0, 0.0]).1 < 1e-15);
    let before = belief.clone();
    let mut certain = Coefficients::independent(vec![1.0], &[0.0]).unwrap();
    assert_eq!(certain.update(&[1.0], 1.0, 0.0).unwrap().log_density(), 0.0);
    assert_eq!(
        certain.update(&[1.0], 2.0, 0.0),
        Err(LinearError::Contradiction { observed: 2.0, expected: 1.0 })
    );
    assert_eq!(belief, before);
    assert_eq!(Information::none(2).coefficients(), Err(LinearError::Singular));
}

/// The pivot of an unknown direction is a rounding error, of which half are positive.
#[test]
fn unknown_directions_are_singular_whatever_their_rounding() {
    let mut known = Information::none(2);
    known.update(&[1.0, 0.2], 1.0, 0.1).unwrap();
    assert_eq!(known.coefficients(), Err(LinearError::Singular));
    let singular = Coefficients::new(vec![0.0; 2], vec![10.0, 2.0, 2.0, 0.400_000_000_000_000_1]).unwrap();
    assert_eq!(Information::of(&singular), Err(LinearError::Singular));
    let mut rng = Seed(1).stream("functions", 0);
    for draw in 0..200 {
        for unknowns in 2..6 {
            let mut known = Information::none(unknowns);
            // Coefficients in units of their own: neither is large.
            let units: Vec<f64> = (0..unknowns).map(|i| 10_f64.powi(4 * i as i32 - 8)).collect();
            for observation in 1..=unknowns {
                assert_eq!(
                    known.coefficients(),
                    Err(LinearError::Singular),
                    "{draw}: {observation} of {unknowns}"
                );
                let phi: Vec<f64> = units.iter().map(|unit| unit * (rng.uniform() - 0.5)).collect();
                known.update(&phi, rng.uniform(), 0.1).unwrap();
            }
            assert!(known.coefficients().is_ok(), "{draw}: {unknowns}");
        }
    }
    // A line through two near points is known to some digits.
    let mut line = Information::none(2);
    line.update(&[1.0, 1000.0], 1.0, 1e-6).unwrap();
    line.update(&[1.0, 1000.01], 3.0, 1e-6).unwrap();
    assert!((line.coefficients().unwrap().mean()[1] / 200.0 - 1.0).abs() < 1e-3);
}

/// Rounding leaves some 1e-17 of a coefficient that is observed to be 0: no contradiction to a second such observation.
#[test]
fn a_repeated_observation_of_0_is_no_contradiction() {
    let mut rng = Seed(1).stream("states", 0);
    for _ in 0..1000 {
        let (mean, variance, phi) = (rng.uniform() - 0.5, 3.0 * rng.uniform(), rng.uniform() - 0.5);
        let mut belief = Coefficients::independent(vec![mean], &[variance]).unwrap();
        belief.update(&[phi], 0.0, 0.0).unwrap();
        assert!(belief.update(&[phi], 0.0, 0.0).is_ok(), "{belief:?}");
    }
}

/// A variance at a coordinate that is no number is none, not 0; and no function of it is 0 or 1.
#[test]
fn a_point_that_is_no_number_is_not_certain() {
    let bases: [Box<dyn Basis>; 4] = [
        Box::new(Polynomial::of_one(2, 0.5)),
        Box::new(Fourier::new(1, 1, 2.0)),
        Box::new(Splines::new(1, 4, 3)),
        Box::new(Splines::new(1, 4, 0)),
    ];
    for basis in bases {
        let name = basis.name();
        let coefficients = prior(basis.len());
        let posterior = LinearModel::new(basis, coefficients).unwrap().prior();
        let Prediction { mean, variance } = posterior.predict(&[f64::NAN]);
        assert!(mean.is_nan() && variance.is_nan(), "{name}: {mean} {variance}");
        let mut covariance = [0.0];
        posterior.covariance_into(PointsRef::single(&[f64::NAN]), &mut covariance);
        assert!(covariance[0].is_nan(), "{name}: {covariance:?}");
    }
}

/// Bases and distributions in files are checked as by their constructors.
#[test]
fn files_that_no_constructor_makes_are_refused() {
    fn error<T: serde::de::DeserializeOwned + std::fmt::Debug>(text: &str) -> String {
        serde_json::from_str::<T>(text).unwrap_err().to_string()
    }
    let splines = error::<Splines>(r#"{"dim":1,"cells":0,"degree":3}"#);
    assert!(splines.contains("number of cells is 0, expected at least 1"), "{splines}");
    let polynomial = error::<Polynomial>(r#"{"centre":[0.5],"exponents":[[1],[1,2]]}"#);
    assert!(polynomial.contains("2 exponents, expected 1"), "{polynomial}");
    let unit = r#"{"mean":[0.0],"covariance":[1.0]}"#;
    for (numbers, name) in [(r#""shape":2.0,"rate":-1.0"#, "rate"), (r#""shape":0.0,"rate":1.0"#, "shape")] {
        let found = error::<NormalInverseGamma>(&format!(r#"{{"unit":{unit},{numbers}}}"#));
        assert!(found.contains(name), "{found}");
    }
    let basis = Polynomial::full(2, 2, 0.5);
    let text = serde_json::to_string(&basis).unwrap();
    assert_eq!(serde_json::from_str::<Polynomial>(&text).unwrap(), basis);
    assert_eq!(serde_json::from_str::<Polynomial>(&text.replace("centre", "center")).unwrap(), basis);
    let basis = Splines::new(2, 4, 3);
    assert_eq!(serde_json::from_str::<Splines>(&serde_json::to_string(&basis).unwrap()).unwrap(), basis);
    let known = NormalInverseGamma::new(prior(2), 2.0, 0.5).unwrap();
    let text = serde_json::to_string(&known).unwrap();
    assert_eq!(serde_json::from_str::<NormalInverseGamma>(&text).unwrap(), known);
}

#[test]
fn bad_input_is_named() {
    let message = |error: LinearError| error.to_string();
    let error = Coefficients::new(vec![0.0; 2], vec![1.0, 0.5, 0.4, 1.0]).unwrap_err();
    assert!(message(error).contains("0.5 and 0.4"));
    let error = Coefficients::new(vec![0.0; 2], vec![1.0, 2.0, 2.0, 1.0]).unwrap_err();
    assert!(message(error).contains("not positive semi-definite"));
    let error = Coefficients::new(vec![0.0; 2], vec![0.0, 1.0, 1.0, 1.0]).unwrap_err();
    assert!(matches!(error, LinearError::Indefinite { pivot: 0, .. }));
    let mut belief = prior(2);
    assert!(message(belief.update(&[1.0], 1.0, 0.1).unwrap_err()).contains("1 functions, expected 2"));
    assert!(message(belief.update(&[1.0, f64::NAN], 1.0, 0.1).unwrap_err()).contains("function 1 is NaN"));
    assert!(message(belief.update(&[1.0, 0.0], 1.0, -0.1).unwrap_err()).contains("-0.1"));
    assert_eq!(belief, prior(2));
    assert!(LinearModel::new(Polynomial::of_one(3, 0.5), prior(2)).is_err());
    assert!(Drift::new(vec![1.0; 3], vec![1.0; 4]).is_err());
    assert!(NormalInverseGamma::new(prior(1), 0.0, 1.0).is_err());
    // A basis of one's own may have no slopes: then neither has the posterior.
    let own = FromFn::new("own", 1, 2, |x: &[f64], out: &mut [f64]| out.copy_from_slice(&[1.0, x[0].sqrt()]));
    let model = LinearModel::new(own, prior(2)).unwrap();
    assert!(model.prior().gradient().is_none() && model.prior().predict(&[0.25]).mean.is_finite());
}

/// Observations that the information form refuses: it names what is wrong, and stays as it is.
#[test]
fn information_refuses_what_is_no_observation() {
    let start = Information::of(&prior(2)).unwrap();
    for (phi, y, noise, what) in [
        (&[1.0][..], 1.0, 0.1, "1 functions, expected 2"),
        (&[1.0, f64::NAN], 1.0, 0.1, "function 1 is NaN"),
        (&[f64::INFINITY, 0.0], 1.0, 0.1, "function 0 is inf"),
        (&[1.0, 0.0], f64::NAN, 0.1, "observation is NaN"),
        (&[1.0, 0.0], 1.0, 0.0, "noise variance is 0"),
        (&[1.0, 0.0], 1.0, -0.1, "noise variance is -0.1"),
        (&[1.0, 0.0], 1.0, f64::NAN, "noise variance is NaN"),
    ] {
        let mut information = start.clone();
        let error = information.update(phi, y, noise).expect_err(what).to_string();
        assert!(error.starts_with(what), "{error}, expected {what}");
        assert_eq!(information, start, "{what}: nothing is learnt");
    }
}

#[test]
fn extreme_scales() {
    for scale in [1e-12, 1e12] {
        let mut belief = Coefficients::independent(vec![0.0; 2], &[scale * scale; 2]).unwrap();
        belief.update(&[1.0, 0.5], 2.0 * scale, 0.01 * scale * scale).unwrap();
        belief.update(&[1.0, -0.5], 1.0 * scale, 0.01 * scale * scale).unwrap();
        let (mean, variance) = belief.moments(&[1.0, 0.0]);
        assert!((mean / scale - 1.5).abs() < 0.02 && variance > 0.0 && variance < 0.1 * scale * scale);
        belief.square_root().unwrap();
    }
}

/// The number of monomials of degree up to g in d variables is (d + g)! / d! g!.
#[test]
fn monomials_are_as_many_as_their_degrees_say() {
    for (dim, degree, count) in [(0, 3, 0), (1, 0, 1), (1, 3, 4), (2, 3, 10), (3, 2, 10), (4, 4, 70)] {
        let basis = Polynomial::full(dim, degree, 0.0);
        assert_eq!((basis.len(), basis.is_empty()), (count, count == 0), "{dim} {degree}");
        // At 10 each monomial is 10 to its degree.
        let sum: f64 = basis.eval(&vec![10.0; dim]).iter().sum();
        let of_degree = |g: u32| (1..dim as u32).map(|k| f64::from(g + k) / f64::from(k)).product::<f64>();
        let expected: f64 =
            if dim == 0 { 0.0 } else { (0..=degree).map(|g| of_degree(g) * 10_f64.powi(g as i32)).sum() };
        assert!((sum - expected).abs() < 1e-9 * (1.0 + expected), "{dim} {degree}: {sum} {expected}");
    }
}

/// Mean and variance are the same with slopes or without.
#[test]
fn predictions_with_slopes_are_predictions() {
    use thrifty_surrogate::PosteriorGradient;
    let x = Points::from_rows(&[[0.1, 0.2], [0.8, 0.7], [0.4, 0.9], [0.6, 0.1]]).unwrap();
    for basis in bases(2) {
        let start = prior(basis.len());
        let model = LinearModel::new(basis, start).unwrap();
        let (posterior, _) = model.condition(x.as_ref(), &[1.0, -0.5, 0.7, 0.2], &[0.1; 4]).unwrap();
        let test = Points::from_rows(&[[0.21, 0.72], [0.55, 0.45]]).unwrap();
        let (mut mean, mut variance) = ([0.0; 2], [0.0; 2]);
        posterior.predict_into(test.as_ref(), &mut mean, &mut variance);
        let (mut own_mean, mut own_variance) = ([f64::NAN; 2], [f64::NAN; 2]);
        let (mut by_mean, mut by_variance) = ([f64::NAN; 4], [f64::NAN; 4]);
        posterior.predict_with_gradient_into(
            test.as_ref(),
            &mut own_mean,
            &mut own_variance,
            &mut by_mean,
            &mut by_variance,
        );
        assert_eq!((own_mean, own_variance), (mean, variance));
        assert!(by_mean.iter().chain(&by_variance).all(|slope| slope.is_finite()));
    }
}

/// Covariances between some points and others of another number: those of all points together.
#[test]
fn covariances_between_any_numbers_of_points() {
    let basis = Polynomial::full(2, 2, 0.5);
    let start = prior(basis.len());
    let x = Points::from_rows(&[[0.2, 0.7], [0.9, 0.4]]).unwrap();
    let model = LinearModel::new(basis, start).unwrap();
    let (posterior, _) = model.condition(x.as_ref(), &[0.3, -1.0], &[0.1, 0.2]).unwrap();
    let all = Points::from_rows(&[[0.1, 0.3], [0.5, 0.9], [0.8, 0.2], [0.4, 0.6]]).unwrap();
    let mut together = [0.0; 16];
    posterior.covariance_into(all.as_ref(), &mut together);
    for split in 0..=4 {
        let (a, b) = (all.as_ref().slice(0, split), all.as_ref().slice(split, 4));
        let mut between = vec![f64::NAN; a.len() * b.len()];
        posterior.cross_covariance_into(a, b, &mut between);
        let expected: Vec<f64> = (0..split)
            .flat_map(|i| (split..4).map(move |j| (i, j)))
            .map(|(i, j)| together[4 * i + j])
            .collect();
        assert!(close(&between, &expected, 1e-12), "{split} and {}: {between:?} {expected:?}", 4 - split);
    }
}
