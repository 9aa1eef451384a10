//! Draws of running trials against integrals: improvements on the best of a draw, the first feasible point.

use thrifty_acquisition::{Acquisition, AcquisitionKind, ImprovementTarget};
use thrifty_domain::{Points, PointsRef};
use thrifty_gp::{Gp, GpPosterior, GpSettings, Noise};
use thrifty_kernel::{Matern52, Scaled};
use thrifty_model_based::{LogFirstFeasible, improvement_over_draws};
use thrifty_prob::{cdf, pdf};
use thrifty_sampling::Seed;
use thrifty_surrogate::{JointGradient, JointPosterior, Posterior};

type Model = GpPosterior<Scaled<Matern52>>;

fn model(y: &[f64; 3]) -> Model {
    let x = Points::from_flat(vec![0.1, 0.1, 0.9, 0.2, 0.3, 0.95], 2);
    let settings = GpSettings { noise: Noise::Fixed(1e-6), ..GpSettings::default() };
    Gp::matern52(2).with_settings(settings).condition(x.as_ref(), y).unwrap()
}

/// Moments at a point and at another, and their covariance.
fn pair(model: &Model, x: [f64; 2], other: [f64; 2]) -> ([f64; 2], [f64; 2], f64) {
    let both = Points::from_flat([x, other].concat(), 2);
    let (mut mean, mut variance, mut covariance) = ([0.0; 2], [0.0; 2], [0.0; 4]);
    model.predict_into(both.as_ref(), &mut mean, &mut variance);
    model.covariance_into(both.as_ref(), &mut covariance);
    (mean, variance, covariance[1])
}

fn improvement(mean: f64, std_dev: f64, threshold: f64) -> f64 {
    let z = (threshold - mean) / std_dev;
    std_dev * (z * cdf(z) + pdf(z))
}

/// `∫ φ(z) [p EI(min(τ, f_r)) + (1 - p) EI(τ)] dz` over `f_r = μ_r + σ_r z`, the loss of one running trial that is feasible with
/// probability p, where EI is that of x given `f_r`.
fn by_quadrature(objective: &Model, feasible: f64, x: [f64; 2], r: [f64; 2], threshold: f64) -> f64 {
    let (mean, variance, covariance) = pair(objective, x, r);
    let rest = (variance[0] - covariance * covariance / variance[1]).sqrt();
    let step = 16.0 / 4000.0;
    let at = |i: i32| {
        let z = -8.0 + step * (f64::from(i) + 0.5);
        let (loss, given) = (mean[1] + variance[1].sqrt() * z, mean[0] + covariance / variance[1].sqrt() * z);
        let lowered = improvement(given, rest, threshold.min(loss));
        step * pdf(z) * (feasible * lowered + (1.0 - feasible) * improvement(given, rest, threshold))
    };
    (0..4000).map(at).sum()
}

#[test]
fn improvements_over_draws_are_integrals() {
    let (objective, constraint) = (model(&[0.3, -0.6, 0.4]), model(&[-0.4, 0.5, -0.2]));
    let (r, threshold) = ([0.55, 0.5], 0.1);
    let running = Points::from_flat(r.to_vec(), 2);
    let of = constraint.predict(&r);
    let feasible = cdf(-of.mean / of.std_dev());
    assert!((0.2..0.8).contains(&feasible), "{feasible}");
    for (constraints, probability) in [(&[][..], 1.0), (&[&constraint as &dyn Posterior][..], feasible)] {
        for logarithm in [false, true] {
            let kind = if logarithm {
                AcquisitionKind::LogExpectedImprovement(ImprovementTarget::BestObserved)
            } else {
                AcquisitionKind::ExpectedImprovement(ImprovementTarget::BestObserved)
            };
            let least = |losses: &[f64]| losses.iter().copied().fold(threshold, f64::min);
            let mut rng = Seed(3).stream("draws", 0);
            let over =
                improvement_over_draws(&objective, &kind, (&running, 4096), constraints, least, &mut rng);
            let over = over.unwrap().expect("a joint posterior and an improvement");
            for x in [[0.6, 0.45], [0.3, 0.4], [0.8, 0.7], [0.55, 0.52]] {
                let expected = by_quadrature(&objective, probability, x, r, threshold);
                let value = over.value(&x);
                let found = if logarithm { value.exp() } else { value };
                assert!((found - expected).abs() < 0.02 * expected + 1e-3, "{x:?}: {found} {expected}");
            }
        }
    }
    // Feasible or not makes a difference that the tolerance resolves.
    let (all, none) = (
        by_quadrature(&objective, 1.0, [0.55, 0.52], r, 0.1),
        by_quadrature(&objective, 0.0, [0.55, 0.52], r, 0.1),
    );
    assert!(none > 1.3 * all, "{none} {all}");
}

/// Normal with this mean and standard deviation 1 everywhere, point by point.
struct Constant(f64);

impl Posterior for Constant {
    fn dim(&self) -> usize {
        2
    }

    fn predict_into(&self, x: PointsRef<'_>, mean: &mut [f64], variance: &mut [f64]) {
        mean[..x.len()].fill(self.0);
        variance[..x.len()].fill(1.0);
    }
}

/// A constraint without a joint posterior counts running trials where even odds hold, in every draw or in none.
#[test]
fn constraints_point_by_point_are_judged_by_their_odds() {
    let objective = model(&[0.3, -0.6, 0.4]);
    let (r, x, threshold) = ([0.55, 0.5], [0.55, 0.52], 0.1);
    let running = Points::from_flat(r.to_vec(), 2);
    for (mean, counted) in [(-0.2, 1.0), (0.2, 0.0)] {
        let constraint = Constant(mean);
        let kind = AcquisitionKind::ExpectedImprovement(ImprovementTarget::BestObserved);
        let least = |losses: &[f64]| losses.iter().copied().fold(threshold, f64::min);
        let mut rng = Seed(3).stream("draws", 0);
        let constraints: [&dyn Posterior; 1] = [&constraint];
        let over = improvement_over_draws(&objective, &kind, (&running, 4096), &constraints, least, &mut rng);
        let (found, expected) =
            (over.unwrap().unwrap().value(&x), by_quadrature(&objective, counted, x, r, threshold));
        assert!((found - expected).abs() < 0.02 * expected + 1e-3, "{mean}: {found} {expected}");
    }
    // A first feasible point needs joint draws.
    let constant = Constant(0.2);
    let constraints: [&dyn Posterior; 1] = [&constant];
    let first = LogFirstFeasible::new(&constraints, &running, 16, &mut Seed(3).stream("draws", 0));
    assert!(first.unwrap().is_none());
}

/// f(x) = b + (x - ½) w for one standard normal w.
struct Ramp(f64);

impl Posterior for Ramp {
    fn dim(&self) -> usize {
        1
    }

    fn predict_into(&self, x: PointsRef<'_>, mean: &mut [f64], variance: &mut [f64]) {
        mean[..x.len()].fill(self.0);
        x.rows().zip(variance).for_each(|(x, slot)| *slot = (x[0] - 0.5).powi(2));
    }

    fn joint(&self) -> Option<&dyn JointPosterior> {
        Some(self)
    }
}

impl JointPosterior for Ramp {
    fn covariance_into(&self, x: PointsRef<'_>, out: &mut [f64]) {
        self.cross_covariance_into(x, x, out);
    }

    fn cross_covariance_into(&self, a: PointsRef<'_>, b: PointsRef<'_>, out: &mut [f64]) {
        let all = a.rows().flat_map(|a| b.rows().map(move |b| (a[0] - 0.5) * (b[0] - 0.5)));
        out.iter_mut().zip(all).for_each(|(slot, covariance)| *slot = covariance);
    }

    fn joint_gradient(&self) -> Option<&dyn JointGradient> {
        Some(self)
    }
}

impl JointGradient for Ramp {
    fn pull_back_joint(&self, x: PointsRef<'_>, _: &[f64], of_covariance: &[f64], grad: &mut [f64]) {
        let n = x.len();
        for (i, slot) in grad.iter_mut().enumerate() {
            let slope = |(j, other): (usize, &[f64])| {
                (of_covariance[i * n + j] + of_covariance[j * n + i]) * (other[0] - 0.5)
            };
            *slot += x.rows().enumerate().map(slope).sum::<f64>();
        }
    }
}

/// The running trial's outcome decides everything: given it no variance is left, and each draw counts fully or not at all.
#[test]
fn the_first_feasible_point_may_be_certain_in_a_draw() {
    let ramp = Ramp(0.1);
    let running = Points::from_flat(vec![0.8], 1);
    let of = |ramp: &Ramp, x: f64| {
        let constraints: [&dyn Posterior; 1] = [ramp];
        let mut rng = Seed(3).stream("draws", 0);
        let first = LogFirstFeasible::new(&constraints, &running, 4096, &mut rng).unwrap().unwrap();
        let (mut value, mut gradient) = ([f64::NAN], [f64::NAN]);
        let is_known = first.values_with_gradients_into(PointsRef::single(&[x]), &mut value, &mut gradient);
        assert!(is_known, "a value without slopes at {x}");
        assert_eq!(first.value(&[x]), value[0]);
        (value[0], gradient[0])
    };
    // Infeasible at 0.8 for w > -1/3; feasible at 0.2 for w ≥ 1/3 and at 0.1 for w ≥ 1/4.
    for (x, probability) in [(0.2, cdf(-1.0 / 3.0)), (0.1, cdf(-0.25))] {
        let (value, slope) = of(&ramp, x);
        assert!((value.exp() - probability).abs() < 0.01, "{x}: {} {probability}", value.exp());
        assert_eq!(slope, 0.0, "the draws that count do not change");
    }
    // Never feasible where f is b, nor beyond the running trial in a draw where that is infeasible.
    assert_eq!(of(&ramp, 0.5), (f64::NEG_INFINITY, 0.0));
    let (value, slope) = of(&Ramp(-0.1), 0.9);
    assert!(value == f64::NEG_INFINITY && slope == 0.0, "{value} {slope}");
}

/// The more trials run, the less probable it is to be the first; a single draw is enough.
#[test]
fn all_running_trials_have_to_be_infeasible() {
    let constraint = model(&[0.3, -0.6, 0.4]);
    let constraints: [&dyn Posterior; 1] = [&constraint];
    let probability = |running: &[f64], x: [f64; 2]| {
        let running = Points::from_flat(running.to_vec(), 2);
        let mut rng = Seed(3).stream("draws", 0);
        let first = LogFirstFeasible::new(&constraints, &running, 4096, &mut rng).unwrap().unwrap();
        first.value(&x).exp()
    };
    for x in [[0.45, 0.6], [0.5, 0.7]] {
        let (one, other) = (probability(&[0.7, 0.6], x), probability(&[0.2, 0.6], x));
        let both = probability(&[0.7, 0.6, 0.2, 0.6], x);
        assert!(both < 0.9 * one.min(other), "{both} {one} {other}");
        // P(A ∩ B) ≥ P(A) + P(B) - P(A ∪ B).
        let of = constraint.predict(&x);
        let alone = cdf(-of.mean / of.std_dev());
        assert!(both > one + other - alone - 0.01, "{both} {one} {other} {alone}");
    }
    let (running, surely) = (Points::from_flat(vec![0.8], 1), Ramp(9.0));
    let constraints: [&dyn Posterior; 1] = [&surely];
    let first = LogFirstFeasible::new(&constraints, &running, 1, &mut Seed(3).stream("draws", 0)).unwrap();
    assert_eq!(first.expect("infeasible in the only draw").value(&[0.5]), f64::NEG_INFINITY);
}
